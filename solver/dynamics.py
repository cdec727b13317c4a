"""Accelerations and multipliers at one state, compiled: the right-hand side of the equations of motion."""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.compiled import inlined, kernel
from solver.constraints.kernels import assemble_rows, evaluate_terms, rotations, turn_rates, unwind
from solver.kkt import factor, product, solve, transposed_product, weigh
from solver.loads import all_forces, energies, mesh_forces, mesh_losses, mesh_torques, world_inertia
from solver.room import make_room
from solver.sweeps.factor import factor as factor_sweeps
from solver.sweeps.factor import repeats
from solver.sweeps.joints import coast
from solver.sweeps.response import answer, give_back, joint_multipliers
from solver.sweeps.work import copy_rows
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
    count, m = T.kind.shape[0], T.constant.shape[0]
    value, rate, bias = np.empty(count), np.empty(count), np.empty(count)
    JA, JB = np.empty((count, 6)), np.empty((count, 6))
    g, gv, c, blocks = np.empty(m), np.empty(m), np.empty(m), np.empty((T.block_body.shape[0], 6))
    terms = (np.arange(count), value, rate, bias, JA, JB)
    rows = (np.arange(m), g, gv, c, blocks)
    evaluate(T, W, x, R, v, angles, drive, with_rates, terms, rows)
    return value, rate, bias, JA, JB, g, gv, c, blocks


@inlined
def evaluate(T, W, x, R, v, angles, drive, with_rates, terms, rows):  # type: ignore[no-untyped-def]
    """As `evaluate_all`, into `terms` (which, value, rate, bias, JA, JB) and `rows` (which, g, gv, c, blocks).

    Only those that `which` names are computed.
    """
    these, value, rate, bias, JA, JB = terms
    those, g, gv, c, blocks = rows
    evaluate_terms(T, these, x, R, v, with_rates, value, rate, bias, JA, JB)
    unwind(T, these, value, angles)
    assemble_rows(T, those, value, rate, bias, JA, JB, g, gv, c, blocks)
    for i in those:
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
    E = make_room(T, K, F, W, angles.shape[0], drive.shape[0])
    multipliers = np.zeros(T.constant.shape[0])
    stage(T, K, B, F, W, E, (positions, quaternions, velocities, angles), drive, True, multipliers)
    return E.acceleration, multipliers, E.turning, E.power, repeats(K, E.sweeps, W.compliance)


@inlined
def place(E, positions, quaternions, velocities):  # type: ignore[no-untyped-def]
    """The bodies' frames and velocities into the room E."""
    for i in range(positions.shape[0]):
        for j in range(3):
            E.x[i, j] = positions[i, j]
        for j in range(6):
            E.v[i, j] = velocities[i, j]
    rotations(quaternions, E.R)


@inlined
def look(T, P, W, E, angles, drive):  # type: ignore[no-untyped-def]
    """What accelerations need of terms and rows, into the room E with the bodies placed."""
    terms, rows = (P.term, E.value, E.rate, E.bias, E.JA, E.JB), (P.row, E.g, E.gv, E.c, E.blocks)
    evaluate(T, W, E.x, E.R, E.v, angles, drive, True, terms, rows)


@inlined
def act(T, B, F, E, drive):  # type: ignore[no-untyped-def]
    """All loads into the room's force and power."""
    for k in range(E.power.shape[0]):
        E.power[k] = 0.0
    all_forces(T, B, F, drive, E.x, E.R, E.v, E.value, E.rate, E.JA, E.JB, E.force, E.power)


@kernel
def stage(T, P, B, F, W, E, state, drive, complete, multipliers):  # type: ignore[no-untyped-def]
    """As `accelerate`, into the room E; without `complete` only the multipliers of rows that close loops."""
    positions, quaternions, velocities, angles = state
    place(E, positions, quaternions, velocities)
    look(T, P, W, E, angles, drive)
    act(T, B, F, E, drive)
    factor_sweeps(P, B, E.compliance, E.x, E.R, E.blocks, E.sweeps)
    turn_rates(T, P.spin, E.R, E.v, E.rate)
    solve_loaded(T, P, B, F, E, complete, multipliers)


@inlined
def _solve(T, P, B, E):  # type: ignore[no-untyped-def]
    """v̇ into the room's acceleration, and the loops' λ into its `closing`, with the sweeps factored."""
    Q = E.sweeps
    coast(P, Q, E.R, E.v, E.acceleration)
    answer(T, P, B, Q, E.compliance, E.R, E.blocks, E.force, E.c, 0.0, E.acceleration, Q.closing)
    if B.light.shape[0] > 0:
        give_back(T, P, B, Q, E.compliance, E.R, E.blocks, E.acceleration)


@inlined
def solve_loaded(T, P, B, F, E, complete, multipliers):  # type: ignore[no-untyped-def]
    """Accelerations for the room's forces, with what meshes lose; turning, power, and multipliers (m,)."""
    Q = E.sweeps
    _solve(T, P, B, E)
    if F.mesh_row.shape[0] > 0:
        _lose(T, P, B, F, E, multipliers)
    if complete:
        joint_multipliers(T, P, B, Q, E.R, E.blocks, E.force, E.acceleration, Q.closing, multipliers)
    else:
        for e in range(P.row.shape[0]):
            multipliers[P.row[e]] = Q.closing[e]
    for k in range(T.kind.shape[0]):
        if T.angle[k] >= 0:
            E.turning[T.angle[k]] = E.rate[k]
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] >= 0:
            E.power[k] = -multipliers[F.motor_row[k]] * E.rate[F.motor_term[k]]


@inlined
def _lose(T, P, B, F, E, multipliers):  # type: ignore[no-untyped-def]
    """Hold the wheels of meshes back by what their pulls lose, until pulls and losses agree."""
    Q, torques = E.sweeps, E.torques
    for k in range(torques.shape[0]):
        torques[k, 0] = torques[k, 1] = 0.0
    copy_rows(E.force, E.free)
    for _ in range(_MESHES):
        joint_multipliers(T, P, B, Q, E.R, E.blocks, E.force, E.acceleration, Q.closing, multipliers)
        change = mesh_torques(F, E.rate, multipliers, torques)
        copy_rows(E.free, E.force)
        mesh_forces(T, F, torques, E.JA, E.JB, E.force)
        _solve(T, P, B, E)
        largest = 0.0
        for k in range(torques.shape[0]):
            largest = max(largest, abs(torques[k, 0]), abs(torques[k, 1]))
        if change <= 1e-13 * largest:
            break
    E.power[-1] += mesh_losses(F, torques, E.rate)


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
        first[i], second[i] = scaled_residual(T, W, length, blocks, g, gv, i)
    return first, second


@kernel
def scaled_residual(T, W, length, blocks, g, gv, i):  # type: ignore[no-untyped-def]
    """Of row i alone; 0 for a rotor's."""
    if W.kind[i] == ROTOR:
        return 0.0, 0.0
    s = 0.0
    for b in range(T.row_block[i], T.row_block[i + 1]):
        for j in range(3):
            s += (length * blocks[b, j]) ** 2 + blocks[b, 3 + j] ** 2
    if s <= 1e-300:
        return 0.0, 0.0
    scale = 1.0 / math.sqrt(s)
    return abs(g[i]) * scale, abs(gv[i]) * scale


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
