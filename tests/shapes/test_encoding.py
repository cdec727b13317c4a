"""Names of STEP files in the code pages of older machines: one encoding for all names of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.shapes.encoding import in_utf8, reading_of
from tests.late import cq

NAMES = {
    "cp1252": ["Gehäuse", "Wälzlager 90°", "Führung", "Größe Ø20", "pièce à vis", "Süßöl"],
    "cp1252 of France": ["Écrou", "bride d'entrée", "crémaillère", "mâchoire", "arbre cannelé"],
    "cp1252 of Spain": ["Máquina", "eje de transmisión", "piñón", "¿tapón?", "cojinete número 2"],
    "cp1252 of Denmark": ["Aksel højre", "Bøjle", "Låg", "Fjærholder"],
    "cp1250 of Poland": ["Wał", "Łożysko", "koło zębate", "dźwignia"],
    "cp1250 of Bohemia": ["Hřídel", "ložisko", "převodovka", "víčko", "pouzdro přední"],
    "cp1250 of Hungary": ["fogaskerék", "Csapágy", "vezetőhüvely", "hűtőborda"],
    "iso8859-2": ["Wał", "Śruba", "koło zębate", "część lewa", "ślimak"],
    "cp1254": ["Dişli", "Kapağı üst", "yatağı", "sağ gövde", "Ağırlık"],
    "cp1253": ["Άξονας", "ρουλεμάν", "Βίδα", "Γρανάζι"],
    "iso8859-7": ["Άξονας", "ρουλεμάν", "Βίδα", "Γρανάζι"],
    "gb18030": ["零件1", "装配体2", "底座", "电机支架-1", "螺钉M3"],
    "cp932": ["部品1", "ベース", "軸受", "取付板"],
    "cp932 of half-width kana": ["ﾍﾞｰｽ", "ﾓｰﾀ取付板", "ﾎﾞﾙﾄM6", "ｼｬﾌﾄ"],
    "euc_jp": ["部品1", "ベース", "軸受", "取付板"],
    "big5": ["零件1", "馬達支架", "軸承"],
    "cp949": ["부품1", "하우징", "베어링", "볼트M6"],
    "cp1251": ["Деталь1", "Корпус", "ВАЛ", "Крышка верхняя"],
    "koi8-r": ["Деталь1", "Корпус", "Шестерня", "Крышка верхняя"],
    "utf-8": ["Gehäuse", "底座", "Деталь"],
}
NOT_CERTAIN = [
    ("cp1252", "Windows-1252", "Lås"),
    ("cp1250", "Windows-1250", "řemenice"),
    ("cp1253", "Windows-1253", "ΒΑΣΗ"),
    ("cp932", "Shift JIS", "ｶﾑ"),
    ("gb18030", "GBK", "键"),
]


@pytest.mark.parametrize("made", NAMES)
def test_the_encoding_of_all_names_is_found(made: str) -> None:
    encoding = made.split(" ")[0]
    strings = [name.encode(encoding) for name in NAMES[made]]
    read = reading_of(strings)
    assert [s.decode(read.encoding) for s in strings] == NAMES[made]
    assert read.others == ()


@pytest.mark.parametrize(("encoding", "called", "name"), NOT_CERTAIN)
def test_where_the_encoding_is_not_certain_the_right_one_is_taken_or_named(
    encoding: str, called: str, name: str
) -> None:
    read = reading_of([name.encode(encoding)])
    assert read.others
    assert called in " ".join((read.called, *read.others))


def test_an_encoding_that_is_not_certain_is_told_with_the_others() -> None:
    findings = Findings()
    in_utf8(b"#1=PRODUCT('" + "Skærm".encode("cp1252") + b"');", Path("a.step"), findings)
    (finding,) = findings
    assert (finding.code, finding.severity.value) == ("CB548", "warning")
    assert finding.message.endswith(
        "read as Latin letters (Windows-1252), and may be Croatian or Slovene (Windows-1250)"
    )


def test_names_that_were_cut_within_a_letter_are_of_utf_8_all_the_same() -> None:
    cut = "底座".encode()[:-1]
    assert reading_of(["Gehäuse".encode(), "底座".encode(), cut]).encoding == "utf-8"
    data = (
        b"#1=PRODUCT('" + "Gehäuse".encode() + b"');#2=PRODUCT('" + "底座".encode() + b"');#3=PRODUCT('" + cut + b"');"
    )
    findings = Findings()
    assert in_utf8(data, Path("a.step"), findings).decode("utf-8").count("底座") == 1
    assert not findings.as_tuple()


def test_words_in_utf_8_beside_names_in_a_code_page_stay_both() -> None:
    """SolidWorks writes its own words so, some of them cut: all names were taken for UTF-8, and lost."""
    own, name = "未".encode(), "I型架.STEP"
    data = b"#1=PERSON('" + own + b"','" + own + b"');#2=FILE('" + name.encode("gbk") + b"');#3=X('" + own[:2] + b"');"
    findings = Findings()
    text = in_utf8(data, Path("a.step"), findings).decode("utf-8")
    assert (text.count("未"), text.count("I型架.STEP")) == (2, 1)
    assert [f.code for f in findings] in (["CB549"], ["CB548"])


@pytest.mark.parametrize("name", ["Ø4.2 (4.2) Diameter Hole2", "Фаска3", "Скругление5", "默认"])
def test_words_of_other_programs_are_read_for_sure(name: str) -> None:
    encoding = {"Ø": "cp1252", "Ф": "cp1251", "С": "cp1251"}.get(name[0], "gb18030")
    read = reading_of([name.encode(encoding)])
    assert (name.encode(encoding).decode(read.encoding), read.others) == (name, ())


@pytest.mark.parametrize(("encoding", "cut"), [("cp949", "베어링"), ("gb18030", "电机支架"), ("cp932", "取付板")])
def test_a_name_cut_within_a_letter_does_not_rule_out_its_encoding(encoding: str, cut: str) -> None:
    strings = [name.encode(encoding) for name in NAMES[encoding]] + [cut.encode(encoding)[:-1]]
    assert reading_of(strings).encoding == encoding


def test_of_bytes_that_are_no_step_file_no_encoding_is_told(tmp_path: Path) -> None:
    file = tmp_path / "picture.step"
    file.write_bytes(b"\x89PNG'\xe4\xf6'\x00\xff")
    with pytest.raises(InputError) as refused:
        cb.read(file)
    assert not {"CB548", "CB549"} & {f.code for f in refused.value.findings}


@pytest.mark.parametrize("encoding", ["cp1252", "gb18030", "cp949", "cp1253"])
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


def test_names_in_utf8_beside_those_of_a_code_page_of_single_bytes_are_read(tmp_path: Path) -> None:
    names = [("dźwignia", "cp1250"), ("Łożysko", "cp1250"), ("koło zębate", "cp1250"), ("Płyta", "utf-8")]
    strings = [b"'" + name.encode(encoding) + b"'" for name, encoding in names]
    findings = Findings()
    text = in_utf8(b"PRODUCT(" + b",".join(strings) + b")", tmp_path / "made.step", findings).decode()
    assert [f.code for f in findings] == ["CB549"]
    assert text == "PRODUCT('dźwignia','Łożysko','koło zębate','Płyta')"


@pytest.mark.parametrize("name", ["Nakrętka", "Łożysko kulkowe", "d’entrée", "Wał M6’a"])
def test_letters_that_make_no_words_are_told(tmp_path: Path, name: str) -> None:
    """The old code page of DOS, which is none that is known; an apostrophe is no sign within a word."""
    dos = "’" not in name
    findings = Findings()
    string = f"PRODUCT('{name}','{name} 2','pokrywa górna','crémaillère')"
    in_utf8(string.encode("cp852" if dos else "cp1252", "replace"), tmp_path / "made.step", findings)
    (found,) = findings
    assert found.code == "CB548" if dos else "are no words" not in found.message
