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
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Branch, Chord, Loops
from cadbridge.diagnosis.large_loops import MOST_DENSE_COORDINATES, LargeLoops, Reduction, reduction_of
from cadbridge.diagnosis.loops import small_loops
from cadbridge.diagnosis.pairs import FIRST, BodyPair, Choice, pair_of, stacks_of
from cadbridge.mechanism.rows import Rows
from solver.algebra.connected import rooted, spanning_forest
from solver.constraints import GROUND

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


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

    @property
    def reductions(self) -> list[Reduction]:
        """What is known of the large loops, whatever the bases of the freedoms."""
        return [block.reduction for block in self.loops if isinstance(block, LargeLoops)]

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

    @cached_property
    def _ranges(self) -> tuple[Ints, Ints, Ints]:
        """The units with each subtree in one piece (n,), and where the subtree of each unit starts and ends."""
        waiting = [unit for unit, branch in self.branches.items() if branch.parent == GROUND]
        order: list[int] = []
        while waiting:
            order.append(unit := waiting.pop())
            waiting += self.children.get(unit, ())
        start, size = np.zeros(self.rows.count, np.int64), np.ones(self.rows.count, np.int64)
        start[order] = np.arange(len(order))
        for unit in reversed(order):
            if (parent := self.branches[unit].parent) != GROUND:
                size[parent] += size[unit]
        return np.array(order, np.int64), start, start + size

    @cached_property
    def _columns(self) -> Array:
        """Of each coordinate its twist (k, 6)."""
        return np.concatenate([np.zeros((0, 6)), *(branch.freedom.T for branch in self.branches.values())])

    def all_twists(self, q: Array) -> Array:
        """Twists (n, 6) of all units, as of `twists`: faster where much of a large tree moves."""
        order, start, end = self._ranges
        # A coordinate moves the whole subtree of its unit, which is one piece of the order: its twist is added where
        # the piece starts and taken off where it ends, and the running sum has for each unit all that move it.
        steps = np.zeros((len(order) + 1, 6))
        moved = np.flatnonzero(q)
        own = self._columns[moved] * q[moved, None]
        np.add.at(steps, start[self.unit_of[moved]], own)
        np.subtract.at(steps, end[self.unit_of[moved]], own)
        V = np.zeros((self.rows.count, 6))
        V[order] = np.cumsum(steps, axis=0)[:-1]
        return V


def graph_of(
    rows: Rows,
    order: Sequence[int],
    choice: Choice = FIRST,
    readable: Callable[[BodyPair], Array] | None = None,
    known: ConstraintGraph | None = None,
) -> ConstraintGraph:
    """The graph of rows, those first in `order` (all rows) kept where rows repeat each other, or what `choice` says.

    `readable` gives other bases for the freedoms of pairs, columns of length 1. `known` is the graph of the same rows
    with other bases.
    """
    stacks, wide = stacks_of(rows, order)
    pairs = [pair_of(rows, a, b, own, choice) for (a, b), own in stacks.items()] if known is None else list(known.pairs)
    if readable is not None:
        pairs = [replace(p, freedom=readable(p)) for p in pairs]
    place = {row: k for k, row in enumerate(order)}
    # The strongest first: what the tree holds needs no closing row, and what it leaves free is a coordinate.
    pairs.sort(key=lambda p: (-p.rank, min(place[int(i)] for i in p.rows)))
    tree, others = _spanning(pairs)
    branches = _branches(rows.count, tree)
    chords = [Chord(p.rows[p.basis], _both(p), p) for p in others if p.rank]
    chords += [
        Chord(np.array([i]), {u: w[None] for u, w in zip(rows.units[i], rows.wrenches[i], strict=True)}, None)
        for i in wide
    ]
    chords.sort(key=lambda c: min(place[int(i)] for i in c.rows))
    coordinates = sum(b.freedom.shape[1] for b in branches.values())
    small, large = _together(rows, branches, chords) if coordinates > MOST_DENSE_COORDINATES else (chords, [])
    # By their place in `order`: a large part keeps those that come first there, as the small ones do.
    numbers = np.empty(len(rows), np.int64)
    numbers[list(order)] = np.arange(len(rows))
    reductions = known.reductions if known else [reduction_of(branches, *part, numbers, choice) for part in large]
    loops: list[Loops] = [*small_loops(branches, small, coordinates, choice)]
    loops += [LargeLoops(branches, tuple(own), R) for (_, _, own), R in zip(large, reductions, strict=True)]
    return ConstraintGraph(rows, tuple(pairs), branches, tuple(chords), tuple(loops), coordinates)


def _together(
    rows: Rows, branches: dict[int, Branch], chords: list[Chord]
) -> tuple[list[Chord], list[tuple[set[int], list[BodyPair], list[Chord]]]]:
    """Chords whose loops are small; and the units, pairs of the tree and chords of each large part of the graph.

    The parts are the biconnected ones of the graph of units: loops of two of them share no motion. Where couplings hold
    a group that floats by others, its six free coordinates are in the loops, which are looked at as small ones.
    """
    # Not light, and few models have so many coordinates.
    from networkx import Graph, biconnected_component_edges

    ends = [rows.ends[int(c.rows[0])] if c.pair is None else (c.pair.a, c.pair.b) for c in chords]
    graph = Graph([(unit, branch.parent) for unit, branch in branches.items()])
    # A row of three units, as of a ratio with its carrier, ties each to each; so any two of them tell its part below.
    graph.add_edges_from(edge for held in ends for edge in combinations(held, 2))
    parts = [list(edges) for edges in biconnected_component_edges(graph)]
    part = {frozenset(edge): k for k, edges in enumerate(parts) for edge in edges}
    held: dict[int, list[BodyPair]] = defaultdict(list)
    closed: dict[int, list[Chord]] = defaultdict(list)
    floating = set()
    for unit, branch in branches.items():
        own = part[frozenset((unit, branch.parent))]
        if branch.pair is None:
            floating.add(own)
        else:
            held[own].append(branch.pair)
    for chord, units in zip(chords, ends, strict=True):
        closed[part[frozenset(units[:2])]].append(chord)
    sizes = {k: sum(pair.freedom.shape[1] for pair in held[k]) for k in closed if k not in floating}
    large = [k for k, size in sizes.items() if size > MOST_DENSE_COORDINATES]
    small = [chord for k, chained in closed.items() if k not in large for chord in chained]
    return small, [({unit for edge in parts[k] for unit in edge}, held[k], closed[k]) for k in large]


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
