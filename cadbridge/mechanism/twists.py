"""Rows as wrenches about one point: what freedoms of a pair are decided on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose, Vector
from cadbridge.mechanism.rows import quaternions_of
from solver.constraints import Primitive, evaluate_sparse
from solver.constraints.program import Program, compile_program
from solver.rank import HIGHEST, LOWEST, significant

Array = NDArray[np.float64]


def compiled(primitives: Sequence[Primitive], poses: Sequence[Pose]) -> Program:
    """Primitives between units, the poses being those in which gears have their phase."""
    return compile_program(primitives, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))


def jacobian(primitives: Sequence[Primitive], poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Residual g (m,) and Ĝ (m, 6n) of a few primitives between n units at their poses; dense, see `Rows` for many."""
    return evaluated(compiled(primitives, poses), poses)


def evaluated(program: Program, poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Residual g (m,) and Ĝ (m, 6n) of compiled primitives between n units at their poses; [v; ω] in world axes."""
    found = evaluate_sparse(program, np.array([X.p for X in poses]).reshape(-1, 3), quaternions_of(poses))
    G = np.zeros((len(found.g), len(poses), 6))
    G[found.row, found.body] = found.blocks
    return found.g, G.reshape(len(found.g), 6 * len(poses))


def wrenches(G: Array, unit: int, pose: Pose, centre: Vector) -> Array:
    """The rows' blocks (m, 6) on a unit, for its twist [v; ω] about `centre` (3,) instead of its origin."""
    block = G[:, 6 * unit : 6 * unit + 6]
    lever = pose.p - centre
    return np.hstack([block[:, :3], block[:, 3:] + np.cross(lever, block[:, :3])])


def freedom(W: Array, length: float, highest: float = HIGHEST) -> Array:
    """Twists (6, k) that rows W (m, 6) allow, orthonormal when `length` weighs the rotations."""
    if len(W) == 0:
        return np.eye(6)
    columns = np.array([1.0, 1.0, 1.0, 1 / length, 1 / length, 1 / length])
    scaled = W * columns
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    _, s, Vt = np.linalg.svd(scaled / np.where(norms > 1e-14, norms, 1.0), full_matrices=True)
    return np.asarray(Vt[significant(s, LOWEST, highest) :].T * columns[:, None])
