"""The joints of the forest: positions, motion subspaces, velocity-product accelerations, residuals and reactions."""

from __future__ import annotations

import math

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Array3, Triple, entry, kernel
from solver.constraints.kernels import add, cross, dot, into, mul, out_of, sub
from solver.constraints.terms import Terms
from solver.sweeps.forest import Forest
from solver.sweeps.work import Work, acceleration_from_parent, row, row_of, wrench_to_parent


@entry
def place_joints(
    P: Forest, x: Array2, R: Array3, shift: Array2, to_joint: Array2, S: Array3, angle_duals: Array3
) -> None:
    """Positions of the joints (n, 3), and motion subspaces S (n, 6, 6), of bodies at x (n+1, 3), R (n+1, 3, 3)."""
    ground = R.shape[0] - 1
    for k in range(P.body.shape[0]):
        i, p = P.body[k], P.base[k]
        here, there = P.point_here[k] == 1, P.first_there[k] == 1
        r = (x[i, 0] - x[p, 0], x[i, 1] - x[p, 1], x[i, 2] - x[p, 2])
        to = out_of(R, i if here else p, row(P.point, k))
        if not here:
            to = sub(to, r)
        for j in range(3):
            shift[k, j], to_joint[k, j] = r[j], to[j]
        count = 0
        for j in range(P.planes[k], 3):
            t = out_of(R, p if here else i, row_of(P.duals, k, j))
            for c in range(3):
                S[k, count, c], S[k, count, 3 + c] = t[c], 0.0
            count += 1
        first, other = (p, i) if there else (i, p)
        if P.angles[k] == 2:
            w, n = out_of(R, other, row_of(P.second, k, 0)), out_of(R, first, row_of(P.across, k, 2))
            # Two angles of one direction w leave the turn about w, and nothing else.
            _put_turn(S, k, count, w, to)
            tilt = dot(w, n)
            for c in range(3):
                angle_duals[k, 0, c], angle_duals[k, 1, c] = w[c], n[c]
            # The sine of the tilt: directions that have turned parallel hold one angle twice, and its dual is none.
            angle_duals[k, 2, 0] = 1.0 / tilt if abs(tilt) > 1e-12 else 0.0
        elif P.angles[k] == 0:
            for j in range(3):
                # A free orientation takes any three axes; those of the world need no product.
                _put_turn(S, k, count + j, row_of(R, ground, j), to)
        else:
            f0 = cross(out_of(R, first, row_of(P.first, k, 0)), out_of(R, other, row_of(P.second, k, 0)))
            if P.angles[k] == 1:
                _one_angle(S, angle_duals, k, count, f0, to)
            else:
                f1 = cross(out_of(R, first, row_of(P.first, k, 1)), out_of(R, other, row_of(P.second, k, 1)))
                f2 = cross(out_of(R, first, row_of(P.first, k, 2)), out_of(R, other, row_of(P.second, k, 2)))
                _three_angles(angle_duals, k, f0, f1, f2)


@kernel
def _put_turn(S: Array3, k: int, j: int, axis: Triple, to_joint: Triple) -> None:
    """The freedom j: a rotation about an axis through the joint's point."""
    # The centre moves by ω × (centre − joint's point) = ω × (−to) = to × ω.
    v = cross(to_joint, axis)
    for c in range(3):
        S[k, j, c], S[k, j, 3 + c] = v[c], axis[c]


@kernel
def _one_angle(S: Array3, angle_duals: Array3, k: int, count: int, f: Triple, to_joint: Triple) -> None:
    """f/f², and the two turns across it."""
    # The turns across f start from the world axis that f lies along least: a product with one almost parallel to f
    # would lose its digits. Their lengths are free, as each freedom is divided by its own D.
    least = (1.0, 0.0, 0.0)
    if abs(f[1]) < abs(f[0]) and abs(f[1]) <= abs(f[2]):
        least = (0.0, 1.0, 0.0)
    elif abs(f[2]) < abs(f[0]):
        least = (0.0, 0.0, 1.0)
    one = cross(f, least)
    _put_turn(S, k, count, one, to_joint)
    _put_turn(S, k, count + 1, cross(f, one), to_joint)
    scale = 1.0 / max(dot(f, f), LEAST_DIVISOR)
    for c in range(3):
        angle_duals[k, 0, c] = scale * f[c]


@kernel
def _three_angles(angle_duals: Array3, k: int, f0: Triple, f1: Triple, f2: Triple) -> None:
    """The duals of f."""
    d0, d1, d2 = cross(f1, f2), cross(f2, f0), cross(f0, f1)
    size = dot(f0, d0)
    # A volume of three unit vectors: in one plane they hold fewer than three turns, and have no duals.
    scale = 1.0 / size if abs(size) > 1e-12 else 0.0
    for c in range(3):
        angle_duals[k, 0, c], angle_duals[k, 1, c], angle_duals[k, 2, c] = scale * d0[c], scale * d1[c], scale * d2[c]


