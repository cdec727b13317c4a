"""The saddle-point system of the equations of motion in sweeps over a forest of bodies, in absolute coordinates.

    [ M  Ĝᵀ ] [ v̇ ]   [ f ]
    [ Ĝ  −E ] [ λ ] = [ c ]

The articulated-body algorithm (Featherstone 1983; the natural orthogonal complement of Saha 1997): from the leaves to
the roots each body is eliminated along the motion subspace S of its joint (`solver.sweeps.forest`), one freedom s after
the other. With the articulated-body inertia Iᴬ (A in the code), U = Iᴬ s and D = sᵀU, the parent receives
Iᴬ − U D⁻¹ Uᵀ, and of the bias force pᴬ what is left after u = sᵀpᴬ: pᴬ − U D⁻¹ u. A row that closes a loop goes along
as its gradient C over the body that it has reached: past s it becomes C − U D⁻¹ (s·C) and adds (s·C)² D⁻¹ to its
entry of the loops' Schur complement Λ (Sathya and Carpentier 2024); where its paths meet it is eliminated by Λ + μ w, w
its entry between free bodies. The refinement λ ← λ + (Λ + μ w)⁻¹ (c − Ĝ v̇) ends at the exact accelerations, also where
rows repeat each other. A row of light bodies between heavy ones has a large w and, in some direction, only the heavy
ones' small Λ: μ is smaller there (`Forest.share`), or the refinement would not converge. The multipliers of a joint
come from the sum of all forces on the bodies beyond it. The cost is linear in the bodies for trees, and for loops that
are small.

Everything is about the centres of mass, along the world's axes: [v̇; ω̇], [force; moment].
"""

from __future__ import annotations

import numpy as np

from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Array3, Ints1, Triple, entry, inlined, kernel
from solver.constraints.kernels import cross, sub
from solver.sweeps.bodies import Bodies
from solver.sweeps.forest import Forest
from solver.sweeps.joints import place_joints
from solver.sweeps.work import Work, acceleration_from_parent, row, wrench_to_parent

MU = 1e-8
"""The shift of the pivots, of a diagonal of 1 (of row e: of its weight w): 1e-10 spoils λ by rounding, 1e-6 converges
too slowly. `solver.equations.kkt` shifts its own pivots by the same, so that both give one λ where rows repeat each
other."""
REFINEMENTS = 12
"""Rounds that take the shift back at most. Each leaves about μ over the pivot it was added to, so that two or three do;
pivots near μ itself, about a pose where rank is lost, take the rest. They end when one leaves more than half."""
_REPEATS_BELOW = 1e4
"""A row is taken to repeat others when what it adds is below so many μ: 1e-4 of its own weight, which is beyond what
refinements give back in a few rounds."""
_GIVES, _ROUNDING = 1e-2, 1e-6
"""Of the least compliance over w: a larger μ would act as compliance; and of μ, below which is rounding."""


@kernel
def _spatial_inertias(B: Bodies, R: Array3, P: Forest, A: Array2) -> None:
    """A = the spatial inertias of the bodies, world axes, with the mass added to them."""
    mass, added, inertia, more = B.mass, B.added_mass, B.inertia, B.added_inertia
    # About the centre of mass, forces and turns do not couple: entries 6 to 14 stay zero. The moments are R (J + J₊)
    # Rᵀ, of which the upper triangle suffices.
    for k in range(P.body.shape[0]):
        i = P.body[k]
        for j in range(15):
            A[k, j] = 0.0
        A[k, 0] = A[k, 3] = A[k, 5] = mass[i] + added[i]
        o = 15
        for r in range(3):
            t0, t1, t2 = 0.0, 0.0, 0.0
            for j in range(3):
                t0 += R[i, r, j] * (inertia[i, j, 0] + more[i, j, 0])
                t1 += R[i, r, j] * (inertia[i, j, 1] + more[i, j, 1])
                t2 += R[i, r, j] * (inertia[i, j, 2] + more[i, j, 2])
            for c in range(r, 3):
                A[k, o] = t0 * R[i, c, 0] + t1 * R[i, c, 1] + t2 * R[i, c, 2]
                o += 1


