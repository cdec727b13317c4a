"""Errors in their zones: worst case, root sum of squares, and draws.

A zone is a ball (an interval, a disc) of radius t about no error. Of a linear result g · z the worst over all zones is
Σ t ‖g_zone‖, whatever the axes; with t as three standard deviations the same sum of squares is three of the result's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.blocks import Zone
from cadbridge.misfit.settings import SHARE

Array = NDArray[np.float64]

CLIMBS = 40
"""Steps towards the worst direction; each goes up."""
KEPT = 1_000_000
"""So many numbers of draws are kept for the next group."""
LEVEL = 1e-12
"""A step that goes up by less than this part ends the climb."""


@dataclass(frozen=True, eq=False)
class Zones:
    """Zones, whose columns follow each other, with their radii (m, rad)."""

    zones: Sequence[Zone]
    radii: Array

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first column of each zone."""
        return np.array([zone.columns[0] for zone in self.zones], np.int64)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The columns of each zone."""
        return np.array([len(zone.columns) for zone in self.zones], np.int64)

    def lengths(self, g: Array) -> Array:
        """‖g‖ within each zone (…, z) of g (…, n)."""
        return np.asarray(np.sqrt(np.add.reduceat(g**2, self.starts, axis=-1)))

    def worst(self, g: Array) -> Array:
        """The largest g · z (…) over all errors in their zones, of g (…, n)."""
        return np.asarray(self.lengths(g) @ self.radii)

    def squares(self, g: Array) -> Array:
        """The root sum of squares (…) of the zones' parts in g · z, of g (…, n)."""
        return np.asarray(np.sqrt(self.lengths(g) ** 2 @ self.radii**2))

    def worst_errors(self, g: Array) -> Array:
        """The errors z (n,) for which g · z is largest."""
        lengths = self.lengths(g)
        factors = self.radii / np.where(lengths > 0.0, lengths, 1.0)
        return np.asarray(g * np.repeat(factors, self.sizes))

    def widest(self, G: Array) -> tuple[float, Array]:
        """The largest ‖G z‖ of G (k, n) with its direction (k,): by steps that only go up, from all axes.

        max over u of Σ t ‖Gᵀu‖; a convex function on a sphere goes up along its gradient.
        """
        k = len(G)
        if k == 1:
            return float(self.worst(G[0])), np.ones(1)
        _, vectors = np.linalg.eigh(G @ G.T)
        best, direction = -1.0, vectors[:, -1]
        for u in (*vectors.T, *np.eye(k), *_DIAGONALS[k]):
            value = float(self.worst(u @ G))
            for _ in range(CLIMBS):
                gradient = G @ self.worst_errors(u @ G)
                size = float(np.linalg.norm(gradient))
                if size <= value * (1.0 + LEVEL):
                    break
                u, value = gradient / size, size
            if value > best:
                best, direction = value, u
        return best, direction

    def widest_squares(self, G: Array) -> float:
        """The root sum of squares of G z, G (k, n), in its worst direction."""
        weights = np.repeat(self.radii, self.sizes)
        return float(np.linalg.norm(G * weights, 2)) if G.size else 0.0

    def draws(self, count: int, seed: int, uniform: bool) -> Array:
        """Errors (n, count): normal with the radius as three standard deviations and cut off there, or uniform."""
        sizes = tuple(self.sizes.tolist())
        draw = _known_draws if sum(sizes) * count <= KEPT else _unit_draws
        return np.repeat(self.radii, self.sizes)[:, None] * draw(sizes, count, seed, uniform)


def _unit_draws(sizes: tuple[int, ...], count: int, seed: int, uniform: bool) -> Array:
    """Errors (n, count) in zones of radius 1 of so many columns each."""
    random = np.random.default_rng(seed)
    draw = _in_ball if uniform else _cut_normal
    return np.concatenate([np.zeros((0, count)), *(draw(random, size, count) for size in sizes)])


_known_draws = lru_cache(maxsize=4)(_unit_draws)
"""The same, kept: small groups of alike zones have the same draws."""


def _between(k: int) -> Array:
    """Directions (n, k) between the axes, one of each two opposite ones."""
    corners = np.array(list(product((-1.0, 0.0, 1.0), repeat=k)))
    found = corners[np.linalg.norm(corners, axis=1) > 1.0]
    half = found[: len(found) // 2]
    return np.asarray(half / np.linalg.norm(half, axis=1, keepdims=True))


_DIAGONALS = {k: _between(k) for k in (2, 3)}
"""Directions beside the axes from which to climb."""


def _in_ball(random: np.random.Generator, size: int, count: int) -> Array:
    """Points (size, count) evenly in a ball of radius 1."""
    x = random.standard_normal((size, count))
    radius = random.random(count) ** (1.0 / size)
    return np.asarray(x * (radius / np.linalg.norm(x, axis=0)))


def _cut_normal(random: np.random.Generator, size: int, count: int) -> Array:
    """Normal points (size, count) of deviation `SHARE`, drawn again where they lie outside of the ball of radius 1."""
    x = SHARE * random.standard_normal((size, count))
    while np.any(outside := np.linalg.norm(x, axis=0) > 1.0):
        x[:, outside] = SHARE * random.standard_normal((size, int(outside.sum())))
    return x
