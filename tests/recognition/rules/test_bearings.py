"""Shafts in bearings: one freedom a line of shafts, whatever stands on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition import Recognition
from tests.late import cq
from tests.recognition.solids import Parts, box, joints, recognised, tube


def _frame(radius: float) -> cq.Workplane:
    """A channel along x, with bores of a radius at a height of 40 in its two walls, each 8 thick and 60 apart."""
    walls = box(60, 40, 60).translate((0, 0, 0)).cut(box(44, 40, 60).translate((0, 0, 8)))
    return walls.cut(_along_x(cq.Workplane().circle(radius).extrude(60), -30))


def _along_x(shape: cq.Workplane, x: float) -> cq.Workplane:
    """A solid about z as one about the line along x at a height of 40, from x on."""
    return shape.rotate((0, 0, 0), (0, 1, 0), 90).translate((x, 0, 40))


def _bodies(found: Recognition) -> set[frozenset[str]]:
    return {frozenset(body.instances) for body in found.bodies}


def _at(shapes: dict[str, cq.Workplane]) -> Parts:
    return {name: (shape, (0.0, 0.0, 0.0)) for name, shape in shapes.items()}


def _shaft() -> cq.Workplane:
    return _along_x(cq.Workplane().circle(4).extrude(120), -40)


def _lever() -> cq.Workplane:
    return box(30, 14, 8).translate((11, 0, 0)).cut(cq.Workplane().circle(4.05).extrude(8))


def test_what_stands_on_a_shaft_in_bearings_of_one_part_turns_with_it(tmp_path: Path) -> None:
    bearing = tube(13, 4, 6).union(tube(14.5, 13, 1))
    shapes = {
        "frame": _frame(13.1), "shaft": _shaft(),
        "left": _along_x(bearing, -29), "right": _along_x(bearing, 23),
        "wheel": _along_x(tube(30, 4.1, 10), 40), "spacer": _along_x(tube(6, 4.1, 7), 33),
    }  # fmt: skip
    found = recognised(tmp_path, _at(shapes))
    assert _bodies(found) == {frozenset({"frame", "left", "right"}), frozenset({"shaft", "wheel", "spacer"})}
    assert list(joints(found).values()) == ["revolute"]


def test_two_plain_rings_in_each_other_are_a_bearing(tmp_path: Path) -> None:
    shapes = {"frame": _frame(11.1), "shaft": _shaft(), "lever": _along_x(_lever(), 50)}
    for name, x in (("left", -29), ("right", 23)):
        shapes[f"{name} inner"] = _along_x(tube(6, 4.03, 6), x)
        shapes[f"{name} outer"] = _along_x(tube(11, 9.4, 6), x)
    found = recognised(tmp_path, _at(shapes))
    turning = {"shaft", "lever", "left inner", "right inner"}
    assert _bodies(found) == {frozenset(turning), frozenset({"frame", "left outer", "right outer"})}
    assert list(joints(found).values()) == ["revolute"]


def test_a_wheel_with_bearings_of_its_own_turns_on_its_axle(tmp_path: Path) -> None:
    wheel, bearing = tube(24, 13.05, 6), tube(13, 4, 6)
    shapes = {"frame": _frame(4.02), "axle": _shaft(), "bearing": _along_x(bearing, 0), "wheel": _along_x(wheel, 0)}
    found = recognised(tmp_path, _at(shapes))
    assert frozenset({"wheel", "bearing"}) in _bodies(found)
    assert list(joints(found).values()) == ["revolute"]


def test_a_plate_of_the_frame_about_the_shaft_does_not_turn(tmp_path: Path) -> None:
    bearing = tube(13, 4, 6)
    plate = box(3, 40, 60).translate((31.5, 0, 0)).cut(_along_x(cq.Workplane().circle(4.3).extrude(20), 25))
    shapes = {
        "frame": _frame(13.1), "plate": plate, "shaft": _shaft(),
        "left": _along_x(bearing, -29), "right": _along_x(bearing, 23), "lever": _along_x(_lever(), 50),
    }  # fmt: skip
    found = recognised(tmp_path, _at(shapes))
    assert _bodies(found) == {frozenset({"frame", "plate", "left", "right"}), frozenset({"shaft", "lever"})}


def test_a_link_that_lies_beside_a_bearing_and_hangs_on_another_link_turns(tmp_path: Path) -> None:
    bearing = tube(13, 4, 6)
    link = box(3, 40, 60).translate((31.5, 0, 0)).cut(_along_x(cq.Workplane().circle(4.3).extrude(20), 25))
    link = link.cut(_along_x(cq.Workplane().circle(3.02).extrude(20), 25).translate((0, 12, 8)))
    rod = (
        box(3, 14, 60)
        .translate((34.5, 12, 8))
        .cut(_along_x(cq.Workplane().circle(3.02).extrude(20), 25).translate((0, 12, 8)))
    )
    pin = _along_x(cq.Workplane().circle(3).extrude(6), 30).translate((0, 12, 8))
    shapes = {
        "frame": _frame(13.1), "link": link, "rod": rod, "pin": pin, "shaft": _shaft(),
        "left": _along_x(bearing, -29), "right": _along_x(bearing, 23), "lever": _along_x(_lever(), 50),
    }  # fmt: skip
    found = recognised(tmp_path, _at(shapes))
    assert not any({"frame", "link"} <= body for body in _bodies(found))


def test_a_short_hollow_shaft_turns_in_a_bearing_of_one_part(tmp_path: Path) -> None:
    wall = box(8, 60, 80).cut(_along_x(cq.Workplane().circle(13).extrude(8), -4))
    sleeve = _along_x(tube(10, 8, 12).union(tube(15, 8, 3).translate((0, 0, 12))), -4)
    shapes = {"wall": wall, "sleeve": sleeve, "6800 bearing": _along_x(tube(13, 10, 6), -3)}
    found = recognised(tmp_path, _at(shapes))
    assert _bodies(found) == {frozenset({"wall", "6800 bearing"}), frozenset({"sleeve"})}
    assert list(joints(found).values()) == ["revolute"]


@pytest.mark.parametrize(("name", "turns"), [("SFU1605-350", True), ("M12x110 threaded rod", False), ("bar", False)])
def test_a_ball_screw_in_the_blocks_of_its_ends_is_no_dowel(tmp_path: Path, name: str, turns: bool) -> None:
    rod = _along_x(cq.Workplane().circle(6).extrude(110), -55)
    places = [(x, y) for x in (-40, 40) for y in (-20, 20)]
    holes = cq.Workplane().pushPoints(places).circle(2).extrude(100, both=True)
    left, right = (box(20, 60, 60).translate((x, 0, 0)).cut(rod).cut(holes) for x in (-40, 40))
    plate = box(160, 60, 10).translate((0, 0, -10)).cut(holes)
    shapes = {"plate": plate, "left block": left, "right block": right, name: rod}
    assert (len(recognised(tmp_path, _at(shapes)).joints) == 1) is turns
