"""Mates between mate connectors, mate groups, and mate connectors as named frames."""

from __future__ import annotations

from typing import Any

from cadbridge.assembly import FeatureKind, Limit, Mate, MateKind, NamedFrame
from cadbridge.frames import Pose, frame_from_axis
from cadbridge.freedoms import FIXED, Free, free
from cadbridge.readers.joints import coordinate, joint_mates
from cadbridge.readers.json_file import names_of, text_of
from cadbridge.readers.onshape.context import Context
from cadbridge.readers.onshape.limits import limit_of
from cadbridge.readers.structure import Key
from cadbridge.wording import count

MATES: dict[str, tuple[Free, str]] = {
    "FASTENED": (FIXED, ""),
    "REVOLUTE": (free("rz"), "limitAxialZ"),
    "SLIDER": (free("tz"), "limitZ"),
    "CYLINDRICAL": (free("tz rz"), "limitAxialZ"),
    "PIN_SLOT": (free("tx rz"), "limitAxialZ"),
    "PLANAR": (free("tx ty rz"), ""),
    "BALL": (free("rx ry rz"), ""),
    "PARALLEL": (free("tx ty tz rz"), ""),
}
"""What each mate type leaves free, and the parameter, but for Min and Max, of the one limit that a joint can have.

TANGENT and WIDTH hold surfaces that are not in the file.
"""


def read_mates(c: Context) -> list[Mate]:
    """The mates and groups of every assembly at each of its places, in the order of the file."""
    found: list[Mate] = []
    for place, features in c.holders:
        for feature in features:
            kind = feature.get("featureType")
            if kind not in ("mate", "mateGroup"):
                continue
            if feature.get("suppressed") is True:
                c.suppressed.append(c.name(place, own_name(c, feature)))
                continue
            c.given += 1
            made = _mate(c, place, feature) if kind == "mate" else _group(c, place, feature)
            c.mates[place, text_of(feature.get("id"))] = made
            found += made
    return found


def data_of(c: Context, feature: dict[str, Any]) -> dict[str, Any]:
    """What a feature says."""
    return c.file.mapping(feature.get("featureData"), f"featureData of {text_of(feature.get('id'))}")


def own_name(c: Context, feature: dict[str, Any]) -> str:
    """The name of a feature, else its id, without the path of its sub-assembly."""
    return text_of(data_of(c, feature).get("name")) or text_of(feature.get("id")) or "Mate"


def _mate(c: Context, place: Key, feature: dict[str, Any]) -> tuple[Mate, ...]:
    """A mate. The entity selected first moves relative to the second, about and along whose z values are counted."""
    data, own, identity = data_of(c, feature), own_name(c, feature), text_of(feature.get("id"))
    name = c.name(place, own)
    entities = list(c.file.objects(data.get("matedEntities"), f"{name}: matedEntities"))
    known = MATES.get(text_of(data.get("mateType")))
    if known is None or len(entities) != 2:
        connectors = count(len(entities), "connector")
        text = f"{name}: a mate of type {data.get('mateType')!r} with {connectors} is not understood"
        c.file.say("CB1303", text, identity, name)
        return ()
    # Onshape moves the first selected entity; a mate of ours moves b against a.
    b, a = (c.frame(place, e.get("matedOccurrence"), e.get("matedCS"), name) for e in entities)
    if a is None or b is None:
        return ()
    if a.component == b.component:
        c.file.say("CB168", f"{name} holds two places of {a.component}, which is rigid", identity, name)
        return ()
    leaves, key = known
    limit = _limit(c, key, name, identity, data)
    if limit is not None:
        X_WA, X_WB = (c.structure.frame(f.component) @ _pose(f.point, f.direction, f.x) for f in (a, b))
        turns = bool(leaves.turns)
        limit = limit.counted_from(coordinate(X_WA.inverse() @ X_WB, 5 if turns else 2), turns)
    return joint_mates(leaves, name, a, b, c.file.where(identity, name), limit=limit)


def _pose(point: Any, z: Any, x: Any) -> Pose:
    return Pose(frame_from_axis(z, x), point)


def _limit(c: Context, key: str, name: str, identity: str, data: dict[str, Any]) -> Limit | None:
    """The limit, counted from where the connectors meet; what it cannot carry is reported."""
    own = data.get("limits") or data.get("mateLimits")
    carried = c.file.mapping(own, f"{name}: limits") if own else {}
    return limit_of(
        key,
        c.parameters.get(identity),
        {k: v for k, v in carried.items() if v is not None},
        lambda text: c.file.say("CB1305", f"{name}: {text}", identity, name),
    )


def _group(c: Context, place: Key, feature: dict[str, Any]) -> tuple[Mate, ...]:
    """A mate group: each further member fixed to the first. Several mates of one feature count as one."""
    data, identity = data_of(c, feature), text_of(feature.get("id"))
    name = c.name(place, own_name(c, feature))
    members = []
    for entry in c.file.objects(data.get("occurrences"), f"{name}: occurrences"):
        path = names_of(entry.get("occurrence"))
        placed = None if path is None else c.structure.placed.get((*place, *path))
        if placed is None or not placed.component:
            path_text = entry.get("occurrence") if path is None else "/".join(path)
            c.file.say(
                "CB162", f"{name} holds the occurrence {path_text!r}, which is not in the assembly", identity, name
            )
        else:
            members.append(placed)
    made: list[Mate] = []
    done: set[str] = set()
    for placed in members:
        if placed.component not in done and done:
            a, b = (c.structure.feature(p, FeatureKind.POINT, (0.0, 0.0, 0.0)) for p in (members[0], placed))
            end = "" if not made else f" {len(made) + 1}"
            made.append(Mate(name + end, MateKind.FIXED, a, b, where=c.file.where(identity, name)))
        done.add(placed.component)
    c.given += max(0, len(made) - 1)
    if members and not made:
        c.given -= 1  # it holds what is rigid anyway
    return tuple(made)


def read_frames(c: Context) -> list[NamedFrame]:
    """Mate connectors of assemblies, as named frames."""
    found = []
    for place, features in c.holders:
        for feature in features:
            if feature.get("featureType") != "mateConnector" or feature.get("suppressed") is True:
                continue
            data, name = data_of(c, feature), c.name(place, own_name(c, feature))
            frame = c.frame(place, data.get("occurrence"), data.get("mateConnectorCS"), name)
            if frame is not None:
                found.append(NamedFrame(name, frame.component, _pose(frame.point, frame.direction, frame.x)))
    return found


def report_unknown(c: Context) -> None:
    """Features of a type that is not read, and what is suppressed."""
    known = ("mate", "mateGroup", "mateRelation", "mateConnector")
    for place, features in c.holders:
        for feature in features:
            if feature.get("featureType") not in known and feature.get("suppressed") is not True:
                c.given += 1
                text = f"a feature of type {feature.get('featureType')!r} is not understood"
                c.file.say("CB1303", text, text_of(feature.get("id")), c.name(place, own_name(c, feature)))
    if c.suppressed:
        some = ", ".join(c.suppressed[:8]) + (" …" if len(c.suppressed) > 8 else "")
        c.file.say("CB1304", f"suppressed: {some}")
