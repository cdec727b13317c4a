"""xacro, loops, drives and what other programs add to a URDF; and that no hostile xacro gets anywhere."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Assembly
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.folders import Folders
from cadbridge.mass import audit_mesh, volume_properties
from cadbridge.mechanism import build
from cadbridge.readers import paths
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.xacro import process
from cadbridge.reading import read

XACRO = """<?xml version="1.0"?>
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/>
  <xacro:include filename="parts.xacro"/>
  <xacro:rod name="a"/>
  <xacro:rod name="b" mass="${2 * unit}"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="$(arg length) 0 0"/><axis xyz="0 0 ${cos(0)}"/></joint>
</robot>
"""

PARTS = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="unit" value="${1.5 + 0.5}"/>
  <xacro:macro name="rod" params="name mass:=1">
    <link name="${name}">
      <inertial><mass value="${mass}"/><inertia ixx="1" iyy="1" izz="${mass / 2}" ixy="0" ixz="0" iyz="0"/></inertial>
    </link>
  </xacro:macro>
</robot>
"""

LINK = """<link name="{0}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HINGE = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3} {4} 0"/>
  <axis xyz="0 0 1"/></joint>"""

FOUR_BAR = (
    '<robot name="four_bar">'
    + "".join(LINK.format(name) for name in ("base", "crank", "rocker", "coupler"))
    + HINGE.format("A", "base", "crank", 0, 0)
    + HINGE.format("D", "base", "rocker", 4, 0)
    + HINGE.format("B", "crank", "coupler", 0, 1)
    + "{loop}</robot>"
)

GAZEBO_LOOP = """<gazebo><joint name="C" type="revolute"><parent>rocker</parent><child>coupler</child>
  <pose>4 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint></gazebo>"""
LOOP_JOINT = """<loop_joint name="C" type="continuous"><link1 link="rocker" xyz="0 1 0" rpy="0 0 0"/>
  <link2 link="coupler" xyz="4 0 0" rpy="0 0 0"/><axis xyz="0 0 1"/></loop_joint>"""
BALL = """<drake:ball_constraint xmlns:drake="http://drake.mit.edu"><drake:ball_constraint_body_A name="rocker"/>
  <drake:ball_constraint_p_AP value="0 1 0"/><drake:ball_constraint_body_B name="coupler"/>
  <drake:ball_constraint_p_BQ value="4 0 0"/></drake:ball_constraint>"""


def _robot(folder: Path, text: str, name: str = "robot.urdf") -> Assembly:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read(path)


def _xacro(folder: Path, text: str = XACRO, options: ReadOptions | None = None) -> Assembly:
    (folder / "parts.xacro").write_text(PARTS, encoding="utf-8")
    path = folder / "arm.urdf.xacro"
    path.write_text(text, encoding="utf-8")
    return read(path, options=options)


def test_xacro_is_expanded_with_its_includes(tmp_path: Path) -> None:
    robot = _xacro(tmp_path)
    assert robot.format == "urdf"
    b = robot.part("b").declared
    assert b is not None
    assert b.mass == 4.0
    np.testing.assert_allclose(np.diag(b.inertia), [1, 1, 2])
    np.testing.assert_allclose(robot.component("b").X_WC.p, [0.5, 0, 0])
    assert "CB197" in {f.code for f in robot.findings}
    assert all(f.where.line is None for f in robot.findings)


def test_arguments_of_a_xacro_can_be_given(tmp_path: Path) -> None:
    robot = _xacro(tmp_path, options=ReadOptions(arguments=(("length", "0.75"),)))
    np.testing.assert_allclose(robot.component("b").X_WC.p, [0.75, 0, 0])


def test_packages_are_found_without_ros(tmp_path: Path) -> None:
    package = tmp_path / "share" / "rods"
    package.mkdir(parents=True)
    (package / "parts.xacro").write_text(PARTS, encoding="utf-8")
    text = XACRO.replace('filename="parts.xacro"', 'filename="$(find rods)/parts.xacro"')
    path = tmp_path / "arm.xacro"
    path.write_text(text, encoding="utf-8")
    robot = read(path, options=ReadOptions(package_dirs=(tmp_path / "share",)))
    assert [m.name for m in robot.mates] == ["j"]


