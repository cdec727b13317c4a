"""One step of an explicit Runge–Kutta method given by its tableau, and its projection, compiled.

Orientations are integrated as a small turn δ away from a steady spin: q(t) = δ(t) ⊗ exp(t s) ⊗ q₀ with the spin s of
the body about its own shaft, δ' = ½ (ω ⊗ δ − δ ⊗ s). A shaft that turns steadily keeps δ = 1 whatever its speed,
so that wheels may turn many times in one step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import (
    Array1,
    Array2,
    Array3,
    Ints2,
    Pair,
    Quad,
    Triple,
    entry,
    inlined,
    kernel,
    table,
    zeros,
)
from solver.constraints.kernels import out_of, placed
from solver.equations.dynamics import SlopeArrays, StateArrays, Tables, place, stage
from solver.equations.projection import put_back
from solver.equations.workspace import Workspace
from solver.steps.tableaus import Tableau
from solver.sweeps.bodies import Bodies
from solver.sweeps.factor import repeats
from solver.sweeps.work import copy_rows, row

CLOSED = 1e-11
"""A scaled residual of the projection below this is none: rounding of rows that repeat each other."""
OPEN = 1e-9
"""A scaled residual of the projection above this refuses a step: a driver leads where the mechanism is not. A tenth of
the usual tolerance, so that what stays open counts no more than the error of a step."""
_FOLLOWED = 0.3
"""h ω of the fastest vibration that steps of h follow: about, for the tolerances there are."""


@entry
def multiply(a: Array1, b: Array1, out: Array1) -> None:
    """out = a ⊗ b (4,)."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3]
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]


def shaft_spins(B: Bodies, quaternions: Array2, velocities: Array2) -> Array2:
    """The part of ω along each body's shaft, world axes (n, 3)."""
    _, R, v = placed(np.zeros((len(B.mass), 3)), quaternions, velocities)
    axes = np.einsum("nij,nj->ni", R[:-1], B.spin)
    return np.asarray(np.einsum("ni,ni->n", axes, v[:-1, 3:])[:, None] * axes)


@kernel
def shaft_axes(B: Bodies, R: Array3, v: Array2, out: Array2) -> None:
    """The part of ω along each body's shaft, world axes, into out (n, 3)."""
    for i in range(B.mass.shape[0]):
        axis = out_of(R, i, row(B.spin, i))
        along = axis[0] * v[i, 3] + axis[1] * v[i, 4] + axis[2] * v[i, 5]
        for j in range(3):
            out[i, j] = along * axis[j]


@entry
def spun(turn: Array2, spins: Array2, quaternions: Array2, time: float, out: Array2) -> None:
    """out (n, 4) = δ ⊗ exp(time · s) ⊗ q₀."""
    for i in range(spins.shape[0]):
        a, b = quaternions[i, 0], quaternions[i, 1]
        c, d = quaternions[i, 2], quaternions[i, 3]
        square = spins[i, 0] ** 2 + spins[i, 1] ** 2 + spins[i, 2] ** 2
        if square > 0.0:
            rate = math.sqrt(square)
            half = 0.5 * rate * time
            # A square may be above zero where its root has lost its digits: sin(ω t/2)/ω is t/2 there.
            factor = math.sin(half) / rate if rate > LEAST_DIVISOR else 0.5 * time
            base = (math.cos(half), factor * spins[i, 0], factor * spins[i, 1], factor * spins[i, 2])
            a, b, c, d = quaternion_product(base, (a, b, c, d))
        found = quaternion_product((turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3]), (a, b, c, d))
        for j in range(4):
            out[i, j] = found[j]


