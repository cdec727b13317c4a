"""The wrenches of joints, mates and gears as columns: what one side does to the other, world axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.lowering import joint_bearer
from cadbridge.mechanism import GROUND_BODY
from cadbridge.simulation.row_wrenches import RowWrench, Wrenches
from cadbridge.simulation.samples import Columns, Samples, wrench_columns
from solver.constraints import Coupler

Array = NDArray[np.float64]


def reaction_columns(of: Samples) -> Columns:
    """The wrench of each joint on its second body at the joint's origin, world axes.

    Without collapsing, the wrenches of all mates between the two bodies' components are summed over the
    components of the second body.
    """
    return wrenches_of_joints(of, of.wrenches)


def wrenches_of_joints(of: Samples, wrenches: Wrenches) -> Columns:
    """As `reaction_columns`, of these wrenches of groups."""
    run, T, lowered, rotations = of.run, of.T, of.run.lowered, of.rotations
    columns: Columns = {}
    index = {unit.name: i for i, unit in enumerate(lowered.units)}
    for joint in run.mechanism.joints:
        bearer, lever, sign = joint_bearer(lowered, joint)
        origin = T.positions[:, bearer] + rotations[:, bearer] @ lever
        groups: tuple[str, ...]
        if lowered.collapsed and joint.name in wrenches:
            groups, members = (joint.name,), [bearer]
        else:
            body = joint.b if joint.b != GROUND_BODY else joint.a
            groups, members = joint.mates, [index[c] for c in run.mechanism.bodies[body].components if c in index]
        total = np.zeros((len(T.t), 6))
        for group in groups:
            if group in wrenches:
                total += _about(T.positions, origin, wrenches[group], members)
        columns |= wrench_columns(f"joint.{joint.name}", sign * total)
    return columns


def mate_columns(of: Samples) -> Columns:
    """Where the rows of all mates are kept: the share of each mate, on its joint's second body at the joint's origin.

    Where mates repeat each other the shares of least norm are given.
    """
    columns: Columns = {}
    run, T, lowered, rotations, wrenches = of.run, of.T, of.run.lowered, of.rotations, of.wrenches
    if lowered.collapsed:
        return columns
    index = {unit.name: i for i, unit in enumerate(lowered.units)}
    for joint in run.mechanism.joints:
        bearer, lever, sign = joint_bearer(lowered, joint)
        origin = T.positions[:, bearer] + rotations[:, bearer] @ lever
        body = joint.b if joint.b != GROUND_BODY else joint.a
        members = [index[c] for c in run.mechanism.bodies[body].components if c in index]
        for mate in joint.mates:
            if mate in wrenches:
                share = sign * _about(T.positions, origin, wrenches[mate], members)
                columns |= wrench_columns(f"mate.{mate}", share)
    return columns


def _about(positions: Array, origin: Array, wrench: RowWrench | None, members: list[int]) -> Array:
    """The sum (k, 6) of what acts on some units, about points (k, 3)."""
    total = np.zeros((len(origin), 6))
    if wrench is None:
        return total
    for i in members:
        one = wrench.on(i)
        total[:, :3] += one[:, :3]
        total[:, 3:] += one[:, 3:] + np.cross(positions[:, i] - origin, one[:, :3])
    return total


def attachment(of: Samples, group: str, wrenches: Wrenches, prefix: str = "") -> Columns:
    """The wrench of what a change made, on its body b at its point there, world axes; zero while it does not hold."""
    model = of.run.lowered.model
    if group not in model.groups:
        return wrench_columns(f"{prefix}attachment.{group}", np.zeros((len(of.T.t), 6)))
    primitive = model.primitives[model.groups.index(group)]
    b, sign = (primitive.b, 1.0) if primitive.b != GROUND_BODY else (primitive.a, -1.0)
    held = primitive.terms[0][1] if isinstance(primitive, Coupler) else primitive
    point = getattr(held, "point_b" if sign > 0 else "point_a")
    f, m = np.split(wrenches[group].on(b), 2, axis=1)
    torque = m - np.cross(of.rotations[:, b] @ point, f)
    return wrench_columns(f"{prefix}attachment.{group}", sign * np.hstack([f, torque]))


def gear_wrench_columns(of: Samples) -> Columns:
    """What the first wheel of a gear does to the second, about the second's point on its axis, world axes."""
    run, T, lowered, rotations, wrenches = of.run, of.T, of.run.lowered, of.rotations, of.rows.wrenches
    columns: Columns = {}
    index = {unit.name: i for i, unit in enumerate(lowered.units)}
    for item in run.mechanism.couplings:
        p = item.primitive
        body, sign = (p.b, 1.0) if p.b != GROUND_BODY else (p.a, -1.0)
        bearer = lowered.unit_of[body]
        point = getattr(p, "point_b" if sign > 0 else "point_a", np.zeros(3))
        at = T.positions[:, bearer] + rotations[:, bearer] @ (point - lowered.units[bearer].mass.com)
        names = run.mechanism.bodies[body].components
        members = [bearer] if len(lowered.units) == len(run.mechanism.bodies) else [index[c] for c in names]
        total = sign * _about(T.positions, at, wrenches.get(item.name), members)
        columns |= wrench_columns(f"gear.{item.name}", total)
    return columns
