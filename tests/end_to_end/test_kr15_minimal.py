"""The KR 15 fixture beside itself in minimal coordinates, computed by Pinocchio.

Its gears are linear in the turns of its 26 hinges, so that six of them tell all: q̇ = S q̇_m, S constant. The reduced
equations of motion Sᵀ M S q̈_m = Sᵀ (τ − h) hold no constraint and share nothing with the solver: gears are taken
as contacts at which the pitch circles do not slip.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.linalg import null_space

from cadbridge.frames import Pose
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.simulation import MotorSpec, Scenario, simulate
from solver.constraints import GearPair
from solver.functions import expression

Array = NDArray[np.float64]
MOTORS = tuple(f"Insert:A{i}_MotorRotor" for i in range(1, 7))
TORQUES = ("2*cos(3*t)", "3-2*cos(2*t)", "-0.4*sin(t)", "0.05*cos(5*t)", "-0.03*sin(2*t)", "0.02")


def se3(X: Pose) -> Any:
    return pin.SE3(np.asarray(X.R), np.asarray(X.p))


class Tree:
    """The hinges as Pinocchio has them; `at[body]`: its joint and its frame B in that joint's frame."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.model: Any = pin.Model()
        self.at = {GROUND_BODY: (0, Pose())}
        self.names: list[str] = []
        self.signs: list[float] = []
        for k in self._outwards(mechanism):
            joint = mechanism.joints[k]
            assert joint.type == "revolute"
            forward = joint.a in self.at
            parent, child = (joint.a, joint.b) if forward else (joint.b, joint.a)
            X_PJ, X_CJ = (joint.X_AJ, joint.X_BJ) if forward else (joint.X_BJ, joint.X_AJ)
            number, X_FP = self.at[parent]
            added = self.model.addJoint(number, pin.JointModelRZ(), se3(X_FP @ X_PJ), joint.name)
            self.at[child] = (added, X_CJ.inverse())
            mass = mechanism.bodies[child].mass
            assert mass is not None
            inertia = pin.Inertia(mass.mass, np.asarray(mass.com), np.asarray(mass.inertia))
            self.model.appendBodyToJoint(added, inertia, se3(X_CJ.inverse()))
            self.names.append(joint.name)
            self.signs.append(1.0 if forward else -1.0)

    def _outwards(self, mechanism: Mechanism) -> Iterator[int]:
        """Depth first: Pinocchio counts on a subtree's velocities standing side by side."""
        waiting = [(k, body) for k, joint in enumerate(mechanism.joints) for body in (joint.a, joint.b)]
        bodies = [GROUND_BODY]
        while bodies:
            near = next((k for k, body in waiting if body == bodies[-1]), None)
            if near is None:
                bodies.pop()
                continue
            waiting = [(k, body) for k, body in waiting if k != near]
            yield near
            joint = mechanism.joints[near]
            bodies.append(joint.b if joint.a == bodies[-1] else joint.a)

    def no_slip(self, gear: GearPair, mechanism: Mechanism) -> Array:
        """The rates' coefficients (26,) in the speed by which b slips on a at the pitch point, at the designed pose."""
        data = self.model.createData()
        pin.computeJointJacobians(self.model, data, pin.neutral(self.model))
        point, along = pitch_point(gear, mechanism)

        def speed(body: int) -> Array:
            J = pin.getJointJacobian(self.model, data, self.at[body][0], pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            arm = point - data.oMi[self.at[body][0]].translation
            return np.asarray(along @ (J[:3] - pin.skew(arm) @ J[3:]))

        return speed(gear.b) - speed(gear.a)


def pitch_point(gear: GearPair, mechanism: Mechanism) -> tuple[Array, Array]:
    """Where the pitch circles touch, and the direction in which they must not slip there; in the world."""
    A, B = mechanism.bodies[gear.a].X_WB, mechanism.bodies[gear.b].X_WB
    a, b, axis, other = A.point(gear.point_a), B.point(gear.point_b), A.vector(gear.axis_a), B.vector(gear.axis_b)
    if gear.kind == "bevel":
        reach = np.linalg.lstsq(np.stack([axis, -other], axis=1), b - a, rcond=None)[0]
        apex = a + reach[0] * axis
        out_a, out_b = (a - apex) / np.linalg.norm(a - apex), (b - apex) / np.linalg.norm(b - apex)
        assert abs(out_a @ out_b) < 1e-12
        return apex + 0.01 * (gear.ratio * out_a + out_b), np.cross(out_a, out_b)
    line = b - a - axis * (axis @ (b - a))
    # From a towards b at a's share of the distance; beyond a where b is the annulus, beyond b where a is.
    share = 1 / (1 + gear.ratio) if gear.kind == "spur" else 1 / (1 - gear.ratio)
    return a + share * line, np.cross(axis, line) / np.linalg.norm(line)


def reduced_motion(tree: Tree, S: Array, duration: float) -> Array:
    """The hinges' turns (26,) after `duration` from rest as designed, under gravity and the motors' torques."""
    functions = [expression(text) for text in TORQUES]
    model, data = tree.model, tree.model.createData()
    motors = [tree.names.index(name) for name in MOTORS]
    model.gravity.linear = np.array([0.0, 0.0, -9.81])

    def rates(t: float, state: Array) -> Array:
        q, v = S @ state[:6], S @ state[6:]
        torque = np.zeros(model.nv)
        for function, i in zip(functions, motors, strict=True):
            torque[i] = tree.signs[i] * function.evaluate(t)[0]
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, q, v)
        return np.concatenate([state[6:], np.linalg.solve(S.T @ M @ S, S.T @ (torque - h))])

    done = solve_ivp(rates, (0.0, duration), np.zeros(12), method="DOP853", rtol=3e-14, atol=3e-14)
    return np.asarray(S @ done.y[:6, -1] * tree.signs)


@pytest.mark.parametrize("method", ["absolute", "tree"])
def test_the_kr15_moves_as_in_minimal_coordinates(kr15: Mechanism, method: str) -> None:
    tree = Tree(kr15)
    gears = [c.primitive for c in kr15.couplings if isinstance(c.primitive, GearPair)]
    rows = np.array([tree.no_slip(gear, kr15) for gear in gears])
    assert rows.shape == (20, 26)
    free = null_space(rows)
    assert free.shape == (26, 6)
    motors = tuple(MotorSpec(name, torque=expression(text)) for name, text in zip(MOTORS, TORQUES, strict=True))
    S = free @ np.linalg.inv(free[[tree.names.index(name) for name in MOTORS]])
    expected = reduced_motion(tree, S, 0.5)
    scenario = Scenario(duration=0.5, rate=2.0, rtol=1e-10, atol=1e-10, motors=motors, sensitivity=False)
    run = simulate(kr15, scenario, method=method)
    assert run.result.status.ok
    ours = {j.name: run.result.trajectory.coordinates[-1, i] for i, j in enumerate(run.lowered.joints)}
    assert np.max(np.abs(expected)) > 2 * np.pi * 10
    for name, value in zip(tree.names, expected, strict=True):
        assert ours[name] == pytest.approx(value, abs=1e-9), name
