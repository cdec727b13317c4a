"""Forces on the bodies: gravity, gyroscopic moments, loads along coordinates, wrenches, bushings, callbacks.

`power` holds the power of each row of `drive` (see `solver.equations.loading`), and last what is dissipated, W.
"""

from __future__ import annotations

import math

from solver.compilation.compiled import Array1, Array2, Array3, Pair, Triple, call_python, entry, kernel
from solver.constraints.kernels import add, cross, dot, into, mul, out_of, sub, turn
from solver.constraints.terms import Terms
from solver.equations.loading import PD, SERVO, VOLTAGE, Loads
from solver.sweeps.bodies import Bodies


@kernel
def world_inertia(local: Array3, R: Array3, out: Array3) -> None:
    """out (n, 3, 3) = R local Rᵀ."""
    for i in range(local.shape[0]):
        for r in range(3):
            for c in range(3):
                s = 0.0
                for j in range(3):
                    for k in range(3):
                        s += R[i, r, j] * local[i, j, k] * R[i, c, k]
                out[i, r, c] = s


@kernel
def body_forces(B: Bodies, R: Array3, v: Array2, out: Array2) -> None:
    """out (n, 6): [m g; −ω × I ω], the frames in the centres of mass."""
    for i in range(B.mass.shape[0]):
        o = (v[i, 3], v[i, 4], v[i, 5])
        moment = cross(out_of(R, i, out_of(B.inertia, i, into(R, i, o))), o)
        for j in range(3):
            out[i, j] = B.mass[i] * B.gravity[j]
            out[i, 3 + j] = moment[j]


@kernel
def add_along(T: Terms, JA: Array2, JB: Array2, term: int, amount: float, n: int, out: Array2) -> None:
    """Add the generalised force `amount` along a coordinate to out (n, 6); the ground takes its part unseen."""
    a, b = T.body_a[term], T.body_b[term]
    for j in range(6):
        if a < n:
            out[a, j] += amount * JA[term, j]
        if b < n:
            out[b, j] += amount * JB[term, j]


@kernel
def stop_elastic(d: float, depth: float) -> Triple:
    """Of a stop pressed by d: force, potential (both a unit stiffness) and the damper's fading in [0, 1]."""
    if d <= 0.0:
        return 0.0, 0.0, 0.0
    s = d / depth
    if s < 1.0:
        return 0.5 * d * s, d * d * s / 6.0, s
    return d - 0.5 * depth, 0.5 * d * d - 0.5 * depth * d + depth * depth / 6.0, 1.0


@kernel
def _stops(F: Loads, k: int, q: float, qd: float) -> Pair:
    """Force along the coordinate and power lost in the stops of load k."""
    force, lost = 0.0, 0.0
    for side in (-1.0, 1.0):
        d = q - F.upper[k] if side > 0 else F.lower[k] - q
        unit, _, fade = stop_elastic(d, F.stop_depth[k])
        if d > 0.0:
            elastic = F.stop_stiffness[k] * unit
            # A stop only pushes: without the floor its damper would hold back a body that leaves.
            push = max(0.0, elastic + F.stop_damping[k] * fade * side * qd)
            force -= side * push
            lost += (push - elastic) * side * qd
    return force, lost


@kernel
def pd_wish(F: Loads, k: int, u: float, ud: float, q: float, qd: float) -> float:
    """What PD motor k would give without its limit, at a target u, a value q and their rates."""
    wish: float = F.motor_stiffness[k] * (u - q) + F.motor_damping[k] * (ud - qd)
    return wish


@kernel
def servo_wish(F: Loads, k: int, u: float, q: float, qd: float) -> float:
    """What servo k would give without its bounds, at a control u, a value q and its rate (`solver.model.Motor`)."""
    g, b = F.motor_gain, F.motor_bias
    wish: float = g[k, 0] * u + b[k, 0] + (g[k, 1] * u + b[k, 1]) * q + (g[k, 2] * u + b[k, 2]) * qd
    return wish


@kernel
def servo_effort(F: Loads, k: int, u: float, q: float, qd: float) -> float:
    """What servo k gives at a control u, a value q and its rate."""
    effort: float = min(max(servo_wish(F, k, u, q, qd), F.motor_bounds[k, 0]), F.motor_bounds[k, 1])
    return effort


