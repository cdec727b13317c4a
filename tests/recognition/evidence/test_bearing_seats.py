"""Bearings that are not drawn: a seat of their size in one part, the hole for their axle in the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.solids import Parts, box, joints, plate, recognised


def seated(width: float, depth: float, behind: float) -> cq.Workplane:
    """A plate of 12 mm with a seat in its top, and a narrower hole through the rest."""
    arm = box(90, 40, 12).cut(cq.Workplane().circle(behind / 2).extrude(12))
    return arm.cut(cq.Workplane().workplane(offset=12 - depth).circle(width / 2).extrude(depth))


def base(hole: float) -> cq.Workplane:
    """A wide plate with a hole that is not in its middle, so that no face lies about it."""
    return plate(150, 120, 10, [(0, 0)], hole / 2)


BASES: dict[str, tuple[float, float, float, float, bool]] = {
    "a 608 and its axle of 8 mm": (22.2, 7.0, 16.0, 8.1, True),
    "as deep as no bearing": (22.2, 4.0, 16.0, 8.1, False),
    "a hole for another axle": (22.2, 7.0, 16.0, 9.2, False),
    "the head of a screw, with its own hole": (10.0, 4.0, 5.3, 5.3, False),
}


@pytest.mark.parametrize("case", BASES)
def test_a_part_turns_about_the_axle_of_the_bearing_whose_seat_it_has(case: str, tmp_path: Path) -> None:
    width, depth, behind, hole, turns = BASES[case]
    parts: Parts = {"base": (base(hole), (20, 10, 0)), "arm": (seated(width, depth, behind), (20, 10, 10.5))}
    found = recognised(tmp_path, parts)
    shown = [joint for joint in found.joints if joint.evidence[0].startswith("the seat of a ")]
    assert [joint.type for joint in shown] == ["revolute"] * turns
    if turns:
        (joint,) = shown
        assert joint.evidence[0].startswith("the seat of a 608 bearing about an axle")
        assert joint.point[:2] == pytest.approx([0.020, 0.010])


def test_a_bearing_that_is_drawn_says_what_turns(tmp_path: Path) -> None:
    ring = cq.Workplane().circle(11).circle(4).extrude(7)
    parts: Parts = {
        "base": (base(8.1), (0, 0, 0)),
        "arm": (seated(22.0, 7.0, 16.0), (0, 0, 10.5)),
        "ring": (ring, (0, 0, 15.5)),
    }
    found = recognised(tmp_path, parts)
    assert not any("seat of a" in text for joint in found.joints for text in joint.evidence)


def test_two_plates_on_one_axle_turn_about_it_each(tmp_path: Path) -> None:
    """The nearer plate has no seat: it does not take the place of the axle's hole."""
    parts: Parts = {
        "base": (base(8.1), (0, 0, 0)),
        "first": (seated(22.2, 7.0, 16.0), (0, 0, 10.5)),
        "second": (seated(22.2, 7.0, 16.0), (0, 0, 23.0)),
    }
    assert sorted(joints(recognised(tmp_path, parts)).values()) == ["revolute", "revolute"]
