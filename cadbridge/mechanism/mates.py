"""The table from mates to primitives: each kind of mate with each pair of features, in the fewest rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.assembly import FeatureKind, Mate, MateKind
from cadbridge.frames import cross_length, unit
from cadbridge.mechanism.sides import MateSide, on_line, on_plane, parallel, same_orientation, same_point, sense
from solver.constraints import (
    AxesAngle,
    ConstantVelocity,
    Coordinate,
    Coupler,
    Distance,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
)
from solver.rotation import skew

Rows = list[Primitive]
Maker = Callable[[Mate, MateSide, MateSide], Rows]

NO_DISTANCE = 1e-12
"""m: a distance below this is none, and a mate of distance becomes one of coincidence: a row of a distance has no
direction where it is nothing. A nanometre of a file would still be one."""


@dataclass(frozen=True)
class MeaninglessError(Exception):
    """A mate kind that has no meaning between two features; `choices` are the pairs that have one."""

    message: str
    choices: str


def _plane_plane(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return [*parallel(a, b), *on_plane(a, b, m.value)]


def _axis_axis(m: Mate, a: MateSide, b: MateSide) -> Rows:
    if abs(m.value) > NO_DISTANCE:
        return [*parallel(a, b), PointLineDistance(a.index, b.index, a.point, a.direction, b.point, abs(m.value))]
    return [*parallel(a, b), *on_line(a, b)]


def _plane_axis(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """b's axis in a's plane, at the offset: 2 rows."""
    return [AxesAngle(a.index, b.index, a.direction, b.direction), *on_plane(a, b, m.value)]


def _plane_point(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return on_plane(a, b, m.value)


def _axis_point(m: Mate, a: MateSide, b: MateSide) -> Rows:
    if abs(m.value) > NO_DISTANCE:
        return [PointLineDistance(a.index, b.index, a.point, a.direction, b.point, abs(m.value))]
    return on_line(a, b)


def _point_point(m: Mate, a: MateSide, b: MateSide) -> Rows:
    if abs(m.value) > NO_DISTANCE:
        return [Distance(a.index, b.index, a.point, b.point, abs(m.value))]
    return same_point(a, b)


def _insert(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return [*_concentric(m, a, b), *on_plane(a, b, m.value)]


def _concentric(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return [*parallel(a, b), *on_line(a, b), *(_no_turn(a, b) if m.lock_rotation else [])]


def _no_turn(a: MateSide, b: MateSide) -> Rows:
    """No turn about a's direction, as designed: 1 row."""
    y_in_b = b.X.R.T @ a.X.vector(a.y)
    return [AxesAngle(a.index, b.index, a.x, y_in_b)]


def _fixed(m: Mate, a: MateSide, b: MateSide) -> Rows:
    if a.feature.x is not None and b.feature.x is not None:
        return [*same_point(a, b), *same_orientation(a, b)]
    # Features without a frame each do not say how they are to meet: what they fix stays as it is drawn.
    here = b.X.inverse().point(a.world_point())
    held = [PointOnPlane(a.index, b.index, a.point, e, here) for e in np.eye(3)]
    return [*held, *same_orientation(a, b)]


