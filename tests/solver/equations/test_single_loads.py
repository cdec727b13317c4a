"""Each load alone at one state, held against a formula of its own: force, power, what is lost, energies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

from solver import functions, rotation
from solver.constraints import GROUND, Coordinate
from solver.equations.dynamics import accelerate, observe
from solver.equations.projection import drive_values, project
from solver.equations.system import prepare
from solver.model import Bushing, JointLoad, Model, Motor, RigidBody, Stop
from solver.state import State
from tests.solver.examples import O, X, body, poses

Array = NDArray[np.float64]
MASS = 2.5
SLIDE = Coordinate("distance", GROUND, 0, O, X, O)


def at_one_state(
    model: Model, q: float | None = None, rate: float = 0.0, state: State | None = None
) -> tuple[Array, Array, tuple[float, float]]:
    """Accelerations (n, 6), power (W), and both energies (J); the one body at q along x, at this rate."""
    system = prepare(model)
    if state is None:
        x = np.array([[q, 0.0, 0.0]])
        state = State(0.0, x, model.quaternions, np.array([[rate, 0.0, 0.0, 0.0, 0.0, 0.0]]))
    s = project(system, state).state
    tables = (system.program.terms, system.plan, system.bodies, system.loads, system.rows)
    arrays = (s.positions, s.quaternions, s.velocities, s.branches, drive_values(system, 0.0))
    found = accelerate(*tables, *arrays)
    count = len(system.program.coordinate_term)
    T, _, B, F, W = tables
    *_, kinetic, potential = observe(T, B, F, W, system.length, *arrays, np.zeros_like(s.velocities), count)
    return found[0].copy(), found[3].copy(), (kinetic, potential)


def sliding(*loads: JointLoad, motors: tuple[Motor, ...] = ()) -> Model:
    """One body of 2.5 kg in space."""
    x, q = poses([[0.0, 0.0, 0.0]])
    return Model((body(mass=MASS),), (), x, q, loads=loads, motors=motors, gravity=(0.0, 0.0, 0.0))


def test_the_energies_of_a_body_on_a_spring() -> None:
    spring = JointLoad(SLIDE, stiffness=7.0, rest=0.4, armature=0.3)
    acceleration, _, (kinetic, potential) = at_one_state(sliding(spring), 1.1, -3.0)
    assert kinetic == pytest.approx(0.5 * (MASS + 0.3) * 9.0)
    assert potential == pytest.approx(0.5 * 7.0 * 0.7**2)
    assert acceleration[0, 0] == pytest.approx(-7.0 * 0.7 / (MASS + 0.3))


@pytest.mark.parametrize("stiffness", [1.0, 90.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("d", [-0.2, 0.0, 0.03, 0.3], ids=["free", "at its end", "bent", "beyond its depth"])
@pytest.mark.parametrize("speed", [-40.0, -0.5, 0.0, 2.0])
def test_a_stop(stiffness: float, side: float, d: float, speed: float) -> None:
    """Pressed by d at a speed: what its spring and damper give together, but no pull."""
    stop = Stop(-0.5, 0.4, stiffness, damping=6.0, depth=0.1)
    q = side * d + (stop.upper if side > 0 else stop.lower)

    def spring(s: float) -> float:
        return stiffness * (s * s / 0.2 if s < 0.1 else s - 0.05) if s > 0 else 0.0

    push = max(0.0, spring(d) + 6.0 * min(max(d / 0.1, 0.0), 1.0) * speed)
    acceleration, power, (_, potential) = at_one_state(sliding(JointLoad(SLIDE, stop=stop)), q, side * speed)
    assert MASS * acceleration[0, 0] == pytest.approx(-side * push)
    assert power[-1] == pytest.approx((push - spring(d)) * speed)
    assert potential == pytest.approx(quad(spring, 0.0, max(d, 0.0), points=[0.1] if d > 0.1 else None)[0])


def test_a_voltage_behind_a_resistance() -> None:
    volt, constant, ohm, rate = 12.0, 0.3, 0.7, 5.0
    motor = Motor("m", SLIDE, "voltage", functions.constant(volt), constant=constant, resistance=ohm)
    acceleration, power, _ = at_one_state(sliding(motors=(motor,)), 0.0, rate)
    current = (volt - constant * rate) / ohm
    assert MASS * acceleration[0, 0] == pytest.approx(constant * current)
    assert_allclose(power, [volt * current, ohm * current**2])


def strain(bushing: Bushing, x: Array, q: Array) -> tuple[Array, Array]:
    """z = [u; θ] (6,) in the axes of a, and these axes; bodies 0 and 1 at x (2, 3), q (2, 4)."""
    R = rotation.matrix(q)
    a, b = R[0] @ bushing.axes_a, R[1] @ bushing.axes_b
    reach = x[1] + R[1] @ bushing.point_b - x[0] - R[0] @ bushing.point_a
    return np.concatenate([a.T @ reach, Rotation.from_matrix(a.T @ b).as_rotvec()]), a


def rubber(chance: np.random.Generator, *, damped: bool) -> Bushing:
    """A bushing of any stiffness, or of any damping alone."""
    half, axes = chance.normal(size=(6, 6)), rotation.matrix(rotation.exponential(chance.normal(size=(2, 3))))
    some, none = half @ half.T, np.zeros((6, 6))
    ends = chance.normal(size=3), axes[0], chance.normal(size=3), axes[1]
    return Bushing("rubber", 0, 1, *ends, *((none, some) if damped else (some, none)))


def between(chance: np.random.Generator, bushing: Bushing, turned: Array) -> tuple[Model, State]:
    """Two bodies in motion whose frames at the bushing are turned apart by a rotation vector (3,)."""
    x, first = chance.normal(size=(2, 3)), rotation.matrix(rotation.exponential(chance.normal(size=3)))
    apart = Rotation.from_rotvec(turned).as_matrix()
    second = first @ bushing.axes_a @ apart @ bushing.axes_b.T
    q = np.array([np.roll(Rotation.from_matrix(R).as_quat(), 1) for R in (first, second)])
    bodies = (RigidBody("one", MASS, 0.4 * np.eye(3)), RigidBody("two", 0.7, 0.2 * np.eye(3)))
    model = Model(bodies, (), x, q, bushings=(bushing,), gravity=(0.0, 0.0, 0.0))
    return model, State(0.0, x, q, chance.normal(size=(2, 6)))


TURNS = [
    np.zeros(3),
    *(angle * axis for axis in np.array([*np.eye(3), [0.6, 0.0, -0.8]]) for angle in (0.7, 3.0, -2.9)),
]


def forces(model: Model, acceleration: Array) -> Array:
    """Forces and torques (2, 6) on bodies that are alike in all directions."""
    return np.array(
        [[*(b.mass * a[:3]), *(b.inertia[0, 0] * a[3:])] for b, a in zip(model.bodies, acceleration, strict=True)]
    )


@pytest.mark.parametrize("turned", TURNS, ids=lambda v: " ".join(f"{c:g}" for c in v))
def test_the_spring_of_a_bushing_is_the_gradient_of_its_energy(turned: Array) -> None:
    chance = np.random.default_rng(3)
    bushing = rubber(chance, damped=False)
    model, state = between(chance, bushing, turned)
    acceleration, _, (_, potential) = at_one_state(model, state=state)

    def energy(moved: Array) -> float:
        z, _ = strain(bushing, state.positions + moved[:, :3], rotation.turned(state.quaternions, moved[:, 3:]))
        return float(0.5 * z @ bushing.stiffness @ z)

    assert potential == pytest.approx(energy(np.zeros((2, 6))))
    expected, step = np.zeros((2, 6)), 1e-5
    for i in range(2):
        for k in range(6):
            moved = np.zeros((2, 6))
            moved[i, k] = step
            expected[i, k] = -(energy(moved) - energy(-moved)) / (2 * step)
    assert_allclose(forces(model, acceleration), expected, rtol=0, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("turned", TURNS[:4], ids=lambda v: " ".join(f"{c:g}" for c in v))
def test_the_damper_of_a_bushing(turned: Array) -> None:
    """It takes żᵀ D ż with the rate of u and the relative turning, and pulls both bodies alike."""
    chance = np.random.default_rng(5)
    bushing = rubber(chance, damped=True)
    model, state = between(chance, bushing, turned)
    acceleration, power, (_, potential) = at_one_state(model, state=state)
    v, step = state.velocities, 1e-6
    ends = [
        strain(bushing, state.positions + s * v[:, :3], rotation.turned(state.quaternions, s * v[:, 3:]))[0][:3]
        for s in (step, -step)
    ]
    _, axes = strain(bushing, state.positions, state.quaternions)
    rate = np.concatenate([(ends[0] - ends[1]) / (2 * step), axes.T @ (v[1, 3:] - v[0, 3:])])
    drag = bushing.damping @ rate
    force, moment = -axes @ drag[:3], -axes @ drag[3:]
    R = rotation.matrix(state.quaternions)
    arm = R[1] @ bushing.point_b
    reach = state.positions[1] + arm - state.positions[0]
    expected = np.array([[*-force, *(-moment - np.cross(reach, force))], [*force, *(moment + np.cross(arm, force))]])
    assert potential == 0.0
    assert power[-1] == pytest.approx(float(rate @ drag), rel=1e-6)
    assert_allclose(forces(model, acceleration), expected, atol=1e-6 * np.abs(expected).max())


def test_a_load_without_a_stop_has_no_ends() -> None:
    spring = JointLoad(SLIDE, stiffness=7.0)
    _, power, (_, potential) = at_one_state(sliding(replace(spring, damping=2.0)), 1e6, 3.0)
    assert potential == 0.5 * 7.0 * 1e12
    assert power[-1] == pytest.approx(2.0 * 9.0)
