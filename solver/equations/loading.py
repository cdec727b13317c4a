"""The loads of a model as arrays for the kernels of `loads`, each checked and named where it cannot act.

Every function of time has a row of the array `drive` (rows, 3; f, f', f''): first the motors', then one for each
component of a wrench, then one for each callback (it holds t). Each row has its own power.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.compilation.compiled import Array1, Array2, Array3, Ints1, Ints2, table
from solver.constraints import evaluate
from solver.constraints.primitives import GROUND, Coordinate
from solver.constraints.program import Program
from solver.model import Bushing, JointLoad, Mesh, Model, Motor, TimeFunction, Wrench
from solver.model.callbacks import Callbacks

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

KINDS = ("torque", "speed", "angle", "pd", "servo", "voltage")
"""Kinds of motors."""
PD, VOLTAGE, SERVO = 1, 2, 3
"""Laws of motors by their state (`Loads.motor_law`); 0: the effort is given."""


@table
class Loads(NamedTuple):
    """What acts, as tables. Without a stop `lower` and `upper` are infinite; `motor_row` −1: no driver's row.

    Along coordinates (k,); meshes: their row, and for both wheels (k, 2) the term, the row's coefficient, the share
    lost where it is driven, and the speed; motors; gyrators with their two terms (k, 2); components of wrenches
    (direction of the force, of the torque, the point, 1 for body axes, the row of `drive`); bushings (bodies with n for
    the ground); callbacks.
    """

    term: Ints1
    damping: Array1
    stiffness: Array1
    rest: Array1
    armature: Array1
    friction: Array1
    friction_speed: Array1
    lower: Array1
    upper: Array1
    stop_stiffness: Array1
    stop_damping: Array1
    stop_depth: Array1
    mesh_row: Ints1
    mesh_term: Ints2
    mesh_pull: Array2
    mesh_loss: Array2
    mesh_speed: Array2
    motor_term: Ints1
    motor_row: Ints1
    motor_law: Ints1
    motor_stiffness: Array1
    motor_damping: Array1
    motor_effort: Array1
    motor_constant: Array1
    motor_resistance: Array1
    motor_gain: Array2
    motor_bias: Array2
    motor_bounds: Array2
    gyrator_term: Ints2
    gyrator_modulus: Array1
    wrench_body: Ints1
    wrench_force: Array2
    wrench_torque: Array2
    wrench_point: Array2
    wrench_turns: Ints1
    wrench_row: Ints1
    bushing_a: Ints1
    bushing_b: Ints1
    bushing_point_a: Array2
    bushing_point_b: Array2
    bushing_axes_a: Array3
    bushing_axes_b: Array3
    bushing_stiffness: Array3
    bushing_damping: Array3
    callback: Ints1
    callback_row: Ints1
    callback_term: Ints1


class Component(NamedTuple):
    """One component of a wrench: its function and unit directions of force and torque."""

    wrench: Wrench
    function: TimeFunction
    force: Array
    torque: Array


def components(model: Model) -> list[Component]:
    """The components of all wrenches that are not None, in the order of their rows of `drive`."""
    found = []
    zero = np.zeros(3)
    for wrench in model.wrenches:
        for axis in range(3):
            unit = np.eye(3)[axis]
            force, torque = wrench.force[axis], wrench.torque[axis]
            if force is not None:
                found.append(Component(wrench, force, unit, zero))
            if torque is not None:
                found.append(Component(wrench, torque, zero, unit))
    return found


def drives(model: Model) -> tuple[tuple[str, TimeFunction], ...]:
    """The functions of the rows of `drive`, each with the name of its load."""
    clock = TimeFunction(lambda t: (t, 1.0, 0.0), "t")
    return (
        *((f"motor {m.name}", m.function) for m in model.motors),
        *((f"wrench {c.wrench.name}", c.function) for c in components(model)),
        *((f"callback {c.name}", clock) for c in model.callbacks),
    )


_LAWS = {"pd": PD, "servo": SERVO, "voltage": VOLTAGE}


def tables(model: Model, program: Program, held: int, driving: list[int], callbacks: Callbacks) -> Loads:
    """All loads as arrays; `driving` are the motors that have a row, the first being row `held`."""
    first = len(model.coordinates)
    middle = first + len(model.loads)
    last = middle + 2 * len(model.meshes)
    motor_row = np.full(len(model.motors), -1, np.int64)
    motor_row[driving] = held + np.arange(len(driving))
    n = len(model.bodies)

    def of(name: str, items: tuple[Motor, ...] | tuple[JointLoad, ...]) -> Array:
        return np.array([getattr(item, name) for item in items], dtype=float)

    frictions = [load.friction for load in model.loads]
    stops = [load.stop for load in model.loads]
    wrenches, bushings = components(model), model.bushings
    rows = len(model.motors) + np.arange(len(wrenches) + len(model.callbacks), dtype=np.int64)
    return Loads(
        term=program.coordinate_term[first:middle],
        damping=of("damping", model.loads),
        stiffness=of("stiffness", model.loads),
        rest=of("rest", model.loads),
        armature=of("armature", model.loads),
        friction=np.array([f.torque if f else 0.0 for f in frictions], dtype=float),
        friction_speed=np.array([f.speed if f else 1.0 for f in frictions], dtype=float),
        lower=np.array([s.lower if s else -np.inf for s in stops], dtype=float),
        upper=np.array([s.upper if s else np.inf for s in stops], dtype=float),
        stop_stiffness=np.array([s.stiffness if s else 0.0 for s in stops], dtype=float),
        stop_damping=np.array([s.damping if s else 0.0 for s in stops], dtype=float),
        stop_depth=np.array([s.depth if s else 1.0 for s in stops], dtype=float),
        mesh_row=np.array([_row_of(model, program, mesh) for mesh in model.meshes], dtype=np.int64),
        mesh_term=program.coordinate_term[middle:last].reshape(-1, 2),
        mesh_pull=_stack([_pulls(model, program, mesh) for mesh in model.meshes], 2),
        mesh_loss=_stack([np.array(mesh.losses) for mesh in model.meshes], 2),
        mesh_speed=_stack([np.array([mesh.speed_a, mesh.speed_b]) for mesh in model.meshes], 2),
        motor_term=program.coordinate_term[last : last + len(model.motors)],
        motor_row=motor_row,
        motor_law=np.array([_LAWS.get(m.kind, 0) for m in model.motors], dtype=np.int64),
        motor_stiffness=of("stiffness", model.motors),
        motor_damping=of("damping", model.motors),
        motor_effort=of("effort", model.motors),
        motor_constant=of("constant", model.motors),
        motor_resistance=of("resistance", model.motors),
        motor_gain=_stack([np.array(m.gain) for m in model.motors], 3),
        motor_bias=_stack([np.array(m.bias) for m in model.motors], 3),
        motor_bounds=_stack([np.array(m.bounds) for m in model.motors], 2),
        gyrator_term=program.coordinate_term[last + len(model.motors) :].reshape(-1, 2),
        gyrator_modulus=np.array([g.modulus for g in model.gyrators], dtype=float),
        wrench_body=np.array([c.wrench.body for c in wrenches], dtype=np.int64),
        wrench_force=_stack([c.force for c in wrenches], 3),
        wrench_torque=_stack([c.torque for c in wrenches], 3),
        wrench_point=_stack([c.wrench.point for c in wrenches], 3),
        wrench_turns=np.array([c.wrench.axes == "body" for c in wrenches], dtype=np.int64),
        wrench_row=rows[: len(wrenches)],
        bushing_a=np.array([n if b.a == GROUND else b.a for b in bushings], dtype=np.int64),
        bushing_b=np.array([n if b.b == GROUND else b.b for b in bushings], dtype=np.int64),
        bushing_point_a=_stack([b.point_a for b in bushings], 3),
        bushing_point_b=_stack([b.point_b for b in bushings], 3),
        bushing_axes_a=_stack([b.axes_a for b in bushings], 3, 3),
        bushing_axes_b=_stack([b.axes_b for b in bushings], 3, 3),
        bushing_stiffness=_stack([b.stiffness for b in bushings], 6, 6),
        bushing_damping=_stack([b.damping for b in bushings], 6, 6),
        callback=callbacks.address,
        callback_row=rows[len(wrenches) :],
        callback_term=program.coordinate_term[:first],
    )


def _row_of(model: Model, program: Program, mesh: Mesh) -> int:
    """The row of a mesh."""
    return int(program.primitive_row[model.groups.index(mesh.name)])


def _pulls(model: Model, program: Program, mesh: Mesh) -> Array:
    """∂ġ/∂rate (2,) of the mesh's row along its two coordinates, the wheels alone moving."""
    x, q = np.asarray(model.positions, float).reshape(-1, 3), np.asarray(model.quaternions, float).reshape(-1, 4)
    primitive = model.primitives[model.groups.index(mesh.name)]
    row = evaluate([primitive], x, q, reference=(x, q)).G.reshape(-1, 6)
    found = np.zeros(2)
    for k, (wheel, coordinate) in enumerate(((primitive.a, mesh.a), (primitive.b, mesh.b))):
        twists = _twists(coordinate, x, q)
        # A motion of everything changes no row: the ground's part is what the others leave.
        found[k] = row[wheel] @ twists[wheel] if wheel != GROUND else -np.sum(row * twists)
    return found


