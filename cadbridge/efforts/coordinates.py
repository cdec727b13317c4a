"""Gradients and accelerations of coordinates, compiled once for many states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from solver.constraints import Coordinate, Coupler
from solver.constraints.evaluation import evaluate_program
from solver.constraints.program import compile_program
from solver.model import Model
from solver.state import State

Array = NDArray[np.float64]


class Measured:
    """Coordinates (c) of a model."""

    def __init__(self, model: Model, coordinates: Sequence[Coordinate]) -> None:
        rows = [Coupler(c.a, c.b, ((1.0, c),)) for c in coordinates]
        x, q = np.asarray(model.positions, float), np.asarray(model.quaternions, float)
        self._program = compile_program(rows, x.reshape(-1, 3), q.reshape(-1, 4))

    def gradients(self, state: State) -> Array:
        """J (c, 6n): the rates are J times [v; ω] of all bodies."""
        return evaluate_program(self._program, state.positions, state.quaternions).G

    def accelerations(self, state: State, accelerations: Array) -> Array:
        """Second derivatives (c,) where the bodies accelerate so (n, 6)."""
        found = evaluate_program(self._program, state.positions, state.quaternions, state.velocities)
        return np.asarray(found.G @ accelerations.ravel() - found.c)