@inlined
def quaternion_product(a: Quad, b: Quad) -> Quad:
    """a ⊗ b, of four numbers each, w first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    )


@table
class Steps(NamedTuple):
    """Workspace for the steps of a method of s stages, besides the state's own (`solver.equations.workspace`).

    `start`, `end` (N,) and `slopes` (s, N) hold [x, δ, v, α, work] and their rates, `most` (N,) bounds of their sizes
    in what errors are allowed (none); `rated` (N, 2) is where in them the rates of a place begin and end (twice the
    same: it has none). `spins` (n, 3) are the shafts'.
    x, `turn`, q, v, `angles` are a state within the step, and at last the one at its end, `work` what was done up to
    there; `before_x`, `before_q`, `before_v` are as they were before their projection,
    which may change velocities by `sudden` (1,) of the fastest, beside the error allowed.
    """

    start: Array1
    end: Array1
    slopes: Array2
    most: Array1
    rated: Ints2
    spins: Array2
    x: Array2
    turn: Array2
    q: Array2
    v: Array2
    angles: Array1
    work: Array1
    before_x: Array2
    before_q: Array2
    before_v: Array2
    sudden: Array1
    multipliers: Array1


def make_steps(stages: int, n: int, angles: int, powers: int, rows: int) -> Steps:
    """Workspace for a method of so many stages and a system of so many bodies, angles, powers and rows."""
    size = 13 * n + angles + powers
    own = zeros((n, 3), (n, 3), (n, 4), (n, 4), (n, 6), angles, powers, (n, 3), (n, 4), (n, 6), 1, rows)
    return Steps._make([*zeros(size, size, (stages, size)), np.full(size, np.inf), _rates_of_bodies(n, size), *own])


def _rates_of_bodies(n: int, size: int) -> NDArray[np.int64]:
    """`Steps.rated`: the velocities of each place and each turn of n bodies; the real part of a turn has none."""
    rated, first = np.zeros((size, 2), np.int64), 7 * n + 6 * np.arange(n)[:, None, None]
    rated[: 3 * n] = (first + np.array([[0, 3]] * 3)).reshape(-1, 2)
    rated[3 * n : 7 * n] = (first + np.array([[0, 0], [3, 6], [3, 6], [3, 6]])).reshape(-1, 2)
    return rated


Stages = tuple[Array1, Array1, Array2]
"""Of what is integrated the values at the start and at the end of a step (N,), and the slopes of its stages (s, N)."""
Sizes = tuple[Array1, Ints2]
"""Of what is integrated the size (N,) that counts at most in what errors are allowed, and where the rates of each place
begin and end (N, 2)."""


@kernel
def combine(stages: Stages, h: float, weights: Array1, count: int) -> None:
    """end = start + h Σ weights · slopes of the first `count` stages (N,): the state of a stage, or the step's end."""
    start, end, slopes = stages
    for i in range(end.shape[0]):
        end[i] = start[i]
    for r in range(count):
        part = h * weights[r]
        # A quarter of DOP853's coefficients is zero, and each would cost a pass over all numbers.
        if part != 0.0:
            for i in range(end.shape[0]):
                end[i] += part * slopes[r, i]


@kernel
def put_sums(out: Array1, first: int, angles: Array1, work: Array1) -> None:
    """[angles, work], or their rates, into out (N,) from `first` on: they end what is integrated in each chart."""
    na = angles.shape[0]
    for k in range(na):
        out[first + k] = angles[k]
    for k in range(work.shape[0]):
        out[first + na + k] = work[k]


