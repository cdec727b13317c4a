"""Volume by triangles, what is wrong with meshes, where a part's mass comes from."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import cadbridge as cb
from cadbridge.assembly import MassOverride, Mesh, Part, Shape
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mass import (
    audit_declared,
    audit_mesh,
    impossible,
    load_mesh_file,
    part_volume,
    positive,
    settled,
    volume_properties,
    weigh_part,
)

_FACES = [
    (0, 3, 1), (0, 2, 3), (4, 5, 7), (4, 7, 6), (0, 1, 5), (0, 5, 4),
    (2, 7, 3), (2, 6, 7), (0, 6, 2), (0, 4, 6), (1, 3, 7), (1, 7, 5),
]  # fmt: skip


def box(a: float, b: float, c: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Mesh:
    """A box a × b × c (m) with its lowest corner at `at`."""
    corners = [(x, y, z) for z in (0.0, c) for y in (0.0, b) for x in (0.0, a)]
    return Mesh(np.array(corners) + np.array(at), np.array(_FACES, dtype=np.int32))


def join(*meshes: Mesh) -> Mesh:
    offsets = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(
        np.vstack([m.vertices for m in meshes]),
        np.vstack([m.triangles + o for m, o in zip(meshes, offsets, strict=False)]).astype(np.int32),
    )


def turned(mesh: Mesh, which: list[int] | slice = slice(None)) -> Mesh:
    triangles = mesh.triangles.copy()
    triangles[which] = triangles[which][:, ::-1]
    return Mesh(mesh.vertices, triangles)


def shape(mesh: Mesh | None, **more: object) -> Shape:
    return Shape(key="k", fine=mesh, coarse=mesh, **more)  # type: ignore[arg-type]


def codes(findings: Findings) -> list[str]:
    return [f.code for f in findings]


def box_inertia(a: float, b: float, c: float, density: float = 1.0) -> np.ndarray:
    mass = density * a * b * c
    return mass / 12.0 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])


# --- volume ---


def test_a_box_has_the_volume_and_inertia_of_the_textbook() -> None:
    properties = volume_properties(box(0.1, 0.2, 0.3))
    assert properties.mass == pytest.approx(0.006, rel=1e-13)
    np.testing.assert_allclose(properties.com, [0.05, 0.1, 0.15], atol=1e-15)
    np.testing.assert_allclose(properties.inertia, box_inertia(0.1, 0.2, 0.3), atol=1e-18)


def test_a_small_part_far_away_keeps_its_inertia() -> None:
    far = volume_properties(box(0.01, 0.02, 0.03, at=(1e3, -2e3, 3e3)))
    np.testing.assert_allclose(far.inertia, box_inertia(0.01, 0.02, 0.03), rtol=1e-7, atol=1e-20)


_small = st.floats(0.01, 2.0)
_where = st.floats(-10.0, 10.0)


@given(
    st.tuples(_small, _small, _small),
    st.tuples(_where, _where, _where),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4),
)
def test_mass_follows_a_rigid_motion(
    sizes: tuple[float, float, float], at: tuple[float, float, float], q: list[float]
) -> None:
    if np.linalg.norm(q) < 0.1:
        q = [1.0, 0.0, 0.0, 0.0]
    mesh, pose = box(*sizes), Pose.from_quaternion(at, q)
    moved = Mesh(mesh.vertices @ pose.R.T + pose.p, mesh.triangles)
    ours, expected = volume_properties(moved), volume_properties(mesh).moved(pose)
    scale = np.abs(expected.inertia).max()
    assert ours.mass == pytest.approx(expected.mass, rel=1e-9)
    np.testing.assert_allclose(ours.com, expected.com, atol=1e-9)
    np.testing.assert_allclose(ours.inertia, expected.inertia, atol=1e-8 * scale)


@given(st.tuples(_small, _small, _small), st.floats(0.001, 1000.0))
def test_a_change_of_unit_scales_by_the_third_and_fifth_power(sizes: tuple[float, float, float], factor: float) -> None:
    small, large = box(*sizes), box(*sizes)
    large = Mesh(small.vertices * factor, small.triangles)
    ours, base = volume_properties(large), volume_properties(small)
    assert ours.mass == pytest.approx(base.mass * factor**3, rel=1e-12)
    np.testing.assert_allclose(ours.inertia, base.inertia * factor**5, rtol=1e-10, atol=1e-12 * ours.inertia.max())


# --- the audit ---


def test_a_closed_box_is_found_closed() -> None:
    audit = audit_mesh(box(1, 1, 1))
    assert (audit.closed, audit.flipped, audit.inverted, audit.shells) == (True, 0, 0, 1)


def test_triangles_of_their_own_are_welded() -> None:
    mesh = box(1, 2, 3)
    soup = Mesh(mesh.vertices[mesh.triangles].reshape(-1, 3), np.arange(36, dtype=np.int32).reshape(-1, 3))
    audit = audit_mesh(soup)
    assert audit.closed
    assert len(audit.mesh.vertices) == 8
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


def test_an_inverted_box_is_turned_and_told() -> None:
    audit = audit_mesh(turned(box(1, 2, 3)))
    assert audit.closed
    assert audit.inverted == 1
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


@pytest.mark.parametrize("which", [[0], [3, 7], [11]])
def test_flipped_triangles_are_turned_and_counted(which: list[int]) -> None:
    audit = audit_mesh(turned(box(1, 2, 3), which))
    assert audit.closed
    assert audit.flipped == len(which)
    assert volume_properties(audit.mesh).mass == pytest.approx(6.0)


def test_a_hole_is_found() -> None:
    mesh = box(1, 1, 1)
    audit = audit_mesh(Mesh(mesh.vertices, mesh.triangles[:-1]))
    assert not audit.closed
    assert audit.open_edges == 3


def test_degenerate_triangles_are_dropped() -> None:
    mesh = box(1, 1, 1)
    audit = audit_mesh(Mesh(mesh.vertices, np.vstack([mesh.triangles, [[2, 2, 5]]]).astype(np.int32)))
    assert audit.closed
    assert audit.degenerate == 1


def test_a_cavity_stays_a_cavity() -> None:
    audit = audit_mesh(join(box(1, 1, 1), turned(box(0.5, 0.5, 0.5, at=(0.2, 0.2, 0.2)))))
    assert (audit.closed, audit.shells, audit.inverted, audit.overlapping) == (True, 2, 0, 0)
    assert volume_properties(audit.mesh).mass == pytest.approx(1.0 - 0.125)


def test_an_inverted_shell_beside_another_is_turned() -> None:
    audit = audit_mesh(join(box(1, 1, 1), turned(box(0.5, 0.5, 0.5, at=(3, 0, 0)))))
    assert audit.inverted == 1
    assert volume_properties(audit.mesh).mass == pytest.approx(1.125)


def test_shells_that_overlap_are_told() -> None:
    assert audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(0.5, 0.5, 0.5)))).overlapping > 0
    assert audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(1.5, 0.5, 0.5)))).overlapping == 0


def test_boxes_that_touch_along_an_edge_are_closed() -> None:
    audit = audit_mesh(join(box(1, 1, 1), box(1, 1, 1, at=(1, 1, 0))))
    assert audit.closed
    assert volume_properties(audit.mesh).mass == pytest.approx(2.0)


# --- a part ---


def weigh(part: Part, findings: Findings) -> tuple[MassProperties | None, str | None]:
    weighed = weigh_part(part, part_volume(part), findings)
    return weighed.properties, weighed.source


def test_density_times_volume() -> None:
    findings = Findings()
    mass, source = weigh(Part("p", shape(box(0.1, 0.1, 0.1)), density=7850.0), findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(7.85), "mesh")
    assert not len(findings)


def test_without_density_there_is_no_mass() -> None:
    findings = Findings()
    part = Part("Housing", shape(box(1, 1, 1)), material="Unobtainium")
    assert weigh(part, findings) == (None, None)
    assert codes(findings) == ["CB301"]
    assert "Unobtainium" in findings.as_tuple()[0].message


def test_an_open_mesh_has_no_mass_but_its_brep_does() -> None:
    mesh = box(1, 1, 1)
    holed = Mesh(mesh.vertices, mesh.triangles[1:])
    findings = Findings()
    assert weigh(Part("p", shape(holed), density=1.0), findings) == (None, None)
    assert codes(findings) == ["CB303"]
    exact = volume_properties(mesh)
    mass, source = weigh(Part("p", shape(holed, brep=exact), density=2.0), Findings())
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(2.0), "brep")


def test_the_collision_mesh_stands_in_for_an_open_one() -> None:
    mesh = box(1, 1, 1)
    holed = Mesh(mesh.vertices, mesh.triangles[1:])
    findings = Findings()
    part = Part("p", shape(holed, collision=box(2, 1, 1), collision_file="hull.stl"), density=1.0)
    mass, source = weigh(part, findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(2.0), "mesh")
    assert codes(findings) == ["CB303", "CB314"]
    assert "hull.stl" in findings.as_tuple()[1].message


def test_a_mesh_that_is_off_its_brep_gives_way() -> None:
    findings = Findings()
    exact = volume_properties(box(1.0, 1.0, 1.01))
    mass, source = weigh(Part("p", shape(box(1, 1, 1), brep=exact), density=1.0), findings)
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(1.01), "brep")
    assert codes(findings) == ["CB304"]


_STEEL_BOX = Part("p", shape(box(0.1, 0.2, 0.3)), density=1000.0)
_DECLARED = MassProperties(2.0, np.array([1.0, 2.0, 3.0]), np.diag([0.1, 0.1, 0.1]))


def test_what_is_declared_goes_before_the_mesh() -> None:
    mass, source = weigh(replace(_STEEL_BOX, declared=_DECLARED), Findings())
    assert (mass, source) == (_DECLARED, "declared")


def test_an_override_of_the_mass_scales_the_inertia() -> None:
    mass, source = weigh(replace(_STEEL_BOX, override=MassOverride(mass=12.0)), Findings())
    assert mass is not None
    assert (mass.mass, source) == (pytest.approx(12.0), "override")
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 2000.0), atol=1e-15)
    np.testing.assert_allclose(mass.com, [0.05, 0.1, 0.15])


def test_a_mass_override_needs_no_density() -> None:
    part = replace(_STEEL_BOX, density=None, override=MassOverride(mass=6.0))
    findings = Findings()
    mass, _ = weigh(part, findings)
    assert mass is not None
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 1000.0), atol=1e-15)
    assert not len(findings)


def test_an_override_of_the_centre_moves_the_body() -> None:
    mass, _ = weigh(replace(_STEEL_BOX, override=MassOverride(com=np.array([9.0, 0, 0]))), Findings())
    assert mass is not None
    np.testing.assert_allclose(mass.com, [9.0, 0, 0])
    np.testing.assert_allclose(mass.inertia, box_inertia(0.1, 0.2, 0.3, 1000.0), atol=1e-15)


def test_an_incomplete_override_of_a_part_without_shape_is_told() -> None:
    findings = Findings()
    assert weigh(Part("Ghost", override=MassOverride(mass=1.0)), findings) == (None, None)
    assert "CB309" in codes(findings)
    assert "com, inertia" in next(f.message for f in findings if f.code == "CB309")


def test_an_impossible_override_is_told() -> None:
    findings = Findings()
    override = MassOverride(inertia=np.diag([1.0, 1.0, 5.0]))
    _, source = weigh(replace(_STEEL_BOX, override=override), findings)
    assert source == "mesh"
    assert codes(findings) == ["CB310"]


@pytest.mark.parametrize(
    ("mass", "inertia", "word"),
    [
        (-1.0, np.eye(3), "mass"),
        (0.0, np.eye(3), "0"),
        (1.0, np.diag([1.0, 1.0, 2.5]), "triangle"),
        (1.0, np.diag([1.0, 1.0, -1.0]), "positive"),
        (1.0, np.array([[1.0, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        (float("nan"), np.eye(3), "finite"),
    ],
)
def test_what_no_body_can_have(mass: float, inertia: np.ndarray, word: str) -> None:
    reason = impossible(MassProperties(mass, np.zeros(3), inertia))
    assert reason is not None
    assert word in reason


def test_a_thin_plate_is_possible() -> None:
    assert impossible(MassProperties(1.0, np.zeros(3), np.diag([1.0, 2.0, 3.0]))) is None


def test_placeholders_are_told_but_copies_are_not() -> None:
    same = MassProperties(2.0, np.zeros(3), np.diag([0.01, 0.01, 0.01]))
    parts = [Part(f"link_{i}", replace(shape(None), key=str(i)), declared=same) for i in range(4)]
    assert [f.code for f in audit_declared(parts)] == ["CB307"]
    copies = [Part(f"screw_{i}", shape(None), declared=same) for i in range(4)]
    assert audit_declared(copies) == ()


def test_an_impossible_inertia_gives_way_to_a_shape_with_a_density() -> None:
    bad = MassProperties(1.0, np.zeros(3), np.diag([1.0, 1.0, 9.0]))
    part = replace(_STEEL_BOX, declared=bad)
    assert audit_declared([part]) == ()
    findings = Findings()
    mass, source = weigh(part, findings)
    assert mass is not None
    assert source == "mesh"
    assert codes(findings) == ["CB308"]


@pytest.mark.parametrize("moments", [(1.0, 1.0, 9.0), (1.0, 1.0, -0.5)])
def test_an_impossible_inertia_without_a_density_is_used_as_engines_do(moments: tuple[float, ...]) -> None:
    bad = MassProperties(1.0, np.zeros(3), np.diag(moments))
    findings = Findings()
    found = weigh(Part("link", declared=bad), findings)
    assert found == (bad, "declared")
    assert codes(findings) == ["CB1433"]


def test_a_negative_or_infinite_mass_cannot_be_used() -> None:
    parts = [
        Part("less", declared=MassProperties(-1.0, np.zeros(3), np.eye(3))),
        Part("wild", declared=MassProperties(1.0, np.zeros(3), np.full((3, 3), np.inf))),
    ]
    assert [f.code for f in audit_declared(parts)] == ["CB305", "CB305"]
    assert [weigh(part, Findings())[0] for part in parts] == [None, None]


def test_rounded_zeros_below_zero_are_zeros_and_a_moment_below_zero_is_not() -> None:
    rounded = MassProperties(0.5, np.zeros(3), np.diag([-5e-20, -5e-20, 0.0]))
    assert not settled(rounded).inertia.any()
    below = MassProperties(0.5, np.zeros(3), np.diag([1.0, 1.0, -0.1]))
    assert settled(below) is below
    assert positive(settled(rounded))
    assert not positive(below)


# --- mesh files ---


def _obj(mesh: Mesh) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices]
    return "\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.triangles])


def test_a_mesh_file_is_scaled_and_a_mirroring_scale_keeps_its_outside(tmp_path: Path) -> None:
    path = tmp_path / "box.obj"
    path.write_text("mtllib /etc/passwd\n" + _obj(box(100, 200, 300)))
    assert volume_properties(load_mesh_file(path, 0.001)).mass == pytest.approx(0.006)
    assert volume_properties(load_mesh_file(path, (0.001, -0.001, 0.001))).mass == pytest.approx(0.006)


_DAE = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="{unit}"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="24">{points}</float_array><technique_common>
<accessor source="#a" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>{corners}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>10 0 0</translate>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def test_a_dae_has_its_unit_and_its_nodes_applied_but_not_its_up_axis(tmp_path: Path) -> None:
    mesh = box(1, 2, 3)
    points = " ".join(f"{v}" for v in mesh.vertices.ravel())
    corners = " ".join(f"{v}" for v in mesh.triangles.ravel())
    path = tmp_path / "box.dae"
    path.write_text(_DAE.format(unit=0.01, points=points, corners=corners))
    loaded = volume_properties(load_mesh_file(path))
    assert loaded.mass == pytest.approx(6e-6)
    np.testing.assert_allclose(loaded.com, [0.105, 0.01, 0.015])


def _dae(library: str = "", scene: str = '<node><instance_node url="#a"/></node>') -> bytes:
    """A DAE of nodes alone."""
    return (
        '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit meter="1"/></asset>'
        f"<library_nodes>{library}</library_nodes><library_visual_scenes>"
        f'<visual_scene id="s">{scene}</visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    ).encode()


def _doubling(levels: int) -> str:
    """Nodes of which each places the next twice; the first is called a."""
    names = ["a", *(f"n{i}" for i in range(levels))]
    nodes = (f'<node id="{n}">{f"""<instance_node url="#{m}"/>""" * 2}</node>' for n, m in pairwise(names))
    return "".join(nodes) + f'<node id="{names[-1]}"/>'


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("a.stl", b"", "cannot be read|no triangles"),
        ("a.stl", b"solid nothing\nendsolid nothing\n", "cannot be read|no triangles"),
        ("a.stl", bytes(range(256)) * 3, "cannot be read|no triangles"),
        ("a.dae", b"<COLLADA", "cannot be read"),
        ("a.dae", b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "DOCTYPE"),
        ("a.dae", '<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>'.encode("utf-16"), "DOCTYPE"),
        ("a.dae", _dae(library='<node id="a"><instance_node url="#a"/></node>'), "in itself"),
        ("a.dae", _dae(library=_doubling(20)), "more than 20000 nodes"),
        ("a.dae", _dae(scene="<node>" * 10_000 + "</node>" * 10_000), "cannot be read"),
        ("a.obj", b"v 0 0 0\nv 1 -1e308 0\nv 0 1 0\nf 1 2 3\n", "beyond 1e\\+12 m"),
        ("a.obj", b"v 0 0 0\n", "cannot be read|no triangles"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n", "not numbers|cannot be read"),
        ("a.step", b"ISO-10303-21;", "meshes are read from"),
    ],
)
def test_broken_mesh_files_say_what_is_wrong(tmp_path: Path, name: str, content: bytes, word: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=word):
        load_mesh_file(path)


def _gltf(**changes: object) -> bytes:
    """A pyramid in a node moved by 10 along z, with what is changed of the document."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype="<u2")
    numbers = corners.tobytes() + faces.tobytes()
    document: dict[str, object] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 10]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [
            {
                "byteLength": len(numbers),
                "uri": "data:application/octet-stream;base64," + base64.b64encode(numbers).decode(),
            }
        ],
    }
    return json.dumps(document | changes).encode()


