"""A model made ready to compute: the program of its rows, the plan of the factor, bodies and loads as arrays.

Rows stand in this order: those of the primitives, one for each speed or angle motor, one for each rotor (a
coordinate with armature, see `solver.equations.kkt`). Coordinates: the model's own, the loads', the motors'.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.compilation.compiled import Array1, Ints1, table
from solver.constraints.primitives import GROUND, Coordinate, Primitive
from solver.constraints.program import Program, compile_program
from solver.constraints.terms import Poses
from solver.equations.kkt import Plan, plan
from solver.equations.loading import Loads, check, drives, tables
from solver.equations.massless import AddedMass, add_mass, check_bodies, check_carried
from solver.equations.workspace import Workspace, make_workspace
from solver.model import Model, TimeFunction
from solver.model.callbacks import Callbacks
from solver.model.tangents import constant_tangents, soft_coordinates
from solver.model.validation import check_placed
from solver.sweeps.bodies import Bodies
from solver.sweeps.forest import Forest, forest

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

AngleOwner = Coordinate | tuple[Primitive, int]

HOLD, ANGLE, SPEED, ROTOR = range(4)
_DRIVERS = {"speed": SPEED, "angle": ANGLE}
_EVEN = 1e-4
"""Of the largest mass and inertia: lighter bodies count as much in the metric that only weighs rows (`kkt`). What lies
further below spoils the sum of both in S by as many digits, and leaves S eigenvalues of its shift: an arm of links of
1e-9 kg that holds 0.3 kg got half of its forces with 1e-6."""


@table
class Rows(NamedTuple):
    """What a row is (HOLD, ANGLE, SPEED, ROTOR), its motor (−1: none) and its compliance 1/armature (else 0)."""

    kind: Ints1
    motor: Ints1
    compliance: Array1


@dataclass(frozen=True, eq=False)
class System:
    """A model with all that is computed from it once. `length` (m) makes residuals dimensionless.

    `drives` are the functions of time with the names of their loads, in the order of the rows of `drive`.
    `angle_owner` says of each integrated angle whose it is: a coordinate's, or a primitive's with its number there.
    """

    model: Model
    program: Program
    plan: Forest
    bodies: Bodies
    loads: Loads
    drives: tuple[tuple[str, TimeFunction], ...]
    callbacks: Callbacks
    rows: Rows
    length: float
    row_group: tuple[str, ...]
    angle_owner: tuple[AngleOwner, ...]

    @cached_property
    def soft(self) -> tuple[int, tuple[Array, Array]]:
        """The first row of a rotor, and the damping and stiffness that never change (`solver.model.tangents`)."""
        # Rotors' rows come last: the comparison is False and then True, which is sorted.
        return int(np.searchsorted(self.rows.kind == ROTOR, True)), constant_tangents(self.model)

    @cached_property
    def schur(self) -> Plan:
        """The plan of the Schur complement of all rows (`solver.equations.kkt`), found when it is first needed."""
        with _uncollected():
            return plan(self.program)

    @cached_property
    def implicit(self) -> System:
        """The same model prepared for `solver.steps.implicit`."""
        return prepare(self.model, implicit=True)

    @cached_property
    def spare(self) -> dict[Any, Any]:
        """By methods, the workspaces of runs that ended: the next run takes one out (`solver.runs.integrate`)."""
        return {}

    def workspace(self) -> Workspace:
        """A new workspace, the caller's own."""
        F, angles = self.loads, self.program.angle_count
        sizes = (len(F.mesh_row), len(F.callback_term), angles, len(self.drives))
        return make_workspace(self.program.terms, self.plan, sizes, self.rows.compliance)

    @cached_property
    def constraint_rows(self) -> int:
        """Rows with a multiplier to report: of primitives and drivers."""
        return int(np.sum(self.rows.kind != ROTOR))


SOFT = 1e30
"""The compliance (1/kg, 1/(kg m²)) of a row that stands for a load without armature: it carries nothing, as its λ is
what moves it over this."""


def prepare(model: Model, implicit: bool = False, *, carried: bool = True) -> System:
    """Compile a model. Raises ValueError that names the body or motor which cannot be computed.

    `implicit`: every stiff coordinate gets a rotor's row (`solver.model.tangents`), for `solver.steps.implicit`.
    `carried`: whether the rows must carry the bodies that have no mass; a tree's joints do where its rows do not.
    """
    with _uncollected():
        return _prepared(model, implicit, carried)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without the collector of cycles: for a large model it would walk all that Numba holds again and again."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _prepared(model: Model, implicit: bool, carried: bool) -> System:
    check_bodies(model.bodies)
    check_placed(model)
    check(model)
    driving = [i for i, m in enumerate(model.motors) if m.kind in _DRIVERS]
    armatures = [load for load in model.loads if implicit or load.armature > 0]
    rotors = soft_coordinates(model) if implicit else [load.coordinate for load in armatures]
    inertia = [load.armature for load in armatures] + [0.0] * (len(rotors) - len(armatures))
    program = compile_program(
        model.primitives,
        np.asarray(model.positions, float).reshape(-1, 3),
        np.asarray(model.quaternions, float).reshape(-1, 4),
        _measured(model),
        [*(model.motors[i].coordinate for i in driving), *rotors],
    )
    held = int(program.primitive_row[-1])
    length = _length(model)
    added = add_mass(model, length)
    if carried:
        check_carried(model, program, added)
    callbacks = Callbacks(model.callbacks, len(model.coordinates))
    loads = tables(model, program, held, driving, callbacks)
    bodies = _bodies(model, added)
    return System(
        model=model,
        program=program,
        plan=forest(program, held, model.positions, model.quaternions, _loaded(loads), bodies.mass, _own(bodies)),
        bodies=bodies,
        loads=loads,
        drives=drives(model),
        callbacks=callbacks,
        rows=_rows(model, held, driving, inertia),
        length=length,
        row_group=_row_groups(model, program, driving, len(rotors)),
        angle_owner=_angle_owners(model, program, driving, rotors),
    )


