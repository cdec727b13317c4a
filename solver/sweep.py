"""The saddle-point system of the equations of motion in sweeps over a forest of bodies, in absolute coordinates.

    [ M  Ĝᵀ ] [ v̇ ]   [ f ]
    [ Ĝ  −E ] [ λ ] = [ c ]

From the leaves to the roots each body is eliminated along the freedoms of its joint (`solver.forest`): with the
inertia A of all that hangs on it and a freedom s, what the parent feels is A − A s sᵀA / sᵀA s (Featherstone 1983;
the natural orthogonal complement of Saha 1997). A row that closes a loop is carried along as a gradient C over
the body it has come to: passing s it becomes C − (s·C) A s / sᵀA s and adds (s·C)² / sᵀA s to its own entry of the
Schur complement D (as in Featherstone 2008, ch. 8.10, and Sathya and Carpentier 2024); where its paths meet it is eliminated
by D + μ w, w what the row would have between free bodies. The refinement λ ← λ + (D + μ w)⁻¹ (c − Ĝ v̇) ends at the
exact accelerations, also where rows repeat each other. The multipliers of joints come from the sum of all that
acts on what hangs on them. The cost is linear in the bodies for trees, and for loops that are small.

Everything is about the centres of mass, along the world's axes: [v̇; ω̇], [force; moment].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solver.constraints.kernels import add, cross, dot, mul, sub, turn

Array = NDArray[np.float64]

MU = 1e-8
"""1e-10 spoils λ by rounding, 1e-6 converges too slowly."""
REFINEMENTS = 12
_FEW = 1e4
"""A row is taken to repeat others when what it adds is below so many μ."""


class Work(NamedTuple):
    """What a factorisation leaves, by places k of the forest, slots and loop rows.

    `inertia` (n, 21): of all that hangs on a place, [mass 6; coupling 9; moments 6] of the upper triangles. `shift` x −
    x of the parent and `reach` from the body to its joint's point (n, 3). `free`, `felt` (n, 6, 6): the freedoms s and
    A s; `give` (n, 6) 1/sᵀA s. `turned` (n, 3, 3): what the joint's angles need again: f, or duals. Slots: `carried`
    C and `swept` s·C (slots, 6). `schur` the factor of D, `pivot` and `weight` (l,). `force`, `drive` (n, 6), `open`
    (l,) belong to the solution.
    """

    inertia: Array
    shift: Array
    reach: Array
    free: Array
    felt: Array
    give: Array
    turned: Array
    carried: Array
    swept: Array
    schur: Array
    pivot: Array
    weight: Array
    force: Array
    drive: Array
    open: Array


@njit(cache=True)
def workspace(P):  # type: ignore[no-untyped-def]
    """Room for the sweeps of a forest P."""
    n, slots, loops = P.body.shape[0], P.slot_loop.shape[0], P.row.shape[0]
    return Work(
        np.empty((n, 21)),
        np.empty((n, 3)),
        np.empty((n, 3)),
        np.empty((n, 6, 6)),
        np.empty((n, 6, 6)),
        np.empty((n, 6)),
        np.empty((n, 3, 3)),
        np.empty((slots, 6)),
        np.empty((slots, 6)),
        np.empty(P.column.shape[0]),
        np.empty(loops),
        np.empty(loops),
        np.empty((n, 6)),
        np.empty((n, 6)),
        np.empty(loops),
    )


@njit(cache=True)
def _symmetric(A, k, o, v):  # type: ignore[no-untyped-def]
    """The symmetric block at o of A[k] times v."""
    return (
        A[k, o] * v[0] + A[k, o + 1] * v[1] + A[k, o + 2] * v[2],
        A[k, o + 1] * v[0] + A[k, o + 3] * v[1] + A[k, o + 4] * v[2],
        A[k, o + 2] * v[0] + A[k, o + 4] * v[1] + A[k, o + 5] * v[2],
    )


@njit(cache=True)
def _times(A, k, v, w):  # type: ignore[no-untyped-def]
    """A[k] [v; w] as two vectors."""
    first = _symmetric(A, k, 0, v)
    second = _symmetric(A, k, 15, w)
    return (
        (
            first[0] + A[k, 6] * w[0] + A[k, 7] * w[1] + A[k, 8] * w[2],
            first[1] + A[k, 9] * w[0] + A[k, 10] * w[1] + A[k, 11] * w[2],
            first[2] + A[k, 12] * w[0] + A[k, 13] * w[1] + A[k, 14] * w[2],
        ),
        (
            second[0] + A[k, 6] * v[0] + A[k, 9] * v[1] + A[k, 12] * v[2],
            second[1] + A[k, 7] * v[0] + A[k, 10] * v[1] + A[k, 13] * v[2],
            second[2] + A[k, 8] * v[0] + A[k, 11] * v[1] + A[k, 14] * v[2],
        ),
    )


@njit(cache=True)
def _add_outer(A, k, s, v, w):  # type: ignore[no-untyped-def]
    """A[k] += s [v; w] [v; w]ᵀ."""
    a, b, c = s * v[0], s * v[1], s * v[2]
    A[k, 0] += a * v[0]
    A[k, 1] += a * v[1]
    A[k, 2] += a * v[2]
    A[k, 3] += b * v[1]
    A[k, 4] += b * v[2]
    A[k, 5] += c * v[2]
    for j in range(3):
        A[k, 6 + j] += a * w[j]
        A[k, 9 + j] += b * w[j]
        A[k, 12 + j] += c * w[j]
    a, b = s * w[0], s * w[1]
    A[k, 15] += a * w[0]
    A[k, 16] += a * w[1]
    A[k, 17] += a * w[2]
    A[k, 18] += b * w[1]
    A[k, 19] += b * w[2]
    A[k, 20] += s * w[2] * w[2]


@njit(cache=True)
def _hand_down(A, k, p, r):  # type: ignore[no-untyped-def]
    """A[p] += A[k] as felt at the parent, r = x of k − x of p: the columns of its coupling turn by r."""
    for j in range(6):
        A[p, j] += A[k, j]
    # Q' = Q − P r̃, row by row, and R' = R + r̃ Q' − Qᵀ r̃.
    q0 = (A[k, 6], A[k, 7], A[k, 8])
    q1 = (A[k, 9], A[k, 10], A[k, 11])
    q2 = (A[k, 12], A[k, 13], A[k, 14])
    t0 = sub(q0, cross((A[k, 0], A[k, 1], A[k, 2]), r))
    t1 = sub(q1, cross((A[k, 1], A[k, 3], A[k, 4]), r))
    t2 = sub(q2, cross((A[k, 2], A[k, 4], A[k, 5]), r))
    for j in range(3):
        A[p, 6 + j] += t0[j]
        A[p, 9 + j] += t1[j]
        A[p, 12 + j] += t2[j]
    c0 = cross((q0[0], q1[0], q2[0]), r)
    c1 = cross((q0[1], q1[1], q2[1]), r)
    c2 = cross((q0[2], q1[2], q2[2]), r)
    d0 = cross(r, (t0[0], t1[0], t2[0]))
    d1 = cross(r, (t0[1], t1[1], t2[1]))
    d2 = cross(r, (t0[2], t1[2], t2[2]))
    A[p, 15] += A[k, 15] + d0[0] - c0[0]
    A[p, 16] += A[k, 16] + d1[0] - c0[1]
    A[p, 17] += A[k, 17] + d2[0] - c0[2]
    A[p, 18] += A[k, 18] + d1[1] - c1[1]
    A[p, 19] += A[k, 19] + d2[1] - c1[2]
    A[p, 20] += A[k, 20] + d2[2] - c2[2]


@njit(cache=True)
def _own_inertia(B, i, R, A, k):  # type: ignore[no-untyped-def]
    """A[k] = the body's own, with what is lent to it."""
    mass = B.mass[i] + B.lent_mass[i]
    for j in range(15):
        A[k, j] = 0.0
    A[k, 0], A[k, 3], A[k, 5] = mass, mass, mass
    o = 15
    for r in range(3):
        t0, t1, t2 = 0.0, 0.0, 0.0
        for j in range(3):
            t0 += R[i, r, j] * (B.inertia[i, j, 0] + B.lent_inertia[i, j, 0])
            t1 += R[i, r, j] * (B.inertia[i, j, 1] + B.lent_inertia[i, j, 1])
            t2 += R[i, r, j] * (B.inertia[i, j, 2] + B.lent_inertia[i, j, 2])
        for c in range(r, 3):
            A[k, o] = t0 * R[i, c, 0] + t1 * R[i, c, 1] + t2 * R[i, c, 2]
            o += 1


