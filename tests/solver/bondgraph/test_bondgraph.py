"""Bond graphs: their structure and causality, and the unified formulae against the equations they come from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import State, functions, inverse, kinematic
from solver.bondgraph import Bond, BondGraph, Drive, Fields, KinetoStatics, Known, Node, causality, solve
from solver.constraints import GROUND, Coordinate, Coupler, Distance, Primitive
from solver.model import JointLoad, Model, Motor, RigidBody
from tests.solver.examples import O, X, Y, Z, pendulum, planetary, turn


def test_a_pendulums_graph_is_the_papers() -> None:
    model = replace(pendulum(), groups=("hinge",) * 5)
    analysis = KinetoStatics(model, [Drive("hinge", model.coordinates[0])])
    graph = analysis.built.graph
    # A body's 1-junctions of ṙ, ω′ and ω; a point, its difference to the ground, the relative turn, the rate.
    kinds = Counter(n.kind for n in graph.nodes)
    assert kinds == {"1": 3 + 1 + 1 + 1 + 1, "0": 1 + 1 + 1, "I": 2, "EJS": 1, "MTF": 2 + 2 + 1, "Se": 2 + 2 + 1}
    assert [n.label for n in graph.nodes if n.kind == "MTF"] == ["A", "−r̃", "n", "n", "axis"]
    # Every storage gets its effort and gives its flow: integral causality.
    effort_from = causality(graph)
    for node in graph.sizes("I"):
        assert effort_from[graph.at(node)[0]] != node
    # The junction structure makes no power: what it puts in one way it takes the other.
    J = analysis.structure.evaluate(analysis._place(State.at_rest(model.positions, model.quaternions))).J
    for a in J:
        for b in J:
            if "i" in (a, b) and a != b:
                sign = -1.0 if a in ("L", "E", "u2") or b in ("L", "E", "u2") else 1.0
                assert_allclose(J[a][b], sign * J[b][a].T, atol=1e-14)


def test_a_source_of_flow_in_a_storage_is_told() -> None:
    nodes = (Node("Se", "f", "x"), Node("0", "0", "x"), Node("Se", "g", "x"))
    with pytest.raises(ValueError, match="two bonds set the variable of the junction 0 of x"):
        causality(BondGraph(nodes, (Bond(0, 1, 1), Bond(2, 1, 1))))
    loose = (Node("1", "a", "x"), Node("1", "b", "x"))
    with pytest.raises(ValueError, match="stays open"):
        causality(BondGraph((*loose, Node("0", "c", "x"), Node("0", "d", "x")), _ring()))


def _ring() -> tuple[Bond, ...]:
    return (Bond(0, 2, 1), Bond(2, 1, 1), Bond(1, 3, 1), Bond(3, 0, 1))


def test_every_kind_of_row_gives_the_solvers_forces() -> None:
    # Gears on a carrier, once repeated; a distance beside a coupler; springs, dampers and rotors.
    gears = planetary(repeated=True)
    sun = Motor("sun", gears.coordinates[0], "angle", functions.expression("0.3*t + t^2"))
    loads = (
        JointLoad(gears.coordinates[1], damping=0.4, stiffness=2.0, name="brake"),
        JointLoad(gears.coordinates[2], armature=0.3, damping=0.1, name="rotor"),
    )
    _agree(replace(gears, loads=loads, gravity=(1.0, -9.81, 0.5)), sun)
    _agree(_swing(), Motor("left", turn(GROUND, 0), "angle", functions.expression("0.2*sin(3*t)")))


def _placed(rows: Sequence[Primitive], body: int, by: np.ndarray) -> list[Primitive]:
    """Rows of a hinge on the ground, for another body and moved along."""
    moved = [{"point_a": p.point_a + by} if hasattr(p, "point_a") else {} for p in rows]
    return [replace(p, b=body, **more) for p, more in zip(rows, moved, strict=True)]


def _swing() -> Model:
    """Two pendulums side by side, one rod between their ends, and a third that turns as much as both."""
    base = pendulum(1)
    hinge = base.primitives
    shift, third = _placed(hinge, 1, X), _placed(hinge, 2, -X)
    ends = np.array([0.5, 0.2, 0.1])
    rod = Distance(0, 1, ends, 0.3 * X, float(np.linalg.norm([1.5, 0, 0] + 0.3 * X - [0.5, 0, 0] - ends)))
    follow = Coupler(GROUND, 2, ((1.0, turn(GROUND, 0)), (0.5, turn(GROUND, 1)), (-1.0, turn(GROUND, 2))))
    body = RigidBody("rod", 2.0, np.diag([0.1, 0.2, 0.25]))
    x = np.array([[0.5, 0, 0], [1.5, 0, 0], [-0.5, 0, 0]])
    return replace(
        base,
        bodies=(body, replace(body, name="second"), replace(body, name="third")),
        primitives=(*hinge, *shift, *third, rod, follow),
        positions=x,
        quaternions=np.tile([1.0, 0, 0, 0], (3, 1)),
        groups=("A",) * 5 + ("B",) * 5 + ("C",) * 5 + ("rod", "coupler"),
        coordinates=(turn(GROUND, 0), turn(GROUND, 1), Coordinate("length", GROUND, 1, 3 * X + Y, Z, O)),
    )


def _agree(model: Model, motor: Motor) -> None:
    """Forces of a driven model by both, also where another coordinate drives."""
    run = kinematic(replace(model, motors=(motor,)), np.linspace(0, 0.6, 4))
    assert run.status.ok
    T = run.trajectory
    for coordinate in (motor.coordinate, model.coordinates[-1]):
        asked = replace(model, coordinates=(coordinate,))
        states = [State(*row) for row in zip(T.t, T.positions, T.quaternions, T.velocities, strict=True)]
        analysis = KinetoStatics(asked, [Drive("drive", coordinate)])
        graph = [analysis.at(s, a) for s, a in zip(states, T.accelerations, strict=True)]
        rates = _second_rates(asked, T)
        wanted = inverse(asked, states, rates)
        assert_allclose([f.efforts for f in graph], wanted.efforts, atol=1e-8)
        assert_allclose([f.multipliers for f in graph], wanted.multipliers, atol=1e-8)
        assert max(f.unmet for f in graph) < 1e-9


def _second_rates(model: Model, T) -> np.ndarray:  # type: ignore[no-untyped-def]
    """q̈ of the model's coordinates from the bodies' accelerations."""
    from solver.constraints import evaluate

    (c,) = model.coordinates
    found = []
    for k in range(len(T.t)):
        row = evaluate([Coupler(c.a, c.b, ((1.0, c),))], T.positions[k], T.quaternions[k], T.velocities[k])
        found.append(row.G @ T.accelerations[k].ravel() - row.c)
    return np.array(found)


def test_a_body_without_inertia_is_refused() -> None:
    model = pendulum()
    light = replace(model, bodies=(replace(model.bodies[0], mass=0.0),))
    with pytest.raises(ValueError, match="link 0 has no mass"):
        KinetoStatics(light, [])


@pytest.mark.parametrize("algebraic", [False, True])
def test_the_unified_formulae_solve_the_equations_they_come_from(algebraic: bool) -> None:
    """Random fields and junctions, with loops in the R and EJS fields: (4) to (12) as they stand give (13) and (14)."""
    rng = np.random.default_rng(3)
    size = {"i1": 4, "i2": 3, "L": 3, "E": 3, "u1": 2, "u2": 3, "u3": 2}
    J = {r: {c: 0.3 * rng.standard_normal((size[c2], size[c])) for c in size} for r, c2 in _ROWS}
    for c in ("u1", "u2", "u3") if not algebraic else ("u1", "u2"):
        J["C"][c][:] = 0.0
    J["C"]["u3"][:] = 0.0
    if not algebraic:
        J["C"]["L"][:] = J["C"]["E"][:] = 0.0
        # Then power is kept: what constraints and efforts do to storage, its flows do to them.
        J["i1"]["u2"], J["i2"]["u2"] = -J["C"]["i1"].T, -J["C"]["i2"].T
    J["i2"]["u1"][:] = 0.0
    F1, F2 = (np.diag(rng.uniform(0.5, 2.0, size[c])) for c in ("i1", "i2"))
    R, RE = np.diag(rng.uniform(0.2, 1.0, 3)), 0.5 * rng.standard_normal((3, 3))
    U1, U2, U3 = (rng.standard_normal(size[c]) for c in ("u1", "u2", "u3"))
    X1, X2 = rng.standard_normal(4), rng.standard_normal(3)
    if algebraic:
        X2 = _on_the_constraint(J, F1, F2, R, RE, X1, X2, U1, U2, U3)
    rate1, rate2 = _rates(J, F1, F2, R, RE, X1, X2, U1, U2, U3)
    bias = -(J["C"]["i1"] @ F1 @ rate1 + J["C"]["i2"] @ F2 @ rate2)
    found = solve(J, Fields(F1, F2, R, RE), Known(X1, X2, rate1, U3, bias))
    assert_allclose(found[0], U1, atol=1e-9)
    assert_allclose(found[1], U2, atol=1e-9)


_ROWS = (("i1", "i1"), ("i2", "i2"), ("L", "L"), ("E", "E"), ("C", "u2"))


def _ports(J, F1, F2, R, RE, X1, X2, U1, U2, U3):  # type: ignore[no-untyped-def]
    """D_out and E_out: (6), (7), (10), (11) as one system."""
    A = np.eye(6) - np.block([[R @ J["L"]["L"], R @ J["L"]["E"]], [RE @ J["E"]["L"], RE @ J["E"]["E"]]])
    into = {r: _into(J[r], F1 @ X1, F2 @ X2, U1, U2, U3) for r in ("L", "E")}
    return np.split(np.linalg.solve(A, np.concatenate([R @ into["L"], RE @ into["E"]])), 2)


def _into(row, Z1, Z2, U1, U2, U3):  # type: ignore[no-untyped-def]
    return row["i1"] @ Z1 + row["i2"] @ Z2 + row["u1"] @ U1 + row["u2"] @ U2 + row["u3"] @ U3


def _rates(J, F1, F2, R, RE, X1, X2, U1, U2, U3):  # type: ignore[no-untyped-def]
    """Ẋ of i1 and i2 by (8) and (9)."""
    D, E = _ports(J, F1, F2, R, RE, X1, X2, U1, U2, U3)
    return [_into(J[r], F1 @ X1, F2 @ X2, U1, U2, U3) + J[r]["L"] @ D + J[r]["E"] @ E for r in ("i1", "i2")]


def _on_the_constraint(J, F1, F2, R, RE, X1, X2, U1, U2, U3):  # type: ignore[no-untyped-def]
    """X_i2 such that (12) holds."""

    def gap(x):  # type: ignore[no-untyped-def]
        D, E = _ports(J, F1, F2, R, RE, X1, x, U1, U2, U3)
        return _into(J["C"], F1 @ X1, F2 @ x, U1, U2, U3) + J["C"]["L"] @ D + J["C"]["E"] @ E

    zero = gap(np.zeros(3))
    slope = np.column_stack([gap(e) - zero for e in np.eye(3)])
    return np.linalg.solve(slope, -zero)
