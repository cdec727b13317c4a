"""A body pulled by hand while it moves: a spring and damper from a point of it to a place that moves at will."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from solver.constraints import GROUND
from solver.equations.dynamics import accelerate
from solver.equations.projection import carry_angles, drive_values
from solver.equations.system import prepare
from solver.functions import constant
from solver.model import Bushing, Model, TimeFunction, Wrench
from solver.rotation import matrix
from solver.runs.changing import Course
from solver.state import State

Array = NDArray[np.float64]

PULL_FREQUENCY = 1.5
"""Hz at which what is pulled swings on the spring, at least: it follows a hand within half a second."""
PULL_DAMPING = 0.7
"""Of the critical damping of this swing: it overshoots by 5 %, which looks alive and does not swing on."""
SAG = 0.15
"""Share of the mechanism's length by which the spring gives way under the weight of what it pulls, at most."""
NAME = "pull by hand"


@dataclass(frozen=True, eq=False)
class Pull:
    """A spring from `point` of a unit (m, in the solver's frame C) to `target` in the world.

    Its force k (target − p) − c ṗ is the sum of a bushing to the place where it began, `anchor`, whose own force is
    −k (p − anchor) − c ṗ, and of k (target − anchor), a force that depends on time alone: so the integrator knows the
    whole spring, and the target may move without a new model.
    """

    unit: int
    point: Vector
    anchor: Vector
    stiffness: float
    damping: float
    target: Array = field(default_factory=lambda: np.zeros(3))

    @staticmethod
    def at(course: Course, model: Model, unit: int, point: Vector, length: float) -> Pull:
        """A spring at a point of a unit, relaxed where the run is, as stiff as what hangs on the point is heavy."""
        mass = carried_mass(course, model, unit, point)
        weight = float(np.linalg.norm(model.gravity))
        swing = max(2 * math.pi * PULL_FREQUENCY, math.sqrt(weight / (SAG * length)))
        anchor = _place(course.state, unit, point)
        return Pull(unit, point, anchor, mass * swing**2, 2 * PULL_DAMPING * mass * swing, anchor.copy())

    def force(self, state: State) -> tuple[Vector, Vector]:
        """Where the point is in the world (m), and the force on it (N)."""
        p = _place(state, self.unit, self.point)
        v, w = state.velocities[self.unit, :3], state.velocities[self.unit, 3:]
        rate = v + np.cross(w, p - state.positions[self.unit])
        return p, self.stiffness * (self.target - p) - self.damping * rate


def with_pull(model: Model, pull: Pull) -> Model:
    """The model with the spring on it."""
    eye, none = np.eye(3), np.zeros((3, 3))
    stiffness = np.block([[pull.stiffness * eye, none], [none, none]])
    damping = np.block([[pull.damping * eye, none], [none, none]])
    bushing = Bushing(NAME, GROUND, pull.unit, pull.anchor, eye, pull.point, eye, stiffness, damping)

    def along(axis: int) -> TimeFunction:
        return TimeFunction(lambda t: (pull.stiffness * float(pull.target[axis] - pull.anchor[axis]), 0.0, 0.0))

    wrench = Wrench(NAME, pull.unit, pull.point, (along(0), along(1), along(2)))
    return replace(model, bushings=(*model.bushings, bushing), wrenches=(*model.wrenches, wrench))


def carried_mass(course: Course, model: Model, unit: int, point: Vector) -> float:
    """What a force at a point of a unit has to move, in the direction in which least resists (kg).

    The inverse of the largest eigenvalue of the accelerations that unit forces along x, y and z give the point. Where
    no force moves it, the unit's own mass.
    """
    probe = Wrench(NAME, unit, point, (constant(0.0), constant(0.0), constant(0.0)))
    held = replace(course.system.model, wrenches=(*course.system.model.wrenches, probe))
    system = replace(prepare(held), length=course.length)
    s = carry_angles(course.state, course.system, system)
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    values = drive_values(system, s.t)
    # A pull that is there already has the same name: the last three are the probe's.
    rows = [k for k, (name, _) in enumerate(system.drives) if name == f"wrench {NAME}"][-3:]
    lever = _place(s, unit, point) - s.positions[unit]

    def acceleration() -> Array:
        found = accelerate(T, K, B, F, W, s.positions, s.quaternions, s.velocities, s.branches, values)[0][unit]
        return np.asarray(found[:3] + np.cross(found[3:], lever))

    rest, columns = acceleration(), []
    for row in rows:
        values[row, 0] += 1.0
        columns.append(acceleration() - rest)
        values[row, 0] -= 1.0
    A = np.stack(columns, axis=1)
    largest = float(np.max(np.linalg.eigvalsh((A + A.T) / 2)))
    # What the joints hold still has no response: it is pulled as its own mass is (not less than a µg, for a massless
    # link).
    return 1.0 / largest if largest > 1e-12 else max(model.bodies[unit].mass, 1e-9)


def _place(state: State, unit: int, point: Vector) -> Vector:
    return np.asarray(state.positions[unit] + np.asarray(matrix(state.quaternions[unit])) @ point)
