"""Where the pull of a gear pair that loses power changes its sign: the other wheel drives from there on; compiled.

What teeth lose goes with |pull|, which bends there. A step is cut there as at the corners of `kinks`. A pull is a
multiplier, whose rate no equation gives: where its sign is another at a step's end, differences give the rates.
"""

from __future__ import annotations

from solver.compilation.compiled import Array1, Array2, Pair, kernel
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, stage
from solver.equations.loading import Loads
from solver.runs.driving import Drives, fill
from solver.runs.kinks import PULL, Kinks
from solver.steps.explicit import quaternion_product
from solver.steps.samples import Within, held_slope, hold_slope

_DIFFERENCE_STEP = 1e-5
"""The part of a step over which the difference is taken: it is off by about this part of itself, and by rounding of
1e-11 of the loads."""


@kernel
def pulls_turn(tables: Tables, N: Kinks, h: float, tolerances: Pair) -> bool:
    """Whether a pull has another sign at the end of a step of h (s) whose losses may put a rate off: those count."""
    found = False
    for r in range(N.term.shape[0]):
        if N.kind[r] == PULL:
            pull = max(abs(N.before[r, 0]), abs(N.after[r, 0]))
            turns = N.before[r, 0] * N.after[r, 0] < 0.0 and _matters(tables, N.place[r], pull, h, tolerances)
            N.before[r, 2] = N.after[r, 2] = 1.0 if turns else 0.0
            found = found or turns
    return found


@kernel
def _matters(tables: Tables, k: int, pull: float, h: float, tolerances: Pair) -> bool:
    """Whether what mesh k loses of a `pull` within h (s) would move a wheel by more than a rate may be off."""
    (T, _, B, F, _, _, E), (rtol, atol) = tables, tolerances
    for side in range(2):
        i = F.mesh_term[k, side]
        b, moved = T.body_b[i], 0.0
        # The ground is the last body: no loss moves it.
        if b == E.v.shape[0] - 1:
            continue
        inertia = (B.inertia[b, 0, 0] + B.inertia[b, 1, 1] + B.inertia[b, 2, 2]) / 3
        for j in range(3):
            moved += E.JB[i, j] ** 2 / B.mass[b] + E.JB[i, 3 + j] ** 2 / inertia
        if F.mesh_loss[k, side] * abs(pull * F.mesh_pull[k, side]) * h * moved > atol + rtol * abs(E.rate[i]):
            return True
    return False


@kernel
def rate_pulls(
    tables: Tables, drives: Drives, D: Within, N: Kinks, start: StateArrays, slope: SlopeArrays, end: StateArrays,
    span: Pair,
) -> None:  # fmt: skip
    """The rates of the pulls at both ends of a step, into N; `span`: when it begins (s), and its length (s).

    The workspace has the slope at the step's end, and keeps it.
    """
    (T, P, B, F, W, _, E), (t, h) = tables, span
    hold_slope(E, D)
    aside = _DIFFERENCE_STEP * h
    _pull_beside(tables, drives, D, start, (slope[0], slope[1]), (t, aside))
    _differences(F, N, D.multipliers, aside, N.before)
    # Backwards from the end: beyond it a function of time may jump.
    _pull_beside(tables, drives, D, end, (D.acceleration, D.turning), (t + h, -aside))
    _differences(F, N, D.multipliers, -aside, N.after)
    # The workspace's factor is that of the step's end again: the smallest pivot is read from it.
    stage(T, P, B, F, W, E, end, drives.end, False, D.multipliers)
    held_slope(E, D)


@kernel
def _pull_beside(
    tables: Tables, drives: Drives, D: Within, state: StateArrays, slope: tuple[Array2, Array1], span: Pair
) -> None:
    """The multipliers (m,) of a state (x, q, v, angles) moved along its slope (v̇, α̇), into D.

    `span`: when it is (s), and how far it moves (s).
    """
    (T, P, B, F, W, _, E), (x, q, v, angles), (acceleration, turning), (t, s) = tables, state, slope, span
    for i in range(x.shape[0]):
        turned = quaternion_product((0.0, v[i, 3], v[i, 4], v[i, 5]), (q[i, 0], q[i, 1], q[i, 2], q[i, 3]))
        for j in range(3):
            D.x[i, j] = x[i, j] + s * v[i, j]
        for j in range(4):
            D.q[i, j] = q[i, j] + 0.5 * s * turned[j]
        for j in range(6):
            D.v[i, j] = v[i, j] + s * acceleration[i, j]
    for k in range(angles.shape[0]):
        D.angles[k] = angles[k] + s * turning[k]
    fill(drives, t + s, D.drive)
    stage(T, P, B, F, W, E, (D.x, D.q, D.v, D.angles), D.drive, False, D.multipliers)


@kernel
def _differences(F: Loads, N: Kinks, multipliers: Array1, over: float, out: Array2) -> None:
    """Rates of the pulls from their values in out (m, 3) and those `over` (s) later, into it."""
    for r in range(N.term.shape[0]):
        if N.kind[r] == PULL:
            out[r, 1] = (multipliers[F.mesh_row[N.place[r]]] - out[r, 0]) / over
