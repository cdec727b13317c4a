"""What README and docs say works as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import typer

from cadbridge.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "scripts").rglob("*.md"))]
DEMO = Path(str(files("cadbridge.data"))) / "demo"


def commands(text: str) -> list[str]:
    """Lines of code and inline code that call cadbridge."""
    lines = re.findall(r"^    (cadbridge .*)$", text, re.MULTILINE)
    return lines + re.findall(r"`(cadbridge [a-z]+ [^`]*)`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_command_and_option_exists(page: Path) -> None:
    group: Any = typer.main.get_command(app)
    for line in commands(page.read_text(encoding="utf-8")):
        _, name, *words = shlex.split(line.split(" #")[0].replace("…", ""))
        command = group.commands.get(name)
        assert command is not None, line
        if hasattr(command, "commands"):
            continue
        known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
        asked = {word.partition("=")[0] for word in words if word.startswith("-")}
        assert asked <= known, line


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_example_in_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    example = text.split("## From Python")[1].split("\n##")[0]
    code = "\n".join(line[4:] for line in example.splitlines() if line.startswith("    "))
    shutil.copy(DEMO / "demo.step", tmp_path / "robot.step")
    shutil.copy(DEMO / "demo.mates.yaml", tmp_path / "robot.mates.yaml")
    monkeypatch.chdir(tmp_path)
    said: dict[str, object] = {}
    exec(compile(code.replace("duration=5.0", "duration=0.1"), "README.md", "exec"), said)
    assert (tmp_path / "out" / "robot.xml").is_file()
    assert said["run"].result.status.ok  # type: ignore[attr-defined]
