"""The motion file: which joints and bodies move how, and what drives them (docs/inverse.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.frames import Pose, Vector
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.numbers import FileModel, Finite, NotNegative, Positive
from cadbridge.readers.mates_file.validated import load_spec
from cadbridge.simulation.fitting import GAP
from cadbridge.simulation.load_file import Function, LoadsFile, LoadsResolver, Three, function_of
from cadbridge.simulation.loads import LoadSpecs, find_component, si
from cadbridge.simulation.motor_file import LedMotorForm, MotorsReader
from cadbridge.simulation.motors import MotorSpec, on_joint
from cadbridge.simulation.names import NameResolver
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.scenario_file import FrictionSpeed, Gravity, Initial
from cadbridge.units import DEGREE, MM
from solver.functions import scaled, table
from solver.model import TimeFunction

Array = NDArray[np.float64]
Four = tuple[Finite, Finite, Finite, Finite]

FORMAT = "cadbridge.motion/1"
MOST_SAMPLES = 2_000_000
"""Samples that a run may have: of a robot's efforts some GB; a slip of units in a duration or rate makes more."""

_AXES = dict(zip("xyz", np.eye(3), strict=True))
_NAMED = (("yaw", "z"), ("pitch", "y"), ("roll", "x"))
"""Turns about fixed axes, first roll, last yaw: the same as about moving axes, first yaw, last roll."""


@dataclass(frozen=True, eq=False)
class JointPath:
    """A joint that follows a function of time.

    Attributes:
        joint: Its name.
        function: rad or m; 0 as designed.
    """

    joint: str
    function: TimeFunction


@dataclass(frozen=True, eq=False)
class Turning:
    """How a component's axes turn in the world: R_WC(t) = R(axis 1, angle 1(t)) R(axis 2, angle 2(t)) … base.

    Attributes:
        turns: (axis (3,) in the world, angle in rad as a function of time).
        base: (3, 3).
    """

    turns: tuple[tuple[Vector, TimeFunction], ...]
    base: Array


@dataclass(frozen=True, eq=False)
class BodyPath:
    """The path of a component's frame C.

    Attributes:
        name: The component's name.
        body: The index of its body.
        X_BC: Where C, with the origin in the prescribed point, sits in that body.
        position: x, y, z of the origin in the world, m, as functions of time; None: free.
        turning: How its axes turn; None: free.
    """

    name: str
    body: int
    X_BC: Pose
    position: tuple[TimeFunction | None, ...] = (None, None, None)
    turning: Turning | None = None


@dataclass(frozen=True, eq=False)
class Motion:
    """What is prescribed of a mechanism, for `inverse`.

    Attributes:
        scenario: The rest: gravity, duration (s), rate (samples a second), loads, friction, and joint values to start
            from.
        joints: Joints that follow functions of time.
        bodies: Components that follow paths.
        actuators: Joints whose efforts are requested; none takes those that are prescribed or driven.
        simulate_free: Whether freedoms that nothing prescribes move as the loads want, and are not refused.
        motors: DC motors and cylinders on actuators, whose voltages and pressures are requested.
    """

    scenario: Scenario = field(default_factory=Scenario)
    joints: tuple[JointPath, ...] = ()
    bodies: tuple[BodyPath, ...] = ()
    actuators: tuple[str, ...] = ()
    simulate_free: bool = False
    motors: tuple[MotorSpec, ...] = ()


class PositionEntry(FileModel):
    """mm in the world: functions of time of `x`, `y`, `z`, what is left out stays free; or a table [time, x, y, z]."""

    x: Function | None = None
    y: Function | None = None
    z: Function | None = None
    table: list[Four] | None = None


class OrientationEntry(FileModel):
    """Degrees: `roll`, `pitch`, `yaw` about the world's x, y, z in this order; or about moving axes by `sequence`.

    A table has rows [time, roll, pitch, yaw], or [time, angles of the sequence].
    """

    roll: Function | None = None
    pitch: Function | None = None
    yaw: Function | None = None
    sequence: Annotated[str, Field(pattern="^[xyz]{3}$")] | None = None
    angles: tuple[Function, Function, Function] | None = None
    table: list[Four] | None = None


class BodyEntry(FileModel):
    """A component moved along a path by a `point` (mm) of it; `relative`: counted from where it is as designed."""

    component: str
    point: Three = (0.0, 0.0, 0.0)
    position: PositionEntry | None = None
    orientation: OrientationEntry | None = None
    relative: bool = False


