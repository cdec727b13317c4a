"""The verdict on two bodies by all of their contacts."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.recognition.contacts.contacts import (
    ALIGNED,
    ALONG,
    ONE_LINE,
    ROUNDING,
    Contact,
    Placed,
    parallel,
    square,
)
from cadbridge.recognition.contacts.guides import GUIDED, Guide, guides_of
from cadbridge.recognition.contacts.one_line import on_one_line
from cadbridge.recognition.contacts.walls import (
    ASKEW,
    MOST_WALLS,
    Verdict,
    Wall,
    Witness,
    between_walls,
    faces_along,
    fit_text,
    in_mm,
    widest_gap,
)

ON_ONE_ROD = 2.0
"""How far apart two bores stand on one rod beside the longer of them, from which each turns on the rod, and they do not
on each other. Six machines: 1.4 (a hinge) | 5.6 (collars, and a carriage with the end of its frame)."""

BORES_APART = 4.0
"""Distance along a rod between the bores of two bodies, beside its radius, from which it is no dowel of theirs. A
choice: a dowel joins what touches. 54 machines have none apart. Tests: 0 | 4.9 (`test_recognise`,
`test_lead_screws`)."""

GUIDE_ROD = 4.0
"""Length of a rod beside that of its bore (and half of it, beside the diameter), from which it is a guide rod however
short the bore is. 54 machines: 3.9 | 7.1. Tests: 3.75 | 4 (`test_recognise`, `test_turntables`)."""

LEAST_CUP = 2.0
"""sr of a socket at least, as a slotted ring of a rod end has; less is a dimple or a ball's cage. 81 machines: 0.951 |
2.97. Tests: 0.95 | 2.9 (`test_links`)."""

LEAST_FLANKS = 8
"""Directions of flanks on each other about a line, from which they are those of teeth and not of a polygon, in which a
bar may slide. A choice: seen once, 26 (the spline of a servo); a hexagon has three."""


def judge(contacts: Sequence[Contact], of_a: Collection[str], slack: float, links: bool = False) -> Verdict | None:
    """The verdict on two bodies with these contacts, `of_a` the instances of one; None where nothing holds.

    `links`: whether the model shows links alone, so that two parts are seldom one body.
    """
    balls = [c for c in contacts if c.kind == "sphere" and c.b.surface.turn > LEAST_CUP]
    guides = guides_of(contacts, slack)
    planes = [Wall(c, c.direction if c.a.instance in of_a else -c.direction) for c in contacts if c.kind == "plane"]
    # Where a line holds the two as well, a ball on it (a rounded tip, a detent) frees nothing more.
    if balls and not guides:
        return replace(_sockets(balls, slack), witness=Witness.BALL)
    # Before lines: the arc of a corner has one axis with that of the other, as a shaft has with its bore, and turns in
    # nothing.
    corner = _corner(contacts, planes)
    if corner is not None:
        # The profile of a rail has such corners, and goes on beyond what slides on it.
        return _rail(contacts, planes) or corner
    if len(guides) >= 2:
        return _many_lines(guides, planes)
    if guides and not _far_apart(guides[0]):
        return replace(on_one_line(guides[0], planes, links), witness=_witness(guides[0]))
    return (_splined(planes) or between_walls(planes)) if planes else None


def _rail(contacts: Sequence[Contact], planes: Sequence[Wall]) -> Verdict | None:
    """The slide between walls along rounded corners of which one side goes on beyond both ends of the other."""
    ways = [c.direction for c in contacts if c.kind == "shaft" and (goes_on(c.a, c.b) or goes_on(c.b, c.a))]
    slide = between_walls(planes) if ways else None
    if slide is None or slide.axis is None or slide.type != "prismatic":
        return None
    return slide if any(parallel(way, slide.axis) for way in ways) else None


def _corner(contacts: Sequence[Contact], planes: Sequence[Wall]) -> Verdict | None:
    """A rounded corner on that of the other, with the faces on both sides of it: an edge cut to fit, and welded."""
    for c in contacts:
        if c.kind != "shaft" or max(c.a.surface.turn, c.b.surface.turn) > math.pi:
            continue
        beside = [
            p.normal for p in planes if square(p.normal, c.direction)
            and abs(abs(float((p.point - c.point) @ p.normal)) - c.radius) <= ALIGNED * c.radius
        ]  # fmt: skip
        if any(abs(float(beside[0] @ n)) < ALONG for n in beside[1:]):
            text = f"a rounded corner of radius {in_mm(c.radius)} fits that of the other, and so do the faces beside it"
            return Verdict("fixed", c.point, None, (text,), (), 0.6)
    return None


def _splined(planes: Sequence[Wall]) -> Verdict | None:
    """The flanks of many teeth on those of the other, all round: a serrated shaft in its hub."""
    normals = np.array([p.normal for p in planes])
    if len(planes) < LEAST_FLANKS:
        return None
    first = normals[0]  # a flank, or a face across the teeth
    ways = [first, *(unit(np.cross(first, n)) for n in normals if cross_length(first, n) > ASKEW)]
    for along in ways[:MOST_WALLS]:
        lean = np.abs(normals @ along)
        if not ((lean < ALIGNED) | (lean > ALONG)).all():
            continue
        flanks = normals[lean < ALIGNED]
        if _directions(flanks) >= LEAST_FLANKS and widest_gap(list(flanks), along) < math.pi:
            text = f"flanks of teeth on each other, {_directions(flanks)} ways round"
            return Verdict("fixed", np.mean([p.point for p in planes], axis=0), None, (text,), (), 0.8)
    return None


def _directions(normals: NDArray[np.float64]) -> int:
    """How many directions normals (n, 3) have, either way."""
    found: list[Vector] = []
    for n in normals:
        if all(cross_length(n, other) > ALIGNED for other in found):
            found.append(n)
    return len(found)


def _sockets(balls: Sequence[Contact], slack: float) -> Verdict:
    first = balls[0]
    others = [b for b in balls if np.linalg.norm(b.point - first.point) > 10 * slack + ONE_LINE]
    text = f"ball of radius {in_mm(first.radius)} in a socket, {fit_text(first.gap)}"
    if not others:
        return Verdict("spherical", first.point, None, (text,), (), 0.8)
    axis = unit(others[0].point - first.point)
    if any(cross_length(o.point - first.point, axis) > 10 * slack for o in others):
        text = f"{len(balls)} balls in sockets that are not on one line"
        return Verdict("fixed", first.point, None, (text,), (), 0.8)
    return Verdict("revolute", first.point, axis, (f"two balls in sockets on one line; {text}",), (), 0.8)


def _witness(guide: Guide) -> Witness:
    """What shows a joint on a line: a shaft, a bolt, holes alone; a pin through both is seldom a hinge's."""
    if not guide.holes_only:
        return Witness.SHAFT
    if guide.has("bolt"):
        return Witness.BOLT
    return Witness.OTHER if guide.has("through") else Witness.HOLES


