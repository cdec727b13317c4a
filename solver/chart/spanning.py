"""A spanning tree of a model's joints, with its minimal coordinates as a table for the kernels.

| step of a joint | q | rates |
|---|---|---|
| revolute, screw | rotation about the axis, rad | rad/s |
| prismatic | translation along the axis, m | m/s |
| spherical | quaternion (w first) of the body in the joint's frame | ω relative to the parent, body axes |

Every joint is a series of such steps: a cylindrical one a rotation and a translation, a body without a joint three
translations and a spherical one.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.compilation.compiled import Array1, Array2, Ints1, table
from solver.constraints import GROUND
from solver.equations.projection import POSITION_TOLERANCE, open_rows
from solver.equations.system import HOLD, ROTOR, System
from solver.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint of a model whose coordinates can be those of a tree: the group of its rows, and how it moves.

    `kind`: fixed, revolute, prismatic, screw, cylindrical, planar, spherical or universal; b moves relative to a
    (bodies of the model, −1 the ground). `point` (3,) m and `axis` (3,) are in the world at the model's reference pose;
    `second` is the axis of a universal joint that b holds, or the direction x of a planar one. `pitch` m/rad.
    """

    name: str
    kind: str
    a: int
    b: int
    point: Array
    axis: Array
    second: Array | None = None
    pitch: float = 0.0

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What tells it from another: equal for joints that are equal."""
        numbers = (self.point, self.axis, () if self.second is None else self.second, (self.pitch,))
        return (self.name, self.kind, self.a, self.b, *(np.asarray(part, float).tobytes() for part in numbers))


_FREEDOMS = {
    "fixed": 0, "revolute": 1, "prismatic": 1, "screw": 1, "cylindrical": 2, "universal": 2, "planar": 3,
    "spherical": 3,
}  # fmt: skip

Step = tuple[str, Array, float]
_FREE: list[Step] = [*(("prismatic", axis, 1.0) for axis in np.eye(3)), ("spherical", np.eye(3)[2], 0.0)]
"""The steps of a body that hangs on nothing."""


@table
class Chart(NamedTuple):
    """The joints in an order in which parents come first, one for each of the n bodies, and their steps.

    `body` and `parent` (n,) are bodies, the ground n. `point` (n, 3) m is the joint's point from the parent's centre of
    mass, parent's axes; `turn` (n, 4) the quaternion of the body in the parent at q = 0; `centre` (n, 3) m the body's
    centre of mass from the joint's point at q = 0, body axes. Joint k has the steps `step[k]` to `step[k + 1]`: `ball`
    (1: spherical), unit `axis` (s, 3) in body axes at q = 0, `slide` (m or m/rad) and `spin` along and about it for
    each unit of q; their places in q and in the rates are `q_start`, `v_start` (s + 1,). `closed`: every row of the
    model belongs to a joint of the tree.
    """

    body: Ints1
    parent: Ints1
    point: Array2
    turn: Array2
    centre: Array2
    step: Ints1
    ball: Ints1
    axis: Array2
    slide: Array1
    spin: Array1
    q_start: Ints1
    v_start: Ints1
    closed: bool


def no_chart() -> Chart:
    """That of no bodies."""
    whole, real = np.zeros(0, np.int64), np.zeros(0)
    rows = (np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)))
    starts = np.zeros(1, np.int64)
    return Chart(whole, whole, *rows, starts, whole, np.zeros((0, 3)), real, real, starts, starts, True)


def spanning_chart(system: System, joints: Sequence[TreeJoint]) -> Chart:
    """The tree with the fewest freedoms; a body that hangs on nothing gets six on the ground.

    A joint whose rows do not hold at the reference pose is left to its rows. ValueError for a kind without coordinates.
    """
    for given in joints:
        if given.kind not in _FREEDOMS:
            raise ValueError(f'{given.name}: a tree has no joint of the kind "{given.kind}"')
    model = system.model
    x = np.vstack([np.asarray(model.positions, float).reshape(-1, 3), np.zeros(3)])
    turns = np.vstack([np.asarray(model.quaternions, float).reshape(-1, 4), [1.0, 0.0, 0.0, 0.0]])
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    edges = _spanning_tree(len(model.bodies), _holding(system, joints))
    body, parent = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    point = np.array([x[i] if joint is None else joint.point for i, _, joint in edges], float).reshape(-1, 3)
    here, there = rotation.conjugate(turns[body]), rotation.conjugate(turns[parent])
    steps = [_FREE if joint is None else _steps(joint, reverse=joint.a == i) for i, _, joint in edges]
    owner = np.repeat(np.arange(len(edges)), [len(of) for of in steps])
    axes = np.array([axis for of in steps for _, axis, _ in of], float).reshape(-1, 3)
    kinds = [kind for of in steps for kind, _, _ in of]
    named = {joint.name for _, _, joint in edges if joint is not None}
    rows = zip(system.row_group, system.rows.kind, strict=True)
    return Chart(
        body=body,
        parent=parent,
        point=rotation.rotate(there, point - x[parent]),
        turn=rotation.multiply(there, turns[body]),
        centre=rotation.rotate(here, x[body] - point),
        step=_starts([len(of) for of in steps]),
        ball=np.array([kind == "spherical" for kind in kinds], np.int64),
        axis=rotation.rotate(here[owner], axes / np.linalg.norm(axes, axis=1, keepdims=True)),
        slide=np.array([pitch for of in steps for _, _, pitch in of], float),
        spin=np.array([kind in ("revolute", "screw") for kind in kinds], float),
        q_start=_starts([4 if kind == "spherical" else 1 for kind in kinds]),
        v_start=_starts([3 if kind == "spherical" else 1 for kind in kinds]),
        closed=all((kind == HOLD and group in named) or kind == ROTOR for group, kind in rows),
    )


def _starts(counts: Sequence[int]) -> Ints1:
    return np.cumsum([0, *counts]).astype(np.int64)


def _holding(system: System, joints: Sequence[TreeJoint]) -> list[TreeJoint]:
    """The joints whose rows hold at the reference pose, where the tree takes their geometry from."""
    model = system.model
    gaps, _ = open_rows(system, State.at_rest(model.positions, model.quaternions))
    broken = {system.row_group[i] for i in np.flatnonzero((gaps > POSITION_TOLERANCE) & (system.rows.kind == HOLD))}
    return [joint for joint in joints if joint.name not in broken]


def _spanning_tree(bodies: int, joints: Sequence[TreeJoint]) -> list[tuple[int, int, TreeJoint | None]]:
    """(body, parent, joint) with parents first, the ground as `bodies`: Prim's algorithm, weighed by freedoms."""
    at: dict[int, list[tuple[int, TreeJoint]]] = {}
    for joint in joints:
        a, b = (bodies if body == GROUND else body for body in (joint.a, joint.b))
        at.setdefault(a, []).append((b, joint))
        at.setdefault(b, []).append((a, joint))
    found: list[tuple[int, int, TreeJoint | None]] = []
    reached: set[int] = set()
    heap: list[tuple[int, int, int, int, TreeJoint]] = []
    tick = count()

    def reach(body: int) -> None:
        reached.add(body)
        for other, joint in at.get(body, ()):
            if other not in reached:
                heapq.heappush(heap, (_FREEDOMS[joint.kind], next(tick), other, body, joint))

    reach(bodies)
    for start in (bodies, *range(bodies)):
        if start not in reached:
            found.append((start, bodies, None))
            reach(start)
        while heap:
            _, _, body, parent, joint = heapq.heappop(heap)
            if body not in reached:
                found.append((body, parent, joint))
                reach(body)
    return found


def _steps(joint: TreeJoint, *, reverse: bool) -> list[Step]:
    """The joint as elementary ones from parent to child: kind, axis in the world, m or m/rad along it."""
    z = np.asarray(joint.axis, float)
    second = rotation.perpendicular(z) if joint.second is None else np.asarray(joint.second, float)
    steps: list[Step] = {
        "fixed": [],
        "revolute": [("revolute", z, 0.0)],
        "prismatic": [("prismatic", z, 1.0)],
        "screw": [("screw", z, joint.pitch)],
        "spherical": [("spherical", z, 0.0)],
        "cylindrical": [("revolute", z, 0.0), ("prismatic", z, 1.0)],
        "planar": [("prismatic", second, 1.0), ("prismatic", rotation.cross(z, second), 1.0), ("revolute", z, 0.0)],
        "universal": [("revolute", z, 0.0), ("revolute", second, 0.0)],
    }[joint.kind]
    return [(kind, -axis, slide) for kind, axis, slide in reversed(steps)] if reverse else steps
