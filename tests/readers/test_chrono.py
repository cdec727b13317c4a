"""Chrono::SolidWorks' Python files: parsed, never run. Hand-made samples in the exporter's form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, FeatureKind, MateKind
from cadbridge.readers.chrono import read

HEAD = """# PyChrono model automatically generated using Chrono::SolidWorks add-in
# Assembly: C:\\Users\\new\\x.SLDASM
import pychrono as chrono
exported_items = []
body_1 = chrono.ChBodyAuxRef()
body_1.SetName('base-1')
body_1.SetPos(chrono.ChVector3d(0,0,0))
body_1.SetRot(chrono.ChQuaterniond(1,0,0,0))
body_1.SetFixed(True)
body_1.SetMass(2)
body_1.SetInertiaXX(chrono.ChVector3d(1,2,2.5))
body_1.SetInertiaXY(chrono.ChVector3d(0.1,0.2,-0.3))
body_1.SetFrameCOMToRef(chrono.ChFramed(chrono.ChVector3d(0.5,0,0),chrono.ChQuaterniond(1,0,0,0)))
body_2 = chrono.ChBodyAuxRef()
body_2.SetName('arm-1')
body_2.SetPos(chrono.ChVector3d(1,0,0))
body_2.SetRot(chrono.ChQuaterniond(0.7071067811865476,0,0,0.7071067811865476))
cA = chrono.ChVector3d(1,0,0.25)
cB = chrono.ChVector3d(1,0,0)
dA = chrono.ChVector3d(0,0,-1)
dB = chrono.ChVector3d(0,0,1)
"""


def link(kind: str, name: str, arguments: str, number: int = 1, *extra: str) -> str:
    said = "".join(f"link_{number}.{e}\n" for e in extra)
    return f"""link_{number} = chrono.ChLink{kind}()
{said}link_{number}.Initialize(body_2,body_1,False,{arguments})
link_{number}.SetName('{name}')
exported_items.append(link_{number})
"""


def write(folder: Path, *links: str, head: str = HEAD) -> Path:
    file = folder / "model.py"
    file.write_text(head + "".join(links))
    return file


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


def test_bodies_have_their_places_and_masses(tmp_path: Path) -> None:
    assembly = cb.read(write(tmp_path))
    assert assembly.format == "chrono"
    assert [(c.name, c.grounded) for c in assembly.components] == [("base-1", True), ("arm-1", False)]
    mass = assembly.part("base-1").declared
    assert mass is not None
    np.testing.assert_allclose(mass.com, [0.5, 0, 0])
    np.testing.assert_allclose(mass.inertia, [[1, 0.1, 0.2], [0.1, 2, -0.3], [0.2, -0.3, 2.5]])
    arm = assembly.component("arm-1").X_WC
    np.testing.assert_allclose(arm.p, [1, 0, 0])
    np.testing.assert_allclose(arm.R @ [1, 0, 0], [0, 1, 0], atol=1e-12)


def test_two_links_of_one_name_are_one_mate(tmp_path: Path) -> None:
    plane = link("MateDistanceZ", "Distance1", "cA,cB,dB", 1, "SetDistance(0.25)")
    plane += link("MateParallel", "Distance1", "cA,cB,dA,dB", 2, "SetFlipped(True)")
    axis = link("MateParallel", "Concentric1", "cA,cB,dA,dB", 3)
    flags = "SetConstrainedCoords(True, True, False, False, False, False)"
    axis += link("MateGeneric", "Concentric1", "cA,cB,dA,dB", 4, flags)
    assembly = read(write(tmp_path, plane, axis))
    assert not codes(assembly)
    one, two = assembly.mates
    assert (one.name, one.kind, one.a.kind, one.b.kind) == (
        "Distance1", MateKind.COINCIDENT, FeatureKind.PLANE, FeatureKind.PLANE,
    )  # fmt: skip
    assert (one.value, one.a.component) == (0.25, "base-1")
    assert (two.name, two.kind) == ("Concentric1", MateKind.CONCENTRIC)
    assert assembly.mates_in_file == 2
    mechanism = cb.build(assembly)
    assert not [f for f in mechanism.findings if f.code == "CB207"]
    (joint,) = mechanism.joints
    assert joint.type == "revolute"


def test_a_hinge_is_two_mates(tmp_path: Path) -> None:
    hinge = link("MateCylindrical", "Hinge1", "cA,cB,dA,dB", 1)
    hinge += link("MateDistanceZ", "Hinge1", "cA,cB,dB", 2, "SetDistance(0.25)")
    assembly = read(write(tmp_path, hinge))
    assert [(m.name, m.kind) for m in assembly.mates] == [
        ("Hinge1", MateKind.CONCENTRIC),
        ("Hinge1 2", MateKind.COINCIDENT),
    ]
    assert assembly.mates_in_file == 2
    mobility = cb.diagnose(cb.build(assembly)).mobility
    assert (mobility.dof, mobility.redundant) == (1, 0)


FREEDOMS = {
    "MateParallel": 4, "MateOrthogonal": 5, "MateCoaxial": 2, "MatePlanar": 3, "MateRevolute": 1,
    "MatePrismatic": 1, "MateFix": 0,
}  # fmt: skip


@pytest.mark.parametrize("kind", FREEDOMS)
def test_single_links_leave_their_freedoms(kind: str, tmp_path: Path) -> None:
    head = HEAD.replace("ChVector3d(1,0,0.25)", "ChVector3d(1,0,0)")
    if kind == "MateOrthogonal":
        head = head.replace("dA = chrono.ChVector3d(0,0,-1)", "dA = chrono.ChVector3d(0,1,0)")
    assembly = read(write(tmp_path, link(kind, "L", "cA,cB,dA,dB"), head=head))
    assert not codes(assembly)
    assert cb.diagnose(cb.build(assembly)).mobility.dof == FREEDOMS[kind]


def test_nothing_of_the_file_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    hostile = f"open({str(trap)!r}, 'w')\nimport os; os.mkdir({str(trap)!r})\n[open({str(trap)!r}, 'w') for _ in 'a']\n"
    hostile += f"body_1.SetName(open({str(trap)!r}, 'w').name)\n"
    assembly = read(write(tmp_path, hostile))
    assert not trap.exists()
    assert len(assembly.components) == 2


def test_what_cannot_be_carried_over_is_told(tmp_path: Path) -> None:
    cases = {
        "CB1303": [link("MateRackPinion", "L", "cA,cB,dA,dB"), link("MateGeneric", "L", "cA,cB,dA,dB")],
        "CB162": [link("MateFix", "L", "cA,cB").replace("body_2,", "body_9,")],
        "CB181": [
            link("MateParallel", "L", "cA,cB"),
            link("MateParallel", "L", "cA,cZ,dA,dB"),
            link("MateParallel", "L", "cA,cB,dA,dB").replace("False", "True"),
            link("MateDistanceZ", "L", "cA,cB,dB", 1, "SetDistance('far')"),
        ],
        "CB168": [link("MateFix", "L", "cA,cB").replace("body_2,", "body_1,")],
    }
    for code, wrong in cases.items():
        for said in wrong:
            assembly = read(write(tmp_path, said))
            assert codes(assembly) == [code], said
            assert (assembly.mates_in_file, len(assembly.mates)) == (1, 0)


@pytest.mark.parametrize("text", ["", "x = (", "# Chrono::SolidWorks\n", "\0", "(" * 300 + ")" * 300])
def test_what_is_no_export_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(cb.InputError) as error:
        read(write(tmp_path, head=text))
    assert error.value.findings[-1].code == "CB180"


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("body_1.SetPos(chrono.ChVector3d(\n    1,  # over three lines\n    -2.5e-1, +.5,\n))", (1, -0.25, 0.5)),
        ("here = chrono.ChVector3d(1, 2, 3)\nbody_1.SetPos(here)", (1, 2, 3)),
        ('"""A long\nstring (unclosed"""\nbody_1.SetPos(chrono.ChVector3d(1,0,0))', (1, 0, 0)),
        ("if 1:\n    body_1.SetPos(chrono.ChVector3d(9,9,9))\nelse:\n    pass", (0, 0, 0)),
        ("body_1.SetName(r'base-1')\nbody_1.SetTag('a(', \"#,\")", (0, 0, 0)),
        ("total = [1, 2][0] + (3)", (0, 0, 0)),
    ],
)
def test_the_forms_of_python_that_it_may_hold(written: str, place: tuple[float, ...], tmp_path: Path) -> None:
    base = cb.read(write(tmp_path, written + "\n")).component("base-1")
    assert tuple(base.X_WC.p) == place


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("body_1.SetPos(chrono.ChVector3d(1 + 1,0,0))", "no place"),
        ("body_1 = chrono.ChBodyAuxRef()\nbody_1.SetPos(nothing)", "no place"),
        ("body_1.SetPos(chrono.ChVector3d(over there,0,0))", "line 22"),
        ("body_1.SetPos(chrono.ChVector3d(1,0,0)", "line 22"),
        ("body_1.SetPos(" + "(" * 70 + ")" * 71, "deeper than 60"),
        ("x = '", "line 22"),
    ],
)
def test_a_statement_that_says_nothing_is_told(written: str, message: str, tmp_path: Path) -> None:
    try:
        told = cb.read(write(tmp_path, written + "\n")).findings
    except cb.InputError as error:
        told = tuple(error.findings)
    assert any(message in f.message or message == f"line {f.where.line}" for f in told), told


GROUND_FIRST = HEAD.replace(
    "body_1 = chrono",
    "body_0 = chrono.ChBodyAuxRef()\nbody_0.SetName('ground')\nbody_0.SetBodyFixed(True)\nbody_1 = chrono",
)


def test_the_exporters_ground_is_the_ground(tmp_path: Path) -> None:
    text = link("MateSpherical", "Ball1", "cB,cB").replace("body_1", "body_0")
    assembly = read(write(tmp_path, text, head=GROUND_FIRST))
    assert not codes(assembly)
    assert [c.name for c in assembly.components] == ["base-1", "arm-1"]
    assert [(m.a.component, m.b.component) for m in assembly.mates] == [("ground", "arm-1")]


def test_a_mate_without_a_link_and_a_computed_mass_are_told(tmp_path: Path) -> None:
    limit = "# Mate constraint: LimitDistance1 [MateLimitDistanceDim] type:5 align:0 flip:False\n"
    ball = "# Mate constraint: Ball [MateX] type:5\n" + link("MateSpherical", "Ball", "cB,cB")
    head = HEAD.replace("body_1.SetMass(2)", "body_1.SetMass(2*c)")
    assembly = read(write(tmp_path, limit, ball, head=head))
    assert [(f.code, f.where.item) for f in assembly.findings] == [("CB1314", "base-1"), ("CB1315", "LimitDistance1")]
    assert all(f.severity == "warning" and f.where.line for f in assembly.findings)
    assert len(assembly.mates) == 1
    assert assembly.part("base-1").declared is None


def test_a_body_without_a_place_stands_at_the_origin(tmp_path: Path) -> None:
    head = HEAD.replace("body_2.SetPos(chrono.ChVector3d(1,0,0))\n", "")
    np.testing.assert_allclose(read(write(tmp_path, head=head)).component("arm-1").X_WC.p, [0, 0, 0])
    broken = HEAD.replace("body_2.SetPos(chrono.ChVector3d(1,0,0))", "body_2.SetPos(chrono.ChVector3d(1,0))")
    assert codes(read(write(tmp_path, head=broken))) == ["CB181"]


@pytest.mark.parametrize("free", ["False, True, True", "True, True, False"])
def test_older_and_newer_concentric_mates_are_one(free: str, tmp_path: Path) -> None:
    # Up to Chrono 8 a link's direction is the x of its frame, from 9 on the z.
    axis = link("MateParallel", "Concentric1", "cA,cB,dA,dB", 1, "SetFlipped(True)")
    axis += link("MateGeneric", "Concentric1", "cA,cB,dA,dB", 2, f"SetConstrainedCoords({free}, False, False, False)")
    assembly = read(write(tmp_path, axis))
    assert not codes(assembly)
    assert [m.kind for m in assembly.mates] == [MateKind.CONCENTRIC]
