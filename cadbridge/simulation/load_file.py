"""Loads as people write them in a scenario file, and the kinds of values that its other parts are made of."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypeVar

import numpy as np
from pydantic import Discriminator, Field, Tag

from cadbridge.assembly import Limit
from cadbridge.findings import Where
from cadbridge.frames import Pose, cross_length, frame_of_person
from cadbridge.mechanism import GROUND_BODY
from cadbridge.numbers import FileModel, Finite, NotNegative, Positive
from cadbridge.simulation.loads import LoadSpecs, find_component, si
from cadbridge.simulation.names import NameResolver
from cadbridge.units import MM
from solver.constraints import Coordinate
from solver.functions import constant, expression, table
from solver.model import Bushing, Friction, JointLoad, Stop, TimeFunction, Wrench

T = TypeVar("T")
Three = tuple[Finite, Finite, Finite]
ThreeNotNegative = tuple[NotNegative, NotNegative, NotNegative]
_ZERO = (0.0, 0.0, 0.0)
"""The vector of what a load leaves out."""


class Table(FileModel):
    """Points [time s, value] of a smooth curve."""

    table: list[tuple[Finite, Finite]]


def _written_as(value: object) -> str:
    """Which of its forms a function has, so that only its own faults are reported."""
    if isinstance(value, dict | Table):
        return "<table>"
    return "<expression>" if isinstance(value, str) else "<number>"


Function = Annotated[
    Annotated[Finite, Tag("<number>")] | Annotated[str, Tag("<expression>")] | Annotated[Table, Tag("<table>")],
    Discriminator(_written_as),
]


class PointEntry(FileModel):
    """A point (mm) in the frame of a component, or of the world for `ground`."""

    component: str
    point: Three = _ZERO


class FrameEntry(PointEntry):
    """A point with axes: `z`, and `x` across it."""

    z: Three = (0.0, 0.0, 1.0)
    x: Three | None = None


class SpringEntry(FileModel):
    """Between two points: N/m, N s/m; `length` (mm) without load, by default the one as designed."""

    name: str | None = None
    a: PointEntry
    b: PointEntry
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    length: NotNegative | None = None


class JointSpringEntry(FileModel):
    """Along a joint: N m/rad and N m s/rad (N/m, N s/m); `rest` in degrees (mm)."""

    joint: str
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: Finite = 0.0


def _spring_of(value: object) -> str:
    """A spring along a joint, or between points."""
    of_joint = isinstance(value, JointSpringEntry) or (isinstance(value, dict) and "joint" in value)
    return "<joint>" if of_joint else "<points>"


AnySpring = Annotated[
    Annotated[SpringEntry, Tag("<points>")] | Annotated[JointSpringEntry, Tag("<joint>")], Discriminator(_spring_of)
]


class BushingEntry(FileModel):
    """An elastic connection, without load as designed: by the axes of frame a, N/m, N s/m, N m/rad, N m s/rad."""

    name: str | None = None
    a: FrameEntry
    b: str
    stiffness: ThreeNotNegative = _ZERO
    damping: ThreeNotNegative = _ZERO
    turn_stiffness: ThreeNotNegative = _ZERO
    turn_damping: ThreeNotNegative = _ZERO


class WrenchEntry(FileModel):
    """Force (N) at a point (mm) of a component and torque (N m), in the axes of the world or of the component."""

    name: str | None = None
    component: str
    point: Three = _ZERO
    axes: Annotated[str, Field(pattern="^(world|body)$")] = "world"
    force: tuple[Function, Function, Function] | None = None
    torque: tuple[Function, Function, Function] | None = None


class FrictionEntry(FileModel):
    """Dry friction of a joint (N m, N) in place of its own; `speed` (degrees/s, mm/s) at which 76 % of it act."""

    joint: str
    torque: NotNegative
    speed: Positive | None = None


class StopEntry(FileModel):
    """Stops of a joint: degrees, N m/rad, N m s/rad (mm, N/m, N s/m); its limits where no range is given."""

    joint: str
    lower: Finite | None = None
    upper: Finite | None = None
    stiffness: Positive
    damping: NotNegative = 0.0
    depth: Positive = 0.1


class LoadsFile(FileModel):
    """All loads of a scenario."""

    springs: list[AnySpring] = Field(default_factory=list)
    bushings: list[BushingEntry] = Field(default_factory=list)
    wrenches: list[WrenchEntry] = Field(default_factory=list)
    friction: list[FrictionEntry] = Field(default_factory=list)
    stops: list[StopEntry] = Field(default_factory=list)


def function_of(value: float | str | Table) -> TimeFunction:
    """A function of time as the file gives it; ValueError where it is none."""
    if isinstance(value, Table):
        return table(value.table)
    maker: Callable[..., TimeFunction] = expression if isinstance(value, str) else constant
    return maker(value)


@dataclass
class LoadsResolver(NameResolver):
    """From the file's entries to loads; what has no meaning is reported at its place, and the rest is read."""

    speeds: tuple[float, float]

    def resolve(self, spec: LoadsFile) -> LoadSpecs:
        """All loads of the file that have a meaning."""

        def each(section: str, maker: Callable[..., T | None]) -> list[T]:
            items = getattr(spec, section)
            at = [("loads", section, i) for i in range(len(items))]
            made = (maker(e, self.where(*at[i]), self.number(*at[i])) for i, e in enumerate(items))
            return [m for m in made if m is not None]

        springs = each("springs", self._spring)
        wrenches = [
            *each("wrenches", self._wrench),
        ]
        self.once("friction", [e.joint for e in spec.friction])
        self.once("stops", [e.joint for e in spec.stops])
        return LoadSpecs(
            springs=tuple(s for s in springs if isinstance(s, JointLoad)),
            joint_springs=tuple(s for s in springs if isinstance(s, tuple)),
            bushings=tuple(each("bushings", self._bushing)),
            wrenches=tuple(wrenches),
            friction=tuple(each("friction", self._friction)),
            stops=tuple(each("stops", self._stop)),
        )

    def component(self, name: str, where: Where) -> tuple[int, Pose] | None:
        """The body of a component and its pose in it; None with a finding at `where` if there is none of the name."""
        return find_component(self.mechanism, self.findings, name, where)

    def _point(self, entry: PointEntry, where: Where) -> tuple[int, np.ndarray] | None:
        found = self.component(entry.component, where)
        return None if found is None else (found[0], found[1].point(np.array(entry.point) * MM))

    def _same(self, a: int, b: int, name: str, where: Where) -> bool:
        if a == b:
            self.findings.add("CB605", f"{name}: both ends are on one rigid body, so it does nothing", where)
        return a == b

    def _spring(
        self, entry: SpringEntry | JointSpringEntry, where: Where, number: int
    ) -> JointLoad | tuple[str, JointLoad] | None:
        if isinstance(entry, JointSpringEntry):
            joint = self.joint(entry.joint, where)
            if joint is None:
                return None
            load = JointLoad(
                None,  # type: ignore[arg-type]  # the joint's own, put in where the model is made
                damping=entry.damping,
                stiffness=entry.stiffness,
                rest=entry.rest * si(joint) * self.mechanism.sense(entry.joint),
                name=f"spring on {joint.name}",
            )
            return joint.name, load
        name = entry.name or f"spring {number}"
        a, b = self._point(entry.a, where), self._point(entry.b, where)
        if a is None or b is None or self._same(a[0], b[0], name, where):
            return None
        reach = float(np.linalg.norm(self.mechanism.X_WB(b[0]).point(b[1]) - self.mechanism.X_WB(a[0]).point(a[1])))
        rest = reach if entry.length is None else entry.length * MM
        between = Coordinate("length", a[0], b[0], a[1], np.array([1.0, 0.0, 0.0]), b[1])
        return JointLoad(between, damping=entry.damping, stiffness=entry.stiffness, rest=rest, name=name)

    def _bushing(self, entry: BushingEntry, where: Where, number: int) -> Bushing | None:
        name = entry.name or f"bushing {number}"
        on_a, on_b = self.component(entry.a.component, where), self.component(entry.b, where)
        if on_a is None or on_b is None or self._same(on_a[0], on_b[0], name, where):
            return None
        z = np.array(entry.a.z)
        x = None if entry.a.x is None else np.array(entry.a.x)
        # A person writes numbers of 1 or so for a direction; shorter ones, and sines so small, are none.
        if np.linalg.norm(z) < 1e-9 or (x is not None and cross_length(z, x) < 1e-9):
            self.findings.add("CB605", f"{name}: its axes have no direction, or x lies along z", where)
            return None
        axes = frame_of_person(z, x)
        X_AF = on_a[1] @ Pose(axes, np.array(entry.a.point) * MM)
        X_BF = self.mechanism.X_WB(on_b[0]).inverse() @ self.mechanism.X_WB(on_a[0]) @ X_AF
        stiffness = np.diag([*entry.stiffness, *entry.turn_stiffness])
        damping = np.diag([*entry.damping, *entry.turn_damping])
        return Bushing(name, on_a[0], on_b[0], X_AF.p, X_AF.R, X_BF.p, X_BF.R, stiffness, damping)

    def _wrench(self, entry: WrenchEntry, where: Where, number: int) -> Wrench | None:
        name = entry.name or f"wrench {number}"
        found = self.component(entry.component, where)
        if found is not None and found[0] == GROUND_BODY:
            self.findings.add("CB605", f"{name}: it acts on the ground, so it does nothing", where)
            found = None
        if entry.force is None and entry.torque is None:
            self.findings.add("CB605", f"{name}: it has neither force nor torque", where)
        functions: dict[str, list[TimeFunction | None]] = {}
        for kind in ("force", "torque"):
            given = getattr(entry, kind) or (None, None, None)
            try:
                functions[kind] = [None if v is None or v == 0.0 else function_of(v) for v in given]
            except ValueError as fault:
                self.findings.add("CB603", f"{name}: {kind}: {fault}", where)
                return None
        if found is None:
            return None
        body, X_BC = found
        # Entries of a rotation: what composing placements rounds.
        if entry.axes == "body" and not np.allclose(X_BC.R, np.eye(3), atol=1e-12):
            # The file's axes are the component's, the solver's those of the body.
            functions = {kind: _turned(X_BC.R, parts) for kind, parts in functions.items()}
        point = X_BC.point(np.array(entry.point) * MM)
        force, torque = ((x, y, z) for x, y, z in (functions["force"], functions["torque"]))
        return Wrench(name, body, point, force, torque, entry.axes)

    def _friction(self, entry: FrictionEntry, where: Where, number: int) -> tuple[str, Friction] | None:
        joint = self.joint(entry.joint, where)
        if joint is None:
            return None
        own = self.speeds[joint.coordinate == "distance"]
        speed = own if entry.speed is None else entry.speed * si(joint)
        return joint.name, Friction(entry.torque, speed)

    def _stop(self, entry: StopEntry, where: Where, number: int) -> tuple[str, Stop] | None:
        joint = self.joint(entry.joint, where)
        if joint is None:
            return None
        given = Limit(*(None if end is None else end * si(joint) for end in (entry.lower, entry.upper)))
        given = given.oriented(self.mechanism.sense(entry.joint))
        ends = []
        for side, least in (("lower", -math.inf), ("upper", math.inf)):
            end, own = (None if limit is None else getattr(limit, side) for limit in (given, joint.limit))
            ends.append(end if end is not None else least if own is None else own)
        if not ends[0] < ends[1] or (math.isinf(ends[0]) and math.isinf(ends[1])):
            self.findings.add("CB605", f"stops on {joint.name}: they have no range, and the joint has no limits", where)
            return None
        return joint.name, Stop(ends[0], ends[1], entry.stiffness, entry.damping, entry.depth * si(joint))


def _turned(R: np.ndarray, parts: list[TimeFunction | None]) -> list[TimeFunction | None]:
    """The components along other axes: R times a vector of functions."""

    def row(factors: np.ndarray) -> TimeFunction:
        def evaluate(t: float) -> tuple[float, float, float]:
            total = np.zeros(3)
            for factor, part in zip(factors, parts, strict=True):
                if part is not None:
                    total += factor * np.array(part.evaluate(t))
            return (float(total[0]), float(total[1]), float(total[2]))

        given = [part for part in parts if part is not None]
        return TimeFunction(
            evaluate,
            text="turned",
            corners=lambda start, end: [t for part in given for t in part.corners(start, end)],
            knots=tuple(sorted({t for part in given for t in part.knots})),
        )

    if all(part is None for part in parts):
        return parts
    return [row(R[i]) for i in range(3)]
