"""Samples within compiled steps: a step's polynomial, how far it is off, and what is recorded.

What is integrated is what the polynomial is of: [x, δ] of the bodies (`solver.steps.explicit`), or the coordinates of a
tree (`solver.chart.within`), beside angles and work. Its data are those of `dense`: values at both ends, rates, second
derivatives, then those at the nodes. An acceleration computed at one place more says how far it is off: within a step
its error is held against what is allowed at the step's end, as that of the end is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import (
    Array1,
    Array2,
    Array3,
    Ints1,
    Pair,
    Quad,
    Triple,
    entry,
    inlined,
    kernel,
    table,
    zeros,
)
from solver.constraints.kernels import Frames, RowArrays, TermArrays
from solver.constraints.terms import Terms
from solver.equations.dynamics import StateArrays, Tables, evaluate, least_into, place, second_rates, stage
from solver.equations.kkt import Plan, Space
from solver.equations.loads import energies
from solver.equations.projection import largest_gaps, put
from solver.equations.system import Rows, System
from solver.equations.workspace import Workspace
from solver.steps.dense import fits
from solver.steps.explicit import quaternion_product, repeated, shaft_axes, spun
from solver.sweeps.bodies import Bodies
from solver.sweeps.work import copy_rows


@table
class Samples(NamedTuple):
    """Samples (k, …) at `times`, as `solver.result.Trajectory` has them.

    `residuals` (k, 2) of positions and rates, `energies` (k, 2) kinetic and potential, `work` (k, rows of drive + 1),
    Where rows are `repeated`, the multipliers are some of many.
    """

    times: Array1
    x: Array3
    q: Array3
    v: Array3
    acceleration: Array3
    angles: Array2
    multipliers: Array2
    coordinates: Array2
    rates: Array2
    accelerations: Array2
    residuals: Array2
    energies: Array2
    work: Array2
    repeated: Ints1


def make_samples(system: System, times: Array1) -> Samples:
    """Workspace for samples at some times."""
    k, n, m = len(times), system.program.bodies, system.program.rows
    c, d = len(system.program.coordinate_term), len(system.drives)
    return Samples(  # type: ignore[call-arg]  # several lists of arrays
        np.array(times, dtype=float),
        *zeros((k, n, 3), (k, n, 4), (k, n, 6), (k, n, 6), (k, system.program.angle_count), (k, m), (k, c), (k, c)),
        *zeros((k, c), (k, 2), (k, 2), (k, d + 1)),
        np.zeros(k, dtype=np.int64),
    )


DIPS = 12
"""Minima of the smallest pivot that are kept."""


@table
class Within(NamedTuple):
    """Arrays for states within a step, with up to `extra` accelerations more; n bodies, t terms, m rows, N numbers.

    `poses` (10, k) and `sums` (7, N) are the data of the k coordinates ([x, δ], or the tree's) and of [angles, work],
    the last row that of a place where the polynomial is tried; `pose_fit` (3, 9, 9) and `sum_fit` (3, 6, 6) give the
    coefficients `pose_part`, `sum_part` for 0, 1 and 3 nodes; `missed` (N,) closes the sum. With `vectors` turns are
    rotation vectors there, [φ, 0] in place of δ. `most` (k,) bounds the sizes of coordinates in what errors are
    allowed, `energy` (1,) J is a size of the work. `acceleration`, `turning` and `power` keep those at the step's end.
    `worst` (1,) is the largest error so far over what is allowed; `pivot` (6,) the smallest pivot of the loops' rows so
    far, of what it would be between free bodies, and when (s),
    but for rows that repeat others from the start (`doubled`); then that after the last step and after the one before
    it with their times. `dips` (k, 5) are the lowest of its minima, in no order: that, and the rest of
    `solver.result.Dip`.
    """

    extra: int
    vectors: bool
    pose_fit: Array3
    sum_fit: Array3
    poses: Array2
    sums: Array2
    pose_part: Array2
    sum_part: Array2
    missed: Array1
    last: Array1
    most: Array1
    energy: Array1
    worst: Array1
    pivot: Array1
    dips: Array2
    doubled: Ints1
    acceleration: Array2
    turning: Array1
    power: Array1
    q0: Array2
    spins: Array2
    still: Array2
    base: Array2
    pose: Array1
    rate: Array1
    sum: Array1
    x: Array2
    q: Array2
    v: Array2
    angles: Array1
    multipliers: Array1
    drive: Array2
    every_term: Ints1
    coordinate: Ints1
    value: Array1
    term_rate: Array1
    bias: Array1
    JA: Array2
    JB: Array2
    every_row: Ints1
    no_row: Ints1
    g: Array1
    gv: Array1
    c: Array1
    blocks: Array2
    first: Array1
    second: Array1


def make_within(system: System, extra: int, most: Array1 | None = None, vectors: bool = False) -> Within:
    """Workspace for the states within steps of a system; of the coordinates of a tree with their `most` (k,)."""
    n, t, m = system.program.bodies, len(system.program.terms.kind), system.program.rows
    na, d = system.program.angle_count, len(system.drives)
    size, still = na + d + 1, np.zeros((n, 4))
    still[:, 0] = 1.0
    most = np.full(7 * n, np.inf) if most is None else most
    k = len(most)
    return Within(  # type: ignore[call-arg]  # several lists of arrays
        extra,
        vectors,
        *fits(),
        *zeros((10, k), (7, size), (9, k), (6, size), size, size),
        most,
        *zeros(1, 1, 6, (DIPS, 5)),
        np.zeros(len(system.plan.row), dtype=np.int64),
        *zeros((n, 6), na, d + 1, (n, 4), (n, 3)),
        still,
        *zeros((n, 4), k, k, size, (n, 3), (n, 4), (n, 6), na, m, (d, 3)),
        np.arange(t),
        np.arange(t - len(system.program.coordinate_term), t),
        *zeros(t, t, t, (t, 6), (t, 6)),
        np.arange(m),
        np.zeros(0, dtype=np.int64),
        *zeros(m, m, m, (len(system.program.terms.block_body), 6), m, m),
    )  # fmt: skip


_ROUNDED = 2e-14
"""Of a coordinate, at least 1: by so much what rounding leaves open at both ends puts second derivatives off."""


@inlined
def _quaternion(a: Array2, i: int) -> Quad:
    """Row i of a (n, 4)."""
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3])


@kernel
def _pose_data(D: Within, rows: tuple[int, int, int], state: StateArrays, acceleration: Array2, h: float) -> None:
    """[x, δ] of a state, h times its rate and h² times its second derivative into `rows` of D.poses (−1: not asked)."""
    (x, q, v, _), n = state, acceleration.shape[0]
    for i in range(n):
        b = _quaternion(D.base, i)
        s = (0.0, D.spins[i, 0], D.spins[i, 1], D.spins[i, 2])
        w = (0.0, v[i, 3], v[i, 4], v[i, 5])
        a = (0.0, acceleration[i, 3], acceleration[i, 4], acceleration[i, 5])
        # δ = q ⊗ (exp(t s) ⊗ q₀)⁻¹, δ′ = ½ (ω ⊗ δ − δ ⊗ s) and, the spin s being steady, δ″ = ½ (ω̇ ⊗ δ + ω ⊗ δ′ − δ′ ⊗
        # s).
        turn = quaternion_product(_quaternion(q, i), (b[0], -b[1], -b[2], -b[3]))
        one, two = quaternion_product(w, turn), quaternion_product(turn, s)
        rate = (0.5 * (one[0] - two[0]), 0.5 * (one[1] - two[1]), 0.5 * (one[2] - two[2]), 0.5 * (one[3] - two[3]))
        three, four, five = quaternion_product(a, turn), quaternion_product(w, rate), quaternion_product(rate, s)
        for j in range(3):
            k = 3 * i + j
            if rows[0] >= 0:
                D.poses[rows[0], k], D.poses[rows[1], k] = x[i, j], h * v[i, j]
            D.poses[rows[2], k] = h * h * acceleration[i, j]
        for j in range(4):
            k = 3 * n + 4 * i + j
            if rows[0] >= 0:
                D.poses[rows[0], k], D.poses[rows[1], k] = turn[j], h * rate[j]
            D.poses[rows[2], k] = 0.5 * h * h * (three[j] + four[j] - five[j])


@kernel
def _sum_data(D: Within, row: int, angles: Array1, work: Array1, part: float) -> None:
    """`part` times [angles, work] into a row of D.sums."""
    na = angles.shape[0]
    for k in range(na):
        D.sums[row, k] = part * angles[k]
    for k in range(work.shape[0]):
        D.sums[row, na + k] = part * work[k]


@kernel
def pose_ends(tables: Tables, D: Within, h: float, start: StateArrays, acceleration: Array2, end: StateArrays) -> None:
    """The data (10, 7n) of [x, δ] at both ends of a step of h (s); the workspace has the accelerations of its `end`."""
    (_, _, B, _, _, _, E), (x, q, v, _) = tables, start
    place(E, x, q, v)
    shaft_axes(B, E.R, v, D.spins)
    for i in range(q.shape[0]):
        for j in range(4):
            D.q0[i, j] = q[i, j]
    spun(D.still, D.spins, D.q0, 0.0, D.base)
    _pose_data(D, (0, 2, 4), start, acceleration, h)
    spun(D.still, D.spins, D.q0, h, D.base)
    _pose_data(D, (1, 3, 5), end, E.acceleration, h)


@kernel
def between_ends(D: Within) -> None:
    """The second derivatives of poses in the data as those of the cubics through both ends.

    Accelerations of generalised-α swing where stiff loads hold what the steps do not follow: a polynomial that has them
    swings between the ends by more than these are off. The cubics' rates are as near as a step's (h³ v⃛ / 125).
    """
    for k in range(D.poses.shape[1]):
        way, first, last = D.poses[1, k] - D.poses[0, k], D.poses[2, k], D.poses[3, k]
        D.poses[4, k] = 6.0 * way - 4.0 * first - 2.0 * last
        D.poses[5, k] = -6.0 * way + 2.0 * first + 4.0 * last


@kernel
def sum_ends(
    E: Workspace, D: Within, h: float, start: tuple[Array1, Array1], slope: tuple[Array1, Array1],
    end: tuple[Array1, Array1],
) -> None:  # fmt: skip
    """The data (7, N) of [angles, work] at both ends (`start`, `end`) of a step of h (s); `slope` are their rates."""
    (angles, work), (turning, power), (last_angles, last_work) = start, slope, end
    _sum_data(D, 0, angles, work, 1.0)
    _sum_data(D, 1, turning, power, h)
    _sum_data(D, 2, E.turning, E.power, h)
    na = angles.shape[0]
    for k in range(na):
        D.last[k] = last_angles[k]
    for k in range(last_work.shape[0]):
        D.last[na + k] = last_work[k]


@kernel
def hold_slope(E: Workspace, D: Within) -> None:
    """Keep the slope (v̇ (n, 6), α̇ (na,), power) that the workspace has at the step's end, while it gets others."""
    copy_rows(E.acceleration, D.acceleration)
    for k in range(E.turning.shape[0]):
        D.turning[k] = E.turning[k]
    for k in range(E.power.shape[0]):
        D.power[k] = E.power[k]


@kernel
def held_slope(E: Workspace, D: Within) -> None:
    """Put the slope (v̇ (n, 6), α̇ (na,), power) back that `hold_slope` kept."""
    copy_rows(D.acceleration, E.acceleration)
    for k in range(E.turning.shape[0]):
        E.turning[k] = D.turning[k]
    for k in range(E.power.shape[0]):
        E.power[k] = D.power[k]


@kernel
def fit(D: Within, nodes: int) -> None:
    """The coefficients `pose_part` (9, k) and `sum_part` (6, N) from the data with 0, 1 or 3 `nodes`: see `dense`."""
    level = 0 if nodes == 0 else (1 if nodes == 1 else 2)
    _apply(D.pose_fit, level, 6 + nodes, D.poses, D.pose_part, 1)
    _apply(D.sum_fit, level, 3 + nodes, D.sums, D.sum_part, 0)
    for k in range(D.missed.shape[0]):
        D.missed[k] = D.last[k]
        for r in range(6):
            D.missed[k] -= D.sum_part[r, k]


@kernel
def _apply(fit: Array3, level: int, count: int, data: Array2, out: Array2, last: int) -> None:
    """out (rows, k) = fit[level] data, whose first `count` rows count, values those up to `last`.

    Of values only what they differ by from the first counts, so that their size costs no digits.
    """
    for k in range(out.shape[1]):
        out[0, k] = data[0, k]
    for r in range(1, out.shape[0]):
        for k in range(out.shape[1]):
            out[r, k] = 0.0
        if r < count:
            for c in range(1, count):
                part = fit[level, r, c]
                for k in range(out.shape[1]):
                    out[r, k] += part * (data[c, k] - (data[0, k] if c <= last else 0.0))


@kernel
def polynomials_at(D: Within, theta: float, h: float) -> None:
    """The coordinates (k,) and rates at the part θ of the step of h (s) into D; [angles, work] (N,) into D.sum."""
    for k in range(D.pose.shape[0]):
        value, rate = 0.0, 0.0
        for r in range(8, -1, -1):
            rate = rate * theta + value
            value = value * theta + D.pose_part[r, k]
        D.pose[k], D.rate[k] = value, rate / h
    # The value of a sum at the step's end is no datum of its polynomial. What that misses there is spread by a cubic
    # which is flat at both ends, so that the rates there stay.
    close = theta * theta * (3 - 2 * theta)
    for k in range(D.sum.shape[0]):
        value = 0.0
        for r in range(5, -1, -1):
            value = value * theta + D.sum_part[r, k]
        D.sum[k] = value + close * D.missed[k]
    for k in range(D.angles.shape[0]):
        D.angles[k] = D.sum[k]


@kernel
def bodies_within(D: Within, theta: float, h: float) -> None:
    """The bodies x (n, 3), q (n, 4), v (n, 6) where [x, δ] are at the part θ of the step of h (s), into D."""
    n = D.x.shape[0]
    spun(D.still, D.spins, D.q0, theta * h, D.base)
    for i in range(n):
        k = 3 * n + 4 * i
        turn = (D.pose[k], D.pose[k + 1], D.pose[k + 2], D.pose[k + 3])
        size = turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2 + turn[3] ** 2
        s = quaternion_product(turn, (0.0, D.spins[i, 0], D.spins[i, 1], D.spins[i, 2]))
        both = (2 * D.rate[k] + s[0], 2 * D.rate[k + 1] + s[1], 2 * D.rate[k + 2] + s[2], 2 * D.rate[k + 3] + s[3])
        # δ′ = ½ (ω ⊗ δ − δ ⊗ s) solved for the rate: ω = (2 δ′ + δ ⊗ s) ⊗ δ⁻¹.
        w = quaternion_product(both, (turn[0] / size, -turn[1] / size, -turn[2] / size, -turn[3] / size))
        q, unit = quaternion_product(turn, _quaternion(D.base, i)), 1.0 / math.sqrt(size)
        for j in range(4):
            D.q[i, j] = unit * q[j]
        for j in range(3):
            D.x[i, j], D.v[i, j], D.v[i, 3 + j] = D.pose[3 * i + j], D.rate[3 * i + j], w[1 + j]


@kernel
def within_data(D: Within, row: int, state: StateArrays, acceleration: Array2, h: float) -> None:
    """The second derivatives of [x, δ] at a state within the step, times h², into a row of D.poses (10, 7n)."""
    _pose_data(D, (-1, -1, row), state, acceleration, h)


@kernel
def sum_rates(D: Within, row: int, turning: Array1, power: Array1, h: float) -> None:
    """The rates of [angles, work] at a state within the step, times h, into a row of D.sums (7, N)."""
    _sum_data(D, row, turning, power, h)


@kernel
def off_by(D: Within, row: int, theta: float, h: float, shares: Triple, tolerances: Pair) -> float:
    """The error of the polynomial over what is allowed in a step of h, by its data in a `row` beyond those fitted.

    Where a second derivative (times h²) is off by d at θ, a coordinate is by `shares[0]` d at most, its rate by
    `shares[1]` d/h; where the rate of a sum is off by d, the sum is by `shares[2]` d. D has its state at θ. Of a sum's
    rate what closes it is left out: with it the rate in the middle is right whatever the sum is between.
    """
    rtol, atol = tolerances
    worst, na = 0.0, D.angles.shape[0]
    for k in range(D.pose.shape[0]):
        second = 0.0
        for r in range(8, 1, -1):
            second = second * theta + r * (r - 1) * D.pose_part[r, k]
        off = max(abs(D.poses[row, k] - second) - _ROUNDED * max(1.0, abs(D.pose[k])), 0.0)
        one = shares[0] * off / (atol + rtol * min(D.most[k], abs(D.pose[k])))
        two = shares[1] * off / (h * (atol + rtol * abs(D.rate[k])))
        # A comparison with NaN is false.
        if not (one <= worst and two <= worst):
            worst = max(one, two) if one + two < np.inf else np.inf
    for k in range(D.sum.shape[0]):
        rate = 0.0
        for r in range(5, 0, -1):
            rate = rate * theta + r * D.sum_part[r, k]
        size = max(abs(D.sum[k]), D.energy[0] if k >= na else 0.0)
        three = shares[2] * abs(D.sums[row - 3, k] - rate) / (atol + rtol * size)
        if not three <= worst:
            worst = three if three < np.inf else np.inf
    return worst


@kernel
def sample_within(tables: Tables, D: Within, out: Samples, i: int) -> None:
    """Sample i of `out` (k, …) at D's state, which is on the constraints; D.drive are the functions of time there."""
    T, P, B, F, W, _, E = tables
    state, na = (D.x, D.q, D.v, D.angles), D.angles.shape[0]
    stage(T, P, B, F, W, E, state, D.drive, True, D.multipliers)
    for k in range(out.work.shape[1]):
        out.work[i, k] = D.sum[na + k]
    record(tables, D, state, D.drive, D.multipliers, out, i)


@kernel
def record(
    tables: Tables, D: Within, state: StateArrays, drive: Array2, multipliers: Array1, out: Samples, i: int
) -> None:
    """Sample i of `out` (k, …), of a state at which the workspace has the accelerations; its work is recorded already.

    Of terms and rows the workspace has those of loops and loads; of joints only the gaps are wanted.
    """
    (T, P, B, F, W, length, E), (x, q, v, angles) = tables, state
    first, second = largest_gaps(T, P, W, E, length)
    out.residuals[i, 0], out.residuals[i, 1] = first, second
    kinetic, potential = energies(T, B, F, E.x, E.R, E.v, E.value, E.rate)
    terms = (D.coordinate, D.value, D.term_rate, D.bias, D.JA, D.JB)
    evaluate(T, W, E.x, E.R, E.v, angles, drive, True, terms, (D.no_row, D.g, D.gv, D.c, D.blocks))
    out.energies[i, 0], out.energies[i, 1] = kinetic, potential
    count = out.coordinates.shape[1]
    second_rates(T, E.acceleration, D.bias, D.JA, D.JB, out.accelerations[i])
    for k in range(count):
        term = T.kind.shape[0] - count + k
        out.coordinates[i, k], out.rates[i, k] = D.value[term], D.term_rate[term]
    for b in range(x.shape[0]):
        for j in range(3):
            out.x[i, b, j] = x[b, j]
        for j in range(4):
            out.q[i, b, j] = q[b, j]
        for j in range(6):
            out.v[i, b, j], out.acceleration[i, b, j] = v[b, j], E.acceleration[b, j]
    for k in range(angles.shape[0]):
        out.angles[i, k] = angles[k]
    for k in range(multipliers.shape[0]):
        out.multipliers[i, k] = multipliers[k]
    out.repeated[i] = 1 if repeated(tables) else 0


@entry
def least_of_samples(
    T: Terms, K: Plan, B: Bodies, W: Rows, Q: Space, poses: Frames, terms: TermArrays, rows: RowArrays, drive: Array2,
    first: int, end: int, out: Samples,
) -> None:  # fmt: skip
    """The multipliers of the samples from `first` up to `end` made those of least norm, where rows repeat each other.

    The functions of time at `drive` (rows, 3) are of no account: they move no row's gradient.
    """
    for i in range(first, end):
        if out.repeated[i] == 0:
            continue
        put(out.x[i], out.q[i], poses[0], poses[1])
        for b in range(Q.y.shape[0]):
            for j in range(6):
                Q.y[b, j] = 0.0
        least_into(T, K, B, W, Q, poses, out.angles[i], drive, terms, rows, out.multipliers[i])
        for k in range(Q.x.shape[0]):
            out.multipliers[i, k] = Q.x[k]
