"""Joints as mates; gearboxes and mimics as couplings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Component, Coupling, CouplingKind, Feature, FeatureKind, Limit, Mate, MateKind
from cadbridge.frames import Pose, Vector, cross_length, unit
from cadbridge.freedoms import FIXED, Free, free
from cadbridge.readers.joints import UNBOUNDED_FROM, axis_feature, joint_mates
from cadbridge.readers.names import unused
from cadbridge.readers.placement import ALIGNED
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import MODEL, Scope, UnresolvedError
from cadbridge.readers.sdf.models import placed
from cadbridge.readers.xml import Element, child, children, numbers, text_of

_KNOWN = (
    "parent", "child", "pose", "axis", "axis2", "screw_thread_pitch", "thread_pitch", "gearbox_ratio",
    "gearbox_reference_body", "provide_feedback", "rotor_inertia", "gear_ratio", "mimic",
)  # fmt: skip
_ONE_FREEDOM = (MateKind.REVOLUTE, MateKind.PRISMATIC, MateKind.SCREW)


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint read: its scope, element, names; X_WJ as designed, axes in the world; X_WC of its two components."""

    scope: Scope
    element: Element
    name: str
    a: str
    b: str
    X_WJ: Pose
    axes: tuple[Vector, ...]
    X_WA: Pose
    X_WB: Pose

    def frame(self, component: str, axes: Sequence[Vector]) -> Feature:
        """A frame at the joint's origin along its axis or axes (world), in the frame of one of the components."""
        X = (self.X_WA if component == self.a else self.X_WB).inverse()
        return axis_feature(component, X, axes, self.X_WJ.p)


@dataclass(frozen=True)
class Type:
    """A joint type: what it leaves free of a frame with z along its axis, how many axes it needs, if it has a range."""

    free: Free
    axes: int = 0
    ranged: bool = False


TYPES: dict[str, Type] = {
    "revolute": Type(free("rz"), 1, ranged=True),
    "continuous": Type(free("rz"), 1),
    "prismatic": Type(free("tz"), 1, ranged=True),
    "screw": Type(free("tz rz", pitched=True), 1, ranged=True),
    "ball": Type(free("rx ry rz")),
    "fixed": Type(FIXED),
    "universal": Type(free("rx ry"), 2),
    "revolute2": Type(free("rx ry"), 2),
}
_NONE = Type(FIXED)
_FLAG = "use_parent_model_frame"
GEARBOX = "gearbox"
"""The one type that is no joint but a coupling of two."""


def read_joints(c: Context, scope: Scope, X: dict[str, Pose]) -> list[Mate | Coupling | Component]:
    """The joints of one scope, and the massless components between those in series; `X` are X_WC of all components."""
    made: list[Mate | Coupling | Component] = []
    for name, entry in scope.entries.items():
        if entry.kind != "joint":
            continue
        element = entry.element
        c.leave(element, *_KNOWN)
        kind = element.get("type", "")
        if kind not in (*TYPES, GEARBOX):
            c.say("CB187", f"{name} is of type {kind!r}; known are {', '.join((*TYPES, GEARBOX))}", element, name)
            continue
        try:
            joint = _joint(c, scope, name, element, X)
            if joint is None:
                continue
            if TYPES.get(kind, _NONE).axes == 2 and _need(c, joint, 2) and _is_loaded(c, joint):
                made += _in_series(c, joint, X)
                continue
            found = _gearbox(c, joint) if kind == GEARBOX else _mate(c, joint, TYPES[kind])
        except UnresolvedError as error:
            c.say("CB1425", f"joint {name}: {error}", element, name)
            continue
        if found is not None:
            made.append(found)
    return made


def _joint(c: Context, scope: Scope, name: str, element: Element, X: dict[str, Pose]) -> Joint | None:
    ends = [text_of(element, tag) for tag in ("parent", "child")]
    a, b = (scope.body(end) if end else "" for end in ends)
    if b == GROUND and a and a != b:
        cure = "Make the world the <parent> and the link the <child>, turn the axis round, and keep the joint's place."
        c.say("CB1274", f"joint {name} has the world as its child: sdformat refuses that", element, name, hint=cure)
    if not a or not b or a == b:
        c.say("CB1425", f"joint {name} joins {ends[0]!r} and {ends[1]!r}, which are not two links", element, name)
        return None
    lost = [end for end in (a, b) if end != GROUND and end not in X]
    if lost:
        raise UnresolvedError(f"{lost[0]!r} has no place")
    X_WJ = placed(scope, name)
    axes = []
    for tag in ("axis", "axis2"):
        given = child(element, tag)
        if given is not None:
            axis = _axis(c, scope, given, name, X_WJ)
            if axis is None:
                return None
            axes.append(axis)
    poses = [Pose() if end == GROUND else X[end] for end in (a, b)]
    return Joint(scope, element, scope.named(name), a, b, X_WJ, tuple(axes), poses[0], poses[1])