@kernel
def scaled_error(
    tableau: Tableau, h: float, stages: Stages, sizes: Sizes, count: int, energy: float, tolerances: Pair
) -> float:
    """The largest local error of a step of h (s) over what `tolerances` (relative, absolute) allow; 1: just allowed.

    Of each value `most` (N,) at most counts for what is allowed. Values from `count` on are work: what is allowed is
    measured by the kinetic `energy` (J) as well. With a coarse estimate beside the fine one they are joined as in
    DOP853: e²/√(e² + 0.01 ē²) (Hairer, Nørsett and Wanner 1993, II.10).

    An error e of a place is held against what is allowed of its rates too, which are `rated`: in a vibration that the
    steps follow it is one of ω e of a rate, a quarter of a period later. All estimates of rates pass through zero
    together twice in each period, and say nothing there; those of places are then at their largest. ω is what the step
    itself shows: with `_FOLLOWED` / h for all, smooth motions took up to two thirds more steps.
    """
    (start, end, slopes), (most, rated), (rtol, atol) = stages, sizes, tolerances
    fine, coarse = 0.0, 0.0
    for i in range(start.shape[0]):
        e, c = 0.0, 0.0
        for s in range(slopes.shape[0]):
            e += tableau.error[s] * slopes[s, i]
            c += tableau.coarse[s] * slopes[s, i]
        size = min(most[i], max(abs(start[i]), abs(end[i])))
        allowed = atol + rtol * (size if i < count else max(size, energy))
        if rated[i, 1] > rated[i, 0]:
            first, last = rated[i, 0], rated[i, 1]
            fastest = _fastest(stages, first, last)
            swung = min(_FOLLOWED, _swing(tableau, h, slopes, i, first, last))
            if swung > 0.0:
                allowed = min(allowed, h / swung * (atol + rtol * fastest))
        e, c = abs(h * e) / allowed, abs(h * c) / allowed
        # A comparison with NaN is false: let NaN through as an infinite error.
        if not e <= fine:
            fine = e if e == e else np.inf
        if c > coarse:
            coarse = c
    if coarse > 0.0 and fine < np.inf:
        # DOP853's estimate of two (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, II.10): the
        # coarser error keeps the finer one from vanishing by chance.
        return fine * fine / math.sqrt(fine * fine + 0.01 * coarse * coarse)
    return fine


@kernel
def _swing(tableau: Tableau, h: float, slopes: Array2, i: int, first: int, last: int) -> float:
    """h ω about place i, whose rates are from `first` to `last`, by two stages at the step's end; infinite without.

    A vibration that differs by d in them, at one time, accelerates by ω² d otherwise (as stiffness is found by Hairer
    and Wanner 1996, IV.2).
    """
    stages = slopes.shape[0]
    if stages < 2 or tableau.nodes[stages - 2] != tableau.nodes[stages - 1]:
        return np.inf
    moved = 0.0
    for s in range(stages):
        moved += (tableau.stages[stages - 1, s] - tableau.stages[stages - 2, s]) * slopes[s, i]
    gained = 0.0
    for k in range(first, last):
        gained = max(gained, abs(slopes[stages - 1, k] - slopes[stages - 2, k]))
    return math.sqrt(h * gained / abs(moved)) if abs(moved) > 0.0 else np.inf


@kernel
def _fastest(stages: Stages, first: int, last: int) -> float:
    """The largest of some rates at the start or the end of a step."""
    start, end, _ = stages
    size = 0.0
    for k in range(first, last):
        size = max(size, abs(start[k]), abs(end[k]))
    return size


@kernel
def _begin(S: Steps, x: Array2, v: Array2, angles: Array1, work: Array1) -> None:
    """The state at the start of a step into S, with δ = 1."""
    n, y = x.shape[0], S.start
    for i in range(n):
        for j in range(3):
            y[3 * i + j] = x[i, j]
        for j in range(4):
            # Each step begins a new turn δ from the pose reached: it stays near 1, whatever the pose.
            y[3 * n + 4 * i + j] = 1.0 if j == 0 else 0.0
        for j in range(6):
            y[7 * n + 6 * i + j] = v[i, j]
    put_sums(y, 13 * n, angles, work)


@kernel
def _combine(S: Steps, h: float, weights: Array1, count: int) -> None:
    """As `combine`, taken apart into S's state."""
    combine((S.start, S.end, S.slopes), h, weights, count)
    y, n = S.end, S.x.shape[0]
    for i in range(n):
        for j in range(3):
            S.x[i, j] = y[3 * i + j]
        for j in range(4):
            S.turn[i, j] = y[3 * n + 4 * i + j]
        for j in range(6):
            S.v[i, j] = y[7 * n + 6 * i + j]
    for k in range(S.angles.shape[0]):
        S.angles[k] = y[13 * n + k]


