"""A part that is called a slider, a lever or a wheel moves, where weak evidence alone would hold it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition, recognise
from cadbridge.recognition.choice.calibration import BY_NAME
from cadbridge.recognition.hints import NO_HINTS, Hints
from cadbridge.recognition.standard.roles import called_to_move
from tests.late import cq
from tests.recognition.choice.test_told import in_a_groove
from tests.recognition.solids import at, box, disc, plate, read


def named(folder: Path, part: str, hints: Hints = NO_HINTS, long: float = 12) -> Recognition:
    """A base with a short block in its groove, called so."""
    made = cq.Assembly(name="made")
    for name, (shape, place) in in_a_groove(long).items():
        made.add(shape, name=part if name == "part" else name, loc=at(*place))
    return read(folder, made, hints)


@pytest.mark.parametrize("name", ["Slider", "slider_left", "Schieber 2", "TopSlider v3"])
def test_a_slider_slides_in_what_it_stands_in(tmp_path: Path, name: str) -> None:
    found = named(tmp_path, name)
    (joint,) = found.joints
    assert joint.name in next(f for f in found.findings if f.code == "CB1601").items
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)
    assert joint.confidence == BY_NAME
    assert joint.evidence[0].endswith("is made to move, by its name")
    assert any(text.startswith("else a weld") for text in joint.against)


@pytest.mark.parametrize("name", ["block", "slider holder", "end cap", "lever"])
def test_other_names_change_nothing(tmp_path: Path, name: str) -> None:
    found = named(tmp_path, name)
    assert found.joints == ()
    assert "CB1642" not in {f.code for f in found.findings}


def test_what_a_person_says_rules_over_the_name(tmp_path: Path) -> None:
    assert named(tmp_path, "slider", Hints().having("fixed", (("base", "slider"),))).joints == ()


def test_without_names_nothing_is_told(tmp_path: Path) -> None:
    named(tmp_path, "slider")
    assert recognise(cb.read(tmp_path / "made.step"), names=False).joints == ()


def beside(folder: Path, name: str) -> Recognition:
    """A round disc that touches nothing, 1 mm above a plate, called so."""
    made = cq.Assembly(name="made")
    made.add(box(120, 60, 20), name="base")
    made.add(disc(20, 6), name=name, loc=at(0, 0, 21))
    return read(folder, made)


def test_a_wheel_that_touches_nothing_turns_about_its_axis(tmp_path: Path) -> None:
    (joint,) = beside(tmp_path, "front wheel 2").joints
    assert joint.type == "revolute"
    assert joint.axis is not None
    assert abs(joint.axis[2]) == pytest.approx(1.0)
    assert np.allclose(joint.point[:2], 0.0)


def test_a_disc_that_touches_nothing_stays(tmp_path: Path) -> None:
    assert beside(tmp_path, "disc").joints == ()


def test_what_several_lines_hold_stays_whatever_its_name(tmp_path: Path) -> None:
    made = cq.Assembly(name="made")
    holes = [(-20.0, 0.0), (20.0, 0.0)]
    made.add(plate(80, 40, 10, holes, 3), name="base")
    made.add(plate(60, 20, 6, holes, 3), name="lever", loc=at(0, 0, 10))
    assert read(tmp_path, made).joints == ()


def test_a_motion_of_a_name_is_kept_where_the_drawing_blocks_it(tmp_path: Path) -> None:
    made = cq.Assembly(name="made")
    for name, (shape, place) in in_a_groove(12).items():
        made.add(shape, name="slider" if name == "part" else name, loc=at(*place))
    for x in (-0.6, 20.6):  # blocks beside both ends, which the slider meets at once
        made.add(box(9, 20, 12), name=f"stop{x}", loc=at(x, 0, 10))
    found = read(tmp_path, made)
    (joint,) = [j for j in found.joints if "by its name" in j.evidence[0]]
    assert joint.type == "prismatic"
    assert joint.motion is not None
    assert joint.motion.state == "blocked"


@pytest.mark.parametrize(
    ("name", "motion"),
    [
        ("4000-817214_Lever:1", "revolute"),
        ("WheelRearRight", "revolute"),
        ("Vorderrad", "revolute"),
        ("wheel-mid-left", "revolute"),
        ("Wheel FL", "revolute"),
        ("volume knob 2", "revolute"),
        ("1330 Fan Rotor 25x25", "revolute"),
        ("propellor v7:2", "revolute"),
        ("1 - Follower", "prismatic"),
        ("slider 40x20 mm", "prismatic"),
        ("steering wheel mount", ""),
        ("cam follower", ""),
        ("Grad", ""),
        ("wheel slider", "prismatic"),  # the last word says what it is
    ],
)
def test_the_last_word_says_what_a_part_is(name: str, motion: str) -> None:
    assert called_to_move([name]) == motion


def test_names_that_contradict_each_other_say_nothing() -> None:
    assert called_to_move(["lever", "slider"]) == ""
