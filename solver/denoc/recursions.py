"""The recursions over a tree's links, compiled: decoupled natural orthogonal complement (Shah, Saha & Dutt, 2013).

Twists t = [v of the link's origin; ω] and wrenches w = [f; n about the origin] are in world axes. With A_kp the twist
propagation from the parent's origin to the link's, S_k the joint's motion subspace and γ_k its bias acceleration,

    t_k = A_kp t_p + S_k θ̇_k,    ṫ_k = A_kp ṫ_p + S_k θ̈_k + γ_k,    w_p gets A_kpᵀ w_k,

every algorithm is one sweep outward and one inward. A joint of several freedoms is gone through one freedom at a time:
each costs a rank-one update of a 6 × 6 matrix, and no system is ever solved. The ground is index n.
"""

from __future__ import annotations

import math

import numpy as np

from solver.compilation.compiled import Array1, Array2, Array3, Triple
from solver.compilation.jit import njit
from solver.constraints.kernels import add, cross, dot, mul, out_of, turn
from solver.denoc.model import FIXED, FREE, SINGLE, Tables


@njit(cache=True, inline="always")
def linear_part(a: Array1) -> Triple:
    """The linear part of a twist or wrench (6,)."""
    return (a[0], a[1], a[2])


@njit(cache=True, inline="always")
def angular_part(a: Array1) -> Triple:
    """The angular part."""
    return (a[3], a[4], a[5])


@njit(cache=True, inline="always")
def put(out: Array1, linear: Triple, angular: Triple) -> None:
    """out (6,) = [linear; angular]."""
    out[0], out[1], out[2] = linear[0], linear[1], linear[2]
    out[3], out[4], out[5] = angular[0], angular[1], angular[2]


@njit(cache=True, inline="always")
def linear(a: Array2, k: int) -> Triple:
    """The linear part of a[k], for a (n, 6). Numba counts references to rows: their elements are cheaper."""
    return (a[k, 0], a[k, 1], a[k, 2])


@njit(cache=True, inline="always")
def angular(a: Array2, k: int) -> Triple:
    """The angular part of a[k]."""
    return (a[k, 3], a[k, 4], a[k, 5])


@njit(cache=True, inline="always")
def put_row(out: Array2, k: int, first: Triple, second: Triple) -> None:
    """out[k] = [first; second]."""
    out[k, 0], out[k, 1], out[k, 2] = first[0], first[1], first[2]
    out[k, 3], out[k, 4], out[k, 5] = second[0], second[1], second[2]


@njit(cache=True, inline="always")
def row(a: Array2, k: int) -> Triple:
    """a[k] (3,)."""
    return (a[k, 0], a[k, 1], a[k, 2])


@njit(cache=True, inline="always")
def column(R: Array2, j: int) -> Triple:
    """Column j of R (3, 3)."""
    return (R[0, j], R[1, j], R[2, j])


@njit(cache=True)
def product(R: Array3, p: int, turn: Array3, k: int, out: Array2) -> None:
    """out (3, 3) = R[p] turn[k]."""
    for i in range(3):
        a, b, c = R[p, i, 0], R[p, i, 1], R[p, i, 2]
        for j in range(3):
            out[i, j] = a * turn[k, 0, j] + b * turn[k, 1, j] + c * turn[k, 2, j]


@njit(cache=True)
def about_axis(W: Array2, axis: Array2, angle: float, R: Array3, k: int) -> None:
    """R[k] = W · rotation by `angle` about axis[k], Rodrigues' formula."""
    s, c = math.sin(angle), 1.0 - math.cos(angle)
    x, y, z = axis[k, 0], axis[k, 1], axis[k, 2]
    for i in range(3):
        p, q, r = W[i, 0], W[i, 1], W[i, 2]
        along = c * (p * x + q * y + r * z)
        R[k, i, 0] = p * (1.0 - c) + along * x + s * (q * z - r * y)
        R[k, i, 1] = q * (1.0 - c) + along * y + s * (r * x - p * z)
        R[k, i, 2] = r * (1.0 - c) + along * z + s * (p * y - q * x)


