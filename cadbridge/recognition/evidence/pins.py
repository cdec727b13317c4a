"""Lines that two parts share by way of a third, or by holes that meet: pins, screws, bolt holes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import (
    EXACT_SLACK,
    ROUNDING,
    Contact,
    Contacts,
    Line,
    Placed,
    clearance,
    parallel,
)
from cadbridge.recognition.evidence.bearing_seats import bearing_seats
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.standard.names import StandardKind

SAME_SCREW = 1.7
"""Radii of holes that belong to one screw, one beside the other: a clearance hole beside a thread's core has 1.4. 54
machines: 1.69 | 1.96. Tests: 1.5 | 2.7 (`test_knuckles`, `test_turntables`)."""

HOLE_TURN = 0.9 * math.pi
"""rad that a hole goes round at least: a slit or a flat leaves a hole one, a groove is none. A choice, with no gap in
what is seen: 54 machines have 2.81 | 2.84. Tests: 2.28 (`test_links`)."""

MOST_AT_END = 8
"""Holes that begin where another ends, of which each is tried, for time alone: 54 machines have 3."""

ROUNDED = 0.6 * math.pi
"""rad that a round end goes about its axis at least: that of a link which widens, more than the corner of a plate. Of
eyes of links, shafts, necks and bores alike. A choice: fillets of any angle are seen (1.87 | 1.89), corners of plates
have 1.57. Tests: 1.57 (`test_links`)."""

EYES_APART = 2.0
"""How far apart eyes of one hinge are drawn at most, beside the width of the wider eye. 54 machines: 1.72 | 2.43.
Tests: 3.6 is no hinge (`test_links`)."""

EYE_SUNK = 0.5
"""How far an eye is drawn into what it turns on at most, beside the thinner of the two. A choice: 54 machines have
0.499 | 0.55. Tests: 0.33 | 0.57 (`test_motors`, `test_fasteners`)."""

FAR_PIN = 3.0
"""Gap between two holes beside the length of a pin that fills one of them, from which they have nothing to do with each
other: the hubs of two wheels across a vehicle. A choice. Tests: 1.1 | 4 (`test_halves`, `test_hubs`)."""

LOOSEST_HOLE = 2.5
"""Radius of a hole beside that of a shaft which stands in it loosely and yet was drawn to be on its axis. A choice."""


def with_shared_lines(scene: Scene, bolts: Sequence[Contact]) -> Contacts:
    """The contacts with `bolts`, what pairs share by a pin ("through"), and by holes that meet ("holes", "eyes")."""
    known = scene.contacts
    bores = _bores_of_shafts(known)
    near = (2 * (known.slack - EXACT_SLACK) if scene.links_only else 0.0) + ROUNDING
    parted = {pair for line in known.lines for pair in _parted(line)}
    added = [
        c
        for line in known.lines
        for c in (
            *_through(scene, line, bores),
            *_loosely(line, known),
            *(c for c in _eyes(line, near, math.inf if not scene.bolted else near) if frozenset(c.pair) not in parted),
            *bearing_seats(line),
        )
    ]
    added += _of_screws([c for line in known.lines for c in _meeting(line, known)])
    by_pair: dict[tuple[str, str], list[Contact]] = defaultdict(list)
    for contact in (*known.found, *bolts, *added):
        by_pair[contact.pair].append(contact)
    return Contacts((*known.found, *bolts, *added), known.lines, known.slack, dict(by_pair))


def is_pin(scene: Scene, instance: str) -> bool:
    """Whether an instance is a plain pin or a fastener with a shank."""
    standard = scene.standards.get(instance)
    if standard is not None and standard.kind in (StandardKind.SCREW, StandardKind.PIN, StandardKind.RIVET):
        return True
    revolution = scene.revolution(instance)
    return revolution is not None and revolution.is_pin


def _bores_of_shafts(known: Contacts) -> dict[tuple[str, int], set[tuple[str, int]]]:
    """Which bores (instance, surface) a shaft's surfaces stand in, by shaft (instance, line)."""
    found: dict[tuple[str, int], set[tuple[str, int]]] = defaultdict(set)
    for c in known.found:
        if c.kind == "shaft":
            found[c.a.instance, id(c.a.surface)].add((c.b.instance, id(c.b.surface)))
    return found


