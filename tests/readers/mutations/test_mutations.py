"""Broken files of every format end in findings: none in a traceback, a hang, silence, or a file outside."""

from __future__ import annotations

import functools
import shutil
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cadbridge as cb
from cadbridge.errors import CadbridgeError
from cadbridge.exporters import export
from tests.readers.mutations.anchors import ANCHORS
from tests.readers.mutations.common import COMMON, SAME
from tests.readers.mutations.hostile import HOSTILE
from tests.readers.same_mechanism.formats import FORMATS

MEMBER = "Document.xml"

BASES = {"mates file": "step with mates", "our json": "simscape joints"}
"""Of what is no format of same_mechanism, the one that it is made of."""


@functools.cache
def sample(name: str) -> Path:
    """The folder of a format's sample, written once; its source is the only file in `source`."""
    folder = Path(tempfile.mkdtemp())
    source = FORMATS[BASES.get(name, name)].write(folder)
    if name == "our json":
        source = export(cb.build(cb.read(source)), folder / "out", "json").files[0]
    (folder / "source").write_text(str(source.relative_to(folder)))
    return folder


def changed_file(name: str, folder: Path) -> Path:
    """The file that is changed in a copy of the sample."""
    source = folder / (sample(name) / "source").read_text()
    return source.with_name(source.stem + ".mates.yaml") if name == "mates file" else source


def text_of(path: Path) -> str:
    if path.suffix != ".FCStd":
        return path.read_text("utf-8")
    with zipfile.ZipFile(path) as archive:
        return archive.read(MEMBER).decode("utf-8")


def put_text(path: Path, text: str) -> None:
    """A text in UTF-8, but for the bytes of another encoding that stand in it as lone surrogates."""
    data = text.encode("utf-8", "surrogateescape")
    if path.suffix != ".FCStd":
        path.write_bytes(data)
        return
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members | {MEMBER: data}).items():
            archive.writestr(name, content)


def codes_of(source: Path) -> Counter[str]:
    """The codes that reading, building and diagnosing tell."""
    try:
        assembly = cb.read(source)
        mechanism = cb.build(assembly)
        cb.diagnose(mechanism)
        findings = (*assembly.findings, *mechanism.findings)
    except CadbridgeError as error:
        findings = tuple(error.findings)
    return Counter(f.code for f in findings)


@functools.cache
def codes_unchanged(name: str) -> Counter[str]:
    return codes_of(sample(name) / (sample(name) / "source").read_text())


OWN_PROCESS = ("usd", "xacro")
"""Formats that a process is started to read: a case costs 0.5 and 0.3 s, where others cost 0.05."""


EVER = {
    ("ap214", "a point of a list"),
    ("freecad", "a body less"),
    ("ondsel", "a body twice"),
    ("ondsel", "a file after itself"),
    ("ondsel", "a point of nothing"),
    ("our json", "a body twice"),
}
"""Changes that reach branches of the code that no other case of a day reached, measured by coverage.py."""


def by_day(name: str, change: str) -> bool:
    place = list(ANCHORS).index(name) + list(COMMON).index(change)
    return place % (18 if name in OWN_PROCESS else 9) == 0 or (name, change) in EVER


def each_change() -> list[Any]:
    """Every change of every format; those of a day are a ninth of each format's and of each change's, by a square.

    Of formats with a process of their own they are an eighteenth.
    """
    return [
        pytest.param(name, change, marks=() if by_day(name, change) else pytest.mark.nightly)
        for name in ANCHORS
        for change in COMMON
        if set(COMMON[change].needs) <= set(ANCHORS[name])
    ]


@pytest.mark.parametrize(("name", "change"), each_change())
def test_a_broken_file_ends_in_findings(name: str, change: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    shutil.copytree(sample(name), folder)
    path = changed_file(name, folder)
    text = COMMON[change](text_of(path), ANCHORS[name])
    put_text(path, text)
    before = sorted(tmp_path.rglob("*"))
    told = codes_of(folder / (sample(name) / "source").read_text())
    assert bool(told - codes_unchanged(name)) is ((name, change) not in SAME), told
    assert sorted(tmp_path.rglob("*")) == before


STEP = ("ap214", "ap242", "step with mates")
"""Files of one reader, each hostile in the same ways: a day has a third of each, and each way once."""


def each_hostile() -> list[Any]:
    """Every hostile file; at night those too that are as hostile to a STEP file of another schema.

    Of formats with a process of their own a day has every second.
    """
    common = list(HOSTILE["step with mates"])
    return [
        pytest.param(name, case, marks=pytest.mark.nightly if again else ())
        for name, cases in HOSTILE.items()
        for k, case in enumerate(cases)
        for again in [
            (name in STEP and case in common and common.index(case) % len(STEP) != STEP.index(name))
            or (name in OWN_PROCESS and k % 2 == 1)
        ]
    ]


@pytest.mark.parametrize(("name", "case"), each_hostile())
def test_a_hostile_file_does_no_harm(name: str, case: str, tmp_path: Path) -> None:
    make, code = HOSTILE[name][case]
    folder = tmp_path / "in"
    shutil.copytree(sample(name), folder)
    path = changed_file(name, folder)
    content = make(text_of(path))
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = sorted(tmp_path.rglob("*"))
    told = codes_of(folder / (sample(name) / "source").read_text())
    assert not code or any(c.startswith(code) for c in told - codes_unchanged(name)), told
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ANCHORS)
def test_every_format_is_broken_in_many_ways(name: str) -> None:
    """At least 25 different texts besides those that say what the file said before."""
    text = text_of(changed_file(name, sample(name)))
    made = {
        case: change(text, ANCHORS[name])
        for case, change in COMMON.items()
        if (name, case) not in SAME and set(change.needs) <= set(ANCHORS[name])
    }
    hostile = {make(text) for make, _ in HOSTILE[name].values()}
    assert len(({*made.values(), *hostile}) - {text}) >= 25
