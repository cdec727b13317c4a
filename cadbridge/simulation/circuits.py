"""Actuators of other energies on a joint: DC motors with their gearheads, and cylinders with their chambers.

A circuit with a store of its own (an inductance, a fluid that gives way) has one freedom more. It is a pseudo-body on a
hinge of the ground, after Lagrange and Maxwell: its angle is the charge (the pressure's impulse), its rate the current
(the pressure), its inertia the inductance (the capacity), its damper the resistance. A gyrator ties it to the joint, so
that all integrators serve and one energy balance holds over both domains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.lowering import Lowered
from cadbridge.simulation.motors import CylinderSide, DcMotor, MotorSpec
from solver.chart.spanning import TreeJoint
from solver.chart.steps import turn
from solver.constraints import GROUND, AxesAngle, Coordinate, Coupler, PointOnPlane
from solver.equations.projection import carry_angles
from solver.equations.system import System, prepare
from solver.functions import scaled
from solver.model import Gyrator, JointLoad, Mesh, Model, Motor, RigidBody
from solver.rotation import matrix, perpendicular
from solver.state import State
from solver.steps.methods import observed, slope_at

Array = NDArray[np.float64]

PRESSURE = 1e-7
"""Pa to the rate of a chamber's pseudo-body: 100 bar are 1, so that tolerances mean the same as for joints."""


@dataclass
class Wired:
    """A model with its circuits: what is added to a lowered model, and how pseudo-bodies begin.

    `values` and `speeds` are those of the mechanism's coordinates as the run begins. Each of `starts` is the body whose
    pose a pseudo-body has then (GROUND: its own), and its spin about z (rad/s).
    """

    model: Model
    values: Array
    speeds: Array
    starts: list[tuple[int, float]] = field(default_factory=list)
    trees: list[TreeJoint] = field(default_factory=list)

    def add(self, **parts: Sequence[object]) -> None:
        """Append to fields of the model."""
        grown: dict[str, Any] = {name: (*getattr(self.model, name), *new) for name, new in parts.items()}
        self.model = replace(self.model, **grown)

    def freedom(self, name: str, inertia: float, rate: float) -> Coordinate:
        """A pseudo-body with one freedom, its coordinate; `rate` is its first."""
        return self._hinged(RigidBody(name, inertia, inertia * np.eye(3)), GROUND, np.eye(3)[2], (GROUND, rate))

    def gimbal(self, body: RigidBody, before: int, like: int, axis: Array) -> Coordinate:
        """A pseudo-body that turns about an axis (3,) of the body `before`; its angle, 0 as the run begins.

        It begins with the pose of the body `like`, as `before` does.
        """
        return self._hinged(body, before, axis, (like, 0.0))

    def _hinged(self, body: RigidBody, before: int, axis: Array, start: tuple[int, float]) -> Coordinate:
        model, k, zero, ref = self.model, len(self.model.bodies), np.zeros(3), perpendicular(axis)
        like = start[0]
        position = zero if like == GROUND else model.positions[like]
        turned = np.array([1.0, 0.0, 0.0, 0.0]) if like == GROUND else model.quaternions[like]
        self.model = replace(
            model,
            bodies=(*model.bodies, body),
            positions=np.vstack([model.positions.reshape(-1, 3), position]),
            quaternions=np.vstack([model.quaternions.reshape(-1, 4), turned]),
        )
        rows = [PointOnPlane(before, k, zero, e, zero) for e in np.eye(3)]
        turns = [AxesAngle(before, k, e, axis) for e in (ref, np.cross(axis, ref))]
        self.add(primitives=(*rows, *turns), groups=(body.name,) * 5)
        self.starts.append(start)
        self.trees.append(TreeJoint(body.name, (turn(matrix(turned) @ axis),), before, k, position))
        return Coordinate("angle", before, k, zero, axis, zero, ref, ref)

    def start(self, state: State | None, lowered: Lowered, system: System) -> State | None:
        """A state of the lowered model as one of the prepared model, with the pseudo-bodies; None: all as designed."""
        if state is None and not any(rate for _, rate in self.starts):
            return None
        own, whole = lowered.model, self.model
        n = len(own.bodies)
        if state is None:
            state = State.at_rest(own.positions, own.quaternions)
        moving = np.zeros((len(self.starts), 6))
        moving[:, 5] = [rate for _, rate in self.starts]
        likes = [(k, like) for k, (like, _) in enumerate(self.starts, start=n) if like != GROUND]
        x, q = whole.positions.copy(), whole.quaternions.copy()
        for k, like in likes:
            x[k], q[k], moving[k - n] = state.positions[like], state.quaternions[like], state.velocities[like]
        state = replace(
            state,
            positions=np.vstack([state.positions, x[n:]]),
            quaternions=np.vstack([state.quaternions, q[n:]]),
            velocities=np.vstack([state.velocities, moving]),
        )
        hinges = [(p, g) for p, g in zip(whole.primitives, whole.groups, strict=True) if g in self.pseudo]
        # Its angles are carried over, and nothing moves in it: what only the rows give inertia to gets some.
        bodies = [b if b.mass > 0.0 else replace(b, mass=1.0, inertia=np.eye(3)) for b in whole.bodies[n:]]
        plain = replace(
            own,
            bodies=(*own.bodies, *bodies),
            positions=whole.positions,
            quaternions=whole.quaternions,
            primitives=(*own.primitives, *(p for p, _ in hinges)),
            groups=(*own.groups, *(g for _, g in hinges)),
        )
        return carry_angles(state, prepare(plain, carried=False), system)

    @property
    def pseudo(self) -> set[str]:
        """The names of the pseudo-bodies, which are those of their hinges."""
        return {tree.name for tree in self.trees}


