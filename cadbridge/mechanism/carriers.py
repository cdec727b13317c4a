"""What carries the two wheels of a gear pair, and how each turns against it: where the losses of teeth act.

A body carries a wheel where only turns about the wheel's axis (and slides along it) lie between them, whatever joints
those are: a sun that is hinged on the ground is carried by a planet carrier that turns about the same line. Of a rack,
slides along it. What carries both keeps the centre distance; the loss is of the power seen from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import CouplingKind
from cadbridge.frames import Vector, perpendicular, unit
from cadbridge.mechanism.model import BodyCoupling, Joint, Mechanism
from solver.constraints import Coordinate, GearPair, RackPinion, WheelPair

_ALONG = 1e-6
"""Of a joint's freedom, how much may turn or slide across the axis (rad; parts of the mechanism's length): as in
`classify.SAME_PAIR`, what rounding of files makes."""


@dataclass(frozen=True, eq=False)
class WheelMotions:
    """The motions (in bodies' frames B) of the two wheels of a pair against the body that carries both."""

    carrier: int
    a: Coordinate
    b: Coordinate


@dataclass(frozen=True, eq=False)
class _Wheel:
    """A wheel (or rack): its body, and the point and unit direction (world, as designed) of its axis (or way)."""

    body: int
    point: Vector
    axis: Vector
    slides: bool


def carried(mechanism: Mechanism, coupling: BodyCoupling) -> WheelMotions | str:
    """What carries both wheels of a pair and how they move against it; else why there is nothing, as a clause."""
    wheels = _wheels(mechanism, coupling)
    if wheels is None:
        return f"a {coupling.coupling.kind.value} has no two wheels whose loss could be placed"
    on_a, on_b = (_carriers(mechanism, wheel) for wheel in wheels)
    # A wheel carries itself, by no joint at all: against itself it does not turn.
    both = [body for body in on_a if body in on_b and body not in (wheels[0].body, wheels[1].body)]
    carrier = coupling.coupling.carrier
    if carrier is not None:
        wanted = mechanism.body_of.get(carrier)
        if wanted not in both:
            able = ", ".join(mechanism.body_name(body) for body in both) or "none does"
            return f"its carrier {carrier} does not carry both wheels ({able})"
        both = [wanted]
    if not both:
        return "no body carries both wheels by turns about their axes"
    body = min(both, key=lambda i: (on_a[i] + on_b[i], i))
    first, second = (_against(mechanism, body, wheel) for wheel in wheels)
    return WheelMotions(body, first, second)


def efficiencies(coupling: BodyCoupling) -> tuple[float, float] | None:
    """The efficiency where a drives and where b does; None where nothing is lost.

    A worm loses the same share of the power at its wheel whichever drives, 1/η − 1: backwards it has 2 − 1/η, and at
    η of one half and below its wheel cannot drive it.
    """
    forward = coupling.coupling.efficiency
    if forward is None or forward == 1.0:
        return None
    return forward, 2.0 - 1.0 / forward if coupling.coupling.kind is CouplingKind.WORM else forward


def _wheels(mechanism: Mechanism, coupling: BodyCoupling) -> tuple[_Wheel, _Wheel] | None:
    p = coupling.primitive
    if not isinstance(p, GearPair | WheelPair | RackPinion):
        return None
    sides = ((p.a, p.point_a, p.axis_a), (p.b, p.point_b, p.axis_b))
    a, b = (
        _Wheel(body, X.point(point), unit(X.vector(axis)), slides)
        for (body, point, axis), slides in zip(sides, (False, isinstance(p, RackPinion)), strict=True)
        for X in (mechanism.X_WB(body),)
    )
    return a, b


def _carriers(mechanism: Mechanism, wheel: _Wheel) -> dict[int, int]:
    """The bodies that carry a wheel, with how many joints lie between."""
    found, edge = {wheel.body: 0}, [wheel.body]
    for body in edge:
        for joint, other in _joints_of(mechanism, body):
            if other not in found and _about(mechanism, joint, wheel):
                found[other] = found[body] + 1
                edge.append(other)
    return found


def _joints_of(mechanism: Mechanism, body: int) -> Iterator[tuple[Joint, int]]:
    for joint in mechanism.joints:
        if body in (joint.a, joint.b):
            yield joint, joint.b if body == joint.a else joint.a


def _about(mechanism: Mechanism, joint: Joint, wheel: _Wheel) -> bool:
    """Whether all that a joint leaves free is the motion of a wheel about its axis, or of a rack along its way."""
    X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
    turns = X_WJ.vector(joint.freedom[3:].T)
    slides = X_WJ.vector(joint.freedom[:3].T) + np.cross(turns, wheel.point - X_WJ.p)
    across = np.cross(slides, wheel.axis) / mechanism.length_scale
    turned = turns if wheel.slides else np.cross(turns, wheel.axis)
    return bool(np.max(np.abs(np.hstack([across, turned])), initial=0.0) < _ALONG)


def _against(mechanism: Mechanism, carrier: int, wheel: _Wheel) -> Coordinate:
    """The turn (or slide) of a wheel against its carrier, zero as designed."""
    C, B = mechanism.X_WB(carrier).inverse(), mechanism.X_WB(wheel.body).inverse()
    across = perpendicular(wheel.axis)
    kind = "distance" if wheel.slides else "angle"
    return Coordinate(
        kind, carrier, wheel.body, C.point(wheel.point), C.vector(wheel.axis), B.point(wheel.point),
        C.vector(across), B.vector(across),
    )  # fmt: skip
