"""Runs that cannot go on: a status that says when, and what was done is kept."""

from __future__ import annotations

import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

from solver import Result, functions, simulate
from solver.model import Callback, Motor
from tests.solver.examples import pendulum


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
    assert "tiny mass" in result.status.advice
    assert 14 <= len(result.trajectory.t) <= 16


def test_a_load_that_jumps_for_ever_collapses_the_step() -> None:
    """A force that is another at every look has no limit as the step shrinks."""
    draw = np.random.default_rng(1)

    def noise(t: float, q: np.ndarray, rate: np.ndarray) -> list[float]:
        return [float(draw.normal() * 1e12) if t > 0.2 else 0.0]

    result = simulate(replace(pendulum(), callbacks=(Callback("noise", noise),)), duration=1.0, rate=50.0)
    _kept(result, "step_too_small")
    assert result.trajectory.t[-1] == pytest.approx(0.2)


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
        result = simulate(pendulum(), duration=1e6, rate=100.0, progress=progress)
    finally:
        sender.join()
    _kept(result, "stopped")
    assert "stopped at t = " in result.status.message
    assert 0.9 < result.trajectory.t[-1] < 1e5
