"""What stays as designed while joints are led to their initial values: all freedoms that these do not determine."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint
from cadbridge.simulation.frames import PARALLEL_PAIRS
from cadbridge.simulation.open_couplings import followers, held_joints, open_couplings
from solver.algebra.rank import independent_rows
from solver.constraints import AxesAngle, Coupler, PointOnPlane, Primitive, evaluate
from solver.rotation import matrix

Neighbours = dict[int, set[int]]

_INDEPENDENT = 1e-3
"""Scaled remainder above which a freedom counts as one that the others leave: held below it, it could move them far."""


@dataclass(frozen=True)
class HeldRows:
    """Rows that hold freedoms: `outside` of loops and couplings, where nothing else feels them, and `within`.

    `names` are the joints of the rows within.
    """

    outside: tuple[Primitive, ...] = ()
    within: tuple[Primitive, ...] = ()
    names: tuple[str, ...] = ()


def held(lowered: Lowered, led: Collection[str], most: float = math.inf) -> HeldRows:
    """The rows that hold what can be held as designed where the joints `led` (by any of their names) are moved.

    A joint that hangs on one side of no loop is held; of those in loops and couplings the ones that the rows and the
    joints led leave independent: driven ones first, followers of others last. So is a body that nothing holds: the
    first of its group. What hangs together with no joint led, but by the ground, stays by itself. Where loops of more
    than `most` units hang together with one, none of theirs is held: which could be takes time with their third power.
    """
    neighbours = _neighbours(lowered)
    roots = _roots(neighbours)
    core = _core(neighbours, roots)
    moved = _ids(lowered, (*led, *held_joints(lowered)))
    moving = _together(lowered, neighbours, moved)
    core &= moving
    following = _ids(lowered, followers(lowered))
    driven = {d.joint for d in lowered.mechanism.drives}
    outside = [row for root in roots if root != GROUND_BODY for row in _pose_rows(lowered, GROUND_BODY, root, None)]
    leading: list[Primitive] = []
    candidates: list[tuple[str, Primitive]] = []
    order = {id(j): (not j.coordinate, j.name not in driven, id(j) in following) for j in lowered.mechanism.joints}
    for joint in sorted(lowered.mechanism.joints, key=lambda j: order[id(j)]):
        rows = _joint_rows(lowered, joint)
        ends = {lowered.unit_of[joint.a], lowered.unit_of[joint.b]}
        if not ends <= moving:
            continue
        if not ends <= core:
            # Off the loops no other row feels it: it can be held for itself, and needs no rank.
            outside += [] if id(joint) in moved else rows
        elif id(joint) in moved:
            leading += rows
        elif len(core) <= most:
            candidates += [(joint.name, row) for row in rows]
    within = _independent(lowered, core, leading, candidates)
    return HeldRows(tuple(outside), tuple(row for _, row in within), tuple(name for name, _ in within))


def _ids(lowered: Lowered, names: Iterable[str]) -> set[int]:
    """The identities of the joints that names mean."""
    return {id(joint) for name in names if (joint := lowered.mechanism.joint_named(name)) is not None}


def _together(lowered: Lowered, neighbours: Neighbours, moved: Collection[int]) -> set[int]:
    """The units that hang together, not by way of the ground, with what is moved: joints, and couplings that are open.

    The ground is one of them.
    """
    found = {GROUND_BODY}
    toward = [lowered.unit_of[end] for j in lowered.mechanism.joints if id(j) in moved for end in (j.a, j.b)]
    toward += [unit for k in open_couplings(lowered).gaps for unit in lowered.model.primitives[k].bodies]
    _reach(neighbours, toward, found)
    return found


def _reach(neighbours: Neighbours, begun: Iterable[int], found: set[int]) -> None:
    """Add to the units found those begun with and all that hang together with them by way of none found before."""
    toward = list(begun)
    while toward:
        unit = toward.pop()
        if unit not in found:
            found.add(unit)
            toward += neighbours[unit]


def _neighbours(lowered: Lowered) -> Neighbours:
    """Which units share equations with a unit; the ground is one."""
    found: Neighbours = {unit: set() for unit in (GROUND_BODY, *range(len(lowered.units)))}
    for primitive in lowered.model.primitives:
        for a, b in combinations(set(primitive.bodies), 2):
            found[a].add(b)
            found[b].add(a)
    return found


def _roots(neighbours: Neighbours) -> list[int]:
    """The ground, and the first unit of each group that does not hang on it."""
    seen: set[int] = set()
    roots = []
    for unit in neighbours:
        if unit not in seen:
            roots.append(unit)
            _reach(neighbours, [unit], seen)
    return roots


def _core(neighbours: Neighbours, roots: Iterable[int]) -> set[int]:
    """The units left where those are taken off, again and again, that hang on one other: loops, what joins them."""
    left = {unit: set(near) for unit, near in neighbours.items()}
    kept = set(roots)
    ends = [unit for unit, near in left.items() if len(near) == 1 and unit not in kept]
    while ends:
        unit = ends.pop()
        for other in left.pop(unit):
            left[other].discard(unit)
            if len(left[other]) == 1 and other not in kept:
                ends.append(other)
    return set(left)


def _joint_rows(lowered: Lowered, joint: Joint) -> list[Primitive]:
    """A joint at its designed pose: its coordinate, or its two frames on each other."""
    if joint.coordinate:
        coordinate = lowered.model.coordinates[next(i for i, own in enumerate(lowered.joints) if own is joint)]
        return [Coupler(coordinate.a, coordinate.b, ((1.0, coordinate),))]
    a, X_CB = lowered.placed(joint.a)
    return _pose_rows(lowered, a, lowered.unit_of[joint.b], _designed(lowered, a) @ X_CB @ joint.X_AJ)


def _pose_rows(lowered: Lowered, a: int, b: int, X_WF: Pose | None) -> list[Primitive]:
    """Six rows that hold b to a, in terms of a frame F (b's own where None)."""
    X_WF = X_WF or _designed(lowered, b)
    X_A, X_B = _designed(lowered, a).inverse() @ X_WF, _designed(lowered, b).inverse() @ X_WF
    place = [PointOnPlane(a, b, X_A.p, axis, X_B.p) for axis in X_A.R.T]
    return [*place, *(AxesAngle(a, b, X_A.R[:, i], X_B.R[:, j]) for i, j in PARALLEL_PAIRS)]


def _designed(lowered: Lowered, unit: int) -> Pose:
    model = lowered.model
    return Pose() if unit == GROUND_BODY else Pose(matrix(model.quaternions[unit]), model.positions[unit])


def _independent(
    lowered: Lowered, core: set[int], leading: list[Primitive], candidates: list[tuple[str, Primitive]]
) -> list[tuple[str, Primitive]]:
    """The candidates (with their joints) that add to the rows within the core, to those that lead and to each other."""
    if not candidates:
        return []
    model = lowered.model
    rows = [p for p in model.primitives if core.issuperset(p.bodies)]
    count = sum(p.rows for _, p in candidates)
    G = evaluate((*rows, *leading, *(p for _, p in candidates)), model.positions, model.quaternions).G
    keep: NDArray[np.bool_] = independent_rows(G, lowered.mechanism.length_scale, _INDEPENDENT)
    return [each for each, kept in zip(candidates, keep[len(keep) - count :], strict=True) if kept]
