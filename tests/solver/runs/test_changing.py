"""Mechanisms rebuilt while they run: momentum, closed forms, refusals, and both methods of computing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import functions, rotation, simulate
from solver.chart import TreeJoint, steps
from solver.constraints import GROUND
from solver.model import Model, Motor, RigidBody
from solver.runs.changing import Change, Rebuilt, simulate_changing
from solver.runs.holding import hold, point_on_line, point_on_point, weld
from solver.state import State
from tests.solver.examples import O, X, Y, Z, body, hinge, pendulum, poses, turn

FINE: dict[str, Any] = {"rate": 50.0, "rtol": 1e-11, "atol": 1e-11}


def momentum(model: Model, T: object, k: int) -> np.ndarray:
    """Linear momentum and angular momentum about the world's origin of sample k."""
    total = np.zeros(6)
    for i, one in enumerate(model.bodies):
        x, v = T.positions[k, i], T.velocities[k, i]  # type: ignore[attr-defined]
        R = rotation.matrix(T.quaternions[k, i])  # type: ignore[attr-defined]
        total[:3] += one.mass * v[:3]
        total[3:] += np.cross(x, one.mass * v[:3]) + R @ one.inertia @ R.T @ v[3:]
    return total


def two_free() -> tuple[Model, State]:
    """Two bodies in free fall that spin and meet at a corner of each at t = 0."""
    x, q = poses([[0, 0, 0], [1.0, 0.6, 0]])
    bodies = (RigidBody("one", 2.0, np.diag([0.3, 0.4, 0.5])), RigidBody("two", 1.0, np.diag([0.1, 0.2, 0.25])))
    state = State(0.0, x, q, np.array([[1.0, 0.2, 0, 0.3, 0, 1.0], [-1.0, 0, 0.5, 0, -2.0, 0.4]]))
    return Model(bodies, (), x, q, gravity=(0.0, 0.0, 0.0)), state


def joined(model: Model, state: State, *, plastic: bool) -> Rebuilt:
    rows = point_on_point(0, 1, 0.5 * X, np.array([-0.5, -0.6, 0.0]))
    change = Change(0.0, "attach pin", on=("pin",), make=lambda _: rows, plastic=plastic)
    return simulate_changing(model, state, changes=[change], duration=0.4, **FINE)


def test_a_plastic_attachment_keeps_momentum_and_loses_energy() -> None:
    model, state = two_free()
    free = simulate(model, state, duration=0.0, **FINE)
    run = joined(model, state, plastic=True)
    T = run.result.trajectory
    assert run.result.status.ok
    for k in (0, -1):
        assert_allclose(momentum(model, T, k), momentum(model, free.trajectory, 0), atol=1e-10)
    (change,) = run.changes
    pin = change.impulses["pin"]
    # Newton's third law, and the second for each body: the impulse is what its momentum changes by.
    assert_allclose(pin[0, :3], -pin[1, :3], atol=1e-12)
    assert_allclose(2.0 * (T.velocities[0, 0, :3] - state.velocities[0, :3]), pin[0, :3], atol=1e-12)
    assert change.lost > 0.1
    assert_allclose(change.lost, free.trajectory.kinetic[0] - T.kinetic[0], atol=1e-12)
    # The balance of energy holds over the change.
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    assert np.ptp(balance) < 1e-9
    # The two corners stay together.
    R = [rotation.matrix(T.quaternions[:, i]) for i in (0, 1)]
    gap = T.positions[:, 0] + R[0] @ (0.5 * X) - T.positions[:, 1] - R[1] @ np.array([-0.5, -0.6, 0])
    assert np.abs(gap).max() < 1e-11


def test_the_impulses_of_tiny_bodies_are_told() -> None:
    """Bodies of a ng: impulses of 1e-12 N s are all there is, and no rounding."""
    model, state = two_free()
    small = 1e-12
    bodies = tuple(RigidBody(b.name, small * b.mass, small * b.inertia) for b in model.bodies)
    (usual,), (tiny,) = (joined(m, state, plastic=True).changes for m in (model, replace(model, bodies=bodies)))
    assert_allclose(tiny.impulses["pin"] / small, usual.impulses["pin"], rtol=1e-9, atol=1e-12)
    assert tiny.size == pytest.approx(tuple(small * part for part in usual.size), rel=1e-9)


