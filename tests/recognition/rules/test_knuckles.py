"""Hinges whose pin is not drawn, and parts that only spin on the line of a hinge."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.choice.calibration import of_joint, of_mobility
from cadbridge.recognition.contacts.walls import Witness
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.writing.mates_text import freedoms_text
from tests.late import cq
from tests.recognition import solids
from tests.recognition.solids import plate, read, recognised


def link(hole: float, rounded: bool) -> cq.Workplane:
    """A bar along x, 16 wide and 8 high, with a hole of that diameter about the origin near its end."""
    bar = cq.Workplane().box(120, 16, 8, centered=(False, True, False))
    end = (
        cq.Workplane().circle(8).extrude(8) if rounded else cq.Workplane().box(16, 16, 8, centered=(True, True, False))
    )
    return bar.union(end).faces(">Z").workplane(origin=(0, 0, 0)).hole(hole)


def foot(hole: float) -> cq.Workplane:
    block = cq.Workplane().box(20, 90, 30, centered=(False, False, False)).translate((-3, -3, -30))
    return block.faces(">Z").workplane(origin=(0, 0, 0)).hole(hole, 12)


@pytest.mark.parametrize("rounded", [True, False])
def test_a_link_turns_on_its_rounded_end_where_its_hole_goes_on_in_a_narrower_one(
    tmp_path: Path, rounded: bool
) -> None:
    """The screw cuts its thread in the narrower one, and is not drawn. A square end is screwed on."""
    own = cq.Assembly(name="own").add(foot(2.0), name="foot")  # nested: no model of links alone
    made = cq.Assembly(name="made").add(own, name="own").add(link(3.0, rounded), name="arm")
    found = read(tmp_path, made)
    assert found.freedoms == (1 if rounded else 0)
    if rounded:
        (joint,) = found.joints
        assert joint.type == "revolute"
        assert joint.confidence == of_joint(0.5, Witness.HOLES)
        share = 100 * of_mobility(joint.confidence, 1)
        assert f", not sure (about {share:.0f} %): 1 decision behind it" in freedoms_text(found)
        assert joint.point[:2] == pytest.approx([0, 0], abs=1e-9)
        assert "a rounded end, with holes in line" in joint.evidence[0]


@pytest.mark.parametrize(("other", "shown"), [(True, "a fork about a tongue"), (False, "a hole of one on")])
def test_a_tongue_that_touches_nothing_turns_in_its_fork(tmp_path: Path, other: bool, shown: str) -> None:
    """A finger with play on all sides. Without the fork's second cheek the one line of both is all that is seen."""
    cheeks = (-14, 6) if other else (-14,)
    fork = cq.Workplane().box(60, 40, 28, centered=(True, True, True)).translate((-45, 0, 0))
    for z in cheeks:
        fork = fork.union(cq.Workplane().box(40, 20, 8, centered=(True, True, False)).translate((0, 0, z)))
    fork = fork.faces(">Z").workplane(origin=(0, 0, 0)).hole(5)
    tongue = cq.Workplane().box(90, 20, 11, centered=(False, True, True)).translate((-10, 0, 0))
    tongue = tongue.faces(">Z").workplane(origin=(0, 0, 0)).hole(4.6)
    found = read(tmp_path, cq.Assembly(name="made").add(fork, name="fork").add(tongue, name="tongue"))
    (joint,) = found.joints
    assert (found.freedoms, joint.type) == (1, "revolute")
    assert joint.evidence[0].startswith(shown)


def test_of_joints_those_are_given_up_first_by_which_a_cap_would_only_spin(tmp_path: Path) -> None:
    """A lever on the boss of a plate, a pin with a head in it: told one degree of freedom, it is the lever's."""
    plate = cq.Workplane().box(120, 120, 10, centered=(True, True, False)).union(
        cq.Workplane().circle(8).extrude(22)
    ).faces(">Z").workplane(origin=(0, 0, 22)).hole(4, 14)  # fmt: skip
    lever = cq.Workplane().box(100, 30, 8, centered=(False, True, False)).translate((-15, 0, 10.5))
    lever = lever.faces(">Z").workplane(origin=(0, 0, 0)).hole(16.3)
    cap = cq.Workplane().circle(7).extrude(3).union(cq.Workplane().circle(1.9).extrude(-9)).translate((0, 0, 22))
    made = cq.Assembly(name="made").add(plate, name="plate").add(lever, name="lever").add(cap, name="cap")
    found = read(tmp_path, made, Hints(freedoms=1))
    assert [{found.bodies[j.a].name, found.bodies[j.b].name} for j in found.joints] == [{"plate", "lever"}]


@pytest.mark.parametrize("screws", [0, 3])
def test_a_shaft_on_the_axis_of_a_wider_hole_that_touches_nothing_turns_in_it(tmp_path: Path, screws: int) -> None:
    """A spool whose stub stands in the frame with a gap of 2 mm all around: no frame holds it but by that."""
    cuts = cq.Workplane(origin=(0, 0, -20)).pushPoints([(30, 0), (-30, 0), (0, 30)][:screws]).circle(2).extrude(100)
    frame = plate(100, 100, 12, [(0, 0)], 24.5)
    spool = cq.Workplane().circle(45).extrude(60).union(cq.Workplane(origin=(0, 0, -14)).circle(22.5).extrude(14))
    if screws:
        frame, spool = frame.cut(cuts), spool.cut(cuts)
    found = recognised(tmp_path, {"frame": (frame, (0, 0, 0)), "spool": (spool, (0, 0, 13))})
    assert [joint.type for joint in found.joints] == ([] if screws else ["revolute"])


