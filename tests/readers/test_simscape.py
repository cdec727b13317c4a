"""Simscape Multibody XML: the real quadruped, and files that are broken in every way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from cadbridge.assembly import Assembly, MateKind
from cadbridge.errors import InputError
from cadbridge.readers.options import ReadOptions
from cadbridge.readers.simscape import read

WITHOUT_SHAPES = ReadOptions(geometry=False)


@pytest.fixture(scope="module")
def text(corpus: Path) -> str:
    return (corpus / "quadruped_solidworks" / "Assem4.xml").read_text()


def codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


def test_the_quadruped_as_a_whole(corpus: Path) -> None:
    assembly = read(corpus / "quadruped_solidworks" / "Assem4.xml")
    assert len(assembly.instances) == 10
    assert len(assembly.components) == 10
    assert sum(c.grounded for c in assembly.components) == 2
    assert [m.kind for m in assembly.mates].count(MateKind.CONCENTRIC) == 8
    assert [m.kind for m in assembly.mates].count(MateKind.COINCIDENT) == 8
    assert assembly.mates_in_file == 16
    with_shape = [p for p in assembly.parts if p.shape is not None]
    assert len(with_shape) == 5
    for part in with_shape:
        # Lengths in the STEP files are mm, in the XML m: mixed up, volumes would be off by 1e9.
        assert part.shape is not None
        assert part.shape.brep is not None
        assert part.declared is not None
        assert 300 < part.declared.mass / part.shape.brep.mass < 9000


def test_masses_are_those_of_the_file(corpus: Path, text: str) -> None:
    assembly = read(corpus / "quadruped_solidworks" / "Assem4.xml", WITHOUT_SHAPES)
    root: Any = etree.fromstring(text.encode())
    space = {"s": root.nsmap[None]}
    leg = assembly.part("leg2").declared
    assert leg is not None
    element = root.xpath("//s:Part[@name='leg2']/s:MassProperties", namespaces=space)[0]
    xx, yy, zz, yz, xz, xy = map(float, element.find("s:Inertia", space).text.split())
    assert leg.mass == float(element.find("s:Mass", space).text)
    np.testing.assert_array_equal(np.diag(leg.inertia), [xx, yy, zz])
    np.testing.assert_array_equal([leg.inertia[1, 2], leg.inertia[0, 2], leg.inertia[0, 1]], [yz, xz, xy])
    assert np.all(np.linalg.eigvalsh(leg.inertia) > 0)


def test_a_part_of_no_mass_is_told(corpus: Path) -> None:
    assembly = read(corpus / "quadruped_solidworks" / "Assem4.xml", WITHOUT_SHAPES)
    assert assembly.part("Part7").declared is None
    assert "CB163" in codes(assembly)


MUTATIONS = {
    "rotation": ("<Rotation>1 0 0 0 1 0 0 0 1</Rotation>", "<Rotation>1 0 0 0 1 0 0 0</Rotation>", "CB181"),
    "mirror": ("<Rotation>1 0 0 0 1 0 0 0 1</Rotation>", "<Rotation>1 0 0 0 1 0 0 0 -1</Rotation>", "CB131"),
    "shear": ("<Rotation>1 0 0 0 1 0 0 0 1</Rotation>", "<Rotation>1 1 0 0 1 0 0 0 1</Rotation>", "CB133"),
    "nan": ("<Translation>0 0 0</Translation>", "<Translation>0 nan 0</Translation>", "CB181"),
    "no transform": ("<Translation>0 0 0</Translation>", "", "CB181"),
    "unknown part": ('entityUid="base1*:*Default"', 'entityUid="base9"', "CB162"),
    "unknown instance": ("<Uid>thigh1-1</Uid>", "<Uid>thigh9-1</Uid>", "CB162"),
    "unknown kind": ("Concentric", "Symmetric", "CB164"),
    "unknown geometry": ('geomType="cylinder"', 'geomType="nurbs"', "CB164"),
    "no axis": ("<Axis>0 0 1</Axis>", "", "CB181"),
    "axis of no length": ("<Axis>0 0 1</Axis>", "<Axis>0 0 0</Axis>", "CB181"),
    "no value": ("Concentric", "Distance", "CB170"),
    "mass": ("<Mass>0.05", "<Mass>heavy 0.05", "CB181"),
    "unit": ('<DataUnits mass="kilogram" length="meter"/>', '<DataUnits length="parsec"/>', "CB181"),
    "six": ("<Inertia>", "<Inertia>1 ", "CB181"),
    "outside": ('name="leg2_Default_sldprt.STEP"', 'name="../../leg2.STEP"', "CB102"),
    "missing": ('name="leg2_Default_sldprt.STEP"', 'name="leg22.STEP"', "CB112"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_faults_are_findings_with_their_line(name: str, text: str, tmp_path: Path) -> None:
    old, new, code = MUTATIONS[name]
    assert old in text
    path = tmp_path / "Assem4.xml"
    path.write_text(text.replace(old, new))
    assembly = read(path, WITHOUT_SHAPES)
    told = [f for f in assembly.findings if f.code == code]
    assert told
    assert all(f.where.line is not None for f in told)


def test_an_entity_bomb_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.xml"
    bomb = '<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>'
    path.write_text(text.replace("<SimscapeMultibodyImportXML", bomb + "<SimscapeMultibodyImportXML", 1))
    with pytest.raises(InputError) as error:
        read(path)
    assert [f.code for f in error.value.findings] == ["CB103"]


@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.999])
def test_a_truncated_file_is_refused_with_the_line(part: float, text: str, tmp_path: Path) -> None:
    path = tmp_path / "cut.xml"
    path.write_text(text[: int(part * len(text.rstrip()))])
    with pytest.raises(InputError) as error:
        read(path)
    assert error.value.findings[-1].code == "CB104"


def test_a_mate_within_one_component_is_told(text: str, tmp_path: Path) -> None:
    # Concentric1 then holds thigh1-1 on both sides.
    path = tmp_path / "Assem4.xml"
    path.write_text(text.replace("<Uid>base1-1</Uid>", "<Uid>thigh1-1</Uid>", 1))
    assembly = read(path, WITHOUT_SHAPES)
    (told,) = (f for f in assembly.findings if f.code == "CB168")
    assert "Concentric1" in told.message
    assert told.where.line is not None
    assert (assembly.mates_in_file, len(assembly.mates)) == (16, 15)
