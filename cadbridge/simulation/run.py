"""One run: the mechanism lowered, put on its constraints, integrated, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Finding, Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Mechanism
from cadbridge.shown import Shown, sentence
from cadbridge.simulation.beginning import Begun, begin, check_numbers, lower_for
from cadbridge.simulation.changes import solver_changes
from cadbridge.simulation.determined import report_least_norm
from cadbridge.simulation.fitting import contradictory, fitted
from cadbridge.simulation.initial import coordinate_of
from cadbridge.simulation.judging import how_again, judged, through_branches, trust_entries
from cadbridge.simulation.laws import check_laws
from cadbridge.simulation.left_out import report_not_applied, report_not_reached
from cadbridge.simulation.pace import Pace, Pacer
from cadbridge.simulation.refused import refused
from cadbridge.simulation.scenario import Scenario, on_joints
from cadbridge.simulation.stops import STOP_FREQUENCY
from cadbridge.simulation.study import study_scenario
from cadbridge.simulation.tolerance import by_size
from cadbridge.simulation.trees import METHODS, run_tree
from cadbridge.simulation.trust.ahead import mass_ratios, short_steps_ahead, strong_gravity
from cadbridge.simulation.trust.checks import Verdict
from cadbridge.simulation.trust.sensitivity import Sensitivity
from cadbridge.simulation.trust.verdict import tell, verdict_of
from cadbridge.wording import count
from solver.equations.system import System, prepare
from solver.model import Stop
from solver.result import Result
from solver.runs.changing import Change, Changed, Rebuilt, simulate_changing
from solver.runs.events import Event
from solver.runs.integrate import simulate as integrate

if TYPE_CHECKING:
    from cadbridge.misfit import Settings
    from cadbridge.simulation.elastic import Elastic


@dataclass(frozen=True, eq=False)
class Run(Shown):
    """A mechanism's motion: the solver's result with the way back, findings, and a summary for people.

    `write_trajectory` writes its columns; `result.trajectory` has the numbers of the solver, in the order of `lowered`.

    Attributes:
        mechanism: The mechanism, as it was simulated.
        scenario: What acted on it.
        lowered: The solver's model with the way back; of a mechanism that changed on the way it has all rows that ever
            held.
        system: That model, prepared.
        result: The solver's status, trajectory, statistics and events.
        findings: What was found wrong or remarkable in simulating.
        summary: What a person wants to know first, as plain data: status, method, samples, residuals, energies.
        pace: How a run in real time kept up with the clock; None of others.
        verdict: Whether the numbers are what the tolerance promises; None where nobody looked.
        stiffness: That of the mates, by which those that repeat each other share their wrenches; None: all are alike.
        elastic: How a run with springs in their place compares; None where nobody asked.
        stages: The runs between the changes, each with the system of the rows that held; none where nothing changed.
    """

    mechanism: Mechanism
    scenario: Scenario
    lowered: Lowered
    system: System
    result: Result
    findings: tuple[Finding, ...]
    summary: dict[str, Any]
    pace: Pace | None = None
    verdict: Verdict | None = None
    stiffness: Settings | None = None
    elastic: Elastic | None = None
    stages: tuple[tuple[System, Result], ...] = ()

    def __repr__(self) -> str:
        t = self.result.trajectory.t
        ended = "ok" if self.result.status.ok else self.result.status.code
        samples = f"{t[-1] - t[0]:.4g} s" if len(t) else ""
        found = count(len(self.findings), "finding")
        return sentence("Run", self.mechanism.assembly.name, samples, count(len(t), "sample"), ended, found)


def simulate(
    mechanism: Mechanism, scenario: Scenario | None = None, *, duration: float | None = None, collapse: bool = True,
    method: str = "auto", real_time: bool = False, progress: Callable[[float], None] | None = None,
    early: Callable[[Finding], None] | None = None,
) -> Run:  # fmt: skip
    """Simulate a mechanism, with every redundant mate, every gear and every loop.

    A run that fails on its way ends in a finding, with what was computed. Where mates contradict each other by no more
    than rounding, the mechanism is fitted first (`Run.mechanism`, CB625); where its placements cannot be closed from
    where they are, the run begins from those of `diagnosis.settled` (CB408).

    Args:
        mechanism: The mechanism.
        scenario: What acts on it, from where, for how long; None takes the run that the source itself asks for, else
            two seconds of falling.
        duration: The duration in s, in place of the scenario's.
        collapse: False hands every row of every mate to the solver, and gives the wrench of each mate; the motion is
            the same.
        method: "absolute" integrates the pose of every body, "tree" the joint coordinates of a spanning tree; "auto"
            takes the tree where loops, gears or couplings close the mechanism, and `Run.summary` says which it was.
        real_time: Whether the run keeps pace with the clock, where it can (`Run.pace`).
        progress: Called with the simulated time in s after steps.
        early: Called with a finding before the first step where very many steps are ahead (CB682).

    Returns:
        The trajectory with the way back to the mechanism, a verdict on whether it can be trusted, a summary, and
        findings.

    Raises:
        ModelError: A mass is not known; the findings name the parts.
        InputError: The method is none, or the scenario cannot be used.
    """
    if method not in METHODS:
        raise InputError(f"The method is one of {', '.join(METHODS)}, not {method!r}.")
    options = (duration, collapse, method, real_time, progress, early)
    run: Run | InputError
    try:
        run = _simulated(mechanism, scenario, *options)
    except InputError as fault:
        if all(f.code != "CB614" for f in fault.findings):
            raise
        run = fault
    if isinstance(run, Run) and run.result.status.code != "inconsistent":
        return run
    from cadbridge.diagnosis import settled  # seldom needed

    moved = settled(mechanism)
    if any(f.code == "CB408" for f in moved.findings):
        return _simulated(moved, scenario, *options)
    if isinstance(run, InputError):
        raise run
    return run


def _simulated(
    mechanism: Mechanism, scenario: Scenario | None, duration: float | None, collapse: bool, method: str,
    real_time: bool, progress: Callable[[float], None] | None, early: Callable[[Finding], None] | None,
) -> Run:  # fmt: skip
    """A run from the placements as they are."""
    findings = Findings()
    what = on_joints(mechanism, scenario or study_scenario(mechanism, findings))
    if duration is not None:
        what = replace(what, duration=duration)
    mechanism, lowered = _lowered(mechanism, what, collapse, findings)
    what = by_size(what, mechanism)
    tree = run_tree(lowered, method, what, collapse, findings)
    changes = solver_changes(lowered, what.changes, duration=what.duration, findings=findings)
    pacer = Pacer(progress) if real_time else None
    call = _call(lowered, what, pacer or progress, real_time)
    call["contradictory"] = contradictory(findings)
    try:
        begun = begin(lowered, what, findings)
        ahead = early and short_steps_ahead(lowered, begun.system, begun.start, what)
        if early and ahead:
            early(ahead)
        call["tree"] = None if tree is None else (*tree, *begun.circuits.trees)
        rebuilt, result = _integrated(begun, changes, call)
        if method == "auto" and not real_time:
            # A method that somebody named is kept; "auto" may take the other one.
            result = through_branches(begun, result, call)
    except ValueError as fault:
        raise refused(fault, findings) from fault
    again = None if real_time else how_again(begun, changes, call)
    planned, what = what, what if rebuilt is None else _acted(what, rebuilt)
    verdict, sensitivity = judged(lowered, what, begun.system, result, again, findings)
    for first, ran in ((begun.system, result),) if rebuilt is None else rebuilt.stages[:1]:
        report_least_norm(lowered, first, ran.trajectory, findings)
    report_not_applied(lowered, what, findings)
    trust, chosen = trust_entries(verdict, sensitivity, result.trajectory), _conveniences(lowered, what, begun.stops)
    summary = {"method": "absolute" if call["tree"] is None else "tree", **_summary(lowered, result), **trust, **chosen}
    system = begun.system
    if rebuilt is not None:
        summary["changes"] = [_change_entry(change) for change in rebuilt.changes]
        done, stopped = len(rebuilt.changes), result.status.code == "event"
        report_not_reached(planned, done, summary["simulated_s"], stopped, findings)
        lowered, system = _whole(lowered, rebuilt)
    pace = None if pacer is None else pacer.pace
    stages = () if rebuilt is None else rebuilt.stages
    return Run(mechanism, what, lowered, system, result, findings.as_tuple(), summary, pace, verdict, stages=stages)


def _acted(what: Scenario, rebuilt: Rebuilt) -> Scenario:
    """A scenario without the change that was refused as the run ended: its joint is as it was until then."""
    end = float(rebuilt.result.trajectory.t[-1])
    in_order = sorted(what.changes, key=lambda change: change.t)
    return replace(what, changes=tuple(c for k, c in enumerate(in_order) if k < len(rebuilt.changes) or c.t > end))


def _integrated(begun: Begun, changes: list[Change], call: dict[str, Any]) -> tuple[Rebuilt | None, Result]:
    """The solver's run; where the mechanism changes on its way, also the stages between the changes."""
    if not changes:
        return None, integrate(begun.system, begun.start, **call)
    rebuilt = simulate_changing(begun.system.model, begun.start, changes=changes, **call)
    return rebuilt, rebuilt.result


