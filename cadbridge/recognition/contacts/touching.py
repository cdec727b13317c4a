"""All contacts of an assembly, found by the lines, planes and centres that surfaces share."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import (
    EXACT_SLACK,
    ON_AXIS,
    ROUNDING,
    Contact,
    Contacts,
    Line,
    Placed,
    clearance,
    interference,
)
from cadbridge.recognition.contacts.planes import (
    MOST_ASKEW,
    ONE_DIRECTION,
    SIDE,
    TILT,
    chained,
    gathered,
    plane_contacts,
)
from cadbridge.recognition.contacts.spheres import sphere_contacts
from cadbridge.recognition.faces.parts import PartFaces

LOOSE_SLACK = 4.5e-4
"""m within which they are where placements carry clearances: two of 0.2 mm each, and what writers round. Tests: 0.4 |
0.5 mm (`test_pivots`, `test_links`)."""

NOISY = 1.5
"""Fits at the loose tolerance beside those at the exact one, from which placements carry clearances. A choice: 54
machines have 1.41 | 1.50. Tests: 1.33 (`test_links`)."""

ENOUGH_AXES = 30
"""Axes in bores that tell how large the clearances of placements are: of fewer the 95 % quantile is the largest."""

MOST, BEYOND_MOST = 0.95, 1.5
"""The share of axes in bores by which the clearances are told, and how much larger others may be. A choice."""

FULL_TURN = 0.97 * 2 * math.pi
"""rad that a shaft and its bore go round at least, to fill each other: all but a keyway. 54 machines: 6.04 | 6.18."""

UNSOLVED_OFF = 0.01
"""Of the radius: how far a shaft that fills its bore stands beside the axis in a pose that was not solved. 54 machines
have 0.07 and more, which are others. Tests: 0.005 | 0.03 (`test_links`)."""

WIDER_CUP = 0.2
"""rad by which a conical cup is wider than the point that turns in it, at most (half angles). A choice. Tests: 0.087 |
0.26 (`test_links`)."""

SAME_CONE = 5e-3
"""rad (0.3°) between the half angles of a cone and its seat, at most. A choice."""

LEAST_CONE = 5e-3
"""rad: half angle of a cone at least, to seat in another: a slimmer one goes 200 times as far in as it has a gap."""


def find_contacts(assembly: Assembly, faces: dict[str, PartFaces]) -> Contacts:
    """All contacts between instances as they stand. The slack of the placements is found first."""
    placed = _placed(assembly, faces)
    rounds = [p for p in placed if p.surface.kind in ("cylinder", "cone")]
    # Feet of axes are taken about the middle: far from it, as the world's origin may be, the rounding of their
    # directions would part what is in line.
    centre = np.mean([p.point for p in placed], axis=0) if placed else np.zeros(3)
    exact = _lines(rounds, centre, EXACT_SLACK)
    loose = _lines(rounds, centre, LOOSE_SLACK)
    on_exact, on_loose = list(_on_lines(exact, EXACT_SLACK)), list(_on_lines(loose, LOOSE_SLACK))
    flats = [p for p in placed if p.surface.kind == "plane"]
    # Where no shaft stands in a bore, faces on each other show how exact the placements are.
    on_planes = (plane_contacts(flats, centre, slack) for slack in (EXACT_SLACK, LOOSE_SLACK))
    compared = (on_exact, on_loose) if on_loose else on_planes
    fits = [len({c.pair for c in found}) for found in compared]
    noisy = fits[1] > fits[0] and fits[1] >= NOISY * fits[0]
    slack, lines, found = (_spread(on_loose), loose, on_loose) if noisy else (EXACT_SLACK, exact, on_exact)
    if not noisy:
        pairs = {c.pair for c in on_exact}
        found += [c for c in on_loose if c.pair not in pairs and _snug(c)]
    found += plane_contacts(flats, centre, slack)
    found += sphere_contacts(placed, slack)
    by_pair: dict[tuple[str, str], list[Contact]] = defaultdict(list)
    for contact in found:
        by_pair[contact.pair].append(contact)
    return Contacts(tuple(found), tuple(lines), slack, dict(by_pair))


def _snug(c: Contact) -> bool:
    """Whether a shaft fills a bore to the last micron, though its axis runs beside: nothing else stands there so."""
    whole = min(c.a.surface.turn, c.b.surface.turn) > FULL_TURN
    return whole and abs(c.gap) < ROUNDING and c.offset <= UNSOLVED_OFF * c.radius and c.overlap >= c.radius


def _spread(found: Sequence[Contact]) -> float:
    """How far axes that were meant to be one are apart where placements carry clearances; LOOSE_SLACK if few tell."""
    offsets = [c.offset for c in found]
    if len(offsets) < ENOUGH_AXES:
        return LOOSE_SLACK
    return min(LOOSE_SLACK, BEYOND_MOST * float(np.quantile(offsets, MOST)) + EXACT_SLACK)


def _placed(assembly: Assembly, faces: dict[str, PartFaces]) -> list[Placed]:
    found = []
    for instance in assembly.instances:
        shape = assembly.part(instance.part).shape
        known = None if shape is None else faces.get(shape.key)
        if known is None or not known.surfaces:
            continue
        points = instance.X_WI.point(np.array([s.point for s in known.surfaces]))
        directions = instance.X_WI.vector(np.array([s.direction for s in known.surfaces]))
        found += [
            Placed(instance.name, instance.X_WI, s, point, direction)
            for s, point, direction in zip(known.surfaces, points, directions, strict=True)
        ]
    return found


def _lines(rounds: Sequence[Placed], centre: Vector, slack: float) -> list[Line]:
    """The lines on which round surfaces of two instances at least lie."""
    if not rounds:
        return []
    # The middles of faces: the point of an axis may be anywhere on it.
    middles = [p.point + 0.5 * (p.surface.low + p.surface.high) * p.direction for p in rounds]
    points = np.array(middles) - centre
    directions = np.array([p.direction for p in rounds])
    directions = directions * np.where(directions @ SIDE < 0, -1.0, 1.0)[:, None]
    lines = []
    for group in _in_line(points, directions, slack):
        members = [rounds[i] for i in group]
        if len({p.instance for p in members}) < 2:
            continue
        # The longest face knows the direction best: the line is to hold over all of its members.
        longest = max(group, key=lambda i: rounds[i].surface.length)
        axis, middle = directions[longest], points[group].mean(axis=0)
        foot = points[longest] - (points[longest] - middle) @ axis * axis + centre
        lines.append(Line(foot, axis, tuple(_along(p, foot, axis) for p in members)))
    return lines


def _in_line(points: NDArray[np.float64], directions: NDArray[np.float64], slack: float) -> Iterator[NDArray[np.int64]]:
    """Rows of axes, by the middles of their faces and their directions (n, 3), that are one line.

    Axes of one direction by their feet about one point, which is quick. Where the two of a hinge are askew, though,
    these part by that times the distance of the point: a joint would go with each part that is added far away. Such
    are compared pair by pair, about the middle between the two.
    """
    feet = points - np.sum(points * directions, axis=1)[:, None] * directions
    one = np.empty(len(points), np.int64)
    for k, group in enumerate(gathered(np.hstack([directions * (slack / TILT), feet]), slack)):
        one[group] = k
    farthest = float(np.max(np.linalg.norm(points, axis=1)))
    roomy = slack + TILT * farthest
    for group in gathered(np.hstack([directions * (roomy / TILT), feet]), roomy):
        alike = float(np.ptp(directions[group], axis=0).max()) * farthest < ONE_DIRECTION * slack
        if alike or len(group) > MOST_ASKEW:
            yield from (group[one[group] == k] for k in np.unique(one[group]))
        else:
            yield from (group[rows] for rows in _pair_by_pair(points[group], directions[group], slack))


def _pair_by_pair(
    points: NDArray[np.float64], directions: NDArray[np.float64], slack: float
) -> list[NDArray[np.int64]]:
    """Rows of axes chained where two are in line about the middle between them."""
    links = []
    for k, (point, direction) in enumerate(zip(points, directions, strict=True)):
        half = (points[k:] - point) / 2
        # The foot of either about the middle between both.
        ends = half - np.sum(half * directions[k:], axis=1)[:, None] * directions[k:]
        apart = half + ends - (half @ direction)[:, None] * direction
        tilted = np.abs(directions[k:] - direction) / TILT * slack
        links.append(k + np.flatnonzero(np.maximum(np.abs(apart), tilted).max(axis=1) <= slack))
    starts = np.repeat(np.arange(len(links)), [len(link) for link in links])
    return chained(len(points), np.column_stack([starts, np.concatenate(links)]))


def _along(p: Placed, foot: Vector, axis: Vector) -> Placed:
    at, sign = float((p.point - foot) @ axis), 1.0 if p.direction @ axis > 0 else -1.0
    low, high = sorted((at + sign * p.surface.low, at + sign * p.surface.high))
    return Placed(p.instance, p.X_WI, p.surface, p.point, p.direction, low, high)


def _on_lines(lines: Sequence[Line], slack: float) -> Iterator[Contact]:
    for line in lines:
        inner = sorted((m for m in line.members if not m.surface.hollow), key=lambda m: m.low)
        starts = np.array([m.low for m in inner])
        longest = max((m.high - m.low for m in inner), default=0.0)
        for outer in (m for m in line.members if m.surface.hollow):
            # What begins before the bore ends, and not so early that it ends before the bore begins.
            first, last = np.searchsorted(starts, [outer.low - longest, outer.high])
            for shaft in inner[first:last]:
                contact = _fit(line, shaft, outer, slack)
                if contact is not None:
                    yield contact


def _fit(line: Line, shaft: Placed, bore: Placed, slack: float) -> Contact | None:
    """The contact of a shaft (or inner cone) with a bore on one line; None where they do not meet."""
    s, b = shaft.surface, bore.surface
    low, high = max(shaft.low, bore.low), min(shaft.high, bore.high)
    # What ends where the bore begins stands before it, and not in it.
    inside = high - low > max(slack, ON_AXIS * min(s.radius, b.radius))
    if shaft.instance == bore.instance or s.kind != b.kind or not inside:
        return None
    middle = line.point + (low + high) / 2 * line.direction
    offset = cross_length(bore.point - shaft.point, line.direction)
    if s.kind == "cylinder":
        gap = b.radius - s.radius
        if not -interference(b.radius) - slack <= gap <= clearance(b.radius) + slack:
            return None
        return Contact("shaft", shaft, bore, middle, line.direction, gap, offset, high - low, s.radius)
    radii = [_radius_at(p, middle) for p in (shaft, bore)]
    if (
        not _seats(_widening(shaft, line), _widening(bore, line))
        or abs(radii[1] - radii[0]) > clearance(radii[1]) + slack
        or abs(s.second) < LEAST_CONE
    ):
        return None
    return Contact("cone", shaft, bore, middle, line.direction, radii[1] - radii[0], offset, high - low, radii[0])


def _radius_at(p: Placed, point: Vector) -> float:
    return p.surface.radius + math.tan(p.surface.second) * float((point - p.point) @ p.direction)


def _seats(point: float, cup: float) -> bool:
    """Whether a cone of a half angle (rad) sits in another: of its angle, or as a centre's point in a wider cup."""
    return abs(cup - point) <= SAME_CONE or (cup * point > 0.0 and 0.0 < abs(cup) - abs(point) <= WIDER_CUP)


def _widening(p: Placed, line: Line) -> float:
    return p.surface.second * (1.0 if p.direction @ line.direction > 0 else -1.0)