def test_of_two_parts_that_stand_apart_and_turn_on_each_other_one_is_left_where_it_stands(tmp_path: Path) -> None:
    """A frame and a spool over a base that neither touches: with both bound to it, their joint would be one of the base
    with itself, which no mates file can hold."""
    notch = cq.Workplane().center(80, 30).circle(24.5).extrude(12)
    frame = plate(200, 100, 12, [(0, 0)], 24.5).cut(notch)
    spool = cq.Workplane().circle(45).extrude(60).union(cq.Workplane(origin=(0, 0, -14)).circle(22.5).extrude(14))
    base = cq.Workplane().box(600, 600, 200, centered=(True, True, False)).translate((0, 0, -400))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "frame": (frame, (0, 0, 0)), "spool": (spool, (0, 0, 13))})
    assert [joint.type for joint in found.joints] == ["revolute"]
    assert all(joint.a != joint.b for joint in found.joints)


@pytest.mark.parametrize(("spots", "freedoms"), [([(-8.0, 0.0), (8.0, 0.0)], 0), ([], 1)])
def test_a_pattern_of_holes_is_for_screws_however_much_wider_they_are(
    tmp_path: Path, spots: list[tuple[float, float]], freedoms: int
) -> None:
    """A fan with holes of 3.2 mm on tap holes of 1.8; the duct goes on in it with its own bore."""
    duct, fan = plate(60, 40, 4, [(0, 0)], 5), cq.Workplane().circle(12).circle(5).extrude(8)
    fan = fan.union(cq.Workplane().center(20, 0).rect(20, 6).extrude(8))
    for x, y in spots:
        duct = duct.cut(cq.Workplane().center(x, y).circle(0.9).extrude(4))
        fan = fan.cut(cq.Workplane().center(x, y).circle(1.6).extrude(8))
    own = cq.Assembly(name="own").add(duct, name="duct")  # nested: no model of links alone
    made = cq.Assembly(name="made").add(own, name="own").add(fan, name="fan", loc=cq.Location((0, 0, 4)))
    assert read(tmp_path, made).freedoms == freedoms


def test_what_loses_its_hinge_to_what_is_bound_beside_it_does_not_float(tmp_path: Path) -> None:
    """A bar goes on in the hole of a base, about which it lies; it lies on the block beside that, too."""
    base = plate(40, 60, 30, [(12, 0)], 3)
    bar = (
        cq.Workplane()
        .box(60, 16, 5, centered=(False, True, False))
        .cut(cq.Workplane().center(8, 0).circle(3).extrude(5))
    )
    block = cq.Workplane().box(60, 60, 30, centered=(False, True, False))
    own = cq.Assembly(name="own").add(base, name="base")  # nested: no model of links alone
    made = cq.Assembly(name="made").add(own, name="own").add(bar, name="bar", loc=cq.Location((4, 0, 30)))
    assert read(tmp_path, made).freedoms == 1
    found = read(tmp_path, made.add(block, name="block", loc=cq.Location((20, 0, 0))))
    assert not [f for f in found.findings if f.code == "CB1658"]
    assert found.freedoms == 0


@pytest.mark.parametrize(("off", "turn", "hinged"), [(0.7, 60, True), (4.5, 60, False), (0.7, 0, False)])
def test_eyes_drawn_beside_each_other_are_a_hinge(tmp_path: Path, off: float, turn: float, hinged: bool) -> None:
    """Links placed by hand: one reaches into the other by 0.3 mm, its eye off the axis. Eyes at both ends hold them."""
    upper = cq.Location(cq.Vector(off, 0, 2.7), cq.Vector(0, 0, 1), turn)
    made = cq.Assembly(name="made").add(solids.link(40), name="lower").add(solids.link(40), name="upper", loc=upper)
    found = read(tmp_path, made)
    assert [joint.type for joint in found.joints] == ["revolute"] * hinged
    if hinged:
        (joint,) = found.joints
        assert joint.point[:2] == pytest.approx([off / 2 * 1e-3, 0], abs=1e-9)
        assert joint.evidence[0] == "rounded ends about holes of radii 3 and 3 mm lie on each other"
        assert joint.against == ("drawn 0.7 mm beside each other", "no pin is drawn")


@pytest.mark.parametrize("flat", [False, True])
def test_along_a_bolt_nothing_slides_where_a_flat_stops_the_turn(tmp_path: Path, flat: bool) -> None:
    """A tongue with play between two ears, and no bolt drawn: its top lies on the underside of what has the ears."""
    fork = cq.Workplane().box(40, 38, 10, centered=(True, True, False)).translate((0, 0, 10))
    for y in (-11, 19):
        ear = cq.Workplane("XZ").circle(10).extrude(8).union(cq.Workplane("XZ").center(0, 5).rect(20, 10).extrude(8))
        fork = fork.union(ear.cut(cq.Workplane("XZ").circle(2).extrude(8)).translate((0, y, 0)))
    top = 10 if flat else 8
    tongue = cq.Workplane("XZ").rect(16, 2 * top).circle(2).extrude(20.6).translate((0, 10.3, 0))
    tongue = tongue.union(cq.Workplane().box(16, 20.6, 60, centered=(True, True, False)).translate((0, 0, -70)))
    own = cq.Assembly(name="own").add(fork, name="fork")  # nested: no model of links alone
    found = read(tmp_path, cq.Assembly(name="made").add(own, name="own").add(tongue, name="tongue"))
    assert [joint.type for joint in found.joints] == ([] if flat else ["revolute"])
