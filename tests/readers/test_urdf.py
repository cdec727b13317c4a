"""The URDF reader: what it reads of real and of made robots, and what it says of faults."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, CouplingKind, MateKind
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.mass import audit_mesh, part_volume, volume_properties, weigh_part
from cadbridge.mechanism import build
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.paths import is_package
from cadbridge.readers.urdf import read
from cadbridge.reading import read as read_any
from solver.constraints import Coupler

ROBOT = """<?xml version="1.0"?>
<robot name="arm">
  <material name="red"><color rgba="1 0 0 1"/></material>
  <link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual></link>
  <link name="arm">
    <inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.5" length="2"/></geometry></visual>
  </link>
  <link name="slide">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.25"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="J1" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="J2" type="prismatic">
    <parent link="arm"/><child link="slide"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="J1" multiplier="2" offset="0.5"/>
  </joint>
  <joint name="J3" type="fixed"><parent link="slide"/><child link="tip"/><origin xyz="0 0 0.5"/></joint>
  <transmission name="T1">
    <type>simple</type><joint name="J1"/>
    <actuator name="M1"><mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-4</rotorInertia></actuator>
  </transmission>
  <gazebo/>
</robot>
"""

Edit = Callable[[str], str]


def _write(folder: Path, text: str) -> Path:
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def _swap(old: str, new: str) -> Edit:
    assert ROBOT.count(old) >= 1, old
    return lambda text: text.replace(old, new, 1)


def _codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


def test_links_are_placed_at_joint_values_of_zero(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT))
    assert [c.name for c in robot.components] == ["base", "arm", "slide", "tip"]
    assert [c.grounded for c in robot.components] == [True, False, False, False]
    # J1 turns by 90° about z, so that J2's step along x is one along y of the world.
    np.testing.assert_allclose(robot.component("tip").X_WC.p, [0, 1, 1.5], atol=1e-12)
    assert [f.name for f in robot.frames] == ["tip"]


def test_joints_hold_in_the_pose_read(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT))
    assert [m.kind for m in robot.mates] == [MateKind.REVOLUTE, MateKind.PRISMATIC, MateKind.FIXED]
    for mate in robot.mates:
        X_a, X_b = robot.component(mate.a.component).X_WC, robot.component(mate.b.component).X_WC
        np.testing.assert_allclose(X_a.point(mate.a.point), X_b.point(mate.b.point), atol=1e-12)
        for u, v in ((mate.a.direction, mate.b.direction), (mate.a.x, mate.b.x)):
            assert u is not None
            assert v is not None
            np.testing.assert_allclose(X_a.vector(u), X_b.vector(v), atol=1e-12)


def test_limits_dynamics_mimic_and_drive(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT))
    first = robot.mates[0]
    assert first.limit is not None
    assert (first.limit.lower, first.limit.upper, first.limit.velocity, first.limit.effort) == (-1, 2, 3, 4)
    assert (first.damping, first.friction) == (0.5, 0.25)
    (mimic,) = robot.couplings
    assert mimic.kind is CouplingKind.JOINTS
    assert (mimic.joints, mimic.ratio, mimic.offset) == (("J1", "J2"), 2.0, 0.5)
    (drive,) = robot.drives
    assert (drive.name, drive.joint, drive.reduction, drive.rotor_inertia) == ("M1", "J1", 50.0, 1e-4)
    assert robot.mates_in_file == len(robot.mates) + len(robot.couplings) == 4


def test_drakes_rotors_are_reflected_by_drakes_ratio(tmp_path: Path) -> None:
    """As MultibodyPlant: the rotor of Drake's iiwa turns 160 times, though ROS is told a reduction of 1."""
    text = ROBOT.replace("<robot ", '<robot xmlns:drake="http://drake.mit.edu" ', 1).replace(
        "<mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-4</rotorInertia>",
        "<mechanicalReduction>1</mechanicalReduction>"
        '<drake:gear_ratio value="160"/><drake:rotor_inertia value="1.321e-4"/>',
    )
    robot = read(_write(tmp_path, text))
    (drive,) = robot.drives
    assert (drive.reduction, drive.rotor_inertia) == (160.0, 1.321e-4)
    (unread,) = [f.message for f in robot.findings if f.code == "CB190"]
    assert "1 <mechanicalReduction>" in unread


