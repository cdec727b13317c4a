"""What a command says to do next can be typed as it stands, also where a path has a space."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from cadbridge.cli import main
from tests.late import cq

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "fixtures" / "door"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my machine"
    made.mkdir()
    for ending in (".sdf", ".mates.yaml"):
        shutil.copy(DOOR / f"door{ending}", made / f"front door{ending}")
    plate = cq.Workplane().box(40, 40, 5).union(cq.Workplane().circle(4).extrude(30))
    lever = cq.Workplane().rect(60, 16).circle(4).extrude(6).translate((0, 0, 4))
    cq.Assembly(name="made").add(plate, name="plate").add(lever, name="lever").export(str(made / "two parts.step"))
    return made


@pytest.mark.parametrize(
    "words",
    [
        ["check", "front door.sdf", "--mates", "front door.mates.yaml"],
        ["simulate", "front door.sdf", "-o", "a run.parquet"],
        ["convert", "front door.sdf", "--to", "mjcf", "-o", "an export"],
        ["recognise", "two parts.step", "-o", "other mates.yaml"],
    ],
    ids=lambda words: words[0],
)
def test_it_names_files_that_are_there(
    words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    main(words)
    said = capsys.readouterr().err
    (line,) = [line for line in said.splitlines() if line.startswith("Next: ")]
    typed = shlex.split(line.removeprefix("Next: ").partition("   (")[0])
    paths = [word.partition("=")[2] or word for word in typed if " " in word]
    assert paths
    assert all((folder / path).exists() for path in paths)
