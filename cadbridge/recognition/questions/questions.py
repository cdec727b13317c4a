"""Questions for a person: first the mobility, then the decision that matters most and is least sure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.recognition.choice.hint_names import resolved
from cadbridge.recognition.choice.hypotheses import Hypothesis, change_by, hypotheses, parts_of
from cadbridge.recognition.choice.reporting import nothing_known
from cadbridge.recognition.hints import KINDS, Pair
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.questions.alike import Axis, spread
from cadbridge.wording import count

FORMAT = "cadbridge.questions/1"
NO_AXIS = 0.2
"""Worth of asking about a weld of parts that share no axis, beside that of others: they hardly turn. A choice."""

NO_CHANGE = 0.3
"""Worth of asking about a decision that leaves the mobility as it is, beside that of others. A choice."""

NEARER = 2.0
"""Worth of asking about a decision that brings the mobility nearer to what was told, beside others. A choice."""

NOTHING_LEFT = (
    "Nothing is left to ask: no other answer is known to change the number of degrees of freedom. Parts that are fixed "
    "to each other, types and axes may still be wrong: look at the parts of each body (parts)."
)
SURE_ENOUGH = (
    "It has the degrees of freedom that you gave, and nothing unsure is left that would change them. Look at the parts "
    "of each body (parts): if one is wrong, say so."
)
MISSED = (
    "It should have {told} and has {found}, and no decision that is left would bring it there. Which part "
    "should move and does not, or should stand still and moves? Say it in words: moves A, fixed A, B."
)
"""Where nothing is left to ask though the mobility is another than the one that was told."""


@dataclass(frozen=True)
class Question(Hypothesis):
    """A decision that may be otherwise, with what its answer is worth and the shortest names of its two parts."""

    worth: float = 0.0
    names: Pair = ("", "")

    @property
    def matters(self) -> bool:
        """Whether the other answer could change the mobility."""
        return self.turns and self.change != 0

    @property
    def text(self) -> str:
        """What is asked, with the shortest names that tell the parts from all others."""
        more = f" (your answer holds for {count(len(self.equal) - 1, 'pair')} alike too)" if len(self.equal) > 1 else ""
        return f"Does {self.names[0]} move against {self.names[1]}?{more}"

    def situation(self, freedoms: int | None) -> str:
        """What is decided now and why, and what the other answer would change."""
        now, other = ("fixed to each other", "move") if self.now == "fixed" else ("joined by a joint", "are fixed")
        text = f"Now they are {now} ({100 * self.confidence:.0f} % sure)"
        text += f", because: {self.reason}." if self.reason else "."
        if self.change is not None and freedoms is not None:
            text += f" If they {other}, it has {count(freedoms + self.change, 'degree')} of freedom."
        if self.loose:
            text += (
                f" If {self.names[0]} moves on another part, or belongs to one, say which: joint A, B or fixed A, B."
            )
        return text


def questions(found: Recognition) -> list[Question]:
    """The decisions that may be otherwise, the one most worth asking first; none that was told already.

    The closest second verdicts come first, and before them those that bring the mobility to what the hints give.
    """
    told, has = found.hints.freedoms, found.freedoms
    gap = 0 if told is None or has is None or found.as_told else told - has
    if nothing_known(found.assembly):
        return []
    names = shortest(i.name for i in found.assembly.instances)
    asked = [
        Question(**vars(h), worth=worth, names=(names[h.a], names[h.b]))
        for h in hypotheses(found) if (worth := _worth(h, gap)) > 0.0
    ]  # fmt: skip
    return sorted(asked, key=lambda q: (-q.worth, q.a, q.b))


def _worth(h: Hypothesis, gap: int) -> float:
    """What an answer is worth: the chance of the second verdict, by what it does to the mobility."""
    more = h.now == "fixed"
    # Where freedoms are missing only a weld can be at fault, where there are too many only a joint.
    if gap and more != (gap > 0):
        return 0.0
    nearer = NEARER if gap and h.change is not None and abs(gap - h.change) < abs(gap) else 1.0
    moves = NO_AXIS if not h.turns else NO_CHANGE if h.change == 0 else 1.0
    return (1.0 - h.confidence) * moves * nearer


def questions_document(found: Recognition) -> dict[str, Any]:
    """The questions as JSON: an answer is a line of `hints` in the mates file."""
    return {
        "format": FORMAT,
        "source": found.assembly.source,
        "freedoms": {
            "text": "How many degrees of freedom should it have?",
            "found": found.freedoms,
            "spins": found.spins,
            "told": found.hints.freedoms,
        },
        "questions": [
            {
                "text": q.text,
                "now": q.now,
                "confidence": round(q.confidence, 3),
                "reason": q.reason,
                "second": q.other,
                "cost": round(q.cost, 3),
                "freedoms": None if q.change is None or found.freedoms is None else found.freedoms + q.change,
                "answers": {kind: [{kind: list(pair)} for pair in q.equal] for kind in KINDS},
            }
            for q in _each_once(wider(found, q) for q in questions(found))
        ],
    }


def wider(found: Recognition, question: Question) -> Question:
    """A question that is about all pairs alike, also those that other decisions hold together or apart now."""
    hints, _ = resolved(found.assembly, found.hints)
    alike = spread(found.assembly, hints, (question.a, question.b), _axis(found, question))
    known = {frozenset(pair) for pair in question.equal}
    more = tuple(p for p in alike if frozenset(p) not in known)
    wide = replace(question, equal=(*question.equal, *more))
    return replace(wide, change=change_by(found, wide)) if more else wide


def for_page(found: Recognition, asked: Iterable[Question]) -> list[Question]:
    """Questions as a page lists them, each pair once: who calls an entry right has looked at what it says.

    So it is about the pairs that are decided so now, and not about those alike that are decided otherwise.
    """
    return _each_once(
        replace(wide, equal=tuple(p for p in wide.equal if p in q.equal or _decided(found, p) == q.now))
        for q, wide in ((q, wider(found, q)) for q in asked)
    )


def _each_once(asked: Iterable[Question]) -> list[Question]:
    """Questions but for those about a pair that an earlier one is about too: a leg at another angle."""
    found: list[Question] = []
    known: set[frozenset[str]] = set()
    for q in asked:
        if frozenset((q.a, q.b)) not in known:
            found.append(q)
            known |= {frozenset(pair) for pair in q.equal}
    return found


def _decided(found: Recognition, pair: Pair) -> str:
    """What two parts are to each other now: `fixed`, `joint`, or neither."""
    a, b = (found.body_of.get(name) for name in pair)
    joined = any({a, b} == {joint.a, joint.b} for joint in found.joints)
    return "fixed" if a == b else "joint" if joined else ""


def _axis(found: Recognition, question: Question) -> Axis | None:
    """The axis on which the two parts of a question turn, or could: a point and a direction in W; None without one."""
    pair = {question.a, question.b}
    for body in found.bodies if question.now == "fixed" else ():
        for bond in body.bonds:
            if {bond.instance, bond.to} == pair and bond.line is not None:
                return np.array(bond.line[0]), np.array(bond.line[1])
    for joint in found.joints if question.now == "joint" else ():
        if joint.type == "revolute" and joint.axis is not None and set(parts_of(found, joint)) == pair:
            return joint.point, joint.axis
    return None
