"""Constraints that repeat others and contradict them by CAD rounding: left out, so that the mechanism moves.

A CAD file rounds its dimensions. Where mates repeat others, they then cannot all hold exactly, and by how much they
contradict each other varies along the motion: no choice of constants closes them. As long as the gap is of the size of
rounding, the rows that repeat others are left out of the model, and stay within the tolerance by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from cadbridge.diagnosis.web import web_of
from cadbridge.findings import Findings, Where
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism.rows import fit, rows_of
from solver import rotation
from solver.model import Model
from solver.projection import POSITION_TOLERANCE, carry_angles, open_rows, project
from solver.result import Trajectory
from solver.state import State
from solver.system import System, prepare

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 1e-5
"""m: CAD rounds to less, mates that are wrong differ by more. What the diagnosis calls benign is the same."""
LARGEST_SHARE = 1e-3
"""Parts of the mechanism's length that are never taken for rounding."""
POSES = 4
"""Poses near the design at which rows are looked at."""
STEP = 0.1
"""rad, or lengths of the mechanism, by which these poses are away: its square is far above all that is rounding."""
FIRST = 1e3
"""The weight of a row that has to stay: what teeth lose hangs on the row of their pair."""
MOST = 8
"""Mates that a finding names."""


def tolerant(lowered: Lowered, findings: Findings, gap: float = GAP) -> Lowered:
    """The lowered mechanism itself where all its rows hold exactly, or contradict each other by more than `gap` (m).

    Between, rows that repeat others are left out (CB625, `Lowered.left_out`): those that stay within the gap by
    themselves at all poses around the design that the others allow.
    """
    whole = _bare(lowered.model)
    system = prepare(whole, carried=False)
    found = project(system, State.at_rest(whole.positions, whole.quaternions))
    design, allowed = found.state, _allowed(system, gap)
    if float(np.max(found.position, initial=0.0)) > allowed:
        return lowered
    spare, gaps = _spare(lowered, design), np.zeros(0)
    while len(spare):
        gaps = _gaps(system, spare, design)
        if float(np.max(gaps, initial=0.0)) <= _rounded(system, design):
            return lowered
        if float(np.max(gaps)) <= allowed:
            break
        # At another pose it says something of its own: the design is a special one.
        spare = np.delete(spare, int(np.argmax(gaps)))
    if not len(spare):
        return lowered
    _tell(lowered, spare, gaps * system.length, allowed * system.length, findings)
    return _without(lowered, spare)


def tell_gaps(lowered: Lowered, T: Trajectory, findings: Findings, gap: float = GAP) -> dict[str, float]:
    """How far (m) the rows left out of each mate opened along a run; beyond `gap` it is told (CB626)."""
    if not lowered.left_out or not len(T.t):
        return {}
    count = len(lowered.left_out)
    system = prepare(_bare(with_left_out(lowered, lowered.model)), carried=False)
    allowed = _allowed(system, gap) * system.length
    largest, when = np.zeros(count), np.zeros(count)
    angles = None
    for t, x, q in zip(T.t, T.positions, T.quaternions, strict=True):
        state = State(float(t), x, q, np.zeros((len(x), 6)), angles)
        rows, angles = open_rows(system, state)
        gaps = rows[-count:] * system.length
        when = np.where(gaps > largest, t, when)
        largest = np.maximum(largest, gaps)
    opened: dict[str, float] = {}
    for (name, _), size in zip(lowered.left_out, largest, strict=True):
        opened[name] = max(opened.get(name, 0.0), float(size))
    worst = int(np.argmax(largest))
    if largest[worst] > allowed:
        name = lowered.left_out[worst][0]
        said = (
            f"{name} contradicts other mates by {largest[worst]:.3g} m at t = {when[worst]:.4g} s, "
            f"and {allowed:.3g} m are allowed"
        )
        findings.add("CB626", said, Where(item=name))
    return opened


def with_left_out(lowered: Lowered, model: Model) -> Model:
    """A model of the lowered mechanism with the rows that were left out, behind its own."""
    return replace(
        model,
        primitives=(*model.primitives, *(p for _, p in lowered.left_out)),
        groups=(*model.groups, *(name for name, _ in lowered.left_out)),
    )


def _allowed(system: System, gap: float) -> float:
    """The scaled residual up to which rows count as rounded."""
    return min(gap / system.length, LARGEST_SHARE)