@kernel
def coordinate_forces(
    T: Terms, F: Loads, drive: Array2, value: Array1, rate: Array1, JA: Array2, JB: Array2, n: int, out: Array2,
    power: Array1,
) -> None:  # fmt: skip
    """Springs, dampers, friction, stops, motors and gyrators into out (n, 6) and power."""
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
            if F.motor_law[k] == PD:
                wish = pd_wish(F, k, drive[k, 0], drive[k, 1], value[i], rate[i])
                amount = min(max(wish, -F.motor_effort[k]), F.motor_effort[k])
            if F.motor_law[k] == SERVO:
                amount = servo_effort(F, k, drive[k, 0], value[i], rate[i])
            power[k] = amount * rate[i]
            if F.motor_law[k] == VOLTAGE:
                current = (drive[k, 0] - F.motor_constant[k] * rate[i]) / F.motor_resistance[k]
                amount = F.motor_constant[k] * current
                power[k] = drive[k, 0] * current
                power[-1] += F.motor_resistance[k] * current * current
            add_along(T, JA, JB, i, amount, n, out)
    for k in range(F.gyrator_modulus.shape[0]):
        one, two = F.gyrator_term[k, 0], F.gyrator_term[k, 1]
        add_along(T, JA, JB, one, F.gyrator_modulus[k] * rate[two], n, out)
        add_along(T, JA, JB, two, -F.gyrator_modulus[k] * rate[one], n, out)


@kernel
def mesh_torques(F: Loads, rate: Array1, multipliers: Array1, out: Array2) -> float:
    """out (k, 8): what holds the wheels of each mesh back, at the pulls λ of the rows; the greatest change in it.

    Columns 2 and 3 keep what was there before; the others are the caller's.
    """
    change = 0.0
    for k in range(F.mesh_row.shape[0]):
        pull = multipliers[F.mesh_row[k]]
        # The row takes λ · coefficient · rate from a: where that is positive, a drives.
        driven = 1 if pull * F.mesh_pull[k, 0] * rate[F.mesh_term[k, 0]] > 0.0 else 0
        for side in range(2):
            rub = 0.0
            if side == driven:
                size = F.mesh_loss[k, side] * abs(pull * F.mesh_pull[k, side])
                rub = size * math.tanh(rate[F.mesh_term[k, side]] / F.mesh_speed[k, side])
            change = max(change, abs(rub - out[k, side]))
            out[k, 2 + side], out[k, side] = out[k, side], rub
    return change


@kernel
def mesh_forces(T: Terms, F: Loads, torques: Array2, JA: Array2, JB: Array2, out: Array2) -> None:
    """The torques of `mesh_torques` into out (n, 6)."""
    for k in range(F.mesh_row.shape[0]):
        for side in range(2):
            add_along(T, JA, JB, F.mesh_term[k, side], -torques[k, side], out.shape[0], out)


@kernel
def mesh_losses(F: Loads, torques: Array2, rate: Array1) -> float:
    """What the torques (k, 8) of `mesh_torques` dissipate (W), at the rates (t,) of the terms."""
    lost = 0.0
    for k in range(F.mesh_row.shape[0]):
        for side in range(2):
            lost += torques[k, side] * rate[F.mesh_term[k, side]]
    return lost


@kernel
def wrench_forces(F: Loads, drive: Array2, R: Array3, v: Array2, out: Array2, power: Array1) -> None:
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


@kernel
def _log(E: tuple[Triple, Triple, Triple]) -> Triple:
    """Rotation vector of the matrix of rows E, below half a turn, by way of the quaternion."""
    a, b, c = E
    trace = a[0] + b[1] + c[2]
    odd = (c[1] - b[2], a[2] - c[0], b[0] - a[1])
    # The largest of the four components is the safe one to divide by.
    if a[0] > trace and a[0] >= b[1] and a[0] >= c[2]:
        w, v = odd[0], (1.0 + a[0] - b[1] - c[2], a[1] + b[0], a[2] + c[0])
    elif b[1] > trace and b[1] >= c[2]:
        w, v = odd[1], (b[0] + a[1], 1.0 + b[1] - c[2] - a[0], b[2] + c[1])
    elif c[2] > trace:
        w, v = odd[2], (c[0] + a[2], c[1] + b[2], 1.0 + c[2] - a[0] - b[1])
    else:
        w, v = 1.0 + trace, odd
    if w < 0.0:
        w, v = -w, mul(-1.0, v)
    s = math.sqrt(dot(v, v))
    # Below, 2 atan(s/w)/s is 2/w to the last digit.
    return mul(2.0 / w if s < 1e-9 * w else 2.0 * math.atan2(s, w) / s, v)


