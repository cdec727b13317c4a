"""A source that has mates of its own keeps them; recognition adds what they do not name."""

from __future__ import annotations

from pathlib import Path

import cadquery as cq
import pytest

import cadbridge as cb
from cadbridge.diagnosis import diagnose, settled
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.readers.finish import finish
from cadbridge.recognition import Recognition, beside_own, recognise
from cadbridge.recognition.model import Bond, FoundBody
from cadbridge.recognition.writing.own_mates import _of
from cadbridge.recognition.writing.reading import with_recognised
from tests.recognition.solids import disc, plate

OWN = """\
format: cadbridge.mates/1
units: {length: mm, angle: deg}
ground: [base]
mates:
  - {name: first, type: revolute, a: {component: base, point: [-60, 0, 10], axis: [0, 0, 1]}, b: {component: left}}
"""


def two_levers(folder: Path, mates: str) -> cb.Assembly:
    """A base with two pegs, a lever on each, the mates beside."""
    base = cq.Workplane().box(200, 40, 10, centered=(True, True, False))
    for x in (-60, 60):
        base = base.union(disc(5, 18).translate((x, 0, 0)))
    made = cq.Assembly(name="made").add(base, name="base")
    for name, x in (("left", -60), ("right", 60)):
        made.add(plate(60, 12, 8, [(0, 0)], 5.1), name=name, loc=cq.Location(cq.Vector(x, 0, 10)))
    made.export(str(folder / "made.step"))
    if mates:
        (folder / "made.mates.yaml").write_text(mates)
    return cb.read(folder / "made.step")


def names(found: Recognition) -> list[set[str]]:
    return [{found.bodies[j.a].name, found.bodies[j.b].name} for j in found.joints]


def test_own_mates_rule_and_recognition_adds_the_lever_that_has_none(tmp_path: Path) -> None:
    assembly = two_levers(tmp_path, OWN)
    found = beside_own(recognise(assembly))
    assert names(found) == [{"base", "right"}]
    (told,) = [f for f in found.findings if f.code == "CB1613"]
    assert "1 mate of its own" in told.message
    assert "1 joint" in told.message
    both = settled(build(finish(with_recognised(assembly, found), ReadOptions())))
    assert not [f for f in both.findings if f.code in ("CB202", "CB203")]
    assert diagnose(both).mobility.dof == 2


def test_parts_that_mates_hold_are_not_bound_to_each_other(tmp_path: Path) -> None:
    slide = "type: prismatic, a: {component: base, point: [60, 0, 10], axis: [1, 0, 0]}, b: {component: right}"
    found = beside_own(recognise(two_levers(tmp_path, f"{OWN}  - {{name: second, {slide}}}\n")))
    assert found.joints == ()
    assert all(len(body.instances) == 1 for body in found.bodies)


def test_a_source_without_mates_is_recognised_whole(tmp_path: Path) -> None:
    found = recognise(two_levers(tmp_path, ""))
    assert beside_own(found) is found
    assert len(found.joints) == 2


@pytest.mark.parametrize("recognised", [False, True])
def test_a_simscape_file_has_the_freedoms_of_its_own_mates(corpus: Path, recognised: bool) -> None:
    options = ReadOptions(recognise=recognised)
    mechanism = settled(build(cb.read(corpus / "quadruped_solidworks/Assem4.xml", options=options)))
    mobility = diagnose(mechanism).mobility
    assert (mobility.dof, mobility.redundant) == (8, 16)
    assert ("CB1613" in {f.code for f in mechanism.assembly.findings}) is recognised


def test_a_part_of_a_body_keeps_only_the_bonds_within_it() -> None:
    """A bearing welded to plate and brush, each of which the file joins otherwise: its bonds lead out of it."""
    inner = Bond("ring", "bearing", "a ring", 0.9)
    bonds = (Bond("bearing", "plate", "a bush in its bore", 0.9), Bond("brush", "bearing", "a shaft", 0.9), inner)
    part = _of(FoundBody("plate", ("bearing", "brush", "plate", "ring"), bonds), ("bearing", "ring"))
    assert part.bonds == (inner,)
    assert [piece.instances for piece in part.pieces] == [("bearing", "ring")]
