"""Confines a process that reads a stranger's file: it can read the files that it was given, and nothing else.

Linux on x86-64 and ARM64: seccomp refuses system calls but those for reading, memory and the answer (no new program,
process, file or connection); Landlock refuses to open any file but those given and those below the folders given.
Every POSIX system: limits of memory, processor time, processes and file sizes. Everywhere: an audit hook of Python. The
hook is the last layer, and would not suffice alone; a process of C++, which it does not see, goes without it.

Sources: seccomp(2), Linux' Documentation/userspace-api/landlock.rst.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cadbridge.folders import is_home_or_above
from cadbridge.processes import environment, python

MEMORY = 2 * 1024**3
"""Bytes of address space of a process that reads a stranger's file: a choice that `--allow-larger` raises."""

SECONDS = 20
"""Seconds of processor time: a choice that `--allow-larger` raises."""

FILES = 64
"""Files open at a time: a model names its parts one after the other, so that few are open at once."""

LOG = 64 << 20
"""Bytes that a library of C++ may write to its log."""

_LIMITS = (("RLIMIT_FSIZE", 0), ("RLIMIT_NPROC", 0), ("RLIMIT_NOFILE", FILES), ("RLIMIT_CORE", 0))
_NATIVE_LIMITS = (("RLIMIT_FSIZE", LOG), ("RLIMIT_NOFILE", FILES), ("RLIMIT_CORE", 0))

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True)
class _Machine:
    """Numbers of a kind of processor (linux/audit.h, asm/unistd.h): its own, and those of system calls.

    `reading`: what a process does that reads and computes: reading and memory, signals of its own, the clock, the end.
    `threading`: what threads need beside it, and what C++ streams write with.
    """

    architecture: int
    openat: int
    clone: int
    clone3: int
    prlimit64: int
    reading: tuple[int, ...]
    threading: tuple[int, ...]


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E, 257, 56, 435, 302,
        (0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 21, 24, 25, 28, 32, 39, 60, 63, 72, 79, 89, 96, 97, 131,
         186, 202, 217, 219, 228, 231, 262, 267, 318, 332, 334, 439),
        (20, 98, 100, 204, 237, 273),
    ),
    "aarch64": _Machine(
        0xC00000B7, 56, 220, 435, 261,
        (17, 23, 25, 48, 57, 61, 62, 63, 64, 67, 73, 78, 79, 80, 93, 94, 98, 113, 124, 128, 132, 134, 135, 139, 160,
         169, 172, 178, 214, 215, 216, 222, 226, 233, 278, 291, 293, 439),
        (66, 165, 153, 123, 235, 99),
    ),
}  # fmt: skip

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store")
_SYSTEM = ("/etc/ld.so.cache", "/sys/devices/system/cpu/online")
"""Where shared libraries lie, and how many processors there are: without it OCCT meshes with one thread."""


def libraries() -> tuple[Path, ...]:
    """The folders of Python, of its packages and of the machine's shared libraries, and where these are listed."""
    packages = (p for p in sys.path if Path(p).name in ("site-packages", "dist-packages"))
    python = (Path(os.__file__).parent, *map(Path, (sys.prefix, sys.base_prefix, sys.exec_prefix)))
    found = (*python, *map(Path, (*packages, *_LIBRARIES, *_SYSTEM)))
    return tuple(dict.fromkeys(p for p in found if p.is_absolute() and not is_home_or_above(p.resolve())))


