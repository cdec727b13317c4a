"""A run's verdict: right runs pass every check, each kind of error is found by the check that looks for it."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.cli import main
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Run, Scenario
from cadbridge.simulation.confirming import confirm
from cadbridge.simulation.trajectory import columns_of, trajectory_table
from cadbridge.simulation.trust import repeats
from cadbridge.simulation.trust.checks import NOT_TESTED, OK, WRONG, judged, together
from cadbridge.simulation.trust.pushes import pushed_intervals
from cadbridge.simulation.trust.repeats import doubtful
from cadbridge.simulation.trust.verdict import tell, verdict_of
from solver.functions import constant, expression
from solver.result import Result, Trajectory
from solver.runs.integrate import simulate
from tests.oracle.cases import ROOT
from tests.oracle.machines import case

FIXTURES = ROOT / "fixtures"


@pytest.fixture(scope="module")
def bar() -> Run:
    """A four-bar that falls: its run is right."""
    made = case("four-bar", 1)
    return cb.simulate(made.mechanism, Scenario(gravity=(0.0, -9.81, 0.0), duration=1.0, rate=50.0))


@pytest.fixture(scope="module")
def trrr3() -> Mechanism:
    return cb.build(cb.read(FIXTURES / "trrr3" / "trrr3.sdf"))


def spoilt(run: Run, **changed: np.ndarray) -> Result:
    return replace(run.result, trajectory=replace(run.result.trajectory, **changed))


def found(run: Run, result: Result) -> dict[str, str]:
    """Checks and their states, of a run with other samples."""
    call: dict[str, Any] = {
        "rtol": run.scenario.rtol, "atol": run.scenario.atol, "integrator": "dopri5", "tree": None,
        "longest_step": np.inf,
    }  # fmt: skip
    verdict = verdict_of(run.lowered, run.scenario, result, run.system, call)
    return {check.name: check.state for check in verdict.checks}


def at(run: Run, name: str, sample: int, by: float) -> dict[str, np.ndarray]:
    values = np.array(getattr(run.result.trajectory, name))
    values[sample] += by
    return {name: values}


def test_a_right_run_passes_every_check(bar: Run) -> None:
    assert bar.verdict is not None
    assert {check.name: check.state for check in bar.verdict.checks} == dict.fromkeys(
        ("rows", "rates", "within", "energy", "angles", "turns", "repeats", "sensitivity"), OK
    )
    assert bar.summary["trusted"] is True
    assert np.all(columns_of(bar)["check.trusted"][0] == 1.0)


def test_each_error_is_found_by_the_check_that_looks_for_it(bar: Run) -> None:
    assert set(found(bar, bar.result).values()) == {OK}
    T = bar.result.trajectory
    for check, changed in (
        ("rows", at(bar, "constraint_position", 20, 1e-5)),
        ("rates", at(bar, "constraint_velocity", 20, 1e-3)),
        ("energy", at(bar, "motor_work", 20, 1e-2)),
        ("angles", at(bar, "angles", 20, 1e-4)),
        ("turns", {"coordinates": T.coordinates + np.where(T.t > 0.5, math.tau, 0.0)[:, None]}),
    ):
        assert found(bar, spoilt(bar, **changed)) == {**found(bar, bar.result), check: WRONG}


def test_a_step_that_is_bent_within_is_told(bar: Run) -> None:
    bent = replace(bar.result, statistics=replace(bar.result.statistics, within=50.0))
    assert found(bar, bent)["within"] == WRONG


def test_a_sample_that_is_off_is_found_where_it_is_computed_again(bar: Run) -> None:
    """Each second sample is that of a later time: rows hold, no energy is missing, and it is another time's state."""
    T = bar.result.trajectory
    others = np.arange(len(T.t))
    others[1:-1:2] += 1
    later = {
        name: getattr(T, name)[others]
        for name in ("positions", "quaternions", "velocities", "angles", "coordinates", "coordinate_rates")
    }
    states = found(bar, spoilt(bar, **later))
    assert states["repeats"] == WRONG
    assert states["rows"] == OK


