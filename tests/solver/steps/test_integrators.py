"""The integrators behind one interface: samples within steps, events, stiff loads, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ellipk

from solver import Event, State, functions, simulate
from solver.constraints import GROUND
from solver.model import Bushing, JointLoad, Model, Motor
from tests.solver.examples import pendulum, planetary, turn


def _swinging_train() -> tuple[Model, State]:
    """A planetary train with gravity across its axes, moved from rest; the wheels turn fast."""
    model = replace(planetary(), gravity=(0.0, -9.81, 0.0))
    spin = np.zeros((3, 6))
    # Willis with the ring held: sun 3, carrier 1, planet −3 (of radius 0.5 on the carrier's 1.5).
    spin[:, 5] = 30.0, 10.0, -30.0
    spin[2, 1] = 15.0
    return model, State(0.0, model.positions, model.quaternions, spin)


@pytest.mark.parametrize(
    ("integrator", "tolerance", "factor"),
    [("dopri5", 1e-8, 30), ("dop853", 1e-8, 30), ("generalized_alpha", 1e-6, 500)],
)
def test_samples_within_steps_are_as_accurate_as_the_steps(integrator: str, tolerance: float, factor: float) -> None:
    model, start = _swinging_train()
    exact = simulate(model, start, duration=1.0, rate=97.0, integrator="dop853", step=1 / 97 / 5).trajectory
    result = simulate(model, start, duration=1.0, rate=97.0, integrator=integrator, rtol=tolerance, atol=tolerance)
    run = result.trajectory
    if integrator == "dop853":
        assert result.statistics.steps < 60  # several samples a step
    assert_allclose(run.t, exact.t)
    assert_allclose(run.positions, exact.positions, atol=factor * tolerance)
    # Velocities are of the size of 30.
    assert_allclose(run.velocities, exact.velocities, atol=30 * factor * tolerance)
    assert_allclose(run.coordinates, exact.coordinates, rtol=factor * tolerance, atol=factor * tolerance)
    assert run.constraint_position.max() < 1e-12
    assert run.constraint_velocity.max() < 1e-12 * 30


def test_rungekutta_of_order_four_samples_within_its_steps() -> None:
    model, start = _swinging_train()
    exact = simulate(model, start, duration=0.5, rate=100.0, integrator="dop853", step=1e-3).trajectory

    def error(step: float) -> float:
        run = simulate(model, start, duration=0.5, rate=100.0, integrator="rk4", step=step).trajectory
        return float(np.abs(run.velocities - exact.velocities).max())

    # Steps of 0.017 s meet no sample but the last.
    assert np.log2(error(0.034) / error(0.017)) > 3.7


@pytest.mark.parametrize(
    ("integrator", "tolerance", "bound"),
    [("dopri5", 1e-9, 1e-6), ("dop853", 1e-9, 1e-6), ("generalized_alpha", 1e-7, 1e-3)],
)
def test_work_is_accounted_for_by_every_integrator(integrator: str, tolerance: float, bound: float) -> None:
    load = JointLoad(turn(GROUND, 0), damping=0.3, stiffness=2.0, rest=0.5)
    model = replace(pendulum(), loads=(load,))
    run = simulate(model, duration=1.0, rate=37.0, integrator=integrator, rtol=tolerance, atol=tolerance).trajectory
    balance = run.kinetic + run.potential + run.dissipated
    assert_allclose(balance, balance[0], atol=bound)
    assert run.dissipated[-1] > 0.1


def test_event_is_met_at_the_quarter_period_of_a_pendulum() -> None:
    """From the horizontal a pendulum reaches its lowest place after K(1/2)/ω₀ (complete elliptic integral)."""
    quarter = ellipk(0.5) / np.sqrt(9.81 * 0.5 / (0.1 * 1.5 + 0.25))
    lowest = Event("lowest", 0, -np.pi / 2, "falling", stop=True)
    result = simulate(pendulum(), duration=5.0, rate=10.0, rtol=1e-11, atol=1e-11, events=[lowest])
    assert result.status.ok
    assert result.status.code == "event"
    assert_allclose(result.events[0].t, quarter, rtol=1e-9)
    assert_allclose(result.trajectory.t[-1], quarter, rtol=1e-9)
    assert_allclose(result.trajectory.coordinates[-1, 0], -np.pi / 2, atol=1e-12)
    assert result.trajectory.constraint_position.max() < 1e-12


@pytest.mark.parametrize(("direction", "quarters"), [("either", [1, 3, 5, 7]), ("falling", [1, 5]), ("rising", [3, 7])])
def test_recorded_events_do_not_end_the_run(direction: str, quarters: list[int]) -> None:
    quarter = ellipk(0.5) / np.sqrt(9.81 * 0.5 / (0.1 * 1.5 + 0.25))
    passing = Event("passing", 0, -np.pi / 2, direction)
    result = simulate(pendulum(), duration=8 * quarter, rate=7.0, rtol=1e-10, atol=1e-10, events=[passing])
    assert result.status.code == "ok"
    assert_allclose([e.t for e in result.events], np.array(quarters) * quarter, rtol=1e-7)


def test_stiff_damper_needs_few_steps_of_generalised_alpha() -> None:
    """A damper of 1e7 N m s slows the fall of a link: ω = −(m g l / d) cos φ, within 1e-7 of its inertia's effect."""
    load = JointLoad(turn(GROUND, 0), damping=1e7)
    model = replace(pendulum(), loads=(load,), gravity=(0.0, -9.81e7, 0.0))
    result = simulate(model, duration=1.0, rate=20.0, integrator="generalized_alpha", rtol=1e-7, atol=1e-7)
    assert result.status.ok
    # An explicit method takes 1e7.
    assert result.statistics.steps < 15_000
    # φ' = −a cos φ: the Gudermannian, sin φ = −tanh(a t).
    assert_allclose(np.sin(result.trajectory.coordinates[1:, 0]), -np.tanh(4.905 * result.trajectory.t[1:]), atol=2e-4)


