"""Round faces of two bodies on one line, or beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import (
    EXACT_SLACK,
    FACETED,
    ON_AXIS,
    ROUNDING,
    Contact,
    Line,
    Placed,
    clearance,
)
from cadbridge.recognition.evidence.pins import ROUNDED, SAME_SCREW
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside

CENTRED = 0.35
"""Of the radius of a disc of the area in contact: how far its middle may be off the axis. 54 machines: 0.321 | 0.361.
Tests: 0.15 | 0.40 (`test_links`, `test_motors`)."""

WIDEST_FIT = 2.0
"""Radius beside that of the other round face, of two that one stands in the other. 54 machines: 1.5 | 2.96. Tests: 2.7
is no fit (`test_links`)."""

CHAMFER = 0.1
"""Of a round face's radius: the chamfer or fillet between it and the plane where it ends. 54 machines: 0 | 0.33."""

SKEW = 0.2
"""rad (11°) between a shaft and its bore at most, in a pose that was never solved. A choice."""

LEAST_IN = 0.1
"""Of a bore's length: how far a shaft that stands beside its axis reaches into it, at least. A choice."""

DRUM = 0.03
"""Radius beside the part's size, above which a shaft or a bore that stands beside its fit is a hinge's. A choice, with
no gap in what is seen (0.0299 | 0.0303): holes for screws lie below, and the fit decides. Tests: 0.028
(`test_links`)."""

INCH = 0.01
"""Of a wheel's hub: how much wider its axle may be drawn. 16 mm for 5/8 of an inch is 0.008. A choice."""


def drums_of(scene: Scene, names: set[str], least: float = DRUM) -> Iterator[Placed]:
    """The cylinders of some instances that go round and are no small hole, with their middle as point.

    `least`: their radius beside the part's size.
    """
    for name in sorted(names):
        known, X = scene.faces_of(name), scene.pose(name)
        for s in () if known is None else known.of("cylinder"):
            if s.turn >= ROUNDED and known is not None and s.radius >= least * known.size:
                yield Placed(name, X, s, X.point(s.middle), X.vector(s.direction))


def stands_in(scene: Scene, shaft: Placed, bore: Placed, press: float = ROUNDING) -> bool:
    """Whether a shaft that fits a bore reaches into it, its axis along that of the bore and beside it.

    What stands beside the axis by less than the clearance is a boss in its hole, unless it is a disc: a turntable. The
    shaft may be wider than the bore by `press` (m, of the radius).
    """
    arm = shaft.point - bore.point
    along = abs(float(arm @ bore.direction))
    off = cross_length(arm, bore.direction)
    gap = bore.surface.radius - shaft.surface.radius
    reach = (shaft.surface.length + bore.surface.length) / 2 - along
    parallel = abs(float(shaft.direction @ bore.direction)) > math.cos(SKEW) and off <= CENTRED * bore.surface.radius
    if not (-press <= gap <= FACETED * clearance(bore.surface.radius) and parallel):
        return False
    if off > gap:
        return reach > LEAST_IN * bore.surface.length
    disc = round_outside(scene, shaft.instance, shaft.point, shaft.direction)
    return disc and reach > 0.5 * min(shaft.surface.length, bore.surface.length)


def wheels_beside(scene: Scene, first: set[str], second: set[str]) -> list[tuple[Placed, Placed]]:
    """Axles of one body in bores of the other about one axis, of which a wheel's hub is one: with shaft and bore.

    A wheel is one part that is round outside about it. Drawn by hand, it stands a little beside its axle.
    """
    drums = [(m, names is first) for names in (first, second) for m in drums_of(scene, names, 0.0)]
    hubs = [
        (m, of_first) for m, of_first in drums
        if len(first if of_first else second) == 1 and round_outside(scene, m.instance, m.point, m.direction)
    ]  # fmt: skip
    found = []
    for hub, of_first in hubs:
        for other in (m for m, side in drums if side != of_first and m.surface.hollow != hub.surface.hollow):
            shaft, bore = (other, hub) if hub.surface.hollow else (hub, other)
            if stands_in(scene, shaft, bore, INCH * bore.surface.radius):
                found.append((shaft, bore))
    if not found:
        return []
    first_bore = found[0][1]
    off = max(cross_length(bore.point - first_bore.point, first_bore.direction) for _, bore in found)
    return found if off <= CENTRED * first_bore.surface.radius else []


def in_line(m: Placed, n: Placed) -> bool:
    """Whether two round faces on one line lie beside each other along it and go far enough round."""
    small, large = sorted((m.surface.radius, n.surface.radius))
    rounded = min(m.surface.turn, n.surface.turn) >= ROUNDED
    return m.beside(n) > ON_AXIS * small and rounded and large < WIDEST_FIT * small


def may_be_bolted(sides: Sequence[Sequence[Placed]]) -> bool:
    """Whether holes of two bodies on one line may hold one bolt."""
    first, second = ([m.surface.radius for m in side if m.surface.hollow] for side in sides)
    return any(1 / SAME_SCREW <= a / b <= SAME_SCREW for a in first for b in second)


def ends_at(m: Placed, line: Line, contacts: Sequence[Contact]) -> bool:
    """Whether a round face reaches the plane of a contact, from one side or through it."""
    if m.surface.turn < ROUNDED:
        return False
    near = CHAMFER * m.surface.radius + EXACT_SLACK
    return any(m.low - near <= float((c.point - line.point) @ line.direction) <= m.high + near for c in contacts)
