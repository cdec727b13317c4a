"""The shared library of an FMU: the solver's kernels as object code, linked with the C runtime beside this file.

It is the same for every model, which is a table of numbers (`tables`): made once, and kept with the solver's own
library (`solver.compilation.library`). The C compiler is that of PyPI's ziglang, whose libraries run on any Linux since
2014 (glibc 2.17), else the machine's.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from cadbridge.processes import environment, program, python
from solver.compilation import library
from solver.compilation.caches import close, is_own

RUNTIME = Path(__file__).resolve().parent / "runtime"
SOURCES = ("model.c", "digest.c", "fmi2.c", "fmi3.c")
_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-shared", "-s")
_EXPORTED = "{ global: fmi2*; fmi3*; local: *; };\n"
_MOST_SECONDS = 600
"""s of the clock after which a compiler is taken to hang: a choice, far above what it takes, its first run included."""
_CACHES = ("ZIG_LOCAL_CACHE_DIR", "ZIG_GLOBAL_CACHE_DIR")
"""Where Zig keeps what it compiles: the second is by default in the user's home, which may not be writable."""


class NoBinaryError(RuntimeError):
    """The library cannot be made here; the message says why and what to do."""


def compilers() -> list[list[str]]:
    """The commands that may compile C here, the most portable first."""
    own = [python("ziglang", "cc", "-target", "x86_64-linux-gnu.2.17")] if find_spec("ziglang") is not None else []
    there = (shutil.which(name) for name in ("cc", "gcc", "clang"))
    return [*own, *([path] for path in there if path is not None and os.path.isabs(path))]


def serves() -> bool:
    """Whether this is a system for which an FMU can be made: Linux on x86-64."""
    return sys.platform == "linux" and platform.machine().lower() in ("x86_64", "amd64")


def stamp() -> str:
    """Hash of all that the library is made of."""
    digest = hashlib.sha256(library.stamp().encode())
    for path in (*sorted(RUNTIME.glob("*.[ch]")), Path(__file__)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def shared_library() -> bytes:
    """The library, made where there is none yet. NoBinaryError with the reason where it cannot be."""
    name = f"fmu-{stamp()}.so"
    for folder in (library.SHIPPED, library.kernel_folder()):
        # A library in a cache folder that is somebody else's would run their code.
        if (folder / name).is_file() and (folder == library.SHIPPED or is_own(folder / name)):
            return (folder / name).read_bytes()
    if not serves():
        raise NoBinaryError(f"FMUs are made on Linux with an x86-64 processor, not on {sys.platform}")
    return _made(library.writable_folder() / name)


def _made(target: Path) -> bytes:
    import filelock

    try:
        # Two exports at once would both compile for a minute, and one might read the other's half.
        with filelock.FileLock(f"{target}.lock"):
            if not is_own(target):
                with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fmu") as folder:
                    made = _linked(Path(folder), _object(target.parent))
                    close(made)
                    os.replace(made, target)
        return target.read_bytes()
    except OSError as fault:
        raise NoBinaryError(f"{target.parent} cannot be written: {fault.strerror or fault}") from fault


def _object(folder: Path) -> Path:
    """The kernels' object file, compiled where there is none of these sources yet."""
    path = folder / f"fmu-kernels-{library.stamp()}.o"
    if not path.is_file():
        sys.stderr.write("compiling the solver's kernels for FMUs (once, about 40 s)\n")
        sys.stderr.flush()
        done = subprocess.run(
            python("cadbridge.exporters.fmu.compiling", str(path)), env=environment({"NUMBA_DISABLE_JIT": "0"}),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise NoBinaryError(f"the solver's kernels do not compile: {_last(done.stderr)}")
    return path


def _linked(folder: Path, kernels: Path) -> Path:
    """The library of the runtime's sources and the kernels, by the first compiler that does it."""
    (folder / "exported").write_text(_EXPORTED)
    target, faults = folder / "fmu.so", []
    sources = [str(RUNTIME / name) for name in SOURCES]
    ending = [f"-Wl,--version-script={folder / 'exported'}", "-o", str(target), *sources, str(kernels), "-lm", "-ldl"]
    for compiler in compilers():
        try:
            done = subprocess.run(
                program(compiler, *_FLAGS, *ending), cwd=folder, check=False, timeout=_MOST_SECONDS,
                env=environment(dict.fromkeys(_CACHES, str(folder / "zig"))), capture_output=True, text=True,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0 and target.is_file():
            return target
        faults.append(f"{compiler[0]}: {_last(done.stderr)}")
    reason = "; ".join(faults) or "there is none"
    raise NoBinaryError(f"no C compiler links the FMU's library ({reason}); pip install 'cadbridge[fmu]' brings one")


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason given"
