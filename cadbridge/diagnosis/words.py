"""A freedom in a sentence: what leads, round or along which joint's axis, and what follows at which rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.wording import count

FOLLOWERS = 4
"""Followers of one rate that are named."""
VERBS = {
    "turn": "turns about",
    "slide": "slides along",
    "screw": "screws along",
    "move": "moves in",
    "float": "floats about",
}
UNITS = {("turn", "slide"): " m/rad", ("slide", "turn"): " rad/m"}


def sentence(mechanism: Mechanism, body: str, joint: Joint | None, kind: str, rates: dict[str, float]) -> str:
    """A sentence like "crank turns about the axis of O; coupler (in A) follows at −0.5"; `rates` of joints by name."""
    if joint is None:
        leader = f"{body} {VERBS[kind].split()[0]}"
    elif joint.kind.unbound or kind == "move":
        leader = f"{body} {VERBS[kind].split()[0]} at {joint.name}"
    elif not joint.kind.axial:
        leader = f"{body} {VERBS[kind].split()[0]} in {joint.name}"
    else:
        leader = f"{body} {VERBS[kind]} the axis of {joint.name}"
    by_rate: dict[str, list[str]] = defaultdict(list)
    for name, rate in rates.items():
        if joint is None or name != joint.name:
            does = "slide" if mechanism.joint(name).coordinate == "distance" else "turn"
            by_rate[number(rate) + UNITS.get((kind, does), "")].append(name)
    followers = [_follow(mechanism, names, rate) for rate, names in by_rate.items()]
    if len(followers) > FOLLOWERS:
        followers = [*followers[:FOLLOWERS], count(len(followers) - FOLLOWERS, "more rate")]
    return "; ".join([leader, *followers])


def _follow(mechanism: Mechanism, joints: Sequence[str], rate: str) -> str:
    by_body: dict[str, list[str]] = defaultdict(list)
    for name in joints:
        by_body[_outer(mechanism, name)].append(name)
    named = [f"{body} (in {', '.join(names[:FOLLOWERS])})" for body, names in list(by_body.items())[:FOLLOWERS]]
    if len(by_body) > FOLLOWERS:
        named.append(f"{len(by_body) - FOLLOWERS} more")
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"{listed} {'follows' if len(named) == 1 else 'follow'} at {rate}"


def _outer(mechanism: Mechanism, name: str) -> str:
    joint = mechanism.joint(name)
    body = joint.b if joint.b != GROUND_BODY else joint.a
    return mechanism.bodies[body].name


def number(value: float) -> str:
    """A rate with four digits and a true minus."""
    return f"{value:.4g}".replace("-", "−")
