"""Scenario files: units turned once, every fault at its line, all at once."""

from __future__ import annotations

import errno
import json
import math
import os
from importlib.resources import as_file, files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml

import cadbridge as cb
from cadbridge.errors import InputError, ModelError
from cadbridge.lowering import lower
from cadbridge.mechanism import Mechanism
from cadbridge.report import run_text
from cadbridge.simulation import Scenario, load_scenario, simulate, write_trajectory
from cadbridge.simulation.held import held
from cadbridge.simulation.scenario_file import FORMAT, ScenarioFile


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    with as_file(files("cadbridge.data") / "demo") as folder:
        return cb.build(cb.read(folder / "demo.step"))


def scenario(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text("format: cadbridge.scenario/1\n" + text)
    return path


def test_the_published_schema_is_current_and_takes_the_example() -> None:
    text = files("cadbridge").joinpath("data/schemas/scenario-1.json").read_text(encoding="utf-8")
    assert text == ScenarioFile.schema_text(FORMAT)
    example = files("cadbridge.data").joinpath("demo/demo.scenario.yaml").read_text(encoding="utf-8")
    jsonschema.validate(yaml.safe_load(example), json.loads(text))


def test_degrees_become_radians(crane: Mechanism, tmp_path: Path) -> None:
    path = scenario(tmp_path, "initial: {positions: {A2: -30}, rates: {A1: 10}}\nmotors: [{joint: A1, speed: 90}]\n")
    found = load_scenario(path, crane)
    assert found.positions == {"A2": pytest.approx(math.radians(-30))}
    assert found.rates == {"A1": pytest.approx(math.radians(10))}
    assert found.motors[0].function.evaluate(0.3)[0] == pytest.approx(math.pi / 2)


def test_two_values_of_one_joint_by_two_of_its_names_are_told(crane: Mechanism, tmp_path: Path) -> None:
    joint = next(j for j in crane.joints if j.kind.resisted and any(crane.joint_named(m) is j for m in j.mates[1:]))
    other = next(m for m in joint.mates if m != joint.name and crane.joint_named(m) is joint)
    same = 8 * crane.sense(other)

    def text(value: float) -> str:
        return f"duration: 0.1\ninitial: {{positions: {{{joint.name}: 8, '{other}': {value}}}}}\n"

    found = load_scenario(scenario(tmp_path, text(same)), crane)
    assert found.positions == {joint.name: pytest.approx(math.radians(8))}
    with pytest.raises(cb.InputError) as told:
        load_scenario(scenario(tmp_path, text(5)), crane)
    (why,) = told.value.findings
    assert why.code == "CB601"
    assert f"{joint.name} and {other} are names of one joint" in why.message
    twice = Scenario(positions={joint.name: 0.1, other: 0.2 * crane.sense(other)})
    with pytest.raises(cb.InputError, match="names of one joint"):
        simulate(crane, twice)


def test_initial_values_and_rates_are_taken_and_gears_follow(crane: Mechanism, tmp_path: Path) -> None:
    path = scenario(tmp_path, "duration: 0.01\ninitial: {positions: {A1: 200, A2: -30}, rates: {A1: 10}}\n")
    run = simulate(crane, load_scenario(path, crane))
    T = run.result.trajectory
    value = {j.name: (T.coordinates[0, i], T.coordinate_rates[0, i]) for i, j in enumerate(run.lowered.joints)}
    assert value["A2"] == (pytest.approx(math.radians(-30), abs=1e-10), pytest.approx(0.0, abs=1e-10))
    assert abs(value["A1"][1]) == pytest.approx(math.radians(10), abs=1e-10)
    assert abs(value["A1"][0]) == pytest.approx(math.radians(200), abs=1e-10)  # more than half a turn
    pinion = value["Insert:2"]
    assert abs(pinion[0] / value["A1"][0]) == pytest.approx(3.0, abs=1e-9)
    assert abs(pinion[1] / value["A1"][1]) == pytest.approx(3.0, abs=1e-9)
    assert np.max(T.constraint_position) < 1e-12


FAULTS = {
    "unknown joint": ("motors: [{joint: A9, torque: 1}]\n", "CB602", 2),
    "two kinds at once": ("motors: [{joint: A1, torque: 1, speed: 2}]\n", "CB601", 2),
    "no expression": ('motors: [{joint: A1, torque: "sin(2*"}]\n', "CB603", 2),
    "python": ('motors: [{joint: A1, torque: "__import__(1)"}]\n', "CB603", 2),
    "falling table": ("motors: [{joint: A1, angle: {table: [[1, 0], [0, 1]]}}]\n", "CB603", 2),
    "no number in a table": ("motors: [{joint: A1, angle: {table: [[0, 0], [1, .nan]]}}]\n", "CB601", 2),
    "no number": ("motors: [{joint: A1, torque: .inf}]\n", "CB601", 2),
    "spring": ("loads: {springs: [{joint: A1, stifness: 3}]}\n", "CB601", 2),
    "no tolerance": ("tolerance: 0\n", "CB601", 2),
    "duration": ("duration: -1\n", "CB601", 2),
    "rate": ("duration: 1\nrate: 0\n", "CB601", 3),
    "not a number": ("duration: .nan\n", "CB601", 2),
    "gravity in no unit": ("gravity: [0, 0, -1e12]\n", "CB601", 2),
    "unknown key": ("durration: 1\n", "CB601", 2),
    "key given twice": ("duration: 1\nduration: 0.3\n", "CB143", 3),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_line(name: str, crane: Mechanism, tmp_path: Path) -> None:
    text, code, line = FAULTS[name]
    with pytest.raises(InputError) as error:
        load_scenario(scenario(tmp_path, text), crane)
    assert [(code, line)] == [(f.code, f.where.line) for f in error.value.findings]


@pytest.mark.parametrize("text", ["", "# nothing but a comment\n"])
def test_an_empty_file_is_told_as_no_scenario(text: str, crane: Mechanism, tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        load_scenario(path, crane)
    assert [f.code for f in error.value.findings] == ["CB601"]


def test_initial_values_made_in_python_are_checked_by_name(crane: Mechanism) -> None:
    with pytest.raises(InputError, match=r"not of finite numbers: the position of A2, the rate of A1\."):
        simulate(crane, Scenario(positions={"A2": math.nan}, rates={"A1": math.inf}))


def test_all_faults_at_once(crane: Mechanism, tmp_path: Path) -> None:
    text = """duratoin: 3
motors:
  - {joint: A9, torqe: 1}
  - {joint: A1, torque: 'x'}
events: [{joint: A1, position: abc}]
initial: {positions: {B: 1}}
"""
    with pytest.raises(InputError) as error:
        load_scenario(scenario(tmp_path, text), crane)
    faults = [(f.code, f.where.line) for f in error.value.findings]
    assert sorted(faults) == [("CB601", 2), ("CB601", 4), ("CB601", 6), ("CB602", 4), ("CB602", 7), ("CB603", 5)]


def test_an_entry_without_a_key_hides_no_fault_of_the_others(crane: Mechanism, tmp_path: Path) -> None:
    text = """motors:
  - {torque: 1}
  - {joint: A9, torque: 1}
  - {joint: A1}
loads:
  springs:
    - {joint: A1, stiffness: 1}
    - 5
    - {joint: A8, stiffness: 1}
  wrenches:
    - {force: [1, 0, 0]}
    - {component: Arm}
"""
    with pytest.raises(InputError) as error:
        load_scenario(scenario(tmp_path, text), crane)
    faults = [(f.code, f.where.line) for f in error.value.findings]
    assert sorted(faults) == [
        ("CB601", 3), ("CB601", 5), ("CB601", 9), ("CB601", 12), ("CB602", 4), ("CB602", 10), ("CB605", 13),
    ]  # fmt: skip
    assert "wrench 2" in next(f.message for f in error.value.findings if f.code == "CB605")


def test_changes_that_follow_an_event_without_a_key_are_not_called_wrong(crane: Mechanism, tmp_path: Path) -> None:
    text = "duration: 1\nevents: [{release: A2}, {time: 0.2, attach: A2}]\n"
    with pytest.raises(InputError) as error:
        load_scenario(scenario(tmp_path, text), crane)
    assert {(f.code, f.where.line) for f in error.value.findings} == {("CB601", 3)}


def test_nothing_is_simulated_without_masses(corpus: Path) -> None:
    mechanism = cb.build(cb.read(corpus / "caxif" / "as1-oc-214.stp"))
    with pytest.raises(ModelError) as error:
        simulate(mechanism, duration=0.1)
    assert {f.code for f in error.value.findings} == {"CB610"}


def test_a_full_disk_leaves_nothing_half_written(
    crane: Mechanism, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    def full(writer: object, table: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    with pytest.raises(InputError, match="No space left"):
        write_trajectory(simulate(crane, Scenario(duration=0.01)), tmp_path / "run.parquet")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_reached_is_told_in_mm_and_without_what_rounding_leaves(
    crane: Mechanism, tmp_path: Path
) -> None:
    """A2, which fits, was called open by 0.4 µm."""
    text = "duration: 0.1\ninitial: {positions: {A1: 57, Insert:2: 166, A2: 115}}\n"
    with pytest.raises(InputError) as caught:
        simulate(crane, load_scenario(scenario(tmp_path, text), crane))
    (told,) = caught.value.findings
    assert told.code == "CB614"
    assert "Spur:1 (18" in told.message
    assert " mm)" in told.message
    assert "A2" not in told.message


def test_an_event_of_a_slide_is_told_in_mm(tmp_path: Path) -> None:
    robot = tmp_path / "slide.xml"
    robot.write_text(
        '<mujoco><worldbody><body name="a"><joint name="s" type="slide" axis="1 0 0"/><geom size=".1" mass="1"/></body>'
        "</worldbody></mujoco>"
    )
    slide = cb.build(cb.read(robot))
    text = "duration: 0.1\nmotors: [{joint: s, speed: 200}]\nevents: [{joint: s, position: 12.5}]\n"
    run = simulate(slide, load_scenario(scenario(tmp_path, text), slide))
    assert "joint s passes 12.5 mm at 0.0625 s" in run_text(run, tmp_path / "run.csv")


@pytest.mark.parametrize(
    ("gravity", "told"),
    [("[0, 0, -9.81]", ""), ("[0, -1.62, 0]", "  gravity (0, −1.62, 0) m/s²"), ("[0, 0, 0]", "  without gravity")],
)
def test_a_gravity_that_is_not_that_of_the_earth_is_told(
    gravity: str, told: str, crane: Mechanism, tmp_path: Path
) -> None:
    run = simulate(crane, load_scenario(scenario(tmp_path, f"duration: 0.01\ngravity: {gravity}\n"), crane))
    lines = [line for line in run_text(run, Path("run.csv")).splitlines() if "gravity" in line]
    assert lines == ([told] if told else [])


def test_an_event_ends_the_run_where_its_joint_passes(crane: Mechanism, tmp_path: Path) -> None:
    text = "duration: 2\nintegrator: dop853\nmotors: [{joint: A1, speed: 90}]\ninitial: {rates: {A1: 90}}\n"
    path = scenario(tmp_path, text + "events: [{joint: A1, position: 45, direction: rising, stop: true}]\n")
    run = simulate(crane, load_scenario(path, crane))
    assert run.result.status.code == "event"
    passed = {"joint": "A1", "t_s": pytest.approx(0.5, abs=1e-9), "value": pytest.approx(np.pi / 4), "unit": "rad"}
    assert run.summary["events"] == [passed]
    assert "joint A1 passes 45° at 0.5 s" in run_text(run, tmp_path / "run.csv")
    assert run.result.trajectory.t[-1] == pytest.approx(0.5, abs=1e-9)


def test_every_integrator_can_be_chosen_and_rk4_asks_for_a_step(crane: Mechanism, tmp_path: Path) -> None:
    ends = []
    for options in ("integrator: rk4\nstep: 0.002\n", "integrator: generalized_alpha\n", ""):
        run = simulate(crane, load_scenario(scenario(tmp_path, "duration: 0.1\n" + options), crane))
        ends.append(run.result.trajectory.positions[-1])
    np.testing.assert_allclose(ends[0], ends[2], atol=1e-6)
    np.testing.assert_allclose(ends[1], ends[2], atol=1e-4)
    with pytest.raises(InputError) as fault:
        load_scenario(scenario(tmp_path, "integrator: rk4\nevents: [{joint: A9, position: 1}]\n"), crane)
    told = [(f.code, f.where.line if f.where else None) for f in fault.value.findings]
    assert ("CB601", 2) in told
    assert ("CB602", 3) in told


TWO_ARMS = """<robot name="p"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="fore"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="J" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="K" type="continuous"><parent link="arm"/><child link="fore"/><origin xyz="0.2 0 0"/><axis xyz="0 1 0"/>
</joint></robot>"""


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Mechanism:
    path = tmp_path_factory.mktemp("arms") / "p.urdf"
    path.write_text(TWO_ARMS)
    return cb.build(cb.read(path))


@pytest.mark.parametrize("motor", ["angle: '65+20*t'", "speed: 20"])
def test_what_a_motor_does_not_lead_begins_as_designed_and_at_rest(arms: Mechanism, tmp_path: Path, motor: str) -> None:
    # The forearm began 94° off where the upper arm's motor began at 65°, as the nearest pose was taken.
    text = f"duration: 0.01\nmotors: [{{joint: J, {motor}}}]\n"
    T = simulate(arms, load_scenario(scenario(tmp_path, text), arms)).result.trajectory
    assert T.coordinates[0].tolist() == pytest.approx([math.radians(65) if "angle" in motor else 0.0, 0.0], abs=1e-9)
    assert T.coordinate_rates[0].tolist() == pytest.approx([math.radians(20), 0.0], abs=1e-9)


@pytest.mark.parametrize(
    ("initial", "motor"),
    [("positions: {J: 30}", "angle: '5+20*t'"), ("rates: {J: 10}", "angle: '20*t'"), ("rates: {J: 10}", "speed: 20")],
)
def test_an_initial_value_that_a_motor_contradicts_is_told(
    arms: Mechanism, tmp_path: Path, initial: str, motor: str
) -> None:
    text = f"initial: {{{initial}}}\nmotors: [{{joint: J, {motor}}}]\n"
    with pytest.raises(InputError) as told:
        simulate(arms, load_scenario(scenario(tmp_path, text), arms))
    assert [f.code for f in told.value.findings] == ["CB631"]
    assert "initial" in told.value.findings[0].message


def test_an_initial_value_that_the_motor_has_too_is_taken(arms: Mechanism, tmp_path: Path) -> None:
    text = "duration: 0.01\ninitial: {positions: {J: 5}, rates: {J: 20}}\nmotors: [{joint: J, angle: '5+20*t'}]\n"
    assert simulate(arms, load_scenario(scenario(tmp_path, text), arms)).result.status.ok


@pytest.mark.parametrize("section", ["stops", "friction"])
def test_two_entries_for_one_joint_are_told(crane: Mechanism, tmp_path: Path, section: str) -> None:
    joint = next(j for j in crane.joints if j.kind.resisted and any(crane.joint_named(m) is j for m in j.mates[1:]))
    other = next(m for m in joint.mates if m != joint.name and crane.joint_named(m) is joint)
    own = "lower: -10, upper: 10, stiffness: 5" if section == "stops" else "torque: 1"
    entries = ", ".join(f"{{joint: '{name}', {own}}}" for name in (joint.name, other))
    with pytest.raises(InputError) as told:
        load_scenario(scenario(tmp_path, f"loads: {{{section}: [{entries}]}}\n"), crane)
    (why,) = told.value.findings
    assert why.code == "CB605"
    assert f"{joint.name} and {other} are names of one joint" in why.message


def test_of_many_linkages_only_the_one_that_a_motor_leads_is_looked_at(tmp_path: Path) -> None:
    """Of 200 four-bars it took a minute which joints of all can stay as designed, a third power of their number."""
    inertial = "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"
    links, mates = '<link name="base"/>', "format: cadbridge.mates/1\nground: [base]\nmates:\n"
    for k in range(60):
        for name, x, z in (("a", 0.0, 0.05), ("c", 0.2, 0.05), ("b", 0.1, 0.1)):
            links += f'<link name="{name}{k}"><pose>{0.5 * k + x} 0 {z} 0 0 0</pose>{inertial}</link>'
        for name, x, z, a, b in (("A", 0, 0, "base", f"a{k}"), ("C", 200, 0, "base", f"c{k}"),
                                 ("B", 0, 100, f"a{k}", f"b{k}"), ("D", 200, 100, f"c{k}", f"b{k}")):  # fmt: skip
            at = f"point: [{500 * k + x}, 0, {z}], axis: [0, 1, 0], in: world"
            mates += f"  - {{name: {name}{k}, type: revolute, a: {{component: {a}, {at}}}, b: {{component: {b}}}}}\n"
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{links}</model></sdf>')
    (tmp_path / "u.mates.yaml").write_text(mates)
    lowered = lower(cb.build(cb.read(tmp_path / "u.sdf")))
    kept = held(lowered, ("A7",))
    assert set(kept.names) <= {f"{letter}7" for letter in "ABCD"}
    assert not kept.outside


def test_of_a_large_net_of_loops_nothing_is_held_where_motors_lead(arms: Mechanism) -> None:
    lowered = lower(arms)
    assert held(lowered, ("J",), most=0).within == ()
