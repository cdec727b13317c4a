"""The sweeps against the dense reference: random forests of all joints, loops, gears, rotors, repeated rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from solver import State, rotation
from solver.constraints import GROUND, AxesAngle, Coupler, Distance, PointOnPlane, Primitive
from solver.constraints.evaluation import dense
from solver.equations.dynamics import evaluate_all, frames, least_multipliers, scaled_residuals
from solver.equations.kkt import dense_accelerations
from solver.equations.projection import complete, drive_values
from solver.equations.system import ROTOR, System, prepare
from solver.model import JointLoad, Model, RigidBody
from solver.sweeps.factor import factor, repeats
from solver.sweeps.joints import bias_accelerations, gaps, particular_accelerations, place_joints
from solver.sweeps.response import joint_multipliers, remove_added_mass, solve_refined
from solver.sweeps.work import make_work
from tests.solver.examples import O, X, Z, hinge, poses, turn

Array = NDArray[np.float64]


def _joint(rng: np.random.Generator, a: int, b: int, x: Array, kind: tuple[int, int]) -> list[Primitive]:
    """So many planes and angles between two bodies whose axes are the world's, the sides in any order."""
    planes, angles = kind
    place = 0.5 * (x[b] + (x[a] if a >= 0 else 0)) + rng.normal(size=3)
    E = rotation.matrix(_quaternions(rng, 1))[0].T
    ends = [(a, place - (x[a] if a >= 0 else 0)), (b, place - x[b])]
    (i, here), (j, there) = ends if rng.random() < 0.5 else ends[::-1]
    rows: list[Primitive] = [PointOnPlane(i, j, here, e, there) for e in E[:planes]]
    (i, _), (j, _) = ends if rng.random() < 0.5 else ends[::-1]
    pairs = [(E[0], E[2]), (E[1], E[2]), (E[0], E[1])][:angles]
    return [*rows, *(AxesAngle(i, j, one, other) for one, other in pairs)]


def _quaternions(rng: np.random.Generator, count: int) -> Array:
    q = rng.normal(size=(count, 4))
    return np.asarray(q / np.linalg.norm(q, axis=1, keepdims=True))


def _random(rng: np.random.Generator, count: int, loops: int, repeats: int) -> Model:
    """A forest of random joints, closed by joints, rods and couplers, some joints said again."""
    x = 3 * rng.normal(size=(count, 3))
    rows: list[Primitive] = []
    coordinates = []
    for b in range(count):
        parent = int(rng.integers(-1, b)) if b else GROUND
        kind = (int(rng.integers(0, 4)), int(rng.integers(0, 4)))
        rows += _joint(rng, parent, b, x, kind)
        coordinates.append(turn(parent, b))
    for _ in range(loops if count > 1 else 0):
        a, b = sorted(int(i) for i in rng.choice(count, 2, replace=False))
        choice = rng.integers(3)
        if choice == 0:
            rows += _joint(rng, a, b, x, (int(rng.integers(1, 4)), int(rng.integers(0, 3))))
        elif choice == 1:
            rows.append(Distance(a, b, X, Z, float(np.linalg.norm(x[b] + Z - x[a] - X))))
        else:
            chosen = rng.choice(count, 2)
            rows.append(Coupler(a, b, tuple((float(rng.normal()), coordinates[k]) for k in chosen)))
    for _ in range(repeats):
        again = rows[int(rng.integers(len(rows)))] if rows else None
        rows += [again] if again else []
    spread = rng.normal(size=(count, 3, 3))
    bodies = tuple(
        RigidBody(f"{i}", float(rng.uniform(0.5, 2)), s @ s.T + 0.2 * np.eye(3)) for i, s in enumerate(spread)
    )
    loads = tuple(JointLoad(c, armature=float(rng.uniform(0.1, 1))) for c in coordinates if rng.random() < 0.3)
    return Model(bodies, tuple(rows), *poses(x.tolist()), loads=loads)


