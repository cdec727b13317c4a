"""Actuators of the source with laws of their own: they move as in their engine."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario, load_scenario, simulate
from cadbridge.simulation.acting import motor_columns
from cadbridge.simulation.samples import Samples
from cadbridge.simulation.servos import Servos
from solver.functions import constant, expression
from tests.readers.test_usd import Near

ARM = """<mujoco><compiler angle="radian"/><option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option>
<worldbody>
  <body pos="0 0 1"><joint name="shoulder" axis="0 1 0" damping=".2"{limit}/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass="2"/>
    <body pos=".3 0 0"><joint name="elbow" axis="0 1 .3" armature=".01"/>
      <geom type="capsule" fromto="0 0 0 .2 0 .1" size=".02" mass="1"/>
      <body pos=".2 0 .1"><joint name="slide" type="slide" axis="1 0 0" ref=".05"/>
        <geom type="box" size=".02 .02 .02" mass=".4"/></body></body></body>
</worldbody><actuator>{actuators}</actuator></mujoco>"""

POSITIONS = (
    '<position name="a" joint="shoulder" kp="200" kv="12"/><position name="b" joint="elbow" kp="60" kv="2"/>'
    '<position name="c" joint="slide" kp="900" kv="30"/>'
)
LAWS = {
    "position": POSITIONS,
    "bounded": POSITIONS.replace('kp="200"', 'kp="200" forcerange="-3 8"'),
    "geared": '<position name="a" joint="shoulder" kp="4" kv=".2" gear="-7" forcerange="-1 2"/>',
    "velocity": '<velocity name="a" joint="shoulder" kv="20"/>'
    '<velocity name="b" joint="elbow" kv="5" ctrlrange="-1 1"/>',
    "general": '<general name="a" joint="shoulder" gaintype="affine" gainprm="3 -2 -1" biastype="affine"'
    ' biasprm="5 -80 -6" ctrlrange="-.4 .4"/>',
    "control above 0": '<general name="a" joint="shoulder" gainprm="4" ctrlrange=".5 1"/>',
    "damper": '<damper name="a" joint="shoulder" kv="6" ctrlrange="0 2"/>',
    "integrated": '<intvelocity name="a" joint="shoulder" kp="90" kv="4" actrange="-.3 .3"/>',
    "filtered": '<general name="a" joint="shoulder" dyntype="filter" dynprm=".2" gainprm="50" biastype="affine"'
    ' biasprm="0 -50 -5"/>',
    "two on one": '<position name="a" joint="shoulder" kp="30"/><velocity name="b" joint="shoulder" kv="3"/>',
}
CONTROLS = {"a": 0.35, "b": -0.2, "c": 0.09}


@pytest.fixture(autouse=True)
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stages are read in this process, by the worker's own code: to start it takes longer than the tests."""
    monkeypatch.setattr("cadbridge.readers.usd.robot.Worker", Near)


def built(folder: Path, actuators: str, limit: str = "") -> tuple[Mechanism, mujoco.MjModel]:
    path = folder / "arm.xml"
    path.write_text(ARM.format(actuators=actuators, limit=limit), encoding="utf-8")
    mechanism = cb.build(cb.read(path))
    assert not {f.code for f in mechanism.assembly.findings if f.severity == "error"}
    return mechanism, mujoco.MjModel.from_xml_path(str(path))


def theirs(model: mujoco.MjModel, controls: dict[str, float], seconds: float) -> np.ndarray:
    """Joint values after a reset, from the reference pose."""
    data = mujoco.MjData(model)
    for name, value in controls.items():
        data.actuator(name).ctrl[0] = value
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return np.asarray(data.qpos - model.qpos0)


def ours(mechanism: Mechanism, **more: object) -> Run:
    scenario = Scenario(duration=0.5, rate=10, rtol=1e-11, atol=1e-11, **more)  # type: ignore[arg-type]
    return simulate(mechanism, scenario)


