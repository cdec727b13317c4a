"""Pairs as mates and couplings: a table of attributes, and of what the six flags of freedom make."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, Coupling, CouplingKind, Feature, FeatureKind, Limit, Mate
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose, cross_length
from cadbridge.freedoms import FIXED, UNBOUND, Free, free
from cadbridge.readers.joints import coordinate, frame_feature, joint_mates
from cadbridge.readers.kinematics.links import LinkPlaces, placement
from cadbridge.readers.kinematics.units import ContextUnits
from cadbridge.readers.names import free_name
from cadbridge.shapes.text21 import DERIVED, Entity, Enumeration, Part21Error, Ref, Text, Typed

FLAGS = ("t_x", "t_y", "t_z", "r_x", "r_y", "r_z")
"""Translations along and rotations about the axes of the pair's frame that are free."""

_TRANSFORMATION = ("name", "description", "transform_item_1", "transform_item_2", "joint")
_LIMITS = ("lower", "upper")

# ISO 10303-105 lets a prismatic pair slide along x of its frame, and a revolute or cylindrical one turn about z.
FREEDOM: dict[str, Free] = {
    "REVOLUTE": free("rz"),
    "PRISMATIC": free("tx"),
    "CYLINDRICAL": free("tz rz"),
    "SPHERICAL": free("rx ry rz"),
    "UNIVERSAL": free("rx ry"),
    "HOMOKINETIC": free("rx ry"),
    "PLANAR": free("tx ty rz"),
    "FULLY_CONSTRAINED": FIXED,
    "UNCONSTRAINED": UNBOUND,
    "SPHERICAL_PAIR_WITH_PIN": free("rx rz"),
}
"""What a pair leaves free where the file leaves it to the standard (*)."""

OWN: dict[str, tuple[str, ...]] = {
    "UNIVERSAL": ("input_skew_angle",),
    "HOMOKINETIC": ("input_skew_angle",),
    "SCREW": ("pitch",),
    "GEAR": ("radius_first_link", "radius_second_link", "bevel", "helical_angle", "gear_ratio"),
    "RACK_AND_PINION": ("pinion_radius",),
}
"""Attributes of a pair's own."""

RANGES: dict[str, tuple[str, ...]] = {
    "REVOLUTE": ("r_z",),
    "PRISMATIC": ("t_x",),
    "CYLINDRICAL": ("t_z", "r_z"),
    "SPHERICAL": ("r_z", "r_y", "r_x"),
    "UNIVERSAL": ("first", "second"),
    "PLANAR": ("r_z", "t_x", "t_y"),
    "SCREW": ("r_z",),
    "GEAR": ("r_z",),
    "RACK_AND_PINION": ("displacement",),
    "LOW_ORDER_KINEMATIC": ("r_x", "r_y", "r_z", "t_x", "t_y", "t_z"),
}
"""Whose lower and upper limits follow, in this order, in the pair with range."""

_COUPLED = ("SCREW", "GEAR", "RACK_AND_PINION")
_HIGHER = (
    "POINT_ON_SURFACE", "POINT_ON_PLANAR_CURVE", "SLIDING_SURFACE", "ROLLING_SURFACE", "SLIDING_CURVE",
    "ROLLING_CURVE", "PLANAR_CURVE", "SURFACE", "LINEAR_FLEXIBLE_AND_PINION", "LINEAR_FLEXIBLE_AND_PLANAR_CURVE",
)  # fmt: skip
_LOW = ("LOW_ORDER_KINEMATIC",)


def _names(kind: str) -> tuple[str, ...]:
    base = kind if kind.endswith("_PIN") else f"{kind}_PAIR"
    return base, f"{base}_WITH_RANGE"


KIND_OF: dict[str, str] = {
    name: kind for kind in (*FREEDOM, *_COUPLED, *_HIGHER, *_LOW) for name in _names(kind)
} | {"SPHERICAL_PAIR_WITH_PIN_AND_RANGE": "SPHERICAL_PAIR_WITH_PIN"}  # fmt: skip
PAIRS = tuple(KIND_OF)
"""The types of all pairs."""


@dataclass(frozen=True)
class Read:
    """A pair's attributes by name, its kind, and the ranges that stand in it: freedom → (lower, upper) as written."""

    kind: str
    values: dict[str, Any]
    ranges: dict[str, tuple[Any, Any]]


