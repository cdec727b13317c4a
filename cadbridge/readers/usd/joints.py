"""Joints as mates. Every joint of UsdPhysics is a set of free axes of its two frames, which coincide in all others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Component, FeatureKind, Limit, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.frames import Matrix, Pose
from cadbridge.freedoms import SLIDE, TURN, UNBOUND, Free
from cadbridge.readers.joints import coordinate, frame_feature, joint_mates
from cadbridge.readers.names import free_name
from cadbridge.readers.usd.context import Context, number, vector
from cadbridge.units import DEGREE, TO_DEGREES

AXES = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")
UNBOUNDED_FROM = 1e30
"""A bound of this magnitude is none: files of USD write infinity or 3.4e38, single precision's largest.

Larger than that of URDF and SDF (`readers.joints`): forces of stages in g and mm are a million times N.
"""

_FASTEST = 1e6
"""Degrees or units of length a second, PhysX's default of `maxJointVelocity`: a joint with it has no bound of speed."""

_FRAMES_MET = 1e-5
"""m and rad by which frames may be apart where the joint holds them: single precision over some metres and bodies.

Within it they are made one, so that the designed pose fulfils the mate. Beyond it the mates show how far they are off.
"""

PHYSX_COUPLINGS = {
    "PhysxPhysicsGearJoint": ("physics:hinge0", "physics:hinge1"),
    "PhysxPhysicsRackAndPinionJoint": ("physics:prismatic", "physics:hinge"),
}
"""Prims that couple two joints, and what names these: the one that is followed first."""

_FRAMES_WRONG = 1e-3
"""m and rad beyond which frames, or lines of two joints, are others rather than imprecise. A choice.

A joint with the world is then at the body's frame (CB1456): who moves a robot leaves the world's frame behind.
"""


@dataclass(eq=False)
class Joint:
    """A joint read: what it leaves free of its frames, whose poses X_WK by either end are `frames`; `ends` components.

    `at` is the coordinate as designed, of the one free axis: rad or m.
    """

    name: str
    prim: dict[str, Any]
    free: Free
    ends: tuple[str, str]
    poses: tuple[Pose, Pose]
    frames: tuple[Pose, Pose]
    at: float = 0.0

    @property
    def turns(self) -> bool:
        """Whether its one coordinate is an angle; of a ball too."""
        return self.free.motion == TURN or self.free.ball

    def value(self, key: str, default: float | None = None) -> float | None:
        """A number of the joint's attributes."""
        found = number(self.prim["attributes"], key, math.nan)
        return default if math.isnan(found) else found


def read_joints(c: Context) -> tuple[list[Joint], list[Mate], list[Component], set[str]]:
    """The joints, their mates, massless components between stacked ones, and the bodies that stand on the world."""
    joints, standing = [], set()
    taken: set[str] = set()
    for prim in c.stage["joints"]:
        if prim["type"] in PHYSX_COUPLINGS:
            continue
        name = free_name(prim["name"], taken)
        if prim["attributes"].get("physics:jointEnabled") is False:
            c.say("CB1455", f"joint {name} is switched off", name)
            continue
        joint = _joint(c, name, prim)
        if joint is None:
            continue
        if not joint.free.axes and GROUND in joint.ends:
            standing.add(joint.ends[0] if joint.ends[1] == GROUND else joint.ends[1])
        elif joint.free == UNBOUND and not _rod(prim):
            c.say("CB1455", f"joint {name} locks no axis", name)
        else:
            joints.append(joint)
    between = _stack(c, joints)
    return joints, [mate for joint in joints for mate in _mates(c, joint)], between, standing


