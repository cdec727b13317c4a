"""The axis of a joint that a hint names by a part: `about: pin`, so that nobody writes coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cadbridge.findings import Finding, Findings
from cadbridge.frames import Vector
from cadbridge.freedoms import FIXED, SLIDE
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.hints import Hints, Pair, Told, Triple
from cadbridge.recognition.scene import Scene


def with_axes(whole: Scene, hints: Hints) -> tuple[Hints, tuple[Finding, ...]]:
    """Hints by the names of instances with the axes of the parts that they name; a finding where one has none."""
    findings = Findings()
    told = []
    for pair, own in hints.told:
        axis = axis_about(whole, own.about, pair, own.type) if own.about and own.point is None else None
        if own.about and own.point is None and axis is None:
            text = f"hint joint: [{', '.join(pair)}], about: {own.about}, which has no round face and no shape to go by"
            findings.add("CB1642", text, items=[*pair, own.about])
        told.append((pair, own if axis is None else _placed(own, axis)))
    return replace(hints, told=tuple(told)), findings.as_tuple()


def _placed(told: Told, axis: tuple[Vector, Vector]) -> Told:
    point, direction = (_triple(v) for v in axis)
    return replace(told, point=point, axis=direction, frame="")


def _triple(v: Vector) -> Triple:
    return float(v[0]), float(v[1]), float(v[2])


def axis_about(whole: Scene, part: str, pair: Pair, kind: str) -> tuple[Vector, Vector] | None:
    """The axis of an instance for a joint of two, a point and a direction in W: of a slide the way it is longest.

    Of a hinge the line of its widest round face, first of those on which both of the two have one too, then one of
    them, then none. None where the part has no such face, or no shape.
    """
    if LEAVES.get(kind, FIXED).motion == SLIDE:
        # A slide has no round face to go by, but rails and rods are longest along the way that they guide.
        return _longest(whole, part)
    shared = []
    for line in whole.contacts.lines:
        radius = max((m.surface.radius for m in line.of((part,))), default=0.0)
        others = {m.instance for m in line.members} & set(pair) - {part}
        if radius and others:
            shared.append((len(others), radius, line.middle((part,)), line.direction))
    if shared:
        best = max(shared, key=lambda entry: entry[:2])
        return best[2], best[3]
    return _widest(whole, part)


def _widest(whole: Scene, part: str) -> tuple[Vector, Vector] | None:
    """The axis of the round face of an instance that is widest, the longest of those."""
    known, X = whole.faces_of(part), whole.pose(part)
    rounds = () if known is None else known.of("cylinder")
    # A whole circle before a wider arc: a rounded corner is wider than the bore, and no axis.
    best = max(rounds, key=lambda s: (round(s.turn, 3), s.radius, s.length), default=None)
    return None if best is None else (X.point(best.middle), X.vector(best.direction))


def _longest(whole: Scene, part: str) -> tuple[Vector, Vector] | None:
    """The middle of an instance's box, in its own frame, and the direction in which it is longest."""
    known, X = whole.faces_of(part), whole.pose(part)
    if known is None:
        return None
    low, high = known.box
    return X.point((low + high) / 2), X.vector(np.eye(3)[int(np.argmax(high - low))])
