"""The terms of which all rows are made, and what compiles a coordinate to one.

Every row of every primitive is Σ coefficient · term − constant, or with a curve f, coefficient · f(term). There are
eight kinds of term; A and B are bodies, d = p_B − p_A, and e, t, w are directions fixed in A, A and B:

| kind | value | used by |
|---|---|---|
| PLANE | e·d | point on plane, travel along an axis, rack |
| DOT | e·w | angle between directions, constant velocity |
| DISTANCE | ‖d‖ | distance of points, springs between them |
| LINE | ‖d − e (e·d)‖ | distance of a point from a line |
| CROSSED | (e × w)/‖e × w‖ · d | distance of crossed lines, bevel gear |
| TURN | atan2(t·w, e·w) | angle coordinate, bevel gear, pinion on its rack |
| ROLL | atan2(t·d, e·d) | wheel against the line of centres |
| SPIN | 0, with the rate e·(ω_B − ω_A) | rotor inertia of ball joints |
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.algebra.division import LEAST_DIVISOR
from solver.compilation.compiled import Array1, Array2, Ints1, table
from solver.constraints.curves import Curve
from solver.constraints.primitives import GROUND, Coordinate

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PLANE, DOT, DISTANCE, LINE, CROSSED, TURN, ROLL, SPIN = range(8)


@table
class Terms(NamedTuple):
    """The table of terms (T) and rows (m) with its blocks (one a row and body), for Numba.

    `body_a`, `body_b` use n for the ground. `angle` is the term's place among the integrated angles or −1.
    Row i has the terms `row_term[i]:row_term[i+1]` and the blocks `row_block[i]:row_block[i+1]`;
    `slot_a`, `slot_b` are the blocks that a term adds to (−1: ground, or no row). `curve` is the term's place among
    the curves or −1; curve i has the breaks and coefficients `curve_start[i]:curve_start[i+1]`.
    """

    kind: Ints1
    body_a: Ints1
    body_b: Ints1
    point_a: Array2
    first_a: Array2
    second_a: Array2
    point_b: Array2
    direction_b: Array2
    angle: Ints1
    coefficient: Array1
    row_term: Ints1
    constant: Array1
    slot_a: Ints1
    slot_b: Ints1
    row_block: Ints1
    block_body: Ints1
    curve: Ints1
    curve_start: Ints1
    curve_break: Array1
    curve_coefficient: Array2
    curve_period: Array1
    curve_rise: Array1


class Term(NamedTuple):
    """One term before it is put in the table; vectors in the frames of A and B."""

    kind: int
    a: int
    b: int
    coefficient: float = 1.0
    point_a: Array | None = None
    first_a: Array | None = None
    second_a: Array | None = None
    point_b: Array | None = None
    direction_b: Array | None = None
    curve: Curve | None = None


class Row(NamedTuple):
    """One scalar equation: its terms and its constant."""

    terms: tuple[Term, ...]
    constant: float = 0.0


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


def unit(vector: Array, what: str) -> Array:
    """The vector (3,), or itself if its length is 1; ValueError, naming `what`, where it has no direction."""
    v = np.asarray(vector, dtype=float)
    length = math.hypot(*v.tolist())
    # What is shorter has lost digits to the end of the range of numbers.
    if not LEAST_DIVISOR <= length < math.inf:
        raise ValueError(f"{what} has no direction: {v.tolist()}")
    return v if length == 1.0 else v / length


def coordinate_term(c: Coordinate, coefficient: float = 1.0) -> Term:
    """A coordinate as a term."""
    if c.kind == "length":
        return Term(DISTANCE, c.a, c.b, coefficient, point_a=c.point_a, point_b=c.point_b)
    axis = unit(c.axis_a, "the axis of a coordinate")
    if c.kind == "distance":
        return Term(PLANE, c.a, c.b, coefficient, point_a=c.point_a, first_a=axis, point_b=c.point_b)
    if c.kind == "spin":
        return Term(SPIN, c.a, c.b, coefficient, first_a=axis)
    if c.kind != "angle":
        raise ValueError(f'a coordinate is an "angle", a "distance", a "length" or a "spin", not "{c.kind}"')
    # Of a reference that leans only the part across the axis turns. ref_b needs none of this: atan2(t·w, e·w) sees it
    # along e and t alone.
    ref = np.asarray(c.ref_a, float)
    ref = unit(ref - axis * (axis @ ref), "ref_a, perpendicular to the coordinate's axis,")
    return Term(
        TURN, c.a, c.b, coefficient, first_a=ref, second_a=rotation.cross(axis, ref), direction_b=unit(c.ref_b, "ref_b")
    )


def crossed(a: int, point_a: Array, axis_a: Array, b: int, point_b: Array, axis_b: Array, coefficient: float) -> Term:
    """The distance (m, with a sign) of two crossed lines, each a point (3,) and a direction (3,) in its body's frame.

    ValueError where a direction has no length.
    """
    first, other = unit(axis_a, "axis_a"), unit(axis_b, "axis_b")
    return Term(CROSSED, a, b, coefficient, point_a=point_a, first_a=first, point_b=point_b, direction_b=other)
