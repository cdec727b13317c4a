"""What holds two bodies to each other, and what it leaves free: the verdict on a pair.

The rules, in the order in which they are tried; all numbers are of the geometry as it stands:

1. A ball in a socket leaves three turns (spherical); two sockets a turn about the line through their centres.
2. A rounded corner that fits that of the other, with the faces beside it, holds fast: an edge cut to fit.
   Two lines that are not one hold fast, but two guide rods (both long in their bores, nothing across them) slide.
3. One line: a flat or a key off the axis, both ways, stops the turn (fixed with a shoulder, else sliding along).
   A shaft three times as long in its bore as it is wide, that ends at the bottom of it, slides (prismatic).
   Without shoulder, a rod of a telescope, a piston, or one guided over three times its width and much longer than
   that, slides and turns (cylindrical). All else turns (revolute): a plain pin is seldom meant to slide.
   A hole that meets another turns where faces or the rounded end of a link lie about it (its eye); else it is a bolt's.
4. Planes alone: walls on both sides, long in one direction, and a floor make a slide along it, as do walls on four
   sides, and the two of a slot through a part. A plane alone rests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.recognition.contacts import Contact, common_face, parallel
from cadbridge.recognition.walls import Verdict, Wall, faces_along, fit_text, in_mm, plane_text

TELESCOPE = 3.0
"""Guided length beside the diameter from which a shaft that ends in its bore is a plunger.

54 machines: 2.67 | 3.08. Tests: 2.5 | 3 (`test_links`).
"""

GUIDED = 2.0
"""Guided length beside the diameter from which a shaft without shoulder slides too: the rule of guides (2 d).

Parts of exactly 2 d stand on either side in 54 machines, so that a designer's rule is all that it rests on. Tests:
1.75 | 2 (`test_motors`).
"""

LONG_ROD = 2.4
"""Length of a rod beside that of its bore, from which it is made to slide and not only to turn.

54 machines: 1.7 | 2.58. Tests: 2.33 | 2.5 (`test_links`, `test_recognise`).
"""

STANDS_OUT_OF_BORE = 1.5
"""Length of a rod beside what of it is in its bore, from which it is no dowel. 54 machines have 1.0 and less.

Tests: 2.5 (`test_recognise`).
"""

PISTON_STROKE = 3.0
"""Length of a bore beside that of a shaft which stands in it with all of its length, from which that is a piston.

54 machines: 2.5 | 5.45. Tests: 2.63 | 10 (`test_links`).
"""

SHALLOW = 0.08
"""Guided length beside the diameter below which a shaft in a bore centres and guides nothing.

54 machines: 0.056 | 0.147. Tests: 0.025 | 0.091 (`test_links`).
"""

NOT_FLUSH = 1.05
"""Length of a shaft or its bore beside what guides, from which the two do not end together.

54 machines: 1.02 | 1.06.
"""

LINES = ("shaft", "cone", "holes", "eyes", "through", "bolt")
"""Kinds of contact that share a line."""
EMBRACES = 0.6 * math.pi
"""rad that a bore and its shaft go round at least, to hold one in the other across their axis.

54 machines: 1.57 (a quarter turn, as corners have) | 1.94. Tests: 1.57 | 4.8 (`test_links`).
"""

AWAY_FROM_AXIS = 1.5
"""Distance of a shoulder from an axis beside the radius of a disc of its area, above which it does not lie about it.

54 machines: 1.47 | 1.77. Tests: 0.93 | 2.0 (`test_knuckles`, `test_fasteners`).
"""

CLAMPED = 6.0
"""Radius of a disc of the area in contact beside that of the one bolt through it, from which the bolt clamps.

A hinge of two plates on a bolt lies below. 54 machines: 1.6 | 8.5. Tests: 3.9 | 7.5 (`test_fasteners`).
"""

BESIDE_AXIS = 0.7
"""Share of a face's normal that is square to an axis, from which the face can stop a turn about it: within 45°."""

HOLES_MEET = "a bore that goes on in the other"
"""Evidence of a line that two holes share."""


@dataclass(frozen=True, eq=False)
class Guide:
    """A line that two bodies share, of their contacts: `length` m over which it guides, `radius` of the thinnest."""

    point: Vector
    direction: Vector
    length: float
    radius: float
    contacts: tuple[Contact, ...]

    @property
    def cones(self) -> bool:
        """Whether a cone sits in a cone on it."""
        return any(c.kind == "cone" for c in self.contacts)

    @property
    def holes_only(self) -> bool:
        """Whether it is but a hole that goes on in another."""
        return all(c.kind in ("holes", "eyes", "through", "bolt") for c in self.contacts)


