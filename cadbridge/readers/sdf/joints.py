"""Joints as mates; gearboxes and mimics as couplings."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import GROUND, Coupling, CouplingKind, Feature, FeatureKind, Limit, Mate, MateKind
from cadbridge.frames import Pose, Vector, perpendicular, unit
from cadbridge.readers.sdf.context import Context
from cadbridge.readers.sdf.frames import MODEL, Scope, UnresolvedError
from cadbridge.readers.sdf.models import placed
from cadbridge.readers.xml import Element, child, children, numbers

NO_LIMIT = 1e15
"""A range that SDF writes for none (its default is 1e16)."""

RIGHT_ANGLE = 1e-6
"""The cosine below which the two axes of a universal joint stand at a right angle."""

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

    def feature(self, component: str, axis: Vector, kind: FeatureKind = FeatureKind.FRAME) -> Feature:
        """A frame at the joint's origin along `axis` (world), in the frame of one of the components."""
        X = (self.X_WA if component == self.a else self.X_WB).inverse()
        x = X.vector(perpendicular(axis)) if kind is FeatureKind.FRAME else None
        return Feature(component, kind, X.point(self.X_WJ.p), X.vector(axis), x)


Made = Mate | Coupling | None


def read_joints(c: Context, scope: Scope, X: dict[str, Pose], version: float) -> list[Mate | Coupling]:
    """The joints of one scope; `X` are X_WC of all components."""
    made: list[Mate | Coupling] = []
    for name, entry in scope.entries.items():
        if entry.kind != "joint":
            continue
        element = entry.element
        c.leave(element, *_KNOWN)
        kind = element.get("type", "")
        maker = _TYPES.get(kind)
        if maker is None:
            c.say("CB187", f"{name} is of type {kind!r}; known are {', '.join(_TYPES)}", element, name)
            continue
        try:
            joint = _joint(c, scope, name, element, X, version)
            found = None if joint is None else maker(c, joint)
        except UnresolvedError as error:
            c.say("CB1425", f"joint {name}: {error}", element, name)
            continue
        if found is not None:
            made.append(found)
    return made


def _joint(c: Context, scope: Scope, name: str, element: Element, X: dict[str, Pose], version: float) -> Joint | None:
    ends = [c.text(element, tag) for tag in ("parent", "child")]
    a, b = (scope.body(end) if end else "" for end in ends)
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
            axis = _axis(c, scope, given, name, X_WJ, version)
            if axis is None:
                return None
            axes.append(axis)
    poses = [Pose() if end == GROUND else X[end] for end in (a, b)]
    return Joint(scope, element, scope.named(name), a, b, X_WJ, tuple(axes), poses[0], poses[1])


def _axis(c: Context, scope: Scope, element: Element, name: str, X_WJ: Pose, version: float) -> Vector | None:
    """The unit axis in the world. It is given in the joint's frame, in older files in the model's."""
    given = child(element, "xyz")
    text = "0 0 1" if given is None else given.text
    found = numbers(text, 3)
    if found is None or not max(abs(v) for v in found) > 1e-12:
        c.say("CB181", f"joint {name}: the axis {(text or '').strip()!r} has no direction", element, name)
        return None
    frame = "" if given is None else given.get("expressed_in", "")
    in_model = version < 1.5 or c.flag(element, "use_parent_model_frame")
    if frame:
        X = placed(scope, frame)
    else:
        X = placed(scope, MODEL) if in_model else X_WJ
    return X.vector(unit(np.array(found) / max(abs(v) for v in found)))


def _need(c: Context, j: Joint, count: int) -> bool:
    if len(j.axes) < count:
        c.say("CB181", f"joint {j.name} needs {count} axes", j.element, j.name)
    return len(j.axes) >= count


def _mate(c: Context, j: Joint, kind: MateKind, axis: Vector, other: Vector | None = None) -> Mate:
    a, b = j.feature(j.a, axis), j.feature(j.b, axis if other is None else other)
    aligned = None if other is not None else True
    return Mate(j.name, kind, a, b, aligned=aligned, joint_name=j.name, where=c.where(j.element, j.name))