@kernel
def _axes(R: Array3, i: int, local: Array3, k: int) -> tuple[Triple, Triple, Triple]:
    """The columns of R[i] local[k], for the frame `local` (b, 3, 3) of a bushing on body i."""
    one = out_of(R, i, (local[k, 0, 0], local[k, 1, 0], local[k, 2, 0]))
    two = out_of(R, i, (local[k, 0, 1], local[k, 1, 1], local[k, 2, 1]))
    return one, two, out_of(R, i, (local[k, 0, 2], local[k, 1, 2], local[k, 2, 2]))


@kernel
def _along(axes: tuple[Triple, Triple, Triple], v: Triple) -> Triple:
    """The components of v along three axes."""
    return (dot(axes[0], v), dot(axes[1], v), dot(axes[2], v))


@kernel
def _of(axes: tuple[Triple, Triple, Triple], c: Triple) -> Triple:
    """The vector with the components c along three axes."""
    return add(mul(c[0], axes[0]), add(mul(c[1], axes[1]), mul(c[2], axes[2])))


@kernel
def bushing_strain(F: Loads, k: int, x: Array2, R: Array3) -> tuple[Triple, Triple, tuple[Triple, Triple, Triple]]:
    """u and θ of bushing k in the axes of its frame on a (see `solver.model.Bushing`), and those axes."""
    a, b = F.bushing_a[k], F.bushing_b[k]
    A, B = _axes(R, a, F.bushing_axes_a, k), _axes(R, b, F.bushing_axes_b, k)
    pa, pb = turn(R[a], F.bushing_point_a[k]), turn(R[b], F.bushing_point_b[k])
    u = _along(
        A, (x[b, 0] + pb[0] - x[a, 0] - pa[0], x[b, 1] + pb[1] - x[a, 1] - pa[1], x[b, 2] + pb[2] - x[a, 2] - pa[2])
    )
    first, second, third = _along(A, B[0]), _along(A, B[1]), _along(A, B[2])
    rows = ((first[0], second[0], third[0]), (first[1], second[1], third[1]), (first[2], second[2], third[2]))
    return u, _log(rows), A


@kernel
def _product(M: Array3, k: int, u: Triple, w: Triple) -> tuple[Triple, Triple]:
    """M[k] [u; w], for M (b, 6, 6)."""
    return (
        (_row(M, k, 0, u, w), _row(M, k, 1, u, w), _row(M, k, 2, u, w)),
        (_row(M, k, 3, u, w), _row(M, k, 4, u, w), _row(M, k, 5, u, w)),
    )


@kernel
def _row(M: Array3, k: int, i: int, u: Triple, w: Triple) -> float:
    """Row i of `_product`."""
    linear: float = M[k, i, 0] * u[0] + M[k, i, 1] * u[1] + M[k, i, 2] * u[2]
    linear += M[k, i, 3] * w[0] + M[k, i, 4] * w[1] + M[k, i, 5] * w[2]
    return linear


@kernel
def _turned_back(theta: Triple, tau: Triple) -> Triple:
    """J⁻ᵀ τ with θ̇ = J⁻¹ ω for ω in the axes of a: the moment whose work on ω is that of τ on θ̇."""
    size = math.sqrt(dot(theta, theta))
    half = 0.5 * size
    # (1 − x/2 cot x/2) / x² by its series where digits cancel: the next term, x⁴/30240, is below 4e-17.
    factor = (1.0 - half / math.tan(half)) / size**2 if size > 1e-3 else 1.0 / 12.0 + size**2 / 720.0
    twist = cross(theta, tau)
    return add(add(tau, mul(0.5, twist)), mul(factor, cross(theta, twist)))


