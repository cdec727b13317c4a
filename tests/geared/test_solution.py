"""The order of solution, where forces are found, and the frames of the contact forces, as the paper prints them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cadbridge.cli import main

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
PAPER = np.column_stack([np.eye(3)[0], np.eye(3)[2], -np.eye(3)[1]])
"""Frames 1 and 2 of Chen, Lin & Lin as designed: x forward, y up, z to the right; the robot's are along the world's."""


def document(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["transmission", str(FIXTURES / name / f"{name}.urdf"), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert {f["code"] for f in found["findings"] if f["severity"] != "info"} <= {"CB318", "CB319"}
    return found


def test_table_1_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    """Levels, links, unknowns, and for link 2 the effective external forces (f32)y and (f72)y."""
    steps = document("geared_robot3", capsys)["solution"]
    told = [(s["level"], s["links"], s["transmitted"], s["torques"]) for s in steps]
    assert told == [
        (3, ["link3"], ["7-3"], []),
        (3, ["link7"], ["6-7"], []),
        (3, ["link6"], [], ["q6"]),
        (2, ["link2"], ["5-2"], []),
        (2, ["link5"], [], ["q5"]),
        (1, ["link1"], ["4-1"], []),
        (1, ["link4"], [], ["q4"]),
    ]
    external = {e["joint"]: e for e in steps[3]["external"]}
    assert set(external) == {"theta3", "q7"}
    for entry in external.values():
        assert np.abs(PAPER.T @ entry["force"]).tolist() == [0.0, 1.0, 0.0]
    # Hinge 3 is parallel to hinge 2: no moment of it counts.
    assert external["theta3"]["moment"] is None
    assert all(s["external"] == [] for s in steps[:3])


def test_table_2_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    bearings = document("geared_robot3", capsys)["bearings"]
    told = [(b["level"], b["link"], b["on"]) for b in bearings]
    assert told == [
        (3, "link3", "link2"), (3, "link7", "link2"), (3, "link6", "link1"), (2, "link2", "link1"),
        (2, "link5", "ground"), (1, "link1", "ground"), (1, "link4", "ground"),
    ]  # fmt: skip


def test_frames_of_equation_22(capsys: pytest.CaptureFixture[str]) -> None:
    frames = {f["gear"]: f for f in document("geared_robot3", capsys)["contact_frames"]}
    np.testing.assert_allclose(PAPER.T @ frames["5-2"]["H_driven"], [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-12)
    np.testing.assert_allclose(PAPER.T @ frames["7-3"]["H"], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=1e-12)
    # Equation 23: link 6's apex lies on the positive side of its axis; equation 24: a spur pair has no axial part.
    assert (frames["6-7"]["delta"], frames["4-1"]["delta"]) == (-1, 0)
    assert frames["6-7"]["cone_angle"] == pytest.approx(np.arctan2(20, 40))
    assert frames["4-1"]["radii"] == pytest.approx([0.04, 0.16])
    assert frames["7-3"]["point"] == pytest.approx([0.41, 0.03, 0.0])
    assert frames["7-3"]["carrier"] == "link2"


def test_the_wrist_has_two_forces_found_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    steps = document("bendix_wrist", capsys)["solution"]
    assert steps[0]["links"] == ["link3", "link2"]
    assert sorted(steps[0]["transmitted"]) == ["6-3", "8-3"]
    assert [s["links"] for s in steps[-2:]] == [["link1"], ["link4"]]
