"""Accelerations: any redundancy, rotors, motors, against the dense reference."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import functions, rotation
from solver.constraints import GROUND, AxesAngle, PointOnPlane, Primitive, evaluate
from solver.equations.kkt import dense_accelerations
from solver.equations.projection import carry_angles, drive_values, project, rounding, turn_by
from solver.equations.system import prepare
from solver.model import JointLoad, Model, Motor, RigidBody
from solver.state import State
from solver.steps.methods import slope_at
from tests.solver.examples import O, X, Z, body, hinge, planetary, poses, turn, wheels


def accelerations(model: Model, state: State) -> tuple[np.ndarray, np.ndarray]:
    system = prepare(model)
    s = project(system, state).state
    slope = slope_at(system, s)
    return slope.acceleration, slope.multipliers


def reference(model: Model, state: State) -> tuple[np.ndarray, np.ndarray]:
    """The same by dense singular values, from the primitives' own evaluation."""
    s = project(prepare(model), state).state
    n = len(model.bodies)
    mass, force = np.zeros((6 * n, 6 * n)), np.zeros((n, 6))
    for i, b in enumerate(model.bodies):
        R = rotation.matrix(s.quaternions[i])
        inertia, spin = R @ b.inertia @ R.T, s.velocities[i, 3:]
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = b.mass * np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
        force[i] = [*(b.mass * np.array(model.gravity)), *(-np.cross(spin, inertia @ spin))]
    found = evaluate(
        model.primitives,
        s.positions,
        s.quaternions,
        s.velocities,
        reference=(model.positions, model.quaternions),
    )
    rates, multipliers = dense_accelerations(mass, found.G, force.ravel(), found.c)
    return rates.reshape(n, 6), multipliers


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), links=st.integers(1, 5), repeats=st.integers(0, 12))
def test_random_overconstrained_chains_agree_with_the_dense_reference(seed: int, links: int, repeats: int) -> None:
    rng = np.random.default_rng(seed)
    x, q = poses([[float(i + 1), 0.0, 0.0] for i in range(links)])
    rows: list[Primitive] = []
    for i in range(links):
        axis = rng.normal(size=3)
        rows += hinge(i - 1, i, O, O if i == 0 else -X, axis / np.linalg.norm(axis))
    # The first link hangs in the origin of the ground through its own point.
    rows[:5] = hinge(GROUND, 0, O, -X, Z)
    rows += [rows[k] for k in rng.integers(0, len(rows), repeats)]
    bodies = tuple(body(f"{i}", *rng.uniform(0.2, 3.0, 2)) for i in range(links))
    model = Model(bodies, tuple(rows), x, q)
    state = State(0.0, x, q, rng.normal(size=(links, 6)))
    rates, multipliers = accelerations(model, state)
    exact, least = reference(model, state)
    assert_allclose(rates, exact, atol=1e-9 * float(np.abs(exact).max()))
    assert_allclose(multipliers, least, atol=1e-6 * float(np.abs(least).max() + 1))


def test_a_repeated_row_changes_no_acceleration() -> None:
    rng = np.random.default_rng(3)
    once, twice = planetary(), planetary(repeated=True)
    state = State(0.0, once.positions, once.quaternions, 9.0 * rng.normal(size=(3, 6)))
    first, _ = accelerations(once, state)
    second, _ = accelerations(twice, state)
    assert np.abs(first).max() > 0.5
    assert_allclose(second, first, atol=1e-9 * float(np.abs(first).max()))


def test_gear_reflects_inertia_and_rotor_adds_to_it() -> None:
    ratio, torque, rotor, inertia = 4.0, 3.0, 0.7, 0.1 * 1.5
    motor = Motor("m", turn(GROUND, 0), "torque", functions.constant(torque))
    for armature in (0.0, rotor):
        model = wheels(ratio, (motor,), armature)
        rates, _ = accelerations(model, State.at_rest(model.positions, model.quaternions))
        expected = torque / (inertia + armature + inertia / ratio**2)
        assert_allclose(rates[:, 5], [expected, -expected / ratio], rtol=1e-9)


def test_spring_and_damper_act_along_their_coordinate() -> None:
    load = JointLoad(turn(GROUND, 0), damping=0.5, stiffness=2.0, rest=0.25)
    x, q = poses([[0, 0, 0]])
    model = Model((body(),), tuple(hinge(GROUND, 0, O, O, Z)), x, q, loads=(load,), gravity=(0, 0, 0))
    rates, _ = accelerations(model, State(0.0, x, q, np.array([[0, 0, 0, 0, 0, 3.0]])))
    assert_allclose(rates[0, 5], (-0.5 * 3.0 + 2.0 * 0.25) / 0.15, rtol=1e-9)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (RigidBody("hull", 0.0, np.eye(3)), "nothing gives inertia to a freedom of hull"),
        (RigidBody("hull", -1.0, np.eye(3)), "body hull: its mass must not be negative, and is -1 kg"),
        (RigidBody("hull", 1.0, np.diag([1.0, 1.0, 0.0])), "nothing gives inertia to a freedom of hull"),
        (RigidBody("hull", 1.0, np.diag([1.0, 1.0, -0.1])), "body hull: its inertia must not be negative"),
        (RigidBody("hull", 1.0, np.eye(3) + np.eye(3, k=1)), "body hull: its inertia must be symmetric"),
        (RigidBody("hull", np.nan, np.eye(3)), "body hull: .* not a finite number"),
    ],
)
def test_bodies_that_cannot_be_moved_are_named(changed: RigidBody, words: str) -> None:
    x, q = poses([[0, 0, 0]])
    with pytest.raises(ValueError, match=words):
        prepare(Model((changed,), (), x, q))


