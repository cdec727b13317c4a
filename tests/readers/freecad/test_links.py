"""Links to what itself links, holds or repeats something: what is shown, and where joints on it stand.

The places are FreeCAD's (`LinkBaseExtension::extensionGetSubObject`): those on the path from the link on count, the
target's own only with LinkTransform; the scale of each link on the way counts always.
"""

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.findings import Severity
from cadbridge.readers import ReadOptions
from tests.readers.freecad.making import Maker, flag, group, number, placement, placement_list, shape, whole, xlink

PLAIN = ReadOptions(geometry=False)
BREP = b"not read"


def codes(assembly: Assembly) -> list[str]:
    return sorted(f.code for f in assembly.findings if f.severity is Severity.ERROR)


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> tuple[str, str]:
    return placement((x, y, z))


def row(made: Maker, elements: bool) -> None:
    """An array of two boxes along x, at 1 and 2 mm, with objects of their own or by a list; itself at y = 7 mm."""
    made.part("Box", BREP)
    more = {"ElementCount": whole(2)}
    if elements:
        for i in (0, 1):
            made.add(f"Row_i{i}", "App::LinkElement", LinkedObject=xlink("Box"), Placement=at(1.0 + i))
        more["ElementList"] = group("Row_i0", "Row_i1")
    else:
        made.members["List"] = placement_list((1, 0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0, 1))
        more["PlacementList"] = ("App::PropertyPlacementList", '<PlacementList file="List"/>')
    made.add("Row", "App::Link", LinkedObject=xlink("Box"), Placement=at(y=7.0), **more)


def a_link_to_an_array(made: Maker) -> None:
    row(made, elements=False)
    made.add("Held", "App::Link", LinkedObject=xlink("Row"), Placement=at(50.0))


def a_link_to_an_array_with_objects_of_its_own(made: Maker) -> None:
    row(made, elements=True)
    made.add("Held", "App::Link", LinkedObject=xlink("Row"), Placement=at(50.0))


def a_link_that_passes_an_arrays_placement_on(made: Maker) -> None:
    row(made, elements=False)
    made.add("Held", "App::Link", LinkedObject=xlink("Row"), Placement=at(50.0), LinkTransform=flag(True))


def an_array_in_a_part(made: Maker) -> None:
    row(made, elements=False)
    made.add("Held", "App::Part", Group=group("Row"), Placement=at(z=9.0))


def a_group_of_links_in_a_part(made: Maker) -> None:
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.add("Set", "App::LinkGroup", ElementList=group("Box"), Placement=at(y=7.0))
    made.add("Held", "App::Part", Group=group("Set"), Placement=at(z=3.0))


def a_link_to_a_group_of_links(made: Maker) -> None:
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.add("Set", "App::LinkGroup", ElementList=group("Box"), Placement=at(y=7.0))
    made.add("Held", "App::Link", LinkedObject=xlink("Set"), Placement=at(50.0))


def a_link_to_a_folder(made: Maker) -> None:
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.add("Set", "App::DocumentObjectGroup", Group=group("Box"))
    made.add("Held", "App::Link", LinkedObject=xlink("Set"), Placement=at(50.0))


def a_link_into_a_part(made: Maker) -> None:
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.part("Other", BREP, (2.0, 0.0, 0.0))
    made.add("Whole", "App::Part", Group=group("Box", "Other"), Placement=at(z=3.0))
    made.add("Held", "App::Link", LinkedObject=xlink("Whole", subs=("Box.",)), Placement=at(50.0))


def a_path_that_names_what_the_link_shows(made: Maker) -> None:
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.add("Whole", "App::Part", Group=group("Box"), Placement=at(z=3.0))
    made.add("Held", "App::Link", LinkedObject=xlink("Whole"), Placement=at(50.0))