def _compare(model: Model, rng: np.random.Generator, scatter: float, rounding: float = 1e-9) -> bool:
    """Both solutions for random forces and right-hand sides that can be met; whether the rank is clear."""
    system = prepare(model)
    s = complete(system, State.at_rest(model.positions, model.quaternions))
    n = len(model.bodies)
    positions = s.positions + scatter * rng.normal(size=(n, 3))
    quaternions = rotation.turned(s.quaternions, scatter * rng.normal(size=(n, 3)))
    x, R, v = frames(positions, quaternions, rng.normal(size=(n, 6)))
    T, W = system.program.terms, system.rows
    *_, first, second, asked, blocks = evaluate_all(T, W, x, R, v, s.branches, drive_values(system, 0.0), True)
    _check_coasting(system, x, R, v, dense(system.program, blocks), asked)
    _check_gaps(system, x, R, v, first, second, blocks)
    G, force, soft = dense(system.program, blocks), rng.normal(size=(n, 6)), W.kind == ROTOR
    c = np.where(soft, 0.0, G @ rng.normal(size=6 * n))
    found, multipliers, repeated = _respond(system, x, R, blocks, force, c)
    mass = np.zeros((n, 6, n, 6))
    for i, body in enumerate(model.bodies):
        mass[i, :3, i, :3], mass[i, 3:, i, 3:] = body.mass * np.eye(3), R[i] @ body.inertia @ R[i].T
    M = mass.reshape(6 * n, 6 * n)
    if not _clear(G[~soft]):
        return False
    armed = M + G[soft].T @ (G[soft] / W.compliance[soft, None])
    exact, least = dense_accelerations(armed, G[~soft], force.ravel(), c[~soft])
    size = max(1.0, float(np.abs(exact).max()))
    pull = max(1.0, float(np.abs(least).max(initial=0.0)))
    assert_allclose(found.ravel(), exact, atol=rounding * size)
    assert_allclose(
        M @ found.ravel() + G.T @ multipliers,
        force.ravel(),
        atol=rounding * pull,
    )
    if repeated:
        tables = (T, system.schur, system.bodies, W, positions, quaternions, s.branches, drive_values(system, 0.0))
        multipliers = least_multipliers(*tables, multipliers)
    # With rotors the reference measures rows by what they are between bodies that carry them.
    if repeated and soft.any():
        return True
    assert_allclose(multipliers[~soft], least, atol=1e-7 * pull)
    return True


def _respond(system: System, x: Array, R: Array, blocks: Array, force: Array, c: Array) -> tuple[Array, Array, bool]:
    """v̇ (n, 6) and λ (m,) of M v̇ + Ĝᵀλ = force, Ĝ v̇ − E λ = c by the sweeps, and whether rows repeat each other."""
    T, P, B, compliance = system.program.terms, system.plan, system.bodies, system.rows.compliance
    Q, found, multipliers = make_work(P), np.empty_like(force), np.empty_like(c)
    factor(P, B, compliance, x, R, blocks, Q)
    particular_accelerations(P, Q, R, c, found)
    solve_refined(T, P, B, Q, compliance, R, blocks, force, c, 0.0, found, Q.loop_multipliers)
    if len(B.light):
        remove_added_mass(T, P, B, Q, compliance, R, blocks, found)
    joint_multipliers(T, P, B, Q, R, blocks, force, found, Q.loop_multipliers, multipliers)
    return found, multipliers, bool(repeats(P, Q, compliance))


def _check_coasting(system: System, x: Array, R: Array, v: Array, G: Array, asked: Array) -> None:
    """The closed form of what velocities ask of the joints against their rows' own second derivatives."""
    P, n = system.plan, len(v) - 1
    Q, coasting = make_work(P), np.empty((n, 6))
    place_joints(P, x, R, Q.shift, Q.to_joint, Q.S, Q.angle_duals)
    bias_accelerations(P, Q, R, v, coasting)
    rows = np.concatenate([P.plane_row.ravel(), P.angle_row.ravel()])
    rows = rows[rows >= 0]
    assert len(rows) + len(P.row) == system.program.rows
    assert_allclose(
        (G @ coasting.ravel())[rows], asked[rows], atol=1e-11 * max(1.0, float(np.abs(asked).max(initial=0)))
    )


