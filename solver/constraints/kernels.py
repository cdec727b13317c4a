"""The algebra of the constraints, once each: g, Ĝ and c of every term, compiled by Numba.

With v̇ of all bodies set to zero, `bias` is the second derivative of a term, so that Ĝ v̇ = c has c = −bias.
Vectors are tuples of three floats: Numba keeps them in registers.
"""

from __future__ import annotations

import math

import numpy as np

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Array3, Ints1, Triple, entry, inlined, kernel
from solver.constraints.terms import CROSSED, DISTANCE, DOT, LINE, PLANE, SPIN, TURN, Terms

Frames = tuple[Array2, Array3, Array2]
"""x (n+1, 3), R (n+1, 3, 3), v (n+1, 6) with the ground behind the bodies."""
TermArrays = tuple[Ints1, Array1, Array1, Array1, Array2, Array2]
"""Which terms, and arrays for the value, rate, bias (T,) and gradients JA, JB (T, 6) of all."""
RowArrays = tuple[Ints1, Array1, Array1, Array1, Array2]
"""Which rows, and arrays for g, ġ, c (m,) of all, and their blocks (nb, 6)."""


@inlined
def dot(a: Triple, b: Triple) -> float:
    """a · b, of three numbers each."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a: Triple, b: Triple) -> Triple:
    """a × b, of three numbers each."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@inlined
def add(a: Triple, b: Triple) -> Triple:
    """a + b, of three numbers each."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@inlined
def sub(a: Triple, b: Triple) -> Triple:
    """a − b, of three numbers each."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@inlined
def mul(s: float, a: Triple) -> Triple:
    """s a, of three numbers."""
    return (s * a[0], s * a[1], s * a[2])


@inlined
def turn(R: Array2, a: Array1 | Triple) -> Triple:
    """R a, for R (3, 3) and the array a (3,)."""
    return (
        R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2],
        R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2],
        R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2],
    )


@inlined
def out_of(R: Array3, i: int, v: Triple) -> Triple:
    """R[i] v, for R (n, 3, 3) and three numbers v."""
    return (
        R[i, 0, 0] * v[0] + R[i, 0, 1] * v[1] + R[i, 0, 2] * v[2],
        R[i, 1, 0] * v[0] + R[i, 1, 1] * v[1] + R[i, 1, 2] * v[2],
        R[i, 2, 0] * v[0] + R[i, 2, 1] * v[1] + R[i, 2, 2] * v[2],
    )


@inlined
def into(R: Array3, i: int, v: Triple) -> Triple:
    """R[i]ᵀ v, for R (n, 3, 3) and three numbers v."""
    return (
        R[i, 0, 0] * v[0] + R[i, 1, 0] * v[1] + R[i, 2, 0] * v[2],
        R[i, 0, 1] * v[0] + R[i, 1, 1] * v[1] + R[i, 2, 1] * v[2],
        R[i, 0, 2] * v[0] + R[i, 1, 2] * v[1] + R[i, 2, 2] * v[2],
    )


@entry
def rotations(quaternions: Array2, R: Array3) -> None:
    """Matrices of quaternions (n, 4) of any length into R (n + 1, 3, 3); the last is the ground's."""
    n = quaternions.shape[0]
    for i in range(n):
        w, x, y, z = quaternions[i, 0], quaternions[i, 1], quaternions[i, 2], quaternions[i, 3]
        # At the stages of a step quaternions are off length 1 by the error of the stage: the matrix takes them as they
        # are.
        s = 2.0 / (w * w + x * x + y * y + z * z)
        R[i, 0, 0], R[i, 0, 1], R[i, 0, 2] = 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)
        R[i, 1, 0], R[i, 1, 1], R[i, 1, 2] = s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)
        R[i, 2, 0], R[i, 2, 1], R[i, 2, 2] = s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)
    for j in range(3):
        for k in range(3):
            R[n, j, k] = 1.0 if j == k else 0.0


@inlined
def _put(J: Array1, first: Triple, second: Triple) -> None:
    """J (6,) = [first; second]."""
    J[0], J[1], J[2], J[3], J[4], J[5] = first[0], first[1], first[2], second[0], second[1], second[2]


