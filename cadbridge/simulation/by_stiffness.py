"""Reactions by stiffness: the shares of mates that repeat each other, along a run whose motion stays rigid.

The run keeps the rows of every mate; its multipliers are one of many shares, that of least norm. At each sample the
share of the least energy under the stiffness of the mates takes their place (`cadbridge.misfit.sharing`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.rows import ARTEFACT
from cadbridge.misfit.blocks import Block
from cadbridge.misfit.groups import Constraints, constraints_of, groups_of
from cadbridge.misfit.settings import Settings, stiffness_of, stiffness_rows
from cadbridge.misfit.sharing import by_stiffness
from cadbridge.simulation.changes import lock_name
from cadbridge.simulation.determined import MOST_ROWS
from cadbridge.simulation.joint_wrenches import attachment, wrenches_of_joints
from cadbridge.simulation.row_wrenches import RowWrench
from cadbridge.simulation.run import Run
from cadbridge.simulation.samples import Columns, Samples, wrench_columns
from solver.algebra.rank import left_null_space
from solver.constraints.evaluation import SparseRows, evaluate_sparse
from solver.rotation import matrix

if TYPE_CHECKING:
    from solver.equations.system import System
    from solver.result import Trajectory

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PREFIX = "by_stiffness"
SAME_TIME = 1e-9
"""s within which two samples are at one time: stages of a run end and begin there, computed in two ways."""


@dataclass(frozen=True, eq=False)
class StiffnessRows:
    """The rows (m,) of all mates that hold in a run, then those that changes made: their stiffness, and what makes of a
    residual a length or an angle.

    `at` (m,) are their rows in the run's system, `primitive` (m,) its primitives; `number` are those of the rows of
    mates among the `constraints`, which may be more. `sharing` are the mates that repeat each other, `attached` the
    locks and attachments that repeat mates.
    """

    constraints: Constraints
    at: Ints
    primitive: Ints
    number: Ints
    stiffness: Array
    scale: Array
    sharing: tuple[str, ...] = ()
    attached: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.stiffness)

    def owner(self, i: int) -> str:
        """The mate of a row of mates."""
        return str(self.constraints.rows.owners[self.number[i]])

    def matrix(self, found: SparseRows, bodies: int, length: float) -> csr_array:
        """The rows (m, 6n) at a state, in lengths and angles, for [v; ω·length] of the bodies."""
        place = np.full(len(found.g), -1)
        place[self.at] = np.arange(len(self))
        own = place[found.row] >= 0
        row, body = place[found.row[own]], found.body[own]
        values = found.blocks[own] * self.scale[row, None] / np.array([1.0] * 3 + [length] * 3)
        columns = 6 * body[:, None] + np.arange(6)
        return csr_array((values.ravel(), (np.repeat(row, 6), columns.ravel())), shape=(len(self), 6 * bodies))

    def sampled(self, system: System, T: Trajectory, s: int, length: float) -> csr_array:
        """The rows (m, 6n) at a sample of a run."""
        found = evaluate_sparse(system.program, T.positions[s], T.quaternions[s], T.velocities[s], T.angles[s])
        return self.matrix(found, T.positions.shape[1], length)


def mate_rows_of(run: Run) -> StiffnessRows | None:
    """The rows of a run that keeps those of every mate; None where it does not, or where no mates repeat each other.

    The run is one without changes, or one of those between them (`stages_of`).
    """
    if run.lowered.collapsed:
        return None
    settings, lowered = run.stiffness or Settings(), run.lowered
    constraints = constraints_of(run.mechanism)
    held, made = _numbered(run, constraints.blocks.own)
    number = np.array(list(held.values()), np.int64)
    primitive = np.array([*held, *made], np.int64)
    k = stiffness_rows(settings, constraints.blocks.blocks, len(constraints.rows))[number]
    k_made = [stiffness_of(settings, _block(lowered, i)) for i in made]
    scale = np.concatenate([constraints.blocks.scale[number], np.ones(len(made))])
    at = run.system.program.primitive_row[primitive].astype(np.int64)
    rows = StiffnessRows(constraints, at, primitive, number, np.concatenate([k, k_made]), scale)
    owners = constraints.rows.owners
    here = {owners[i] for i in number}
    # Rows that cease to hold leave the other self-stresses as they are; rows that a change makes add some.
    open_ = {mate for group in groups_of(constraints, faces=False) for mate in group.mates} & here
    if made:
        open_ |= _repeated(run, rows)
    sharing = tuple(mate for mate in dict.fromkeys(owners) if mate in open_ & here)
    attached = tuple(group for group in dict.fromkeys(lowered.model.groups[i] for i in made) if group in open_)
    return replace(rows, sharing=sharing, attached=attached) if sharing else None


def _numbered(run: Run, own: Mapping[str, Ints]) -> tuple[dict[int, int], list[int]]:
    """The primitives of a run that are rows of mates, with their number, and those that changes made.

    `own` are the rows of each mate; they hold together or not at all.
    """
    changes = {name for spec in run.scenario.changes for name in (spec.name, lock_name(spec.name))}
    seen: Counter[str] = Counter()
    held: dict[int, int] = {}
    made: list[int] = []
    for i, group in enumerate(run.lowered.model.groups):
        if group in own:
            held[i] = int(own[group][seen[group]])
            seen[group] += 1
        elif group in changes:
            made.append(i)
    return held, made


def _block(lowered: Lowered, i: int) -> Block:
    """A row that a change made, as one of a mate that holds its two sides in all ways."""
    kind = "place" if lowered.model.primitives[i].unit == "m" else "swing"
    return Block(lowered.model.groups[i], kind, np.zeros(1, np.int64), np.zeros((1, 3)))


def _repeated(run: Run, rows: StiffnessRows) -> set[str]:
    """The mates, locks and attachments that repeat each other where a run begins; none of very many rows."""
    if len(rows) > MOST_ROWS:
        return set()
    A = rows.sampled(run.system, run.result.trajectory, 0, run.mechanism.length_scale)
    N = left_null_space(A.toarray(), 1.0)
    used = np.linalg.norm(N, axis=1) > ARTEFACT
    groups = run.lowered.model.groups
    return {groups[rows.primitive[i]] for i in np.flatnonzero(used)}


def multipliers_by_stiffness(rows: StiffnessRows, run: Run) -> Array:
    """The multipliers (k, m') of a run in which those of mates are shared by stiffness; others stay."""
    T = run.result.trajectory
    shared = T.multipliers.copy()
    for s in range(len(T.t)):
        A = rows.sampled(run.system, T, s, run.mechanism.length_scale)
        force = by_stiffness(A, rows.stiffness, T.multipliers[s, rows.at] / rows.scale)
        shared[s, rows.at] = force * rows.scale
    return shared


def by_stiffness_columns(of: Samples) -> Columns:
    """The wrenches of the mates that share redundant equations, and of joints made of them; marked as by stiffness.

    None where the run is collapsed. Of a run with changes, the mates that share at any time; each stage has the shares
    of the rows that hold in it.
    """
    stages = stages_of(of.run)
    rows = [mate_rows_of(stage) for stage in stages]
    known = [r for r in rows if r is not None]
    if not known:
        return {}
    shown = shown_of(known)
    found = []
    for stage, own in zip(stages, rows, strict=True):
        multipliers = stage.result.trajectory.multipliers if own is None else multipliers_by_stiffness(own, stage)
        found.append(share_columns(stage, known[0].constraints, shown, multipliers))
    return in_stages(of.run, stages, found)


def stages_of(run: Run) -> list[Run]:
    """The runs between the changes of a run, each of the rows that hold in it; the run itself where nothing changed."""
    if not run.stages:
        return [run]
    model = run.lowered.model
    return [
        replace(
            run, system=system, result=result, stages=(),
            lowered=replace(
                run.lowered, model=replace(model, primitives=system.model.primitives, groups=system.model.groups)
            ),
        )
        for system, result in run.stages
    ]  # fmt: skip


def in_stages(run: Run, stages: Sequence[Run], found: Sequence[Columns]) -> Columns:
    """Columns of stages as columns at the run's samples; at a change, those after it, NaN where there are none."""
    if len(stages) == 1 and stages[0] is run:
        return found[0]
    t = run.result.trajectory.t
    joined: Columns = {}
    for stage, columns in zip(stages, found, strict=True):
        own = stage.result.trajectory.t
        near = np.clip(np.searchsorted(own, t - SAME_TIME), 0, len(own) - 1)
        here = np.abs(own[near] - t) <= SAME_TIME
        for name, (values, unit) in columns.items():
            whole = joined.setdefault(name, (np.full(len(t), np.nan), unit))[0]
            inside = here & (near < len(values))
            whole[inside] = values[near[inside]]
    return joined


@dataclass(frozen=True)
class ShownMates:
    """Of which mates, and of which locks and attachments, a run has columns."""

    mates: tuple[str, ...]
    attached: tuple[str, ...]


def shown_of(stages: Sequence[StiffnessRows]) -> ShownMates:
    """Those that repeat each other in any stage."""
    mates = dict.fromkeys(mate for rows in stages for mate in rows.sharing)
    return ShownMates(tuple(mates), tuple(dict.fromkeys(name for rows in stages for name in rows.attached)))


def share_columns(run: Run, constraints: Constraints, shown: ShownMates, multipliers: Array) -> Columns:
    """Columns `by_stiffness.mate.NAME.fx` …, `.joint.NAME.fx` … and `.attachment.NAME.fx` … for some multipliers."""
    T = replace(run.result.trajectory, multipliers=multipliers)
    other = Samples(replace(run, result=replace(run.result, trajectory=T)))
    wrenches = other.rows.wrenches
    columns: Columns = {}
    sides = _sides(run.mechanism)
    for mate in shown.mates:
        wrench = np.zeros((len(T.t), 6))
        if mate in sides and mate in wrenches:
            wrench = _at_its_point(other, constraints.blocks.frames[mate].point, sides[mate], wrenches[mate])
        columns |= wrench_columns(f"{PREFIX}.mate.{mate}", wrench)
    sharing = set(shown.mates)
    wanted = {j.name for j in run.mechanism.joints if sharing.intersection(j.mates)}
    for name, column in wrenches_of_joints(other, wrenches).items():
        if name.removeprefix("joint.").rpartition(".")[0] in wanted:
            columns[f"{PREFIX}.{name}"] = column
    for group in shown.attached:
        columns |= attachment(other, group, wrenches, f"{PREFIX}.")
    return columns


def _sides(mechanism: Mechanism) -> dict[str, tuple[str, str]]:
    """The components of each mate, that on which its wrench is given last: the one in its joint's second body.

    Mates point either way, but their shares add up to their joint's wrench. Between two components of one body, which
    have no joint, all are given on the second component of the first of them.
    """
    second = {mate: joint.b for joint in mechanism.joints for mate in joint.mates}
    given: dict[frozenset[str], str] = {}
    sides = {}
    for mate in mechanism.assembly.mates:
        a, b = mate.a.component, mate.b.component
        if mate.name in second:
            turned = mechanism.body_of.get(b, GROUND_BODY) != second[mate.name]
        else:
            turned = given.setdefault(frozenset((a, b)), b) != b
        sides[mate.name] = (b, a) if turned else (a, b)
    return sides


def _at_its_point(of: Samples, point: Array, sides: tuple[str, str], own: RowWrench) -> Array:
    """What a mate does to the last of its components (k, 6), about its point, which moves with that component.

    What it does to the ground, or to what stands on it, is the opposite of what it does to the other.
    """
    index = {unit.name: i for i, unit in enumerate(of.run.lowered.units)}
    bearer, sign = next(
        ((index[c], sign) for c, sign in zip(reversed(sides), (1.0, -1.0), strict=True) if c in index), (None, 0.0)
    )
    if bearer is None:
        return np.zeros((len(of.T.t), 6))
    wrench = own.on(bearer) * sign
    # From the point to the centre of mass, about which the wrench is given.
    arm = -np.einsum("kij,j->ki", of.rotations[:, bearer], _local(of.run.lowered, bearer, point))
    wrench[:, 3:] += np.cross(arm, wrench[:, :3])
    return wrench


def _local(lowered: Lowered, unit: int, point: Array) -> Array:
    """A point of the world, as designed, in the frame of a unit at its centre of mass."""
    R = matrix(lowered.model.quaternions[unit])
    local: Array = R.T @ (point - lowered.model.positions[unit])
    return local
