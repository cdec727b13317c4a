"""Programs that check files: what they find is an error, and one that is not installed is named."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.exporters import export
from cadbridge.findings import Findings
from cadbridge.geometry import Mesh, Shape
from cadbridge.targets import compared
from cadbridge.verification.judges import judge_files
from tests.exporters import models
from tests.exporters.omniverse import validator

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def judged(to: str, folder: Path) -> list[tuple[str, str]]:
    findings = Findings()
    how = compared(to)
    assert how is not None
    judge_files(how, folder, findings)
    return [(f.code, f.message) for f in findings]


def test_an_export_to_usd_has_no_fault_and_one_that_was_spoilt_has(tmp_path: Path) -> None:
    validator()
    export(models.four_bar(), tmp_path / "out", "usd", name="rig")
    assert judged("usd", tmp_path / "out") == []
    root = tmp_path / "out" / "rig.usda"
    root.write_text(root.read_text().replace('defaultPrim = "rig"', 'defaultPrim = "absent"'))
    assert {code for code, _ in judged("usd", tmp_path / "out")} == {"CB1483"}


def test_a_warning_of_a_checker_is_no_error(tmp_path: Path) -> None:
    """Two boxes that share an edge: USD's rules allow it, and the file is the source's."""
    validator()
    rig = models.Builder(1)
    rig.joint("revolute", -1, rig.body(), models.at((0, 0, 0)))
    one = models.box((1.0, 1.0, 1.0))
    points = np.vstack([one.vertices, one.vertices + np.array([1.0, 1.0, 0.0])])
    triangles = np.vstack([one.triangles, one.triangles + len(one.vertices)])
    vertices, inverse = np.unique(points.round(9), axis=0, return_inverse=True)
    mechanism = rig.build()
    shape = Shape("k", None, Mesh(vertices, inverse.ravel()[triangles].astype(np.int32)))
    parts = tuple(replace(part, shape=shape) for part in mechanism.assembly.parts)
    export(replace(mechanism, assembly=replace(mechanism.assembly, parts=parts)), tmp_path / "out", "usd", name="rig")
    assert {code for code, _ in judged("usd", tmp_path / "out")} == {"CB1485"}


EXAMPLES = ("delta.sdf", "door.sdf", "puma560.urdf", "rrrt3.sdf", "stewart.sdf", "geared_robot3.urdf")


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_checker_finds_a_fault_in_an_example(name: str, tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(FIXTURES / name.partition(".")[0] / name))
    export(mechanism, tmp_path / "out", "usd")
    assert {code for code, _ in judged("usd", tmp_path / "out")} <= {"CB1484"}


def test_a_checker_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(models.pendulum(), tmp_path / "out", "usd", name="rig")
    monkeypatch.setitem(sys.modules, "omni.asset_validator", None)
    assert judged("usd", tmp_path / "out") == [("CB1484", "omniverse-asset-validator is not installed")]


def test_formats_without_a_checker_have_nothing_to_say(tmp_path: Path) -> None:
    assert judged("mjcf", tmp_path) == []
