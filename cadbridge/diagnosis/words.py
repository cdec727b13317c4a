"""A freedom in a sentence: what leads, round or along which joint's axis, and what follows at which rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism

MOST = 4
"""Followers of one rate that are named."""
VERBS = {"turn": "turns about", "slide": "slides along", "screw": "screws along", "move": "moves in"}
UNITS = {("turn", "slide"): " m/rad", ("slide", "turn"): " rad/m"}


def sentence(
    mechanism: Mechanism, body: str, joint: Joint | None, kind: str, rates: dict[str, float], kinds: dict[str, str]
) -> str:
    """A sentence like "crank turns about the axis of O; coupler (in A) follows at −0.5".

    `kinds` tells of each joint in `rates` what it does: turn or slide.
    """
    if joint is None:
        leader = f"{body} {VERBS[kind].split()[0]}"
    elif joint.type == "generic" or kind == "move":
        leader = f"{body} {VERBS[kind].split()[0]} at {joint.name}"
    elif joint.type in ("spherical", "planar", "universal"):
        leader = f"{body} {VERBS[kind].split()[0]} in {joint.name}"
    else:
        leader = f"{body} {VERBS[kind]} the axis of {joint.name}"
    by_rate: dict[str, list[str]] = defaultdict(list)
    for name, rate in rates.items():
        if joint is None or name != joint.name:
            by_rate[number(rate) + UNITS.get((kind, kinds[name]), "")].append(name)
    followers = [_follow(mechanism, names, rate) for rate, names in by_rate.items()]
    if len(followers) > MOST:
        followers = [*followers[:MOST], f"{len(followers) - MOST} more rates"]
    return "; ".join([leader, *followers])


def _follow(mechanism: Mechanism, joints: Sequence[str], rate: str) -> str:
    named = [f"{_outer(mechanism, mechanism.joint(name))} (in {name})" for name in joints[:MOST]]
    if len(joints) > MOST:
        named.append(f"{len(joints) - MOST} more")
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"{listed} {'follows' if len(joints) == 1 else 'follow'} at {rate}"


def _outer(mechanism: Mechanism, joint: Joint) -> str:
    body = joint.b if joint.b != GROUND_BODY else joint.a
    return mechanism.bodies[body].name


def number(value: float) -> str:
    """A rate with four digits and a true minus."""
    return f"{value:.4g}".replace("-", "−")
