"""`--method transmission`: the same efforts and reactions as in absolute coordinates, and teeth and bearings."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.efforts import Inverse, inverse_columns, load_motion
from cadbridge.errors import InputError, ModelError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
MOTION = """format: cadbridge.motion/1
duration: 1
rate: 10
joints:
  theta1: "40*sin(2*t)"
  theta2: "30*(1 - cos(3*t))"
  theta3: "20*sin(4*t) - 30*t"
actuators: [ACTUATORS]
loads:
  wrenches:
    - {component: link3, point: [100, 20, 0], axes: body, force: [20, "15*cos(t)", -40], torque: [0, 1, "t"]}
  friction: [{joint: theta2, torque: 0.3, speed: 5}]
  springs: [{joint: theta3, stiffness: 5, damping: 0.1, rest: -30}]
"""


@pytest.fixture(scope="module", params=[("geared_robot3", "q6, q4, q5"), ("bendix_wrist", "q4, q5, q7")])
def both(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Inverse, Inverse]:
    """A robot without pressure angles along a motion, by both methods."""
    name, actuators = request.param
    folder = tmp_path_factory.mktemp("plain")
    shutil.copy(FIXTURES / name / f"{name}.urdf", folder)
    said = (FIXTURES / name / f"{name}.mates.yaml").read_text("utf-8")
    (folder / f"{name}.mates.yaml").write_text(said.replace("    pressure_angle: 20\n", ""), "utf-8")
    mechanism = cb.build(cb.read(folder / f"{name}.urdf"))
    path = folder / "motion.yaml"
    path.write_text(MOTION.replace("ACTUATORS", actuators), "utf-8")
    motion = load_motion(path, mechanism)
    absolute, lines = (cb.inverse(mechanism, motion, method=m) for m in ("absolute", "transmission"))
    return absolute, lines


def test_efforts_and_reactions_are_those_of_absolute_coordinates(both: tuple[Inverse, Inverse]) -> None:
    absolute, lines = both
    assert {f.code for f in lines.findings} == {"CB438"}
    wanted, found = inverse_columns(absolute), inverse_columns(lines)
    assert set(wanted) < set(found)
    for name, (values, unit) in wanted.items():
        if name.startswith(("actuator.", "joint.", "gear.")):
            group = name.rpartition(".")[0]
            size = max(float(np.abs(v).max()) for n, (v, u) in wanted.items() if n.startswith(group) and u == unit)
            assert_allclose(found[name][0], values, rtol=0, atol=1e-9 * size + 1e-12, err_msg=name)


def test_teeth_and_bearings_stand_beside_them(both: tuple[Inverse, Inverse]) -> None:
    _, lines = both
    columns = inverse_columns(lines)
    for joint in lines.run.mechanism.joints:
        radial, axial = columns[f"bearing.{joint.name}.radial"][0], columns[f"bearing.{joint.name}.axial"][0]
        force = np.linalg.norm([columns[f"joint.{joint.name}.f{a}"][0] for a in "xyz"], axis=0)
        assert_allclose(np.hypot(radial, axial), force, rtol=1e-8)
    for coupling in lines.run.mechanism.couplings:
        force = np.linalg.norm([columns[f"gear.{coupling.name}.f{a}"][0] for a in "xyz"], axis=0)
        assert_allclose(np.abs(columns[f"tooth.{coupling.name}.tangential"][0]), force, rtol=1e-8)
        assert_allclose(columns[f"tooth.{coupling.name}.radial"][0], 0, atol=0)


def test_the_command_writes_teeth_and_bearings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    motion, table = tmp_path / "motion.yaml", tmp_path / "out.parquet"
    motion.write_text(MOTION.replace("ACTUATORS", "q4, q5, q6"), "utf-8")
    source = FIXTURES / "geared_robot3" / "geared_robot3.urdf"
    call = ["inverse", str(source), "--motion", str(motion), "--method", "transmission", "-o", str(table)]
    assert main([*call, "--plots", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    told = {(p["kind"], p["name"], p["what"]): p for p in document["peaks"]}
    # 20 degrees: the force in the tooth of a spur pair is 1/cos of its tangential part.
    force, tangential = told["tooth", "4-1", "force"]["peak"], told["tooth", "4-1", "tangential"]["peak"]
    assert force == pytest.approx(tangential / np.cos(np.deg2rad(20)))
    assert told["bearing", "theta3", "tilting"]["unit"] == "N m"
    assert ("tooth", "4-1", "driver_fx") not in told
    columns = pq.read_table(table)
    assert columns.schema.field("tooth.7-3.driven_fz").metadata[b"unit"] == b"N"
    assert (tmp_path / "tooth.png").stat().st_size > 1000
    assert (tmp_path / "bearing.png").stat().st_size > 1000


def test_a_mechanism_that_is_no_geared_robot_is_refused(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(FIXTURES / "geared_robot3" / "geared_robot3.urdf"))
    path = tmp_path / "motion.yaml"
    spring = "loads:\n  springs: [{a: {component: link1}, b: {component: link3, point: [100, 0, 0]}, stiffness: 10}]\n"
    text = MOTION.partition("loads:")[0].replace("ACTUATORS", "q4, q5, q6") + spring
    path.write_text(text, "utf-8")
    with pytest.raises(ModelError) as error:
        cb.inverse(mechanism, load_motion(path, mechanism), method="transmission")
    assert [f.code for f in error.value.findings if f.severity == "error"] == ["CB436"]


def test_more_actuators_than_transmission_lines_are_a_finding(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(FIXTURES / "geared_robot3" / "geared_robot3.urdf"))
    path = tmp_path / "motion.yaml"
    path.write_text(MOTION.replace("ACTUATORS", "q4, q5, q6, theta1"), "utf-8")
    with pytest.raises(InputError) as error:
        cb.inverse(mechanism, load_motion(path, mechanism), method="transmission")
    (finding,) = (f for f in error.value.findings if f.code == "CB678")
    assert finding.message.endswith("as many actuators as freedoms, not 1 more")
