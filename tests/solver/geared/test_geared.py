"""Geared robots at random, with bearings anywhere on their axes, against absolute coordinates; and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver import geared, kinematic, rotation, wrenches
from solver.constraints import GROUND, Coordinate, Coupler, GearPair, Primitive
from solver.functions import expression
from solver.geared import NotGearedError, Transmission
from solver.geared.blocks import cut, substitute
from solver.model import Bushing, JointLoad, Model, Motor, RigidBody
from tests.solver.examples import O, X, Z, hinge, planetary, turn, wheels

TIMES = np.array([0.0, 0.4, 0.9])


def train(lengths: list[float], ratios: list[float], bearers: list[int], offset: float = 0.0) -> Model:
    """An arm of links along x with parallel axes, each driven from the base by wheels on all axes before its own.

    Wheels on one axis hang on each other, or on the two links there, as `bearers` choose; bodies stand off their axes
    by `offset`, links by half their length.
    """
    n = len(lengths)
    at = np.concatenate([[0.0], np.cumsum(lengths)])
    names = [f"link {i}" for i in range(n)]
    places, masses = [at[i] + lengths[i] / 2 for i in range(n)], [1.0 + 0.3 * i for i in range(n)]
    rows: list[Primitive] = []
    groups: list[str] = []
    coordinates: list[Coordinate] = []

    def pair(name: str, parent: int, child: int, x: float) -> None:
        start = 0.0 if parent == GROUND else places[parent]
        a, b = (x - start) * X, (x - places[child]) * X
        rows.extend(hinge(parent, child, a, b, Z))
        groups.extend([name] * 5)
        coordinates.append(replace(turn(parent, child, Z, a), point_b=b))

    for i in range(n):
        pair(f"joint {i}", i - 1, i, at[i])
    axis: dict[int, list[int]] = {k: [k - 1, k] for k in range(n)}
    for end in range(1, n):
        before = -2
        for k in range(end):
            body = len(names)
            names.append(f"wheel {end}.{k}")
            places.append(at[k] + offset)
            masses.append(0.2)
            bearer = axis[k][bearers[body % len(bearers)] % len(axis[k])]
            pair(f"shaft {end}.{k}", bearer, body, at[k])
            axis[k].append(body)
            if before >= 0:
                rows.append(_mesh(before, body, at[k - 1], at[k], places, ratios[body % len(ratios)]))
                groups.append(f"gear {end}.{k}")
            before = body
        rows.append(_mesh(before, end, at[end - 1], at[end], places, ratios[end % len(ratios)]))
        groups.append(f"gear {end}")
    positions = np.array([[x, 0.0, 0.0] for x in places])
    bodies = tuple(RigidBody(name, m, m * np.diag([0.02, 0.03, 0.04])) for name, m in zip(names, masses, strict=True))
    quaternions = np.tile([1.0, 0.0, 0.0, 0.0], (len(names), 1))
    return Model(
        bodies, tuple(rows), positions, quaternions, tuple(groups), tuple(coordinates),
        tuple(dict.fromkeys(g for g in groups if not g.startswith("gear"))), gravity=(1.0, -9.0, 2.0),
    )  # fmt: skip


def _mesh(a: int, b: int, x_a: float, x_b: float, places: list[float], ratio: float) -> GearPair:
    """Inside each other where the ratio is below 0."""
    kind = "internal" if ratio < 0 else "spur"
    return GearPair(a, b, kind, (x_a - places[a]) * X, Z, (x_b - places[b]) * X, Z, abs(ratio))


def inputs_of(model: Model) -> list[str]:
    n = sum(1 for b in model.bodies if b.name.startswith("link"))
    return ["joint 0", *(f"shaft {end}.0" for end in range(1, n))]


def check(model: Model, robot: Transmission, actuated: list[str], tolerance: float = 1e-9) -> None:
    """Torques and all bearings against the absolute coordinates' along a motion of the inputs."""
    place = {name: k for k, name in enumerate(model.coordinate_names)}
    motors = tuple(
        Motor(f"motor {k}", model.coordinates[place[name]], "angle", expression(f"sin({1.1 + k}*t) + 0.2*{k}*t"))
        for k, name in enumerate(actuated)
    )
    driven = replace(model, motors=motors)
    result = kinematic(driven, TIMES)
    assert result.status.ok
    T, wanted = result.trajectory, wrenches(driven, result.trajectory)
    order = [pair.coordinate for pair in robot.graph.pairs]
    theta = geared.primary_values(robot, T.coordinates[:, order])
    rates, second = (
        geared.primary_values(robot, v[:, order], angles=False)
        for v in (T.coordinate_rates, T.coordinate_accelerations)
    )
    loads = geared.loads(robot, theta, rates, second)
    for k in range(len(actuated)):
        torque = wanted[f"motor {k}"][:, 5]
        assert_allclose(loads.torques[:, k], torque, rtol=0, atol=tolerance * np.abs(torque).max())
    for pair in robot.graph.pairs:
        R = rotation.matrix(T.quaternions[:, pair.link])
        c = model.coordinates[pair.coordinate]
        sign, point = (1.0, c.point_b) if c.b == pair.link else (-1.0, c.point_a)
        force = np.einsum("kij,kj->ki", R, loads.bearings[:, pair.link, :3])
        moment = np.einsum("kij,kj->ki", R, loads.bearings[:, pair.link, 3:]) + np.cross(R @ point, force)
        found = wanted[pair.name]
        if sign > 0:
            assert_allclose(np.hstack([force, moment]), found, rtol=0, atol=tolerance * np.abs(found).max())


