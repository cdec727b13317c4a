"""The same overrides over the mechanism in every format, and over the file after its CAD changed."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

import cadbridge as cb
from tests.readers.mutations.anchors import ANCHORS
from tests.readers.mutations.common import put
from tests.readers.mutations.test_mutations import changed_file, put_text, sample, text_of

OVERRIDES = """format: cadbridge.mates/1
overrides:
  - {joints: "Hinge*", damping: 0.125, friction: 0.25, armature: 0.5}
  - {joints: "Hinge A*", limits: {lower: -10, velocity: 90, effort: 7}, stiffness: 3, drive: {reduction: 50}}
  - {joints: "Hinge D*", rename: D1}
  - {joints: "Hinje*", damping: 1}
parts:
  - {parts: Wheel, ignore: true}
  - {parts: Wheal, ignore: true}
frames:
  - {name: tool, component: Crank, point: [1, 2, 3]}
home: {D1: 5}
"""
NAMES = {"Hinge A*": "Concentric:1", "Hinge D*": "Concentric:4", "Hinge*": "Concentric:?"}
"""How the hinges are called in a format that names no mates."""


def read_twice(name: str, folder: Path) -> list[cb.Mechanism]:
    """As the file is, and after a part of it got another mass or another place."""
    shutil.copytree(sample(name), folder)
    path, source = changed_file(name, folder), folder / (sample(name) / "source").read_text()
    lines = OVERRIDES
    for pattern, called in NAMES.items() if name == "sw2robot" else ():
        lines = lines.replace(pattern, called)
    (source.with_name(source.stem + ".cadbridge.yaml")).write_text(lines)
    read = [cb.build(cb.read(source))]
    changed = put("mass" if "mass" in ANCHORS[name] else "place", "0.0625")(text_of(path), ANCHORS[name])
    assert changed is not None
    put_text(path, changed)
    return [*read, cb.build(cb.read(source))]


@pytest.mark.parametrize("name", ANCHORS)
def test_overrides_hold_with_every_reader(name: str, tmp_path: Path) -> None:
    first = "Concentric:1" if name == "sw2robot" else "Hinge A"
    for mechanism in read_twice(name, tmp_path / "in"):
        joints = {joint.name: joint for joint in mechanism.joints}
        hinges = [joint for joint in mechanism.joints if joint.type == "revolute"]
        assert {"D1", first} <= joints.keys()
        assert {(j.damping, j.friction, j.armature) for j in hinges} == {(0.125, 0.25, 0.5)}
        assert [j.stiffness for j in hinges if j.stiffness] == [joints[first].stiffness] == [3.0]
        limit = joints[first].limit
        assert limit is not None
        assert limit.upper is not None
        wanted = [math.radians(-10), math.radians(90), 7.0]
        assert [limit.lower, limit.velocity, limit.effort] == pytest.approx(wanted)
        assert [(d.joint, d.reduction) for d in mechanism.drives] == [(first, 50.0)]
        assembly = mechanism.assembly
        assert "Wheel" not in {component.name for component in assembly.components}
        assert ([f.name for f in assembly.frames], assembly.home) == (["tool"], {"D1": pytest.approx(math.radians(5))})
        stale = [f.where.line for f in assembly.findings if f.code == "CB151"]
        assert stale == [9, 6]
