"""Motors that are one part with their shaft: the wheel on it turns, the bracket about its pilot does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.recognition import recognise
from cadbridge.recognition.choice.hypotheses import parts_of
from cadbridge.recognition.hints import Hints
from tests.late import cq
from tests.recognition.gear_shapes import outline
from tests.recognition.solids import Parts, disc, plate, recognised


def at(z: float) -> cq.Location:
    return cq.Location(cq.Vector(0, 0, z))


def motor() -> cq.Workplane:
    """A case of 25 mm with a pilot of 7 and a shaft of 4 mm, upwards; the case begins at z = 0."""
    case = cq.Workplane().circle(12.5).extrude(40)
    pilot = cq.Workplane(origin=(0, 0, 40)).circle(3.5).extrude(3)
    return case.union(pilot).union(cq.Workplane(origin=(0, 0, 43)).circle(2).extrude(12))


def wheel(bore: float) -> cq.Workplane:
    rim = cq.Workplane().circle(30).circle(26).extrude(14)
    hub = cq.Workplane().circle(8).extrude(14)
    return rim.union(hub).union(cq.Workplane().rect(54, 6).extrude(4)).cut(cq.Workplane().circle(bore).extrude(14))


def drive(name: str, off: float) -> Parts:
    """A bracket about the pilot, a wheel on the shaft drawn `off` mm beside it, and a cap in the wheel."""
    bracket = plate(60, 60, 3, [(0, 0)], 3.95)
    cap = cq.Workplane().circle(25.9).circle(12).extrude(5)
    return {
        "bracket": (bracket, (0, 0, 40)),
        name: (motor(), (0, 0, 0)),
        "wheel": (wheel(4.5), (off, 0, 44)),
        "cap": (cap, (off, 0, 53)),
    }


@pytest.mark.parametrize("off", [0.0, 1.8])
def test_a_wheel_on_the_shaft_of_a_motor_turns_about_its_bore_with_what_is_in_it(tmp_path: Path, off: float) -> None:
    found = recognised(tmp_path, drive("DC gear motor", off))
    (joint,) = found.joints
    assert joint.type == "revolute"
    assert joint.axis is not None
    assert np.linalg.norm(np.cross(joint.point - np.array([1e-3 * off, 0, 0]), joint.axis)) < 1e-6
    sides = {frozenset(found.bodies[k].instances) for k in (joint.a, joint.b)}
    assert sides == {frozenset(("bracket", "DC gear motor")), frozenset(("wheel", "cap"))}
    assert (len(joint.against) > 0) == (off > 0)
    assert found.drives == 1


def test_a_wheel_beside_the_shaft_of_a_motor_is_asked_about_with_it(tmp_path: Path) -> None:
    """It touches nothing there: asked about with the largest part of the other body, a right answer found no axis."""
    parts = drive("DC gear motor", 1.8) | {"bracket": (plate(200, 200, 3, [(0, 0)], 3.95), (0, 0, 40))}
    found = recognised(tmp_path, parts)
    (joint,) = found.joints
    pair = parts_of(found, joint)
    assert set(pair) == {"DC gear motor", "wheel"}
    said = recognise(found.assembly, hints=Hints().having("joint", (pair,)))
    assert "CB1642" not in {f.code for f in said.findings}
    assert [j.type for j in said.joints] == ["revolute"]
    assert [b.instances for b in said.bodies] == [b.instances for b in found.bodies]


def test_two_wheels_across_a_vehicle_turn_each_by_its_own_motor(tmp_path: Path) -> None:
    """One was bound to the other, whose bore lies on the same line: the two turned as one."""
    case = cq.Workplane().box(20, 20, 40).translate((0, 0, 20)).union(cq.Workplane().circle(3).extrude(50))
    wheel = cq.Workplane().circle(30).extrude(14).cut(cq.Workplane().circle(10).extrude(7))
    parts: Parts = {
        "chassis": (cq.Workplane().box(6, 60, 100), (13, 0, 0)),
        "DC gear motor 1": (case, (0, 0, 10)),
        "DC gear motor 2": (case.rotate((0, 0, 0), (1, 0, 0), 180), (0, 0, -10)),
        "wheel 1": (wheel, (0, 0, 52)),
        "wheel 2": (wheel.rotate((0, 0, 7), (1, 0, 7), 180), (0, 0, -66)),
    }
    found = recognised(tmp_path, parts)
    assert found.drives == 2
    assert sorted(tuple(b.instances) for b in found.bodies) == [
        ("DC gear motor 1", "DC gear motor 2", "chassis"), ("wheel 1",), ("wheel 2",),
    ]  # fmt: skip
    assert found.freedoms == 2


def test_without_a_name_nothing_says_that_it_is_a_motor(tmp_path: Path) -> None:
    found = recognised(tmp_path, drive("thing", 1.8))
    assert found.drives == 0
    assert not any("motor" in text for j in found.joints for text in j.evidence)


def test_a_part_on_a_rod_that_could_slide_and_turn_and_carries_nothing_is_clamped(tmp_path: Path) -> None:
    base = plate(120, 60, 10, [], 1).union(cq.Workplane().center(-40, 0).circle(4).extrude(200))
    base = base.union(cq.Workplane().center(20, 0).circle(4).extrude(18))
    runner = cq.Workplane().box(30, 30, 26, centered=(True, True, False)).cut(cq.Workplane().circle(4.1).extrude(26))
    parts: Parts = {
        "base": (base, (0, 0, 0)),
        "lever": (plate(40, 12, 4, [(0, 0)], 4), (20, 0, 10)),
        "runner": (runner, (-40, 0, 93.317)),
    }
    found = recognised(tmp_path, parts)
    (joint,) = found.joints
    assert "lever" in {found.bodies[k].name for k in (joint.a, joint.b)}
    (bond,) = [b for body in found.bodies for b in body.bonds if "runner" in (b.instance, b.to)]
    assert "clamp" in bond.reason


@pytest.mark.parametrize("called", ["NEMA 17", "thing"])
def test_the_case_of_a_motor_goes_with_the_plate_about_its_pilot(tmp_path: Path, called: str) -> None:
    """A motor of two parts, called one as a sub-assembly; its pilot has play in a plate, and no screw is drawn."""
    case = cq.Workplane().rect(42, 42).extrude(40).union(cq.Workplane().circle(11).extrude(42))
    case = case.cut(cq.Workplane().circle(2.6).extrude(42)).cut(cq.Workplane().circle(9).extrude(32))
    case = case.union(cq.Workplane().rect(42, 42).extrude(4))
    flat = cq.Workplane().rect(5, 5).extrude(12).translate((0, 4, 38))
    shaft = cq.Workplane().circle(2.5).extrude(50).cut(flat).union(cq.Workplane().circle(8).extrude(20))
    lever = cq.Workplane().rect(40, 12).extrude(6).translate((10, 0, 42)).cut(shaft)
    made = cq.Assembly(name="made").add(plate(120, 120, 6, [(0, 0)], 11.25), name="plate", loc=at(40))
    own = cq.Assembly(name=called).add(case, name="cuerpo").add(shaft, name="eje", loc=at(10))
    made.add(own, name=called).add(lever, name="lever", loc=at(10))
    made.export(str(tmp_path / "made.step"))
    found = recognise(cb.read(tmp_path / "made.step"))
    held = {frozenset((b.instance, b.to)) for body in found.bodies for b in body.bonds}
    assert (frozenset((f"{called}/cuerpo", "plate")) in held) == (called == "NEMA 17")


@pytest.mark.parametrize(("name", "turns"), [("motor v3", 1), ("bottle", 0), ("linear actuator", 0)])
def test_the_shaft_of_a_motor_turns_with_the_propeller_though_both_are_parts(
    tmp_path: Path, name: str, turns: int
) -> None:
    """The shaft was a pin in the case, which turned with it in its ring; the propeller's bore is wider."""
    case = cq.Workplane().circle(12.5).extrude(30).cut(cq.Workplane(origin=(0, 0, 10)).circle(2).extrude(20))
    ring = cq.Workplane().rect(80, 30).extrude(8).cut(cq.Workplane().circle(12.55).extrude(8))
    propeller = cq.Workplane().rect(120, 10).extrude(3).union(disc(5, 6)).cut(disc(3, 6))
    parts: Parts = {
        "arm": (ring, (0, 0, 4)),
        name: (case, (0, 0, 0)),
        "rod": (disc(2, 40), (0, 0, 10)),
        "propeller": (propeller, (0, 0, 40)),
    }
    found = recognised(tmp_path, parts)
    shaft = [j for j in found.joints if "sticks out of motor v3" in j.evidence[0]]
    assert len(shaft) == turns
    if turns:
        assert {tuple(b.instances) for b in found.bodies} == {("arm", "motor v3"), ("propeller", "rod")}
        assert (found.freedoms, found.drives) == (1, 1)


