"""Steps of an explicit Runge–Kutta method in the joint coordinates of a tree, closed on all rows, compiled.

The accelerations are those of `solver.equations.dynamics.stage`; θ̈ is what they leave in each joint. The closing is
Newton's, with the corrections of `solver.equations.projection` taken as displacements of the joints, which therefore
hold exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.chart.kinematics import (
    Kinematics,
    configuration_rate,
    forward_kinematics,
    joint_rates,
    kinematics_room,
    normalise,
)
from solver.chart.reading import read_poses
from solver.chart.spanning import Chart, no_chart
from solver.compilation.compiled import (
    Array1,
    Array2,
    Array3,
    Ints2,
    Pair,
    Triple,
    entry,
    inlined,
    kernel,
    table,
    zeros,
)
from solver.constraints.kernels import turn_angles
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, place, stage
from solver.equations.projection import FACTOR_SERVES, correct, is_done, look_at_gaps, rounding
from solver.steps.explicit import Steps, combine, kinetic_energy, put_sums, scaled_error
from solver.steps.tableaus import Tableau
from solver.sweeps.factor import factor as factor_sweeps

_MOST_ROUNDS = 8
"""Corrections of one closing, as many as those of bodies (`put_back`): Newton from a step's end doubles the digits
each time, so that three or four reach rounding."""


@table
class JointSteps(NamedTuple):
    """Workspace for the steps of a method of s stages.

    `start`, `end` (N,) and `slopes` (s, N) hold [q, θ̇, angles, work] and their rates, `end` at last those of the closed
    end; `most` (N,) bounds of their sizes in what errors are allowed: a rotation counts as an orientation does, not by
    its turns; `rated` (N, 2) is where in them the rates of a coordinate begin and end. q, `rates`, `angles`, `work`
    are a state within the step, and at last the one at its end; `acceleration` is θ̈, `multipliers` (m,) are of the
    stage. `before` (nq + nv,) are q and θ̇ before their closing, `change` (nq,) and `displacement` (nv,) its
    corrections; `sudden` (1,) is what it may change rates by, of the fastest, beside the error allowed.
    `signs` (n,) are those of the bodies' quaternions over those of the chart: these go on without a jump however often
    a wheel turns in a step, and so must the state's.
    """

    start: Array1
    end: Array1
    slopes: Array2
    most: Array1
    rated: Ints2
    q: Array1
    rates: Array1
    angles: Array1
    work: Array1
    acceleration: Array1
    multipliers: Array1
    before: Array1
    change: Array1
    displacement: Array1
    sudden: Array1
    signs: Array1


Joints = tuple[Chart, Kinematics, JointSteps]
"""What a run in the coordinates of a tree computes with; of a chart of no bodies, a run in those of the bodies."""


def joint_steps(stages: int, C: Chart, angles: int, powers: int, rows: int) -> JointSteps:
    """Workspace for a method of so many stages and a system of so many angles, powers and rows."""
    nq, nv = int(C.q_start[-1]), int(C.v_start[-1])
    size = nq + nv + angles + powers
    sizes = (nq, nv, angles, powers, nv, rows, nq + nv, nq, nv, 1, len(C.body))
    most = np.full(size, np.inf)
    # rad: without it a wheel after a thousand turns would be allowed a thousand times the error of one at rest.
    most[C.q_start[:-1][C.spin != 0.0]] = 1.0
    rated = np.zeros((size, 2), np.int64)
    rated[:nq] = np.repeat(nq + np.column_stack([C.v_start[:-1], C.v_start[1:]]), np.diff(C.q_start), axis=0)
    return JointSteps._make([*zeros(size, size, (stages, size)), most, rated, *zeros(*sizes)])


def no_joints() -> Joints:
    """Those of a run in absolute coordinates."""
    chart = no_chart()
    return chart, kinematics_room(0, 0), joint_steps(0, chart, 0, 0, 0)


@entry
def joint_accelerations(tables: Tables, C: Chart, K: Kinematics, S: JointSteps, drive: Array2, count: int) -> None:
    """θ̈ (nv,) at S's state into S.acceleration, `count` times: all but one are for benchmarks.

    `drive` (rows, 3) are the functions of time; the workspace keeps v̇ (n, 6), the rates of the angles and the power.
    """
    T, P, B, F, W, _, E = tables
    for _k in range(count):
        forward_kinematics(C, S.q, S.rates, K)
        stage(T, P, B, F, W, E, (K.x, K.quaternion, K.v, S.angles), drive, False, S.multipliers)
        joint_rates(C, K, E.acceleration, 1.0, S.acceleration)


@kernel
def _combine(S: JointSteps, h: float, weights: Array1, count: int) -> None:
    """As `solver.steps.explicit.combine`, taken apart into S's state."""
    combine((S.start, S.end, S.slopes), h, weights, count)
    y = S.end
    nq, nv, na = S.q.shape[0], S.rates.shape[0], S.angles.shape[0]
    for i in range(nq):
        S.q[i] = y[i]
    for i in range(nv):
        S.rates[i] = y[nq + i]
    for i in range(na):
        S.angles[i] = y[nq + nv + i]
    for i in range(S.work.shape[0]):
        S.work[i] = y[nq + nv + na + i]


