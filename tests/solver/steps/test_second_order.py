"""Generalised-α on a redundant four-bar that nearly stalls: of second order in all that a run gives, and no drift."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from solver import simulate
from solver.constraints import GROUND, Primitive
from solver.equations.system import System, prepare
from solver.model import Model, RigidBody
from solver.result import Trajectory
from tests.solver.examples import X, Z, hinge, poses

Array = NDArray[np.float64]


@cache
def _fourbar() -> System:
    """Crank 1, coupler 3, rocker 2, ground 3 m, hinged in space, so that three rows repeat; the crank upright at rest.

    It falls, and from 2.4 to 3.6 s it lies almost still beyond a dead point: energy errors from before decide when it
    falls again.
    """
    crank = np.array([0.0, 1.0, 0.0])
    # The coupler's end lies 3 m from the crank's and 2 m from the rocker's bearing.
    away = np.array([3.0, -1.0, 0.0]) / np.sqrt(10)
    along = 15 / (2 * np.sqrt(10))
    top = crank + along * away + np.sqrt(9 - along**2) * np.array([-away[1], away[0], 0.0])
    ends = [(np.zeros(3), crank), (crank, top), (3 * X, top)]
    middles = [(a + b) / 2 for a, b in ends]
    rows: list[Primitive] = []
    for one, other, point in ((GROUND, 0, 0 * X), (0, 1, crank), (1, 2, top), (GROUND, 2, 3 * X)):
        here, there = (point - (0 * X if body == GROUND else middles[body]) for body in (one, other))
        rows += hinge(one, other, here, there, Z)
    masses = (1.0, 3.0, 2.0)
    bars = tuple(
        RigidBody(f"bar {i}", m, m * float(np.sum((b - a) ** 2)) / 12 * np.eye(3))
        for i, (m, (a, b)) in enumerate(zip(masses, ends, strict=True))
    )
    x, q = poses([m.tolist() for m in middles])
    return prepare(Model(bars, tuple(rows), x, q, gravity=(0.0, -9.81, 0.0)))


@cache
def _run(step: float | None) -> Trajectory:
    """Five seconds in steps (s) of generalised-α; None: the reference."""
    how = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-13}
    if step is not None:
        how = {"integrator": "generalized_alpha", "step": step, "rtol": 1e-10, "atol": 1e-10}
    result = simulate(_fourbar(), duration=5.0, rate=100.0, **how)  # type: ignore[arg-type]
    assert result.status.ok
    return result.trajectory


def _off(step: float, column: str, until: float) -> float:
    """The largest error over the run up to a time."""
    run, exact = _run(step), _run(None)
    rows = exact.t <= until + 1e-9
    return float(np.abs(getattr(run, column) - getattr(exact, column))[rows].max())


def test_states_velocities_and_multipliers_converge_with_the_square_of_the_step() -> None:
    for column in ("positions", "quaternions", "velocities", "accelerations", "multipliers"):
        coarse, fine = (_off(step, column, 2.3) for step in (5e-3, 1.25e-3))
        assert 1.9 < np.log2(coarse / fine) / 2 < 2.1, column


def test_the_energy_comes_back_after_each_turn() -> None:
    """Within a turn it swings by h², which a method may; what is left at rest goes with h³ (numerical damping)."""
    left = []
    for step in (5e-3, 2.5e-3):
        run = _run(step)
        energy = run.kinetic + run.potential
        still = int(np.argmin(np.abs(run.t - 2.4)))
        swing = np.abs(energy - energy[0])[:still].max()
        left.append(abs(energy[still] - energy[0]))
        assert left[-1] < 5e-3 * swing
        # While the crank nearly stalls nothing changes.
        stalled = (run.t > 2.45) & (run.t < 3.55)
        assert np.ptp(energy[stalled]) < 0.2 * step**2
    assert left[0] / left[1] > 7.0


def test_the_motion_after_the_stall_is_that_of_the_reference() -> None:
    """A thousandth of the bars' length where energies that drift by h² (64 J/s² h²) put it 7 mm off at 2.5 ms."""
    assert _off(2.5e-3, "positions", 5.0) < 5e-4
    assert _off(5e-3, "positions", 5.0) < 3e-3


def test_velocities_are_controlled_too() -> None:
    """From rest, where the first accelerations hardly differ."""
    exact = _run(None)
    for tolerance in (1e-3, 1e-4, 1e-5, 1e-6):
        result = simulate(
            _fourbar(), duration=2.0, rate=100.0, integrator="generalized_alpha", rtol=tolerance, atol=tolerance
        )
        run = result.trajectory
        for column in ("positions", "velocities"):
            size = 1.0 + np.abs(getattr(exact, column)).max()
            assert np.abs(getattr(run, column) - getattr(exact, column)[:201]).max() < 100 * tolerance * size
