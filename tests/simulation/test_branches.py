"""Poses at which branches of the motion meet: found, counted, told; and no run on another branch is called right."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import Run, Scenario
from cadbridge.simulation.trust import branches
from cadbridge.simulation.trust.branches import Meetings, meetings_of
from solver import simulate
from solver.equations.system import prepare
from solver.model import RigidBody
from tests.oracle.comparing import How, held, reference
from tests.oracle.machines import case
from tests.solver.examples import pendulum
from tests.solver.test_benchmarks import _windowed_fourbar

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FALL = Scenario(gravity=(0.0, 0.0, -9.81), duration=1.1, rate=33.0)


@cache
def trrr3() -> Mechanism:
    return cb.build(cb.read(FIXTURES / "trrr3" / "trrr3.sdf"))


@cache
def fallen() -> Run:
    """Its fall at a tolerance of 1e-10, in absolute coordinates."""
    return cb.simulate(trrr3(), replace(FALL, rtol=1e-10, atol=1e-10), method="absolute")


def test_a_parallelogram_that_lies_flat_has_two_branches() -> None:
    """Four rods of 1 m: from the flat pose it goes on as a parallelogram, or crossed (three of its rows repeat)."""
    model, start = _windowed_fourbar(1)
    system, what = prepare(model), Scenario(duration=2.0, rate=50.0)
    result = simulate(system, start, duration=2.0, rate=50.0)
    (found, *_) = meetings_of(system, what, result, {}).found
    assert found.branches == 2
    there = simulate(system, start, duration=found.t, rate=1 / found.t).trajectory
    # The uprights, whose middles stand 0.5 m high at the start, lie on the line of their bearings.
    assert np.abs(there.positions[-1, :2, 1]).max() < 1e-3


def test_branches_that_a_run_of_fixed_steps_passes_are_found_too() -> None:
    model, start = _windowed_fourbar(1)
    system, what = prepare(model), Scenario(duration=2.0, rate=50.0, integrator="rk4", step=1e-3)
    result = simulate(system, start, duration=2.0, rate=50.0, integrator="rk4", step=1e-3)
    (found, *_) = meetings_of(system, what, result, {"integrator": "rk4"}).found
    assert found.branches == 2


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_branches_meet_in_machines_of_any_size(size: float) -> None:
    plain, start = _windowed_fourbar(1)
    points = (
        replace(p, **{n: size * getattr(p, n) for n in ("point_a", "point_b") if hasattr(p, n)})
        for p in plain.primitives
    )
    model = replace(
        plain,
        bodies=tuple(RigidBody(b.name, b.mass, size**2 * b.inertia) for b in plain.bodies),
        primitives=tuple(points),
        positions=size * plain.positions,
        gravity=(size * plain.gravity[0], size * plain.gravity[1], size * plain.gravity[2]),
    )
    moving = start.velocities * np.array([size] * 3 + [1.0] * 3)
    state = replace(start, positions=size * start.positions, velocities=moving)
    system, what = prepare(model), Scenario(duration=2.0, rate=50.0)
    found = meetings_of(system, what, simulate(system, state, duration=2.0, rate=50.0), {}).found
    assert [meeting.branches for meeting in found] == [2, 2]


def test_a_mechanism_that_loses_no_rank_has_no_meeting() -> None:
    system = prepare(pendulum(3))
    result = simulate(system, duration=1.0, rate=50.0)
    # As if its smallest pivot had been small: the poses about it are looked at.
    near = replace(result, statistics=replace(result.statistics, pivot=1e-9, pivot_at=0.5))
    assert meetings_of(system, Scenario(duration=1.0, rate=50.0), near, {}) == Meetings()
    stewart = cb.simulate(cb.build(cb.read(FIXTURES / "stewart" / "stewart.sdf")), replace(FALL, duration=0.5))
    assert "CB686" not in {f.code for f in stewart.findings}


@pytest.mark.parametrize("tolerance", [1e-4, pytest.param(1e-6, marks=pytest.mark.nightly)])
def test_a_run_on_another_branch_is_not_called_right(tolerance: float) -> None:
    """TRRR3 falls through a pose of all its legs after 1.045 s; errors of joint coordinates break its symmetry before.

    The motion computed in absolute coordinates keeps it.
    """
    exact = fallen()
    what = replace(FALL, rtol=tolerance, atol=tolerance)
    for method in ("tree", "absolute"):
        run = cb.simulate(trrr3(), what, method=method)
        off = np.abs(run.result.trajectory.positions - exact.result.trajectory.positions).max()
        codes = {f.code for f in run.findings}
        assert "CB686" in codes
        assert off < 100 * tolerance or (run.summary["trusted"] is False and "CB683" in codes)
    at = [f.message for f in exact.findings if f.code == "CB686"]
    assert at
    assert any(t in at[0] for t in ("0.583", "0.89", "1.045"))


@pytest.mark.parametrize("tolerance", [1e-4, 1e-6])
def test_generalised_alpha_passes_a_flat_parallelogram_and_is_called_right(tolerance: float) -> None:
    made = case("parallelogram", 0)
    what = replace(made.scenario, rtol=tolerance, atol=tolerance, integrator="generalized_alpha")
    fine = replace(made.scenario, rtol=1e-10, atol=1e-10, sensitivity=False)
    exact = cb.simulate(made.mechanism, fine, method="absolute")
    run = cb.simulate(made.mechanism, what)
    assert run.summary["trusted"]
    one, other = run.result.trajectory.velocities, exact.result.trajectory.velocities
    assert np.abs(one - other).max() < 100 * tolerance * (1.0 + np.abs(other).max())


@cache
def flat(seed: int) -> list[float]:
    """When the first crank of a parallelogram lies along its base (s), by its middle's height in a fine run."""
    made = case("parallelogram", seed)
    fine = replace(made.scenario, rtol=1e-10, atol=1e-10, rate=2000.0, sensitivity=False)
    T = cb.simulate(made.mechanism, fine, method="absolute").result.trajectory
    height = T.positions[:, 0, 1]
    k = np.flatnonzero(height[:-1] * height[1:] < 0.0)
    return list(T.t[k] - height[k] * (T.t[k + 1] - T.t[k]) / (height[k + 1] - height[k]))


