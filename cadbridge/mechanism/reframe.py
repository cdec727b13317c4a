"""The same primitive, said of other units: new indices, points and directions in their frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
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
    for field in fields(item):
        if isinstance(value := getattr(item, field.name), Coordinate):
            changes[field.name] = reframed(value, place)
    for side in ("a", "b"):
        index, X = place(getattr(item, side))
        changes[side] = index
        for field in fields(item):
            if field.name.endswith(f"_{side}") and field.name != side:
                value = getattr(item, field.name)
                changes[field.name] = X.point(value) if field.name.startswith("point") else X.vector(value)
    return replace(item, **changes)
