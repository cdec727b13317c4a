"""Joints as mates and couplings. Marker I is feature a, marker J is feature b."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import GROUND, Coupling, FeatureKind, Limit, Mate, MateKind
from cadbridge.frames import Pose
from cadbridge.readers.joints import coordinate
from cadbridge.readers.markers import Marker, feature, gear, rack, screw
from cadbridge.readers.ondsel.context import Reader
from cadbridge.readers.ondsel.text import TreeLine, expression, from_start, row
from cadbridge.study import FrameMotion, MotionLaw

FRAME, PLANE, AXIS, POINT = FeatureKind.FRAME, FeatureKind.PLANE, FeatureKind.AXIS, FeatureKind.POINT


@dataclass(frozen=True)
class _Piece:
    """One mate of a joint: its kind, what it takes of either marker, its value's name, which axis of J."""

    kind: MateKind
    a: FeatureKind = FRAME
    b: FeatureKind = FRAME
    value: str | None = None
    turned: tuple[str, str] = ("z", "z")


JOINTS: dict[str, tuple[_Piece, ...]] = {
    "FixedJoint": (_Piece(MateKind.FIXED),),
    "RevoluteJoint": (_Piece(MateKind.REVOLUTE),),
    "CylindricalJoint": (_Piece(MateKind.CYLINDRICAL),),
    "TranslationalJoint": (_Piece(MateKind.PRISMATIC),),
    "SphericalJoint": (_Piece(MateKind.SPHERICAL, POINT, POINT),),
    "UniversalJoint": (_Piece(MateKind.UNIVERSAL),),
    "ConstantVelocityJoint": (_Piece(MateKind.CONSTANT_VELOCITY),),
    "PlanarJoint": (_Piece(MateKind.PLANAR, value="offset"),),
    "PointInPlaneJoint": (_Piece(MateKind.COINCIDENT, PLANE, POINT, "offset"),),
    "PointInLineJoint": (_Piece(MateKind.COINCIDENT, AXIS, POINT),),
    "LineInPlaneJoint": (_Piece(MateKind.COINCIDENT, PLANE, AXIS, "offset"),),
    "SphSphJoint": (_Piece(MateKind.DISTANCE, POINT, POINT, "distanceIJ"),),
    "SphericalSphericalJoint": (_Piece(MateKind.DISTANCE, POINT, POINT, "distanceIJ"),),
    "CylSphJoint": (_Piece(MateKind.DISTANCE, AXIS, POINT, "distanceIJ"),),
    "RevCylJoint": (_Piece(MateKind.DISTANCE, AXIS, AXIS, "distanceIJ"),),
    "RevRevJoint": (_Piece(MateKind.DISTANCE, AXIS, AXIS, "distanceIJ"), _Piece(MateKind.COINCIDENT, PLANE, POINT)),
    "ParallelAxesJoint": (_Piece(MateKind.PARALLEL, AXIS, AXIS),),
    "PerpendicularJoint": (_Piece(MateKind.PERPENDICULAR, AXIS, AXIS),),
    "AngleJoint": (_Piece(MateKind.ANGLE, AXIS, AXIS, "theIzJz"),),
    "NoRotationJoint": (
        _Piece(MateKind.PARALLEL, AXIS, AXIS),
        _Piece(MateKind.PERPENDICULAR, AXIS, AXIS, turned=("x", "y")),
    ),
}
"""What the joints hold, by OndselSolver's classes of the same names."""

UNREAD = {
    "CurveCurveContact": "a contact (CurveCurveContact) of two curves, such as a cam and its follower",
    "InLineForceTorque": "a force (InLineForceTorque) along the line between two markers, such as a spring",
    "GeneralForceTorque": "a force and torque (GeneralForceTorque) between two markers",
}
"""What the elements are that have no equal here."""

MOTIONS = {
    "RotationalMotion": ("angle", "RotationZ", (MateKind.REVOLUTE, MateKind.CYLINDRICAL)),
    "TranslationalMotion": ("distance", "TranslationZ", (MateKind.PRISMATIC, MateKind.CYLINDRICAL)),
}


def read_joints(r: Reader, assembly: TreeLine, root: str) -> tuple[list[Mate], list[Coupling], int]:
    """Mates, couplings, and how many joints the file has."""
    mates: list[Mate] = []
    couplings: list[Coupling] = []
    sets = assembly.child("ConstraintSets")
    nodes = [] if sets is None else [*sets.under("Joints"), *sets.under("GeneralConstraintSets")]
    for node in nodes:
        name = node.value("Name") or f"{node.text}@{node.line}"
        if sum(below.text == "Name" for below in node.children) > 1:
            r.findings.add(
                "CB181", f"below {name} stand two names: a line between them is missing", r.where(node, name)
            )
        if node.text not in COUPLINGS and node.text not in JOINTS:
            what = UNREAD.get(node.text, f"a {node.text}, which is not understood")
            r.say("CB1204", f"{name} is {what}; it is left out", node, name)
            continue
        pair = _markers(r, node, name)
        if pair is None:
            continue
        if node.text in COUPLINGS:
            coupling = _coupling(r, node, name, *pair)
            couplings += [coupling] if coupling else []
        else:
            made = _mates(r, node, name, *pair)
            if made:
                r.mates.setdefault(f"/{root}/{name}", made[0])
            mates += made
    return mates, couplings, len(nodes)


