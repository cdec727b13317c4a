"""The two steps of the inverse dynamics of a geared robot, compiled; linear in the number of links.

World axes throughout; n links and the base behind them, as index n. Wrenches are [force; moment].
"""

from __future__ import annotations

import math
from typing import NamedTuple

from solver.compilation.compiled import (
    Array1,
    Array2,
    Array3,
    Ints1,
    Ints2,
    entry,
    kernel,
    table,
    zeros,
)
from solver.constraints.kernels import add, cross, dot, into, mul, out_of, sub
from solver.geared.blocks import Blocks, substitute
from solver.sweeps.work import copy_rows, row


@table
class Links(NamedTuple):
    """Links in their body frames C (origin in the centre of mass). Parents have n for the base.

    `order` has parents first. Link i turns about `axis` (in the frame of its canonical parent) through `at_parent`
    there, which is `at_link` in its own frame, where `own_axis` is its axis; `start` (n, 3, 3) is its orientation
    in the canonical parent's frame as designed. The pair as designed stands in the same point, on `parent`.
    `share_link`, `share` (n, 2): the pair's turn is Σ share · canonical angle (n: nothing).
    """

    order: Ints1
    canonical: Ints1
    parent: Ints1
    axis: Array2
    at_parent: Array2
    at_link: Array2
    start: Array3
    own_axis: Array2
    mass: Array1
    inertia: Array3
    share_link: Ints2
    share: Array2


@table
class Meshes(NamedTuple):
    """Meshes in the frames of their carriers: contact points (h, 3) and the driver's local frames (h, 3, 3).

    `radial`, `axial` (h,): what a unit transmitted force pushes the driver along x and z (eq. 21).
    Entries `moment` of link `moment_link` in `moment_start[g]:moment_start[g + 1]`.
    """

    driver: Ints1
    driven: Ints1
    carrier: Ints1
    contact: Array2
    frame: Array3
    radial: Array1
    axial: Array1
    moment_start: Ints1
    moment_link: Ints1
    moment: Array1


@table
class Motion(NamedTuple):
    """Workspace for one sample of n links, world axes; the base is index n.

    Places x, angular velocities w, accelerations a and `alpha` (n+1, 3), orientations R (n+1, 3, 3). `wrench` (n, 6) is
    what links ask for, `total` (n+1, 6) with all that they carry; `right`, `solved` of the balances and `torque` about
    the hinges (n,).
    """

    x: Array2
    R: Array3
    w: Array2
    a: Array2
    alpha: Array2
    wrench: Array2
    total: Array2
    right: Array1
    solved: Array1
    torque: Array1


def motion(n: int) -> Motion:
    """The workspace for n links."""
    each = (n + 1, 3)
    return Motion(*zeros(each, (n + 1, 3, 3), each, each, each, (n, 6), (n + 1, 6), n, n, n))


@kernel
def _turn(L: Links, i: int, angle: float, R: Array3) -> None:
    """R[i] = R[canonical parent] Rot(axis, angle) start, of R (n+1, 3, 3)."""
    p, u, c, s = L.canonical[i], row(L.axis, i), math.cos(angle), math.sin(angle)
    for k in range(3):
        v = (L.start[i, 0, k], L.start[i, 1, k], L.start[i, 2, k])
        turned = add(add(mul(c, v), mul(s, cross(u, v))), mul((1 - c) * dot(u, v), u))
        R[i, 0, k], R[i, 1, k], R[i, 2, k] = out_of(R, p, turned)


@entry
def secondary(M: Meshes, rates: Blocks, place: Ints1, right: Array1, found: Array1, values: Array2) -> None:
    """Fill the secondary links' entries of values (k, n) from those of the primary ones, by the gear pairs' equations.

    `place[i]` is a link's place among the unknowns of `rates`, −1 for a primary one; right and found (h,) are for work.
    """
    for s in range(values.shape[0]):
        for g in range(M.driver.shape[0]):
            right[g] = 0.0
            for k in range(M.moment_start[g], M.moment_start[g + 1]):
                if place[M.moment_link[k]] < 0:
                    right[g] -= M.moment[k] * values[s, M.moment_link[k]]
        substitute(rates, right, found)
        for i in range(place.shape[0]):
            if place[i] >= 0:
                values[s, i] = found[place[i]]


