"""Runs check themselves: right ones are silent, wrong ones are told, and so is what may make them wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.findings import Finding, Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import LoadSpecs, Run, Scenario, simulate
from cadbridge.simulation.motors import MotorSpec
from cadbridge.simulation.trust import ahead
from cadbridge.simulation.trust.ahead import costs, mass_ratios
from cadbridge.simulation.trust.balance import energy_balance
from cadbridge.simulation.trust.sensitivity import sensitivity_of, tell_sensitivity
from cadbridge.simulation.trust.settling import settling
from cadbridge.simulation.trust.verdict import tell, verdict_of
from cadbridge.simulation.vibration import fastest
from solver.analyses.linear import linearise
from solver.constraints import GROUND
from solver.constraints.evaluation import evaluate
from solver.equations.system import prepare
from solver.functions import constant, expression
from solver.model import Friction, JointLoad, Model, Motor
from solver.result import Result, Skipped
from solver.rotation import matrix
from solver.runs.integrate import simulate as integrate
from solver.state import State
from tests.simulation import masses as masses_apart
from tests.simulation.masses import chain
from tests.solver.examples import pendulum, turn

EXTREME = [(1.0, 1e-9, 1.0), (1e-12, 1e-12, 1.0), (1e-9, 1.0, 1.0), (1.0, 1.0, 1e8), (1e-6, 1e-6, 1.0)]


def four_bar(masses: tuple[float, ...]) -> Model:
    return masses_apart.four_bar(masses).model


@pytest.fixture(scope="module")
def crane() -> Mechanism:
    with as_file(files("cadbridge.data") / "demo") as folder:
        return cb.build(cb.read(folder / "demo.step"))


def codes(run: Run) -> list[str]:
    return [f.code for f in run.findings]


@pytest.mark.parametrize("masses", EXTREME)
def test_accelerations_of_light_bars_are_exact(masses: tuple[float, ...]) -> None:
    """Against the one freedom in closed form: v̇ = p + n (n·(f − M p)) / (n·M n), with n the null space of Ĝ."""
    model = four_bar(masses)
    G = evaluate(model.primitives, model.positions, model.quaternions).G
    n = np.linalg.svd(G)[2][-1]
    v = (2 * n / np.abs(n).max()).reshape(3, 6)
    c = evaluate(model.primitives, model.positions, model.quaternions, v).c
    M = np.concatenate([[b.mass] * 3 + np.diag(b.inertia).tolist() for b in model.bodies])
    f = np.concatenate([[*(b.mass * np.array(model.gravity)), 0.0, 0.0, 0.0] for b in model.bodies])
    p = np.linalg.lstsq(G, c, rcond=1e-12)[0]
    exact = p + n * ((n @ (f - M * p)) / (n @ (M * n)))
    start = replace(State.at_rest(model.positions, model.quaternions), velocities=v)
    found = integrate(model, start, duration=1e-9, rate=1e9).trajectory.accelerations[0].ravel()
    assert np.abs(found - exact).max() < 1e-12 * np.abs(exact).max()


@pytest.mark.parametrize("masses", [(1.0, 1.0, 1.0), (1e-6, 1e-6, 1.0), (1.0, 1e-9, 1.0)])
def test_energy_and_its_bound_fall_with_the_tolerance(masses: tuple[float, ...]) -> None:
    model, found = four_bar(masses), []
    for tolerance in (1e-6, 1e-8):
        what = Scenario(duration=1.0, rate=20, rtol=tolerance, atol=tolerance)
        result = integrate(model, duration=1.0, rate=20, rtol=tolerance, atol=tolerance)
        found.append(energy_balance(model, what, result))
        assert found[-1].holds
    assert found[1].drift < 0.2 * found[0].drift
    assert found[1].allowed < 0.2 * found[0].allowed


def test_a_right_run_is_silent_and_says_so(crane: Mechanism) -> None:
    for integrator in ("dopri5", "dop853", "generalized_alpha"):
        run = simulate(crane, Scenario(duration=0.3, rate=100, integrator=integrator))
        assert run.summary["trusted"] is True
        assert not {"CB627", "CB628", "CB629"} & set(codes(run))


def test_fixed_steps_are_held_against_the_energy_exchanged(crane: Mechanism) -> None:
    def fixed(step: float) -> Run:
        return simulate(crane, Scenario(duration=2.0, rate=10, integrator="rk4", step=step))

    coarse, fine = fixed(0.2), fixed(0.002)
    assert "CB627" in codes(coarse) or not coarse.result.status.ok
    assert fine.summary["trusted"] is True


@pytest.mark.parametrize(
    "how",
    [{}, {"rtol": 1e-6, "atol": 1e-6}, {"integrator": "generalized_alpha"}, {"integrator": "rk4", "step": 0.01}],
)
def test_what_turns_evenly_without_weight_is_held_against_the_energy_in_motion(
    how: dict[str, Any], tmp_path: Path
) -> None:
    """It exchanges its own errors, and was called wrong by 1e-9 J of 2 J."""
    (tmp_path / "made.urdf").write_text(
        '<robot name="made"><link name="base"/><link name="lever"><inertial><origin xyz="0.3 0.1 0"/><mass value="1"/>'
        '<inertia ixx="1" iyy="2" izz="1.5" ixy="0.1" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="lever"/><axis xyz="0 0.6 0.8"/></joint>'
        "</robot>"
    )
    turning = cb.build(cb.read(tmp_path / "made.urdf"))
    what = Scenario(gravity=(0.0, 0.0, 0.0), rates={"j": 1.7}, duration=5.0, rate=20.0, **how)
    run = simulate(turning, what)
    assert run.summary["trusted"] is True
    T = run.result.trajectory
    losing = replace(run.result, trajectory=replace(T, dissipated=np.where(T.t > 2.0, 0.2 * T.kinetic, 0.0)))
    assert not energy_balance(run.lowered.model, run.scenario, losing).holds


def test_a_run_says_why_its_steps_are_short(crane: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    run = simulate(crane, Scenario(duration=0.01, rate=100))
    (body, *others), (axis, *_) = run.lowered.model.bodies, run.lowered.model.coordinates
    held = Motor("held", axis, "pd", constant(0.0), stiffness=1e12)
    model = replace(run.lowered.model, bodies=(replace(body, mass=1e9), *others), motors=(held,))
    findings = Findings()
    ahead.short_steps(run.lowered, model, run.result, findings)
    assert not findings.as_tuple()
    monkeypatch.setattr(ahead, "MANY_STEPS", 1)
    monkeypatch.setattr(ahead, "MANY_STEPS_A_SAMPLE", 0.5)
    ahead.short_steps(run.lowered, model, run.result, findings)
    (told,) = findings.as_tuple()
    assert told.code == "CB682"
    assert "steps of" in told.message
    assert f"{run.lowered.units[0].name} 1e+09 kg" in told.message
    assert "1e+12 N/m or N m/rad" in told.message


@pytest.mark.parametrize(("ratio", "rate"), [(1.0, 7.031), (1e3, 132.6), (1e12, 4.19e6)])
def test_the_fastest_vibration_is_known_before_the_run(ratio: float, rate: float) -> None:
    """Light bars that hold a heavy one are strings under its weight; to 1e3 `linearise` says the same."""
    model = chain((1.0, 1.0, ratio)).model
    assert max(fastest(prepare(model))) == pytest.approx(rate, rel=3e-3)
    if ratio < 1e6:
        assert linearise(model).frequencies[-1] * 2 * np.pi == pytest.approx(rate, rel=3e-3)


def test_a_run_says_before_it_begins_that_its_steps_are_short(
    crane: Mechanism, monkeypatch: pytest.MonkeyPatch
) -> None:
    early: list[Finding] = []
    lowered = simulate(crane, Scenario(duration=0.01, rate=100)).lowered
    held = JointLoad(lowered.model.coordinates[0], stiffness=1e9)
    springs = LoadSpecs(joint_springs=((lowered.joints[0].name, held),))
    stiff = Scenario(duration=0.01, rate=100, loads=springs)
    simulate(crane, stiff, early=early.append)
    assert not early
    monkeypatch.setattr(ahead, "MANY_STEPS", 100)
    monkeypatch.setattr(ahead, "MANY_STEPS_A_SAMPLE", 100)
    for what in (replace(stiff, integrator="generalized_alpha"), Scenario(duration=0.01, rate=100), stiff):
        assert not early
        simulate(crane, what, early=early.append)
    (told,) = early
    assert told.code == "CB682"
    assert "1e+09 N/m" in told.message


def test_a_run_names_the_servo_that_makes_its_steps_short(crane: Mechanism, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rate gain of 80 N m s/rad on a wrist of 1e-4 kg m² settles in a microsecond, which no sample shows."""
    run = simulate(crane, Scenario(duration=0.01, rate=100))
    model, (axis, *_) = run.lowered.model, run.lowered.model.coordinates
    wrist = Motor("wrist", axis, "servo", constant(0.0), bias=(0.0, 0.0, -80.0))
    loads = (JointLoad(axis, damping=2.0, armature=1e-3, name="wrist"),)
    found = settling(replace(model, motors=(wrist,), loads=loads))
    assert found is not None
    assert (found.name, found.damping, found.turns) == ("wrist", 82.0, True)
    ends = [model.bodies[i] for i in (axis.a, axis.b) if i >= 0]
    turns = [matrix(model.quaternions[i]) for i in (axis.a, axis.b) if i >= 0]
    u = turns[0] @ axis.axis_a if axis.a >= 0 else np.asarray(axis.axis_a)
    ease = sum(float(u @ R @ np.linalg.solve(body.inertia, R.T @ u)) for R, body in zip(turns, ends, strict=True))
    # Its bodies held by the other joints: they give way less easily than free.
    assert found.time > (1 / ease + 1e-3) / 82.0
    assert settling(replace(model, motors=(wrist,), loads=loads), found.time * 0.99) is None
    monkeypatch.setattr(ahead, "MANY_STEPS", 1)
    monkeypatch.setattr(ahead, "MANY_STEPS_A_SAMPLE", 0.5)
    monkeypatch.setattr(ahead, "FAST_DAMPER", 1e9)
    findings = Findings()
    ahead.short_steps(run.lowered, replace(model, motors=(wrist,), loads=()), run.result, findings)
    (told,) = findings.as_tuple()
    assert "wrist is damped by 80 N m s/rad and settles in" in told.message
    assert told.items == ("wrist",)
    assert settling(replace(model, loads=(), motors=())) is None
    rubs = replace(loads[0], friction=Friction(10.0, 0.02))
    dry = settling(replace(model, loads=(rubs,), motors=()))
    assert dry is not None
    assert dry.words == "2 N m s/rad and 10 N m of dry friction"
    assert dry.time / found.time == pytest.approx(82.0 / (2.0 + 500.0))


