"""The program: primitives compiled to a table of terms that the kernels run through (see `solver.constraints.terms`).

The angles of gears are exact functions of the poses, so that Ĝ and c of the gears are exact as well where the
carrier's joints do not hold, and where these do, Ĝ is the one of Vlasenko & Kasper, eq. (28): the
tangential force in the point of contact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.constraints.gears import gear_row, rack_row, wheel_row
from solver.constraints.primitives import (
    GROUND,
    AxesAngle,
    ConstantVelocity,
    Coordinate,
    Coupler,
    Distance,
    FunctionCoupler,
    GearPair,
    LineDistance,
    PointLineDistance,
    PointOnPlane,
    Primitive,
    RackPinion,
    WheelPair,
)
from solver.constraints.terms import (
    DISTANCE,
    DOT,
    LINE,
    PLANE,
    ROLL,
    TURN,
    Poses,
    Row,
    Term,
    Terms,
    coordinate_term,
    crossed,
    unit,
)

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


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

    @property
    def first_terms(self) -> Ints:
        """The first term of each row (m,); of a row without terms any, if there are some at all."""
        return np.minimum(self.terms.row_term[:-1], max(len(self.terms.kind) - 1, 0))


def _point_on_plane(p: PointOnPlane, poses: Poses) -> Row:
    normal = unit(p.normal_a, "the normal of a plane")
    return Row((Term(PLANE, p.a, p.b, point_a=p.point_a, first_a=normal, point_b=p.point_b),), p.offset)


def _axes_angle(p: AxesAngle, poses: Poses) -> Row:
    first, other = unit(p.axis_a, "axis_a"), unit(p.axis_b, "axis_b")
    return Row((Term(DOT, p.a, p.b, first_a=first, direction_b=other),), p.cosine)


def _distance(p: Distance, poses: Poses) -> Row:
    return Row((Term(DISTANCE, p.a, p.b, point_a=p.point_a, point_b=p.point_b),), p.length)


def _point_line(p: PointLineDistance, poses: Poses) -> Row:
    axis = unit(p.axis_a, "the direction of a line")
    return Row((Term(LINE, p.a, p.b, point_a=p.point_a, first_a=axis, point_b=p.point_b),), p.distance)


def _line_distance(p: LineDistance, poses: Poses) -> Row:
    return Row((crossed(p.a, p.point_a, p.axis_a, p.b, p.point_b, p.axis_b, 1.0),), p.distance)


def _coupler(p: Coupler, poses: Poses) -> Row:
    return Row(tuple(coordinate_term(c, k) for k, c in p.terms), p.constant)


def _function_coupler(p: FunctionCoupler, poses: Poses) -> Row:
    driver = coordinate_term(p.driver, -1.0)._replace(curve=p.curve)
    return Row((coordinate_term(p.driven), driver), p.constant)


def _constant_velocity(p: ConstantVelocity, poses: Poses) -> Row:
    first_a, second_a = unit(p.first_a, "first_a"), unit(p.second_a, "second_a")
    first_b, second_b = unit(p.first_b, "first_b"), unit(p.second_b, "second_b")
    # Halved, it is the sine of the twist of two shafts in line.
    straight = Term(DOT, p.a, p.b, 0.5, first_a=first_a, direction_b=second_b)
    return Row((straight, Term(DOT, p.a, p.b, -0.5, first_a=second_a, direction_b=first_b)))


_COMPILERS: dict[type[Primitive], Callable[..., Row]] = {
    PointOnPlane: _point_on_plane, AxesAngle: _axes_angle, Distance: _distance, PointLineDistance: _point_line,
    LineDistance: _line_distance, Coupler: _coupler, FunctionCoupler: _function_coupler,
    ConstantVelocity: _constant_velocity, WheelPair: wheel_row, GearPair: gear_row, RackPinion: rack_row,
}  # fmt: skip


def compile_program(
    primitives: Sequence[Primitive], positions: Array, quaternions: Array, coordinates: Sequence[Coordinate] = (),
    drivers: Sequence[Coordinate] = (),
) -> Program:  # fmt: skip
    """Primitives, then a row for each driver, then coordinates, as tables.

    `positions` (n, 3) and `quaternions` (n, 4) are the reference poses, where the gears have their phase.
    Raises ValueError where a primitive has no meaning (an axis without direction, a point
    nowhere, a gear without radius).
    """
    poses = Poses(np.asarray(positions, float), np.asarray(quaternions, float))
    rows = [_COMPILERS[type(p)](p, poses) for p in primitives]
    first = np.arange(len(rows) + 1)
    # Drivers come after the primitives, and coordinates after all rows: so each kind keeps its numbers whatever the
    # others are, which the tables of loads count on.
    rows += [Row((coordinate_term(c),)) for c in drivers]
    terms = [t for row in rows for t in row.terms] + [coordinate_term(c) for c in coordinates]
    row_term = np.cumsum([0] + [len(row.terms) for row in rows])
    kinds = np.array([t.kind for t in terms], dtype=np.int64)
    is_angle = (kinds == TURN) | (kinds == ROLL)
    before = np.concatenate([[0], np.cumsum(is_angle)]).astype(np.int64)
    n = len(poses.positions)
    table = _table(rows, terms, row_term, kinds, np.where(is_angle, before[:-1], -1), n)
    _check_points(primitives, table)
    return Program(
        terms=table,
        bodies=n,
        rows=len(rows),
        primitive_row=first.astype(np.int64),
        primitive_angle=before[row_term[: len(first)]],
        coordinate_term=np.arange(row_term[-1], len(terms), dtype=np.int64),
        angle_count=int(before[-1]),
    )


def _check_points(primitives: Sequence[Primitive], T: Terms) -> None:
    """Raise ValueError for the first primitive, driver or coordinate with a point that is nowhere."""
    nowhere = np.flatnonzero(~(np.isfinite(T.point_a) & np.isfinite(T.point_b)).all(axis=1))
    if len(nowhere):
        i = int(np.searchsorted(T.row_term, nowhere[0], side="right")) - 1
        whose = f"primitive {i} ({type(primitives[i]).__name__})" if i < len(primitives) else "a coordinate"
        raise ValueError(f"{whose}: its points are not finite numbers")


def _table(rows: list[Row], terms: list[Term], row_term: Ints, kinds: Ints, angle: Ints, n: int) -> Terms:
    _, a, b, coefficient, *vectors, curve = zip(*terms, strict=True) if terms else [()] * len(Term._fields)
    body_a, body_b = np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)
    point_a, first_a, second_a, point_b, direction_b = (_vectors(given) for given in vectors)
    curves = [c for c in curve if c is not None]
    curved = np.array([c is not None for c in curve], dtype=bool)
    return Terms(
        kind=kinds,
        # The ground stands behind the bodies, with a pose and zero velocity: kernels then treat it as any body, without
        # a branch.
        body_a=np.where(body_a == GROUND, n, body_a),
        body_b=np.where(body_b == GROUND, n, body_b),
        point_a=point_a,
        first_a=first_a,
        second_a=second_a,
        point_b=point_b,
        direction_b=direction_b,
        angle=angle.astype(np.int64),
        coefficient=np.array(coefficient, dtype=float),
        row_term=row_term.astype(np.int64),
        constant=np.array([row.constant for row in rows], dtype=float),
        **_blocks(row_term, body_a, body_b),
        curve=np.where(curved, np.cumsum(curved) - 1, -1).astype(np.int64),
        curve_start=np.cumsum([0] + [len(c.breaks) for c in curves]).astype(np.int64),
        curve_break=np.concatenate([np.zeros(0), *(c.breaks for c in curves)]),
        curve_coefficient=np.concatenate([np.zeros((0, 4)), *(c.coefficients for c in curves)]),
        curve_period=np.array([c.period for c in curves], dtype=float),
        curve_rise=np.array([c.rise for c in curves], dtype=float),
    )


def _vectors(given: tuple[Array | None, ...]) -> Array:
    """Vectors (T, 3), zero where none is given."""
    table = np.zeros((len(given), 3))
    there = [v for v in given if v is not None]
    if there:
        table[[v is not None for v in given]] = np.concatenate(there).reshape(len(there), 3)
    return table


def _blocks(row_term: Ints, body_a: Ints, body_b: Ints) -> dict[str, Ints]:
    """One block for each body that a row names, in the order of first mention, and to which each term adds."""
    # Terms that name one body share a block: a body that both turns of a gear name would else go through the factor
    # twice.
    rows, count = len(row_term) - 1, int(row_term[-1])
    row = np.repeat(np.arange(rows), 2 * np.diff(row_term))
    body = np.stack([body_a[:count], body_b[:count]], axis=1).ravel()
    moves = np.flatnonzero(body != GROUND)
    row, body = row[moves], body[moves]
    _, first, which = np.unique(row * (body.max(initial=0) + 1) + body, return_index=True, return_inverse=True)
    # Rows ascend, so that the order of mention is that of rows as well.
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    slots = np.full(2 * len(body_a), -1, dtype=np.int64)
    slots[moves] = place[which]
    first = np.sort(first)
    return {
        # Kernels take arrays whose numbers lie one after the other, which every second entry does not.
        "slot_a": slots[::2].copy(),
        "slot_b": slots[1::2].copy(),
        "row_block": np.searchsorted(row[first], np.arange(rows + 1)).astype(np.int64),
        "block_body": body[first],
    }
