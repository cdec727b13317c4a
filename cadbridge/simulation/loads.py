"""Loads that a scenario says: springs, bushings, wrenches, friction and stops, from the file's units to the solver's.

What acts on bodies is given in their frames B, by indices into `Mechanism.bodies`; `placed` puts it on a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import GROUND
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, cross_length, frame_from_axis, unit
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.simulation.load_file import (
    BushingEntry,
    FrictionEntry,
    JointSpringEntry,
    LoadsFile,
    PointEntry,
    SpringEntry,
    StopEntry,
    WrenchEntry,
    function_of,
)
from solver.constraints import Coordinate
from solver.model import Bushing, Callback, Friction, JointLoad, Model, Stop, TimeFunction, Wrench


@dataclass(frozen=True)
class LoadSpecs:
    """Loads in SI, on bodies in their frames B, and on joints by name (`friction` and `stops`)."""

    springs: tuple[JointLoad, ...] = ()
    bushings: tuple[Bushing, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    joint_springs: tuple[tuple[str, JointLoad], ...] = ()
    friction: tuple[tuple[str, Friction], ...] = ()
    stops: tuple[tuple[str, Stop], ...] = ()
    callbacks: tuple[JointForce, ...] = ()


@dataclass(frozen=True)
class JointForce:
    """A Python function of (t, values, rates), both by the names of joints (rad, m, /s), to forces along them.

    What it returns may leave joints out; N m, N. The names are those of joints with one freedom.
    """

    name: str
    function: Callable[[float, dict[str, float], dict[str, float]], Mapping[str, float]]


def si(joint: Joint) -> float:
    """Degrees to rad on a joint that turns, mm to m on one that slides."""
    return 1e-3 if joint.coordinate == "distance" else math.pi / 180.0


def find_component(mechanism: Mechanism, findings: Findings, name: str, where: Where) -> tuple[int, Pose] | None:
    """The body of a component (its name, or the end of it) and its pose X_BC as designed; CB604 where none is meant."""
    if name == GROUND:
        return GROUND_BODY, Pose()
    bodies = mechanism.body_of
    fits = [name] if name in bodies else [n for n in bodies if n.rsplit("/", 1)[-1] == name]
    if len(fits) == 1:
        body = bodies[fits[0]]
        X_WB = Pose() if body == GROUND_BODY else mechanism.bodies[body].X_WB
        return body, X_WB.inverse() @ mechanism.assembly.component(fits[0]).X_WC
    message = f"there is no component {name!r}" if not fits else f"{name!r} may be any of {', '.join(sorted(fits))}"
    findings.add("CB604", message, where)
    return None


@dataclass
class LoadsResolver:
    """From the file's entries to loads; what has no meaning is reported at its place, and the rest is read."""

    mechanism: Mechanism
    findings: Findings
    joint: Callable[[str, Where], Joint | None]
    where: Callable[..., Where]
    speeds: tuple[float, float]

    def resolve(self, spec: LoadsFile) -> LoadSpecs:
        """All loads of the file that have a meaning."""

        def each(section: str, maker: Callable[..., object]) -> list[object]:
            items = getattr(spec, section)
            made = (maker(e, self.where("loads", section, i), i) for i, e in enumerate(items))
            return [m for m in made if m is not None]

        springs = each("springs", self._spring)
        return LoadSpecs(
            springs=tuple(s for s in springs if isinstance(s, JointLoad)),
            joint_springs=tuple(s for s in springs if isinstance(s, tuple)),
            bushings=tuple(each("bushings", self._bushing)),  # type: ignore[arg-type]
            wrenches=tuple(each("wrenches", self._wrench)),  # type: ignore[arg-type]
            friction=tuple(each("friction", self._friction)),  # type: ignore[arg-type]
            stops=tuple(each("stops", self._stop)),  # type: ignore[arg-type]
        )

    def component(self, name: str, where: Where) -> tuple[int, Pose] | None:
        return find_component(self.mechanism, self.findings, name, where)

    def _point(self, entry: PointEntry, where: Where) -> tuple[int, np.ndarray] | None:
        found = self.component(entry.component, where)
        return None if found is None else (found[0], found[1].point(np.array(entry.point) * 1e-3))

    def _pose(self, body: int) -> Pose:
        return Pose() if body == GROUND_BODY else self.mechanism.bodies[body].X_WB

    def _same(self, a: int, b: int, name: str, where: Where) -> bool:
        if a == b:
            self.findings.add("CB605", f"{name}: both ends are on one rigid body, so it does nothing", where)
        return a == b

    def _spring(
        self, entry: SpringEntry | JointSpringEntry, where: Where, i: int
    ) -> JointLoad | tuple[str, JointLoad] | None:
        if isinstance(entry, JointSpringEntry):
            joint = self.joint(entry.joint, where)
            if joint is None:
                return None
            load = JointLoad(
                None,  # type: ignore[arg-type]  # the joint's own, put in where the model is made
                damping=entry.damping,
                stiffness=entry.stiffness,
                rest=entry.rest * si(joint),
                name=f"spring on {joint.name}",
            )
            return joint.name, load
        name = entry.name or f"spring {i + 1}"
        a, b = self._point(entry.a, where), self._point(entry.b, where)
        if a is None or b is None or self._same(a[0], b[0], name, where):
            return None
        reach = float(np.linalg.norm(self._pose(b[0]).point(b[1]) - self._pose(a[0]).point(a[1])))
        rest = reach if entry.length is None else entry.length * 1e-3
        between = Coordinate("length", a[0], b[0], a[1], np.array([1.0, 0.0, 0.0]), b[1])
        return JointLoad(between, damping=entry.damping, stiffness=entry.stiffness, rest=rest, name=name)

    def _bushing(self, entry: BushingEntry, where: Where, i: int) -> Bushing | None:
        name = entry.name or f"bushing {i + 1}"
        on_a, on_b = self.component(entry.a.component, where), self.component(entry.b, where)
        if on_a is None or on_b is None or self._same(on_a[0], on_b[0], name, where):
            return None
        z = np.array(entry.a.z)
        x = None if entry.a.x is None else np.array(entry.a.x)
        if np.linalg.norm(z) < 1e-9 or (x is not None and cross_length(z, x) < 1e-9):
            self.findings.add("CB605", f"{name}: its axes have no direction, or x lies along z", where)
            return None
        axes = frame_from_axis(unit(z))
        if x is not None:
            across = unit(x - unit(z) * float(unit(z) @ x))
            axes = np.column_stack([across, np.cross(unit(z), across), unit(z)])
        X_AF = on_a[1] @ Pose(axes, np.array(entry.a.point) * 1e-3)
        X_BF = self._pose(on_b[0]).inverse() @ self._pose(on_a[0]) @ X_AF
        stiffness = np.diag([*entry.stiffness, *entry.turn_stiffness])
        damping = np.diag([*entry.damping, *entry.turn_damping])
        return Bushing(name, on_a[0], on_b[0], X_AF.p, X_AF.R, X_BF.p, X_BF.R, stiffness, damping)

    def _wrench(self, entry: WrenchEntry, where: Where, i: int) -> Wrench | None:
        name = entry.name or f"wrench {i + 1}"
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
        if entry.axes == "body" and not np.allclose(X_BC.R, np.eye(3), atol=1e-12):
            # The file's axes are the component's, the solver's those of the body.
            functions = {kind: _turned(X_BC.R, parts) for kind, parts in functions.items()}
        point = X_BC.point(np.array(entry.point) * 1e-3)
        force, torque = tuple(functions["force"]), tuple(functions["torque"])
        return Wrench(name, body, point, force, torque, entry.axes)  # type: ignore[arg-type]

    def _friction(self, entry: FrictionEntry, where: Where, i: int) -> tuple[str, Friction] | None:
        joint = self.joint(entry.joint, where)
        if joint is None:
            return None
        own = self.speeds[joint.coordinate == "distance"]
        speed = own if entry.speed is None else entry.speed * si(joint)
        return joint.name, Friction(entry.torque, speed)

    def _stop(self, entry: StopEntry, where: Where, i: int) -> tuple[str, Stop] | None:
        joint = self.joint(entry.joint, where)
        if joint is None:
            return None
        ends = []
        for side, least in (("lower", -math.inf), ("upper", math.inf)):
            given = getattr(entry, side)
            own = getattr(joint.limit, side) if joint.limit is not None else None
            ends.append(given * si(joint) if given is not None else least if own is None else own)
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

        return TimeFunction(evaluate, text="turned")

    if all(part is None for part in parts):
        return parts
    return [row(R[i]) for i in range(3)]