def _lowered(mechanism: Mechanism, what: Scenario, collapse: bool, findings: Findings) -> tuple[Mechanism, Lowered]:
    """The mechanism whose mates fit, as the solver has it, and what of its numbers is doubtful."""
    check_numbers(what)
    mechanism = fitted(mechanism, findings, what.gap, collapse=collapse)
    lowered = lower_for(mechanism, what, collapse, findings)
    mass_ratios(lowered, findings)
    strong_gravity(what, findings)
    check_laws(lowered, what, findings)
    return mechanism, lowered


def _call(
    lowered: Lowered, what: Scenario, progress: Callable[[float], None] | None, real_time: bool
) -> dict[str, Any]:
    """What the solver is called with, of a scenario; `progress` is called with the simulated time (s)."""
    return {
        "duration": what.duration, "rate": what.rate, "rtol": what.rtol, "atol": what.atol,
        "integrator": what.integrator, "step": what.step, "events": _events(lowered, what),
        "progress": None if progress is None else (lambda part: progress(part * what.duration)),
        "longest_step": min(1 / what.rate if real_time else np.inf, what.max_step or np.inf),
    }  # fmt: skip


def _whole(lowered: Lowered, rebuilt: Rebuilt) -> tuple[Lowered, System]:
    """The lowered model and the system with all rows that held at any time of a run with changes."""
    whole = replace(lowered.model, primitives=rebuilt.model.primitives, groups=rebuilt.model.groups)
    return replace(lowered, model=whole), prepare(rebuilt.model)


