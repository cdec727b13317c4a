"""One step of the generalised-α method on the Lie group of poses, compiled: for stiff springs, dampers and drives.

Chung and Hulbert (1993) for the coefficients, Arnold and Brüls (2007) for the orientations. The accelerations
at the end of the step solve the equations of motion there, rows on the level of accelerations; in the same rounds
poses and velocities are put on the constraints by the least corrections, with the factor that the accelerations need
anyway: those of the poses and velocities to which the accelerations just found lead. Of these only what moves along the
constraints matters then, and the velocity terms of the rows need no tangent. A correction δ of the poses stands for
forces of the rows at the start of the step, as in RATTLE (Andersen 1983): so it is along these rows, and velocities
change by δ/h before they are put on those of the end. Without it energies drift by h² in each turn of a mechanism.
The tangent of a load along a coordinate, γ' h d + β' h² k, adds to its armature: the same saddle-point system serves,
with one row a coordinate (`solver.model.tangents`).
"""

from __future__ import annotations

import math

import numpy as np

from solver.compilation.compiled import Array1, Array2, Pair, Triple, kernel
from solver.constraints.kernels import cross, turn_angles, turn_rates
from solver.constraints.terms import Terms
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, act, look, place, solve_loaded
from solver.equations.projection import correct, look_around, put_back, turn_by
from solver.equations.system import ROTOR, SPEED, Rows
from solver.equations.workspace import Workspace
from solver.steps.alpha import Alpha, Guess, Implicit, Memory, Soft
from solver.steps.explicit import Steps
from solver.steps.softening import ANSWERS, UNANSWERED, filter_stiff, largest, restore, soften
from solver.sweeps.factor import factor
from solver.sweeps.forest import Forest
from solver.sweeps.joints import gaps
from solver.sweeps.work import add_rows, copy_rows, row

_MOST_ROUNDS = 30
"""Rounds of a step's iteration: changes that shrink by less than half a round would need more than thirty down to 1e-9
of the first, and two steps of half the length are cheaper."""
_OPENS_ROWS = 1e-4
"""What moved the poses less, in rad or parts of the length, opens rows by its square, 1e-8, which the next step closes.
"""
_TRUSTED_CHANGE = 10.0
"""A change below this, in tenths of the tolerance, is trusted to shrink as those of the step before; above, a second
round measures it."""
_SPAN, _MANY = 0.05, 0.1
"""s: what all steps in so long a time may err together, but of no more than so many over the root of the tolerance.
Steps of second order are many, and their errors add up; those that follow what dies out at once, such as a stiff
damper, are shorter, and theirs die out too."""
_OF_ACCOUNT = 1.0
"""Tolerances: a vibration that steps begin without is of no account below."""
_MUCH_LONGER = 2.0
"""From a step to one longer than so many, corrections are not expected to go on: they are foreseen by (h / h before)³,
which multiplies what they are off by eight."""


@kernel
def _predict(memory: Memory, acceleration: Array2, h: float, now: Array2) -> None:
    """v̇ after h by the parabola through the last three."""
    one, two = memory.spans[0], memory.spans[1]
    for i in range(now.shape[0]):
        for j in range(6):
            now[i, j] = acceleration[i, j]
            if one > 0.0:
                slope = (acceleration[i, j] - memory.once[i, j]) / one
                now[i, j] += h * slope
                if two > 0.0:
                    bend = (slope - (memory.once[i, j] - memory.twice[i, j]) / two) / (one + two)
                    now[i, j] += h * (h + one) * bend


