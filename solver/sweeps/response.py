"""Accelerations and multipliers from forces and right-hand sides, by the sweeps of `solver.sweeps.factor`, compiled."""

from __future__ import annotations

import math

import numpy as np

from solver.compiled import Array1, Array2, Array3, entry, kernel
from solver.constraints.kernels import add, into, mul, out_of
from solver.constraints.terms import Terms
from solver.sweeps.factor import REFINEMENTS, solve
from solver.sweeps.forest import Forest
from solver.sweeps.joints import reactions
from solver.sweeps.work import Work
from solver.system import Bodies

_ROUNDS = 40
_CLOSED = 8e-15
"""Of the sum of its terms: a row's residual below this is rounding."""


@kernel
def momentum(P, B, R, a, sign, lent, out):  # type: ignore[no-untyped-def]
    """out (n, 6, by places) += sign · M a (n, 6, by bodies), with the part `lent` (0 or 1) of what is lent."""
    mass, inertia = B.mass, B.inertia
    for k in range(P.body.shape[0]):
        i = P.body[k]
        m = sign * (mass[i] + lent * B.lent_mass[i])
        w = into(R, i, (sign * a[i, 3], sign * a[i, 4], sign * a[i, 5]))
        world = out_of(R, i, add(out_of(inertia, i, w), mul(lent, out_of(B.lent_inertia, i, w))))
        for j in range(3):
            out[k, j] += m * a[i, j]
            out[k, 3 + j] += world[j]


@kernel
def _gaps(T, P, Q, blocks, compliance, c, a, multipliers, gap):  # type: ignore[no-untyped-def]
    """gap (l,) = c − Ĝ v̇ + E λ of the rows that close loops; the largest scaled, and the scaled rounding in it."""
    left, rounding = 0.0, 0.0
    row_block, block_body, weight = T.row_block, T.block_body, Q.weight
    for e in range(P.row.shape[0]):
        row = P.row[e]
        soft = compliance[row] * multipliers[e]
        s, size = c[row] + soft, abs(c[row]) + abs(soft)
        for b in range(row_block[row], row_block[row + 1]):
            i = block_body[b]
            for j in range(6):
                part = blocks[b, j] * a[i, j]
                s -= part
                size += abs(part)
        gap[e] = s
        if weight[e] > 1e-300:
            scale = 1.0 / math.sqrt(weight[e] + compliance[row])
            left = max(left, abs(s) * scale)
            rounding = max(rounding, size * scale)
    return left, _CLOSED * rounding


@entry
def answer(
    T: Terms,
    P: Forest,
    B: Bodies,
    Q: Work,
    compliance: Array1,
    R: Array3,
    blocks: Array2,
    force: Array2,
    c: Array1,
    enough: float,
    acceleration: Array2,
    closing: Array1,
) -> None:
    """v̇ (n, 6) and the loops' λ in closing (l,) of M v̇ + Ĝᵀλ = force, Ĝ v̇ − E λ = c, with Q factored.

    `acceleration` comes as some that meets the joints' rows (`lift`, `coast`), and becomes v̇. What is lent counts as
    the bodies' own. Refines until the residual is below `enough` of the first, or stops falling: what c has outside the
    range of the rows then remains.
    """
    n, loops = P.body.shape[0], P.row.shape[0]
    for k in range(n):
        for j in range(6):
            Q.force[k, j] = force[P.body[k], j]
    momentum(P, B, R, acceleration, -1.0, 1.0, Q.force)
    change, more, gap = Q.change, Q.more, Q.gap
    for e in range(loops):
        closing[e] = 0.0
    before, first = np.inf, np.inf
    for k in range(REFINEMENTS + 1):
        left, rounding = _gaps(T, P, Q, blocks, compliance, c, acceleration, closing, gap)
        if k == 0:
            first = left
        else:
            if left <= max(rounding, enough * first) or (k > 2 and left > 0.5 * before):
                break
            for i in range(n):
                for j in range(6):
                    Q.force[i, j] = 0.0
            before = left
        solve(P, Q, gap, change, more)
        for i in range(n):
            for j in range(6):
                acceleration[i, j] += change[i, j]
        for e in range(loops):
            closing[e] += more[e]


@entry
def joint_multipliers(
    T: Terms,
    P: Forest,
    B: Bodies,
    Q: Work,
    R: Array3,
    blocks: Array2,
    force: Array2,
    acceleration: Array2,
    closing: Array1,
    multipliers: Array1,
) -> None:
    """All multipliers (m,), from those of the loops (l,) and what else acts."""
    for k in range(P.body.shape[0]):
        for j in range(6):
            Q.force[k, j] = -force[P.body[k], j]
    momentum(P, B, R, acceleration, 1.0, 0.0, Q.force)
    for e in range(P.row.shape[0]):
        row = P.row[e]
        multipliers[row] = closing[e]
        for b in range(T.row_block[row], T.row_block[row + 1]):
            for j in range(6):
                Q.force[P.place[T.block_body[b]], j] += blocks[b, j] * closing[e]
    reactions(P, Q, R, multipliers)


@entry
def give_back(
    T: Terms, P: Forest, B: Bodies, Q: Work, compliance: Array1, R: Array3, blocks: Array2, acceleration: Array2
) -> None:
    """Refine v̇ and Q.closing in place until the mass lent does nothing (see `solver.massless`)."""
    n, before = P.body.shape[0], np.inf
    force, change, closing = Q.returned, Q.returned_change, Q.returned_closing
    for i in range(n):
        for j in range(6):
            change[i, j], force[i, j] = acceleration[i, j], 0.0
    for _ in range(_ROUNDS):
        for i in B.light:
            w = into(R, i, (change[i, 3], change[i, 4], change[i, 5]))
            turned = out_of(R, i, out_of(B.lent_inertia, i, w))
            for j in range(3):
                force[i, j] = B.lent_mass[i] * change[i, j]
                force[i, 3 + j] = turned[j]
        for i in range(n):
            for j in range(6):
                change[i, j] = 0.0
        answer(T, P, B, Q, compliance, R, blocks, force, Q.no_gap, 0.0, change, closing)
        size, whole = 0.0, 0.0
        for i in range(n):
            for j in range(6):
                acceleration[i, j] += change[i, j]
                size, whole = max(size, abs(change[i, j])), max(whole, abs(acceleration[i, j]))
        for e in range(closing.shape[0]):
            Q.closing[e] += closing[e]
        if size <= 1e-15 * whole or size > 0.9 * before:
            break
        before = size
