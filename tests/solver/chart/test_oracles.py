"""Joint accelerations of the chart against the text-book recursions and Pinocchio, on real robots."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

from solver import rotation
from solver.chart import TreeJoint, steps
from solver.chart.engine import ChartEngine
from solver.chart.stepping import joint_accelerations
from solver.constraints import GROUND, AxesAngle, PointOnPlane, Primitive
from solver.denoc import Tree, forward_dynamics, poses, twists
from solver.equations.system import prepare
from solver.model import Model, RigidBody
from solver.state import State
from solver.steps.methods import METHODS
from tests.real_robots import ROBOTS
from tests.solver.denoc.pinocchio_trees import configuration, robot, tree_of
from tests.solver.examples import ball, hinge

Array = np.ndarray

STEPS: dict[str, Callable[[Array], tuple[steps.Step, ...]]] = {
    "revolute": lambda axis: (steps.turn(axis),),
    "prismatic": lambda axis: (steps.slide(axis),),
    "spherical": lambda axis: (steps.ball(),),
}
"""What the joints of the recursions' links leave free."""


def model_of(tree: Tree) -> tuple[Model, list[TreeJoint]]:
    """The same bodies in absolute coordinates, with the rows of their joints; all axes are the world's at q = 0."""
    origins, axes = poses(tree, tree.neutral)
    bodies, rows, groups, joints = [], list[Primitive](), list[str](), []
    centres = np.array([origins[k] + axes[k] @ link.com for k, link in enumerate(tree.links)])
    for k, link in enumerate(tree.links):
        bodies.append(RigidBody(link.name, link.mass, axes[k] @ link.inertia @ axes[k].T))
        if link.joint == "free":
            continue
        z, p = axes[k] @ link.axis / np.linalg.norm(link.axis), link.parent
        on_parent = origins[k] - (np.zeros(3) if p == GROUND else centres[p])
        of = _rows(link.joint, p, k, on_parent, origins[k] - centres[k], z)
        rows += of
        groups += [link.name] * len(of)
        joints.append(TreeJoint(link.name, STEPS[link.joint](z), p, k, origins[k]))
    still = np.tile([1.0, 0.0, 0.0, 0.0], (len(bodies), 1))
    gravity = (float(tree.gravity[0]), float(tree.gravity[1]), float(tree.gravity[2]))
    return Model(tuple(bodies), tuple(rows), centres, still, groups=tuple(groups), gravity=gravity), joints


def _rows(kind: str, a: int, b: int, at: Array, here: Array, z: Array) -> list[Primitive]:
    x = rotation.perpendicular(z)
    y = np.cross(z, x)
    if kind == "revolute":
        return hinge(a, b, at, here, z)
    if kind == "spherical":
        return ball(a, b, at, here)
    straight = [AxesAngle(a, b, e, w) for e, w in ((x, z), (y, z), (x, y))]
    return [*straight, *(PointOnPlane(a, b, at, e, here) for e in (x, y))]


def state_of(tree: Tree, q: Array, rates: Array) -> State:
    """Poses and velocities of the bodies' centres of mass."""
    (o, R), (_, at_rest), t = poses(tree, q), poses(tree, tree.neutral), twists(tree, q, rates)
    arms = np.array([R[k] @ link.com for k, link in enumerate(tree.links)])
    turns = rotation.quaternion(R @ np.swapaxes(at_rest, 1, 2))
    return State(0.0, o + arms, turns, np.column_stack([t[:, :3] + np.cross(t[:, 3:], arms), t[:, 3:]]), np.zeros(0))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("name", [ROBOTS[1], ROBOTS[3], ROBOTS[5]])
def test_accelerations_are_those_of_the_recursions_and_of_pinocchio(name: str, floating: bool) -> None:
    theirs = robot(name, floating)
    tree = tree_of(theirs)
    model, joints = model_of(tree)
    system = prepare(model)
    engine = ChartEngine(system, METHODS["dopri5"], joints)
    given = pin.randomConfiguration(theirs, np.full(theirs.nq, -2.0), np.full(theirs.nq, 2.0))
    q, rates = configuration(theirs, tree, given), np.random.default_rng(11).normal(size=theirs.nv)
    expected = forward_dynamics(tree, q, rates, np.zeros(tree.nv))
    assert_allclose(
        expected,
        pin.aba(theirs, theirs.createData(), given, rates, np.zeros(theirs.nv)),
        atol=1e-10 * np.abs(expected).max(),
    )

    state, C = state_of(tree, q, rates), engine.chart
    engine.read(state)
    S, K = engine._steps, engine._kinematics
    joint_accelerations(engine.tables, C, K, S, np.zeros((0, 3)), 1)
    joint_of = {int(body): C.v_start[C.step[k]] for k, body in enumerate(C.body)}
    hinges = [(joint_of[k], tree.tables.v_start[k]) for k, link in enumerate(tree.links) if link.joint != "free"]
    ours, text_book = (np.array(side) for side in zip(*hinges, strict=True))
    assert_allclose(S.rates[ours], rates[text_book], atol=1e-11)
    assert_allclose(S.acceleration[ours], expected[text_book], atol=1e-10 * np.abs(expected).max())
    # What was read gives the poses again.
    assert_allclose(K.x, state.positions, atol=1e-12)
    assert_allclose(K.v, state.velocities, atol=1e-11)
