"""The SDF reader: frame semantics, joints against the same model in URDF, includes, faults."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import GROUND, Assembly, CouplingKind, Limit, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.frames import Pose
from cadbridge.mass import volume_properties
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from tests.exporters.test_exports import accelerations

INERTIAL = """<inertial><pose>0.1 0 0 0 0 1.5707963267948966</pose><mass>2</mass>
  <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial>"""

ARM = f"""<?xml version="1.0"?>
<sdf version="1.9">
  <model name="arm" canonical_link="base">
    <pose>0 0 1 0 0 0</pose>
    <link name="base">{INERTIAL}
      <visual name="v"><geometry><box><size>1 2 3</size></box></geometry>
        <material><diffuse>1 0 0 1</diffuse></material></visual></link>
    <frame name="shoulder" attached_to="base"><pose degrees="true">0 0 0.5 0 0 90</pose></frame>
    <link name="upper"><pose relative_to="J1">0 0 0 0 0 0</pose>{INERTIAL}
      <collision name="c"><geometry><capsule><radius>0.05</radius><length>0.5</length></capsule></geometry></collision>
    </link>
    <link name="slide"><pose relative_to="upper">1 0 0 0 0 0</pose>{INERTIAL}</link>
    <joint name="root" type="fixed"><parent>world</parent><child>base</child></joint>
    <joint name="J1" type="revolute"><pose relative_to="shoulder"/><parent>base</parent><child>upper</child>
      <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>2</upper><velocity>3</velocity><effort>4</effort></limit>
        <dynamics><damping>0.5</damping><friction>0.25</friction></dynamics></axis></joint>
    <joint name="J2" type="prismatic"><parent>upper</parent><child>slide</child>
      <axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>0</lower><upper>1e16</upper></limit>
        <mimic joint="J1"><multiplier>0.5</multiplier><offset>0.2</offset><reference>0.1</reference></mimic></axis>
    </joint>
  </model>
</sdf>
"""

URDF = """<robot name="arm">
  <link name="base">{0}</link><link name="upper">{0}</link><link name="slide">{0}</link>
  <joint name="J1" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" velocity="3" effort="4"/><dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="J2" type="prismatic"><parent link="upper"/><child link="slide"/><origin xyz="1 0 0"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1e16" velocity="1" effort="1"/><mimic joint="J1" multiplier="0.5"/></joint></robot>