@pytest.mark.parametrize("method", ["auto", "absolute"])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
@pytest.mark.parametrize("seed", [4, 9])
def test_a_flat_parallelogram_is_told_however_long_the_steps_are(seed: int, tolerance: float, method: str) -> None:
    """At 1e-3 the first, sampled five times a second, passes four flat poses in a dozen of steps."""
    made = case("parallelogram", seed)
    run = cb.simulate(made.mechanism, replace(made.scenario, rtol=tolerance, atol=tolerance), method=method)
    (told,) = [f.message for f in run.findings if f.code == "CB686"]
    assert "two branches" in told
    found = [float(t) for t in re.findall(r"0\.\d+", told)]
    np.testing.assert_allclose(found, flat(seed), atol=4e-3)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
def test_of_three_cranks_no_other_branch_is_told(tolerance: float) -> None:
    """Crossed, the coupler's middle would leave the third crank's circle: where all lie flat there is one way on.

    Rank is lost there all the same, and rows repeat others before and after.
    """
    made = case("parallelogram", 1)
    assert len(flat(1)) == 2
    one, two = (body.X_WB.p for body in made.mechanism.bodies[:2])
    # The first crank stands on the origin, and the coupler on its end.
    crank, base = 2.0 * float(np.linalg.norm(one)), 2.0 * float(np.linalg.norm(two - 2.0 * one))
    turned = np.array([0.05, 0.1, 0.2])
    first = crank * np.exp(1j * turned)
    # The other end of a crossed coupler: mirrored about the line from the first crank's end to the last bearing.
    along = (base - first) / np.abs(base - first)
    crossed = first + along**2 * np.conj(base)
    np.testing.assert_allclose(np.abs(crossed - base), crank, rtol=1e-12)
    np.testing.assert_allclose(np.abs(crossed - first), base, rtol=1e-12)
    assert (np.abs(np.abs((first + crossed) / 2 - base / 2) - crank) > 0.1 * crank * turned**2).all()
    run = cb.simulate(made.mechanism, replace(made.scenario, rtol=tolerance, atol=tolerance))
    assert run.summary["trusted"]
    assert "CB686" not in {f.code for f in run.findings}


def test_a_pose_that_no_step_shows_is_seen_between_samples() -> None:
    made = case("parallelogram", 9)
    run = cb.simulate(made.mechanism, made.scenario)
    without = replace(run.result, statistics=replace(run.result.statistics, dips=(), pivot=1.0, steps=20))
    found = meetings_of(run.system, made.scenario, without, {}).found
    assert [m.branches for m in found] == [2, 2]
    np.testing.assert_allclose([m.t for m in found], flat(9), atol=1e-3)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_long_steps_alone_are_no_meeting(tolerance: float) -> None:
    for seed in range(3):
        made = case("four-bar", seed)
        run = cb.simulate(made.mechanism, replace(made.scenario, rtol=tolerance, atol=tolerance))
        assert "CB686" not in {f.code for f in run.findings}


def test_of_too_many_rows_the_times_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branches, "MOST_ROWS", 10)
    run = cb.simulate(trrr3(), FALL, method="absolute")
    (told,) = [f.message for f in run.findings if f.code == "CB686"]
    assert "not looked at" in told
    assert "1.045" in told


def test_all_poses_are_told_at_which_branches_meet() -> None:
    """Three on the way."""
    exact = fallen()
    told = " ".join(f.message for f in exact.findings if f.code == "CB686")
    for t in ("0.583", "0.89", "1.045"):
        assert t in told


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-5, 1e-6])
def test_the_default_method_passes_by_the_absolute_equations(tolerance: float) -> None:
    """A tree goes elsewhere at each of these tolerances."""
    exact = fallen()
    run = cb.simulate(trrr3(), replace(FALL, rtol=tolerance, atol=tolerance))
    assert run.summary["method"] == "absolute"
    assert run.summary["trusted"]
    one, other = run.result.trajectory, exact.result.trajectory
    for column in ("positions", "velocities", "kinetic"):
        size = 1.0 + np.abs(getattr(other, column)).max()
        assert np.abs(getattr(one, column) - getattr(other, column)).max() < 100 * tolerance * size


@pytest.mark.parametrize("method", ["auto", pytest.param("absolute", marks=pytest.mark.nightly)])
def test_what_rounding_leaves_open_of_a_flat_pose_is_told(method: str) -> None:
    """A slider of equal bars: behind its flat poses velocities are off by 2e-8, at 1e-9 as at 1e-10."""
    made = case("slider", 31)
    known = reference(made)
    near, far = (held(made, known, How(tolerance, method)) for tolerance in (1e-8, 1e-10))
    assert (near.wrong, near.told) == (False, False)
    assert far.wrong
    assert far.told
