"""Joints by one feature, and fixed mates by none: the parts are held where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cadbridge.mechanism import build
from tests.readers.mates_file.conftest import make_assembly

AXIS = "{component: Base, point: [20, 0, 30], axis: [0, 0.6, 0.8]}"


@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "prismatic", "insert", "concentric"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_joint_by_one_axis_moves_nothing(lay: Any, kind: str, turned: bool) -> None:
    a, b = (AXIS, "{component: Link1}") if not turned else ("{component: Link1}", AXIS)
    done = lay(f"ground: [Base]\nmates: [{{name: M, type: {kind}, a: {a}, b: {b}}}]")
    assert done.findings == ()
    (mate,) = done.mates
    pose = {c.name: c.X_WC for c in done.components}
    points = [pose[f.component].point(f.point) for f in (mate.a, mate.b)]
    directions = [pose[f.component].vector(f.direction) for f in (mate.a, mate.b)]
    assert np.allclose(points[0], points[1], atol=1e-15)
    assert np.allclose(directions[0], directions[1], atol=1e-15)
    mechanism = build(done)
    assert not [f for f in mechanism.findings if f.severity.value == "error"]
    assert len(mechanism.joints) == 1


def test_fixed_needs_no_feature(lay: Any) -> None:
    done = lay("ground: [Base]\nmates: [{name: M, type: fixed, a: {component: Base}, b: {component: Link1}}]")
    assert done.findings == ()
    assert build(done).body_of["Link1"] == -1


def test_a_joint_without_any_feature_is_refused(lay: Any) -> None:
    done = lay("mates: [{name: M, type: revolute, a: {component: Base}, b: {component: Link1}}]")
    (finding,) = done.findings
    assert finding.code == "CB145"
    assert "nothing says where the joint stands" in finding.message


def test_other_mates_need_both_features(lay: Any) -> None:
    done = lay(f"mates: [{{name: M, type: coincident, a: {AXIS}, b: {{component: Link1}}}}]")
    assert [f.code for f in done.findings] == ["CB145"]


def test_components_are_attached_by_their_full_names(lay: Any) -> None:
    done = lay("attach: [{components: [Pin, Link1], to: Base}]", make_assembly())
    assert [f.code for f in done.findings] == ["CB153", "CB153"]
    assert {c.name for c in done.components} == {"Base", "Arm"}
    unknown = lay("attach: [{components: [Pim], to: Base}]")
    assert [f.code for f in unknown.findings] == ["CB146"]