def _single(kind: MateKind, ranged: bool = True) -> Callable[[Context, Joint], Made]:
    def make(c: Context, j: Joint) -> Made:
        if not _need(c, j, 1):
            return None
        axis = child(j.element, "axis")
        dynamics = child(axis, "dynamics")
        damping, friction = (max(c.number(dynamics, key, j.name, 0.0), 0.0) for key in ("damping", "friction"))
        stiffness, rest = (c.number(dynamics, f"spring_{key}", j.name, 0.0) for key in ("stiffness", "reference"))
        return replace(
            _mate(c, j, kind, j.axes[0]), limit=_limit(c, j, axis, ranged), damping=damping, friction=friction,
            stiffness=max(stiffness, 0.0), rest=rest if stiffness > 0 else 0.0, armature=_armature(c, j),
        )  # fmt: skip

    return make


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
    limit = Limit(
        lower if ranged and lower > -NO_LIMIT else None,
        upper if ranged and upper < NO_LIMIT else None,
        velocity if 0 <= velocity < NO_LIMIT else None,
        effort if 0 <= effort < NO_LIMIT else None,
    )
    return None if limit == Limit() else limit


def _bound(c: Context, element: Element, key: str, item: str, none: float) -> float:
    """A bound; `none`, the infinity that stands for none, where it is absent or says so itself (inf, 1e16)."""
    try:
        bound = float(c.text(element, key))
        if abs(bound) >= NO_LIMIT and bound * none > 0:
            return none
    except ValueError:
        pass
    return c.number(element, key, item, none)


def screw_pitch(turn: float, old: float) -> float:
    """The advance in m/rad of an SDF screw: `screw_thread_pitch` in m a turn, right-handed, before the old element.

    `thread_pitch` is rad/m, left-handed. 0 where neither is given.
    """
    return turn / (2 * math.pi) or (-1 / old if old else 0.0)


def _screw(c: Context, j: Joint) -> Made:
    mate = _single(MateKind.SCREW)(c, j)
    if not isinstance(mate, Mate):
        return None
    turn, old = (c.number(j.element, key, j.name, 0.0) for key in ("screw_thread_pitch", "thread_pitch"))
    pitch = screw_pitch(turn, old)
    if pitch == 0.0:
        c.say("CB181", f"joint {j.name}: the screw has no pitch", j.element, j.name)
        return None
    return replace(mate, value=pitch)


def _plain(kind: MateKind) -> Callable[[Context, Joint], Made]:
    return lambda c, j: _mate(c, j, kind, j.X_WJ.R[:, 2])


def _universal(c: Context, j: Joint) -> Made:
    """The first axis is the parent's arm of the cross, the second the child's."""
    if not _need(c, j, 2):
        return None
    if abs(float(j.axes[0] @ j.axes[1])) > RIGHT_ANGLE:
        c.say("CB187", f"joint {j.name}: only axes at a right angle make a universal joint", j.element, j.name)
        return None
    loads = [child(axis, "dynamics") for axis in children(j.element, "axis", "axis2")]
    if any(c.number(load, key, j.name, 0.0) for load in loads for key in ("damping", "friction", "spring_stiffness")):
        c.say("CB1432", f"joint {j.name}: damping, friction and springs of its two axes", j.element, j.name)
    return _mate(c, j, MateKind.UNIVERSAL, j.axes[0], j.axes[1])


def _gearbox(c: Context, j: Joint) -> Made:
    """θ₂ = −ratio θ₁, the turns of child and parent against the reference body."""
    if not _need(c, j, 2):
        return None
    ratio = c.number(j.element, "gearbox_ratio", j.name, 1.0)
    reference = c.text(j.element, "gearbox_reference_body")
    carrier = j.scope.body(reference) if reference else None
    if ratio == 0.0:
        c.say("CB181", f"gearbox {j.name}: the ratio is zero", j.element, j.name)
        return None
    a, b = (j.feature(end, axis, FeatureKind.AXIS) for end, axis in zip((j.a, j.b), j.axes, strict=False))
    where = c.where(j.element, j.name)
    return Coupling(j.name, CouplingKind.RATIO, a, b, ratio=-ratio, carrier=carrier, where=where)


_TYPES: dict[str, Callable[[Context, Joint], Made]] = {
    "revolute": _single(MateKind.REVOLUTE),
    "continuous": _single(MateKind.REVOLUTE, ranged=False),
    "prismatic": _single(MateKind.PRISMATIC),
    "screw": _screw,
    "ball": _plain(MateKind.SPHERICAL),
    "fixed": _plain(MateKind.FIXED),
    "universal": _universal,
    "revolute2": _universal,
    "gearbox": _gearbox,
}


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
