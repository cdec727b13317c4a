"""A run of which nobody can say whether it is right is neither ok nor wrong: in text, JSON and exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cadbridge.cli import main

ARM = """<robot name="arm"><link name="base"/><link name="rod"/><joint name="hinge" type="continuous">
<parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>"""
LED = "format: cadbridge.scenario/1\nduration: 0.5\nmotors: [{joint: hinge, angle: 90*t}]\n"


def test_a_motion_without_masses_is_not_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    (tmp_path / "led.yaml").write_text(LED)
    words = [str(tmp_path / "arm.urdf"), "--scenario", str(tmp_path / "led.yaml"), "-o", str(tmp_path / "run.csv")]
    assert main(["simulate", *words, "--json"]) == 4
    run = json.loads(capsys.readouterr().out)
    assert run["trusted"] is None
    assert run["verdict"]["state"] == "not tested"
    assert "CB684" in {f["code"] for f in run["findings"]}
    assert "CB627" not in {f["code"] for f in run["findings"]}


def test_no_run_at_all_has_its_document_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(ARM)
    words = ["simulate", str(tmp_path / "arm.urdf"), "-o", str(tmp_path / "run.csv")]
    assert main([*words, "--json"]) == 1
    run = json.loads(capsys.readouterr().out)
    assert (run["format"], run["trajectory"], run["trusted"]) == ("cadbridge.run/1", None, None)
    assert "inertia" in run["error"]
    assert {"CB191", "CB697"} <= {f["code"] for f in run["findings"]}
    assert main(words) == 1
    assert capsys.readouterr().out == ""


def test_a_source_that_cannot_be_read_has_its_document_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text("<robot")
    assert main(["simulate", str(tmp_path / "arm.urdf"), "-o", str(tmp_path / "run.csv"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["findings"]


def test_a_run_that_ends_at_its_first_sample_is_not_tested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last sample is at the end whatever the rate: only a run that stops at once has one."""
    (tmp_path / "arm.urdf").write_text(ARM)
    short = LED.replace("90*t", "1.0e-14/(t + 1.0e-14)")
    (tmp_path / "led.yaml").write_text(short)
    words = [str(tmp_path / "arm.urdf"), "--scenario", str(tmp_path / "led.yaml"), "-o", str(tmp_path / "run.csv")]
    assert main(["simulate", *words, "--json"]) == 1
    run = json.loads(capsys.readouterr().out)
    assert (run["verdict"]["state"], run["trusted"]) == ("not tested", None)
    assert "CB611" in {f["code"] for f in run["findings"]}
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 2
    (tmp_path / "led.yaml").write_text(LED + "rate: 1e-9\n")
    assert main(["simulate", *words]) == 4
    assert capsys.readouterr().out.startswith("Not tested")
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 3


def test_where_nothing_moves_no_mass_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robot = """<robot name="stand"><link name="base"/><link name="top"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="bolts" type="fixed"><parent link="base"/><child link="top"/></joint></robot>"""
    (tmp_path / "stand.urdf").write_text(robot)
    assert main(["simulate", str(tmp_path / "stand.urdf"), "-o", str(tmp_path / "run.csv"), "--json"]) == 4
    run = json.loads(capsys.readouterr().out)
    (finding,) = (f for f in run["findings"] if f["code"] == "CB684")
    assert "no body moves" in finding["message"]
    assert "mass" not in finding["message"] + finding["hint"]
