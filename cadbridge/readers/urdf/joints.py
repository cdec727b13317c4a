"""Joints, mimics and transmissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from cadbridge.assembly import Coupling, CouplingKind, Drive, Limit, Mate
from cadbridge.frames import Pose, Vector, unit
from cadbridge.freedoms import FIXED, UNBOUND, Free, free
from cadbridge.readers.joints import UNBOUNDED_FROM, axis_feature, joint_mates
from cadbridge.readers.names import free_name
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.urdf.links import Link
from cadbridge.readers.xml import Element, child, children, local

TYPES: dict[str, Free] = {
    "fixed": FIXED,
    "revolute": free("rz"),
    "continuous": free("rz"),
    "prismatic": free("tz"),
    "planar": free("tx ty rz"),
    "floating": UNBOUND,
}
"""What each type leaves free of a frame with z along the joint's axis."""

RANGED = ("revolute", "prismatic")
"""Types that a range bounds."""

_TILTED = 1e-9
"""1 − cos of a tilt of 9″: a direction tilted by more is not z, and Pinocchio's planar joint is another (CB1261)."""

_KNOWN = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration")


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between two links; X_PJ places it (and the child's frame at value zero) in the parent's."""

    name: str
    type: str
    free: Free
    parent: str
    child: str
    X_PJ: Pose
    axis: Vector
    element: Element
    mate: Mate


def read_joints(c: Context, robot: Element, links: Mapping[str, Link]) -> list[Joint]:
    """The joints that make a tree of the links; what does not is a finding."""
    joints: list[Joint] = []
    taken: set[str] = set()
    parent_of: dict[str, str] = {}
    for element in children(robot, "joint"):
        name = c.name(element)
        if name is None:
            continue
        if name in taken:
            c.say("CB182", f"a second joint is named {name!r}; it gets another name", element, name)
        name = free_name(name, taken)
        joint = _joint(c, element, name, links)
        if joint is None or not _keeps_tree(c, joint, parent_of):
            continue
        parent_of[joint.child] = joint.parent
        joints.append(joint)
    return joints


def _keeps_tree(c: Context, joint: Joint, parent_of: dict[str, str]) -> bool:
    # URDF is a tree: a second parent would make a loop, which its engines do not read either.
    if joint.child in parent_of:
        text = f"{joint.child} hangs on {parent_of[joint.child]} already; {joint.name} is left out"
        c.say("CB184", text, joint.element, joint.name)
        return False
    at: str | None = joint.parent
    while at is not None:
        if at == joint.child:
            c.say("CB184", f"{joint.name} closes a circle of links; it is left out", joint.element, joint.name)
            return False
        at = parent_of.get(at)
    return True


def _joint(c: Context, element: Element, name: str, links: Mapping[str, Link]) -> Joint | None:
    c.leave(element, *_KNOWN)
    given_kind = (element.get("type") or "").strip()
    kind = given_kind
    if given_kind not in TYPES:
        c.say("CB187", f"{name} is of type {given_kind!r}; known are {', '.join(TYPES)}", element, name)
        # The rest is still looked at, so that all faults of the joint are told at once.
        kind = next(iter(get_close_matches(given_kind[:20].lower(), TYPES, n=1)), "floating")
    leaves = TYPES[kind]
    ends = []
    for tag in ("parent", "child"):
        end = child(element, tag)
        link = None if end is None else end.get("link")
        if link not in links:
            c.say("CB183", f"{name}: the {tag} link {link!r} does not exist", element if end is None else end, name)
        else:
            ends.append(str(link))
    X_PJ = c.origin(element, name)
    axis = _axis(c, element, name) if leaves.directed else np.array([1.0, 0.0, 0.0])
    damping, friction = (_dynamics(c, element, key, name) for key in ("damping", "friction"))
    limit = _limit(c, element, kind, name)
    if len(ends) == 2 and ends[0] == ends[1]:
        c.say("CB183", f"{name} joins {ends[0]} to itself", element, name)
        return None
    if len(ends) != 2 or X_PJ is None or axis is None or given_kind not in TYPES:
        return None
    if leaves.slides == (0, 1) and abs(axis[2]) < 1.0 - _TILTED:
        given = ", ".join(f"{v + 0.0:.4g}" for v in axis)
        c.say("CB1261", f"{name} moves in the plane across ({given}), in Pinocchio across (0, 0, 1)", element, name)
    a, b = axis_feature(ends[0], X_PJ, [axis]), axis_feature(ends[1], Pose(), [axis])
    more = {"limit": limit, "damping": damping, "friction": friction, "joint_name": name}
    (mate,) = joint_mates(leaves, name, a, b, c.where(element, name), aligned=True, **more)
    return Joint(name, kind, leaves, ends[0], ends[1], X_PJ, axis, element, mate)


def _axis(c: Context, element: Element, name: str) -> Vector | None:
    """The unit axis in the joint's frame; x where the file gives none."""
    given = child(element, "axis")
    if given is None:
        return np.array([1.0, 0.0, 0.0])
    xyz = c.values(given, "xyz", 3, name)
    if xyz is None:
        return None
    size = float(np.abs(xyz).max())
    # An axis has no unit: a direction of rounding alone is none.
    if size < 1e-12:
        c.say("CB185", f"{name}: the axis is zero", given, name)
        return None
    # Divided first: the square of 1e200 overflows.
    return unit(xyz / size)


def _dynamics(c: Context, element: Element, key: str, name: str) -> float:
    given = child(element, "dynamics")
    value = 0.0 if given is None else c.number(given, key, name, 0.0)
    if value is not None and value < 0:
        c.say("CB181", f"{name}: a {key} below zero would drive the joint; it is left out", element, name)
    return max(value or 0.0, 0.0)


def _limit(c: Context, element: Element, kind: str, name: str) -> Limit | None:
    """Limits in rad or m; a range only where the type has one."""
    given = child(element, "limit")
    ranged = kind in RANGED
    if given is None:
        if ranged:
            c.say("CB186", f"{name} is {kind} and has no limits; it moves freely", element, name)
        return None
    missing = [key for key in ("effort", "velocity") if given.get(key) is None]
    if missing:
        c.say("CB1268", f"{name}: <limit> has no {' and no '.join(missing)}, taken as unlimited", given, name)
    values: dict[str, float | None] = {}
    for key in ("velocity", "effort"):
        values[key] = None if given.get(key) is None or _states_none(given, key) else c.number(given, key, name)
        if (values[key] or 0.0) < 0:
            c.say("CB181", f"{name}: {key} is below zero; it is left out", given, name)
            values[key] = None
    if ranged:
        lower, upper = (
            None if _states_none(given, key) else c.number(given, key, name, 0.0) for key in ("lower", "upper")
        )
        if lower is not None and upper is not None and lower > upper:
            c.say("CB186", f"{name}: lower {lower:g} is above upper {upper:g}; the range is left out", given, name)
        elif given.get("lower") is None and given.get("upper") is None:
            c.say("CB186", f"{name}: <limit> has no range; it moves freely", given, name)
        else:
            values |= {"lower": lower, "upper": upper}
    return Limit.of(values.get("lower"), values.get("upper"), values["velocity"], values["effort"])


def _states_none(given: Element, key: str) -> bool:
    """Whether a bound is so far out on its own side that it stands for none, as converters write it (inf, 1.8e308)."""
    outwards = -1.0 if key == "lower" else 1.0
    try:
        return outwards * float(given.get(key, "")) >= UNBOUNDED_FROM
    except ValueError:
        return False


def read_mimics(c: Context, joints: list[Joint]) -> list[Coupling]:
    """Mimics, each traced back to the joint that moves by itself: q = ratio · q_leader + offset.

    A leader that is fixed stays at 0, so that it holds its follower at the offset.
    """
    by_name = {j.name: j for j in joints}
    follows: dict[str, tuple[str, float, float]] = {}
    for joint in joints:
        element = child(joint.element, "mimic")
        if element is None:
            continue
        leader = by_name.get(element.get("joint", ""))
        ratio = c.number(element, "multiplier", joint.name, 1.0)
        offset = c.number(element, "offset", joint.name, 0.0)
        if not joint.free.axes:
            c.unread.append({"tag": "mimic", "line": c.line_of(element), "in": joint.name})
        elif not joint.free.single:
            c.say("CB188", f"{joint.name} is {joint.type} and has no one freedom to follow with", element, joint.name)
        elif leader is None or not (leader.free.single or not leader.free.axes):
            text = f"{joint.name} cannot follow {element.get('joint')!r}: both must exist and have one freedom"
            c.say("CB188", text, element, joint.name)
        elif ratio is not None and offset is not None:
            follows[joint.name] = (leader.name, ratio, offset)
    found = [_leader_of(c, name, follows, by_name) for name in follows]
    return [coupling for coupling in found if coupling is not None]


def _leader_of(
    c: Context, name: str, follows: Mapping[str, tuple[str, float, float]], by_name: Mapping[str, Joint]
) -> Coupling | None:
    """The coupling of a follower to the joint at the end of its chain of leaders; None, reported, in a circle."""
    leader_name, ratio, offset, seen = name, 1.0, 0.0, {name}
    while leader_name in follows:
        leader_name, by, shift = follows[leader_name]
        # q = ratio · (by · q' + shift) + offset: the offset of a leader passes through the ratio so far.
        ratio, offset = ratio * by, offset + ratio * shift
        if leader_name in seen:
            break
        seen.add(leader_name)
    element = by_name[name].element
    if leader_name in follows:
        c.say("CB188", f"{name} follows itself by way of {', '.join(sorted(seen))}", element, name)
        return None
    where = c.where(element, name)
    if not by_name[leader_name].free.axes:
        c.say("CB1435", f"{name} follows {leader_name}, which is fixed: it is held at {offset:g}", element, name)
        return Coupling(
            f"{name} mimic", CouplingKind.LINEAR, None, None, factors=((name, 1.0),), offset=offset, where=where
        )
    return Coupling(
        f"{name} mimic", CouplingKind.JOINTS, None, None, ratio=ratio, offset=offset, joints=(leader_name, name),
        where=where,
    )  # fmt: skip


_REDUCTION = ("mechanicalReduction", "mechanical_reduction", "gear_ratio")
_ROTOR = ("rotorInertia", "motorInertia", "rotor_inertia")


def read_drives(c: Context, robot: Element, joints: list[Joint]) -> list[Drive]:
    """Transmissions: the joint, the reduction, the rotor's inertia (kg m², at the rotor)."""
    names = {j.name for j in joints}
    drives: list[Drive] = []
    taken: set[str] = set()
    for element in children(robot, "transmission"):
        name = element.get("name") or f"transmission@{element.sourceline}"
        c.leave(element, "type", "joint", "actuator", *_REDUCTION, *_ROTOR)
        at, actuator = child(element, "joint"), child(element, "actuator")
        joint = None if at is None else at.get("name") or (at.text or "").strip()
        # ROS writes the reduction in <actuator>, older files in <joint> or in <transmission> itself.
        holders = [e for e in (actuator, at, element) if e is not None]
        for holder in holders[:-1]:
            c.leave(holder, "hardwareInterface", *_REDUCTION, *_ROTOR)
        drive = drive_of(c, name, joint, holders, names, element)
        if drive is None:
            continue
        label = (None if actuator is None else actuator.get("name")) or name
        if label in taken:
            label = name if name not in taken else f"{name}@{element.sourceline}"
        taken.add(label)
        drives.append(replace(drive, name=label))
    return drives


def drive_of(
    c: Context, name: str, joint: str | None, holders: list[Element], names: set[str], element: Element
) -> Drive | None:
    """The drive of a joint, its numbers in the first of the holders that has them; None with a finding."""
    # Drake reflects its rotors by its own ratio, whatever ROS calls the reduction of the same actuator.
    own = [e for holder in holders for e in children(holder, "gear_ratio")]
    passed = [e for holder in holders for e in children(holder, *_REDUCTION[:2]) if own]
    c.unread += [{"tag": local(e), "line": c.line_of(e), "in": name} for e in passed]
    reduction = _first(c, holders, _REDUCTION[2:] if own else _REDUCTION, 1.0, name)
    rotor = _first(c, holders, _ROTOR, 0.0, name)
    if reduction is None or rotor is None:  # which is told
        return None
    if joint is None:
        why = "names no joint"
    elif joint not in names:
        why = f"drives {joint!r}, which the file has not, or which is left out too"
    elif reduction == 0:
        why = "has a reduction of 0, which moves nothing"
    elif rotor < 0:
        why = f"has a rotor of {rotor:g} kg m²"
    else:
        return Drive(name, joint, reduction, rotor, c.where(element, name))
    c.say("CB194", f"{name} {why}; it is left out", element, name)
    return None


def _first(c: Context, holders: list[Element], tags: tuple[str, ...], default: float, item: str) -> float | None:
    """The number in the first element of one of the tags, as text or as `value`."""
    for holder in holders:
        for element in children(holder, *tags):
            text = element.get("value") or (element.text or "").strip()
            try:
                value = float(text)
            except ValueError:
                value = float("nan")
            if np.isfinite(value):
                return value
            c.say("CB194", f"{item}: <{local(element)}> is {text!r}, not a number", element, item)
            return None
    return default
