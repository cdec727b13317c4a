"""Masses given for what moves as one: each counts once, and what cannot be kept is told."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

import cadbridge as cb
from cadbridge.mechanism import joints_made
from cadbridge.readers.mates_file import load_document, overlay

LINK = """<link name="{0}"><inertial><mass value="{1}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
ROBOT = f"""<robot name="r"><link name="world"/>{LINK.format("a", 2)}{LINK.format("b", 3)}
<joint name="j" type="revolute"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
<joint name="k" type="floating"><parent link="world"/><child link="b"/></joint></robot>"""
ATTACHED = "format: cadbridge.mates/1\nattach:\n  - {to: a, components: [b]}\n"
INERTIA = "com: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}"


def robot(folder: Path, mates: str) -> cb.Assembly:
    (folder / "r.urdf").write_text(ROBOT)
    (folder / "r.mates.yaml").write_text(mates)
    return cb.read(folder / "r.urdf")


def masses(assembly: cb.Assembly) -> list[float]:
    return [body.mass.mass for body in cb.build(assembly).bodies if body.mass is not None]


def test_the_mass_of_an_attached_component_is_its_own(tmp_path: Path) -> None:
    model = robot(tmp_path, f"{ATTACHED}mass:\n  - {{component: b, mass: 1, {INERTIA}}}\n")
    assert masses(model) == pytest.approx([3.0])
    assert "CB1471" not in {f.code for f in model.findings}


def test_a_second_mass_of_one_component_is_left_out_and_told(tmp_path: Path) -> None:
    lines = f"mass:\n  - {{component: a, mass: 10, {INERTIA}}}\n  - {{component: r/a, mass: 1, {INERTIA}}}\n"
    model = robot(tmp_path, "format: cadbridge.mates/1\n" + lines.replace("r/a", "a"))
    assert masses(model)[0] == pytest.approx(10.0)
    assert [f.code for f in model.findings if f.severity.value == "error"] == ["CB143"]


def test_what_two_components_had_by_themselves_is_told_when_they_become_one(tmp_path: Path) -> None:
    model = robot(tmp_path, "format: cadbridge.mates/1\n")
    lifted = tuple(replace(c, gravity_compensation=1.0) if c.name == "b" else c for c in model.components)
    document = tmp_path / "more.mates.yaml"
    document.write_text(ATTACHED)
    made = overlay(replace(model, components=lifted), load_document(document), joints_made)
    (told,) = [f for f in made.findings if f.code == "CB1471"]
    assert "1 and 0 are carried, now 0 of both" in told.message


def test_a_mass_within_a_component_whose_own_is_given_is_told(tmp_path: Path) -> None:
    lines = f"mass:\n  - {{component: a, mass: 10, {INERTIA}}}\n  - {{component: b, mass: 1, {INERTIA}}}\n"
    model = robot(tmp_path, ATTACHED + lines)
    assert masses(model) == pytest.approx([10.0])
    (told,) = [f for f in model.findings if f.code == "CB1471"]
    assert set(told.items) == {"a", "b"}


def test_two_materials_whose_names_differ_in_large_letters_only_are_told(tmp_path: Path) -> None:
    model = robot(tmp_path, "format: cadbridge.mates/1\nmaterials:\n  Foam: {density: 30}\n  foam: {density: 60}\n")
    (told,) = [f for f in model.findings if f.code == "CB143"]
    assert "'foam' is given twice" in told.message
    assert told.where.line == 4


@pytest.mark.parametrize(
    ("section", "range_of_it"),
    [
        ("joints:\n  swing: {mates: [low, high], limits: {lower: -80, upper: 80}}", (-80.0, 80.0)),
        ("joints:\n  swing: {mates: [low, high]}\noverrides:\n  - {joints: swing, limits: {upper: 85}}", (-10.0, 85.0)),
        ("joints:\n  swing: {mates: [low, high]}", (-10.0, 60.0)),
    ],
)
def test_a_range_given_for_a_joint_replaces_those_of_its_mates(
    section: str, range_of_it: tuple[float, float], tmp_path: Path
) -> None:
    side = "a: {{component: b, point: [0, 0, {1}], axis: [0, 0, 1]}}, b: {{component: a}}"
    hinge = f"{{{{name: {{0}}, type: insert, {side}, {{2}}}}}}"
    low = hinge.format("low", 0, "limits: {lower: -30, upper: 60}")
    high = hinge.format("high", 100, "limits: {lower: -10, upper: 90}")
    text = f"format: cadbridge.mates/1\nmates:\n  - {low}\n  - {high}\n{section}\n"
    mechanism = cb.build(robot(tmp_path, text))
    joint = mechanism.joint_named("swing")
    assert joint is not None
    assert joint.limit is not None
    assert joint.limit.lower is not None
    assert joint.limit.upper is not None
    assert (math.degrees(joint.limit.lower), math.degrees(joint.limit.upper)) == pytest.approx(range_of_it)


DENSITY = "format: cadbridge.mates/1\ndensity:\n  - {parts: a, density: 2700}\n"
BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual></link>'


def test_a_density_of_a_part_that_declares_a_mass_is_told(tmp_path: Path) -> None:
    model = robot(tmp_path, DENSITY)
    (told,) = [f for f in model.findings if f.code == "CB1472"]
    assert (told.items, told.where.line) == (("a",), 3)
    assert masses(model)[0] == pytest.approx(2.0)


def test_a_density_beside_a_mass_of_the_same_part_is_no_fault(tmp_path: Path) -> None:
    """An exported mates file has both."""
    model = robot(tmp_path, f"{DENSITY}mass:\n  - {{part: a, mass: 4, {INERTIA}}}\n")
    assert "CB1472" not in {f.code for f in model.findings}
    assert masses(model)[0] == pytest.approx(4.0)


def test_the_cure_for_it_weighs_the_part_by_its_shape(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(ROBOT.replace("</link>", BOX))
    (tmp_path / "r.mates.yaml").write_text(DENSITY)
    model = cb.read(tmp_path / "r.urdf", options=cb.ReadOptions(mass_from="mesh"))
    assert "CB1472" not in {f.code for f in model.findings}
    assert masses(model)[0] == pytest.approx(2.7)


def test_the_mass_of_a_component_is_shared_by_its_shapes_where_no_density_is_known(tmp_path: Path) -> None:
    """It was dropped, and the parts were said to have no density."""
    box = '<visual><origin xyz="{0} 0 0"/><geometry><box size="1 1 {1}"/></geometry></visual>'
    link = f'<link name="a">{box.format(0, 1)}</link><link name="b">{box.format(2, 3)}</link>'
    hinge = '<joint name="{0}" type="revolute"><parent link="world"/><child link="{0}"/><axis xyz="0 0 1"/></joint>'
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="world"/>{link}{hinge.format("a")}{hinge.format("b")}</robot>'
    )
    (tmp_path / "r.mates.yaml").write_text(f"{ATTACHED}mass:\n  - {{component: a, mass: 8}}\n")
    (body,) = cb.build(cb.read(tmp_path / "r.urdf")).bodies
    assert body.mass is not None
    assert body.mass.mass == pytest.approx(8.0)
    assert body.mass.com == pytest.approx([1.5, 0.0, 0.0])  # 2 kg in the one of 1 m³, 6 in that of 3
    assert "CB301" not in {f.code for f in cb.build(cb.read(tmp_path / "r.urdf")).findings}
