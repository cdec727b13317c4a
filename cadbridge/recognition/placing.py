"""Where a body stands along the axis of its hinge: what nobody placed there was left free to slide.

Who places a part along its axis puts a face, a middle or a cross axis of it on one of the other, or at a distance in
round figures. Where nothing holds a shaft along its bore and no such distance is found, it stands where it was dragged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.freedoms import HINGE
from cadbridge.recognition.candidates import Candidate
from cadbridge.recognition.contacts import EXACT_SLACK, parallel, square
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.standard_names import called_drive

ROUND_FIGURES = (5e-5, 25.4e-3 / 64)
"""m of which placed distances are multiples: 0.05 mm and a 64th of an inch."""
ROUNDED_TO = 1e-7
"""m from such a multiple, at most: what files keep of a distance.

Tests: 0 | 1.25e-6 (`test_turntables`, `test_links`).
"""

MOST_DISTANCES = 300
"""Distances between two bodies above which one is round by chance, each by 0.4 %. 54 machines: 154 | 396."""


def with_sliding(scene: Scene, joints: Sequence[Candidate]) -> list[Candidate]:
    """The joints, those hinges cylindrical that nothing holds along their axis and nobody placed there.

    Only in models of links: of a machine parts that are not drawn, or are left out, hold its shafts.
    """
    if not scene.links_only:
        return list(joints)
    free = {id(c) for c in joints if _left_free(scene, c)}
    free -= _holding(scene, joints, free) if free else set()
    return [_sliding(c) if id(c) in free else c for c in joints]


def _holding(scene: Scene, joints: Sequence[Candidate], free: Collection[int]) -> set[int]:
    """Those of free hinges in loops that hold a link along its axis: with all of them free it would slide out."""
    members = scene.groups.members()
    size = scene.sizes(members)
    held: set[int] = set()
    # Heavy links are located by their hinges, rods between them follow.
    for c in sorted((c for c in joints if id(c) in free), key=lambda c: -min(size[c.a], size[c.b])):
        fixed, linked = Groups(members), Groups(members)
        for other in (j for j in joints if j is not c):
            linked.join(other.a, other.b)
            if not _along(other, c, id(other) in free and id(other) not in held):
                fixed.join(other.a, other.b)
        if linked.root(c.a) == linked.root(c.b) and fixed.root(c.a) != fixed.root(c.b):
            held.add(id(c))
    return held


def _along(joint: Candidate, c: Candidate, free: bool) -> bool:
    """Whether a joint lets its bodies slide along the axis of another."""
    axis, way = joint.verdict.axis, c.verdict.axis
    slides = free or joint.verdict.free.sliding
    return slides and axis is not None and way is not None and parallel(axis, way)


def _sliding(c: Candidate) -> Candidate:
    text = "no face, middle or cross axis of the two is in line along the axis, nor apart in round figures"
    return replace(c, verdict=replace(c.verdict, type="cylindrical", evidence=(*c.verdict.evidence, text)))


def _left_free(scene: Scene, c: Candidate) -> bool:
    axis = c.verdict.axis
    # Where placements carry clearances no distance is in round figures, though somebody placed the part.
    if c.verdict.free != HINGE or not c.verdict.unheld or axis is None or scene.contacts.slack > EXACT_SLACK:
        return False
    names = {name for contact in c.contacts for name in contact.pair}
    if not any(contact.kind in ("shaft", "through", "cone") for contact in c.contacts):
        return False  # what would slide, the pin, is not drawn
    if any(called_drive(name.rsplit("/", 1)[-1]) for name in names):
        return False  # the output of a drive does not slide out of it
    own, other = (_heights(scene, {n for n in names if scene.groups.root(n) == body}, axis) for body in (c.a, c.b))
    if min(len(own), len(other)) < 2 or len(own) * len(other) > MOST_DISTANCES:
        return False
    apart = np.subtract.outer(own, other)
    return all(float(np.abs(apart - step * np.round(apart / step)).min()) > ROUNDED_TO for step in ROUND_FIGURES)


def _heights(scene: Scene, names: Collection[str], axis: Vector) -> NDArray[np.float64]:
    """Where faces across an axis, ends of round faces along it and cross axes of some instances are, and the middle."""
    found = np.unique(np.round([h for name in sorted(names) for h in _heights_of(scene, name, axis)], 9))
    return np.append(found, (found[0] + found[-1]) / 2) if len(found) else found


def _heights_of(scene: Scene, name: str, axis: Vector) -> Iterator[float]:
    known, X = scene.faces_of(name), scene.pose(name)
    for s in () if known is None else known.surfaces:
        at, way = float(X.point(s.point) @ axis), X.vector(s.direction)
        alike, flat = s.kind != "sphere" and parallel(way, axis), s.kind == "plane"
        if alike and not flat:
            along = float(way @ axis)
            yield from (at + along * s.low, at + along * s.high)
        elif alike if flat else square(way, axis):
            yield at
