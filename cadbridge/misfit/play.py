"""The play that mates need so that parts with errors go together, for many errors at once and with bounds.

With displacements E y of the rows, mates with misfits e are off by r = E y + e. Parts go together with a play t w of
the blocks where ‖r_b‖ ≤ t w_b in each of them. The least such t is found from both sides: springs of stiffness k
between the parts leave some r, which is one way to put them together, so that t ≤ max ‖r_b‖ / w_b; and their forces
λ = k r are a self-stress, which no displacement changes, so that t ≥ λᵀe / Σ w_b ‖λ_b‖. Where the
bounds differ each spring is made stiffer in proportion to how far its block is off, until they meet (C. L. Lawson's
algorithm for the least largest deviation, thesis, UCLA 1961; the bounds are those of linear programming's duality).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array

from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.spread import Spread
from cadbridge.misfit.zones import Zones
from solver.algebra.division import LEAST_DIVISOR

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

SPRING_ROUNDS = 400
"""Rounds of springs, each a solution of linear equations: a choice. The two bounds of the play say how close it came.
"""
FEW_ROUNDS = 40
"""Rounds that tell how much some errors need beside others: enough to order them, not to know their play."""
CLOSE_BOUNDS = 1e-2
"""Of draws the bounds may differ by this part: about as much as the draws themselves scatter."""
EXACT_BOUNDS = 1e-11
"""Of the worst errors by this: they are told to more digits, and compared with published ones."""
NO_PLAY = 1e-12
"""m: play below this is rounding, and known closely enough."""
SOFTEST_SPRING = 1e-9
"""A spring that is softer than this part of the stiffest becomes no softer: seven of sixteen digits are left with it.
"""
NUMBERS, FEWEST = 50_000, 128
"""So many numbers of one kind are computed with at once, which a processor's cache holds; at least so many misfits."""
WORST_STARTS = 48
"""Draws, of those that need most, from which the worst errors are looked for: a choice. Climbs from many ends are
alike."""
STRESS_CLIMBS = 12
"""Steps from some errors' worst stress to that stress's worst errors: each goes up, between finitely many corners; a
choice."""


@dataclass(frozen=True, eq=False)
class Needed:
    """For k misfits: bounds of the play (k,) in m, a stress (m, k) that needs `low`, a way (m, k) that has `high`."""

    low: Array
    high: Array
    stress: Array
    off: Array


