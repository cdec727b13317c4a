"""Each freedom moved a little with the shapes of the parts: whether it can move, or what runs into what at once.

A joint is moved alone, all that hangs on it with it. A joint in a closed loop cannot be moved alone, which is reported.
Where joints stop is found by `cadbridge.simulation.limits`, which moves them with their loops and gears.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from cadbridge.findings import Finding, Findings
from cadbridge.frames import Pose, Vector, cross_length
from cadbridge.freedoms import SLIDE
from cadbridge.mass.meeting import SolidScene, SpentError
from cadbridge.recognition.choice.freedoms import WITHIN, blocks
from cadbridge.recognition.contacts.contacts import ONE_LINE, parallel
from cadbridge.recognition.model import FoundJoint, Motion, Recognition
from cadbridge.wording import count

PROOF_TURN = math.radians(1.0)
"""rad by which a hinge is turned either way to see whether it can move at all: more than clearances and meshes take."""

PROOF_SLIDE = 5e-4
"""m by which a slide is moved either way to see the same."""

PROOF_WORK = 3_000
"""Intersections that OCCT makes in all, for time alone; joints beyond are reported. 54 machines need 2,260 at most."""

BLOCKED_JOINT = 0.3
"""Confidence at most of a joint that collisions block both ways: a guess, as what touches nothing. A choice."""

TOO_LARGE = "the assembly is too large to move every joint"
OPENED = "what its loop was drawn with holds it, which a hint opens"
MOTION_CODES = ("CB1610", "CB1611")
"""Findings on joints that cannot move, and on those that could not be tried."""


def move_each(found: Recognition) -> Recognition:
    """The recognition with `motion` of each joint; what cannot move (CB1610) or be tried (CB1611) is a finding."""
    joints = moved(found)
    return replace(found, joints=joints, findings=(*found.findings, *motion_findings(found, joints)))


def moved(found: Recognition) -> tuple[FoundJoint, ...]:
    """The joints with their `motion`: those that have none yet are moved."""
    if all(joint.motion is not None for joint in found.joints):
        return found.joints
    scene = SolidScene(found.assembly, found.allowed_collisions | _unguided(found), PROOF_WORK)
    hanging = _Hanging(found, scene)
    return tuple(_moved(found, scene, hanging, joint) if joint.motion is None else joint for joint in found.joints)


def _unguided(found: Recognition) -> set[frozenset[str]]:
    """Pairs of instances of two bodies that hints keep apart, which what they are drawn with no longer guides.

    Their pin is in the way of both at once: that says nothing of their joints to others.
    """
    pairs = set()
    for a, b in found.hints.pairs("apart"):
        ends = [found.bodies[k].instances for name in (a, b) if (k := found.body_of.get(name)) is not None]
        if len(ends) == 2 and ends[0] != ends[1]:
            pairs |= {frozenset((p, q)) for p in ends[0] for q in ends[1]}
    return pairs


def motion_findings(found: Recognition, joints: Sequence[FoundJoint]) -> tuple[Finding, ...]:
    """What moving the joints showed (`MOTION_CODES`)."""
    findings = Findings()
    stuck = [j for j in joints if j.motion is not None and j.motion.state == "blocked"]
    for j in stuck:
        assert j.motion is not None
        findings.add("CB1610", f"{j.name} cannot move: {j.motion.reason}", items=[found.bodies[j.a].name])
    untried: dict[str, list[str]] = {}
    for j in joints:
        if j.motion is not None and j.motion.state == "untested":
            untried.setdefault(j.motion.reason, []).append(j.name)
    for reason, names in untried.items():
        some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        what = f"{count(len(names), 'joint was', 'joints were')} not tested for motion"
        findings.add("CB1611", f"{what}, as {reason}: {some}", items=names)
    return findings.as_tuple()


def _moved(found: Recognition, scene: SolidScene, hanging: _Hanging, joint: FoundJoint) -> FoundJoint:
    """The joint with what moving it showed."""
    if scene.spent:
        return replace(joint, motion=Motion("untested", TOO_LARGE))
    sides = hanging.sides(joint)
    if isinstance(sides, str):
        return replace(joint, motion=Motion("untested", sides))
    try:
        displaced = [pose.inverse() if sides.inverse else pose for pose in _small(joint)]
        hits = [scene.first_hit(sides.moving, sides.staying, X) for X in displaced]
        # A stop one way is usual, as of an elbow: only what is blocked both ways asks for what holds it.
        if all(hits):
            hits = [_held(found, scene, joint, sides, X, hit) for X, hit in zip(displaced, hits, strict=True)]
    except SpentError:
        return replace(joint, motion=Motion("untested", TOO_LARGE))
    # Threads are drawn into each other, or one of them plain: what a screw meets in its nut says nothing.
    if joint.free.directed and not joint.free.pitched and all(hits):
        if joint in hanging.opened:
            return replace(joint, motion=Motion("untested", OPENED))
        first = hits[0]
        assert first is not None
        reason = f"{first[0]} meets {first[1]} at once, both ways"
        confidence = min(joint.confidence, BLOCKED_JOINT)
        return replace(
            joint, motion=Motion("blocked", reason, meet=first), against=(*joint.against, reason), confidence=confidence
        )
    hit = next((h for h in hits if h is not None), None)
    if hit is not None:
        return replace(joint, motion=Motion("free", f"moves one way; the other way {hit[0]} meets {hit[1]} at once"))
    return replace(joint, motion=Motion("free", "moves a little both ways, and nothing collides"))


def _held(
    found: Recognition, scene: SolidScene, joint: FoundJoint, sides: _Sides, X: Pose, hit: tuple[str, str] | None
) -> tuple[str, str] | None:
    """What holds a joint displaced by X_WW, of which `hit` is known; None where that moves out of the way.

    A third body may do so by a joint of its own: the ring in whose slot a pin stands, a wheel's teeth, a cam.
    """
    where = found.body_of
    fast = {joint.a, joint.b, found.tried_from}
    if hit is None or {where[hit[0]], where[hit[1]]} <= fast:
        return hit
    moving, staying = ([n for n in side if where[n] in fast] for side in (sides.moving, sides.staying))
    held = scene.first_hit(moving, staying, X)
    if held is not None:
        return held
    third = {where[name] for name in hit} - fast
    for other in found.joints:
        if len(third) == 1 and third & {other.a, other.b} and other.free.directed and not _together(joint, other):
            for Y in _yields(other, other.b in third):
                moved = X @ Y if where[hit[0]] in third else Y.inverse() @ X
                if scene.first_hit([hit[0]], [hit[1]], moved) is None:
                    return None
    return hit


def _together(a: FoundJoint, b: FoundJoint) -> bool:
    """Whether two joints move alike: what moves out of the way so moves with the other as one body would."""
    if a.axis is None or b.axis is None:  # of a ball: it turns every way
        return False
    slide = SLIDE in (a.free.motion, b.free.motion)
    return parallel(a.axis, b.axis) and (slide or cross_length(a.point - b.point, a.axis) < ONE_LINE)


def _yields(joint: FoundJoint, forward: bool) -> Iterator[Pose]:
    """Small motions by which what a joint carries may move out of the way; `forward`: that is its body b."""
    # How far it must go is not known: it moves about another axis, with another arm.
    for k in range(-2, 4):
        for way in (-1.0, 1.0):
            Y = _displaced(joint, way * 2.0**k * _least(joint))
            yield Y if forward else Y.inverse()


def _small(joint: FoundJoint) -> Iterator[Pose]:
    """The small motions that each freedom is tried by, both ways."""
    if joint.free.ball:
        for axis in np.eye(3):
            yield from (_turn(joint.point, axis, way * PROOF_TURN) for way in (-1.0, 1.0))
    else:
        yield from (_displaced(joint, way * _least(joint)) for way in (-1.0, 1.0))


def _least(joint: FoundJoint) -> float:
    return PROOF_SLIDE if joint.free.motion == SLIDE else PROOF_TURN


def _displaced(joint: FoundJoint, amount: float) -> Pose:
    """The motion X_WW of what hangs on body b by a joint's coordinate, rad or m."""
    assert joint.axis is not None
    if joint.free.motion == SLIDE:
        return Pose(np.eye(3), amount * joint.axis)
    turned = _turn(joint.point, joint.axis, amount)
    along = amount / (2 * math.pi) * (joint.pitch or 0.0)
    return Pose(turned.R, turned.p + along * joint.axis)


