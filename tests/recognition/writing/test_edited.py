"""What a person wrote into a mates file is kept, whatever is recognised later."""

from pathlib import Path

import pytest
import yaml

from cadbridge.cli import main
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.readers.mates_file.written import tell_changed_hints
from cadbridge.recognition.writing.edited import marked, renewed, write_mates

HEAD = "format: cadbridge.mates/1\nunits: {length: mm, angle: deg}\nmates:\n"


def hinge(name: str, kind: str = "revolute") -> str:
    return (
        f'  - name: "{name}"  # 75 %\n    type: {kind}\n    a: {{component: "a", point: [0, 0, 0], axis: [0, 0, 1]}}\n'
        f'    b: {{component: "{name}"}}\n    # for: a shaft in a bore\n'
    )


def test_a_file_that_nobody_edited_is_renewed(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    assert write_mates(path, HEAD + hinge("one")) == ()
    assert write_mates(path, HEAD + hinge("two")) == ()
    assert [m["name"] for m in yaml.safe_load(path.read_text())["mates"]] == ["two"]


def test_an_edited_file_keeps_its_lines_and_gets_what_is_new_as_comments(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, HEAD + hinge("one") + hinge("two"))
    edited = path.read_text().replace("revolute", "cylindrical", 1) + "# mine\n"
    path.write_text(edited)
    (finding,) = write_mates(path, HEAD + hinge("one") + hinge("three"))
    text = path.read_text()
    assert text.startswith(edited)
    assert finding.code == "CB1612"
    assert "1 mate recognised now" in finding.message
    assert "not recognised now: two" in finding.message
    assert "three" not in str(yaml.safe_load(text))
    added = text[len(edited) :]
    assert yaml.safe_load("mates:\n" + "".join(x[1:] for x in added.splitlines(keepends=True)[1:-1])) == {
        "mates": yaml.safe_load(HEAD + hinge("three"))["mates"]
    }


def test_what_was_added_before_is_not_added_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, HEAD + hinge("one"))
    path.write_text(path.read_text() + "# mine\n")
    new = HEAD + hinge("one") + hinge("two")
    write_mates(path, new)
    once = path.read_text()
    write_mates(path, new)
    assert path.read_text() == once
    (finding,) = write_mates(path, HEAD + hinge("one"))
    assert path.read_text().endswith("# mine\n")
    assert finding.message == "a.mates.yaml was edited and keeps every line"


def test_an_edited_file_that_is_no_yaml_any_more_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, HEAD + hinge("one"))
    broken = path.read_text() + "mates: [\n"
    path.write_text(broken)
    with pytest.raises(InputError, match=r"cannot be read.*--overwrite"):
        write_mates(path, HEAD + hinge("two"))
    assert path.read_text() == broken
    write_mates(path, HEAD + hinge("two"), overwrite=True)
    assert "two" in path.read_text()


def test_a_file_from_elsewhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    path.write_text("mates: []\n")
    with pytest.raises(InputError, match="comes from elsewhere"):
        write_mates(path, HEAD + hinge("one"))
    assert path.read_text() == "mates: []\n"


def test_a_folder_in_place_of_a_file_is_told_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said to come from elsewhere, after all was recognised."""
    monkeypatch.setattr("cadbridge.recognition.read_bare", lambda *args: pytest.fail("the source was read"))
    (tmp_path / "made.step").write_bytes(b"")
    assert main(["recognise", str(tmp_path / "made.step"), "-o", str(tmp_path)]) == 2
    assert f"{tmp_path} is a folder; name a file to write" in " ".join(capsys.readouterr().err.split())


def test_a_file_that_is_not_utf_8_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    write_mates(path, HEAD + hinge("one"))
    # In a section that recognition never writes, which would be carried over with a letter lost.
    own = path.read_bytes() + "leave_out: [Gehäuse]\n".encode("latin-1")
    path.write_bytes(own)
    with pytest.raises(InputError, match=r"not UTF-8.*--overwrite"):
        write_mates(path, HEAD + hinge("two"))
    assert path.read_bytes() == own
    write_mates(path, HEAD + hinge("two"), overwrite=True)
    assert "two" in path.read_text()


def test_the_text_after_a_recognition_is_known_without_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mates.yaml"
    first, _ = renewed(None, HEAD + hinge("one"), path)
    edited = first.replace("revolute", "cylindrical", 1)
    text, (finding,) = renewed(edited, HEAD + hinge("two"), path)
    assert text.startswith(edited)
    assert '#  - name: "two"' in text
    assert finding.where.file == str(path)
    assert not path.exists()


def test_hints_that_were_changed_since_are_told_by_what_reads_the_file(tmp_path: Path) -> None:
    """Only `recognise` heeds them: `check` and `convert` said nothing."""
    path, findings = tmp_path / "a.mates.yaml", Findings()
    write_mates(path, "hints:\n  - apart: [a, b]  # said once\n" + HEAD + hinge("one"))
    written = path.read_text()
    for same in (written, written.replace("  # said once", "\n"), written.replace("revolute", "fixed")):
        path.write_text(same)
        tell_changed_hints(path, findings)
        assert not findings.as_tuple()
    for changed in (written.replace("[a, b]", "[a, c]"), written.replace("  - apart: [a, b]  # said once\n", "")):
        path.write_text(changed)
        findings = Findings()
        tell_changed_hints(path, findings)
        assert [(f.code, f.where.line) for f in findings] == [("CB1662", 2)]
    path.write_text(written.split("\n", 1)[1])  # a file of a person's own
    tell_changed_hints(path, none := Findings())
    assert not none.as_tuple()


def test_check_and_convert_tell_hints_that_no_recognition_heeded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = tmp_path / "a.urdf"
    robot.write_text('<robot name="a"><link name="one"/></robot>')
    (tmp_path / "a.mates.yaml").write_text(marked("format: cadbridge.mates/1\n") + "hints:\n  - freedoms: 1\n")
    for command in (["check", str(robot)], ["convert", str(robot), "--to", "json", "-o", str(tmp_path / "out")]):
        main(command)
        said = capsys.readouterr()
        assert "CB1662" in said.out + said.err
