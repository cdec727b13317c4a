"""Wheels that touch nothing but each other's teeth: on shafts that are not round, and without a shaft."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition
from cadbridge.recognition.evidence.gathering import gather
from cadbridge.recognition.rules.axles import in_line
from tests.late import cq
from tests.recognition.gear_shapes import outline
from tests.recognition.solids import Parts, at, box, disc, joints, plate, read, recognised, tube

MODULE = 1.5
FEW, MANY = 16, 18
APART = MODULE * (FEW + MANY) / 2


@cache
def gear(teeth: int, turned: float) -> cq.Workplane:
    """A wheel of 10 mm with a hexagonal bore, 0.4 mm wider across flats than the shafts, turned by so many teeth."""
    points = [(1e3 * x, 1e3 * y) for x, y in outline(teeth, MODULE * 1e-3, points=2)]
    wheel = cq.Workplane().polyline(points).close().extrude(10)
    bore = cq.Workplane().polygon(6, 8.4 / math.cos(math.pi / 6)).extrude(10)
    return wheel.cut(bore).rotate((0, 0, 0), (0, 0, 1), 360 / teeth * turned)


def shaft() -> cq.Workplane:
    """A hexagonal rod of 8 mm across flats, with round ends in the plates, as far from a wheel as that is wide."""
    return cq.Workplane().polygon(6, 8 / math.cos(math.pi / 6)).extrude(60).union(disc(3, 68).translate((0, 0, -4)))


def frame(holes: list[float]) -> cq.Workplane:
    """Two plates with holes along x, and the wall that joins them."""
    plate = box(160, 80, 4).cut(cq.Workplane().pushPoints([(x, 0) for x in holes]).circle(3).extrude(4))
    return plate.translate((0, 0, -4)).union(plate.translate((0, 0, 60))).union(box(160, 4, 68).translate((0, 42, -4)))


def gearbox(folder: Path, shafts: list[float], name: str = "shaft") -> Recognition:
    """Two wheels that mesh, at x = 0 and beside it, and shafts at some of these places."""
    parts: Parts = {
        "frame": (frame(shafts), (0, 0, 0)),
        "small": (gear(FEW, 0), (0, 0, 25)),
        "large": (gear(MANY, 0.5), (APART, 0, 25)),
        **{f"{name} {k}": (shaft(), (x, 0, 0)) for k, x in enumerate(shafts)},
    }
    return recognised(folder, parts)


@pytest.mark.parametrize("name", ["shaft", "Hex 10-32 Tapped Screw"])
def test_a_wheel_turns_with_the_hexagonal_shaft_in_its_bore_whatever_that_is_called(tmp_path: Path, name: str) -> None:
    found = gearbox(tmp_path, [0.0, APART], name)
    body = found.body_of
    assert body["small"] == body[f"{name} 0"] != body["frame"]
    assert body["large"] == body[f"{name} 1"] != body["frame"]
    assert (found.freedoms, [g.couples for g in found.gears]) == (1, [True])


def test_a_wheel_without_a_shaft_turns_on_what_carries_its_partner(tmp_path: Path) -> None:
    found = gearbox(tmp_path, [0.0])
    (hinge,) = (j for j in found.joints if found.body_of["large"] in (j.a, j.b))
    assert {hinge.a, hinge.b} == {found.body_of["large"], found.body_of["frame"]}
    assert "its teeth mesh with those of small" in hinge.evidence[0]
    assert "no axle is drawn" in hinge.against
    assert (found.freedoms, [g.couples for g in found.gears]) == (1, [True])


def test_a_crank_whose_teeth_mesh_turns_on_what_carries_its_partner(tmp_path: Path) -> None:
    """The gripper's second crank was hinged to its finger alone: its axle is not drawn, and the jaws hung together."""
    far, up = APART + 40, 9.0

    def strip(length: float, turned: float) -> cq.Workplane:
        bar = cq.Workplane().slot2D(length + 8, 8).extrude(4).translate((length / 2, 0, 0))
        return bar.cut(cq.Workplane().pushPoints([(0, 0), (length, 0)]).circle(1.6).extrude(4)).rotate(
            (0, 0, 0), (0, 0, 1), turned
        )  # fmt: skip

    pin = disc(1.5, 10)
    post = disc(3, 41).union(pin.translate((0, 0, 41))).translate((far, 0, 0))
    parts: Parts = {
        "frame": (frame([0.0]).union(post), (0, 0, 0)),
        "small": (gear(FEW, 0), (0, 0, 25)),
        "shaft": (shaft(), (0, 0, 0)),
        "crank": (gear(MANY, 0.5).union(pin.translate((0, up, 10))), (APART, 0, 25)),
        "finger": (strip(40, 0).cut(pin.translate((40, 0, 0))).union(pin.translate((40, 0, 0))), (APART, up, 36)),
        "link": (strip(up, 90), (far, 0, 41)),
    }
    found = recognised(tmp_path, parts)
    (hinge,) = (j for j in found.joints if {j.a, j.b} == {found.body_of["crank"], found.body_of["frame"]})
    assert "its teeth mesh with those of small, which turns on what must hold both axes" in hinge.evidence[0]
    assert (found.freedoms, [g.couples for g in found.gears]) == (1, [True])