@kernel
def _place_guess(G: Guess, alpha: Alpha, h: float, state: StateArrays, acceleration: Array2, memory: Memory) -> None:
    """The state at the end of the step for the accelerations `now`, with the corrections expected.

    Of velocities `moves` over h are what the corrections of poses change them by along the rows at the step's start.
    """
    x, q, v, _ = state
    for i in range(x.shape[0]):
        for j in range(6):
            own, old = memory.algorithmic[i, j], acceleration[i, j]
            # (1 − αm) a + αm a₀ = (1 − αf) v̇ + αf v̇₀, and Newmark's formulas with a: v = v₀ + h ((1 − γ) a₀ + γ a),
            # and the way h v₀ + h² ((½ − β) a₀ + β a).
            a = ((1 - alpha.force) * G.now[i, j] + alpha.force * old - alpha.mass * own) / (1 - alpha.mass)
            G.own[i, j] = a
            kick = G.pushes[i, j] + G.moves[i, j] / h
            G.v[i, j] = v[i, j] + h * ((1 - alpha.gamma) * own + alpha.gamma * a) - kick
            way = h * v[i, j] + h * h * ((0.5 - alpha.beta) * own + alpha.beta * a)
            if j < 3:
                G.x[i, j] = x[i, j] + way - G.moves[i, j]
            else:
                G.turn[i, j - 3] = way
        for j in range(4):
            G.q[i, j] = q[i, j]
        turn_by(G.q[i], G.turn[i, 0], G.turn[i, 1], G.turn[i, 2])
        turn_by(G.q[i], -G.moves[i, 3], -G.moves[i, 4], -G.moves[i, 5])


@kernel
def _expect_corrections(G: Guess, memory: Memory, h: float) -> None:
    """Corrections as in the steps before: like their errors they go with h³. They are along the rows at the start."""
    one, two = memory.spans[0], memory.spans[1]
    part = (h / one) ** 3 if one > 0.0 and h <= _MUCH_LONGER * one else 0.0
    on = (h + one) / (one + two) if two > 0.0 else 0.0
    for i in range(G.moves.shape[0]):
        for j in range(6):
            G.moves[i, j] = part * (memory.moves[i, j] + on * memory.trend[i, j])
            G.pushes[i, j] = part * memory.pushes[i, j] - G.moves[i, j] / h


@kernel
def _turn_corrections(tables: Tables, G: Guess, memory: Memory, h: float) -> None:
    """Turn corrections of poses to the rows of the step's start; by how much they are more than in the step before.

    What the rows turn by takes those of the step before off the rows as they are, and these alike.
    """
    (T, P, B, _, W, length, E), one = tables, memory.spans[0]
    part = (h / one) ** 3 if one > 0.0 and h <= _MUCH_LONGER * one else 0.0
    for i in range(G.moves.shape[0]):
        for j in range(6):
            E.v[i, j] = part * memory.moves[i, j]
    for i in P.row:
        E.gv[i] = 0.0
    _add_rates(T, P, W, E, False, E.gv)
    gaps(T, P, E.x, E.R, E.v, length, E.g, E.gv)
    correct(T, P, B, E, E.gv)
    for i in range(G.moves.shape[0]):
        for j in range(6):
            G.trend[i, j] = G.moves[i, j] - E.move[i, j]
            E.v[i, j] -= E.move[i, j]
        for j in range(3):
            G.x[i, j] -= E.v[i, j]
        turn_by(G.q[i], -E.v[i, 3], -E.v[i, 4], -E.v[i, 5])


@kernel
def _respond(tables: Tables, G: Guess, effects: Triple, drive: Array2, soft: Soft) -> None:
    """Accelerations at the state of G, into the workspace."""
    (T, P, B, F, W, _, E), (first, tangents) = tables, soft
    place(E, G.x, G.q, G.v)
    look_around(T, P, W, E, G.angles, drive)
    act(T, B, F, E, drive)
    turn_rates(T, P.spin, E.R, E.v, E.rate)
    soften(T, F, E, G, first, tangents, effects[0], effects[1])
    factor(P, B, E.compliance, E.x, E.R, E.blocks, E.sweeps)
    # What is left of rows that only hold is corrected with the poses; of springs and of teeth it would count.
    enough = UNANSWERED if first == G.multipliers.shape[0] and F.mesh_row.shape[0] == 0 else 0.0
    solve_loaded(T, P, B, F, E, False, enough, G.multipliers)


