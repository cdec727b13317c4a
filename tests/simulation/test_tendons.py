"""Fixed tendons against MuJoCo: servos, springs, dampers, dry friction and armature along sums of joint values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario, simulate
from cadbridge.simulation.servos import Servos
from solver.functions import constant, expression

FINGER = """<mujoco><compiler angle="radian"/>
<option timestep="2e-5" integrator="RK4"><flag contact="disable"/></option>
<worldbody><body name="a"><joint name="A" axis="0 1 0" damping=".05"/>
  <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
  <body name="b" pos=".3 0 0"><joint name="B" axis="0 1 0" damping=".02"{limit}/>
    <geom type="capsule" fromto="0 0 0 .2 0 .05" size=".03"/>
    <body name="c" pos=".2 0 .05"><joint name="C" axis=".2 1 0" ref=".3"/>
      <geom type="capsule" fromto="0 0 0 .2 0 .05" size=".02"/></body></body></body></worldbody>
<tendon><fixed name="T" {along}><joint joint="B" coef="1"/><joint joint="C" coef="-.6"/></fixed>
  <fixed name="S"><joint joint="A" coef="1"/><joint joint="B" coef=".4"/></fixed></tendon>
<actuator>{actuators}</actuator></mujoco>"""
SERVO = '<position name="p" tendon="S" kp="60" kv="3" forcerange="-8 9"/>'
MOTOR = '<motor name="m" tendon="T" gear="2" ctrlrange="-.3 .3"/>'
CONTROLS = {"p": 0.5, "m": 0.7}
SECONDS = 0.4


def built(folder: Path, along: str = "", actuators: str = "", limit: str = "") -> tuple[Mechanism, mujoco.MjModel]:
    path = folder / "finger.xml"
    path.write_text(FINGER.format(along=along, actuators=actuators, limit=limit))
    return cb.build(cb.read(path)), mujoco.MjModel.from_xml_path(str(path))


def theirs(model: mujoco.MjModel, controls: dict[str, float], start: dict[str, tuple[float, float]]) -> np.ndarray:
    data = mujoco.MjData(model)
    for name, value in controls.items():
        data.actuator(name).ctrl[0] = value
    for name, (value, rate) in start.items():
        data.joint(name).qpos[0] += value
        data.joint(name).qvel[0] = rate
    mujoco.mj_step(model, data, round(SECONDS / model.opt.timestep))
    return np.asarray(data.qpos - model.qpos0)


def ours(mechanism: Mechanism, method: str = "auto", **more: object) -> Run:
    scenario = Scenario(duration=SECONDS, rate=10, rtol=1e-10, atol=1e-10, **more)  # type: ignore[arg-type]
    return simulate(mechanism, scenario, method=method)


def trusted(run: Run) -> bool:
    """Whether nothing is wrong but what CB683 tells: a servo that meets its bound bends within a step of 1e-10."""
    return bool(run.summary["trusted"]) or {f.code for f in run.findings if f.severity == "error"} == {"CB683"}


@pytest.mark.parametrize("method", ["absolute", "tree"])
@pytest.mark.parametrize(
    ("along", "actuators"),
    [
        ("", SERVO + MOTOR),
        ('damping=".1" stiffness="2" springlength=".1"', ""),
        ('armature=".02" damping=".05"', SERVO),
        ("", '<general name="p" tendon="T" dyntype="filter" dynprm=".1" gainprm="3"/>'),
    ],
)
def test_tendons_pull_as_in_mujoco(along: str, actuators: str, method: str, tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, along, actuators)
    controls = {model.actuator(i).name: CONTROLS[model.actuator(i).name] for i in range(model.nu)}
    servos = Servos({name: constant(u) for name, u in controls.items()})
    start = {"A": (0.3, 0.0), "B": (0.2, -1.0), "C": (0.0, 1.0)}
    for began in ({}, start):
        positions, rates = ({j: began[j][k] for j in began} for k in (0, 1))
        run = ours(mechanism, method, servos=servos, positions=positions, rates=rates)
        assert trusted(run)
        found = {j.name: run.result.trajectory.coordinates[-1, i] for i, j in enumerate(run.lowered.joints)}
        expected = dict(zip("ABC", theirs(model, controls, began), strict=True))
        assert found == pytest.approx(expected, abs=2e-8)
        assert {f.code for f in run.findings} <= {"CB643", "CB683"}  # a servo that reaches its bound is no smooth load
    assert "CB1265" in {f.code for f in mechanism.assembly.findings}


def test_a_control_of_a_tendon_is_a_function_of_time_and_ignored_where_servos_are(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, "", MOTOR)
    run = ours(mechanism, servos=Servos({"m": expression("0.2*t")}))
    still = ours(mechanism)
    assert np.abs(run.result.trajectory.coordinates[-1] - still.result.trajectory.coordinates[-1]).max() > 0.01
    silent = ours(built(tmp_path, "", SERVO)[0], servos=Servos(act=False))
    assert [f.items for f in silent.findings if f.code == "CB644"] == [("p",)]
    np.testing.assert_allclose(silent.result.trajectory.coordinates[-1], theirs(model, {}, {}), atol=1e-8)
    with pytest.raises(InputError, match="no actuator 'x'"):
        ours(mechanism, servos=Servos({"x": constant(1.0)}))


def test_a_scenario_file_controls_what_acts_along_a_tendon(tmp_path: Path) -> None:
    mechanism, model = built(tmp_path, "", SERVO)
    given = ours(mechanism, servos=Servos({"p": constant(0.5)})).result.trajectory.coordinates[-1]
    file = tmp_path / "pull.yaml"
    file.write_text(f"format: cadbridge.scenario/1\nduration: {SECONDS}\ntolerance: 1e-10\ncontrols: {{p: 0.5}}\n")
    run = simulate(mechanism, cb.load_scenario(file, mechanism))
    np.testing.assert_allclose(run.result.trajectory.coordinates[-1], given, atol=1e-9)
    np.testing.assert_allclose(given, theirs(model, {"p": 0.5}, {}), atol=1e-6)  # at its bound MuJoCo's RK4 is rougher
    file.write_text("format: cadbridge.scenario/1\ncontrols: {q: 0.5}\n")
    with pytest.raises(InputError) as caught:
        cb.load_scenario(file, mechanism)
    assert [f.code for f in caught.value.findings] == ["CB602"]
    assert "Name one of the source's actuators: p." in [f.hint for f in caught.value.findings]


def test_a_tendon_that_is_simulated_is_not_called_unread(tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, "", SERVO)
    (unread,) = (f.message for f in mechanism.assembly.findings if f.code == "CB1405")
    assert "tendon" not in unread


def test_what_of_a_tendon_is_not_simulated_is_told(tmp_path: Path) -> None:
    along = 'range="-1 1" limited="true" stiffness="2" springlength="0 .1"'
    mechanism, _ = built(tmp_path, along, SERVO, ' actuatorfrcrange="-1 1"')
    told = {f.code: f for f in ours(mechanism).findings}
    assert told["CB645"].items == ("the play of the spring of T", "the range of T")
    read = [(f.code, f.message.split(":")[-2].split(",")[-1].strip(), f.items) for f in mechanism.assembly.findings]
    assert ("CB1246", "the range of fixed tendons", ("T",)) in read
    assert ("CB1246", "the play of the spring of fixed tendons", ("T",)) in read
    # Nothing else acts along it, and "simulated" was said of it.
    assert not [code for code, what, _ in read if code == "CB1265" and what.startswith("what acts")]
    assert told["CB642"].items == ("B",)
    for to, codes in (("urdf", {"CB1266"}), ("mjcf", set())):
        lost = cb.export(mechanism, tmp_path / to, to=to).findings
        assert {f.code for f in lost} & {"CB1266"} == codes


PAIR = '<position name="a" joint="B" kp="40"/><velocity name="b" joint="B" kv="3"/>'


@pytest.mark.parametrize("given", [{}, {"a": 0.8, "b": 1.0}])
def test_servos_of_one_joint_are_bounded_together(given: dict[str, float], tmp_path: Path) -> None:
    """A position and a velocity servo on a joint with one limit of effort: MuJoCo bounds what they give together."""
    mechanism, model = built(tmp_path, "", PAIR, ' actuatorfrcrange="-1.5 1.5"')
    controls = {name: constant(u) for name, u in given.items()}
    run = ours(mechanism, servos=Servos(controls))
    assert "CB642" not in {f.code for f in run.findings}
    np.testing.assert_allclose(run.result.trajectory.coordinates[-1], theirs(model, given, {}), atol=2e-8)
    led = ours(mechanism, servos=Servos(controls | {"b": expression("sin(9*t)")}))
    assert trusted(led)


def test_servos_with_bounds_of_their_own_are_told(tmp_path: Path) -> None:
    two = PAIR.replace('kp="40"', 'kp="40" forcerange="-1.4 1.4"')
    mechanism, _ = built(tmp_path, "", two, ' actuatorfrcrange="-1.5 1.5"')
    assert [f.items for f in ours(mechanism).findings if f.code == "CB642"] == [("B",)]
    wide = replace(mechanism, joints=tuple(replace(j, limit=None) for j in mechanism.joints))
    assert "CB642" not in {f.code for f in ours(wide).findings}


def test_tendons_that_somebody_wrote_otherwise_are_refused(tmp_path: Path) -> None:
    mechanism, _ = built(tmp_path, "", SERVO)
    kept = mechanism.assembly.extra["mjcf"]
    number = {"name": "S", "joints": [], "values": {"damping": ["x"]}}
    for tendons in ([{"name": "S"}], [{"name": "S", "joints": 3, "values": {}}], ["S"], [number]):
        source = replace(mechanism.assembly, extra={**mechanism.assembly.extra, "mjcf": {**kept, "tendons": tendons}})
        with pytest.raises(InputError, match="of another form"):
            ours(replace(mechanism, assembly=source))
