"""Robots that engines load although their text or their paths break a rule: read, each with a finding."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cadbridge.assembly import Assembly, MateKind
from cadbridge.errors import InputError
from cadbridge.exporters import export
from cadbridge.lowering import lower
from cadbridge.mechanism import build
from cadbridge.readers.lenient import MOST_PREFIXES, lenient
from cadbridge.reading import read

ROBOT = """<?xml version="1.0"?>
<!-- an arm -->
<robot name="arm">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="J" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
</robot>
"""
LAX: dict[str, tuple[str, str, str]] = {
    "version": ('version="1.0"', 'version="0.0"', "a version of XML that does not exist"),
    "blank line": ("<?xml", "\n <?xml", "blanks before the XML declaration"),
    "comment": ("<?xml", "<!-- a\nlicence --><?xml", "comments before the XML declaration"),
    "dashes": ("an arm", "an -- arm ---", "-- within a comment"),
    "blanks": ('name="J" type', "name='J'type", "no blank between attributes"),
    "colons": ("<link name", "<gz::order>1</gz::order><link name", "names with several colons"),
    "prefix": ("<link name", '<controller:x q:y="1"/><link name', "undeclared prefixes (controller, q)"),
}


def _read(folder: Path, text: str, name: str = "arm.urdf") -> Assembly:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read(path)


def _reported(assembly: Assembly, code: str) -> list[str]:
    return [f.message for f in assembly.findings if f.code == code]


@pytest.mark.parametrize("case", LAX)
def test_xml_that_engines_read_is_read_with_a_finding(case: str, tmp_path: Path) -> None:
    old, new, words = LAX[case]
    arm = _read(tmp_path, ROBOT.replace(old, new, 1))
    assert [words in text for text in _reported(arm, "CB115")] == [True]
    assert arm.mates[0].where.line == 7 + (case in ("blank line", "comment"))
    assert build(arm).bodies[0].mass is not None


def test_what_is_not_well_formed_stays_refused_with_its_own_fault(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _read(tmp_path, ROBOT.replace("</robot>", "<!-- a -- b --><link>"))
    assert [f.code for f in caught.value.findings] == ["CB104"]


def test_well_formed_text_is_left_as_it_is() -> None:
    text = b'<?xml version="1.0"?><a xmlns:b="u"><!-- <c:d> - --><b:e f="<g:h"/>\n<i j=" k:l"/></a>'
    assert lenient(text) == (text, ())


def test_quoted_numbers(tmp_path: Path) -> None:
    arm = _read(tmp_path, ROBOT.replace('xyz="0 0 1"', "xyz=\"'0' '0', '1'\""))
    assert len(_reported(arm, "CB1923")) == 1
    assert arm.mates[0].a.direction is not None
    np.testing.assert_allclose(arm.mates[0].a.direction, [0, 0, 1])


def _stl() -> bytes:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    facets = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    blocks = [np.zeros(3, "<f4").tobytes() + points[list(f)].tobytes() + b"\0\0" for f in facets]
    return b"\0" * 80 + np.array([4], "<u4").tobytes() + b"".join(blocks)


MESH = '<visual><geometry><mesh filename="{0}"/></geometry></visual></link>'


@pytest.mark.parametrize(
    ("uri", "told"),
    [("../meshes/x.stl", 0), ("package://nobody/meshes/x.stl", 1), ("package:///meshes/x.stl", 1)],
)
def test_meshes_in_the_folder_above_are_found(uri: str, told: int, tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "x.stl").write_bytes(_stl())
    arm = _read(tmp_path, ROBOT.replace("</inertial></link>", "</inertial>" + MESH.format(uri)), "urdf/arm.urdf")
    assert arm.part("arm").shape is not None
    assert len(_reported(arm, "CB114")) == told
    assert {f.code for f in arm.findings} - {"CB114"} <= {"CB189", "CB190"}


@pytest.mark.parametrize("uri", ["../../meshes/x.stl", "../../../x.stl", "package://nobody/b/x.stl"])
def test_meshes_of_three_folders_above_are_found(uri: str, tmp_path: Path) -> None:
    home = tmp_path / "b" / "a"
    (home.parent / "meshes").mkdir(parents=True)
    for place in (home.parent / "meshes", tmp_path, home.parent):
        (place / "x.stl").write_bytes(_stl())
    home.mkdir()
    arm = _read(home, ROBOT.replace("</inertial></link>", "</inertial>" + MESH.format(uri)), "urdf/arm.urdf")
    assert arm.part("arm").shape is not None


@pytest.mark.parametrize("uri", ["../secret.txt", "../../../../x.stl", "package://nobody/../../x.stl", "../link.stl"])
def test_nothing_else_above_is_opened(uri: str, tmp_path: Path) -> None:
    home = tmp_path / "c" / "b" / "a"
    home.mkdir(parents=True)
    (tmp_path / "x.stl").write_bytes(_stl())
    (home / "secret.txt").write_bytes(_stl())
    (home / "link.stl").symlink_to(home / "secret.txt")
    arm = _read(home, ROBOT.replace("</inertial></link>", "</inertial>" + MESH.format(uri)), "urdf/arm.urdf")
    assert arm.part("arm").shape is None
    assert _reported(arm, "CB1438") or _reported(arm, "CB112")


@pytest.mark.parametrize(
    "solid", ['<sphere radius="0"/>', '<cylinder radius="0.1" length="0"/>', '<box size="1 1 0"/>']
)
def test_solids_without_volume_are_no_error(solid: str, tmp_path: Path) -> None:
    shape = f"</inertial><collision><geometry>{solid}</geometry></collision></link>"
    arm = _read(tmp_path, ROBOT.replace("</inertial></link>", shape))
    assert len(_reported(arm, "CB193")) == 1
    assert all(str(f.severity) != "error" for f in arm.findings)


def test_inertia_without_mass_is_told(tmp_path: Path) -> None:
    assert len(_reported(_read(tmp_path, ROBOT.replace('mass value="2"', 'mass value="0"')), "CB1924")) == 1


SDF = """<sdf version="1.7" xmlns:drake="d"><world name="w"><gravity>0 0 -3</gravity><model name="m">
  <link name="A::base"/><link name="A::arm"><gravity>false</gravity></link>
  <joint name="A::J" type="revolute"><parent>A::base</parent><child>A::arm</child><axis><xyz>0 0 1</xyz>
    <dynamics><spring_stiffness>4</spring_stiffness><spring_reference>0.5</spring_reference></dynamics></axis>
    <drake:rotor_inertia>0.002</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio></joint>
  <link name="c"/><joint name="u" type="universal"><parent>A::arm</parent><child>c</child><axis><xyz>1 0 0</xyz></axis>
    <axis2><xyz>0 1 0</xyz><dynamics><damping>1</damping></dynamics></axis2></joint>
