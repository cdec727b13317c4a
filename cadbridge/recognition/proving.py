"""Joints that cannot move as they are drawn become welds: a motion that runs into parts at once is no motion.

Each joint is moved a little both ways with all that hangs on it (`sweep`). Of 41 right joints of
the corpus that could be moved none ran into parts both ways at once, so that a collision counts `BLOCKED` against a
joint; what is surer than that stays, and CB1610 reports it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from cadbridge.recognition.hints import Hints
from cadbridge.recognition.hypotheses import Hypothesis, parts_of
from cadbridge.recognition.model import FoundJoint, Held, Recognition
from cadbridge.recognition.sweep import moved

BLOCKED = 3.0
"""How much a collision both ways at once speaks against a joint, nats: odds of 20 to 1, where 0 of 41 allow 42 to 1 by
Laplace's rule."""
MOST_MOVINGS = 3
"""Times that joints are moved and welded anew: what was held by a false joint may then be another. A choice."""

MOST_BODIES_MOVED = 100
"""Bodies above which no joint is moved, for time alone; 54 machines have 52."""


def proved(found: Recognition, hints: Hints) -> tuple[Recognition, list[Hypothesis]]:
    """The recognition with the motion of its joints, and those that cannot move and are not surer than that.

    These are decisions whose second verdict is the weld.
    """
    if not 1 < len(found.bodies) <= MOST_BODIES_MOVED:
        return found, []
    told = {frozenset(pair) for pair in (*hints.joint, *hints.fixed, *hints.apart)}
    joints = moved(found)
    stuck = [
        h for before, after in zip(found.joints, joints, strict=True)
        if after.motion is not None and after.motion.state == "blocked"
        and (h := _decision(found, before, after.motion.reason)).cost < BLOCKED
        and frozenset((h.a, h.b)) not in told
    ]  # fmt: skip
    return replace(found, joints=joints), stuck


def _decision(found: Recognition, joint: FoundJoint, why: str) -> Hypothesis:
    a, b = parts_of(found, joint)
    return Hypothesis(a, b, "joint", joint.confidence, why, ((a, b),), True, 0)


def welded(hints: Hints, stuck: Sequence[Hypothesis]) -> Hints:
    """The hints with the joints that cannot move as welds."""
    for h in stuck:
        hints = hints.having("fixed", h.equal)
    return hints


def attributed(found: Recognition, stuck: Sequence[Hypothesis]) -> Recognition:
    """The recognition in which the welds of `stuck`, hints by now, give the collision as their reason."""
    of: dict[frozenset[str], Hypothesis] = {frozenset(pair): h for h in stuck for pair in h.equal}
    bodies = tuple(
        replace(body, bonds=tuple(
            b if h is None or b.how is not Held.SAID
            else replace(b, reason=_reason(h), confidence=_share(h), how=Held.OTHER)
            for b in body.bonds for h in (of.get(frozenset((b.instance, b.to or ""))),)
        ))
        for body in found.bodies
    )  # fmt: skip
    return replace(found, bodies=bodies)


def _reason(h: Hypothesis) -> str:
    return f"as a joint ({100 * h.confidence:.0f} %) it could not move: {h.reason}"


def _share(h: Hypothesis) -> float:
    return round(1.0 / (1.0 + math.exp(h.cost - BLOCKED)), 3)
