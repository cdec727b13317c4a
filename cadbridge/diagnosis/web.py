"""Units and mates as a tree and the loops that close it: rank and motions without one large matrix.

A spanning tree of the strongest connections gives every unit's twist as the sum of the relative motions along
its path. The rows of all other connections, written in these, are the closing conditions of the loops; they fall
apart into blocks that share no motion. What is factorised is a stack of at most a few dozen rows for each pair, and
one matrix for each block of loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.pairs import Pair, Reduced, pair_of, reduce_rows, stacks_of
from cadbridge.mechanism.rows import GROUND, Rows
from solver.connected import connected
from solver.rank import HIGHEST, LOWEST

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
    pair: Pair | None
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
    pair: Pair | None
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
class Web:
    """Everything about the rows' dependence: pairs, the tree's branches (by unit), loops."""

    rows: Rows
    pairs: tuple[Pair, ...]
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


def web_of(
    rows: Rows,
    order: Sequence[int],
    highest: float = HIGHEST,
    readable: Callable[[Pair], Array] | None = None,
    known: tuple[Pair, ...] | None = None,
    lowest: float = LOWEST,
) -> Web:
    """The web of rows, those first in `order` (all rows) kept where rows repeat each other.

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
    tree, others = _spanning(rows.count, pairs)
    branches = _branches(rows.count, tree)
    chords = [_chord(branches, p.rows[p.basis], _both(p), p) for p in others if p.rank]
    chords += [
        _chord(
            branches, np.array([i]), {u: w[None] for u, w in zip(rows.units[i], rows.wrenches[i], strict=True)}, None
        )
        for i in wide
    ]
    chords.sort(key=lambda c: min(place[int(i)] for i in c.rows))
    loops = tuple(_loops(branches, group, highest, lowest) for group in _blocks(branches, chords))
    coordinates = sum(b.freedom.shape[1] for b in branches.values())
    return Web(rows, tuple(pairs), branches, tuple(chords), loops, coordinates)


def _both(pair: Pair) -> dict[int, Array]:
    W = pair.W[pair.basis]
    return {pair.b: W} if pair.a == GROUND else {pair.b: W, pair.a: -W}


def _spanning(count: int, pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """Kruskal's spanning forest of units and ground, the pairs that hold most first."""
    owner = list(range(count + 1))

    def find(i: int) -> int:
        while owner[i] != i:
            owner[i] = owner[owner[i]]
            i = owner[i]
        return i

    tree, others = [], []
    for pair in pairs:
        a, b = find(pair.a), find(pair.b)  # the ground, -1, is the last
        if a == b or pair.rank == 0:
            others.append(pair)
        else:
            owner[a] = b
            tree.append(pair)
    return tree, others


def _branches(count: int, tree: list[Pair]) -> dict[int, Branch]:
    """The tree rooted in the ground; a group of units that nothing ties to it hangs on six free coordinates."""
    near: dict[int, list[tuple[int, Pair]]] = defaultdict(list)
    for pair in tree:
        near[pair.a].append((pair.b, pair))
        near[pair.b].append((pair.a, pair))
    branches: dict[int, Branch] = {}
    first = 0
    for root in (GROUND, *range(count)):
        if root in branches:
            continue
        if root != GROUND:
            branches[root] = Branch(root, GROUND, None, np.eye(6), first, 1)
            first += 6
        waiting = [root]
        for unit in waiting:  # grows while it is walked: breadth first
            for other, pair in near[unit]:
                if other != GROUND and other not in branches:
                    freedom = pair.freedom if other == pair.b else -pair.freedom
                    depth = branches[unit].depth + 1 if unit != GROUND else 1
                    branches[other] = Branch(other, unit, pair, freedom, first, depth)
                    first += freedom.shape[1]
                    waiting.append(other)
    return branches


def _chord(branches: dict[int, Branch], rows: Ints, wrenches: dict[int, Array], pair: Pair | None) -> Chord:
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


def _blocks(branches: dict[int, Branch], chords: list[Chord]) -> list[list[Chord]]:
    """Chords joined by the coordinates that they see, in the order of their first members."""
    n = len(chords)
    entries = []
    for k, chord in enumerate(chords):
        for unit, W in chord.along.items():
            seen = np.any(np.abs(W @ branches[unit].freedom) > UNSEEN, axis=0)
            entries += [(k, n + c) for c, s in zip(branches[unit].columns, seen, strict=True) if s]
    size = n + sum(b.freedom.shape[1] for b in branches.values())
    if not entries:
        return [[c] for c in chords]
    i, j = np.array(entries).T
    label = connected(size, i, j)
    groups: dict[int, list[Chord]] = defaultdict(list)
    for k, chord in enumerate(chords):
        groups[int(label[k])].append(chord)
    return list(groups.values())


def _loops(branches: dict[int, Branch], chords: list[Chord], highest: float, lowest: float) -> Loops:
    parts = []
    for chord in chords:
        for unit, W in chord.along.items():
            parts.append((chord, branches[unit], W @ branches[unit].freedom))
    columns = np.unique(
        [
            c
            for _, branch, J in parts
            for c, s in zip(branch.columns, np.any(np.abs(J) > UNSEEN, axis=0), strict=True)
            if s
        ]
    ).astype(np.int64)
    starts = dict(zip(map(id, chords), np.cumsum([0] + [len(c.rows) for c in chords]).tolist(), strict=False))
    J = np.zeros((sum(len(c.rows) for c in chords), len(columns)))
    for chord, branch, part in parts:
        at = np.searchsorted(columns, np.arange(branch.first, branch.columns.stop))
        for k, column in enumerate(branch.columns):
            if at[k] < len(columns) and columns[at[k]] == column:
                J[starts[id(chord)] : starts[id(chord)] + len(chord.rows), at[k]] += part[:, k]
    J[np.abs(J) < UNSEEN] = 0.0
    rows = np.concatenate([c.rows for c in chords])
    return Loops(tuple(chords), rows, columns, J, reduce_rows(J, highest, lowest))
