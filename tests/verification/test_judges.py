"""Programs that check files: what they find is an error, and one that is not installed is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cadbridge.exporters import export
from cadbridge.findings import Findings
from cadbridge.verification.judges import judge_files
from tests.exporters import models


def judged(to: str, folder: Path) -> list[tuple[str, str]]:
    findings = Findings()
    judge_files(to, folder, findings)
    return [(f.code, f.message) for f in findings]


def test_an_export_to_usd_has_no_fault_and_one_that_was_spoilt_has(tmp_path: Path) -> None:
    pytest.importorskip("omni.asset_validator")
    export(models.four_bar(), tmp_path / "out", "usd", name="rig")
    assert judged("usd", tmp_path / "out") == []
    root = tmp_path / "out" / "rig.usda"
    root.write_text(root.read_text().replace('defaultPrim = "rig"', 'defaultPrim = "absent"'))
    assert {code for code, _ in judged("usd", tmp_path / "out")} == {"CB1483"}


def test_a_checker_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(models.pendulum(), tmp_path / "out", "usd", name="rig")
    monkeypatch.setitem(sys.modules, "omni.asset_validator", None)
    assert judged("usd", tmp_path / "out") == [("CB1484", "omniverse-asset-validator is not installed")]


def test_formats_without_a_checker_have_nothing_to_say(tmp_path: Path) -> None:
    assert judged("mjcf", tmp_path) == []
