"""Faces that lie on each other only push: a table that rocks, and the conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog, nnls

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings, fit
from cadbridge.misfit.contacts import normals_of, signs_of
from cadbridge.misfit.groups import DependentMates, constraints_of, groups_of
from cadbridge.misfit.model import OneSided
from cadbridge.misfit.play import Play
from cadbridge.misfit.pushing import PushedPlay, Pushing, pushed_forces
from cadbridge.report.views.misfit import drawing
from tests.mechanism.building import feature
from tests.misfit.models import Y, on_line, table

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


# Without errors all draws are one.
EXACT = Settings(tolerances=[Rule("mates", "*", {"along": 0.0, "place": 0.0, "tilt": 0.0, "across": 0.0})], draws=100)


def test_a_table_of_one_kilogram_stands_on_all_feet_until_its_weight_no_longer_bends_them() -> None:
    """A short foot takes k δ/4 off itself and its diagonal; the table rocks where that is more than a quarter."""
    little = 0.5 * G / K
    forces = [load.designed for load in pushes(uneven(little), EXACT).loads]
    assert forces == pytest.approx([G / 8, 3 * G / 8, G / 8, 3 * G / 8], rel=1e-6)
    rocking = pushes(uneven(1e-3), EXACT)
    assert [load.designed for load in rocking.loads] == pytest.approx([0.0, G / 2, 0.0, G / 2], abs=1e-9)
    assert [load.off.share for load in rocking.loads if load.off is not None] == [1.0, 0.0, 1.0, 0.0]
    # Springs that pull as well would hold the short foot down with k δ/4.
    both_ways = fit(build(uneven(1e-3)), EXACT, releases=0).groups[0].loads
    assert max(load.designed for load in both_ways) == pytest.approx(K * 1e-3 / 4, rel=1e-6)


def test_without_weight_contacts_with_errors_carry_nothing() -> None:
    """Tolerances of tenths of a millimetre lift every diagonal in turn, and nothing presses it down."""
    found = pushes(replace(table(CORNERS), gravity=(0.0, 0.0, 0.0)), Settings(draws=40))
    assert found.holds
    assert max(load.largest for load in found.loads) < 1e-6 * K * 1e-4


def standing(by: float, at: tuple[float, float]) -> OneSided:
    """The same table with its weight not over the middle but at a point (m) of its plane."""
    model = uneven(by)
    heavy = MassProperties(1.0, np.array([*at, 0.0]), 0.01 * np.eye(3))
    return pushes(replace(model, parts=(replace(model.parts[0], declared=heavy),)), EXACT)


def gaps(found: OneSided) -> list[float | None]:
    return [load.off.designed for load in found.loads if load.off is not None]


def test_a_short_foot_stands_off_and_a_long_one_lifts_another() -> None:
    """Statics of three legs carries the weight; the fourth stands off by the misfit less what the others give way.

    The plane over three springs: z at the fourth corner of a rectangle is z1 + z3 − z2.
    """
    short = standing(1e-3, (0.1, 0.06))
    # Moments about the edges: legs 1, 2 and 3 carry the weight, leg 2 is opposite of the short one.
    one, three = 0.5 - 0.06 / 0.6, 0.5 - 0.1 / 1.0
    expected = [0.0, G * one, G * (1.0 - one - three), G * three]
    assert [load.designed for load in short.loads] == pytest.approx(expected, rel=1e-9)
    given_way = (expected[1] + expected[3] - expected[2]) / K
    assert gaps(short) == pytest.approx([1e-3 - given_way, 0.0, 0.0, 0.0], rel=1e-9)
    long = standing(-1e-3, (0.1, -0.06))
    assert long.loads[3].designed == 0.0
    forces = [load.designed for load in long.loads]
    assert sum(forces) == pytest.approx(G, rel=1e-9)
    assert gaps(long) == pytest.approx([0.0, 0.0, 0.0, 1e-3 - (forces[0] + forces[2] - forces[1]) / K], rel=1e-9)


def test_a_table_with_its_weight_over_the_diagonal_rocks_by_its_whole_misfit() -> None:
    """Either of two feet may touch the floor: each stands off by δ less what the legs that carry give way."""
    found = gaps(pushes(uneven(1e-3), EXACT))
    assert found == pytest.approx([1e-3 - G / K, 0.0, 1e-3 - G / K, 0.0], rel=1e-9)


def test_without_weight_nothing_keeps_a_face() -> None:
    found = pushes(replace(uneven(1e-3), gravity=(0.0, 0.0, 0.0)), EXACT)
    assert gaps(found) == [None] * 4


def one_sided_play(
    group: DependentMates, signs: NDArray[np.float64], w: NDArray[np.float64], corners: int = 1
) -> float:
    """The least play (m) where rows with a sign may lift off, by a linear programme over rows of a basis: the oracle.

    Blocks of two rows are polygons of so many corners about their circle.
    """
    E, e = group.E.toarray(), group.gaps
    sides = []
    for block, part in zip(group.blocks, w, strict=True):
        if len(block.rows) == 1:
            ways = [np.array([s]) for s in (1.0, -1.0) if signs[block.rows[0]] in (0.0, s)]
        else:
            ways = [np.array([np.cos(a), np.sin(a)]) for a in 2.0 * np.pi * np.arange(corners) / corners]
        sides += [(u @ E[block.rows] / part, u @ e[block.rows] / part) for u in ways]
    # t ≥ u (e + E y); springs push with k (e + E y), so that of a contact the side counts on which it would push.
    A = np.column_stack([np.array([row for row, _ in sides]), -np.ones(len(sides))])
    bounds = [(None, None)] * E.shape[1] + [(0.0, None)]
    found = linprog(np.append(np.zeros(E.shape[1]), 1.0), A_ub=A, b_ub=[-gap for _, gap in sides], bounds=bounds)
    assert found.status == 0
    assert found.fun is not None
    return float(found.fun)


def only(model: Assembly, pushing: Sequence[str]) -> tuple[DependentMates, NDArray[np.float64]]:
    """The one group of a model, with the signs of some of its contacts."""
    constraints = constraints_of(build(model))
    (group,) = groups_of(constraints)
    normals = normals_of(model)
    return group, signs_of(constraints, group, {name: normals[name] for name in pushing})


@pytest.mark.parametrize(("by", "needed"), [(1e-3, 0.0), (-1e-3, 1e-3 / 4)])
def test_one_foot_that_may_lift_off_needs_play_only_where_it_is_too_long(by: float, needed: float) -> None:
    group, signs = only(uneven(by), ["foot 0"])
    w = np.ones(len(group.blocks))
    assert one_sided_play(group, signs, w) == pytest.approx(needed, abs=1e-9)
    found = PushedPlay(group, w, signs).least(group.gaps[:, None])
    assert found.low == pytest.approx([needed], abs=1e-12)
    assert found.high == pytest.approx([needed], abs=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_play_where_some_faces_lift_off_is_that_of_a_linear_programme(seed: int) -> None:
    random = np.random.default_rng(seed)
    feet = [(float(x), float(y)) for x, y in random.uniform(-1.0, 1.0, (9, 2))]
    names = [f"foot {i}" for i in range(9) if random.random() < 0.5]
    group, signs = only(table(feet), names)
    group = replace(group, gaps=1e-3 * random.standard_normal(len(signs)))
    w = random.uniform(0.5, 2.0, len(group.blocks))
    expected = one_sided_play(group, signs, w)
    found = PushedPlay(group, w, signs).least(group.gaps[:, None])
    assert found.low[0] <= expected * (1.0 + 1e-6) + 1e-12
    assert found.high[0] >= expected * (1.0 - 1e-6) - 1e-12
    assert found.high == pytest.approx(found.low, rel=1e-2, abs=1e-12)
    assert expected <= Play(group, w).least(group.gaps[:, None]).high[0] * (1.0 + 1e-9)


def held_and_laid(seed: int) -> Assembly:
    """A door on two hinges whose edge lies on two stops besides, bores and stops off by tenths of a millimetre."""
    random = np.random.default_rng(seed)
    off = [tuple(1e-4 * random.standard_normal(3)) for _ in range(2)]
    door = on_line((0.0, 1.0), off)
    places = {"door": (0.4, 0.0, 1.0)}
    stops = [
        Mate(
            f"stop {i}", MateKind.COINCIDENT,
            feature(places, GROUND, FeatureKind.PLANE, (0.8, float(1e-4 * random.standard_normal()), h), Y),
            feature(places, "door", FeatureKind.POINT, (0.8, 0.0, h)),
        )
        for i, h in enumerate((0.2, 0.9))
    ]  # fmt: skip
    return replace(door, mates=(*door.mates, *stops))


@pytest.mark.parametrize("seed", range(6))
def test_play_of_hinges_beside_faces_is_that_of_a_linear_programme(seed: int) -> None:
    """Blocks of two rows have round play: polygons of 720 corners come within 1e-5 of it."""
    group, signs = only(held_and_laid(seed), ["stop 0", "stop 1"])
    assert np.count_nonzero(signs) == 2
    w = np.array([31.6 if block.turns else 1.0 for block in group.blocks])
    expected = one_sided_play(group, signs, w, 720)
    found = PushedPlay(group, w, signs).least(group.gaps[:, None])
    assert found.low == pytest.approx([expected], rel=1e-3)
    assert found.high == pytest.approx([expected], rel=1e-3)


def test_the_worst_case_is_no_less_than_any_draw_and_no_more_than_held_both_ways() -> None:
    (group,) = fit(build(held_and_laid(0)), releases=0, one_sided=True).groups
    assert group.one_sided is not None
    play = group.one_sided.play
    assert play is not None
    assert 0.0 < play.median < play.most95 < play.most997 < play.worst <= group.play.worst * (1.0 + 1e-9)
    assert play.worst <= play.sufficient


def test_closer_parts_are_those_of_faces_that_lift_off() -> None:
    """Exact hinges beside rough stops: held both ways the stops alone would need 0.7 mm."""
    turns = dict.fromkeys(("tilt", "turn"), 5e-5)
    fine = Rule("mates", "hinge*", {"across": 2e-5, "along": 2e-5, **turns})
    settings = Settings(tolerances=[fine], draws=1000)
    laid = replace(held_and_laid(0), mates=(*on_line((0.0, 1.0)).mates, *level(held_and_laid(0).mates[2:])))
    (group,) = fit(build(laid), settings, releases=0, one_sided=True).groups
    assert group.one_sided is not None
    assert group.one_sided.play is not None
    pushed = group.one_sided.play
    assert pushed.worst < 0.2 * group.play.worst
    text = drawing(group)[0]
    # Where no error counts there is no place to keep within anything: the sentence had blanks there.
    assert not any("within  of" in way for way in drawing(replace(group, errors=())))
    found = re.search(r"within ±([\d.]+) mm .*now ±([\d.]+) mm.*give each of these mates ±([\d.]+) mm of play", text)
    assert found is not None
    closer, now, play = (float(x) for x in found.groups())
    assert play * 1e-3 <= pushed.worst / 4.0 * (1.0 + 1e-9)
    assert closer / now == pytest.approx(play * 1e-3 / pushed.worst, rel=0.05)


def level(stops: Sequence[Mate]) -> tuple[Mate, ...]:
    """Stops whose planes stand where the door's edge is."""
    return tuple(replace(m, a=replace(m.a, point=m.a.point * np.array([1.0, 0.0, 1.0]))) for m in stops)


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
    from cadbridge.report.misfit_text import fit_text

    found = fit(build(table(CORNERS)), one_sided=True)
    text = " ".join(fit_text(found, "table", columns=200).split())
    assert "Forces where foot 0, foot 1, foot 2, foot 3 only push" in text
    assert "None: foot 0, foot 1, foot 2, foot 3 may lift off" in text
    assert "may lift off" not in fit_text(fit(build(table(CORNERS))), "table", columns=200)
    (group,) = fit_document(found, table(CORNERS), ())["groups"]
    told = group["one_sided"]
    assert told["holds"] is True
    assert "may lift off" in told["meaning"][0]
    assert told["play_mm"]["worst"] < 1e-9 < group["play_mm"]["worst"]
    assert 0.0 < told["loads"][0]["lift_off_mm"]["most_95"] < told["loads"][0]["lift_off_mm"]["largest"]


@pytest.mark.parametrize("leaning", [1e-3, 1e-5, 1e-9, 1e-13, 1e-15, 0.0])
def test_contacts_that_face_each_other_but_for_rounding_balance_no_load(leaning: float) -> None:
    """Two contacts that lean by so much against each other carry a load across by pushing 1 / leaning as hard."""
    N = np.array([[1.0, 0.0], [-1.0, leaning], [0.0, 1.0]])
    loads = np.array([-1.0, -1.0, 0.0])
    force = pushed_forces(N, np.array([1.0, 1.0, 0.0]), np.ones(3), np.zeros(2), loads)
    if leaning < 1e-7:
        assert force is None
    else:
        assert force is not None
        assert force[:2].min() >= 0.0
        assert force[2] == pytest.approx(2.0 / leaning, rel=0.02)