def test_inertia_is_turned_into_the_link_frame(tmp_path: Path) -> None:
    declared = read(_write(tmp_path, ROBOT)).part("arm").declared
    assert declared is not None
    np.testing.assert_allclose(declared.com, [0, 0, 1])
    np.testing.assert_allclose(declared.inertia, np.diag([0.2, 0.1, 0.25]), atol=1e-15)


def test_primitives_have_the_volume_of_the_solid(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT))
    box, cylinder, ball = (robot.part(name).shape for name in ("base", "arm", "slide"))
    assert box is not None
    assert cylinder is not None
    assert ball is not None
    assert robot.part("base").colour == (1.0, 0.0, 0.0, 1.0)
    for mesh, volume in (
        (box.fine, 6.0),
        (cylinder.fine, math.pi * 0.25 * 2),
        (ball.collision, 4 / 3 * math.pi * 0.25**3),
    ):
        assert mesh is not None
        audit = audit_mesh(mesh)
        assert (audit.closed, audit.inverted, audit.flipped) == (True, 0, 0)
        assert volume_properties(mesh).mass == pytest.approx(volume, rel=1e-12)
    assert cylinder.fine is not None
    solid = volume_properties(cylinder.fine)
    np.testing.assert_allclose(solid.com, [0, 0, 1], atol=1e-12)
    exact = solid.mass * np.diag([(3 * 0.25 + 4) / 12, (3 * 0.25 + 4) / 12, 0.125])
    np.testing.assert_allclose(solid.inertia, exact, rtol=1e-3, atol=1e-9)


def test_what_is_not_read_is_kept_and_told_with_its_line(tmp_path: Path) -> None:
    text = ROBOT.replace("<gazebo/>", "<vendor/>")
    robot = read(_write(tmp_path, text))
    line = text[: text.index("<vendor")].count("\n") + 1
    assert robot.extra["unread"] == [{"tag": "vendor", "line": line, "in": "arm"}]
    (finding,) = (f for f in robot.findings if f.code == "CB190")
    assert finding.where.line == line


def test_chained_mimics_follow_the_first_joint(tmp_path: Path) -> None:
    more = """<link name="d"/><joint name="J4" type="continuous"><parent link="tip"/><child link="d"/>
      <axis xyz="0 0 1"/><mimic joint="J2" multiplier="3" offset="1"/></joint></robot>"""
    robot = read(_write(tmp_path, ROBOT.replace("</robot>", more)))
    chained = robot.couplings[1]
    assert chained.joints == ("J1", "J4")
    assert (chained.ratio, chained.offset) == (6.0, 2.5)
    primitive = build(robot).couplings[1].primitive
    assert isinstance(primitive, Coupler)
    assert primitive.constant == 2.5


def test_a_mimic_of_a_fixed_joint_holds_its_follower(tmp_path: Path) -> None:
    more = """<link name="d"/><joint name="J4" type="continuous"><parent link="tip"/><child link="d"/>
      <axis xyz="0 0 1"/><mimic joint="lock" multiplier="3" offset="0.5"/></joint>
      <link name="e"/><joint name="lock" type="fixed"><parent link="tip"/><child link="e"/></joint></robot>"""
    robot = read(_write(tmp_path, ROBOT.replace("</robot>", more)))
    held = robot.couplings[-1]
    assert (held.kind, held.factors, held.offset) == (CouplingKind.LINEAR, (("J4", 1.0),), 0.5)
    assert "CB1435" in {f.code for f in robot.findings}


def test_a_link_that_bears_the_name_of_the_world(tmp_path: Path) -> None:
    text = ROBOT.replace('"arm"', '"ground"')
    robot = read(_write(tmp_path, text))
    assert "ground_link" in {c.name for c in robot.components}
    assert "CB1436" in {f.code for f in robot.findings}
    assert build(robot).bodies[0].name == "ground_link"


def test_missing_products_of_inertia_are_zero_and_told(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, re.sub(r'ixy="[^"]*" *', "", ROBOT)))
    assert "CB1437" in {f.code for f in robot.findings}
    assert not [f for f in robot.findings if f.severity == "error"]


