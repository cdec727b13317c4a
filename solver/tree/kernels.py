"""The recursions over a tree's links, compiled: decoupled natural orthogonal complement (Shah, Saha & Dutt, 2013).

Twists t = [v of the link's origin; ω] and wrenches w = [f; n about the origin] are in world axes. With A_kp the twist
propagation from the parent's origin to the link's and P_k the joint's motion propagation,

    t_k = A_kp t_p + P_k θ̇_k,    ṫ_k = A_kp ṫ_p + P_k θ̈_k + γ_k,    w_p gets A_kpᵀ w_k,

every algorithm is one sweep outward and one inward. A joint of several freedoms is gone through one freedom at a time:
each costs a rank-one update of a 6 × 6 matrix, and no system is ever solved. The ground is index n.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.constraints.kernels import add, cross, dot, mul, turn
from solver.tree.model import FIXED, FREE, SINGLE


@njit(cache=True, inline="always")
def first(a):  # type: ignore[no-untyped-def]
    """The linear part of a twist or wrench (6,)."""
    return (a[0], a[1], a[2])


@njit(cache=True, inline="always")
def last(a):  # type: ignore[no-untyped-def]
    """The angular part."""
    return (a[3], a[4], a[5])


@njit(cache=True, inline="always")
def put(out, linear, angular):  # type: ignore[no-untyped-def]
    """out (6,) = [linear; angular]."""
    out[0], out[1], out[2] = linear[0], linear[1], linear[2]
    out[3], out[4], out[5] = angular[0], angular[1], angular[2]


@njit(cache=True, inline="always")
def column(R, j):  # type: ignore[no-untyped-def]
    """Column j of R (3, 3)."""
    return (R[0, j], R[1, j], R[2, j])


@njit(cache=True)
def product(A, B, out):  # type: ignore[no-untyped-def]
    """out = A B for (3, 3)."""
    for i in range(3):
        for j in range(3):
            out[i, j] = A[i, 0] * B[0, j] + A[i, 1] * B[1, j] + A[i, 2] * B[2, j]


@njit(cache=True)
def about_axis(W, a, angle, out):  # type: ignore[no-untyped-def]
    """out = W · rotation by `angle` about the unit axis a (3,), Rodrigues' formula."""
    s, c = math.sin(angle), 1.0 - math.cos(angle)
    x, y, z = a[0], a[1], a[2]
    for i in range(3):
        p, q, r = W[i, 0], W[i, 1], W[i, 2]
        along = c * (p * x + q * y + r * z)
        out[i, 0] = p * (1.0 - c) + along * x + s * (q * z - r * y)
        out[i, 1] = q * (1.0 - c) + along * y + s * (r * x - p * z)
        out[i, 2] = r * (1.0 - c) + along * z + s * (p * y - q * x)


@njit(cache=True)
def by_quaternion(W, q, out):  # type: ignore[no-untyped-def]
    """out = W · the rotation of the quaternion q (4,) of any length."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    for i in range(3):
        a, b, c = W[i, 0], W[i, 1], W[i, 2]
        out[i, 0] = a * (1 - s * (y * y + z * z)) + b * s * (x * y + w * z) + c * s * (x * z - w * y)
        out[i, 1] = a * s * (x * y - w * z) + b * (1 - s * (x * x + z * z)) + c * s * (y * z + w * x)
        out[i, 2] = a * s * (x * z + w * y) + b * s * (y * z - w * x) + c * (1 - s * (x * x + y * y))


@njit(cache=True)
def place(L, q, o, R, P):  # type: ignore[no-untyped-def]
    """Origins o (n+1, 3), axes R (n+1, 3, 3) and motions P (nv, 6) at the links' origins, world axes."""
    n = L.mass.shape[0]
    o[n] = 0.0
    R[n] = np.eye(3)
    W = np.empty((3, 3))
    for k in range(n):
        p, kind, i, j = L.parent[k], L.kind[k], L.q_start[k], L.v_start[k]
        arm = turn(R[p], L.point[k])
        if kind == SINGLE:
            product(R[p], L.turn[k], W)
            if L.spin[k] != 0.0:
                about_axis(W, L.axis[k], q[i], R[k])
            else:
                R[k] = W
            axis = turn(W, L.axis[k])
            arm = add(arm, mul(L.slide[k] * q[i], axis))
            put(P[j], mul(L.slide[k], axis), mul(L.spin[k], axis))
        elif kind == FIXED:
            product(R[p], L.turn[k], R[k])
        else:
            product(R[p], L.turn[k], W)
            if kind == FREE:
                arm = add(arm, turn(W, q[i : i + 3]))
                i += 3
            by_quaternion(W, q[i : i + 4], R[k])
            zero = (0.0, 0.0, 0.0)
            for c in range(3):
                if kind == FREE:
                    put(P[j + c], column(R[k], c), zero)
                    put(P[j + 3 + c], zero, column(R[k], c))
                else:
                    put(P[j + c], zero, column(R[k], c))
        for c in range(3):
            o[k, c] = o[p, c] + arm[c]