def _twists(coordinate: Coordinate, x: Array, q: Array) -> Array:
    """The twists [v; ω] (n, 6) of the bodies if all moved along a coordinate at a rate of 1."""
    carrier = coordinate.a
    R, origin = (np.eye(3), np.zeros(3)) if carrier == GROUND else (rotation.matrix(q[carrier]), x[carrier])
    axis = np.tile(R @ np.asarray(coordinate.axis_a, float), (len(x), 1))
    if coordinate.kind != "angle":
        return np.hstack([axis, np.zeros_like(axis)])
    return np.hstack([np.cross(axis, x - origin - R @ np.asarray(coordinate.point_a, float)), axis])


def _stack(items: list[Array], *shape: int) -> Array:
    return np.array([np.asarray(item, float) for item in items], dtype=float).reshape(-1, *shape)


def check(model: Model) -> None:
    """Raise ValueError with all loads that cannot act, each by its name and fault."""
    faults = [*_motor_faults(model), *_joint_faults(model), *_mesh_faults(model), *_body_faults(model)]
    if faults:
        raise ValueError("; ".join(faults))


def _motor_faults(model: Model) -> Iterator[str]:
    for motor in model.motors:
        if motor.kind not in KINDS:
            yield f'motor {motor.name}: the kind is one of {", ".join(KINDS)}, not "{motor.kind}"'
        for name in ("stiffness", "damping"):
            yield from _bad(f"motor {motor.name}: its {name}", getattr(motor, name), 0.0)
        if not motor.effort > 0:
            yield f"motor {motor.name}: its largest effort must be above zero, not {motor.effort}"
        if motor.kind == "servo":
            if not np.isfinite([*motor.gain, *motor.bias]).all():
                yield f"motor {motor.name}: its gain and bias must be finite numbers"
            if not motor.bounds[0] <= motor.bounds[1]:
                yield f"motor {motor.name}: its bounds are not a range: {motor.bounds[0]} to {motor.bounds[1]}"
        if motor.kind == "voltage":
            yield from _bad(f"motor {motor.name}: its constant", motor.constant)
            yield from _bad(f"motor {motor.name}: its resistance", motor.resistance, 0.0, above=True)
    for gyrator in model.gyrators:
        yield from _bad(f"gyrator {gyrator.name}: its modulus", gyrator.modulus)