@kernel
def _slope(C: Chart, S: JointSteps, turning: Array1, power: Array1, s: int) -> None:
    """Slope s = [q̇, θ̈, rates of the angles, power] at S's state."""
    nq, nv = S.q.shape[0], S.rates.shape[0]
    configuration_rate(C, S.q, S.rates, S.change)
    for i in range(nq):
        S.slopes[s, i] = S.change[i]
    for j in range(nv):
        S.slopes[s, nq + j] = S.acceleration[j]
    put_sums(S.slopes[s], nq + nv, turning, power)


@kernel
def _step(
    tables: Tables, C: Chart, K: Kinematics, S: JointSteps, tableau: Tableau, h: float, slope: SlopeArrays,
    drives: Array3, tolerances: Pair,
) -> float:  # fmt: skip
    """One step of h from the state in S.start: into S; returns the scaled error, as `solver.steps.explicit.step`."""
    E = tables[6]
    acceleration, turning, power = slope
    stages = tableau.nodes.shape[0]
    _combine(S, h, tableau.weights, 0)
    # The slope is known as v̇ of the bodies: θ̈ is read of it where the step begins.
    forward_kinematics(C, S.q, S.rates, K)
    joint_rates(C, K, acceleration, 1.0, S.acceleration)
    _slope(C, S, turning, power, 0)
    energy = kinetic_energy(tables[2], K.v)
    for s in range(1, stages):
        _combine(S, h, tableau.stages[s], s)
        joint_accelerations(tables, C, K, S, drives[s], 1)
        _slope(C, S, E.turning, E.power, s)
    _combine(S, h, tableau.weights, stages)
    # Quaternions of balls leave length 1 by the step's error.
    normalise(C, S.q)
    numbers = (S.start, S.end, S.slopes)
    return scaled_error(tableau, h, numbers, (S.most, S.rated), S.end.shape[0] - S.work.shape[0], energy, tolerances)


@entry
def close_joints(tables: Tables, C: Chart, K: Kinematics, S: JointSteps, drive: Array2) -> float:
    """Put S's q (nq,), rates (nv,) and angles (na,) on all rows; the scaled residual left. K holds the bodies there.

    Newton's method, as in `solver.equations.projection.put_back`; `drive` (rows, 3) are the functions of time.
    """
    T, P, B, _, W, length, E = tables
    before, moved, residual = np.inf, np.inf, 0.0
    for rounds in range(_MOST_ROUNDS + 1):
        forward_kinematics(C, S.q, S.rates, K)
        place(E, K.x, K.quaternion, K.v)
        residual, speed = look_at_gaps(T, P, W, E, length, S.angles, drive)
        floor = rounding(K.x, length)
        # A chart without loops has no rows to close: its coordinates are the constraints.
        done = C.closed or is_done(residual, before, floor, rounds, _MOST_ROUNDS)
        # Per unit of speed: the rates are closed to rounding too.
        if done and (C.closed or speed < 1e-14):
            break
        # Newton's with an old factor: still converging while the joints have hardly moved, and a factor costs more than
        # a round.
        if moved > FACTOR_SERVES:
            factor_sweeps(P, B, E.compliance, E.x, E.R, E.blocks, E.sweeps)
            moved = 0.0
        if done:
            correct(T, P, B, E, E.gv)
            joint_rates(C, K, E.move, 0.0, S.displacement)
            for j in range(S.rates.shape[0]):
                S.rates[j] -= S.displacement[j]
            if speed < FACTOR_SERVES or rounds == _MOST_ROUNDS:
                # No round follows: without this K would keep the velocities before their correction.
                forward_kinematics(C, S.q, S.rates, K)
                break
        else:
            correct(T, P, B, E, E.g)
            moved = max(moved, _displace(C, K, S, E.move))
        before = residual
    turn_angles(T, P.spin, E.R, S.angles)
    return residual


@kernel
def _displace(C: Chart, K: Kinematics, S: JointSteps, move: Array2) -> float:
    """Move S's q by −`move` (n, 6) of the bodies, to first order; the largest displacement of a joint."""
    joint_rates(C, K, move, 0.0, S.displacement)
    configuration_rate(C, S.q, S.displacement, S.change)
    largest = 0.0
    for i in range(S.q.shape[0]):
        S.q[i] -= S.change[i]
    for j in range(S.displacement.shape[0]):
        largest = max(largest, abs(S.displacement[j]))
    normalise(C, S.q)
    return largest


