"""JSON from strangers: bounded, finite numbers only, with the lines in which names and keys stand."""

from __future__ import annotations

import difflib
import json
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from cadbridge.budget import refuse, refuse_file
from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector

LARGEST_IN_JSON = 1e12
"""Numbers of a larger magnitude are no lengths, angles, masses or ratios in mm, cm, g or degrees (JSON, Chrono).

Tighter than `bounds.LARGEST_READ`: those formats write no 1e30 for "no limit". A choice.
"""

ALIKE_KEYS = 0.8
"""How alike two keys are, as difflib counts (0 to 1), of which one may be a slip of the pen of the other.

Less than `xml.ALIKE_NAMES`: a key is held against those alone that were looked for in vain, not against all. One letter
more, or two exchanged, of six give 0.92 and 0.83.
"""

_STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"')


class _Object(dict[str, Any]):
    """An object of the file that notes which keys it is asked for, with all objects of the same keys."""

    __slots__ = ("asked",)
    asked: set[Any]

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key."""
        self.asked.add(key)
        return super().get(key, default)

    def __getitem__(self, key: Any) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: Any) -> bool:
        self.asked.add(key)
        return super().__contains__(key)


class JsonFile:
    """A JSON file: its content, and typed looks into it whose faults become findings.

    A value that cannot be read is CB181. Raises InputError (CB108, CB180) where it is no JSON.
    """

    def __init__(self, path: Path, findings: Findings) -> None:
        self.path, self.findings = path, findings
        self._asked: dict[tuple[str, ...], set[str]] = {}
        where = Where(file=str(path))
        refuse_file("JSON bytes", path, findings)
        try:
            self.text = path.read_text(encoding="utf-8-sig")
            # A value takes some hundred bytes where its text takes two: what they will need is bounded before any is
            # made.
            refuse("marks", self.text.count(",") + self.text.count(":"), path.name, findings, where)
            self.content: Any = json.loads(
                self.text, parse_constant=_no_number, parse_int=_integer, object_pairs_hook=self._object
            )
        except json.JSONDecodeError as fault:
            self._refuse(fault.msg, Where(str(path), fault.lineno, fault.colno))
        except (UnicodeDecodeError, ValueError) as fault:
            self._refuse(str(fault), where)
        except RecursionError:
            self._refuse("it is nested too deeply", where)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """An object; keys that stand twice in it are reported."""
        made = _Object(pairs)
        made.asked = self._asked.setdefault(tuple(made), set())
        if len(made) < len(pairs):
            twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
            self.findings.add(
                "CB1313", f"one object has the key {twice!r} twice", Where(file=str(self.path), item=twice)
            )
        return made

    def report_misspelt(self) -> None:
        """CB1319 for each key that was not read where one almost of its name was looked for in vain."""
        seen: set[tuple[str, str]] = set()
        for keys, asked in self._asked.items():
            missing = {key for key in asked.difference(keys) if isinstance(key, str)}
            for key in keys:
                if key in asked:
                    continue
                folded = [m.casefold() for m in missing]
                near = difflib.get_close_matches(key.casefold(), folded, n=1, cutoff=ALIKE_KEYS)
                meant = next((m for m in missing if near and m.casefold() == near[0]), None)
                if meant is not None and (key, meant) not in seen:
                    seen.add((key, meant))
                    self.say("CB1319", f"{key!r} is not read; {meant!r} was looked for beside it", key)

    def _refuse(self, why: str, where: Where) -> NoReturn:
        self.findings.add("CB180", f"{self.path.name} cannot be read: {why}", where)
        raise InputError(f"{self.path.name} is not JSON that can be read.", self.findings) from None

    @cached_property
    def _first_lines(self) -> dict[str, int]:
        """The line of the first occurrence of each string."""
        newlines = [m.start() for m in re.finditer("\n", self.text)]
        lines: dict[str, int] = {}
        for match in _STRINGS.finditer(self.text):
            if match[1] not in lines:
                lines[match[1]] = bisect_right(newlines, match.start()) + 1
        return lines

    def where(self, name: str | None = None, item: str | None = None) -> Where:
        """The place where a string (a name or an id) first stands; the file alone where it is not in it as such."""
        line = None if name is None else self._first_lines.get(name)
        return Where(str(self.path), line, None, item or name)

    def say(self, code: str, text: str, name: str | None = None, item: str | None = None) -> None:
        """Add a finding at a string of the file."""
        self.findings.add(code, text, self.where(name, item))

    def objects(self, value: Any, what: str) -> Iterator[dict[str, Any]]:
        """The objects of a list (nothing where there is none); a finding for anything else in its place."""
        if value is None:
            return
        if not isinstance(value, list):
            self.say("CB181", f"{what} is {_shown(value)}, not a list")
            return
        for i, item in enumerate(value):
            if isinstance(item, dict):
                yield item
            else:
                self.say("CB181", f"{what}[{i}] is {_shown(item)}, not an object")

    def mapping(self, value: Any, what: str) -> dict[str, Any]:
        """An object (empty where there is none); a finding and an empty one for anything else in its place."""
        if isinstance(value, dict):
            return value
        if value is not None:
            self.say("CB181", f"{what} is {_shown(value)}, not an object")
        return {}

    def vector(self, value: Any, count: int, what: str, name: str | None = None) -> Vector | None:
        """`count` finite numbers of a list; a finding and None where they cannot be read."""
        if isinstance(value, list) and len(value) == count and all(map(is_number, value)):
            return np.array(value, dtype=float)
        self.say("CB181", f"{what} is {_shown(value)}, not {count} numbers{_below(value)}", name)
        return None

    def number(self, value: Any, what: str, name: str | None = None) -> float | None:
        """A finite number; a finding and None where it is none."""
        if is_number(value):
            return float(value)
        self.say("CB181", f"{what} is {_shown(value)}, not a number{_below(value)}", name)
        return None


def is_number(value: Any) -> bool:
    """Whether a value is a finite number of a sensible size."""
    # True and False are integers in Python, and no lengths.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST_IN_JSON


def _below(value: Any) -> str:
    """The bound of numbers, where that is what a value breaks."""
    some = value if isinstance(value, list) else [value]
    huge = any(isinstance(v, int | float) and not (isinstance(v, bool) or is_number(v)) for v in some)
    return f" below {LARGEST_IN_JSON:g}" if huge else ""


def text_of(value: Any, default: str = "") -> str:
    """A string, `default` for anything else."""
    return value if isinstance(value, str) else default


def names_of(value: Any) -> tuple[str, ...] | None:
    """A list of strings; None for anything else."""
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number that JSON knows")


def _integer(word: str) -> int | float:
    # Python refuses to convert very long integers; as floats they are infinite and refused where they are used.
    return int(word) if len(word) < 300 else math.inf


def _shown(value: Any) -> str:
    text = "missing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "…"
