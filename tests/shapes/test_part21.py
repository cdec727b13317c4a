"""Quotes that are not closed are found the same way whether or not the short look can answer."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.shapes import external, part21
from cadbridge.shapes.text21 import Text, decode

PIECES = st.lists(
    st.sampled_from([b"'", b"''", b";\n", b";\r\n", b"#1=A(", b"#2=B()", b"x", b"\n", b"/*'*/"]), max_size=20
)


def told(data: bytes) -> list[str]:
    findings = Findings()
    try:
        part21.check_quotes(data, Path("a.step"), findings)
    except InputError:
        return [str(f.where) for f in findings]
    return []


@given(PIECES)
def test_the_short_look_at_quotes_agrees_with_the_long_one(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    with patch.object(part21, "_all_closed", return_value=False):
        long = told(data)
    assert told(data) == long


def test_a_text_that_is_not_closed_is_found_at_its_line() -> None:
    assert told(b"#1=A('x');\n#2=B('y);\n#3=C();\n#4=D('z');\n")
    assert told(b"#1=A('x');\n#2=B('it''s; here');\n") == []


def test_lists_without_end_are_refused_before_occt_sees_them(tmp_path: Path) -> None:
    """OCCT took 6 GB for 100 MB of brackets, and 3 GB for 90 kB."""
    head, tail = "ISO-10303-21;\nDATA;\n", "ENDSEC;\nEND-ISO-10303-21;\n"
    path, findings = tmp_path / "r.step", Findings()
    deep, text = "#1=A(" + "(" * 40 + ");\n", "#1=A('" + "(" * 40 + "');\n"
    part21.check_nesting((head + text + tail).encode(), path, findings)
    with pytest.raises(InputError, match="32 deep"):
        part21.check_nesting((head + text + deep + tail).encode(), path, findings)
    (finding,) = findings
    assert finding.where is not None
    assert (finding.code, finding.where.line) == ("CB108", 4)


def test_comments_are_read_in_one_pass(tmp_path: Path) -> None:
    """Forty comments before what is no STEP file took for ever, and so did very many that nothing closes."""
    path, findings = tmp_path / "r.step", Findings()
    with pytest.raises(InputError, match="not a STEP file"):
        part21.check_frame(b"/* a */" * 1_000 + b"x", path, findings)
    begin, end = b"/* a */" * 1_000 + b"ISO-10303-21;\nDATA;\n", b"ENDSEC;\nEND-ISO-10303-21;\n"
    whole = begin + b"/* it's */ #1=A('C:/*');\n" + end
    for check in (part21.check_frame, part21.check_comments, part21.check_quotes):
        check(whole, path, findings)
    with pytest.raises(InputError, match="is not closed"):
        part21.check_comments(begin + b"#1=A('/*');\n" + b"/* " * 300_000, path, findings)
    told = [(f.code, f.where.line) for f in findings if f.where is not None]
    assert told == [("CB180", 1), ("CB111", 4)]


LONG = 50_000
HEAD, TAIL = b"ISO-10303-21;\nDATA;\n", b";\nENDSEC;\nEND-ISO-10303-21;\n"


@pytest.mark.parametrize(
    "inner", [b"'" + b"x" * LONG + b"'", b"'" + b"''" * LONG + b"'", b"'|'," * LONG + b"$", b"/**/" * LONG + b"$"]
)
def test_looking_through_a_text_takes_a_few_times_its_size(inner: bytes, tmp_path: Path) -> None:
    """A string of 100 MB took more than 4 GB, as 40 bytes were kept for each of its characters or its parts."""
    data = HEAD + b"#1=DOCUMENT_FILE(" + inner.replace(b"|", b"a") + b")" + TAIL
    numbered = data.replace(b"#1=", b"#1=A((" + b"(" * 40 + b"1E999));\n#1=")
    path = tmp_path / "r.step"
    tracemalloc.start()
    for check in (part21.check_comments, part21.check_numbers, part21.check_quotes):
        check(data, path, Findings())
    for check in (part21.check_sizes, part21.check_nesting):
        with pytest.raises(InputError):
            check(numbered, path, Findings())
    Text(data + b"/*'*/")
    external.references(data.replace(b"DOCUMENT_FILE(", b"OTHER(") + b"#2=DOCUMENT_FILE($);")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * len(data) + 250_000


def test_a_string_of_two_bytes_a_letter_is_read_within_its_size() -> None:
    text = "\\X2\\" + "0041" * LONG + "\\X0\\"
    tracemalloc.start()
    assert decode(text) == "A" * LONG
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8 * len(text)
