"""Slides whose walls grip behind what they run along, with play or not: a dovetail, a profile rail.

Walls that lean over hold a part to its rail in every direction but one, and cost more to make than straight ones: they
are made for what slides. A socket of six sides has walls all round as close to each other, and is none. Of 215
machines one has a slide that nothing else shows, a tensioner, and another three dovetails that hold parts of a frame.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.recognition.contacts.contacts import Contact, Placed, parallel, square
from cadbridge.recognition.contacts.planes import plane_contacts
from cadbridge.recognition.contacts.walls import (
    ASKEW,
    DEEP_HOLE,
    LONG_RAIL,
    Verdict,
    Wall,
    extent_of,
    faces_along,
    fit_text,
    in_mm,
    widest_gap,
)
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.faces.parts import PartFaces

PLAY = 1e-3
"""m between a wall and what runs along it, at most: what is printed has 0.2 to 0.4. A choice."""

SOCKET = math.radians(65.0)
"""rad: between the ways of neighbouring walls all round, up to which they are a socket of six sides or more."""


def undercut_slides(scene: Scene) -> list[Candidate]:
    """The slides between parts that are two bodies yet, which are kept apart."""
    found = []
    for (a, b), along in _gripping(scene):
        if len(scene.bodies(a, b)) == 1 or scene.stay_apart(a, b):
            continue
        verdict = _slide(scene, a, b, along)
        if verdict is not None:
            scene.hold_apart(a, b)
            found.append(joint_of(scene, a, b, verdict))
    return found


def _gripping(scene: Scene) -> Iterator[tuple[tuple[str, str], Vector]]:
    """Pairs of instances with oblique faces before each other, and the way that two of those leave open."""
    leaning = {key: _leaning(faces) for key, faces in scene.faces.items()}
    placed = []
    for instance in scene.assembly.instances:
        known = scene.faces_of(instance.name)
        placed += planes_of(scene, instance.name, leaning[known.key]) if known is not None else []
    walls: dict[tuple[str, str], list[Contact]] = defaultdict(list)
    for c in plane_contacts(placed, middle_of(placed), PLAY):
        walls[c.pair].append(c)
    for pair, contacts in sorted(walls.items()):
        first = contacts[0].direction
        other = max((c.direction for c in contacts), key=lambda way: cross_length(way, first))
        if cross_length(other, first) > ASKEW:
            yield pair, unit(np.cross(first, other))


def _leaning(faces: PartFaces) -> list[int]:
    """The planes of a part, by their places among its surfaces, that lean against its largest."""
    planes = [k for k, s in enumerate(faces.surfaces) if s.kind == "plane"]
    if not planes:
        return []
    floor = faces.surfaces[max(planes, key=lambda k: faces.surfaces[k].area)].direction
    leans = (abs(float(faces.surfaces[k].direction @ floor)) for k in planes)
    return [k for k, lean in zip(planes, leans, strict=True) if math.sin(ASKEW) < lean < math.cos(ASKEW)]


def planes_of(scene: Scene, name: str, which: Sequence[int] | None = None) -> list[Placed]:
    """Planes of an instance as it stands: those of some places among its surfaces, or all."""
    known, X = scene.faces_of(name), scene.pose(name)
    if known is None:
        return []
    chosen = known.of("plane") if which is None else [known.surfaces[k] for k in which]
    return [Placed(name, X, s, X.point(s.point), X.vector(s.direction)) for s in chosen]


def middle_of(placed: Sequence[Placed]) -> Vector:
    """The middle of the points of planes, about which their heights are counted."""
    return np.mean([p.point for p in placed], axis=0) if placed else np.zeros(3)


def _slide(scene: Scene, a: str, b: str, along: Vector) -> Verdict | None:
    """The slide of one instance along the other, where walls hold it in every way across, and nothing along it."""
    placed = [*planes_of(scene, a), *planes_of(scene, b)]
    before = [c for c in plane_contacts(placed, middle_of(placed), PLAY) if c.gap > -scene.contacts.slack]
    walls = [Wall(c, c.direction if c.a.instance == a else -c.direction) for c in before]
    if any(faces_along(w, along) for w in walls):
        return None
    walls = [w for w in walls if square(w.normal, along)]
    if not walls or not SOCKET < widest_gap([w.normal for w in walls], along) < math.pi - ASKEW:
        return None
    first = max(walls, key=lambda w: w.area).normal
    if all(square(w.normal, first) or parallel(w.normal, first) for w in walls):
        return None
    long = max(w.extent(along) for w in walls)
    rail = max(extent_of(side, along) for w in walls for side in (w.contact.a, w.contact.b))
    points = np.array([w.point for w in walls])
    wide = min(float(np.ptp(points @ w.normal)) for w in walls)
    if long < DEEP_HOLE * wide or rail < LONG_RAIL * long:
        return None
    gap = float(np.median([w.contact.gap for w in walls]))
    text = f"walls that grip behind it, {in_mm(long)} long, {fit_text(gap)}, and nothing across them"
    return Verdict("prismatic", points.mean(axis=0), along, (text,), (), 0.6)
