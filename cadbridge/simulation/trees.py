"""The joints of a run that a spanning tree can take as its own."""

from __future__ import annotations

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.simulation.scenario import Scenario
from cadbridge.tree.joints import tree_joints as joints_of
from solver.algebra.connected import spanning_forest
from solver.chart.spanning import TreeJoint

RunTree = tuple[TreeJoint, ...]

METHODS = ("auto", "absolute", "tree")
"""How a run may be computed: in the poses of the bodies, or in the joint coordinates of a spanning tree."""


def run_tree(lowered: Lowered, method: str, what: Scenario, collapse: bool, findings: Findings) -> RunTree | None:
    """The joints that a tree takes, where a run is computed in their coordinates.

    "auto" takes a tree where loops, gears or couplings close the mechanism: with planar loops and gears its steps are
    two to four times as long, as joint coordinates vary more smoothly than body positions; open chains, and platforms
    on ball joints, take about as many in either. A mechanism that
    changes while it runs stays in the poses of its bodies. Of "tree", InputError with CB619 where a run cannot be
    computed so.
    """
    can = collapse and what.integrator != "generalized_alpha"
    if method == "auto":
        joints = joints_of(lowered) if can and not what.changes else ()
        return joints if _closed(lowered, joints) else None
    if method == "absolute":
        return None
    if what.integrator == "generalized_alpha":
        findings.add("CB619", "generalized_alpha integrates the poses of the bodies, not joint coordinates")
    if not collapse:
        findings.add("CB619", "a tree takes collapsed joints, and the rows of every mate are to be kept")
    if not can:
        raise InputError("The tree method cannot compute this run.", findings)
    return joints_of(lowered)


def _closed(lowered: Lowered, joints: RunTree) -> bool:
    """Whether joints make loops, or something else than them holds the bodies."""
    ends = [(joint.a, joint.b) for joint in joints]
    beside = set(lowered.model.groups) - {joint.name for joint in joints}
    return bool(joints) and (bool(beside) or len(spanning_forest(ends, lambda _: 0)) < len(ends))
