"""Components that their mates lock together become one body."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from cadbridge.frames import Pose
from cadbridge.mechanism.model import GROUND_BODY, MateRows
from cadbridge.mechanism.twists import jacobian, pair_rank, wrenches


def clusters(mate_rows: Sequence[MateRows], poses: Sequence[Pose], length: float) -> list[int]:
    """For each moving component the cluster that it belongs to, GROUND_BODY for the ground's.

    Two clusters merge where the mates between them leave no freedom; then again, until none does:
    three plane mates lock two parts, and a part held by two locked parts is locked too.
    """
    owner = list(range(len(poses)))

    def find(i: int) -> int:
        if i == GROUND_BODY:
            return i
        while owner[i] not in (i, GROUND_BODY):
            i = owner[i]
        return owner[i]

    changed = True
    while changed:
        changed = False
        between: dict[tuple[int, int], list[MateRows]] = defaultdict(list)
        for rows in mate_rows:
            a, b = find(rows.a), find(rows.b)
            if a != b:
                between[min(a, b), max(a, b)].append(rows)
        for (a, b), group in sorted(between.items()):
            if find(a) == a and find(b) == b and locked(group, poses, length):
                owner[b] = a
                changed = True
    return [find(i) for i in range(len(poses))]


def locked(group: Sequence[MateRows], poses: Sequence[Pose], length: float) -> bool:
    """Whether mates between two rigid clusters leave them no freedom.

    The rows of each are those on one of its units; as both clusters are rigid, a row's wrench about
    the world's origin is the same whichever unit of a cluster bears it.
    """
    primitives = [p for rows in group for p in rows.primitives]
    if sum(p.rows for p in primitives) < 6:
        return False
    _, G = jacobian(primitives, poses)
    centre = np.mean([poses[r.b if r.b >= 0 else r.a].p for r in group], axis=0)
    W = []
    row = 0
    for rows in group:
        unit = rows.b if rows.b >= 0 else rows.a
        W.append(wrenches(G[row : row + rows.rows], unit, poses[unit], centre))
        row += rows.rows
    return pair_rank(np.vstack(W), length) == 6
