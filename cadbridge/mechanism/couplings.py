"""Gears and other couplings between units: checks of their geometry, and their primitives."""

from __future__ import annotations

import numpy as np

from cadbridge.assembly import Coupling, CouplingKind, Mate
from cadbridge.findings import Findings
from cadbridge.frames import Vector, cross_length, perpendicular, unit
from cadbridge.freedoms import SLIDE
from cadbridge.mechanism.sides import MateSide
from cadbridge.units import TO_MM
from solver.constraints import Coordinate, Coupler, GearPair, Primitive, RackPinion, WheelPair
from solver.constraints.gears import belt_ratio, screw_gear_ratio

SKEW = 1e-3
"""rad, 0.06°: axes nearer to parallel (or to square) are meant so. Placements of CAD files are off by 1e-6 and less, an
axis that a person drew otherwise by a tenth of a degree and more: a choice between the two."""
PARALLEL = 1e-6
"""rad: axes that are drawn at an angle and are nearer to parallel have no common normal but that of rounding."""
APEX_MISSED = 1e-4
"""m: by how much the axes of a bevel pair may pass each other. Files round to a µm; a
hypoid pair, which is none, passes by millimetres."""
NO_LINE = 1e-9
"""m: axes nearer than this have no line of centres. Files have nine digits and better, of machines of metres."""
SAME_RADIUS = 1e-9
"""Relative: an annulus and its pinion of ratios nearer to 1 are one wheel."""
RADII_AGREE = 5e-3
"""Relative: pitch radii, which are rounded to tenths of a millimetre, beside those that ratio and centre distance make.
Radii of neighbouring modules or teeth differ by more than a hundredth."""


