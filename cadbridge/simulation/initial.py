"""The initial state: joints led to their values, frames to where their motions begin, all else as designed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from cadbridge.simulation.frames import PrescribedFrame, prescribed_frames
from cadbridge.simulation.held import HeldRows, held, not_as_designed
from cadbridge.simulation.motors import LEADS
from cadbridge.simulation.open_couplings import OpenCouplings, open_couplings
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.study import with_velocities
from cadbridge.wording import listed
from solver.constraints import Coupler, Primitive
from solver.equations.projection import Projected, carry_angles, project
from solver.equations.system import System, prepare
from solver.model import Model, Motor, TimeFunction
from solver.state import State

LARGEST_STEP = 0.2
"""rad (or m) by which a joint is moved at once on its way to its initial value: Newton from there stays on the branch,
and gears keep count of turns. As in `solver.analyses.kinematics`, where a correction of so much is still clear."""
MOST_STEPS = 5000
"""Steps on the way to an initial state (1000 rad of `LARGEST_STEP`); where these are too long, its rows stay open."""
MOST_UNITS = 120
"""Units in loops that share motions up to which the joints that can stay as designed are found where only motors lead,
for time alone: it takes a second or so."""
_MOST_NAMED = 4
"""Joints that a finding names."""
MOST_TRIED_ROWS = 24
"""Rows within loops up to which each is tried, where not all can stay."""


def initial_state(lowered: Lowered, scenario: Scenario, findings: Findings) -> State | None:
    """The designed pose moved to the joint values requested, on the constraints; None for the designed pose at rest.

    Temporary drivers lead the joints there in small steps, so that loops and gears follow; what they leave free stays
    as designed, where it can. So do couplings that do not hold as designed (CB698). A joint whose motion a motor
    prescribes begins where that has it.
    """
    prescribed = prescribed_starts(scenario)
    if not prescribed:
        return _initial_state(lowered, scenario, findings)
    led, told = _over(scenario, prescribed), Findings()
    try:
        state = _initial_state(lowered, led, told, MOST_UNITS)
    except InputError:  # laws that cannot all hold: the run says so, from where the rest begins
        return _initial_state(lowered, scenario, findings)
    findings.extend(told)
    return state


def prescribed_starts(scenario: Scenario) -> dict[str, tuple[float | None, float]]:
    """Value (None where only its speed is given) and rate at the start of the joints that motors prescribe."""
    starts: dict[str, tuple[float | None, float]] = {}
    for motor in scenario.motors:
        if motor.kind in LEADS:
            value, rate, _ = motor.function.evaluate(0.0)
            starts[motor.joint] = (value, rate) if motor.kind == "angle" else (None, value)
    return starts


def _over(scenario: Scenario, prescribed: dict[str, tuple[float | None, float]]) -> Scenario:
    """The scenario with what motors prescribe among its initial values, where that is not as designed, at rest."""
    moved = {name: start for name, start in prescribed.items() if start[0] or start[1]}
    positions = {name: value for name, (value, _) in moved.items() if value is not None}
    rates = {name: rate for name, (_, rate) in moved.items()}
    return replace(scenario, positions={**scenario.positions, **positions}, rates={**scenario.rates, **rates})


def _initial_state(lowered: Lowered, scenario: Scenario, findings: Findings, most: float = math.inf) -> State | None:
    """As of `initial_state`, by the initial values alone; `most` as of `held`."""
    frames = prescribed_frames(lowered, scenario.frame_motions, Findings())
    unmet = open_couplings(lowered)
    state, untried = None, list[Joint]()
    if scenario.positions or frames:
        state, untried = _with_positions(lowered, scenario, frames, unmet, findings, most)
    elif unmet.gaps:
        state = _coupled(lowered, unmet, findings)
    if scenario.rates:
        state, more = _with_rates(lowered, scenario, state or _nearest(lowered), frames, findings, most)
        untried += [joint for joint in more if all(joint is not each for each in untried)]
    if state is not None and (moved := not_as_designed(lowered, untried, state)):
        text = f"{listed(moved, _MOST_NAMED)} begin elsewhere than designed, or not at rest"
        findings.add("CB689", text, Where(item=moved[0]), items=moved)
    if not scenario.velocities:
        return state
    return with_velocities(lowered, state or _nearest(lowered), scenario.velocities, findings)


def _nearest(lowered: Lowered) -> State:
    """The pose nearest to the designed one on the constraints, at rest."""
    plain = prepare(lowered.model, carried=False)
    return project(plain, State.at_rest(lowered.model.positions, lowered.model.quaternions)).state


def _coupled(lowered: Lowered, unmet: OpenCouplings, findings: Findings) -> State | None:
    """The designed pose with followers where their couplings have them; None where there is no way there.

    The run then begins as every pose does that is not on its constraints: at the nearest on them.
    """
    keep = held(lowered, ())
    lead = partial(_led, lowered, {}, (), unmet)
    open_ones = [lowered.model.groups[k] for k in unmet.gaps]
    there = f"where {listed(open_ones)} {'holds' if len(open_ones) == 1 else 'hold'}"
    found = _kept(lowered, lead, keep, there, [], findings)
    if not found.status.ok:
        text = f"no small steps lead to {there}: the run begins at the nearest pose, which may move leading joints"
        findings.add("CB696", text, items=open_ones)
        return None
    unmet.report(lowered, findings)
    return found.state


def _with_positions(
    lowered: Lowered,
    scenario: Scenario,
    frames: tuple[PrescribedFrame, ...],
    unmet: OpenCouplings,
    findings: Findings,
    most: float,
) -> tuple[State, list[Joint]]:
    """The pose with the positions given and the frames where their motions begin; else as designed where it can be.

    With the joints of which none is held. InputError where it cannot be reached.
    """
    wanted = scenario.positions
    # Frames determine what no joint names: there the poses that are nearest follow.
    keep = held(lowered, wanted, most, scenario.rates) if not frames else HeldRows()
    lead = partial(_led, lowered, wanted, frames, unmet)
    found = _kept(lowered, lead, keep, f"with {listed(sorted(wanted))} at the initial values", sorted(wanted), findings)
    if not found.status.ok:
        _refuse(found, findings)
    unmet.report(lowered, findings)
    return found.state, list(keep.untried)


def _with_rates(
    lowered: Lowered,
    scenario: Scenario,
    state: State,
    frames: tuple[PrescribedFrame, ...],
    findings: Findings,
    most: float,
) -> tuple[State, list[Joint]]:
    """The pose of a state with the rates given, all else at rest where it can be.

    With the joints of which none is held. InputError where the rates contradict each other.
    """
    standing = replace(lowered, model=replace(lowered.model, positions=state.positions, quaternions=state.quaternions))
    keep = held(standing, scenario.rates, most, scenario.positions) if not frames else HeldRows()
    lead = partial(_moving, lowered, scenario.rates, frames, state)
    why = f"with {listed(sorted(scenario.rates))} at the initial rates"
    found = _kept(standing, lead, keep, why, sorted(scenario.rates), findings)
    if not found.status.ok:
        _refuse(found, findings)
    return found.state, list(keep.untried)


def _refuse(found: Projected, findings: Findings) -> NoReturn:
    findings.add("CB614", found.status.message, items=found.status.groups)
    raise InputError("The initial state cannot be reached.", findings)


def _kept(
    lowered: Lowered,
    lead: Callable[[tuple[Primitive, ...]], Projected],
    keep: HeldRows,
    why: str,
    items: list[str],
    findings: Findings,
) -> Projected:
    """Where it leads with the rows that can be kept; which joints move or turn, as not all can, is reported (CB696).

    `lowered` has the pose that the rows hold.
    """
    found = lead((*keep.outside, *keep.within))
    if found.status.ok or not keep.within:
        return found
    found, released = _released(lead, keep)
    joints = [joint for joint in lowered.mechanism.joints if joint.name in released]
    # A loop that is open by rounding lets none of its joints stand exactly: such a joint is released, and stays.
    if found.status.ok and (moved := not_as_designed(lowered, joints, found.state)):
        follow = "cannot stay as designed, and follows" if len(moved) == 1 else "cannot all stay as designed"
        findings.add("CB696", f"{why}, {listed(moved, _MOST_NAMED)} {follow}", items=[*items, *moved])
    return found


def _released(lead: Callable[[tuple[Primitive, ...]], Projected], keep: HeldRows) -> tuple[Projected, list[str]]:
    """Where it leads with as many rows within loops as can be kept, in their order, and the joints of the others.

    Where there are many, none is kept: each is tried by a projection of its own.
    """
    kept: list[int] = []
    found = lead(keep.outside)
    for k, row in enumerate(keep.within if found.status.ok and len(keep.within) <= MOST_TRIED_ROWS else ()):
        tried = lead((*keep.outside, *(keep.within[i] for i in kept), row))
        if tried.status.ok:
            found, kept = tried, [*kept, k]
    return found, list(dict.fromkeys(name for k, name in enumerate(keep.names) if k not in kept))


def _moving(
    lowered: Lowered,
    rates: dict[str, float],
    frames: tuple[PrescribedFrame, ...],
    state: State,
    keep: tuple[Primitive, ...],
) -> Projected:
    """A state of the model with the rates given, and with the rows `keep` at rest; its pose is left as it is."""
    plain = prepare(lowered.model, carried=False)
    # Coordinates by their rates alone: a row would take them back by the turns that they have made.
    resting = [row.terms[0][1] for row in keep if isinstance(row, Coupler)]
    motors = [
        Motor(name, lowered.model.coordinates[coordinate_of(lowered, name)], "speed", _steady(rate))
        for name, rate in rates.items()
    ]
    motors += [Motor("at rest", along, "speed", _steady(0.0)) for along in resting]
    model = replace(lowered.model, motors=tuple(motors))
    model = _with_rows(model, "at rest", [row for row in keep if not isinstance(row, Coupler)])
    for frame in frames:
        model = _with_rows(model, frame.name, frame.rows(frame.present(state.positions, state.quaternions)))
    system = prepare(model, carried=False)
    found = _projected(system, carry_angles(state, plain, system))
    return replace(found, state=carry_angles(found.state, system, plain))


def _led(
    lowered: Lowered,
    wanted: dict[str, float],
    frames: tuple[PrescribedFrame, ...],
    unmet: OpenCouplings,
    keep: tuple[Primitive, ...],
) -> Projected:
    """Where small steps of temporary drivers, and of what couplings are open by, lead, with the rows `keep`."""
    plain = unmet.prepared(lowered.model, 0.0)
    found = project(plain, State.at_rest(lowered.model.positions, lowered.model.quaternions))
    state = found.state
    present = [frame.present(state.positions, state.quaternions) for frame in frames]
    ways = [unmet.largest, *map(abs, wanted.values()), *(f.way(X) for f, X in zip(frames, present, strict=True))]
    count = min(max(1, int(np.ceil(max(ways) / LARGEST_STEP))), MOST_STEPS)
    begun = 1
    if not frames and not unmet.gaps:
        state, begun = _on_the_way(lowered, wanted, keep, plain, state, count), count
    for step in range(begun, count + 1):
        drivers = {name: _steady(q * step / count) for name, q in wanted.items()}
        model = _with_drivers(lowered, drivers)
        model = _with_rows(model, "as designed", keep)
        for frame, X in zip(frames, present, strict=True):
            model = _with_rows(model, frame.name, frame.rows(frame.on_the_way(X, step / count)))
        system = unmet.prepared(model, step / count)
        found = _projected(system, carry_angles(state, plain, system))
        # The turns that gears made on the way belong to the state, the drivers do not. Only the last step must hold:
        # values that fit one another need not on the straight way there, as with couplings that are no straight lines.
        state = carry_angles(found.state, system, plain)
    return replace(found, state=state)


def _on_the_way(
    lowered: Lowered, wanted: dict[str, float], keep: tuple[Primitive, ...], plain: System, state: State, count: int
) -> State:
    """Where all but the last of `count` steps to the joint values lead: one system for all, with the share as its time.

    What has hundreds of turns to make takes thousands of them, and preparing a system longer than a step.
    """
    drivers = {name: TimeFunction(partial(_share, value)) for name, value in wanted.items()}
    system = prepare(_with_rows(_with_drivers(lowered, drivers), "as designed", keep), carried=False)
    led = carry_angles(state, plain, system)
    for step in range(1, count):
        led = _projected(system, replace(led, t=step / count)).state
    return carry_angles(replace(led, t=state.t), system, plain)


def _share(value: float, t: float) -> tuple[float, float, float]:
    return value * t, 0.0, 0.0


def _projected(system: System, state: State) -> Projected:
    found = project(system, state)
    # From near the sweeps meet what bodies of hardly any mass leave open from far.
    return found if found.status.ok else project(system, found.state)


def _with_rows(model: Model, name: str, rows: Sequence[Primitive]) -> Model:
    return replace(model, primitives=(*model.primitives, *rows), groups=(*model.groups, *[name] * len(rows)))


def _steady(value: float) -> TimeFunction:
    return TimeFunction(lambda t: (value, 0.0, 0.0))


def _with_drivers(lowered: Lowered, functions: dict[str, TimeFunction]) -> Model:
    along = lowered.model.coordinates
    motors = [Motor(name, along[coordinate_of(lowered, name)], "angle", f) for name, f in functions.items()]
    return replace(lowered.model, motors=tuple(motors))


def coordinate_of(lowered: Lowered, name: str) -> int:
    """The index of a joint's coordinate; InputError where it has not one freedom."""
    index = lowered.coordinate_of(name)
    if index is None:
        raise InputError(f"There is no joint {name!r} with one freedom.")
    return index
