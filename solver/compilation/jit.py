"""Numba's `njit` for what is compiled when it is first called, kept by the content of the solver's sources.

What is called often belongs to the library (`solver.compilation.compiled`): importing this imports Numba.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import CacheImpl, _CacheLocator

import solver.compilation.building  # noqa: F401 - teaches Numba what tables are
from solver.compilation.library import PACKAGE, writable_folder

F = TypeVar("F", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[F], F]:
    """Numba's `njit`, which keeps a function's type: what it compiles is called as the function is."""
    return numba.njit(**options)  # type: ignore[no-any-return]  # Numba has no types


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


class _BySources(_CacheLocator):  # type: ignore[misc]  # Numba has no types
    """Keeps the kernels of the solver in one folder for each state of its sources."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._folder = writable_folder() / sources_hash()
        self._line = py_func.__code__.co_firstlineno
        self._room = ".".join(Path(py_file).resolve().relative_to(PACKAGE.resolve()).with_suffix("").parts)

    def get_cache_path(self) -> str:
        return str(self._folder / self._room)

    def get_source_stamp(self) -> str:
        return sources_hash()

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _BySources | None:
        """The locator of a function of this package; None for others."""
        if not Path(py_file).resolve().is_relative_to(PACKAGE.resolve()):
            return None
        locator = cls(py_func, py_file)
        locator.ensure_cache_path()
        return locator


# Before Numba's own locators, the first that serves being taken.
if _BySources not in CacheImpl._locator_classes:
    CacheImpl._locator_classes.insert(0, _BySources)
