"""A dialogue about a recognition: each answer becomes a hint, and the inference runs again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cadbridge.assembly import Assembly
from cadbridge.recognition.choosing import settled
from cadbridge.recognition.evidence import gather
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions import Question, answered, questions


class Inquiry:
    """What was found so far, the question to ask next, and the answers. `found` carries the hints."""

    def __init__(self, assembly: Assembly, names: bool, ignore: Sequence[str], hints: Hints) -> None:
        self._evidence = gather(assembly, names, ignore)
        self._skipped: set[tuple[str, str]] = set()
        self.found: Recognition = settled(self._evidence, hints)

    @property
    def next(self) -> Question | None:
        """The decision to ask about; None where all that is left was passed over."""
        return next((q for q in questions(self.found) if (q.a, q.b) not in self._skipped), None)

    def freedoms(self, count: int) -> None:
        """Take a number of freedoms."""
        self._take(replace(self.found.hints, freedoms=count))

    def answer(self, question: Question, moves: bool) -> None:
        """Take an answer, for all equal pairs."""
        self._take(answered(self.found.hints, question, moves))

    def skip(self, question: Question) -> None:
        """Pass over a question."""
        self._skipped.add((question.a, question.b))

    def _take(self, hints: Hints) -> None:
        self.found = settled(self._evidence, hints)
