"""Bearings, bushes and rings: what turns with a shaft in its bearings, and what stands still with their seats."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, Contact, Line, Placed, clearance, parallel
from cadbridge.recognition.contacts.walls import fit_text
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.standard.names import StandardKind, named_kinds
from cadbridge.recognition.standard.roles import IDLERS, called

RINGS = (StandardKind.BEARING, StandardKind.BEARING_RING, StandardKind.WASHER, StandardKind.CIRCLIP)
"""Standard parts that sit in a bore or on a shaft."""
BEARING_OFF = 1e-3
"""m by which what is seated on the axis of a bearing may be off it, beside a share of its radius. A choice: balls lie
loosely in their grooves."""

SMALL_COLLAR = 0.02
"""Size of a ring beside what carries it, above which it is a wheel and no collar. 54 machines have 0.08 and more.
Tests: a collar of 0.0045, a wheel of 0.15 (`test_links`)."""

WIDEST_BEARING = 3.4
"""Radius of a deep-groove bearing beside that of its bore, at most: ISO 15's 623 has 3.33."""

WHOLE_RING = 0.97 * 2 * math.pi
"""rad that the faces of a ring go round at least: all but a groove for an anti-rotation pin. A choice."""

RING_ENDS = 0.1
"""Of a ring's width: how far its ends stand off those of the bearing's other ring, or of its faces, at most. Rounded
corners and seals take so much. A choice."""

WIDEST_RACE = 2.2
"""Outer beside inner radius of one ring of a bearing, at most. A choice, as that for rings with tracks."""

LOOSEST_SEAT = 0.05
"""Gap of a bearing in its seat beside its radius, at most: printed seats have 0.15 mm at 6. A choice."""

SEATED = 0.5
"""Of a bearing's width: how much of it stands in its seat at least. A choice: a flange lies before the seat."""


def bind_rolling(scene: Scene) -> None:
    """Balls to the outer ring of their bearing; which rings roll on each other is noted, with balls or without."""
    touched: dict[str, dict[str, Contact]] = defaultdict(dict)
    for c in scene.contacts.found:
        if c.kind == "ball":
            touched[c.a.instance][c.b.instance] = c
    seen: set[tuple[str, str]] = set()
    for ball, rings in touched.items():
        ordered = sorted(rings, key=lambda r: (_outer_radius(scene, r, rings[r]), r))
        scene.bind(ball, ordered[-1], "a ball in the groove of its ring", 0.95)
        if len(ordered) == 2 and (ordered[0], ordered[1]) not in seen:
            seen.add((ordered[0], ordered[1]))
            scene.rolling.append((ordered[0], ordered[1], rings[ordered[0]]))
    known = {name for pair in seen for name in pair}
    scene.rolling += [r for line in scene.contacts.lines for r in _nested(scene, line) if not known & set(r[:2])]


def _nested(scene: Scene, line: Line) -> Iterator[tuple[str, str, Contact]]:
    """Inner and outer ring of bearings whose balls and tracks are not drawn: one in the other, with room between."""
    rings = sorted(_rings(scene, line), key=lambda ring: (ring[0].low, ring[0].instance))
    starts = [bore.low for bore, _ in rings]
    for k, first in enumerate(rings):
        near = RING_ENDS * (first[0].high - first[0].low)
        for second in rings[k + 1 : bisect_right(starts, starts[k] + near)]:
            for (_, inside), (bore, _) in ((first, second), (second, first)):
                gap = bore.surface.radius - inside.surface.radius
                if abs(bore.high - inside.high) <= near and gap > clearance(bore.surface.radius):
                    at = line.point + (inside.low + inside.high) / 2 * line.direction
                    radius = inside.surface.radius
                    contact = Contact("ball", inside, bore, at, line.direction, gap, 0.0, 0.0, radius)
                    yield inside.instance, bore.instance, contact


