"""Inverse dynamics of a geared robot in two steps, with the forces on teeth and bearings.

After Chen, Lin & Lin (1999), sections 4 and 5: first the transmitted forces and the actuators' torques from the moment
balances about the axes, then the bearings' reactions link by link.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints import GROUND
from solver.constraints.terms import Poses
from solver.geared.graph import NotGearedError, Reason
from solver.geared.kernels import Links, Meshes, motion, secondary, two_steps
from solver.geared.transmission import Transmission, local_frame, shares
from solver.model import JointLoad

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Loads:
    """What a motion asks of a geared robot, in k samples, with n inputs, h gear pairs and l links.

    After Chen, Lin and Lin (1999), sections 4 and 5.

    Attributes:
        torques: Of the inputs (k, n) N m, as their hinges' coordinates count.
        transmitted: Input transmitted forces (k, h) N.
        contacts: Forces of the driven on the driving wheels (k, h, 3) N, in the drivers' local frames (eq. 21).
        in_carrier: The same (k, h, 3) N, in the carriers' body axes.
        on_driver: What the driving link gets (k, h, 3) N, in its body axes.
        on_driven: What the driven link gets (k, h, 3) N, in its body axes.
        bearings: Force and moment that the parent's bearing exerts on each link (k, l, 6) N and N m, in its body axes
            about the hinge's point, without the actuator's torque about the axis.
        angles: Of the links' canonical joints (k, l) rad.
        rates: Of the same (k, l) rad/s.
        accelerations: Of the same (k, l) rad/s².
        left: The moments about the hinges that stay unbalanced (k, l) N m: rounding, where all is well.
    """

    torques: Array
    transmitted: Array
    contacts: Array
    in_carrier: Array
    on_driver: Array
    on_driven: Array
    bearings: Array
    angles: Array
    rates: Array
    accelerations: Array
    left: Array


def loads(
    robot: Transmission, angles: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, *,
    pressure_angle: float | Mapping[str, float] = 0.0, external: ArrayLike | None = None,
) -> Loads:  # fmt: skip
    """Compute torques, tooth forces and bearing loads for a motion of the primary joints.

    After Chen, Lin and Lin (1999), sections 4 and 5. The model's loads along hinges act.

    Args:
        robot: The geared robot, as `transmission` gives it.
        angles: Of the primary joints (k, n) rad, from the model's reference pose.
        rates: (k, n) rad/s.
        accelerations: (k, n) rad/s².
        pressure_angle: Of all gear pairs, rad, or of each by its name; where none is given the forces are tangential.
        external: Wrenches on the links in their centres (k, l, 6) N and N m, world axes.

    Returns:
        The loads of every sample.

    Raises:
        NotGearedError: The model has other loads than those along hinges.
        ValueError: A shape does not fit, or a pressure angle is not below a quarter turn.
    """
    theta, thetad, thetadd = (np.atleast_2d(np.asarray(a, float)) for a in (angles, rates, accelerations))
    k, n, m, h = len(theta), len(robot.primary) - 1, len(robot.graph.pairs), len(robot.graph.meshes)
    for what, given in (("angles", theta), ("rates", thetad), ("accelerations", thetadd)):
        if given.shape != (k, n):
            raise ValueError(f"the {what} must be ({k}, {n}), a column for each primary joint, not {given.shape}")
    wrenches = np.zeros((k, m, 6)) if external is None else np.ascontiguousarray(external, float)
    if wrenches.shape != (k, m, 6):
        raise ValueError(f"the external wrenches must be ({k}, {m}, 6), not {wrenches.shape}")
    L, M = links(robot), meshes(robot, pressure_angle)
    q, qd, qdd = (all_angles(robot, M, given) for given in (theta, thetad, thetadd))
    resist = _resistance(robot, L, q, qd, qdd)
    transmitted, torques, left = np.empty((k, h)), np.empty((k, n)), np.empty((k, m))
    contacts, carried, on_driver, on_driven = (np.empty((k, h, 3)) for _ in range(4))
    reaction = np.empty((k, m, 6))
    out = (transmitted, torques, contacts, carried, on_driver, on_driven, reaction, left)
    inputs = np.array(robot.inputs, np.int64)
    gravity = np.array(robot.model.gravity, float)
    two_steps(L, M, robot.balance, motion(m), inputs, gravity, q, qd, qdd, resist, wrenches, out)
    return Loads(torques, transmitted, contacts, carried, on_driver, on_driven, reaction, q, qd, qdd, left)


def _place(robot: Transmission) -> Ints:
    place = np.full(len(robot.graph.pairs), -1, np.int64)
    place[list(robot.secondary)] = np.arange(len(robot.secondary))
    return place


def all_angles(robot: Transmission, M: Meshes, given: Array) -> Array:
    """(k, l) canonical angles (or rates …) of all links from those (k, n) of the primary joints."""
    values = np.zeros((len(given), len(robot.graph.pairs)))
    values[:, list(robot.primary[1:])] = given
    room = np.zeros((2, len(robot.graph.meshes)))
    secondary(M, robot.rates, _place(robot), room[0], room[1], values)
    return values


def links(robot: Transmission) -> Links:
    """The tables of the links."""
    graph, model = robot.graph, robot.model
    n = len(graph.pairs)
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    canonical, parent = list(graph.canonical), [p.parent for p in graph.pairs]
    share_link, share = np.full((n, 2), n, np.int64), np.zeros((n, 2))
    start = np.empty((n, 3, 3))
    for i in range(n):
        for k, (link, factor) in enumerate(shares(graph, i)):
            share_link[i, k], share[i, k] = link, factor
        base = np.eye(3) if canonical[i] == GROUND else poses.rotations[canonical[i]]
        # Canonical angles count from the reference pose: there a link stands in its canonical parent as the model has
        # it.
        start[i] = base.T @ poses.rotations[i]

    def in_frames(vector: str, owners: list[int], *, point: bool) -> Array:
        turn = poses.local if point else poses.back
        return np.array([turn(i, getattr(p, vector)) for i, p in zip(owners, graph.pairs, strict=True)])

    own = list(range(n))
    return Links(
        order=np.array(graph.order, np.int64),
        canonical=_indices(canonical, n),
        parent=_indices(parent, n),
        axis=in_frames("axis", canonical, point=False),
        at_parent=in_frames("point", canonical, point=True),
        at_link=in_frames("point", own, point=True),
        start=start,
        own_axis=in_frames("axis", own, point=False),
        mass=np.array([b.mass for b in model.bodies], float),
        inertia=np.array([b.inertia for b in model.bodies], float),
        share_link=share_link,
        share=share,
    )


def _indices(links: list[int], n: int) -> Ints:
    """Link indices with n for the base."""
    return np.array([n if i == GROUND else i for i in links], np.int64)


def meshes(robot: Transmission, pressure_angle: float | Mapping[str, float] = 0.0) -> Meshes:
    """The tables of the meshes. ValueError where a pressure angle is not from 0 to a quarter turn."""
    graph, model = robot.graph, robot.model
    n, h = len(graph.pairs), len(graph.meshes)
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    radial, axial, contact, frame = np.zeros(h), np.zeros(h), np.zeros((h, 3)), np.zeros((h, 3, 3))
    for g, mesh in enumerate(graph.meshes):
        angle = pressure_angle if isinstance(pressure_angle, float | int) else pressure_angle.get(mesh.name, 0.0)
        if not 0.0 <= angle < np.pi / 2:
            raise ValueError(f"the pressure angle of {mesh.name} must be from 0 to below a quarter turn, not {angle}")
        c = mesh.contact
        a = robot.driver[g] == mesh.a
        cone, out = (c.cone_a, c.out_a) if a else (c.cone_b, c.out_b)
        world = local_frame(graph, mesh, robot.driver[g])
        # Teeth push a wheel towards its axis (an annulus away from it) and away from its cone's apex.
        side = -1.0 if c.annulus == ("a" if a else "b") else 1.0
        # Eq. (21): −tan φ cos ψ along x and δ tan φ sin ψ along z, for |t| = 1. The paper has no annulus; its teeth
        # push outwards.
        radial[g] = -side * np.tan(angle) * np.cos(cone)
        axial[g] = np.sign(world[:, 2] @ out) * np.tan(angle) * np.sin(cone)
        base = np.eye(3) if mesh.carrier == GROUND else poses.rotations[mesh.carrier]
        frame[g] = base.T @ world
        contact[g] = poses.local(mesh.carrier, c.point)
    start = np.zeros(h + 1, np.int64)
    np.add.at(start, np.array([m[0] for m in robot.moments], np.int64) + 1, 1)
    return Meshes(
        driver=_indices(list(robot.driver), n),
        driven=_indices(list(robot.driven), n),
        carrier=_indices([m.carrier for m in graph.meshes], n),
        contact=contact,
        frame=frame,
        radial=radial,
        axial=axial,
        moment_start=np.cumsum(start),
        moment_link=np.array([m[1] for m in robot.moments], np.int64),
        moment=np.array([m[2] for m in robot.moments], float),
    )


def _resistance(robot: Transmission, L: Links, q: Array, qd: Array, qdd: Array) -> Array:
    """(k, l) torques of the model's loads about the pairs as designed: damping, springs, friction, rotors."""
    model, result = robot.model, np.zeros_like(q)
    starts = reference(robot) if model.loads else np.zeros(0)
    others = [("bushings", model.bushings), ("wrenches", model.wrenches), ("callbacks", model.callbacks),
              ("motors", model.motors)]  # fmt: skip
    reasons = [Reason("loads", f"the model has {what}") for what, found in others if found]
    # A column of zeros for the base (index n), to which `share_link` points where a pair has one share only.
    padded = [np.hstack([values, np.zeros((len(values), 1))]) for values in (q, qd, qdd)]
    for load in model.loads:
        link = _pair_of(robot, load)
        if link is None or load.stop is not None:
            reasons.append(Reason("loads", f"the load {load.name} does not act along a hinge alone"))
            continue
        turn, rate, second = (values[:, L.share_link[link]] @ L.share[link] for values in padded)
        # A load's rest is a value of the coordinate; angles of the motion count from the reference pose.
        turn = turn + starts[link]
        torque = -load.damping * rate - load.stiffness * (turn - load.rest) - load.armature * second
        if load.friction is not None:
            # The same smooth friction as in the equations of motion (`solver.equations.loads`): both methods ask for
            # one effort.
            torque = torque - load.friction.torque * np.tanh(rate / load.friction.speed)
        result[:, link] += torque
    if reasons:
        raise NotGearedError(reasons)
    return result


