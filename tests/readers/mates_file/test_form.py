"""The form of the file: YAML, keys, types, limits; each fault with line and column, all at once."""

import json
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from cadbridge import budget
from cadbridge.readers.mates_file import document, load_document, positions, schema

HEAD = "format: cadbridge.mates/1\n"
MATES = HEAD + "mates:\n  - "
MATE = "{name: M, type: flush, a: {component: Base, face: top}, b: {component: Link1, face: top}}"


def faults(tmp_path: Path, text: str | bytes) -> list[tuple[str, int | None, int | None, str]]:
    path = tmp_path / "x.mates.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = load_document(path).findings
    return [(f.code, f.where.line, f.where.column, f.message) for f in found]


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "says"),
    [
        ("a: [1\n", "CB140", 2, 1, "not YAML"),
        (b"a: \x00", "CB140", None, None, "control characters"),
        (b"\xff\xfe\xfa\x00\xd8", "CB140", None, None, "not YAML"),
        (HEAD + "ground: [!!python/object:os.system x]\n", "CB140", 2, 10, "tag"),
        (HEAD + "---\na: 1\n", "CB140", 2, 1, "second document"),
        (HEAD + "home: *nobody\n", "CB140", 2, 7, "no anchor"),
        ("mates: []\n", "CB141", 1, 1, "is missing"),
        ("format: cadbridge.mates/9\n", "CB141", 1, 9, "cadbridge.mates/9"),
        ("[1, 2]\n", "CB141", 1, 1, "mapping"),
        ("", "CB141", 1, 1, "mapping"),
        (HEAD + "home: &h {A: *h}\n", "CB142", 2, 14, "contains itself"),
        ("[" * 900, "CB142", 1, positions.DEEPEST_YAML + 1, "nested deeper"),
        (HEAD + "home: {A: 1, A: 2}\n", "CB143", 2, 14, "first at 2:8"),
        (HEAD + "home: {1: 2}\n", "CB143", 2, 8, "quotes"),
        (HEAD + "home: {? [1, 2] : 2}\n", "CB143", 2, 10, "a list"),
        (HEAD + "ground: [Base]\ngrond: [x]\n", "CB144", 3, 1, "did you mean ground"),
        (MATES + f"{MATE[:-1]}, ofset: 3}}\n", "CB144", 3, 95, "did you mean offset"),
        (MATES + f"{MATE.replace('flush', 'fulsh')}\n", "CB145", 3, 5, "did you mean flush"),
        (MATES + f"{MATE.replace('face: top', 'point: [.nan, 0, 0]', 1)}\n", "CB145", 3, 57, "finite"),
        (MATES + f"{MATE.replace('face: top', 'point: [0, 1]', 1)}\n", "CB145", 3, 56, "at least 3"),
        (MATES + f"{MATE[:-1]}, offset: '3'}}\n", "CB145", 3, 103, "must be a number, not '3'"),
        (MATES + f"{MATE.replace('name: M', 'name: 7')}\n", "CB145", 3, 12, "quotes"),
        (HEAD + "units: {length: furlong}\n", "CB145", 2, 17, "one of"),
        (HEAD + "mates: 3\n", "CB145", 2, 8, "list"),
        (HEAD + "joints: {A: {mates: [x], limits: {lower: 2, upper: 1}}}\n", "CB145", 2, 34, "above the upper"),
    ],
)  # fmt: skip
def test_a_fault_of_form_has_its_place(
    tmp_path: Path, text: str | bytes, code: str, line: int | None, column: int | None, says: str
) -> None:
    (fault,) = faults(tmp_path, text)
    assert fault[:3] == (code, line, column)
    assert says in fault[3]


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 100_000, "- " * 100_000, "a: " + "[" * 2_000])
def test_what_is_nested_beyond_what_the_parser_takes_is_told_as_nested(tmp_path: Path, text: str) -> None:
    """LibYAML from 0.2.6 on has a limit of its own, which it may tell at another place than where ours is passed."""
    (fault,) = faults(tmp_path, text)
    assert fault[:2] == ("CB142", 1)


