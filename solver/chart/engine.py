"""What a run in the joint coordinates of a spanning tree computes with.

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
from solver.chart.stepping import Joints, JointSteps, joint_steps
from solver.state import State
from solver.steps.methods import Absolute
from solver.steps.samples import Within, make_within

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ChartEngine(Absolute):
    """Steps of `system` in the coordinates of a tree of its `joints`; ValueError where that cannot be."""

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

    def may_change_suddenly(self, part: float) -> None:
        """As of absolute coordinates, the rates of the joints."""
        super().may_change_suddenly(part)
        self._steps.sudden[0] = part

    @cached_property
    def within(self) -> Within:
        """The workspace for states within a step, in the tree's coordinates."""
        return make_within(self.system, self.method.extra, self._steps.most[: len(self._steps.q)].copy())

    def read(self, state: State) -> None:
        """The joint coordinates and rates at a state into the steps' arrays, the bodies there into the kinematics'."""
        S = self._steps
        x, q, v = (np.ascontiguousarray(a) for a in (state.positions, state.quaternions, state.velocities))
        read_joints(self.chart, self._kinematics, x, q, v, S.q, S.rates)
