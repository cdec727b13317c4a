"""Components that their mates lock together become one body."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cadbridge.mechanism.model import MateRows
from cadbridge.mechanism.rows import Rows
from solver.algebra.connected import Groups
from solver.algebra.rank import LOWEST, significant

Array = NDArray[np.float64]


def clusters(mate_rows: Sequence[MateRows], rows: Rows, highest: float) -> list[int]:
    """For each moving component the cluster that it belongs to, GROUND_BODY for the ground's.

    `rows` are those of the mates in their order, `highest` the scaled singular value above which every one counts. Two
    clusters merge where the mates between them leave no freedom; then again, until none does: three plane mates lock
    two parts, and a part held by two locked parts is locked too. A row's wrench about the one centre is the same
    whichever unit of a cluster bears it.
    """
    # The ground's index is the least, so that it stands for what is joined to it.
    merged: Groups[int] = Groups()
    find, wrenches = merged.root, _of_mates(mate_rows, rows)
    changed = True
    while changed:
        changed = False
        between: dict[tuple[int, int], list[Array]] = defaultdict(list)
        for mate, W in zip(mate_rows, wrenches, strict=True):
            a, b = find(mate.a), find(mate.b)
            if a != b:
                between[min(a, b), max(a, b)].append(W)
        # Of clusters that were joined in this round the mates are gathered anew before they are judged again.
        for (a, b), group in sorted(between.items(), key=lambda item: item[0]):
            if find(a) == a and find(b) == b and _locked(group, highest):
                changed = merged.join(a, b)
    return [find(i) for i in range(rows.count)]


def _of_mates(mate_rows: Sequence[MateRows], rows: Rows) -> list[Array]:
    """The wrenches (k, 6) of each mate on one of its units, up to their signs."""
    starts = np.cumsum([0] + [len(r.primitives) for r in mate_rows])
    lasts = [W[-1] if len(W) else np.zeros(6) for W in rows.wrenches]
    return [np.array(lasts[s:e]).reshape(-1, 6) for s, e in pairwise(starts.tolist())]


def _locked(group: Sequence[Array], highest: float) -> bool:
    """Whether the wrenches between two rigid clusters leave them no freedom."""
    W = np.vstack(group)
    if len(W) < 6:
        return False
    return significant(np.asarray(np.linalg.svd(W, compute_uv=False), float), LOWEST, highest) == 6
