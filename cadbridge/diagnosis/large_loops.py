"""Many loops that hang together: rank, motions and self-stresses without a matrix of all of them.

The twists of the units are eliminated one after the other (`cadbridge.diagnosis.fronts`), so that work and memory grow
with the fronts, which are narrow in what one draws, and no path to the root of the tree is walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Branch, Chord, Stresses
from cadbridge.diagnosis.fronts import Element, Front, Sparse, fronts_of, motions_of, stress_parts
from cadbridge.diagnosis.pairs import NO_PART, BodyPair, Choice
from solver.constraints import GROUND

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_DENSE_COORDINATES = 300
"""Coordinates of the tree above which loops are looked at by fronts: below, one decomposition of a dense matrix takes
tens of milliseconds, and its singular values say more; its time grows with the third power."""
_SURE = 0.1
"""A row repeats others where its part in a self-stress is at least this of the largest, if one has such a part."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """The rows between `units`, relative to the one that is nearest to the ground, reduced front by front.

    `places` (m,) are the rows' places in the order of preference. Elements are the rows `owned` of a pair, orthonormal
    by the inverses `turned` (r, r) of the triangular factors of their wrenches, or one row of several units.
    """

    units: tuple[int, ...]
    places: Ints
    strongest: bool
    owned: tuple[Ints, ...]
    turned: tuple[Array, ...]
    fronts: tuple[Front, ...]

    @cached_property
    def twists(self) -> dict[int, Sparse]:
        """Of every unit its twists (6, a) in the motions that move it."""
        return dict(zip(self.units, motions_of(self.fronts, len(self.units)), strict=True))

    @cached_property
    def stresses(self) -> tuple[Ints, Stresses]:
        """The rows (d,) that repeat others around the loops, and their self-stresses, each near where it arises."""
        found = _Echelon(len(self.places))
        for k, front in enumerate(self.fronts):
            if front.zero.shape[1]:
                rows, values = found.remainder(*self._stresses_at(k))
                found.add(rows, values, self._least(rows, values))
        column = np.repeat(np.arange(len(found.rows)), [len(rows) for rows in found.rows])
        row, value = np.concatenate([*found.rows, []]), np.concatenate([*found.values, []])
        return np.array(found.repeated, np.int64), Stresses(row.astype(np.int64), column, value)

    def _stresses_at(self, k: int) -> tuple[Ints, Array]:
        """The self-stresses that front k finds: rows (m,), ascending, and their parts (m, z)."""
        parts = stress_parts(self.fronts, k)
        rows = np.concatenate([self._rows[at] for at, _ in parts])
        values = np.concatenate([self._weights[at] @ part for at, part in parts])
        order = np.argsort(rows)
        return rows[order], values[order]

    @cached_property
    def _rows(self) -> list[Ints]:
        """The rows of each front's elements."""
        none = np.zeros(0, np.int64)
        return [np.concatenate([none, *(self.owned[element] for element in front.elements)]) for front in self.fronts]

    @cached_property
    def _weights(self) -> list[Array]:
        """What makes the parts of these rows of those of each front's elements, which are orthonormal."""
        # Not light, and only large loops come here.
        from scipy.linalg import block_diag

        return [block_diag(*(self.turned[element] for element in front.elements)) for front in self.fronts]

    def _least(self, rows: Ints, values: Array) -> list[int]:
        """Which rows (by their places in `rows`) repeat others: the last of those to be kept, or the weakest."""
        size = np.max(np.abs(values), axis=1)
        order = np.argsort(-self.places[rows] if not self.strongest else -size, kind="stable")
        chosen: list[int] = []
        basis = np.zeros((0, values.shape[1]))
        # Sure ones first; what is left is taken as it comes, as every freedom of a front needs a row of its own.
        for margin in (_SURE, 1e-3, 0.0):
            for k in order:
                if len(chosen) == values.shape[1]:
                    return chosen
                rest = values[k] - (values[k] @ basis.T) @ basis
                left = float(np.linalg.norm(rest))
                if k not in chosen and left > margin * float(size.max()):
                    basis = np.vstack([basis, rest / left])
                    chosen.append(int(k))
        return chosen


