"""This project's solver in the joint coordinates of a spanning tree."""

from __future__ import annotations

import numpy as np

from benchmark.cases import Array, Case
from benchmark.engines import own
from benchmark.engines.base import Evaluation, timed
from solver.chart.engine import ChartEngine
from solver.chart.stepping import joint_accelerations
from solver.equations.projection import drive_values
from solver.steps.methods import METHODS


class Engine(own.Engine):
    """The tree's hinges hold by construction; the accelerations are those of absolute coordinates."""

    def __init__(self, case: Case) -> None:
        super().__init__(case)
        self.tree = case.joints()
        self.engine = ChartEngine(self.system, METHODS["dopri5"], self.tree)

    def evaluation(self) -> Evaluation:
        """Joint accelerations from joint coordinates and rates, within compiled code."""
        found = self.accelerations()
        once = timed(lambda: self._accelerate(1))
        many = max(1, int(2e-3 / once))
        seconds = timed(lambda: self._accelerate(many)) / many
        return Evaluation("joint accelerations", seconds, found)

    def accelerations(self) -> Array:
        """q̈ (n,) of the tree's hinges at the start."""
        engine = self.engine
        engine.read(self.start)
        engine._steps.angles[:] = np.asarray(self.start.angles)
        self._accelerate(1)
        # The chart's joints are in its own order; hinge i of the case carries body i.
        result = np.empty(self.case.count)
        result[engine.chart.body] = engine._steps.acceleration
        return result

    def _accelerate(self, count: int) -> None:
        engine = self.engine
        room = (engine.tables, engine.chart, engine._kinematics, engine._steps)
        joint_accelerations(*room, drive_values(self.system, 0.0), count)
