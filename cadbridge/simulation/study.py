"""The run that a source itself asks for, as a scenario: what a scenario file leaves open comes from here."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from cadbridge.assembly import Feature
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, Vector
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.sides import MateSide
from cadbridge.simulation.motors import MotorSpec
from cadbridge.simulation.scenario import Scenario
from cadbridge.study import MotionLaw
from solver.functions import expression
from solver.model import TimeFunction
from solver.state import State

LOOSEST_TOLERANCE = 1e-8
"""A run takes at most this tolerance: what a source claims of its own solver is mostly looser."""


def load_scenario(path: str | Path, mechanism: Mechanism, base: Scenario | None = None) -> Scenario:
    """Read a scenario file for a mechanism.

    Args:
        path: The scenario, YAML as docs/scenario.md describes it.
        mechanism: The mechanism whose joints, bodies and components it names.
        base: Where what the file does not say is taken from, such as the run that the source itself asks for; None
            takes the defaults of `Scenario`.

    Returns:
        The scenario in SI.

    Raises:
        InputError: The file cannot be read, or has faults; its findings are all of them, each with line and column.
    """
    # Only who has a file waits for what validates it.
    from cadbridge.simulation.scenario_file import read_scenario

    return read_scenario(path, mechanism, base)


def requested_scenario(
    mechanism: Mechanism, findings: Findings, file: Path | None = None, duration: float | None = None
) -> Scenario:
    """What a person asks for: a scenario file over what the source itself asks for, and a duration (s) over both.

    InputError where the file cannot be used.
    """
    own = study_scenario(mechanism, findings)
    what = own if file is None else load_scenario(file, mechanism, own)
    return what if duration is None else replace(what, duration=duration)


def study_scenario(mechanism: Mechanism, findings: Findings) -> Scenario:
    """Gravity, times, motions and initial velocities as the source says them, else the defaults.

    A motion that no joint of one freedom can follow is reported (CB615) and left out.
    """
    study = mechanism.assembly.study
    scenario = Scenario()
    if study is None:
        return scenario
    # The floor is what double precision can hold over many steps.
    tolerance = min(LOOSEST_TOLERANCE, max(study.tolerance or LOOSEST_TOLERANCE, 1e-12))
    motors = []
    starts: dict[str, float] = {}
    for law in study.motions:
        motor = _motor(mechanism, law, study.designed_at, findings)
        if motor is not None:
            motors.append(motor)
            starts[motor.joint] = motor.function.evaluate(0.0)[0]
    return replace(
        scenario,
        gravity=study.gravity,
        duration=study.duration or scenario.duration,
        rate=study.rate or scenario.rate,
        rtol=tolerance,
        atol=tolerance,
        # rad or m: a law that begins at zero but for the rounding of its own terms begins as designed.
        positions={name: q for name, q in starts.items() if abs(q) > 1e-12},
        motors=tuple(motors),
        frame_motions=study.frame_motions,
        velocities=study.velocities,
    )


def _motor(mechanism: Mechanism, law: MotionLaw, designed_at: float, findings: Findings) -> MotorSpec | None:
    """A motion between the frames of a mate as one of its joint's coordinate, which is 0 as designed."""
    mate = next((m for m in mechanism.assembly.mates if m.name == law.mate), None)
    joint = next((j for j in mechanism.joints if law.mate in j.mates), None)
    if mate is None or joint is None or joint.coordinate != law.kind:
        what = "no joint" if joint is None else f"a {joint.type} joint"
        findings.add("CB615", f"{law.name} moves {law.mate}, which is {what} without that one freedom", law.where)
        return None
    a, b = _side(mechanism, mate.a), _side(mechanism, mate.b)
    X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
    sense = math.copysign(1.0, float(X_WJ.R[:, 2] @ a.world_direction()))
    if mechanism.body_of[mate.a.component] != joint.a:
        sense = -sense
    try:
        law_of_time = expression(law.text)
        value = law_of_time.evaluate(designed_at)[0]
        law_of_time.evaluate(0.0)  # where the run starts
    except ValueError as fault:
        findings.add("CB603", f"{law.name}: {fault}", law.where)
        return None
    zero = _designed(a, b, law.kind)
    if law.kind == "angle":
        # A pose gives an angle modulo 2π; the law gives the whole turns.
        zero += 2 * math.pi * round((value - zero) / (2 * math.pi))
    return MotorSpec(joint.name, angle=_measured(law_of_time, zero, sense))


def _measured(law_of_time: TimeFunction, zero: float, sense: float) -> TimeFunction:
    def evaluate(t: float) -> tuple[float, float, float]:
        f, f1, f2 = law_of_time.evaluate(t)
        return sense * (f - zero), sense * f1, sense * f2

    return replace(law_of_time, evaluate=evaluate)


def _designed(a: MateSide, b: MateSide, kind: str) -> float:
    """Turn (rad) of b's x against a's about a's direction, or height (m) of b's point over a's along it."""
    if kind == "distance":
        return float(a.world_direction() @ (b.world_point() - a.world_point()))
    x, y = a.X.vector(a.x), a.X.vector(a.y)
    ref = b.X.vector(b.x)
    return math.atan2(float(y @ ref), float(x @ ref))


def _side(mechanism: Mechanism, feature: Feature) -> MateSide:
    known = {c.name: c.X_WC for c in mechanism.assembly.components}
    return MateSide(mechanism.body_of[feature.component], known.get(feature.component, Pose()), feature)


def with_velocities(lowered: Lowered, state: State, velocities: dict[str, Vector], findings: Findings) -> State:
    """The state with the bodies moving as their components do as designed; the ground's are passed over.

    Components of one body that move differently cannot both be right: the later is reported (CB615).
    """
    moving = np.array(state.velocities, float).reshape(-1, 6)
    given: dict[int, Vector] = {}
    for component, twist in velocities.items():
        unit = unit_of(lowered, component)
        if unit == GROUND_BODY:
            continue
        X_WC = lowered.mechanism.assembly.component(component).X_WC
        centre = lowered.units[unit].X_WB.point(lowered.units[unit].mass.com)
        at_centre = np.concatenate([twist[:3] + np.cross(twist[3:], centre - X_WC.p), twist[3:]])
        # Files round to six digits and better; m/s and rad/s below 1e-9 are rest.
        if unit in given and not np.allclose(given[unit], at_centre, rtol=1e-6, atol=1e-9):
            where = Where(item=component)
            findings.add("CB615", f"{component} moves otherwise than what it is locked to", where)
            continue
        given[unit] = moving[unit] = at_centre
    return replace(state, velocities=moving)


def unit_of(lowered: Lowered, component: str) -> int:
    """Index of the unit of which a component is a part, GROUND_BODY for the ground."""
    mechanism = lowered.mechanism
    body = mechanism.body_of[component]
    if body == GROUND_BODY or len(lowered.units) == len(mechanism.bodies):
        return body
    return mechanism.component_names.index(component)
