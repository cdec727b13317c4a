"""The lines on which fasteners hold parts together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
from shapely.geometry import Point, Polygon

from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.recognition.contacts import ALIGNED, EXACT_SLACK, Contact, Placed
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.screws import StandardPart
from cadbridge.recognition.standard_names import StandardKind

SHANKS = (StandardKind.SCREW, StandardKind.RIVET)


def bolt_lines(scene: Scene, fasteners: Mapping[str, StandardPart]) -> list[Contact]:
    """Contacts ("bolt") of the parts that a screw or rivet holds to each other, neighbours along it.

    `scene` has the fasteners still. A screw holds what it stands in, what its head, nuts and washers lie on, and what
    lies on each other where it goes through the plane between.
    """
    planes = [c for c in scene.contacts.found if c.kind == "plane" and not set(c.pair) & fasteners.keys()]
    crossing = _Crossing(planes)
    held = _held(scene, fasteners)
    bores: dict[str, list[float]] = defaultdict(list)
    for c in scene.contacts.found:
        if c.kind == "shaft":
            for name in c.pair:
                bores[name].append(c.radius)
    found = []
    for name, standard in fasteners.items():
        if standard.kind not in SHANKS:
            continue
        X = scene.assembly.instance(name).X_WI
        start, axis = X.point(standard.point), X.vector(standard.axis)
        # A screw that only its name tells may have no shank that is known: the narrowest hole about it then is as wide.
        radius = max(standard.radius, min(bores[name], default=0.0))
        along = sorted(((float((at - start) @ axis), side.instance, side) for at, side in held[name]), key=_place)
        pairs = [(a, b) for (_, _, a), (_, _, b) in pairwise(along) if a.instance != b.instance]
        known = {frozenset((a.instance, b.instance)) for a, b in pairs}
        pairs += [(c.a, c.b) for c in crossing.by(start, axis, standard) if frozenset(c.pair) not in known]
        for a, b in pairs:
            at = start + float((0.5 * (_middle(a) + _middle(b)) - start) @ axis) * axis
            found.append(Contact("bolt", a, b, at, axis, 0.0, 0.0, 0.0, radius, name))
    return found


def _place(entry: tuple[float, str, Placed]) -> tuple[float, str]:
    return entry[:2]


def _held(scene: Scene, fasteners: Mapping[str, StandardPart]) -> dict[str, list[tuple[Vector, Placed]]]:
    """What each fastener holds, with where: the faces of other parts about its shank, and those under what is on it."""
    bored: dict[str, list[tuple[Vector, Placed]]] = defaultdict(list)
    under: dict[str, list[tuple[Vector, Placed]]] = defaultdict(list)
    on: dict[str, set[str]] = defaultdict(set)
    for c in scene.contacts.found:
        a, b = c.a.instance, c.b.instance
        if a in fasteners and b in fasteners and c.kind == "shaft":
            on[a].add(b)
        elif c.kind in ("shaft", "cone") and a in fasteners and b not in fasteners:
            bored[a].append((_middle(c.b), c.b))
        elif c.kind == "plane" and (a in fasteners) != (b in fasteners):
            name, side = (a, c.b) if a in fasteners else (b, c.a)
            axis = scene.assembly.instance(name).X_WI.vector(fasteners[name].axis)
            if abs(float(axis @ c.direction)) > 1 - ALIGNED**2 and not beside_head(scene, name, c):
                under[name].append((c.point, side))
    return defaultdict(list, {
        name: [*bored[name], *under[name], *(entry for other in sorted(on[name]) for entry in under[other])]
        for name in fasteners
    })  # fmt: skip


def beside_head(scene: Scene, name: str, c: Contact) -> bool:
    """Whether a plane contact of a screw is not the one under its head: where placements carry clearances, chance."""
    standard = scene.standards[name]
    if c.kind != "plane" or standard.under_head is None or scene.contacts.slack <= EXACT_SLACK:
        return False
    X = scene.assembly.instance(name).X_WI
    at = float((c.point - X.point(standard.point)) @ X.vector(standard.axis))
    return abs(at - standard.under_head) > scene.contacts.slack


def _middle(side: Placed) -> Vector:
    """The middle of a round face on its axis; a point of any other."""
    s = side.surface
    return (
        side.point if s.direction is None or s.kind == "plane" else side.point + (s.low + s.high) / 2 * side.direction
    )


class _Crossing:
    """Planes in contact, and which of them a shank goes through."""

    def __init__(self, planes: Sequence[Contact]) -> None:
        self._planes = planes
        self._points = np.array([c.point for c in planes]).reshape(-1, 3)
        self._normals = np.array([c.direction for c in planes]).reshape(-1, 3)
        self._reaches = np.array([min(_reach(c.a), _reach(c.b)) for c in planes])

    def by(self, start: Vector, axis: Vector, standard: StandardPart) -> Iterator[Contact]:
        """The planes square to a screw that its shank goes through, inside the outlines of both faces."""
        if not self._planes:
            return
        square = self._normals @ axis
        along = np.sum((self._points - start) * self._normals, axis=1) / np.where(np.abs(square) > 0.5, square, 1.0)
        margin = 0.02 * (standard.high - standard.low)
        inside = (along > standard.low + margin) & (along < standard.high - margin) & (np.abs(square) > 0.999)
        near = np.linalg.norm(np.cross(self._points - start, axis), axis=1) <= self._reaches
        for k in np.flatnonzero(inside & near).tolist():
            c = self._planes[k]
            if all(_within(side, c, start + along[k] * axis) for side in (c.a, c.b)):
                yield c


def _reach(side: Placed) -> float:
    """How far any two points of a face are apart at most, m."""
    return float(np.linalg.norm(np.ptp(np.concatenate(side.surface.loops), axis=0)))


def _within(side: Placed, c: Contact, spot: Vector) -> bool:
    """Whether a point of the plane lies inside the outline of a face, holes filled."""
    X_PW = Pose(frame_from_axis(c.direction).T, np.zeros(3))
    X_PI = X_PW @ side.X_WI
    u, v = X_PW.point(spot)[:2]
    loops = [X_PI.point(loop)[:, :2] for loop in side.surface.loops if len(loop) >= 3]
    return any(
        bool((loop.min(axis=0) <= (u, v)).all() and (loop.max(axis=0) >= (u, v)).all())
        and Polygon(loop).buffer(0).contains(Point(u, v))
        for loop in loops
    )