@pytest.mark.parametrize(
    ("made_by", "path", "there", "shown"),
    [
        (a_link_to_an_array, "Held.1.Face1", (52.0, 0.0, 0.0), [(51.0, 0.0, 0.0), (52.0, 0.0, 0.0)]),
        (a_link_to_an_array, "Held.Row_i1.Face1", (52.0, 0.0, 0.0), [(51.0, 0.0, 0.0), (52.0, 0.0, 0.0)]),
        (
            a_link_to_an_array_with_objects_of_its_own,
            "Held.Row_i1.Face1", (52.0, 0.0, 0.0), [(51.0, 0.0, 0.0), (52.0, 0.0, 0.0)],
        ),
        (a_link_that_passes_an_arrays_placement_on, "Held.0.Face1", (51.0, 7.0, 0.0), [(51, 7, 0), (52, 7, 0)]),
        (an_array_in_a_part, "Held.Row.1.Face1", (2.0, 7.0, 9.0), [(1.0, 7.0, 9.0), (2.0, 7.0, 9.0)]),
        (a_group_of_links_in_a_part, "Held.Set.Box.Face1", (1.0, 7.0, 3.0), [(1.0, 7.0, 3.0)]),
        (a_link_to_a_group_of_links, "Held.Box.Face1", (51.0, 0.0, 0.0), [(51.0, 0.0, 0.0)]),
        (a_link_to_a_folder, "Held.Box.Face1", (51.0, 0.0, 0.0), [(51.0, 0.0, 0.0)]),
        (a_link_into_a_part, "Held.Face1", (51.0, 0.0, 0.0), [(51.0, 0.0, 0.0)]),
        (a_path_that_names_what_the_link_shows, "Held.Whole.Box.Face1", (51.0, 0.0, 0.0), [(51.0, 0.0, 0.0)]),
    ],
)  # fmt: skip
def test_what_is_shown_stands_where_freecad_shows_it(
    made_by: object,
    path: str,
    there: tuple[float, float, float],
    shown: list[tuple[float, float, float]],
    tmp_path: Path,
) -> None:
    made = Maker()
    made.part("Base", BREP)
    assert callable(made_by)
    made_by(made)
    made.joint("Turn", "Revolute", (path, "Base.Face1"), None, placement(there))
    made.ground("Base")
    made.assembly("Held", "Base")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [c.name for c in assembly.components] == ["Held", "Base"]
    held = [i.X_WI.p * 1e3 for i in assembly.instances if i.component == "Held"]
    np.testing.assert_allclose(held, shown, atol=1e-12)
    assert "CB207" not in {f.code for f in cb.build(assembly).findings}  # the connectors meet


@pytest.mark.parametrize(("name", "x"), [("0", 1.0), ("1", 2.0), ("Row_i1", 2.0), ("Row_i01", 2.0)])
def test_a_copy_of_an_array_is_known_by_its_number_and_by_its_name(name: str, x: float, tmp_path: Path) -> None:
    """FreeCAD takes `Row_i1` for the second copy where the copies are no objects of their own; CB162 refused it."""
    made = Maker()
    made.part("Base", BREP)
    row(made, elements=False)
    made.joint("Turn", "Revolute", (f"Row.{name}.Face1", "Base.Face1"), None, placement((x, 7.0, 0.0)))
    made.ground("Base")
    made.assembly("Row", "Base")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    (mate,) = assembly.mates
    assert mate.a.component == f"Row/{int(x) - 1}"
    assert "CB207" not in {f.code for f in cb.build(assembly).findings}


def test_a_part_of_which_a_compound_was_made_is_one_where_joints_hold_it(tmp_path: Path) -> None:
    """FreeCAD hides what a compound is made of; the part was dropped, and the joint said to name nothing (CB162)."""
    made = Maker()
    made.part("Base", BREP)
    made.part("Box", BREP)
    for name in ("Held", "Spare"):
        made.add(name, "App::Link", LinkedObject=xlink("Box"), Visibility=flag(False))
    made.add("All", "Part::Compound", Links=group("Held", "Spare"), Shape=shape("All.brp"))
    made.members["All.brp"] = BREP
    made.joint("Turn", "Revolute", ("Held.Face1", "Base.Face1"))
    made.ground("Base")
    made.assembly("Held", "Spare", "Base")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [c.name for c in assembly.components] == ["Held", "Base"]
    assert [m.name for m in assembly.mates] == ["Turn"]


@pytest.mark.parametrize("inner", ["link", "array"])
def test_a_link_to_what_is_enlarged_is_left_out(inner: str, tmp_path: Path) -> None:
    made = Maker()
    made.part("Ball", BREP)
    more = {"Scale": number(2.5)}
    if inner == "array":
        made.add("Large_i0", "App::LinkElement", LinkedObject=xlink("Ball"))
        more |= {"ElementCount": whole(1), "ElementList": group("Large_i0")}
    made.add("Large", "App::Link", LinkedObject=xlink("Ball"), **more)
    made.add("Held", "App::Link", LinkedObject=xlink("Large"))
    made.assembly("Held", "Large") if inner == "array" else made.assembly("Held")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert assembly.instances == ()
    assert "CB133" in codes(assembly)


def test_a_mirrored_link_is_called_so(tmp_path: Path) -> None:
    made = Maker()
    made.part("Ball", BREP)
    mirrored = ("App::PropertyVector", '<PropertyVector valueX="-1.0" valueY="1.0" valueZ="1.0"/>')
    made.add("Other", "App::Link", LinkedObject=xlink("Ball"), ScaleVector=mirrored)
    made.assembly("Other")
    (told,) = (
        f for f in cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN).findings if f.code == "CB133"
    )  # fmt: skip
    assert "mirror image" in told.message


@pytest.mark.parametrize(("subs", "code"), [("Box.Face1", "CB190"), ("Gone.", "CB162")])
def test_a_link_into_nothing_or_to_a_face_is_told(subs: str, code: str, tmp_path: Path) -> None:
    made = Maker()
    made.part("Box", BREP)
    made.add("Whole", "App::Part", Group=group("Box"))
    made.add("Held", "App::Link", LinkedObject=xlink("Whole", subs=(subs,)))
    made.assembly("Held")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert code in {f.code for f in assembly.findings}
    assert assembly.instances == ()
