"""Options of a folder, findings in the forms of other programs, and a check that follows its files."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from cadbridge.cli import main
from cadbridge.cli.config import NAME, config_for
from cadbridge.errors import InputError
from cadbridge.findings import Finding, Severity, Where
from cadbridge.jobs.watching import changed_files
from cadbridge.report.annotations import github_text, sarif_document

ARM = (
    '<robot name="arm"><link name="base"/><link name="a"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" type="revolute">'
    '<parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
)


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.urdf").write_text(ARM, encoding="utf-8")
    return tmp_path


def test_the_folder_fills_what_the_command_line_leaves_open(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "arm.urdf"]) == 0
    before = capsys.readouterr().err
    assert "CB189" in before
    (arm / NAME).write_text('ignore = ["CB189"]\nfloating = true\n', encoding="utf-8")
    assert main(["check", "arm.urdf"]) == 0
    said = capsys.readouterr().err
    assert "cadbridge.toml: " in said
    assert "CB189" not in said
    assert main(["check", "arm.urdf", "--ignore", "CB402"]) == 0
    assert "CB402" not in capsys.readouterr().err


def test_what_the_format_has_no_use_for_is_passed_over(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (arm / NAME).write_text('units = "mm"\ndensity = 2700\n', encoding="utf-8")
    assert main(["check", "arm.urdf"]) == 0
    said = capsys.readouterr().err
    assert "cadbridge.toml: density" in said
    assert "CB113" not in said


def test_folders_count_from_the_file_and_the_one_beside_the_source_wins(arm: Path) -> None:
    (arm / "sub").mkdir()
    (arm / NAME).write_text("density = 1000\n", encoding="utf-8")
    assert config_for(Path("sub/arm.urdf")).values == {"density": 1000}
    (arm / "sub" / NAME).write_text('package_dirs = ["ros"]\n', encoding="utf-8")
    assert config_for(Path("sub/arm.urdf")).values == {"package_dirs": [str(Path("sub/ros"))]}


@pytest.mark.parametrize("key", ["package_dirs", "overrides"])
def test_a_file_beside_the_source_names_nothing_that_the_source_could_not(arm: Path, key: str) -> None:
    value = '["/etc"]' if key == "package_dirs" else '"/etc/passwd"'
    (arm / "sub").mkdir()
    (arm / "sub" / NAME).write_text(f"{key} = {value}\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        config_for(Path("sub/arm.urdf"))
    (finding,) = raised.value.findings
    assert finding.code == "CB102"
    assert "/etc" in finding.message
    assert "--" in finding.hint
    # Nor what lies around it, wherever the file is: the folder that the user stands in may be a stranger's too.
    for there, elsewhere in (("sub", "../near"), ("sub", "/etc"), (".", "/etc"), (".", "..")):
        (arm / "sub" / NAME).unlink(missing_ok=True)
        (arm / there / NAME).write_text(f"{key} = {value.replace('/etc', elsewhere)}\n", encoding="utf-8")
        with pytest.raises(InputError) as raised:
            config_for(Path("sub/arm.urdf"))
        assert [f.code for f in raised.value.findings] == ["CB102"]
    (arm / NAME).write_text(f"{key} = {value.replace('/etc', 'near')}\n", encoding="utf-8")
    assert "near" in str(config_for(Path("sub/arm.urdf")).values[key])


@pytest.mark.parametrize("text", ["a." * 30_000 + "b = 1", "density = " + "9" * 5_000, "a = " + "[" * 50_000])
def test_a_file_that_takes_all_memory_is_refused(arm: Path, text: str) -> None:
    (arm / NAME).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        config_for(Path("arm.urdf"))
    assert [f.code for f in raised.value.findings] == ["CB116"]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("\ndensty = 1\n", 2, "unknown key 'densty'; did you mean density?"),
        ("density = -1\n", 1, "density must be a number from 0.001 to 1e+12, not -1"),
        ("density = true\n", 1, "density must be a number"),
        ("floating = 1\n", 1, "floating must be true or false"),
        ('mass = "guess"\n', 1, "mass must be one of declared, from-mesh"),
        ('select = "CB1"\n', 1, "select must be a list of texts"),
        ("[tool]\nx = 1\n", 1, "unknown key 'tool'"),
        ("density = \n", None, "not TOML"),
        ("\x00", None, "not TOML"),
    ],
)
def test_a_faulty_file_is_told_with_its_line(arm: Path, text: str, line: int | None, says: str) -> None:
    (arm / NAME).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        config_for(Path("arm.urdf"))
    (finding,) = caught.value.findings
    assert finding.code == "CB116"
    assert finding.where.line == line
    assert says in finding.message
    assert main(["check", "arm.urdf"]) == 2


def test_all_faults_are_told_at_once(arm: Path) -> None:
    (arm / NAME).write_text("densty = 1\nunit = 'mm'\nfloating = 3\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        config_for(Path("arm.urdf"))
    assert [f.where.line for f in caught.value.findings] == [1, 2, 3]


FOUND = (
    Finding("CB144", Severity.ERROR, "50 % of\nit, lost: all", Where("a,b.yaml", 3, 5, "M"), "Correct it."),
    Finding("CB404", Severity.INFO, "6 rows repeat others"),
)


def test_github_gets_commands_that_no_name_can_forge() -> None:
    first, second = github_text(FOUND).split("\n")
    assert first == "::error file=a%2Cb.yaml,line=3,col=5,title=CB144::50 %25 of%0Ait, lost: all (M)"
    assert second == "::notice title=CB404::6 rows repeat others"


def test_sarif_has_rules_places_and_levels() -> None:
    document = sarif_document(FOUND)
    run = document["runs"][0]
    assert document["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["CB144", "CB404"]
    error, note = run["results"]
    assert (error["level"], note["level"]) == ("error", "note")
    place = error["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%2Cb.yaml"}, "region": {"startLine": 3, "startColumn": 5}}
    assert note["locations"] == []


def test_a_check_prints_the_form_that_is_asked_for(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "arm.urdf", "--output-format", "sarif"]) == 0
    codes = {r["ruleId"] for r in json.loads(capsys.readouterr().out)["runs"][0]["results"]}
    assert main(["check", "arm.urdf", "--output-format", "github"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert codes == {line.split("title=")[1][:5] for line in lines}
    assert main(["check", "arm.urdf", "--json", "--output-format", "github"]) == 2


def test_a_change_of_the_mates_file_is_seen_and_an_output_is_not(arm: Path) -> None:
    found: list[set[Path]] = []
    stop = threading.Event()
    page = arm / "report.html"
    watcher = threading.Thread(
        target=lambda: found.append(changed_files(Path("arm.urdf"), ignored=page, stop=stop)), daemon=True
    )
    watcher.start()
    done = threading.Event()

    def alter() -> None:
        while not done.wait(0.2):  # when watching begins is not told
            page.write_text("x", encoding="utf-8")
            (arm / "arm.mates.yaml").write_text("format: cadbridge.mates/1\n", encoding="utf-8")

    threading.Thread(target=alter, daemon=True).start()
    watcher.join(10)
    done.set()
    stop.set()
    assert found
    assert {path.name for path in found[0]} == {"arm.mates.yaml"}
