"""Accelerations and multipliers at one state, compiled: the right-hand side of the equations of motion."""

from __future__ import annotations

import math

import numpy as np

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Array3, Pair, entry, kernel
from solver.constraints.kernels import (
    Frames,
    RowArrays,
    TermArrays,
    assemble_rows,
    evaluate_terms,
    placed,
    rotations,
    rows_workspace,
    terms_workspace,
    turn_rates,
    unwind,
)
from solver.constraints.terms import Terms
from solver.equations.kkt import Plan, Space, clear, factor, product, solve, space, transposed_product, weigh
from solver.equations.loading import Loads
from solver.equations.loads import all_forces, energies, mesh_forces, mesh_losses, mesh_torques, world_inertia
from solver.equations.system import ANGLE, ROTOR, SPEED, Rows
from solver.equations.workspace import Workspace, make_workspace
from solver.sweeps.bodies import Bodies
from solver.sweeps.factor import factor as factor_sweeps
from solver.sweeps.factor import repeats
from solver.sweeps.forest import Forest
from solver.sweeps.joints import bias_accelerations
from solver.sweeps.response import joint_multipliers, remove_added_mass, solve_refined
from solver.sweeps.work import copy_rows

Tables = tuple[Terms, Forest, Bodies, Loads, Rows, float, Workspace]
"""A system: its tables, its length (m), and a workspace for one state."""
StateArrays = tuple[Array2, Array2, Array2, Array1]
"""Positions (n, 3), quaternions (n, 4), velocities (n, 6) and integrated angles (na,)."""
SlopeArrays = tuple[Array2, Array1, Array1]
"""v̇ (n, 6), rates of the angles (na,), power of the functions of time (W)."""
_MOST_LOSS_ROUNDS = 200
"""Rounds in which pulls of teeth and their losses find each other: each leaves at most 1 − efficiency of the error, so
that 200 reach `_AGREE` for efficiencies from 7 % on; below they are extrapolated from `_PLAIN_ROUNDS` rounds on."""
_PLAIN_ROUNDS = 12
"""Rounds after which they are extrapolated: they come closer slowly where little of what drives arrives. Of
efficiencies above 70 % so many reach `_AGREE` by themselves."""
_ROUNDED_PULL = 1e-13
"""Of the largest reaction: what a pull of teeth is known to; some hundred roundings, as it is a sum over a train."""
_ALIKE = 1e-8
"""Of the largest force (moment) of one row: what multipliers of least norm may push bodies otherwise than those given.
Refinements leave 1e-12 of rows that repeat each other, and half of all where S has eigenvalues of its own shift (1e-8).
"""
_AGREE = 1e-6
"""By how much of the largest loss the last round may change one, and of the pulls by less, as losses are a part of
them: 1e-9 would take half as many rounds again."""


def frames(positions: Array2, quaternions: Array2, velocities: Array2) -> Frames:
    """x (n+1, 3), R (n+1, 3, 3), v (n+1, 6) with the ground behind the bodies."""
    return placed(positions, quaternions, velocities)


def evaluate_all(
    T: Terms, W: Rows, x: Array2, R: Array3, v: Array2, angles: Array1, drive: Array2, with_rates: bool
) -> tuple[Array1, Array1, Array1, Array2, Array2, Array1, Array1, Array1, Array2]:
    """Terms on the branches of `angles`, and rows with their drivers: speed and rotor rows hold no position.

    Value, rate, bias (T,), JA, JB (T, 6); g, ġ, c (m,), blocks (nb, 6).
    """
    terms, rows = terms_workspace(T), rows_workspace(T)
    evaluate(T, W, x, R, v, angles, drive, with_rates, terms, rows)
    return (*terms[1:], *rows[1:])


@entry
def evaluate(
    T: Terms, W: Rows, x: Array2, R: Array3, v: Array2, angles: Array1, drive: Array2, with_rates: bool,
    terms: TermArrays, rows: RowArrays,
) -> None:  # fmt: skip
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
        # The row q − f(t) = 0 has the rate q̇ − ḟ, and its second derivative gives Ĝ v̇ = c + f̈.
        if kind == ANGLE:
            g[i] -= drive[k, 0]
            gv[i] -= drive[k, 1]
            c[i] += drive[k, 2]
        elif kind == SPEED:
            g[i] = 0.0
            gv[i] -= drive[k, 0]
            c[i] += drive[k, 1]
        # A rotor's row holds no position or rate. With its compliance E = 1/J and its c it says λ = J q̈.
        elif kind == ROTOR:
            g[i] = 0.0
            gv[i] = 0.0


