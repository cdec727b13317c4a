"""Rank decisions: equilibrated rows, one connected component at a time, at the singular values' gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.algebra.connected import connected

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_DIRECTION = 1e-14
"""A row shorter than this holds nothing at the pose looked at: its gradient is rounding alone. Rows of points and
angles have lengths near 1, those of wheels their radii over the characteristic length."""
LOWEST, HIGHEST = 1e-9, 1e-4
"""Scaled singular values above HIGHEST count, those below LOWEST do not; between, the widest gap decides.

Poses that CAD wrote with six digits leave some 1e-6; lengths of a mechanism differ by less than a thousand.
"""


@dataclass(frozen=True, eq=False)
class Rank:
    """The rank, the `smallest` scaled singular value that counts and the `largest` that does not.

    `gap` is their quotient: the wider, the surer.
    """

    rank: int
    rows: int
    smallest: float
    largest: float

    @property
    def gap(self) -> float:
        """How many times the smallest value that counts exceeds the largest that does not."""
        # Where nothing is left out, as if rounding were.
        return self.smallest / max(self.largest, 1e-16)


@dataclass(frozen=True, eq=False)
class _Component:
    """Rows and columns that hang together, with the singular value decomposition of their scaled block."""

    rows: Ints
    columns: Ints
    U: Array
    s: Array
    Vt: Array
    rank: int


def equilibrate(G: Array, length: float) -> tuple[Array, Array, Array]:
    """Scaled Ĝ, the factors of its rows (m,) and of its columns (6n,): `length` (m) weighs rotations."""
    if not (np.isfinite(length) and length > 0):
        raise ValueError(f"the characteristic length must be above zero, not {length}")
    # A turn counts as the travel that it makes at `length`: by choice, as metres and radians have no common measure.
    columns = np.tile([1.0, 1.0, 1.0, 1 / length, 1 / length, 1 / length], G.shape[1] // 6)
    scaled = G * columns
    norms = np.linalg.norm(scaled, axis=1)
    rows = np.where(norms > NO_DIRECTION, 1 / np.where(norms > NO_DIRECTION, norms, 1.0), 0.0)
    return scaled * rows[:, None], rows, columns


def rank(G: Array, length: float, lowest: float = LOWEST, highest: float = HIGHEST) -> Rank:
    """The rank of Ĝ (m, 6n), rotations weighed by the characteristic `length` (m)."""
    scaled, _, _ = equilibrate(np.asarray(G, float), length)
    parts = _decompose(scaled, lowest, highest)
    kept = np.concatenate([p.s[: p.rank] for p in parts]) if parts else np.zeros(0)
    left = np.concatenate([p.s[p.rank :] for p in parts]) if parts else np.zeros(0)
    return Rank(
        rank=sum(p.rank for p in parts),
        rows=G.shape[0],
        smallest=float(kept.min()) if kept.size else np.inf,
        largest=float(left.max()) if left.size else 0.0,
    )


def null_space(G: Array, length: float, lowest: float = LOWEST, highest: float = HIGHEST) -> Array:
    """Motions that Ĝ allows: (6n, dof), each column [v; ω] of all bodies, m/s and rad/s.

    Bodies that no rows join, however indirectly, move in different columns.
    """
    G = np.asarray(G, float)
    scaled, _, columns = equilibrate(G, length)
    found = []
    # A body that no row touches is in no component: its six motions are free as they stand.
    covered = np.zeros(G.shape[1], dtype=bool)
    for part in _decompose(scaled, lowest, highest):
        covered[part.columns] = True
        basis = np.zeros((G.shape[1], len(part.columns) - part.rank))
        basis[part.columns] = part.Vt[part.rank :].T
        found.append(basis)
    found.append(np.eye(G.shape[1])[:, ~covered])
    # Back from turns scaled by the length to rad/s.
    return np.asarray(np.hstack(found) * columns[:, None])


def left_null_space(G: Array, length: float, lowest: float = LOWEST, highest: float = HIGHEST) -> Array:
    """Combinations of rows that vanish: N (m, redundant) with Nᵀ Ĝ = 0, in units of the rows."""
    G = np.asarray(G, float)
    scaled, rows, _ = equilibrate(G, length)
    found = []
    covered = np.zeros(G.shape[0], dtype=bool)
    for part in _decompose(scaled, lowest, highest):
        covered[part.rows] = True
        basis = np.zeros((G.shape[0], len(part.rows) - part.rank))
        basis[part.rows] = part.U[:, part.rank :]
        found.append(basis)
    found.append(np.eye(G.shape[0])[:, ~covered])
    return np.asarray(np.hstack(found) * np.where(rows > 0, rows, 1.0)[:, None])


def independent_rows(G: Array, length: float, tolerance: float = 1e-6) -> NDArray[np.bool_]:
    """Which rows (m,) add to the rows before them: the first of a set that repeats itself is kept.

    Gram–Schmidt in the order given, twice for orthogonality; `tolerance` is the scaled remainder that counts.
    """
    scaled, _, _ = equilibrate(np.asarray(G, float), length)
    basis = np.zeros((min(scaled.shape), scaled.shape[1]))
    used = 0
    keep = np.zeros(scaled.shape[0], dtype=bool)
    for i, row in enumerate(scaled):
        rest = row.copy()
        for _ in range(2):
            rest -= basis[:used].T @ (basis[:used] @ rest)
        remainder = float(np.linalg.norm(rest))
        if remainder > tolerance and used < len(basis):
            keep[i] = True
            basis[used] = rest / remainder
            used += 1
    return keep


def _decompose(scaled: Array, lowest: float, highest: float) -> list[_Component]:
    return [_svd(scaled, rows, columns, lowest, highest) for rows, columns in _components(scaled)]


def _svd(scaled: Array, rows: Ints, columns: Ints, lowest: float, highest: float) -> _Component:
    # The full matrices: the vectors beyond the shorter side span the null spaces.
    U, s, Vt = np.linalg.svd(scaled[np.ix_(rows, columns)], full_matrices=True)
    return _Component(rows, columns, U, s, Vt, significant(s, lowest, highest))


def significant(s: Array, lowest: float = LOWEST, highest: float = HIGHEST) -> int:
    """How many of the descending singular values s (k,) count: the cut at the widest gap in the window."""
    first, last = int(np.count_nonzero(s >= highest)), int(np.count_nonzero(s > lowest))
    if first == last:
        return first
    # Below `lowest` all is rounding: 1e-16 after 1e-9 is no gap.
    padded = np.maximum(np.concatenate([s, [0.0]]), lowest)
    # A cut needs a value before it.
    cuts = range(max(first, 1), last + 1)
    return max(cuts, key=lambda k: padded[k - 1] / padded[k])


def _components(scaled: Array) -> list[tuple[Ints, Ints]]:
    """Rows and columns (all six of each body) that hang together; rows of zeros belong to none."""
    m, n = scaled.shape[0], scaled.shape[1] // 6
    touches = np.any(scaled.reshape(m, n, 6) != 0.0, axis=2)
    rows, bodies = np.nonzero(touches)
    label = connected(m + n, rows, m + bodies)
    result = []
    for first in np.unique(label):
        members = np.flatnonzero(label == first)
        own, bodies = members[members < m], members[members >= m] - m
        if own.size and bodies.size:
            columns = (6 * bodies[:, None] + np.arange(6)).ravel()
            result.append((own.astype(np.int64), columns.astype(np.int64)))
    return result
