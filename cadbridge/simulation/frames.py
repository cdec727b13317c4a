"""Frames whose pose against another is prescribed over time (`study.FrameMotion`), as drivers of a run.

Three drivers hold the place: heights of b's origin over a's along a's axes. Rows hold the orientation: they keep b's
axes perpendicular to those of the last of a chain of gimbals, hinged from a on about the axes of the turns that change,
each hinge with a driver. So turns of any size are followed, and no pose is singular.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY
from cadbridge.simulation.circuits import Wired
from cadbridge.simulation.study import unit_of
from cadbridge.study import FrameMotion
from solver.constraints import AxesAngle, Coordinate, PointOnPlane, Primitive
from solver.functions import expression
from solver.model import Motor, RigidBody, TimeFunction
from solver.rotation import exponential, logarithm, matrix, quaternion

Array = NDArray[np.float64]

PARALLEL_PAIRS = ((0, 1), (0, 2), (1, 2))
"""Axes of two frames that are perpendicular where the frames are parallel."""
LIGHT = 1e-9
"""Part of the bearer's mass that gimbals have: without any they could not pass poses where two axes are parallel."""


@dataclass(frozen=True, eq=False)
class PrescribedFrame:
    """A frame motion between units of a lowered mechanism: X_A and X_B are its frames in the solver's of `a` and `b`.

    `turns` are axes (3,) with their angles (rad), one after the other about the turned axes.
    """

    name: str
    a: int
    b: int
    X_A: Pose
    X_B: Pose
    distances: tuple[TimeFunction, ...]
    turns: tuple[tuple[Array, TimeFunction], ...]

    def target(self, t: float) -> Pose:
        """X_IJ, the pose prescribed at a time (s)."""
        R = np.eye(3)
        for axis, function in self.turns:
            R = R @ _turn(axis, function.evaluate(t)[0])
        return Pose(R, np.array([f.evaluate(t)[0] for f in self.distances]))

    def present(self, positions: Array, quaternions: Array) -> Pose:
        """X_IJ in poses of the model's bodies."""
        X = [Pose() if i == GROUND_BODY else Pose(matrix(quaternions[i]), positions[i]) for i in (self.a, self.b)]
        return (X[0] @ self.X_A).inverse() @ X[1] @ self.X_B

    def rows(self, X_IJ: Pose) -> list[Primitive]:
        """The six equations that hold a pose."""
        X = self.X_A @ X_IJ
        place = [PointOnPlane(self.a, self.b, X.p, axis, self.X_B.p) for axis in self.X_A.R.T]
        return [*place, *(AxesAngle(self.a, self.b, X.R[:, i], self.X_B.R[:, j]) for i, j in PARALLEL_PAIRS)]

    def on_the_way(self, X_IJ: Pose, part: float) -> Pose:
        """The pose at `part` (0 … 1) of the straight way from X_IJ to that prescribed at the start."""
        goal = self.target(0.0)
        way = logarithm(quaternion(X_IJ.R.T @ goal.R))
        return Pose(X_IJ.R @ matrix(exponential(part * way)), X_IJ.p + part * (goal.p - X_IJ.p))

    def way(self, X_IJ: Pose) -> float:
        """How far that way is (m or rad, the larger)."""
        goal = self.target(0.0)
        turned = np.linalg.norm(logarithm(quaternion(X_IJ.R.T @ goal.R)))
        return float(max(turned, np.linalg.norm(goal.p - X_IJ.p)))

    def drive(self, found: Wired) -> None:
        """Add the drivers of the place, and gimbals with what they hold of the orientation."""
        for name, axis, function in zip("xyz", self.X_A.R.T, self.distances, strict=True):
            height = Coordinate("distance", self.a, self.b, self.X_A.p, axis, self.X_B.p)
            found.add(motors=[Motor(f"motion {self.name} {name}", height, "angle", function)])
        R, last, bearer = self.X_A.R, self.a, found.model.bodies[self.a]
        part = 1.0 if self.a == GROUND_BODY else LIGHT
        for k, (axis, function) in enumerate(self.turns, start=1):
            # The gimbals start parallel to a, so that no angle is beyond half a turn then.
            start = function.evaluate(0.0)[0]
            R = R @ _turn(axis, start)
            if _changes(function):
                name = f"motion {self.name} turn {k}"
                body = RigidBody(name, part * bearer.mass, part * bearer.inertia)
                angle = found.gimbal(body, last, self.a, R @ axis)
                found.add(motors=[Motor(name, angle, "angle", _from(function, start))])
                last = angle.b
        held = [AxesAngle(last, self.b, R[:, i], self.X_B.R[:, j]) for i, j in PARALLEL_PAIRS]
        found.add(primitives=held, groups=[f"motion {self.name}"] * len(held))


def _changes(function: TimeFunction) -> bool:
    return re.search(r"\bt\b", function.text) is not None


def _turn(axis: Array, angle: float) -> Array:
    return np.asarray(matrix(exponential(angle * axis)))


def _from(function: TimeFunction, start: float) -> TimeFunction:
    def evaluate(t: float) -> tuple[float, float, float]:
        f, f1, f2 = function.evaluate(t)
        return f - start, f1, f2

    return replace(function, evaluate=evaluate)


def prescribed_frames(
    lowered: Lowered, motions: Sequence[FrameMotion], findings: Findings
) -> tuple[PrescribedFrame, ...]:
    """The frame motions of a run; one within a rigid unit (CB615), or that has no value (CB603), is left out."""
    found = []
    for motion in motions:
        a, b = unit_of(lowered, motion.a), unit_of(lowered, motion.b)
        try:
            functions = [expression(text) for text in (*motion.distances, *motion.turns)]
            for function in functions:
                function.evaluate(0.0)
        except ValueError as fault:
            findings.add("CB603", f"{motion.name}: {fault}", motion.where)
            continue
        if a == b:
            findings.add("CB615", f"{motion.name} moves {motion.b}, which is locked to {motion.a}", motion.where)
            continue
        turns = tuple((np.eye(3)[axis], f) for axis, f in zip(motion.axes, functions[3:], strict=True))
        frames = (_in_unit(lowered, motion.a, motion.X_a), _in_unit(lowered, motion.b, motion.X_b))
        found.append(PrescribedFrame(motion.name, a, b, *frames, tuple(functions[:3]), turns))
    return tuple(found)


def _in_unit(lowered: Lowered, component: str, X_CF: Pose) -> Pose:
    """A frame of a component in the solver's frame of its unit."""
    unit = unit_of(lowered, component)
    if component == GROUND:
        return X_CF
    X_WF = lowered.mechanism.assembly.component(component).X_WC @ X_CF
    if unit == GROUND_BODY:
        return X_WF
    bearer = lowered.units[unit]
    X = bearer.X_WB.inverse() @ X_WF
    return Pose(X.R, X.p - bearer.mass.com)