def _markers(r: Reader, node: TreeLine, name: str) -> tuple[Marker, Marker] | None:
    """Markers I and J of two different parts; findings and None where they are not."""
    found = []
    for key in ("MarkerI", "MarkerJ"):
        path = node.value(key)
        marker = r.markers.get(path or "")
        if marker is None:
            place = node.child(key) or node
            r.say("CB162", f"{name}: {key} is {path!r}, which is not a marker", place, name)
        else:
            found.append(marker)
    if len(found) < 2:
        return None
    if found[0].component == found[1].component:
        r.say("CB168", f"{name} holds two markers of {found[0].component}", node, name)
        return None
    return found[0], found[1]


def _mates(r: Reader, node: TreeLine, name: str, i: Marker, j: Marker) -> list[Mate]:
    pieces = JOINTS[node.text]
    made = []
    for count, piece in enumerate(pieces, start=1):
        value = 0.0
        if piece.value is not None:
            # Older files leave an offset of zero out.
            given = 0.0 if node.child(piece.value) is None else r.scalar(node, piece.value, name)
            if given is None:
                return []
            value = given if piece.kind is MateKind.ANGLE else given * r.length
        title = name if count == 1 else f"{name} ({count} of {len(pieces)})"
        a, b = feature(i, piece.a, piece.turned[0]), feature(j, piece.b, piece.turned[1])
        made.append(Mate(title, piece.kind, a, b, value=value, where=r.where(node, name)))
    return made


def _gear(r: Reader, node: TreeLine, name: str, i: Marker, j: Marker) -> Coupling | None:
    ri, rj = r.scalar(node, "radiusI", name), r.scalar(node, "radiusJ", name)
    if ri is None or rj is None:
        return None
    return gear(name, i, j, (_in_world(r, i), _in_world(r, j)), (ri, rj), r.where(node, name))


def _rack(r: Reader, node: TreeLine, name: str, i: Marker, j: Marker) -> Coupling | None:
    radius = r.scalar(node, "pitchRadius", name)
    poses = _in_world(r, i), _in_world(r, j)
    return None if radius is None else rack(name, i, j, poses, radius * r.length, r.where(node, name))


def _screw(r: Reader, node: TreeLine, name: str, i: Marker, j: Marker) -> Coupling | None:
    pitch = r.scalar(node, "pitch", name)
    return None if pitch is None else screw(name, i, j, pitch * r.length, r.where(node, name))


def _coupling(r: Reader, node: TreeLine, name: str, i: Marker, j: Marker) -> Coupling | None:
    try:
        return COUPLINGS[node.text](r, node, name, i, j)
    except ValueError as fault:
        r.say("CB181", f"{name}: {fault}", node, name)
        return None


def _in_world(r: Reader, marker: Marker) -> Pose:
    return marker.X if marker.component == GROUND else r.X_WC[marker.component] @ marker.X


COUPLINGS: dict[str, Callable[[Reader, TreeLine, str, Marker, Marker], Coupling | None]] = {
    "GearJoint": _gear,
    "RackPinionJoint": _rack,
    "ScrewJoint": _screw,
}


_PLACE = ("rIJI1", "rIJI2", "rIJI3")
_TURNS = ("angIJJ1", "angIJJ2", "angIJJ3")


def read_motions(r: Reader, assembly: TreeLine) -> tuple[tuple[MotionLaw, ...], tuple[FrameMotion, ...]]:
    """Motions of joints and of markers as expressions of t; one that cannot be carried is reported and left out."""
    sets = assembly.child("ConstraintSets")
    laws, frames = [], []
    for node in [] if sets is None else sets.under("Motions"):
        name = node.value("Name") or f"{node.text}@{node.line}"
        if node.text in MOTIONS:
            laws.append(_law(r, node, name))
        elif node.text == "GeneralMotion":
            frames.append(_frame_motion(r, node, name))
        else:
            what = UNREAD.get(node.text, f"a {node.text}, which is not understood")
            r.say("CB1212", f"{name} is {what}; it is left out", node)
    return tuple(filter(None, laws)), tuple(filter(None, frames))


