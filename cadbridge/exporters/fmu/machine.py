"""The mechanism as an FMU computes it: the scenario's model, with an effort to be given on each joint."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cadbridge.errors import InputError, ModelError
from cadbridge.exporters.options import ExportOptions
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism.model import Joint, Mechanism
from cadbridge.simulation.beginning import Begun, begin, check_numbers, lower_for
from cadbridge.simulation.changes import solver_changes
from cadbridge.simulation.fitting import contradictory, fitted
from cadbridge.simulation.judging import STATUS_CODES
from cadbridge.simulation.laws import check_laws
from cadbridge.simulation.left_out import losses_left_out
from cadbridge.simulation.motors import LEADS
from cadbridge.simulation.refused import refused
from cadbridge.simulation.scenario import FRICTION_SPEEDS, Scenario, on_joints
from cadbridge.simulation.study import requested_scenario
from solver.equations.projection import carry_angles, project
from solver.equations.system import System, prepare
from solver.functions import constant
from solver.model import JointLoad, Motor, TimeFunction
from solver.runs import changing
from solver.state import State

METHOD = "dopri5"


@dataclass(frozen=True)
class Given:
    """An input: the joint, and whether it is an effort on it, or what a motor of the scenario follows (`kind`).

    `row` is its function of time (the row of `drive`), `start` its value at first; `added`: it adds to what the
    scenario says, which varies with time.
    """

    joint: Joint
    kind: str
    row: int
    start: float
    added: bool


@dataclass(frozen=True, eq=False)
class Machine:
    """What is computed: the prepared model and its state at the start, with the way back to joints and bodies.

    `load_of[i]` is the load that carries the damping and the friction of joint i of `lowered.joints`; `released` are
    the joints that the scenario takes apart at its start. `contradictory`: no velocity keeps all rows.
    """

    lowered: Lowered
    scenario: Scenario
    system: System
    start: State
    given: tuple[Given, ...]
    functions: tuple[TimeFunction | None, ...]
    load_of: tuple[int, ...]
    released: frozenset[str]
    contradictory: bool = False


def machine_of(mechanism: Mechanism, options: ExportOptions, findings: Findings) -> Machine | None:
    """The machine, or None with errors among the findings."""
    given = options.scenario
    asked = given if isinstance(given, Scenario) else requested_scenario(mechanism, findings, given)
    what = on_joints(mechanism, asked)
    check_numbers(what)
    _report_left_out(what, findings)
    if findings.errors:
        return None
    mechanism = fitted(mechanism, findings, what.gap)
    try:
        lowered = lower_for(mechanism, what, True, findings)
    except ModelError as error:
        findings.extend(error.findings)
        return None
    check_laws(lowered, what, findings)
    losses_left_out(lowered, what, findings)
    try:
        return _prepared(lowered, what, findings)
    except ValueError as fault:
        raise refused(fault, findings) from fault


def _report_left_out(what: Scenario, findings: Findings) -> None:
    """What a scenario may hold and an FMU not."""
    callbacks = [callback.name for callback in what.loads.callbacks]
    if callbacks:
        findings.add("CB690", f"Python functions act in the scenario: {', '.join(callbacks)}", items=callbacks)
    later = [f"{change.title} at {change.t:g} s" for change in what.changes if change.t > 0]
    if later:
        findings.add("CB691", f"the scenario changes the mechanism on its way: {', '.join(later)}", items=later)
    if what.events:
        names = [event.joint for event in what.events]
        findings.add("CB692", f"events of the scenario are not in the FMU: {', '.join(names)}", items=names)
    if what.integrator != METHOD or what.step is not None:
        content = what.integrator if what.step is None else f"{what.integrator} in steps of {what.step:g} s"
        findings.add("CB693", f"the scenario asks for {content}")


def _prepared(lowered: Lowered, what: Scenario, findings: Findings) -> Machine:
    begun = begin(lowered, what, findings)
    before, state = begun.system, begun.start
    released: frozenset[str] = frozenset()
    if what.changes:
        before, state = _changed(lowered, what, begun, findings)
        released = frozenset(joint.name for joint in lowered.joints) - {*before.model.groups}
    model = before.model
    prescribed = {motor.name for motor in model.motors if motor.kind in LEADS}
    free = [(i, joint) for i, joint in enumerate(lowered.joints) if joint.name not in prescribed | released]
    efforts = [Motor(joint.name, lowered.model.coordinates[i], "torque", constant(0.0)) for i, joint in free]
    given = _followed(lowered, model.motors)
    given += [Given(joint, "effort", len(model.motors) + k, 0.0, False) for k, (_, joint) in enumerate(free)]
    loads, load_of = _resisting(lowered, model.loads)
    own = len(model.motors)
    model = replace(model, motors=(*model.motors, *efforts), loads=loads)
    system = replace(prepare(model), length=before.length)
    _smooth_friction(system, lowered, what, load_of)
    start = state or State.at_rest(model.positions, model.quaternions)
    projected = project(system, carry_angles(start, before, system))
    if not projected.status.ok:
        findings.add("CB614", projected.status.message, items=projected.status.groups)
        raise InputError("The initial state cannot be reached.", findings)
    steady = {g.row for g in given if not g.added}
    functions = tuple(
        None if k in steady or own <= k < len(model.motors) else function
        for k, (_, function) in enumerate(system.drives)
    )
    parted = contradictory(findings)
    return Machine(lowered, what, system, projected.state, tuple(given), functions, load_of, released, parted)


def _changed(lowered: Lowered, what: Scenario, begun: Begun, findings: Findings) -> tuple[System, State]:
    """The mechanism and its state after the changes at the start, as `simulate` begins with them."""
    course = changing.begin(begun.system.model, begun.start, driven=False)
    for change in solver_changes(lowered, what.changes, duration=what.duration, findings=findings):
        refused = changing.make_change(course, change)
        if refused is not None:
            findings.add(STATUS_CODES[refused.code], refused.message, hint=refused.advice)
            raise InputError("The changes of the scenario cannot be made.", findings)
    changing.drive(course)
    return course.system, course.state


_FOLLOWED = {"angle": "target", "speed": "speed", "pd": "target", "torque": "torque", "voltage": "voltage",
             "servo": "control"}  # fmt: skip
"""Kind of motor → what its input is called."""


def _followed(lowered: Lowered, motors: tuple[Motor, ...]) -> list[Given]:
    """The inputs of the motors; of several servos on one joint the first has one."""
    found: list[Given] = []
    joints = {joint.name: joint for joint in lowered.joints}
    for k, motor in enumerate(motors):
        repeated = motor.kind == "servo" and any(g.kind == "control" and g.joint.name == motor.name for g in found)
        if motor.name in joints and motor.kind != "torque" and not repeated:
            added = not motor.function.steady
            start = 0.0 if added else motor.function.evaluate(0.0)[0]
            found.append(Given(joints[motor.name], _FOLLOWED[motor.kind], k, start, added))
    return found


def _resisting(lowered: Lowered, loads: tuple[JointLoad, ...]) -> tuple[tuple[JointLoad, ...], tuple[int, ...]]:
    """The loads, with one on each joint, and which of them is the joint's."""
    grown, places = list(loads), []
    # Reversed, so that of several loads of one name the first stays.
    named = {load.name: k for k, load in reversed(list(enumerate(loads)))}
    for i, joint in enumerate(lowered.joints):
        k = named.get(joint.name)
        own = lowered.model.coordinates[i]
        if k is None or (c := grown[k].coordinate).kind != own.kind or (c.a, c.b) != (own.a, own.b):
            k = len(grown)
            # A load of nothing: damping and friction are parameters of every joint, and need a place in the tables.
            grown.append(JointLoad(own, name=joint.name))
        places.append(k)
    return tuple(grown), tuple(places)


def _smooth_friction(system: System, lowered: Lowered, what: Scenario, load_of: tuple[int, ...]) -> None:
    """The speed over which friction is smoothed, also of joints that have none yet."""
    speeds = what.friction or FRICTION_SPEEDS
    for joint, k in zip(lowered.joints, load_of, strict=True):
        # A user may give it friction as a parameter, which is then smoothed as in `simulate`.
        if system.loads.friction[k] == 0.0:
            system.loads.friction_speed[k] = speeds[joint.coordinate == "distance"]
