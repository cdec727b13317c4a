"""The recursions over a tree's links, compiled: decoupled natural orthogonal complement (Shah, Saha & Dutt, 2013).

Twists t = [v of the link's origin; ω] and wrenches w = [f; n about the origin] are in world axes. With A_kp the twist
propagation from the parent's origin to the link's, S_k the joint's motion subspace and γ_k its bias acceleration,

    t_k = A_kp t_p + S_k θ̇_k,    ṫ_k = A_kp ṫ_p + S_k θ̈_k + γ_k,    w_p gets A_kpᵀ w_k,

every algorithm is one sweep outward and one inward. A joint of several freedoms is gone through one freedom at a time:
each costs a rank-one update of a 6 × 6 matrix, and no system is ever solved. The ground is index n.
"""

from __future__ import annotations

from solver.compilation.compiled import Array1, Array2, Array3, entry, kernel
from solver.constraints.kernels import add, cross, dot, mul, out_of
from solver.denoc.model import FIXED, FREE, SINGLE, Room, Tables
from solver.denoc.spatial import (
    add_wrench,
    angular,
    apply_inertia,
    clear_row,
    column,
    dot_rows,
    inertia_to_parent,
    linear,
    offset,
    put_row,
    turn_about,
    turn_by_quaternion,
    turn_with,
)
from solver.sweeps.work import copy_rows, row


@entry
def pose_links(L: Tables, q: Array1, o: Array2, R: Array3, S: Array2) -> None:
    """Origins o (n+1, 3), axes R (n+1, 3, 3) and motion subspaces S (nv, 6) at the links' origins, world axes."""
    n, zero = L.mass.shape[0], (0.0, 0.0, 0.0)
    for i in range(3):
        o[n, i] = 0.0
        for j in range(3):
            R[n, i, j] = 1.0 if i == j else 0.0
    for k in range(n):
        p, kind, i, j = L.parent[k], L.kind[k], L.q_start[k], L.v_start[k]
        arm = out_of(R, p, row(L.point, k))
        turn_with(R, p, L.turn, k)
        if kind == SINGLE:
            axis = out_of(R, k, row(L.axis, k))
            arm = add(arm, mul(L.slide[k] * q[i], axis))
            put_row(S, j, mul(L.slide[k], axis), mul(L.spin[k], axis))
            # It turns by q itself, and q of a slide is a length.
            if L.spin[k] != 0.0:
                turn_about(R, k, L.axis, q[i])
        elif kind != FIXED:
            if kind == FREE:
                arm = add(arm, out_of(R, k, (q[i], q[i + 1], q[i + 2])))
                i += 3
            turn_by_quaternion(R, k, q, i)
            for c in range(3):
                # v and ω of a free joint are in the link's own axes, so that its motion subspace is made of the link's
                # columns.
                if kind == FREE:
                    put_row(S, j + c, column(R, k, c), zero)
                    put_row(S, j + 3 + c, zero, column(R, k, c))
                else:
                    put_row(S, j + c, zero, column(R, k, c))
        for c in range(3):
            o[k, c] = o[p, c] + arm[c]


@kernel
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


@kernel
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


@kernel
def articulated_inertias(L: Tables, E: Room, D: Array1) -> None:
    """ABA, inward: U (nv, 6) and D (nv,) of the articulated inertias, which J (n, 6, 6) becomes.

    Freedom by freedom, the last first: U_j = Î S_j, D_j = S_jᵀ U_j + armature, Î ← Î − U_j U_jᵀ / D_j.
    """
    n, S, J, U = L.mass.shape[0], E.S, E.J, E.U
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
            inertia_to_parent(offset(E.o, k, p), J, k, p, E.work)