def test_strings_that_hang_slack_at_first_are_known_too() -> None:
    model = replace(chain((1.0, 1.0, 1e12)).model, gravity=(0.0, 0.0, 0.0))
    lowered = cast(Lowered, SimpleNamespace(model=model, units=model.bodies, stand_ins=()))
    what = Scenario(duration=1.0, rate=100)
    assert ahead.short_steps_ahead(lowered, prepare(model), None, what) is None
    across = replace(model, gravity=(9.81 * np.sin(0.8), 9.81 * np.cos(0.8), 0.0))
    told = ahead.short_steps_ahead(lowered, prepare(across), None, what)
    assert told is not None
    assert "body 0 has 1 kg and body 2 1e+12 kg" in told.message


def wrong(run: Run, **changed: np.ndarray) -> Result:
    return replace(run.result, trajectory=replace(run.result.trajectory, **changed))


def test_energy_that_is_lost_and_joints_that_open_are_told(crane: Mechanism) -> None:
    run = simulate(crane, Scenario(duration=0.3, rate=100))
    T = run.result.trajectory
    leak = np.linspace(1.0, 0.9, len(T.t))
    for result, word in (
        (wrong(run, kinetic=T.kinetic * leak), "energy balance"),
        (wrong(run, kinetic=T.kinetic * np.nan), "energy balance"),
        (wrong(run, constraint_velocity=T.constraint_velocity + 1e-3), "come apart"),
    ):
        findings = Findings()
        verdict = verdict_of(run.lowered, run.scenario, result)
        tell(verdict, run.scenario, result, findings)
        assert verdict.trusted is False
        (finding,) = findings.as_tuple()
        assert finding.code == "CB627"
        assert finding.severity == "error"
        assert word in finding.message
        assert "tolerance" in finding.hint


