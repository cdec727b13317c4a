"""The verdict of a run: all that can be looked at, together."""

from __future__ import annotations

from collections.abc import Iterator

from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.trust.balance import balance_check
from cadbridge.simulation.trust.checks import NOT_TESTED, Check, Verdict, not_tested, together
from cadbridge.simulation.trust.openness import places_check, rates_check, within_check
from cadbridge.simulation.trust.repeats import Call, repeats_check
from cadbridge.simulation.trust.turns import poses_check, turns_check
from solver.equations.system import System
from solver.model import Model
from solver.result import Result


def verdict_of(
    lowered: Lowered, what: Scenario, result: Result, system: System | None = None, call: Call | None = None,
    sensitivity: Check | None = None, contradictory: bool = False,
) -> Verdict:  # fmt: skip
    """Whether a run is what its tolerances or its step promise, by its samples.

    `lowered` has the model that was run. `system` None: its rows changed on the way, and angles are not looked at;
    `call` None: no part of the run is computed again. `sensitivity` is the check of how far the end depends on the
    tolerance, where there is one. Of `contradictory` mates nothing is called right.
    """
    samples = len(result.trajectory.t)
    checks = tuple(_checks(lowered, what, result, system, call, contradictory)) if samples else ()
    if sensitivity is not None:
        checks = (*checks, sensitivity)
    return together(checks, samples, _untestable(lowered, result) or (JAMMED if contradictory else ""))


_ONE_SAMPLE = "the run has one sample"
_NOTHING_MOVES = "no body moves: all components are grounded, or locked to the ground"
_UNKNOWN = "masses are unknown, so energies, forces and all that depends on them were not tested"
_WEIGHTLESS = "nothing that moves has a mass, so energies, forces and all that depends on them were not tested"
_CURES = {
    _ONE_SAMPLE: "Take more samples.",
    _NOTHING_MOVES: "No action is needed where nothing should move. Otherwise look for what is grounded with "
    "`cadbridge check`; `--floating` frees the root link of a URDF.",
    _UNKNOWN: "Give masses or densities.",
    _WEIGHTLESS: "Give masses or densities.",
}
"""The cure of a run that could not be tested, by the reason; of all others the catalogue has it."""
JAMMED = "the mates contradict each other (CB626), so what moves, and how, is not determined"


def _untestable(lowered: Lowered, result: Result) -> str:
    """Why a run of which nothing is wrong cannot be called right; "" where it can."""
    if not result.status.ok:
        return "the run did not come to its end"
    if len(result.trajectory.t) < 2:
        return _ONE_SAMPLE
    if not lowered.model.bodies:
        return _NOTHING_MOVES
    if lowered.stand_ins:
        return _UNKNOWN
    if _weightless(lowered.model):
        return _WEIGHTLESS
    return ""


def _weightless(model: Model) -> bool:
    """Whether no body and no rotor has inertia, so that energies are those of rounding."""
    return not any(body.mass for body in model.bodies) and not any(load.armature for load in model.loads)


def _checks(
    lowered: Lowered, what: Scenario, result: Result, system: System | None, call: Call | None, contradictory: bool
) -> Iterator[Check]:
    yield places_check(system, what, result)
    # Rows that cannot all hold cannot all stand still: how far they come apart is what CB626 says.
    yield not_tested("rates", JAMMED) if contradictory else rates_check(what, result)
    yield within_check(result)
    if lowered.stand_ins or len(result.trajectory.t) < 2:
        yield not_tested("energy", "masses are unknown" if lowered.stand_ins else "there is one sample")
    elif _weightless(lowered.model):
        yield not_tested("energy", "nothing that moves has a mass")
    else:
        yield balance_check(lowered.model, what, result)
    if system is None:
        changed = "the mechanism changes on the way"
        yield from (not_tested(name, changed) for name in ("angles", "turns", "repeats"))
        return
    yield poses_check(system, what, result)
    yield turns_check(system, result)
    yield repeats_check(system, what, result, call or {}, _not_repeated(what, result, system, call))


def _not_repeated(what: Scenario, result: Result, system: System, call: Call | None) -> str:
    """Why no part of a run is computed again."""
    if call is None:
        return "no part of the run is computed again"
    if what.step is not None:
        return "a run with a fixed step has no tolerance to compare a repetition with"
    if system.model.callbacks:
        return "functions in Python are not called again"
    return "" if result.status.ok else "the run did not come to its end"


def tell(verdict: Verdict, what: Scenario, result: Result, findings: Findings) -> None:
    """Report what is wrong with a run that came to its end (CB627), or that it could not be tested (CB684).

    By how much it is off its tolerance CB683 says (`sensitivity.tell_sensitivity`).
    """
    if not result.status.ok:
        return
    wrong = [check.text for check in verdict.wrong if check.name != "sensitivity"]
    if wrong:
        cure = "Take a step of a tenth" if what.step is not None else "Set `tolerance` a hundred times smaller"
        hint = f"{cure} in the scenario, and check whether the deviation falls with it."
        findings.add("CB627", "; ".join(wrong), hint=hint)
    elif verdict.state == NOT_TESTED:
        text = f"whether the run is right was not tested: {verdict.reason}"
        findings.add("CB684", text, hint=_CURES.get(verdict.reason))
