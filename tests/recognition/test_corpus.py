"""Recognition of assemblies that others made, held against their own mates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.diagnosis import diagnose, settled
from cadbridge.mechanism import build
from cadbridge.recognition import Recognition, read_recognised

CASES = {
    "quadruped_solidworks/bare.step": ("quadruped_solidworks/truth.json", 1.0, 1.0),
    "hand_crane/bare.step": ("hand_crane/truth.json", 1.0, 0.95),
    "robot_arm_reconcycle/robot_arm.step": ("robot_arm_reconcycle/truth.json", 1.0, 1.0),
    "freecad/universal_joint.bare.step": ("freecad/universal_joint.truth.json", 1.0, 1.0),
}
"""Source: truth, least precision and recall of moving pairs."""


@pytest.mark.parametrize("source", CASES)
def test_pairs_types_axes_and_freedoms_are_those_of_the_mates(corpus: Path, source: str) -> None:
    name, precision, recall = CASES[source]
    truth = json.loads((corpus / name).read_text())
    assembly, found = read_recognised(corpus / source)
    wanted = {frozenset(p["bodies"]): p for p in truth["pairs"]}
    body_of = {_key(c): b["name"] for b in truth["bodies"] for c in b["components"]}
    given = {_pair(found, joint, body_of): joint for joint in found.joints}
    right = set(given) & set(wanted)
    assert len(right) >= precision * len(given)
    absent = {b["name"] for b in truth["bodies"] if set(b["components"]) <= set(truth.get("absent", ()))}
    assert len(right) >= recall * len([pair for pair in wanted if not pair & absent])
    alike = [pair for pair in right if given[pair].type == wanted[pair]["type"]]
    assert len(alike) >= 0.95 * len(right)
    for pair in alike:
        true, axis = wanted[pair]["axis"], given[pair].axis
        if true is not None and axis is not None:
            assert np.linalg.norm(np.cross(true, axis)) < np.radians(0.1)
    mechanism = settled(build(assembly))
    assert not [f for f in mechanism.findings if f.severity.value == "error"]
    assert diagnose(mechanism).mobility.dof == truth.get("dof_without_absent", truth["dof"])


def _key(name: str) -> str:
    return "".join(c for c in name if c.isalnum()).lower()


def _pair(found: Recognition, joint: Any, body_of: dict[str, str]) -> frozenset[str]:
    """The true bodies that a joint joins, by the first instance of each side that the truth knows."""
    sides = []
    for body in (joint.a, joint.b):
        names = [n for full in found.bodies[body].instances for n in (full, full.split("/")[0])]
        sides.append(next((body_of[_key(n)] for n in names if _key(n) in body_of), "unknown"))
    return frozenset(sides)


def test_a_quadruped_moves_in_mujoco_with_one_option(corpus: Path, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    options = cb.ReadOptions(recognise=True, density=7850.0)
    mechanism = build(cb.read(corpus / "quadruped_solidworks/bare.step", options=options))
    result = cb.export(mechanism, tmp_path, to="mjcf")
    file = next(p for p in result.files if Path(p).suffix == ".xml" and "<mujoco" in Path(p).read_text()[:200])
    model = mujoco.MjModel.from_xml_path(str(file))
    assert model.nv == 8


def test_a_file_without_mates_says_so_once_and_names_the_command(corpus: Path) -> None:
    mechanism = build(cb.read(corpus / "hand_crane/bare.step"))
    (finding,) = [f for f in mechanism.findings if f.code.startswith("CB4")]
    assert finding.code == "CB415"
    assert "cadbridge recognise" in finding.hint
