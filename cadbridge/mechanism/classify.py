"""A freedom's name: which lower pair a set of twists is, with axis and origin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector, cross_length, unit
from cadbridge.mechanism.joint_types import JOINT_TYPES
from solver.rotation import skew

Array = NDArray[np.float64]
SAME_PAIR = 1e-6
"""Sines, and parts of the mechanism's length, by which twists may miss those of a lower pair and still be one: above
what rounded files do (1e-8), below what a person would call askew. A hundred times more takes slow screws for hinges, a
hundred times less makes generic joints of hinges in files with six digits."""


@dataclass(frozen=True, eq=False)
class LowerPair:
    """A joint type with its axis and a point on it (world frame, m), and the pitch (m/rad) of a screw."""

    type: str
    axis: Vector
    point: Vector
    pitch: float | None = None


def classify(twists: Array, centre: Vector, length: float) -> LowerPair | None:
    """The lower pair that `twists` (6, k) about `centre` span, None where they are none.

    Rotations are compared with translations by the characteristic `length` in m.
    """
    k = twists.shape[1]
    turns, slides = _split(twists, length)
    maker = _BY_SHAPE.get((k, turns.shape[1]))
    return None if maker is None else maker(turns, slides, centre, length)


def _split(twists: Array, length: float) -> tuple[Array, Array]:
    """A basis in which twists either turn (independent ω) or only slide."""
    scaled = twists.copy()
    scaled[3:] *= length
    # The right singular vectors of the rotations: combinations of twists along the small ones turn nothing.
    _, s, Vt = np.linalg.svd(scaled[3:], full_matrices=True)
    # Not relative to a largest value below 1: of twists that only slide, all turns are rounding, and one would be the
    # largest.
    count = int(np.sum(s > SAME_PAIR * max(1.0, float(s.max(initial=0.0)))))
    combined = scaled @ Vt.T
    combined[3:] /= length
    return combined[:, :count], combined[:, count:]


def _line(twist: Array, centre: Vector) -> tuple[Vector, Vector, float]:
    """Axis direction, the axis point nearest to `centre`, and the pitch of a turning twist."""
    v, w = twist[:3], twist[3:]
    size = float(w @ w)
    return unit(w), centre + np.cross(w, v) / size, float(w @ v) / size


def _one_turn(turns: Array, slides: Array, centre: Vector, length: float) -> LowerPair:
    axis, point, pitch = _line(turns[:, 0], centre)
    # A pitch that slides less in a radian than files are rounded is none.
    if abs(pitch) < SAME_PAIR * length:
        return LowerPair("revolute", axis, point)
    return LowerPair("screw", axis, point, pitch)


def _one_slide(turns: Array, slides: Array, centre: Vector, length: float) -> LowerPair:
    # A slide goes along no one line: the middle of the mates is as good a place as any.
    return LowerPair("prismatic", unit(slides[:3, 0]), centre)


def _turn_and_slide(turns: Array, slides: Array, centre: Vector, length: float) -> LowerPair | None:
    # Its pitch says nothing here: any part of the free slide may be in the twist that turns.
    axis, point, _ = _line(turns[:, 0], centre)
    if cross_length(axis, unit(slides[:3, 0])) < SAME_PAIR:
        return LowerPair("cylindrical", axis, point)
    return None


def _turn_in_plane(turns: Array, slides: Array, centre: Vector, length: float) -> LowerPair | None:
    axis = unit(turns[3:, 0])
    if float(np.linalg.norm(axis @ slides[:3])) < SAME_PAIR * float(np.linalg.norm(slides[:3])):
        return LowerPair("planar", axis, centre)
    return None


def _three_turns(turns: Array, slides: Array, centre: Vector, length: float) -> LowerPair | None:
    """Spherical where one point stands still: v + ω × r = 0 for all three."""
    rows = np.vstack([skew(turns[3:, i]) for i in range(3)])
    r, *_ = np.linalg.lstsq(rows, -turns[:3].T.ravel(), rcond=None)
    gap = float(np.linalg.norm(rows @ r + turns[:3].T.ravel()))
    if gap < SAME_PAIR * max(float(np.linalg.norm(turns[:3])), float(np.linalg.norm(turns[3:])) * length):
        # A ball has no axis: z of the world stands for one.
        return LowerPair("spherical", np.array([0.0, 0.0, 1.0]), centre + r)
    return None


_BY_SHAPE = {
    (1, 1): _one_turn,
    (1, 0): _one_slide,
    (2, 1): _turn_and_slide,
    (3, 1): _turn_in_plane,
    (3, 3): _three_turns,
}
"""By the number of freedoms and how many of them turn."""


def motions(pair: LowerPair) -> Array:
    """Twists (6, k) of a lower pair in its own joint frame (z is the axis): v at the origin; ω."""
    return JOINT_TYPES[pair.type].motions(pair.pitch)
