"""A plain file does not fill the machine: what it makes is counted, and the option that allows more is named."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cadbridge import budget, build, sweep
from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.geometry import Face, Shape
from cadbridge.mass import load_mesh_file
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from cadbridge.shapes import face_features
from cadbridge.simulation.trajectory import FORMAT, read_trajectory

ROOT = Path(__file__).resolve().parents[2]
BALL = '<visual><geometry><sphere radius="{}"/></geometry></visual>'
ROBOT = '<robot name="r"><link name="a">{}</link></robot>'


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    yield
    budget.allow(1.0)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("file", ["r.urdf", "r.sdf"])
def test_balls_without_end_are_refused_with_the_option_that_allows_them(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(budget.LIMITS, "vertices", (100_000, "vertices of shapes"))
    text = ROBOT.format("".join(BALL.format(1 + k / 100) for k in range(40)))
    if file.endswith("sdf"):
        balls = "".join(
            f'<visual name="v{k}"><geometry><sphere><radius>{1 + k / 100}</radius></sphere></geometry></visual>'
            for k in range(40)
        )
        text = f'<sdf version="1.9"><model name="m"><link name="a">{balls}</link></model></sdf>'
    with pytest.raises(InputError) as caught:
        read(written(tmp_path / file, text))
    (finding,) = (f for f in caught.value.findings if f.code == "CB108")
    assert "--allow-larger" in finding.message
    assert finding.where.line is not None
    assert read(tmp_path / file, options=ReadOptions(larger=10.0)).parts


def test_the_same_shape_on_many_links_is_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(budget.LIMITS, "vertices", (20_000, "vertices of shapes"))
    links = "".join(f'<link name="l{k}">{BALL.format(0.1)}</link>' for k in range(60))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k - 1}"/><child link="l{k}"/></joint>' for k in range(1, 60)
    )
    assert len(read(written(tmp_path / "r.urdf", f'<robot name="r">{links}{joints}</robot>')).parts) == 60


@pytest.mark.parametrize(
    ("kind", "file", "text"),
    [
        ("tags", "r.urdf", ROBOT.format("<x/>" * 200)),
        ("attributes", "r.urdf", ROBOT.format("<x " + "".join(f'a{k}="" ' for k in range(200)) + "/>")),
        ("tags", "r.sdf", "<sdf version='1.9'>" + "<x/>" * 200 + "</sdf>"),
        (
            "named",
            "r.sdf",
            "<sdf version='1.9'><model name='m'>"
            + "".join(f"<link name='l{k}'/>" for k in range(200))
            + "</model></sdf>",
        ),
        ("lines", "r.asmt", "OndselSolver\nAssembly\n" + "\tPart\n" * 200),
        ("lines", "r.asmt", "OndselSolver\nAssembly\n" + "\tPart\u2028" * 200),
        ("marks", "r.json", json.dumps({"rootAssembly": {}, "x": [0] * 200})),
        ("marks", "m.json", json.dumps({"format": "cadbridge.mechanism/1", "x": [0] * 200})),
    ],
)
def test_elements_and_values_are_counted(
    kind: str, file: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(budget.LIMITS, kind, (100, budget.LIMITS[kind][1]))
    with pytest.raises(InputError) as caught:
        read(written(tmp_path / file, text))
    assert [f.code for f in caught.value.findings] == ["CB108"]


@pytest.mark.parametrize("file", ["fixtures/four_bar/four_bar.urdf", "fixtures/door/door.sdf"])
def test_bodies_are_counted_whatever_the_format(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 MB of Simscape's instances took 2.7 GB once they were read."""
    monkeypatch.setitem(budget.LIMITS, "instances", (1, budget.LIMITS["instances"][1]))
    with pytest.raises(InputError) as caught:
        read(ROOT / file)
    assert [f.code for f in caught.value.findings] == ["CB108"]
    assert read(ROOT / file, options=ReadOptions(larger=10.0)).components


@pytest.mark.parametrize("encoding", ["UTF-7", "csUnicode11UTF7", "JAVA"])
def test_an_encoding_in_which_tags_cannot_be_counted_is_refused(encoding: str, tmp_path: Path) -> None:
    """In UTF-7 a tag is `+ADw-x/+AD4-`: libxml2 reads it, and the text holds no "<"."""
    text = f'<?xml version="1.0" encoding="{encoding}"?>'
    text += "+ADw-robot name='r'+AD4APA-link name='a'/+AD4APA-/robot+AD4-"
    with pytest.raises(InputError) as caught:
        read(written(tmp_path / "r.urdf", text))
    (finding,) = caught.value.findings
    assert (finding.code, finding.where.line) == ("CB104", 1)
    assert encoding in finding.message


