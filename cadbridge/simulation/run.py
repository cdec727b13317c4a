"""One run: the mechanism lowered, put on its constraints, integrated, and looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cadbridge.assembly import CouplingKind
from cadbridge.errors import InputError, ModelError
from cadbridge.findings import Finding, Findings, Where
from cadbridge.lowering import Lowered, lower, without_losses
from cadbridge.mechanism import Mechanism
from cadbridge.shown import Shown, sentence
from cadbridge.simulation.changes import released_at, solver_changes
from cadbridge.simulation.circuits import Wired, wired
from cadbridge.simulation.determined import report_least_norm
from cadbridge.simulation.fitting import contradictory, fitted
from cadbridge.simulation.frames import prescribed_frames
from cadbridge.simulation.initial import coordinate_of, initial_state
from cadbridge.simulation.laws import check_laws, locking_wheels, prescribed_joints
from cadbridge.simulation.loads import placed
from cadbridge.simulation.motors import CIRCUITS, LEADS
from cadbridge.simulation.pace import Pace, Pacer
from cadbridge.simulation.scenario import Scenario, on_joints
from cadbridge.simulation.servos import servo_motors
from cadbridge.simulation.stops import DEPTHS, FREQUENCY, limit_stops
from cadbridge.simulation.study import study_scenario
from cadbridge.simulation.tendons import tendons_of, tie
from cadbridge.simulation.trees import METHODS, run_tree
from cadbridge.simulation.trust.ahead import costs, mass_ratios, short_steps, short_steps_ahead, strong_gravity
from cadbridge.simulation.trust.branches import meetings_of, tell_meetings
from cadbridge.simulation.trust.checks import Verdict
from cadbridge.simulation.trust.sensitivity import Again, Sensitivity, sensitivity_of, tell_sensitivity
from cadbridge.simulation.trust.verdict import tell, verdict_of
from cadbridge.wording import count
from solver.algebra.rank import rank
from solver.constraints import Coupler, Primitive, evaluate
from solver.equations.system import System, prepare
from solver.model import Motor, Stop
from solver.result import Result, Trajectory
from solver.runs.changing import Change, Changed, Rebuilt, simulate_changing
from solver.runs.events import Event
from solver.runs.integrate import simulate as integrate
from solver.state import State

if TYPE_CHECKING:
    from cadbridge.misfit import Settings
    from cadbridge.simulation.elastic import Elastic

NEARLY_LOST = 1e-7
"""A pivot (`Statistics.pivot`) below this may be that of a pose at which rank is lost."""
GIVE = 10.0
"""Depths by which a joint may press into a stop before it counts as beyond its limits."""


@dataclass(frozen=True, eq=False)
class Run(Shown):
    """A mechanism's motion: the solver's result with the way back, findings, and a summary for people.

    Of a mechanism that changed on the way, `lowered.model` and `system` have all rows that ever held. `pace` is that of
    a run in real time. `verdict` says whether the numbers are what the tolerance promises; None where nobody looked.
    `stiffness` is that of the mates, by which those that repeat each other share their wrenches; None: all are alike.
    `elastic` is how a run with springs in their place compares, where somebody asked for it. `stages` are the runs
    between the changes, each of the system of rows that held; none where nothing changed.
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
    """Simulate a mechanism.

    Without a scenario the run is the one that the source itself asks for, if it does, else two seconds of falling.
    `collapse` False hands every row of every mate to the solver; the motion is the same. `method` "absolute"
    integrates the pose of every body, "tree" the joint coordinates of a spanning tree; "auto" is the tree where loops,
    gears or couplings close the mechanism, and `Run.summary` says which it was. Where mates contradict each other by
    no more than rounding, the mechanism is fitted first (`Run.mechanism`, CB625); where its placements cannot be
    closed from where they are, the run begins from those of `diagnosis.settled` (CB408). With `real_time` the run
    keeps pace with the clock, where it can (`Run.pace`). `progress` is called with the simulated time (s), `early`
    before the first step where very many are ahead (CB682). Raises ModelError where a mass is not known, InputError
    where the scenario or the method cannot be used; a run that fails on its way ends in a finding, with what was
    computed.
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
        rebuilt = simulate_changing(begun.system.model, begun.start, changes=changes, **call) if changes else None
        result = integrate(begun.system, begun.start, **call) if rebuilt is None else rebuilt.result
        if method == "auto" and not real_time:
            result = _through_branches(begun, result, call)
    except ValueError as fault:
        raise InputError(str(fault), findings) from fault
    again = None if real_time else _again(begun, changes, call)
    verdict, sensitivity = _judged(lowered, what, begun.system, result, again, findings)
    if rebuilt is None:
        report_least_norm(lowered, begun.system, result.trajectory, findings)
    elif rebuilt.stages:
        report_least_norm(lowered, rebuilt.stages[0][0], rebuilt.stages[0][1].trajectory, findings)
    _not_applied(lowered, what, findings)
    chosen = _conveniences(lowered, what, begun.stops)
    summary = {
        "method": "absolute" if call["tree"] is None else "tree",
        **_summary(lowered, result),
        **_said(verdict, sensitivity, result.trajectory),
        **chosen,
    }
    system = begun.system
    if rebuilt is not None:
        summary["changes"] = [_change_entry(change) for change in rebuilt.changes]
        lowered, system = _whole(lowered, rebuilt)
    pace = None if pacer is None else pacer.pace
    stages = () if rebuilt is None else rebuilt.stages
    return Run(mechanism, what, lowered, system, result, findings.as_tuple(), summary, pace, verdict, stages=stages)


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


@dataclass(frozen=True)
class _Again:
    """A run once more: whole, or, of a run whose mechanism does not change, from any state (`call`).

    `absolute` is the whole run in absolute coordinates; None where it was one, or changes.
    """

    whole: Again
    call: dict[str, Any] | None
    absolute: Callable[[], Result] | None


def _again(begun: Begun, changes: list[Change], call: dict[str, Any]) -> _Again:
    """How to run once more what began so; nobody watches it."""

    def whole(rtol: float, atol: float, duration: float) -> Result:
        options = {**call, "rtol": rtol, "atol": atol, "duration": duration, "progress": None, "events": ()}
        if changes:
            return simulate_changing(begun.system.model, begun.start, changes=changes, **options).result
        return integrate(begun.system, begun.start, **options)

    def absolute() -> Result:
        return integrate(begun.system, begun.start, **{**call, "tree": None, "progress": None, "events": ()})

    tree = not changes and call.get("tree") is not None
    return _Again(whole, None if changes else call, absolute if tree else None)


def _through_branches(begun: Begun, result: Result, call: dict[str, Any]) -> Result:
    """A run, or the same in absolute coordinates where one in those of a tree came near a pose that loses rank.

    There errors of joint coordinates, which are not alike in legs that are, lead along other branches; those of poses
    keep a symmetry. `call` is changed to what was called.
    """
    if call["tree"] is None or not (result.status.ok and _nearly_lost(result)):
        return result
    other = {**call, "tree": None}
    through = integrate(begun.system, begun.start, **other)
    if not through.status.ok:
        return result
    call.update(other)
    return through


def _nearly_lost(result: Result) -> bool:
    """Whether a run came near a pose that loses rank, as far as its steps show."""
    cost = result.statistics
    return min((cost.pivot, *(dip.pivot for dip in cost.dips))) < NEARLY_LOST


def _absolute_where_branches_may_meet(what: Scenario, result: Result, again: _Again | None) -> Result | None:
    """The same run in absolute coordinates, where one in those of a tree came near a pose that loses rank."""
    if not what.sensitivity or what.step is not None or again is None or again.absolute is None:
        return None
    return again.absolute() if result.status.ok and _nearly_lost(result) else None


def _judged(
    lowered: Lowered, what: Scenario, system: System, result: Result, again: _Again | None, findings: Findings
) -> tuple[Verdict, Sensitivity]:
    """Whether a run is what its tolerance promises, and how far it depends on it; the findings say how it ended.

    `again` None: nothing is computed again.
    """
    if not result.status.ok:
        _stopped(lowered, what, result, findings)
    ran = replace(lowered, model=system.model)
    other = _absolute_where_branches_may_meet(what, result, again)
    if what.sensitivity and again is not None:
        sensitivity = sensitivity_of(ran, what, result, again.whole, other, singular=_nearly_lost(result))
    else:
        sensitivity = Sensitivity(reason="the run keeps pace with the clock" if again is None else "it is not wanted")
    check = sensitivity.check(result.trajectory.t)
    verdict = verdict_of(
        ran,
        what,
        result,
        None if what.changes else system,
        None if again is None else again.call,
        check,
        contradictory(findings),
    )
    tell(verdict, what, result, findings)
    tell_sensitivity(sensitivity, findings)
    if what.sensitivity and again is not None and again.call is not None:
        tell_meetings(meetings_of(system, what, other or result, again.call), findings)
    if result.status.ok:
        costs(result, findings)
    short_steps(lowered, system.model, result, findings)
    beyond_range(lowered, what, result.trajectory, findings)
    return verdict, sensitivity


def _said(verdict: Verdict, sensitivity: Sensitivity, T: Trajectory) -> dict[str, Any]:
    """What the summary says of a run's numbers."""
    said = {"verdict": verdict.document(T.t), "sensitivity": sensitivity.document()}
    return {"trusted": verdict.trusted, **said}


