"""What a motion asks of DC motors: current and voltage, from the efforts of the joints that they drive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.motion import Motion
from cadbridge.efforts.task import Forces, Quantity, Task
from cadbridge.findings import Findings, Where
from cadbridge.simulation.circuits import DcMotor
from solver.bondgraph import Circuit
from solver.bondgraph import with_circuits as graph_with

Array = NDArray[np.float64]


def with_circuits(task: Task, forces: Forces, motion: Motion, findings: Findings) -> Forces:
    """The forces with the currents and voltages of the motion's motors; in the bond graph, their circuits.

    A motor on a joint that drives nothing is told (CB637).
    """
    found: list[Quantity] = []
    circuits: dict[str, Circuit] = {}
    for motor in motion.motors:
        if motor.joint in task.names:
            effort = forces.efforts[:, task.names.index(motor.joint)]
            found += _asked(task, motor, effort, motion.scenario.friction)
            circuits[motor.joint] = Circuit(motor.constant * motor.ratio, motor.resistance, motor.inductance)
        else:
            said = f"there is a motor on {motor.joint}, which is no actuator of this motion"
            findings.add("CB637", said, Where(item=motor.joint), items=[motor.joint])
    drawn = graph_with(forces.graph.built, circuits) if forces.graph is not None and circuits else None
    return replace(forces, quantities=(*forces.quantities, *found), drawn=drawn)


def _asked(task: Task, motor: DcMotor, effort: Array, speeds: tuple[float, float] | None) -> list[Quantity]:
    """Columns of one motor; `speeds` smooth the loss of its gearhead about rest, None: it loses nothing.

    di/dt is that of a spline through the samples' currents.
    """
    T, lowered = task.trajectory, task.lowered
    index = [j.name for j in lowered.joints].index(motor.joint)
    rate, second = T.coordinate_rates[:, index], T.coordinate_accelerations[:, index]
    slow = None if speeds is None else speeds[lowered.joints[index].coordinate == "distance"]
    torque = _before_gearhead(motor, effort, rate, slow)
    current = (torque + motor.rotor_inertia * motor.ratio * second) / motor.constant
    volts = motor.resistance * current + motor.constant * motor.ratio * rate
    if motor.inductance and len(T.t) > 3:
        from scipy.interpolate import CubicSpline

        volts = volts + motor.inductance * CubicSpline(T.t, current)(T.t, 1)
    return [
        Quantity("motor", motor.joint, "current", "A", current, plotted=True),
        Quantity("motor", motor.joint, "voltage", "V", volts, plotted=True),
        Quantity("motor", motor.joint, "electric_power", "W", volts * current),
        Quantity("motor", motor.joint, "lost", "W", motor.resistance * current**2),
    ]


def _before_gearhead(motor: DcMotor, effort: Array, rate: Array, slow: float | None) -> Array:
    """The torque that a gearhead takes from the motor's shaft; its loss is smoothed about rest, as in a run."""
    if motor.efficiency == 1.0 or slow is None:
        return np.asarray(effort / motor.ratio)
    lost = (1.0 - motor.efficiency) * np.tanh(np.abs(rate) / slow)
    return np.asarray(np.where(effort * rate > 0.0, effort / (1.0 - lost), effort * (1.0 - lost)) / motor.ratio)