@inlined
def _put_reach(JA: Array1, JB: Array1, f: Triple, d: Triple, rA: Triple, rB: Triple) -> None:
    """Gradient of f·d with f fixed in A: a force f in p_B on B, and its opposite there on A."""
    _put(JA, mul(-1.0, f), cross(add(rA, d), mul(-1.0, f)))
    _put(JB, f, cross(rB, f))


@kernel
def evaluate_terms(
    T: Terms, which: Ints1, x: Array2, R: Array3, v: Array2, with_rates: bool, value: Array1, rate: Array1,
    bias: Array1, JA: Array2, JB: Array2,
) -> None:  # fmt: skip
    """The terms `which`: value, rate, bias (T,), gradients JA, JB (T, 6). x (n+1, 3), R (n+1, 3, 3), v (n+1, 6).

    Angles are principal values here. Without `with_rates`, rate and bias become 0.
    """
    for k in which:
        kind = T.kind[k]
        A, B = T.body_a[k], T.body_b[k]
        RA, RB = R[A], R[B]
        rA, rB = turn(RA, T.point_a[k]), turn(RB, T.point_b[k])
        e, t, w = turn(RA, T.first_a[k]), turn(RA, T.second_a[k]), turn(RB, T.direction_b[k])
        d = (x[B, 0] + rB[0] - x[A, 0] - rA[0], x[B, 1] + rB[1] - x[A, 1] - rA[1], x[B, 2] + rB[2] - x[A, 2] - rA[2])
        oA, oB = (v[A, 3], v[A, 4], v[A, 5]), (v[B, 3], v[B, 4], v[B, 5])
        lA, lB = cross(oA, rA), cross(oB, rB)
        d1 = (v[B, 0] + lB[0] - v[A, 0] - lA[0], v[B, 1] + lB[1] - v[A, 1] - lA[1], v[B, 2] + lB[2] - v[A, 2] - lA[2])
        # With v̇ = 0 the second derivative of an arm or direction r is ω × (ω × r): d2, e2 and w2 are all of it.
        d2 = sub(cross(oB, lB), cross(oA, lA))
        e1, w1 = cross(oA, e), cross(oB, w)
        e2, w2 = cross(oA, e1), cross(oB, w1)
        if kind == PLANE:
            _put_reach(JA[k], JB[k], e, d, rA, rB)
            value[k] = dot(e, d)
            rate[k] = dot(e1, d) + dot(e, d1)
            bias[k] = dot(e2, d) + 2 * dot(e1, d1) + dot(e, d2)
        elif kind == DOT:
            f = cross(e, w)
            _put(JA[k], (0.0, 0.0, 0.0), f)
            _put(JB[k], (0.0, 0.0, 0.0), mul(-1.0, f))
            value[k] = dot(e, w)
            rate[k] = dot(e1, w) + dot(e, w1)
            bias[k] = dot(e2, w) + 2 * dot(e1, w1) + dot(e, w2)
        elif kind == DISTANCE:
            # Two points in one place have no direction between them. The floor makes f zero there; 0/0 would spread to
            # every body, as one factor serves all rows.
            rho = math.sqrt(dot(d, d))
            f = mul(1.0 / max(rho, LEAST_DIVISOR), d)
            _put_reach(JA[k], JB[k], f, d, rA, rB)
            value[k] = rho
            rate[k] = dot(f, d1)
            # From ρ² = d·d: ρ ρ̈ + ρ̇² = ḋ·ḋ + d·d̈.
            bias[k] = dot(f, d2) + (dot(d1, d1) - rate[k] ** 2) / max(rho, LEAST_DIVISOR)
        elif kind == LINE:
            # ρ f = d − e s; f is fixed neither in A nor in B, but its own turn does no work on f·(d − e s).
            s = dot(e, d)
            m = sub(d, mul(s, e))
            rho = max(math.sqrt(dot(m, m)), LEAST_DIVISOR)
            f = mul(1.0 / rho, m)
            s1 = dot(e1, d) + dot(e, d1)
            s2 = dot(e2, d) + 2 * dot(e1, d1) + dot(e, d2)
            # A feels the opposite force at the foot of the perpendicular on its line, at the arm rA + s e.
            _put(JA[k], mul(-1.0, f), add(mul(-1.0, cross(rA, f)), mul(-s, cross(e, f))))
            _put(JB[k], f, cross(rB, f))
            value[k] = rho
            rate[k] = dot(f, d1) - s * dot(f, e1)
            # From ρ² = d·d − s²: ρ ρ̈ + ρ̇² = ḋ·ḋ + d·d̈ − ṡ² − s s̈.
            bias[k] = (dot(d1, d1) + dot(d, d2) - s1 * s1 - s * s2 - rate[k] ** 2) / rho
        elif kind == CROSSED:
            _crossed(k, e, w, d, e1, w1, d1, e2, w2, d2, rA, rB, value, rate, bias, JA, JB)
        elif kind == SPIN:
            spin = sub(oB, oA)
            _put(JA[k], (0.0, 0.0, 0.0), mul(-1.0, e))
            _put(JB[k], (0.0, 0.0, 0.0), e)
            value[k] = 0.0
            rate[k] = dot(e, spin)
            bias[k] = dot(e1, spin)
        else:
            _angle(kind == TURN, k, e, t, w, d, oA, e1, w1, d1, e2, w2, d2, rA, rB, value, rate, bias, JA, JB)
        # `assemble_rows` sums these all the same: what an earlier state left would become this one's ġ and c.
        if not with_rates:
            rate[k] = 0.0
            bias[k] = 0.0


