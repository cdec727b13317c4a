"""Every kind of joint, from hand-made files: what it holds, its sign, its limits."""

import math
from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import GROUND, Assembly, MateKind
from cadbridge.findings import Findings, Severity
from cadbridge.readers import ReadOptions
from cadbridge.shapes import load_breps
from cadbridge.simulation import MotorSpec, Scenario, simulate
from solver.functions import constant
from tests.readers.freecad.making import (
    ALONG_X,
    Maker,
    choice,
    edges,
    flag,
    group,
    link,
    number,
    placement,
    shape,
    whole,
    xlink,
)

Solids = dict[str, bytes]


def errors(assembly: Assembly) -> list[str]:
    return [f"{f.code}: {f.message}" for f in assembly.findings if f.severity is Severity.ERROR]


def read(maker: Maker, folder: Path) -> Assembly:
    assembly = cb.read(maker.save(folder / "made.FCStd"), options=ReadOptions(geometry=False))
    assert errors(assembly) == []
    return assembly


def two(solids: Solids, kind: str, refs: tuple[str, str] = ("A.Face1", "B.Face1"), **more: tuple[str, str]) -> Maker:
    """Two boxes, the first grounded; the connectors are their origins."""
    made = Maker()
    made.part("A", solids["box"])
    made.part("B", solids["box"])
    made.joint("J", kind, refs, **more)
    made.ground("A")
    made.assembly("A", "B")
    return made


@pytest.mark.parametrize(
    ("kind", "more", "rows", "joint"),
    [
        ("Fixed", {}, 6, None),
        ("Revolute", {}, 5, "revolute"),
        ("Cylindrical", {}, 4, "cylindrical"),
        ("Slider", {}, 5, "prismatic"),
        ("Ball", {}, 3, "spherical"),
        ("Parallel", {}, 2, "generic"),
        ("Angle", {"Distance": number(0.0)}, 2, "generic"),
        ("Distance", {"Distance": number(0.0)}, 3, "planar"),
    ],
)
def test_rows_and_freedom(
    solids: Solids, tmp_path: Path, kind: str, more: dict[str, tuple[str, str]], rows: int, joint: str | None
) -> None:
    assembly = read(two(solids, kind, **more), tmp_path)
    mechanism = cb.build(assembly)
    found = cb.diagnose(mechanism).mobility
    assert assembly.mates_in_file == len(assembly.mates) == 1
    assert (found.rows, found.dof) == (rows, 6 - rows)
    assert [j.type for j in mechanism.joints] == ([joint] if joint else [])


@pytest.mark.parametrize(("kind", "more"), [("Perpendicular", {}), ("Angle", {"Angle": number(90.0)})])
def test_axes_at_an_angle(solids: Solids, tmp_path: Path, kind: str, more: dict[str, tuple[str, str]]) -> None:
    made = two(solids, kind, second=placement(q=ALONG_X), **more)
    mechanism = cb.build(read(made, tmp_path))
    assert cb.diagnose(mechanism).mobility.dof == 5
    assert "CB207" not in {f.code for f in mechanism.findings}


def test_an_angle_of_1_0_is_in_its_distance(solids: Solids, tmp_path: Path) -> None:
    assembly = read(two(solids, "Angle", Distance=number(-30.0)), tmp_path)
    assert assembly.mates[0].kind is MateKind.ANGLE
    assert assembly.mates[0].value == pytest.approx(math.radians(30.0))


def test_offsets_are_in_the_connectors_already(solids: Solids, tmp_path: Path) -> None:
    """FreeCAD writes Placement with the offset applied: to apply it again would part the connectors."""
    made = two(solids, "Revolute", first=placement((0, 0, 7)), Offset1=placement((0, 0, 7)))
    made.objects["B"][1]["Placement"] = placement((0, 0, 7))
    mechanism = cb.build(read(made, tmp_path))
    assert "CB207" not in {f.code for f in mechanism.findings}
    np.testing.assert_allclose(mechanism.joints[0].X_AJ.p, [0, 0, 7e-3], atol=1e-12)


def test_limits_count_from_the_designed_pose(solids: Solids, tmp_path: Path) -> None:
    """The slider stands at 4 mm of 1 … 9 mm; a maximum that is not enabled is none; swapped ends are put right."""
    limits = {
        "EnableLengthMin": flag(True),
        "EnableLengthMax": flag(True),
        "LengthMin": number(9.0),
        "LengthMax": number(1.0),
    }
    made = two(solids, "Slider", **limits)
    made.objects["B"][1]["Placement"] = placement((0, 0, 4))
    limit = read(made, tmp_path).mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == (pytest.approx(-3e-3), pytest.approx(5e-3))
    made = two(solids, "Revolute", EnableAngleMin=flag(True), AngleMin=number(-90.0), AngleMax=number(45.0))
    limit = read(made, tmp_path).mates[0].limit
    assert limit is not None
    assert (limit.lower, limit.upper) == (pytest.approx(-math.pi / 2), None)


