"""States within a step in the coordinates of a tree, compiled: a polynomial of what is integrated.

A wheel may turn by hundreds of radians in one step, as long as its angle's acceleration is smooth: no polynomial of its
pose follows that, and one of its angle does. A ball joint's quaternion is integrated as it stands, and turns in a step
by little.
"""

from __future__ import annotations

from solver.chart.kinematics import forward_kinematics, joint_rates
from solver.chart.stepping import put_bodies
from solver.compilation.compiled import kernel
from solver.steps.explicit import quaternion_product


@kernel
def _joint_data(C, D, rows, coordinates, accelerations, h):  # type: ignore[no-untyped-def]
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
        twice = quaternion_product(turn, w)
        bent = quaternion_product(twice, w)
        led = quaternion_product(turn, (0.0, accelerations[j], accelerations[j + 1], accelerations[j + 2]))
        for c in range(4):
            if rows[0] >= 0:
                D.poses[rows[0], i + c], D.poses[rows[1], i + c] = turn[c], 0.5 * h * twice[c]
            D.poses[rows[2], i + c] = h * h * (0.25 * bent[c] + 0.5 * led[c])


@kernel
def joint_ends(tables, joints, D, h):  # type: ignore[no-untyped-def]
    """The data of the coordinates at both ends of a step of h just taken, where the workspace has the accelerations."""
    (C, K, S), E = joints, tables[6]
    nq, nv = S.q.shape[0], S.rates.shape[0]
    start, slope, end = S.start, S.slopes[0], S.end
    _joint_data(C, D, (0, 2, 4), (start[:nq], start[nq : nq + nv]), slope[nq : nq + nv], h)
    joint_rates(C, K, E.acceleration, 1.0, S.acceleration)
    _joint_data(C, D, (1, 3, 5), (end[:nq], end[nq : nq + nv]), S.acceleration, h)


@kernel
def joints_within(joints, D):  # type: ignore[no-untyped-def]
    """The tree and the bodies where D's polynomial is."""
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
def within_joint_data(tables, joints, D, row, h):  # type: ignore[no-untyped-def]
    """The second derivatives of the coordinates, where the workspace has the accelerations, into a row of D.poses."""
    (C, K, S), E = joints, tables[6]
    joint_rates(C, K, E.acceleration, 1.0, S.acceleration)
    _joint_data(C, D, (-1, -1, row), (S.q, S.rates), S.acceleration, h)
