"""The wrench across a merged connection: what the rest of a body does to one of its components."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.errors import InputError
from cadbridge.frames import Vector
from cadbridge.inertia import MassProperties
from cadbridge.mechanism import GROUND_BODY, Joint
from cadbridge.simulation.row_wrenches import row_results
from cadbridge.simulation.run import Run
from solver.analyses.recover import wrenches
from solver.rotation import matrix

Array = NDArray[np.float64]


def locked_wrench(run: Run, component: str) -> Array:
    """Force (N) and torque (N m, about the component's centre of mass), world axes, (k, 6).

    By Newton and Euler: what moves the component, less its weight and what joints, gears, motors and joint
    loads do to it. InputError where the run was not collapsed, the component stands still or has no
    mass, or where a joint's mates hold several components of the body, so that its share is open.
    """
    mechanism = run.mechanism
    body = mechanism.body_of.get(component)
    if body is None or body == GROUND_BODY or len(run.lowered.units) != len(mechanism.bodies):
        raise InputError(f"{component!r} is not a moving component of a collapsed run.")
    own = mechanism.component_masses[component].mass
    if own is None:
        raise InputError(f"The mass of {component} is not known.")
    X_BC = mechanism.bodies[body].X_WB.inverse() @ mechanism.assembly.component(component).X_WC
    inertial, centre = _inertial(run, body, own.moved(X_BC))
    return inertial - _applied(run, body, component, centre)


def _inertial(run: Run, body: int, mass: MassProperties) -> tuple[Array, Array]:
    """Rate of momentum less weight (k, 6) of a part of a body, its mass given in frame B; and its centre (k, 3)."""
    T = run.result.trajectory
    lever = mass.com - run.lowered.units[body].mass.com
    W = np.zeros((len(T.t), 6))
    centre = np.zeros((len(T.t), 3))
    for k in range(len(T.t)):
        R = np.asarray(matrix(T.quaternions[k, body]))
        r, w, alpha = R @ lever, T.velocities[k, body, 3:], T.accelerations[k, body, 3:]
        inertia = R @ mass.inertia @ R.T
        a = T.accelerations[k, body, :3] + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        # What is left to be borne: m a less the weight m g, which nothing transmits.
        W[k, :3] = mass.mass * (a - np.array(run.lowered.model.gravity))
        W[k, 3:] = inertia @ alpha + np.cross(w, inertia @ w)
        centre[k] = T.positions[k, body] + r
    return W, centre


def _applied(run: Run, body: int, component: str, centre: Array) -> Array:
    """What joints, gears, motors and joint loads do to a component (k, 6), about its centre."""
    mechanism, T = run.mechanism, run.result.trajectory
    forces = row_results(run).wrenches
    total = np.zeros((len(T.t), 6))

    def add(force: Array, torque: Array, at: Array) -> None:
        total[:, :3] += force
        total[:, 3:] += torque + np.cross(at - centre, force)

    for joint in mechanism.joints:
        if body in (joint.a, joint.b) and _holds(run, joint, body, component):
            held = forces[joint.name].on(body)
            add(held[:, :3], held[:, 3:], T.positions[:, body])
            force, torque, at = _driven(run, joint)
            sign = 1.0 if joint.b == body else -1.0
            add(sign * force, sign * torque, at)
    for item in mechanism.couplings:
        sides = {f.component for f in (item.coupling.a, item.coupling.b) if f is not None}
        if component in sides:
            meshed = forces[item.name].on(body)
            add(meshed[:, :3], meshed[:, 3:], T.positions[:, body])
    return total


def _holds(run: Run, joint: Joint, body: int, component: str) -> bool:
    """Whether a joint of the body acts on this component; InputError where it acts on several."""
    mates = {m.name: m for m in run.mechanism.assembly.mates}
    held = {
        f.component
        for name in joint.mates
        for f in (mates[name].a, mates[name].b)
        if run.mechanism.body_of.get(f.component) == body
    }
    if component in held and len(held) > 1:
        raise InputError(f"{joint.name} holds {', '.join(sorted(held))} together: the share of each is not determined.")
    return component in held


def _driven(run: Run, joint: Joint) -> tuple[Array, Array, Array]:
    """Force and torque (k, 3) of motors, damping and rotor inertia on the joint's second body, and where."""
    T, lowered = run.result.trajectory, run.lowered
    nothing = np.zeros((len(T.t), 3))
    if joint.coordinate is None:
        return nothing, nothing, nothing
    i = lowered.joints.index(joint)
    effort = -joint.damping * T.coordinate_rates[:, i] - joint.armature * T.coordinate_accelerations[:, i]
    effort -= joint.stiffness * (T.coordinates[:, i] - joint.rest)
    drivers = wrenches(run.system.model, T)
    force, torque = nothing.copy(), nothing.copy()
    bearer = joint.b if joint.b != GROUND_BODY else joint.a
    axis, at = _axis(run, joint, bearer)
    for motor in run.system.model.motors:
        if motor.name != joint.name:
            continue
        if motor.kind == "torque":
            effort = effort + np.array([motor.function.evaluate(t)[0] for t in T.t])
        else:
            F, M = drivers[motor.name][:, :3], drivers[motor.name][:, 3:]
            force += F
            torque += M + np.cross(T.positions[:, bearer] - at, F)
    along = axis * effort[:, None]
    return (force + along, torque, at) if joint.coordinate == "distance" else (force, torque + along, at)


def _axis(run: Run, joint: Joint, bearer: int) -> tuple[Array, Array]:
    """The joint's axis and origin in the world, (k, 3) each."""
    T, unit = run.result.trajectory, run.lowered.units[bearer]
    X = joint.X_BJ if bearer == joint.b else joint.X_AJ
    R = np.array([matrix(q) for q in T.quaternions[:, bearer]])
    z: Vector = X.R[:, 2]
    return R @ z, T.positions[:, bearer] + R @ (X.p - unit.mass.com)