@kernel
def _take(tables: Tables, G: Guess, effects: Triple, tolerances: Pair) -> Pair:
    """Take the accelerations found, and the velocities and poses they lead to, corrected with the factor there is.

    `effects` are the derivatives of velocities, poses and the method's accelerations by them. Rows so answer to new
    accelerations in the same round: what is missed shrinks with (h ω)² from round to round, not with h ω. Returns by
    how much velocities change, in tenths of the tolerance, and poses, in rad or parts of the length.
    """
    E = tables[6]
    for i in range(G.now.shape[0]):
        for j in range(6):
            change = E.acceleration[i, j] - G.now[i, j]
            G.now[i, j] += change
            G.own[i, j] += effects[2] * change
            G.ways[i, j] = effects[1] * change
            E.v[i, j] = G.pushes[i, j] + effects[0] * change
    return _take_velocities(tables, G, tolerances), _take_poses(tables, G)


@kernel
def _take_velocities(tables: Tables, G: Guess, tolerances: Pair) -> float:
    """Change the velocities of G by those of the workspace, and correct them; see `_take`."""
    T, P, B, _, W, length, E = tables
    # Rows of loops have ġ of the velocities before: Ĝ times the change is added. Those of joints `gaps` computes anew.
    _add_rates(T, P, W, E, True, E.gv)
    add_rows(E.v, 1.0, G.v)
    gaps(T, P, E.x, E.R, E.v, length, E.g, E.gv)
    correct(T, P, B, E, E.gv)
    copy_rows(E.move, G.pushes)
    add_rows(E.v, -1.0, E.move)
    left, (rtol, atol) = 0.0, tolerances
    for i in range(G.v.shape[0]):
        for j in range(6):
            part = 10 * abs(E.v[i, j] - G.v[i, j]) / (atol + rtol * abs(G.v[i, j]))
            # A comparison with NaN is false.
            if not part <= left:
                left = part if part == part else np.inf
            G.v[i, j] = E.v[i, j]
    return left


@kernel
def _take_poses(tables: Tables, G: Guess) -> float:
    """Change the poses of G by `ways`, and correct them anew, along the rows as they are; see `_take`."""
    (T, P, B, _, W, length, E), n = tables, G.x.shape[0]
    for i in range(n):
        turned, way = row(G.turn, i), (G.ways[i, 3], G.ways[i, 4], G.ways[i, 5])
        # The derivative of the exponential, to the third power of what the body turned.
        first = cross(turned, way)
        second = cross(turned, first)
        for j in range(3):
            E.v[i, j] = G.moves[i, j] + G.ways[i, j]
            E.v[i, 3 + j] = G.moves[i, 3 + j] + way[j] + first[j] / 2 + second[j] / 6
    # The poses have not moved yet: to first order g grows by Ĝ times the way, which `gaps` gives for joints as ġ.
    _add_rates(T, P, W, E, False, E.g)
    gaps(T, P, E.x, E.R, E.v, length, E.g, E.gv)
    for k in range(n):
        for j in range(P.planes[k]):
            E.g[P.plane_row[k, j]] += E.gv[P.plane_row[k, j]]
        for j in range(P.angles[k]):
            E.g[P.angle_row[k, j]] += E.gv[P.angle_row[k, j]]
    correct(T, P, B, E, E.g)
    copy_rows(E.move, G.moves)
    add_rows(E.v, -1.0, E.move)
    moved = 0.0
    for i in range(n):
        for j in range(3):
            G.x[i, j] += E.v[i, j]
            moved = max(moved, abs(E.v[i, j]) / length, abs(E.v[i, 3 + j]))
        turn_by(G.q[i], E.v[i, 3], E.v[i, 4], E.v[i, 5])
    return moved


@kernel
def _add_rates(T: Terms, P: Forest, W: Rows, E: Workspace, speeds: bool, out: Array1) -> None:
    """out (m,) += Ĝ v of the rows that close loops and hold a position, or with `speeds` a rate; v the workspace's."""
    for i in P.row:
        if W.kind[i] == ROTOR or (W.kind[i] == SPEED and not speeds):
            continue
        for b in range(T.row_block[i], T.row_block[i + 1]):
            for j in range(6):
                out[i] += E.blocks[b, j] * E.v[T.block_body[b], j]


