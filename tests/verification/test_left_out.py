"""What an export leaves out moves the mechanism: the verdict says so, with the figure."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import application
from cadbridge.errors import InputError
from cadbridge.frames import Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import Mechanism
from cadbridge.verification import verify
from tests.exporters import models

ARM = """<mujoco><worldbody><body name="a"><joint name="A" axis="0 1 0" armature="{armature}" stiffness="{stiffness}"/>
  <geom size=".02" pos=".2 0 0" mass="1"/><body name="b" pos=".4 0 0"><joint name="B" axis="0 1 0"/>
  <geom size=".02" pos=".2 0 0" mass="1"/></body></body></worldbody></mujoco>"""


def arm(folder: Path, armature: float = 0.0, stiffness: float = 0.0) -> Path:
    path = folder / "arm.xml"
    path.write_text(ARM.format(armature=armature, stiffness=stiffness))
    return path


@pytest.mark.parametrize(
    ("to", "loads", "codes"),
    [
        ("urdf", {"armature": 0.5}, ["CB516"]),
        ("sdf", {"armature": 0.5}, ["CB516"]),
        ("urdf", {"stiffness": 2.0}, ["CB535"]),
        ("sdf", {"stiffness": 2.0}, []),
        ("mjcf", {"armature": 0.5, "stiffness": 2.0}, []),
    ],
)
def test_what_the_format_cannot_hold_is_in_the_verdict(
    to: str, loads: dict[str, float], codes: list[str], tmp_path: Path
) -> None:
    """The engine moved as the mechanism without its rotors, and that was called the same."""
    result = verify(cb.build(cb.read(arm(tmp_path, **loads))), to, duration=0.3)
    assert [loss.code for loss in result.losses] == codes
    assert result.verdict == ("same but for losses" if codes else "same")
    assert [f.code for f in result.findings] == ["CB1490"] * len(codes)
    assert result.passed is (not codes)
    for loss in result.losses:
        assert loss.items == ("A",)
        assert loss.code in result.in_words
        assert result.findings[0].items == ("A",)
        assert loss.code in result.findings[0].hint


def test_the_figure_is_that_of_a_run_with_what_is_left_out() -> None:
    """From rest a pendulum with a rotor falls by I / (I + rotor) as far, in a time in which its weight's arm is one."""
    rig = models.Builder(3)
    mass = MassProperties(1.0, np.array([0.1, 0.0, 0.0]), 1e-3 * np.eye(3))
    joint = rig.joint("revolute", -1, rig.body(Pose(), mass), models.at((0, 0, 0), (0, 1, 0)), armature=0.011)
    short = 0.02
    result = verify(rig.build(), "urdf", duration=short)
    (loss,) = result.losses
    own = 1.0 * 0.1**2 + 1e-3
    fallen = 9.81 * 0.1 / own * short**2 / 2
    assert loss.joint == joint.name
    assert loss.unit == "rad"
    assert loss.difference == pytest.approx(fallen * (1 - own / (own + 0.011)), rel=0.02)


def test_a_known_loss_is_accepted_and_still_told(tmp_path: Path) -> None:
    source = arm(tmp_path, armature=0.5)
    found = CliRunner().invoke(application(), ["verify", str(source), "--to", "urdf", "--duration", "0.05"])
    assert found.exit_code == 1
    assert "same, but for the rotor inertias (CB516) that urdf does not hold" in found.stdout
    accepted = ["verify", str(source), "--to", "urdf", "--duration", "0.05", "--accept", "cb516"]
    found = CliRunner().invoke(application(), accepted)
    assert found.exit_code == 0
    assert "same, but for the rotor inertias (CB516, accepted) that urdf does not hold" in found.stdout
    document = json.loads(CliRunner().invoke(application(), [*accepted, "--json"]).stdout)
    assert (document["passed"], document["verdict"]) == (True, "same but for losses")
    assert document["losses"][0]["difference"] > 1e-2
    assert document["losses"][0]["accepted"]


def test_no_other_word_is_accepted() -> None:
    with pytest.raises(InputError, match=r"CB503.*CB516"):
        verify(models.pendulum(), "urdf", accept=["CB516", "CB503"])


def test_an_edited_folder_does_not_hide_what_it_lacks(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(arm(tmp_path, armature=0.5)))
    cb.export(mechanism, tmp_path / "out", to="urdf")
    losses = tmp_path / "out" / "losses.json"
    document = json.loads(losses.read_text())
    losses.write_text(json.dumps(document | {"findings": []}))
    result = verify(mechanism, "urdf", duration=0.2, folder=tmp_path / "out")
    assert [loss.code for loss in result.losses] == ["CB516"]
    assert not result.passed


def damped_loop() -> Mechanism:
    bar = models.four_bar()
    return replace(bar, joints=(*bar.joints[:-1], replace(bar.joints[-1], damping=0.5)))


def lossy_gears() -> Mechanism:
    """Across gravity, which then acts through the teeth."""
    pair = replace(models.geared_pair(), gravity=(0.0, -9.81, 0.0))
    lossy = (replace(gear, coupling=replace(gear.coupling, efficiency=0.5)) for gear in pair.couplings)
    return replace(pair, couplings=tuple(lossy))


@pytest.mark.parametrize(
    ("model", "to", "code"), [(damped_loop, "ros2", "CB529"), (lossy_gears, "mjcf", "CB527")], ids=["loop", "gears"]
)
def test_damping_of_loops_and_losses_of_gears_too(model: object, to: str, code: str) -> None:
    result = verify(model(), to, duration=0.1)  # type: ignore[operator]
    assert [loss.code for loss in result.losses] == [code]
    assert not result.passed


def test_tendons_too(tmp_path: Path) -> None:
    path = tmp_path / "gripper.xml"
    path.write_text("""<mujoco><worldbody>
      <body name="left"><joint name="l" axis="0 1 0"/><geom type="box" size=".1 .01 .02" pos=".1 0 0"/></body>
      <body name="right"><joint name="r" axis="0 1 0"/><geom type="box" size=".1 .01 .02" pos="-.1 0 0"/></body>
      </worldbody><tendon><fixed name="split" stiffness="10" springlength="1"><joint joint="l" coef=".5"/>
      <joint joint="r" coef=".5"/></fixed></tendon></mujoco>""")
    result = verify(cb.build(cb.read(path)), "urdf", duration=0.2)
    assert [(loss.code, loss.items) for loss in result.losses] == [("CB1266", ("split",))]
    assert not result.passed


def test_what_no_swing_shows_is_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    servo = '<actuator><position name="holds" joint="A" kp="20"/></actuator></mujoco>'
    path.write_text(ARM.format(armature=0, stiffness=0).replace("</mujoco>", servo))
    result = verify(cb.build(cb.read(path)), "urdf", duration=0.2)
    assert result.passed
    assert result.not_compared["servos of holds"] == "left out by the export, CB536"
    assert "servos" not in result.not_compared
