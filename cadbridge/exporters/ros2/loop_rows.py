"""The equations that close a loop, row by row. Needs numpy alone, as `loop_closure`, which solves them.

A row takes rotations (N, 3, 3) and origins (N, 3) of its two links, of N poses at once, and gives the residual (N,)
and its gradient: a force (N, 3), a moment (3,) or (N, 3), and the point (N, 3) of link B at which the force acts. Where
this point moves by v and B turns by ω relative to A, the residual grows by force · v + moment · ω.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Array = Any
Row = Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]


class InLinks:
    """A primitive's points (m) and directions, each (3,), from the frames of its bodies in those of their links."""

    def __init__(self, primitive: Mapping[str, Any], X_a: tuple[Array, Array], X_b: tuple[Array, Array]) -> None:
        self._primitive = primitive
        self._X = {"a": X_a, "b": X_b}

    def point(self, key: str) -> Array:
        """A point (3,), m, in the frame of the link that the last letter of its key names, a or b."""
        R, p = self._X[key[-1]]
        return R @ np.array(self._primitive[key], dtype=float) + p

    def axis(self, key: str) -> Array:
        """A direction (3,) in the frame of that link."""
        R, _ = self._X[key[-1]]
        return R @ np.array(self._primitive[key], dtype=float)

    def number(self, key: str) -> float:
        """A number as the file has it: m, or a cosine."""
        return float(self._primitive[key])


def _point_on_plane(of: InLinks) -> Row:
    """n · (p_B - p_A) - offset."""
    p_a, n_a, p_b, offset = of.point("point_a"), of.axis("normal_a"), of.point("point_b"), of.number("offset")

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        n, point = R_a @ n_a, R_b @ p_b + o_b
        return dot(n, point - R_a @ p_a - o_a) - offset, n, np.zeros(3), point

    return row


def _axes_angle(of: InLinks) -> Row:
    """u_A · v_B - cosine."""
    u_a, v_b, cosine = of.axis("axis_a"), of.axis("axis_b"), of.number("cosine")

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        u, v = R_a @ u_a, R_b @ v_b
        return dot(u, v) - cosine, np.zeros(3), -cross(u, v), o_b

    return row


def _distance(of: InLinks) -> Row:
    """‖p_B - p_A‖ - length."""
    p_a, p_b, length = of.point("point_a"), of.point("point_b"), of.number("length")

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        point = R_b @ p_b + o_b
        away = point - R_a @ p_a - o_a
        norm = np.linalg.norm(away, axis=1)
        return norm - length, away / norm[:, None], np.zeros(3), point

    return row


def _point_line_distance(of: InLinks) -> Row:
    """The distance of p_B from the line of A, less what it should be."""
    p_a, u_a, p_b = of.point("point_a"), of.axis("axis_a"), of.point("point_b")
    distance = of.number("distance")

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        u, point = R_a @ u_a, R_b @ p_b + o_b
        away = point - R_a @ p_a - o_a
        away = away - u * dot(u, away)[:, None]
        norm = np.linalg.norm(away, axis=1)
        return norm - distance, away / norm[:, None], np.zeros(3), point

    return row


def _line_distance(of: InLinks) -> Row:
    """The common perpendicular of two crossed lines, with its sign."""
    p_a, u_a, p_b, w_b = of.point("point_a"), of.axis("axis_a"), of.point("point_b"), of.axis("axis_b")
    distance = of.number("distance")

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        u, w, point = R_a @ u_a, R_b @ w_b, R_b @ p_b + o_b
        n = cross(u, w)
        n = n / np.linalg.norm(n, axis=1)[:, None]
        away = point - R_a @ p_a - o_a
        along = dot(u, w)
        foot = (dot(away, w) - along * dot(away, u)) / (1.0 - along**2)
        return dot(n, away) - distance, n, -foot[:, None] * cross(w, n), point

    return row


def _constant_velocity(of: InLinks) -> Row:
    """first_A · second_B - second_A · first_B."""
    f_a, s_a, f_b, s_b = (of.axis(key) for key in ("first_a", "second_a", "first_b", "second_b"))

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        fa, sa, fb, sb = R_a @ f_a, R_a @ s_a, R_b @ f_b, R_b @ s_b
        return dot(fa, sb) - dot(sa, fb), np.zeros(3), cross(sa, fb) - cross(fa, sb), o_b

    return row


def screw(X_a: tuple[Array, Array], X_b: tuple[Array, Array], pitch: float) -> Row:
    """The travel along z less pitch (m/rad) times the turn about it, up to whole turns.

    `X_a` and `X_b` (R, p): the joint's frames in those of the two links.
    """
    lead = 2 * math.pi * abs(pitch)

    def row(R_a: Array, o_a: Array, R_b: Array, o_b: Array) -> tuple[Array, Array, Array, Array]:
        A, B = R_a @ X_a[0], R_b @ X_b[0]
        point, z = R_b @ X_b[1] + o_b, A[:, :, 2]
        x = B[:, :, 0]
        angle = np.arctan2(dot(A[:, :, 1], x), dot(A[:, :, 0], x))
        off = dot(z, point - R_a @ X_a[1] - o_a) - pitch * angle
        return off - lead * np.round(off / lead), z, -pitch * z, point

    return row


ROWS: dict[str, Callable[[InLinks], Row]] = {
    "PointOnPlane": _point_on_plane,
    "AxesAngle": _axes_angle,
    "Distance": _distance,
    "PointLineDistance": _point_line_distance,
    "LineDistance": _line_distance,
    "ConstantVelocity": _constant_velocity,
}


def dot(a: Array, b: Array) -> Array:
    """a · b along the last axis."""
    return np.einsum("...i,...i", a, b)


def cross(a: Array, b: Array) -> Array:
    """a × b along the last axis; numpy's own takes ten times as long for few vectors."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    out[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    out[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out
