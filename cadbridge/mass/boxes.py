"""Boxes of parts in their own frames: how deep two of them reach into each other, at most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose

Box = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Middle (3,) and half sizes (3,), m, in the frame of a part."""

_PARALLEL = 1e-6
"""Sine below which two edges give no separating axis of their own: their faces' normals do."""


def box_of(corners: NDArray[np.float64]) -> Box:
    """The box of points (n, 3)."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    return (low + high) / 2, (high - low) / 2


def depth(a: Box, b: Box, X_BA: Pose) -> float:
    """How far (m) the boxes of two parts reach into each other along the direction in which they do least.

    Negative where they are apart: Gottschalk, Lin and Manocha, OBBTree, 1996. What two solids share is no thicker:
    twice the volume of a body by its surface is at most its width in any direction.
    """
    R, (middle_a, half_a), (middle_b, half_b) = X_BA.R, a, b
    away = X_BA.p + R @ middle_a - middle_b
    axes = np.concatenate([np.eye(3), R.T, np.cross(np.eye(3)[:, None], R.T[None]).reshape(9, 3)])
    length = np.sqrt((axes**2).sum(axis=1))
    reach = np.abs(axes) @ half_b + np.abs(axes @ R) @ half_a - np.abs(axes @ away)
    apart = length > _PARALLEL
    return float((reach[apart] / length[apart]).min())
