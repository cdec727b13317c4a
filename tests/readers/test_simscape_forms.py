"""Simscape Multibody XML as other exporters write it: joints, sub-assemblies, groups, mirroring. Hand-made files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, FeatureKind, MateKind
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.simscape import read
from cadbridge.readers.simscape.mates import CONSTRAINTS, JOINTS
from tests.late import cq
from tests.shapes.solids import write_part

EYE = "1 0 0 0 1 0 0 0 1"
QUARTER = "0 -1 0 1 0 0 0 0 1"


def instance(uid: str, at: str = "0 0 0", turn: str = EYE, inner: str = "", entity: str = "block", **flags: str) -> str:
    said = "".join(f' {k}="{v}"' for k, v in flags.items())
    place = f"<Transform><Rotation>{turn}</Rotation><Translation>{at}</Translation></Transform>"
    return f'<Instance name="{uid}" uid="{uid}" entityUid="{entity}"{said}>{place}{inner}</Instance>'


def path(*uids: str) -> str:
    return "<InstancePath>" + "".join(f"<Uid>{u}</Uid>" for u in uids) + "</InstancePath>"


def joint(tag: str, name: str, base: tuple[str, ...], follower: tuple[str, ...], at: str = "0 0 0") -> str:
    frames = ""
    for side, uids in (("BaseFrame", base), ("FollowerFrame", follower)):
        place = f"<Transform><Rotation>{EYE}</Rotation><Translation>{at}</Translation></Transform>"
        frames += f"<{side}>{path(*uids)}{place}</{side}>"
    return f'<{tag} name="{name}">{frames}</{tag}>'


def constraint(
    tag: str, name: str, a: tuple[str, ...], b: tuple[str, ...], geometry: str = "plane", more: str = ""
) -> str:
    """A constraint at both origins along z; `geometry` names both sides' kind, or each with a word of its own."""
    one, _, other = geometry.partition(" ")
    sides = "".join(
        f'<ConstraintGeometry geomType="{kind}">{path(*uids)}<Position>0 0 0</Position><Axis>0 0 2</Axis>'
        "</ConstraintGeometry>"
        for uids, kind in ((a, one), (b, other or one))
    )
    return f'<{tag} name="{name}"{more}>{sides}</{tag}>'


GRAMS = '<DataUnits mass="gram" length="millimeter"/>'


def write(
    folder: Path, tree: str, joints: str = "", constraints: str = "", assemblies: str = "", units: str = GRAMS
) -> Path:
    file = folder / "hand.xml"
    file.write_text(
        '<SimscapeMultibodyImportXML version="2.0" xmlns="urn:mathworks:SimscapeMultibody:import">'
        f"{units}"
        f'<RootAssembly name="hand" uid="hand"><InstanceTree>{tree}</InstanceTree>'
        f"<Constraints>{constraints}</Constraints><Joints>{joints}</Joints></RootAssembly>"
        f"<Assemblies>{assemblies}</Assemblies>"
        '<Parts><Part name="block" uid="block"><MassProperties><Mass>2000</Mass>'
        "<CenterOfMass>100 200 300</CenterOfMass><Inertia>1e9 2e9 2.5e9 1e8 2e8 3e8</Inertia></MassProperties></Part>"
        "</Parts></SimscapeMultibodyImportXML>"
    )
    return file


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


FREEDOMS = {
    "Weld": 0, "Fixed": 0, "Rigid": 0, "Revolute": 1, "Prismatic": 1, "Cylindrical": 2, "PinSlot": 2, "Universal": 2,
    "Rectangular": 2, "Spherical": 3, "Gimbal": 3, "Planar": 3, "Cartesian": 3, "Bearing": 4, "Telescoping": 4,
    "Bushing": 6, "SixDof": 6,
}  # fmt: skip
"""Degrees of freedom that each joint block of Simscape leaves."""