def _stopped(lowered: Lowered, what: Scenario, result: Result, findings: Findings) -> None:
    """Report why a run stopped early: by its cause where that is known, else by the solver's reason."""
    status = result.status
    code = STATUS_CODES.get(status.code, "CB611")
    jammed = locking_wheels(lowered, prescribed_joints(what))
    if code == "CB611" and jammed:
        joint, gear = jammed[0]
        message = f"{joint} is prescribed and would drive {gear} backwards, which locks: {status.message}"
        findings.add("CB673", message, items=[joint, gear, *status.groups])
        return
    cure = _SHORTER if status.code == "no_convergence" and what.step else status.advice or None
    findings.add(code, status.message, hint=cure, items=status.groups)


def _whole(lowered: Lowered, rebuilt: Rebuilt) -> tuple[Lowered, System]:
    """The lowered model and the system with all rows that held at any time of a run with changes."""
    whole = replace(lowered.model, primitives=rebuilt.model.primitives, groups=rebuilt.model.groups)
    return replace(lowered, model=whole), prepare(rebuilt.model)


def rebuilt_run(mechanism: Mechanism, what: Scenario, lowered: Lowered, rebuilt: Rebuilt, findings: Findings) -> Run:
    """A run of the solver with changes, which somebody else steered, as a run of the mechanism."""
    result = rebuilt.result
    verdict = verdict_of(lowered, what, result, contradictory=contradictory(findings))
    tell(verdict, what, result, findings)
    said = _said(verdict, Sensitivity(reason="the run was steered by hand"), result.trajectory)
    summary = {"method": "absolute", **_summary(lowered, result), **said}
    summary["changes"] = [_change_entry(change) for change in rebuilt.changes]
    lowered, system = _whole(lowered, rebuilt)
    return Run(mechanism, what, lowered, system, result, findings.as_tuple(), summary, verdict=verdict)