def test_unknown_motor_kind_is_named() -> None:
    motor = Motor("drive", turn(GROUND, 0), "force", functions.constant(1.0))
    with pytest.raises(
        ValueError, match='motor drive: the kind is one of torque, speed, angle, pd, servo, voltage, not "force"'
    ):
        prepare(wheels(2.0, (motor,)))


def test_projection_closes_a_disturbed_pose_and_its_rates() -> None:
    model = planetary()
    rng = np.random.default_rng(5)
    x = model.positions + 0.02 * rng.normal(size=(3, 3))
    q = rotation.turned(model.quaternions, 0.05 * rng.normal(size=(3, 3)))
    found = project(prepare(model), State(0.0, x, q, rng.normal(size=(3, 6))))
    assert found.status.ok
    assert found.residuals[0].max() < 1e-12
    assert found.residuals[1].max() < 1e-12
    assert np.abs(found.state.velocities).max() > 0.01


def test_contradicting_constraints_end_at_least_squares_and_are_named() -> None:
    x, q = poses([[0, 0, 0]])
    rows = (
        PointOnPlane(GROUND, 0, O, X, O),
        PointOnPlane(GROUND, 0, O, X, O, 0.002),
        AxesAngle(GROUND, 0, X, Z),
    )
    model = Model((body(),), rows, x, q, groups=("Flush:1", "Mate:2", "Angle:3"))
    found = project(prepare(model), State.at_rest(x, q))
    assert (found.status.ok, found.status.code) == (False, "inconsistent")
    assert set(found.status.groups) == {"Flush:1", "Mate:2"}
    assert "(1 mm)" in found.status.message
    assert_allclose(found.state.positions[0, 0], 0.001, rtol=1e-6)


def test_a_state_of_another_model_is_refused() -> None:
    model = planetary()
    with pytest.raises(ValueError, match="does not belong to this model"):
        project(prepare(model), State.at_rest(model.positions[:2], model.quaternions[:2]))
    rates, _ = accelerations(replace(model, gravity=(0, 0, 0)), State.at_rest(model.positions, model.quaternions))
    assert_allclose(rates, 0.0, atol=1e-12)


def test_angles_keep_their_turns_from_model_to_model() -> None:
    # Led ten turns away by a driver, the gears stay in phase where the driver is taken off.
    plain = wheels(1.5)
    motor = Motor("lead", plain.coordinates[0], "angle", functions.constant(0.0))
    state = State.at_rest(plain.positions, plain.quaternions)
    source = prepare(replace(plain, motors=(motor,)))
    for k in range(1, 41):
        led = replace(motor, function=functions.constant(k * np.pi / 2))
        source = prepare(replace(plain, motors=(led,)))
        found = project(source, state)
        assert found.status.ok
        state = found.state
    target = prepare(plain)
    carried = project(target, carry_angles(state, source, target))
    assert carried.status.ok
    assert_allclose(carried.state.quaternions, state.quaternions, atol=1e-12)
    assert carried.state.angles is not None
    assert_allclose(carried.state.angles[-2:], [20 * np.pi, -20 * np.pi / 1.5], rtol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-3, 2.0, 7.0])
def test_a_quaternion_is_turned_by_a_rotation_vector(size: float) -> None:
    chance = np.random.default_rng(1)
    q, axis = rotation.exponential(chance.normal(size=3)), chance.normal(size=3)
    theta = size * axis / np.linalg.norm(axis)
    turned = q.copy()
    turn_by(turned, *theta)
    assert_allclose(
        rotation.matrix(turned), rotation.matrix(rotation.exponential(theta)) @ rotation.matrix(q), atol=1e-15
    )
    assert np.linalg.norm(turned) == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("far", [0.0, 1.0, 3e4])
def test_rows_are_closed_to_the_rounding_of_positions(far: float) -> None:
    """To two units in the last place of the farthest coordinate, over the length that scales rows."""
    length = 0.2
    floor = rounding(np.array([[0.1, -far, 0.0]]), length)
    assert 0.4 * np.spacing(far) / length <= floor <= 1e-14 + 2.0 * np.spacing(far) / length


def test_a_model_without_functions_of_time_has_no_values_of_them() -> None:
    assert drive_values(prepare(planetary()), 1.0).shape == (0, 3)
