"""Plates whose spacers are not drawn: what turns between them shows that they are one body."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.solids import Parts, link, plate, recognised, tube

HOLES = [(20.0, 0.0), (0.0, 20.0), (-20.0, 0.0), (0.0, -20.0)]
"""mm"""


@pytest.mark.parametrize(("holes", "one"), [(4, True), (3, False)])
def test_two_plates_with_levers_between_are_one_body_where_more_of_their_holes_are_in_line(
    tmp_path: Path, holes: int, one: bool
) -> None:
    """Two equal levers side by side have the holes of their pivots alone in line, and are two bodies."""
    side = plate(60, 60, 3, HOLES[:holes], 3)
    levers: Parts = {f"lever {k}": (link(40, 8), (x, y, 0)) for k, (x, y) in enumerate(HOLES[:2])}
    parts: Parts = {"lower": (side, (0, 0, -3)), "upper": (side, (0, 0, 8)), **levers}
    found = recognised(tmp_path, parts)
    bodies = {body.instances for body in found.bodies if {"lower", "upper"} & set(body.instances)}
    assert bodies == ({("lower", "upper")} if one else {("lower",), ("upper",)})
    assert [joint.type for joint in found.joints] == ["revolute"] * (2 if one else 4)
    reasons = [bond.reason for body in found.bodies for bond in body.bonds]
    assert reasons == ["the same bodies turn on both, and holes are in line on 4 lines"] * one


def test_two_wheels_of_a_vehicle_are_two_bodies(tmp_path: Path) -> None:
    """Their bolt circles are in line, but it is the vehicle alone that turns on both."""
    bolts = cq.Workplane().pushPoints([(x / 2, y / 2) for x, y in HOLES]).circle(2).extrude(8)
    wheel = tube(25, 5, 8).cut(bolts)
    vehicle = cq.Workplane().box(30, 80, 40, centered=(True, True, False)).translate((0, 0, 10))
    vehicle = vehicle.union(cq.Workplane().circle(5).extrude(60))
    parts: Parts = {"vehicle": (vehicle, (0, 0, 0)), "left": (wheel, (0, 0, 0)), "right": (wheel, (0, 0, 52))}
    found = recognised(tmp_path, parts)
    assert (len(found.joints), len(found.bodies)) == (2, 3)