def _rows(model: Model, held: int, driving: list[int], inertia: list[float]) -> Rows:
    """The rows: first the `held` of the primitives, then those of driving motors, then one for each rotor's inertia."""
    rotors = len(inertia)
    kinds = [HOLD] * held + [_DRIVERS[model.motors[i].kind] for i in driving] + [ROTOR] * rotors
    return Rows(
        kind=np.array(kinds, np.int64),
        motor=np.array([-1] * held + driving + [-1] * rotors, np.int64),
        compliance=np.array([0.0] * (held + len(driving)) + [1 / max(j, 1 / SOFT) for j in inertia]),
    )


def _measured(model: Model) -> list[Coordinate]:
    """The coordinates that have terms, in the order of `Program.coordinate_term`: `loading` counts on it."""
    return [
        *model.coordinates,
        *(load.coordinate for load in model.loads),
        *(coordinate for mesh in model.meshes for coordinate in (mesh.a, mesh.b)),
        *(motor.coordinate for motor in model.motors),
        *(coordinate for gyrator in model.gyrators for coordinate in (gyrator.one, gyrator.two)),
    ]


def _loaded(loads: Loads) -> Ints:
    """The terms along which loads act."""
    called = loads.callback_term if len(loads.callback) else np.zeros(0, np.int64)
    tied = [loads.mesh_term.ravel(), loads.motor_term, loads.gyrator_term.ravel()]
    return np.concatenate([loads.term, *tied, called])


def _bodies(model: Model, added: AddedMass) -> Bodies:
    n = len(model.bodies)
    mass = np.array([b.mass for b in model.bodies], dtype=float)
    inertia = np.array([np.asarray(b.inertia, float) for b in model.bodies]).reshape(n, 3, 3)
    return Bodies(
        mass=mass,
        inverse_mass=1 / (mass + added.mass),
        inertia=inertia,
        inverse_inertia=np.asarray(np.linalg.inv(inertia + added.inertia), dtype=np.float64),
        even_mass=1 / np.maximum(mass + added.mass, _EVEN * mass.max(initial=0.0)),
        even_inertia=_even(inertia + added.inertia),
        added_mass=added.mass,
        added_inertia=added.inertia,
        light=np.unique(np.nonzero(np.any(added.motions != 0, axis=2))[1]).astype(np.int64),
        spin=_spin_axes(model),
        gravity=np.array(model.gravity, dtype=float),
    )


def _own(bodies: Bodies) -> Array:
    """Masses and mean moments (n, 2) as the rows feel them: of a body that turns easily about any axis, a small one."""
    ease = np.trace(bodies.inverse_inertia, axis1=1, axis2=2) / 3
    return np.stack([1 / bodies.inverse_mass, 1 / ease], axis=1)


def _even(inertia: Array) -> Array:
    """The inverses of inertias (n, 3, 3), with moments of at least `_EVEN` of the largest."""
    values, axes = np.linalg.eigh(inertia)
    least = _EVEN * values.max(initial=0.0)
    if values.min(initial=np.inf) >= least:
        return np.asarray(np.linalg.inv(inertia), dtype=np.float64)
    return np.ascontiguousarray((axes / np.maximum(values, least)[:, None]) @ np.swapaxes(axes, 1, 2))


def _spin_axes(model: Model) -> Array:
    """For each body the axis of a wheel, a motor or a coordinate that turns it, in body axes; 0 where none."""
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    axes = np.zeros((len(model.bodies), 3))

    def take(body: int, frame: int, axis: Array) -> None:
        if body != GROUND and not axes[body].any():
            local = poses.back(body, poses.turn(frame, axis))
            axes[body] = local / np.linalg.norm(local)

    for p in model.primitives:
        for body, axis in p.wheels:
            take(body, body, axis)
    for coordinate in [*(m.coordinate for m in model.motors), *model.coordinates]:
        if coordinate.kind == "angle":
            take(coordinate.b, coordinate.a, coordinate.axis_a)
    return axes


def _length(model: Model) -> float:
    """Root mean square of the arms of all points: the length that weighs turns against travel."""
    arms = [
        math.sqrt(np.dot(point, point))
        for p in model.primitives
        for name, i in (("point_a", p.a), ("point_b", p.b))
        if i != GROUND and (point := getattr(p, name, None)) is not None
    ]
    size = float(np.sqrt(np.mean(np.square(arms)))) if arms else 0.0
    # m: all points in the bodies' own centres say nothing of their size.
    return size if size > 1e-9 else 1.0


def _angle_owners(
    model: Model, program: Program, driving: list[int], rotors: list[Coordinate]
) -> tuple[AngleOwner, ...]:
    coordinates = [*(model.motors[i].coordinate for i in driving), *rotors, *_measured(model)]
    counts = np.diff(program.primitive_angle)
    own = [(model.primitives[i], k) for i in np.flatnonzero(counts) for k in range(int(counts[i]))]
    return (*own, *(c for c in coordinates if c.kind == "angle"))


def _row_groups(model: Model, program: Program, driving: list[int], rotors: int) -> tuple[str, ...]:
    names: list[str] = []
    for i, count in enumerate(np.diff(program.primitive_row).tolist()):
        names += [model.group(i)] * count
    return (*names, *(model.motors[i].name for i in driving), *(["armature"] * rotors))
