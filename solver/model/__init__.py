"""The solver's model: bodies, constraints, loads. A model has no state; state is a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

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


def _no_corners(start: float, end: float) -> Sequence[float]:
    return ()


@dataclass(frozen=True)
class TimeFunction:
    """A function of time with its first two derivatives: t ↦ (f, f', f'').

    `corners(start, end)` are the times (s) between at which it or its rate jumps: steps end there. `knots` (s) are
    those at which a higher derivative does: there end steps whose error is controlled. A function from elsewhere that
    names none is taken for smooth.
    """

    evaluate: Callable[[float], tuple[float, float, float]]
    text: str = ""
    steady: bool = False
    """Whether its value never changes: compiled code then asks once."""
    corners: Callable[[float, float], Sequence[float]] = _no_corners
    knots: Sequence[float] = ()


@dataclass(frozen=True)
class Motor:
    """Acts along a coordinate: `kind` "torque" (N m or N), "speed" (rad/s, m/s), "angle" (rad, m), "pd", "servo" or
    "voltage".

    Speed and angle motors are drivers: they add a row, which counts neither in rows nor in mobility.
    A pd motor pulls towards its function with `stiffness` (N m/rad, N/m) times the gap and `damping` (N m s/rad,
    N s/m) times the gap's rate, never with more than `effort` (N m, N).
    A servo makes (`gain` · [1, q, q̇]) u + `bias` · [1, q, q̇] of its function u, a control, and of the coordinate, held
    within `bounds` (N m, N).
    A "voltage" V stands behind a `resistance` R (Ω): it drives i = (V − k rate) / R, which gives the effort k i, with
    the `constant` k (N m/A and V s/rad; N/A and V s/m). Its power is V i, of which R i² is lost.
    """

    name: str
    coordinate: Coordinate
    kind: str
    function: TimeFunction
    stiffness: float = 0.0
    damping: float = 0.0
    effort: float = math.inf
    constant: float = 0.0
    resistance: float = 0.0
    gain: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    bounds: tuple[float, float] = (-math.inf, math.inf)


@dataclass(frozen=True)
class Friction:
    """Dry friction: −`torque` tanh(rate / `speed`), N m (N) and rad/s (m/s); at `speed` 76 % of it act."""

    torque: float
    speed: float


@dataclass(frozen=True)
class Stop:
    """Ends of a coordinate's range (rad, m), each a spring and damper that push back and never pull.

    With the depth d beyond an end, the spring's force is `stiffness` · (d²/(2 `depth`)) up to `depth` and
    `stiffness` · (d − `depth`/2) beyond, continuous with its slope; the damper's is `damping` · ḋ, faded in by
    d/`depth`.
    """

    lower: float
    upper: float
    stiffness: float
    damping: float
    depth: float


@dataclass(frozen=True)
class JointLoad:
    """Along a coordinate: viscous `damping` (N m s), `stiffness` (N m) about `rest`, `armature` (kg m²).

    Along a coordinate of the kind "length" it is a spring and damper between two points.
    """

    coordinate: Coordinate
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    friction: Friction | None = None
    stop: Stop | None = None
    name: str = ""


@dataclass(frozen=True)
class Gyrator:
    """Ties two coordinates without loss: `modulus` times the rate of `two` acts along `one`, minus that of `one` along
    `two`.

    So a current and a shaft (N m/A), a pressure and a piston: each domain's rate is the other's effort (Karnopp,
    Margolis and Rosenberg, System dynamics, ch. 3).
    """

    name: str
    one: Coordinate
    two: Coordinate
    modulus: float


@dataclass(frozen=True)
class Mesh:
    """What the teeth of a gear pair lose: of the power that one wheel gives, `efficiency` arrives at the other.

    `name` is the group of the pair's one row. `a` and `b` are the coordinates of the primitive's wheels a and b (for a
    rack its travel), each against what carries it, which is the coordinate's first body. The driven wheel is held back
    by (1 − efficiency) of the row's pull on it, smoothed by tanh(rate / speed) with `speed_a`, `speed_b` in rad/s or
    m/s; which wheel drives is seen at each instant. Where several meshes repeat each other, their pulls are not
    determined, nor is what they lose.

    `backward` is the efficiency where b drives, None: the same. A worm's may be zero or less: then it locks itself.
    """

    name: str
    a: Coordinate
    b: Coordinate
    efficiency: float
    speed_a: float
    speed_b: float
    backward: float | None = None

    @property
    def losses(self) -> tuple[float, float]:
        """The share of the pull that holds the driven wheel back: where a is driven, where b is."""
        return 1.0 - (self.efficiency if self.backward is None else self.backward), 1.0 - self.efficiency


@dataclass(frozen=True, eq=False)
class Bushing:
    """An elastic connection of frame (point_b, axes_b) on b to frame (point_a, axes_a) on a; axes (3, 3) by columns.

    In the axes of a: u = p_B − p_A, θ the rotation vector from a's axes to b's. The potential is
    ½ zᵀ `stiffness` z with z = [u; θ] (6, 6; N/m, N, N m), the damper's force `damping` · [u̇; ω].
    θ is taken below half a turn.
    """

    name: str
    a: int
    b: int
    point_a: Array
    axes_a: Array
    point_b: Array
    axes_b: Array
    stiffness: Array
    damping: Array


@dataclass(frozen=True, eq=False)
class Wrench:
    """Force (N) at `point` of a body and torque (N m), by components: functions of time, or None for nothing.

    `axes`, "world" or "body", says in which axes the components are given.
    """

    name: str
    body: int
    point: Array
    force: tuple[TimeFunction | None, TimeFunction | None, TimeFunction | None] = (None, None, None)
    torque: tuple[TimeFunction | None, TimeFunction | None, TimeFunction | None] = (None, None, None)
    axes: str = "world"


@dataclass(frozen=True)
class Callback:
    """A function of (t, values (c,), rates (c,)) of the model's coordinates to forces (c,) along them: N m, N."""

    name: str
    function: Callable[[float, Array, Array], Any]


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
    meshes: tuple[Mesh, ...] = ()
    gyrators: tuple[Gyrator, ...] = ()
    bushings: tuple[Bushing, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    callbacks: tuple[Callback, ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
