"""What was recognised on the report page, through the command line."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from lxml import html

from cadbridge.cli import main


def test_the_page_lists_each_proposal_with_its_evidence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = Path(str(files("cadbridge.data"))) / "demo" / "demo.step", tmp_path / "page.html"
    assert main(["recognise", str(source), "-o", str(tmp_path / "demo.mates.yaml"), "--html", str(page)]) == 0
    capsys.readouterr()
    tree = html.parse(str(page)).getroot()
    rows = tree.xpath("//section[@id='recognised']//tbody/tr")
    written = (tmp_path / "demo.mates.yaml").read_text("utf-8")
    names = [str(row.xpath("string(*[1])")).strip() for row in rows]
    assert names
    assert [name for name in names if name not in written] == []
    sure = [float(str(row.xpath("string(*[3])")).removesuffix("%")) for row in rows]
    assert sure == sorted(sure), "the least sure stand first"
    assert all(str(row.xpath("string(*[4])")).strip() not in ("", "–") for row in rows), "each has its evidence"
    assert tree.xpath("//nav//a[@href='#recognised']")
