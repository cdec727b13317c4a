"""Motion of a tree with rows that close it, compiled: loops, couplings, gears and drivers by multipliers.

    [ 𝑰  Jᵀ ] [ θ̈ ]   [ φ ]
    [ J  −E ] [ λ ] = [ c ]        J = Ĝ N

𝑰 is never formed: it is applied by its factors, row by row of J. S = J 𝑰⁻¹ Jᵀ + E is dense, of as many rows as close
the tree; it is solved as in `solver.kkt`, so that repeated rows are no matter. The loads are those of the absolute
coordinates, at the bodies' centres of mass.
"""

# ruff: noqa: RUF059 - kernels hand back all they computed; naming every part keeps one shape to read

from __future__ import annotations

import math

import numpy as np

from solver.constraints.kernels import add, cross, into, out_of, turn
from solver.dynamics import evaluate, scaled_residual
from solver.jit import njit
from solver.kkt import MU, REFINEMENTS, product, transposed_product
from solver.loads import all_forces
from solver.tree.kernels import (
    along,
    angular,
    carry_wrench,
    drift,
    factorise,
    gather,
    hold_back,
    linear,
    moving,
    put_row,
    reach,
    respond,
    row,
    spread,
)

_COUNTS = 1e-4
"""Of its weight: a row with less than this is scaled as if it had so much, so that a rounded one fades."""


@njit(cache=True)
def evaluate_all(T, W, x, R, v, angles, drive, with_rates):  # type: ignore[no-untyped-def]
    """As `solver.dynamics.evaluate_all`."""
    count, m = T.kind.shape[0], T.constant.shape[0]
    value, rate, bias = np.empty(count), np.empty(count), np.empty(count)
    JA, JB = np.empty((count, 6)), np.empty((count, 6))
    g, gv, c, blocks = np.empty(m), np.empty(m), np.empty(m), np.empty((T.block_body.shape[0], 6))
    terms = (np.arange(count), value, rate, bias, JA, JB)
    evaluate(T, W, x, R, v, angles, drive, with_rates, terms, (np.arange(m), g, gv, c, blocks))
    return value, rate, bias, JA, JB, g, gv, c, blocks


@njit(cache=True)
def scaled_residuals(T, W, length, blocks, g, gv):  # type: ignore[no-untyped-def]
    """As `solver.dynamics.scaled_residuals`."""
    first, second = np.zeros(g.shape[0]), np.zeros(g.shape[0])
    for i in range(g.shape[0]):
        first[i], second[i] = scaled_residual(T, W, length, blocks, g, gv, i)
    return first, second


@njit(cache=True)
def bodies(L, K, o, R, t):  # type: ignore[no-untyped-def]
    """x (n+1, 3), R (n+1, 3, 3), v (n+1, 6) of the bodies' frames at their centres of mass, the ground behind."""
    n, ground = K.last.shape[0], L.mass.shape[0]
    x, axes, v = np.zeros((n + 1, 3)), np.empty((n + 1, 3, 3)), np.zeros((n + 1, 6))
    axes[n] = R[ground]
    for i in range(n):
        k = K.last[i]
        d = out_of(R, k, row(L.com, k))
        for r in range(3):
            x[i, r] = o[k, r] + d[r]
            for c in range(3):
                axes[i, r, c] = R[k, r, c]
        put_row(v, i, add(linear(t, k), cross(angular(t, k), d)), angular(t, k))
    return x, axes, v


@njit(cache=True)
def on_links(L, K, R, v, force, w):  # type: ignore[no-untyped-def]
    """w (links, 6) += forces (n, 6) on the bodies, about the links' origins; the gyroscopic part is taken out.

    The kernels of the tree count it themselves.
    """
    for i in range(K.last.shape[0]):
        k = K.last[i]
        f, omega = linear(force, i), angular(v, i)
        gyro = cross(omega, out_of(R, k, out_of(L.inertia, k, into(R, k, omega))))
        moment = add(cross(out_of(R, k, row(L.com, k)), f), gyro)
        for c in range(3):
            w[k, c] += f[c]
            w[k, 3 + c] += force[i, 3 + c] + moment[c]


