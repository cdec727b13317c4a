"""What other programs add to a URDF: kept as written; loops, drives and rotor inertias among it are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from cadbridge.assembly import Drive, Mate
from cadbridge.frames import Pose, Vector, unit
from cadbridge.freedoms import FIXED, Free, free
from cadbridge.readers.joints import axis_feature, joint_mates
from cadbridge.readers.names import free_name
from cadbridge.readers.placement import ALIGNED
from cadbridge.readers.sdf.joints import screw_pitch
from cadbridge.readers.urdf.context import Context
from cadbridge.readers.urdf.joints import Joint, drive_of
from cadbridge.readers.urdf.links import Link
from cadbridge.readers.xml import Element, child, children, local, numbers, text_of

KEPT = ("gazebo", "ros2_control", "mujoco", "drake", "sensor", "group", "disable_collisions")
"""Elements of <robot> that are kept as text in `Assembly.extra["extensions"]`."""

LOOPED: dict[str, Free] = {
    "revolute": free("rz"),
    "continuous": free("rz"),
    "prismatic": free("tz"),
    "ball": free("rx ry rz"),
    "spherical": free("rx ry rz"),
    "universal": free("rx ry"),
    "fixed": FIXED,
    "planar": free("tx ty rz"),
    "screw": free("tz rz", pitched=True),
}
"""What joints that close a loop leave free, by the types of SDF and of others who write such elements."""


@dataclass(frozen=True, eq=False)
class Extensions:
    """What the extensions say: `kept` tag → texts, loop closures as mates (of so many in the file), drives."""

    kept: dict[str, list[str]]
    loops: tuple[Mate, ...]
    loops_in_file: int
    drives: tuple[Drive, ...]


def read_extensions(
    c: Context, robot: Element, links: Mapping[str, Link], joints: list[Joint], drives: list[Drive]
) -> Extensions:
    """Read and keep the extensions of a robot; `drives` are those of its transmissions."""
    kept: dict[str, list[str]] = {}
    loops: list[Mate] = []
    more: list[Drive] = []
    count = 0
    taken = {j.name for j in joints}
    for element in children(robot):
        tag = local(element)
        if tag in KEPT or tag in LOOPS:
            kept.setdefault(tag, []).append(_text(element))
        made = [LOOPS[tag](c, element, links)] if tag in LOOPS else []
        if tag == "gazebo":
            made = [_gazebo_joint(c, e, links) for e in children(element, "joint") if _has_links(c, e, links)]
        count += len(made)
        for mate in made:
            if mate is not None:
                name = free_name(mate.name, taken)
                loops.append(replace(mate, name=name, joint_name=name))
        if tag == "ros2_control":
            more += _drives(c, element, joints, [*drives, *more])
    _report_closing_frames(c, links)
    return Extensions(kept, tuple(loops), count, tuple(more))


def kept_of_joints(joints: list[Joint]) -> dict[str, dict[str, dict[str, str]]]:
    """Safety controllers and calibrations as they stand: joint → element → attributes."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for joint in joints:
        for element in children(joint.element, "safety_controller", "calibration"):
            found.setdefault(joint.name, {})[local(element)] = dict(element.attrib)
    return found


def _text(element: Element) -> str:
    return str(etree.tostring(element, encoding="unicode", with_tail=False))


# --- loops ---


def _has_links(c: Context, element: Element, links: Mapping[str, Link]) -> bool:
    """Whether the file has the links of a joint within <gazebo>; one without is reported and left out, as in Gazebo."""
    missing = [end for tag in ("parent", "child") if (end := text_of(element, tag)) and end not in links]
    if missing:
        name = element.get("name", "a joint")
        c.say("CB1252", f"{name}: the file has no link {' and no link '.join(map(repr, missing))}", element, name)
    return not missing


def _gazebo_joint(c: Context, element: Element, links: Mapping[str, Link]) -> Mate | None:
    """An SDF joint within <gazebo>: the frame stands in the child link's, the axis in the joint's."""
    name = _named(element)
    ends = [(e.text or "").strip() if (e := child(element, tag)) is not None else "" for tag in ("parent", "child")]
    pose = numbers(text_of(element, "pose") or "0 0 0 0 0 0", 6)
    given = [child(element, tag) for tag in ("axis", "axis2")]
    # What stands within <gazebo> is SDF, whose default axis is z; a joint of the URDF itself has x.
    axes = _axes(["0 0 1" if e is None else text_of(e, "xyz") or "0 0 1" for e in given[: 1 + (given[1] is not None)]])
    if pose is None or axes is None:
        _refused(c, element, name, "its pose or axis cannot be read")
        return None
    X_CJ, kind = Pose.from_rpy(pose[:3], pose[3:]), element.get("type", "")
    mate = _loop(c, element, kind, (ends[0], ends[1]), (None, X_CJ), axes, links)
    if mate is None or not LOOPED[kind].pitched:
        return mate
    (turn,) = numbers(text_of(element, "screw_thread_pitch"), 1) or (0.0,)
    (old,) = numbers(text_of(element, "thread_pitch"), 1) or (0.0,)
    pitch = screw_pitch(turn, old)
    if not pitch:
        _refused(c, element, name, "the screw has no pitch")
        return None
    return replace(mate, value=pitch)


