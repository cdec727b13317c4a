"""States within a step, kernel by kernel: what polynomials hold, what bodies they make, and how far they say to be off.

Rotations are held against differences of rotation matrices, errors against numpy's polynomials.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from solver import rotation
from solver.chart import steps
from solver.chart.engine import ChartEngine
from solver.chart.kinematics import forward_kinematics
from solver.chart.spanning import TreeJoint
from solver.chart.within import joint_ends, joints_within, within_joint_data
from solver.constraints import GROUND
from solver.equations.dynamics import place
from solver.equations.system import prepare
from solver.functions import constant
from solver.model import Model, Motor
from solver.steps.methods import METHODS, Absolute
from solver.steps.samples import (
    Within,
    bodies_within,
    fit,
    held_slope,
    hold_slope,
    off_by,
    polynomials_at,
    pose_ends,
    sum_ends,
    sum_rates,
    within_data,
)
from tests.solver.examples import O, X, Z, ball, body, hinge, pendulum, poses, turn

Array = NDArray[np.float64]
H = 0.3
CHANCE = np.random.default_rng(5)


def unit(q: Array) -> Array:
    return np.asarray(q / np.linalg.norm(q))


def spin(q: Array, rate: Array, frame: str) -> Array:
    """ω (3,) of a quaternion of any length that changes at a rate: by the matrices a little before and after."""
    step = 1e-6
    first, last = (rotation.matrix(unit(q + side * step * rate)) for side in (-1.0, 1.0))
    R = rotation.matrix(unit(q))
    skew = (last - first) / (2 * step)
    skew = R.T @ skew if frame == "body" else skew @ R.T
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


def sliding_ball() -> ChartEngine:
    """Body 0 on a slide, a ball joint between it and body 1: in q a number, then a quaternion."""
    x, q = poses([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    model = Model((body("one"), body("two")), tuple(ball(0, 1, X / 2, -X / 2)), x, q, groups=("ball",) * 3)
    tree = [TreeJoint("ball", (steps.ball(),), 0, 1, X / 2)]
    return ChartEngine(prepare(model), METHODS["dopri5"], tree)


def test_a_ball_within_a_step_has_a_quaternion_of_one_and_its_rate_in_body_axes() -> None:
    engine = sliding_ball()
    (C, K, S), D = engine.arrays, engine.within
    D.pose[:] = CHANCE.normal(size=len(D.pose))
    D.rate[:] = CHANCE.normal(size=len(D.rate))
    S.signs[:] = 1.0
    joints_within((C, K, S), D)
    balls = np.flatnonzero(C.ball)
    assert len(balls) == 2
    for s in range(len(C.ball)):
        i, j = int(C.q_start[s]), int(C.v_start[s])
        if C.ball[s]:
            assert_allclose(S.q[i : i + 4], unit(D.pose[i : i + 4]), rtol=1e-14)
            assert_allclose(
                S.rates[j : j + 3], spin(D.pose[i : i + 4], D.rate[i : i + 4], "body"), rtol=1e-8, atol=1e-8
            )
        else:
            assert (S.q[i], S.rates[j]) == (D.pose[i], D.rate[i])
    assert_allclose(D.x, K.x[: len(D.x)])


def test_the_data_of_a_ball_are_its_first_and_second_derivatives() -> None:
    """Along q(t) that turns at ω(t) = ω + α t: q̇ and q̈ by differences."""
    engine = sliding_ball()
    (C, K, S), D, E = engine.arrays, engine.within, engine.tables[6]
    nq, nv = len(S.q), len(S.rates)
    for ends in (S.start, S.end):
        ends[:nq] = CHANCE.normal(size=nq)
        ends[nq : nq + nv] = CHANCE.normal(size=nv)
        for s in np.flatnonzero(C.ball).tolist():
            ends[C.q_start[s] : C.q_start[s] + 4] = unit(ends[C.q_start[s] : C.q_start[s] + 4])
    S.slopes[0, nq : nq + nv] = CHANCE.normal(size=nv)
    E.acceleration[:] = CHANCE.normal(size=E.acceleration.shape)
    S.q[:], S.rates[:] = S.end[:nq], S.end[nq : nq + nv]
    forward_kinematics(C, S.q, S.rates, K)
    joint_ends(engine.tables, (C, K, S), D, H)
    for rows, y, bent in (((0, 2, 4), S.start, S.slopes[0, nq:]), ((1, 3, 5), S.end, S.acceleration)):
        for s in range(len(C.ball)):
            i, j, count = int(C.q_start[s]), int(C.v_start[s]), 4 if C.ball[s] else 1
            q, rate, second = _derivatives(y[i : i + count], y[nq + j : nq + j + 3], bent[j : j + 3], bool(C.ball[s]))
            assert_allclose(D.poses[rows[0], i : i + count], q, rtol=1e-14)
            assert_allclose(D.poses[rows[1], i : i + count], H * rate, rtol=1e-13, atol=1e-14)
            assert_allclose(D.poses[rows[2], i : i + count], H * H * second, rtol=1e-7, atol=1e-8)
    before = D.poses.copy()
    within_joint_data(engine.tables, (C, K, S), D, 6, H)
    assert_allclose(D.poses[6], before[5], rtol=1e-13)
    assert_allclose(np.delete(D.poses, 6, 0), np.delete(before, 6, 0))


def _derivatives(q: Array, w: Array, alpha: Array, is_ball: bool) -> tuple[Array, Array, Array]:
    if not is_ball:
        return q, w[:1], alpha[:1]
    step = 1e-6

    def rate(t: float) -> Array:
        there = rotation.multiply(q, rotation.exponential(t * w + 0.5 * t * t * alpha))
        return 0.5 * rotation.multiply(there, np.array([0.0, *(w + t * alpha)]))

    return q, rate(0.0), (rate(step) - rate(-step)) / (2 * step)


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_bodies_within_a_step_go_from_its_start_to_its_end_with_their_rates_and_accelerations(nodes: int) -> None:
    model = pendulum(2)
    engine = Absolute(prepare(model), METHODS["dopri5"])
    D, E, n = engine.within, engine.tables[6], 2
    ends = [_state(n) for _ in range(2)]
    first, last = (CHANCE.normal(size=(n, 6)) for _ in range(2))
    E.acceleration[:] = last
    pose_ends(engine.tables, D, H, ends[0], first, ends[1])
    D.poses[6 : 6 + nodes] = 0.1 * CHANCE.normal(size=(nodes, D.poses.shape[1]))
    fit(D, nodes)
    for theta, (x, q, v, _), a in ((0.0, ends[0], first), (1.0, ends[1], last)):
        step = (1e-7 if theta == 0.0 else -1e-7) * H
        polynomials_at(D, theta + step / H, H)
        bodies_within(D, theta + step / H, H)
        after = D.v.copy()
        polynomials_at(D, theta, H)
        bodies_within(D, theta, H)
        assert_allclose(D.x, x, atol=1e-13)
        assert_allclose([rotation.matrix(one) for one in D.q], [rotation.matrix(one) for one in q], atol=1e-13)
        assert_allclose(np.linalg.norm(D.q, axis=1), 1.0, rtol=1e-14)
        assert_allclose(D.v, v, atol=1e-12)
        assert_allclose((after - D.v) / step, a, atol=1e-3)


def _state(n: int) -> tuple[Array, Array, Array, Array]:
    q = np.array([unit(np.array([1.0, *0.3 * CHANCE.normal(size=3)])) for _ in range(n)])
    return CHANCE.normal(size=(n, 3)), q, CHANCE.normal(size=(n, 6)), np.zeros(2)


def test_the_second_derivatives_at_a_node_are_those_of_the_state_there() -> None:
    """Put where the step ends, a node has the row of that end."""
    engine = Absolute(prepare(pendulum(2)), METHODS["dopri5"])
    D, E = engine.within, engine.tables[6]
    one, two = _state(2), _state(2)
    E.acceleration[:] = CHANCE.normal(size=(2, 6))
    pose_ends(engine.tables, D, H, one, CHANCE.normal(size=(2, 6)), two)
    before = D.poses.copy()
    within_data(D, 7, two, E.acceleration, H)
    assert_allclose(D.poses[7], before[5], rtol=1e-13)
    assert_allclose(np.delete(D.poses, 7, 0), np.delete(before, 7, 0))


def led() -> tuple[Absolute, Within]:
    """Two links with a motor: two angles, the work of a function of time and what is dissipated."""
    model = pendulum(2)
    motor = Motor("m", turn(GROUND, 0, Z, O), "torque", constant(1.0))
    engine = Absolute(prepare(Model(**{**vars(model), "motors": (motor,)})), METHODS["dopri5"])
    return engine, engine.within


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_angles_and_work_go_from_the_start_to_the_end_of_a_step_at_their_rates(nodes: int) -> None:
    engine, D = led()
    E, na = engine.tables[6], len(D.angles)
    size = len(D.sum)
    assert (na, size) == (len(E.turning), na + 2)
    start, slope, end, rates = (CHANCE.normal(size=size) for _ in range(4))
    E.turning[:], E.power[:] = rates[:na], rates[na:]
    parts = [(each[:na], each[na:]) for each in (start, slope, end)]
    sum_ends(E, D, H, *parts)
    middle = CHANCE.normal(size=(nodes, size))
    for k in range(nodes):
        sum_rates(D, 3 + k, middle[k, :na], middle[k, na:], H)
    fit(D, nodes)
    for theta, value, rate in ((0.0, start, slope), (1.0, end, rates)):
        polynomials_at(D, theta, H)
        assert_allclose(D.sum, value, atol=1e-13)
        assert_allclose(D.angles, D.sum[:na])
        step = 1e-6 if theta == 0.0 else -1e-6
        polynomials_at(D, theta + step, H)
        assert_allclose((D.sum - value) / (step * H), rate, atol=1e-3)
    # The rates at the nodes are those of the polynomial before it is closed.
    for k, theta in enumerate((0.5, 0.25, 0.75)[:nodes]):
        polynomials = [Polynomial(column) for column in D.sum_part.T]
        assert_allclose([p.deriv()(theta) for p in polynomials], H * middle[k], atol=1e-12)


def test_the_slope_of_the_end_is_kept_while_others_are_computed() -> None:
    engine, D = led()
    E = engine.tables[6]
    arrays = (E.acceleration, E.turning, E.power)
    for array in arrays:
        array[...] = CHANCE.normal(size=array.shape)
    was = [array.copy() for array in arrays]
    hold_slope(E, D)
    for array in arrays:
        array[...] = 0.0
    held_slope(E, D)
    for array, before in zip(arrays, was, strict=True):
        assert_allclose(array, before, rtol=0.0)


@pytest.mark.parametrize("which", ["coordinate", "rate", "long coordinate", "angle", "work", "energy", "rounding"])
def test_how_far_a_polynomial_is_off(which: str) -> None:
    _, D = led()
    na, theta, rtol, atol, shares = len(D.angles), 0.625, 1e-4, 1e-6, (0.04, 0.15, 0.3)
    D.pose_part[:] = CHANCE.normal(size=D.pose_part.shape)
    D.sum_part[:] = CHANCE.normal(size=D.sum_part.shape)
    D.missed[:] = 0.0
    polynomials_at(D, theta, H)
    second = [Polynomial(column).deriv(2)(theta) for column in D.pose_part.T]
    rates = [Polynomial(column).deriv()(theta) for column in D.sum_part.T]
    D.poses[7], D.sums[4] = second, rates
    D.energy[0] = 0.0
    k, off, expected = 2, 0.01, 0.0
    if which in ("coordinate", "long coordinate"):
        D.pose[k], D.rate[k] = -40.0, 1e9
        D.most[k] = 7.0 if which == "long coordinate" else np.inf
        D.poses[7, k] += off
        expected = shares[0] * off / (atol + rtol * (7.0 if which == "long coordinate" else 40.0))
    if which == "rate":
        D.pose[k], D.rate[k] = 1e4, -3.0
        D.poses[7, k] -= off
        expected = shares[1] * off / (H * (atol + rtol * 3.0))
    if which == "angle":
        D.energy[0], D.sum[na - 1] = 1e9, -5.0
        D.sums[4, na - 1] -= off
        expected = shares[2] * off / (atol + rtol * 5.0)
    if which in ("work", "energy"):
        D.energy[0], D.sum[na] = (50.0 if which == "energy" else 1.0), -5.0
        D.sums[4, na] += off
        expected = shares[2] * off / (atol + rtol * (50.0 if which == "energy" else 5.0))
    if which == "rounding":
        D.pose[k], D.poses[7, k] = -4e3, second[k] + 4e-11
    found = off_by(D, 7, theta, H, shares, (rtol, atol))
    assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    D.poses[7, 0] = np.nan
    assert off_by(D, 7, theta, H, shares, (rtol, atol)) == np.inf


def test_a_body_that_spins_about_its_shaft_turns_on_between_the_ends() -> None:
    """A wheel of hundreds of radians a second: its pose is followed beside that spin, not as a polynomial."""
    engine = Absolute(prepare(_wheel()), METHODS["dopri5"])
    D, E = engine.within, engine.tables[6]
    rate, axis = 400.0, np.array([0.0, 0.0, 1.0])
    x, still = np.zeros((1, 3)), np.zeros(2)
    v = np.array([[0.0, 0.0, 0.0, *rate * axis]])
    q0, q1 = (np.array([rotation.exponential(angle * axis)]) for angle in (0.0, rate * H))
    E.acceleration[:] = 0.0
    pose_ends(engine.tables, D, H, (x, q0, v, still), np.zeros((1, 6)), (x, q1, v, still))
    place(E, x, q0, v)
    fit(D, 0)
    for theta in (0.0, 0.3, 0.71, 1.0):
        polynomials_at(D, theta, H)
        bodies_within(D, theta, H)
        assert_allclose(
            rotation.matrix(D.q[0]), rotation.matrix(rotation.exponential(theta * rate * H * axis)), atol=1e-11
        )
        assert_allclose(D.v[0], v[0], atol=1e-9)


def _wheel() -> Model:
    x, q = poses([[0.0, 0.0, 0.0]])
    return Model((body("wheel"),), tuple(hinge(GROUND, 0, O, O, Z)), x, q, coordinates=(turn(GROUND, 0),))
