"""The joints of a mechanism that a spanning tree can take as its own."""

from __future__ import annotations

from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from cadbridge.mechanism.universal import universal_axes
from solver.chart.spanning import TreeJoint


def tree_joints(lowered: Lowered) -> tuple[TreeJoint, ...]:
    """The joints that a tree takes; a joint of another kind is cut, and closed by its own rows."""
    found = (tree_joint(lowered, joint) for joint in lowered.mechanism.joints)
    return tuple(joint for joint in found if joint is not None)


def tree_joint(lowered: Lowered, joint: Joint) -> TreeJoint | None:
    """A joint as one of a tree; None where it has no minimal coordinates."""
    mechanism = lowered.mechanism
    ends = (joint.name, joint.type, lowered.unit_of[joint.a], lowered.unit_of[joint.b])
    if joint.kind.lower_pair:
        X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
        return TreeJoint(*ends, X_WJ.p, X_WJ.R[:, 2], second=X_WJ.R[:, 0], pitch=joint.pitch or 0.0)
    found = universal_axes(mechanism, joint) if joint.type == "universal" else None
    if found is None:
        return None
    first, second, point = found
    return TreeJoint(*ends, point, first, second=second)
