"""A mates file over the source that it was exported from holds every mate once more, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import cadbridge as cb

ARM = """<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="1"/>
  <inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  <dynamics damping="0.05"/></joint></robot>"""


def test_a_mate_of_the_source_that_the_file_repeats_is_told(tmp_path: Path) -> None:
    """The damping of a double pendulum was twice its own, and nothing said so."""
    source = tmp_path / "arm.urdf"
    source.write_text(ARM)
    written = cb.export(cb.build(cb.read(source)), tmp_path / "out", to="mates-file").files
    (mates,) = (path for path in written if path.name.endswith(".mates.yaml"))
    laid = cb.read(source, mates=mates)
    (told,) = [f for f in laid.findings if f.code == "CB786"]
    assert (told.where.item, told.where.file) == ("hinge", str(mates))
    assert "its damping counts twice" in told.message
    assert cb.build(laid).joints[0].damping == pytest.approx(0.1)


def test_a_name_that_two_other_components_have_is_no_repetition(tmp_path: Path) -> None:
    source, mates = tmp_path / "arm.urdf", tmp_path / "arm.mates.yaml"
    other = '<link name="tip"/><joint name="wrist" type="floating"><parent link="rod"/><child link="tip"/></joint>'
    source.write_text(ARM.replace("</robot>", f"{other}</robot>"))
    side = "{component: %s, point: [0, 0, 0], z: [0, 0, 1]}"
    mates.write_text(
        "format: cadbridge.mates/1\nunits: {length: m}\nmates:\n"
        f"- {{name: hinge, type: revolute, a: {side % 'rod'}, b: {side % 'tip'}}}\n"
    )
    assert not [f for f in cb.read(source).findings if f.code == "CB786"]


def test_a_mimic_that_the_file_repeats_is_told(tmp_path: Path) -> None:
    source, mates = tmp_path / "arm.urdf", tmp_path / "arm.mates.yaml"
    tip = '<link name="tip"/><joint name="wrist" type="continuous"><parent link="rod"/><child link="tip"/>'
    source.write_text(ARM.replace("</robot>", f'{tip}<mimic joint="hinge" multiplier="-2"/></joint></robot>'))
    factors = "{wrist: 1, hinge: 2}"
    mates.write_text(
        "format: cadbridge.mates/1\nunits: {length: m, angle: rad}\ngears:\n"
        f"- {{name: wrist mimic, type: linear, factors: {factors}}}\n- {{type: linear, factors: {factors}}}\n"
    )
    laid = cb.read(source, mates=mates)
    assert len(laid.couplings) == 3
    (told,) = [f for f in laid.findings if f.code == "CB786"]
    assert (told.where.item, told.where.line) == ("wrist mimic", 4)
    assert told.message == "the source has a coupling 'wrist mimic' of the same joints, and both hold"