@kernel
def _eliminate(A: Array2, S: Array3, U: Array3, D_inverse: Array2, k: int, j: int) -> None:
    """A[k] without the freedom s = S[k, j]: A − U D⁻¹ Uᵀ with U = A s and D = sᵀU, which are kept."""
    v0, v1, v2 = S[k, j, 0], S[k, j, 1], S[k, j, 2]
    w0, w1, w2 = S[k, j, 3], S[k, j, 4], S[k, j, 5]
    a0 = A[k, 0] * v0 + A[k, 1] * v1 + A[k, 2] * v2 + A[k, 6] * w0 + A[k, 7] * w1 + A[k, 8] * w2
    a1 = A[k, 1] * v0 + A[k, 3] * v1 + A[k, 4] * v2 + A[k, 9] * w0 + A[k, 10] * w1 + A[k, 11] * w2
    a2 = A[k, 2] * v0 + A[k, 4] * v1 + A[k, 5] * v2 + A[k, 12] * w0 + A[k, 13] * w1 + A[k, 14] * w2
    b0 = A[k, 6] * v0 + A[k, 9] * v1 + A[k, 12] * v2 + A[k, 15] * w0 + A[k, 16] * w1 + A[k, 17] * w2
    b1 = A[k, 7] * v0 + A[k, 10] * v1 + A[k, 13] * v2 + A[k, 16] * w0 + A[k, 18] * w1 + A[k, 19] * w2
    b2 = A[k, 8] * v0 + A[k, 11] * v1 + A[k, 14] * v2 + A[k, 17] * w0 + A[k, 19] * w1 + A[k, 20] * w2
    size = v0 * a0 + v1 * a1 + v2 * a2 + w0 * b0 + w1 * b1 + w2 * b2
    # A freedom that moves no inertia (a joint of massless links beyond) takes part in nothing.
    g = 1.0 / size if size > LEAST_DIVISOR else 0.0
    D_inverse[k, j] = g
    U[k, j, 0], U[k, j, 1], U[k, j, 2] = a0, a1, a2
    U[k, j, 3], U[k, j, 4], U[k, j, 5] = b0, b1, b2
    add_outer(A, k, -g, (a0, a1, a2), (b0, b1, b2))


@inlined
def add_outer(A: Array2, k: int, s: float, v: Triple, w: Triple) -> None:
    """A[k] += s [v; w] [v; w]ᵀ, for A (n, 21): the upper triangles of symmetric matrices (6, 6), row by row."""
    a, b, c = s * v[0], s * v[1], s * v[2]
    A[k, 0] += a * v[0]
    A[k, 1] += a * v[1]
    A[k, 2] += a * v[2]
    A[k, 3] += b * v[1]
    A[k, 4] += b * v[2]
    A[k, 5] += c * v[2]
    A[k, 6] += a * w[0]
    A[k, 7] += a * w[1]
    A[k, 8] += a * w[2]
    A[k, 9] += b * w[0]
    A[k, 10] += b * w[1]
    A[k, 11] += b * w[2]
    A[k, 12] += c * w[0]
    A[k, 13] += c * w[1]
    A[k, 14] += c * w[2]
    a, b = s * w[0], s * w[1]
    A[k, 15] += a * w[0]
    A[k, 16] += a * w[1]
    A[k, 17] += a * w[2]
    A[k, 18] += b * w[1]
    A[k, 19] += b * w[2]
    A[k, 20] += s * w[2] * w[2]


@kernel
def _inertia_to_parent(A: Array2, k: int, p: int, shift: Array2) -> None:
    """A[p] += A[k] moved to the centre of the parent: Q' = Q − P r̃, row by row, and R' = R + r̃ Q' − Qᵀ r̃."""
    r = row(shift, k)
    for j in range(6):
        A[p, j] += A[k, j]
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


