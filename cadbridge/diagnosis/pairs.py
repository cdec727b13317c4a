"""The stack of mates between two units, reduced to the space of its rows, with the way back to every row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.mechanism.rows import Rows
from solver.algebra.rank import HIGHEST, LOWEST, significant
from solver.constraints import GROUND

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

NO_PART = 1e-7
"""A coefficient of a dependence below which a row takes no part in it (rows of unit length): a choice between what the
rounding of files makes and true parts, which are ratios of lengths of one machine."""
ROWS_AT_ONCE = 192
"""Rows that are orthogonalised against all before them at once: products of matrices of this width run at full speed.
"""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A basis among rows (m): `basis` (r,) their places, `coefficients` (m, r) with row = coefficients · basis."""

    basis: Ints
    coefficients: Array
    freedom: Array


@dataclass(frozen=True, eq=False)
class BodyPair:
    """All rows between the units `a` (maybe the ground, -1) and `b`, strongest first.

    `rows` (m,) are their numbers, `W` (m, 6) their wrenches on b for the twist of b relative to a; `freedom`
    (6, 6 - r) the relative twists that they leave, orthonormal. `basis` (r,) and `coefficients` (m, r): see `Reduced`.
    """

    a: int
    b: int
    rows: Ints
    W: Array
    basis: Ints
    coefficients: Array
    freedom: Array

    @property
    def rank(self) -> int:
        """How many of the rows are independent."""
        return len(self.basis)


def stacks_of(rows: Rows, order: Sequence[int]) -> tuple[dict[tuple[int, int], list[int]], list[int]]:
    """The rows between every two units (a maybe the ground, -1), and the rows of three units and more.

    `order` lists all rows, those to be kept first.
    """
    stacks: dict[tuple[int, int], list[int]] = defaultdict(list)
    wide = []
    for i in order:
        if not rows.units[i]:
            continue  # within one unit: sees nothing move
        if len(rows.ends[i]) > 2:
            wide.append(i)
        else:
            a, b = sorted(rows.ends[i]) if len(rows.ends[i]) == 2 else (GROUND, rows.ends[i][0])
            stacks[a, b].append(i)
    return stacks, wide


@dataclass(frozen=True)
class Choice:
    """How rows are chosen: a scaled singular value above `highest` counts, below `lowest` none does.

    Kept are the first rows that are independent, or the `strongest`: each the one with most left over.
    """

    highest: float = HIGHEST
    lowest: float = LOWEST
    strongest: bool = False


FIRST = Choice()


def pair_of(rows: Rows, a: int, b: int, members: list[int], choice: Choice) -> BodyPair:
    """The rows `members` between two units, reduced."""
    W = np.array([rows.wrenches[i][rows.units[i].index(b)] for i in members])
    found = reduce_rows(W, choice)
    return BodyPair(a, b, np.array(members, np.int64), W, found.basis, found.coefficients, found.freedom)


def reduce_rows(W: Array, choice: Choice = FIRST) -> Reduced:
    """The rank of W (m, n) at the gap of its singular values, the rows chosen as a basis, and all as their sums."""
    m, n = W.shape
    if m == 0 or n == 0:
        return Reduced(np.zeros(0, np.int64), np.zeros((m, 0)), np.eye(n))
    # The triangle of many rows has their singular values and right vectors.
    square = np.linalg.qr(W, mode="r") if m > 2 * n else W
    _, s, Vt = np.linalg.svd(square, full_matrices=True)
    r = significant(s, choice.lowest, choice.highest)
    if r == m:
        return Reduced(np.arange(m), np.eye(m), Vt[r:].T)
    # What rows that repeat others add by rounding need not show in the singular values.
    basis = _strongest(W, r) if choice.strongest else first_independent(W, r, 1e-3)
    coefficients = np.zeros((m, r))
    coefficients[basis, np.arange(r)] = 1.0
    others = np.setdiff1d(np.arange(m), basis)
    if r and len(others):
        Q, R = np.linalg.qr(W[basis].T)
        solved = np.linalg.solve(R, Q.T @ W[others].T).T
        coefficients[others] = np.where(np.abs(solved) > NO_PART, solved, 0.0)
    return Reduced(basis, coefficients, Vt[r:].T)


def first_independent(W: Array, r: int, threshold: float) -> Ints:
    """The first r rows of W (m, n) that add more than `threshold` to the rows before them.

    Gram–Schmidt in the order given, twice for orthogonality, in chunks. Where the threshold leaves fewer than r, the
    rows with most left over follow.
    """
    while True:
        chosen = _sweep(W, r, threshold)
        # Below, what rows add is rounding: then the strongest are taken, whatever their order.
        if len(chosen) == r or threshold < 1e-11:
            break
        # Ten times less, until there are enough: an earlier row that adds little goes before a later one.
        threshold *= 0.1
    return np.array(chosen, np.int64) if len(chosen) == r else _strongest(W, r)


def _strongest(W: Array, r: int) -> Ints:
    """So many rows of W (m, n), each the one with most left over beside those before it, by their places."""
    from scipy.linalg import qr

    return np.sort(qr(W.T, mode="economic", pivoting=True)[2][:r]).astype(np.int64)


def _sweep(W: Array, r: int, threshold: float) -> list[int]:
    basis = np.zeros((r, W.shape[1]))
    chosen: list[int] = []
    for start in range(0, len(W), ROWS_AT_ONCE):
        known = basis[: len(chosen)]
        rest = W[start : start + ROWS_AT_ONCE].copy()
        for _ in range(2):
            rest -= (rest @ known.T) @ known
        first = len(chosen)
        candidates = np.flatnonzero(np.linalg.norm(rest, axis=1) > threshold)
        for i in candidates:
            if len(chosen) == r:
                return chosen
            row = rest[i]
            new = basis[first : len(chosen)]
            for _ in range(2):
                row = row - new.T @ (new @ row)
            remainder = float(np.linalg.norm(row))
            if remainder > threshold:
                basis[len(chosen)] = row / remainder
                chosen.append(start + int(i))
    return chosen