@pytest.mark.parametrize(
    ("name", "ratio"),
    [
        ("chain, last of three", 1e-12),
        ("chain, last of three", 1e6),
        ("four-bar, coupler", 1e9),
        ("four-bar, coupler", 1e12),
        ("four-bar, crank and coupler", 1e-9),
        ("four-bar, crank and coupler", 1e-12),
        ("gears, second of two", 1e12),
        ("Schmidt, middle disc", 1e9),
        ("Schmidt, one link", 1e12),
        ("Schmidt, all links", 1e-12),
    ],
)
def test_masses_far_apart_move_right_or_the_run_says_not(name: str, ratio: float) -> None:
    """Rows of the table of scripts/measure/mass_ratios.py: all right, save where no step is short enough.

    A crank of 1e-12 kg passes the dead point of a rocker of 1 kg with an acceleration beyond all steps.
    """
    # SciPy needs a minute for a second of bars that vibrate with a thousand times their weight.
    found = masses_apart.ran(masses_apart.CASES[name](ratio), duration=0.1 if ratio == 1e6 else 1.0)
    assert found.honest(1e-8)
    assert found.error < 1e-6
    assert found.steps < 20_000
    assert found.status == ("step_too_small" if (name[-7:], ratio) == ("coupler", 1e-12) else "ok")


