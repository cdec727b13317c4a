"""Whether rows of stresses are independent: of what mates may give up together, and of what not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solver.algebra.connected import connected
from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.rank import HIGHEST, LOWEST, significant

Array = NDArray[np.float64]

FULL = HIGHEST
"""Singular values of stresses (coefficients of about 1) above this count: placements of six digits leave 1e-5."""


def rank(A: Array) -> int:
    """How many rows of A (n, d) are independent."""
    if A.size == 0:
        return 0
    if min(A.shape) == 1:
        return int(np.linalg.norm(A) > FULL)
    return significant(np.asarray(np.linalg.svd(A, compute_uv=False), float), LOWEST, FULL)


def full_rank(A: Array) -> bool:
    """Whether all rows of A (n, d) are independent."""
    return 0 < len(A) <= A.shape[1] and rank(A) == len(A)


def unit_rows(A: Array) -> Array:
    """A (n, d) with each row of length 1, rows of zeros as they are."""
    return np.asarray(A / np.maximum(np.linalg.norm(A, axis=1, keepdims=True), LEAST_DIVISOR))


def extended(basis: Array, part: Array) -> Array | None:
    """An orthonormal basis (r + k, d) of the rows of `basis` (r, d, orthonormal) and `part` (k, d, rows of length 1).

    None where the rows of `part` are not independent of those and of each other.
    """
    rest = part
    for _ in range(2 if len(basis) else 0):
        rest = rest - (rest @ basis.T) @ basis
    if len(rest) == 1:
        size = float(np.linalg.norm(rest))
        s, Vt = np.array([size]), rest / max(size, FULL)
    else:
        _, s, Vt = np.linalg.svd(rest, full_matrices=False)
    if len(s) < len(part) or s[-1] <= FULL:
        return None
    return np.vstack([basis, Vt]) if len(basis) else np.asarray(Vt)


def independent(parts: Sequence[Array]) -> list[list[int]]:
    """The finest partition of `parts` (n_i, d) into sets whose spans are independent of each other.

    The projector onto the combinations of rows that vanish is zero between two sets exactly where none is across them.
    """
    A = unit_rows(np.vstack(parts))
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    held = U[:, : significant(np.asarray(s, float), LOWEST, FULL)]
    linked = np.abs(np.eye(len(A)) - held @ held.T) > FULL
    owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    i, j = np.nonzero(linked)
    labels = connected(len(parts), owner[i], owner[j])
    return [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels.tolist())]
