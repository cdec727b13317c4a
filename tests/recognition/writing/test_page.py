"""What was recognised on the report page, through the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from cadbridge.cli import main
from tests.recognition.solids import two_levers


def test_the_page_lists_each_proposal_with_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = two_levers(tmp_path), tmp_path / "page.html"
    assert main(["recognise", str(source), "-o", str(tmp_path / "made.mates.yaml"), "--html", str(page)]) == 0
    capsys.readouterr()
    tree = html.parse(str(page)).getroot()
    rows = tree.xpath("//section[@id='recognised']//tbody/tr")
    written = (tmp_path / "made.mates.yaml").read_text("utf-8")
    names = [str(row.xpath("string(*[1])")).strip() for row in rows]
    assert len(names) > 1
    assert [name for name in names if name not in written] == []
    sure = [float(str(row.xpath("string(*[3])")).removesuffix("%")) for row in rows]
    assert sure == sorted(sure), "the least sure stand first"
    assert all(str(row.xpath("string(*[4])")).strip() not in ("", "–") for row in rows), "each has its evidence"
    assert tree.xpath("//nav//a[@href='#recognised']")
