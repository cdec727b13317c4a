"""Mesh files: OBJ, STL, DAE and glTF as they are written, and what is wrong with them."""

from __future__ import annotations

import base64
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge import budget
from cadbridge.geometry import Mesh
from cadbridge.mass import audit_mesh, load_mesh_file, volume_properties
from cadbridge.mass.audit import weld
from tests.late import trimesh
from tests.test_mass import box


def _obj(mesh: Mesh) -> str:
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices]
    return "\n".join(lines + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.triangles])


def test_a_mesh_file_is_scaled_and_a_mirroring_scale_keeps_its_outside(tmp_path: Path) -> None:
    path = tmp_path / "box.obj"
    path.write_text("mtllib /etc/passwd\n" + _obj(box(100, 200, 300)))
    assert volume_properties(load_mesh_file(path, 0.001)).mass == pytest.approx(0.006)
    assert volume_properties(load_mesh_file(path, (0.001, -0.001, 0.001))).mass == pytest.approx(0.006)


@pytest.mark.parametrize("ending", ["stl", "stl_ascii"])
def test_an_stl_is_read_as_trimesh_reads_it(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The binary one without trimesh, whose loading takes 1.5 s; a head may say "solid" in both."""
    path, ball = tmp_path / "ball.stl", trimesh.creation.icosphere(2, 0.3)
    data = ball.export(file_type=ending)
    path.write_bytes(data.encode() if isinstance(data, str) else b"solid".ljust(80) + data[80:])
    expected = trimesh.load_mesh(path, process=False)
    if ending == "stl":
        monkeypatch.setitem(sys.modules, "trimesh", None)
    found = load_mesh_file(path, 2.0)
    same = weld(Mesh(2.0 * np.asarray(expected.vertices), np.asarray(expected.faces, np.int32)), 0.0)
    assert len(found.triangles) == len(ball.faces)
    np.testing.assert_array_equal(found.vertices, same.vertices)
    np.testing.assert_array_equal(found.triangles, same.triangles)


@pytest.mark.parametrize("change", [slice(None, -1), slice(None, 84), slice(None, 50)])
def test_a_binary_stl_that_is_cut_off_is_refused(tmp_path: Path, change: slice) -> None:
    path = tmp_path / "box.stl"
    path.write_bytes(trimesh.creation.box().export(file_type="stl")[change])
    with pytest.raises(ValueError, match="holds no triangles"):
        load_mesh_file(path)


def test_a_binary_stl_of_too_many_triangles_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "ball.stl"
    path.write_bytes(trimesh.creation.icosphere(2).export(file_type="stl"))
    monkeypatch.setitem(budget.LIMITS, "vertices", (100, "vertices of shapes"))
    with pytest.raises(ValueError, match=r"cannot be read as STL.*--allow-larger"):
        load_mesh_file(path)


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
    (tmp_path / "m.glb").write_bytes(b"none")
    broken = {f.code: f.hint for f in cb.read(tmp_path / name).findings}
    assert "CB1259" not in broken  # of a mesh that is not read nothing is taken
    assert "what the message says" in broken["CB193"]


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


def test_a_placeholder_of_git_is_named(tmp_path: Path) -> None:
    (tmp_path / "arm.stl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(ValueError, match="git lfs pull"):
        load_mesh_file(tmp_path / "arm.stl")


@pytest.mark.parametrize("rows", [1, 7, 3000])
def test_vertices_are_made_one_as_by_numpy_row_by_row(rows: int) -> None:
    """Triangles of one row of corners, of which many are the same, -0 and 0 among them."""
    corners = np.float64(-0.5) * np.random.default_rng(rows).integers(-3, 3, (3 * rows, 3))
    triangles = np.arange(3 * rows, dtype=np.int32).reshape(-1, 3)
    welded = weld(Mesh(corners, triangles), 0.0)
    kept, inverse = np.unique(corners + 0.0, axis=0, return_inverse=True)
    expected = inverse.reshape(-1)[triangles]
    apart = [len(set(corners)) == 3 for corners in expected.tolist()]
    assert np.array_equal(welded.vertices, kept)
    assert np.array_equal(welded.triangles, expected[apart])
