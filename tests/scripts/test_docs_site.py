"""The documentation site builds without a dead link, with a page for every command and every finding code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


PAGES = """
import json, sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import build

# Their text is Sphinx's: of them only the names are needed.
own = dict(build.reference.python())
build.reference.python = lambda: ((name, "") for name in own)
build.write_pages(Path(sys.argv[2]))
"""
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)


def anchor(heading: str) -> str:
    """The name by which links refer to a heading: as MyST makes it."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def test_every_link_of_the_pages_leads_somewhere_and_each_code_has_its_place(tmp_path: Path) -> None:
    """What the site is made of, before Sphinx makes HTML of it: that is done at night."""
    pages = tmp_path / "pages"
    subprocess.run([sys.executable, "-P", "-c", PAGES, str(BUILD.parent), str(pages)], check=True)
    texts = {page: page.read_text("utf-8") for page in pages.rglob("*.md")}
    anchors = {page: {anchor(heading) for heading in HEADING.findall(text)} for page, text in texts.items()}
    dead = []
    for page, text in texts.items():
        for target in LINK.findall(text):
            path, _, place = target.partition("#")
            led = (page.parent / path).resolve() if path else page
            if re.match(r"[a-z]+:", target):
                continue
            if not led.exists() or (place and place not in anchors[led]):
                dead.append(f"{page.relative_to(pages)}: {target}")
    assert dead == []
    assert {code.lower() for code in CATALOGUE} <= anchors[pages / "reference" / "findings.md"]
    commands = texts[pages / "reference" / "commands.md"]
    assert "\n## cadbridge recognise\n" in commands
    assert "--output" in commands


@pytest.mark.nightly  # half a minute of the processor; the test above holds its links and codes
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