def _through(scene: Scene, line: Line, bores: dict[tuple[str, int], set[tuple[str, int]]]) -> Iterator[Contact]:
    """Neighbours along a pin on the line."""
    hollow = {(m.instance, id(m.surface)): m for m in line.members if m.surface.hollow}
    hosts: dict[str, list[Placed]] = defaultdict(list)
    for m in line.members:
        if not m.surface.hollow and is_pin(scene, m.instance):
            inside = bores.get((m.instance, id(m.surface)), ())
            hosts[m.instance] += [hollow[key] for key in inside if key in hollow]
    for pin, held in hosts.items():
        held.sort(key=lambda m: m.low + m.high)
        # Neighbours alone: a pin through five plates holds them one after the other, and is no ten hinges.
        for a, b in pairwise(held):
            if a.instance != b.instance:
                yield _shared("through", line, a, b, pin)


def _meeting(line: Line, known: Contacts) -> Iterator[Contact]:
    """Holes of two parts that meet in the plane where the parts lie on each other."""
    hollow = sorted((m for m in line.members if _hole(m)), key=lambda m: (m.low, m.high))
    starts = np.array([m.low for m in hollow])
    near = 2 * known.slack + ROUNDING
    seen: set[tuple[str, str, float]] = set()
    for a in hollow:
        first, last = np.searchsorted(starts, [a.high - near, a.high + near])
        for b in hollow[first : min(last, first + MOST_AT_END)]:
            pair = (min(a.instance, b.instance), max(a.instance, b.instance))
            spot = (*pair, round(a.high / (10 * near)))
            if a.instance == b.instance or spot in seen:
                continue
            if not 1 / LOOSEST_HOLE <= a.surface.radius / b.surface.radius <= LOOSEST_HOLE:
                continue
            planes = [c for c in known.by_pair.get(pair, ()) if c.kind == "plane"]
            # With no faces on each other there, holes end at one height by chance.
            if any(parallel(c.direction, line.direction) for c in planes):
                seen.add(spot)
                yield _shared("holes", line, a, b, None)


def _of_screws(meeting: Sequence[Contact]) -> list[Contact]:
    """Of holes that meet those that may be for one screw: much unlike, where a pattern of the same radii says so."""
    patterns: dict[tuple[str, str, float, float], list[Contact]] = defaultdict(list)
    for c in meeting:
        patterns[(*c.pair, round(c.a.surface.radius, 6), round(c.b.surface.radius, 6))].append(c)

    def fits(c: Contact, own: Sequence[Contact]) -> bool:
        unlike = max(c.a.surface.radius, c.b.surface.radius) / min(c.a.surface.radius, c.b.surface.radius)
        beside = (
            cross_length(o.point - c.point, c.direction) > c.radius and parallel(o.direction, c.direction) for o in own
        )
        return unlike <= SAME_SCREW or any(beside)

    return [c for own in patterns.values() for c in own if fits(c, own)]


def _hole(m: Placed) -> bool:
    """Whether a surface goes round enough to be a hole, and no fillet."""
    return m.surface.hollow and m.surface.turn >= HOLE_TURN


def _loosely(line: Line, known: Contacts) -> Iterator[Contact]:
    """A shaft in a much wider hole on the same line, of parts that lie on each other across it: drawn to be coaxial."""
    shafts: dict[str, list[Placed]] = defaultdict(list)
    for m in line.members:
        if not m.surface.hollow and m.surface.kind == "cylinder":
            shafts[m.instance].append(m)
    for hole in (m for m in line.members if _hole(m) and m.surface.kind == "cylinder"):
        for other, touching in known.by_both.get(hole.instance, {}).items():
            if not any(c.kind == "plane" and parallel(c.direction, line.direction) for c in touching):
                continue
            for shaft in shafts.get(other, ()):
                gap = hole.surface.radius - shaft.surface.radius
                loose = clearance(hole.surface.radius) < gap <= (1 - 1 / LOOSEST_HOLE) * hole.surface.radius
                if loose and shaft.beside(hole) > 0.0:
                    yield _shared("holes", line, shaft, hole, None)


