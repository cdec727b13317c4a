"""One meaning of a drive's torque: that of its motor, before the reduction, wherever it is said by the drive's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.efforts import inverse_columns, load_motion
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Scenario, load_scenario, simulate
from solver.functions import constant
from tests.efforts.trains import train

REDUCTION, ROTOR, INERTIA = 10.0, 2e-4, 0.01


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mechanism, Path]:
    """One wheel on the base, driven through a reduction of ten."""
    folder = tmp_path_factory.mktemp("drive")
    drives = f"drives:\n  - {{name: M, joint: a, reduction: {REDUCTION}, rotor_inertia: {ROTOR}}}\n"
    source = train(folder, [("a", "base", "one", "0 0 0", "0 0 1")], " []\n", drives)
    mechanism = cb.build(cb.read(source))
    assert {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)} <= {"CB189", "CB307"}
    return mechanism, folder


def written(folder: Path, motor: str) -> Path:
    path = folder / "scenario.yaml"
    text = f"format: cadbridge.scenario/1\nduration: 0.5\nrate: 10\ngravity: [0, 0, 0]\nmotors: [{motor}]\n"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(("name", "torque"), [("a", 2.0), ("M", 2.0 / REDUCTION)])
def test_a_torque_is_of_the_side_that_its_name_tells(wheel: tuple[Mechanism, Path], name: str, torque: float) -> None:
    mechanism, folder = wheel
    said = load_scenario(written(folder, f"{{joint: {name}, torque: {torque}}}"), mechanism)
    made = Scenario(gravity=(0, 0, 0), duration=0.5, rate=10.0, motors=(MotorSpec(name, torque=constant(torque)),))
    for scenario in (said, made):
        T = simulate(mechanism, scenario).result.trajectory
        assert T.coordinate_accelerations[:, 0] == pytest.approx(2.0 / (INERTIA + REDUCTION**2 * ROTOR), rel=1e-9)


def test_angles_speeds_and_gains_are_so_too(wheel: tuple[Mechanism, Path]) -> None:
    mechanism, folder = wheel
    pairs = [
        ("{joint: a, speed: 30}", "{joint: M, speed: 300}"),
        ("{joint: a, angle: '9*t'}", "{joint: M, angle: '90*t'}"),
        (
            "{joint: a, pd: {target: 20, kp: 5, kd: 0.5, effort: 1}}",
            "{joint: M, pd: {target: 200, kp: 0.05, kd: 0.005, effort: 0.1}}",
        ),
    ]
    for pair in pairs:
        first, second = (simulate(mechanism, load_scenario(written(folder, m), mechanism)) for m in pair)
        np.testing.assert_allclose(
            first.result.trajectory.coordinates, second.result.trajectory.coordinates, atol=1e-7, err_msg=str(pair)
        )


def test_inverse_and_mujoco_say_the_same(wheel: tuple[Mechanism, Path]) -> None:
    mujoco = pytest.importorskip("mujoco")
    mechanism, folder = wheel
    path = folder / "motion.yaml"
    path.write_text("format: cadbridge.motion/1\nduration: 0.1\nrate: 10\njoints: {M: '900*t*t'}\n", "utf-8")
    columns = inverse_columns(cb.inverse(mechanism, load_motion(path, mechanism)))
    joint, motor = columns["actuator.a.effort"][0][0], columns["drive.M.effort"][0][0]
    assert joint == pytest.approx(np.deg2rad(2 * 90.0) * (INERTIA + REDUCTION**2 * ROTOR))
    assert motor == pytest.approx(joint / REDUCTION)
    assert columns["drive.M.speed"][0][-1] == pytest.approx(np.deg2rad(2 * 900.0 * 0.1))
    cb.export(mechanism, folder / "mjcf", to="mjcf")
    model = mujoco.MjModel.from_xml_path(str(folder / "mjcf" / "robot.xml"))
    data = mujoco.MjData(model)
    data.ctrl[model.actuator("M").id] = motor
    model.opt.gravity[:] = 0
    mujoco.mj_forward(model, data)
    assert data.qacc[0] == pytest.approx(np.deg2rad(2 * 90.0), rel=1e-6)
