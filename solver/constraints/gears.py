"""Gears and wheels as rows: the geometry of each pair at the reference pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.constraints.primitives import GearPair, Primitive, RackPinion, WheelPair
from solver.constraints.terms import PLANE, ROLL, TURN, Poses, Row, Term, crossed, unit

Array = NDArray[np.float64]

_AT_APEX = 1e-9
"""m along an axis within which a wheel's point stands at the apex of a bevel pair, so that it shows neither side nor
height: far above the rounding of an intersection of axes (1e-15 of the coordinates), and below any cone of a tooth."""


def gear_radii(gear: GearPair, positions: Array, quaternions: Array) -> tuple[float, float]:
    """Pitch radii (m) of the wheels a and b at the reference pose."""
    return _radii(gear, Poses(np.asarray(positions, float), np.asarray(quaternions, float)))


def error_scale(gear: Primitive, positions: Array, quaternions: Array) -> tuple[float, str]:
    """What a coupling's residual is divided by to be its phase error, and the error's unit.

    Of toothed wheels it is the turn (rad) of the smaller one, on which it is largest; of all others the residual.
    """
    if isinstance(gear, GearPair):
        return min(gear_radii(gear, positions, quaternions)), "rad"
    return 1.0, gear.unit


@dataclass(frozen=True, eq=False)
class Contact:
    """Where two wheels touch at the reference pose; world frame.

    Attributes:
        point: On both pitch circles (3,) m.
        centre_a: Of a's pitch circle (3,) m.
        centre_b: Of b's pitch circle (3,) m.
        radius_a: m.
        radius_b: m.
        cone_a: Half angle of a's pitch cone, rad; 0 of cylinders.
        cone_b: Half angle of b's pitch cone, rad.
        out_a: Unit vector (3,) of a's axis, away from the apex: the way its cone opens.
        out_b: The same of b.
        annulus: "a", "b" or "": which wheel is an annulus.
    """

    point: Array
    centre_a: Array
    centre_b: Array
    radius_a: float
    radius_b: float
    cone_a: float
    cone_b: float
    out_a: Array
    out_b: Array
    annulus: str


def gear_contact(gear: GearPair, positions: Array, quaternions: Array) -> Contact:
    """The contact of a pair on the line of centres, or on the bevel cones' edge, at the reference pose."""
    poses = Poses(np.asarray(positions, float), np.asarray(quaternions, float))
    radius_a, radius_b = _radii(gear, poses)
    if gear.kind == "bevel":
        apex, _, out_a, out_b = _bevel(gear, poses)
        centre_a, centre_b, cone_a, cone_b = _cone_centres(gear, apex, radius_a, out_a, out_b)
        # Both cones touch along one line from the apex. It lies in the plane of the axes, between them: the point on
        # a's edge is the one towards b's axis.
        towards = unit(out_b - out_a * float(out_a @ out_b), "the other axis")
        return Contact(
            centre_a + radius_a * towards, centre_a, centre_b, radius_a, radius_b, cone_a, cone_b, out_a, out_b, ""
        )
    centre_a, centre_b = poses.point(gear.a, gear.point_a), poses.point(gear.b, gear.point_b)
    axis_a = unit(poses.turn(gear.a, gear.axis_a), "axis_a")
    axis_b = unit(poses.turn(gear.b, gear.axis_b), "axis_b")
    line = centre_b - centre_a
    # Points may be given anywhere on the axes: what lies along them is no distance of the wheels.
    line = unit(line - axis_a * float(axis_a @ line), "the line of centres")
    inside = gear.kind == "internal"
    annulus = "" if not inside else "a" if gear.ratio < 1 else "b"
    # Of an annulus and its pinion the contact lies beyond the pinion, seen from the annulus.
    point = centre_a + line * radius_a * (-1.0 if annulus == "b" else 1.0)
    return Contact(point, centre_a, centre_b, radius_a, radius_b, 0.0, 0.0, axis_a, axis_b, annulus)


