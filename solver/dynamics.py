"""Accelerations and multipliers at one state, compiled: the right-hand side of the equations of motion."""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.constraints.kernels import assemble_rows, evaluate_terms, rotations, turn_rates, unwind
from solver.kkt import factor, product, solve, transposed_product, weigh
from solver.loads import all_forces, energies, mesh_forces, mesh_losses, mesh_torques, world_inertia
from solver.sweeps.factor import factor as factor_sweeps
from solver.sweeps.factor import repeats
from solver.sweeps.joints import coast
from solver.sweeps.response import answer, give_back, joint_multipliers
from solver.sweeps.work import workspace
from solver.system import ANGLE, ROTOR, SPEED

_MESHES = 200
"""Rounds in which pulls of teeth and their losses find each other: each leaves at most 1 − efficiency of the error."""


@njit(cache=True)
def frames(positions, quaternions, velocities):  # type: ignore[no-untyped-def]
    """x (n+1, 3), R (n+1, 3, 3), v (n+1, 6) with the ground behind the bodies."""
    n = positions.shape[0]
    x, R, v = np.zeros((n + 1, 3)), np.empty((n + 1, 3, 3)), np.zeros((n + 1, 6))
    x[:n] = positions
    v[:n] = velocities
    rotations(quaternions, R)
    return x, R, v


@njit(cache=True)
def evaluate_all(T, W, x, R, v, angles, drive, with_rates):  # type: ignore[no-untyped-def]
    """Terms on the branches of `angles`, and rows with their drivers: speed and rotor rows hold no position."""
    terms, rows = np.arange(T.kind.shape[0]), np.arange(T.constant.shape[0])
    return evaluate_some(T, W, terms, rows, x, R, v, angles, drive, with_rates)


@njit(cache=True)
def evaluate_some(T, W, terms, rows, x, R, v, angles, drive, with_rates):  # type: ignore[no-untyped-def]
    """As `evaluate_all`, but only the terms and rows named; nothing is said of the others."""
    count, m = T.kind.shape[0], T.constant.shape[0]
    value, rate, bias = np.empty(count), np.empty(count), np.empty(count)
    JA, JB = np.empty((count, 6)), np.empty((count, 6))
    evaluate_terms(T, terms, x, R, v, with_rates, value, rate, bias, JA, JB)
    unwind(T, terms, value, angles)
    g, gv, c = np.empty(m), np.empty(m), np.empty(m)
    blocks = np.empty((T.block_body.shape[0], 6))
    assemble_rows(T, rows, value, rate, bias, JA, JB, g, gv, c, blocks)
    for i in rows:
        kind, k = W.kind[i], W.motor[i]
        if kind == ANGLE:
            g[i] -= drive[k, 0]
            gv[i] -= drive[k, 1]
            c[i] += drive[k, 2]
        elif kind == SPEED:
            g[i] = 0.0
            gv[i] -= drive[k, 0]
            c[i] += drive[k, 1]
        elif kind == ROTOR:
            g[i] = 0.0
            gv[i] = 0.0
    return value, rate, bias, JA, JB, g, gv, c, blocks


@njit(cache=True)
def metric(T, K, B, W, R, blocks):  # type: ignore[no-untyped-def]
    """World inverse inertia, M⁻¹Ĝᵀ, factor and scale of S."""
    n, m = B.mass.shape[0], T.constant.shape[0]
    inverse = np.empty((n, 3, 3))
    world_inertia(B.inverse_inertia, R, inverse)
    weighed = np.empty_like(blocks)
    weigh(T.block_body, blocks, B.inverse_mass, inverse, weighed)
    L, scale = np.empty(K.row_index.shape[0]), np.empty(m)
    factor(K, blocks, weighed, W.compliance, L, scale)
    return inverse, weighed, L, scale


@njit(cache=True)
def accelerate(T, K, B, F, W, positions, quaternions, velocities, angles, drive):  # type: ignore[no-untyped-def]
    """v̇ (n, 6), λ (m,), α̇ (na,), power (rows of drive + 1, W), and whether rows repeat each other.

    Where they do, λ is one of many: see `least_multipliers`.
    """
    multipliers = np.zeros(T.constant.shape[0])
    Q = workspace(K)
    state = (positions, quaternions, velocities, angles)
    acceleration, spun, power = stage(T, K, B, F, W, Q, state, drive, True, multipliers)
    return acceleration, multipliers, spun, power, repeats(K, Q, W.compliance)


@njit(cache=True)
def _answered(T, P, B, W, Q, R, v, blocks, force, c, acceleration):  # type: ignore[no-untyped-def]
    """v̇ into acceleration (n, 6), and the loops' λ into Q.closing, with Q factored."""
    coast(P, Q, R, v, acceleration)
    answer(T, P, B, Q, W.compliance, R, blocks, force, c, acceleration, Q.closing)
    if B.light.shape[0] > 0:
        give_back(T, P, B, Q, W.compliance, R, blocks, acceleration)