@dataclass(frozen=True, eq=False)
class LargeLoops:
    """Loops that were reduced front by front; see `cadbridge.diagnosis.branches.Loops`."""

    branches: dict[int, Branch]
    chords: tuple[Chord, ...]
    reduction: Reduction

    @property
    def units(self) -> tuple[int, ...]:
        """The units whose branches are part of the loops."""
        return self.reduction.units

    @cached_property
    def columns(self) -> Ints:
        """All coordinates (k,) of the units' branches, ascending."""
        return np.sort(np.concatenate([np.array(self.branches[unit].columns, np.int64) for unit in self.units]))

    @cached_property
    def rank(self) -> int:
        """How many closing conditions are independent."""
        return len(self.columns) - sum(int(front.free.shape[1]) for front in self.reduction.fronts)

    @cached_property
    def freedom(self) -> Array:
        """The motions (k, d) that the loops leave, orthonormal."""
        twists = self.reduction.twists
        still = Sparse(np.zeros(0, np.int64), np.zeros((6, 0)))
        found = np.zeros((len(self.columns), len(self.columns) - self.rank))
        for unit in self.units:
            branch = self.branches[unit]
            if not len(branch.columns):
                continue
            own, base = twists[unit], twists.get(branch.parent, still)
            ids = np.union1d(own.ids, base.ids)
            twist = np.zeros((6, len(ids)))
            twist[:, np.searchsorted(ids, own.ids)] = own.values
            twist[:, np.searchsorted(ids, base.ids)] -= base.values
            rows = np.searchsorted(self.columns, np.array(branch.columns))
            found[np.ix_(rows, ids)] = np.linalg.lstsq(branch.freedom, twist, rcond=None)[0]
        return np.linalg.qr(found)[0]

    @property
    def repeated(self) -> Ints:
        """The rows (d,) that repeat others around the loops."""
        return self.reduction.stresses[0]

    @property
    def stresses(self) -> Stresses:
        """The self-stresses; those found later have no part of what earlier ones repeat."""
        return self.reduction.stresses[1]


class _Echelon:
    """Self-stresses of `count` rows, each with one row of part 1 in which none found later has a part."""

    def __init__(self, count: int) -> None:
        self.repeated: list[int] = []
        self.rows: list[Ints] = []
        self.values: list[Array] = []
        self._by = np.full(count, -1, np.int64)
        self._place = np.zeros(count, np.int64)

    def remainder(self, own: Ints, raw: Array) -> tuple[Ints, Array]:
        """Self-stresses (rows, a) less sums of those known, so that they have no part in the rows that these repeat."""
        known, rows = self._met(own)
        place = self._place
        place[rows] = np.arange(len(rows))
        values = np.zeros((len(rows), raw.shape[1]))
        values[place[own]] = raw
        # An earlier one may have a part in what a later one repeats, but not the other way round.
        for k in known:
            factor = values[place[self.repeated[k]]]
            if factor.any():
                values[place[self.rows[k]]] -= self.values[k][:, None] * factor
        left = (self._by[rows] < 0) & (np.max(np.abs(values), axis=1) > NO_PART)
        return rows[left], values[left]

    def _met(self, rows: Ints) -> tuple[list[int], Ints]:
        """The known self-stresses that rows lead to, ascending, and all rows of these."""
        known: set[int] = set()
        parts = [rows]
        while len(parts[-1]):
            new = set(self._by[parts[-1]].tolist()) - known - {-1}
            known |= new
            parts.append(np.concatenate([np.zeros(0, np.int64), *(self.rows[k] for k in new)]))
        return sorted(known), np.unique(np.concatenate(parts))

    def add(self, rows: Ints, values: Array, chosen: list[int]) -> None:
        """Self-stresses (rows, a) in which the `chosen` rows, by their places, are to repeat the others."""
        values = values @ np.linalg.inv(values[chosen])
        for j, place in enumerate(chosen):
            kept = np.abs(values[:, j]) > NO_PART
            self._by[rows[place]] = len(self.rows)
            self.repeated.append(int(rows[place]))
            self.rows.append(rows[kept])
            self.values.append(values[kept, j])


def reduction_of(
    branches: dict[int, Branch],
    held: set[int],
    tree: Sequence[BodyPair],
    chords: Sequence[Chord],
    places: Ints,
    choice: Choice,
) -> Reduction:
    """The pairs of the `tree` and the `chords` between the units `held`, maybe with the ground."""
    pairs = [*tree, *(chord.pair for chord in chords if chord.pair is not None)]
    root = GROUND if GROUND in held else min(held, key=lambda u: branches[u].depth)
    units = tuple(sorted(held - {root}))
    number = {unit: k for k, unit in enumerate(units)}
    owned, turned, elements = [], [], []
    for pair in pairs:
        Q, R = np.linalg.qr(pair.W[pair.basis].T)
        owned.append(pair.rows[pair.basis])
        turned.append(np.linalg.inv(R))
        elements.append(_element(number, {pair.b: Q.T, pair.a: -Q.T}))
    for chord in (chord for chord in chords if chord.pair is None):
        owned.append(chord.rows)
        turned.append(np.eye(1))
        elements.append(_element(number, chord.wrenches))
    fronts = fronts_of(elements, len(units), choice.lowest, choice.highest)
    return Reduction(units, places, choice.strongest, tuple(owned), tuple(turned), tuple(fronts))


def _element(number: dict[int, int], wrenches: dict[int, Array]) -> Element:
    seen = [(number[unit], W) for unit, W in wrenches.items() if unit in number]
    return Element(tuple(unit for unit, _ in seen), np.hstack([W for _, W in seen]))
