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
Ints = NDArray[np.int64]

_INDEPENDENT = 0.05
"""A direction counts beside others if this part of it is left without them: a sine of 3°. Axes of a joint stand square
or alike; what is nearer to alike would make a joint whose pivots are small everywhere."""
_SAME_VECTOR = 1e-12
"""Points and directions that differ by less (m, 1) are the same: they are copies of one vector, or differ by rounding.
"""
_STRONG_ROWS = 3
"""A joint of so many rows is preferred to weaker ones, however far from the root: a ball or more. What a weaker joint
leaves free would be rows of loops and freedoms of the tree at once."""
_MUCH_LIGHTER = 1e4
"""A mass so many times less than another is light beside it: masses of one machine's parts mostly lie within it, and a
pivot loses as many digits as the ratio has."""
_COSTLY_PAIRS = 2_000
"""So many pairs of rows that pass a body together, on average, are worth a search for another forest: each pair is an
entry of the Schur complement in every evaluation, the search is once."""

_Rank = tuple[bool, int]
"""Whether a joint is weak, and how light its bodies are, the lightest first."""


@dataclass
class Joint:
    """What holds two bodies together, as seen from the body `here` that hangs on `there`."""

    here: int
    there: int
    planes: list[int] = field(default_factory=list)
    angles: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """How many freedoms it takes."""
        return len(self.planes) + len(self.angles)


