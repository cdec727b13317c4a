"""Data of a file of ours against its model: all faults at once, each at its line and column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from cadbridge.findings import Findings, Where
from cadbridge.readers.kinds import other_kind
from cadbridge.readers.mates_file.document import Reporter, keys_at
from cadbridge.readers.mates_file.positions import TextPlace, load_yaml
from cadbridge.readers.registry import openable

Kind = TypeVar("Kind", bound=BaseModel)
Steps = tuple[int | str, ...]
"""A path in the data: keys of mappings, positions in lists."""
_FORM = re.compile(r"<[a-z ]+>")
"""The name of a form that a value may have."""
MOST_VALIDATIONS = 4
"""What is left out can uncover a fault of what holds it: a value, its mapping, its list, its section.

Where faults remain after so many, nothing of the file is used.
"""


def load_spec(kind: type[Kind], path: Path, findings: Findings, code: str) -> tuple[Kind | None, TextPlace]:
    """A YAML file of ours as its model, and the places in it; see `validated`. None where it is no YAML."""
    yaml = load_yaml(openable(path), findings, str(path))
    if findings.errors:
        return None, yaml.places
    return validated(kind, yaml.data, yaml.places, str(path), findings, code)


def validated(
    kind: type[Kind], data: object, places: TextPlace, file: str, findings: Findings, code: str
) -> tuple[Kind | None, TextPlace]:
    """Data as a model of the file, with a finding (`code`) for each fault at its line and column, and its places.

    What is at fault is left out of the model and of the places, so that faults of names and values in the rest are
    found too; None where nothing of it can be used. The names of forms that a value may have begin with "<"; they are
    no keys, and a message leaves them out.
    """
    own = get_args(kind.model_fields["format"].annotation)[0]
    if not isinstance(data, dict):
        findings.add(code, f"the file is not a mapping with `format: {own}` at its top", Where(file, places.line))
        return None, places
    if other := other_kind(data.get("format"), own, file):
        findings.add(code, other[0], Where(file, *places.find(("format",))), other[1])
        return None, places
    # A section with nothing below its key is an empty one.
    rest = _Rest({key: value for key, value in data.items() if value is not None})
    if "format" not in rest.data:
        findings.add(code, f"the file has no `format: {own}` at its top", Where(file, places.line))
        rest.data["format"] = own
    reporter = Reporter(findings, file, places, kind, unknown_key=code, faulty=code, names=_item_names(rest.data))
    known: set[Steps] = set()
    for _ in range(MOST_VALIDATIONS):
        try:
            spec = kind.model_validate(rest.data)
        except ValidationError as error:
            earlier = frozenset(known)
            for fault in error.errors(include_url=False, include_context=True):
                loc = tuple(step for step in fault["loc"] if isinstance(step, int) or not _FORM.fullmatch(step))
                loc = loc or fault["loc"]  # a key of the file may look like the name of a form
                written = rest.written(loc)
                # What is missing beside a value that was left out may be of a form that the mapping has not.
                beside = written[:-1] if fault["type"] == "missing" else written
                if not (_within(beside, earlier) or _within(written, known)):
                    reporter(written, fault)
                known.add(written)
                rest.leave_out(loc, keys_at(loc, kind) if fault["type"] == "extra_forbidden" else ())
            # Only after all faults of this round: their paths count positions that a removal would shift.
            rest.close_up()
            rest.data["format"] = own
        else:
            reporter.count_the_rest()
            return spec, rest.places(places)
    reporter.count_the_rest()
    return None, places


def _within(path: Steps, known: Collection[Steps]) -> bool:
    """Whether a fault of the value at a path, or of what is in it, was reported."""
    return any(before[: len(path)] == path for before in known)


class _Rest:
    """What of a file's data has no fault so far.

    An entry of a list goes as a whole where it lacks a key; `_rows` knows, by the path of the list in the file, at
    which positions of the file the entries stand that it kept.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data: dict[str, Any] = _copied(data)
        self._rows: dict[Steps, list[int]] = {}
        self._gone: dict[Steps, set[int]] = {}

    def written(self, loc: Steps) -> Steps:
        """The path in the file of a value that stands in the data at `loc`."""
        path: Steps = ()
        for step in loc:
            path += (self._rows[path][step] if isinstance(step, int) and path in self._rows else step,)
        return path

    def leave_out(self, loc: Steps, known: Collection[str]) -> None:
        """Take out the value at fault, or the smallest value of a key or entry of a list of mappings around it.

        Entries go at `close_up`, so that the paths of other faults stay. A misspelt key stands for the nearest.
        """
        holders: list[Any] = [self.data]
        for step in loc[:-1]:
            if not isinstance(step, int) and step not in holders[-1]:
                return  # gone with another fault
            holders.append(holders[-1][step])
        for depth, (holder, key) in reversed(list(enumerate(zip(holders, loc, strict=True)))):
            if isinstance(holder, dict) and key in holder:
                value = holder.pop(key)
                meant = difflib.get_close_matches(str(key)[:100], known, n=1)
                if meant:
                    holder.setdefault(meant[0], value)
                return
            if isinstance(key, int) and any(isinstance(entry, dict) for entry in holder):
                self._gone.setdefault(loc[:depth], set()).add(key)
                return

    def close_up(self) -> None:
        """Take out the entries that are to be left out."""
        # Inner lists first, by paths that hold until the lists around them close up.
        for loc in sorted(self._gone, key=len, reverse=True):
            holder: Any = self.data
            for step in loc:
                if not isinstance(step, int) and step not in holder:
                    break  # gone with another fault
                holder = holder[step]
            else:
                path = self.written(loc)
                kept = [i for i in range(len(holder)) if i not in self._gone[loc]]
                rows = self._rows.get(path, list(range(len(holder))))
                self._rows[path] = [rows[i] for i in kept]
                holder[:] = [holder[i] for i in kept]
        self._gone = {}

    def places(self, places: TextPlace, path: Steps = ()) -> TextPlace:
        """The places of the data, of those of the file."""
        if not any(rows[: len(path)] == path for rows in self._rows):
            return places
        here = TextPlace(places.line, places.column)  # data made in Python has no places, but numbers
        below = {rows[len(path)]: here for rows in self._rows if len(rows) > len(path) and rows[: len(path)] == path}
        children = {key: self.places(child, (*path, key)) for key, child in {**below, **places.children}.items()}
        rows = self._rows.get(path)
        if rows is not None:
            children = {i: children[row] for i, row in enumerate(rows) if row in children}
        return replace(places, children=children, rows=rows)


def _copied(value: Any) -> Any:
    """A copy in which what an alias of the file repeats is there as often as it stands there."""
    if isinstance(value, dict):
        return {key: _copied(held) for key, held in value.items()}
    return [_copied(held) for held in value] if isinstance(value, list) else value


def _item_names(data: dict[str, object]) -> dict[Steps, str]:
    """What the items of lists are called in a message, counted from 1: "motor 1"; of other keys nothing."""
    lists = [(key, value) for key, value in data.items() if isinstance(value, list)]
    return {(key, i): f"{_ONE_OF.get(key, key)} {i + 1}" for key, value in lists for i in range(len(value))}


_ONE_OF = {"motors": "motor", "events": "event", "bodies": "body", "actuators": "actuator"}