@pytest.mark.parametrize("switch", [{"Activated": flag(False)}, {"Suppressed": flag(True)}])
def test_a_joint_switched_off_is_told(solids: Solids, tmp_path: Path, switch: dict[str, tuple[str, str]]) -> None:
    assembly = read(two(solids, "Revolute", **switch), tmp_path)
    assert assembly.mates == ()
    assert assembly.mates_in_file == 1
    assert "CB1304" in {f.code for f in assembly.findings}
    # The cure is to switch it on, not to recognise the joints anew.
    (floating,) = (f for f in cb.build(assembly).findings if f.code == "CB415")
    assert "Switch" in floating.hint


def test_the_list_of_joint_types_is_read_not_assumed(solids: Solids, tmp_path: Path) -> None:
    made = two(solids, "Fixed", JointType=choice("Ball", ("Fixed", "Ball", "Revolute")))
    assert read(made, tmp_path).mates[0].kind is MateKind.SPHERICAL
    for unknown in ("Magnetic", "²"):
        made = two(solids, "Fixed", JointType=choice(unknown, ("Fixed", unknown)))
        assembly = cb.read(made.save(tmp_path / "unknown.FCStd"), options=ReadOptions(geometry=False))
        assert assembly.mates == ()
        assert [f.code for f in assembly.findings if f.severity is Severity.ERROR] == ["CB1228"]


# --- distances by the kinds of what they name ---

ELEMENTS = {
    "plane": ("box", "Face", "plane"),
    "cylinder": ("cylinder", "Face", "cylinder"),
    "sphere": ("sphere", "Face", "sphere"),
    "torus": ("torus", "Face", "torus"),
    "line": ("box", "Edge", "line"),
    "circle": ("cylinder", "Edge", "circle"),
    "point": ("box", "Vertex", "point"),
}
DISTANCES = [
    # (one, other, kind, rows, radii that add in mm, at a distance of 3 mm)
    ("plane", "plane", MateKind.PLANAR, 3, 0.0),
    ("plane", "cylinder", MateKind.COINCIDENT, 2, 5.0),
    ("plane", "sphere", MateKind.COINCIDENT, 1, 5.0),
    ("plane", "torus", MateKind.PLANAR, 3, 0.0),
    ("cylinder", "cylinder", MateKind.DISTANCE, 3, 10.0),
    ("cylinder", "sphere", MateKind.DISTANCE, 1, 10.0),
    ("sphere", "sphere", MateKind.DISTANCE, 1, 10.0),
    ("plane", "line", MateKind.COINCIDENT, 2, 0.0),
    ("plane", "point", MateKind.COINCIDENT, 1, 0.0),
    ("cylinder", "point", MateKind.DISTANCE, 1, 5.0),
    ("sphere", "point", MateKind.DISTANCE, 1, 5.0),
    ("line", "line", MateKind.DISTANCE, 3, 0.0),
    ("line", "circle", MateKind.DISTANCE, 3, 5.0),
    ("circle", "circle", MateKind.DISTANCE, 3, 10.0),
    ("line", "point", MateKind.DISTANCE, 1, 0.0),
    ("circle", "point", MateKind.COINCIDENT, 1, 0.0),
    ("point", "point", MateKind.DISTANCE, 1, 0.0),
]


@pytest.fixture(scope="module")
def names(solids: Solids) -> dict[str, tuple[str, str]]:
    """Of each kind: the solid and the first element of it that is of that kind."""
    shapes = load_breps(solids, Path("made"), Findings())
    found = {}
    for kind, (solid, element, wanted) in ELEMENTS.items():
        kinds = {
            "Face": [f.kind for f in shapes[solid].shape.faces],
            "Edge": [k for k, _ in shapes[solid].edges],
            "Vertex": ["point"],
        }[element]
        found[kind] = (solid, f"{element}{kinds.index(wanted) + 1}")
    return found


