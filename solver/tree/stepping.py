"""One step of an explicit Runge–Kutta method in the minimal coordinates of a tree, put back on its closing rows."""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math

import numpy as np

from solver.explicit import scaled_error
from solver.jit import njit
from solver.tree.closed import accelerate, bodies, close_positions, close_rates, configuration_rate
from solver.tree.kernels import moving
from solver.tree.reading import joint_values, quaternion


@njit(cache=True)
def _slope(L, q, rates, acceleration, turning, power, out):  # type: ignore[no-untyped-def]
    """out (N,) = [q̇, θ̈, α̇, power]."""
    nq, nv, na = q.shape[0], rates.shape[0], turning.shape[0]
    configuration_rate(L, q, rates, out[:nq])
    out[nq : nq + nv] = acceleration
    out[nq + nv : nq + nv + na] = turning
    out[nq + nv + na :] = power


@njit(cache=True)
def step(L, K, T, B, F, W, tableau, h, q, rates, angles, work, slope, drives, rtol, atol):  # type: ignore[no-untyped-def]
    """One step of h: new q, rates, angles, work and the scaled error, as `solver.explicit.step`.

    `slope` is (θ̈, α̇, power) at the start.
    """
    nq, nv, na, stages = q.shape[0], rates.shape[0], angles.shape[0], tableau.nodes.shape[0]
    acceleration, turning, power = slope
    start = np.concatenate((q, rates, angles, work))
    slopes = np.zeros((stages, start.shape[0]))
    _slope(L, q, rates, acceleration, turning, power, slopes[0])
    y = start.copy()
    for s in range(1, stages):
        y[:] = start
        for r in range(s):
            if tableau.stages[s, r] != 0.0:
                y += (h * tableau.stages[s, r]) * slopes[r]
        at, there, own = y[:nq].copy(), y[nq : nq + nv].copy(), y[nq + nv : nq + nv + na].copy()
        acceleration, _, turning, power = accelerate(L, K, T, B, F, W, at, there, own, drives[s])
        _slope(L, at, there, acceleration, turning, power, slopes[s])
    y[:] = start
    for r in range(stages):
        if tableau.weights[r] != 0.0:
            y += (h * tableau.weights[r]) * slopes[r]
    energy = 0.0
    for j in range(nv):
        energy += 0.5 * abs(rates[j] * (acceleration[j] * h + rates[j]))
    error = scaled_error(tableau, h, nq + nv + na, energy, slopes, start, y, rtol, atol)
    end = y[:nq].copy()
    for k in range(L.mass.shape[0]):
        if L.q_start[k + 1] - L.q_start[k] >= 4:
            e = L.q_start[k + 1]
            end[e - 4 : e] /= math.sqrt(np.sum(end[e - 4 : e] ** 2))
    return end, y[nq : nq + nv].copy(), y[nq + nv : nq + nv + na].copy(), y[nq + nv + na :].copy(), error


@njit(cache=True)
def settle(L, K, T, W, length, q, rates, angles, drive, rtol, atol):  # type: ignore[no-untyped-def]
    """Put q, rates, angles on the closing rows in place; how far that moved over what is allowed, what is left."""
    before = q.copy()
    residual = close_positions(L, K, T, W, length, q, angles, drive, 8)
    close_rates(L, K, T, W, length, q, rates, angles, drive)
    moved = 0.0
    for i in range(q.shape[0]):
        moved = max(moved, abs(q[i] - before[i]) / (atol + rtol * abs(q[i])))
    return moved, residual


@njit(cache=True)
def advance(L, K, T, B, F, W, length, tableau, h, q, rates, angles, work, slope, drives, drive, rtol, atol):  # type: ignore[no-untyped-def]
    """A step with its closing; `drive` are the functions of time at the end."""
    q, rates, angles, work, error = step(
        L, K, T, B, F, W, tableau, h, q, rates, angles, work, slope, drives, rtol, atol
    )
    moved, residual = 0.0, 0.0
    if error <= 1.0:
        moved, residual = settle(L, K, T, W, length, q, rates, angles, drive, rtol, atol)
    return q, rates, angles, work, error, moved, residual


@njit(cache=True)
def quaternions_of(R, out):  # type: ignore[no-untyped-def]
    """Unit quaternions (n, 4) of axes (n, 3, 3), each in the half nearer to what `out` held."""
    q = np.empty(4)
    for i in range(out.shape[0]):
        quaternion(R[i], q)
        near = q[0] * out[i, 0] + q[1] * out[i, 1] + q[2] * out[i, 2] + q[3] * out[i, 3]
        out[i] = q if near >= 0.0 else -q


@njit(cache=True)
def frames_of(L, K, q, rates, quaternions):  # type: ignore[no-untyped-def]
    """x (n, 3), quaternions (n, 4) near those given, v (n, 6) of the bodies at q and rates."""
    o, R, P, t, _, _, _ = moving(L, q, rates)
    x, axes, v = bodies(L, K, o, R, t)
    n = K.last.shape[0]
    found = quaternions.copy()
    quaternions_of(axes, found)
    return x[:n].copy(), found, v[:n].copy()


@njit(cache=True)
def read(L, K, x, axes, v):  # type: ignore[no-untyped-def]
    """q and rates of the tree at the frames of the bodies (see `joint_values`)."""
    q, rates = np.zeros(L.q_start[-1]), np.zeros(L.v_start[-1])
    joint_values(L, K, x, axes, v, q, rates)
    return q, rates
