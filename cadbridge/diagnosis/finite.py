"""Whether a freedom of the first instant goes on: a step along it, brought back onto the mates.

A step ε along a motion that goes on needs a correction of order ε²; where the mates only give way to first order (a
shaky pose), the correction is of order ε, or the step cannot be closed at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from cadbridge.diagnosis.rows import GROUND
from cadbridge.frames import Pose
from cadbridge.mechanism.reframe import reframed
from solver.constraints import Primitive, evaluate_sparse
from solver.constraints.program import Program, compile_program
from solver.rank import significant

Array = NDArray[np.float64]

STEPS = (0.04, 0.01)
"""Steps in rad, or in lengths of the mechanism."""
ORDER = 1.5
"""A correction that shrinks with at least this power of the step is one of second order."""
CLOSED = 1e-10
"""A scaled residual below this is closed."""
LARGE = 600
"""Unknowns above which the steps are solved by a sparse factor instead of by least squares."""


@dataclass(frozen=True, eq=False)
class Patch:
    """Bodies (n) that loops share, movable against the first of them: rows and the poses as designed.

    `bodies` are their numbers; `length` (m) weighs turns against shifts.
    """

    bodies: tuple[int, ...]
    program: Program
    positions: Array
    quaternions: Array
    length: float


def patch_of(
    bodies: Sequence[int], root: int, primitives: Sequence[Primitive], poses: dict[int, Pose], length: float
) -> Patch:
    """The rows among `bodies` with `root` (maybe the ground) standing still."""
    index = {body: i for i, body in enumerate(bodies)}

    def place(body: int) -> tuple[int, Pose]:
        if body in index:
            return index[body], Pose()
        return GROUND, Pose() if body == GROUND else poses[body]

    moved = [reframed(p, place) for p in primitives]
    x = np.array([poses[b].p for b in bodies]).reshape(-1, 3)
    q = np.array([poses[b].quaternion() for b in bodies]).reshape(-1, 4)
    return Patch(tuple(bodies), compile_program(moved, x, q), x, q, length)


def correction(patch: Patch, twists: Array, step: float) -> tuple[float, Array | None]:
    """Size of the correction after a step along twists (n, 6; the largest part is 1), and where it ended.

    Ended: the whole displacement (n, 6) from the design, None where the mates cannot be closed again.
    """
    x, q = advance(patch, patch.positions, patch.quaternions, step * twists)
    x1, q1, open_ = close(patch, x, q)
    if open_ > CLOSED:
        return np.inf, None
    moved = displacement(patch, patch.positions, patch.quaternions, x1, q1)
    change = displacement(patch, x, q, x1, q1)
    return float(np.max(np.abs(change))), moved


def goes_on(patch: Patch, twists: Array) -> bool:
    """Whether the corrections after two steps shrink with the square of the step."""
    sizes = [correction(patch, twists, step)[0] for step in STEPS]
    if sizes[1] < 1e-9:
        return True
    if not np.isfinite(sizes[1]) or sizes[1] > 0.5 * STEPS[1]:
        return False
    if not np.isfinite(sizes[0]):
        return _shrinks(sizes[1], correction(patch, twists, STEPS[1] / 4)[0], 4.0)
    return _shrinks(sizes[0], sizes[1], STEPS[0] / STEPS[1])


def _shrinks(larger: float, smaller: float, factor: float) -> bool:
    return bool(np.log(max(larger, 1e-300) / max(smaller, 1e-300)) / np.log(factor) > ORDER)


def advance(patch: Patch, x: Array, q: Array, step: Array) -> tuple[Array, Array]:
    """Poses after displacements (n, 6) [shift in lengths; turn in rad, world axes]."""
    turned = Rotation.from_rotvec(step[:, 3:]) * Rotation.from_quat(q, scalar_first=True)
    return x + step[:, :3] * patch.length, np.asarray(turned.as_quat(scalar_first=True))


def displacement(patch: Patch, x0: Array, q0: Array, x1: Array, q1: Array) -> Array:
    """The displacements (n, 6) that lead from one set of poses to the other."""
    turn = Rotation.from_quat(q1, scalar_first=True) * Rotation.from_quat(q0, scalar_first=True).inv()
    return np.hstack([(x1 - x0) / patch.length, turn.as_rotvec()])


def jacobian(patch: Patch, x: Array, q: Array) -> tuple[Array, Array]:
    """Scaled residual (m,) and Jacobian (m, 6n) for shifts in lengths and turns in rad."""
    found = evaluate_sparse(patch.program, x, q)
    blocks = np.zeros((len(found.g), len(x), 6))
    blocks[found.row, found.body] = found.blocks
    blocks[:, :, :3] *= patch.length
    G = blocks.reshape(len(found.g), -1)
    sizes = np.linalg.norm(G, axis=1)
    factors = 1 / np.where(sizes > 1e-14, sizes, 1.0)
    return found.g * factors, G * factors[:, None]


def close(patch: Patch, x: Array, q: Array, rounds: int = 25) -> tuple[Array, Array, float]:
    """Gauss–Newton with the shortest step, back onto the mates; the scaled residual that is left."""
    before = np.inf
    for _ in range(rounds):
        g, G = jacobian(patch, x, q)
        size = float(np.max(np.abs(g), initial=0.0))
        if size < 1e-14 or size > 0.99 * before:
            break
        before = size
        step = -_least(G, g)
        reach = float(np.max(np.abs(step), initial=0.0))
        if reach > 0.5:
            step *= 0.5 / reach
        x, q = advance(patch, x, q, step.reshape(-1, 6))
    g, _ = jacobian(patch, x, q)
    return x, q, float(np.max(np.abs(g), initial=0.0))


def _least(G: Array, g: Array) -> Array:
    """The shortest y with G y = g in the least squares sense."""
    if G.shape[1] <= LARGE:
        return np.asarray(np.linalg.lstsq(G, g, rcond=1e-9)[0])
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import splu

    S = csc_array(G)
    factor = splu(csc_array(S.T @ S + 1e-9 * eye_array(G.shape[1])))
    y: Array = np.asarray(factor.solve(G.T @ g))
    again: Array = np.asarray(factor.solve(G.T @ (g - G @ y)))
    return y + again


def local_dof(patch: Patch, moved: Array) -> int:
    """The mobility at the pose that displacements (n, 6) from the design lead to."""
    x, q = advance(patch, patch.positions, patch.quaternions, moved)
    _, G = jacobian(patch, x, q)
    return int(G.shape[1] - significant(np.asarray(np.linalg.svd(G, compute_uv=False), float), 1e-9, 1e-5))