@kernel
def joint_step(
    tables: Tables, C: Chart, K: Kinematics, S: JointSteps, tableau: Tableau, h: float, slope: SlopeArrays,
    drives: Array3, drive: Array2, tolerances: Pair,
) -> Triple:  # fmt: skip
    """A step of h and its closing: scaled error, how far the closing moved over what is allowed, residual.

    From S.start, where `slope` is (v̇ (n, 6), rates of the angles, power), to S's state, with the bodies in K. `drives`
    (s, …) are the functions of time at the nodes, `drive` at the end.
    """
    error = _step(tables, C, K, S, tableau, h, slope, drives, tolerances)
    moved, residual = 0.0, 0.0
    # A comparison with NaN is false.
    if error <= 1.0:
        nq, (rtol, atol) = S.q.shape[0], tolerances
        for i in range(nq):
            S.before[i] = S.q[i]
        for j in range(S.rates.shape[0]):
            S.before[nq + j] = S.rates[j]
        residual = close_joints(tables, C, K, S, drive)
        for i in range(nq):
            moved = max(moved, abs(S.q[i] - S.before[i]) / (atol + rtol * min(S.most[i], abs(S.q[i]))))
        fastest = 1e-200  # never 0: where contradictory rows bound nothing, times a huge number
        for j in range(S.rates.shape[0]):
            fastest = max(fastest, abs(S.rates[j]))
        for j in range(S.rates.shape[0]):
            allowed = atol + rtol * abs(S.rates[j]) + S.sudden[0] * fastest
            moved = max(moved, abs(S.rates[j] - S.before[nq + j]) / allowed)
    return error, moved, residual


@kernel
def read_start(joints: Joints, state: StateArrays, work: Array1) -> None:
    """The coordinates of the tree where a run begins into its `start` (N,), from the bodies' state and the work (J)."""
    (C, K, S), (x, q, v, angles) = joints, state
    if C.body.shape[0] == 0:
        return
    read_poses(C, K, x, q, v, S.q, S.rates)
    for i in range(q.shape[0]):
        S.signs[i] = _sign(K, i, q)
    _keep(S, angles, work, S.start)


@inlined
def _sign(K: Kinematics, i: int, q: Array2) -> float:
    """That of q[i] over the chart's quaternion of the same orientation."""
    alike = 0.0
    for j in range(4):
        alike += K.quaternion[i, j] * q[i, j]
    return -1.0 if alike < 0.0 else 1.0


@kernel
def _keep(S: JointSteps, angles: Array1, work: Array1, out: Array1) -> None:
    """S's q and rates, with the angles and the work there, into out (N,)."""
    nq, nv = S.q.shape[0], S.rates.shape[0]
    for i in range(nq):
        out[i] = S.q[i]
    for i in range(nv):
        out[nq + i] = S.rates[i]
    put_sums(out, nq + nv, angles, work)


@kernel
def keep_joints(joints: Joints) -> None:
    """Make the `end` (N,) of a step the `start` of the next."""
    if joints[0].body.shape[0] > 0:
        S = joints[2]
        for i in range(S.start.shape[0]):
            S.start[i] = S.end[i]


@kernel
def read_rates(S: JointSteps, angles: Array1) -> None:
    """The state at the start of the next step, with its angles (na,), into S's q, rates and angles."""
    nq = S.q.shape[0]
    for i in range(nq):
        S.q[i] = S.start[i]
    for j in range(S.rates.shape[0]):
        S.rates[j] = S.start[nq + j]
    for k in range(angles.shape[0]):
        S.angles[k] = angles[k]


@kernel
def keep_rates(S: JointSteps) -> None:
    """S's q (nq,) and rates (nv,) as those at the start of the next step."""
    nq = S.q.shape[0]
    for i in range(nq):
        S.start[i] = S.q[i]
    for j in range(S.rates.shape[0]):
        S.start[nq + j] = S.rates[j]


@kernel
def advance_joints(
    tables: Tables, joints: Joints, S: Steps, tableau: Tableau, h: float, slope: SlopeArrays, drives: Array3,
    drive: Array2, complete: bool, tolerances: Pair,
) -> Triple:  # fmt: skip
    """As `solver.steps.explicit.advance`, in the coordinates of the tree: the bodies (n) at the step's end into S."""
    (T, P, B, F, W, _, E), (C, K, J) = tables, joints
    error, moved, residual = joint_step(tables, C, K, J, tableau, h, slope, drives, drive, tolerances)
    # A comparison with NaN is false.
    if error <= 1.0:
        put_bodies(K, J.signs, (S.x, S.q, S.v))
        _keep(J, J.angles, J.work, J.end)
        for k in range(S.angles.shape[0]):
            S.angles[k] = J.angles[k]
        for k in range(S.work.shape[0]):
            S.work[k] = J.work[k]
        # The next step begins with the acceleration of the closed end, and the multipliers are those that keep it
        # closed.
        stage(T, P, B, F, W, E, (S.x, S.q, S.v, S.angles), drive, complete, S.multipliers)
    return error, moved, residual


@kernel
def put_bodies(K: Kinematics, signs: Array1, place: tuple[Array2, Array2, Array2]) -> None:
    """The bodies where the chart is, into x, q, v; the quaternions with their `signs` (n,)."""
    x, q, v = place
    for i in range(x.shape[0]):
        for j in range(3):
            x[i, j] = K.x[i, j]
        for j in range(4):
            q[i, j] = signs[i] * K.quaternion[i, j]
        for j in range(6):
            v[i, j] = K.v[i, j]
