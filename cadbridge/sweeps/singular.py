"""Poses along a motion at which mates become redundant that are not so elsewhere: singular poses.

At such a pose the rows of the joints lose rank: where r is their rank elsewhere, the r-th singular value of the rows
falls to zero as the distance from the pose. It has a least value between some of the poses that are looked at; a search
there tells whether that is zero. Rows are scaled to length 1 and turns by the mechanism's length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose
from cadbridge.lowering import Lowered, lower
from cadbridge.mechanism import Mechanism
from solver.algebra.rank import equilibrate, rank
from solver.constraints import evaluate

Array = NDArray[np.float64]

MOST_ROWS = 600
"""Rows of joints up to which such poses are looked for: each look is a dense singular value decomposition."""
RANK_LOST = 1e-4
"""Of its largest value along the motion, a singular value below this part is none: values fall to zero in a straight
line, and `NARROWED` finds the place closely enough to be far below."""
NARROWED = 1e-7
"""Of the range, the part down to which a pose is narrowed in: a thousandth of `RANK_LOST`."""
TAKES_NO_PART = 1e-3
"""The part of a self-stress (of unit length) below which a joint has none: the pose is known to `NARROWED`, and what
the others carry is above."""
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
"""The ratio of the golden section, by which the search for the least value shrinks its interval and keeps one of two
values (Kiefer, Proc. Amer. Math. Soc. 4, 1953)."""


@dataclass(frozen=True, slots=True)
class SingularPose:
    """At `value` (rad, m; 0 as designed) of the joint that moves, `more` equations are redundant than elsewhere.

    `mates` repeat each other there.
    """

    value: float
    more: int
    mates: tuple[str, ...]


class _Rows:
    """The rows of joints and couplings at poses of the bodies."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._lowered: Lowered = lower(mechanism, motion_only=True)
        self._mechanism = mechanism

    def __len__(self) -> int:
        return sum(p.rows for p in self._lowered.model.primitives)

    def at(self, poses: Sequence[Pose]) -> Array:
        """Ĝ (m, 6n), scaled, at poses X_WB of the bodies."""
        X = list(zip(poses, self._lowered.units, strict=True))
        places = np.array([x.point(unit.mass.com) for x, unit in X]).reshape(-1, 3)
        turns = np.array([x.quaternion() for x, _ in X]).reshape(-1, 4)
        G = evaluate(self._lowered.model.primitives, places, turns).G
        return equilibrate(G, self._mechanism.length_scale)[0]

    def mates(self, stress: Array) -> tuple[str, ...]:
        """The mates of the joints and couplings that have a part in self-stresses (m, k)."""
        used = np.linalg.norm(stress, axis=1) > TAKES_NO_PART
        owners = [g for g, p in zip(self._lowered.model.groups, self._lowered.model.primitives, strict=True)
                  for _ in range(p.rows)]  # fmt: skip
        of_joint = {j.name: j.mates for j in self._mechanism.joints}
        found = dict.fromkeys(m for i in np.flatnonzero(used) for m in of_joint.get(owners[i], (owners[i],)))
        return tuple(found)


def singular_poses(
    mechanism: Mechanism, at: Sequence[tuple[float, Sequence[Pose]]], move: Callable[[float], Sequence[Pose] | None]
) -> tuple[SingularPose, ...] | None:
    """The singular poses among some in order of their values and between them; None where there are too many rows.

    `move` gives the poses X_WB of the bodies at a value, None where it cannot be reached.
    """
    rows = _Rows(mechanism)
    if not 0 < len(rows) <= MOST_ROWS:
        return None if len(rows) else ()
    found = [rows.at(poses) for _, poses in at]
    r = max(rank(G, 1.0).rank for G in found)
    if not r:
        return ()
    sizes = np.array([_least(G, r) for G in found])
    values = [value for value, _ in at]
    limit, narrow = RANK_LOST * float(sizes.max()), NARROWED * (values[-1] - values[0])
    singular = []
    for i in range(len(at)):
        around = sizes[max(i - 1, 0) : i + 2]
        # Of two equal neighbours the first stands for both.
        if sizes[i] > around.min() or (i > 0 and sizes[i - 1] == sizes[i]):
            continue
        value = values[i]
        if 0 < i < len(at) - 1 and sizes[i] > 0.0:
            value = _narrowed(lambda v: _size(rows, move, v, r), values[i - 1], values[i + 1], narrow)
        poses = at[i][1] if value == values[i] else move(value)
        if poses is None or _least(G := rows.at(poses), r) > limit:
            continue
        U, s, _ = np.linalg.svd(G)
        lost = s[:r] <= limit
        singular.append(SingularPose(value, int(lost.sum()), rows.mates(U[:, :r][:, lost])))
    return tuple(singular)


def _least(G: Array, r: int) -> float:
    """The r-th singular value; 0 where there are fewer."""
    s = np.linalg.svd(G, compute_uv=False)
    return float(s[r - 1]) if len(s) >= r else 0.0


def _size(rows: _Rows, move: Callable[[float], Sequence[Pose] | None], value: float, r: int) -> float:
    poses = move(value)
    return float("inf") if poses is None else _least(rows.at(poses), r)


def _narrowed(size: Callable[[float], float], low: float, high: float, narrow: float) -> float:
    """Where a function that falls to one point and rises from it is least, by golden section.

    SciPy's bounded search takes parabolas, which a corner and the rounding of poses stop at ten times `narrow`; its
    golden section ends by a part of the place itself, so never at 0.
    """
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = size(a), size(b)
    while high - low > narrow:
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = size(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = size(b)
    return a if at_a < at_b else b
