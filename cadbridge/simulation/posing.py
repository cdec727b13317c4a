"""Moving a mechanism by hand: some joints are led, and loops, gears and everything else follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector
from cadbridge.inertia import MassProperties
from cadbridge.lowering import lower
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.mechanism.twists import jacobian
from cadbridge.simulation.fitting import fitted
from solver.algebra.rank import null_space
from solver.equations.projection import Projected, carry_angles, project
from solver.equations.system import prepare
from solver.model import Motor, TimeFunction
from solver.result import Status
from solver.rotation import matrix
from solver.state import State

Array = NDArray[np.float64]

TURN = 1.2
"""rad by which no body turns at once: a gear's angle must stay on its branch."""
PULLS = 3
"""Steps that a pull at a point takes towards its target: of a drag the next event takes the next ones."""
DAMPING = 0.03
"""Share of the largest influence on a point below which a joint hardly moves: near singular poses none runs away."""
SLIDE = 0.1
"""Share of the mechanism's length by which no body slides at once."""


@dataclass(frozen=True, eq=False)
class Posed:
    """Where the bodies are: `poses` X_WB in the order of the mechanism, `values` of the led joints (rad, m).

    `status` reports the joints that stay open where the mechanism does not reach what was asked; `values` are
    then the last ones reached.
    """

    poses: tuple[Pose, ...]
    values: dict[str, float]
    status: Status


