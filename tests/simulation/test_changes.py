"""Changes on the way, from the scenario file to the trajectory: what they do, and what is refused."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.errors import InputError
from cadbridge.mechanism import Mechanism
from cadbridge.report.terminal import PIPED
from cadbridge.report.text import run_text
from cadbridge.simulation import Run, load_scenario
from cadbridge.simulation.pace import Pacer
from cadbridge.simulation.trajectory import columns_of

DEMO = Path(str(files("cadbridge.data"))) / "demo" / "demo.step"


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    return cb.build(cb.read(DEMO))


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text("format: cadbridge.scenario/1\nduration: 0.4\ntolerance: 1.0e-10\n" + text)
    return path


def run(mechanism: Mechanism, tmp_path: Path, text: str, method: str = "absolute") -> Run:
    return cb.simulate(mechanism, load_scenario(written(tmp_path, text), mechanism), method=method)


def codes(found: Run) -> set[str]:
    return {f.code for f in found.findings} - {"CB612"}


LOCKED = """
initial: {rates: {A2: 60}}
events:
  - {time: 0.1, lock: A2, impact: plastic}
  - {time: 0.2, unlock: A2}
  - {time: 0.3, release: A2}
"""


@pytest.mark.parametrize("method", ["absolute", "tree"])
def test_lock_unlock_release_by_the_file(crane: Mechanism, tmp_path: Path, method: str) -> None:
    found = run(crane, tmp_path, LOCKED, method)
    assert found.result.status.ok
    assert codes(found) == set()
    columns = {name: values for name, (values, _) in columns_of(found).items()}
    t = columns["time"]
    locked = (t > 0.1 - 1e-9) & (t < 0.2 - 1e-9)
    gone = t > 0.3 - 1e-9
    assert np.ptp(columns["joint.A2.q"][locked]) < 1e-10
    assert np.all(np.isnan(columns["joint.A2.q"][gone]))
    assert not np.any(np.isnan(columns["joint.A2.q"][~gone]))
    assert np.all(columns["joint.A2.fz"][gone] == 0.0)
    # The lock carries the arm's weight about the axis while it holds, and only then.
    moment = np.linalg.norm([columns[f"attachment.lock of A2.t{a}"] for a in "xyz"], axis=0)
    assert np.all(moment[locked] > 0.1)
    assert np.all(moment[~locked] == 0.0)
    told = found.summary["changes"]
    assert [c["change"] for c in told] == ["lock A2", "unlock A2", "release A2"]
    assert told[0]["angular_impulse_N_m_s"] > 0
    assert told[0]["energy_lost_J"] > 0
    assert found.summary["energy_drift_J"] < 1e-8


def test_the_two_methods_agree_over_all_changes(crane: Mechanism, tmp_path: Path) -> None:
    one, other = (columns_of(run(crane, tmp_path, LOCKED, method)) for method in ("absolute", "tree"))
    assert list(one) == list(other)
    for name, (values, _) in one.items():
        assert_allclose(other[name][0], values, atol=1e-7 * max(1.0, np.nanmax(np.abs(values))), err_msg=name)


def test_a_joint_of_kept_mates_changes_with_all_that_bears_its_name(crane: Mechanism, tmp_path: Path) -> None:
    """With the rows of every mate the motion and the joints' wrenches are those of bodies and joints; motors stop."""
    text = LOCKED + "motors:\n  - {joint: A2, torque: 0.2}\n"
    scenario = load_scenario(written(tmp_path, text), crane)
    one, other = (columns_of(cb.simulate(crane, scenario, collapse=kept)) for kept in (True, False))
    compared = [n for n in one if n.startswith(("joint.", "attachment.", "motor."))]
    assert any(n.startswith("motor.A2") for n in compared)
    for name in compared:
        values = one[name][0]
        assert_allclose(other[name][0], values, atol=1e-6 * max(1.0, np.nanmax(np.abs(values))), err_msg=name)