@kernel
def metric(T: Terms, K: Plan, B: Bodies, W: Rows, Q: Space, R: Array3, blocks: Array2) -> None:
    """World inverse inertia (n, 3, 3), M⁻¹Ĝᵀ (nb, 6), factor and scale of S = Ĝ M⁻¹ Ĝᵀ (m, m) into Q.

    M is that of `Bodies.even_mass`; R (n+1, 3, 3) and blocks (nb, 6) are of the state.
    """
    world_inertia(B.even_inertia, R, Q.inverse)
    weigh(T.block_body, blocks, B.even_mass, Q.inverse, Q.weighed)
    factor(K, Q, blocks, W.compliance)


Accelerated = tuple[Array2, Array1, Array1, Array1, bool]


def accelerate(
    T: Terms, K: Forest, B: Bodies, F: Loads, W: Rows, positions: Array2, quaternions: Array2, velocities: Array2,
    angles: Array1, drive: Array2,
) -> Accelerated:  # fmt: skip
    """v̇ (n, 6), λ (m,), α̇ (na,), power (rows of drive + 1, W), and whether rows repeat each other.

    Where they do, λ is one of many: see `least_multipliers`.
    """
    sizes = (len(F.mesh_row), len(F.callback_term), len(angles), len(drive))
    return accelerate_in(
        T, K, B, F, W, make_workspace(T, K, sizes, W.compliance), (positions, quaternions, velocities, angles), drive
    )


def accelerate_in(
    T: Terms, K: Forest, B: Bodies, F: Loads, W: Rows, E: Workspace, state: StateArrays, drive: Array2
) -> Accelerated:
    """As `accelerate`, computed in a workspace: what it returns but λ are the workspace's arrays."""
    multipliers = np.zeros(len(T.constant))
    repeated = stage_here(T, K, B, F, W, E, state, drive, multipliers)
    return E.acceleration, multipliers, E.turning, E.power, repeated


@entry
def stage_here(
    T: Terms, P: Forest, B: Bodies, F: Loads, W: Rows, E: Workspace, state: StateArrays, drive: Array2,
    multipliers: Array1,
) -> bool:  # fmt: skip
    """As `stage`, with all multipliers (m,); whether rows repeat each other."""
    stage(T, P, B, F, W, E, state, drive, True, multipliers)
    found: bool = repeats(P, E.sweeps, W.compliance)
    return found


@entry
def stages(
    T: Terms, P: Forest, B: Bodies, F: Loads, W: Rows, E: Workspace, state: StateArrays, drive: Array2,
    multipliers: Array1, count: int,
) -> None:  # fmt: skip
    """`stage` so many times: what an evaluation costs within compiled code (`scripts/bench`)."""
    for _ in range(count):
        stage(T, P, B, F, W, E, state, drive, True, multipliers)


@kernel
def place(E: Workspace, positions: Array2, quaternions: Array2, velocities: Array2) -> None:
    """The bodies' frames and velocities into the workspace E, from x (n, 3), q (n, 4), v (n, 6)."""
    for i in range(positions.shape[0]):
        for j in range(3):
            E.x[i, j] = positions[i, j]
        for j in range(6):
            E.v[i, j] = velocities[i, j]
    rotations(quaternions, E.R)


@kernel
def look(T: Terms, P: Forest, W: Rows, E: Workspace, angles: Array1, drive: Array2) -> None:
    """What accelerations need of terms (t,) and rows (m,), into the workspace E with the bodies placed.

    `angles` (na,) hold the branches, `drive` (rows, 3) the functions of time.
    """
    terms, rows = (P.term, E.value, E.rate, E.bias, E.JA, E.JB), (P.row, E.g, E.gv, E.c, E.blocks)
    evaluate(T, W, E.x, E.R, E.v, angles, drive, True, terms, rows)


@kernel
def act(T: Terms, B: Bodies, F: Loads, E: Workspace, drive: Array2) -> None:
    """All loads into the workspace's force (n, 6; N, N m at the centres of mass, world axes) and power (W)."""
    for k in range(E.power.shape[0]):
        E.power[k] = 0.0
    all_forces(T, B, F, drive, E.x, E.R, E.v, E.value, E.rate, E.JA, E.JB, E.calls, E.force, E.power)


