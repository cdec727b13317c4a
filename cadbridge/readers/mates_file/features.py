"""From what a person wrote about a feature to a Feature in its component's frame, in metres."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import GROUND, Component, Feature, FeatureKind, Instance
from cadbridge.findings import Where
from cadbridge.frames import Pose, cross_length, frame_from_axis, unit
from cadbridge.geometry import Face, Shape
from cadbridge.readers.mates_file.draft import Draft, last
from cadbridge.readers.mates_file.values import FeatureSpec
from cadbridge.readers.placement import ALIGNED
from solver import rotation

HAS = {"plane": "a normal", "cylinder": "an axis", "cone": "an axis", "torus": "an axis", "sphere": "a centre"}
"""What the kinds of faces have, in words."""


def _plane(face: Face) -> Feature:
    return Feature("", FeatureKind.PLANE, face.point, face.direction)


def _axis(face: Face) -> Feature:
    return Feature("", FeatureKind.AXIS, face.point, face.direction, radius=face.radius)


def _sphere(face: Face) -> Feature:
    return Feature("", FeatureKind.SPHERE, face.point, radius=face.radius)


def _centre(face: Face) -> Feature:
    return Feature("", FeatureKind.POINT, face.point)


def _middle(face: Face) -> Feature:
    return Feature("", FeatureKind.POINT, face.centre)


FROM_FACE: dict[tuple[str, str | None], Callable[[Face], Feature]] = {
    ("plane", None): _plane, ("plane", "plane"): _plane, ("plane", "point"): _middle,
    ("cylinder", None): _axis, ("cylinder", "axis"): _axis,
    ("cone", None): _axis, ("cone", "axis"): _axis,
    ("torus", None): _axis, ("torus", "axis"): _axis, ("torus", "point"): _centre,
    ("sphere", None): _sphere, ("sphere", "point"): _centre,
}  # fmt: skip
"""What a face gives, by its kind and what is asked of it (`as`)."""


@dataclass(frozen=True)
class _Request:
    """A feature to be found: what was written, where, and on what."""

    spec: FeatureSpec
    where: Where
    component: Component | None
    instance: Instance | None


def resolve(draft: Draft, spec: FeatureSpec, section: str, item: int, side: str, name: str) -> Feature | None:
    """The feature in its component's frame C (the world for the ground), SI; None with findings reported."""

    def at(key: str) -> Where:
        return draft.place(section, item, side, key, name=name)

    requested = _whose(draft, spec, at)
    if requested is None:
        return None
    if spec.point is not None:
        feature = _from_numbers(draft, spec, at)
    else:
        feature = _from_faces(draft, requested, at)
    if feature is None:
        return None
    component = GROUND if requested.component is None else requested.component.name
    X_CP = Pose()
    if spec.frame == "world":
        X_CP = draft.pose(component).inverse()
    elif requested.instance is not None:
        X_CP = draft.pose(component).inverse() @ requested.instance.X_WI
    # A person gives coordinates in the frame of the part as it is in the CAD, whatever it was attached to since.
    elif (attached := draft.attached(spec.component)) is not None:
        X_CP = draft.pose(component).inverse() @ draft.pose_before[attached]
    placed = feature.on(component, X_CP)
    return replace(placed, instance=requested.instance.name if requested.instance else None, label=label(spec))


def owner_of(draft: Draft, spec: FeatureSpec, section: str, item: int, side: str, name: str) -> str | None:
    """The component that a feature names, GROUND for the ground; None with findings reported."""
    if spec.component == GROUND and GROUND not in draft.components:
        return GROUND
    component = draft.component(spec.component, draft.place(section, item, side, "component", name=name))
    return None if component is None else component.name


def label(spec: FeatureSpec) -> str:
    """How a person would call the feature."""
    what = spec.face or spec.select or "point"
    return "/".join(step for step in (spec.component, spec.part, what) if step)


def _whose(draft: Draft, spec: FeatureSpec, at: Callable[[str], Where]) -> _Request | None:
    """The component, and the instance in whose frame the feature is given (None: the component's own)."""
    if spec.component == GROUND and GROUND not in draft.components:
        if spec.point is None or spec.part is not None:
            draft.findings.add("CB147", "the ground has no parts or faces; give a point in the world", at("component"))
            return None
        return _Request(spec, at("component"), None, None)
    component = draft.component(spec.component, at("component"))
    if component is None:
        return None
    instance: Instance | None = None
    if spec.part is not None:
        instance = _inner(draft, component, spec, at("part"))
        if instance is None:
            return None
    else:
        # Whatever was attached, a component of one instance is still named for it, and so is what was attached itself:
        # only its own instances count, those below its path.
        own = draft.attached(spec.component) or component.name
        mine = [n for n in component.instances if n == own or n.startswith(f"{own}/")] or component.instances
        if own in mine or len(mine) == 1:
            instance = draft.instances[own if own in mine else mine[0]]
    return _Request(spec, at("component"), component, instance)


def _inner(draft: Draft, component: Component, spec: FeatureSpec, where: Where) -> Instance | None:
    part = spec.part or ""
    names = component.instances
    found = [n for n in names if n == f"{component.name}/{part}" or n == part]
    found = found or [n for n in names if n.endswith("/" + part)]
    if len(found) == 1:
        return draft.instances[found[0]]
    if found:
        draft.findings.add("CB146", f"{part!r} is the name of several: {', '.join(found[:4])}", where)
        return None
    known = [n.removeprefix(component.name + "/") for n in names]
    near = draft.near(part, [*known, *map(last, known)])
    draft.findings.add("CB146", f"there is no part {part!r} in {component.name!r}{near}", where)
    return None


