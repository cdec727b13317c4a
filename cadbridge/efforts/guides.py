"""What leads a mechanism along a motion: drivers of joints, of points, and of bodies' orientations.

An orientation is prescribed through gimbals: bodies without a part in the mechanism, hinged one on the other about the
axes of its turns, each hinge with a driver. The last one carries the body's axes. So angles of any size are followed,
no pose is singular, and the torque that turns the body is the gimbal's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.motion import BodyPath, JointPath, Motion, Turning
from cadbridge.lowering import Lowered, prepared
from cadbridge.mechanism import GROUND_BODY
from cadbridge.simulation.frames import PARALLEL_PAIRS
from solver import rotation
from solver.constraints import AxesAngle, Coordinate, PointOnPlane, Primitive
from solver.equations.projection import complete
from solver.equations.system import System, prepare
from solver.model import Model, Motor, RigidBody, TimeFunction
from solver.result import Trajectory
from solver.state import State

Array = NDArray[np.float64]

_ORIGIN = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Gimbals:
    """The gimbals of a body: the `first` one's index, their motors, and the index of the first primitive after them."""

    path: BodyPath
    first: int
    motors: tuple[Motor, ...]
    primitive: int


@dataclass(frozen=True, eq=False)
class PrescribedModel:
    """A model with the drivers of a motion and with gimbals behind its own `bodies` and `rows`; compiled."""

    system: System
    plain: System
    gimbals: tuple[Gimbals, ...]

    def start(self, state: State, t: float) -> State:
        """A state of the plain model as one of this: the gimbals are where their angles at t put them."""
        x, q, angles = [state.positions], [state.quaternions], {}
        for gimbal in self.gimbals:
            R = np.eye(3)
            for motor in gimbal.motors:
                angle = motor.function.evaluate(t)[0]
                angles[motor.coordinate] = angle
                R = R @ rotation.matrix(rotation.exponential(angle * motor.coordinate.axis_a))
                x.append(_ORIGIN[None])
                q.append(rotation.quaternion(R)[None])
        positions = np.vstack(x)
        widened = State(t, positions, np.vstack(q), np.zeros((len(positions), 6)))
        carried, principal = complete(self.plain, state).angles, complete(self.system, widened).angles
        assert carried is not None
        assert principal is not None
        known = dict(zip(self.plain.angle_owner, carried, strict=True))
        own = [
            angles[o] if isinstance(o, Coordinate) and o in angles else known.get(o, a)
            for o, a in zip(self.system.angle_owner, principal, strict=True)
        ]
        return replace(widened, angles=np.array(own, float))

    def plain_state(self, state: State) -> State:
        """A state without the gimbals."""
        n, known = len(self.plain.model.bodies), complete(self.system, state)
        arrays = (known.positions[:n], known.quaternions[:n], known.velocities[:n])
        return State(state.t, *arrays, known.branches[self._kept])

    @cached_property
    def _kept(self) -> list[int]:
        """Which of this model's angles are the plain one's."""
        index = {owner: i for i, owner in enumerate(self.system.angle_owner)}
        return [index[owner] for owner in self.plain.angle_owner]

    def without_gimbals(self, T: Trajectory) -> Trajectory:
        """A trajectory of the plain model; its multipliers are those of its rows, drivers left out."""
        n = len(self.plain.model.bodies)
        angles = T.angles.reshape(len(T.t), len(self.system.angle_owner))
        return replace(
            T,
            positions=T.positions[:, :n],
            quaternions=T.quaternions[:, :n],
            velocities=T.velocities[:, :n],
            accelerations=T.accelerations[:, :n],
            angles=angles[:, self._kept],
            multipliers=T.multipliers[:, : self.plain.constraint_rows],
        )

    def driver_efforts(self, T: Trajectory) -> dict[int, Array]:
        """Efforts (k,) of the drivers of `T`, by the index of their motors."""
        held = int(self.system.program.primitive_row[-1])
        return {i: -T.multipliers[:, held + i] for i in range(len(self.system.model.motors))}

    def gimbal_torques(self, T: Trajectory) -> dict[str, Array]:
        """Torque (k, 3), world axes, with which the gimbals turn each body, by its name."""
        found = {}
        for gimbal in self.gimbals:
            row = int(self.system.program.primitive_row[gimbal.primitive])
            unit = self.system.model.primitives[gimbal.primitive].b
            C = rotation.matrix(T.quaternions[:, unit]) @ gimbal.path.X_BC.R
            # d(u·w)/dt = ω·(w × u) for w in the body, and u lies along an axis of the body's too.
            torques = [
                -T.multipliers[:, row + k, None] * np.cross(C[:, :, j], C[:, :, i])
                for k, (i, j) in enumerate(PARALLEL_PAIRS)
            ]
            found[gimbal.path.name] = np.sum(torques, axis=0)
        return found