def _turn(point: Vector, axis: Vector, angle: float) -> Pose:
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    return Pose(R, point - R @ point)


@dataclass(frozen=True, eq=False)
class _Sides:
    """Instances that move and that stay; `inverse` where those that move hang on body a."""

    moving: tuple[str, ...]
    staying: tuple[str, ...]
    inverse: bool


def _in_loops(count: int, joints: Sequence[FoundJoint], edges: Sequence[tuple[int, int]]) -> set[FoundJoint]:
    """The joints on loops; theirs are the first of the edges between so many bodies."""
    shared = Counter(of_edge := blocks(count, edges))
    return {joint for joint, k in zip(joints, of_edge, strict=False) if shared[k] > 1 or k == WITHIN}


class _Hanging:
    """What hangs on each joint: bodies so that all that hangs on one comes next; joints of loops `opened` by hints."""

    def __init__(self, found: Recognition, scene: SolidScene) -> None:
        self._ground, count = found.tried_from, len(found.bodies)
        edges = [(joint.a, joint.b) for joint in found.joints]
        where = found.body_of
        taken = [(where[a], where[b]) for a, b in found.hints.pairs("apart") if {a, b} <= where.keys()]
        self._looped, self.opened = (_in_loops(count, found.joints, [*edges, *more]) for more in ((), taken))
        self._solid = [scene.solid([n for n in b.instances if n not in found.yielding]) for b in found.bodies]
        beside: dict[int, list[int]] = defaultdict(list)
        for a, b in edges:
            beside[a].append(b)
            beside[b].append(a)
        self._order: list[int] = []
        self._first, self._end, self._tree = [-1] * count, [0] * count, [0] * count
        for root in range(count):
            waiting = [(root, False)]
            while waiting:
                body, left = waiting.pop()
                if left:
                    self._end[body] = len(self._order)
                elif self._first[body] < 0:
                    self._first[body], self._tree[body] = len(self._order), root
                    self._order.append(body)
                    waiting += [(body, True), *((other, False) for other in beside[body])]

    def sides(self, joint: FoundJoint) -> _Sides | str:
        """What moves with a joint and what stays, or why it cannot be tried."""
        if joint in self._looped:
            return "a joint of a closed loop moves only with the others"
        root = self._tree[joint.a]
        top = max(joint.a, joint.b, key=lambda body: self._first[body])
        hung = self._order[self._first[top] : self._end[top]]
        rest = [*self._order[self._first[root] : self._first[top]], *self._order[self._end[top] : self._end[root]]]
        side_a, side_b = (hung, rest) if top == joint.a else (rest, hung)
        inverse = self._ground in side_b
        moving, staying = (
            tuple(name for body in sorted(side) for name in self._solid[body])
            for side in ((side_a, side_b) if inverse else (side_b, side_a))
        )
        return (
            _Sides(moving, staying, inverse) if moving and staying else "parts without closed meshes cannot be tested"
        )
