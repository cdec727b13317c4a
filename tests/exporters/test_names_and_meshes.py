"""Clean names, STL files, sizes, and bodies that hang on nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.exporters import export
from cadbridge.exporters.meshes import MAX_TRIANGLES, stl_bytes
from cadbridge.exporters.names import FileNames, UniqueNames, clean
from cadbridge.exporters.options import ExportOptions
from cadbridge.geometry import Mesh
from cadbridge.mechanism import build
from cadbridge.reading import read
from tests.exporters import models


def test_names_lose_what_targets_refuse() -> None:
    assert clean("Flush:12") == "Flush_12"
    assert clean("Arm/Wrist <1>") == "Arm_Wrist_1"
    assert clean("Träger") == "Trager"
    assert clean("3 jaw", "link") == "link_3_jaw"
    assert clean("軸", "joint") == "joint"


@given(st.lists(st.text(max_size=8), max_size=30))
def test_names_are_clean_unique_and_remembered(originals: list[str]) -> None:
    names = UniqueNames("link")
    given_names = [names.give(original) for original in originals]
    assert len(set(given_names)) == len(originals)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name != "world" for name in given_names)
    assert [names.mapping[name] for name in given_names] == originals


@given(st.lists(st.text(max_size=8), max_size=30))
def test_names_of_files_are_unique_whatever_their_capitals(originals: list[str]) -> None:
    names = FileNames("mesh", r"(?i:_collision\d*)$")
    given_names = [names.give(original) for original in [*originals, "Arm", "arm", "ARM_2", "con", "arm_collision2"]]
    assert len({name.lower() for name in given_names}) == len(originals) + 5
    assert {"con", "aux"}.isdisjoint(name.lower() for name in given_names)
    assert not any(re.search(r"_collision\d*$", name) for name in given_names)


@pytest.mark.parametrize("to", ["urdf", "sdf", "mjcf", "usd", "ros2", "json"])
def test_no_file_of_a_part_is_another_ones_where_capitals_do_not_count(
    to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elsewhere the last of Arm, arm and ARM gave its shape to all; arm_collision was what arm collides by."""
    # How far thirty hulls of boxes are from their boxes is not asked here.
    monkeypatch.setattr("cadbridge.exporters.collision.surface._SAMPLES", 100)
    monkeypatch.setattr("cadbridge.exporters.collision.surface._CUTS", 10)
    links, names = '<link name="base"/>', ["Arm", "arm", "ARM", "con", "arm_collision"]
    for i, name in enumerate(names):
        box = f'<geometry><box size="0.1 0.1 0.{i + 1}"/></geometry>'
        links += (
            f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
            f'</inertial><visual>{box}</visual></link><joint name="of {name}" type="continuous"><parent link="base"/>'
            f'<child link="{name}"/><axis xyz="0 0 1"/></joint>'
        )
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{links}</robot>')
    result = export(build(read(tmp_path / "r.urdf")), tmp_path / "out", to, options=ExportOptions(collision="hull"))
    paths = [str(path.relative_to(tmp_path / "out")).lower() for path in result.files]
    assert len(set(paths)) == len(paths)
    meshes = [path for path in result.files if path.suffix in (".stl", ".usdc", ".ply", ".obj")]
    shown = [path for path in meshes if not re.search(r"_collision\d*$", path.stem)]
    assert len({path.read_bytes() for path in shown}) >= len(names)
    assert not any(path.stem.lower() == "con" for path in meshes)


def test_stl_holds_the_triangles() -> None:
    mesh = models.box((0.1, 0.2, 0.3))
    data = stl_bytes(mesh)
    assert len(data) == 84 + 50 * 12
    record = np.dtype([("n", "<f4", 3), ("p", "<f4", (3, 3)), ("a", "<u2")])
    rows = np.frombuffer(data, record, offset=84)
    np.testing.assert_array_equal(rows["p"], mesh.vertices[mesh.triangles].astype("<f4"))
    outward = np.einsum("ij,ij->i", rows["n"], rows["p"].mean(axis=1))
    assert np.all(outward > 0)


def sphere(n: int) -> Mesh:
    """A sphere of 2 n² triangles, radius 0.1 m."""
    u, v = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, n + 1), indexing="ij")
    points = 0.1 * np.stack([np.sin(u) * np.cos(v), np.sin(u) * np.sin(v), np.cos(u)], axis=-1)
    i = np.arange(n * (n + 1)).reshape(n, n + 1)[:, :-1].ravel()
    triangles = np.concatenate([np.stack([i, i + n + 1, i + 1], 1), np.stack([i + 1, i + n + 1, i + n + 2], 1)])
    return Mesh(points.reshape(-1, 3), triangles.astype(np.int32))


def test_a_mesh_too_fine_for_the_target_is_simplified_and_told(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    part = mechanism.assembly.parts[0]
    assert part.shape is not None
    fine = replace(part, shape=replace(part.shape, coarse=sphere(330)))
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, parts=(fine,)))
    result = export(mechanism, tmp_path / "x", "mjcf")
    assert "CB509" in [f.code for f in result.findings]
    stl = next(p for p in result.files if p.suffix == ".stl")
    count = int.from_bytes(stl.read_bytes()[80:84], "little")
    assert 0.5 * MAX_TRIANGLES < count <= MAX_TRIANGLES
    model = mujoco.MjModel.from_xml_path(str(result.files[0]))
    assert np.max(np.linalg.norm(model.mesh_vert, axis=1)) == pytest.approx(0.1, rel=1e-2)


def test_a_part_without_mesh_is_told_once(tmp_path: Path) -> None:
    mechanism = models.pendulum()
    bare = replace(mechanism.assembly.parts[0], shape=None)
    mechanism = replace(mechanism, assembly=replace(mechanism.assembly, parts=(bare,)))
    result = export(mechanism, tmp_path / "x", "urdf")
    assert [f.code for f in result.findings].count("CB508") == 1


@pytest.mark.parametrize("to", ["mjcf", "urdf"])
def test_bodies_that_hang_on_nothing_fall_freely(to: str, tmp_path: Path) -> None:
    rig = models.Builder(19)
    loose, held, slack = rig.body(), rig.body(), rig.body()
    rig.joint("revolute", loose, held, models.at((0.1, 0, 0)))
    rig.joint("generic", held, slack, models.at((0.2, 0, 0)))
    result = export(rig.build(), tmp_path / "x", to)
    assert "CB504" in [f.code for f in result.findings]
    model = mujoco.MjModel.from_xml_path(str(result.files[0]))
    assert model.nv == 13
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before = data.subtree_com[0].copy()
    mujoco.mj_step(model, data, round(0.1 / model.opt.timestep))
    np.testing.assert_allclose(data.subtree_com[0] - before, (0, 0, -9.81 * 0.005), rtol=0.05, atol=1e-3)


@pytest.mark.parametrize("make", [models.joints_of_all_kinds, models.geared_pair, models.four_bar])
def test_the_scene_runs_without_a_warning(make: object, tmp_path: Path) -> None:
    export(make(), tmp_path / "x", "mjcf")  # type: ignore[operator]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "scene.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    assert [w.number for w in data.warning] == [0] * len(data.warning)
    assert np.all(np.isfinite(data.qpos))