@pytest.mark.parametrize(("finest", "state"), [(1e-7, OK), (1e-5, NOT_TESTED)])
def test_what_cannot_be_computed_again_is_neither_wrong_nor_right(
    bar: Run, finest: float, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No step meets less than `finest`; where that of the run is met, doubtful intervals are computed with it."""

    def simulated(*given: Any, rtol: float, **more: Any) -> Result:
        found = simulate(*given, rtol=rtol, **more)
        return replace(found, status=replace(found.status, ok=False)) if rtol < finest else found

    monkeypatch.setattr(repeats, "simulate", simulated)
    call: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-6, "integrator": "dopri5", "tree": None, "longest_step": np.inf}
    what = replace(bar.scenario, rtol=1e-6, atol=1e-6)
    verdict = verdict_of(bar.lowered, what, bar.result, bar.system, call)
    assert {c.name: c.state for c in verdict.checks}["repeats"] == verdict.state == state
    findings = Findings()
    tell(verdict, bar.scenario, bar.result, findings)
    assert [f.code for f in findings] == (["CB684"] if state == NOT_TESTED else [])


@pytest.mark.parametrize("times", [1e-3, 1e3])
def test_a_verdict_is_the_same_for_a_machine_that_takes_a_thousand_times_as_long(
    trrr3: Mechanism, times: float
) -> None:
    """Rates of a fast one are large: those of joints that stand nearly still seem to be wrong. Those of a slow one
    are small: an open rate seems to be none."""
    what = Scenario(gravity=(0.0, 0.0, -9.81 / times**2), duration=times, rate=50.0 / times)
    run = cb.simulate(trrr3, what)
    assert run.verdict is not None
    assert run.verdict.state == OK
    speed = float(np.abs(run.result.trajectory.velocities[20]).max())
    assert found(run, spoilt(run, **at(run, "constraint_velocity", 20, 1e-5 * speed)))["rates"] == WRONG


def test_what_is_missing_is_told_from_then_on_and_a_row_only_where_it_is_open(bar: Run) -> None:
    T = bar.result.trajectory
    once = verdict_of(bar.lowered, bar.scenario, spoilt(bar, **at(bar, "constraint_position", 20, 1e-5)), bar.system)
    assert np.flatnonzero(once.samples == 0.0).tolist() == [20]
    lost = verdict_of(bar.lowered, bar.scenario, spoilt(bar, **at(bar, "motor_work", 20, 1e-2)), bar.system)
    assert np.flatnonzero(lost.samples == 0.0).tolist() == list(range(20, len(T.t)))
    assert lost.document(T.t)["wrong_from_s"] == T.t[20]
    findings = Findings()
    tell(lost, bar.scenario, bar.result, findings)
    (told,) = findings.as_tuple()
    assert (told.code, told.severity) == ("CB627", "error")


def test_no_number_is_wrong_and_nothing_excuses_a_share_of_the_energy(bar: Run) -> None:
    T = bar.result.trajectory
    assert found(bar, spoilt(bar, kinetic=T.kinetic * np.nan))["energy"] == WRONG
    # A spike of speed once made its own loss look small.
    spike = np.array(T.velocities)
    spike[20] *= 1e4
    loose = replace(bar, scenario=replace(bar.scenario, rtol=1e-6, atol=1e-6))
    exchanged = float(np.ptp(T.kinetic))
    leak = np.where(T.t > 0.5, 0.05 * exchanged, 0.0)
    assert found(loose, spoilt(bar, velocities=spike, motor_work=T.motor_work + leak))["energy"] == WRONG


def test_the_fall_through_a_singular_pose_is_told(trrr3: Mechanism) -> None:
    """30 of 131 J were lost at 1e-6, and the run called right."""
    run = cb.simulate(trrr3, Scenario(rtol=1e-6, atol=1e-6))
    right = cb.simulate(trrr3, Scenario(rtol=1e-10, atol=1e-10, sensitivity=False))
    T, exact = run.result.trajectory, right.result.trajectory
    off = float(np.abs(T.positions - exact.positions).max())
    told = {f.code for f in run.findings}
    assert off < 1e-4 or "CB627" in told
    assert right.summary["trusted"] is True


def test_a_motion_that_multiplies_differences_says_what_its_end_is_known_to() -> None:
    """The falling delta: its tree breaks the symmetry by rounding, which grows 75-fold each half second."""
    delta = cb.build(cb.read(FIXTURES / "delta" / "delta.sdf"))
    run = cb.simulate(delta, Scenario(rtol=1e-6, atol=1e-6), method="tree")
    exact = cb.simulate(delta, Scenario(rtol=1e-10, atol=1e-10, sensitivity=False), method="absolute")
    off = np.abs(run.result.trajectory.positions - exact.result.trajectory.positions).max()
    (metres,) = [e for e in run.summary["sensitivity"]["estimated_errors"] if e["unit"] == "m"]
    assert off > 1e-3
    assert 0.02 * off < metres["error"] < 50 * off
    assert run.summary["trusted"] is False
    assert "CB683" in {f.code for f in run.findings}
    still = cb.simulate(delta, Scenario(duration=0.2), method="tree")
    assert still.summary["sensitivity"]["state"] == OK


def test_what_is_off_by_more_than_a_hundred_tolerances_is_wrong_and_what_is_not_is_right() -> None:
    """A driven four-bar: rough estimates are above a hundred tolerances in both, errors 42 and 180."""
    made = case("four-bar driven", 20)
    scenario = replace(made.scenario, integrator="dopri5")
    near, far = (cb.simulate(made.mechanism, replace(scenario, rtol=r, atol=r)) for r in (1e-6, 1e-3))
    assert (near.summary["trusted"], far.summary["trusted"]) == (True, False)
    assert near.summary["sensitivity"]["beside_a_run_at"] == pytest.approx(1e-7)
    (told,) = [f for f in far.findings if f.severity == "error"]
    assert told.code == "CB683"
    assert far.verdict is not None
    (check,) = far.verdict.wrong
    assert (check.name, check.worst > 100.0) == ("sensitivity", True)
    samples = columns_of(far)["check.trusted"][0]
    first = int(np.argmin(samples))
    assert (samples[:first] == 1.0).all()
    assert (samples[first:] == 0.0).all()


def test_an_estimate_is_near_the_error(bar: Run) -> None:
    exact = cb.simulate(bar.mechanism, replace(bar.scenario, rtol=1e-12, atol=1e-12), method="absolute")
    off = np.linalg.norm(exact.result.trajectory.positions - bar.result.trajectory.positions, axis=2).max()
    (metres,) = [e for e in bar.summary["sensitivity"]["estimated_errors"] if e["unit"] == "m"]
    assert 0.1 * off < metres["error"] < 30 * off


def test_what_cannot_be_judged_is_neither_right_nor_wrong(bar: Run) -> None:
    T = bar.result.trajectory
    first = Trajectory(*(getattr(T, name)[:1] for name in Trajectory.__dataclass_fields__))
    one = verdict_of(bar.lowered, bar.scenario, replace(bar.result, trajectory=first), bar.system)
    assert (one.state, one.trusted, one.reason) == (NOT_TESTED, None, "the run has one sample")
    lowered = cast(Lowered, SimpleNamespace(model=bar.lowered.model, stand_ins=("bar0",)))
    unknown = verdict_of(lowered, bar.scenario, bar.result, bar.system)
    assert (unknown.state, unknown.trusted) == (NOT_TESTED, None)
    assert np.isnan(unknown.samples).all()
    findings = Findings()
    tell(unknown, bar.scenario, bar.result, findings)
    assert [f.code for f in findings.as_tuple()] == ["CB684"]
    # An open row is wrong, whatever else is not known.
    opened = spoilt(bar, **at(bar, "constraint_position", 20, 1e-5))
    assert verdict_of(lowered, bar.scenario, opened, bar.system).state == WRONG


@pytest.mark.parametrize("rate", [1.0, 10.0])
def test_a_push_that_no_step_saw_is_told(rate: float) -> None:
    """Its impulse is 0.5 √π · 0.004 N m s: a function without a corner, that no step has to end at."""
    disc = case("reported", 7).mechanism
    push = MotorSpec("Disc", torque=expression("0.5*exp(-((t-5.303)/0.004)^2)"))
    what = Scenario(gravity=(0.0, 0.0, 0.0), duration=10.0, rate=rate, motors=(push,))
    run = cb.simulate(disc, what)
    final = run.result.trajectory.coordinate_rates[-1, 0]
    right = abs(final - 0.5 * math.sqrt(math.pi) * 0.004 / 0.011) < 1e-6
    assert right or run.summary["trusted"] is False


def test_functions_of_time_are_looked_at_where_they_depart_from_their_samples() -> None:
    t = np.linspace(0.0, 10.0, 11)
    hidden = expression("step(t-3.4)-step(t-3.5)")
    assert pushed_intervals([hidden], t) == ([3], 64)
    assert pushed_intervals([expression("2*t"), constant(3.0)], t)[0] == []
    assert pushed_intervals([], t) == ([], 0)
    assert pushed_intervals([hidden], np.linspace(0.0, 10.0, 4000)) == ([], 0)


def test_turns_are_not_counted_where_samples_lie_too_far_apart() -> None:
    made = case("reported", 1)
    run = cb.simulate(made.mechanism, replace(made.scenario, duration=0.2, rate=10.0))
    assert run.verdict is not None
    (turns,) = [check for check in run.verdict.checks if check.name == "turns"]
    assert turns.state in (NOT_TESTED, OK)


def test_a_joint_that_swings_between_few_samples_has_lost_no_turn() -> None:
    """A wheel that swings twice between two samples: the integral of its rate there is off by half a turn."""
    made = case("differential", 9)
    run = cb.simulate(made.mechanism, made.scenario)
    assert run.verdict is not None
    assert "CB627" not in {f.code for f in run.findings}
    lost = at(run, "coordinates", -1, math.tau)
    states = found(run, spoilt(run, **lost))
    assert states["turns"] == WRONG


SPUN = """<mujoco><compiler angle="degree"/><worldbody>
  <body name="crank"><joint name="crank" axis="0 -1 0"/>
    <geom type="capsule" fromto="0 0 0 .05 0 .0866025404" size=".005" density="1000"/>
    <body name="coupler" pos=".05 0 .0866025404"><joint name="pin" axis="0 -1 0"/>
      <geom type="capsule" fromto="0 0 0 .251600765 0 .163392335" size=".005" density="1000"/></body></body>
  <body name="rocker" pos=".3 0 0"><joint name="rocker" axis="0 -1 0"/>
    <geom type="capsule" fromto="0 0 0 .001600765 0 .249994875" size=".005" density="1000"/></body>
  </worldbody>
  <equality><connect body1="coupler" body2="rocker" anchor=".251600765 0 .163392335"/></equality></mujoco>"""


def test_a_crank_that_turns_round_between_samples_has_lost_no_turn(tmp_path: Path) -> None:
    """Its rate goes through a whole period there, of which both ends and their accelerations say nothing."""
    (tmp_path / "spun.xml").write_text(SPUN)
    push = MotorSpec("crank", torque=constant(0.3))
    what = Scenario(duration=0.9, rate=100.0, motors=(push,))
    run = cb.simulate(cb.build(cb.read(tmp_path / "spun.xml")), what)
    assert run.verdict is not None
    assert np.diff(run.result.trajectory.coordinates[:, 0]).max() > math.pi
    (turns,) = [check for check in run.verdict.checks if check.name == "turns"]
    assert turns.state == OK


def test_two_runs_that_are_wrong_alike_by_chance_hide_no_error() -> None:
    """A falling delta: the run at ten times the tolerance is hardly farther off than the run itself."""
    made = case("delta", 8)
    run = cb.simulate(made.mechanism, replace(made.scenario, rtol=1e-6, atol=1e-6), method="tree")
    assert "CB683" in {f.code for f in run.findings}


def test_deviations_are_held_against_what_is_allowed_at_each_time() -> None:
    t = np.arange(4.0)
    off = np.array([0.0, 2.0, np.nan, 0.5])
    check = judged("x", off, np.array([1.0, 3.0, 1.0, 1.0]), t)
    assert (check.state, check.bad.tolist(), check.t) == (WRONG, [False, False, True, False], 2.0)
    assert check.document()["worst"] is None
    assert together((check,), 4).samples.tolist() == [1.0, 1.0, 0.0, 1.0]
    assert together((), 4).state == OK
    assert together((), 4, "why").state == NOT_TESTED


def test_a_repetition_confirms_a_right_run_and_refutes_a_wrong_one(bar: Run) -> None:
    findings = Findings()
    good = confirm(bar, findings)
    assert good.state == OK
    assert not findings.as_tuple()
    assert good.samples == len(bar.result.trajectory.t)
    worst = {d.column: d for d in good.differences}
    assert worst["joint.J0.q"].unit == "rad"
    T = bar.result.trajectory
    shifted = replace(bar, result=spoilt(bar, coordinates=T.coordinates + np.where(T.t > 0.5, 1e-4, 0.0)[:, None]))
    bad = confirm(shifted, findings)
    assert bad.state == WRONG
    assert {d.column for d in bad.beyond} == {f"joint.J{k}.q" for k in range(4)}
    assert all(d.t > 0.5 and d.largest == pytest.approx(1e-4, rel=1e-2) for d in bad.beyond)
    assert [f.code for f in findings.as_tuple()] == ["CB685"]


def test_the_command_says_it_first_and_marks_the_samples(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine, runs = cb.simulate, list[Run]()

    def once(*given: Any, **how: Any) -> Run:
        """The command is called twice for the same run."""
        if not runs:
            runs.append(genuine(*given, **how))
        return runs[0]

    monkeypatch.setattr("cadbridge.simulation.simulate", once)
    scenario = tmp_path / "fall.yaml"
    scenario.write_text("format: cadbridge.scenario/1\ntolerance: 1.0e-6\nduration: 2\n", encoding="utf-8")
    source, out = str(FIXTURES / "delta" / "delta.sdf"), str(tmp_path / "run.parquet")
    call = ["simulate", source, "--scenario", str(scenario), "--method", "tree", "-o", out]
    assert main([*call, "--columns", "joints"]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("WRONG from t = ")
    table = cb.load_trajectory(Path(out))
    marks = table["check.trusted"]
    assert (marks[0], marks[-1]) == (1.0, 0.0)
    assert main([*call, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["trusted"] is False
    assert document["verdict"]["state"] == WRONG
    assert document["verdict"]["wrong_from_s"] == table["time"][np.flatnonzero(marks == 0.0)[0]]


def test_confirm_is_an_option_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(FIXTURES / "stewart" / "stewart.sdf")
    call = ["simulate", source, "--duration", "0.1", "-o", str(tmp_path / "run.parquet"), "--confirm"]
    assert main(call) == 0
    assert "Confirmed: none of" in capsys.readouterr().out
    assert main([*call, "--json"]) == 0
    confirmation = json.loads(capsys.readouterr().out)["confirmation"]
    assert confirmation["state"] == OK
    assert confirmation["tolerance"] == pytest.approx(1e-9)


def test_a_run_with_a_fixed_step_is_repeated_at_half_of_it(bar: Run) -> None:
    coarse = cb.simulate(bar.mechanism, replace(bar.scenario, integrator="rk4", step=0.02))
    assert coarse.summary["sensitivity"]["state"] == NOT_TESTED
    assert confirm(coarse, Findings()).step == 0.01


def test_a_joint_that_is_led_is_where_its_law_says(bar: Run) -> None:
    motors = (MotorSpec("J0", angle=expression("0.3*sin(5*t)")),)
    run = cb.simulate(bar.mechanism, replace(bar.scenario, motors=motors))
    assert run.summary["trusted"] is True
    np.testing.assert_allclose(columns_of(run)["joint.J0.q"][0], 0.3 * np.sin(5 * run.result.trajectory.t), atol=1e-9)


def test_a_table_of_a_right_run_has_the_mark_among_its_checks(bar: Run) -> None:
    assert "check.trusted" in trajectory_table(bar, ("checks",)).column_names
    assert "check.trusted" not in trajectory_table(bar, ("joints",)).column_names


def test_no_interval_is_doubtful_where_nothing_moves(bar: Run) -> None:
    """Gears between parts that are fixed are rows without a body."""
    some = doubtful(bar.result)
    assert len(some) > 0
    none = replace(bar.result.trajectory, velocities=np.zeros((3, 0, 6)), accelerations=np.zeros((3, 0, 6)))
    assert doubtful(replace(bar.result, trajectory=none)) == []
