"""A dialogue about a recognition: each answer becomes a hint, and the inference runs again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.frames import Vector
from cadbridge.recognition.choice.choosing import settled
from cadbridge.recognition.choice.reporting import SURE_JOINT, nothing_known
from cadbridge.recognition.choice.told import axes_of
from cadbridge.recognition.evidence.gathering import gather
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions.changes import Page, changes_of, page_of
from cadbridge.recognition.questions.questions import (
    MISSED,
    NOTHING_LEFT,
    SURE_ENOUGH,
    Question,
    for_page,
    questions,
    wider,
)
from cadbridge.recognition.questions.saying import Said, said
from cadbridge.recognition.questions.trying import Trial, trial_of

LEAST_OF_PAGE, MOST_OF_PAGE = 3, 9
"""So many questions are asked in one: most of what is unsure is right, and a look at a list is one answer."""
ANSWERED = ("CB1640", "CB1641", "CB1642", "CB1643", "CB1644", "CB1657", "CB1658")
"""Findings on answers: unknown names, contradictions, the mobility, joints that one took away, bodies that float."""


def told_by(before: Recognition, after: Recognition) -> list[str]:
    """What an answer brought that a person should know: contradictions, and decisions that were changed for it."""
    known = {f.message for f in before.findings}
    new = [f for f in after.findings if f.code in ANSWERED and f.message not in known]
    return [f"{f.message}. {f.hint}" if f.code == "CB1642" else f.message for f in new]


class Inquiry:
    """What was found so far, the question to ask next, and the answers. `found` carries the hints.

    `unknowable`: why nothing is asked of an assembly of which nothing can be known, else "".
    """

    def __init__(self, assembly: Assembly, names: bool, ignore: Sequence[str], hints: Hints) -> None:
        self._evidence = gather(assembly, names, ignore)
        self.unknowable = nothing_known(assembly)
        self._skipped: set[Pair] = set()  # of forms
        self._looked_at: set[Pair] = set()
        self._known: dict[Hints, Recognition] = {}
        self._asked: dict[Hints, list[Question]] = {}
        self._before: list[tuple[Hints, frozenset[Pair], frozenset[Pair]]] = []
        self.found: Recognition
        self.take(hints)

    @property
    def next(self) -> Question | None:
        """The decision to ask about; None where what is left changes no mobility or was passed over."""
        question = next(iter(self._open()), None)
        return None if question is None else wider(self.found, question)

    @property
    def changes(self) -> Page | None:
        """The decisions that were changed for the mobility, to ask about in one; None without them, or passed over."""
        page = None if self.unknowable else changes_of(self.found)
        return None if page is None or {e.pair for e in page.entries} <= self._looked_at else page

    @property
    def page(self) -> Page | None:
        """Several decisions to ask about in one, those that were changed first; None where one by one is as short."""
        if (changes := self.changes) is not None:
            return changes
        asked = [q for q in self._open() if (q.a, q.b) not in self._looked_at][:MOST_OF_PAGE]
        entries = for_page(self.found, asked)
        return None if len(entries) < LEAST_OF_PAGE else page_of(entries)

    @property
    def left(self) -> int:
        """How many questions there are now that were not passed over."""
        return len(self._open())

    def _open(self) -> list[Question]:
        """The questions that were not passed over and could change the mobility, the one most worth asking first.

        Where the mobility is the one that was told, what is sure is not asked. Where it is another and none of these is
        left, those of which it is not known what they change: their parts share no axis.
        """
        if self.unknowable:
            return []
        if self.found.hints not in self._asked:
            self._asked[self.found.hints] = questions(self.found)
        known = [q for q in self._asked[self.found.hints] if self._forms((q.a, q.b)) not in self._skipped]
        if self.found.as_told:
            return [q for q in known if q.matters and q.confidence < SURE_JOINT]
        missed = self.found.hints.freedoms is not None
        return [q for q in known if q.matters] or ([q for q in known if q.change is None] if missed else [])

    @property
    def ended(self) -> str:
        """What is to say where nothing is left to ask."""
        told, found = self.found.hints.freedoms, self.found.freedoms
        if self.found.as_told:
            return SURE_ENOUGH
        return NOTHING_LEFT if told is None or found is None else MISSED.format(told=told, found=found)

    def freedoms(self, count: int | None) -> None:
        """Take a number of freedoms; None where it is not known."""
        self.say(replace(self.found.hints, freedoms=count))

    def answer(self, question: Question, kind: str) -> None:
        """Take an answer (`joint`, `fixed` or `apart`), for all equal pairs."""
        self.say(self.found.hints.having(kind, question.equal))

    def skip(self, question: Question | Page) -> None:
        """Pass over a question: of equal parts a person knows as little, however they stand to each other."""
        self._remember()
        if isinstance(question, Page):
            self._looked_at |= {entry.pair for entry in question.entries}
        else:
            self._skipped.add(self._forms((question.a, question.b)))

    def sort_out(self, page: Page, said: Mapping[int, str]) -> None:
        """Take what is said of the decisions of a page; those of which nothing is known are passed over.

        None of them is asked about in a page again.
        """
        self.say(page.answered(self.found.hints, said))
        self._looked_at |= {entry.pair for entry in page.entries}
        self._skipped |= {self._forms(page.entries[k].pair) for k, kind in said.items() if not kind}

    def _forms(self, pair: Pair) -> Pair:
        """The forms of two instances."""
        assembly = self.found.assembly
        first, second = sorted(assembly.part(assembly.instance(name).part).form for name in pair)
        return first, second

    def say(self, hints: Hints) -> None:
        """Take hints, which `undo` takes back."""
        self._remember()
        self.take(hints)

    def heard(self, line: str) -> Said:
        """What a person says in a line of words. InputError with the cure where it says nothing."""
        return said(line, self.found, self.axes)

    def undo(self) -> bool:
        """Take back the last answer, or what was passed over; False where there is none."""
        if not self._before:
            return False
        hints, skipped, looked_at = self._before.pop()
        self._skipped, self._looked_at = set(skipped), set(looked_at)
        self.take(hints)
        return True

    def _remember(self) -> None:
        self._before.append((self.found.hints, frozenset(self._skipped), frozenset(self._looked_at)))

    def take(self, hints: Hints) -> None:
        """Infer the whole anew under hints; what was inferred under the same ones is kept."""
        if hints not in self._known:
            self._known[hints] = settled(self._evidence, hints)
        self.found = self._known[hints]

    def axes(self, a: str, b: str) -> list[tuple[Vector, Vector]]:
        """The axes that two parts share, each a point and a direction in the world, the widest first."""
        return axes_of(self._evidence.whole, a, b)

    def trial(self, question: Question) -> Trial | None:
        """The motion that a question asks about; None where no axis shows one."""
        found = self.found
        if question.now == "fixed":
            if not question.equal or not self.axes(question.a, question.b):
                return None
            # Without the mobility that was told: to keep it, some other decision would change, and the wrong thing
            # would move.
            hints = replace(found.hints, freedoms=None).having("joint", question.equal)
            found = self._known.get(hints) or settled(self._evidence, hints)
            self._known[hints] = found
        return trial_of(found, question.a, question.b)
