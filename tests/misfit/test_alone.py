"""Play at few mates alone, errors that a pattern shares, and what one mate off does: closed forms and dense algebra."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.mechanism import build
from cadbridge.misfit import Rule, Settings, fit
from cadbridge.misfit.influences import influences
from cadbridge.misfit.settings import ratings_of
from tests.diagnosis.linkages import planar
from tests.mechanism.building import assembly, mate
from tests.misfit.models import Z, on_line, turned

ACROSS = Settings(
    tolerances=[Rule("components", "*", {"across": 1e-4, "along": 0.0, "tilt": 0.0, "turn": 0.0})], draws=200
)


def test_two_hinges_of_three_take_up_what_the_third_does_not() -> None:
    """Only places across are off, by t on each of two sides: a hinge off the other two's line needs their sum.

    The hinge without play holds its tilt, too, so that the others are off by their own errors and its own: 4 t.
    """
    (group,) = fit(build(on_line((0.0, 0.5, 1.0))), ACROSS, releases=0).groups
    assert {len(a.mates) for a in group.alone} == {2}
    for found in group.alone:
        assert {c.kind for c in found.needs} == {"across"}
        assert all(c.worst == pytest.approx(4e-4, rel=1e-6) for c in found.needs)


def test_one_hinge_of_a_four_bar_takes_up_all() -> None:
    """Its three redundant equations are a travel and two tilts, which any of its hinges can give."""
    (group,) = fit(build(planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)])), releases=0).groups
    assert {a.mates for a in group.alone} <= {(f"hinge {i}",) for i in range(4)}
    for found in group.alone:
        assert {c.kind for c in found.needs} <= {"along", "across", "tilt"}
        assert all(c.squares <= c.worst for c in found.needs)


def test_play_of_a_set_is_enough_for_random_errors() -> None:
    """With errors on the edge of their zones the rows of the set can be met, each block within what it needs."""
    from cadbridge.misfit.analyse import sizes_of
    from cadbridge.misfit.groups import constraints_of, groups_of
    from cadbridge.misfit.settings import tolerances_of
    from cadbridge.misfit.zones import Zones

    model = on_line((0.0, 0.3, 1.0))
    mechanism = build(model)
    (told,) = fit(mechanism, releases=0).groups
    (group,) = groups_of(constraints_of(mechanism))
    zones = Zones(group.errors.zones, tolerances_of(Settings(), group.errors, sizes_of(model)))
    found = told.alone[0]
    needs = {(c.mate, c.kind): c.worst for c in found.needs}
    rows = np.concatenate([b.rows for b in group.blocks if b.mate in found.mates])
    N = group.N.toarray()
    random = np.random.default_rng(5)
    for _ in range(200):
        z = zones.worst_errors(random.standard_normal(group.B.shape[1]))
        r = np.zeros(len(N))
        r[rows] = np.linalg.solve(N[rows].T, N.T @ (group.B @ z))  # ten rows for ten equations
        for block in (b for b in group.blocks if b.mate in found.mates):
            assert np.linalg.norm(r[block.rows]) <= needs[block.mate, block.kind] * (1 + 1e-9)


def plates(shared: bool) -> Settings:
    zero = {"along": 0.0, "tilt": 0.0, "turn": 0.0}
    return Settings(
        tolerances=[
            Rule("components", "*", {"across": 1e-4, **zero}),
            Rule("components", GROUND, {**zero, "across": 0.0}),
        ],
        shared=("plate *",) if shared else (), draws=200,
    )  # fmt: skip


def two_plates() -> Assembly:
    """Two equal plates on two pins each, all axes along z: each plate is held twice."""
    places = {"plate 0": (0.0, 0.0, 0.0), "plate 1": (0.0, 1.0, 0.0)}
    made = []
    for k, y in enumerate((0.0, 1.0)):
        made += [
            mate(places, f"pin {k}.0", MateKind.INSERT, f"plate {k}", GROUND, (0.0, y, 0.0), Z),
            mate(places, f"pin {k}.1", MateKind.INSERT, f"plate {k}", GROUND, (0.3, y, 0.0), Z),
        ]
    made.append(mate(places, "bridge", MateKind.INSERT, "plate 0", "plate 1", (0.15, 0.5, 0.0), Z))
    return assembly(places, made)


def test_faces_of_a_pattern_share_their_errors() -> None:
    """Two plates drilled by one jig have one error at each hole: fewer errors, none larger, less play by RSS."""
    mechanism = build(two_plates())
    own = fit(mechanism, plates(shared=False), releases=0)
    one = fit(mechanism, plates(shared=True), releases=0)
    count = [sum(len(g.errors) for g in f.groups) for f in (own, one)]
    assert count[1] < count[0]
    assert any(set(e.mates) >= {"pin 0.0", "pin 1.0"} for g in one.groups for e in g.errors)
    assert one.groups[0].play.worst <= own.groups[0].play.worst * (1 + 1e-6)
    # A pin's hole of both plates moves both alike: that they are off by as much costs less than each by its own.
    assert one.groups[0].play.squares != pytest.approx(own.groups[0].play.squares, rel=1e-6)


def test_a_pattern_shares_its_errors_whichever_way_its_mates_are_written() -> None:
    plain = two_plates()
    against = replace(plain, mates=(*plain.mates[:2], *(turned(m) for m in plain.mates[2:4]), plain.mates[4]))
    of_each = [fit(build(model), plates(shared=True), releases=0).groups[0] for model in (plain, against)]
    assert len({len(group.errors) for group in of_each}) == 1
    assert of_each[1].play.squares == pytest.approx(of_each[0].play.squares, rel=1e-9)
    assert of_each[1].play.worst == pytest.approx(of_each[0].play.worst, rel=1e-9)


def test_a_face_is_one_whichever_way_its_mates_are_written() -> None:
    """Two hinges on the same holes share their errors: both are off alike, and need no play."""
    model = on_line((0.0, 0.0))
    against = replace(model, mates=(model.mates[0], turned(model.mates[1])))
    needed = [fit(build(m), releases=0).groups[0].play.worst for m in (model, against)]
    assert needed == pytest.approx([0.0, 0.0], abs=1e-9)


def test_a_hinge_off_by_a_tenth_pulls_two_thirds_and_pushes_one_third() -> None:
    mechanism = build(on_line((0.0, 0.5, 1.0)))
    (found,) = influences(mechanism, Settings(), 5)
    k, kt, h = 1e7, 1e4, 0.5
    off = next(o for o in found.offs if (o.mate, o.kind) == ("hinge 1", "across"))
    along = off.wrenches[:, :3] @ np.array(off.direction)
    # The middle one is pushed back by two thirds, each of the others pulls with one: no tilt comes into it.
    assert along * 1e-4 == pytest.approx([k * 1e-4 / 3, -2 * k * 1e-4 / 3, k * 1e-4 / 3], rel=1e-9)
    assert np.abs(off.wrenches[:, 3:]).max() < 1e-6 * k * h
    tilted = next(o for o in found.offs if (o.mate, o.kind) == ("hinge 1", "tilt"))
    moment = tilted.wrenches[:, 3:] @ np.array(tilted.direction)
    assert moment[1] == pytest.approx(-kt + kt**2 / (3 * kt + 2 * k * h**2), rel=1e-9)


def test_rails_bind_as_their_makers_say() -> None:
    """A rail out of parallel costs the same whatever the distance a; a difference in height S may grow with a: S = a f.

    (Catalogues of profile rails.) The carriages roll by S/a, and a moment kt S/a is what they allow.
    """
    kt, pushed, rolled = 10.0, [], []
    settings = Settings(stiffness=[Rule("mates", "*", {"turn": kt})])
    for a in (0.2, 0.4, 0.8):
        places = {"carriage": (0.0, 0.0, 0.0)}
        made = [
            mate(places, f"rail {i}", MateKind.PRISMATIC, GROUND, "carriage", (0.0, y, 0.0), (1.0, 0.0, 0.0))
            for i, y in enumerate((-a / 2, a / 2))
        ]
        (found,) = influences(build(assembly(places, made)), settings, 5)
        across = [o for o in found.offs if o.mate == "rail 1" and o.kind == "across"]
        side, height = (next(o for o in across if abs(o.direction[k]) > 0.99) for k in (1, 2))
        pushed.append(float(np.linalg.norm(side.wrenches[1, :3])))
        rolled.append(float(np.linalg.norm(height.wrenches[1, 3:])) * a / kt)
    assert pushed == pytest.approx([0.5e7] * 3, rel=1e-9)
    assert rolled == pytest.approx([1.0] * 3, rel=1e-3)


def test_ratings_are_taken_by_pattern() -> None:
    rules = [Rule("mates", "*", {"across": 100.0, "tilt": 2.0}), Rule("mates", "hinge 1", {"across": 50.0})]
    assert ratings_of(Settings(ratings=rules), "hinge 1") == (50.0, 2.0)
    assert ratings_of(Settings(), "hinge 1") == (None, None)