def prescribed_model(model: Model, motion: Motion, lowered: Lowered) -> PrescribedModel:
    """The model with drivers and gimbals for a motion: first those of joints, then of points, then of gimbals."""
    motors = [Motor(p.joint, joint_coordinate(lowered, p.joint), "angle", p.function) for p in motion.joints]
    for path in motion.bodies:
        for k, function in enumerate(path.position):
            if function is not None:
                motors.append(Motor(path.name, _height(path, k, lowered), "angle", function))
    bodies, primitives, gimbals = list(model.bodies), list(model.primitives), []
    for path in motion.bodies:
        if path.turning is not None:
            made = _gimbals(path, path.turning, lowered, len(bodies), len(primitives))
            # A body must have some inertia. What the gimbals' own asks for goes into their own drivers; the torque on
            # the body is that of the rows that hold it.
            bodies += [RigidBody(f"gimbal of {path.name}", 1.0, np.eye(3))] * len(made[0].motors)
            primitives += made[1]
            gimbals.append(made[0])
    extra = len(bodies) - len(model.bodies)
    driven = replace(
        model,
        bodies=tuple(bodies),
        primitives=tuple(primitives),
        groups=(*model.groups, *(g.path.name for g in gimbals for _ in range(5 * len(g.motors) + 3))),
        positions=np.vstack([model.positions, np.zeros((extra, 3))]),
        quaternions=np.vstack([model.quaternions, np.tile([1.0, 0, 0, 0], (extra, 1))]),
        motors=(*model.motors, *motors, *(m for g in gimbals for m in g.motors)),
    )
    return PrescribedModel(prepared(driven), prepare(model, carried=False), tuple(gimbals))


def joint_coordinate(lowered: Lowered, name: str) -> Coordinate:
    """The coordinate of a joint with one freedom."""
    index = lowered.coordinate_of(name)
    assert index is not None, "the motion was read for this mechanism"
    return lowered.model.coordinates[index]


def _height(body: BodyPath, k: int, lowered: Lowered) -> Coordinate:
    """The world's coordinate k of the prescribed point."""
    return lowered.reframed(Coordinate("distance", GROUND_BODY, body.body, _ORIGIN, np.eye(3)[k], body.X_BC.p))


def _gimbals(
    path: BodyPath, turning: Turning, lowered: Lowered, body: int, primitive: int
) -> tuple[Gimbals, list[Primitive]]:
    """Gimbals from index `body` on, whose primitives stand from index `primitive` on: hinges, then the hold."""
    motors: list[Motor] = []
    rows: list[Primitive] = []
    before = GROUND_BODY
    for k, (axis, function) in enumerate(turning.turns):
        ref = rotation.perpendicular(axis)
        rows += [PointOnPlane(before, body + k, _ORIGIN, e, _ORIGIN) for e in np.eye(3)]
        rows += [AxesAngle(before, body + k, d, axis) for d in (ref, np.cross(axis, ref))]
        coordinate = Coordinate("angle", before, body + k, _ORIGIN, axis, _ORIGIN, ref, ref)
        motors.append(Motor(path.name, coordinate, "angle", function))
        before = body + k
    unit, _ = lowered.placed(path.body)
    hold = [AxesAngle(before, unit, turning.base[:, i], path.X_BC.R[:, j]) for i, j in PARALLEL_PAIRS]
    return Gimbals(path, body, tuple(motors), primitive + len(rows)), [*rows, *hold]


