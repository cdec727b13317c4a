#!/usr/bin/env python3
"""How many answers recognition needs until the mobility is right, by an oracle that answers its questions from a truth.

    python scripts/measure/answers.py FOLDER [NAME ...] [--truths FOLDER] [--words]

FOLDER holds the sources, as scripts/measure/machines.py says. The oracle answers as a person would: first the mobility,
then what the parts of the first question are to each other; what it does not know it passes over. Where questions end,
it says in words what is wrong, as one may in `cadbridge recognise --ask`; with `--words` before any question. Each
counts as an answer, and of a list of decisions each wrong one as one more, unless all are wrong.

Of each source: the mobility found and true; answers until the mobility is right, until the bodies are right too (>
where that is not reached), and how many of these were said without being asked; whether
the mobility was called sure.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations
from statistics import median

from truths import Truth, arguments_of, bodies_right, with_sources

from cadbridge.recognition import read_bare
from cadbridge.recognition.hints import NO_HINTS
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.questions.changes import OTHER, Page
from cadbridge.recognition.questions.inquiry import Inquiry
from cadbridge.recognition.questions.saying import names_by_number
from cadbridge.recognition.writing.mates_text import freedoms_text

MOST = 20
"""Answers that are given at most."""
WORDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball", "cylindrical": "cylindrical"}
"""What a person says of joints, by their types."""
HEAD = "| source | found | true | answers, mobility | answers, bodies | unasked | said |\n|---|---|---|---|---|---|---|"


class Oracle:
    """What is true of a source, as a person who knows the machine would say it."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.freedoms = truth.freedoms
        self.joints = {frozenset(pair.bodies) for pair in truth.pairs}

    def kind(self, a: str, b: str) -> str | None:
        """What two parts are to each other: `joint`, `fixed` or `apart`; None where that is not known."""
        sides = frozenset((self.truth.body(a), self.truth.body(b)))
        if None in sides:
            return None
        return "fixed" if len(sides) == 1 else "joint" if sides in self.joints else "apart"

    def verdicts(self, page: Page) -> dict[int, str]:
        """What the parts of each decision of a page are to each other."""
        return {k: self.kind(*entry.equal[0]) or "" for k, entry in enumerate(page.entries)}

    def statement(self, found: Recognition, part: str = "") -> str | None:
        """What a person would say without being asked, of the first body or joint that is wrong; first of a part."""
        body_of = {name: k for k, body in enumerate(found.bodies) for name in body.instances}
        number = {name: k for k, name in names_by_number(found).items()}
        known = [n for n in number if n not in found.fasteners and self.truth.body(n) is not None]
        told = found.hints.settled
        types = {frozenset((j.a, j.b)): j.type for j in found.joints}
        own = self.truth.body(part) if part else None
        joints = []
        for pair in sorted(self.truth.pairs, key=lambda pair: own not in pair.bodies):
            a, b = (next(iter(side), "") for side in self.truth.parts(pair, number))
            # Where nothing shows a joint that was called right, a finding asks for its type.
            if a and b and not found.hints.told_of((a, b)).type:
                joints.append((a, b, types.get(frozenset((body_of[a], body_of[b]))), pair))
        for a, b, found_as, pair in joints:
            if found_as is None:
                return f"{WORDS.get(pair.type, 'hinge')} {number[a]}, {number[b]}"
        chief: dict[str | None, str] = {}
        apart: dict[str, dict[int, str]] = {}
        for name in known:
            first = chief.setdefault(self.truth.body(name), name)
            if body_of[first] != body_of[name] and frozenset((first, name)) not in told:
                apart.setdefault(first, {}).setdefault(body_of[name], name)
        if apart:
            # A person lists what is one body in one line: one part of each of the bodies that it is in now.
            first, others = next(iter(apart.items()))
            return f"fixed {', '.join(str(number[name]) for name in (first, *others.values()))}"
        for a, b in combinations(chief.values(), 2):
            wrong = body_of[a] == body_of[b] or frozenset((body_of[a], body_of[b])) in types
            if wrong and self.kind(a, b) == "apart" and frozenset((a, b)) not in told:
                return f"apart {number[a]}, {number[b]}"
        for a, b, found_as, pair in joints:
            if found_as != pair.type and pair.type in WORDS:
                return f"{WORDS[pair.type]} {number[a]}, {number[b]}"
        return None

    def right(self, found: Recognition) -> bool:
        """Whether the mobility is right, and the bodies are as far as they are known."""
        return self.counts(found) and bodies_right(found, self.truth)

    def counts(self, found: Recognition) -> bool:
        """Whether the mobility is right, with or without what only spins: so a mobility that is told is met."""
        return not found.missed(self.freedoms)


def asked(inquiry: Inquiry, oracle: Oracle, words: bool = False) -> tuple[int | None, int | None, int | None]:
    """Answers given until the mobility is right, until the bodies are right too, and what was said unasked among them.

    None where neither is reached. With `words`, what is wrong is said before any question.
    """
    numbers = [0] if oracle.counts(inquiry.found) else []
    if oracle.right(inquiry.found):
        return 0, 0, 0
    inquiry.freedoms(oracle.freedoms)
    given, unasked = 1, 0
    while True:
        if oracle.counts(inquiry.found):
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


def measured(inquiry: Inquiry, truth: Truth, words: bool = False) -> tuple[list[str], int | None, int | None]:
    """The cells of a source, and its two numbers of answers."""
    oracle = Oracle(truth)
    first = inquiry.found
    number, bodies, unasked = asked(inquiry, oracle, words)
    text = ">" if bodies is None else str(bodies)
    verdict = freedoms_text(first).split(":")[0]
    cells = [str(first.freedoms), str(oracle.freedoms), ">" if number is None else str(number), text]
    cells += [str(unasked or 0), verdict]
    return cells, number, bodies


def main(arguments: Sequence[str]) -> None:
    """Print the table, and the median and the share of at most five answers."""
    parser = arguments_of(str(__doc__))
    parser.add_argument("--words", action="store_true", help="say what is wrong before any question")
    told = parser.parse_intermixed_args(arguments)
    print(HEAD)
    counts: tuple[list[int], list[int]] = ([], [])
    for source, truth in with_sources(told):
        cells, number, bodies = measured(Inquiry(read_bare(source), True, (), NO_HINTS), truth, told.words)
        print(f"| {truth.name} | {' | '.join(cells)} |", flush=True)
        counts[0].append(MOST + 1 if number is None else number)
        counts[1].append(MOST + 1 if bodies is None else bodies)
    for what, own in zip(("mobility", "bodies too"), counts, strict=True):
        if own:
            few = sum(n <= 5 for n in own)
            print(f"{what}: at once {own.count(0)} of {len(own)}, median {median(own):g} answers, at most 5 in {few}")


if __name__ == "__main__":
    main(sys.argv[1:])
