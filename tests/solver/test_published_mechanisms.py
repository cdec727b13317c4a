"""Andrews' squeezing mechanism and the spatial slider-crank, with the published results."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from solver import State, rotation, simulate, wrenches
from solver.constraints import GROUND, AxesAngle, Coordinate, PointOnPlane, Primitive
from solver.functions import constant
from solver.model import JointLoad, Model, Motor, RigidBody
from tests.solver import andrews
from tests.solver.examples import O, X, Y, Z, ball, hinge, turn

Array = np.ndarray

A, B, C = np.array([-0.06934, -0.00227, 0]), np.array([-0.03635, 0.03273, 0]), np.array([0.014, 0.072, 0])


def _turned(angle: float, x: float, y: float = 0.0) -> Array:
    """x and y along the axes of a body at an angle."""
    return np.array([x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle), 0.0])


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
    angles = andrews.absolute(andrews.START)
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
            for i, (m, inertia) in enumerate(zip(andrews.MASSES, andrews.INERTIAS, strict=True))
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


def test_andrews_squeezing_mechanism() -> None:
    """Angles, rates, accelerations and multipliers at 0.03 s: those of other equations, and the published ones.

    What the IVP test set prints (PSIDE in index 3, tolerances of 1e-14) is further from the exact solution than this
    run: by 3e-10 in the angles, the only ones that the test set itself compares, 6e-8 in the rates, 2e-6 in the
    multipliers. That is shown by the exact solution, derived twice: in the crank's angle alone, and that in 34 digits.
    """
    model = _andrews()
    result = simulate(model, duration=0.03, rate=1000.0, integrator="dop853", rtol=1e-13, atol=1e-13)
    assert result.status.ok
    run = result.trajectory
    other = andrews.Andrews().at(0.03)
    found = {
        "angles": andrews.relative(run.coordinates[-1]),
        "rates": andrews.relative(run.coordinate_rates[-1]),
        "multipliers": np.concatenate([wrenches(model, run)[name][-1, :2] for name in ("P3", "P4", "P6")]),
    }
    good_to = {"angles": 3e-10, "rates": 6e-8, "multipliers": 2e-6}
    for name, values in found.items():
        assert_allclose(values, andrews.EXACT[name], rtol=1e-11, err_msg=name)
        assert_allclose(getattr(other, name), andrews.EXACT[name], rtol=5e-11, err_msg=name)
        assert_allclose(values, andrews.PUBLISHED[name], rtol=good_to[name], err_msg=name)
    assert_allclose(andrews.relative(run.coordinate_accelerations[-1]), other.accelerations, rtol=1e-10)
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
