"""Joints that other parts imply, or a name: a disc where two bodies meet, a rack on its pinion, a wheel."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from cadbridge.recognition.choice.calibration import of_joint
from tests.late import cq
from tests.recognition.gear_shapes import outline
from tests.recognition.solids import Parts, at, box, disc, joints, plate, read, recognised


def two_links(radius: float, shift: float, bolted: bool = False) -> cq.Assembly:
    """A block with a disc in its pocket, which a square arm lies on; the disc `shift` mm from the middle of the two."""
    pocket = disc(radius + 0.2, 8).translate((shift, 0, 22))
    block, arm = box(60, 60, 30).cut(pocket), box(160, 60, 20).translate((50, 0, 30))
    if bolted:
        for x in (-25, 25):
            block = block.cut(disc(2, 60).translate((x, 25, 0)))
            arm = arm.cut(disc(2, 60).translate((x, 25, 0)))
    made = cq.Assembly(name="made").add(block, name="block").add(arm, name="arm")
    screw = disc(2, 8).union(disc(4, 3).translate((0, 0, -3)))  # more than links alone
    block_screw = made.add(screw, name="M4x8 screw", loc=at(-20, -20, -3))
    return block_screw.add(disc(radius, 7.9), name="disc", loc=at(shift, 0, 22))


def test_links_that_lie_on_each_other_about_a_disc_turn_on_it(tmp_path: Path) -> None:
    found = read(tmp_path, two_links(20, 0))
    assert joints(found) == {frozenset(("block", "arm")): "revolute"}
    (joint,) = found.joints
    assert joint.point[:2] == pytest.approx([0, 0], abs=1e-9)
    assert joint.axis is not None
    assert abs(joint.axis[2]) == pytest.approx(1)
    assert joint.confidence == of_joint(0.5)
    assert found.freedoms == 1


@pytest.mark.parametrize(("radius", "shift", "bolted"), [(20, 0, True), (5, 0, False), (8, 20, False)])
def test_what_is_bolted_or_a_dowel_or_aside_is_no_pivot(
    tmp_path: Path, radius: float, shift: float, bolted: bool
) -> None:
    assert frozenset(("block", "arm")) not in joints(read(tmp_path, two_links(radius, shift, bolted)))


def turntable(shift: float, lip: float) -> cq.Assembly:
    """A table whose lip stands in the wide bore of a foot, `shift` mm beside its axis, and reaches into its rim."""
    foot = box(140, 140, 50).union(box(300, 60, 10)).cut(disc(38, 50))
    table = disc(40, 4).union(disc(lip, 3).translate((0, 0, -3))).cut(disc(3, 10).translate((20, 0, -5)))
    made = cq.Assembly(name="made").add(table, name="table", loc=at(shift, 0, 49))
    for k, x in enumerate((-140, -120, -100, 100, 120, 140)):  # what is placed exactly says that all is
        foot = foot.cut(disc(3, 10).translate((x, 10, 0)))
        made.add(disc(3, 10), name=f"pin{k}", loc=at(x, 10, 0))
    return made.add(foot, name="foot").add(box(20, 20, 60), name="arm", loc=at(shift, 0, 53))


def test_a_disc_a_little_beside_the_axis_of_its_bore_turns_in_it(tmp_path: Path) -> None:
    found = read(tmp_path, turntable(0.08, 37.5))
    assert joints(found) == {frozenset(("foot", "table")): "revolute"}


def test_a_disc_in_a_bore_that_does_not_fit_it_rests(tmp_path: Path) -> None:
    assert joints(read(tmp_path, turntable(0.08, 30))) == {}


def pinion(teeth: int, module: float, width: float) -> cq.Workplane:
    """A wheel about the z axis on z = 0, a gap between two teeth towards -y, with a bore of 5 mm."""
    points = outline(teeth, module, points=2) @ np.array([[0, -1], [1, 0]])  # its first tooth from +x to -y
    turned = np.pi / teeth
    c, s = np.cos(turned), np.sin(turned)
    points = points @ np.array([[c, s], [-s, c]])
    return cq.Workplane().polyline([tuple(p) for p in points.tolist()]).close().extrude(width).cut(disc(2.5, width))


def rack(teeth: int, module: float, width: float) -> cq.Workplane:
    """Teeth along x, out along y, a tooth about x = 0; the pitch line is y = 0."""
    pitch, slope = np.pi * module, np.tan(np.radians(20))
    low, high = np.pi * module / 4 + 1.25 * module * slope, np.pi * module / 4 - module * slope
    points = [(-teeth // 2 * pitch - pitch / 2, -4 * module)]
    for k in range(-(teeth // 2), teeth // 2 + 1):
        x = k * pitch
        points += [(x - low, -1.25 * module), (x - high, module), (x + high, module), (x + low, -1.25 * module)]
    points.append((teeth // 2 * pitch + pitch / 2, -4 * module))
    return cq.Workplane().polyline([(float(x), float(y)) for x, y in points]).close().extrude(width)


@pytest.mark.parametrize("carried", [True, False])
def test_a_rack_slides_on_what_its_pinion_turns_on(tmp_path: Path, carried: bool) -> None:
    """The rack rests on the plate beside the pinion's post; without a pinion on the plate it is fixed there."""
    post = disc(2.5, 30).translate((0, 0, 10)).union(disc(8, 8).translate((0, 0, 10)))
    plate = box(200, 120, 10).union(post)
    made = cq.Assembly(name="made").add(plate, name="plate")
    made.add(rack(12, 2, 10).translate((0, -12, 0)), name="bar", loc=at(0, 0, 10))
    if carried:
        made.add(pinion(12, 2, 10), name="pinion", loc=at(0, 0, 18))
    found = read(tmp_path, made)
    slides = {pair for pair, kind in joints(found).items() if kind == "prismatic"}
    assert slides == ({frozenset(("plate", "bar"))} if carried else set())
    assert found.freedoms == int(carried)


