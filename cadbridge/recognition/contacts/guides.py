"""Lines that hold two bodies to each other, and what such holds leave free: the verdict on a pair.

The rules, in the order in which they are tried; all numbers are of the geometry as it stands:

1. A ball in a socket leaves three turns (spherical); two sockets a turn about the line through their centres.
2. A rounded corner that fits that of the other, with the faces beside it, holds fast: an edge cut to fit.
   Two lines that are not one hold fast, but two guide rods (both long in their bores, nothing across them) slide.
3. One line: a bore that is a tap hole for the shaft holds fast. A flat or a key off the axis, both ways, stops the turn
   (fixed with a shoulder, else sliding along).
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

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, Contact, parallel

TELESCOPE = 3.0
"""Guided length beside the diameter from which a shaft that ends in its bore is a plunger. 54 machines: 2.67 | 3.08.
Tests: 2.5 | 3 (`test_links`)."""

GUIDED = 2.0
"""Guided length beside the diameter from which a shaft without shoulder slides too: the rule of guides (2 d). Parts of
exactly 2 d stand on either side in 54 machines, so that a designer's rule is all that it rests on. Tests: 1.75 | 2
(`test_motors`)."""

STANDS_OUT_OF_BORE = 1.5
"""Length of a rod beside what of it is in its bore, from which it is no dowel. 54 machines have 1.0 and less. Tests:
2.5 (`test_recognise`)."""

PISTON_STROKE = 3.0
"""Length of a bore beside that of a shaft which stands in it with all of its length, from which that is a piston. 54
machines: 2.5 | 5.45. Tests: 2.63 | 10 (`test_links`)."""

NOT_FLUSH = 1.05
"""Length of a shaft or its bore beside what guides, from which the two do not end together. 54 machines: 1.02 |
1.06."""

LINES = ("shaft", "cone", "holes", "eyes", "through", "bolt")
"""Kinds of contact that share a line."""
NO_LENGTH = 1e-9
"""m that count for what guides over none: nothing beside a shaft, but a line of holes alone has a place too."""

EMBRACES = 0.6 * math.pi
"""rad that a bore and its shaft go round at least, to hold one in the other across their axis. 54 machines: 1.57 (a
quarter turn, as corners have) | 1.94. Tests: 1.57 | 4.8 (`test_links`)."""


@dataclass(frozen=True, eq=False)
class Guide:
    """A line that two bodies share, of their contacts: `length` m over which it guides, `radius` of the thinnest."""

    point: Vector
    direction: Vector
    length: float
    radius: float
    contacts: tuple[Contact, ...]

    def has(self, kind: str) -> bool:
        """Whether a contact of a kind lies on it."""
        return any(c.kind == kind for c in self.contacts)

    @property
    def holes_only(self) -> bool:
        """Whether it is but a hole that goes on in another."""
        return not (self.has("shaft") or self.has("cone"))


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
        weight = np.array([max(c.overlap, NO_LENGTH) for c in group])
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
    return parallel(a.direction, b.direction) and off <= 3 * slack + ON_AXIS * min(a.radius, b.radius)


def telescope(c: Contact) -> bool:
    """Whether a long shaft and a long bore stand in each other by their ends: each goes on where the other ends."""
    shaft, bore = c.a, c.b
    long = min(shaft.surface.length, bore.surface.length)
    ahead = (shaft.high - bore.high) * (shaft.low - bore.low)
    return long >= GUIDED * 2 * c.radius and ahead > 0.0 and long >= NOT_FLUSH * c.overlap


def piston(c: Contact) -> bool:
    """Whether a shaft stands between the ends of a bore that is three times as long: at its mouth it is a spigot."""
    room = min(c.a.low - c.b.low, c.b.high - c.a.high)
    return c.b.surface.length >= PISTON_STROKE * c.overlap and room > (NOT_FLUSH - 1) * c.b.surface.length


def slides(shaft: Contact) -> bool:
    """Whether a shaft is guided well in a bore and stands out of it far, or is a telescope's: a rod, and no dowel."""
    guided = shaft.overlap >= GUIDED * 2 * shaft.radius
    return telescope(shaft) or (guided and shaft.a.surface.length >= STANDS_OUT_OF_BORE * shaft.overlap)
