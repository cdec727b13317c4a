"""One step of the explicit pair of order 5(4) of Dormand and Prince (1980), compiled.

Orientations are integrated as a small turn δ away from a steady spin: q(t) = δ(t) ⊗ exp(t s) ⊗ q₀ with the spin s of
the body about its own shaft, δ' = ½ (ω ⊗ δ − δ ⊗ s). A shaft that turns steadily keeps δ = 1 whatever its speed,
so that wheels may turn many times in one step.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.constraints.kernels import rotations
from solver.dynamics import accelerate

NODES = np.array([0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0])
_WEIGHTS = np.zeros((7, 7))
_WEIGHTS[1, :1] = [1 / 5]
_WEIGHTS[2, :2] = [3 / 40, 9 / 40]
_WEIGHTS[3, :3] = [44 / 45, -56 / 15, 32 / 9]
_WEIGHTS[4, :4] = [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729]
_WEIGHTS[5, :5] = [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]
_WEIGHTS[6, :6] = [35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
_ERROR = np.array([71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


@njit(cache=True)
def _multiply(a, b, out):  # type: ignore[no-untyped-def]
    """out = a ⊗ b (4,)."""
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3]
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]


@njit(cache=True)
def _spins(B, quaternions, velocities):  # type: ignore[no-untyped-def]
    """The part of ω along each body's shaft, world axes (n, 3)."""
    n = B.mass.shape[0]
    R = np.empty((n + 1, 3, 3))
    rotations(quaternions, R)
    out = np.zeros((n, 3))
    for i in range(n):
        axis = R[i] @ B.spin[i]
        along = axis[0] * velocities[i, 3] + axis[1] * velocities[i, 4] + axis[2] * velocities[i, 5]
        out[i] = along * axis
    return out


@njit(cache=True)
def _spun(turn, spins, quaternions, time, out):  # type: ignore[no-untyped-def]
    """out (n, 4) = δ ⊗ exp(time · s) ⊗ q₀."""
    base, both = np.empty(4), np.empty(4)
    for i in range(spins.shape[0]):
        rate = math.sqrt(spins[i, 0] ** 2 + spins[i, 1] ** 2 + spins[i, 2] ** 2)
        half = 0.5 * rate * time
        factor = math.sin(half) / rate if rate > 1e-300 else 0.5 * time
        base[0] = math.cos(half)
        for j in range(3):
            base[1 + j] = factor * spins[i, j]
        _multiply(base, quaternions[i], both)
        _multiply(turn[i], both, out[i])


@njit(cache=True)
def _derivative(T, K, B, F, W, x, q, v, angles, drive, turn, spins, out):  # type: ignore[no-untyped-def]
    """out (N,) = [v, δ', v̇, α', power]; returns the accelerations, multipliers and the residual left."""
    n, na = x.shape[0], angles.shape[0]
    acceleration, multipliers, spun, power, left = accelerate(T, K, B, F, W, x, q, v, angles, drive)
    w, s = np.zeros(4), np.zeros(4)
    first, second = np.empty(4), np.empty(4)
    for i in range(n):
        w[1:] = v[i, 3:]
        s[1:] = spins[i]
        _multiply(w, turn[i], first)
        _multiply(turn[i], s, second)
        for j in range(3):
            out[3 * i + j] = v[i, j]
        for j in range(4):
            out[3 * n + 4 * i + j] = 0.5 * (first[j] - second[j])
        for j in range(6):
            out[7 * n + 6 * i + j] = acceleration[i, j]
    out[13 * n : 13 * n + na] = spun
    out[13 * n + na :] = power
    return acceleration, multipliers, left


@njit(cache=True)
def step(T, K, B, F, W, h, x, q, v, angles, drives, rtol, atol):  # type: ignore[no-untyped-def]
    """One step of h: new x, q, v, angles, work done (rows of drive + 1; J) and the scaled error (1: just allowed).

    `drives` (7, rows, 3) are the loads' functions at the nodes. The last slope belongs to the new state before its
    projection, so it is not carried over.
    """
    n, na = x.shape[0], angles.shape[0]
    size = 13 * n + na + drives.shape[1] + 1
    spins = _spins(B, q, v)
    start = np.zeros(size)
    start[: 3 * n] = x.ravel()
    for i in range(n):
        start[3 * n + 4 * i] = 1.0
    start[7 * n : 13 * n] = v.ravel()
    start[13 * n : 13 * n + na] = angles
    slopes = np.zeros((7, size))
    y = start.copy()
    place = np.empty((n, 4))
    for s in range(7):
        y[:] = start
        for r in range(s):
            if _WEIGHTS[s, r] != 0.0:
                y += (h * _WEIGHTS[s, r]) * slopes[r]
        turn = y[3 * n : 7 * n].copy().reshape(n, 4)
        _spun(turn, spins, q, h * NODES[s], place)
        _derivative(
            T,
            K,
            B,
            F,
            W,
            y[: 3 * n].copy().reshape(n, 3),
            place,
            y[7 * n : 13 * n].copy().reshape(n, 6),
            y[13 * n : 13 * n + na].copy(),
            drives[s],
            turn,
            spins,
            slopes[s],
        )
    error = 0.0
    for i in range(13 * n + na):
        e = 0.0
        for s in range(7):
            e += _ERROR[s] * slopes[s, i]
        ratio = abs(h * e) / (atol + rtol * max(abs(start[i]), abs(y[i])))
        # A comparison with NaN is false: let NaN through as an infinite error.
        if not ratio <= error:
            error = ratio if ratio == ratio else np.inf
    new_q = place.copy()
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
