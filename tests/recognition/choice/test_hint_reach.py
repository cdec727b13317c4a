"""What a hint moves beside its parts, and what it leaves without anything to hold it, is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.findings import Findings
from cadbridge.recognition import Recognition, mates_text, recognise
from cadbridge.recognition.choice import choosing
from cadbridge.recognition.choice.hint_reach import reach_of
from cadbridge.recognition.choice.hypotheses import Hypothesis
from cadbridge.recognition.hints import Hint, Hints, Told
from tests.late import cq
from tests.recognition.solids import box, disc, joints, recognised, with_block

SLIDE = Told("prismatic", point=(0.05, 0.0, 0.02), axis=(1.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def crane(tmp_path_factory: pytest.TempPathFactory) -> cb.Assembly:
    """An arm that turns on a pin of its base, a plate that two pegs hold on the arm, a camera on that."""
    base = box(100, 100, 10).union(disc(5, 20).translate((0, 0, 10)))
    arm = cq.Workplane().box(80, 20, 8, centered=(False, True, False)).cut(disc(5, 8))
    pegs = cq.Workplane().pushPoints([(40, 0), (60, 0)]).circle(2).extrude(13)
    plate = box(30, 16, 5).translate((50, 0, 8)).cut(pegs).translate((-50, 0, -8))
    made = cq.Assembly(name="made").add(base, name="base")
    for name, solid, place in (
        ("arm", arm.union(pegs), (0, 0, 10)), ("plate", plate, (50, 0, 18)), ("cam", disc(6, 15), (50, 0, 23)),
    ):  # fmt: skip
        made.add(solid, name=name, loc=cq.Location(cq.Vector(*place)))
    file = tmp_path_factory.mktemp("crane") / "made.step"
    made.export(str(file))
    return cb.read(file)


def told(found: Recognition, code: str) -> list[tuple[str, ...]]:
    return [f.items for f in found.findings if f.code == code]


def test_what_moves_with_the_part_of_a_hint_is_named(crane: cb.Assembly) -> None:
    assert not told(recognise(crane), "CB1656")
    found = recognise(crane, hints=Hints().having("joint", (("base", "plate"),)))
    assert joints(found) == {frozenset(("base", "arm")): "revolute"}
    assert told(found, "CB1656") == [("plate", "arm", "cam")]
    assert not told(found, "CB1657")
    # Of the arm, after which the body is called, it is plain that the body moves.
    found = recognise(crane, hints=Hints().having("joint", (("base", "arm"),)))
    assert not {f.code for f in found.findings} & {"CB1656", "CB1657", "CB1658"}


def test_a_hint_that_takes_the_place_of_another_joint_is_told_and_its_cure_is_true(crane: cb.Assembly) -> None:
    hints = Hints().having("joint", (("base", "plate"),), SLIDE)
    found = recognise(crane, hints=hints)
    assert joints(found) == {frozenset(("base", "arm")): "prismatic"}
    (why,) = [f for f in found.findings if f.code == "CB1657"]
    assert "in place of the joint that arm and base show" in why.message
    apart = recognise(crane, hints=hints.having("apart", (("arm", "plate"),)))
    assert joints(apart) == {frozenset(("base", "arm")): "revolute", frozenset(("base", "plate")): "prismatic"}
    assert not told(apart, "CB1657")
    meant = recognise(crane, hints=Hints().having("joint", (("base", "plate"),)))
    assert not told(meant, "CB1657")


@pytest.mark.parametrize(
    ("pairs", "floats", "hint"),
    [
        ((("base", "cam"),), "arm", "apart: [base, cam]"),
        ((("arm", "plate"), ("base", "plate")), "plate", "apart: [arm, plate], apart: [base, plate]"),
    ],
)
def test_what_a_hint_leaves_without_a_joint_floats_and_is_not_said_to_be_fixed(
    crane: cb.Assembly, pairs: tuple[tuple[str, str], ...], floats: str, hint: str, tmp_path: Path
) -> None:
    found = recognise(crane, hints=Hints().having("apart", pairs))
    (why,) = [f for f in found.findings if f.code == "CB1658"]
    assert why.items == (floats,)
    assert f"see hint {hint}" in why.message
    assert not told(found, "CB1602")
    file = tmp_path / "made.mates.yaml"
    file.write_text(mates_text(found), encoding="utf-8")
    assert "not sure: nothing holds some of the bodies (CB1658)" in file.read_text(encoding="utf-8").splitlines()[0]
    read = cb.read(crane.source, mates=file)
    assert cb.diagnose(cb.build(read)).mobility.dof == found.freedoms
    assert found.freedoms is not None
    assert found.freedoms >= 6


def test_what_touches_only_what_a_hint_parts_it_from_is_fixed_where_it_stands(crane: cb.Assembly) -> None:
    """The arm stays a joint: that its pegs meet the plate is what the hint says of the drawing."""
    found = recognise(crane, hints=Hints().having("apart", (("arm", "plate"),)))
    assert joints(found) == {frozenset(("base", "arm")): "revolute"}
    assert told(found, "CB1602") == [("plate",)]
    assert "plate" in found.bodies[found.ground].instances
    assert not told(found, "CB1658")


def test_a_joint_of_bodies_that_are_said_to_be_apart_is_not_said_to_have_no_axis(tmp_path: Path) -> None:
    """The cover rests on the base and the block on the arm: the bodies of either pair are those of the other."""
    parts = with_block()
    assert joints(recognised(tmp_path, parts)) == {frozenset(("base", "arm")): "revolute"}
    said = Hints().having("joint", (("base", "arm"),)).having("apart", (("cover", "block"),))
    (why,) = [f for f in recognise(cb.read(tmp_path / "made.step"), hints=said).findings if f.code == "CB1642"]
    assert "apart: [block, cover]" in why.message
    assert "no axis" not in why.message


def test_the_joint_of_a_hint_is_on_its_axis(crane: cb.Assembly) -> None:
    (joint,) = recognise(crane, hints=Hints().having("joint", (("base", "plate"),), SLIDE)).joints
    assert joint.axis is not None
    np.testing.assert_allclose(np.abs(joint.axis), (1.0, 0.0, 0.0), atol=1e-12)


def test_a_hint_on_the_part_after_which_its_body_is_called_is_told_to_take_a_place_too(crane: cb.Assembly) -> None:
    """The joint that the arm shows gave way without a word where the plate was said to be fixed to the arm."""
    hints = Hints().having("joint", (("base", "plate"),), SLIDE).having("fixed", (("arm", "plate"),))
    (why,) = [f for f in recognise(crane, hints=hints).findings if f.code == "CB1657"]
    assert "in place of the joint that arm and base show" in why.message


def test_where_nothing_is_said_to_move_it_is_no_news_that_nothing_does(crane: cb.Assembly) -> None:
    found = recognise(crane, hints=Hints(freedoms=0))
    assert not found.joints
    assert not {f.code for f in found.findings} & {"CB1604", "CB1644"}


def test_of_two_hints_on_the_same_bodies_the_one_that_is_not_used_is_told(crane: cb.Assembly) -> None:
    hints = Hints().having("joint", (("base", "plate"),), SLIDE).having("joint", (("arm", "base"),), Told("revolute"))
    found = recognise(crane, hints=hints)
    ((bodies, kind),) = joints(found).items()
    assert bodies == frozenset(("base", "arm"))
    unused = next(hint for hint in hints.said if hint.told.type != kind)
    assert f"hint {unused}, type: {unused.told.type}, is not used" in "".join(
        f.message for f in found.findings if f.code == "CB1657"
    )
    alike = recognise(crane, hints=hints.having("joint", (("arm", "base"),), Told("prismatic")))
    assert not any("is not used" in f.message for f in alike.findings)


def test_of_two_types_of_one_joint_none_is_used(crane: cb.Assembly) -> None:
    one, other = Hint("joint", ("base", "arm"), Told("revolute")), Hint("joint", ("arm", "base"), Told("prismatic"))
    found = recognise(crane, hints=Hints((one, other)))
    (joint,) = found.joints
    assert (joint.type, joint.confidence < 1.0) == ("revolute", True)
    assert told(found, "CB1641") == [("base", "arm")]


def test_a_hint_in_the_place_of_what_another_names_says_so(crane: cb.Assembly) -> None:
    hints = Hints().having("joint", (("base", "plate"),), SLIDE).having("joint", (("arm", "base"),))
    found = recognise(crane, hints=hints)
    (why,) = [f.message for f in found.findings if f.code == "CB1657"]
    assert "show and another hint names" in why
    assert [j.type for j in found.joints] == ["prismatic"]  # it was the hinge, and said to be the slide's place


def test_a_hint_that_is_not_used_takes_no_place(crane: cb.Assembly) -> None:
    hints = Hints().having("joint", (("base", "plate"),), SLIDE)
    found = recognise(crane, hints=hints)
    assert "CB1657" in {f.code for f in reach_of(found, hints)}
    unused = Findings()
    unused.add("CB1642", "hint joint: [base, plate] is not used", items=["base", "plate"])
    assert {f.code for f in reach_of(replace(found, findings=unused.as_tuple()), hints)} == {"CB1656"}


def test_what_a_hint_says_is_sure_though_the_mobility_asks_for_it_too(crane: cb.Assembly) -> None:
    said = Hints().having("joint", (("base", "plate"),))
    found = recognise(crane, hints=said)
    chosen = Hypothesis("arm", "base", "fixed", 0.8, "rests on it", (("arm", "base"),), True, 0)
    for hints, sure in ((said, 1.0), (Hints(), pytest.approx(0.2))):
        (joint,) = choosing._attributed(found, [chosen], hints).joints
        assert joint.confidence == sure


def test_a_spring_that_a_hint_names_has_no_joint_with_its_own_body(tmp_path: Path) -> None:
    """Left out of what holds others, it goes with what it touches most: but not what a hint is about."""
    base = box(100, 40, 10).union(disc(5, 20).translate((0, 0, 10)))
    arm = box(80, 20, 8).translate((30, 0, 0)).cut(disc(5, 8)).union(disc(1, 6).translate((60, 0, 8)))
    made = cq.Assembly(name="made").add(base, name="base").add(arm, name="arm", loc=cq.Location((0, 0, 10)))
    made.add(box(4, 20, 4).cut(disc(1, 4)), name="return_spring", loc=cq.Location((60, 0, 18)))
    file = tmp_path / "made.step"
    made.export(str(file))
    assert recognise(cb.read(file)).body_of["return_spring"] == recognise(cb.read(file)).body_of["arm"]
    found = recognise(cb.read(file), hints=Hints().having("apart", (("base", "return_spring"),)))
    assert all(j.a != j.b for j in found.joints)
    assert joints(found)[frozenset(("arm", "return_spring"))] == "revolute"
