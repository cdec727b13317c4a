"""Constraints and joints, of the root and of flexible sub-assemblies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cadbridge.assembly import Feature, FeatureKind, Mate, MateKind
from cadbridge.frames import cross_length
from cadbridge.freedoms import FIXED, UNBOUND, Free, free
from cadbridge.readers.joints import joint_mates
from cadbridge.readers.placement import ALIGNED
from cadbridge.readers.simscape.context import Context
from cadbridge.readers.structure import Key, PlacedOccurrence
from cadbridge.readers.xml import Element, child, children, local, numbers
from cadbridge.units import DEGREE, TO_MM
from cadbridge.wording import count

CONSTRAINTS: dict[str, MateKind] = {
    "Concentric": MateKind.CONCENTRIC,
    "Coincident": MateKind.COINCIDENT,
    "Distance": MateKind.DISTANCE,
    "Parallel": MateKind.PARALLEL,
    "Perpendicular": MateKind.PERPENDICULAR,
    "Tangent": MateKind.TANGENT,
    "Angle": MateKind.ANGLE,
    "Lock": MateKind.FIXED,
    "Fixed": MateKind.FIXED,
    "Fix": MateKind.FIXED,
}
EDGES: dict[tuple[MateKind, str], MateKind] = {
    (MateKind.COINCIDENT, "circle"): MateKind.INSERT,
    (MateKind.CONCENTRIC, "point"): MateKind.COINCIDENT,
    (MateKind.CONCENTRIC, "sphere"): MateKind.COINCIDENT,
}
"""What a constraint holds where both sides are of one kind, or one side is a centre.

Two circular edges that coincide share axis and centre; what is concentric with a sphere or a point holds its centre.
"""
FEATURES: dict[str, FeatureKind] = {
    "plane": FeatureKind.PLANE,
    "cylinder": FeatureKind.AXIS,
    "cone": FeatureKind.AXIS,
    "line": FeatureKind.AXIS,
    "axis": FeatureKind.AXIS,
    "circle": FeatureKind.AXIS,
    "point": FeatureKind.POINT,
    "sphere": FeatureKind.SPHERE,
}
JOINTS: dict[str, Free] = {
    "Weld": FIXED,
    "Fixed": FIXED,
    "Rigid": FIXED,
    "Revolute": free("rz"),
    "Prismatic": free("tz"),
    "Cylindrical": free("tz rz"),
    "Spherical": free("rx ry rz"),
    "Gimbal": free("rx ry rz"),
    "Planar": free("tx ty rz"),
    "PinSlot": free("tx rz"),
    "Universal": free("rx ry"),
    "Bearing": free("tz rx ry rz"),
    "Telescoping": free("tz rx ry rz"),
    "Rectangular": free("tx ty"),
    "Cartesian": free("tx ty tz"),
    "Bushing": UNBOUND,
    "SixDof": UNBOUND,
}
"""The joint blocks of Simscape, and what they leave free of their frames."""

ON_AXIS = 1e-7
"""m between a line and the axis of a cylinder up to which the line is the axis; farther away it is an edge on its face.

