"""The outputs of actuators by their shape: a disc with a ring of holes, on a neck or alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, parallel
from cadbridge.recognition.evidence.pins import HOLE_TURN, ROUNDED
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.faces.surfaces import Surface

OFF_CENTRE = 1.5
"""Radii of a hole from the axis of its disc, at least: nearer it is that of the screw which holds it. A choice."""

FEWEST_HOLES = 3
"""Holes of a ring at least: two lie on every circle."""

EVEN_HOLES = 0.05
"""rad by which the holes of a ring may stand off equal angles. 54 machines: 0.024 | 0.071."""

HOLES_WITHIN = 1.02
"""Radius up to which the holes of a ring reach, beside that of their disc. 54 machines: 1.01 | 1.04. Tests: 0.88 | 1.4
(`test_actuators`)."""

CASE_STANDS_OUT = 1.2
"""How far a case reaches from the axis at least, beside the radius of its output. 54 machines: 1.05 | 1.82. Tests: 2
(`test_actuators`)."""

SQUARE_CASE = 0.05
"""Of a case's width: how far its box may be off a square about its output; a square's corners count not. A choice."""

THIN_NECK = 0.8
"""Radius of the neck beside that of the disc, at most. 54 machines: 0.43 | 0.81. Tests: 0.5 (`test_actuators`)."""

SHORT_NECK = 0.6
"""Length of the neck beside the radius of the disc, at most: a longer one is the tube of a flange. 54 machines have
0.33 and less. Tests: 0.2 | 5.5 (`test_actuators`)."""


@dataclass(frozen=True, eq=False)
class Output:
    """A disc with a ring of holes (part's frame): a point on its axis, the radius of the disc, the holes.

    `alone`: whether the part is no more than the disc; `neck`: whether it stands out of a case on one.
    """

    point: Vector
    axis: Vector
    radius: float
    holes: tuple[Surface, ...]
    alone: bool
    neck: bool


def outputs_of(faces: PartFaces) -> list[Output]:
    """The outputs of a part, one for each disc with a ring of holes."""
    found = []
    rounds = faces.of("cylinder")
    holes = [s for s in rounds if s.hollow and s.turn >= HOLE_TURN]
    for disc in (s for s in rounds if not s.hollow and s.turn >= ROUNDED):
        ring = _ring(disc, holes)
        if len(ring) < FEWEST_HOLES:
            continue
        alone = _reach(faces, disc) <= CASE_STANDS_OUT * disc.radius
        found.append(Output(disc.point, disc.direction, disc.radius, tuple(ring), alone, _neck(disc, rounds)))
    return found


def _ring(disc: Surface, holes: Sequence[Surface]) -> list[Surface]:
    """The holes in a disc at equal angles about its axis, of all such rings: for screws of several sizes."""
    rings: dict[tuple[int, int], list[tuple[float, Surface]]] = defaultdict(list)
    across = np.linalg.svd(disc.direction[None, :])[2][1:]
    for hole in holes:
        if not parallel(hole.direction, disc.direction):
            continue
        arm = across @ (hole.point - disc.point)
        off = float(np.hypot(*arm))
        low, high = hole.ends_along(disc.point, disc.direction)
        inside = min(high, disc.high) - max(low, disc.low) > 0.5 * min(hole.length, disc.length)
        # A hole on the axis is that of the screw which holds the horn, none of the ring.
        if off > OFF_CENTRE * hole.radius and off + hole.radius <= HOLES_WITHIN * disc.radius and inside:
            key = (round(off / (0.01 * disc.radius)), round(hole.radius / (0.01 * disc.radius)))
            rings[key].append((math.atan2(arm[1], arm[0]), hole))
    even = [ring for ring in rings.values() if len(ring) >= FEWEST_HOLES and _even([angle for angle, _ in ring])]
    return [hole for ring in sorted(even, key=len, reverse=True) for _, hole in ring]


def _even(angles: Sequence[float]) -> bool:
    ordered = np.sort(angles)
    steps = np.diff(np.append(ordered, ordered[0] + 2 * math.pi))
    return bool(np.abs(steps - 2 * math.pi / len(angles)).max() < EVEN_HOLES)


def _reach(faces: PartFaces, disc: Surface) -> float:
    """How far a part reaches from the axis of a disc, by its box."""
    away = np.linalg.norm(np.cross(faces.corners - disc.point, disc.direction), axis=1)
    # A box that is square about the axis has corners that are no part of what is round.
    return faces.square_about(disc.point, disc.direction, SQUARE_CASE) or float(away.max())


def _neck(disc: Surface, rounds: Sequence[Surface]) -> bool:
    """Whether a thinner, short shaft goes on from a disc on its axis."""
    for s in rounds:
        off = cross_length(s.point - disc.point, disc.direction)
        if s.hollow or not parallel(s.direction, disc.direction) or off > ON_AXIS * disc.radius:
            continue
        low, high = s.ends_along(disc.point, disc.direction)
        meets = min(abs(low - disc.high), abs(high - disc.low)) <= ON_AXIS * disc.radius
        if meets and s.radius <= THIN_NECK * disc.radius and s.length <= SHORT_NECK * disc.radius and s.turn >= ROUNDED:
            return True
    return False