def with_a_flat(radius: float, length: float, depth: float = 0.6) -> cq.Workplane:
    """A round bar along z with a flat all along."""
    return cq.Workplane().circle(radius).extrude(length).cut(
        cq.Workplane().rect(2 * radius, radius).extrude(length).translate((0, 1.5 * radius - depth, 0))
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "about", "joints"),
    [("NEMA 17 stepper", "frame", 0), ("thing", "frame", 1), ("NEMA 17 stepper", "drive wheel", 1)],
)
def test_a_stepper_of_which_no_screw_and_no_pulley_is_drawn_is_held_about_its_pilot(
    tmp_path: Path, name: str, about: str, joints: int
) -> None:
    """It was the ground, and the frame turned on its pilot. A wheel that fits the pilot turns."""
    frame = plate(60, 60, 3, [(0, 0)], 3.6).union(cq.Workplane().box(4, 60, 40).translate((28, 0, 20)))
    found = recognised(tmp_path, {about: (frame, (0, 0, 40)), name: (motor(), (0, 0, 0))})
    assert len(found.joints) == joints


def test_a_pinion_whose_bore_is_not_round_stands_on_the_shaft_about_which_its_teeth_are(tmp_path: Path) -> None:
    """The pinion of a small stepper, with a slot for two flats, rested on the case and was welded to it."""
    line = [(1e3 * x, 1e3 * y) for x, y in outline(14, 1e-3, points=2)]
    pinion = cq.Workplane().polyline(line).close().extrude(6).cut(cq.Workplane().rect(3.5, 5).extrude(6))
    bracket = plate(60, 60, 3, [(0, 0)], 3.6).union(cq.Workplane().box(4, 60, 40).translate((28, 0, 20)))
    parts: Parts = {
        "bracket": (bracket, (0, 0, 40)),
        "28BYJ-48": (motor(), (0, 0, 0)),
        "pinion": (pinion, (0, 0, 43)),
    }
    found = recognised(tmp_path, parts)
    assert {tuple(b.instances) for b in found.bodies} == {("28BYJ-48", "bracket"), ("pinion",)}
    assert (found.freedoms, [j.type for j in found.joints]) == (1, ["revolute"])


