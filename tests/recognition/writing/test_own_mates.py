"""A source that has mates of its own keeps them; recognition adds what they do not name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.diagnosis import diagnose, settled
from cadbridge.findings import Findings
from cadbridge.mechanism import build
from cadbridge.readers import ReadOptions
from cadbridge.readers.finish import finish
from cadbridge.recognition import Recognition, beside_own, recognise
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.model import Bond, FoundBody
from cadbridge.recognition.writing.mates_text import mates_text
from cadbridge.recognition.writing.reading import with_recognised
from tests.late import cq
from tests.recognition.solids import disc, plate

OWN = """\
format: cadbridge.mates/1
units: {length: mm, angle: deg}
ground: [base]
mates:
  - {name: first, type: revolute, a: {component: base, point: [-60, 0, 10], axis: [0, 0, 1]}, b: {component: left}}
"""
SLIDING = """\
format: cadbridge.mates/1
units: {length: mm, angle: deg}
ground: [base]
mates:
  - {name: slide, type: prismatic, a: {component: base, point: [0, 0, 5], axis: [1, 0, 0]}, b: {component: cart}}
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
    assert "besides: 1 joint" in told.message
    assert "left out: 1 joint" in told.message
    both = settled(build(finish(with_recognised(assembly, found), ReadOptions())))
    assert not [f for f in both.findings if f.code in ("CB202", "CB203")]
    assert diagnose(both).mobility.dof == 2


def test_hints_that_do_nothing_beside_the_mates_are_told(tmp_path: Path) -> None:
    slide = "type: prismatic, a: {component: base, point: [60, 0, 10], axis: [1, 0, 0]}, b: {component: right}"
    both = two_levers(tmp_path, f"{OWN}  - {{name: second, {slide}}}\n")
    hints = Hints(freedoms=2, ground="right").having("joint", (("base", "left"),)).having("apart", (("left", "right"),))
    (told,) = [f for f in beside_own(recognise(both, hints=hints)).findings if f.code == "CB1661"]
    assert told.items == ("joint: [base, left]", "apart: [left, right]", "ground: right", "freedoms: 2")
    one = two_levers(tmp_path, OWN)
    for kind, idle in (("joint", False), ("fixed", False)):
        found = beside_own(recognise(one, hints=Hints(ground="base").having(kind, (("base", "right"),))))
        assert bool([f for f in found.findings if f.code == "CB1661"]) == idle
    found = beside_own(recognise(one, hints=Hints().having("fixed", (("base", "left"),))))
    assert [f.items for f in found.findings if f.code == "CB1661"] == [("fixed: [base, left]",)]


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


def test_a_component_that_own_mates_hold_stays_whole(tmp_path: Path) -> None:
    """A cart with a roller on a pin, which by its shape turns: the source's mate moves the cart as one."""
    cart = cq.Assembly(name="cart").add(cq.Workplane().box(60, 40, 10).union(disc(5, 20)), name="frame")
    cart.add(disc(12, 8).cut(disc(5.1, 8)), name="roller", loc=cq.Location(cq.Vector(0, 0, 6)))
    made = cq.Assembly(name="made").add(cq.Workplane().box(200, 60, 10), name="base")
    made.add(cart, name="cart", loc=cq.Location(cq.Vector(0, 0, 10)))
    made.export(str(tmp_path / "made.step"))
    recognised = recognise(cb.read(tmp_path / "made.step"))
    assert any("cart/roller" in {recognised.bodies[j.a].name, recognised.bodies[j.b].name} for j in recognised.joints)
    (tmp_path / "made.mates.yaml").write_text(SLIDING)
    assembly = cb.read(tmp_path / "made.step")
    found = beside_own(recognise(assembly))
    assert {body.instances for body in found.bodies} == {("base",), ("cart/frame", "cart/roller")}
    assert found.joints == ()
    assert "left out: 1 joint " in next(f.message for f in found.findings if f.code == "CB1613")
    assert found.freedoms is None
    assert "flexible" not in mates_text(found)
    both = settled(build(finish(with_recognised(assembly, found), ReadOptions())))
    assert not [f for f in both.findings if f.code in ("CB201", "CB401")]
    assert diagnose(both).mobility.dof == 1


def test_a_part_goes_with_the_component_to_which_its_surest_bonds_lead(tmp_path: Path) -> None:
    """The source's mates take a body apart in which a third part is held by both; and its bonds do not lead out."""
    found = recognise(two_levers(tmp_path, OWN))
    bonds = (
        Bond("right", "base", "lies on it", 0.6),
        Bond("right", "left", "bolts", 0.9),
        Bond("left", "base", "", 0.9),
    )
    one = FoundBody("base", ("base", "left", "right"), bonds)
    apart = beside_own(replace(found, bodies=(one,), joints=(), ground=0))
    assert {body.instances: body.bonds for body in apart.bodies} == {("base",): (), ("left", "right"): (bonds[1],)}
    assert [piece.instances for body in apart.bodies for piece in body.pieces] == [("base",), ("left", "right")]


def test_what_is_said_is_of_what_own_mates_leave(tmp_path: Path) -> None:
    """One joint of two is written: the other is not counted, nor called doubtful, nor is its weld told."""
    bare = recognise(two_levers(tmp_path, ""))
    right = max(j.name for j in bare.joints)
    findings = Findings(bare.findings)
    for names in (["base", "left"], ["base", "right"]):
        findings.add("CB1486", "overlap", items=names)
    assembly = two_levers(tmp_path, OWN)
    found = beside_own(replace(bare, assembly=assembly, findings=findings.as_tuple()))
    told = {f.code: f for f in found.findings}
    assert "1 joint " in told["CB1600"].message
    assert told["CB1601"].items == (right,)
    assert [f.items for f in found.findings if f.code == "CB1486"] == [("base", "right")]
    assert "CB1604" not in told
    assert "`cadbridge check`" in mates_text(found).splitlines()[0]


def test_a_hint_on_a_component_that_own_mates_hold_is_about_the_whole(tmp_path: Path) -> None:
    """It was said to move inside, and to name its part instead, which mates of the source hold as well."""
    base = cq.Workplane().box(200, 60, 10).union(disc(4, 20).translate((-80, 0, 5)))
    cart = cq.Assembly(name="cart").add(cq.Workplane().box(60, 40, 10).union(disc(5, 20)), name="frame")
    cart.add(disc(12, 8).cut(disc(5.1, 8)), name="roller", loc=cq.Location(cq.Vector(0, 0, 6)))
    made = cq.Assembly(name="made").add(base, name="base")
    made.add(cart, name="cart", loc=cq.Location(cq.Vector(0, 0, 10)))
    made.add(disc(9, 8).cut(disc(4.05, 8)), name="knob", loc=cq.Location(cq.Vector(-80, 0, 8)))
    made.export(str(tmp_path / "made.step"))
    (tmp_path / "made.mates.yaml").write_text(SLIDING)
    assembly = cb.read(tmp_path / "made.step")
    for pair, idle in ((("base", "cart"), True), (("base", "knob"), False)):
        found = beside_own(recognise(assembly, hints=Hints().having("joint", (pair,))))
        told = {f.code: f for f in found.findings}
        assert "CB1659" not in told
        assert ("CB1661" in told) is idle
    assert "CB1661" in {f.code for f in beside_own(recognise(assembly, hints=Hints(ground="cart"))).findings}