@kernel
def stage(
    T: Terms, P: Forest, B: Bodies, F: Loads, W: Rows, E: Workspace, state: StateArrays, drive: Array2, complete: bool,
    multipliers: Array1,
) -> None:  # fmt: skip
    """As `accelerate`, into the workspace E; without `complete` only the multipliers of rows that close loops.

    `state` is x (n, 3), q (n, 4), v (n, 6), angles (na,); `drive` (rows, 3) the functions of time; multipliers (m,).
    """
    positions, quaternions, velocities, angles = state
    place(E, positions, quaternions, velocities)
    look(T, P, W, E, angles, drive)
    act(T, B, F, E, drive)
    factor_sweeps(P, B, E.compliance, E.x, E.R, E.blocks, E.sweeps)
    # Angles that are integrated but that no load or loop row reads are not in `P.term`: of them the rate is all that is
    # needed.
    turn_rates(T, P.spin, E.R, E.v, E.rate)
    solve_loaded(T, P, B, F, E, complete, 0.0, multipliers)


@kernel
def _solve(T: Terms, P: Forest, B: Bodies, E: Workspace, enough: float) -> None:
    """v̇ into the workspace's acceleration, and the loops' λ into its `loop_multipliers`, with the sweeps factored."""
    Q = E.sweeps
    bias_accelerations(P, Q, E.R, E.v, E.acceleration)
    solve_refined(T, P, B, Q, E.compliance, E.R, E.blocks, E.force, E.c, enough, E.acceleration, Q.loop_multipliers)
    if B.light.shape[0] > 0:
        remove_added_mass(T, P, B, Q, E.compliance, E.R, E.blocks, E.acceleration)


@kernel
def solve_loaded(
    T: Terms, P: Forest, B: Bodies, F: Loads, E: Workspace, complete: bool, enough: float, multipliers: Array1
) -> None:
    """Accelerations for the workspace's forces, with what meshes lose; turning, power, and multipliers (m,).

    `enough`: see `solver.sweeps.response.solve_refined`.
    """
    Q = E.sweeps
    _solve(T, P, B, E, enough)
    if F.mesh_row.shape[0] > 0:
        _lose(T, P, B, F, E, multipliers)
    if complete:
        joint_multipliers(T, P, B, Q, E.R, E.blocks, E.force, E.acceleration, Q.loop_multipliers, multipliers)
    else:
        for e in range(P.row.shape[0]):
            multipliers[P.row[e]] = Q.loop_multipliers[e]
    for k in range(T.kind.shape[0]):
        if T.angle[k] >= 0:
            E.turning[T.angle[k]] = E.rate[k]
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] >= 0:
            # The rows push the bodies by −Ĝᵀλ: a driver gives −λ along its coordinate.
            E.power[k] = -multipliers[F.motor_row[k]] * E.rate[F.motor_term[k]]


@kernel
def _lose(T: Terms, P: Forest, B: Bodies, F: Loads, E: Workspace, multipliers: Array1) -> None:
    """Hold the wheels of meshes back by what their pulls lose, until pulls and losses agree.

    Where they never do, a train that locks itself is driven backwards: then no acceleration is found (NaN).
    """
    Q, torques = E.sweeps, E.torques
    # Each state starts without losses: torques of the last one would save rounds, but make v̇ depend on what came
    # before.
    for k in range(torques.shape[0]):
        for i in range(torques.shape[1]):
            torques[k, i] = 0.0
    copy_rows(E.force, E.free)
    change, largest, rounded = 1.0, 1.0, 0.0
    for attempt in range(_MOST_LOSS_ROUNDS):
        joint_multipliers(T, P, B, Q, E.R, E.blocks, E.force, E.acceleration, Q.loop_multipliers, multipliers)
        change = mesh_torques(F, E.rate, multipliers, torques)
        largest, rounded = 0.0, _rounding(F, multipliers)
        for k in range(torques.shape[0]):
            largest = max(largest, abs(torques[k, 0]), abs(torques[k, 1]))
        # Five hundred roundings of the largest torque: sums over a train of wheels have that.
        close = max(1e-13 * largest, rounded)
        _extrapolate(torques, attempt >= _PLAIN_ROUNDS and change > close)
        copy_rows(E.free, E.force)
        mesh_forces(T, F, torques, E.JA, E.JB, E.force)
        _solve(T, P, B, E, 0.0)
        # Rounds cost little beside the factor, so that they go on to rounding; what only came near is still taken.
        if change <= close:
            break
    if change > max(_AGREE * largest, rounded):
        for k in range(E.acceleration.shape[0]):
            E.acceleration[k, 0] = math.nan
    E.power[-1] += mesh_losses(F, torques, E.rate)


