"""Joints as mates: whatever axes are free, those are left and no others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cadbridge.assembly import Assembly, Component, Limit, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.findings import Where
from cadbridge.frames import Pose
from cadbridge.freedoms import AXES, Free, free
from cadbridge.mechanism import build
from cadbridge.mechanism.joint_types import JOINT_TYPES
from cadbridge.readers.joints import coordinate, frame_feature, joint_mates

X_WB = Pose.from_rpy((0.1, -0.2, 0.3), (0.4, 0.5, -0.6))
X_BJ = Pose.from_rpy((0.05, 0.02, -0.07), (-1.0, 0.3, 2.0))


def assembly_of(leaves: Free) -> Assembly:
    """A body on the ground by one joint, whose frame stands askew in both."""
    a, b = frame_feature("frame", X_WB @ X_BJ), frame_feature("body", X_BJ)
    components = (Component("frame", (), Pose(), grounded=True), Component("body", (), X_WB))
    mates = joint_mates(leaves, "joint", a, b, Where(), joint_name="joint", value=0.01 * leaves.pitched)
    return Assembly("one joint", "", "test", (), (), components, mates)


@pytest.mark.parametrize("bits", range(64))
def test_every_set_of_free_axes_is_what_its_mates_leave(bits: int) -> None:
    axes = tuple(i for i in range(6) if bits >> i & 1)
    mechanism = build(assembly_of(Free(axes)))
    assert diagnose(mechanism).mobility.dof == len(axes)
    for joint in mechanism.joints:
        own = np.zeros((6, len(axes)))
        own[list(axes), range(len(axes))] = 1.0
        R, p = X_BJ.R, X_BJ.p - joint.X_BJ.p
        turned = np.vstack([R @ own[:3] + np.cross(p, (R @ own[3:]).T).T, R @ own[3:]])
        freedom = np.vstack([joint.X_BJ.R @ joint.freedom[:3], joint.X_BJ.R @ joint.freedom[3:]])
        assert np.linalg.matrix_rank(np.hstack([turned, freedom]), tol=1e-9) == len(axes)


@pytest.mark.parametrize("kind", [name for name, kind in JOINT_TYPES.items() if kind.lower_pair and kind.steps])
def test_a_lower_pair_is_one_mate_of_its_name(kind: str) -> None:
    """What the table of joint types leaves free of a lower pair is the mate of the same name."""
    steps = JOINT_TYPES[kind].steps
    axes = sorted(3 * (step.kind == "revolute") + int(np.argmax(step.axis)) for step in steps)
    (mate,) = assembly_of(Free(tuple(axes), JOINT_TYPES[kind].coupled)).mates
    assert mate.kind is MateKind(kind)


def test_the_cross_of_a_universal_joint_has_its_arms_in_the_order_of_the_axes() -> None:
    (mate,) = assembly_of(free("rx rz")).mates
    assert mate.kind is MateKind.UNIVERSAL
    assert mate.a.direction == pytest.approx((X_WB @ X_BJ).R[:, 0])
    assert mate.b.direction == pytest.approx(X_BJ.R[:, 2])


@pytest.mark.parametrize("axis", range(6))
def test_a_coordinate_is_the_slide_or_turn_that_was_made(axis: int) -> None:
    x = np.zeros(6)
    x[axis] = 0.7
    moved = Pose(Pose.from_rpy((0, 0, 0), x[3:]).R, x[:3])
    assert coordinate(moved, axis) == pytest.approx(0.7)
    assert [coordinate(moved, k) for k in range(6) if k != axis and (k < 3) == (axis < 3)] == pytest.approx([0.0, 0.0])


def test_a_limit_is_counted_from_the_full_turn_that_is_nearest() -> None:
    """170° to 190° with the joint drawn at −175°, which is 185°."""
    limit = Limit.of(math.radians(170.0), math.radians(190.0))
    assert limit is not None
    counted = limit.counted_from(math.radians(-175.0), turns=True)
    assert (counted.lower, counted.upper) == pytest.approx((math.radians(-15.0), math.radians(5.0)))
    assert limit.reversed().lower == pytest.approx(math.radians(-190.0))


def test_what_subtracting_leaves_of_an_end_is_zero() -> None:
    """0.3 − 0.1 − 0.2 m gave a limit of −5.6e−14 mm."""
    counted = Limit(0.3 - 0.1, 0.5).counted_from(0.2)
    assert counted.lower == 0.0
    assert math.copysign(1.0, counted.lower) == 1.0
    assert counted.upper == pytest.approx(0.3)


def test_what_bounds_nothing_is_no_limit() -> None:
    assert Limit.of(-math.inf, math.inf, -1.0) is None
    assert Limit.of(-1e16, 2.0, none=1e15) == Limit(None, 2.0)
    assert AXES.index("rz") == free("rz").axes[0]