@njit(cache=True, inline="always")
def reach(o, k, p):  # type: ignore[no-untyped-def]
    """From the origin of p to that of k."""
    return (o[k, 0] - o[p, 0], o[k, 1] - o[p, 1], o[k, 2] - o[p, 2])


@njit(cache=True)
def carry_twist(r, t, out):  # type: ignore[no-untyped-def]
    """out = A t: the twist of the same rigid body at a point r away."""
    put(out, add(first(t), cross(last(t), r)), last(t))


@njit(cache=True)
def move(L, o, P, rates, t, bias):  # type: ignore[no-untyped-def]
    """Twists t (n+1, 6) and bias accelerations γ (n, 6); t[n] is the ground's and must be set."""
    n = L.mass.shape[0]
    own = np.empty(6)
    for k in range(n):
        p = L.parent[k]
        r = reach(o, k, p)
        own[:] = 0.0
        for j in range(L.v_start[k], L.v_start[k + 1]):
            for c in range(6):
                own[c] += P[j, c] * rates[j]
        u, w, wp = first(own), last(own), last(t[p])
        carry_twist(r, t[p], t[k])
        for c in range(6):
            t[k, c] += own[c]
        # Motions fixed in the link turn with it, the axis of a single joint with the parent just as well.
        around = last(t[k]) if L.kind[k] == FREE else wp
        put(bias[k], add(cross(wp, add(cross(wp, r), u)), cross(around, u)), cross(wp, w))


@njit(cache=True)
def momentum(L, R, t, J, b):  # type: ignore[no-untyped-def]
    """Inertia J (n, 6, 6) of each link about its origin, and the wrench b (n, 6) of its motion without acceleration."""
    for k in range(L.mass.shape[0]):
        m, d, A = L.mass[k], turn(R[k], L.com[k]), L.inertia[k]
        RA = np.empty((3, 3))
        product(R[k], A, RA)
        dd = dot(d, d)
        for i in range(3):
            for j in range(3):
                s = RA[i, 0] * R[k, j, 0] + RA[i, 1] * R[k, j, 1] + RA[i, 2] * R[k, j, 2]
                J[k, 3 + i, 3 + j] = s + m * ((dd if i == j else 0.0) - d[i] * d[j])
                J[k, i, j] = m if i == j else 0.0
        x, y, z = m * d[0], m * d[1], m * d[2]
        J[k, 0, 3], J[k, 0, 4], J[k, 0, 5] = 0.0, z, -y
        J[k, 1, 3], J[k, 1, 4], J[k, 1, 5] = -z, 0.0, x
        J[k, 2, 3], J[k, 2, 4], J[k, 2, 5] = y, -x, 0.0
        for i in range(3):
            for j in range(3):
                J[k, 3 + j, i] = J[k, i, 3 + j]
        w = last(t[k])
        h = turn(J[k, 3:, 3:], w)
        put(b[k], mul(m, cross(w, cross(w, d))), cross(w, h))


@njit(cache=True)
def carry_wrench(r, w, out):  # type: ignore[no-untyped-def]
    """out += Aᵀ w: the wrench on the link at a point r away, about the parent's origin."""
    f = first(w)
    moment = cross(r, f)
    for c in range(3):
        out[c] += w[c]
        out[3 + c] += w[3 + c] + moment[c]


@njit(cache=True)
def carry_inertia(r, J, out):  # type: ignore[no-untyped-def]
    """out (6, 6) += Aᵀ J A for the symmetric J at a point r away."""
    x, y, z = r
    S = np.empty((3, 3))
    # S = H − M [r] with the blocks M, H of I; then J' = J − Hᵀ[r] + [r] S.
    for i in range(3):
        a, b, c = J[i, 0], J[i, 1], J[i, 2]
        S[i, 0] = J[i, 3] - (b * z - c * y)
        S[i, 1] = J[i, 4] - (c * x - a * z)
        S[i, 2] = J[i, 5] - (a * y - b * x)
    for i in range(3):
        for j in range(3):
            out[i, j] += J[i, j]
            out[i, 3 + j] += S[i, j]
            out[3 + j, i] += S[i, j]
    for i in range(3):
        a, b, c = J[0, 3 + i], J[1, 3 + i], J[2, 3 + i]
        out[3 + i, 3] += J[3 + i, 3] - (b * z - c * y)
        out[3 + i, 4] += J[3 + i, 4] - (c * x - a * z)
        out[3 + i, 5] += J[3 + i, 5] - (a * y - b * x)
    for j in range(3):
        a, b, c = S[0, j], S[1, j], S[2, j]
        out[3, 3 + j] += y * c - z * b
        out[4, 3 + j] += z * a - x * c
        out[5, 3 + j] += x * b - y * a


