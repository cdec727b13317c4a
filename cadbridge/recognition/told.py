"""Joints that hints ask for: on which axis, and how they take precedence over the geometry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.findings import Finding, Findings
from cadbridge.frames import Vector
from cadbridge.freedoms import FIXED
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.candidates import Candidate
from cadbridge.recognition.contacts import Line
from cadbridge.recognition.hints import Hints, Pair, Told
from cadbridge.recognition.pins import ROUNDED
from cadbridge.recognition.scene import Scene
from cadbridge.recognition.walls import Verdict

SAID = "you said so (hints)"
"""Evidence of a joint that a person said."""
SAID_FIXED = "fixed, as you said (hints)"
"""The reason of a weld that a person said."""


def told_joints(scene: Scene, hints: Hints) -> list[Candidate]:
    """A joint for each pair on the axis that is told, else a hinge on the widest that both are round about."""
    axes = _Axes(scene)
    found = []
    for a, b in hints.joint:
        told = hints.told_of((a, b))
        axis = _told_axis(told) or axes.axis(a, b)
        if axis is None:
            continue
        first, second = sorted((scene.groups.root(a), scene.groups.root(b)))
        why = "on the axis of the hint" if told.point is not None else "the widest axis that both share"
        kind = told.type or "revolute"
        verdict = Verdict(kind, axis[0], None if LEAVES[kind].ball else axis[1], (SAID, why), (), 0.8)
        found.append(Candidate(first, second, verdict, ()))
    return found


def without_axis(scene: Scene, joints: Sequence[Candidate], hints: Hints) -> tuple[Finding, ...]:
    """Findings on the pairs that hints join and that have no joint (CB1642): nothing shows its axis."""
    findings = Findings()
    joined = {frozenset((scene.groups.root(c.a), scene.groups.root(c.b))) for c in joints}
    for a, b in hints.joint:
        if frozenset((scene.groups.root(a), scene.groups.root(b))) not in joined:
            text = f"hint joint: [{a}, {b}] has no axis that both parts are round about"
            findings.add("CB1642", text, items=[a, b])
    return findings.as_tuple()


def _told_axis(told: Told) -> tuple[Vector, Vector] | None:
    """The point and direction of a joint that a hint gives; None where it gives none."""
    if told.point is None:
        return None
    # Only a ball may be told without an axis, and it has none.
    axis = np.array(told.axis or (0.0, 0.0, 1.0))
    return np.array(told.point), axis / float(np.linalg.norm(axis))


def as_told(scene: Scene, joints: Sequence[Candidate], hints: Hints) -> list[Candidate]:
    """The joints, those that a person said with certainty, with the type and the axis that the hints give them."""
    said = {frozenset((scene.groups.root(a), scene.groups.root(b))): hints.told_of((a, b)) for a, b in hints.joint}
    return [
        replace(c, verdict=_as_said(c.verdict, told)) if (told := said.get(frozenset((c.a, c.b)))) is not None else c
        for c in joints
    ]


def _as_said(verdict: Verdict, told: Told) -> Verdict:
    evidence = verdict.evidence if SAID in verdict.evidence else (*verdict.evidence, SAID)
    point, axis = _told_axis(told) or (verdict.point, verdict.axis)
    kind = told.type or verdict.type
    if LEAVES.get(kind, FIXED).ball:
        axis = None
    elif axis is None:
        kind = verdict.type  # a ball has no axis of its own that another type could take
    return replace(verdict, type=kind, point=point, axis=axis, evidence=evidence, confidence=1.0)


def shared_axes(scene: Scene, pairs: Iterable[Pair]) -> dict[Pair, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Those of some pairs of instances that have round faces about one line, with a point and the direction of it."""
    axes = _Axes(scene)
    lines = {pair: axes.widest(*pair) for pair in pairs}
    return {p: (tuple(line.point.tolist()), tuple(line.direction.tolist())) for p, line in lines.items() if line}


def axes_of(scene: Scene, a: str, b: str) -> list[tuple[Vector, Vector]]:
    """All lines about which two instances have round faces, each a point and a direction in W, the widest first."""
    return _Axes(scene).all(a, b)


class _Axes:
    """The lines about which instances have round faces, with the widest radius of each."""

    def __init__(self, scene: Scene) -> None:
        self._of: dict[str, dict[int, tuple[float, Line]]] = defaultdict(dict)
        for k, line in enumerate(scene.contacts.lines):
            for m in line.members:
                if m.surface.turn >= ROUNDED:
                    radius, _ = self._of[m.instance].get(k, (0.0, line))
                    self._of[m.instance][k] = (max(radius, m.surface.radius), line)

    def axis(self, a: str, b: str) -> tuple[Vector, Vector] | None:
        """The widest shared axis as a point between the round faces and a direction; None where there is none."""
        return next(iter(self.all(a, b)), None)

    def all(self, a: str, b: str) -> list[tuple[Vector, Vector]]:
        """All axes that both share, the widest first."""
        own, other = self._of.get(a, {}), self._of.get(b, {})
        shared = sorted(own.keys() & other.keys(), key=lambda k: (-min(own[k][0], other[k][0]), k))
        found = []
        for k in shared:
            line = own[k][1]
            spots = [m.low + m.high for m in line.members if m.instance in (a, b)]
            found.append((line.point + sum(spots) / (2 * len(spots)) * line.direction, line.direction))
        return found

    def widest(self, a: str, b: str) -> Line | None:
        """The line with the widest round faces of both; None where there is none."""
        own, other = self._of.get(a, {}), self._of.get(b, {})
        shared = own.keys() & other.keys()
        best = max(shared, key=lambda k: (min(own[k][0], other[k][0]), -k), default=None)
        return None if best is None else own[best][1]
