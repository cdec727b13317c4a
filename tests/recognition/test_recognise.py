"""From parts that stand somewhere to bodies and joints: small assemblies made here, each with one thing to see."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mechanism import build
from cadbridge.recognition import mates_text, read_recognised, recognise
from cadbridge.recognition.evidence import bolts
from cadbridge.recognition.questions.questions import NOTHING_LEFT
from cadbridge.recognition.writing.mates_text import freedoms_text
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, joints, plate, recognised


def test_a_lever_on_a_boss_turns(tmp_path: Path) -> None:
    base = (
        cq.Workplane()
        .box(80, 40, 10, centered=(True, True, False))
        .union(cq.Workplane().workplane(offset=10).circle(5).extrude(8))
    )
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "lever": (plate(60, 12, 8, [(0, 0)], 5.1), (0, 0, 10))})
    assert joints(found) == {frozenset(("base", "lever")): "revolute"}
    (joint,) = found.joints
    assert joint.axis is not None
    assert abs(joint.axis[2]) == pytest.approx(1.0)
    assert joint.point[:2] == pytest.approx([0, 0], abs=1e-9)
    assert found.bodies[found.ground].name == "base"
    assert any("gap 0.1 mm" in text for text in joint.evidence)


def test_a_lever_that_stands_off_its_boss_by_a_clearance_turns_too(tmp_path: Path) -> None:
    base = cq.Workplane().box(80, 40, 10, centered=(True, True, False)).faces(">Z").workplane().circle(5).extrude(8)
    lever = plate(60, 12, 8, [(0, 0)], 5.1)
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "lever": (lever, (0.2, -0.1, 10.1))})
    assert joints(found) == {frozenset(("base", "lever")): "revolute"}
    assert "CB1605" in {finding.code for finding in found.findings}


@pytest.mark.parametrize("gap", [0.0, 0.15])
def test_a_flat_on_a_shaft_and_in_its_bore_is_a_key(tmp_path: Path, gap: float) -> None:
    def rod(radius: float, length: float, flat: float) -> cq.Workplane:
        return disc(radius, length).cut(cq.Workplane().box(20, 20, 10).translate((0, 10 + flat, length - 5)))

    lever = cq.Workplane().box(30, 12, 6, centered=(True, True, False)).cut(rod(3 + gap, 10, 2 + gap))
    parts = {"base": (plate(40, 40, 10, [(0, 0)], 3.1), (0, 0, 0)), "shaft": (rod(3, 20, 2), (0, 0, 0))}
    found = recognised(tmp_path, {**parts, "lever": (lever, (0, 0, 12))})
    assert [set(body.instances) for body in found.bodies] == [{"base"}, {"shaft", "lever"}]
    assert list(joints(found).values()) == ["revolute"]


def test_two_dowels_hold_what_one_pin_lets_turn(tmp_path: Path) -> None:
    def stack(spots: list[tuple[float, float]]) -> Parts:
        low, high = plate(80, 40, 10, spots, 3), plate(60, 30, 10, spots, 3)
        return {"low": (low, (0, 0, 0)), "high": (high, (0, 0, 10))} | {
            f"pin{i}": (disc(3, 20), (x, y, 0)) for i, (x, y) in enumerate(spots)
        }

    one = recognised(tmp_path, stack([(0, 0)]))
    assert joints(one)[frozenset(("low", "high"))] == "revolute"
    two = recognised(tmp_path, stack([(-20, 0), (20, 0)]))
    assert joints(two) == {}
    assert len(two.bodies) == 1
    assert "parallel lines" in mates_text(two)


def test_a_long_rod_without_shoulder_slides_and_turns(tmp_path: Path) -> None:
    block = cq.Workplane().box(30, 30, 60, centered=(True, True, False)).faces(">Z").workplane().hole(16)
    found = recognised(tmp_path, {"block": (block, (0, 0, 0)), "rod": (disc(8, 150), (0, 0, -40))})
    assert list(joints(found).values()) == ["cylindrical"]


def test_two_guide_rods_make_a_slide(tmp_path: Path) -> None:
    frame = cq.Workplane().box(80, 40, 10, centered=(True, True, False))
    for x in (-25, 25):
        frame = frame.union(cq.Workplane().workplane(offset=10).center(x, 0).circle(5).extrude(150))
    carriage = plate(80, 30, 40, [(-25, 0), (25, 0)], 5.05)
    found = recognised(tmp_path, {"frame": (frame, (0, 0, 0)), "carriage": (carriage, (0, 0, 60))})
    assert list(joints(found).values()) == ["prismatic"]
    (joint,) = found.joints
    assert joint.axis is not None
    assert abs(joint.axis[2]) == pytest.approx(1.0)


def test_a_ball_in_a_socket(tmp_path: Path) -> None:
    ball = cq.Workplane().sphere(10).union(cq.Workplane().circle(4).extrude(40))
    socket = cq.Workplane().box(40, 40, 26).cut(cq.Workplane().sphere(10)).cut(cq.Workplane().circle(8).extrude(20))
    found = recognised(tmp_path, {"socket": (socket, (0, 0, 0)), "stud": (ball, (0, 0, 0))})
    assert list(joints(found).values()) == ["spherical"]


def test_a_screw_clamps_what_it_goes_through(tmp_path: Path) -> None:
    head = cq.Workplane().circle(4.5).extrude(6).faces(">Z").workplane().polygon(6, 5.8).cutBlind(-3)
    screw = head.union(cq.Workplane().circle(3).extrude(-25))
    low, high = plate(60, 40, 20, [(0, 0)], 3), plate(60, 40, 10, [(0, 0)], 3.3)
    found = recognised(tmp_path, {"low": (low, (0, 0, 0)), "high": (high, (0, 0, 20)), "screw": (screw, (0, 0, 30))})
    assert joints(found) == {}
    assert len(found.bodies) == 1
    assert any("screw" in bond.reason for bond in found.bodies[0].bonds)


def test_screws_look_at_no_faces_far_from_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stations on one level: each screw was held against the faces of all."""
    looked: list[tuple[int, int]] = []
    loops = bolts._Crossing._loops

    def counted(crossing: bolts._Crossing, k: int, end: int) -> list[bolts._Filled]:
        looked.append((k, end))
        return loops(crossing, k, end)

    monkeypatch.setattr(bolts._Crossing, "_loops", counted)
    sheet = plate(40, 40, 6, [(0, 0)], 3)
    bolt = cq.Workplane().polygon(6, 10).extrude(4).faces("<Z").workplane().circle(3).extrude(14)
    parts: Parts = {}
    for i in range(6):
        at = 100.0 * i
        parts |= {f"low{i}": (sheet, (at, 0, 0)), f"up{i}": (sheet, (at, 0, 6)), f"bolt{i}": (bolt, (at, 0, 12))}
    recognised(tmp_path, parts)
    assert len(looked) == 2 * 6


