"""Every code says what it means and how to mend it."""

import re
import subprocess
import sys

import pytest

from cadbridge.catalogue import CATALOGUE, FORMER
from cadbridge.cli import main
from cadbridge.cli.choosing import chooser
from cadbridge.findings import Findings, Severity, Where


def lacks(code: str) -> list[str]:
    """What an entry of the catalogue does not say; `cadbridge explain` shows a case of each."""
    entry = CATALOGUE[code]
    asked = {
        "a code": bool(re.fullmatch(r"CB[1-7]\d{2,3}", code)),
        "a title": len(entry.title) > 5,
        "a meaning": len(entry.meaning) > 20,
        "a cure": bool(entry.cure),
        "an example": len(entry.example) > 5,
        "a severity": isinstance(entry.severity, Severity),
    }
    return [what for what, said in asked.items() if not said]


def test_every_entry_is_complete() -> None:
    assert {code: missing for code in CATALOGUE if (missing := lacks(code))} == {}


def test_one_fault_has_one_code() -> None:
    """A format that can have a fault of all formats takes their code; its name stands in the place."""
    titles = [code.title for code in CATALOGUE.values()]
    assert [title for title in titles if titles.count(title) > 1] == []


def test_codes_of_earlier_versions_are_still_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(FORMER) == sum(len(code.formerly) for code in CATALOGUE.values())
    assert not FORMER.keys() & CATALOGUE.keys()
    assert main(["explain", "CB1407"]) == 0
    assert "CB193 (warning, reading): geometry without a shape" in capsys.readouterr().out
    findings = Findings()
    findings.add("CB193", "a plane")
    assert chooser(None, ["CB1407"])(findings) == ()


def test_an_unknown_code_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        Findings().add("CB999", "no such thing")


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (Where(), ""),
        (Where(item="Insert:7"), "Insert:7"),
        (Where(file="a.yaml"), "a.yaml"),
        (Where(file="a.yaml", line=3), "a.yaml:3"),
        (Where(file="a.yaml", line=3, column=5, item="Insert:7"), "a.yaml:3:5 (Insert:7)"),
    ],
)
def test_a_place_reads_like_a_compilers(where: Where, text: str) -> None:
    assert str(where) == text


def test_the_text_of_the_codes_is_loaded_with_the_first_finding() -> None:
    code = (
        "import sys, cadbridge.cli.app, cadbridge.findings as f\n"
        "def told(): return sum(m.startswith('cadbridge.catalogue.') for m in sys.modules)\n"
        "assert told() == 1, 'the severities alone'\n"
        "f.Findings().add('CB204', 'a mate')\n"
        "assert told() > 20\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