def _bare(model: Model) -> Model:
    """Its bodies and rows."""
    return replace(model, loads=(), meshes=(), coordinates=(), coordinate_names=())


def _rounded(system: System, state: State) -> float:
    """What rows may be open by for the computer's rounding alone: positions far from the origin have fewer digits."""
    return max(POSITION_TOLERANCE, 1e-13 + 2e-14 * float(np.max(np.abs(state.positions), initial=0.0)) / system.length)


def _spare(lowered: Lowered, state: State) -> Ints:
    """The rows (each its primitive's only one) that repeat others at a pose."""
    model = lowered.model
    poses = [Pose(rotation.matrix(q), x) for x, q in zip(state.positions, state.quaternions, strict=True)]
    rows = rows_of(model.primitives, model.groups, poses, lowered.mechanism.length_scale)
    web = web_of(rows, range(len(rows)), fit(rows))
    lossy = {mesh.name for mesh in model.meshes}
    weight = np.array([FIRST if group in lossy else 1.0 for group in model.groups])
    keep = np.zeros(len(rows), dtype=bool)
    for branch in web.branches.values():
        if branch.pair is not None:
            keep[branch.pair.rows[_strongest(branch.pair.W, weight[branch.pair.rows], branch.pair.rank)]] = True
    for block in web.loops:
        keep[block.rows[_strongest(block.J, weight[block.rows], block.rank)]] = True
    return np.flatnonzero(~keep)


def _strongest(W: Array, weight: Array, rank: int) -> Ints:
    """So many rows of W (m, n) that the others are small sums of them: by pivoting on what is largest."""
    if rank == len(W):
        return np.arange(rank)
    _, _, order = qr((W * weight[:, None]).T, mode="economic", pivoting=True)
    return np.asarray(order[:rank], dtype=np.int64)


def _without(lowered: Lowered, spare: Ints) -> Lowered:
    model, gone = lowered.model, set(spare.tolist())
    keep = [i for i in range(len(model.primitives)) if i not in gone]
    less = replace(
        model, primitives=tuple(model.primitives[i] for i in keep), groups=tuple(model.groups[i] for i in keep)
    )
    left_out = tuple((model.groups[i], model.primitives[i]) for i in spare.tolist())
    return replace(lowered, model=less, left_out=left_out)


def _gaps(system: System, spare: Ints, design: State) -> Array:
    """How far the rows `spare` open at most, scaled, at poses around the design that the other rows allow."""
    gone = set(spare.tolist())
    kept = tuple(p for i, p in enumerate(system.model.primitives) if i not in gone)
    less = prepare(replace(system.model, primitives=kept, groups=()), carried=False)
    largest = np.zeros(len(spare))
    for state in _around(less, design):
        rows, _ = open_rows(system, carry_angles(state, less, system))
        largest = np.maximum(largest, rows[spare])
    return largest


def _around(system: System, design: State) -> Iterator[State]:
    """The pose nearest to the design on the system's rows, and some that it moves to from there."""
    home = project(system, replace(design, angles=None)).state
    yield home
    random = np.random.default_rng(1)
    for _ in range(POSES):
        any_rates = random.standard_normal(home.velocities.shape) * ([system.length] * 3 + [1.0] * 3)
        rates = project(system, replace(home, velocities=any_rates)).state.velocities
        size = float(np.max(np.abs(rates) / ([system.length] * 3 + [1.0] * 3), initial=0.0))
        if size < 1e-9:
            return
        way = rates * STEP / size
        moved = replace(
            home, positions=home.positions + way[:, :3], quaternions=rotation.turned(home.quaternions, way[:, 3:])
        )
        found = project(system, moved)
        if found.status.ok:
            yield found.state


def _tell(lowered: Lowered, spare: Ints, gaps: Array, allowed: float, findings: Findings) -> None:
    sizes: dict[str, float] = {}
    for i, size in zip(spare.tolist(), gaps, strict=True):
        name = lowered.model.groups[i]
        sizes[name] = max(sizes.get(name, 0.0), float(size))
    named = sorted(sizes, key=lambda name: -sizes[name])
    more = f" and {len(named) - MOST} more" if len(named) > MOST else ""
    said = ", ".join(f"{name} ({sizes[name]:.3g} m)" for name in named[:MOST])
    findings.add(
        "CB625",
        f"{len(spare)} rows repeat others and contradict them by up to {float(np.max(gaps)):.3g} m, of {said}{more}; "
        f"{allowed:.3g} m are allowed",
        Where(item=named[0]),
    )
