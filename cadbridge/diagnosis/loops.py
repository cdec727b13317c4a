"""Loops in relative coordinates: their closing conditions as one dense matrix for each block that shares motions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import ROUNDED_AWAY, Branch, Chord, Stresses, carried
from cadbridge.diagnosis.pairs import NO_PART, Choice, Reduced, reduce_rows
from solver.algebra.connected import connected

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class _Way(NamedTuple):
    """A chord, its wrenches along the branches (by unit), their coordinates (k,), its conditions (r, k) in these."""

    chord: Chord
    along: dict[int, Array]
    columns: Ints
    J: Array


@dataclass(frozen=True, eq=False)
class SmallLoops:
    """Closing conditions J (m, k) of the chords' rows, reduced; see `cadbridge.diagnosis.branches.Loops`."""

    branches: dict[int, Branch]
    ways: tuple[_Way, ...]
    columns: Ints
    J: Array
    reduced: Reduced

    @property
    def chords(self) -> tuple[Chord, ...]:
        """The connections that close the loops."""
        return tuple(way.chord for way in self.ways)

    @property
    def units(self) -> tuple[int, ...]:
        """The units whose branches are part of the loops."""
        return tuple(sorted({unit for way in self.ways for unit in way.along}))

    @property
    def rank(self) -> int:
        """How many conditions are independent."""
        return len(self.reduced.basis)

    @property
    def freedom(self) -> Array:
        """The motions (k, d) that the loops leave, orthonormal."""
        return self.reduced.freedom

    @cached_property
    def rows(self) -> Ints:
        """The rows (m,) of the closing conditions."""
        return np.concatenate([chord.rows for chord in self.chords])

    @cached_property
    def _others(self) -> Ints:
        return np.setdiff1d(np.arange(len(self.rows)), self.reduced.basis)

    @property
    def repeated(self) -> Ints:
        """The rows (d,) that repeat others around the loops."""
        return self.rows[self._others]

    @cached_property
    def stresses(self) -> Stresses:
        """The combinations of conditions that vanish, with what they lead through the tree's branches."""
        others = self._others
        combination = np.zeros((len(others), len(self.rows)))
        combination[np.arange(len(others)), others] = 1.0
        combination[:, self.reduced.basis] -= self.reduced.coefficients[others]
        parts = [_sparse(self.rows, combination)]
        for unit, wrench in self._carried_by(combination).items():
            pair = self.branches[unit].pair
            if pair is None or pair.rank == 0:
                continue
            # A self-stress sums to nothing on each unit: the rows of the branch bear the opposite of what the chords
            # put on it.
            sign = -1.0 if unit == pair.b else 1.0
            weights = sign * np.asarray(np.linalg.lstsq(pair.W[pair.basis].T, wrench.T, rcond=None)[0].T, float)
            parts.append(_sparse(pair.rows[pair.basis], weights))
        return Stresses(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _carried_by(self, combination: Array) -> dict[int, Array]:
        """Wrenches (d, 6) on the branches (by unit) of combinations (d, m) of the conditions."""
        total: dict[int, Array] = {}
        start = 0
        for way in self.ways:
            part = combination[:, start : start + len(way.chord.rows)]
            start += len(way.chord.rows)
            if not np.any(part):
                continue
            for unit, W in way.along.items():
                wrench = part @ W
                total[unit] = total[unit] + wrench if unit in total else wrench
        return total


def small_loops(
    branches: dict[int, Branch], chords: Sequence[Chord], coordinates: int, choice: Choice
) -> list[SmallLoops]:
    """The loops that chords close, those together that share motions; `choice` as in `graph_of`."""
    ways = [_way(branches, chord) for chord in chords]
    return [_loops(branches, group, choice) for group in _blocks(coordinates, ways)]


def _sparse(rows: Ints, combination: Array) -> tuple[Ints, Ints, Array]:
    column, i = np.nonzero(np.abs(combination) > NO_PART)
    return rows[i], column, combination[column, i]


def _way(branches: dict[int, Branch], chord: Chord) -> _Way:
    along = carried(branches, chord.wrenches)
    if not along:
        return _Way(chord, along, np.zeros(0, np.int64), np.zeros((len(chord.rows), 0)))
    own = [branches[unit] for unit in along]
    sizes = [branch.freedom.shape[1] for branch in own]
    columns = np.concatenate([np.arange(branch.first, branch.columns.stop) for branch in own])
    W = np.repeat(np.array(list(along.values())), sizes, axis=0)
    return _Way(chord, along, columns, np.einsum("kri,ik->rk", W, np.hstack([branch.freedom for branch in own])))


def _blocks(coordinates: int, ways: list[_Way]) -> list[list[_Way]]:
    """Chords joined by the coordinates that they see, in the order of their first members."""
    n = len(ways)
    seen = [way.columns[np.any(np.abs(way.J) > ROUNDED_AWAY, axis=0)] for way in ways]
    chord = np.repeat(np.arange(n), [len(columns) for columns in seen])
    label = connected(n + coordinates, chord, n + np.concatenate([np.zeros(0, np.int64), *seen]))
    groups: dict[int, list[_Way]] = defaultdict(list)
    for way, group in zip(ways, label[:n].tolist(), strict=True):
        groups[group].append(way)
    return list(groups.values())


def _loops(branches: dict[int, Branch], ways: list[_Way], choice: Choice) -> SmallLoops:
    columns = np.unique(np.concatenate([way.columns[np.any(np.abs(way.J) > ROUNDED_AWAY, axis=0)] for way in ways]))
    J = np.zeros((sum(len(way.J) for way in ways), len(columns)))
    start = 0
    for way in ways:
        known = np.isin(way.columns, columns)
        J[start : start + len(way.J), np.searchsorted(columns, way.columns[known])] = way.J[:, known]
        start += len(way.J)
    # As the blocks were told apart without it, so the rank must not see it either.
    J[np.abs(J) < ROUNDED_AWAY] = 0.0
    return SmallLoops(branches, tuple(ways), columns, J, reduce_rows(J, choice))
