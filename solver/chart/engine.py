"""A run in the joint coordinates of a spanning tree, behind the same interface as absolute coordinates.

One dynamics, another chart: accelerations and multipliers are those of absolute coordinates; what is integrated from
step to step are q and θ̇ of the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from solver.chart.kinematics import Kinematics, kinematics_room
from solver.chart.reading import read_joints
from solver.chart.spanning import Chart, TreeJoint, spanning_chart
from solver.chart.stepping import Joints, JointSteps, close_joints, joint_step, joint_steps
from solver.equations.projection import drive_values
from solver.state import State
from solver.steps.dense import Slope
from solver.steps.methods import Absolute, Attempt, Remembered
from solver.steps.samples import Within, make_within

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChartEngine(Absolute):
    """Steps of `system` in the coordinates of a tree of its `joints`; ValueError where that cannot be.

    The memory of a step is [q, θ̇] of the tree at its end, and for each body the sign of its quaternion there: those of
    the chart go on without a jump however often a wheel turns in a step, and so must the state's.
    """

    joints: Sequence[TreeJoint]

    def __post_init__(self) -> None:
        """Refuse what no tree can do before a run begins."""
        if self.method.scheme is None:
            raise ValueError("the tree is integrated by explicit methods only: dopri5, dop853 or rk4")
        self.chart  # noqa: B018 - computed once, here

    @cached_property
    def chart(self) -> Chart:
        """The tree of the joints."""
        return spanning_chart(self.system, self.joints)

    @cached_property
    def _kinematics(self) -> Kinematics:
        return kinematics_room(self.system.program.bodies, int(self.chart.v_start[-1]))

    @property
    def arrays(self) -> Joints:
        """What compiled runs in the tree's coordinates compute with."""
        return self.chart, self._kinematics, self._steps

    @cached_property
    def _steps(self) -> JointSteps:
        s, tableau = self.system, self.method.tableau
        assert tableau is not None
        return joint_steps(len(tableau.nodes), self.chart, s.program.angle_count, len(s.drives) + 1, s.program.rows)

    @cached_property
    def within(self) -> Within:
        """The workspace for states within a step, in the tree's coordinates."""
        return make_within(self.system, self.method.extra, self._steps.most[: len(self._steps.q)].copy())

    def begin(self, state: State, slope: Slope) -> Array:  # type: ignore[override]
        """The memory of a step that ends in `state`."""
        self._read(state)
        return np.concatenate([self._steps.q, self._steps.rates, self._signs(state)])

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """The accelerations at a state, and multipliers, with the bodies put on the tree's joints."""
        self._read(state)
        return super().slope(self._state(state.t, self._signs(state), np.asarray(state.angles)), drive)

    def settle(self, state: State, tolerances: tuple[float, float]) -> State:
        """A state within a step, put on the tree's joints and closed."""
        self._read(state)
        S, drive = self._steps, drive_values(self.system, state.t)
        S.angles[:] = np.asarray(state.angles)
        close_joints(self.tables, self.chart, self._kinematics, S, drive)
        return self._state(state.t, self._signs(state), S.angles.copy())

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Remembered, h: float, tolerances: tuple[float, float]
    ) -> Attempt:
        """See `solver.steps.methods.Engine`."""
        tableau, S, K = self.method.tableau, self._steps, self._kinematics
        assert isinstance(memory, np.ndarray)
        assert tableau is not None
        q, rates, signs = np.split(memory, np.cumsum([len(S.q), len(S.rates)]))
        drives = np.array([drive_values(self.system, state.t + c * h) for c in tableau.nodes])
        end = drives[-1] if tableau.nodes[-1] == 1.0 else drive_values(self.system, state.t + h)
        S.start[:] = np.concatenate([q, rates, np.asarray(state.angles), work])
        begin = (slope.acceleration, slope.turning, slope.power)
        error, moved, residual = joint_step(self.tables, self.chart, K, S, tableau, h, begin, drives, end, tolerances)
        count = self.method.evaluations
        if not error <= 1.0:
            return Attempt(state, work, error, moved, residual, memory, count)
        if not (np.all(np.isfinite(K.v)) and np.isfinite(residual)):
            return Attempt(state, work, np.inf, moved, residual, memory, count)
        found = self._state(state.t + h, signs, S.angles.copy())
        kept = np.concatenate([S.q, S.rates, signs])
        last = super().slope(found, end)
        return Attempt(found, S.work.copy(), error, moved, residual, kept, count, last)

    def _read(self, state: State) -> None:
        """The joint coordinates and rates at a state into the steps' arrays, the bodies there into the kinematics'."""
        S = self._steps
        arrays = (np.ascontiguousarray(a) for a in (state.positions, state.quaternions, state.velocities))
        read_joints(self.chart, self._kinematics, *arrays, S.q, S.rates)

    def _signs(self, state: State) -> Array:
        """By body, the sign of the state's quaternion over that of the chart where it is."""
        alike = np.einsum("ij,ij->i", self._kinematics.quaternion, state.quaternions)
        return np.where(alike < 0.0, -1.0, 1.0)

    def _state(self, t: float, signs: Array, angles: Array) -> State:
        """The bodies where the chart is."""
        K = self._kinematics
        return State(t, K.x.copy(), signs[:, None] * K.quaternion, K.v.copy(), angles)
