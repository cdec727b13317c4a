"""Forces on the bodies: gravity, gyroscopic moments, loads along coordinates, wrenches, bushings, callbacks.

`power` holds the power of each row of `drive` (see `solver.loading`), and last what is dissipated, W.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from solver.callbacks import call_python
from solver.compiled import inlined, kernel, making
from solver.constraints.kernels import add, cross, dot, into, mul, out_of, sub, turn


@kernel
def world_inertia(local, R, out):  # type: ignore[no-untyped-def]
    """out (n, 3, 3) = R local Rᵀ."""
    for i in range(local.shape[0]):
        for r in range(3):
            for c in range(3):
                s = 0.0
                for j in range(3):
                    for k in range(3):
                        s += R[i, r, j] * local[i, j, k] * R[i, c, k]
                out[i, r, c] = s


@inlined
def body_forces(B, R, v, out):  # type: ignore[no-untyped-def]
    """out (n, 6): [m g; −ω × I ω], the frames in the centres of mass."""
    for i in range(B.mass.shape[0]):
        o = (v[i, 3], v[i, 4], v[i, 5])
        moment = cross(out_of(R, i, out_of(B.inertia, i, into(R, i, o))), o)
        for j in range(3):
            out[i, j] = B.mass[i] * B.gravity[j]
            out[i, 3 + j] = moment[j]


@kernel
def add_along(T, JA, JB, term, amount, n, out):  # type: ignore[no-untyped-def]
    """Add the generalised force `amount` along a coordinate to out (n, 6); the ground takes its part unseen."""
    a, b = T.body_a[term], T.body_b[term]
    for j in range(6):
        if a < n:
            out[a, j] += amount * JA[term, j]
        if b < n:
            out[b, j] += amount * JB[term, j]


@kernel
def stop_elastic(d, depth):  # type: ignore[no-untyped-def]
    """Of a stop pressed by d: force, potential (both a unit stiffness) and the damper's fading in [0, 1]."""
    if d <= 0.0:
        return 0.0, 0.0, 0.0
    s = d / depth
    if s < 1.0:
        return 0.5 * d * s, d * d * s / 6.0, s
    return d - 0.5 * depth, 0.5 * d * d - 0.5 * depth * d + depth * depth / 6.0, 1.0


@kernel
def _stops(F, k, q, qd):  # type: ignore[no-untyped-def]
    """Force along the coordinate and power lost in the stops of load k."""
    force, lost = 0.0, 0.0
    for side in (-1.0, 1.0):
        d = q - F.upper[k] if side > 0 else F.lower[k] - q
        unit, _, fade = stop_elastic(d, F.stop_depth[k])
        if d > 0.0:
            elastic = F.stop_stiffness[k] * unit
            push = max(0.0, elastic + F.stop_damping[k] * fade * side * qd)
            force -= side * push
            lost += (push - elastic) * side * qd
    return force, lost


@kernel
def coordinate_forces(T, F, drive, value, rate, JA, JB, n, out, power):  # type: ignore[no-untyped-def]
    """Springs, dampers, friction, stops and motors into out (n, 6) and power."""
    for k in range(F.term.shape[0]):
        i = F.term[k]
        amount = -F.damping[k] * rate[i] - F.stiffness[k] * (value[i] - F.rest[k])
        power[-1] += F.damping[k] * rate[i] * rate[i]
        if F.friction[k] != 0.0:
            rub = F.friction[k] * math.tanh(rate[i] / F.friction_speed[k])
            amount -= rub
            power[-1] += rub * rate[i]
        if F.stop_stiffness[k] != 0.0:
            force, lost = _stops(F, k, value[i], rate[i])
            amount += force
            power[-1] += lost
        add_along(T, JA, JB, i, amount, n, out)
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] < 0:
            i = F.motor_term[k]
            amount = drive[k, 0]
            if F.motor_pd[k]:
                wish = F.motor_stiffness[k] * (drive[k, 0] - value[i]) + F.motor_damping[k] * (drive[k, 1] - rate[i])
                amount = min(max(wish, -F.motor_effort[k]), F.motor_effort[k])
            power[k] = amount * rate[i]
            add_along(T, JA, JB, i, amount, n, out)


@kernel
def mesh_torques(F, rate, multipliers, out):  # type: ignore[no-untyped-def]
    """out (k, 2): what holds the wheels of each mesh back, at the pulls λ of the rows; the greatest change in it."""
    change = 0.0
    for k in range(F.mesh_row.shape[0]):
        pull = multipliers[F.mesh_row[k]]
        # The row takes λ · coefficient · rate from a: where that is positive, a drives.
        driven = 1 if pull * F.mesh_pull[k, 0] * rate[F.mesh_term[k, 0]] > 0.0 else 0
        for side in range(2):
            rub = 0.0
            if side == driven:
                size = F.mesh_loss[k] * abs(pull * F.mesh_pull[k, side])
                rub = size * math.tanh(rate[F.mesh_term[k, side]] / F.mesh_speed[k, side])
            change = max(change, abs(rub - out[k, side]))
            out[k, side] = rub
    return change


