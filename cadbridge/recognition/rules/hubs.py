"""What stands on a shaft that turns in bearings drawn as one part, and what only has a hole about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from cadbridge.recognition.contacts.contacts import Contact, parallel
from cadbridge.recognition.contacts.guides import LINES
from cadbridge.recognition.contacts.walls import fit_text
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.evidence.shafts import THIN_SHAFT
from cadbridge.recognition.rules.bearing_units import units_of
from cadbridge.recognition.rules.bearings import bearings_of, same_axis
from cadbridge.recognition.rules.seated import round_outside


def bind_hubs(scene: Scene) -> None:
    """What stands on a shaft that turns in bearings drawn as one part to the shaft: one freedom a line of shafts.

    A bearing may have its housing in the same part.
    A hub has no joint to anything else: what it touches are the shaft, its bearings, and what stands on the shaft too.
    """
    turning: dict[str, list[Contact]] = defaultdict(list)
    bearings = bearings_of(scene)
    housings = {seat.b.instance for seat, _ in bearings.values()}
    for _, bore in bearings.values():
        turning[bore.a.instance].append(bore)
    for unit, bore in units_of(scene):
        if bore.a.instance not in bearings:
            housings.add(unit)
            turning[bore.a.instance].append(bore)
    for shaft, bores in turning.items():
        # What is screwed to something beside the axis does not turn.
        if not all(_about(c, bores[0]) for c in scene.contacts.of[shaft]):
            continue
        on_it = {
            c.b.instance: c for c in scene.contacts.of[shaft]
            if c.kind == "shaft" and c.a.instance == shaft and any(_one_shaft(k, c) for k in bores)
        }  # fmt: skip
        others = on_it.keys() - bearings.keys() - housings
        hubs = set(others)
        while held := {h for h in hubs if _held_elsewhere(scene, h, bores[0], {*hubs, *bearings, shaft})}:
            hubs -= held
        for name in sorted(others):
            if name in hubs:
                scene.bind(name, shaft, f"on a shaft that turns in bearings, {fit_text(on_it[name].gap)}", 0.7)
                continue
            # What is round about the shaft may turn there all the same: the carrier of planets; and so may what touches
            # anything else: a link of a linkage, whose other hinges say what it does.
            lies = [c for c in scene.contacts.between([name], housings) if c.kind == "plane"]
            near = {name, shaft, *on_it, *bearings, *housings}
            if any(not {*c.pair} <= near for c in scene.contacts.of[name]):
                continue
            if lies and not round_outside(scene, name, bores[0].point, bores[0].direction):
                housing = next(iter({*max(lies, key=lambda c: c.overlap).pair} - {name}))
                scene.bind(name, housing, "lies on what holds a bearing of the shaft that goes through it", 0.65)


def _one_shaft(bearing: Contact, hub: Contact) -> bool:
    """Whether a hub stands on the shaft of a bearing, and not on that of a motor whose case the bearing holds."""
    return same_axis(bearing, hub) and hub.radius >= THIN_SHAFT * bearing.radius


def _about(c: Contact, bore: Contact) -> bool:
    """Whether a contact holds nothing from turning about the axis of a bore."""
    return same_axis(bore, c) if c.kind in LINES else parallel(c.direction, bore.direction)


def _held_elsewhere(scene: Scene, hub: str, bore: Contact, on_shaft: Collection[str]) -> bool:
    """Whether a part on a shaft touches one that is not: a plate of the frame with a hole about the shaft.

    A wheel may lie on the frame with its face, and mesh.
    """
    meshing = {name for pair in scene.meshing if hub in pair for name in pair}
    wheel = round_outside(scene, hub, bore.point, bore.direction)
    return any(
        not {*c.pair} <= {*on_shaft, *meshing} and not (wheel and c.kind == "plane" and _about(c, bore))
        for c in scene.contacts.of[hub] if c.kind not in ("through", "holes", "eyes")
    )  # fmt: skip