def _pair_of(robot: Transmission, load: JointLoad) -> int | None:
    """The link on whose pair a load acts: its coordinate is the pair's, or is the same turn."""
    c = load.coordinate
    for pair in robot.graph.pairs:
        own = robot.model.coordinates[pair.coordinate]
        if (c.kind, c.a, c.b) == (own.kind, own.a, own.b) and np.allclose(c.axis_a, own.axis_a):
            return pair.link
    return None


def reference(robot: Transmission) -> Array:
    """(l,) the values of the pairs' coordinates at the reference pose, rad."""
    model = robot.model
    poses = Poses(np.asarray(model.positions, float), np.asarray(model.quaternions, float))
    found = []
    for pair in robot.graph.pairs:
        c = model.coordinates[pair.coordinate]
        axis, first, other = poses.turn(c.a, c.axis_a), poses.turn(c.a, c.ref_a), poses.turn(c.b, c.ref_b)
        found.append(math.atan2(float(np.cross(first, other) @ axis), float(first @ other)))
    return np.array(found)


def primary_values(robot: Transmission, pairs: ArrayLike, *, angles: bool = True) -> Array:
    """Turn values of the hinges' coordinates into those of the primary joints, as `loads` takes them.

    Args:
        robot: The geared robot.
        pairs: A column for each link (k, l), as its hinge's coordinate counts, rad or a derivative.
        angles: Whether they are angles; else derivatives, which do not count from the reference pose.

    Returns:
        (k, n) of the primary joints.
    """
    given = np.array(pairs, float)
    if angles:
        given = given - reference(robot)
    found = np.zeros_like(given)
    # Parents first: a pair's turn holds the angle of the link that bears it.
    for link in robot.graph.order:
        (_, own), *others = shares(robot.graph, link)
        found[:, link] = (given[:, link] - sum(f * found[:, other] for other, f in others)) / own
    return found[:, list(robot.primary[1:])]