@settings(max_examples=8)
@given(
    st.lists(st.floats(0.3, 1.2), min_size=2, max_size=4),
    st.lists(st.sampled_from([0.5, 1.0, 1.7, 3.0, -0.4, -2.5]), min_size=1, max_size=4),
    st.lists(st.integers(0, 5), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.05]),
)
def test_any_train_has_the_forces_of_absolute_coordinates(
    lengths: list[float], ratios: list[float], bearers: list[int], offset: float
) -> None:
    model = train(lengths, ratios, bearers, offset)
    robot = geared.transmission(model, f"link {len(lengths) - 1}", inputs_of(model))
    assert robot.balance.largest == 1
    assert bool(robot.unbalanced) is True  # boxes for wheels: none is round, and they are computed all the same
    check(model, robot, inputs_of(model))


@pytest.mark.parametrize("offset", [0.0, 1e-3])
def test_a_round_wheel_is_balanced_where_its_centre_is_on_its_axis(offset: float) -> None:
    """Axes but the first stand away from the origin."""
    model = train([0.3, 0.4, 0.5], [1.0], [0], offset)
    bodies = tuple(
        replace(b, inertia=np.diag([0.02, 0.02, 0.03])) if b.name.startswith("wheel") else b for b in model.bodies
    )
    robot = geared.transmission(replace(model, bodies=bodies), "link 2", inputs_of(model))
    found = {robot.graph.name(one.link): one for one in robot.unbalanced}
    assert set(found) == ({b.name for b in bodies if b.name.startswith("wheel")} if offset else set())
    for one in found.values():
        assert one.offset == pytest.approx(offset)
        assert one.asymmetry < 1e-12


def test_hinges_on_one_line_hang_on_the_innermost_link_in_the_canonical_graph() -> None:
    model = train([0.5, 0.6, 0.7], [1.5], [2, 3])
    robot = geared.transmission(model, "link 2", inputs_of(model))
    graph, name = robot.graph, robot.graph.name
    moved = {name(p.link): (name(p.parent), name(graph.canonical[p.link])) for p in graph.pairs}
    assert moved["wheel 1.0"] == ("link 0", "ground")
    assert moved["wheel 2.0"][0].startswith("wheel")
    assert moved["wheel 2.1"][1] == "link 0"
    assert {p.label for p in graph.pairs if p.name.endswith(".0") or p.name == "joint 0"} == {"a"}
    # Each motor sits on what moves with the joint before its own, and feels but one of them.
    assert_allclose(robot.structure, np.diag([1, -1.5, 2.25]), atol=1e-12)


def sun_and_planet() -> Model:
    """The planetary train of the examples, with the planet's coordinate on its hinge."""
    model = planetary()
    coordinates = (*model.coordinates[:2], replace(turn(1, 2, Z, 1.5 * X), point_b=O))
    return replace(model, coordinates=coordinates, coordinate_names=("sun", "carrier", "planet"))


def test_a_planet_on_a_fixed_ring_is_solved_two_at_a_time() -> None:
    model = sun_and_planet()
    robot = geared.transmission(model, "carrier", ["sun"])
    # Willis: the sun turns 1 + 2/1 for one turn of the carrier.
    assert_allclose(robot.structure, [[3.0]])
    assert robot.balance.largest == 2
    assert not robot.pseudo_triangular
    assert robot.lines[0].level == 1
    check(model, robot, ["sun"])


