"""Linear bearings: what they run along is a guide rod, and what holds its ends holds all rods of the carriage."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from cadbridge.recognition.contacts.contacts import ALIGNED, Contact, parallel
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.standard.names import called_linear_bearing

_LM = ((3, 7, 10), (4, 8, 12), (5, 10, 15), (6, 12, 19), (8, 15, 24), (10, 19, 29), (12, 21, 30), (13, 23, 32),
       (16, 28, 37), (20, 32, 42), (25, 40, 59), (30, 45, 64), (6, 12, 35), (8, 15, 45), (10, 19, 55), (12, 21, 57),
       (13, 23, 61), (16, 28, 70), (20, 32, 80), (5, 12, 22), (8, 16, 25), (12, 22, 32), (16, 26, 36), (20, 32, 45),
       (25, 40, 58), (30, 47, 68))  # fmt: skip
"""Bore, outer diameter and length of linear ball bearings, mm: makers' LM-UU and LM-LUU series, and ISO 10285's."""

_DRAWN_TO = 0.1
"""mm by which a measure may be off: seals, chamfers and the tolerance of the bore."""


def find_linear_bearings(scene: Scene, names: bool) -> dict[str, Contact]:
    """The contacts of linear bearings with their rods: by their measures, or (where `names` are a witness) by name.

    A bearing of these measures that goes round its rod and has a bore of its full length is a linear one: no bearing
    that turns is as long.
    """
    found: dict[str, Contact] = {}
    for c in scene.contacts.found:
        name = c.b.instance
        if c.kind != "shaft" or c.overlap <= (found[name].overlap if name in found else 0.0):
            continue
        if (names and called_linear_bearing(scene.called(name))) or _measures(scene, c):
            found[name] = c
    return found


def bind_linear_bearings(scene: Scene, names: bool) -> None:
    """Bind linear bearings to what they carry, their rods to what holds them, and the rods of one carriage."""
    runs = find_linear_bearings(scene, names)
    scene.linear.update(runs)
    for name, c in runs.items():
        host = _host(scene, name, c.a.instance)
        if host is not None:
            scene.bind(name, host, "a linear bearing, with what it carries", 0.8)
    for c in runs.values():
        _hold_rod(scene, c)
    carriages: dict[str, dict[str, Contact]] = defaultdict(dict)
    for name, c in runs.items():
        carriages[scene.groups.root(name)][c.a.instance] = c
    for _, rods in sorted(carriages.items()):
        for a, b in combinations([rods[rod] for rod in sorted(rods)], 2):
            if parallel(a.direction, b.direction):
                text = "rods beside each other, on which the linear bearings of one carriage run"
                scene.bind(a.a.instance, b.a.instance, text, 0.8)


def _measures(scene: Scene, c: Contact) -> bool:
    """Whether the part with the bore of a contact is round about it, with the measures of a linear bearing."""
    known = scene.faces_of(c.b.instance)
    if known is None or not round_outside(scene, c.b.instance, c.point, c.direction):
        return False
    bore, length = 2e3 * c.b.surface.radius, 1e3 * scene.extent(c.b.instance, c.direction)
    outer = max((2e3 * s.radius for s in known.of("cylinder") if not s.hollow), default=0.0)
    whole = 1e3 * c.b.surface.length >= (1 - ALIGNED) * length
    return whole and any(
        max(abs(bore - d), abs(outer - wide), abs(length - long)) <= _DRAWN_TO for d, wide, long in _LM
    )  # fmt: skip


def _host(scene: Scene, name: str, rod: str) -> str | None:
    """What a linear bearing sits in, is screwed to or lies on: not its rod, nor what holds that."""
    seats = {c.b.instance: c.overlap for c in scene.contacts.of[name] if c.kind == "shaft" and c.a.instance == name}
    if seats:
        return max(sorted(seats), key=seats.__getitem__)
    on_rod = {n for c in scene.contacts.of[rod] if c.kind == "shaft" for n in c.pair}
    # Of two bearings end to end the second may lie on the first alone.
    for others in (on_rod, on_rod - scene.linear | {name}):
        for kind in ("bolt", "plane", "holes"):
            mine = [c for c in scene.contacts.of[name] if c.kind == kind]
            beside = {n: c.overlap for c in mine for n in c.pair if n not in others}
            if beside:
                return max(sorted(beside), key=beside.__getitem__)
    return None


def _hold_rod(scene: Scene, run: Contact) -> None:
    """Bind a guide rod to whatever it stands in that no linear bearing is one body with."""
    rod, running = run.a.instance, {scene.groups.root(name) for name in scene.linear}
    for c in scene.contacts.of[rod]:
        if c.kind == "shaft" and c.a.instance == rod and scene.groups.root(c.b.instance) not in running:
            text = "a rod on which linear bearings run, held at its end"
            scene.bind(rod, c.b.instance, text, 0.8)