def _loop_joint(c: Context, element: Element, links: Mapping[str, Link]) -> Mate | None:
    """<loop_joint>: a frame in each of the two links, the axis in the first."""
    name = _named(element)
    ends, frames = [], []
    for tag in ("link1", "link2"):
        end = child(element, tag)
        ends.append("" if end is None else end.get("link", ""))
        xyz = numbers("0 0 0" if end is None else end.get("xyz", "0 0 0"), 3)
        rpy = numbers("0 0 0" if end is None else end.get("rpy", "0 0 0"), 3)
        if xyz is None or rpy is None:
            _refused(c, element, name, f"<{tag}> cannot be read")
            return None
        frames.append(Pose.from_rpy(xyz, rpy))
    axes = _axes([e.get("xyz", "") for e in children(element, "axis", "axis2")] or ["1 0 0"])
    if axes is None:
        _refused(c, element, name, "its axis cannot be read")
        return None
    return _loop(c, element, element.get("type", ""), (ends[0], ends[1]), (frames[0], frames[1]), axes, links)


def _ball_constraint(c: Context, element: Element, links: Mapping[str, Link]) -> Mate | None:
    """Drake's ball constraint: a point in each of two links."""
    name = _named(element)
    values = {local(e).removeprefix("ball_constraint_"): e for e in children(element)}
    ends = tuple(values[k].get("name", "") if k in values else "" for k in ("body_A", "body_B"))
    points = [numbers(values[k].get("value") if k in values else None, 3) for k in ("p_AP", "p_BQ")]
    if points[0] is None or points[1] is None:
        _refused(c, element, name, "its points cannot be read")
        return None
    frames = (Pose(p=np.array(points[0])), Pose(p=np.array(points[1])))
    return _loop(c, element, "ball", (ends[0], ends[1]), frames, (np.array([0.0, 0.0, 1.0]),), links)


LOOPS = {"loop_joint": _loop_joint, "ball_constraint": _ball_constraint}
"""Elements of <robot> that close loops."""


def _refused(c: Context, element: Element, name: str, why: str) -> None:
    c.say("CB198", f"{name}: {why}; the loop stays open", element, name)


def _named(element: Element) -> str:
    return element.get("name") or f"{local(element)}@{element.sourceline}"


def _axes(texts: list[str]) -> tuple[Vector, ...] | None:
    """The directions in texts; None where one is none."""
    found = [numbers(text, 3) for text in texts]
    # As of joints: a direction of rounding alone is none.
    axes = [np.array(axis) for axis in found if axis is not None and max(map(abs, axis)) > 1e-12]
    return tuple(unit(axis) for axis in axes) if len(axes) == len(texts) else None


def _loop(
    c: Context, element: Element, kind: str, ends: tuple[str, str], frames: tuple[Pose | None, Pose],
    axes: tuple[Vector, ...], links: Mapping[str, Link],
) -> Mate | None:  # fmt: skip
    """The mate of a closure. Without a frame in the first link, that of the second says where it is as designed.

    Of a universal joint the first axis is the first link's arm of the cross, the second the second's.
    """
    name, leaves = _named(element), LOOPED.get(kind)
    if leaves is None:
        _refused(c, element, name, f"type {kind!r} is not known")
        return None
    missing = [end for end in ends if end not in links]
    if missing or ends[0] == ends[1]:
        _refused(c, element, name, f"it needs two links of the file, not {ends[0]!r} and {ends[1]!r}")
        return None
    crossed = len(leaves.turns) == 2
    if crossed and (len(axes) < 2 or abs(float(axes[0] @ axes[1])) > ALIGNED):
        _refused(c, element, name, "a universal joint needs two axes at a right angle, <axis> and <axis2>")
        return None
    first, second = frames
    if first is None:
        # SDF gives the frame of a joint in the child link alone.
        first = c.placements[ends[0]].inverse() @ c.placements[ends[1]] @ second
    a, b = (axis_feature(end, X, axes[: 1 + crossed]) for end, X in zip(ends, (first, second), strict=True))
    (mate,) = joint_mates(leaves, name, a, b, c.where(element, name), aligned=True, joint_name=name)
    return mate


def _report_closing_frames(c: Context, links: Mapping[str, Link]) -> None:
    """Pairs of frames by which some converters mark a loop without saying what closes it."""
    for name, link in links.items():
        if name.startswith("closing_") and name.endswith("_1") and f"{name[:-2]}_2" in links:
            text = f"{name} and {name[:-2]}_2 mark a loop; what closes it the URDF does not say"
            c.say("CB199", text, link.element, name)


# --- drives ---


def _drives(c: Context, control: Element, joints: list[Joint], known: list[Drive]) -> list[Drive]:
    """Transmissions within <ros2_control>, one drive for every joint they name."""
    names = {j.name for j in joints}
    found: list[Drive] = []
    for element in children(control, "transmission"):
        label = element.get("name") or f"transmission@{element.sourceline}"
        for at in children(element, "joint"):
            drive = drive_of(c, label, at.get("name"), [at, element], names, element)
            if drive is not None:
                name = free_name(drive.name, {d.name for d in (*known, *found)})
                found.append(replace(drive, name=name))
    return found
