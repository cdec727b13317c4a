"""Accelerations and multipliers from forces and right-hand sides, by the sweeps of `solver.sweeps.factor`, compiled."""

from __future__ import annotations

import math

import numpy as np

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Array3, Pair, entry, kernel
from solver.constraints.kernels import add, into, mul, out_of
from solver.constraints.terms import Terms
from solver.sweeps.bodies import Bodies
from solver.sweeps.factor import REFINEMENTS, solve
from solver.sweeps.forest import Forest
from solver.sweeps.joints import reactions
from solver.sweeps.work import Work

_MOST_GIVEN_BACK = 40
"""Rounds that give back the added mass: each leaves about `LENT` of its effect, so that five reach rounding; where rows
and light bodies make a chain they shrink more slowly, and one that leaves more than nine tenths ends them."""
_ROUNDED = 8e-15
"""Of the sum of its terms: a row's residual below this is rounding: 36 units in the last place of sums of a dozen
products of rounded accelerations."""
_UNSOLVED = 1e-3
"""Of the sum of its terms: a residual above this is open. Within a step, where poses are not put back on the rows,
those that repeat each other contradict by the error allowed."""
_FELT = 1e-8
"""Of what the forces alone would accelerate, and what the speeds of joints do: a residual below this moves nothing, as
where brakes hold all at rest, or where one wheel turns and nothing pulls at the rest."""


@kernel
def momentum(P: Forest, B: Bodies, R: Array3, a: Array2, sign: float, added: float, out: Array2) -> None:
    """out (n, 6, by places) += sign · M a (n, 6, by bodies), with the share `added` (0 or 1) of the added mass."""
    mass, inertia = B.mass, B.inertia
    for k in range(P.body.shape[0]):
        i = P.body[k]
        m = sign * (mass[i] + added * B.added_mass[i])
        w = into(R, i, (sign * a[i, 3], sign * a[i, 4], sign * a[i, 5]))
        world = out_of(R, i, add(out_of(inertia, i, w), mul(added, out_of(B.added_inertia, i, w))))
        for j in range(3):
            out[k, j] += m * a[i, j]
            out[k, 3 + j] += world[j]


@kernel
def _gaps(
    T: Terms, P: Forest, Q: Work, blocks: Array2, compliance: Array1, c: Array1, a: Array2, multipliers: Array1,
    gap: Array1,
) -> Pair:  # fmt: skip
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
        # A row that no body feels has no scale.
        if weight[e] > LEAST_DIVISOR:
            scale = 1.0 / math.sqrt(weight[e] + compliance[row])
            left = max(left, abs(s) * scale)
            rounding = max(rounding, size * scale)
    return left, _ROUNDED * rounding


@entry
def solve_refined(
    T: Terms, P: Forest, B: Bodies, Q: Work, compliance: Array1, R: Array3, blocks: Array2, force: Array2, c: Array1,
    enough: float, acceleration: Array2, loop_multipliers: Array1,
) -> None:  # fmt: skip
    """v̇ (n, 6) and the loops' λ in closing (l,) of M v̇ + Ĝᵀλ = force, Ĝ v̇ − E λ = c, with Q factored.

    `acceleration` starts as one that meets the joints' rows (`particular_accelerations`, `bias_accelerations`), and
    becomes v̇. The added mass counts as the bodies' own. Refines until the residual is below `enough` of the first, or
    stops falling: what c has outside the range of the rows then remains. A large rest is counted, where all was to be
    solved (`enough` 0).
    """
    n, loops = P.body.shape[0], P.row.shape[0]
    pulled = 0.0
    for k in range(n):
        i = P.body[k]
        for j in range(6):
            Q.force[k, j] = force[i, j]
        mass = B.mass[i] + B.added_mass[i]
        if mass > 0.0:
            pull = abs(force[i, 0]) + abs(force[i, 1]) + abs(force[i, 2])
            swing = abs(acceleration[i, 0]) + abs(acceleration[i, 1]) + abs(acceleration[i, 2])
            pulled = max(pulled, (pull + mass * swing) / math.sqrt(mass))
    # The start meets the joints' rows with their c. What is left to find is a correction with c = 0 in them, under the
    # force f − M a.
    momentum(P, B, R, acceleration, -1.0, 1.0, Q.force)
    correction, loop_correction, gap = Q.correction, Q.loop_correction, Q.gap
    for e in range(loops):
        loop_multipliers[e] = 0.0
    before, first, left, rounding = np.inf, np.inf, 0.0, 0.0
    for k in range(REFINEMENTS + 1):
        left, rounding = _gaps(T, P, Q, blocks, compliance, c, acceleration, loop_multipliers, gap)
        if k == 0:
            first = left
        else:
            # After three rounds, a residual that no longer halves is of rows that contradict each other.
            if left <= max(rounding, enough * first) or (k > 2 and left > 0.5 * before):
                break
            # From the second round on no force is open: a solution balances all forces, and only the shift of the loop
            # rows leaves a gap.
            for i in range(n):
                for j in range(6):
                    Q.force[i, j] = 0.0
            before = left
        solve(P, Q, gap, correction, loop_correction)
        for i in range(n):
            for j in range(6):
                acceleration[i, j] += correction[i, j]
        for e in range(loops):
            loop_multipliers[e] += loop_correction[e]
    if enough == 0.0 and left * _ROUNDED > _UNSOLVED * rounding and left > _FELT * pulled:
        Q.unsolved[0] += 1.0