@pytest.fixture(scope="module")
def distances(solids: Solids, names: dict[str, tuple[str, str]], tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """Every pair in either order, between links to four solids, in one file: meshing them is what takes long."""
    made = Maker()
    for solid, brep in solids.items():
        made.part(solid, brep)
    members = []
    for i, (one, other, *_) in enumerate(DISTANCES):
        for j, refs in enumerate(((one, other), (other, one))):
            for side, element, x in (("A", refs[0], 0.0), ("B", refs[1], 40.0)):
                members.append(f"{side}{i}{'ab'[j]}")
                at = placement((x, 0.0, x))
                made.add(members[-1], "App::Link", LinkedObject=xlink(names[element][0]), Placement=at)
            paths = tuple(f"{m}.{names[e][1]}" for m, e in zip(members[-2:], refs, strict=True))
            made.joint(f"J{i}{'ab'[j]}", "Distance", (paths[0], paths[1]), Distance=number(3.0))
    made.ground(members[0])
    made.assembly(*members)
    assembly = cb.read(made.save(tmp_path_factory.mktemp("distances") / "made.FCStd"))
    assert errors(assembly) == []
    assert len(assembly.mates) == 2 * len(DISTANCES)
    return assembly


@pytest.mark.parametrize("order", "ab")
@pytest.mark.parametrize("index", range(len(DISTANCES)))
def test_distances(distances: Assembly, index: int, order: str) -> None:
    one, other, kind, rows, radii = DISTANCES[index]
    mate = next(m for m in distances.mates if m.name == f"J{index}{order}")
    found = next(r for r in cb.build(distances).mate_rows if r.mate == mate.name)
    first = "A" if order == "a" or one == other else "B"
    assert (mate.kind, mate.a.component[0]) == (kind, first)
    assert mate.value == pytest.approx((3.0 + radii) * 1e-3)
    assert found.rows == rows


def test_a_distance_to_the_edges_of_a_sketch(solids: Solids, names: dict[str, tuple[str, str]], tmp_path: Path) -> None:
    """FreeCAD knows a line of a sketch, and the radius of a circle; both were held as planes."""
    made = Maker()
    made.part("A", solids["box"])
    made.members |= {"Sketch.brp": edges(tmp_path), "Body.brp": solids["box"]}
    made.add("Sketch", "Sketcher::SketchObject", Shape=shape("Sketch.brp"), Placement=placement((0.0, 0.0, 2.0)))
    made.add("Body", "PartDesign::Body", Shape=shape("Body.brp"), Group=group("Sketch"))
    made.joint("Line", "Distance", (f"A.{names['plane'][1]}", "Body.Sketch.Edge1"), Distance=number(3.0))
    made.joint("Circle", "Distance", ("A.Edge1", "Body.Sketch.Edge2"), Distance=number(3.0))
    made.ground("A")
    made.assembly("A", "Body")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"))
    assert errors(assembly) == []
    assert "CB1231" not in {f.code for f in assembly.findings}
    line, circle = assembly.mates
    assert (line.kind, circle.kind) == (MateKind.COINCIDENT, MateKind.DISTANCE)
    assert (line.value, circle.value) == (pytest.approx(3e-3), pytest.approx(7e-3))
    assert [p.name for p in assembly.parts] == ["A", "Body"]


def test_a_distance_without_a_rule_is_held_as_planes_and_told(solids: Solids, tmp_path: Path) -> None:
    assembly = read(two(solids, "Distance", ("A.", "B.Face1")), tmp_path)
    assert assembly.mates[0].kind is MateKind.PLANAR
    assert "CB1231" in {f.code for f in assembly.findings}


def test_a_distance_to_a_part_whose_file_is_missing_is_left_out(solids: Solids, tmp_path: Path) -> None:
    """It was held as between planes, whatever its face was."""
    made = Maker()
    made.part("A", solids["box"])
    made.add("B", "App::Link", LinkedObject=xlink("Body", file="gone.FCStd"))
    made.joint("Joint", "Distance", ("A.Face1", "B.Face1"), Distance=number(3.0))
    made.ground("A")
    made.assembly("A", "B")
    (tmp_path / "gone.FCStd").mkdir()
    assembly = cb.read(made.save(tmp_path / "made.FCStd"))
    assert assembly.mates == ()
    assert {"CB106", "CB1273"} <= {f.code for f in assembly.findings}
    assert any(f.message.endswith("gone.FCStd is a folder") for f in assembly.findings)


@pytest.mark.parametrize(
    ("value", "kind"), [(0.0, MateKind.SPHERICAL), (-3.0, MateKind.SPHERICAL), (3.0, MateKind.DISTANCE)]
)
def test_points_without_a_distance_are_a_ball(solids: Solids, tmp_path: Path, value: float, kind: MateKind) -> None:
    """FreeCAD asks whether the distance is below its precision, and 1.0 let people write a negative one."""
    made = two(solids, "Distance", ("A.Vertex1", "B.Vertex1"), Distance=number(value))
    assert read(made, tmp_path).mates[0].kind is kind


# --- datums ---


@pytest.mark.parametrize(
    ("first", "second"), [("Origin.Level.", "A.Face1"), ("A.Face1", "Origin.Level."), ("Loose.Level.", "A.Face1")]
)
def test_a_datum_of_the_assembly_is_the_ground(
    solids: Solids, names: dict[str, tuple[str, str]], tmp_path: Path, first: str, second: str
) -> None:
    """FreeCAD holds the origin still, and what stands loose beside it. z of the second is 4 mm above the first's."""
    face = names["plane"][1]
    refs = (first.replace("Face1", face), second.replace("Face1", face))
    made = Maker()
    made.part("A", solids["box"], (1.0, 0.0, 4.0))
    made.add("Level", "App::Plane", Placement=placement((0.0, 0.0, 3.0)))
    made.add("Origin", "App::Origin")
    made.add("Loose", "Part::LocalCoordinateSystem", MapMode=whole(0), Placement=placement((0.0, 0.0, 1.0)))
    above = -2.0 if first.startswith("A") else 3.0 if first.startswith("Loose") else 2.0
    up = placement((0.0, 0.0, 1.0)) if not first.startswith("Loose") else placement((0.0, 0.0, 3.0))
    sides = (None, up) if second.startswith("A") else (up, None)
    made.joint("J", "Distance", refs, *sides, Distance=number(above))
    made.assembly("A", "Loose", Origin=link("Origin"))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"))
    assert errors(assembly) == []
    mechanism = cb.build(assembly)
    assert "CB207" not in {f.code for f in mechanism.findings}
    assert {assembly.mates[0].a.component, assembly.mates[0].b.component} == {"A", GROUND}
    assert cb.diagnose(mechanism).mobility.dof == 3


def test_a_datum_that_is_grounded_is_no_fault_and_an_attached_one_is_no_ground(solids: Solids, tmp_path: Path) -> None:
    made = Maker()
    made.part("A", solids["box"])
    for name, mode in (("Loose", 0), ("Attached", 3)):
        made.add(name, "Part::DatumPlane", MapMode=whole(mode))
        made.joint(f"Joint{name}", "Fixed", (f"{name}.", "A.Face1"))
    made.ground("Loose")
    made.assembly("A", "Loose", "Attached")
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=ReadOptions(geometry=False))
    assert errors(assembly) == []
    # In FreeCAD it holds nothing, for the solver takes the datum for a body of its own.
    (told,) = (f for f in assembly.findings if f.code == "CB1272")
    assert (told.severity, told.where.item, told.items) == ("warning", "JointAttached", ("JointAttached", "Attached"))
    assert [m.name for m in assembly.mates] == ["JointLoose"]


