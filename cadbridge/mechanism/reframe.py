"""The same primitive for other units: new indices, points and directions in their frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from cadbridge.frames import Pose
from solver.constraints import Coordinate, Coupler, Primitive

Place = Callable[[int], tuple[int, Pose]]
"""Of a unit: the new unit's index, and X_NC, the pose of the old unit's frame C in the new one's N."""

Sided = TypeVar("Sided", Primitive, Coordinate)


def reframed(item: Sided, place: Place) -> Sided:
    """A primitive or coordinate with its units replaced; what it holds stays the same."""
    changes: dict[str, Any] = {}
    if isinstance(item, Coupler):
        changes["terms"] = tuple((k, reframed(c, place)) for k, c in item.terms)
    for name in _names(item):
        if isinstance(value := getattr(item, name), Coordinate):
            changes[name] = reframed(value, place)
    for side in ("a", "b"):
        index, X = place(getattr(item, side))
        changes[side] = index
        for name in _names(item):
            if name.endswith(f"_{side}"):
                value = getattr(item, name)
                changes[name] = X.point(value) if name.startswith("point") else X.vector(value)
    return _changed(item, changes)


def renumbered(item: Sided, index: Mapping[int, int]) -> Sided:
    """A primitive or coordinate of other units that have the same frames."""
    changes: dict[str, Any] = {"a": index[item.a], "b": index[item.b]}
    if isinstance(item, Coupler):
        changes["terms"] = tuple((k, renumbered(c, index)) for k, c in item.terms)
    for name in _names(item):
        if isinstance(value := getattr(item, name), Coordinate):
            changes[name] = renumbered(value, index)
    return _changed(item, changes)


def _changed(item: Sided, changes: dict[str, Any]) -> Sided:
    """As `dataclasses.replace`, which checks all again and takes many times as long."""
    new = object.__new__(type(item))
    new.__dict__.update({name: getattr(item, name) for name in _names(item)} | changes)
    return new


_FIELDS: dict[type[Any], tuple[str, ...]] = {}
"""By type: reflecting on each of many thousand primitives takes longer than turning it."""


def _names(item: Primitive | Coordinate) -> tuple[str, ...]:
    """The fields of a primitive."""
    kind = type(item)
    if kind not in _FIELDS:
        _FIELDS[kind] = tuple(field.name for field in fields(item))
    return _FIELDS[kind]