def guides_of(contacts: Sequence[Contact], slack: float) -> list[Guide]:
    """The lines that contacts share, the longest guided first. A bore that holds no shaft in its place is none."""
    groups: list[list[Contact]] = []
    for c in sorted((c for c in contacts if c.kind in LINES), key=lambda c: -c.radius):
        for group in groups:
            if _one_line(group[0], c, slack):
                group.append(c)
                break
        else:
            groups.append([c])
    found = []
    for group in (group for group in groups if _holds(group)):
        # Holes that meet guide over no length, but a line of them alone has a place too.
        weight = np.array([max(c.overlap, 1e-9) for c in group])
        point = np.average([c.point for c in group], axis=0, weights=weight)
        length = sum(c.overlap for c in group if c.kind in ("shaft", "cone"))
        found.append(Guide(point, group[0].direction, length, min(c.radius for c in group), tuple(group)))
    return sorted(found, key=lambda g: -g.length)


def _holds(contacts: Sequence[Contact]) -> bool:
    """Whether bores go round their shafts far enough to hold them across: the fitted edge of a plate does not."""
    sides = ([c.a.surface for c in contacts], [c.b.surface for c in contacts])
    turns = (sum(s.turn for s in {id(s): s for s in side}.values()) for side in sides)
    return any(c.kind != "shaft" for c in contacts) or min(turns) >= EMBRACES


def _one_line(a: Contact, b: Contact, slack: float) -> bool:
    off = cross_length(b.point - a.point, a.direction)
    return parallel(a.direction, b.direction) and off <= 3 * slack + 0.02 * min(a.radius, b.radius)


def _stubby(guide: Guide) -> bool:
    """Whether the shafts themselves are shorter than wide: collars and not rods."""
    return all(c.a.surface.length < 2 * c.radius for c in guide.contacts if c.kind == "shaft")


def _slides_and_turns(guide: Guide, slender: float) -> bool:
    """Whether a rod without shoulder is made to slide: a telescope's, or long in its bore and much longer than it."""
    shafts = [c for c in guide.contacts if c.kind == "shaft"]
    if any(telescope(c) or _piston(c) for c in shafts):
        return True
    longest = max((c.a.surface.length for c in shafts), default=0.0)
    return slender >= TELESCOPE and longest >= LONG_ROD * guide.length


def telescope(c: Contact) -> bool:
    """Whether a long shaft and a long bore stand in each other by their ends: each goes on where the other ends."""
    shaft, bore = c.a, c.b
    long = min(shaft.surface.length, bore.surface.length)
    ahead = (shaft.high - bore.high) * (shaft.low - bore.low)
    return long >= GUIDED * 2 * c.radius and ahead > 0.0 and long >= NOT_FLUSH * c.overlap


def _piston(c: Contact) -> bool:
    """Whether a shaft stands between the ends of a bore that is three times as long: at its mouth it is a spigot."""
    room = min(c.a.low - c.b.low, c.b.high - c.a.high)
    return c.b.surface.length >= PISTON_STROKE * c.overlap and room > (NOT_FLUSH - 1) * c.b.surface.length


def on_one_line(guide: Guide, planes: Sequence[Wall], links: bool) -> Verdict:
    """What is left free by contacts on one line, with the faces beside it; `links`: a model of links alone."""
    axis, point = guide.direction, guide.point
    shoulders = [p for p in planes if faces_along(p, axis)]
    evidence = [_guide_text(guide), *(plane_text(p) for p in shoulders[:3])]
    slender = guide.length / (2 * guide.radius)
    shallow = not guide.holes_only and not guide.cones and slender < SHALLOW
    seat = "too short beside its width to guide: a seat"
    if _stops_turn(guide, planes):
        stop = "flat faces beside the axis stop the turn both ways"
        # Where each part stands for a body, a flat beside a shaft is a stop or the face of a neighbour, and no key.
        if shoulders and links and not guide.holes_only:
            return Verdict("revolute", point, axis, tuple(evidence), (stop,), 0.4)
        evidence.append(stop)
        if shoulders:
            return Verdict("fixed", point, None, tuple(evidence), (), 0.8)
        if shallow:
            return Verdict("rest", point, axis, (*evidence, seat), (), 0.5)
        return Verdict("prismatic", point, axis, tuple(evidence), (), 0.6)
    if not links and guide.holes_only and _bolted(guide):
        return _one_bolt(guide, shoulders, evidence)
    # One bolt alone would not hold a link: what two links share is their pivot.
    pivot = links or _eyes(guide) or _through(guide) or _centred(guide, shoulders)
    if guide.holes_only and not pivot:
        text = "one hole that meets another, beside the faces that lie on each other: a bolt's, not a pivot's"
        return Verdict("rest", point, axis, (*evidence, text), (), 0.6)
    if shallow and _stubby(guide):
        return Verdict("rest", point, axis, (*evidence, seat), (), 0.5)
    if not shoulders and not guide.cones:
        if not guide.holes_only and _slides_and_turns(guide, slender):
            return Verdict("cylindrical", point, axis, tuple(evidence), ("nothing stops it along the axis",), 0.6)
        doubt = ("nothing holds it along the axis",)
        return Verdict("revolute", point, axis, tuple(evidence), doubt, 0.6, unheld=True)
    ways = {float(p.normal @ axis) > 0 for p in shoulders}
    if slender >= TELESCOPE and not guide.cones and len(ways) == 1 and _bottoms(guide, shoulders):
        text = f"the shaft is guided over {slender:.1f} times its width and ends at the bottom of its bore"
        doubt = ("a round shaft could turn as well",)
        return Verdict("prismatic", point, axis, (*evidence, text), doubt, 0.55, could_turn=True)
    against = ("no shaft in the bores",) if guide.holes_only and not _through(guide) else ()
    # Held both ways along its axis is how a pivot is designed; with one shoulder it may as well be pressed in.
    confidence = 0.5 if against else 0.85 if len(ways) > 1 else 0.75
    return Verdict("revolute", point, axis, tuple(evidence), against, confidence)