def _radii(p: GearPair, poses: Poses) -> tuple[float, float]:
    if p.kind == "bevel":
        radius = _bevel(p, poses)[1]
        return radius, p.ratio * radius
    axis = unit(poses.turn(p.a, p.axis_a), "axis_a")
    centres = poses.point(p.b, p.point_b) - poses.point(p.a, p.point_a)
    centres = centres - axis * (axis @ centres)
    # r_b = k r_a, and the centres are r_a + r_b apart outside, |r_a − r_b| inside. From the distance as it is, so that
    # the pitch circles touch where the model is built, whatever module and teeth would give.
    divisor = 1 + p.ratio if p.kind == "spur" else abs(1 - p.ratio)
    radius = float(np.linalg.norm(centres)) / divisor
    return radius, p.ratio * radius


def _spur_or_internal(p: GearPair, poses: Poses) -> Row:
    axis_a, axis_b = poses.turn(p.a, p.axis_a), poses.turn(p.b, p.axis_b)
    axis_a, axis_b = unit(axis_a, "axis_a"), unit(axis_b, "axis_b")
    radius_a, radius_b = _radii(p, poses)
    # m: the centres of every pair of wheels are farther apart, and a division by less would overflow a row.
    if radius_a < 1e-12:
        raise ValueError("the axes of a gear pair coincide: it has no pitch radii; use a coupler")
    line = poses.point(p.b, p.point_b) - poses.point(p.a, p.point_a)
    # A wheel turned by θ against the line of centres sees this turn by −θ. Both about one axis:
    # r_a θ_a + r_b θ_b = 0 outside, r_a θ_a − r_b θ_b = 0 inside; each angle is about its own axis.
    sense = float(np.sign(axis_a @ axis_b)) * (1.0 if p.kind == "spur" else -1.0)
    wheel_a = _roll(p.a, p.point_a, axis_a, p.b, p.point_b, line, -radius_a, poses)
    wheel_b = _roll(p.b, p.point_b, axis_b, p.a, p.point_a, -line, -sense * radius_b, poses)
    return Row((wheel_a, wheel_b))


def _roll(
    a: int, point_a: Array, axis: Array, b: int, point_b: Array, line: Array, coefficient: float, poses: Poses
) -> Term:
    """The angle from the wheel's own mark to the line of centres, 0 at the reference; world vectors."""
    # The mark points to the other wheel's centre, so that the angle starts in the middle of its branch and not at its
    # end.
    mark = unit(line - axis * (axis @ line), "the line of centres")
    return Term(
        ROLL,
        a,
        b,
        coefficient,
        point_a=point_a,
        first_a=poses.back(a, mark),
        second_a=poses.back(a, np.cross(axis, mark)),
        point_b=point_b,
    )


def _bevel(p: GearPair, poses: Poses) -> tuple[Array, float, Array, Array]:
    """Apex (3,), pitch radius of a, and the unit directions from the apex to each wheel.

    With the cones' half angles δ_a + δ_b = Σ and sin δ_b = k sin δ_a: tan δ_a = sin Σ / (k + cos Σ).
    """
    axis_a = unit(poses.turn(p.a, p.axis_a), "axis_a")
    axis_b = unit(poses.turn(p.b, p.axis_b), "axis_b")
    point_a, point_b = poses.point(p.a, p.point_a), poses.point(p.b, p.point_b)
    normal = np.cross(axis_a, axis_b)
    # rad: below, the apex would be farther away than a million radii.
    if np.linalg.norm(normal) < 1e-6:
        raise ValueError("the axes of a bevel gear pair are parallel: they have no apex")
    d = point_b - point_a
    square = normal @ normal
    along_a = float(np.cross(d, axis_b) @ normal / square)
    along_b = float(np.cross(d, axis_a) @ normal / square)
    # Axes in a file miss each other by its rounding: the apex is the middle of their common perpendicular.
    apex = (point_a + along_a * axis_a + point_b + along_b * axis_b) / 2
    # The wheel's point shows on which side of the apex the wheel sits; in the apex, its axis does.
    side_a = -1.0 if along_a > _AT_APEX else 1.0
    side_b = -1.0 if along_b > _AT_APEX else 1.0
    out_a, out_b = side_a * axis_a, side_b * axis_b
    cosine, sine = float(out_a @ out_b), float(np.sqrt(square))
    heights = []
    # r_a = h_a tan δ_a, and by the other wheel r_a = r_b / k = h_b tan δ_b / k. Points that people give on the two axes
    # rarely lie on one cone's edge: each that shows a height has a say.
    for along, radius_per_height in (
        (along_a, sine / (p.ratio + cosine)),
        (along_b, sine / (1 / p.ratio + cosine) / p.ratio),
    ):
        # A cone that opens beyond a right angle (k + cos Σ < 0) would have its centre beyond the apex, where its
        # wheel's point is not: that point shows no height.
        if abs(along) > _AT_APEX and radius_per_height > 0:
            heights.append(abs(along) * radius_per_height)
    # The radius scales the whole row and leaves the ratio alone: where no point shows it, any does.
    radius = float(np.mean(heights)) if heights else 1.0
    return apex, radius, out_a, out_b


