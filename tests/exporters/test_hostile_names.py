"""Names that a stranger chose, in every export: whole files, none outside of the folder, and no markup in notebooks."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from lxml import etree

from cadbridge.assembly import GROUND, MateKind
from cadbridge.diagnosis import diagnose
from cadbridge.exporters import export
from cadbridge.exporters.options import ExportOptions
from cadbridge.geometry import Shape
from cadbridge.mechanism import Mechanism, build
from cadbridge.targets import target_names
from tests.exporters.models import box
from tests.mechanism.building import PART, assembly, mate

NAMES = [
    "\x00", "a\x1b[2Jb", "\r\n", "\x85", "\ufeff", "\u202egnp.exe", "\udcff", "../../escaped", "/abs/name", "..", ".",
    "C:\\x", "CON", "nul.txt", "world", "base_link", "mujoco", "None", "class", "x" * 10_000, "", " ", "Same", "same",
    "SAME", "<script>alert(1)</script>", "\"/><link name='x", "]]>", "-->", "*/ #include </etc/passwd> /*", "${open}",
    "$(env HOME)", "{{x}}", "'); import os #", '""" + exec("1") + """', "%s%n", "a: b", "- x", "!!python/name:os", "#x",
    "@/etc/passwd@", "</Foo", "名前", "e\u0301", "é", "true", "1e5",
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile() -> Mechanism:
    """A body on a hinge for each name: parts, components, mates, joints and the whole have it too."""
    places = {name: (0.1 * k, 0.0, 0.0) for k, name in enumerate(NAMES)}
    mates = [mate(places, name, MateKind.REVOLUTE, GROUND, name, p, (0, 0, 1)) for name, p in places.items()]
    made = assembly(places, mates)
    shape = Shape("box", box((0.01, 0.02, 0.03)), box((0.01, 0.02, 0.03)))
    parts = tuple(replace(PART, name=name, shape=shape) for name in NAMES)
    instances = tuple(replace(i, part=i.name) for i in made.instances)
    return build(replace(made, name=NAMES[0] + "../" + NAMES[25], parts=parts, instances=instances))


def _parsed(path: Path) -> None:
    """Read a file by its own reader; an error where it is none."""
    data = path.read_bytes()
    if path.suffix in (".urdf", ".xml", ".sdf", ".xacro", ".srdf", ".html"):
        assert b"<!DOCTYPE" not in data
        etree.fromstring(data)
    elif path.suffix == ".json":
        json.loads(data)
    elif path.suffix == ".yaml":
        yaml.safe_load(data)
    elif path.suffix == ".py":
        ast.parse(data)


# "step-ap242" changes the STEP file that a model came from.
@pytest.mark.parametrize("to", sorted({*target_names()} - {"step-ap242"}))
def test_every_export_is_whole_and_within_its_folder(to: str, hostile: Mechanism, tmp_path: Path) -> None:
    made = export(hostile, tmp_path / "made", to, options=ExportOptions(poses=0))
    outside = {p for p in tmp_path.rglob("*") if p.is_file()} - set(made.files)
    assert {p.name for p in outside} <= {"losses.json"}
    for path in made.files:
        assert path.resolve().is_relative_to((tmp_path / "made").resolve())
        assert re.fullmatch(r"[\w./-]+", str(path.relative_to(tmp_path)))
        assert max(map(len, path.parts)) <= 240
        _parsed(path)


def test_notebooks_escape_them(hostile: Mechanism) -> None:
    shown = [hostile, hostile.assembly, diagnose(hostile), *hostile.bodies, *hostile.joints, *hostile.assembly.parts]
    texts = [text for item in shown if (text := getattr(item, "_repr_html_", lambda: None)()) is not None]
    assert len(texts) > 2
    for text in texts:
        assert "<script>alert(1)" not in text
        assert not re.search("[\x00\x1b\x85\u202e]", text)
    assert all(repr(item).isprintable() or "\n" in repr(item) for item in shown)