@njit(cache=True)
def _joint(P, Q, k, x, R):  # type: ignore[no-untyped-def]
    """Where the joint of place k is, and its freedoms s."""
    i, p = P.body[k], P.base[k]
    here = P.point_here[k] == 1
    r = (x[i, 0] - x[p, 0], x[i, 1] - x[p, 1], x[i, 2] - x[p, 2])
    arm = turn(R[i] if here else R[p], P.point[k])
    reach = arm if here else sub(arm, r)
    for j in range(3):
        Q.shift[k, j], Q.reach[k, j] = r[j], reach[j]
    count = 0
    holder = R[p] if here else R[i]
    for j in range(P.planes[k], 3):
        t = turn(holder, P.duals[k, j])
        for c in range(3):
            Q.free[k, count, c], Q.free[k, count, 3 + c] = t[c], 0.0
        count += 1
    there = P.first_there[k] == 1
    E, other = (R[p], R[i]) if there else (R[i], R[p])
    held = P.angles[k]
    if held == 2:
        w = turn(other, P.second[k, 0])
        n = turn(E, P.across[k, 2])
        tilt = dot(w, n)
        _put_turn(Q, k, count, w, reach)
        for c in range(3):
            Q.turned[k, 0, c], Q.turned[k, 1, c] = w[c], n[c]
        Q.turned[k, 2, 0] = 1.0 / tilt if abs(tilt) > 1e-12 else 0.0
    elif held == 0:
        for j in range(3):
            _put_turn(Q, k, count + j, R[R.shape[0] - 1, j], reach)
    else:
        _other_angles(P, Q, k, E, other, held, count, reach)