@kernel
def _rounding(F: Loads, multipliers: Array1) -> float:
    """By how much (N m) losses are known at the pulls λ (m,), which come of the largest reactions that there are.

    Where teeth change the side that drives, their pulls are 0 but for that: losses of such pulls never agree.
    """
    most, loss = 0.0, 0.0
    for value in multipliers:
        most = max(most, abs(value))
    for k in range(F.mesh_row.shape[0]):
        for side in range(2):
            loss = max(loss, F.mesh_loss[k, side] * abs(F.mesh_pull[k, side]))
    return _ROUNDED_PULL * loss * most


@kernel
def _extrapolate(torques: Array2, wanted: bool) -> None:
    """Where it is `wanted`, from two rounds to where the next ones lead (Anderson's method with one round of memory).

    `torques` (k, 8): what was found, what it was found with, and what was found and by how much it changed before.
    """
    above, below = 0.0, 0.0
    for k in range(torques.shape[0]):
        for i in range(2):
            change = torques[k, i] - torques[k, 2 + i]
            above += change * (change - torques[k, 6 + i])
            below += (change - torques[k, 6 + i]) ** 2
    share = above / below if wanted and below > 0.0 else 0.0
    for k in range(torques.shape[0]):
        for i in range(2):
            found, before = torques[k, i], torques[k, 4 + i]
            torques[k, 4 + i], torques[k, 6 + i] = found, found - torques[k, 2 + i]
            torques[k, i] = found - share * (found - before)


def least_multipliers(
    T: Terms, S: Plan, B: Bodies, W: Rows, positions: Array2, quaternions: Array2, angles: Array1,
    drive: Array2, multipliers: Array1,
) -> Array1:  # fmt: skip
    """λ of least norm in the scaled rows (see `solver.equations.kkt`) with the same Ĝᵀλ as the λ given."""
    n = len(positions)
    poses = placed(positions, quaternions, np.zeros((n, 6)))
    Q = space(T, S, n)
    least_into(T, S, B, W, Q, poses, angles, drive, terms_workspace(T), rows_workspace(T), multipliers)
    return Q.x


@entry
def least_into(
    T: Terms, S: Plan, B: Bodies, W: Rows, Q: Space, poses: Frames, angles: Array1, drive: Array2, terms: TermArrays,
    rows: RowArrays, multipliers: Array1,
) -> None:  # fmt: skip
    """As `least_multipliers`, into Q.x (m,), with Q.y (n, 6) zero before."""
    (x, R, v), blocks = poses, rows[4]
    evaluate(T, W, x, R, v, angles, drive, False, terms, rows)
    metric(T, S, B, W, Q, R, blocks)
    # b = S λ. Of all x with S x = b, which differ by what Ĝᵀ makes zero, `solve` gives the shortest.
    transposed_product(T.row_block, T.block_body, Q.weighed, multipliers, Q.y)
    product(T.row_block, T.block_body, blocks, Q.y, Q.b)
    for i in range(Q.b.shape[0]):
        Q.b[i] += W.compliance[i] * multipliers[i]
    solve(T, S, Q, blocks, W.compliance, Q.b, Q.x)
    if _differ(T, Q, blocks, multipliers):
        # S is too ill for its shift, as where light links hold a heavy one: what pushes the bodies comes first.
        for i in range(Q.x.shape[0]):
            Q.x[i] = multipliers[i]


@kernel
def _differ(T: Terms, Q: Space, blocks: Array2, multipliers: Array1) -> bool:
    """Whether Q.x (m,) does not push and turn the bodies as the multipliers (m,) do."""
    clear(Q.y)
    for i in range(Q.x.shape[0]):
        Q.work[i] = Q.x[i] - multipliers[i]
    transposed_product(T.row_block, T.block_body, blocks, Q.work, Q.y)
    for first in (0, 3):
        apart, size = 0.0, 0.0
        for i in range(Q.y.shape[0]):
            for j in range(first, first + 3):
                apart = max(apart, abs(Q.y[i, j]))
        for i in range(Q.x.shape[0]):
            for b in range(T.row_block[i], T.row_block[i + 1]):
                for j in range(first, first + 3):
                    size = max(size, abs(blocks[b, j] * multipliers[i]))
        if apart > _ALIKE * size:
            return True
    return False