def test_of_two_wheels_that_mesh_and_lie_on_one_plate_one_turns(tmp_path: Path) -> None:
    parts: Parts = {
        "plate": (box(160, 80, 4), (0, 0, -4)),
        "small": (gear(FEW, 0), (0, 0, 0)),
        "large": (gear(MANY, 0.5), (APART, 0, 0)),
    }
    found = recognised(tmp_path, parts)
    assert found.body_of["small"] != found.body_of["large"]
    assert found.freedoms == 1


def test_wheels_that_mesh_turn_on_their_rods_and_are_not_clamped_there(tmp_path: Path) -> None:
    """Each could slide off its rod as well, and carries nothing: but it drives the other."""
    rods = box(160, 80, 10).union(disc(3, 120)).union(disc(3, 120).translate((APART, 0, 0)))
    wheels = {
        "small": (gear(FEW, 0).union(tube(6, 3.2, 30)), (0.0, 0.0, 22.0)),
        "large": (gear(MANY, 0.5).union(tube(6, 3.2, 30)), (APART, 0.0, 22.0)),
    }
    found = recognised(tmp_path, {"base": (rods, (0, 0, 0)), **wheels})
    assert joints(found) == {frozenset(("base", name)): "cylindrical" for name in wheels}
    assert [g.couples for g in found.gears] == [True]


def test_a_wheel_that_lies_on_what_carries_its_partner_turns_there(tmp_path: Path) -> None:
    parts: Parts = {
        "frame": (frame([0.0]), (0, 0, 0)),
        "shaft": (shaft(), (0, 0, 0)),
        "small": (gear(FEW, 0), (0, 0, 25)),
        "large": (gear(MANY, 0.5), (APART, 0, 25)),
        "rest": (box(20, 20, 25), (APART, 0, 0)),
    }
    found = recognised(tmp_path, parts)
    (hinge,) = (j for j in found.joints if found.body_of["large"] in (j.a, j.b))
    assert hinge.evidence == ("a wheel whose partner small turns on what it lies on",)
    assert (found.freedoms, [g.couples for g in found.gears]) == (1, [True])


def test_a_pinion_on_a_pin_of_what_holds_its_partner_keeps_its_hinge(tmp_path: Path) -> None:
    """That another part turns there as surely says nothing of the pinion: without its pin it would float."""
    dowels = [(APART - 10, 0.0), (APART + 10, 0.0)]
    base = box(200, 80, 10).union(disc(3, 24)).union(disc(3, 24).translate((-40, 0, 0)))
    base = base.union(cq.Workplane().pushPoints(dowels).circle(2).extrude(20))
    fixed = gear(MANY, 0.5).translate((APART, 0, 0)).cut(cq.Workplane().pushPoints(dowels).circle(2).extrude(10))
    parts: Parts = {
        "base": (base, (0, 0, 0)),
        "fixed": (fixed, (0, 0, 10)),
        "pinion": (gear(FEW, 0).union(tube(6, 3, 10)), (0, 0, 10)),
        "lever": (tube(8, 3, 10).union(box(40, 6, 4).translate((-26, 0, 3))), (-40, 0, 10)),
    }
    found = recognised(tmp_path, parts)
    assert found.body_of["fixed"] == found.body_of["base"]
    assert joints(found) == {frozenset(("base", name)): "revolute" for name in ("pinion", "lever")}


@pytest.mark.parametrize(("name", "turns"), [("Servo MG996R", True), ("block", False)])
def test_a_table_before_the_shaft_of_a_drive_turns_on_it_though_its_horn_is_not_drawn(
    tmp_path: Path, name: str, turns: bool
) -> None:
    case = box(40, 20, 36).union(disc(3, 4).translate((10, 0, 36)))
    table = box(90, 60, 3).cut(disc(3.75, 3))
    screw = disc(2, 8).union(disc(4, 3).translate((0, 0, -3)))
    parts: Parts = {name: (case, (0, 0, 0)), "table": (table, (10, 0, 40.4)), "M4x8 screw": (screw, (0, 0, -40))}
    found = joints(recognised(tmp_path, parts))
    assert found == ({frozenset((name, "table")): "revolute"} if turns else {})