def _axis(c: Context, scope: Scope, element: Element, name: str, X_WJ: Pose) -> Vector | None:
    """The unit axis in the world. It is given in the joint's frame, in older files in the model's."""
    given = child(element, "xyz")
    text = "0 0 1" if given is None else given.text
    found = numbers(text, 3)
    # An axis has no unit: a direction of rounding alone is none.
    if found is None or not max(abs(v) for v in found) > 1e-12:
        c.say("CB181", f"joint {name}: the axis {(text or '').strip()!r} has no direction", element, name)
        return None
    frame = "" if given is None else given.get("expressed_in", "")
    # SDF 1.5 made the joint's own frame the default; 1.7 replaced the flag by `expressed_in`.
    flag = _FLAG if c.flag(element, _FLAG) else ""
    in_model = c.minor(element) < 5 or bool(c.before(_FLAG, flag, element, name))
    if frame:
        X = placed(scope, frame)
    else:
        X = placed(scope, MODEL) if in_model else X_WJ
    # Divided first: the square of 1e200 overflows.
    return X.vector(unit(np.array(found) / max(abs(v) for v in found)))


def _need(c: Context, j: Joint, count: int) -> bool:
    if len(j.axes) < count:
        c.say("CB181", f"joint {j.name} needs {count} axes", j.element, j.name)
    return len(j.axes) >= count


def _mate(c: Context, j: Joint, kind: Type) -> Mate | None:
    """The mate of a joint; a finding and None where it lacks an axis or a pitch."""
    if not _need(c, j, kind.axes):
        return None
    axes = j.axes[: kind.axes] or (j.X_WJ.R[:, 2],)
    more = (
        _loads(c, j, j.element.find("{*}axis"), kind.ranged)
        if kind.axes == 1
        else _of_ball(c, j)
        if kind.axes == 0
        else {}
    )
    if kind.free.pitched:
        turn, old = (c.number(j.element, key, j.name, 0.0) for key in ("screw_thread_pitch", "thread_pitch"))
        more["value"] = screw_pitch(turn, old)
        if more["value"] == 0.0:
            c.say("CB181", f"joint {j.name}: the screw has no pitch", j.element, j.name)
            return None
    a, b, where = j.frame(j.a, axes), j.frame(j.b, axes), c.where(j.element, j.name)
    (mate,) = joint_mates(kind.free, j.name, a, b, where, aligned=True, joint_name=j.name, **more)
    return mate


def _is_loaded(c: Context, j: Joint) -> bool:
    """Whether the two axes of a universal joint have what its one mate has no place for: loads, limits, a skew."""
    if abs(float(j.axes[0] @ j.axes[1])) > ALIGNED:
        return True
    axes = children(j.element, "axis", "axis2")
    loads = [child(axis, "dynamics") for axis in axes]
    if any(c.number(load, key, j.name, 0.0) for load in loads for key in ("damping", "friction", "spring_stiffness")):
        return True
    limits = [_limit(c, j, axis, ranged=True) for axis in axes]
    return any(limit is not None and (limit.lower, limit.upper) != (None, None) for limit in limits)


def _in_series(c: Context, j: Joint, X: dict[str, Pose]) -> list[Mate | Coupling | Component]:
    """A universal joint as two hinges, the parent's first, with a massless cross between, as Gazebo has it."""
    if cross_length(*j.axes) < ALIGNED:
        c.say("CB187", f"joint {j.name}: the two axes of a universal joint are parallel", j.element, j.name)
        return []
    cross = unused(f"{j.b}/{j.name}", X)
    X_WX = X[cross] = Pose() if j.b == GROUND else j.X_WB
    where = c.where(j.element, j.name)
    halves = (replace(j, b=cross, X_WB=X_WX), replace(j, a=cross, X_WA=X_WX, name=f"{j.name} axis2"))
    text = (
        f"joint {j.name} is two hinges in series, {halves[0].name} and {halves[1].name}, by its axes' loads or limits"
    )
    c.say("CB1401", text, j.element, j.name)
    made: list[Mate | Coupling | Component] = [Component(cross, (), X_WX, where=where)]
    for half, axis, element in zip(halves, j.axes, children(j.element, "axis", "axis2"), strict=True):
        a, b = (half.frame(end, [axis]) for end in (half.a, half.b))
        loads = _loads(c, half, element, ranged=True)
        made += joint_mates(free("rz"), half.name, a, b, where, aligned=True, joint_name=half.name, **loads)
    return made


def _loads(c: Context, j: Joint, axis: Element, ranged: bool) -> dict[str, Any]:
    """Limit, losses, spring and armature of a joint about or along one axis, as its mate has them."""
    dynamics = child(axis, "dynamics")
    keys = ("damping", "friction", "spring_stiffness")
    damping, friction, stiffness = (_braking(c, j, dynamics, key) for key in keys)
    rest = c.number(dynamics, "spring_reference", j.name, 0.0)
    return {
        "limit": _limit(c, j, axis, ranged),
        "damping": damping,
        "friction": friction,
        "stiffness": stiffness,
        "rest": rest if stiffness > 0 else 0.0,
        "armature": _armature(c, j),
    }