def _callback(force: JointForce, names: tuple[str, ...]) -> Callback:
    """A force by the names of joints as one along all coordinates."""

    def along(t: float, values: np.ndarray, rates: np.ndarray) -> list[float]:
        given = force.function(t, dict(zip(names, values.tolist(), strict=True)), dict(zip(names, rates, strict=True)))
        unknown = sorted(set(given) - set(names))
        if unknown:
            raise KeyError(f"there is no joint {unknown[0]!r}; the joints are {', '.join(names)}")
        return [float(given.get(name, 0.0)) for name in names]

    return Callback(force.name, along)


def placed(lowered: Lowered, specs: LoadSpecs) -> Model:
    """The lowered model with the loads on it; friction and stops take the place of what the joints have."""
    model = lowered.model
    coordinates = dict(zip((j.name for j in lowered.joints), model.coordinates, strict=True))
    loads = {load.name: load for load in model.loads}
    for name, friction in specs.friction:
        loads[name] = replace(loads.get(name) or JointLoad(coordinates[name], name=name), friction=friction)
    for name, stop in specs.stops:
        loads[name] = replace(loads.get(name) or JointLoad(coordinates[name], name=name), stop=stop)
    springs = tuple(replace(s, coordinate=lowered.reframed(s.coordinate)) for s in specs.springs)
    turning = tuple(replace(s, coordinate=coordinates[name]) for name, s in specs.joint_springs)
    bushings = tuple(
        replace(
            b,
            a=lowered.placed(b.a)[0],
            b=lowered.placed(b.b)[0],
            point_a=lowered.placed(b.a)[1].point(b.point_a),
            point_b=lowered.placed(b.b)[1].point(b.point_b),
        )
        for b in specs.bushings
    )
    wrenches = tuple(
        replace(w, body=lowered.placed(w.body)[0], point=lowered.placed(w.body)[1].point(w.point))
        for w in specs.wrenches
    )
    return replace(
        model,
        loads=(*loads.values(), *springs, *turning),
        bushings=(*model.bushings, *bushings),
        wrenches=(*model.wrenches, *wrenches),
        callbacks=tuple(_callback(force, model.coordinate_names) for force in specs.callbacks),
    )
