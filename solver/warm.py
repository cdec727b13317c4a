"""Compile the kernels once, as a part of installing: `python -m solver.warm`.

A geared pair on hinges is run for a moment, and taken as a geared robot; Numba keeps what it compiled beside the
sources (or in its own cache folder where that is not writable).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from solver import geared
from solver.constraints import GROUND, AxesAngle, Coordinate, GearPair, PointOnPlane, Primitive
from solver.functions import constant
from solver.model import JointLoad, Model, Motor, RigidBody
from solver.runs.integrate import simulate

_X, _Y, _Z = np.eye(3)


def _hinge(body: int, place: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[Primitive]:
    """A hinge of a body to the ground about z, at the body's centre."""
    zero = np.zeros(3)
    held: list[Primitive] = [PointOnPlane(GROUND, body, place, e, zero) for e in (_X, _Y, _Z)]
    return [*held, AxesAngle(GROUND, body, _X, _Z), AxesAngle(GROUND, body, _Y, _Z)]


def main() -> None:
    """Run each compiled kernel once."""
    places = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0]])
    gear = GearPair(0, 1, "spur", np.zeros(3), _Z, np.zeros(3), _Z, 2.0)
    turn, driven = (Coordinate("angle", GROUND, i, places[i], _Z, np.zeros(3), _X, _X) for i in range(2))
    model = Model(
        bodies=tuple(RigidBody(f"wheel {i}", 1.0, 0.01 * np.eye(3)) for i in range(2)),
        primitives=(*_hinge(0, places[0]), *_hinge(1, places[1]), gear),
        positions=places,
        quaternions=np.tile([1.0, 0.0, 0.0, 0.0], (2, 1)),
        groups=("turn",) * 5 + ("driven",) * 5 + ("gear",),
        coordinates=(turn, driven),
        coordinate_names=("turn", "driven"),
        motors=(Motor("motor", turn, "torque", constant(0.1)),),
        loads=(JointLoad(turn, damping=0.01, armature=0.001),),
    )
    # Steps of a model without functions of time run in another kernel, and so do rows that repeat each other.
    still = replace(model, motors=(), primitives=(*model.primitives, model.primitives[0]))
    for one, integrator in ((model, "dopri5"), (still, "dopri5"), (still, "generalized_alpha")):
        result = simulate(one, duration=0.02, rate=100.0, integrator=integrator)
        if not result.status.ok:
            raise SystemExit(result.status.message)
    robot = geared.transmission(replace(model, motors=()), "wheel 1", ["turn"])
    geared.loads(robot, [[0.1]], [[0.2]], [[0.3]])


if __name__ == "__main__":
    main()