def _check_gaps(system: System, x: Array, R: Array, v: Array, first: Array, second: Array, blocks: Array) -> None:
    """The closed form of the joints' rows and rates against their terms, and the scale against the exact one."""
    P, T, m = system.plan, system.program.terms, system.program.rows
    rows = np.concatenate([P.plane_row.ravel(), P.angle_row.ravel()])
    rows = rows[rows >= 0]
    g, gv = np.full(m, np.nan), np.full(m, np.nan)
    worst = gaps(T, P, x, R, v, system.length, g, gv)
    assert_allclose(g[rows], first[rows], atol=1e-12)
    assert_allclose(gv[rows], second[rows], atol=1e-12 * max(1.0, float(np.abs(v).max(initial=0.0))))
    exact = scaled_residuals(T, system.rows, system.length, blocks, first, second)
    for told, scaled in zip(worst, exact, strict=True):
        assert told >= scaled[rows].max(initial=0.0) * (1 - 1e-9)


def _clear(G: Array) -> bool:
    """Whether the rank is: no row says almost, but not quite, what others say."""
    sizes = np.linalg.svd(G / np.maximum(np.linalg.norm(G, axis=1, keepdims=True), 1e-300))[1] if len(G) else np.ones(1)
    return not np.any((sizes > 1e-12) & (sizes < 1e-3))


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6), count=st.integers(1, 9), loops=st.integers(0, 4), repeats=st.sampled_from([0, 0, 1, 6])
)
def test_random_mechanisms_agree_with_the_dense_reference(seed: int, count: int, loops: int, repeats: int) -> None:
    rng = np.random.default_rng(seed)
    scatter = 0.05 if repeats == 0 else 0.0
    assume(_compare(_random(rng, count, loops, repeats), rng, scatter))


def _ladder(count: int, moving: bool) -> Model:
    """`count` four-bars in a row, each standing on the one before (`moving`), or all on the ground; z is up."""
    points: list[list[float]] = []
    rows: list[Primitive] = []
    base = GROUND
    for k in range(count):
        low = np.array([0.0, k, 0.0]) if moving else np.array([float(k), 0.0, 0.0])
        left, right, top = len(points), len(points) + 1, len(points) + 2
        points += [[low[0] + dx, low[1] + dy, 0.0] for dx, dy in ((0.0, 0.5), (0.8, 0.5), (0.4, 1.0))]
        origin = O if base == GROUND else np.array(points[base])
        Y = np.array([0.0, 1.0, 0.0])
        rows += hinge(base, left, low - origin, -Y / 2, Z) + hinge(base, right, low + 0.8 * X - origin, -Y / 2, Z)
        rows += hinge(left, top, Y / 2, -0.4 * X, Z) + hinge(right, top, Y / 2, 0.4 * X, Z)
        base = top if moving else GROUND
    bodies = tuple(RigidBody(f"{i}", 1.0, np.eye(3) / 12) for i in range(len(points)))
    return Model(bodies, tuple(rows), *poses(points))


@pytest.mark.parametrize("moving", [False, True])
def test_four_bars_on_four_bars_agree_with_the_dense_reference(moving: bool) -> None:
    assert _compare(_ladder(4, moving), np.random.default_rng(1), 0.0)


@pytest.mark.parametrize("moving", [False, True])
def test_chains_of_small_loops_cost_no_more_than_their_length(moving: bool) -> None:
    """Slots, entries of the factor and updates: what the sweeps run through."""
    sizes = []
    for count in (10, 20):
        forest = prepare(_ladder(count, moving)).plan
        assert len(forest.row) == 5 * count
        below = np.diff(forest.column_start)
        sizes.append([len(forest.slot_loop), len(forest.column), np.sum(forest.passing**2), np.sum(below**2)])
    few, many = np.array(sizes)
    assert np.all(many <= 2.2 * few)
