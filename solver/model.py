"""The solver's model: bodies, constraints, loads. A model has no state; state is a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.constraints import Coordinate, Primitive

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RigidBody:
    """A body with its frame at the centre of mass: mass (kg), inertia (3, 3) about it, body axes."""

    name: str
    mass: float
    inertia: Array


@dataclass(frozen=True)
class TimeFunction:
    """A function of time with its first two derivatives: t ↦ (f, f', f'')."""

    evaluate: Callable[[float], tuple[float, float, float]]
    text: str = ""


@dataclass(frozen=True)
class Motor:
    """Acts along a coordinate: `kind` "torque" (N m or N), "speed" (rad/s, m/s) or "angle" (rad, m).

    Speed and angle motors are drivers: they add a row, which counts neither in rows nor in mobility.
    """

    name: str
    coordinate: Coordinate
    kind: str
    function: TimeFunction


@dataclass(frozen=True)
class JointLoad:
    """Along a coordinate: viscous `damping` (N m s), `stiffness` (N m) about `rest`, `armature` (kg m²)."""

    coordinate: Coordinate
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


@dataclass(frozen=True, eq=False)
class Model:
    """Bodies and what binds and moves them.

    `primitives` use indices into `bodies` and points in body frames (origin at the centre of mass).
    `groups[i]` names what primitive i belongs to (a joint, a coupling); `coordinates` are measured along
    a run. `positions` (n, 3) and `quaternions` (n, 4; w first) are the reference pose: there every angle
    lies within (−π, π] and gears have their phase.
    """

    bodies: tuple[RigidBody, ...]
    primitives: tuple[Primitive, ...]
    positions: Array
    quaternions: Array
    groups: tuple[str, ...] = ()
    coordinates: tuple[Coordinate, ...] = ()
    coordinate_names: tuple[str, ...] = ()
    motors: tuple[Motor, ...] = ()
    loads: tuple[JointLoad, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