def confine(
    readable: Iterable[Path], seconds: int | None = SECONDS, memory: int | None = MEMORY, *, native: bool = False
) -> tuple[str, ...]:
    """Hold this process from now on, for ever; the names of the layers in force.

    It may read the files and folders of `readable`, use `seconds` of the processor and `memory` bytes of address
    space (None: as before). Import first whatever is needed: Python's own modules can be opened no more. `native`: for
    a library of C++, which starts threads, writes a log and changes its limits of memory, but runs no Python of others.
    This thread must be the only one: Landlock holds those that it starts.
    """
    given = tuple(Path(f).resolve() for f in readable)
    done = ["limits"] if _limit(seconds, memory, _NATIVE_LIMITS if native else _LIMITS) else []
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError, KeyError):
            libc = ctypes.CDLL(None, use_errno=True)
            # The kernel takes neither from a plain user who may still gain rights by a program that he starts.
            _call(libc.prctl, 38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
            with contextlib.suppress(OSError):
                # Before seccomp, which leaves no call to set rules with. A kernel without Landlock is held by seccomp
                # all the same.
                _landlock(libc, given)
                done.append("landlock")
            _seccomp(libc, native)
            done.append("seccomp")
    if native:
        return tuple(done)
    sys.addaudithook(_hook(given))
    return (*done, "audit")


def in_force(native: bool) -> dict[str, int]:
    """The layers that hold such a process on this system, found by holding one; with Landlock's version, else 0."""
    import subprocess

    arguments = ["native"] if native else []
    done = subprocess.run(
        python("cadbridge.confinement", *arguments), env=environment(), capture_output=True, text=True, check=False
    )
    return {name: int(version) for name, _, version in (word.partition(":") for word in done.stdout.split())}


def _main() -> None:
    """Hold this process, and print by what."""
    version = _landlock_version() if sys.platform == "linux" else 0
    layers = confine([], native="native" in sys.argv)
    sys.stdout.write(" ".join(f"{name}:{version if name == 'landlock' else 0}" for name in layers))


def _landlock_version() -> int:
    with contextlib.suppress(OSError, AttributeError):
        return _call(ctypes.CDLL(None, use_errno=True).syscall, *_VERSION)
    return 0


def _limit(seconds: int | None, memory: int | None, limits: tuple[tuple[str, int], ...]) -> bool:
    try:
        import resource
    except ImportError:
        return False
    for name, value in (("RLIMIT_CPU", seconds), ("RLIMIT_AS", memory), *limits):
        if value is None:
            continue
        with contextlib.suppress(AttributeError, ValueError, OSError):  # not every system has each
            more = 5 if name == "RLIMIT_CPU" else 0  # first the signal, then the end
            resource.setrlimit(getattr(resource, name), (value, value + more))
    return True


def _call(function: Any, *arguments: Any) -> int:
    """A call of C whose negative answer is an OSError."""
    answer = int(function(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


_VERSION = (444, None, 0, 1)
"""The system call that tells Landlock's version."""


def _landlock(libc: Any, folders: Iterable[Path]) -> None:
    """No file but those below the folders, for reading; no connection, no signal to others."""
    version = _call(libc.syscall, *_VERSION)
    # A kernel refuses rules with a right that it does not know: 13 are of version 1, those to rename between folders,
    # to truncate and to control devices came with versions 2, 3 and 5.
    files = (1 << (13 + (version >= 2) + (version >= 3) + (version >= 5))) - 1
    rules = struct.pack("=QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    # Landlock's system calls, the same numbers on all machines: create_ruleset, add_rule (445), restrict_self (446).
    handle = _call(libc.syscall, 444, ctypes.c_char_p(rules[:size]), size, 0)
    for folder in folders:
        if folder.exists():
            parent = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            access = 0b1100 if folder.is_dir() else 0b0100  # read files, list folders
            _call(libc.syscall, 445, handle, 1, ctypes.c_char_p(struct.pack("=Qi", access, parent)), 0)
            os.close(parent)
    _call(libc.syscall, 446, handle, 0)
    os.close(handle)


_LOAD, _EQUAL, _BITS, _MASK, _ANSWER = 0x20, 0x15, 0x45, 0x54, 0x06
"""Statements of a filter (linux/bpf_common.h): load a word, jump if equal, jump if bits are set, and, return."""
_ALLOW, _REFUSE, _UNKNOWN, _KILL = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000
"""Answers of a filter: to refuse is EPERM, unknown is ENOSYS."""
_CLONE_THREAD = 0x10000
"""Of clone(2) (linux/sched.h): the flag of a thread. Threads are allowed, processes are not."""

_Filter = list[tuple[int, int, int, int]]


def _seccomp(libc: Any, native: bool) -> None:
    """No system call but those listed; openat for reading only."""
    program = _filter(_MACHINES[platform.machine()], native)
    text = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(text)))
    _call(libc.prctl, 22, 2, ctypes.byref(head), 0, 0)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def _filter(machine: _Machine, native: bool) -> _Filter:
    """The filter's statements. `native`: threads, but no processes; limits of this process alone."""
    # The architecture first: in another one's numbering a refused call has the number of an allowed one.
    code = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, machine.architecture), (_ANSWER, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    code += [(_BITS, 0, 1, 0x40000000), (_ANSWER, 0, 0, _REFUSE)]  # the numbers of x32
    code += _where(machine.openat, 2, _WRITING, 0)
    calls = machine.reading
    if native:
        code += _where(machine.clone, 0, _CLONE_THREAD, _CLONE_THREAD)
        code += [(_EQUAL, 0, 1, machine.clone3), (_ANSWER, 0, 0, _UNKNOWN)]  # its flags lie in memory: use clone
        code += _where(machine.prlimit64, 0, 0xFFFFFFFF, 0)
        calls += machine.threading
    for number in calls:
        code += [(_EQUAL, 0, 1, number), (_ANSWER, 0, 0, _ALLOW)]
    return [*code, (_ANSWER, 0, 0, _REFUSE)]


def _where(call: int, argument: int, mask: int, value: int) -> _Filter:
    """Statements that allow a system call where the masked low word of an argument has a value, and else refuse it."""
    return [
        (_EQUAL, 0, 5, call), (_LOAD, 0, 0, 16 + 8 * argument), (_MASK, 0, 0, mask),
        (_EQUAL, 0, 1, value), (_ANSWER, 0, 0, _ALLOW), (_ANSWER, 0, 0, _REFUSE),
    ]  # fmt: skip


def _hook(folders: tuple[Path, ...]) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook: only reading, and only below the folders.

    What it goes by is bound in its own cells: no list of a module can be emptied.
    """
    realpath, sep = os.path.realpath, os.sep
    roots = tuple(str(f).rstrip(sep) + sep for f in folders) + tuple(map(str, folders))
    refused = (
        "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "pty.", "signal.", "winreg.", "import",
        "exec", "fcntl.", "mmap.", "msvcrt.", "_winapi.", "_posixsubprocess.", "sys.set", "sys.add", "code.",
        "cpython.", "urllib.", "ftplib.", "http.", "smtplib.", "sqlite3.", "webbrowser.", "marshal.", "pickle.", "gc.",
        "object.",
    )  # fmt: skip
    allowed = ("os.listdir", "os.scandir", "os.walk")
    writing = _WRITING

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments[0], arguments[1], arguments[2]
            # A descriptor is of a file that was let through.
            if isinstance(path, int):
                return
            real = realpath(path.decode(errors="replace") if isinstance(path, bytes) else str(path))
            writes = (mode is not None and any(m in mode for m in "wax+")) or flags & writing
            if writes or not (real in roots or real.startswith(roots)):
                raise PermissionError(f"{path} lies outside the folder of the source and its packages")
        elif event.startswith(refused) and event not in allowed:
            raise PermissionError(f"{event} is refused")

    return hook


if __name__ == "__main__":
    _main()