def read_ranges(text: Text) -> dict[int, dict[str, tuple[Any, Any]]]:
    """The ranges that the first edition keeps apart, by the number of their pair."""
    found: dict[int, dict[str, tuple[Any, Any]]] = {}
    for kind, freedoms in RANGES.items():
        for entity in text.of(f"{kind}_PAIR_RANGE"):
            arguments = next(iter(entity.parts.values()))
            if len(arguments) == 1 + 2 * len(freedoms) and isinstance(arguments[0], Ref):
                found[int(arguments[0])] = _pairwise(freedoms, arguments[1:])
    return found


def _pairwise(freedoms: tuple[str, ...], values: tuple[Any, ...]) -> dict[str, tuple[Any, Any]]:
    return {f: (values[2 * k], values[2 * k + 1]) for k, f in enumerate(freedoms)}


def attributes(entity: Entity) -> Read:
    """The attributes of a pair of either edition, simple or complex; Part21Error where their number fits none."""
    # Of a complex instance the most specific type decides; the one of low order is a supertype.
    types = [t for t in entity.parts if t in KIND_OF]
    if not types:
        raise Part21Error(f"{entity.type} is not a pair")
    # A pair with range is a subtype of the pair, and its name the longer one.
    type_ = max(types, key=lambda t: (KIND_OF[t] not in _LOW, len(t)))
    kind = KIND_OF[type_]
    if len(entity.parts) > 1:
        return _of_complex(entity, kind)
    arguments = entity.parts[type_]
    own = OWN.get(kind, ())
    flags = FLAGS if kind in FREEDOM or kind in _LOW else ()
    freedoms = RANGES.get(kind, ()) if type_.endswith("_WITH_RANGE") else ()
    editions = (("item_name", *_TRANSFORMATION, *flags, *own), (*_TRANSFORMATION, *own))
    for names in editions:
        if len(arguments) == len(names) + 2 * len(freedoms):
            rest = arguments[len(names) :]
            return Read(kind, dict(zip(names, arguments, strict=False)), _pairwise(freedoms, rest))
    if kind in _HIGHER:
        return Read(kind, dict(zip(editions[0], arguments, strict=False)), {})
    raise Part21Error(f"{type_} has {len(arguments)} attributes, not {len(editions[0]) + 2 * len(freedoms)}")


def _of_complex(entity: Entity, kind: str) -> Read:
    """Every part of a complex instance holds the attributes of its own type only."""
    own: dict[str, tuple[str, ...]] = {
        "REPRESENTATION_ITEM": ("item_name",),
        "ITEM_DEFINED_TRANSFORMATION": _TRANSFORMATION[:4],
        "KINEMATIC_PAIR": ("joint",),
        "LOW_ORDER_KINEMATIC_PAIR": FLAGS,
        f"{kind}_PAIR": OWN.get(kind, ()),
    }
    values: dict[str, Any] = {}
    for type_, names in own.items():
        values |= dict(zip(names, entity.parts.get(type_, ()), strict=False))
    if not {"transform_item_1", "transform_item_2", "joint"} <= values.keys():
        raise Part21Error("the complex instance lacks its transformation or its joint")
    rest = entity.parts.get(f"{kind}_PAIR_WITH_RANGE", ())
    freedoms = RANGES.get(kind, ())
    return Read(kind, values, _pairwise(freedoms, rest) if len(rest) == 2 * len(freedoms) else {})


# --- one pair ---


@dataclass(frozen=True, eq=False)
class Ends:
    """The two sides of a pair: components and the frames X_WJ of the pair on each, as designed."""

    a: str
    b: str
    X_WJ: tuple[Pose, Pose]
    X_WC: tuple[Pose, Pose]

    def frame(self, side: int) -> Feature:
        """The frame of a side."""
        return frame_feature((self.a, self.b)[side], self.X_WC[side].inverse() @ self.X_WJ[side])

    def designed(self, axis: int) -> float:
        """How far the second frame stands from the first along or about an axis, by its index in AXES."""
        return coordinate(self.X_WJ[0].inverse() @ self.X_WJ[1], axis)

    def line(self, side: int, axis: int) -> Feature:
        """The line of a side along `axis` (0, 1, 2) of the pair's frame."""
        J = self.X_WC[side].inverse() @ self.X_WJ[side]
        return Feature((self.a, self.b)[side], FeatureKind.AXIS, J.p, J.R[:, axis])


