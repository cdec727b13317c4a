"""The joints of a mechanism that a spanning tree can take as its own."""

from __future__ import annotations

import numpy as np

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.frames import Pose
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint
from solver.constraints import AxesAngle
from solver.tree.spanning import TreeJoint

METHODS = ("absolute", "tree")
"""How a run may be computed: every body's pose, or the minimal coordinates of a spanning tree."""

_LOWER_PAIRS = ("revolute", "prismatic", "screw", "cylindrical", "planar", "spherical")


def tree_joints(lowered: Lowered, *, collapse: bool, integrator: str, findings: Findings) -> tuple[TreeJoint, ...]:
    """The joints that a tree takes; a joint of another kind is cut, and closed by its own rows.

    InputError with CB619 where the model cannot be computed so.
    """
    if integrator == "generalized_alpha":
        findings.add("CB619", "generalized_alpha works on the matrix of the absolute coordinates")
    if not collapse:
        findings.add("CB619", "every row of every mate is to be kept, and a tree takes joints, not rows of mates")
    if lowered.model.meshes:
        findings.add("CB619", f"{lowered.model.meshes[0].name} loses power; `friction: ignore` leaves that out")
    if findings.errors:
        raise InputError("The tree method cannot compute this run.", findings)
    found = (_tree_joint(lowered, joint) for joint in lowered.mechanism.joints)
    return tuple(joint for joint in found if joint is not None)


def _tree_joint(lowered: Lowered, joint: Joint) -> TreeJoint | None:
    X_WA = Pose() if joint.a == GROUND_BODY else lowered.mechanism.bodies[joint.a].X_WB
    X_WJ = X_WA @ joint.X_AJ
    ends = (joint.name, joint.type, lowered.unit_of[joint.a], lowered.unit_of[joint.b])
    if joint.type in _LOWER_PAIRS:
        return TreeJoint(*ends, X_WJ.p, X_WJ.R[:, 2], second=X_WJ.R[:, 0], pitch=joint.pitch or 0.0)
    return _universal(lowered, joint, X_WJ) if joint.type == "universal" else None


def _universal(lowered: Lowered, joint: Joint, X_WJ: Pose) -> TreeJoint | None:
    """Two axes, one held by each body, through the point that stands still; None where they do not meet."""
    crosses = [p for p in joint.primitives if isinstance(p, AxesAngle)]
    if len(crosses) != 1 or joint.freedom.shape[1] != 2:
        return None
    cross = crosses[0]
    bodies = lowered.mechanism.bodies
    R = {i: np.eye(3) if i == GROUND_BODY else bodies[i].X_WB.R for i in (joint.a, joint.b)}
    held = {cross.a: R[cross.a] @ cross.axis_a, cross.b: R[cross.b] @ cross.axis_b}
    v, w = joint.freedom[:3].T, joint.freedom[3:].T
    rows = np.vstack([np.cross(np.eye(3), turn).T for turn in w])
    point, *_ = np.linalg.lstsq(rows, np.concatenate(list(v)), rcond=None)
    if float(np.max(np.abs(rows @ point - np.concatenate(list(v))))) > 1e-9 * lowered.mechanism.length_scale:
        return None
    ends = (joint.name, "universal", lowered.unit_of[joint.a], lowered.unit_of[joint.b])
    return TreeJoint(*ends, X_WJ.p + X_WJ.R @ point, held[joint.a], second=held[joint.b])