@entry
def joint_multipliers(
    T: Terms, P: Forest, B: Bodies, Q: Work, R: Array3, blocks: Array2, force: Array2, acceleration: Array2,
    loop_multipliers: Array1, multipliers: Array1,
) -> None:  # fmt: skip
    """All multipliers (m,), from those of the loops (l,) and all other forces."""
    for k in range(P.body.shape[0]):
        for j in range(6):
            Q.force[k, j] = -force[P.body[k], j]
    # Added mass has no share here: `remove_added_mass` has taken its effect out of v̇, and its momentum is nobody's
    # load.
    momentum(P, B, R, acceleration, 1.0, 0.0, Q.force)
    for e in range(P.row.shape[0]):
        row = P.row[e]
        multipliers[row] = loop_multipliers[e]
        for b in range(T.row_block[row], T.row_block[row + 1]):
            for j in range(6):
                Q.force[P.place[T.block_body[b]], j] += blocks[b, j] * loop_multipliers[e]
    reactions(P, Q, R, multipliers)


@entry
def remove_added_mass(
    T: Terms, P: Forest, B: Bodies, Q: Work, compliance: Array1, R: Array3, blocks: Array2, acceleration: Array2
) -> None:
    """Refine v̇ and Q.closing in place until the added mass has no effect (see `solver.equations.massless`)."""
    n, before = P.body.shape[0], np.inf
    force, correction, loop_multipliers = Q.added_force, Q.added_correction, Q.added_multipliers
    for i in range(n):
        for j in range(6):
            correction[i, j], force[i, j] = acceleration[i, j], 0.0
    for _ in range(_MOST_GIVEN_BACK):
        # (M + D) δₖ₊₁ + Ĝᵀ δλ = D δₖ, Ĝ δₖ₊₁ = 0: the sum of all δ is the iteration at the head of `massless`.
        for i in B.light:
            w = into(R, i, (correction[i, 3], correction[i, 4], correction[i, 5]))
            moment = out_of(R, i, out_of(B.added_inertia, i, w))
            for j in range(3):
                force[i, j] = B.added_mass[i] * correction[i, j]
                force[i, 3 + j] = moment[j]
        for i in range(n):
            for j in range(6):
                correction[i, j] = 0.0
        solve_refined(T, P, B, Q, compliance, R, blocks, force, Q.no_gap, 0.0, correction, loop_multipliers)
        size, whole = 0.0, 0.0
        for i in range(n):
            for j in range(6):
                acceleration[i, j] += correction[i, j]
                size, whole = max(size, abs(correction[i, j])), max(whole, abs(acceleration[i, j]))
        for e in range(loop_multipliers.shape[0]):
            Q.loop_multipliers[e] += loop_multipliers[e]
        # Down to rounding, or to what this no longer makes smaller.
        if size <= 1e-15 * whole or size > 0.9 * before:
            break
        before = size
