"""Where the smallest pivot of the loops' rows dips: poses near which their rank may change, as the steps pass them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from solver.compilation.compiled import Array2, Pair, kernel
from solver.result import Dip
from solver.steps.samples import Within

_ALIKE = 0.1
"""Of the roots of the pivots about a minimum: so well they lie on the two lines to a pose at which rank is lost."""


@kernel
def begin_dips(D: Within, t: float, pivot: float) -> None:
    """Before a run from t (s) on, where the smallest pivot is so large."""
    D.pivot[0], D.pivot[1] = pivot, t
    for k in (2, 4):
        D.pivot[k], D.pivot[k + 1] = pivot, t
    for k in range(D.dips.shape[0]):
        D.dips[k, 0] = np.inf


@kernel
def look_for_dip(D: Within, t: float, pivot: float) -> None:
    """The smallest pivot after a step that ended at t (s): whether it had a minimum in the last two, and which."""
    passed = D.pivot
    if pivot < passed[0]:
        passed[0], passed[1] = pivot, t
    before, when, last, at = passed[4], passed[5], passed[2], passed[3]
    # Below the one before, but not above the one after: of equal ones in a row the first counts, and it alone.
    if when < at and at < t and last < before and last <= pivot:
        least, lost = _estimated(before, last, pivot, when, at, t)
        _keep_dip(D.dips, (least, lost, last / max(before, pivot), when, t))
    passed[4], passed[5], passed[2], passed[3] = last, at, pivot, t


@kernel
def _estimated(before: float, last: float, pivot: float, when: float, at: float, t: float) -> Pair:
    """The minimum of which these are the pivots about it, and its time.

    A pivot goes with the square of the time to a pose at which rank is lost, and steps jump over the pose: where the
    three are such squares, it is 0 between them; else that of the parabola through them. One that is close to another
    in time lies on any line through that.
    """
    first, end = math.sqrt(max(before, 0.0)), math.sqrt(max(pivot, 0.0))
    slope = (first + end) / (t - when)
    lost = when + first / slope if slope > 0.0 else at
    apart = 2.0 * min(at - when, t - at) / (t - when)
    if abs(math.sqrt(max(last, 0.0)) - slope * abs(at - lost)) < _ALIKE * (first + end) * apart:
        return 0.0, lost
    # fall < 0 ≤ rise, so that the bend is above zero.
    fall, rise = (last - before) / (at - when), (pivot - last) / (t - at)
    bend = (rise - fall) / (t - when)
    slope = fall + bend * (at - when)
    least = last - slope * slope / (4.0 * bend)
    return (least, at - slope / (2.0 * bend)) if least > 0.0 else (last, at)


@kernel
def _keep_dip(dips: Array2, dip: tuple[float, float, float, float, float]) -> None:
    """In place of the highest one, where that is higher."""
    highest = 0
    for k in range(1, dips.shape[0]):
        if dips[k, 0] > dips[highest, 0]:
            highest = k
    if dip[0] < dips[highest, 0]:
        for j in range(5):
            dips[highest, j] = dip[j]


def dips_of(D: Any) -> tuple[Dip, ...]:
    """The minima that were kept, in order of time."""
    kept = (row for row in D.dips.tolist() if math.isfinite(row[0]))
    return tuple(sorted(Dip(t, pivot, part, (first, last)) for pivot, t, part, first, last in kept))