Files give seven digits: of a machine of a metre they are off by 1e-7. No cylinder has a radius as small.
"""

LIMIT_MATE = re.compile(r"Limit(Distance|Angle)\d*$", re.IGNORECASE)
"""How SolidWorks names a limit mate."""


def read_mates(c: Context, root: Element, assembly: Element) -> tuple[list[Mate], int]:
    """The mates of the root and, at each of its places, of every sub-assembly; and how many the file has."""
    mates = _of_holder(c, assembly, [()])
    given = sum(len(children(p)) for p in children(assembly, "Constraints", "Joints"))
    section = child(root, "Assemblies")
    places = _places(child(assembly, "InstanceTree"))
    for element in [] if section is None else children(section, "Assembly"):
        here = places.get(element.get("uid", ""), [])
        mates += _of_holder(c, element, here)
        # A sub-assembly's mates count at each place of it, as they are made; those of one that is placed nowhere count
        # once.
        given += max(1, len(here)) * sum(len(children(p)) for p in children(element, "Constraints", "Joints"))
    return mates, given


def _places(tree: Element | None) -> dict[str, list[Key]]:
    """The paths at which each sub-assembly is placed."""
    found: dict[str, list[Key]] = {}
    waiting: list[tuple[Key, Element]] = [] if tree is None else [((), e) for e in children(tree, "Instance")]
    while waiting:
        above, element = waiting.pop()
        key = (*above, element.get("uid", ""))
        found.setdefault(element.get("entityUid", ""), []).append(key)
        waiting += [(key, e) for e in children(element, "Instance")]
    return {entity: sorted(keys) for entity, keys in found.items()}


def _of_holder(c: Context, holder: Element, places: list[Key]) -> list[Mate]:
    mates: list[Mate] = []
    c.holder = {holder.get("uid", ""), holder.get("name", "")} - {""}
    for tag, read in (("Constraints", _constraint), ("Joints", _joint)):
        section = child(holder, tag)
        for element in [] if section is None else children(section):
            if not places:
                name = _name(c, element, ())
                c.say("CB162", f"{name} belongs to an assembly that is placed nowhere", element, name)
            for prefix in places:
                mates += read(c, element, prefix)
    return mates


def _name(c: Context, element: Element, prefix: Key) -> str:
    """The name, below the path of its sub-assembly."""
    own = element.get("name") or f"{local(element)}@{element.sourceline}"
    place = c.structure.placed.get(prefix)
    return f"{place.name}/{own}" if place is not None and place.name else str(own)


def _constraint(c: Context, element: Element, prefix: Key) -> tuple[Mate, ...]:
    """A constraint between two features; a finding and none where it cannot be one."""
    tag, name = local(element), _name(c, element, prefix)
    kind = CONSTRAINTS.get(tag)
    sides = children(element, "ConstraintGeometry")
    if kind is None or len(sides) != 2:
        c.say("CB164", f"{tag} {name} with {count(len(sides), 'feature')} is not understood", element, name)
        return ()
    a, b = (_feature(c, side, prefix, name, geometry) for side, geometry in zip(sides, _geometry(sides), strict=True))
    if a is None or b is None or _within_one(c, element, name, a, b):
        return ()
    kind = _kind(kind, [side.get("geomType", "") for side in sides])
    if kind is MateKind.TANGENT:
        a, b = _touching(c, element, name, a, b)
    value = 0.0
    if kind is MateKind.COINCIDENT and {s.get("geomType") for s in sides} == {"line", "cylinder"}:
        value = _designed(c, kind, a, b)
        if value > ON_AXIS:
            # An edge on the face of a cylinder, whose radius is not written; on its axis otherwise.
            c.say("CB170", f"{name} has no radius; it is held at {value * 1e3:.6g} mm, as designed", element, name)
            return (Mate(name, MateKind.DISTANCE, a, b, value=value, where=c.where(element, name)),)
        value = 0.0
    if kind in (MateKind.DISTANCE, MateKind.ANGLE):
        found = _held(c, element, name, kind, a, b)
        if found is None:
            return ()
        value = found
    return (Mate(name, kind, a, b, value=value, where=c.where(element, name)),)


def _geometry(sides: list[Element]) -> list[str]:
    """What each side is: a circular edge on a plane lies in it, with the plane of the circle."""
    geometries = [side.get("geomType", "") for side in sides]
    return ["plane" if g == "circle" and "plane" in geometries else g for g in geometries]


def _kind(kind: MateKind, geometries: list[str]) -> MateKind:
    """What a constraint between two kinds of geometry holds."""
    if kind is MateKind.CONCENTRIC:
        centre = next((g for g in geometries if (kind, g) in EDGES), "")
        return EDGES.get((kind, centre), kind)
    return EDGES.get((kind, geometries[0]), kind) if geometries[0] == geometries[1] else kind


def _touching(c: Context, element: Element, name: str, a: Feature, b: Feature) -> tuple[Feature, Feature]:
    """The sides of a tangent mate with radii, which the schema does not write: what lies between them as designed."""
    if a.radius is not None or b.radius is not None:
        return a, b
    gap = _designed(c, MateKind.TANGENT, a, b)
    c.say("CB170", f"{name} has no radius; it is held at {gap * TO_MM:.6g} mm, as designed", element, name)
    return (a, replace(b, radius=gap)) if a.kind is FeatureKind.PLANE else (replace(a, radius=gap), b)


def _held(c: Context, element: Element, name: str, kind: MateKind, a: Feature, b: Feature) -> float | None:
    """The distance (m) or angle (rad) that a mate holds: the file's or, reported, the designed one; None: limits."""
    given, designed = _value(element), _designed(c, kind, a, b)
    shown = f"{np.degrees(designed):.6g}°" if kind is MateKind.ANGLE else f"{designed * TO_MM:.6g} mm"
    # SolidWorks exports a limit mate as a plain Distance or Angle without its range: held at a value, it would lock the
    # freedom that it only bounds.
    if LIMIT_MATE.search(name):
        c.say("CB165", f"{name} is a limit mate by its name; as designed it stands at {shown}", element, name)
        return None
    if given is None:
        c.say("CB170", f"{name} has no value; it is held at {shown}, as designed", element, name)
        return designed
    return given * (DEGREE if kind is MateKind.ANGLE else c.length)


def _within_one(c: Context, element: Element, name: str, a: Feature, b: Feature) -> bool:
    if a.component != b.component:
        return False
    c.say("CB168", f"{name} holds two places of {a.component}, which is rigid", element, name)
    return True