def test_long_implicit_steps_take_few_rounds() -> None:
    """A double pendulum turns 0.1 rad in a step: a round leaves a tenth of (h ω)², and rows hold when it ends."""
    result = simulate(
        pendulum(2), duration=2.0, rate=0.5, integrator="generalized_alpha", step=1e-2, rtol=1e-4, atol=1e-4
    )
    assert result.statistics.steps == 200
    assert result.statistics.evaluations < 2.0 * result.statistics.steps
    assert result.trajectory.constraint_position.max() < 1e-14
    assert result.trajectory.constraint_velocity.max() < 1e-13


def test_implicit_steps_that_do_not_converge_are_taken_in_parts() -> None:
    """Three links turn more than a radian in 0.4 s: the parts' error is controlled, so that energy is kept."""
    result = simulate(pendulum(3), duration=2.0, rate=5.0, integrator="generalized_alpha", step=0.4)
    assert "steps of 0.4 s that did not converge were taken in parts, down to" in result.status.message
    assert result.statistics.shortest < 1e-3
    run = result.trajectory
    assert np.ptp(run.kinetic + run.potential) < 1e-3


def test_stiff_spring_between_links_is_stable_at_a_fixed_step() -> None:
    """A spring of 1e9 N m keeps two links straight: they fall as one link of 2 m."""
    spring = JointLoad(turn(0, 1), stiffness=1e9)
    model = replace(pendulum(2), loads=(spring,))
    result = simulate(model, duration=0.4, rate=10.0, integrator="generalized_alpha", step=1e-3)
    assert result.status.ok
    assert result.statistics.steps == 400
    both = 2 * 0.15 + 0.25 + 2.25
    q = result.trajectory.coordinates
    assert_allclose(q[:, 1], 0.0, atol=1e-6)
    speed = result.trajectory.coordinate_rates[:, 0]
    assert_allclose(0.5 * both * speed**2, -2 * 9.81 * np.sin(q[:, 0]), atol=1e-3)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"integrator": "euler"}, "the integrator is one of dopri5, dop853, rk4, generalized_alpha"),
        ({"integrator": "rk4"}, "rk4 does not control its error: give it a step"),
        ({"step": 0.0}, "the step must be at least 1e-13 s"),
        ({"step": float("nan")}, "the step must be at least 1e-13 s"),
        ({"events": [Event("far", 3, 0.0)]}, "event far: there is no coordinate 3, the model has 1"),
    ],
)
def test_calls_that_cannot_be_computed_are_refused(options: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        simulate(pendulum(), duration=1.0, rate=10.0, **options)  # type: ignore[arg-type]


def test_events_without_meaning_are_refused() -> None:
    with pytest.raises(ValueError, match="event e: the direction is rising, falling or either"):
        Event("e", 0, 0.0, "up")
    with pytest.raises(ValueError, match="event e: its value must be a finite number"):
        Event("e", 0, float("inf"))


def test_a_fixed_step_too_long_for_the_constraints_is_a_status() -> None:
    model = pendulum(2)
    start = State(0.0, model.positions, model.quaternions, np.tile([0, 0, 0, 0, 0, 900.0], (2, 1)))
    result = simulate(model, start, duration=10.0, rate=1.0, integrator="rk4", step=1.0)
    assert (result.status.ok, result.status.code) == (False, "no_convergence")
    assert "Shorten the step" in result.status.advice


def test_stiff_bushing_and_controller_are_stable_at_steps_far_beyond_their_periods() -> None:
    """A link held by a bushing of 1e9 N/m and a pd motor of 1e6 N m settles where the motor wants it."""
    model = pendulum()
    eye = np.eye(3)
    bushing = Bushing(
        "b",
        GROUND,
        0,
        np.zeros(3),
        eye,
        np.array([-0.5, 0, 0]),
        eye,
        np.diag([1e9, 1e9, 1e9, 1e8, 1e8, 0.0]),
        np.diag([1e4, 1e4, 1e4, 1e3, 1e3, 1.0]),
    )
    motor = Motor("m", turn(GROUND, 0), "pd", functions.constant(0.3), stiffness=1e6, damping=1e5)
    free = replace(model, primitives=(), groups=(), bushings=(bushing,), motors=(motor,))
    result = simulate(free, duration=2.0, rate=10.0, integrator="generalized_alpha", step=5e-3)
    assert result.status.ok
    # The weight's moment over the controller's stiffness is left.
    rest = 0.3 - 0.5 * 9.81 * np.cos(0.3) / 1e6
    assert_allclose(result.trajectory.coordinates[-1, 0], rest, atol=1e-8)
    assert_allclose(result.trajectory.positions[-1, 0], [0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 0.0], atol=1e-5)


@pytest.mark.parametrize("duration", [0.1, 0.7, 1.1, 1.3])
def test_an_event_at_the_end_of_a_run_is_not_missed_by_rounding(duration: float) -> None:
    wheel = replace(pendulum(), gravity=(0.0, 0.0, 0.0))
    turning = replace(wheel, motors=(Motor("even", wheel.coordinates[0], "speed", functions.constant(0.35)),))
    there = Event("there", 0, round(0.35 * duration, 12), stop=True)
    result = simulate(turning, duration=duration, rate=10, events=[there])
    assert [e.t for e in result.events] == pytest.approx([duration], abs=1e-8)
    assert result.status.code == "event"
    assert not simulate(turning, duration=duration, rate=10, events=[replace(there, direction="falling")]).events
    beyond = replace(there, value=there.value + 1e-6)
    assert not simulate(turning, duration=duration, rate=10, events=[beyond]).events
