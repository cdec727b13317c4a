"""The program: primitives compiled to a table of terms that the kernels run through.

Every row of every primitive is Σ coefficient · term − constant. There are seven kinds of term; A and B are
bodies, d = p_B − p_A, and e, t, w are directions fixed in A, A and B:

| kind | value | used by |
|---|---|---|
| PLANE | e·d | point on plane, travel along an axis, rack |
| DOT | e·w | angle between directions |
| DISTANCE | ‖d‖ | distance of points, springs between them |
| LINE | ‖d − e (e·d)‖ | distance of a point from a line |
| CROSSED | (e × w)/‖e × w‖ · d | distance of crossed lines, bevel gear |
| TURN | atan2(t·w, e·w) | angle coordinate, bevel gear, pinion on its rack |
| ROLL | atan2(t·d, e·d) | wheel against the line of centres |

The two angles are exact functions of the poses, so that Ĝ and c of the gears are exact as well where the
carrier's joints do not hold, and where these do, Ĝ is the one of Vlasenko & Kasper, eq. (28): the
tangential force in the point of contact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.constraints.primitives import (
    GROUND,
    AxesAngle,
    Coordinate,
    Coupler,
    Distance,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PLANE, DOT, DISTANCE, LINE, CROSSED, TURN, ROLL = range(7)
_ZERO = np.zeros(3)
_APEX_TOLERANCE = 1e-9


class Terms(NamedTuple):
    """The table of terms (T) and rows (m) with its blocks (one a row and body), for Numba.

    `body_a`, `body_b` use n for the ground. `angle` is the term's place among the integrated angles or −1.
    Row i has the terms `row_term[i]:row_term[i+1]` and the blocks `row_block[i]:row_block[i+1]`;
    `slot_a`, `slot_b` are the blocks that a term adds to (−1: ground, or no row).
    """

    kind: Ints
    body_a: Ints
    body_b: Ints
    point_a: Array
    first_a: Array
    second_a: Array
    point_b: Array
    direction_b: Array
    angle: Ints
    coefficient: Array
    row_term: Ints
    constant: Array
    slot_a: Ints
    slot_b: Ints
    row_block: Ints
    block_body: Ints


@dataclass(frozen=True)
class Term:
    """One term before it is put in the table; vectors in the frames of A and B."""

    kind: int
    a: int
    b: int
    coefficient: float = 1.0
    point_a: Array = None  # type: ignore[assignment]
    first_a: Array = None  # type: ignore[assignment]
    second_a: Array = None  # type: ignore[assignment]
    point_b: Array = None  # type: ignore[assignment]
    direction_b: Array = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Row:
    """One scalar equation: its terms and its constant."""

    terms: tuple[Term, ...]
    constant: float = 0.0


@dataclass(frozen=True, eq=False)
class Program:
    """Compiled primitives and coordinates of `bodies` bodies.

    `primitive_row[i]` is the first row of primitive i (one more at the end); `coordinate_term[k]` the term of
    coordinate k; `angle_count` the number of integrated angles; `primitive_angle[i]` the first
    angle of primitive i (one more at the end).
    """

    terms: Terms
    bodies: int
    rows: int
    primitive_row: Ints
    primitive_angle: Ints
    coordinate_term: Ints
    angle_count: int


class Poses:
    """The reference poses (positions and rotation matrices), with the ground among them."""

    def __init__(self, positions: Array, quaternions: Array) -> None:
        self.positions = positions
        self.rotations = rotation.matrix(quaternions) if len(quaternions) else np.zeros((0, 3, 3))

    def point(self, body: int, point: Array) -> Array:
        """A body's point (3,) in the world."""
        return np.asarray(point, float) if body == GROUND else self.positions[body] + self.turn(body, point)

    def turn(self, body: int, direction: Array) -> Array:
        """A body's direction (3,) in world axes."""
        d = np.asarray(direction, float)
        return d if body == GROUND else np.asarray(self.rotations[body] @ d)

    def back(self, body: int, direction: Array) -> Array:
        """A world direction (3,) in a body's axes."""
        d = np.asarray(direction, float)
        return d if body == GROUND else np.asarray(self.rotations[body].T @ d)

    def local(self, body: int, point: Array) -> Array:
        """A world point (3,) in a body's frame."""
        return np.asarray(point, float) if body == GROUND else self.back(body, point - self.positions[body])


