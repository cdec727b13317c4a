"""From poses and velocities of bodies to the joint coordinates of a tree, compiled."""

from __future__ import annotations

import math

import numpy as np

from solver.chart.kinematics import Kinematics, about, forward_kinematics, four, joint_rates, rotate, three
from solver.chart.spanning import Chart
from solver.compilation.compiled import Array1, Array2, Quad, Triple, entry, kernel
from solver.constraints.kernels import add, cross, dot, sub
from solver.steps.explicit import quaternion_product


@entry
def read_joints(C: Chart, K: Kinematics, x: Array2, quaternions: Array2, v: Array2, q: Array1, rates: Array1) -> None:
    """q (nq,) and θ̇ (nv,) at poses x (n, 3), quaternions (n, 4) and velocities v (n, 6); K is left there.

    Where the bodies are near what the joints allow, orientations decide. Of a rotation the principal value, of a screw
    the one that its translation implies.
    """
    read_poses(C, K, x, quaternions, v, q, rates)
    forward_kinematics(C, q, rates, K)


@kernel
def read_poses(C: Chart, K: Kinematics, x: Array2, quaternions: Array2, v: Array2, q: Array1, rates: Array1) -> None:
    """As `read_joints`, from x (n, 3), quaternions (n, 4), v (n, 6) into q (nq,), rates (nv,); K has the poses only."""
    ground = C.body.shape[0]
    for k in range(ground):
        i, p = C.body[k], C.parent[k]
        origin, turn = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        if p != ground:
            origin, turn = three(x, p, 0), four(quaternions, p)
        own = four(quaternions, i)
        joint = add(origin, rotate(turn, three(C.point, k, 0)))
        away = sub(sub(three(x, i, 0), rotate(own, three(C.centre, k, 0))), joint)
        inward = _inverse(quaternion_product(turn, four(C.turn, k)))
        _read_rotations(C, k, quaternion_product(inward, own), q)
        _read_translations(C, k, rotate(inward, away), q)
    # Rates are read along the axes as they stand in the world, which the poses alone give.
    for j in range(rates.shape[0]):
        rates[j] = 0.0
    forward_kinematics(C, q, rates, K)
    joint_rates(C, K, v, 0.0, rates)


@kernel
def _inverse(q: Quad) -> Quad:
    """The conjugate of a quaternion (four floats)."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def _read_rotations(C: Chart, k: int, relative: Quad, q: Array1) -> None:
    """The rotations of joint k from its body's quaternion in its frame."""
    before = -1
    for s in range(C.step[k], C.step[k + 1]):
        i, axis = C.q_start[s], three(C.axis, s, 0)
        if C.ball[s] == 1:
            q[i], q[i + 1], q[i + 2], q[i + 3] = relative
        elif C.spin[s] != 0.0 and before < 0:
            # The part of the quaternion along the axis, its twist: tan of half the angle. As a principal value: a chart
            # begins without turns.
            before = s
            angle = 2.0 * math.atan2(dot(axis, (relative[1], relative[2], relative[3])), relative[0])
            q[i] = angle - math.tau * np.rint(angle / math.tau)
        elif C.spin[s] != 0.0:
            # The two of a universal joint: each turns the other's axis to where it is.
            first = three(C.axis, before, 0)
            q[C.q_start[before]] = _angle(first, axis, rotate(relative, axis))
            q[i] = -_angle(axis, first, rotate(_inverse(relative), first))


@kernel
def _angle(a: Triple, u: Triple, w: Triple) -> float:
    """The rotation about the unit axis a that brings u's part across a to w's."""
    return math.atan2(dot(a, cross(u, w)), dot(u, w) - dot(a, u) * dot(a, w))


@kernel
def _read_translations(C: Chart, k: int, away: Triple, q: Array1) -> None:
    """The translations of joint k from that of its body in its frame, with its rotations known."""
    turn = (1.0, 0.0, 0.0, 0.0)
    for s in range(C.step[k], C.step[k + 1]):
        i, axis = C.q_start[s], three(C.axis, s, 0)
        if C.ball[s] == 1:
            turn = quaternion_product(turn, (q[i], q[i + 1], q[i + 2], q[i + 3]))
            continue
        if C.slide[s] != 0.0:
            # Of a screw the travel gives the whole turns, which the rotation does not know.
            value = dot(rotate(turn, axis), away) / C.slide[s]
            q[i] = value if C.spin[s] == 0.0 else q[i] + math.tau * np.rint((value - q[i]) / math.tau)
        if C.spin[s] != 0.0:
            turn = quaternion_product(turn, about(axis, q[i]))