@njit(cache=True)
def _put_turn(Q, k, j, axis, reach):  # type: ignore[no-untyped-def]
    """The freedom j: a turn about an axis through the joint's point."""
    v = cross(reach, axis)
    for c in range(3):
        Q.free[k, j, c], Q.free[k, j, 3 + c] = v[c], axis[c]


@njit(cache=True)
def _other_angles(P, Q, k, E, other, held, count, reach):  # type: ignore[no-untyped-def]
    """One angle: f/f² and the two turns across it; three: the duals of f."""
    f0 = cross(turn(E, P.first[k, 0]), turn(other, P.second[k, 0]))
    if held == 1:
        f = mul(1.0 / max(dot(f0, f0), 1e-300), f0)
        least = (1.0, 0.0, 0.0)
        if abs(f0[1]) < abs(f0[0]) and abs(f0[1]) <= abs(f0[2]):
            least = (0.0, 1.0, 0.0)
        elif abs(f0[2]) < abs(f0[0]):
            least = (0.0, 0.0, 1.0)
        one = cross(f0, least)
        _put_turn(Q, k, count, one, reach)
        _put_turn(Q, k, count + 1, cross(f0, one), reach)
        for c in range(3):
            Q.turned[k, 0, c] = f[c]
        return
    f1 = cross(turn(E, P.first[k, 1]), turn(other, P.second[k, 1]))
    f2 = cross(turn(E, P.first[k, 2]), turn(other, P.second[k, 2]))
    d0, d1, d2 = cross(f1, f2), cross(f2, f0), cross(f0, f1)
    size = dot(f0, d0)
    scale = 1.0 / size if abs(size) > 1e-12 else 0.0
    for c in range(3):
        Q.turned[k, 0, c], Q.turned[k, 1, c], Q.turned[k, 2, c] = scale * d0[c], scale * d1[c], scale * d2[c]


