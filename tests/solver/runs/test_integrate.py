"""Simulation against closed forms, published numbers, energy and order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import functions, gear_errors, rotation, simulate, wrenches
from solver.constraints import GROUND, Distance, PointOnPlane
from solver.equations.projection import drive_values, project_positions
from solver.equations.system import prepare
from solver.model import Model, Motor
from solver.runs.events import Event
from solver.state import State
from solver.steps.explicit import make_steps, step
from solver.steps.methods import slope_at
from solver.steps.tableaus import dopri5
from tests.solver.examples import O, X, Z, body, pendulum, planetary, poses, turn, wheels


def test_simple_pendulum_of_the_iftomm_library() -> None:
    """A01: a point mass of 1 kg on 1 m, from the horizontal; position at 10 s as published."""
    x, q = poses([[-1, 0, 0]])
    rows = (Distance(GROUND, 0, O, O, 1.0), PointOnPlane(GROUND, 0, O, Z, O))
    model = Model((body(),), rows, x, q, gravity=(0.0, -9.81, 0.0))
    run = simulate(model, duration=10.0, rate=10.0, integrator="dop853", rtol=1e-13, atol=1e-13).trajectory
    assert_allclose(run.positions[-1, 0, :2], [-0.275087462577, -0.961419205099], atol=2e-12)
    assert np.ptp(run.kinetic + run.potential) < 1e-10 * np.ptp(run.kinetic)


def test_double_pendulum_keeps_constraints_and_energy() -> None:
    result = simulate(pendulum(2), duration=2.0, rate=50.0, rtol=1e-10, atol=1e-10)
    run = result.trajectory
    assert result.status.ok
    assert run.constraint_position.max() < 1e-12
    assert run.constraint_velocity.max() < 1e-12
    assert np.ptp(run.kinetic + run.potential) < 1e-7 * np.ptp(run.kinetic)
    assert len(run.t) == 101
    assert_allclose(run.t[-1], 2.0)
    # Rates and accelerations of coordinates are those of the samples.
    middle = (run.coordinates[2:] - run.coordinates[:-2]) / (run.t[2:] - run.t[:-2])[:, None]
    assert_allclose(run.coordinate_rates[1:-1], middle, atol=0.02 * np.abs(middle).max())
    bend = (run.coordinate_rates[2:] - run.coordinate_rates[:-2]) / (run.t[2:] - run.t[:-2])[:, None]
    assert_allclose(run.coordinate_accelerations[1:-1], bend, atol=0.05 * np.abs(bend).max())


@pytest.mark.parametrize("repeated", [False, True])
def test_planetary_train_obeys_willis(repeated: bool) -> None:
    """(ω_sun − ω_c)/(ω_ring − ω_c) = −z_ring/z_sun; here 2, with the ring held: ω_sun = 3 ω_c."""
    motor = Motor("m", turn(GROUND, 0), "speed", functions.expression("40 + 10*sin(t)"))
    model = planetary(motor, repeated)
    result = simulate(model, duration=1.0, rate=20.0, rtol=1e-10, atol=1e-10)
    assert result.status.ok
    sun, carrier, planet = result.trajectory.coordinates.T
    assert_allclose(sun[-1], 40 + 10 * (1 - np.cos(1.0)), rtol=1e-9)
    assert_allclose(sun, 3 * carrier, atol=1e-9)
    assert_allclose(planet - carrier, -2 * (sun - carrier), atol=1e-9)
    for gear in gear_errors(model, result.trajectory):
        assert gear.unit == "rad"
        assert np.abs(gear.error).max() < 1e-10
        assert np.abs(gear.rate).max() < 1e-10
    run = result.trajectory
    assert_allclose(np.ptp(run.kinetic + run.potential - run.motor_work), 0.0, atol=1e-6 * run.kinetic.max())


def test_gear_pair_turns_a_thousand_times_in_phase() -> None:
    motor = Motor("m", turn(GROUND, 0), "angle", functions.expression("2000*pi*smoothstep(t)"))
    model = wheels(1.5, (motor,))
    result = simulate(model, duration=1.0, rate=20.0, rtol=1e-8, atol=1e-8)
    assert result.status.ok
    first, second = result.trajectory.coordinates.T
    assert_allclose(first[-1], 2000 * np.pi, rtol=1e-13)
    assert_allclose(second, -first / 1.5, atol=1e-9)
    assert np.abs(gear_errors(model, result.trajectory)[0].error).max() < 1e-9


def test_ten_turns_in_one_step_keep_the_phase() -> None:
    model = wheels(1.5)
    system = prepare(model)
    spin = np.zeros((2, 6))
    spin[:, 5] = 20 * np.pi, -20 * np.pi / 1.5
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    tableau = dopri5()
    drives = np.array([drive_values(system, c) for c in tableau.nodes])
    start = (model.positions, model.quaternions, spin, np.zeros(system.program.angle_count))
    slope = slope_at(system, State(0.0, *start))
    begin = (slope.acceleration, slope.turning, slope.power)
    tables = (T, K, B, F, W, system.length, system.workspace())
    S = make_steps(len(drives), 2, system.program.angle_count, 1, system.program.rows)
    error = step(tables, S, tableau, 1.0, start, np.zeros(1), begin, drives, (1e-8, 1e-8))
    residual, _ = project_positions(T, system.schur, B, W, system.length, S.x, S.q, S.angles, drives[-1], 8)
    assert error < 1.0
    assert residual < 1e-13
    assert_allclose(S.angles[-2:], [20 * np.pi, -20 * np.pi / 1.5], rtol=1e-12)
    assert_allclose(S.v[:, 5], spin[:, 5], rtol=1e-12)
    run = simulate(model, State(0.0, model.positions, model.quaternions, spin), duration=5.0, rate=1.0)
    assert run.statistics.steps < 20
    assert_allclose(run.trajectory.coordinates[-1], [100 * np.pi, -100 * np.pi / 1.5], rtol=1e-9)


@pytest.mark.parametrize(
    ("integrator", "counts", "order"),
    [("dopri5", (10, 20), 4.6), ("dop853", (4, 8), 7.4), ("rk4", (10, 20), 3.7), ("generalized_alpha", (40, 80), 1.9)],
)
def test_integrators_have_their_order_on_a_geared_mechanism(
    integrator: str, counts: tuple[int, int], order: float
) -> None:
    # Gravity across the axes makes the train swing.
    model = replace(planetary(), gravity=(0.0, -9.81, 0.0))
    system = prepare(model)

    def end(integrator: str, count: int) -> np.ndarray:
        result = simulate(system, duration=0.4, rate=2.5, integrator=integrator, step=0.4 / count)
        assert result.status.ok
        assert result.statistics.steps == count
        assert result.trajectory.constraint_position.max() < 1e-12
        return np.concatenate([result.trajectory.positions[-1].ravel(), result.trajectory.velocities[-1].ravel()])

    exact = end("dop853", 100)
    errors = [np.abs(end(integrator, count) - exact).max() for count in counts]
    assert np.log2(errors[0] / errors[1]) > order


@pytest.mark.parametrize(
    ("kind", "text", "end"),
    [("speed", "3*t^2", 1.0), ("angle", "t^3", 1.0), ("angle", "2*pi*5*t^2", 10 * np.pi)],
)
def test_driven_joint_follows_its_motor(kind: str, text: str, end: float) -> None:
    motor = Motor("drive", turn(GROUND, 0), kind, functions.expression(text))
    base = pendulum()
    model = replace(base, motors=(replace(motor, coordinate=base.coordinates[0]),))
    result = simulate(model, duration=1.0, rate=10.0, rtol=1e-10, atol=1e-10)
    assert result.status.ok
    run = result.trajectory
    assert_allclose(run.coordinates[-1, 0], end, rtol=1e-8)
    # What the motor does becomes energy of the link.
    assert_allclose(run.motor_work, run.kinetic + run.potential - run.potential[0], atol=1e-6)


def test_wrench_of_a_hanging_link_is_its_weight() -> None:
    model = replace(pendulum(), groups=("hinge",) * 5, gravity=(-9.81, 0.0, 0.0))
    hanging = replace(
        model,
        positions=np.array([[-0.5, 0, 0]]),
        quaternions=rotation.exponential(np.array([[0, 0, np.pi]])),
    )
    run = simulate(hanging, duration=0.1, rate=10.0).trajectory
    assert_allclose(wrenches(hanging, run)["hinge"][-1], [9.81, 0, 0, 0, 0, 0], atol=1e-8)


def test_should_stop_keeps_what_is_done() -> None:
    calls = []

    def should_stop() -> bool:
        calls.append(1)
        return len(calls) > 3

    result = simulate(pendulum(), duration=100.0, rate=20.0, should_stop=should_stop)
    assert (result.status.ok, result.status.code) == (False, "stopped")
    assert 2 < len(result.trajectory.t) < 2000
    assert result.trajectory.positions.shape == (len(result.trajectory.t), 1, 3)


def test_ctrl_c_keeps_what_is_done() -> None:
    def progress(part: float) -> None:
        if part > 0.5:
            raise KeyboardInterrupt

    result = simulate(pendulum(), duration=1.0, rate=20.0, progress=progress)
    assert result.status.code == "stopped"
    assert 9 <= len(result.trajectory.t) < 21


def test_contradiction_is_a_status_with_the_pose_of_least_squares() -> None:
    x, q = poses([[0, 0, 0]])
    rows = (PointOnPlane(GROUND, 0, O, X, O), PointOnPlane(GROUND, 0, O, X, O, 0.002))
    result = simulate(Model((body(),), rows, x, q, groups=("a", "b")), duration=1.0, rate=10.0)
    assert result.status.code == "inconsistent"
    assert set(result.status.groups) == {"a", "b"}
    assert len(result.trajectory.t) == 1


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"duration": -1.0, "rate": 10.0}, "duration"),
        ({"duration": np.nan, "rate": 10.0}, "duration"),
        ({"duration": 1.0, "rate": 0.0}, "rate"),
        ({"duration": 1.0, "rate": 10.0, "rtol": 0.0}, "tolerances"),
    ],
)
def test_calls_that_mean_nothing_are_refused(call: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        simulate(pendulum(), **call)


def test_a_motor_without_a_value_ends_the_run_and_keeps_what_is_done() -> None:
    base = pendulum()
    motor = Motor("drive", base.coordinates[0], "torque", functions.expression("sqrt(0.5 - t)"))
    result = simulate(replace(base, motors=(motor,)), duration=1.0, rate=10.0)
    assert result.status.code == "no_value"
    assert "sqrt(0.5 - t)" in result.status.message
    assert 5 <= len(result.trajectory.t) <= 6


@pytest.mark.parametrize("integrator", ["dopri5", "dop853", "rk4", "generalized_alpha"])
def test_a_run_leaves_nothing_to_the_next_one_of_its_system(integrator: str) -> None:
    step: dict[str, Any] = {"step": 1e-3} if integrator == "rk4" else {}
    motor = Motor("m", turn(GROUND, 0), "speed", functions.expression("40 + 10*sin(t)"))
    system = prepare(planetary(motor, True))

    def run(duration: float, rate: float = 500.0) -> bytes:
        found = simulate(system, duration=duration, rate=rate, rtol=1e-6, atol=1e-6, integrator=integrator, **step)
        assert found.status.ok
        return b"".join(np.asarray(values).tobytes() for values in vars(found.trajectory).values())

    first = run(0.05)
    assert run(0.02, 100.0) != first
    with ThreadPoolExecutor(2) as threads:
        assert [*threads.map(run, [0.05, 0.05, 0.05])] == [first] * 3


@pytest.mark.parametrize("options", [{"integrator": "dopri5"}, {"integrator": "rk4", "step": 2e-3}])
def test_an_event_that_never_occurs_costs_no_evaluation(options: dict[str, Any]) -> None:
    model = pendulum(2)
    never = Event("never", 0, 1e6)
    asked = {"duration": 3.0, "rate": 1.0, "rtol": 1e-7, "atol": 1e-7, **options}
    plain, watched = simulate(model, **asked), simulate(model, events=(never,), **asked)
    assert plain.statistics.steps == watched.statistics.steps > 100
    assert plain.statistics.evaluations == watched.statistics.evaluations
    assert plain.statistics.longest == watched.statistics.longest
    assert_allclose(plain.trajectory.positions, watched.trajectory.positions, rtol=0, atol=1e-14)
    assert_allclose(plain.trajectory.multipliers, watched.trajectory.multipliers, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "options", [{"rate": 50.0, "rtol": 1e-4, "atol": 1e-4}, {"rate": 300.0}, {"rate": 5e3, "step": 0.05}]
)
def test_samples_are_the_same_however_many_there_is_room_for(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that goes on beyond the samples of one workspace: those of the next are still of its own polynomial."""
    monkeypatch.setattr("solver.runs.marcher._SAMPLES_A_CALL", 50)
    few = simulate(pendulum(2), duration=9.0, **options)
    monkeypatch.setattr("solver.runs.marcher._SAMPLES_A_CALL", 10_000)
    all_at_once = simulate(pendulum(2), duration=9.0, **options)
    assert few.status.ok
    assert few.statistics.steps == all_at_once.statistics.steps
    assert_allclose(few.trajectory.positions, all_at_once.trajectory.positions, rtol=0, atol=1e-13)
    assert_allclose(few.trajectory.accelerations, all_at_once.trajectory.accelerations, rtol=0, atol=1e-9)


def test_a_sampled_step_takes_one_acceleration_more_where_its_tolerance_asks_for_no_three() -> None:
    def evaluations(rate: float, tolerance: float) -> tuple[int, int]:
        model = pendulum(2)
        start = State.at_rest(model.positions, model.quaternions)
        run = simulate(model, start, duration=1.0, rate=rate, rtol=tolerance, atol=tolerance, longest_step=0.02)
        return run.statistics.evaluations, run.statistics.steps

    for tolerance, least, most in ((1e-4, 1.0, 1.5), (1e-13, 3.0, 3.6)):
        (few, steps), (many, as_many) = (evaluations(rate, tolerance) for rate in (1.0, 37.0))
        assert as_many == steps
        # One for each of 36 samples more, and what the polynomials of their steps take: no two are in one step.
        assert 36 * (1 + least) <= many - few <= 36 * (1 + most)
