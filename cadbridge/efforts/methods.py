"""The methods that give efforts and reactions of a known motion, one table for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.coordinates import Measured
from cadbridge.efforts.follow import Followed
from cadbridge.efforts.motion import BodyPath
from cadbridge.findings import Finding
from cadbridge.lowering import Lowered
from solver.constraints import Coordinate
from solver.kinematics import inverse as inverse_dynamics
from solver.methods import slope_at
from solver.minimal import jacobian
from solver.model import Model, Motor, TimeFunction
from solver.projection import carry_angles, complete, drive_values
from solver.rank import null_space
from solver.result import Trajectory
from solver.state import State
from solver.system import prepare

if TYPE_CHECKING:
    from solver.bondgraph import KinetoStatics

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Task:
    """A motion that is known, and what drives it: the same for all methods.

    `model` is the lowered mechanism with its loads, without drivers; `followed` has its states and accelerations;
    `channels` (c) are the coordinates along which efforts are asked for, of the joints `names`. `outside` are bodies
    that are moved from outside beside them. `spare` is how many channels there are more than freedoms.
    """

    lowered: Lowered
    model: Model
    followed: Followed
    names: tuple[str, ...]
    channels: tuple[Coordinate, ...]
    outside: tuple[BodyPath, ...] = ()
    spare: int = 0

    @property
    def trajectory(self) -> Trajectory:
        """The samples of the motion."""
        return self.followed.trajectory

    def states(self) -> list[State]:
        """The states of the trajectory."""
        T = self.trajectory
        arrays = (T.t, T.positions, T.quaternions, T.velocities, T.angles)
        return [State(float(t), *rest) for t, *rest in zip(*arrays, strict=True)]


@dataclass(frozen=True, eq=False)
class Quantity:
    """Values (k,) along the motion: column `kind`.`name`.`what`; its peak is told unless it is the part of one that is.

    Those `plotted` are drawn together with the others of their kind.
    """

    kind: str
    name: str
    what: str
    unit: str
    values: Array
    peak: bool = True
    plotted: bool = False


@dataclass(frozen=True, eq=False)
class Forces:
    """What a method found at k samples.

    `efforts` (k, c; N m, N) along the channels, `multipliers` (k, m) of the rows of the model's primitives
    (M v̇ + Ĝᵀλ = f), and the largest acceleration `unmet` (k,), rad/s² or m/s².

    `quantities` are what the method has beside it, `findings` what it has to say. `led` are wrenches (k, 6)
    [force; torque] from outside on bodies, by name, about the point led, world axes. `graph` is the bond graph, where
    the method has one.
    """

    efforts: Array
    multipliers: Array
    unmet: Array
    quantities: tuple[Quantity, ...] = ()
    findings: tuple[Finding, ...] = ()
    led: dict[str, Array] = field(default_factory=dict)
    graph: KinetoStatics | None = None


Method = Callable[[Task], Forces]


def absolute(task: Task) -> Forces:
    """In absolute coordinates: the whole system at once, with every redundant row.

    Efforts of more channels than freedoms are those of least Σ τ².
    """
    if task.outside:
        # The drivers of the motion itself, one for one.
        followed = task.followed
        nothing = np.zeros(len(task.trajectory.t))
        return Forces(followed.joint_efforts, task.trajectory.multipliers, nothing, led=followed.wrenches)
    states = task.states()
    model = replace(task.model, coordinates=task.channels)
    system, own = prepare(task.model), prepare(model)
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
    plain, pushed = prepare(task.model), prepare(replace(task.model, motors=(*task.model.motors, *motors)))
    first, held = len(task.model.motors), plain.constraint_rows
    least, multipliers, unmet = np.empty_like(efforts), [], []
    measured = Measured(task.model, task.channels)
    for k, state in enumerate(states):
        J = measured.gradients(state) @ null_space(jacobian(plain, state)[0], plain.length)
        least[k] = np.linalg.pinv(J.T, rcond=1e-9) @ (J.T @ efforts[k])
        here = carry_angles(complete(plain, state), plain, pushed)
        drive = drive_values(pushed, here.t)
        drive[first : first + len(motors), 0] = least[k]
        slope = slope_at(pushed, here, drive)
        multipliers.append(slope.multipliers[:held])
        unmet.append(np.max(np.abs(slope.acceleration - task.trajectory.accelerations[k]), initial=0.0))
    return Forces(least, np.array(multipliers), np.array(unmet))


def transmission(task: Task) -> Forces:
    """Link by link along the transmission lines of a geared robot, with the loads of its teeth and bearings."""
    from cadbridge.efforts.geared import by_transmission

    return by_transmission(task)


def bond_graph(task: Task) -> Forces:
    """By the vector bond graph of the mechanism and its unified formulae."""
    from cadbridge.efforts.bond_graph import by_bond_graph

    return by_bond_graph(task)


METHODS: dict[str, Method] = {"absolute": absolute, "transmission": transmission, "bond-graph": bond_graph}
"""Name → method. A method takes a task and gives its forces."""
