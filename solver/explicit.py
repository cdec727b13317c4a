"""One step of an explicit Runge–Kutta method given by its tableau, and its projection, compiled.

Orientations are integrated as a small turn δ away from a steady spin: q(t) = δ(t) ⊗ exp(t s) ⊗ q₀ with the spin s of
the body about its own shaft, δ' = ½ (ω ⊗ δ − δ ⊗ s). A shaft that turns steadily keeps δ = 1 whatever its speed,
so that wheels may turn many times in one step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from solver.constraints.kernels import out_of, rotations
from solver.dynamics import accelerate, stage
from solver.projection import put_back
from solver.sweeps.work import workspace

_CLOSED = 1e-11
"""A residual of the projection below this is none."""


@njit(cache=True)
def multiply(a, b, out):  # type: ignore[no-untyped-def]
    """out = a ⊗ b (4,)."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3]
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]


@njit(cache=True)
def shaft_spins(B, quaternions, velocities):  # type: ignore[no-untyped-def]
    """The part of ω along each body's shaft, world axes (n, 3)."""
    n = B.mass.shape[0]
    R = np.empty((n + 1, 3, 3))
    rotations(quaternions, R)
    out = np.zeros((n, 3))
    for i in range(n):
        axis = out_of(R, i, (B.spin[i, 0], B.spin[i, 1], B.spin[i, 2]))
        along = axis[0] * velocities[i, 3] + axis[1] * velocities[i, 4] + axis[2] * velocities[i, 5]
        for j in range(3):
            out[i, j] = along * axis[j]
    return out


@njit(cache=True)
def spun(turn, spins, quaternions, time, out):  # type: ignore[no-untyped-def]
    """out (n, 4) = δ ⊗ exp(time · s) ⊗ q₀."""
    for i in range(spins.shape[0]):
        a, b = quaternions[i, 0], quaternions[i, 1]
        c, d = quaternions[i, 2], quaternions[i, 3]
        square = spins[i, 0] ** 2 + spins[i, 1] ** 2 + spins[i, 2] ** 2
        if square > 0.0:
            rate = math.sqrt(square)
            half = 0.5 * rate * time
            factor = math.sin(half) / rate if rate > 1e-300 else 0.5 * time
            base = (math.cos(half), factor * spins[i, 0], factor * spins[i, 1], factor * spins[i, 2])
            a, b, c, d = quaternion_product(base, (a, b, c, d))
        found = quaternion_product((turn[i, 0], turn[i, 1], turn[i, 2], turn[i, 3]), (a, b, c, d))
        for j in range(4):
            out[i, j] = found[j]


