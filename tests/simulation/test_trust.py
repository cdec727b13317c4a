"""Runs check themselves: right ones are silent, wrong ones are told, and so is what may make them wrong."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import as_file, files
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario, simulate
from cadbridge.simulation.trust import distrust, energy_balance, mass_ratios
from solver.constraints import GROUND
from solver.constraints.evaluation import evaluate
from solver.model import Model
from solver.result import Result
from solver.runs.integrate import simulate as integrate
from solver.state import State
from tests.solver.examples import Z, body, hinge

CORNERS = np.array([[0.0, 0.0, 0.0], [0.62, 0.78, 0.0], [2.4, 1.7, 0.0], [2.2, 0.0, 0.0]])
EXTREME = [(1.0, 1e-9, 1.0), (1e-12, 1e-12, 1.0), (1e-9, 1.0, 1.0), (1.0, 1.0, 1e8), (1e-6, 1e-6, 1.0)]


def four_bar(masses: tuple[float, ...]) -> Model:
    """Three bars of metres in a plane, four hinges: three rows repeat others."""
    centres = (CORNERS[:-1] + CORNERS[1:]) / 2
    primitives = []
    for k, corner in enumerate(CORNERS):
        a, b = k - 1 if k else GROUND, k if k < 3 else GROUND
        at = [corner - centres[i] if i != GROUND else corner for i in (a, b)]
        primitives += hinge(a, b, at[0], at[1], Z) if b != GROUND else hinge(b, a, at[1], at[0], Z)
    bars = tuple(body(f"bar {k}", m, 0.1 * m) for k, m in enumerate(masses))
    quaternions = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    return Model(bars, tuple(primitives), centres, quaternions, gravity=(0.0, -9.81, 0.0))


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
        assert distrust(run.lowered, run.scenario, result, findings) is False
        (finding,) = findings.as_tuple()
        assert finding.code == "CB627"
        assert finding.severity == "error"
        assert word in finding.message
        assert "rtol" in finding.hint


def test_many_rejected_steps_are_a_warning(crane: Mechanism) -> None:
    run = simulate(crane, Scenario(duration=0.1, rate=100))
    slow = replace(run.result, statistics=replace(run.result.statistics, steps=2000, rejected=2500))
    findings = Findings()
    assert distrust(run.lowered, run.scenario, slow, findings) is True
    assert [f.code for f in findings.as_tuple()] == ["CB628"]


def test_masses_far_apart_in_a_loop_are_named_before_the_run() -> None:
    def told(model: Model) -> list[str]:
        findings = Findings()
        mass_ratios(cast(Lowered, SimpleNamespace(model=model, units=model.bodies, stand_ins=())), findings)
        return [f.message for f in findings.as_tuple() if f.code == "CB629"]

    (said,) = told(four_bar((1.0, 1e-9, 2.0)))
    assert "bar 1 has 1e-09 kg" in said
    assert "bar 2 2 kg" in said
    assert not told(four_bar((1.0, 1e-6, 2.0)))
    loop = four_bar((1.0, 1e-9, 2.0))
    opened = replace(loop, primitives=loop.primitives[:-5])  # without its last hinge it is a chain
    assert not told(opened)
