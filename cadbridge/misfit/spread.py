"""How widely results spread that follow from the same few sums of errors: ‖F P z‖ of many F, one P and all errors z.

With n errors each F costs a time that goes with n, and there are as many F as mates: for groups of many errors zones
that pull the few sums the same way are taken together first. Of zones with radii t and Q = P_z P_zᵀ, Σ t √(vᵀ Q v) is
at most T √(vᵀ Q̄ v), with T = Σ t and Q̄ the mean of all Q weighed by t (a square root is concave): a bound, near where
the zones are alike. It finds the direction in which a result is widest; there the zones themselves are summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.blocks import ToleranceZone
from cadbridge.misfit.zones import Zones

Array = NDArray[np.float64]

MANY_ERRORS = 2000
"""Errors from which zones are taken together: below, the exact sums take less time than to group them."""
CELLS = (0.1, 0.05, 0.02, 0.01)
"""How alike zones must be, coarse first: parts of the trace of Q."""
CLOSE_BOUND = 1e-3
"""The bound may exceed what it bounds by this part; else zones are taken together no further."""
DIRECTIONS_COMPARED = 500
"""Directions in which the bound is compared: at random, so that one of a hundred where it is exceeded is found almost
surely."""
NUMBERS_AT_ONCE = 4_000_000
"""So many numbers of one kind are computed with at once: 32 MB."""


@dataclass(frozen=True, eq=False)
class Spread:
    """Errors in `zones`, of which `P` (d, n) are the sums that count."""

    zones: Zones
    P: Array

    def widest(self, parts: Sequence[Array]) -> tuple[Array, Array]:
        """The largest ‖F P z‖ of each F (k, d), and a bound that it does not pass, as closely as `CLOSE_BOUND` says."""
        if self._merged is None:
            found = np.array([self.zones.widest(F @ self.P)[0] for F in parts])
            return found, found
        zones, P = self._merged
        bounds, directions = zip(*(zones.widest(F @ P) for F in parts), strict=True)
        V = np.array([u @ F for u, F in zip(directions, parts, strict=True)])
        return self._worst(V), np.array(bounds)

    def squares(self, F: Array) -> float:
        """The root sum of squares of F P z, F (k, d), in its worst direction."""
        return float(np.sqrt(max(float(np.linalg.eigvalsh(F @ self._covariance @ F.T)[-1]), 0.0)))

    @cached_property
    def _covariance(self) -> Array:
        weighed = self.P * np.repeat(self.zones.radii, self.zones.sizes)
        return np.asarray(weighed @ weighed.T)

    def _worst(self, V: Array) -> Array:
        """The largest v · P z (q,) over all errors, of V (q, d)."""
        step = max(1, NUMBERS_AT_ONCE // self.P.shape[1])
        return np.concatenate([self.zones.worst(V[i : i + step] @ self.P) for i in range(0, len(V), step)])

    @cached_property
    def _merged(self) -> tuple[Zones, Array] | None:
        """Fewer zones that bound the same, with their P; None where there are few, or they are too unlike."""
        d, n = self.P.shape
        if n < MANY_ERRORS:
            return None
        Q = np.zeros((len(self.zones.radii), d, d))
        np.add.at(Q, np.repeat(np.arange(len(Q)), self.zones.sizes), np.einsum("in,jn->nij", self.P, self.P))
        trace = np.trace(Q, axis1=1, axis2=2)
        own = np.flatnonzero(trace > 0.0)
        size, shape, t = np.sqrt(trace[own]), Q[own] / trace[own, None, None], self.zones.radii[own]
        V = np.random.default_rng(0).standard_normal((DIRECTIONS_COMPARED, d))
        exact = self._worst(V)
        for cell in CELLS:
            keys = np.round(shape.reshape(len(own), -1) / cell).astype(np.int64)
            _, cluster = np.unique(keys, axis=0, return_inverse=True)
            count = int(cluster.max(initial=-1)) + 1
            if 4 * count > len(own):
                return None
            merged = _merged(cluster.ravel(), count, t * size, shape)
            if np.all(merged[0].worst(V @ merged[1]) <= exact * (1.0 + CLOSE_BOUND)):
                return merged
        return None


def _merged(cluster: NDArray[np.int64], count: int, t: Array, shape: Array) -> tuple[Zones, Array]:
    """The zones of each of so many clusters as one: of radii t (z,) and Q of trace 1 (z, d, d)."""
    d = shape.shape[1]
    radii, mean = np.zeros(count), np.zeros((count, d, d))
    np.add.at(radii, cluster, t)
    np.add.at(mean, cluster, t[:, None, None] * shape)
    values, vectors = np.linalg.eigh(mean / radii[:, None, None])
    roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    zones = [ToleranceZone("", None, "", np.arange(d * i, d * i + d)) for i in range(count)]
    return Zones(zones, radii), np.hstack(list(roots))
