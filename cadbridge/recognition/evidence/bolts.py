"""The lines on which fasteners hold parts together."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from shapely.geometry import Point, Polygon

from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.recognition.contacts.contacts import ALIGNED, EXACT_SLACK, ROUNDING, Contact, Placed, parallel
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.standard.screws import StandardPart

END_OF_SHANK = 0.02
"""Of a screw's length: how near to its ends a plane is touched by it and not crossed. A choice."""

SHANKS = (StandardKind.SCREW, StandardKind.RIVET)


def bolt_lines(scene: Scene, fasteners: Mapping[str, StandardPart]) -> list[Contact]:
    """Contacts ("bolt") of the parts that a screw or rivet holds to each other, neighbours along it.

    `scene` has the fasteners still. A screw holds what it stands in, what its head, nuts and washers lie on, and what
    lies on each other where it goes through the plane between.
    """
    planes = [c for c in scene.contacts.found if c.kind == "plane" and not set(c.pair) & fasteners.keys()]
    crossing = _Crossing(planes)
    held = _held(scene, fasteners)
    found = []
    for name, standard in fasteners.items():
        if standard.kind not in SHANKS:
            continue
        X = scene.pose(name)
        start, axis = X.point(standard.point), X.vector(standard.axis)
        # A screw that only its name tells may have no shank that is known: the narrowest hole about it then is as wide.
        bores = (c.radius for c in scene.contacts.of.get(name, ()) if c.kind == "shaft")
        radius = max(standard.radius, min(bores, default=0.0))
        along = sorted(((float((at - start) @ axis), side.instance, side) for at, side in held[name]), key=_place)
        pairs = [(a, b) for (_, _, a), (_, _, b) in pairwise(along) if a.instance != b.instance]
        known = {frozenset((a.instance, b.instance)) for a, b in pairs}
        pairs += [(c.a, c.b) for c in crossing.by(start, axis, standard) if frozenset(c.pair) not in known]
        for a, b in pairs:
            at = start + float((0.5 * (a.middle + b.middle) - start) @ axis) * axis
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
            bored[a].append((c.b.middle, c.b))
        elif c.kind == "plane" and (a in fasteners) != (b in fasteners):
            name, side = (a, c.b) if a in fasteners else (b, c.a)
            axis = scene.pose(name).vector(fasteners[name].axis)
            if parallel(axis, c.direction) and not beside_head(scene, name, c):
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
    X = scene.pose(name)
    at = float((c.point - X.point(standard.point)) @ X.vector(standard.axis))
    return abs(at - standard.under_head) > scene.contacts.slack


class _Crossing:
    """Planes in contact, and which of them a shank goes through."""

    def __init__(self, planes: Sequence[Contact]) -> None:
        self._planes = planes
        self._points = np.array([c.point for c in planes]).reshape(-1, 3)
        self._normals = np.array([c.direction for c in planes]).reshape(-1, 3)
        self._reaches = np.array([min(_reach(c.a), _reach(c.b)) for c in planes])
        self._tree = cKDTree(self._points) if planes else None
        self._filled: dict[tuple[int, int], list[_Filled]] = {}

    def by(self, start: Vector, axis: Vector, standard: StandardPart) -> Iterator[Contact]:
        """The planes square to a screw that its shank goes through, inside the outlines of both faces."""
        if self._tree is None:
            return
        # From where the axis meets a plane to its point the face reaches at most, and so far the screw from its start.
        far = (max(abs(standard.low), abs(standard.high)) + float(self._reaches.max())) + ROUNDING
        here = np.array(self._tree.query_ball_point(start, far, return_sorted=True), dtype=int)
        facing = here[np.abs(self._normals[here] @ axis) > math.cos(ALIGNED)]
        points, normals = self._points[facing], self._normals[facing]
        along = np.sum((points - start) * normals, axis=1) / (normals @ axis)
        # A plane at which the screw ends is touched by it and not crossed.
        margin = END_OF_SHANK * (standard.high - standard.low)
        (inside,) = np.nonzero((along > standard.low + margin) & (along < standard.high - margin))
        near = np.linalg.norm(np.cross(points[inside] - start, axis), axis=1) <= self._reaches[facing[inside]]
        for k in inside[near].tolist():
            c = self._planes[facing[k]]
            u, v = Pose(frame_from_axis(c.direction).T, np.zeros(3)).point(start + along[k] * axis)[:2]
            if all(any(loop.holds(u, v) for loop in self._loops(int(facing[k]), end)) for end in (0, 1)):
                yield c

    def _loops(self, k: int, end: int) -> list[_Filled]:
        """What the loops of one of the two faces of a plane bound, in its coordinates, holes filled."""
        if (k, end) not in self._filled:
            c = self._planes[k]
            side = (c.a, c.b)[end]
            X_PI = Pose(frame_from_axis(c.direction).T, np.zeros(3)) @ side.X_WI
            self._filled[k, end] = [_Filled(X_PI.point(loop)[:, :2]) for loop in side.surface.loops if len(loop) >= 3]
        return self._filled[k, end]


def _reach(side: Placed) -> float:
    """How far any two points of a face are apart at most, m."""
    return float(np.linalg.norm(np.ptp(np.concatenate(side.surface.loops), axis=0)))


class _Filled:
    """What a loop (n, 2) bounds."""

    def __init__(self, loop: NDArray[np.float64]) -> None:
        self._loop, self._low, self._high = loop, loop.min(axis=0), loop.max(axis=0)

    def holds(self, u: float, v: float) -> bool:
        """Whether a point lies inside."""
        near = bool((self._low <= (u, v)).all() and (self._high >= (u, v)).all())
        return near and bool(self._area.contains(Point(u, v)))

    @cached_property
    def _area(self) -> Polygon:
        return Polygon(self._loop).buffer(0)