@pytest.mark.parametrize(
    "make", [lambda: masses_apart.four_bar((1.0, 1e9, 1.0)), masses_apart.CASES["Schmidt, one link"]]
)
def test_reactions_hold_heavy_bodies_between_light_ones(make: Callable[..., masses_apart.Case]) -> None:
    """M v̇ + Ĝᵀλ = f with the multipliers of least norm: their metric must not lose the heavy bodies' small 1/m."""
    model = (make(1e9) if make.__code__.co_argcount else make()).model
    T = integrate(model, duration=0.1, rate=20).trajectory
    M = np.concatenate([[b.mass] * 3 + np.diag(b.inertia).tolist() for b in model.bodies])
    weight = np.concatenate([[*(b.mass * np.array(model.gravity)), 0.0, 0.0, 0.0] for b in model.bodies])
    for x, q, a, multipliers in zip(T.positions, T.quaternions, T.accelerations, T.multipliers, strict=True):
        left = weight - M * a.ravel() - evaluate(model.primitives, x, q).G.T @ multipliers
        assert np.abs(left).max() < 1e-9 * np.abs(weight).max()


def test_stiff_springs_of_one_loop_are_solved_with_each_other() -> None:
    """Four springs on one freedom: each holds what the others do, and none may be taken for a repeated row."""
    model = four_bar((1.0, 1.0, 1.0))
    pairs = ((GROUND, 0), (0, 1), (1, 2), (GROUND, 2))
    stiff = replace(model, loads=tuple(JointLoad(turn(a, b), stiffness=1e12) for a, b in pairs))
    result = integrate(stiff, duration=0.2, rate=100, integrator="generalized_alpha")
    assert result.status.ok
    assert result.statistics.unsolved == 0
    assert result.statistics.steps < 400
    assert np.abs(result.trajectory.velocities).max() < 1e-4


def test_a_vibration_that_steps_do_not_follow_is_told(crane: Mechanism) -> None:
    """Springs that begin loaded by the weights: as fast as an explicit run that follows the vibration shows it."""
    pairs = ((GROUND, 0), (0, 1), (1, 2), (GROUND, 2))
    model = four_bar((1.0, 1.0, 1.0))
    stiff = replace(model, loads=tuple(JointLoad(turn(a, b), stiffness=1e8) for a, b in pairs))
    followed = integrate(stiff, duration=0.002, rate=1e5, rtol=1e-9, atol=1e-9)
    call: dict[str, Any] = {"duration": 0.2, "rate": 100, "integrator": "generalized_alpha"}
    damped = integrate(stiff, **call, rtol=1e-4, atol=1e-4)
    part, speed, unit, decay, since = damped.statistics.skipped
    assert (decay, since) == (0.0, 0.0)
    assert (unit, part) == ("rad/s", pytest.approx(speed / 1e-4, rel=1e-3))
    assert speed == pytest.approx(np.abs(followed.trajectory.velocities).max(), rel=0.05)
    # Steps that follow it leave nothing out; nor is anything left out that a damper ends at once.
    assert integrate(stiff, **{**call, "duration": 0.01}, rtol=1e-7, atol=1e-7).statistics.skipped[0] < 1.0
    held = replace(stiff, loads=tuple(replace(load, damping=1e6) for load in stiff.loads))
    assert integrate(held, **call, rtol=1e-4, atol=1e-4).statistics.skipped[0] < 1e-2
    run = simulate(crane, Scenario(duration=0.1, rate=100))
    far = replace(run.result, statistics=replace(run.result.statistics, skipped=Skipped(400.0, 4e-6, "rad/s")))
    found = sensitivity_of(run.lowered, run.scenario, far, lambda *_: run.result)
    findings = Findings()
    tell_sensitivity(found, findings)
    (told,) = findings.as_tuple()
    assert told.code == "CB683"
    assert "vibration" in told.message


