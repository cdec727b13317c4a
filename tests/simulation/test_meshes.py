"""Gears that lose power, from the mates file to run and efforts."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Run, Scenario, simulate
from solver.functions import constant

DEMO = Path(str(files("cadbridge.data"))) / "demo"


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Mechanism:
    """The desk crane; its pinion drives the turret with a tenth of the power lost."""
    text = (DEMO / "demo.mates.yaml").read_text()
    path = tmp_path_factory.mktemp("lossy") / "demo.mates.yaml"
    path.write_text(text.replace("teeth: [12, 36]", "teeth: [12, 36]\n    efficiency: 0.9"))
    mechanism = cb.build(cb.read(DEMO / "demo.step", mates=path))
    assert mechanism.couplings[0].coupling.efficiency == 0.9
    return mechanism


def led(mechanism: Mechanism, collapse: bool = True, friction: bool = True, method: str = "absolute") -> Run:
    """The turret brought up to speed by the pinion, 0.2 s."""
    motor = MotorSpec("Insert:2", torque=constant(0.02))
    scenario = Scenario(gravity=(0.0, 0.0, 0.0), duration=0.2, rate=50.0, motors=(motor,), rtol=1e-9, atol=1e-9)
    what = scenario if friction else replace(scenario, friction=None)
    return simulate(mechanism, what, collapse=collapse, method=method)


def test_a_gear_takes_its_share_of_the_motors_work(lossy: Mechanism) -> None:
    run = led(lossy)
    T = run.result.trajectory
    assert T.dissipated[-1] > 1e-3 * T.motor_work[-1]
    assert np.max(np.abs(T.kinetic - T.kinetic[0] - T.motor_work + T.dissipated)) < 1e-7 * T.motor_work[-1]
    whole = led(lossy, collapse=False).result.trajectory
    np.testing.assert_allclose(whole.coordinates, T.coordinates, atol=1e-7)
    tree = led(lossy, method="tree").result.trajectory
    np.testing.assert_allclose(tree.coordinates, T.coordinates, atol=1e-6)
    np.testing.assert_allclose(tree.dissipated, T.dissipated, atol=1e-6 * T.dissipated[-1])
    assert not [f for f in run.findings if f.code == "CB613"]


def test_what_is_left_out_is_told(lossy: Mechanism) -> None:
    free = led(lossy, friction=False)
    assert [f.message for f in free.findings if f.code == "CB613"] == ["Spur:1 loses power; the scenario ignores it"]
    assert free.result.trajectory.dissipated[-1] == 0.0


def test_exports_tell_that_they_lose_the_losses(lossy: Mechanism, tmp_path: Path) -> None:
    told = {to: cb.export(lossy, tmp_path / to, to=to) for to in ("mjcf", "json")}
    assert "CB527" in [f.code for f in told["mjcf"].findings]
    assert "CB527" not in [f.code for f in told["json"].findings]
    (again,) = cb.read(told["json"].files[0]).couplings
    assert again.efficiency == 0.9