def _law(r: Reader, node: TreeLine, name: str) -> MotionLaw | None:
    where = r.where(node)
    kind, key, kinds = MOTIONS[node.text]
    joint = node.value("MotionJoint") or ""
    mate = r.mates.get(joint)
    if mate is None:
        r.findings.add("CB162", f"{name} drives {joint!r}, which is not a joint", where)
        return None
    if mate.kind not in kinds:
        r.findings.add("CB1212", f"{name} drives {joint}, a {mate.kind.value} joint without that freedom", where)
        return None
    text = _checked(r, node, key, name)
    return None if text is None else MotionLaw(name, mate.name, kind, _length(r, text, kind == "distance"), where)


def _length(r: Reader, text: str, is_length: bool = True) -> str:
    return f"{r.length!r} * ({text})" if is_length and r.length != 1.0 else text


def _frame_motion(r: Reader, node: TreeLine, name: str) -> FrameMotion | None:
    """A GeneralMotion: OndselSolver's FullMotion puts marker J at rIJI in I, turned as its EulerAngles are."""
    if not any(node.child(key) for key in (*_PLACE, *_TURNS)):
        text = f"{name} is a GeneralMotion without rIJI1 …, as OndselSolver saves it; it is left out"
        r.say("CB1212", text, node)
        return None
    order = row(node.value("RotationOrder") or "1 2 3") or []
    texts = [_checked(r, node, key, name) for key in (*_PLACE, *_TURNS)]
    pair = _markers(r, node, name)
    if sorted(set(order)) != sorted(set(order) & {1.0, 2.0, 3.0}) or len(order) != 3:
        place = node.child("RotationOrder") or node
        r.say("CB181", f"{name}: RotationOrder must hold three axes of 1, 2 and 3", place, name)
        return None
    known = [text for text in texts if text is not None]
    if pair is None or len(known) < len(texts):
        return None
    (i, j), where = pair, r.where(node, name)
    said = "the ground" if i.component == GROUND else i.component
    r.findings.add("CB1257", f"{name} prescribes the pose of {j.component} against {said}", where)
    x, y, z = (_length(r, text) for text in known[:3])
    first, second, third = (int(axis) - 1 for axis in order)
    turns = (known[3], known[4], known[5])
    return FrameMotion(name, i.component, i.X, j.component, j.X, (x, y, z), turns, (first, second, third), where)


def _checked(r: Reader, node: TreeLine, key: str, name: str) -> str | None:
    """An expression of t in the solver's words, 0 where the run starts; a finding and None where it is none."""
    from solver.functions import expression as parse

    written = node.value(key) or ""
    text = from_start(expression(written), r.start)
    try:
        parse(text)
    except ValueError as fault:
        r.say("CB1208", f"{name}: {fault}", node.child(key) or node)
        return None
    return text


_SIDES = {"=>": "lower", ">=": "lower", "=<": "upper", "<=": "upper"}


def read_limits(r: Reader, assembly: TreeLine, mates: list[Mate]) -> list[Mate]:
    """The mates with the limits whose two markers are theirs; a limit elsewhere is reported."""
    from solver.functions import expression as parse

    done = list(mates)
    sets = assembly.child("ConstraintSets")
    nodes = [*assembly.under("Limits"), *([] if sets is None else sets.under("Limits"))]
    for node in nodes:
        name = node.value("Name") or f"{node.text}@{node.line}"
        where = r.where(node)
        pair = _markers(r, node, name)
        # Files of before 2024 have the keys with capitals.
        side_name, key = node.value("type") or node.value("Type"), "limit" if node.child("limit") else "Limit"
        side, text = _SIDES.get(side_name or ""), _checked(r, node, key, name)
        if pair is None or text is None:
            continue
        # A limit does not name its joint: the joint is the one that holds the same two markers.
        index = _held(r, done, pair)
        if side is None or index is None or node.text not in ("RotationLimit", "TranslationLimit"):
            r.findings.add("CB1305", f"{name} limits no joint of one freedom", where)
            continue
        turns = node.text == "RotationLimit"
        value = parse(text).evaluate(0.0)[0] * (1.0 if turns else r.length)
        # The file counts from where the markers coincide, a limit here from the designed pose.
        value -= coordinate(_in_world(r, pair[0]).inverse() @ _in_world(r, pair[1]), 5 if turns else 2)
        limit = done[index].limit or Limit()
        done[index] = replace(done[index], limit=replace(limit, **{side: value}))
    return done


def _held(r: Reader, mates: list[Mate], pair: tuple[Marker, Marker]) -> int | None:
    for index, mate in enumerate(mates):
        sides = ((mate.a, pair[0]), (mate.b, pair[1]))
        if all(f.component == m.component and np.array_equal(f.point, m.X.p) for f, m in sides):
            return index
    return None
