"""One choice over all hypotheses: the cheapest set of verdicts that gives the mechanism the mobility it should have.

An integer programme (`programme`) proposes which decisions to change. What each changes of the mobility alone is
counted by rank. Together they may change another number, so what the programme proposes is counted, inferred anew, and
excluded where it is not what was wanted.

The mobility wanted is the one that the hints give. Without it, it is at least the number of drives that the assembly
shows, as each moves something: a witness, that may cost `DRIVES_WORTH` at most. Joints without a drive are no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.findings import Findings
from cadbridge.recognition.choice.by_name import movers, moving, same_bodies, with_movers
from cadbridge.recognition.choice.counted import counted
from cadbridge.recognition.choice.equal_pairs import alike, beside
from cadbridge.recognition.choice.freedoms import freedoms, spins
from cadbridge.recognition.choice.hint_names import resolved
from cadbridge.recognition.choice.hint_reach import reach_of
from cadbridge.recognition.choice.hinted_wholes import on_parts
from cadbridge.recognition.choice.hypotheses import Hypothesis, hypotheses, otherwise
from cadbridge.recognition.choice.inferring import infer
from cadbridge.recognition.choice.programme import cheapest
from cadbridge.recognition.choice.proving import MOST_MOVINGS, attributed, proved, welded, with_reasons
from cadbridge.recognition.choice.reporting import in_short_anew
from cadbridge.recognition.choice.told import SAID
from cadbridge.recognition.evidence.drives import drives_of
from cadbridge.recognition.evidence.gathering import Evidence, gather
from cadbridge.recognition.hints import NO_HINTS, Hints
from cadbridge.recognition.model import Recognition
from cadbridge.wording import count

DRIVES_WORTH = 0.9
"""Nats that decisions may cost at most which are changed since the assembly shows so many drives: odds of 2.5 to 1. A
choice: a count of motors is a weaker witness than a mobility that a person tells. Welds by rest cost 1.05."""

ONLY_SPINS = 2.0
"""Nats that decisions may cost more which free something that moves, instead of what only spins: odds of 7 to 1. A
choice: of a roller or a pin nobody counts how it spins, where an arm is welded."""

MOST_TRIES = 12
"""Inferences that are made to meet a mobility, for time alone: each changes what the next proposes."""

MOST_INFERRED = 6000
"""Instances in all of them: fewer are made of a large assembly. No clock, so that every machine takes the same."""
MOST_PROPOSED = 60
"""Integer programmes that are solved for one mobility, for time alone."""


def settled(evidence: Evidence, hints: Hints) -> Recognition:
    """What is inferred under hints, with the decisions changed that the mobility of the whole asks for."""
    said, told = on_parts(evidence.whole, hints, lambda known: _inferred(evidence, known))
    known, findings = resolved(evidence.whole.assembly, said)
    known = _with_ground(evidence, known)
    found = _inferred(evidence, known)
    drives = drives_of(evidence.whole, found.cases) if evidence.names else 0
    if known.freedoms is not None:  # what is told rules over what the drives show
        if counted(found).missed(known.freedoms):
            found = _changed(evidence, known, found, known.freedoms, np.inf)
    elif found.freedoms is not None and found.freedoms < drives:
        found = _changed(evidence, known, found, drives, DRIVES_WORTH)
    found = counted(found)
    findings = (*found.findings, *told, *findings, *reach_of(found, known))
    return in_short_anew(replace(found, hints=hints, drives=drives, findings=findings))


def _with_ground(evidence: Evidence, hints: Hints) -> Hints:
    """The hints with the ground that there is without those that take joints: fewer joints would make it another's."""
    if hints.ground is not None or not hints.pairs("apart"):
        return hints
    before = infer(evidence, replace(hints, said=tuple(h for h in hints.said if h.kind != "apart")))
    return replace(hints, stays=before.bodies[before.ground].name)


def _inferred(evidence: Evidence, hints: Hints) -> Recognition:
    """What is inferred under hints, with the joints that cannot move as welds."""
    found, stuck = _once(evidence, hints), list[Hypothesis]()
    known = movers(found, hints) if evidence.names else []
    if known:
        found, known = with_movers(_once(evidence, moving(hints, known)), known)
    for k in range(MOST_MOVINGS):
        # Halves that are welded leave the joints at their ends to be moved again: in the last round those are welded at
        # once.
        found, new = proved(found, hints, evidence.in_plane_contact if k < MOST_MOVINGS - 1 else ())
        # A motion that a name tells runs into parts where the drawing is of another pose, or a screw moves it.
        new = [h for h in new if not any(same_bodies(found, m.pair, (h.a, h.b)) for m in known)]
        if not new:
            break
        stuck += new
        found = attributed(_once(evidence, welded(moving(hints, known), stuck)), stuck)
        found, known = with_movers(found, known)
    return replace(found, hints=hints, freedoms=freedoms(found), spins=spins(found))


def _once(evidence: Evidence, hints: Hints) -> Recognition:
    return replace(infer(evidence, hints), fasteners=frozenset(evidence.fasteners), hints=hints)


