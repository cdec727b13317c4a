"""`--version -v`: by what this system holds the processes that read files of others."""

from __future__ import annotations

import sys

import pytest

from cadbridge.cli import held, main


def test_the_version_alone_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems lack the layers")
@pytest.mark.parametrize("words", [["--version", "-v"], ["-v", "--version"]])
def test_each_process_tells_its_layers(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    first, _, *rows = capsys.readouterr().out.splitlines()
    assert first.startswith("cadbridge ")
    layers = {name.strip(): said.split(", ") for name, _, said in (row.partition(": ") for row in rows)}
    assert list(layers) == ["xacro", "USD", "MuJoCo (MJCF)", "OCCT (STEP, FreeCAD's shapes)"]
    assert all(said[0].startswith("limits") and "seccomp" in said for said in layers.values())
    assert ["audit hook" in said for said in layers.values()] == [True, True, True, False]


def test_a_system_without_landlock_says_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held, "in_force", lambda native: {"limits": 0} | ({} if native else {"audit": 0}))
    *_, occt, warning = held.lines()
    assert occt.endswith("limits of memory, time and files")
    assert "xacro, USD, MuJoCo, OCCT" in warning
