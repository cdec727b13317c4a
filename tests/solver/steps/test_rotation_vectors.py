"""Turns within a step of generalised-α, as rotation vectors beside a steady spin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from solver import rotation
from solver.chart.stepping import no_joints
from solver.constraints import GROUND
from solver.equations.system import prepare
from solver.functions import constant
from solver.model import Model, Motor, RigidBody
from solver.runs.integrate import simulate
from solver.runs.within import state_within
from solver.state import State
from solver.steps.methods import METHODS, Absolute
from solver.steps.rotation_vectors import FARTHEST, vector_ends
from solver.steps.samples import between_ends, fit, pose_ends
from tests.solver.examples import O, Z, body, hinge, poses, turn

Array = NDArray[np.float64]
H = 0.3
COARSE: dict[str, Any] = {"integrator": "generalized_alpha", "rtol": 1e-4, "atol": 1e-4}


def free_body() -> Model:
    """A body that nothing holds and nothing pulls, as heavy about all axes."""
    x, q = poses([[0.0, 0.0, 0.0]])
    return Model((RigidBody("free", 1.0, 0.1 * np.eye(3)),), (), x, q, gravity=(0.0, 0.0, 0.0))


def wheel(*motors: Motor) -> Model:
    """A wheel on a shaft along z, of 0.15 kg m²."""
    x, q = poses([[0.0, 0.0, 0.0]])
    held = tuple(hinge(GROUND, 0, O, O, Z))
    return Model((body("wheel"),), held, x, q, motors=motors, coordinates=(turn(GROUND, 0),))


def followed(vectors: Array, spin: Array, first: Array, t: float) -> tuple[Array, Array]:
    """q (4,) and ω (3,) at t (s) of exp(φ) exp(s t) q₀, φ a polynomial with coefficients (k, 3).

    Of ω the part beside the steady spin is by differences.
    """

    def beside(time: float) -> Array:
        return np.asarray(rotation.exponential(sum(c * time**k for k, c in enumerate(vectors))))

    near = 1e-5
    before, now, after = (rotation.matrix(beside(time)) for time in (t - near, t, t + near))
    skew = (after - before) / (2 * near) @ now.T
    q = rotation.multiply(beside(t), rotation.multiply(rotation.exponential(spin * t), first))
    return np.asarray(q), np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) + now @ spin


@pytest.mark.parametrize("size", [1e-6, 0.003, 0.4, 5.5])
@pytest.mark.parametrize("fast", [0.0, 300.0])
def test_a_turn_whose_rotation_vector_is_a_cubic_is_followed_wherever_it_goes(size: float, fast: float) -> None:
    chance = np.random.default_rng(3)
    engine = Absolute(prepare(wheel()), METHODS["generalized_alpha"])
    D, tables = engine.within, engine.tables
    first = np.asarray(poses([[0.0, 0.0, 0.0]])[1][0])
    about, bend = chance.normal(size=(2, 3))
    vectors = np.zeros((4, 3))
    vectors[2], vectors[3] = about, 0.2 * bend / H
    vectors *= size / np.linalg.norm(vectors[2] * H**2 + vectors[3] * H**3)
    spin = fast * Z
    ends = []
    for t in (0.0, H):
        q, w = followed(vectors, spin, first, t)
        ends.append((np.zeros((1, 3)), q[None], np.array([[0.0, 0.0, 0.0, *w]]), np.zeros(2)))
    ends[0][2][0, 3:] = spin
    pose_ends(tables, D, H, ends[0], np.zeros((1, 6)), ends[1])
    assert size * (1 - 1e-9) <= vector_ends(D) <= 2 * size
    between_ends(D)
    fit(D, 0)
    for theta in (0.0, 0.21, 0.5, 0.83, 1.0):
        state_within(no_joints(), D, theta, H)
        q, w = followed(vectors, spin, first, theta * H)
        assert_allclose(rotation.matrix(D.q[0]), rotation.matrix(q), atol=1e-7 * size + 1e-12)
        assert_allclose(D.v[0, 3:], w, atol=1e-6 * size + 1e-10)


def test_a_wheel_that_a_steady_torque_turns_faster_is_exact_between_the_ends_too() -> None:
    """No error at the end of a step keeps it short: in one the wheel turns by several radians more than steadily."""
    motor = Motor("drive", turn(GROUND, 0), "torque", constant(2.0))
    result = simulate(wheel(motor), duration=1.0, times=np.linspace(0.05, 1.0, 20), rate=20.0, **COARSE)
    T = result.trajectory
    assert_allclose(T.coordinate_rates[:, 0], 2.0 / 0.15 * T.t, atol=1e-9)
    assert_allclose(T.coordinates[:, 0], 1.0 / 0.15 * T.t**2, atol=1e-9)
    assert result.statistics.steps < 20


def test_a_body_that_turns_on_and_on_about_no_shaft_is_where_it_is_at_each_sample() -> None:
    rate = np.array([1.0, 2.0, -0.5])
    x, q = poses([[0.0, 0.0, 0.0]])
    state = State(0.0, x, q, np.array([[0.0, 0.0, 0.0, *rate]]), np.zeros(0))
    result = simulate(free_body(), state, duration=20.0, rate=1.3, **COARSE)
    T = result.trajectory
    expected = rotation.matrix(rotation.multiply(rotation.exponential(T.t[:, None] * rate), q[0]))
    assert_allclose(rotation.matrix(T.quaternions[:, 0]), expected, atol=1e-9)
    assert_allclose(T.velocities[:, 0, 3:], np.tile(rate, (len(T.t), 1)), atol=1e-9)
    assert result.statistics.rejected > 0
    assert result.statistics.longest * np.linalg.norm(rate) <= FARTHEST
    fixed = simulate(free_body(), state, duration=20.0, rate=1.3, **COARSE, step=3.0)
    assert fixed.statistics.within == np.inf