def test_a_folder_of_many_files_is_looked_through_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each file in it. A package that only the last one names is found."""
    (tmp_path / "share" / "rods").mkdir(parents=True)
    for number in range(9):
        (tmp_path / f"part{number}.xacro").write_text("<robot/>" if number else "<a>$(find rods)</a>", encoding="utf-8")
    looked_at: list[str] = []

    def lies_beside(path: Path, source: Path) -> bool:
        looked_at.append(path.name)
        return paths.lies_beside(path, source)

    monkeypatch.setattr(process, "lies_beside", lies_beside)
    arm = tmp_path / "arm.urdf"
    arm.write_text("<robot/>", encoding="utf-8")
    share = (tmp_path / "share").resolve()
    assert process._packages(arm, Folders.of(arm, [share])) == {"rods": share / "rods"}
    assert sorted(looked_at) == [f"part{number}.xacro" for number in range(9)]


@pytest.mark.parametrize(
    "change",
    [
        ('filename="parts.xacro"', 'filename="../outside.xacro"'),
        ('filename="parts.xacro"', 'filename="missing.xacro"'),
        ('filename="parts.xacro"', 'filename="arm.urdf.xacro"'),
        ('<xacro:rod name="a"/>', "<xacro:nothing/>"),
        ('<xacro:rod name="a"/>', "<xacro:rod/>"),
        ('<xacro:rod name="a"/>', '<xacro:macro name="m" params=""><xacro:m/></xacro:macro><xacro:m/>'),
    ],
    ids=["outside", "missing", "itself", "unknown macro", "no parameter", "endless macro"],
)
def test_faults_of_a_xacro_are_told(change: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "outside.xacro").write_text(PARTS, encoding="utf-8")
    folder = tmp_path / "robot"
    folder.mkdir()
    with pytest.raises(InputError) as caught:
        _xacro(folder, XACRO.replace(*change))
    (told,) = caught.value.findings
    assert told.code == ("CB1921" if "outside" in change[1] else "CB196")
    assert told.code == "CB196" or "name its folder with --package-dir" in (told.hint or "")


@pytest.mark.parametrize(
    ("change", "cure"),
    [
        (('<xacro:rod name="a"/>', '<xacro:arg name="n"/>'), "Give the argument a default, such as"),
        (('<xacro:rod name="a"/>', '<link name="$(arg n)"/>'), "Give its value with --arg n:=VALUE"),
        (('xmlns:xacro="http://www.ros.org/wiki/xacro"', ""), "Declare each prefix in the root element"),
        (('<xacro:rod name="a"/>', "<xacro:nothing/>"), "the macro nothing above the call"),
        (('<xacro:rod name="a"/>', "<xacro:rod/>"), "Give the call of the macro its name"),
        (('filename="parts.xacro"', 'filename="missing.xacro"'), "Correct the name of the file"),
        (('filename="parts.xacro"', 'filename="$(find p)/a.xacro"'), "the package p with --package-dir"),
        (('<xacro:rod name="a"/>', '<link name="${q}"/>'), "Define q with <xacro:property>"),
        (('<xacro:rod name="a"/>', '<link name="${1/0}"/>'), "Correct the expression"),
        (('<xacro:rod name="a"/>', '<link name="$(eval 1+)"/>'), "Correct the expression"),
        (('<xacro:rod name="a"/>', '<link name="${turn(3)}"/>'), "Correct the name turn: it is none of the functions"),
        (('<xacro:rod name="a"/>', '<xacro:rod name="a" c="1"/>'), "Take c out of the call"),
        (('<xacro:rod name="a"/>', '<xacro:insert_block name="z"/>'), "Give the call of the macro the block z"),
        (('<xacro:rod name="a"/>', '<xacro:if value="maybe"/>'), "Write true or false"),
        (('filename="parts.xacro"', 'filename="arm.urdf.xacro"'), "End the recursion"),
    ],
    ids=lambda value: "" if isinstance(value, tuple) else value,
)
def test_what_xacro_refuses_has_a_cure_that_holds(change: tuple[str, str], cure: str, tmp_path: Path) -> None:
    """Every fault was told to name folders or give values, which mends two of them."""
    assert change[0] in XACRO
    with pytest.raises(InputError) as caught:
        _xacro(tmp_path, XACRO.replace(*change))
    assert [cure in (f.hint or "") for f in caught.value.findings if f.code == "CB196"] == [True]


def test_a_prefix_that_is_not_declared_is_one_finding_in_the_file_that_has_it(tmp_path: Path) -> None:
    """Two told of it, one that the file is read; of an included file the place was the include's."""
    bare = XACRO.replace('xmlns:xacro="http://www.ros.org/wiki/xacro"', "")
    with pytest.raises(InputError) as caught:
        _xacro(tmp_path, bare)
    (own,) = caught.value.findings
    assert (own.code, Path(own.where.file or "").name) == ("CB196", "arm.urdf.xacro")
    assert own.where.line is not None
    (tmp_path / "bare.xacro").write_text(f"\n\n{bare[bare.index('<robot') :]}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        _xacro(tmp_path, XACRO.replace("parts.xacro", "bare.xacro"))
    (included,) = caught.value.findings
    assert (included.code, Path(included.where.file or "").name) == ("CB196", "bare.xacro")
    assert included.message.startswith("bare.xacro: ")
    assert "be expanded: bare.xacro: " in str(caught.value)
    assert included.where.line == own.where.line + 2 - bare[: bare.index("<robot")].count("\n")


@pytest.mark.parametrize(("loop", "dof"), [(GAZEBO_LOOP, 1), (LOOP_JOINT, 1), (BALL, 1), ("", 3)])
def test_loops_of_converters_close(loop: str, dof: int, tmp_path: Path) -> None:
    text = FOUR_BAR.format(loop=loop)
    robot = _robot(tmp_path, text)
    assert robot.mates_in_file == len(robot.mates) == (4 if loop else 3)
    if loop:
        mate = robot.mates[-1]
        X = [robot.component(f.component).X_WC for f in (mate.a, mate.b)]
        np.testing.assert_allclose(X[0].point(mate.a.point), X[1].point(mate.b.point), atol=1e-12)
    assert diagnose(build(robot)).mobility.dof == dof


def test_a_joint_of_gazebo_without_an_axis_turns_about_z_as_sdf_has_it(tmp_path: Path) -> None:
    loop = GAZEBO_LOOP.replace("<axis><xyz>0 0 1</xyz></axis>", "")
    for text in (loop, GAZEBO_LOOP.replace("<xyz>0 0 1</xyz>", "")):
        mate = _robot(tmp_path, FOUR_BAR.replace("{loop}", text)).mates[-1]
        assert mate.b.direction is not None
        np.testing.assert_allclose(mate.b.direction, [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("pitch", "value"),
    [("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.02 / (2 * np.pi)), ("<thread_pitch>-50</thread_pitch>", 0.02)],
)
def test_a_screw_of_gazebo_ties_two_joints(pitch: str, value: float, tmp_path: Path) -> None:
    text = """<robot name="jack"><link name="base"/>
      <link name="nut"/><joint name="lift" type="prismatic"><parent link="base"/><child link="nut"/>
        <axis xyz="0 0 1"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
      <link name="spindle"/><joint name="turn" type="continuous"><parent link="base"/><child link="spindle"/>
        <axis xyz="0 0 1"/></joint>
      <gazebo><joint name="thread" type="screw"><parent>nut</parent><child>spindle</child>
        <axis><xyz>0 0 1</xyz></axis>PITCH</joint></gazebo></robot>"""
    robot = _robot(tmp_path, text.replace("PITCH", pitch))
    assert robot.mates[-1].value == pytest.approx(value)
    assert diagnose(build(robot)).mobility.dof == 1
    (left,) = [f for f in _robot(tmp_path, text.replace("PITCH", "")).findings if f.code == "CB198"]
    assert "no pitch" in left.message


def test_a_universal_joint_of_gazebo_turns_one_shaft_by_another(tmp_path: Path) -> None:
    shaft = """<link name="{0}"/><joint name="{0}" type="continuous"><parent link="base"/><child link="{0}"/>
      <origin rpy="{1} 0 0"/><axis xyz="0 0 1"/></joint>"""
    cross = """<gazebo><joint name="cross" type="universal"><parent>in</parent><child>out</child>
      <axis><xyz>1 0 0</xyz></axis>{}</joint></gazebo>"""
    shafts = f'<robot name="cardan"><link name="base"/>{shaft.format("in", 0)}{shaft.format("out", 0.6)}'
    robot = _robot(tmp_path, f"{shafts}{cross.format('<axis2><xyz>0 1 0</xyz></axis2>')}</robot>")
    found = diagnose(build(robot))
    assert (found.mobility.rows, found.mobility.dof) == (14, 1)  # the cross's point stands on both axes: 3 rows repeat
    assert not [f for f in found.findings if f.severity.value == "error"]
    for second in ("", "<axis2><xyz>1 1 0</xyz></axis2>"):
        (left,) = [f for f in _robot(tmp_path, f"{shafts}{cross.format(second)}</robot>").findings if f.code == "CB198"]
        assert "two axes" in left.message


def test_a_joint_of_gazebo_without_its_links_is_left_out_as_gazebo_does(tmp_path: Path) -> None:
    joint = '<gazebo><joint name="g" type="revolute"><parent>crank</parent><child>nobody</child></joint></gazebo>'
    robot = _robot(tmp_path, FOUR_BAR.format(loop=joint))
    assert (len(robot.mates), robot.mates_in_file) == (3, 3)
    (left,) = [f for f in robot.findings if f.code == "CB1252"]
    assert left.severity.value == "warning"
    assert "'nobody'" in left.message


@pytest.mark.parametrize(
    "change",
    [("rocker", "nobody"), ('type="continuous"', 'type="rope"'), ("0 0 1", "0 0 0"), ('xyz="0 1 0"', 'xyz="0 1"')],
)
def test_a_loop_that_cannot_be_closed_is_told(change: tuple[str, str], tmp_path: Path) -> None:
    robot = _robot(tmp_path, FOUR_BAR.format(loop=LOOP_JOINT.replace(*change)))
    assert (len(robot.mates), robot.mates_in_file) == (3, 4)
    assert "CB198" in {f.code for f in robot.findings}


_PLUGIN = '<gazebo><plugin name="p" filename="{}"><left_joint>A</left_joint></plugin></gazebo>'
ACTING = {
    "spring": ('<gazebo reference="A"><springStiffness>5</springStiffness></gazebo>', "CB1410", "the springs of A"),
    "no gravity": ('<gazebo reference="crank"><gravity>0</gravity></gazebo>', "CB1410", "gravity on crank"),
    "gravity off": ('<gazebo reference="crank"><turnGravityOff>true</turnGravityOff></gazebo>', "CB1410", "on crank"),
    "decay": ('<gazebo reference="crank"><dampingFactor>0.1</dampingFactor></gazebo>', "CB1410", "decay"),
    "static": ("<gazebo><static>true</static></gazebo>", "CB1410", "<static>"),
    "bushing": ('<drake:linear_bushing_rpy xmlns:drake="x"/>', "CB1410", "the bushing"),
    "wheels": (_PLUGIN.format("libgazebo_ros_diff_drive.so"), "CB1410", "joints: A"),
    "waits": (_PLUGIN.format("libgazebo_ros_control.so"), "CB190", "waits for commands"),
}


@pytest.mark.parametrize("case", ACTING)
def test_what_acts_in_gazebo_or_drake_and_not_here_is_told(case: str, tmp_path: Path) -> None:
    element, code, words = ACTING[case]
    told = [f for f in _robot(tmp_path, FOUR_BAR.format(loop=element)).findings if f.code in ("CB1410", "CB190")]
    assert [f.code for f in told] == [code]
    assert words in told[0].message


@pytest.mark.parametrize(
    "element", ["<gravity>1</gravity>", "<turnGravityOff>0</turnGravityOff>", "<mu1>0.5</mu1>", "<kp>1e6</kp>"]
)
def test_what_gazebo_adds_and_moves_nothing_is_not_told(element: str, tmp_path: Path) -> None:
    text = FOUR_BAR.format(loop=f'<gazebo reference="crank">{element}</gazebo>')
    assert "CB1410" not in {f.code for f in _robot(tmp_path, text).findings}


def test_extensions_are_kept_as_written(tmp_path: Path) -> None:
    more = """<gazebo reference="crank"><mu1>0.5</mu1></gazebo><mujoco><compiler meshdir="m"/></mujoco>
      <ros2_control name="c" type="system"><joint name="A"><command_interface name="effort"/></joint>
        <transmission name="T"><plugin>p</plugin><joint name="A" role="j">
        <mechanical_reduction>30</mechanical_reduction></joint></transmission></ros2_control>"""
    text = FOUR_BAR.format(loop=more).replace(
        "<axis", '<safety_controller k_velocity="10" soft_lower_limit="-1"/><calibration rising="0.5"/><axis', 1
    )
    robot = _robot(tmp_path, text)
    kept = robot.extra["extensions"]
    assert sorted(kept) == ["gazebo", "mujoco", "ros2_control"]
    assert "<mu1>0.5</mu1>" in kept["gazebo"][0]
    assert robot.extra["joints"] == {
        "A": {"safety_controller": {"k_velocity": "10", "soft_lower_limit": "-1"}, "calibration": {"rising": "0.5"}}
    }
    assert [(d.name, d.joint, d.reduction) for d in robot.drives] == [("T", "A", 30.0)]
    assert robot.extra["unread"] == []


def test_frames_that_mark_a_loop_are_told(tmp_path: Path) -> None:
    ends = "".join(
        f'<link name="closing_x_{i}"/><joint name="f{i}" type="fixed"><parent link="{link}"/>'
        f'<child link="closing_x_{i}"/></joint>'
        for i, link in ((1, "rocker"), (2, "coupler"))
    )
    robot = _robot(tmp_path, FOUR_BAR.format(loop=ends))
    assert [f.where.item for f in robot.findings if f.code == "CB199"] == ["closing_x_1"]


def test_several_shapes_of_a_link_are_joined_and_a_capsule_has_its_volume(tmp_path: Path) -> None:
    shapes = """<link name="l"><visual><geometry><capsule radius="0.05" length="0.5"/></geometry></visual>
      <visual><origin xyz="1 0 0"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
      <collision><geometry><box size="1 1 1"/></geometry></collision>
      <collision><origin xyz="0 2 0"/><geometry><sphere radius="0.5"/></geometry></collision></link>"""
    robot = _robot(tmp_path, f'<robot name="r">{shapes}</robot>')
    shape = robot.part("l").shape
    assert shape is not None
    assert shape.fine is not None
    assert shape.collision is not None
    capsule = math.pi * 0.05**2 * 0.5 + 4 / 3 * math.pi * 0.05**3
    assert volume_properties(shape.fine).mass == pytest.approx(capsule + 0.006, rel=1e-12)
    assert volume_properties(shape.collision).mass == pytest.approx(1 + math.pi / 6, rel=1e-12)
    assert (audit_mesh(shape.fine).shells, audit_mesh(shape.collision).shells) == (2, 2)