@njit(cache=True)
def row_gradients(L, K, T, o, R, P, D, blocks, G, weight):  # type: ignore[no-untyped-def]
    """G (m, nv) = Ĝ N: each block is carried inward as a wrench.

    `weight` (m,) becomes what a row would have on the diagonal of S if it stood against no joint at a right angle: a
    row of which the tree's joints hold all but rounding is told from one that counts.
    """
    G[:] = 0.0
    weight[:] = 0.0
    n = L.mass.shape[0]
    w, onward = np.empty(6), np.empty(6)
    for i in range(G.shape[0]):
        for b in range(T.row_block[i], T.row_block[i + 1]):
            k = K.last[T.block_body[b]]
            w[:] = 0.0
            carry_wrench(turn(R[k], L.com[k]), blocks[b], w)
            while k < n:
                force, moment = _size(w, 0), _size(w, 3)
                for j in range(L.v_start[k], L.v_start[k + 1]):
                    G[i, j] += along(P[j], w)
                    weight[i] += (_size(P[j], 0) * force + _size(P[j], 3) * moment) ** 2 / D[j]
                p = L.parent[k]
                if p < n:
                    onward[:] = 0.0
                    carry_wrench(reach(o, k, p), w, onward)
                    w[:] = onward
                k = p


@njit(cache=True, inline="always")
def _size(v, at):  # type: ignore[no-untyped-def]
    """The length of v[at : at + 3]."""
    return math.sqrt(v[at] ** 2 + v[at + 1] ** 2 + v[at + 2] ** 2)


@njit(cache=True)
def least(G, Y, weight, compliance, b, x):  # type: ignore[no-untyped-def]
    """x (m,) of least norm with (G Yᵀ + E) x = b, Y = G 𝑰⁻¹; as `solver.kkt.solve`, dense.

    Rows are scaled by their `weight` (m,): by their own diagonal, one that is but rounding would count as any other.
    """
    m = b.shape[0]
    S = G @ Y.T
    scale, A = np.empty(m), np.empty((m, m))
    for i in range(m):
        S[i, i] += compliance[i]
        size = max(S[i, i], _COUNTS * weight[i])
        scale[i] = 1.0 / math.sqrt(size) if size > 1e-300 else 0.0
    for i in range(m):
        for j in range(m):
            S[i, j] *= scale[i] * scale[j]
            A[i, j] = S[i, j]
        A[i, i] += MU
    for j in range(m):
        for k in range(j):
            e = A[j, k]
            if e != 0.0:
                for i in range(j, m):
                    A[i, j] -= A[i, k] * e
        pivot = math.sqrt(max(A[j, j], 0.1 * MU))
        A[j, j] = pivot
        for i in range(j + 1, m):
            A[i, j] /= pivot
    z = np.zeros(m)
    right = scale * b
    size = np.abs(right).max() if m > 0 else 0.0
    before = np.inf
    for k in range(REFINEMENTS):
        r = right - S @ z
        left = np.abs(r).max() if m > 0 else 0.0
        if left <= 1e-15 * size or (k > 2 and left > 0.5 * before):
            break
        before = left
        for i in range(m):
            for j in range(i):
                r[i] -= A[i, j] * r[j]
            r[i] /= A[i, i]
        for i in range(m - 1, -1, -1):
            for j in range(i + 1, m):
                r[i] -= A[j, i] * r[j]
            r[i] /= A[i, i]
        z += r
    for i in range(m):
        x[i] = scale[i] * z[i]


@njit(cache=True)
def weighed_gradients(L, o, P, U, D, G):  # type: ignore[no-untyped-def]
    """G 𝑰⁻¹ (m, nv)."""
    Y = np.empty_like(G)
    for i in range(G.shape[0]):
        respond(L, o, P, U, D, G[i], Y[i])
    return Y


@njit(cache=True)
def centre_accelerations(L, K, R, t, a, out):  # type: ignore[no-untyped-def]
    """out (n, 6): accelerations of the centres of mass from those of the links' origins a (links, 6)."""
    for i in range(K.last.shape[0]):
        k = K.last[i]
        d, w, b = out_of(R, k, row(L.com, k)), angular(t, k), angular(a, k)
        put_row(out, i, add(linear(a, k), add(cross(b, d), cross(w, cross(w, d)))), b)