def test_a_part_that_touches_nothing_is_named_and_stays(tmp_path: Path) -> None:
    found = recognised(tmp_path, {"a": (plate(40, 40, 5, [(0, 0)], 3), (0, 0, 0)), "far": (disc(2, 5), (500, 0, 0))})
    assert found.loose == ("far",)
    assert {f.code for f in found.findings} >= {"CB1602", "CB1604"}
    assert "touches nothing" in mates_text(found)


def test_a_link_with_a_short_trunnion_in_a_bore_turns_and_a_sunk_peg_does_not(tmp_path: Path) -> None:
    wall = plate(80, 40, 20, [(0, 0)], 6)
    link = cq.Workplane().box(12, 12, 80).union(disc(6, 20).translate((0, 0, 35)))
    held = recognised(tmp_path, {"wall": (wall, (0, 0, 0)), "link": (link, (0, 0, -55))})
    assert joints(held) == {frozenset(("wall", "link")): "revolute"}
    peg = cq.Workplane().polygon(5, 20).extrude(3).union(disc(6, 20))
    pressed = recognised(tmp_path, {"wall": (wall, (0, 0, 0)), "peg": (peg, (0, 0, -4))})
    assert len(pressed.bodies) == 1


@pytest.mark.parametrize(("end", "bodies"), [("", 2), ("-1", 3)])
def test_a_flush_pin_belongs_to_its_fork_except_in_solidworks(tmp_path: Path, end: str, bodies: int) -> None:
    fork = cq.Workplane().box(60, 20, 30, centered=(True, True, False)).faces(">X").workplane().rect(60, 10)
    fork = fork.cutBlind(-40).faces(">Y").workplane().center(15, 15).hole(8)
    link = cq.Workplane().box(60, 9, 12).faces(">Y").workplane().center(20, 0).hole(8)
    at = fork.faces("%CYLINDER").vals()[0].Center()
    bolt = cq.Workplane("XZ").circle(4).extrude(20)
    parts: Parts = {"fork": (fork, (0, 0, 0)), "link": (link, (at.x + 20, 0, at.z)), "pin": (bolt, (at.x, 10, at.z))}
    found = recognised(tmp_path, {name + end: part for name, part in parts.items()})
    assert len(found.bodies) == bodies
    assert joints(found)[frozenset(("fork" + end, "link" + end))] == "revolute"


