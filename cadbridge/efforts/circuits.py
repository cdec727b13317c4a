"""What a motion asks of DC motors and cylinders: current and voltage, pressures and flows, from the joints' efforts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.efforts.motion import Motion
from cadbridge.efforts.task import Forces, Quantity, Task
from cadbridge.findings import Findings, Where
from cadbridge.simulation.motors import Cylinder, CylinderSide, DcMotor, MotorSpec
from cadbridge.units import BAR
from solver.bondgraph import Actuator, FluidLine
from solver.bondgraph import Circuit as GraphCircuit
from solver.bondgraph import with_circuits as graph_with

Array = NDArray[np.float64]

AMBIENT = 101325.0
"""Pa: pressures are counted from it, none is below its negative."""


def with_circuits(task: Task, forces: Forces, motion: Motion, findings: Findings) -> Forces:
    """The forces with what the motion's motors and cylinders need; in the bond graph, their circuits.

    An actuator on a joint that drives nothing is reported (CB637), as is a pressure below a vacuum (CB639).
    """
    found: list[Quantity] = []
    circuits: dict[str, Actuator] = {}
    for motor in motion.motors:
        if motor.joint not in task.names:
            message = f"there is a motor on {motor.joint}, which is not an actuator of this motion"
            findings.add("CB637", message, Where(item=motor.joint), items=[motor.joint])
            continue
        effort = forces.efforts[:, task.names.index(motor.joint)]
        if motor.dc is not None:
            found += _electric(task, motor.joint, motor.dc, effort, motion.scenario.friction)
        if motor.cylinder is not None:
            found += _hydraulic(task, motor.joint, motor.cylinder, effort, findings)
        circuits[motor.joint] = _drawn(motor)
    drawn = graph_with(forces.graph.built, circuits) if forces.graph is not None and circuits else None
    return replace(forces, quantities=(*forces.quantities, *found), drawn=drawn)


def _drawn(motor: MotorSpec) -> Actuator:
    if (dc := motor.dc) is not None:
        return GraphCircuit(dc.constant * dc.ratio, dc.resistance, dc.inductance)
    return tuple(
        FluidLine(side.name, side.sense * side.area, side.resistance, side.capacity, drives=side.name == "cap")
        for side in (() if motor.cylinder is None else motor.cylinder.sides)
    )


def _electric(
    task: Task, name: str, motor: DcMotor, effort: Array, speeds: tuple[float, float] | None
) -> list[Quantity]:
    """Columns of one motor; `speeds` smooth the loss of its gearhead about rest, None: it loses nothing.

    di/dt is that of a spline through the samples' currents.
    """
    T, lowered = task.trajectory, task.lowered
    index = [j.name for j in lowered.joints].index(name)
    rate, second = T.coordinate_rates[:, index], T.coordinate_accelerations[:, index]
    slow = None if speeds is None else speeds[lowered.joints[index].coordinate == "distance"]
    torque = _before_gearhead(motor, effort, rate, slow)
    current = (torque + motor.rotor_inertia * motor.ratio * second) / motor.constant
    volts = motor.resistance * current + motor.constant * motor.ratio * rate
    if motor.inductance:
        volts = volts + motor.inductance * _slope(T.t, current)
    return [
        Quantity("motor", name, "current", "A", current, plotted=True),
        Quantity("motor", name, "voltage", "V", volts, plotted=True),
        Quantity("motor", name, "electric_power", "W", volts * current),
        Quantity("motor", name, "lost", "W", motor.resistance * current**2),
    ]


def _slope(t: Array, values: Array) -> Array:
    """The slope of a spline through samples; 0 for fewer than four."""
    if len(t) < 4:
        return np.zeros_like(values)
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(t, values)(t, 1))


def _before_gearhead(motor: DcMotor, effort: Array, rate: Array, slow: float | None) -> Array:
    """The torque that a gearhead takes from the motor's shaft; its loss is smoothed about rest, as in a run."""
    if motor.efficiency == 1.0 or slow is None:
        return np.asarray(effort / motor.ratio)
    lost = (1.0 - motor.efficiency) * np.tanh(np.abs(rate) / slow)
    return np.asarray(np.where(effort * rate > 0.0, effort / (1.0 - lost), effort * (1.0 - lost)) / motor.ratio)


def _hydraulic(task: Task, name: str, cylinder: Cylinder, effort: Array, findings: Findings) -> list[Quantity]:
    """Columns of one cylinder: the rod side follows its supply, the cap's pressure gives the rest of the effort.

    dp/dt of the cap is that of a spline through the samples' pressures.
    """
    T = task.trajectory
    speed = T.coordinate_rates[:, [j.name for j in task.lowered.joints].index(name)]
    cap, rod = cylinder.sides
    behind = _back_pressure(rod, T.t, speed)
    ahead = (effort + rod.area * behind) / cap.area
    supplied = cap.area * speed
    if cap.capacity:
        supplied = supplied + cap.capacity * _slope(T.t, ahead)
    if np.min(ahead, initial=0.0) < -AMBIENT:
        text = f"the cap of {name}'s cylinder would need {np.min(ahead) / BAR:.4g} bar, which is below a vacuum"
        findings.add("CB639", text, Where(item=name), items=[name])
    from_supply = np.array([rod.chamber.pressure.evaluate(float(t))[0] for t in T.t])
    returned = (from_supply - behind) / rod.resistance if rod.resistance else -rod.area * speed
    supply = ahead + cap.resistance * supplied
    sides = (("cap", cap, supply, ahead, supplied), ("rod", rod, from_supply, behind, returned))
    return [
        quantity
        for side, line, source, pressure, flow in sides
        for quantity in (
            Quantity("motor", name, f"{side}_supply", "Pa", source, plotted=side == "cap"),
            Quantity("motor", name, f"{side}_pressure", "Pa", pressure, plotted=True),
            Quantity("motor", name, f"{side}_flow", "m³/s", flow),
            Quantity("motor", name, f"{side}_fluid_power", "W", source * flow),
            Quantity("motor", name, f"{side}_lost", "W", line.resistance * flow**2),
        )
    ]


def _back_pressure(side: CylinderSide, t: Array, speed: Array) -> Array:
    """The pressure (Pa) of the rod side, which a growing value of the joint narrows.

    Behind a capacity it follows p' = (u − p) / (R C), u = supply + R A ẋ, exactly for u linear between the samples.
    """
    u = np.array([side.chamber.pressure.evaluate(float(s))[0] for s in t]) + side.resistance * side.area * speed
    if not side.capacity:
        return np.asarray(u)
    pressure = np.full(len(t), side.initial)
    for k, h in enumerate(np.diff(t)):
        z = h / (side.resistance * side.capacity)
        # 1 − exp(−z) without cancelling where samples are close beside the time constant.
        gone = -np.expm1(-z)
        pressure[k + 1] = pressure[k] + gone * (u[k] - pressure[k]) + (1.0 - gone / z) * (u[k + 1] - u[k])
    return pressure