def gear_primitive(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive | None:
    """The primitive of a gear pair or rack; None (with a finding) where its geometry has no meaning."""
    maker = {
        CouplingKind.SPUR: _parallel_gears,
        CouplingKind.INTERNAL: _parallel_gears,
        CouplingKind.BEVEL: _bevel,
        CouplingKind.RACK_PINION: _rack,
        CouplingKind.SCREW: _screw,
        CouplingKind.BELT: _belt,
        CouplingKind.CHAIN: _belt,
        CouplingKind.WORM: _screw_gears,
        CouplingKind.CROSSED_HELICAL: _screw_gears,
    }[coupling.kind]
    if a.index == b.index:
        findings.add("CB221", f"{coupling.name}: both sides are on one rigid unit, so nothing can turn", coupling.where)
        return None
    try:
        return maker(coupling, a, b, findings)
    except ValueError as error:
        findings.add("CB220", f"{coupling.name}: {error}", coupling.where)
        return None


def _ratio(coupling: Coupling) -> float:
    if coupling.ratio is None or not coupling.ratio > 0:
        raise ValueError("the ratio must be above zero")
    return coupling.ratio


def _parallel_gears(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    """Spur and internal: the points are slid along the axes into one plane across them."""
    ratio = _ratio(coupling)
    u, v = a.world_direction(), b.world_direction()
    if cross_length(u, v) > SKEW:
        raise ValueError("the axes of spur and internal gears must be parallel")
    p, q = a.world_point(), b.world_point()
    q = q + u * float(u @ (p - q))
    distance = float(np.linalg.norm(q - p))
    if distance < NO_LINE:
        raise ValueError("the axes coincide: there is no line of centres (use a `ratio` with a carrier)")
    if coupling.kind is CouplingKind.INTERNAL and abs(ratio - 1) < SAME_RADIUS:
        raise ValueError("an internal pair of equal radii has no centre distance")
    if (least := min(pitch_radii(coupling, distance) or (distance,))) < NO_LINE:
        raise ValueError(f"its ratio of {ratio:.3g} and its centre distance make a pitch radius of {least:.3g} m")
    if odd := radii_at_odds(coupling, distance):
        findings.add("CB222", f"{coupling.name}: {'; '.join(odd)}", coupling.where, items=[coupling.name])
    kind = coupling.kind.value
    return GearPair(a.index, b.index, kind, a.point, a.direction, b.X.inverse().point(q), b.direction, ratio)


def pitch_radii(coupling: Coupling, distance: float | None) -> tuple[float, float] | None:
    """Pitch radii (m) of wheels on parallel axes, from their ratio and distance (m); None where nothing follows."""
    ratio = coupling.ratio
    if ratio is None or not ratio > 0 or not distance:
        return None
    if coupling.kind is CouplingKind.SPUR:
        return distance / (1 + ratio), distance * ratio / (1 + ratio)
    if coupling.kind is CouplingKind.INTERNAL and abs(ratio - 1) > SAME_RADIUS:
        return distance / abs(ratio - 1), distance * ratio / abs(ratio - 1)
    return None


def radii_at_odds(coupling: Coupling, distance: float | None) -> list[str]:
    """What is wrong with the pitch radii that are given, where the axes are `distance` (m) apart."""
    given = zip("ab", (coupling.radius_a, coupling.radius_b), pitch_radii(coupling, distance) or (), strict=False)
    return [
        f"pitch radius {side} is {declared * TO_MM:.6g} mm, ratio and centre distance make {made * TO_MM:.6g} mm"
        for side, declared, made in given
        if declared and abs(declared / made - 1) > RADII_AGREE
    ]


def _bevel(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    ratio = _ratio(coupling)
    u, v = a.world_direction(), b.world_direction()
    n = np.cross(u, v)
    if float(np.linalg.norm(n)) < PARALLEL:
        raise ValueError("the axes of a bevel pair must cross at an angle")
    gap = abs(float(unit(n) @ (b.world_point() - a.world_point())))
    if gap > APEX_MISSED:
        raise ValueError(f"the axes of a bevel pair must meet; they pass at {gap * TO_MM:.3g} mm")
    p, q = _cone_centres(coupling, a, b, ratio)
    return GearPair(a.index, b.index, "bevel", p, a.direction, q, b.direction, ratio)


def _cone_centres(coupling: Coupling, a: MateSide, b: MateSide, ratio: float) -> tuple[Vector, Vector]:
    """The centres of two bevel wheels on their own bodies (m): where declared radii put them, else the points given.

    r = h tan δ on each side of the apex, with tan δ_a = sin Σ / (k + cos Σ) and the ratio k = r_b / r_a.
    """
    radius = coupling.radius_a or (coupling.radius_b or 0.0) / ratio
    if not radius > 0.0:
        return a.point, b.point
    u, v, d = a.world_direction(), b.world_direction(), b.world_point() - a.world_point()
    normal = np.cross(u, v)
    sine_squared = float(normal @ normal)
    along_a, along_b = float(np.cross(d, v) @ normal) / sine_squared, float(np.cross(d, u) @ normal) / sine_squared
    # The point shows on which side of the apex its wheel sits; in the apex, its axis does.
    out_a, out_b = (-w if along > NO_LINE else w for w, along in ((u, along_a), (v, along_b)))
    cosine, sine = float(out_a @ out_b), sine_squared**0.5
    heights = radius * (ratio + cosine) / sine, ratio * radius * (1 / ratio + cosine) / sine
    # A cone that opens beyond a right angle has its centre beyond the apex, where the solver does not look for it.
    if min(heights) <= 0.0:
        return a.point, b.point
    apex_a, apex_b = a.world_point() + along_a * u, b.world_point() + along_b * v
    return a.X.inverse().point(apex_a + heights[0] * out_a), b.X.inverse().point(apex_b + heights[1] * out_b)


def _rack(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    radius = coupling.radius_a
    if radius is None or not radius > 0:
        raise ValueError("the pinion's pitch radius must be above zero")
    if abs(float(a.world_direction() @ b.world_direction())) > SKEW:
        raise ValueError("the rack must run across the pinion's axis")
    return RackPinion(a.index, b.index, a.point, a.direction, radius, b.point, b.direction)


def _screw(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    """b's height over a along a's axis is `ratio` times its turn about it, zero as designed."""
    if not coupling.ratio:
        raise ValueError("the advance of a screw must not be zero")
    travel = Coordinate("distance", a.index, b.index, a.point, a.direction, b.point)
    turn = Coordinate("angle", a.index, b.index, a.point, a.direction, b.point, a.x, b.X.R.T @ a.X.vector(a.x))
    height = float(a.world_direction() @ (b.world_point() - a.world_point()))
    return Coupler(a.index, b.index, ((1.0, travel), (-coupling.ratio, turn)), height)


def _belt(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    """Wheels on parallel axes that a carrier holds at a distance."""
    u, v = a.world_direction(), b.world_direction()
    if cross_length(u, v) > SKEW:
        raise ValueError(f"the axes of a {coupling.kind.value} must be parallel")
    # The ratio of a belt is r_b / r_a, and only the quotient counts: with the radii themselves a belt without them
    # would have none.
    turns = belt_ratio(u, 1.0, v, _ratio(coupling), crossed=coupling.crossed)
    return WheelPair(a.index, b.index, a.point, a.direction, b.point, b.direction, turns)


def _screw_gears(coupling: Coupling, a: MateSide, b: MateSide, findings: Findings) -> Primitive:
    """A worm and its wheel, or crossed helical gears: axes that pass each other."""
    ratio = _ratio(coupling)
    u, v = a.world_direction(), b.world_direction()
    normal = np.cross(u, v)
    d = b.world_point() - a.world_point()
    if float(np.linalg.norm(normal)) < PARALLEL:
        raise ValueError(f"the axes of a {coupling.kind.value.replace('_', ' ')} pair must not be parallel")
    line = unit(normal) * float(unit(normal) @ d)
    if float(np.linalg.norm(line)) < NO_LINE:
        raise ValueError("the axes meet: there is no distance between them (a bevel pair, or a `ratio` with a carrier)")
    # Of teeth, too, only the quotient counts; the sense comes from the helix.
    turns = screw_gear_ratio(u, v, line, (1.0, ratio), coupling.helix)
    return WheelPair(a.index, b.index, a.point, a.direction, b.point, b.direction, turns)


def ratio_primitive(coupling: Coupling, a: MateSide, b: MateSide, carrier: MateSide) -> Primitive:
    """Turns of b are `ratio` times those of a, about their axes and relative to the carrier."""
    ratio = coupling.ratio
    if ratio is None or ratio == 0:
        raise ValueError("the ratio must not be zero")
    return Coupler(
        a.index, b.index, ((1.0, turn_against(carrier, b)), (-ratio, turn_against(carrier, a))), coupling.offset
    )


def turn_against(carrier: MateSide, wheel: MateSide) -> Coordinate:
    """The turn of a wheel's unit about its axis relative to the carrier, zero as designed."""
    axis = wheel.world_direction()
    ref = perpendicular(axis)
    C, B = carrier.X.inverse(), wheel.X.inverse()
    point = wheel.world_point()
    return Coordinate(
        "angle", carrier.index, wheel.index, C.point(point), C.vector(axis), B.point(point),
        C.vector(ref), B.vector(ref),
    )  # fmt: skip


def joint_coordinate(mate: Mate, a: MateSide, b: MateSide) -> Coordinate | None:
    """The coordinate of a mate that leaves one turn or one slide, zero as designed."""
    if a.feature.direction is None:
        return None
    kind = "distance" if mate.counted == SLIDE else "angle"
    ref = a.X.vector(a.x)
    start = b.X.inverse().point(a.world_point())
    return Coordinate(kind, a.index, b.index, a.point, a.direction, start, a.x, b.X.R.T @ ref)


def joints_primitive(
    coupling: Coupling, driver: tuple[Mate, MateSide, MateSide], driven: tuple[Mate, MateSide, MateSide]
) -> Primitive:
    """q_b = ratio q_a + offset, each q zero as designed; ValueError where a mate leaves no one freedom."""
    assert coupling.ratio is not None
    first, second = joint_coordinate(*driver), joint_coordinate(*driven)
    if first is None or second is None:
        raise ValueError("a joint that it couples has no axis")
    return Coupler(first.b, second.b, ((1.0, second), (-coupling.ratio, first)), coupling.offset)