@njit(cache=True)
def factor(P, B, compliance, x, R, blocks, Q):  # type: ignore[no-untyped-def]
    """Fill Q for the poses x (n+1, 3), R (n+1, 3, 3), the blocks (nb, 6) of the rows and their compliance (m,)."""
    n = P.body.shape[0]
    _begin_loops(P, B, blocks, Q)
    for k in range(n):
        _own_inertia(B, P.body[k], R, Q.inertia, k)
        _joint(P, Q, k, x, R)
    A = Q.inertia
    for k in range(n - 1, -1, -1):
        for e in range(P.closed[n - 1 - k], P.closed[n - k]):
            _close(P, Q, compliance, k, e)
        low = P.slot_start[k]
        passing = P.passing[k]
        for j in range(6 - P.planes[k] - P.angles[k]):
            s = Q.free[k, j]
            v, w = (s[0], s[1], s[2]), (s[3], s[4], s[5])
            uv, uw = _times(A, k, v, w)
            size = dot(v, uv) + dot(w, uw)
            give = 1.0 / size if size > 1e-300 else 0.0
            Q.give[k, j] = give
            _put(Q.felt[k, j], uv, uw)
            _add_outer(A, k, -give, uv, uw)
            if passing > 0:
                _pass(P, Q, k, j, low, passing, give)
        if P.parent[k] >= 0:
            r = (Q.shift[k, 0], Q.shift[k, 1], Q.shift[k, 2])
            _hand_down(A, k, P.parent[k], r)
            for t in range(low, low + passing):
                _hand_on(Q.carried, t, P.slot_parent[t], r)
    for e in range(P.closed[n], P.row.shape[0]):
        _close(P, Q, compliance, -1, e)


@njit(cache=True)
def _put(out, v, w):  # type: ignore[no-untyped-def]
    out[0], out[1], out[2], out[3], out[4], out[5] = v[0], v[1], v[2], w[0], w[1], w[2]


@njit(cache=True)
def _begin_loops(P, B, blocks, Q):  # type: ignore[no-untyped-def]
    """Each row that closes a loop at its own bodies, and what it would be between free bodies."""
    Q.schur[:] = 0.0
    Q.weight[:] = 0.0
    for k in range(P.body.shape[0]):
        i = P.body[k]
        for t in range(P.slot_start[k], P.slot_start[k + 1]):
            b = P.slot_block[t]
            if b < 0:
                Q.carried[t] = 0.0
                continue
            light = (B.inverse_inertia[i, 0, 0] + B.inverse_inertia[i, 1, 1] + B.inverse_inertia[i, 2, 2]) / 3
            s = 0.0
            for j in range(3):
                s += B.inverse_mass[i] * blocks[b, j] ** 2 + light * blocks[b, 3 + j] ** 2
            for j in range(6):
                Q.carried[t, j] = blocks[b, j]
            Q.weight[P.slot_loop[t]] += s


@njit(cache=True)
def _pass(P, Q, k, j, low, passing, give):  # type: ignore[no-untyped-def]
    """Carry the rows that pass place k over its freedom j."""
    s, u = Q.free[k, j], Q.felt[k, j]
    pair = P.pair_start[k]
    for t in range(low, low + passing):
        y = 0.0
        for c in range(6):
            y += s[c] * Q.carried[t, c]
        Q.swept[t, j] = y
        y *= give
        for c in range(6):
            Q.carried[t, c] -= y * u[c]
        for other in range(low, t + 1):
            Q.schur[P.pair_target[pair]] += y * Q.swept[other, j]
            pair += 1


@njit(cache=True)
def _hand_on(C, here, there, r):  # type: ignore[no-untyped-def]
    """C[there] += C[here] as felt by the parent's body."""
    c = C[here]
    turned = cross(r, c)
    for j in range(3):
        C[there, j] += c[j]
        C[there, 3 + j] += c[3 + j] + turned[j]


@njit(cache=True)
def _close(P, Q, compliance, k, e):  # type: ignore[no-untyped-def]
    """Eliminate the loop row e where its paths meet: at place k, or at the ground (−1)."""
    low, high = P.column_start[e], P.column_start[e + 1]
    least = MU * Q.weight[e]
    # Rounding can leave a pivot of a repeated row below μ; it must not fall to nothing.
    size = max(Q.schur[low] + compliance[P.row[e]] + least, 0.1 * least)
    pivot = 1.0 / size if size > 1e-300 else 0.0
    Q.pivot[e] = pivot
    target = P.update_start[e]
    for i in range(low + 1, high):
        share = Q.schur[i] * pivot
        for j in range(low + 1, i + 1):
            Q.schur[P.update_target[target]] -= share * Q.schur[j]
            target += 1
    if k >= 0:
        own = Q.carried[P.own_slot[e]]
        for i in range(low + 1, high):
            share = Q.schur[i] * pivot
            for c in range(6):
                Q.carried[P.column_slot[i], c] -= share * own[c]
        _add_outer(Q.inertia, k, pivot, own[:3], own[3:])