@kernel
def move(L: Links, s: int, q: Array2, qd: Array2, qdd: Array2, gravity: Array1, E: Motion) -> None:
    """Poses, angular velocities and accelerations of all links from their canonical angles: eqs. (2)-(5), (10), (11).

    The angles are row s of q, qd, qdd (k, n). The base is accelerated against gravity, so that `a` is what acts on a
    mass. Eq. (10) is completed by its derivative, α_j = α_i + q̈ z + ω_i × q̇ z, and links move with the angle they
    really have, balanced or not.
    """
    n, x, R, w, a, alpha = L.order.shape[0], E.x, E.R, E.w, E.a, E.alpha
    for k in range(3):
        x[n, k], w[n, k], alpha[n, k] = 0.0, 0.0, 0.0
        a[n, k] = -gravity[k]
        for j in range(3):
            R[n, j, k] = 1.0 if j == k else 0.0
    for i in L.order:
        p = L.canonical[i]
        _turn(L, i, q[s, i], R)
        u = out_of(R, p, row(L.axis, i))
        wp, ap = row(w, p), row(alpha, p)
        wi = add(wp, mul(qd[s, i], u))
        ai = add(ap, add(mul(qdd[s, i], u), mul(qd[s, i], cross(wp, u))))
        # By way of the hinge's point P, which both links have: a_P by the parent's ω and α, from there to the centre by
        # the link's own.
        out, back = out_of(R, p, row(L.at_parent, i)), mul(-1.0, out_of(R, i, row(L.at_link, i)))
        xi = add(row(x, p), add(out, back))
        first = add(cross(ap, out), cross(wp, cross(wp, out)))
        second = add(cross(ai, back), cross(wi, cross(wi, back)))
        acc = add(row(a, p), add(first, second))
        for k in range(3):
            x[i, k], w[i, k], a[i, k], alpha[i, k] = xi[k], wi[k], acc[k], ai[k]


@kernel
def required(L: Links, E: Motion, external: Array2) -> None:
    """What must act on each link in its centre beside hinges and teeth: eqs. (15), (16), less the external (n, 6)."""
    R, wrench = E.R, E.wrench
    for i in range(L.order.shape[0]):
        # I α as R (I (Rᵀ α)): three products with a vector, where R I Rᵀ takes two of matrices.
        moment = out_of(R, i, out_of(L.inertia, i, into(R, i, row(E.alpha, i))))
        w = row(E.w, i)
        gyro = cross(w, out_of(R, i, out_of(L.inertia, i, into(R, i, w))))
        for k in range(3):
            wrench[i, k] = L.mass[i] * E.a[i, k] - external[i, k]
            wrench[i, 3 + k] = moment[k] + gyro[k] - external[i, 3 + k]


@kernel
def effective(L: Links, E: Motion) -> None:
    """The moment about each link's axis that it and all it carries in the canonical graph ask for: right (n,)."""
    n, x, R, total = L.order.shape[0], E.x, E.R, E.total
    for j in range(6):
        total[n, j] = 0.0
    copy_rows(E.wrench, total)
    for k in range(n - 1, -1, -1):
        i = L.order[k]
        p = L.canonical[i]
        # Parents come first in `order`: all that hangs on this link has been added to it.
        f, m = (total[i, 0], total[i, 1], total[i, 2]), (total[i, 3], total[i, 4], total[i, 5])
        arm = mul(-1.0, out_of(R, i, row(L.at_link, i)))
        E.right[i] = dot(out_of(R, p, row(L.axis, i)), add(m, cross(arm, f)))
        m = add(m, cross(sub(row(x, i), row(x, p)), f))
        for j in range(3):
            total[p, j] += f[j]
            total[p, 3 + j] += m[j]


