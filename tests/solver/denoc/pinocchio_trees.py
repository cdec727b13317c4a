"""Pinocchio's models as trees of ours, with configurations and rates of both."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from solver.denoc import GROUND, Link, Tree
from tests.real_robots import robot_folder

Array = NDArray[np.float64]

AXES = {"X": np.eye(3)[0], "Y": np.eye(3)[1], "Z": np.eye(3)[2]}


def robot(name: str, floating: bool) -> pin.Model:
    path = str(robot_folder() / name)
    return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if floating else pin.buildModelFromUrdf(path)


def tree_of(model: pin.Model) -> Tree:
    """Every joint of the model with the inertia it carries, in the model's own order."""
    links = []
    for k in range(1, model.njoints):
        joint, body, at = model.joints[k].shortname(), model.inertias[k], model.jointPlacements[k]
        kind, axis = _joint(model, k, joint)
        links.append(
            Link(
                model.names[k],
                int(model.parents[k]) - 1,
                kind,
                point=at.translation,
                turn=at.rotation,
                axis=axis,
                mass=body.mass,
                com=body.lever,
                inertia=body.inertia,
            )
        )
    assert links[0].parent == GROUND
    return Tree(tuple(links), tuple(model.gravity.linear))


def _joint(model: pin.Model, k: int, name: str) -> tuple[str, Array]:
    if name == "JointModelFreeFlyer":
        return "free", AXES["Z"]
    kind = "prismatic" if "Prismatic" in name or name.startswith("JointModelP") else "revolute"
    if name[-1] in AXES and "Unaligned" not in name:
        return kind, AXES[name[-1]]
    return kind, _axis(model, k)


def _axis(model: pin.Model, k: int) -> Array:
    """The axis as the motion of a unit rate."""
    data = model.createData()
    v = np.zeros(model.nv)
    v[model.joints[k].idx_v] = 1.0
    pin.forwardKinematics(model, data, pin.neutral(model), v)
    motion = data.v[k]
    return np.asarray(motion.angular if np.linalg.norm(motion.angular) > 0.5 else motion.linear)


def configuration(model: pin.Model, tree: Tree, q: Array) -> Array:
    """Pinocchio's q in our order: quaternions w first, the unbounded joints' cosine and sine as angles."""
    ours = np.zeros(tree.nq)
    for k in range(1, model.njoints):
        joint, i = model.joints[k], int(tree.tables.q_start[k - 1])
        part = q[joint.idx_q : joint.idx_q + joint.nq]
        if joint.nq == 7:
            ours[i : i + 7] = [*part[:3], part[6], *part[3:6]]
        elif joint.nq == 2:
            ours[i] = np.arctan2(part[1], part[0])
        else:
            ours[i] = part[0]
    return ours
