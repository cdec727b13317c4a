"""Linear bearings on guide rods: printers' axes, where nothing else says what slides."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.recognition.standard.names import called_linear_bearing
from tests.late import cq
from tests.recognition.solids import Parts, box, joints, recognised


def along(radius: float, length: float, hole: float = 0.0) -> cq.Workplane:
    """A round part about the x axis, its middle at the origin."""
    made = cq.Workplane("YZ").workplane(offset=-length / 2).circle(radius).extrude(length)
    return made if not hole else made.cut(cq.Workplane("YZ").workplane(offset=-length / 2).circle(hole).extrude(length))


def axis(bore: float, outer: float, length: float, names: tuple[str, str]) -> Parts:
    """Two rods in four feet, each with a bearing; a plate lies on the two bearings, and no part tells of the other."""
    parts: Parts = {}
    for y, rod in ((-60.0, "rod_left"), (60.0, "rod_right")):
        parts[rod] = (along(bore / 2, 600), (0, y, 0))
        for x, end in ((-290.0, "front"), (290.0, "back")):
            foot = box(16, 30, 40).translate((0, 0, -20)).cut(along(bore / 2, 40))
            parts[f"foot_{rod}_{end}"] = (foot, (x, y, 0))
    for y, name in zip((-60.0, 60.0), names, strict=True):
        parts[name] = (along(outer / 2, length, bore / 2), (40, y, 0))
    seat = box(100, 180, 12).translate((0, 0, 0)).cut(along(outer / 2, 100).translate((0, -60, 0)))
    parts["plate"] = (seat.cut(along(outer / 2, 100).translate((0, 60, 0))), (40, 0, 0))
    return parts


@pytest.mark.parametrize(
    ("measures", "names"),
    [((8, 15, 24), ("part_7", "part_8")), ((12, 21, 30), ("part_7", "part_8")), ((9, 17, 26), ("LM9UU_1", "LM9UU_2"))],
    ids=["LM8UU", "LM12UU", "by name"],
)
def test_a_plate_on_linear_bearings_slides_along_its_rods(
    tmp_path: Path, measures: tuple[float, float, float], names: tuple[str, str]
) -> None:
    found = recognised(tmp_path, axis(*measures, names))
    assert list(joints(found).values()) == ["prismatic"]
    assert found.freedoms == 1
    where = found.body_of
    assert where["rod_left"] == where["rod_right"]
    assert {where[name] for name in names} == {where["plate"]} != {where["rod_left"]}


@pytest.mark.parametrize(("length", "kinds"), [(30.0, ["cylindrical"]), (34.0, [])])
def test_a_short_linear_bearing_slides_and_turns_on_one_rod(tmp_path: Path, length: float, kinds: list[str]) -> None:
    """A tube of other measures is a ring, which its shaft carries."""
    rod = along(6, 500).union(box(20, 60, 60).translate((-260, 0, -30)))
    found = recognised(tmp_path, {"rod": (rod, (0, 0, 0)), "bearing": (along(10.5, length, 6), (0, 0, 0))})
    assert list(joints(found).values()) == kinds


@pytest.mark.parametrize(
    "name",
    ["LM8UU", "lmk12uu_flange", "LM10LUU-1", "Linear_Bearing_8mm_001", "SC8UU block", "Linearkugellager 12",
     "roulement linéaire", "直线轴承", "igus RJ4JP-01-08"],
)  # fmt: skip
def test_names_of_linear_bearings(name: str) -> None:
    assert called_linear_bearing((name, "part"))


@pytest.mark.parametrize(
    "name", ["SK8 SC8UU 8mm Linear Rail Shaft Support", "LM8UU holder", "linear rod", "608 bearing"]
)
def test_what_goes_with_a_linear_bearing_is_none(name: str) -> None:
    assert not called_linear_bearing((name, "part"))
