"""Loads said in the scenario file and in the mates, all the way to the trajectory."""

from __future__ import annotations

import math
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.efforts.matrices import matrices_of
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import JointForce, LoadSpecs, Run, Scenario, load_scenario, simulate
from cadbridge.simulation.plots import write_plots
from cadbridge.simulation.stops import carried_inertia
from cadbridge.simulation.trajectory import columns_of


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    with as_file(files("cadbridge.data") / "demo") as folder:
        return cb.build(cb.read(folder / "demo.step"))


def run(mechanism: Mechanism, tmp_path: Path, text: str, *, collapse: bool = True) -> Run:
    path = tmp_path / "s.yaml"
    path.write_text("format: cadbridge.scenario/1\n" + text)
    done = simulate(mechanism, load_scenario(path, mechanism), collapse=collapse)
    assert done.result.status.ok
    assert done.summary["energy_drift_J"] < 1e-5 * max(1e-3, done.summary["energy_exchanged_J"])
    return done


def value(done: Run, joint: str) -> np.ndarray:
    index = done.lowered.coordinate_of(joint)
    assert index is not None
    return np.asarray(done.result.trajectory.coordinates[:, index])


def test_spring_as_designed_holds_still_and_longer_it_pushes(crane: Mechanism, tmp_path: Path) -> None:
    spring = "{a: {component: ground, point: [0, 0, 500]}, b: {component: Arm, point: [70, 30, 20]}, stiffness: 200@}"
    text = "gravity: [0, 0, 0]\nduration: 0.2\nloads: {springs: [" + spring + "]}\n"
    still = run(crane, tmp_path, text.replace("@", ""))
    assert np.abs(still.result.trajectory.coordinates).max() < 1e-12
    pushed = run(crane, tmp_path, text.replace("@", ", damping: 3, length: 600"))
    kept = run(crane, tmp_path, text.replace("@", ", damping: 3, length: 600"), collapse=False)
    assert np.abs(value(pushed, "A2")).max() > 1e-3
    assert np.abs(value(pushed, "A2") - value(kept, "A2")).max() < 1e-6


def test_wrench_in_body_axes_is_the_wrench_in_world_axes_as_designed(crane: Mechanism, tmp_path: Path) -> None:
    text = "gravity: [0, 0, 0]\nduration: 1.0e-4\nrate: 1e4\nloads: {wrenches: [{component: Arm, axes: %s, %s}]}\n"
    turned = crane.assembly.component("Arm").X_WC.R
    rng = np.random.default_rng(1)
    force, torque = rng.normal(size=(2, 3))
    said = []
    for axes, R in (("world", np.eye(3)), ("body", turned.T)):
        parts = ", ".join(f"{k}: {[float(x) for x in R @ v]}" for k, v in (("force", force), ("torque", torque)))
        said.append(run(crane, tmp_path, text % (axes, parts)).result.trajectory.accelerations[0])
    assert np.abs(said[0]).max() > 1e-3
    np.testing.assert_allclose(said[0], said[1], rtol=1e-9, atol=1e-9)


def test_dry_friction_of_a_joint_slows_it_as_its_torque_says(crane: Mechanism, tmp_path: Path) -> None:
    text = "gravity: [0, 0, 0]\nduration: 0.05\nrate: 1000\ninitial: {rates: {A1: 90}}\n"
    joints = tuple(replace(j, friction=1e-3) if j.name == "A1" else j for j in crane.joints)
    rubbing = replace(crane, joints=joints)
    rates = {}
    for name, mechanism, more in (
        ("free", crane, ""),
        ("own", rubbing, ""),
        ("said", crane, "loads: {friction: [{joint: A1, torque: 1.0e-3}]}\n"),
        ("ignored", rubbing, "friction: ignore\n"),
    ):
        done = run(mechanism, tmp_path, text + more)
        rates[name] = done.result.trajectory.coordinate_rates[:, done.lowered.coordinate_of("A1")]
        assert [f.code for f in done.findings] == (["CB613"] if name == "ignored" else [])
        assert ("friction_speed_rad_s" in done.summary) == (name == "own")
    slowed = rates["free"] - rates["own"]
    lowered = done.lowered
    expected = 1e-3 / carried_inertia(lowered.model, [lowered.coordinate_of("A1") or 0])[0] * 0.05
    assert slowed[-1] == pytest.approx(expected, rel=1e-3)
    np.testing.assert_allclose(rates["said"], rates["own"], atol=1e-9)
    np.testing.assert_allclose(rates["ignored"], rates["free"], atol=1e-9)


