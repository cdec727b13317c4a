"""The user's folder of caches, and what is taken from it: the user's own and nobody else's, as ssh takes keys.

What lies there is run (machine code) or believed (answers). A folder where the user stands may be a stranger's, and
what others can write may be anybody's.
"""

from __future__ import annotations

import contextlib
import os
import sys
from functools import cache
from pathlib import Path

_WRITABLE_BY_OTHERS = 0o022
"""Bits of a file's mode (020 | 002): its group or everybody may write. Compiled code from such a file is not run."""


def cache_folder() -> Path:
    """CADBRIDGE_CACHE, where that is a whole path; else the user's folder of caches."""
    named = named_folder("CADBRIDGE_CACHE")
    if named is not None:
        return named
    import platformdirs

    usual = Path(platformdirs.user_cache_dir("cadbridge", appauthor=False))
    return usual if usual.is_absolute() else Path.home() / ".cache" / "cadbridge"


@cache
def _tell(name: str, value: str) -> None:
    sys.stderr.write(
        f"{name}={value} is not an absolute path and is not used: it would mean a folder where you stand.\n"
    )


def named_folder(variable: str) -> Path | None:
    """The folder that a variable of the environment names; None where it is unset, empty or no whole path."""
    value = os.environ.get(variable, "")
    if value and not os.path.isabs(value):
        _tell(variable, value)
        return None
    return Path(value) if value else None


def is_own(path: Path) -> bool:
    """Whether a file or folder is the user's (or the machine's) own, and nobody else can write it."""
    if not hasattr(os, "geteuid"):
        return True
    try:
        state = path.stat()
    except OSError:
        return False
    return state.st_uid in (0, os.geteuid()) and not state.st_mode & _WRITABLE_BY_OTHERS


def is_writable(folder: Path) -> bool:
    """Whether files can be made in a folder, or it in the nearest one that exists; nothing is made to find out."""
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


@cache
def tell_unwritable(folder: Path, fault: str, therefore: str) -> None:
    """Say once that a folder of caches cannot be written, what follows, and how it is changed."""
    sys.stderr.write(f"{folder} cannot be written ({fault}): {therefore}. CADBRIDGE_CACHE may name another folder.\n")


def make_own(folder: Path) -> bool:
    """Make a folder of the user's own, or take others' leave to write where it is; whether it is the user's own then.

    OSError where it cannot be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close(folder)
    return is_own(folder)


def close(path: Path) -> None:
    """Let nobody else write a file or folder, where it is the user's."""
    with contextlib.suppress(OSError):
        mode = path.stat().st_mode
        if mode & _WRITABLE_BY_OTHERS:
            path.chmod(mode & 0o7777 & ~_WRITABLE_BY_OTHERS)
