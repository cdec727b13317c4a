"""The documentation site builds without a dead link, with a page for every command and every finding code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from cadbridge.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "scripts" / "documenting" / "build.py"


def built(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", str(script), "-o", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


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


def test_a_dead_link_stops_the_build(tmp_path: Path) -> None:
    copy = tmp_path / "project"
    for name in ("docs", "notebooks", "scripts"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, copy / name)
    page = copy / "docs" / "config.md"
    page.write_text(page.read_text("utf-8") + "\nSee [nothing](no-such-page.md).\n", "utf-8")
    done = built(copy / "scripts" / "documenting" / "build.py", tmp_path / "site")
    assert done.returncode != 0
    assert "no-such-page.md" in done.stderr
