"""The documentation site builds without a dead link, with a page for every command and every finding code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cadbridge.catalogue import CATALOGUE

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "scripts" / "documenting" / "build.py"


SPOILT = """
import sys

sys.path.insert(0, sys.argv.pop(1))
import build

sound = build.relinked


def spoilt(text, source, name, names):
    added = "\\n\\nSee [nothing](no-such-page.md).\\n" if name == "config.md" else ""
    return sound(text + added, source, name, names)


build.relinked = spoilt
build.main()
"""


def test_the_site_has_every_code_and_command_and_a_dead_link_stops_the_build(tmp_path: Path) -> None:
    """One build tells both: of all that it is made of, only the link that the test adds leads nowhere."""
    command = [sys.executable, "-P", "-c", SPOILT, str(BUILD.parent), "-o", str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    (said,) = done.stderr.splitlines()
    assert re.search(r"config\.md:\d+: WARNING: .*no-such-page\.md", said)
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
        for target in set(re.findall(r'href="([^"#:?]+)(?:[?#][^"]*)?"', text)):
            assert (page.parent / target).exists(), f"{page.name} leads to {target}"
    assert 'href="reference/python/solver.html">The solver</a>' in (tmp_path / "site" / "index.html").read_text("utf-8")