def scaled_residuals(T: Terms, W: Rows, length: float, blocks: Array2, g: Array1, gv: Array1) -> tuple[Array1, Array1]:
    """|g| and |ġ| (m,) over the norm of their rows, travel counted by `length`: dimensionless, and 1/s."""
    first, second = np.zeros(len(g)), np.zeros(len(g))
    scale_residuals(T, W, length, blocks, g, gv, first, second)
    return first, second


@entry
def scale_residuals(
    T: Terms, W: Rows, length: float, blocks: Array2, g: Array1, gv: Array1, first: Array1, second: Array1
) -> tuple[float, float]:
    """As `scaled_residuals`, into `first` and `second` (m,); the largest of each."""
    one, other = 0.0, 0.0
    for i in range(g.shape[0]):
        first[i], second[i] = scaled_residual(T, W, length, blocks, g, gv, i)
        one, other = max(one, first[i]), max(other, second[i])
    return one, other


@kernel
def scaled_residual(T: Terms, W: Rows, length: float, blocks: Array2, g: Array1, gv: Array1, i: int) -> Pair:
    """The scaled residual of row i alone, of its position g and its rate ġ (m,); 0 for a rotor's."""
    if W.kind[i] == ROTOR:
        return 0.0, 0.0
    s = 0.0
    for b in range(T.row_block[i], T.row_block[i + 1]):
        for j in range(3):
            s += (length * blocks[b, j]) ** 2 + blocks[b, 3 + j] ** 2
    # A row that moves nothing has no scale: what it leaves open no motion can close.
    if s <= LEAST_DIVISOR:
        return 0.0, 0.0
    scale = 1.0 / math.sqrt(s)
    return abs(g[i]) * scale, abs(gv[i]) * scale


Observed = tuple[Array1, Array1, Array1, Array1, Array1, float, float]


def observe(
    T: Terms, B: Bodies, F: Loads, W: Rows, length: float, positions: Array2, quaternions: Array2, velocities: Array2,
    angles: Array1, drive: Array2, accelerations: Array2, count: int,
) -> Observed:  # fmt: skip
    """Coordinates, rates, accelerations of all coordinate terms; residuals; energies.

    `count` coordinate terms stand last in the table.
    """
    terms, rows, m = terms_workspace(T), rows_workspace(T), len(T.constant)
    second_rate, first, second = np.empty(count), np.zeros(m), np.zeros(m)
    poses = placed(positions, quaternions, velocities)
    found = (second_rate, first, second)
    kinetic, potential = observe_into(
        T, B, F, W, length, poses, angles, drive, np.ascontiguousarray(accelerations, float), terms, rows, found
    )
    start = len(T.kind) - count
    return terms[1][start:], terms[2][start:], *found, kinetic, potential


@entry
def observe_into(
    T: Terms, B: Bodies, F: Loads, W: Rows, length: float, poses: Frames, angles: Array1, drive: Array2,
    accelerations: Array2, terms: TermArrays, rows: RowArrays, found: tuple[Array1, Array1, Array1],
) -> tuple[float, float]:  # fmt: skip
    """As `observe`, into `terms`, `rows` and `found`: accelerations (c,) and residuals (m,) twice; the energies."""
    (x, R, v), (second_rate, first, second) = poses, found
    _, value, rate, bias, JA, JB = terms
    _, g, gv, _, blocks = rows
    evaluate(T, W, x, R, v, angles, drive, True, terms, rows)
    scale_residuals(T, W, length, blocks, g, gv, first, second)
    second_rates(T, accelerations, bias, JA, JB, second_rate)
    found_energies: tuple[float, float] = energies(T, B, F, x, R, v, value, rate)
    return found_energies


@kernel
def second_rates(T: Terms, accelerations: Array2, bias: Array1, JA: Array2, JB: Array2, out: Array1) -> None:
    """The second derivatives of the terms that stand last in the table, as many as out (c,) has rows."""
    count, n = out.shape[0], accelerations.shape[0]
    for k in range(count):
        i = T.kind.shape[0] - count + k
        # q̈ = J v̇ + bias, of which the bias is what remains at v̇ = 0.
        s = bias[i]
        a, b = T.body_a[i], T.body_b[i]
        for j in range(6):
            if a < n:
                s += JA[i, j] * accelerations[a, j]
            if b < n:
                s += JB[i, j] * accelerations[b, j]
        out[k] = s
