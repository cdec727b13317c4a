"""The two steps of the inverse dynamics of a geared robot, compiled; linear in the number of links.

World axes throughout; n links and the base behind them, as index n. Wrenches are [force; moment].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.compilation.compiled import Array1, Array2, Array3, Array4, Ints1, Triple
from solver.compilation.jit import njit
from solver.constraints.kernels import add, cross, dot, mul, sub, turn
from solver.geared.blocks import Blocks, substitute

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


class Links(NamedTuple):
    """Links in their body frames C (origin in the centre of mass). Parents have n for the base.

    `order` has parents first. Link i turns about `axis` (in the frame of its canonical parent) through `at_parent`
    there, which is `at_link` in its own frame, where `own_axis` is its axis; `start` (n, 3, 3) is its orientation
    in the canonical parent's frame as designed. The pair as designed stands in the same point, on `parent`.
    `share_link`, `share` (n, 2): the pair's turn is Σ share · canonical angle (n: nothing).
    """

    order: Ints
    canonical: Ints
    parent: Ints
    axis: Array
    at_parent: Array
    at_link: Array
    start: Array
    own_axis: Array
    mass: Array
    inertia: Array
    share_link: Ints
    share: Array


class Meshes(NamedTuple):
    """Meshes in the frames of their carriers: contact points (h, 3) and the driver's local frames (h, 3, 3).

    `radial`, `axial` (h,): what a unit transmitted force pushes the driver along x and z (eq. 21).
    Entries `moment` of link `moment_link` in `moment_start[g]:moment_start[g + 1]`.
    """

    driver: Ints
    driven: Ints
    carrier: Ints
    contact: Array
    frame: Array
    radial: Array
    axial: Array
    moment_start: Ints
    moment_link: Ints
    moment: Array


@njit(cache=True, inline="always")
def _back(R: Array2, a: Triple) -> Triple:
    """Rᵀ a, for R (3, 3) and a tuple of three."""
    return (
        R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2],
        R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2],
        R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2],
    )


@njit(cache=True, inline="always")
def _of(a: Array2, i: int) -> Triple:
    return (a[i, 0], a[i, 1], a[i, 2])


@njit(cache=True)
def _turned(axis: Array1, angle: float, start: Array2, out: Array2) -> None:
    """out (3, 3) = Rot(axis, angle) start."""
    c, s = math.cos(angle), math.sin(angle)
    u = (axis[0], axis[1], axis[2])
    for k in range(3):
        v = (start[0, k], start[1, k], start[2, k])
        w = add(add(mul(c, v), mul(s, cross(u, v))), mul((1 - c) * dot(u, v), u))
        out[0, k], out[1, k], out[2, k] = w[0], w[1], w[2]


@njit(cache=True)
def secondary(M: Meshes, rates: Blocks, place: Ints1, values: Array2) -> None:
    """Fill the secondary links' entries of values (k, n) from those of the primary ones, by the gear pairs' equations.

    `place[i]` is a link's place among the unknowns of `rates`, −1 for a primary one.
    """
    h = M.driver.shape[0]
    right, found = np.empty(h), np.empty(h)
    for s in range(values.shape[0]):
        right[:] = 0.0
        for g in range(h):
            for k in range(M.moment_start[g], M.moment_start[g + 1]):
                if place[M.moment_link[k]] < 0:
                    right[g] -= M.moment[k] * values[s, M.moment_link[k]]
        substitute(rates, right, found)
        for i in range(place.shape[0]):
            if place[i] >= 0:
                values[s, i] = found[place[i]]


@njit(cache=True)
def move(
    L: Links, q: Array1, qd: Array1, qdd: Array1, gravity: Array1, x: Array2, R: Array3, w: Array2, a: Array2,
    alpha: Array2,
) -> None:  # fmt: skip
    """Poses, angular velocities and accelerations of all links from their canonical angles: eqs. (2)-(5), (10), (11).

    The base is accelerated against gravity, so that `a` is what acts on a mass. Eq. (10) is completed by its
    derivative, α_j = α_i + q̈ z + ω_i × q̇ z, and links move with the angle they really have, balanced or not.
    """
    n = L.order.shape[0]
    for k in range(3):
        x[n, k], w[n, k], alpha[n, k] = 0.0, 0.0, 0.0
        a[n, k] = -gravity[k]
        for j in range(3):
            R[n, j, k] = 1.0 if j == k else 0.0
    local = np.empty((3, 3))
    for i in L.order:
        p = L.canonical[i]
        _turned(L.axis[i], q[i], L.start[i], local)
        for j in range(3):
            for k in range(3):
                R[i, j, k] = R[p, j, 0] * local[0, k] + R[p, j, 1] * local[1, k] + R[p, j, 2] * local[2, k]
        u = turn(R[p], L.axis[i])
        wp, ap = _of(w, p), _of(alpha, p)
        wi = add(wp, mul(qd[i], u))
        ai = add(ap, add(mul(qdd[i], u), mul(qd[i], cross(wp, u))))
        # By way of the hinge's point P, which both links have: a_P by the parent's ω and α, from there to the centre by
        # the link's own.
        out, back = turn(R[p], L.at_parent[i]), mul(-1.0, turn(R[i], L.at_link[i]))
        xi = add(_of(x, p), add(out, back))
        first = add(cross(ap, out), cross(wp, cross(wp, out)))
        second = add(cross(ai, back), cross(wi, cross(wi, back)))
        acc = add(_of(a, p), add(first, second))
        for k in range(3):
            x[i, k], w[i, k], a[i, k], alpha[i, k] = xi[k], wi[k], acc[k], ai[k]


@njit(cache=True)
def required(L: Links, R: Array3, w: Array2, a: Array2, alpha: Array2, external: Array2, wrench: Array2) -> None:
    """What must act on each link in its centre beside hinges and teeth: eqs. (15), (16), less the external wrench."""
    for i in range(L.order.shape[0]):
        # I α as R (I (Rᵀ α)): three products with a vector, where R I Rᵀ takes two of matrices.
        moment = turn(R[i], turn(L.inertia[i], _back(R[i], _of(alpha, i))))
        gyro = cross(_of(w, i), turn(R[i], turn(L.inertia[i], _back(R[i], _of(w, i)))))
        for k in range(3):
            wrench[i, k] = L.mass[i] * a[i, k] - external[i, k]
            wrench[i, 3 + k] = moment[k] + gyro[k] - external[i, 3 + k]


@njit(cache=True)
def effective(L: Links, x: Array2, R: Array3, wrench: Array2, right: Array1) -> None:
    """The moment about each link's axis that it and all it carries in the canonical graph ask for: right (n,)."""
    n = L.order.shape[0]
    total = np.zeros((n + 1, 6))
    total[:n] = wrench
    for k in range(n - 1, -1, -1):
        i = L.order[k]
        p = L.canonical[i]
        # Parents come first in `order`: all that hangs on this link has been added to it.
        f, m = (total[i, 0], total[i, 1], total[i, 2]), (total[i, 3], total[i, 4], total[i, 5])
        arm = mul(-1.0, turn(R[i], L.at_link[i]))
        right[i] = dot(turn(R[p], L.axis[i]), add(m, cross(arm, f)))
        m = add(m, cross(sub(_of(x, i), _of(x, p)), f))
        for j in range(3):
            total[p, j] += f[j]
            total[p, 3 + j] += m[j]


