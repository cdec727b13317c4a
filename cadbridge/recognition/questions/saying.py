"""What a person says of a machine in a line of words: `joint horn, case`, `fixed 3, 7, 9`. It becomes hints.

Parts are named by their numbers in the list of parts, by their names, or by a piece of a name that only one has. No
line needs a coordinate: an axis is that of a part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cadbridge.errors import InputError
from cadbridge.recognition.hints import Hints, Pair, Told
from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.questions.alike import Axis, spread
from cadbridge.wording import count, listed

WAYS = """\
joint A, B             they move against each other: a hinge, unless contacts show another joint
hinge A, B             they turn; add "about C" where the axis is that of a part C, such as a pin
slide A, B             they slide; add "along C" for the way in which a part C is longest, such as a rail
ball A, B              they turn every way
moves A                it moves against what holds it
fixed A, B, C          they are one body
apart A, B             they are two bodies, and no joint is between them
ground A               it stands still
freedoms 6             the degrees of freedom of the whole
A, B and C are names of parts, pieces of names, or their numbers.
It holds for all pairs alike; with "only" before it, for one.
parts, parts TEXT      the parts with their numbers, and what each is held by
undo                   takes back what was said last"""
"""The lines that a person may say, each with its meaning."""

EXAMPLES = "Say, for example: fixed A, B; joint A, B; slide A, B along C; apart A, B; ground A."
"""What is told to who says something else."""
_TYPES = {"joint": "", "hinge": "revolute", "slide": "prismatic", "ball": "spherical"}
_LINE = re.compile(r"(only\s+)?(joint|hinge|slide|ball|fixed|apart)\s+(.*?)(?:\s+(?:about|along)\s+(.+))?", re.I)
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
    verb, _, rest = words.partition(" ")
    if verb.lower() == "freedoms" and rest.strip().isdecimal() and len(rest.strip()) < 5:
        wanted = int(rest)
        return Said(f"{count(wanted, 'degree')} of freedom", lambda hints: replace(hints, freedoms=wanted))
    if verb.lower() == "ground" and rest.strip():
        part = _part(rest, found)
        return Said(f"{part} stands still", lambda hints: replace(hints, ground=part))
    if verb.lower() == "moves" and rest.strip():
        # By numbers: a name may have the commas and words in it that part a line.
        return said(f"joint {', '.join(f'#{number}' for number in _held_by(_part(rest, found), found))}", found, axes)
    match = _LINE.fullmatch(words)
    if match is None:
        raise InputError(f"{words or 'nothing'} says nothing here. {EXAMPLES}")
    only, kind, names, about = match.groups()
    parts = [_part(name, found) for name in _split(names, found)]
    if len(dict.fromkeys(parts)) != len(parts) or len(parts) < 2 or (len(parts) > 2 and kind.lower() != "fixed"):
        raise InputError(f"{kind.lower()} takes two different parts, with a comma between them: {kind.lower()} A, B.")
    if about is not None and kind.lower() in ("fixed", "apart"):
        raise InputError(f"{kind.lower()} has no axis: leave out what follows about or along.")
    kind = kind.lower()

    def alike(pair: Pair) -> list[Pair]:
        # Only a hinge leaves the turn free by which an equal pair may differ; a slide that is turned goes another way.
        turning = next(iter(axes(*pair)), None) if kind in _TYPES and kind != "slide" else None
        return [pair] if only else spread(found.assembly, found.hints, pair, turning)

    pairs = [own for other in parts[1:] for own in alike((parts[0], other))]
    return _of_parts(kind, parts, pairs, None if about is None else _part(about, found), found)


def _of_parts(kind: str, parts: Sequence[str], pairs: Sequence[Pair], about: str | None, found: Recognition) -> Said:
    """What is said of two parts or more, `pairs` with all that are alike."""
    hint = "joint" if kind in _TYPES else kind
    if about is not None and about not in parts:
        pairs = [(parts[0], parts[1])]  # which part it is beside another pair is not known
    names = shortest(i.name for i in found.assembly.instances)
    verb = {"fixed": "are one body", "apart": "are apart"}.get(
        kind, f"have a {_TYPES.get(kind, '')} joint".replace("  ", " ")
    )
    more = len(pairs) - len(parts) + 1
    title = f"{' and '.join(names[p] for p in parts)} {verb}" + (f", and {count(more, 'pair')} alike" if more else "")
    at = None if about is None or about not in parts else parts.index(about)

    def after(hints: Hints) -> Hints:
        for pair in pairs:
            own = about if at is None else pair[at]
            told = Told(_TYPES.get(kind, ""), about=own or "") if hint == "joint" else None
            hints = hints.having(hint, [pair], told)
        return hints

    return Said(title, after)


def _held_by(part: str, found: Recognition) -> tuple[int, int]:
    """The numbers of a part and of the one that holds it. InputError where it is not held, or by several."""
    names = shortest(i.name for i in found.assembly.instances)
    body = next(body for body in found.bodies if part in body.instances)
    bonds = [b for b in body.bonds if b.to is not None and part in (b.instance, b.to)]
    bonds = [b for b in bonds if not found.fasteners & {b.instance, b.to}]
    # A part may rest on several, but turns on that with which it shares an axis.
    holding = [b for b in bonds if b.line is not None] or bonds
    number = {name: k for k, name in names_by_number(found).items()}
    others = [other for b in holding for other in (b.instance, b.to) if other is not None and other != part]
    if len(others) == 1:
        return number[part], number[others[0]]
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
