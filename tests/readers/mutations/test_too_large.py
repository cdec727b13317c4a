"""A number that is finite and larger than any of a machine is told as that, with the bound, whatever holds it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.errors import CadbridgeError
from tests.readers.mutations.anchors import ANCHORS
from tests.readers.mutations.common import put
from tests.readers.mutations.test_mutations import changed_file, put_text, sample, text_of

CHANGED = [
    (name, what, value)
    for name in ("simscape joints", "fusion", "sw2robot", "chrono", "ap242", "freecad", "ondsel", "urdf", "sdf", "mjcf")
    for what, value in (("place", "1.0E300"), ("mass", "1e300"), ("mass", "1e20"))
    if what in ANCHORS[name]
]


@pytest.mark.parametrize(("name", "what", "value"), CHANGED)
def test_a_number_beyond_machines_is_told_with_the_bound(name: str, what: str, value: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    shutil.copytree(sample(name), folder)
    path = changed_file(name, folder)
    put_text(path, put(what, value)(text_of(path), ANCHORS[name]))
    try:
        findings = cb.read(folder / (sample(name) / "source").read_text()).findings
    except CadbridgeError as error:
        findings = tuple(error.findings)
    told = [f.message for f in findings if re.search(r"(below|from 0 to) 1e\+\d\d", f.message)]
    assert told, findings
    assert not any("not finite" in f.message for f in findings)