@njit(cache=True)
def tooth_forces(
    M: Meshes, x: Array2, R: Array3, transmitted: Array1, local: Array2, carried: Array2, wrench: Array2
) -> None:
    """Contact forces on the drivers, eq. (21), in local frames and carriers' (h, 3); take them off what links ask for.

    The driven link gets the opposite in the same point.
    """
    for g in range(M.driver.shape[0]):
        t, c = transmitted[g], M.carrier[g]
        # Radial and axial parts meet or follow both wheels' axes: they have no moment about them, so that the t of the
        # balances holds whatever the pressure angle. They point the same way whichever flank bears, hence |t|.
        local[g, 0], local[g, 1], local[g, 2] = M.radial[g] * abs(t), t, M.axial[g] * abs(t)
        in_carrier = turn(M.frame[g], local[g])
        point = add(_of(x, c), turn(R[c], M.contact[g]))
        for k in range(3):
            carried[g, k] = in_carrier[k]
        f = turn(R[c], carried[g])
        for link, sign in ((M.driver[g], -1.0), (M.driven[g], 1.0)):
            if link < wrench.shape[0]:
                m = cross(sub(point, _of(x, link)), f)
                for k in range(3):
                    wrench[link, k] += sign * f[k]
                    wrench[link, 3 + k] += sign * m[k]


