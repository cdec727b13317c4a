"""Joints that hints ask for: on which axis, and how they take precedence over the geometry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from cadbridge.findings import Finding, Findings
from cadbridge.recognition.bodies import Scene
from cadbridge.recognition.contacts import Line
from cadbridge.recognition.guides import Verdict
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.recognition.joints import Candidate
from cadbridge.recognition.pins import ROUNDED

SAID = "you said so (hints)"
"""Evidence of what a person said."""


def told_joints(scene: Scene, pairs: Iterable[Pair]) -> tuple[list[Candidate], tuple[Finding, ...]]:
    """A hinge for each pair on the widest axis that both are round about; a finding where there is none (CB1642)."""
    findings = Findings()
    axes = _Axes(scene)
    found = []
    for a, b in pairs:
        line = axes.widest(a, b)
        if line is None:
            text = f"hint joint: [{a}, {b}] has no axis that both parts are round about"
            findings.add("CB1642", text, items=[a, b])
            continue
        spots = [m.low + m.high for m in line.members if m.instance in (a, b)]
        point = line.point + sum(spots) / (2 * len(spots)) * line.direction
        first, second = sorted((scene.groups.root(a), scene.groups.root(b)))
        verdict = Verdict("revolute", point, line.direction, (SAID, "the widest axis that both share"), (), 0.8)
        found.append(Candidate(first, second, verdict, ()))
    return found, findings.as_tuple()


def as_told(scene: Scene, joints: Sequence[Candidate], hints: Hints) -> list[Candidate]:
    """The joints, those that a person said with certainty."""
    said = {frozenset((scene.groups.root(a), scene.groups.root(b))) for a, b in hints.joint}
    return [
        replace(c, verdict=replace(c.verdict, evidence=_said(c.verdict.evidence), confidence=1.0))
        if frozenset((c.a, c.b)) in said
        else c
        for c in joints
    ]


def _said(evidence: tuple[str, ...]) -> tuple[str, ...]:
    return evidence if SAID in evidence else (*evidence, SAID)


def shared_axes(scene: Scene, pairs: Iterable[Pair]) -> dict[Pair, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Those of some pairs of instances that have round faces about one line, with a point and the direction of it."""
    axes = _Axes(scene)
    lines = {pair: axes.widest(*pair) for pair in pairs}
    return {p: (tuple(line.point.tolist()), tuple(line.direction.tolist())) for p, line in lines.items() if line}


class _Axes:
    """The lines about which instances have round faces, with the widest radius of each."""

    def __init__(self, scene: Scene) -> None:
        self._of: dict[str, dict[int, tuple[float, Line]]] = defaultdict(dict)
        for k, line in enumerate(scene.contacts.lines):
            for m in line.members:
                if m.surface.turn >= ROUNDED:
                    radius, _ = self._of[m.instance].get(k, (0.0, line))
                    self._of[m.instance][k] = (max(radius, m.surface.radius), line)

    def widest(self, a: str, b: str) -> Line | None:
        """The line with the widest round faces of both; None where there is none."""
        own, other = self._of.get(a, {}), self._of.get(b, {})
        shared = own.keys() & other.keys()
        best = max(shared, key=lambda k: (min(own[k][0], other[k][0]), -k), default=None)
        return None if best is None else own[best][1]