@entry
def factor(P: Forest, B: Bodies, compliance: Array1, x: Array2, R: Array3, blocks: Array2, Q: Work) -> None:
    """Fill Q for the poses x (n+1, 3), R (n+1, 3, 3), the blocks (nb, 6) of the rows and their compliance (m,)."""
    n: int = P.body.shape[0]
    loops = P.row.shape[0]
    A, S, U, D_inverse, shift = Q.inertia, Q.S, Q.U, Q.D_inverse, Q.shift
    planes, angles, parent, closed = P.planes, P.angles, P.parent, P.closed
    slot_start, passing, slot_parent, C = P.slot_start, P.passing, P.slot_parent, Q.C
    if loops > 0:
        _start_loop_rows(P, B, compliance, blocks, Q)
    _spatial_inertias(B, R, P, A)
    place_joints(P, x, R, shift, Q.to_joint, S, Q.angle_duals)
    start, column, schur = P.column_start, P.column, Q.schur
    # Children have larger places: all that hangs on a body has gone into its Iᴬ before its own freedoms are taken out.
    for k in range(n - 1, -1, -1):
        # Rows that close here go before the place's own freedoms: what they add to Iᴬ is part of U = Iᴬ s and D = sᵀU.
        _eliminate_loop_rows(P, Q, compliance, k, closed[n - 1 - k], closed[n - k])
        for j in range(6 - planes[k] - angles[k]):
            _eliminate(A, S, U, D_inverse, k, j)
            # The rows go past each freedom right after it: s·C of the next one is that of a gradient which has passed
            # this one.
            if passing[k] > 0:
                low, high = slot_start[k], slot_start[k] + passing[k]
                _project_loop_rows(start, column, P.slot_loop, Q.SC, schur, C, S, U, D_inverse, k, j, low, high)
        if parent[k] >= 0:
            _inertia_to_parent(A, k, parent[k], shift)
            for t in range(slot_start[k], slot_start[k] + passing[k]):
                wrench_to_parent(C, t, slot_parent[t], shift, k)
    _eliminate_loop_rows(P, Q, compliance, -1, closed[n], loops)


@kernel
def _start_loop_rows(P: Forest, B: Bodies, compliance: Array1, blocks: Array2, Q: Work) -> None:
    """The gradients C of the loop rows at their own bodies, their weights w between free bodies, and their shifts μ w.

    The rows of stiff springs in implicit steps have very little compliance, and no shift may be more than that.
    """
    C, weight = Q.C, Q.weight
    for i in range(Q.schur.shape[0]):
        Q.schur[i] = 0.0
    for e in range(weight.shape[0]):
        weight[e] = 0.0
    for k in range(P.body.shape[0]):
        i = P.body[k]
        # A mean moment will do for w, which only weighs: the row's exact entry would turn with the body.
        light = (B.inverse_inertia[i, 0, 0] + B.inverse_inertia[i, 1, 1] + B.inverse_inertia[i, 2, 2]) / 3
        for t in range(P.slot_start[k], P.slot_start[k + 1]):
            b = P.slot_block[t]
            s = 0.0
            for j in range(6):
                c = blocks[b, j] if b >= 0 else 0.0
                C[t, j] = c
                s += (B.inverse_mass[i] if j < 3 else light) * c * c
            weight[P.slot_loop[t]] += s
    part = 1.0
    for e in range(weight.shape[0]):
        soft = compliance[P.row[e]]
        if soft > 0.0 and weight[e] > 0.0:
            part = min(part, _GIVES * soft / (MU * weight[e]))
    part = max(part, _ROUNDING)
    for e in range(weight.shape[0]):
        Q.least[e] = MU * max(part * P.share[e], _ROUNDING) * weight[e]


@kernel
def _project_loop_rows(
    start: Ints1, column: Ints1, loop: Ints1, SC: Array2, schur: Array1, C: Array2, S: Array3, U: Array3,
    D_inverse: Array2, k: int, j: int, low: int, high: int,
) -> None:  # fmt: skip
    """Move the loop rows that pass place k past its freedom j: C − U D⁻¹ (s·C), and Λ += (s·C)² D⁻¹.

    Their numbers ascend by slot, and of any two the first has the second in its column.
    """
    g = D_inverse[k, j]
    for t in range(low, high):
        y = 0.0
        for c in range(6):
            y += S[k, j, c] * C[t, c]
        SC[t, j] = y
        y *= g
        for c in range(6):
            C[t, c] -= y * U[k, j, c]
    for t in range(low, high):
        y = SC[t, j] * g
        at = start[loop[t]]
        for other in range(t, high):
            while column[at] != loop[other]:
                at += 1
            schur[at] += y * SC[other, j]