@pytest.mark.parametrize("tag", ["mass", "inertia"])
def test_an_inertial_without_its_mass_or_inertia_has_none(tag: str, tmp_path: Path) -> None:
    inertial = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    more = f'<link name="d">{re.sub(f"<{tag} [^>]*>", "", inertial)}</link>'
    joint = '<joint name="J4" type="fixed"><parent link="tip"/><child link="d"/></joint></robot>'
    robot = read(_write(tmp_path, ROBOT.replace("</robot>", more + joint)))
    assert [f.message for f in robot.findings if f.code == "CB1250"] == [f"d: <inertial> has no <{tag}>, taken as 0"]
    part = next(p for p in robot.parts if p.name == "d")
    assert part.declared is not None
    assert (part.declared.mass, part.declared.inertia.max()) == ((2.0, 0.0) if tag == "inertia" else (0.0, 1.0))


def test_a_joint_to_the_world_needs_no_link_of_that_name(tmp_path: Path) -> None:
    weld = '<joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint></robot>'
    robot = read(_write(tmp_path, ROBOT.replace("</robot>", weld)))
    assert "CB1251" in {f.code for f in robot.findings}
    assert [c.name for c in robot.components if c.grounded] == ["world"]


def test_an_inertia_without_mass_is_added_where_the_link_is_fixed(tmp_path: Path) -> None:
    more = """<link name="d"><inertial><mass value="0"/>
      <inertia ixx="0.3" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="J4" type="fixed"><parent link="arm"/><child link="d"/></joint></robot>"""
    bare, more_turned = (
        build(read(_write(tmp_path, text))).bodies[0].mass for text in (ROBOT, ROBOT.replace("</robot>", more))
    )
    assert bare is not None
    assert more_turned is not None
    assert more_turned.mass == bare.mass
    assert np.trace(more_turned.inertia - bare.inertia) == pytest.approx(0.3)


def test_a_stray_element_of_xacro_in_a_urdf_is_skipped_and_told(tmp_path: Path) -> None:
    text = ROBOT.replace('<robot name="arm">', '<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">')
    robot = read(_write(tmp_path, text.replace("<gazebo/>", "<xacro:grey/>")))
    assert "CB1439" in {f.code for f in robot.findings}
    assert len(robot.mates) == 3
    with pytest.raises(InputError) as caught:
        read(_write(tmp_path, text.replace("<gazebo/>", '<xacro:grey/><gazebo reference="${x}"/>')))
    assert "CB196" in {f.code for f in caught.value.findings}


def test_mimics_in_a_circle_are_left_out(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT.replace("<dynamics", '<mimic joint="J2"/><dynamics')))
    assert robot.couplings == ()
    assert [f.code for f in robot.findings].count("CB188") == 2


def test_the_root_floats_when_asked(tmp_path: Path) -> None:
    robot = read(_write(tmp_path, ROBOT), ReadOptions(floating=True))
    assert not any(c.grounded for c in robot.components)
    assert "CB189" not in _codes(robot)


def test_a_joint_of_an_unknown_type_tells_its_other_faults_too(tmp_path: Path) -> None:
    robot = (
        '<robot name="r"><link name="a"/><joint name="j" type="revolut"><parent link="a"/><child link="zz"/>'
        '<axis xyz="0 0 0"/><limit lower="2" upper="1"/><dynamics damping="-1"/></joint></robot>'
    )
    assert _codes(read(_write(tmp_path, robot))) == {
        "CB181", "CB183", "CB185", "CB186", "CB187", "CB189", "CB1268",
    }  # fmt: skip


