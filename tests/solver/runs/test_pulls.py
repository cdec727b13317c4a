"""Teeth that lose power, pulled the other way: steps end there. Two wheels on the ground, in closed form."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from solver import State, functions, simulate
from solver.chart import steps
from solver.chart.spanning import TreeJoint
from solver.constraints import GROUND
from solver.equations.system import prepare
from solver.model import Mesh, Model, Motor
from solver.runs.kinks import kinks_of
from tests.solver.examples import O, X, Z, turn, wheels

RATIO, EFFICIENCY, SPEED = 2.5, 0.5, 40.0
SLOW = 1e-6
"""A speed (rad/s) that smooths nothing at the speeds of these tests."""
HINGES = [TreeJoint("first", (steps.turn(Z),), GROUND, 0, O), TreeJoint("second", (steps.turn(Z),), GROUND, 1, X)]
TREES: list[dict[str, Any]] = [{}, {"tree": HINGES}]


def pair(torque: str, efficiency: float = EFFICIENCY) -> tuple[Model, State]:
    """Wheels that turn at `SPEED` (rad/s, the first), one of them under a torque over time; half is lost."""
    model = wheels(RATIO, (Motor("torque", turn(GROUND, 0), "torque", functions.expression(torque)),))
    mesh = Mesh("gear", model.coordinates[0], model.coordinates[1], efficiency, SLOW, SLOW)
    start = State.at_rest(model.positions, model.quaternions)
    start.velocities[:, 5] = SPEED, -SPEED / RATIO
    return replace(model, meshes=(mesh,)), start


def turned(t: np.ndarray, size: float, often: float, inertia: float) -> np.ndarray:
    """Angle and rate (k, 2) of the first wheel under size · cos(often · t): it drives while that is positive.

    Where it drives I α_a = τ − F and I α_b = −η r F, else η F acts at it and r F at the other; α_a = −r α_b.
    """
    square, n = RATIO**2, EFFICIENCY
    driving, driven = square * n / (1 + square * n), square / (n + square)
    ends = (np.arange(100) + 0.5) * np.pi / often
    angle, rate, at = np.zeros_like(t), np.full_like(t, SPEED), np.zeros_like(t)
    for k, end in enumerate(ends):
        share = (driving if k % 2 == 0 else driven) * size / inertia
        to = np.minimum(t, end)
        inside = to > at
        speed = rate + share / often * (np.sin(often * to) - np.sin(often * at))
        moved = rate * (to - at) - share / often**2 * (
            np.cos(often * to) - np.cos(often * at) + often * (to - at) * np.sin(often * at)
        )
        angle, rate = np.where(inside, angle + moved, angle), np.where(inside, speed, rate)
        at = np.maximum(at, to)
    return np.column_stack([angle, rate])


@pytest.mark.parametrize("tree", TREES, ids=["absolute", "tree"])
@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [("dopri5", 1e-4), ("dopri5", 1e-7), ("dopri5", 1e-10), ("dop853", 1e-6), ("dop853", 1e-10)],
)
def test_wheels_whose_driver_changes(integrator: str, tolerance: float, tree: dict[str, Any]) -> None:
    size, often, duration = 8.0, 5.0, 2.3
    model, start = pair(f"{size}*cos({often}*t)")
    run = simulate(model, start, duration=duration, rate=7.0, rtol=tolerance, atol=tolerance,
                   integrator=integrator, **tree)  # fmt: skip
    assert run.status.ok
    exact = turned(run.trajectory.t, size, often, float(model.bodies[0].inertia[2, 2]))
    found = np.column_stack([run.trajectory.coordinates[:, 0], run.trajectory.coordinate_rates[:, 0]])
    # The angle comes to 90 rad.
    assert np.abs((found - exact) / (1.0 + np.abs(exact).max(axis=0))).max() < 0.5 * tolerance


def test_teeth_that_lose_nothing_bend_nothing() -> None:
    assert len(kinks_of(prepare(pair("1")[0]).loads).term) == 1
    assert len(kinks_of(prepare(pair("1", 1.0)[0]).loads).term) == 0


def test_pulls_that_are_rounding_cost_no_more_steps() -> None:
    """Nothing acts: the pull has any sign, and none counts."""
    model, start = pair("1e-14*sin(70*t)")
    run = simulate(model, start, duration=20.0, rate=5.0)
    assert run.status.ok
    assert run.statistics.rejected == 0
    assert run.statistics.steps < 100