@pytest.mark.parametrize("law", LAWS)
def test_they_move_as_in_mujoco_with_controls_and_without(law: str, tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, LAWS[law])
    names = [model.actuator(i).name for i in range(model.nu)]
    for given in ({}, {name: CONTROLS[name] for name in names}):
        run = ours(mechanism, servos=Servos({name: constant(u) for name, u in given.items()}))
        assert run.summary["trusted"]
        found = run.result.trajectory.coordinates[-1]
        np.testing.assert_allclose(found, theirs(model, given, 0.5), atol=1e-7)
        assert {f.code for f in run.findings} <= {"CB643"}


def test_a_limit_of_the_joint_bounds_its_servo(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, LAWS["position"], ' actuatorfrcrange="-4 4"')
    found = ours(mechanism).result.trajectory.coordinates[-1]
    np.testing.assert_allclose(found, theirs(model, {}, 0.5), atol=1e-7)


def test_actuators_that_the_file_switches_off_do_nothing(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    text = ARM.format(actuators=LAWS["position"], limit="")
    path.write_text(text.replace('contact="disable"', 'contact="disable" actuation="disable"'), encoding="utf-8")
    mechanism, model = cb.build(cb.read(path)), mujoco.MjModel.from_xml_path(str(path))
    found = ours(mechanism).result.trajectory.coordinates[-1]
    np.testing.assert_allclose(found, theirs(model, {}, 0.5), atol=1e-7)
    assert abs(found[0]) > 1.0


def test_a_control_is_a_function_of_time_within_its_range(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, '<position name="a" joint="shoulder" kp="200" kv="9" ctrlrange="-.1 .2"/>')
    run = ours(mechanism, servos=Servos({"a": expression("0.5*sin(6*t)")}))
    data = mujoco.MjData(model)

    def control(model: mujoco.MjModel, data: mujoco.MjData) -> None:
        data.ctrl[0] = 0.5 * np.sin(6 * data.time)

    mujoco.set_mjcb_control(control)
    try:
        mujoco.mj_step(model, data, 5000)
    finally:
        mujoco.set_mjcb_control(None)
    np.testing.assert_allclose(run.result.trajectory.coordinates[-1], data.qpos - model.qpos0, atol=1e-6)


@pytest.mark.parametrize(
    ("method", "integrator"), [("tree", "dopri5"), ("absolute", "dopri5"), ("absolute", "generalized_alpha")]
)
def test_every_method_holds_the_arm_up(method: str, integrator: str, tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, LAWS["position"])
    tolerance = 1e-9 if integrator == "dopri5" else 1e-6
    scenario = Scenario(duration=0.5, rate=10, rtol=tolerance, atol=tolerance, integrator=integrator)
    found = simulate(mechanism, scenario, method=method).result.trajectory.coordinates[-1]
    np.testing.assert_allclose(found, theirs(model, {}, 0.5), atol=1e-7 if integrator == "dopri5" else 1e-3)
    assert abs(found[0]) < 0.2
    fallen = ours(mechanism, servos=Servos(act=False))
    assert abs(fallen.result.trajectory.coordinates[-1, 0]) > 1.0
    assert "CB644" in {f.code for f in fallen.findings}


def test_efforts_are_in_the_table_and_their_work_in_the_balance(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, LAWS["bounded"])
    run = ours(mechanism)
    columns = motor_columns(Samples(run))
    effort = columns["motor.shoulder.effort"][0]
    assert effort.max() <= 8.0
    assert effort.min() >= -3.0
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert effort[0] == pytest.approx(data.actuator("a").force[0], abs=1e-9)
    assert run.summary["energy_drift_J"] < 1e-7


# --- the scenario file ---


def written(folder: Path, text: str) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(f"format: cadbridge.scenario/1\nduration: 0.5\nrate: 10\ntolerance: 1.0e-10\n{text}", "utf-8")
    return path


def test_a_file_gives_controls(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, LAWS["position"])
    run = simulate(mechanism, load_scenario(written(tmp_path, "controls: {a: 0.35, b: '-0.2', c: 0.09}"), mechanism))
    np.testing.assert_allclose(run.result.trajectory.coordinates[-1], theirs(model, CONTROLS, 0.5), atol=1e-7)


def test_a_motor_of_the_scenario_stands_in_for_the_servo(tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, LAWS["position"])
    run = simulate(mechanism, load_scenario(written(tmp_path, "motors: [{joint: shoulder, angle: 20}]"), mechanism))
    assert [f.items for f in run.findings if f.code == "CB641"] == [("a",)]
    assert run.result.trajectory.coordinates[-1, 0] == pytest.approx(np.radians(20))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("controls: {A: 1}", "CB602"),
        ("controls: {a: 'import os'}", "CB603"),
        ("controls: {a: [1]}", "CB601"),
        ("controls: {a: .nan}", "CB601"),
        ("controls: [a]", "CB601"),
        ("servos: perhaps", "CB601"),
    ],
)
def test_what_is_no_control_is_told(text: str, code: str, tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, LAWS["position"])
    with pytest.raises(InputError) as refused:
        load_scenario(written(tmp_path, text), mechanism)
    assert code in {f.code for f in refused.value.findings}


