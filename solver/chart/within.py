"""States within a step in the coordinates of a tree, compiled: a polynomial of what is integrated.

A wheel may turn by hundreds of radians in one step, as long as its angle's acceleration is smooth: no polynomial of its
pose follows that, and one of its angle does. A ball joint's quaternion is integrated as it stands, and turns in a step
by little.
"""

from __future__ import annotations

from solver.chart.kinematics import forward_kinematics, joint_rates
from solver.chart.spanning import Chart
from solver.chart.stepping import Joints, put_bodies
from solver.compilation.compiled import Array1, kernel
from solver.equations.dynamics import Tables
from solver.steps.explicit import quaternion_product
from solver.steps.samples import Within


@kernel
def _joint_data(
    C: Chart, D: Within, rows: tuple[int, int, int], coordinates: tuple[Array1, Array1], accelerations: Array1, h: float
) -> None:
    """q, h q̇ and h² q̈ of (q, θ̇) and θ̈ into `rows` of D.poses (−1: not asked)."""
    q, rates = coordinates
    for s in range(C.ball.shape[0]):
        i, j = C.q_start[s], C.v_start[s]
        if C.ball[s] == 0:
            if rows[0] >= 0:
                D.poses[rows[0], i], D.poses[rows[1], i] = q[i], h * rates[j]
            D.poses[rows[2], i] = h * h * accelerations[j]
            continue
        turn, w = (q[i], q[i + 1], q[i + 2], q[i + 3]), (0.0, rates[j], rates[j + 1], rates[j + 2])
        # q̇ = ½ q ⊗ ω, with ω in body axes.
        # So q̈ = ½ (q̇ ⊗ ω + q ⊗ ω̇) = ¼ q ⊗ ω ⊗ ω + ½ q ⊗ ω̇.
        twice = quaternion_product(turn, w)
        bent = quaternion_product(twice, w)
        led = quaternion_product(turn, (0.0, accelerations[j], accelerations[j + 1], accelerations[j + 2]))
        for c in range(4):
            if rows[0] >= 0:
                D.poses[rows[0], i + c], D.poses[rows[1], i + c] = turn[c], 0.5 * h * twice[c]
            D.poses[rows[2], i + c] = h * h * (0.25 * bent[c] + 0.5 * led[c])


@kernel
def joint_ends(tables: Tables, joints: Joints, D: Within, h: float) -> None:
    """The data (10, nq) of the coordinates at both ends of a step of h (s) just taken, for the polynomial of D.

    The workspace has the accelerations of its end.
    """
    (C, K, S), E = joints, tables[6]
    nq, nv = S.q.shape[0], S.rates.shape[0]
    start, slope, end = S.start, S.slopes[0], S.end
    _joint_data(C, D, (0, 2, 4), (start[:nq], start[nq : nq + nv]), slope[nq : nq + nv], h)
    joint_rates(C, K, E.acceleration, 1.0, S.acceleration)
    _joint_data(C, D, (1, 3, 5), (end[:nq], end[nq : nq + nv]), S.acceleration, h)


@kernel
def joints_within(joints: Joints, D: Within) -> None:
    """The tree and the bodies (n) where D's polynomial `pose` (nq,) and its `rate` are."""
    C, K, S = joints
    for s in range(C.ball.shape[0]):
        i, j = C.q_start[s], C.v_start[s]
        if C.ball[s] == 0:
            S.q[i], S.rates[j] = D.pose[i], D.rate[i]
            continue
        q = (D.pose[i], D.pose[i + 1], D.pose[i + 2], D.pose[i + 3])
        size = q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2
        # ω = 2 q⁻¹ ⊗ q̇; what changes the length is no turn.
        inverse = (q[0] / size, -q[1] / size, -q[2] / size, -q[3] / size)
        w = quaternion_product(inverse, (D.rate[i], D.rate[i + 1], D.rate[i + 2], D.rate[i + 3]))
        for c in range(4):
            S.q[i + c] = q[c] / size**0.5
        for c in range(3):
            S.rates[j + c] = 2.0 * w[1 + c]
    forward_kinematics(C, S.q, S.rates, K)
    for k in range(D.angles.shape[0]):
        S.angles[k] = D.angles[k]
    put_bodies(K, S.signs, (D.x, D.q, D.v))


@kernel
def within_joint_data(tables: Tables, joints: Joints, D: Within, row: int, h: float) -> None:
    """The second derivatives of the coordinates, times h² (s²), into a row of D.poses (10, nq).

    The workspace has the accelerations of the state.
    """
    (C, K, S), E = joints, tables[6]
    joint_rates(C, K, E.acceleration, 1.0, S.acceleration)
    _joint_data(C, D, (-1, -1, row), (S.q, S.rates), S.acceleration, h)
