"""Parallel rods on which a carriage slides: what holds their ends is a frame, and the bearings may not be drawn."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from cadbridge.recognition.contacts import ALIGNED, ON_AXIS, Contact, Contacts, Line, Placed, clearance, parallel
from cadbridge.recognition.judging import GUIDE_ROD, goes_on
from cadbridge.recognition.pins import HOLE_TURN, LOOSEST_HOLE
from cadbridge.recognition.scene import Scene

STICKS_OUT_OF_END = 2.0
"""How far a rod sticks out of what holds its end at most, beside its radius: a chamfer, a circlip. A choice."""


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
    """Bind parallel rods that go through one part to each other and to what holds the ends of both."""
    through: dict[str, list[Contact]] = defaultdict(list)
    for c in scene.contacts.found:
        if c.kind == "shaft" and goes_on(c.a, c.b) and _long(c.a, c.overlap) and c.b.surface.turn >= HOLE_TURN:
            # A bearing that was drawn is one body with the carriage by now.
            through[scene.groups.root(c.b.instance)].append(c)
    for carriage, own in sorted(through.items()):
        for a, b in combinations(sorted(own, key=lambda c: c.a.instance), 2):
            if a.a.instance == b.a.instance or not _side_by_side(a, b):
                continue
            rods = a.a.instance, b.a.instance
            ends = [_ends(scene, rod, carriage) for rod in rods]
            for holder in sorted(set(ends[0]) & set(ends[1])):
                for rod in rods:
                    scene.bind(rod, holder, f"a rod that ends in it, beside another, and goes through {carriage}", 0.8)
            if _equal(scene, a, b) and not (_carries(scene, rods[0], carriage) or _carries(scene, rods[1], carriage)):
                scene.bind(*rods, f"equal rods beside each other that go through {carriage}", 0.6)


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


def _ends(scene: Scene, rod: str, carriage: str) -> Iterator[str]:
    """What holds an end of a rod: in its bore, or sticking out of it by little."""
    for c in scene.contacts.of.get(rod, ()):
        if c.kind != "shaft" or c.a.instance != rod or scene.groups.root(c.b.instance) == scene.groups.root(carriage):
            continue
        near = STICKS_OUT_OF_END * c.radius
        if c.a.low >= c.b.low - near or c.a.high <= c.b.high + near:
            yield c.b.instance


def _equal(scene: Scene, a: Contact, b: Contact) -> bool:
    """Whether two rods are of one shape and begin and end side by side."""
    one, two = (scene.assembly.part(scene.assembly.instance(c.a.instance).part).shape for c in (a, b))
    if one is None or two is None or one.key != two.key:
        return False
    middles = (c.a.X_WI.point(c.a.surface.middle) for c in (a, b))
    first, second = (float(m @ a.direction) for m in middles)
    return abs(first - second) <= ALIGNED * a.a.surface.length


def _carries(scene: Scene, rod: str, carriage: str) -> bool:
    """Whether anything else stands on a rod: of an axle it may be the wheel."""
    others = {name for c in scene.contacts.of.get(rod, ()) for name in c.pair} - {rod}
    return any(scene.groups.root(name) != scene.groups.root(carriage) for name in others)
