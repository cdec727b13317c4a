"""Parts that are bodies of revolution: pins, rings, discs, by their surfaces alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.faces.parts import PartFaces
from cadbridge.recognition.faces.surfaces import SAME_SURFACE, Surface

SHARE_OF_REVOLUTION = 0.98
"""Share of a part's area that must lie on surfaces of revolution about one axis: keyways and holes take the rest. 54
machines: 0.976 | 0.983."""

SLIM_RING = 3.0
"""Outer beside inner radius up to which a ring is a bush, a spacer, a washer or a collar, and no wheel. 54 machines:
2.75 | 5.5; ISO's washers have 1.9 to 2.8. Tests: a wheel of 3.0 (`test_links`)."""

ONE_AXIS = 1.4e-4
"""Sine of the angle (0.008°) between the axes of one body of revolution: what writers keep of a direction. A choice."""

FULL_RADIUS = 0.9
"""Of the radius of a pin or bore: what has as much is as wide, but for grooves, threads and facets. A choice."""

EVEN_PIN = 0.7
"""Share of a pin's length over which it has its full radius. 54 machines: 0.689 | 0.728, so a choice. Tests: 0.57 |
0.73 (`test_pivots`, `test_motors`)."""


@dataclass(frozen=True, eq=False)
class Revolution:
    """A body of revolution about a line (part's frame): extent along it, outer radius, radius of the through bore."""

    point: Vector
    direction: Vector
    low: float
    high: float
    outer: float
    inner: float
    even: bool

    @property
    def length(self) -> float:
        """Extent along the axis, m."""
        return self.high - self.low

    @property
    def is_pin(self) -> bool:
        """A plain round rod at least as long as it is wide."""
        return self.inner == 0.0 and self.even and self.length >= 2 * self.outer

    @property
    def is_ring(self) -> bool:
        """A ring that is slim enough to be a bush, a spacer, a washer or a collar."""
        return self.inner > 0.0 and self.outer <= SLIM_RING * self.inner


def revolution_of(faces: PartFaces) -> Revolution | None:
    """The axis about which all surfaces of a part are round; None where there is none."""
    rounds = faces.of("cylinder", "cone")
    if not rounds or faces.table is None:
        return None
    main = max(rounds, key=lambda s: s.area)
    tolerance = 10 * SAME_SURFACE * faces.size
    around = [s for s in faces.surfaces if _about(s, main, tolerance)]
    if sum(s.area for s in around) < SHARE_OF_REVOLUTION * float(faces.table.areas.sum()):
        return None
    points = np.concatenate([loop for s in around for loop in s.loops] or [np.zeros((1, 3))])
    along = (points - main.point) @ main.direction
    low, high = float(along.min()), float(along.max())
    outside = [s for s in around if s.kind == "cylinder" and not s.hollow]
    bores = [s for s in around if s.kind == "cylinder" and s.hollow]
    away = np.linalg.norm(np.cross(points - main.point, main.direction), axis=1)
    outer = float(away.max())
    # A through bore leaves no point of the part on its axis: no face comes nearer than the narrowest bore.
    narrowest = min((s.radius for s in bores), default=0.0)
    bored = narrowest > 0 and float(away.min()) > FULL_RADIUS * narrowest and not _capped(around)
    inner = narrowest if bored else 0.0
    even = sum(s.length for s in outside if s.radius > FULL_RADIUS * outer) >= EVEN_PIN * (high - low)
    return Revolution(main.point, main.direction, low, high, outer, inner, even)


def _about(s: Surface, main: Surface, tolerance: float) -> bool:
    """Whether a surface is one of revolution about the axis of another."""
    if s.kind != "sphere" and cross_length(s.direction, main.direction) > ONE_AXIS:
        return False
    return s.kind == "plane" or cross_length(s.point - main.point, main.direction) <= tolerance


def _capped(around: list[Surface]) -> bool:
    """Whether a plane of the part covers the axis: its outline has one loop only."""
    return any(s.kind == "plane" and len(s.loops) == 1 for s in around)
