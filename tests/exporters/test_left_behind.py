"""What formats leave behind is told: it adds up to what is redundant where no loop repeats rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cadbridge as cb
from cadbridge.assembly import ControlLaw, Drive
from cadbridge.mechanism import Mechanism
from tests.report.page.models import door


def test_the_rows_that_stay_behind_are_those_that_are_redundant(kr15: Mechanism, tmp_path: Path) -> None:
    """All 51 repeated rows of the KR 15 lie between two parts: 48 in stiff connections, 3 in a hinge."""
    told = {to: cb.export(kr15, tmp_path / to, to=to).findings for to in ("python", "json")}
    (found,) = [f.message for f in told["python"] if f.code == "CB528"]
    assert found.startswith("51 rows of mates that repeat others are not in the export: A1 (3), ")
    assert "CB528" not in [f.code for f in told["json"]]


def test_a_mates_file_tells_the_rotors_springs_and_servos_that_it_has_no_key_for(tmp_path: Path) -> None:
    plain = door()
    (first, *others) = plain.mates
    law = ControlLaw((2.0, 0.0, 0.0), (0.0, -2.0, 0.0))
    assembly = replace(
        plain,
        mates=(replace(first, armature=0.1, stiffness=2.0), *others),
        drives=(Drive("servo", first.name, law=law),),
    )
    result = cb.export(cb.build(assembly), tmp_path / "out", to="mates-file")
    told = [f.message for f in result.findings if f.code == "CB795"]
    assert told == [
        f"{first.name}: a mates file has no armature and no spring of a joint",
        "servo: a mates file has no control law of a drive",
    ]
