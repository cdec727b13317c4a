"""OCCT opens no file that a STEP file names but those of its folder, however the name is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.findings import Findings
from cadbridge.reading import read
from cadbridge.shapes.external import Copies, references
from tests.readers.test_step import block
from tests.readers.test_step_beside_occt import external
from tests.shapes.solids import write_part

PATH = "/elsewhere/part.txt"
WIDE = PATH.encode("utf-16-be").hex().upper()
FILE = "#62=DOCUMENT_FILE('{}','',$,#63,'',$);\n"

SPELLINGS = {
    "another ending": FILE.format(PATH),
    "a device": FILE.format("/dev/zero"),
    "its second string": f"#62=DOCUMENT_FILE('','{PATH}',$,#63,'',$);",
    "a comment before the name": f"#62=DOCUMENT_FILE(/*'*/'{PATH}','',$,#63,'',$);",
    "a comment before the parenthesis": f"#62=DOCUMENT_FILE/*(*/('{PATH}','',$,#63,'',$);",
    "blanks": f"#62 = DOCUMENT_FILE \n(\n '{PATH}'\n,'',$,#63,'',$);",
    "the short name": f"#62=DCMFL('{PATH}','',$,#63,'',$);",
    "a document of AP203": f"#62=DOCUMENT('','{PATH}',$,#63);",
    "its short name": f"#62=DCMNT('','{PATH}',$,#63);",
    "the identification": f"#64=APPLIED_EXTERNAL_IDENTIFICATION_ASSIGNMENT('{PATH}',#65,#66,(#62));",
    "its short name too": f"#64=AEIA('{PATH}',#65,#66,(#62));",
    "the source": f"#66=EXTERNAL_SOURCE(IDENTIFIER('{PATH}'));",
    "the source by its short name": f"#66=EXTSRC(MESSAGE('{PATH}'));",
    "escapes": f"#62=DOCUMENT_FILE('\\X2\\{WIDE}\\X0\\','',$,#63,'',$);",
    "a line's end within": f"#62=DOCUMENT_FILE('{PATH[:5]}\n{PATH[5:]}','',$,#63,'',$);",
    "a quote that OCCT does not count": "#1=FOO('a'');\n" + FILE.format(PATH) + "#2=FOO('a'');",
    "a quote in a comment": "/* ' */" + FILE.format(PATH) + "/* ' */",
    "a quote before a quotation mark": "#1=FOO('a'\");\n" + FILE.format(PATH) + "#2=FOO('a'\");",
    "a complex instance": f"#62=(CHARACTERIZED_OBJECT('','')DOCUMENT('{PATH}','',$,#63)DOCUMENT_FILE());",
    "backslashes": FILE.format(PATH.replace("/", "\\")),
    "Windows": FILE.format("C:\\elsewhere\\part.stp"),
    "a name above": FILE.format("../part.txt"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_string_that_occt_could_take_for_a_file_reaches_it(spelling: str, tmp_path: Path) -> None:
    text = f"ISO-10303-21;\nDATA;\n{SPELLINGS[spelling]}\nENDSEC;\nEND-ISO-10303-21;\n".encode()
    assert references(text)
    source, folder = tmp_path / "in" / "m.stp", tmp_path / "copy"
    folder.mkdir()
    source.parent.mkdir()
    (tmp_path / "part.txt").write_bytes(b"ISO-10303-21;")
    copy = Copies(source, folder, Findings(), Path.read_bytes).write(text)
    assert references(copy.read_bytes()) == []
    assert b"part" not in copy.read_bytes()
    assert copy.read_bytes().count(b"\n") == text.count(b"\n")
    assert list(folder.iterdir()) == [copy]


@pytest.mark.parametrize("name", ["part.txt", "part", "pärt.stp", "part's.stp"])
def test_a_part_of_the_folder_is_read_whatever_its_name(name: str, tmp_path: Path) -> None:
    external(tmp_path / "main.stp", "part_name")
    text = (tmp_path / "main.stp").read_text()
    escaped = "".join(c if c.isascii() else f"\\X2\\{ord(c):04X}\\X0\\" for c in name).replace("'", "''")
    (tmp_path / "main.stp").write_text(text.replace("'part_name'", f"'{escaped}'"))
    write_part(tmp_path / "part.step", block())
    (tmp_path / "part.step").rename(tmp_path / name)
    (part,) = read(tmp_path / "main.stp").parts
    assert part.shape is not None
    assert part.shape.brep is not None
    assert part.shape.brep.mass == pytest.approx(6e-6)


def test_a_part_above_is_not_read_and_told(tmp_path: Path) -> None:
    write_part(tmp_path / "part.step", block())
    (tmp_path / "part.step").rename(tmp_path / "part.txt")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "part.txt")
    for name in (str(tmp_path / "part.txt"), "../part.txt", "link.txt"):
        external(tmp_path / "in" / "main.stp", name)
        assembly = read(tmp_path / "in" / "main.stp")
        assert "CB102" in [f.code for f in assembly.findings]
        assert all(part.shape is None for part in assembly.parts)