FAULTS: dict[str, tuple[Edit, str, str]] = {
    "unknown type": (_swap('"prismatic"', '"slider"'), "CB187", "slider"),
    "zero axis": (_swap('xyz="0 0 2"', 'xyz="0 0 0"'), "CB185", "J1"),
    "no limits": (_swap('<limit lower="-1" upper="2" velocity="3" effort="4"/>', ""), "CB186", "J1"),
    "limits crossed": (_swap('lower="-1"', 'lower="9"'), "CB186", "J1"),
    "lower limit of +inf": (_swap('lower="-1"', 'lower="1e999"'), "CB181", "lower of <limit> is '1e999'"),
    "upper limit of -inf": (_swap('upper="2"', 'upper="-inf"'), "CB181", "upper of <limit> is '-inf'"),
    "effort of -inf": (_swap('effort="4"', 'effort="-1e999"'), "CB181", "effort of <limit> is '-1e999'"),
    "no effort": (_swap(' effort="4"', ""), "CB1268", "J1: <limit> has no effort, taken"),
    "no velocity": (_swap(' velocity="1"', ""), "CB1268", "J2: <limit> has no velocity, taken"),
    "neither": (_swap(' velocity="3" effort="4"', ""), "CB1268", "J1: <limit> has no effort and no velocity, taken"),
    "missing child": (_swap('<child link="arm"/>', '<child link="leg"/>'), "CB183", "leg"),
    "no parent": (_swap('<parent link="base"/>', ""), "CB183", "parent"),
    "own parent": (_swap('<child link="arm"/>', '<child link="base"/>'), "CB183", "itself"),
    "two parents": (_swap('<child link="tip"/>', '<child link="arm"/>'), "CB184", "J3"),
    "circle": (_swap('<child link="tip"/>', '<child link="base"/>'), "CB184", "circle"),
    "links alike": (_swap('<link name="tip"/>', '<link name="tip"/><link name="tip"/>'), "CB182", "tip"),
    "joints alike": (_swap('name="J2"', 'name="J1"'), "CB182", "J1"),
    "nameless link": (_swap('<link name="tip"/>', '<link name="tip"/><link/>'), "CB181", "name"),
    "two roots": (_swap('<link name="tip"/>', '<link name="tip"/><link name="lost"/>'), "CB195", "lost"),
    "nan": (_swap('xyz="1 0 0"/><axis', 'xyz="nan 0 0"/><axis'), "CB181", "xyz"),
    "inf": (_swap('<mass value="2"/>', '<mass value="inf"/>'), "CB181", "arm"),
    "two numbers": (_swap('xyz="0 0 1" rpy', 'xyz="0 0" rpy'), "CB181", "3 numbers"),
    "no inertia": (_swap('ixx="0.1" ', ""), "CB1437", "ixx"),
    "zero mass": (_swap('<mass value="2"/>', '<mass value="0"/>'), "CB191", "arm"),
    "floating point mass": (
        lambda text: text.replace(
            "</robot>",
            '<link name="p"><inertial><mass value="1"/><inertia ixx="0" iyy="0" '
            'izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="f" type="floating"><parent link="arm"/>'
            '<child link="p"/></joint></robot>',
        ),
        "CB1254",
        "p floats",
    ),
    "mimic of nothing": (_swap('mimic joint="J1"', 'mimic joint="J9"'), "CB188", "J9"),
    "mimic of itself": (_swap('mimic joint="J1"', 'mimic joint="J2"'), "CB188", "itself"),
    "bad multiplier": (_swap('multiplier="2"', 'multiplier="two"'), "CB181", "multiplier"),
    "drive of nothing": (_swap('<joint name="J1"/>', '<joint name="J7"/>'), "CB194", "J7', which the file has not"),
    "bad reduction": (_swap(">50<", ">fifty<"), "CB194", "fifty"),
    "no reduction": (_swap(">50<", ">0<"), "CB194", "T1 has a reduction of 0"),
    "planar joint across x": (
        _swap(
            "</robot>",
            '<link name="p"/><joint name="f" type="planar"><parent link="arm"/><child link="p"/></joint></robot>',
        ),
        "CB1261",
        "f moves in the plane across (1, 0, 0)",
    ),
    "blank behind a number": (_swap('damping="0.5"', 'damping="0.5 "'), "CB1260", "damping"),
    "negative damping": (_swap('damping="0.5"', 'damping="-1"'), "CB181", "damping"),
    "negative radius": (_swap('radius="0.5"', 'radius="-1"'), "CB193", "radius"),
    "unknown shape": (_swap("<sphere ", "<torus "), "CB193", "torus"),
    "no geometry": (_swap('<geometry><box size="1 2 3"/></geometry>', ""), "CB193", "base"),
    "mesh missing": (_swap('<box size="1 2 3"/>', '<mesh filename="a.stl"/>'), "CB112", "a.stl"),
    "mesh outside": (_swap('<box size="1 2 3"/>', '<mesh filename="../../../../../x.stl"/>'), "CB1438", "x.stl"),
    "mesh absolute": (_swap('<box size="1 2 3"/>', '<mesh filename="file:///etc/x.stl"/>'), "CB1438", "x.stl"),
    "mesh fetched": (_swap('<box size="1 2 3"/>', '<mesh filename="https://a.b/x.stl"/>'), "CB1438", "x.stl"),
    "package without a name": (
        _swap('<box size="1 2 3"/>', '<mesh filename="package:///x.stl"/>'),
        "CB112",
        "names no package",
    ),
    "no package": (_swap('<box size="1 2 3"/>', '<mesh filename="package://no/x.stl"/>'), "CB112", "no"),
    "package up": (_swap('<box size="1 2 3"/>', '<mesh filename="package://../x.stl"/>'), "CB112", ".."),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_finding_with_its_line(fault: str, tmp_path: Path) -> None:
    edit, code, words = FAULTS[fault]
    robot = read(_write(tmp_path, edit(ROBOT)))
    found = [f for f in robot.findings if f.code == code and words in f.message]
    assert found, robot.findings
    assert found[0].where.line is not None
    assert code not in _codes(read(_write(tmp_path, ROBOT)))


def test_of_several_roots_the_one_that_carries_most_is_fixed(tmp_path: Path) -> None:
    lost = _swap('<link name="base"', '<link name="lost"/><link name="base"')(ROBOT)
    robot = read(_write(tmp_path, lost))
    (found,) = [f for f in robot.findings if f.code == "CB195"]
    assert found.where.item == "lost"
    assert {c.name for c in robot.components if c.grounded} == {"base"}


def test_a_link_whose_joint_cannot_be_read_is_not_said_to_have_none(tmp_path: Path) -> None:
    """The cure was to join it by a fixed joint."""
    robot = read(_write(tmp_path, _swap('<axis xyz="0 0 2"/>', '<axis xyz="0 0 0"/>')(ROBOT)))
    assert {"CB185", "CB195"} & _codes(robot) == {"CB185"}


@pytest.mark.parametrize("fraction", range(1, 26))
def test_a_truncated_file_is_an_input_error(fraction: int, tmp_path: Path) -> None:
    path = _write(tmp_path, ROBOT[: len(ROBOT) * fraction // 27])
    with pytest.raises(InputError) as caught:
        read(path)
    assert [f.code for f in caught.value.findings] == ["CB104"]


def test_macros_alone_are_no_broken_file(tmp_path: Path) -> None:
    """Such a file is whole, but another one makes the robot: to save it again would change nothing."""
    path = tmp_path / "arm.xacro"
    path.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="arm" params="p">'
        '<link name="${p}arm"/></xacro:macro></robot>'
    )
    with pytest.raises(InputError) as caught:
        read(path)
    (told,) = (f for f in caught.value.findings if f.code == "CB180")
    assert "(arm)" in told.message
    assert told.hint is not None
    assert "calls" in told.hint


OLD = """<robot name="arm" xmlns:xacro="http://ros.org/wiki/xacro">
  <{p}include filename="$(find arm)/urdf/bars.xacro"/><link name="base"/><{p}bar name="upper"/></robot>"""
BARS = """<robot xmlns:xacro="http://ros.org/wiki/xacro"><{p}macro name="bar" params="name"><link name="${{name}}"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="${{name}}"/></joint></{p}macro></robot>"""


@pytest.mark.parametrize(("prefix", "told"), [("", True), ("xacro:", False)])
def test_of_a_package_of_rosbuild_xacro_without_its_prefix_is_told(prefix: str, told: bool, tmp_path: Path) -> None:
    """The robot had its base alone, and all was well; its package was not found by its manifest.xml."""
    folder = tmp_path / "arm" / "urdf"
    folder.mkdir(parents=True)
    (tmp_path / "arm" / "manifest.xml").write_text("<package><description>an arm</description></package>")
    (folder / "bars.xacro").write_text(BARS.format(p=prefix))
    (folder / "arm.urdf.xacro").write_text(OLD.format(p=prefix))
    robot = read(folder / "arm.urdf.xacro")
    assert ("CB1925" in {f.code for f in robot.findings}) is told
    assert len(robot.components) == (1 if told else 2)


def test_a_manifest_of_another_program_makes_no_package(tmp_path: Path) -> None:
    (tmp_path / "manifest.xml").write_text("<OfficeApp/>")
    assert not is_package(tmp_path)
    (tmp_path / "manifest.xml").write_text("<package")
    assert not is_package(tmp_path)


def test_an_entity_bomb_is_refused(tmp_path: Path) -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>'
    with pytest.raises(InputError) as caught:
        read(_write(tmp_path, bomb))
    assert [f.code for f in caught.value.findings] == ["CB103"]


@pytest.mark.parametrize("text", ["<sdf/>", "<robot/>", '<robot name="a"><link/></robot>'])
def test_no_robot_is_an_input_error(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(_write(tmp_path, text))
    assert "CB180" in {f.code for f in caught.value.findings}


def test_a_package_is_found_by_its_manifest_and_by_the_folders_given(tmp_path: Path) -> None:
    obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    for folder in ("elsewhere/mine/meshes", "pack/urdf", "pack/meshes"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pack/package.xml").write_text("<package><name>own</name></package>")
    for place in ("pack/meshes", "elsewhere/mine/meshes"):
        (tmp_path / place / "t.obj").write_text(obj)
    for uri, dirs in (
        ("package://own/meshes/t.obj", ()),
        ("../meshes/t.obj", ()),
        ("package://mine/meshes/t.obj", (tmp_path / "elsewhere",)),
    ):
        text = ROBOT.replace('<box size="1 2 3"/>', f'<mesh filename="{uri}" scale="2 1 1"/>')
        robot = read(_write(tmp_path / "pack/urdf", text), ReadOptions(package_dirs=dirs))
        shape = robot.part("base").shape
        assert shape is not None
        assert shape.fine is not None
        assert volume_properties(shape.fine).mass == pytest.approx(1 / 3)


def test_the_kr16_weighs_what_its_visual_meshes_do(corpus: Path) -> None:
    robot = read_any(
        corpus / "kuka_kr16_support/urdf/kr16_2.urdf", options=ReadOptions(density=2700.0, mass_from="mesh")
    )
    masses = [weigh_part(part, part_volume(part), Findings()).properties for part in robot.parts]
    assert sum(m.mass for m in masses if m is not None) == pytest.approx(355.0, rel=2e-3)
    told = [f.message for f in robot.findings if f.code == "CB192"]
    assert len(told) == 7
    assert all("visual" in text for text in told)


def test_so100_becomes_six_hinges(corpus: Path) -> None:
    robot = read(corpus / "so100/so100.urdf")
    assert (len(robot.instances), len(robot.mates), len(robot.drives)) == (7, 6, 6)
    assert all(p.shape is not None and p.shape.fine is not None for p in robot.parts)
    assert [j.type for j in build(robot).joints] == ["revolute"] * 6


def test_a_base_keeps_its_mass_beside_a_fixed_link_without_one(tmp_path: Path) -> None:
    """A ball that marks the tool's point on the base took the 0.374 kg of the whole base out of every export."""
    inertial = (
        '<inertial><mass value="{0}"/><inertia ixx="{0}" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    text = f"""<robot name="g"><link name="base">{inertial.format(0.374)}</link><link name="jaw">{inertial.format(0.02)}
      </link><joint name="j" type="prismatic"><parent link="base"/><child link="jaw"/><axis xyz="1 0 0"/>
      <limit lower="0" upper="0.02" effort="1" velocity="1"/></joint>
      <link name="tcp"><visual><geometry><sphere radius="0.003"/></geometry></visual></link>
      <joint name="t" type="fixed"><parent link="base"/><child link="tcp"/></joint></robot>"""
    (tmp_path / "g.urdf").write_text(text, encoding="utf-8")
    found = cb.build(cb.read(tmp_path / "g.urdf"))
    cb.export(found, tmp_path / "out", to="mjcf")
    written = "".join(path.read_text("utf-8") for path in sorted((tmp_path / "out").rglob("*.xml")))
    assert 'mass="0.374"' in written
    assert not [f.code for f in found.assembly.findings if f.severity != "info"]
