"""A run's samples as makers of columns take them: what several of them need is computed once, when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.changes import released_at
from cadbridge.simulation.row_wrenches import RowResults, Wrenches, row_results
from cadbridge.simulation.run import Run
from cadbridge.simulation.thrust import with_thrust
from solver.equations.evaluator import observer
from solver.equations.projection import drive_values
from solver.model import Model
from solver.result import Trajectory
from solver.rotation import matrix

Array = NDArray[np.float64]
Columns = dict[str, tuple[Array, str]]
"""Column name to values (k,) and unit."""


@dataclass(frozen=True, eq=False)
class Samples:
    """The k samples of a run."""

    run: Run

    @property
    def T(self) -> Trajectory:
        """The trajectory."""
        return self.run.result.trajectory

    @property
    def model(self) -> Model:
        """The model that was computed, with all its loads."""
        return self.run.system.model

    @cached_property
    def rotations(self) -> Array:
        """The units' rotation matrices (k, n, 3, 3)."""
        q = self.T.quaternions
        return matrix(q) if q.size else np.zeros((*q.shape[:2], 3, 3))

    @cached_property
    def rows(self) -> RowResults:
        """Residuals and rates of the rows, and the wrenches of groups as the multipliers have them."""
        return row_results(self.run)

    @property
    def wrenches(self) -> Wrenches:
        """The wrenches of groups, with what teeth of crossed axes push into the joints."""
        return self._pushed[0]

    @property
    def teeth(self) -> Columns:
        """The forces in the teeth of crossed axes."""
        return self._pushed[1]

    @cached_property
    def _pushed(self) -> tuple[Wrenches, Columns]:
        return with_thrust(self.run, self.rows.wrenches, lambda: self.mesh_torques[0])

    @property
    def values(self) -> Array:
        """All coordinates (k, c) that loads act along, in the order of `System.program.coordinate_term`."""
        return self._observed[0]

    @property
    def rates(self) -> Array:
        """Their rates (k, c)."""
        return self._observed[1]

    @property
    def drive(self) -> Array:
        """The functions of time of the drives, with two derivatives (k, rows, 3)."""
        return self._observed[2]

    @cached_property
    def _observed(self) -> tuple[Array, Array, Array]:
        """Coordinates, rates and functions of time, asked anew of the poses and velocities of the samples."""
        T, system = self.T, self.run.system
        look, start = observer(system), len(system.program.coordinate_term)
        values, rates = np.zeros((len(T.t), start)), np.zeros((len(T.t), start))
        drive = np.zeros((len(T.t), len(system.drives), 3))
        for s, t in enumerate(T.t):
            drive[s] = self._drive_at(float(t))
            values[s], rates[s], *_ = look(T.state(s), drive[s], T.accelerations[s])
        return values, rates, drive

    def _drive_at(self, t: float) -> Array:
        try:
            return drive_values(self.run.system, t)
        except ValueError:
            if self.run.result.status.ok:
                raise
            # The run ended here for that reason: at a pole of a load, say, which the last sample may be a rounding off.
            return np.full((len(self.run.system.drives), 3), np.nan)

    @property
    def first_motor(self) -> int:
        """Where the coordinates of the motors begin."""
        model = self.model
        # Each mesh has two coordinates, one for each wheel.
        return len(model.coordinates) + len(model.loads) + 2 * len(model.meshes)

    @cached_property
    def mesh_torques(self) -> tuple[Array, Array]:
        """What holds the two wheels of a mesh back (k, m, 2; N m, N), as in `solver.equations.loads`; their rates."""
        F, model = self.run.system.loads, self.model
        start = len(model.coordinates) + len(model.loads)
        rates = self.rates[:, start : self.first_motor].reshape(len(self.rates), -1, 2)
        pulls = self.T.multipliers[:, F.mesh_row, None] * F.mesh_pull
        driven = np.where(pulls[:, :, 0] * rates[:, :, 0] > 0, 1, 0)[:, :, None] == np.arange(2)
        return np.where(driven, F.mesh_loss * np.abs(pulls) * np.tanh(rates / F.mesh_speed), 0.0), rates

    def here(self, name: str) -> Array:
        """1 while a joint holds, 0 while it is released (k,)."""
        return np.asarray(~released_at(self.run.scenario.changes, name, self.T.t), dtype=float)

    def table(self, makers: Iterable[Callable[[Samples], Columns]]) -> Columns:
        """The columns of several makers, in their order."""
        return {name: column for columns in makers for name, column in self.once(columns).items()}

    def once(self, maker: Callable[[Samples], Columns]) -> Columns:
        """The columns of a maker, which are made once: those of motors are asked for by the energies too."""
        if maker not in self._made:
            self._made[maker] = maker(self)
        return self._made[maker]

    @cached_property
    def _made(self) -> dict[Callable[[Samples], Columns], Columns]:
        return {}


def wrench_columns(name: str, wrench: Array) -> Columns:
    """fx … tz of a wrench (k, 6), N and N m."""
    units = ("N",) * 3 + ("N m",) * 3
    return {
        f"{name}.{what}": (wrench[:, k], unit)
        for k, (what, unit) in enumerate(zip(("fx", "fy", "fz", "tx", "ty", "tz"), units, strict=True))
    }