@dataclass(frozen=True, eq=False)
class Begun:
    """What a run begins with: the model with all that acts on it, and the state (None: as designed, at rest)."""

    system: System
    start: State | None
    stops: tuple[tuple[str, Stop], ...]
    circuits: Wired


def begin(lowered: Lowered, what: Scenario, findings: Findings) -> Begun:
    """A lowered mechanism with the loads, motors and stops of a scenario, in its initial state.

    ValueError and InputError where it cannot be.
    """
    stops = limit_stops(lowered, what.loads) if what.limits == "stop" else ()
    specs = replace(what.loads, stops=(*stops, *what.loads.stops))
    state = initial_state(lowered, what, findings)
    motors = _motors(lowered, what)
    moved = {m.name for m in motors} | {c.joint for c in what.circuits}
    motors += servo_motors(lowered, what.servos, moved, findings)
    model = replace(placed(lowered, specs), motors=motors)
    tendons = tendons_of(lowered, findings)
    circuits = wired(lowered, model, what.circuits, what.friction, state, observe=bool(tendons))
    tie(circuits, lowered, tendons, what, findings)
    for frame in prescribed_frames(lowered, what.frame_motions, findings):
        frame.drive(circuits)
    system = prepare(circuits.model)
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
        raise InputError(f"The initial state is not of finite numbers: {', '.join(bad)}.")


_SHORTER = "Shorten `step` in the scenario, or remove it: the tolerance then chooses the steps."
STATUS_CODES = {"parted": "CB621", "impulse": "CB622", "freed": "CB623", "locked": "CB673"}


def _motors(lowered: Lowered, what: Scenario) -> tuple[Motor, ...]:
    made = []
    for m in what.motors:
        if m.kind not in CIRCUITS:
            along = lowered.model.coordinates[coordinate_of(lowered, m.joint)]
            pulls = () if m.pd is None else (m.pd.kp, m.pd.kd, m.pd.effort)
            made.append(Motor(m.joint, along, m.kind, m.function, *pulls))
    return tuple(made)