@njit(cache=True)
def multiply(J, a, out):  # type: ignore[no-untyped-def]
    """out (6,) = J a for (6, 6)."""
    for i in range(6):
        s = 0.0
        for j in range(6):
            s += J[i, j] * a[j]
        out[i] = s


@njit(cache=True)
def along(a, b):  # type: ignore[no-untyped-def]
    """a · b of (6,)."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@njit(cache=True, error_model="numpy")
def factorise(L, o, P, J, U, D):  # type: ignore[no-untyped-def]
    """Articulated inertias, inward: U (nv, 6) and D (nv,) of the generalised inertia matrix; J (n, 6, 6) is used up.

    Freedom by freedom, the last first: U_j = Î P_j, D_j = P_jᵀ U_j + armature, Î ← Î − U_j U_jᵀ / D_j.
    """
    for k in range(L.mass.shape[0] - 1, -1, -1):
        A, p = J[k], L.parent[k]
        for j in range(L.v_start[k + 1] - 1, L.v_start[k] - 1, -1):
            multiply(A, P[j], U[j])
            D[j] = along(P[j], U[j]) + L.armature[j]
            s = 1.0 / D[j]
            for a in range(6):
                e = s * U[j, a]
                for b in range(6):
                    A[a, b] -= e * U[j, b]
        if p < L.mass.shape[0]:
            carry_inertia(reach(o, k, p), A, J[p])


@njit(cache=True, error_model="numpy")
def hold_back(L, o, P, U, D, effort, w, rest):  # type: ignore[no-untyped-def]
    """Inward: what is left of `effort` (nv,) for each freedom, into `rest`; w (n, 6) holds wrenches and is used up."""
    n = L.mass.shape[0]
    for k in range(n - 1, -1, -1):
        p = L.parent[k]
        for j in range(L.v_start[k + 1] - 1, L.v_start[k] - 1, -1):
            rest[j] = effort[j] - along(P[j], w[k])
            s = rest[j] / D[j]
            for c in range(6):
                w[k, c] += s * U[j, c]
        if p < n:
            carry_wrench(reach(o, k, p), w[k], w[p])


@njit(cache=True, error_model="numpy")
def spread(L, o, P, U, D, rest, acceleration, a):  # type: ignore[no-untyped-def]
    """Outward: accelerations of the joints (nv,) and of the links a (n+1, 6); a[n] is the ground's and must be set."""
    for k in range(L.mass.shape[0]):
        p = L.parent[k]
        carry_twist(reach(o, k, p), a[p], a[k])
        for j in range(L.v_start[k], L.v_start[k + 1]):
            acceleration[j] = (rest[j] - along(U[j], a[k])) / D[j]
            for c in range(6):
                a[k, c] += P[j, c] * acceleration[j]


@njit(cache=True)
def respond(L, o, P, U, D, effort, out):  # type: ignore[no-untyped-def]
    """out (nv,) = 𝑰⁻¹ · effort by the factors."""
    n = L.mass.shape[0]
    w, a = np.zeros((n, 6)), np.zeros((n + 1, 6))
    rest = np.empty(effort.shape[0])
    hold_back(L, o, P, U, D, effort, w, rest)
    spread(L, o, P, U, D, rest, out, a)


@njit(cache=True)
def drift(L, o, P, acceleration, bias, J, b, wrench, a, w):  # type: ignore[no-untyped-def]
    """Outward: accelerations a (n+1, 6) of the links at given ones of the joints, and the wrenches w (n, 6) they take.

    w = J a + b − wrench is what each link needs beyond the wrench given; a[n] is the ground's and must be set.
    """
    for k in range(L.mass.shape[0]):
        p = L.parent[k]
        carry_twist(reach(o, k, p), a[p], a[k])
        for c in range(6):
            a[k, c] += bias[k, c]
        for j in range(L.v_start[k], L.v_start[k + 1]):
            for c in range(6):
                a[k, c] += P[j, c] * acceleration[j]
        multiply(J[k], a[k], w[k])
        for c in range(6):
            w[k, c] += b[k, c] - wrench[k, c]


