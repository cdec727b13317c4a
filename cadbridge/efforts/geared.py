"""The method for geared robots: two steps along transmission lines, with tooth and bearing loads.

After Chen, Lin & Lin (1999); see `solver.geared`. What a designer sizes teeth and bearings by stands beside the columns
of all methods.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.task import Forces, Quantity, Task
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.geared import Analysis, transmission
from cadbridge.geared.analysis import not_geared
from cadbridge.wording import count
from solver import rotation
from solver.constraints import GROUND
from solver.constraints.kernels import evaluate_rows
from solver.equations.system import prepare
from solver.geared import Loads, NotGearedError, TurningPair, loads, primary_values
from solver.model import Model, TimeFunction

Array = NDArray[np.float64]


def by_transmission(task: Task) -> Forces:
    """Torques, teeth and bearings link by link. ModelError (CB430 to CB436) where the mechanism is no geared robot."""
    model = task.model
    names = list(task.names)
    _refuse(task)
    # Wrenches go in as external ones: `loads` refuses a model that has any.
    plain = replace(task.lowered, model=replace(model, wrenches=()))
    analysis = transmission(task.lowered.mechanism, inputs=names, lowered=plain)
    robot, T = analysis.robot, task.trajectory
    pairs = [p.coordinate for p in robot.graph.pairs]
    theta = primary_values(robot, T.coordinates[:, pairs])
    rates, accelerations = (
        primary_values(robot, values[:, pairs], angles=False)
        for values in (T.coordinate_rates, T.coordinate_accelerations)
    )
    try:
        found = loads(
            robot, theta, rates, accelerations,
            pressure_angle=analysis.pressure_angles, external=_external(task),
        )  # fmt: skip
    except NotGearedError as fault:
        raise not_geared(fault, Findings(analysis.findings)) from fault
    order = [robot.inputs.index(_link(analysis, name)) for name in names]
    quantities = (*_teeth(analysis, found), *_bearings(analysis, found))
    multipliers = _multipliers(analysis, task, found)
    return Forces(found.torques[:, order], multipliers, _unmet(analysis, found), quantities, analysis.findings)


def _refuse(task: Task) -> None:
    """InputError (CB678) for what the transmission lines have no place for."""
    findings = Findings()
    if task.outside:
        text = "the method transmission cannot move a body by forces from outside"
        findings.add("CB678", text, items=[path.name for path in task.outside])
    if task.spare:
        text = f"the method transmission takes as many actuators as freedoms, not {count(task.spare, 'more', 'more')}"
        findings.add("CB678", text, items=list(task.names))
    if findings.as_tuple():
        raise InputError("The method transmission cannot take this motion.", findings)


def _link(analysis: Analysis, hinge: str) -> int:
    return next(p.link for p in analysis.robot.graph.pairs if p.name == hinge)


def _external(task: Task) -> Array:
    """(k, n, 6) of the model's wrenches and of what teeth lose, about the bodies' centres, world axes."""
    T, model = task.trajectory, task.model
    total = np.zeros((len(T.t), len(model.bodies), 6))
    if task.losses is not None:
        total += task.losses
    for wrench in model.wrenches:
        force, torque = (_values(parts, T.t) for parts in (wrench.force, wrench.torque))
        R = rotation.matrix(T.quaternions[:, wrench.body])
        if wrench.axes == "body":
            force, torque = (np.einsum("kij,kj->ki", R, v) for v in (force, torque))
        total[:, wrench.body, :3] += force
        total[:, wrench.body, 3:] += torque + np.cross(R @ np.asarray(wrench.point, float), force)
    return total


def _values(parts: tuple[TimeFunction | None, ...], t: Array) -> Array:
    """Components (k, 3) of functions of time."""
    return np.array([[0.0 if p is None else p.evaluate(float(at))[0] for p in parts] for at in t]).reshape(-1, 3)


def _teeth(analysis: Analysis, found: Loads) -> list[Quantity]:
    """The contact force on the driving wheel of each gear pair: its parts, its size, and in the two links' axes."""
    result = []
    for g, mesh in enumerate(analysis.robot.graph.meshes):
        local = found.contacts[:, g]
        result += [
            Quantity("tooth", mesh.name, "force", "N", np.linalg.norm(local, axis=1), plotted=True),
            Quantity("tooth", mesh.name, "radial", "N", local[:, 0]),
            Quantity("tooth", mesh.name, "tangential", "N", local[:, 1]),
            Quantity("tooth", mesh.name, "axial", "N", local[:, 2]),
        ]
        for side, values in (("driver", found.on_driver[:, g]), ("driven", found.on_driven[:, g])):
            for axis in range(3):
                result.append(Quantity("tooth", mesh.name, f"{side}_f{'xyz'[axis]}", "N", values[:, axis], peak=False))
    return result


