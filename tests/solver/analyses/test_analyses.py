"""Assembly, kinematics, inverse dynamics, equilibrium and linearisation against closed forms."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from solver import State, assemble, equilibrium, functions, inverse, kinematic, linearise, rotation, simulate, wrenches
from solver.analyses import kinematics
from solver.constraints import GROUND, AxesAngle, Coordinate, Distance, PointOnPlane, Primitive
from solver.model import JointLoad, Model, Motor, RigidBody
from tests.solver.examples import O, X, Y, Z, body, hinge, pendulum, planetary, poses, turn, wheels

G = 9.81
INERTIA = 0.15 + 0.25
"""Of a link of `pendulum` about its hinge."""


def fourbar(motors: tuple[Motor, ...] = (), spatial: bool = True) -> Model:
    """Crank 1, coupler 3, rocker 2, ground 3 m, crank upright; hinges about z, spatial: three rows repeat."""
    crank_end = np.array([0.0, 1.0, 0.0])
    # The rocker's end: 3 from the crank's end, 2 from (3, 0).
    rocker_end = np.array([*_meet(np.array([0.0, 1.0]), 3.0, np.array([3.0, 0.0]), 2.0), 0.0])
    ends = [(O, crank_end), (crank_end, rocker_end), (3 * X, rocker_end)]
    x = np.array([(a + b) / 2 for a, b in ends])
    angles = [np.arctan2(*(b - a)[1::-1]) for a, b in ends]
    q = rotation.exponential(np.array([[0, 0, a] for a in angles]))
    half = [np.linalg.norm(b - a) / 2 * X for a, b in ends]
    rows: list[Primitive] = [
        *hinge(GROUND, 0, O, -half[0], Z),
        *hinge(0, 1, half[0], -half[1], Z),
        *hinge(1, 2, half[1], half[2], Z),
        *hinge(GROUND, 2, 3 * X, -half[2], Z),
    ]
    crank = Coordinate("angle", GROUND, 0, O, Z, O, X, X)
    rods = tuple(RigidBody(n, m, m * np.eye(3) / 12) for n, m in (("crank", 1.0), ("coupler", 3.0), ("rocker", 2.0)))
    groups = ("A",) * 5 + ("B",) * 5 + ("C",) * 5 + ("D",) * 5
    return Model(rods, tuple(rows), x, q, groups, coordinates=(crank,), motors=motors, gravity=(0.0, -G, 0.0))


def _meet(p: np.ndarray, r: float, q: np.ndarray, s: float) -> Any:
    """The upper point at r from p and s from q."""
    d = np.linalg.norm(q - p)
    along = (r * r - s * s + d * d) / (2 * d)
    u = (q - p) / d
    return p + along * u + np.sqrt(r * r - along * along) * np.array([-u[1], u[0]])


def _rocker(crank: float) -> float:
    """The rocker's angle by the circles' meeting point."""
    end = _meet(np.array([np.cos(crank), np.sin(crank)]), 3.0, np.array([3.0, 0.0]), 2.0)
    return float(np.arctan2(end[1], end[0] - 3.0))


def _hanging(model: Model) -> State:
    """Links hanging straight down along −y."""
    n = len(model.bodies)
    q = rotation.exponential(np.tile([0, 0, -np.pi / 2], (n, 1)))
    return State.at_rest(np.array([[0, -0.5 - i, 0] for i in range(n)]), q)


class TestKinematic:
    def test_four_bar_follows_its_crank_as_geometry_says(self) -> None:
        crank = fourbar().coordinates[0]
        drive = Motor("crank", crank, "angle", functions.expression("pi/2 + 5*t + 3*t^2"))
        times = np.linspace(0.0, 2.0, 41)
        result = kinematic(fourbar((drive,)), times)
        assert result.status.ok
        run = result.trajectory
        wanted = np.pi / 2 + 5 * times + 3 * times**2
        assert_allclose(run.coordinates[:, 0], wanted, atol=1e-10)
        angles = np.array([_rocker(a) for a in wanted])
        R = rotation.matrix(run.quaternions[:, 2])
        assert_allclose(R[:, 0, 0], np.cos(angles), atol=1e-10)
        assert_allclose(R[:, 1, 0], np.sin(angles), atol=1e-10)
        # Rates by differences of the geometry.
        h = 1e-4
        slope = np.array([(_rocker(a + h) - _rocker(a - h)) / (2 * h) for a in wanted])
        bend = np.array([(_rocker(a + h) - 2 * _rocker(a) + _rocker(a - h)) / h**2 for a in wanted])
        rate = 5 + 6 * times
        assert_allclose(run.velocities[:, 2, 5], slope * rate, atol=1e-6)
        assert_allclose(run.accelerations[:, 2, 5], bend * rate**2 + slope * 6, atol=2e-3)
        assert run.constraint_position.max() < 1e-12
        assert run.constraint_velocity.max() < 1e-11

    def test_speeds_are_integrated_and_turns_counted_between_far_times(self) -> None:
        motor = Motor("sun", turn(GROUND, 0), "speed", functions.expression("100*sin(t)"))
        result = kinematic(planetary(motor), [0.0, 1.0, 3.0])
        assert result.status.ok
        sun = 100 * (1 - np.cos([0.0, 1.0, 3.0]))
        assert_allclose(result.trajectory.coordinates[:, 0], sun, rtol=1e-12, atol=1e-9)
        assert_allclose(result.trajectory.coordinates[:, 1], sun / 3, rtol=1e-12, atol=1e-9)

    @pytest.mark.parametrize(
        ("text", "why"), [("1e10*t", "too fast"), ("1e10*sin(t)", "too fast"), ("3e6*t", "far more than 30000 steps")]
    )
    def test_a_way_that_will_not_end_is_refused_soon(
        self, text: str, why: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        taken: list[int] = []
        refuse = kinematics._refuse_endless

        def counted(far: bool, steps: int, done: float, target: float) -> None:
            taken.append(steps)
            refuse(far, steps, done, target)

        monkeypatch.setattr(kinematics, "_refuse_endless", counted)
        x, q = poses([[0.0, 0.0, 0.0]])
        drive = Motor("wheel", turn(GROUND, 0), "angle", functions.expression(text))
        wheel = Model((body("wheel"),), tuple(hinge(GROUND, 0, O, O, Z)), x, q, motors=(drive,))
        with pytest.raises(ValueError, match=why):
            kinematic(wheel, [0.0, 1.0])
        assert max(taken) <= 1_010

    def test_a_link_that_cannot_follow_ends_with_a_status(self) -> None:
        # The rocker of a crank-rocker cannot be driven all the way round.
        base = fourbar()
        rocker = Coordinate("angle", GROUND, 2, 3 * X, Z, O, X, X)
        drive = Motor("rocker", rocker, "angle", functions.expression(f"{_rocker(np.pi / 2)} + 2*t"))
        result = kinematic(replace(base, motors=(drive,)), np.linspace(0, 3, 31))
        assert not result.status.ok
        assert result.status.code in ("inconsistent", "singular")
        assert 0 < len(result.trajectory.t) < 31

    def test_a_free_freedom_is_refused(self) -> None:
        with pytest.raises(ValueError, match="the drivers leave 1 freedom"):
            kinematic(fourbar(), [0.0])
        with pytest.raises(ValueError, match="times must be numbers that rise"):
            kinematic(fourbar(), [1.0, 0.5])


class TestInverse:
    def test_torque_of_a_pendulum(self) -> None:
        angle, rate, acceleration = 0.3, 2.0, 5.0
        model = replace(pendulum(), groups=("hinge",) * 5)
        q = rotation.exponential(np.array([[0, 0, angle]]))
        r = np.array([np.cos(angle), np.sin(angle), 0]) / 2
        state = State(0.0, r[None], q, np.array([[*np.cross(rate * Z, r), 0, 0, rate]]))
        found = inverse(model, [state], [[acceleration]])
        assert_allclose(found.efforts, [[INERTIA * acceleration + 0.5 * G * np.cos(angle)]], rtol=1e-12)
        assert_allclose(found.unmet, 0.0, atol=1e-10)

    def test_efforts_of_a_forward_run_are_found_again(self) -> None:
        torque = functions.expression("3*sin(5*t)")
        model = fourbar()
        driven = replace(model, motors=(Motor("m", model.coordinates[0], "torque", torque),))
        run = simulate(driven, duration=0.5, rate=20.0, rtol=1e-10, atol=1e-10).trajectory
        states = [State(*arrays) for arrays in zip(run.t, run.positions, run.quaternions, run.velocities, strict=True)]
        found = inverse(model, states, run.coordinate_accelerations)
        assert_allclose(found.efforts[:, 0], 3 * np.sin(5 * run.t), atol=1e-8)
        assert_allclose(found.accelerations, run.accelerations, atol=1e-7)
        assert_allclose(found.multipliers, run.multipliers, atol=1e-7)

    def test_drivers_of_a_kinematic_run_tell_efforts_and_reactions(self) -> None:
        base = replace(pendulum(), groups=("hinge",) * 5)
        motor = Motor("drive", base.coordinates[0], "angle", functions.expression("t^2"))
        model = replace(base, motors=(motor,))
        run = kinematic(model, [0.0, 0.4]).trajectory
        torque = wrenches(model, run)["drive"][:, 5]
        angle = run.coordinates[:, 0]
        assert_allclose(angle, [0, 0.16], atol=1e-12)
        assert_allclose(torque, 2 * INERTIA + 0.5 * G * np.cos(angle), rtol=1e-10)
        # The hinge carries the weight and what bends the path: m (r̈ − g).
        force = wrenches(model, run)["hinge"][:, :3]
        assert_allclose(force, run.accelerations[:, 0, :3] + [0, G, 0], atol=1e-9)

    def test_shapes_that_do_not_fit_are_refused(self) -> None:
        model = pendulum()
        with pytest.raises(ValueError, match=r"the accelerations must be \(1, 1\)"):
            inverse(model, [State.at_rest(model.positions, model.quaternions)], [[1.0, 2.0]])


class TestEquilibrium:
    def test_double_pendulum_comes_to_hang(self) -> None:
        model = pendulum(2)
        found = equilibrium(model)
        assert found.status.ok
        assert found.stable
        assert_allclose(found.state.positions, [[0, -0.5, 0], [0, -1.5, 0]], atol=1e-8)
        held = simulate(model, found.state, duration=0.5, rate=4.0).trajectory
        assert_allclose(held.positions[-1], found.state.positions, atol=1e-8)

    def test_spring_holds_a_link_where_the_moments_balance(self) -> None:
        model = replace(pendulum(), loads=(JointLoad(turn(GROUND, 0), stiffness=10.0, rest=0.2),))
        angle = brentq(lambda a: 10 * (a - 0.2) + 0.5 * G * np.cos(a), -2, 2)
        found = equilibrium(model)
        assert found.status.ok
        assert_allclose(found.state.positions[0], [np.cos(angle) / 2, np.sin(angle) / 2, 0], atol=1e-9)

    def test_a_pose_on_its_head_is_found_and_called_unstable(self) -> None:
        model = pendulum()
        up = State.at_rest(np.array([[0, 0.5, 0]]), rotation.exponential(np.array([[0, 0, np.pi / 2]])))
        found = equilibrium(model, up)
        assert found.status.ok
        assert not found.stable

    def test_what_turns_for_ever_has_no_equilibrium(self) -> None:
        motor = Motor("m", turn(GROUND, 0), "torque", functions.constant(1.0))
        found = equilibrium(wheels(1.5, (motor,)))
        assert (found.status.ok, found.status.code) == (False, "no_convergence")
        assert "none" in found.status.advice


class TestLinearise:
    def test_pendulum_swings_at_its_frequency(self) -> None:
        model = pendulum()
        found = linearise(model, _hanging(model))
        frequency = np.sqrt(0.5 * G / INERTIA) / (2 * np.pi)
        assert_allclose(found.frequencies, [frequency, frequency], rtol=1e-9)
        assert_allclose(found.ratios, 0.0, atol=1e-9)
        assert found.unbalanced < 1e-9

    def test_double_pendulum_has_the_frequencies_of_its_matrices(self) -> None:
        model = pendulum(2)
        found = linearise(model, _hanging(model))
        # About the vertical, absolute angles: both links 1 kg, 1 m, I about the centre.
        M = np.array([[INERTIA + 1.0, 0.5], [0.5, INERTIA]])
        K = np.diag([1.5 * G, 0.5 * G])
        wanted = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K))) / (2 * np.pi)
        assert_allclose(found.frequencies[::2], np.sort(wanted), rtol=1e-8)

    @pytest.mark.parametrize("light", [1e-3, 1e-6, 1e-9])
    def test_a_light_link_under_load_vibrates_like_a_string(self, light: float) -> None:
        """Absolute angles, as above, with a second link without inertia of its own: a light link between the two ends
        of a rope that carries it."""
        base = pendulum(2)
        bodies = (RigidBody("light", light, light * 0.15 * np.eye(3)), RigidBody("bob", 1.0, light * np.eye(3)))
        model = replace(base, bodies=bodies)
        M = np.array([[light * INERTIA + 1.0, 0.5], [0.5, 0.25 + light]])
        K = np.diag([(0.5 * light + 1.0) * G, 0.5 * G])
        wanted = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).max()) / (2 * np.pi)
        assert_allclose(linearise(model, _hanging(model)).frequencies.max(), wanted, rtol=1e-5)

    def test_spring_mass_chain_with_dampers(self) -> None:
        """Three masses between walls on equal springs and dampers: ω_j = 2 √(k/m) sin(jπ/8), ζ = d ω_j/(2 k)."""
        k, d, m = 400.0, 0.8, 2.0
        x, q = poses([[i + 1.0, 0, 0] for i in range(3)])
        rows: list[Primitive] = []
        for i in range(3):
            rows += [*_guide(i)]
        ends = [(GROUND, 0, O), (0, 1, O), (1, 2, O), (2, GROUND, O)]
        loads = tuple(
            JointLoad(Coordinate("distance", a, b, p, X, 4 * X if b == GROUND else O), stiffness=k, damping=d, rest=1.0)
            for a, b, p in ends
        )
        model = Model(tuple(body(f"m{i}", m) for i in range(3)), tuple(rows), x, q, loads=loads)
        found = linearise(model)
        omega = 2 * np.sqrt(k / m) * np.sin(np.arange(1, 4) * np.pi / 8)
        assert_allclose(found.frequencies[::2] * 2 * np.pi, omega, rtol=1e-9)
        assert_allclose(found.ratios[::2], d * omega / (2 * k), rtol=1e-7)
        first = found.shapes[[0, 6, 12], 0]
        assert_allclose(first, [np.sqrt(0.5), 1, np.sqrt(0.5)], atol=1e-8)

    def test_four_bar_agrees_with_its_motion(self) -> None:
        """About its equilibrium a four-bar with a spring swings at the frequency that a small motion shows."""
        base = fourbar()
        model = replace(base, loads=(JointLoad(base.coordinates[0], stiffness=200.0, rest=np.pi / 2),))
        rest = equilibrium(model)
        assert rest.status.ok
        found = linearise(model, rest.state)
        assert len(found.frequencies) == 2
        kicked = replace(rest.state, velocities=1e-4 * np.real(found.shapes[:, 0]).reshape(3, 6))
        period = 1 / found.frequencies[0]
        run = simulate(model, kicked, duration=period, rate=4 / period, rtol=1e-12, atol=1e-12).trajectory
        q = run.coordinates[:, 0] - run.coordinates[0, 0]
        assert_allclose(q[[2, 4]] / q[1], 0.0, atol=1e-4)
        assert_allclose(q[3] / q[1], -1.0, atol=1e-4)

    def test_a_free_wheel_has_frequency_zero(self) -> None:
        found = linearise(wheels(1.5))
        assert_allclose(found.frequencies, 0.0, atol=1e-6)
        assert found.basis.shape == (12, 1)


def _guide(i: int) -> list[Primitive]:
    """Body i slides along x."""
    return [
        PointOnPlane(GROUND, i, O, Y, O),
        PointOnPlane(GROUND, i, O, Z, O),
        AxesAngle(GROUND, i, X, Y),
        AxesAngle(GROUND, i, Y, Z),
        AxesAngle(GROUND, i, Z, X),
    ]


class TestAssemble:
    def test_nearest_point_of_a_circle(self) -> None:
        x, q = poses([[1, 0, 0]])
        model = Model((body(),), (Distance(GROUND, 0, O, O, 1.0), PointOnPlane(GROUND, 0, O, Z, O)), x, q)
        rough = State.at_rest(np.array([[1.2, 0.9, 0.7]]), q)
        found = assemble(model, rough)
        assert found.status.ok
        assert_allclose(found.state.positions[0], [0.8, 0.6, 0], atol=1e-9)

    def test_masses_weigh_who_moves(self) -> None:
        """Two sliders 1 m apart: the gap closes by who is light; the way of least m d²."""
        x, q = poses([[0, 0, 0], [1, 0, 0]])
        rows = [*_guide(0), *_guide(1), Distance(0, 1, O, O, 1.0)]
        model = Model((body("light", 1.0), body("heavy", 3.0)), tuple(rows), x, q)
        found = assemble(model, State.at_rest(np.array([[0, 0, 0], [1.4, 0, 0]]), q))
        assert_allclose(found.state.positions[:, 0], [0.3, 1.3], atol=1e-9)

    def test_nothing_near_is_nearer(self) -> None:
        model = fourbar()
        rough = replace(
            State.at_rest(model.positions + 0.1 * np.array([[1, 2, 3], [-2, 1, 0], [0, -1, 2]]), model.quaternions),
            velocities=np.ones((3, 6)),
        )
        found = assemble(model, rough)
        assert found.status.ok
        crank = model.coordinates[0]

        def distance(angle: float) -> float:
            drive = Motor("m", crank, "angle", functions.constant(angle))
            state = kinematic(replace(model, motors=(drive,)), [0.0], replace(found.state, angles=None)).trajectory
            way = state.positions[0] - rough.positions
            turn_ = rotation.logarithm(rotation.multiply(state.quaternions[0], rotation.conjugate(rough.quaternions)))
            masses = np.array([b.mass for b in model.bodies])
            return float(masses @ np.sum(way**2, axis=1) + masses @ np.sum(turn_**2, axis=1) / 12)

        here = simulate(model, found.state, duration=0.0, rate=1.0).trajectory.coordinates[0, 0]
        best = distance(here)
        assert all(distance(here + d) > best for d in (-0.02, -0.002, 0.002, 0.02))

    def test_an_unreachable_pose_tells_where_and_by_how_much(self) -> None:
        model = replace(fourbar(), groups=("A",) * 5 + ("B",) * 5 + ("C",) * 5 + ("D",) * 5)
        far = [
            p if not (isinstance(p, PointOnPlane) and p.a == GROUND and p.b == 2) else replace(p, point_a=8 * X)
            for p in model.primitives
        ]
        found = assemble(replace(model, primitives=tuple(far)), State.at_rest(model.positions, model.quaternions))
        assert (found.status.ok, found.status.code) == (False, "inconsistent")
        assert set(found.status.groups) <= {"A", "B", "C", "D"}
        assert " mm)" in found.status.message
