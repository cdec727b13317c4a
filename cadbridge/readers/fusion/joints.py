"""Joints, as-built joints and rigid groups.

Measured on a design of the Gallery: a joint's origin is in the root's frame, its axes are in that of the occurrence,
z is the primary axis, x the secondary one, and the first frame stands at the second, turned by `angle` about
and shifted by `offset` along z. Other exporters use other frames, so for each joint the reading is taken in which its
two geometries meet as drawn.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.assembly import FeatureKind, Limit, Mate, MateKind
from cadbridge.frames import Matrix, Pose, frame_from_axis
from cadbridge.freedoms import FIXED, SLIDE, Free, free
from cadbridge.readers.fusion.context import Context
from cadbridge.readers.joints import coordinate, joint_mates
from cadbridge.readers.json_file import names_of, text_of
from cadbridge.readers.structure import PlacedOccurrence
from solver import rotation

JOINT_MET = 1e-5
"""m, and sines of angles, within which the two geometries of a joint meet in one reading of its frames.

A choice: placements of the documents are exact to 1e-6, other readings are off by right angles or by lengths of parts.
"""


@dataclass(frozen=True)
class JointMotion:
    """A joint type: what it leaves free, the key of z's direction, of x's, and of the limit that a joint can have."""

    free: Free
    z: str = ""
    x: str = ""
    limit: str = ""

    @property
    def slotted(self) -> bool:
        """Whether it slides along x alone, whose direction then counts."""
        return self.free.slides == (0,)

    @property
    def across(self) -> bool:
        """Whether it holds the origins together across z."""
        return not {0, 1} & {*self.free.slides}

    @property
    def along(self) -> bool:
        """Whether it holds the origins together along z."""
        return 2 not in self.free.slides


MOTIONS: dict[str, JointMotion] = {
    "RigidJointType": JointMotion(FIXED),
    "RevoluteJointType": JointMotion(free("rz"), "rotation_axis", limit="rotation_limits"),
    "SliderJointType": JointMotion(free("tz"), "slide_direction", limit="slide_limits"),
    "CylindricalJointType": JointMotion(free("tz rz"), "rotation_axis", limit="rotation_limits"),
    "PinSlotJointType": JointMotion(free("tx rz"), "rotation_axis", "slide_direction", "rotation_limits"),
    "PlanarJointType": JointMotion(free("tx ty rz"), "normal_direction", "primary_slide_direction"),
    "BallJointType": JointMotion(free("rx ry rz")),
}
DIRECTIONS = {"XAxisJointDirection": 0, "YAxisJointDirection": 1, "ZAxisJointDirection": 2}
"""Columns of the joint's frame; a custom direction names an entity, which is not in the file as a vector."""


@dataclass(frozen=True, eq=False)
class _Side:
    """One side of a joint: where it is, and the frames (world, m) that its geometry may mean."""

    place: PlacedOccurrence
    frames: tuple[Pose, ...]


def read_joints(c: Context) -> list[Mate]:
    """The mates of all joints and groups, in the order of the file."""
    found: list[Mate] = []
    for section in ("joints", "as_built_joints"):
        for uuid, joint in c.entries(section):
            found += _joint(c, uuid, joint, as_built=section != "joints")
    groups = c.file.content.get("rigid_groups")
    if isinstance(groups, dict):
        for uuid, group in c.entries("rigid_groups"):
            found += _group(c, uuid, group)
    else:
        for group in c.file.objects(groups, "rigid_groups"):
            found += _group(c, text_of(group.get("name")), group)
    return found


def _joint(c: Context, uuid: str, joint: dict[str, Any], as_built: bool) -> tuple[Mate, ...]:
    name = text_of(joint.get("name")) or uuid
    if joint.get("is_suppressed") is True:
        c.suppressed.append(name)
        return ()
    c.given += 1
    entry = c.file.mapping(joint.get("joint_motion"), f"{name}: joint_motion")
    motion = MOTIONS.get(text_of(entry.get("joint_type")))
    if motion is None:
        c.file.say("CB1303", f"{name}: a joint of type {entry.get('joint_type')!r} is not understood", uuid, name)
        return ()
    places = [_place(c, joint.get(f"occurrence_{end}"), uuid, name) for end in ("one", "two")]
    one, two = places
    if one is None or two is None:
        return ()
    if one.component == two.component:
        c.file.say("CB168", f"{name} holds two places of {one.component}, which is rigid", uuid, name)
        return ()
    keys = ("joint_geometry",) if as_built else ("geometry_or_origin_one", "geometry_or_origin_two")
    geometry = [joint.get(key) for key in keys]
    # A rigid joint needs no geometry: it holds the occurrences as they are.
    if all(g is None for g in geometry) and not motion.free.axes:
        return _fixed(c, uuid, name, one, two)
    sides = [_side(c, p, g, uuid, name) for p, g in zip((one, two), geometry, strict=False)]
    if as_built and sides[0] is not None:
        sides.append(replace(sides[0], place=two))  # one geometry, as drawn, for both
    found = [s for s in sides if s is not None]
    return _between(c, uuid, name, joint, motion, entry, found) if len(found) == 2 else ()


