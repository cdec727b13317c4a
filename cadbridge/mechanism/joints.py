"""Joints of the mates between two bodies: name, sign, range and losses, and the rotors that drive them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from cadbridge.assembly import Drive, Limit, Mate
from cadbridge.frames import ACROSS, Pose
from cadbridge.mechanism.building import Builder
from cadbridge.mechanism.collapse import joints_of, mate_axis
from cadbridge.mechanism.connections import Connection
from cadbridge.mechanism.model import Joint, MateRows
from cadbridge.mechanism.reframe import reframed
from cadbridge.mechanism.together import together
from cadbridge.units import TO_DEGREES, TO_MM


def joints_of_bodies(b: Builder, mate_rows: tuple[MateRows, ...]) -> tuple[Joint, ...]:
    """A joint for each pair of bodies that mates connect, in the order of their first mates."""
    by_name = {m.name: m for m in b.assembly.mates}
    pairs: dict[frozenset[int], list[MateRows]] = defaultdict(list)
    for rows in mate_rows:
        a, c = b.body_index(rows.a), b.body_index(rows.b)
        if a != c:
            pairs[frozenset((a, c))].append(rows)
    connections, names, axes = [], [], []
    for rows_of_pair in pairs.values():
        mates = tuple(by_name[r.mate] for r in rows_of_pair)
        # A mate that somebody gave a joint's name says how the joint is seen; without one it is the first of the file.
        chief = next((m for m in mates if b.requested_name(m)), mates[0])
        connection = _connection(b, rows_of_pair, mates, chief)
        connections.append(connection)
        names.append(b.requested_name(chief) or chief.name)
        axes.append(_sign_axes(b, connection, chief))
    joints = joints_of(connections, names, b.length, axes, b.highest)
    done = [_carrying(b, joint, c) for joint, c in zip(joints, connections, strict=True) if joint is not None]
    return _unique(done)


def _sign_axes(b: Builder, connection: Connection, chief: Mate) -> list[np.ndarray]:
    """The world directions that may give a joint its sign: that of its chief mate, then those of the others."""
    axes = []
    for mate in (chief, *connection.mates):
        axis = mate_axis(mate, b.side(mate.a))
        if axis is not None:
            axes.append(-axis if _swapped(b, mate, connection) else axis)
    return axes


def _swapped(b: Builder, mate: Mate, connection: Connection) -> bool:
    """Whether the a of a mate is on the joint's b."""
    return b.body_index(b.index[mate.a.component]) != connection.a


def _sense(b: Builder, mate: Mate, connection: Connection, along: np.ndarray) -> float:
    """+1 where a mate counts as its joint does, −1 where it counts the other way; without a sense as the joint."""
    own = mate_axis(mate, b.side(mate.a))
    cosine = 0.0 if own is None else float(own @ along)
    return 1.0 if abs(cosine) <= ACROSS or (cosine < 0) == _swapped(b, mate, connection) else -1.0


def _carrying(b: Builder, joint: Joint, connection: Connection) -> Joint:
    """The joint with what its mates carry; what of it has no place, and what contradicts, is reported."""
    # A mate may be across the one that the joint has its sign of: each is held against the joint's own axis.
    along = (connection.X_WA @ joint.X_AJ).R[:, 2]
    senses = [_sense(b, mate, connection, along) for mate in connection.mates]
    named = next((m for m in connection.mates if b.requested_name(m)), None)
    found = together(connection.mates, senses, None if named is None else named.name, joint.kind)
    where = {m.name: m.where for m in connection.mates}
    if found.limit is not None and not joint.kind.axial:
        b.findings.add(
            "CB225", f"{joint.name}: no coordinate of a {joint.type} joint takes its limits; they have no effect"
        )
    motion = "turns" if joint.kind.resisted == "angle" else "slides"
    for name, words in found.apart:
        text = f"{joint.name} {motion}: the {words} of {name} is of another motion and has no effect"
        b.findings.add("CB225", text, where[name], items=[name, joint.name])
    if found.exclude:
        _report_excluding(b, joint, connection, dict(zip(where, senses, strict=True)), found.exclude)
    _report_names(b, joint, connection)
    losses: dict[str, Any] = found.losses
    against = tuple(m.name for m, sense in zip(connection.mates, senses, strict=True) if sense < 0)
    return replace(joint, limit=found.limit, against=against, **losses)


