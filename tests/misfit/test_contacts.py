"""Faces that lie on each other only push: a table that rocks, and the conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog, nnls

from cadbridge.assembly import Assembly
from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings, fit
from cadbridge.misfit.contacts import Pushing, normals_of, signs_of
from cadbridge.misfit.groups import constraints_of, groups_of
from cadbridge.misfit.model import OneSided
from tests.misfit.models import on_line, table

G, K = 9.81, 1e7
CORNERS = [(-0.5, -0.3), (0.5, -0.3), (0.5, 0.3), (-0.5, 0.3)]


def uneven(by: float) -> Assembly:
    """The table with its first foot too short by so much (m)."""
    model = table(CORNERS)
    first = model.mates[0]
    short = replace(first, b=replace(first.b, point=first.b.point + np.array([0.0, 0.0, by])))
    return replace(model, mates=(short, *model.mates[1:]))


def pushes(model: Assembly, settings: Settings | None = None) -> OneSided:
    (group,) = fit(build(model), settings, releases=0, one_sided=True).groups
    assert group.contacts == ("foot 0", "foot 1", "foot 2", "foot 3")
    assert group.one_sided is not None
    return group.one_sided


EXACT = Settings(tolerances=[Rule("mates", "*", {"along": 0.0, "place": 0.0, "tilt": 0.0, "across": 0.0})])


def test_a_table_of_one_kilogram_stands_on_all_feet_until_its_weight_no_longer_bends_them() -> None:
    """A short foot takes k δ/4 off itself and its diagonal; the table rocks where that is more than a quarter."""
    little = 0.5 * G / K
    forces = [load.designed for load in pushes(uneven(little), EXACT).loads]
    assert forces == pytest.approx([G / 8, 3 * G / 8, G / 8, 3 * G / 8], rel=1e-6)
    rocking = pushes(uneven(1e-3), EXACT)
    assert [load.designed for load in rocking.loads] == pytest.approx([0.0, G / 2, 0.0, G / 2], abs=1e-9)
    assert [load.lifted for load in rocking.loads] == [1.0, 0.0, 1.0, 0.0]
    # Springs that pull as well would hold the short foot down with k δ/4.
    both_ways = fit(build(uneven(1e-3)), EXACT, releases=0).groups[0].loads
    assert max(load.designed for load in both_ways) == pytest.approx(K * 1e-3 / 4, rel=1e-6)


def test_without_weight_contacts_with_errors_carry_nothing() -> None:
    """Tolerances of tenths of a millimetre lift every diagonal in turn, and nothing presses it down."""
    found = pushes(replace(table(CORNERS), gravity=(0.0, 0.0, 0.0)))
    assert found.holds
    assert max(load.largest for load in found.loads) < 1e-6 * K * 1e-4


def one_sided_play(model: Assembly, pushing: str) -> float:
    """The least play (m) where one mate may lift off, by a linear programme over the rows in a basis: the oracle."""
    constraints = constraints_of(build(model))
    (group,) = groups_of(constraints)
    signs = signs_of(constraints, group, {pushing: normals_of(model)[pushing]})
    E, gaps = group.E.toarray(), group.gaps
    # t ≥ ±(e + E y); springs push with k (e + E y), so that of a contact the side counts on which it would push.
    sides = [(s * E[i], s * gaps[i]) for i in range(len(E)) for s in (1.0, -1.0) if signs[i] in (0.0, s)]
    A = np.column_stack([np.array([row for row, _ in sides]), -np.ones(len(sides))])
    bounds = [(None, None)] * E.shape[1] + [(0.0, None)]
    found = linprog(np.append(np.zeros(E.shape[1]), 1.0), A_ub=A, b_ub=[-gap for _, gap in sides], bounds=bounds)
    assert found.status == 0
    assert found.fun is not None
    return float(found.fun)


@pytest.mark.parametrize(("by", "needed"), [(1e-3, 0.0), (-1e-3, 1e-3 / 4)])
def test_play_as_if_feet_held_both_ways_is_never_too_little(by: float, needed: float) -> None:
    """Held both ways each foot needs δ/4; where one foot may lift off, that is so if it is too long, else none."""
    play = fit(build(uneven(by)), EXACT, releases=0, one_sided=True).groups[0].play.worst
    assert play == pytest.approx(1e-3 / 4, rel=1e-2)
    found = one_sided_play(uneven(by), "foot 0")
    assert found == pytest.approx(needed, abs=1e-9)
    assert found <= play * (1.0 + 1e-9)


def test_weights_that_lift_the_table_off_are_told() -> None:
    assert not pushes(replace(table(CORNERS), gravity=(0.0, 0.0, 3.0))).holds


def test_hinges_hold_both_ways() -> None:
    (group,) = fit(build(on_line((0.0, 0.5))), releases=0, one_sided=True).groups
    assert group.contacts == ()
    assert group.one_sided is None


def test_faces_that_are_flush_do_not_push() -> None:
    model = table(CORNERS)
    over = [replace(m, a=replace(m.a, direction=-np.asarray(m.a.direction))) for m in model.mates]
    assert pushes(replace(model, mates=tuple(over), gravity=(0.0, 0.0, G))).holds  # it hangs below a ceiling


@pytest.mark.parametrize("seed", range(8))
def test_forces_fulfil_the_conditions_of_least_energy(seed: int) -> None:
    """C λ − e is what displacements do, and pushes open contacts apart: Nᵀ (C λ − e) = Nᵀ S μ, μ ≥ 0 where λ = 0."""
    random = np.random.default_rng(seed)
    corners = random.uniform(-1.0, 1.0, (7, 2))
    model = table([(float(x), float(y)) for x, y in (*corners, (-1, -1), (1, -1), (0, 1))])
    constraints = constraints_of(build(model))
    (group,) = groups_of(constraints)
    signs = signs_of(constraints, group, normals_of(model))
    assert set(np.abs(signs)) == {1.0}
    k = random.uniform(1e6, 1e7, len(signs))
    loads = -signs * 0.0
    # Weights that pushes can balance: three legs around the middle.
    loads[-3:] = signs[-3:] * random.uniform(1.0, 3.0, 3)
    e = 1e-6 * random.standard_normal(len(signs))
    force = Pushing(group, k, signs).forces(e, loads)
    assert force is not None
    N = group.N.toarray()
    assert np.min(signs * force) > -1e-9
    # Only self-stresses were added.
    assert np.linalg.norm(force - loads - N @ np.linalg.lstsq(N, force - loads, rcond=None)[0]) < 1e-9
    open_ = np.flatnonzero(signs * force < 1e-9)
    gradient = N.T @ (force / k - e)
    _, left = nnls(N[open_].T * signs[open_], gradient) if len(open_) else (None, np.linalg.norm(gradient))
    assert left < 1e-9 * np.abs(e).max()


def test_the_answer_says_which_mates_only_push() -> None:
    from cadbridge.report.misfit import fit_document
    from cadbridge.report.misfit_text import TWO_SIDED, fit_text

    found = fit(build(table(CORNERS)), one_sided=True)
    text = fit_text(found, "table")
    assert "Forces where foot 0, foot 1, foot 2, foot 3 only push" in text
    assert " ".join(TWO_SIDED.split()) in " ".join(text.split())
    assert TWO_SIDED not in fit_text(fit(build(table(CORNERS))), "table")
    document = fit_document(found, table(CORNERS), ())
    assert document["groups"][0]["one_sided"]["holds"] is True
