"""What a person meets: help, exit statuses, messages."""

import json
from pathlib import Path

import pytest

from cadbridge.cli import main


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    for command in ("inspect", "check", "convert", "simulate", "batch", "demo", "explain"):
        assert f"  {command} " in out


@pytest.mark.parametrize("call", [["demo", "-o", "out"], ["simulate", "demo.step", "--html", "out/report.html"]])
def test_that_the_page_is_not_built_is_told_before_anything_is_computed(
    call: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a checkout `demo` ended by it after 43 s, and a run of hours with --html would have."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("cadbridge.report.page.page.resources.files", lambda _: tmp_path)
    (tmp_path / "demo.step").write_text("")
    assert main(call) == 2
    assert "The code of the report page is not built." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_explain_tells_meaning_and_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "cb103"]) == 0
    out = capsys.readouterr().out
    assert "XML with entities" in out
    assert "How to fix it: " in out


def test_explain_takes_several_codes_once_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "cb204,", "CB203", "CB204"]) == 0
    heads = [line[:5] for line in capsys.readouterr().out.splitlines() if line.startswith("CB")]
    assert heads == ["CB204", "CB203"]
    assert main(["explain", "CB204", "CB9999"]) == 2
    said = capsys.readouterr()
    assert said.out.startswith("CB204")
    assert "'CB9999' is not a finding code" in said.err


def test_explain_says_which_words_no_finding_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """Two words were said to be no finding code, and no stage."""
    assert main(["explain", "mimic", "zebra"]) == 2
    said = capsys.readouterr().err
    assert "no finding holds all words of 'mimic zebra'; there are some with 'mimic' alone." in said
    assert main(["explain", "CB9998", "CB9999"]) == 2
    assert "'CB9998' is not a finding code" in capsys.readouterr().err


def test_explain_offers_the_nearest_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "CB1031"]) == 2
    assert "CB103" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["check"], ["check", "--no-such-option"], ["no-such-command"]])
def test_a_wrong_call_is_status_2(command: list[str]) -> None:
    assert main(command) == 2


def test_a_missing_file_is_told_and_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "robot.step")]) == 2
    err = capsys.readouterr().err
    assert "CB100" in err
    assert "Traceback" not in err


def test_quadruped_in_json(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The issue's own figures, through the command line."""
    source = corpus / "quadruped_solidworks" / "Assem4.xml"
    main(["check", str(source), "--json"])
    document = json.loads(capsys.readouterr().out)
    counts, mobility = document["counts"], document["mobility"]
    assert document["format"] == "cadbridge.check/1"
    assert counts["instances"] == 10
    assert counts["components"] == 10
    assert counts["mates"] == 16
    assert counts["bodies"] == 8
    assert counts["joint_types"] == {"revolute": 8}
    assert mobility["rows"] == 56
    assert mobility["rank"] == 40
    assert mobility["redundant"] == 16
    assert mobility["dof"] == 8
    assert len(document["redundancies"]) == 8
    assert sum(r["rows"] for r in document["redundancies"]) == 16
    assert all(r["duplicates"] for r in document["redundancies"])


def test_the_help_of_convert_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    from cadbridge.targets import target_names

    assert main(["convert", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in target_names())
