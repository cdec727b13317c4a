"""Joints that cannot move as they are drawn become welds: a motion that runs into parts at once is no motion.

Each joint is moved a little both ways with all that hangs on it (`sweep`). Of 41 right joints of
the corpus that could be moved none ran into parts both ways at once, so that a collision counts `BLOCKED` against a
joint; what is surer than that stays, and CB1610 reports it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from cadbridge.recognition.choice.hypotheses import Hypothesis, parts_of
from cadbridge.recognition.choice.sweep import moved
from cadbridge.recognition.contacts.one_line import STOPPED
from cadbridge.recognition.hints import Hints, Pair
from cadbridge.recognition.model import Bond, FoundBody, FoundJoint, Motion, Recognition
from cadbridge.recognition.ties import Held

BLOCKED = 3.0
"""How much a collision both ways at once speaks against a joint, nats: odds of 20 to 1, where 0 of 41 allow 42 to 1 by
Laplace's rule."""
MOST_MOVINGS = 3
"""Times that joints are moved and welded anew: what was held by a false joint may then be another. A choice."""

MOST_BODIES_MOVED = 100
"""Bodies above which no joint is moved, for time alone; 54 machines have 52."""


def proved(found: Recognition, hints: Hints, in_contact: Collection[Pair] = ()) -> tuple[Recognition, list[Hypothesis]]:
    """The recognition with the motion of its joints, and those that cannot move and are not surer than that.

    These are decisions whose second verdict is the weld. Where the two parts that meet are of `in_contact`, pairs
    in alphabetical order with plane faces on each other, of bodies with joints to others and to none in common, it is
    these that are welded: halves of one bar, each with a hinge at its end.
    """
    if not 1 < len(found.bodies) <= MOST_BODIES_MOVED:
        return found, []
    joints = moved(found)
    stuck = [
        h for before, after in zip(found.joints, joints, strict=True)
        if after.motion is not None and after.motion.state == "blocked"
        and (h := _decision(found, before, after.motion, in_contact)).cost < BLOCKED
        # A flat that stops a hinge of links says no more when it is run into: it was told against the hinge before.
        and not (STOPPED in before.against and _between(found, before, after.motion))
        # What a person said, of the joint or of the parts that meet, stands against a drawing in which parts overlap.
        and not {frozenset((h.a, h.b)), frozenset(after.motion.meet or ())} & hints.settled
    ]  # fmt: skip
    return replace(found, joints=joints), stuck


def _decision(found: Recognition, joint: FoundJoint, motion: Motion, in_contact: Collection[Pair]) -> Hypothesis:
    a, b = parts_of(found, joint)
    reason = f"as a joint ({100 * joint.confidence:.0f} %) it could not move: {motion.reason}"
    p, q = sorted(motion.meet or (a, b))
    if (p, q) in in_contact and _halves(found, found.body_of[p], found.body_of[q]):
        reason = f"lies on it, and as two they could not move: {motion.reason}, where {a} turns on {b}"
        a, b = p, q
    return Hypothesis(a, b, "joint", joint.confidence, reason, ((a, b),), True, 0)


def _between(found: Recognition, joint: FoundJoint, motion: Motion) -> bool:
    """Whether the two parts that meet are of the two bodies of a joint."""
    return {found.body_of[name] for name in motion.meet or ()} == {joint.a, joint.b}


def _halves(found: Recognition, a: int, b: int) -> bool:
    """Whether two bodies have joints, but none to each other or to one third body, on which one of them would turn."""
    beside = [{j.a + j.b - body for j in found.joints if body in (j.a, j.b)} for body in (a, b)]
    return a != b and all(beside) and not (beside[0] | {a}) & (beside[1] | {b})


def welded(hints: Hints, stuck: Sequence[Hypothesis]) -> Hints:
    """The hints with what cannot move as welds."""
    for h in stuck:
        hints = hints.having("fixed", h.equal)
    return hints


def attributed(found: Recognition, stuck: Sequence[Hypothesis]) -> Recognition:
    """The recognition in which the welds of `stuck`, hints by now, give the collision as their reason."""
    shares = {h: round(1.0 / (1.0 + math.exp(h.cost - BLOCKED)), 3) for h in stuck}
    return replace(found, bodies=with_reasons(found, {h: (h.reason, share) for h, share in shares.items()}))


def with_reasons(found: Recognition, why: Mapping[Hypothesis, tuple[str, float]]) -> tuple[FoundBody, ...]:
    """The bodies with the reasons and confidences of hypotheses whose welds are hints by now."""
    of = {frozenset(pair): reason for h, reason in why.items() for pair in h.equal}

    def told(b: Bond) -> Bond:
        known = of.get(frozenset((b.instance, b.to or ""))) if b.how is Held.SAID else None
        return b if known is None else replace(b, reason=known[0], confidence=known[1], how=Held.OTHER)

    return tuple(replace(body, bonds=tuple(map(told, body.bonds))) for body in found.bodies)
