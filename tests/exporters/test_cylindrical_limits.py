"""The limits of a cylindrical joint, those of its turn, in the formats that can hold them."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import pytest
from pxr import Usd

import cadbridge as cb
from cadbridge.mechanism import Mechanism

SDF = """<sdf version="1.9"><model name="u"><link name="base"><inertial><mass>1</mass></inertial></link>
<link name="rod"><pose>0 0 0.05 0 0 0</pose><inertial><mass>1</mass></inertial></link></model></sdf>"""
MATES = """format: cadbridge.mates/1
ground: [base]
mates:
  - {name: A, type: cylindrical, limits: {lower: -30, upper: 60, velocity: 90, effort: 5}, a: %s, b: %s}
"""
ENDS = (math.radians(-30), math.radians(60))


@pytest.fixture(params=[False, True], ids=["of the ground", "of the rod"])
def rod(request: pytest.FixtureRequest, tmp_path: Path) -> Mechanism:
    """A rod that turns and slides on its base, by a mate that counts from either side."""
    ends = ["{component: base, point: [0, 0, 0], axis: [0, 1, 0], in: world}", "{component: rod}"]
    if request.param:
        ends = ["{component: rod, point: [0, 0, 0], axis: [0, 1, 0], in: world}", "{component: base}"]
    (tmp_path / "u.sdf").write_text(SDF)
    (tmp_path / "u.mates.yaml").write_text(MATES % tuple(ends))
    return cb.build(cb.read(tmp_path / "u.sdf"))


@pytest.mark.parametrize("to", ["mjcf", "urdf", "sdf", "usd"])
def test_a_cylindrical_joint_keeps_the_limits_of_its_turn(rod: Mechanism, to: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = cb.export(rod, out, to=to)
    assert not [f for f in result.findings if f.code == "CB511" and "cylindrical" in f.message]
    (joint,) = rod.joints
    assert (joint.limit.lower, joint.limit.upper) == pytest.approx(ENDS) if joint.limit else False
    if to == "mjcf":
        turn = mujoco.MjModel.from_xml_path(str(out / "robot.xml")).joint("A")
        found = tuple(turn.range)
    elif to == "usd":
        stage = Usd.Stage.Open(str(next(out.glob("*.usda"))))
        joints = [p for p in stage.Traverse() if p.GetTypeName() == "PhysicsJoint"]
        (prim,) = joints
        found = tuple(math.radians(prim.GetAttribute(f"limit:rotZ:physics:{end}").Get()) for end in ("low", "high"))
    else:
        path = next(out.rglob("model.sdf" if to == "sdf" else "u.urdf"))
        (limit,) = (j.find(".//limit") for j in ET.parse(path).iter("joint") if j.get("name") == "A")
        assert limit is not None
        given = {**limit.attrib, **{e.tag: e.text for e in limit}}
        found = tuple(float(given[end] or 0) for end in ("lower", "upper"))
        assert float(given["velocity"] or 0) == pytest.approx(math.pi / 2)
    assert found == pytest.approx(ENDS, abs=1e-6)
