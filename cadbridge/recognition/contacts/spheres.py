"""Spheres of two instances: balls in sockets, and the balls of bearings in their grooves."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np
from scipy.spatial import cKDTree

from cadbridge.recognition.contacts.contacts import Contact, Placed, clearance, interference

GROOVE_FIT = (0.8, 1.05)
"""Radius of a ball beside that of its groove's section: races of deep-groove bearings have 0.94 to 0.97. A choice."""

FULL_SPHERE = 0.9 * 4 * math.pi
"""sr that the ball of a bearing goes round at least, to roll in a groove. 54 machines: 5.4 (balls of joints) | 12.6."""

LINED = 0.5
"""Radius of a ball beside that of a socket about it, between which a liner that is not drawn has room. A choice: seen
once, 0.68."""

HALF_SPHERE = 2 * math.pi
"""sr above which a socket holds its ball, and a ball is more than the end of a pin."""


def sphere_contacts(placed: Sequence[Placed], slack: float) -> list[Contact]:
    """Balls in sockets, and balls in grooves."""
    balls = [p for p in placed if p.surface.kind == "sphere" and not p.surface.hollow]
    if not balls:
        return []
    tree = cKDTree(np.array([p.point for p in balls]))
    found = []
    for p in placed:
        s = p.surface
        if not s.hollow or s.kind not in ("sphere", "torus"):
            continue
        reach = slack if s.kind == "sphere" else s.radius + slack + clearance(s.second)
        for k in tree.query_ball_point(p.point, reach):
            ball = balls[k]
            contact = _socket(ball, p, slack) if s.kind == "sphere" else _groove(ball, p, slack)
            if contact is not None and ball.instance != p.instance:
                found.append(contact)
    held = {id(side) for c in found if c.kind == "sphere" for side in (c.a, c.b)}
    return [*found, *_lined(balls, [p for p in placed if id(p) not in held], held, slack)]


def _lined(balls: Sequence[Placed], others: Sequence[Placed], held: Collection[int], slack: float) -> list[Contact]:
    """Balls in much larger sockets about their middle that hold them: the liner between the two is not drawn."""
    free = [b for b in balls if id(b) not in held and b.surface.turn > HALF_SPHERE]
    found = []
    for cup in (p for p in others if p.surface.kind == "sphere" and p.surface.hollow and p.surface.turn > HALF_SPHERE):
        within = [
            b for b in free if b.instance != cup.instance
            and LINED * cup.surface.radius <= b.surface.radius < cup.surface.radius
            and float(np.linalg.norm(b.point - cup.point)) <= slack
        ]  # fmt: skip
        if within:
            ball = max(within, key=lambda b: (b.surface.radius, b.instance))
            found.append(_in_socket(ball, cup))
    return found


def _socket(ball: Placed, cup: Placed, slack: float) -> Contact | None:
    gap = cup.surface.radius - ball.surface.radius
    if not -interference(ball.surface.radius) <= gap <= clearance(cup.surface.radius) + slack:
        return None
    return _in_socket(ball, cup)


def _in_socket(ball: Placed, cup: Placed) -> Contact:
    gap = cup.surface.radius - ball.surface.radius
    offset = float(np.linalg.norm(cup.point - ball.point))
    area = min(ball.surface.area, cup.surface.area)
    return Contact("sphere", ball, cup, ball.point, np.array([0.0, 0.0, 1.0]), gap, offset, area, ball.surface.radius)


def _groove(ball: Placed, groove: Placed, slack: float) -> Contact | None:
    """A whole ball on the middle circle of a groove that is not much wider than it."""
    if (
        ball.surface.turn < FULL_SPHERE
        or not GROOVE_FIT[0] <= ball.surface.radius / groove.surface.second <= GROOVE_FIT[1]
    ):
        return None
    arm = ball.point - groove.point
    height = float(arm @ groove.direction)
    away = float(np.linalg.norm(arm - height * groove.direction))
    offset = math.hypot(height, away - groove.surface.radius)
    if offset > slack + clearance(groove.surface.second):
        return None
    gap = groove.surface.second - ball.surface.radius
    return Contact("ball", ball, groove, groove.point, groove.direction, gap, offset, 0.0, ball.surface.radius)
