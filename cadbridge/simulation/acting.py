"""What acts along a run: efforts and powers of motors, circuits, loads, and what teeth lose, found from its samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.simulation.circuits import PRESSURE
from cadbridge.simulation.motors import Cylinder, DcMotor, MotorSpec
from cadbridge.simulation.samples import Columns, Samples, wrench_columns
from solver.equations.loading import components
from solver.model import Bushing, Callback, JointLoad, Motor, Stop
from solver.rotation import logarithm, matrix, quaternion

Array = NDArray[np.float64]


def motor_columns(of: Samples) -> Columns:
    """Effort on the joint and power of each motor, and of each drive its effort and speed before the reduction."""
    columns: Columns = {}
    mechanism, lowered = of.run.mechanism, of.run.lowered
    efforts: dict[str, Array] = {}
    joints = {j.name for j in lowered.joints}
    for k, motor in enumerate(of.model.motors):
        if motor.name not in joints or motor.kind == "voltage":
            continue
        effort = _effort(of, k, motor) * of.here(motor.name)
        efforts[motor.name] = efforts.get(motor.name, 0.0) + effort
    for circuit in of.run.scenario.circuits:
        effort, more = _circuit(of, circuit)
        efforts[circuit.joint] = efforts.get(circuit.joint, 0.0) + effort
        columns |= more
    own: Columns = {}
    for name, effort in efforts.items():
        i = next(i for i, j in enumerate(lowered.joints) if j.name == name)
        unit = _unit(of.model.coordinates[i].kind)
        own[f"motor.{name}.effort"] = (effort, unit)
        own[f"motor.{name}.power"] = (effort * of.rates[:, i], "W")
        for drive in mechanism.drives:
            if mechanism.joint_named(drive.joint) is lowered.joints[i]:
                speed = "rad/s" if unit == "N m" else "m/s"
                own[f"drive.{drive.name}.effort"] = (effort / drive.reduction, unit)
                own[f"drive.{drive.name}.speed"] = (of.rates[:, i] * drive.reduction, speed)
    return own | columns


def _effort(of: Samples, k: int, motor: Motor) -> Array:
    """What a motor does along its coordinate: given, by its law, or what its prescribed motion takes."""
    place = of.first_motor + k
    if motor.kind in ("speed", "angle"):
        # The row acts on the bodies with −Ĝᵀλ: along its coordinate that is −λ.
        return np.asarray(-of.run.result.trajectory.multipliers[:, of.run.system.loads.motor_row[k]])
    drive = of.drive[:, k]
    if motor.kind == "torque":
        return drive[:, 0]
    if motor.kind == "servo":
        state = np.column_stack([np.ones(len(drive)), of.values[:, place], of.rates[:, place]])
        wish = (state @ np.array(motor.gain)) * drive[:, 0] + state @ np.array(motor.bias)
        return np.asarray(np.clip(wish, *motor.bounds))
    gap, rate = drive[:, 0] - of.values[:, place], drive[:, 1] - of.rates[:, place]
    return np.asarray(np.clip(motor.stiffness * gap + motor.damping * rate, -motor.effort, motor.effort))


def _named(of: Samples, name: str) -> int:
    """The number of the motor of that name."""
    return next(k for k, motor in enumerate(of.model.motors) if motor.name == name)


def _circuit(of: Samples, motor: MotorSpec) -> tuple[Array, Columns]:
    """The effort of a motor with a circuit on its joint, and what its circuit does."""
    if motor.dc is not None:
        return _dc(of, motor.joint, motor.dc)
    assert motor.cylinder is not None, motor.joint
    return _cylinder(of, motor.joint, motor.cylinder)


def _dc(of: Samples, name: str, spec: DcMotor) -> tuple[Array, Columns]:
    """The torque of a DC motor on its joint, and what its circuit does."""
    columns: Columns = {}
    k = _named(of, f"{name} circuit" if spec.inductance else name)
    volts, rate = of.drive[:, k, 0], of.rates[:, of.first_motor + k]
    motor = of.model.motors[k]
    # With an inductance the circuit is a body of the model, whose rate is the current; without one the resistance gives
    # it.
    current = rate if spec.inductance else (volts - motor.constant * rate) / spec.resistance
    if f"{name} gearhead" in of.model.groups:
        torque, lost = _through_gearhead(of, name)
        columns[f"motor.{name}.gearhead_lost"] = (lost, "W")
    else:
        torque = spec.constant * spec.ratio * current
    columns = {
        f"motor.{name}.voltage": (volts, "V"),
        f"motor.{name}.current": (current, "A"),
        f"motor.{name}.electric_power": (volts * current, "W"),
        f"motor.{name}.lost": (spec.resistance * current**2, "W"),
        f"motor.{name}.stored": (0.5 * spec.inductance * current**2, "J"),
    } | columns
    return torque, columns


def _through_gearhead(of: Samples, name: str) -> tuple[Array, Array]:
    """The effort (k,) that a gearhead hands to its joint, and what it loses (W)."""
    k = next(k for k, mesh in enumerate(of.model.meshes) if mesh.name == f"{name} gearhead")
    torques, rates = of.mesh_torques
    pull = of.run.result.trajectory.multipliers[:, of.run.system.loads.mesh_row[k]]
    given = -pull * of.run.system.loads.mesh_pull[k, 1] - torques[:, k, 1]
    joint = next(i for i, j in enumerate(of.run.lowered.joints) if j.name == name)
    sense = -1.0 if of.model.coordinates[joint].b < 0 else 1.0
    return sense * given, np.sum(torques[:, k] * rates[:, k], axis=1)


def _cylinder(of: Samples, name: str, spec: Cylinder) -> tuple[Array, Columns]:
    """The force of a cylinder on its joint, and the pressures (Pa) and flows (m³/s) of its chambers."""
    columns: Columns = {}
    force = np.zeros(len(of.values))
    joint = next(i for i, j in enumerate(of.run.lowered.joints) if j.name == name)
    for side in spec.sides:
        k = _named(of, f"{name} {side.name}")
        supply, rate = of.drive[:, k, 0], of.rates[:, of.first_motor + k]
        if side.capacity:
            supply, pressure = supply / PRESSURE, rate / PRESSURE
            flow = (supply - pressure) / side.resistance
        else:
            supply = supply / (side.sense * side.area)
            flow = side.sense * side.area * of.rates[:, joint]
            pressure = supply - side.resistance * flow
        force = force + side.sense * side.area * pressure
        columns |= {
            f"motor.{name}.{side.name}_pressure": (pressure, "Pa"),
            f"motor.{name}.{side.name}_flow": (flow, "m³/s"),
            f"motor.{name}.{side.name}_fluid_power": (supply * flow, "W"),
            f"motor.{name}.{side.name}_lost": (side.resistance * flow**2, "W"),
            f"motor.{name}.{side.name}_stored": (0.5 * side.capacity * pressure**2, "J"),
        }
    return force, columns


def stored(columns: Columns) -> Array | float:
    """What inductances and compressed fluids hold (J), of the columns of motors: 0 without any."""
    found: Array | float = 0.0
    for name, (values, unit) in columns.items():
        if name.startswith("motor.") and unit == "J":
            found = found + values
    return found


def load_columns(of: Samples) -> Columns:
    """Springs, dampers, friction, stops and bushings, wrenches and callbacks: what each does, and loses."""
    columns: Columns = {}
    own = {circuit.joint for circuit in of.run.scenario.circuits}
    circuits = {f"{name} {part}" for name in own for part in ("circuit", "rotor", "cap", "rod")}
    for k, load in enumerate(of.model.loads):
        name = load.name or f"load {k + 1}"
        if name not in circuits:
            place = len(of.model.coordinates) + k
            columns |= _along(of, name, load, of.values[:, place], of.rates[:, place])
    columns |= _wrenches(of)
    for bushing in of.model.bushings:
        columns |= _bushing(of, bushing)
    columns |= _callbacks(of, of.model.callbacks)
    return columns


def _along(of: Samples, name: str, load: JointLoad, value: Array, rate: Array) -> Columns:
    """The parts of a load along a coordinate, each in N m or N, and the power that it loses."""
    unit, here = _unit(load.coordinate.kind), of.here(name)
    parts: dict[str, Array] = {}
    lost = load.damping * rate**2
    if load.stiffness:
        parts["spring"] = -load.stiffness * (value - load.rest)
    if load.damping:
        parts["damper"] = -load.damping * rate
    if load.friction is not None:
        parts["friction"] = -load.friction.torque * np.tanh(rate / load.friction.speed)
        lost = lost - parts["friction"] * rate
    if load.stop is not None:
        parts["stop"], elastic = _stop(load.stop, value, rate)
        lost = lost - (parts["stop"] - elastic) * rate
    columns: Columns = {f"load.{name}.{part}": (here * values, unit) for part, values in parts.items()}
    if load.damping or load.friction is not None or load.stop is not None:
        columns[f"load.{name}.lost"] = (here * lost, "W")
    return columns


def _stop(stop: Stop, value: Array, rate: Array) -> tuple[Array, Array]:
    """The force of a stop (see `solver.model.Stop`), and that of its springs alone."""
    force, springs = np.zeros_like(value), np.zeros_like(value)
    for side in (-1.0, 1.0):
        d = np.maximum(value - stop.upper if side > 0 else stop.lower - value, 0.0)
        elastic = stop.stiffness * np.where(d < stop.depth, d * d / (2 * stop.depth), d - stop.depth / 2)
        # Fading in with the depth, so that a stop is met without a jump of force.
        push = elastic + stop.damping * np.minimum(d / stop.depth, 1.0) * side * rate
        # A stop only pushes: where its damping would hold on to what leaves it, there is no force.
        force -= side * np.where(d > 0.0, np.maximum(push, 0.0), 0.0)
        springs -= side * elastic
    return force, springs


def _wrenches(of: Samples) -> Columns:
    """Force and torque of each wrench on its body at its point, world axes, and its power."""
    T = of.run.result.trajectory
    found: dict[str, tuple[Array, Array]] = {}
    for row, part in enumerate(components(of.model), start=len(of.model.motors)):
        wrench, body = part.wrench, part.wrench.body
        R = matrix(T.quaternions[:, body])
        axes = R if wrench.axes == "body" else np.eye(3)
        force, torque = (of.drive[:, row, :1] * (axes @ direction) for direction in (part.force, part.torque))
        v = T.velocities[:, body, :3] + np.cross(T.velocities[:, body, 3:], R @ wrench.point)
        power = np.sum(force * v + torque * T.velocities[:, body, 3:], axis=1)
        total, gives = found.get(wrench.name, (np.zeros((len(T.t), 6)), np.zeros(len(T.t))))
        found[wrench.name] = (total + np.hstack([force, torque]), gives + power)
    columns: Columns = {}
    for name, (total, power) in found.items():
        columns |= wrench_columns(f"load.{name}", total) | {f"load.{name}.power": (power, "W")}
    return columns


def _bushing(of: Samples, bushing: Bushing) -> Columns:
    """Force and torque of a bushing on its body b at its point, world axes (see `solver.model.Bushing`); its loss."""
    T = of.run.result.trajectory
    total, lost = np.zeros((len(T.t), 6)), np.zeros(len(T.t))
    for s in range(len(T.t)):
        frames = [(T.positions[s, i], T.quaternions[s, i], T.velocities[s, i]) if i >= 0 else _STILL
                  for i in (bushing.a, bushing.b)]  # fmt: skip
        (xa, qa, va), (xb, qb, vb) = frames
        Ra, Rb = matrix(qa), matrix(qb)
        A = Ra @ bushing.axes_a
        at = xb + Rb @ bushing.point_b
        u = A.T @ (at - xa - Ra @ bushing.point_a)
        theta = logarithm(quaternion(A.T @ Rb @ bushing.axes_b))
        moved = vb[:3] + np.cross(vb[3:], at - xb) - va[:3] - np.cross(va[3:], at - xa)
        z, rate = np.concatenate([u, theta]), np.concatenate([A.T @ moved, A.T @ (vb[3:] - va[3:])])
        spring, damper = bushing.stiffness @ z, bushing.damping @ rate
        total[s, :3] = -A @ (spring[:3] + damper[:3])
        # The spring acts on the rotation vector, the damper on ω: only the former's moment is turned back.
        total[s, 3:] = -A @ (_turned_back(theta, spring[3:]) + damper[3:])
        lost[s] = damper @ rate
    return wrench_columns(f"load.{bushing.name}", total) | {f"load.{bushing.name}.lost": (lost, "W")}


_STILL = (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(6))


def _turned_back(theta: Array, tau: Array) -> Array:
    """J⁻ᵀ τ with θ̇ = J⁻¹ ω: the moment whose work on ω is that of τ on θ̇."""
    size = float(np.linalg.norm(theta))
    half = size / 2
    # 1 − (θ/2) cot(θ/2) loses its digits as θ falls; the series is off by θ⁴/30240.
    factor = (1 - half / np.tan(half)) / size**2 if size > 1e-3 else 1 / 12 + size**2 / 720
    twist = np.cross(theta, tau)
    return np.asarray(tau + twist / 2 + factor * np.cross(theta, twist))


def _callbacks(of: Samples, callbacks: tuple[Callback, ...]) -> Columns:
    """The power of each callback, which is asked once more at every sample."""
    columns: Columns = {}
    T, count = of.run.result.trajectory, len(of.model.coordinates)
    for callback in callbacks:
        forces = [callback.function(float(t), of.values[s, :count].copy(), of.rates[s, :count].copy())
                  for s, t in enumerate(T.t)]  # fmt: skip
        power = np.sum(np.asarray(forces, float).reshape(len(T.t), count) * of.rates[:, :count], axis=1)
        columns[f"load.{callback.name}.power"] = (power, "W")
    return columns


def loss_columns(of: Samples) -> Columns:
    """What the teeth of each gear with an efficiency lose, W."""
    torques, rates = of.mesh_torques
    couplings = {c.name for c in of.run.mechanism.couplings}
    return {
        f"gear.{mesh.name}.lost": (np.sum(torques[:, k] * rates[:, k], axis=1) * of.here(mesh.name), "W")
        for k, mesh in enumerate(of.model.meshes)
        if mesh.name in couplings
    }


def _unit(kind: str) -> str:
    return "N m" if kind == "angle" else "N"