def _bevel_row(p: GearPair, poses: Poses) -> Row:
    apex, radius_a, out_a, out_b = _bevel(p, poses)
    radius_b = p.ratio * radius_a
    centre_a, centre_b, _, _ = _cone_centres(p, apex, radius_a, out_a, out_b)
    point_a, point_b = poses.local(p.a, centre_a), poses.local(p.b, centre_b)
    # By the outward directions, not the axes as given: the common perpendicular of `crossed` has its sign by them, and
    # so has the force at the contact.
    own_a, own_b = poses.back(p.a, out_a), poses.back(p.b, out_b)
    wheel_a = _cone(p.a, out_a, p.b, out_b, -radius_a, poses)
    wheel_b = _cone(p.b, out_b, p.a, out_a, -radius_b, poses)
    # The axes meet where the carrier holds: this term is 0 there and gives Ĝ the force at the contact.
    gap = crossed(p.a, point_a, own_a, p.b, point_b, own_b, -1.0)
    return Row((wheel_a, wheel_b, gap))


def _cone_centres(
    p: GearPair, apex: Array, radius_a: float, out_a: Array, out_b: Array
) -> tuple[Array, Array, float, float]:
    """The wheels' centres for one common contact point at the cones' edge, and the cones' half angles."""
    cosine, sine = float(out_a @ out_b), float(np.linalg.norm(np.cross(out_a, out_b)))
    height_a, height_b = (p.ratio + cosine) / sine, (1 / p.ratio + cosine) / sine
    centre_a = apex + out_a * radius_a * height_a
    centre_b = apex + out_b * p.ratio * radius_a * height_b
    return centre_a, centre_b, float(np.arctan2(1.0, height_a)), float(np.arctan2(1.0, height_b))


def _cone(a: int, axis: Array, b: int, other: Array, coefficient: float, poses: Poses) -> Term:
    mark = unit(other - axis * (axis @ other), "the other axis")
    return Term(
        TURN,
        a,
        b,
        coefficient,
        first_a=poses.back(a, mark),
        second_a=poses.back(a, np.cross(axis, mark)),
        direction_b=poses.back(b, other),
    )


def gear_row(p: GearPair, poses: Poses) -> Row:
    """The row (m) by which the pitch circles or cones of a pair roll on each other, 0 at the reference `poses`.

    Raises ValueError where the axes coincide (spur, internal) or are parallel (bevel).
    """
    return _bevel_row(p, poses) if p.kind == "bevel" else _spur_or_internal(p, poses)