@entry
def particular_accelerations(P: Forest, Q: Work, R: Array3, c: Array1, out: Array2) -> None:
    """out (n, 6, by bodies): a particular solution of Ĝ v̇ = c (m,) in the rows of the joints."""
    angle_duals, to_joint, shift = Q.angle_duals, Q.to_joint, Q.shift
    for k in range(P.body.shape[0]):
        i, p = P.body[k], P.base[k]
        here, there = P.point_here[k] == 1, P.first_there[k] == 1
        y = (0.0, 0.0, 0.0)
        for j in range(P.planes[k]):
            y = add(y, mul(c[P.plane_row[k, j]], row_of(P.duals, k, j)))
        # y is how the point accelerates against the planes. Where the child has the planes and not the point, it is the
        # child that moves, the other way.
        u = out_of(R, p, y) if here else mul(-1.0, out_of(R, i, y))
        alpha = (0.0, 0.0, 0.0)
        if P.angles[k] == 2:
            # For each row (α × w)·e = c. The duals make y·e = −c, the normal's part makes y square to w, and then α = y
            # × w / w² has α × w = −y.
            first, other = mul(-c[P.angle_row[k, 0]], row_of(P.across, k, 0)), row_of(P.across, k, 1)
            y = out_of(R, p if there else i, add(first, mul(-c[P.angle_row[k, 1]], other)))
            w = row_of(angle_duals, k, 0)
            y = add(y, mul(-dot(w, y) * angle_duals[k, 2, 0], row_of(angle_duals, k, 1)))
            alpha = mul(1.0 / dot(w, w), cross(y, w))
        else:
            for j in range(P.angles[k]):
                alpha = add(alpha, mul(-c[P.angle_row[k, j]], row_of(angle_duals, k, j)))
        # α is the turn of `second`'s body against `first`'s; where the child has `first`, its own is the opposite.
        if not there:
            alpha = mul(-1.0, alpha)
        acceleration_from_parent(out, p, P.parent[k] >= 0, shift, k, out, i)
        moved = add(u, cross(row(to_joint, k), alpha))
        for j in range(3):
            out[i, j] += moved[j]
            out[i, 3 + j] += alpha[j]


@entry
def bias_accelerations(P: Forest, Q: Work, R: Array3, v: Array2, out: Array2) -> None:
    """out (n, 6, by bodies): velocity-product (bias) accelerations, Ĝ v̇ = −Ĝ̇ v in the joints' rows, v (n+1, 6).

    As `particular_accelerations`, c = −the second derivative of each row at v̇ = 0. Of a point: its acceleration seen
    from the normals' body; of a direction w as seen from E: ω_E × (ω_E × w) − 2 ω_E × (ω_W × w) + ω_W × (ω_W × w).
    """
    angle_duals, to_joint, shift = Q.angle_duals, Q.to_joint, Q.shift
    for k in range(P.body.shape[0]):
        i, p = P.body[k], P.base[k]
        u, alpha, to = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), row(to_joint, k)
        if P.planes[k] > 0:
            from_p = add(to, row(shift, k))
            if P.point_here[k] == 1:
                u = mul(-1.0, _seen(v, p, i, from_p, to))
            else:
                u = _seen(v, i, p, to, from_p)
        if P.angles[k] > 0:
            there = P.first_there[k] == 1
            first, other = (p, i) if there else (i, p)
            oE, oW = (v[first, 3], v[first, 4], v[first, 5]), (v[other, 3], v[other, 4], v[other, 5])
            if P.angles[k] == 2:
                w, n = row_of(angle_duals, k, 0), row_of(angle_duals, k, 1)
                y = _turning(oE, oW, w)
                y = add(y, mul(-dot(w, y) * angle_duals[k, 2, 0], n))
                alpha = mul(1.0 / dot(w, w), cross(y, w))
            else:
                for j in range(P.angles[k]):
                    e, w = out_of(R, first, row_of(P.first, k, j)), out_of(R, other, row_of(P.second, k, j))
                    alpha = add(alpha, mul(dot(e, _turning(oE, oW, w)), row_of(angle_duals, k, j)))
            if not there:
                alpha = mul(-1.0, alpha)
        acceleration_from_parent(out, p, P.parent[k] >= 0, shift, k, out, i)
        moved = add(u, cross(to, alpha))
        for j in range(3):
            out[i, j] += moved[j]
            out[i, 3 + j] += alpha[j]


@kernel
def _seen(v: Array2, a: int, b: int, from_a: Triple, from_b: Triple) -> Triple:
    """The acceleration at v̇ = 0 of a point of b as seen from a; the point from both bodies' centres."""
    oA, oB = (v[a, 3], v[a, 4], v[a, 5]), (v[b, 3], v[b, 4], v[b, 5])
    lA, lB = cross(oA, from_a), cross(oB, from_b)
    d = (v[b, 0] + lB[0] - v[a, 0] - lA[0], v[b, 1] + lB[1] - v[a, 1] - lA[1], v[b, 2] + lB[2] - v[a, 2] - lA[2])
    return sub(sub(cross(oB, lB), cross(oA, lA)), mul(2.0, cross(oA, d)))