@kernel
def _crossed(
    k: int, e: Triple, w: Triple, d: Triple, e1: Triple, w1: Triple, d1: Triple, e2: Triple, w2: Triple, d2: Triple,
    rA: Triple, rB: Triple, value: Array1, rate: Array1, bias: Array1, JA: Array2, JB: Array2,
) -> None:  # fmt: skip
    """g = (n·d)/N with n = e × w, N = ‖n‖; from g N = n·d by the product rule."""
    n = cross(e, w)
    N = max(math.sqrt(dot(n, n)), LEAST_DIVISOR)
    u = mul(1.0 / N, n)
    g = dot(u, d)
    # N δg = n·δd + (d − g u)·δn, so that δg = u·δd + h·δn with δn = (ω_A × e) × w + e × (ω_B × w).
    h = mul(1.0 / N, sub(d, mul(g, u)))
    # The turn of the direction u is all in h·δn: A's force therefore acts in A's own point, not in B's as in
    # `_put_reach`.
    _put(JA[k], mul(-1.0, u), add(mul(-1.0, cross(rA, u)), cross(e, cross(w, h))))
    _put(JB[k], u, add(cross(rB, u), cross(w, cross(h, e))))
    # Twice derived, g N = n·d gives g̈ N + 2 ġ Ṅ + g N̈ = n̈·d + 2 ṅ·ḋ + n·d̈, and N² = n·n gives N N̈ + Ṅ² = ṅ·ṅ +
    # n·n̈.
    n1 = add(cross(e1, w), cross(e, w1))
    n2 = add(add(cross(e2, w), mul(2.0, cross(e1, w1))), cross(e, w2))
    N1 = dot(u, n1)
    N2 = (dot(n1, n1) + dot(n, n2) - N1 * N1) / N
    value[k] = g
    rate[k] = dot(u, d1) + dot(h, n1)
    bias[k] = (dot(n2, d) + 2 * dot(n1, d1) + dot(n, d2) - 2 * rate[k] * N1 - g * N2) / N


@kernel
def _angle(
    towards: bool, k: int, e: Triple, t: Triple, w: Triple, d: Triple, oA: Triple, e1: Triple, w1: Triple, d1: Triple,
    e2: Triple, w2: Triple, d2: Triple, rA: Triple, rB: Triple, value: Array1, rate: Array1, bias: Array1, JA: Array2,
    JB: Array2,
) -> None:  # fmt: skip
    """atan2(y, x) with x = e·w, y = t·w (`towards` a direction) or x = e·d, y = t·d (a point)."""
    t1 = cross(oA, t)
    t2 = cross(oA, t1)
    if towards:
        z, z1, z2 = w, w1, w2
    else:
        z, z1, z2 = d, d1, d2
    X, Y = dot(e, z), dot(t, z)
    X1, Y1 = dot(e1, z) + dot(e, z1), dot(t1, z) + dot(t, z1)
    X2 = dot(e2, z) + 2 * dot(e1, z1) + dot(e, z2)
    Y2 = dot(t2, z) + 2 * dot(t1, z1) + dot(t, z2)
    # Where z lies along the axis the angle has no value: the floor makes its gradient zero there instead of 0/0.
    D = max(X * X + Y * Y, LEAST_DIVISOR)
    f = mul(1.0 / D, sub(mul(X, t), mul(Y, e)))
    if towards:
        # f is ∂α/∂z. A turn of A and B together changes nothing, so that A's moment is the opposite of B's w × f.
        moment = cross(f, w)
        _put(JA[k], (0.0, 0.0, 0.0), moment)
        _put(JB[k], (0.0, 0.0, 0.0), mul(-1.0, moment))
    else:
        _put_reach(JA[k], JB[k], f, d, rA, rB)
    value[k] = math.atan2(Y, X)
    rate[k] = (X * Y1 - Y * X1) / D
    # From D α̇ = X Ẏ − Y Ẋ with Ḋ = 2 (X Ẋ + Y Ẏ): D α̈ = X Ÿ − Y Ẍ − Ḋ α̇.
    bias[k] = (X * Y2 - Y * X2 - 2 * rate[k] * (X * X1 + Y * Y1)) / D


