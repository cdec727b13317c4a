"""Andrews' squeezing mechanism and the spatial slider-crank, with the published results."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from solver import State, rotation, simulate, wrenches
from solver.constraints import GROUND, AxesAngle, Coordinate, PointOnPlane, Primitive
from solver.functions import constant
from solver.model import JointLoad, Model, Motor, RigidBody
from tests.solver.examples import O, X, Y, Z, ball, hinge, turn

Array = np.ndarray

A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
START = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)
"""β, Θ, γ, Φ, δ, Ω, ε (rad)."""


def _turned(angle: float, x: float, y: float = 0.0) -> Array:
    """x and y along the axes of a body at an angle."""
    return np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), 0.0])


def _absolute(q: Array) -> Array:
    """Angles of the seven bodies from β, Θ, γ, Φ, δ, Ω, ε."""
    beta, theta, gamma, phi, delta, omega, epsilon = q
    return np.array([beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon])


# Centres of mass, seen from the point by which a body hangs, in its own axes; in the order of the bodies.
_CENTRES = np.array(
    [
        [0.00092, 0],
        [-0.0115, 0],
        [0.01043, -0.01874],
        [0, -(0.02 - 0.01421)],
        [0.02308, 0.00916],
        [0.02 - 0.01421, 0],
        [-0.00449, -0.01228],
    ]
)


def _own(body: int, x: float, y: float = 0.0) -> Array:
    """A point of a body, given from where it hangs, in the frame of its centre of mass."""
    return np.array([x - _CENTRES[body, 0], y - _CENTRES[body, 1], 0.0])


def _andrews() -> Model:
    angles = _absolute(np.array(START))
    # Where bodies hang: O, the end of K1, B, the arm of K5, A, the arm of K7, A.
    hangs = [O, _turned(angles[0], 0.007), B, A + _turned(angles[4], 0.04), A, A + _turned(angles[6], 0, -0.04), A]
    x = np.array([h + _turned(a, *c) for h, a, c in zip(hangs, angles, _CENTRES, strict=True)])
    q = rotation.exponential(np.array([[0, 0, a] for a in angles]))
    end = _own(1, -0.028)
    joints = {
        "O": (GROUND, 0, O, _own(0, 0)),
        "crank": (0, 1, _own(0, 0.007), _own(1, 0)),
        "B": (GROUND, 2, B, _own(2, 0)),
        "arm 5": (4, 3, _own(4, 0.04), _own(3, 0)),
        "A5": (GROUND, 4, A, _own(4, 0)),
        "arm 7": (6, 5, _own(6, 0, -0.04), _own(5, 0)),
        "A7": (GROUND, 6, A, _own(6, 0)),
        "P3": (1, 2, end, _own(2, 0, -0.035)),
        "P4": (1, 3, end, _own(3, 0, -0.02)),
        "P6": (1, 5, end, _own(5, 0.02)),
    }
    rows: list[Primitive] = []
    groups: list[str] = []
    for name, (a, b, point_a, point_b) in joints.items():
        held = hinge(a, b, point_a, point_b, Z)
        rows += held
        groups += [name] * len(held)
    spring = Coordinate("length", GROUND, 2, C, Z, _own(2, 0.02, -0.018))
    crank = turn(GROUND, 0)
    return Model(
        tuple(
            RigidBody(f"K{i + 1}", m, inertia * np.eye(3))
            for i, (m, inertia) in enumerate(zip(MASSES, INERTIAS, strict=True))
        ),
        tuple(rows),
        x,
        q,
        groups=tuple(groups),
        coordinates=tuple(turn(GROUND, i) for i in range(7)),
        motors=(Motor("drive", crank, "torque", constant(0.033)),),
        loads=(JointLoad(spring, stiffness=4530.0, rest=0.07785),),
        gravity=(0.0, 0.0, 0.0),
    )


def _relative(angles: Array) -> Array:
    """β, Θ, γ, Φ, δ, Ω, ε from the angles of the seven bodies."""
    k1, k2, k3, k4, k5, k6, k7 = angles
    return np.array([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7])


def test_andrews_squeezing_mechanism() -> None:
    """IVP test set: angles, rates and multipliers at 0.03 s (PSIDE at 1e-14).

    What is printed belongs to a time 1.0e-12 s later: all seven angles and the rates agree on that shift, and so do
    DOPRI5, DOP853 with controlled and with fixed steps, and an integration of the seven angles by other code. The
    printed multipliers are good to 1e-6: that code gives ours as well.
    """
    model = _andrews()
    result = simulate(model, duration=0.03, rate=1000.0, integrator="dop853", rtol=1e-12, atol=1e-12)
    assert result.status.ok
    run = result.trajectory
    angles = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948]
    angles += [0.5244099658805304, 0.5347301163226948, 1.048080741042263]
    rates = [1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385]
    rates += [0.5735699284790808, -19.29337464421385, 0.3231791658026955]
    now, rate, bend = (
        _relative(values[-1]) for values in (run.coordinates, run.coordinate_rates, run.coordinate_accelerations)
    )
    assert_allclose(now, angles, rtol=1e-8)
    assert_allclose(rate, rates, rtol=6e-8)
    shift = 1.005e-12
    assert_allclose(now + shift * rate, angles, rtol=1e-12)
    assert_allclose(rate + shift * bend, rates, rtol=3e-8)
    forces = np.concatenate([wrenches(model, run)[name][-1, :2] for name in ("P3", "P4", "P6")])
    multipliers = [199.1753333731910, -29.75531228015052, 23.06654119098399]
    multipliers += [31.45271365475927, 22.64249232082739, 11.61740700019673]
    assert_allclose(forces, multipliers, rtol=2e-6)
    assert run.constraint_position.max() < 1e-12
    assert (run.constraint_velocity / np.abs(run.velocities).max(axis=(1, 2)).clip(1e-3)).max() < 1e-12


def _slider_crank() -> tuple[Model, State]:
    """Crank about x in A, ball to the rod, universal joint to the slider on the x axis; moving as published."""
    centre, pin, slider = np.array([0, 0.1, 0.12]), np.array([0, 0.1, 0.2]), np.array([0.2, 0, 0])
    along = (slider - pin) / 0.3
    across = np.array([0, -2, 1]) / np.sqrt(5)
    R = np.stack([along, across, np.cross(along, across)], axis=1)
    rod = (pin + slider) / 2
    x = np.array([(centre + pin) / 2, rod, slider])
    q = np.array([[1, 0, 0, 0], rotation.quaternion(R), [1, 0, 0, 0]], dtype=float)
    rows = [
        *hinge(GROUND, 0, centre, -0.04 * Z, X),
        *ball(0, 1, 0.04 * Z, -0.15 * X),
        *ball(1, 2, 0.15 * X, O),
        AxesAngle(2, 1, X, Y),
        PointOnPlane(GROUND, 2, O, Y, O),
        PointOnPlane(GROUND, 2, O, Z, O),
        *(AxesAngle(GROUND, 2, a, b) for a, b in ((X, Y), (Y, Z), (Z, X))),
    ]
    bodies = (
        RigidBody("crank", 0.12, np.diag([1e-4, 1e-4, 1e-5])),
        RigidBody("rod", 0.5, np.diag([4e-4, 4e-3, 4e-3])),
        RigidBody("slider", 2.0, 1e-4 * np.eye(3)),
    )
    omega = np.array([1.92, -0.96, 0.48])
    v = np.zeros((3, 6))
    v[0] = [*np.cross(6 * X, 0.04 * Z), *(6 * X)]
    v[2, 0] = 0.24
    v[1] = [*(v[2, :3] + np.cross(omega, rod - slider)), *omega]
    model = Model(bodies, tuple(rows), x, q, gravity=(0.0, 0.0, -9.81))
    return model, State(0.0, x, q, v)


def test_spatial_slider_crank() -> None:
    """Haug's example, as in Exudyn's test: the slider's place at 1, 2 and 5 s."""
    model, start = _slider_crank()
    result = simulate(model, start, duration=5.0, rate=1.0, integrator="dop853", rtol=1e-12, atol=1e-12)
    assert result.status.ok
    run = result.trajectory
    assert_allclose(run.velocities[0], start.velocities, atol=1e-13)
    assert_allclose(run.positions[[1, 2, 5], 2, 0], [0.2117216614, 0.2890851971, 0.2407195737], rtol=1e-8)
    assert run.constraint_position.max() < 1e-12
