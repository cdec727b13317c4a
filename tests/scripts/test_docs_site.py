"""The documentation site builds without a dead link, with a page for every command and every finding code."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from cadbridge.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "scripts" / "documenting" / "build.py"


def built(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", str(script), "-o", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_site_has_every_code_and_command_and_no_dead_link(tmp_path: Path) -> None:
    done = built(BUILD, tmp_path / "site")
    assert done.returncode == 0, done.stderr
    codes = (tmp_path / "site" / "reference" / "findings.html").read_text("utf-8")
    assert all(f'id="{code.lower()}"' in codes for code in CATALOGUE)
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text("utf-8")
    assert re.search(r"<h2>cadbridge recognise\b", commands)
    assert "--output" in commands
    pages = sorted((tmp_path / "site").rglob("*.html"))
    for page in pages:
        text = page.read_text("utf-8")
        # Nothing is loaded from another host.
        assert not re.search(r'<(script|link|img)[^>]+(src|href)="https?://', text), page.name
        for target in re.findall(r'href="([^"#:?]+)(?:[?#][^"]*)?"', text):
            assert (page.parent / target).exists(), f"{page.name} leads to {target}"


def test_a_dead_link_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(BUILD.parent))  # the script puts its folder there; taken away after
    build = runpy.run_path(str(BUILD))
    pages, names = tmp_path / "pages", build["written_names"]()
    pages.mkdir()
    source = ROOT / "docs" / "config.md"
    text = build["relinked"]("# A page\n\nSee [nothing](no-such-page.md).\n", source, "config.md", names)
    (pages / "index.md").write_text(text, "utf-8")
    (pages / "conf.py").write_text(build["CONFIGURATION"], "utf-8")
    command = build["generator"](pages, tmp_path / "site")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no-such-page.md" in done.stderr
