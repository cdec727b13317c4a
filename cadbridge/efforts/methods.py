"""The methods that give efforts and reactions of a known motion, one table for all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.bond_graph import by_bond_graph
from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.geared import by_transmission
from cadbridge.efforts.losses import losing
from cadbridge.efforts.task import Forces, Method, Task
from cadbridge.efforts.tree import by_tree
from cadbridge.lowering import prepared
from solver.algebra.rank import null_space
from solver.analyses.kinematics import inverse as inverse_dynamics
from solver.analyses.minimal import jacobian
from solver.equations.projection import carry_angles, complete, drive_values
from solver.equations.system import prepare
from solver.model import Motor, TimeFunction
from solver.state import State
from solver.steps.methods import slope_at

Array = NDArray[np.float64]


def absolute(task: Task) -> Forces:
    """In absolute coordinates: the whole system at once, with every redundant row.

    Efforts of more channels than freedoms are those of least Σ τ².
    """
    if task.outside:
        # The drivers of the motion itself, one for one.
        followed = task.followed
        nothing = np.zeros(len(task.trajectory.t))
        return Forces(followed.joint_efforts, task.trajectory.multipliers, nothing, external=followed.wrenches)
    states = task.states()
    model = replace(task.model, coordinates=task.channels)
    system, own = prepare(task.model, carried=False), prepare(model, carried=False)
    measured = Measured(model, task.channels)
    accelerations = task.trajectory.accelerations
    wishes = [measured.accelerations(state, a) for state, a in zip(states, accelerations, strict=True)]
    carried = [carry_angles(s, system, own) for s in states]
    found = inverse_dynamics(model, carried, np.reshape(wishes, (len(states), len(task.channels))))
    unmet = np.max(np.abs(found.accelerations - accelerations), axis=(1, 2), initial=0.0)
    if not task.spare:
        return Forces(found.efforts, found.multipliers, unmet)
    return _least(task, states, found.efforts)


def _least(task: Task, states: list[State], efforts: Array) -> Forces:
    """The efforts of least norm that do the same, and the multipliers that go with them."""
    zero = TimeFunction(lambda t: (0.0, 0.0, 0.0), "effort")
    motors = tuple(Motor(f"channel {k}", c, "torque", zero) for k, c in enumerate(task.channels))
    plain = prepare(task.model, carried=False)
    pushed = prepared(replace(task.model, motors=(*task.model.motors, *motors)))
    first, held = len(task.model.motors), plain.constraint_rows
    least, multipliers, unmet = np.empty_like(efforts), [], []
    measured = Measured(task.model, task.channels)
    for k, state in enumerate(states):
        J = measured.gradients(state) @ null_space(jacobian(plain, state)[0], plain.length)
        # Efforts do what their work on the free motions is, Jᵀ τ: of all τ with the same the shortest.
        least[k] = np.linalg.pinv(J.T, rcond=1e-9) @ (J.T @ efforts[k])
        here = carry_angles(complete(plain, state), plain, pushed)
        drive = drive_values(pushed, here.t)
        drive[first : first + len(motors), 0] = least[k]
        slope = slope_at(pushed, here, drive)
        multipliers.append(slope.multipliers[:held])
        unmet.append(np.max(np.abs(slope.acceleration - task.trajectory.accelerations[k]), initial=0.0))
    return Forces(least, np.array(multipliers), np.array(unmet))


METHODS: dict[str, Method] = {
    "absolute": absolute,
    "transmission": losing(by_transmission),
    "bond-graph": losing(by_bond_graph),
    "tree": losing(by_tree),
}
"""Name → method: in absolute coordinates, along transmission lines, by the vector bond graph, over a spanning tree."""
