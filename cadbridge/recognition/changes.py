"""One question about all decisions that were changed to reach a mobility: which of them are wrong?"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cadbridge.errors import InputError
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.hypotheses import Hypothesis
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.wording import count

ALL, NONE = ("y", "yes"), ("n", "no")
_NOW = {"joint": "move against each other", "fixed": "are fixed to each other"}


@dataclass(frozen=True)
class Changes:
    """Decisions whose second verdict was taken since the mobility asks for it, with the names of their parts."""

    turned: tuple[Hypothesis, ...]
    names: tuple[tuple[str, str], ...]
    freedoms: int

    @property
    def lines(self) -> Iterator[str]:
        """What was decided of each, with what its own evidence says."""
        for h, (a, b) in zip(self.turned, self.names, strict=True):
            more = f", and {count(len(h.equal) - 1, 'pair')} alike" if len(h.equal) > 1 else ""
            yield f"{a} and {b} {_NOW[h.other]}{more} (their own evidence: {h.now}, {100 * h.confidence:.0f} %)"

    @property
    def text(self) -> str:
        """What is asked."""
        lines = "".join(f"\n  {k:3} {line}" for k, line in enumerate(self.lines, start=1))
        of = count(self.freedoms, "degree")
        return f"To have {of} of freedom, these were decided otherwise than their own evidence says:{lines}"

    def wrong(self, reply: str) -> set[int] | None:
        """Which are wrong by a reply (all right, none right, or the numbers of the wrong ones); None where it is none.

        InputError where there is no such number.
        """
        if reply.lower() in ALL:
            return set()
        if reply.lower() in NONE:
            return set(range(len(self.turned)))
        words = reply.replace(",", " ").split()
        if not words or not all(word.isdecimal() and len(word) < 5 for word in words):
            return None
        numbers = {int(word) for word in words}
        if not numbers <= set(range(1, len(self.turned) + 1)):
            raise InputError(f"They are numbered from 1 to {len(self.turned)}.")
        return {number - 1 for number in numbers}

    def answered(self, hints: Hints, wrong: Collection[int]) -> Hints:
        """The hints with the wrong ones as their own evidence says, and all others as they are now."""
        for k, h in enumerate(self.turned):
            hints = hints.having(h.now if k in wrong else h.other, h.equal)
        return hints


def changes_of(found: Recognition) -> Changes | None:
    """The changed decisions of a recognition; None where there are less than two, which a question asks about."""
    turned: tuple[Hypothesis, ...] = found.turned
    if len(turned) < 2 or found.freedoms is None:
        return None
    names = shortest(i.name for i in found.assembly.instances)
    return Changes(turned, tuple((names[h.a], names[h.b]) for h in turned), found.freedoms)
