"""The catalogue of finding codes: a file for each subject declares its families; all of them make one table."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from cadbridge.catalogue.entry import Code, Entry, Family, Severity, Stage

__all__ = ["CATALOGUE", "FAMILIES", "FORMER", "Code", "Entry", "Family", "Severity", "Stage"]


def _declared() -> Iterator[Family]:
    """The families of all files of this folder, by the names of the files."""
    for module in sorted(iter_modules(__path__), key=lambda m: m.name):
        yield from getattr(import_module(f"{__name__}.{module.name}"), "FAMILIES", ())


def _table(families: tuple[Family, ...]) -> dict[str, Code]:
    table: dict[str, Code] = {}
    for family in families:
        for code in family.codes():
            if code.code in table:
                raise KeyError(f"finding code {code.code} is used twice")
            table[code.code] = code
    return table


FAMILIES: tuple[Family, ...]
CATALOGUE: dict[str, Code]
FORMER: dict[str, str]
"""The code that says today what a code of an earlier version said."""


def __getattr__(name: str) -> Any:
    """The tables, made when the first of them is asked for.

    Every child process and `cadbridge --help` load the severities, and few of them a finding: the text of all codes
    would be a third of what they import.
    """
    if name not in ("CATALOGUE", "FAMILIES", "FORMER"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    families = tuple(_declared())
    table = _table(families)
    former = {old: code.code for code in table.values() for old in code.formerly}
    globals().update(FAMILIES=families, CATALOGUE=table, FORMER=former)
    return globals()[name]