@kernel
def aba_backward(L: Tables, E: Room, effort: Array1) -> None:
    """ABA, inward: u = τ − Sᵀp (nv,) of each freedom, with efforts τ (nv,) and the bias wrenches p = w, used up.

    Then p ← p + U D⁻¹ u, what those before it feel with this freedom moving at u / D.
    """
    n, w = L.mass.shape[0], E.w
    for k in range(n - 1, -1, -1):
        p = L.parent[k]
        for j in range(L.v_start[k + 1] - 1, L.v_start[k] - 1, -1):
            E.u[j] = effort[j] - dot_rows(E.S, j, w, k)
            s = E.u[j] / E.D[j]
            for c in range(6):
                w[k, c] += s * E.U[j, c]
        if p < n:
            add_wrench(offset(E.o, k, p), w, k, w, p)


@kernel
def aba_forward(L: Tables, E: Room, acceleration: Array1) -> None:
    """ABA, outward: θ̈ = D⁻¹(u − Uᵀa) (nv,) and the links' a (n+1, 6); a[n] is the ground's and must be set."""
    a = E.a
    for k in range(L.mass.shape[0]):
        p = L.parent[k]
        put_row(a, k, add(linear(a, p), cross(angular(a, p), offset(E.o, k, p))), angular(a, p))
        # In the order opposite to the way inward: each θ̈ needs those of the freedoms that were eliminated after it,
        # which are in a already.
        for j in range(L.v_start[k], L.v_start[k + 1]):
            acceleration[j] = (E.u[j] - dot_rows(E.U, j, a, k)) / E.D[j]
            for c in range(6):
                a[k, c] += E.S[j, c] * acceleration[j]


@kernel
def rnea_forward(L: Tables, E: Room, gravity: Array1, acceleration: Array1, wrench: Array2, w: Array2) -> None:
    """RNEA, outward: accelerations a of the links at θ̈ (nv,), and the wrenches w (n, 6) that they take.

    w = J a + b − wrench is what each link needs beyond the wrench given (n, 6). The ground accelerates against gravity
    (3,): that gives every link its weight as an inertia force.
    """
    n, a = L.mass.shape[0], E.a
    put_row(a, n, (-gravity[0], -gravity[1], -gravity[2]), (0.0, 0.0, 0.0))
    for k in range(n):
        p = L.parent[k]
        wp = angular(a, p)
        carried = add(linear(a, p), cross(wp, offset(E.o, k, p)))
        put_row(a, k, add(carried, linear(E.bias, k)), add(wp, angular(E.bias, k)))
        for j in range(L.v_start[k], L.v_start[k + 1]):
            for c in range(6):
                a[k, c] += E.S[j, c] * acceleration[j]
        apply_inertia(E.J, k, a, k, w, k)
        for c in range(6):
            w[k, c] += E.b[k, c] - wrench[k, c]


@kernel
def rnea_backward(L: Tables, E: Room, acceleration: Array1, w: Array2, effort: Array1) -> None:
    """RNEA, inward: efforts (nv,) that hold the wrenches w (n, 6); w becomes what each joint does to its link.

    About the link's origin.
    """
    n = L.mass.shape[0]
    for k in range(n - 1, -1, -1):
        p = L.parent[k]
        for j in range(L.v_start[k], L.v_start[k + 1]):
            effort[j] = dot_rows(E.S, j, w, k) + L.armature[j] * acceleration[j]
        if p < n:
            add_wrench(offset(E.o, k, p), w, k, w, p)


@entry
def move_links(L: Tables, E: Room, q: Array1, rates: Array1) -> None:
    """o, R, S, t, γ, J, b at a configuration q (nq,) and rates (nv,), the ground at rest."""
    pose_links(L, q, E.o, E.R, E.S)
    clear_row(E.t, L.mass.shape[0])
    twists_and_bias(L, E.o, E.S, rates, E.t, E.bias)
    spatial_inertias(L, E.R, E.t, E.J, E.b)


@entry
def twists_of(L: Tables, E: Room, q: Array1, rates: Array1, t: Array2) -> None:
    """Twists of the links and the ground into t (n+1, 6), at a configuration q (nq,) and rates (nv,)."""
    move_links(L, E, q, rates)
    copy_rows(E.t, t)


