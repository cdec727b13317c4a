"""Splined shafts turn with their hubs, and the hub on the splined output of a servo turns against that."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.late import cq
from tests.recognition.gear_shapes import outline
from tests.recognition.solids import Parts, box, disc, plate, recognised


def toothed(height: float, inside: bool = False) -> cq.Workplane:
    """What 20 teeth of module 1 mm fill, or the room that as many inner ones leave."""
    line = [(1e3 * x, 1e3 * y) for x, y in outline(20, 1e-3, inside=inside, points=2)]
    return cq.Workplane().polyline(line).close().extrude(height)


def train(name: str, splined: cq.Workplane) -> Parts:
    """A part with outer teeth from z = 0 to 10, a hub of as many inner ones, and a frame about the shaft of that."""
    hub = disc(16, 10).cut(toothed(10, inside=True)).union(disc(16, 4).union(disc(4, 30)).translate((0, 0, 10)))
    frame = plate(80, 80, 6, [(0, 0)], 4.05).translate((0, 0, 20)).union(box(6, 80, 46).translate((37, 0, -20)))
    return {name: (splined, (0, 0, 0)), "hub": (hub, (0, 0, 0)), "frame": (frame, (0, 0, 0))}


def test_a_splined_shaft_turns_with_its_hub(tmp_path: Path) -> None:
    found = recognised(tmp_path, train("shaft", toothed(10).union(disc(5, 12).translate((0, 0, -12)))))
    assert {tuple(b.instances) for b in found.bodies} == {("frame",), ("hub", "shaft")}
    assert any("20 teeth in as many of the other" in bond.reason for body in found.bodies for bond in body.bonds)
    assert "CB1608" not in {f.code for f in found.findings}, "they want no partner"


@pytest.mark.parametrize(("name", "turns"), [("servo MG995", 1), ("block", 0)])
def test_the_hub_on_the_splined_output_of_a_servo_turns(tmp_path: Path, name: str, turns: int) -> None:
    case = box(30, 60, 18).translate((0, 15, -20)).union(disc(5, 2).translate((0, 0, -2))).union(toothed(10))
    found = recognised(tmp_path, train(name, case))
    driven = [j for j in found.joints if "20 teeth in as many of the other" in j.evidence[0]]
    assert len(driven) == found.drives == turns
    assert not any("20 teeth" in bond.reason for body in found.bodies for bond in body.bonds)
