"""The joints of a mechanism that a spanning tree can take as its own."""

from __future__ import annotations

from cadbridge.frames import Pose, Vector
from cadbridge.freedoms import TURN
from cadbridge.lowering import Lowered
from cadbridge.mechanism import Joint
from cadbridge.mechanism.joint_types import JointType
from cadbridge.mechanism.universal import universal_axes
from solver.chart.spanning import TreeJoint
from solver.chart.steps import Step, ball, screw, slide, turn


def tree_joints(lowered: Lowered) -> tuple[TreeJoint, ...]:
    """The joints that a tree takes; a joint of another kind is cut, and closed by its own rows."""
    found = (tree_joint(lowered, joint) for joint in lowered.mechanism.joints)
    return tuple(joint for joint in found if joint is not None)


def tree_joint(lowered: Lowered, joint: Joint) -> TreeJoint | None:
    """A joint as one of a tree; None where it has no minimal coordinates."""
    mechanism = lowered.mechanism
    ends = (lowered.unit_of[joint.a], lowered.unit_of[joint.b])
    if joint.kind.lower_pair:
        X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
        return TreeJoint(joint.name, _steps(joint.kind, X_WJ, joint.pitch), *ends, X_WJ.p)
    found = universal_axes(mechanism, joint) if joint.kind.crossed else None
    if found is None:
        return None
    first, second, point = found
    # The arm that body a holds first: the cross turns on it, and carries the other.
    return TreeJoint(joint.name, (turn(first), turn(second)), *ends, point)


def _steps(kind: JointType, X_WJ: Pose, pitch: float | None) -> tuple[Step, ...]:
    """The steps of a lower pair in the world. Three turns are a ball; about one axis the turn comes first."""

    def along(axis: Vector) -> Vector:
        return X_WJ.R @ axis

    if kind.coupled:
        assert pitch is not None
        return (screw(along(kind.steps[0].axis), pitch),)
    steps = [*(slide(along(s.axis)) for s in kind.steps if s.kind != TURN)]
    turns = [ball()] if kind.ball else [turn(along(s.axis)) for s in kind.steps if s.kind == TURN]
    return (*turns, *steps) if kind.axial else (*steps, *turns)
