"""The IFToMM library's overconstrained and singular problems, with the published results."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import State, rotation, simulate
from solver.constraints import GROUND, Primitive
from solver.equations.system import prepare
from solver.model import Model, RigidBody
from tests.solver.examples import X, Y, Z, hinge, pendulum, poses


def _windowed_fourbar(count: int) -> tuple[Model, State]:
    """A02: `count` four-bars of rods of 1 m and 1 kg in a row; all hinges are spatial, so many rows repeat."""
    uprights = [[float(i), 0.5, 0.0] for i in range(count + 1)]
    couplers = [[i + 0.5, 1.0, 0.0] for i in range(count)]
    rows: list[Primitive] = []
    for i in range(count + 1):
        rows += hinge(GROUND, i, i * X, -Y / 2, Z)
    for i in range(count):
        rows += hinge(i, count + 1 + i, Y / 2, -X / 2, Z) + hinge(count + 1 + i, i + 1, X / 2, Y / 2, Z)
    x, q = poses(uprights + couplers)
    v = np.zeros((len(x), 6))
    v[: count + 1, 0], v[: count + 1, 5], v[count + 1 :, 0] = 0.5, -1.0, 1.0
    rods = tuple(RigidBody(f"rod {i}", 1.0, np.eye(3) / 12) for i in range(len(x)))
    return Model(rods, tuple(rows), x, q, gravity=(0.0, -9.81, 0.0)), State(0.0, x, q, v)


@pytest.mark.parametrize(
    ("count", "tolerance", "published", "bound"),
    [
        (2, 1e-11, [0.328458111539, 0.944518538179, 1.423051470202, -0.494868845482], 2e-8),
        (40, 1e-9, [0.180512226685, 0.983572740583, 1.148441277467, -0.210770066777], 1e-8),
    ],
)
def test_fourbars_pass_their_flattened_poses(
    count: int, tolerance: float, published: list[float], bound: float
) -> None:
    """In the flattened pose another branch is nearer than the rounding of g tells: √1e-16 is the floor of the error."""
    model, start = _windowed_fourbar(count)
    result = simulate(model, start, duration=10.0, rate=2.0, integrator="dop853", rtol=tolerance, atol=tolerance)
    run = result.trajectory
    assert result.status.ok
    end = np.concatenate([2 * run.positions[-1, 0, :2], 2 * run.velocities[-1, 0, :2]])
    assert_allclose(end, published, atol=bound)
    assert run.constraint_position.max() < 1e-12
    assert run.constraint_velocity.max() < 1e-12


def test_fixed_implicit_steps_pass_flattened_poses_whole() -> None:
    """Near them the velocity terms are large: a step of 5 ms takes few rounds there too, and stays of second order."""
    model, start = _windowed_fourbar(2)
    ends, steps = [], (5e-3, 1.25e-3)
    for step in steps:
        result = simulate(model, start, duration=10.0, rate=2.0, integrator="generalized_alpha", step=step)
        assert result.status.ok, result.status
        assert result.statistics.steps == round(10.0 / step)
        assert result.statistics.evaluations < 2.7 * result.statistics.steps
        run = result.trajectory
        ends.append(np.concatenate([2 * run.positions[-1, 0, :2], 2 * run.velocities[-1, 0, :2]]))
    errors = [np.abs(end - [0.328458111539, 0.944518538179, 1.423051470202, -0.494868845482]).max() for end in ends]
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) / 2 > 1.8


def _bricard() -> Model:
    """A04: five square bars (1 kg, 1 × 0.1 × 0.1 m) and the ground, each hinge across both its bars."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
    axes = [Y, Z, X, Y, Z, X]
    middles = (corners[:-1] + corners[1:]) / 2
    x, q = poses(middles.tolist())
    bars = []
    for i in range(5):
        along = np.abs(corners[i + 1] - corners[i])
        inertia = np.diag((1 - along) * 1.01 / 12 + along * 0.02 / 12)
        bars.append(RigidBody(f"bar {i}", 1.0, inertia))
    rows: list[Primitive] = []
    for k, (corner, axis) in enumerate(zip(corners, axes, strict=True)):
        a, b = k - 1, (k if k < 5 else GROUND)
        rows += hinge(a, b, corner - (middles[a] if a >= 0 else 0), corner - (middles[b] if b >= 0 else 0), axis)
    return Model(tuple(bars), tuple(rows), x, q, gravity=(0.0, -9.81, 0.0))


def test_bricard_mechanism_moves_though_a_row_repeats() -> None:
    model = _bricard()
    assert prepare(model).program.rows == 30
    run = simulate(model, duration=10.0, rate=1.0, integrator="dop853", rtol=1e-11, atol=1e-11).trajectory
    # P3 is where bars 2 and 3 meet: half a bar beyond the middle of bar 2, which lay along z.
    corner = run.positions[:, 2] + rotation.rotate(run.quaternions[:, 2], Z / 2)
    published = {
        1: [0.5105014612, -1.6491675994, 0.1401231146],
        2: [-0.9693403448, -1.2212468950, 0.7542780108],
        10: [0.9999999638, -1.0002690127, 0.9997309511],
    }
    for t, place in published.items():
        assert_allclose(corner[t], place, atol=1e-10)
    assert run.constraint_position.max() < 1e-12
    assert run.constraint_velocity.max() < 1e-12


@pytest.mark.nightly
def test_a_long_run_holds_its_memory_flat() -> None:
    """Steps are not kept: what 14,400 more of them leave behind is nothing."""
    sizes: list[int] = []

    def progress(part: float) -> None:
        if part > 0.2 * (len(sizes) + 1):
            gc.collect()
            sizes.append(tracemalloc.get_traced_memory()[0])

    call: dict[str, Any] = {"duration": 24.0, "rate": 0.1, "integrator": "rk4", "step": 1e-3}
    tracemalloc.start()
    # Caches of Numba and NumPy fill up over some hundred calls, most of them in the first run.
    simulate(pendulum(), **call)
    result = simulate(pendulum(), **call, progress=progress)
    tracemalloc.stop()
    assert result.status.ok
    assert result.statistics.steps == 24000
    assert len(sizes) == 4
    # One float kept of each step would be 115,200 bytes.
    assert abs(sizes[-1] - sizes[0]) < 100_000, sizes
