"""What a job's process may use, and how it is ended with all that it started: POSIX here, Windows beside it.

Memory is held twice: a limit on what the process may ask for (Linux, with room for what libraries reserve and
never use) turns one huge request into a MemoryError at once; a look several times a second at what it really
uses ends the one that grows. A limit on address space alone would be wrong: Numba and OCCT reserve much more
than they use.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

import psutil

from cadbridge.processes import end_with_caller, family

POSIX = os.name == "posix"
LINUX = sys.platform.startswith("linux")

RESERVED = 2 << 30
"""Bytes that libraries reserve beyond what they use, at most."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if POSIX else 0


def physical_memory() -> int:
    """Bytes of memory of this machine, or of the container that we run in."""
    limit = psutil.virtual_memory().total
    with contextlib.suppress(OSError, ValueError):
        limit = min(limit, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return limit


def enter(memory: int, caller: int) -> None:
    """In the job's own process, before anything else: a session of its own and the limits.

    It dies with its `caller`, the number of the process that started it (at once where that has gone already: another
    process then does this job in the same stage). It is the first that the system takes when memory runs out, and
    leaves no core file.
    """
    if not POSIX:
        return
    import resource

    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not LINUX:
        return
    end_with_caller(caller)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    ask = memory + RESERVED
    resource.setrlimit(resource.RLIMIT_DATA, (ask if hard == resource.RLIM_INFINITY else min(ask, hard), hard))
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def end(pid: int) -> None:
    """End a job's process and all that it started, at once."""
    started = family(pid)
    if POSIX:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    for process in (pid, *started):
        with contextlib.suppress(psutil.Error, OSError):
            psutil.Process(process).kill()


def memory_used(pid: int, limit: int) -> int:
    """Bytes that a job's processes use together.

    Pages that they share (a job is a copy of a warm process) are counted by each of them at first, and, once
    that exceeds `limit`, in proper shares.
    """
    processes = (pid, *family(pid))
    used = sum(_resident(p) for p in processes)
    return sum(_proportional(p) for p in processes) if used > limit else used


def _resident(pid: int) -> int:
    try:
        if LINUX:
            return int(_read(f"/proc/{pid}/statm").split()[1]) * _PAGE
        return int(psutil.Process(pid).memory_info().rss)
    except (OSError, psutil.Error):
        return 0


def _proportional(pid: int) -> int:
    if LINUX:
        with contextlib.suppress(OSError):
            for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
                if line.startswith("Pss:"):
                    # /proc gives kB of 1024 bytes.
                    return int(line.split()[1]) * 1024
    return _resident(pid)


def _read(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()