@pytest.mark.parametrize("form", ["case", "turned", "encoder"])
def test_the_flat_of_a_thin_shaft_turns_with_the_bore_and_not_with_the_case(tmp_path: Path, form: str) -> None:
    """A gearmotor, a turned shaft, an encoder with its screw holes; none of them is called so."""
    case = cq.Workplane().rect(40, 24).extrude(30) if form == "case" else cq.Workplane().circle(19).extrude(30)
    if form == "encoder":
        case = case.cut(cq.Workplane(origin=(0, 0, 20)).pushPoints(_ring(14)).circle(1.5).extrude(10))
    bar = with_a_flat(3, 14).translate((0, 0, 30))
    # Wide enough that the bore is guided: a rod with a flat would slide there.
    arm = cq.Workplane().box(70, 14, 10).translate((25, 0, 38)).cut(with_a_flat(3, 14).translate((0, 0, 30)))
    found = recognised(tmp_path, {"thing": (case.union(bar), (0, 0, 0)), "arm": (arm, (0, 0, 0))})
    assert [j.type for j in found.joints] == ([] if form == "turned" else ["revolute"])
    for joint in found.joints:
        assert joint.axis is not None
        assert abs(joint.axis[2]) == pytest.approx(1.0)
        assert np.allclose(joint.point[:2], 0.0)
        assert "with a flat on that of the bore" in joint.evidence[0]


