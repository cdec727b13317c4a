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
    """A body with its frame at the centre of mass.

    Attributes:
        name: Its name.
        mass: kg.
        inertia: About the centre of mass, body axes (3, 3) kg m².
    """

    name: str
    mass: float
    inertia: Array


def _no_corners(start: float, end: float) -> Sequence[float]:
    return ()


@dataclass(frozen=True)
class TimeFunction:
    """A function of time with its first two derivatives; `solver.functions` makes them of numbers, tables and text.

    Attributes:
        evaluate: t (s) ↦ (f, f', f'').
        text: How it is written.
        steady: Whether its value never changes: compiled code then asks once.
        corners: Of (start, end): the times (s) between at which it or its rate jumps; steps end there. A function from
            elsewhere that names none is taken for smooth.
        knots: The times (s) at which a higher derivative jumps: there end steps whose error is controlled.
    """

    evaluate: Callable[[float], tuple[float, float, float]]
    text: str = ""
    steady: bool = False
    """Whether its value never changes: compiled code then asks once."""
    corners: Callable[[float, float], Sequence[float]] = _no_corners
    knots: Sequence[float] = ()


@dataclass(frozen=True)
class Motor:
    """What acts along a coordinate by a function of time.

    Speed and angle motors are drivers: they add a row, which counts neither in rows nor in mobility.

    Attributes:
        name: Its name.
        coordinate: Along which it acts.
        kind: "torque" (N m or N), "speed" (rad/s, m/s), "angle" (rad, m), "pd" (a target, rad or m), "servo" (a control
            u) or "voltage" (V).
        function: Of time, what the kind says.
        stiffness: Of a pd motor, N m/rad (N/m) times the gap to its target.
        damping: Of a pd motor, N m s/rad (N s/m) times the gap's rate.
        effort: The most that a pd motor pulls with, N m (N).
        constant: k of a voltage, N m/A and V s/rad (N/A and V s/m): it drives i = (V − k rate) / R, which gives the
            effort k i. Its power is V i, of which R i² is lost.
        resistance: R of a voltage, Ω.
        gain: Of a servo, which makes (gain · [1, q, q̇]) u + bias · [1, q, q̇].
        bias: Of a servo.
        bounds: The range of a servo's effort, N m (N).
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
    """Dry friction: −torque · tanh(rate / speed).

    Attributes:
        torque: N m (N).
        speed: rad/s (m/s); there 76 % of it act.
    """

    torque: float
    speed: float


@dataclass(frozen=True)
class Stop:
    """Ends of a coordinate's range, each a spring and damper that push back and never pull.

    With the depth d beyond an end, the spring's force is stiffness · d²/(2 depth) up to `depth` and stiffness · (d −
    depth/2) beyond, continuous with its slope; the damper's is damping · ḋ, faded in by d/depth.

    Attributes:
        lower: rad (m).
        upper: rad (m).
        stiffness: N m/rad (N/m).
        damping: N m s/rad (N s/m).
        depth: rad (m).
    """

    lower: float
    upper: float
    stiffness: float
    damping: float
    depth: float


@dataclass(frozen=True)
class JointLoad:
    """What acts along a coordinate by its value and rate.

    Along a coordinate of the kind "length" it is a spring and damper between two points.

    Attributes:
        coordinate: Along which it acts.
        damping: N m s/rad (N s/m).
        stiffness: N m/rad (N/m).
        rest: Where the spring is slack, rad (m).
        armature: kg m² (kg).
        friction: Dry friction.
        stop: Ends of the range.
        name: Its name.
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
    """A tie of two coordinates without loss: modulus times the rate of one acts along the other.

    So a current and a shaft, a pressure and a piston: each domain's rate is the other's effort (Karnopp, Margolis and
    Rosenberg, System dynamics, ch. 3).

    Attributes:
        name: Its name.
        one: modulus · rate of `two` acts along it.
        two: −modulus · rate of `one` acts along it.
        modulus: Such as N m/A.
    """

    name: str
    one: Coordinate
    two: Coordinate
    modulus: float


@dataclass(frozen=True)
class Mesh:
    """What the teeth of a gear pair lose: of the power that one wheel gives, a part arrives at the other.

    The driven wheel is held back by (1 − efficiency) of the row's pull on it, smoothed by tanh(rate / speed); which
    wheel drives is seen at each instant. Where several meshes repeat each other, their pulls are not determined, nor is
    what they lose.

    Attributes:
        name: The group of the pair's one row.
        a: The coordinate of wheel a against what carries it, which is the coordinate's first body.
        b: The same of wheel b; of a rack its travel.
        efficiency: Where a drives.
        speed_a: Over which a's loss is smoothed, rad/s (m/s).
        speed_b: Over which b's loss is smoothed, rad/s (m/s).
        backward: Where b drives; None: the same. A worm's may be zero or less: then it locks itself.
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
    """An elastic connection of a frame on b to a frame on a.

    In the axes of a: u = p_B − p_A, θ the rotation vector from a's axes to b's, taken below half a turn. The potential
    is ½ zᵀ K z with z = [u; θ], the damper's force D [u̇; ω].

    Attributes:
        name: Its name.
        a: Body, −1 for the ground.
        b: Body, −1 for the ground.
        point_a: (3,) m, in a.
        axes_a: (3, 3), by columns, in a.
        point_b: (3,) m, in b.
        axes_b: (3, 3), by columns, in b.
        stiffness: K (6, 6) N/m, N, N m.
        damping: D (6, 6).
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
    """A force and a torque on a body, by components.

    Attributes:
        name: Its name.
        body: The body.
        point: Where the force acts (3,) m, in the body.
        force: N, functions of time; None for nothing.
        torque: N m, functions of time; None for nothing.
        axes: In which axes they are given, "world" or "body".
    """

    name: str
    body: int
    point: Array
    force: tuple[TimeFunction | None, TimeFunction | None, TimeFunction | None] = (None, None, None)
    torque: tuple[TimeFunction | None, TimeFunction | None, TimeFunction | None] = (None, None, None)
    axes: str = "world"


@dataclass(frozen=True)
class Callback:
    """A Python function that gives forces along all coordinates.

    Attributes:
        name: Its name.
        function: Of the time (s), values (c,) and rates (c,) of the model's coordinates to forces (c,) along them, N m
            (N).
    """

    name: str
    function: Callable[[float, Array, Array], Any]


@dataclass(frozen=True, eq=False)
class Model:
    """Bodies and what binds and moves them: plain frozen data without a state.

    At the reference pose every angle lies within (−π, π] and gears have their phase.

    Attributes:
        bodies: n rigid bodies.
        primitives: Equations between them, by indices and in body frames (origin at the centre of mass).
        positions: Of the reference pose (n, 3) m.
        quaternions: Of the reference pose (n, 4), w first.
        groups: What each primitive belongs to, such as a joint or a coupling.
        coordinates: Values that are measured along a run; they hold nothing.
        coordinate_names: Their names.
        motors: What moves coordinates by functions of time.
        loads: Springs, dampers, friction, stops and armatures along coordinates.
        meshes: Losses of teeth.
        gyrators: Ties of coordinates without loss.
        bushings: Elastic connections.
        wrenches: Forces and torques on bodies.
        callbacks: Python functions.
        gravity: m/s², world axes.
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

    def group(self, i: int) -> str:
        """Name what a primitive belongs to.

        Args:
            i: Which primitive.

        Returns:
            Its group; "primitive i" where groups are not given.
        """
        return self.groups[i] if i < len(self.groups) else f"primitive {i}"
