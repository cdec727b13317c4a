"""What a URDF holds for other programs: back in a URDF, with its places and names; told by all other exports."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly
from cadbridge.frames import Pose
from cadbridge.targets import target_names

INERTIAL = (
    '<inertial><origin xyz="0 0 0.1"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
)
ROBOT = f"""<robot name="arm">
  <link name="base">{INERTIAL}</link>
  <link name="upper-arm">{INERTIAL}</link>
  <link name="tip">{INERTIAL}</link>
  <link name="fore arm">{INERTIAL}</link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0 0.2" rpy="0.3 0 0"/><parent link="base"/>
    <child link="upper-arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="3" velocity="4"/>
    <safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_position="15" k_velocity="10"/>
    <calibration rising="0.5"/></joint>
  <joint name="grip" type="fixed"><origin xyz="0 0 0.3"/><parent link="upper-arm"/><child link="tip"/></joint>
  <joint name="elbow-1" type="continuous"><origin xyz="0 0 0.4"/><parent link="upper-arm"/><child link="fore arm"/>
    <axis xyz="1 0 0"/><calibration falling="0.25"/></joint>
  <loop_joint name="rope" type="ball"><link1 link="base" xyz="0 0 0.6" rpy="0.3 0 0"/>
    <link2 link="fore arm" xyz="0 0.1 0"/><axis xyz="0 0 1"/></loop_joint>
  <gazebo reference="upper-arm"><mu1>0.5</mu1><sensor name="eye" type="camera"><pose>0.1 0 0 0 0 0.5</pose></sensor>
    <sensor name="ear" type="imu"/></gazebo>
  <gazebo reference="tip"><mu1>0.9</mu1></gazebo>
  <gazebo reference="grip"><preserveFixedJoint>true</preserveFixedJoint></gazebo>
  <gazebo><plugin name="p" filename="p.so"><joint_name>elbow-1</joint_name></plugin></gazebo>
  <ros2_control name="c" type="system"><joint name="elbow-1"><command_interface name="effort"/></joint>
    <transmission name="T"><plugin>p</plugin><joint name="shoulder" role="j">
    <mechanical_reduction>30</mechanical_reduction></joint></transmission></ros2_control>
  <disable_collisions link1="upper-arm" link2="fore arm" reason="Adjacent"/>
  <mujoco><compiler meshdir="elsewhere"/></mujoco>
</robot>
"""


@pytest.fixture
def robot(tmp_path: Path) -> Assembly:
    path = tmp_path / "arm.urdf"
    path.write_text(ROBOT)
    return cb.read(path)


def test_a_urdf_has_them_again(robot: Assembly, tmp_path: Path) -> None:
    result = cb.export(cb.build(robot), tmp_path / "out", to="urdf")
    again = cb.read(result.files[0])
    shoulder = {
        "safety_controller": {
            "soft_lower_limit": "-0.9", "soft_upper_limit": "1.9", "k_position": "15", "k_velocity": "10",
        },
        "calibration": {"rising": "0.5"},
    }  # fmt: skip
    assert again.extra["joints"] == {"shoulder": shoulder, "elbow_1": {"calibration": {"falling": "0.25"}}}
    kept = again.extra["extensions"]
    assert {tag: len(texts) for tag, texts in kept.items()} == {
        "mujoco": 1, "gazebo": 3, "ros2_control": 1, "disable_collisions": 1, "loop_joint": 1,
    }  # fmt: skip
    upper, tip, plugin = (ET.fromstring(text) for text in kept["gazebo"])
    assert upper.get("reference") == tip.get("reference") == "upper_arm"
    assert plugin.findtext("plugin/joint_name") == ET.fromstring(kept["ros2_control"][0])[0].get("name") == "elbow_1"
    assert (ET.fromstring(kept["disable_collisions"][0])).attrib == {
        "link1": "upper_arm", "link2": "fore_arm", "reason": "Adjacent",
    }  # fmt: skip
    # The drive of ros2_control is there once.
    assert [(d.name, d.joint, d.reduction) for d in again.drives] == [("T", "shoulder", 30.0)]
    told = {f.where.item: f.code for f in result.findings if f.code in ("CB533", "CB534")}
    assert told == {"grip": "CB533", "mujoco": "CB533", "tip": "CB534", "upper-arm": "CB534"}
    # The sensors look from where they did, the rope holds the same two points.
    before, after = robot.component("upper-arm").X_WC, again.component("upper_arm").X_WC
    for sensor, said in zip(upper.findall("sensor"), (Pose.from_rpy((0.1, 0, 0), (0, 0, 0.5)), Pose()), strict=True):
        values = [float(v) for v in str(sensor.findtext("pose")).split()]
        X_WS = after @ Pose.from_rpy(values[:3], values[3:])
        np.testing.assert_allclose(X_WS.matrix(), (before @ said).matrix(), atol=1e-11)
    for one, two in zip(robot.mates[-1:], again.mates[-1:], strict=True):
        for mine, theirs in ((one.a, two.a), (one.b, two.b)):
            points = [a.component(f.component).X_WC.point(f.point) for a, f in ((robot, mine), (again, theirs))]
            np.testing.assert_allclose(points[0], points[1], atol=1e-11)
    assert cb.diagnose(cb.build(again)).mobility.dof == cb.diagnose(cb.build(robot)).mobility.dof


@pytest.mark.parametrize("to", sorted(set(target_names()) - {"urdf", "ros2", "step-ap242"}))
def test_other_exports_tell_them(robot: Assembly, to: str, tmp_path: Path) -> None:
    result = cb.export(cb.build(robot), tmp_path / "out", to=to)
    told = [f.message for f in result.findings if f.code == "CB532"]
    if to == "json":
        assert not told
        assert cb.read(result.files[0]).extra["extensions"] == robot.extra["extensions"]
        return
    assert told == [
        f"{to} has no place for 1 <disable_collisions>, 4 <gazebo>, 1 <mujoco>, 1 <ros2_control>, "
        "<calibration> of shoulder, <safety_controller> of shoulder, <calibration> of elbow-1 of the URDF"
    ]


@pytest.mark.parametrize(
    "extra",
    [
        {"extensions": {"gazebo": ["<gazebo", 5, '<!DOCTYPE x [<!ENTITY a "b">]><gazebo>&a;</gazebo>'], "x": 3}},
        {"extensions": {"gazebo": ['<gazebo reference="upper-arm"><sensor><pose>a b</pose></sensor></gazebo>']}},
        {"extensions": {"loop_joint": ['<loop_joint name="rope"><link1 link="base" xyz="1"/></loop_joint>']}},
        {"extensions": ["gazebo"], "joints": {"shoulder": {"calibration": {"rising": 5}}, "elbow-1": 3}},
    ],
)
def test_what_is_malformed_is_left_out(robot: Assembly, extra: dict[str, object], tmp_path: Path) -> None:
    result = cb.export(cb.build(replace(robot, extra=extra)), tmp_path / "out", to="urdf")
    written = ET.fromstring(result.files[0].read_text())
    assert {e.tag for e in written} == {"link", "joint", "mujoco", "transmission"}
    assert ("CB533" in {f.code for f in result.findings}) is ("joints" not in extra)
