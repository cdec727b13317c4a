"""What a terminal shows beyond the plain text: colours, progress, summaries, what to do next, panels, completion."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from cadbridge.cli import main, output
from cadbridge.report.terminal import plain_table
from cadbridge.visible import Visible, write_styled
from solver.compilation import library
from tests.waiting import settled

DEMO = Path(str(files("cadbridge.data"))) / "demo"


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in DEMO.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_only_our_own_colours_reach_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    write_styled(Visible(terminal), "error \x1b[2J", "error")
    assert terminal.getvalue() == "\x1b[1;31merror \\u001b[2J\x1b[0m"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_are_left_out_where_they_are_not_wanted(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv(name, value)
    terminal = Terminal()
    write_styled(terminal, "error", "error")
    assert terminal.getvalue() == "error"


def test_a_pipe_gets_no_escape_and_a_terminal_gets_the_verdict_in_colour(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "demo.step"]) == 0
    piped = capsys.readouterr()
    assert "\x1b" not in piped.out + piped.err
    terminal = Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["check", "demo.step"]) == 0
    first = terminal.getvalue()
    assert first.startswith("\x1b[")
    assert "Desk crane" in first


@pytest.mark.parametrize("columns", [60, 80])
def test_findings_break_between_words_on_a_terminal_and_nowhere_in_a_pipe(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int
) -> None:
    (folder / "typo.urdf").write_text('<robot name="r"><link name="a"/><joint name="j" type="revolut"/></robot>')
    main(["check", "typo.urdf"])
    piped = capsys.readouterr().err
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(output, "working", lambda what: contextlib.nullcontext())
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    main(["check", "typo.urdf"])
    lines = terminal.getvalue().splitlines()
    assert max(map(len, lines)) <= columns < max(map(len, piped.splitlines()))
    assert terminal.getvalue().split() == piped.split()


def test_long_work_says_a_line_now_and_then_where_it_is_piped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "EVERY", 0.02)
    with output.working("reading robot.step"):
        _says(capsys, r"reading robot.step: \d+ s")
    with output.progress_bar("simulating", 4.0) as progress:
        progress(1.0)
        _says(capsys, r"simulating: 25 % after \d+ s")


def _says(capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    """Wait until a line is there: a thread writes it."""
    heard = []

    def heard_it() -> bool:
        heard.append(capsys.readouterr().err)
        return re.search(pattern, "".join(heard)) is not None

    assert settled(heard_it), heard


def test_long_work_says_that_the_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "EVERY", 0.02)
    monkeypatch.setattr(library, "kernel_folder", lambda: tmp_path)
    (tmp_path / f"{library.name()}.lock").touch()
    with output.working("finding the joints"):
        _says(capsys, r"finding the joints: compiling the solver's kernels: \d+ s")
    (tmp_path / f"{library.name()}.so").touch()
    with output.working("drawing the page"):
        _says(capsys, r"drawing the page: \d+ s")


def test_a_run_ends_in_a_short_summary_and_the_next_step(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "simulate demo.step --scenario demo.scenario.yaml --duration 0.05 -o run.parquet --plots plots"
    assert main(line.split()) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Simulated 0.05 s: 3 bodies, ")
    assert "at the end" in said.out
    assert "trajectory: run.parquet; plots: plots" in said.out
    assert "e-1" not in said.out.replace("1e-12 or better", "")
    assert "cadbridge view demo.step --run run.parquet" in said.err


def test_an_export_says_how_to_open_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "demo.step", "--to", "mjcf", "-o", "out"]) == 0
    said = capsys.readouterr().err
    assert "files into out." in said
    scene = Path("out/scene.xml")
    assert f"python -m mujoco.viewer --mjcf={scene}" in said
    assert scene.is_file()


def test_the_help_stands_in_panels_with_plain_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    said = capsys.readouterr().out
    assert said.index("\nOptions:") < said.index("\nOutput:") < said.index("\nReading:")
    assert said.index("\nReading:") < said.index("--density KG/M3")
    assert "<" not in said


def test_the_shell_completes_words_of_options() -> None:
    asked = {"_CADBRIDGE_COMPLETE": "complete_bash", "COMP_WORDS": "cadbridge convert --to m", "COMP_CWORD": "3"}
    call = "import sys; sys.argv = ['cadbridge']; from cadbridge.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", call], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["mjcf", "mates-file"]


@pytest.mark.skipif(os.name != "posix", reason="calls C's library")
def test_what_libraries_print_by_themselves_stands_not_among_results(tmp_path: Path) -> None:
    """HiGHS printed a line into a document of recognition."""
    script = tmp_path / "noisy.py"
    script.write_text(
        "import ctypes, sys\nfrom cadbridge import cli\n"
        "def run(arguments):\n"
        "    ctypes.CDLL(None).puts(b'noise')\n    print('result')\n    return 0\n"
        "cli._run = run\nsys.exit(cli.main())\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=DEMO.parents[2], check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "result\n", "noise\n")


@pytest.mark.parametrize("columns", [60, 80, 100, 120])
def test_two_long_names_never_read_alike_in_a_table(columns: int) -> None:
    """What was wider than the terminal was cut at its right edge, and a long word at the width of its column."""
    names = [f"gripperBase-gripperClaw{side}_joint" for side in ("Left", "Right")]
    between = "gripperBase_link – gripperClaw_link"
    rows = [[name, "revolute", between, "−30° to 30°", "determined", name] for name in names]
    text = plain_table(("joint", "type", "between", "limits", "reaction", "mates"), rows, columns)
    assert max(map(len, text.splitlines())) <= columns
    assert text.count("Left") == text.count("Right") == 2
