"""Forward kinematics of a tree's joint coordinates, and joint rates from the motion of the bodies, compiled.

With S the motion subspace of a joint at the centre of mass of its body b, p the parent and r = x_b − x_p,

    v_b = v_p + ω_p × r + S_v θ̇,          ω_b = ω_p + S_ω θ̇,
    v̇_b = v̇_p + ω̇_p × r + S_v θ̈ + γ_v,    ω̇_b = ω̇_p + S_ω θ̈ + γ_ω,

γ is the bias acceleration: what the velocities alone bring. Orientations are quaternions, so that rounding does not
bend a long chain's axes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.chart.spanning import Chart
from solver.compilation.compiled import Array1, Array2, Quad, Triple, entry, inlined, kernel, table
from solver.constraints.kernels import add, cross, dot, mul, sub
from solver.steps.explicit import quaternion_product

_ZERO = (0.0, 0.0, 0.0)
"""The vector of a body that hangs on the ground: its parent does not move."""


@table
class Kinematics(NamedTuple):
    """x (n, 3) m, quaternion (n, 4) and v (n, 6) of the bodies' centres of mass, world axes.

    `bias` (n, 6) is γ of the joint that carries the body; `axis` and `point` (nv, 3) are of the freedoms: unit axes,
    and points on those of rotations.
    """

    x: Array2
    quaternion: Array2
    v: Array2
    bias: Array2
    axis: Array2
    point: Array2


def kinematics_room(bodies: int, freedoms: int) -> Kinematics:
    """Workspace for a tree of so many bodies and rates."""
    return Kinematics(*(np.zeros((bodies, size)) for size in (3, 4, 6, 6)), *(np.zeros((freedoms, 3)) for _ in "ap"))


@inlined
def rotate(q: Quad, v: Triple) -> Triple:
    """R(q) v of a unit quaternion (four floats) and a vector (three)."""
    u = (q[1], q[2], q[3])
    t = mul(2.0, cross(u, v))
    return add(add(v, mul(q[0], t)), cross(u, t))


@inlined
def three(a: Array2, i: int, j: int) -> Triple:
    """Three numbers of a row of a (n, k): a[i, j : j + 3]."""
    return (a[i, j], a[i, j + 1], a[i, j + 2])


@inlined
def four(a: Array2, i: int) -> Quad:
    """a[i] (4,) as four floats."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@inlined
def put(out: Array2, i: int, j: int, v: Triple) -> None:
    """Three numbers into a row of out (n, k): out[i, j : j + 3] = v."""
    out[i, j], out[i, j + 1], out[i, j + 2] = v[0], v[1], v[2]


@entry
def forward_kinematics(C: Chart, q: Array1, rates: Array1, K: Kinematics) -> None:
    """Poses, velocities and bias accelerations at q (nq,) and rates (nv,) into K."""
    ground = C.body.shape[0]
    for k in range(ground):
        p = C.parent[k]
        at, u, w, a, alpha = _ZERO, _ZERO, _ZERO, _ZERO, _ZERO
        turn, arm = four(C.turn, k), three(C.point, k, 0)
        if p != ground:
            turn, arm = quaternion_product(four(K.quaternion, p), turn), rotate(four(K.quaternion, p), arm)
            at, u, w = three(K.x, p, 0), three(K.v, p, 0), three(K.v, p, 3)
        along = cross(w, arm)
        at, u, a = add(at, arm), add(u, along), cross(w, along)
        # From the parent outwards: each step's axis is turned by all before it, and its own rate turns those behind.
        for s in range(C.step[k], C.step[k + 1]):
            j, r = C.v_start[s], C.q_start[s]
            if C.ball[s] == 1:
                turn = quaternion_product(turn, _unit((q[r], q[r + 1], q[r + 2], q[r + 3])))
                for c in range(3):
                    put(K.axis, j + c, 0, rotate(turn, (1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2))))
                    put(K.point, j + c, 0, at)
                own = rotate(turn, (rates[j], rates[j + 1], rates[j + 2]))
                w, alpha = add(w, own), add(alpha, cross(w, own))
                continue
            axis = rotate(turn, three(C.axis, s, 0))
            put(K.axis, j, 0, axis)
            put(K.point, j, 0, at)
            if C.slide[s] != 0.0:
                moved, rate = mul(C.slide[s] * q[r], axis), mul(C.slide[s] * rates[j], axis)
                # A point that slides by s along an axis which turns with ω: α × s + ω × (ω × s) + 2 ω × ṡ, the last
                # that of Coriolis. A screw slides before it turns: about its own axis the order is of no account.
                along = cross(w, moved)
                a = add(a, add(cross(alpha, moved), cross(w, add(along, mul(2.0, rate)))))
                at, u = add(at, moved), add(add(u, along), rate)
            if C.spin[s] != 0.0:
                own = mul(rates[j], axis)
                w, alpha = add(w, own), add(alpha, cross(w, own))
                turn = quaternion_product(turn, about(three(C.axis, s, 0), q[r]))
        # Products of quaternions leave length 1 by rounding, and children begin with this one: unchecked, a long chain
        # would add it up.
        _put_body(C, K, k, _unit(turn), (at, u, w, a, alpha))


