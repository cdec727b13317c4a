"""The plan of the sweeps over the bodies (`solver.sweep`): a spanning forest of joints, and rows that close loops.

Each body hangs on its parent (or on the ground) by the rows between the two that make a joint: up to three planes
through one point of a body, with independent normals, and up to three angles between directions. Their freedoms
are known in closed form, and the sweep eliminates them exactly. All other rows (of loops, gears, drivers, rotors,
and whatever says again what a joint says) are carried from their bodies up to the lowest common ancestor,
and eliminated there. Everything here depends on the model's structure alone, and is found once.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.constraints.program import Program
from solver.constraints.terms import DOT, PLANE, Poses

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_INDEPENDENT = 0.05
"""A direction counts beside others if this part of it is left without them."""
_SAME = 1e-12
"""Points and directions that differ by less (m, 1) are the same."""
_STRONG = 3
"""A joint of so many rows is preferred to weaker ones, however far from the root."""


class Forest(NamedTuple):
    """Joints by place k in an order in which parents come before their children; `n` stands for the ground.

    `body` with its inverse `place`, `parent` (a place, −1: the ground), `base` (the parent's body). The point of the joint is fixed in the
    child if `point_here`, else in the parent, and the normals are fixed in the other: `point` (n, 3), `normals`
    (n, 3, 3; the first `planes` are held, the others complete them), `duals` with normals · dualsᵀ = 1. Angles
    `angles` (0 to 3) lie between `first` (n, 3, 3), fixed in the parent if `first_there` (else in the child), and
    `second`, fixed in the other; for two of them `second` is one direction, and `across` (n, 3, 3) holds the duals of
    `first` in its plane and then its normal first[0] × first[1]. `plane_row`, `angle_row` (n, 3) are the rows, −1: none.

    Rows that close loops are numbered in the order of their elimination: `row` (l,) tells which they are. Those
    numbered `closed[k]:closed[k + 1]` close at the place n − 1 − k, and those from closed[n] on at the ground.
    A slot is a row that passes a body: body k has `slot_start[k]:slot_start[k + 1]`, of which the first `passing[k]`
    go on to the parent's slot `slot_parent`; `slot_loop` is the row's number, `slot_block` its own block there or −1.
    The factor of their Schur complement D has the columns `column`, by `column_start`, the diagonal first;
    `column_slot` is the entry's slot where the column's row closes (−1: the ground). `pair_target` tells the entries
    to which pairs of slots that pass a body add, by `pair_start`; `update_target` to which a column's pairs.
    """

    body: Ints
    place: Ints
    parent: Ints
    base: Ints
    planes: Ints
    angles: Ints
    point_here: Ints
    first_there: Ints
    point: Array
    normals: Array
    duals: Array
    first: Array
    second: Array
    across: Array
    plane_row: Ints
    angle_row: Ints
    row: Ints
    closed: Ints
    slot_start: Ints
    passing: Ints
    slot_loop: Ints
    slot_parent: Ints
    slot_block: Ints
    own_slot: Ints
    column_start: Ints
    column: Ints
    column_slot: Ints
    pair_start: Ints
    pair_target: Ints
    update_start: Ints
    update_target: Ints


@dataclass
class _Joint:
    """What holds two bodies together, as seen from the body `here` that hangs on `there`."""

    here: int
    there: int
    planes: list[int] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(self.planes) + len(self.angles)


def forest(program: Program, held: int, positions: Array, quaternions: Array) -> Forest:
    """The plan for a program whose first `held` rows are those of primitives; the poses are the reference's."""
    n = program.bodies
    poses = Poses(np.asarray(positions, float).reshape(-1, 3), np.asarray(quaternions, float).reshape(-1, 4))
    pairs = _joints(program, held, poses)
    joints = _span(n, pairs)
    place = np.full(n + 1, -1, dtype=np.int64)
    place[[j.here for j in joints]] = np.arange(n)
    parent = np.array([place[j.there] for j in joints], dtype=np.int64)
    taken = {row for j in joints for row in (*j.planes, *j.angles)}
    closing = [row for row in range(program.rows) if row not in taken]
    return Forest(
        body=np.array([j.here for j in joints], dtype=np.int64),
        place=place,
        parent=parent,
        base=np.array([j.there for j in joints], dtype=np.int64),
        **_geometry(program, joints),
        **_loops(program, closing, place, parent),
    )


def _joints(program: Program, held: int, poses: Poses) -> dict[tuple[int, int], _Joint]:
    """For each pair of bodies that planes or angles join, the rows that make its joint."""
    T, n = program.terms, program.bodies
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in range(held):
        k = int(T.row_term[row])
        single = T.row_term[row + 1] == k + 1 and T.curve[k] < 0 and T.coefficient[k] == 1.0
        a, b = int(T.body_a[k]), int(T.body_b[k])
        if single and a != b and T.kind[k] in (PLANE, DOT):
            found[min(a, b), max(a, b)].append(row)
    joints = {}
    for (low, high), rows in found.items():
        planes = [r for r in rows if T.kind[T.row_term[r]] == PLANE]
        angles = [r for r in rows if T.kind[T.row_term[r]] == DOT]
        joint = _Joint(low, high, _chosen_planes(program, planes), _chosen_angles(program, angles, poses, n))
        if joint.rows:
            joints[low, high] = joint
    return joints


def _chosen_planes(program: Program, rows: list[int]) -> list[int]:
    """The most planes through one point with independent normals, in one body each."""
    T = program.terms
    best: list[int] = []
    for row in rows:
        k = T.row_term[row]
        chosen: list[int] = []
        for other in rows:
            i = T.row_term[other]
            together = T.body_a[i] == T.body_a[k] and np.abs(T.point_b[i] - T.point_b[k]).max() <= _SAME
            if together and _adds(T.first_a[i], [T.first_a[T.row_term[c]] for c in chosen]):
                chosen.append(other)
        if len(chosen) > len(best):
            best = chosen
        if len(best) == 3:
            break
    return best


def _adds(direction: Array, others: list[Array]) -> bool:
    """Whether a direction is independent of others, at most two; (almost) no length is none."""
    if not others:
        return float(np.linalg.norm(direction)) > _INDEPENDENT
    basis = np.linalg.qr(np.array(others).T)[0]
    return len(others) < 3 and float(np.linalg.norm(direction - basis @ (basis.T @ direction))) > _INDEPENDENT


def _chosen_angles(program: Program, rows: list[int], poses: Poses, n: int) -> list[int]:
    """Three angles that hold the orientation, or two about one common direction, or one."""
    T = program.terms

    def gradient(row: int) -> Array:
        k = T.row_term[row]
        a, b = (-1 if body == n else int(body) for body in (T.body_a[k], T.body_b[k]))
        return np.cross(poses.turn(a, T.first_a[k]), poses.turn(b, T.direction_b[k]))

    def independent(chosen: list[int]) -> list[int]:
        kept: list[int] = []
        for row in chosen:
            if _adds(gradient(row), [gradient(c) for c in kept]):
                kept.append(row)
        return kept

    all_three = independent(rows)
    if len(all_three) == 3:
        return all_three
    for row in rows:
        for side in (0, 1):
            pair = independent([r for r in rows if _direction(program, r, side) == _direction(program, row, side)])
            if len(pair) == 2:
                return pair
    return all_three[:1]


def _direction(program: Program, row: int, side: int) -> tuple[int, ...]:
    """The body and direction of one side of an angle's row, to compare."""
    T = program.terms
    k = T.row_term[row]
    body, vector = ((T.body_a[k], T.first_a[k]), (T.body_b[k], T.direction_b[k]))[side]
    return (int(body), *np.round(vector / _SAME).astype(np.int64).tolist())


def _span(n: int, pairs: dict[tuple[int, int], _Joint]) -> list[_Joint]:
    """A joint for each body, parents first: from the ground out, along strong joints before weak ones."""
    near: dict[int, list[tuple[int, _Joint]]] = defaultdict(list)
    for (low, high), joint in pairs.items():
        near[low].append((high, joint))
        near[high].append((low, joint))
    reached = np.zeros(n + 1, dtype=bool)
    result: list[_Joint] = []
    roots = [n, *sorted(range(n), key=lambda i: -len(near[i]))]
    for root in roots:
        if reached[root]:
            continue
        reached[root] = True
        if root != n:
            result.append(_Joint(root, n))
        queue: list[tuple[bool, int, int, int, int]] = []
        _offer(queue, near, root, 0)
        while queue:
            _, depth, _, there, here = heapq.heappop(queue)
            if reached[here]:
                continue
            reached[here] = True
            joint = pairs[min(here, there), max(here, there)]
            result.append(_Joint(here, there, joint.planes, joint.angles))
            _offer(queue, near, here, depth)
    return result


def _offer(
    queue: list[tuple[bool, int, int, int, int]], near: dict[int, list[tuple[int, _Joint]]], there: int, depth: int
) -> None:
    for here, joint in near[there]:
        heapq.heappush(queue, (joint.rows < _STRONG, depth + 1, -joint.rows, there, here))


def _geometry(program: Program, joints: list[_Joint]) -> dict[str, Ints | Array]:
    """Points and directions of the joints; see `Forest`."""
    T, n = program.terms, len(joints)
    point_here, first_there = np.ones(n, np.int64), np.ones(n, np.int64)
    point, normals = np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
    first, second = np.zeros((n, 3, 3)), np.zeros((n, 3, 3))
    plane_row, angle_row = np.full((n, 3), -1, np.int64), np.full((n, 3), -1, np.int64)
    for k, joint in enumerate(joints):
        for j, row in enumerate(joint.planes):
            i = T.row_term[row]
            point_here[k], point[k] = T.body_b[i] == joint.here, T.point_b[i]
            normals[k, j], plane_row[k, j] = T.first_a[i], row
        if 0 < len(joint.planes) < 3:
            held = len(joint.planes)
            normals[k, held:] = np.linalg.svd(normals[k, :held])[2][held:]
        _directions(program, joint, k, first_there, first, second)
        angle_row[k, : len(joint.angles)] = joint.angles
    return {
        "planes": np.array([len(j.planes) for j in joints], dtype=np.int64),
        "angles": np.array([len(j.angles) for j in joints], dtype=np.int64),
        "point_here": point_here,
        "first_there": first_there,
        "point": point,
        "normals": normals,
        "duals": np.ascontiguousarray(np.swapaxes(np.linalg.inv(normals), 1, 2)),
        "first": first,
        "second": second,
        "across": _across(first, np.array([len(j.angles) == 2 for j in joints], dtype=bool)),
        "plane_row": plane_row,
        "angle_row": angle_row,
    }


def _across(first: Array, pairs: NDArray[np.bool_]) -> Array:
    across = np.zeros_like(first)
    one, two = first[pairs, 0], first[pairs, 1]
    normal = np.cross(one, two)
    size = np.sum(normal**2, axis=1, keepdims=True)
    across[pairs] = np.stack([np.cross(two, normal) / size, np.cross(normal, one) / size, normal], axis=1)
    return across


def _directions(program: Program, joint: _Joint, k: int, first_there: Ints, first: Array, second: Array) -> None:
    """The directions of a joint's angles, so that two of them share `second`."""
    T = program.terms
    rows = joint.angles
    if len(rows) == 2:
        common = [s for s in (0, 1) if len({_direction(program, r, s) for r in rows}) == 1][0]
        one = T.row_term[rows[0]]
        owner = T.body_b[one] if common == 1 else T.body_a[one]
        first_there[k] = owner == joint.here
    for j, row in enumerate(rows):
        i = T.row_term[row]
        first_is_a = (T.body_a[i] == joint.there) == bool(first_there[k])
        first[k, j], second[k, j] = (
            (T.first_a[i], T.direction_b[i]) if first_is_a else (T.direction_b[i], T.first_a[i])
        )


def _loops(program: Program, closing: list[int], place: Ints, parent: Ints) -> dict[str, Ints]:
    """Slots, order of elimination and structure of the factor for the rows that close loops; see `Forest`."""
    n = program.bodies
    paths = [_path(program, row, place, parent) for row in closing]
    graph = _coupled(n, paths)
    order, columns = _eliminate(n, [top for top, _ in paths], graph)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    tops = [paths[i][0] for i in order]
    passing: list[list[int]] = [[] for _ in range(n)]
    for i in order:
        for k in paths[i][1]:
            passing[k].append(int(number[i]))
    ends: list[list[int]] = [[] for _ in range(n)]
    for e, top in enumerate(tops):
        if top >= 0:
            ends[top].append(e)
    rows = np.array([closing[i] for i in order], dtype=np.int64)
    slots = _slots(program, rows, place, parent, passing, ends)
    patterns = [[e, *sorted(int(number[c]) for c in columns[e])] for e in range(len(order))]
    return {"row": rows, **slots[0], **_factor(patterns, tops, passing, slots[1])}


def _path(program: Program, row: int, place: Ints, parent: Ints) -> tuple[int, list[int]]:
    """Where a row closes (a place; −1: the ground), and the places it passes below."""
    T, n = program.terms, program.bodies
    terms = slice(T.row_term[row], T.row_term[row + 1])
    bodies = {int(b) for b in (*T.body_a[terms], *T.body_b[terms])}
    chains = []
    for body in bodies:
        chain, k = [], int(place[body]) if body != n else -1
        while k >= 0:
            chain.append(k)
            k = int(parent[k])
        chains.append(chain)
    common = set(chains[0]).intersection(*chains[1:])
    # Parents come before their children, so that the lowest common one has the largest place.
    top = max(common, default=-1)
    return top, sorted({k for chain in chains for k in chain} - common)


def _coupled(n: int, paths: list[tuple[int, list[int]]]) -> list[set[int]]:
    """For each row the others that pass one joint with it."""
    through: list[list[int]] = [[] for _ in range(n)]
    for i, (_, path) in enumerate(paths):
        for k in path:
            through[k].append(i)
    near: list[set[int]] = [set() for _ in paths]
    for members in through:
        for i in members:
            near[i].update(members)
    for i, others in enumerate(near):
        others.discard(i)
    return near


def _eliminate(n: int, tops: list[int], near: list[set[int]]) -> tuple[list[int], list[list[int]]]:
    """Rows in the order in which the sweep meets their ends, by least degree at each; with each, its neighbours."""
    graph = [set(s) for s in near]
    at: dict[int, set[int]] = defaultdict(set)
    for i, top in enumerate(tops):
        at[top].add(i)
    order: list[int] = []
    columns: list[list[int]] = []
    for top in sorted(at, reverse=True):
        queue = [(len(graph[i]), i) for i in at[top]]
        heapq.heapify(queue)
        left = set(at[top])
        while left:
            degree, i = heapq.heappop(queue)
            if i not in left or degree != len(graph[i]):
                continue
            left.discard(i)
            order.append(i)
            columns.append(list(graph[i]))
            for j in graph[i]:
                graph[j] |= graph[i]
                graph[j] -= {i, j}
            for j in graph[i] & left:
                heapq.heappush(queue, (len(graph[j]), j))
    return order, columns


def _slots(
    program: Program, rows: Ints, place: Ints, parent: Ints, passing: list[list[int]], ends: list[list[int]]
) -> tuple[dict[str, Ints], dict[tuple[int, int], int]]:
    T, n = program.terms, program.bodies
    members = [(k, e) for k in range(n) for e in (*passing[k], *ends[k])]
    at = {member: i for i, member in enumerate(members)}
    block = np.full(len(members), -1, dtype=np.int64)
    for e, row in enumerate(rows):
        for b in range(T.row_block[row], T.row_block[row + 1]):
            block[at[int(place[T.block_body[b]]), e]] = b
    own = np.full(len(rows), -1, dtype=np.int64)
    for k, members_here in enumerate(ends):
        for e in members_here:
            own[e] = at[k, e]
    counts = [len(passing[k]) + len(ends[k]) for k in range(n)]
    closed = np.cumsum([0] + [len(ends[n - 1 - k]) for k in range(n)])
    return {
        "closed": closed.astype(np.int64),
        "slot_start": np.cumsum([0, *counts]).astype(np.int64),
        "passing": np.array([len(p) for p in passing], dtype=np.int64),
        "slot_loop": np.array([e for _, e in members], dtype=np.int64),
        "slot_parent": np.array([at.get((int(parent[k]), e), -1) for k, e in members], dtype=np.int64),
        "slot_block": block,
        "own_slot": own,
    }, at


def _factor(
    patterns: list[list[int]], tops: list[int], passing: list[list[int]], at: dict[tuple[int, int], int]
) -> dict[str, Ints]:
    """The columns of the factor, and where pairs add to."""
    start = np.cumsum([0, *(len(p) for p in patterns)])
    entry = {(e, h): int(start[e]) + i for e, pattern in enumerate(patterns) for i, h in enumerate(pattern)}
    pairs = [[entry[min(a, b), max(a, b)] for i, a in enumerate(p) for b in p[: i + 1]] for p in passing]
    updates = [
        [entry[min(a, b), max(a, b)] for i, a in enumerate(p[1:]) for b in p[1 : i + 2]] for p in patterns
    ]

    def flat(lists: list[list[int]]) -> Ints:
        return np.array([v for one in lists for v in one], dtype=np.int64)

    def starts(lists: list[list[int]]) -> Ints:
        return np.cumsum([0, *(len(one) for one in lists)]).astype(np.int64)

    slots = [[at.get((top, h), -1) for h in p] for p, top in zip(patterns, tops, strict=True)]
    return {
        "column_start": starts(patterns),
        "column": flat(patterns),
        "column_slot": flat(slots),
        "pair_start": starts(pairs),
        "pair_target": flat(pairs),
        "update_start": starts(updates),
        "update_target": flat(updates),
    }
