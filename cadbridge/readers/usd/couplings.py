"""Couplings and drives of joints: what Newton, MuJoCo and PhysX say beyond UsdPhysics, and UsdPhysics' drives.

A follower is q = factor · r + offset of its leader r: MjcEqualityJointAPI in rad and m, NewtonMimicAPI with the offset
in degrees (whose attributes newer files have of the former too), PhysxMimicJointAPI as q + gearing · r + offset = 0 in
degrees. The first that a joint bears is read. A fixed MjcTendon whose range is one length holds the sum of its joints.
PhysX's gears and racks are prims of their own. Their ratios are of turns and travels of the gears' bodies, which may be
the first or the second of the joints that they hang in (PhysX, ExtGearJoint.cpp and ExtRackAndPinionJoint.cpp).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cadbridge.assembly import GROUND, ControlLaw, Coupling, CouplingKind, Drive
from cadbridge.findings import Where
from cadbridge.freedoms import SLIDE, TURN
from cadbridge.readers.usd.context import Context, number, vector
from cadbridge.readers.usd.joints import PHYSX_COUPLINGS, Joint, drives_of, effort_of, effort_unit
from cadbridge.units import DEGREE, TO_DEGREES
from cadbridge.wording import count

_CLEAR = 1e-3
"""The stage's units by which a rack must lie on the other side of a gear's axis for its sign to change, as in PhysX."""

_HELD = 1e-5
"""Share of a tendon's length (rad, units; of 1 where it is less) up to which its range is one length, which is held.

A range of single precision has 6e-8 of it; a wider one lets the joints move, and is no coupling. A choice.
"""

_Law = tuple[str | None, float, float]
"""The leader's path (None: the joint stands still), factor and offset in rad or m."""


def read_couplings(c: Context, joints: Sequence[Joint]) -> list[Coupling]:
    """The couplings of all joints; those that are none of one freedom to one other are reported."""
    by_path = {joint.prim["path"]: joint for joint in joints}
    made = [_coupling(c, joint, by_path) for joint in joints]
    gears = (prim for prim in c.stage["joints"] if prim["type"] in PHYSX_COUPLINGS)
    made += [_gear(c, prim, by_path) for prim in gears if prim["attributes"].get("physics:jointEnabled") is not False]
    made += [_tendon(c, prim, by_path) for prim in c.stage["tendons"]]
    return [coupling for coupling in made if coupling is not None]


def _coupling(c: Context, joint: Joint, by_path: Mapping[str, Joint]) -> Coupling | None:
    law = _law(c, joint)
    if law is None:
        return None
    path, factor, offset = law
    name, where = f"{joint.name} mimic", Where(str(c.path), item=joint.name)
    leader = by_path.get(path) if path is not None else None
    alone = path is not None and (leader is None or leader is joint or not leader.free.single)
    if alone or not joint.free.single:
        c.say("CB1450", f"joint {joint.name} follows {path}, and not both have one freedom", name)
        return None
    if leader is None or factor == 0.0:
        held = ((joint.name, 1.0),)
        return Coupling(name, CouplingKind.LINEAR, None, None, factors=held, offset=offset - joint.at, where=where)
    offset += factor * leader.at - joint.at
    pair = (leader.name, joint.name)
    return Coupling(name, CouplingKind.JOINTS, None, None, ratio=factor, offset=offset, joints=pair, where=where)


def _tendon(c: Context, prim: Mapping[str, Any], by_path: Mapping[str, Joint]) -> Coupling | None:
    """The sum that a fixed tendon holds; None of one that is left out with all that `Context.stage` counts."""
    given = prim["attributes"]
    targets = prim["relations"].get("mjc:path", [])
    factors = np.ravel(given.get("mjc:path:coef", np.ones(len(targets))))
    order = np.ravel(given.get("mjc:path:indices", np.arange(len(targets)))).tolist()
    low, high = (number(given, f"mjc:range:{end}", math.nan) for end in ("min", "max"))
    held = given.get("mjc:limited") != "false" and 0.0 <= high - low <= _HELD * max(1.0, abs(low))
    if given.get("mjc:type") != "fixed" or not held or len(factors) != len(order):
        return None
    joints = [by_path.get(targets[k]) if k in range(len(targets)) else None for k in order]
    terms, offset = [], (low + high) / 2
    for joint, factor in zip(joints, factors.tolist(), strict=True):
        if joint is None or not joint.free.single or not math.isfinite(factor):
            return None
        factor /= 1.0 if joint.turns else c.length
        terms.append((joint.name, factor))
        offset -= factor * joint.at
    c.stage["others"]["tendons"] -= 1
    where = Where(str(c.path), item=prim["name"])
    return Coupling(prim["name"], CouplingKind.LINEAR, None, None, factors=tuple(terms), offset=offset, where=where)


def _gear(c: Context, prim: Mapping[str, Any], by_path: Mapping[str, Joint]) -> Coupling | None:
    """A gear (-ratio times the turn) or a rack (ratio degrees for a unit of travel) of PhysX."""
    paths = [next(iter(prim["relations"].get(key, ())), "") for key in PHYSX_COUPLINGS[prim["type"]]]
    pair = [by_path.get(path) for path in paths]
    bodies = {c.names.get(end["body"], GROUND) for end in prim["ends"]}
    rack = prim["type"] != "PhysxPhysicsGearJoint"
    first, second = pair
    motions = tuple(joint.free.motion for joint in pair if joint is not None)
    fits = motions == (SLIDE if rack else TURN, TURN)
    if first is None or second is None or first is second or not fits or GROUND in bodies:
        c.say("CB1450", f"{prim['name']} ({prim['type']}) couples no two joints of its bodies", prim["name"])
        return None
    ratio = number(prim["attributes"], "physics:ratio" if rack else "physics:gearRatio", 1.0)
    # PhysX couples the turns of the gears' bodies: a joint that has the body first counts its coordinate against that.
    ratio *= math.prod(-1.0 if joint.ends[0] in bodies else 1.0 for joint in (first, second))
    ratio *= _side(prim, c, first, second) * math.radians(1.0) / c.length if rack else -1.0
    where, names = Where(str(c.path), item=prim["name"]), (first.name, second.name)
    return Coupling(prim["name"], CouplingKind.JOINTS, None, None, ratio=ratio, joints=names, where=where)


