"""The order in which rows that touch each other are eliminated, and ragged lists as flat arrays with their starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def coupled(m: int, cliques: Iterable[Sequence[int]]) -> list[set[int]]:
    """For each of m rows the others that stand in one clique with it."""
    near: list[set[int]] = [set() for _ in range(m)]
    for rows in cliques:
        for row in rows:
            near[row].update(rows)
    for row, others in enumerate(near):
        others.discard(row)
    return near


def eliminate(graph: list[set[int]], stages: Iterable[Iterable[int]]) -> tuple[list[int], list[set[int]]]:
    """Rows stage by stage, in each by least degree, then number; for each the rows to come that its column touches.

    The neighbours in `graph` are changed. A neighbour with the same neighbours comes next by that rule, its degree
    being one less: such rows (of one joint, for the most part) go at once.
    """
    m = len(graph)
    order: list[int] = []
    columns: list[set[int]] = []
    for stage in stages:
        left = set(stage)
        # A row stands in the queue as often as its degree changed; only the last counts.
        queue = [len(graph[i]) * m + i for i in left]
        heapify(queue)
        while queue:
            degree, i = divmod(heappop(queue), m)
            near = graph[i]
            if i not in left or degree != len(near):
                continue
            alike = sorted(j for j in near if j in left and len(graph[j]) == degree and len(near - graph[j]) == 1)
            order += [i, *alike]
            left.difference_update(alike, (i,))
            columns.append(near)
            for j in alike:
                near = near - {j}
                columns.append(near)
            for j in near:
                other = graph[j]
                other |= near
                other.difference_update(alike, (i, j))
                if j in left:
                    heappush(queue, len(other) * m + j)
    return order, columns


def flat(lists: Sequence[Iterable[int]], counts: Ints) -> Ints:
    """The members of lists that have so many each, one list after the other."""
    return np.fromiter(chain.from_iterable(lists), np.int64, int(counts.sum()))


def starts(counts: Ints) -> Ints:
    """Where each of the lists of so many members starts, and the end of the last."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def columns_of(number: Ints, columns: Sequence[Iterable[int]], counts: Ints) -> tuple[Ints, Ints]:
    """The factor's columns by their start, and the numbers of the rows in them: the diagonal, then ascending.

    `number` (m,) are the rows' places in the order of elimination, `columns` what each touches, `counts` how many.
    """
    m = len(columns)
    owner = np.concatenate([np.arange(m), np.repeat(np.arange(m), counts)])
    rows = np.concatenate([np.arange(m), number[flat(columns, counts)]])
    return starts(counts + 1), rows[np.lexsort([rows, owner])]


def entries(start: Ints, index: Ints, columns: Ints, rows: Ints) -> Ints:
    """Where the entries of these columns and rows stand in a factor given by `columns_of`."""
    m = len(start) - 1
    keys = np.repeat(np.arange(m), np.diff(start)) * m + index
    return np.searchsorted(keys, columns * m + rows).astype(np.int64)


def lower_pairs(counts: Ints) -> tuple[Ints, Ints]:
    """Of lists of so many members, one after the other, the pairs within each: each member with those up to it."""
    begin = np.repeat(starts(counts)[:-1], counts)
    upto = np.arange(len(begin)) - begin + 1
    first = np.repeat(np.arange(len(begin)), upto)
    within = np.arange(len(first)) - np.repeat(np.cumsum(upto) - upto, upto)
    return first, begin[first] + within