# --- gears, belts, racks, screws ---


def pair(
    solids: Solids, coupling: str, slides: bool, second: tuple[str, str] | None = None, **more: tuple[str, str]
) -> Maker:
    """A wheel B about z at the origin, and a wheel C 30 mm beside it, or a slider C along x."""
    made = Maker()
    for name in ("A", "B", "C"):
        made.part(name, solids["cylinder"])
    made.joint("JB", "Revolute", ("A.Face1", "B.Face1"))
    if slides:
        made.joint("JC", "Slider", ("A.Face1", "C.Face1"), placement(q=ALONG_X), placement(q=ALONG_X))
        made.joint("K", coupling, ("C.Face1", "B.Face1"), placement(q=ALONG_X), placement(), **more)
    else:
        made.objects["C"][1]["Placement"] = placement((30.0, 0.0, 0.0))
        made.joint("JC", "Revolute", ("A.Face1", "C.Face1"), placement((30.0, 0.0, 0.0)))
        made.joint("K", coupling, ("B.Face1", "C.Face1"), None, second, **more)
    made.ground("A")
    made.assembly("A", "B", "C")
    return made


def ratio(assembly: Assembly) -> float:
    """Rate of JC at one of JB of 1 rad/s."""
    mechanism = cb.build(assembly)
    assert cb.diagnose(mechanism).mobility.dof == 1
    run = simulate(mechanism, Scenario(duration=0.1, rate=10.0, motors=(MotorSpec("JB", speed=constant(1.0)),)))
    assert run.result.status.ok
    names = [j.name for j in run.lowered.joints]
    return float(run.result.trajectory.coordinate_rates[-1, names.index("JC")])


