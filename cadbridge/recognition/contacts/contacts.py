"""Where surfaces of two instances meet: shafts in bores, planes on planes, cones, spheres, balls in grooves.

Found by what the surfaces have in common (a line, a plane, a centre), never by pairs of faces: surfaces are gathered
on lines and planes by a k-d tree, and swept along the line or across the plane there. All in the world frame W, m.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cadbridge.frames import Pose, Vector, cross_length
from cadbridge.recognition.faces.surfaces import Surface

ALIGNED = 0.02
"""Sine of the angle (1.1°) up to which two directions are parallel, cosine up to which they are square. 54 machines:
0.0175 (1.0°, in poses that were never solved) | 0.0222."""

ROUNDING = 1e-6
"""m by which lengths that are meant to be equal differ: writers round each to 1e-7, and placements add some up."""

ONE_LINE = 1e-4
"""m by which axes that were found in two ways may lie beside each other to be one: clearances of pins are larger. A
choice: a second axis stands a radius away."""

ON_AXIS = 0.02
"""Of a radius: how far what lies about an axis may be off it, or end beside where it should. A choice: what is drawn
for one axis or end is off by rounding, the next is a wall away."""

FACETED = 1.001
"""How much longer a length may be than it should, where outlines are polygons: chords of 5° miss so much of a
circle."""

ALONG = 0.98
"""Cosine from which an axis is rather along a plane's normal than askew to it: within 11°. A choice: for what lies
along, across or oblique, as most parts have it."""

EXACT_SLACK = 1e-5
"""m within which lines and planes of an assembly with exact placements are one. Between what writers round (seven
digits: 1e-7 of a metre, added up over a chain of placements) and the least clearance that a designer draws (0.01 mm a
side). Values of any size stand on either side of it where placements are not exact; then `touching` takes
LOOSE_SLACK."""


def parallel(u: Vector, v: Vector) -> bool:
    """Whether two directions are parallel, either way."""
    return cross_length(u, v) < ALIGNED


def square(u: Vector, v: Vector) -> bool:
    """Whether two directions are square to each other."""
    return abs(float(u @ v)) < ALIGNED


@dataclass(frozen=True, eq=False)
class Placed:
    """A surface of an instance as it stands: `point` and `direction` in W; `low`, `high` along its `Line`."""

    instance: str
    X_WI: Pose
    surface: Surface
    point: Vector
    direction: Vector
    low: float = 0.0
    high: float = 0.0

    @property
    def middle(self) -> Vector:
        """The middle of a round face on its axis, in W; a point of a plane."""
        return self.X_WI.point(self.surface.middle)

    def beside(self, other: Placed) -> float:
        """How far two faces lie beside each other along their line, m; negative where they stand apart."""
        return min(self.high, other.high) - max(self.low, other.low)


@dataclass(frozen=True, eq=False)
class Line:
    """A line in W on which round surfaces lie: `low` and `high` of its members count from `point`."""

    point: Vector
    direction: Vector
    members: tuple[Placed, ...]

    def of(self, names: Container[str]) -> list[Placed]:
        """The faces of some instances."""
        return [m for m in self.members if m.instance in names]

    def middle(self, names: Container[str]) -> Vector:
        """The point amid the faces of some instances."""
        spots = [m.low + m.high for m in self.of(names)]
        return self.point + sum(spots) / (2 * len(spots)) * self.direction

    def amid(self, a: Placed, b: Placed) -> Vector:
        """The point amid what two faces have beside each other, or the room between them."""
        return self.point + 0.5 * (max(a.low, b.low) + min(a.high, b.high)) * self.direction


@dataclass(frozen=True, eq=False)
class Contact:
    """Two surfaces that meet. `a` holds the shaft, the ball or the inner cone where there is one.

    `kind`: shaft, plane, cone, sphere or ball; through (a pin, `by`, in bores of both), bolt (a screw, `by`, that holds
    both), holes (that meet) or eyes (of one radius, `gap` apart along their line; or the seat of a bearing `by` that is
    not drawn, and its axle or the hole for it).
    `gap` m between the surfaces, negative where they interfere; `offset` m
    between their axes or centres; `overlap` m along an axis, m² of planes. `direction` of planes points out of a.
    """

    kind: str
    a: Placed
    b: Placed
    point: Vector
    direction: Vector
    gap: float
    offset: float
    overlap: float
    radius: float = 0.0
    by: str | None = None

    @cached_property
    def pair(self) -> tuple[str, str]:
        """The two instances, in alphabetical order."""
        first, second = sorted((self.a.instance, self.b.instance))
        return first, second


@dataclass(frozen=True, eq=False)
class Contacts:
    """All contacts, the lines they were found on, and the slack (m) between axes that were meant to be one."""

    found: tuple[Contact, ...]
    lines: tuple[Line, ...]
    slack: float
    by_pair: dict[tuple[str, str], list[Contact]] = field(default_factory=dict)

    @cached_property
    def lines_of(self) -> dict[str, list[Line]]:
        """The lines on which each instance has round faces."""
        found: dict[str, list[Line]] = defaultdict(list)
        for line in self.lines:
            for name in dict.fromkeys(m.instance for m in line.members):
                found[name].append(line)
        return found

    def lines_on(self, names: Iterable[str]) -> list[Line]:
        """The lines on which some instances have round faces, each once."""
        return list({id(line): line for name in names for line in self.lines_of.get(name, ())}.values())

    @cached_property
    def by_both(self) -> dict[str, dict[str, list[Contact]]]:
        """The contacts by one instance and the other."""
        found: dict[str, dict[str, list[Contact]]] = defaultdict(lambda: defaultdict(list))
        for c in self.found:
            a, b = c.pair
            found[a][b].append(c)
            found[b][a].append(c)
        return found

    def between(self, first: Collection[str], second: Collection[str]) -> list[Contact]:
        """The contacts of instances of two groups that have none in common."""
        few, many = sorted((first, second), key=len)
        return [c for name in sorted(few) for c in self.of.get(name, ()) if any(other in many for other in c.pair)]

    @cached_property
    def of(self) -> dict[str, list[Contact]]:
        """The contacts of each instance that has any."""
        found: dict[str, list[Contact]] = defaultdict(list)
        for c in self.found:
            for name in c.pair:
                found[name].append(c)
        return found


def common_face(contacts: Sequence[Contact]) -> tuple[float, Vector]:
    """What planes in contact have in common, m², and the middle of it in W."""
    area = sum(c.overlap for c in contacts)
    return area, sum((c.overlap * c.point for c in contacts), np.zeros(3)) / area


_MEDIUM, _LEAST_PLAY, _WIDEST_PLAY, _WIDE_BORE = 0.12, 1e-4, 5e-4, 0.01
"""Gap of ISO 273's medium holes as a share of the radius (M3, M4), m at least and (M10) at most, but for wide bores."""

_THREAD_DEPTH, _DEEPEST_PRESS = 0.2, 2e-3
"""Depth of a thread as a share of the radius at most, ISO's coarse ones take 0.15 to 0.2, and in m."""


def clearance(radius: float) -> float:
    """The radial gap (m) up to which a shaft of a bore of this radius is taken to be guided: clearance holes pass."""
    return min(max(_MEDIUM * radius, _LEAST_PLAY), max(_WIDEST_PLAY, _WIDE_BORE * radius))


def interference(radius: float) -> float:
    """The radial depth (m) up to which a shaft is pressed or cut into a bore: modelled threads pass."""
    return min(_THREAD_DEPTH * radius, _DEEPEST_PRESS)


def without(known: Contacts, names: Container[str]) -> Contacts:
    """The contacts and lines but for those of some instances."""
    by_pair = {pair: found for pair, found in known.by_pair.items() if not any(name in names for name in pair)}
    found = tuple(c for c in known.found if c.pair in by_pair)
    left = (replace(line, members=tuple(m for m in line.members if m.instance not in names)) for line in known.lines)
    lines = tuple(line for line in left if len({m.instance for m in line.members}) > 1)
    return Contacts(found, lines, known.slack, by_pair)