def test_a_body_without_mass_takes_no_impulse() -> None:
    """The pin is on a label without mass that is glued to the first body: the impulse passes through it."""
    model, state = two_free()
    expected = joined(model, state, plastic=True).result.trajectory
    label = RigidBody("label", 0.0, np.zeros((3, 3)))
    moved = np.concatenate(
        [state.velocities[0, :3] + np.cross(state.velocities[0, 3:], 0.5 * X), state.velocities[0, 3:]]
    )
    whole = State(
        0.0, np.vstack([state.positions, 0.5 * X]), np.vstack([state.quaternions, state.quaternions[0]]),
        np.vstack([state.velocities, moved]),
    )  # fmt: skip
    glue = weld(0, 2)(whole)
    held = replace(
        model, bodies=(*model.bodies, label), primitives=glue, groups=("glue",) * 6,
        positions=whole.positions, quaternions=whole.quaternions,
    )  # fmt: skip
    rows = point_on_point(2, 1, O, np.array([-0.5, -0.6, 0.0]))
    change = Change(0.0, "attach pin", on=("pin",), make=lambda _: rows, plastic=True)
    T = simulate_changing(held, whole, changes=[change], duration=0.4, **FINE).result.trajectory
    assert_allclose(T.velocities[0, :2], expected.velocities[0], atol=1e-12)
    assert_allclose(momentum(held, T, -1), momentum(model, expected, 0), atol=1e-9)


def test_without_plastic_it_is_refused_with_its_size() -> None:
    """Two points on a line that meet at 3 m/s: the impulse is the reduced mass times that."""
    x, q = poses([[0, 0, 0], [1.0, 0, 0]])
    model = Model((body("one", 2.0), body("two", 1.0)), (), x, q, gravity=(0.0, 0.0, 0.0))
    state = State(0.0, x, q, np.array([[2.0, 0, 0, 0, 0, 0], [-1.0, 0, 0, 0, 0, 0]]))
    rows = point_on_point(0, 1, 0.5 * X, -0.5 * X)
    change = Change(0.0, "attach pin", on=("pin",), make=lambda _: rows)
    run = simulate_changing(model, state, changes=[change], duration=0.4, **FINE)
    assert run.result.status.code == "impulse"
    assert "attach pin at t = 0 s would need an impulse of 2 N s and 0 N m s" in run.result.status.message
    assert len(run.result.trajectory.t) == 1
    late = simulate_changing(model, state, changes=[replace(change, t=0.1)], duration=0.4, **FINE)
    assert late.result.status.code == "parted"
    assert "300 mm" in late.result.status.message
    assert_allclose(late.result.trajectory.t[-1], 0.1)
    # Where nothing jumps, nothing is refused.
    still = replace(state, velocities=np.tile([0.3, 0, 0, 0, 0, 0], (2, 1)))
    calm = simulate_changing(model, still, changes=[replace(change, t=0.1)], duration=0.4, **FINE)
    assert calm.result.status.ok
    assert calm.changes[0].lost == pytest.approx(0.0, abs=1e-12)


def chain() -> tuple[Model, list[TreeJoint]]:
    model = replace(pendulum(2), groups=("hip",) * 5 + ("knee",) * 5)
    return model, [TreeJoint(n, (steps.turn(Z),), i - 1, i, i * X) for i, n in enumerate(("hip", "knee"))]


@pytest.mark.parametrize("with_tree", [False, True])
def test_lock_release_unlock_on_the_way(with_tree: bool) -> None:
    """Locked, the two links are one body; released, what is loose flies as a thrown body does."""
    model, joints = chain()
    tree = joints if with_tree else None
    lock = Change(0.0, "lock knee", on=("lock of knee",), make=hold(model.coordinates[1]))
    changes = [
        lock,
        Change(0.3, "unlock knee", off=("lock of knee",)),
        Change(0.5, "release knee", off=("knee",)),
    ]
    run = simulate_changing(model, changes=changes, duration=0.8, tree=tree, **FINE)
    assert run.result.status.ok
    T = run.result.trajectory
    locked = T.t < 0.3 - 1e-9
    assert np.abs(T.coordinates[locked, 1]).max() < 1e-12
    # The bar of 2 kg and 2 m about its end, as one rigid pendulum.
    inertia = 2 * 0.15 + 1.0 * 0.25 + 1.0 * 2.25
    rigid = Model(
        (RigidBody("bar", 2.0, np.diag([1, 1, inertia - 2.0])),), tuple(hinge(GROUND, 0, O, -X, Z)),
        *poses([[1, 0, 0]]), coordinates=(turn(GROUND, 0),), gravity=(0.0, -9.81, 0.0),
    )  # fmt: skip
    one = simulate(rigid, duration=0.28, **FINE).trajectory
    assert_allclose(T.coordinates[locked, 0], one.coordinates[:, 0], atol=1e-9)
    loose = T.t > 0.5 - 1e-9
    t, x0, v0 = T.t[loose] - 0.5, T.positions[loose, 1][0], T.velocities[loose, 1, :3][0]
    flight = x0 + np.outer(t, v0) + np.outer(t**2 / 2, [0, -9.81, 0])
    assert_allclose(T.positions[loose, 1], flight, atol=1e-9)
    # A row that does not hold carries nothing.
    knee = [i for i, g in enumerate(run.model.groups) if g == "knee"]
    assert np.all(T.multipliers[loose][:, knee] == 0.0)
    assert np.any(T.multipliers[~loose][:, knee] != 0.0)
    assert [e.name for e in run.result.events] == ["lock knee", "unlock knee", "release knee"]
    assert_allclose(T.t, np.arange(41) / 50)