def prescribed_slots(path: BodyPath) -> list[int]:
    """Which of the six (force along x, y, z at the prescribed point; torque about x, y, z) prescribe a body."""
    return [k for k in range(3) if path.position[k] is not None] + ([3, 4, 5] if path.turning is not None else [])


def path_rows(path: BodyPath, lowered: Lowered, x: Array, R: Array) -> Array:
    """What is prescribed of a body as rows (c, 6n) on [v; ω] of all bodies, in the order of `prescribed_slots`.

    Bodies are at x (n, 3), turned by R (n, 3, 3).
    """
    unit, X_CB = lowered.placed(path.body)
    arm = R[unit] @ X_CB.point(path.X_BC.p)
    all_six = np.zeros((6, len(x), 6))
    all_six[:3, unit, :3] = all_six[3:, unit, 3:] = np.eye(3)
    all_six[:3, unit, 3:] = np.cross(arm, np.eye(3))
    return all_six[prescribed_slots(path)].reshape(-1, 6 * len(x))


def body_rows(motion: Motion, lowered: Lowered, state: State) -> Array:
    """`path_rows` of all prescribed bodies."""
    R = rotation.matrix(state.quaternions)
    rows = [path_rows(path, lowered, state.positions, R) for path in motion.bodies]
    return np.vstack([np.zeros((0, 6 * len(state.positions))), *rows])


def lead_in(motion: Motion, lowered: Lowered, state: State, values: Array) -> Motion:
    """A motion of one second from a state to where `motion` begins.

    `values` (c,) are the coordinates of the lowered model at the state. It goes straight, and turns about one axis.
    """
    joints = []
    for path in motion.joints:
        index = lowered.coordinate_of(path.joint)
        assert index is not None
        joints.append(JointPath(path.joint, _ramp(float(values[index]), path.function.evaluate(0.0)[0])))
    return replace(
        motion, joints=tuple(joints), bodies=tuple(_prescribed_path(b, lowered, state) for b in motion.bodies)
    )


def _prescribed_path(body: BodyPath, lowered: Lowered, state: State) -> BodyPath:
    unit, X_CB = lowered.placed(body.body)
    R = np.asarray(rotation.matrix(state.quaternions[unit]))
    p = state.positions[unit] + R @ X_CB.point(body.X_BC.p)
    position = tuple(
        None if f is None else _ramp(float(a), f.evaluate(0.0)[0]) for f, a in zip(body.position, p, strict=True)
    )
    turning = None
    if body.turning is not None:
        now = R @ body.X_BC.R
        way = rotation.logarithm(rotation.quaternion(_orientation(body.turning) @ now.T))
        angle = float(np.linalg.norm(way))
        # No way to turn: about any axis.
        axis = way / angle if angle > 1e-12 else np.array([0.0, 0.0, 1.0])
        turning = Turning(((axis, _ramp(0.0, angle)),), now)
    return replace(body, position=position, turning=turning)


def _orientation(turning: Turning) -> Array:
    """R_WC where the motion begins."""
    R = np.eye(3)
    for axis, function in turning.turns:
        R = R @ rotation.matrix(rotation.exponential(function.evaluate(0.0)[0] * axis))
    return np.asarray(R @ turning.base)


def _ramp(start: float, end: float) -> TimeFunction:
    """From start to end within a second, at rest at both ends."""

    def evaluate(t: float) -> tuple[float, float, float]:
        s = min(max(t, 0.0), 1.0)
        way = end - start
        return (
            start + way * s**3 * (10 - 15 * s + 6 * s * s),
            way * 30 * s * s * (1 - s) ** 2,
            way * 60 * s * (1 - s) * (1 - 2 * s),
        )

    return TimeFunction(evaluate, text="lead-in", knots=(0.0, 1.0))