def _parallel(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return parallel(a, b)


def _perpendicular(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return [AxesAngle(a.index, b.index, a.direction, b.direction)]


def _angle(m: Mate, a: MateSide, b: MateSide) -> Rows:
    cosine = math.cos(m.value)
    # At 0° and 180° the cosine is at an extreme: its row would have no gradient and hold nothing. Parallel axes need
    # two rows.
    if abs(math.sin(m.value)) < 1e-9:
        return parallel(a, b)
    return [AxesAngle(a.index, b.index, a.direction, b.direction, cosine)]


def _distance(maker: Maker) -> Maker:
    """A distance has no sign: it is taken on the side on which the parts are."""

    def make(m: Mate, a: MateSide, b: MateSide) -> Rows:
        if a.feature.direction is None:
            return maker(m, a, b)
        height = float(a.world_direction() @ (b.world_point() - a.world_point()))
        return maker(replace(m, value=math.copysign(m.value, height)), a, b)

    return make


def _radius(side: MateSide) -> float:
    return side.feature.radius or 0.0


def _tangent_plane(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """A cylinder (2 rows) or a sphere (1 row) on a's plane, on the side where it is."""
    height = float(a.world_direction() @ (b.world_point() - a.world_point()))
    offset = math.copysign(_radius(b) + m.value, height)
    if b.feature.kind is FeatureKind.AXIS:
        return [AxesAngle(a.index, b.index, a.direction, b.direction), *on_plane(a, b, offset)]
    return on_plane(a, b, offset)


def _tangent_round(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """Two cylinders, a cylinder and a sphere, or two spheres: 1 row, with parallel axes kept as designed."""
    reach = abs(_radius(a) - _radius(b)) if m.inside else _radius(a) + _radius(b)
    reach += m.value
    if reach <= NO_DISTANCE:
        raise MeaninglessError("the two radii leave no distance to be tangent at", "radii that differ")
    if a.feature.kind is FeatureKind.AXIS and b.feature.kind is FeatureKind.AXIS:
        # Of parallel axes the common perpendicular is no one line, and the row of crossed ones has no gradient there.
        if cross_length(a.world_direction(), b.world_direction()) < 1e-6:
            return [*parallel(a, b), PointLineDistance(a.index, b.index, a.point, a.direction, b.point, reach)]
        n = unit(np.cross(a.world_direction(), b.world_direction()))
        height = float(n @ (b.world_point() - a.world_point()))
        signed = math.copysign(reach, height)
        return [LineDistance(a.index, b.index, a.point, a.direction, b.point, b.direction, signed)]
    if a.feature.kind is FeatureKind.AXIS:
        return [PointLineDistance(a.index, b.index, a.point, a.direction, b.point, reach)]
    return [Distance(a.index, b.index, a.point, b.point, reach)]


def _prismatic(m: Mate, a: MateSide, b: MateSide) -> Rows:
    if a.feature.x is None or b.feature.x is None:
        # A mate that locks the rotation has that row from `_concentric` already; twice, it would repeat itself.
        return [*_concentric(m, a, b), *([] if m.lock_rotation else _no_turn(a, b))]
    return [*same_orientation(a, b), *on_line(a, b)]


def _planar(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return [*parallel(a, b), *on_plane(a, b, m.value)]


def _universal(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """a's direction and b's direction are the two arms of the cross: 4 rows."""
    return [*same_point(a, b), AxesAngle(a.index, b.index, a.direction, b.direction)]


def _constant_velocity(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """Shafts that meet and turn alike at any angle between them: 4 rows; no twist as designed."""
    u, w = a.world_direction(), b.world_direction() * sense(a, b)
    axis, cosine = np.cross(u, w), float(u @ w)
    # The shortest turn from u to w (Rodrigues), for two directions less than a right angle apart.
    K = skew(axis)
    swing = np.eye(3) + K + K @ K / (1 + cosine)
    in_b = b.X.R.T @ swing @ a.X.R
    return [*same_point(a, b), ConstantVelocity(a.index, b.index, a.x, a.y, in_b @ a.x, in_b @ a.y)]


def _screw(m: Mate, a: MateSide, b: MateSide) -> Rows:
    """Advance of `value` m a radian, zero as designed: 5 rows."""
    x_in_b = b.X.R.T @ a.X.vector(a.x)
    # The screw is at its zero as designed, wherever along it the nut then is.
    advance = float(a.world_direction() @ (b.world_point() - a.world_point()))
    travel = Coordinate("distance", a.index, b.index, a.point, a.direction, b.point)
    turn = Coordinate("angle", a.index, b.index, a.point, a.direction, b.point, a.x, x_in_b)
    coupler = Coupler(a.index, b.index, ((1.0, travel), (-m.value, turn)), advance)
    return [*parallel(a, b), *on_line(a, b), coupler]


def _spherical(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return same_point(a, b)


def _free(m: Mate, a: MateSide, b: MateSide) -> Rows:
    return []


PLANE, AXIS, POINT, SPHERE = FeatureKind.PLANE, FeatureKind.AXIS, FeatureKind.POINT, FeatureKind.SPHERE

_COINCIDENT: dict[tuple[FeatureKind, FeatureKind], Maker] = {
    (PLANE, PLANE): _plane_plane,
    (PLANE, AXIS): _plane_axis,
    (PLANE, POINT): _plane_point,
    (AXIS, AXIS): _axis_axis,
    (AXIS, POINT): _axis_point,
    (POINT, POINT): _point_point,
}
_DIRECTED = ((PLANE, PLANE), (PLANE, AXIS), (AXIS, AXIS))
_ANYTHING = tuple((k, n) for i, k in enumerate(FeatureKind) for n in list(FeatureKind)[i:])

TABLE: dict[MateKind, dict[tuple[FeatureKind, FeatureKind], Maker]] = {
    MateKind.COINCIDENT: _COINCIDENT,
    MateKind.FLUSH: {(PLANE, PLANE): _plane_plane},
    MateKind.INSERT: {(AXIS, AXIS): _insert},
    MateKind.CONCENTRIC: {(AXIS, AXIS): _concentric},
    MateKind.PARALLEL: dict.fromkeys(_DIRECTED, _parallel),
    MateKind.PERPENDICULAR: dict.fromkeys(_DIRECTED, _perpendicular),
    MateKind.ANGLE: dict.fromkeys(_DIRECTED, _angle),
    MateKind.TANGENT: {
        (PLANE, AXIS): _tangent_plane,
        (PLANE, SPHERE): _tangent_plane,
        (AXIS, AXIS): _tangent_round,
        (AXIS, SPHERE): _tangent_round,
        (SPHERE, SPHERE): _tangent_round,
    },
    MateKind.DISTANCE: {pair: _distance(maker) for pair, maker in _COINCIDENT.items()},
    MateKind.FIXED: dict.fromkeys(_ANYTHING, _fixed),
    MateKind.REVOLUTE: {(AXIS, AXIS): _insert},
    MateKind.PRISMATIC: {(AXIS, AXIS): _prismatic},
    MateKind.CYLINDRICAL: {(AXIS, AXIS): _concentric},
    MateKind.SPHERICAL: {(POINT, POINT): _spherical},
    MateKind.PLANAR: {(PLANE, PLANE): _planar},
    MateKind.UNIVERSAL: {(AXIS, AXIS): _universal},
    MateKind.CONSTANT_VELOCITY: {(AXIS, AXIS): _constant_velocity},
    MateKind.SCREW: {(AXIS, AXIS): _screw},
    MateKind.FREE: dict.fromkeys(_ANYTHING, _free),
}
"""What each kind holds between two features; a pair in the other order is turned round."""

_STANDS_FOR: dict[FeatureKind, tuple[FeatureKind, ...]] = {
    FeatureKind.PLANE: (PLANE,),
    FeatureKind.AXIS: (AXIS,),
    FeatureKind.POINT: (POINT,),
    FeatureKind.SPHERE: (SPHERE, POINT),
    FeatureKind.FRAME: (AXIS, PLANE, POINT, FeatureKind.FRAME),
}


def primitives_of(mate: Mate, a: MateSide, b: MateSide) -> tuple[Primitive, ...]:
    """The rows of a mate between two sides; raises `MeaninglessError` where the pair has none."""
    pairs = TABLE[mate.kind]
    # The first pair with a meaning counts: a frame is its axis before it is its plane or its point, as joints of CAD
    # systems have it.
    for kind_a in _STANDS_FOR[a.feature.kind]:
        for kind_b in _STANDS_FOR[b.feature.kind]:
            if (kind_a, kind_b) in pairs:
                return tuple(pairs[kind_a, kind_b](mate, a, b))
            if (kind_b, kind_a) in pairs:
                return tuple(pairs[kind_b, kind_a](mate, b, a))
    choices = ", ".join(sorted({f"{k.value} with {n.value}" for k, n in pairs}))
    raise MeaninglessError(
        f"{mate.kind.value} has no meaning between {a.feature.kind.value} and {b.feature.kind.value}", choices
    )


def opposed(mate: Mate, a: MateSide, b: MateSide) -> bool:
    """Whether the mate asks for the sense of the directions that the designed pose does not have."""
    wanted = True if mate.kind is MateKind.FLUSH else mate.aligned
    if wanted is None or a.feature.direction is None or b.feature.direction is None:
        return False
    return (sense(a, b) > 0) is not wanted
