"""The way that a slide goes of which a person says that it is one: plane faces show it, in contact or with room."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from cadbridge.frames import Vector, unit
from cadbridge.recognition.contacts.contacts import Contact, square
from cadbridge.recognition.contacts.planes import plane_contacts
from cadbridge.recognition.contacts.walls import MOST_WALLS, Wall, faces_along
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.rules.undercut import middle_of, planes_of

Way = tuple[Vector, Vector]
"""A point and a direction, in the world."""

PLAY_OF_A_SLIDE = 3e-3
"""m between a slide and what guides it, at most, where a person says that it slides: drawers have 1 to 2. A choice."""


def along_faces(scene: Scene, a: str, b: str) -> Way | None:
    """A point and the way along which the plane faces of two instances let them slide.

    Faces of two directions guide a slide; of several ways it is the one with most area beside it and no stops on both
    sides. None where none is so: on a floor alone it could go any way.
    """
    return _best([_way([c for c in scene.contacts.by_both[a][b] if c.kind == "plane"], a)])


def along_room(scene: Scene, a: str, b: str, hints: Hints) -> Way | None:
    """The same of one of two instances, along the faces of all that stands before its own with little room.

    A drawer touches nothing, and its cabinet is many parts. Which of the two slides is not said: it is the one with
    more to guide it.
    """
    held = {name for pair in hints.pairs("fixed") for name in pair if {a, b} & set(pair)} - {a, b}
    others = [i.name for i in scene.assembly.instances if i.name not in held]
    ways = []
    for slider in (a, b):
        own = planes_of(scene, slider)
        placed = [*own, *(plane for name in others if name != slider for plane in planes_of(scene, name))]
        before = plane_contacts(placed, middle_of(own), PLAY_OF_A_SLIDE) if own else []
        ways.append(_way([c for c in before if slider in c.pair], slider))
    return _best(ways)


def _way(contacts: Sequence[Contact], a: str) -> tuple[float, Way] | None:
    """The way that plane contacts of an instance leave open and guide most, with their area; None without one."""
    found = [Wall(c, c.direction if c.a.instance == a else -c.direction) for c in contacts]
    planes = sorted(found, key=lambda w: -w.area)[:MOST_WALLS]
    ways: list[tuple[float, Way]] = []
    for p, q in combinations(planes, 2):
        if not square(p.normal, q.normal):
            continue
        along = unit(np.cross(p.normal, q.normal))
        stops = {float(w.normal @ along) > 0 for w in planes if faces_along(w, along)}
        guides = [w for w in planes if square(w.normal, along)]
        if len(stops) < 2:
            ways.append((sum(w.area for w in guides), (p.point, along)))
    return max(ways, key=_by_area, default=None)


def _best(ways: Sequence[tuple[float, Way] | None]) -> Way | None:
    """The way with the largest area beside it; None where there is none."""
    best = max(filter(None, ways), key=_by_area, default=None)
    return None if best is None else best[1]


def _by_area(way: tuple[float, Way]) -> tuple[float, tuple[float, ...]]:
    """Of equal areas the first way by its numbers: whichever part is named first."""
    return round(way[0], 9), tuple(np.round(np.abs(way[1][1]), 6))
