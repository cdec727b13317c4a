"""A code is a name: no program takes anything from its letters or digits, or from the words of a message."""

import ast
import re
from collections.abc import Collection
from pathlib import Path

import pytest

import cadbridge
from cadbridge.catalogue import CATALOGUE, FAMILIES, FORMER, Severity, Stage

ROOT = Path(cadbridge.__file__).parent
SOURCES = sorted(p for p in ROOT.rglob("*.py") if "data" not in p.relative_to(ROOT).parts)
WORTH_A_LOOK = re.compile(r"""["']CB\d*["']|\b(?:code|message)\b[\s)]*[.\[]""")
"""What stands in a source with such a part: to read the syntax of all of them takes five times as long."""
TAKING_APART = {"startswith", "endswith", "removeprefix", "removesuffix", "split", "rsplit", "partition", "replace"}


def parts_of_names(source: str, former: Collection[str] = ()) -> list[str]:
    """Lines where a piece of a code stands as text, or where a code or a message is taken apart; `former` codes may."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)) if WORTH_A_LOOK.search(source) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"CB\d*", node.value):
            if node.value not in CATALOGUE and node.value not in former:
                found.append(f"line {node.lineno}: {node.value!r} is not a code of the catalogue")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKING_APART:
            if _of_a_finding(node.func.value):
                found.append(f"line {node.lineno}: .{node.func.attr}() on a code or a message")
        elif isinstance(node, ast.Subscript) and _of_a_finding(node.value):
            found.append(f"line {node.lineno}: an index into a code or a message")
    return found


def _of_a_finding(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("code", "message")


@pytest.mark.parametrize(
    "faulty",
    [
        'f.code.startswith("CB1")',
        'READING = ("CB1", "CB78")',
        "finding.code[:3]",
        "words = finding.message.split()",
        'if code in ("CB999",): pass',
    ],
)
def test_the_rule_finds_what_it_forbids(faulty: str) -> None:
    assert parts_of_names(faulty)


def test_nothing_decides_by_a_piece_of_a_code_or_a_message() -> None:
    faults = {
        path.relative_to(ROOT).as_posix(): parts_of_names(
            path.read_text("utf-8"), FORMER if path.parent.name == "catalogue" else ()
        )
        for path in SOURCES
    }
    assert {path: found for path, found in faults.items() if found} == {}


def test_a_word_of_select_has_one_meaning() -> None:
    """Where a family has a stage's name, all its codes are of that stage: the word is the stage."""
    assert len({f.name for f in FAMILIES}) == len(FAMILIES)
    for family in FAMILIES:
        assert family.name.upper() not in CATALOGUE
        if family.name in set(Stage):
            assert {code.stage.value for code in family.codes()} == {family.name}


def test_every_stage_has_codes_and_what_leaves_something_out_is_an_error() -> None:
    assert {code.stage for code in CATALOGUE.values()} == set(Stage)
    assert {code.severity for code in CATALOGUE.values() if code.leaves_out} == {Severity.ERROR}
    reading = {c.code for c in CATALOGUE.values() if c.stage is Stage.READING and c.severity is Severity.ERROR}
    assert all(CATALOGUE[code].leaves_out for code in reading)
    assert not CATALOGUE["CB207"].leaves_out  # the mate is held, though the placements do not fulfil it
