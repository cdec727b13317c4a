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