class Mover:
    """Leads joints with one freedom to values; the rest is found by projection on the constraints.

    Every call starts from the pose of the last one, so that gears keep their turns and loops their branch.
    """

    def __init__(self, mechanism: Mechanism, led: tuple[str, ...] | None = None) -> None:
        """`led` are joint names, by default `leading_joints`. KeyError where one of them has no coordinate."""
        self.mechanism = mechanism = fitted(_with_masses(mechanism), Findings())
        self._wanted: dict[str, tuple[float, float]] = {}
        lowered = lower(mechanism)
        plain = replace(lowered.model, loads=())
        index = {j.name: i for i, j in enumerate(lowered.joints)}
        self.joints = tuple(lowered.joints[index[n]] for n in (leading_joints(mechanism) if led is None else led))
        motors = tuple(
            Motor(j.name, plain.coordinates[index[j.name]], "angle", self._function(j.name)) for j in self.joints
        )
        self._units = lowered.units
        self._system = prepare(replace(plain, motors=motors))
        self._values = {j.name: 0.0 for j in self.joints}
        start = carry_angles(State.at_rest(plain.positions, plain.quaternions), prepare(plain), self._system)
        found = project(self._system, start)
        self._home, self._status = found.state, found.status
        self._state = self._home
        self._reach: dict[str, float] = {}

    @property
    def values(self) -> dict[str, float]:
        """Where the led joints are: rad, m, 0 as designed."""
        return dict(self._values)

    def home(self) -> Posed:
        """Back to the designed pose."""
        self._state, self._values = self._home, {j.name: 0.0 for j in self.joints}
        return Posed(self._poses(), dict(self._values), self._status)

    def move(self, values: Mapping[str, float]) -> Posed:
        """Lead joints to values (rad, m; 0 as designed); the led joints that are not named stay."""
        start, goal = dict(self._values), {**self._values, **values}
        steps = max(
            1, int(np.ceil(sum(abs(goal[j.name] - start[j.name]) / self.reach(j.name) for j in self.joints) - 1e-9))
        )
        status = self._status
        for step in range(1, steps + 1):
            share = step / steps
            wanted = {name: start[name] + share * (goal[name] - start[name]) for name in goal}
            found = self._project({name: (value, 0.0) for name, value in wanted.items()}, self._state)
            if not found.status.ok:
                status = found.status
                break
            self._state, self._values, status = found.state, wanted, found.status
        return Posed(self._poses(), dict(self._values), status)

    def pull(self, body: int, point: Vector, target: Vector) -> Posed:
        """Lead the joints so that a point of a body comes as near to a place in the world as they let it.

        `point` (3,) in the body's frame B, `target` (3,) in the world, in m. Damped least squares (Wampler 1986) over
        the led joints, each within its limits; a step that brings the point no nearer is halved, then given up.
        """
        posed = Posed(self._poses(), dict(self._values), self._status)
        for _ in range(PULLS):
            away = target - posed.poses[body].point(point)
            step = self._step(body, posed.poses[body].R @ point, away)
            nearer = None
            for share in (1.0, 0.5, 0.25):
                tried = self.move({name: self._values[name] + share * change for name, change in step.items()})
                if float(np.linalg.norm(target - tried.poses[body].point(point))) < float(np.linalg.norm(away)):
                    nearer = tried
                    break
                self.move(posed.values)
            if nearer is None:
                return posed
            posed = nearer
        return posed

    def _step(self, body: int, lever: Vector, away: Vector) -> dict[str, float]:
        """Changes of the led joints that move a point of a body, at `lever` from its origin, by about `away`.

        A joint that would leave its limits stops at them, and the others make up for it.
        """
        step: dict[str, float] = {}
        free = {j.name: j for j in self.joints}
        columns = {name: _velocity(self.twists(name)[body], lever) for name in free}
        left = away
        while free:
            J = np.stack([columns[name] for name in free], axis=1)
            size = float(np.linalg.norm(J, 2))
            if size < 1e-12:
                break
            wanted = J.T @ np.linalg.solve(J @ J.T + (DAMPING * size) ** 2 * np.eye(3), left)
            most = max(abs(w) / self.reach(name) for w, name in zip(wanted, free, strict=True))
            wanted = wanted / max(1.0, most)
            held = {}
            for name, change in zip(free, wanted, strict=True):
                allowed = _within(free[name], self._values[name] + change) - self._values[name]
                if abs(allowed - change) > 1e-12:
                    held[name] = allowed
            if not held:
                return step | dict(zip(free, map(float, wanted), strict=True))
            for name, change in held.items():
                step[name] = change
                left = left - columns[name] * change
                del free[name]
        return step

    def twists(self, name: str) -> Array:
        """Velocities (n, 6) [v of frame B; ω] while a led joint goes 1 rad/s or m/s and the other led ones rest."""
        rates = {j.name: (self._values[j.name], 1.0 if j.name == name else 0.0) for j in self.joints}
        state = replace(self._state, velocities=np.zeros_like(self._state.velocities))
        found = np.array(self._project(rates, state).state.velocities)
        for i, X in enumerate(self._poses()):
            found[i, :3] += np.cross(found[i, 3:], -X.R @ self._units[i].mass.com)
        return found

    def ratios(self) -> dict[str, tuple[str, float]]:
        """Of each joint that exactly one led joint moves: that one, and the rate of the joint for a rate of 1 of it.

        Both of them turn, and this is so where the mechanism stands: a loop has other ratios elsewhere.
        """
        led = [j for j in self.joints if j.coordinate == "angle"]
        twists = {j.name: self.twists(j.name).ravel() for j in self.joints}
        found = {}
        for joint in self.mechanism.joints:
            if joint.coordinate != "angle" or joint.name in twists:
                continue
            row = _rate(self.mechanism, joint)
            rates = {name: float(row @ twist) for name, twist in twists.items()}
            moving = [name for name, rate in rates.items() if abs(rate) > 1e-6]
            if len(moving) == 1 and moving[0] in {j.name for j in led}:
                found[joint.name] = moving[0], rates[moving[0]]
        return found

    def reach(self, name: str) -> float:
        """How far (rad, m) a led joint may go at once."""
        if name not in self._reach:
            twists = self.twists(name)
            turn = float(np.max(np.linalg.norm(twists[:, 3:], axis=1), initial=0.0)) / TURN
            slide = float(np.max(np.linalg.norm(twists[:, :3], axis=1), initial=0.0))
            slide = 0.0 if turn else slide / (SLIDE * self.mechanism.length_scale)
            self._reach[name] = 1.0 / max(turn, slide, 1.0 / TURN)
        return self._reach[name]

    def _project(self, wanted: Mapping[str, tuple[float, float]], state: State) -> Projected:
        self._wanted = dict(wanted)
        return project(self._system, state, tolerance=1e-7)

    def _function(self, name: str) -> TimeFunction:
        return TimeFunction(lambda t: (*self._wanted.get(name, (0.0, 0.0)), 0.0))

    def _poses(self) -> tuple[Pose, ...]:
        poses = []
        for unit, x, q in zip(self._units, self._state.positions, self._state.quaternions, strict=True):
            R = np.asarray(matrix(q))
            poses.append(Pose(R, x - R @ unit.mass.com))
        return tuple(poses)


