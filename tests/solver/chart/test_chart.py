"""Models in the joint coordinates of a spanning tree against the same in absolute coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from solver import functions, rotation, simulate
from solver.chart import TreeJoint, spanning_chart, steps
from solver.constraints import GROUND, AxesAngle, Coordinate, Coupler, PointOnPlane, Primitive
from solver.equations.system import prepare
from solver.model import JointLoad, Mesh, Model, Motor, RigidBody, Wrench
from solver.result import Result
from solver.runs.events import Event
from solver.state import State
from tests.solver.examples import O, X, Y, Z, ball, body, hinge, pendulum, planetary, poses, turn, wheels

FINE: dict[str, Any] = {"duration": 0.6, "rate": 20.0, "rtol": 1e-11, "atol": 1e-11}


def agree(one: Result, other: Result, tolerance: float = 1e-8, *, repeated: bool = False) -> None:
    """All samples, multipliers and energies among them, are the same; of `repeated` rows the loads to six digits."""
    assert one.status.code == other.status.code
    for field in fields(one.trajectory):
        a, b = getattr(one.trajectory, field.name), getattr(other.trajectory, field.name)
        size = max(1.0, float(np.abs(a).max(initial=0.0)))
        size *= 100 if repeated and field.name == "multipliers" else 1
        assert_allclose(b, a, rtol=0, atol=tolerance * size, err_msg=field.name)


def both(model: Model, tree: Sequence[TreeJoint], state: State | None = None, **run: object) -> tuple[Result, Result]:
    given = {**FINE, **run}
    return simulate(model, state, **given), simulate(model, state, tree=tree, **given)


def _joint(kind: str) -> tuple[list[Primitive], tuple[steps.Step, ...]]:
    """Rows of a joint between the ground and body 0 at its centre, axis z, and the steps that they leave free."""
    y_across = [AxesAngle(GROUND, 0, X, Z), AxesAngle(GROUND, 0, Y, Z)]
    on_line = [PointOnPlane(GROUND, 0, O, e, O) for e in (X, Y)]
    angle = Coordinate("angle", GROUND, 0, O, Z, O, X, X)
    travel = Coordinate("distance", GROUND, 0, O, Z, O)
    screw = Coupler(GROUND, 0, ((0.1, angle), (-1.0, travel)))
    joints: dict[str, tuple[list[Primitive], tuple[steps.Step, ...]]] = {
        "revolute": (hinge(GROUND, 0, O, O, Z), (steps.turn(Z),)),
        "prismatic": ([*y_across, AxesAngle(GROUND, 0, X, Y), *on_line], (steps.slide(Z),)),
        "screw": ([*y_across, *on_line, screw], (steps.screw(Z, 0.1),)),
        "cylindrical": ([*y_across, *on_line], (steps.turn(Z), steps.slide(Z))),
        "planar": ([*y_across, PointOnPlane(GROUND, 0, O, Z, O)], (steps.slide(X), steps.slide(Y), steps.turn(Z))),
        "spherical": (ball(GROUND, 0, O, O), (steps.ball(),)),
        "universal": ([*ball(GROUND, 0, O, O), AxesAngle(GROUND, 0, Z, X)], (steps.turn(Z), steps.turn(X))),
        "schoenflies": ([*y_across], (steps.slide(X), steps.slide(Y), steps.slide(Z), steps.turn(Z))),
        "pin in slot": (
            [*y_across, PointOnPlane(GROUND, 0, O, Z, O), PointOnPlane(GROUND, 0, O, Y, O)],
            (steps.slide(X), steps.turn(Z)),
        ),
        "ball in groove": ([PointOnPlane(GROUND, 0, O, e, O) for e in (Y, Z)], (steps.slide(X), steps.ball())),
    }
    return joints[kind]


def _two_bodies(kind: str, *, reverse: bool) -> tuple[Model, list[TreeJoint]]:
    """A joint of the kind on the ground and a second body on a hinge about a skew axis.

    Reversed, the second body hangs on the ground, so that the joint is passed from b to a.
    """
    rows, free = _joint(kind)
    x, q = poses([[0.3, 0.2, 0.1], [1.0, 0.5, 0.2]])
    x[0] = 0.0
    skew = np.array([1.0, 2.0, -1.0]) / np.sqrt(6)
    joints = [TreeJoint("first", free, GROUND, 0, O)]
    bodies = (RigidBody("one", 2.0, np.diag([0.3, 0.4, 0.5])), RigidBody("two", 1.0, np.diag([0.1, 0.2, 0.25])))
    other = hinge(0, 1, np.array([0.5, 0.1, 0]), np.array([0.5, 0.1, 0]) - x[1], skew)
    if reverse:
        # The bodies change places with the ground: what was the ground is body 1.
        rows = [replace(p, a=1, **({"point_a": -x[1]} if hasattr(p, "point_a") else {})) for p in rows]
        rows = [_on_second(p, x[1]) for p in rows]
        other = hinge(GROUND, 0, np.array([0.5, 0.1, 0]), np.array([0.5, 0.1, 0]), skew)
        joints = [replace(joints[0], a=1)]
        joints.append(TreeJoint("second", (steps.turn(skew),), GROUND, 0, np.array([0.5, 0.1, 0])))
    else:
        joints.append(TreeJoint("second", (steps.turn(skew),), 0, 1, np.array([0.5, 0.1, 0])))
    groups = ("first",) * len(rows) + ("second",) * 5
    pull = Wrench("pull", 1, X / 3, force=(functions.expression("3*sin(7*t)"), None, functions.constant(1.0)))
    return Model(bodies, (*rows, *other), x, q, groups=groups, wrenches=(pull,), gravity=(1.0, -2.0, -9.0)), joints


def _on_second(p: Primitive, at: np.ndarray) -> Primitive:
    if not isinstance(p, Coupler):
        return p
    terms = tuple((c, replace(o, a=1, point_a=-at)) for c, o in p.terms)
    return replace(p, terms=terms)


KINDS = (
    "revolute", "prismatic", "screw", "cylindrical", "planar", "spherical", "universal", "schoenflies", "pin in slot",
    "ball in groove",
)  # fmt: skip


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint_either_way_round(kind: str, reverse: bool) -> None:
    model, joints = _two_bodies(kind, reverse=reverse)
    agree(*both(model, joints, duration=0.4))
    # Begun on the way, moving: the tree reads its own coordinates from poses and rates.
    half = simulate(model, **FINE).trajectory
    state = State(0.0, half.positions[-1], half.quaternions[-1], half.velocities[-1])
    agree(*both(model, joints, state, duration=0.2))


def test_a_chain_cut_free_or_whole() -> None:
    chain = replace(pendulum(3), groups=tuple(f"joint {i // 5}" for i in range(15)))
    joints = [TreeJoint(f"joint {i}", (steps.turn(Z),), i - 1, i, i * X) for i in range(3)]
    whole, tree = both(chain, joints)
    agree(whole, tree)
    # Where the tree has no joint, the body is free and the joint's own rows close it.
    agree(whole, simulate(chain, tree=joints[:2], **FINE))
    agree(whole, simulate(chain, tree=joints[1:], **FINE))
    loose = replace(chain, primitives=chain.primitives[5:], groups=chain.groups[5:])
    spinning = State(0.0, chain.positions, chain.quaternions, np.tile([0.0, 1, 0, 0, 0, 2.0], (3, 1)))
    spinning.velocities[:, 1] = 2.0 * chain.positions[:, 0]
    agree(*both(loose, joints[1:], spinning))


def test_gears_drivers_and_loads() -> None:
    """Couplings are rows; a speed motor is one too; so is the armature of a joint."""
    driver = Motor("m", turn(GROUND, 0), "speed", functions.expression("40 + 10*sin(t)"))
    train = planetary(driver, True)
    axes = [TreeJoint(name, (steps.turn(Z),), GROUND, i, O) for i, name in enumerate(("sun", "carrier"))]
    axes.append(TreeJoint("planet", (steps.turn(Z),), 1, 2, 1.5 * X))
    one, other = both(train, axes)
    # Repeated rows: the multipliers are those of least norm in both.
    agree(one, other, repeated=True)
    assert other.statistics.steps < one.statistics.steps
    torque = Motor("m", turn(GROUND, 0), "torque", functions.expression("4*sin(5*t)"))
    pair = wheels(2.0, (torque,), 0.3)
    loads = (replace(pair.loads[0], name="first", damping=0.2, stiffness=1.5),)
    hinges = [TreeJoint("first", (steps.turn(Z),), GROUND, 0, O), TreeJoint("second", (steps.turn(Z),), GROUND, 1, X)]
    agree(*both(replace(pair, loads=loads), hinges))


def _four_bar() -> tuple[Model, list[TreeJoint]]:
    """A planar four-bar of hinges in space, three rows redundant, with a spring on its last joint."""
    corners = np.array([[0, 0, 0], [0, 1, 0], [2, 1.5, 0], [2, 0, 0.0]])
    x, q = poses([list((a + b) / 2) for a, b in pairwise(corners)])
    rows, joints = [], []
    for i, at in enumerate(corners):
        a, b = i - 1, i if i < 3 else GROUND
        rows += hinge(a, b, at - (x[a] if a >= 0 else O), at - (x[b] if b >= 0 else O), Z)
        joints.append(TreeJoint(f"joint {i}", (steps.turn(Z),), a, b, at))
    spring = JointLoad(turn(GROUND, 0), stiffness=2.0, rest=0.5)
    groups = tuple(f"joint {i // 5}" for i in range(20))
    bodies = tuple(body(f"bar {i}") for i in range(3))
    return Model(bodies, tuple(rows), x, q, groups=groups, loads=(spring,), gravity=(0.0, -9.81, 0.0)), joints


def test_a_loop_is_cut_and_closed_with_its_redundant_rows() -> None:
    model, joints = _four_bar()
    one, other = both(model, joints)
    agree(one, other)
    assert other.trajectory.constraint_position.max() < 1e-12
    assert other.trajectory.constraint_velocity.max() < 1e-12


def test_events_and_refusals() -> None:
    model, joints = _four_bar()
    model = replace(model, coordinates=(turn(GROUND, 0),))
    event = Event("low", 0, 0.4, stop=True)
    one, other = both(model, joints, events=[event], duration=2.0)
    assert one.status.code == other.status.code == "event"
    assert_allclose(other.events[0].t, one.events[0].t, atol=1e-8)
    with pytest.raises(ValueError, match="explicit methods only"):
        simulate(model, tree=joints, integrator="generalized_alpha", **FINE)


def test_a_wheel_may_turn_many_times_in_one_step() -> None:
    wheel = Model(
        (body("wheel"),), tuple(hinge(GROUND, 0, O, O, Z)), *poses([[0, 0, 0]]), groups=("axle",) * 5,
        coordinates=(turn(GROUND, 0),), gravity=(0.0, 0.0, 0.0),
    )  # fmt: skip
    fast = State(0.0, np.zeros((1, 3)), np.array([[1.0, 0, 0, 0]]), np.array([[0.0, 0, 0, 0, 0, 500.0]]))
    run = simulate(wheel, fast, duration=1.0, rate=10.0, tree=[TreeJoint("axle", (steps.turn(Z),), GROUND, 0, O)])
    assert run.statistics.steps < 50
    assert_allclose(run.trajectory.coordinates[:, 0], 500 * run.trajectory.t, rtol=1e-9)
    expected = rotation.exponential(np.outer(run.trajectory.t, [0, 0, 500.0]))
    assert_allclose(np.abs(np.sum(run.trajectory.quaternions[:, 0] * expected, axis=1)), 1.0, atol=1e-9)


def test_a_joint_whose_rows_do_not_hold_is_left_to_its_rows() -> None:
    chain = replace(pendulum(2), groups=("near",) * 5 + ("open",) * 5)
    apart = replace(chain, positions=chain.positions + np.outer([0.0, 1.0], 1e-7 * X))
    joints = [TreeJoint("near", (steps.turn(Z),), GROUND, 0, O), TreeJoint("open", (steps.turn(Z),), 0, 1, X)]
    chart = spanning_chart(prepare(apart), joints)
    assert chart.v_start[-1] == 1 + 6
    assert not chart.closed
    agree(*both(apart, joints))


def test_a_quaternion_keeps_its_sign_from_step_to_step() -> None:
    """A start with −q, which is the same pose."""
    model, joints = _two_bodies("prismatic", reverse=False)
    state = State(0.0, model.positions, model.quaternions * [[-1.0], [1.0]], np.zeros((2, 6)))
    agree(*both(model, joints, state, duration=0.2))


def test_a_body_without_mass_on_a_gear() -> None:
    """Its wheel has its inertia from the gear alone."""
    pair = wheels(2.0, (Motor("m", turn(GROUND, 0), "torque", functions.expression("4*sin(5*t)")),))
    light = replace(pair, bodies=(pair.bodies[0], RigidBody("light", 0.0, np.zeros((3, 3)))))
    hinges = [TreeJoint("first", (steps.turn(Z),), GROUND, 0, O), TreeJoint("second", (steps.turn(Z),), GROUND, 1, X)]
    agree(*both(light, hinges))


def test_a_gear_that_loses_power() -> None:
    pair = wheels(2.0, (Motor("m", turn(GROUND, 0), "torque", functions.constant(1.0)),))
    mesh = Mesh(pair.groups[-1], turn(GROUND, 0), turn(GROUND, 1, point_a=X), 0.8, 0.1, 0.1)
    hinges = [TreeJoint("first", (steps.turn(Z),), GROUND, 0, O), TreeJoint("second", (steps.turn(Z),), GROUND, 1, X)]
    one, other = both(replace(pair, meshes=(mesh,)), hinges)
    agree(one, other)
    assert other.trajectory.dissipated[-1] > 1e-3


def test_a_motor_that_bears_the_name_of_its_joint() -> None:
    """Its row is no row of the joint: it closes the tree, from wherever it begins."""
    chain = replace(pendulum(2), groups=("first",) * 5 + ("second",) * 5)
    lead = Motor("first", turn(GROUND, 0, Z, O), "angle", functions.expression("0.3 + sin(2*t)"))
    joints = [TreeJoint("first", (steps.turn(Z),), GROUND, 0, O), TreeJoint("second", (steps.turn(Z),), 0, 1, X)]
    model = replace(chain, motors=(lead,))
    assert not spanning_chart(prepare(model), joints).closed
    agree(*both(model, joints))


def test_runs_of_one_system_leave_nothing_to_the_next() -> None:
    """Workspaces go from run to run: another chart, other samples, tolerances or looks before change no digit."""
    chain = replace(pendulum(3), groups=tuple(f"joint {i // 5}" for i in range(15)))
    joints = [TreeJoint(f"joint {i}", (steps.turn(Z),), i - 1, i, i * X) for i in range(3)]
    fresh = simulate(chain, duration=0.3, rate=100.0)
    system = prepare(chain)
    simulate(system, duration=0.3, rate=100.0, tree=joints)
    asked: tuple[dict[str, Any], ...] = (
        {"rate": 5000.0}, {"rtol": 1e-4, "atol": 1e-4}, {"progress": lambda part: None}, {},
    )  # fmt: skip
    for before in asked:
        again = simulate(system, duration=0.3, rate=100.0)
        for name, column in vars(again.trajectory).items():
            assert_array_equal(column, getattr(fresh.trajectory, name))
        assert replace(again.statistics, seconds=0.0) == replace(fresh.statistics, seconds=0.0)
        given: dict[str, Any] = {"duration": 0.3, "rate": 100.0, **before}
        simulate(system, **given)
