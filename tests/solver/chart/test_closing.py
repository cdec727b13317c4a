"""A tree put on the rows of its loops, what its steps allow of work, and samples' rates: kernel by kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import functions, rotation, simulate
from solver.chart import TreeJoint, steps
from solver.chart.engine import ChartEngine
from solver.chart.stepping import close_joints
from solver.constraints import GROUND, PointOnPlane
from solver.equations.system import prepare
from solver.model import Model, Motor
from solver.state import State
from solver.steps.methods import METHODS
from tests.solver.examples import O, X, Y, Z, body, hinge, pendulum, poses, turn

CORNERS = np.array([[0.0, 0.0, 0.0], [0.2, 0.5, 0.0], [0.9, 0.7, 0.0], [0.8, -0.1, 0.0]])
"""Of a four-bar: a pivot, two pins, the other pivot."""


def four_bar() -> tuple[Model, list[TreeJoint]]:
    """Three bars in a row on hinges, and two rows that hold the end of the last."""
    middles = (CORNERS[:-1] + CORNERS[1:]) / 2
    x, q = poses(middles.tolist())
    rows, groups, tree = [], [], []
    for k in range(3):
        base = O if k == 0 else x[k - 1]
        rows += hinge(k - 1 if k else GROUND, k, CORNERS[k] - base, CORNERS[k] - x[k], Z)
        groups += [f"J{k}"] * 5
        tree.append(TreeJoint(f"J{k}", (steps.turn(Z),), k - 1 if k else GROUND, k, CORNERS[k]))
    rows += [PointOnPlane(GROUND, 2, CORNERS[3], axis, CORNERS[3] - x[2]) for axis in (X, Y)]
    return Model(tuple(body(f"bar{k}") for k in range(3)), tuple(rows), x, q, groups=(*groups, "end", "end")), tree


@pytest.mark.parametrize("away", [1e-9, 0.05])
def test_a_tree_that_is_off_its_loop_is_put_on_it(away: float) -> None:
    model, tree = four_bar()
    engine = ChartEngine(prepare(model), METHODS["dopri5"], tree)
    engine.read(State.at_rest(model.positions, model.quaternions))
    C, K, S = engine.arrays
    S.q[:] += away * np.array([1.0, -0.6, 0.4])
    S.rates[:] = 1.0, -0.5, 2.0
    left = close_joints(engine.tables, C, K, S, np.zeros((0, 3)))
    assert left < 1e-14
    reach = rotation.matrix(K.quaternion[2]) @ (CORNERS[3] - model.positions[2])
    assert_allclose(K.x[2] + reach, CORNERS[3], atol=1e-14)
    assert_allclose(K.v[2, :3] + np.cross(K.v[2, 3:], reach), 0.0, atol=1e-13)
    assert np.abs(K.v[2, 3:]).max() > 0.1


@pytest.mark.parametrize("tree", [None, [TreeJoint("J", (steps.turn(Z),), GROUND, 0, O)]], ids=["absolute", "tree"])
def test_work_is_measured_by_the_kinetic_energy(tree: Any) -> None:
    """A wheel of 5e4 J under a torque that does 1e-3 J and turns round often: its work costs no steps."""
    x, q = poses([[0.0, 0.0, 0.0]])
    motor = Motor("m", turn(GROUND, 0), "torque", functions.expression("1e-3*sin(300*t)"))
    model = Model((body(),), tuple(hinge(GROUND, 0, O, O, Z)), x, q, groups=("J",) * 5, motors=(motor,))
    start = State.at_rest(x, q)
    start.velocities[0, 5] = 800.0
    run = simulate(model, start, duration=0.3, rate=1 / 0.3, rtol=1e-9, atol=1e-9, tree=tree)
    assert run.status.ok
    assert run.statistics.steps < 40


def test_samples_have_the_rates_and_accelerations_of_coordinates() -> None:
    """A bar on a hinge, 0.5 m to its centre, at ends of steps and within them."""
    model = pendulum()
    start = State.at_rest(model.positions, model.quaternions)
    start.velocities[0] = 0.0, 0.5 * 3.0, 0.0, 0.0, 0.0, 3.0
    run = simulate(model, start, duration=0.02, rate=200.0)
    T, inertia = run.trajectory, model.bodies[0].inertia[2, 2] + model.bodies[0].mass * 0.25
    assert_allclose(T.coordinate_rates[:, 0], T.velocities[:, 0, 5], rtol=1e-12)
    assert T.coordinate_rates[0, 0] == pytest.approx(3.0)
    assert_allclose(T.coordinate_accelerations[:, 0], T.accelerations[:, 0, 5], rtol=1e-12)
    expected = -model.bodies[0].mass * 9.81 * T.positions[:, 0, 0] / inertia
    assert_allclose(np.abs(T.coordinate_accelerations[:, 0]), np.abs(expected), rtol=1e-6)