def test_limits_become_stops_where_asked_for(crane: Mechanism, tmp_path: Path) -> None:
    text = "duration: 1.0\nmotors: [{joint: A1, torque: 0.02}]\n"
    passed = run(crane, tmp_path, text + "limits: ignore\n")
    stopped = run(crane, tmp_path, text + "limits: stop\n")
    lower, upper = math.radians(-80), math.radians(10)
    assert value(passed, "A2").min() < lower - 0.1 or value(passed, "A2").max() > upper + 0.1
    assert "CB612" in {f.code for f in passed.findings}
    assert value(stopped, "A2").min() > lower - math.radians(1)
    assert value(stopped, "A2").max() < upper + math.radians(1)
    assert "CB612" not in {f.code for f in stopped.findings}
    pressed = run(crane, tmp_path, text.replace("0.02", "2.0") + "limits: stop\n")
    cures = {f.hint for f in pressed.findings if f.code == "CB612"}
    assert len(cures) == 1
    assert "Write `limits: stop`" not in cures.pop()
    assert stopped.summary["stops_at_limits"] == "A1, A2 (50 Hz)"
    assert stopped.summary["stops"]["A2"]["stiffness"] > 0


def test_pd_motor_and_joint_spring(crane: Mechanism, tmp_path: Path) -> None:
    motor = "motors: [{joint: A2, pd: {target: -30, kp: 100, kd: 10, effort: 50}}]\n"
    done = run(crane, tmp_path, "gravity: [0, 0, 0]\nduration: 2\n" + motor)
    assert value(done, "A2")[-1] == pytest.approx(math.radians(-30), abs=1e-4)
    spring = "loads: {springs: [{joint: A2, stiffness: 100, damping: 10, rest: -30}]}\n"
    other = run(crane, tmp_path, "gravity: [0, 0, 0]\nduration: 2\n" + spring)
    np.testing.assert_allclose(value(other, "A2"), value(done, "A2"), atol=1e-6)


def test_bushing_is_relaxed_as_designed_and_holds_a_torque(crane: Mechanism, tmp_path: Path) -> None:
    bushing = (
        "loads: {bushings: [{a: {component: ground, z: [0, 1, 0]}, b: Arm, turn_stiffness: [50, 50, 50], "
        "turn_damping: [1, 1, 1]}]}\n"
    )
    still = run(crane, tmp_path, "gravity: [0, 0, 0]\nduration: 0.1\n" + bushing)
    assert np.abs(still.result.trajectory.coordinates).max() < 1e-9
    motor = "motors: [{joint: A2, torque: 1}]\n"
    bent = run(crane, tmp_path, "gravity: [0, 0, 0]\nduration: 3\n" + bushing + motor)
    assert value(bent, "A2")[-1] == pytest.approx(1 / 50, rel=1e-3)


def test_the_stiffnesses_of_a_bushing_without_axes_are_along_those_of_its_component(
    crane: Mechanism, tmp_path: Path
) -> None:
    path = tmp_path / "bushing.yaml"
    bushing = "loads: {bushings: [{a: {component: ground, point: [0, 0, 5]}, b: Arm, stiffness: [100, 200, 300]}]}\n"
    path.write_text("format: cadbridge.scenario/1\n" + bushing)
    (made,) = load_scenario(path, crane).loads.bushings
    np.testing.assert_allclose(made.axes_a, np.eye(3), atol=1e-12)


