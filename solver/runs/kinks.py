"""Where a load bends in the state: the end of a stop, its full depth, its release, a motor's bound, a pull; compiled.

A Runge–Kutta formula expects smooth loads: a step across a corner of a load is off by more than its estimate says. Each
corner is where a function g of the state changes its sign. Of g value and rate are known at both ends of a step: a
cubic (Hermite). Where that has a root within a step that would count, the step ends there in place of it (Hairer,
Nørsett and Wanner 1993, II.6, "discontinuous equations").
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, Ints1, Pair, Triple, kernel, table
from solver.equations.dynamics import StateArrays, Tables
from solver.equations.loading import PD, SERVO, Loads
from solver.equations.loads import pd_wish, servo_wish
from solver.runs.meeting import coordinates_at
from solver.steps.samples import Within

_BESIDE = 1e-9
"""The part of a step that a corner may be away from an end of it: it puts the step off by as much less.

With 1e-3 a corner in the last thousandth of a step put it off by 630 tolerances, once in some thousand runs; and steps
that began just before a corner were refused again and again: of stops, 15 % more in all.
"""
_ROUNDED = 1e-13
"""Of the values that make g: what is below has no sign: some hundred roundings, as g is a sum over a body's pose. A
coordinate is computed of numbers of about 1, however near to 0 it is: a joint that begins at an end of its range at 0
passed that end again and again, and the run went nowhere."""
_END, _RELEASE, _BOUND, PULL = range(4)
"""What a corner is of: a place along a coordinate, a stop that lets go, a motor at a bound, teeth that lose power."""


@table
class Kinks(NamedTuple):
    """Corners of loads: what each is of (`kind`), its `term`, the load's or motor's `place` (m,), the `side` (±1) and
    `level` of it; `before` and `after` (m, 3) are g, its rate, and whether it counts, at the ends of a step; `noise`
    (m,) is what of g is rounding.
    """

    kind: Ints1
    term: Ints1
    place: Ints1
    side: Array1
    level: Array1
    before: Array2
    after: Array2
    noise: Array1


def kinks_of(F: Loads) -> Kinks:
    """The corners of all stops, bounded motors, and meshes that lose power."""
    rows: list[tuple[int, int, int, float, float]] = []
    for k in np.flatnonzero(F.stop_stiffness).tolist():
        for side, end in ((-1.0, float(F.lower[k])), (1.0, float(F.upper[k]))):
            if math.isfinite(end):
                places = [(_END, side * end), (_END, side * end + float(F.stop_depth[k]))]
                released = [(_RELEASE, side * end)] if F.stop_damping[k] > 0.0 else []
                rows += [(kind, int(F.term[k]), k, side, level) for kind, level in (*places, *released)]
    for k, law in enumerate(F.motor_law.tolist()):
        bounds = {PD: (-F.motor_effort[k], F.motor_effort[k]), SERVO: tuple(F.motor_bounds[k])}.get(law, ())
        if F.motor_row[k] < 0:
            rows += [(_BOUND, int(F.motor_term[k]), k, 1.0, float(b)) for b in bounds if math.isfinite(b)]
    rows += [(PULL, int(F.mesh_term[k, 0]), k, 1.0, 0.0) for k in np.flatnonzero(F.mesh_loss.any(axis=1)).tolist()]
    whole = np.array([row[:3] for row in rows], np.int64).reshape(-1, 3)
    parts = np.array([row[3:] for row in rows], float).reshape(-1, 2)
    m = len(rows)
    return Kinks._make([*whole.T.copy(), *parts.T.copy(), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(m)])


@kernel
def look_at_kinks(
    tables: Tables, D: Within, N: Kinks, state: StateArrays, acceleration: Array2, drive: Array2, multipliers: Array1,
    out: Array2,
) -> None:  # fmt: skip
    """g, its rate, and whether it counts, of all corners at a state, into out (m, 3); pulls have none (`pulls`)."""
    F = tables[3]
    coordinates_at(tables, D, N.term, state, acceleration, out)
    for r in range(N.term.shape[0]):
        k, along, counts = N.place[r], (out[r, 0], out[r, 1], out[r, 2]), 1.0
        size = max(abs(N.level[r]), abs(along[0]), 1.0)
        if N.kind[r] == _BOUND:
            value, rate = _of_bound(F, k, (drive[k, 0], drive[k, 1], drive[k, 2]), along)
            value -= N.level[r]
            size = max(abs(N.level[r]), _slope(F, k) * max(abs(along[0]), 1.0))
        elif N.kind[r] == PULL:
            out[r, 0], out[r, 1], out[r, 2] = multipliers[F.mesh_row[k]], 0.0, 0.0
            continue
        else:
            value, rate = N.side[r] * along[0] - N.level[r], N.side[r] * along[1]
            if N.kind[r] == _RELEASE:
                counts = 1.0 if value > 0.0 else 0.0
                value, rate = _of_release(F, k, (value, rate, N.side[r] * along[2]))
                size *= F.stop_stiffness[k]
        N.noise[r] = _ROUNDED * size
        out[r, 0] = value if abs(value) > N.noise[r] else 0.0
        out[r, 1], out[r, 2] = rate, counts


@kernel
def _of_release(F: Loads, k: int, pressed: Triple) -> Pair:
    """The push of the stop of load k over its damper's fading, at d, ḋ, d̈, and its rate: below 0 it would pull."""
    d, rate, second = pressed
    elastic = (0.5 * d, 0.5 * rate) if d < F.stop_depth[k] else (d - 0.5 * F.stop_depth[k], rate)
    stiffness, damping = F.stop_stiffness[k], F.stop_damping[k]
    return stiffness * elastic[0] + damping * rate, stiffness * elastic[1] + damping * second


