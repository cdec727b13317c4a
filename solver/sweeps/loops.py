"""The rows that close loops: where they pass and end, the order of their elimination, the structure of its factor."""

from __future__ import annotations

import heapq
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.constraints.program import Program

Ints = NDArray[np.int64]


def loops(program: Program, closing: list[int], place: Ints, parent: Ints) -> dict[str, Any]:
    """Slots, order of elimination and structure of the factor for the rows that close loops; see `Forest`."""
    n = program.bodies
    paths = [_path(program, row, place, parent) for row in closing]
    graph = _coupled(n, paths)
    order, columns = _eliminate(n, [top for top, _ in paths], graph)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    tops = [paths[i][0] for i in order]
    passing: list[list[int]] = [[] for _ in range(n)]
    for i in order:
        for k in paths[i][1]:
            passing[k].append(int(number[i]))
    ends: list[list[int]] = [[] for _ in range(n)]
    for e, top in enumerate(tops):
        if top >= 0:
            ends[top].append(e)
    rows = np.array([closing[i] for i in order], dtype=np.int64)
    slots = _slots(program, rows, place, parent, passing, ends)
    patterns = [[e, *sorted(int(number[c]) for c in columns[e])] for e in range(len(order))]
    return {"row": rows, **slots[0], **_factor(patterns, tops, passing, slots[1])}


def _path(program: Program, row: int, place: Ints, parent: Ints) -> tuple[int, list[int]]:
    """Where a row closes (a place; −1: the ground), and the places it passes below."""
    T, n = program.terms, program.bodies
    terms = slice(T.row_term[row], T.row_term[row + 1])
    bodies = {int(b) for b in (*T.body_a[terms], *T.body_b[terms])}
    # Parents come before their children: of several places, the largest is no ancestor of the others.
    here = {int(place[body]) if body != n else -1 for body in bodies}
    passed: list[int] = []
    while len(here) > 1:
        k = max(here)
        here.discard(k)
        here.add(int(parent[k]))
        passed.append(k)
    return here.pop(), sorted(passed)


def _coupled(n: int, paths: list[tuple[int, list[int]]]) -> list[set[int]]:
    """For each row the others that pass one joint with it."""
    through: list[list[int]] = [[] for _ in range(n)]
    for i, (_, path) in enumerate(paths):
        for k in path:
            through[k].append(i)
    near: list[set[int]] = [set() for _ in paths]
    for members in through:
        for i in members:
            near[i].update(members)
    for i, others in enumerate(near):
        others.discard(i)
    return near


def _eliminate(n: int, tops: list[int], near: list[set[int]]) -> tuple[list[int], list[list[int]]]:
    """Rows in the order in which the sweep meets their ends, by least degree at each; with each, its neighbours."""
    graph = [set(s) for s in near]
    at: dict[int, set[int]] = defaultdict(set)
    for i, top in enumerate(tops):
        at[top].add(i)
    order: list[int] = []
    columns: list[list[int]] = []
    for top in sorted(at, reverse=True):
        queue = [(len(graph[i]), i) for i in at[top]]
        heapq.heapify(queue)
        left = set(at[top])
        while left:
            degree, i = heapq.heappop(queue)
            if i not in left or degree != len(graph[i]):
                continue
            left.discard(i)
            order.append(i)
            columns.append(list(graph[i]))
            for j in graph[i]:
                graph[j] |= graph[i]
                graph[j] -= {i, j}
            for j in graph[i] & left:
                heapq.heappush(queue, (len(graph[j]), j))
    return order, columns


def _slots(
    program: Program, rows: Ints, place: Ints, parent: Ints, passing: list[list[int]], ends: list[list[int]]
) -> tuple[dict[str, Ints], dict[tuple[int, int], int]]:
    T, n = program.terms, program.bodies
    members = [(k, e) for k in range(n) for e in (*passing[k], *ends[k])]
    at = {member: i for i, member in enumerate(members)}
    block = np.full(len(members), -1, dtype=np.int64)
    for e, row in enumerate(rows):
        for b in range(T.row_block[row], T.row_block[row + 1]):
            block[at[int(place[T.block_body[b]]), e]] = b
    own = np.full(len(rows), -1, dtype=np.int64)
    for k, members_here in enumerate(ends):
        for e in members_here:
            own[e] = at[k, e]
    counts = [len(passing[k]) + len(ends[k]) for k in range(n)]
    closed = np.cumsum([0] + [len(ends[n - 1 - k]) for k in range(n)])
    return {
        "closed": closed.astype(np.int64),
        "slot_start": np.cumsum([0, *counts]).astype(np.int64),
        "passing": np.array([len(p) for p in passing], dtype=np.int64),
        "slot_loop": np.array([e for _, e in members], dtype=np.int64),
        "slot_parent": np.array([at.get((int(parent[k]), e), -1) for k, e in members], dtype=np.int64),
        "slot_block": block,
        "own_slot": own,
    }, at


def _factor(
    patterns: list[list[int]], tops: list[int], passing: list[list[int]], at: dict[tuple[int, int], int]
) -> dict[str, Any]:
    """The columns of the factor, and where pairs add to."""
    start = np.cumsum([0, *(len(p) for p in patterns)])
    entry = {(e, h): int(start[e]) + i for e, pattern in enumerate(patterns) for i, h in enumerate(pattern)}
    pairs = [[entry[min(a, b), max(a, b)] for i, a in enumerate(p) for b in p[: i + 1]] for p in passing]
    updates = [[entry[min(a, b), max(a, b)] for i, a in enumerate(p[1:]) for b in p[1 : i + 2]] for p in patterns]

    def flat(lists: list[list[int]]) -> Ints:
        return np.array([v for one in lists for v in one], dtype=np.int64)

    def starts(lists: list[list[int]]) -> Ints:
        return np.cumsum([0, *(len(one) for one in lists)]).astype(np.int64)

    slots = [[at.get((top, h), -1) for h in p] for p, top in zip(patterns, tops, strict=True)]
    return {
        "column_start": starts(patterns),
        "column": flat(patterns),
        "column_slot": flat(slots),
        "pair_start": starts(pairs),
        "pair_target": flat(pairs),
        "update_start": starts(updates),
        "update_target": flat(updates),
    }
