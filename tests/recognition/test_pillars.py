"""Standoffs, spacers and posts between two plates."""

from __future__ import annotations

from pathlib import Path

import cadquery as cq
import pytest

from tests.recognition.solids import Parts, box, disc, joints, link, plate, recognised, tube

PLACES = [(25.0, 15.0), (-25.0, 15.0), (25.0, -15.0), (-25.0, -15.0)]
PILLARS = {
    "hexagon": cq.Workplane().polygon(6, 6.4).extrude(15).cut(disc(1.25, 15)),
    "post": disc(3, 15),
    "tube": tube(3, 1.6, 15),
    "square": box(6, 6, 15),
}


def plates(pillar: cq.Workplane, places: list[tuple[float, float]], name: str) -> Parts:
    """Two boards of 2 mm with holes at the pillars between them, 15 mm high."""
    board = plate(60, 40, 2, places, 1.6)
    made: Parts = {"low": (board, (0, 0, 0)), "high": (board, (0, 0, 17))}
    return made | {f"{name}{k}": (pillar, (x, y, 2)) for k, (x, y) in enumerate(places)}


@pytest.mark.parametrize("pillar", sorted(PILLARS))
@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("name", ["part", "z"])
def test_equal_pillars_hold_two_plates_and_turn_on_neither(tmp_path: Path, pillar: str, count: int, name: str) -> None:
    found = recognised(tmp_path, plates(PILLARS[pillar], PLACES[:count], name))
    assert joints(found) == {}
    assert len(found.bodies) == 1


def test_two_equal_links_between_two_plates_are_no_pillars(tmp_path: Path) -> None:
    """A parallelogram: each link turns on the low plate by one end, and on the high one by the other."""
    low, high = (plate(80, 30, 3, [(x, 0) for x in places], 3) for places in ((-20.0, 20.0), (-20.0, 20.0)))
    parts: Parts = {"low": (low, (0, 0, 0)), "high": (high, (30, 0, 6))}
    for k, x in enumerate((-20.0, 20.0)):
        parts[f"link{k}"] = (link(30), (x, 0, 3))
    found = recognised(tmp_path, parts)
    assert list(joints(found).values()) == ["revolute"] * 4
