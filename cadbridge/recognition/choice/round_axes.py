"""The axes of round parts, for a hinge of which a person says that it is one and no two faces show where."""

from __future__ import annotations

from collections.abc import Sequence

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


def bolt_through(scene: Scene, a: str, b: str) -> Way | None:
    """The axis of the bolts through two instances, whether they have holes or not; None where these are on several."""
    bolts = [(c.point, c.direction) for c in scene.contacts.by_both[a][b] if c.kind == "bolt"]
    return bolts[0] if bolts and _on_one_line(scene, bolts) else None


def pin_between(scene: Scene, a: str, b: str) -> str | None:
    """The round part that two instances both touch or reach into: a hub, or a pin without its holes.

    None where there is none, or several that are not on one line: it is not said about which of them they turn.
    """
    near = _beside(scene, a) & _beside(scene, b)
    found = {
        name: axis for name in sorted(near)
        if (axis := widest(scene, name)) is not None and round_outside(scene, name, *axis)
    }  # fmt: skip
    return next(iter(found)) if found and _on_one_line(scene, [*found.values()]) else None


def _on_one_line(scene: Scene, ways: Sequence[Way]) -> bool:
    """Whether axes are one."""
    point, way = ways[0]
    near = scene.contacts.slack + EXACT_SLACK
    return all(parallel(way, w) and cross_length(p - point, way) <= near for p, w in ways)


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
