"""`cadbridge verify FOLDER --against SOURCE`: an export that exists already."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cadbridge.cli import main

ARM = """<mujoco model="arm"><worldbody><body name="arm" pos="0 0 1">
  <joint name="hinge" axis="0 1 0" damping=".1"/><geom type="box" size=".1 .02 .02" pos=".1 0 0" mass="1"/>
</body></worldbody></mujoco>"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    source = tmp_path / "arm.xml"
    source.write_text(ARM)
    assert main(["convert", str(source), "--to", "mjcf", "-o", str(tmp_path / "out")]) == 0
    return source


def test_a_folder_is_compared_with_its_source(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["verify", str(arm.parent / "out"), "--against", str(arm), "--to", "mjcf", "--duration", "0.1"]
    capsys.readouterr()
    assert main(call) == 0
    said = capsys.readouterr().out
    assert "compared: masses, centres of mass, inertias, poses, gravity" in said
    assert "not compared: limits of velocity (MJCF has none)" in said
    robot = arm.parent / "out" / "robot.xml"
    robot.write_text(robot.read_text("utf-8").replace("0 0 -9.81", "0 0 -1.62"), encoding="utf-8")
    assert main([*call, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert "CB530" in {finding["code"] for finding in document["findings"]}
    assert not document["passed"]
    assert "gravity" in document["compared"]
    assert {"what": "limits of velocity", "why": "MJCF has none"} in document["not_compared"]


@pytest.mark.parametrize(
    "spoilt", ["no folder", "no losses", "other format", "broken losses", "half a model", "program"]
)
def test_what_is_no_export_is_refused(spoilt: str, arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, to = arm.parent / "out", "mjcf"
    if spoilt == "no folder":
        folder = arm.parent / "nothing"
    elif spoilt == "no losses":
        (folder / "losses.json").unlink()
    elif spoilt == "other format":
        to = "urdf"
    elif spoilt == "broken losses":
        (folder / "losses.json").write_text('{"format": "cadbridge.losses/1", "names": {"links": 3}}')
    elif spoilt == "half a model":
        robot = folder / "robot.xml"
        robot.write_text(robot.read_text("utf-8")[:700], encoding="utf-8")
    else:
        losses = folder / "losses.json"
        losses.write_text(losses.read_text("utf-8").replace('"to": "mjcf"', '"to": "fmu"'), encoding="utf-8")
        (folder / "arm.fmu").write_bytes(b"no archive")
        to = "fmu"
    assert main(["verify", str(folder), "--against", str(arm), "--to", to]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_order_that_one_guesses_is_told_with_the_right_one(
    arm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder := tmp_path / "exported").mkdir()
    assert main(["verify", str(arm), "--to", "mjcf", "--against", str(folder)]) == 2
    assert f"cadbridge verify {folder} --to mjcf --against {arm}" in capsys.readouterr().err.replace("\n", " ")


def test_a_motion_that_was_not_tested_does_not_read_as_a_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bar = '<geom type="box" size=".02 .02 .1" mass="1"/>'
    loop = f"""<mujoco><worldbody>
      <body name="a"><joint name="A" axis="0 1 0"/>{bar}
        <body name="b" pos="0 0 .2"><joint name="B" axis="0 1 0"/>{bar}</body></body>
      <body name="c" pos=".3 0 0"><joint name="C" axis="0 1 0"/>{bar}</body>
    </worldbody><equality><connect body1="b" body2="c" anchor=".3 0 0"/></equality></mujoco>"""
    (tmp_path / "loop.xml").write_text(loop)
    assert main(["verify", str(tmp_path / "loop.xml"), "--to", "urdf"]) == 1
    assert "not passed: what was compared is the same, but the motion was not tested" in capsys.readouterr().out
