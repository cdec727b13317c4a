"""How MJCF closes a loop: by one connect where that holds all, else by halving a body and a weld."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.exporters.tree import (
    Tree,
    bodies_at,
    driven_joints,
    hang,
    joint_pose,
    kinematics,
    spanning_tree,
)
from cadbridge.frames import Matrix
from cadbridge.mechanism.model import GROUND_BODY, Joint, Mechanism
from solver.constraints import evaluate


@dataclass(frozen=True, eq=False)
class Closed:
    """The tree with half bodies; joints closed by `connects`, (whole, half) links by `welds`; `open` ones."""

    tree: Tree
    connects: tuple[Joint, ...]
    welds: tuple[tuple[int, int], ...]
    open: tuple[Joint, ...]


def close_loops(mechanism: Mechanism) -> Closed:
    """The spanning tree with a closure for every joint that it leaves out, but for generic ones.

    A connect has three rows; where they have the rank of the joint's own (always for a spherical joint,
    for a revolute one in a planar loop) nothing is doubled. Any other joint keeps its type, limits and
    damping by hanging half of a body on it; the weld's six rows then hold exactly what the joint holds.
    """
    tree = spanning_tree(mechanism)
    driven = driven_joints(mechanism)
    connects, halved, left = [], [], []
    for joint in tree.closures:
        if joint.kind.unbound:
            left.append(joint)
        elif joint.name not in driven and not _has_more(joint) and _connect_suffices(tree, joint):
            connects.append(joint)
        else:
            halved.append(joint)
    tree, welds = _halve(tree, halved)
    return Closed(tree, tuple(connects), welds, tuple(left))


def _has_more(joint: Joint) -> bool:
    """Whether a constraint alone would lose something of the joint."""
    return joint.limit is not None or any((joint.damping, joint.friction, joint.armature))


def _connect_suffices(tree: Tree, joint: Joint) -> bool:
    """Whether a connect at the joint's origin has the rank of all its rows, as designed and elsewhere."""
    if joint.type == "spherical":
        return True
    if joint.type != "revolute":
        return False
    random = np.random.default_rng(1)
    count = len(tree.freedoms)
    poses = [np.zeros(count), *(0.5 * random.standard_normal((2, count)))]
    return all(_rank(_point_rows(tree, joint, q)) == _rank(_joint_rows(tree, joint, q)) for q in poses)


def _point_rows(tree: Tree, joint: Joint, q: Matrix) -> Matrix:
    """Velocity (3, N) of the joint's origin in body b against that in body a."""
    state, p = kinematics(tree, q), joint_pose(tree.mechanism, joint).p
    rows = []
    for body in (joint.a, joint.b):
        i = tree.link_of(body)
        arm = state.X_WL[i].R @ tree.links[i].X_WL.inverse().point(p)
        J = state.J[i]
        rows.append(J[:3] + np.cross(J[3:].T, arm).T)
    difference: Matrix = rows[1] - rows[0]
    return difference


def _joint_rows(tree: Tree, joint: Joint, q: Matrix) -> Matrix:
    x, quaternions, T = bodies_at(tree, q)
    return evaluate(joint.primitives, x, quaternions).G @ T


def _rank(rows: Matrix) -> int:
    norms = np.linalg.norm(rows, axis=1)
    rows = rows[norms > 1e-9]
    if not len(rows):
        return 0
    return int(np.linalg.matrix_rank(rows / np.linalg.norm(rows, axis=1)[:, None], tol=1e-7))


def _halve(tree: Tree, joints: Iterable[Joint]) -> tuple[Tree, tuple[tuple[int, int], ...]]:
    """Hang a share of one body of each joint on it; a body cut several times has equal shares."""
    links = list(tree.links)
    welds = []
    first = len(tree.freedoms)
    for joint in joints:
        child, parent = (joint.b, joint.a) if joint.b != GROUND_BODY else (joint.a, joint.b)
        link = replace(hang(tree.mechanism, joint, child, tree.link_of(parent)), first=first)
        first += len(link.freedoms)
        links.append(link)
        welds.append((tree.link_of(child), len(links) - 1))
    shares = {whole: 1.0 / (1 + sum(w == whole for w, _ in welds)) for whole, _ in welds}
    for whole, half in welds:
        links[half] = replace(links[half], share=shares[whole])
        links[whole] = replace(links[whole], share=shares[whole])
    return Tree(tree.mechanism, tuple(links), tree.closures), tuple(welds)