@kernel
def alpha_step(
    tables: Tables, G: Guess, alpha: Alpha, h: float, state: StateArrays, slope: SlopeArrays, memory: Memory,
    drive: Array2, soft: Soft, tolerances: Pair, whole: bool,
) -> tuple[float, float, int]:  # fmt: skip
    """One step of h from `state` (x, q, v, angles) with its `slope` (v̇, α̇, power): into G, near the constraints.

    With `whole` on them. `drive` are the functions of time at the end, `soft` the first soft row and the tangents that
    `constant_tangents` gives. Returns the scaled error (infinite: the iteration did not converge), the residual of the
    constraints, and the rounds taken. The accelerations at the end are the workspace's.
    """
    (T, P, B, _, W, length, E), angles, (acceleration, turning, _) = tables, state[3], slope
    for k in range(angles.shape[0]):
        G.angles[k] = angles[k] + h * turning[k]
    if memory.spans[0] == 0.0:
        _begin_filtered(tables, G, alpha, h, state, acceleration, memory, drive, soft, tolerances)
        acceleration = memory.algorithmic
    _predict(memory, acceleration, h, G.now)
    _expect_corrections(G, memory, h)
    _place_guess(G, alpha, h, state, acceleration, memory)
    converged, moved, rounds = _iterate(tables, G, alpha, h, memory.shrink, drive, soft, tolerances)
    error = np.inf
    if converged:
        _turn_corrections(tables, G, memory, h)
        error = _error(tables, G, alpha, h, acceleration, memory, soft, tolerances)
    # Of a step that failed as well: the compliance of soft rows is one of the step's length, and none for projections.
    restore(E, W, soft[0])
    if not converged:
        return np.inf, np.inf, rounds
    turn_angles(T, P.spin, E.R, G.angles)
    residual = 0.0
    if whole or moved > _OPENS_ROWS:
        residual = put_back(T, P, B, W, length, E, G.x, G.q, G.v, G.angles, drive, 8)
    return error, residual, rounds


@kernel
def _error(
    tables: Tables, G: Guess, alpha: Alpha, h: float, acceleration: Array2, memory: Memory, soft: Soft, tolerances: Pair
) -> float:
    """The step's error over what is allowed of those of all steps in `_SPAN`.

    Poses are off by h³ v̈ times a coefficient of the method, velocities by h³ v⃛ times another (a Taylor series of its
    formulas); derivatives are those of the parabola through the last three accelerations. After the first step of all
    there is no third: v⃛ is as where v̇ begins with a parabola's apex, as from rest. What stiff loads make vibrate
    faster than the steps follow is not in them; see `filter_stiff`.
    """
    E, one = tables[6], memory.spans[0]
    shift, (rtol, atol) = alpha.mass - alpha.force, tolerances
    pose, rate = abs(alpha.beta + shift / 2 - 1 / 6), abs(1 / 12 + shift * (alpha.force - 0.5))
    times = h * h * max(1.0, min(_SPAN / h, _MANY / math.sqrt(max(rtol, atol))))
    error = 0.0
    for i in range(G.now.shape[0]):
        for j in range(6):
            E.v[i, j] = G.now[i, j] - acceleration[i, j]
    filter_stiff(tables, G, soft[0], np.inf)
    for i in range(G.now.shape[0]):
        for j in range(6):
            size = abs(G.x[i, j]) if j < 3 else 1.0
            error = max(error, times * pose * abs(E.v[i, j]) / (atol + rtol * size))
            change = G.now[i, j] - acceleration[i, j]
            E.v[i, j] = 2 * change
            if one > 0.0:
                E.v[i, j] = 2 * (change - (acceleration[i, j] - memory.once[i, j]) * h / one) * h / (h + one)
    filter_stiff(tables, G, soft[0], np.inf)
    filter_stiff(tables, G, soft[0], np.inf)
    for i in range(G.now.shape[0]):
        for j in range(6):
            error = max(error, times / h * rate * abs(E.v[i, j]) / (atol + rtol * abs(G.v[i, j])))
    return error


