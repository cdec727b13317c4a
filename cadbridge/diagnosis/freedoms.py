"""Each freedom as a motion that a person can picture: a leading joint, and what follows it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Branch
from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.diagnosis.pairs import BodyPair
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.mechanism.rows import Rows
from solver.constraints import GROUND
from solver.rotation import skew

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

STILL_RATE = 1e-7
"""A rate below this, per unit of the leader, is none: rates of a null space are exact to some 1e-12, gear ratios of a
machine are above 1e-5."""
BRIEF = 50
"""Bodies that are listed of a motion of large loops, where all motions of all would be too many."""
LEADS_WELL = 0.03
"""A coordinate leads a motion only where it moves by at least this share of the largest: the others' rates are divided
by its own, and so are their errors. Where no coordinate does, less is taken."""


@dataclass(frozen=True, eq=False)
class CoordinateMotion:
    """A direction in the graph's coordinates: `q` (k,), 1 unit (rad or m) of the `leader`; `block` is its loops or -1.

    What is kept are the `values` of the `columns` that move, of `count`: many motions of many coordinates are mostly 0.
    """

    columns: Ints
    values: Array
    count: int
    leader: int
    block: int

    @property
    def q(self) -> Array:
        """All coordinates (k,)."""
        q = np.zeros(self.count)
        q[self.columns] = self.values
        return q


def joint_columns(mechanism: Mechanism, joint: Joint, rows: Rows) -> Array:
    """A joint's freedoms (6, k) as twists of b relative to a about the rows' centre, rotations times the length."""
    body = mechanism.bodies[joint.a] if joint.a != GROUND else mechanism.ground
    X_WJ = body.X_WB @ joint.X_AJ
    w = X_WJ.R @ joint.freedom[3:]
    v = X_WJ.R @ joint.freedom[:3] - skew(rows.centre - X_WJ.p) @ w
    return np.vstack([v, w * rows.length])


def readable(mechanism: Mechanism, joint: Joint | None, pair: BodyPair, rows: Rows) -> Array:
    """The freedoms of a pair along those of its joint, unit length; unchanged where they are not those of the joint."""
    if joint is None or joint.freedom.shape[1] != pair.freedom.shape[1] or pair.freedom.shape[1] == 0:
        return pair.freedom
    wanted = joint_columns(mechanism, joint, rows)
    wanted = wanted / np.linalg.norm(wanted, axis=0)
    # Onto the pair's own freedoms: the joint's axis is rounded, and a motion exactly along it would leave the rows.
    near = pair.freedom @ (pair.freedom.T @ wanted)
    # Unit vectors: 0.1 is 6°, far more than a CAD system rounds its axes by. Beyond a condition of 1e6 two axes of the
    # joint have fallen into one of the pair's, and the basis would be one of rounding.
    if np.abs(near - wanted).max() > 0.1 or (near.shape[1] > 1 and np.linalg.cond(near) > 1e6):
        return pair.freedom
    return np.asarray((near if pair.b == joint.b else -near) / np.linalg.norm(near, axis=0))


def joints_between(mechanism: Mechanism) -> dict[frozenset[int], Joint]:
    """The joint of every pair of bodies that has one."""
    # Reversed, so that of two between the same bodies the first stays.
    return {frozenset((j.a, j.b)): j for j in reversed(mechanism.joints)}


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Of every coordinate of a graph: its branch, joint, what it does, and its size.

    One rad or m of coordinate i is `scales[i]` of the graph's.
    """

    graph: ConstraintGraph
    branches: tuple[Branch, ...]
    joints: tuple[Joint | None, ...]
    kinds: tuple[str, ...]
    scales: Array


def coordinates_of(mechanism: Mechanism, graph: ConstraintGraph) -> Coordinates:
    """What the coordinates of a graph of bodies are."""
    between = joints_between(mechanism)
    n = graph.coordinates
    branches: list[Branch | None] = [None] * n
    joints: list[Joint | None] = [None] * n
    kinds, scales = [""] * n, np.ones(n)
    for unit, branch in graph.branches.items():
        joint = between.get(frozenset((unit, branch.parent)))
        for k, column in enumerate(branch.columns):
            twist = branch.freedom[:, k]
            turn = float(np.linalg.norm(twist[3:]))
            branches[column], joints[column] = branch, joint
            kinds[column] = "float" if branch.pair is None else _kind(twist, graph.rows.length)
            # rad of a unit motion: a slide has none but for rounding.
            scales[column] = graph.rows.length / turn if turn > 1e-9 else 1.0 / float(np.linalg.norm(twist[:3]))
    return Coordinates(graph, tuple(b for b in branches if b is not None), tuple(joints), tuple(kinds), scales)