def test_wheels_on_both_ends_of_a_motors_shaft_are_one_body(tmp_path: Path) -> None:
    case = cq.Workplane().rect(40, 24).extrude(20).translate((8, 0, -10))
    shaft = with_a_flat(2.5, 40).translate((0, 0, -20))
    hub = cq.Workplane().circle(12).extrude(8).cut(with_a_flat(2.5, 8))
    parts: Parts = {"thing": (case.union(shaft), (0, 0, 0)), "one": (hub, (0, 0, 11)), "two": (hub, (0, 0, -19))}
    found = recognised(tmp_path, parts)
    assert {frozenset(body.instances) for body in found.bodies} == {frozenset({"thing"}), frozenset({"one", "two"})}
    assert [joint.type for joint in found.joints] == ["revolute"]


def test_a_case_with_a_flat_is_held_by_its_mount(tmp_path: Path) -> None:
    case = with_a_flat(10, 30, 2).union(with_a_flat(3, 14).translate((0, 0, 30)))
    mount = cq.Workplane().rect(40, 40).extrude(12).cut(with_a_flat(10, 12, 2))
    arm = cq.Workplane().box(70, 14, 10).translate((25, 0, 38)).cut(with_a_flat(3, 14).translate((0, 0, 30)))
    found = recognised(tmp_path, {"motor": (case, (0, 0, 0)), "mount": (mount, (0, 0, 4)), "arm": (arm, (0, 0, 0))})
    assert {frozenset(body.instances) for body in found.bodies} == {frozenset({"motor", "mount"}), frozenset({"arm"})}


def _ring(radius: float) -> list[tuple[float, float]]:
    return [(radius * np.cos(a), radius * np.sin(a)) for a in np.arange(4) * np.pi / 2]


@pytest.mark.parametrize("screwed", [True, False])
def test_what_is_pinned_on_a_shaft_turns_in_a_case_that_is_screwed_down_about_it(tmp_path: Path, screwed: bool) -> None:
    case = cq.Workplane().circle(20).extrude(40).union(cq.Workplane(origin=(0, 0, 40)).circle(3).extrude(24))
    pin = cq.Workplane("XZ").center(0, 54).circle(1).extrude(12, both=True)
    holes = cq.Workplane(origin=(0, 0, 30)).pushPoints(_ring(12)).circle(2).extrude(10)
    hub = cq.Workplane(origin=(0, 0, 46)).circle(12).circle(3.1).extrude(16).cut(pin)
    shapes = {
        "case": case.cut(holes if screwed else pin).cut(pin),
        "mount": plate(60, 60, 4, [(0, 0)], 8).cut(holes.translate((0, 0, -30))).translate((0, 0, 40)),
        "hub": hub.union(cq.Workplane().box(60, 8, 10).translate((40, 0, 54))), "pin": pin,
    }  # fmt: skip
    found = recognised(tmp_path, {name: (shape, (0, 0, 0)) for name, shape in shapes.items()})
    bodies = {frozenset(body.instances) for body in found.bodies}
    if screwed:
        assert bodies == {frozenset({"case", "mount"}), frozenset({"hub", "pin"})}
        assert [joint.type for joint in found.joints] == ["revolute"]
    else:
        assert any({"case", "hub", "pin"} <= body for body in bodies)


@pytest.mark.parametrize("name", ["gimbal motor", "flange"])
def test_what_is_screwed_to_both_faces_of_a_flat_motor_turns(tmp_path: Path, name: str) -> None:
    below = cq.Workplane().pushPoints(_ring(15)).circle(2).extrude(8)
    above = cq.Workplane(origin=(0, 0, 14)).pushPoints(_ring(10)).circle(1.5).extrude(16)
    shapes = {
        name: cq.Workplane().circle(25).extrude(20).cut(below).cut(above),
        "base": plate(80, 80, 5, _ring(15), 2).translate((0, 0, -5)),
        "arm": plate(160, 30, 5, [], 1.5).translate((60, 0, 20)).cut(above),
    }
    found = recognised(tmp_path, {name: (shape, (0, 0, 0)) for name, shape in shapes.items()})
    assert [joint.type for joint in found.joints] == ["revolute"] * (name != "flange")
    if found.joints:
        assert {frozenset(body.instances) for body in found.bodies} == {frozenset({name, "base"}), frozenset({"arm"})}


