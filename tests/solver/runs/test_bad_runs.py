"""Runs that cannot go on: a status that says when, and what was done is kept."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solver import Result, State, functions, rotation, simulate
from solver.constraints import GROUND, Coordinate, PointOnPlane
from solver.model import Callback, Model, Motor
from tests.solver.examples import O, X, Z, pendulum


def _kept(result: Result, code: str) -> None:
    """A failed run of that code whose samples are whole and finite."""
    run = result.trajectory
    assert (result.status.ok, result.status.code) == (False, code)
    assert len(run.t) == len(run.positions) == len(run.coordinates) >= 2
    assert np.all(np.isfinite(run.positions))
    assert run.constraint_position.max() < 1e-12


@pytest.mark.parametrize("integrator", ["dopri5", "dop853"])
def test_a_step_that_collapses_tells_the_time(integrator: str) -> None:
    """The torque grows as 1/(0.3 − t)²: the speed has no bound, and no step is short enough near 0.3 s."""
    base = pendulum()
    drive = Motor("drive", base.coordinates[0], "torque", functions.expression("1/(0.3 - t)^2"))
    result = simulate(replace(base, motors=(drive,)), duration=1.0, rate=50.0, integrator=integrator)
    _kept(result, "step_too_small")
    assert "t = 0.3 s" in result.status.message or "t = 0.29999" in result.status.message
    assert "moderate values" in result.status.advice
    assert 14 <= len(result.trajectory.t) <= 16


def test_a_load_that_jumps_for_ever_collapses_the_step() -> None:
    """A force that is another at every look has no limit as the step shrinks."""
    draw = np.random.default_rng(1)

    def noise(t: float, q: np.ndarray, rate: np.ndarray) -> list[float]:
        return [float(draw.normal() * 1e12) if t > 0.2 else 0.0]

    result = simulate(replace(pendulum(), callbacks=(Callback("noise", noise),)), duration=1.0, rate=50.0)
    _kept(result, "step_too_small")
    assert result.trajectory.t[-1] == pytest.approx(0.2)


def test_a_run_whose_steps_lead_nowhere_ends_and_names_body_and_load(monkeypatch: pytest.MonkeyPatch) -> None:
    """The torque grows hundredfold a millisecond: the speed is finite at every time, and no end is ever reached."""
    monkeypatch.setattr("solver.runs.termination.PATIENCE", 4_000)
    drive = Motor("drive", pendulum().coordinates[0], "torque", functions.expression("10^(2000*t)"))
    result = simulate(replace(pendulum(), motors=(drive,)), duration=1.0, rate=50.0)
    assert (result.status.ok, result.status.code) == (False, "too_many_steps")
    for said in ("of 1 s the steps are", "link 0 is driven hardest", "motor drive gives "):
        assert said in result.status.message
    assert "grows without bound" in result.status.advice
    tiny = simulate(pendulum(), duration=1.0, rate=50.0, integrator="rk4", step=1e-12)
    assert (tiny.status.code, tiny.statistics.steps < 1e5) == ("too_many_steps", True)
    with pytest.raises(ValueError, match="1 s with 1e\\+12 samples a second are more than 1e\\+07 samples"):
        simulate(pendulum(), duration=1.0, rate=1e12)


def test_a_driver_that_jumps_is_named() -> None:
    drive = Motor("crank", pendulum().coordinates[0], "angle", functions.expression("0.5*step(t - 0.3)"))
    result = simulate(replace(pendulum(), motors=(drive,)), duration=1.0, rate=50.0)
    _kept(result, "singular")
    assert "at t = 0.3 s" in result.status.message
    assert result.status.message.endswith("the function of motor crank jumps there")
    assert "smoothstep" in result.status.advice


@pytest.mark.parametrize("integrator", ["dopri5", "generalized_alpha"])
def test_a_motor_that_pulls_beyond_reach_ends_at_the_dead_point(integrator: str) -> None:
    """Two bars of 1 m, their end drawn away at 0.5 m/s: nothing beyond 2 m, and no state that leaves the speed open."""
    base, bend = pendulum(2), np.radians(40.0)
    bent = rotation.exponential(np.array([[0.0, 0.0, bend], [0.0, 0.0, -bend]]))
    middles = np.array([[0.5, 0.5, 0.0], [1.5, 0.5, 0.0]]) * [np.cos(bend), np.sin(bend), 1.0]
    pull = Motor("pull", Coordinate("length", GROUND, 1, O, Z, X / 2), "speed", functions.constant(0.5))
    model = replace(base, motors=(pull,), coordinates=(*base.coordinates, pull.coordinate))
    start = State(0.0, middles, bent, np.zeros((2, 6)))
    result = simulate(model, start, duration=2.0, rate=50.0, integrator=integrator)
    run, dead = result.trajectory, (2.0 - 2.0 * np.cos(bend)) / 0.5
    if result.status.code != "too_many_steps":  # its steps grow so short there that it ends before one is too short
        assert result.status.code in {"singular", "step_too_small"}
        assert "beyond what the mechanism reaches" in result.status.advice
    assert run.t[-1] == pytest.approx(np.floor(dead * 50.0) / 50.0)
    assert run.constraint_velocity.max() < 1e-11 * np.abs(run.velocities).max()
    assert run.coordinates[-1, -1] == pytest.approx(2.0 - 0.5 * (dead - run.t[-1]), abs=1e-5)


_NAN = float("nan")
_BASE = pendulum(2)
_LOST = PointOnPlane(0, 7, O, X, O)


@pytest.mark.parametrize(
    ("model", "state", "said"),
    [
        (replace(_BASE, positions=_BASE.positions * _NAN), None, "body link 0: its position must be of finite numbers"),
        (replace(_BASE, quaternions=0 * _BASE.quaternions), None, "body link 0: its quaternion must be of finite"),
        (replace(_BASE, gravity=(0.0, _NAN, 0.0)), None, "gravity must be three finite numbers"),
        (replace(_BASE, primitives=(*_BASE.primitives, _LOST)), None, "row 10: there is no body 7, the model has 2"),
        (_BASE, {"velocities": np.full((2, 6), _NAN)}, "body link 0: its velocity must be of finite numbers"),
        (_BASE, {"t": _NAN}, "the time of the state must be a finite number"),
    ],
)
def test_what_is_nowhere_is_refused_by_name(model: Model, state: dict[str, Any] | None, said: str) -> None:
    start = None if state is None else replace(State.at_rest(model.positions, model.quaternions), **state)
    with pytest.raises(ValueError, match=said):
        simulate(model, start, duration=1.0, rate=10.0)


def test_interrupt_of_the_system_in_a_long_run_keeps_what_is_done() -> None:
    """Ctrl-C as the terminal sends it, while compiled steps run."""
    reached = threading.Event()

    def progress(part: float) -> None:
        if part > 1e-6:
            reached.set()

    def interrupt() -> None:
        reached.wait(60.0)
        signal.raise_signal(signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        result = simulate(pendulum(), duration=1e6, rate=10.0, progress=progress)
    finally:
        sender.join()
    _kept(result, "stopped")
    assert "stopped at t = " in result.status.message
    assert 0.9 < result.trajectory.t[-1] < 1e5


def test_a_function_with_a_pole_is_named_as_the_cause() -> None:
    """Looser tolerances, and no look at springs and masses, help there."""
    drive = Motor("crank", pendulum().coordinates[0], "torque", functions.expression("0.01/(t - 0.25)"))
    result = simulate(replace(pendulum(), motors=(drive,)), duration=1.0, rate=50.0)
    assert not result.status.ok
    assert "the function of motor crank grows without bound" in result.status.message
    assert "oosen" not in result.status.advice
    assert "1/(t + 1)" in result.status.advice


def test_times_that_no_step_can_have_are_refused() -> None:
    with pytest.raises(ValueError, match="1e-13 s"):
        simulate(pendulum(), duration=1e-300, rate=10.0)
    with pytest.raises(ValueError, match="1e-13 s"):
        simulate(pendulum(), duration=1.0, rate=10.0, longest_step=1e-300)
    with pytest.raises(ValueError, match="1e-13 s"):
        simulate(pendulum(), duration=1.0, rate=10.0, integrator="rk4", step=1e-300)
    assert simulate(pendulum(), duration=0.0, rate=10.0).status.ok
