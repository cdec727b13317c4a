"""What is recovered from a trajectory's raw states and multipliers: gear errors and wrenches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.constraints import GROUND
from solver.constraints.evaluation import evaluate_program
from solver.constraints.gears import error_scale
from solver.constraints.kernels import evaluate_rows
from solver.constraints.program import compile_program
from solver.equations.system import prepare
from solver.model import Model
from solver.result import Trajectory

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GearError:
    """The phase error of a gear over k samples.

    Attributes:
        primitive: Which of the model's primitives it is.
        group: The name of its group.
        unit: "rad", or "m" of a rack.
        error: (k,), at the smaller of two toothed wheels, at wheel b of a belt, worm or crossed helical pair, of a rack
            at the pinion's pitch circle.
        rate: Its rate (k,), rad/s or m/s.
    """

    primitive: int
    group: str
    unit: str
    error: Array
    rate: Array


def gear_errors(model: Model, trajectory: Trajectory) -> tuple[GearError, ...]:
    """Compute the errors of all gears anew from the poses and velocities of the samples.

    Only the number of whole turns is taken from the trajectory's integrated angles.

    Args:
        model: The model of which the trajectory is.
        trajectory: Its samples.

    Returns:
        An error for each primitive that is a gear, in the order of the model.
    """
    indices = [i for i, p in enumerate(model.primitives) if p.wheels]
    gears = [model.primitives[i] for i in indices]
    x0, q0 = np.asarray(model.positions, float), np.asarray(model.quaternions, float)
    own = compile_program(gears, x0, q0)
    whole = compile_program(model.primitives, x0, q0)
    place = [k for i in indices for k in range(int(whole.primitive_angle[i]), int(whole.primitive_angle[i + 1]))]
    samples = [
        evaluate_program(own, x, q, v, a[place])
        for x, q, v, a in zip(
            trajectory.positions, trajectory.quaternions, trajectory.velocities, trajectory.angles, strict=True
        )
    ]
    result = []
    for row, (i, gear) in enumerate(zip(indices, gears, strict=True)):
        radius, unit = error_scale(gear, x0, q0)
        result.append(
            GearError(
                primitive=i,
                group=model.group(i),
                unit=unit,
                error=np.array([s.g[row] / radius for s in samples]),
                rate=np.array([s.rates[row] / radius for s in samples]),
            )
        )
    return tuple(result)


def wrenches(model: Model, trajectory: Trajectory) -> dict[str, Array]:
    """Compute the wrenches of all groups of constraints, and of each motor that prescribes a motion.

    A group's wrench is what its rows do to body b of its first primitive, about that body's centre of mass; where b is
    the ground, the opposite of what they do to body a, about a's centre of mass. A motor's is about its coordinate's b
    in the same way. Where rows repeat each other they are those of least norm.

    Args:
        model: The model of which the trajectory is.
        trajectory: Its samples, k of them.

    Returns:
        By group or motor [force; torque] (k, 6) N, N m, in the world's axes.
    """
    system = prepare(model, carried=False)
    T = system.program.terms
    rows_of: dict[str, list[int]] = {}
    for row in range(trajectory.multipliers.shape[1]):
        rows_of.setdefault(system.row_group[row], []).append(row)
    ends = _ends(model)
    owner = np.repeat(np.arange(system.program.rows), np.diff(T.row_block))
    result = {name: np.zeros((len(trajectory.t), 6)) for name in rows_of}
    chosen = {}
    for name, rows in rows_of.items():
        a, b = ends[name]
        body, sign = (b, -1.0) if b != GROUND else (a, 1.0)
        chosen[name] = (np.flatnonzero(np.isin(owner, rows) & (T.block_body == body)), sign)
    for k in range(len(trajectory.t)):
        angles = trajectory.angles[k]
        state = (trajectory.positions[k], trajectory.quaternions[k], trajectory.velocities[k])
        *_, blocks, _ = evaluate_rows(T, *state, False, angles, True)
        for name, (members, sign) in chosen.items():
            result[name][k] = sign * trajectory.multipliers[k, owner[members]] @ blocks[members]
    return result


def _ends(model: Model) -> dict[str, tuple[int, int]]:
    """Bodies a and b of every group and motor."""
    ends: dict[str, tuple[int, int]] = {}
    for i, p in enumerate(model.primitives):
        ends.setdefault(model.group(i), (p.a, p.b))
    for motor in model.motors:
        ends.setdefault(motor.name, (motor.coordinate.a, motor.coordinate.b))
    return ends
