"""What a person says of a machine in a line of words: `joint horn, case`, `fixed 3, 7, 9`. It becomes hints.

Parts are named by their numbers in the list of parts, by their names, or by a piece of a name that only one has. No
line needs a coordinate: an axis is that of a part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from cadbridge.errors import InputError
from cadbridge.recognition.hints import KINDS, Hints, Pair, Told
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.questions.alike import Axis, and_alike, spread
from cadbridge.wording import count, listed


class Verb(NamedTuple):
    """A word for what parts are to each other: the kind of hint, its line of help, and the type of the joint."""

    hint: str
    help: str
    type: str = ""


VERBS = {
    "joint": Verb("joint", "they move against each other: a hinge, unless contacts show another joint"),
    "hinge": Verb("joint", 'they turn; add "about C" for the axis of a part C, such as a pin', "revolute"),
    "slide": Verb("joint", 'they slide; add "along C" for the way in which a part C is longest', "prismatic"),
    "ball": Verb("joint", "they turn every way", "spherical"),
    "cylindrical": Verb("joint", "they turn about an axis and slide along it, as a piston does", "cylindrical"),
    "fixed": Verb("fixed", "they are one body; more parts may follow: fixed A, B, C"),
    "apart": Verb("apart", "they are two bodies, and no joint is between them"),
}
WAYS = "\n".join(f"{word + ' A, B':22} {verb.help}" for word, verb in VERBS.items())
WAYS += """
moves A                it moves against what holds it
ground A               it stands still
freedoms 6             the degrees of freedom of the whole
A, B and C are names of parts, pieces of names, or their numbers.
It holds for all pairs alike; with "only" before it, for one.
parts, parts TEXT      the parts with their numbers, and what each is held by
undo                   takes back what was said last"""
"""The lines that a person may say, each with its meaning."""

EXAMPLES = "Say, for example: fixed A, B; joint A, B; slide A, B along C; apart A, B; ground A."
"""What is told to who says something else."""
_LINE = re.compile(rf"(only\s+)?({'|'.join(VERBS)})\s+(.*?)(?:\s+(?:about|along)\s+(.+))?", re.I)
Axes = Callable[[str, str], Sequence[Axis]]
_MOST_NAMED = 6
"""Parts that are named where a name may be several: more fill the screen."""


@dataclass(frozen=True)
class Said:
    """What a line says: in words, and the hints after it from those before."""

    title: str
    hints: Callable[[Hints], Hints]


def names_by_number(found: Recognition) -> dict[int, str]:
    """The instances by the numbers by which a person may name them, from 1 in the order of their names."""
    return dict(enumerate(sorted(i.name for i in found.assembly.instances), start=1))


def said(line: str, found: Recognition, axes: Axes = lambda a, b: ()) -> Said:
    """What a line says of what was found. InputError with the cure where it says nothing, or names no single part.

    `axes` gives the axes that two parts share: pairs are alike too that a turn about the first of them makes one.
    """
    words = line.strip()
    word, _, rest = words.lower().partition(" ")
    if word == "freedoms" and rest.strip().isdecimal() and len(rest.strip()) < 5:
        wanted = int(rest)
        return Said(f"{count(wanted, 'degree')} of freedom", lambda hints: replace(hints, freedoms=wanted))
    if word in ("ground", "moves") and rest.strip():
        part = _part(words[len(word) :], found)
        if word == "ground":
            return Said(f"{part} stands still", lambda hints: replace(hints, ground=part))
        return _of_parts(VERBS["joint"], _held_by(part, found), found, axes)
    match = _LINE.fullmatch(words)
    if match is None:
        raise InputError(f"{words or 'nothing'} says nothing here. {EXAMPLES}")
    only, word, names, about = match.groups()
    verb, parts = VERBS[word.lower()], [_part(name, found) for name in _split(names, found)]
    if len(set(parts)) != len(parts) or len(parts) < 2 or (len(parts) > 2 and verb.hint != "fixed"):
        raise InputError(f"{word} takes two different parts, with a comma between them: {word} A, B.")
    if about is not None and verb.hint != "joint":
        raise InputError(f"{word} has no axis: leave out what follows about or along.")
    return _of_parts(verb, parts, found, None if only else axes, None if about is None else _part(about, found))


def _of_parts(
    verb: Verb, parts: Sequence[str], found: Recognition, axes: Axes | None, about: str | None = None
) -> Said:
    """What is said of two parts or more, and without `axes` of no pairs alike; `about`: the part whose axis it is."""

    def alike(pair: Pair) -> list[Pair]:
        # Which part it is beside another pair is known only of one of the two.
        if axes is None or (about is not None and about not in parts):
            return [pair]
        # Only a hinge leaves the turn free by which an equal pair may differ; a slide that is turned goes another way.
        turns = verb.hint == "joint" and verb.type != "prismatic"
        return spread(found.assembly, found.hints, pair, next(iter(axes(*pair)), None) if turns else None)

    def after(hints: Hints) -> Hints:
        for pair in pairs:
            own = pair[parts.index(about)] if about in parts else about
            hints = hints.having(verb.hint, [pair], Told(verb.type, about=own or ""))
        return hints

    pairs = [own for other in parts[1:] for own in alike((parts[0], other))]
    names = shortest(i.name for i in found.assembly.instances)
    kind = f" ({verb.type})" if verb.type else ""
    return Said(
        f"{' and '.join(names[p] for p in parts)} {KINDS[verb.hint]}{kind}{and_alike(pairs[len(parts) - 2 :])}", after
    )


def _held_by(part: str, found: Recognition) -> tuple[str, str]:
    """A part and the one that holds it. InputError where it is not held, or by several."""
    names = shortest(i.name for i in found.assembly.instances)
    body = next(body for body in found.bodies if part in body.instances)
    bonds = [b for b in body.bonds if b.to is not None and part in (b.instance, b.to)]
    bonds = [b for b in bonds if not found.fasteners & {b.instance, b.to}]
    # A part may rest on several, but turns on that with which it shares an axis.
    holding = [b for b in bonds if b.line is not None] or bonds
    number = {name: k for k, name in names_by_number(found).items()}
    others = [other for b in holding for other in (b.instance, b.to) if other is not None and other != part]
    if len(others) == 1:
        return part, others[0]
    if not others:
        raise InputError(
            f"Nothing holds {names[part]}: it is a body of its own. Say against what it moves: joint A, B."
        )
    several = listed([f"{number[o]} {names[o]}" for o in others], _MOST_NAMED)
    raise InputError(f"{names[part]} is held by {several}. Say against which it moves: joint A, B.")


def _split(text: str, found: Recognition) -> list[str]:
    """The names in a text, which commas part; a name with commas in it is found whole."""
    if "," not in text and all(word.isdecimal() for word in text.split()):
        return text.split()
    known = {i.name for i in found.assembly.instances}
    pieces, names = text.split(","), list[str]()
    while pieces:
        longest = next((k for k in range(len(pieces), 1, -1) if ",".join(pieces[:k]).strip() in known), 1)
        names.append(",".join(pieces[:longest]))
        pieces = pieces[longest:]
    return names


def _part(text: str, found: Recognition) -> str:
    """The instance that a number, a name or a piece of one means."""
    wanted = text.strip().strip("[]'\"").removeprefix("#")
    numbers = names_by_number(found)
    names = list(numbers.values())
    ends = shortest(names)
    exact = [n for n in names if wanted in (n, ends[n])]
    if exact:
        return exact[0]
    if wanted.isdecimal():
        if int(wanted) in numbers:
            return numbers[int(wanted)]
        raise InputError(f"There is no part {wanted}: they are numbered from 1 to {len(names)}; parts lists them.")
    small = wanted.casefold()
    last = [n for n in names if n.rsplit("/", 1)[-1].casefold() == small]
    held = last or [n for n in names if small and small in n.casefold()]
    if len(held) == 1:
        return held[0]
    number = {name: k for k, name in numbers.items()}
    several = listed([f"{number[n]} {ends[n]}" for n in held], _MOST_NAMED)
    if held:
        raise InputError(f"{wanted} may be {several}; say its number.")
    raise InputError(f"No part is called {wanted}; parts lists all.")


MOST_LINES = 300
"""Parts that are listed: more is read by nobody; a piece of a name shows the rest."""


def parts_text(found: Recognition, text: str = "") -> str:
    """The parts by bodies, those of which `text` is in the name alone; each with its number and what holds it.

    Fasteners, which carry no freedom, are listed only where `text` is in their names.
    """
    number = {name: k for k, name in names_by_number(found).items()}
    ends = shortest(number)
    lines = []
    for k, body in enumerate(found.bodies):
        shown = [n for n in body.instances if text.casefold() in n.casefold() and (text or n not in found.fasteners)]
        if not shown:
            continue
        joints = ", ".join(_joint_text(found, k, number, ends))
        still = "stands still" if k == found.ground else joints or "no joint"
        as_one = f" with {count(len(body.instances) - 1, 'part')} more" if len(body.instances) > 1 else ""
        lines.append(f"  {ends[body.name]}{as_one}: {still}")
        why = {bond.instance: bond for bond in body.bonds if bond.to is not None}
        for name in sorted(shown):
            bond = why.get(name)
            held = f": {number[bond.to]} {ends[bond.to]}, {bond.reason}" if bond is not None and bond.to else ""
            lines.append(f"    {number[name]:4} {ends[name]}{held}")
    if not lines:
        return f"  No part is called {text}."
    more = len(lines) - MOST_LINES
    return "\n".join([*lines[:MOST_LINES], *([f"  and {more} more lines; parts TEXT shows some"] if more > 0 else [])])


def _joint_text(found: Recognition, body: int, number: dict[str, int], ends: dict[str, str]) -> Iterator[str]:
    """The joints of a body, each with its type and the largest part of the other body."""
    for joint in found.joints:
        if body in (joint.a, joint.b):
            other = found.bodies[joint.b if joint.a == body else joint.a].name
            yield f"{joint.type} on {number[other]} {ends[other]}"
