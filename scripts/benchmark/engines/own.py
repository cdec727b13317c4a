"""This project's solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmark.cases import Array, Case, Motion
from benchmark.engines.base import RATE, Evaluation, Run, stopwatch, timed, whole_steps
from solver import rotation, simulate
from solver.chart import TreeJoint
from solver.equations.dynamics import stages
from solver.equations.evaluator import evaluator
from solver.equations.projection import drive_values, project
from solver.equations.system import prepare
from solver.steps.methods import observed, slope_at

TOLERANCES = {
    "dopri5": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10),
    "dop853": (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12),
}
REFERENCES = (1e-13, 1e-12, 1e-11, 1e-10)
STEPS = (1e-2, 4e-3, 2e-3, 1e-3, 5e-4)
RK4_STEPS = (2e-2, 1e-2, 4e-3, 2e-3)
"""s: those of the peers that march with RK4; at finer ones the methods above need fewer."""


class Engine:
    """Absolute coordinates, every row of every joint kept, multipliers with every evaluation."""

    tree: list[TreeJoint] | None = None

    def __init__(self, case: Case) -> None:
        self.case = case
        self.system = prepare(case.model())
        self.start = project(self.system, case.start()).state
        self.warm: set[str] = set()

    def evaluation(self) -> Evaluation:
        """Accelerations and multipliers."""
        s, state = self.system, self.start
        arrays = (state.positions, state.quaternions, state.velocities, state.angles, drive_values(s, 0.0))
        tables = (s.program.terms, s.plan, s.bodies, s.loads, s.rows)
        evaluate, drive = evaluator(s), arrays[4]
        called = timed(lambda: evaluate(state, drive))
        many = max(1, int(2e-3 / called))
        # Within compiled code, where the integrators make theirs: the call from Python costs some µs more.
        within = stages.bound(*tables, s.workspace(), arrays[:4], drive, np.zeros(s.program.rows), many)
        seconds = timed(within) / many
        beside = {"called from Python": called}
        return Evaluation("accelerations and multipliers", seconds, self.accelerations(), beside)

    def accelerations(self) -> Array:
        """q̈ (n,) of the tree's hinges at the start."""
        return observed(self.system, self.start, slope_at(self.system, self.start))[2]

    def runs(self) -> Iterator[Run | str]:
        """Simulations, from coarse to fine within each method; a sentence for each that failed."""
        asked: list[tuple[str, float, dict[str, Any]]] = [
            (method, tolerance, {"integrator": method, "rtol": tolerance, "atol": tolerance})
            for method, tolerances in TOLERANCES.items()
            for tolerance in tolerances
        ]
        asked += [("RK4", h, {"integrator": "rk4", "step": h}) for h in map(self._whole, RK4_STEPS)]
        if self.tree is None:
            # Its iteration ends at a tenth of this change in velocities: no digit of such steps' errors comes from it.
            options = {"integrator": "generalized_alpha", "rtol": 1e-4, "atol": 1e-4}
            asked += [("generalised-α", step, {**options, "step": step}) for step in STEPS]
        for one in asked:
            try:
                yield self.run(*one)
            except ArithmeticError as refusal:
                yield str(refusal)

    def _whole(self, step: float) -> float:
        return whole_steps(self.case.duration, step)[1]

    def reference(self) -> tuple[Run, str]:
        """A run by the tightest tolerance that ends well, and which it was."""
        for tolerance in REFERENCES:
            options = {"integrator": "dop853", "rtol": tolerance, "atol": tolerance / 10}
            try:
                return self.run("dop853", tolerance, options), f"Reference: dop853 at {tolerance:g}"
            except ArithmeticError as refusal:
                said = str(refusal)
        raise ArithmeticError(f"no reference: {said}")

    def run(self, method: str, setting: float, options: dict[str, Any]) -> Run:
        """A simulation; raises ArithmeticError with the status where it ends early."""
        end = self.case.duration
        if method not in self.warm:
            simulate(self.system, self.start, duration=end / 1e4, rate=1e4 / end, tree=self.tree, **options)
            self.warm.add(method)
        asked = {"duration": end, "tree": self.tree, **options}
        seconds, result = stopwatch(lambda: simulate(self.system, self.start, rate=1 / end, **asked))
        sampled, along = stopwatch(lambda: simulate(self.system, self.start, rate=RATE, **asked), 0.15)
        if not result.status.ok:
            raise ArithmeticError(f"{method} at {setting:g}: {result.status.message}")
        found = result.trajectory
        motion = Motion(
            found.positions[-1],
            np.asarray(rotation.matrix(found.quaternions[-1])),
            found.velocities[-1],
            found.coordinates[-1],
        )
        path = (along.trajectory.t, along.trajectory.positions)
        return Run(method, setting, seconds, result.statistics.steps, motion, sampled, path)
