"""Placements that fulfil mates far from where the parts stand: damped least squares from several starts.

A Newton step needs a direction: two points that coincide and should be 60 mm apart have none, and a step from far
away overshoots. Levenberg's damping bounds the step, and starts beside the first one have a direction.
Source: D. W. Marquardt, An algorithm for least-squares estimation of nonlinear parameters, SIAM J. 11 (1963).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.finite import FITS
from cadbridge.frames import Pose
from cadbridge.mechanism.rows import quaternions_of
from solver.constraints import AxesAngle, Primitive, evaluate_sparse
from solver.constraints.program import Program, compile_program
from solver.rotation import exponential, matrix, multiply

Array = NDArray[np.float64]

MOST_NEWTON_ROUNDS = 60
"""Damped Newton steps from one start: a choice. One that still creeps is given up before, by `MOST_SLOW`."""
CREEPING, MOST_SLOW = 0.99, 5
"""A start is given up after so many steps in a row that leave more than this part of the squares."""
MOST_BODIES = 60
"""So many bodies are tried: each start costs a dense solve for each round."""
MOST_STARTS = 40
"""Poses from which it is tried, by a body and a sense at a time: a choice, as each may take all of `MOST_NEWTON_ROUNDS`
before `MOST_WORK` ends the search."""
MOST_WORK = 2e6
"""Entries of derivatives that are computed at most before the search is given up: some seconds."""


class Placing:
    """Rows of mates between n units with poses X_WC; `length` (m) weighs angles against lengths."""

    def __init__(self, primitives: Sequence[Primitive], poses: Sequence[Pose], length: float) -> None:
        self.length = length
        self.x = np.array([X.p for X in poses]).reshape(-1, 3)
        self.q = quaternions_of(poses)
        self._program: Program = compile_program(primitives, self.x, self.q)
        turns = np.array([isinstance(p, AxesAngle) for p in primitives], dtype=bool)
        self._weights = np.where(turns, 1.0, 1.0 / length)
        self.work = 0.0

    def residual(self, x: Array, q: Array) -> Array:
        """The rows' residuals (m,), in parts of the length or as sines."""
        return np.asarray(self._weights * evaluate_sparse(self._program, x, q).g)

    def step(self, x: Array, q: Array, moving: Sequence[int]) -> tuple[Array, Array]:
        """Residual (m,) and its derivative (m, 6k) by [Δx / length, turn] of the units that move."""
        found = evaluate_sparse(self._program, x, q)
        self.work += len(found.g) * 6 * len(x)
        J = np.zeros((len(found.g), len(x), 6))
        np.add.at(J, (found.row, found.body), found.blocks)
        J[:, :, :3] *= self.length
        part = J[:, list(moving)].reshape(len(found.g), -1)
        return self._weights * found.g, self._weights[:, None] * part

    def solve(self, x: Array, q: Array, moving: Sequence[int]) -> tuple[Array, Array, bool]:
        """Levenberg–Marquardt from a start, moving some units only: positions, quaternions, whether all rows close."""
        # Beside rows of length 1: nearly Newton's step, which is right for placements that are off by little.
        damping, slow = 1e-3, 0
        for _ in range(MOST_NEWTON_ROUNDS):
            if self.work > MOST_WORK or slow > MOST_SLOW:
                break
            g, J = self.step(x, q, moving)
            if float(np.max(np.abs(g), initial=0.0)) < FITS:
                return x, q, True
            size = float(g @ g)
            JTJ, slope = J.T @ J, J.T @ g
            # Steps so short that they better nothing end it: no way leads down.
            while damping < 1e9:
                self.work += len(JTJ) ** 2
                try:
                    y = np.linalg.solve(JTJ + damping * np.eye(len(JTJ)), -slope).reshape(-1, 6)
                except np.linalg.LinAlgError:  # the damping is lost beside rows of lengths without measure
                    damping *= 10.0
                    continue
                tried = self._moved(x, q, moving, np.asarray(y, np.float64))
                after = self.residual(*tried)
                if (reached := float(after @ after)) < size:
                    x, q = tried
                    # Marquardt's factor of ten, both ways. The floor is below the rounding of JᵀJ: Newton's method.
                    damping = max(1e-15, damping * 0.1)
                    slow = slow + 1 if reached > CREEPING * size else 0
                    break
                damping *= 10.0
            else:
                return x, q, False
        return x, q, False

    def _moved(self, x: Array, q: Array, moving: Sequence[int], y: Array) -> tuple[Array, Array]:
        x, q = x.copy(), q.copy()
        for k, unit in enumerate(moving):
            x[unit] += self.length * y[k, :3]
            turned = multiply(exponential(y[k, 3:]), q[unit])
            q[unit] = turned / np.linalg.norm(turned)
        return x, q


def placed(
    primitives: Sequence[Primitive], poses: Sequence[Pose], length: float, gap: float, first: Sequence[int]
) -> tuple[Pose, ...] | None:
    """Poses that fulfil all rows; None where none is found.

    `gap` (m) is by how much the worst row is open, `first` the units whose mates are open: each is moved alone, and
    where that does not serve all units are. Of the poses found from the starts of one try the nearest is taken.
    """
    if len(poses) > MOST_BODIES or not primitives:
        return None
    placing = Placing(primitives, poses, length)
    everything = range(len(poses))
    for moving in [*((unit,) for unit in first), tuple(everything)]:
        found: list[tuple[float, int, Array, Array]] = []
        for x, q in _starts(placing, moving, first, gap):
            x, q, closed = placing.solve(x, q, moving)
            if closed:
                found.append((_distance(placing, x, q), len(found), x, q))
        if found:
            _, _, x, q = min(found)
            return tuple(Pose(np.asarray(matrix(b)), a) for a, b in zip(x, q, strict=True))
    return None


def _starts(placing: Placing, moving: Sequence[int], first: Sequence[int], gap: float) -> Iterator[tuple[Array, Array]]:
    """The poses as they are; then, for each unit with open mates, shifted along the axes and turned a little."""
    yield placing.x, placing.q
    # Unequal turns leave every plane of symmetry, in which derivatives vanish and Newton would stay.
    turn = np.array([0.1, 0.07, 0.05])
    starts = 0
    for unit in first:
        if unit not in moving:
            continue
        for axis in range(3):
            for sign in (1.0, -1.0):
                if (starts := starts + 1) > MOST_STARTS:
                    return
                y = np.zeros((len(moving), 6))
                # By as much as the mates are open; those that are open in their angles alone, by a thousandth of the
                # model.
                y[list(moving).index(unit), axis] = sign * max(gap, 1e-3 * placing.length) / placing.length
                y[list(moving).index(unit), 3:] = sign * turn
                yield placing._moved(placing.x, placing.q, moving, y)


def _distance(placing: Placing, x: Array, q: Array) -> float:
    """How far poses are from the first ones: travel, and turn at the length."""
    travel = float(np.sum((x - placing.x) ** 2))
    turn = float(np.sum(1.0 - np.minimum(1.0, np.sum(q * placing.q, axis=1) ** 2)))
    return travel + 4.0 * placing.length**2 * turn