</model></world></sdf>"""


def test_flat_names_springs_rotors_and_gravity_of_sdf(tmp_path: Path) -> None:
    model = _read(tmp_path, SDF, "m.sdf")
    hinge, *cross = model.mates
    assert (hinge.name, hinge.kind, hinge.a.component) == ("A/J", MateKind.REVOLUTE, "A/base")
    assert (hinge.stiffness, hinge.rest, hinge.armature) == (4.0, 0.5, pytest.approx(0.2))
    assert [(m.name, m.kind) for m in cross] == [("u", MateKind.REVOLUTE), ("u axis2", MateKind.REVOLUTE)]
    assert build(model).gravity == (0.0, 0.0, -3.0)
    assert [c.name for c in model.components if c.gravity_compensation] == ["A/arm"]
    (held,) = lower(build(model)).model.wrenches
    assert [f.text if f else None for f in held.force] == [None, None, "3"]  # a link without <inertial> has 1 kg
    assert len(_reported(model, "CB1431")) == len(_reported(model, "CB1401")) == 1


def test_gravity_that_is_switched_off_goes_to_sdf_and_is_missed_elsewhere(tmp_path: Path) -> None:
    mechanism = build(_read(tmp_path, SDF, "m.sdf"))
    written = export(mechanism, tmp_path / "x", "sdf")
    assert "CB1245" not in {f.code for f in written.findings}
    again = read(tmp_path / "x" / "model.sdf")
    assert [c.name for c in again.components if c.gravity_compensation] == ["A_arm"]
    (told,) = (f for f in export(mechanism, tmp_path / "y", "urdf").findings if f.code == "CB1245")
    assert told.items == ("A/arm",)


def test_what_other_readers_of_urdf_leave_out_is_named(tmp_path: Path) -> None:
    rotor = '<transmission name="T"><joint name="{}"/><actuator name="M"><rotorInertia>{}</rotorInertia></actuator>'
    joint = _read(tmp_path, ROBOT).mates[0].name
    for inertia, items in (("1e-4", [("M",)]), ("0", [])):
        arm = _read(tmp_path, ROBOT.replace("</robot>", rotor.format(joint, inertia) + "</transmission></robot>"))
        assert [f.items for f in arm.findings if f.code == "CB1249"] == items


def test_such_names_are_refused_where_the_format_refuses_them(tmp_path: Path) -> None:
    assert _reported(_read(tmp_path, SDF.replace('"1.7"', '"1.9"'), "m.sdf"), "CB181")


def test_a_text_with_many_comments_is_read_in_one_pass() -> None:
    """A valid file that begins with a comment and has no declaration took time that doubled with each comment."""
    text = (ROBOT.split("?>\n")[1] + "<!-- limits -->\n" * 10_000).encode()
    assert lenient(text) == (text, ())
    assert lenient(b"<!--" * 200_000) == (b"<!--" * 200_000, ())
    assert lenient(b"<a/>" + b"<!-- - -->" * 10_000)[1] == ()


def test_a_text_of_many_prefixes_is_left_as_it_is() -> None:
    """Each was looked for in the whole text: 10 MB with a prefix in every word had no end."""
    text = b"<r>" + b"".join(b" a%d:b" % k for k in range(MOST_PREFIXES + 1)) + b"<x:link/></r>"
    assert lenient(text) == (text, ())
