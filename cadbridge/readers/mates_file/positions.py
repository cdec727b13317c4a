"""YAML to plain data that remembers its lines and columns.

The events of PyYAML's C parser are put together here, without recursion: nesting, aliases and size
have limits, keys are text and given once. Scalars follow YAML 1.2's core schema (so `1e-3` is a
number and `y`, `on`, `12:30` are text), which is what people who write lengths expect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml
from yaml.cyaml import CBaseLoader

from cadbridge.budget import beyond
from cadbridge.findings import Findings, Where

DEEPEST_YAML = 32
"""Mappings and lists within one another. Our files have some six; each costs Python's recursion when it is used."""

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    ".nan": float("nan"), ".NaN": float("nan"), ".NAN": float("nan"),
    ".inf": float("inf"), "+.inf": float("inf"), "-.inf": float("-inf"),
}  # fmt: skip
_PLAIN_TAGS = (None, "!", *(f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map")))


class _Stop(Exception):  # noqa: N818 - no error of its own: it unwinds to the one that reports
    """The file cannot be read further; the finding is made."""


_NOTHING: Any = MappingProxyType({})
"""What a scalar holds."""


@dataclass(slots=True)
class TextPlace:
    """Where a value is: line and column from 1, the places of what it holds, and of its keys.

    `rows` of a list from which entries were left out: the positions in the file of the others.
    """

    line: int
    column: int
    children: dict[Any, TextPlace] = field(default_factory=lambda: _NOTHING)
    keys: dict[str, tuple[int, int]] = field(default_factory=lambda: _NOTHING)
    size: int = 1
    rows: list[int] | None = None

    def find(self, path: Sequence[str | int], key: bool = False) -> tuple[int, int]:
        """Line and column of the value at a path; steps that do not exist are passed over.

        `key` gives the place of the last step's key instead of its value.
        """
        here, place = self, (self.line, self.column)
        for step in path:
            if step in here.children:
                place = here.keys.get(step, place) if key and isinstance(step, str) else place
                here = here.children[step]
                if not key or not isinstance(step, str):
                    place = (here.line, here.column)
        return place

    def number(self, path: Sequence[str | int]) -> int:
        """Which one of its list in the file the entry at a path is, from 1."""
        here, last = self, path[-1]
        for step in path[:-1]:
            here = here.children.get(step, _NOWHERE)
        return (int(last) if here.rows is None else here.rows[int(last)]) + 1


_NOWHERE = TextPlace(0, 0)


@dataclass(frozen=True)
class Yaml:
    """The data of a file and where each value is; `data` is None where nothing could be read."""

    data: Any
    places: TextPlace


def load_yaml(path: Path, findings: Findings, file: str) -> Yaml:
    """Read a YAML file; every fault is a finding with line and column."""
    if _too_large(path.stat().st_size, findings, file):
        return Yaml(None, TextPlace(1, 1))
    return parse_yaml(path.read_bytes(), findings, file)


def parse_yaml(content: bytes, findings: Findings, file: str) -> Yaml:
    """As `load_yaml`, of the content of a file."""
    nothing = Yaml(None, TextPlace(1, 1))
    if _too_large(len(content), findings, file):
        return nothing
    try:
        return _Builder(content, findings, file).build()
    except _Stop:
        return nothing
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = Where(file=file, line=mark.line + 1, column=mark.column + 1) if mark else Where(file=file)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        if "maximum nesting" in problem:  # LibYAML from 0.2.6 on: at 1,000 levels, before it hands over an event
            findings.add("CB142", f"nested deeper than {DEEPEST_YAML} levels", where)
        else:
            findings.add("CB140", f"not YAML: {' '.join(str(problem).split())}", where)
        return nothing


def _too_large(size: int, findings: Findings, file: str) -> bool:
    why = beyond("YAML bytes", size, Path(file).name)
    if why:
        findings.add("CB108", why, Where(file=file))
    return bool(why)


def scalar(text: str) -> Any:
    """The value of a plain scalar by YAML 1.2's core schema."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _INT.fullmatch(text):
        # Python refuses to turn thousands of digits into a number; no length or count has them.
        return int(text) if len(text) < 400 else float("inf")
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


class _Builder:
    """Puts events together into data and places."""

    def __init__(self, content: bytes, findings: Findings, file: str) -> None:
        self.loader = CBaseLoader(content)
        self.findings = findings
        self.file = file
        # Open collections, innermost last: (data, place, key that waits for its value, anchor).
        self.open: list[list[Any]] = []
        self.anchors: dict[str, tuple[Any, TextPlace] | None] = {}
        self.root: Yaml | None = None
        self.documents = 0

    def build(self) -> Yaml:
        """All events to the end of the stream."""
        take: dict[type, Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }
        try:
            while (event := self.loader.get_event()) is not None:
                if (step := take.get(type(event))) is not None:
                    step(event)
        finally:
            self.loader.dispose()
        return self.root or Yaml(None, TextPlace(1, 1))

    def _scalar(self, event: Any) -> None:
        self._check_tag(event)
        # A scalar in quotes is text, whatever it looks like.
        plain = event.implicit[0] and not event.style
        self._close(scalar(event.value) if plain else event.value, self._place(event), event.anchor)

    def _open(self, event: Any) -> None:
        self._check_tag(event)
        if len(self.open) >= DEEPEST_YAML:
            self._stop("CB142", f"nested deeper than {DEEPEST_YAML} levels", event)
        if event.anchor:
            self.anchors[event.anchor] = None
        empty: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        place = self._place(event)
        self.open.append([empty, TextPlace(place.line, place.column, {}, {}), _NO_KEY, event.anchor])

    def _end(self, event: Any) -> None:
        data, place, _, anchor = self.open.pop()
        self._close(data, place, anchor)

    def _document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            self._stop("CB140", "a second document begins here; a mates file has one", event)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            self._stop("CB140", f"not YAML: the alias *{event.anchor} has no anchor", event)
        known = self.anchors[event.anchor]
        if known is None:
            self._stop("CB142", f"*{event.anchor} stands inside &{event.anchor}: it contains itself", event)
            return
        data, place = known
        self._close(data, place, None)

    def _close(self, data: Any, place: TextPlace, anchor: str | None) -> None:
        """Hand a complete value to what holds it."""
        # An alias counts as much as it repeats: nine lists of nine aliases each, nine levels deep, are a billion
        # values.
        if why := beyond("YAML values", place.size, "this"):
            self._stop("CB142", why, place)
        if anchor:
            self.anchors[anchor] = (data, place)
        if not self.open:
            self.root = Yaml(data, place)
            return
        holder = self.open[-1]
        held, held_place, key, _ = holder
        if isinstance(held, list):
            held_place.children[len(held)] = place
            held_place.size += place.size
            held.append(data)
        elif key is _NO_KEY:
            holder[2] = self._key(data, place, held_place)
        else:
            holder[2] = _NO_KEY
            held_place.size += place.size
            if key is not None:
                held[key] = data
                held_place.children[key] = place

    def _key(self, data: Any, place: TextPlace, holder: TextPlace) -> str | None:
        """The key, or None where its value is to be left out, with a finding."""
        where = Where(file=self.file, line=place.line, column=place.column)
        if not isinstance(data, str):
            shown = "a list or mapping" if isinstance(data, (list, dict)) else str(data)[:40]
            self.findings.add("CB143", f"a key is not text but {shown}; write it in quotes", where)
            return None
        if data in holder.keys:
            line, column = holder.keys[data]
            self.findings.add("CB143", f"{data!r} is given twice, first at {line}:{column}", where)
            return None
        holder.keys[data] = (place.line, place.column)
        return data

    def _check_tag(self, event: Any) -> None:
        if event.tag not in _PLAIN_TAGS:
            place = self._place(event)
            where = Where(file=self.file, line=place.line, column=place.column)
            self.findings.add("CB140", f"the tag {event.tag[:60]} has no meaning here", where)

    @staticmethod
    def _place(event: Any) -> TextPlace:
        mark = event.start_mark
        return TextPlace(mark.line + 1, mark.column + 1)

    def _stop(self, code: str, message: str, at: Any) -> None:
        place = at if isinstance(at, TextPlace) else self._place(at)
        self.findings.add(code, message, Where(file=self.file, line=place.line, column=place.column))
        raise _Stop


_NO_KEY: Any = object()