class MotionFile(FileModel):
    """The file as people write it."""

    format: Literal["cadbridge.motion/1"]
    gravity: Gravity = None
    duration: Positive = 2.0
    rate: Positive = 100.0
    initial: Initial = Field(default_factory=Initial)
    joints: dict[str, Function] = Field(default_factory=dict)
    bodies: list[BodyEntry] = Field(default_factory=list)
    actuators: list[str] = Field(default_factory=list)
    motors: list[LedMotorForm] = Field(default_factory=list)
    free: Literal["refuse", "simulate"] = "refuse"
    gap: NotNegative = GAP * 1e3
    loads: LoadsFile = Field(default_factory=LoadsFile)
    friction: Literal["apply", "ignore"] = "apply"
    friction_speed: FrictionSpeed = Field(default_factory=FrictionSpeed)


def load_motion(path: str | Path, mechanism: Mechanism) -> Motion:
    """Read a motion file for a mechanism.

    Args:
        path: The motion, YAML as docs/inverse.md describes it.
        mechanism: The mechanism whose joints and components it names.

    Returns:
        The motion in SI.

    Raises:
        InputError: The file cannot be read, or has faults; its findings are all of them, each with line and column.
    """
    findings, path = Findings(), Path(path)
    spec, places = load_spec(MotionFile, path, findings, "CB660")
    motion = None if spec is None else _MotionResolver(mechanism, findings, str(path), places).resolve(spec)
    if findings.errors or motion is None:
        raise InputError("The motion file cannot be used.", findings)
    return motion