@kernel
def _slope(
    v: Array2, turn: Array2, spins: Array2, acceleration: Array2, turning: Array1, power: Array1, out: Array1
) -> None:
    """out (N,) = [v, δ', v̇, α̇, power]."""
    n = v.shape[0]
    for i in range(n):
        d = (turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3])
        first = quaternion_product((0.0, v[i, 3], v[i, 4], v[i, 5]), d)
        second = quaternion_product(d, (0.0, spins[i, 0], spins[i, 1], spins[i, 2]))
        for j in range(3):
            out[3 * i + j] = v[i, j]
        for j in range(4):
            out[3 * n + 4 * i + j] = 0.5 * (first[j] - second[j])
        for j in range(6):
            out[7 * n + 6 * i + j] = acceleration[i, j]
    put_sums(out, 13 * n, turning, power)


@kernel
def kinetic_energy(B: Bodies, v: Array2) -> float:
    """Kinetic energy (J) of the bodies at v (n, 6), each inertia taken as its mean: only a measure."""
    s = 0.0
    for i in range(B.mass.shape[0]):
        mean = (B.inertia[i, 0, 0] + B.inertia[i, 1, 1] + B.inertia[i, 2, 2]) / 3
        for j in range(3):
            s += 0.5 * (B.mass[i] * v[i, j] ** 2 + mean * v[i, 3 + j] ** 2)
    return s


@entry
def step(
    tables: Tables, S: Steps, tableau: Tableau, h: float, state: StateArrays, work: Array1, slope: SlopeArrays,
    drives: Array3, tolerances: tuple[float, float],
) -> float:  # fmt: skip
    """One step of h from `state` (x, q, v, angles): into S, with the work done; returns the scaled error.

    An error of 1 is just allowed by `tolerances` (relative, absolute). `tables` are those of the system, its length and
    a workspace. `work` (rows of drive + 1; J) is the work done up to the start. `slope` is (v̇, α̇, power) there;
    `drives` (s, …) are the functions of time at the nodes.
    """
    (T, P, B, F, W, _, E), (x, q, v, angles) = tables, state
    acceleration, turning, power = slope
    n, na, stages = x.shape[0], angles.shape[0], tableau.nodes.shape[0]
    place(E, x, q, v)
    shaft_axes(B, E.R, v, S.spins)
    _begin(S, x, v, angles, work)
    # Of no stage at all the sum is the start.
    _combine(S, h, tableau.weights, 0)
    _slope(v, S.turn, S.spins, acceleration, turning, power, S.slopes[0])
    for s in range(1, stages):
        _combine(S, h, tableau.stages[s], s)
        spun(S.turn, S.spins, q, h * tableau.nodes[s], S.q)
        stage(T, P, B, F, W, E, (S.x, S.q, S.v, S.angles), drives[s], False, S.multipliers)
        _slope(S.v, S.turn, S.spins, E.acceleration, E.turning, E.power, S.slopes[s])
    _combine(S, h, tableau.weights, stages)
    spun(S.turn, S.spins, q, h, S.q)
    for i in range(n):
        # The turn δ is integrated as four numbers, which leave length 1 by the error of the step.
        size = math.sqrt(S.q[i, 0] ** 2 + S.q[i, 1] ** 2 + S.q[i, 2] ** 2 + S.q[i, 3] ** 2)
        for j in range(4):
            S.q[i, j] /= size
    for k in range(work.shape[0]):
        S.work[k] = S.end[13 * n + na + k]
    numbers = (S.start, S.end, S.slopes)
    return scaled_error(tableau, h, numbers, (S.most, S.rated), 13 * n + na, kinetic_energy(B, v), tolerances)