@kernel
def mesh_forces(T, F, torques, JA, JB, out):  # type: ignore[no-untyped-def]
    """The torques (k, 2) of `mesh_torques` into out (n, 6)."""
    for k in range(F.mesh_row.shape[0]):
        for side in range(2):
            add_along(T, JA, JB, F.mesh_term[k, side], -torques[k, side], out.shape[0], out)


@kernel
def mesh_losses(F, torques, rate):  # type: ignore[no-untyped-def]
    """What the torques (k, 2) of `mesh_torques` dissipate, W."""
    lost = 0.0
    for k in range(F.mesh_row.shape[0]):
        for side in range(2):
            lost += torques[k, side] * rate[F.mesh_term[k, side]]
    return lost


@kernel
def wrench_forces(F, drive, R, v, out, power):  # type: ignore[no-untyped-def]
    """Wrenches into out (n, 6) and power, component by component."""
    for k in range(F.wrench_body.shape[0]):
        i, row = F.wrench_body[k], F.wrench_row[k]
        frame = R[i] if F.wrench_turns[k] else R[R.shape[0] - 1]
        force = mul(drive[row, 0], turn(frame, F.wrench_force[k]))
        moment = add(mul(drive[row, 0], turn(frame, F.wrench_torque[k])), cross(turn(R[i], F.wrench_point[k]), force))
        for j in range(3):
            out[i, j] += force[j]
            out[i, 3 + j] += moment[j]
            power[row] += force[j] * v[i, j] + moment[j] * v[i, 3 + j]


@making
def _log(E, out):  # type: ignore[no-untyped-def]
    """Rotation vector (3,) of the matrix E (3, 3), below half a turn, by way of the quaternion."""
    # The largest of the four components is the safe one to divide by.
    q = np.empty(4)
    trace = E[0, 0] + E[1, 1] + E[2, 2]
    big = 0
    if E[0, 0] > trace and E[0, 0] >= E[1, 1] and E[0, 0] >= E[2, 2]:
        big = 1
    elif E[1, 1] > trace and E[1, 1] >= E[2, 2]:
        big = 2
    elif E[2, 2] > trace:
        big = 3
    if big == 0:
        q[0] = 1.0 + trace
        q[1], q[2], q[3] = E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]
    else:
        i = big - 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q[0] = E[k, j] - E[j, k]
        q[1 + i] = 1.0 + E[i, i] - E[j, j] - E[k, k]
        q[1 + j], q[1 + k] = E[i, j] + E[j, i], E[i, k] + E[k, i]
    if q[0] < 0.0:
        q *= -1.0
    s = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    factor = 2.0 / q[0] if s < 1e-9 * q[0] else 2.0 * math.atan2(s, q[0]) / s
    for i in range(3):
        out[i] = factor * q[1 + i]


@making
def bushing_strain(F, k, x, R, z):  # type: ignore[no-untyped-def]
    """z (6,) = [u; θ] of bushing k in the axes of its frame on a (see `solver.model.Bushing`); returns those axes."""
    a, b = F.bushing_a[k], F.bushing_b[k]
    EA, EB = R[a] @ F.bushing_axes_a[k], R[b] @ F.bushing_axes_b[k]
    pa, pb = turn(R[a], F.bushing_point_a[k]), turn(R[b], F.bushing_point_b[k])
    for j in range(3):
        z[j] = 0.0
        for i in range(3):
            z[j] += EA[i, j] * (x[b, i] + pb[i] - x[a, i] - pa[i])
    _log(EA.T @ EB, z[3:])
    return EA


@kernel
def _turned_back(theta, tau):  # type: ignore[no-untyped-def]
    """J⁻ᵀ τ with θ̇ = J⁻¹ ω for ω in the axes of a: the moment whose work on ω is that of τ on θ̇."""
    size = math.sqrt(dot(theta, theta))
    half = 0.5 * size
    factor = (1.0 - half / math.tan(half)) / size**2 if size > 1e-3 else 1.0 / 12.0 + size**2 / 720.0
    twist = cross(theta, tau)
    return add(add(tau, mul(0.5, twist)), mul(factor, cross(theta, twist)))


