"""A freedom in a sentence: what leads, round or along which joint's axis, and what follows at which rate."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from cadbridge.frames import Vector
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.units import TO_MM
from cadbridge.wording import count

FOLLOWERS = 4
"""Followers of one rate that are named."""
ALONG = 1e-6
"""Sine of the angle up to which a direction is an axis of the world: above rounding of files, below what one sees."""
VERBS = {
    "turn": "turns about",
    "slide": "slides along",
    "screw": "screws along",
    "move": "moves in",
    "float": "floats about",
}
UNITS = {("turn", "slide"): " m/rad", ("slide", "turn"): " rad/m"}


def sentence(
    mechanism: Mechanism, body: str, joint: Joint | None, kind: str, rates: dict[str, float], way: Vector | None = None
) -> str:
    """A sentence like "crank turns about the axis of O; coupler (in A) follows at −0.5"; `rates` of joints by name.

    `way` (3,) is the direction in W about or along which the body moves in a joint with several axes.
    """
    if joint is None:
        leader = f"{body} {VERBS[kind].split()[0]}"
    elif joint.kind.unbound or kind == "move":
        leader = f"{body} {VERBS[kind].split()[0]} at {joint.name}"
    elif not joint.kind.axial:
        leader = f"{body} {VERBS[kind].split()[0]} in {joint.name}{_direction(kind, way)}"
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


def _direction(kind: str, way: Vector | None) -> str:
    """The direction in W about or along which a motion is: two slides of a joint differ in nothing else."""
    if way is None or kind not in ("turn", "slide") or not np.any(way):
        return ""
    largest, unit = int(np.argmax(np.abs(way))), way / float(np.linalg.norm(way))
    if float(np.linalg.norm(np.delete(unit, largest))) > ALONG:
        return f" {VERBS[kind].split()[1]} ({', '.join(f'{round(x, 3) + 0.0:g}' for x in unit)})".replace("-", "−")
    return f" {VERBS[kind].split()[1]} {'xyz'[largest]}"


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


def parted(first: str, units: Sequence[str], value: float) -> str:
    """What two ways round leave between them for a turn of the first joint (for 1 m of it), `value` in rad or m."""
    step = "a turn" if units[0] == "rad" else "1 m"
    apart = f"{math.degrees(value):.4g}°" if units[1] == "rad" else f"{value * TO_MM:.4g} mm"
    return f"{step} of {first} would leave {apart} between them"


def number(value: float) -> str:
    """A rate with four digits and a true minus."""
    return f"{value:.4g}".replace("-", "−")
