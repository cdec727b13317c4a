"""The axes of round parts, for a hinge of which a person says that it is one and no two faces show where."""

from __future__ import annotations

from cadbridge.frames import Vector, cross_length
from cadbridge.recognition.choice.ways import Way
from cadbridge.recognition.contacts.contacts import EXACT_SLACK, parallel
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.seated import round_outside


def round_axis(scene: Scene, a: str, b: str) -> Way | None:
    """The axis of the one of two instances that is round outside, as of a wheel on a plate; None where both are."""
    axes = [(name, axis) for name in (a, b) if (axis := widest(scene, name)) is not None]
    own = [axis for name, axis in axes if round_outside(scene, name, *axis)]
    return own[0] if len(own) == 1 else None


def pin_between(scene: Scene, a: str, b: str) -> str | None:
    """The round part that two instances both touch or reach into: a hub, or a pin or a screw without its holes.

    None where there is none, or several that are not on one line: it is not said about which of them they turn.
    """
    near = _beside(scene, a) & _beside(scene, b)
    found = [
        (name, *axis) for name in sorted(near)
        if (axis := widest(scene, name)) is not None and round_outside(scene, name, *axis)
    ]  # fmt: skip
    one = all(
        parallel(found[0][2], way) and cross_length(point - found[0][1], way) <= scene.contacts.slack + EXACT_SLACK
        for _, point, way in found
    )
    return found[0][0] if found and one else None


def _beside(scene: Scene, name: str) -> set[str]:
    """What an instance touches or reaches into."""
    reached = {other for a, b, _ in scene.overlaps.of(scene.assembly) if name in (a, b) for other in (a, b)}
    return (reached | {*scene.contacts.by_both[name]}) - {name}


def widest(whole: Scene, part: str) -> tuple[Vector, Vector] | None:
    """The axis of the round face of an instance that is widest, the longest of those."""
    known, X = whole.faces_of(part), whole.pose(part)
    rounds = () if known is None else known.of("cylinder")
    # A whole circle before a wider arc: a rounded corner is wider than the bore, and no axis.
    best = max(rounds, key=lambda s: (round(s.turn, 3), s.radius, s.length), default=None)
    return None if best is None else (X.point(best.middle), X.vector(best.direction))