def test_activation_dynamics_take_steady_controls_alone(tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, LAWS["integrated"])
    with pytest.raises(InputError, match="steady"):
        ours(mechanism, servos=Servos({"a": expression("t")}))
    with pytest.raises(InputError, match="no actuator"):
        ours(mechanism, servos=Servos({"nobody": constant(1.0)}))


# --- there and back ---


# An SDF has no servo of velocity: Gazebo's controllers of rates set them.
@pytest.mark.parametrize(
    ("to", "law"), [*itertools.product(("mjcf", "usd", "json"), ("position", "velocity")), ("sdf", "position")]
)
def test_an_export_read_back_moves_alike(to: str, law: str, tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, LAWS[law])
    if to == "sdf":  # which has no place for rotor inertias (CB516)
        mechanism = replace(mechanism, joints=tuple(replace(j, armature=0.0) for j in mechanism.joints))
    files = cb.export(mechanism, tmp_path / "out", to=to).files
    model = next(f for f in files if f.name != "scene.xml")
    back = cb.build(cb.read(model))
    first, second = (ours(m).result.trajectory.coordinates[-1] for m in (mechanism, back))
    names = [[j.name for j in m.joints] for m in (mechanism, back)]
    assert sorted(names[0]) == sorted(names[1])
    order = [names[1].index(name) for name in names[0]]
    np.testing.assert_allclose(second[order], first, atol=2e-6 if to == "usd" else 1e-9)


GAZEBO = """<sdf version="1.11"><model name="arm"><link name="arm"><pose>0 0 1 0 0 0</pose>
  <inertial><pose>.2 0 0 0 0 0</pose><mass>2</mass>
    <inertia><ixx>.01</ixx><iyy>.02</iyy><izz>.02</izz></inertia></inertial>
</link><joint name="hinge" type="revolute"><parent>world</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
<plugin filename="gz-sim-joint-position-controller-system" name="gz::sim::systems::JointPositionController">
  <joint_name>hinge</joint_name><p_gain>80</p_gain><i_gain>{i}</i_gain><d_gain>9</d_gain><cmd_max>60</cmd_max>
  <initial_position>.4</initial_position></plugin></model></sdf>"""


@pytest.mark.parametrize("i", [0.0, 0.1])
def test_a_controller_of_gazebo_pulls_to_its_position(i: float, tmp_path: Path) -> None:
    path = tmp_path / "arm.sdf"
    path.write_text(GAZEBO.format(i=i), encoding="utf-8")
    mechanism = cb.build(cb.read(path))
    assert ("CB1413" in {f.code for f in mechanism.assembly.findings}) == bool(i)
    run = simulate(mechanism, Scenario(duration=6.0, rate=10))
    q, rate = run.result.trajectory.coordinates[-1, 0], run.result.trajectory.coordinate_rates[-1, 0]
    assert abs(rate) < 1e-6
    # At rest p (u − q) holds the weight: a positive turn about y lowers the arm.
    assert 80 * (0.4 - q) + 2 * 9.81 * 0.2 * np.cos(q) == pytest.approx(0.0, abs=1e-4)


def test_a_controller_of_no_joint_is_told(tmp_path: Path) -> None:
    path = tmp_path / "arm.sdf"
    path.write_text(GAZEBO.format(i=0).replace("<joint_name>hinge", "<joint_name>knee"), encoding="utf-8")
    (told,) = (f for f in cb.read(path).findings if f.code == "CB1425")
    assert "<joint_name>" in (told.hint or "")  # the code's own cure is about frames