def _joint(c: Context, name: str, prim: dict[str, Any]) -> Joint | None:
    """A joint with its two ends; None where it was left out, with a finding."""
    if any(end["target"] and not end["exists"] for end in prim["ends"]):
        missing = ", ".join(end["target"] for end in prim["ends"] if not end["exists"])
        c.say("CB1444", f"joint {name} joins {missing}, which does not exist", name)
        return None
    bodies = [end["body"] for end in prim["ends"]]
    if bodies[0] == bodies[1]:
        c.say("CB1444", f"joint {name} joins no two bodies", name)
        return None
    open_axes = _open(c, name, prim)
    if open_axes is None:
        return None
    frames = []
    for i, end in enumerate(prim["ends"]):
        position = vector(prim["attributes"], f"physics:localPos{i}", (0.0, 0.0, 0.0))
        frames.append(
            c.frame(end["matrix"], position, vector(prim["attributes"], f"physics:localRot{i}", (1.0, 0.0, 0.0, 0.0)))
        )
    if not all(np.isfinite(frame.matrix()).all() for frame in frames):
        c.say("CB1444", f"joint {name} has frames that are not finite numbers", name)
        return None
    ends = (c.names.get(bodies[0], GROUND), c.names.get(bodies[1], GROUND))
    poses = (c.X.get(bodies[0], Pose()), c.X.get(bodies[1], Pose()))
    joint = Joint(name, prim, Free(open_axes), ends, poses, (frames[0], frames[1]))
    _settle(c, joint)
    return joint


_SINGLE = {"PhysicsRevoluteJoint": 3, "PhysicsPrismaticJoint": 0}
"""Joints of one freedom, and the index in AXES of their freedom about or along x."""


def _open(c: Context, name: str, prim: dict[str, Any]) -> tuple[int, ...] | None:
    """The free axes; None where the joint is of another kind, with a finding."""
    kind, attributes = prim["type"], prim["attributes"]
    if kind in _SINGLE:
        return (_SINGLE[kind] + max("XYZ".find(str(attributes.get("physics:axis"))), 0),)
    if kind == "PhysicsFixedJoint":
        return ()
    if kind == "PhysicsSphericalJoint":
        if any(number(attributes, f"physics:coneAngle{i}Limit", -1.0) >= 0.0 for i in (0, 1)):
            c.say("CB1305", f"joint {name}: the limit of its cone is left out", name)
        return (3, 4, 5)
    if kind == "PhysicsDistanceJoint":
        low, high = _distances(prim)
        if low < 0.0 > high or low == high:
            return (3, 4, 5) if low == 0.0 else (0, 1, 2, 3, 4, 5)
        bounds = f"at least {low:g}" if high < 0.0 else f"at most {high:g}" if low <= 0.0 else f"{low:g} to {high:g}"
        c.say("CB1444", f"joint {name}: a distance of {bounds} is a limit, and no mate holds it", name)
        return None
    if kind != "PhysicsJoint":
        c.say("CB1444", f"joint {name} is a {kind}, which is not read", name)
        return None
    axes = []
    for i, axis in enumerate(AXES):
        low, high = (number(attributes, f"limit:{axis}:physics:{end}", math.nan) for end in ("low", "high"))
        # UsdPhysics locks an axis by a low limit above the high one. Written so, an axis without limits (nan) is free.
        if not low >= high:
            axes.append(i)
        elif low == high and abs(low) > _FRAMES_MET:
            c.say("CB1305", f"joint {name}: {axis} is held as designed, not at {low:g}", name)
        elif f"PhysicsLimitAPI:{axis}" not in prim["schemas"]:
            c.say("CB1305", f"joint {name}: {axis} is locked although PhysicsLimitAPI:{axis} is not applied", name)
    return tuple(axes)


def _distances(prim: dict[str, Any]) -> tuple[float, float]:
    """The least and the largest distance of a distance joint, below 0 where there is none."""
    low, high = (number(prim["attributes"], f"physics:{end}Distance", -1.0) for end in ("min", "max"))
    return low, high


def _rod(prim: dict[str, Any]) -> bool:
    low, high = _distances(prim)
    return prim["type"] == "PhysicsDistanceJoint" and low == high > 0.0


