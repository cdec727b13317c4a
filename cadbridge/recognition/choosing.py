"""Decisions changed until the mechanism has the mobility that the hints give.

Each decision has a cost, its confidence: the least costly ones are turned until the whole is as it was said to be, and
everything is inferred anew each time. What was turned is told.
"""

from __future__ import annotations

import time
from dataclasses import replace

from cadbridge.findings import Findings
from cadbridge.recognition.evidence import Evidence
from cadbridge.recognition.freedoms import freedoms
from cadbridge.recognition.hints import Hints, Pair, resolved
from cadbridge.recognition.inferring import infer
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions import answered, questions
from cadbridge.wording import count

MOST_TRIES = 40
"""Inferences that are made at most to meet the number of freedoms."""
MOST_SECONDS = 120.0
"""Time for them, s."""


def settled(evidence: Evidence, hints: Hints) -> Recognition:
    """What is inferred under hints; if they give the mobility, with the least sure decisions changed to reach it."""
    known, findings = resolved(evidence.whole.assembly, hints)
    found = _inferred(evidence, known)
    if known.freedoms is not None and found.freedoms is not None and found.freedoms != known.freedoms:
        found = _turned(evidence, known, found)
    return replace(found, hints=hints, findings=(*found.findings, *findings))


def _inferred(evidence: Evidence, hints: Hints) -> Recognition:
    found = replace(infer(evidence, hints), fasteners=frozenset(evidence.fasteners), hints=hints)
    return replace(found, freedoms=freedoms(found))


def _turned(evidence: Evidence, hints: Hints, found: Recognition) -> Recognition:
    """The recognition with decisions changed, the least sure first, if each brings it nearer to the mobility given."""
    wanted, until = hints.freedoms, time.monotonic() + MOST_SECONDS
    assert wanted is not None
    turned: list[str] = []
    tries = 0
    refused: set[tuple[str, tuple[Pair, ...]]] = set()
    while found.freedoms is not None and found.freedoms != wanted and tries < MOST_TRIES and time.monotonic() < until:
        question = next((q for q in questions(found) if (q.now, q.equal) not in refused), None)
        if question is None:
            break
        tries += 1
        trial_hints = answered(found.hints, question, question.now == "fixed")
        trial = _inferred(evidence, trial_hints)
        if trial.freedoms is not None and abs(trial.freedoms - wanted) < abs(found.freedoms - wanted):
            found = trial
            turned.append(f"{question.a} - {question.b} ({question.now} before, {100 * question.confidence:.0f} %)")
        else:
            refused.add((question.now, question.equal))
    return _with_choice(found, wanted, turned)


def _with_choice(found: Recognition, wanted: int, turned: list[str]) -> Recognition:
    findings = Findings(found.findings)
    met = found.freedoms == wanted
    text = f"{count(wanted, 'degree')} of freedom given, {found.freedoms} found"
    if turned:
        text += f"; decisions changed to reach this: {', '.join(turned)}"
    findings.add("CB1643" if met else "CB1644", text, items=turned)
    return replace(found, findings=findings.as_tuple())
