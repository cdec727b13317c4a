"""docs/how-to-add.md is followed to the letter: its finding, reader and exporter work as they stand there."""

import json
import re
import sys
import types
from pathlib import Path

import pytest

from cadbridge.catalogue import CATALOGUE
from cadbridge.cli import main
from cadbridge.exporters import result
from cadbridge.readers import registry

PAGE = Path(__file__).resolve().parents[1] / "docs" / "how-to-add.md"
ARM = "lines/1\nshoulder ground upper 0 0 0 0 0 1\nelbow upper fore 0.3 0 0 0 0 1\n"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    """The code blocks of the page: modules by the path in their first line, entries in the tables they name."""
    entries = []
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        head, _, code = block.partition("\n")
        if head == "# in FORMATS":
            entries.append(code)
            continue
        name = head.removeprefix("# ").removesuffix(".py").replace("/", ".")
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(code, head, "exec"), module.__dict__)
        for family in getattr(module, "FAMILIES", ()):
            for entry in family.codes():
                monkeypatch.setitem(CATALOGUE, entry.code, entry)
    reader, exporter = entries
    monkeypatch.setattr(registry, "FORMATS", (*registry.FORMATS, eval(reader.strip(), vars(registry))))
    names = {"dot": sys.modules["cadbridge.exporters.dot"]}
    for key, contents in eval(exporter.strip(), names).items():
        monkeypatch.setitem(result.FORMATS, key, contents)


def test_the_reader_reads(tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM)
    assert main(["check", str(source), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["mobility"]["dof"] == 2
    assert document["counts"]["joint_types"] == {"revolute": 2}


@pytest.mark.parametrize("fault", ["wrist fore hand 0 0 0 0 0 0", "wrist fore", "wrist fore hand 0 0 0 0 nan 1"])
def test_a_fault_is_a_finding_that_names_its_line_and_item(fault: str, tmp_path: Path, capsys: Capture) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM + fault + "\n")
    assert main(["check", str(source), "--json"]) == 2
    (found,) = [f for f in json.loads(capsys.readouterr().out)["findings"] if f["code"] == "CB1950"]
    assert (found["stage"], found["items"], found["where"]) == ("reading", ["wrist"], f"{source}:4")
    assert main(["simulate", str(source), "-o", str(tmp_path / "run.parquet")]) == 2
    assert not (tmp_path / "run.parquet").exists()


def test_the_finding_is_explained(capsys: Capture) -> None:
    assert main(["explain", "CB1950"]) == 0
    assert "a line that cannot be read" in capsys.readouterr().out


def test_the_exporter_writes(tmp_path: Path) -> None:
    source = tmp_path / "arm.lines"
    source.write_text(ARM)
    assert main(["convert", str(source), "--to", "dot", "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "arm.dot").read_text()
    assert '"ground" -- "upper" [label="shoulder"];' in text


def test_every_file_that_the_pages_name_exists() -> None:
    root = PAGE.parents[1]
    for page in (PAGE, root / "docs" / "architecture.md", root / "CONTRIBUTING.md"):
        for name in re.findall(r"`((?:cadbridge|solver|scripts|tests)/[\w/.]*)`", page.read_text("utf-8")):
            assert (root / name).exists(), f"{page.name} names {name}"