@pytest.mark.parametrize(("ratio", "away"), [(-0.4, 1.0), (-2.5, -1.0), (1.7, -1.0)])
def test_teeth_push_an_annulus_away_from_its_axis_and_every_other_wheel_towards_it(ratio: float, away: float) -> None:
    """Below 1 the driving wheel is the annulus."""
    model = train([0.5, 0.7], [ratio], [0])
    robot = geared.transmission(model, "link 1", inputs_of(model))
    loads = geared.loads(robot, [[0.3, 0.2]], [[1.0, -2.0]], [[3.0, 1.0]], pressure_angle=0.4)
    t = float(loads.transmitted[0, 0])
    assert_allclose(loads.contacts[0, 0], [away * np.tan(0.4) * abs(t), t, 0.0], atol=1e-12)
    assert_allclose(np.linalg.norm(loads.on_driven[0, 0]), abs(t) / np.cos(0.4))


def test_loads_along_hinges_act() -> None:
    """A pair of wheels: ξ = (I₁ + I₂/k²) q̈ + what resists at both, brought to the first."""
    k, q, qd, qdd = 2.0, 0.3, 0.7, -1.1
    one, two = (turn(GROUND, 0), turn(GROUND, 1, point_a=X))
    model = replace(
        wheels(k), coordinate_names=("first", "second"), gravity=(0.0, 0.0, 0.0),
        loads=(JointLoad(one, damping=0.4, armature=0.05, name="motor"), JointLoad(two, stiffness=3.0, rest=0.2)),
    )  # fmt: skip
    robot = geared.transmission(model, "two", ["first"])
    loads = geared.loads(robot, [[q]], [[qd]], [[qdd]])
    assert_allclose(loads.angles[0], [-k * q, q])
    inertia = 0.1 * 1.5
    by_hand = -k * qdd * (inertia + 0.05) + 0.4 * -k * qd - (inertia * qdd + 3.0 * (q - 0.2)) / k
    assert_allclose(loads.torques, [[by_hand]], rtol=1e-12)


@pytest.mark.parametrize(
    ("spoilt", "kind", "said"),
    [
        (lambda m: replace(m, coordinate_names=()), "joints", "joint 0 is neither"),
        (lambda m: replace(m, primitives=(*m.primitives, Coupler(0, 1, ((1.0, turn(0, 1)),))),
                           groups=(*m.groups, "coupler")), "joints", "coupler"),
        (lambda m: replace(m, primitives=m.primitives[5:], groups=m.groups[5:]), "tree", "link 0"),
        (lambda m: replace(m, primitives=(*m.primitives, *hinge(GROUND, 1, 1.2 * X, 0.4 * X, Z)),
                           groups=(*m.groups, *["joint 0"] * 5)), "joints", "joint 0"),
        (lambda m: replace(m, primitives=(*m.primitives, GearPair(GROUND, 1, "spur", O, Z, O, Z, 1.0)),
                           groups=(*m.groups, "odd")), "carrier", "odd"),
        (lambda m: replace(m, primitives=m.primitives[:-1], groups=m.groups[:-1]), "freedoms", "leave 3 freedoms"),
    ],
)  # fmt: skip
def test_what_is_no_geared_robot_is_told(spoilt, kind: str, said: str) -> None:  # type: ignore[no-untyped-def]
    model = train([0.5, 0.7], [1.5], [0])
    with pytest.raises(NotGearedError) as error:
        geared.transmission(spoilt(model), "link 1", ["joint 0", "shaft 1.0"])
    assert [r.kind for r in error.value.reasons if said in r.message] == [kind]


def test_an_input_that_moves_no_joint_is_told() -> None:
    """Two wheels on the base with two gear pairs of unlike ratios lock each other; the output link stands beside."""
    places = [0.0, 1.0, 3.0]
    rows = [row for i, x in enumerate(places) for row in hinge(GROUND, i, x * X, O, Z)]
    rows += [_mesh(0, 1, 0.0, 1.0, places, ratio) for ratio in (1.0, 2.0)]
    names = ("first", "second", "output")
    model = Model(
        tuple(RigidBody(name, 1.0, np.eye(3)) for name in names), tuple(rows), np.outer(places, X),
        np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)), (*(name for name in names for _ in range(5)), "gear 1", "gear 2"),
        tuple(replace(turn(GROUND, i, Z, x * X), point_b=O) for i, x in enumerate(places)), names,
    )  # fmt: skip
    with pytest.raises(NotGearedError) as error:
        geared.transmission(model, "output", ["first"])
    assert [r.kind for r in error.value.reasons] == ["inputs"]


