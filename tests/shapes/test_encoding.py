"""Names of STEP files in the code pages of older machines: one encoding for all names of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.findings import Findings
from cadbridge.shapes.encoding import encoding_of, in_utf8
from tests.late import cq

NAMES = {
    "cp1252": ["Gehäuse", "Wälzlager 90°", "Führung", "Größe Ø20", "pièce à vis", "Süßöl"],
    "gb18030": ["零件1", "装配体2", "底座", "电机支架-1", "螺钉M3"],
    "cp932": ["部品1", "ベース", "軸受", "取付板"],
    "big5": ["零件1", "馬達支架", "軸承"],
    "cp1251": ["Деталь1", "Корпус", "ВАЛ", "Крышка верхняя"],
    "utf-8": ["Gehäuse", "底座", "Деталь"],
}


@pytest.mark.parametrize("encoding", NAMES)
def test_the_encoding_of_all_names_is_found(encoding: str) -> None:
    assert encoding_of([name.encode(encoding) for name in NAMES[encoding]]) == encoding


def test_names_that_were_cut_within_a_letter_are_of_utf_8_all_the_same() -> None:
    cut = "底座".encode()[:-1]
    assert encoding_of(["Gehäuse".encode(), "底座".encode(), cut]) == "utf-8"
    data = (
        b"#1=PRODUCT('" + "Gehäuse".encode() + b"');#2=PRODUCT('" + "底座".encode() + b"');#3=PRODUCT('" + cut + b"');"
    )
    findings = Findings()
    assert in_utf8(data, Path("a.step"), findings).decode("utf-8").count("底座") == 1
    assert not findings.as_tuple()


@pytest.mark.parametrize("encoding", ["cp1252", "gb18030"])
def test_the_parts_of_a_file_have_their_names_and_it_is_told_once(encoding: str, tmp_path: Path) -> None:
    """Each name was read for itself: one of Latin letters as Chinese, and Chinese as Latin."""
    names = NAMES[encoding][:4]
    made = cq.Assembly(name="made")
    for k in range(len(names)):
        made.add(cq.Workplane().box(10 + k, 10, 10), name=f"part_{k}", loc=cq.Location((30 * k, 0, 0)))
    file = tmp_path / "made.step"
    made.export(str(file))
    data = file.read_bytes()
    for k, name in enumerate(names):
        data = data.replace(f"part_{k}".encode(), name.encode(encoding))
    file.write_bytes(data)
    assembly = cb.read(file)
    assert {i.name for i in assembly.instances} == set(names)
    assert len([f for f in assembly.findings if f.code == "CB549"]) == 1
