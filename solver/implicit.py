"""One step of the generalised-α method on the Lie group of poses, compiled: for stiff springs, dampers and drives.

Chung and Hulbert (1993) for the coefficients, Arnold and Brüls (2007) for the orientations. The accelerations
at the end of the step solve the equations of motion there, rows on the level of accelerations; positions and
velocities are projected afterwards, as after every other step. The tangent of a load along a coordinate,
γ' h d + β' h² k, adds to its armature: the same saddle-point system serves, with one row a coordinate
(`solver.tangents`, `solver.kkt`).
"""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from solver.dynamics import accelerate, evaluate_all, frames
from solver.explicit import settle
from solver.kkt import product, transposed_product
from solver.loads import add_along, all_forces, mesh_forces, mesh_torques, world_inertia
from solver.projection import turn_by
from solver.sweeps.response import respond
from solver.system import ROTOR

_ROUNDS = 30


class Alpha(NamedTuple):
    """Coefficients; `mass` and `force` are αm and αf, `beta` and `gamma` Newmark's."""

    mass: float
    force: float
    beta: float
    gamma: float


def alpha_coefficients(radius: float) -> Alpha:
    """The coefficients for a spectral `radius` at infinite frequency: 1 keeps, 0 removes what h does not resolve."""
    mass, force = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
    gamma = 0.5 + force - mass
    return Alpha(mass, force, 0.25 * (gamma + 0.5) ** 2, gamma)


@njit(cache=True)
def _soften(F, W, first, tangents, value, rate, step_rate, step_place):  # type: ignore[no-untyped-def]
    """Put the compliance of each soft row: one over armature, damping and stiffness as the step sees them."""
    damping, stiffness = tangents
    count = F.term.shape[0]
    for k in range(count):
        i = F.term[k]
        d, s = max(F.damping[k], 0.0), max(F.stiffness[k], 0.0)
        if F.friction[k] != 0.0:
            d += F.friction[k] / F.friction_speed[k] / math.cosh(min(abs(rate[i] / F.friction_speed[k]), 300.0)) ** 2
        if F.stop_stiffness[k] != 0.0:
            depth = max(F.lower[k] - value[i], value[i] - F.upper[k], 0.0)
            fade = min(depth / F.stop_depth[k], 1.0)
            d += fade * F.stop_damping[k]
            s += fade * F.stop_stiffness[k]
        W.compliance[first + k] = 1.0 / max(F.armature[k] + step_rate * d + step_place * s, 1e-30)
    for k in range(damping.shape[0]):
        W.compliance[first + count + k] = 1.0 / max(step_rate * damping[k] + step_place * stiffness[k], 1e-30)


@njit(cache=True)
def _unbalance(T, B, F, W, x, R, v, terms, blocks, multipliers, acceleration, drive, c):  # type: ignore[no-untyped-def]
    """f − M v̇ − Ĝᵀλ (n, 6), armatures included, and what is missing in c (m,)."""
    n, m = B.mass.shape[0], T.constant.shape[0]
    value, rate, bias, JA, JB = terms
    force = np.zeros((n, 6))
    power = np.zeros(drive.shape[0] + 1)
    all_forces(T, B, F, drive, x, R, v, value, rate, JA, JB, force, power)
    torques = np.zeros((F.mesh_row.shape[0], 2))
    mesh_torques(F, rate, multipliers, torques)
    mesh_forces(T, F, torques, JA, JB, force)
    inertia = np.empty((n, 3, 3))
    world_inertia(B.inertia, R, inertia)
    for i in range(n):
        for j in range(3):
            force[i, j] -= B.mass[i] * acceleration[i, j]
            for k in range(3):
                force[i, 3 + j] -= inertia[i, j, k] * acceleration[i, 3 + k]
    for k in range(F.term.shape[0]):
        if F.armature[k] > 0.0:
            i = F.term[k]
            a, b = T.body_a[i], T.body_b[i]
            s = bias[i]
            for j in range(6):
                if a < n:
                    s += JA[i, j] * acceleration[a, j]
                if b < n:
                    s += JB[i, j] * acceleration[b, j]
            add_along(T, JA, JB, i, -F.armature[k] * s, n, force)
    held, missing = multipliers.copy(), np.empty(m)
    product(T.row_block, T.block_body, blocks, acceleration, missing)
    for i in range(m):
        missing[i] = c[i] - missing[i]
        if W.kind[i] == ROTOR:
            held[i], missing[i] = 0.0, 0.0
    pulled = np.zeros((n, 6))
    transposed_product(T.row_block, T.block_body, blocks, held, pulled)
    return force - pulled, missing


