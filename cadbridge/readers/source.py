"""A file that is being read: where in it something stands, and what is said of that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.readers.bounds import LARGEST_READ
from cadbridge.readers.xml import Element, numbers, unquoted

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, 0 to 1."""

At = TypeVar("At")
"""A place of a file: an element, a node, a line."""


class Source(Generic[At]):
    """A file and the findings about it. A reader's own context adds what its steps share."""

    path: Path
    findings: Findings

    def line_of(self, at: At) -> int | None:
        """The line of a place."""
        raise NotImplementedError

    def file_of(self, at: At) -> Path:
        """The file that holds a place."""
        return self.path

    def where(self, at: At, item: str | None = None) -> Where:
        """A place, and the item that is spoken of."""
        return Where(str(self.file_of(at)), self.line_of(at), None, item)

    def say(self, code: str, text: str, at: At, item: str | None = None, hint: str | None = None) -> None:
        """Add a finding at a place."""
        self.findings.add(code, text, self.where(at, item), hint)


class XmlSource(Source[Element]):
    """An XML file."""

    def line_of(self, at: Element) -> int | None:
        """The line of an element."""
        line: int | None = at.sourceline
        return line

    def numbers(
        self, text: str | None, count: int, what: str, at: Element, item: str, lenient: bool = False
    ) -> Vector | None:
        """`count` finite numbers (count,) of a text; a finding that says `what` it is, and None, if it holds others.

        A `lenient` format has readers that take quotes and commas among them, which is a finding.
        """
        found, shown = numbers(text, count), (text or "")[:60].strip()
        if found is None and lenient and (found := numbers(unquoted(text), count)) is not None:
            self.say("CB1923", f"{item}: {what} is {shown!r}", at, item)
        if found is None:
            asked = "a number" if count == 1 else f"{count} numbers"
            self.say("CB181", f"{item}: {what} is {shown!r}, not {asked} below {LARGEST_READ:g}", at, item)
            return None
        return np.array(found)

    def colour(self, text: str | None, at: Element, item: str, opaque: bool = False) -> Colour | None:
        """A colour of four numbers from 0 to 1, where `opaque` also of three; the nearest one, and told, of others."""
        found = numbers(text, 4) or (numbers(f"{text} 1", 4) if opaque else None)
        nearest = None if found is None else within(found)
        if nearest != found or found is None:
            shown = "missing" if text is None else repr(text[:60].strip())
            # One macro or material colours many links: the value is told once.
            if shown not in self._colours_told:
                self.say("CB1320", f"{item}: its colour is {shown}, {_instead(nearest, opaque)}", at, item)
            self._colours_told.add(shown)
        return nearest

    @cached_property
    def _colours_told(self) -> set[str]:
        return set()


def within(colour: Sequence[float]) -> Colour:
    """The colour of numbers from 0 to 1 that is nearest."""
    red, green, blue, alpha = (min(max(float(v), 0.0), 1.0) for v in colour)
    return red, green, blue, alpha


def _instead(nearest: Colour | None, opaque: bool) -> str:
    """What is taken of a colour that is none."""
    if nearest is None:
        return f"not {'three or four' if opaque else 'four'} numbers from 0 to 1; it is left out"
    return f"not numbers from 0 to 1; {' '.join(f'{v:g}' for v in nearest)} is taken"
