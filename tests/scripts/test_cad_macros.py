"""What the CAD macros write, by hand-made samples, and that they write nothing which the mates file does not know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.assembly import CouplingKind, MateKind
from cadbridge.findings import Severity
from cadbridge.readers.mates_file.schema import MatesFile
from tests.readers.test_simscape_forms import instance, write

MACROS = Path(__file__).parents[2] / "scripts" / "cad"
SAMPLES = Path(__file__).parent / "cad"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """An assembly without mates, with components named as the samples name them."""
    places = {"Base:1": "0 0 0", "Arm:1": "0 0 0", "Gear:1": "100 0 0", "Rack:1": "0 -200 0"}
    return write(tmp_path, "".join(instance(name, at) for name, at in places.items()))


def test_what_the_inventor_macro_writes_is_read(source: Path) -> None:
    assembly = cb.read(source, SAMPLES / "inventor.mates.yaml")
    assert not assembly.findings
    assert [m.kind for m in assembly.mates] == [
        MateKind.COINCIDENT, MateKind.COINCIDENT, MateKind.INSERT, MateKind.COINCIDENT, MateKind.ANGLE,
        MateKind.PARALLEL, MateKind.TANGENT,
    ]  # fmt: skip
    assert [c.kind for c in assembly.couplings] == [CouplingKind.RATIO, CouplingKind.RACK_PINION]
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.severity is Severity.ERROR or f.code == "CB207"]
    # Three hinges and slides, two of them coupled to the first.
    assert cb.diagnose(mechanism).mobility.dof == 2


def test_what_the_solidworks_macro_writes_is_read(source: Path) -> None:
    assembly = cb.read(source, SAMPLES / "solidworks.mates.yaml")
    assert not assembly.findings
    assert len(assembly.mates) == 7
    assert [c.kind for c in assembly.couplings] == [CouplingKind.SPUR, CouplingKind.RACK_PINION]
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.severity is Severity.ERROR or f.code == "CB207"]
    assert cb.diagnose(mechanism).mobility.dof == 2


@pytest.mark.parametrize("macro", ["inventor_mates.bas", "solidworks_mates.bas"])
def test_a_macro_writes_only_what_the_mates_file_knows(macro: str) -> None:
    text = (MACROS / macro).read_text()
    kinds = set(re.findall(r"type: (\w+)", text))
    assert len(kinds) > 5
    known = {str(kind) for kind in MateKind} | {str(kind) for kind in CouplingKind}
    assert kinds <= known
    sections = set(re.findall(r'Print #file, "(\w+):', text))
    assert sections <= set(MatesFile.model_fields)
    keys = set(re.findall(r'", (\w+): "', text)) | set(re.findall(r"\{component|point|radius|axis|normal", text))
    schema = str(MatesFile.model_json_schema())
    assert all(key.strip("{") in schema for key in keys)
