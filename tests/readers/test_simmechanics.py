"""First-generation SimMechanics XML: the iCub's legs, and hand-made files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.frames import Pose
from cadbridge.readers.simmechanics import read
from tests.readers.same_mechanism.simmechanics import frame


@pytest.fixture(scope="module")
def icub(corpus: Path) -> Path:
    return corpus / "icub_simmechanics" / "LEGS_MECHANISM.xml"


@pytest.fixture(scope="module")
def legs(icub: Path) -> Assembly:
    return cb.read(icub)


def test_the_legs_as_a_whole(legs: Assembly) -> None:
    assert legs.format == "simmechanics"
    assert (legs.mates_in_file, len(legs.mates)) == (33, 33)
    kinds = [m.kind for m in legs.mates]
    assert (kinds.count(MateKind.REVOLUTE), kinds.count(MateKind.FIXED)) == (15, 18)
    assert len(legs.components) == 29
    assert len({m.name for m in legs.mates}) == 33
    assert {f.code for f in legs.findings} == {"CB169"}  # three RootParts, which have no mass
    assert legs.units == ("kg, kg*m^2, mm → m, kg, kg m²",)


def test_link_4_8_writes_the_same_below_another_name(corpus: Path) -> None:
    assembly = cb.read(corpus / "icub_link48" / "SIM_LEFT_HAND.xml")
    assert assembly.format == "simmechanics"
    assert (assembly.mates_in_file, len(assembly.mates)) == (13, 13)
    assert {f.code for f in assembly.findings} == {"CB169"}
    assert [m.kind for m in assembly.mates].count(MateKind.REVOLUTE) == 11


def test_masses_and_places_are_those_of_the_file(legs: Assembly, icub: Path) -> None:
    root: Any = etree.parse(str(icub))
    checked = 0
    for body in root.iter("Body"):
        name, mass = body.findtext("name").strip('"'), float(body.findtext("mass"))
        if mass == 0.0:
            continue
        part = next(p for p in legs.parts if p.name == name)
        assert part.declared is not None
        assert part.declared.mass == mass
        centre = [float(v) / 1e3 for v in body.find("frames/Frame").findtext("position").split(",")]
        instance = next(i for i in legs.instances if i.part == part.name)
        np.testing.assert_allclose(instance.X_WI.point(part.declared.com), centre, atol=1e-12)
        checked += 1
    assert checked == 26


def test_the_welded_left_leg_is_a_closed_loop(legs: Assembly) -> None:
    mechanism = cb.build(legs)
    assert len(mechanism.joints) == 15
    assert {j.type for j in mechanism.joints} == {"revolute"}
    # 15 hinges; four of them close a loop in space that cannot move, because the hip is welded to the ankle.
    mobility = cb.diagnose(mechanism).mobility
    assert (mobility.dof, mobility.rows) == (11, 18 * 6 + 15 * 5)
    hinge = next(m for m in legs.mates if m.name == "SIM_LAP_BELT_1--SIM_LAP_BELT_2")
    X = legs.component(hinge.a.component).X_WC
    assert hinge.a.direction is not None
    np.testing.assert_allclose(X.vector(hinge.a.direction), [0, 0, -1], atol=1e-9)


def body(name: str, *frames: str, mass: str = "2", geometry: str = "a.stl") -> str:
    cg = frame("CG", Pose(p=np.array([0.01, 0.0, 0.0])))
    return (
        f'<Body><name>"{name}"</name><mass>{mass}</mass><massUnits>"kg"</massUnits>'
        '<inertia>1,0,0,0,1,0,0,0,1</inertia><inertiaUnits>"kg*m^2"</inertiaUnits>'
        f'<frames>{cg}{"".join(frames)}</frames><geometryFileName>"{geometry}"</geometryFileName></Body>'
    )


def joint(primitives: str, a: str = "1", b: str = "2") -> str:
    sides = "".join(
        f'<{tag}><JointSide><connection><Frame ref="{ref}"/></connection></JointSide></{tag}>'
        for tag, ref in (("base", a), ("follower", b))
    )
    return f'<SimpleJoint><name>"J"</name>{sides}<primitives>{primitives}</primitives></SimpleJoint>'


def primitive(word: str) -> str:
    """'revolute z', 'prismatic x in CS1' …"""
    name, axis, *rest = word.split()
    axes = {"x": "1,0,0", "y": "0,1,0", "z": "0,0,2"}
    return (
        f'<Primitive><name>"{name}"</name><referenceFrame>"{rest[1] if rest else "WORLD"}"</referenceFrame>'
        f"<axis>{axes[axis]}</axis></Primitive>"
    )


TURNED = Pose(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([0.1, 0.2, 0.3]))


def write(folder: Path, *words: str, bodies: str | None = None, joints: str | None = None, more: str = "") -> Path:
    file = folder / "hand.xml"
    two = body("a", frame("CS1", Pose()), frame("CS2", Pose(p=TURNED.p), 1))
    two += body("b", frame("CS1", TURNED), frame("CS2", Pose(), 2, "CS1"))
    ground = f'<grounds><Ground><name>"G"</name><frame>{frame("CS1", Pose(), 9)}</frame></Ground></grounds>'
    file.write_text(
        f"""<PhysicalModelingXMLFile><SimMechanics><name>"hand"</name>