def _parted(line: Line) -> Iterator[frozenset[str]]:
    """Parts between whose holes, next to each other along a line, a shaft of another stands: no pin goes through both.

    They are two wheels of a vehicle, each on its motor, or links side by side on studs of their own.
    """
    rounds = [m for m in line.members if m.surface.turn >= HOLE_TURN and m.surface.kind == "cylinder"]
    ends = [m for m in line.members if not m.surface.hollow and m.surface.turn >= ROUNDED]
    for a, b in pairwise(sorted((m for m in rounds if m.surface.hollow), key=lambda m: m.low + m.high)):
        pair = frozenset((a.instance, b.instance))
        if any(m.instance not in pair and max(m.low, a.high) < min(m.high, b.low) for m in ends):
            yield pair


def _eyes(line: Line, near: float, most: float) -> Iterator[Contact]:
    """Holes of one radius, next to each other along a line, of which one at least has a rounded end about it: eyes.

    That is drawn for a pivot whose pin is not; links are often drawn beside each other, with room for a washer. So is a
    shaft that ends where a bore of its radius begins. `most`: how far apart eyes are at most, m: who draws bolts draws
    that of a pivot.
    """
    rounds = sorted(
        (m for m in line.members if m.surface.turn >= HOLE_TURN and m.surface.kind == "cylinder"),
        key=lambda m: m.low + m.high,
    )
    holes = [m for m in rounds if m.surface.hollow]
    ends = [m for m in line.members if not m.surface.hollow and m.surface.turn >= ROUNDED]
    for a, b in pairwise(holes):
        gap = b.low - a.high
        widths = [w for m in (a, b) if (w := _rounded(m, ends)) > 0.0]
        deep = math.inf if len(widths) == 2 else EYE_SUNK * min(a.surface.length, b.surface.length)
        meet = widths and -deep - ROUNDING <= gap <= min(most, EYES_APART * 2 * max(widths))
        # Where a pin is drawn in both, or fills one and ends far before the other, that says what turns on it.
        others = [m for m in ends if m.instance not in (a.instance, b.instance)]
        told = any(
            _holds(m, a, b) or (_fills(m, a) != _fills(m, b) and gap > FAR_PIN * (m.high - m.low)) for m in others
        )
        if meet and _alike(a, b) and not told:
            yield _shared("eyes", line, a, b, None, gap)
    shafts = [m for m in rounds if not m.surface.hollow]
    for hole in holes:
        for shaft in shafts:
            if min(abs(shaft.low - hole.high), abs(shaft.high - hole.low)) <= near and _alike(shaft, hole):
                yield _shared("eyes", line, shaft, hole, None)


def _alike(a: Placed, b: Placed) -> bool:
    """Whether round faces of two parts have one radius, but for a fit."""
    small, large = sorted((a.surface.radius, b.surface.radius))
    return a.instance != b.instance and large - small <= clearance(large)


def _holds(shaft: Placed, a: Placed, b: Placed) -> bool:
    """Whether a shaft stands in two holes one above the other."""
    return (
        shaft.surface.radius <= min(a.surface.radius, b.surface.radius) and shaft.low <= a.high and shaft.high >= b.low
    )


def _fills(shaft: Placed, hole: Placed) -> bool:
    """Whether a shaft that fits a hole stands in it."""
    room = hole.surface.radius - shaft.surface.radius
    return abs(room) <= clearance(hole.surface.radius) and shaft.beside(hole) > 0.0


def _rounded(hole: Placed, ends: Sequence[Placed]) -> float:
    """The radius of the rounded end about a hole of the same part, 0 where there is none."""
    own = (m for m in ends if m.instance == hole.instance)
    return max((m.surface.radius for m in own if m.beside(hole) > 0.0), default=0.0)


def _shared(kind: str, line: Line, a: Placed, b: Placed, pin: str | None, gap: float = 0.0) -> Contact:
    offset = cross_length(b.point - a.point, line.direction)
    radius = min(a.surface.radius, b.surface.radius)
    return Contact(kind, a, b, line.amid(a, b), line.direction, gap, offset, 0.0, radius, pin)
