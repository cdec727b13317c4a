"""A sparse square system cut into the smallest blocks that can be solved one after the other."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from solver.compilation.compiled import Array1, Ints1, entry, table

Ints = NDArray[np.int64]

_SINGULAR = 1e-9
"""The smallest singular value of a block, of its largest entry, at which its rows repeat each other. Rows here have
entries of 1 and of gear ratios: an independent block of ratios up to 1:1000 keeps 1e-6, rounding leaves 1e-15."""


@table
class Blocks(NamedTuple):
    """Rows and unknowns in the order of their solution; block i is `start[i]:start[i + 1]` of both.

    `inverse` holds the blocks' inverses, row by row, from `inverse_start[i]` on. What row r takes from blocks solved
    before stands in `entry_start[r]:entry_start[r + 1]` of `entry_unknown` and `entry_value`.
    """

    start: Ints1
    row: Ints1
    unknown: Ints1
    inverse_start: Ints1
    inverse: Array1
    entry_start: Ints1
    entry_unknown: Ints1
    entry_value: Array1

    @property
    def largest(self) -> int:
        """How many unknowns the largest block has."""
        return int(np.max(np.diff(self.start), initial=0))


def cut(rows: Sequence[int], unknowns: Sequence[int], values: Sequence[float], keys: Sequence[float]) -> Blocks:
    """Cut the system of those entries into blocks; of blocks that may be next, the one with the lowest key comes.

    Each row is matched with one unknown; rows that need each other's unknowns form a block (the block triangular
    form of Dulmage & Mendelsohn). `keys` (m,) are the rows' ranks. Raises ValueError where the system is singular.
    """
    m = len(keys)
    entries = (np.array(values, float), (np.array(rows, np.int64), np.array(unknowns, np.int64)))
    A = csr_array(coo_array(entries, shape=(m, m)))
    # Which row is solved for which unknown: any perfect matching gives the same blocks.
    match = np.asarray(maximum_bipartite_matching(A, perm_type="column") if m else [], np.int64)
    if np.any(match < 0):
        raise ValueError(f"row {int(np.flatnonzero(match < 0)[0])} of the system is left without an unknown")
    owner = np.empty(m, np.int64)
    owner[match] = np.arange(m)
    at_row = np.repeat(np.arange(m), np.diff(A.indptr))
    # A row waits for the rows whose matched unknowns it contains; rows that wait for each other are one block.
    needed = owner[A.indices]
    links = csr_array((np.ones(len(needed)), (at_row, needed)), shape=(m, m))
    count, labels = connected_components(links, connection="strong") if m else (0, [])
    block_of = np.asarray(labels, np.int64)
    order = _ordered(count, block_of, at_row, needed, keys)
    return _packed(A, match, block_of, order, keys)


def _ordered(count: int, block_of: Ints, at_row: Ints, needed: Ints, keys: Sequence[float]) -> list[int]:
    """Blocks such that none needs a later one."""
    first, then = block_of[needed], block_of[at_row]
    # Each edge once: `waits` counts blocks, not entries.
    edges = sorted({(int(a), int(b)) for a, b in zip(first, then, strict=True) if a != b})
    followers: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for a, b in edges:
        followers[a].append(b)
        waits[b] += 1
    rank = [np.inf] * count
    for row, block in enumerate(block_of):
        rank[block] = min(rank[block], keys[row])
    ready = [(rank[i], i) for i in range(count) if waits[i] == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        _, block = heapq.heappop(ready)
        order.append(block)
        for other in followers[block]:
            waits[other] -= 1
            if waits[other] == 0:
                heapq.heappush(ready, (rank[other], other))
    return order


def _packed(A: csr_array, match: Ints, block_of: Ints, order: list[int], keys: Sequence[float]) -> Blocks:
    """The tables of the blocks with their inverses."""
    members: dict[int, list[int]] = {}
    # By rank within a block too, so that `sequence` names its links as the paper's tables do, from the end of a line to
    # its input.
    for row in sorted(range(len(block_of)), key=lambda r: keys[r]):
        members.setdefault(int(block_of[row]), []).append(row)
    sorted_rows = [r for block in order for r in members[block]]
    start = np.cumsum([0] + [len(members[block]) for block in order])
    inverses = []
    for block in order:
        rows = members[block]
        own = np.array([[A[r, match[c]] for c in rows] for r in rows], float)
        size = float(np.abs(own).max())
        # Over the largest entry: moments are in m, and a small gearbox is no more singular than a large one.
        if not np.linalg.svd(own / size, compute_uv=False)[-1] > _SINGULAR:
            raise ValueError(f"rows {rows} of the system repeat each other")
        # Inverted once and for all: radii and ratios do not change with the pose, and every sample only multiplies.
        inverses.append(np.linalg.inv(own))
    counts, columns, values = [0], [], []
    owner_block = np.empty(len(block_of), np.int64)
    owner_block[match] = block_of
    for row in range(len(block_of)):
        for k in range(A.indptr[row], A.indptr[row + 1]):
            if owner_block[A.indices[k]] != block_of[row]:
                columns.append(int(A.indices[k]))
                values.append(float(A.data[k]))
        counts.append(len(columns))
    return Blocks(
        start=start.astype(np.int64),
        row=np.array(sorted_rows, np.int64),
        unknown=np.asarray(match, np.int64)[np.array(sorted_rows, np.int64)],
        inverse_start=np.cumsum([0] + [i.size for i in inverses]).astype(np.int64),
        inverse=np.concatenate([np.zeros(0), *(i.ravel() for i in inverses)]),
        entry_start=np.array(counts, np.int64),
        entry_unknown=np.array(columns, np.int64),
        entry_value=np.array(values, float),
    )


@entry
def substitute(B: Blocks, right: Array1, x: Array1) -> None:
    """Solve the system for the right-hand side (m,) into x (m,), block after block; `right` is used up."""
    for b in range(B.start.shape[0] - 1):
        first, last = B.start[b], B.start[b + 1]
        size = last - first
        for i in range(first, last):
            row = B.row[i]
            v = right[row]
            for k in range(B.entry_start[row], B.entry_start[row + 1]):
                v -= B.entry_value[k] * x[B.entry_unknown[k]]
            right[row] = v
        for i in range(size):
            v = 0.0
            for j in range(size):
                v += B.inverse[B.inverse_start[b] + i * size + j] * right[B.row[first + j]]
            x[B.unknown[first + i]] = v
