"""A mechanism taken apart into what moves for itself: two arms with a mimic each, and a gear that ties them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.mechanism import GROUND_BODY, Mechanism
from cadbridge.mechanism.independent import independent
from cadbridge.simulation.posing import Mover

LINK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/><origin xyz="{} 0 0"/>
  <axis xyz="0 0 1"/>{}</joint>"""


def arms(tmp_path: Path, *more: str) -> Mechanism:
    """Two arms of two links on one base, the links of each written apart; the second elbow follows its shoulder."""
    links = "".join(LINK.format(name) for name in ("base", "upper_1", "upper_2", "fore_2", "fore_1"))
    follows = '<mimic joint="shoulder_2" multiplier="2"/>'
    joints = [
        JOINT.format("shoulder_1", "base", "upper_1", 0.1, more[0] if more else ""),
        JOINT.format("shoulder_2", "base", "upper_2", 0.2, ""),
        JOINT.format("elbow_2", "upper_2", "fore_2", 0.3, follows),
        JOINT.format("elbow_1", "upper_1", "fore_1", 0.4, ""),
    ]
    path = tmp_path / "arms.urdf"
    path.write_text(f'<robot name="arms">{links}{"".join(joints)}</robot>')
    return cb.build(cb.read(path))


def test_each_arm_is_a_part_with_its_joints_and_couplings(tmp_path: Path) -> None:
    whole = arms(tmp_path)
    (first, one), (second, two) = independent(whole)
    assert [body.name for body in one.bodies] == ["upper_1", "fore_1"] == [whole.bodies[k].name for k in first]
    assert [body.name for body in two.bodies] == ["upper_2", "fore_2"] == [whole.bodies[k].name for k in second]
    assert [(j.name, j.a, j.b) for j in one.joints] == [("shoulder_1", GROUND_BODY, 0), ("elbow_1", 0, 1)]
    assert [(j.name, j.a, j.b) for j in two.joints] == [("shoulder_2", GROUND_BODY, 0), ("elbow_2", 0, 1)]
    assert ([c.coupling.name for c in one.couplings], len(two.couplings)) == ([], 1)
    assert two.body_of == {"upper_2": 0, "fore_2": 1}
    assert one.length_scale == whole.length_scale


def test_what_a_coupling_ties_is_one_part(tmp_path: Path) -> None:
    whole = arms(tmp_path, '<mimic joint="shoulder_2" multiplier="-1"/>')
    ((bodies, part),) = independent(whole)
    assert bodies == tuple(range(4))
    assert [repr(j.primitives) for j in part.joints] == [repr(j.primitives) for j in whole.joints]


@pytest.mark.parametrize("name", ["shoulder_1", "shoulder_2"])
def test_a_part_moves_as_in_the_whole(name: str, tmp_path: Path) -> None:
    whole = arms(tmp_path)
    moved = {w.name: X for w, X in zip(whole.bodies, Mover(whole).move({name: 0.7}).poses, strict=True)}
    for _, part in independent(whole):
        own = Mover(part).move({name: 0.7} if any(j.name == name for j in part.joints) else {})
        assert own.status.ok
        for body, X in zip(part.bodies, own.poses, strict=True):
            assert np.abs(X.R - moved[body.name].R).max() < 1e-9
            assert np.abs(X.p - moved[body.name].p).max() < 1e-9