@kernel
def _eliminate_loop_rows(P: Forest, Q: Work, compliance: Array1, k: int, first: int, last: int) -> None:
    """Eliminate the loop rows first … last − 1 where their paths meet: at place k, or at the ground (−1).

    Rows in sequence that share all later columns, as those of one joint do, change the rest together (a supernode).
    """
    start, column = P.column_start, P.column
    while first < last:
        end = first + 1
        while (
            end < last
            and column[start[end - 1] + 1] == end
            and start[end + 1] - start[end] == start[end] - start[end - 1] - 1
        ):
            end += 1
        for e in range(first, end):
            _eliminate_loop_row(P, Q, compliance[P.row[e]], k, e, end)
        _change_later_rows(start, column, Q.schur, Q.pivot, first, end)
        first = end


@kernel
def _eliminate_loop_row(P: Forest, Q: Work, soft: float, k: int, e: int, end: int) -> None:
    """Eliminate the loop row e of compliance `soft` from those up to `end`, which share its columns, and at place k."""
    start, schur, slots, C = P.column_start, Q.schur, P.column_slot, Q.C
    low, high = start[e], start[e + 1]
    least = Q.least[e]
    # Rounding can leave a pivot of a repeated row below μ; it must not fall to nothing.
    size = max(schur[low] + soft + least, 0.1 * least)
    pivot = 1.0 / size if size > LEAST_DIVISOR else 0.0
    Q.pivot[e] = pivot
    # A row's entry in the system is −(Λ + E + μ w). Eliminating it adds C Cᵀ / (Λ + …) to the inertia Iᴬ of the place,
    # and takes its share from the gradients of rows that close later.
    for i in range(e + 1, end):
        at = low + i - e
        _subtract(schur, start[i], at, high - at, schur[at] * pivot)
    if k >= 0:
        t = P.own_slot[e]
        for i in range(low + 1, high):
            share = schur[i] * pivot
            for c in range(6):
                C[slots[i], c] -= share * C[t, c]
        v = (C[t, 0], C[t, 1], C[t, 2])
        add_outer(Q.inertia, k, pivot, v, (C[t, 3], C[t, 4], C[t, 5]))


@kernel
def _change_later_rows(start: Ints1, column: Ints1, schur: Array1, pivots: Array1, first: int, end: int) -> None:
    """What the loop rows first … end − 1, which share their later columns, take from the rows of these columns."""
    count = start[end] - start[end - 1] - 1
    low = start[end] - count
    for i in range(count):
        at, j = start[column[low + i]], i
        while j < count:
            while column[at] != column[low + j]:
                at += 1
            # Columns that follow each other in both lists change as one slice.
            run = 1
            while j + run < count and column[at + run] == column[low + j + run]:
                run += 1
            for e in range(first, end):
                own = start[e + 1] - count
                _subtract(schur, at, own + j, run, schur[own + i] * pivots[e])
            at, j = at + run, j + run


@kernel
def _subtract(schur: Array1, at: int, source: int, count: int, share: float) -> None:
    """From `count` entries its `share` of as many others, in slices, which are vectorised."""
    entries, others = schur[at : at + count], schur[source : source + count]
    for i in range(count):
        entries[i] -= share * others[i]


@entry
def repeats(P: Forest, Q: Work, compliance: Array1) -> bool:
    """Whether a loop row (l,) repeats other rows, or almost does; `compliance` (m,) is that of all rows."""
    for e in range(P.row.shape[0]):
        # `pivot` is the inverse, 1/(Λ + μ w): it is above 1/size where the row adds less than that. A row with
        # compliance is never singular, whatever the others say.
        size = _REPEATS_BELOW * Q.least[e]
        if compliance[P.row[e]] == 0.0 and Q.pivot[e] * size > 1.0:
            return True
    return False


@kernel
def mark_repeats(P: Forest, Q: Work, compliance: Array1, marks: Ints1) -> None:
    """1 for each loop row (l,) that (almost) repeats others, else 0."""
    for e in range(P.row.shape[0]):
        marks[e] = 1 if compliance[P.row[e]] == 0.0 and Q.pivot[e] * _REPEATS_BELOW * Q.least[e] > 1.0 else 0


@kernel
def smallest_pivot(P: Forest, Q: Work, compliance: Array1, marks: Ints1) -> float:
    """The smallest pivot of the loop rows not in `marks` (l,), over their weights: near 0 where the rank changes."""
    smallest = np.inf
    for e in range(P.row.shape[0]):
        if marks[e] == 0 and compliance[P.row[e]] == 0.0 and Q.weight[e] > 0.0:
            smallest = min(smallest, 1.0 / (Q.pivot[e] * Q.weight[e]))
    return smallest


