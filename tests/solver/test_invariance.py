"""What must not matter does not: order of bodies, sides of a joint, repeated constraints, frames."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import State, assemble, rotation
from solver.constraints import GROUND, GearPair, Primitive
from solver.equations.system import prepare
from solver.model import Model, RigidBody
from solver.steps.methods import slope_at
from tests.solver.examples import O, X, Z, hinge, poses

Array = np.ndarray
COUNT = 6
_SEEDS = st.integers(0, 2**31)


def _train(flips: list[bool], order: list[int]) -> Model:
    """A four-bar in space (rows repeat) with a planetary pair on its crank; `flips` swap the sides of joints.

    `order` tells which place each of the six bodies has: crank, coupler, rocker, sun, planet, and a pendulum on the
    planet.
    """
    names = ("crank", "coupler", "rocker", "sun", "planet", "weight")
    places = [[0.0, 0.5, 0.0], [1.0, 1.0, 0.0], [2.0, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]
    at = np.array([[*p] for p in places])
    joints = [
        (GROUND, 0, O),
        (0, 1, np.array([0, 1.0, 0])),
        (1, 2, np.array([2.0, 1.0, 0])),
        (GROUND, 2, 2 * X),
        (GROUND, 3, O),
        (0, 4, np.array([0, 1.0, 0])),
        (4, 5, np.array([0, 1.0, 0])),
    ]
    place = {GROUND: GROUND, **dict(enumerate(order))}
    rows: list[Primitive] = []
    for (a, b, point), flip in zip(joints, flips, strict=False):
        one, other = (b, a) if flip else (a, b)
        here, there = (point - (at[i] if i != GROUND else O) for i in (one, other))
        rows += hinge(place[one], place[other], here, there, Z)
    # Wheels of 0.4 and 0.6 m on the crank's ends.
    if flips[-1]:
        rows.append(GearPair(place[4], place[3], "spur", O, Z, O, Z, 2 / 3))
    else:
        rows.append(GearPair(place[3], place[4], "spur", O, Z, O, Z, 1.5))
    x, q = poses([places[order.index(k)] for k in range(COUNT)])
    bodies = [RigidBody(n, 1.0 + i, (0.1 + 0.05 * i) * np.diag([1, 1.2, 1.5])) for i, n in enumerate(names)]
    return Model(tuple(bodies[order.index(k)] for k in range(COUNT)), tuple(rows), x, q, gravity=(0.0, -9.81, 0.0))


def _moving(model: Model, seed: int) -> State:
    """A state on the constraints, with velocities."""
    draw = np.random.default_rng(seed)
    rough = replace(State.at_rest(model.positions, model.quaternions), velocities=draw.normal(size=(COUNT, 6)))
    found = assemble(model, rough)
    assert found.status.ok
    return found.state


def _acceleration(model: Model, state: State) -> Array:
    system = prepare(model)
    angles = np.zeros(system.program.angle_count)
    return slope_at(system, replace(state, angles=angles)).acceleration


def _close(found: Array, expected: Array) -> None:
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(COUNT)), _SEEDS)
def test_order_of_bodies(order: list[int], seed: int) -> None:
    plain = _train([False] * 8, list(range(COUNT)))
    state = _moving(plain, seed)
    back = np.argsort(order)
    moved = State(0.0, state.positions[back], state.quaternions[back], state.velocities[back])
    found = _acceleration(_train([False] * 8, order), moved)
    _close(found[order], _acceleration(plain, state))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.booleans(), min_size=8, max_size=8), _SEEDS)
def test_sides_of_joints_and_gears(flips: list[bool], seed: int) -> None:
    plain = _train([False] * 8, list(range(COUNT)))
    state = _moving(plain, seed)
    _close(_acceleration(_train(flips, list(range(COUNT))), state), _acceleration(plain, state))


@settings(max_examples=25, deadline=None)
@given(st.data(), _SEEDS)
def test_duplicates_of_constraints_and_their_order(data: st.DataObject, seed: int) -> None:
    plain = _train([False] * 8, list(range(COUNT)))
    state = _moving(plain, seed)
    count = len(plain.primitives)
    more = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=6))
    order = data.draw(st.permutations([*range(count), *more]))
    repeated = replace(plain, primitives=tuple(plain.primitives[i] for i in order))
    _close(_acceleration(repeated, state), _acceleration(plain, state))


@settings(max_examples=25, deadline=None)
@given(_SEEDS)
def test_frames_of_the_world(seed: int) -> None:
    """The whole turned and moved, gravity as well: accelerations turn with it."""
    plain = _train([False] * 8, list(range(COUNT)))
    state = _moving(plain, seed)
    draw = np.random.default_rng(seed + 1)
    turn, shift = rotation.exponential(draw.normal(size=3)), draw.normal(size=3)
    R = rotation.matrix(turn)
    ground = [_carried(p, R, shift) if p.a == GROUND else p for p in plain.primitives]
    turned = replace(
        plain,
        primitives=tuple(ground),
        positions=plain.positions @ R.T + shift,
        quaternions=rotation.multiply(turn, plain.quaternions),
        gravity=tuple(R @ plain.gravity),
    )
    here = State(
        0.0,
        state.positions @ R.T + shift,
        rotation.multiply(turn, state.quaternions),
        np.hstack([state.velocities[:, :3] @ R.T, state.velocities[:, 3:] @ R.T]),
    )
    a = _acceleration(plain, state)
    _close(_acceleration(turned, here), np.hstack([a[:, :3] @ R.T, a[:, 3:] @ R.T]))


@settings(max_examples=25, deadline=None)
@given(_SEEDS, st.sampled_from([1e-3, 0.0254, 1e3]), st.sampled_from([1e-3, 0.45359237, 1e3]))
def test_units_of_length_and_mass(seed: int, length: float, mass: float) -> None:
    """The same mechanism counted in other units: linear accelerations are other numbers, angular ones the same."""
    plain = _train([False] * 8, list(range(COUNT)))
    state = _moving(plain, seed)
    rows = []
    for p in plain.primitives:
        points = {n: getattr(p, n) * length for n in ("point_a", "point_b") if hasattr(p, n)}
        rows.append(replace(p, **points))
    bodies = [RigidBody(b.name, b.mass * mass, b.inertia * (mass * length**2)) for b in plain.bodies]
    scaled = replace(
        plain,
        bodies=tuple(bodies),
        primitives=tuple(rows),
        positions=plain.positions * length,
        gravity=(length * plain.gravity[0], length * plain.gravity[1], length * plain.gravity[2]),
    )
    units = np.array([length] * 3 + [1.0] * 3)
    here = State(0.0, state.positions * length, state.quaternions, state.velocities * units)
    _close(_acceleration(scaled, here) / units, _acceleration(plain, state))


def _carried(primitive: Primitive, R: Array, shift: Array) -> Primitive:
    """A primitive with its part on the ground turned and moved."""
    changed = {}
    for name in ("point_a", "normal_a", "axis_a"):
        if hasattr(primitive, name):
            changed[name] = R @ getattr(primitive, name) + (shift if name == "point_a" else 0.0)
    return replace(primitive, **changed)
