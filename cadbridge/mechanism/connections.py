"""What mates hold between two bodies, for many pairs of bodies at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Mate
from cadbridge.frames import Pose
from cadbridge.mechanism.model import MateRows
from cadbridge.mechanism.reframe import renumbered
from cadbridge.mechanism.rows import quaternions_of
from solver.constraints import Primitive, evaluate_sparse
from solver.constraints.program import compile_program

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Connection:
    """Mates between two bodies a and b (indices; -1 ground) with the poses X_WA and X_WB as designed."""

    a: int
    b: int
    X_WA: Pose
    X_WB: Pose
    mates: tuple[Mate, ...]
    rows: tuple[MateRows, ...]
    primitives: tuple[Primitive, ...]
    centre: Array


class Stack:
    """The rows of many connections, compiled and evaluated as one; each has two units of its own, 2 i and 2 i + 1."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self.connections = tuple(connections)
        poses = [X for connection in connections for X in (connection.X_WA, connection.X_WB)]
        self._positions = np.array([X.p for X in poses]).reshape(-1, 3)
        self._quaternions = quaternions_of(poses)
        primitives = [
            renumbered(p, {0: 2 * i, 1: 2 * i + 1})
            for i, connection in enumerate(connections)
            for p in connection.primitives
        ]
        self._program = compile_program(primitives, self._positions, self._quaternions)
        counts = [sum(p.rows for p in connection.primitives) for connection in connections]
        self._starts = np.cumsum([0, *counts])
        found = evaluate_sparse(self._program, self._positions, self._quaternions)
        self._residuals = found.g
        W = np.zeros((len(found.g), 6))
        # A row's wrench on a is the opposite of that on b about the same point: one of them says all.
        on_b = found.body % 2 == 1
        W[found.row[on_b]] = found.blocks[on_b]
        levers = np.repeat(
            [connection.X_WB.p - connection.centre for connection in connections], counts, axis=0
        ).reshape(-1, 3)
        W[:, 3:] += np.cross(levers, W[:, :3])
        self.wrenches = tuple(W[start:end] for start, end in pairwise(self._starts.tolist()))
        """Of each connection, its rows (m, 6) on b, for the twist [v; ω] of b about the connection's centre."""

    def gaps(self, moved: Mapping[int, Pose]) -> dict[int, float]:
        """By how much the rows of some connections change most, their bodies b being elsewhere (X_WB)."""
        x, q = self._positions.copy(), self._quaternions.copy()
        units = [2 * i + 1 for i in moved]
        x[units], q[units] = np.array([X.p for X in moved.values()]), quaternions_of(list(moved.values()))
        change = np.abs(evaluate_sparse(self._program, x, q).g - self._residuals)
        return {i: float(np.max(change[self._starts[i] : self._starts[i + 1]], initial=0.0)) for i in moved}
