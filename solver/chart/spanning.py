"""A spanning tree of a model's joints, with its minimal coordinates as a table for the kernels.

A joint is a series of steps (`solver.chart.steps`): a cylindrical one a rotation and a translation, a body without a
joint three translations and a ball.
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
from solver.chart.steps import FREE, Step
from solver.compilation.compiled import Array1, Array2, Ints1, table
from solver.constraints import GROUND
from solver.equations.projection import POSITION_TOLERANCE, open_rows
from solver.equations.system import HOLD, ROTOR, System
from solver.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint of a model whose coordinates can be those of a spanning tree.

    Attributes:
        name: The group of its rows.
        steps: How b moves relative to a, the outermost (next to a) first; none: it is fixed. Of several slides each
            stands across the others.
        a: The body that bears it, −1 for the ground.
        b: The body that it moves, −1 for the ground.
        point: Its point (3,) m, in the world at the reference pose.
    """

    name: str
    steps: tuple[Step, ...]
    a: int
    b: int
    point: Array

    @property
    def freedoms(self) -> int:
        """How many rates it has."""
        return sum(step.rates for step in self.steps)

    @cached_property
    def key(self) -> tuple[object, ...]:
        """What tells it from another: equal for joints that are equal."""
        steps = ((step.axis.tobytes(), step.spin, step.travel, step.ball) for step in self.steps)
        return (self.name, self.a, self.b, np.asarray(self.point, float).tobytes(), *steps)

    def passed(self, *, reverse: bool) -> tuple[Step, ...]:
        """Give the steps in the order in which a tree passes them.

        Args:
            reverse: Whether it goes from b to a, and not from a to b.

        Returns:
            The steps.
        """
        return tuple(step.reversed() for step in reversed(self.steps)) if reverse else self.steps


@table
class Chart(NamedTuple):
    """The joints in an order in which parents come first, one for each of the n bodies, and their steps.

    `body` and `parent` (n,) are bodies, the ground n. `point` (n, 3) m is the joint's point from the parent's centre of
    mass, parent's axes; `turn` (n, 4) the quaternion of the body in the parent at q = 0; `centre` (n, 3) m the body's
    centre of mass from the joint's point at q = 0, body axes. Joint k has the steps `step[k]` to `step[k + 1]`: `ball`
    (1: any orientation), unit `axis` (s, 3) in body axes at q = 0, `slide` (m or m/rad) and `spin` along and about it
    for each unit of q; their places in q and in the rates are `q_start`, `v_start` (s + 1,). `closed`: every row of the
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

    A joint whose rows do not hold at the reference pose is left to its rows.
    """
    model = system.model
    x = np.vstack([np.asarray(model.positions, float).reshape(-1, 3), np.zeros(3)])
    turns = np.vstack([np.asarray(model.quaternions, float).reshape(-1, 4), [1.0, 0.0, 0.0, 0.0]])
    # A model's quaternions may be of any length but zero; those of the chart are multiplied with each other.
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    edges = _spanning_tree(len(model.bodies), _holding(system, joints))
    body, parent = (np.array([edge[side] for edge in edges], np.int64) for side in (0, 1))
    point = np.array([x[i] if joint is None else joint.point for i, _, joint in edges], float).reshape(-1, 3)
    here, there = rotation.conjugate(turns[body]), rotation.conjugate(turns[parent])
    passed = [FREE if joint is None else joint.passed(reverse=joint.a == i) for i, _, joint in edges]
    steps = [step for of in passed for step in of]
    owner = np.repeat(np.arange(len(edges)), [len(of) for of in passed])
    axes = np.array([step.axis for step in steps], float).reshape(-1, 3)
    named = {joint.name for _, _, joint in edges if joint is not None}
    rows = zip(system.row_group, system.rows.kind, strict=True)
    return Chart(
        body=body,
        parent=parent,
        point=rotation.rotate(there, point - x[parent]),
        turn=rotation.multiply(there, turns[body]),
        centre=rotation.rotate(here, x[body] - point),
        step=_starts([len(of) for of in passed]),
        ball=np.array([step.ball for step in steps], np.int64),
        axis=rotation.rotate(here[owner], axes),
        slide=np.array([step.travel for step in steps], float),
        spin=np.array([step.spin for step in steps], float),
        q_start=_starts([step.numbers for step in steps]),
        v_start=_starts([step.rates for step in steps]),
        # A rotor's row has a compliance, and is no constraint that a step could leave.
        closed=all((kind == HOLD and group in named) or kind == ROTOR for group, kind in rows),
    )


def _starts(counts: Sequence[int]) -> Ints1:
    return np.cumsum([0, *counts]).astype(np.int64)


def _holding(system: System, joints: Sequence[TreeJoint]) -> list[TreeJoint]:
    """The joints whose rows hold at the reference pose, where the tree takes their geometry from."""
    model = system.model
    # A tree takes points and axes from the reference pose. Of a joint that is open there it would keep the gap for
    # good, and its rows would be closed by nothing.
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
                # The tick lets the first of equal joints win, and no comparison gets as far as the joints, which have
                # no order.
                heapq.heappush(heap, (joint.freedoms, next(tick), other, body, joint))

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
