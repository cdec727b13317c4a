"""Rods with a screw in each end, between two plates."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition import Recognition
from tests.late import cq
from tests.recognition.solids import at, box, joints, read


def frame(folder: Path, name: str, rod: cq.Workplane, sides: tuple[int, ...] = (-1, 1)) -> Recognition:
    """A channel across x with a rod along x between its walls, and screws through some of these into the rod."""
    holes = cq.Workplane("YZ").center(0, 40).circle(2.1).extrude(100, both=True)
    walls = box(116, 40, 60).cut(box(100, 40, 60).translate((0, 0, 8))).cut(holes)
    tapped = cq.Workplane("YZ").circle(2).extrude(14)
    rod = rod.cut(tapped.translate((-50, 0, 0))).cut(tapped.translate((36, 0, 0)))
    made = cq.Assembly(name="made").add(walls, name="channel").add(rod, name=name, loc=at(0, 0, 40))
    screw = cq.Workplane("YZ").circle(2).extrude(-20).union(cq.Workplane("YZ").circle(4).extrude(4))
    for side in sides:
        place = cq.Location((58 * side, 0, 40), (0, 0, 1), 0 if side > 0 else 180)
        made.add(screw, name=f"M4x20 screw {side + 2}", loc=place)
    return read(folder, made)


def hexagon() -> cq.Workplane:
    return cq.Workplane("YZ").polygon(6, 14).extrude(50, both=True)


def test_a_rod_with_a_screw_in_each_end_is_of_the_frame(tmp_path: Path) -> None:
    found = frame(tmp_path, "axle", hexagon())
    assert len(found.bodies) == 1
    assert found.joints == ()


def test_so_is_one_whose_screws_are_not_drawn(tmp_path: Path) -> None:
    """Their holes go on in the walls, and nothing else would turn with the rod."""
    rod, found = "axle", frame(tmp_path, "axle", hexagon(), sides=())
    assert len(found.bodies) == 1
    assert any(bond.instance == rod and "screw in each end" in bond.reason for bond in found.bodies[0].bonds)


@pytest.mark.parametrize(
    ("name", "wide", "sides"),
    [("roller", 0, (-1, 1)), ("axle", 0, (1,)), ("cradle", 30, (-1, 1))],
    ids=["a roller", "one screw", "a cradle"],
)
def test_a_roller_a_cradle_and_what_one_screw_holds_turn(
    tmp_path: Path, name: str, wide: float, sides: tuple[int, ...]
) -> None:
    rod = hexagon().union(box(80, 10, wide).translate((0, 0, -wide))) if wide else hexagon()
    assert joints(frame(tmp_path, name, rod, sides)) == {frozenset(("channel", name)): "revolute"}


def test_on_an_axle_in_a_bore_wheels_turn(tmp_path: Path) -> None:
    """Their holes are in line with those in its ends, and the wheels lie on them; it runs in a bore of the chassis."""
    along_x = cq.Workplane("YZ")
    axle = along_x.circle(4).extrude(30, both=True).cut(along_x.circle(1).extrude(30, both=True))
    chassis = box(30, 40, 20).translate((0, 0, -10)).cut(along_x.circle(4.2).extrude(30, both=True))
    wheel = along_x.circle(15).circle(1).extrude(6)
    made = cq.Assembly(name="made").add(chassis, name="chassis").add(axle, name="axle")
    made.add(wheel, name="left", loc=at(30, 0, 0)).add(wheel, name="right", loc=at(-36, 0, 0))
    found = read(tmp_path, made)
    assert [j.type for j in found.joints] == ["revolute"] * 2
    assert not any("screw in each end" in bond.reason for body in found.bodies for bond in body.bonds)
