"""Belts, worms, cams, differentials and constant-velocity joints against what is known of them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import functions, gear_errors, rotation, simulate
from solver.constraints import (
    GROUND,
    AxesAngle,
    ConstantVelocity,
    Coordinate,
    Coupler,
    Distance,
    FunctionCoupler,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
    WheelPair,
    evaluate,
)
from solver.constraints.curves import Curve, oscillating_cam, periodic, pitch_curve, spline, translating_cam
from solver.constraints.gears import belt_ratio, screw_gear_ratio
from solver.constraints.kernels import curve_at
from solver.model import Model, Motor
from solver.result import Result
from tests.solver.examples import O, X, Y, Z, ball, body, hinge, poses, turn

CIRCLE = np.linspace(0, 2 * np.pi, 240, endpoint=False)


def driven(model: Model, function: str = "3*t", duration: float = 1.0) -> Result:
    """Coordinate 0 led as an angle from rest; what comes out must hold its constraints."""
    motor = Motor("m", model.coordinates[0], "angle", functions.expression(function))
    model = Model(**{**vars(model), "motors": (motor,)})
    result = simulate(model, duration=duration, rate=40.0)
    assert result.status.ok, result.status.message
    T = result.trajectory
    assert T.constraint_position.max() < 1e-12
    # The work of the motor from the moving start on is all that changes the energy.
    balance = T.kinetic + T.potential - T.motor_work
    assert np.ptp(balance) < 1e-6 * max(1.0, float(T.kinetic.max()))
    return result


def carried_wheels(ratio: float, axis_b: np.ndarray) -> Model:
    """An arm about z, with wheel 1 on z and wheel 2 (axis_b) 1 m out on it, both hinged on the arm."""
    x, q = poses([[0, 0, 0], [0, 0, 0], [1, 0, 0]])
    rows = hinge(GROUND, 0, O, O, Z) + hinge(0, 1, O, O, Z) + hinge(0, 2, X, O, axis_b)
    pair = WheelPair(1, 2, O, Z, O, axis_b, ratio)
    return Model(
        tuple(body(n) for n in ("arm", "one", "two")),
        (*rows, pair),
        x,
        q,
        coordinates=(turn(GROUND, 0), turn(0, 1), turn(0, 2, axis_b), turn(GROUND, 1)),
        gravity=(0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize("curve", [
    spline([[-1.0, 0.3], [0.2, 1.0], [0.9, -0.4], [2.0, 0.1]]),
    periodic([[0.0, 0.0], [1.0, 0.7], [2.5, -0.2], [4.0, 0.5]], period=5.0, rise=1.2),
])  # fmt: skip
def test_kernels_have_the_values_of_a_curve_and_its_derivatives(curve: Curve) -> None:
    tables: Any = SimpleNamespace(
        curve_start=np.array([0, len(curve.breaks)]), curve_break=curve.breaks, curve_coefficient=curve.coefficients,
        curve_period=np.array([curve.period]), curve_rise=np.array([curve.rise]),
    )  # fmt: skip
    at, h = np.random.default_rng(4).uniform(-6.0, 9.0, size=60), 1e-4
    found = np.array([curve_at(tables, 0, float(q)) for q in at])
    assert_allclose(found[:, 0], curve(at), atol=1e-12)
    assert_allclose(found[:, 1], (curve(at + h) - curve(at - h)) / (2 * h), atol=1e-6)
    assert_allclose(found[:, 2], (curve(at + h) - 2 * curve(at) + curve(at - h)) / h**2, atol=2e-3)


@pytest.mark.parametrize("ratio", [0.4, -2.5])
@pytest.mark.parametrize("axis", [Z, -Z, Y], ids=["parallel", "against", "crossed"])
def test_wheels_turn_by_their_ratio_against_a_turning_carrier(ratio: float, axis: np.ndarray) -> None:
    model = carried_wheels(ratio, axis)
    # The arm is led, and wheel 1 held to the ground: on the arm it turns back.
    held = Motor("held", model.coordinates[3], "angle", functions.constant(0.0))
    lead = Motor("lead", model.coordinates[0], "angle", functions.expression("40*smoothstep(t)"))
    result = simulate(Model(**{**vars(model), "motors": (lead, held)}), duration=1.0, rate=20.0)
    assert result.status.ok
    q = result.trajectory.coordinates
    assert_allclose(q[-1, 0], 40.0, atol=1e-9)
    assert_allclose(q[:, 1], -q[:, 0], atol=1e-9)
    assert_allclose(q[:, 2], ratio * q[:, 1], atol=1e-9)


def test_belt_and_worm_ratios_have_the_sense_of_the_real_thing() -> None:
    assert belt_ratio(Z, 0.1, Z, 0.2) == 0.5
    assert belt_ratio(Z, 0.1, -Z, 0.2) == -0.5
    assert belt_ratio(Z, 0.1, Z, 0.2, crossed=True) == -0.5
    # Spur gears are crossed helical ones without a helix, on parallel axes.
    assert screw_gear_ratio(Z, Z, X, (10, 20), 0.0) == -0.5
    # Two right-hand gears of 45° at a right angle: the pitch point of a at +x goes along y, its teeth along (y + z)/√2;
    # across them b must go along with it, and at its −x side b goes along −z by turning about −y… by the right hand.
    sense = screw_gear_ratio(Z, Y, X, (10, 10), np.pi / 4)
    normal = (Z - Y) / np.sqrt(2)
    assert_allclose(normal @ np.cross(Z, X), sense * (normal @ np.cross(Y, -X)), atol=1e-12)
    # The thread of a right-hand worm that turns by the right hand about z goes down: b's rim at −x goes down with it.
    assert screw_gear_ratio(Z, Y, X, (1, 40), np.radians(86)) == 1 / 40 * np.sign(np.cross(Y, -X) @ -Z)
    assert screw_gear_ratio(Z, Y, X, (1, 40), np.radians(-86)) == 1 / 40 * np.sign(np.cross(Y, -X) @ Z)
    with pytest.raises(ValueError, match="would not drive each other"):
        screw_gear_ratio(Z, Y, X, (10, 10), 0.0)


def test_wheels_on_meeting_axes_are_refused() -> None:
    model = carried_wheels(1.0, Z)
    pair = WheelPair(1, 2, O, Z, -X, Y, 1.0)
    with pytest.raises(ValueError, match="the axes of the two wheels meet"):
        simulate(Model(**{**vars(model), "primitives": (pair,)}), duration=0.1, rate=10.0)


def test_a_wheel_may_be_given_by_any_points_of_its_axes() -> None:
    """Of crossed wheels the line between the axes counts, wherever on them the points are."""
    x = np.array([[0.3, -0.2, 0.5], [0.7, 0.4, -0.1]])
    q = rotation.exponential(np.array([[0.4, -0.3, 0.8], [-0.2, 0.9, 0.5]]))
    axis_a, axis_b = (np.array([1.0, 2.0, -1.0]) / np.sqrt(6), np.array([0.6, 0.0, 0.8]))
    point_a, point_b = np.array([0.1, 0.2, 0.0]), np.array([-0.3, 0.1, 0.2])

    def gradient(along_a: float, along_b: float) -> np.ndarray:
        pair = WheelPair(0, 1, point_a + along_a * axis_a, axis_a, point_b + along_b * axis_b, axis_b, -1.7)
        return np.asarray(evaluate([pair], x, q, reference=(x, q)).G)

    assert np.abs(gradient(0.0, 0.0)).max() > 0.1
    for along_a, along_b in ((0.4, 0.0), (0.0, -0.6), (0.5, 0.7)):
        assert_allclose(gradient(along_a, along_b), gradient(0.0, 0.0), atol=1e-13)


def shafts(angle: float, coupling: list[Primitive]) -> Model:
    """Shaft 0 about z and shaft 1, bent by `angle` about x, joined at the origin."""
    x = np.array([[0, 0, -0.5], [0, 0, 0]], float)
    q = np.vstack([[1, 0, 0, 0], rotation.exponential(np.array([[angle, 0, 0]]))])
    axis = rotation.matrix(q[1]) @ Z
    rows: list[Primitive] = hinge(GROUND, 0, x[0], O, Z) + [
        PointOnPlane(GROUND, 1, O, e, k * Z) for e in (np.cross(axis, X), X) for k in (0.0, 1.0)
    ]
    rows += [PointOnPlane(GROUND, 1, O, axis, O), *coupling]
    out = Coordinate("angle", GROUND, 1, O, axis, O, X, X)
    return Model(
        (body("in", inertia=0.1), body("out", inertia=0.1)), tuple(rows), x, q,
        coordinates=(turn(GROUND, 0), out), gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip


def test_constant_velocity_joint_turns_evenly_and_a_cross_does_not() -> None:
    angle = 0.7
    even = driven(shafts(angle, [ConstantVelocity(0, 1, X, Y, X, Y)]), "20*smoothstep(t)")
    q = even.trajectory.coordinates
    assert_allclose(q[:, 1], q[:, 0], atol=1e-10)
    from solver.constraints import AxesAngle

    cross = driven(shafts(angle, [AxesAngle(0, 1, Y, X)]), "20*smoothstep(t)")
    a, b = cross.trajectory.coordinates.T
    assert np.abs(b - a).max() > 0.1


def cam_model(law: FunctionCoupler) -> Model:
    """A cam 0 about z and a follower 1 that slides along y (0.3 m over the cam's axis)."""
    x, q = poses([[0, 0, 0], [0, 0.3, 0]])
    slide: list[Primitive] = [PointOnPlane(GROUND, 1, O, e, k * Y) for e in (X, Z) for k in (0.0, 1.0)]
    slide.append(PointOnPlane(GROUND, 1, O, Z, X))
    return Model(
        (body("cam"), body("follower")), (*hinge(GROUND, 0, O, O, Z), *slide, law), x, q,
        coordinates=(law.driver, law.driven), gravity=(0.0, -9.81, 0.0),
    )  # fmt: skip


def eccentric(radius: float, off: float) -> np.ndarray:
    """The profile [polar angle, radius] of a disc whose centre lies at (off, 0) from its axis."""
    return np.column_stack([CIRCLE, off * np.cos(CIRCLE) + np.sqrt(radius**2 - (off * np.sin(CIRCLE)) ** 2)])


@pytest.mark.parametrize("offset", [0.0, 0.02])
def test_follower_of_an_eccentric_disc_moves_as_its_closed_form(offset: float) -> None:
    radius, off, roller = 0.05, 0.015, 0.01
    curve = translating_cam(eccentric(radius, off), roller, offset)
    law = FunctionCoupler(0, 1, turn(GROUND, 0), Coordinate("distance", GROUND, 1, O, Y, O), curve)
    model = cam_model(law)
    start = float(curve(0.0))
    model.positions[1, 1] = start
    result = driven(model, "13*smoothstep(t)")
    theta, y = result.trajectory.coordinates.T
    # The roller's centre keeps radius + roller from the disc's centre, which circles the axis.
    exact = off * np.sin(theta) + np.sqrt((radius + roller) ** 2 - (offset - off * np.cos(theta)) ** 2)
    assert_allclose(y, exact, atol=1e-8)


@pytest.mark.parametrize("side", [1, -1])
def test_oscillating_follower_keeps_its_roller_on_the_disc(side: int) -> None:
    radius, off, roller, pivot, arm = 0.05, 0.012, 0.01, 0.12, 0.1
    curve = oscillating_cam(eccentric(radius, off), pivot, arm, roller, side)
    theta = np.linspace(-7, 7, 50)
    psi = curve(theta)
    centre = pivot * np.array([[1.0, 0.0]]) + arm * np.column_stack([-np.cos(psi), side * np.sin(psi)])
    disc = off * np.column_stack([np.cos(theta), np.sin(theta)])
    assert_allclose(np.linalg.norm(centre - disc, axis=1), radius + roller, atol=1e-8)


def test_cams_that_cannot_be_are_refused() -> None:
    profile = eccentric(0.05, 0.015)
    with pytest.raises(ValueError, match="passes the cam beside it"):
        translating_cam(profile, offset=0.05)
    with pytest.raises(ValueError, match="does not reach"):
        oscillating_cam(profile, 0.2, 0.1)
    wavy = np.column_stack([CIRCLE, 0.05 + 0.01 * np.sin(8 * CIRCLE)])
    with pytest.raises(ValueError, match="the roller does not fit"):
        pitch_curve(wavy, 0.03)
    with pytest.raises(ValueError, match="must rise: 0 follows 1"):
        spline([[0, 0], [1, 1], [0, 2]])
    with pytest.raises(ValueError, match="within one period"):
        periodic([[0, 0], [1, 1], [7, 2]], 2 * np.pi)
    with pytest.raises(ValueError, match="finite"):
        spline([[0.0, 0.0], [1.0, float("nan")], [2.0, 2.0]])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_periodic_curve_goes_through_its_points_in_every_period(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = np.column_stack([np.sort(rng.uniform(-2, 2, 6)) + 0.1 * np.arange(6), rng.normal(size=6)])
    period, rise = 6.0, float(rng.normal())
    curve = periodic(points, period, rise)
    for k in (-3, 0, 5):
        assert_allclose(curve(points[:, 0] + k * period), points[:, 1] + k * rise, atol=1e-9)


def test_curve_goes_on_along_its_tangent() -> None:
    curve: Curve = spline([[0, 0], [1, 1], [2, 4]])
    step = 1e-6
    for end, out in ((0.0, -1.0), (2.0, 1.0)):
        slope = (curve(end) - curve(end - step * out)) / (step * out)
        assert_allclose(curve(end + 3.0 * out), curve(end) + 3.0 * out * slope, atol=1e-4)


def test_differential_shares_the_turns_of_its_case() -> None:
    x, q = poses([[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    rows = [p for i in range(3) for p in hinge(GROUND, i, O, O, Z)]
    case, left, right = (turn(GROUND, i) for i in range(3))
    shared = Coupler(0, 1, ((2.0, case), (-1.0, left), (-1.0, right)))
    model = Model(
        (body("case"), body("left", inertia=0.1), body("right", inertia=0.3)), (*rows, shared), x, q,
        coordinates=(case, left, right),
    )  # fmt: skip
    result = driven(model, "8*smoothstep(t)")
    a, b, c = result.trajectory.coordinates.T
    assert_allclose(b + c, 2 * a, atol=1e-9)
    # Torques are the same on both, so that the light wheel runs ahead of the heavy one by their inertias.
    assert_allclose(b, 3 * c, atol=1e-6)


def test_ball_and_constant_velocity_leave_two_freedoms() -> None:

    x, q = poses([[0, 0, 0], [0, 0, 0]])
    rows = [*ball(0, 1, O, O), ConstantVelocity(0, 1, X, Y, X, Y)]
    assert np.linalg.matrix_rank(evaluate(rows, x, q).G) == 4


def test_the_error_of_a_belt_is_the_turn_that_its_wheel_b_lags() -> None:
    model = carried_wheels(0.4, Z)
    lag = np.array([0.0, 0.01])
    turned = np.array([[1.0, 0, 0, 0], [1.0, 0, 0, 0], [np.cos(0.005), 0, 0, np.sin(0.005)]])
    run = driven(model, "0*t", 0.1).trajectory
    shown = replace(
        run,
        positions=np.array([model.positions, model.positions]),
        quaternions=np.array([model.quaternions, turned]),
        velocities=run.velocities[:2],
        angles=np.zeros((2, run.angles.shape[1])),
    )
    (found,) = gear_errors(model, shown)
    assert found.unit == "rad"
    assert_allclose(np.abs(found.error), lag, atol=1e-12)


def all_primitives(kind: type[Any]) -> set[type[Any]]:
    """The public primitives below a class."""
    found = {c for below in kind.__subclasses__() for c in (below, *all_primitives(below))}
    return {c for c in found if not c.__name__.startswith("_")}


def test_every_primitive_says_the_unit_of_its_residual() -> None:
    slide = Coordinate("distance", GROUND, 0, O, Z, O)
    angle, square = turn(GROUND, 0), np.ones(3)
    curve = spline(((0.0, 0.0), (1.0, 1.0), (2.0, 3.0), (3.0, 4.0)))
    expected: dict[str, list[Primitive]] = {
        "m": [
            PointOnPlane(0, 1, O, Z, O),
            Distance(0, 1, O, X, 1.0),
            PointLineDistance(0, 1, O, Z, X, 1.0),
            LineDistance(0, 1, O, Z, X, Y, 1.0),
            GearPair(0, 1, "spur", O, Z, X, Z, 2.0),
            RackPinion(0, 1, O, Z, 0.1, X, Y),
            Coupler(0, 1, ((1.0, slide), (-0.1, angle))),
            FunctionCoupler(0, 1, angle, slide, curve),
        ],
        "rad": [
            WheelPair(0, 1, O, Z, square, X, 2.0),
            Coupler(0, 1, ((1.0, angle), (-2.0, angle))),
            FunctionCoupler(0, 1, slide, angle, curve),
        ],
        "1": [AxesAngle(0, 1, X, Y), ConstantVelocity(0, 1, X, Y, X, Y)],
    }
    for unit, primitives in expected.items():
        assert {p.unit for p in primitives} == {unit}
    assert {type(p) for of in expected.values() for p in of} == all_primitives(Primitive)