def read_pair(
    text: Text, entity: Entity, links: LinkPlaces, apart: dict[str, tuple[Any, Any]] | None, units: ContextUnits,
    taken: set[str], findings: Findings,
) -> tuple[Mate, ...] | Coupling | str:  # fmt: skip
    """A pair as mates (none, with a finding) or coupling; or the name of a component that it grounds."""
    read = attributes(entity)
    name, joint_name = _named(text, read, entity.number, taken)
    where = Where(file=links.file, item=name)
    if read.kind in _HIGHER:
        text_ = f"{name} is a pair of higher order ({read.kind.lower().replace('_', ' ')})"
        findings.add("CB783", text_, where)
        return ()
    ends = _ends(text, read, links)
    if ends.a == ends.b:
        raise Part21Error(f"both links are {ends.a}")
    ranges = read.ranges or apart or {}
    if read.kind in ("GEAR", "RACK_AND_PINION"):
        for key, values in ranges.items():
            if _limit(ends, 5, values, units) is not None:
                kind = read.kind.lower().replace("_", " ")
                findings.add("CB1305", f"{name}: the range of {key} of a {kind} pair is left out", where)
    if read.kind == "GEAR":
        return _gears(read, name, ends, units, where)
    if read.kind == "RACK_AND_PINION":
        return _rack(read, name, ends, units, where)
    if read.kind == "SCREW":
        # The standard's pitch is an advance a turn, a mate's a radian.
        pitch = _number(read, "pitch") * units.length / (2.0 * math.pi)
        limit, more = _limit(ends, 5, ranges.get("r_z"), units), {"joint_name": joint_name, "value": pitch}
        return joint_mates(
            free("tz rz", pitched=True), name, ends.frame(0), ends.frame(1), where, aligned=True, limit=limit, **more
        )
    leaves = _free(read)
    if not leaves.axes and GROUND in (ends.a, ends.b):
        return ends.b if ends.a == GROUND else ends.a
    limit = _only_limit(read, name, ends, leaves, ranges, units, where, findings)
    return joint_mates(
        leaves, name, ends.frame(0), ends.frame(1), where, aligned=True, limit=limit, joint_name=joint_name
    )


def _named(text: Text, read: Read, number: int, taken: set[str]) -> tuple[str, str | None]:
    """A unique name for the pair, and the name of its joint where it has one of its own."""
    joint = read.values.get("joint")
    arguments = next(iter(text.get(joint).parts.values())) if isinstance(joint, Ref) else ()
    joint_name = arguments[0] if len(arguments) == 3 and isinstance(arguments[0], str) else ""
    own = [read.values.get("item_name"), read.values.get("name"), joint_name]
    base = next((n.strip() for n in own if isinstance(n, str) and n.strip()), f"pair #{number}")
    return free_name(base, taken), joint_name.strip() or None


def _ends(text: Text, read: Read, links: LinkPlaces) -> Ends:
    joint = read.values.get("joint")
    if not isinstance(joint, Ref):
        raise Part21Error("it names no joint")
    if not any(type_.endswith("JOINT") for type_ in text.get(joint).parts):
        raise Part21Error(f"#{int(joint)} is not a joint")
    edges = [a for a in next(iter(text.get(joint).parts.values())) if isinstance(a, Ref)]
    if len(edges) != 2:
        raise Part21Error(f"the joint #{int(joint)} does not join two links")
    missing = [f"#{int(link)}" for link in edges if int(link) not in links.path]
    if missing:
        raise Part21Error(f"the link {' and '.join(missing)} is bound to no occurrence")
    frames, components, poses = [], [], []
    for link, key in zip(edges, ("transform_item_1", "transform_item_2"), strict=True):
        path = links.path[int(link)]
        X_LJ = placement(text, read.values.get(key), links.scale[int(link)])
        frames.append(links.X_WL[int(link)] @ X_LJ)
        components.append(path)
        poses.append(Pose() if path == GROUND else links.X_WC[path])
    return Ends(components[0], components[1], (frames[0], frames[1]), (poses[0], poses[1]))