@pytest.mark.parametrize(
    ("kind", "radii", "expected"),
    [("Gears", (10.0, 20.0), -0.5), ("Belt", (5.0, 20.0), 0.25), ("Belt", (7.0, 7.0), 1.0)],
)
def test_gears_and_belts(
    solids: Solids, tmp_path: Path, kind: str, radii: tuple[float, float], expected: float
) -> None:
    made = pair(solids, kind, slides=False, Distance=number(radii[0]), Distance2=number(radii[1]))
    assert ratio(read(made, tmp_path)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("kind", "expected"), [("Gears", 0.5), ("Belt", -0.5)])
def test_a_gear_with_its_connectors_against_each_other_turns_the_other_way(
    solids: Solids, tmp_path: Path, kind: str, expected: float
) -> None:
    """r_J θ_J = −r_I θ_I, each about its own z (GearConstraintIJ): who picks a top and a bottom edge takes Belt."""
    down = placement(q=(1.0, 0.0, 0.0, 0.0))
    made = pair(solids, kind, slides=False, second=down, Distance=number(10.0), Distance2=number(20.0))
    assert ratio(read(made, tmp_path)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("kind", "expected"), [("Gears", -2.0), ("Belt", 2.0)])
def test_gears_on_axes_that_are_square(solids: Solids, tmp_path: Path, kind: str, expected: float) -> None:
    """The same law; it was refused as a spur gear whose axes are not parallel (CB220)."""
    across = placement(q=ALONG_X)
    made = pair(solids, kind, slides=False, second=across, Distance=number(20.0), Distance2=number(10.0))
    made.objects["C"][1]["Placement"] = placement((20.0, 0.0, 10.0))
    made.objects["JC"][1].update(Placement1=placement((20.0, 0.0, 10.0), ALONG_X), Placement2=across)
    assert ratio(read(made, tmp_path)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("radius", [10.0, -10.0])
def test_rack_and_pinion(solids: Solids, tmp_path: Path, radius: float) -> None:
    """The bar runs along x, its pinion turns about z: the rack moves by radius × turn."""
    assembly = read(pair(solids, "RackPinion", slides=True, Distance=number(radius)), tmp_path)
    assert ratio(assembly) == pytest.approx(radius * 1e-3, abs=1e-12)


def test_a_rack_without_a_slider_is_told(solids: Solids, tmp_path: Path) -> None:
    made = pair(solids, "RackPinion", slides=False, Distance=number(10.0))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=ReadOptions(geometry=False))
    assert assembly.couplings == ()
    assert [f.code for f in assembly.findings if f.severity is Severity.ERROR] == ["CB181"]


def test_screw(solids: Solids, tmp_path: Path) -> None:
    """2π z = pitch × turn, of the second in the first: the nut goes back by the pitch a turn."""
    made = Maker()
    for name in ("A", "B", "C"):
        made.part(name, solids["cylinder"])
    made.joint("JB", "Revolute", ("A.Face1", "B.Face1"))
    made.joint("JC", "Slider", ("A.Face1", "C.Face1"))
    made.joint("K", "Screw", ("C.Face1", "B.Face1"), Distance=number(8.0))
    made.ground("A")
    made.assembly("A", "B", "C")
    assembly = read(made, tmp_path)
    assert "CB1271" not in {f.code for f in assembly.findings}
    assert ratio(assembly) == pytest.approx(-8e-3 / (2 * math.pi), abs=1e-12)


def test_a_screw_that_freecad_leaves_out_is_told(solids: Solids, tmp_path: Path) -> None:
    """It has none where no slider holds a side; the coupling stays here."""
    made = two(solids, "Cylindrical")
    made.joint("K", "Screw", ("A.Face1", "B.Face1"), Distance=number(8.0))
    made.objects["Joints"][1]["Group"] = group("J", "GroundedA", "K")
    assembly = read(made, tmp_path)
    assert [c.name for c in assembly.couplings] == ["K"]
    assert [(f.where.item, f.severity) for f in assembly.findings if f.code == "CB1271"] == [("K", Severity.WARNING)]


@pytest.mark.parametrize("kind", ["Gears", "Screw", "Belt"])
def test_a_zero_radius_is_refused(solids: Solids, tmp_path: Path, kind: str) -> None:
    made = pair(solids, kind, slides=False, Distance=number(0.0))
    assembly = cb.read(made.save(tmp_path / "made.FCStd"), options=ReadOptions(geometry=False))
    assert assembly.couplings == ()
    assert "CB181" in {f.code for f in assembly.findings}
