"""The page of what was recognised: proposals with their evidence, picked by the mates that light their faces."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from cadbridge.cli.app import app
from tests.late import cq


def test_the_page_shows_each_proposal_with_its_evidence_and_lights_its_faces(tmp_path: Path) -> None:
    base = cq.Workplane().box(80, 40, 10, centered=(True, True, False)).union(cq.Workplane().circle(5).extrude(18))
    lever = cq.Workplane().box(60, 12, 8, centered=(True, True, False)).faces(">Z").workplane().hole(10)
    made = cq.Assembly(name="made").add(base, name="base")
    made.add(lever, name="<b>lever", loc=cq.Location(cq.Vector(0, 0, 10)))
    made.add(cq.Workplane().box(9, 9, 9), name="lost", loc=cq.Location(cq.Vector(0, 0, 300)))
    made.export(str(tmp_path / "made.step"))
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["recognise", str(tmp_path / "made.step"), "--html", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    section = text[text.index('id="recognised"') :]
    section = section[: section.index("</section>")]
    assert 'data-pick="mate:0"' in section
    assert re.search(r"\b[1-9]\d %", section)
    assert "shaft of radius 5 mm in a bore" in section
    assert "turns all round, and nothing collides" in section
    assert "<b>lever" not in section
    bound = text[text.index('id="bound"') :]
    assert "touches nothing; left where it stands" in re.sub(r"<[^>]+>", "", bound)
