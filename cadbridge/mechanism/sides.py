"""A mate's side, seen from its component: what the table of mates builds primitives from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Feature
from cadbridge.frames import Pose, Vector, perpendicular, unit
from solver.constraints import AxesAngle, PointOnPlane, Primitive


@dataclass(frozen=True, eq=False)
class MateSide:
    """A feature with the index of its unit (component or body, -1 ground) and its designed pose X_WC.

    `point` (m) and `direction` are in the unit's frame.
    """

    index: int
    X: Pose
    feature: Feature

    @property
    def point(self) -> Vector:
        """The feature's point in the unit's frame."""
        return self.feature.point

    @cached_property
    def direction(self) -> Vector:
        """The feature's unit direction in the unit's frame."""
        assert self.feature.direction is not None
        return unit(self.feature.direction)

    @cached_property
    def x(self) -> Vector:
        """A unit vector perpendicular to the direction: the frame's own x where it has one."""
        if self.feature.x is None:
            return perpendicular(self.direction)
        x = self.feature.x - self.direction * float(self.feature.x @ self.direction)
        return unit(x)

    @cached_property
    def y(self) -> Vector:
        """Completes x, y, direction to a right-handed frame."""
        (a, b, c), (x, y, z) = self.direction.tolist(), self.x.tolist()
        return np.array([b * z - c * y, c * x - a * z, a * y - b * x])

    def world_point(self) -> Vector:
        """The point in the world as designed."""
        return self.X.point(self.point)

    def world_direction(self) -> Vector:
        """The direction in the world as designed."""
        return self.X.vector(self.direction)


def side_of(assembly: Assembly, units: Mapping[str, int], feature: Feature) -> MateSide:
    """A feature on its component, whose unit is `units[component]`; on the ground (-1), in the world frame.

    KeyError where there is no such component.
    """
    name = feature.component
    if name == GROUND:
        return MateSide(-1, Pose(), feature)
    X_WC = assembly.component(name).X_WC
    if units[name] == -1:
        return MateSide(-1, Pose(), feature.on(GROUND, X_WC))
    return MateSide(units[name], X_WC, feature)


def sense(a: MateSide, b: MateSide) -> float:
    """+1 where the directions point the same way as designed, −1 where against each other."""
    return 1.0 if float(a.world_direction() @ b.world_direction()) >= 0.0 else -1.0


def parallel(a: MateSide, b: MateSide) -> list[Primitive]:
    """Directions parallel: 2 rows."""
    # By two right angles: the cosine of parallel directions is at its extreme, and a row of it would have no gradient.
    return [AxesAngle(a.index, b.index, e, b.direction) for e in (a.x, a.y)]


def on_plane(a: MateSide, b: MateSide, offset: float = 0.0) -> list[Primitive]:
    """b's point at a height over a's plane: 1 row."""
    return [PointOnPlane(a.index, b.index, a.point, a.direction, b.point, offset)]


def on_line(a: MateSide, b: MateSide) -> list[Primitive]:
    """b's point on a's line: 2 rows."""
    return [PointOnPlane(a.index, b.index, a.point, e, b.point) for e in (a.x, a.y)]


def same_point(a: MateSide, b: MateSide) -> list[Primitive]:
    """b's point on a's point: 3 rows, along the axes of a's unit."""
    return [PointOnPlane(a.index, b.index, a.point, e, b.point) for e in np.eye(3)]


def same_orientation(a: MateSide, b: MateSide) -> list[Primitive]:
    """No turn between the units: 3 rows, zero at the designed pose or, for two frames, where they agree."""
    if a.feature.x is not None and b.feature.x is not None:
        of_a, of_b = (a.x, a.y, a.direction), (b.x, b.y, b.direction)
    else:
        e = np.eye(3)
        turned = b.X.R.T @ a.X.R
        of_a = (e[0], e[1], e[2])
        of_b = (turned[:, 0], turned[:, 1], turned[:, 2])
    # Likewise by right angles, each of one frame's axis with another axis of the other.
    return [AxesAngle(a.index, b.index, of_a[i], of_b[j]) for i, j in ((0, 1), (1, 2), (2, 0))]
