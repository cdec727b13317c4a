"""A spanning tree of a model: which joints become the tree's, and which rows are left to close it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.constraints import Coordinate, Coupler
from solver.model import JointLoad, Model
from solver.system import AngleOwner
from solver.tree.model import GROUND, Link, Tree

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """A joint of a model that a tree can take as its own: the group of its rows, and how it moves.

    `kind`: fixed, revolute, prismatic, screw, cylindrical, planar, spherical or universal; b moves relative to a
    (bodies of the model, −1 the ground). `point` (3,) m and `axis` (3,) are in the world at the model's reference pose;
    `second` is the axis of a universal joint that b holds, or the direction x of a planar one. `pitch` m/rad.
    """

    name: str
    kind: str
    a: int
    b: int
    point: Vector
    axis: Vector
    second: Vector | None = None
    pitch: float = 0.0


_FREEDOMS = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "screw": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "spherical": 3,
}

_MEASURES = {"revolute": "angle", "screw": "angle", "prismatic": "distance"}
"""What a coordinate must be to carry the armature of a joint."""


class Places(NamedTuple):
    """For each body the first and the last of its links: those before the last have no mass. `order`: parents first."""

    first: Ints
    last: Ints
    order: Ints


@dataclass(frozen=True, eq=False)
class Span:
    """A model as a tree: its links, the links of each body, the joints taken, and the model that is left to close it.

    `closing` has the bodies, motors and loads of the model, and of its primitives those at `kept`. The armature that
    the tree's joints bear is in the tree; in `closing` it is zero. The tree has no gravity: the loads have. `angles`
    are the integrated angles of primitives that are not kept (those of screws): loads that do nothing measure them.
    """

    tree: Tree
    places: Places
    joints: tuple[TreeJoint, ...]
    closing: Model
    kept: tuple[int, ...]
    stripped: tuple[int, ...]
    angles: dict[AngleOwner, Coordinate]


def span(model: Model, joints: Sequence[TreeJoint]) -> Span:
    """A spanning tree with as few freedoms as can be: what hangs on nothing gets a free joint on the ground.

    ValueError for a joint of a kind that no tree has.
    """
    for given in joints:
        if given.kind not in _FREEDOMS:
            raise ValueError(f'{given.name}: a tree has no joint of the kind "{given.kind}"')
    edges = _grow(len(model.bodies), joints)
    R = [*rotation.matrix(np.asarray(model.quaternions, float).reshape(-1, 4)), np.eye(3)]
    x = [*np.asarray(model.positions, float).reshape(-1, 3), np.zeros(3)]
    links: list[Link] = []
    first, last, order = {}, {GROUND: GROUND}, []
    origin = {GROUND: np.zeros(3)}
    taken: list[TreeJoint] = []
    loads, stripped = list(model.loads), []
    armed: dict[str, list[int]] = {}
    for i, load in enumerate(loads):
        if load.armature > 0:
            armed.setdefault(load.name, []).append(i)
    for body, parent, edge in edges:
        joint = None if edge is None else joints[edge]
        point = x[body] if joint is None else np.asarray(joint.point, float)
        steps = [("free", np.array([0.0, 0.0, 1.0]))] if joint is None else _steps(joint, reverse=joint.a == body)
        armature = 0.0
        if joint is not None:
            taken.append(joint)
            armature, own = _armature(joint, model.loads, armed.get(joint.name, []))
            stripped += own
        first[body] = len(links)
        for k, (kind, axis) in enumerate(steps):
            final = k == len(steps) - 1
            links.append(
                Link(
                    model.bodies[body].name,
                    last[parent] if k == 0 else len(links) - 1,
                    kind,
                    point=R[parent].T @ (point - origin[parent]) if k == 0 else np.zeros(3),
                    turn=R[parent].T @ R[body] if k == 0 else np.eye(3),
                    axis=R[body].T @ axis,
                    mass=model.bodies[body].mass if final else 0.0,
                    com=R[body].T @ (x[body] - point) if final else np.zeros(3),
                    inertia=np.asarray(model.bodies[body].inertia, float) if final else np.zeros((3, 3)),
                    pitch=joint.pitch if joint is not None else 0.0,
                    armature=armature,
                )
            )
        last[body], origin[body] = len(links) - 1, point
        order.append(body)
    for i in stripped:
        loads[i] = replace(loads[i], armature=0.0)
    names = {joint.name for joint in taken}
    kept = tuple(i for i in range(len(model.primitives)) if i >= len(model.groups) or model.groups[i] not in names)
    angles = _angles(model, set(kept))
    loads += [JointLoad(coordinate) for coordinate in angles.values()]
    closing = _closing(model, kept, tuple(loads))
    every = range(len(order))
    places = Places(_ints([first[b] for b in every]), _ints([last[b] for b in every]), _ints(order))
    return Span(Tree(tuple(links), (0.0, 0.0, 0.0)), places, tuple(taken), closing, kept, tuple(stripped), angles)


def _angles(model: Model, kept: set[int]) -> dict[AngleOwner, Coordinate]:
    """The angles of the couplers that are not kept, by their owners."""
    found: dict[AngleOwner, Coordinate] = {}
    for i, primitive in enumerate(model.primitives):
        if i not in kept and isinstance(primitive, Coupler):
            turns = [c for _, c in primitive.terms if c.kind == "angle"]
            found |= {(primitive, k): c for k, c in enumerate(turns)}
    return found


def _ints(values: Sequence[int]) -> Ints:
    return np.array(values, np.int64)


def _grow(bodies: int, joints: Sequence[TreeJoint]) -> list[tuple[int, int, int | None]]:
    """(body, parent, joint or None) with parents first: Prim's algorithm, weighed by freedoms."""
    at: dict[int, list[int]] = {}
    for i, joint in enumerate(joints):
        at.setdefault(joint.a, []).append(i)
        at.setdefault(joint.b, []).append(i)
    found: list[tuple[int, int, int | None]] = []
    reached: set[int] = set()
    heap: list[tuple[int, int, int, int]] = []
    tick = count()

    def reach(body: int) -> None:
        reached.add(body)
        for i in at.get(body, ()):
            other = joints[i].b if joints[i].a == body else joints[i].a
            if other not in reached:
                heapq.heappush(heap, (_FREEDOMS[joints[i].kind], next(tick), i, other))

    reach(GROUND)
    for start in (GROUND, *range(bodies)):
        if start not in reached:
            found.append((start, GROUND, None))
            reach(start)
        while heap:
            _, _, i, body = heapq.heappop(heap)
            if body not in reached:
                found.append((body, joints[i].a if joints[i].b == body else joints[i].b, i))
                reach(body)
    return found