def _kind(twist: Array, length: float) -> str:
    """turn, slide or screw: by the twist's rotation and its pitch."""
    v, w = twist[:3], twist[3:]
    turn = float(np.linalg.norm(w))
    # As above.
    if turn < 1e-9:
        return "slide"
    # The pitch over the characteristic length, for each rad: the finest screws (0.25 mm a turn) advance by more in any
    # machine below 40 m.
    return "turn" if abs(float(v @ w)) / turn**2 < 1e-6 else "screw"


def motions_of(mechanism: Mechanism, coordinates: Coordinates) -> list[CoordinateMotion]:
    """A basis of the motions, each named by one coordinate that no other one moves; floating groups are left out."""
    graph = coordinates.graph
    covered: set[int] = set()
    found = []
    rank = _preference(mechanism, coordinates)
    for index, block in enumerate(graph.loops):
        covered.update(block.columns.tolist())
        places = [rank[c] for c in block.columns.tolist()]
        local = sorted(range(len(block.columns)), key=places.__getitem__)
        basis, leaders = leading_basis(block.freedom, coordinates.scales[block.columns], local)
        for column, leader in zip(basis.T, leaders, strict=True):
            moved = np.flatnonzero(column)
            at = int(block.columns[leader])
            found.append(CoordinateMotion(block.columns[moved], column[moved], graph.coordinates, at, index))
    for column in range(graph.coordinates):
        if column not in covered and coordinates.kinds[column] != "float":
            own = coordinates.scales[[column]]
            found.append(CoordinateMotion(np.array([column]), own, graph.coordinates, column, -1))
    return sorted(found, key=lambda m: rank[m.leader])


def _preference(mechanism: Mechanism, coordinates: Coordinates) -> dict[int, tuple[bool, int, bool, int]]:
    """Leaders are, in this order: what a drive moves, what is near the ground, what turns, what comes first."""
    driven = {d.joint for d in mechanism.drives}
    places = {id(j): i for i, j in enumerate(mechanism.joints)}
    found = {}
    for i, (branch, joint) in enumerate(zip(coordinates.branches, coordinates.joints, strict=True)):
        is_driven = joint is not None and bool(driven & {joint.name, *joint.mates})
        place = places[id(joint)] if joint is not None else len(places)
        found[i] = (not is_driven, branch.depth, coordinates.kinds[i] != "turn", place)
    return found


def leading_basis(N: Array, scales: Array, order: list[int]) -> tuple[Array, list[int]]:
    """A basis of the columns of N (k, d) with leaders: coordinate i of one column is `scales[i]`, of all others 0.

    Leaders are the first coordinates in `order` that are independent by a good margin.
    """
    d = N.shape[1]
    leaders: list[int] = []
    basis = np.empty((d, d))
    largest = float(np.max(np.abs(N), initial=0.0))
    # Less and less is asked for, so that each motion gets a leader: the last margin is that of rounding alone.
    for margin in (LEADS_WELL, 1e-3, 1e-9):
        for k in order:
            if len(leaders) == d:
                break
            known = basis[: len(leaders)]
            rest = N[k] - (known @ N[k]) @ known
            size = float(np.linalg.norm(rest))
            if k not in leaders and size > margin * largest:
                basis[len(leaders)] = rest / size
                leaders.append(k)
    found = N @ np.linalg.inv(N[leaders]) * scales[leaders] if d else N
    # Rounding of the inverse; true rates are above `STILL_RATE`.
    found[np.abs(found) < 1e-10 * np.max(np.abs(found), initial=1.0)] = 0.0
    return found, leaders


@dataclass(frozen=True, eq=False)
class Moving:
    """A motion: twists (6,) [v of the body's origin; ω] of the bodies that move, rates of joints with one freedom.

    Beside those in `twists` there may be bodies that move as they hang on these: so many are `carried`.
    """

    twists: dict[int, Array]
    rates: dict[str, float]
    carried: int = 0


@dataclass(frozen=True, eq=False)
class Axes:
    """The joints with one freedom: their bodies a and b (k, 2), and that freedom as a twist (k, 6), by which a relative
    twist gives the rate (see `joint_columns`); `near` are those at each body.
    """

    joints: tuple[Joint, ...]
    ends: Ints
    columns: Array
    near: dict[int, list[int]]


def axes_of(mechanism: Mechanism, rows: Rows) -> Axes:
    """What `moving` looks up."""
    joints = tuple(joint for joint in mechanism.joints if joint.freedom.shape[1] == 1)
    columns = np.array([joint_columns(mechanism, joint, rows)[:, 0] for joint in joints]).reshape(-1, 6)
    near: dict[int, list[int]] = defaultdict(list)
    for place, joint in enumerate(joints):
        near[joint.a].append(place)
        near[joint.b].append(place)
    ends = np.array([(joint.a, joint.b) for joint in joints], np.int64).reshape(-1, 2)
    return Axes(joints, ends, columns / np.sum(columns**2, axis=1, keepdims=True), near)