def test_refusals_on_the_way_end_the_run_with_their_size(crane: Mechanism, tmp_path: Path) -> None:
    jolt = run(crane, tmp_path, "initial: {rates: {A2: 60}}\nevents:\n  - {time: 0.1, lock: A2}\n")
    assert codes(jolt) == {"CB622"}
    assert "N m s" in jolt.findings[-1].message or "N m s" in jolt.findings[0].message
    assert jolt.result.trajectory.t[-1] == pytest.approx(0.1)
    apart = run(crane, tmp_path, "events:\n  - {time: 0.1, release: A2}\n  - {time: 0.3, attach: A2}\n")
    assert codes(apart) == {"CB621"}
    said = next(f.message for f in apart.findings if f.code == "CB621")
    assert "attach A2 at t = 0.3 s: the parts do not meet" in said
    # The last sample is of the moment at which it was refused: the joint is released still.
    q = columns_of(apart)["joint.A2.q"][0]
    assert np.isnan(q[apart.result.trajectory.t >= 0.1]).all()
    assert np.isfinite(q[apart.result.trajectory.t < 0.1]).all()
    geared = run(crane, tmp_path, "events:\n  - {time: 0.2, release: A1}\n")
    assert codes(geared) == {"CB624"}
    columns = columns_of(geared)
    errors = columns[next(name for name in columns if name.startswith("gear.") and name.endswith(".error"))][0]
    assert np.all(np.isnan(errors) == (geared.result.trajectory.t > 0.2 - 1e-9))


def test_a_point_pinned_to_the_ground_and_let_go(crane: Mechanism, tmp_path: Path) -> None:
    """The arm is pinned by a point of it where it then is, and falls when that is released."""
    arm = crane.joint("A2")
    body = crane.bodies[arm.b]
    name, tip = body.components[0], np.array([0.02, 0.01, 0.03])
    component = crane.assembly.component(name).X_WC
    world = component.point(tip)
    at = f"point: [{', '.join(str(v * 1e3) for v in world)}]"
    on = f"b: {{component: {name}, point: [{', '.join(str(v * 1e3) for v in tip)}]}}"
    text = (
        "events:\n"
        f"  - {{time: 0, attach: {{name: pin, a: {{component: ground, {at}}}, {on}}}}}\n"
        "  - {time: 0.1, release: pin}\n"
    )
    found = run(crane, tmp_path, text)
    assert found.result.status.ok
    columns = {n: v for n, (v, _) in columns_of(found).items()}
    held = columns["time"] < 0.1 - 1e-9
    assert np.ptp(columns["joint.A2.q"][held]) < 1e-10
    assert np.ptp(columns["joint.A2.q"]) > 0.01
    assert np.any(columns["attachment.pin.fz"][held] != 0)


FAULTS = """
motors:
  - {joint: A1, speed: 10}
events:
  - {time: 0.1, unlock: A2}
  - {time: 0.1, attach: A2}
  - {time: 0.1, lock: A1}
  - {time: 0.1, release: A9}
  - {time: 9, release: A2}
  - {time: 0.1, lock: {name: glue, a: Arm, b: Arm}}
  - {time: 0.2, lock: {name: glue, a: nobody}}
  - {time: 0.2, attach: {name: A2, a: {component: ground}, b: {component: Arm}}}
  - {time: 0.2, attach: {name: tip, a: {component: ground, axis: [0, 0, 0]}, b: {component: Arm}}}
  - {time: 0.2}
  - {time: 0.2, lock: A2, release: A2}
"""


