"""Joints that hints ask for: on which axis, and how they take precedence over the geometry."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from cadbridge.findings import Finding, Findings
from cadbridge.frames import Vector, cross_length, unit
from cadbridge.freedoms import FIXED, HINGE, SLEEVE, SLIDE, TURN
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.choice.round_axes import bolt_through, pin_between, round_axis, widest
from cadbridge.recognition.choice.ways import Way, along_faces, along_room
from cadbridge.recognition.contacts.contacts import Line, Placed
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import ROUNDED
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.hints import Hint, Hints, Pair, Told, triple

BESIDE = 0.5
"""Of the smaller radius: how far two round faces may be beside each other, for a person's hinge. A choice."""
ASKEW = 0.1
"""Sine of the angle (5.7°) by which round faces may be askew, for a person's hinge. A choice: a solver left 2.3°."""
NEXT = 3e-3
"""m between the ends of two round faces on one line, at most, for a person's hinge: washers stand there. A choice."""
HALF_A_BALL = math.pi
"""rad that a ball or a socket goes round at least: the corner of a rounded box has half of that."""
UP = (0.0, 0.0, 1.0)
"""Any direction, where a ball needs none."""
SAID = "you said so (hints)"
"""Evidence of a joint that a person said."""
SAID_FIXED = "fixed, as you said (hints)"
"""The reason of a weld that a person said."""


def told_joints(scene: Scene, hints: Hints) -> list[Candidate]:
    """A joint for each pair on the axis that is told, else a hinge on the widest that both are round about.

    Where there is none, and of slides first of all, it is a slide along the faces with which the two guide each other
    (of slides also with room between them), else a hinge on the bolt through both, on round faces that are nearly on
    one line, on the axis of the one that is round outside, or of a round part between the two. A ball has its middle in
    the ball or socket nearest to the other.
    """
    axes = _Axes(scene)
    found = []
    for a, b in hints.pairs("joint"):
        shared = next(((line.middle((a, b)), line.direction) for line in axes.lines(a, b)), None)
        ways = _ways(scene, hints, (a, b), shared)
        kind, why, axis = next((entry for entry in ways if entry[2] is not None), (TURN, "", None))
        if axis is not None:
            verdict = Verdict(kind, axis[0], None if LEAVES[kind].ball else axis[1], (SAID, why), (), 0.8)
            found.append(joint_of(scene, a, b, verdict))
    return found


def _ways(scene: Scene, hints: Hints, pair: Pair, shared: Way | None) -> Iterator[tuple[str, str, Way | None]]:
    """The types of joint that a hint on a pair may ask for, why, and on which axis, the first choice first."""
    told = hints.told_of(pair)
    kind = told.type or TURN
    yield kind, "on the axis of the hint", _told_axis(told)
    if LEAVES[kind].ball and (middle := _nearest_ball(scene, *pair)) is not None:
        yield kind, "the ball or the socket nearest to the other", (middle, np.array(UP))
    if kind == SLIDE or not (told.type or shared):
        yield SLIDE, "along faces that both share", along_faces(scene, *pair)
    if kind == SLIDE and not told.by_name:
        yield SLIDE, "along faces that stand before its own", along_room(scene, *pair, hints)
    yield kind, "the widest axis that both share", shared
    if LEAVES[kind] in (HINGE, SLEEVE):
        if not told.by_name:
            yield kind, "the bolt through both", bolt_through(scene, *pair)
            yield kind, "round faces of both, nearly on one line", _nearest_axis(scene, *pair)
        yield kind, "the axis of the one that is round outside", round_axis(scene, *pair)
        if not told.by_name and (pin := pin_between(scene, *pair)) is not None:
            yield kind, f"the axis of {pin}, a round part that both touch", widest(scene, pin)


def _nearest_axis(scene: Scene, a: str, b: str) -> Way | None:
    """The axis on which round faces of two instances lie nearly: of a rod in a hollow that of the rod, else amid both.

    A rocker on a ridge touches it along a line, and eyes that were placed by hand are a millimetre beside each other.
    """
    found = []
    for one, two in product(_rounds(scene, a), _rounds(scene, b)):
        off = cross_length(two.point - one.point, one.direction)
        long = 0.5 * (one.surface.length + two.surface.length)
        beside = abs(float((two.point - one.point) @ one.direction)) <= long + NEXT
        if not beside or cross_length(one.direction, two.direction) > ASKEW:
            continue
        radius = min(one.surface.radius, two.surface.radius)
        if off <= BESIDE * radius:
            rods = [p for p in (one, two) if not p.surface.hollow]
            in_one = len(rods) == 1 and rods[0].surface.radius == radius
            same = two.direction * math.copysign(1.0, one.direction @ two.direction)
            amid = 0.5 * (one.point + two.point), unit(one.direction + same)
            point, axis = (rods[0].point, rods[0].direction) if in_one else amid
            found.append((not in_one, round(off / radius, 6), -radius, tuple(point), point, axis))
    return min(found, key=lambda entry: entry[:4])[4:] if found else None


def _rounds(scene: Scene, name: str) -> list[Placed]:
    """The cylinders of an instance that go round far enough to hold what is in or on them; their points amid them."""
    known, X = scene.faces_of(name), scene.pose(name)
    cylinders = () if known is None else known.of("cylinder")
    return [Placed(name, X, s, X.point(s.middle), X.vector(s.direction)) for s in cylinders if s.turn >= ROUNDED]