@dataclass(frozen=True, eq=False)
class Play:
    """A group whose blocks have play in proportion to `w` (1 for each place, 1/m of its reach for each turn)."""

    group: DependentMates
    w: Array
    softest: ClassVar[float] = SOFTEST_SPRING

    @cached_property
    def _by_stresses(self) -> bool:
        return self.group.N.shape[1] <= self.group.E.shape[1]

    @cached_property
    def seen(self) -> csr_array:
        """What is needed of misfits (m,), as a matrix (k, m): what the self-stresses feel of them, or all of them."""
        return csr_array(self.group.N.T) if self._by_stresses else eye_array(len(self.group.rows), format="csr")

    @cached_property
    def _basis(self) -> Array:
        return np.asarray((self.group.N if self._by_stresses else self.group.E).toarray())

    @cached_property
    def _squares(self) -> Array:
        """The products (b, n²) of the basis's entries, summed over the rows of each block."""
        M = [self._basis[block.rows] for block in self.group.blocks]
        return np.array([part.T @ part for part in M]).reshape(len(M), -1)

    @cached_property
    def _owner(self) -> NDArray[np.int64]:
        """The block (m,) of each row."""
        owner = np.zeros(len(self.group.rows), np.int64)
        for b, block in enumerate(self.group.blocks):
            owner[block.rows] = b
        return owner

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows block by block, and where each block starts."""
        order = np.concatenate([block.rows for block in self.group.blocks])
        sizes = [len(block.rows) for block in self.group.blocks]
        return order, np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    def _sizes(self, r: Array) -> Array:
        """‖r_b‖ (b, k) of each block of r (m, k)."""
        order, starts = self._order
        return np.asarray(np.sqrt(np.add.reduceat(r[order] ** 2, starts, axis=0)))

    def _solved(self, e: Array, k: Array) -> Array:
        """The unknowns (n, c) of the basis for springs k (b, c) and misfits e (k, c) as they are seen."""
        # The smaller of two systems for the same springs: Nᵀ K⁻¹ N x = Nᵀ e over the self-stresses, whose forces are N
        # x, or Eᵀ K E y = Eᵀ K e over the displacements, which leave e − E y.
        M, n = self._basis, self._basis.shape[1]
        H = ((1.0 / k if self._by_stresses else k).T @ self._squares).reshape(-1, n, n)
        right = e if self._by_stresses else M.T @ (k[self._owner] * e)
        if len(H) == 1:
            return np.asarray(np.linalg.solve(H[0], right))
        return np.asarray(np.linalg.solve(H, right.T[:, :, None])[:, :, 0].T)

    def _left(self, e: Array, k: Array) -> Array:
        """What springs k (b, c) leave of misfits e (k, c), as they are seen: r (m, c); k (b, 1) serve all of them."""
        M, solved = self._basis, self._solved(e, k)
        return np.asarray(M @ solved / k[self._owner] if self._by_stresses else e - M @ solved)

    def least(self, misfits: Array, close: float = EXACT_BOUNDS, rounds: int = SPRING_ROUNDS) -> Needed:
        """The least play for misfits (m, c), to within `close` where so many rounds of springs are enough."""
        return self.least_seen(np.asarray(self.seen @ misfits), close, rounds)

    def least_seen(self, e: Array, close: float = EXACT_BOUNDS, rounds: int = SPRING_ROUNDS) -> Needed:
        """The same for misfits e (k, c) as they are `seen`."""
        parts = [self._least(e[:, i : i + self._step], close, rounds) for i in range(0, e.shape[1], self._step)]
        return Needed(
            np.concatenate([p.low for p in parts]), np.concatenate([p.high for p in parts]),
            np.hstack([p.stress for p in parts]), np.hstack([p.off for p in parts]),
        )  # fmt: skip

    @cached_property
    def _step(self) -> int:
        """So many misfits are computed with at once."""
        return max(FEWEST, NUMBERS // max(len(self.group.rows), int(self._squares.shape[1])))

    def _least(self, e: Array, close: float, rounds: int) -> Needed:
        c, m = e.shape[1], len(self.group.rows)
        best = Needed(np.zeros(c), np.full(c, np.inf), np.zeros((m, c)), np.zeros((m, c)))
        open_, k = np.arange(c), self._first(c)
        for _ in range(rounds):
            stiff = k[self._owner]
            low, high, r, total, k = self._round(e[:, open_], k)
            better = low > best.low[open_]
            best.low[open_[better]], best.stress[:, open_[better]] = low[better], (stiff * r / total)[:, better]
            better = high < best.high[open_]
            best.high[open_[better]], best.off[:, open_[better]] = high[better], r[:, better]
            left = best.high[open_] - best.low[open_] > np.maximum(close * best.high[open_], NO_PLAY)
            if not np.any(left):
                break
            open_, k = open_[left], k[:, left]
        return replace(best, high=np.maximum(best.low, best.high))

    def bounds(self, e: Array, undecided: Callable[[Array, Array], Bools]) -> tuple[Array, Array]:
        """Bounds low and high (c,) of the play for misfits e (k, c), as they are `seen`, as close as `undecided` asks.

        It says of bounds which misfits (c,) need closer ones.
        """
        c = e.shape[1]
        low, high, k = np.zeros(c), np.full(c, np.inf), np.empty((len(self.w), c))
        open_ = np.ones(c, bool)
        for turn in range(SPRING_ROUNDS):
            numbers = np.flatnonzero(open_)
            for own in np.array_split(numbers, -(-len(numbers) // self._step)):
                least, most, _, _, k[:, own] = self._round(e[:, own], k[:, own] if turn else self._first(1))
                low[own], high[own] = np.maximum(low[own], least), np.minimum(high[own], most)
            high = np.maximum(low, high)
            open_ = undecided(low, high)
            if not np.any(open_):
                break
        return low, high

    def _first(self, c: int) -> Array:
        """The springs (b, c) of the first round."""
        return np.ones((len(self.w), c)) / self.w[:, None] ** 2

    def _round(self, e: Array, k: Array) -> tuple[Array, Array, Array, Array, Array]:
        """What springs k (b, c) tell of misfits e (k, c): low, high (c,), what they leave (m, c) and the next springs.

        The forces of the springs over the fourth, `total` (c,), are the stress that needs `low`. With r what is left,
        λᵀe = λᵀr.
        """
        r = self._left(e, k)
        sizes = self._sizes(r)
        off, force = sizes / self.w[:, None], k * sizes
        total = np.sum(self.w[:, None] * force, axis=0)
        total = np.where(total > 0.0, total, 1.0)
        after = k * off
        after = np.maximum(after / np.maximum(np.max(after, axis=0), LEAST_DIVISOR), self.softest)
        return np.sum(force * sizes, axis=0) / total, np.max(off, axis=0), r, total, after

    def worst(self, zones: Zones, gaps: Array, errors: Array) -> Array:
        """The errors (n,) in their zones that need most play, of those found (a lower bound of the worst case).

        Starts from the draws `errors` (n, k) and the single self-stresses; each round takes the errors to which the
        last self-stress is most sensitive, as long as the play grows.
        """
        B = self.group.B
        z = np.hstack([errors, *(zones.worst_errors(np.asarray(c @ B))[:, None] for c in self._stresses(gaps))])
        best, found = -np.inf, z[:, 0]
        before = np.full(z.shape[1], -np.inf)
        for _ in range(STRESS_CLIMBS):
            needed = self.least(gaps[:, None] + B @ z, CLOSE_BOUNDS, FEW_ROUNDS)
            k = int(np.argmax(needed.low))
            if needed.low[k] > best:
                best, found = float(needed.low[k]), z[:, k]
            # A tenth of how close the bounds are: a smaller rise is their own looseness.
            up = needed.low > before * (1.0 + CLOSE_BOUNDS * 0.1)
            if not np.any(up):
                break
            before = needed.low[up]
            z = np.column_stack([zones.worst_errors(g) for g in np.asarray(needed.stress.T[up] @ B)])
        return found

    def _stresses(self, gaps: Array) -> list[Array]:
        """Self-stresses (m,): each column of N with the sign in which it feels the misfits as designed."""
        N = self.group.N[:, :WORST_STARTS] if self.group.redundant > WORST_STARTS else self.group.N
        return [c * (1.0 if float(c @ gaps) >= 0.0 else -1.0) for c in N.toarray().T]

    def sufficient(self, zones: Zones, gaps: Array, k: Array) -> float:
        """A play (m) with which errors in their zones go together for certain: springs k (b,) leave no more of them."""
        B, M, blocks = self.group.B, self._basis, self.group.blocks
        felt = self._solved((self.seen @ B).toarray(), k[:, None])
        fixed = Play._left(self, self.seen @ gaps[:, None], k[:, None])
        if self._by_stresses:
            parts = [M[block.rows] / stiff for block, stiff in zip(blocks, k, strict=True)]
            left = Spread(zones, felt).widest(parts)[1]
        else:
            left = np.array([zones.widest(B[block.rows].toarray() - M[block.rows] @ felt)[0] for block in blocks])
        still = np.array([float(np.linalg.norm(fixed[block.rows])) for block in blocks])
        return float(np.max((left + still) / self.w))


def deciding(levels: Sequence[float], most: int) -> Callable[[Array, Array], Bools]:
    """Which draws (c,) must be known closer: those that may be a quantile of `levels`, or of the `most` largest ones.

    A quantile lies between the same quantile of the lower bounds and of the upper ones.
    """

    def undecided(low: Array, high: Array) -> Bools:
        places = [*levels, max(0.0, 1.0 - most / len(low))]
        found = np.zeros(len(low), bool)
        for least, largest in zip(np.quantile(low, places), np.quantile(high, places), strict=True):
            if largest - least > CLOSE_BOUNDS * largest:
                found |= (high >= least) & (low <= largest)
        return found & (high - low > CLOSE_BOUNDS * high)

    return undecided
