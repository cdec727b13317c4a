"""Bearings with their housings, drawn as one part and known by their names: pillow blocks and flanged units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from cadbridge.recognition.contacts.contacts import Contact
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.standard.names import called_bearing_unit


def units_of(scene: Scene, names: bool) -> Iterator[tuple[str, Contact]]:
    """The bearings with their housings, each with a shaft in its bore; none where names are no witness."""
    for c in scene.contacts.found if names else ():
        if c.kind == "shaft" and called_bearing_unit(scene.called(c.b.instance)):
            yield c.b.instance, c


def bind_units(scene: Scene, names: bool) -> None:
    """A bearing with its housing to what its foot or its flange lies on; to another one of its shaft if on nothing."""
    by_shaft: dict[str, list[str]] = defaultdict(list)
    for unit, bore in units_of(scene, names):
        carrier = _carrier(scene, unit, bore)
        if carrier is not None:
            scene.bind(unit, carrier, "a bearing by its name, on what carries it", 0.8)
        by_shaft[bore.a.instance].append(unit)
    for units in by_shaft.values():
        firm = [unit for unit in units if any(n not in units for n in scene.groups.group(unit))] or units[:1]
        for unit in units:
            if unit not in firm:
                scene.bind(unit, firm[0], "another bearing of its shaft, by the names", 0.7)


def _carrier(scene: Scene, unit: str, bore: Contact) -> str | None:
    """What a bearing lies on most, but for what is round about its shaft: a collar or a wheel beside it."""
    lies: dict[str, float] = defaultdict(float)
    for c in scene.contacts.of[unit]:
        if c.kind == "plane":
            lies[next(iter({*c.pair} - {unit}))] += c.overlap
    apart = {bore.a.instance} | {n for n in lies if round_outside(scene, n, bore.point, bore.direction)}
    return max(lies.keys() - apart, key=lambda n: (lies[n], n), default=None)