def test_all_faults_are_told_at_once_each_at_its_line(crane: Mechanism, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        load_scenario(written(tmp_path, FAULTS), crane)
    found = {(f.code, f.where.line): f.message for f in refused.value.findings}
    lines = {line.strip(): i + 1 for i, line in enumerate(written(tmp_path, FAULTS).read_text().splitlines())}
    expected = {
        "- {time: 0.1, unlock: A2}": ("CB620", "A2 is not locked"),
        "- {time: 0.1, attach: A2}": ("CB620", "attached at 0.1 s already"),
        "- {time: 0.1, lock: A1}": ("CB620", "driven by a motor"),
        "- {time: 0.1, release: A9}": ("CB602", "there is no joint 'A9'"),
        "- {time: 9, release: A2}": ("CB620", "9 s is after the end"),
        "- {time: 0.1, lock: {name: glue, a: Arm, b: Arm}}": ("CB620", "one rigid body"),
        "- {time: 0.2, lock: {name: glue, a: nobody}}": ("CB604", "no component 'nobody'"),
        "- {time: 0.2, attach: {name: A2, a: {component: ground}, b: {component: Arm}}}": ("CB620", "is taken"),
        "- {time: 0.2, attach: {name: tip, a: {component: ground, axis: [0, 0, 0]}, b: {component: Arm}}}": (
            "CB620",
            "no direction",
        ),
        "- {time: 0.2}": ("CB620", "one of attach"),
        "- {time: 0.2, lock: A2, release: A2}": ("CB620", "one of attach"),
    }
    for text, (code, said) in expected.items():
        assert said in found[(code, lines[text])]
    with pytest.raises(InputError) as form:
        load_scenario(written(tmp_path, "events:\n  - {time: -1, lock: A2}\n  - {time: 0, losen: A2}\n"), crane)
    # One each: without its faulty time the first is no event of another kind, which would lack other keys.
    assert [(f.code, f.where.line) for f in form.value.findings] == [("CB601", 5), ("CB601", 6)]
    with pytest.raises(InputError) as parts:
        load_scenario(
            written(tmp_path, "events: [5, {time: 0, attach: {name: '', b: 5}}, {time: 0, lock: 7}]\n"), crane
        )
    faults = {f.message for f in parts.value.findings}
    assert "a is missing" in faults
    assert "lock must be text, not 7; write it in quotes" in faults
    assert len(faults) == 5
    kept = load_scenario(written(tmp_path, "events:\n  - {time: 0.1, lock: A2}\n"), crane)
    with pytest.raises(InputError, match="changes"):
        cb.simulate(crane, kept, duration=0.05)


def test_the_schema_takes_every_change() -> None:
    schema = json.loads(files("cadbridge").joinpath("data/schemas/scenario-1.json").read_text(encoding="utf-8"))
    document = {"format": "cadbridge.scenario/1", **yaml.safe_load(LOCKED)}
    document["events"] += [
        {"time": 1, "lock": {"name": "n", "a": "Arm"}},
        {
            "time": 1,
            "attach": {"name": "m", "a": {"component": "ground", "axis": [1, 0, 0]}, "b": {"component": "Arm"}},
        },
        {"joint": "A1", "position": 3},
    ]
    jsonschema.validate(document, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "events": [{"time": -1, "lock": "A2"}]}, schema)


def test_a_run_waits_for_the_clock_and_tells_its_factor(tmp_path: Path) -> None:
    """On a clock of the test's own: a computation of 2 ms for each step of 10 ms, and one of 50 ms."""
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    pacer = Pacer(clock=lambda: now[0], sleep=sleep)
    for k in range(1, 101):
        now[0] += 0.05 if k == 50 else 0.002
        pacer(0.01 * k)
    assert now[0] == pytest.approx(0.002 + 0.99, abs=1e-9)
    assert pacer.pace.factor == pytest.approx(0.99 / (98 * 0.002 + 0.05), rel=1e-9)
    assert pacer.pace.latest == pytest.approx(0.04, abs=1e-9)
    out = tmp_path / "r.parquet"
    call = ["simulate", str(DEMO), "--duration", "0.1", "--real-time", "-o", str(out), "--json"]
    said = json.loads(CliRunner().invoke(app, call).stdout)
    assert said["real_time_factor"] > 0
    assert math.isfinite(said["latest_s"])


def test_a_joint_that_is_released_passes_no_value(crane: Mechanism, tmp_path: Path) -> None:
    """It has none, and ended the run where its parts flew past the angle."""
    text = "initial: {rates: {A2: 60}}\nevents:\n  - {joint: A2, position: 1, stop: false}\n"
    text += "  - {joint: A2, position: 12, stop: true}\n"
    found = run(crane, tmp_path, text)
    assert found.result.status.code == "event"
    for collapse in (True, False):
        scenario = load_scenario(written(tmp_path, text + "  - {time: 0.03, release: A2}\n"), crane)
        found = cb.simulate(crane, scenario, collapse=collapse)
        assert found.result.status.code != "event"
        assert [e["value"] for e in found.summary["events"]] == [pytest.approx(math.radians(1))]


