"""Slides that grip behind their rails: dovetails and profile rails, with play and without."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.solids import Parts, at, box, disc, joints, read, recognised


def dovetail(length: float, play: float = 0.0) -> cq.Workplane:
    """A bar along x whose walls lean outwards by 45° from a width of 12 to 20, `play` thicker all round."""
    foot, head = 6 + math.sqrt(2) * play, 10 + (1 + math.sqrt(2)) * play
    half = [(foot, -1), (foot, 0), (head, 4 + play)]
    outline = [*half, *((-y, z) for y, z in reversed(half))]
    return cq.Workplane("YZ").polyline(outline).close().extrude(length / 2, both=True)


def slide(play: float, rail: float = 100.0, slider: float = 30.0, stops: bool = False) -> cq.Assembly:
    """A plate with a dovetail along x, and a block about it; `stops`: with a wall before both ends of the block."""
    plate = box(rail, 50, 6).translate((0, 0, -6)).union(dovetail(rail))
    if stops:
        for x in (-slider / 2 - 2, slider / 2 + 2):
            plate = plate.union(box(4, 50, 12).translate((x, 0, 0)))
    block = box(slider, 40, 12).translate((0, 0, play)).cut(dovetail(slider, play))
    made = cq.Assembly(name="made").add(plate, name="plate").add(block, name="block")
    screw = disc(2, 8).union(disc(4, 3).translate((0, 0, -3)))  # more than links alone
    return made.add(screw, name="M4x8 screw", loc=at(40 if rail > 60 else 20, 20, -3))


@pytest.mark.parametrize("play", [0.0, 0.3])
def test_a_block_slides_along_its_dovetail(tmp_path: Path, play: float) -> None:
    found = read(tmp_path, slide(play))
    assert joints(found) == {frozenset(("plate", "block")): "prismatic"}
    (joint,) = found.joints
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)


@pytest.mark.parametrize(("rail", "slider", "stops"), [(50, 30, False), (100, 30, True)], ids=["short", "stops"])
def test_a_block_as_long_as_its_dovetail_or_between_walls_is_fixed(
    tmp_path: Path, rail: float, slider: float, stops: bool
) -> None:
    assert joints(read(tmp_path, slide(0.0, rail, slider, stops))) == {}


def test_a_bar_of_six_sides_in_its_socket_does_not_slide(tmp_path: Path) -> None:
    bar = cq.Workplane("YZ").polygon(6, 12).extrude(100).translate((-50, 0, 10))
    hub = box(30, 40, 20).cut(cq.Workplane("YZ").polygon(6, 12.2).extrude(100).translate((-50, 0, 10)))
    screw = disc(2, 8).union(disc(4, 3).translate((0, 0, -3)))
    parts: Parts = {"bar": (bar, (0, 0, 0)), "hub": (hub, (0, 0, 0)), "M4x8 screw": (screw, (0, 14, -3))}
    assert "prismatic" not in joints(recognised(tmp_path, parts)).values()


@pytest.mark.parametrize(("name", "moves"), [("GT2 belt", True), ("rubber band", True), ("stop", False)])
def test_a_belt_before_a_carriage_does_not_stop_it(tmp_path: Path, name: str, moves: bool) -> None:
    made = slide(0.0)
    for side in (-1, 1):
        made.add(box(12, 30, 6), name=f"{name} {side + 2}", loc=at(21 * side, 0, 4))
    assert ("prismatic" in joints(read(tmp_path, made)).values()) is moves
