"""Stiff loads in a step of generalised-α: rows that answer to the accelerations sought, and a filter made of them."""

from __future__ import annotations

import math

import numpy as np

from solver.compilation.compiled import Array1, Array2, Pair, kernel
from solver.constraints.terms import Terms
from solver.equations.dynamics import Tables
from solver.equations.loading import Loads
from solver.equations.projection import correct
from solver.equations.system import Rows
from solver.equations.workspace import Workspace
from solver.steps.alpha import Guess
from solver.sweeps.work import add_rows

UNANSWERED = 1e-6
"""Of what rows miss without their forces, what accelerations on the way may miss: the poses' correction closes it."""
ANSWERS = 1e-6
"""The part of a load's row that stiffness and damping make beside the armature, above which the load answers within the
step; below, it is as explicit, and the filter leaves it."""


@kernel
def soften(
    T: Terms, F: Loads, E: Workspace, G: Guess, first: int, tangents: tuple[Array1, Array1], step_rate: float,
    step_place: float,
) -> None:  # fmt: skip
    """Let loads along coordinates answer to the accelerations sought: s = γ' h d + β' h² k adds to the armature J.

    Their rows say M v̇ + Ĝᵀ (J q̈ + s (q̈ − q̈ of the guess)) = f, so that s does nothing once the guess is right.
    `tangents` are d and k (c,) of the rows after those of coordinates; `step_rate` is γ' h (s), `step_place` β' h².
    """
    damping, stiffness = tangents
    count = F.term.shape[0]
    for k in range(count):
        i = F.term[k]
        # What pushes on (below zero) is left to the iteration: in its matrix it might make that indefinite.
        d, s = max(F.damping[k], 0.0), max(F.stiffness[k], 0.0)
        if F.friction[k] != 0.0:
            # cosh(300)² is 1e260: beyond, it would overflow, and the derivative is 0 anyway.
            slip = min(abs(E.rate[i] / F.friction_speed[k]), 300.0)
            d += F.friction[k] / F.friction_speed[k] / math.cosh(slip) ** 2
        if F.stop_stiffness[k] != 0.0:
            depth = max(F.lower[k] - E.value[i], E.value[i] - F.upper[k], 0.0)
            fade = min(depth / F.stop_depth[k], 1.0)
            d += fade * F.stop_damping[k]
            s += fade * F.stop_stiffness[k]
        _soften_row(T, E, G, first + k, F.armature[k], (step_rate * d, step_place * s))
    for k in range(damping.shape[0]):
        _soften_row(T, E, G, first + count + k, 0.0, (step_rate * damping[k], step_place * stiffness[k]))


@kernel
def _soften_row(T: Terms, E: Workspace, G: Guess, i: int, armature: float, parts: Pair) -> None:
    """c and compliance of row i, in which c is −(q̈ at v̇ = 0), for what answers to the rate and to the place."""
    soft, now = parts[0] + parts[1], G.now
    G.damped[i] = parts[0] / parts[1] if parts[1] > 0.0 else np.inf
    # Of nothing at all a compliance of 1e30: the row does nothing, and nothing is divided by zero.
    whole = max(armature + soft, 1e-30)
    E.compliance[i] = 1.0 / whole
    along = -E.c[i]
    for b in range(T.row_block[i], T.row_block[i + 1]):
        for j in range(6):
            along += E.blocks[b, j] * now[T.block_body[b], j]
    E.c[i] += soft / whole * along


@kernel
def restore(E: Workspace, W: Rows, first: int) -> None:
    """Give the rows from `first` on their own compliance again."""
    for i in range(first, E.compliance.shape[0]):
        E.compliance[i] = W.compliance[i]


@kernel
def filter_stiff(tables: Tables, G: Guess, first: int, most: float) -> None:
    """Take from accelerations, the workspace's v, what stiff loads hold faster than the steps follow: into `move`.

    S⁻¹M v is left with the iteration's matrix S = M + Ĝᵀ(γ'h d + β'h² k)Ĝ, as of errors of stiff methods (Hairer and
    Wanner 1996, IV.8): of what vibrates with ω a part of 1 / (1 + β'h²ω²). Of soft rows, those `damped` less than
    `most`.
    """
    T, P, B, F, _, _, E = tables
    count, held = F.term.shape[0], False
    for i in range(E.gv.shape[0]):
        E.gv[i] = 0.0
    for j in range(6 * E.move.shape[0]):
        E.move[j // 6, j % 6] = 0.0
    for i in range(first, E.compliance.shape[0]):
        armature = F.armature[i - first] if i - first < count else 0.0
        part = 1.0 - armature * E.compliance[i]
        if part > ANSWERS and G.damped[i] <= most:
            held = True
            for b in range(T.row_block[i], T.row_block[i + 1]):
                for j in range(6):
                    E.gv[i] += part * E.blocks[b, j] * E.v[T.block_body[b], j]
    if held:
        correct(T, P, B, E, E.gv)
        add_rows(E.v, -1.0, E.move)


@kernel
def largest(rows: Array2) -> float:
    """The largest |number| of rows (n, 6)."""
    largest = 0.0
    for i in range(rows.shape[0]):
        for j in range(6):
            largest = max(largest, abs(rows[i, j]))
    return largest
