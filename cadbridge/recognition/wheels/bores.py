"""What goes through a wheel about its axis: its shaft, round or not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.recognition.wheels.wheel import Wheel, WheelKind

Points = NDArray[np.float64]

OFF_CENTRE = 0.05
"""Of its reach: by how much a shaft may be off the axis of the wheel that it goes through. A choice."""

THROUGH = 0.9
"""Of a wheel's width that its shaft goes through at least: a retaining ring may stand before its end. A choice."""


def shafts_through(wheels: Iterable[Wheel], assembly: Assembly) -> dict[str, list[str]]:
    """The instances that go through each of some wheels, by the wheel's, where there are any.

    They stand about its axis, over nearly all of its width, and reach nowhere as far out as its teeth. Hexagons and
    squares count: their corners are the vertices that are looked at, with all others.
    """
    hubs = [w for w in wheels if w.kind is not WheelKind.RACK and not w.internal]
    meshes = ((p.name, p.shape.coarse or p.shape.fine) for p in assembly.parts if hubs and p.shape is not None)
    corners_of = {
        name: mesh.vertices for name, mesh in meshes
        if mesh is not None and len(mesh.vertices) and np.isfinite(mesh.vertices).all()
    }  # fmt: skip
    solid = [i for i in assembly.instances if i.part in corners_of]
    # One corner of each, first: most stand elsewhere, and machines have thousands of parts.
    first = np.array([i.X_WI.point(corners_of[i.part][0]) for i in solid]).reshape(-1, 3)
    found: dict[str, list[str]] = {}
    for wheel in hubs:
        near = np.linalg.norm(np.cross(first - wheel.point, wheel.axis), axis=1) < wheel.root
        for k in np.flatnonzero(near):
            instance = solid[k]
            at = instance.X_WI.point(corners_of[instance.part]) - wheel.point
            if instance.name != wheel.instance and _goes_through(wheel, at):
                found.setdefault(wheel.instance, []).append(instance.name)
    return found


def _goes_through(wheel: Wheel, at: Points) -> bool:
    """Whether what has these corners (n, 3), m from the middle of a wheel, is a shaft in it."""
    along, away = at @ wheel.axis, np.linalg.norm(np.cross(at, wheel.axis), axis=1)
    middle = np.cross((at.min(axis=0) + at.max(axis=0)) / 2, wheel.axis)
    half = THROUGH * wheel.width / 2
    through = along.min() <= -half and along.max() >= half
    return bool(through and away.max() < wheel.root and np.linalg.norm(middle) <= OFF_CENTRE * away.max())