def _rings(scene: Scene, line: Line) -> Iterator[tuple[Placed, Placed]]:
    """The bore and the outside of each slim ring on a line, as wide as all of its part."""
    sides: dict[str, list[Placed]] = defaultdict(list)
    for m in line.members:
        if m.surface.kind == "cylinder" and m.surface.turn >= WHOLE_RING:
            sides[m.instance].append(m)
    for name, own in sides.items():
        width = scene.extent(name, line.direction)
        whole = [m for m in own if m.high - m.low >= (1.0 - 2 * RING_ENDS) * width]
        bores, outsides = ([m for m in whole if m.surface.hollow is hollow] for hollow in (True, False))
        if not bores or not outsides:
            continue
        bore, outside = min(bores, key=lambda m: m.surface.radius), max(outsides, key=lambda m: m.surface.radius)
        slim = outside.surface.radius <= WIDEST_RACE * bore.surface.radius and width <= 2 * outside.surface.radius
        if slim and round_outside(scene, name, line.point, line.direction):
            yield bore, outside


def _outer_radius(scene: Scene, ring: str, contact: Contact) -> float:
    """The radius that distinguishes the outer ring of a bearing from the inner one."""
    revolution = scene.revolution(ring)
    return revolution.outer if revolution is not None else 2 * contact.b.surface.radius


def bind_twins(scene: Scene) -> None:
    """Rings that nothing holds but their balls to the ring of another bearing on the same shaft: one housing."""
    alone = _rings_alone(scene)
    by_shaft: dict[str, list[str]] = defaultdict(list)
    for inner, outer, _ in scene.rolling:
        by_shaft[scene.groups.root(inner)].append(outer)
    for rings in by_shaft.values():
        firm = sorted((r for r in rings if r not in alone), key=lambda r: r)
        lonely = [r for r in rings if r in alone]
        for ring in lonely if firm else lonely[1:]:
            scene.bind(ring, firm[0] if firm else lonely[0], "the other bearing of the same shaft", 0.8)


def _rings_alone(scene: Scene) -> set[str]:
    """Outer rings of bearings that touch nothing but balls."""
    held = {name for c in scene.contacts.found if c.kind != "ball" for name in c.pair}
    return {outer for _, outer, _ in scene.rolling if outer not in held}


def bind_seats(scene: Scene) -> None:
    """What sits on a shaft, or a shaft's ring in a bore, on the axis of a rolling bearing: that turns already."""
    on_axis: dict[str, list[Contact]] = defaultdict(list)
    for inner, outer, contact in scene.rolling:
        on_axis[inner].append(contact)
        on_axis[outer].append(contact)
    forbidden = {frozenset((a, b)) for a, b, _ in scene.rolling}
    grown = True
    while grown:
        grown = False
        for c in scene.contacts.found:
            if c.kind != "shaft" or frozenset(c.pair) in forbidden:
                continue
            a, b = c.pair
            mine = next((k for k in (*on_axis.get(a, ()), *on_axis.get(b, ())) if same_axis(k, c)), None)
            # Joining two rings that roll on each other would lock their bearing.
            if mine is None or scene.bodies(a, b) in scene.rolling_bodies:
                continue
            # What is seated carries the axis on to what sits on it in turn: a hub on the shaft in the ring.
            if scene.bind(a, b, f"seated on the axis of a rolling bearing, {fit_text(c.gap)}", 0.9):
                on_axis[a].append(mine)
                on_axis[b].append(mine)
                grown = True


def same_axis(a: Contact, b: Contact) -> bool:
    """Whether two contacts are about one axis, as loosely as bearings are drawn."""
    off = cross_length(b.point - a.point, a.direction)
    return parallel(a.direction, b.direction) and off < BEARING_OFF + ON_AXIS * b.radius