<bodies>{two if bodies is None else bodies}</bodies>
<joints>{joint("".join(map(primitive, words))) if joints is None else joints}</joints>{ground}{more}
</SimMechanics></PhysicalModelingXMLFile>"""
    )
    return file


FREEDOMS = {
    (): 0,
    ("weld x",): 0,
    ("revolute z",): 1,
    ("prismatic y",): 1,
    ("spherical x",): 3,
    ("revolute z", "prismatic z"): 2,
    ("revolute z", "prismatic x"): 2,
    ("revolute x", "revolute y"): 2,
    ("prismatic x", "prismatic y"): 2,
    ("prismatic x", "prismatic y", "revolute z"): 3,
    ("spherical x", "prismatic z"): 4,
    ("prismatic x", "prismatic y", "prismatic z"): 3,
    ("revolute x", "revolute y", "revolute z"): 3,
    ("prismatic x", "prismatic y", "prismatic z", "spherical x"): 6,
}


@pytest.mark.parametrize("words", FREEDOMS, ids=" + ".join)
def test_joints_of_primitives_leave_their_freedoms(words: tuple[str, ...], tmp_path: Path) -> None:
    assembly = read(write(tmp_path, *words))
    assert not assembly.findings
    mobility = cb.diagnose(cb.build(assembly)).mobility
    # Both bodies are free of the ground.
    assert (mobility.dof, mobility.redundant) == (6 + FREEDOMS[words], 0)


def test_an_axis_may_be_said_in_a_coordinate_system_of_the_body(tmp_path: Path) -> None:
    for said in ("FOLLOWER", "CS1"):
        (mate,) = read(write(tmp_path, f"revolute x in {said}")).mates
        assert mate.a.direction is not None
        # CS1 is the base body's own (the world's axes); the follower's x is y of the world.
        np.testing.assert_allclose(mate.a.direction, [0, 1, 0] if said == "FOLLOWER" else [1, 0, 0], atol=1e-12)


def test_a_joint_to_the_ground(tmp_path: Path) -> None:
    (mate,) = read(write(tmp_path, joints=joint(primitive("revolute z"), a="9"))).mates
    assert mate.a.component == GROUND


def test_a_subsystem_is_flexible_and_its_names_are_paths(tmp_path: Path) -> None:
    inner = body("c", frame("CS1", Pose(), 5))
    more = (
        f'<subsystems><Subsystem><name>"sub"</name><bodies>{inner}</bodies>'
        f"<joints>{joint(primitive('revolute z'), '1', '5')}</joints></Subsystem></subsystems>"
    )
    assembly = read(write(tmp_path, "revolute z", more=more))
    assert [c.name for c in assembly.components] == ["a", "b", "sub/c"]
    assert [m.name for m in assembly.mates] == ["J", "sub/J"]


def codes(assembly: Assembly) -> set[str]:
    return {f.code for f in assembly.findings}


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    cases = {
        ("revolute x", "revolute x"): "CB164",  # a universal joint without a cross
        ("revolute z in MOON",): "CB181",
        ("screw z",): "CB164",
    }
    for words, code in cases.items():
        assembly = read(write(tmp_path, *words))
        assert codes(assembly) == {code}, words
        assert not assembly.mates
        assert assembly.mates_in_file == 1
    assert codes(read(write(tmp_path, joints=joint(primitive("revolute z"), b="77")))) == {"CB162"}
    assert codes(read(write(tmp_path, joints=joint(primitive("revolute z"), b="1")))) == {"CB168"}
    circular = body("a", frame("CS1", Pose(), 1, "CS2"), frame("CS2", Pose(), 2, "CS1"))
    assert codes(read(write(tmp_path, bodies=circular))) == {"CB162"}
    assert codes(read(write(tmp_path, bodies=body("a", frame("CS1", Pose(), 1), frame("CS2", Pose(), 1))))) == {"CB162"}
    massless = body("a", frame("CS1", Pose(), 1), frame("CS2", Pose(), 2), mass="0")
    assert codes(read(write(tmp_path, bodies=massless))) == {"CB163", "CB168"}


def test_another_root_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.xml"
    file.write_text("<PhysicalModelingXMLFile/>")
    with pytest.raises(cb.InputError) as error:
        cb.read(file)
    assert error.value.findings[-1].code == "CB180"