def _nearest_ball(scene: Scene, a: str, b: str) -> Vector | None:
    """The middle of the ball or the socket of one instance that is nearest to the other; None where none is near."""
    found = []
    for name, other in ((a, b), (b, a)):
        known, beside, X = scene.faces_of(name), scene.faces_of(other), scene.pose(name)
        if known is None or beside is None:
            continue
        for s in known.of("sphere"):
            if s.turn >= HALF_A_BALL:  # rounded corners are spheres too
                inside = scene.pose(other).inverse().point(X.point(s.point))
                far = float(np.linalg.norm(np.maximum(0.0, np.maximum(beside.box[0] - inside, inside - beside.box[1]))))
                if far <= 2 * s.radius:
                    found.append((round(far, 9), -s.radius, tuple(X.point(s.point))))
    return np.array(min(found)[2]) if found else None


def _told_axis(told: Told) -> Way | None:
    """The point and direction of a joint that a hint gives; None where it gives none."""
    if told.point is None:
        return None
    # Only a ball may be told without an axis, and it has none.
    axis = np.array(told.axis or UP)
    return np.array(told.point), axis / float(np.linalg.norm(axis))


def as_told(scene: Scene, joints: Sequence[Candidate], hints: Hints, other_types: bool = True) -> list[Candidate]:
    """The joints, those that a person said with certainty, with the type and the axis that the hints give them.

    Without `other_types`, not those that are of another type.
    """
    said: dict[frozenset[str], Told] = {}
    for pair in hints.pairs("joint"):
        own, ends = hints.told_of(pair), scene.bodies(*pair)
        if own or ends not in said:  # of two on the same bodies the one that says more than that there is a joint
            said[ends] = own

    def told(c: Candidate) -> Candidate:
        own = said.get(frozenset((c.a, c.b)))
        if own is None or not (other_types or own.type in ("", c.verdict.type)):
            return c
        return replace(c, verdict=_as_said(c.verdict, own))

    return [told(c) for c in joints]


def _as_said(verdict: Verdict, told: Told) -> Verdict:
    evidence = verdict.evidence if SAID in verdict.evidence else (*verdict.evidence, SAID)
    point, axis = _told_axis(told) or (verdict.point, verdict.axis)
    kind = told.type or verdict.type
    if LEAVES.get(kind, FIXED).ball:
        axis = None
        if told.about and verdict.axis is None:
            point = verdict.point  # the ball's own: the part has the axis of a hinge, and its middle is anywhere on it
    elif axis is None:
        return verdict  # a ball has no axis of its own that another type could take: CB1642
    return replace(verdict, type=kind, point=point, axis=axis, evidence=evidence, confidence=1.0)


def shared_axes(scene: Scene, pairs: Iterable[Pair]) -> dict[Pair, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Those of some pairs of instances that have round faces about one line, with a point and the direction of it."""
    axes = _Axes(scene)
    widest = ((pair, line) for pair in pairs for line in axes.lines(*pair)[:1])
    return {pair: (tuple(line.point.tolist()), tuple(line.direction.tolist())) for pair, line in widest}


def axes_of(scene: Scene, a: str, b: str) -> list[tuple[Vector, Vector]]:
    """All lines about which two instances have round faces, each a point and a direction in W, the widest first."""
    return [(line.middle((a, b)), line.direction) for line in _Axes(scene).lines(a, b)]


class _Axes:
    """The lines about which instances have round faces, with the widest radius of each."""

    def __init__(self, scene: Scene) -> None:
        self._of: dict[str, dict[int, tuple[float, Line]]] = defaultdict(dict)
        for k, line in enumerate(scene.contacts.lines):
            for m in line.members:
                if m.surface.turn >= ROUNDED:
                    radius, _ = self._of[m.instance].get(k, (0.0, line))
                    self._of[m.instance][k] = (max(radius, m.surface.radius), line)

    def lines(self, a: str, b: str) -> list[Line]:
        """The lines that both share, the one with the widest round faces first."""
        own, other = self._of.get(a, {}), self._of.get(b, {})
        shared = sorted(own.keys() & other.keys(), key=lambda k: (-min(own[k][0], other[k][0]), k))
        return [own[k][1] for k in shared]


def with_axes(whole: Scene, hints: Hints) -> tuple[Hints, tuple[Finding, ...]]:
    """Hints by the names of instances with the axes of the parts that they name; a finding where one has none."""
    findings = Findings()
    said = list[Hint]()
    for hint in hints.said:
        told = hint.told
        if told.about and told.point is None:
            axis = axis_about(whole, told.about, hint.pair, told.type)
            if axis is None:
                text = f"hint {hint}, about: {told.about}, which has no round face and no shape to go by"
                findings.add("CB1642", text, items=[*hint.pair, told.about])
            else:
                told = replace(told, point=triple(axis[0]), axis=triple(axis[1]), frame="")
        said.append(replace(hint, told=told))
    return replace(hints, said=tuple(said)), findings.as_tuple()


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
    return widest(whole, part)


def _longest(whole: Scene, part: str) -> tuple[Vector, Vector] | None:
    """The middle of an instance's box, in its own frame, and the direction in which it is longest."""
    known, X = whole.faces_of(part), whole.pose(part)
    if known is None:
        return None
    low, high = known.box
    return X.point((low + high) / 2), X.vector(np.eye(3)[int(np.argmax(high - low))])