def _unit(vector: Array, what: str) -> Array:
    v = np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(v))
    if not np.isfinite(length) or length < 1e-300:
        raise ValueError(f"{what} has no direction: {v.tolist()}")
    return v / length


def coordinate_term(c: Coordinate, coefficient: float = 1.0) -> Term:
    """A coordinate as a term."""
    if c.kind == "length":
        return Term(DISTANCE, c.a, c.b, coefficient, point_a=c.point_a, point_b=c.point_b)
    axis = _unit(c.axis_a, "the axis of a coordinate")
    if c.kind == "distance":
        return Term(PLANE, c.a, c.b, coefficient, point_a=c.point_a, first_a=axis, point_b=c.point_b)
    if c.kind != "angle":
        raise ValueError(f'a coordinate is an "angle", a "distance" or a "length", not "{c.kind}"')
    ref = np.asarray(c.ref_a, float)
    ref = _unit(ref - axis * (axis @ ref), "ref_a, perpendicular to the coordinate's axis,")
    return Term(
        TURN,
        c.a,
        c.b,
        coefficient,
        first_a=ref,
        second_a=np.cross(axis, ref),
        direction_b=_unit(c.ref_b, "ref_b"),
    )


def _point_on_plane(p: PointOnPlane, poses: Poses) -> Row:
    normal = _unit(p.normal_a, "the normal of a plane")
    return Row((Term(PLANE, p.a, p.b, point_a=p.point_a, first_a=normal, point_b=p.point_b),), p.offset)


def _axes_angle(p: AxesAngle, poses: Poses) -> Row:
    first, other = _unit(p.axis_a, "axis_a"), _unit(p.axis_b, "axis_b")
    return Row((Term(DOT, p.a, p.b, first_a=first, direction_b=other),), p.cosine)


def _distance(p: Distance, poses: Poses) -> Row:
    return Row((Term(DISTANCE, p.a, p.b, point_a=p.point_a, point_b=p.point_b),), p.length)


def _point_line(p: PointLineDistance, poses: Poses) -> Row:
    axis = _unit(p.axis_a, "the direction of a line")
    return Row((Term(LINE, p.a, p.b, point_a=p.point_a, first_a=axis, point_b=p.point_b),), p.distance)


def _line_distance(p: LineDistance, poses: Poses) -> Row:
    return Row((_crossed(p.a, p.point_a, p.axis_a, p.b, p.point_b, p.axis_b, 1.0),), p.distance)


def _crossed(a: int, point_a: Array, axis_a: Array, b: int, point_b: Array, axis_b: Array, coefficient: float) -> Term:
    first, other = _unit(axis_a, "axis_a"), _unit(axis_b, "axis_b")
    return Term(CROSSED, a, b, coefficient, point_a=point_a, first_a=first, point_b=point_b, direction_b=other)


def _coupler(p: Coupler, poses: Poses) -> Row:
    return Row(tuple(coordinate_term(c, k) for k, c in p.terms), p.constant)


def gear_radii(gear: GearPair, positions: Array, quaternions: Array) -> tuple[float, float]:
    """Pitch radii (m) of the wheels a and b at the reference pose."""
    return _radii(gear, Poses(np.asarray(positions, float), np.asarray(quaternions, float)))


def _radii(p: GearPair, poses: Poses) -> tuple[float, float]:
    if p.kind == "bevel":
        radius = _bevel(p, poses)[1]
        return radius, p.ratio * radius
    axis = _unit(poses.turn(p.a, p.axis_a), "axis_a")
    centres = poses.point(p.b, p.point_b) - poses.point(p.a, p.point_a)
    centres = centres - axis * (axis @ centres)
    divisor = 1 + p.ratio if p.kind == "spur" else abs(1 - p.ratio)
    radius = float(np.linalg.norm(centres)) / divisor
    return radius, p.ratio * radius


