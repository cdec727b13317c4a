"""The order in which rows that touch each other are eliminated, and ragged lists as flat arrays with their starts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def eliminate(cliques: Sequence[Sequence[int]], stages: Sequence[int]) -> tuple[list[int], list[list[int]]]:
    """Rows (m,) stage by stage, in each by least degree, then number; with each, the rows to come its column touches.

    Rows touch each other where they stand in one clique; `cliques` holds the cliques of every row, `stages` its stage.
    Rows that touch the same others come one after the other by that rule, as the degree of all is one less when the
    first is gone: such rows (of one joint, for the most part) are kept together, and go at once.
    """
    alike: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, (mine, stage) in enumerate(zip(cliques, stages, strict=True)):
        alike[(stage, *mine) if len(mine) else (stage, -1 - i)].append(i)
    rows = list(alike.values())
    graph = _touching(cliques, rows)
    by_stage: dict[int, list[int]] = defaultdict(list)
    for k, (first, *_) in enumerate(rows):
        by_stage[stages[first]].append(k)
    order: list[int] = []
    columns: list[list[int]] = []
    degrees = [sum(len(rows[h]) for h in near) + len(rows[k]) - 1 for k, near in enumerate(graph)]
    for stage in sorted(by_stage):
        for going, touched in _stage(by_stage[stage], rows, graph, degrees):
            order += going
            columns += [going[k:] + touched for k in range(1, len(going) + 1)]
    return order, columns


def _touching(cliques: Sequence[Sequence[int]], rows: list[list[int]]) -> list[set[int]]:
    """For each group of rows that stand in the same cliques, the groups that touch it."""
    members: dict[int, list[int]] = defaultdict(list)
    for k, (first, *_) in enumerate(rows):
        for clique in cliques[first]:
            members[clique].append(k)
    graph = [{h for clique in cliques[first] for h in members[clique]} for first, *_ in rows]
    for k, near in enumerate(graph):
        near.discard(k)
    return graph


def _stage(
    stage: list[int], rows: list[list[int]], graph: list[set[int]], degrees: list[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Rows that go at once, and the rows to come that all of them touch; graph and degrees are changed."""
    left = set(stage)
    # A group stands in the queue as often as its degree changed; only the last counts.
    queue = [(degrees[k], rows[k][0], k) for k in stage]
    heapify(queue)
    while queue:
        degree, _, k = heappop(queue)
        if k not in left or degree != degrees[k]:
            continue
        near = graph[k]
        # Rows that touch the same others and each other leave no more behind together than one of them does, so that
        # none of them needs a turn of its own.
        same = [h for h in near if degrees[h] == degree and h in left and len(near - graph[h]) == 1]
        gone = {k, *same}
        left -= gone
        near = near - gone
        yield sorted(i for h in gone for i in rows[h]), [i for h in near for i in rows[h]]
        for h in near:
            other = graph[h]
            other |= near
            other -= gone
            other.discard(h)
            degrees[h] = sum([len(rows[g]) for g in other], len(rows[h]) - 1)
            if h in left:
                heappush(queue, (degrees[h], rows[h][0], h))


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
