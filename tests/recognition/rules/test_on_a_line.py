"""Several bodies that turn on one line: what of them turns with what, where motors, bearings and horns stand there."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.recognition import Recognition, recognise
from tests.late import cq
from tests.recognition.solids import Parts, at, box, disc, joints, link, plate, read, recognised, tube


def along_y(shape: cq.Workplane) -> cq.Workplane:
    return shape.rotate((0, 0, 0), (1, 0, 0), -90)


def bodies(found: Recognition) -> set[frozenset[str]]:
    return {frozenset(body.instances) for body in found.bodies}


def servo(lugs: bool) -> cq.Workplane:
    """A case from y = 0 to 30 mm with a spline of radius 3 mm that stands 4 mm out of it; screwed on by two lugs."""
    case = along_y(box(20, 40, 30).translate((0, 0, 0)).union(disc(3, 4).translate((0, 0, 30))))
    taps = cq.Workplane("XZ").pushPoints([(-7, -16), (7, -16), (-7, 16), (7, 16)]).circle(1.5).extrude(-8)
    return case.cut(taps) if lugs else case


@pytest.mark.parametrize("name", ["servo", "block"])
def test_two_wheels_on_one_line_turn_each_on_its_own_servo(tmp_path: Path, name: str) -> None:
    """Chassis and servos are one body, and called a drive by their names; without them the shapes say the same."""
    chassis = cq.Workplane("XZ").rect(60, 60).extrude(-6).translate((0, -6, 0))
    chassis = chassis.cut(
        cq.Workplane("XZ").pushPoints([(-7, -16), (7, -16), (-7, 16), (7, 16)]).circle(1.5).extrude(20)
    )
    wheel = along_y(disc(30, 8).cut(disc(3.02, 3.5)))
    left, right = servo(True), servo(True).rotate((0, 0, 0), (0, 0, 1), 180)
    parts: Parts = {
        "chassis": (chassis, (0, 0, 0)),
        f"{name} left": (left, (0, 0, 0)),
        f"{name} right": (right, (0, -6, 0)),
        "left wheel": (wheel, (0, 30.5, 0)),
        "right wheel": (wheel.rotate((0, 0, 0), (0, 0, 1), 180), (0, -36.5, 0)),
    }
    found = recognised(tmp_path, parts)
    base = frozenset({"chassis", f"{name} left", f"{name} right"})
    assert bodies(found) == {base, frozenset({"left wheel"}), frozenset({"right wheel"})}


def test_what_stands_on_what_a_drive_turns_turns_with_it(tmp_path: Path) -> None:
    """A wheel about the boss of a horn, on whose disc it lies; a lug of the horn reaches out."""
    horn = disc(21, 2).union(disc(5, 2.7)).union(box(60, 6, 1.5).translate((20, 0, 0))).cut(disc(3.02, 2))
    wheel = tube(33, 5.05, 9).cut(box(80, 12, 2).translate((0, 20, 4)))
    parts: Parts = {
        "servo": (servo(False).rotate((0, 0, 0), (1, 0, 0), 90), (0, 0, 0)),
        "horn": (horn, (0, 0, 31.5)),
        "wheel": (wheel, (0, 0, 33.5)),
    }
    assert joints(recognised(tmp_path, parts)) == {frozenset({"servo", "wheel"}): "revolute"}


@pytest.mark.parametrize("flat", [False, True])
def test_a_servo_drawn_beside_the_arm_that_holds_it_is_mounted_there(tmp_path: Path, flat: bool) -> None:
    """Its horn is screwed to the base; the arm has a bore about that, and the servo touches nothing but its horn."""
    ring = [(6.0, 0.0), (0.0, 6.0), (-6.0, 0.0), (0.0, -6.0)]
    pattern = cq.Workplane().pushPoints(ring).circle(1).extrude(20)
    horn = disc(8, 2.5).union(disc(2.5, 4).translate((0, 0, -4))).cut(pattern)
    base = box(60, 60, 6).cut(pattern).cut(disc(2, 6))
    case = box(20, 34, 26).translate((0, 10, -29.5)).cut(disc(2.52, -2.3 + 6).translate((0, 0, -7)))
    arm = box(60, 40, 2.5).translate((20, 10, 0)).cut(disc(8.5, 2.5))
    if flat:
        # What carries it goes on to another joint; a wheel about the horn would not.
        parts: Parts = {"XL-330": (case, (0, 0, 0)), "horn": (horn, (0, 0, 0)), "base": (base, (0, 0, 2.5))}
        lever = plate(60, 12, 3, [(-20, 0)], 2).translate((20, 0, 0))
        parts |= {"arm": (arm.union(disc(2, 3).translate((45, 10, -3))), (0, 0, 0)), "lever": (lever, (45, 10, -3))}
        flat_made = recognised(tmp_path, parts)
        assert bodies(flat_made) == {
            frozenset({"base", "horn"}),
            frozenset({"XL-330", "arm"}),
            frozenset({"lever"}),
        }
        return
    own = cq.Assembly(name="XL-330").add(case, name="case").add(horn, name="horn")
    module = cq.Assembly(name="arm").add(own, name="XL-330").add(arm, name="plate")
    made = cq.Assembly(name="made").add(module, name="arm").add(base, name="base", loc=at(0, 0, 2.5))
    made.export(str(tmp_path / "made.step"))
    found = recognise(cb.read(tmp_path / "made.step"))
    assert bodies(found) == {frozenset({"base", "arm/XL-330/horn"}), frozenset({"arm/XL-330/case", "arm/plate"})}


@pytest.mark.parametrize(("width", "turns"), [(0, True), (16, False)])
def test_a_shaft_in_two_bearings_of_one_housing_is_no_dowel(tmp_path: Path, width: float, turns: bool) -> None:
    """Bearings drawn as one part; square blocks hold it."""
    housing = box(30, 110, 30).cut(box(40, 90, 24).translate((0, 0, 6)))
    housing = housing.cut(along_y(disc(8, 120)).translate((0, -60, 20)))
    bearing = along_y(box(width, width, 5).cut(disc(2.5, 5)) if width else tube(8, 2.5, 5))
    parts: Parts = {
        "housing": (housing, (0, 0, 0)),
        "left": (bearing, (0, 47, 20)),
        "right": (bearing, (0, -52, 20)),
        "shaft": (along_y(disc(2.5, 100)).translate((0, -50, 20)), (0, 0, 0)),
    }
    found = recognised(tmp_path, parts)
    assert (joints(found).get(frozenset({"housing", "shaft"})) == "revolute") == turns


@pytest.mark.parametrize(
    ("apart", "pairs"),
    [(1, {("collar0", "rod"), ("collar0", "collar1")}), (40, {("collar0", "rod"), ("collar1", "rod")})],
)
def test_parts_far_apart_on_a_rod_turn_on_it_and_not_on_each_other(
    tmp_path: Path, apart: float, pairs: set[tuple[str, str]]
) -> None:
    collar = box(16, 12, 4).translate((4, 0, 0)).cut(disc(2, 4))
    rod = disc(2, 30 + apart).translate((0, 0, -11))
    parts: Parts = {"collar0": (collar, (0, 0, 0)), "collar1": (collar, (0, 0, 4 + apart)), "rod": (rod, (0, 0, 0))}
    assert joints(recognised(tmp_path, parts)) == {frozenset(pair): "revolute" for pair in pairs}


@pytest.mark.parametrize(("name", "kind"), [("FinalPiston", "cylindrical"), ("part", "revolute")])
def test_a_piston_by_its_name_slides_in_its_cylinder_however_short_it_is(tmp_path: Path, name: str, kind: str) -> None:
    block = box(60, 40, 20).cut(disc(7, 20))
    part = disc(7, 14).union(box(40, 6, 4).translate((10, 0, 14)))
    found = recognised(tmp_path, {"block": (block, (0, 0, 0)), name: (part, (0, 0, 12))})
    assert [j.type for j in found.joints] == [kind]


def test_levers_in_one_fork_turn_on_the_cheeks_that_they_lie_on(tmp_path: Path) -> None:
    """They stand 1.2 mm apart: their holes are in line, but they touch the fork and not each other."""
    cheek = link(40, 4.0).rotate((0, 0, 0), (0, 0, 1), 180)
    fork = (
        cheek.translate((0, 0, -4)).union(cheek.translate((0, 0, 7.2))).union(box(8, 16, 15.2).translate((-44, 0, -4)))
    )
    own = cq.Assembly(name="own").add(fork, name="fork")  # nested: no model of links alone
    made = cq.Assembly(name="made").add(own, name="own")
    made.add(link(40), name="low").add(link(60), name="high", loc=at(0, 0, 4.2))
    assert joints(read(tmp_path, made)) == {frozenset(("own/fork", name)): "revolute" for name in ("low", "high")}


def test_a_piston_by_its_name_slides_by_its_skirt_and_turns_on_its_pin(tmp_path: Path) -> None:
    """Three quarters of it stand in the bore, as a plug would; something else moves, too."""
    block = box(60, 60, 40).cut(disc(15, 40)).union(disc(3, 20).translate((24, 24, 40)))
    pin = cq.Workplane("YZ").circle(3).extrude(9, both=True)
    skirt = disc(15, 24).cut(box(18, 12, 14)).union(pin.translate((0, 0, 8)))
    rod = cq.Workplane("YZ").circle(5).circle(3).extrude(3, both=True).translate((0, 0, 8))
    rod = rod.union(box(6, 4, 30).translate((0, 0, -26)))
    parts: Parts = {
        "block": (block, (0, 0, 0)), "piston": (skirt, (0, 0, -6)), "rod": (rod, (0, 0, -6)),
        "lever": (tube(7, 3, 8).union(box(40, 6, 4).translate((26, 0, 2))), (24, 24, 40)),
    }  # fmt: skip
    assert joints(recognised(tmp_path, parts)) == {
        frozenset(("block", "piston")): "cylindrical",
        frozenset(("piston", "rod")): "revolute",
        frozenset(("block", "lever")): "revolute",
    }


@pytest.mark.parametrize("lever", [False, True])
def test_what_only_slides_and_turns_in_its_bores_is_no_clamp_where_all_does(tmp_path: Path, lever: bool) -> None:
    """Plungers in their cylinders, and nothing else: bound, nothing would move. Beside a lever each has a clamp."""
    block = plate(80, 40, 40, [(-20, 0), (20, 0)], 8).union(cq.Workplane().center(0, 12).circle(3).extrude(60))
    plunger = cq.Workplane().circle(8).extrude(60).faces(">Z").workplane().rect(6, 6).extrude(10)
    parts: Parts = {"block": (block, (0, 0, 0)), "left": (plunger, (-20, 0, 8)), "right": (plunger, (20, 0, 8))}
    parts |= {"lever": (link(40), (0, 12, 45))} if lever else {}
    found = recognised(tmp_path, parts)
    assert [joint.type for joint in found.joints] == (["revolute"] if lever else ["cylindrical", "cylindrical"])
    text = "could slide and turn on its rod, and carries nothing: a clamp that is not drawn"
    assert [bond.reason for body in found.bodies for bond in body.bonds] == [text, text] * lever
