"""The outputs of actuators by their shape: a disc with a ring of holes, on a neck or alone."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts import ALIGNED
from cadbridge.recognition.faces import PartFaces
from cadbridge.recognition.pins import HOLE_TURN, ROUNDED
from cadbridge.recognition.surfaces import Surface

FEWEST_HOLES = 3
"""Holes of a ring at least: two lie on every circle."""


EVEN_HOLES = 0.05
"""rad by which the holes of a ring may stand off equal angles. 54 machines: 0.024 | 0.071."""


HOLES_WITHIN = 1.02
"""Radius up to which the holes of a ring reach, beside that of their disc. 54 machines: 1.01 | 1.04.

Tests: 0.88 | 1.4 (`test_actuators`).
"""


CASE_STANDS_OUT = 1.2
"""How far a case reaches from the axis at least, beside the radius of its output. 54 machines: 1.05 | 1.82.

Tests: 2 (`test_actuators`).
"""


THIN_NECK = 0.8
"""Radius of the neck beside that of the disc, at most. 54 machines: 0.43 | 0.81.

Tests: 0.5 (`test_actuators`).
"""


SHORT_NECK = 0.6
"""Length of the neck beside the radius of the disc, at most: a longer one is the tube of a flange.

54 machines have 0.33 and less. Tests: 0.2 | 5.5 (`test_actuators`).
"""


@dataclass(frozen=True, eq=False)
class Output:
    """A disc with a ring of holes (part's frame): a point on its axis, radius and ends of the disc, the holes.

    `alone`: whether the part is no more than the disc; `neck`: whether it stands out of a case on one.
    """

    point: Vector
    axis: Vector
    radius: float
    low: float
    high: float
    holes: tuple[Surface, ...]
    alone: bool
    neck: bool


def outputs_of(faces: PartFaces) -> list[Output]:
    """The outputs of a part, one for each disc with a ring of holes."""
    found = []
    rounds = [s for s in faces.of("cylinder") if s.direction is not None]
    holes = [s for s in rounds if s.hollow and s.turn >= HOLE_TURN]
    for disc in (s for s in rounds if not s.hollow and s.turn >= ROUNDED):
        ring = _ring(disc, holes)
        if len(ring) < FEWEST_HOLES:
            continue
        assert disc.direction is not None
        reach = _reach(faces, disc)
        alone = reach <= CASE_STANDS_OUT * disc.radius
        found.append(
            Output(
                disc.point, disc.direction, disc.radius, disc.low, disc.high, tuple(ring), alone, _neck(disc, rounds)
            )
        )
    return found


def _ring(disc: Surface, holes: Sequence[Surface]) -> list[Surface]:
    """The holes in a disc at equal angles about its axis: the largest such ring."""
    assert disc.direction is not None
    rings: dict[tuple[int, int], list[tuple[float, Surface]]] = defaultdict(list)
    across = np.linalg.svd(disc.direction[None, :])[2][1:]
    for hole in holes:
        assert hole.direction is not None
        if abs(float(hole.direction @ disc.direction)) < 1 - ALIGNED**2:
            continue
        arm = across @ (hole.point - disc.point)
        off = float(np.hypot(*arm))
        shift = float((hole.point - disc.point) @ disc.direction)
        sign = float(np.sign(hole.direction @ disc.direction))
        ends = sorted((shift + sign * hole.low, shift + sign * hole.high))
        inside = min(ends[1], disc.high) - max(ends[0], disc.low) > 0.5 * min(hole.length, disc.length)
        # A hole on the axis is that of the screw which holds the horn, none of the ring.
        if off > 1.5 * hole.radius and off + hole.radius <= HOLES_WITHIN * disc.radius and inside:
            key = (round(off / (0.01 * disc.radius)), round(hole.radius / (0.01 * disc.radius)))
            rings[key].append((math.atan2(arm[1], arm[0]), hole))
    even = [ring for ring in rings.values() if len(ring) >= FEWEST_HOLES and _even([angle for angle, _ in ring])]
    return [hole for _, hole in max(even, key=len, default=[])]


def _even(angles: Sequence[float]) -> bool:
    ordered = np.sort(angles)
    steps = np.diff(np.append(ordered, ordered[0] + 2 * math.pi))
    return bool(np.abs(steps - 2 * math.pi / len(angles)).max() < EVEN_HOLES)


def _reach(faces: PartFaces, disc: Surface) -> float:
    """How far a part reaches from the axis of a disc, by its box."""
    assert disc.direction is not None
    corners = np.array([[faces.box[i, 0], faces.box[j, 1], faces.box[k, 2]] for i in (0, 1) for j in (0, 1)
                        for k in (0, 1)])  # fmt: skip
    middles = (corners[:, None, :] + corners[None, :, :]).reshape(-1, 3) / 2  # the middles of its sides among them
    away = np.linalg.norm(np.cross(middles - disc.point, disc.direction), axis=1)
    return float(away.max()) / (math.sqrt(2.0) if _square(faces, disc) else 1.0)


def _square(faces: PartFaces, disc: Surface) -> bool:
    """Whether the box of a part is a square about a disc's axis: its corners are then no part of what is round."""
    assert disc.direction is not None
    along = int(np.argmax(np.abs(disc.direction)))
    size = np.delete(np.ptp(faces.box, axis=0), along)
    off = np.delete(faces.box.mean(axis=0) - disc.point, along)
    return float(np.ptp(size)) < 0.05 * float(size.max()) and float(np.abs(off).max()) < 0.05 * float(size.max())


def _neck(disc: Surface, rounds: Sequence[Surface]) -> bool:
    """Whether a thinner, short shaft goes on from a disc on its axis."""
    assert disc.direction is not None
    for s in rounds:
        assert s.direction is not None
        same = abs(float(s.direction @ disc.direction)) > 1 - ALIGNED**2
        if s.hollow or not same or cross_length(s.point - disc.point, disc.direction) > 0.02 * disc.radius:
            continue
        shift = float((s.point - disc.point) @ disc.direction)
        sign = float(np.sign(s.direction @ disc.direction))
        low, high = sorted((shift + sign * s.low, shift + sign * s.high))
        meets = min(abs(low - disc.high), abs(high - disc.low)) <= 0.02 * disc.radius
        if meets and s.radius <= THIN_NECK * disc.radius and s.length <= SHORT_NECK * disc.radius and s.turn >= ROUNDED:
            return True
    return False