@kernel
def _begin_filtered(
    tables: Tables, G: Guess, alpha: Alpha, h: float, state: StateArrays, acceleration: Array2, memory: Memory,
    drive: Array2, soft: Soft, tolerances: Pair,
) -> None:  # fmt: skip
    """Begin with accelerations without what stiff loads would make vibrate faster than steps of h follow.

    Else velocities swing by h times that, as long as the method takes to damp it (order reduction at the start: Arnold,
    Brüls and Cardona 2015, who perturb the first accelerations too).
    """
    (x, q, v, _), E, first = state, tables[6], soft[0]
    share = (1 - alpha.force) / (1 - alpha.mass)
    effects = (h * alpha.gamma * share, h * h * alpha.beta * share, share)
    for j in range(4):
        G.skipped[j] = 0.0
    copy_rows(acceleration, memory.algorithmic)
    if first == E.compliance.shape[0]:
        return
    copy_rows(acceleration, G.now)
    copy_rows(x, G.x)
    copy_rows(q, G.q)
    copy_rows(v, G.v)
    _respond(tables, G, effects, drive, soft)
    copy_rows(acceleration, E.v)
    filter_stiff(tables, G, first, np.inf)
    add_rows(memory.algorithmic, -1.0, E.move)
    _keep_skipped(tables, G, first, effects, acceleration, v, tolerances)


@kernel
def _keep_skipped(
    tables: Tables, G: Guess, first: int, effects: Triple, acceleration: Array2, v: Array2, tolerances: Pair
) -> None:
    """Keep the speed that the vibration has which the steps begin without, where it does not die out in a step.

    Of accelerations y that vibrate with ω the speed is y / ω = h √(β' y Fy), F the filter; `move` is y of all soft
    rows. A damper d beside the spring k ends it in the step where h ω² d / k is above 1.
    """
    E, (rtol, atol) = tables[6], tolerances
    stiff = largest(E.move)
    copy_rows(E.move, E.v)
    filter_stiff(tables, G, first, np.inf)
    most = largest(E.v) / stiff if stiff > 0.0 else np.inf
    copy_rows(acceleration, E.v)
    filter_stiff(tables, G, first, most)
    copy_rows(E.move, G.ways)
    copy_rows(E.move, E.v)
    filter_stiff(tables, G, first, np.inf)
    for i in range(G.ways.shape[0]):
        for j in range(6):
            speed = math.sqrt(effects[1] * abs(G.ways[i, j] * E.v[i, j]))
            part = speed / (atol + rtol * max(abs(v[i, j]), speed))
            if part > G.skipped[0]:
                G.skipped[0], G.skipped[1], G.skipped[2] = part, speed, 1.0 if j >= 3 else 0.0
    G.skipped[3] = _dies_out(tables, G, first, most, effects)


@kernel
def _dies_out(tables: Tables, G: Guess, first: int, most: float, effects: Triple) -> float:
    """By which rate (1/s) the vibration of one stiff load dies out of which the filter leaves `most`; of several, 0.

    Of ω the filter leaves 1 / (1 + ω² (β'h² + γ'h d/k)), and d takes ½ ω² d/k; beyond its critical value k/d.
    """
    F, E, damped, rows = tables[3], tables[6], 0.0, 0
    for i in range(first, E.compliance.shape[0]):
        armature = F.armature[i - first] if i - first < F.term.shape[0] else 0.0
        if 1.0 - armature * E.compliance[i] > ANSWERS and G.damped[i] <= most:
            rows, damped = rows + 1, G.damped[i]
    if rows != 1 or not 0.0 < most < 1.0 or damped == 0.0:
        return 0.0
    rate = 0.5 * (1.0 / most - 1.0) * damped / (1.0 + damped) / effects[0]
    return min(rate, effects[0] / (effects[1] * damped))