def _changed(evidence: Evidence, hints: Hints, found: Recognition, wanted: int, budget: float) -> Recognition:
    """The cheapest recognition with the mobility wanted; else nothing is changed, and a finding says so if it is told.

    What is missed then is not among the decisions: to change some of them anyway would hide what their evidence says.
    """
    told = hints.freedoms is not None
    most = max(1, min(MOST_TRIES, MOST_INFERRED // len(found.assembly.instances)))
    if found.freedoms is None:
        return found
    best, turned = found, tuple[Hypothesis, ...]()
    for tries, chosen in enumerate(proposals(found, wanted, budget)):
        # What only spins stands for a freedom that was told only where, at about the cost, nothing moves instead.
        if told and not best.missed(wanted) and sum(h.cost for h in chosen) > sum(h.cost for h in turned) + ONLY_SPINS:
            break
        trial_hints = hints
        for h in chosen:
            trial_hints = trial_hints.having(h.other, h.equal)
        trial = _inferred(evidence, trial_hints)
        if _off(trial, wanted, told) < _off(best, wanted, told) and not _blocked(trial, chosen):
            best, turned = trial, chosen
        if not any(_off(best, wanted, told)) or tries + 1 >= most:
            break
    if best.missed(wanted):
        return _with_choice(found, wanted, (), told) if told else found
    return _with_choice(_attributed(best, turned, hints), wanted, turned, told)


def _off(found: Recognition, wanted: int, told: bool) -> tuple[float, int]:
    """How far a mobility is from one that is wanted, and, of one that is told, from it without what only spins."""
    return found.missed(wanted), abs((found.freedoms or 0) - found.spins - wanted) if told else 0


def _blocked(trial: Recognition, chosen: Sequence[Hypothesis]) -> bool:
    """Whether a joint that was chosen runs into parts at once, both ways: it frees nothing that moves."""
    where = trial.body_of
    joined = {frozenset((where[a], where[b])) for h in chosen if h.now == "fixed" for a, b in h.equal}
    return any(
        j.motion is not None and j.motion.state == "blocked" and frozenset((j.a, j.b)) in joined for j in trial.joints
    )


def proposals(found: Recognition, wanted: int, budget: float) -> Iterator[tuple[Hypothesis, ...]]:
    """Sets of hypotheses whose second verdicts bring the mobility to what is wanted, the cheapest first."""
    assert found.freedoms is not None
    known = [h for h in hypotheses(found) if h.turns and h.change is not None]
    refused: list[np.ndarray] = []
    late: list[tuple[float, tuple[Hypothesis, ...]]] = []
    for _ in range(MOST_PROPOSED):
        taken = cheapest(known, wanted - found.freedoms, refused)
        if taken is None or not taken.any():
            break
        chosen = tuple(h for h, one in zip(known, taken, strict=True) if one)
        refused.append(taken)
        if sum(h.cost for h in chosen) > budget:
            break
        missed = abs((freedoms(otherwise(found, chosen)) or 0) - wanted)
        if missed == 0:
            yield chosen
        # The rank misses what it does not know, as joints that other bodies show: where the mobility is told, inferring
        # decides.
        elif budget == np.inf:
            late.append((missed, chosen))
    yield from (chosen for _, chosen in sorted(late, key=lambda entry: entry[0]))


def _attributed(found: Recognition, turned: Sequence[Hypothesis], hints: Hints) -> Recognition:
    """The recognition in which what was chosen, and not told, says so, with the confidence of a second verdict."""
    where = found.body_of
    joined = {frozenset((where[a], where[b])): h for h in turned if h.now == "fixed" for a, b in h.equal}
    for a, b in hints.pairs("joint"):
        joined.pop(frozenset((where[a], where[b])), None)
    joints = []
    for j in found.joints:
        h = joined.get(frozenset((j.a, j.b)))
        own = tuple(e for e in j.evidence if e != SAID)
        joints.append(j if h is None else replace(j, evidence=(_chosen(h), *own), confidence=1.0 - h.confidence))
    welded = {h: (_chosen(h), 1.0 - h.confidence) for h in turned if h.now == "joint"}
    return replace(found, joints=tuple(joints), bodies=with_reasons(found, welded))


def _chosen(h: Hypothesis) -> str:
    return (
        f"chosen for the mobility of the whole; its own evidence says {h.now}, {100 * h.confidence:.0f} %: {h.reason}"
    )


def _with_choice(found: Recognition, wanted: int, turned: Sequence[Hypothesis], told: bool) -> Recognition:
    findings, found, cure = Findings(found.findings), counted(found), None
    if told:
        text = f"{wanted} {'degree' if wanted == 1 else 'degrees'} of freedom given, {found.freedoms} found"
        if found.missed(wanted):
            why, cure = beside(found, hypotheses(found), wanted)
            text = f"{text}; {why}" if why else text
    else:
        text = f"{count(wanted, 'drive')} seen, and now {count(wanted, 'degree')} of freedom"
    names = [f"{alike(h)} ({h.now} before, {100 * h.confidence:.0f} %)" for h in turned]
    if names:
        text += f"; decisions changed to reach this: {', '.join(names)}"
    findings.add("CB1644" if found.missed(wanted) else "CB1643", text, hint=cure or None, items=names)
    return replace(found, turned=tuple(turned), findings=findings.as_tuple())


def recognise(
    assembly: Assembly, names: bool = True, ignore: Sequence[str] = (), hints: Hints = NO_HINTS
) -> Recognition:
    """Find bodies, joints and gears from the shapes of an assembly's parts and where they stand.

    Mates that the assembly has are not looked at. Joints get no limits here.

    Args:
        assembly: Parts with shapes, as placed.
        names: Whether the names of parts are a second witness beside their shapes.
        ignore: Patterns with * and ? of the names of instances or parts about which nothing is asked; they go with what
            they touch.
        hints: What a person knows of it: pairs of instances with a joint, fixed or apart, what stands still, the number
            of freedoms.

    Returns:
        What was found, each with its evidence and confidence, and what was seen and not taken.
    """
    return settled(gather(assembly, names, ignore), hints)
