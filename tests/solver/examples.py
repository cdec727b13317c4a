"""Small models and random poses for the tests of the solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.constraints import GROUND, AxesAngle, Coordinate, GearPair, PointOnPlane, Primitive
from solver.model import JointLoad, Model, Motor, RigidBody

Array = NDArray[np.float64]
O = np.zeros(3)  # noqa: E741 - the origin, as drawings name it
X, Y, Z = np.eye(3)


def body(name: str = "body", mass: float = 1.0, inertia: float = 0.1) -> RigidBody:
    return RigidBody(name, mass, inertia * np.diag([1.0, 1.2, 1.5]))


def ball(a: int, b: int, point_a: Array, point_b: Array) -> list[Primitive]:
    return [PointOnPlane(a, b, point_a, e, point_b) for e in np.eye(3)]


def hinge(a: int, b: int, point_a: Array, point_b: Array, axis: Array) -> list[Primitive]:
    """Five rows; the axis is the same in both frames."""
    first = rotation.perpendicular(axis)
    second = np.cross(axis, first)
    return [*ball(a, b, point_a, point_b), AxesAngle(a, b, first, axis), AxesAngle(a, b, second, axis)]


def turn(a: int, b: int, axis: Array = Z, point_a: Array = O) -> Coordinate:
    ref = rotation.perpendicular(axis)
    return Coordinate("angle", a, b, point_a, axis, O, ref, ref)


def poses(points: list[list[float]]) -> tuple[Array, Array]:
    return np.array(points, float), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))


def pendulum(links: int = 1, gravity: float = 9.81) -> Model:
    """Links of 1 m in a row along x, hinged about z; frames in their middles."""
    x, q = poses([[0.5 + i, 0.0, 0.0] for i in range(links)])
    rows: list[Primitive] = []
    for i in range(links):
        rows += hinge(i - 1, i, O if i == 0 else X / 2, -X / 2, Z)
    return Model(
        tuple(body(f"link {i}") for i in range(links)),
        tuple(rows),
        x,
        q,
        coordinates=tuple(turn(i - 1, i) for i in range(links)),
        gravity=(0.0, -gravity, 0.0),
    )


def planetary(motor: Motor | None = None, repeated: bool = False) -> Model:
    """Sun 0 (radius 1), carrier 1, planet 2 (0.5), ring of the ground (2): all about z."""
    x, q = poses([[0, 0, 0], [0, 0, 0], [1.5, 0, 0]])
    rows = hinge(GROUND, 0, O, O, Z) + hinge(GROUND, 1, O, O, Z) + hinge(1, 2, 1.5 * X, O, Z)
    rows += [GearPair(0, 2, "spur", O, Z, O, Z, 0.5), GearPair(GROUND, 2, "internal", O, Z, O, Z, 0.25)]
    groups = ["sun"] * 5 + ["carrier"] * 5 + ["planet"] * 5 + ["sun gear", "ring gear"]
    if repeated:
        rows, groups = rows + rows[7:12] + [rows[-1]], groups + ["again"] * 6
    return Model(
        tuple(body(name) for name in ("sun", "carrier", "planet")),
        tuple(rows),
        x,
        q,
        groups=tuple(groups),
        coordinates=(turn(GROUND, 0), turn(GROUND, 1), turn(GROUND, 2)),
        motors=() if motor is None else (motor,),
    )


def wheels(ratio: float, motors: tuple[Motor, ...] = (), armature: float = 0.0) -> Model:
    """Two spur wheels on the ground, 1 m apart; coordinates are their angles."""
    x, q = poses([[0, 0, 0], [1, 0, 0]])
    rows = hinge(GROUND, 0, O, O, Z) + hinge(GROUND, 1, X, O, Z) + [GearPair(0, 1, "spur", O, Z, O, Z, ratio)]
    loads = (JointLoad(turn(GROUND, 0), armature=armature),) if armature else ()
    return Model(
        (body("one"), body("two")),
        tuple(rows),
        x,
        q,
        groups=("first",) * 5 + ("second",) * 5 + ("gear",),
        coordinates=(turn(GROUND, 0), turn(GROUND, 1, point_a=X)),
        motors=motors,
        loads=loads,
    )