@kernel
def _iterate(
    tables: Tables, G: Guess, alpha: Alpha, h: float, known: Array1, drive: Array2, soft: Soft, tolerances: Pair
) -> tuple[bool, float, int]:
    """Rounds until little is left: whether they converge, what the last moved, and how many they were.

    `known` (1,) is by which factor changes shrank last.
    """
    share = (1 - alpha.force) / (1 - alpha.mass)
    effects = (h * alpha.gamma * share, h * h * alpha.beta * share, share)
    left, before, moved, rounds = np.inf, np.inf, np.inf, 0
    for rounds in range(1, _MOST_ROUNDS + 1):
        _respond(tables, G, effects, drive, soft)
        change, moved = _take(tables, G, effects, tolerances)
        # The changes shrink by a steady factor: what is left is the rest of their series.
        if rounds > 1:
            # No round is believed to gain more than two digits: rounding may make a change look like nothing.
            known[0] = min(max(change / before, 0.01), 1.0)
        shrink = known[0] if rounds > 1 or change < _TRUSTED_CHANGE else 1.0
        # A series that hardly shrinks is not summed: the factor of one round is not known so well.
        left = change * shrink / (1 - shrink) if shrink < 0.3 else change
        before = change
        # NaN ends the rounds too.
        if not left < np.inf or left <= 1.0:
            break
    return left <= 1.0, moved, rounds


@kernel
def advance_implicit(
    tables: Tables, implicit: Implicit, S: Steps, plain: bool, h: float, state: StateArrays, work: Array1,
    slope: SlopeArrays, drive: Array2, whole: bool, tolerances: Pair,
) -> tuple[float, float, float, int]:  # fmt: skip
    """As `solver.steps.explicit.advance`: scaled error, 0, the residual of the constraints, and the rounds taken.

    `state` is x (n, 3), q (n, 4), v (n, 6), angles (na,); `drive` (rows, 3) the functions of time at the end.
    Of a `plain` step, one of fixed length, the error is of no account. With `whole` the end lies on the constraints,
    else near them.
    """
    (G, alpha, memory, soft), (T, P, _, _, W, _, E) = implicit, tables
    # Whether a motor's rate is met is judged by the rows at the end (`solver.runs.marching`): where one is prescribed,
    # the end must lie on the constraints, and the rows be of there.
    held = False
    for i in P.row:
        held = held or W.kind[i] == SPEED
    whole = whole or held
    error, residual, rounds = alpha_step(tables, G, alpha, h, state, slope, memory, drive, soft, tolerances, whole)
    if held:
        place(E, G.x, G.q, G.v)
        look(T, P, W, E, G.angles, drive)
    for k in range(work.shape[0]):
        # The trapezoidal rule, of second order as the method is.
        S.work[k] = work[k] + h * (slope[2][k] + E.power[k]) / 2
    return 0.0 if plain and error < np.inf else error, 0.0, residual, rounds


@kernel
def remember(implicit: Implicit, t: float, h: float, acceleration: Array2) -> None:
    """Make the end of a step of h (s), which began at t (s) with `acceleration` (n, 6), the start of the next."""
    G, alpha, memory, _ = implicit
    if alpha.beta > 0.0:
        if memory.spans[0] == 0.0:
            _remember_skipped(G, memory, t)
        copy_rows(memory.once, memory.twice)
        copy_rows(acceleration, memory.once)
        copy_rows(G.own, memory.algorithmic)
        copy_rows(G.moves, memory.moves)
        copy_rows(G.trend, memory.trend)
        copy_rows(G.pushes, memory.pushes)
        add_rows(memory.pushes, 1.0 / h, G.moves)
        memory.spans[1], memory.spans[0] = memory.spans[0], h


@kernel
def _remember_skipped(G: Guess, memory: Memory, t: float) -> None:
    """Keep what steps from t (s) on began without: the largest vibration so far, as if it died out as slowly as any
    that is of account, from now on."""
    kept, new = memory.skipped, G.skipped
    if new[0] >= _OF_ACCOUNT:
        kept[3] = min(kept[3], new[3]) if kept[0] >= _OF_ACCOUNT else new[3]
        kept[4] = t
    if new[0] > kept[0]:
        kept[0], kept[1], kept[2] = new[0], new[1], new[2]


@kernel
def forget(implicit: Implicit, acceleration: Array2) -> None:
    """Begin anew with `acceleration` (n, 6) where loads jump: of the steps before nothing is known."""
    _, alpha, memory, _ = implicit
    if alpha.beta > 0.0:
        copy_rows(acceleration, memory.algorithmic)
        copy_rows(acceleration, memory.once)
        copy_rows(acceleration, memory.twice)
        memory.spans[0] = memory.spans[1] = 0.0
        memory.shrink[0] = 1.0
