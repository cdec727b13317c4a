"""The state at any time within a step, compiled: polynomials of what is integrated, closed on all rows.

The extra accelerations of a step are taken before the step counts: where the polynomial is off by more than is allowed
at the step's end, the step is refused as one with a too large error is, and ends at the next sample or before.
"""

from __future__ import annotations

import numpy as np

from solver.chart.stepping import Joints, close_joints, put_bodies
from solver.chart.within import joint_ends, joints_within, within_joint_data
from solver.compilation.compiled import Array1, Pair, kernel
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, stage
from solver.equations.projection import put_back
from solver.runs.course import Charts
from solver.runs.driving import Drives, fill
from solver.steps.explicit import Steps, kinetic_energy
from solver.steps.rotation_vectors import FARTHEST, to_quaternions, vector_ends
from solver.steps.samples import (
    Within,
    between_ends,
    bodies_within,
    fit,
    held_slope,
    hold_slope,
    off_by,
    polynomials_at,
    pose_ends,
    sum_ends,
    sum_rates,
    within_data,
)

_MIDDLE, _QUARTER, _TRIED = (0.042, 0.144, 0.2), (0.0212, 0.178, 0.34), (0.0084, 0.0943, 0.4)
"""By how much of an error of the second derivatives in the middle, at a quarter, and at `_PLACE`, coordinates, rates
and sums are off: of the polynomials of both ends, with the middle, and with both quarters too."""
_PLACE = 0.625
"""The part of a step at which the polynomial with three nodes is tried: its second derivatives are off most there."""
_SURE = 0.5
"""An error foreseen below this needs no trial."""


@kernel
def begin_within(
    tables: Tables, charts: Charts, S: Steps, D: Within, h: float, state: StateArrays, slope: SlopeArrays, work: Array1
) -> float:
    """The polynomial of both ends of a step of h (s) from `state` to S, the workspace having v̇ (n, 6) there.

    Its error over what is allowed, as far as the ends show it: infinite where a body turns too far for it.
    """
    joints, farthest = charts[0], 0.0
    E, (acceleration, turning, power) = tables[6], slope
    end = (S.x, S.q, S.v, S.angles)
    hold_slope(E, D)
    D.energy[0] = kinetic_energy(tables[2], S.v)
    sum_ends(E, D, h, (state[3], work), (turning, power), (S.angles, S.work))
    if joints[0].body.shape[0] > 0:
        joint_ends(tables, joints, D, h)
    else:
        pose_ends(tables, D, h, state, acceleration, end)
        if D.vectors:
            farthest = vector_ends(D)
            between_ends(D)
    fit(D, 0)
    return 0.0 if farthest <= FARTHEST else np.inf


@kernel
def raise_degree(
    tables: Tables, joints: Joints, drives: Drives, D: Within, start: float, h: float, tolerances: Pair
) -> tuple[int, float]:
    """The extra accelerations of `solver.steps.dense`: how many, and the error of the polynomial over what is allowed.

    The middle first, then, unless that does, two more. The step of h (s) begins at `start`; nothing is allowed where
    all steps have one length, and nothing is tried. The workspace keeps what it has at the step's end.
    """
    count, worst = 0, 0.0
    if D.extra > 0:
        # Steps of fixed length allow errors without bound.
        tried = tolerances[1] < 1e300
        _add_node(tables, joints, drives, D, start, h, 0.5, 6)
        # Where nothing may be refused, the polynomial is the best there is: 2 asks for both quarters.
        worst = off_by(D, 6, 0.5, h, _MIDDLE, tolerances) if tried else 2.0
        fit(D, 1)
        count = 1
        if not worst <= 1.0:
            count, worst = _add_quarters(tables, joints, drives, D, start, h, tolerances, worst if tried else 0.0)
        held_slope(tables[6], D)
    return count, worst


@kernel
def _add_quarters(
    tables: Tables, joints: Joints, drives: Drives, D: Within, start: float, h: float, tolerances: Pair, before: float
) -> tuple[int, float]:
    """Two nodes more; unless they better the polynomial as much as the first did, it is tried at a place more.

    `before` is the error without any (0: nothing is tried). Each node betters it by a power of the step more, and the
    error foreseen with two more counts one of these powers.
    """
    worst, count = 0.0, 3
    for row in range(7, 9):
        theta = 0.25 if row == 7 else 0.75
        _add_node(tables, joints, drives, D, start, h, theta, row)
        if before > 0.0:
            worst = max(worst, off_by(D, row, theta, h, _QUARTER, tolerances))
    fit(D, 3)
    if before > 0.0:
        worst *= min(1.0, worst / before)
    if not worst <= _SURE:
        _add_node(tables, joints, drives, D, start, h, _PLACE, 9)
        count, worst = 4, off_by(D, 9, _PLACE, h, _TRIED, tolerances)
    return count, worst


@kernel
def _add_node(
    tables: Tables, joints: Joints, drives: Drives, D: Within, start: float, h: float, theta: float, row: int
) -> None:
    """The acceleration at the part θ of the step of h (s) from `start`, as data of the polynomial."""
    T, P, B, F, W, _, E = tables
    fill(drives, start + theta * h, D.drive)
    state_within(joints, D, theta, h)
    state = (D.x, D.q, D.v, D.angles)
    stage(T, P, B, F, W, E, state, D.drive, False, D.multipliers)
    if joints[0].body.shape[0] > 0:
        within_joint_data(tables, joints, D, row, h)
    else:
        within_data(D, row, state, E.acceleration, h)
    sum_rates(D, row - 3, E.turning, E.power, h)


@kernel
def state_within(joints: Joints, D: Within, theta: float, h: float) -> None:
    """The state at the part θ (0 to 1) of the step of h (s) into D, not closed; [angles, work] into D.sum."""
    polynomials_at(D, theta, h)
    if joints[0].body.shape[0] > 0:
        joints_within(joints, D)
        return
    if D.vectors:
        to_quaternions(D)
    bodies_within(D, theta, h)


@kernel
def closed_within(tables: Tables, joints: Joints, drives: Drives, D: Within, t: float, start: float, h: float) -> None:
    """The state at the time t of the step of h (s) from `start` into D, closed on all rows; D.drive is of then."""
    T, P, B, _, W, length, E = tables
    fill(drives, t, D.drive)
    state_within(joints, D, (t - start) / h, h)
    if joints[0].body.shape[0] == 0:
        put_back(T, P, B, W, length, E, D.x, D.q, D.v, D.angles, D.drive, 8)
        return
    C, K, S = joints
    close_joints(tables, C, K, S, D.drive)
    put_bodies(K, S.signs, (D.x, D.q, D.v))
    for k in range(D.angles.shape[0]):
        D.angles[k] = S.angles[k]
