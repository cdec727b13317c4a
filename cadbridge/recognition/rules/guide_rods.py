"""Parallel rods on which a carriage slides: what holds their ends is a frame, and the bearings may not be drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from cadbridge.freedoms import SLEEVE, SLIDE
from cadbridge.recognition.contacts.contacts import (
    ALIGNED,
    ON_AXIS,
    Contact,
    Contacts,
    Line,
    Placed,
    clearance,
    parallel,
)
from cadbridge.recognition.contacts.judging import GUIDE_ROD, goes_on
from cadbridge.recognition.evidence.candidates import Candidate, Jointed
from cadbridge.recognition.evidence.pins import HOLE_TURN, LOOSEST_HOLE
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.bearing_units import units_of
from cadbridge.recognition.rules.seated import round_outside

STICKS_OUT_OF_END = 2.0
"""How far a rod sticks out of what holds its end at most, beside its radius: a chamfer, a circlip. A choice."""

STACK = 3
"""Bodies on one rod from which they are a stack and no carriages. A choice: printers have two on their rods."""


def wide_bores(known: Contacts) -> Iterator[Contact]:
    """Long rods that go with room through two bores of one part, as contacts of a shaft in a bore: bearings left out.

    One such rod may go through a hole for any reason; no two parallel ones do so by chance.
    """
    found: dict[str, list[tuple[Line, Contact]]] = defaultdict(list)
    for line in known.lines:
        rods = [m for m in line.members if not m.surface.hollow and _long(m, 2 * m.surface.radius)]
        for bore in line.members if rods else ():
            for rod in rods:
                if (
                    _roomy(rod, bore, known.slack)
                    and not _filled(line, rod, bore)
                    and not _clamped(known, line, rod, bore)
                ):
                    gap, at = bore.surface.radius - rod.surface.radius, line.amid(rod, bore)
                    found[bore.instance].append((line, Contact(
                        "shaft", rod, bore, at, line.direction, gap, 0.0, rod.beside(bore), rod.surface.radius
                    )))  # fmt: skip
    for own in found.values():
        if any(a is not b and parallel(a.direction, b.direction) for a, b in combinations([e[0] for e in own], 2)):
            yield from (c for _, c in own)


def bind_frames(scene: Scene) -> None:
    """Bind rods along which a part goes to what holds their ends, and to each other where they are parallel.

    What holds the ends of two rods is a frame, and so are two equal parts at the ends of one: until none is bound. In
    bearings with their housings a rod turns.
    """
    turning = {bore.a.instance for _, bore in units_of(scene)}
    along = [
        c for c in scene.contacts.found
        if c.kind == "shaft" and c.b.surface.turn >= HOLE_TURN and goes_on(c.a, c.b) and _long(c.a, c.overlap)
        and c.a.instance not in turning
    ]  # fmt: skip
    count = -1
    while count != (count := scene.groups.count):
        # A bearing that was drawn is one body with the carriage, and the carriages of a gantry are one by its rods.
        through: dict[str, dict[str, Contact]] = defaultdict(dict)
        for c in along:
            through[scene.groups.root(c.b.instance)][c.a.instance] = c
        for _, rods in sorted(through.items()):
            _bind_rods(scene, [rods[name] for name in sorted(rods)])


def bind_stacked(now: Jointed) -> None:
    """Bind what would slide on one rod with two others or more: a stack, which nuts or clamps hold at their heights.

    Two carriages may share their rods. Nobody drew the nuts of a stack, and each of its plates fits the rods as a
    carriage does.
    """
    on: dict[str, dict[str, Candidate]] = defaultdict(dict)
    for joint in now.joints:
        if joint.verdict.free == SLEEVE or joint.verdict.free.motion == SLIDE:
            for rod in {c.a.instance for c in joint.contacts if c.kind == "shaft" and _long(c.a, c.overlap)}:
                on[rod][joint.other(now.scene.groups.root(rod))] = joint
    for rod, sliding in sorted(on.items()):
        names = {name for body in sliding for name in now.members[body]}
        if len(sliding) < STACK or names & now.scene.linear:
            continue
        for body in sorted(sliding):
            text = f"one of {len(sliding)} that would slide on one rod: a stack, held by what is not drawn"
            now.scene.bind(min(now.members[body]), rod, text, 0.6)


def _bind_rods(scene: Scene, rods: Sequence[Contact]) -> None:
    """Bind what holds the ends of rods along which one body goes, given by its contacts with them."""
    carriage = rods[0].b.instance
    ends = [_ends(scene, c, carriage) for c in rods]
    for c in rods:
        for support in _supports(scene, c, carriage):
            text = f"a rod between two equal supports, along which {carriage} goes"
            scene.bind(c.a.instance, support, text, 0.8)
    for (a, of_a), (b, of_b) in combinations(zip(rods, ends, strict=True), 2):
        if not _side_by_side(a, b):
            continue
        for holder in sorted(of_a & of_b):
            for c in (a, b):
                text = f"a rod that ends in it beside another, along which {carriage} goes"
                scene.bind(c.a.instance, holder, text, 0.8)
        if _equal(a, b) and not (_carries(scene, a.a.instance, carriage) or _carries(scene, b.a.instance, carriage)):
            text = f"equal rods beside each other, along which {carriage} goes"
            scene.bind(a.a.instance, b.a.instance, text, 0.6)


def _long(rod: Placed, guided: float) -> bool:
    """Whether a rod is as long beside what guides it, and its width, as a guide rod is."""
    return rod.surface.length >= GUIDE_ROD * max(guided, 2 * rod.surface.radius) * (1 - ON_AXIS)


def _roomy(rod: Placed, bore: Placed, slack: float) -> bool:
    """Whether a rod goes through a bore with room for a bearing, and on beyond both ends."""
    s = bore.surface
    if not s.hollow or s.kind != "cylinder" or s.turn < HOLE_TURN or bore.instance == rod.instance:
        return False
    room = s.radius - rod.surface.radius
    loose = clearance(s.radius) + slack < room <= (LOOSEST_HOLE - 1) * rod.surface.radius
    return loose and goes_on(rod, bore) and _long(rod, s.length)


def _filled(line: Line, rod: Placed, bore: Placed) -> bool:
    """Whether a third part stands in a bore about the rod: a bush or a bearing, which says what is free itself."""
    return any(
        m.beside(bore) > 0.0 and rod.surface.radius * (1 - ON_AXIS) <= m.surface.radius <= bore.surface.radius
        for m in line.members if m.instance not in (rod.instance, bore.instance)
    )  # fmt: skip


def _clamped(known: Contacts, line: Line, rod: Placed, bore: Placed) -> bool:
    """Whether what fits a rod lies on the part with the bore: a nut or a collar, which holds it."""
    beside = known.by_both.get(bore.instance, {})
    return any(
        m.instance not in (rod.instance, bore.instance) and m.surface.hollow
        and any(c.kind == "plane" and parallel(c.direction, line.direction) for c in beside.get(m.instance, ()))
        for m in line.members
    )  # fmt: skip


def _side_by_side(a: Contact, b: Contact) -> bool:
    """Whether two rods are parallel and not one behind the other."""
    off = b.point - a.point
    along = abs(float(off @ a.direction))
    return parallel(a.direction, b.direction) and float(off @ off) - along**2 > (a.radius + b.radius) ** 2


def _holders(scene: Scene, rod: Contact, carriage: str) -> Iterator[Contact]:
    """What else a rod stands in, but for wheels about it, as contacts."""
    for c in scene.contacts.of.get(rod.a.instance, ()):
        other = c.kind == "shaft" and c.a.instance == rod.a.instance and len(scene.bodies(c.b.instance, carriage)) == 2
        if other and not round_outside(scene, c.b.instance, c.point, c.direction):
            yield c


def _ends(scene: Scene, rod: Contact, carriage: str) -> set[str]:
    """What holds the ends of a rod: in its bore, or little before its end."""
    near = STICKS_OUT_OF_END * rod.radius
    return {
        c.b.instance for c in _holders(scene, rod, carriage)
        if c.a.low >= c.b.low - near or c.a.high <= c.b.high + near
    }  # fmt: skip


def _supports(scene: Scene, rod: Contact, carriage: str) -> list[str]:
    """Two parts of one size that hold a rod on both sides of what goes along it; none where there are no such two."""
    way = rod.direction
    held = sorted(_holders(scene, rod, carriage), key=lambda c: float(c.point @ way))
    if len(held) < 2 or not float(held[0].point @ way) < float(rod.point @ way) < float(held[-1].point @ way):
        return []
    names = [held[0].b.instance, held[-1].b.instance]
    return names if names[0] != names[1] and _like(scene, names[0], names[1]) else []


def _like(scene: Scene, a: str, b: str) -> bool:
    """Whether two parts are of one size: the two supports of a rod, also if each was drawn for itself."""
    one, two = (scene.faces_of(name) for name in (a, b))
    return one is not None and two is not None and bool(
        np.allclose(np.sort(np.ptp(one.box, axis=0)), np.sort(np.ptp(two.box, axis=0)), rtol=ALIGNED)
    )  # fmt: skip


def _equal(a: Contact, b: Contact) -> bool:
    """Whether two rods are of one radius and begin and end side by side."""
    one, two = a.a, b.a
    off = float((one.middle - two.middle) @ a.direction)
    near = ALIGNED * one.surface.length
    lengths = abs(one.surface.length - two.surface.length)
    return abs(one.surface.radius / two.surface.radius - 1) <= ON_AXIS and max(abs(off), lengths) <= near


def _carries(scene: Scene, rod: str, carriage: str) -> bool:
    """Whether anything but what holds it stands on a rod: of an axle it may be the wheel."""
    own = {scene.groups.root(rod), scene.groups.root(carriage)}
    others = {name for c in scene.contacts.of.get(rod, ()) for name in c.pair}
    return any(scene.groups.root(name) not in own for name in others)