def _value(element: Element) -> float | None:
    """The value of a distance (file's unit) or an angle (degrees): an attribute or a child element."""
    readers: tuple[Callable[[], str | None], ...] = (
        lambda: element.get("value"),
        lambda: next((c.text for c in children(element, "Value", "Distance", "Angle", "Offset")), None),
    )
    for get in readers:
        found = numbers(get(), 1)
        if found is not None:
            return found[0]
    return None


def _designed(c: Context, kind: MateKind, a: Feature, b: Feature) -> float:
    """The angle (rad) or distance (m) between two features as designed; 0 and half a turn exactly where so near."""
    A, B = (c.structure.frame(f.component) for f in (a, b))
    u, w = (None if f.direction is None else X.vector(f.direction) for f, X in ((a, A), (b, B)))
    if kind is MateKind.ANGLE and u is not None and w is not None:
        angle = float(np.arctan2(cross_length(u, w), u @ w))
        # An angle of almost 0 or a half turn is rounded parallelism, and the equation of an angle is singular there.
        return next((whole for whole in (0.0, np.pi) if abs(angle - whole) < ALIGNED), angle)
    gap = B.point(b.point) - A.point(a.point)
    planes = [d for f, d in ((a, u), (b, w)) if f.kind is FeatureKind.PLANE and d is not None]
    if planes:
        return abs(float(planes[0] @ gap))
    lines = [d for d in (u, w) if d is not None]
    if len(lines) == 2 and float(np.linalg.norm(across := np.cross(lines[0], lines[1]))) > ALIGNED:
        return abs(float(across @ gap)) / float(np.linalg.norm(across))
    return float(np.linalg.norm(np.cross(lines[0], gap) if lines else gap))


def _placed(c: Context, side: Element, prefix: Key, mate: str) -> PlacedOccurrence | None:
    """Where the InstancePath of a side leads; no Uid is the holder's own frame."""
    path = child(side, "InstancePath")
    own = [(e.text or "").strip() for e in ([] if path is None else children(path, "Uid"))]
    uids = (*prefix, *own)
    place = c.structure.placed.get(uids)
    if place is None and len(own) == 1 and own[0] in c.holder:
        # SolidWorks names the assembly itself where a mate holds one of its own planes.
        place = c.structure.placed.get(prefix)
    if place is None:
        c.say("CB162", f"{mate} holds {'/'.join(uids)!r}, which is not an instance", side, mate)
        return None
    if not place.component:
        c.say(
            "CB169", f"mates hold the frame of {place.name}, which is flexible and has nothing fixed in it", side, mate
        )
        return c.structure.frame_of(prefix if uids not in c.structure.placed else uids)
    return place


def _feature(c: Context, side: Element, prefix: Key, mate: str, geometry: str) -> Feature | None:
    """A feature of an instance, taken as a geometry of that name, moved to its component's frame."""
    place = _placed(c, side, prefix, mate)
    if place is None:
        return None
    kind = FEATURES.get(geometry)
    if kind is None:
        c.say("CB164", f"{mate}: a feature of type {side.get('geomType')!r} is not understood", side, mate)
        return None
    point = c.values(side, "Position", 3, mate)
    directed = kind not in (FeatureKind.POINT, FeatureKind.SPHERE)
    axis = c.values(side, "Axis", 3, mate) if directed else None
    if point is None or (directed and axis is None):
        return None
    if axis is not None and not float(np.linalg.norm(axis)) > 0:
        c.say("CB181", f"{mate}: its axis has no length", side, mate)
        return None
    radius = numbers(side.get("radius"), 1)
    return c.structure.feature(
        place,
        kind,
        point * c.length,
        axis,
        radius=None if radius is None else radius[0] * c.length,
        label=side.get("geomType", ""),
    )


def _joint(c: Context, element: Element, prefix: Key) -> tuple[Mate, ...]:
    """A joint between two frames: the follower moves relative to the base."""
    tag, name = local(element), _name(c, element, prefix)
    leaves = JOINTS.get(tag)
    frames = [child(element, "BaseFrame"), child(element, "FollowerFrame")]
    if leaves is None or None in frames:
        what = "lacks a frame" if leaves else "is not understood"
        c.say("CB164", f"joint {tag} {name} {what}", element, name)
        return ()
    a, b = (_frame(c, frame, prefix, name) for frame in frames)
    if a is None or b is None or _within_one(c, element, name, a, b):
        return ()
    return joint_mates(leaves, name, a, b, c.where(element, name))


def _frame(c: Context, side: Element, prefix: Key, mate: str) -> Feature | None:
    place = _placed(c, side, prefix, mate)
    matrix = c.transform(side, mate)
    if place is None or matrix is None:
        return None
    return c.structure.feature(place, FeatureKind.FRAME, matrix[:, 3], matrix[:, 2], matrix[:, 0], label="frame")