@kernel
def turn_rates(T: Terms, which: Ints1, R: Array3, v: Array2, rate: Array1) -> None:
    """The rates (rad/s) of the terms `which`, turns about axes, into rate (t,); R (n+1, 3, 3), v (n+1, 6)."""
    for k in which:
        A, B = T.body_a[k], T.body_b[k]
        e, t, w = turn(R[A], T.first_a[k]), turn(R[A], T.second_a[k]), turn(R[B], T.direction_b[k])
        X, Y = dot(e, w), dot(t, w)
        # The rate of `_angle` alone: without second derivatives and gradients, which no row or load asks of these
        # terms.
        moment = cross(sub(mul(X, t), mul(Y, e)), w)
        relative = (v[A, 3] - v[B, 3], v[A, 4] - v[B, 4], v[A, 5] - v[B, 5])
        rate[k] = dot(moment, relative) / max(X * X + Y * Y, LEAST_DIVISOR)


@kernel
def turn_angles(T: Terms, which: Ints1, R: Array3, angles: Array1) -> None:
    """Put the angles (na,; rad) of the terms `which`, turns about axes, where the bodies are: R (n+1, 3, 3)."""
    for k in which:
        A, B, a = T.body_a[k], T.body_b[k], T.angle[k]
        e, t, w = turn(R[A], T.first_a[k]), turn(R[A], T.second_a[k]), turn(R[B], T.direction_b[k])
        principal = math.atan2(dot(t, w), dot(e, w))
        # The integrated angle says only which turn it is; the pose says the rest, so that no error of the angle adds
        # up.
        angles[a] = principal + math.tau * np.rint((angles[a] - principal) / math.tau)


@kernel
def unwind(T: Terms, which: Ints1, value: Array1, angles: Array1) -> None:
    """Add whole turns to each angle of `which` in value (t,; rad), so that it is nearest to that of angles (na,)."""
    for k in which:
        a = T.angle[k]
        if a >= 0:
            value[k] += math.tau * np.rint((angles[a] - value[k]) / math.tau)


@kernel
def curve_at(T: Terms, c: int, q: float) -> Triple:
    """Curve c at q (rad or m): its value and its derivatives (three floats); see `solver.constraints.curves.Curve`."""
    low, high = T.curve_start[c], T.curve_start[c + 1] - 1
    base = 0.0
    if T.curve_period[c] > 0.0:
        # Rounding down, and not towards zero, keeps the rest within the period also where q is below the first break.
        turns = math.floor((q - T.curve_break[low]) / T.curve_period[c])
        q -= turns * T.curve_period[c]
        base = turns * T.curve_rise[c]
    first, last = low, high
    while last > first:
        # Rounded up: rounded down, the middle of two neighbours would be `first` again and the search would not end.
        middle = (first + last + 1) // 2
        if T.curve_break[middle] <= q:
            first = middle
        else:
            last = middle - 1
    s = q - T.curve_break[first]
    c0, c1 = T.curve_coefficient[first, 0], T.curve_coefficient[first, 1]
    c2, c3 = T.curve_coefficient[first, 2], T.curve_coefficient[first, 3]
    # Before the first break the curve goes on along its tangent. Beyond the last one it does by its own row of
    # coefficients, which has no higher terms.
    if s < 0.0:
        c2, c3 = 0.0, 0.0
    return base + c0 + s * (c1 + s * (c2 + s * c3)), c1 + s * (2 * c2 + 3 * s * c3), 2 * c2 + 6 * s * c3