def _spur_or_internal(p: GearPair, poses: Poses) -> Row:
    axis_a, axis_b = poses.turn(p.a, p.axis_a), poses.turn(p.b, p.axis_b)
    axis_a, axis_b = _unit(axis_a, "axis_a"), _unit(axis_b, "axis_b")
    radius_a, radius_b = _radii(p, poses)
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
    mark = _unit(line - axis * (axis @ line), "the line of centres")
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
    axis_a = _unit(poses.turn(p.a, p.axis_a), "axis_a")
    axis_b = _unit(poses.turn(p.b, p.axis_b), "axis_b")
    point_a, point_b = poses.point(p.a, p.point_a), poses.point(p.b, p.point_b)
    normal = np.cross(axis_a, axis_b)
    if np.linalg.norm(normal) < 1e-6:
        raise ValueError("the axes of a bevel gear pair are parallel: they have no apex")
    d = point_b - point_a
    square = normal @ normal
    along_a = float(np.cross(d, axis_b) @ normal / square)
    along_b = float(np.cross(d, axis_a) @ normal / square)
    apex = (point_a + along_a * axis_a + point_b + along_b * axis_b) / 2
    # The wheel's point tells on which side of the apex the wheel sits; in the apex, its axis does.
    side_a = -1.0 if along_a > _APEX_TOLERANCE else 1.0
    side_b = -1.0 if along_b > _APEX_TOLERANCE else 1.0
    out_a, out_b = side_a * axis_a, side_b * axis_b
    cosine, sine = float(out_a @ out_b), float(np.sqrt(square))
    heights = []
    for along, radius_per_height in (
        (along_a, sine / (p.ratio + cosine)),
        (along_b, sine / (1 / p.ratio + cosine) / p.ratio),
    ):
        if abs(along) > _APEX_TOLERANCE and radius_per_height > 0:
            heights.append(abs(along) * radius_per_height)
    radius = float(np.mean(heights)) if heights else 1.0
    return apex, radius, out_a, out_b


def _bevel_row(p: GearPair, poses: Poses) -> Row:
    apex, radius_a, out_a, out_b = _bevel(p, poses)
    radius_b = p.ratio * radius_a
    # In the cones' plane, the wheels' centres belonging to one common contact point at the cones' edge.
    cosine, sine = float(out_a @ out_b), float(np.linalg.norm(np.cross(out_a, out_b)))
    centre_a = apex + out_a * radius_a * (p.ratio + cosine) / sine
    centre_b = apex + out_b * radius_b * (1 / p.ratio + cosine) / sine
    point_a, point_b = poses.local(p.a, centre_a), poses.local(p.b, centre_b)
    own_a, own_b = poses.back(p.a, out_a), poses.back(p.b, out_b)
    wheel_a = _cone(p.a, out_a, p.b, out_b, -radius_a, poses)
    wheel_b = _cone(p.b, out_b, p.a, out_a, -radius_b, poses)
    # The axes meet where the carrier holds: this term is 0 there and gives Ĝ the force at the contact.
    gap = _crossed(p.a, point_a, own_a, p.b, point_b, own_b, -1.0)
    return Row((wheel_a, wheel_b, gap))


def _cone(a: int, axis: Array, b: int, other: Array, coefficient: float, poses: Poses) -> Term:
    mark = _unit(other - axis * (axis @ other), "the other axis")
    return Term(
        TURN,
        a,
        b,
        coefficient,
        first_a=poses.back(a, mark),
        second_a=poses.back(a, np.cross(axis, mark)),
        direction_b=poses.back(b, other),
    )


def _gear(p: GearPair, poses: Poses) -> Row:
    return _bevel_row(p, poses) if p.kind == "bevel" else _spur_or_internal(p, poses)


