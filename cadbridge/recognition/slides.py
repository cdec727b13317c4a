"""Slides drawn with their play: walls all round, a few tenths of a millimetre off, where other faces are exact."""

from __future__ import annotations

import numpy as np

from cadbridge.frames import Vector
from cadbridge.recognition.candidates import Candidate, joint_of
from cadbridge.recognition.contacts import Placed
from cadbridge.recognition.guides import LINES
from cadbridge.recognition.plane_contacts import plane_contacts
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.touching import LOOSE_SLACK
from cadbridge.recognition.walls import Wall, channel, in_one_plane, is_rail

MOST_FACES = 300
"""Faces of two parts that are looked at, for time alone: a dovetail has ten, a profile some fifty."""


class Slides:
    """Which of two parts slides in the other with play; the planes of each instance are placed once."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._boxes: dict[str, np.ndarray] = {}

    def between(self, a: str, b: str) -> Candidate | None:
        """The slide of two parts; None where a line holds them, or none is a rail."""
        scene = self._scene
        if any(c.kind in LINES for c in scene.contacts.by_pair.get((min(a, b), max(a, b)), ())):
            return None
        low, high = np.maximum(self._box(a)[0], self._box(b)[0]), np.minimum(self._box(a)[1], self._box(b)[1])
        if (low > high + LOOSE_SLACK).any():
            return None
        faces = [p for name in (a, b) for p in self._planes(name, low - LOOSE_SLACK, high + LOOSE_SLACK)]
        if not 0 < len(faces) <= MOST_FACES:
            return None
        contacts = plane_contacts(faces, (low + high) / 2, LOOSE_SLACK)
        walls = [Wall(c, c.direction if c.a.instance == a else -c.direction) for c in contacts]
        verdict = channel(in_one_plane(walls)) if walls else None
        # As a connector in its window, what is hardly shorter than what is about it has no way to go.
        if verdict is None or verdict.axis is None or not is_rail(walls, verdict.axis):
            return None
        return joint_of(scene, a, b, verdict, contacts)

    def _box(self, name: str) -> np.ndarray:
        """The bounds (2, 3) of an instance in W, m."""
        if name not in self._boxes:
            known, X = self._scene.faces_of(name), self._scene.pose(name)
            if known is None:
                self._boxes[name] = np.array([[np.inf] * 3, [-np.inf] * 3])
            else:
                corners = X.point(known.corners)
                self._boxes[name] = np.array([corners.min(axis=0), corners.max(axis=0)])
        return self._boxes[name]

    def _planes(self, name: str, low: Vector, high: Vector) -> list[Placed]:
        """The plane faces of an instance that reach into a box in W."""
        known, X = self._scene.faces_of(name), self._scene.pose(name)
        found = []
        for s in () if known is None else known.of("plane"):
            if s.loops:
                ends = X.point(np.concatenate(s.loops))
                if (ends.min(axis=0) <= high).all() and (ends.max(axis=0) >= low).all():
                    found.append(Placed(name, X, s, X.point(s.point), X.vector(s.direction)))
        return found