@njit(cache=True)
def by_quaternion(W: Array2, q: Array1, out: Array2) -> None:
    """out = W · the rotation of the quaternion q (4,) of any length."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    s = 2.0 / (w * w + x * x + y * y + z * z)
    for i in range(3):
        a, b, c = W[i, 0], W[i, 1], W[i, 2]
        out[i, 0] = a * (1 - s * (y * y + z * z)) + b * s * (x * y + w * z) + c * s * (x * z - w * y)
        out[i, 1] = a * s * (x * y - w * z) + b * (1 - s * (x * x + z * z)) + c * s * (y * z + w * x)
        out[i, 2] = a * s * (x * z + w * y) + b * s * (y * z - w * x) + c * (1 - s * (x * x + y * y))


@njit(cache=True)
def forward_kinematics(L: Tables, q: Array1, o: Array2, R: Array3, S: Array2) -> None:
    """Origins o (n+1, 3), axes R (n+1, 3, 3) and motion subspaces S (nv, 6) at the links' origins, world axes."""
    n = L.mass.shape[0]
    o[n] = 0.0
    R[n] = np.eye(3)
    W = np.empty((3, 3))
    for k in range(n):
        p, kind, i, j = L.parent[k], L.kind[k], L.q_start[k], L.v_start[k]
        arm = out_of(R, p, row(L.point, k))
        product(R, p, L.turn, k, W)
        if kind == SINGLE:
            # `about_axis` turns by q itself, and q of a slide is a length.
            if L.spin[k] != 0.0:
                about_axis(W, L.axis, q[i], R, k)
            else:
                R[k] = W
            axis = turn(W, row(L.axis, k))
            arm = add(arm, mul(L.slide[k] * q[i], axis))
            put_row(S, j, mul(L.slide[k], axis), mul(L.spin[k], axis))
        elif kind == FIXED:
            R[k] = W
        else:
            if kind == FREE:
                arm = add(arm, turn(W, q[i : i + 3]))
                i += 3
            by_quaternion(W, q[i : i + 4], R[k])
            zero = (0.0, 0.0, 0.0)
            for c in range(3):
                if kind == FREE:
                    put_row(S, j + c, column(R[k], c), zero)
                    put_row(S, j + 3 + c, zero, column(R[k], c))
                else:
                    put_row(S, j + c, zero, column(R[k], c))
        for c in range(3):
            o[k, c] = o[p, c] + arm[c]


@njit(cache=True, inline="always")
def offset(o: Array2, k: int, p: int) -> Triple:
    """From the origin of p to that of k."""
    return (o[k, 0] - o[p, 0], o[k, 1] - o[p, 1], o[k, 2] - o[p, 2])


@njit(cache=True)
def shift_twist(r: Triple, t: Array1, out: Array1) -> None:
    """out = A t: the twist of the same rigid body at a point r away."""
    put(out, add(linear_part(t), cross(angular_part(t), r)), angular_part(t))


@njit(cache=True)
def twists_and_bias(L: Tables, o: Array2, S: Array2, rates: Array1, t: Array2, bias: Array2) -> None:
    """Twists t (n+1, 6) and bias accelerations γ (n, 6); t[n] is the ground's and must be set."""
    n = L.mass.shape[0]
    for k in range(n):
        p = L.parent[k]
        r, wp = offset(o, k, p), angular(t, p)
        u, w = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for j in range(L.v_start[k], L.v_start[k + 1]):
            u, w = add(u, mul(rates[j], linear(S, j))), add(w, mul(rates[j], angular(S, j)))
        put_row(t, k, add(add(linear(t, p), cross(wp, r)), u), add(wp, w))
        # Motions fixed in the link turn with it, the axis of a single joint with the parent just as well.
        around = add(wp, w) if L.kind[k] == FREE else wp
        put_row(bias, k, add(cross(wp, add(cross(wp, r), u)), cross(around, u)), cross(wp, w))