def _of_ball(c: Context, j: Joint) -> dict[str, Any]:
    """The damping that Drake reads of a ball's <axis>, which acts on any turn; the rest of its loads is reported."""
    axis = child(j.element, "axis")
    if axis is None or j.element.get("type") != "ball":
        return {}
    dynamics = child(axis, "dynamics")
    if any(c.number(dynamics, key, j.name, 0.0) for key in ("friction", "spring_stiffness")):
        c.say("CB1432", f"joint {j.name}: friction and spring of a ball are left out", j.element, j.name)
    return {"damping": _braking(c, j, dynamics, "damping")}


def _braking(c: Context, j: Joint, dynamics: Element | None, key: str) -> float:
    """A load of a joint that is none below zero."""
    value = c.number(dynamics, key, j.name, 0.0)
    if value < 0.0:
        c.say("CB181", f"joint {j.name}: a {key} below zero would drive it; it is left out", dynamics, j.name)
    return max(value, 0.0)


def _armature(c: Context, j: Joint) -> float:
    """Drake's rotor inertia (kg m²) behind its gear ratio, as inertia at the joint."""
    rotor, ratio = (
        c.number(j.element, key, j.name, default) for key, default in (("rotor_inertia", 0.0), ("gear_ratio", 1.0))
    )
    return max(rotor, 0.0) * ratio**2


def _limit(c: Context, j: Joint, axis: Element, ranged: bool) -> Limit | None:
    element = child(axis, "limit")
    if element is None:
        return None
    lower, upper = (_bound(c, element, key, j.name, sign * math.inf) for key, sign in (("lower", -1), ("upper", 1)))
    velocity, effort = (_bound(c, element, key, j.name, math.inf) for key in ("velocity", "effort"))
    if lower > upper:
        c.say("CB181", f"joint {j.name}: lower {lower:g} is above upper {upper:g}; the range is left out", element)
        ranged = False
    low, high = (lower, upper) if ranged else (None, None)
    return Limit.of(low, high, velocity, effort, none=UNBOUNDED_FROM)


def _bound(c: Context, element: Element, key: str, item: str, none: float) -> float:
    """A bound; `none`, the infinity that stands for none, where it is absent or says so itself (inf, 1e16)."""
    try:
        bound = float(text_of(element, key))
        if abs(bound) >= UNBOUNDED_FROM and bound * none > 0:
            return none
    except ValueError:
        pass
    return c.number(element, key, item, none)


def screw_pitch(turn: float, old: float) -> float:
    """The advance in m/rad of an SDF screw: `screw_thread_pitch` in m a turn, right-handed, before the old element.

    `thread_pitch` is rad/m, left-handed. 0 where neither is given.
    """
    return turn / (2 * math.pi) or (-1 / old if old else 0.0)


def _gearbox(c: Context, j: Joint) -> Coupling | None:
    """θ₂ = −ratio θ₁, the turns of child and parent against the reference body."""
    if not _need(c, j, 2):
        return None
    ratio = c.number(j.element, "gearbox_ratio", j.name, 1.0)
    reference = text_of(j.element, "gearbox_reference_body")
    carrier = j.scope.body(reference) if reference else None
    if ratio == 0.0:
        c.say("CB181", f"gearbox {j.name}: the ratio is zero", j.element, j.name)
        return None
    frames = (j.frame(end, [axis]) for end, axis in zip((j.a, j.b), j.axes, strict=False))
    a, b = (replace(frame, kind=FeatureKind.AXIS, x=None) for frame in frames)
    where = c.where(j.element, j.name)
    # Gazebo's gearbox holds θ₁ · ratio + θ₂ = 0.
    return Coupling(j.name, CouplingKind.RATIO, a, b, ratio=-ratio, carrier=carrier, where=where)


def read_mimics(c: Context, scope: Scope, mates: dict[str, Mate]) -> tuple[list[Coupling], int]:
    """q = multiplier · (q_leader − reference) + offset; and how many there are in the file."""
    found: list[Coupling] = []
    count = 0
    for name, entry in scope.entries.items():
        axes = children(entry.element, "axis", "axis2") if entry.kind == "joint" else []
        for axis in axes:
            mimic = child(axis, "mimic")
            if mimic is None:
                continue
            count += 1
            follower, leader = scope.named(name), scope.prefix + mimic.get("joint", "").replace("::", "/")
            sides = [mates.get(leader), mates.get(follower)]
            if any(m is None or m.kind not in _ONE_FREEDOM for m in sides) or leader == follower:
                text = f"joint {name} cannot follow {mimic.get('joint')!r}: both must exist and have one freedom"
                c.say("CB1425", text, mimic, name)
                continue
            ratio, offset, reference = (
                c.number(mimic, tag, name, default)
                for tag, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            if ratio == 0.0:
                c.say("CB181", f"joint {name}: a mimic by zero holds it where it is", mimic, name)
                continue
            found.append(
                Coupling(
                    f"{follower} mimic",
                    CouplingKind.JOINTS,
                    None,
                    None,
                    ratio=ratio,
                    offset=offset - ratio * reference,
                    joints=(leader, follower),
                    where=c.where(mimic, name),
                )
            )
    return found, count