def _bolted(guide: Guide) -> bool:
    return any(c.kind == "bolt" for c in guide.contacts)


def _one_bolt(guide: Guide, shoulders: Sequence[Wall], evidence: Sequence[str]) -> Verdict:
    """One bolt through two parts is the axis of a pivot, unless faces that reach far about it clamp them."""
    area = sum(p.area for p in shoulders)
    reach = math.sqrt(area / math.pi) / guide.radius
    if reach > CLAMPED:
        text = f"one bolt, and faces on each other that reach {reach:.2g} times its radius: clamped"
        return Verdict("fixed", guide.point, None, (*evidence, text), (), 0.6)
    if shoulders and not (_eyes(guide) or _centred(guide, shoulders)):
        return Verdict("rest", guide.point, guide.direction, (*evidence, "one bolt beside the faces"), (), 0.6)
    text = "one bolt alone holds no part from turning"
    return Verdict("revolute", guide.point, guide.direction, (*evidence, text), ("a bolt could clamp it",), 0.6)


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


def _eyes(guide: Guide) -> bool:
    return any(c.kind == "eyes" for c in guide.contacts)


def _through(guide: Guide) -> bool:
    return any(c.kind == "through" for c in guide.contacts)


def _bottoms(guide: Guide, shoulders: Sequence[Wall]) -> bool:
    """Whether the shoulder is the end of the shaft itself: no wider than the bore."""
    widest = 1.05 * math.pi * (guide.radius * 1.1) ** 2
    return all(min(p.contact.a.surface.area, p.contact.b.surface.area) <= widest for p in shoulders)


def _stops_turn(guide: Guide, planes: Sequence[Wall]) -> bool:
    """Whether faces beside the axis stop a turn about it both ways."""
    ways: set[bool] = set()
    for p in planes:
        radial = p.normal - (p.normal @ guide.direction) * guide.direction
        if float(np.linalg.norm(radial)) < BESIDE_AXIS:
            continue
        arm = np.cross(guide.direction, p.point - guide.point)
        torque, reach = float(arm @ p.normal), p.extent(np.cross(guide.direction, unit(radial))) / 2
        # Where the foot of the axis lies within the face, one half of it stops the turn one way, the other half the
        # other.
        if abs(torque) < 0.9 * reach:
            return True  # a flat: it stops both ways
        ways.add(torque > 0)
    return len(ways) == 2


def _guide_text(guide: Guide) -> str:
    shafts = [c for c in guide.contacts if c.kind in ("shaft", "cone")]
    if not shafts:
        apart = min((c.gap for c in guide.contacts if c.kind == "eyes"), default=0.0)
        bolt = any(c.kind == "bolt" for c in guide.contacts)
        what = "a pin through both" if _through(guide) else "a bolt through both" if bolt else HOLES_MEET
        what += f", {in_mm(apart)} apart" if apart > 1e-6 else ""
        return f"{what}, radius {in_mm(guide.radius)}"
    first = max(shafts, key=lambda c: c.overlap)
    where = "bore" if first.kind == "shaft" else "cone"
    many = f" in {len(shafts)} {where}s" if len(shafts) > 1 else f" in a {where}"
    return f"shaft of radius {in_mm(first.radius)}{many}, {in_mm(guide.length)} long, {fit_text(first.gap)}"
