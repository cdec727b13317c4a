"""What the rows of joints, gears and mates do to the units, from the multipliers: linear in rows and bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.run import Run
from solver.constraints.evaluation import SparseRows, evaluate_sparse

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RowWrench:
    """What one group's rows do: `units` (m,) that they hold, wrenches (k, m, 6) [f; τ] about the centres of mass."""

    units: tuple[int, ...]
    values: Array

    def on(self, unit: int) -> Array:
        """The wrench (k, 6) on a unit; nothing on one that the rows do not hold."""
        if unit not in self.units:
            return np.zeros((len(self.values), 6))
        found: Array = self.values[:, self.units.index(unit)]
        return found

    def on_all(self, count: int) -> Array:
        """The wrenches (k, count, 6) on all units."""
        every = np.zeros((len(self.values), count, 6))
        every[:, list(self.units)] = self.values
        return every


Wrenches = Mapping[str, RowWrench]
"""By the names of joints, gears and mates."""


@dataclass(frozen=True, eq=False)
class RowResults:
    """All samples' residuals g (k, m) and their rates, and the wrenches of the groups."""

    g: Array
    rates: Array
    wrenches: Wrenches


def row_results(run: Run) -> RowResults:
    """Recomputed from the states of the trajectory, one sample after the other."""
    T, model, program = run.result.trajectory, run.lowered.model, run.system.program
    k = len(T.t)
    g, rates = np.zeros((k, program.rows)), np.zeros((k, program.rows))
    group_of = np.repeat(np.arange(len(model.primitives)), np.diff(program.primitive_row[: len(model.primitives) + 1]))
    held: dict[tuple[str, int], int] = {}
    slots: NDArray[np.int64] | None = None
    values = np.zeros((k, 0, 6))
    for s in range(k):
        found = evaluate_sparse(program, T.positions[s], T.quaternions[s], T.velocities[s], T.angles[s])
        g[s], rates[s] = found.g, found.rates
        if slots is None:
            slots = _slots(found, [model.groups[i] for i in group_of], held)
            values = np.zeros((k, len(held), 6))
        used = slots >= 0
        np.subtract.at(values[s], slots[used], T.multipliers[s, found.row[used], None] * found.blocks[used])
    return RowResults(g, rates, _grouped(held, values, model.groups))


def _slots(found: SparseRows, groups: list[str], held: dict[tuple[str, int], int]) -> NDArray[np.int64]:
    """The place of each block's group and unit in `held`, which is filled; -1 for rows of no group."""
    pairs = zip(found.row.tolist(), found.body.tolist(), strict=True)
    return np.array(
        [held.setdefault((groups[row], unit), len(held)) if row < len(groups) else -1 for row, unit in pairs],
        dtype=np.int64,
    )


def _grouped(held: dict[tuple[str, int], int], values: Array, groups: tuple[str, ...]) -> dict[str, RowWrench]:
    members: dict[str, list[tuple[int, int]]] = {group: [] for group in groups}
    for (group, unit), slot in held.items():
        members[group].append((unit, slot))
    return {
        group: RowWrench(tuple(unit for unit, _ in own), values[:, [slot for _, slot in own]])
        for group, own in members.items()
    }
