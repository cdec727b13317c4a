"""Links, other files, parts in parts, sub-assemblies rigid and flexible, link arrays."""

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.findings import Severity
from cadbridge.readers import ReadOptions
from tests.readers.freecad.making import (
    ALONG_X,
    Maker,
    flag,
    group,
    link,
    number,
    placement,
    placement_list,
    shape,
    whole,
    xlink,
)

PLAIN = ReadOptions(geometry=False)
BREP = b"not read"


def codes(assembly: Assembly) -> list[str]:
    return sorted(f.code for f in assembly.findings if f.severity is Severity.ERROR)


def wheel(folder: Path) -> Path:
    """A file of its own: a sub-assembly of a hub and a tyre that turns on it, and a part."""
    made = Maker()
    made.part("Hub", BREP)
    made.part("Tyre", BREP, (0.0, 0.0, 5.0))
    made.joint("Turn", "Revolute", ("Hub.Face1", "Tyre.Face1"))
    made.assembly("Hub", "Tyre", Placement=placement((1.0, 2.0, 3.0)))
    return made.save(folder / "wheel.FCStd")


def test_a_link_to_another_file(tmp_path: Path) -> None:
    wheel(tmp_path)
    made = Maker()
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", "wheel.FCStd"), Placement=placement((10.0, 0.0, 0.0)))
    made.assembly("L")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [p.name for p in assembly.parts] == ["Tyre"]
    np.testing.assert_allclose(assembly.instances[0].X_WI.p, [0.01, 0.0, 0.0])  # the tyre's own place is not the link's


def test_a_link_that_passes_its_objects_placement_on(tmp_path: Path) -> None:
    wheel(tmp_path)
    made = Maker()
    there = xlink("Tyre", "wheel.FCStd")
    made.add("L", "App::Link", LinkedObject=there, LinkTransform=flag(True), Placement=placement((10.0, 0.0, 0.0)))
    made.assembly("L")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    np.testing.assert_allclose(assembly.instances[0].X_WI.p, [0.01, 0.0, 0.005])


@pytest.mark.parametrize(
    "file",
    ["../../../../outside.FCStd", "/etc/passwd", "C:\\secret.FCStd", "..\\..\\..\\..\\outside.FCStd", "../text.FCStd"],
)
def test_links_lead_nowhere_outside(tmp_path: Path, file: str) -> None:
    inner = tmp_path / "a" / "b" / "c" / "project"
    inner.mkdir(parents=True)
    wheel(tmp_path).rename(tmp_path / "outside.FCStd")
    (inner.parent / "secret.txt").write_text("a secret")
    (inner.parent / "text.FCStd").symlink_to(inner.parent / "secret.txt")
    made = Maker()
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", file))
    made.assembly("L")
    assembly = cb.read(made.save(inner / "made.FCStd"), options=PLAIN)
    assert assembly.instances == ()
    assert set(codes(assembly)) <= {"CB102", "CB106"}
    assert codes(assembly)


@pytest.mark.parametrize("file", ["../Parts/outside.FCStd", "..\\Parts\\outside.fcstd"])
def test_parts_may_lie_in_a_folder_beside_the_assembly(tmp_path: Path, file: str) -> None:
    (tmp_path / "Assembly").mkdir()
    (tmp_path / "Parts").mkdir()
    wheel(tmp_path).rename(tmp_path / "Parts" / "outside.FCStd")
    made = Maker()
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", file))
    made.assembly("L")
    assembly = cb.read(made.save(tmp_path / "Assembly" / "made.FCStd"), options=PLAIN)
    assert len(assembly.instances) == 1
    (told,) = (f for f in assembly.findings if f.code == "CB1616")
    assert "outside.FCStd" in told.message
    assert codes(assembly) == []