def _rack(p: RackPinion, poses: Poses) -> Row:
    axis = _unit(poses.turn(p.a, p.axis_a), "the pinion's axis")
    bar = _unit(poses.turn(p.b, p.axis_b), "the rack's direction")
    across = poses.point(p.b, p.point_b) - poses.point(p.a, p.point_a)
    across = across - bar * (bar @ across)
    across = _unit(across - axis * (axis @ across), "the way from a pinion's axis to its rack")
    # Rolling: ṡ + r θ̇ (axis × across)·bar = 0 with the pinion's travel s along the bar; α = −θ.
    sense = float(np.sign(np.cross(axis, across) @ bar))
    if sense == 0.0:
        raise ValueError("a rack's direction must be across its pinion's axis, not along it")
    travel = Term(
        PLANE, p.b, p.a, point_a=p.point_b, first_a=_unit(p.axis_b, "the rack's direction"), point_b=p.point_a
    )
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


_COMPILERS: dict[type[Primitive], Callable[..., Row]] = {
    PointOnPlane: _point_on_plane,
    AxesAngle: _axes_angle,
    Distance: _distance,
    PointLineDistance: _point_line,
    LineDistance: _line_distance,
    Coupler: _coupler,
    GearPair: _gear,
    RackPinion: _rack,
}


def compile_program(
    primitives: Sequence[Primitive],
    positions: Array,
    quaternions: Array,
    coordinates: Sequence[Coordinate] = (),
    drivers: Sequence[Coordinate] = (),
) -> Program:
    """Primitives, then a row for each driver, then coordinates, as tables.

    `positions` (n, 3) and `quaternions` (n, 4) are the reference poses, where the gears have their phase.
    Raises ValueError where a primitive has no meaning (an axis without direction, a gear without radius).
    """
    poses = Poses(np.asarray(positions, float), np.asarray(quaternions, float))
    rows = [_COMPILERS[type(p)](p, poses) for p in primitives]
    first = np.arange(len(rows) + 1)
    rows += [Row((coordinate_term(c),)) for c in drivers]
    terms = [t for row in rows for t in row.terms] + [coordinate_term(c) for c in coordinates]
    row_term = np.cumsum([0] + [len(row.terms) for row in rows])
    is_angle = np.array([t.kind in (TURN, ROLL) for t in terms], dtype=bool)
    before = np.concatenate([[0], np.cumsum(is_angle)]).astype(np.int64)
    n = len(poses.positions)
    table = _table(rows, terms, row_term, np.where(is_angle, before[:-1], -1), n)
    return Program(
        terms=table,
        bodies=n,
        rows=len(rows),
        primitive_row=first.astype(np.int64),
        primitive_angle=before[row_term[: len(first)]],
        coordinate_term=np.arange(row_term[-1], len(terms), dtype=np.int64),
        angle_count=int(before[-1]),
    )


def _table(rows: list[Row], terms: list[Term], row_term: Ints, angle: Ints, n: int) -> Terms:
    block_body: list[int] = []
    row_block = [0]
    slots_a, slots_b = np.full(len(terms), -1), np.full(len(terms), -1)
    k = 0
    for row in rows:
        places: dict[int, int] = {}
        for term in row.terms:
            for body, slots in ((term.a, slots_a), (term.b, slots_b)):
                if body != GROUND:
                    if body not in places:
                        places[body] = len(block_body)
                        block_body.append(body)
                    slots[k] = places[body]
            k += 1
        row_block.append(len(block_body))

    def vectors(name: str) -> Array:
        chosen = [getattr(t, name) for t in terms]
        return np.array([_ZERO if v is None else np.asarray(v, float) for v in chosen]).reshape(-1, 3)

    def ints(values: Sequence[int]) -> Ints:
        return np.array(values, dtype=np.int64)

    return Terms(
        kind=ints([t.kind for t in terms]),
        body_a=ints([n if t.a == GROUND else t.a for t in terms]),
        body_b=ints([n if t.b == GROUND else t.b for t in terms]),
        point_a=vectors("point_a"),
        first_a=vectors("first_a"),
        second_a=vectors("second_a"),
        point_b=vectors("point_b"),
        direction_b=vectors("direction_b"),
        angle=angle.astype(np.int64),
        coefficient=np.array([t.coefficient for t in terms], dtype=float),
        row_term=row_term.astype(np.int64),
        constant=np.array([row.constant for row in rows], dtype=float),
        slot_a=slots_a.astype(np.int64),
        slot_b=slots_b.astype(np.int64),
        row_block=ints(row_block),
        block_body=ints(block_body),
    )