@njit(cache=True, inline="always")
def quaternion_product(a, b):  # type: ignore[no-untyped-def]
    """a ⊗ b, four floats each."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    )


@njit(cache=True)
def _slope(v, turn, spins, acceleration, turning, power, out):  # type: ignore[no-untyped-def]
    """out (N,) = [v, δ', v̇, α̇, power]."""
    n, na = v.shape[0], turning.shape[0]
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
    out[13 * n : 13 * n + na] = turning
    out[13 * n + na :] = power


@njit(cache=True)
def scaled_error(tableau, h, count, energy, slopes, start, end, rtol, atol):  # type: ignore[no-untyped-def]
    """The largest local error over what is allowed; 1: just allowed.

    Values from `count` on are work: what is allowed is measured by the kinetic `energy` as well.
    With a coarse estimate beside the fine one they are joined as in DOP853: e²/√(e² + 0.01 ē²).
    """
    fine, coarse = 0.0, 0.0
    for i in range(start.shape[0]):
        e, c = 0.0, 0.0
        for s in range(slopes.shape[0]):
            e += tableau.error[s] * slopes[s, i]
            c += tableau.coarse[s] * slopes[s, i]
        size = max(abs(start[i]), abs(end[i]))
        allowed = atol + rtol * (size if i < count else max(size, energy))
        e, c = abs(h * e) / allowed, abs(h * c) / allowed
        # A comparison with NaN is false: let NaN through as an infinite error.
        if not e <= fine:
            fine = e if e == e else np.inf
        if c > coarse:
            coarse = c
    if coarse > 0.0 and fine < np.inf:
        return fine * fine / math.sqrt(fine * fine + 0.01 * coarse * coarse)
    return fine


@njit(cache=True)
def _moving(B, v):  # type: ignore[no-untyped-def]
    """Kinetic energy of the bodies (J), each inertia taken as its mean: only a measure."""
    s = 0.0
    for i in range(B.mass.shape[0]):
        mean = (B.inertia[i, 0, 0] + B.inertia[i, 1, 1] + B.inertia[i, 2, 2]) / 3
        for j in range(3):
            s += 0.5 * (B.mass[i] * v[i, j] ** 2 + mean * v[i, 3 + j] ** 2)
    return s


@njit(cache=True)
def step(T, K, B, F, W, tableau, h, x, q, v, angles, work, slope, drives, rtol, atol):  # type: ignore[no-untyped-def]
    """One step of h: new x, q, v, angles, work and the scaled error (1: just allowed).

    `work` (rows of drive + 1; J) is what was done up to the start, and then up to the end. `slope` is (v̇, α̇, power)
    at the start; `drives` (s, …) are the functions of time at the nodes.
    """
    n, na, stages = x.shape[0], angles.shape[0], tableau.nodes.shape[0]
    acceleration, turning, power = slope
    size = 13 * n + na + power.shape[0]
    spins = shaft_spins(B, q, v)
    start = np.zeros(size)
    start[: 3 * n] = x.ravel()
    for i in range(n):
        start[3 * n + 4 * i] = 1.0
    start[7 * n : 13 * n] = v.ravel()
    start[13 * n : 13 * n + na] = angles
    start[13 * n + na :] = work
    slopes = np.zeros((stages, size))
    _slope(v, start[3 * n : 7 * n].copy().reshape(n, 4), spins, acceleration, turning, power, slopes[0])
    y = start.copy()
    place, room, multipliers = np.empty((n, 4)), workspace(K), np.zeros(T.constant.shape[0])
    for s in range(1, stages):
        y[:] = start
        for r in range(s):
            if tableau.stages[s, r] != 0.0:
                y += (h * tableau.stages[s, r]) * slopes[r]
        turn = y[3 * n : 7 * n].copy().reshape(n, 4)
        spun(turn, spins, q, h * tableau.nodes[s], place)
        there = y[7 * n : 13 * n].copy().reshape(n, 6)
        own = y[13 * n : 13 * n + na].copy()
        state = (y[: 3 * n].copy().reshape(n, 3), place, there, own)
        acceleration, turning, power = stage(T, K, B, F, W, room, state, drives[s], False, multipliers)
        _slope(there, turn, spins, acceleration, turning, power, slopes[s])
    y[:] = start
    for r in range(stages):
        if tableau.weights[r] != 0.0:
            y += (h * tableau.weights[r]) * slopes[r]
    energy = _moving(B, v)
    error = scaled_error(tableau, h, 13 * n + na, energy, slopes, start, y, rtol, atol)
    new_q = np.empty((n, 4))
    spun(y[3 * n : 7 * n].copy().reshape(n, 4), spins, q, h, new_q)
    for i in range(n):
        new_q[i] /= math.sqrt(np.sum(new_q[i] ** 2))
    return (
        y[: 3 * n].copy().reshape(n, 3),
        new_q,
        y[7 * n : 13 * n].copy().reshape(n, 6),
        y[13 * n : 13 * n + na].copy(),
        y[13 * n + na :].copy(),
        error,
    )


@njit(cache=True)
def settle(T, K, B, W, length, x, q, v, angles, drive, rtol, atol):  # type: ignore[no-untyped-def]
    """Project x, q, v, angles in place; how far that moved them over what is allowed, and the residual left."""
    x0, q0 = x.copy(), q.copy()
    residual = put_back(T, K, B, W, length, x, q, v, angles, drive, 8)
    moved = 0.0
    for i in range(x.shape[0]):
        for j in range(3):
            moved = max(moved, abs(x[i, j] - x0[i, j]) / (atol + rtol * abs(x[i, j])))
        for j in range(4):
            moved = max(moved, abs(q[i, j] - q0[i, j]) / (atol + rtol))
    return moved, residual


@njit(cache=True)
def advance(T, K, B, F, W, length, tableau, h, x, q, v, angles, work, slope, drives, drive, rtol, atol):  # type: ignore[no-untyped-def]
    """A step with its projection; `drive` are the functions of time at the end.

    New x, q, v, angles, work, scaled error, scaled movement and residual of the projection, and what `accelerate`
    gives at the end: in the same call, for taking the tables apart costs as much as a small mechanism.
    """
    x, q, v, angles, work, error = step(T, K, B, F, W, tableau, h, x, q, v, angles, work, slope, drives, rtol, atol)
    moved, residual = 0.0, 0.0
    end = slope[0], np.empty(0), slope[1], slope[2], False
    if error <= 1.0:
        moved, residual = settle(T, K, B, W, length, x, q, v, angles, drive, rtol, atol)
        end = accelerate(T, K, B, F, W, x, q, v, angles, drive)
    return x, q, v, angles, work, error, moved, residual, end


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


@njit(cache=True)
def march(T, K, B, F, W, length, tableau, pace, t, until, end, state, work, slope, drives, most, rtol, atol):  # type: ignore[no-untyped-def]
    """Plain steps in one call, `most` of them, as long as each is taken at once and ends before `until`.

    For models without functions of time. `state` is (x, q, v, angles), `slope` what `accelerate` found there. Ends
    before a step that is refused or would meet `until` or the half of what is left to `end`. Returns state, work,
    slope, time, the next step's length, the number of steps, the shortest and the longest.
    """
    x, q, v, angles = state
    h, taken, shortest, longest = pace.h, 0, np.inf, 0.0
    while taken < most and t + h < until and (pace.fixed or h <= 0.5 * (end - t)):
        begin = (slope[0], slope[2], slope[3])
        new_x, new_q, new_v, new_angles, done, error, moved, residual, found = advance(
            T, K, B, F, W, length, tableau, h, x, q, v, angles, work, begin, drives, drives[0], rtol, atol
        )
        # A comparison with NaN is false.
        if not (error <= 1.0 and residual <= _CLOSED and (pace.fixed or moved <= pace.allowed)):
            break
        x, q, v, angles, work, slope = new_x, new_q, new_v, new_angles, done, found
        t += h
        taken += 1
        shortest, longest = min(shortest, h), max(longest, h)
        if not pace.fixed:
            factor = pace.safety * max(error, 1e-10) ** -pace.exponent
            h = min(pace.longest, h * min(pace.grow, max(pace.shrink, factor)))
    return (x, q, v, angles), work, slope, t, h, taken, shortest, longest