@njit(cache=True)
def accelerate(L, K, T, B, F, W, q, rates, angles, drive):  # type: ignore[no-untyped-def]
    """θ̈ (nv,), λ of the closing rows (m,), α̇ (na,) and power (rows of drive + 1, W) at a state of the tree."""
    n, nv, m = L.mass.shape[0], rates.shape[0], T.constant.shape[0]
    o, R, P, t, bias, J, b = moving(L, q, rates)
    x, axes, v = bodies(L, K, o, R, t)
    value, rate, second, JA, JB, g, gv, c, blocks = evaluate_all(T, W, x, axes, v, angles, drive, True)
    force, power = np.zeros((K.last.shape[0], 6)), np.zeros(drive.shape[0] + 1)
    all_forces(T, B, F, drive, x, axes, v, value, rate, JA, JB, np.zeros((3, F.callback_term.shape[0])), force, power)
    wrench, w, a = np.zeros((n, 6)), np.empty((n, 6)), np.zeros((n + 1, 6))
    on_links(L, K, R, v, force, wrench)
    U, D, rest, out = np.empty((nv, 6)), np.empty(nv), np.empty(nv), np.zeros(nv)
    drift(L, o, P, out, bias, J, b, wrench, a, w)
    factorise(L, o, P, J, U, D)
    hold_back(L, o, P, U, D, np.zeros(nv), w, rest)
    change = np.zeros((n + 1, 6))
    spread(L, o, P, U, D, rest, out, change)
    multipliers = np.zeros(m)
    if m > 0:
        centres, asked = np.empty((K.last.shape[0], 6)), np.empty(m)
        centre_accelerations(L, K, R, t, a + change, centres)
        product(T.row_block, T.block_body, blocks, centres, asked)
        G = np.empty((m, nv))
        weight = np.empty(m)
        row_gradients(L, K, T, o, R, P, D, blocks, G, weight)
        Y = weighed_gradients(L, o, P, U, D, G)
        least(G, Y, weight, W.compliance, asked - c, multipliers)
        out -= multipliers @ Y
    spun = np.empty(angles.shape[0])
    for k in range(T.kind.shape[0]):
        if T.angle[k] >= 0:
            spun[T.angle[k]] = rate[k]
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] >= 0:
            power[k] = -multipliers[F.motor_row[k]] * rate[F.motor_term[k]]
    return out, multipliers, spun, power


@njit(cache=True)
def reactions(L, K, T, B, F, W, q, rates, angles, drive, acceleration, multipliers):  # type: ignore[no-untyped-def]
    """Accelerations (n, 6) of the bodies' centres, and what each tree joint does to its link (links, 6), motors left
    out: about the link's origin, world axes. A joint's armature is left in it.
    """
    n = L.mass.shape[0]
    o, R, P, t, bias, J, b = moving(L, q, rates)
    x, axes, v = bodies(L, K, o, R, t)
    value, rate, second, JA, JB, g, gv, c, blocks = evaluate_all(T, W, x, axes, v, angles, drive, True)
    force, power = np.zeros((K.last.shape[0], 6)), np.zeros(drive.shape[0] + 1)
    all_forces(T, B, F, drive, x, axes, v, value, rate, JA, JB, np.zeros((3, F.callback_term.shape[0])), force, power)
    transposed_product(T.row_block, T.block_body, blocks, -multipliers, force)
    wrench, w, a = np.zeros((n, 6)), np.empty((n, 6)), np.zeros((n + 1, 6))
    on_links(L, K, R, v, force, wrench)
    drift(L, o, P, acceleration, bias, J, b, wrench, a, w)
    gather(L, o, P, acceleration, w, np.empty(rates.shape[0]))
    centres = np.empty((K.last.shape[0], 6))
    centre_accelerations(L, K, R, t, a, centres)
    return centres, w, o


@njit(cache=True)
def quaternion_rate(q, w, out):  # type: ignore[no-untyped-def]
    """out (4,) = ½ q ⊗ [0, ω] for ω in the body's axes."""
    out[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2])
    out[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1])
    out[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2])
    out[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])