@kernel
def _turning(oE: Triple, oW: Triple, w: Triple) -> Triple:
    """The second derivative at ω̇ = 0 of a direction w, fixed in W, as seen from E."""
    w1 = cross(oW, w)
    return add(cross(oW, w1), cross(oE, sub(cross(oE, w), mul(2.0, w1))))


@entry
def gaps(
    T: Terms, P: Forest, x: Array2, R: Array3, v: Array2, length: float, g: Array1, gv: Array1
) -> tuple[float, float]:
    """g and ġ (m,) of the joints' rows; the largest of each, scaled as in `solver.equations.dynamics.scaled_residuals`.

    Of a plane's row only its normal counts in the scale, not its arms: never less than that.
    """
    first, second = 0.0, 0.0
    for k in range(P.body.shape[0]):
        i, p = P.body[k], P.base[k]
        # A row of unit directions between two bodies has a gradient of √2, against the ground of 1: divided by it, both
        # count alike.
        moving = 2.0 if P.parent[k] >= 0 else 1.0
        by_plane = 1.0 / (math.sqrt(moving) * length)
        if P.planes[k] > 0:
            A, B = (p, i) if P.point_here[k] == 1 else (i, p)
            arm = out_of(R, B, row(P.point, k))
            d = (x[B, 0] + arm[0] - x[A, 0], x[B, 1] + arm[1] - x[A, 1], x[B, 2] + arm[2] - x[A, 2])
            lB, lA = cross((v[B, 3], v[B, 4], v[B, 5]), arm), cross((v[A, 3], v[A, 4], v[A, 5]), d)
            u = (
                v[B, 0] + lB[0] - v[A, 0] - lA[0],
                v[B, 1] + lB[1] - v[A, 1] - lA[1],
                v[B, 2] + lB[2] - v[A, 2] - lA[2],
            )
            d, u = into(R, A, d), into(R, A, u)
            for j in range(P.planes[k]):
                r, normal = P.plane_row[k, j], row_of(P.normals, k, j)
                g[r] = dot(normal, d) - dot(normal, row(T.point_a, T.row_term[r])) - T.constant[r]
                gv[r] = dot(normal, u)
                first, second = max(first, by_plane * abs(g[r])), max(second, by_plane * abs(gv[r]))
        E, W = (p, i) if P.first_there[k] == 1 else (i, p)
        turning = (v[W, 3] - v[E, 3], v[W, 4] - v[E, 4], v[W, 5] - v[E, 5])
        for j in range(P.angles[k]):
            r = P.angle_row[k, j]
            e, w = out_of(R, E, row_of(P.first, k, j)), out_of(R, W, row_of(P.second, k, j))
            cosine = dot(e, w)
            g[r] = cosine - T.constant[r]
            gv[r] = dot(turning, cross(w, e))
            # Along each other, directions have no gradient by their cosine: counted as at an angle of 1e-6 rad.
            by_angle = 1.0 / math.sqrt(moving * max(1.0 - cosine * cosine, 1e-12))
            first, second = max(first, by_angle * abs(g[r])), max(second, by_angle * abs(gv[r]))
    return first, second


@kernel
def reactions(P: Forest, Q: Work, R: Array3, multipliers: Array1) -> None:
    """The joints' λ into multipliers (m,), for M v̇ − f + Ĝᵀλ of the loop rows in Q.force (n, 6, by places)."""
    force, to_joint, shift, angle_duals = Q.force, Q.to_joint, Q.shift, Q.angle_duals
    for k in range(P.body.shape[0] - 1, -1, -1):
        i, p = P.body[k], P.base[k]
        here, there = P.point_here[k] == 1, P.first_there[k] == 1
        if P.parent[k] >= 0:
            wrench_to_parent(force, k, P.parent[k], shift, k)
        # Places of children are larger: all that hangs on this one has been added to its force before.
        w = row(force, k)
        if P.planes[k] > 0:
            f = into(R, p if here else i, w)
            sign = -1.0 if here else 1.0
            for j in range(P.planes[k]):
                multipliers[P.plane_row[k, j]] = sign * dot(row_of(P.duals, k, j), f)
        if P.angles[k] > 0:
            # The moment that the angles exert on the body of `second`.
            moment = sub((force[k, 3], force[k, 4], force[k, 5]), cross(row(to_joint, k), w))
            if not there:
                moment = mul(-1.0, moment)
            if P.angles[k] == 2:
                m = into(R, p if there else i, moment)
                multipliers[P.angle_row[k, 0]] = -angle_duals[k, 2, 0] * dot(m, row_of(P.first, k, 1))
                multipliers[P.angle_row[k, 1]] = angle_duals[k, 2, 0] * dot(m, row_of(P.first, k, 0))
            else:
                for j in range(P.angles[k]):
                    multipliers[P.angle_row[k, j]] = dot(moment, row_of(angle_duals, k, j))