class _MotionResolver(NameResolver):
    """From the file to a motion."""

    def resolve(self, spec: MotionFile) -> Motion:
        speeds = (spec.friction_speed.turn * DEGREE, spec.friction_speed.slide * MM)
        loads = LoadsResolver(self.mechanism, self.findings, self.file, self.places, speeds)
        if not spec.joints and not spec.bodies:
            self.findings.add("CB660", "nothing moves: give joints or bodies", self.where())
        if spec.initial.rates:
            self.findings.add("CB660", "initial.rates: the motion gives the rates", self.where("initial", "rates"))
        if spec.duration * spec.rate > MOST_SAMPLES:
            text = f"duration × rate asks for more than {MOST_SAMPLES} samples"
            self.findings.add("CB660", text, self.where("rate" if "rate" in spec.model_fields_set else "duration"))
        scenario = Scenario(
            gravity=spec.gravity,
            duration=spec.duration,
            rate=spec.rate,
            gap=spec.gap * MM,
            positions=self.initial(spec.initial.positions, "positions", "CB660"),
            loads=loads.resolve(spec.loads) if spec.model_fields_set & {"loads"} else LoadSpecs(),
            friction=speeds if spec.friction == "apply" else None,
        )
        paths = [p for name, value in spec.joints.items() if (p := self._joint_path(name, value)) is not None]
        bodies = [b for i, e in enumerate(spec.bodies) if (b := self._body(i, e)) is not None]
        self._once("joints", [p.joint for p in paths])
        self._once("bodies", [b.name for b in bodies])
        actuators = [j for i, n in enumerate(spec.actuators) if (j := self.joint(n, self.where("actuators", i)))]
        self._once("actuators", [j.name for j in actuators])
        names, free = tuple(j.name for j in actuators), spec.free == "simulate"
        read = MotorsReader(self.mechanism, self.findings, self.file, self.places, led=True).read(spec.motors)
        motors = tuple(on_joint(self.mechanism, motor) for motor in read)
        self._once("motors", [m.joint for m in motors])
        return Motion(scenario, tuple(paths), tuple(bodies), names, free, motors)

    def _once(self, section: str, names: list[str]) -> None:
        for name in sorted({n for n in names if names.count(n) > 1}):
            self.findings.add("CB660", f"{section}: {name} is named more than once", self.where(section))

    def _joint_path(self, name: str, value: Function) -> JointPath | None:
        joint = self.joint(name, self.where("joints", name))
        drive = self.mechanism.drive_named(name)
        # By a drive's name the path is that of its motor, which turns `reduction` times as far as the joint.
        factor = self.mechanism.sense(name) if drive is None else 1.0 / drive.reduction
        function = self._function(value, factor if joint is None else factor * si(joint), "joints", name)
        return None if joint is None or function is None else JointPath(joint.name, function)

    def _function(self, value: Function | None, factor: float, *path: str | int) -> TimeFunction | None:
        """A function of the file, to SI; None where there is none, or it cannot be read (reported)."""
        if value is None:
            return None
        try:
            return scaled(function_of(value), factor)
        except ValueError as fault:
            self.findings.add("CB603", f"{'.'.join(map(str, path))}: {fault}", self.where(*path))
            return None

    def _columns(self, rows: list[Four], factor: float, *path: str | int) -> list[TimeFunction | None]:
        """The three functions of a table [time, three values]."""
        try:
            return [scaled(table([(row[0], row[k]) for row in rows]), factor) for k in (1, 2, 3)]
        except ValueError as fault:
            self.findings.add("CB603", f"{'.'.join(map(str, path))}: {fault}", self.where(*path))
            return [None, None, None]

    def _body(self, i: int, entry: BodyEntry) -> BodyPath | None:
        where = self.where("bodies", i)
        found = find_component(self.mechanism, self.findings, entry.component, where)
        if found is not None and found[0] == GROUND_BODY:
            self.findings.add("CB661", f"{entry.component} belongs to the ground, which does not move", where)
            found = None
        if entry.position is None and entry.orientation is None:
            self.findings.add("CB660", f"bodies: {entry.component} needs a position or an orientation", where)
        position = self._position(i, entry.position)
        turns = None if entry.orientation is None else self._turns(i, entry.orientation)
        if found is None:
            return None
        body, X_BC = found
        X_BC = Pose(X_BC.R, X_BC.point(np.array(entry.point) * MM))
        designed = self.mechanism.bodies[body].X_WB @ X_BC
        if entry.relative:
            position = [None if f is None else shifted(f, float(p)) for f, p in zip(position, designed.p, strict=True)]
        turning = None
        if turns is not None:
            turning = Turning(turns, designed.R if entry.relative else np.eye(3))
        return BodyPath(entry.component, body, X_BC, tuple(position), turning)

    def _position(self, i: int, entry: PositionEntry | None) -> list[TimeFunction | None]:
        if entry is None:
            return [None, None, None]
        place: tuple[str | int, ...] = ("bodies", i, "position")
        single = [(name, getattr(entry, name)) for name in "xyz"]
        given = any(value is not None for _, value in single)
        if given == (entry.table is not None):
            self.findings.add("CB660", "position: give x, y, z or a table", self.where(*place))
            return [None, None, None]
        if entry.table is not None:
            return self._columns(entry.table, MM, *place, "table")
        return [self._function(value, MM, *place, name) for name, value in single]

    def _turns(self, i: int, entry: OrientationEntry) -> tuple[tuple[Vector, TimeFunction], ...] | None:
        place: tuple[str | int, ...] = ("bodies", i, "orientation")
        named = any(getattr(entry, name) is not None for name, _ in _NAMED)
        forms = named + (entry.angles is not None) + (entry.table is not None)
        if forms != 1 or (entry.angles is not None and entry.sequence is None) or (named and entry.sequence):
            text = "orientation: give roll, pitch, yaw, or a sequence with its angles, or a table of either"
            self.findings.add("CB660", text, self.where(*place))
            return None
        axes = entry.sequence or "".join(letter for _, letter in _NAMED)
        functions: list[TimeFunction | None]
        if entry.table is not None:
            functions = self._columns(entry.table, DEGREE, *place, "table")
            # Columns stand roll, pitch, yaw; the axes stand yaw first, as in `_NAMED`.
            functions = functions if entry.sequence else functions[::-1]
        elif entry.angles is not None:
            functions = [self._function(v, DEGREE, *place, "angles", k) for k, v in enumerate(entry.angles)]
        else:
            functions = [self._function(getattr(entry, n) or 0.0, DEGREE, *place, n) for n, _ in _NAMED]
        return tuple((_AXES[a], f) for a, f in zip(axes, functions, strict=True) if f is not None)


def shifted(function: TimeFunction, by: float) -> TimeFunction:
    """function + by."""

    def evaluate(t: float) -> tuple[float, float, float]:
        f, f1, f2 = function.evaluate(t)
        return (f + by, f1, f2)

    return replace(function, evaluate=evaluate)
