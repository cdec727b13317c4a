"""Eyes of two links that lie on each other, one beside the other: a hinge in a pose that was never solved.

Parts that were placed by hand, or by a solver that gave up, stand about a millimetre off. No line is shared then, and
the two reach into each other a little or stand close.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import product

from cadbridge.frames import cross_length
from cadbridge.recognition.contacts.contacts import ON_AXIS, ROUNDING, Placed, parallel
from cadbridge.recognition.contacts.walls import Verdict
from cadbridge.recognition.evidence.candidates import Candidate, joint_of
from cadbridge.recognition.evidence.pins import EYE_SUNK, SAME_SCREW
from cadbridge.recognition.evidence.scene import Scene
from cadbridge.recognition.rules.axles import WIDEST_EYE
from cadbridge.recognition.rules.round_pairs import SKEW, drums_of
from cadbridge.recognition.rules.seated import round_outside
from cadbridge.recognition.rules.turntables import DRAWN_BESIDE

UNSOLVED = 0.5
"""Of the radius of the smaller eye: how far the other stands beside its axis at most. A choice. 57 machines: 0.48."""

Eye = tuple[Placed, float]
"""A hole with the radius of the rounded end about it, m."""


def eyes_beside(scene: Scene, first: set[str], second: set[str]) -> Candidate | None:
    """The hinge of two bodies of which one eye each lies on the other's, a little beside its axis."""
    found = [pair for pair in product(_eyes(scene, first), _eyes(scene, second)) if _meet(*pair)]
    if not found:
        return None
    best = min(found, key=lambda pair: _off(*pair))
    (hole, _), (other, _) = best
    # Eyes that meet in two places hold the two.
    if any(cross_length(m.point - hole.point, hole.direction) > hole.surface.radius for (m, _), _ in found):
        return None
    radii = " and ".join(f"{1e3 * m.surface.radius:.4g}" for m in (hole, other))
    text = f"rounded ends about holes of radii {radii} mm lie on each other"
    against = (f"drawn {1e3 * _off(*best):.3g} mm beside each other", "no pin is drawn")
    verdict = Verdict("revolute", (hole.point + other.point) / 2, hole.direction, (text,), against, 0.4)
    return joint_of(scene, hole.instance, other.instance, verdict)


def _eyes(scene: Scene, names: Collection[str]) -> list[Eye]:
    """The holes of instances about which these end round: what is round all about them is a ring or a flange."""
    drums = list(drums_of(scene, set(names), 0.0))
    return [
        (hole, end) for hole in drums
        if hole.surface.hollow and (end := _end(hole, drums)) > 0.0
        and not round_outside(scene, hole.instance, hole.point, hole.direction)
    ]  # fmt: skip


def _end(hole: Placed, drums: Sequence[Placed]) -> float:
    """The radius of the rounded end about a hole, 0 where there is none."""
    about = (
        m.surface.radius for m in drums
        if m.instance == hole.instance and not m.surface.hollow and parallel(m.direction, hole.direction)
        and cross_length(m.point - hole.point, hole.direction) < ROUNDING + ON_AXIS * hole.surface.radius
        and abs(float((m.point - hole.point) @ hole.direction)) < (m.surface.length + hole.surface.length) / 2
    )  # fmt: skip
    return max((r for r in about if hole.surface.radius < r <= WIDEST_EYE * hole.surface.radius), default=0.0)


def _off(one: Eye, other: Eye) -> float:
    """How far an eye stands beside the axis of another, m."""
    return cross_length(other[0].point - one[0].point, one[0].direction)


def _meet(one: Eye, other: Eye) -> bool:
    """Whether two eyes lie on each other, or nearly, and nearly on one axis."""
    (a, wide), (b, broad) = one, other
    arm = b.point - a.point
    gap = abs(float(arm @ a.direction)) - (a.surface.length + b.surface.length) / 2
    alike = 1 / SAME_SCREW <= a.surface.radius / b.surface.radius <= SAME_SCREW
    deep = EYE_SUNK * min(a.surface.length, b.surface.length)
    return (
        alike and -deep <= gap <= min(a.surface.radius, b.surface.radius)
        and abs(float(a.direction @ b.direction)) > math.cos(SKEW)
        and DRAWN_BESIDE < _off(one, other) <= UNSOLVED * min(wide, broad)
    )  # fmt: skip