def _steps(joint: TreeJoint, *, reverse: bool) -> list[tuple[str, Vector]]:
    """The joint as elementary ones from parent to child, with their axes in the world."""
    z = np.asarray(joint.axis, float)
    second = rotation.perpendicular(z) if joint.second is None else np.asarray(joint.second, float)
    steps = {
        "cylindrical": [("revolute", z), ("prismatic", z)],
        "planar": [("prismatic", second), ("prismatic", rotation.cross(z, second)), ("revolute", z)],
        "universal": [("revolute", z), ("revolute", second)],
    }.get(joint.kind, [(joint.kind, z)])
    return [(kind, -axis) for kind, axis in reversed(steps)] if reverse else steps


def _armature(joint: TreeJoint, loads: Sequence[JointLoad], named: list[int]) -> tuple[float, list[int]]:
    """The armature along a joint of one freedom, and the loads that bear it, of those `named` as it is."""
    own = [
        i
        for i in named
        if (along := loads[i].coordinate).kind == _MEASURES.get(joint.kind) and {along.a, along.b} == {joint.a, joint.b}
    ]
    return sum(loads[i].armature for i in own), own


def _closing(model: Model, kept: tuple[int, ...], loads: tuple[JointLoad, ...]) -> Model:
    groups = tuple(model.groups[i] if i < len(model.groups) else f"primitive {i}" for i in kept)
    return replace(model, primitives=tuple(model.primitives[i] for i in kept), groups=groups, loads=loads)