def _place(c: Context, occurrence: Any, uuid: str, name: str) -> PlacedOccurrence | None:
    """Where an occurrence is; an absent one is the root."""
    key = c.keys.get(occurrence or "") if occurrence is None or isinstance(occurrence, str) else None
    place = None if key is None else c.structure.placed.get(key)
    if place is None:
        c.file.say("CB162", f"{name} holds the occurrence {occurrence!r}, which is not in the tree", uuid, name)
        return None
    if not place.component:
        text = f"{name} holds {place.name}, whose parts move and which has no body of its own"
        c.file.say("CB1303", text, uuid, name)
        return None
    return place


def _fixed(
    c: Context, uuid: str, name: str, one: PlacedOccurrence, two: PlacedOccurrence, end: str = ""
) -> tuple[Mate, ...]:
    """No motion between two occurrences, as they are."""
    a, b = (c.structure.feature(p, FeatureKind.POINT, (0.0, 0.0, 0.0)) for p in (two, one))
    return (Mate(name + end, MateKind.FIXED, a, b, where=c.file.where(uuid, name)),)


def _side(c: Context, place: PlacedOccurrence, geometry: Any, uuid: str, name: str) -> _Side | None:
    """The frames that a geometry may mean: origin and axes each in the root's frame or in the occurrence's.

    The occurrence is that of the entity which the geometry names, else the joint's own.
    """
    entry = c.file.mapping(geometry, f"{name}: geometry")
    if "joint_origin" in entry:
        origins = c.file.mapping(c.file.content.get("joint_origins"), "joint_origins")
        held = c.file.mapping(origins.get(text_of(entry["joint_origin"])), f"{name}: joint_origin")
        entry = c.file.mapping(held.get("joint_geometry"), f"{name}: joint_geometry")
    origin = c.xyz(entry.get("origin"), f"{name}: origin", uuid)
    z = c.axis(entry.get("primary_axis_vector"), f"{name}: primary_axis_vector", uuid)
    x = c.axis(entry.get("secondary_axis_vector"), f"{name}: secondary_axis_vector", uuid)
    if origin is None or z is None or x is None:
        return None
    # The sine of 0.06°: axes that Fusion writes at right angles are so to fifteen digits; others belong to no frame.
    if abs(float(z @ x)) > 1e-3:
        c.file.say("CB181", f"{name}: its axes are not perpendicular", uuid, name)
        return None
    entity = c.file.mapping(entry.get("entity_one"), f"{name}: entity_one")
    key = c.keys.get(text_of(entity.get("occurrence"), "?"))
    X = place.matrix if key is None or key not in c.structure.placed else c.structure.placed[key].matrix
    # An entity of the root component has no occurrence: its geometry is in the root's frame.
    if "root_component" in entity and "occurrence" not in entity:
        X = np.eye(3, 4)
    R, p = frame_from_axis(z, x), origin * c.length
    axes = (_turned(X[:, :3], R), R)
    points = (p, X[:, :3] @ p + X[:, 3])
    return _Side(place, tuple(Pose(turned, point) for point in points for turned in axes))


def _turned(linear: Matrix, R: Matrix) -> Matrix:
    """Axes turned by a placement, right-handed even where it mirrors."""
    return frame_from_axis(linear @ R[:, 2], linear @ R[:, 0])


def _between(
    c: Context,
    uuid: str,
    name: str,
    joint: dict[str, Any],
    motion: JointMotion,
    entry: dict[str, Any],
    sides: list[_Side],
) -> tuple[Mate, ...]:
    """The mates between two geometries: the first occurrence moves relative to the second."""
    axes = _axes(c, motion, entry, uuid, name)
    offset, angle = (_parameter(c, joint.get(key), f"{key} of {uuid}", uuid) for key in ("offset", "angle"))
    if axes is None:
        return ()
    one, two = sides
    for first, second in _readings(one, two):
        if _met(motion, first, second, axes, offset * c.length):
            break
    else:
        first, second = one.frames[0], two.frames[0]
        if motion.free.axes:
            text = f"{name}: its geometries do not meet as drawn; the joint is held as drawn, at its first geometry"
            c.file.say("CB1309", text, uuid, name)
        second = Pose(first.R, first.p)
    z, x = (second.R[:, axes[0]], second.R[:, axes[1]])
    X_WJ = Pose(frame_from_axis(z, x), second.p)
    height = float(z @ (first.p - second.p))
    at = X_WJ.p + z * (height if motion.along else 0.0)
    other = at if motion.across and motion.along else first.p
    a = _feature(c, two.place, replace(X_WJ, p=at))
    b = _feature(c, one.place, replace(X_WJ, p=other))
    limit = _limit(c, motion, entry, uuid, name)
    if limit is not None:
        turns = motion.free.motion != SLIDE
        value = _turn(X_WJ, first, axes) - angle if turns else height - offset * c.length
        limit = limit.counted_from(value, turns)
    return joint_mates(motion.free, name, a, b, c.file.where(uuid, name), limit=limit)


