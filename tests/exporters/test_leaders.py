"""Joints that follow others in exports: who gets a motor, and how far the joint that leads may go."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.verification import verify

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/>'
LINK += "</inertial></link>"
JOINT = '<joint name="{0}" type="{1}"><parent link="base"/><child link="{0} link"/><axis xyz="0 0 1"/>{2}</joint>'
DRIVE = '<transmission name="M"><type>transmission_interface/SimpleTransmission</type><joint name="G2"/>'
DRIVE += '<actuator name="motor"><mechanicalReduction>10</mechanicalReduction></actuator></transmission>'
RANGE = '<limit lower="{}" upper="{}" effort="{}" velocity="{}"/>'


def pair(leader: tuple[str, str], follower: tuple[str, str], drive: str = "", mimic: str = "") -> str:
    """A base with the joint G1 that leads the joint G2 in the source; each is (type, limit)."""
    links = "".join(LINK.format(name) for name in ("base", "G1 link", "G2 link"))
    mimic = mimic or '<mimic joint="G1" multiplier="-1.5" offset="0"/>'
    joints = JOINT.format("G1", *leader) + JOINT.format("G2", follower[0], follower[1] + mimic)
    return f'<robot name="m">{links}{joints}{drive}</robot>'


def built(text: str, folder: Path) -> Mechanism:
    (path := folder / "m.urdf").write_text(text, encoding="utf-8")
    return cb.build(cb.read(path))


def limits(mechanism: Mechanism, folder: Path) -> dict[str, tuple[str, dict[str, float]]]:
    """Type and limits of each joint in the URDF of an export."""
    root = ET.parse(cb.export(mechanism, folder / "out", to="urdf").files[0]).getroot()
    found = {}
    for joint in root.findall("joint"):
        given = joint.find("limit")
        values = {} if given is None else {key: float(value) for key, value in given.attrib.items()}
        found[str(joint.get("name"))] = (str(joint.get("type")), values)
    return found


def test_a_driven_joint_stays_within_the_range_of_what_follows_it(tmp_path: Path) -> None:
    """In ROS G2 leads, as the drive moves it; the source lets G1 go from −0.5 to 0.8 rad."""
    ends = ("revolute", RANGE.format(-0.5, 0.8, 5, 1)), ("revolute", RANGE.format(-2, 2, 5, 2))
    found = built(pair(*ends, DRIVE), tmp_path)
    kind, limit = limits(found, tmp_path)["G2"]
    assert kind == "revolute"
    assert limit == pytest.approx({"lower": -1.2, "upper": 0.75, "effort": 5, "velocity": 1.5})
    (finding,) = [f for f in cb.export(found, tmp_path / "out", to="urdf").findings if f.code == "CB563"]
    assert finding.message.endswith(": its range and its speed are those within which G1 keeps its own")
    assert verify(found, "urdf", duration=0.1).passed


def test_a_driven_joint_without_end_gets_one_from_what_follows_it(tmp_path: Path) -> None:
    found = built(pair(("revolute", RANGE.format(-0.5, 0.8, 5, 1)), ("continuous", ""), DRIVE), tmp_path)
    kind, limit = limits(found, tmp_path)["G2"]
    assert kind == "revolute"
    assert limit["lower"] == pytest.approx(-1.2)
    assert limit["upper"] == pytest.approx(0.75)


def test_a_placeholder_of_a_follower_does_not_hold_its_leader(tmp_path: Path) -> None:
    ends = ("revolute", RANGE.format(-0.5, 0.8, 5, 1)), ("revolute", RANGE.format(0, 0, 5, 2))
    found = built(pair(*ends), tmp_path)
    assert limits(found, tmp_path)["G1"][1]["upper"] == pytest.approx(0.8)
    told = cb.export(found, tmp_path / "out", to="urdf").findings
    assert not [f for f in told if f.code in ("CB563", "CB564")]


@pytest.mark.parametrize("others", [(0, 0.8575), (-1e-3, 1), (0.2, 1)])
def test_ranges_that_only_touch_leave_a_leader_its_own(others: tuple[float, float], tmp_path: Path) -> None:
    """The Robotiq C2: left fingers of 0 to 0.8575 are followed by right ones of the same range, by a factor of −1."""
    ends = ("revolute", RANGE.format(0, 0.8575, 5, 4)), ("revolute", RANGE.format(*others, 5, 3))
    turn = '<mimic joint="G1" multiplier="-1" offset="0"/>'
    found = built(pair(*ends, mimic=turn), tmp_path)
    assert limits(found, tmp_path)["G1"][1] == {"lower": 0, "upper": 0.8575, "effort": 5, "velocity": 3}
    (finding,) = [f for f in cb.export(found, tmp_path / "out", to="urdf").findings if f.code == "CB563"]
    assert finding.message == "joint G1 leads others: its speed is that within which G2 keeps its own"
    (apart,) = [f for f in cb.export(found, tmp_path / "out", to="urdf").findings if f.code == "CB564"]
    assert apart.message == "the ranges of joint G1 and of G2, which follows it, exclude each other"
    assert verify(found, "urdf", duration=0.1).passed
    for target in ("mjcf", "sdf", "usd"):
        assert apart in cb.export(found, tmp_path / target, to=target).findings


@pytest.mark.parametrize("apart", [True, False])
def test_of_no_pose_no_pair_is_called_apart(apart: bool, tmp_path: Path) -> None:
    """Where no pose kept the limits, pairs were disabled as Never, and the cure was to give limits to the joints."""
    shape = '<{0}><origin xyz="{1} 0 0"/><geometry><box size=".1 .1 .1"/></geometry></{0}>'
    ends = (
        ("revolute", RANGE.format(0.01, 0.8, 5, 4)),
        ("revolute", RANGE.format(*((0.2, 1) if apart else (-1, 1)), 5, 3)),
    )
    text = pair(*ends, mimic='<mimic joint="G1" multiplier="-1" offset="0"/>')
    for place, link in enumerate(("base", "G1 link", "G2 link")):
        start = f'<link name="{link}">'
        text = text.replace(start, start + shape.format("visual", place) + shape.format("collision", place))
    made = cb.export(built(text, tmp_path), tmp_path / "out", to="ros2")
    (srdf,) = (tmp_path / "out").rglob("*.srdf")
    never = [e for e in ET.parse(srdf).getroot().findall("disable_collisions") if e.get("reason") == "Never"]
    assert bool(never) is not apart
    told = [f.hint for f in made.findings if f.code == "CB559"]
    assert [hint.startswith("Check the limits of the joints") for hint in told] == [True] * apart


def test_a_rounded_end_is_no_room(tmp_path: Path) -> None:
    """What an offset of 0.7 rad, rounded, leaves is 1e-16 rad, not nothing."""
    ends = ("revolute", RANGE.format(0, 0.8575, 5, 4)), ("revolute", RANGE.format(0.7, 1.5575, 5, 4))
    turn = '<mimic joint="G1" multiplier="-1" offset="0.7000000000000001"/>'
    assert limits(built(pair(*ends, mimic=turn), tmp_path), tmp_path)["G1"][1]["upper"] == 0.8575


def test_a_range_of_any_width_is_narrowed_by_what_follows(tmp_path: Path) -> None:
    ends = ("revolute", RANGE.format(-1e6, 1e6, 5, 1)), ("revolute", RANGE.format(-0.3, 0.3, 5, 2))
    limit = limits(built(pair(*ends), tmp_path), tmp_path)["G1"][1]
    assert limit == pytest.approx({"lower": -0.2, "upper": 0.2, "effort": 5, "velocity": 1})


def test_a_joint_that_a_motor_leads_gets_no_motor_of_its_own_in_mjcf(tmp_path: Path) -> None:
    ends = ("revolute", RANGE.format(-0.5, 0.8, 5, 1)), ("revolute", RANGE.format(-2, 2, 5, 2))
    for drive, motors in (("", ["G1"]), (DRIVE, ["motor"])):
        files = cb.export(built(pair(*ends, drive), tmp_path), tmp_path / "out", to="mjcf").files
        model = mujoco.MjModel.from_xml_path(str(files[0]))
        assert [model.actuator(i).name for i in range(model.nu)] == motors


def test_a_follower_keeps_its_motor_where_its_leader_has_none(tmp_path: Path) -> None:
    found = built(pair(("continuous", ""), ("revolute", RANGE.format(-2, 2, 5, 2))), tmp_path)
    model = mujoco.MjModel.from_xml_path(str(cb.export(found, tmp_path / "out", to="mjcf").files[0]))
    assert [model.actuator(i).name for i in range(model.nu)] == ["G2"]
