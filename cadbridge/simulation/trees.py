"""The joints of a mechanism that a spanning tree can take as its own."""

from __future__ import annotations

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from cadbridge.mechanism.universal import universal_axes
from solver.chart.spanning import TreeJoint

METHODS = ("absolute", "tree")
"""How a run may be computed: in the poses of the bodies, or in the joint coordinates of a spanning tree."""


def tree_joints(lowered: Lowered, *, collapse: bool, integrator: str, findings: Findings) -> tuple[TreeJoint, ...]:
    """The joints that a tree takes; a joint of another kind is cut, and closed by its own rows.

    InputError with CB619 where the model cannot be computed so.
    """
    if integrator == "generalized_alpha":
        findings.add("CB619", "generalized_alpha integrates the poses of the bodies, not joint coordinates")
    if not collapse:
        findings.add("CB619", "a tree takes collapsed joints, and the rows of every mate are to be kept")
    if findings.errors:
        raise InputError("The tree method cannot compute this run.", findings)
    found = (_tree_joint(lowered, joint) for joint in lowered.mechanism.joints)
    return tuple(joint for joint in found if joint is not None)


def _tree_joint(lowered: Lowered, joint: Joint) -> TreeJoint | None:
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
