"""How the innermost kernels are compiled.

A kernel gets all its arrays from its caller and makes none. Compiled without Numba's runtime it counts no references,
which otherwise took more than half of the time of a small mechanism: each call counted each array of each table up and
down. Numba refuses to compile a kernel that would make an array.
"""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba import njit
from numba.core.caching import CacheImpl, _CacheLocator

PACKAGE = Path(__file__).parent


def kernel_folder() -> Path:
    """Where compiled kernels are kept: in the folder CADBRIDGE_CACHE, else in the user's cache folder."""
    base = os.environ.get("CADBRIDGE_CACHE") or platformdirs.user_cache_dir("cadbridge", appauthor=False)
    return Path(base) / "kernels"


@cache
def sources_hash(package: Path = PACKAGE) -> str:
    """Hash of all sources of a package and of the versions that compile them.

    Numba compares a function's own file alone, so it would go on with code of functions that it calls, or inlined, as
    they were before. The content decides, not the time: a new checkout of the same sources compiles nothing.
    """
    digest = hashlib.sha256(f"{sys.version} {numba.__version__}".encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


class _BySources(_CacheLocator):  # type: ignore[misc]
    """Keeps the kernels of the solver in one folder for each state of its sources."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._line = py_func.__code__.co_firstlineno
        self._room = ".".join(Path(py_file).resolve().relative_to(PACKAGE.resolve()).with_suffix("").parts)

    def get_cache_path(self) -> str:
        return str(kernel_folder() / sources_hash() / self._room)

    def get_source_stamp(self) -> str:
        return sources_hash()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _BySources | None:
        """The locator of a function of this package; None for others, and where nothing can be written."""
        if not Path(py_file).resolve().is_relative_to(PACKAGE.resolve()):
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


if _BySources not in CacheImpl._locator_classes:
    CacheImpl._locator_classes.insert(0, _BySources)

kernel: Any = njit(cache=True, error_model="numpy", _nrt=False)
"""For functions that neither make nor return arrays."""

inlined: Any = njit(cache=True, error_model="numpy", inline="always")
"""For functions that do little but call others: handing all tables on costs as much as what a small mechanism needs."""

making: Any = njit(cache=True, error_model="numpy", _nrt=True)
"""For functions that kernels call and that make arrays of their own, where that is rare."""