def test_the_plate_to_which_motors_are_screwed_does_not_turn_on_their_shafts(tmp_path: Path) -> None:
    """Both shafts go through it with room; the second motor is drawn 0.7 mm off it, and shows no screw."""
    taps = cq.Workplane(origin=(0, 0, 34)).pushPoints(_ring(9)).circle(1.25).extrude(6)
    case = cq.Workplane().circle(12.5).extrude(40).cut(taps)
    case = case.union(cq.Workplane(origin=(0, 0, 40)).circle(2).extrude(14))
    holes = [(x + 50 * k, y) for k in (0, 1) for x, y in _ring(9)]
    room = cq.Workplane().pushPoints([(0, 0), (50, 0)]).circle(6).extrude(6)
    hub = cq.Workplane().circle(9).circle(2.1).extrude(6)
    parts: Parts = {"plate": (plate(160, 60, 6, holes, 1.25).cut(room), (0, 0, 40))}
    for k, name in enumerate(("NEMA 11", "17HS19-2004S1")):
        parts |= {name: (case, (50 * k, 0, -0.7 * k)), f"hub {k}": (hub, (50 * k, 0, 47.5 - 0.7 * k))}
    found = recognised(tmp_path, parts)
    assert {frozenset(body.instances) for body in found.bodies} == {
        frozenset({"plate", "NEMA 11", "17HS19-2004S1"}), frozenset({"hub 0"}), frozenset({"hub 1"})
    }  # fmt: skip
    assert [joint.type for joint in found.joints] == ["revolute", "revolute"]


@pytest.mark.parametrize("called", ["gun", "gearbox"])
def test_a_wheel_in_the_sub_assembly_of_a_motor_turns_unless_that_is_called_a_drive(
    tmp_path: Path, called: str
) -> None:
    own = cq.Assembly(name=called).add(motor(), name="JGY-370").add(wheel(2.1), name="wheel", loc=at(44))
    made = cq.Assembly(name="made").add(plate(60, 60, 3, [(0, 0)], 3.95), name="bracket", loc=at(40))
    made.add(own, name=called).export(str(tmp_path / "made.step"))
    found = recognise(cb.read(tmp_path / "made.step"))
    reasons = [text for joint in found.joints for text in joint.evidence]
    assert any("a motor by its name" in text for text in reasons) == (called == "gun")


def test_a_pulley_drawn_with_too_narrow_a_bore_turns_on_the_shaft(tmp_path: Path) -> None:
    bracket = plate(60, 60, 3, [(0, 0)], 3.95)
    parts: Parts = {
        "bracket": (bracket, (0, 0, 40)),
        "NEMA 11": (motor(), (0, 0, 0)),
        "pulley": (wheel(1.6), (0, 0, 44)),
    }
    found = recognised(tmp_path, parts)
    assert [(j.type, found.bodies[j.b].name) for j in found.joints] == [("revolute", "pulley")]


@pytest.mark.parametrize(
    ("name", "off", "joined"), [("NEMA 11", 0, True), ("NEMA 11", 0.5, False), ("block", 0, False)]
)
def test_a_pulley_drawn_without_a_bore_turns_on_the_shaft_of_a_motor(
    tmp_path: Path, name: str, off: float, joined: bool
) -> None:
    parts: Parts = {
        "bracket": (plate(60, 60, 3, [(0, 0)], 3.95), (0, 0, 40)),
        name: (motor(), (0, 0, 0)),
        "pulley": (cq.Workplane().circle(8).extrude(14), (off, 0, 44)),
    }
    found = recognised(tmp_path, parts)
    on_shaft = [j for j in found.joints if "a motor by its name" in j.evidence[0]]
    assert [found.bodies[j.b].name for j in on_shaft] == (["pulley"] if joined else [])
