"""A servo drawn as one solid: the bracket on its horn turns, the bracket on its case does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.choice.calibration import of_joint
from cadbridge.recognition.contacts.walls import Witness
from tests.late import cq
from tests.recognition.solids import Parts, plate, recognised

RING = [(6.0, 0.0), (0.0, 6.0), (-6.0, 0.0), (0.0, -6.0)]


def servo() -> cq.Workplane:
    """A case of 40 × 20 × 30 mm with two lugs, and a horn of 20 mm with four holes that stands 2 mm out of it."""
    case = cq.Workplane().box(40, 20, 30, centered=(True, True, False)).translate((10, 0, -30))
    lugs = cq.Workplane().box(56, 20, 3, centered=(True, True, False)).translate((10, 0, -10))
    body = case.union(lugs.faces(">Z").workplane().pushPoints([(-14, 0), (34, 0)]).hole(3))
    neck = cq.Workplane().circle(4).extrude(2)
    horn = cq.Workplane().workplane(offset=2).circle(10).extrude(3).faces(">Z").workplane().pushPoints(RING).hole(2)
    return body.union(neck).union(horn)


def frame() -> cq.Workplane:
    """What the lugs are screwed to, from below."""
    plate_ = cq.Workplane().box(70, 30, 4, centered=(True, True, False)).translate((10, 0, -14))
    hole = cq.Workplane().box(41, 21, 4, centered=(True, True, False)).translate((10, 0, -14))
    return plate_.cut(hole).faces(">Z").workplane(origin=(0, 0, -10)).pushPoints([(-14, 0), (34, 0)]).hole(3)


@pytest.mark.parametrize("name", ["servo", "block"])
def test_the_arm_on_the_horn_turns_and_the_frame_is_held(tmp_path: Path, name: str) -> None:
    arm = plate(60, 22, 4, RING, 1)
    parts: Parts = {name: (servo(), (0, 0, 0)), "frame": (frame(), (0, 0, 0)), "arm": (arm, (0, 0, 5))}
    found = recognised(tmp_path, parts)
    assert [joint.type for joint in found.joints] == ["revolute"]
    assert {frozenset(body.instances) for body in found.bodies} == {frozenset((name, "frame")), frozenset(("arm",))}
    assert list(found.joints[0].point[:2]) == pytest.approx([0, 0], abs=1e-6)
    assert found.joints[0].confidence == of_joint(0.65, Witness.DRIVE)
    assert ("its name says an actuator" in found.joints[0].evidence) == (name == "servo")


@pytest.mark.parametrize(("name", "screws", "joints"), [("servo", 4, 1), ("servo", 1, 1), ("block", 1, 0)])
def test_an_arm_on_the_other_ring_of_a_horn_turns_by_one_screw_where_a_servo_is_named(
    tmp_path: Path, name: str, screws: int, joints: int
) -> None:
    """The horn has a second ring of as many holes, which come first in the file; the arm has those of the one."""
    second = [(4.5, 4.5), (-4.5, 4.5), (-4.5, -4.5), (4.5, -4.5)]
    drive = servo().cut(cq.Workplane(origin=(0, 0, 2)).pushPoints(second).circle(0.8).extrude(3))
    arm = plate(60, 22, 4, RING[:screws], 1)
    parts: Parts = {name: (drive, (0, 0, 0)), "frame": (frame(), (0, 0, 0)), "arm": (arm, (0, 0, 5))}
    found = recognised(tmp_path, parts)
    on_axis = [joint for joint in found.joints if abs(joint.point[0]) + abs(joint.point[1]) < 1e-6]
    assert len(on_axis) == joints


def test_a_servo_that_is_the_base_turns_what_is_screwed_to_it_by_its_name(tmp_path: Path) -> None:
    parts: Parts = {"DC07_A_DUMMY": (servo(), (0, 0, 0)), "arm": (plate(60, 22, 4, RING, 1), (0, 0, 5))}
    assert [joint.type for joint in recognised(tmp_path, parts).joints] == ["revolute"]


def test_a_bolted_flange_of_a_tube_is_no_output(tmp_path: Path) -> None:
    tube = cq.Workplane().circle(5).extrude(60).faces(">Z").workplane().circle(10).extrude(4)
    tube = tube.faces(">Z").workplane().pushPoints(RING).hole(2)
    tube = tube.union(cq.Workplane().box(40, 40, 5, centered=(True, True, False)))
    parts: Parts = {"tube": (tube, (0, 0, 0)), "head": (plate(30, 30, 5, RING, 1), (0, 0, 64))}
    assert len(recognised(tmp_path, parts).bodies) == 1


@pytest.mark.parametrize(("name", "joints"), [("servo", 1), ("circleServoHornMount1", 0)])
def test_what_is_made_for_a_servo_is_none(tmp_path: Path, name: str, joints: int) -> None:
    mount = cq.Workplane().box(60, 24, 4, centered=(True, True, False)).translate((16, 0, -4))
    mount = mount.faces(">Z").workplane(origin=(0, 0, 0)).pushPoints([(30, 0), (40, 0)]).hole(3)
    mount = mount.union(cq.Workplane().circle(10).extrude(3).faces(">Z").workplane().pushPoints(RING).hole(2, 3))
    frame_ = plate(30, 30, 4, [(-5.0, 0.0), (5.0, 0.0)], 1.5)
    parts: Parts = {
        name: (mount, (0, 0, 0)),
        "frame": (frame_, (35, 0, -8)),
        "arm": (plate(60, 22, 4, RING, 1), (0, 0, 3)),
    }
    assert len(recognised(tmp_path, parts).joints) == joints


def test_a_drive_drawn_as_case_rotor_and_horn_has_one_joint(tmp_path: Path) -> None:
    case = cq.Workplane().box(80, 60, 40, centered=(True, True, False)).translate((0, 0, -40))
    case = case.cut(cq.Workplane().circle(5).extrude(-10))
    rotor = cq.Workplane().circle(5).extrude(-10).union(cq.Workplane().circle(8).extrude(2))
    rotor = rotor.union(cq.Workplane().workplane(offset=2).circle(3).extrude(6))
    rotor = rotor.cut(cq.Workplane().box(10, 4, 2, centered=(True, False, False)).translate((0, 6, 0)))
    horn = cq.Workplane().workplane(offset=2).rect(24, 16).extrude(6)
    horn = horn.cut(cq.Workplane().workplane(offset=2).circle(3).extrude(6))
    horn = horn.union(cq.Workplane().workplane(offset=8).circle(7).circle(2).extrude(4))
    link = cq.Workplane().box(200, 60, 8, centered=(True, True, False)).translate((80, 0, 8))
    link = link.cut(cq.Workplane().workplane(offset=8).circle(7).extrude(8))
    parts: Parts = {"case": (case, (0, 0, 0)), "rotor": (rotor, (0, 0, 0)), "horn": (horn, (0, 0, 0))}
    found = recognised(tmp_path, {**parts, "link": (link, (0, 0, 0))})
    assert [joint.type for joint in found.joints] == ["revolute"]
    apart = [body.instances for body in found.bodies]
    assert not any({"case", "link"} <= set(names) for names in apart)
