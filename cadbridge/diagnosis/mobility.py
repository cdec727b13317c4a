"""How much of the first instant's mobility is a finite motion, and each freedom in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Branch
from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.diagnosis.finite import STEPS, Subsystem, correction, is_finite, local_dof, subsystem_of, unit_step
from cadbridge.diagnosis.freedoms import (
    Axes,
    CoordinateMotion,
    Coordinates,
    Moving,
    axes_of,
    by_body,
    carried_by,
    coordinates_of,
    leading_basis,
    motions_of,
    moving,
    moving_much,
)
from cadbridge.diagnosis.large_loops import MOST_DENSE_COORDINATES
from cadbridge.diagnosis.model import Freedom
from cadbridge.diagnosis.pairs import first_independent
from cadbridge.diagnosis.spins import only_spin
from cadbridge.diagnosis.words import sentence
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.wording import count
from solver.constraints import Primitive

Array = NDArray[np.float64]

DIRECTIONS_TRIED = 3
"""Directions at random in which a pose is left, to see how it moves near by: one that happens to lie on another branch
has no width, so that one would do but for rounding."""
NEAR_BY = (STEPS[1], STEPS[1] / 2, STEPS[1] / 4)
"""Steps to where it moves as near by: shorter ones are off by more, as equations hold a way of s to g / s of a residual
g, where motions branch."""
ROUNDING_ALONE = 1e-15
"""A scaled residual of rounding alone."""
MOST_COORDINATES = 1500
"""Coordinates in one tangle of loops above which freedoms are taken to be finite untested, which is reported."""
MOST_LISTED = 200_000
"""Bodies in all freedoms together, above which those that are only carried along are counted."""


@dataclass(frozen=True, eq=False)
class Freedoms:
    """The freedoms, how many are finite, and how many are in tangles too large to be tested."""

    freedoms: tuple[Freedom, ...]
    finite: int
    untested: int


def freedoms_of(mechanism: Mechanism, graph: ConstraintGraph, primitive_of: Callable[[int], Primitive]) -> Freedoms:
    """The freedoms of a graph of bodies; `primitive_of` gives those of its rows, expressed for the bodies."""
    coordinates = coordinates_of(mechanism, graph)
    motions = motions_of(mechanism, coordinates)
    axes = axes_of(mechanism, graph.rows)
    by_block: dict[int, list[CoordinateMotion]] = defaultdict(list)
    for motion in motions:
        by_block[motion.block].append(motion)
    finite, untested = 0, 0
    done: list[tuple[CoordinateMotion, bool]] = []
    for index, own in by_block.items():
        if index == -1:
            tested = [(m, _alone(mechanism, graph, coordinates, m, primitive_of)) for m in own]
            count = sum(ok for _, ok in tested)
        elif len(graph.loops[index].columns) > MOST_COORDINATES:
            untested += len(own)
            tested, count = [(m, True) for m in own], len(own)
        else:
            tested, count = _test(coordinates, own, _subsystem(mechanism, graph, coordinates, index, primitive_of))
        done += tested
        finite += count
    order = {id(m): i for i, m in enumerate(motions)}
    done.sort(key=lambda item: order.get(id(item[0]), len(order)))
    carried = carried_by(graph)
    units = [coordinates.branches[m.leader].unit for m in by_block.get(-1, ())]
    brief = carried if sum(carried[unit] for unit in units) > MOST_LISTED else {}
    named = [_named(mechanism, coordinates, axes, m, ok, brief, len(done)) for m, ok in done]
    floating = [_floating(mechanism, bodies) for bodies in by_body(graph).values()]
    return Freedoms((*named, *floating), finite + 6 * len(floating), untested)


def _subsystem(
    mechanism: Mechanism,
    graph: ConstraintGraph,
    coordinates: Coordinates,
    index: int,
    primitive_of: Callable[[int], Primitive],
) -> Subsystem:
    """The closing rows of a block of loops and the bodies that it moves."""
    block = graph.loops[index]
    along = set(block.units)
    loose = {u for u in along if _is_generic(coordinates, graph.branches[u])}
    pairs = [c.pair for c in block.chords] + [graph.branches[u].pair for u in loose]
    rows = {int(i) for p in pairs if p is not None for i in p.rows}
    rows |= {int(i) for c in block.chords if c.pair is None for i in c.rows}
    units = along | {graph.branches[u].parent for u in along} | {e for i in rows for e in graph.rows.ends[i]}
    poses = [b.X_WB for b in mechanism.bodies]
    free = block.freedom.shape[1]
    return subsystem_of(graph, units, rows, loose, block.columns, primitive_of, poses, free)


def _is_generic(coordinates: Coordinates, branch: Branch) -> bool:
    """Whether a branch is no lower pair, so that its freedom may depend on the pose."""
    if branch.pair is None or not len(branch.columns):
        return False
    joint = coordinates.joints[branch.first]
    return joint is None or not joint.kind.lower_pair


def _alone(
    mechanism: Mechanism,
    graph: ConstraintGraph,
    coordinates: Coordinates,
    motion: CoordinateMotion,
    primitive_of: Callable[[int], Primitive],
) -> bool:
    """A freedom in no loop: that of a lower pair is finite by its nature, another one is tested on its two bodies."""
    branch = coordinates.branches[motion.leader]
    if branch.pair is None or not _is_generic(coordinates, branch):
        return True
    columns = np.arange(branch.first, branch.columns.stop)
    rows = {int(i) for i in branch.pair.rows}
    poses = [b.X_WB for b in mechanism.bodies]
    subsystem = subsystem_of(
        graph, {branch.unit, branch.parent}, rows, {branch.unit}, columns, primitive_of, poses, len(columns)
    )
    return is_finite(subsystem, motion.q)


def _test(
    coordinates: Coordinates, motions: list[CoordinateMotion], subsystem: Subsystem
) -> tuple[list[tuple[CoordinateMotion, bool]], int]:
    """Which motions of a block go on, and the block's mobility at a generic pose near by.

    The directions that go on form a cone; where two at random are in it, all are. Else the pose is singular: the
    directions in which it can be left are found, and the freedoms named along them.
    """
    # The same directions each time: what is said of a mechanism must not change from call to call.
    weights = np.random.default_rng(7).normal(size=(DIRECTIONS_TRIED, len(motions)))
    mixed = list(weights @ np.array([m.q for m in motions]))
    if all(is_finite(subsystem, q) for q in mixed[:2]):
        return [(m, True) for m in motions], len(motions)
    ways = _ways_out([*(m.q for m in motions), *mixed], motions, subsystem)
    if not ways:
        return [(m, False) for m in motions], 0
    generic = min(dof for _, dof in ways)
    return _along(coordinates, motions, [q for q, _ in ways], generic), generic


def _ways_out(
    candidates: list[Array], motions: list[CoordinateMotion], subsystem: Subsystem
) -> list[tuple[Array, int]]:
    """Directions (as coordinates) in which the pose can be left by a finite step, with the mobility found there."""
    basis = np.column_stack([subsystem.lift @ m.q[subsystem.columns] for m in motions])
    found: list[tuple[Array, int]] = []
    for q in candidates:
        for sign in (1.0, -1.0):
            z = sign * unit_step(subsystem, q)
            ways = [correction(subsystem, step * z, ROUNDING_ALONE) for step in NEAR_BY]
            gone = float(np.max(np.abs(ways[0][1]))) / subsystem.length
            # A step that the corrections took back by more than two thirds leads nowhere.
            if not all(np.isfinite(size) for size, _ in ways) or gone < 0.3 * NEAR_BY[0]:
                continue
            way = _first_instant([way for _, way in ways])
            weights, *_ = np.linalg.lstsq(basis, way, rcond=None)
            direction = sum((float(w) * m.q for w, m in zip(weights, motions, strict=True)), np.zeros(len(q)))
            found.append((direction, local_dof(subsystem, NEAR_BY[0] * z)))
    return found


def _first_instant(ways: list[Array]) -> Array:
    """The way (k,) on which steps `NEAR_BY` leave a pose, as short as it may be, for a step of one.

    A finite way is bent by as much as it is long; of three each half as long errors of first and second order cancel
    (Romberg).
    """
    first, second, third = (way / step for way, step in zip(ways, NEAR_BY, strict=True))
    return np.asarray((4.0 * (2.0 * third - second) - (2.0 * second - first)) / 3.0)


def _along(
    coordinates: Coordinates, motions: list[CoordinateMotion], ways: list[Array], generic: int
) -> list[tuple[CoordinateMotion, bool]]:
    """Freedoms along the finite directions first, the others after them.

    Where the finite directions span more than is free near by, motions branch in this pose: then each way is given.
    The others are what is left of all motions while the joints that lead the finite ones stand still.
    """
    columns = np.unique(np.concatenate([np.flatnonzero(m.q) for m in motions]))
    scales = coordinates.scales[columns]
    leaders = [int(np.searchsorted(columns, m.leader)) for m in motions]
    order = list(dict.fromkeys([*leaders, *range(len(columns))]))
    whole = np.column_stack([m.q[columns] / scales for m in motions])
    W = np.column_stack([q[columns] / scales for q in ways])
    # Unit vectors: two ways less than 3° apart are one, found twice.
    chosen = first_independent((W / np.linalg.norm(W, axis=0)).T, min(len(ways), len(motions)), 0.05)
    # The same 3°, of all of them together.
    chosen = chosen[: np.linalg.matrix_rank(W[:, chosen], tol=0.05 * float(np.linalg.norm(W[:, chosen])))]
    real = W[:, chosen]
    Q = np.linalg.qr(real)[0]
    rest, _, _ = np.linalg.svd(whole - Q @ (Q.T @ whole), full_matrices=False)
    virtual = rest[:, : len(motions) - len(chosen)]
    finite_basis, leading = leading_basis(real, np.ones(len(columns)), order)
    virtual = virtual - finite_basis @ virtual[leading]  # what leads a finite motion stands still in the others
    spaces = [(real, True)] if len(chosen) <= generic else [(w[:, None], True) for w in real.T]
    found: list[tuple[CoordinateMotion, bool]] = []
    for space, finite in (*spaces, (virtual, False)):
        basis, own = leading_basis(np.asarray(space), np.ones(len(columns)), order)
        for column, leader in zip(basis.T, own, strict=True):
            own_motion = replace(motions[0], columns=columns, values=column * scales, leader=int(columns[leader]))
            found.append((own_motion, finite))
    return found


def _named(
    mechanism: Mechanism, coordinates: Coordinates, axes: Axes, motion: CoordinateMotion, finite: bool,
    brief: dict[int, int], motions: int,
) -> Freedom:  # fmt: skip
    """The freedom of a motion, one of so many; what hangs on it is counted by `brief`, if it is there, not listed."""
    graph = coordinates.graph
    branch, joint = coordinates.branches[motion.leader], coordinates.joints[motion.leader]
    kind = coordinates.kinds[motion.leader]
    alone = motion.block == -1 and branch.unit in brief
    if motion.block >= 0 and len(units := graph.loops[motion.block].units) > MOST_DENSE_COORDINATES:
        moved = moving_much(mechanism, graph, axes, motion.q, len(units) * motions > MOST_LISTED)
    else:
        moved = moving(mechanism, graph, axes, motion.q, branch if alone else None)
    body = mechanism.bodies[branch.unit].name
    twist = moved.twists.get(branch.unit)
    way = None if twist is None else twist[:3] if kind == "slide" else twist[3:]
    words = sentence(mechanism, body, joint, kind, moved.rates, way)
    if moved.carried:
        words = f"{words}; {count(moved.carried, 'more body', 'more bodies')} move as well"
    carried = brief[branch.unit] - 1 if alone else moved.carried
    return Freedom(
        words=words,
        kind=kind,
        leader=joint.name if joint is not None else None,
        bodies=tuple(mechanism.bodies[i].name for i in moved.twists),
        finite=finite,
        rates=moved.rates,
        twists={mechanism.bodies[i].name: twist for i, twist in moved.twists.items()},
        carried=carried,
        spin=finite and not carried and _spins(mechanism, joint, moved),
    )


def _spins(mechanism: Mechanism, leader: Joint | None, moved: Moving) -> bool:
    """Whether what moves only spins about one axis, and no drive moves it by the leading joint or one that follows."""
    joints = [*map(mechanism.joint, moved.rates), *([] if leader is None else [leader])]
    driven = {drive.joint for drive in mechanism.drives}
    if any(driven & {joint.name, *joint.mates} for joint in joints):
        return False
    return only_spin(mechanism, moved.twists)


def _floating(mechanism: Mechanism, bodies: list[int]) -> Freedom:
    names = tuple(mechanism.bodies[i].name for i in bodies)
    what = names[0] if len(names) == 1 else f"{names[0]} with {len(names) - 1} more"
    return Freedom(f"{what} floats freely", "float", None, names, finite=True, count=6)