def test_a_drive_of_usd_keeps_its_target_in_an_mjcf(tmp_path: Path) -> None:
    """MuJoCo's controls start at 0: what is written counts from the target."""
    mechanism, _ = built(tmp_path, LAWS["general"])
    usd = cb.export(mechanism, tmp_path / "usd", to="usd").files[0]
    from_usd = cb.build(cb.read(usd))
    assert any(d.law is not None and d.law.start for d in from_usd.drives)
    mjcf = cb.export(from_usd, tmp_path / "mjcf", to="mjcf").files[0]
    first, second = (ours(m).result.trajectory.coordinates[-1] for m in (from_usd, cb.build(cb.read(mjcf))))
    np.testing.assert_allclose(second, first, atol=1e-9)


BALL = """<mujoco><option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option><worldbody>
  <body name="a" pos="0 0 1"><joint name="h" axis="0 1 .2"/>
    <geom type="box" size=".05 .04 .2" pos=".02 0 -.2" mass="1"/>
    <body name="b" pos="0 0 -.4"><joint name="ball" type="ball" armature=".05"/>
      <geom type="box" size=".03 .06 .15" pos="0 .05 -.15" mass=".7"/>
      <body name="c" pos="0 0 -.3"><joint name="k" axis="1 0 0"/>
        <geom type="box" size=".03 .02 .1" pos="0 .01 -.1" mass=".3"/></body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("method", ["tree", "absolute"])
def test_the_armature_of_a_ball_joint_between_moving_bodies(method: str, tmp_path: Path) -> None:
    """½ J |ω_b − ω_a|², as MuJoCo adds it to the ball's three freedoms."""
    path = tmp_path / "ball.xml"
    path.write_text(BALL, encoding="utf-8")
    mechanism, model = cb.build(cb.read(path)), mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qvel[:] = [0.7, 2.0, -1.0, 1.5, 0.9]
    mujoco.mj_forward(model, data)
    velocities, found = {}, np.zeros(6)
    for name in "abc":
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body(name).id, found, 0)
        velocities[name] = np.concatenate([found[3:], found[:3]])
    mujoco.mj_step(model, data, 5000)
    scenario = Scenario(duration=0.5, rate=10, rtol=1e-11, atol=1e-11, velocities=velocities)
    run = simulate(mechanism, scenario, method=method)
    assert run.result.trajectory.coordinates[-1] == pytest.approx([data.qpos[0], data.qpos[5]], abs=1e-9)
    assert run.summary["energy_drift_J"] < 1e-9


def test_contact_of_an_sdf_world_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "crate.sdf"
    path.write_text(
        """<sdf version="1.9"><model name="crate"><link name="box"><inertial><mass>2</mass><inertia><ixx>1</ixx>
        <iyy>1</iyy><izz>1</izz></inertia></inertial>
        <collision name="c"><geometry><box><size>1 1 1</size></box></geometry></collision></link></model></sdf>"""
    )
    run = ours(cb.build(cb.read(path)))
    assert [(f.severity, f.items) for f in run.findings if f.code == "CB643"] == [("warning", ("box",))]


def test_contact_of_a_usd_stage_is_told_too(tmp_path: Path) -> None:
    """A crate above a floor falls through it here. Shapes of one body do not touch each other."""
    crate = """#usda 1.0
(
  defaultPrim = "scene"
  metersPerUnit = 1
  upAxis = "Z"
)
def Xform "scene" {{
  def PhysicsScene "physics" {{ }}
  def Xform "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {{
    double3 xformOp:translate = (0, 0, 2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = 2
    def Cube "c" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{ }}
  }}
  def Cube "floor" {floor} {{ }}
}}"""
    for floor, told in (('(prepend apiSchemas = ["PhysicsCollisionAPI"])', [("box",)]), ("", [])):
        path = tmp_path / f"crate{len(told)}.usda"
        path.write_text(crate.format(floor=floor))
        run = ours(cb.build(cb.read(path)))
        assert [f.items for f in run.findings if f.code == "CB643"] == told
