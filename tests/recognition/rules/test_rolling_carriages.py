"""Plates that roll along a profile on grooved wheels."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition import Recognition
from tests.late import cq
from tests.recognition.solids import at, box, disc, plate, read, tube

FOUR = [(-25.0, -18.0), (25.0, -18.0), (-25.0, 18.0), (25.0, 18.0)]


def carriage(
    folder: Path, places: list[tuple[float, float]], profile: cq.Workplane, bolted: bool, turn: float
) -> Recognition:
    """A profile along x, a plate above it, and wheels of radius 8 below the plate; turned about x (degrees)."""
    bolt = disc(2.5, 25).translate((0, 0, -25)).union(disc(4.5, 5)).cut(cq.Workplane().polygon(6, 4).extrude(5))
    wheel = tube(8, 2.5, 9)
    made, all_turned = cq.Assembly(name="made"), cq.Location((0, 0, 0), (1, 0, 0), turn)
    made.add(profile, name="profile", loc=all_turned)
    made.add(plate(80, 60, 4, places, 2.5), name="plate", loc=all_turned * at(12, 0, 15))
    for k, (x, y) in enumerate(places):
        made.add(wheel, name=f"wheel{k}", loc=all_turned * at(x + 12, y, -4.5))
        if bolted:
            made.add(bolt, name=f"bolt{k}", loc=all_turned * at(x + 12, y, 19))
    return read(folder, made)


@pytest.mark.parametrize("bolted", [False, True])
@pytest.mark.parametrize("turn", [0.0, 33.0])
@pytest.mark.parametrize("places", [FOUR, FOUR[:3]], ids=["four", "three"])
def test_a_plate_on_wheels_on_both_sides_of_a_profile_slides_along_it(
    tmp_path: Path, places: list[tuple[float, float]], turn: float, bolted: bool
) -> None:
    found = carriage(tmp_path, places, box(400, 19.8, 20).translate((0, 0, -10)), bolted, turn)
    (joint,) = found.joints
    assert joint.type == "prismatic"
    assert joint.axis is not None
    assert abs(joint.axis[0]) == pytest.approx(1.0)
    assert len(found.bodies) == 2


def test_a_plate_on_wheels_within_a_channel_slides_along_it(tmp_path: Path) -> None:
    channel = box(400, 80, 40).cut(box(400, 52.2, 40).translate((0, 0, 8))).translate((0, 0, -28))
    assert [j.type for j in carriage(tmp_path, FOUR, channel, True, 0.0).joints] == ["prismatic"]


def test_a_plate_on_wheels_on_one_side_of_a_profile_or_on_a_short_one_is_no_carriage(tmp_path: Path) -> None:
    row = [(x, 18.0) for x in (-25.0, 0.0, 25.0)]
    long, short = box(400, 19.8, 20).translate((0, 0, -10)), box(90, 19.8, 20).translate((12, 0, -10))
    for places, profile in ((row, long), (FOUR, short)):
        assert not any(j.type == "prismatic" for j in carriage(tmp_path, places, profile, True, 0.0).joints)
