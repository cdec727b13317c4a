"""The MJCF reader against MuJoCo itself: masses, placements, accelerations; loops, couplings, faults."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from cadbridge.assembly import Assembly, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.errors import InputError
from cadbridge.exporters import export
from cadbridge.mass import volume_properties
from cadbridge.mechanism import Mechanism, build
from cadbridge.readers.mjcf import worker
from cadbridge.reading import read
from cadbridge.shapes import packing, protocol
from solver.constraints import FunctionCoupler
from tests.exporters.test_exports import accelerations

ARM = """<mujoco model="arm">
  <compiler angle="degree" autolimits="true"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="base" pos="0 0 0.1"><geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/>
      <body name="upper" pos="0 0.05 0.2" euler="0 30 0">
        <joint name="J1" axis="0 1 0" pos="0 0 0.01" range="-90 60" ref="10" damping="0.5" frictionloss="0.25"
          armature="0.02"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.5" size="0.04" rgba="1 0 0 1"/>
        <body name="slider" pos="0 0 0.5"><joint name="J2" type="slide" axis="1 1 0" range="0 0.1"/>
          <inertial pos="0.01 0 0" mass="0.7" diaginertia="0.01 0.02 0.025" euler="0 0 40"/>
          <geom type="ellipsoid" size="0.05 0.06 0.07"/>
          <body name="ball" pos="0.1 0 0"><joint name="J3" type="ball"/><geom type="sphere" size="0.05" pos="0.2 0 0"/>
          <site name="tip" pos="0 0 0.1"/></body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality><joint name="geared" joint1="J2" joint2="J1" polycoef="0 0.05 0 0 0"/></equality>
  <actuator><motor name="M1" joint="J1" gear="100"/></actuator>
  <keyframe><key name="home" qpos="0.5 0.02 1 0 0 0"/></keyframe>
</mujoco>
"""

FOUR_BAR = """<mujoco model="four_bar"><option gravity="0 -9.81 0"/>
  <default><geom type="capsule" size="0.02"/><joint axis="0 0 1"/></default>
  <worldbody>
    <body name="crank"><joint name="A"/><geom fromto="0 0 0 0 1 0"/>
      <body name="coupler" pos="0 1 0"><joint name="B"/><geom fromto="0 0 0 4 1 0"/></body></body>
    <body name="rocker" pos="4 0 0"><joint name="D"/><geom fromto="0 0 0 0 2 0"/></body>
  </worldbody>
  <equality><connect name="C" body1="coupler" body2="rocker" anchor="4 1 0"/></equality></mujoco>
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "model.xml"
    path.write_text(text, encoding="utf-8")
    return path


def _read(folder: Path, text: str) -> Assembly:
    return read(write(folder, text))


def _codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