@njit(cache=True)
def stage(T, K, B, F, W, Q, state, drive, complete, multipliers):  # type: ignore[no-untyped-def]
    """As `accelerate`, with the room Q; without `complete` only the multipliers of rows that close loops."""
    P, (positions, quaternions, velocities, angles) = K, state
    x, R, v = frames(positions, quaternions, velocities)
    value, rate, bias, JA, JB, g, gv, c, blocks = evaluate_some(T, W, P.term, P.row, x, R, v, angles, drive, True)
    turn_rates(T, P.spin, R, v, rate)
    force = np.zeros((positions.shape[0], 6))
    power = np.zeros(drive.shape[0] + 1)
    all_forces(T, B, F, drive, x, R, v, value, rate, JA, JB, force, power)
    acceleration = np.empty_like(force)
    factor_sweeps(P, B, W.compliance, x, R, blocks, Q)
    _answered(T, P, B, W, Q, R, v, blocks, force, c, acceleration)
    if F.mesh_row.shape[0] > 0:
        torques = np.zeros((F.mesh_row.shape[0], 2))
        free = force.copy()
        for _ in range(_MESHES):
            joint_multipliers(T, P, B, Q, R, blocks, force, acceleration, Q.closing, multipliers)
            change = mesh_torques(F, rate, multipliers, torques)
            force[:] = free
            mesh_forces(T, F, torques, JA, JB, force)
            _answered(T, P, B, W, Q, R, v, blocks, force, c, acceleration)
            if change <= 1e-13 * np.abs(torques).max():
                break
        power[-1] += mesh_losses(F, torques, rate)
    if complete:
        joint_multipliers(T, P, B, Q, R, blocks, force, acceleration, Q.closing, multipliers)
    else:
        for e in range(P.row.shape[0]):
            multipliers[P.row[e]] = Q.closing[e]
    spun = np.empty(angles.shape[0])
    for k in range(T.kind.shape[0]):
        if T.angle[k] >= 0:
            spun[T.angle[k]] = rate[k]
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] >= 0:
            power[k] = -multipliers[F.motor_row[k]] * rate[F.motor_term[k]]
    return acceleration, spun, power


@njit(cache=True)
def least_multipliers(T, S, B, W, positions, quaternions, angles, drive, multipliers):  # type: ignore[no-untyped-def]
    """λ of least norm in the scaled rows (see `solver.kkt`) with the same Ĝᵀλ as the λ given."""
    n, m = positions.shape[0], multipliers.shape[0]
    x, R, v = frames(positions, quaternions, np.zeros((n, 6)))
    blocks = evaluate_all(T, W, x, R, v, angles, drive, False)[-1]
    inverse, weighed, L, scale = metric(T, S, B, W, R, blocks)
    y, b, found = np.zeros((n, 6)), np.empty(m), np.empty(m)
    transposed_product(T.row_block, T.block_body, weighed, multipliers, y)
    product(T.row_block, T.block_body, blocks, y, b)
    b += W.compliance * multipliers
    solve(T, S, blocks, weighed, W.compliance, L, scale, b, n, found)
    return found


@njit(cache=True)
def scaled_residuals(T, W, length, blocks, g, gv):  # type: ignore[no-untyped-def]
    """|g| and |ġ| (m,) over the norm of their rows, travel counted by `length`: dimensionless, and 1/s."""
    m = g.shape[0]
    first, second = np.zeros(m), np.zeros(m)
    for i in range(m):
        s = 0.0
        for b in range(T.row_block[i], T.row_block[i + 1]):
            for j in range(3):
                s += (length * blocks[b, j]) ** 2 + blocks[b, 3 + j] ** 2
        if s > 1e-300 and W.kind[i] != ROTOR:
            first[i] = abs(g[i]) / math.sqrt(s)
            second[i] = abs(gv[i]) / math.sqrt(s)
    return first, second


@njit(cache=True)
def observe(T, B, F, W, length, positions, quaternions, velocities, angles, drive, accelerations, count):  # type: ignore[no-untyped-def]
    """Coordinates, rates, accelerations of all coordinate terms; residuals; energies.

    `count` coordinate terms stand last in the table.
    """
    n = positions.shape[0]
    x, R, v = frames(positions, quaternions, velocities)
    value, rate, bias, JA, JB, g, gv, c, blocks = evaluate_all(T, W, x, R, v, angles, drive, True)
    first, second = scaled_residuals(T, W, length, blocks, g, gv)
    start = T.kind.shape[0] - count
    second_rate = np.empty(count)
    for k in range(count):
        i = start + k
        s = bias[i]
        a, b = T.body_a[i], T.body_b[i]
        for j in range(6):
            if a < n:
                s += JA[i, j] * accelerations[a, j]
            if b < n:
                s += JB[i, j] * accelerations[b, j]
        second_rate[k] = s
    kinetic, potential = energies(T, B, F, x, R, v, value, rate)
    return value[start:], rate[start:], second_rate, first, second, kinetic, potential