def _side(prim: Mapping[str, Any], c: Context, slide: Joint, hinge: Joint) -> float:
    """On which side of the gear the rack lies: its sign where that is clear (0.001 units), as PhysX takes it."""
    at = [c.frame(end["matrix"], vector(prim["attributes"], f"physics:localPos{i}", (0.0, 0.0, 0.0)), np.zeros(4)).p
          for i, end in enumerate(prim["ends"])]  # fmt: skip
    gear, rack = (joint.frames[0].R[:, joint.free.axes[0] % 3] for joint in (hinge, slide))
    along = float(np.cross(gear, at[1] - at[0]) @ rack) / c.length
    return -1.0 if along < -_CLEAR else 1.0


def _law(c: Context, joint: Joint) -> _Law | None:
    """What the joint follows; None where it follows nothing."""
    schemas, relations = joint.prim["schemas"], joint.prim["relations"]
    turns = joint.free.motion == TURN
    degrees = DEGREE if turns else c.length
    if "MjcEqualityJointAPI" in schemas:
        factors = [joint.value(f"mjc:coef{i}", float(i == 1)) or 0.0 for i in range(5)]
        if any(factors[2:]):
            c.say("CB1450", f"joint {joint.name} follows by a polynomial, no constant ratio", f"{joint.name} mimic")
            return None
        if "mjc:target" in relations or "newton:mimicJoint" not in relations:
            leader = next(iter(relations.get("mjc:target", ())), None)
            return leader, factors[1], factors[0] * (1.0 if turns else c.length)
    mimic = {"MjcEqualityJointAPI", "NewtonMimicAPI"}.intersection(schemas)
    if mimic and joint.prim["attributes"].get("newton:mimicEnabled") is not False:
        offset, factor = (joint.value(f"newton:mimicCoef{i}", float(i)) or 0.0 for i in (0, 1))
        return next(iter(relations.get("newton:mimicJoint", ())), None), factor, offset * degrees
    for schema in schemas:
        kind, _, axis = schema.partition(":")
        if kind == "PhysxMimicJointAPI":
            at = f"physxMimicJoint:{axis}"
            gearing, offset = joint.value(f"{at}:gearing", 1.0) or 0.0, joint.value(f"{at}:offset") or 0.0
            return next(iter(relations.get(f"{at}:referenceJoint", ())), None), -gearing, -offset * degrees
    return None


def read_drives(c: Context, joints: Sequence[Joint]) -> list[Drive]:
    """A drive for every joint of one freedom that has one: a servo whose control is its target (rad, m, or their rates
    where it has no stiffness), and starts with the file's.
    """
    drives, targets = list[Drive](), []
    for joint in joints:
        found = drives_of(joint)
        if found and not joint.free.single:
            c.say("CB1305", f"joint {joint.name}: the drives of a joint of several freedoms are left out", joint.name)
        elif found:
            drives.append(_drive(c, joint, found[0]))
            law = drives[-1].law
            if law is not None and (law.start or law.bias[0]):
                targets.append(joint.name)
    if targets:
        text = count(len(targets), "drive has", "drives have") + " a target other than the pose as designed"
        c.say("CB1451", text, targets[0], targets)
    return drives


def _drive(c: Context, joint: Joint, prefix: str) -> Drive:
    where = Where(str(c.path), item=joint.name)
    per = effort_unit(c, joint) * (TO_DEGREES if joint.turns else 1.0 / c.length)
    k, d = ((joint.value(f"{prefix}:physics:{key}") or 0.0) * per for key in ("stiffness", "damping"))
    if joint.prim["attributes"].get(f"{prefix}:physics:type") == "acceleration":
        c.say("CB1305", f"joint {joint.name}: the law of its drive, an acceleration, is left out", joint.name)
        return Drive(joint.name, joint.name, where=where)
    if not np.isfinite([k, d]).all():
        c.say("CB1305", f"joint {joint.name}: the law of its drive, which is not finite, is left out", joint.name)
        return Drive(joint.name, joint.name, where=where)
    if not (k or d):
        return Drive(joint.name, joint.name, where=where)
    bound = effort_of(c, joint, joint.value(f"{prefix}:physics:maxForce"))
    unit = DEGREE if joint.turns else c.length
    goals = ((joint.value(f"{prefix}:physics:target{what}") or 0.0) * unit for what in ("Position", "Velocity"))
    value, rate = (goal if np.isfinite(goal) else 0.0 for goal in goals)
    effort = None if bound is None else (-bound, bound)
    if k:
        law = ControlLaw((k, 0.0, 0.0), (d * rate - k * joint.at, -k, -d), effort=effort, start=value)
    else:
        # Without stiffness the drive is of the rate alone, which becomes the control.
        law = ControlLaw((d, 0.0, 0.0), (0.0, 0.0, -d), effort=effort, start=rate)
    return Drive(joint.name, joint.name, where=where, law=law)
