"""Relations between mates: gear, rack and pinion, linear (couplings of two joints) and screw (one joint)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from cadbridge.assembly import Coupling, CouplingKind, Mate, MateKind
from cadbridge.readers.json_file import text_of
from cadbridge.readers.onshape.context import Context
from cadbridge.readers.onshape.mates import data_of, own_name
from cadbridge.readers.structure import Key
from cadbridge.units import TO_MM

TURNS = (MateKind.REVOLUTE, MateKind.CYLINDRICAL, MateKind.SCREW)
SLIDES = (MateKind.PRISMATIC,)
NEEDED: dict[str, tuple[tuple[MateKind, ...], tuple[MateKind, ...], str]] = {
    "GEAR": (TURNS, TURNS, "relationRatio"),
    "LINEAR": (SLIDES, SLIDES, "relationRatio"),
    "RACK_AND_PINION": (TURNS, SLIDES, "relationLength"),
    "SCREW": ((MateKind.CYLINDRICAL,), (), "relationLength"),
}
"""The kinds of mates that each relation couples, and the number that it needs."""


def read_relations(c: Context, mates: list[Mate]) -> tuple[list[Mate], list[Coupling]]:
    """The mates, screws among them where a relation makes them so, and the couplings.

    The value of the second mate is `ratio` times that of the first (against it where reversed); of a rack, the
    slide is `relationLength` for a full turn.
    """
    couplings: list[Coupling] = []
    turned: dict[str, Mate] = {}
    for place, features in c.holders:
        for feature in features:
            if feature.get("featureType") != "mateRelation":
                continue
            if feature.get("suppressed") is True:
                c.suppressed.append(c.name(place, own_name(c, feature)))
                continue
            c.given += 1
            made = _relation(c, place, feature)
            if isinstance(made, Mate):
                turned[made.name] = made
                # The relation and its mate are one mate of ours.
                c.given -= 1
            elif made is not None:
                couplings.append(made)
    return [turned.get(m.name, m) for m in mates], couplings


def _relation(c: Context, place: Key, feature: dict[str, Any]) -> Coupling | Mate | None:
    data, identity = data_of(c, feature), text_of(feature.get("id"))
    name = c.name(place, own_name(c, feature))
    kind = text_of(data.get("relationType"))
    if kind not in NEEDED:
        c.file.say(
            "CB1303", f"{name}: a relation of type {data.get('relationType')!r} is not understood", identity, name
        )
        return None
    first, second, key = NEEDED[kind]
    number = c.file.number(data.get(key), f"{name}: {key}", identity)
    mates = _mates(c, place, data, name)
    if number is None or mates is None:
        return None
    wanted = [k for k in (first, second) if k]
    if kind == "RACK_AND_PINION" and mates and mates[0].kind in SLIDES:
        mates = mates[::-1]  # the pinion turns the rack, whichever was selected first
    fits = len(mates) == len(wanted) and all(m.kind in k for m, k in zip(mates, wanted, strict=True))
    if not fits or number == 0.0:
        what = ", ".join(f"{m.name} ({m.kind.value})" for m in mates)
        c.file.say(
            "CB1303", f"{name}: a {kind.lower()} of {number:g} between {what} has no meaning here", identity, name
        )
        return None
    signed = -number if data.get("reverseDirection") is True else number
    if kind == "SCREW":
        text = f"{name} makes {mates[0].name} a screw of {signed * TO_MM:g} mm a turn"
        c.file.say("CB1307", text, identity, name)
        return replace(mates[0], kind=MateKind.SCREW, value=signed / (2.0 * math.pi))
    ratio = signed / (2.0 * math.pi) if kind == "RACK_AND_PINION" else signed
    names = (mates[0].name, mates[1].name)
    return Coupling(name, CouplingKind.JOINTS, None, None, ratio, joints=names, where=c.file.where(identity, name))


def _mates(c: Context, place: Key, data: dict[str, Any], name: str) -> list[Mate] | None:
    """The mates that a relation names, in its order; a finding and None where one is not there."""
    found = []
    for entry in c.file.objects(data.get("mates"), f"{name}: mates"):
        identity = text_of(entry.get("featureId"))
        path = entry.get("occurrence")
        inner = tuple(path) if isinstance(path, list) and all(isinstance(p, str) for p in path) else ()
        # Published definitions have empty paths alone; what another path does not lead to is beside the relation.
        made = c.mates.get(((*place, *inner), identity)) or c.mates.get((place, identity))
        if not made:
            c.file.say("CB162", f"{name} relates the mate {identity!r}, which does not exist", identity or None, name)
            return None
        found.append(made[0])
    return found
