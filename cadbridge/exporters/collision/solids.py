"""Box, cylinder, sphere and capsule: distance, points of the surface, volume. Centred; axes along z; metres."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Matrix, Vector

_AROUND, _ALONG = 64, 17
"""Points on a surface: so many around an axis (a chord of them is off by 0.1 % of the radius), so many along an edge.
"""


class Solid(ABC):
    """A solid that engines know without a mesh."""

    @property
    @abstractmethod
    def volume(self) -> float:
        """m³."""

    @abstractmethod
    def distance(self, points: Matrix) -> Vector:
        """Distances (n,) of points (n, 3) from the surface; negative inside."""

    @abstractmethod
    def surface(self) -> Matrix:
        """Points (n, 3) all over the surface."""


@dataclass(frozen=True)
class Box(Solid):
    """Edges `size` (x, y, z)."""

    size: tuple[float, float, float]

    @property
    def volume(self) -> float:
        return float(np.prod(self.size))

    def distance(self, points: Matrix) -> Vector:
        return _from_excess(np.abs(points) - 0.5 * np.asarray(self.size))

    def surface(self) -> Matrix:
        u, v = (g.ravel() for g in np.meshgrid(*2 * [np.linspace(-0.5, 0.5, _ALONG)]))
        sides = [np.insert(np.column_stack([u, v]), k, end, axis=1) for k in range(3) for end in (-0.5, 0.5)]
        return np.asarray(np.vstack(sides) * self.size)


@dataclass(frozen=True)
class Cylinder(Solid):
    """About z, `length` from end to end."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return float(np.pi * self.radius**2 * self.length)

    def distance(self, points: Matrix) -> Vector:
        radial = np.hypot(points[:, 0], points[:, 1]) - self.radius
        return _from_excess(np.column_stack([radial, np.abs(points[:, 2]) - 0.5 * self.length]))

    def surface(self) -> Matrix:
        ends = [_rings(self.radius * np.linspace(0, 1, _ALONG), np.full(_ALONG, z)) for z in (-0.5, 0.5)]
        return np.asarray(np.vstack([_mantle(self.radius, 1.0), *ends]) * (1.0, 1.0, self.length))


@dataclass(frozen=True)
class Sphere(Solid):
    """About the origin."""

    radius: float

    @property
    def volume(self) -> float:
        return float(4 / 3 * np.pi * self.radius**3)

    def distance(self, points: Matrix) -> Vector:
        return np.asarray(np.linalg.norm(points, axis=1) - self.radius)

    def surface(self) -> Matrix:
        angles = np.linspace(0, np.pi, 2 * _ALONG)
        return _rings(self.radius * np.sin(angles), self.radius * np.cos(angles))


@dataclass(frozen=True)
class Capsule(Solid):
    """A cylinder about z with half a sphere at each end; `length` of the cylinder alone."""

    radius: float
    length: float

    @property
    def volume(self) -> float:
        return Cylinder(self.radius, self.length).volume + Sphere(self.radius).volume

    def distance(self, points: Matrix) -> Vector:
        return Sphere(self.radius).distance(points - self._nearest(points[:, 2]))

    def surface(self) -> Matrix:
        ball = Sphere(self.radius).surface()
        return np.vstack([_mantle(self.radius, self.length), ball + self._nearest(self.length * np.sign(ball[:, 2]))])

    def _nearest(self, z: Vector) -> Matrix:
        """The points of the axis nearest to these heights."""
        half = 0.5 * self.length
        return np.column_stack([np.zeros((len(z), 2)), np.clip(z, -half, half)])


def _from_excess(excess: Matrix) -> Vector:
    """Distance from what a point exceeds each pair of faces by (n, k)."""
    outside = np.linalg.norm(np.maximum(excess, 0.0), axis=1)
    return np.asarray(outside + np.minimum(excess.max(axis=1), 0.0))


def _rings(radii: Vector, heights: Vector) -> Matrix:
    angles = np.linspace(0, 2 * np.pi, _AROUND, endpoint=False)
    x, y = np.outer(radii, np.cos(angles)), np.outer(radii, np.sin(angles))
    return np.column_stack([x.ravel(), y.ravel(), np.repeat(heights, _AROUND)])


def _mantle(radius: float, length: float) -> Matrix:
    return _rings(np.full(_ALONG, radius), length * np.linspace(-0.5, 0.5, _ALONG))
