"""MJCF → mechanism → MJCF: MuJoCo's compiled models are equal field by field, and so are their accelerations.

The robots are those of the package gymnasium, which nobody here wrote: springs, armatures, damping, series of hinges
and slides. A file of ours adds what those lack.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np
import pytest

from cadbridge.assembly import MateKind
from cadbridge.exporters import export
from cadbridge.lowering import lower
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.reading import read
from solver.equations.system import prepare
from solver.state import State
from solver.steps.methods import slope_at
from tests.readers.compiled import compare, original

EXPECTED = {
    "ant": {"CB1405"},
    "half_cheetah": {"CB1401", "CB1405"},
    "hopper": {"CB1401", "CB1405"},
    "humanoid": {"CB1247", "CB1401", "CB1405"},
    "inverted_double_pendulum": {"CB1405"},
    "inverted_pendulum": {"CB1405"},
    "pusher_v5": {"CB1401", "CB1405"},
    "reacher": {"CB1401", "CB1405"},
    "swimmer": {"CB1401", "CB1405", "CB1246"},  # it swims in a medium
    "walker2d_v5": {"CB1401", "CB1405"},
}


def _robot(name: str) -> Path:
    spec = find_spec("gymnasium")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "envs" / "mujoco" / "assets" / f"{name}.xml"


@pytest.mark.filterwarnings("ignore:compiler attribute 'settotalmass'")
@pytest.mark.parametrize("name", EXPECTED)
def test_robots_of_gymnasium_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    found = compare(_robot(name), tmp_path / "x")
    assert {c for c in found.codes if c.startswith(("CB14", "CB124"))} == EXPECTED[name]
    assert found.fields == {}
    assert found.acceleration < 1e-9


LOADED = """<mujoco><compiler angle="radian"/><option gravity="0 -1 -3"/><worldbody>
  <body name="boat"><joint name="afloat" type="free" armature="0.3" damping="0.2"/>
    <geom type="box" size="0.3 0.2 0.1" pos="0.1 0 0"/>
    <body name="mast" pos="0 0 0.1" gravcomp="0.7"><joint name="ball" type="ball" damping="0.4" stiffness="2"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 1" size="0.03"/>
      <body name="boom" pos="0 0 0.2"><joint name="turn" pos="0 0.1 0" axis="0 1 3" ref="0.2" springref="0.5"
          stiffness="5" armature="0.1"/><joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.2"/>
        <geom type="capsule" fromto="0 0 0 0.7 0 0" size="0.02"/></body></body></body>
  <body name="buoy" pos="3 0 0" gravcomp="1"><joint name="on" type="ball" armature="0.7" stiffness="1"/>
    <geom size="0.2" pos="0 0.1 0"/></body></worldbody>
  <equality><joint name="held" joint1="slide" polycoef="0.05 0 0 0 0"/></equality>
  <actuator><position name="servo" joint="turn" kp="7" kv="0.3" gear="2" ctrlrange="-1 1" forcerange="-3 4"/>
    <velocity name="speed" joint="slide" kv="2"/>
    <general name="law" joint="turn" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm="4 5 6"/></actuator>
</mujoco>"""


def test_loads_of_every_joint_type_and_servos_come_back(tmp_path: Path) -> None:
    path = tmp_path / "boat.xml"
    path.write_text(LOADED, encoding="utf-8")
    found = compare(path, tmp_path / "x")
    assert {c for c in found.codes if c.startswith("CB14")} == {"CB1401", "CB1405", "CB1411"}
    assert found.fields == {}
    assert found.acceleration < 1e-9
    servo, speed, _ = read(path).drives
    assert servo.law is not None
    assert speed.law is not None
    assert (servo.law.gain, servo.law.control, servo.law.effort) == ((7.0, 0.0, 0.0), (-1.0, 1.0), (-3.0, 4.0))
    assert servo.law.bias == pytest.approx((-7 * 2 * 0.2, -7.0, -0.3))  # MuJoCo's length counts from ref
    assert (speed.law.gain, speed.law.bias) == ((2.0, 0.0, 0.0), (0.0, 0.0, -2.0))


KEPT = """<mujoco><compiler angle="radian"/><option density="900" viscosity="0.2" wind="1 0 2"/><worldbody>
  <body name="fish" pos="0 0 1"><freejoint name="swims"/><geom type="box" size="0.3 0.2 0.1" pos="0.1 0 0"/>
    <body name="head" pos="0.3 0 0" gravcomp="0.4"><joint name="neck" type="ball"/>
      <geom size="0.1" pos="0.1 0 0"/></body>
    <body name="tail" pos="-0.3 0 0" gravcomp="1"><joint name="flaps" axis="0 0 1" ref="0.3" stiffness="2 1 3"
        springref="0.1" damping="0.2 0.5"/><geom type="capsule" fromto="0 0 0 -0.3 0 0" size="0.05"/>
      <body name="fin" pos="-0.3 0 0"><joint name="bends" axis="0 1 0"/><site name="tip" pos="-0.1 0 0"/>
        <geom type="capsule" fromto="0 0 0 -0.2 0 0.1" size="0.02"/></body></body></body></worldbody>
  <tendon><fixed name="gut" stiffness="5 1" damping="0.4 0.1" springlength="0.1 0.2" frictionloss="0.1" armature="0.01"
      limited="true" range="-2 2"><joint joint="flaps" coef="2"/><joint joint="bends" coef="-1"/></fixed></tendon>
  <actuator><general name="swim" joint="flaps" dyntype="filter" dynprm="0.1" gainprm="3"/>
    <position name="pull" tendon="gut" kp="4" gear="2" ctrlrange="-1 1"/>
    <general name="push" tendon="gut" dyntype="integrator" actlimited="true" actrange="-2 2"/></actuator>
  <keyframe><key name="home" qpos="1 2 3 0.5 0.5 0.5 0.5 0.6 0.8 0 0 0.2 0.4"/>
    <key qpos="0 0 1 0 1 0 0 0 0 1 0 0.1 0.5"/></keyframe>
