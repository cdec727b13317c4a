"""Rows of a few primitives as a matrix, and the twists that rows leave free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose
from cadbridge.mechanism.rows import quaternions_of
from solver.algebra.rank import HIGHEST, LOWEST, NO_DIRECTION, significant
from solver.constraints import Primitive, evaluate_sparse
from solver.constraints.program import compile_program

Array = NDArray[np.float64]


def jacobian(primitives: Sequence[Primitive], poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Residual g (m,) and Ĝ (m, 6n), [v; ω] in world axes, of a few primitives between n units at their poses.

    Dense; see `Rows` for many.
    """
    x, q = np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses)
    found = evaluate_sparse(compile_program(primitives, x, q), x, q)
    G = np.zeros((len(found.g), len(poses), 6))
    G[found.row, found.body] = found.blocks
    return found.g, G.reshape(len(found.g), 6 * len(poses))


def freedom(W: Array, length: float, highest: float = HIGHEST) -> Array:
    """Twists (6, k) that rows W (m, 6) allow, orthonormal when `length` weighs the rotations."""
    if len(W) == 0:
        return np.eye(6)
    columns = np.array([1.0, 1.0, 1.0, 1 / length, 1 / length, 1 / length])
    scaled = W * columns
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    _, s, Vt = np.linalg.svd(scaled / np.where(norms > NO_DIRECTION, norms, 1.0), full_matrices=True)
    return np.asarray(Vt[significant(s, LOWEST, highest) :].T * columns[:, None])