def test_every_joint_kind_leaves_its_freedoms(tmp_path: Path) -> None:
    assert set(FREEDOMS) == set(JOINTS)
    for tag, free in FREEDOMS.items():
        tree = instance("a", grounded="true") + instance("b", "30 0 0", QUARTER)
        text = joint(tag, "J", ("a",), ("b",)).replace(  # the follower's frame lies where the base's does
            f"{path('b')}<Transform><Rotation>{EYE}</Rotation><Translation>0 0 0</Translation>",
            f"{path('b')}<Transform><Rotation>0 1 0 -1 0 0 0 0 1</Rotation><Translation>0 30 0</Translation>",
        )
        assembly = read(write(tmp_path, tree, joints=text))
        assert not codes(assembly), tag
        mechanism = cb.build(assembly)
        found = cb.diagnose(mechanism).mobility
        assert (found.dof, found.redundant) == (free, 0), tag
        assert not [f for f in mechanism.findings if f.code == "CB207"], tag


def test_a_joint_reads_its_frames(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b", "30 0 0", QUARTER)
    assembly = read(write(tmp_path, tree, joints=joint("Revolute", "J", ("a",), ("b",), "1 2 3")))
    (mate,) = assembly.mates
    assert (mate.kind, mate.a.kind, mate.a.component, mate.b.component) == (
        MateKind.REVOLUTE,
        FeatureKind.FRAME,
        "a",
        "b",
    )
    np.testing.assert_allclose(mate.a.point, [1e-3, 2e-3, 3e-3])
    np.testing.assert_allclose(mate.b.point, [1e-3, 2e-3, 3e-3])
    assert mate.where.line is not None


def test_every_constraint_kind_is_read(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b")
    for tag, kind in CONSTRAINTS.items():
        geometry = "plane" if kind is MateKind.COINCIDENT else "cylinder"
        value = ' value="0"' if kind in (MateKind.DISTANCE, MateKind.ANGLE) else ""
        text = constraint(tag, "C", ("a",), ("b",), geometry, value)
        assembly = read(write(tmp_path, tree, constraints=text))
        assert [m.kind for m in assembly.mates] == [kind]
        assert codes(assembly) == (["CB170"] if kind is MateKind.TANGENT else [])


def test_an_edge_on_the_face_of_a_cylinder_stays_on_it(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b", "3 4 7")
    assembly = read(write(tmp_path, tree, constraints=constraint("Coincident", "E", ("a",), ("b",), "cylinder line")))
    assert codes(assembly) == ["CB170"]
    assert [m.value for m in assembly.mates] == pytest.approx([5e-3])
    assert cb.diagnose(cb.build(assembly)).mobility.rank == 3


def test_distance_and_angle_have_their_units(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b")
    text = constraint("Distance", "D", ("a",), ("b",), more=' value="5"')
    text += constraint("Angle", "W", ("a",), ("b",), "line", ' value="90"')
    values = [m.value for m in read(write(tmp_path, tree, constraints=text)).mates]
    assert values == pytest.approx([0.005, np.pi / 2])


EDGES = {
    ("Coincident", "circle plane"): (3, MateKind.COINCIDENT),
    ("Coincident", "plane circle"): (3, MateKind.COINCIDENT),
    ("Coincident", "circle circle"): (5, MateKind.INSERT),
    ("Coincident", "circle cylinder"): (4, MateKind.COINCIDENT),
    ("Coincident", "line plane"): (2, MateKind.COINCIDENT),
    ("Coincident", "cylinder line"): (4, MateKind.COINCIDENT),
    ("Concentric", "circle circle"): (4, MateKind.CONCENTRIC),
    ("Concentric", "sphere sphere"): (3, MateKind.COINCIDENT),
    ("Concentric", "cylinder sphere"): (2, MateKind.COINCIDENT),
    ("Parallel", "circle plane"): (2, MateKind.PARALLEL),
}
"""Rows and kind of what SolidWorks and Inventor write for edges and spheres."""


@pytest.mark.parametrize(("tag", "geometry"), EDGES)
def test_edges_and_spheres_hold_the_rows_that_they_do_in_cad(tag: str, geometry: str, tmp_path: Path) -> None:
    lies_in = "1 0 0 0 0 1 0 -1 0"
    turned = lies_in if geometry == "line plane" else EYE
    tree = instance("a", turn=turned, grounded="true") + instance("b")
    assembly = read(write(tmp_path, tree, constraints=constraint(tag, "C", ("a",), ("b",), geometry)))
    rows, kind = EDGES[tag, geometry]
    assert [m.kind for m in assembly.mates] == [kind]
    mechanism = cb.build(assembly)
    assert not [f.code for f in mechanism.findings if f.severity == "error"]
    assert cb.diagnose(mechanism).mobility.rank == rows


def test_a_value_that_is_not_written_is_held_as_designed(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b", "3 4 12.5", "0 0 1 0 1 0 -1 0 0")
    text = constraint("Angle", "Winkel:1", ("a",), ("b",), "cone")
    text += constraint("Distance", "D", ("a",), ("b",), "plane point") + constraint(
        "Distance", "P", ("a",), ("b",), "point"
    )
    assembly = read(write(tmp_path, tree, constraints=text))
    assert codes(assembly) == ["CB170"] * 3
    assert [m.value for m in assembly.mates] == pytest.approx([np.pi / 2, 0.0125, np.sqrt(9 + 16 + 12.5**2) * 1e-3])
    assert "90°" in assembly.findings[0].message
    assert "12.5 mm" in assembly.findings[1].message


@pytest.mark.parametrize(("geometry", "rows"), [("plane cylinder", 2), ("cylinder plane", 2), ("cylinder cylinder", 3)])
def test_a_tangent_mate_keeps_the_distance_that_its_radii_make(geometry: str, rows: int, tmp_path: Path) -> None:
    turned = "1 0 0 0 0 1 0 -1 0" if "plane" in geometry else EYE
    tree = instance("a", grounded="true") + instance("b", "7 0 25", turned)
    assembly = read(write(tmp_path, tree, constraints=constraint("Tangent", "T", ("a",), ("b",), geometry)))
    assert codes(assembly) == ["CB170"]
    mechanism = cb.build(assembly)
    assert not [f.code for f in mechanism.findings if f.severity == "error"]
    assert cb.diagnose(mechanism).mobility.rank == rows


def test_parallel_axes_without_an_angle_stay_parallel(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b", "3 4 5", "1 0 0 0 1 -1e-9 0 1e-9 1")
    mechanism = cb.build(read(write(tmp_path, tree, constraints=constraint("Angle", "A", ("a",), ("b",), "cone"))))
    assert cb.diagnose(mechanism).mobility.rank == 2


def test_the_model_units_serve_where_there_are_no_data_units(tmp_path: Path) -> None:
    creo = '<ModelUnits mass="kg" length="mm"/>'
    assembly = read(write(tmp_path, instance("a", "3 0 0"), units=creo))
    assert not codes(assembly)
    np.testing.assert_allclose(assembly.instance("a").X_WI.p, [3e-3, 0, 0])
    assert assembly.units == ("data in mm and kg → m and kg",)
    inventor = '<ModelUnits mass="lbmass" length="inch"/>'
    assert not codes(read(write(tmp_path, instance("a"), units=inventor)))
    assert codes(read(write(tmp_path, instance("a"), units=""))) == ["CB181", "CB181"]


EMPTY = '<Assembly name="void" uid="void"><InstanceTree/></Assembly>'


def test_an_empty_sub_assembly_is_no_body(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("v", entity="void", rigid="true")
    assembly = read(write(tmp_path, tree, assemblies=EMPTY))
    assert codes(assembly) == ["CB171"]
    assert [c.name for c in assembly.components] == ["a"]


def test_an_empty_sub_assembly_that_mates_hold_is_a_frame(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("v", entity="void", rigid="true") + instance("b")
    text = joint("Revolute", "J", ("a",), ("v",)) + joint("Prismatic", "K", ("v",), ("b",))
    assembly = read(write(tmp_path, tree, joints=text, assemblies=EMPTY))
    assert codes(assembly) == ["CB169"]
    assert cb.diagnose(cb.build(assembly)).mobility.dof == 2
    assert [i.name for i in assembly.instances] == ["a", "b"]


def test_the_planes_of_the_assembly_are_of_the_ground(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, instance("a"), constraints=constraint("Coincident", "C", ("a",), ())))
    assert [(m.a.component, m.b.component) for m in assembly.mates] == [("a", "ground")]
    assert not codes(assembly)


def test_a_missing_shape_changes_no_motion(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b")
    file = write(tmp_path, tree, joints=joint("Revolute", "J", ("a",), ("b",)))
    file.write_text(file.read_text().replace("</MassProperties>", '</MassProperties><GeometryFile name="gone.STEP"/>'))
    assembly = read(file)
    assert [(f.code, f.severity) for f in assembly.findings] == [("CB112", "warning")]
    assert assembly.part("block").declared is not None


@pytest.mark.parametrize("more", ["", ' value="7"'])
def test_limit_mates_never_lock(more: str, tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + instance("b", "0 0 12.5")
    text = constraint("Distance", "LimitDistance1", ("a",), ("b",), more=more)
    assembly = read(write(tmp_path, tree, constraints=text))
    assert not assembly.mates
    (told,) = assembly.findings
    assert told.code == "CB165"
    assert "12.5 mm" in told.message


def test_a_mirrored_instance_has_a_mirrored_part(tmp_path: Path) -> None:
    mirror = "1 0 0 0 1 0 0 0 -1"
    tree = instance("a", grounded="true") + instance("b", "0 0 10", mirror)
    assembly = read(write(tmp_path, tree, joints=joint("Revolute", "J", ("a",), ("b",), "1 2 3")))
    assert codes(assembly) == ["CB131"]
    part = assembly.part("block (mirrored)")
    assert part.mirrored_from == "block"
    assert part.declared is not None
    X = assembly.instance("b").X_WI
    assert np.linalg.det(X.R) == pytest.approx(1.0)
    # The centre of mass lies where the mirroring of the original puts it: (0.1, 0.2, -0.3) m + 10 mm.
    np.testing.assert_allclose(X.point(part.declared.com), [0.1, 0.2, -0.29])
    original = assembly.part("block").declared
    assert original is not None
    M = np.diag([1.0, 1.0, -1.0])
    np.testing.assert_allclose(X.R @ part.declared.inertia @ X.R.T, M @ original.inertia @ M, atol=1e-12)
    (mate,) = assembly.mates
    C = assembly.component("b").X_WC
    np.testing.assert_allclose(C.point(mate.b.point), [1e-3, 2e-3, 7e-3])
    assert mate.b.direction is not None
    np.testing.assert_allclose(C.vector(mate.b.direction), [0, 0, -1], atol=1e-15)


SUB = '<Assembly name="sub" uid="sub"><Joints>{}</Joints></Assembly>'
INNER = joint("Revolute", "hinge", ("p",), ("q",))


def test_sub_assemblies_with_joints_are_flexible_at_every_place(tmp_path: Path) -> None:
    below = instance("p") + instance("q")
    tree = instance("left", "5 0 0", inner=below, entity="sub") + instance("right", "9 0 0", inner=below, entity="sub")
    assembly = read(write(tmp_path, tree, assemblies=SUB.format(INNER)))
    assert [c.name for c in assembly.components] == ["left/p", "left/q", "right/p", "right/q"]
    assert [m.name for m in assembly.mates] == ["left/hinge", "right/hinge"]
    assert assembly.mates_in_file == 2
    assert not codes(assembly)
    np.testing.assert_allclose(assembly.component("right/q").X_WC.p, [9e-3, 0, 0])


def test_a_sub_assembly_said_to_be_rigid_is_one_component(tmp_path: Path) -> None:
    tree = instance("left", "5 0 0", inner=instance("p") + instance("q"), entity="sub", rigid="true")
    assembly = read(write(tmp_path, tree, assemblies=SUB.format(INNER)))
    assert [(c.name, c.instances) for c in assembly.components] == [("left", ("left/p", "left/q"))]
    assert codes(assembly) == ["CB168"]


def test_what_is_fixed_in_a_flexible_sub_assembly_is_its_frame_not_the_ground(tmp_path: Path) -> None:
    below = instance("p", grounded="true") + instance("q") + instance("r", grounded="true")
    tree = instance("base", grounded="true") + instance("arm", "5 0 0", inner=below, entity="sub", rigid="false")
    text = joint("Revolute", "root", ("base",), ("arm",))
    assembly = read(write(tmp_path, tree, joints=text, assemblies=SUB.format(INNER)))
    assert not codes(assembly)
    assert {c.name: c.instances for c in assembly.components} == {
        "base": ("base",),
        "arm/p": ("arm/p", "arm/r"),
        "arm/q": ("arm/q",),
    }
    assert [c.name for c in assembly.components if c.grounded] == ["base"]
    (root, hinge) = assembly.mates
    assert (root.a.component, root.b.component) == ("base", "arm/p")
    assert (hinge.a.component, hinge.b.component) == ("arm/p", "arm/q")
    grounded = read(write(tmp_path, tree.replace('rigid="false"', 'rigid="false" grounded="true"')))
    assert [c.name for c in grounded.components if c.grounded] == ["base", "arm/p", "arm/r"]


def test_the_frame_of_a_loose_flexible_sub_assembly_is_a_body_of_its_own(tmp_path: Path) -> None:
    inner = instance("p") + instance("q")
    tree = instance("base", grounded="true") + instance("arm", "5 0 0", inner=inner, entity="sub", rigid="false")
    text = joint("Revolute", "root", ("base",), ("arm",))
    assembly = read(write(tmp_path, tree, joints=text))
    assert codes(assembly) == ["CB169"]
    assert [c.name for c in assembly.components] == ["base", "arm/p", "arm/q", "arm"]
    # In its own assembly a mate names the assembly itself, or nothing, where it holds one of its planes.
    held = [joint("Weld", "P", ("p",), ("sub",)), joint("Prismatic", "Q", (), ("q",))]
    own = f'<Assembly name="sub" uid="sub"><Joints>{"".join(held)}</Joints></Assembly>'
    assembly = read(write(tmp_path, tree, joints=text, assemblies=own))
    assert codes(assembly) == ["CB169"]
    assert [(m.a.component, m.b.component) for m in assembly.mates][1:] == [("arm/p", "arm"), ("arm", "arm/q")]
    assert cb.diagnose(cb.build(assembly)).mobility.dof == 2


def test_rigid_groups_are_held_together(tmp_path: Path) -> None:
    tree = instance("a", grounded="true") + "".join(instance(u, "1 2 3", rigidGroup="g1") for u in "bcd")
    assembly = read(write(tmp_path, tree, joints=joint("Revolute", "J", ("a",), ("d",))))
    assert [m.kind for m in assembly.mates] == [MateKind.REVOLUTE, MateKind.FIXED, MateKind.FIXED]
    mechanism = cb.build(assembly)
    assert [b.components for b in mechanism.bodies] == [("b", "c", "d")]


def test_an_assembly_that_is_placed_nowhere_is_told(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, instance("a"), assemblies=SUB.format(INNER)))
    assert codes(assembly) == ["CB162"]
    assert assembly.mates_in_file == 1


def test_missing_parts_are_told_and_stand(tmp_path: Path) -> None:
    assembly = read(write(tmp_path, instance("a", entity="gone")), ReadOptions(geometry=False))
    assert codes(assembly) == ["CB162"]
    assert assembly.part("gone").declared is None


def test_sub_assemblies_without_end_are_refused(tmp_path: Path) -> None:
    tree = instance("leaf")
    for _ in range(80):
        tree = instance("s", inner=tree, entity="sub")
    with pytest.raises(cb.InputError) as error:
        read(write(tmp_path, tree))
    assert error.value.findings[-1].code == "CB138"


def test_a_part_file_in_other_capitals_is_no_link_out_of_the_folder(tmp_path: Path) -> None:
    elsewhere = write_part(tmp_path / "elsewhere.step", cq.Workplane().box(1, 2, 3))
    (own := tmp_path / "own").mkdir()
    file = write(own, instance("a"))
    file.write_text(file.read_text("utf-8").replace("</Part>", '<GeometryFile name="PART.STEP"/></Part>'), "utf-8")
    (own / "part.step").symlink_to(elsewhere)
    assert [f.code for f in read(file).findings if f.code in ("CB112", "CB193")] == ["CB112"]
    (own / "part.step").unlink()
    (own / "part.step").write_bytes(elsewhere.read_bytes())
    assert [f.code for f in read(file).findings if f.code in ("CB112", "CB193")] == []
