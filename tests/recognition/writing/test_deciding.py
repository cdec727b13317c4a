"""Decisions about mates, held against the source and written to its mates file."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cadbridge.errors import InputError
from cadbridge.mechanism import build
from cadbridge.readers.mates_file import editing
from cadbridge.reading import read
from cadbridge.recognition.writing.deciding import Decision, MatesEditor
from tests.recognition.solids import two_levers

ROBOT = """\
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""  # noqa: E501


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (path := tmp_path / "arm.urdf").write_text(ROBOT)
    return path


def without(name: str) -> Decision:
    return Decision(f"without {name}", lambda text: editing.leave_out(text, (name,)))


def test_a_decision_is_taken_undone_done_again_and_written(source: Path) -> None:
    editor = MatesEditor(source)
    assert len(editor.assembly().mates) == 2
    assert len(editor.decide(without("elbow")).mates) == 1
    undone = editor.undo()
    assert undone is not None
    assert (len(undone.mates), editor.decided, editor.undone) == (2, (), ("without elbow",))
    assert editor.undo() is None
    assert editor.redo() is not None
    assert editor.redo() is None
    assert "+leave_out:" in editor.preview()
    editor.write()
    assert editor.preview() == ""
    assert [m.name for m in read(source).mates] == ["shoulder"]
    assert build(read(source)).findings is not None


def test_a_name_that_is_none_is_told(source: Path) -> None:
    made = MatesEditor(source).decide(without("elbo"))
    (found,) = [f for f in made.findings if f.code == "CB785"]
    assert "elbow" in found.message
    assert len(made.mates) == 2


def test_what_a_file_cannot_take_changes_nothing(source: Path) -> None:
    editor = MatesEditor(source)
    with pytest.raises(InputError, match="would have an error"):
        editor.decide(Decision("nonsense", lambda text: text + "nonsense: 1\n"))
    assert editor.decided == ()
    with pytest.raises(InputError, match="would have an error"):
        editor.decide(Decision("nowhere", lambda text: editing.set_ground(text, "moon")))
    assert editor.decided == ()


def test_a_file_that_changed_on_the_disk_is_not_written_over(source: Path) -> None:
    editor = MatesEditor(source)
    editor.decide(without("elbow"))
    editor.path.write_text("format: cadbridge.mates/1\n# mine\nleave_out: [shoulder]\n")
    with pytest.raises(InputError, match="changed on disk"):
        editor.write()
    editor.reload()
    assert editor.assembly().mates == ()
    editor.write()
    text = editor.path.read_text()
    assert "# mine" in text
    assert yaml.safe_load(text)["leave_out"] == ["shoulder", "elbow"]


def test_a_folder_that_takes_no_file_is_told(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = MatesEditor(source)
    editor.decide(without("elbow"))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cadbridge.files.replacing", full)
    with pytest.raises(InputError, match="No space left"):
        editor.write()
    assert editor.decided == ("without elbow",)


def test_what_is_recognised_is_written_with_the_decisions(tmp_path: Path) -> None:
    source = two_levers(tmp_path)
    editor = MatesEditor(source, recognised=True)
    assert editor.found is not None
    name = editor.found.joints[0].name
    editor.decide(Decision("accepted", lambda text: editing.accept(text, name)))
    editor.decide(without(editor.found.joints[1].name))
    editor.write()
    text = editor.path.read_text()
    assert text.startswith("# cadbridge recognise ")
    assert "accepted in the view" in text
    editor.path.rename(mine := source.with_name("kept.yaml"))
    editor.path.write_text("format: cadbridge.mates/1\n# somebody's own\n")
    assert MatesEditor(source, recognised=True).path.name == "made.recognised.mates.yaml"
    mine.replace(editor.path)
    again = MatesEditor(source, recognised=True)  # a file that was edited keeps its lines
    assert editing.left_out(again.text) == (editor.found.joints[1].name,)
    assert len(read(source).mates) == len(editor.found.joints) - 1
