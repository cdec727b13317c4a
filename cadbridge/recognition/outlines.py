"""Outlines of plane faces: polygons and what two of them have in common. Lengths in m."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Polygon


def polygon_of(loops: Sequence[NDArray[np.float64]]) -> Polygon:
    """The area (u, v) that loops (n, 2) bound: the largest loop without the others. Empty where they bound none."""
    closed = [loop for loop in loops if len(loop) >= 3]
    if not closed:
        return Polygon()
    if len(closed) > 1:
        closed.sort(key=lambda loop: -abs(_area(loop)))
    shape = Polygon(closed[0], closed[1:])
    return shape if shape.is_valid else shapely.make_valid(shape)


def _area(loop: NDArray[np.float64]) -> float:
    x, y = loop[:, 0] - loop[0, 0], loop[:, 1] - loop[0, 1]
    # The first point is the origin: what closes the loop adds nothing.
    return float(0.5 * (x[:-1] @ y[1:] - y[:-1] @ x[1:]))


def common_area(a: Polygon, b: Polygon) -> tuple[float, tuple[float, float]]:
    """What two outlines have in common, m², and the point in the middle of it."""
    both = shapely.intersection(a, b)
    if both.is_empty or not both.area > 0.0:
        return 0.0, (0.0, 0.0)
    middle = both.centroid
    return float(both.area), (float(middle.x), float(middle.y))
