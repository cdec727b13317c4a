"""Flats of shafts on those of the bores in which they stand: the two turn together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cadbridge.frames import Vector
from cadbridge.recognition.contacts.contacts import FACETED, ROUNDING, Contact, Placed, clearance, square
from cadbridge.recognition.evidence.scene import Scene

WHOLE_TURN = 0.995 * 2 * np.pi
"""rad that a round face goes round at most where a flat cuts it; above, it is whole but for a seam or a pin's hole. 54
machines: 6.25 | 6.28; cut shafts of theirs have 5.6 and less. Tests: 5.54 | 6.28 (`test_motors`)."""

SAME_FLAT = 1e-4
"""1 − cos of the angle (0.8°) between the flats of a shaft and its bore, at most. 54 machines: 1.6e-5 | 4.7e-4."""


def flats_that_meet(scene: Scene) -> Iterator[Contact]:
    """The contacts of shafts in bores of which a flat of the one lies on that of the other."""
    for c in scene.contacts.found:
        if c.kind != "shaft" or max(c.a.surface.turn, c.b.surface.turn) > WHOLE_TURN:
            continue
        bores = list(_flats(scene, c.b, c))
        if any(_on(scene, c, flat, bore) for flat in _flats(scene, c.a, c) for bore in bores):
            yield c


Flat = tuple[Vector, float, float, float]
"""A plane that cuts a round face: way out from the axis, distance from it, extent along it."""


def _on(scene: Scene, c: Contact, flat: Flat, bore: Flat) -> bool:
    """Whether a shaft's flat lies on that of its bore, with no more room than the bore has."""
    way, depth, low, high = flat
    other, bore_depth, bore_low, bore_high = bore
    room = clearance(c.b.surface.radius) + scene.contacts.slack
    meet = low < bore_high and bore_low < high and -scene.contacts.slack <= bore_depth - depth <= room
    return meet and float(way @ other) > 1 - SAME_FLAT


def _flats(scene: Scene, side: Placed, c: Contact) -> Iterator[Flat]:
    """The planes of a shaft or bore that cut its circle."""
    known = scene.faces_of(side.instance)
    for s in () if known is None else known.of("plane"):
        out = side.X_WI.vector(s.direction) * (-1.0 if side.surface.hollow else 1.0)
        if not square(out, c.direction):
            continue
        arms = side.X_WI.point(np.concatenate(s.loops or (s.point[None, :],))) - c.point
        depth, along = float(arms[0] @ out), arms @ c.direction
        far = float(np.linalg.norm(np.cross(arms, c.direction), axis=1).max())
        if 0.0 < depth < side.surface.radius and far <= FACETED * side.surface.radius + ROUNDING:
            yield out, depth, float(along.min()), float(along.max())
