"""Loads that bend in the state: where they do is the end of a step, and nothing of the corner stays in the motion.

A bar on a hinge, 0.4 kg m², between stops of closed form, behind a bounded motor, and against a damped stop by pieces.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
from scipy.integrate import quad, solve_ivp
from scipy.special import beta

from solver import simulate
from solver.chart import steps
from solver.chart.spanning import TreeJoint
from solver.equations.system import prepare
from solver.functions import constant
from solver.model import JointLoad, Model, Motor, Stop
from solver.runs.kinks import first_kink, kinks_of
from solver.state import State
from tests.solver.examples import O, Z, pendulum, turn

INERTIA = 0.4
"""Of the bar of `pendulum` about its hinge: 0.15 and 1 kg (0.5 m)²."""
WAYS = [("dopri5", 1e-4), ("dopri5", 1e-8), ("dop853", 1e-6), ("dop853", 1e-10), ("generalized_alpha", 1e-4)]
TREES: list[dict[str, Any]] = [{}, {"tree": [TreeJoint("0", (steps.turn(Z),), -1, 0, O)]}]


def bar(speed: float, **loads: Any) -> tuple[Model, State]:
    """The bar along x, turning at `speed` (rad/s), without weight."""
    model = replace(pendulum(gravity=0.0), groups=("0",) * 5, **loads)
    return model, replace(
        State.at_rest(model.positions, model.quaternions), velocities=np.array([[0, speed / 2, 0, 0, 0, speed]])
    )


def stopped(stop: Stop) -> dict[str, Any]:
    return {"loads": (JointLoad(turn(-1, 0), stop=stop),)}


def contact(stop: Stop, speed: float) -> float:
    """Seconds (s) in a stop without damping that is met at a speed."""
    k, depth = stop.stiffness, stop.depth
    deepest = (3 * INERTIA * speed**2 * depth / k) ** (1 / 3)
    if deepest <= depth:
        return float(2 * deepest / speed * beta(1 / 3, 1 / 2) / 3)
    bent = quad(lambda d: 1 / math.sqrt(speed**2 - k * d**3 / (3 * INERTIA * depth)), 0.0, depth, epsrel=1e-13)[0]
    swing, still = math.sqrt(k / INERTIA), math.sqrt(speed**2 - k * depth**2 / (3 * INERTIA))
    return float(2 * (bent + (math.pi / 2 - math.atan(swing * depth / 2 / still)) / swing))


@pytest.mark.parametrize(
    ("integrator", "tolerance", "tree"), [(*way, tree) for way in WAYS for tree in TREES[: 1 if way == WAYS[-1] else 2]]
)
@pytest.mark.parametrize("depth", [1.0, 0.01], ids=["bent all along", "straight beyond its depth"])
def test_a_bar_between_two_stops(depth: float, integrator: str, tolerance: float, tree: dict[str, Any]) -> None:
    stop, speed = Stop(-0.3, 0.3, 500.0, 0.0, depth), 2.0
    model, start = bar(speed, **stopped(stop))
    half = 0.6 / speed + contact(stop, speed)
    # In the middle after each bounce, and not at times that steps like.
    at = half * np.arange(1, 9)
    run = simulate(model, start, duration=9 * half, rate=1.0, times=at, rtol=tolerance, atol=tolerance,
                   integrator=integrator, **tree)  # fmt: skip
    assert run.status.ok
    sign = np.where(np.arange(1, 9) % 2, -1.0, 1.0)
    off = np.abs(
        np.column_stack([run.trajectory.coordinates[1:, 0], run.trajectory.coordinate_rates[1:, 0] - sign * speed])
    )
    assert off.max() < 100 * tolerance * (1 + speed)


@pytest.mark.parametrize("kind", ["pd", "servo"])
@pytest.mark.parametrize(("integrator", "tolerance"), WAYS)
def test_a_motor_that_comes_to_its_bounds(integrator: str, tolerance: float, kind: str) -> None:
    """A spring of k about 1 rad that gives E at most: the bar swings by E alone, by k, by E, and back."""
    k, most, away = 40.0, 6.0, 1.0
    laws: dict[str, dict[str, Any]] = {
        "pd": {"stiffness": k, "effort": most},
        "servo": {"gain": (k, 0.0, 0.0), "bias": (0.0, -k, 0.0), "bounds": (-most, most)},
    }
    model, start = bar(0.0, motors=(Motor("m", turn(-1, 0), kind, constant(away), **laws[kind]),))
    bound = most / k
    pushed = math.sqrt(2 * (away - bound) * INERTIA / most)
    fast, swing = most / INERTIA * pushed, math.sqrt(k / INERTIA)
    quarter = pushed + math.atan(bound * swing / fast) / swing
    at = quarter * np.arange(1, 12, 2)
    run = simulate(model, start, duration=1.0, rate=1.0, times=at, rtol=tolerance, atol=tolerance,
                   integrator=integrator)  # fmt: skip
    assert run.status.ok
    most_speed = math.hypot(fast, bound * swing)
    rates = most_speed * np.where(np.arange(6) % 2, -1.0, 1.0)
    off = np.abs(
        np.column_stack([run.trajectory.coordinates[1:, 0] - away, run.trajectory.coordinate_rates[1:, 0] - rates])
    )
    assert off.max() < 100 * tolerance * (1 + most_speed)


def pushed(stop: Stop, d: float, rate: float) -> float:
    """What a stop gives at a depth d beyond its end."""
    s = min(d / stop.depth, 1.0)
    elastic = stop.stiffness * (0.5 * d * s if s < 1.0 else d - 0.5 * stop.depth)
    return max(0.0, elastic + stop.damping * s * rate)


def by_pieces(stop: Stop, speed: float, end: float) -> NDArray[np.float64]:
    """Angle and rate at the end, the bar having met the upper stop, each piece between corners by itself."""
    corners = [
        lambda _, y: y[0] - stop.upper,
        lambda _, y: y[0] - stop.upper - stop.depth,
        lambda _, y: stop.stiffness * (y[0] - stop.upper) / 2 + stop.damping * y[1] if y[1] < 0.0 else 1.0,
    ]

    def rates(_: float, y: NDArray[np.float64]) -> list[float]:
        d = y[0] - stop.upper
        return [y[1], -pushed(stop, d, y[1]) / INERTIA if d > 0.0 else 0.0]

    for corner in corners:
        corner.terminal = True  # type: ignore[attr-defined]
    t, y = 0.0, np.array([0.0, speed])
    while t < end:
        piece = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-13, atol=1e-14, events=corners, first_step=1e-7)
        t, y = float(piece.t[-1]), piece.y[:, -1]
        if t < end:
            step = 1e-9
            y, t = y + step * np.array(rates(t, y)), t + step
    return np.asarray(y)


@pytest.mark.parametrize("tree", TREES, ids=["absolute", "tree"])
@pytest.mark.parametrize(("integrator", "tolerance"), [("dopri5", 1e-4), ("dopri5", 1e-7), ("dop853", 1e-8)])
def test_a_damped_stop_that_lets_go_before_its_end(integrator: str, tolerance: float, tree: dict[str, Any]) -> None:
    stop, speed, end = Stop(-9.0, 0.3, 500.0, 8.0, 0.02), 2.0, 0.5
    model, start = bar(speed, **stopped(stop))
    exact = by_pieces(stop, speed, end)
    assert -speed < exact[1] < -0.1
    run = simulate(model, start, duration=end, rate=7.0, rtol=tolerance, atol=tolerance, integrator=integrator, **tree)
    found = [run.trajectory.coordinates[-1, 0], run.trajectory.coordinate_rates[-1, 0]]
    assert np.abs(found - exact).max() < 100 * tolerance


def test_the_first_root_of_a_cubic_that_counts() -> None:
    """Of cubics by chance, held against all their roots; a double crossing within a step is one that counts."""
    chance, found = np.random.default_rng(2), 0
    N = kinks_of(prepare(bar(0.0, **stopped(Stop(-1.0, 1.0, 500.0, 0.0, 0.1)))[0]).loads)
    for _ in range(400):
        cubic = Polynomial(chance.normal(size=4) * np.array([0.3, 1.0, 3.0, 3.0]))
        roots = np.asarray(cubic.roots(), complex)
        within = sorted(float(r.real) for r in roots if abs(r.imag) < 1e-9 and 2e-3 < r.real < 1 - 2e-3)
        ends = [abs(r) for r in roots.real] + [abs(1 - r) for r in roots.real]
        if any(5e-4 < e < 2e-3 for e in ends):
            continue
        N.before[:], N.after[:] = (1.0, 0.0, 1.0), (1.0, 0.0, 1.0)
        h = 0.2
        N.before[2] = cubic(0.0), cubic.deriv()(0.0) / h, 0.0
        N.after[2] = cubic(1.0), cubic.deriv()(1.0) / h, 1.0
        expected = within[0] if within else 1.0
        np.testing.assert_allclose(first_kink(N, h), expected, atol=1e-6)
        found += len(within) > 1
        # What counts at neither end of a step does not cut it.
        N.after[2, 2] = 0.0
        assert first_kink(N, h) == 1.0
    assert found > 20


def test_what_falls_at_the_end_of_its_range_passes_it_by_rounding_alone() -> None:
    """Slopes of rounding between values of none make roots of the cubic, which cut each step of a robot that falls."""
    N = kinks_of(prepare(bar(0.0, **stopped(Stop(0.0, 1.0, 500.0, 1.0, 0.1)))[0]).loads)
    N.before[:], N.after[:] = (0.0, 1e-15, 1.0), (0.0, 2e-15, 1.0)
    assert first_kink(N, 0.1) < 1.0
    N.noise[:] = 1e-13
    assert first_kink(N, 0.1) == 1.0
    N.before[0], N.after[0] = (1e-3, 1e-17, 1.0), (-1e-3, 1e-17, 1.0)
    np.testing.assert_allclose(first_kink(N, 0.1), 0.5, atol=1e-9)


def test_a_bar_at_rest_at_its_stop_costs_no_more_steps() -> None:
    """Held against a stop, and at its very end: no corner is passed, and none is looked for without end."""
    stop = Stop(-0.3, 0.0, 500.0, 1.0, 0.01)
    for torque in (3.0, 0.0):
        model, start = bar(0.0, **stopped(stop), motors=(Motor("m", turn(-1, 0), "torque", constant(torque)),))
        run = simulate(model, start, duration=5.0, rate=20.0)
        assert run.status.ok
        assert run.statistics.steps < 1500


@pytest.mark.parametrize("seed", range(12))
def test_a_step_that_was_to_end_where_a_stop_lets_go_ends_there(seed: int) -> None:
    """What pushes there is as large as the rounding of hundreds of newtons: the corner is found once more before it."""
    chance = np.random.default_rng(seed)
    ends, stiffness, speed = chance.uniform(0.2, 0.5), chance.uniform(500.0, 5000.0), chance.uniform(1.0, 3.0)
    stop = Stop(-ends, ends, stiffness, chance.uniform(2.0, 8.0), 0.05)
    model, start = bar(speed, **stopped(stop))
    for tolerance in (1e-3, 1e-7, 1e-9):
        run = simulate(model, start, duration=2.0, rate=5.0, rtol=tolerance, atol=tolerance)
        assert run.status.ok
        assert run.statistics.rejected < run.statistics.steps