@entry
def settle(
    tables: Tables, before: tuple[Array2, Array2, Array2], sudden: Array1, state: StateArrays, drive: Array2,
    tolerances: tuple[float, float],
) -> tuple[float, float]:  # fmt: skip
    """Project a state in place; how far that moved it over what is allowed, and the residual left.

    `before` ((n, 3), (n, 4), (n, 6)) is workspace for poses and velocities as they were; `sudden` (1,) is what they may
    be changed by, of the fastest, beside the error allowed.
    """
    (T, P, B, _, W, length, E), (x, q, v, angles) = tables, state
    (x0, q0, v0), (rtol, atol) = before, tolerances
    copy_rows(x, x0)
    copy_rows(q, q0)
    copy_rows(v, v0)
    residual = put_back(T, P, B, W, length, E, x, q, v, angles, drive, 8)
    moved = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            moved = max(moved, abs(x[i, j] - x0[i, j]) / (atol + rtol * abs(x[i, j])))
        for j in range(4):
            # The size of a unit quaternion is 1, whatever its components are.
            moved = max(moved, abs(q[i, j] - q0[i, j]) / (atol + rtol))
    fastest = 1e-200  # never 0: where contradictory rows bound nothing, times a huge number
    for i in range(v.shape[0]):
        for j in range(6):
            fastest = max(fastest, abs(v[i, j]))
    for i in range(v.shape[0]):
        for j in range(6):
            moved = max(moved, abs(v[i, j] - v0[i, j]) / (atol + rtol * abs(v[i, j]) + sudden[0] * fastest))
    return moved, residual


@kernel
def advance(
    tables: Tables, S: Steps, tableau: Tableau, h: float, state: StateArrays, work: Array1, slope: SlopeArrays,
    drives: Array3, drive: Array2, complete: bool, tolerances: Pair,
) -> Triple:  # fmt: skip
    """A step of h (s) into S with its projection, and the accelerations at its end in E; `drive` (rows, 3) is of then.

    Scaled error, scaled movement and residual of the projection. With `complete` S has all multipliers.
    """
    T, P, B, F, W, _, E = tables
    error = step(tables, S, tableau, h, state, work, slope, drives, tolerances)
    moved, residual = 0.0, 0.0
    # A comparison with NaN is false.
    if error <= 1.0:
        # The projection moves the end: a last stage there, which methods such as dopri5 make the next step's first, is
        # none of the projected state, so that accelerations are computed anew.
        end = (S.x, S.q, S.v, S.angles)
        moved, residual = settle(tables, (S.before_x, S.before_q, S.before_v), S.sudden, end, drive, tolerances)
        stage(T, P, B, F, W, E, end, drive, complete, S.multipliers)
    return error, moved, residual


@kernel
def repeated(tables: Tables) -> bool:
    """Whether rows (m) repeat each other where the workspace's factor was made."""
    _, P, _, _, W, _, E = tables
    return repeats(P, E.sweeps, W.compliance)


@table
class Pace(NamedTuple):
    """How long steps are: the last one, the longest allowed, whether all are equal, the exponent and the safeties."""

    h: float
    longest: float
    fixed: bool
    exponent: float
    safety: float
    shrink: float
    grow: float
    allowed: float


@kernel
def keep(E: Workspace, S: Steps, state: StateArrays, work: Array1, slope: SlopeArrays) -> None:
    """Make the end of a step the start of the next: state, work (rows of drive + 1; J) and slope."""
    x, q, v, angles = state
    copy_rows(S.x, x)
    copy_rows(S.q, q)
    copy_rows(S.v, v)
    for k in range(angles.shape[0]):
        angles[k] = S.angles[k]
    for k in range(work.shape[0]):
        work[k] = S.work[k]
    keep_slope(E, slope)


@kernel
def keep_slope(E: Workspace, slope: SlopeArrays) -> None:
    """The workspace's accelerations (n, 6), rates of the angles (na,) and power into `slope`."""
    acceleration, turning, power = slope
    copy_rows(E.acceleration, acceleration)
    for k in range(turning.shape[0]):
        turning[k] = E.turning[k]
    for k in range(power.shape[0]):
        power[k] = E.power[k]