</mujoco>"""


def test_what_only_mjcf_holds_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "fish.xml"
    path.write_text(KEPT, encoding="utf-8")
    found = compare(path, tmp_path / "x")
    assert {c for c in found.codes if c.startswith(("CB14", "CB124", "CB126"))} == {
        "CB1246",
        "CB1247",
        "CB1265",
        "CB1405",
    }
    assert found.fields == {}
    assert found.acceleration < 1e-9
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "x" / "robot.xml")).nkey == 2
    again = compare(tmp_path / "x" / "robot.xml", tmp_path / "y")
    assert again.fields == {}


def test_bodies_that_are_fixed_together_are_told_where_a_medium_drags_them_apart(tmp_path: Path) -> None:
    path = tmp_path / "fish.xml"
    stiff = KEPT.replace('<joint name="bends" axis="0 1 0"/>', "").replace('<joint joint="bends" coef="-1"/>', "")
    path.write_text(stiff.replace(' 0.4"/>', '"/>').replace(' 0.5"/></key', '"/></key'), encoding="utf-8")
    assert any("fin" in f.message for f in read(path).findings if f.code == "CB1246")
    assert compare(path, tmp_path / "x").fields == {}


def test_what_no_longer_fits_is_told(tmp_path: Path) -> None:
    path = tmp_path / "fish.xml"
    path.write_text(KEPT, encoding="utf-8")
    assembly = read(path, options=ReadOptions(geometry=False))
    broken = {"mjcf": {**assembly.extra["mjcf"], "tendons": [{"name": "gut", "joints": [["nobody", 1.0]]}]}}
    written = export(build(replace(assembly, extra=broken)), tmp_path / "x", "mjcf")
    told = [f for f in written.findings if f.code == "CB1248"]
    assert [set(f.items) for f in told] == [{"tendon gut", "actuator pull", "actuator push"}]
    wrong = {"mjcf": {"tendons": 3}}
    written = export(build(replace(assembly, extra=wrong)), tmp_path / "x", "mjcf")
    assert [f.items for f in written.findings if f.code == "CB1248"] == [("data of another form",)]


@pytest.mark.parametrize("name", ["walker2d_v5", "humanoid", "ant"])
def test_our_own_accelerations_are_those_of_mujoco(name: str, tmp_path: Path) -> None:
    """Series of joints over bodies without mass, with springs and armatures, from rest in the reference pose."""
    _accelerates_alike(_robot(name))


def test_our_own_accelerations_with_loads_of_every_joint_type(tmp_path: Path) -> None:
    path = tmp_path / "boat.xml"
    path.write_text(LOADED, encoding="utf-8")
    _accelerates_alike(path)


def _accelerates_alike(path: Path) -> None:
    model = original(path)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mechanism = build(read(path, options=ReadOptions(geometry=False)))
    lowered = lower(replace(mechanism, couplings=()))
    system = prepare(lowered.model)
    start = replace(
        State.at_rest(lowered.model.positions, lowered.model.quaternions), angles=np.zeros(system.program.angle_count)
    )
    found = slope_at(system, start).acceleration.reshape(-1, 6)
    for i, body in enumerate(mechanism.bodies):
        if body.name not in {model.body(b).name for b in range(model.nbody)}:
            continue
        jacobian = np.zeros((6, model.nv))
        index = model.body(body.name).id
        mujoco.mj_jacBodyCom(model, data, jacobian[:3], jacobian[3:], index)
        np.testing.assert_allclose(found[i], jacobian @ data.qacc, atol=1e-8 * max(1.0, np.abs(data.qacc).max()))


def test_a_series_with_names_stays_single_joints(tmp_path: Path) -> None:
    joints = '<joint name="x" type="slide" axis="1 0 0"/><joint name="turn" axis="0 0 1"/>'
    path = tmp_path / "series.xml"
    path.write_text(
        f'<mujoco><worldbody><body name="b">{joints}<geom size="0.1"/></body></worldbody></mujoco>', encoding="utf-8"
    )
    assert [(m.name, m.kind) for m in read(path).mates] == [("x", MateKind.PRISMATIC), ("turn", MateKind.REVOLUTE)]