@entry
def aba(
    L: Tables, E: Room, gravity: Array1, q: Array1, rates: Array1, effort: Array1, wrench: Array2, acceleration: Array1
) -> None:
    """ABA: accelerations (nv,) under efforts (nv,) and wrenches (n, 6) on the links about their origins, world axes."""
    move_links(L, E, q, rates)
    rnea_forward(L, E, gravity, E.still, wrench, E.w)
    articulated_inertias(L, E, E.D)
    aba_backward(L, E, effort)
    # The wrenches w hold what gravity and the bias accelerations ask for. Outward only what θ̈ adds is left to find,
    # from a ground at rest.
    clear_row(E.a, L.mass.shape[0])
    aba_forward(L, E, acceleration)


@entry
def rnea(
    L: Tables, E: Room, gravity: Array1, q: Array1, rates: Array1, acceleration: Array1, wrench: Array2, effort: Array1,
    w: Array2,
) -> None:  # fmt: skip
    """RNEA: efforts (nv,) for accelerations (nv,); w (n, 6) what each joint does to its link, about the link's origin.

    q (nq,), rates (nv,) and the wrenches (n, 6) that act on the links are given.
    """
    move_links(L, E, q, rates)
    rnea_forward(L, E, gravity, acceleration, wrench, w)
    rnea_backward(L, E, acceleration, w, effort)


@entry
def crba(L: Tables, E: Room, q: Array1, G: Array2) -> None:
    """CRBA: the generalised inertia matrix into G (nv, nv), given as zeros, by the composite inertias of what joints
    carry."""
    n, w = L.mass.shape[0], E.w
    move_links(L, E, q, E.still)
    for k in range(n - 1, -1, -1):
        if L.parent[k] < n:
            inertia_to_parent(offset(E.o, k, L.parent[k]), E.J, k, L.parent[k], E.work)
        for i in range(L.v_start[k], L.v_start[k + 1]):
            # Each joint's wrench in its own row while it is carried inward.
            apply_inertia(E.J, k, E.S, i, w, k)
            G[i, i] = L.armature[i]
            child = k
            while child < n:
                for j in range(L.v_start[child], L.v_start[child + 1]):
                    # Freedoms of one joint meet twice, each as the other's i.
                    if j <= i or child != k:
                        s = dot_rows(E.S, j, w, child)
                        G[i, j] += s
                        if j != i:
                            G[j, i] += s
                child = _carry_inward(L, E, child)


@kernel
def _carry_inward(L: Tables, E: Room, k: int) -> int:
    """The wrench w[k] as that of the parent, in its row of w; the parent."""
    p: int = L.parent[k]
    if p < L.mass.shape[0]:
        clear_row(E.w, p)
        add_wrench(offset(E.o, k, p), E.w, k, E.w, p)
    return p


@entry
def factor_inertia(L: Tables, E: Room, q: Array1, factor: Array2, D: Array1) -> None:
    """𝒰 into factor (nv, nv), given as the identity, and D (nv,): the generalised inertia matrix is 𝒰 diag(D) 𝒰ᵀ."""
    n, w = L.mass.shape[0], E.w
    move_links(L, E, q, E.still)
    articulated_inertias(L, E, D)
    for k in range(n):
        for j in range(L.v_start[k], L.v_start[k + 1]):
            # 𝒰_ij = S_iᵀ A_kiᵀ U_j / D_j: U_j, the wrench of a unit acceleration of freedom j, carried inward to those
            # before it.
            for c in range(6):
                w[k, c] = E.U[j, c] / D[j]
            link = k
            while link < n:
                # Up to j alone: 𝒰 is unit upper triangular, and its diagonal stands there already.
                for i in range(L.v_start[link], min(j, L.v_start[link + 1])):
                    factor[i, j] = dot_rows(E.S, i, w, link)
                link = _carry_inward(L, E, link)