@njit(cache=True)
def repeats(P, Q, compliance):  # type: ignore[no-untyped-def]
    """Whether some row that closes a loop says (almost) what others say."""
    for e in range(P.row.shape[0]):
        if compliance[P.row[e]] == 0.0 and Q.pivot[e] * _FEW * MU * Q.weight[e] > 1.0:
            return True
    return False


@njit(cache=True)
def solve(P, Q, force, gap, acceleration, multipliers):  # type: ignore[no-untyped-def]
    """v̇ (n, 6, by bodies) and the loop rows' λ (l,) for force (n, 6) and gap (l,), c of the joints being 0."""
    n = P.body.shape[0]
    Q.open[:] = gap
    for k in range(n):
        for j in range(6):
            Q.force[k, j] = force[P.body[k], j]
    for k in range(n - 1, -1, -1):
        p = Q.force[k]
        for e in range(P.closed[n - 1 - k], P.closed[n - k]):
            share = _forward(P, Q, e)
            for c in range(6):
                p[c] += share * Q.carried[P.own_slot[e], c]
        low, passing = P.slot_start[k], P.passing[k]
        for j in range(6 - P.planes[k] - P.angles[k]):
            s, u = Q.free[k, j], Q.felt[k, j]
            z = s[0] * p[0] + s[1] * p[1] + s[2] * p[2] + s[3] * p[3] + s[4] * p[4] + s[5] * p[5]
            Q.drive[k, j] = z
            z *= Q.give[k, j]
            for c in range(6):
                p[c] -= z * u[c]
            for t in range(low, low + passing):
                Q.open[P.slot_loop[t]] -= z * Q.swept[t, j]
        if P.parent[k] >= 0:
            _hand_on(Q.force, k, P.parent[k], Q.shift[k])
    loops = P.row.shape[0]
    for e in range(P.closed[n], loops):
        _forward(P, Q, e)
    for e in range(loops - 1, P.closed[n] - 1, -1):
        multipliers[e] = _backward(P, Q, e, 0.0, multipliers)
    for k in range(n):
        _outward(P, Q, k, acceleration, multipliers)


@njit(cache=True)
def _forward(P, Q, e):  # type: ignore[no-untyped-def]
    low = P.column_start[e]
    share = Q.open[e] * Q.pivot[e]
    for i in range(low + 1, P.column_start[e + 1]):
        Q.open[P.column[i]] -= share * Q.schur[i]
    return share


@njit(cache=True)
def _backward(P, Q, e, total, multipliers):  # type: ignore[no-untyped-def]
    low = P.column_start[e]
    total -= Q.open[e]
    for i in range(low + 1, P.column_start[e + 1]):
        total -= Q.schur[i] * multipliers[P.column[i]]
    return total * Q.pivot[e]


@njit(cache=True)
def _outward(P, Q, k, acceleration, multipliers):  # type: ignore[no-untyped-def]
    """The acceleration of place k from its parent's, and the rows that close at it."""
    n = P.body.shape[0]
    a = acceleration[P.body[k]]
    if P.parent[k] >= 0:
        from_parent(acceleration[P.base[k]], Q.shift[k], a)
    else:
        a[:] = 0.0
    low, passing = P.slot_start[k], P.passing[k]
    for j in range(5 - P.planes[k] - P.angles[k], -1, -1):
        s, u = Q.free[k, j], Q.felt[k, j]
        z = Q.drive[k, j] - (u[0] * a[0] + u[1] * a[1] + u[2] * a[2] + u[3] * a[3] + u[4] * a[4] + u[5] * a[5])
        for t in range(low, low + passing):
            z -= Q.swept[t, j] * multipliers[P.slot_loop[t]]
        z *= Q.give[k, j]
        for c in range(6):
            a[c] += z * s[c]
    for e in range(P.closed[n - k] - 1, P.closed[n - 1 - k] - 1, -1):
        own = Q.carried[P.own_slot[e]]
        total = 0.0
        for c in range(6):
            total += own[c] * a[c]
        multipliers[e] = _backward(P, Q, e, total, multipliers)


