"""Forces on the bodies: gravity, gyroscopic moments, springs, dampers and motor torques along coordinates."""

from __future__ import annotations

from numba import njit

from solver.constraints.kernels import turn


@njit(cache=True)
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


@njit(cache=True)
def body_forces(B, R, v, out):  # type: ignore[no-untyped-def]
    """out (n, 6): [m g; −ω × I ω], the frames in the centres of mass."""
    for i in range(B.mass.shape[0]):
        w = R[i].T @ v[i, 3:]
        h = R[i] @ (B.inertia[i] @ w)
        o = v[i, 3:]
        for j in range(3):
            out[i, j] = B.mass[i] * B.gravity[j]
        out[i, 3] = -(o[1] * h[2] - o[2] * h[1])
        out[i, 4] = -(o[2] * h[0] - o[0] * h[2])
        out[i, 5] = -(o[0] * h[1] - o[1] * h[0])


@njit(cache=True)
def add_along(T, JA, JB, term, amount, n, out):  # type: ignore[no-untyped-def]
    """Add the generalised force `amount` along a coordinate to out (n, 6); the ground takes its part unseen."""
    a, b = T.body_a[term], T.body_b[term]
    for j in range(6):
        if a < n:
            out[a, j] += amount * JA[term, j]
        if b < n:
            out[b, j] += amount * JB[term, j]


@njit(cache=True)
def coordinate_forces(T, F, drive, value, rate, JA, JB, n, out, power):  # type: ignore[no-untyped-def]
    """Springs, dampers and torques into out (n, 6); power (motors + 1,): each torque's, and the dampers' loss."""
    for k in range(F.term.shape[0]):
        i = F.term[k]
        amount = -F.damping[k] * rate[i] - F.stiffness[k] * (value[i] - F.rest[k])
        power[-1] += F.damping[k] * rate[i] * rate[i]
        add_along(T, JA, JB, i, amount, n, out)
    for k in range(F.motor_term.shape[0]):
        if F.motor_row[k] < 0:
            i = F.motor_term[k]
            power[k] = drive[k, 0] * rate[i]
            add_along(T, JA, JB, i, drive[k, 0], n, out)


@njit(cache=True)
def energies(T, B, F, x, R, v, value, rate):  # type: ignore[no-untyped-def]
    """Kinetic energy (bodies and rotors) and potential energy (gravity and springs), J."""
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
    return kinetic, potential