""".format(
    '<inertial><origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def _read(folder: Path, text: str, options: ReadOptions | None = None) -> Assembly:
    path = folder / "model.sdf"
    path.write_text(text, encoding="utf-8")
    return read(path, options=options)


def _codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


def _two(joint: str, more: str = "", version: str = "1.9") -> str:
    """Two links of 1 kg, the second at (1, 0, 0) turned by 90° about z, and what joins them."""
    mass = "<inertial><mass>1</mass></inertial>"
    return f"""<sdf version="{version}"><model name="m"><static>false</static><link name="a">{mass}</link>
      <link name="b"><pose>1 0 0 0 0 {math.pi / 2}</pose>{mass}</link>{joint}{more}</model></sdf>"""


def test_frames_and_poses_are_resolved(tmp_path: Path) -> None:
    arm = _read(tmp_path, ARM)
    assert [c.name for c in arm.components] == ["base", "upper", "slide"]
    np.testing.assert_allclose(arm.component("upper").X_WC.p, [0, 0, 1.5], atol=1e-12)
    np.testing.assert_allclose(arm.component("slide").X_WC.p, [0, 1, 1.5], atol=1e-12)
    (frame,) = arm.frames
    assert (frame.name, frame.component) == ("shoulder", "base")
    np.testing.assert_allclose(frame.X_CF.p, [0, 0, 0.5], atol=1e-12)


def test_joints_limits_mimic_masses_and_shapes(tmp_path: Path) -> None:
    arm = _read(tmp_path, ARM)
    root, j1, j2 = arm.mates
    assert (root.kind, root.a.component) == (MateKind.FIXED, GROUND)
    assert j1.limit is not None
    assert (j1.limit.lower, j1.limit.upper, j1.limit.velocity, j1.limit.effort) == (-1, 2, 3, 4)
    assert (j1.damping, j1.friction) == (0.5, 0.25)
    assert j2.limit is not None
    assert (j2.limit.lower, j2.limit.upper) == (0.0, None)
    (mimic,) = arm.couplings
    assert (mimic.joints, mimic.ratio, mimic.offset) == (("J1", "J2"), 0.5, pytest.approx(0.15))
    declared = arm.part("upper").declared
    assert declared is not None
    np.testing.assert_allclose(declared.inertia, np.diag([0.2, 0.1, 0.25]), atol=1e-15)
    shape = arm.part("upper").shape
    assert shape is not None
    assert shape.collision is not None
    volume = math.pi * 0.05**2 * 0.5 + 4 / 3 * math.pi * 0.05**3
    assert volume_properties(shape.collision).mass == pytest.approx(volume, rel=1e-12)
    assert arm.part("base").colour == (1.0, 0.0, 0.0, 1.0)
    assert arm.mates_in_file == len(arm.mates) + len(arm.couplings) == 4


def test_the_same_model_in_urdf_moves_alike(tmp_path: Path) -> None:
    sdf = build(_read(tmp_path, ARM.replace("<pose>0 0 1 0 0 0</pose>", "", 1)))
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    urdf = build(read(path))
    assert [(j.name, j.type) for j in sdf.joints] == [(j.name, j.type) for j in urdf.joints]
    np.testing.assert_allclose(accelerations(sdf), accelerations(urdf), atol=1e-12)


@pytest.mark.parametrize(
    ("joint", "kind", "dof"),
    [
        ('type="revolute"', MateKind.REVOLUTE, 7),
        ('type="continuous"', MateKind.REVOLUTE, 7),
        ('type="prismatic"', MateKind.PRISMATIC, 7),
        ('type="ball"', MateKind.SPHERICAL, 9),
        ('type="universal"', MateKind.UNIVERSAL, 8),
        ('type="revolute2"', MateKind.UNIVERSAL, 8),
        ('type="screw"', MateKind.SCREW, 7),
        ('type="fixed"', MateKind.FIXED, 6),
    ],
)
def test_joint_types(joint: str, kind: MateKind, dof: int, tmp_path: Path) -> None:
    text = f"""<joint name="j" {joint}><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>
      <axis2><xyz>0 1 0</xyz></axis2><screw_thread_pitch>0.02</screw_thread_pitch></joint>"""
    assembly = _read(tmp_path, _two(text))
    (mate,) = assembly.mates
    assert mate.kind is kind
    np.testing.assert_allclose(mate.a.point, [1, 0, 0], atol=1e-12)  # the child's frame in the parent's
    assert diagnose(build(assembly)).mobility.dof == dof


@pytest.mark.parametrize(
    ("pitch", "advance"),
    [("<screw_thread_pitch>0.02</screw_thread_pitch>", 0.01 / math.pi), ("<thread_pitch>-100</thread_pitch>", 0.01)],
)
def test_the_two_pitches_of_a_screw(pitch: str, advance: float, tmp_path: Path) -> None:
    joint = f'<joint name="j" type="screw"><parent>a</parent><child>b</child><axis/>{pitch}</joint>'
    (mate,) = _read(tmp_path, _two(joint)).mates
    assert mate.value == pytest.approx(advance)


@pytest.mark.parametrize(
    ("version", "axis", "world"),
    [
        ("1.9", "<xyz>1 0 0</xyz>", [0, 1, 0]),
        ("1.9", '<xyz expressed_in="a">1 0 0</xyz>', [1, 0, 0]),
        ("1.9", '<xyz expressed_in="b">1 0 0</xyz>', [0, 1, 0]),
        ("1.6", "<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", [1, 0, 0]),
        ("1.4", "<xyz>1 0 0</xyz>", [1, 0, 0]),
        ("1.10", "<xyz>1 0 0</xyz>", [0, 1, 0]),
    ],
)
def test_the_frame_of_an_axis(version: str, axis: str, world: list[float], tmp_path: Path) -> None:
    joint = f'<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis>{axis}</axis></joint>'
    assembly = _read(tmp_path, _two(joint, version=version))
    direction = assembly.mates[0].a.direction
    assert direction is not None
    np.testing.assert_allclose(assembly.component("a").X_WC.vector(direction), world, atol=1e-12)


def test_a_gearbox_couples_against_its_reference(tmp_path: Path) -> None:
    hinges = "".join(
        f'<joint name="j{end}" type="revolute"><parent>world</parent><child>{end}</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
        for end in ("a", "b")
    )
    gearbox = """<joint name="g" type="gearbox"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
      <axis2><xyz>0 0 1</xyz></axis2><gearbox_ratio>3</gearbox_ratio>
      <gearbox_reference_body>world</gearbox_reference_body></joint>"""
    assembly = _read(tmp_path, _two(hinges, gearbox))
    (gear,) = assembly.couplings
    assert (gear.kind, gear.ratio, gear.carrier) == (CouplingKind.RATIO, -3.0, GROUND)
    assert diagnose(build(assembly)).mobility.dof == 1


def test_nested_and_included_models(tmp_path: Path) -> None:
    wheel = tmp_path / "models" / "wheel"
    wheel.mkdir(parents=True)
    (wheel / "model.config").write_text("<model><sdf>wheel.sdf</sdf></model>", encoding="utf-8")
    (wheel / "wheel.sdf").write_text(
        f'<sdf version="1.9"><model name="wheel"><link name="rim"><pose>0 0 1 0 0 0</pose>{INERTIAL}</link>'
        '<frame name="hub" attached_to="rim"><pose>0 0 -0.25 0 0 0</pose></frame></model></sdf>',
        encoding="utf-8",
    )
    text = f"""<sdf version="1.9"><world name="w"><gravity>0 0 -9.8</gravity><include><uri>model://wheel</uri>
        <name>left</name><pose>0 2 0 0 0 0</pose></include>
      <model name="cart"><static>true</static><link name="body">{INERTIAL}</link>
        <include><uri>model://wheel</uri><pose relative_to="body">1 0 0 0 0 0</pose>
          <placement_frame>hub</placement_frame></include>
        <model name="box"><pose>0 0 3 0 0 0</pose><link name="lid">{INERTIAL}</link></model>
        <joint name="axle" type="revolute"><parent>body</parent><child>wheel::hub</child>
          <axis><xyz>0 0 1</xyz></axis></joint></model>
      <joint name="tie" type="fixed"><parent>cart::box::lid</parent><child>left::rim</child></joint></world></sdf>"""
    assembly = _read(tmp_path, text, ReadOptions(package_dirs=(tmp_path / "models",)))
    places = {c.name: c.X_WC.p for c in assembly.components}
    np.testing.assert_allclose(places["left/rim"], [0, 2, 1], atol=1e-12)
    np.testing.assert_allclose(places["cart/wheel/rim"], [1, 0, 0.25], atol=1e-12)  # its hub stands at (1, 0, 0)
    np.testing.assert_allclose(places["cart/box/lid"], [0, 0, 3], atol=1e-12)
    assert assembly.name == "model"  # the file's: neither model is the whole
    assert {c.name: c.grounded for c in assembly.components}["cart/body"] is True
    assert {(m.name, m.a.component, m.b.component) for m in assembly.mates} == {
        ("cart/axle", "cart/body", "cart/wheel/rim"),
        ("tie", "cart/box/lid", "left/rim"),
    }


@pytest.mark.parametrize(("own", "over", "grounded"), [("true", "false", False), ("false", "true", True)])
def test_an_include_says_whether_its_model_is_static(own: str, over: str, grounded: bool, tmp_path: Path) -> None:
    """As sdformat: the <static> of an <include> takes the place of the model's own."""
    (tmp_path / "part.sdf").write_text(_two("").replace(">false<", f">{own}<"), encoding="utf-8")
    text = f"""<sdf version="1.9"><world name="w"><include><uri>part.sdf</uri><static>{over}</static></include>
      </world></sdf>"""
    assert {c.grounded for c in _read(tmp_path, text).components} == {grounded}


