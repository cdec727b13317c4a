"""What mates carry of the weights, by stiffness: closed forms, and the rigid solver where it determines them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.inertia import MassProperties
from cadbridge.mechanism import build
from cadbridge.misfit import fit, forces, weights
from cadbridge.misfit.groups import constraints_of, matrix
from cadbridge.misfit.sharing import weights_by_stiffness
from cadbridge.misfit.weights import carried_weights
from solver.rotation import skew
from tests.diagnosis.linkages import planar
from tests.misfit.models import on_line, table

G = 9.81


def test_a_door_hangs_on_its_hinges_by_their_stiffness() -> None:
    """1 kg, 0.4 m beside the hinges: a third of the weight each, and its moment by places and tilts together."""
    heights = (0.0, 0.5, 1.0)
    found = fit(build(on_line(heights)))
    assert found.rests
    carried = {(load.mate, load.kind): load.weight for load in found.groups[0].loads}
    turn = G * 0.4 / (1e7 * 2 * 0.5**2 + 3 * 1e4)
    for i, h in enumerate(heights):
        assert carried[f"hinge {i}", "along"] == pytest.approx(G / 3, rel=1e-9)
        assert carried[f"hinge {i}", "across"] == pytest.approx(1e7 * abs(h - 0.5) * turn, rel=1e-9, abs=1e-12)
        assert carried[f"hinge {i}", "tilt"] == pytest.approx(1e4 * turn, rel=1e-9)


def test_a_table_on_four_legs_stands_on_each_with_a_quarter() -> None:
    model = table([(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)])
    found = fit(build(model))
    assert [load.weight for load in found.groups[0].loads] == pytest.approx([G / 4] * 4, rel=1e-9)
    # Beside the middle it stands on the planes through the corners of the stress: weights by the lever.
    heavy = MassProperties(1.0, np.array([0.25, 0.0, 0.0]), 0.01 * np.eye(3))
    part = replace(model.parts[0], declared=heavy)
    loads = fit(build(replace(model, parts=(part,)))).groups[0].loads
    assert [load.weight for load in loads] == pytest.approx([G / 8, 3 * G / 8, 3 * G / 8, G / 8], rel=1e-9)


def test_what_is_let_go_accelerates_and_the_rest_balances() -> None:
    """A four-bar whose plane is upright: forces and accelerations fulfil Newton and Euler in every bar."""
    model = planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])
    mechanism = build(replace(model, gravity=(0.0, -G, 0.0)))
    constraints = constraints_of(mechanism)
    force, rests = carried_weights(constraints) or (np.zeros(0), True)
    assert not rests
    assert fit(mechanism).rests is False
    A = matrix(constraints).toarray()
    wrench = -(A.T @ force).reshape(-1, 6)
    a, alpha = [], []
    for i, X in enumerate(mechanism.X_WC):
        arm = X.p - constraints.rows.centre
        a.append(wrench[i, :3] + np.array([0.0, -G, 0.0]))
        alpha.append((wrench[i, 3:] - np.cross(arm, wrench[i, :3])) / 0.01)
    # 1 kg and 0.01 kg m² each: what accelerates so keeps all rows.
    twists = [np.concatenate([v + np.cross(w, constraints.rows.centre - X.p), w])
              for v, w, X in zip(a, alpha, mechanism.X_WC, strict=True)]  # fmt: skip
    assert np.abs(A @ np.concatenate(twists)).max() < 1e-9 * G


def test_without_masses_no_weight_is_made_up() -> None:
    model = on_line((0.0, 0.5))
    bare = replace(model, parts=(replace(model.parts[0], declared=None),))
    found = fit(build(bare))
    assert found.rests is None
    assert all(load.weight is None for load in found.groups[0].loads)


def test_rows_independent_by_rounding_alone_carry_what_least_squares_gives() -> None:
    """One pin of a four-bar askew by 1e-4 rad: its rows depend on the others but for 4e-5 (dense least squares)."""
    model = planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])
    pin, *others = model.mates
    axis = np.array([1e-4, 0.0, 1.0]) / np.hypot(1e-4, 1.0)
    askew = replace(pin, a=replace(pin.a, direction=axis), b=replace(pin.b, direction=axis))
    constraints = constraints_of(build(replace(model, mates=(askew, *others), gravity=(0.0, -G, 0.0))))
    force, _ = carried_weights(constraints) or (np.zeros(0), True)
    # 1 kg and 0.01 kg m² each; y is what a step of the root of the inverse mass makes.
    frames = np.zeros((18, 18))
    for i, X in enumerate(constraints.mechanism.X_WC):
        own = slice(6 * i, 6 * i + 6)
        frames[own, own] = np.block([[np.eye(3), -skew(constraints.rows.centre - X.p)], [np.zeros((3, 3)), np.eye(3)]])
    root = np.kron(np.eye(3), np.diag([1.0, 1.0, 1.0, 10.0, 10.0, 10.0]))
    keep = constraints.dependence.keep
    B = matrix(constraints).toarray()[keep] @ frames @ root
    weights = np.tile([0.0, -G, 0.0, 0.0, 0.0, 0.0], 3)
    expected = np.linalg.lstsq(B.T, root @ weights, rcond=None)[0]
    assert len(B) == 18
    assert force[keep] == pytest.approx(expected, abs=1e-9 * float(np.abs(expected).max()))


@pytest.mark.parametrize("legs", [4, 9])
def test_few_unknowns_are_solved_without_scipys_solvers_to_the_same_numbers(
    legs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corners = [(0.5 * np.cos(k), 0.3 * np.sin(2.0 * k) + 0.1 * k) for k in range(legs)]
    mechanism = build(table(corners))
    dense = weights_by_stiffness(mechanism)
    for module in (forces, weights):
        monkeypatch.setattr(module, "MOST_DENSE", 0)
    sparse = weights_by_stiffness(mechanism)
    assert dense is not None
    assert sparse is not None
    assert dense.rests == sparse.rests
    for one, other in zip(dense.carried, sparse.carried, strict=True):
        assert one.force == pytest.approx(other.force, rel=1e-12, abs=1e-12 * G)
        assert one.torque == pytest.approx(other.torque, rel=1e-12, abs=1e-12 * G)


def test_where_nothing_moves_nothing_weighs() -> None:
    """`fit` of a model that stands still as a whole ended with status 3."""
    still = on_line((0.0, 1.0))
    still = replace(still, components=tuple(replace(c, grounded=True) for c in still.components))
    assert carried_weights(constraints_of(build(still))) is None
    assert not fit(build(still)).groups
