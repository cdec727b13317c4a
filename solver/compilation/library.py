"""The library of compiled kernels: where it is, and how it is loaded; made where there is none yet.

A package that was built with it holds it, in `solver/machine`. Else it is kept in the user's cache folder
(CADBRIDGE_CACHE, where that is set), and made when first a kernel is called, by a process of its own
(`building`). Its name holds a hash of the kernels' sources, the system and the kind of processor: other sources
or another processor never run it. A shared library is loaded by ctypes; where there was no linker to make one, the bare
object by LLVM. Machine code needs neither Numba nor LLVM, and serves whatever their versions are.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from solver.compilation.caches import cache_folder, close, is_own, make_own, named_folder, tell_unwritable

PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = PACKAGE / "machine"
"""Where a package that was built with its library has it."""
_CALLS = "solver.compilation.compiled"
_CONSTANTS = re.compile(r"^from solver\.([\w.]+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_TYPICAL_SECONDS = 40
"""s that compiling takes on a core of 2026, about: only the message to a person who waits says it."""


class LibraryError(RuntimeError):
    """The kernels cannot be compiled or loaded; the message says why."""


def kernel_folder() -> Path:
    """Where compiled kernels are kept: CADBRIDGE_KERNELS, else below CADBRIDGE_CACHE, else the user's cache folder."""
    return named_folder("CADBRIDGE_KERNELS") or cache_folder() / "kernels"


@cache
def sources() -> tuple[Path, ...]:
    """The files of which the library is made: those with kernels or tables, and those of the constants they use."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}
    found = {path for path, text in texts.items() if _CALLS in text and path.name != Path(__file__).name}
    for path in list(found):
        for module, several, one in _CONSTANTS.findall(texts[path]):
            names = [name.strip().split(" ")[0] for name in (several or one).split(",")]
            if any(name.isupper() for name in names):
                place = PACKAGE.joinpath(*module.split("."))
                found |= {place.with_suffix(".py"), place / "__init__.py"}
    return tuple(sorted(path for path in found if path in texts))


@cache
def stamp() -> str:
    """Hash of the kernels' sources, and of how they are compiled."""
    digest = hashlib.sha256((PACKAGE / "compilation" / "building.py").read_bytes())
    for path in sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def processor() -> str:
    """The kind of processor to compile for: of x86-64 the level, else what the machine calls itself."""
    machine = platform.machine().lower().replace("amd64", "x86_64")
    if machine != "x86_64":
        return machine
    from numpy._core._multiarray_umath import __cpu_features__ as features  # type: ignore[import-not-found]  # no stub

    # Not every NumPy lists BMI2; a processor that has the others has it.
    third = ("AVX2", "FMA3", "BMI2", "F16C")
    return "x86-64-v3" if all(features.get(name, name == "BMI2") for name in third) else "x86-64-v2"


def processors() -> tuple[str, ...]:
    """The kinds of processor that a package for this kind of machine serves."""
    return ("x86-64-v2", "x86-64-v3") if processor().startswith("x86-64") else (processor(),)


def name(kind: str | None = None) -> str:
    """What the library of these sources is called, without suffix, for a kind of processor (none: this one)."""
    return f"kernels-{stamp()}-{sys.platform}-{kind or processor()}"


_SUFFIXES = (".so", ".o")
_held: list[Any] = []


@cache
def _library() -> Callable[[str], Callable[[bytes], int]]:
    for folder in (SHIPPED, kernel_folder()):
        for suffix in _SUFFIXES:
            path = folder / (name() + suffix)
            if path.is_file() and (folder == SHIPPED or _is_taken(path)):
                try:
                    return opened(path)
                except (OSError, RuntimeError) as fault:
                    sys.stderr.write(f"solver: {path.name} cannot be loaded ({fault}); it is made anew.\n")
                    path.unlink(missing_ok=True)
    return opened(_made())


def _is_taken(path: Path) -> bool:
    """Whether a library that is kept is the user's own; else it is said, and it is made anew."""
    if is_own(path) and is_own(path.parent):
        return True
    sys.stderr.write(f"solver: {path} is not used: others can write it; it is made anew.\n")
    return False


