"""Documents without an assembly, of other workbenches, with several or hidden parts: what of them is read."""

import json
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.cli import main
from cadbridge.findings import Severity
from cadbridge.readers import ReadOptions
from tests.readers.freecad.making import (
    Maker,
    flag,
    group,
    link,
    placement,
    shape,
    text,
    xlink,
)

PLAIN = ReadOptions(geometry=False)
BREP = b"not read"


def codes(assembly: Assembly) -> list[str]:
    return sorted(f.code for f in assembly.findings if f.severity is Severity.ERROR)


@pytest.mark.parametrize(
    ("workbench", "properties", "said"),
    [
        ("A2plus", ("Object1", "Object2", "SubElement1", "SubElement2"), "2 constraints"),
        ("Assembly3", ("ConstraintType",), "2 constraints"),
        ("Assembly4", ("AssemblyType", "AttachedTo"), "2 attachments"),
        ("Assembly4", ("ConstraintType", "AttachedTo", "LinkedPartLCS"), "2 attachments"),
    ],
)
def test_an_assembly_of_another_workbench_is_named_with_what_is_not_read(
    tmp_path: Path, workbench: str, properties: tuple[str, ...], said: str
) -> None:
    made = Maker()
    made.part("Box", BREP)
    for name in ("One", "Two", "One_mirror"):
        made.add(name, "App::FeaturePython", **{key: text("Box") for key in properties})
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    (told,) = (f for f in assembly.findings if f.code in ("CB1233", "CB1244"))
    assert (told.code, told.items) == ("CB1244", ("One", "Two"))
    assert f"{workbench}: {said} not read" in told.message
    assert [c.name for c in assembly.components] == ["Box"]


@pytest.mark.parametrize("linked", [False, True])
def test_the_parts_of_assembly3_stand_in_their_places(tmp_path: Path, linked: bool) -> None:
    """In the group of its parts; the groups beside it hold constraints and the elements that they name."""
    made = Maker()
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.members["Element.brp"] = BREP
    made.add("Element", "Part::FeaturePython", Shape=shape("Element.brp"), LinkedObject=xlink("Box"))
    made.add("Constraint", "App::FeaturePython", ConstraintType=text("PlaneAlignment"))
    made.add("Constraints", "App::FeaturePython", Group=group("Constraint"))
    made.add("Elements", "App::FeaturePython", Group=group("Element"))
    made.add("Parts", "Part::FeaturePython", Group=group("Box"), DerivedFrom=text(""), Visibility=flag(False))
    own = {"Group": group("Constraints", "Elements", "Parts"), "BuildShape": text("None")}
    made.add("Whole", "Part::FeaturePython", Placement=placement((0.0, 7.0, 0.0)), **own)
    path = made.save(tmp_path / "made.FCStd")
    if linked:
        outer = Maker()
        outer.add("L", "App::Link", LinkedObject=xlink("Whole", "made.FCStd"), Placement=placement((0.0, 7.0, 0.0)))
        outer.assembly("L")
        path = outer.save(tmp_path / "outer.FCStd")
    assembly = cb.read(path, options=PLAIN)
    assert codes(assembly) == []
    assert [p.name for p in assembly.parts] == ["Box"]
    np.testing.assert_allclose([i.X_WI.p for i in assembly.instances], [[1e-3, 7e-3, 0.0]])


def test_a_document_without_an_assembly(tmp_path: Path) -> None:
    made = Maker()
    made.part("Box", BREP)
    made.part("Hidden", BREP)
    made.objects["Hidden"][1]["Visibility"] = flag(False)
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Box"]
    assert "CB1233" in {f.code for f in assembly.findings}


def test_folders_of_a_document_without_an_assembly_are_opened(tmp_path: Path) -> None:
    made = Maker()
    for name in ("Box", "Lid", "Hidden"):
        made.part(name, BREP)
    made.objects["Hidden"][1]["Visibility"] = flag(False)
    made.add("Inner", "App::DocumentObjectGroup", Group=group("Lid"))
    made.add("Parts", "App::DocumentObjectGroup", Group=group("Box", "Inner", "Hidden"))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Box", "Lid"]
    assert {f.code: f.items for f in assembly.findings if f.code != "CB415"} == {"CB1233": (), "CB1239": ("Hidden",)}


@pytest.mark.parametrize("more", [[], ["--hidden"]])
def test_hidden_parts_are_read_when_asked_for(
    more: list[str], tmp_path: Path, solids: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command line; what a link shows elsewhere and what a cut is made of stay left out."""
    made = Maker()
    for name in ("Box", "Lid", "Stock", "Tool", "Cut"):
        made.part(name, solids["box"])
    for name in ("Lid", "Stock", "Tool"):
        made.objects[name][1]["Visibility"] = flag(False)
    made.objects["Cut"][1]["Tool"] = link("Tool")
    made.add("Copy", "App::Link", LinkedObject=xlink("Stock"))
    path = made.save(tmp_path / "made.FCStd")
    main(["inspect", str(path), "--no-cache", "--json", *more])
    told = json.loads(capsys.readouterr().out)
    assert sorted(i["name"] for i in told["instances"]) == ["Box", "Copy", "Cut", *["Lid"][: len(more)]]
    assert ("CB1239" in {f["code"] for f in told["findings"]}) == (not more)


def test_of_a_document_in_which_all_is_hidden_what_is_hidden_is_read(tmp_path: Path) -> None:
    """But not the stock of parts of which links show copies."""
    made = Maker()
    made.part("Stock", BREP)
    made.add("Copy", "App::Link", LinkedObject=xlink("Stock"))
    made.add("Machine", "App::Part", Group=group("Copy"))
    for name in ("Stock", "Machine"):
        made.objects[name][1]["Visibility"] = flag(False)
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [i.name for i in assembly.instances] == ["Machine"]
    assert next(f for f in assembly.findings if f.code == "CB1239").items == ("Machine",)


def test_a_file_before_0_19_saves_with_the_views_what_is_visible(tmp_path: Path) -> None:
    made = Maker()
    made.part("Pad", BREP)
    made.part("Pocket", BREP)
    made.objects["Pad"] = ("PartDesign::Pad", made.objects["Pad"][1])
    views = "".join(
        f'<ViewProvider name="{name}"><Properties><Property name="Visibility"><Bool value="{shown}"/></Property>'
        "</Properties></ViewProvider>"
        for name, shown in (("Pad", "false"), ("Pocket", "true"))
    )
    made.members["GuiDocument.xml"] = f"<Document><ViewProviderData>{views}</ViewProviderData></Document>".encode()
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Pocket"]
    assert "CB1239" not in {f.code for f in assembly.findings}


def test_a_document_without_a_part_is_an_error_and_nothing_is_recognised_in_it(tmp_path: Path) -> None:
    made = Maker()
    made.add("Sketch", "Sketcher::SketchObject")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert "CB180" in codes(assembly)
    with pytest.raises(cb.InputError, match="has no parts"):
        cb.recognise(assembly)


def test_of_two_assemblies_the_fuller_is_read(tmp_path: Path) -> None:
    made = Maker()
    made.part("Box", BREP)
    made.part("Lid", BREP)
    made.assembly("Box", "Lid")
    made.add("Other", "Assembly::AssemblyObject", Group=group("Box"))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert assembly.name == "Assembly"
    assert "CB1234" in {f.code for f in assembly.findings}