@kernel
def assemble_rows(
    T: Terms, which: Ints1, value: Array1, rate: Array1, bias: Array1, JA: Array2, JB: Array2, g: Array1, gv: Array1,
    c: Array1, blocks: Array2,
) -> None:  # fmt: skip
    """The rows `which` from their terms: g, ġ = Ĝv, c (m,) and the blocks (nb, 6) of Ĝ."""
    for i in which:
        for b in range(T.row_block[i], T.row_block[i + 1]):
            for j in range(6):
                blocks[b, j] = 0.0
        total, total1, total2 = -T.constant[i], 0.0, 0.0
        for k in range(T.row_term[i], T.row_term[i + 1]):
            s = T.coefficient[k]
            if T.curve[k] < 0:
                total += s * value[k]
                total2 += s * bias[k]
            else:
                # The chain rule for f(q): f(q)¨ = f′ q̈ + f″ q̇². For the rate and the gradient the factor is f′ alone.
                f, f1, f2 = curve_at(T, T.curve[k], value[k])
                total += s * f
                total2 += s * (f1 * bias[k] + f2 * rate[k] * rate[k])
                s *= f1
            total1 += s * rate[k]
            a, b = T.slot_a[k], T.slot_b[k]
            if a >= 0:
                for j in range(6):
                    blocks[a, j] += s * JA[k, j]
            if b >= 0:
                for j in range(6):
                    blocks[b, j] += s * JB[k, j]
        g[i], gv[i], c[i] = total, total1, -total2


@entry
def rows_into(
    T: Terms, poses: Frames, angles: Array1, branches: tuple[bool, bool], terms: TermArrays, rows: RowArrays
) -> None:
    """As `evaluate_rows`, into `terms`: value, rate, bias (t,), JA, JB (t, 6); `rows`: g, ġ, c (m,), blocks (nb, 6).

    `angles` (na,; rad) hold the branches, if at all, and become those found. `branches`: with rates, with angles.
    """
    (x, R, v), (with_rates, with_angles) = poses, branches
    these, value, rate, bias, JA, JB = terms
    those, g, gv, c, blocks = rows
    evaluate_terms(T, these, x, R, v, with_rates, value, rate, bias, JA, JB)
    # Without angles of the past, as when a model is made, the principal values are the branch on which all begins.
    if with_angles:
        unwind(T, these, value, angles)
    for k in these:
        if T.angle[k] >= 0:
            angles[T.angle[k]] = value[k]
    assemble_rows(T, those, value, rate, bias, JA, JB, g, gv, c, blocks)


def evaluate_rows(
    T: Terms, positions: Array2, quaternions: Array2, velocities: Array2, with_rates: bool, angles: Array1,
    with_angles: bool,
) -> tuple[Array1, Array1, Array1, Array2, Array1]:  # fmt: skip
    """g, ġ, c (m,), blocks (nb, 6) and angles (na,) at one state."""
    poses = placed(positions, quaternions, velocities)
    terms, rows, found = terms_workspace(T), rows_workspace(T), angles.copy()
    rows_into(T, poses, found, (with_rates, with_angles), terms, rows)
    return (*rows[1:], found)


def placed(positions: Array2, quaternions: Array2, velocities: Array2) -> Frames:
    """x (n+1, 3), R (n+1, 3, 3), v (n+1, 6) with the ground behind the bodies."""
    n = len(positions)
    x, R, v = np.zeros((n + 1, 3)), np.empty((n + 1, 3, 3)), np.zeros((n + 1, 6))
    x[:n], v[:n] = positions, velocities
    rotations(np.ascontiguousarray(quaternions, dtype=float), R)
    return x, R, v


def terms_workspace(T: Terms) -> TermArrays:
    """All terms, and arrays for their value, rate, bias (T,) and gradients JA, JB (T, 6)."""
    count = len(T.kind)
    gradients = (np.zeros((count, 6)), np.zeros((count, 6)))
    return (np.arange(count), np.zeros(count), np.zeros(count), np.zeros(count), *gradients)


def rows_workspace(T: Terms) -> RowArrays:
    """All rows, and arrays for their g, ġ, c (m,) and blocks (nb, 6)."""
    m = len(T.constant)
    return np.arange(m), np.zeros(m), np.zeros(m), np.zeros(m), np.zeros((len(T.block_body), 6))