def _free(read: Read) -> Free:
    """The freedoms: as the file says, else as the standard has it for the kind."""
    given = [read.values.get(flag) for flag in FLAGS]
    if read.kind in _LOW or all(isinstance(v, Enumeration) for v in given):
        if any(v is DERIVED or v is None for v in given):
            raise Part21Error("it is a pair of low order and does not say what is free")
        return Free(tuple(i for i, v in enumerate(given) if v == Enumeration("T")))
    return FREEDOM[read.kind]


def _only_limit(
    read: Read, name: str, ends: Ends, leaves: Free, ranges: dict[str, tuple[Any, Any]], units: ContextUnits,
    where: Where, findings: Findings,
) -> Limit | None:  # fmt: skip
    """The range of a pair's one freedom; those of several, and a skew, are reported."""
    found = None
    if read.kind in _LOW:
        # It has a range for each axis of its frame; of one that is held it says nothing.
        ranges = {key: values for key, values in ranges.items() if FLAGS.index(key) in leaves.axes}
    for key, values in ranges.items():
        limit = _limit(ends, leaves.axes[0], values, units) if leaves.single else None
        if limit is None and _limit(ends, 5, values, units) is not None:
            kind = read.kind.lower().replace("_", " ")
            findings.add("CB1305", f"{name}: the range of {key} of a {kind} joint is left out", where)
        found = limit or found
    skew = read.values.get("input_skew_angle")
    if isinstance(skew, float) and skew:
        findings.add("CB1305", f"{name}: the skew angle of a universal joint is left out", where)
    return found


def _limit(ends: Ends, axis: int, values: tuple[Any, Any] | None, units: ContextUnits) -> Limit | None:
    """A range of an axis as written, in SI and from the designed pose; None where neither end is given.

    Part21Error where an end is neither a number nor left out ($, * or .UNLIMITED. of the first edition).
    """
    plain = [v.value if isinstance(v, Typed) else v for v in values or ()]
    if not all(v is None or v is DERIVED or isinstance(v, float | Enumeration) for v in plain):
        raise Part21Error("an end of its range is not a number")
    unit = units.angle if axis > 2 else units.length
    limit = Limit.of(*(v * unit if isinstance(v, float) and math.isfinite(v) else None for v in plain))
    return None if limit is None else limit.counted_from(ends.designed(axis), axis > 2)


def _number(read: Read, key: str) -> float:
    value = read.values.get(key)
    value = value.value if isinstance(value, Typed) else value
    if not isinstance(value, float) or not math.isfinite(value):
        raise Part21Error(f"{key} is not a number")
    return value


def _gears(read: Read, name: str, ends: Ends, units: ContextUnits, where: Where) -> Coupling:
    """Axes that meet or cross make bevel gears; of parallel ones the centre distance tells spur from internal gears."""
    ra, rb = (abs(_number(read, key)) * units.length for key in ("radius_first_link", "radius_second_link"))
    # Its sign depends on the way the writer points the two axes; the kind of the gears gives the sense of rotation.
    ratio = abs(_number(read, "gear_ratio")) or (rb / ra if ra else 0.0)
    a, b = ends.line(0, 2), ends.line(1, 2)
    u, v = (X.R[:, 2] for X in ends.X_WJ)
    # The sine of 0.06°, as where the mates of gears are built (`mechanism.couplings.SKEW`).
    if cross_length(u, v) > 1e-3:
        kind = CouplingKind.BEVEL
    else:
        apart = ends.X_WJ[1].p - ends.X_WJ[0].p
        distance = float(np.linalg.norm(apart - u * float(u @ apart)))
        kind = CouplingKind.INTERNAL if abs(abs(ra - rb) - distance) < abs(ra + rb - distance) else CouplingKind.SPUR
    if not ratio > 0:
        raise Part21Error("the gear ratio is zero")
    return Coupling(name, kind, a, b, ratio=ratio, radius_a=ra or None, radius_b=rb or None, where=where)


def _rack(read: Read, name: str, ends: Ends, units: ContextUnits, where: Where) -> Coupling:
    """The pinion turns about z of the first frame, the rack runs along x of the second."""
    radius = abs(_number(read, "pinion_radius")) * units.length
    if not radius > 0:
        raise Part21Error("the pinion's radius is zero")
    a, b = ends.line(0, 2), ends.line(1, 0)
    return Coupling(name, CouplingKind.RACK_PINION, a, b, radius_a=radius, where=where)