def moving(mechanism: Mechanism, graph: ConstraintGraph, axes: Axes, q: Array, alone: Branch | None = None) -> Moving:
    """The motion of coordinates q (k,); with `alone` that of a branch's unit only, without what hangs on it."""
    if alone is None:
        found = graph.twists(q)
    else:
        found = {alone.unit: alone.freedom @ q[alone.first : alone.columns.stop]}
    if not found:
        return Moving({}, {})
    near = sorted({place for body in found for place in axes.near.get(body, ())})
    if alone is not None:
        own = {alone.unit, alone.parent}
        near = [place for place in near if set(axes.ends[place].tolist()) == own]
    units = np.array(sorted(found), np.int64)
    V = np.array([found[unit] for unit in units.tolist()])
    return _moving(mechanism, graph, axes, units, V, near)


def moving_much(mechanism: Mechanism, graph: ConstraintGraph, axes: Axes, q: Array, brief: bool) -> Moving:
    """As `moving`, of a motion of large loops; if `brief`, of the first bodies that move, the others counted."""
    twists = graph.all_twists(q)
    # A thousandth of what counts as the rate of a joint: a body on a chain of still joints is still.
    moved = np.flatnonzero(np.max(np.abs(twists), axis=1) > STILL_RATE * graph.rows.length * 1e-3)
    shown = moved
    if brief:
        shown = np.array(sorted(moved.tolist(), key=lambda u: (graph.branches[u].depth, u))[:BRIEF], np.int64)
    near = sorted({place for body in shown.tolist() for place in axes.near.get(body, ())})
    units = np.union1d(shown, axes.ends[near].ravel())
    units = units[units != GROUND]
    found = _moving(mechanism, graph, axes, units, twists[units], near)
    listed = {unit: found.twists[unit] for unit in shown.tolist() if unit in found.twists}
    return Moving(listed, found.rates, len(moved) - len(shown))


def _moving(
    mechanism: Mechanism, graph: ConstraintGraph, axes: Axes, units: Ints, twists: Array, near: list[int]
) -> Moving:
    """The motion of `units` by their `twists` (n, 6) about the rows' centre, of the joints `near` them."""
    V = np.vstack([twists, np.zeros((1, 6))])  # what stands still is the last
    places = np.searchsorted(units, axes.ends[near])
    there = units[np.minimum(places, len(units) - 1)] == axes.ends[near]
    a, b = np.where(there, places, -1).T
    rates = np.einsum("ij,ij->i", V[b] - V[a], axes.columns[near])
    # A thousandth of what counts as a motion of a joint: what is less is rounding.
    fast = np.flatnonzero(np.max(np.abs(V), axis=1) > STILL_RATE * graph.rows.length * 1e-3)
    bodies, w = units[fast], V[fast, 3:] / graph.rows.length
    arms = np.array([mechanism.bodies[i].X_WB.p for i in bodies]).reshape(-1, 3) - graph.rows.centre
    twists = np.hstack([V[fast, :3] + np.cross(w, arms), w])
    # The same of each component, which would else be shown as a motion along another axis.
    twists[np.abs(twists) < STILL_RATE * 1e-3] = 0.0
    joint_rates = {axes.joints[near[k]].name: float(rates[k]) for k in np.flatnonzero(np.abs(rates) > STILL_RATE)}
    return Moving(dict(zip(bodies.tolist(), twists, strict=True)), joint_rates if len(bodies) else {})


def carried_by(graph: ConstraintGraph) -> dict[int, int]:
    """How many units hang on the branch of each unit, itself among them."""
    found = dict.fromkeys(graph.branches, 1)
    for unit in sorted(graph.branches, key=lambda u: -graph.branches[u].depth):
        parent = graph.branches[unit].parent
        if parent in found:
            found[parent] += found[unit]
    return found


def by_body(graph: ConstraintGraph) -> dict[int, list[int]]:
    """The groups of bodies that nothing ties to the ground, by their roots."""
    roots: dict[int, int] = {}
    groups: dict[int, list[int]] = defaultdict(list)
    for unit in sorted(graph.branches, key=lambda u: graph.branches[u].depth):
        branch = graph.branches[unit]
        if branch.parent == GROUND:
            roots[unit] = unit if branch.pair is None else GROUND
        else:
            roots[unit] = roots[branch.parent]
        if roots[unit] != GROUND:
            groups[roots[unit]].append(unit)
    return dict(groups)
