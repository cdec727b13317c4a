"""glTF, read back by other libraries: shapes in place, and the run as it was."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pygltflib
import pytest
from scipy.spatial.transform import Rotation

import cadbridge as cb
from cadbridge.errors import ModelError
from cadbridge.exporters import ExportOptions, export
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, write_trajectory
from tests.exporters import models
from tests.late import trimesh

Z_UP_TO_Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    return cb.build(cb.read(Path(str(files("cadbridge.data"))) / "demo" / "demo.step"))


@pytest.fixture(scope="module")
def run(crane: Mechanism) -> Run:
    return cb.simulate(crane, duration=0.2)


def test_shapes_stand_where_the_design_has_them(crane: Mechanism, tmp_path: Path) -> None:
    result = export(crane, tmp_path / "out", "glb")
    scene = trimesh.load_scene(result.files[0])
    points = [
        instance.X_WI.point(shape.coarse.vertices)
        for instance in crane.assembly.instances
        if (shape := crane.assembly.part(instance.part).shape) is not None and shape.coarse is not None
    ]
    wanted = np.concatenate(points) @ Z_UP_TO_Y_UP.T
    np.testing.assert_allclose(scene.bounds, [wanted.min(axis=0), wanted.max(axis=0)], atol=1e-6)
    assert len(scene.geometry) == len(crane.assembly.parts)
    assert {f.code for f in result.findings} == {"CB522", "CB528"}


def values(document: pygltflib.GLTF2, index: int) -> np.ndarray:
    accessor = document.accessors[index]
    view = document.bufferViews[accessor.bufferView]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor.type]
    blob = document.binary_blob()
    return np.frombuffer(blob, "<f4", accessor.count * width, view.byteOffset).reshape(accessor.count, width)


def test_gltf_is_another_name_of_the_format(tmp_path: Path) -> None:
    result = export(models.pendulum(), tmp_path / "out", "gltf")
    assert [path.suffix for path in result.files if path.suffix != ".json"] == [".glb"]


def test_a_run_is_played_as_it_went(crane: Mechanism, run: Run, tmp_path: Path) -> None:
    write_trajectory(run, tmp_path / "run.parquet")
    result = export(crane, tmp_path / "out", "glb", options=ExportOptions(run=tmp_path / "run.parquet"))
    document = pygltflib.GLTF2().load(str(result.files[0]))
    (animation,) = document.animations
    names = [document.nodes[c.target.node].name for c in animation.channels if c.target.path == "rotation"]
    assert names == [body.name for body in crane.bodies]
    trajectory = run.result.trajectory
    for channel in animation.channels:
        if channel.target.path != "rotation":
            continue
        sampler = animation.samplers[channel.sampler]
        times, turns = values(document, sampler.input)[:, 0], values(document, sampler.output)
        body = [b.name for b in crane.bodies].index(document.nodes[channel.target.node].name)
        for time, turn in zip(times, turns, strict=True):
            k = int(np.argmin(np.abs(trajectory.t - time)))
            wanted = Rotation.from_quat(trajectory.quaternions[k, body], scalar_first=True)
            assert (Rotation.from_quat(turn) * wanted.inv()).magnitude() < 1e-6
        assert np.all(np.einsum("ij,ij->i", turns[1:], turns[:-1]) > 0)


def test_a_run_of_another_model_is_refused(run: Run, tmp_path: Path) -> None:
    write_trajectory(run, tmp_path / "run.parquet")
    with pytest.raises(ModelError) as error:
        export(models.pendulum(), tmp_path / "out", "glb", options=ExportOptions(run=tmp_path / "run.parquet"))
    assert [f.code for f in error.value.findings if f.severity == "error"] == ["CB630"]
    assert not (tmp_path / "out").exists()