def _joint_faults(model: Model) -> Iterator[str]:
    for i, load in enumerate(model.loads):
        name = f"load {load.name or i}"
        for quantity in ("damping", "armature"):
            yield from _bad(f"{name}: its {quantity}", getattr(load, quantity), 0.0)
        for quantity in ("stiffness", "rest"):
            yield from _bad(f"{name}: its {quantity}", getattr(load, quantity))
        if load.friction is not None:
            yield from _bad(f"{name}: its friction", load.friction.torque, 0.0)
            yield from _bad(f"{name}: the speed of its friction", load.friction.speed, 0.0, above=True)
        if load.stop is not None:
            stop = load.stop
            yield from _bad(f"{name}: the stiffness of its stop", stop.stiffness, 0.0, above=True)
            yield from _bad(f"{name}: the damping of its stop", stop.damping, 0.0)
            yield from _bad(f"{name}: the depth of its stop", stop.depth, 0.0, above=True)
            if not stop.lower < stop.upper:
                yield f"{name}: its stops are not a range: {stop.lower} to {stop.upper}"


def _mesh_faults(model: Model) -> Iterator[str]:
    for mesh in model.meshes:
        name = f"mesh {mesh.name}"
        if model.groups.count(mesh.name) != 1 or model.primitives[model.groups.index(mesh.name)].rows != 1:
            yield f"{name}: no one row bears its name"
        if not 0 < mesh.efficiency <= 1:
            yield f"{name}: its efficiency must be above zero and at most one, not {mesh.efficiency:g}"
        # Below zero it is one of a worm whose wheel cannot drive it (`mechanism.carriers.efficiencies` in cadbridge):
        # both sides give power, which the teeth lose.
        if mesh.backward is not None and not -math.inf < mesh.backward <= 1:
            yield f"{name}: its efficiency backwards must be a number of at most one, not {mesh.backward:g}"
        for speed in (mesh.speed_a, mesh.speed_b):
            yield from _bad(f"{name}: the speed of its friction", speed, 0.0, above=True)


