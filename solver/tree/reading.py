"""From poses and velocities of bodies to the minimal coordinates of a tree, compiled."""

from __future__ import annotations

import math

import numpy as np

from solver.constraints.kernels import add, cross, mul, sub, turn
from solver.jit import njit
from solver.tree.kernels import first, last, put, reach


@njit(cache=True)
def joint_values(L, K, x, axes, v, q, rates):  # type: ignore[no-untyped-def]
    """q (nq,) and rates (nv,) of the tree from the frames x (n+1, 3), (n+1, 3, 3), v (n+1, 6) of the bodies.

    Of a turn the principal value, of a screw the one that its travel tells.
    """
    n = L.mass.shape[0]
    o, t = np.zeros((n + 1, 3)), np.zeros((n + 1, 6))
    R = np.zeros((n + 1, 3, 3))
    R[n] = np.eye(3)
    for i in K.order:
        k, k0 = K.last[i], K.first[i]
        p = L.parent[k0]
        d = turn(axes[i], L.com[k])
        R[k] = axes[i]
        for c in range(3):
            o[k, c] = x[i, c] - d[c]
        put(t[k], sub(first(v[i]), cross(last(v[i]), d)), last(v[i]))
        W = R[p] @ L.turn[k0]
        arm = turn(R[p], L.point[k0])
        travel = (o[k, 0] - o[p, 0] - arm[0], o[k, 1] - o[p, 1] - arm[1], o[k, 2] - o[p, 2] - arm[2])
        _read_joint(L, k0, k, W, R[k], travel, q)
        _read_rates(L, k0, k, W, o, R, t, p, travel, q, rates)


@njit(cache=True)
def _angle(a, u, w):  # type: ignore[no-untyped-def]
    """The turn about the unit axis a that brings u's part across a to w's."""
    return math.atan2(
        a[0] * (u[1] * w[2] - u[2] * w[1]) + a[1] * (u[2] * w[0] - u[0] * w[2]) + a[2] * (u[0] * w[1] - u[1] * w[0]),
        np.dot(u, w) - np.dot(a, u) * np.dot(a, w),
    )


@njit(cache=True)
def _across(a):  # type: ignore[no-untyped-def]
    """A vector (3,) across a."""
    u = np.zeros(3)
    u[np.argmin(np.abs(a))] = 1.0
    return u - np.dot(u, a) * a


@njit(cache=True)
def _read_joint(L, k0, k, W, R, travel, q):  # type: ignore[no-untyped-def]
    """q of the links k0 … k that stand for one joint; W the axes at q = 0, R those of the body."""
    relative = W.T @ R
    i = L.q_start[k0]
    if L.q_start[k0 + 1] - i >= 4:
        if L.q_start[k0 + 1] - i == 7:
            away = turn(W.T, np.array(travel))
            q[i], q[i + 1], q[i + 2] = away[0], away[1], away[2]
            i += 3
        quaternion(relative, q[i : i + 4])
        return
    turns = 0
    for s in range(k0, k + 1):
        turns += int(L.spin[s] != 0.0)
    seen = 0
    for s in range(k0, k + 1):
        a = L.axis[s]
        if L.spin[s] == 0.0 or L.q_start[s + 1] == L.q_start[s]:
            continue
        if turns == 1:
            u = _across(a)
            q[L.q_start[s]] = _angle(a, u, relative @ u)
        elif seen == 0:
            other = L.axis[k]
            q[L.q_start[s]] = _angle(a, other, relative @ other)
        else:
            other = L.axis[k0]
            q[L.q_start[s]] = -_angle(a, other, relative.T @ other)
        seen += 1
    frame = W.copy()
    for s in range(k0, k + 1):
        if L.q_start[s + 1] == L.q_start[s]:
            continue
        i, a = L.q_start[s], turn(frame, L.axis[s])
        if L.slide[s] != 0.0:
            value = (a[0] * travel[0] + a[1] * travel[1] + a[2] * travel[2]) / L.slide[s]
            q[i] = value if L.spin[s] == 0.0 else q[i] + 2 * math.pi * round((value - q[i]) / (2 * math.pi))
        if L.spin[s] != 0.0:
            frame = frame @ _about(L.axis[s], q[i])


@njit(cache=True)
def _about(a, angle):  # type: ignore[no-untyped-def]
    s, c = math.sin(angle), math.cos(angle)
    K = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    return np.eye(3) + s * K + (1 - c) * (K @ K)


@njit(cache=True)
def quaternion(R, out):  # type: ignore[no-untyped-def]
    """The unit quaternion of R (3, 3), by its largest component."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    if trace >= max(R[0, 0], R[1, 1], R[2, 2]):
        out[0] = 1 + trace
        out[1], out[2], out[3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    else:
        i = int(np.argmax(np.array([R[0, 0], R[1, 1], R[2, 2]])))
        j, m = (i + 1) % 3, (i + 2) % 3
        out[0] = R[m, j] - R[j, m]
        out[1 + i] = 1 + R[i, i] - R[j, j] - R[m, m]
        out[1 + j], out[1 + m] = R[j, i] + R[i, j], R[m, i] + R[i, m]
    out /= math.sqrt(np.sum(out**2))


@njit(cache=True)
def _read_rates(L, k0, k, W, o, R, t, p, travel, q, rates):  # type: ignore[no-untyped-def]
    """Rates of one joint from the relative twist at the child's origin, by least squares of its motions."""
    r = reach(o, k, p)
    own = np.empty(6)
    put(own, sub(first(t[k]), add(first(t[p]), cross(last(t[p]), r))), sub(last(t[k]), last(t[p])))
    j0, j1 = L.v_start[k0], L.v_start[k + 1]
    if j1 == j0:
        return
    columns = np.zeros((6, j1 - j0))
    frame, left = W.copy(), travel
    for s in range(k0, k + 1):
        j = L.v_start[s] - j0
        size = L.v_start[s + 1] - L.v_start[s]
        if size == 1:
            a = turn(frame, L.axis[s])
            left = sub(left, mul(L.slide[s] * q[L.q_start[s]], a))
            put(columns[:, j], add(mul(L.slide[s], a), mul(L.spin[s], cross(a, left))), mul(L.spin[s], a))
            if L.spin[s] != 0.0:
                frame = frame @ _about(L.axis[s], q[L.q_start[s]])
        elif size >= 3:
            for c in range(3):
                for e in range(3):
                    if size == 6:
                        columns[c, j + e] = R[k, c, e]
                    columns[3 + c, j + size - 3 + e] = R[k, c, e]
    rates[j0:j1] = np.linalg.solve(columns.T @ columns, columns.T @ own)
