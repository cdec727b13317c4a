"""Functions of time that bend or jump between samples: their places are ends of steps."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from cadbridge.exporters.fmu.signals import quintic, signals_of
from solver import functions, simulate
from solver.constraints import GROUND
from solver.model import Model, Motor, TimeFunction
from solver.runs.corners import corners_ahead
from tests.solver.examples import O, Z, body, hinge, pendulum, poses, turn

CORNERS: list[tuple[str, float, list[float]]] = [
    ("5*(step(t-50.3)-step(t-50.305))", 100.0, [50.3, 50.305]),
    ("abs(sin(2*pi*t))", 1.6, [0.0, 0.5, 1.0, 1.5]),
    ("smoothstep((t-1)/0.5)", 9.0, [1.0, 1.5]),
    ("sign(t^2 - 2)", 9.0, [math.sqrt(2)]),
    ("step(step(t-1) - 0.5)*t", 9.0, [1.0]),
    # The argument jumps across zero at 1, and passes it on both sides.
    ("abs(t - 5*step(t-1) - 0.5)", 9.0, [0.5, 1.0, 5.5]),
    ("exp(-t)*step(cos(t)-0.5)", 6.0, [math.pi / 3, 5 * math.pi / 3]),
    ("sin(t)^2 + exp(-t) + t/(1+t)", 100.0, []),
    ("floor(2*t)", 1.6, [0.0, 0.5, 1.0, 1.5]),
    ("ceil(t^2 - 0.5)", 1.6, [math.sqrt(0.5), math.sqrt(1.5), math.sqrt(2.5)]),
    ("mod(t, 0.4)", 1.3, [0.0, 0.4, 0.8, 1.2]),
    ("abs(mod(t, 1) - 0.25)", 1.6, [0.0, 0.25, 1.0, 1.25]),
    ("max(0, sin(2*pi*t))", 1.2, [0.0, 0.5, 1.0]),
    ("min(t, 2, 5 - t)", 9.0, [2.0, 3.0]),
    ("max(t, 1 + t^2)", 9.0, []),
]


@pytest.mark.parametrize(("text", "end", "expected"), CORNERS)
def test_an_expression_knows_where_it_bends(text: str, end: float, expected: list[float]) -> None:
    assert_allclose(functions.expression(text).corners(0.0, end), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "end", "expected", "within"),
    [
        ("step(sin(2*pi*50*t))", 8.005, np.arange(801) / 100, 1e-9),
        ("floor(997*t)", 2.0, np.arange(1995) / 997, 1e-8),
    ],
)
def test_very_many_corners_are_looked_for_some_at_a_time(
    text: str, end: float, expected: NDArray[np.float64], within: float
) -> None:
    function = functions.expression(text)
    found: list[float] = []
    start = 0.0
    while start < end:
        some, start = corners_ahead([function], start, end, 256, knots=True)
        found += some.tolist()
    assert_allclose(np.unique(np.round(found, 9)), expected, atol=within)


def test_a_table_has_its_knots_and_none_where_it_rests() -> None:
    pulse = functions.table([[0, 0], [50, 0], [50.001, 1], [50.002, 0], [60, 0]])
    assert {50.0, 50.001, 50.002} <= set(pulse.knots)
    assert functions.table([[0, 1], [1, 1], [2, 1]]).knots == ()


def disc(motor: TimeFunction, kind: str = "torque") -> Model:
    """A disc of 0.01 kg m² on a hinge."""
    x, q = poses([[0, 0, 0]])
    coordinate = turn(GROUND, 0)
    return Model(
        (body("disc", inertia=0.01 / 1.5),),
        tuple(hinge(GROUND, 0, O, O, Z)),
        x,
        q,
        coordinates=(coordinate,),
        motors=(Motor("m", coordinate, kind, motor),),
        gravity=(0.0, 0.0, 0.0),
    )


@pytest.mark.parametrize("rate", [0.1, 1.0, 7.3, 100.0])
@pytest.mark.parametrize(
    "options", [{}, {"integrator": "dop853"}, {"integrator": "generalized_alpha"}, {"integrator": "rk4", "step": 0.1}]
)
def test_a_pulse_between_samples_is_not_jumped_over(rate: float, options: dict[str, Any]) -> None:
    """5 N m for 5 ms on 0.01 kg m²: 2.5 rad/s."""
    pulse = functions.expression("5*(step(t-50.3)-step(t-50.305))")
    result = simulate(disc(pulse), duration=60.0, rate=rate, **options)
    assert result.status.ok
    assert result.trajectory.coordinate_rates[-1, 0] == pytest.approx(2.5, abs=1e-6)
    assert result.trajectory.motor_work[-1] == pytest.approx(0.5 * 0.01 * 2.5**2, rel=1e-6)


@pytest.mark.parametrize("text", ["5*step(0.005 - mod(t, 0.7))", "max(0, min(5, 1e9*(0.005 - mod(t, 0.7))))"])
def test_no_pulse_of_a_train_is_jumped_over(text: str) -> None:
    """Five pulses of 5 N m for 5 ms on 0.01 kg m², with samples a second apart."""
    result = simulate(disc(functions.expression(text)), duration=3.0, rate=1.0)
    assert result.status.ok
    assert result.trajectory.coordinate_rates[-1, 0] == pytest.approx(12.5, abs=1e-5)


def test_the_pieces_of_an_fmu_follow_jumps() -> None:
    function = functions.expression("max(0.2, mod(3*t, 1)) + floor(t)")
    pieces = signals_of([function], 2.0)
    for t in np.random.default_rng(4).uniform(0.0, 2.0, 200):
        k = int(np.searchsorted(pieces.time, t)) - 1
        ends = [(float(pieces.time[i]), tuple(pieces.value[i].tolist())) for i in (k, k + 1)]
        assert_allclose(quintic(*ends[0], *ends[1], t), function.evaluate(float(t)), atol=1e-9)


def test_a_pulse_of_a_table_and_one_of_a_function_that_names_its_corners() -> None:
    points = [[5.25 + 0.0025 * k, 5.0 if k == 21 else 0.0] for k in range(41)]
    table = functions.table([[0, 0], *points, [6, 0]])
    fine = simulate(disc(table), duration=6.0, rate=1.0, longest_step=5e-3)
    coarse = simulate(disc(table), duration=6.0, rate=1.0)
    assert fine.trajectory.coordinate_rates[-1, 0] == pytest.approx(5.0 * 0.0025 / 0.01, rel=0.1)
    assert coarse.statistics.steps < 150
    assert_allclose(coarse.trajectory.coordinate_rates[-1], fine.trajectory.coordinate_rates[-1], rtol=1e-7)
    python = TimeFunction(lambda t: (5.0 if 50.3 <= t < 50.305 else 0.0, 0.0, 0.0), corners=lambda a, b: (50.3, 50.305))
    assert simulate(disc(python), duration=60.0, rate=1.0).trajectory.coordinate_rates[-1, 0] == pytest.approx(2.5)


def test_a_torque_that_jumps_gives_the_accelerations_on_both_sides() -> None:
    """At the jump itself the sample is the one after it."""
    result = simulate(disc(functions.expression("step(t-0.5)")), duration=1.0, rate=20.0)
    assert_allclose(
        result.trajectory.coordinate_accelerations[:, 0], np.where(np.arange(21) < 10, 0.0, 100.0), atol=1e-9
    )
    assert_allclose(result.trajectory.coordinate_rates[-1, 0], 50.0, rtol=1e-12)


@pytest.mark.parametrize("integrator", ["dopri5", "generalized_alpha"])
def test_a_speed_that_jumps_is_an_impulse_whose_work_counts(integrator: str) -> None:
    led = replace(
        pendulum(),
        motors=(Motor("m", pendulum().coordinates[0], "speed", functions.expression("0.5*step(t-0.3)")),),
    )
    run = simulate(led, duration=1.0, rate=30.0, integrator=integrator).trajectory
    assert_allclose(run.coordinates[:, 0], 0.5 * np.maximum(run.t - 0.3, 0.0), atol=1e-6)
    balance = run.kinetic + run.potential - run.motor_work + run.dissipated
    assert np.ptp(balance) < (1e-7 if integrator == "dopri5" else 1e-3)
    bent = Motor("m", pendulum().coordinates[0], "angle", functions.expression("0.5*abs(t-0.3)"))
    run = simulate(replace(pendulum(), motors=(bent,)), duration=1.0, rate=30.0, integrator=integrator).trajectory
    assert_allclose(run.coordinates[:, 0], 0.5 * np.abs(run.t - 0.3), atol=1e-9)
    balance = run.kinetic + run.potential - run.motor_work + run.dissipated
    assert np.ptp(balance) < (1e-7 if integrator == "dopri5" else 1e-3)


def test_a_longest_step_sees_what_no_function_says() -> None:
    bell = TimeFunction(lambda t: (5.0 * math.exp(-(((t - 5.3) / 0.002) ** 2)), 0.0, 0.0))
    missed = simulate(disc(bell), duration=6.0, rate=0.5).trajectory.coordinate_rates[-1, 0]
    seen = simulate(disc(bell), duration=6.0, rate=0.5, longest_step=4e-3).trajectory.coordinate_rates[-1, 0]
    assert missed < 1.0
    assert seen == pytest.approx(5.0 * 0.002 * math.sqrt(math.pi) / 0.01, rel=1e-6)
