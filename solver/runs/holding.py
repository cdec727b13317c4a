"""Rows that a change of a running mechanism brings: points on points and lines, and holds of where things are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver import rotation
from solver.constraints import GROUND, AxesAngle, Coordinate, Coupler, PointOnPlane, Primitive, evaluate
from solver.state import State

Array = NDArray[np.float64]


def point_on_point(a: int, b: int, point_a: ArrayLike, point_b: ArrayLike) -> tuple[Primitive, ...]:
    """A point of b on a point of a, each in its body's frame: three rows."""
    p, q = np.asarray(point_a, float), np.asarray(point_b, float)
    return tuple(PointOnPlane(a, b, p, axis, q) for axis in np.eye(3))


def point_on_line(a: int, b: int, point_a: ArrayLike, axis_a: ArrayLike, point_b: ArrayLike) -> tuple[Primitive, ...]:
    """A point of b on the line through a point of a along its axis: two rows."""
    axis = np.asarray(axis_a, float)
    across = rotation.perpendicular(axis)
    p, q = np.asarray(point_a, float), np.asarray(point_b, float)
    return tuple(PointOnPlane(a, b, p, normal, q) for normal in (across, np.cross(axis, across)))


def hold(coordinate: Coordinate) -> Callable[[State], tuple[Primitive, ...]]:
    """One row that keeps a coordinate at the value of a state."""

    def make(state: State) -> tuple[Primitive, ...]:
        free = Coupler(coordinate.a, coordinate.b, ((1.0, coordinate),))
        value = float(evaluate((free,), state.positions, state.quaternions).g[0])
        return (Coupler(coordinate.a, coordinate.b, ((1.0, coordinate),), value),)

    return make


def weld(a: int, b: int) -> Callable[[State], tuple[Primitive, ...]]:
    """Six rows that keep b where it is on a in a state."""

    def make(state: State) -> tuple[Primitive, ...]:
        (xa, Ra), (xb, Rb) = (_pose(state, i) for i in (a, b))
        rows: list[Primitive] = list(point_on_point(a, b, Ra.T @ (xb - xa), np.zeros(3)))
        for i in range(3):
            # Each axis of b stays across the next one that it had in a.
            rows.append(AxesAngle(a, b, Ra.T @ Rb[:, (i + 1) % 3], np.eye(3)[i]))
        return tuple(rows)

    return make


def _pose(state: State, body: int) -> tuple[Array, Array]:
    if body == GROUND:
        return np.zeros(3), np.eye(3)
    return state.positions[body], rotation.matrix(state.quaternions[body])