def _far_apart(guide: Guide) -> bool:
    """Whether a rod through both is all that a line is, and the two stand far from each other on it."""
    return all(
        c.kind == "through" and -c.a.beside(c.b) > ON_ONE_ROD * max(side.high - side.low for side in (c.a, c.b))
        for c in guide.contacts
    )


def _many_lines(guides: Sequence[Guide], planes: Sequence[Wall]) -> Verdict:
    first = guides[0]
    one_way = all(parallel(g.direction, first.direction) for g in guides)
    rods = [g for g in guides if _long_rod(g) or (not g.holes_only and g.length >= GUIDED * 2 * g.radius)]
    # With faces on each other across them, two rods are dowels that locate what a screw holds.
    if one_way and len(rods) >= 2 and not any(faces_along(p, first.direction) for p in planes):
        long = first.length > 0
        how = f"guided over {in_mm(first.length)} each" if long else "that stand in both apart from each other"
        text = f"{len(rods)} parallel rods {how}, nothing across them"
        return Verdict("prismatic", first.point, first.direction, (text,), (), 0.7, witness=Witness.RODS)
    what = "parallel" if one_way else "crossing"
    # Plates beside each other whose holes are in line, as the legs of a row have them: what touches nowhere holds
    # nothing.
    if not planes and all(c.kind == "eyes" and c.gap > ROUNDING for g in guides for c in g.contacts):
        text = f"holes in line on {len(guides)} {what} lines, and the two touch nowhere"
        return Verdict("rest", first.point, first.direction, (text,), (), 0.5)
    return Verdict("fixed", first.point, None, (f"{len(guides)} {what} lines hold the two",), (), 0.95)


def _long_rod(guide: Guide) -> bool:
    """Whether a rod goes with clearance through bores that are short beside it, or goes from one body to the other.

    A dowel or a bolt fills its bores, and the parts that it holds lie on each other. A rod that ends in a bore is set
    in there.
    """
    shafts = [c for c in guide.contacts if c.kind == "shaft"]
    if shafts:
        return all(
            c.gap >= 0.0
            and goes_on(c.a, c.b)
            and max(side.surface.length for side in (c.a, c.b)) >= max(GUIDE_ROD * c.overlap, 2 * GUIDE_ROD * c.radius)
            for c in shafts
        )
    through = [c for c in guide.contacts if c.kind == "through"]
    return bool(through) and all(-c.a.beside(c.b) > BORES_APART * c.radius for c in through)


def goes_on(rod: Placed, bore: Placed) -> bool:
    """Whether a rod goes on beyond both ends of a bore, by its radius at least: less is a chamfer or a circlip."""
    return rod.low < bore.low - rod.surface.radius and rod.high > bore.high + rod.surface.radius
