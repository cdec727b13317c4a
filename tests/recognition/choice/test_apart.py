"""A hint `apart` takes the joint of two bodies, and no other: what both were drawn with says nothing of the rest."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.mass.meeting import SolidScene
from cadbridge.recognition import recognise
from cadbridge.recognition.choice.sweep import _Hanging
from cadbridge.recognition.hints import Hints
from tests.late import cq
from tests.recognition.linkages import four_bar
from tests.recognition.solids import Parts, box, joints, plate, recognised, with_block

LINKS = [("base", "crank"), ("crank", "coupler"), ("coupler", "rocker"), ("base", "rocker")]


@pytest.mark.parametrize("pair", LINKS)
def test_of_a_four_bar_the_other_three_joints_stay(pair: tuple[str, str], tmp_path: Path) -> None:
    """The pin of the pair stood in their way, so that they were welds, and what was apart one body."""
    found = recognise(cb.read(four_bar(tmp_path / "four_bar.step")), hints=Hints().having("apart", [pair]))
    assert len({found.body_of[name] for name in ("base", "crank", "coupler", "rocker")}) == 4
    joined = {frozenset((found.bodies[j.a].name, found.bodies[j.b].name)) for j in found.joints}
    assert joined == {frozenset(link) for link in LINKS} - {frozenset(pair)}
    assert found.freedoms == 3
    assert not {"CB1604", "CB1610", "CB1658"} & {f.code for f in found.findings}


def test_of_a_chain_that_is_cut_off_the_ground_the_other_joints_stay(tmp_path: Path) -> None:
    """The last link was fixed to the base, so that the two apart were joined all the same."""

    def stub(at: float) -> cq.Workplane:
        return cq.Workplane().workplane(offset=10).center(at, 0).circle(5).extrude(10)

    base = box(300, 60, 10).union(stub(0))
    thigh = plate(60, 20, 10, [(-20, 0)], 5).union(stub(20))
    leg = plate(60, 20, 10, [(-20, 0)], 5)
    parts: Parts = {"base": (base, (0, 0, 0)), "thigh": (thigh, (20, 0, 10)), "leg": (leg, (60, 0, 20))}
    assert len(joints(recognised(tmp_path, parts))) == 2
    for pair in (("base", "thigh"), ("thigh", "leg")):
        found = recognise(cb.read(tmp_path / "made.step"), hints=Hints().having("apart", [pair]))
        assert len(found.bodies) == 3
        assert set(joints(found)) == {frozenset(("base", "thigh")), frozenset(("thigh", "leg"))} - {frozenset(pair)}
        assert "CB1658" in {f.code for f in found.findings}


def test_a_loop_that_a_hint_opens_is_not_held_by_what_it_was_drawn_with(tmp_path: Path) -> None:
    """A bolt of the pair stood in a third bar, which held the one that was left on a hinge: both were one body."""
    found = recognise(cb.read(four_bar(tmp_path / "four_bar.step")), hints=Hints().having("apart", [LINKS[1]]))
    scene = SolidScene(found.assembly, set(), 1000)
    hanging = _Hanging(found, scene)
    assert hanging.opened == set(found.joints)
    assert not any(isinstance(hanging.sides(joint), str) for joint in found.joints)


def test_the_ground_stays_where_a_hint_takes_a_joint_of_it(tmp_path: Path) -> None:
    """With a joint fewer it would have been the other of two that a link connects, and nothing said so."""

    def base(width: float, stud: float) -> cq.Workplane:
        studs = cq.Workplane().pushPoints([(-30, 0), (30, 0), (0, stud)]).circle(4).extrude(18)
        return box(width, 60, 10).union(studs)

    arm = plate(40, 12, 6, [(0, 0)], 4)
    parts: Parts = {"link": (plate(12, 60, 6, [(0, -20), (0, 20)], 4), (0, 40, 10))}
    for k, y in enumerate((0, 80)):
        parts[f"body{k}"] = (base(120 - k, -20 if k else 20), (0, y, 0))
        parts |= {f"arm{k}{side}": (arm, (x, y, 10)) for side, x in (("l", -30), ("r", 30))}
    found = recognised(tmp_path, parts)
    assert found.bodies[found.ground].name == "body0"
    assert len(found.joints) == 6
    kept = recognise(cb.read(tmp_path / "made.step"), hints=Hints().having("apart", [("body0", "arm0l")]))
    assert (kept.bodies[kept.ground].name, kept.ground_reason.split(", ")[1]) == ("body0", "2 joints")


def test_a_doubtful_joint_on_the_ground_is_named_by_the_part_that_it_is_on(tmp_path: Path) -> None:
    """The largest part of the ground, after which it is called, may be that of a machine beside it."""
    base = plate(60, 60, 10, [(0, 0)], 4)
    parts: Parts = {
        "plinth": (box(300, 100, 20), (0, 0, -20)),
        "post": (base, (-100, 0, 0)),
        "arm": (plate(40, 12, 6, [], 0).union(cq.Workplane().circle(4).extrude(-8)), (-100, 0, 10)),
    }
    found = recognised(tmp_path, parts)
    (joint,) = found.joints
    assert (found.bodies[found.ground].name, set(found.ends(joint))) == ("plinth", {"post", "arm"})
    (doubt,) = [f for f in found.findings if f.code == "CB1601"]
    assert "post" in doubt.message
    assert "plinth" not in doubt.message.split(";")[0]


def test_a_joint_that_is_said_stays_where_a_part_of_its_body_is_said_to_have_none(tmp_path: Path) -> None:
    """What rests on the arm was one body with it, so that `apart` took the joint of the arm, which was said, too."""
    found = recognised(tmp_path, with_block())
    assert joints(found) == {frozenset(("base", "arm")): "revolute"}
    assert found.body_of["arm"] == found.body_of["block"]
    said = Hints().having("joint", [("base", "arm")])
    found = recognise(cb.read(tmp_path / "made.step"), hints=said.having("apart", [("base", "block")]))
    assert frozenset(("base", "arm")) in joints(found)
    assert len({found.body_of[name] for name in ("base", "arm", "block")}) == 3
    # What is fixed to one of the parts stands for it.
    said = said.having("apart", [("cover", "block")]).having("fixed", [("base", "cover")])
    assert frozenset(("base", "arm")) in joints(recognise(cb.read(tmp_path / "made.step"), hints=said))


def test_what_is_fixed_to_a_part_cannot_be_joined_to_what_has_no_joint_to_that(tmp_path: Path) -> None:
    """The cover is the base's: the block has a joint to it, or none. The hint `fixed` was dropped without a word."""
    recognised(tmp_path, with_block())
    said = Hints().having("fixed", [("base", "cover")]).having("apart", [("base", "block")])
    found = recognise(cb.read(tmp_path / "made.step"), hints=said.having("joint", [("block", "cover")]))
    (why,) = [f for f in found.findings if f.code == "CB1641"]
    assert set(why.items) == {"base", "cover", "block"}
    for hint in ("joint: [block, cover]", "apart: [base, block]", "fixed: [base, cover]"):
        assert hint in why.message
    assert found.body_of["base"] == found.body_of["cover"]


def test_what_is_joined_to_a_part_is_not_one_body_with_what_has_no_joint_to_it() -> None:
    said = Hints().having("joint", [("a", "b")]).having("apart", [("c", "d")])
    assert set(said.in_two_bodies) == {("a", "b"), ("c", "d")}
    assert set(said.having("fixed", [("a", "c")]).in_two_bodies) == {("a", "b"), ("c", "d"), ("b", "d")}
    assert set(said.having("joint", [("a", "c")]).in_two_bodies) == {("a", "b"), ("a", "c"), ("c", "d"), ("a", "d")}
