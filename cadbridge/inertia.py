"""Mass properties as a value: shift, rotate, add."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Matrix, Pose, Vector

BALL = 0.4
"""The moment of inertia of a solid ball about its centre, over its mass and the square of its radius."""
DENSEST = 23_000.0
"""kg/m³, a little above osmium (22,590): no solid of a machine is denser, so that a mass or an inertia that needs more
has a slip of units."""
BALANCED = 0.01
"""Of the radius of gyration, and of the largest moment of inertia: how far a body may be off an axis, or off equal
moments across it, and still be balanced about it. A bore, a keyway or a chord of a mesh is less; a lever is more."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass, centre of mass and inertia in one frame, which is named where the value is held.

    Attributes:
        mass: kg.
        com: Centre of mass (3,) m.
        inertia: About the centre of mass (3, 3) kg m².
    """

    mass: float
    com: Vector
    inertia: Matrix

    def moved(self, X_AB: Pose) -> MassProperties:
        """Express properties given in frame B in frame A.

        Args:
            X_AB: The pose of B in A.

        Returns:
            The same body's properties in A.
        """
        return MassProperties(self.mass, X_AB.point(self.com), X_AB.R @ self.inertia @ X_AB.R.T)

    def about(self, point: Vector) -> Matrix:
        """Compute the inertia about another point, by Steiner's theorem.

        Args:
            point: (3,) m, in the same frame.

        Returns:
            (3, 3) kg m².
        """
        d = np.asarray(point, dtype=float) - self.com
        return self.inertia + self.mass * (float(d @ d) * np.eye(3) - np.outer(d, d))

    def scaled(self, factor: float) -> MassProperties:
        """Scale the density.

        Args:
            factor: By how much.

        Returns:
            The same body with mass and inertia times the factor.
        """
        return MassProperties(self.mass * factor, self.com, self.inertia * factor)

    def balanced_about(self, point: Vector, axis: Vector) -> bool:
        """Tell whether a body may turn about a line without its mass being anywhere else.

        The centre of mass lies on the line, the line is a principal axis, and the moments across it are equal.

        Args:
            point: (3,) m, on the line, in the same frame.
            axis: (3,) the line's direction, of any length.

        Returns:
            Whether it is so within `BALANCED`; never of a body without mass.
        """
        largest = float(np.linalg.eigvalsh(self.inertia)[-1])
        if self.mass <= 0 or largest <= 0:
            return False
        along = np.asarray(axis, dtype=float) / float(np.linalg.norm(axis))
        off = float(np.linalg.norm(np.cross(self.com - np.asarray(point, dtype=float), along)))
        across = np.linalg.svd(along[None])[2]  # rows: the axis, and two directions across it
        moments = across @ self.inertia @ across.T
        low, high = np.linalg.eigvalsh(moments[1:, 1:])
        skew = float(np.linalg.norm(moments[0, 1:]))
        near = off <= BALANCED * float(np.sqrt(largest / self.mass))
        return near and bool(max(high - low, skew) <= BALANCED * largest)


def combine(bodies: Iterable[MassProperties]) -> MassProperties:
    """The sum of bodies given in one frame; a zero total mass keeps the first centre."""
    items = list(bodies)
    if not items:
        return MassProperties(0.0, np.zeros(3), np.zeros((3, 3)))
    mass = float(sum(b.mass for b in items))
    if mass == 0.0:
        com = items[0].com
    else:
        com = np.asarray(sum((b.mass * b.com for b in items), np.zeros(3))) / mass
    inertia = np.asarray(sum((b.about(com) for b in items), np.zeros((3, 3))))
    return MassProperties(mass, com, inertia)
