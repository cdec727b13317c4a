"""Hubs on shaft ends, and king pins about which one of two plates turns with room."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition.evidence.gathering import gather
from cadbridge.recognition.rules.bearing_units import find_units, journal_in_unit
from cadbridge.recognition.rules.pivots import Seen
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, joints, plate, recognised, tube


@pytest.mark.parametrize(("length", "kind"), [(15.5, "revolute"), (40.0, "cylindrical")])
@pytest.mark.parametrize("names", [("body", "part"), ("z", "a")])
def test_a_hub_on_the_end_of_a_shaft_turns_and_a_tube_slides_too(
    tmp_path: Path, length: float, kind: str, names: tuple[str, str]
) -> None:
    motor = box(42, 42, 40).translate((0, 0, -40)).union(disc(2.5, 24))
    hub = tube(7, 2.5, length).translate((0, 0, 12.0))
    found = recognised(tmp_path, {names[0]: (motor, (0, 0, 0)), names[1]: (hub, (0, 0, 0))})
    assert [j.type for j in found.joints] == [kind]


@pytest.mark.parametrize("names", [("low", "high", "pin"), ("a", "b", "c"), ("c", "b", "a")])
def test_a_king_pin_that_fits_one_of_two_plates_goes_with_it_and_the_other_turns(
    tmp_path: Path, names: tuple[str, str, str]
) -> None:
    """The plates stand 3 mm apart, and the hole of the low one has room for a bush."""
    low, high = plate(240, 240, 10, [(0, 0)], 8), plate(240, 220, 10, [(0, 0)], 12)
    pin = disc(16, 4).translate((0, 0, 23)).union(disc(12, 10).translate((0, 0, 13)))
    pin = pin.union(disc(5, 33).translate((0, 0, -10)))
    parts: Parts = {names[0]: (low, (0, 0, 0)), names[1]: (high, (0, 0, 13)), names[2]: (pin, (0, 0, 0))}
    found = recognised(tmp_path, parts)
    assert joints(found) == {frozenset(names[:2]): "revolute"}


@pytest.mark.parametrize("held", [False, True])
def test_a_flywheel_on_a_coupling_that_turns_is_fastened_there_unless_a_shoulder_holds_it(
    tmp_path: Path, held: bool
) -> None:
    """The coupling turns on a stud between a shoulder and its end; the wheel's bore is on its outside."""
    base = box(90, 90, 10).union(disc(4, 40))
    coupling = tube(16, 4, 24).union(box(50, 10, 3).cut(disc(4, 3)))
    coupling = coupling.union(tube(20, 4, 6)) if held else coupling
    wheel = tube(60, 16, 12).translate((0, 0, 6 if held else 8))
    parts: Parts = {"base": (base, (0, 0, 0)), "coupling": (coupling, (0, 0, 10)), "wheel": (wheel, (0, 0, 10))}
    found = recognised(tmp_path, parts)
    assert frozenset(("base", "coupling")) in joints(found) or not held
    assert len(found.joints) == 1 + held
    assert (found.body_of["wheel"] == found.body_of["coupling"]) != held


def test_a_horn_goes_with_the_serrated_shaft_whose_teeth_it_has(tmp_path: Path) -> None:
    """The shaft turns in its case with room; the flanks of its spline lie on those of the horn."""
    star = [
        (radius * math.cos(math.pi * k / 12), radius * math.sin(math.pi * k / 12))
        for k, radius in enumerate((3.0, 2.6) * 12)
    ]
    spline = cq.Workplane().polyline(star).close().extrude(4)
    shaft = disc(3, 20).union(spline.translate((0, 0, 20)))
    case = box(40, 20, 18).cut(disc(3.3, 18))
    horn = box(30, 8, 4).translate((11, 0, 0)).cut(spline)
    parts: Parts = {"case": (case, (0, 0, 0)), "shaft": (shaft, (0, 0, 0)), "horn": (horn, (0, 0, 20))}
    found = recognised(tmp_path, parts)
    assert {frozenset(body.instances) for body in found.bodies} == {frozenset({"case"}), frozenset({"horn", "shaft"})}
    assert list(joints(found).values()) == ["revolute"]


@pytest.mark.parametrize(("name", "turns"), [("pillow block", True), ("UCP201", True), ("support", False)])
def test_a_shaft_turns_in_bearings_with_their_housings_with_all_that_is_on_it(
    tmp_path: Path, name: str, turns: bool
) -> None:
    """A drum on a rod between two equal blocks: without their names, the rod is a rail and the drum its carriage."""
    bore = cq.Workplane("YZ").circle(6).extrude(200, both=True)
    block = box(16, 40, 30).translate((0, 0, -20)).cut(bore)
    parts: Parts = {
        "frame": (box(240, 80, 6), (0, 0, -26)),
        f"{name} A": (block, (-80, 0, 0)),
        f"{name} B": (block, (80, 0, 0)),
        "shaft": (cq.Workplane("YZ").circle(6).extrude(110, both=True), (0, 0, 0)),
        "vane": (box(20, 30, 30).translate((0, 0, -15)).cut(bore), (10, 0, 0)),
    }
    found = recognised(tmp_path, parts)
    if turns:
        assert joints(found) == {frozenset(("frame", "shaft")): "revolute"}
        assert found.body_of["vane"] == found.body_of["shaft"]
    else:
        assert found.body_of["shaft"] == found.body_of["frame"]