@pytest.mark.parametrize(
    ("hole", "second", "turns"), [(12.5, False, True), (6.0, False, True), (8.0, False, False), (12.5, True, False)]
)
def test_what_its_sub_assembly_alone_holds_turns_on_the_one_line_that_it_shares(
    hole: float, second: bool, turns: bool, tmp_path: Path
) -> None:
    """The yoke of a caster, whose balls are not drawn, below its plate; holes for one screw, or two lines, hold it."""
    lines = [(0.0, 0.0), (30.0, 0.0)][: 1 + second]
    top = plate(100, 80, 4, lines, 6)
    yoke = plate(90, 60, 4, lines, hole)
    caster = cq.Assembly(name="caster").add(top, name="top").add(yoke, name="yoke", loc=at(0, 0, -10))
    made = cq.Assembly(name="made").add(caster).add(box(300, 200, 10), name="deck", loc=at(0, 0, 4))
    found = read(tmp_path, made)
    assert list(joints(found).values()) == ["revolute"] * turns


@pytest.mark.parametrize("round_outside", [True, False])
def test_a_bottle_in_its_holder_is_no_axle(tmp_path: Path, round_outside: bool) -> None:
    """It stands in a hole 1 mm wider and touches nothing; round all about, it is put in there."""
    shaft = disc(33.5, 120) if round_outside else disc(33.5, 40).union(box(300, 60, 80).translate((0, 0, 40)))
    made = cq.Assembly(name="made").add(plate(100, 100, 20, [(0, 0)], 34.5), name="holder", loc=at(0, 0, 5))
    made.add(shaft, name="bottle")
    made.export(str(tmp_path / "made.step"))
    scene = gather(cb.read(tmp_path / "made.step"), True).whole
    assert (in_line(scene, {"holder"}, {"bottle"}) is None) is round_outside


@pytest.mark.parametrize(("shaft", "hinged"), [(None, True), (5, False), (12, True)])
def test_what_is_round_about_the_shaft_of_a_third_part_does_not_turn_on_the_next(
    tmp_path: Path, shaft: int | None, hinged: bool
) -> None:
    """The case of a motor before the wall that its shaft goes through; a shaft wider than a hole is not in that."""
    made = cq.Assembly(name="made").add(plate(100, 100, 8, [(0, 0)], 9), name="wall", loc=at(0, 0, 12))
    made.add(plate(60, 60, 10, [(0, 0)], 17), name="case")
    if shaft is not None:
        made.add(disc(shaft, 80), name="shaft", loc=at(0, 0, -20))
    made.export(str(tmp_path / "made.step"))
    scene = gather(cb.read(tmp_path / "made.step"), True).whole
    assert (in_line(scene, {"wall"}, {"case"}) is not None) is hinged


def test_a_sunk_hole_before_another_is_for_a_screw(tmp_path: Path) -> None:
    sunk = plate(40, 40, 3, [(0, 0)], 1.1).cut(cq.Workplane(cq.Solid.makeCone(1.1, 2.1, 1.2)).translate((0, 0, 1.8)))
    made = (
        cq.Assembly(name="made")
        .add(sunk, name="horn")
        .add(plate(50, 50, 5, [(0, 0)], 1.6), name="lever", loc=at(0, 0, 4))
    )
    made.export(str(tmp_path / "made.step"))
    scene = gather(cb.read(tmp_path / "made.step"), True).whole
    assert in_line(scene, {"horn"}, {"lever"}) is None


@pytest.mark.parametrize(
    ("name", "aside", "turns"), [("NEMA17 stepper", 1.0, True), ("NEMA17 stepper", 2.0, False), ("block", 0.0, False)]
)
def test_a_lead_screw_before_the_shaft_of_a_drive_turns_though_the_coupling_is_not_drawn(
    tmp_path: Path, name: str, aside: float, turns: bool
) -> None:
    parts: Parts = {
        name: (box(42, 42, 40).translate((0, 0, -40)).union(disc(2.5, 20)), (0, 0, 0)),
        "screw": (disc(4, 200), (aside, 0, 20.9)),
    }
    assert joints(recognised(tmp_path, parts)) == ({frozenset((name, "screw")): "revolute"} if turns else {})
