"""Which rows make the joints by which bodies hang on each other, and a spanning forest of these joints."""

from __future__ import annotations

import heapq
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
        joint = Joint(low, high, _chosen_planes(program, planes), _chosen_angles(program, angles, poses, n))
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
            pair = independent([r for r in rows if direction(program, r, side) == direction(program, row, side)])
            if len(pair) == 2:
                return pair
    return all_three[:1]


def direction(program: Program, row: int, side: int) -> tuple[int, ...]:
    """The body and direction of one side of an angle's row, to compare."""
    T = program.terms
    k = T.row_term[row]
    body, vector = ((T.body_a[k], T.first_a[k]), (T.body_b[k], T.direction_b[k]))[side]
    return (int(body), *np.round(vector / _SAME).astype(np.int64).tolist())


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