@pytest.mark.parametrize("method", ["absolute", "tree"])
def test_a_joint_that_is_released_has_no_end_in_the_table(crane: Mechanism, tmp_path: Path, method: str) -> None:
    """It had the values of its parts as they flew on."""
    text = "initial: {rates: {A2: 60}}\nevents: [{time: 0.3, release: A2}]\n"
    found = run(crane, tmp_path, text, method)
    (row,) = (
        line.split() for line in run_text(found, tmp_path, columns=PIPED).splitlines() if line.split()[:1] == ["A2"]
    )
    a2 = next(i for i, joint in enumerate(found.lowered.joints) if joint.name == "A2")
    T = found.result.trajectory
    before = np.degrees(T.coordinates[T.t < 0.2999, a2])
    assert row[2] == "–"
    assert float(row[4]) == pytest.approx(before.max(), abs=0.05)  # four digits


def test_a_run_that_an_event_ends_where_a_change_is_due_is_checked(tmp_path: Path) -> None:
    """The run beside it ended a rounding before the change, and asked for a stage of 1e-16 s: status 3."""
    links = "".join(
        f'<link name="{n}"><inertial><origin xyz=".2 0 0"/><mass value="{m}"/>'
        '<inertia ixx=".01" iyy=".05" izz=".05" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for n, m in (("base", 1), ("one", 2), ("two", 1))
    )
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz=".5 0 0"/>'
    joint += '<axis xyz="0 1 0"/></joint>'
    text = f'<robot name="m">{links}{joint.format("J1", "base", "one")}{joint.format("J2", "one", "two")}</robot>'
    (path := tmp_path / "m.urdf").write_text(text, encoding="utf-8")
    arm = cb.build(cb.read(path))
    text = "motors: [{joint: J1, speed: 90}, {joint: J2, angle: 0}]\ngravity: [0, 0, 0]\nduration: 1\nrate: 5\n"
    text += "events: [{joint: J1, position: 45, stop: true}, {time: 0.5, release: J2}]\n"
    scenario = tmp_path / "s.yaml"
    scenario.write_text("format: cadbridge.scenario/1\n" + text, encoding="utf-8")
    found = cb.simulate(arm, load_scenario(scenario, arm))
    assert found.result.trajectory.t[-1] == pytest.approx(0.5)


def test_a_run_that_an_event_ends_before_a_change_is_checked(crane: Mechanism, tmp_path: Path) -> None:
    """The run beside it was to make the change after its end: status 3, and nothing was written."""
    text = (
        "initial: {rates: {A2: 60}}\nevents:\n  - {joint: A2, position: 3, stop: true}\n  - {time: 0.3, release: A2}\n"
    )
    found = run(crane, tmp_path, text)
    assert found.result.status.code == "event"
    assert found.summary["sensitivity"]["state"] == "ok"
    assert found.summary["changes"] == []


def test_changes_after_an_event_that_stops_are_told(crane: Mechanism, tmp_path: Path) -> None:
    events = "  - {joint: A2, position: 2, stop: true}\n  - {time: 0.01, lock: A1}\n  - {time: 0.4, unlock: A1}\n"
    found = run(crane, tmp_path, f"gravity: [0, 0, 0]\ninitial: {{rates: {{A2: 60}}}}\nevents:\n{events}")
    (told,) = [f for f in found.findings if f.code == "CB688"]
    assert told.items == ("unlock A1 at 0.4 s",)
    assert "stop: true" in told.hint


def test_after_a_change_that_was_refused_no_event_is_to_stop_less(crane: Mechanism, tmp_path: Path) -> None:
    """It said to remove `stop: true`, which no event had."""
    events = "  - {time: 0.01, lock: A2}\n  - {time: 0.4, lock: A1}\n"
    found = run(crane, tmp_path, f"gravity: [0, 0, 0]\ninitial: {{rates: {{A2: 60}}}}\nevents:\n{events}")
    (told,) = [f for f in found.findings if f.code == "CB688"]
    assert told.items == ("lock A1 at 0.4 s",)
    assert "stop: true" not in told.hint