FAULTS = {
    "component": ("loads: {springs: [{a: {component: Nowhere}, b: {component: Arm}}]}\n", "CB604"),
    "one body": ("loads: {springs: [{a: {component: Wheel}, b: {component: Turret}}]}\n", "CB605"),
    "ground": ("loads: {wrenches: [{component: ground, force: [1, 0, 0]}]}\n", "CB605"),
    "neither": ("loads: {wrenches: [{component: Arm}]}\n", "CB605"),
    "no expression": ('loads: {wrenches: [{component: Arm, force: [0, "sin(", 0]}]}\n', "CB603"),
    "nan": ("loads: {springs: [{joint: A1, stiffness: .nan}]}\n", "CB601"),
    "negative": ("loads: {friction: [{joint: A1, torque: -1}]}\n", "CB601"),
    "joint": ("loads: {friction: [{joint: A9, torque: 1}]}\n", "CB602"),
    "no range": ("loads: {stops: [{joint: M1, lower: 3, upper: 2, stiffness: 1}]}\n", "CB605"),
    "no direction": ("loads: {bushings: [{a: {component: Arm, z: [0, 0, 0]}, b: ground}]}\n", "CB605"),
    "unknown key": ("loads: {sprins: []}\n", "CB601"),
    "pd without kp": ("motors: [{joint: A1, pd: {target: 1}}]\n", "CB601"),
    "limits": ("limits: hard\n", "CB601"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_a_load_is_told_with_its_line(name: str, crane: Mechanism, tmp_path: Path) -> None:
    text, code = FAULTS[name]
    path = tmp_path / "s.yaml"
    path.write_text("format: cadbridge.scenario/1\n" + text)
    with pytest.raises(InputError) as error:
        load_scenario(path, crane)
    assert {(f.code, f.where.line) for f in error.value.findings} == {(code, 2)}


def test_resistance_that_no_single_number_places_is_told(crane: Mechanism) -> None:
    joints = tuple(replace(j, type="spherical", damping=1.0, friction=2.0) for j in crane.joints[:1])
    done = simulate(replace(crane, joints=(*joints, *crane.joints[1:])), Scenario(duration=0.01))
    assert [(f.code, f.message) for f in done.findings if f.code == "CB613"] == [
        ("CB613", "A1 is spherical: its dry friction cannot be placed")
    ]


def test_a_body_of_no_mass_moves_where_others_carry_it_and_is_named_where_none_does(
    crane: Mechanism, tmp_path: Path
) -> None:
    def without(name: str) -> Mechanism:
        nothing = {
            b.name: replace(b, mass=replace(b.mass, mass=0.0, inertia=np.zeros((3, 3)))) for b in crane.bodies if b.mass
        }
        return replace(crane, bodies=tuple(nothing[b.name] if b.name == name else b for b in crane.bodies))

    done = simulate(without("Pinion"), Scenario(duration=0.2))
    assert done.result.status.ok
    assert done.summary["energy_drift_J"] < 1e-6
    for asked in (
        lambda: simulate(without("Arm"), Scenario(duration=0.2)),
        lambda: matrices_of(without("Arm"), {}, Findings()),
    ):
        with pytest.raises(ModelError, match="1 body has a freedom without inertia") as fault:
            asked()
        assert [(f.code, f.where.item, f.items) for f in fault.value.findings] == [("CB697", "Arm", ("Arm",))]
    # A motor that prescribes the motion suffices, wherever the run begins.
    led = "duration: 0.2\nmotors: [{joint: A2, angle: 10*sin(t)}]\ninitial: {positions: {A1: 20}}\n"
    assert run(without("Arm"), tmp_path, led).result.status.ok


def test_a_python_function_acts_on_joints_by_name(crane: Mechanism, tmp_path: Path) -> None:
    spring = JointForce("spring", lambda t, q, rates: {"A2": -3.0 * q["A2"] - 0.1 * rates["A2"]})
    called = simulate(crane, Scenario(duration=0.3, loads=LoadSpecs(callbacks=(spring,))))
    said = run(crane, tmp_path, "duration: 0.3\nloads: {springs: [{joint: A2, stiffness: 3, damping: 0.1}]}\n")
    np.testing.assert_allclose(value(called, "A2"), value(said, "A2"), atol=1e-6)
    wrong = JointForce("spring", lambda t, q, rates: {"A7": 1.0})
    failed = simulate(crane, Scenario(duration=0.3, loads=LoadSpecs(callbacks=(wrong,))))
    assert failed.result.status.code == "load_failed"
    assert [f.code for f in failed.findings] == ["CB611"]
    assert '"spring" raised KeyError' in failed.findings[0].message
    assert "there is no joint 'A7'; the joints are A1, " in failed.findings[0].message


def test_a_run_that_ends_where_a_torque_has_no_value_keeps_its_samples(crane: Mechanism, tmp_path: Path) -> None:
    """At a pole the last sample is a rounding off the pole, or on it: 0.05 s is a sample."""
    path = tmp_path / "s.yaml"
    path.write_text('format: cadbridge.scenario/1\nduration: 0.1\nmotors: [{joint: A1, torque: "1/(t-0.05)"}]\n')
    done = simulate(crane, load_scenario(path, crane))
    assert not done.result.status.ok
    assert done.verdict is not None
    assert not done.verdict.trusted
    columns = columns_of(done)
    effort = columns["motor.A1.effort"][0]
    assert effort[0] == pytest.approx(-20.0)
    assert np.isnan(effort[-1])
    assert np.isfinite(columns["joint.A1.q"][0]).all()
    assert "torques.svg" in {path.name for path in write_plots(done, tmp_path / "plots")}


def rod_on_base(kind: str, of_mate: str, more: str, folder: Path) -> Mechanism:
    """A rod on a base by one mate of a mates file, which has `of_mate` too."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    (folder / "rod.urdf").write_text(
        f'<robot name="rod"><link name="base">{inertial}</link><link name="rod">{inertial}</link>'
        '<joint name="free" type="floating"><parent link="base"/><child link="rod"/></joint></robot>',
        encoding="utf-8",
    )
    axis = "" if kind == "spherical" else ", axis: [0, 0, 1]"
    ends = f"a: {{component: base, point: [0, 0, 0]{axis}}}, b: {{component: rod}}"
    (folder / "rod.mates.yaml").write_text(
        "format: cadbridge.mates/1\nground: [base]\nleave_out: [free]\n"
        f"mates: [{{name: C, type: {kind}, {ends}{of_mate}}}]\n{more}",
        encoding="utf-8",
    )
    return cb.build(cb.read(folder / "rod.urdf"))


@pytest.mark.parametrize(
    ("kind", "limits", "told"), [("cylindrical", "stop", 1), ("revolute", "stop", 0), ("cylindrical", "ignore", 1)]
)
def test_limits_of_a_joint_of_several_freedoms_are_told(kind: str, limits: str, told: int, tmp_path: Path) -> None:
    """No stop holds them; the run was trusted, and `check` shows the range."""
    rod = rod_on_base(kind, ", limits: {lower: -10, upper: 10}", "", tmp_path)
    assert rod.joints[0].limit is not None
    done = run(rod, tmp_path, f"duration: 0.1\nlimits: {limits}\n")
    assert [f.where.item for f in done.findings if f.code == "CB1305"] == ["C"] * told


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("cylindrical", ["C is cylindrical: its spring and rotor inertia cannot be placed"]),
        ("spherical", []),
        ("revolute", []),
    ],
)
def test_springs_and_rotors_that_act_on_nothing_are_told(kind: str, told: list[str], tmp_path: Path) -> None:
    """Of several freedoms they have no one coordinate; they were left out without a word."""
    overrides = "overrides: [{joints: C, stiffness: 100, armature: 0.1, damping: 2}]\n"
    done = run(rod_on_base(kind, "", overrides, tmp_path), tmp_path, "duration: 0.1\n")
    assert [f.message for f in done.findings if f.code == "CB613"] == told
