"""Places in a document of mappings and lists: found by a path, and given another value in a copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cadbridge.readers.mates_file.document import nearest
from cadbridge.sweeps.model import Step

_NAMES = ("name", "joint", "component")
"""Keys by which an entry of a list is called."""


def resolved(document: Any, steps: Sequence[Step]) -> tuple[tuple[Step, ...], str]:
    """The keys and indices that a path means, and a fault ("" where there is none).

    A step into a list is a number from 1, or the entry's name (or joint). Keys that are not there are taken as they
    stand: whoever reads the document decides whether they can be.
    """
    path: list[Step] = []
    here = document
    for step in steps:
        if isinstance(here, list):
            index = _index(here, step)
            if index is None:
                return (), f"{'.'.join(map(str, path)) or 'the document'} has no entry {step}{_choices(here, step)}"
            path.append(index)
            here = here[index]
        elif isinstance(here, Mapping) or here is None:
            path.append(str(step))
            here = here.get(str(step)) if here is not None else None
        else:
            return (), f"{'.'.join(map(str, path))} is {here!r}, which holds nothing"
    return tuple(path), "" if path else "a path is empty"


def _index(entries: list[Any], step: Step) -> int | None:
    named = [i for i, e in enumerate(entries) if isinstance(e, Mapping) and str(step) in _called(e)]
    if len(named) == 1:
        return named[0]
    text = str(step)
    return int(text) - 1 if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= len(entries) else None


def _called(entry: Mapping[str, Any]) -> list[str]:
    return [entry[key] for key in _NAMES if isinstance(entry.get(key), str)]


def _choices(entries: list[Any], step: Step) -> str:
    names = [name for e in entries if isinstance(e, Mapping) for name in _called(e)]
    return nearest(str(step), names) or f"; it has {len(entries)}, counted from 1"


def value_at(document: Any, path: Sequence[Step]) -> Any:
    """The value at a path, None where there is none."""
    here = document
    for step in path:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            return None
    return here


def placed(document: Any, path: Sequence[Step], value: Any) -> Any:
    """A copy of a document with another value at a path; what the value's place lacks above it is made."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        copy = list(document)
        copy[step] = placed(copy[step], rest, value)
        return copy
    inner = dict(document or {})
    inner[step] = placed(inner.get(step), rest, value)
    return inner
