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
from solver.state import State

Array = NDArray[np.float64]
Neighbours = dict[int, set[int]]

_INDEPENDENT = 1e-3
"""Scaled remainder above which a freedom counts as one that the others leave: held below it, it could move them far."""
_ELSEWHERE = 1e-4
"""rad, or share of the mechanism's length, by which a body stands elsewhere than designed: what loops are open by in a
file of six digits, and are closed by before a run, moves it by less. Of speeds it is the share of the largest."""


@dataclass(frozen=True)
class HeldRows:
    """Rows that hold freedoms: `outside` of loops and couplings, where nothing else feels them, and `within`.

    `names` are the joints of the rows within; `untried` those of which none is held, as their loops are too large.
    """

    outside: tuple[Primitive, ...] = ()
    within: tuple[Primitive, ...] = ()
    names: tuple[str, ...] = ()
    untried: tuple[Joint, ...] = ()


def held(lowered: Lowered, led: Collection[str], most: float = math.inf, named: Collection[str] = ()) -> HeldRows:
    """The rows that hold what can be held as designed where the joints `led` (by any of their names) are moved.

    A joint that is in no loop is held; of those in loops and couplings the ones that the rows and the joints led leave
    independent: driven ones first, then those `named`, followers of others last. So is a body that nothing holds: the
    first of its group. What hangs together with no joint led, but by the ground, stays by itself. Of loops that share
    motions, and have more than `most` units, none is held: which could be takes time with their third power.
    """
    neighbours = _neighbours(lowered)
    moved = _ids(lowered, (*led, *held_joints(lowered)))
    moving = _together(lowered, neighbours, moved)
    outside = [
        row
        for root in _roots(neighbours)
        if root != GROUND_BODY
        for row in _pose_rows(lowered, GROUND_BODY, root, None)
    ]
    within: list[tuple[str, Primitive]] = []
    untried: list[Joint] = []
    for units, joints in _blocks(lowered, neighbours, moving, _ids(lowered, named)):
        free = [joint for joint in joints if id(joint) not in moved]
        if len(units) == 2 and len(joints) == 1:
            # In no loop no other row feels it: it can be held for itself, and needs no rank.
            outside += [row for joint in free for row in _joint_rows(lowered, joint)]
        elif len(units) > most:
            untried += free
        else:
            leading = [row for joint in joints if id(joint) in moved for row in _joint_rows(lowered, joint)]
            candidates = [(joint.name, row) for joint in free for row in _joint_rows(lowered, joint)]
            within += _independent(lowered, units, leading, candidates)
    return HeldRows(tuple(outside), tuple(row for _, row in within), tuple(name for name, _ in within), tuple(untried))


def not_as_designed(lowered: Lowered, joints: Iterable[Joint], state: State) -> list[str]:
    """The names of joints whose bodies do not stand to each other as designed, or do not rest on each other.

    Those that moved most come first.
    """
    model, length = lowered.model, lowered.mechanism.length_scale
    poses = (state.positions, state.quaternions), (model.positions, model.quaternions)
    fastest = np.max(np.abs(state.velocities), initial=0.0) or 1.0
    found = {}
    for joint in joints:
        a, b = lowered.unit_of[joint.a], lowered.unit_of[joint.b]
        now, designed = (_placed(*pose, a).inverse() @ _placed(*pose, b) for pose in poses)
        moved = np.max(np.abs([*(now.p - designed.p) / length, *np.ravel(now.R - designed.R)]))
        found[joint.name] = max(moved, np.max(np.abs(_twist(state, b) - _twist(state, a))) / fastest)
    return sorted((name for name, most in found.items() if most > _ELSEWHERE), key=lambda name: -found[name])


def _twist(state: State, unit: int) -> Array:
    """[v; ω] of the point of a unit that is at the world's origin."""
    if unit == GROUND_BODY:
        return np.zeros(6)
    v, w = np.split(state.velocities[unit], 2)
    return np.concatenate([v - np.cross(w, state.positions[unit]), w])


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


def _blocks(
    lowered: Lowered, neighbours: Neighbours, moving: set[int], named: Collection[int]
) -> list[tuple[list[int], list[Joint]]]:
    """The units that move, the ground one of them, by loops that share motions; each with its joints in their order.

    Two loops on one body share none, nor does what joins two bodies and is in no loop: a part has two units then.
    """
    from networkx import Graph, biconnected_component_edges

    following = _ids(lowered, followers(lowered))
    driven = {d.joint for d in lowered.mechanism.drives}
    order = {
        id(j): (not j.coordinate, j.name not in driven, id(j) in following, id(j) not in named)
        for j in lowered.mechanism.joints
    }
    graph = Graph((a, b) for a in sorted(moving) for b in sorted(neighbours[a] & moving))
    blocks = [[frozenset(edge) for edge in edges] for edges in biconnected_component_edges(graph)]
    of = {pair: k for k, pairs in enumerate(blocks) for pair in pairs}
    joints: list[list[Joint]] = [[] for _ in blocks]
    for joint in sorted(lowered.mechanism.joints, key=lambda j: order[id(j)]):
        k = of.get(frozenset((lowered.unit_of[joint.a], lowered.unit_of[joint.b])))
        if k is not None:
            joints[k].append(joint)
    units = [sorted(set().union(*pairs)) for pairs in blocks]
    return sorted(zip(units, joints, strict=True), key=lambda block: block[0])


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
    return _placed(lowered.model.positions, lowered.model.quaternions, unit)


def _placed(positions: Array, quaternions: Array, unit: int) -> Pose:
    return Pose() if unit == GROUND_BODY else Pose(matrix(quaternions[unit]), positions[unit])


def _independent(
    lowered: Lowered, units: list[int], leading: list[Primitive], candidates: list[tuple[str, Primitive]]
) -> list[tuple[str, Primitive]]:
    """The candidates (with their joints) that add to the rows among units, to those that lead and to each other."""
    if not candidates:
        return []
    model = lowered.model
    among = set(units)
    rows = [p for p in model.primitives if among.issuperset(p.bodies)]
    count = sum(p.rows for _, p in candidates)
    G = evaluate((*rows, *leading, *(p for _, p in candidates)), model.positions, model.quaternions).G
    own = [6 * unit + i for unit in units if unit != GROUND_BODY for i in range(6)]
    keep: NDArray[np.bool_] = independent_rows(G[:, own], lowered.mechanism.length_scale, _INDEPENDENT)
    return [each for each, kept in zip(candidates, keep[len(keep) - count :], strict=True) if kept]