@njit(cache=True)
def bearings(L: Links, x: Array2, R: Array3, torque: Array1, wrench: Array2, reaction: Array2, left: Array1) -> None:
    """What each parent's bearing does to its link, in the link's axes about the hinge's point (n, 6), link by link.

    Balance eqs. (30)-(33) on the hinges as designed. `torque` (n,) are those about the hinges that are no bearing's
    (actuators, friction); they must make up the moment about the axis, and `left` (n,) is what is left of it.
    """
    for k in range(L.order.shape[0] - 1, -1, -1):
        i = L.order[k]
        p = L.parent[i]
        f = (wrench[i, 0], wrench[i, 1], wrench[i, 2])
        m = (wrench[i, 3], wrench[i, 4], wrench[i, 5])
        if p < wrench.shape[0]:
            moved = add(m, cross(sub(_of(x, i), _of(x, p)), f))
            for j in range(3):
                wrench[p, j] += f[j]
                wrench[p, 3 + j] += moved[j]
        at_hinge = sub(m, cross(turn(R[i], L.at_link[i]), f))
        force, moment = _back(R[i], f), _back(R[i], at_hinge)
        u = _of(L.own_axis, i)
        left[i] = dot(u, moment) - torque[i]
        # The torque alone comes off, not all there is about the axis: what is left stays visible as a moment that no
        # hinge bears.
        moment = sub(moment, mul(torque[i], u))
        for j in range(3):
            reaction[i, j], reaction[i, 3 + j] = force[j], moment[j]


@njit(cache=True)
def two_steps(
    L: Links, M: Meshes, balance: Blocks, inputs: Ints1, gravity: Array1, q: Array2, qd: Array2, qdd: Array2,
    resist: Array2, external: Array3, out: tuple[Array2, Array2, Array3, Array3, Array3, Array2, Array4],
) -> None:  # fmt: skip
    """All samples; q, qd, qdd (k, n) come with the primary links' entries and leave with all. `resist` (k, n) are
    torques about the pairs as designed that loads exert; `out` the arrays of results."""
    transmitted, torques, local, carried, reaction, left, orientation = out
    n, h = L.order.shape[0], M.driver.shape[0]
    x, w, a, alpha = np.empty((n + 1, 3)), np.empty((n + 1, 3)), np.empty((n + 1, 3)), np.empty((n + 1, 3))
    R = np.empty((n + 1, 3, 3))
    wrench, right, solved, torque = np.empty((n, 6)), np.empty(n), np.empty(n), np.empty(n)
    for s in range(q.shape[0]):
        move(L, q[s], qd[s], qdd[s], gravity, x, R, w, a, alpha)
        required(L, R, w, a, alpha, external[s], wrench)
        effective(L, x, R, wrench, right)
        for i in range(n):
            torque[i] = resist[s, i]
            # Virtual work: the pair's turn is Σ share · canonical angle, so its torque acts on each of these by its
            # share.
            for k in range(2):
                if L.share_link[i, k] < n:
                    right[L.share_link[i, k]] -= L.share[i, k] * resist[s, i]
        substitute(balance, right, solved)
        transmitted[s] = solved[:h]
        for k in range(inputs.shape[0]):
            torques[s, k] = solved[h + k]
            torque[inputs[k]] += solved[h + k]
        tooth_forces(M, x, R, transmitted[s], local[s], carried[s], wrench)
        bearings(L, x, R, torque, wrench, reaction[s], left[s])
        orientation[s] = R
