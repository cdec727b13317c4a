"""Units and mates as a tree and the loops that close it: rank and motions without one large matrix.

A spanning tree of the strongest connections gives every unit's twist as the sum of the relative motions along
its path. The rows of all other connections, written in these, are the closing conditions of the loops; they fall
apart into blocks that share no motion. What is factorised is a stack of at most a few dozen rows for each pair, and
one matrix for each block of loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.pairs import BodyPair, Reduced, pair_of, reduce_rows, stacks_of
from cadbridge.mechanism.rows import GROUND, Rows
from solver.algebra.connected import connected, rooted, spanning_forest
from solver.algebra.rank import HIGHEST, LOWEST

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

UNSEEN = 1e-11
"""An entry of a closing condition below this is rounding."""


@dataclass(frozen=True, eq=False)
class Branch:
    """The connection of a unit with its parent in the tree. `pair` is None where no mate leads to the ground.

    `freedom` (6, k) are the twists of the unit relative to its parent; their coordinates start at `first`.
    """

    unit: int
    parent: int
    pair: BodyPair | None
    freedom: Array
    first: int
    depth: int

    @property
    def columns(self) -> range:
        """The coordinates of the branch."""
        return range(self.first, self.first + self.freedom.shape[1])


@dataclass(frozen=True, eq=False)
class Chord:
    """Independent rows that close loops: `rows` (r,) and their wrenches (r, 6) on each unit that they hold."""

    rows: Ints
    wrenches: dict[int, Array]
    pair: BodyPair | None
    along: dict[int, Array]


@dataclass(frozen=True, eq=False)
class Loops:
    """Closing conditions that share motions: J (m, k) of `rows` (m,) in the coordinates `columns` (k,).

    `reduced.basis` are the conditions that count, `reduced.freedom` (k, d) the motions they leave.
    """

    chords: tuple[Chord, ...]
    rows: Ints
    columns: Ints
    J: Array
    reduced: Reduced

    @property
    def rank(self) -> int:
        """How many conditions are independent."""
        return len(self.reduced.basis)


@dataclass(frozen=True, eq=False)
class ConstraintGraph:
    """Everything about the rows' dependence: pairs, the tree's branches (by unit), loops."""

    rows: Rows
    pairs: tuple[BodyPair, ...]
    branches: dict[int, Branch]
    chords: tuple[Chord, ...]
    loops: tuple[Loops, ...]
    coordinates: int

    @property
    def dof(self) -> int:
        """Instantaneous mobility."""
        return self.coordinates - sum(block.rank for block in self.loops)

    @property
    def rank(self) -> int:
        """The rank of all rows."""
        return 6 * self.rows.count - self.dof

    @cached_property
    def children(self) -> dict[int, list[int]]:
        """The units whose branches start at a unit."""
        found: dict[int, list[int]] = defaultdict(list)
        for unit, branch in self.branches.items():
            found[branch.parent].append(unit)
        return found

    @cached_property
    def unit_of(self) -> Ints:
        """The unit (k,) to whose branch each coordinate belongs."""
        found = np.zeros(self.coordinates, np.int64)
        for unit, branch in self.branches.items():
            found[branch.first : branch.columns.stop] = unit
        return found

    def twists(self, q: Array) -> dict[int, Array]:
        """Twists (6,) of the units that move with coordinates q (k,): [v of the rows' centre; ω·length]."""
        moved = sorted(set(self.unit_of[np.flatnonzero(q)].tolist()), key=lambda u: self.branches[u].depth)
        V: dict[int, Array] = {}
        for start in moved:
            if start in V:
                continue  # hangs on one that moves already
            waiting = [start]
            for unit in waiting:
                branch = self.branches[unit]
                V[unit] = branch.freedom @ q[branch.first : branch.columns.stop]
                if branch.parent in V:
                    V[unit] = V[unit] + V[branch.parent]
                waiting += self.children.get(unit, ())
        return V


def graph_of(
    rows: Rows,
    order: Sequence[int],
    highest: float = HIGHEST,
    readable: Callable[[BodyPair], Array] | None = None,
    known: tuple[BodyPair, ...] | None = None,
    lowest: float = LOWEST,
) -> ConstraintGraph:
    """The graph of rows, those first in `order` (all rows) kept where rows repeat each other.

    `highest` is the scaled singular value above which every one counts, `lowest` that below which none does.
    `readable` gives other bases for the freedoms of pairs, columns of length 1. `known` are the pairs, where they have
    been reduced before.
    """
    stacks, wide = stacks_of(rows, order)
    pairs = (
        [pair_of(rows, a, b, own, highest, lowest) for (a, b), own in stacks.items()] if known is None else list(known)
    )
    if readable is not None:
        pairs = [replace(p, freedom=readable(p)) for p in pairs]
    place = {row: k for k, row in enumerate(order)}
    pairs.sort(key=lambda p: (-p.rank, min(place[int(i)] for i in p.rows)))
    tree, others = _spanning(pairs)
    branches = _branches(rows.count, tree)
    chords = [_chord(branches, p.rows[p.basis], _both(p), p) for p in others if p.rank]
    chords += [
        _chord(
            branches, np.array([i]), {u: w[None] for u, w in zip(rows.units[i], rows.wrenches[i], strict=True)}, None
        )
        for i in wide
    ]
    chords.sort(key=lambda c: min(place[int(i)] for i in c.rows))
    coordinates = sum(b.freedom.shape[1] for b in branches.values())
    groups = _blocks(coordinates, [_way(branches, chord) for chord in chords])
    loops = tuple(_loops(group, highest, lowest) for group in groups)
    return ConstraintGraph(rows, tuple(pairs), branches, tuple(chords), loops, coordinates)


def _both(pair: BodyPair) -> dict[int, Array]:
    W = pair.W[pair.basis]
    return {pair.b: W} if pair.a == GROUND else {pair.b: W, pair.a: -W}


def _spanning(pairs: Sequence[BodyPair]) -> tuple[list[BodyPair], list[BodyPair]]:
    """A spanning forest of units and ground along the pairs, the first of them first, and the pairs that close it."""
    firm = [pair for pair in pairs if pair.rank]
    taken = {id(firm[i]) for i in spanning_forest([(pair.a, pair.b) for pair in firm], lambda i: i)}
    return [pair for pair in pairs if id(pair) in taken], [pair for pair in pairs if id(pair) not in taken]


def _branches(count: int, tree: list[BodyPair]) -> dict[int, Branch]:
    """The tree rooted in the ground; a group of units that nothing ties to it hangs on six free coordinates."""
    branches: dict[int, Branch] = {}
    first = 0
    for unit, parent, edge in rooted([(pair.a, pair.b) for pair in tree], (GROUND, *range(count))):
        if unit == GROUND:
            continue
        if parent is None or edge is None:
            branches[unit] = Branch(unit, GROUND, None, np.eye(6), first, 1)
        else:
            pair = tree[edge]
            freedom = pair.freedom if unit == pair.b else -pair.freedom
            depth = branches[parent].depth + 1 if parent != GROUND else 1
            branches[unit] = Branch(unit, parent, pair, freedom, first, depth)
        first = branches[unit].columns.stop
    return branches


def _chord(branches: dict[int, Branch], rows: Ints, wrenches: dict[int, Array], pair: BodyPair | None) -> Chord:
    return Chord(rows, wrenches, pair, carried(branches, wrenches))


def carried(branches: dict[int, Branch], wrenches: dict[int, Array]) -> dict[int, Array]:
    """Wrenches (r, 6) on units as wrenches on the relative motions of the branches (by unit) between them.

    Climbs from the deepest unit until all have met; what is left then is the sum, which is none, or acts on the ground.
    """
    at = {unit: W.copy() for unit, W in wrenches.items()}
    along: dict[int, Array] = {}
    size = max(float(np.max(np.abs(W), initial=0.0)) for W in wrenches.values())
    while at:
        unit = max(at, key=lambda u: (branches[u].depth, u))
        W = at.pop(unit)
        if not at and float(np.max(np.abs(W), initial=0.0)) <= UNSEEN * max(size, 1.0) * 100:
            break
        along[unit] = W
        parent = branches[unit].parent
        if parent != GROUND:
            at[parent] = at[parent] + W if parent in at else W
    return along


class _Way(NamedTuple):
    """A chord, the coordinates (k,) of the branches along it, and its conditions (r, k) in these."""

    chord: Chord
    columns: Ints
    J: Array


def _way(branches: dict[int, Branch], chord: Chord) -> _Way:
    along = [branches[unit] for unit in chord.along]
    if not along:
        return _Way(chord, np.zeros(0, np.int64), np.zeros((len(chord.rows), 0)))
    sizes = [branch.freedom.shape[1] for branch in along]
    columns = np.concatenate([np.arange(branch.first, branch.columns.stop) for branch in along])
    W = np.repeat(np.array(list(chord.along.values())), sizes, axis=0)
    return _Way(chord, columns, np.einsum("kri,ik->rk", W, np.hstack([branch.freedom for branch in along])))


def _blocks(coordinates: int, ways: list[_Way]) -> list[list[_Way]]:
    """Chords joined by the coordinates that they see, in the order of their first members."""
    n = len(ways)
    seen = [way.columns[np.any(np.abs(way.J) > UNSEEN, axis=0)] for way in ways]
    chord = np.repeat(np.arange(n), [len(columns) for columns in seen])
    label = connected(n + coordinates, chord, n + np.concatenate([np.zeros(0, np.int64), *seen]))
    groups: dict[int, list[_Way]] = defaultdict(list)
    for way, group in zip(ways, label[:n].tolist(), strict=True):
        groups[group].append(way)
    return list(groups.values())


def _loops(ways: list[_Way], highest: float, lowest: float) -> Loops:
    chords = tuple(way.chord for way in ways)
    columns = np.unique(np.concatenate([way.columns[np.any(np.abs(way.J) > UNSEEN, axis=0)] for way in ways]))
    J = np.zeros((sum(len(c.rows) for c in chords), len(columns)))
    start = 0
    for way in ways:
        known = np.isin(way.columns, columns)
        J[start : start + len(way.J), np.searchsorted(columns, way.columns[known])] = way.J[:, known]
        start += len(way.J)
    J[np.abs(J) < UNSEEN] = 0.0
    rows = np.concatenate([c.rows for c in chords])
    return Loops(chords, rows, columns, J, reduce_rows(J, highest, lowest))