@pytest.mark.parametrize("relative", [0.0, 1e-7, 1e-6])
def test_a_vibration_that_steps_do_not_follow_dies_out_by_its_damper(relative: float) -> None:
    """A bar on a spring of 1e8 N m/rad, loaded by its weight: exp(−d t / 2I), d being so many seconds of the spring."""
    stiffness, base = 1e8, pendulum()
    inertia = base.bodies[0].inertia[2, 2] + 0.25 * base.bodies[0].mass
    load = JointLoad(turn(GROUND, 0), stiffness=stiffness, damping=relative * stiffness)
    call: dict[str, Any] = {"duration": 0.05, "rate": 100, "integrator": "generalized_alpha"}
    found = integrate(replace(base, loads=(load,)), **call, rtol=1e-5, atol=1e-5).statistics.skipped
    assert found.part > 10.0
    assert found.decay == pytest.approx(relative * stiffness / (2.0 * inertia), rel=1e-3)
    assert found.since == 0.0
    two = replace(pendulum(2), loads=(load, replace(load, coordinate=turn(0, 1))))
    # Of two springs it is not known which of their vibrations dies out how fast.
    assert integrate(two, **call, rtol=1e-5, atol=1e-5).statistics.skipped.decay == 0.0


def test_a_vibration_that_has_died_out_is_told_of_no_sample(crane: Mechanism) -> None:
    run = simulate(crane, Scenario(duration=0.1, rate=100))
    worst = {}
    for decay, since in ((0.0, 0.0), (700.0, 0.0), (700.0, 0.05)):
        skipped = Skipped(400.0, 4e-6, "rad/s", decay, since)
        far = replace(run.result, statistics=replace(run.result.statistics, skipped=skipped))
        found = sensitivity_of(run.lowered, run.scenario, far, lambda *_: run.result)
        (estimate,) = [e for e in found.estimates if e.unit == "rad/s"]
        worst[decay, since] = estimate
    assert worst[0.0, 0.0].tolerances == 400.0
    assert worst[700.0, 0.0].tolerances < 1.0
    # One that begins anew on the way was there before, too.
    assert worst[700.0, 0.05].counts[[0, 5, 6]] == pytest.approx([0.0, 400.0, 400.0 * np.exp(-7.0)])


def test_accelerations_that_leave_joints_open_are_counted(crane: Mechanism) -> None:
    run = simulate(crane, Scenario(duration=0.1, rate=100))
    findings = Findings()
    open_joints = replace(run.result, statistics=replace(run.result.statistics, unsolved=30, evaluations=1000))
    costs(open_joints, findings)
    assert [f.code for f in findings.as_tuple()] == ["CB680"]
    # At rest what is left open of nothing is nothing.
    T = run.result.trajectory
    still = replace(T, velocities=0.0 * T.velocities, accelerations=0.0 * T.accelerations)
    findings = Findings()
    costs(replace(open_joints, trajectory=still), findings)
    assert not findings.as_tuple()


def test_many_rejected_steps_are_a_warning(crane: Mechanism) -> None:
    run = simulate(crane, Scenario(duration=0.1, rate=100))
    slow = replace(run.result, statistics=replace(run.result.statistics, steps=2000, rejected=2500))
    findings = Findings()
    costs(slow, findings)
    assert [f.code for f in findings.as_tuple()] == ["CB628"]


