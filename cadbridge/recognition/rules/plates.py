"""Two plates of one cage or arm whose spacers are not drawn: the same bodies turn on both, about holes in line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations

from cadbridge.freedoms import HINGE
from cadbridge.recognition.contacts.contacts import ON_AXIS, Line, parallel
from cadbridge.recognition.evidence.candidates import Candidate, Jointed, one_axis
from cadbridge.recognition.evidence.pins import HOLE_TURN

IN_LINE = 4
"""Lines of holes that two plates of one body have in common at least. Equal levers side by side, as fingers have them,
have those of their pivots in line, and may be two bodies. A choice. Machines: 3 (two bell cranks) | 5 (a cage)."""


def bind_plates(now: Jointed) -> None:
    """Bind bodies on both of which the same two turn, where holes of theirs are in line: nothing moves between them."""
    for (a, b), hinges in sorted(_pairs(now).items()):
        if all(one_axis(now.scene, hinges[0], other) for other in hinges[1:]):
            continue
        found = _holes_in_line(now, a, b, hinges[0])
        if len(found) >= IN_LINE:
            text = f"the same bodies turn on both, and holes are in line on {len(found)} lines"
            now.scene.bind(*found[0], text, 0.7)


def _pairs(now: Jointed) -> dict[tuple[str, str], list[Candidate]]:
    """The pairs of bodies on which a third turns about one axis, with its hinge on the first."""
    found: dict[tuple[str, str], list[Candidate]] = defaultdict(list)
    for body, joints in now.of.items():
        hinges = sorted((j for j in joints if j.verdict.free == HINGE), key=lambda j: j.other(body))
        for one, other in combinations(hinges, 2):
            if one.other(body) != other.other(body) and one_axis(now.scene, one, other):
                found[one.other(body), other.other(body)].append(one)
    return found


def _holes_in_line(now: Jointed, a: str, b: str, joint: Candidate) -> list[tuple[str, str]]:
    """Two instances of two bodies for each line along a joint's axis on which these have holes of one radius apart."""
    first, second, axis = now.members[a], now.members[b], joint.verdict.axis
    lines = now.scene.contacts.lines_on(first)
    return [
        pairs[0] for line in lines
        if axis is not None and parallel(line.direction, axis) and (pairs := _apart(line, first, second))
    ]  # fmt: skip


def _apart(line: Line, first: Sequence[str], second: Sequence[str]) -> list[tuple[str, str]]:
    """The instances of two bodies with holes of one radius on a line that stand apart."""
    ours, theirs = (
        [m for m in line.of(own) if m.surface.hollow and m.surface.turn >= HOLE_TURN] for own in (first, second)
    )
    return [
        (m.instance, n.instance) for m in ours for n in theirs
        if abs(m.surface.radius / n.surface.radius - 1) <= ON_AXIS and m.beside(n) < 0.0
    ]  # fmt: skip
