"""Loads of a scenario: springs, bushings, wrenches, friction and stops.

What acts on bodies is given in their frames B, by indices into `Mechanism.bodies`; `placed` puts it on a model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import GROUND
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.units import DEGREE, MM
from solver.model import Bushing, Callback, Friction, JointLoad, Model, Stop, Wrench


@dataclass(frozen=True)
class LoadSpecs:
    """Loads of a scenario, in SI: on bodies in their frames B, on joints by name.

    Attributes:
        springs: Springs and dampers along coordinates between bodies.
        bushings: Elastic connections.
        wrenches: Forces and torques.
        joint_springs: (joint, spring).
        friction: (joint, dry friction), in place of what the joint has.
        stops: (joint, stop), in place of what the joint has.
        callbacks: Python functions.
    """

    springs: tuple[JointLoad, ...] = ()
    bushings: tuple[Bushing, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    joint_springs: tuple[tuple[str, JointLoad], ...] = ()
    friction: tuple[tuple[str, Friction], ...] = ()
    stops: tuple[tuple[str, Stop], ...] = ()
    callbacks: tuple[JointForce, ...] = ()


@dataclass(frozen=True)
class JointForce:
    """A force that a Python function gives.

    Attributes:
        name: Its name in results.
        function: Of the time (s) and of the values and rates of joints with one freedom, by their names (rad, m, a
            second), to forces along joints by name (N m, N); joints may be left out.
    """

    name: str
    function: Callable[[float, dict[str, float], dict[str, float]], Mapping[str, float]]


def si(joint: Joint) -> float:
    """Degrees to rad on a joint that turns, mm to m on one that slides."""
    return MM if joint.coordinate == "distance" else DEGREE


MOST_TURNS = 100
"""So many turns from the designed pose may a joint start: each is followed step by step, so that gears keep count."""
MOST_LENGTHS = 100
"""So many times the size of the mechanism may a joint that slides start from there."""


def too_far(mechanism: Mechanism, joint: Joint, value: float) -> str:
    """Why a joint cannot start at a value (rad, m; 0 as designed), in its unit; "" where it can."""
    turns = joint.coordinate != "distance"
    most = 2.0 * math.pi * MOST_TURNS if turns else MOST_LENGTHS * mechanism.length_scale
    if abs(value) <= most:
        return ""
    unit = "degrees" if turns else "mm"
    bound = f"{MOST_TURNS} turns" if turns else f"{MOST_LENGTHS} times the size of the mechanism"
    factor = si(joint)
    return f"{joint.name} cannot start at {value / factor:.6g} {unit}: at most {most / factor:.6g} ({bound})"


def find_component(mechanism: Mechanism, findings: Findings, name: str, where: Where) -> tuple[int, Pose] | None:
    """The body of a component (its name, or the end of it) and its pose X_BC as designed; CB604 where none is meant."""
    if name == GROUND:
        return GROUND_BODY, Pose()
    bodies = mechanism.body_of
    fits = [name] if name in bodies else [n for n in bodies if n.rsplit("/", 1)[-1] == name]
    if len(fits) == 1:
        body = bodies[fits[0]]
        X_WB = mechanism.X_WB(body)
        return body, X_WB.inverse() @ mechanism.assembly.component(fits[0]).X_WC
    message = f"there is no component {name!r}" if not fits else f"{name!r} may be any of {', '.join(sorted(fits))}"
    findings.add("CB604", message, where)
    return None


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