@njit(cache=True)
def spatial_inertias(L: Tables, R: Array3, t: Array2, J: Array3, b: Array2) -> None:
    """Spatial inertia J (n, 6, 6) of each link about its origin, and the bias wrench b (n, 6) of its velocity."""
    # With d from the origin to the centre of mass: J = [m 1, −m d̃; m d̃, I + m (d·d 1 − d dᵀ)], b = [m ω × (ω × d); ω
    # × J_ωω ω].
    for k in range(L.mass.shape[0]):
        m, d = L.mass[k], out_of(R, k, row(L.com, k))
        dd = dot(d, d)
        for i in range(3):
            x, y, z = R[k, i, 0], R[k, i, 1], R[k, i, 2]
            a = x * L.inertia[k, 0, 0] + y * L.inertia[k, 1, 0] + z * L.inertia[k, 2, 0]
            e = x * L.inertia[k, 0, 1] + y * L.inertia[k, 1, 1] + z * L.inertia[k, 2, 1]
            f = x * L.inertia[k, 0, 2] + y * L.inertia[k, 1, 2] + z * L.inertia[k, 2, 2]
            for j in range(3):
                s = a * R[k, j, 0] + e * R[k, j, 1] + f * R[k, j, 2]
                J[k, 3 + i, 3 + j] = s + m * ((dd if i == j else 0.0) - d[i] * d[j])
                J[k, i, j] = m if i == j else 0.0
                J[k, i, 3 + j] = 0.0
        x, y, z = m * d[0], m * d[1], m * d[2]
        J[k, 0, 4], J[k, 0, 5], J[k, 1, 3], J[k, 1, 5], J[k, 2, 3], J[k, 2, 4] = z, -y, -z, x, y, -x
        for i in range(3):
            for j in range(3):
                J[k, 3 + j, i] = J[k, i, 3 + j]
        w = angular(t, k)
        h = (
            J[k, 3, 3] * w[0] + J[k, 3, 4] * w[1] + J[k, 3, 5] * w[2],
            J[k, 4, 3] * w[0] + J[k, 4, 4] * w[1] + J[k, 4, 5] * w[2],
            J[k, 5, 3] * w[0] + J[k, 5, 4] * w[1] + J[k, 5, 5] * w[2],
        )
        put_row(b, k, mul(m, cross(w, cross(w, d))), cross(w, h))


@njit(cache=True)
def shift_wrench(r: Triple, w: Array1, out: Array1) -> None:
    """out += Aᵀ w: the wrench on the link at a point r away, about the parent's origin."""
    f = linear_part(w)
    moment = cross(r, f)
    for c in range(3):
        out[c] += w[c]
        out[3 + c] += w[3 + c] + moment[c]


@njit(cache=True)
def wrench_to_parent(r: Triple, w: Array2, k: int, p: int) -> None:
    """w[p] += Aᵀ w[k]."""
    f = linear(w, k)
    moment = cross(r, f)
    for c in range(3):
        w[p, c] += f[c]
        w[p, 3 + c] += w[k, 3 + c] + moment[c]


@njit(cache=True)
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


@njit(cache=True)
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


@njit(cache=True)
def dot_rows(a: Array2, i: int, b: Array2, j: int) -> float:
    """a[i] · b[j] of (n, 6)."""
    s = 0.0
    for c in range(6):
        s += a[i, c] * b[j, c]
    return s


@njit(cache=True, error_model="numpy")
def articulated_inertias(L: Tables, o: Array2, S: Array2, J: Array3, U: Array2, D: Array1) -> None:
    """ABA, inward: U (nv, 6) and D (nv,) of the articulated inertias, which J (n, 6, 6) becomes.

    Freedom by freedom, the last first: U_j = Î S_j, D_j = S_jᵀ U_j + armature, Î ← Î − U_j U_jᵀ / D_j.
    """
    n, work = L.mass.shape[0], np.empty((3, 3))
    for k in range(n - 1, -1, -1):
        p = L.parent[k]
        for j in range(L.v_start[k + 1] - 1, L.v_start[k] - 1, -1):
            apply_inertia(J, k, S, j, U, j)
            D[j] = dot_rows(S, j, U, j) + L.armature[j]
            # A freedom without inertia has D = 0: by the infinities that follow `forward_dynamics` knows to refuse it.
            s = 1.0 / D[j]
            for a in range(6):
                e = s * U[j, a]
                for b in range(6):
                    J[k, a, b] -= e * U[j, b]
        if p < n:
            inertia_to_parent(offset(o, k, p), J, k, p, work)


