"""Documents appear whole or not at all, and numbers are written the same way every time."""

import json
import math
from pathlib import Path

import pytest

from cadbridge.cli.output import exit_status
from cadbridge.findings import Findings
from cadbridge.report import write_json


def test_a_document_that_cannot_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "check.json"
    write_json(path, {"format": "a"})
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"format": "b", "mass": math.nan})
    assert json.loads(path.read_text()) == {"format": "a"}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("codes", "strict", "status"),
    [
        ([], False, 0),
        (["CB105"], False, 0),
        (["CB105"], True, 1),
        (["CB100"], False, 2),
        (["CB107"], True, 1),
    ],
)
def test_exit_status_follows_the_gravest_finding(codes: list[str], strict: bool, status: int) -> None:
    findings = Findings()
    for code in codes:
        findings.add(code, "as a test")
    assert exit_status(findings, strict) == status