def _settle(c: Context, joint: Joint) -> None:
    """Make the frames coincide where the joint holds them; report where they are apart."""
    a, b = joint.frames
    X_AB = a.inverse() @ b
    free_slides = np.array([i in joint.free.slides for i in range(3)])
    turns = joint.free.turns
    motion = Pose(X_AB.R, X_AB.p * free_slides)
    if len(turns) == 1:
        w, *xyz = X_AB.quaternion()
        motion = Pose(_about(turns[0], 2.0 * math.atan2(xyz[turns[0]], w)), motion.p)
    elif not turns:
        motion = Pose(np.eye(3), motion.p)
    rest = motion.inverse() @ X_AB
    gap = max(float(np.abs(rest.p).max()), float(np.abs(rest.R - np.eye(3)).max()))
    if joint.free.single:
        joint.at = coordinate(motion, joint.free.axes[0])
    # Frames in single precision never coincide exactly, and a mate between them would be off as designed.
    if gap <= _FRAMES_MET:
        joint.frames = (b @ motion.inverse(), b)
    elif gap > _FRAMES_WRONG and GROUND in joint.ends:
        joint.frames = (b @ motion.inverse(), b) if joint.ends[0] == GROUND else (a, a @ motion)
        c.say("CB1456", f"joint {joint.name}: its frames are {gap:.2g} (m, rad) apart; the body's is taken", joint.name)


def _about(axis: int, angle: float) -> Matrix:
    q = np.zeros(4)
    q[0], q[1 + axis] = math.cos(angle / 2.0), math.sin(angle / 2.0)
    return Pose.from_quaternion(np.zeros(3), q).R


def _stack(c: Context, joints: list[Joint]) -> list[Component]:
    """Joints of one freedom between the same two bodies, but for those on one line, act in series.

    UsdPhysics would hold the bodies by both; files made from MJCF mean its joints in series, as Newton reads them.
    """
    groups: dict[tuple[str, str], list[Joint]] = {}
    for joint in joints:
        if joint.free.single and joint.prim["attributes"].get("physics:excludeFromArticulation") is not True:
            groups.setdefault(joint.ends, []).append(joint)
    between = []
    for (above, below), stack in groups.items():
        if len(stack) < 2 or _repeated(stack):
            continue
        c.say("CB1457", f"{below} hangs on {above} by {len(stack)} joints in series", below, [j.name for j in stack])
        for joint, after in pairwise(stack):
            name = free_name(f"{below}/{joint.name}", c.taken)
            X_WB = joint.poses[1]
            between.append(Component(name, (), X_WB))
            joint.ends = (joint.ends[0], name)
            after.ends, after.poses = (name, after.ends[1]), (X_WB, X_WB)
    return between


def _repeated(stack: list[Joint]) -> bool:
    """Whether all are hinges on one line or slides in one direction: the same joint several times."""
    if len({joint.turns for joint in stack}) > 1:
        return False
    points = np.array([joint.frames[1].p for joint in stack])
    axes = np.array([joint.frames[1].R[:, joint.free.axes[0] % 3] for joint in stack])
    across = np.cross(points - points[0], axes[0]) * stack[0].turns
    return bool(np.abs(across).max() < _FRAMES_WRONG and np.abs(np.cross(axes, axes[0])).max() < _FRAMES_WRONG)


def _mates(c: Context, joint: Joint) -> tuple[Mate, ...]:
    a, b = (
        frame_feature(end, pose.inverse() @ frame)
        for end, pose, frame in zip(joint.ends, joint.poses, joint.frames, strict=True)
    )
    where, limit = Where(str(c.path), item=joint.name), _limit(c, joint)
    more: dict[str, Any] = {"joint_name": joint.name, **_loaded(c, joint)}
    if _rod(joint.prim):
        origin, point = (replace(end, kind=FeatureKind.POINT, direction=None, x=None) for end in (a, b))
        length = _distances(joint.prim)[0] * c.length
        rod = Mate(joint.name, MateKind.DISTANCE, origin, point, value=length, aligned=True, where=where)
        return (replace(rod, **more),)
    return joint_mates(joint.free, joint.name, a, b, where, aligned=True, limit=limit, **more)