def test_loads_that_are_not_along_hinges_are_refused_and_shapes_too() -> None:
    model = train([0.5, 0.7], [1.5], [0])
    soft = Bushing("soft", GROUND, 1, O, np.eye(3), O, np.eye(3), np.eye(6), np.eye(6))
    robot = geared.transmission(replace(model, bushings=(soft,)), "link 1", inputs_of(model))
    with pytest.raises(NotGearedError, match="bushings"):
        geared.loads(robot, [[0, 0]], [[0, 0]], [[0, 0]])
    robot = geared.transmission(model, "link 1", inputs_of(model))
    with pytest.raises(ValueError, match=r"rates must be \(1, 2\)"):
        geared.loads(robot, [[0, 0]], [[0, 0, 0]], [[0, 0]])
    with pytest.raises(ValueError, match="pressure angle of gear 1"):
        geared.loads(robot, [[0, 0]], [[0, 0]], [[0, 0]], pressure_angle={"gear 1": 2.0})


def geared_chain(n: int) -> Model:
    """Each joint with a motor and a pair of wheels of its own: 2 n links."""
    rows: list[Primitive] = []
    groups, places, coordinates, names = [], [], [], []
    for i in range(n):
        rows += [*hinge(i - 1, i, O if i == 0 else 0.2 * X, O, Z), *hinge(i - 1, n + i, 0.1 * X, O, Z)]
        rows.append(GearPair(n + i, i, "spur", O, Z, O, Z, 4.0))
        groups += [f"joint {i}"] * 5 + [f"motor {i}"] * 5 + [f"gear {i}"]
        places.append([0.2 * i, 0.0, 0.0])
        coordinates += [turn(i - 1, i, Z, O if i == 0 else 0.2 * X), turn(i - 1, n + i, Z, 0.1 * X)]
        names += [f"joint {i}", f"motor {i}"]
    places += [[0.2 * i - (0.1 if i else -0.1), 0.0, 0.0] for i in range(n)]
    bodies = tuple(RigidBody(f"body {i}", 1.0, 0.01 * np.eye(3)) for i in range(2 * n))
    quaternions = np.tile([1.0, 0.0, 0.0, 0.0], (2 * n, 1))
    return Model(bodies, tuple(rows), np.array(places), quaternions, tuple(groups), tuple(coordinates), tuple(names))


def test_the_work_grows_with_the_number_of_links() -> None:
    """All that the second stage runs through: links, entries and inverses of the blocks; the largest is one number."""
    work = {}
    for n in (10, 20, 160):
        robot = geared.transmission(geared_chain(n), n - 1, [f"motor {i}" for i in range(n)])
        tables = (robot.balance, robot.rates)
        assert [t.largest for t in tables] == [1, 1]
        work[n] = len(robot.graph.pairs) + sum(len(t.entry_value) + len(t.inverse) + len(t.row) for t in tables)
        work[n] += len(robot.moments)
    assert (work[160] - work[20]) * 10 == (work[20] - work[10]) * 140


@settings(max_examples=20)
@given(st.integers(1, 9), st.integers(0, 2**31 - 1))
def test_blocks_solve_what_a_dense_solver_solves(m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = np.diag(rng.uniform(1, 2, m))[rng.permutation(m)]
    A += np.where(rng.random((m, m)) < 0.15, rng.normal(size=(m, m)) * 0.1, 0.0)
    rows, columns = np.nonzero(A)
    blocks = cut(rows.tolist(), columns.tolist(), A[rows, columns].tolist(), rng.permutation(m).tolist())
    right, x = rng.normal(size=m), np.zeros(m)
    substitute(blocks, right.copy(), x)
    assert_allclose(A @ x, right, atol=1e-10)


@pytest.mark.parametrize("entries", [([0, 1], [0, 0], [1.0, 1.0]), ([0, 0, 1, 1], [0, 1, 0, 1], [1.0, 2.0, 2.0, 4.0])])
def test_a_singular_system_is_refused(entries: tuple[list[int], list[int], list[float]]) -> None:
    with pytest.raises(ValueError, match="row"):
        cut(*entries, [0.0, 1.0])
