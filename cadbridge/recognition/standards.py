"""Which instances are standard parts, and what screws clamp."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from shapely.geometry import Point, Polygon

from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.recognition.bodies import Scene
from cadbridge.recognition.contacts import Contact, Placed
from cadbridge.recognition.standard_parts import StandardKind, StandardPart, standard_part

TRUSTED = 0.5
"""Confidence from which a standard part is taken for what it seems."""
LARGEST = 0.018
"""m; the shank of an M36."""
HEAD = 2.2
"""Radius of a head beside that of its shank; ISO's widest, with a flange, has 2.2."""
CLAMPING = (StandardKind.SCREW, StandardKind.NUT, StandardKind.RIVET, StandardKind.KEY)
"""Kinds that make one body of all they stand in or lie on."""


def find_standard_parts(scene: Scene, names: bool) -> None:
    """Fill in what each instance is, where it is a standard part; each part is looked at once."""
    called: dict[str, list[str]] = {}
    for instance in scene.assembly.instances:
        called.setdefault(instance.part, []).append(instance.name.rsplit("/", 1)[-1])
    found: dict[str, StandardPart | None] = {}
    by_shape: dict[tuple[str, tuple[str, ...]], StandardPart | None] = {}
    for part in scene.assembly.parts:
        if part.shape is None or part.name not in called:
            continue
        witnesses = (part.name, *called[part.name][:3]) if names else ()
        key = (part.shape.key, witnesses)
        if key not in by_shape:
            by_shape[key] = standard_part(part.shape, witnesses)
        found[part.name] = by_shape[key]
    for instance in scene.assembly.instances:
        standard = found.get(instance.part)
        if standard is not None and standard.confidence >= TRUSTED and _usual(standard):
            scene.standards[instance.name] = standard
            if standard.kind in CLAMPING:
                scene.fasteners[instance.name] = str(standard.kind)


def _usual(standard: StandardPart) -> bool:
    """Whether a fastener has the size and the head of one: links of robots can look like screws."""
    if standard.kind not in (StandardKind.SCREW, StandardKind.RIVET):
        return True
    return standard.radius <= LARGEST and standard.head <= HEAD * standard.radius


def bind_clamped(scene: Scene) -> None:
    """Parts that lie on each other where a screw goes through the plane between them: one body, with the screw."""
    planes = [c for c in scene.contacts.found if c.kind == "plane"]
    points = np.array([c.point for c in planes]).reshape(-1, 3)
    normals = np.array([c.direction for c in planes]).reshape(-1, 3)
    reaches = np.array([min(_reach(c.a), _reach(c.b)) for c in planes])
    for name, standard in scene.standards.items():
        if standard.kind not in (StandardKind.SCREW, StandardKind.RIVET) or not planes:
            continue
        X = scene.assembly.instance(name).X_WI
        start, axis = X.point(standard.point), X.vector(standard.axis)
        for k in _crossed(start, axis, standard, points, normals, reaches):
            c = planes[k]
            spot = start + float((points[k] - start) @ normals[k]) / float(axis @ normals[k]) * axis
            if name not in c.pair and all(_within(side, c, spot) for side in (c.a, c.b)):
                scene.bind(*c.pair, f"{name} goes through both where they lie on each other", 0.85)


def _reach(side: Placed) -> float:
    """How far any two points of a face are apart at most, m."""
    return float(np.linalg.norm(np.ptp(np.concatenate(side.surface.loops), axis=0)))


def _crossed(
    start: Vector, axis: Vector, standard: StandardPart, points: Vector, normals: Vector, reaches: Vector
) -> Iterator[int]:
    """The planes square to a screw that its shank goes through, where what touches may reach so far."""
    square = normals @ axis
    along = np.sum((points - start) * normals, axis=1) / np.where(np.abs(square) > 0.5, square, 1.0)
    margin = 0.02 * (standard.high - standard.low)
    inside = (along > standard.low + margin) & (along < standard.high - margin) & (np.abs(square) > 0.999)
    near = np.linalg.norm(np.cross(points - start, axis), axis=1) <= reaches
    yield from np.flatnonzero(inside & near).tolist()


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
