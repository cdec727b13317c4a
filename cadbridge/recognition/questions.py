"""Questions for a person: first the mobility, then the decision that matters most and is least sure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.assembly import Assembly
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.recognition.model import FoundJoint, Recognition

FORMAT = "cadbridge.questions/1"
SURE = 0.97
"""Confidence from which nothing is asked."""
NO_AXIS = 0.2
"""Worth of asking about a weld of parts that share no axis, beside that of others."""


@dataclass(frozen=True)
class Question:
    """A decision between two instances that may be otherwise, now `fixed` or `joint`; `equal`: all pairs alike."""

    a: str
    b: str
    now: str
    confidence: float
    reason: str
    worth: float
    equal: tuple[Pair, ...]

    @property
    def text(self) -> str:
        """What is asked."""
        more = f" (and {len(self.equal) - 1} pairs alike)" if len(self.equal) > 1 else ""
        return f"Does {self.a} move against {self.b}{more}?"


def questions(found: Recognition) -> list[Question]:
    """The decisions that may be otherwise, the one most worth asking first; none that was told already.

    With fewer degrees of freedom than the hints give, welds come first; with more, joints.
    """
    told = {frozenset(p) for p in (*found.hints.joint, *found.hints.fixed, *found.hints.apart)}
    gap = 0 if found.hints.freedoms is None or found.freedoms is None else found.hints.freedoms - found.freedoms
    entries = [*_welds(found, gap), *_joints(found, gap)]
    equal = _alike(found.assembly, [(q.a, q.b) for q in entries])
    kept: dict[tuple[str, tuple[Pair, ...]], Question] = {}
    for q in entries:
        group = tuple(equal[q.a, q.b])
        if q.worth > 0.0 and not told & {frozenset(p) for p in group}:
            first = kept.get((q.now, group))
            if first is None or q.worth > first.worth:
                kept[q.now, group] = Question(q.a, q.b, q.now, q.confidence, q.reason, q.worth, group)
    return sorted(kept.values(), key=lambda q: (-q.worth, q.a, q.b))


def _welds(found: Recognition, gap: int) -> Iterable[Question]:
    for body in found.bodies:
        for bond in body.bonds:
            if bond.to is None or found.fasteners & {bond.instance, bond.to} or bond.confidence >= SURE:
                continue
            worth = (1.0 - bond.confidence) * (1.0 if bond.axis else NO_AXIS) * (2.0 if gap > 0 else 1.0)
            yield Question(bond.instance, bond.to, "fixed", bond.confidence, bond.reason, worth * (gap >= 0), ())


def _joints(found: Recognition, gap: int) -> Iterable[Question]:
    for joint in found.joints:
        if joint.confidence < SURE:
            a, b = parts_of(found, joint)
            worth = (1.0 - joint.confidence) * (2.0 if gap < 0 else 1.0) * (gap <= 0)
            yield Question(a, b, "joint", joint.confidence, joint.evidence[0] if joint.evidence else "", worth, ())


def parts_of(found: Recognition, joint: FoundJoint) -> Pair:
    """Two instances that stand for the sides of a joint: those that touch there, else the bodies' largest."""
    first, second = set(found.bodies[joint.a].instances), set(found.bodies[joint.b].instances)
    for a, b in joint.contacts:
        if a in first and b in second:
            return a, b
        if b in first and a in second:
            return b, a
    return found.bodies[joint.a].name, found.bodies[joint.b].name


def _alike(assembly: Assembly, pairs: Iterable[Pair]) -> dict[Pair, list[Pair]]:
    """Pairs of equal parts that stand to each other alike, by each of them."""
    groups: dict[tuple[str, str, bytes], list[Pair]] = defaultdict(list)
    keys = {}
    for a, b in pairs:
        first, second = (assembly.instance(n) for n in sorted((a, b), key=lambda n: (assembly.instance(n).part, n)))
        X = first.X_WI.inverse() @ second.X_WI
        place = (np.round(np.vstack([X.R, X.p * 1e3]), 3) + 0.0).tobytes()
        keys[a, b] = (first.part, second.part, place)
        if (a, b) not in groups[keys[a, b]]:
            groups[keys[a, b]].append((a, b))
    return {pair: groups[key] for pair, key in keys.items()}


def questions_document(found: Recognition) -> dict[str, Any]:
    """The questions as JSON: an answer is a line of `hints` in the mates file."""
    return {
        "format": FORMAT,
        "source": found.assembly.source,
        "freedoms": {
            "text": "How many degrees of freedom should it have?",
            "found": found.freedoms,
            "told": found.hints.freedoms,
        },
        "questions": [
            {
                "text": q.text,
                "now": q.now,
                "confidence": round(q.confidence, 3),
                "reason": q.reason,
                "answers": {kind: [{kind: list(pair)} for pair in q.equal] for kind in ("joint", "fixed")},
            }
            for q in questions(found)
        ],
    }


def answered(hints: Hints, question: Question, moves: bool) -> Hints:
    """The hints with an answer, for all equal pairs."""
    return hints.having("joint" if moves else "fixed", question.equal)