def bearings_of(scene: Scene) -> dict[str, tuple[Contact, Contact]]:
    """The bearings and bushes that are one part: what holds each at its outside, and the shaft in its bore."""
    seats: dict[str, Contact] = {}
    bores: dict[str, Contact] = {}
    for c in scene.contacts.found:
        if c.kind == "shaft":
            if c.overlap > (seats[c.a.instance].overlap if c.a.instance in seats else 0.0):
                seats[c.a.instance] = c
            if c.overlap > (bores[c.b.instance].overlap if c.b.instance in bores else 0.0):
                bores[c.b.instance] = c
    return {
        name: (seat, bores[name]) for name, seat in seats.items()
        if name in bores and seat.b.instance != bores[name].a.instance and _is_bearing(scene, name, seat, bores[name])
    }  # fmt: skip


def _is_bearing(scene: Scene, name: str, seat: Contact, bore: Contact) -> bool:
    """Whether a part is as short and slim as a bearing and stands in its seat with half of its width."""
    width = scene.extent(name, seat.direction)
    return (
        same_axis(seat, bore)
        and seat.radius <= WIDEST_BEARING * bore.radius
        and width <= 2 * seat.radius
        and seat.overlap >= SEATED * width
        and seat.gap <= LOOSEST_SEAT * seat.radius
        and round_outside(scene, name, seat.point, seat.direction)
    )


def _holds_shaft(scene: Scene, c: Contact, bearings: Container[str], names: bool) -> bool:
    """Whether a contact is that of a hollow shaft in the bore of a bearing, which turns there and is no bush in it."""
    shaft, ring = c.a.instance, c.b.instance
    if _rolls(scene, shaft, names):
        return False
    return _rolls(scene, ring, names) or (ring in bearings and shaft not in bearings)


def _rolls(scene: Scene, name: str, names: bool) -> bool:
    """Whether a part is a rolling bearing by its measures, or (where `names` are a witness) by its name."""
    standard = scene.standards.get(name)
    by_shape = standard is not None and standard.kind is StandardKind.BEARING
    return by_shape or (names and StandardKind.BEARING in named_kinds(scene.called(name)))


def bind_rings(scene: Scene, names: bool) -> None:
    """Bushes to the bore they sit in; collars, washers and circlips to the shaft that carries them.

    What is called a roller or a pulley turns on its shaft (where `names` are a witness).
    """
    rolling = {name for pair in scene.rolling for name in pair[:2]} | scene.linear
    bearings = bearings_of(scene)
    for name, touching in scene.contacts.of.items():
        contacts = [c for c in touching if c.kind in ("shaft", "holes")]
        revolution = scene.revolution(name)
        standard = scene.standards.get(name)
        ring = name in bearings or (revolution is not None and revolution.is_ring)
        if not contacts or name in rolling or not (ring or (standard is not None and standard.kind in RINGS)):
            continue
        outside = [c for c in contacts if c.kind == "shaft" and c.a.instance == name]
        inside = [c for c in contacts if c.kind == "shaft" and c.b.instance == name]
        # A hollow shaft in the bore of a bearing looks like a bush in its bore, but turns there.
        turns = any(_holds_shaft(scene, c, bearings, names) for c in outside)
        # A bush is pressed in by its outside, and what stands in it turns: its bore comes before its shaft.
        if outside and not turns:
            best = max(outside, key=lambda c: c.overlap)
            scene.bind(name, best.b.instance, f"a bush in its bore, {fit_text(best.gap)}", 0.7)
        elif inside:
            best = max(inside, key=lambda c: c.overlap)
            if standard is None and scene.size(name) > SMALL_COLLAR * scene.size(best.a.instance):
                continue
            if names and called(IDLERS, scene.called(name)):
                continue
            scene.bind(name, best.a.instance, f"a ring on its shaft, {fit_text(best.gap)}", 0.7)
        elif not turns:
            others = [n for c in contacts for n in c.pair if n != name]
            scene.bind(name, max(others, key=lambda n: (scene.size(n), n)), "a spacer before a hole", 0.6)
