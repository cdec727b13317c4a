"""Every code says what it means and how to mend it."""

import re

import pytest

from cadbridge.catalogue import CATALOGUE
from cadbridge.findings import Findings, Severity, Where


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_entry_is_complete(code: str) -> None:
    entry = CATALOGUE[code]
    assert re.fullmatch(r"CB[1-7]\d{2,3}", code)
    assert len(entry.title) > 5
    assert len(entry.meaning) > 20
    assert entry.cure
    assert len(entry.example) > 5  # `cadbridge explain` shows a case of each
    assert isinstance(entry.severity, Severity)


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
