"""Errors in their zones: worst case, root sum of squares, and draws.

A zone is a ball (an interval, a disc) of radius t about no error. Of a linear result g · z the worst over all zones is
Σ t ‖g_zone‖, whatever the axes; with t as three standard deviations the same sum of squares is three of the result's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from cadbridge.misfit.blocks import ToleranceZone
from cadbridge.misfit.settings import DEVIATION

Array = NDArray[np.float64]

DIRECTION_CLIMBS = 40
"""Steps towards the worst direction; each goes up."""
KEPT = 1_000_000
"""So many numbers are drawn at once; where these are all of a group, they are kept for the next one."""
NO_CLIMB = 1e-12
"""A step that goes up by less than this part ends the climb: it is rounding."""


@dataclass(frozen=True, eq=False)
class Zones:
    """Zones, whose columns follow each other, with their radii (m, rad)."""

    zones: Sequence[ToleranceZone]
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
        """The errors z (…, n) for which g · z is largest, of g (…, n)."""
        lengths = self.lengths(g)
        factors = self.radii / np.where(lengths > 0.0, lengths, 1.0)
        return np.asarray(g * np.repeat(factors, self.sizes, axis=-1))

    def widest(self, G: Array) -> tuple[float, Array]:
        """The largest ‖G z‖ of G (k, n) with its direction (k,): by steps that only go up, from all axes.

        max over u of Σ t ‖Gᵀu‖; a convex function on a sphere goes up along its gradient.
        """
        k = len(G)
        if k == 1:
            return float(self.worst(G[0])), np.ones(1)
        # Started from the axes of the sum of squares, from the coordinates' axes and between them: a convex function
        # has many local maxima on a sphere, and each climb ends in one.
        _, vectors = np.linalg.eigh(G @ G.T)
        u = np.vstack([vectors.T, np.eye(k), _DIAGONALS[k]])
        values, rising = self.worst(u @ G), np.arange(len(u))
        for _ in range(DIRECTION_CLIMBS):
            gradients = self.worst_errors(u[rising] @ G) @ G.T
            sizes = np.sqrt(np.sum(gradients**2, axis=1))
            up = sizes > values[rising] * (1.0 + NO_CLIMB)
            rising = rising[up]
            if not len(rising):
                break
            u[rising], values[rising] = gradients[up] / sizes[up, None], sizes[up]
        best = int(np.argmax(values))
        return float(values[best]), u[best]

    def widest_squares(self, G: Array) -> float:
        """The root sum of squares of G z, G (k, n), in its worst direction."""
        weights = np.repeat(self.radii, self.sizes)
        return float(np.linalg.norm(G * weights, 2)) if G.size else 0.0

    def misfits(self, felt: csr_array, drawn: Drawn) -> Array:
        """What drawn errors make of `felt` (k, n), which is what each of k sums feels of them: (k, count).

        Errors are drawn for some zones after others, so that no more of them are held than `KEPT`.
        """
        columns, found = csc_array(felt), np.zeros((felt.shape[0], drawn.count))
        for start, errors in self._blocks(drawn):
            found += columns[:, start : start + len(errors)] @ errors
        return found

    def chosen(self, which: NDArray[np.int64], drawn: Drawn) -> Array:
        """The errors (n, j) of some of the draws."""
        return np.concatenate([np.zeros((0, len(which))), *(errors[:, which] for _, errors in self._blocks(drawn))])

    def _blocks(self, drawn: Drawn) -> Iterator[tuple[int, Array]]:
        """All draws, for some zones after others: the first column, and the errors (…, count) from there on."""
        sizes, radii = self.sizes.tolist(), np.repeat(self.radii, self.sizes)
        if sum(sizes) * drawn.count <= KEPT:
            yield 0, radii[:, None] * _known_draws(tuple(sizes), drawn)
            return
        random, start, most = np.random.default_rng(drawn.seed), 0, max(1, KEPT // drawn.count)
        while sizes:
            number = max(1, int(np.searchsorted(np.cumsum(sizes), most, side="right")))
            own, sizes = sizes[:number], sizes[number:]
            yield start, radii[start : start + sum(own), None] * _unit_draws(random, own, drawn)
            start += sum(own)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws of all errors: normal with the radius as three standard deviations and cut off there, or `uniform`."""

    count: int
    seed: int
    uniform: bool


def _unit_draws(random: np.random.Generator, sizes: Sequence[int], drawn: Drawn) -> Array:
    """Errors (n, count) in zones of radius 1 of so many columns each."""
    draw = _in_ball if drawn.uniform else _cut_normal
    return np.concatenate([np.zeros((0, drawn.count)), *(draw(random, size, drawn.count) for size in sizes)])


@lru_cache(maxsize=4)
def _known_draws(sizes: tuple[int, ...], drawn: Drawn) -> Array:
    """The same, kept: small groups of alike zones have the same draws."""
    return _unit_draws(np.random.default_rng(drawn.seed), sizes, drawn)


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
    # A ball of radius r has r^k of the volume: the k-th root of an even number makes points that lie evenly.
    radius = random.random(count) ** (1.0 / size)
    return np.asarray(x * (radius / np.linalg.norm(x, axis=0)))


def _cut_normal(random: np.random.Generator, size: int, count: int) -> Array:
    """Normal points (size, count) of deviation `DEVIATION`, drawn again where they leave a ball of radius 1."""
    x = DEVIATION * random.standard_normal((size, count))
    while np.any(outside := np.linalg.norm(x, axis=0) > 1.0):
        x[:, outside] = DEVIATION * random.standard_normal((size, int(outside.sum())))
    return x
