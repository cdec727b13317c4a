"""Loads: closed forms, gradients of potentials, the balance of energy, and what cannot act."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import functions, rotation, simulate
from solver.constraints import GROUND, Coordinate
from solver.equations.dynamics import accelerate, observe
from solver.equations.projection import drive_values, project
from solver.equations.system import System, prepare
from solver.model import Bushing, Callback, Friction, JointLoad, Model, Motor, Stop, TimeFunction, Wrench
from solver.result import Result
from solver.state import State
from tests.solver.examples import O, X, Y, Z, body, pendulum, poses, turn

CONST = functions.constant


def free(*loads: JointLoad, **changes: object) -> Model:
    """One body at 1 m on x, of 1 kg and the inertias 0.1, 0.12, 0.15, free in space without gravity."""
    x, q = poses([[1.0, 0.0, 0.0]])
    model = Model((body(),), (), x, q, loads=loads, gravity=(0.0, 0.0, 0.0))
    return replace(model, **changes)  # type: ignore[arg-type]


def length(a: int, b: int, point_a: np.ndarray = O, point_b: np.ndarray = O) -> Coordinate:
    return Coordinate("length", a, b, point_a, X, point_b)


def drift(result: Result) -> float:
    """Change of kinetic + potential − work + loss, over the largest kinetic energy."""
    T = result.trajectory
    total = T.kinetic + T.potential - T.motor_work + T.dissipated
    return float(np.ptp(total) / max(T.kinetic.max(), 1e-12))


def rates_at(system: System, s: State) -> np.ndarray:
    tables = (system.program.terms, system.plan, system.bodies, system.loads, system.rows)
    return np.asarray(
        accelerate(*tables, s.positions, s.quaternions, s.velocities, s.branches, drive_values(system, s.t))[0]
    )


def potential_at(system: System, s: State) -> float:
    tables = (system.program.terms, system.bodies, system.loads, system.rows)
    arrays = (s.positions, s.quaternions, s.velocities, s.branches, drive_values(system, s.t))
    count = len(system.program.coordinate_term)
    found = observe(*tables, system.length, *arrays, np.zeros_like(s.velocities), count)
    return float(found[-1])


def test_spring_between_points_swings_at_its_frequency_and_loses_what_its_damper_takes() -> None:
    spring = JointLoad(length(GROUND, 0), stiffness=100.0, rest=0.8, damping=0.4)
    result = simulate(free(spring), duration=1.0, rate=200.0, rtol=1e-10, atol=1e-12)
    T = result.trajectory
    decay, swing = 0.2, np.sqrt(100.0 - 0.2**2)
    envelope = np.exp(-decay * T.t)
    exact = 0.8 + 0.2 * envelope * (np.cos(swing * T.t) + decay / swing * np.sin(swing * T.t))
    assert_allclose(T.positions[:, 0, 0], exact, atol=1e-9)
    assert drift(result) < 1e-8
    assert T.dissipated[-1] > 0.5


def test_wrench_in_world_and_body_axes_and_its_work() -> None:
    push = Wrench("push", 0, Y * 0.5, force=(CONST(3.0), None, None))
    result = simulate(free(wrenches=(push,)), duration=0.1, rate=100.0)
    assert_allclose(result.trajectory.accelerations[0, 0], [3, 0, 0, 0, 0, -1.5 / 0.15], rtol=1e-12)
    assert drift(result) < 1e-7
    assert_allclose(result.trajectory.motor_work[-1], result.trajectory.kinetic[-1], rtol=1e-7)
    turned = State.at_rest(np.array([[1.0, 0, 0]]), rotation.exponential(np.pi / 2 * Z[None]))
    own = replace(push, axes="body", point=O, torque=(functions.expression("2*t"), None, None))
    run = simulate(free(wrenches=(own,)), turned, duration=0.5, rate=10.0)
    assert_allclose(run.trajectory.accelerations[0, 0, :3], [0, 3, 0], atol=1e-12)
    assert_allclose(run.trajectory.accelerations[-1, 0, 3:], [0, 2 * 0.5 / 0.1, 0], atol=1e-6)


def test_dry_friction_stops_a_sliding_body_within_its_braking_distance() -> None:
    slide = Coordinate("distance", GROUND, 0, X, X, O)
    load = JointLoad(slide, friction=Friction(torque=2.0, speed=1e-3))
    start = State(0.0, np.array([[1.0, 0, 0]]), np.array([[1.0, 0, 0, 0]]), np.array([[1.0, 0, 0, 0, 0, 0]]))
    result = simulate(free(load), start, duration=1.0, rate=100.0)
    T = result.trajectory
    # v²/(2 a) = 1/4 m, and then a creep far below the stated speed.
    assert_allclose(T.positions[-1, 0, 0] - 1.0, 0.25, atol=1e-3)
    assert abs(T.velocities[-1, 0, 0]) < 1e-6
    assert_allclose(T.dissipated[-1], 0.5, rtol=1e-6)
    assert drift(result) < 1e-6


@pytest.mark.parametrize("damping", [0.0, 40.0])
def test_stop_pushes_back_and_never_pulls(damping: float) -> None:
    slide = Coordinate("distance", GROUND, 0, X, X, O)
    load = JointLoad(slide, stop=Stop(-0.2, 0.1, stiffness=1e5, damping=damping, depth=1e-3))
    start = State(0.0, np.array([[1.0, 0, 0]]), np.array([[1.0, 0, 0, 0]]), np.array([[1.0, 0, 0, 0, 0, 0]]))
    result = simulate(free(load), start, duration=1.0, rate=1000.0, longest_step=1e-3)
    T = result.trajectory
    moved = T.positions[:, 0, 0] - 1.0
    assert moved.max() < 0.1 + 5e-3
    assert moved.min() > -0.2 - 5e-3
    # The lost work itself is not under the step's control of error, and the damper lets go at once.
    assert drift(result) < (1e-4 if damping else 1e-5)
    force = T.accelerations[:, 0, 0]
    assert np.all(force[moved > 0] <= 1e-9)
    assert np.all(force[moved < -0.1] >= -1e-9)
    if damping:
        assert np.abs(T.velocities[-1, 0, 0]) < 0.9
    else:
        assert_allclose(np.abs(T.velocities[-1, 0, 0]), 1.0, atol=1e-5)


def test_pd_motor_follows_its_target_within_its_effort() -> None:
    model = replace(pendulum(gravity=0.0), motors=())
    motor = Motor("arm", turn(GROUND, 0), "pd", CONST(1.0), stiffness=50.0, damping=8.0, effort=2.0)
    result = simulate(replace(model, motors=(motor,)), duration=4.0, rate=50.0)
    T = result.trajectory
    inertia = 0.15 + 0.25
    assert_allclose(T.coordinate_accelerations[0, 0], 2.0 / inertia, rtol=1e-10)
    assert np.abs(T.coordinate_accelerations[:, 0]).max() * inertia <= 2.0 + 1e-9
    assert_allclose(T.coordinates[-1, 0], 1.0, atol=1e-6)
    assert drift(result) < 1e-6


def test_callback_acts_along_the_coordinates() -> None:
    def spring(t: float, q: np.ndarray, rate: np.ndarray) -> Any:
        return -3.0 * q - 0.1 * rate + np.array([np.sin(t), 0.0])

    base = pendulum(2)
    called = replace(base, callbacks=(Callback("springs", spring),))
    motor = Motor("m", base.coordinates[0], "torque", functions.expression("sin(t)"))
    loads = tuple(JointLoad(c, stiffness=3.0, damping=0.1) for c in base.coordinates)
    by_loads = simulate(replace(base, motors=(motor,), loads=loads), duration=0.5, rate=20.0)
    by_call = simulate(called, duration=0.5, rate=20.0)
    assert by_call.status.ok
    assert_allclose(by_call.trajectory.coordinates, by_loads.trajectory.coordinates, atol=1e-7)
    assert drift(by_call) < 1e-6


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda t: 1 / 0, 'the callback "wind" raised ZeroDivisionError at t = '),
        (lambda t: [1.0, 2.0, 3.0], r'the callback "wind" gave forces of shape \(3,\), not \(1,\)'),
        (lambda t: [float("nan")], r'the callback "wind" gave \[nan\]'),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_callback_that_fails_ends_the_run_and_is_named(answer: object, said: str, late: bool) -> None:
    def wind(t: float, q: np.ndarray, rate: np.ndarray) -> object:
        return [0.0] if late and t < 0.25 else answer(t)  # type: ignore[operator]

    model = replace(pendulum(), callbacks=(Callback("wind", wind),))
    result = simulate(model, duration=1.0, rate=10.0)
    assert result.status.code == "load_failed"
    assert np.all(np.isfinite(result.trajectory.accelerations[1:]))
    assert len(result.trajectory.t) == (3 if late else 1)
    assert re.search(said, result.status.message)


def test_interrupt_within_a_callback_keeps_what_is_done() -> None:
    def stop(t: float, q: np.ndarray, rate: np.ndarray) -> list[float]:
        if t > 0.25:
            raise KeyboardInterrupt
        return [0.0]

    result = simulate(replace(pendulum(), callbacks=(Callback("stop", stop),)), duration=1.0, rate=10.0)
    assert result.status.code == "stopped"
    assert len(result.trajectory.t) == 3


def _bushing(rng: np.random.Generator, a: int, b: int, damped: bool = False) -> Bushing:
    def matrix() -> np.ndarray:
        half = rng.normal(size=(6, 6))
        return np.asarray(half @ half.T)

    axes = rotation.matrix(rotation.exponential(rng.normal(size=(2, 3))))
    return Bushing(
        "rubber", a, b, rng.normal(size=3), axes[0], rng.normal(size=3), axes[1],
        matrix(), matrix() if damped else np.zeros((6, 6)),
    )  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), grounded=st.booleans())
def test_bushing_force_is_the_gradient_of_its_potential(seed: int, grounded: bool) -> None:
    rng = np.random.default_rng(seed)
    x, q = rng.normal(size=(2, 3)), rotation.exponential(0.5 * rng.normal(size=(2, 3)))
    bushing = _bushing(rng, GROUND if grounded else 0, 1)
    bodies = (body("one"), body("two"))
    system = prepare(Model(bodies, (), x, q, bushings=(bushing,), gravity=(0.0, 0.0, 0.0)))
    state = project(system, State.at_rest(x, q)).state
    rates = rates_at(system, state)
    R = rotation.matrix(q)
    for i, b in enumerate(bodies):
        force = np.concatenate([b.mass * rates[i, :3], R[i] @ b.inertia @ R[i].T @ rates[i, 3:]])
        for k in range(6):
            step = np.zeros((2, 6))
            step[i, k] = 1e-6
            ahead, behind = (
                potential_at(
                    system,
                    replace(
                        state,
                        positions=x + s * step[:, :3],
                        quaternions=rotation.turned(q, s * step[:, 3:]),
                    ),
                )
                for s in (1.0, -1.0)
            )
            assert_allclose(force[k], -(ahead - behind) / 2e-6, atol=2e-6 * max(1.0, float(np.abs(force).max())))


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_energy_balances_under_all_loads_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = pendulum(2)
    spring = Coordinate("length", GROUND, 1, rng.normal(size=3), X, 0.3 * rng.normal(size=3))
    model = replace(
        base,
        loads=(
            JointLoad(spring, stiffness=20.0, rest=1.0, damping=0.3),
            JointLoad(base.coordinates[0], damping=0.2, friction=Friction(0.5, 0.2), armature=0.3),
            JointLoad(base.coordinates[1], stop=Stop(-0.5, 0.4, stiffness=200.0, damping=5.0, depth=0.05)),
        ),
        bushings=(_bushing(rng, 0, 1, damped=True),),
        wrenches=(Wrench("gust", 1, O, force=(functions.expression("5*sin(3*t)"), None, CONST(1.0)), axes="body"),),
        motors=(Motor("m", base.coordinates[0], "pd", CONST(0.5), stiffness=5.0, damping=0.5, effort=3.0),),
        callbacks=(Callback("drag", lambda t, q, rate: -0.1 * rate),),
    )
    result = simulate(model, duration=0.5, rate=20.0, rtol=1e-8, atol=1e-9)
    assert result.status.ok
    assert drift(result) < 1e-5


def test_faults_of_loads_are_told_together_by_name() -> None:
    slide = Coordinate("distance", GROUND, 0, X, X, O)
    loads = (
        JointLoad(slide, stiffness=float("nan"), name="spring"),
        JointLoad(slide, friction=Friction(1.0, 0.0), name="brake"),
        JointLoad(slide, stop=Stop(1.0, 0.0, 1.0, 0.0, 0.1), name="end"),
    )
    rubber = Bushing("rubber", GROUND, 0, O, np.eye(3), O, np.eye(3), -np.eye(6), np.zeros((6, 6)))
    model = free(*loads, bushings=(rubber,), wrenches=(Wrench("push", 3, O),))
    said = (
        "load spring: its stiffness is not a finite number; "
        "load brake: the speed of its friction must be above zero, not 0; "
        "load end: its stops are not a range: 1.0 to 0.0; "
        "wrench push: there is no body 3; "
        "bushing rubber: its stiffness must not be negative in any direction"
    )
    with pytest.raises(ValueError, match="load spring") as raised:
        prepare(model)
    assert str(raised.value) == said


def test_function_of_a_load_that_turns_to_nan_ends_the_run_and_is_named() -> None:
    function = TimeFunction(lambda t: (float("nan") if t > 0.15 else 0.0, 0.0, 0.0))
    result = simulate(free(wrenches=(Wrench("gust", 0, O, (function, None, None)),)), duration=1.0, rate=10.0)
    assert result.status.code == "no_value"
    assert "wrench gust: its function has no finite value at t = 0." in result.status.message
    assert len(result.trajectory.t) == 2


def test_drivers_that_contradict_each_other_are_named_and_repeated_ones_are_fine() -> None:
    base = pendulum()
    motors = tuple(Motor(f"m{i}", base.coordinates[0], "angle", functions.expression("t")) for i in range(2))
    both = simulate(replace(base, motors=motors), duration=0.5, rate=10.0)
    one = simulate(replace(base, motors=motors[:1]), duration=0.5, rate=10.0)
    assert both.status.ok
    assert_allclose(both.trajectory.accelerations, one.trajectory.accelerations, atol=1e-9)
    against = (motors[0], replace(motors[1], function=functions.expression("t + 0.1")))
    result = simulate(replace(base, motors=against), duration=0.5, rate=10.0)
    assert result.status.code == "inconsistent"
    assert {"m0", "m1"} <= set(result.status.groups)


WAYS = {"dopri5": None, "dop853": None, "rk4": 1e-3, "generalized_alpha": None}


@pytest.mark.parametrize("integrator", WAYS)
def test_every_integrator_ends_where_a_callback_fails(integrator: str) -> None:
    def wind(t: float, q: np.ndarray, rate: np.ndarray) -> list[float]:
        if t > 0.25:
            raise RuntimeError("a gust")
        return [0.0]

    model = replace(pendulum(), callbacks=(Callback("wind", wind),))
    result = simulate(
        model, duration=1.0, rate=10.0, rtol=1e-5, atol=1e-5, integrator=integrator, step=WAYS[integrator]
    )
    assert result.status.code == "load_failed"
    assert "wind" in result.status.message
    assert np.all(np.isfinite(result.trajectory.positions))
    # A long step may have been on its way when it failed.
    assert 2 <= len(result.trajectory.t) <= 6


@pytest.mark.parametrize("integrator", ["dop853", "rk4", "generalized_alpha"])
def test_integrators_agree_under_all_loads(integrator: str) -> None:
    rng = np.random.default_rng(3)
    base = pendulum(2)
    spring = Coordinate("length", GROUND, 1, np.array([0.5, -1.0, 0.2]), X, O)
    model = replace(
        base,
        loads=(
            JointLoad(spring, stiffness=20.0, rest=1.0, damping=0.3),
            JointLoad(base.coordinates[0], friction=Friction(0.5, 0.2), armature=0.3),
            JointLoad(base.coordinates[1], stop=Stop(-0.1, 0.1, stiffness=200.0, damping=5.0, depth=0.05)),
        ),
        bushings=(_bushing(rng, 0, 1, damped=True),),
        wrenches=(Wrench("gust", 1, O, force=(functions.expression("5*sin(3*t)"), None, CONST(1.0)), axes="body"),),
        motors=(Motor("m", base.coordinates[0], "pd", CONST(0.5), stiffness=5.0, damping=0.5, effort=3.0),),
        callbacks=(Callback("drag", lambda t, q, rate: -0.1 * rate),),
    )
    exact = simulate(model, duration=0.4, rate=20.0, rtol=1e-10, atol=1e-11)
    found = simulate(model, duration=0.4, rate=20.0, rtol=1e-6, atol=1e-6, integrator=integrator, step=WAYS[integrator])
    assert found.status.ok
    assert_allclose(found.trajectory.coordinates, exact.trajectory.coordinates, atol=1e-4)
    assert_allclose(found.trajectory.dissipated, exact.trajectory.dissipated, atol=1e-3)
