#!/usr/bin/env python3
"""How many answers recognition needs until the mobility is right, by an oracle that answers its questions from a truth.

    python scripts/measure/answers.py [--words] SOURCE TRUTH [SOURCE TRUTH ...]

A truth is a JSON document: `freedoms`, the mobility; `bodies`, lists of patterns of names of instances that move as one
(what no pattern names stands still); `unknown`, patterns of what the oracle knows nothing of; `joints`, lists of two
names, a type and, if known, the name of a part that shows the axis. The oracle answers as a person would: first the
mobility, then what the parts of the first question are to each other; what it does not know it passes over. Where
questions end, it says in words what is wrong, as one may in `cadbridge recognise --ask`; with `--words` before any
question. Each counts as an answer, and of a list of decisions each wrong one as one more, unless all are wrong.

Of each source: the mobility found and true; answers until the mobility is right, until the bodies are right too (a dash
where the truth names none, > where that is not reached), and how many of these were said without being asked; whether
the mobility was called sure.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path
from statistics import median
from typing import Any

from cadbridge.recognition import read_bare
from cadbridge.recognition.changes import OTHER, Page
from cadbridge.recognition.hints import NO_HINTS
from cadbridge.recognition.inquiry import Inquiry
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.saying import names_by_number
from cadbridge.recognition.write import freedoms_text

MOST = 20
"""Answers that are given at most."""
HEAD = "| source | found | true | answers, mobility | answers, bodies | unasked | said |\n|---|---|---|---|---|---|---|"


class Oracle:
    """What is true of a source, as a person who knows the machine would say it."""

    def __init__(self, truth: dict[str, Any]) -> None:
        self.freedoms: int = truth["freedoms"]
        self.bodies: list[list[str]] | None = truth.get("bodies")
        self._unknown: list[str] = truth.get("unknown", [])
        self.pairs = [(a, b, kind, next(iter(more), "")) for a, b, kind, *more in truth.get("joints", ())]
        named = {frozenset((self.body(a), self.body(b))) for a, b, _, _ in self.pairs}
        self.joints = named or None

    def body(self, name: str) -> int | None:
        """The number of the body of an instance, -1 of what stands still; None where it is not known."""
        if self.bodies is None or _fits(name, self._unknown):
            return None
        return next((k for k, patterns in enumerate(self.bodies) if _fits(name, patterns)), -1)

    def kind(self, a: str, b: str) -> str | None:
        """What two parts are to each other: `joint`, `fixed` or `apart`; None where that is not known."""
        sides = frozenset((self.body(a), self.body(b)))
        if None in sides:
            return None
        return "fixed" if len(sides) == 1 else "joint" if self.joints is None or sides in self.joints else "apart"

    def verdicts(self, page: Page) -> dict[int, str]:
        """What the parts of each decision of a page are to each other."""
        return {k: self.kind(*entry.equal[0]) or "" for k, entry in enumerate(page.entries)}

    def statement(self, found: Recognition, part: str = "") -> str | None:
        """What a person would say without being asked, of the first body or joint that is wrong; first of a part."""
        body_of = {name: k for k, body in enumerate(found.bodies) for name in body.instances}
        number = {name: k for k, name in names_by_number(found).items()}
        known = [n for n in number if n not in found.fasteners and self.body(n) is not None]
        told = {frozenset(p) for p in (*found.hints.joint, *found.hints.fixed, *found.hints.apart)}
        joined = {frozenset((j.a, j.b)) for j in found.joints}
        own = self.body(part) if part else None
        for a, b, kind, about in sorted(self.pairs, key=lambda p: own not in (self.body(p[0]), self.body(p[1]))):
            ends = frozenset((body_of[a], body_of[b]))
            if ends not in joined and frozenset((a, b)) not in told:
                axis = f"{' along' if kind == 'prismatic' else ' about'} {number[about]}" if about else ""
                return f"{'slide' if kind == 'prismatic' else 'hinge'} {number[a]}, {number[b]}{axis}"
        chief: dict[int | None, str] = {}
        for name in known:
            first = chief.setdefault(self.body(name), name)
            if body_of[first] != body_of[name] and frozenset((first, name)) not in told:
                return f"fixed {number[first]}, {number[name]}"
        for a, b in combinations(chief.values(), 2):
            wrong = body_of[a] == body_of[b] or frozenset((body_of[a], body_of[b])) in joined
            if wrong and self.kind(a, b) == "apart" and frozenset((a, b)) not in told:
                return f"apart {number[a]}, {number[b]}"
        return None

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


def asked(inquiry: Inquiry, oracle: Oracle, words: bool = False) -> tuple[int | None, int | None, int | None]:
    """Answers given until the mobility is right, until the bodies are right too, and what was said unasked among them.

    None where neither is reached. With `words`, what is wrong is said before any question.
    """
    numbers = [0] if inquiry.found.freedoms == oracle.freedoms else []
    if oracle.right(inquiry.found):
        return 0, 0, 0
    inquiry.freedoms(oracle.freedoms)
    given, unasked = 1, 0
    while True:
        if inquiry.found.freedoms == oracle.freedoms:
            numbers.append(given)
        if oracle.right(inquiry.found):
            return numbers[0], given, unasked
        if given >= MOST or not (count := _reply(inquiry, oracle, words)):
            return next(iter(numbers), None), None, None
        given += abs(count)
        unasked += count < 0


def _reply(inquiry: Inquiry, oracle: Oracle, words: bool) -> int:
    """Let the oracle reply once: how many answers that is, negative where nothing asked for it, 0 for none."""
    line = oracle.statement(inquiry.found) if words else None
    page = inquiry.page if line is None else None
    question = inquiry.next if line is None and page is None else None
    if page is not None:
        said = oracle.verdicts(page)
        inquiry.sort_out(page, said)
        wrong = [bool(kind) and kind != entry.now for entry, kind in zip(page.entries, said.values(), strict=True)]
        flipped = all(kind == OTHER[entry.now] for entry, kind in zip(page.entries, said.values(), strict=True))
        return 1 if flipped else 1 + sum(wrong)
    if question is not None and question.loose:  # it asks for words
        line = oracle.statement(inquiry.found, question.a)
    if question is not None and line is None:
        kind = oracle.kind(question.a, question.b)
        inquiry.skip(question) if kind is None else inquiry.answer(question, kind)
        return 1
    asked_for = line is not None and question is not None
    line = line or oracle.statement(inquiry.found)
    if line is None:
        return 0
    inquiry.say(inquiry.heard(line).hints(inquiry.found.hints))
    return 1 if asked_for else -1


def measured(inquiry: Inquiry, truth: dict[str, Any], words: bool = False) -> tuple[list[str], int | None, int | None]:
    """The cells of a source, and its two numbers of answers."""
    oracle = Oracle(truth)
    first = inquiry.found
    number, bodies, unasked = asked(inquiry, oracle, words)
    text = "-" if oracle.bodies is None else ">" if bodies is None else str(bodies)
    verdict = freedoms_text(first).split(":")[0]
    cells = [str(first.freedoms), str(oracle.freedoms), ">" if number is None else str(number), text]
    cells += [str(unasked or 0), verdict]
    return cells, number, bodies


def main(arguments: Sequence[str]) -> None:
    """Print the table, and the median and the share of at most five answers."""
    words = "--words" in arguments
    arguments = [a for a in arguments if a != "--words"]
    if not arguments or len(arguments) % 2:
        sys.exit(str(__doc__))
    print(HEAD)
    counts: tuple[list[int], list[int]] = ([], [])
    for source, truth in zip(arguments[::2], arguments[1::2], strict=True):
        known = json.loads(Path(truth).read_text(encoding="utf-8"))
        cells, number, bodies = measured(Inquiry(read_bare(source), True, (), NO_HINTS), known, words)
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
