"""The IFToMM library's overconstrained and singular problems, with the published results."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from solver import State, rotation, simulate
from solver.constraints import GROUND, Primitive
from solver.model import Model, RigidBody
from solver.system import prepare
from tests.solver.examples import X, Y, Z, hinge, poses


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


def test_fourbars_pass_their_flattened_poses() -> None:
    model, start = _windowed_fourbar(2)
    result = simulate(model, start, duration=10.0, rate=20.0, rtol=1e-9, atol=1e-9)
    run = result.trajectory
    assert result.status.ok
    published = [0.328458111539, 0.944518538179, 1.423051470202, -0.494868845482]
    end = np.concatenate([2 * run.positions[-1, 0, :2], 2 * run.velocities[-1, 0, :2]])
    assert_allclose(end, published, atol=2e-7)
    assert run.constraint_position.max() < 1e-12


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


@pytest.mark.parametrize(
    ("end", "published"),
    [
        (1.0, [0.5105014612, -1.6491675994, 0.1401231146]),
        (2.0, [-0.9693403448, -1.2212468950, 0.7542780108]),
    ],
)
def test_bricard_mechanism_moves_though_a_row_repeats(end: float, published: list[float]) -> None:
    model = _bricard()
    assert prepare(model).program.rows == 30
    run = simulate(model, duration=end, rate=10.0, rtol=1e-10, atol=1e-10).trajectory
    # P3 is where bars 2 and 3 meet: half a bar beyond the middle of bar 2, which lay along z.
    corner = run.positions[-1, 2] + rotation.rotate(run.quaternions[-1, 2], Z / 2)
    assert_allclose(corner, published, atol=1e-7)