@kernel
def bushing_forces(F: Loads, x: Array2, R: Array3, v: Array2, n: int, out: Array2, power: Array1) -> None:
    """Bushings into out (n, 6), and what their dampers lose into power[-1]."""
    for k in range(F.bushing_a.shape[0]):
        a, b = F.bushing_a[k], F.bushing_b[k]
        u, theta, axes = bushing_strain(F, k, x, R)
        pb = turn(R[b], F.bushing_point_b[k])
        reach = (x[b, 0] + pb[0] - x[a, 0], x[b, 1] + pb[1] - x[a, 1], x[b, 2] + pb[2] - x[a, 2])
        oa, ob = (v[a, 3], v[a, 4], v[a, 5]), (v[b, 3], v[b, 4], v[b, 5])
        # u̇ as seen from a: the point's speed less that of a's own point in the same place.
        moved = sub(add((v[b, 0], v[b, 1], v[b, 2]), cross(ob, pb)), add((v[a, 0], v[a, 1], v[a, 2]), cross(oa, reach)))
        u1, w = _along(axes, moved), _along(axes, sub(ob, oa))
        pull, twist = _product(F.bushing_stiffness, k, u, theta)
        drag, hold = _product(F.bushing_damping, k, u1, w)
        force = mul(-1.0, _of(axes, add(pull, drag)))
        moment = mul(-1.0, _of(axes, add(_turned_back(theta, twist), hold)))
        power[-1] += dot(drag, u1) + dot(hold, w)
        # Both sides act in b's point, a by its arm to there: force and opposite force in one line give no momentum.
        on_a, on_b = add(moment, cross(reach, force)), add(moment, cross(pb, force))
        for j in range(3):
            if a < n:
                out[a, j] -= force[j]
                out[a, 3 + j] -= on_a[j]
            if b < n:
                out[b, j] += force[j]
                out[b, 3 + j] += on_b[j]


@kernel
def callback_forces(
    T: Terms, F: Loads, drive: Array2, value: Array1, rate: Array1, JA: Array2, JB: Array2, n: int, calls: Array2,
    out: Array2, power: Array1,
) -> None:  # fmt: skip
    """The callbacks' forces along the model's coordinates into out (n, 6) and power; `calls` (3, k) is workspace."""
    count = F.callback_term.shape[0]
    for j in range(count):
        calls[0, j], calls[1, j] = value[F.callback_term[j]], rate[F.callback_term[j]]
    for k in range(F.callback_row.shape[0]):
        row = F.callback_row[k]
        call_python(F.callback[0], k, drive[row, 0], calls)
        for j in range(count):
            power[row] += calls[2, j] * calls[1, j]
            add_along(T, JA, JB, F.callback_term[j], calls[2, j], n, out)


@entry
def all_forces(
    T: Terms, B: Bodies, F: Loads, drive: Array2, x: Array2, R: Array3, v: Array2, value: Array1, rate: Array1,
    JA: Array2, JB: Array2, calls: Array2, out: Array2, power: Array1,
) -> None:  # fmt: skip
    """Everything that acts but the constraints, into out (n, 6; zero before) and power (rows of drive + 1, W).

    `calls` (3, k) is workspace for what callbacks get and give.
    """
    n = B.mass.shape[0]
    body_forces(B, R, v, out)
    coordinate_forces(T, F, drive, value, rate, JA, JB, n, out, power)
    wrench_forces(F, drive, R, v, out, power)
    bushing_forces(F, x, R, v, n, out, power)
    if F.callback.shape[0] > 0:
        callback_forces(T, F, drive, value, rate, JA, JB, n, calls, out, power)


@kernel
def energies(T: Terms, B: Bodies, F: Loads, x: Array2, R: Array3, v: Array2, value: Array1, rate: Array1) -> Pair:
    """Kinetic energy (bodies and rotors) and potential energy (gravity, springs, stops, bushings), J."""
    kinetic, potential = 0.0, 0.0
    for i in range(B.mass.shape[0]):
        local = into(R, i, (v[i, 3], v[i, 4], v[i, 5]))
        kinetic += 0.5 * dot(local, out_of(B.inertia, i, local))
        for j in range(3):
            kinetic += 0.5 * B.mass[i] * v[i, j] ** 2
            potential -= B.mass[i] * B.gravity[j] * x[i, j]
    for k in range(F.term.shape[0]):
        i = F.term[k]
        kinetic += 0.5 * F.armature[k] * rate[i] ** 2
        potential += 0.5 * F.stiffness[k] * (value[i] - F.rest[k]) ** 2
        for d in (F.lower[k] - value[i], value[i] - F.upper[k]):
            potential += F.stop_stiffness[k] * stop_elastic(d, F.stop_depth[k])[1]
    for k in range(F.bushing_a.shape[0]):
        u, theta, _ = bushing_strain(F, k, x, R)
        pull, twist = _product(F.bushing_stiffness, k, u, theta)
        potential += 0.5 * (dot(u, pull) + dot(theta, twist))
    return kinetic, potential