def test_a_ball_is_damped_as_drake_damps_it(tmp_path: Path) -> None:
    dynamics = "<dynamics><damping>0.5</damping><friction>0.1</friction></dynamics>"
    joint = f"""<joint name="j" type="ball"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>{dynamics}</axis>
      </joint>"""
    assembly = _read(tmp_path, _two(joint))
    assert [mate.damping for mate in assembly.mates] == [0.5]
    assert "CB1432" in _codes(assembly)  # its dry friction


def _universal(first: str = "", second: str = "", across: str = "0 1 0") -> str:
    axes = f"<axis><xyz>1 0 0</xyz>{first}</axis><axis2><xyz>{across}</xyz>{second}</axis2>"
    return f'<joint name="j" type="universal"><parent>a</parent><child>b</child>{axes}</joint>'


def test_a_universal_joint_with_loads_and_limits_is_two_hinges_that_have_them(tmp_path: Path) -> None:
    """They were left out, as one mate has one set of each."""
    first = "<limit><lower>-1</lower></limit><dynamics><damping>0.3</damping></dynamics>"
    second = "<limit><lower>-0.5</lower><upper>0.4</upper></limit><dynamics><friction>0.1</friction></dynamics>"
    assembly = _read(tmp_path, _two(_universal(first, second)))
    one, two = assembly.mates
    assert (one.name, one.limit, one.damping, one.friction) == ("j", Limit(lower=-1.0), 0.3, 0.0)
    assert (two.name, two.limit, two.damping, two.friction) == ("j axis2", Limit(-0.5, 0.4), 0.0, 0.1)
    assert [(m.kind, m.a.component, m.b.component) for m in (one, two)] == [
        (MateKind.REVOLUTE, "a", "b/j"),
        (MateKind.REVOLUTE, "b/j", "b"),
    ]
    assert diagnose(build(assembly)).mobility.dof == 8
    assert "CB1401" in _codes(assembly)
    plain = _read(tmp_path, _two(_universal(first="<limit><lower>-1e16</lower></limit>")))
    assert [m.kind for m in plain.mates] == [MateKind.UNIVERSAL]