@njit(cache=True)
def gather(L, o, P, acceleration, w, effort):  # type: ignore[no-untyped-def]
    """Inward: efforts (nv,) of the joints that hold the wrenches w (n, 6); w becomes what each joint does to its link.

    About the link's origin.
    """
    n = L.mass.shape[0]
    for k in range(n - 1, -1, -1):
        for j in range(L.v_start[k], L.v_start[k + 1]):
            effort[j] = along(P[j], w[k]) + L.armature[j] * acceleration[j]
        if L.parent[k] < n:
            carry_wrench(reach(o, k, L.parent[k]), w[k], w[L.parent[k]])


@njit(cache=True)
def moving(L, q, rates):  # type: ignore[no-untyped-def]
    """o, R, P, t, γ, J, b at a configuration and rates, the ground at rest."""
    n, nv = L.mass.shape[0], rates.shape[0]
    o, R, P = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((nv, 6))
    t, bias = np.zeros((n + 1, 6)), np.empty((n, 6))
    J, b = np.empty((n, 6, 6)), np.empty((n, 6))
    place(L, q, o, R, P)
    move(L, o, P, rates, t, bias)
    momentum(L, R, t, J, b)
    return o, R, P, t, bias, J, b


@njit(cache=True)
def forward(L, gravity, q, rates, effort, wrench):  # type: ignore[no-untyped-def]
    """Accelerations (nv,) under efforts (nv,) and wrenches (n, 6) on the links about their origins, world axes."""
    n, nv = L.mass.shape[0], rates.shape[0]
    o, _, P, _, bias, J, b = moving(L, q, rates)
    a, w = np.zeros((n + 1, 6)), np.empty((n, 6))
    U, D, rest, out = np.empty((nv, 6)), np.empty(nv), np.empty(nv), np.zeros(nv)
    a[n, :3] = -gravity
    drift(L, o, P, out, bias, J, b, wrench, a, w)
    factorise(L, o, P, J, U, D)
    hold_back(L, o, P, U, D, effort, w, rest)
    a[n] = 0.0
    spread(L, o, P, U, D, rest, out, a)
    return out


@njit(cache=True)
def inverse(L, gravity, q, rates, acceleration, wrench):  # type: ignore[no-untyped-def]
    """Efforts (nv,) for accelerations (nv,), and what each joint does to its link (n, 6), about the link's origin."""
    n = L.mass.shape[0]
    o, _, P, _, bias, J, b = moving(L, q, rates)
    a, w = np.zeros((n + 1, 6)), np.empty((n, 6))
    effort = np.empty(rates.shape[0])
    a[n, :3] = -gravity
    drift(L, o, P, acceleration, bias, J, b, wrench, a, w)
    gather(L, o, P, acceleration, w, effort)
    return effort, w


@njit(cache=True)
def composite(L, q):  # type: ignore[no-untyped-def]
    """The generalised inertia matrix (nv, nv), by the composite inertia of all that each joint carries."""
    n, nv = L.mass.shape[0], L.armature.shape[0]
    o, _, P, _, _, J, _ = moving(L, q, np.zeros(nv))
    G = np.zeros((nv, nv))
    w, onward = np.empty(6), np.empty(6)
    for k in range(n - 1, -1, -1):
        if L.parent[k] < n:
            carry_inertia(reach(o, k, L.parent[k]), J[k], J[L.parent[k]])
        for i in range(L.v_start[k], L.v_start[k + 1]):
            multiply(J[k], P[i], w)
            G[i, i] = L.armature[i]
            child = k
            while child < n:
                for j in range(L.v_start[child], L.v_start[child + 1]):
                    if j <= i or child != k:
                        s = along(P[j], w)
                        G[i, j] += s
                        if j != i:
                            G[j, i] += s
                p = L.parent[child]
                if p < n:
                    onward[:] = 0.0
                    carry_wrench(reach(o, child, p), w, onward)
                    w[:] = onward
                child = p
    return G


@njit(cache=True)
def factors(L, q):  # type: ignore[no-untyped-def]
    """o, P, U (nv, 6), D (nv,) of the generalised inertia matrix."""
    nv = L.armature.shape[0]
    o, _, P, _, _, J, _ = moving(L, q, np.zeros(nv))
    U, D = np.empty((nv, 6)), np.empty(nv)
    factorise(L, o, P, J, U, D)
    return o, P, U, D
