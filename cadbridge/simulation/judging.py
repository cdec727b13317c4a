"""How a run ended, whether its numbers can be trusted, and what it takes to compute it once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.findings import Findings, Where
from cadbridge.lowering import Lowered
from cadbridge.simulation.beginning import Begun
from cadbridge.simulation.changes import released_at
from cadbridge.simulation.fitting import contradictory
from cadbridge.simulation.laws import locking_wheels, prescribed_joints
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.stops import DEPTHS
from cadbridge.simulation.trust.ahead import costs, short_steps
from cadbridge.simulation.trust.branches import meetings_of, tell_meetings
from cadbridge.simulation.trust.checks import Verdict
from cadbridge.simulation.trust.sensitivity import Again, Sensitivity, sensitivity_of, tell_sensitivity
from cadbridge.simulation.trust.verdict import tell, verdict_of
from solver.equations.system import System
from solver.result import Result, Trajectory
from solver.runs.changing import Change, simulate_changing
from solver.runs.integrate import simulate as integrate

NEARLY_LOST = 1e-7
"""A pivot (`Statistics.pivot`) below this may be that of a pose at which rank is lost. Pivots are squares of distances
from there: three tenths of a thousandth of a radian. `trust.branches.NEAR_LOSS` looks, and so takes more."""

DEPTHS_BEYOND = 10.0
"""Depths by which a joint may press into a stop before it counts as beyond its limits."""


@dataclass(frozen=True)
class Repeatable:
    """A run once more: whole, or, of a run whose mechanism does not change, from any state (`call`).

    `absolute` is the whole run in absolute coordinates; None where it was one, or changes.
    """

    whole: Again
    call: dict[str, Any] | None
    absolute: Callable[[], Result] | None


def how_again(begun: Begun, changes: list[Change], call: dict[str, Any]) -> Repeatable:
    """How to run once more what began so; nobody watches it."""

    def whole(rtol: float, atol: float, duration: float) -> Result:
        options = {**call, "rtol": rtol, "atol": atol, "duration": duration, "progress": None, "events": ()}
        if changes:
            # An event may have ended the run before some of them were due.
            end = duration + (0.0 if begun.start is None else begun.start.t)
            due = [change for change in changes if change.t <= end]
            return simulate_changing(begun.system.model, begun.start, changes=due, **options).result
        return integrate(begun.system, begun.start, **options)

    def absolute() -> Result:
        return integrate(begun.system, begun.start, **{**call, "tree": None, "progress": None, "events": ()})

    tree = not changes and call.get("tree") is not None
    return Repeatable(whole, None if changes else call, absolute if tree else None)


def through_branches(begun: Begun, result: Result, call: dict[str, Any]) -> Result:
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


def _absolute_where_branches_may_meet(what: Scenario, result: Result, again: Repeatable | None) -> Result | None:
    """The same run in absolute coordinates, where one in those of a tree came near a pose that loses rank."""
    if not what.sensitivity or what.step is not None or again is None or again.absolute is None:
        return None
    return again.absolute() if result.status.ok and _nearly_lost(result) else None


def judged(
    lowered: Lowered, what: Scenario, system: System, result: Result, again: Repeatable | None, findings: Findings
) -> tuple[Verdict, Sensitivity]:
    """Whether a run is what its tolerance promises, and how far it depends on it; the findings say how it ended.

    `again` None: nothing is computed again.
    """
    if not result.status.ok:
        _stopped(lowered, what, result, findings)
    ran = replace(lowered, model=system.model)
    # It is asked for once, as it takes as long as the run: the sensitivity and the branches look at the same one.
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


def trust_entries(verdict: Verdict, sensitivity: Sensitivity, T: Trajectory) -> dict[str, Any]:
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
    if status.code == "too_many_steps" and (what.step or what.max_step):
        cure = _LONGER
    elif status.code == "too_many_steps" and what.integrator != "generalized_alpha" and "grows" not in status.message:
        cure = _IMPLICIT
    findings.add(code, status.message, hint=cure, items=status.groups)


_SHORTER = "Shorten `step` in the scenario, or remove it: the tolerance then chooses the steps."

_LONGER = "Give a longer `step` or `max_step` in the scenario, or remove it: the tolerance then chooses the steps."

_IMPLICIT = (
    "Set `integrator: generalized_alpha` in the scenario: its steps may be longer than what vibrates or settles "
    "fastest. Or look for a load that grows without bound, a stiff spring, a tiny mass, or dry friction far above the "
    "loads of its joint."
)
"""Looser tolerances help no explicit method there: what is stiff bounds its steps, not their error."""

_STOPPED = (
    "The joint has a stop there. A motor that gives the motion goes through it: let it end at the limit. A force "
    "presses the stop in: give the joint a stiffer one under `stops` in the scenario file."
)

STATUS_CODES = {"parted": "CB621", "impulse": "CB622", "freed": "CB623", "locked": "CB673", "missed": "CB687"}


def beyond_range(lowered: Lowered, what: Scenario, T: Trajectory, findings: Findings) -> None:
    """Report the joints that passed their limits (CB612) while they were there; a stop gives way a little.

    And those whose limits are held against nothing, as they have several freedoms (CB1305).
    """
    for joint in lowered.mechanism.joints:
        range_given = joint.limit is not None and (joint.limit.lower, joint.limit.upper) != (None, None)
        if range_given and joint.coordinate is None:
            text = f"{joint.name} ({joint.type}) has several freedoms: its limits are not looked at"
            findings.add("CB1305", text, Where(item=joint.name))
    for i, joint in enumerate(lowered.joints):
        if joint.limit is None or len(T.t) == 0:
            continue
        q = T.coordinates[:, i]
        lower = -np.inf if joint.limit.lower is None else joint.limit.lower
        upper = np.inf if joint.limit.upper is None else joint.limit.upper
        # rad or m: by rounding alone a joint that starts at its limit is beyond it; a stop gives way.
        margin = DEPTHS_BEYOND * DEPTHS[joint.coordinate or "angle"] if what.limits == "stop" else 1e-9
        there = ~released_at(what.changes, joint.name, T.t)
        outside = np.flatnonzero(there & ((q < lower - margin) | (q > upper + margin)))
        if outside.size:
            t = T.t[outside[0]]
            text = f"{joint.name} is beyond its limits from t = {t:.4g} s on"
            findings.add("CB612", text, Where(item=joint.name), _STOPPED if what.limits == "stop" else None)