def _change_entry(change: Changed) -> dict[str, Any]:
    impulse, moment = change.size
    return {"change": change.name, "t_s": change.t, "impulse_N_s": impulse, "angular_impulse_N_m_s": moment,
            "energy_lost_J": change.lost}  # fmt: skip


def losses_left_out(lowered: Lowered, scenario: Scenario, findings: Findings) -> None:
    """Report lossy gears of which nothing is lost in the lowered model, and why (CB613); thrust (CB638)."""
    _report_thrust(lowered, findings)
    why = without_losses(lowered.mechanism)
    for coupling in lowered.mechanism.couplings:
        if (coupling.coupling.efficiency or 1.0) < 1.0:
            reason = "the scenario ignores it" if scenario.friction is None else why.get(coupling.name)
            if reason is not None:
                where = coupling.coupling.where
                findings.add("CB613", f"{coupling.name} loses power; {reason}", where, items=[coupling.name])


def _report_thrust(lowered: Lowered, findings: Findings) -> None:
    """Report the pairs of crossed axes whose forces in the bearings are not known (CB638)."""
    for coupling in lowered.mechanism.couplings:
        gear = coupling.coupling
        if gear.kind in (CouplingKind.WORM, CouplingKind.CROSSED_HELICAL) and gear.pressure_angle is None:
            text = f"{coupling.name}: the forces along its axes are not known: no pressure_angle"
            findings.add("CB638", text, gear.where, items=[coupling.name])


def _not_applied(lowered: Lowered, scenario: Scenario, findings: Findings) -> None:
    """Report the resistance of joints and gears that the run leaves out."""
    losses_left_out(lowered, scenario, findings)
    for joint in lowered.mechanism.joints:
        damping = 0.0 if joint.kind.ball else joint.damping
        named = [w for w, v in (("damping", damping), ("dry friction", joint.friction)) if v]
        if joint.kind.resisted is None and named:
            message = f"{joint.name} is {joint.type}: its {' and '.join(named)} cannot be placed"
            findings.add("CB613", message, Where(item=joint.name))
        elif joint.friction and scenario.friction is None:
            findings.add("CB613", f"{joint.name} has dry friction; the scenario ignores it", Where(item=joint.name))


def _conveniences(lowered: Lowered, scenario: Scenario, stops: tuple[tuple[str, Stop], ...]) -> dict[str, Any]:
    """What was chosen where the scenario left it open: smoothing of friction, stiffness of stops; SI."""
    options: dict[str, Any] = {}
    if scenario.friction is not None and any(load.friction for load in lowered.model.loads):
        options["friction_speed_rad_s"], options["friction_speed_m_s"] = scenario.friction
    if stops:
        options["stops_at_limits"] = f"{', '.join(name for name, _ in stops)} ({FREQUENCY:g} Hz)"
        options["stops"] = {
            name: {"stiffness": s.stiffness, "damping": s.damping, "depth": s.depth} for name, s in stops
        }
    return options


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
    massless = [k for k, unit in enumerate(lowered.units) if unit.name in lowered.stand_ins]
    others = np.delete(G.reshape(len(G), -1, 6), massless, axis=1).reshape(len(G), -1)
    return rank(G, length).rank == rank(others, length).rank + 6 * len(massless)


def _events(lowered: Lowered, what: Scenario) -> list[Event]:
    return [Event(e.joint, coordinate_of(lowered, e.joint), e.value, e.direction, e.stop) for e in what.events]


def beyond_range(lowered: Lowered, what: Scenario, T: Trajectory, findings: Findings) -> None:
    """Report the joints that passed their limits (CB612) while they were there; a stop gives way a little."""
    for i, joint in enumerate(lowered.joints):
        if joint.limit is None or len(T.t) == 0:
            continue
        q = T.coordinates[:, i]
        lower = -np.inf if joint.limit.lower is None else joint.limit.lower
        upper = np.inf if joint.limit.upper is None else joint.limit.upper
        margin = GIVE * DEPTHS[joint.coordinate or "angle"] if what.limits == "stop" else 1e-9
        there = ~released_at(what.changes, joint.name, T.t)
        outside = np.flatnonzero(there & ((q < lower - margin) | (q > upper + margin)))
        if outside.size:
            t = T.t[outside[0]]
            findings.add("CB612", f"{joint.name} is beyond its limits from t = {t:.4g} s on", Where(item=joint.name))


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
