"""How MJCF closes a loop: by one connect where that holds all, else by halving a body and a weld."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cadbridge.exporters.tree import Kinematics, Tree, driven_joints, hang, joint_pose, kinematics, spanning_tree
from cadbridge.frames import Matrix
from cadbridge.freedoms import HINGE
from cadbridge.mechanism.model import GROUND_BODY, Joint, Mechanism


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
    random, count = np.random.default_rng(1), len(tree.freedoms)
    # As designed rows may depend on each other by symmetry alone, which ends with the first motion.
    trials = [kinematics(tree, q) for q in (np.zeros(count), *(0.5 * random.standard_normal((2, count))))]
    for joint in tree.closures:
        if joint.kind.unbound:
            left.append(joint)
        elif joint.name not in driven and not _has_more(joint) and _connect_suffices(tree, joint, trials):
            connects.append(joint)
        else:
            halved.append(joint)
    tree, welds = _halve(tree, halved)
    return Closed(tree, tuple(connects), welds, tuple(left))


def _has_more(joint: Joint) -> bool:
    """Whether a constraint alone would lose something of the joint."""
    return joint.limit is not None or any((joint.damping, joint.friction, joint.armature))


def _connect_suffices(tree: Tree, joint: Joint, trials: Sequence[Kinematics]) -> bool:
    """Whether a connect at the joint's origin has the rank of all its rows, as designed and elsewhere."""
    if joint.kind.free != HINGE:
        return joint.kind.free.ball
    ends, loop = [tree.link_of(body) for body in (joint.a, joint.b)], tree.between(joint.a, joint.b)
    for trial in trials:
        in_a, in_b = (trial.displaced(i) @ joint_pose(tree.mechanism, joint) for i in ends)
        v, turns = trial.screws[loop, :3], trial.screws[loop, 3:]
        point = (v + np.cross(turns, in_b.p)).T
        aligned = np.cross(in_b.R[:, 2], in_a.R[:, :2].T) @ turns.T
        if _rank(point) != _rank(np.vstack([point, aligned])):
            return False
    return True


def _rank(rows: Matrix) -> int:
    norms = np.linalg.norm(rows, axis=1)
    # m or rad for a motion of one: what is shorter is the rounding of positions of machines of metres.
    rows = rows[norms > 1e-9]
    if not len(rows):
        return 0
    # Unit rows: one that repeats others does so but for the nine digits of files.
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