@pytest.mark.parametrize("encoding", ["UTF-16", "windows-1252", "ISO-8859-1", "Shift_JIS", "gb2312"])
def test_other_encodings_are_read(encoding: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="{encoding}"?>' + ROBOT.format("")
    (tmp_path / "r.urdf").write_bytes(text.encode(encoding))
    assert read(tmp_path / "r.urdf").components


@pytest.mark.parametrize("kind", ["tags", "attributes"])
def test_a_dae_is_counted_before_it_is_parsed(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = "".join(f'<node id="n{k}"/>' for k in range(200))
    path = written(tmp_path / "m.dae", f"<COLLADA><library_visual_scenes>{nodes}</library_visual_scenes></COLLADA>")
    monkeypatch.setitem(budget.LIMITS, kind, (100, budget.LIMITS[kind][1]))
    with pytest.raises(ValueError, match="--allow-larger 3"):
        load_mesh_file(path)


def test_the_nodes_of_a_gltf_are_counted_before_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 MB of empty nodes took more than 4 GB."""
    path = written(tmp_path / "m.gltf", json.dumps({"asset": {"version": "2.0"}, "nodes": [{}] * 200}))
    monkeypatch.setitem(budget.LIMITS, "marks", (100, budget.LIMITS["marks"][1]))
    with pytest.raises(ValueError, match="--allow-larger 3"):
        load_mesh_file(path)


@pytest.mark.parametrize("kind", ["primitives", "vertices"])
def test_primitives_of_a_gltf_that_share_their_numbers_are_counted(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes a copy of them: 100 MB of such took more than 4 GB."""
    import trimesh

    scene = trimesh.Scene(trimesh.creation.box())
    (whole,) = (data for name, data in scene.export(file_type="gltf").items() if name.endswith(".gltf"))
    document = json.loads(whole)
    document["buffers"] = [{"byteLength": 0, "uri": "data:,"}]
    document["meshes"][0]["primitives"] *= 200
    path = written(tmp_path / "m.gltf", json.dumps(document))
    monkeypatch.setitem(budget.LIMITS, kind, (100, budget.LIMITS[kind][1]))
    with pytest.raises(ValueError, match=r"--allow-larger"):
        load_mesh_file(path)


@pytest.mark.parametrize(("kind", "faces"), [("lines", "f 1 2 3\n" * 200), ("words", "f" + " 1 2 3" * 70 + "\n")])
def test_an_obj_is_counted_before_it_is_read(
    kind: str, faces: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """100 MB of faces took more than 4 GB, and so did one face of 100 MB."""
    path = written(tmp_path / "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + faces)
    assert len(load_mesh_file(path).triangles)
    monkeypatch.setitem(budget.LIMITS, kind, (100, budget.LIMITS[kind][1]))
    with pytest.raises(ValueError, match="--allow-larger 3"):
        load_mesh_file(path)


def test_a_packed_table_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(budget.LIMITS, "cells", (10_000_000, budget.LIMITS["cells"][1]))
    rows = 3_000_000
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([0.0]))
    table = pa.table(dict.fromkeys(("time", "a", "b", "c"), column)).replace_schema_metadata({FORMAT: ""})
    pq.write_table(table, tmp_path / "run.parquet")
    assert (tmp_path / "run.parquet").stat().st_size < 100_000
    with pytest.raises(InputError, match="--allow-larger 2"):
        read_trajectory(tmp_path / "run.parquet")


def test_an_old_document_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "r.urdf", ROBOT.format(""))
    monkeypatch.setitem(budget.LIMITS, "marks", (100, "values and keys of JSON"))
    old = written(tmp_path / "old.json", json.dumps([0] * 200))
    assert main(["check", str(source), "--compare", str(old)]) == 2
    assert "--allow-larger" in capsys.readouterr().err


def test_a_mesh_placed_many_times_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import trimesh

    scene = trimesh.Scene()
    for k in range(50):
        scene.add_geometry(
            trimesh.creation.box(), geom_name="box", transform=np.eye(4) * [1, 1, 1, 1], node_name=f"n{k}"
        )
    (tmp_path / "m.glb").write_bytes(scene.export(file_type="glb"))
    load_mesh_file(tmp_path / "m.glb")
    monkeypatch.setitem(budget.LIMITS, "vertices", (100, "vertices of shapes"))
    with pytest.raises(ValueError, match="--allow-larger"):
        load_mesh_file(tmp_path / "m.glb")
    monkeypatch.setitem(budget.LIMITS, "mesh bytes", (100, "bytes of a mesh file"))
    with pytest.raises(ValueError, match="--allow-larger"):
        load_mesh_file(tmp_path / "m.glb")


def test_a_configuration_that_came_with_the_source_raises_no_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "r.urdf", ROBOT.format(""))
    written(tmp_path / "cadbridge.toml", "allow_larger = 1000\n")
    assert main(["check", str(source)]) == 2
    assert "CB116" in capsys.readouterr().err


ASMT = "OndselSolver\nAssembly\n\tNotes\n\n\tName\n\t\ta\n"
STEP_TEXT = "ISO-10303-21;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n"


@pytest.mark.parametrize(
    ("kind", "file", "text"),
    [
        ("XML bytes", "r.urdf", ROBOT.format("")),
        ("JSON bytes", "r.json", json.dumps({"rootAssembly": {}, "parts": []})),
        ("document bytes", "m.json", json.dumps({"format": "cadbridge.mechanism/1"})),
        ("text bytes", "r.asmt", ASMT),
        ("Python bytes", "r.py", "# Chrono::SolidWorks\nimport pychrono as chrono\nb = chrono.ChBodyAuxRef()\n"),
        ("STEP bytes", "r.step", STEP_TEXT),
    ],
)
def test_a_file_is_measured_before_it_is_opened(
    kind: str, file: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / file, text)
    monkeypatch.setitem(budget.LIMITS, kind, (len(text) - 1, budget.LIMITS[kind][1]))
    with pytest.raises(InputError) as caught:
        read(path)
    (finding,) = caught.value.findings
    assert finding.code == "CB108"
    assert "--allow-larger 2" in finding.message
    assert finding.where is not None
    assert finding.where.file == str(path)
    with contextlib.suppress(InputError):  # what else is wrong with it
        assert "CB108" not in [f.code for f in read(path, options=ReadOptions(larger=2.0)).findings]


@pytest.mark.parametrize("kind", ["Document.xml bytes", "archive bytes"])
def test_the_members_of_an_archive_are_counted_as_they_unpack(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "r.FCStd", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Document.xml", "<Document>" + " " * 4000 + "</Document>")
    monkeypatch.setitem(budget.LIMITS, kind, (1000, budget.LIMITS[kind][1]))
    with pytest.raises(InputError) as caught:
        read(tmp_path / "r.FCStd")
    (message,) = (f.message for f in caught.value.findings if f.code == "CB1223")
    assert "--allow-larger" in message


def test_recognition_unpacks_shapes_within_the_same_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It reads the archive again, which may be another by then."""
    with zipfile.ZipFile(tmp_path / "r.FCStd", "w") as archive:
        archive.writestr("Shape.brp", "x" * 4000)
    monkeypatch.setitem(budget.LIMITS, "member bytes", (1000, budget.LIMITS["member bytes"][1]))
    face = Face("plane", np.zeros(3), None, None, None, 1.0, np.zeros(3))
    shape = Shape("key", None, None, faces=(face,), source=(str(tmp_path / "r.FCStd"), "Shape.brp"))
    (said,) = face_features([shape]).values()
    assert isinstance(said, str)
    assert "--allow-larger 5" in said


def test_a_pattern_of_columns_is_bounded(tmp_path: Path) -> None:
    """To compile 4,000 brackets took 20 s: fnmatch looks for the end of each."""
    mechanism = build(read(ROOT / "fixtures/four_bar/four_bar.urdf"))
    plan = {"format": "cadbridge.sweep/1", "vary": [], "keep": {"series": ["joint.*" + "[a " * 4000]}}
    with pytest.raises(InputError) as caught:
        sweep(mechanism, plan)
    assert any("1000" in f.message for f in caught.value.findings)


def test_a_picture_is_measured_before_it_is_unpacked(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    side = (60_000).to_bytes(4, "big")
    (tmp_path / "h.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + 2 * side + b"\x08\0\0\0\0")
    asset = '<asset><hfield name="h" file="h.png" size="1 1 1 1"/></asset>'
    path = written(tmp_path / "m.xml", f"<mujoco>{asset}<worldbody><body/></worldbody></mujoco>")
    with pytest.raises(InputError) as caught:
        read(path)
    (finding,) = caught.value.findings
    assert finding.code == "CB108"
    assert "pixels" in finding.message
    assert "--allow-larger" in finding.message


def test_a_xacro_beyond_its_limit_names_the_option_that_reads_it(tmp_path: Path) -> None:
    """Its limits are looked after in a process of its own, which gets the factor."""
    empty = f"<!--{' ' * (1 << 20)}-->"
    link = '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{}<link name="${{\'a\'}}"/></robot>'
    path = written(tmp_path / "r.urdf.xacro", link.format(empty * 33))
    with pytest.raises(InputError, match="has more than 32 MiB of a xacro file, or of what it reads; --allow-larger 2"):
        read(path)
    assert [c.name for c in read(path, options=ReadOptions(larger=2.0)).components] == ["a"]
