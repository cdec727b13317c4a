"""What README and docs say works as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import typer

from cadbridge.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "scripts").rglob("*.md"))]
DEMO = Path(str(files("cadbridge.data"))) / "demo"


@cache
def command_line() -> Any:
    """All commands with their options."""
    return typer.main.get_command(app)


def commands(text: str) -> list[str]:
    """Lines of code and inline code that call cadbridge."""
    lines = re.findall(r"^    (cadbridge .*)$", text, re.MULTILINE)
    return lines + re.findall(r"`(cadbridge [a-z]+ [^`]*)`", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_command_and_option_exists(page: Path) -> None:
    group: Any = command_line()
    for line in commands(page.read_text(encoding="utf-8")):
        _, name, *words = shlex.split(line.split(" #")[0].replace("…", ""))
        command = group if name.startswith("-") else group.commands.get(name)
        assert command is not None, line
        if command is group:
            words = [name, *words]
        elif hasattr(command, "commands"):
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


def test_the_example_of_the_solver_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in DEMO.glob("demo.*"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "solver.md").read_text(encoding="utf-8")
    found: dict[str, Any] = {}
    exec("\n".join(line[4:] for line in page.splitlines() if line.startswith("    ")), found)  # - our own page
    assert found["rest"].status.ok
    assert found["result"].status.ok
    assert found["run"].constraint_position.max() < 1e-12
    # Held at rest, nothing moves and no joint needs an effort.
    assert abs(found["held"].efforts).max() < 1e-6
    codes = re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE)
    told = {code for cell in codes for code in re.findall(r"`(\w+)`", cell)}
    assert told == {str(ending) for ending in found["solver"].result.CODES}
