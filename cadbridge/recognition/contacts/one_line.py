"""What contacts on one line leave free, with the faces beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.recognition.contacts.contacts import ROUNDING, common_face
from cadbridge.recognition.contacts.guides import TELESCOPE, Guide, piston, telescope
from cadbridge.recognition.contacts.walls import Verdict, Wall, faces_along, fit_text, in_mm, plane_text

LONG_ROD = 2.4
"""Length of a rod beside that of its bore, from which it is made to slide and not only to turn. 54 machines: 1.7 |
2.58. Tests: 2.33 | 2.5 (`test_links`, `test_recognise`)."""

SHALLOW = 0.08
"""Guided length beside the diameter below which a shaft in a bore centres and guides nothing. 54 machines: 0.056 |
0.147. Tests: 0.025 | 0.091 (`test_links`)."""

AWAY_FROM_AXIS = 1.5
"""Distance of a shoulder from an axis beside the radius of a disc of its area, above which it does not lie about it. 54
machines: 1.47 | 1.77. Tests: 0.93 | 2.0 (`test_knuckles`, `test_fasteners`)."""

CLAMPED = 6.0
"""Radius of a disc of the area in contact beside that of the one bolt through it, from which the bolt clamps. A hinge
of two plates on a bolt lies below. 54 machines: 1.6 | 8.5. Tests: 3.9 | 7.5 (`test_fasteners`)."""

WIDE_END = 1.13
"""Radius of the bottom of a bore beside that of the shaft that ends there, at most: a drill's point, a chamfer."""

WITHIN_FACE = 0.9
"""Of half of a face: how far the foot of an axis may be off its middle for the face to stop a turn both ways."""

BESIDE_AXIS = 0.7
"""Share of a face's normal that is square to an axis, from which the face can stop a turn about it: within 45°."""

STOPPED = "flat faces beside the axis stop the turn both ways"
"""What speaks against a hinge of links with a flat beside it."""

SEAT = "too short beside its width to guide: a seat"
"""What speaks for a shaft that only centres."""

CUT_IN = 0.12
"""Of a shaft's radius: by how much its bore is narrower, from which its thread is cut there. ISO 261's coarse threads
have a tap hole narrower by 0.15 (M10) to 0.22 (M1.6); a press fit has 0.003. 86 machines: 0.102 (turns) | 0.125."""

OF_A_SCREW = 4.0
"""Length of a thread beside what of it is in its tap hole, above which it is a lead screw's. A choice."""

NOTHING_ALONG = "nothing holds it along the axis"
"""What speaks against a hinge that could slide too."""

SHARED = {"through": "a pin through both", "bolt": "a bolt through both"}
"""What makes two holes on one line a line that holds."""


def _stubby(guide: Guide) -> bool:
    """Whether the shafts themselves are shorter than wide: collars and not rods."""
    return all(c.a.surface.length < 2 * c.radius for c in guide.contacts if c.kind == "shaft")


def _slides_and_turns(guide: Guide, slender: float) -> bool:
    """Whether a rod without shoulder is made to slide: a telescope's, or long in its bore and much longer than it."""
    shafts = [c for c in guide.contacts if c.kind == "shaft"]
    if any(telescope(c) or piston(c) for c in shafts):
        return True
    longest = max((c.a.surface.length for c in shafts), default=0.0)
    return slender >= TELESCOPE and longest >= LONG_ROD * guide.length


def _cut_in(guide: Guide) -> bool:
    """Whether a shaft stands in a bore that is a tap hole for it: drawn plain, its thread reaches into the wall."""
    return any(
        c.kind == "shaft" and c.gap <= -CUT_IN * c.radius and c.a.surface.length <= OF_A_SCREW * c.overlap
        for c in guide.contacts
    )


def on_one_line(guide: Guide, planes: Sequence[Wall], links: bool) -> Verdict:
    """What is left free by contacts on one line, with the faces beside it; `links`: a model of links alone."""
    axis, point = guide.direction, guide.point
    shoulders = [p for p in planes if faces_along(p, axis)]
    evidence = [_guide_text(guide), *(plane_text(p) for p in shoulders[:3])]
    slender = guide.length / (2 * guide.radius)
    shallow = not guide.holes_only and not guide.has("cone") and slender < SHALLOW
    if _cut_in(guide):
        return Verdict("fixed", point, None, (*evidence, "the bore is a tap hole: a thread cut in"), (), 0.8)
    if _stops_turn(guide, planes):
        return _stopped(guide, shoulders, links, evidence, shallow)
    if not links and guide.holes_only and guide.has("bolt"):
        return _one_bolt(guide, shoulders, evidence)
    # One bolt alone would not hold a link: what two links share is their pivot.
    pivot = (
        (links and not _held_beside(guide, shoulders))
        or guide.has("eyes")
        or guide.has("through")
        or _centred(guide, shoulders)
    )
    if guide.holes_only and not pivot:
        text = "one hole that meets another, beside the faces that lie on each other: a bolt's, not a pivot's"
        return Verdict("rest", point, axis, (*evidence, text), (), 0.6)
    if shallow and _stubby(guide):
        return Verdict("rest", point, axis, (*evidence, SEAT), (), 0.5)
    if not shoulders and not guide.has("cone"):
        if not guide.holes_only and _slides_and_turns(guide, slender):
            return Verdict("cylindrical", point, axis, tuple(evidence), ("nothing stops it along the axis",), 0.6)
        return Verdict("revolute", point, axis, tuple(evidence), (NOTHING_ALONG,), 0.6)
    ways = {float(p.normal @ axis) > 0 for p in shoulders}
    if slender >= TELESCOPE and not guide.has("cone") and len(ways) == 1 and _bottoms(guide, shoulders):
        text = f"the shaft is guided over {slender:.1f} times its width and ends at the bottom of its bore"
        doubt = ("a round shaft could turn as well",)
        return Verdict("prismatic", point, axis, (*evidence, text), doubt, 0.55, could_turn=True)
    against = ("no shaft in the bores",) if guide.holes_only and not guide.has("through") else ()
    # Held both ways along its axis is how a pivot is designed; with one shoulder it may as well be pressed in.
    confidence = 0.5 if against else 0.85 if len(ways) > 1 else 0.75
    return Verdict("revolute", point, axis, tuple(evidence), against, confidence)