def _velocity(twist: Array, lever: Vector) -> Array:
    """The velocity (3,) of a point at `lever` from the origin of a body with the twist [v; ω]."""
    return np.asarray(twist[:3] + np.cross(twist[3:], lever))


def _within(joint: Joint, value: float) -> float:
    """The value, or the limit of the joint that it passes."""
    lower, upper = (joint.limit.lower, joint.limit.upper) if joint.limit is not None else (None, None)
    if lower is not None and value < min(lower, 0.0):
        return min(lower, 0.0)
    if upper is not None and value > max(upper, 0.0):
        return max(upper, 0.0)
    return value


def leading_joints(mechanism: Mechanism, first: str | None = None) -> tuple[str, ...]:
    """Joints with one freedom whose coordinates are independent, as many as there are: the `first`, those with a name
    that a person requested, then in the order of the mechanism."""
    primitives = [p for j in mechanism.joints for p in j.primitives] + [c.primitive for c in mechanism.couplings]
    length = mechanism.length_scale
    _, G = jacobian(primitives, [body.X_WB for body in mechanism.bodies])
    N = null_space(G, length) if len(G) else np.eye(6 * len(mechanism.bodies))
    requested = {*mechanism.assembly.joint_names.values(), *(d.joint for d in mechanism.drives)}
    candidates = [j for j in mechanism.joints if j.coordinate]
    chosen: list[str] = []
    basis = np.zeros((0, N.shape[1]))
    for joint in sorted(candidates, key=lambda j: (j.name != first, j.name not in requested)):
        row = _rate(mechanism, joint) @ N
        rest = row - (row @ basis.T) @ basis
        if float(np.linalg.norm(rest)) > 1e-3 * max(float(np.linalg.norm(row)), 1e-12) and np.linalg.norm(row) > 1e-9:
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
            chosen.append(joint.name)
    return tuple(chosen)


def _rate(mechanism: Mechanism, joint: Joint) -> Array:
    """The row (6n,) that gives a joint's rate (rad/s or m/s) from the bodies' twists."""
    row = np.zeros(6 * len(mechanism.bodies))
    base = mechanism.bodies[joint.a] if joint.a != GROUND_BODY else mechanism.ground
    X_WJ = base.X_WB @ joint.X_AJ
    z = X_WJ.R[:, 2]
    for body, sign in ((joint.a, -1.0), (joint.b, 1.0)):
        if body == GROUND_BODY:
            continue
        if joint.coordinate == "angle":
            row[6 * body + 3 : 6 * body + 6] += sign * z
        else:
            row[6 * body : 6 * body + 3] += sign * z
            row[6 * body + 3 : 6 * body + 6] += sign * np.cross(X_WJ.p - mechanism.bodies[body].X_WB.p, z)
    return row


def _is_inert(mass: MassProperties | None) -> bool:
    """Whether a body resists every motion."""
    return mass is not None and mass.mass > 0 and float(np.linalg.eigvalsh(mass.inertia)[0]) > 0


def _with_masses(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a mass for bodies that lack mass or inertia: it weighs who gives way where nothing leads."""
    size = (0.1 * mechanism.length_scale) ** 2
    filler = MassProperties(1.0, np.zeros(3), size * np.eye(3))
    bodies = tuple(b if _is_inert(b.mass) else replace(b, mass=filler, mass_source=None) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies)