@inlined
def about(axis: Triple, angle: float) -> Quad:
    """The quaternion (w first) of a rotation by `angle` (rad) about a unit axis."""
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), s * axis[0], s * axis[1], s * axis[2])


@kernel
def _put_body(
    C: Chart, K: Kinematics, k: int, turn: Quad, moving: tuple[Triple, Triple, Triple, Triple, Triple]
) -> None:
    """The body of joint k into K, from the motion of its joint's point: position, velocities, bias accelerations."""
    (at, u, w, a, alpha), i = moving, C.body[k]
    arm = rotate(turn, three(C.centre, k, 0))
    along = cross(w, arm)
    put(K.x, i, 0, add(at, arm))
    K.quaternion[i, 0], K.quaternion[i, 1], K.quaternion[i, 2], K.quaternion[i, 3] = turn
    put(K.v, i, 0, add(u, along))
    put(K.v, i, 3, w)
    put(K.bias, i, 0, add(a, add(cross(alpha, arm), cross(w, along))))
    put(K.bias, i, 3, alpha)


@inlined
def _unit(q: Quad) -> Quad:
    """q (four floats) over its length."""
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (s * q[0], s * q[1], s * q[2], s * q[3])


@entry
def joint_rates(C: Chart, K: Kinematics, motion: Array2, part: float, out: Array1) -> None:
    """out (nv,) with S out = what `motion` (n, 6) of the bodies leaves beyond the parents' and `part` · γ.

    Of velocities (`part` 0) θ̇, of accelerations (`part` 1) θ̈, of small displacements those of the joints. `motion` is
    one that the joints allow.
    """
    ground = C.body.shape[0]
    for k in range(ground):
        i, p = C.body[k], C.parent[k]
        u, w = _ZERO, _ZERO
        if p != ground:
            w = three(motion, p, 3)
            u = add(three(motion, p, 0), cross(w, sub(three(K.x, i, 0), three(K.x, p, 0))))
        u = sub(sub(three(motion, i, 0), u), mul(part, three(K.bias, i, 0)))
        w = sub(sub(three(motion, i, 3), w), mul(part, three(K.bias, i, 3)))
        # Rotations come first: what they move the centre by goes off u before the translations are read of it.
        _rotations(C, K, k, w, out)
        for s in range(C.step[k], C.step[k + 1]):
            for j in range(C.v_start[s], C.v_start[s + 1]):
                if C.spin[s] != 0.0 or C.ball[s] == 1:
                    axis = three(K.axis, j, 0)
                    arm = sub(three(K.x, i, 0), three(K.point, j, 0))
                    u = sub(u, mul(out[j], add(cross(axis, arm), mul(C.slide[s], axis))))
        for s in range(C.step[k], C.step[k + 1]):
            if C.spin[s] == 0.0 and C.ball[s] == 0:
                # The translations of a joint are at right angles.
                out[C.v_start[s]] = dot(three(K.axis, C.v_start[s], 0), u)


@kernel
def _rotations(C: Chart, K: Kinematics, k: int, w: Triple, out: Array1) -> None:
    """The rates about the axes of joint k that make up ω = w; only those of a universal joint may be oblique."""
    before, count = -1, 0
    for s in range(C.step[k], C.step[k + 1]):
        for j in range(C.v_start[s], C.v_start[s + 1]):
            if C.spin[s] != 0.0 or C.ball[s] == 1:
                axis = three(K.axis, j, 0)
                out[j] = dot(axis, w)
                count += 1
                if count == 2 and C.ball[s] == 0:
                    other = three(K.axis, before, 0)
                    # ω = a q̇₁ + b q̇₂ with oblique unit axes, seen along both: [1 c; c 1] q̇ = [a·ω; b·ω].
                    c = dot(axis, other)
                    one, two = out[before], out[j]
                    out[before], out[j] = (one - c * two) / (1.0 - c * c), (two - c * one) / (1.0 - c * c)
                before = j


@kernel
def configuration_rate(C: Chart, q: Array1, rates: Array1, out: Array1) -> None:
    """out (nq,) = q̇: of a spherical step ½ q ⊗ [0, ω], else the rate."""
    for s in range(C.ball.shape[0]):
        i, j = C.q_start[s], C.v_start[s]
        if C.ball[s] == 0:
            out[i] = rates[j]
            continue
        turn = quaternion_product((q[i], q[i + 1], q[i + 2], q[i + 3]), (0.0, rates[j], rates[j + 1], rates[j + 2]))
        out[i], out[i + 1], out[i + 2], out[i + 3] = 0.5 * turn[0], 0.5 * turn[1], 0.5 * turn[2], 0.5 * turn[3]


@kernel
def normalise(C: Chart, q: Array1) -> None:
    """Put the quaternions in q (nq,) back to length 1."""
    for s in range(C.ball.shape[0]):
        if C.ball[s] == 1:
            i = C.q_start[s]
            q[i], q[i + 1], q[i + 2], q[i + 3] = _unit((q[i], q[i + 1], q[i + 2], q[i + 3]))