def _stopped(guide: Guide, shoulders: Sequence[Wall], links: bool, evidence: Sequence[str], shallow: bool) -> Verdict:
    """What is left free where flats stop the turn: a slide, unless a shoulder stops that too, or nothing guides it."""
    axis, point = guide.direction, guide.point
    # Where each part stands for a body, a flat beside a shaft is a stop or the face of a neighbour, and no key.
    fork = {float(p.normal @ axis) > 0 for p in shoulders} == {True, False}
    if shoulders and links and (fork or not guide.holes_only):
        return Verdict("revolute", point, axis, tuple(evidence), (STOPPED,), 0.4)
    if shoulders:
        return Verdict("fixed", point, None, (*evidence, STOPPED), (), 0.8)
    if shallow:
        return Verdict("rest", point, axis, (*evidence, STOPPED, SEAT), (), 0.5)
    if guide.holes_only:
        # Along a bolt nothing slides: it is tightened.
        return Verdict("fixed", point, None, (*evidence, STOPPED), (), 0.6)
    return Verdict("prismatic", point, axis, (*evidence, STOPPED), (), 0.6)


def _one_bolt(guide: Guide, shoulders: Sequence[Wall], evidence: Sequence[str]) -> Verdict:
    """One bolt through two parts is the axis of a pivot, unless faces that reach far about it clamp them."""
    area = sum(p.area for p in shoulders)
    reach = math.sqrt(area / math.pi) / guide.radius
    if reach > CLAMPED:
        text = f"one bolt, and faces on each other that reach {reach:.2g} times its radius: clamped"
        return Verdict("fixed", guide.point, None, (*evidence, text), (), 0.6)
    if shoulders and not (guide.has("eyes") or _centred(guide, shoulders)):
        return Verdict("rest", guide.point, guide.direction, (*evidence, "one bolt beside the faces"), (), 0.6)
    text = "one bolt alone holds no part from turning"
    return Verdict("revolute", guide.point, guide.direction, (*evidence, text), ("a bolt could clamp it",), 0.6)


def _held_beside(guide: Guide, shoulders: Sequence[Wall]) -> bool:
    """Whether holes alone are in line, and other parts of the two bodies lie on each other beside them: a bracket."""
    holes = {c.pair for c in guide.contacts}
    others = any(p.contact.pair not in holes for p in shoulders)
    return guide.holes_only and others and not _centred(guide, shoulders)


def _centred(guide: Guide, shoulders: Sequence[Wall]) -> bool:
    """Whether faces across an axis lie about it and not beside it."""
    if not shoulders:
        return False

    def off(point: Vector) -> float:
        return cross_length(point - guide.point, guide.direction)

    area, middle = common_face([p.contact for p in shoulders])
    # The two tabs of a servo lie on both sides of its shaft, and about nothing.
    about = all(off(p.point) <= AWAY_FROM_AXIS * math.sqrt(p.area / math.pi) for p in shoulders)
    return about and off(middle) <= 0.5 * math.sqrt(area / math.pi)


def _bottoms(guide: Guide, shoulders: Sequence[Wall]) -> bool:
    """Whether the shoulder is the end of the shaft itself: no wider than the bore."""
    widest = math.pi * (WIDE_END * guide.radius) ** 2
    return all(min(p.contact.a.surface.area, p.contact.b.surface.area) <= widest for p in shoulders)


def _stops_turn(guide: Guide, planes: Sequence[Wall]) -> bool:
    """Whether faces beside the axis stop a turn about it both ways."""
    ways: set[bool] = set()
    for p in planes:
        radial = p.normal - (p.normal @ guide.direction) * guide.direction
        if float(np.linalg.norm(radial)) < BESIDE_AXIS:
            continue
        arm = np.cross(guide.direction, p.point - guide.point)
        torque, reach = float(arm @ p.normal), p.common(np.cross(guide.direction, unit(radial))) / 2
        # Where the foot of the axis lies within the face, one half of it stops the turn one way, the other half the
        # other.
        if abs(torque) < WITHIN_FACE * reach:
            return True  # a flat: it stops both ways
        ways.add(torque > 0)
    return len(ways) == 2


def _guide_text(guide: Guide) -> str:
    shafts = [c for c in guide.contacts if c.kind in ("shaft", "cone")]
    if not shafts:
        bearing = next((c.by for c in guide.contacts if c.kind == "eyes" and c.by), None)
        if bearing:
            return f"the seat of a {bearing} bearing about an axle, radius {in_mm(guide.radius)}"
        apart = min((c.gap for c in guide.contacts if c.kind == "eyes"), default=0.0)
        what = next((text for kind, text in SHARED.items() if guide.has(kind)), "a bore that goes on in the other")
        what += f", {in_mm(apart)} apart" if apart > ROUNDING else ""
        return f"{what}, radius {in_mm(guide.radius)}"
    first = max(shafts, key=lambda c: c.overlap)
    where = "bore" if first.kind == "shaft" else "cone"
    many = f" in {len(shafts)} {where}s" if len(shafts) > 1 else f" in a {where}"
    return f"shaft of radius {in_mm(first.radius)}{many}, {in_mm(guide.length)} long, {fit_text(first.gap)}"
