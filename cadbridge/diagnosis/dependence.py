"""Linear dependence among rows: which repeat others, and on which they depend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.rank import equilibrate, independent_rows

Array = NDArray[np.float64]
NEGLIGIBLE = 1e-7
"""A coefficient of a dependence below which a row takes no part in it (rows of unit length)."""


@dataclass(frozen=True, eq=False)
class Dependence:
    """`keep` (m,) marks a basis, the first rows of each dependence; `circuits` gives for every other row
    the rows of the basis that it is made of: the fundamental circuits of the rows' matroid. `combinations`
    gives the row as that combination: weights (m,) with row = Σ weight · row of the basis, in units of the rows.
    """

    keep: NDArray[np.bool_]
    circuits: dict[int, tuple[int, ...]]
    combinations: dict[int, Array]

    @property
    def rank(self) -> int:
        """How many rows are independent."""
        return int(np.sum(self.keep))


def dependence(G: Array, length: float, order: NDArray[np.int64]) -> Dependence:
    """Dependences among rows of Ĝ (m, 6n), the rows taken in `order` (m,); `length` (m) weighs rotations."""
    m = G.shape[0]
    keep = np.zeros(m, dtype=bool)
    keep[order] = independent_rows(G[order], length) if m else False
    scaled, factors, _ = equilibrate(G, length)
    basis = np.flatnonzero(keep)
    others = np.flatnonzero(~keep)
    if len(others) == 0:
        return Dependence(keep, {}, {})
    coefficients, *_ = np.linalg.lstsq(scaled[basis].T, scaled[others].T, rcond=None)
    circuits = {
        int(row): tuple(int(i) for i in basis[np.abs(coefficients[:, k]) > NEGLIGIBLE]) for k, row in enumerate(others)
    }
    combinations = {}
    for k, row in enumerate(others):
        weights = np.zeros(m)
        if factors[row] > 0:
            weights[basis] = coefficients[:, k] * factors[basis] / factors[row]
        combinations[int(row)] = weights
    return Dependence(keep, circuits, combinations)


def spans(rows: Array, targets: Array, tolerance: float = 1e-6) -> bool:
    """Whether `targets` (k, n) lie in the span of `rows` (m, n), all of about unit length."""
    if len(targets) == 0:
        return True
    if len(rows) == 0:
        return False
    coefficients, *_ = np.linalg.lstsq(rows.T, targets.T, rcond=1e-10)
    return bool(np.max(np.abs(rows.T @ coefficients - targets.T)) < tolerance)
