"""Bearings with their housings, drawn as one part and known by their names: pillow blocks and flanged units."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator

from cadbridge.recognition.contacts.contacts import Contact, Line, Placed
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.bearing_seats import WHOLE
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import LOOSEST_HOLE
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.pivots import Seen
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.standard.names import called_bearing_unit, housing_bore

AS_NUMBERED = 0.02
"""Of the bore that a housing's number says: how much its hole may differ. A choice: the next bore is a tenth wider."""


def find_units(scene: Scene) -> frozenset[str]:
    """The bearings with their housings, by their names; of a housing's number alone, with a hole of its bore."""
    return frozenset(
        i.name for i in scene.assembly.instances
        if called_bearing_unit(scene.called(i.name)) or _as_numbered(scene, i.name)
    )  # fmt: skip


def _as_numbered(scene: Scene, name: str) -> bool:
    bore, known = housing_bore(scene.called(name)), scene.faces_of(name)
    return bore is not None and known is not None and any(
        s.hollow and abs(2e3 * s.radius - bore) <= AS_NUMBERED * bore for s in known.of("cylinder")
    )  # fmt: skip


def units_of(scene: Scene) -> Iterator[tuple[str, Contact]]:
    """The bearings with their housings, each with a shaft that fits its bore."""
    for unit in sorted(scene.units):
        for c in scene.contacts.of.get(unit, ()):
            if c.kind == "shaft" and c.b.instance == unit:
                yield unit, c


def bind_units(scene: Scene) -> None:
    """A bearing with its housing to what its foot or its flange lies on, and to the others of its shaft.

    These are of one body: what stands between two bodies that turn has a bearing in one of them alone.
    """
    by_shaft: dict[str, dict[str, None]] = defaultdict(dict)
    for line in scene.contacts.lines_on(sorted(scene.units)):
        for unit, shaft in _journals(line, scene.units):
            carrier = _carrier(scene, unit, shaft, line)
            if carrier is not None:
                scene.bind(unit, carrier, "a bearing by its name, on what carries it", 0.8)
            by_shaft[shaft.instance][unit] = None
    for units in by_shaft.values():
        first, *others = units
        for unit in others:
            scene.bind(unit, first, "another bearing of its shaft, by the names", 0.7)


def journal_in_unit(seen: Seen, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of a shaft that is drawn into a bearing with its housing, which was taken for a thinner one."""
    scene = seen.scene
    units = sorted((first | second) & scene.units)
    found = {
        id(line): (line, unit, shaft) for line in scene.contacts.lines_on(units)
        for unit, shaft in _journals(line, units)
        if {unit, shaft.instance} & first and {unit, shaft.instance} & second
    }  # fmt: skip
    if len(found) != 1:
        return None
    ((line, unit, shaft),) = found.values()
    text = f"a shaft of radius {1e3 * shaft.surface.radius:.4g} mm drawn into a bearing by its name"
    verdict = Verdict("revolute", line.middle((unit,)), line.direction, (text,), ("the two overlap",), 0.5)
    return joint_of(scene, unit, shaft.instance, verdict)


def _journals(line: Line, units: Collection[str]) -> Iterator[tuple[str, Placed]]:
    """The bearings on a line, each with a shaft in its bore that fits it, or is drawn into it.

    The shaft is up to `LOOSEST_HOLE` times as wide as the bore: the bearing was taken for a thinner one.
    """
    whole = [m for m in line.members if m.surface.turn >= WHOLE]
    for bore in whole:
        if bore.surface.hollow and bore.instance in units:
            for shaft in whole:
                wide = shaft.surface.radius / bore.surface.radius
                inside = shaft.instance != bore.instance and not shaft.surface.hollow and shaft.beside(bore) > 0.0
                if inside and 1 / LOOSEST_HOLE <= wide <= LOOSEST_HOLE:
                    yield bore.instance, shaft


def _carrier(scene: Scene, unit: str, shaft: Placed, line: Line) -> str | None:
    """What a bearing lies on most, but for what is round about its shaft: a collar or a wheel beside it."""
    lies: dict[str, float] = defaultdict(float)
    for c in scene.contacts.of[unit]:
        if c.kind == "plane":
            lies[next(iter({*c.pair} - {unit}))] += c.overlap
    apart = {shaft.instance} | {n for n in lies if round_outside(scene, n, line.point, line.direction)}
    return max(lies.keys() - apart, key=lambda n: (lies[n], n), default=None)