def _bad(what: str, value: float, least: float = -math.inf, *, above: bool = False) -> Iterator[str]:
    if not math.isfinite(value):
        yield f"{what} is not a finite number"
    elif value < least or (above and value == least):
        yield f"{what} must be {'above' if above else 'at least'} zero, not {value:g}"


def _body_faults(model: Model) -> Iterator[str]:
    for wrench in model.wrenches:
        name = f"wrench {wrench.name}"
        if not 0 <= wrench.body < len(model.bodies):
            yield f"{name}: there is no body {wrench.body}"
        if wrench.axes not in ("world", "body"):
            yield f'{name}: its axes are "world" or "body", not "{wrench.axes}"'
        if not np.all(np.isfinite(wrench.point)):
            yield f"{name}: its point is not finite"
    for bushing in model.bushings:
        yield from _bushing_faults(bushing)


def _bushing_faults(bushing: Bushing) -> Iterator[str]:
    for quantity in ("stiffness", "damping"):
        matrix = np.asarray(getattr(bushing, quantity), float)
        name = f"bushing {bushing.name}: its {quantity}"
        if matrix.shape != (6, 6) or not np.all(np.isfinite(matrix)):
            yield f"{name} must be (6, 6) finite numbers"
            continue
        size = float(np.abs(matrix).max())
        # Files have nine digits and better; a matrix that was meant unsymmetric is so by far more.
        if np.abs(matrix - matrix.T).max() > 1e-9 * size:
            yield f"{name} must be symmetric"
        # The mean of both triangles, of which `eigvalsh` reads one.
        elif np.linalg.eigvalsh((matrix + matrix.T) / 2).min() < -1e-9 * size:
            yield f"{name} must not be negative in any direction"
