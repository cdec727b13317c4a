"""The parts of an assembly with the numbers by which a person names them, and what each is held by."""

from __future__ import annotations

from collections.abc import Iterator

from cadbridge.recognition.model import Recognition
from cadbridge.recognition.part_names import shortest
from cadbridge.recognition.saying import names_by_number
from cadbridge.wording import count

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
