"""What a terminal, a log and a page show of hostile names; and streams that lack letters or end early."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest

from cadbridge.processes import environment, python
from cadbridge.report.html import el, embedded
from cadbridge.visible import Visible, visible

HIDDEN = [
    "\x00",
    "\x07",
    "\b",
    "\r",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9b",
    "\u202e",
    "\u2066",
    "\u200f",
    "\ufeff",
    "\udcff",
    "\U000e0041",
]


@pytest.mark.parametrize("letter", HIDDEN)
def test_hidden_letters_are_written_out(letter: str) -> None:
    shown = visible(f"a{letter}b")
    assert letter not in shown
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == json.loads(json.dumps(f"a{letter}b"))


def test_other_letters_stay() -> None:
    text = "Größe → ½ é 名前 \t[red]x[/red]\n"
    assert visible(text) == text
    assert visible("a\nb", lines=False) == "a\\u000ab"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp1252"])
def test_a_stream_takes_every_letter(encoding: str) -> None:
    data = io.BytesIO()
    stream = Visible(io.TextIOWrapper(data, encoding=encoding))
    document = {"name": "é名😀\x9b\u202e\udcff"}
    stream.write(json.dumps(document, ensure_ascii=False))
    stream.flush()
    assert json.loads(data.getvalue().decode(encoding)) == document


def test_a_page_shows_them(tmp_path: Path) -> None:
    for letter in HIDDEN[2:-2]:  # a browser shows a lone surrogate as U+FFFD
        assert letter not in el("p", f"a{letter}b", title=f"a{letter}b")
        inside = embedded({"name": f"a{letter}b\\u202e"}).partition(">")[2].partition("</script>")[0]
        assert letter not in json.loads(inside)["name"]
        assert json.loads(inside)["name"].endswith("b\\u202e")


ROBOT = (
    '<robot name="r"><link name="a&#x9b;31m[red]x[/red]&#x202e;é"/><link name="b"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="continuous">'
    '<parent link="a&#x9b;31m[red]x[/red]&#x202e;é"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>'
)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_command_line_shows_them(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "n\x1b[31m\udcff.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    done = subprocess.run(
        [*python("cadbridge"), "inspect", str(path)], capture_output=True, check=False,
        env=environment({"PYTHONIOENCODING": encoding}),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = (done.stdout + done.stderr).decode(encoding)
    assert "[red]x[/red]" in said
    assert "\\u009b31m" in said
    assert not [c for c in said if c in "\x1b\x9b\u202e"]


def test_a_reader_that_goes_away_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    with subprocess.Popen(
        [*python("cadbridge"), "inspect", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(60) == 0
    assert b"fault" not in said
    assert b"Broken" not in said
