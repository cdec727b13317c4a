"""XML of any depth: as ElementTree writes it, and where ElementTree ends."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import pytest

import cadbridge as cb
from cadbridge.errors import ModelError
from cadbridge.exporters.markup import add, document

LINK = (
    '<link name="l{0}"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
HINGE = (
    '<joint name="j{0}" type="continuous"><parent link="l{1}"/><child link="l{0}"/>'
    '<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/></joint>'
)


def chain(folder: Path, links: int) -> Path:
    rows = [HINGE.format(i, i - 1) for i in range(1, links)]
    path = folder / f"chain{links}.urdf"
    path.write_text("".join(['<robot name="chain">', *map(LINK.format, range(links)), *rows, "</robot>"]))
    return path


def test_a_document_is_what_elementtree_writes() -> None:
    root = ET.Element("robot", {"name": "a & <b>", "note": '"quoted"\n'})
    inner = add(add(root, "link", name="é"), "visual")
    add(inner, "origin", xyz="0 0 1")
    add(root, "script").text = "x < y & z"
    found = document(root).decode()
    ET.indent(root)
    assert found == f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def test_a_deep_document_has_lines_of_bounded_length() -> None:
    root = last = ET.Element("body")
    for _ in range(20_000):
        last = add(last, "body")
    assert len(document(root)) < 20_000 * 2 * 100


def test_mujoco_reads_the_longest_chain_that_is_written(tmp_path: Path) -> None:
    cb.export(cb.build(cb.read(chain(tmp_path, 496))), tmp_path / "out", to="mjcf")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "robot.xml")).njnt >= 495


def test_a_longer_chain_is_refused_and_nothing_written(tmp_path: Path) -> None:
    mechanism = cb.build(cb.read(chain(tmp_path, 497)))
    with pytest.raises(ModelError, match="497 bodies hang on one another") as refused:
        cb.export(mechanism, tmp_path / "out", to="mjcf")
    assert "CB681" in [f.code for f in refused.value.findings]
    assert not (tmp_path / "out").exists()
