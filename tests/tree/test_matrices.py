"""`cadbridge matrices` through the command line, beside Pinocchio and beside sums over the bodies."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.efforts import load_motion
from solver.rotation import matrix
from tests.real_robots import robot_folder

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
POSE = {"shoulder_pan_joint": 20.0, "shoulder_lift_joint": -65.0, "elbow_joint": 80.0, "wrist_1_joint": 15.0,
        "wrist_2_joint": -30.0, "wrist_3_joint": 100.0}  # fmt: skip


def test_a_real_robot_has_the_matrices_that_pinocchio_computes(tmp_path: Path) -> None:
    source = robot_folder() / "ur_description" / "urdf" / "ur5_robot.urdf"
    poses = [word for name, value in POSE.items() for word in ("--pose", f"{name}={value}")]
    package = ["--package-dir", str(robot_folder().parents[1])]
    assert main(["matrices", str(source), *package, *poses, "-o", str(tmp_path / "m.npz")]) == 0
    found = np.load(tmp_path / "m.npz")
    model = pin.buildModelFromUrdf(str(source))
    data = model.createData()
    order = [model.idx_vs[model.getJointId(str(name))] for name in found["inertia.rows"]]
    q = np.zeros(model.nq)
    q[order] = np.deg2rad([POSE[str(name)] for name in found["inertia.rows"]])
    upper = np.triu(pin.crba(model, data, q))
    inertia = (upper + np.triu(upper, 1).T)[np.ix_(order, order)]
    assert_allclose(found["inertia"], inertia, rtol=0, atol=1e-10)
    assert_allclose(found["U"] @ np.diag(found["D"]) @ found["U"].T, inertia, rtol=0, atol=1e-10)
    assert_allclose(found["efforts"], pin.computeGeneralizedGravity(model, data, q)[order], rtol=0, atol=1e-9)
    assert_allclose(found["N"], found["Nl"] @ found["Nd"], atol=1e-12)
    # All hangs in one chain.
    assert_allclose(found["topology"], np.eye(len(order), k=1))
    # The ground carries the weight where its centre is.
    weight = pin.computeTotalMass(model) * np.array([0.0, 0.0, -9.81])
    assert_allclose(found["base"], [*weight, *np.cross(pin.centerOfMass(model, data, q), weight)], atol=1e-8)


def test_along_a_motion_the_base_carries_what_changes_the_momentum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, path = FIXTURES / "rrrt3" / "rrrt3.sdf", FIXTURES / "rrrt3" / "rrrt3.motion.yaml"
    assert main(["matrices", str(source), "--motion", str(path), "--time", "1.5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["findings"] == []
    mechanism = cb.build(cb.read(source))
    motion = load_motion(path, mechanism)
    scenario = replace(motion.scenario, duration=1.5, rate=2 / 1.5)
    run = cb.inverse(mechanism, replace(motion, scenario=scenario))
    T, k = run.run.result.trajectory, -1
    force, moment = np.zeros(3), np.zeros(3)
    for i, unit in enumerate(run.run.lowered.units):
        R = np.asarray(matrix(T.quaternions[k, i]))
        inertia = R @ unit.mass.inertia @ R.T
        w, alpha = T.velocities[k, i, 3:], T.accelerations[k, i, 3:]
        f = unit.mass.mass * (T.accelerations[k, i, :3] + [0.0, 0.0, 9.81])
        force += f
        moment += np.cross(T.positions[k, i], f) + inertia @ alpha + np.cross(w, inertia @ w)
    assert_allclose(found["base"], -np.concatenate([force, moment]), atol=1e-7)
    # The loops hold: the rates are those that the closing rows allow.
    closing, rates = np.array(found["closing"]), np.array(found["rates"])
    assert np.abs(rates).max() > 0.01
    assert_allclose(closing @ rates, 0.0, atol=1e-10)
    assert len(found["closing_rows"]) == len(closing) == 8
    assert [rate["unit"] for rate in found["rate_names"]] == ["rad/s"] * 11


def test_what_floats_has_six_rates(capsys: pytest.CaptureFixture[str]) -> None:
    source = robot_folder() / "solo_description" / "robots" / "solo12.urdf"
    call = ["matrices", str(source), "--package-dir", str(robot_folder().parents[1]), "--floating", "--json"]
    assert main(call) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["rate_names"]) == 18
    inertia = np.array(found["inertia"])
    mass = sum(link["mass"] for link in found["links"])
    assert_allclose(inertia[:3, :3], mass * np.eye(3), atol=1e-9)
    # Nothing holds it up in its own axes but the six of the base.
    assert_allclose(found["base"][2], -9.81 * mass, rtol=1e-9)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pose", "A9=30"], "there is no joint 'A9'"),
        (["--pose", "A1"], "write NAME=VALUE"),
        (["--pose", "A1=nan"], "write NAME=VALUE"),
        (["--time", "1"], "give --motion too"),
        (["-o", "matrices.txt"], "NAME.npz"),
    ],
)
def test_a_call_that_cannot_be_used_ends_with_2(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["matrices", str(FIXTURES / "puma560" / "puma560.urdf"), *words]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
