"""The rows that close loops: where they pass and end, the order of their elimination, the structure of its factor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.algebra.connected import connected
from solver.algebra.division import LEAST_DIVISOR
from solver.algebra.elimination import columns_of, eliminate, flat, starts
from solver.constraints.program import Program

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_SAFE = 1e6
"""How many times heavier than a row's own bodies those of its loops may be before μ w hides what they give."""
_LEAST = 1e-6
"""A smaller part of μ w would be lost in the rounding of w."""


def loops(program: Program, closing: Ints, place: Ints, parent: Ints, own: Array, span: float) -> dict[str, Any]:
    """Slots, order of elimination and structure of the factor for the rows that close loops; see `Forest`.

    `own` (n, 2) kg and kg m² of the bodies by number, with what is added to them; they lie within `span` m.
    """
    paths = _paths(program, closing, place, parent)
    order, columns = eliminate([passed for _, passed in paths], [-top for top, _ in paths])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    tops = np.array([paths[i][0] for i in order], dtype=np.int64)
    below, passing = _passing([paths[i][1] for i in order])
    counts = np.bincount(below, minlength=program.bodies)
    slots = _Slots(below, passing, tops)
    start, column = columns_of(number, columns, np.array([len(c) for c in columns], dtype=np.int64))
    rows = closing[order]
    return {
        "row": rows,
        "share": _shares(program, rows, (below, passing), place, parent, own, span),
        **_tables(program, rows, place, parent, counts, tops, slots),
        "column_start": start,
        "column": column,
        "column_slot": slots.find(np.repeat(tops, np.diff(start)), column),
    }


def _paths(program: Program, closing: Ints, place: Ints, parent: Ints) -> list[tuple[int, list[int]]]:
    """Where each row closes (a place; −1: the ground), and the places it passes below."""
    T = program.terms
    bodies = np.stack([T.body_a, T.body_b], axis=1).tolist()
    spans = zip(T.row_term[closing].tolist(), T.row_term[closing + 1].tolist(), strict=True)
    places, parents = place.tolist(), parent.tolist()
    known: dict[tuple[int, ...], tuple[int, list[int]]] = {}
    found = []
    for start, end in spans:
        named = tuple(body for pair in bodies[start:end] for body in pair)
        if named not in known:
            known[named] = _path({places[body] for body in named}, parents)
        found.append(known[named])
    return found


def _path(here: set[int], parents: list[int]) -> tuple[int, list[int]]:
    """The lowest common ancestor of places, and the places below it."""
    # Parents come before their children: of several places, the largest is no ancestor of the others.
    passed: list[int] = []
    while len(here) > 1:
        k = max(here)
        here.discard(k)
        here.add(parents[k])
        passed.append(k)
    return here.pop(), passed


def _shares(
    program: Program, rows: Ints, passed: tuple[Ints, Ints], place: Ints, parent: Ints, own: Array, span: float
) -> Array:
    """The part (l,) of μ w by which rows that pass places are shifted; see `solver.sweeps.factor`.

    What a row is between free bodies goes with the least mass or moment of its own. Where that is held between heavy
    bodies, the row gives only as much as these do.
    """
    T, count, (below, passing) = program.terms, len(rows), passed
    if not count:
        return np.zeros(0)
    heavy = np.zeros((len(parent), 2))
    # A row about a body also moves what hangs beyond it: masses and moments are summed from the leaves, a mass with the
    # moment that it has across the whole mechanism.
    heavy[place[:-1]] = own + [0.0, span**2] * own[:, :1]
    for k in range(len(parent) - 1, -1, -1):
        if parent[k] >= 0:
            heavy[parent[k]] += heavy[k]
    # Rows whose paths share a place hold each other's bodies, so that the heaviest under any of them counts for all.
    together = connected(count + len(parent), passing, count + below)
    heaviest = np.zeros((count + len(parent), 2))
    np.maximum.at(heaviest, together[count + below], heavy[below])
    # An entry beyond the last: `reduceat` starts there for a last row that names no moving body.
    free = np.full((1, 2), np.inf)
    named = np.concatenate([np.concatenate([own, free])[T.block_body], free])
    lightest = np.minimum.reduceat(named, T.row_block[:-1])[rows]
    share: Array = (lightest / np.maximum(heaviest[together[:count]], LEAST_DIVISOR)).min(axis=1)
    return np.clip(_SAFE * share, _LEAST, 1.0)


def _passing(passed: list[list[int]]) -> tuple[Ints, Ints]:
    """Places, ascending, and with each the numbers of the rows that pass it."""
    counts = np.array([len(path) for path in passed], dtype=np.int64)
    below, passing = flat(passed, counts), np.repeat(np.arange(len(passed)), counts)
    order = np.argsort(below, kind="stable")
    return below[order], passing[order]


class _Slots:
    """The slots by place: first the rows that pass (by the sorted lists `below`, `passing`), then those that end."""

    def __init__(self, below: Ints, passing: Ints, tops: Ints) -> None:
        ends = np.flatnonzero(tops >= 0)
        at = np.concatenate([below, tops[ends]])
        order = np.argsort(at, kind="stable")
        self.passing = passing
        self.at, self.loop = at[order], np.concatenate([passing, ends])[order]
        self.count = len(tops)
        keys = self.at * self.count + self.loop
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def find(self, at: Ints, loop: Ints) -> Ints:
        """The slots of rows at places; −1 where they have none."""
        if not len(self._keys):
            return np.full(len(loop), -1, dtype=np.int64)
        keys = at * self.count + loop
        k = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[k] == keys, self._order[k], -1)


def _tables(
    program: Program, rows: Ints, place: Ints, parent: Ints, counts: Ints, tops: Ints, slots: _Slots
) -> dict[str, Ints]:
    T, n = program.terms, program.bodies
    ending = np.bincount(tops[tops >= 0], minlength=n)
    blocks = T.row_block[rows + 1] - T.row_block[rows]
    owner = np.repeat(np.arange(len(rows)), blocks)
    mine = np.arange(len(owner)) + np.repeat(T.row_block[rows] - (np.cumsum(blocks) - blocks), blocks)
    block = np.full(len(slots.loop), -1, dtype=np.int64)
    block[slots.find(place[T.block_body[mine]], owner)] = mine
    return {
        "closed": starts(ending[::-1]),
        "slot_start": starts(counts + ending),
        "passing": counts,
        "slot_loop": slots.loop,
        "slot_parent": slots.find(parent[slots.at], slots.loop),
        "slot_block": block,
        "own_slot": slots.find(tops, np.arange(len(tops))),
    }