@njit(cache=True)
def configuration_rate(L, q, rates, out):  # type: ignore[no-untyped-def]
    """out (nq,) = q̇."""
    for k in range(L.mass.shape[0]):
        i, j = L.q_start[k], L.v_start[k]
        size = L.q_start[k + 1] - i
        if size == 1:
            out[i] = rates[j]
            continue
        if size == 7:
            w, x, y, z = q[i + 3], q[i + 4], q[i + 5], q[i + 6]
            s, u = 2.0 / (w * w + x * x + y * y + z * z), (rates[j], rates[j + 1], rates[j + 2])
            one = cross((x, y, z), u)
            two = cross((x, y, z), one)
            for c in range(3):
                out[i + c] = u[c] + s * (w * one[c] + two[c])
            i, j = i + 3, j + 3
        if size >= 4:
            quaternion_rate(q[i : i + 4], rates[j : j + 3], out[i : i + 4])


@njit(cache=True)
def displace(L, q, by):  # type: ignore[no-untyped-def]
    """q (nq,) after a small motion (nv,), to first order, in place; quaternions are put back to length 1."""
    rate = np.empty(q.shape[0])
    configuration_rate(L, q, by, rate)
    q += rate
    for k in range(L.mass.shape[0]):
        if L.q_start[k + 1] - L.q_start[k] >= 4:
            e = L.q_start[k + 1]
            q[e - 4 : e] /= math.sqrt(np.sum(q[e - 4 : e] ** 2))


@njit(cache=True)
def _closing(L, K, T, W, q, rates, angles, drive, with_rates):  # type: ignore[no-untyped-def]
    """Rows, their gradients G, G 𝑰⁻¹ and scaled residuals at a state."""
    nv, m = rates.shape[0], T.constant.shape[0]
    o, R, P, t, bias, J, b = moving(L, q, rates)
    x, axes, v = bodies(L, K, o, R, t)
    value, rate, second, JA, JB, g, gv, c, blocks = evaluate_all(T, W, x, axes, v, angles, drive, with_rates)
    U, D, G, weight = np.empty((nv, 6)), np.empty(nv), np.empty((m, nv)), np.empty(m)
    factorise(L, o, P, J, U, D)
    row_gradients(L, K, T, o, R, P, D, blocks, G, weight)
    return value, g, gv, blocks, G, weighed_gradients(L, o, P, U, D, G), weight


@njit(cache=True)
def close_positions(L, K, T, W, length, q, angles, drive, iterations):  # type: ignore[no-untyped-def]
    """Newton on the closing rows in place of q, angles; the scaled residual left."""
    m, still = T.constant.shape[0], np.zeros(L.armature.shape[0])
    before, residual, step = np.inf, 0.0, np.empty(m)
    for turns in range(iterations + 1):
        value, g, gv, blocks, G, Y, weight = _closing(L, K, T, W, q, still, angles, drive, False)
        for k in range(T.kind.shape[0]):
            if T.angle[k] >= 0:
                angles[T.angle[k]] = value[k]
        if m == 0:
            break
        residual = scaled_residuals(T, W, length, blocks, g, g)[0].max()
        if residual < 1e-15 or (residual < 1e-13 and residual > 0.1 * before) or turns == iterations:
            break
        if turns > 3 and residual > 0.9999 * before:
            break
        before = residual
        least(G, Y, weight, W.compliance, g, step)
        displace(L, q, -(step @ Y))
    return residual


@njit(cache=True)
def close_rates(L, K, T, W, length, q, rates, angles, drive):  # type: ignore[no-untyped-def]
    """rates ← rates − 𝑰⁻¹ Jᵀ S⁺ (J θ̇ − …), twice at most."""
    m = T.constant.shape[0]
    step = np.empty(m)
    for repeat in range(3):
        if m == 0:
            break
        value, g, gv, blocks, G, Y, weight = _closing(L, K, T, W, q, rates, angles, drive, True)
        if scaled_residuals(T, W, length, blocks, g, gv)[1].max() < 1e-14 or repeat == 2:
            break
        least(G, Y, weight, W.compliance, gv, step)
        rates -= step @ Y