def _bearings(analysis: Analysis, found: Loads) -> list[Quantity]:
    """What each hinge's bearing bears: across and along its axis, and the moment that tilts; in the link's axes too."""
    model, result = analysis.robot.model, []
    for pair in analysis.robot.graph.pairs:
        R = rotation.matrix(np.asarray(model.quaternions, float)[pair.link])
        axis = R.T @ pair.axis
        wrench = found.bearings[:, pair.link]
        along = wrench[:, :3] @ axis
        result += [
            Quantity("bearing", pair.name, "radial", "N", _across(wrench[:, :3], axis), plotted=True),
            Quantity("bearing", pair.name, "axial", "N", along),
            Quantity("bearing", pair.name, "tilting", "N m", _across(wrench[:, 3:], axis)),
        ]
        for k, part in enumerate(("fx", "fy", "fz", "tx", "ty", "tz")):
            unit = "N" if k < 3 else "N m"
            result.append(Quantity("bearing", pair.name, part, unit, wrench[:, k], peak=False))
    return result


def _across(vectors: Array, axis: Array) -> Array:
    """Sizes (k,) of the parts of vectors (k, 3) across an axis."""
    return np.asarray(np.linalg.norm(vectors - np.outer(vectors @ axis, axis), axis=1))


def _unmet(analysis: Analysis, found: Loads) -> Array:
    """(k,) rad/s²: what the moments left about the hinges would turn their links by."""
    model, largest = analysis.robot.model, np.zeros(len(found.left))
    for pair in analysis.robot.graph.pairs:
        axis = rotation.matrix(np.asarray(model.quaternions, float)[pair.link]).T @ pair.axis
        own = float(axis @ np.asarray(model.bodies[pair.link].inertia, float) @ axis)
        if own > 0:
            largest = np.maximum(largest, np.abs(found.left[:, pair.link]) / own)
    return np.asarray(largest)


def _multipliers(analysis: Analysis, task: Task, found: Loads) -> Array:
    """(k, m) of the model's rows that give these bearings' wrenches and transmitted forces, joint by joint.

    The forces that part two wheels are no row's: they show in the bearings, and in the quantities of the teeth.
    """
    T, model, robot = task.trajectory, task.model, analysis.robot
    system = prepare(model, carried=False)
    table = system.program.terms
    block_of = {
        (row, int(table.block_body[b])): b
        for row in range(len(model.primitives))
        for b in range(table.row_block[row], table.row_block[row + 1])
    }
    rows_of: dict[str, list[int]] = {}
    for row, group in enumerate(model.groups):
        rows_of.setdefault(group, []).append(row)
    result = np.zeros((len(T.t), system.constraint_rows))
    for k in range(len(T.t)):
        R = rotation.matrix(T.quaternions[k])
        state = (T.positions[k], T.quaternions[k], T.velocities[k])
        *_, blocks, _ = evaluate_rows(table, *state, False, T.angles[k], True)
        for pair in robot.graph.pairs:
            rows = rows_of[pair.name]
            wrench = _about_centre(model, pair, R[pair.link], found.bearings[k, pair.link])
            A = np.array([blocks[block_of[row, pair.link]] for row in rows])
            # A bearing's wrench has no moment about the axis, and all else a hinge's rows hold: the fit is exact.
            result[k, rows] = np.linalg.lstsq(A.T, -wrench, rcond=None)[0]
        for g, mesh in enumerate(robot.graph.meshes):
            end, on_end = robot.driver[g], found.on_driver[k, g]
            if end == GROUND:
                end, on_end = robot.driven[g], found.on_driven[k, g]
            across = blocks[block_of[mesh.primitive, end], :3]
            result[k, mesh.primitive] = -float(across @ R[end] @ on_end) / float(across @ across)
    return result


def _about_centre(model: Model, pair: TurningPair, R: Array, bearing: Array) -> Array:
    """A bearing's wrench (6,) about its link's centre, world axes; R (3, 3) is the link's rotation."""
    c = model.coordinates[pair.coordinate]
    point = c.point_b if c.b == pair.link else c.point_a
    force = R @ bearing[:3]
    return np.concatenate([force, R @ bearing[3:] + np.cross(R @ np.asarray(point, float), force)])
