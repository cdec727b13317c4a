"""Which instances move as one: what is clamped, pressed, held by two lines, or merely rests and has nothing else."""

from __future__ import annotations

from collections.abc import Callable

from cadbridge.recognition.contacts.contacts import Contact
from cadbridge.recognition.contacts.guides import GUIDED, slides
from cadbridge.recognition.evidence.flats import flats_that_meet
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.bearings import bearings_of
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.standard.roles import ROLLERS, called
from cadbridge.recognition.ties import Held

LONE_PIN = 0.28
"""Strength of the evidence that a pin in one bore, with nothing on it, is held there: 10 of 20 on machines when they
were new, all on some and none on others."""

SEVERAL_LINES = 0.9
"""Strength of a weld's evidence above which several lines show it; what shows others are contacts on one line."""

STUB_OF_DRUM = 0.5
"""Radius of the stub that stands in a bore beside that of the pin, below which it is the pivot of a drum. A choice: 54
machines have 0.91 and more. Tests: 0.28 | 1 (`test_links`)."""


def bind_keys(scene: Scene) -> None:
    """A key and all that it stands in or lies on move as one."""
    for c in scene.contacts.found:
        for side, other in ((c.a.instance, c.b.instance), (c.b.instance, c.a.instance)):
            what = scene.fasteners.get(side)
            if what is not None and c.kind in ("shaft", "plane", "cone"):
                scene.bind(side, other, f"a {what} that clamps it", 0.9)


def bind_flats(scene: Scene) -> None:
    """A shaft with a flat to the part whose bore has its flat: the two turn together."""
    for c in flats_that_meet(scene):
        # A rod with a flat that slides through a bore with one is only kept from turning.
        if not slides(c):
            scene.bind(c.a.instance, c.b.instance, "a flat of the shaft on that of its bore", 0.8)


def bind_fixed(scene: Scene) -> None:
    """Bodies that their contacts hold in all directions become one, until none is left."""
    grown = True
    while grown:
        grown = False
        # By the bodies of this round: what was bound in the last one may carry a ring that rolls.
        rolling, members = scene.rolling_bodies, scene.groups.members()
        for (a, b), contacts in scene.between().items():
            if frozenset((a, b)) in rolling or scene.groups.root(a) == scene.groups.root(b):
                continue
            verdict = scene.verdict(a, b, contacts, members)
            if verdict is not None and verdict.type == "fixed":
                first = contacts[0]
                how = Held.OTHER if verdict.confidence > SEVERAL_LINES else Held.FITS
                grown |= scene.bind(*first.pair, "; ".join(verdict.evidence), verdict.confidence, how)


def bind_stubs(scene: Scene, is_pin: Callable[[str], bool], names: bool) -> None:
    """Dowels through parts of one body, pins and stubs in one bore with nothing on them: they are pressed in.

    But not pistons, nor the spindle of a wheel, by their names (where `names` are a witness).
    """
    bearings = {name for name, s in scene.standards.items() if s.kind is StandardKind.BEARING} | set(bearings_of(scene))
    for name, touching in scene.contacts.of.items():
        contacts = [c for c in touching if c.kind != "through"]
        shafts = [c for c in contacts if c.kind == "shaft" and c.a.instance == name]
        hosts = {c.b.instance for c in shafts}
        if not shafts or len({scene.groups.root(h) for h in hosts}) != 1 or name in scene.pistons:
            continue
        if names and any(called(ROLLERS, scene.called(host)) for host in hosts):
            continue
        if len(contacts) == 1 and contacts[0].overlap < GUIDED * 2 * contacts[0].radius and _sunk(scene, contacts[0]):
            scene.bind(name, min(hosts), "a stub sunk in one bore, with no shoulder and nothing on it", 0.5)
        # What stands in two bearings drawn as one part turns there; a rod with a screw in its end is held by that.
        elif (
            not hosts <= bearings
            and is_pin(name)
            and not any(c.kind == "bolt" for c in contacts)
            and (len(hosts) > 1 or (len(shafts) == 1 and _pressed(scene, shafts[0])))
        ):
            what = "a dowel through parts of one body" if len(hosts) > 1 else "a pin in one bore, with nothing on it"
            scene.bind(name, min(hosts), what, 0.6 if len(hosts) > 1 else LONE_PIN)


def _pressed(scene: Scene, shaft: Contact) -> bool:
    """Whether a pin stands in its one bore by its body and does not slide there: the thin stub of a drum is a pivot."""
    body = scene.revolution(shaft.a.instance)
    return not slides(shaft) and (body is None or shaft.radius >= STUB_OF_DRUM * body.outer)


def _sunk(scene: Scene, shaft: Contact) -> bool:
    """Whether a small part stands in a bore with half of its length at least: a peg, and no link with a trunnion."""
    peg, host = shaft.a.instance, shaft.b.instance
    return scene.size(peg) < scene.size(host) and 2 * shaft.overlap >= scene.extent(peg, shaft.direction)