@making
def bushing_forces(F, x, R, v, n, out, power):  # type: ignore[no-untyped-def]
    """Bushings into out (n, 6), and what their dampers lose into power[-1]."""
    z, rates = np.empty(6), np.empty(6)
    for k in range(F.bushing_a.shape[0]):
        a, b = F.bushing_a[k], F.bushing_b[k]
        E = bushing_strain(F, k, x, R, z)
        pb = turn(R[b], F.bushing_point_b[k])
        reach = (x[b, 0] + pb[0] - x[a, 0], x[b, 1] + pb[1] - x[a, 1], x[b, 2] + pb[2] - x[a, 2])
        oa, ob = (v[a, 3], v[a, 4], v[a, 5]), (v[b, 3], v[b, 4], v[b, 5])
        # u̇ as seen from a: the point's speed less that of a's own point in the same place.
        moved = sub(add((v[b, 0], v[b, 1], v[b, 2]), cross(ob, pb)), add((v[a, 0], v[a, 1], v[a, 2]), cross(oa, reach)))
        u1, w = turn(E.T, moved), turn(E.T, sub(ob, oa))
        for j in range(3):
            rates[j], rates[3 + j] = u1[j], w[j]
        elastic, viscous = F.bushing_stiffness[k] @ z, F.bushing_damping[k] @ rates
        tau = _turned_back((z[3], z[4], z[5]), (elastic[3], elastic[4], elastic[5]))
        force = turn(E, -(elastic[:3] + viscous[:3]))
        moment = turn(E, np.array([-tau[0] - viscous[3], -tau[1] - viscous[4], -tau[2] - viscous[5]]))
        power[-1] += viscous @ rates
        on_a, on_b = add(moment, cross(reach, force)), add(moment, cross(pb, force))
        for j in range(3):
            if a < n:
                out[a, j] -= force[j]
                out[a, 3 + j] -= on_a[j]
            if b < n:
                out[b, j] += force[j]
                out[b, 3 + j] += on_b[j]


@making
def callback_forces(T, F, drive, value, rate, JA, JB, n, out, power):  # type: ignore[no-untyped-def]
    """The callbacks' forces along the model's coordinates into out (n, 6) and power."""
    count = F.callback_term.shape[0]
    if F.callback.shape[0] == 0:
        return
    q, qd, given = np.empty(count), np.empty(count), np.empty(count)
    for j in range(count):
        q[j], qd[j] = value[F.callback_term[j]], rate[F.callback_term[j]]
    for k in range(F.callback_row.shape[0]):
        row = F.callback_row[k]
        call_python(F.callback[0], k, drive[row, 0], q.ctypes.data, qd.ctypes.data, given.ctypes.data)
        for j in range(count):
            power[row] += given[j] * qd[j]
            add_along(T, JA, JB, F.callback_term[j], given[j], n, out)


@inlined
def all_forces(T, B, F, drive, x, R, v, value, rate, JA, JB, out, power):  # type: ignore[no-untyped-def]
    """Everything that acts but the constraints, into out (n, 6; zero before) and power (rows of drive + 1, W)."""
    n = B.mass.shape[0]
    body_forces(B, R, v, out)
    # A call hands over all tables: it is spared where there is nothing to do.
    if F.term.shape[0] + F.motor_term.shape[0] > 0:
        coordinate_forces(T, F, drive, value, rate, JA, JB, n, out, power)
    if F.wrench_body.shape[0] > 0:
        wrench_forces(F, drive, R, v, out, power)
    if F.bushing_a.shape[0] > 0:
        bushing_forces(F, x, R, v, n, out, power)
    if F.callback.shape[0] > 0:
        callback_forces(T, F, drive, value, rate, JA, JB, n, out, power)


@njit(cache=True)
def energies(T, B, F, x, R, v, value, rate):  # type: ignore[no-untyped-def]
    """Kinetic energy (bodies and rotors) and potential energy (gravity, springs, stops, bushings), J."""
    kinetic, potential = 0.0, 0.0
    for i in range(B.mass.shape[0]):
        local = turn(R[i].T, v[i, 3:])
        for j in range(3):
            kinetic += 0.5 * B.mass[i] * v[i, j] ** 2
            potential -= B.mass[i] * B.gravity[j] * x[i, j]
            for k in range(3):
                kinetic += 0.5 * local[j] * B.inertia[i, j, k] * local[k]
    for k in range(F.term.shape[0]):
        i = F.term[k]
        kinetic += 0.5 * F.armature[k] * rate[i] ** 2
        potential += 0.5 * F.stiffness[k] * (value[i] - F.rest[k]) ** 2
        if F.stop_stiffness[k] != 0.0:
            for d in (F.lower[k] - value[i], value[i] - F.upper[k]):
                potential += F.stop_stiffness[k] * stop_elastic(d, F.stop_depth[k])[1]
    z = np.empty(6)
    for k in range(F.bushing_a.shape[0]):
        bushing_strain(F, k, x, R, z)
        potential += 0.5 * (z @ (F.bushing_stiffness[k] @ z))
    return kinetic, potential
