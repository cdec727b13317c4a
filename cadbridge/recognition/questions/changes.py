"""One question about several decisions, a page: which of them are wrong? Most of what is unsure is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cadbridge.errors import InputError
from cadbridge.recognition.choice.hint_names import contradictions
from cadbridge.recognition.choice.hypotheses import Hypothesis
from cadbridge.recognition.hints import KINDS, Hints, Pair
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.questions.alike import and_alike
from cadbridge.recognition.questions.questions import Question
from cadbridge.wording import count

ALL, NONE = ("y", "yes"), ("n", "no")
LETTERS = {"a": "apart", "y": "joint", "n": "fixed", "?": ""}
"""What may stand behind a number: what the two parts are; ? where that is not known."""
OTHER = {"joint": "fixed", "fixed": "joint"}
Verdicts = dict[int, str]
"""What is said of entries, by their index: `joint`, `fixed`, `apart`, or "" where it is not known."""


@dataclass(frozen=True)
class PageEntry:
    """A decision of a page: a pair of parts that is `now` joined by a joint or fixed, and what its evidence says."""

    pair: Pair
    names: Pair
    now: str
    equal: tuple[Pair, ...]
    evidence: str

    @property
    def text(self) -> str:
        """What is decided, in words."""
        return f"{' and '.join(self.names)} {KINDS[self.now]}{and_alike(self.equal)} ({self.evidence})"


@dataclass(frozen=True)
class Page:
    """Several decisions that are asked about in one."""

    title: str
    entries: tuple[PageEntry, ...]

    @property
    def lines(self) -> Iterator[str]:
        """The decisions in words."""
        return (entry.text for entry in self.entries)

    @property
    def text(self) -> str:
        """What is asked, the decisions numbered from 1."""
        return self.title + "".join(f"\n  {k:3} {line}" for k, line in enumerate(self.lines, start=1))

    def verdicts(self, reply: str) -> Verdicts | None:
        """What a reply says of the decisions: all right, all wrong, or the numbers of the wrong ones; None if nothing.

        A letter behind a number says what is right instead (`3a`: apart). InputError where there is no such number.
        """
        if reply.lower() in (*ALL, *NONE):
            return {k: e.now if reply.lower() in ALL else OTHER[e.now] for k, e in enumerate(self.entries)}
        said = {k: entry.now for k, entry in enumerate(self.entries)}
        words = reply.lower().replace(",", " ").split()
        for word in words:
            number = word.rstrip("".join(LETTERS))
            letter = word.removeprefix(number)
            if not number.isdecimal() or len(letter) > 1:
                return None
            if not 1 <= int(number) <= len(self.entries):
                raise InputError(f"They are numbered from 1 to {len(self.entries)}.")
            k = int(number) - 1
            said[k] = LETTERS[letter] if letter else OTHER[self.entries[k].now]
        return said if words else None

    def answered(self, hints: Hints, said: Mapping[int, str]) -> Hints:
        """The hints with what is said of the decisions, and of all pairs alike.

        Who names the wrong ones has not looked at each of the rest: of these, what contradicts the wrong ones is left
        open, and asked again.
        """
        wrong = [(self.entries[k].equal, kind) for k, kind in said.items() if kind not in ("", self.entries[k].now)]
        right = [(self.entries[k].equal, kind) for k, kind in said.items() if kind == self.entries[k].now]
        for pairs, kind in wrong:
            hints = hints.having(kind, pairs)
        known = len(contradictions(hints.said))
        corrected = {frozenset(pair) for pairs, _ in wrong for pair in pairs}
        for pairs, kind in right:
            taken = hints.having(kind, [pair for pair in pairs if frozenset(pair) not in corrected])
            hints = taken if len(contradictions(taken.said)) <= known else hints
        return hints


def changes_of(found: Recognition) -> Page | None:
    """The decisions that were changed to reach a mobility; None where there are less than two."""
    turned: tuple[Hypothesis, ...] = found.turned
    if len(turned) < 2 or found.freedoms is None:
        return None
    names = shortest(i.name for i in found.assembly.instances)
    known = f"To have {count(found.freedoms, 'degree')} of freedom"
    title = f"{known}, these were decided otherwise than their evidence says:"
    return Page(title, tuple(
        PageEntry(
            (h.a, h.b), (names[h.a], names[h.b]), h.other, h.equal, f"own evidence: {h.now}, {100 * h.confidence:.0f} %"
        )
        for h in turned
    ))  # fmt: skip


def page_of(asked: Sequence[Question]) -> Page:
    """Questions as one page."""
    return Page("These are the least sure:", tuple(
        PageEntry((q.a, q.b), q.names, q.now, q.equal, f"{100 * q.confidence:.0f} % sure") for q in asked
    ))  # fmt: skip
