"""Bodies without mass or inertia, carried by others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import rotation, simulate
from solver.constraints import GROUND, AxesAngle, Coupler, Distance, Primitive
from solver.equations.massless import add_mass
from solver.equations.system import prepare
from solver.model import JointLoad, Model, RigidBody
from solver.state import State
from tests.solver.equations.test_dynamics import accelerations, reference
from tests.solver.examples import O, X, Y, Z, ball, body, hinge, pendulum, planetary, poses, turn

NONE = np.zeros((3, 3))


def with_bodies(model: Model, changed: dict[int, RigidBody]) -> Model:
    return replace(model, bodies=tuple(changed.get(i, b) for i, b in enumerate(model.bodies)))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), links=st.integers(2, 6), repeats=st.integers(0, 6))
def test_chains_with_bodies_of_nothing_agree_with_the_whole_saddle_point_matrix(
    seed: int, links: int, repeats: int
) -> None:
    # The last link has a body; of the others some have no mass, no inertia, or neither, or a single moment.
    rng = np.random.default_rng(seed)
    x, q = poses([[float(i + 1), 0.0, 0.0] for i in range(links)])
    rows: list[Primitive] = []
    for i in range(links):
        rows += hinge(i - 1, i, X / 2 if i else O, -X / 2, rng.normal(size=3))
    rows += [rows[k] for k in rng.integers(0, len(rows), repeats)]
    kinds = [
        RigidBody("nothing", 0.0, NONE),
        RigidBody("point", 2.0, NONE),
        RigidBody("wheel", 0.0, np.diag([0.0, 0.0, 0.35])),
        body("whole"),
    ]
    bodies = [replace(kinds[k], name=f"link {i}") for i, k in enumerate(rng.integers(0, 4, links - 1))]
    # Two hinges in line would let a body of nothing spin; the last body's three rows of inertia do not see it.
    model = Model((*bodies, body("last", 3.0, 0.5)), tuple(rows), x, q)
    try:
        prepare(model)
    except ValueError as fault:
        assert "nothing gives inertia to a freedom of" in str(fault)  # noqa: PT017 - most draws are carried
        return
    state = State(0.0, x, rotation.exponential(0.05 * rng.normal(size=(links, 3))), 0.3 * rng.normal(size=(links, 6)))
    rates, multipliers = accelerations(model, state)
    exact, held = reference(model, state)
    size = float(np.abs(exact).max())
    if size > 1e4:
        return  # next to a pose in which nothing carries: the reference itself loses its digits
    assert_allclose(rates, exact, atol=1e-8 * max(1.0, size))
    if not repeats:
        assert_allclose(multipliers, held, atol=1e-7 * max(1.0, float(np.abs(held).max())))


def test_a_point_mass_on_a_rod_of_nothing_is_a_pendulum() -> None:
    rod = pendulum(1)
    x, q = poses([[0.5, 0, 0], [1.0, 0, 0]])
    rows = [*rod.primitives, *ball(0, 1, X / 2, O), *(hinge(0, 1, X / 2, O, Z)[3:]), AxesAngle(0, 1, X, Y)]
    model = Model(
        (RigidBody("rod", 0.0, NONE), RigidBody("bob", 2.0, NONE)), tuple(rows), x, q,
        coordinates=(turn(GROUND, 0),), gravity=(0.0, -9.81, 0.0),
    )  # fmt: skip
    result = simulate(model, duration=1.0, rate=20.0, rtol=1e-10, atol=1e-11)
    assert result.status.ok
    T = result.trajectory
    assert_allclose(T.coordinate_accelerations[:, 0], -9.81 * np.cos(T.coordinates[:, 0]), atol=1e-8)
    assert_allclose(T.kinetic + T.potential, 0.0, atol=1e-7)


def test_massless_planet_agrees_with_a_very_light_one_to_its_weight() -> None:
    base = planetary()
    state = State.at_rest(base.positions, base.quaternions)
    model = replace(base, gravity=(0.0, -9.81, 0.0))
    none, _ = accelerations(with_bodies(model, {2: RigidBody("planet", 0.0, NONE)}), state)
    light, _ = accelerations(with_bodies(model, {2: RigidBody("planet", 1e-7, 1e-8 * np.eye(3))}), state)
    assert_allclose(none, light, atol=1e-5)


def test_armature_counts_as_inertia_of_its_joint() -> None:
    x, q = poses([[0, 0, 0]])
    rotor = JointLoad(turn(GROUND, 0), armature=0.2, stiffness=3.0, rest=1.0)
    model = Model((RigidBody("shaft", 0.0, NONE),), tuple(hinge(GROUND, 0, O, O, Z)), x, q, loads=(rotor,))
    rates, _ = accelerations(model, State.at_rest(x, q))
    assert_allclose(rates[0], [0, 0, 0, 0, 0, 3.0 / 0.2], atol=1e-9)


def test_a_freedom_without_inertia_is_refused_by_the_names_of_its_bodies() -> None:
    model = pendulum(3)
    with pytest.raises(ValueError, match="nothing gives inertia to a freedom of link 2: "):
        prepare(with_bodies(model, {2: RigidBody("link 2", 0.0, NONE)}))
    # Held in its middle, the last two hinge about one another without anything moving.
    x, q = poses([[0, 0, 0], [1, 0, 0]])
    rows = (*ball(GROUND, 0, O, O), Distance(0, 1, O, O, 1.0))
    bodies = (RigidBody("hub", 0.0, NONE), body("weight"))
    with pytest.raises(ValueError, match="nothing gives inertia to a freedom of hub: "):
        prepare(Model(bodies, rows, x, q))


def test_inertia_that_breaks_the_triangle_inequality_is_computed_as_given() -> None:
    # PUMA's link 3 has such one; it is a finding of who reads it, not a fault of the equations.
    x, q = poses([[0, 0, 0]])
    odd = RigidBody("link 3", 1.0, np.diag([0.1, 0.1, 0.5]))
    rates, _ = accelerations(Model((odd,), (), x, q), State(0.0, x, q, np.array([[0, 0, 0, 1.0, 0, 1.0]])))
    assert_allclose(rates[0, 3:], [0, 4.0, 0], atol=1e-12)


def test_a_row_that_ties_joints_holds_beside_a_body_without_inertia() -> None:
    # Two hinges turn alike; of the left link only the mass is known, of what hangs on it all.
    x, q = poses([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 2.0, 0.0]])
    rows = [*hinge(GROUND, 0, O, -X, Z), *hinge(0, 1, X / 2, -X / 2, Z), *hinge(GROUND, 2, 2 * Y, -X, Z)]
    tied = Coupler(0, 2, ((1.0, turn(GROUND, 0)), (-1.0, turn(GROUND, 2))))
    bodies = (RigidBody("left", 1.7, NONE), body("hung", 5.0, 1e-4), body("right", 5.0, 0.1))
    model = Model(bodies, (*rows, tied), x, q, gravity=(0.0, -9.81, 0.0))
    state = State(0.0, x, q, np.zeros((3, 6)), np.zeros(2))
    rates, _ = accelerations(model, state)
    exact, _ = reference(model, state)
    assert_allclose(rates, exact, atol=1e-8 * float(np.abs(exact).max()))


def test_what_is_added_is_not_lost_in_the_rounding_of_the_body() -> None:
    """Files have moments that rounding left (iCub's): 1e-36 of one body's were added to 1e-18 of another's, in vain."""
    turned = rotation.matrix(np.array([0.5, 0.1, -0.7, 0.2]) / np.linalg.norm([0.5, 0.1, -0.7, 0.2]))
    moments = [np.diag([0.0, 0.0, 4.4e-36]), turned @ np.diag([0.0, 0.0, 4.1e-18]) @ turned.T, NONE]
    bodies = tuple(RigidBody(f"b{i}", 1.0, inertia) for i, inertia in enumerate(moments))
    model = Model((*bodies, body("whole")), (), *poses([[float(i), 0.0, 0.0] for i in range(4)]))
    added = add_mass(model, 1.0)
    inertia = np.array([b.inertia for b in model.bodies]) + added.inertia
    assert np.linalg.cond(inertia).max() < 1e12
    assert_allclose(np.linalg.inv(inertia) @ inertia, np.broadcast_to(np.eye(3), (4, 3, 3)), atol=1e-4)