@kernel
def solve(P: Forest, Q: Work, gap: Array1, acceleration: Array2, multipliers: Array1) -> None:
    """v̇ (n, 6, by bodies) and the loop rows' λ (l,) for the forces in Q.force and gap (l,), c of the joints being 0.

    Destroys Q.force (n, 6, by places) and gap. From the leaves: u = sᵀpᴬ and pᴬ −= U D⁻¹ u; from the roots:
    q̈ = D⁻¹ (u − Uᵀa − (s·C)ᵀλ) and a += s q̈.
    """
    n, loops = P.body.shape[0], P.row.shape[0]
    p, u, S, U, D_inverse, shift = Q.force, Q.u, Q.S, Q.U, Q.D_inverse, Q.shift
    planes, angles, parent, closed, passing = P.planes, P.angles, P.parent, P.closed, P.passing
    slot_start, slot_loop, SC, C = P.slot_start, P.slot_loop, Q.SC, Q.C
    start, column, schur, pivot = P.column_start, P.column, Q.schur, Q.pivot
    for k in range(n - 1, -1, -1):
        # In the order of `factor`: rows that close here, then the place's freedoms, then on to the parent.
        for e in range(closed[n - 1 - k], closed[n - k]):
            share = _forward(start, column, schur, pivot, gap, e)
            for c in range(6):
                p[k, c] += share * C[P.own_slot[e], c]
        for j in range(6 - planes[k] - angles[k]):
            z = 0.0
            for c in range(6):
                z += S[k, j, c] * p[k, c]
            u[k, j] = z
            z *= D_inverse[k, j]
            for c in range(6):
                p[k, c] -= z * U[k, j, c]
            for t in range(slot_start[k], slot_start[k] + passing[k]):
                gap[slot_loop[t]] -= z * SC[t, j]
        if parent[k] >= 0:
            wrench_to_parent(p, k, parent[k], shift, k)
    for e in range(closed[n], loops):
        _forward(start, column, schur, pivot, gap, e)
    # Rows that close at the ground, which does not accelerate, need nothing from the way back and come first on it.
    for e in range(loops - 1, closed[n] - 1, -1):
        multipliers[e] = _backward(start, column, schur, pivot, gap, e, 0.0, multipliers)
    for k in range(n):
        i = P.body[k]
        acceleration_from_parent(acceleration, P.base[k], parent[k] >= 0, shift, k, acceleration, i)
        # Freedoms come back in the opposite order: each q̈ needs those that were eliminated after it.
        for j in range(5 - planes[k] - angles[k], -1, -1):
            z = u[k, j]
            for c in range(6):
                z -= U[k, j, c] * acceleration[i, c]
            for t in range(slot_start[k], slot_start[k] + passing[k]):
                z -= SC[t, j] * multipliers[slot_loop[t]]
            z *= D_inverse[k, j]
            for c in range(6):
                acceleration[i, c] += z * S[k, j, c]
        for e in range(closed[n - k] - 1, closed[n - 1 - k] - 1, -1):
            total = 0.0
            for c in range(6):
                total += C[P.own_slot[e], c] * acceleration[i, c]
            multipliers[e] = _backward(start, column, schur, pivot, gap, e, total, multipliers)


@kernel
def _forward(start: Ints1, column: Ints1, schur: Array1, pivot: Array1, gap: Array1, e: int) -> float:
    """Take loop row e out of `gap` (l,) of those after it; its part of the solution so far."""
    share: float = gap[e] * pivot[e]
    for i in range(start[e] + 1, start[e + 1]):
        gap[column[i]] -= share * schur[i]
    return share


@kernel
def _backward(
    start: Ints1, column: Ints1, schur: Array1, pivot: Array1, gap: Array1, e: int, total: float, multipliers: Array1
) -> float:
    """The multiplier of loop row e, from `total`, what the tree gives it, and those after it, which are known."""
    # The row of the system is C·a − (Λ + E + μ w) λ = gap, a and later λ being known: λ = (C·a − gap − Σ Λ λ) · pivot.
    total -= gap[e]
    for i in range(start[e] + 1, start[e + 1]):
        total -= schur[i] * multipliers[column[i]]
    total *= pivot[e]
    return total
