"""What a run begins with: a lowered mechanism with what acts on it, in its initial state."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered, lower, prepared
from cadbridge.mechanism import Mechanism
from cadbridge.simulation.circuits import Wired, wired
from cadbridge.simulation.frames import prescribed_frames
from cadbridge.simulation.initial import coordinate_of, initial_state
from cadbridge.simulation.loads import placed
from cadbridge.simulation.motors import CIRCUITS, LEADS
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.servos import servo_motors
from cadbridge.simulation.stops import limit_stops
from cadbridge.simulation.tendons import tendons_of, tie
from solver.algebra.rank import rank
from solver.constraints import Coupler, Primitive, evaluate
from solver.equations.system import System
from solver.model import Motor, Stop
from solver.state import State


@dataclass(frozen=True, eq=False)
class Begun:
    """What a run begins with: the model with all that acts on it, and the state (None: as designed, at rest)."""

    system: System
    start: State | None
    stops: tuple[tuple[str, Stop], ...]
    circuits: Wired


def begin(lowered: Lowered, what: Scenario, findings: Findings) -> Begun:
    """A lowered mechanism with the loads, motors and stops of a scenario, in its initial state.

    ValueError and InputError where it cannot be, ModelError where a freedom has no inertia (CB697).
    """
    stops = limit_stops(lowered, what.loads) if what.limits == "stop" else ()
    specs = replace(what.loads, stops=(*stops, *what.loads.stops))
    state = initial_state(lowered, what, findings)
    motors = _motors(lowered, what)
    # Motors of the scenario come first: a joint that they move has no servo of the source.
    moved = {m.name for m in motors} | {c.joint for c in what.circuits}
    motors += servo_motors(lowered, what.servos, moved, findings)
    model = replace(placed(lowered, specs), motors=motors)
    tendons = tendons_of(lowered, findings)
    circuits = wired(lowered, model, what.circuits, what.friction, state, observe=bool(tendons))
    tie(circuits, lowered, tendons, what, findings)
    for frame in prescribed_frames(lowered, what.frame_motions, findings):
        frame.drive(circuits)
    system = prepared(circuits.model)
    return Begun(system, circuits.start(state, lowered, system), stops, circuits)


def check_numbers(what: Scenario) -> None:
    """InputError with all initial values that are no finite numbers: a scenario made in Python may hold any."""
    given: dict[str, ArrayLike] = {
        **{f"the position of {joint}": value for joint, value in what.positions.items()},
        **{f"the rate of {joint}": value for joint, value in what.rates.items()},
        **{f"the velocity of {component}": v for component, v in what.velocities.items()},
    }
    bad = [name for name, value in given.items() if not np.isfinite(np.asarray(value, float)).all()]
    if bad:
        findings = Findings()
        findings.add("CB608", f"The initial state is not of finite numbers: {', '.join(bad)}.", items=bad)
        raise InputError(findings.as_tuple()[0].message, findings)


def _motors(lowered: Lowered, what: Scenario) -> tuple[Motor, ...]:
    made = []
    for m in what.motors:
        if m.kind not in CIRCUITS:
            along = lowered.model.coordinates[coordinate_of(lowered, m.joint)]
            pulls = () if m.pd is None else (m.pd.kp, m.pd.kd, m.pd.effort)
            made.append(Motor(m.joint, along, m.kind, m.function, *pulls))
    return tuple(made)


def lower_for(mechanism: Mechanism, what: Scenario, collapse: bool, findings: Findings) -> Lowered:
    """The lowered mechanism; masses that are not known may stay so where drivers prescribe every motion."""
    try:
        return lower(mechanism, collapse=collapse, gravity=what.gravity, friction=what.friction)
    except ModelError:
        lowered = lower(mechanism, collapse=collapse, gravity=what.gravity, friction=what.friction, motion_only=True)
        if not _prescribed(lowered, what):
            raise
    findings.add(
        "CB617",
        f"the mass of {', '.join(lowered.stand_ins[:5])} is not known",
        Where(item=lowered.stand_ins[0]),
        items=lowered.stand_ins,
    )
    return lowered


def _prescribed(lowered: Lowered, what: Scenario) -> bool:
    """Whether rows and drivers together leave no freedom to the units without a mass as designed."""
    drivers: list[Primitive] = [
        Coupler(c.a, c.b, ((1.0, c),))
        for m in what.motors
        if m.kind in LEADS
        for c in (lowered.model.coordinates[coordinate_of(lowered, m.joint)],)
    ]
    model, length = lowered.model, lowered.mechanism.length_scale
    for frame in prescribed_frames(lowered, what.frame_motions, Findings()):
        drivers += frame.rows(frame.present(model.positions, model.quaternions))
    if not drivers:
        return False
    G = evaluate((*model.primitives, *drivers), model.positions, model.quaternions).G
    # The rank falls by all six of each of them without their columns exactly where every motion of theirs is held.
    massless = [k for k, unit in enumerate(lowered.units) if unit.name in lowered.stand_ins]
    others = np.delete(G.reshape(len(G), -1, 6), massless, axis=1).reshape(len(G), -1)
    return rank(G, length).rank == rank(others, length).rank + 6 * len(massless)
