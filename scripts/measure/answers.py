#!/usr/bin/env python3
"""How many answers recognition needs until the mobility is right, by an oracle that answers its questions from a truth.

    python scripts/measure/answers.py SOURCE TRUTH [SOURCE TRUTH ...]

A truth is a JSON document: `freedoms`, the mobility; `bodies`, lists of patterns of names of instances that move as one
(what no pattern names stands still); `unknown`, patterns of what the oracle knows nothing of. The oracle reads what
`cadbridge recognise --questions` prints, and answers as a person would: first the mobility, then whether the parts of
the first question move against each other; what it does not know it passes over. Each of these counts as an answer.

Of each source: the mobility found and true; answers until the mobility is right, until the bodies are right too (a dash
where the truth names none, > where questions ended first); whether the mobility was called sure.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median
from typing import Any

from cadbridge.recognition import read_bare
from cadbridge.recognition.hints import NO_HINTS
from cadbridge.recognition.inquiry import Inquiry
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions import questions, questions_document
from cadbridge.recognition.write import freedoms_text

MOST = 20
"""Answers that are given at most."""
HEAD = "| source | found | true | answers, mobility | answers, bodies | said |\n|---|---|---|---|---|---|"


class Oracle:
    """What is true of a source, as a person who knows the machine would say it."""

    def __init__(self, truth: dict[str, Any]) -> None:
        self.freedoms: int = truth["freedoms"]
        self.bodies: list[list[str]] | None = truth.get("bodies")
        self._unknown: list[str] = truth.get("unknown", [])

    def body(self, name: str) -> int | None:
        """The number of the body of an instance, -1 of what stands still; None where it is not known."""
        if self.bodies is None or _fits(name, self._unknown):
            return None
        return next((k for k, patterns in enumerate(self.bodies) if _fits(name, patterns)), -1)

    def moves(self, question: dict[str, Any]) -> bool | None:
        """Whether the parts of a question move against each other; None where that is not known."""
        sides = [self.body(name) for name in question["answers"]["joint"][0]["joint"]]
        return None if None in sides else sides[0] != sides[1]

    def right(self, found: Recognition) -> bool:
        """Whether the mobility is right, and the bodies are as far as they are known."""
        return found.freedoms == self.freedoms and (self.bodies is None or self._bodies_right(found))

    def _bodies_right(self, found: Recognition) -> bool:
        seen = set[int]()
        for body in found.bodies:
            own = {k for n in body.instances if n not in found.fasteners and (k := self.body(n)) is not None}
            if len(own) > 1 or own & seen - {-1}:
                return False
            seen |= own
        return True


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def asked(inquiry: Inquiry, oracle: Oracle) -> tuple[int | None, int | None]:
    """Answers given until the mobility is right, and until the bodies are right too; None where questions ended."""
    numbers = [0] if inquiry.found.freedoms == oracle.freedoms else []
    if oracle.right(inquiry.found):
        return 0, 0
    inquiry.freedoms(oracle.freedoms)
    for given in range(1, MOST + 1):
        if inquiry.found.freedoms == oracle.freedoms:
            numbers.append(given)
        if oracle.right(inquiry.found):
            return numbers[0], given
        if inquiry.next is None:
            break
        of = {(q.a, q.b): k for k, q in enumerate(questions(inquiry.found))}
        at = of[inquiry.next.a, inquiry.next.b]
        moves = oracle.moves(questions_document(inquiry.found)["questions"][at])
        inquiry.skip(inquiry.next) if moves is None else inquiry.answer(inquiry.next, moves)
    return (numbers or [None])[0], None


def measured(inquiry: Inquiry, truth: dict[str, Any]) -> tuple[list[str], int | None, int | None]:
    """The cells of a source, and its two numbers of answers."""
    oracle = Oracle(truth)
    first = inquiry.found
    number, bodies = asked(inquiry, oracle)
    text = "-" if oracle.bodies is None else ">" if bodies is None else str(bodies)
    said = freedoms_text(first).split(":")[0]
    cells = [str(first.freedoms), str(oracle.freedoms), ">" if number is None else str(number), text, said]
    return cells, number, bodies


def main(arguments: Sequence[str]) -> None:
    """Print the table, and the median and the share of at most five answers."""
    if not arguments or len(arguments) % 2:
        sys.exit(str(__doc__))
    print(HEAD)
    counts: tuple[list[int], list[int]] = ([], [])
    for source, truth in zip(arguments[::2], arguments[1::2], strict=True):
        known = json.loads(Path(truth).read_text(encoding="utf-8"))
        cells, number, bodies = measured(Inquiry(read_bare(source), True, (), NO_HINTS), known)
        print(f"| {Path(source).stem} | {' | '.join(cells)} |", flush=True)
        counts[0].append(MOST + 1 if number is None else number)
        if known.get("bodies") is not None:
            counts[1].append(MOST + 1 if bodies is None else bodies)
    for what, own in zip(("mobility", "bodies too"), counts, strict=True):
        if own:
            few = sum(n <= 5 for n in own)
            print(f"{what}: at once {own.count(0)} of {len(own)}, median {median(own):g} answers, at most 5 in {few}")


if __name__ == "__main__":
    main(sys.argv[1:])