def rebuilt_run(mechanism: Mechanism, what: Scenario, lowered: Lowered, rebuilt: Rebuilt, findings: Findings) -> Run:
    """A run of the solver with changes, which somebody else steered, as a run of the mechanism."""
    result = rebuilt.result
    verdict = verdict_of(lowered, what, result, contradictory=contradictory(findings))
    tell(verdict, what, result, findings)
    trust = trust_entries(verdict, Sensitivity(reason="the run was steered by hand"), result.trajectory)
    summary = {"method": "absolute", **_summary(lowered, result), **trust}
    summary["changes"] = [_change_entry(change) for change in rebuilt.changes]
    lowered, system = _whole(lowered, rebuilt)
    return Run(mechanism, what, lowered, system, result, findings.as_tuple(), summary, verdict=verdict)


def _change_entry(change: Changed) -> dict[str, Any]:
    impulse, moment = change.size
    return {"change": change.name, "t_s": change.t, "impulse_N_s": impulse, "angular_impulse_N_m_s": moment,
            "energy_lost_J": change.lost}  # fmt: skip


def _conveniences(lowered: Lowered, scenario: Scenario, stops: tuple[tuple[str, Stop], ...]) -> dict[str, Any]:
    """What was chosen where the scenario left it open: smoothing of friction, stiffness of stops; SI."""
    options: dict[str, Any] = {}
    if scenario.friction is not None and any(load.friction for load in lowered.model.loads):
        options["friction_speed_rad_s"], options["friction_speed_m_s"] = scenario.friction
    if stops:
        options["stops_at_limits"] = f"{', '.join(name for name, _ in stops)} ({STOP_FREQUENCY:g} Hz)"
        options["stops"] = {
            name: {"stiffness": s.stiffness, "damping": s.damping, "depth": s.depth} for name, s in stops
        }
    return options


def _events(lowered: Lowered, what: Scenario) -> list[Event]:
    return [Event(e.joint, coordinate_of(lowered, e.joint), e.value, e.direction, e.stop) for e in what.events]


def _passed(lowered: Lowered, result: Result) -> list[dict[str, Any]]:
    """The joints that passed a value of theirs (rad, m), and when; changes of the mechanism are told as changes."""
    units = {joint.name: "m" if joint.coordinate == "distance" else "rad" for joint in lowered.joints}
    return [
        {"joint": e.name, "t_s": e.t, "value": e.value, "unit": units[e.name]}
        for e in result.events
        if e.value is not None and e.name in units
    ]


def _summary(lowered: Lowered, result: Result) -> dict[str, Any]:
    """What a person wants to know of a run first; plain numbers."""
    T = result.trajectory
    balance = T.kinetic + T.potential - T.motor_work + T.dissipated
    exchanged = float(np.ptp(T.kinetic)) if len(T.t) else 0.0
    drift = float(np.max(np.abs(balance - balance[0]))) if len(T.t) else 0.0
    return {
        "status": result.status.code,
        "message": result.status.message,
        "simulated_s": float(T.t[-1]) if len(T.t) else 0.0,
        "samples": len(T.t),
        "events": _passed(lowered, result),
        "bodies": len(lowered.units),
        "rows": int(sum(p.rows for p in lowered.model.primitives)),
        "steps": result.statistics.steps,
        "rejected_steps": result.statistics.rejected,
        "constraint_position": float(np.max(T.constraint_position, initial=0.0)),
        "constraint_velocity": float(np.max(T.constraint_velocity, initial=0.0)),
        "energy_exchanged_J": None if lowered.stand_ins else exchanged,
        "energy_drift_J": None if lowered.stand_ins else drift,
        "gravity": list(lowered.model.gravity),
    }
