"""What formats leave behind is told: it adds up to what is redundant where no loop repeats rows."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import cadbridge as cb
from cadbridge.assembly import ControlLaw, Drive
from cadbridge.catalogue import CATALOGUE
from cadbridge.errors import CadbridgeError
from cadbridge.mechanism import Mechanism
from tests.efforts.trains import planetary
from tests.late import cq
from tests.report.page.models import door


def test_the_rows_that_stay_behind_are_those_that_are_redundant(kr15: Mechanism, tmp_path: Path) -> None:
    """All 51 repeated rows of the KR 15 lie between two parts: 48 in stiff connections, 3 in a hinge."""
    parts = tuple(replace(part, shape=None) for part in kr15.assembly.parts)  # whose meshes need not be written
    model = replace(kr15, assembly=replace(kr15.assembly, parts=parts))
    told = {to: cb.export(model, tmp_path / to, to=to).findings for to in ("python", "json", "mates-file")}
    (found,) = [f.message for f in told["python"] if f.code == "CB528"]
    assert found.startswith("51 rows that repeat others are not in the export, by mate: ")
    named = re.findall(r"([\w:]+) \((\d)\)", found)
    assert named[:3] == [("Flush:2", "1"), ("Flush:3", "2"), ("Flush:5", "1")]
    assert "CB528" not in [f.code for to in ("json", "mates-file") for f in told[to]]


def test_the_losses_of_teeth_are_in_a_mates_file_and_not_in_a_urdf(tmp_path: Path) -> None:
    geared = cb.build(cb.read(planetary(tmp_path, 0.9, 0.95)))
    told = {to: cb.export(geared, tmp_path / to, to=to).findings for to in ("urdf", "mates-file")}
    assert {to for to, findings in told.items() if "CB527" in {f.code for f in findings}} == {"urdf"}
    (path,) = (tmp_path / "mates-file").glob("*.mates.yaml")
    written = yaml.safe_load(path.read_text("utf-8"))
    assert [gear["efficiency"] for gear in written["gears"]] == [0.9, 0.95]


def test_a_mates_file_carries_rotors_and_springs_and_tells_servos(tmp_path: Path) -> None:
    plain = door()
    (first, *others) = plain.mates
    law = ControlLaw((2.0, 0.0, 0.0), (0.0, -2.0, 0.0))
    assembly = replace(
        plain,
        mates=(replace(first, armature=0.1, stiffness=2.0, rest=0.5), *others),
        drives=(Drive("servo", first.name, law=law),),
    )
    result = cb.export(cb.build(assembly), tmp_path / "out", to="mates-file")
    told = [f.message for f in result.findings if f.code == "CB795"]
    assert sorted(told) == sorted(
        [
            f"{first.name}: a mates file has no place where its spring is slack (0.5)",
            "servo: a mates file has no control law of a drive",
        ]
    )
    (path,) = (tmp_path / "out").glob("*.mates.yaml")
    written = yaml.safe_load(path.read_text("utf-8"))
    assert written["overrides"] == [{"joints": first.name, "armature": 0.1, "stiffness": 2.0}]


URDF = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>"""


def test_what_a_mates_file_carries_is_read_back_over_the_source(tmp_path: Path) -> None:
    source = tmp_path / "arm.urdf"
    source.write_text(URDF, encoding="utf-8")
    (turn,) = cb.read(source).mates
    loaded = replace(cb.read(source), mates=(replace(turn, armature=0.1, stiffness=2.0),))
    cb.export(cb.build(loaded), tmp_path / "out", to="mates-file")
    (path,) = (tmp_path / "out").glob("*.mates.yaml")
    text = yaml.safe_dump({"overrides": yaml.safe_load(path.read_text("utf-8"))["overrides"]})
    (tmp_path / "arm.mates.yaml").write_text(f"format: cadbridge.mates/1\n{text}", encoding="utf-8")
    (joint,) = cb.build(cb.read(source)).joints
    assert (joint.armature, joint.stiffness) == (0.1, 2.0)


def test_an_unknown_mass_is_zero_in_a_urdf_and_both_ways_are_told(tmp_path: Path) -> None:
    """URDF cannot say that a mass is unknown: a link without <inertial> weighs nothing."""
    mechanism = cb.build(door())
    unknown = replace(mechanism, bodies=tuple(replace(b, mass=None) for b in mechanism.bodies))
    written = cb.export(unknown, tmp_path / "out", to="urdf")
    assert "CB501" in {f.code for f in written.findings}
    assert "0 kg" in CATALOGUE["CB501"].meaning
    back = cb.read(written.files[0])
    assert "CB191" in {f.code for f in back.findings}


def test_a_step_file_of_one_part_is_told_what_it_lacks(tmp_path: Path) -> None:
    """It was told to come from a single STEP file, which it did."""
    cq.exporters.export(cq.Workplane().box(10, 10, 10), str(tmp_path / "one.step"))
    with pytest.raises(CadbridgeError) as refused:
        cb.export(cb.build(cb.read(tmp_path / "one.step")), tmp_path / "out", to="step-ap242")
    (told,) = (f for f in refused.value.findings if f.code == "CB790")
    assert "one part" in told.message
    assert "assembly of parts" in told.hint
