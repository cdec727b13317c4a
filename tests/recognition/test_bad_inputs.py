"""What strangers' files have: parts twice, parts far away, shells, meshes, nothing at all. Each is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import cadbridge as cb
from cadbridge.cli.app import app
from cadbridge.recognition import recognise
from tests.late import cq
from tests.recognition.solids import Parts, box, disc, joints, plate, recognised


def hinge() -> Parts:
    base = box(80, 40, 10).union(disc(5, 18))
    return {"base": (base, (0, 0, 0)), "lever": (plate(60, 12, 8, [(0, 0)], 5), (0, 0, 10))}


def test_a_part_twice_in_the_same_place_is_one_body_and_told(tmp_path: Path) -> None:
    parts = hinge()
    found = recognised(tmp_path, parts | {"copy": parts["lever"]})
    assert joints(found) == {frozenset(("base", "lever")): "revolute"} or joints(found) == {
        frozenset(("base", "copy")): "revolute"
    }
    (told,) = [f for f in found.findings if f.code == "CB1614"]
    assert set(told.items) < {"copy", "lever"}


def test_an_equal_part_elsewhere_is_no_copy(tmp_path: Path) -> None:
    base = box(200, 40, 10).union(disc(5, 18).translate((-60, 0, 0))).union(disc(5, 18).translate((60, 0, 0)))
    lever = plate(60, 12, 8, [(0, 0)], 5)
    found = recognised(
        tmp_path, {"base": (base, (0, 0, 0)), "left": (lever, (-60, 0, 10)), "right": (lever, (60, 0, 10))}
    )
    assert len(found.joints) == 2
    assert "CB1614" not in {f.code for f in found.findings}


def test_a_part_five_kilometres_away_is_named_with_what_becomes_of_it(tmp_path: Path) -> None:
    found = recognised(tmp_path, hinge() | {"lost": (box(10, 10, 10), (5e6, 0, 0))})
    assert joints(found) == {frozenset(("base", "lever")): "revolute"}
    (told,) = [f for f in found.findings if f.code == "CB1602"]
    assert told.message == "lost touches nothing; fixed to the ground, base"


def test_parts_in_each_other_are_one_body_with_the_reason(tmp_path: Path) -> None:
    found = recognised(tmp_path, {"a": (box(40, 40, 40), (0, 0, 0)), "b": (box(40, 40, 40), (10, 5, 3))})
    assert found.joints == ()
    (body,) = found.bodies
    assert any("reaches into it" in bond.reason for bond in body.bonds)
    (told,) = [f for f in found.findings if f.code == "CB1486"]
    assert "a and b" in told.message


@pytest.mark.usefixtures("asked_anew")
def test_a_part_too_detailed_for_teeth_is_told_and_has_its_joints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cadbridge.recognition.wheels.finding.MOST_TRIANGLES", 100)
    found = recognised(tmp_path, hinge())
    assert joints(found) == {frozenset(("base", "lever")): "revolute"}
    (told,) = [f for f in found.findings if f.code == "CB1487"]
    assert set(told.items) <= {"base", "lever"}
    assert told.items


def test_an_open_shell_on_a_round_hole_makes_no_joint(tmp_path: Path) -> None:
    sheet = cq.Workplane(obj=cq.Shell.makeShell(box(30, 30, 30).faces("not >Z").vals()))
    made = cq.Assembly(name="made").add(plate(80, 40, 10, [(0, 0)], 5), name="base")
    made.add(sheet, name="sheet", loc=cq.Location(cq.Vector(0, 0, 10))).export(str(tmp_path / "made.step"))
    told = CliRunner().invoke(app, ["recognise", str(tmp_path / "made.step")])
    assert told.exit_code == 0
    assert "CB128" in told.output
    assert "CB1604" in told.output


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_mirrored_lever_turns_as_well(tmp_path: Path, mirrored: bool) -> None:
    lever = plate(60, 12, 8, [(20, 0)], 5).cut(box(8, 4, 20).translate((-20, 3, 0)))
    lever = lever.mirror("XZ") if mirrored else lever
    found = recognised(tmp_path, {"base": hinge()["base"], "lever": (lever, (-20, 0, 10))})
    assert joints(found) == {frozenset(("base", "lever")): "revolute"}


def test_a_mesh_says_that_it_has_no_faces_and_what_to_do(tmp_path: Path) -> None:
    cq.exporters.export(plate(60, 12, 8, [(0, 0)], 5), str(tmp_path / "lever.stl"))
    link = '<link name="{}"><visual><geometry><mesh filename="lever.stl"/></geometry></visual></link>'
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{link.format("arm")}</robot>')
    told = CliRunner().invoke(app, ["recognise", str(tmp_path / "arm.urdf")])
    assert told.exit_code == 0
    assert "CB1603: arm: a mesh has no exact faces" in told.output
    assert "Use the STEP file instead of a mesh" in told.output


def test_a_step_file_with_the_ending_of_freecad_gives_the_same_joints(tmp_path: Path) -> None:
    """It was read as STEP, and its faces were sought in an archive: one body, and no joint."""
    known = recognised(tmp_path, hinge())
    (tmp_path / "made.step").rename(tmp_path / "made.FCStd")
    found = recognise(cb.read(tmp_path / "made.FCStd"))
    assert [j.type for j in found.joints] == [j.type for j in known.joints] != []
    assert "CB1603" not in {f.code for f in found.findings}
