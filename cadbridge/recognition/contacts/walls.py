"""What planes leave free of each other: a slide between walls, a bar in its hole, or mere support."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.freedoms import FIXED, Free
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.contacts.contacts import ALONG, ROUNDING, Contact, Placed, parallel, square

LONG_WALL = 2.0
"""How much longer than deep walls of a slide are. 54 machines: 2.0 | 2.11, so a choice. Tests: 0.27 | 4.7
(`test_links`, `test_likewise`)."""

DEEP_HOLE = 0.8
"""Length of a slide's walls beside the width between them, from which what stands there slides: shorter it would jam,
and is a seat's. 54 machines: 0.53 | 1. Tests: 0.27 | 1 (`test_links`, `test_slides`)."""

MOST_WALLS = 40
"""Faces between two bodies that are tried as walls of a slide, for time alone: pairs grow with the square."""

LONG_RAIL = 2.0
"""Length of a rail beside that of what slides on it, at least. 54 machines: 1.57 | 2.39. Tests: 1.43
(`test_likewise`)."""

ASKEW = 0.2
"""rad (11°) from which two walls are not parallel. A choice."""

SAME_LEVEL = 1e-3
"""Step between two faces beside the width of the smaller, and rad between them, up to which they are one wall. 54
machines: 7e-8 | 0.029."""


class Witness(StrEnum):
    """What shows a joint: of joints by some of these more were right than of others (`choice.calibration`)."""

    DRIVE = "what a drive turns"
    BOLT = "one bolt"
    RODS = "guide rods"
    BALL = "a ball in its socket"
    SHAFT = "a shaft in its bore"
    HOLES = "holes in line"
    OTHER = "anything else"


@dataclass(frozen=True, eq=False)
class Verdict:
    """What contacts leave free: fixed, revolute, prismatic, cylindrical, spherical, screw or rest (mere support)."""

    type: str
    point: Vector
    axis: Vector | None
    evidence: tuple[str, ...]
    against: tuple[str, ...] = ()
    confidence: float = 0.5
    pitch: float | None = None
    """Of a screw: the advance of one turn, m, positive of a right-hand thread."""
    could_turn: bool = False
    """Of a slide: whether its faces would let it turn as well."""
    witness: Witness = Witness.OTHER

    @property
    def free(self) -> Free:
        """What a joint of this type leaves free about and along its axis."""
        return LEAVES.get(self.type, FIXED)


@dataclass(frozen=True, eq=False)
class Wall:
    """Planes in contact, with the normal out of body a."""

    contact: Contact
    normal: Vector
    more: tuple[Contact, ...] = ()
    """Contacts in the same plane: a wall that a slot or a stem interrupts."""

    @property
    def point(self) -> Vector:
        """The middle of what they have in common."""
        return self.contact.point

    @property
    def area(self) -> float:
        """What they have in common, m²."""
        return self.contact.overlap + sum(c.overlap for c in self.more)

    def side(self, of_a: bool) -> Placed:
        """The face of body a, or of the other: the normal points out of a, whichever a contact names first."""
        return self.contact.a if (float(self.contact.direction @ self.normal) > 0) is of_a else self.contact.b

    def extent(self, direction: Vector) -> float:
        """The extent of the smaller of the two sides along a direction, m."""
        return min((high - low for low, high in self._ends(direction)), default=0.0)

    def common(self, direction: Vector) -> float:
        """The extent of what the two sides have in common along a direction, m: each may go on beyond the other."""
        lows, highs = zip(*self._ends(direction), strict=True)
        return max(0.0, float(min(highs)) - float(max(lows)))

    def _ends(self, direction: Vector) -> list[tuple[float, float]]:
        """Where each of the two sides begins and ends along a direction in W, m; 0 where its outline is not known."""
        ends: tuple[list[float], list[float]] = ([], [])
        for c in (self.contact, *self.more):
            # The normal points out of one body: it tells the two sides apart, whichever a contact names first.
            sides = (c.a, c.b) if float(c.direction @ self.normal) > 0 else (c.b, c.a)
            for k, side in enumerate(sides):
                if side.surface.loops:
                    along = side.X_WI.point(np.concatenate(side.surface.loops)) @ direction
                    ends[k].extend((float(along.min()), float(along.max())))
        return [(min(own), max(own)) if own else (0.0, 0.0) for own in ends]


def faces_along(wall: Wall, axis: Vector) -> bool:
    """Whether a wall stands across an axis: its normal is along it, either way."""
    return abs(float(wall.normal @ axis)) > ALONG


def extent_of(p: Placed, direction: Vector) -> float:
    """How far (m) a face reaches along a direction in W; 0 where its outline is not known."""
    loops = p.surface.loops
    return float(np.ptp(np.concatenate(loops) @ p.X_WI.R.T @ direction)) if loops else 0.0


def between_walls(planes: Sequence[Wall]) -> Verdict:
    """Planes alone: a slide between walls, or mere support."""
    planes = _in_one_plane(planes)
    biggest = max(planes, key=lambda p: p.area)
    if (bar := _channel(planes)) is not None:
        return bar
    for i, p in enumerate(planes[:MOST_WALLS]):
        for q in planes[i + 1 : MOST_WALLS]:
            if float(p.normal @ q.normal) < -ALONG and (found := _slide(p, q, planes) or _slot(p, q, planes)):
                return found
    return Verdict("rest", biggest.point, biggest.normal, (plane_text(biggest),), (), 0.5)