def test_the_fitted_edge_of_a_plate_guides_nothing(tmp_path: Path) -> None:
    drum = disc(40, 30)
    bracket = cq.Workplane().box(30, 20, 30, centered=(True, True, False)).translate((50, 0, 0)).cut(drum)
    found = recognised(tmp_path, {"drum": (drum, (0, 0, 0)), "bracket": (bracket, (0, 0, 0))})
    assert joints(found) == {}


def test_what_stands_in_a_pocket_with_room_about_it_is_held_there(tmp_path: Path) -> None:
    arm = cq.Workplane().box(80, 20, 10).faces(">Z").workplane().rect(30, 8).cutBlind(-6)
    found = recognised(tmp_path, {"arm": (arm, (0, 0, 0)), "horn": (cq.Workplane().box(29, 7, 4), (0, 0, 2))})
    assert found.loose == ()
    assert len(found.bodies) == 1
    assert any("touches nothing; 0.5 mm from it" in bond.reason for bond in found.bodies[0].bonds)
    # Nobody asks how a machine moves that does not.
    assert freedoms_text(found).startswith("No degrees of freedom, not sure (about 10 %)")


def test_one_part_alone_has_no_joint_and_says_so(tmp_path: Path) -> None:
    found = recognised(tmp_path, {"a": (plate(40, 40, 5, [(0, 0)], 3), (0, 0, 0))})
    assert [f.code for f in found.findings if f.severity.value == "warning"] == ["CB1652", "CB1604"]
    assert freedoms_text(found).startswith("Nothing can be known")  # and is not "about 100 % sure"


def test_the_mates_file_gives_the_same_mechanism_and_the_same_bytes(tmp_path: Path) -> None:
    base = (
        cq.Workplane()
        .box(80, 40, 10, centered=(True, True, False))
        .union(cq.Workplane().workplane(offset=10).circle(5).extrude(8))
    )
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "lever": (plate(60, 12, 8, [(0, 0)], 5), (0, 0, 10))})
    mates = tmp_path / "by-hand.mates.yaml"
    mates.write_text(mates_text(found))
    by_file = build(cb.read(tmp_path / "made.step", mates=mates))
    at_once = build(read_recognised(tmp_path / "made.step")[0])
    for mechanism in (by_file, at_once):
        assert not [f for f in (*mechanism.findings, *mechanism.assembly.findings) if f.severity.value == "error"]
        assert [j.type for j in mechanism.joints] == ["revolute"]
    assert np.allclose(by_file.joints[0].X_AJ.p, at_once.joints[0].X_AJ.p, atol=1e-9)
    assert mates_text(recognise(cb.read(tmp_path / "made.step"))) == mates_text(found)


@pytest.mark.parametrize(("size", "kinds"), [((9, 8), []), ((60, 12), ["revolute"])])
def test_a_spacer_over_a_hole_is_no_lever(tmp_path: Path, size: tuple[float, float], kinds: list[str]) -> None:
    over = plate(*size, 3, [(0, 0)], 2)
    low = plate(80, 40, 10, [(0, 0)], 2)
    found = recognised(tmp_path, {"low": (low, (0, 0, 0)), "over": (over, (0, 0, 10))})
    assert list(joints(found).values()) == kinds


@pytest.mark.parametrize(("hole", "kinds"), [(6.6, ["revolute"]), (6.0, ["revolute"]), (5.0, [])], ids=str)
@pytest.mark.parametrize("size", [1.0, 0.4])
def test_a_stud_in_its_tap_hole_is_screwed_in(tmp_path: Path, size: float, hole: float, kinds: list[str]) -> None:
    """An M6 standoff with its stud drawn plain: the tap hole is as wide as the thread's core, a bore is not."""
    standoff = box(16 * size, 12 * size, 30 * size).union(disc(3 * size, 40 * size).translate((0, 0, -10 * size)))
    base = plate(120 * size, 90 * size, 10 * size, [(0, 0)], hole / 2 * size).translate((0, 0, -10 * size))
    found = recognised(tmp_path, {"base": (base, (0, 0, 0)), "standoff": (standoff, (0, 0, 0))})
    assert list(joints(found).values()) == kinds


def test_how_sure_it_is_is_said_of_the_number_alone(tmp_path: Path) -> None:
    """It was "about 100 % sure" above "that does not make the rest sure"."""
    found = recognised(tmp_path, {"a": (box(40, 40, 10), (0, 0, 0)), "b": (box(40, 40, 10), (0, 0, 10))})
    held = replace(found, bodies=tuple(replace(b, bonds=()) for b in found.bodies), joints=())
    assert "100 % sure" not in freedoms_text(held)
    two = replace(found, freedoms=2, bodies=held.bodies, joints=(), findings=())
    assert freedoms_text(two).startswith("2 degrees of freedom, a number that nothing unsure changes.")
    assert "number of degrees of freedom" in NOTHING_LEFT
