"""Rows as wrenches about one point: what ranks and freedoms of a pair are decided on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose, Vector
from solver.constraints import Primitive, evaluate
from solver.rank import HIGHEST, LOWEST, null_space

Array = NDArray[np.float64]


def jacobian(primitives: Sequence[Primitive], poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Residual g (m,) and Ĝ (m, 6n) of primitives between units at their poses; [v; ω] in world axes."""
    positions = np.array([X.p for X in poses]).reshape(-1, 3)
    quaternions = np.array([X.quaternion() for X in poses]).reshape(-1, 4)
    found = evaluate(tuple(primitives), positions, quaternions)
    return found.g, found.G


def wrenches(G: Array, unit: int, pose: Pose, centre: Vector) -> Array:
    """The rows' blocks (m, 6) on a unit, for its twist [v; ω] about `centre` (3,) instead of its origin."""
    block = G[:, 6 * unit : 6 * unit + 6]
    lever = pose.p - centre
    return np.hstack([block[:, :3], block[:, 3:] + np.cross(lever, block[:, :3])])


def freedom(W: Array, length: float, highest: float = HIGHEST) -> Array:
    """Twists (6, k) that rows W (m, 6) allow, orthonormal when `length` weighs the rotations."""
    if len(W) == 0:
        return np.eye(6)
    return null_space(W, length, LOWEST, highest)
