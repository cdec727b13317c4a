"""The catalogue of finding codes: a file for each subject declares its families; all of them make one table."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

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


FAMILIES: tuple[Family, ...] = tuple(_declared())
CATALOGUE: dict[str, Code] = _table(FAMILIES)
FORMER: dict[str, str] = {old: code.code for code in CATALOGUE.values() for old in code.formerly}
"""The code that says today what a code of an earlier version said."""