@njit(cache=True, error_model="numpy")
def aba_backward(L: Tables, o: Array2, S: Array2, U: Array2, D: Array1, effort: Array1, w: Array2, u: Array1) -> None:
    """ABA, inward: u = τ − Sᵀp (nv,) of each freedom, with efforts τ and the bias wrenches p = w (n, 6), used up."""
    n = L.mass.shape[0]
    for k in range(n - 1, -1, -1):
        p = L.parent[k]
        for j in range(L.v_start[k + 1] - 1, L.v_start[k] - 1, -1):
            u[j] = effort[j] - dot_rows(S, j, w, k)
            s = u[j] / D[j]
            for c in range(6):
                w[k, c] += s * U[j, c]
        if p < n:
            wrench_to_parent(offset(o, k, p), w, k, p)


@njit(cache=True, error_model="numpy")
def aba_forward(
    L: Tables, o: Array2, S: Array2, U: Array2, D: Array1, u: Array1, acceleration: Array1, a: Array2
) -> None:
    """ABA, outward: θ̈ = D⁻¹(u − Uᵀa) (nv,) and the links' a (n+1, 6); a[n] is the ground's and must be set."""
    for k in range(L.mass.shape[0]):
        p = L.parent[k]
        put_row(a, k, add(linear(a, p), cross(angular(a, p), offset(o, k, p))), angular(a, p))
        for j in range(L.v_start[k], L.v_start[k + 1]):
            acceleration[j] = (u[j] - dot_rows(U, j, a, k)) / D[j]
            for c in range(6):
                a[k, c] += S[j, c] * acceleration[j]


@njit(cache=True)
def rnea_forward(
    L: Tables, o: Array2, S: Array2, acceleration: Array1, bias: Array2, J: Array3, b: Array2, wrench: Array2,
    a: Array2, w: Array2,
) -> None:  # fmt: skip
    """RNEA, outward: accelerations a (n+1, 6) of the links at θ̈, and the wrenches w (n, 6) that they take.

    w = J a + b − wrench is what each link needs beyond the wrench given; a[n] is the ground's and must be set.
    """
    for k in range(L.mass.shape[0]):
        p = L.parent[k]
        wp = angular(a, p)
        carried = add(linear(a, p), cross(wp, offset(o, k, p)))
        put_row(a, k, add(carried, linear(bias, k)), add(wp, angular(bias, k)))
        for j in range(L.v_start[k], L.v_start[k + 1]):
            for c in range(6):
                a[k, c] += S[j, c] * acceleration[j]
        apply_inertia(J, k, a, k, w, k)
        for c in range(6):
            w[k, c] += b[k, c] - wrench[k, c]


@njit(cache=True)
def rnea_backward(L: Tables, o: Array2, S: Array2, acceleration: Array1, w: Array2, effort: Array1) -> None:
    """RNEA, inward: efforts (nv,) that hold the wrenches w (n, 6); w becomes what each joint does to its link.

    About the link's origin.
    """
    n = L.mass.shape[0]
    for k in range(n - 1, -1, -1):
        for j in range(L.v_start[k], L.v_start[k + 1]):
            effort[j] = dot_rows(S, j, w, k) + L.armature[j] * acceleration[j]
        if L.parent[k] < n:
            wrench_to_parent(offset(o, k, L.parent[k]), w, k, L.parent[k])


@njit(cache=True)
def kinematics(L: Tables, q: Array1, rates: Array1) -> tuple[Array2, Array3, Array2, Array2, Array2, Array3, Array2]:
    """o, R, S, t, γ, J, b at a configuration and rates, the ground at rest."""
    n, nv = L.mass.shape[0], rates.shape[0]
    o, R, S = np.empty((n + 1, 3)), np.empty((n + 1, 3, 3)), np.empty((nv, 6))
    t, bias = np.zeros((n + 1, 6)), np.empty((n, 6))
    J, b = np.empty((n, 6, 6)), np.empty((n, 6))
    forward_kinematics(L, q, o, R, S)
    twists_and_bias(L, o, S, rates, t, bias)
    spatial_inertias(L, R, t, J, b)
    return o, R, S, t, bias, J, b