def _report_excluding(
    b: Builder, joint: Joint, connection: Connection, senses: dict[str, float], exclude: tuple[str, ...]
) -> None:
    ranges = []
    for mate in connection.mates:
        if mate.name in exclude and mate.limit is not None:
            limit = mate.limit.oriented(senses[mate.name])
            ranges.append(f"{mate.name} {_range(limit, joint.kind.resisted == 'angle')}")
    text = f"{joint.name}: the ranges of its mates have nothing in common: {' and '.join(ranges)}"
    place = next(m.where for m in connection.mates if m.name == exclude[0])
    b.findings.add("CB229", text, place, items=[joint.name, *exclude])


def _range(limit: Limit, turns: bool) -> str:
    scale, unit = (TO_DEGREES, "°") if turns else (TO_MM, " mm")
    ends = ["∞" if end is None else f"{end * scale:.4g}{unit}" for end in (limit.lower, limit.upper)]
    return f"from {ends[0]} to {ends[1]}".replace("from ∞", "from −∞")


def _report_names(b: Builder, joint: Joint, connection: Connection) -> None:
    """Other names that mates of the joint ask for."""
    asked = {name: m for m in reversed(connection.mates) if (name := b.requested_name(m))}
    for name, mate in asked.items():
        if name != joint.name and len(asked) > 1:
            text = f"one joint has two names, {joint.name} and (by {mate.name}) {name}; {joint.name} is taken"
            b.findings.add("CB230", text, mate.where, items=[mate.name, joint.name])


def _unique(joints: list[Joint]) -> tuple[Joint, ...]:
    counts = Counter(j.name for j in joints)
    seen: Counter[str] = Counter()
    done = []
    for joint in joints:
        seen[joint.name] += 1
        if counts[joint.name] > 1 and seen[joint.name] > 1:
            joint = replace(joint, name=f"{joint.name} ({seen[joint.name]})")
        done.append(joint)
    return tuple(done)


def _connection(b: Builder, rows: list[MateRows], mates: tuple[Mate, ...], chief: Mate) -> Connection:
    """The mates between two bodies, expressed for the bodies; a is the body of the chief mate's feature a."""
    a = b.body_index(b.index[chief.a.component])
    pair = {b.body_index(r) for r in (rows[0].a, rows[0].b)}
    other = next(i for i in pair if i != a)
    X_WA, X_WB = b.body_pose(a), b.body_pose(other)

    @cache
    def place(component: int) -> tuple[int, Pose]:
        body, X_BC = b.place(component)
        return (0 if body == a else 1), X_BC

    primitives = tuple(reframed(p, place) for r in rows for p in r.primitives)
    points = [b.side(f).world_point() for m in mates for f in (m.a, m.b)]
    return Connection(a, other, X_WA, X_WB, mates, tuple(rows), primitives, np.mean(points, axis=0))


def with_armatures(b: Builder, joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Rotor inertias, reflected through their reductions, on the joints that they drive."""
    own, given = {m.name: m.joint_name for m in reversed(b.assembly.mates)}, b.assembly.joint_names
    names = {asked: i for i, j in enumerate(joints) for m in j.mates if (asked := given.get(m) or own.get(m))}
    names |= {j.name: i for i, j in enumerate(joints)} | {m: i for i, j in enumerate(joints) for m in j.mates}
    done = list(joints)
    held = {name for mate in b.assembly.mates for name in (mate.name, mate.joint_name)}
    for drive in b.assembly.drives:
        i = names.get(drive.joint)
        if i is None and drive.joint in held:
            b.findings.add("CB227", f"drive {drive.name} drives {drive.joint}, which does not move", drive.where)
            continue
        if i is None:
            b.findings.add("CB226", f"drive {drive.name} drives {drive.joint}, which is not a joint", drive.where)
            continue
        # The rotor turns `reduction` times as fast as the joint: ½ J (n q̇)² is the energy of an inertia n² J on the
        # joint.
        reflected = drive.reduction**2 * drive.rotor_inertia
        done[i] = replace(done[i], armature=done[i].armature + reflected)
    return tuple(done)


def as_their_joints(drives: Sequence[Drive], joints: Sequence[Joint]) -> tuple[Drive, ...]:
    """The drives with the reductions that they have to their joints: one may name a mate that counts the other way."""
    against = {name for joint in joints for name in joint.against} - {joint.name for joint in joints}
    return tuple(replace(d, reduction=-d.reduction) if d.joint in against else d for d in drives)
