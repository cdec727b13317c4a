"""Pairs of equal parts that stand to each other as a pair does: what is said of one holds for all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cadbridge.assembly import Assembly, Instance
from cadbridge.frames import Pose, Vector
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.wording import count

SAME_RELATION = 1e-6
"""m, and entries of rotations, by which two parts of one pair may stand otherwise than those of an equal pair, for each
metre between them. Copies of a CAD system differ by rounding alone."""

SAME_TURN = 1e-5
"""Entries of a rotation by which that of an equal pair may differ: writers keep six digits or more of a direction."""

MOST_COMPARED = 20_000
"""Pairs of equal parts that are compared, for time alone: a machine has hundreds of equal screws, of which nobody
asks."""

Axis = tuple[Vector, Vector]


def equal_pairs(assembly: Assembly, pair: Pair, axis: Axis | None = None) -> list[Pair]:
    """The pair, and all others of the same two shapes in the same relative pose, in the order of the names.

    With `axis`, a point and a direction in W, the second part may be turned about it: a leg at another angle.
    """
    a, b = (assembly.instance(name) for name in pair)
    near = SAME_RELATION * max(1.0, float(np.abs(b.X_WI.p - a.X_WI.p).max()))
    found = {tuple(sorted(pair)): pair}
    first, second = _equal(assembly, a), _equal(assembly, b)
    # The pair itself stands in any case: what is not compared is only not spread.
    if len(first) * len(second) <= MOST_COMPARED:
        for names in _standing_so(a, b, first, second, axis, near):
            found.setdefault(tuple(sorted(names)), names)
    return [found[key] for key in sorted(found)]


def spread(assembly: Assembly, hints: Hints, pair: Pair, axis: Axis | None = None) -> list[Pair]:
    """A pair and all that are alike and of which no hint says anything yet, the pair first."""
    own = equal_pairs(assembly, pair, axis)
    return [pair, *(p for p in own if set(p) != set(pair) and frozenset(p) not in hints.settled)]


def and_alike(pairs: Sequence[Pair]) -> str:
    """The words for all pairs but the first, which is named before them."""
    return f", and {count(len(pairs) - 1, 'pair')} alike" if len(pairs) > 1 else ""


def _equal(assembly: Assembly, instance: Instance) -> list[Instance]:
    """The instances of the shape of one; of its part where that has no shape."""
    form = assembly.part(instance.part).form
    parts = {p.name for p in assembly.parts if p.form == form}
    return [i for i in assembly.instances if i.part in parts]


def _standing_so(
    a: Instance, b: Instance, first: list[Instance], second: list[Instance], axis: Axis | None, near: float
) -> Iterator[Pair]:
    X_BW, X_AB = b.X_WI.inverse(), a.X_WI.inverse() @ b.X_WI
    at = None if axis is None else (X_BW.point(axis[0]), X_BW.vector(axis[1]))
    R, p = np.array([i.X_WI.R for i in second]), np.array([i.X_WI.p for i in second])
    for one in first:
        X = one.X_WI.inverse()
        turned, moved = X.R @ R, p @ X.R.T + X.p
        fits = _same(X_AB, turned, moved, near) if at is None else _same_about(X_AB, at, turned, moved, near)
        for k in np.flatnonzero(fits):
            if second[k] is not one:
                yield one.name, second[k].name


def _same(X: Pose, R: np.ndarray, p: np.ndarray, near: float) -> np.ndarray:
    """Which of poses (n, 3, 3) and (n, 3) are one."""
    fits: np.ndarray = np.all(np.abs(R - X.R) < SAME_TURN, axis=(1, 2)) & np.all(np.abs(p - X.p) < near, axis=1)
    return fits


def _same_about(X: Pose, axis: Axis, R: np.ndarray, p: np.ndarray, near: float) -> np.ndarray:
    """Which of poses put a point and a direction of the second part where one does."""
    point, direction = axis
    ends = np.abs(R @ direction - X.vector(direction)) < SAME_TURN
    fits: np.ndarray = np.all(ends, axis=1) & np.all(np.abs(R @ point + p - X.point(point)) < near, axis=1)
    return fits
