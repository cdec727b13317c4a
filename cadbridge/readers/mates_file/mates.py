"""Mates of the file: units turned, features found, names and limits of joints put on them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from cadbridge.assembly import Drive, Feature, FeatureKind, Limit, Mate, MateKind
from cadbridge.findings import Where
from cadbridge.freedoms import SLIDE, TURN
from cadbridge.readers.mates_file.draft import Draft
from cadbridge.readers.mates_file.features import owner_of, resolve
from cadbridge.readers.mates_file.repeated import report_mate
from cadbridge.readers.mates_file.schema import JointSpec, LimitSpec
from cadbridge.readers.mates_file.senses import beside

X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


def add_mates(draft: Draft) -> None:
    """Every mate of the file whose features are there; the others are left out and reported."""
    before = {mate.name: mate for mate in draft.mates}
    for index, spec in enumerate(draft.spec.mates):
        kind = MateKind("coincident" if spec.type == "mate" else spec.type)
        name = spec.name or f"{kind.value.title()}:{draft.document.rows['mates'][index] + 1}"
        a, b = _sides(draft, index, name)
        if a is None or b is None:
            continue
        where = draft.place("mates", index, name=name)
        if a.component == b.component:
            message = f"{name!r} holds {a.component!r} to itself; it is left out"
            draft.findings.add("CB157", message, where)
            continue
        limits: LimitSpec | None = getattr(spec, "limits", None)
        mate = Mate(
            name=name,
            kind=kind,
            a=a,
            b=b,
            value=_value(draft, spec),
            # Flush is Inventor's word for normals the same way; without it the side would be taken as designed.
            aligned=True if kind is MateKind.FLUSH else getattr(spec, "aligned", None),
            lock_rotation=getattr(spec, "lock_rotation", False),
            inside=getattr(spec, "inside", False),
            damping=getattr(spec, "damping", 0.0),
            friction=getattr(spec, "friction", 0.0),
            where=where,
        )
        if limits is not None:
            mate = replace(mate, limit=limit_in_si(draft, limits, mate.freedom))
        draft.mates.append(mate)
        if name in before:
            report_mate(draft, before[name], mate)


def _sides(draft: Draft, index: int, name: str) -> tuple[Feature | None, Feature | None]:
    """Both features of a mate; of a component alone what the other side takes hold of, where it stands."""
    spec = draft.spec.mates[index]
    if spec.a.bare and spec.b.bare:
        owner = owner_of(draft, spec.a, "mates", index, "a", name)
        a = None if owner is None else Feature(owner, FeatureKind.FRAME, np.zeros(3), Z, x=X, label=spec.a.component)
        return a, _as_designed(draft, a, index, "b", name)
    if spec.a.bare:
        b = resolve(draft, spec.b, "mates", index, "b", name)
        return _as_designed(draft, b, index, "a", name), b
    a = resolve(draft, spec.a, "mates", index, "a", name)
    if spec.b.bare:
        return a, _as_designed(draft, a, index, "b", name)
    return a, resolve(draft, spec.b, "mates", index, "b", name)


def _as_designed(draft: Draft, other: Feature | None, index: int, side: str, name: str) -> Feature | None:
    """The other side's feature as one of the component that `side` names, at the same place of the world."""
    spec = getattr(draft.spec.mates[index], side)
    owner = owner_of(draft, spec, "mates", index, side, name)
    if other is None or owner is None:
        return None
    X_BA = draft.pose(owner).inverse() @ draft.pose(other.component)
    return replace(other.on(owner, X_BA), instance=None, label=spec.component)


def _value(draft: Draft, spec: Any) -> float:
    """The offset or distance in m, the angle in rad, the advance of a screw in m/rad."""
    if spec.type == "angle":
        return float(spec.angle) * draft.angle
    if spec.type == "screw":
        return float(spec.pitch) * draft.length / (2.0 * math.pi)
    return float(getattr(spec, "distance", getattr(spec, "offset", 0.0))) * draft.length


def limit_in_si(draft: Draft, spec: LimitSpec, freedom: str | None) -> Limit:
    """A limit in m or rad; as it stands where the freedom is unknown. Efforts are SI in the file."""
    scale = {TURN: draft.angle, SLIDE: draft.length, None: 1.0}[freedom]

    def si(value: float | None) -> float | None:
        return None if value is None else value * scale

    return Limit(si(spec.lower), si(spec.upper), si(spec.velocity), spec.effort)


