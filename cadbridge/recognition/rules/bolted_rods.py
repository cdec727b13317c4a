"""Rods that a screw holds at each end: stand-offs and dead axles, tightened between what carries them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.contacts.contacts import ONE_LINE, Contact, parallel
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.standard.roles import IDLERS, called

SQUARE = 0.2
"""How uneven a rod is across its line beside its width, at most: the box of a hexagon is 0.15 wider one way."""

SLENDER = 2.0
"""Length of a rod beside its width, at least: a cradle between two screws is wider. A choice."""

AT_ENDS = 0.25
"""Share of a rod's length within which a screw holds one of its ends. A choice."""


def bind_bolted_rods(scene: Scene, names: bool) -> None:
    """Bind a rod to what a screw on its line clamps to each of its ends.

    One screw is a pivot's axis; two that draw both ends of one rod against what carries it leave it no play to turn
    with, drawn or not: holes that go on in what stands before both ends are theirs. A roller (where `names` are a
    witness) turns on its two screws.
    """
    screws: dict[str, dict[str, list[Contact]]] = defaultdict(lambda: defaultdict(list))
    holes: dict[str, list[Contact]] = defaultdict(list)
    for c in scene.contacts.found:
        for name in c.pair:
            if c.kind == "bolt" and c.by is not None:
                screws[name][c.by].append(c)
            elif c.kind == "holes":
                holes[name].append(c)
    for name in sorted({*screws, *holes}):
        # Where one screw is drawn, a hole without one is for something else.
        contacts = [c for own in screws[name].values() for c in own] if name in screws else holes[name]
        if len(screws.get(name, contacts)) < 2 or (names and called(IDLERS, scene.called(name))):
            continue
        if name not in screws and _runs(scene, name):
            continue
        if _rod(scene, name, contacts):
            for c in contacts:
                other = c.b.instance if c.a.instance == name else c.a.instance
                scene.bind(name, other, "a rod with a screw in each end, tightened against what carries it", 0.8)


def _runs(scene: Scene, name: str) -> bool:
    """Whether a part is round outside and stands in a bore: an axle, whose holes may be those of its wheels."""
    return any(c.kind == "shaft" and c.a.instance == name for c in scene.contacts.of.get(name, ()))


def _rod(scene: Scene, name: str, contacts: Sequence[Contact]) -> bool:
    """Whether a part is slender about the one line of these screws, and both of its ends are held."""
    first, known = contacts[0], scene.faces_of(name)
    one_line = all(
        parallel(c.direction, first.direction) and cross_length(c.point - first.point, first.direction) <= ONE_LINE
        for c in contacts
    )
    if known is None or not one_line:
        return False
    X_IW = scene.pose(name).inverse()
    axis: Vector = X_IW.vector(first.direction)
    half = known.square_about(X_IW.point(first.point), axis, SQUARE)
    length = scene.extent(name, first.direction)
    middle = float(known.box.mean(axis=0) @ axis)
    at = [float(X_IW.point(c.point) @ axis) - middle for c in contacts]
    ends = min(at) <= -(0.5 - AT_ENDS) * length and max(at) >= (0.5 - AT_ENDS) * length
    return half is not None and length >= SLENDER * 2 * half and ends