def _turn(X_WJ: Pose, first: Pose, axes: tuple[int, int]) -> float:
    """The value of a joint that turns, as drawn."""
    turned = frame_from_axis(first.R[:, axes[0]], first.R[:, axes[1]])
    # A flipped joint has its z against the other's; turns are counted about the second's.
    if float(turned[:, 2] @ X_WJ.R[:, 2]) < 0:
        turned = turned @ np.diag([1.0, -1.0, -1.0])
    return coordinate(X_WJ.inverse() @ Pose(turned, first.p), 5)


def _readings(one: _Side, two: _Side) -> list[tuple[Pose, Pose]]:
    """Pairs of frames, those read the same way on both sides first."""
    pairs = list(itertools.product(range(4), repeat=2))
    # One program writes both sides in the same frames; a mixed pair that meets as well does so by chance.
    pairs.sort(key=lambda p: p[0] != p[1])
    return [(one.frames[i], two.frames[j]) for i, j in pairs]


def _met(motion: JointMotion, first: Pose, second: Pose, axes: tuple[int, int], offset: float) -> bool:
    """Whether two frames stand as the joint and its offset say."""
    z = second.R[:, axes[0]]
    gap = first.p - second.p
    height = float(z @ gap)
    sideways = math.hypot(*(gap - height * z).tolist())
    if not motion.free.ball and math.hypot(*rotation.cross(z, first.R[:, axes[0]]).tolist()) > JOINT_MET:
        return False
    # The file does not say along whose z the offset counts, and that of a flipped joint points the other way.
    met_along = min(abs(height - offset), abs(height + offset)) < JOINT_MET
    return (not motion.across or sideways < JOINT_MET) and (not motion.along or met_along)


def _axes(c: Context, motion: JointMotion, entry: dict[str, Any], uuid: str, name: str) -> tuple[int, int] | None:
    """The columns of the joint's frame that are z and x of the motion; z and x where no limit is given."""
    z = DIRECTIONS.get(text_of(entry.get(motion.z)) or "ZAxisJointDirection") if motion.z else 2
    x = (z + 1) % 3 if z is not None else None
    if motion.x and entry.get(motion.x) is not None and motion.slotted:
        x = DIRECTIONS.get(text_of(entry.get(motion.x)))
    if z is None or x is None or z == x:
        shown = ", ".join(str(entry.get(k)) for k in (motion.z, motion.x) if k)
        c.file.say("CB1303", f"{name}: the directions {shown} are not among the joint's own axes", uuid, name)
        return None
    return z, x


def _parameter(c: Context, value: Any, what: str, uuid: str) -> float:
    """The value of a parameter (cm or rad); 0 where there is none, or with a finding."""
    found = value.get("value") if isinstance(value, dict) else None
    return 0.0 if found is None else c.file.number(found, what, uuid) or 0.0


def _feature(c: Context, place: PlacedOccurrence, X_WJ: Pose) -> Any:
    """A frame given in the world as FRAME of a component."""
    whole = replace(place, matrix=np.eye(3, 4))
    return c.structure.feature(whole, FeatureKind.FRAME, X_WJ.p, X_WJ.R[:, 2], X_WJ.R[:, 0], label="joint")


def _limit(c: Context, motion: JointMotion, entry: dict[str, Any], uuid: str, name: str) -> Limit | None:
    """The limit of the first freedom, from the joint's zero; enabled limits of others are reported."""
    limit = None
    for key, value in entry.items():
        if not key.endswith("_limits") or not isinstance(value, dict):
            continue
        scale = c.length if "slide" in key else 1.0
        bounds = []
        for end in ("minimum", "maximum"):
            number = value.get(f"{end}_value") if value.get(f"is_{end}_value_enabled") is True else None
            bounds.append(None if number is None else c.file.number(number, f"{name}: {key}", uuid))
        lower, upper = (None if v is None else v * scale for v in bounds)
        if lower is None and upper is None:
            continue
        if key != motion.limit or (lower is not None and upper is not None and lower > upper):
            c.file.say("CB1305", f"{name}: {key} from {bounds[0]} to {bounds[1]} (cm or rad) are left out", uuid, name)
        else:
            limit = Limit.of(lower, upper)
    return limit


def _group(c: Context, uuid: str, group: dict[str, Any]) -> tuple[Mate, ...]:
    """A rigid group: each further member fixed to the first. Several mates of one group count as one."""
    name = text_of(group.get("name")) or uuid
    if group.get("is_suppressed") is True:
        c.suppressed.append(name)
        return ()
    c.given += 1
    occurrences = group.get("occurrences")
    members = names_of(list(occurrences) if isinstance(occurrences, dict) else occurrences)
    if not members:
        c.file.say("CB181", f"{name}: the occurrences of a rigid group must be a list of uuids", uuid, name)
        return ()
    places = [p for m in members if (p := _place(c, m, uuid, name)) is not None]
    made: list[Mate] = []
    done = {places[0].component} if places else set()
    for place in places[1:]:
        if place.component not in done:
            done.add(place.component)
            made += _fixed(c, uuid, name, place, places[0], f" {len(made) + 1}" if made else "")
    # `given` is compared with the number of mates, and a group of n members makes n - 1 of them.
    c.given += len(made) - 1
    return tuple(made)