@njit(cache=True)
def aba(L: Tables, gravity: Array1, q: Array1, rates: Array1, effort: Array1, wrench: Array2) -> Array1:
    """ABA: accelerations (nv,) under efforts (nv,) and wrenches (n, 6) on the links about their origins, world axes."""
    n, nv = L.mass.shape[0], rates.shape[0]
    o, _, S, _, bias, J, b = kinematics(L, q, rates)
    a, w = np.zeros((n + 1, 6)), np.empty((n, 6))
    U, D, u, out = np.empty((nv, 6)), np.empty(nv), np.empty(nv), np.zeros(nv)
    # A ground that accelerates against gravity gives every link its weight as an inertia force.
    a[n, :3] = -gravity
    rnea_forward(L, o, S, out, bias, J, b, wrench, a, w)
    articulated_inertias(L, o, S, J, U, D)
    aba_backward(L, o, S, U, D, effort, w, u)
    # The wrenches w hold what gravity and the bias accelerations ask for. Outward only what θ̈ adds is left to find,
    # from a ground at rest.
    a[n] = 0.0
    aba_forward(L, o, S, U, D, u, out, a)
    return out


@njit(cache=True)
def rnea(
    L: Tables, gravity: Array1, q: Array1, rates: Array1, acceleration: Array1, wrench: Array2
) -> tuple[Array1, Array2]:
    """RNEA: efforts (nv,) for accelerations (nv,); what each joint does to its link (n, 6), about the link's origin."""
    n = L.mass.shape[0]
    o, _, S, _, bias, J, b = kinematics(L, q, rates)
    a, w = np.zeros((n + 1, 6)), np.empty((n, 6))
    effort = np.empty(rates.shape[0])
    a[n, :3] = -gravity
    rnea_forward(L, o, S, acceleration, bias, J, b, wrench, a, w)
    rnea_backward(L, o, S, acceleration, w, effort)
    return effort, w


@njit(cache=True)
def crba(L: Tables, q: Array1) -> Array2:
    """CRBA: the generalised inertia matrix (nv, nv), by the composite inertia of all that each joint carries."""
    n, nv = L.mass.shape[0], L.armature.shape[0]
    o, _, S, _, _, J, _ = kinematics(L, q, np.zeros(nv))
    G = np.zeros((nv, nv))
    # Each joint's wrench in its own row while it is carried inward.
    w, work = np.zeros((n, 6)), np.empty((3, 3))
    for k in range(n - 1, -1, -1):
        if L.parent[k] < n:
            inertia_to_parent(offset(o, k, L.parent[k]), J, k, L.parent[k], work)
        for i in range(L.v_start[k], L.v_start[k + 1]):
            apply_inertia(J, k, S, i, w, k)
            G[i, i] = L.armature[i]
            child = k
            while child < n:
                for j in range(L.v_start[child], L.v_start[child + 1]):
                    # Freedoms of one joint meet twice, each as the other's i.
                    if j <= i or child != k:
                        s = dot_rows(S, j, w, child)
                        G[i, j] += s
                        if j != i:
                            G[j, i] += s
                p = L.parent[child]
                if p < n:
                    w[p] = 0.0
                    wrench_to_parent(offset(o, child, p), w, child, p)
                child = p
    return G


@njit(cache=True)
def articulated_factors(L: Tables, q: Array1) -> tuple[Array2, Array2, Array2, Array1]:
    """o, S, U (nv, 6), D (nv,) of the generalised inertia matrix."""
    nv = L.armature.shape[0]
    o, _, S, _, _, J, _ = kinematics(L, q, np.zeros(nv))
    U, D = np.empty((nv, 6)), np.empty(nv)
    articulated_inertias(L, o, S, J, U, D)
    return o, S, U, D
