"""This project's solver in the minimal coordinates of a spanning tree."""

from __future__ import annotations

from typing import Any

from numba import njit

from benchmark.cases import Array, Case
from benchmark.engines import own
from benchmark.engines.base import Evaluation, timed
from solver.methods import METHODS
from solver.projection import drive_values
from solver.tree import closed
from solver.tree.engine import TreeEngine


@njit(cache=True)  # type: ignore[untyped-decorator]
def _repeated(count: int, tables: Any, state: Any, reactions: bool) -> float:
    """Evaluations within compiled code."""
    total = 0.0
    for _ in range(count):
        acceleration, multipliers, _, _ = closed.accelerate(*tables, *state)
        total += acceleration[0]
        if reactions:
            total += closed.reactions(*tables, *state, acceleration, multipliers)[0][0, 0]
    return total


class Engine(own.Engine):
    """The tree's hinges hold by construction; loops and gears by multipliers; redundant rows are kept."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.tree = case.joints()
        self.engine = TreeEngine(self.system, METHODS["dopri5"], self.tree)

    def evaluation(self) -> Evaluation:
        """Accelerations, and the wrenches of all joints in the same sweeps."""
        drive = drive_values(self.system, 0.0)
        memory = self.engine.begin(self.start)
        q, rates = memory[: self.case.count], memory[self.case.count : 2 * self.case.count]
        state = (q, rates, self.engine._angles(self.start.angles), drive)
        tables = self.engine._kernel
        once = timed(lambda: _repeated(1, tables, state, True))
        many = max(1, int(2e-3 / once))
        seconds = timed(lambda: _repeated(many, tables, state, True)) / many
        alone = timed(lambda: _repeated(many, tables, state, False)) / many
        return Evaluation("tree, with reactions", seconds, self.accelerations(), {"without reactions": alone})

    def accelerations(self) -> Array:
        """q̈ (n,) of the tree's hinges at the start."""
        found = self.engine.begin(self.start)[2 * self.case.count :]
        return found[self.engine.span.places.last]
