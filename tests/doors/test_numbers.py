"""Numbers that no machine has are faults of the file, in every file that people write."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import BaseModel, ValidationError

from cadbridge import numbers
from cadbridge.cli import main
from cadbridge.jobs import schema as jobs
from cadbridge.readers.mates_file import values
from cadbridge.simulation import load_file
from solver.equations.massless import check_bodies
from solver.model import RigidBody

ROBOT = """<robot name="h"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="J" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>
"""
DIGITS = "9" * 400


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    path = tmp_path / "h.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return path


def test_the_kinds_of_numbers_stand_in_one_room() -> None:
    for module in (values, load_file, jobs):
        for name in {"Finite", "Positive", "NotNegative"} & set(vars(module)):
            assert vars(module)[name] is vars(numbers)[name]


@pytest.mark.parametrize("value", [1e13, -1e13, float("inf"), float("nan")])
def test_each_kind_is_bounded(value: float) -> None:
    for kind in (numbers.Finite, numbers.Positive, numbers.NotNegative):
        model = type("Model", (BaseModel,), {"__annotations__": {"x": kind}})
        with pytest.raises(ValidationError):
            model(x=value)


SCENARIOS = {
    "torque": "motors: [{joint: J, torque: 1e308}]",
    "digits": f"motors: [{{joint: J, torque: {DIGITS}}}]",
    "position": "initial: {positions: {J: 1.0e+9}}",
    "rate": "initial: {rates: {J: 1e308}}",
    "duration": "duration: 1e308",
    "bore": "motors: [{joint: J, pressure: 1e308, bore: 1e308}]",
}


@pytest.mark.parametrize("case", SCENARIOS)
def test_a_scenario_with_such_a_number_is_refused(case: str, robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = robot.with_name("s.yaml")
    scenario.write_text(f"format: cadbridge.scenario/1\n{SCENARIOS[case]}\n", encoding="utf-8")
    assert main(["simulate", str(robot), "--scenario", str(scenario), "-o", str(robot.with_name("o.csv"))]) == 2
    said = capsys.readouterr().err
    assert "CB601" in said
    if case == "position":
        assert "degrees" in said


@pytest.mark.parametrize("text", ["<<: abc", "'<table>': 1", "'<': 1", "motors: [{joint: J, torque: 1, '<<': x}]"])
def test_a_key_that_looks_like_a_form_is_an_unknown_key(
    text: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = robot.with_name("s.yaml")
    scenario.write_text(f"format: cadbridge.scenario/1\n{text}\n", encoding="utf-8")
    assert main(["simulate", str(robot), "--scenario", str(scenario), "-o", str(robot.with_name("o.csv"))]) == 2
    assert "CB601" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["joints: {J: 1e308}", "joints: {J: '10*t'}\ninitial: {positions: {J: 1e9}}"])
def test_a_motion_with_such_a_number_is_refused(text: str, robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    motion = robot.with_name("m.yaml")
    motion.write_text(f"format: cadbridge.motion/1\n{text}\n", encoding="utf-8")
    assert main(["inverse", str(robot), "--motion", str(motion), "-o", str(robot.with_name("o.csv"))]) == 2
    assert "CB660" in capsys.readouterr().err


def test_a_sweep_with_such_a_start_is_refused(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sweep = robot.with_name("w.yaml")
    sweep.write_text("format: cadbridge.sweep/1\nvary: [{joint: J, position: [0, 1.0e+9]}]\n", encoding="utf-8")
    assert main(["simulate", str(robot), "--sweep", str(sweep), "-o", str(robot.with_name("o.csv"))]) == 2
    assert "CB648" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["timeout", "density", "duration"])
def test_a_jobs_file_with_such_a_number_is_refused(key: str, robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = robot.with_name("jobs.yaml")
    for value in (DIGITS, "1e308"):
        file.write_text(f"jobs: [{{sources: h.urdf, do: simulate, {key}: {value}}}]\n", encoding="utf-8")
        assert main(["batch", str(file)]) == 2
        assert "CB702" in capsys.readouterr().err


def test_a_memory_of_400_digits_is_refused(robot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = robot.with_name("jobs.yaml")
    file.write_text(f"jobs: [{{sources: h.urdf, do: check, memory: {DIGITS} GB}}]\n", encoding="utf-8")
    assert main(["batch", str(file)]) == 2
    assert "CB702" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["mass", "com", "inertia", "dof"])
@pytest.mark.parametrize("value", [DIGITS, "1e308", "NaN"])
def test_an_old_document_with_such_a_number_is_refused(
    place: str, value: str, robot: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", str(robot), "--json"])
    document = json.loads(capsys.readouterr().out)
    body = document["bodies"][0]
    new = {"mass": "@", "com": ["@", 0, 0], "inertia": [["@", 0, 0], [0, 1, 0], [0, 0, 1]], "dof": "@"}
    (document["mobility"] if place == "dof" else body)[place] = new[place]
    old = robot.with_name("old.json")
    old.write_text(json.dumps(document).replace('"@"', value), encoding="utf-8")
    assert main(["check", str(robot), "--compare", str(old)]) == 2


@pytest.mark.parametrize(("mass", "inertia"), [(1e308, 1.0), (1.0, 1e308), (1.0, -1e308), (np.inf, 1.0)])
def test_a_body_from_python_is_refused_by_its_name(mass: float, inertia: float) -> None:
    with pytest.raises(ValueError, match="body ball"):
        check_bodies([RigidBody("ball", mass, np.eye(3) * inertia)])


@pytest.mark.parametrize("size", [1e-308, 1e-170])
def test_a_shape_whose_square_is_zero_is_no_bug(size: float, tmp_path: Path) -> None:
    """Its reach was divided by: status 3."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    shape = f'<visual><geometry><cylinder radius="{size}" length="{size}"/></geometry></visual>'
    (tmp_path / "r.urdf").write_text(f'<robot name="r"><link name="a">{inertial}{shape}</link></robot>', "utf-8")
    assert main(["check", str(tmp_path / "r.urdf")]) == 0
