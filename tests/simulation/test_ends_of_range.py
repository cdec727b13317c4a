"""A robot whose joints begin at the ends of their ranges, known but to the rounding of its poses."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.simulation import Scenario

ARM = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.02 0.1 0.05" rpy="0 0 0"/><mass value="0.4"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="fore">
    <inertial><origin xyz="0.01 0.12 0.03" rpy="0 0 0"/><mass value="0.3"/>
      <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0.1 -0.045 0.017" rpy="{rpy}"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="3.5" effort="9" velocity="9"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0.11 0.028" rpy="-1.57 0.3 0.2"/><axis xyz="1 0 0"/>
    <limit lower="-3.1" upper="0" effort="9" velocity="9"/></joint>
</robot>
"""


@pytest.mark.parametrize("rpy", ["1.57 0.1 0.2", "0.4 0.7 -1.3", "-0.9 0.2 2.2", "3.14 0 0", "1.5708 0 1.5708"])
def test_a_joint_that_begins_at_the_end_of_its_range_at_0(tmp_path: Path, rpy: str) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(ARM.format(rpy=rpy))
    mechanism = cb.build(cb.read(source))
    run = cb.simulate(mechanism, Scenario(duration=0.5, limits="stop"))
    assert run.result.status.ok
    assert run.result.statistics.steps < 5000