@kernel
def _slope(F: Loads, k: int) -> float:
    """By how much what motor k gives goes with its coordinate (N m/rad, N/m)."""
    law: float = F.motor_stiffness[k] if F.motor_law[k] == PD else abs(F.motor_bias[k, 1])
    return law


@kernel
def _of_bound(F: Loads, k: int, u: Triple, q: Triple) -> Pair:
    """What motor k would give without bounds, at u, u̇, ü and q, q̇, q̈, and its rate."""
    if F.motor_law[k] == PD:
        return pd_wish(F, k, u[0], u[1], q[0], q[1]), pd_wish(F, k, u[1], u[2], q[1], q[2])
    g, b = F.motor_gain, F.motor_bias
    along = (g[k, 1] * u[0] + b[k, 1]) * q[1] + (g[k, 2] * u[0] + b[k, 2]) * q[2]
    return servo_wish(F, k, u[0], q[0], q[1]), along + u[1] * (g[k, 0] + g[k, 1] * q[0] + g[k, 2] * q[1])


@kernel
def first_kink(N: Kinks, h: float) -> float:
    """The part of a step of h (s) at which the first corner within is; 1 where there is none that counts."""
    first = 1.0
    for r in range(N.term.shape[0]):
        if N.before[r, 2] + N.after[r, 2] > 0.0:
            values, slopes = (N.before[r, 0], N.after[r, 0]), (h * N.before[r, 1], h * N.after[r, 1])
            first = min(first, _root(values, slopes, N.noise[r]))
    return first


@kernel
def _root(values: Pair, slopes: Pair, noise: float) -> float:
    """The first change of sign within (0, 1) of the cubic of these values and slopes at both ends, or 1.

    Between its extremes a cubic only rises or only falls. An extreme below `noise` has no sign.
    """
    (p0, p1), (u, w) = values, slopes
    c2, c3 = 3.0 * (p1 - p0) - 2.0 * u - w, u + w - 2.0 * (p1 - p0)
    one, two = 0.0, 1.0
    under = c2 * c2 - 3.0 * c3 * u
    if under > 0.0:
        # The larger root first, so that no digits cancel.
        big = -c2 - math.copysign(math.sqrt(under), c2)
        ends = (big / (3.0 * c3) if abs(3.0 * c3) > abs(big) else 0.0, u / big if abs(big) > abs(u) else 0.0)
        one, two = max(min(ends[0], ends[1]), 0.0), min(max(ends[0], ends[1]), 1.0)
        one, two = min(one, 1.0), max(two, one)
    last, before = 0.0, p0
    for end in (one, two, 1.0):
        now = p1 if end == 1.0 else p0 + end * (u + end * (c2 + end * c3))
        # A robot that falls as one rests at the ends of its joints but for rounding: slopes of 1e-17 make roots there.
        if abs(now) <= noise:
            continue
        if before * now < 0.0:
            low, high = last, end
            # Of the step: forty halvings, to where the cubic itself is rounded.
            while high - low > 1e-12:
                middle = 0.5 * (low + high)
                at = p0 + middle * (u + middle * (c2 + middle * c3))
                if at * before > 0.0:
                    low = middle
                else:
                    high = middle
            if high > _BESIDE and high < 1.0 - _BESIDE:
                return high
        last, before = end, now
    return 1.0
