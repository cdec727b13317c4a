"""The example that the package ships, as its script builds it and as the reader reads it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import mujoco
import numpy as np
import pytest

from cadbridge.exporters import export
from cadbridge.mechanism import build
from cadbridge.reading import read

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


@pytest.fixture(scope="module")
def demo() -> Path:
    return Path(str(files("cadbridge.data") / "demo"))


def test_the_script_builds_the_file_that_is_shipped(demo: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, FIXTURE / "build.py", tmp_path], check=True, capture_output=True)
    shipped = (demo / "demo.step").read_bytes()
    assert (tmp_path / "demo.step").read_bytes() == shipped
    assert len(shipped) < 600_000


def test_it_reads_as_expected(demo: Path) -> None:
    expected = tomllib.loads((FIXTURE / "expected.toml").read_text("utf-8"))
    assembly = read(demo / "demo.step")
    counts = expected["counts"]
    assert [f for f in assembly.findings if f.severity != "info"] == []
    assert len(assembly.parts) == counts["parts"]
    assert len(assembly.instances) == counts["instances"]
    assert len(assembly.components) == counts["components"]
    assert len(assembly.couplings) == counts["couplings"]
    assert len(assembly.mates) + len(assembly.couplings) == counts["mates"]
    for name, volume in expected["volumes"].items():
        shape = assembly.part(name).shape
        assert shape is not None
        assert shape.brep is not None
        assert shape.brep.mass * 1e9 == pytest.approx(volume, rel=1e-9)
    colours = {part.colour for part in assembly.parts}
    assert len(colours) == 5
    assert all(part.density for part in assembly.parts)


@pytest.mark.parametrize("to", ["mjcf", "urdf"])
def test_its_exports_turn_with_the_gear(demo: Path, to: str, tmp_path: Path) -> None:
    mechanism = build(read(demo / "demo.step"))
    result = export(mechanism, tmp_path / to, to)
    assert [f for f in result.findings if f.severity == "error"] == []
    model = mujoco.MjModel.from_xml_path(str(result.files[0]))
    assert (model.nv, model.neq) == (3, 1)
    bodies = {body.name: body.mass for body in mechanism.bodies}
    for name, mass in bodies.items():
        assert mass is not None
        assert model.body(name).mass[0] == pytest.approx(mass.mass, rel=1e-11)
    driven, driver = (mujoco.mj_id2name(model, 3, i) for i in (model.eq_obj1id[0], model.eq_obj2id[0]))
    ratio = {("Insert_2", "A1"): -3.0, ("A1", "Insert_2"): -1 / 3}[(driven, driver)]
    np.testing.assert_allclose(model.eq_data[0, :2], [0, ratio], atol=1e-12)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(0.5 / model.opt.timestep))
    assert [w.number for w in data.warning] == [0] * len(data.warning)
