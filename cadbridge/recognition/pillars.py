"""Equal pillars between two plates: standoffs, spacers and posts, screwed or not, turn on nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

import numpy as np

from cadbridge.frames import Vector
from cadbridge.recognition.contacts import Contact
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.standard_names import called_wheel

EVEN_SECTION = 0.8
"""Width of a pillar across its axis beside the other one, at least: a hexagon has 0.87. A choice."""

WIDEST_PILLAR = 2.0
"""Width of a pillar beside its height, at most: wider ones are wheels and discs. A choice."""


def bind_pillars(scene: Scene, toothed: Collection[str], names: bool) -> None:
    """Bind two plates and the equal pillars that stand between them, beside each other, with both their ends.

    One alone may be a pivot's, and so may one with a shaft in it; a second one keeps the plates from turning.
    """
    between: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for name, touching in scene.contacts.of.items():
        shape = scene.assembly.part(scene.assembly.instance(name).part).shape
        turns = name in toothed or (names and called_wheel(scene.called(name)))
        if shape is not None and not turns and (plates := _plates(scene, name, touching)) is not None:
            between[shape.key, *plates].append(name)
    for (_, low, high), pillars in sorted(between.items()):
        if len(pillars) > 1:
            for name in sorted(pillars):
                for plate in (low, high):
                    scene.bind(name, plate, f"one of {len(pillars)} equal pillars between {low} and {high}", 0.8)


def _plates(scene: Scene, name: str, touching: Collection[Contact]) -> tuple[str, str] | None:
    """The two parts on which a part stands with its ends, if it is a pillar and touches no others."""
    flat = [c for c in touching if c.kind == "plane"]
    if not flat or any(c.kind == "shaft" and c.b.instance == name for c in touching):
        return None
    axis = flat[0].direction
    sides = {(other, _way(c, name, axis)) for c in flat for other in c.pair if other != name}
    plates = tuple(sorted(other for other, _ in sides))
    if len(sides) != 2 or len(set(plates)) != 2 or sum(way for _, way in sides) != 0.0:
        return None
    if {other for c in touching for other in c.pair} != {name, *plates}:
        return None
    high = scene.extent(name, axis)
    across = np.linalg.svd(axis[None, :])[2][1:]
    wide = sorted(scene.extent(name, way) for way in across)
    even = wide[0] >= EVEN_SECTION * wide[1] and wide[1] <= WIDEST_PILLAR * high
    return (plates[0], plates[1]) if even else None


def _way(c: Contact, name: str, axis: Vector) -> float:
    """Which way along an axis a face of a part looks, 1 or -1; 0 where it looks across."""
    along = float(c.direction @ axis) * (1.0 if c.a.instance == name else -1.0)
    return float(np.round(along))
