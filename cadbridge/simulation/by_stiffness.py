"""Reactions by stiffness: the shares of mates that repeat each other, along a run whose motion stays rigid.

The run keeps the rows of every mate; its multipliers are one of many shares, that of least norm. At each sample the
share of the least energy under the stiffness of the mates takes their place (`cadbridge.misfit.sharing`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cadbridge.assembly import GROUND
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY
from cadbridge.misfit.groups import Constraints, constraints_of, groups_of
from cadbridge.misfit.settings import Settings, stiffness_rows
from cadbridge.misfit.sharing import by_stiffness
from cadbridge.simulation.joint_wrenches import wrenches_of_joints
from cadbridge.simulation.row_wrenches import RowWrench, Wrenches
from cadbridge.simulation.samples import Columns, Samples, wrench_columns
from solver.constraints.evaluation import SparseRows, evaluate_sparse
from solver.rotation import matrix

if TYPE_CHECKING:
    from solver.equations.system import System
    from solver.result import Trajectory

Array = NDArray[np.float64]

PREFIX = "by_stiffness"


@dataclass(frozen=True, eq=False)
class MateRows:
    """The rows (m,) of all mates of a run: their stiffness, and what makes of a residual a length or an angle.

    `sharing` are the mates that repeat each other.
    """

    constraints: Constraints
    stiffness: Array
    scale: Array
    sharing: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.stiffness)

    def matrix(self, found: SparseRows, bodies: int, length: float) -> csr_array:
        """The rows (m, 6n) at a state, in lengths and angles, for [v; ω·length] of the bodies."""
        own = found.row < len(self)
        row, body = found.row[own], found.body[own]
        values = found.blocks[own] * self.scale[row, None] / np.array([1.0] * 3 + [length] * 3)
        columns = 6 * body[:, None] + np.arange(6)
        return csr_array((values.ravel(), (np.repeat(row, 6), columns.ravel())), shape=(len(self), 6 * bodies))


def mate_rows_of(lowered: Lowered, settings: Settings) -> MateRows | None:
    """The rows of a run that keeps those of every mate; None where it does not, or where no mates repeat each other."""
    if lowered.collapsed:
        return None
    constraints = constraints_of(lowered.mechanism)
    sharing = tuple(mate for group in groups_of(constraints) for mate in group.mates)
    if not sharing:
        return None
    k = stiffness_rows(settings, constraints.blocks.blocks, len(constraints.rows))
    return MateRows(constraints, k, constraints.blocks.scale, sharing)


def multipliers_by_stiffness(rows: MateRows, system: System, T: Trajectory, length: float) -> Array:
    """The multipliers (k, m') of a run in which those of mates are shared by stiffness; others stay."""
    shared = T.multipliers.copy()
    m = len(rows)
    for s in range(len(T.t)):
        found = evaluate_sparse(system.program, T.positions[s], T.quaternions[s], T.velocities[s], T.angles[s])
        A = rows.matrix(found, T.positions.shape[1], length)
        force = by_stiffness(A, rows.stiffness, T.multipliers[s, :m] / rows.scale)
        shared[s, :m] = force * rows.scale
    return shared


def by_stiffness_columns(of: Samples) -> Columns:
    """The wrenches of the mates that share redundant equations, and of joints made of them; marked as by stiffness.

    None where the run is collapsed, as one is that attaches or releases on its way: these act on joints (CB620).
    """
    run, T = of.run, of.T
    rows = mate_rows_of(run.lowered, run.stiffness or Settings())
    if rows is None:
        return {}
    multipliers = multipliers_by_stiffness(rows, run.system, T, run.mechanism.length_scale)
    return share_columns(of, rows, multipliers, PREFIX)


def share_columns(of: Samples, rows: MateRows, multipliers: Array, prefix: str) -> Columns:
    """Columns `PREFIX.mate.NAME.fx` … and `PREFIX.joint.NAME.fx` … of the mates that share, for some multipliers."""
    run, T = of.run, replace(of.T, multipliers=multipliers)
    other = Samples(replace(run, result=replace(run.result, trajectory=T)))
    wrenches = other.rows.wrenches
    columns: Columns = {}
    for mate in rows.sharing:
        columns |= wrench_columns(f"{prefix}.mate.{mate}", _at_its_point(other, rows, mate, wrenches))
    sharing = set(rows.sharing)
    wanted = {j.name for j in run.mechanism.joints if sharing.intersection(j.mates)}
    for name, column in wrenches_of_joints(other, wrenches).items():
        if name.removeprefix("joint.").rpartition(".")[0] in wanted:
            columns[f"{prefix}.{name}"] = column
    return columns


def _at_its_point(of: Samples, rows: MateRows, mate: str, wrenches: Wrenches) -> Array:
    """What a mate does to its second component (k, 6), about the mate's point, which moves with that component.

    What it does to the ground is the opposite of what it does to the other.
    """
    run, T, rotations = of.run, of.T, of.rotations
    index = {unit.name: i for i, unit in enumerate(run.lowered.units)}
    sides = {m.name: (m.a.component, m.b.component) for m in run.mechanism.assembly.mates}.get(mate)
    if sides is None or mate not in wrenches:
        return np.zeros((len(T.t), 6))
    second = sides[1] != GROUND
    bearer = index.get(sides[1] if second else sides[0], GROUND_BODY)
    own: RowWrench = wrenches[mate]
    wrench = own.on(bearer) * (1.0 if second else -1.0)
    local = _local(run.lowered, bearer, rows.constraints.blocks.frames[mate].point)
    arm = -np.einsum("kij,j->ki", rotations[:, bearer], local)
    wrench[:, 3:] += np.cross(arm, wrench[:, :3])
    return wrench


def _local(lowered: Lowered, unit: int, point: Array) -> Array:
    """A point of the world, as designed, in the frame of a unit at its centre of mass."""
    R = matrix(lowered.model.quaternions[unit])
    local: Array = R.T @ (point - lowered.model.positions[unit])
    return local