def name_joints(draft: Draft) -> dict[str, str]:
    """Put the names and limits of `joints` on their mates; returns mate name → joint name."""
    names = dict(draft.assembly.joint_names)
    # Reversed, so that of two mates of one name the first is meant.
    index = {mate.name: i for i, mate in reversed(list(enumerate(draft.mates)))}
    for joint, spec in draft.spec.joints.items():
        members: list[int] = []
        for k, mate_name in enumerate(spec.mates):
            where = draft.place("joints", joint, "mates", k, name=joint)
            if mate_name not in index:
                draft.findings.add(
                    "CB155", f"joint {joint!r}: there is no mate {mate_name!r}{draft.near(mate_name, index)}", where
                )
                continue
            if names.get(mate_name, joint) != joint:
                message = f"{mate_name!r} is in joint {names[mate_name]!r} and in {joint!r}; the first holds"
                draft.findings.add("CB155", message, where)
                continue
            names[mate_name] = joint
            members.append(index[mate_name])
        for i in members:
            draft.mates[i] = replace(draft.mates[i], joint_name=joint)
        if spec.limits is not None and members:
            freedom = joint_freedom(draft, joint, spec)
            where = draft.place("joints", joint, "limits", name=joint)
            report_open(draft, joint, freedom, where)
            for i in members:  # the joint's range is the first's of its mates, and replaces those that others have
                limit = limit_in_si(draft, spec.limits, freedom) if i == min(members) else None
                draft.mates[i] = replace(draft.mates[i], limit=limit)
    return names


def joint_freedom(draft: Draft, joint: str, spec: JointSpec | None) -> str | None:
    """Whether a joint turns or slides, by what the file says or by the kinds of its mates.

    Where none of those that it is called by says it, as a face does not, the others between the same components do.
    """
    if spec is not None and spec.type is not None:
        return spec.type
    names = set(spec.mates) if spec is not None else {joint}
    own = [m for m in draft.mates if m.name in names or joint in (m.name, m.joint_name)]
    found = {m.freedom for m in own} - {None}
    if not found:
        found = {m.freedom for m in beside(draft, own)} - {None}
    # Axes on one line leave a turn, whatever planes and directions stand beside them.
    return found.pop() if len(found) == 1 else None


def report_open(draft: Draft, joint: str, freedom: str | None, where: Where) -> None:
    """A finding where it is not known whether values are angles or lengths."""
    if freedom is None:
        message = f"it is open whether {joint!r} turns or slides; its values were taken in rad or m"
        draft.findings.add("CB159", message, where)


def home_pose(draft: Draft, joint_names: dict[str, str]) -> dict[str, float]:
    """The home pose in rad and m, of joints by their stable names or by a mate's name."""
    home = dict(draft.assembly.home)
    known = [*joint_names.values(), *(m.name for m in draft.mates)]
    for name, value in draft.spec.home.items():
        where = draft.place("home", name, name=name)
        if name not in known:
            message = f"home: there is no joint {name!r}{draft.near(name, known)}"
            draft.findings.add("CB155", message, where)
            continue
        freedom = joint_freedom(draft, name, draft.spec.joints.get(name))
        report_open(draft, name, freedom, where)
        home[name] = value * {TURN: draft.angle, SLIDE: draft.length, None: 1.0}[freedom]
    return home


def drives(draft: Draft, joint_names: dict[str, str]) -> tuple[Drive, ...]:
    """The drives, those of the source first."""
    done = list(draft.assembly.drives)
    known = {*joint_names.values(), *(m.name for m in draft.mates)}
    for index, spec in enumerate(draft.spec.drives):
        where = draft.place("drives", index, name=spec.name)
        if spec.joint not in known:
            message = f"drive {spec.name!r}: there is no joint {spec.joint!r}{draft.near(spec.joint, known)}"
            draft.findings.add("CB155", message, where)
        elif spec.reduction == 0.0:
            draft.findings.add("CB145", f"drive {spec.name!r}: a reduction of zero moves nothing", where)
        else:
            done.append(Drive(spec.name, spec.joint, spec.reduction, spec.rotor_inertia, where))
    return tuple(done)