@pytest.mark.parametrize(
    ("name", "turns"), [("front wheel", True), ("guide pulley", True), ("servo arm", True), ("cover", False)]
)
def test_a_wheel_by_its_name_turns_on_a_stub_that_reaches_into_it(tmp_path: Path, name: str, turns: bool) -> None:
    knuckle = box(30, 40, 40).translate((-15, 0, -20)).union(cq.Workplane("YZ").circle(6).extrude(5))
    made = cq.Assembly(name="made").add(knuckle, name="knuckle")
    made.add(cq.Workplane("YZ").circle(40).extrude(20).translate((4, 0, 0)), name=name)
    screw = disc(2, 8).union(disc(4, 3).translate((0, 0, -3)))
    found = read(tmp_path, made.add(screw, name="M4x8 screw", loc=at(-25, 15, -23)))
    assert joints(found) == ({frozenset(("knuckle", name)): "revolute"} if turns else {})


@pytest.mark.parametrize(("name", "turns"), [("hex bearing", True), ("insert", False)])
def test_a_hexagonal_shaft_turns_in_a_bearing_by_its_name(name: str, turns: bool, tmp_path: Path) -> None:
    """The bore is drawn narrower than the shaft, so that nothing but the name tells the two from a pressed fit."""
    across = 2 / math.sqrt(3)
    ring = cq.Workplane().circle(14.3).polygon(6, 12.6 * across).extrude(8)
    shaft = cq.Workplane().polygon(6, 13.2 * across).extrude(120).edges("|Z").fillet(0.4)
    parts: Parts = {
        "plate": (plate(120, 80, 6, [(15, 5)], 14.3), (0, 0, 0)),
        name: (ring, (15, 5, -1)),
        "post": (box(20, 20, 80), (-40, 0, 6)),
        "M4x12 screw": (disc(2, 12).union(disc(4, 3).translate((0, 0, -3))), (-40, 30, 0)),
        "shaft": (shaft, (15, 5, -50)),
    }
    found = recognised(tmp_path, parts)
    shown = [joint for joint in found.joints if "goes through a bearing" in joint.evidence[0]]
    assert [joint.type for joint in shown] == ["revolute"] * turns
    if turns:
        assert shown[0].point[:2] == pytest.approx([0.015, 0.005])
