"""Mass properties as a value: shift, rotate, add."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Matrix, Pose, Vector

DENSEST = 23_000.0
"""kg/m³, a little above osmium (22,590): no solid of a machine is denser, so that a mass or an inertia that needs more
has a slip of units."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass (kg), centre of mass (3,) in m and inertia (3, 3) in kg m² about the centre.

    Centre and inertia are expressed in one frame, named where the value is held.
    """

    mass: float
    com: Vector
    inertia: Matrix

    def moved(self, X_AB: Pose) -> MassProperties:
        """These properties, given in frame B, expressed in frame A."""
        return MassProperties(self.mass, X_AB.point(self.com), X_AB.R @ self.inertia @ X_AB.R.T)

    def about(self, point: Vector) -> Matrix:
        """The inertia (3, 3) about another point of the same frame (Steiner)."""
        d = np.asarray(point, dtype=float) - self.com
        return self.inertia + self.mass * (float(d @ d) * np.eye(3) - np.outer(d, d))

    def scaled(self, factor: float) -> MassProperties:
        """The same body with `factor` times the density."""
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