def _from_numbers(draft: Draft, spec: FeatureSpec, at: Callable[[str], Where]) -> Feature | None:
    point = np.asarray(spec.point, dtype=float) * draft.length
    radius = None if spec.radius is None else spec.radius * draft.length
    given = {"normal": spec.normal, "axis": spec.axis, "z": spec.z, "x": spec.x}
    directions = {key: np.asarray(v, dtype=float) for key, v in given.items() if v is not None}
    for key, v in directions.items():
        # A person writes numbers of 1 or so for a direction; a shorter one is none.
        if not np.linalg.norm(v) > 1e-9:
            draft.findings.add("CB145", f"{key} is zero: it has no direction", at(key))
            return None
    if "normal" in directions:
        return Feature("", FeatureKind.PLANE, point, unit(directions["normal"]))
    if "axis" in directions:
        return Feature("", FeatureKind.AXIS, point, unit(directions["axis"]), radius=radius)
    if "z" in directions:
        z, x = unit(directions["z"]), unit(directions["x"])
        if np.linalg.norm(rotation.cross(z, x)) < ALIGNED:
            draft.findings.add("CB145", "x is parallel to z: they make no frame", at("x"))
            return None
        R = frame_from_axis(z, x)
        return Feature("", FeatureKind.FRAME, point, R[:, 2], x=R[:, 0])
    return Feature("", FeatureKind.SPHERE if radius else FeatureKind.POINT, point, radius=radius)


def _from_faces(draft: Draft, requested: _Request, at: Callable[[str], Where]) -> Feature | None:
    """The feature of the one face (or of faces that are one surface) that is named or selected."""
    component, instance, spec = requested.component, requested.instance, requested.spec
    if component is None:
        return None
    key = "face" if spec.face is not None else "select"
    if instance is None:
        names = ", ".join(n.removeprefix(component.name + "/") for n in component.instances[:5])
        message = f"{component.name!r} holds several parts; say which by part: {names}"
        draft.findings.add("CB147", message, at(key))
        return None
    shape = draft.parts[instance.part].shape
    if shape is None or not shape.faces:
        draft.findings.add("CB147", f"{instance.name!r} has no faces: its geometry is a mesh, or missing", at(key))
        return None
    faces = _named(draft, shape, spec.face, at) if spec.face is not None else _selected(draft, shape, spec, at)
    if not faces:
        return None
    features = [_of_face(draft, face, spec, at) for face in faces]
    first = features[0]
    if first is None:
        return None
    if not all(f is not None and _same(first, f) for f in features[1:]):
        what = spec.face or spec.select
        draft.findings.add("CB147", f"{what!r} is {len(faces)} faces that are not one surface", at(key))
        return None
    return first


def _named(draft: Draft, shape: Shape, name: str, at: Callable[[str], Where]) -> list[Face]:
    faces = [face for face in shape.faces if face.name == name]
    if not faces:
        known = [face.name for face in shape.faces if face.name]
        near = draft.near(name, known) if known else "; the faces of this part have no names"
        draft.findings.add("CB147", f"there is no face {name!r}{near}", at("face"))
    return faces


SELECTOR_CURE = (
    'A selector that works: `select: ">Z"`, the face farthest along z; others are "|X" (normal along x), '
    '"%CYLINDER" and ">Z and %PLANE". `cadbridge inspect SOURCE --faces PART` prints one for every face.'
)


def _selected(draft: Draft, shape: Shape, spec: FeatureSpec, at: Callable[[str], Where]) -> list[Face]:
    from cadbridge.errors import CadbridgeError
    from cadbridge.shapes import select_faces

    try:
        indices: Sequence[int] = select_faces(shape, (spec.select or "").removeprefix("faces "))
    except (CadbridgeError, ValueError) as error:
        draft.findings.add("CB147", str(error), at("select"), SELECTOR_CURE)
        return []
    if not indices:
        draft.findings.add("CB147", f"the selector {spec.select!r} finds no face", at("select"))
    return [shape.faces[i] for i in indices]


def _of_face(draft: Draft, face: Face, spec: FeatureSpec, at: Callable[[str], Where]) -> Feature | None:
    make = FROM_FACE.get((face.kind, spec.kind))
    if make is None:
        requested = spec.kind or "feature"
        has = f"which has {HAS[face.kind]}" if face.kind in HAS else "which has neither axis nor normal"
        what = f"{spec.face or spec.select!r} is a {face.kind} face, {has}; it has no {requested} to take"
        draft.findings.add("CB148", what, at("as" if spec.kind else "face"))
        return None
    return make(face)


_ONE_SURFACE = 1e-7
"""m, and sine of the angle, within which faces of one selection are one plane, line or point: seven digits of a metre.

Faces that a designer draws in steps, however small, are farther apart; then CB147 asks for one of them.
"""


def _same(a: Feature, b: Feature) -> bool:
    """Whether two features are the same plane, line or point."""
    if a.kind is not b.kind:
        return False
    gap = b.point - a.point
    if a.direction is None or b.direction is None:
        return bool(np.linalg.norm(gap) < _ONE_SURFACE)
    if cross_length(a.direction, b.direction) > _ONE_SURFACE:
        return False
    if a.kind is FeatureKind.PLANE:
        # The two sides of a thin sheet lie on one plane within rounding, and face away from each other.
        return bool(a.direction @ b.direction > 0 and abs(gap @ a.direction) < _ONE_SURFACE)
    return bool(cross_length(a.direction, gap) < _ONE_SURFACE)
