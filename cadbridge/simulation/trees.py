"""The joints of a run that a spanning tree can take as its own."""

from __future__ import annotations

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.tree.joints import tree_joints as joints_of
from solver.chart.spanning import TreeJoint

METHODS = ("absolute", "tree")
"""How a run may be computed: in the poses of the bodies, or in the joint coordinates of a spanning tree."""


def tree_joints(lowered: Lowered, *, collapse: bool, integrator: str, findings: Findings) -> tuple[TreeJoint, ...]:
    """The joints that a tree takes; InputError with CB619 where the model cannot be computed so."""
    if integrator == "generalized_alpha":
        findings.add("CB619", "generalized_alpha integrates the poses of the bodies, not joint coordinates")
    if not collapse:
        findings.add("CB619", "a tree takes collapsed joints, and the rows of every mate are to be kept")
    if findings.errors:
        raise InputError("The tree method cannot compute this run.", findings)
    return joints_of(lowered)