def test_motors_are_there_while_their_joint_is() -> None:
    model, _ = chain()
    motor = Motor("knee", model.coordinates[1], "speed", functions.expression("2*t"))
    changes = [Change(0.2, "release knee", off=("knee",)), Change(0.2, "attach knee", on=("knee",))]
    run = simulate_changing(replace(model, motors=(motor,)), changes=changes, duration=0.4, **FINE)
    assert run.result.status.ok
    T = run.result.trajectory
    assert_allclose(T.coordinates[:, 1], T.t**2, atol=1e-9)
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    assert np.ptp(balance) < 1e-8
    freed = simulate_changing(replace(model, motors=(motor,)), changes=changes[:1], duration=0.4, **FINE)
    spin = freed.result.trajectory.velocities[:, 1, 5]
    assert np.ptp(spin[10:]) < 1e-10


def test_what_is_let_go_at_the_start_was_never_driven() -> None:
    """The motors of the joints that hold then set in; a lock at the start takes no impulse from them either."""
    model, _ = chain()
    driven = tuple(
        Motor(name, model.coordinates[i], "speed", functions.expression(text))
        for i, (name, text) in enumerate((("hip", "3"), ("knee", "5")))
    )
    model = replace(model, motors=driven, gravity=(0.0, 0.0, 0.0))
    changes = [
        Change(0.0, "weld", on=("stand",), make=weld(GROUND, 1)),
        Change(0.0, "release knee", off=("knee",)),
        Change(0.1, "unlock stand", off=("stand",)),
    ]
    run = simulate_changing(model, changes=changes, duration=0.2, **FINE)
    assert run.result.status.ok
    assert_allclose(run.result.trajectory.velocities[:, 1], 0.0, atol=1e-10)
    assert_allclose(run.result.trajectory.coordinate_rates[:, 0], 3.0, atol=1e-12)


def test_points_on_lines_and_welds() -> None:
    """A weld is no joint at all: two bodies thrown as one keep their relative pose; a point slides on its line."""
    model, state = two_free()
    changes = [Change(0.1, "weld", on=("weld",), make=weld(0, 1), plastic=True)]
    run = simulate_changing(model, state, changes=changes, duration=0.5, **FINE)
    T = run.result.trajectory
    after = T.t > 0.1 - 1e-9
    R = rotation.matrix(T.quaternions[after])
    relative = np.swapaxes(R[:, 0], 1, 2) @ R[:, 1]
    assert np.ptp(relative, axis=0).max() < 1e-10
    assert_allclose(momentum(model, T, -1), momentum(model, T, 0), atol=1e-9)
    sliding = point_on_line(GROUND, 0, O, X + Y, 0.2 * Z)
    bead = replace(model, gravity=(0.0, 0.0, -9.81))
    falling = State(0.0, np.array([[0, 0, -0.2], [1.0, 0.6, 0]]), state.quaternions, np.zeros((2, 6)))
    change = Change(0.0, "attach bead", on=("bead",), make=lambda _: sliding)
    T = simulate_changing(bead, falling, changes=[change], duration=0.5, **FINE).result.trajectory
    tip = T.positions[:, 0] + rotation.matrix(T.quaternions[:, 0]) @ (0.2 * Z)
    assert np.abs(np.cross(tip, (X + Y) / np.sqrt(2))).max() < 1e-11


def test_changes_that_no_run_can_make() -> None:
    model, _ = chain()
    with pytest.raises(ValueError, match="release toe: there are no rows of toe"):
        simulate_changing(model, changes=[Change(0.1, "release toe", off=("toe",))], duration=1.0, rate=10.0)
    with pytest.raises(ValueError, match=r"its time 3 s is outside the run"):
        simulate_changing(model, changes=[Change(3.0, "release hip", off=("hip",))], duration=1.0, rate=10.0)
    # What weighs nothing and is glued to a link moves with it; let go, nothing tells its motion.
    glued = replace(
        model,
        bodies=(*model.bodies, RigidBody("label", 0.0, np.zeros((3, 3)))),
        positions=np.vstack([model.positions, model.positions[1]]),
        quaternions=np.vstack([model.quaternions, model.quaternions[1]]),
        primitives=(*model.primitives, *weld(1, 2)(State.at_rest(*poses([[0, 0, 0], [1.5, 0, 0], [1.5, 0, 0]])))),
        groups=(*model.groups, *["glue"] * 6),
    )
    run = simulate_changing(glued, changes=[Change(0.2, "release glue", off=("glue",))], duration=0.4, rate=10.0)
    assert run.result.status.code == "freed"
    assert "label" in run.result.status.message
    assert_allclose(run.result.trajectory.t, [0, 0.1, 0.2])
