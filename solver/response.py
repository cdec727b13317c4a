"""Accelerations and multipliers from forces and right-hand sides, by the sweeps of `solver.sweep`, compiled."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.sweep import REFINEMENTS, factor, lift, reactions, repeats, solve, workspace

_ROUNDS = 40
_CLOSED = 4e-15
"""Of the sum of its terms: a row's residual below this is rounding."""


@njit(cache=True)
def momentum(B, R, a, sign, out):  # type: ignore[no-untyped-def]
    """out (n, 6) += sign · M a, with what is lent."""
    for i in range(a.shape[0]):
        m = sign * (B.mass[i] + B.lent_mass[i])
        w0 = R[i, 0, 0] * a[i, 3] + R[i, 1, 0] * a[i, 4] + R[i, 2, 0] * a[i, 5]
        w1 = R[i, 0, 1] * a[i, 3] + R[i, 1, 1] * a[i, 4] + R[i, 2, 1] * a[i, 5]
        w2 = R[i, 0, 2] * a[i, 3] + R[i, 1, 2] * a[i, 4] + R[i, 2, 2] * a[i, 5]
        for j in range(3):
            out[i, j] += m * a[i, j]
            h = (
                (B.inertia[i, j, 0] + B.lent_inertia[i, j, 0]) * w0
                + (B.inertia[i, j, 1] + B.lent_inertia[i, j, 1]) * w1
                + (B.inertia[i, j, 2] + B.lent_inertia[i, j, 2]) * w2
            )
            for r in range(3):
                out[i, 3 + r] += sign * R[i, r, j] * h


@njit(cache=True)
def _gaps(T, P, Q, blocks, compliance, c, a, multipliers, gap):  # type: ignore[no-untyped-def]
    """gap (l,) = c − Ĝ v̇ + E λ of the rows that close loops; the largest scaled, and the scaled rounding in it."""
    left, rounding = 0.0, 0.0
    for e in range(P.row.shape[0]):
        row = P.row[e]
        s = c[row] + compliance[row] * multipliers[e]
        size = abs(c[row]) + abs(compliance[row] * multipliers[e])
        for b in range(T.row_block[row], T.row_block[row + 1]):
            for j in range(6):
                part = blocks[b, j] * a[T.block_body[b], j]
                s -= part
                size += abs(part)
        gap[e] = s
        if Q.weight[e] > 1e-300:
            scale = 1.0 / math.sqrt(Q.weight[e] + compliance[row])
            left = max(left, abs(s) * scale)
            rounding = max(rounding, size * scale)
    return left, _CLOSED * rounding


@njit(cache=True)
def answer(T, P, B, Q, compliance, R, blocks, force, c):  # type: ignore[no-untyped-def]
    """v̇ (n, 6), λ (m,) of M v̇ + Ĝᵀλ = force, Ĝ v̇ − E λ = c with Q factored, and the scaled residual of the loops.

    What is lent counts as the bodies' own. Refines until the residual stops falling: what c has outside the range of
    the rows then remains.
    """
    n, loops = B.mass.shape[0], P.row.shape[0]
    acceleration, change = np.empty((n, 6)), np.empty((n, 6))
    lift(P, Q, R, c, acceleration)
    rest = force.copy()
    momentum(B, R, acceleration, -1.0, rest)
    closing, more, gap = np.zeros(loops), np.empty(loops), np.empty(loops)
    left, _ = _gaps(T, P, Q, blocks, compliance, c, acceleration, closing, gap)
    solve(P, Q, rest, gap, change, closing)
    acceleration += change
    if loops > 0:
        rest[:] = 0.0
        before = np.inf
        for k in range(REFINEMENTS):
            left, rounding = _gaps(T, P, Q, blocks, compliance, c, acceleration, closing, gap)
            if left <= rounding or (k > 1 and left > 0.5 * before):
                break
            before = left
            solve(P, Q, rest, gap, change, more)
            acceleration += change
            closing += more
    multipliers = np.zeros(c.shape[0])
    change[:] = -force
    momentum(B, R, acceleration, 1.0, change)
    for e in range(loops):
        row = P.row[e]
        multipliers[row] = closing[e]
        for b in range(T.row_block[row], T.row_block[row + 1]):
            for j in range(6):
                change[T.block_body[b], j] += blocks[b, j] * closing[e]
    reactions(P, Q, R, change, multipliers)
    return acceleration, multipliers, left


@njit(cache=True)
def respond(T, P, B, W, x, R, blocks, force, c):  # type: ignore[no-untyped-def]
    """v̇ (n, 6) and λ (m,) of M v̇ + Ĝᵀλ = force, Ĝ v̇ − E λ = c, and whether rows repeat each other.

    λ is unique where no rows repeat each other, and else one of many (see `solver.kkt` for the least).
    """
    Q = workspace(P)
    factor(P, B, W.compliance, x, R, blocks, Q)
    acceleration, multipliers, _ = answer(T, P, B, Q, W.compliance, R, blocks, force, c)
    if B.light.shape[0] > 0:
        _give_back(T, P, B, Q, W.compliance, R, blocks, acceleration, multipliers)
    return acceleration, multipliers, repeats(P, Q, W.compliance)


@njit(cache=True)
def _give_back(T, P, B, Q, compliance, R, blocks, acceleration, multipliers):  # type: ignore[no-untyped-def]
    """Refine v̇ and λ in place until the mass lent does nothing (see `solver.massless`)."""
    n, still = B.mass.shape[0], np.zeros(multipliers.shape[0])
    change = acceleration.copy()
    before = np.inf
    force = np.zeros((n, 6))
    for _ in range(_ROUNDS):
        for i in B.light:
            turned = R[i] @ (B.lent_inertia[i] @ (R[i].T @ change[i, 3:]))
            for j in range(3):
                force[i, j] = B.lent_mass[i] * change[i, j]
                force[i, 3 + j] = turned[j]
        change, more, _ = answer(T, P, B, Q, compliance, R, blocks, force, still)
        acceleration += change
        multipliers += more
        size = np.abs(change).max()
        if size <= 1e-15 * np.abs(acceleration).max() or size > 0.9 * before:
            break
        before = size
