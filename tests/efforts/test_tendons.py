"""What acts along the tendons of an MJCF is in no effort of a motion, and that is told."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.efforts.matrices import matrices_of
from cadbridge.findings import Findings

TENDON = """<mujoco><worldbody><body name="a"><joint name="u" axis="0 1 0"/><geom type="box" size=".1 .05 .2"/></body>
  <body name="b" pos="1 0 0"><joint name="v" axis="0 1 0"/><geom type="box" size=".1 .05 .2"/></body></worldbody>
  <tendon><fixed name="t"{}><joint joint="u" coef="1"/><joint joint="v" coef="-2"/></fixed></tendon></mujoco>"""


@pytest.mark.parametrize(("given", "what"), [(' stiffness="40" damping="2"', "stiffness, damping"), ("", "")])
def test_that_efforts_are_without_a_tendons_spring_is_told(given: str, what: str, tmp_path: Path) -> None:
    """They differed from MuJoCo's by more than their size, without a word."""
    path, asked = tmp_path / "pair.xml", tmp_path / "motion.yaml"
    path.write_text(TENDON.format(given), encoding="utf-8")
    asked.write_text("format: cadbridge.motion/1\nduration: 1\nrate: 5\njoints: {u: '20*t', v: '10*t'}\n", "utf-8")
    mechanism, findings = cb.build(cb.read(path)), Findings()
    matrices_of(mechanism, {}, findings)
    for found in (cb.inverse(mechanism, cb.load_motion(asked, mechanism)).findings, findings):
        told = [f.message for f in found if f.code == "CB679"]
        assert told == ([f"what acts along tendons is left out: t ({what})"] if what else [])


def test_the_cure_gives_mujocos_efforts(tmp_path: Path) -> None:
    """Each joint's coefficient times what holds the tendon, added to our efforts, is what MuJoCo's inverse asks for."""
    path, asked = tmp_path / "pair.xml", tmp_path / "motion.yaml"
    path.write_text(TENDON.format(' stiffness="40" damping="2" springlength=".1"'), encoding="utf-8")
    asked.write_text("format: cadbridge.motion/1\nduration: 1\nrate: 5\njoints: {u: '20*t', v: '10*t'}\n", "utf-8")
    mechanism = cb.build(cb.read(path))
    found = cb.inverse(mechanism, cb.load_motion(asked, mechanism))
    T = found.run.result.trajectory
    index = [found.run.lowered.joints.index(mechanism.joint(n)) for n in ("u", "v")]
    q, v, a = (x[:, index] for x in (T.coordinates, T.coordinate_rates, T.coordinate_accelerations))
    coefficients = np.array([1.0, -2.0])
    held = 40.0 * (q @ coefficients - 0.1) + 2.0 * (v @ coefficients)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for k, row in enumerate(found.forces.efforts):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], v[k], a[k]
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(row + coefficients * held[k], data.qfrc_inverse, atol=1e-9)