def test_a_billion_laughs_is_refused_by_what_it_would_grow_to(tmp_path: Path) -> None:
    names = "abcdefghij"
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in pairwise(names)]
    (fault,) = faults(tmp_path, HEAD + "\n".join(lines))
    assert fault[0] == "CB142"
    assert "2,000,000 values" in fault[3]
    assert "--allow-larger" in fault[3]


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "x.mates.yaml"
    with path.open("wb") as stream:
        stream.truncate(budget.allowed("YAML bytes") + 1)
    assert [f.code for f in load_document(path).findings] == ["CB108"]


def test_all_faults_are_told_at_once_and_the_rest_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "x.mates.yaml"
    good = MATE.replace("name: M", "name: Good")
    path.write_text(
        HEAD
        + f"mates:\n  - {MATE[:-1]}, ofset: 3}}\n  - {good}\n"
        + "  - {type: nothing}\nhome: {A: x, B: 2}\nrubbish: 1\n"
    )
    done = load_document(path)
    assert [(f.code, f.where.line) for f in done.findings] == [
        ("CB144", 3),
        ("CB145", 5),
        ("CB145", 6),
        ("CB144", 7),
    ]
    assert done.spec is not None
    assert [m.name for m in done.spec.mates] == ["Good"]
    assert done.where("mates", 0).line == 4
    assert done.spec.home == {"B": 2}
    assert done.given == 3


def test_thousands_of_faults_are_counted_not_printed(tmp_path: Path) -> None:
    found = faults(tmp_path, HEAD + "mates:\n" + "  - {type: fush}\n" * 3000)
    assert len(found) == document.MAX_REPORTED + 1
    assert found[-1][3] == f"{3000 - document.MAX_REPORTED} more faults of the form"


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e-3", 1e-3), ("-12", -12), (".5", 0.5), ("12:30", "12:30"), ("on", "on"), ("true", True), ("~", None),
     ("0x10", "0x10"), ("1_000", "1_000"), ("9" * 5000, float("inf"))],
)  # fmt: skip
def test_plain_scalars_follow_yaml_1_2(text: str, value: Any) -> None:
    assert positions.scalar(text) == value
    assert type(positions.scalar(text)) is type(value)


def published() -> dict[str, Any]:
    text = files("cadbridge").joinpath("data/schemas/mates-1.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def test_the_published_schema_is_current_and_valid() -> None:
    text = files("cadbridge").joinpath("data/schemas/mates-1.json").read_text(encoding="utf-8")
    assert text == schema.MatesFile.schema_text(schema.FORMAT)
    jsonschema.Draft202012Validator.check_schema(published())


def test_the_published_schema_takes_a_good_file_and_refuses_a_bad_one() -> None:
    check = jsonschema.Draft202012Validator(published())
    good = yaml.safe_load(HEAD + f"ground: [Base]\nmates: [{MATE}]\n")
    assert list(check.iter_errors(good)) == []
    assert list(check.iter_errors({**good, "grond": []}))
    assert list(check.iter_errors({**good, "mates": [{"type": "fulsh"}]}))


@pytest.mark.parametrize("section", [name for name in schema.MatesFile.model_fields if name != "format"])
def test_a_section_with_nothing_below_its_key_is_empty(tmp_path: Path, section: str) -> None:
    path = tmp_path / "x.mates.yaml"
    path.write_text(f"{HEAD}{section}:\nhome: {{A: 1}}\n" if section != "home" else f"{HEAD}home:\n", encoding="utf-8")
    found = load_document(path)
    assert list(found.findings) == []
    assert found.spec is not None
    default = schema.MatesFile.model_validate({"format": "cadbridge.mates/1"})
    assert getattr(found.spec, section) == getattr(default, section)


def test_an_empty_key_that_is_no_section_is_told(tmp_path: Path) -> None:
    ((code, line, column, _),) = faults(tmp_path, HEAD + "geers:\n")
    assert (code, line, column) == ("CB144", 2, 1)