@njit(cache=True)
def from_parent(a, r, out):  # type: ignore[no-untyped-def]
    """out (6,) = the parent's acceleration a where the body is, r from the parent."""
    w = cross(a[3:], r)
    for j in range(3):
        out[j] = a[j] + w[j]
        out[3 + j] = a[3 + j]


@njit(cache=True)
def lift(P, Q, R, c, out):  # type: ignore[no-untyped-def]
    """out (n, 6, by bodies): some accelerations with Ĝ v̇ = c (m,) in the rows of the joints."""
    for k in range(P.body.shape[0]):
        i, p = P.body[k], P.base[k]
        here, there = P.point_here[k] == 1, P.first_there[k] == 1
        y = (0.0, 0.0, 0.0)
        for j in range(P.planes[k]):
            y = add(y, mul(c[P.plane_row[k, j]], (P.duals[k, j, 0], P.duals[k, j, 1], P.duals[k, j, 2])))
        u = turn(R[p], y) if here else mul(-1.0, turn(R[i], y))
        alpha = (0.0, 0.0, 0.0)
        if P.angles[k] == 2:
            y = add(mul(-c[P.angle_row[k, 0]], P.across[k, 0]), mul(-c[P.angle_row[k, 1]], P.across[k, 1]))
            y = turn(R[p] if there else R[i], y)
            w, n = Q.turned[k, 0], Q.turned[k, 1]
            y = add(y, mul(-dot(w, y) * Q.turned[k, 2, 0], n))
            alpha = mul(1.0 / dot(w, w), cross(y, w))
        else:
            for j in range(P.angles[k]):
                alpha = add(alpha, mul(-c[P.angle_row[k, j]], Q.turned[k, j]))
        if not there:
            alpha = mul(-1.0, alpha)
        a = out[i]
        if P.parent[k] >= 0:
            from_parent(out[p], Q.shift[k], a)
        else:
            a[:] = 0.0
        moved = add(u, cross(Q.reach[k], alpha))
        for j in range(3):
            a[j] += moved[j]
            a[3 + j] += alpha[j]


@njit(cache=True)
def reactions(P, Q, R, surplus, multipliers):  # type: ignore[no-untyped-def]
    """The joints' λ into multipliers (m,), for surplus (n, 6, by bodies) = M v̇ − f + Ĝᵀλ of the loop rows."""
    n = P.body.shape[0]
    for k in range(n):
        for j in range(6):
            Q.force[k, j] = surplus[P.body[k], j]
    for k in range(n - 1, -1, -1):
        i, p = P.body[k], P.base[k]
        here, there = P.point_here[k] == 1, P.first_there[k] == 1
        w = Q.force[k]
        if P.parent[k] >= 0:
            _hand_on(Q.force, k, P.parent[k], Q.shift[k])
        if P.planes[k] > 0:
            f = turn((R[p] if here else R[i]).T, w)
            sign = -1.0 if here else 1.0
            for j in range(P.planes[k]):
                multipliers[P.plane_row[k, j]] = sign * dot(P.duals[k, j], f)
        if P.angles[k] > 0:
            moment = sub((w[3], w[4], w[5]), cross(Q.reach[k], w))
            _angle_multipliers(P, Q, k, R[p] if there else R[i], moment if there else mul(-1.0, moment), multipliers)


@njit(cache=True)
def _angle_multipliers(P, Q, k, E, moment, multipliers):  # type: ignore[no-untyped-def]
    """λ of the angles, for the moment that they exert on the body of `second`."""
    if P.angles[k] == 2:
        m = turn(E.T, moment)
        scale = Q.turned[k, 2, 0]
        multipliers[P.angle_row[k, 0]] = -scale * dot(m, P.first[k, 1])
        multipliers[P.angle_row[k, 1]] = scale * dot(m, P.first[k, 0])
    else:
        for j in range(P.angles[k]):
            multipliers[P.angle_row[k, j]] = dot(moment, Q.turned[k, j])