def _accelerations_of_mujoco(model: mujoco.MjModel, mechanism: Mechanism) -> np.ndarray:
    """Accelerations (6n,) of the frames of the mechanism's bodies from rest, equalities held exactly."""
    model.dof_armature[:] = 0
    model.dof_frictionloss[:] = 0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    held = [i for i in range(data.nefc) if data.efc_type[i] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    rows = data.efc_J.reshape(-1, model.nv)[held]
    _, s, Vt = np.linalg.svd(rows) if len(rows) else (None, np.zeros(0), np.eye(model.nv))
    free = Vt[np.count_nonzero(s > 1e-9) :].T
    rates = free @ np.linalg.solve(free.T @ M @ free, -free.T @ data.qfrc_bias)
    found = []
    for body in mechanism.bodies:
        jacobian = np.zeros((6, model.nv))
        index = model.body(body.components[0]).id
        mujoco.mj_jac(model, data, jacobian[:3], jacobian[3:], data.xpos[index], index)
        found.append(jacobian @ rates)
    return np.concatenate(found)


@pytest.mark.parametrize("text", [ARM, FOUR_BAR], ids=["arm", "four-bar"])
def test_masses_placements_and_accelerations_are_those_of_mujoco(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assembly = read(path)
    for component in assembly.components:
        index = model.body(component.name).id
        np.testing.assert_allclose(component.X_WC.p, data.xpos[index], atol=1e-12)
        np.testing.assert_allclose(component.X_WC.R, data.xmat[index].reshape(3, 3), atol=1e-12)
    for part in assembly.parts:
        if part.declared is not None:
            assert part.declared.mass == model.body(part.name).mass[0]
    mechanism = build(assembly)
    gravity = tuple(float(g) for g in model.opt.gravity)
    mechanism = replace(mechanism, gravity=gravity)  # type: ignore[arg-type]
    np.testing.assert_allclose(_accelerations_of_mujoco(model, mechanism), accelerations(mechanism), atol=1e-7)


def test_joints_limits_drives_couplings_and_home(tmp_path: Path) -> None:
    arm = _read(tmp_path, ARM)
    assert arm.name == "arm"
    assert [(m.name, m.kind) for m in arm.mates] == [
        ("J1", MateKind.REVOLUTE),
        ("J2", MateKind.PRISMATIC),
        ("J3", MateKind.SPHERICAL),
    ]
    assert [c.name for c in arm.components if c.grounded] == ["world", "base"]
    first = arm.mates[0]
    assert first.limit is not None
    assert (first.limit.lower, first.limit.upper) == pytest.approx(np.radians([-100, 50]))
    assert (first.damping, first.friction) == (0.5, 0.25)
    assert first.where.line == 8
    (drive,) = arm.drives
    assert (drive.name, drive.joint, drive.reduction) == ("M1", "J1", 100.0)
    assert first.armature == 0.02  # at the joint, whether anything drives it or not
    (gear,) = arm.couplings
    assert (gear.joints, gear.ratio, gear.offset) == (("J1", "J2"), 0.05, 0.0)
    assert arm.home == pytest.approx({"J1": 0.5 - np.radians(10), "J2": 0.02})
    assert [(f.name, f.component) for f in arm.frames] == [("tip", "ball")]
    assert arm.mates_in_file == 4


def test_geoms_become_shapes_with_their_volume(tmp_path: Path) -> None:
    arm = _read(tmp_path, ARM)
    capsule, ellipsoid = arm.part("upper").shape, arm.part("slider").shape
    assert capsule is not None
    assert ellipsoid is not None
    assert capsule.fine is not None
    assert ellipsoid.collision is not None
    assert arm.part("upper").declared is not None
    wanted = np.pi * 0.04**2 * 0.5 + 4 / 3 * np.pi * 0.04**3
    assert volume_properties(capsule.fine).mass == pytest.approx(wanted, rel=1e-9)
    assert volume_properties(ellipsoid.collision).mass == pytest.approx(4 / 3 * np.pi * 0.05 * 0.06 * 0.07, rel=1e-9)
    assert arm.part("upper").colour == (1.0, 0.0, 0.0, 1.0)
    base = arm.part("base").shape
    assert base is not None
    assert base.collision is None  # it touches nothing: a visual geom


def test_alike_bodies_share_a_shape_and_memory_for_constraints_is_bounded(tmp_path: Path) -> None:
    """MuJoCo's own estimate for 2,000 free bodies with loops is above all that its process may take."""
    ball = '<body name="{0}" pos="{0} 0 0"><freejoint/><geom size="{1}" mass="1"/></body>'
    bodies = "".join(ball.format(i, size) for i, size in enumerate((0.1, 0.1, 0.2)))
    found = _read(tmp_path, f'<mujoco><size memory="8G"/><worldbody>{bodies}</worldbody></mujoco>')
    shapes = [part.shape for part in found.parts]
    assert shapes[0] is shapes[1]
    assert shapes[0] is not shapes[2]


def test_a_connect_closes_the_four_bar(tmp_path: Path) -> None:
    mechanism = build(_read(tmp_path, FOUR_BAR))
    mobility = diagnose(mechanism).mobility
    assert (mobility.dof, mobility.redundant) == (1, 1)


HINGED = '<body name="b" pos="0 0 1">{0}<geom type="box" size="0.1 0.2 0.3"/></body>'
STACKS: dict[str, tuple[str, MateKind, int]] = {
    "cylindrical": ('<joint type="slide" axis="0 0 1"/><joint axis="0 0 2"/>', MateKind.CYLINDRICAL, 2),
    "universal": ('<joint axis="1 0 0"/><joint axis="0 1 0"/>', MateKind.UNIVERSAL, 2),
    "planar": (
        '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="1 1 0"/><joint axis="0 0 1"/>',
        MateKind.PLANAR,
        3,
    ),
    "spherical": ('<joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>', MateKind.SPHERICAL, 3),
    "free": ("<freejoint/>", MateKind.FREE, 6),
    "six": (
        '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>'
        '<joint axis="1 0 0"/><joint axis="0 1 0"/><joint axis="0 0 1"/>',
        MateKind.FREE,
        6,
    ),
}


@pytest.mark.parametrize("case", STACKS)
def test_joints_at_one_body_make_a_lower_pair(case: str, tmp_path: Path) -> None:
    joints, kind, dof = STACKS[case]
    assembly = _read(tmp_path, f"<mujoco><worldbody>{HINGED.format(joints)}</worldbody></mujoco>")
    assert [m.kind for m in assembly.mates] == [kind]
    assert diagnose(build(assembly)).mobility.dof == dof


def test_joints_that_make_no_pair_become_a_chain(tmp_path: Path) -> None:
    joints = '<joint name="x" axis="1 0 0" range="-1 1"/><joint name="y" axis="0 1 0" pos="0 0 0.3"/>'
    text = f'<mujoco><compiler angle="radian"/><worldbody>{HINGED.format(joints)}</worldbody></mujoco>'
    assembly = _read(tmp_path, text)
    assert [(m.name, m.a.component, m.b.component) for m in assembly.mates] == [
        ("x", "world", "b/x"),
        ("y", "b/x", "b"),
    ]
    assert "CB1401" in _codes(assembly)
    assert diagnose(build(assembly)).mobility.dof == 2


def test_what_we_export_reads_back(corpus: Path, tmp_path: Path) -> None:
    original = build(read(corpus / "so100/so100.urdf"))
    export(original, tmp_path / "so100", "mjcf")
    again = build(read(tmp_path / "so100" / "robot.xml"))
    assert [(j.type, j.limit and (j.limit.lower, j.limit.upper)) for j in again.joints] == [
        (j.type, j.limit and (j.limit.lower, j.limit.upper)) for j in original.joints
    ]
    np.testing.assert_allclose(
        [b.mass.mass for b in again.bodies if b.mass], [b.mass.mass for b in original.bodies if b.mass]
    )
    np.testing.assert_allclose(accelerations(again), accelerations(original), rtol=1e-6, atol=1e-6)


def _swap(old: str, new: str, text: str = ARM) -> Callable[[], str]:
    def made() -> str:
        assert old in text, old
        return text.replace(old, new)

    return made


CONNECT = '<connect name="C" body1="coupler" body2="rocker" anchor="4 1 0"/>'
TOLD: dict[str, tuple[Callable[[], str], str]] = {
    "inactive": (_swap('name="geared"', 'name="geared" active="false"'), "CB1304"),
    "sensor": (_swap("<keyframe>", '<sensor><jointpos joint="J1"/></sensor><keyframe>'), "CB1405"),
    "idle range": (_swap('gear="100"', 'gear="100" ctrlrange="-1 1" ctrllimited="false"'), "CB1405"),
    "actuator of a site": (_swap('joint="J1" gear="100"', 'site="tip"'), "CB1409"),
    "plane in a body": (_swap('name="base" pos="0 0 0.1">', 'name="base"><geom type="plane" size="1 1 1"/>'), "CB193"),
    "ball limit": (_swap('name="J3" type="ball"', 'name="J3" type="ball" range="0 40"'), "CB1305"),
    "tendon through space": (
        _swap(CONNECT, '<tendon tendon1="t"/></equality><tendon><spatial name="t"><site site="p"/><site site="q"/>'
              '</spatial></tendon><equality>',
              FOUR_BAR.replace('<body name="rocker" pos="4 0 0">', '<body name="rocker" pos="4 0 0"><site name="p"/>')
              .replace('<joint name="A"/>', '<joint name="A"/><site name="q"/>')),
        "CB1403",
    ),
    "medium": (_swap("<option", '<option density="1.2"'), "CB1246"),
    "damping by powers": (_swap('damping="0.5"', 'damping="0.5 0.1"'), "CB1246"),
    "spring of a tendon": (
        _swap("<keyframe>", '<tendon><fixed name="t" stiffness="3"><joint joint="J1" coef="1"/></fixed></tendon>'
              "<keyframe>"),
        "CB1265",
    ),
    "spring of a spatial tendon": (
        _swap("</mujoco>", '<tendon><spatial name="t" stiffness="2"><site site="p"/><site site="q"/></spatial></tendon>'
              "</mujoco>",
              FOUR_BAR.replace('<body name="rocker" pos="4 0 0">', '<body name="rocker" pos="4 0 0"><site name="p"/>')
              .replace('<joint name="A"/>', '<joint name="A"/><site name="q"/>')),
        "CB1410",
    ),
    "soft limits": (_swap('damping="0.5"', 'damping="0.5" solreflimit="0.1 1"'), "CB1405"),
    "rough steps": (_swap("<option", '<option tolerance="1e-3"'), "CB1405"),
    "constraint switched off": (_swap("<option", '<option><flag limit="disable"/></option><option'), "CB1410"),
    "contact switched off": (_swap("<option", '<option><flag contact="disable"/></option><option'), "CB1405"),
    "servo": (_swap('<motor name="M1"', '<position kp="3" name="M1"'), "CB1411"),
    "filtered": (_swap('<motor name="M1"', '<general dyntype="filter" name="M1"'), "CB1265"),
    "muscle": (_swap('<motor name="M1"', '<muscle lengthrange="0.1 1" name="M1"'), "CB1412"),
    "pose": (_swap("<keyframe>", '<keyframe><key name="away" qpos="0 0 1 0 0 0"/>'), "CB1247"),
}  # fmt: skip


@pytest.mark.parametrize("case", TOLD)
def test_what_an_assembly_cannot_hold_is_told(case: str, tmp_path: Path) -> None:
    make, code = TOLD[case]
    assembly = _read(tmp_path, make())
    assert code in _codes(assembly)


def test_contact_that_is_switched_off_moves_nothing_here(tmp_path: Path) -> None:
    arm = _read(tmp_path, _swap("<option", '<option><flag contact="disable"/></option><option')())
    assert "CB1410" not in _codes(arm)


def test_tendons_over_many_joints_and_joints_held_alone_are_sums(tmp_path: Path) -> None:
    tendon = (
        '<tendon tendon1="t" polycoef="0.1 0 0 0 0"/><joint name="held" joint1="B" polycoef="0.2 0 0 0 0"/></equality>'
        '<tendon><fixed name="t"><joint joint="A" coef="1"/><joint joint="B" coef="2"/><joint joint="D" coef="3"/>'
        "</fixed></tendon><equality>"
    )
    mechanism = build(_read(tmp_path, FOUR_BAR.replace(CONNECT, tendon)))
    total, held = mechanism.assembly.couplings
    assert (total.factors, total.offset) == ((("A", 1.0), ("B", 2.0), ("D", 3.0)), 0.1)
    assert (held.factors, held.offset) == ((("B", 1.0),), 0.2)
    assert diagnose(mechanism).mobility.dof == 1
    export(mechanism, tmp_path / "x", "mjcf")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml"))
    assert again.neq == 2
    np.testing.assert_allclose(sorted(again.eq_data[:, 0]), [0.1 / 3, 0.2])  # the largest factor of a sum becomes 1


@pytest.mark.parametrize("law", ["0 0 1 0 0", "0.01 0.05 -0.2 0.1 0", "0.01 0.05 -0.2 0.1 0.03"])
def test_an_equality_of_higher_powers_is_a_law_and_is_written_again(law: str, tmp_path: Path) -> None:
    mechanism = build(_read(tmp_path, ARM.replace("0 0.05 0 0 0", law)))
    assert not [f for f in mechanism.findings if f.severity == "error"]
    assert diagnose(mechanism).mobility.dof == diagnose(build(_read(tmp_path, ARM))).mobility.dof
    primitive = mechanism.couplings[0].primitive
    assert isinstance(primitive, FunctionCoupler)
    wanted = [float(a) for a in law.split()]
    cam = mechanism.assembly.couplings[0].cam
    assert cam is not None
    q = np.linspace(cam.points[0][0], cam.points[-1][0], 50)
    np.testing.assert_allclose(primitive.curve(q) + primitive.constant, np.polyval(wanted[::-1], q), atol=1e-9)
    export(mechanism, tmp_path / "x", "mjcf")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml"))
    np.testing.assert_allclose(again.eq_data[0, :5], wanted, rtol=1e-14)
    assert [again.joint(j).name for j in (again.eq_obj1id[0], again.eq_obj2id[0])] == ["J2", "J1"]


def test_the_offset_of_a_constant_ratio_is_written_again(tmp_path: Path) -> None:
    export(build(_read(tmp_path, ARM.replace("0 0.05 0 0 0", "0.01 0.05 0 0 0"))), tmp_path / "x", "mjcf")
    again = mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml"))
    driven, driver = (again.joint(j).name for j in (again.eq_obj1id[0], again.eq_obj2id[0]))
    offset, ratio = again.eq_data[0, :2]
    wanted = {("J2", "J1"): (0.01, 0.05), ("J1", "J2"): (-0.2, 20.0)}[driven, driver]
    np.testing.assert_allclose((offset, ratio), wanted, rtol=1e-9)


def test_gravity_is_that_of_the_file(tmp_path: Path) -> None:
    assert build(_read(tmp_path, ARM.replace("0 0 -9.81", "1 2 3"))).gravity == (1.0, 2.0, 3.0)
    weightless = ARM.replace("<option", '<option><flag gravity="disable"/></option><option')
    assert build(_read(tmp_path, weightless)).gravity == (0.0, 0.0, 0.0)


def test_welds_and_two_joint_tendons(tmp_path: Path) -> None:
    extra = (
        '<weld body1="coupler" body2="rocker"/><tendon tendon1="t"/></equality><tendon><fixed name="t">'
        '<joint joint="A" coef="2"/><joint joint="D" coef="-1"/></fixed></tendon><equality>'
    )
    assembly = _read(tmp_path, FOUR_BAR.replace(CONNECT, extra))
    weld = assembly.mates[-1]
    assert weld.kind is MateKind.FIXED
    X = [assembly.component(f.component).X_WC for f in (weld.a, weld.b)]
    np.testing.assert_allclose(X[0].point(weld.a.point), X[1].point(weld.b.point), atol=1e-12)
    (coupling,) = assembly.couplings
    assert (coupling.joints, coupling.ratio) == (("A", "D"), 2.0)


def test_a_file_in_utf_16_is_told_so(tmp_path: Path) -> None:
    """MuJoCo takes all for UTF-8, whatever a byte order mark says."""
    path = tmp_path / "model.xml"
    for code in ("utf-16", "utf-16-be"):
        path.write_bytes(("\ufeff" * (code == "utf-16-be") + ARM).encode(code))
        with pytest.raises(InputError) as refused:
            read(path)
        assert [(f.code, f.hint) for f in refused.value.findings] == [("CB104", "Save the file in UTF-8.")]


REFUSED: dict[str, tuple[Callable[[], str], str]] = {
    "not well-formed": (_swap("</worldbody>", ""), "CB104"),
    "doctype": (_swap("<mujoco model", "<!DOCTYPE x><mujoco model"), "CB103"),
    "unknown element": (_swap("<keyframe>", "<nothing/><keyframe>"), "CB1400"),
    "unknown attribute": (_swap("armature=", "armour="), "CB1400"),
    "no mass": (_swap('<geom type="sphere" size="0.05" pos="0.2 0 0"/>', ""), "CB1400"),
    "negative mass": (_swap('mass="0.7"', 'mass="-1"'), "CB1400"),
    "impossible inertia": (_swap("0.01 0.02 0.025", "0.01 0.02 0.9"), "CB1400"),
    "word for a number": (_swap('pos="0 0 0.5"', 'pos="0 zero 0.5"'), "CB1400"),
    "two numbers": (_swap('axis="1 1 0"', 'axis="1 1"'), "CB1400"),
    "zero axis": (_swap('axis="1 1 0"', 'axis="0 0 0"'), "CB1400"),
    "nan": (_swap('pos="0 0 0.5"', 'pos="0 0 nan"'), "CB1400"),
    "huge": (_swap('pos="0 0 0.5"', 'pos="0 0 1e999"'), "CB1400"),
    "two joints of a name": (_swap('name="J2"', 'name="J1"'), "CB1400"),
    "two bodies of a name": (_swap('name="slider"', 'name="upper"'), "CB1400"),
    "dangling joint": (_swap('joint2="J1"', 'joint2="J9"'), "CB1400"),
    "dangling actuator": (_swap('joint="J1" gear', 'joint="J9" gear'), "CB1400"),
    "dangling body": (_swap('body2="rocker"', 'body2="nobody"', FOUR_BAR), "CB1400"),
    "zero quaternion": (_swap('euler="0 0 40"', 'quat="0 0 0 0"'), "CB1400"),
    "endless number": (_swap('pos="0 0 0.5"', 'pos="0 0 ' + "9" * 5000 + '"'), "CB1400"),
    "missing mesh": (_swap("<keyframe>", '<asset><mesh file="a.stl"/></asset><keyframe>'), "CB1400"),
    "mesh outside": (_swap("<keyframe>", '<asset><mesh file="../../../../../a.stl"/></asset><keyframe>'), "CB102"),
    "no mesh outside": (_swap("<keyframe>", '<asset><mesh file="../a.txt"/></asset><keyframe>'), "CB102"),
    "mesh absolute": (_swap("<keyframe>", '<asset><mesh file="/etc/a.stl"/></asset><keyframe>'), "CB102"),
    "folder outside": (
        _swap("<keyframe>", '<compiler meshdir="/etc"/><asset><mesh file="a.stl"/></asset><keyframe>'),
        "CB102",
    ),
    "many folders": (
        _swap("<keyframe>", "".join(f'<compiler meshdir="d{i}"/>' for i in range(300)) + "<keyframe>"),
        "CB1400",
    ),
    "include outside": (_swap("<keyframe>", '<include file="/etc/passwd"/><keyframe>'), "CB102"),
    "include itself": (_swap("<keyframe>", '<include file="model.xml"/><keyframe>'), "CB1400"),
    "another root": (lambda: "<mujoco ><nothing/></mujoco>", "CB1400"),
    "deep nesting": (lambda: "<mujoco ><worldbody>" + "<body>" * 2000 + "</body>" * 2000, "CB104"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_faults_end_in_findings(case: str, tmp_path: Path) -> None:
    make, code = REFUSED[case]
    with pytest.raises(InputError) as caught:
        _read(tmp_path, make())
    assert code in {f.code for f in caught.value.findings}
    assert [p.name for p in tmp_path.iterdir()] == ["model.xml"]


def test_a_muscle_whose_range_of_length_mujoco_does_not_find_is_left_out(tmp_path: Path) -> None:
    """MuJoCo refuses such a model, for a number that nothing here needs."""
    path = tmp_path / "arm.xml"
    path.write_text("""<mujoco><compiler><lengthrange inttotal="0.2" interval="0.1" tolrange="1e-9"/></compiler>
      <worldbody><site name="s0" pos=".1 0 .1"/><body><joint name="j" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/><site name="s1" pos=".2 0 0"/></body></worldbody>
      <tendon><spatial name="t"><site site="s0"/><site site="s1"/></spatial></tendon>
      <actuator><muscle name="m" tendon="t"/></actuator></mujoco>""")
    with pytest.raises(ValueError, match="Lengthrange"):
        mujoco.MjModel.from_xml_path(str(path))
    arm = read(path)
    assert [mate.name for mate in arm.mates] == ["j"]
    assert [f.items for f in arm.findings if f.code == "CB1409"] == [("m",)]


@pytest.mark.parametrize(("off", "told"), [(0.0, []), (1e-7, [("loop",)])])
def test_a_loop_that_is_open_as_drawn_is_told(off: float, told: list[tuple[str, ...]], tmp_path: Path) -> None:
    """MuJoCo pulls it together; here it stays as drawn, and joints differ by the gap over the length of a link."""
    path = tmp_path / "loop.xml"
    path.write_text(f"""<mujoco><worldbody>
      <body name="a"><joint name="A" axis="0 1 0"/><geom size=".1"/><site name="p" pos=".1 0 0"/></body>
      <body name="b" pos=".2 0 0"><joint name="B" axis="0 1 0"/><geom size=".1"/>
        <site name="q" pos="-.1 0 {off}"/></body>
      </worldbody><equality><connect name="loop" site1="p" site2="q"/></equality></mujoco>""")
    assert [f.items for f in read(path).findings if f.code == "CB1267"] == told


def test_without_mujoco_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The confined child may import nothing: what is missing is said before it is made."""
    monkeypatch.setitem(sys.modules, "mujoco", None)
    answers = io.BytesIO()
    worker._confined(answers, [], 10**9, {"path": "robot.xml"})
    answers.seek(0)
    found = packing.receive(answers)
    assert isinstance(found, protocol.Failure)
    assert found.kind == "missing"