@njit(cache=True)
def alpha_step(T, K, B, F, W, length, alpha, h, x, q, v, angles, before, kept, drive, first, tangents, rtol, atol):  # type: ignore[no-untyped-def]
    """One step of h, projected.

    `before` is (v̇, α̇) at the start, `kept` (2, n, 6) the algorithmic acceleration and the v̇ of a step before, from
    which the one sought is guessed; `drive` the functions of time at the end, `first` the first soft row, `tangents`
    as `constant_tangents` gives them. New x, q, v, angles, kept, scaled error (infinite: the iteration did not
    converge), residual of the projection, rounds taken, and what `accelerate` gives at the end.
    W's compliance is written to, and put back.
    """
    n, m = x.shape[0], T.constant.shape[0]
    old, turning = before
    memory = kept[0]
    share = (1 - alpha.force) / (1 - alpha.mass)
    now, multipliers = 2 * old - kept[1], np.zeros(m)
    compliance = W.compliance.copy()
    new_x, new_q, new_v = np.empty_like(x), np.empty_like(q), np.empty_like(v)
    new_angles = angles + h * turning
    a, left, change_before, rounds = memory, np.inf, np.inf, 0
    for _ in range(_ROUNDS):
        rounds += 1
        a = ((1 - alpha.force) * now + alpha.force * old - alpha.mass * memory) / (1 - alpha.mass)
        new_v[:] = v + h * ((1 - alpha.gamma) * memory + alpha.gamma * a)
        way = h * v + h * h * ((0.5 - alpha.beta) * memory + alpha.beta * a)
        new_x[:] = x + way[:, :3]
        new_q[:] = q
        for i in range(n):
            turn_by(new_q[i], way[i, 3:])
        if left <= 1.0:
            break
        xs, R, vs = frames(new_x, new_q, new_v)
        value, rate, bias, JA, JB, g, gv, c, blocks = evaluate_all(T, W, xs, R, vs, new_angles, drive, True)
        terms = (value, rate, bias, JA, JB)
        _soften(F, W, first, tangents, value, rate, h * alpha.gamma * share, h * h * alpha.beta * share)
        force, missing = _unbalance(T, B, F, W, xs, R, vs, terms, blocks, multipliers, now, drive, c)
        change, more, _ = respond(T, K, B, W, xs, R, blocks, force, missing)
        now += change
        multipliers += more
        # A tenth of the tolerance, in the velocities that the change of the acceleration would make.
        left = 0.0
        for i in range(n):
            for j in range(6):
                left = max(left, 10 * h * abs(change[i, j]) / (atol + rtol * abs(new_v[i, j])))
        if not left < np.inf:
            break
        # The changes shrink by a steady factor: what is left is the rest of their series.
        shrink = left / change_before
        change_before = left
        if rounds > 1 and shrink < 0.3:
            left *= shrink / (1 - shrink)
    error = 0.0 if left <= 1.0 else np.inf
    if error == 0.0:
        for i in range(n):
            for j in range(6):
                size = abs(new_x[i, j]) if j < 3 else 1.0
                part = h * h * abs(alpha.beta - 1 / 6) * abs(now[i, j] - old[i, j])
                error = max(error, part / (atol + rtol * size))
    W.compliance[:] = compliance
    _, residual = settle(T, K, B, W, length, new_x, new_q, new_v, new_angles, drive, rtol, atol)
    end = accelerate(T, K, B, F, W, new_x, new_q, new_v, new_angles, drive)
    return new_x, new_q, new_v, new_angles, np.stack((a, old)), error, residual, rounds, end