def test_masses_far_apart_in_a_loop_are_named_before_the_run() -> None:
    def told(model: Model) -> list[str]:
        findings = Findings()
        mass_ratios(cast(Lowered, SimpleNamespace(model=model, units=model.bodies, stand_ins=())), findings)
        return [f.message for f in findings.as_tuple() if f.code == "CB629"]

    (said,) = told(four_bar((1.0, 1e-9, 2.0)))
    assert "body 1 has 1e-09 kg" in said
    assert "body 2 2 kg" in said
    assert not told(four_bar((1.0, 1e-6, 2.0)))
    loop = four_bar((1.0, 1e-9, 2.0))
    opened = replace(loop, primitives=loop.primitives[:-5])  # without its last hinge it is a chain
    assert not told(opened)


def test_dry_friction_on_a_light_link_is_told_with_a_speed_that_takes_fewer_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A needle of 0.1 g with 0.01 N m of friction; with the speed that the cure names the run takes as it says."""
    (tmp_path / "needle.urdf").write_text(
        '<robot name="needle"><link name="base"/><link name="needle"><inertial><origin xyz="0.01 0 0"/>'
        '<mass value="0.0001"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="needle"/><axis xyz="0 1 0"/>'
        '<dynamics friction="0.01"/></joint></robot>'
    )
    needle = cb.build(cb.read(tmp_path / "needle.urdf"))
    monkeypatch.setattr(ahead, "MANY_STEPS", 1000)

    early: list[Finding] = []

    def run(turn: float, gravity: tuple[float, float, float] | None = None) -> tuple[int, list[Finding]]:
        early.clear()
        what = Scenario(duration=0.001, rate=1000.0, friction=(np.radians(turn), 1e-3), gravity=gravity)
        done = simulate(needle, what, early=early.append)
        return done.result.statistics.steps, [f for f in done.findings if f.code == "CB682"]

    steps, (told,) = run(1.0)
    assert told.hint is not None
    assert "`friction_speed: {turn: 100}`" in told.hint
    assert "about 100 times fewer steps" in told.hint
    # About its hinge, not about its own centre.
    time = (1e-9 + 1e-4 * 0.01**2) / (0.01 / np.radians(1.0))
    assert f"settles in {time:.1g} s" in told.message
    (ahead_told,) = early
    assert ahead_told.message.startswith(f"up to about {steps:.1e} steps are ahead, for what settles in {time:.1e} s")
    fewer, few = run(100.0)
    assert steps / fewer == pytest.approx(100.0, rel=0.2)
    assert not few
    # In balance it stays where it is, in steps as long as they may be.
    steps, told_then = run(1.0, (9.81, 0.0, 0.0))
    assert steps < 100
    assert not told_then
    assert not early


TURNING_BESIDE_A_LOOP = """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: W, type: revolute, a: {component: base, point: [0, 0, 500], axis: [0, 1, 0]}, b: {component: w}}
  - {name: A, type: revolute, a: {component: base, point: [0, 0, 0], axis: [0, 1, 0]}, b: {component: a}}
  - {name: C, type: revolute, a: {component: base, point: [200, 0, 0], axis: [0, 1, 0]}, b: {component: c}}
  - {name: B1, type: revolute, a: {component: a, point: [0, 0, 100], axis: [0, 1, 0], in: world}, b: {component: b}}
  - {name: B2, type: revolute, a: {component: c, point: [200, 0, 100], axis: [0, 1, 0], in: world}, b: {component: b}}
"""


def test_a_wheel_that_turns_evenly_beside_a_loop_at_rest_leaves_nothing_open(tmp_path: Path) -> None:
    # Nothing pulls: what is left open of the loop's accelerations is the rounding of nothing, which counted.
    places = {"base": "0 0 0", "w": "0.0371 0 0.5", "a": "0 0 0.05", "c": "0.2 0 0.05", "b": "0.1 0 0.1"}
    inertial = "<inertial><mass>1</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia></inertial>"
    links = "".join(f'<link name="{n}"><pose>{x} 0 0 0</pose>{inertial}</link>' for n, x in places.items())
    (tmp_path / "u.sdf").write_text(f'<sdf version="1.9"><model name="u">{links}</model></sdf>')
    (tmp_path / "u.mates.yaml").write_text(TURNING_BESIDE_A_LOOP)
    mechanism = cb.build(cb.read(tmp_path / "u.sdf"))
    turning = MotorSpec("W", angle=expression("0.35*t"))
    run = simulate(mechanism, Scenario(gravity=(0.0, 0.0, 0.0), duration=1.0, motors=(turning,)))
    assert "CB680" not in {f.code for f in run.findings}
    assert run.result.statistics.unsolved == 0
