"""A geared four-bar with a limit and a redundant mate: its numbers, from which every format is written.

The crank (AB), coupler (BC) and rocker (CD) turn about z, the wheel (E) is geared to the crank 2:1, the
planar mate `Guide` repeats what the hinges hold. All in SI, in the world, as designed; every part has a frame of
its own that is turned about all axes, so that a format that mixes up frames cannot pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Pose

Z = np.array([0.0, 0.0, 1.0])
X = np.array([1.0, 0.0, 0.0])

A = np.array([0.0, 0.0, 0.0])
B = 0.1 * np.array([np.cos(np.pi / 3), np.sin(np.pi / 3), 0.0])
D = np.array([0.4, 0.0, 0.0])
E = np.array([-0.15, 0.0, 0.0])


def _closure(coupler: float, rocker: float) -> np.ndarray:
    """C, where the coupler from B and the rocker from D meet above."""
    reach = float(np.linalg.norm(D - B))
    along = (coupler**2 - rocker**2 + reach**2) / (2 * reach)
    height = np.sqrt(coupler**2 - along**2)
    e = (D - B) / reach
    return np.asarray(B + along * e + height * np.array([-e[1], e[0], 0.0]))


C = _closure(0.35, 0.25)


@dataclass(frozen=True)
class Body:
    """A part and its only instance, of one name: pose X_WB, mass kg, centre m and inertia kg m² in its frame."""

    name: str
    X: Pose
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    grounded: bool = False

    def point(self, world: np.ndarray) -> np.ndarray:
        """A point of the world in the body's frame, m."""
        return self.X.inverse().point(world)

    def vector(self, world: np.ndarray) -> np.ndarray:
        """A direction of the world in the body's frame."""
        return self.X.inverse().vector(world)


def _body(name: str, place: np.ndarray, rpy: tuple[float, float, float], mass: float, grounded: bool = False) -> Body:
    inertia = mass * np.array([[4e-3, 2e-4, -1e-4], [2e-4, 5e-3, 3e-4], [-1e-4, 3e-4, 6e-3]])
    return Body(name, Pose.from_rpy(place, rpy), mass, np.array([0.01, -0.02, 0.005]), inertia, grounded)


BODIES = {
    body.name: body
    for body in (
        _body("Base", np.array([0.01, -0.03, 0.02]), (0.1, -0.2, 0.3), 5.0, grounded=True),
        _body("Crank", A + np.array([0.02, 0.01, 0.03]), (0.4, 0.1, -0.7), 0.5),
        _body("Coupler", (B + C) / 2, (-0.3, 0.6, 1.1), 0.8),
        _body("Rocker", D + np.array([0.0, 0.05, -0.01]), (1.2, -0.4, 0.2), 0.7),
        _body("Wheel", E, (0.2, 0.9, -0.5), 0.9),
    )
}


@dataclass(frozen=True)
class Hinge:
    """A revolute joint about z through a point of the world, body b relative to a; limits in rad."""

    name: str
    a: str
    b: str
    point: np.ndarray
    limits: tuple[float, float] | None = None


HINGES = (
    Hinge("Hinge A", "Base", "Crank", A, (np.radians(-30.0), np.radians(200.0))),
    Hinge("Hinge B", "Crank", "Coupler", B),
    Hinge("Hinge C", "Coupler", "Rocker", C),
    Hinge("Hinge D", "Base", "Rocker", D),
    Hinge("Hinge E", "Base", "Wheel", E),
)
GUIDE = Hinge("Guide", "Base", "Coupler", (B + C) / 2)
"""The redundant mate: the plane z = 0 of the base holds that of the coupler."""

GEAR = ("Gear", "Crank", "Wheel", 2.0)
"""Spur gears on crank and wheel, ratio r_wheel/r_crank; the point of each axis is that of its hinge to the base."""