def test_two_bearings_of_a_shaft_are_of_one_body_though_each_is_on_a_plate_of_its_own(tmp_path: Path) -> None:
    """Plates that stand on a base, with nothing drawn that screws them there."""
    bore = cq.Workplane("YZ").circle(4).extrude(200, both=True)
    plate_, unit = box(8, 60, 80).translate((0, 0, -50)).cut(bore), box(8, 30, 48).translate((0, 0, -24)).cut(bore)
    parts: Parts = {
        "base": (box(220, 100, 8), (0, 0, -58)),
        "left": (plate_, (-96, 0, 0)), "right": (plate_, (96, 0, 0)),
        "KFL08_1": (unit, (-88, 0, 0)), "KFL08_2": (unit, (88, 0, 0)),
        "rod": (cq.Workplane("YZ").circle(4).extrude(110, both=True), (0, 0, 0)),
        "hub": (cq.Workplane("YZ").circle(25).circle(4).extrude(10), (0, 0, 0)),
    }  # fmt: skip
    found = recognised(tmp_path, parts)
    still = {found.body_of[name] for name in ("base", "left", "right", "KFL08_1", "KFL08_2")}
    assert (len(found.joints), found.joints[0].type, len(still)) == (1, "revolute", 1)


@pytest.mark.parametrize(
    ("name", "radius", "turns"),
    [("UCP204", 3.6, True), ("UCP204", 2.0, False), ("P201", 6.0, True), ("P201", 3.6, False), ("cap", 3.6, False)],
)
def test_a_roller_turns_in_a_bearing_that_was_taken_for_a_thinner_journal(
    tmp_path: Path, name: str, radius: float, turns: bool
) -> None:
    """Three times as wide as its bore it is no journal. What is numbered P201 is a bearing if its bore is 12 mm."""
    block = box(16, 40, 30).translate((0, 0, -20)).cut(cq.Workplane("YZ").circle(radius).extrude(10, both=True))
    made = cq.Assembly(name="made").add(block, name=name)
    made.add(cq.Workplane("YZ").circle(6).extrude(90, both=True), name="roller")
    made.export(str(tmp_path / "made.step"))
    scene = gather(cb.read(tmp_path / "made.step"), True).whole
    scene.units = find_units(scene)
    found = journal_in_unit(Seen(scene, (), ()), {name}, {"roller"})
    assert (found is not None) is turns
    assert found is None or found.verdict.type == "revolute"


@pytest.mark.parametrize(("name", "kind"), [("GT2 pulley", "revolute"), ("knob", None)])
def test_the_axle_of_a_pulley_turns_in_its_bores_with_no_ring_to_hold_it(
    tmp_path: Path, name: str, kind: str | None
) -> None:
    """What else could slide and turn on its rod is clamped, where other joints move: a lever on the base."""
    cheeks = box(20, 40, 40).translate((-40, 0, -20)).union(box(20, 40, 40).translate((40, 0, -20)))
    bore, axle = (cq.Workplane("YZ").circle(3).extrude(reach, both=True) for reach in (60, 36))
    axle = axle.cut(box(8, 6, 3).translate((0, 0, 2.4)))
    base = cheeks.union(box(90, 40, 5).translate((0, 0, -25))).cut(bore)
    parts: Parts = {
        "base": (
            base.union(disc(4, 20).translate((0, 60, -20))).union(box(40, 60, 5).translate((0, 40, -25))),
            (0, 0, 0),
        ),
        "axle": (axle, (0, 0, 0)),
        name: (cq.Workplane("YZ").circle(9).extrude(4, both=True).cut(axle), (0, 0, 0)),
        "lever": (tube(8, 4, 10).union(box(50, 8, 4).translate((32, 0, 3))), (0, 60, -20)),
    }
    found = joints(recognised(tmp_path, parts))
    assert found.get(frozenset(("base", name)), found.get(frozenset(("base", "axle")))) == kind


@pytest.mark.parametrize(("name", "turns"), [("front wheel", True), ("cap", False)])
def test_a_wheel_turns_on_a_spindle_with_no_shoulder(tmp_path: Path, name: str, turns: bool) -> None:
    """The hub stands in it with most of its length: in what is called otherwise it is a stub."""
    spindle = disc(12, 20).union(disc(18, 6).translate((0, 0, -6)))
    wheel = tube(40, 12, 18).translate((0, 0, 2))
    parts: Parts = {"hub": (spindle, (0, 0, 0)), name: (wheel, (0, 0, 0))}
    assert joints(recognised(tmp_path, parts)) == ({frozenset(("hub", name)): "revolute"} if turns else {})


def test_wheels_in_line_turn_on_their_own_hubs_which_stand_still(tmp_path: Path) -> None:
    """They are far from the frame, and their bores are in line: no hinge of the one on the other."""
    hub = cq.Workplane("YZ").circle(12).extrude(20).union(cq.Workplane("YZ").circle(18).extrude(6))
    wheel = cq.Workplane("YZ").circle(60).circle(12).extrude(14)
    parts: Parts = {"frame": (box(60, 200, 10), (0, 0, 120))}
    for side, x, way in (("left", -60, 1), ("right", 60, -1)):
        turn = 0 if way > 0 else 180
        parts[f"{side} hub"] = (hub.rotate((0, 0, 0), (0, 0, 1), turn), (x, 0, 0))
        parts[f"{side} wheel"] = (wheel, (x + 6 if way > 0 else x - 20, 0, 0))
    found = recognised(tmp_path, parts)
    still = found.body_of["frame"]
    base = found.bodies[still].name
    assert joints(found) == {frozenset((base, f"{side} wheel")): "revolute" for side in ("left", "right")}
    assert {found.body_of["left hub"], found.body_of["right hub"]} == {still}
