"""Which rows make the joints by which bodies hang on each other, and a spanning forest of these joints."""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solver.constraints.program import Program
from solver.constraints.terms import DOT, PLANE, Poses

Array = NDArray[np.float64]

_INDEPENDENT = 0.05
"""A direction counts beside others if this part of it is left without them."""
_SAME = 1e-12
"""Points and directions that differ by less (m, 1) are the same."""
_STRONG = 3
"""A joint of so many rows is preferred to weaker ones, however far from the root."""


@dataclass
class Joint:
    """What holds two bodies together, as seen from the body `here` that hangs on `there`."""

    here: int
    there: int
    planes: list[int] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return len(self.planes) + len(self.angles)


def joints_of(program: Program, held: int, poses: Poses) -> dict[tuple[int, int], Joint]:
    """For each pair of bodies that planes or angles join, the rows that make its joint."""
    T = program.terms
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row in range(held):
        k = int(T.row_term[row])
        single = T.row_term[row + 1] == k + 1 and T.curve[k] < 0 and T.coefficient[k] == 1.0
        a, b = int(T.body_a[k]), int(T.body_b[k])
        if single and a != b and T.kind[k] in (PLANE, DOT):
            found[min(a, b), max(a, b)].append(row)
    gradients = _gradients(program, poses)
    joints = {}
    for (low, high), rows in found.items():
        planes = [r for r in rows if T.kind[T.row_term[r]] == PLANE]
        angles = [r for r in rows if T.kind[T.row_term[r]] == DOT]
        joint = Joint(low, high, _chosen_planes(program, planes), _chosen_angles(program, angles, gradients))
        if joint.rows:
            joints[low, high] = joint
    return joints


def _gradients(program: Program, poses: Poses) -> Array:
    """e × w (T, 3) of all terms at the reference poses, world axes."""
    T = program.terms
    turns = np.concatenate([poses.rotations, np.eye(3)[None]])
    first = np.einsum("kij,kj->ki", turns[T.body_a], T.first_a)
    return np.cross(first, np.einsum("kij,kj->ki", turns[T.body_b], T.direction_b))


def _chosen_planes(program: Program, rows: list[int]) -> list[int]:
    """The most planes through one point with independent normals, in one body each."""
    T = program.terms
    sharing: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in rows:
        k = T.row_term[row]
        sharing[_rounded(T.body_a[k], T.point_b[k])].append(row)
    best: list[int] = []
    for members in sharing.values():
        chosen = _independent(program, members, T.first_a)
        if len(chosen) > len(best):
            best = chosen
    return best


def _independent(program: Program, rows: list[int], vectors: Array) -> list[int]:
    """The first rows, three at most, whose vectors (T, 3) are independent; one of (almost) no length never is."""
    kept: list[int] = []
    others: list[tuple[float, ...]] = []
    for row in rows:
        x, y, z = (float(c) for c in vectors[program.terms.row_term[row]])
        for a, b, c in others:
            part = x * a + y * b + z * c
            x, y, z = x - part * a, y - part * b, z - part * c
        size = math.sqrt(x * x + y * y + z * z)
        if size > _INDEPENDENT:
            kept.append(row)
            others.append((x / size, y / size, z / size))
        if len(kept) == 3:
            break
    return kept


def _chosen_angles(program: Program, rows: list[int], gradients: Array) -> list[int]:
    """Three angles that hold the orientation, or two about one common direction, or one."""
    all_three = _independent(program, rows, gradients)
    if len(all_three) == 3:
        return all_three
    sharing: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for row in rows:
        for side in (0, 1):
            sharing[direction(program, row, side)].append(row)
    for members in sharing.values():
        pair = _independent(program, members, gradients)
        if len(pair) == 2:
            return pair
    return all_three[:1]


def direction(program: Program, row: int, side: int) -> tuple[int, ...]:
    """The body and direction of one side of an angle's row, to compare."""
    T = program.terms
    k = T.row_term[row]
    body, vector = ((T.body_a[k], T.first_a[k]), (T.body_b[k], T.direction_b[k]))[side]
    return _rounded(body, vector)


def _rounded(body: int, vector: Array) -> tuple[int, ...]:
    return (int(body), *(round(float(c) / _SAME) for c in vector))


def span(n: int, pairs: dict[tuple[int, int], Joint]) -> list[Joint]:
    """A joint for each body, parents first: from the ground out, along strong joints before weak ones."""
    near: dict[int, list[tuple[int, Joint]]] = defaultdict(list)
    for (low, high), joint in pairs.items():
        near[low].append((high, joint))
        near[high].append((low, joint))
    reached = np.zeros(n + 1, dtype=bool)
    result: list[Joint] = []
    roots = [n, *sorted(range(n), key=lambda i: -len(near[i]))]
    for root in roots:
        if reached[root]:
            continue
        reached[root] = True
        if root != n:
            result.append(Joint(root, n))
        queue: list[tuple[bool, int, int, int, int]] = []
        _offer(queue, near, root, 0)
        while queue:
            _, depth, _, there, here = heapq.heappop(queue)
            if reached[here]:
                continue
            reached[here] = True
            joint = pairs[min(here, there), max(here, there)]
            result.append(Joint(here, there, joint.planes, joint.angles))
            _offer(queue, near, here, depth)
    return result


def _offer(
    queue: list[tuple[bool, int, int, int, int]], near: dict[int, list[tuple[int, Joint]]], there: int, depth: int
) -> None:
    for here, joint in near[there]:
        heapq.heappush(queue, (joint.rows < _STRONG, depth + 1, -joint.rows, there, here))
