"""A face of a part as recognition knows it; pieces of one surface are one."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from cadbridge.frames import Vector
from solver.algebra.connected import Groups

SAME_SURFACE = 1e-5
"""Share of a part's size (and rad) within which two faces lie on one surface; writers keep seven digits. 54 machines:
4.6e-6 | 1.16e-5."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A plane, cylinder, cone, sphere or torus of a part.

    `point` (3,) lies on the plane or the axis (of a cone in the middle of its face), or is the sphere's centre;
    `direction` (3,) is the normal out of the material or the axis (zeros of a sphere). `radius`: of cylinder and
    sphere, of a cone at `point`, a torus's major one. `second`: the half angle (rad) by which a cone widens along
    `direction`, a torus's minor radius.
    `hollow`: the material is outside, as of a bore. `low`, `high`: the extent along `direction` from `point`.
    `turn`: how much of a full turn (rad) its faces cover. `loops`: boundaries as polygons (n, 3). `faces`: indices
    into `Shape.faces`.
    """

    kind: str
    point: Vector
    direction: Vector
    radius: float
    second: float
    hollow: bool
    low: float
    high: float
    area: float
    turn: float
    loops: tuple[NDArray[np.float64], ...]
    faces: tuple[int, ...]

    @property
    def length(self) -> float:
        """Extent along the axis, m."""
        return self.high - self.low

    @property
    def middle(self) -> Vector:
        """The middle of a round face on its axis."""
        return self.point + (self.low + self.high) / 2 * self.direction

    def ends_along(self, point: Vector, axis: Vector) -> tuple[float, float]:
        """Where it begins and ends along an axis that it is parallel to, m from a point of that."""
        at, sign = float((self.point - point) @ axis), math.copysign(1.0, float(self.direction @ axis))
        low, high = sorted((at + sign * self.low, at + sign * self.high))
        return low, high


def merged(found: list[Surface], size: float) -> list[Surface]:
    """Faces that are one cylinder, cone or sphere made one surface, unless they lie apart along the axis."""
    rest = [s for s in found if s.kind in ("plane", "torus")]
    for kind in ("cylinder", "cone", "sphere"):
        members = [_canonical(s) for s in found if s.kind == kind]
        for group in _groups(members, size):
            rest.extend(_at_middle(_joined(run)) for run in _runs(group, SAME_SURFACE * size))
    # In the order of the faces, whatever the groups were found in.
    return sorted(rest, key=lambda s: s.faces)


def _canonical(s: Surface) -> Surface:
    """The axis through the point nearest to the part's origin, pointing to the positive side of its main direction."""
    if s.kind == "sphere":
        return s
    # Rounded, so that of two components as large the first decides, and not their last bits.
    sign = 1.0 if s.direction[int(np.argmax(np.abs(np.round(s.direction, 6))))] > 0 else -1.0
    axis = s.direction * sign
    foot = s.point - (s.point @ axis) * axis
    shift = float((s.point - foot) @ axis)
    low, high = sorted((sign * s.low + shift, sign * s.high + shift))
    second = s.second * sign if s.kind == "cone" else s.second
    radius = s.radius - math.tan(second) * shift if s.kind == "cone" else s.radius
    return replace(s, point=foot, direction=axis, low=low, high=high, second=second, radius=radius)


def _groups(members: list[Surface], size: float) -> list[list[Surface]]:
    """Surfaces by the line, radius and side that they share."""
    if len(members) < 2:
        return [members] if members else []
    # The side is a coordinate too: a shaft and a bore of one radius on one line stay two.
    keys = np.array([[*s.direction, *(s.point / size), s.radius / size, s.second, s.hollow] for s in members])
    alike: Groups[int] = Groups()
    for i, j in cKDTree(keys).query_pairs(SAME_SURFACE):
        alike.join(i, j)
    groups: dict[int, list[Surface]] = defaultdict(list)
    for i, s in enumerate(members):
        groups[alike.root(i)].append(s)
    return list(groups.values())


def _runs(group: list[Surface], tolerance: float) -> list[list[Surface]]:
    """A group cut where nothing of it lies along the axis."""
    runs: list[list[Surface]] = []
    end = -math.inf
    for s in sorted(group, key=lambda s: (s.low, s.high)):
        if s.low > end + tolerance:
            runs.append([])
        runs[-1].append(s)
        end = max(end, s.high) if runs[-1][1:] else s.high
    return runs


def _joined(run: list[Surface]) -> Surface:
    first = run[0]
    if len(run) == 1:
        return first
    low, high, area = min(s.low for s in run), max(s.high for s in run), sum(s.area for s in run)
    most = 4 * math.pi if first.kind == "sphere" else 2 * math.pi
    share = (first.radius**2) if first.kind == "sphere" else 0.0
    if first.kind != "sphere":
        middle = first.radius + math.tan(first.second) * (low + high) / 2
        share = abs(middle) * (high - low) / math.cos(first.second)
    return replace(
        first,
        low=low,
        high=high,
        area=area,
        turn=min(most, area / share) if share > 0.0 else most,
        loops=tuple(loop for s in run for loop in s.loops),
        faces=tuple(sorted(i for s in run for i in s.faces)),
    )


def _at_middle(s: Surface) -> Surface:
    """A cone with its point and radius in the middle of its face: far off it the radius says nothing about the part."""
    if s.kind != "cone":
        return s
    middle, half = (s.low + s.high) / 2, s.length / 2
    radius = s.radius + math.tan(s.second) * middle
    return replace(s, point=s.point + middle * s.direction, radius=radius, low=-half, high=half)
