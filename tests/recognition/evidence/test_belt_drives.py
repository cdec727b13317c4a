"""Belt drives: two toothed pulleys in one plane, with and without the belt around them."""

from __future__ import annotations

import math
from pathlib import Path

import cadquery as cq
import pytest

from cadbridge.assembly import CouplingKind
from cadbridge.diagnosis import diagnose
from cadbridge.mechanism import build
from cadbridge.recognition import Recognition, mates_text, read_recognised, recognition_document
from tests.recognition import gear_shapes

AWAY = 40.0


def pulley(teeth: int) -> cq.Workplane:
    outer = teeth / math.pi - 0.254
    points = [tuple(p) for p in gear_shapes.notched(teeth, outer - 0.18, 0.555, outer)]
    return cq.Workplane().polyline(points).close().extrude(7).faces(">Z").workplane().hole(4)


def belt(first: int, second: int) -> cq.Workplane:
    """A smooth band whose back runs 0.6 mm outside of both wheels' tips."""
    low, high = first / math.pi + 0.35, second / math.pi + 0.35
    lean = math.asin((high - low) / AWAY)

    def band(grow: float) -> cq.Workplane:
        a, b = low + grow, high + grow
        c, s = math.cos(lean), -math.sin(lean)
        ends = [(a * s, a * c), (AWAY + b * s, b * c), (AWAY + b * s, -b * c), (a * s, -a * c)]
        return (
            cq.Workplane().moveTo(*ends[0]).lineTo(*ends[1]).threePointArc((AWAY + b, 0), ends[2]).lineTo(*ends[3])
            .threePointArc((-a, 0), ends[0]).close().extrude(6)
        )  # fmt: skip

    return band(0).cut(band(-0.3)).translate((0, 0, 0.5))


def drive(folder: Path, with_belt: bool) -> tuple[Recognition, int]:
    """What is recognised in a drive of 12 and 24 teeth on a plate, and the freedoms."""
    plate = cq.Workplane().box(120, 60, 10).translate((30, 0, -7)).faces(">Z").workplane(origin=(0, 0, 0))
    plate = plate.pushPoints([(0, 0), (AWAY, 0)]).circle(2).extrude(12)
    made = cq.Assembly(name="drive").add(plate, name="base")
    made.add(pulley(12), name="small").add(pulley(24), name="large", loc=cq.Location(cq.Vector(AWAY, 0, 0)))
    if with_belt:
        made.add(belt(12, 24), name="band")
    made.export(str(folder / "drive.step"))
    assembly, found = read_recognised(folder / "drive.step")
    return found, diagnose(build(assembly)).mobility.dof


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


def smooth_drive(folder: Path, wheels: bool) -> tuple[Recognition, int]:
    """A flat belt of 0.3 mm around plain wheels of 10 and 20 mm, or the same loop as a frame around nothing."""
    low, high = 10.0, 20.0
    lean = math.asin((high - low) / AWAY)

    def loop(grow: float) -> cq.Workplane:
        a, b, c, s = low + grow, high + grow, math.cos(lean), -math.sin(lean)
        return (
            cq.Workplane().moveTo(a * s, a * c).lineTo(AWAY + b * s, b * c)
            .threePointArc((AWAY + b, 0), (AWAY + b * s, -b * c)).lineTo(a * s, -a * c)
            .threePointArc((-a, 0), (a * s, a * c)).close().extrude(6)
        )  # fmt: skip

    plate = cq.Workplane().box(120, 60, 10).translate((30, 0, -7)).faces(">Z").workplane(origin=(0, 0, 0))
    plate = plate.pushPoints([(0, 0), (AWAY, 0)]).circle(2).extrude(12)
    made = cq.Assembly(name="drive").add(plate, name="base")
    if wheels:
        for name, radius, x in (("small", low, 0.0), ("large", high, AWAY)):
            wheel = cq.Workplane().circle(radius).circle(2).extrude(7)
            made.add(wheel, name=name, loc=cq.Location(cq.Vector(x, 0, 0)))
    made.add(loop(0.3).cut(loop(0.0)).translate((0, 0, 0.5)), name="band")
    made.export(str(folder / "drive.step"))
    assembly, found = read_recognised(folder / "drive.step")
    return found, diagnose(build(assembly)).mobility.dof


def test_a_smooth_band_couples_its_wheels_by_the_radii_to_its_middle(tmp_path: Path) -> None:
    found, dof = smooth_drive(tmp_path, wheels=True)
    (gear,) = found.gears
    assert (gear.kind, gear.against, set(gear.instances)) == (CouplingKind.BELT, "", {"small", "large"})
    assert gear.radii == pytest.approx((0.01015, 0.02015), rel=1e-6)
    assert gear.ratio == pytest.approx(20.15 / 10.15, rel=1e-6)
    assert (len(found.joints), dof) == (2, 1)
    assert "    radii: [10.15, 20.15]\n" in mates_text(found)
    (listed,) = recognition_document(found)["gears"]
    assert (listed["teeth"], listed["radii"]) == (None, list(gear.radii or ()))


def test_a_band_around_nothing_is_no_belt(tmp_path: Path) -> None:
    found, dof = smooth_drive(tmp_path, wheels=False)
    assert (found.gears, dof) == ((), 0)