def wired(
    lowered: Lowered,
    model: Model,
    circuits: Sequence[MotorSpec],
    friction: tuple[float, float] | None,
    state: State | None,
    observe: bool = False,
) -> Wired:
    """A model of the lowered mechanism with circuits on its joints; without `friction` gearheads lose nothing.

    `state` is one of the lowered model, in which the run begins; None: as designed, at rest. `observe`: what else is
    added needs the values and speeds that the coordinates have in it, as circuits do.
    """
    count = len(lowered.joints)
    found = Wired(model, np.zeros(count), np.zeros(count))
    if state is not None and (circuits or observe):
        plain = prepare(lowered.model, carried=False)
        found.values, found.speeds, *_ = observed(plain, state, slope_at(plain, state))
    for circuit in circuits:
        index = lowered.coordinate_of(circuit.joint)
        assert index is not None, circuit.joint
        if circuit.dc is not None:
            _wire_motor(found, circuit.joint, circuit.dc, index, friction)
        for side in () if circuit.cylinder is None else circuit.cylinder.sides:
            _wire_chamber(found, circuit.joint, side, lowered.model.coordinates[index])
    return found


def _wire_motor(found: Wired, name: str, motor: DcMotor, index: int, friction: tuple[float, float] | None) -> None:
    constant, shaft = motor.constant * motor.ratio, found.model.coordinates[index]
    if motor.efficiency < 1.0 and friction is not None:
        shaft, constant = _gearhead(found, name, motor, index, friction), motor.constant
    elif motor.rotor_inertia:
        found.add(loads=[JointLoad(shaft, armature=motor.rotor_inertia * motor.ratio**2, name=f"{name} rotor")])
    if not motor.inductance:
        source = Motor(name, shaft, "voltage", motor.voltage, constant=constant, resistance=motor.resistance)
        found.add(motors=[source])
        return
    charge = found.freedom(f"{name} circuit", motor.inductance, motor.current)
    found.add(
        motors=[Motor(f"{name} circuit", charge, "torque", motor.voltage)],
        loads=[JointLoad(charge, damping=motor.resistance, name=f"{name} circuit")],
        gyrators=[Gyrator(name, shaft, charge, constant)],
    )


def _gearhead(found: Wired, joint: str, motor: DcMotor, index: int, speeds: tuple[float, float]) -> Coordinate:
    """A rotor that turns with the joint by a row, whose pull gives what the gearhead loses; the rotor's angle.

    The row is one of the body that moves: a joint whose second body is the ground is looked at from the other side.
    """
    name, ratio, shaft = f"{joint} gearhead", motor.ratio, found.model.coordinates[index]
    begin, sense = float(found.values[index]), 1.0
    if shaft.b == GROUND:
        # A coordinate that begins here counts from within half a turn.
        shaft, sense = _reversed(found.model, shaft), -1.0
        begin = math.remainder(begin, 2 * math.pi) if shaft.kind == "angle" else begin
    rotor = found.freedom(f"{joint} rotor", motor.rotor_inertia, ratio * found.speeds[index])
    row = Coupler(rotor.b, shaft.b, ((1.0, rotor), (-sense * ratio, shaft)), -ratio * begin)
    own = speeds[shaft.kind == "distance"]
    mesh = Mesh(name, rotor, shaft, motor.efficiency, own * abs(ratio), own)
    found.add(primitives=[row], groups=[name], meshes=[mesh])
    return rotor


def _reversed(model: Model, c: Coordinate) -> Coordinate:
    """A coordinate whose second body is the ground as the opposite one of the first body against the ground."""
    axis = matrix(np.asarray(model.quaternions[c.a])) @ c.axis_a
    return Coordinate(c.kind, GROUND, c.a, c.point_b, axis, c.point_a, c.ref_b, c.ref_a)


def _wire_chamber(found: Wired, joint: str, side: CylinderSide, shaft: Coordinate) -> None:
    name, area, supply = f"{joint} {side.name}", side.sense * side.area, side.chamber.pressure
    if not side.capacity:
        # What does not give way: p = supply − R A ẋ.
        found.add(motors=[Motor(name, shaft, "torque", scaled(supply, area))])
        if side.resistance:
            found.add(loads=[JointLoad(shaft, damping=side.resistance * area**2, name=name)])
        return
    pressure = found.freedom(f"{name} circuit", side.capacity / PRESSURE**2, side.initial * PRESSURE)
    resistance = side.resistance * PRESSURE**2
    found.add(
        motors=[Motor(name, pressure, "voltage", scaled(supply, PRESSURE), constant=1.0, resistance=resistance)],
        gyrators=[Gyrator(name, shaft, pressure, area / PRESSURE)],
    )
