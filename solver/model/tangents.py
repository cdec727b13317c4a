"""The coordinates along which loads are stiff or damped: what an implicit step must know of them.

Of a bushing these are the travel along, and the turn about, each of its axes; what its matrices couple beside their
diagonals is left to the iteration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.constraints.primitives import Coordinate
from solver.model import Bushing, Model, Motor

Array = NDArray[np.float64]


def soft_coordinates(model: Model) -> list[Coordinate]:
    """Those of the loads, one each, then of the motors that answer to motion, then six for each bushing."""
    motors = [m.coordinate for m in _answering(model)]
    return [*(load.coordinate for load in model.loads), *motors, *(c for b in model.bushings for c in _of_bushing(b))]


def _of_bushing(bushing: Bushing) -> list[Coordinate]:
    a, b = np.asarray(bushing.axes_a, float), np.asarray(bushing.axes_b, float)
    ends = (bushing.a, bushing.b)
    travel = [Coordinate("distance", *ends, bushing.point_a, a[:, j], bushing.point_b) for j in range(3)]
    # Only how the coordinate changes is asked for: any axis across the j-th may count its zero.
    turns = [
        Coordinate("angle", *ends, bushing.point_a, a[:, j], bushing.point_b, a[:, (j + 1) % 3], b[:, (j + 1) % 3])
        for j in range(3)
    ]
    return travel + turns


def constant_tangents(model: Model) -> tuple[Array, Array]:
    """Damping and stiffness along the coordinates after the loads'; those of loads change with their state."""
    motors = _answering(model)
    damping = [np.array([_damping(m) for m in motors]), *(np.diag(b.damping) for b in model.bushings)]
    stiffness = [np.array([_stiffness(m) for m in motors]), *(np.diag(b.stiffness) for b in model.bushings)]
    return np.concatenate(damping).astype(float), np.concatenate(stiffness).astype(float)


def _answering(model: Model) -> list[Motor]:
    return [m for m in model.motors if m.kind in ("pd", "servo", "voltage")]


def _damping(motor: Motor) -> float:
    """A voltage behind a resistance resists motion as a damper of k² / R; a servo as it does at first."""
    # What drives motion on (a negative damping) is left to the iteration: taken off the step's matrix, it could leave
    # that indefinite.
    if motor.kind == "servo":
        return max(0.0, -motor.bias[2] - motor.gain[2] * motor.function.evaluate(0.0)[0])
    return motor.damping if motor.kind == "pd" else motor.constant**2 / motor.resistance


def _stiffness(motor: Motor) -> float:
    if motor.kind == "servo":
        return max(0.0, -motor.bias[1] - motor.gain[1] * motor.function.evaluate(0.0)[0])
    return motor.stiffness