@kernel
def tooth_forces(
    M: Meshes, E: Motion, transmitted: Array1, local: Array2, carried: Array2, on_driver: Array2, on_driven: Array2
) -> None:
    """Contact forces on the drivers, eq. (21), of the transmitted forces (h,); take them off what links ask for.

    Each (h, 3): `local` in local frames, `carried` in the carriers'; `on_driver` and `on_driven` are what the two links
    get, the opposite in the same point, in their own frames.
    """
    x, R, wrench = E.x, E.R, E.wrench
    for g in range(M.driver.shape[0]):
        t, c = transmitted[g], M.carrier[g]
        # Radial and axial parts meet or follow both wheels' axes: they have no moment about them, so that the t of the
        # balances holds whatever the pressure angle. They point the same way whichever flank bears, hence |t|.
        local[g, 0], local[g, 1], local[g, 2] = M.radial[g] * abs(t), t, M.axial[g] * abs(t)
        in_carrier = out_of(M.frame, g, row(local, g))
        carried[g, 0], carried[g, 1], carried[g, 2] = in_carrier
        point = add(row(x, c), out_of(R, c, row(M.contact, g)))
        f = out_of(R, c, in_carrier)
        for link, sign, out in ((M.driver[g], 1.0, on_driver), (M.driven[g], -1.0, on_driven)):
            got = mul(sign, f)
            out[g, 0], out[g, 1], out[g, 2] = into(R, link, got)
            if link < wrench.shape[0]:
                m = cross(sub(point, row(x, link)), got)
                for k in range(3):
                    wrench[link, k] -= got[k]
                    wrench[link, 3 + k] -= m[k]


@kernel
def bearings(L: Links, E: Motion, reaction: Array2, left: Array1) -> None:
    """What each parent's bearing does to its link, in the link's axes about the hinge's point (n, 6), link by link.

    Balance eqs. (30)-(33) on the hinges as designed. `torque` (n,) are those about the hinges that are no bearing's
    (actuators, friction); they must make up the moment about the axis, and `left` (n,) is what is left of it.
    """
    x, R, torque, wrench = E.x, E.R, E.torque, E.wrench
    for k in range(L.order.shape[0] - 1, -1, -1):
        i = L.order[k]
        p = L.parent[i]
        f = (wrench[i, 0], wrench[i, 1], wrench[i, 2])
        m = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
        if p < wrench.shape[0]:
            moved = add(m, cross(sub(row(x, i), row(x, p)), f))
            for j in range(3):
                wrench[p, j] += f[j]
                wrench[p, 3 + j] += moved[j]
        at_hinge = sub(m, cross(out_of(R, i, row(L.at_link, i)), f))
        force, moment = into(R, i, f), into(R, i, at_hinge)
        u = row(L.own_axis, i)
        left[i] = dot(u, moment) - torque[i]
        # The torque alone comes off, not all there is about the axis: what is left stays visible as a moment that no
        # hinge bears.
        moment = sub(moment, mul(torque[i], u))
        for j in range(3):
            reaction[i, j], reaction[i, 3 + j] = force[j], moment[j]


@entry
def two_steps(
    L: Links, M: Meshes, balance: Blocks, E: Motion, inputs: Ints1, gravity: Array1, q: Array2, qd: Array2, qdd: Array2,
    resist: Array2, external: Array3, out: tuple[Array2, Array2, Array3, Array3, Array3, Array3, Array3, Array2],
) -> None:  # fmt: skip
    """All samples of q, qd, qdd (k, n). `resist` (k, n) are torques about the pairs as designed that loads exert;
    `external` (k, n, 6) wrenches on the links; `out` the arrays of results."""
    transmitted, torques, local, carried, on_driver, on_driven, reaction, left = out
    h, torque = M.driver.shape[0], E.torque
    for s in range(q.shape[0]):
        move(L, s, q, qd, qdd, gravity, E)
        required(L, E, external[s])
        effective(L, E)
        _resist(L, E, resist[s])
        substitute(balance, E.right, E.solved)
        for g in range(h):
            transmitted[s, g] = E.solved[g]
        for k in range(inputs.shape[0]):
            torques[s, k] = E.solved[h + k]
            torque[inputs[k]] += E.solved[h + k]
        tooth_forces(M, E, transmitted[s], local[s], carried[s], on_driver[s], on_driven[s])
        bearings(L, E, reaction[s], left[s])


@kernel
def _resist(L: Links, E: Motion, resist: Array1) -> None:
    """Torques (n,) of loads about the pairs as designed, taken off what the links ask for about their axes."""
    n = L.order.shape[0]
    for i in range(n):
        E.torque[i] = resist[i]
        # Virtual work: the pair's turn is Σ share · canonical angle, so its torque acts on each of these by its share.
        for k in range(2):
            if L.share_link[i, k] < n:
                E.right[L.share_link[i, k]] -= L.share[i, k] * resist[i]
