"""Instances weighed together by their volume: where the mass lies of what has no density yet."""

from __future__ import annotations

from collections.abc import Iterable

from cadbridge.assembly import Assembly
from cadbridge.inertia import MassProperties, combine


def volume_of(assembly: Assembly, instances: Iterable[str]) -> MassProperties | None:
    """Weigh instances together at density 1.

    Args:
        assembly: Where they are.
        instances: Their names.

    Returns:
        Volume (m³ for kg), centre (m) and inertia (m⁵) in W, from the exact shapes; None where a part has none.
    """
    pieces = []
    for name in instances:
        instance = assembly.instance(name)
        shape = assembly.part(instance.part).shape
        if shape is None or shape.brep is None:
            return None
        pieces.append(shape.brep.moved(instance.X_WI))
    return combine(pieces) if pieces else None