def load(symbol: str) -> Callable[[bytes], int]:
    """The compiled entry of a symbol. Raises LibraryError where it cannot be made."""
    return _library()(symbol)


def opened(path: Path) -> Callable[[str], Callable[[bytes], int]]:
    """The entries of a library, by symbol."""
    if path.suffix == ".so":
        shared = ctypes.PyDLL(str(path))
        _held.append(shared)

        def find(symbol: str) -> Callable[[bytes], int]:
            found = getattr(shared, symbol)
            found.argtypes, found.restype = [ctypes.c_char_p], ctypes.c_int
            return found  # type: ignore[no-any-return]  # a symbol of ctypes

        return find
    return _opened_object(path.read_bytes())


def _opened_object(code: bytes) -> Callable[[str], Callable[[bytes], int]]:
    """The entries of an object that no linker has seen."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _held.append(engine)
    prototype = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_char_p)
    return lambda symbol: prototype(engine.get_function_address(symbol))


def _made() -> Path:
    """Make the library."""
    return build(writable_folder())


def writable_folder() -> Path:
    """The kernels' folder, made; where it is another's or cannot be written, one that goes with the process."""
    folder = kernel_folder()
    try:
        if not make_own(folder):
            raise PermissionError("it is another's, or others can write it")
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as fault:
        return _instead_of(folder, str(fault))


@cache
def _instead_of(folder: Path, fault: str) -> Path:
    tell_unwritable(folder, fault, "the solver's kernels serve this run alone")
    kept = tempfile.TemporaryDirectory(prefix="kernels-")
    _held.append(kept)
    return Path(kept.name)


def build(folder: Path) -> Path:
    """Compile the library into a folder, one process at a time; the file. Raises LibraryError with the reason."""
    import filelock

    target = folder / name()
    lock = filelock.FileLock(str(target) + ".lock")
    try:
        held = lock.acquire(timeout=0)
    except filelock.Timeout:
        sys.stderr.write("another process compiles the solver's kernels; this one waits for it\n")
        sys.stderr.flush()
        held = lock.acquire()
    with held:
        for kept in (target.with_name(target.name + suffix) for suffix in _SUFFIXES):
            if is_own(kept):
                return kept
            kept.unlink(missing_ok=True)
        sys.stderr.write(f"compiling the solver's kernels (once, about {_TYPICAL_SECONDS} s)\n")
        sys.stderr.flush()
        began = time.monotonic()
        (made,) = compile_into(folder, processor())
        close(made)
        sys.stderr.write(f"the solver's kernels are compiled ({time.monotonic() - began:.0f} s)\n")
    return made


_BUILD = "import sys; sys.path.insert(0, {!r}); from solver.compilation.building import main; main(*sys.argv[1:])"
"""The parent of the package leads, as an installation elsewhere may hold other sources of the same name. By the path,
not by PYTHONPATH: where pip builds, it takes out of there what an installed package names, such as these very sources.
"""


def compile_into(folder: Path, *kinds: str) -> list[Path]:
    """The libraries for some kinds of processor, compiled by a process of its own. Raises LibraryError."""
    # No module and no linker is looked for in the folder that the user stands in, which may be a stranger's.
    command = [sys.executable, "-P", "-c", _BUILD.format(str(PACKAGE.parent)), str(folder), *kinds]
    absolute = {
        name: [entry for entry in os.environ.get(name, "").split(os.pathsep) if os.path.isabs(entry)]
        for name in ("PATH", "PYTHONPATH")
    }
    paths = {name: os.pathsep.join(entries) for name, entries in absolute.items()}
    env = {**os.environ, **paths, "PYTHONSAFEPATH": "1", "NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode in (-signal.SIGINT, 128 + signal.SIGINT):
        raise KeyboardInterrupt
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise LibraryError("\n".join(["The solver's kernels do not compile.", *(f"    {s}" for s in lines[-25:])]))
    return [Path(line) for line in done.stdout.split("\n") if line]