def joints_of(program: Program, held: int, poses: Poses) -> dict[tuple[int, int], Joint]:
    """For each pair of bodies that planes or angles join, the rows that make its joint."""
    T, k = program.terms, program.first_terms[:held]
    # The closed forms of the joints know one term a row, unscaled: ratios, curves and rows of several terms close
    # loops.
    single = (np.diff(T.row_term)[:held] == 1) & (T.body_a[k] != T.body_b[k])
    single &= (T.curve[k] < 0) & (T.coefficient[k] == 1.0)
    low, high = np.minimum(T.body_a[k], T.body_b[k]), np.maximum(T.body_a[k], T.body_b[k])
    found: dict[tuple[int, int], tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, kind in enumerate((PLANE, DOT)):
        rows = np.flatnonzero(single & (T.kind[k] == kind))
        for one, other, row in zip(low[rows].tolist(), high[rows].tolist(), rows.tolist(), strict=True):
            found[one, other][side].append(row)
    planes, angles = _Planes(program), _Angles(program, poses)
    joints = {}
    for (one, other), (flat, straight) in found.items():
        joint = Joint(one, other, planes.chosen(flat), angles.chosen(straight))
        if joint.rows:
            joints[one, other] = joint
    return joints


class _Planes:
    """The planes of a program: where their points are, and their normals."""

    def __init__(self, program: Program) -> None:
        T, k = program.terms, program.first_terms
        self._points = _keys(T.body_a[k], T.point_b[k])
        self._normals = T.first_a[k].tolist()

    def chosen(self, rows: list[int]) -> list[int]:
        """The most planes through one point with independent normals, in one body each."""
        sharing: dict[bytes, list[int]] = defaultdict(list)
        for row in rows:
            sharing[self._points[row]].append(row)
        best: list[int] = []
        for members in sharing.values():
            chosen = _independent(members, self._normals)
            if len(chosen) > len(best):
                best = chosen
        return best


class _Angles:
    """The angles of a program: their directions, and e × w at the reference poses, world axes."""

    def __init__(self, program: Program, poses: Poses) -> None:
        T, k = program.terms, program.first_terms
        turns = np.concatenate([poses.rotations, np.eye(3)[None]])
        first = np.einsum("kij,kj->ki", turns[T.body_a[k]], T.first_a[k])
        other = np.einsum("kij,kj->ki", turns[T.body_b[k]], T.direction_b[k])
        self._gradients = np.cross(first, other).tolist()
        self._sides = (_keys(T.body_a[k], T.first_a[k]), _keys(T.body_b[k], T.direction_b[k]))

    def chosen(self, rows: list[int]) -> list[int]:
        """Three angles that hold the orientation, or two about one common direction, or one."""
        all_three = _independent(rows, self._gradients)
        # Three independent angles leave no turn at all, whatever directions they share, and so come before a pair.
        if len(all_three) == 3:
            return all_three
        sharing: dict[bytes, list[int]] = defaultdict(list)
        for row in rows:
            for side in self._sides:
                sharing[side[row]].append(row)
        for members in sharing.values():
            pair = _independent(members, self._gradients)
            if len(pair) == 2:
                return pair
        # Two angles without a common direction turn about an axis that lies fixed in neither body: one of them is left
        # to the loops.
        return all_three[:1]


def _independent(rows: list[int], vectors: list[list[float]]) -> list[int]:
    """The first rows, three at most, whose vectors (m, 3) are independent; one of (almost) no length never is."""
    kept: list[int] = []
    others: list[tuple[float, ...]] = []
    for row in rows:
        x, y, z = vectors[row]
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


def rounded(bodies: Ints, vectors: Array) -> Array:
    """Vectors (m, 3) of bodies as rows (m, 4) that are equal where these are the same."""
    return np.column_stack([bodies, np.rint(vectors / _SAME_VECTOR)])


def _keys(bodies: Ints, vectors: Array) -> list[bytes]:
    # Adding nothing makes −0 the same as 0 to the bit.
    table = np.ascontiguousarray(rounded(bodies, vectors) + 0.0)
    keys: list[bytes] = table.view(f"V{table.itemsize * table.shape[1]}").ravel().tolist()
    return keys


def span(n: int, pairs: dict[tuple[int, int], Joint], masses: Array) -> list[Joint]:
    """A joint for each body, parents first: from the ground out, along strong joints before weak ones.

    Joints of bodies that are much lighter than others come first, so that loops close between heavy bodies or at the
    ground. Where one closes at a light body, its row weighs by the light mass, and what the mechanism feels of it,
    by the heavy ones, is lost in rounding. `masses` (n,) are in kg.

    Bodies hang as near to the root as they can. In lattices so many loops close far up that the sweeps would pay for
    it with the square of their number: there bodies hang on those near by.
    """
    light = _lightness(masses)
    ranks = {pair: (joint.rows < _STRONG_ROWS, -max(light[pair[0]], light[pair[1]])) for pair, joint in pairs.items()}
    near: dict[int, list[int]] = defaultdict(list)
    for low, high in pairs:
        near[low].append(high)
        near[high].append(low)
    shallow = _shallow(n, pairs, near, ranks)
    if _work(n, pairs, shallow) < _COSTLY_PAIRS * n:
        return shallow
    edges = _clustered(n, ranks)
    close: dict[int, list[int]] = defaultdict(list)
    for low, high in edges:
        close[low].append(high)
        close[high].append(low)
    found = _shallow(n, pairs, close, ranks)
    return min(shallow, found, key=lambda joints: _work(n, pairs, joints))


def _shallow(
    n: int, pairs: dict[tuple[int, int], Joint], near: dict[int, list[int]], ranks: dict[tuple[int, int], _Rank]
) -> list[Joint]:
    """A forest along the joints `near` each body, the first in rank before others, then the nearest to the root."""
    reached = np.zeros(n + 1, dtype=bool)
    result: list[Joint] = []
    queue: list[tuple[_Rank, int, int, int, int]] = []

    def offer(there: int, depth: int) -> None:
        for here in near[there]:
            pair = (min(here, there), max(here, there))
            heapq.heappush(queue, (ranks[pair], depth + 1, -pairs[pair].rows, there, here))

    # What no joint ties to the ground floats. Of such a part the body with the most neighbours is the root, as depth is
    # what loops pay for.
    for root in (n, *sorted(range(n), key=lambda i: -len(near[i]))):
        if reached[root]:
            continue
        reached[root] = True
        if root != n:
            result.append(Joint(root, n))
        offer(root, 0)
        while queue:
            _, depth, _, there, here = heapq.heappop(queue)
            if reached[here]:
                continue
            reached[here] = True
            joint = pairs[min(here, there), max(here, there)]
            result.append(Joint(here, there, joint.planes, joint.angles))
            offer(here, depth)
    return result


def _work(n: int, pairs: dict[tuple[int, int], Joint], forest: list[Joint]) -> int:
    """Pairs of rows that pass a body together on their way to where their loops close: the sum over all bodies."""
    parent, depth = [n] * (n + 1), [0] * (n + 1)
    for joint in forest:
        parent[joint.here], depth[joint.here] = joint.there, depth[joint.there] + 1
    passing = np.zeros(n + 1, dtype=np.int64)
    for (a, b), joint in pairs.items():
        if parent[a] == b or parent[b] == a:
            continue
        passed = []
        while a != b:
            if depth[a] < depth[b]:
                a, b = b, a
            passed.append(a)
            a = parent[a]
        passing[passed] += joint.rows
    return int(np.sum(passing**2))


def _clustered(n: int, ranks: dict[tuple[int, int], _Rank]) -> list[tuple[int, int]]:
    """The edges of a forest in which the ends of the other edges are near each other, of the first ranks before others.

    Bodies join in pairs, those with the fewest neighbours first, each with the neighbour that it shares the most edges
    with, along the middle one of these; pairs are bodies of the next round. So clusters stay round, and few loops leave
    them: the coarsening of Karypis & Kumar (1998), doi:10.1137/S1064827595287997, the ground being the last to join.
    """
    cluster = list(range(n + 1))
    taken: list[tuple[int, int]] = []
    for rank in sorted(set(ranks.values())):
        edges = sorted(pair for pair, other in ranks.items() if other == rank)
        while edges := [(low, high) for low, high in edges if cluster[low] != cluster[high]]:
            near: dict[int, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
            for low, high in edges:
                near[cluster[low]][cluster[high]].append((low, high))
                near[cluster[high]][cluster[low]].append((low, high))
            ground, joined = cluster[n], {k: k for k in set(cluster)}
            free = set(near)
            for one in sorted(near, key=lambda k: (k == ground, len(near[k]), k)):
                others = [k for k in near[one] if k in free and k != one]
                if one not in free or not others:
                    continue
                other = min(others, key=lambda k: (-len(near[one][k]), k))
                free -= {one, other}
                joined[other] = one
                taken.append(near[one][other][len(near[one][other]) // 2])
            cluster = [joined[k] for k in cluster]
    return taken


def _lightness(masses: Array) -> list[int]:
    """How many times each body is `_MUCH_LIGHTER` lighter than the heaviest; the ground, at the end, is not light.

    A body without mass counts as the lightest: what it is added depends on the others.
    """
    some = masses[masses > 0.0]
    if some.size == 0:
        return [0] * (len(masses) + 1)
    steps = np.log(some.max() / np.maximum(masses, some.min())) / math.log(_MUCH_LIGHTER)
    return [*np.floor(steps).astype(int).tolist(), 0]
