"""The exit status of `check` follows one rule: 2 only where the mechanism itself could not be read whole.

A shape, a mass, a transmission or a mimic that cannot be had changes what can be computed, not what the mechanism is.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cadbridge.cli import main

ARM = """<robot name="arm" version="1.0"><link name="base"/>
  <link name="arm"><inertial><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="tip"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="J1" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
  <joint name="J2" type="continuous"><parent link="arm"/><child link="tip"/><axis xyz="1 0 0"/></joint>
</robot>"""
SPHERE = '<sphere radius="0.1"/>'
END = "</robot>"

CASES = {
    "as it is": ("", "", 0),
    # What is told and changes no mechanism: 0
    "a missing mesh": (SPHERE, '<mesh filename="package://nowhere/a.stl"/>', 0),
    "a mesh elsewhere": (SPHERE, '<mesh filename="/etc/a.stl"/>', 0),
    "a mesh of the net": (SPHERE, '<mesh filename="http://a.b/c.stl"/>', 0),
    "a mesh without a package": (SPHERE, '<mesh filename="package:///a.stl"/>', 0),
    "a sphere of radius 0": (SPHERE, '<sphere radius="0"/>', 0),
    "a cylinder of length 0": (SPHERE, '<cylinder radius="1" length="0"/>', 0),
    "an impossible inertia": ('izz="0.25"', 'izz="0.9"', 0),
    "a mimic of nothing": ("</joint>\n</robot>", '<mimic joint="J9"/></joint></robot>', 0),
    "a transmission of nothing": (END, f'<transmission name="T"><joint name="J9"/></transmission>{END}', 0),
    "another version": ('version="1.0"', 'version="0.0"', 0),
    "two hyphens in a comment": (END, f"<!-- a -- b -->{END}", 0),
    "quoted numbers": ('xyz="1 0 0"', "xyz=\"'1' '0' '0'\"", 0),
    # The mechanism is whole, and cannot move so: 1
    "a mass below zero": ('<mass value="2"/>', '<mass value="-2"/>', 1),
    "a moment below zero": ('ixx="0.1" iyy="0.2" izz="0.25"', 'ixx="-0.1" iyy="0.2" izz="0.25"', 1),
    # A link, a joint or a place is not in the model: 2
    "an axis of no length": ('xyz="1 0 0"', 'xyz="0 0 0"', 2),
    "a joint of an unknown link": ('<child link="tip"/>', '<child link="hand"/>', 2),
    "an unknown type": ('name="J2" type="continuous"', 'name="J2" type="rope"', 2),
    "two links of a name": ('<link name="base"/>', '<link name="base"/><link name="arm"/>', 2),
    "no number": ('<mass value="2"/>', '<mass value="two"/>', 2),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_that_is_told_of_has_the_status_of_the_rule(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new, status = CASES[case]
    assert old in ARM
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.replace(old, new, 1) if old else ARM, encoding="utf-8")
    assert main(["check", str(path)]) == status, capsys.readouterr()


@pytest.mark.parametrize(("ending", "code"), [("FCStd", "CB1221"), ("urdf", "CB104"), ("step", "CB180")])
def test_what_cannot_be_read_at_all_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str, code: str
) -> None:
    """The finding says it with its code, place and cure; the same sentence without them was printed behind it."""
    path = tmp_path / f"zeros.{ending}"
    path.write_bytes(bytes(4096))
    assert main(["check", str(path), "--no-cache"]) == 2
    (told,) = (line for line in capsys.readouterr().err.splitlines() if line.startswith("error"))
    assert told.startswith(f"error {code}: ")


def test_an_empty_freecad_file_is_called_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "made.FCStd"
    path.touch()
    assert main(["check", str(path), "--no-cache"]) == 2
    assert "error CB1221: made.FCStd cannot be unpacked: the file is empty" in capsys.readouterr().err
