"""Rank and both null spaces of many rows that each see a few bodies, by a frontal elimination.

Bodies go one after the other, those with the fewest neighbours first. The rows that see a body are gathered in a small
dense front and turned by orthogonal transformations until the body's columns are solved for; what is left of them sees
the bodies around it, and is gathered again when the first of these goes. Rows that vanish on the way are combinations
of repeated rows; columns that nothing holds are motions. Duff & Reid (1983), doi:10.1145/356044.356047; with ranks:
Davis (2011), doi:10.1145/2049662.2049670.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.algebra.elimination import eliminate
from solver.algebra.rank import significant

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

BODIES_TOGETHER = 4
"""Bodies that one front solves for, where the next to go is the one that the rest is handed to."""
ROUNDED_AWAY = 1e-11
"""A part of a motion or of a self-stress below this is rounding: both are of unit length, and sums over a front of a
thousand rows leave 1e-13."""


class Element(NamedTuple):
    """Rows (r, 6·k) that see the columns of k `bodies`, of length about 1."""

    bodies: tuple[int, ...]
    rows: Array


class Sparse(NamedTuple):
    """Columns of numbers `ids` (a,) of a matrix, those that are not zero in a few of its rows: `values` (rows, a)."""

    ids: Ints
    values: Array


@dataclass(frozen=True, eq=False)
class Front:
    """What is left of a front: `bodies` (p) went, those of the `boundary` (b) stay.

    `follow` (6p, 6b) are the twists of the bodies for those of the boundary, `free` (6p, f) those that nothing holds.
    Its rows are those of its `elements` and what its `children` handed on; `zero` (rows, z) are the combinations that
    vanish, `passed` (rows, c) those that are handed on.
    """

    bodies: Ints
    boundary: Ints
    elements: tuple[int, ...]
    children: tuple[int, ...]
    follow: Array
    free: Array
    zero: Array
    passed: Array


def fronts_of(elements: Sequence[Element], count: int, lowest: float, highest: float) -> list[Front]:
    """The fronts of elements between `count` bodies, each after its children; thresholds as in `significant`."""
    cliques: list[list[int]] = [[] for _ in range(count)]
    for k, element in enumerate(elements):
        for body in element.bodies:
            cliques[body].append(k)
    order, touched = eliminate(cliques, [0] * count)
    groups = _grouped(order, touched)
    home = np.empty(count, np.int64)
    for k, (bodies, _) in enumerate(groups):
        home[bodies] = k
    own: list[list[int]] = [[] for _ in groups]
    for k, element in enumerate(elements):
        # A row is gathered where the first of its bodies goes: later that body's columns are no longer there.
        own[min(home[list(element.bodies)])].append(k)
    children: list[list[int]] = [[] for _ in groups]
    handed: dict[int, tuple[Ints, Array]] = {}
    found: list[Front] = []
    for k, (bodies, boundary) in enumerate(groups):
        F = _gathered(bodies, boundary, [elements[i] for i in own[k]], [handed.pop(c) for c in children[k]])
        front, left = _solved(F, bodies, boundary, tuple(own[k]), tuple(children[k]), (lowest, highest))
        found.append(front)
        if len(left):
            children[min(home[boundary])].append(k)
            handed[k] = boundary, left
    return found


def _grouped(order: list[int], touched: list[list[int]]) -> list[tuple[Ints, Ints]]:
    """Bodies that go together, and those around them that stay, in an order in which what is handed on is near."""
    groups: list[tuple[Ints, Ints]] = []
    bodies: list[int] = []
    follower, sequence = _postordered(order, touched)
    for k, after in zip(sequence, [*sequence[1:], -2], strict=True):
        bodies.append(order[k])
        if follower[k] != after or len(bodies) == BODIES_TOGETHER:
            groups.append((np.array(bodies, np.int64), np.array(touched[k], np.int64)))
            bodies = []
    return groups


def _postordered(order: list[int], touched: list[list[int]]) -> tuple[list[int], list[int]]:
    """To which place in the order each hands its rows (-1: to none), and the places with each subtree in one piece."""
    place = {body: k for k, body in enumerate(order)}
    follower = [min((place[body] for body in around), default=-1) for around in touched]
    before: list[list[int]] = [[] for _ in order]
    sizes = [1] * len(order)
    for k, after in enumerate(follower):
        if after >= 0:
            before[after].append(k)
            sizes[after] += sizes[k]
    waiting = [k for k, after in enumerate(follower) if after < 0]
    backwards = []
    while waiting:
        k = waiting.pop()
        backwards.append(k)
        # The largest subtree comes right before what it leads to.
        waiting += sorted(before[k], key=sizes.__getitem__)
    return follower, backwards[::-1]


def _gathered(bodies: Ints, boundary: Ints, own: list[Element], handed: list[tuple[Ints, Array]]) -> Array:
    """The rows of a front (rows, 6·(p + b))."""
    place = {body: k for k, body in enumerate([*bodies.tolist(), *boundary.tolist()])}
    parts = [*((element.bodies, element.rows) for element in own), *((seen.tolist(), rows) for seen, rows in handed)]
    F = np.zeros((sum(len(rows) for _, rows in parts), 6 * len(place)))
    start = 0
    for seen, rows in parts:
        columns = (6 * np.array([place[body] for body in seen])[:, None] + np.arange(6)).ravel()
        F[start : start + len(rows), columns] = rows
        start += len(rows)
    return F


def _solved(
    F: Array,
    bodies: Ints,
    boundary: Ints,
    elements: tuple[int, ...],
    children: tuple[int, ...],
    window: tuple[float, float],
) -> tuple[Front, Array]:
    """A front solved for its bodies, and the rows (c, 6·b) that it hands on."""
    p = 6 * len(bodies)
    # The triangle has the singular values of all rows, which to decompose themselves would take longer.
    Q, R = np.linalg.qr(F[:, :p], mode="complete")
    U, s, Vt = np.linalg.svd(R[: min(R.shape)])
    r = significant(s, *window)
    Q[:, : len(U)] = Q[:, : len(U)] @ U
    seen = Q.T @ F[:, p:]
    # Of the rows that hold the bodies, s (Vᵀ x) + seen · boundary = 0, solved for the bodies' twists x.
    follow = -(Vt[:r].T / s[:r]) @ seen[:r]
    turned, rank = _row_space(seen[r:], window)
    combinations = Q[:, r:] @ turned
    left = turned[:, :rank].T @ seen[r:]
    zero, passed = combinations[:, rank:], combinations[:, :rank]
    return Front(bodies, boundary, elements, children, follow, Vt[r:].T, zero, passed), left


def _row_space(K: Array, window: tuple[float, float]) -> tuple[Array, int]:
    """An orthogonal U (m, m) and a rank r: the first r rows of UᵀK are independent, the others vanish."""
    from scipy.linalg import qr

    if not K.size:
        return np.eye(len(K)), 0
    Q, R, _ = qr(K, pivoting=True)
    sizes = np.abs(np.diag(R))
    low, high = window
    # The diagonal of a pivoted R is off from the singular values by a factor, usually well below ten.
    if np.any((sizes > 0.1 * low) & (sizes < 10 * high)):
        # Not clear by pivoting alone.
        Q, sizes = np.linalg.svd(K)[:2]
    return np.asarray(Q, float), significant(sizes, low, high)


def motions_of(fronts: Sequence[Front], count: int) -> list[Sparse]:
    """The motions that the rows leave: of every body its twist (6, a) in those that move it."""
    none = Sparse(np.zeros(0, np.int64), np.zeros((6, 0)))
    found = [none] * count
    known = 0
    # From the last to go back to the first: what is around a front is known before what it follows.
    for front in reversed(fronts):
        around = [found[body] for body in front.boundary.tolist()]
        ids = np.unique(np.concatenate([np.zeros(0, np.int64), *(part.ids for part in around)]))
        own = front.free.shape[1]
        twists = np.hstack([front.follow @ _stacked(around, ids), front.free])
        ids = np.concatenate([ids, np.arange(known, known + own)])
        known += own
        for body, twist in zip(front.bodies.tolist(), twists.reshape(len(front.bodies), 6, len(ids)), strict=True):
            moves = np.max(np.abs(twist), axis=0, initial=0.0) > ROUNDED_AWAY
            found[body] = Sparse(ids[moves], twist[:, moves])
    return found


def _stacked(parts: Sequence[Sparse], ids: Ints) -> Array:
    """Parts under one another, in the same columns."""
    found = np.zeros((6 * len(parts), len(ids)))
    for k, part in enumerate(parts):
        found[6 * k : 6 * k + 6, np.searchsorted(ids, part.ids)] = part.values
    return found


def stress_parts(fronts: Sequence[Front], k: int) -> list[tuple[int, Array]]:
    """The combinations of rows that vanish in front k: fronts, with the parts (r, z) of their elements' rows."""
    found: list[tuple[int, Array]] = []
    waiting = [(k, fronts[k].zero)]
    while waiting:
        at, values = waiting.pop()
        end = len(values)
        for child in reversed(fronts[at].children):
            passed = fronts[child].passed
            part, end = values[end - passed.shape[1] : end], end - passed.shape[1]
            if np.abs(part).max(initial=0.0) > ROUNDED_AWAY:
                waiting.append((child, passed @ part))
        if end:
            found.append((at, values[:end]))
    return found
