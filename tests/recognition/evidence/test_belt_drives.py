"""Belt drives: two toothed pulleys in one plane, with and without the belt around them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import CouplingKind
from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from cadbridge.recognition import Recognition, mates_text, read_recognised, recognise, recognition_document
from tests.late import cq
from tests.recognition import gear_shapes
from tests.recognition.solids import at, box, disc

AWAY = 40.0


def pulley(teeth: int) -> cq.Workplane:
    outer = teeth / math.pi - 0.254
    points = [tuple(p) for p in gear_shapes.notched(teeth, outer - 0.18, 0.555, outer)]
    return cq.Workplane().polyline(points).close().extrude(7).faces(">Z").workplane().hole(4)


def outline(low: float, high: float) -> cq.Workplane:
    """A loop about two circles `AWAY` apart, filled, 6 mm high."""
    lean = math.asin((high - low) / AWAY)
    c, s = math.cos(lean), -math.sin(lean)
    ends = [(low * s, low * c), (AWAY + high * s, high * c), (AWAY + high * s, -high * c), (low * s, -low * c)]
    return (
        cq.Workplane().moveTo(*ends[0]).lineTo(*ends[1]).threePointArc((AWAY + high, 0), ends[2]).lineTo(*ends[3])
        .threePointArc((-low, 0), ends[0]).close().extrude(6)
    )  # fmt: skip


def band(low: float, high: float) -> cq.Workplane:
    """A smooth band of 0.3 mm, whose back has these radii."""
    return outline(low, high).cut(outline(low - 0.3, high - 0.3)).translate((0, 0, 0.5))


Wheels = dict[str, tuple["cq.Workplane", float]]
"""Solids by their names, with how far along x they stand, mm."""


def assembled(folder: Path, wheels: Wheels, belt: cq.Workplane | None) -> tuple[Recognition, int]:
    """What is recognised in wheels on the studs of a plate, perhaps with a belt, and the freedoms."""
    plate = cq.Workplane().box(120, 60, 10).translate((30, 0, -7)).faces(">Z").workplane(origin=(0, 0, 0))
    plate = plate.pushPoints([(0, 0), (AWAY, 0)]).circle(2).extrude(12)
    made = cq.Assembly(name="drive").add(plate, name="base")
    for name, (wheel, x) in wheels.items():
        made.add(wheel, name=name, loc=cq.Location(cq.Vector(x, 0, 0)))
    if belt is not None:
        made.add(belt, name="band")
    made.export(str(folder / "drive.step"))
    assembly, found = read_recognised(folder / "drive.step")
    return found, diagnose(build(assembly)).mobility.dof


def drive(folder: Path, with_belt: bool) -> tuple[Recognition, int]:
    """A drive of 12 and 24 teeth; the belt's back runs 0.35 mm outside of their pitch circles."""
    belt = band(12 / math.pi + 0.35, 24 / math.pi + 0.35) if with_belt else None
    return assembled(folder, {"small": (pulley(12), 0.0), "large": (pulley(24), AWAY)}, belt)


def test_a_belt_around_two_pulleys_couples_them_by_their_teeth(tmp_path: Path) -> None:
    found, dof = drive(tmp_path, with_belt=True)
    (gear,) = found.gears
    assert (gear.kind, sorted(gear.teeth), gear.against) == (CouplingKind.BELT, [12, 24], "")
    assert gear.ratio in (pytest.approx(2.0), pytest.approx(0.5))
    assert any("band runs around both" in text for text in gear.evidence)
    assert (len(found.bodies), len(found.joints), dof) == (3, 2, 1)
    assert "CB1608" not in {f.code for f in found.findings}


def test_without_a_belt_the_drive_is_a_comment(tmp_path: Path) -> None:
    found, dof = drive(tmp_path, with_belt=False)
    (gear,) = found.gears
    assert gear.against
    assert dof == 2
    text = mates_text(found)
    assert "\ngears:" not in text
    assert "#    type: belt" in text


def plain(radius: float, width: float = 7.0) -> cq.Workplane:
    return cq.Workplane().circle(radius).circle(2).extrude(width)


def test_a_smooth_band_couples_its_wheels_by_the_radii_to_its_middle(tmp_path: Path) -> None:
    found, dof = assembled(tmp_path, {"small": (plain(10), 0.0), "large": (plain(20), AWAY)}, band(10.3, 20.3))
    (gear,) = found.gears
    assert (gear.kind, gear.against, set(gear.instances)) == (CouplingKind.BELT, "", {"small", "large"})
    assert gear.radii == pytest.approx((0.01015, 0.02015), rel=1e-6)
    assert gear.ratio == pytest.approx(20.15 / 10.15, rel=1e-6)
    assert (len(found.joints), dof) == (2, 1)
    assert "    radii: [10.15, 20.15]\n" in mates_text(found)
    (listed,) = recognition_document(found)["gears"]
    assert (listed["teeth"], listed["radii"]) == (None, list(gear.radii or ()))


def test_a_band_around_nothing_is_no_belt(tmp_path: Path) -> None:
    found, dof = assembled(tmp_path, {}, band(10.3, 20.3))
    assert (found.gears, dof) == ((), 0)


def test_a_flange_beside_a_band_is_not_its_wheel(tmp_path: Path) -> None:
    """Half of the band's width must lie on a wheel."""
    found, _ = assembled(tmp_path, {"small": (plain(10), 0.0), "flange": (plain(20, 1.5), AWAY)}, band(10.3, 20.3))
    assert found.gears == ()


def slack_drive(folder: Path, name: str) -> Path:
    """Two pulleys on their pins, and a strip that lies on both, drawn in no shape that a belt has."""
    base = box(160, 60, 10)
    for x in (-50, 50):
        base = base.union(disc(5, 30).translate((x, 0, 10)))
    wheel, strip = disc(20, 10).cut(disc(5, 10)), box(140, 42, 1).cut(box(100, 20, 1))
    for x in (-50, 50):
        strip = strip.cut(disc(8, 1).translate((x, 0, 0)))
    made = cq.Assembly(name="drive").add(base, name="base").add(strip, name=name, loc=at(0, 0, 20))
    made.add(wheel, name="left pulley", loc=at(-50, 0, 10)).add(wheel, name="right pulley", loc=at(50, 0, 10))
    file = folder / "drive.step"
    made.export(str(file))
    return file


@pytest.mark.parametrize(("name", "turn"), [("GT2 belt 200", True), ("belt clamp", False)])
def test_a_belt_by_its_name_does_not_hold_its_pulleys_together(tmp_path: Path, name: str, turn: bool) -> None:
    found = recognise(cb.read(slack_drive(tmp_path, name)))
    assert (found.freedoms == 2) == turn
    assert [f.items for f in found.findings if f.code == "CB1655"] == [(name,)] * turn


def test_a_belt_that_couples_nothing_does_once_it_is_written_under_gears(tmp_path: Path) -> None:
    """As the cure of CB1655 says."""
    file = slack_drive(tmp_path, "belt")
    text = mates_text(recognise(cb.read(file)))
    assert "\ngears:" not in text
    a, b = ({"component": f"{side} pulley", "point": [0, 0, 5], "axis": [0, 0, 1]} for side in ("left", "right"))
    written = file.with_suffix(".mates.yaml")
    belt = {"name": "belt", "type": "belt", "radii": [20, 20], "a": a, "b": b}
    written.write_text(f"{text}gears:\n  - {json.dumps(belt)}\n")
    assert diagnose(build(cb.read(file, mates=written))).mobility.dof == 1
