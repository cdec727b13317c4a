"""Twists, wrenches and spatial inertias as rows of tables, compiled: what the recursions do with one link or freedom.

A twist is [v of a point; ω], a wrench [f; n about a point], both in world axes.
"""

from __future__ import annotations

import math

from solver.compilation.compiled import Array1, Array2, Array3, Triple, inlined, kernel
from solver.constraints.kernels import cross


@inlined
def linear(a: Array2, k: int) -> Triple:
    """The linear part of a[k], for a (n, 6)."""
    return (a[k, 0], a[k, 1], a[k, 2])


@inlined
def angular(a: Array2, k: int) -> Triple:
    """The angular part of a[k], for a (n, 6)."""
    return (a[k, 3], a[k, 4], a[k, 5])


@inlined
def put_row(out: Array2, k: int, first: Triple, second: Triple) -> None:
    """out[k] = [first; second], for out (n, 6)."""
    out[k, 0], out[k, 1], out[k, 2] = first[0], first[1], first[2]
    out[k, 3], out[k, 4], out[k, 5] = second[0], second[1], second[2]


@inlined
def clear_row(out: Array2, k: int) -> None:
    """out[k] = 0, for out (n, 6)."""
    put_row(out, k, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@inlined
def column(R: Array3, k: int, j: int) -> Triple:
    """Column j of R[k], for R (n, 3, 3)."""
    return (R[k, 0, j], R[k, 1, j], R[k, 2, j])


@inlined
def offset(o: Array2, k: int, p: int) -> Triple:
    """From the origin of p to that of k, of origins o (n, 3)."""
    return (o[k, 0] - o[p, 0], o[k, 1] - o[p, 1], o[k, 2] - o[p, 2])


@kernel
def turn_with(R: Array3, p: int, turn: Array3, k: int) -> None:
    """R[k] = R[p] turn[k], both (n, 3, 3)."""
    for i in range(3):
        a, b, c = R[p, i, 0], R[p, i, 1], R[p, i, 2]
        for j in range(3):
            R[k, i, j] = a * turn[k, 0, j] + b * turn[k, 1, j] + c * turn[k, 2, j]


@kernel
def turn_about(R: Array3, k: int, axis: Array2, angle: float) -> None:
    """R[k] turned by `angle` about axis[k] (n, 3) in its own axes, Rodrigues' formula; R (n, 3, 3)."""
    s, c = math.sin(angle), 1.0 - math.cos(angle)
    x, y, z = axis[k, 0], axis[k, 1], axis[k, 2]
    for i in range(3):
        p, q, r = R[k, i, 0], R[k, i, 1], R[k, i, 2]
        along = c * (p * x + q * y + r * z)
        R[k, i, 0] = p * (1.0 - c) + along * x + s * (q * z - r * y)
        R[k, i, 1] = q * (1.0 - c) + along * y + s * (r * x - p * z)
        R[k, i, 2] = r * (1.0 - c) + along * z + s * (p * y - q * x)


@kernel
def turn_by_quaternion(R: Array3, k: int, q: Array1, at: int) -> None:
    """R[k] turned by the quaternion q[at:at + 4], of any length, in its own axes; R (n, 3, 3), q (nq,)."""
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    for i in range(3):
        a, b, c = R[k, i, 0], R[k, i, 1], R[k, i, 2]
        R[k, i, 0] = a * (1 - s * (y * y + z * z)) + b * s * (x * y + w * z) + c * s * (x * z - w * y)
        R[k, i, 1] = a * s * (x * y - w * z) + b * (1 - s * (x * x + z * z)) + c * s * (y * z + w * x)
        R[k, i, 2] = a * s * (x * z + w * y) + b * s * (y * z - w * x) + c * (1 - s * (x * x + y * y))


@inlined
def add_wrench(r: Triple, w: Array2, k: int, out: Array2, p: int) -> None:
    """out[p] += Aᵀ w[k], both (n, 6): a wrench on a point r away, about the point of p."""
    f = linear(w, k)
    moment = cross(r, f)
    for c in range(3):
        out[p, c] += f[c]
        out[p, 3 + c] += w[k, 3 + c] + moment[c]


@kernel
def inertia_to_parent(r: Triple, J: Array3, k: int, p: int, G: Array2) -> None:
    """J[p] += Aᵀ J[k] A for symmetric J (n, 6, 6), k a point r away; G (3, 3) is for work."""
    x, y, z = r
    # G = H − M [r] with the blocks M, H of J[k]; then J' = J − Hᵀ[r] + [r] G.
    for i in range(3):
        a, b, c = J[k, i, 0], J[k, i, 1], J[k, i, 2]
        G[i, 0] = J[k, i, 3] - (b * z - c * y)
        G[i, 1] = J[k, i, 4] - (c * x - a * z)
        G[i, 2] = J[k, i, 5] - (a * y - b * x)
    for i in range(3):
        for j in range(3):
            J[p, i, j] += J[k, i, j]
            J[p, i, 3 + j] += G[i, j]
            J[p, 3 + j, i] += G[i, j]
    for i in range(3):
        a, b, c = J[k, 0, 3 + i], J[k, 1, 3 + i], J[k, 2, 3 + i]
        J[p, 3 + i, 3] += J[k, 3 + i, 3] - (b * z - c * y)
        J[p, 3 + i, 4] += J[k, 3 + i, 4] - (c * x - a * z)
        J[p, 3 + i, 5] += J[k, 3 + i, 5] - (a * y - b * x)
    for j in range(3):
        a, b, c = G[0, j], G[1, j], G[2, j]
        J[p, 3, 3 + j] += y * c - z * b
        J[p, 4, 3 + j] += z * a - x * c
        J[p, 5, 3 + j] += x * b - y * a


@kernel
def apply_inertia(J: Array3, k: int, a: Array2, i: int, out: Array2, j: int) -> None:
    """out[j] = J[k] a[i], for symmetric J (n, 6, 6): sums of rows side by side, which the compiler makes vectors of."""
    s0 = s1 = s2 = s3 = s4 = s5 = 0.0
    for c in range(6):
        x = a[i, c]
        s0 += J[k, c, 0] * x
        s1 += J[k, c, 1] * x
        s2 += J[k, c, 2] * x
        s3 += J[k, c, 3] * x
        s4 += J[k, c, 4] * x
        s5 += J[k, c, 5] * x
    out[j, 0], out[j, 1], out[j, 2], out[j, 3], out[j, 4], out[j, 5] = s0, s1, s2, s3, s4, s5


@kernel
def dot_rows(a: Array2, i: int, b: Array2, j: int) -> float:
    """a[i] · b[j] of (n, 6)."""
    s = 0.0
    for c in range(6):
        s += a[i, c] * b[j, c]
    return s