def test_a_universal_joint_with_axes_askew_is_two_hinges(tmp_path: Path) -> None:
    """It was left out, with an error."""
    assembly = _read(tmp_path, _two(_universal(across="1 1 0")))
    assert [m.kind for m in assembly.mates] == [MateKind.REVOLUTE] * 2
    assert diagnose(build(assembly)).mobility.dof == 8
    parallel = _read(tmp_path, _two(_universal(across="2 0 0")))
    assert not parallel.mates
    assert "CB187" in _codes(parallel)


def test_a_nested_model_may_have_a_flattened_name_before_version_1_8(tmp_path: Path) -> None:
    text = f"""<sdf version="1.7"><model name="m"><link name="base">{INERTIAL}</link>
      <model name="a::b"><pose>0 0 2 0 0 0</pose><link name="hub"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link></model>
      <joint name="axle" type="revolute"><parent>base</parent><child>a::b::hub</child>
        <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""
    assembly = _read(tmp_path, text)
    np.testing.assert_allclose(assembly.component("a/b/hub").X_WC.p, [1, 0, 2], atol=1e-12)
    assert [(m.a.component, m.b.component) for m in assembly.mates] == [("base", "a/b/hub")]
    newer = _read(tmp_path, text.replace("1.7", "1.8"))
    assert "CB181" in {f.code for f in newer.findings}  # the name is reserved


def test_a_merged_include_stands_where_its_model_would(tmp_path: Path) -> None:
    (tmp_path / "part.sdf").write_text(
        f'<sdf version="1.9"><model name="p"><link name="x"><pose>1 0 0 0 0 0</pose>{INERTIAL}</link></model></sdf>',
        encoding="utf-8",
    )
    text = f"""<sdf version="1.9"><model name="m"><link name="a">{INERTIAL}</link>
      <include merge="true"><uri>part.sdf</uri><pose>0 0 5 0 0 0</pose></include></model></sdf>"""
    assembly = _read(tmp_path, text)
    np.testing.assert_allclose(assembly.component("x").X_WC.p, [1, 0, 5])
    assert assembly.frames == ()  # the merged model's own frame is nobody's


def test_a_frame_whose_name_begins_with_an_underscore_is_kept(tmp_path: Path) -> None:
    text = f"""<sdf version="1.9"><model name="m"><link name="a">{INERTIAL}</link>
      <frame name="_tool"><pose>0 0 2 0 0 0</pose></frame></model></sdf>"""
    (frame,) = _read(tmp_path, text).frames
    assert (frame.name, frame.component) == ("_tool", "a")


def test_inertia_from_shapes_is_left_to_weighing(tmp_path: Path) -> None:
    text = """<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"/>
      <collision name="c"><density>500</density><geometry><box><size>1 1 2</size></box></geometry></collision>
      </link></model></sdf>"""
    part = _read(tmp_path, text).part("a")
    assert (part.declared, part.density) == (None, 500.0)
    assert part.shape is not None
    assert part.shape.fine is not None
    assert volume_properties(part.shape.fine).mass == pytest.approx(2.0)


def test_each_collision_is_weighed_by_its_own_density(tmp_path: Path) -> None:
    """A collision that gives none has that of <inertial>, as SDFormat says (`/sdf/collision/density`)."""
    box = "<geometry><box><size>1 1 1</size></box></geometry>"
    auto = '<inertial auto="true"><density>300</density></inertial>'
    text = f"""<sdf version="1.11"><model name="m"><link name="a">{auto}
      <collision name="c">{box}</collision>
      <collision name="d"><density>700</density><pose>2 0 0 0 0 0</pose>{box}</collision></link></model></sdf>"""
    mass = _read(tmp_path, text).part("a").declared
    assert mass is not None
    assert mass.mass == pytest.approx(1000.0)
    assert mass.com == pytest.approx([1.4, 0.0, 0.0])


def test_of_an_open_mesh_among_several_densities_no_mass_is_made_up(tmp_path: Path) -> None:
    (tmp_path / "open.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", encoding="utf-8")
    text = """<sdf version="1.11"><model name="m"><link name="a"><inertial auto="true"><density>300</density></inertial>
      <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision>
      <collision name="d"><density>700</density><geometry><mesh><uri>open.obj</uri></mesh></geometry></collision>
      </link></model></sdf>"""
    assembly = _read(tmp_path, text)
    assert (assembly.part("a").declared, assembly.part("a").density) == (None, None)
    assert "CB193" in _codes(assembly)


def test_a_quaternion_pose(tmp_path: Path) -> None:
    text = _two("").replace(
        f"<pose>1 0 0 0 0 {math.pi / 2}</pose>", '<pose rotation_format="quat_xyzw">1 0 0  0 0 0.6 0.8</pose>'
    )
    X = _read(tmp_path, text).component("b").X_WC
    np.testing.assert_allclose(X.R, Pose.from_quaternion([0, 0, 0], [0.8, 0, 0, 0.6]).R, atol=1e-12)


def test_a_long_chain_of_frames_is_no_recursion(tmp_path: Path) -> None:
    links = "".join(
        f'<link name="l{i}"><pose relative_to="l{i + 1}">0 0 1 0 0 0</pose><inertial/></link>' for i in range(3000)
    )
    text = f'<sdf version="1.9"><model name="m">{links}<link name="l3000"><inertial/></link></model></sdf>'
    np.testing.assert_allclose(_read(tmp_path, text).component("l0").X_WC.p, [0, 0, 3000])


def _swap(old: str, new: str) -> Callable[[], str]:
    def made() -> str:
        assert old in ARM, old
        return ARM.replace(old, new, 1)

    return made


FAULTS: dict[str, tuple[Callable[[], str], str]] = {
    "pose of two numbers": (_swap("<pose>0 0 1 0 0 0</pose>", "<pose>0 0</pose>"), "CB181"),
    "pose with words": (_swap("<pose>0 0 1 0 0 0</pose>", "<pose>a b c d e f</pose>"), "CB181"),
    "infinite mass": (_swap("<mass>2</mass>", "<mass>inf</mass>"), "CB181"),
    "huge number": (_swap("<lower>-1</lower>", "<lower>1e999</lower>"), "CB181"),
    "negative damping": (_swap("<damping>0.5</damping>", "<damping>-0.5</damping>"), "CB181"),
    "zero axis": (_swap("<xyz>0 0 1</xyz>", "<xyz>0 0 0</xyz>"), "CB181"),
    "axis of two": (_swap("<xyz>0 0 1</xyz>", "<xyz>0 0</xyz>"), "CB181"),
    "reversed limits": (_swap("<upper>2</upper>", "<upper>-2</upper>"), "CB181"),
    "no name": (_swap('<link name="slide">', "<link>"), "CB181"),
    "reserved name": (_swap('<link name="slide">', '<link name="world">'), "CB181"),
    "name with colons": (_swap('<link name="slide">', '<link name="a::b">'), "CB181"),
    "negative size": (_swap("<radius>0.05</radius>", "<radius>-1</radius>"), "CB193"),
    "mimic by zero": (_swap("<multiplier>0.5", "<multiplier>0"), "CB181"),
    "two links of a name": (_swap('<link name="slide">', '<link name="upper">'), "CB1422"),
    "joint named as a link": (_swap('<joint name="J2"', '<joint name="base"'), "CB1422"),
    "include of nothing": (_swap("<pose>0 0 1 0 0 0</pose>", "<include/>"), "CB1423"),
    "include outside": (
        _swap("<pose>0 0 1 0 0 0</pose>", "<include><uri>../x.sdf</uri></include>"),
        "CB102",
    ),
    "include of the net": (
        _swap("<pose>0 0 1 0 0 0</pose>", "<include><uri>https://fuel.gazebosim.org/x</uri></include>"),
        "CB102",
    ),
    "include of itself": (
        _swap("<pose>0 0 1 0 0 0</pose>", "<include><uri>model.sdf</uri></include>"),
        "CB1423",
    ),
    "no inertial": (_swap(INERTIAL, ""), "CB1424"),
    "deformable": (_swap('<link name="slide">', '<link name="slide"><deformable_properties/>'), "CB1253"),
    "dangling relative_to": (_swap('relative_to="upper"', 'relative_to="lower"'), "CB1425"),
    "circle of frames": (_swap('<pose relative_to="shoulder"/>', '<pose relative_to="upper"/>'), "CB1425"),
    "dangling parent": (_swap("<parent>base</parent>", "<parent>nobody</parent>"), "CB1425"),
    "dangling child": (_swap("<child>slide</child>", "<child>x::y</child>"), "CB1425"),
    "joined to itself": (_swap("<parent>base</parent>", "<parent>upper</parent>"), "CB1425"),
    "dangling mimic": (_swap('<mimic joint="J1">', '<mimic joint="J9">'), "CB1425"),
    "frame attached to itself": (_swap('attached_to="base"', 'attached_to="shoulder"'), "CB1425"),
    "dangling expressed_in": (_swap('expressed_in="__model__"', 'expressed_in="x"'), "CB1425"),
    "unknown version": (_swap('version="1.9"', 'version="9.9"'), "CB1426"),
    "unread": (_swap("<pose>0 0 1 0 0 0</pose>", "<plugin name='p' filename='p.so'/>"), "CB190"),
    "unshaped": (
        _swap("<box><size>1 2 3</size></box>", "<plane><normal>0 0 1</normal></plane>"),
        "CB193",
    ),
    "missing mesh": (_swap("<box><size>1 2 3</size></box>", "<mesh><uri>a.stl</uri></mesh>"), "CB112"),
    "mesh outside": (
        _swap("<box><size>1 2 3</size></box>", "<mesh><uri>file:///etc/a.stl</uri></mesh>"),
        "CB1438",
    ),
    "unknown joint": (_swap('type="prismatic"', 'type="rope"'), "CB187"),
}


_DETACHABLE = """<plugin name="gz::sim::systems::DetachableJoint" filename="gz-sim-detachable-joint-system">
<parent_link>upper</parent_link><child_model>__model__</child_model><child_link>slide</child_link></plugin>"""
ACTING = {
    "buoyancy": ('<plugin name="gz::sim::systems::Buoyancy" filename="gz-sim-buoyancy-system"/>', "Buoyancy"),
    "lift": ('<plugin name="wing" filename="libLiftDragPlugin.so"/>', "wing"),
    "rates from the start": (
        '<plugin name="gz::sim::systems::JointController" filename="x"><joint_name>J1</joint_name></plugin>',
        "JointController of arm (joints: J1), which acts before any command",
    ),
    "wheels from the start": (
        '<plugin name="drive" filename="libgazebo_ros_diff_drive.so"><left_joint>J1</left_joint></plugin>',
        "drive of arm (joints: J1)",
    ),
    "a bushing of Drake's": ("<linear_bushing_rpy><bushing_frameA>a</bushing_frameA></linear_bushing_rpy>", "bushing"),
    "a loop of Drake's": ('<ball_constraint name="closure"/>', "closure"),
    "detachable": (_DETACHABLE, "between upper and slide"),
    "added mass": (
        INERTIAL.replace("</inertial>", "<fluid_added_mass><xx>2</xx></fluid_added_mass></inertial>"),
        "upper",
    ),
    "decay": (INERTIAL + "<velocity_decay><angular>0.1</angular></velocity_decay>", "upper"),
}


@pytest.mark.parametrize("case", ACTING)
def test_what_acts_in_gazebo_and_not_here_is_a_warning(case: str, tmp_path: Path) -> None:
    element, named = ACTING[case]
    link = "</inertial>" in element
    text = ARM.replace(INERTIAL, element, 1) if link else _swap("<pose>0 0 1 0 0 0</pose>", element)()
    assembly = _read(tmp_path, text)
    told = [f for f in assembly.findings if f.code in ("CB1410", "CB190")]
    assert [f.code for f in told] == ["CB1410"]
    assert link or named in told[0].message


def test_what_waits_for_commands_is_named(tmp_path: Path) -> None:
    plugin = '<plugin name="Thruster" filename="x"><joint_name>J1</joint_name></plugin>'
    (told,) = [f for f in _read(tmp_path, ARM.replace("</model>", f"{plugin}</model>")).findings if f.code == "CB190"]
    assert "Thruster of arm (joints: J1), which waits for commands" in told.message


def test_what_an_include_changes_of_its_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(ARM, encoding="utf-8")
    change = '<experimental:params><link element_id="upper" action="remove"/></experimental:params>'
    text = f"""<sdf version="1.9" xmlns:experimental="x"><world name="w"><include><uri>arm.sdf</uri><name>two</name>
      {change}</include></world></sdf>"""
    (told,) = [f for f in _read(tmp_path, text).findings if f.code == "CB1410"]
    assert "of two" in told.message


def test_a_decay_of_zero_acts_on_nothing(tmp_path: Path) -> None:
    still = INERTIAL + "<velocity_decay><linear>0</linear></velocity_decay>"
    assert "CB1410" not in {f.code for f in _read(tmp_path, ARM.replace(INERTIAL, still, 1)).findings}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_is_a_finding_with_its_line(case: str, tmp_path: Path) -> None:
    make, code = FAULTS[case]
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "x.sdf").write_text(ARM, encoding="utf-8")
    assembly = _read(folder, make())
    found = [f for f in assembly.findings if f.code == code]
    assert found
    assert code in ("CB190", "CB112") or found[0].where.line
    build(assembly)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<sdf ", "CB104"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><sdf version='1.9'/>", "CB103"),
        ("<sdf version='1.9'><model name='m'/></sdf>", "CB180"),
        ("<model name='m'/>", "CB180"),
    ],
)
def test_what_is_no_sdf_is_refused(text: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _read(tmp_path, text)
    assert code in {f.code for f in caught.value.findings}


def test_models_that_include_each_other_end(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.sdf").write_text(
            f'<sdf version="1.9"><model name="{name}"><link name="l">{INERTIAL}</link>'
            f"<include><uri>{other}.sdf</uri></include></model></sdf>",
            encoding="utf-8",
        )
    assembly = read(tmp_path / "a.sdf")
    assert "CB1423" in _codes(assembly)
    assert [c.name for c in assembly.components] == ["l", "b/l"]


def test_models_that_include_one_another_without_end_are_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cadbridge.readers.sdf import models

    monkeypatch.setattr(models, "MOST_INCLUDED", 40)
    for i in range(20):
        inner = "".join(f"<include><name>i{k}</name><uri>m{i + 1}.sdf</uri></include>" for k in range(3))
        (tmp_path / f"m{i}.sdf").write_text(f'<sdf version="1.9"><model name="m{i}">{inner}</model></sdf>')
    (tmp_path / "m20.sdf").write_text('<sdf version="1.9"><model name="z"><link name="l"/></model></sdf>')
    findings = read(tmp_path / "m0.sdf").findings
    assert len([f for f in findings if "more than 40 models are included" in f.message]) == 1