def _in_one_plane(planes: Sequence[Wall]) -> list[Wall]:
    """Walls, those in one plane and looking one way as one: a slot or a stem may interrupt a wall."""
    found: list[Wall] = []
    for p in planes:
        for k, q in enumerate(found):
            if float(p.normal @ q.normal) > 1 - SAME_LEVEL**2 and _step(p, q) <= SAME_LEVEL:
                found[k] = replace(q, more=(*q.more, p.contact))
                break
        else:
            found.append(p)
    return found


def _step(p: Wall, q: Wall) -> float:
    """How far one wall stands before another, beside the width of the smaller."""
    return abs(float((p.point - q.point) @ q.normal)) / math.sqrt(max(min(p.area, q.area), ROUNDING**2))


def _channel(planes: Sequence[Wall]) -> Verdict | None:
    """Walls all round, and nothing across them: a bar in its hole, a T-slot, a hook about its rail."""
    first = planes[0].normal
    others = [p.normal for p in planes if cross_length(p.normal, first) > ASKEW]
    if not others:
        return None
    along = unit(np.cross(first, others[0]))
    # Oblique walls fix a foot to its socket more often than they guide it, and those of a hexagon turn with its hub.
    upright = all(square(p.normal, first) or parallel(p.normal, first) for p in planes)
    if not upright or not all(square(p.normal, along) for p in planes):
        return None
    # What half of all directions leave open is no hold: walls on three sides hold no drawer.
    if widest_gap([p.normal for p in planes], along) > math.pi - ASKEW:
        return None
    points = np.array([p.point for p in planes])
    long, wide = min(p.extent(along) for p in planes), min(float(np.ptp(points @ p.normal)) for p in planes)
    if long < DEEP_HOLE * wide:
        return None
    text = f"walls all round, {in_mm(long)} long, and nothing across them"
    return Verdict("prismatic", points.mean(axis=0), along, (text,), (), 0.6)


def widest_gap(normals: Sequence[Vector], along: Vector) -> float:
    """The widest angle (rad) about a way that normals square to it leave open: above pi they hold nothing."""
    first = normals[0]
    across = np.cross(along, first)
    ways = np.sort([math.atan2(float(n @ across), float(n @ first)) for n in normals])
    return float(np.diff(np.append(ways, ways[0] + 2 * math.pi)).max())


def _slide(p: Wall, q: Wall, planes: Sequence[Wall]) -> Verdict | None:
    """A slide between the walls p and q on a floor, where the walls are long and nothing stops it both ways."""
    width = abs(float((p.point - q.point) @ p.normal))
    for floor in planes:
        if not square(floor.normal, p.normal):
            continue
        along = unit(np.cross(p.normal, floor.normal))
        long, deep = (min(w.extent(d) for w in (p, q)) for d in (along, floor.normal))
        stops = {float(c.normal @ along) > 0 for c in planes if faces_along(c, along)}
        if long >= max(LONG_WALL * deep, DEEP_HOLE * width) and len(stops) < 2:
            text = f"walls {in_mm(long)} long and {in_mm(deep)} deep on both sides of a floor"
            against = ("a face across it stops one way",) if stops else ()
            # A stop speaks of a seat: of 86 machines 3 of 8 such are slides, and all 21 others.
            return Verdict("prismatic", floor.point, along, (text,), against, 0.45 if stops else 0.55)
    return None


def _slot(p: Wall, q: Wall, planes: Sequence[Wall]) -> Verdict | None:
    """A slide in a slot through a part: two walls and no floor, along the walls of what encloses the other.

    What is shorter than the slot is wide would jam in it, and what stands between two parts holds those apart: a strut.
    """
    width = float((p.point - q.point) @ p.normal)
    inner, outer = (tuple(w.side((width > 0) is own) for w in (p, q)) for own in (True, False))
    one = outer[0].instance == outer[1].instance and all(side.surface.loops for side in outer)
    if not one or not all(faces_along(w, p.normal) for w in planes):
        return None
    along = longest_way(outer[0])
    across = np.cross(p.normal, along)
    stroke, deep = (min(extent_of(side, way) for side in outer) for way in (along, across))
    long = max(extent_of(side, along) for side in inner)
    if long < DEEP_HOLE * abs(width) or stroke < LONG_WALL * max(long, deep):
        return None
    text = f"between two walls of a slot, {in_mm(stroke)} long and {in_mm(deep)} deep, with no floor"
    return Verdict("prismatic", (p.point + q.point) / 2, along, (text,), ("nothing holds it across the slot",), 0.5)


def longest_way(p: Placed) -> Vector:
    """The direction in W along which a face with an outline is longest, by the main axes of its corners."""
    corners = np.concatenate(p.surface.loops)
    way: Vector = np.linalg.svd(corners - corners.mean(axis=0), full_matrices=False)[2][0]
    return p.X_WI.vector(way)


def plane_text(p: Wall) -> str:
    """Evidence of two faces on each other."""
    return f"faces on each other over {p.area * 1e6:.4g} mm²"


def fit_text(gap: float) -> str:
    """The radial gap (m) of a shaft in its bore in words."""
    if abs(gap) < ROUNDING:
        return "no gap"
    return f"gap {in_mm(gap)}" if gap > 0 else f"interference {in_mm(-gap)}"


def in_mm(length: float) -> str:
    """A length in m, in mm with four digits."""
    return f"{length * 1e3:.4g} mm"