def rack_row(p: RackPinion, poses: Poses) -> Row:
    """The row (m) by which a pinion rolls along a rack, 0 at the reference `poses`.

    Raises ValueError where the rack does not lie across its pinion's axis.
    """
    axis = unit(poses.turn(p.a, p.axis_a), "the pinion's axis")
    bar = unit(poses.turn(p.b, p.axis_b), "the rack's direction")
    across = poses.point(p.b, p.point_b) - poses.point(p.a, p.point_a)
    across = across - bar * (bar @ across)
    across = unit(across - axis * (axis @ across), "the way from a pinion's axis to its rack")
    # Rolling: ṡ + r θ̇ (axis × across)·bar = 0 with the pinion's travel s along the bar; α = −θ.
    sense = float(np.sign(np.cross(axis, across) @ bar))
    if sense == 0.0:
        raise ValueError("a rack's direction must be across its pinion's axis, not along it")
    travel = Term(PLANE, p.b, p.a, point_a=p.point_b, first_a=unit(p.axis_b, "the rack's direction"), point_b=p.point_a)
    start = float(bar @ (poses.point(p.a, p.point_a) - poses.point(p.b, p.point_b)))
    pinion = Term(
        TURN,
        p.a,
        p.b,
        -sense * p.radius,
        first_a=poses.back(p.a, across),
        second_a=poses.back(p.a, np.cross(axis, across)),
        direction_b=poses.back(p.b, across),
    )
    return Row((travel, pinion), start)


def wheel_row(p: WheelPair, poses: Poses) -> Row:
    """The two turns against the common perpendicular of the axes."""
    axis_a = unit(poses.turn(p.a, p.axis_a), "axis_a")
    axis_b = unit(poses.turn(p.b, p.axis_b), "axis_b")
    point_a, point_b = poses.point(p.a, p.point_a), poses.point(p.b, p.point_b)
    d = point_b - point_a
    normal = np.cross(axis_a, axis_b)
    square = float(normal @ normal)
    # Parallel axes have a common perpendicular anywhere: the one through a's point is as good as any.
    # The square of the sine of a millionth of a rad.
    if square > 1e-12:
        point_a = point_a + axis_a * float(np.cross(d, axis_b) @ normal / square)
        point_b = point_b + axis_b * float(np.cross(d, axis_a) @ normal / square)
    else:
        point_b = point_b - axis_b * float(axis_b @ d)
    line = point_b - point_a
    # m: shorter than any shaft is offset, and no direction could be had from it.
    if float(np.linalg.norm(line)) < 1e-9:
        raise ValueError("the axes of the two wheels meet: there is no line between them; use a coupler")
    at_a, at_b = poses.local(p.a, point_a), poses.local(p.b, point_b)
    wheel_a = _roll(p.a, at_a, axis_a, p.b, at_b, line, p.ratio, poses)
    return Row((wheel_a, _roll(p.b, at_b, axis_b, p.a, at_a, -line, -1.0, poses)))


def belt_ratio(axis_a: Array, radius_a: float, axis_b: Array, radius_b: float, *, crossed: bool = False) -> float:
    """Turns of b for one of a, of a belt or chain on wheels with parallel axes (world), each about its own axis."""
    if not (radius_a > 0 and radius_b > 0):
        raise ValueError("the radii of a belt's wheels must be above zero")
    return float(np.sign(np.dot(axis_a, axis_b))) * (-1.0 if crossed else 1.0) * radius_a / radius_b


def screw_gear_ratio(axis_a: Array, axis_b: Array, line: Array, teeth: tuple[float, float], helix: float) -> float:
    """Turns of b for one of a, of crossed helical gears or a worm a, each about its own axis.

    `line` leads from a to b, all in the world. `helix` (rad, within a quarter turn) is that of a's teeth against its
    axis, right-hand positive (a worm's: a quarter turn less its lead angle); `teeth` of a worm are its starts.
    Along the common normal of the teeth, n = sin ψ u − cos ψ (u × l), both move alike:
    θ̇_b r_b n·(v × l) = θ̇_a r_a cos ψ. ValueError where b would not move.
    """
    u, v = unit(axis_a, "axis_a"), unit(axis_b, "axis_b")
    across = unit(line, "the line between the axes")
    normal = np.sin(helix) * u - np.cos(helix) * np.cross(u, across)
    lead = float(normal @ np.cross(v, across))
    # Unit vectors: teeth along their own motion give its sense by rounding alone.
    if abs(lead) < 1e-9:
        raise ValueError("the teeth of these axes and this helix would not drive each other")
    # The formula's size would need both pitch radii; the teeth give it without. Only the sense comes from the geometry.
    return float(np.sign(lead)) * teeth[0] / teeth[1]
