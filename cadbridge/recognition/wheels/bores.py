"""What goes through a wheel about its axis: its shaft, round or not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

OFF_CENTRE = 0.05
"""Of its reach: by how much a shaft may be off the axis of the wheel that it goes through. A choice."""

THROUGH = 0.9
"""Of a wheel's width that its shaft goes through at least: a retaining ring may stand before its end. A choice."""


def shafts_through(wheel: Wheel, assembly: Assembly) -> Iterator[str]:
    """The instances about a wheel's axis that go through all of it, and reach nowhere as far out as its teeth.

    Hexagons and squares count: their corners are the vertices that are looked at, with all others.
    """
    if wheel.kind is WheelKind.RACK or wheel.internal:
        return
    for instance in assembly.instances:
        shape = assembly.part(instance.part).shape
        mesh = None if shape is None else shape.coarse or shape.fine
        if instance.name == wheel.instance or mesh is None or not len(mesh.vertices):
            continue
        at = instance.X_WI.point(mesh.vertices) - wheel.point
        along, away = at @ wheel.axis, np.linalg.norm(np.cross(at, wheel.axis), axis=1)
        middle = np.cross((at.min(axis=0) + at.max(axis=0)) / 2, wheel.axis)
        through = along.min() <= -THROUGH * wheel.width / 2 and along.max() >= THROUGH * wheel.width / 2
        if through and away.max() < wheel.root and np.linalg.norm(middle) <= OFF_CENTRE * away.max():
            yield instance.name
