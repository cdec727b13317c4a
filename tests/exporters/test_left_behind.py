"""What formats leave behind is told: it adds up to what is redundant where no loop repeats rows."""

from __future__ import annotations

from pathlib import Path

import cadbridge as cb
from cadbridge.mechanism import Mechanism


def test_the_rows_that_stay_behind_are_those_that_are_redundant(kr15: Mechanism, tmp_path: Path) -> None:
    """All 51 repeated rows of the KR 15 lie between two parts: 48 in stiff connections, 3 in a hinge."""
    told = {to: cb.export(kr15, tmp_path / to, to=to).findings for to in ("python", "json")}
    (found,) = [f.message for f in told["python"] if f.code == "CB528"]
    assert found.startswith("51 rows of mates that repeat others are not in the export: A1 (3), ")
    assert "CB528" not in [f.code for f in told["json"]]
