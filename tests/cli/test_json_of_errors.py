"""Every command with --json prints one document, also where it comes to no result: why, and all findings."""

from __future__ import annotations

import json
import typing
from inspect import signature
from pathlib import Path

import pytest

from cadbridge.cli import main
from cadbridge.cli.app import COMMANDS, application
from cadbridge.documents import FORMATS

SOUND = """<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>"""
MOTION = "format: cadbridge.motion/1\nduration: 0.1\nmotions: [{joint: hinge, angle: 90*t}]\nactuators: [hinge]\n"
WORDS = {
    "inspect": [], "recognise": [], "check": [], "fit": [], "transmission": [], "matrices": [],
    "convert": ["--to", "mjcf", "-o", "out"], "simulate": ["-o", "run.csv"], "verify": ["--to", "mjcf"],
    "inverse": ["--motion", "motion.yaml", "-o", "inverse.csv"],
}  # fmt: skip
"""What each command that reads a source needs beside it."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound.urdf").write_text(SOUND)
    (tmp_path / "broken.urdf").write_text(SOUND.replace("</robot>", ""))
    (tmp_path / "lacking.urdf").write_text(SOUND.replace('<parent link="base"/>', '<parent link="other"/>'))
    (tmp_path / "motion.yaml").write_text(MOTION)
    (tmp_path / "sweep.yaml").write_text("format: cadbridge.sweep/1\nparametres: {}\n")
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, typing.Any], str]:
    """The status, the document on stdout, and stderr."""
    status = main([*words, "--json"])
    out, err = capsys.readouterr()
    return status, json.loads(out), err


def test_every_command_that_takes_json_is_here() -> None:
    taking = {
        info.callback.__name__
        for info in application().registered_commands
        if info.callback is not None and "json" in signature(info.callback).parameters
    }
    assert taking == {*WORDS, "batch", "fetch"}
    assert set(FORMATS) == taking | {"sweep", "cache"}
    assert taking <= set(COMMANDS)


@pytest.mark.parametrize("command", WORDS)
@pytest.mark.parametrize("source", ["broken.urdf", "missing.urdf"])
def test_a_source_that_cannot_be_read(
    command: str, source: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, err = printed(capsys, command, source, *WORDS[command])
    assert status == 2
    assert (document["format"], document["source"]) == (FORMATS[command], source)
    assert {f["code"] for f in document["findings"]} & {"CB100", "CB101", "CB104"}
    assert document["error"].rstrip(".") in err
    assert main([command, source, *WORDS[command]]) == 2
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("command", ["convert", "simulate", "verify", "inverse", "matrices"])
def test_a_model_that_lacks_a_part(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, document, _ = printed(capsys, command, "lacking.urdf", *WORDS[command])
    assert status == 2
    assert any(f["severity"] == "error" for f in document["findings"])
    assert document.get("passed") in (None, False)


@pytest.mark.parametrize("command", WORDS)
def test_the_document_of_a_result_has_the_same_format(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, _ = printed(capsys, command, "sound.urdf", *WORDS[command])
    assert document["format"] == FORMATS[command]
    assert ("error" in document) == (status == 2)
    assert status in (0, 2)


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (["simulate", "sound.urdf", "--sweep", "sweep.yaml", "-o", "sweep.csv"], "cadbridge.sweep/1"),
        (["simulate", "sound.urdf", "--scenario", "sweep.yaml", "-o", "run.csv"], "cadbridge.run/1"),
        (["batch", "motion.yaml"], "cadbridge.batch/1"),
        (["fetch", "https://example.org/other", "-o", "out"], "cadbridge.fetched/1"),
        (["check", "sound.urdf", "--compare", "motion.yaml"], "cadbridge.check/1"),
        (["fit", "sound.urdf", "--fit", "sweep.yaml"], "cadbridge.fit/1"),
        (["convert", "sound.urdf", "--to", "mjcf", "-o", "sound.urdf/x"], "cadbridge.convert/1"),
    ],
)
def test_other_inputs_and_outputs(
    words: list[str], form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, document, _ = printed(capsys, *words)
    assert status == 2
    assert document["format"] == form
    assert document["error"]


def test_code_scanning_gets_its_document_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "broken.urdf", "--output-format", "sarif"]) == 2
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["results"]
    assert main(["check", "broken.urdf", "--output-format", "github"]) == 2
    assert capsys.readouterr().out.startswith("::error")