def _limit(c: Context, joint: Joint) -> Limit | None:
    """The range of the one freedom, from the pose as designed; its velocity and effort where they are bounded."""
    ranges = [_range(joint, AXES[i]) for i in joint.free.axes]
    if not joint.free.single:
        if any(end is not None for ends in ranges for end in ends):
            c.say("CB1305", f"joint {joint.name}: the limits of a joint of several freedoms are left out", joint.name)
        return None
    # UsdPhysics counts angles in degrees.
    per = DEGREE if joint.turns else c.length
    lower, upper = (None if end is None else end * per for end in ranges[0])
    if (-math.inf if lower is None else lower) > (UNBOUNDED_FROM * per if upper is None else upper):
        c.say("CB1305", f"joint {joint.name}: its lower limit is above its upper one; both are left out", joint.name)
        lower = upper = None
    fast = joint.value("physxJoint:maxJointVelocity")
    fast = None if fast is None or not 0 < fast < _FASTEST else fast * per
    force = next((joint.value(f"{drive}:physics:maxForce") for drive in drives_of(joint)), None)
    if force is not None and force < 0:
        c.say("CB1305", f"joint {joint.name}: the largest force of its drive is below zero; it is left out", joint.name)
    limit = Limit.of(lower, upper, fast, effort_of(c, joint, force))
    return None if limit is None else limit.counted_from(joint.at, joint.turns)


def _range(joint: Joint, axis: str) -> tuple[float | None, float | None]:
    """Of one axis, in degrees or the stage's unit of length."""
    general = dict(zip(("low", "high"), ("physics:lowerLimit", "physics:upperLimit"), strict=True))
    ends = (joint.value(f"limit:{axis}:physics:{end}", joint.value(key)) for end, key in general.items())
    low, high = ends
    return (
        None if low is None or low <= -UNBOUNDED_FROM else low,
        None if high is None or high >= UNBOUNDED_FROM else high,
    )


def effort_unit(c: Context, joint: Joint) -> float:
    """N m or N in the stage's unit of the joint's effort."""
    return c.mass * (c.length**2 if joint.turns else c.length)


def effort_of(c: Context, joint: Joint, force: float | None) -> float | None:
    """A bound of the effort in N m or N; None where the stage gives none."""
    return None if force is None or not 0 <= force < UNBOUNDED_FROM else force * effort_unit(c, joint)


def drives_of(joint: Joint) -> list[str]:
    """The prefixes of the drives of a joint of one freedom."""
    names = {TURN: ("angular",), SLIDE: ("linear",)}.get(joint.free.motion or "", AXES)
    # A generic joint of one free axis has its drive under that axis's own name.
    names = (*names, *(AXES[i] for i in joint.free.axes)) if joint.free.single else names
    return [f"drive:{name}" for name in names if f"PhysicsDriveAPI:{name}" in joint.prim["schemas"]]


def _loaded(c: Context, joint: Joint) -> dict[str, float]:
    """Damping, dry friction, armature and spring, as MuJoCo's schemas, Newton's or PhysX's say them."""
    attributes = joint.prim["attributes"]
    found = {load: next((v for key, unit in keys if (v := number(attributes, key) * unit) > 0.0), 0.0)
             for load, keys in _loads(c, joint).items()}  # fmt: skip
    nowhere = () if joint.free.single else ("friction",) if joint.free.ball else tuple(found)
    lost = [load for load in nowhere if found[load]]
    if found["stiffness"] and number(attributes, "mjc:springref") and "stiffness" not in lost:
        lost.append("stiffness")
    named = lost + (["PhysX's coefficient of friction"] if number(attributes, "physxJoint:jointFriction") else [])
    if named:
        c.say("CB1305", f"joint {joint.name}: {', '.join(named)} left out", joint.name)
    kept = {load: value for load, value in found.items() if load not in lost}
    return {**kept, "rest": -joint.at if kept.get("stiffness") else 0.0}


def _loads(c: Context, joint: Joint) -> dict[str, tuple[tuple[str, float], ...]]:
    """By load: the attributes that say it, and their units in SI."""
    inertia = c.mass * (c.length**2 if joint.turns else 1.0)
    effort = c.mass * (c.length**2 if joint.turns else c.length)
    degrees = TO_DEGREES if joint.turns else 1.0
    rotors = ("mjc:armature", "newton:armature", "physxJoint:armature", "physxJointAxis:angular:armature",
              "physxJointAxis:linear:armature")  # fmt: skip
    return {
        "damping": (("mjc:damping", inertia), ("newton:damping", inertia * degrees)),
        "friction": (("mjc:frictionloss", effort), ("newton:friction", effort)),
        "armature": tuple((key, inertia) for key in rotors),
        "stiffness": (("mjc:stiffness", inertia),),
    }