def test_gltf_meshes_stand_as_they_are_written(tmp_path: Path) -> None:
    """Their y axis is not turned up; nodes are placed, and textures are not opened."""
    plain, packed = tmp_path / "a.gltf", tmp_path / "a.glb"
    plain.write_bytes(_gltf(materials=[{"pbrMetallicRoughness": {}}], images=[{"uri": "../secret.png"}]))
    trimesh.creation.box(extents=[1, 2, 3]).apply_translation([5, 6, 7]).export(packed)
    assert load_mesh_file(plain).vertices.min(axis=0).tolist() == [0, 0, 10]
    assert load_mesh_file(plain).vertices.max(axis=0).tolist() == [1, 1, 11]
    found = volume_properties(load_mesh_file(packed, 0.1))
    assert found.mass == pytest.approx(0.006)
    assert found.com == pytest.approx([0.5, 0.6, 0.7])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.urdf",
            '<robot name="r"><link name="l"><visual><geometry><mesh filename="m.glb"/></geometry></visual><collision>'
            '<geometry><mesh filename="m.glb"/></geometry></collision></link></robot>',
        ),
        (
            "a.sdf",
            '<sdf version="1.9"><model name="r"><link name="l"><collision name="c"><geometry><mesh><uri>m.glb</uri>'
            "</mesh></geometry></collision></link></model></sdf>",
        ),
    ],
)
def test_a_robot_of_gltf_meshes_says_how_their_axes_are_taken(tmp_path: Path, name: str, text: str) -> None:
    trimesh.creation.box(extents=[1, 2, 3]).apply_translation([5, 6, 7]).export(tmp_path / "m.glb")
    (tmp_path / name).write_text(text)
    assembly = cb.read(tmp_path / name)
    shape = assembly.parts[0].shape
    assert [f.code for f in assembly.findings].count("CB1259") == 1
    assert shape is not None
    mesh = shape.collision or shape.fine
    assert mesh is not None
    assert mesh.vertices.min(axis=0).tolist() == [4.5, 5.0, 5.5]


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"buffers": [{"byteLength": 72, "uri": "numbers.bin"}]}, "no file that a mesh names is opened"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "needs KHR_draco_mesh_compression"),
        ({"nodes": [{"mesh": 0, "children": [0]}]}, "in itself"),
        ({"nodes": [{"children": [i + 1, i + 1]} for i in range(40)] + [{"mesh": 0}]}, "more than 20000 nodes"),
        ({"nodes": [{"children": [i + 1]} for i in range(5000)] + [{"mesh": 0}]}, "cannot be read"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 1}]}]}, "something else than triangles"),
        ({"accessors": [{"bufferView": 0, "componentType": 5126, "count": 10**9, "type": "VEC3"}] * 2}, "more of them"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 7}}]}]}, "cannot be read"),
        ({"nodes": 3}, "cannot be read"),
    ],
)
def test_gltf_meshes_that_are_not_read_say_why(tmp_path: Path, changes: dict[str, object], word: str) -> None:
    path = tmp_path / "a.gltf"
    path.write_bytes(_gltf(**changes))
    with pytest.raises(ValueError, match=word):
        load_mesh_file(path)


@pytest.mark.parametrize("content", [b"", b"glTF", b"glTF" + bytes(40), b"[1]", b'{"meshes": [{}]}', b"\xff{}"])
@pytest.mark.parametrize("name", ["a.glb", "a.gltf"])
def test_broken_gltf_files_are_no_traceback(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"cannot be read|no triangles"):
        load_mesh_file(path)


def test_a_missing_mesh_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        load_mesh_file(tmp_path / "none.stl")


def test_the_meshes_of_a_real_robot_weigh_what_is_known(corpus: Path) -> None:
    folder = corpus / "kuka_kr16_support" / "meshes" / "kr16_2"
    totals = []
    for pattern in ("visual/*.dae", "collision/*.stl"):
        audits = [audit_mesh(load_mesh_file(path)) for path in sorted(folder.glob(pattern))]
        assert len(audits) == 7
        assert all(audit.closed for audit in audits)
        totals.append(sum(2700.0 * volume_properties(audit.mesh).mass for audit in audits))
    assert totals == [pytest.approx(354.758, abs=0.01), pytest.approx(616.202, abs=0.01)]
