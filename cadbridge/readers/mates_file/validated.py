"""Data of a file of ours against its model: all faults at once, each at its line and column."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from cadbridge.findings import Findings, Where
from cadbridge.readers.kinds import other_kind
from cadbridge.readers.mates_file.document import Reporter, keys_at
from cadbridge.readers.mates_file.positions import Place, load_yaml
from cadbridge.readers.registry import openable

Kind = TypeVar("Kind", bound=BaseModel)
_FORM = re.compile(r"<[a-z ]+>")
"""The name of a form that a value may have."""
ROUNDS = 4
"""What is left out can uncover a fault of what holds it, a few times."""


def load_spec(kind: type[Kind], path: Path, findings: Findings, code: str) -> tuple[Kind | None, Place]:
    """A YAML file of ours as its model, and the places in it; see `validated`. None where it is no YAML."""
    yaml = load_yaml(openable(path), findings, str(path))
    if findings.errors:
        return None, yaml.places
    return validated(kind, yaml.data, yaml.places, str(path), findings, code), yaml.places


def validated(kind: type[Kind], data: object, places: Place, file: str, findings: Findings, code: str) -> Kind | None:
    """Data as a model of the file, with a finding (`code`) for each fault at its line and column.

    What is at fault is left out of the model, so that faults of names and values in the rest are found too; None where
    nothing of it can be used. The names of forms that a value may have begin with "<"; they are no keys, and a message
    leaves them out.
    """
    own = get_args(kind.model_fields["format"].annotation)[0]
    if not isinstance(data, dict):
        findings.add(code, f"the file is no mapping with `format: {own}` at its top", Where(file, places.line))
        return None
    if other := other_kind(data.get("format"), own, file):
        findings.add(code, other[0], Where(file, *places.find(("format",))), other[1])
        return None
    # A section with nothing below its key is an empty one.
    data = deepcopy({key: value for key, value in data.items() if value is not None})
    reporter = Reporter(findings, file, places, kind, unknown_key=code, faulty=code, names=_item_names(data))
    reported: set[tuple[int | str, ...]] = set()
    for _ in range(ROUNDS):
        try:
            spec = kind.model_validate(data)
        except ValidationError as error:
            for fault in error.errors(include_url=False, include_context=True):
                loc = tuple(step for step in fault["loc"] if isinstance(step, int) or not _FORM.fullmatch(step))
                loc = loc or fault["loc"]  # a key of the file may look like the name of a form
                if all(before[: len(loc)] != loc for before in reported):
                    reporter(loc, fault)
                reported.add(loc)
                _leave_out(data, loc, keys_at(loc, kind) if fault["type"] == "extra_forbidden" else ())
            data["format"] = own
        else:
            reporter.count_the_rest()
            return spec
    reporter.count_the_rest()
    return None


def _leave_out(data: dict[str, Any], loc: tuple[int | str, ...], known: Collection[str]) -> None:
    """Take the value at fault out, or the smallest value of a key around it; a misspelt key stands for the nearest."""
    holders: list[Any] = [data]
    for step in loc[:-1]:
        if not isinstance(step, int) and step not in holders[-1]:
            return  # gone with another fault
        holders.append(holders[-1][step])
    for holder, key in zip(reversed(holders), reversed(loc), strict=True):
        if isinstance(holder, dict) and key in holder:
            value = holder.pop(key)
            meant = difflib.get_close_matches(str(key)[:100], known, n=1)
            if meant:
                holder.setdefault(meant[0], value)
            return


def _item_names(data: dict[str, object]) -> dict[tuple[int | str, ...], str]:
    """What the items of lists are called in a message, counted from 1: "motor 1"; of other keys nothing."""
    lists = [(key, value) for key, value in data.items() if isinstance(value, list)]
    return {(key, i): f"{_ONE_OF.get(key, key)} {i + 1}" for key, value in lists for i in range(len(value))}


_ONE_OF = {"motors": "motor", "events": "event", "bodies": "body", "actuators": "actuator"}
