"""How results print: one line each, and in a notebook a picture or a short table."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

PAINTER = "cadbridge.report.notebook"
"""The module that draws. The report stands above all data, so it is named, not imported: only a notebook loads it."""


class _Painter(Protocol):
    def notebook_html(self, thing: object) -> str: ...


class Shown:
    """A result that prints as one line. `__repr__` stands in the class; a notebook asks for `_repr_html_`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        painter: _Painter = import_module(PAINTER)
        return painter.notebook_html(self)


def sentence(kind: str, name: str, *facts: str) -> str:
    """The line of an object: "<Joint 'J1': revolute, base – link>"; empty facts are left out, long names are cut."""
    shown = f" {name[:80]!r}" if name else ""
    summary = ", ".join(fact for fact in facts if fact)
    return f"<{kind}{shown}{': ' if summary else ''}{summary}>"