def test_a_link_leads_into_a_folder_that_is_given(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b" / "c" / "project"
    inner.mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    wheel(tmp_path).rename(tmp_path / "shared" / "outside.FCStd")
    made = Maker()
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", "../../../../shared/outside.FCStd"))
    made.assembly("L")
    file = made.save(inner / "made.FCStd")
    assert codes(cb.read(file, options=PLAIN))[:1] == ["CB102"]
    assembly = cb.read(file, options=replace(PLAIN, package_dirs=(tmp_path / "shared",)))
    assert len(assembly.instances) == 1
    assert codes(assembly) == []


def test_a_link_finds_its_file_whatever_the_case_of_its_name(tmp_path: Path) -> None:
    wheel(tmp_path).rename(tmp_path / "My Wheel.FCStd")
    made = Maker()
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", "my wheel.fcstd"))
    made.assembly("L")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert len(assembly.instances) == 1
    assert codes(assembly) == []


def test_a_link_to_a_sub_assembly_is_rigid(tmp_path: Path) -> None:
    wheel(tmp_path)
    made = Maker()
    made.add("Left", "App::Link", LinkedObject=xlink("Assembly", "wheel.FCStd"), Placement=placement((0, 9.0, 0)))
    made.part("Frame", BREP)
    made.joint("J", "Revolute", ("Left.Tyre.Face1", "Frame.Face1"), None, placement((0.0, 9.0, 5.0)))
    made.ground("Frame")
    made.assembly("Left", "Frame")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [c.name for c in assembly.components] == ["Left", "Frame"]
    assert assembly.component("Left").instances == ("Left/Hub", "Left/Tyre")
    np.testing.assert_allclose(assembly.instance("Left/Tyre").X_WI.p, [0.0, 0.009, 0.005])
    # Its hinge is not lost silently: FreeCAD does not move it either.
    (told,) = (f for f in assembly.findings if f.code == "CB1270")
    assert (told.where.item, told.items, told.severity) == ("Left", ("Left", "Turn"), "info")
    mechanism = cb.build(assembly)
    assert "CB207" not in {f.code for f in mechanism.findings}  # the connector is in the tyre's frame, within the link
    assert len(mechanism.bodies) == 1


@pytest.mark.parametrize(("rigid", "components", "dof"), [(True, 2, 0), (False, 3, 1)])
def test_a_sub_assembly_is_flexible_where_it_says_so(tmp_path: Path, rigid: bool, components: int, dof: int) -> None:
    wheel(tmp_path)
    made = Maker()
    made.part("Frame", BREP)
    for name, z in (("Hub2", 0.0), ("Tyre2", 5.0)):
        there = xlink(name.removesuffix("2"), "wheel.FCStd")
        made.add(name, "App::Link", LinkedObject=there, Placement=placement((0.0, 0.0, z)))
    made.joint("Turn", "Revolute", ("Sub.Hub2.Face1", "Sub.Tyre2.Face1"), placement((0.0, 0.0, 5.0)))
    made.joint("Hold", "Fixed", ("Frame.Face1", "Sub.Hub2.Face1"), placement((50.0, 0.0, 0.0), ALONG_X))
    made.add("SubJoints", "Assembly::JointGroup", Group=group("Turn"))
    made.add(
        "Sub",
        "Assembly::AssemblyLink",
        LinkedObject=xlink("Assembly", "wheel.FCStd"),
        Rigid=flag(rigid),
        Group=group("Hub2", "Tyre2", "SubJoints"),
        Placement=placement((50.0, 0.0, 0.0), ALONG_X),
    )
    made.ground("Frame")
    joints = made.objects.pop("Turn")
    made.assembly("Frame", "Sub")
    made.objects["Turn"] = joints
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert len(assembly.components) == components
    assert [f.items for f in assembly.findings if f.code == "CB1270"] == ([("Sub", "Turn")] if rigid else [])
    assert cb.diagnose(cb.build(assembly)).mobility.dof == dof
    tyre = next(i for i in assembly.instances if i.name.endswith("Tyre2"))
    np.testing.assert_allclose(tyre.X_WI.p, [0.055, 0.0, 0.0], atol=1e-15)


def test_the_parts_that_hold_an_assembly_place_it(tmp_path: Path) -> None:
    """What is down decides: the assembly stands in a part that is turned."""
    made = Maker()
    made.part("A", BREP)
    made.part("B", BREP)
    made.add("Level", "App::Plane", Placement=placement((0.0, 0.0, 3.0)))
    made.add("Origin", "App::Origin")
    up = placement((0.0, 0.0, 3.0))
    for name, kind, refs, second in (
        ("J", "Revolute", ("A.Face1", "B.Face1"), None),
        ("K", "Fixed", ("Origin.Level.", "A.Face1"), up),
    ):
        made.joint(name, kind, refs, None, second)
        paths = {f"Reference{n}": xlink("Machine", subs=(f"Assembly.{ref}",)) for n, ref in enumerate(refs, start=1)}
        made.objects[name][1].update(paths)
    made.assembly("A", "B", Placement=placement((1.0, 0.0, 0.0)), Origin=link("Origin"))
    made.add("Machine", "App::Part", Group=group("Assembly"), Placement=placement((0.0, 5.0, 0.0), ALONG_X))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    np.testing.assert_allclose(assembly.component("A").X_WC.p, [0.0, 5e-3, -1e-3], atol=1e-15)
    mechanism = cb.build(assembly)
    assert "CB207" not in {f.code for f in mechanism.findings}
    np.testing.assert_allclose(mechanism.joints[0].X_AJ.R[:, 2], [1.0, 0.0, 0.0], atol=1e-12)


def test_a_part_in_a_part(tmp_path: Path) -> None:
    made = Maker()
    made.part("Box", BREP, (1.0, 0.0, 0.0))
    made.add("Inner", "App::Part", Group=group("Box"), Placement=placement((0.0, 2.0, 0.0)))
    made.add("Outer", "App::Part", Group=group("Inner"), Placement=placement((0.0, 0.0, 3.0)))
    made.add("Folder", "App::DocumentObjectGroup", Group=group("Outer"))
    made.part("Base", BREP)
    made.joint("J", "Ball", ("Outer.Inner.Box.Vertex1", "Base.Vertex1"), None, placement((1.0, 2.0, 3.0)))
    made.ground("Base")
    made.assembly("Folder", "Base")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [c.name for c in assembly.components] == ["Outer", "Base"]
    np.testing.assert_allclose(assembly.instances[0].X_WI.p, [1e-3, 2e-3, 3e-3])
    assert "CB207" not in {f.code for f in cb.build(assembly).findings}


def test_a_link_array(tmp_path: Path) -> None:
    made = Maker()
    made.part("Ball", BREP)
    made.members["List"] = placement_list((1, 0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0, 1))
    made.add(
        "Row",
        "App::Link",
        LinkedObject=xlink("Ball"),
        ElementCount=whole(2),
        PlacementList=("App::PropertyPlacementList", '<PlacementList file="List"/>'),
        Placement=placement((0.0, 7.0, 0.0)),
    )
    made.joint("J", "Fixed", ("Row.0.Face1", "Row.1.Face1"), placement((1.0, 0, 0)))
    made.assembly("Row")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert codes(assembly) == []
    assert [c.name for c in assembly.components] == ["Row/0", "Row/1"]
    np.testing.assert_allclose([i.X_WI.p for i in assembly.instances], [[1e-3, 7e-3, 0], [2e-3, 7e-3, 0]])
    assert [m.a.component for m in assembly.mates] == ["Row/0"]


def test_what_a_part_is_made_of_is_no_part_beside_it(tmp_path: Path) -> None:
    """The operands of a cut stay in the group of its part; a cover that is hidden there is a part."""
    made = Maker()
    for name in ("Block", "Drill", "Cut", "Cover", "Ball", "Row", "Binder", "Box", "Tray"):
        made.part(name, BREP)
    for name in ("Block", "Drill", "Cover", "Box"):
        made.objects[name][1]["Visibility"] = flag(False)
    made.objects["Cut"][1].update(Base=link("Block"), Tool=link("Drill"))
    made.objects["Row"][1]["SourceObject"] = link("Ball")
    made.objects["Binder"][1]["Support"] = link("Cover")
    opened = '<LinkSub value="Box" count="1"><Sub value="Face6"/></LinkSub>'
    made.objects["Tray"][1]["Faces"] = ("App::PropertyLinkSub", opened)
    made.add("Machine", "App::Part", Group=group("Block", "Drill", "Cut", "Cover", "Ball", "Row", "Box", "Tray"))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [i.product_path for i in assembly.instances if i.component == "Machine"] == [
        ("Cut",), ("Cover",), ("Row",), ("Tray",)
    ]  # fmt: skip


def test_an_array_without_a_shape_is_reported_and_its_source_is_read(tmp_path: Path) -> None:
    made = Maker()
    made.part("Ball", BREP)
    made.members["Row.brp"] = b""
    made.add("Row", "Part::FeaturePython", Shape=shape("Row.brp"), SourceObject=link("Ball"))
    made.add("Machine", "App::Part", Group=group("Ball", "Row"))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [i.product_path for i in assembly.instances] == [("Ball",)]
    assert [f.where.item for f in assembly.findings if f.code == "CB190" and f.where is not None] == ["Row"]


@pytest.mark.parametrize("kind", ["Assembly4", "Draft", "by its own links"])
def test_an_array_of_links_shows_its_copies(tmp_path: Path, kind: str) -> None:
    """Its placement, then the list's; the source, which the first copy shows, is no part beside them."""
    made = Maker()
    made.part("Ball", BREP, (1.0, 0.0, 0.0))
    more = {"SourceObject" if kind == "Assembly4" else "Base": link("Ball"), "Placement": placement((0.0, 7.0, 0.0))}
    if kind == "by its own links":
        for n in (1, 2):
            more_of = {"LinkedObject": xlink("Ball"), "Placement": placement((float(n), 0.0, 0.0))}
            made.add(f"Row_i{n}", "App::LinkElement", **more_of)
        more |= {"ElementList": group("Row_i1", "Row_i2")}
    made.members |= {"List": placement_list((1, 0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0, 1)), "Row.brp": b""}
    more |= {"Count": whole(2), "PlacementList": ("App::PropertyPlacementList", '<PlacementList file="List"/>')}
    if kind == "Assembly4":
        more["Shape"] = shape("Row.brp")
    made.add("Row", "Part::FeaturePython", **more)
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert {f.code for f in assembly.findings} == {"CB1233"}
    names = ["Row_i1", "Row_i2"] if kind == "by its own links" else ["Row/0", "Row/1"]
    assert [i.name for i in assembly.instances] == names
    np.testing.assert_allclose([i.X_WI.p for i in assembly.instances], [[1e-3, 7e-3, 0], [2e-3, 7e-3, 0]])


def test_a_group_of_links_carries_what_it_holds(tmp_path: Path) -> None:
    made = Maker()
    made.part("Ball", BREP, (1.0, 0.0, 0.0))
    made.add("Held", "App::LinkGroup", ElementList=group("Ball"), Placement=placement((0.0, 7.0, 0.0)))
    made.assembly("Held")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    np.testing.assert_allclose([i.X_WI.p for i in assembly.instances], [[1e-3, 7e-3, 0]])


@pytest.mark.parametrize("scaled", ["Scale", "ScaleVector", "ScaleList"])
def test_a_link_that_enlarges_what_it_shows_is_left_out(tmp_path: Path, scaled: str) -> None:
    made = Maker()
    made.part("Ball", BREP)
    made.members["List"] = struct.pack("<I3d", 1, 1.0, 1.0, 2.5)
    given = {
        "Scale": number(2.5),
        "ScaleVector": ("App::PropertyVector", '<PropertyVector valueX="1.0" valueY="2.5" valueZ="1.0"/>'),
        "ScaleList": ("App::PropertyVectorList", '<VectorList file="List"/>'),
    }
    made.add("Large", "App::Link", LinkedObject=xlink("Ball"), **{scaled: given[scaled]})
    made.add("Same", "App::Link", LinkedObject=xlink("Ball"), Scale=number(1.0))
    made.assembly("Large", "Same")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Same"]
    (told,) = (f for f in assembly.findings if f.code == "CB133")
    assert (told.where.item, "2.5 times" in told.message) == ("Large", True)


def test_a_mates_file_adds_what_the_file_lacks(tmp_path: Path, solids: dict[str, bytes]) -> None:
    made = Maker()
    made.part("Base", solids["box"])
    made.part("Lid", solids["box"], (0.0, 0.0, 10.0))
    made.assembly("Base", "Lid")
    path = made.save(tmp_path / "made.FCStd")
    (tmp_path / "made.mates.yaml").write_text(
        'format: cadbridge.mates/1\nground: [Base]\ndensity: [{parts: "*", density: 2700}]\n'
        "mates:\n  - name: Slide\n    type: coincident\n    a: {component: Lid, face: Face5}\n"
        "    b: {component: Base, face: Face6}\n"
    )
    assembly = cb.read(path)
    mechanism = cb.build(assembly)
    assert codes(assembly) == []
    assert assembly.component("Base").grounded
    assert [(j.type, j.mates) for j in mechanism.joints] == [("planar", ("Slide",))]
    assert mechanism.bodies[0].mass is not None
    assert mechanism.bodies[0].mass.mass == pytest.approx(2.7e-3)


def test_exploded_views_datums_and_empty_bodies_are_no_parts(tmp_path: Path) -> None:
    made = Maker()
    made.part("Base", BREP)
    made.part("Nothing", b"")
    made.part("Void", b"CASCADE Topology V1, (c) Matra-Datavision\nLocations 0\n\nTShapes 0\n\n*\n")
    made.add("Views", "Assembly::ViewGroup", Group=group("View"))
    made.add("View", "App::FeaturePython", Group=group("Move"))
    made.add("Move", "App::FeaturePython")
    made.add("Datum", "Part::DatumPlane")
    made.add("Gone", "App::Link", LinkedObject=xlink("Void"))
    made.assembly("Base", "Nothing", "Void", "Views", "View", "Move", "Datum", "Gone")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Base"]
    told = [(f.code, f.where.item) for f in assembly.findings]
    assert told == [("CB1237", "Nothing"), ("CB1237", "Void"), ("CB1237", "Gone")]


def test_an_empty_link_that_joints_hold_stays_and_is_named(tmp_path: Path) -> None:
    made = Maker()
    made.part("Base", BREP)
    made.part("Void", b"")
    made.add("Behind", "App::Link", LinkedObject=xlink("Void"))
    made.joint("Turn", "Revolute", ("Base.Face1", "Behind."))
    made.assembly("Base", "Behind")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [c.name for c in assembly.components] == ["Base", "Behind"]
    assert [(f.code, f.where.item) for f in assembly.findings] == [("CB1235", "Behind")]
    assert [m.b.component for m in assembly.mates] == ["Behind"]


def test_a_mesh_in_an_assembly_is_told(tmp_path: Path) -> None:
    made = Maker()
    made.part("Base", BREP)
    made.add("Scan", "Mesh::Feature", Mesh=whole(0))
    made.assembly("Base", "Scan")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [f.code for f in assembly.findings] == ["CB1236"]


def test_a_joint_without_its_second_part_is_told_once(tmp_path: Path) -> None:
    made = Maker()
    made.part("Base", BREP)
    made.joint("Half", "Fixed", ("Base.Face1", ""))
    made.objects["Half"][1]["Reference2"] = xlink("")
    made.assembly("Base")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert [(f.code, f.severity, f.where.item) for f in assembly.findings] == [("CB1238", "warning", "Half")]


def test_a_file_that_is_missing_is_told_once_for_each_link(tmp_path: Path) -> None:
    made = Maker()
    made.part("Base", BREP)
    made.add("L", "App::Link", LinkedObject=xlink("Tyre", "gone.FCStd"))
    for name in ("One", "Two"):
        made.joint(name, "Revolute", ("Base.Face1", "L.Face1"))
    made.assembly("Base", "L")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=PLAIN)
    assert sorted(f.code for f in assembly.findings) == ["CB106", "CB1235"]
    # It weighed nothing, as declared.
    (body,) = [b for b in cb.build(assembly).bodies if "L" in b.components]
    assert body.mass is None


def test_a_joint_on_a_ring_of_links_ends(tmp_path: Path) -> None:
    made = Maker()
    made.part("Box", BREP)
    made.add("L", "App::Link", LinkedObject=xlink("M"), Placement=placement())
    made.add("M", "App::Link", LinkedObject=xlink("L"), Placement=placement())
    made.joint("J", "Revolute", ("L.Face1", "Box.Face1"))
    made.ground("Box")
    made.assembly("L", "Box")
    assembly = cb.read(made.save(tmp_path / "ring.FCStd"), options=PLAIN)
    assert [f.where.item for f in assembly.findings if f.code == "CB1224"] == ["L"]
