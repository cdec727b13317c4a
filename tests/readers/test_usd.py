"""OpenUSD robots: units, masses, joints and couplings by UsdPhysics' rules; layers within bounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.assembly import Assembly, CouplingKind, MateKind
from cadbridge.exporters import export
from cadbridge.exporters.tree import spanning_tree
from cadbridge.findings import Severity
from cadbridge.folders import Folders
from cadbridge.lowering import lower
from cadbridge.readers.usd import robot, stage
from cadbridge.readers.usd.joints import AXES
from cadbridge.shapes.checking import checked
from cadbridge.shapes.packing import pack, unpack
from solver.equations.system import prepare
from solver.state import State
from solver.steps.methods import slope_at
from tests.exporters import models

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
HEAD = '#usda 1.0\n(defaultPrim = "r"\n metersPerUnit = 1\n upAxis = "Z")\n'
MASSED = (
    "float physics:mass = 2\nfloat3 physics:diagonalInertia = (0.1, 0.2, 0.25)\n"
    "quatf physics:principalAxes = (1, 0, 0, 0)\npoint3f physics:centerOfMass = (0, 0, 0)\n"
)


class Near:
    """The worker's work in this process: the same answer, sent and checked as its own, sooner."""

    def __init__(self, module: str, *, answers: dict[str, Any]) -> None:
        self._answers = answers
        assert module == "cadbridge.readers.usd.worker"

    def request(self, verb: str, arguments: dict[str, Any], limit: float) -> Any:
        source = Path(arguments["path"])
        answer = unpack(pack(stage.extract(source, Folders.of(source), arguments["geometry"])))
        return checked(answer, self._answers[verb])

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robot, "Worker", Near)


def body(name: str, inner: str = MASSED, place: tuple[float, ...] = (0, 0, 0), schemas: str = "") -> str:
    return (
        f'def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"{schemas}]) {{\n'
        f'double3 xformOp:translate = {place}\nuniform token[] xformOpOrder = ["xformOp:translate"]\n{inner}\n}}\n'
    )


def joint(kind: str, name: str, inner: str = "", a: str = "", b: str = "/r/arm", schemas: tuple[str, ...] = ()) -> str:
    applied = (
        f"(prepend apiSchemas = [{', '.join(map(chr(34).__add__, (s + chr(34) for s in schemas)))}])" if schemas else ""
    )
    ends = (f"rel physics:body0 = <{a}>\n" if a else "") + (f"rel physics:body1 = <{b}>\n" if b else "")
    return f'def Physics{kind} "{name}" {applied} {{\n{ends}{inner}\n}}\n'


def read(folder: Path, inner: str, head: str = HEAD, **options: Any) -> Assembly:
    source = folder / "robot.usda"
    source.write_text(f'{head}def Xform "r" {{\n{inner}\n}}\n', encoding="utf-8")
    return cb.read(source, options=cb.ReadOptions(no_cache=True, **options))


def codes(assembly: Assembly) -> list[str]:
    return [f.code for f in assembly.findings]


# --- units, masses ---


def test_centimetres_grams_and_y_up_become_si_and_z_up(near: None, tmp_path: Path) -> None:
    head = '#usda 1.0\n(metersPerUnit = 0.01\n kilogramsPerUnit = 0.001\n upAxis = "Y")\n'
    hinge = joint("RevoluteJoint", "h", 'uniform token physics:axis = "Y"\npoint3f physics:localPos0 = (100, 200, 300)')
    assembly = read(tmp_path, body("arm", MASSED, (100, 200, 300)) + hinge + 'def PhysicsScene "s" {}', head)
    assert codes(assembly) == ["CB1442"]
    (part,) = assembly.parts
    assert part.declared is not None
    assert part.declared.mass == pytest.approx(2e-3)
    np.testing.assert_allclose(np.diag(part.declared.inertia), np.array([0.1, 0.2, 0.25]) * 1e-7, rtol=1e-6)
    np.testing.assert_allclose(assembly.component("arm").X_WC.p, (1.0, -3.0, 2.0))
    (mate,) = assembly.mates
    assert mate.a.direction is not None
    np.testing.assert_allclose(mate.a.direction, (0, 0, 1), atol=1e-12)
    np.testing.assert_allclose(mate.a.point, (1.0, -3.0, 2.0), atol=1e-6)
    assert assembly.gravity == (0.0, 0.0, -9.81)


def test_units_that_are_not_stated_are_told_and_given_on_the_command_line(near: None, tmp_path: Path) -> None:
    inner = body("arm", MASSED, (100, 0, 0))
    plain = read(tmp_path, inner, "#usda 1.0\n")
    assert codes(plain) == ["CB1442", "CB1441"]
    assert "metersPerUnit (0.01), upAxis (Y)" in plain.findings[1].message
    np.testing.assert_allclose(plain.component("arm").X_WC.p, (1.0, 0.0, 0.0))
    given = read(tmp_path, inner, "#usda 1.0\n", length_unit="m")
    np.testing.assert_allclose(given.component("arm").X_WC.p, (100.0, 0.0, 0.0))
    assert "metersPerUnit" not in given.findings[1].message


COLLIDES = 'prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"]'
SOLIDS = {
    "box": 'def Cube "c" ({}) {{\ndouble size = 0.2\ndouble3 xformOp:scale = (1, 2, 3)\n'
    'uniform token[] xformOpOrder = ["xformOp:scale"]\n{}\n}}',
    "ball": 'def Sphere "c" ({}) {{\ndouble radius = 0.3\n{}\n}}',
    "rod": 'def Cylinder "c" ({}) {{\ndouble radius = 0.3\ndouble height = 0.7\nuniform token axis = "X"\n{}\n}}',
    "cone": 'def Cone "c" ({}) {{\ndouble radius = 0.3\ndouble height = 0.7\nuniform token axis = "Y"\n{}\n}}',
    "pill": 'def Capsule "c" ({}) {{\ndouble radius = 0.3\ndouble height = 0.7\nuniform token axis = "Z"\n{}\n}}',
}
_WEIGHTS = {
    "box": (0.048, (0.4**2 + 0.6**2, 0.2**2 + 0.6**2, 0.2**2 + 0.4**2), 1 / 12),
    "ball": (4 / 3 * np.pi * 0.027, (0.09, 0.09, 0.09), 2 / 5),
    "rod": (np.pi * 0.09 * 0.7, (6 * 0.09, 3 * 0.09 + 0.49, 3 * 0.09 + 0.49), 1 / 12),
    "cone": (np.pi * 0.09 * 0.7 / 3, (12 * 0.09 + 3 * 0.49, 24 * 0.09, 12 * 0.09 + 3 * 0.49), 1 / 80),
}
"""Volume, and the inertia about the centre for a mass of 1 as numbers times a factor, from tables."""


@pytest.mark.parametrize("solid", SOLIDS)
def test_a_body_without_a_mass_weighs_what_collides(solid: str, near: None, tmp_path: Path) -> None:
    inner = SOLIDS[solid].format(COLLIDES, "float physics:density = 500")
    assembly = read(tmp_path, body("arm", inner))
    assert codes(assembly) == ["CB190"]
    (part,) = assembly.parts
    assert part.declared is not None
    assert part.shape is not None
    if solid in _WEIGHTS:
        volume, inertia, factor = _WEIGHTS[solid]
        assert part.declared.mass == pytest.approx(500 * volume)
        np.testing.assert_allclose(np.diag(part.declared.inertia), 500 * volume * factor * np.array(inertia))
    weighed = cb.build(cb.read(tmp_path / "robot.usda", options=cb.ReadOptions(mass_from="mesh", density=500.0)))
    other = weighed.bodies[0].mass
    assert other is not None
    assert other.mass == pytest.approx(part.declared.mass, rel=1e-9)
    np.testing.assert_allclose(other.inertia, part.declared.inertia, rtol=2e-3, atol=1e-9)


def test_a_mass_is_shared_out_by_what_collides(near: None, tmp_path: Path) -> None:
    """Two balls, the second of twice the density: the body's own mass scales them, its centre lies between."""
    ball = 'def Sphere "{}" ({}) {{\ndouble radius = 0.1\ndouble3 xformOp:translate = ({}, 0, 0)\n' \
        'uniform token[] xformOpOrder = ["xformOp:translate"]\nfloat physics:density = {}\n}}\n'  # fmt: skip
    inner = "float physics:mass = 3\n" + ball.format("a", COLLIDES, 0, 300) + ball.format("b", COLLIDES, 1, 600)
    (part,) = read(tmp_path, body("arm", inner)).parts
    assert part.declared is not None
    assert part.declared.mass == pytest.approx(3)
    np.testing.assert_allclose(part.declared.com, (2 / 3, 0, 0), rtol=1e-6)
    np.testing.assert_allclose(np.diag(part.declared.inertia), 3 * 0.004 + np.array([0, 1, 1]) * 2 / 3, rtol=1e-6)


def test_what_nothing_gives_a_weight_is_told(near: None, tmp_path: Path) -> None:
    inner = body("arm", SOLIDS["ball"].format(COLLIDES, "")) + body("bare", "float physics:mass = 1\n")
    assembly = read(tmp_path, inner)
    assert [c for c in codes(assembly) if c != "CB190"] == ["CB1448", "CB1449"]
    ball = assembly.part("arm").declared
    assert ball is not None
    assert ball.mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.027)
    assert cb.build(assembly).bodies[1].mass is None


# --- joints ---


@pytest.mark.parametrize(
    ("locked", "kind", "freedoms"),
    [
        ("transX transY transZ rotX rotZ", "revolute", 1), ("transX transZ rotX rotY rotZ", "prismatic", 1),
        ("transX transZ rotX rotZ", "cylindrical", 2), ("transX transY transZ", "spherical", 3),
        ("transX rotY rotZ", "planar", 3), ("transX transY transZ rotY", "universal", 2),
        ("rotX rotY rotZ", "generic", 3), ("transX rotX rotY rotZ", "generic", 2),
        ("transX", "generic", 5), ("rotY", "generic", 5), ("transZ rotX", "generic", 4),
        ("transX transZ rotY", "generic", 3), ("transY rotX rotY", "generic", 3),
    ],
)  # fmt: skip
def test_locked_axes_make_the_joint(locked: str, kind: str, freedoms: int, near: None, tmp_path: Path) -> None:
    axes = locked.split()
    inner = "".join(f"float limit:{a}:physics:low = 1\nfloat limit:{a}:physics:high = -1\n" for a in axes)
    schemas = tuple(f"PhysicsLimitAPI:{a}" for a in axes)
    assembly = read(tmp_path, body("arm") + joint("Joint", "j", inner, schemas=schemas))
    mechanism = cb.build(assembly)
    assert not codes(assembly)
    assert cb.diagnose(mechanism).mobility.dof == freedoms
    (made,) = mechanism.joints
    assert made.type == kind
    free = set(AXES) - set(axes)
    if kind in ("revolute", "prismatic", "cylindrical"):
        axis = "XYZ".index(next(iter(free))[-1])
        np.testing.assert_allclose(np.abs(made.X_AJ.R[:, 2]), np.eye(3)[axis], atol=1e-9)


def test_limits_count_from_the_pose_in_the_file(near: None, tmp_path: Path) -> None:
    """The frames say that the joint stands at 30°; scale above the body moves its frame's position."""
    turn = "quatf physics:localRot1 = (0.9659258, 0, 0, 0.25881904)\n"
    inner = turn + (
        'uniform token physics:axis = "Z"\nfloat physics:lowerLimit = -90\nfloat physics:upperLimit = 45\n'
        "float physxJoint:maxJointVelocity = 180\nfloat drive:angular:physics:stiffness = 2\n"
        "float drive:angular:physics:damping = 0.5\nfloat drive:angular:physics:maxForce = 7\n"
        "float mjc:armature = 0.25\ndouble newton:damping = 0.1\n"
    )  # fmt: skip
    assembly = read(tmp_path, body("arm") + joint("RevoluteJoint", "j", inner, schemas=("PhysicsDriveAPI:angular",)))
    (mate,), (drive,) = assembly.mates, assembly.drives
    assert codes(assembly) == ["CB1451"]
    assert mate.limit is not None
    assert mate.limit.lower == pytest.approx(np.radians(-120), abs=1e-6)
    assert mate.limit.upper == pytest.approx(np.radians(15), abs=1e-6)
    assert (mate.limit.velocity, mate.limit.effort) == (pytest.approx(np.pi), 7.0)
    assert (mate.armature, mate.damping) == (0.25, pytest.approx(0.1 * 180 / np.pi))
    assert drive.law is not None
    stiffness = 2 * 180 / np.pi
    assert drive.law.gain == pytest.approx((stiffness, 0, 0))
    assert drive.law.bias == pytest.approx((-stiffness * np.radians(30), -stiffness, -0.5 * 180 / np.pi), rel=1e-6)
    assert drive.law.effort == (-7.0, 7.0)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("lowerLimit = -90", "lowerLimit = inf", "its lower limit is above its upper one"),
        ("upperLimit = 45", "upperLimit = -inf", "its lower limit is above its upper one"),
        ("maxForce = 7", "maxForce = -inf", "the largest force of its drive is below zero"),
        ("stiffness = 2", "stiffness = inf", "the law of its drive, which is not finite"),
        ("centerOfMass = (0", "centerOfMass = (inf", "its centre of mass is not finite"),
        ("lowerLimit = -90", "lowerLimit = -inf", ""),
        ("upperLimit = 45", "upperLimit = inf", ""),
        ("centerOfMass = (0, 0, 0)", "centerOfMass = (-inf, -inf, -inf)", ""),
    ],
)
def test_a_number_that_is_not_finite_is_told_where_it_does_not_stand_for_none(
    old: str, new: str, told: str, near: None, tmp_path: Path
) -> None:
    inner = (
        "float physics:lowerLimit = -90\nfloat physics:upperLimit = 45\nfloat drive:angular:physics:maxForce = 7\n"
        "float drive:angular:physics:stiffness = 2\n"
    )
    text = body("arm") + joint("RevoluteJoint", "j", inner, schemas=("PhysicsDriveAPI:angular",))
    assert old in text
    found = [f.message for f in read(tmp_path, text.replace(old, new)).findings]
    assert any(told in message for message in found) if told else not found


def test_a_scaled_body_has_its_frames_where_its_points_are(near: None, tmp_path: Path) -> None:
    scaled = (
        'def Xform "s" { float3 xformOp:scale = (2, 3, 4)\nuniform token[] xformOpOrder = ["xformOp:scale"]\n'
        + body("arm", MASSED.replace("(0, 0, 0)", "(1, 1, 1)"), (1, 1, 1)) + "}\n"
    )  # fmt: skip
    inner = scaled + joint("SphericalJoint", "j", "point3f physics:localPos1 = (1, 0, 0)", b="/r/s/arm")
    assembly = read(tmp_path, inner)
    np.testing.assert_allclose(assembly.component("arm").X_WC.p, (2, 3, 4))
    (part,) = assembly.parts
    assert part.declared is not None
    np.testing.assert_allclose(part.declared.com, (2, 3, 4))
    (mate,) = assembly.mates
    np.testing.assert_allclose(mate.b.point, (2, 0, 0))
    # The world's end lies elsewhere: the body stays.
    assert codes(assembly) == ["CB1456"]
    np.testing.assert_allclose(mate.a.point, (4, 3, 4))


def test_bodies_that_the_world_holds_stand_and_others_are_what_the_file_makes_of_them(
    near: None, tmp_path: Path
) -> None:
    idle = MASSED + "bool physics:kinematicEnabled = 1\n"
    inner = (
        body("ground") + body("arm") + body("led", idle) + joint("FixedJoint", "hold", b="/r/ground")
        + joint("FixedJoint", "weld", a="/r/ground")
        + joint("RevoluteJoint", "off", "bool physics:jointEnabled = 0", a="/r/ground")
        + joint("RevoluteJoint", "nowhere", a="/r/missing")
        + joint("DistanceJoint", "rope", "float physics:maxDistance = 1", a="/r/ground")
    )  # fmt: skip
    assembly = read(tmp_path, inner)
    assert [c.name for c in assembly.components if c.grounded] == ["world", "led"]
    assert [m.kind for m in assembly.mates] == [MateKind.FIXED]
    assert [(f.code, f.where.item) for f in assembly.findings] == [
        ("CB1455", "off"), ("CB1444", "nowhere"), ("CB1444", "rope"), ("CB1455", "led"),
    ]  # fmt: skip
    assert assembly.mates_in_file == 3


def test_joints_stacked_between_two_bodies_act_in_series_but_for_one_line(near: None, tmp_path: Path) -> None:
    x, z = ('uniform token physics:axis = "' + axis + '"' for axis in "XZ")
    stack = joint("PrismaticJoint", "slide", x) + joint("RevoluteJoint", "swing", z)
    assembly = read(tmp_path, body("arm") + stack)
    assert codes(assembly) == ["CB1457"]
    assert cb.diagnose(cb.build(assembly)).mobility.dof == 2
    assert [c.name for c in assembly.components] == ["arm", "arm/slide"]
    twice = joint("RevoluteJoint", "left", z) + joint(
        "RevoluteJoint", "right", z + "\npoint3f physics:localPos0 = (0, 0, 1)\npoint3f physics:localPos1 = (0, 0, 1)"
    )
    mobility = cb.diagnose(cb.build(read(tmp_path, body("arm") + twice))).mobility
    assert (mobility.dof, mobility.redundant) == (1, 5)


_FOLLOWS = {
    "MjcEqualityJointAPI": "rel mjc:target = </r/a>\ndouble mjc:coef0 = 0.1\ndouble mjc:coef1 = -2",
    "NewtonMimicAPI": f"rel newton:mimicJoint = </r/a>\nfloat newton:mimicCoef0 = {np.degrees(0.1)}\n"
    "float newton:mimicCoef1 = -2",
    "PhysxMimicJointAPI:rotZ": f"rel physxMimicJoint:rotZ:referenceJoint = </r/a>\nfloat physxMimicJoint:rotZ:offset = "
    f"{-np.degrees(0.1)}\nfloat physxMimicJoint:rotZ:gearing = 2",
}


@pytest.mark.parametrize("schema", _FOLLOWS)
def test_each_dialect_couples_alike(schema: str, near: None, tmp_path: Path) -> None:
    hinges = joint("RevoluteJoint", "a") + joint("RevoluteJoint", "b", _FOLLOWS[schema], b="/r/leg", schemas=(schema,))
    assembly = read(tmp_path, body("arm") + body("leg") + hinges)
    assert not codes(assembly)
    (coupling,) = assembly.couplings
    assert (coupling.kind, coupling.joints) == (CouplingKind.JOINTS, ("a", "b"))
    assert (coupling.ratio, coupling.offset) == (pytest.approx(-2), pytest.approx(0.1))
    bent = joint(
        "RevoluteJoint",
        "b",
        _FOLLOWS["MjcEqualityJointAPI"] + "\ndouble mjc:coef2 = 1",
        schemas=("MjcEqualityJointAPI",),
    )
    assert "CB1450" in codes(read(tmp_path, body("arm") + bent))


def test_equalities_of_mujoco_are_also_read_in_newtons_attributes(near: None, tmp_path: Path) -> None:
    follows = joint("RevoluteJoint", "b", _FOLLOWS["NewtonMimicAPI"], b="/r/leg", schemas=("MjcEqualityJointAPI",))
    (coupling,) = read(tmp_path, body("arm") + body("leg") + joint("RevoluteJoint", "a") + follows).couplings
    assert (coupling.joints, coupling.ratio, coupling.offset) == (("a", "b"), -2, pytest.approx(0.1))


TENDON = """def MjcTendon "sum" {
  uniform token mjc:type = "fixed"
  rel mjc:path = [</r/a>, </r/b>]
  uniform int[] mjc:path:indices = [1, 0]
  uniform double[] mjc:path:coef = [1, -3]
  uniform double mjc:range:min = 0.5
  uniform double mjc:range:max = UPPER
}
"""


def test_a_tendon_of_one_length_is_a_sum(near: None, tmp_path: Path) -> None:
    hinges = body("arm") + body("leg") + joint("RevoluteJoint", "a") + joint("RevoluteJoint", "b", b="/r/leg")
    assembly = read(tmp_path, hinges + TENDON.replace("UPPER", "0.5"))
    assert not codes(assembly)
    (coupling,) = assembly.couplings
    assert (coupling.kind, coupling.factors) == (CouplingKind.LINEAR, (("b", 1.0), ("a", -3.0)))
    assert coupling.offset == 0.5
    loose = read(tmp_path, hinges + TENDON.replace("UPPER", "1"))
    assert (codes(loose), loose.couplings) == (["CB1446"], ())


def pair(gear: str, second: str = "RevoluteJoint", swap: bool = False, place: tuple[float, ...] = (1, 0, 0)) -> str:
    """Two bodies in joints about and along z, and what PhysX couples them by."""
    axis = 'uniform token physics:axis = "Z"\n'
    there = axis + f"point3f physics:localPos{1 if swap else 0} = {place}\n"
    a, b = ("/r/leg", "") if swap else ("", "/r/leg")
    return (
        body("arm") + body("leg", place=place) + joint("RevoluteJoint", "first", axis)
        + joint(second, "second", there, a, b)
        + joint(gear, "gear", "", a="/r/arm", b="/r/leg").replace("def Physics", "def PhysxPhysics").replace(
            "\n}\n", "\nrel physics:hinge0 = </r/first>\nrel physics:hinge1 = </r/second>\n"
            "rel physics:hinge = </r/first>\nrel physics:prismatic = </r/second>\n"
            "float physics:gearRatio = 0.5\nfloat physics:ratio = 90\n}\n"
        )
    )  # fmt: skip


@pytest.mark.parametrize(("swap", "ratio"), [(False, -0.5), (True, 0.5)])
def test_a_gear_of_physx_turns_its_wheels_against_each_other(
    swap: bool, ratio: float, near: None, tmp_path: Path
) -> None:
    """The wheels turn in space alike, whichever end of its hinge one is."""
    assembly = read(tmp_path, pair("GearJoint", swap=swap))
    assert not codes(assembly)
    (gear,) = assembly.couplings
    assert (gear.name, gear.joints, gear.ratio) == ("gear", ("first", "second"), pytest.approx(ratio))
    assert cb.diagnose(cb.build(assembly)).mobility.dof == 1


@pytest.mark.parametrize("place", [(0, 1, 0), (0, -1, 0)])
def test_a_rack_of_physx_moves_as_the_rim_of_its_gear(place: tuple[float, ...], near: None, tmp_path: Path) -> None:
    rack = pair("RackAndPinionJoint", "PrismaticJoint", place=place).replace('"Z"', '"X"', 2).replace('"X"', '"Z"', 1)
    assembly = read(tmp_path, rack)
    assert not codes(assembly)
    (gear,) = assembly.couplings
    assert gear.joints == ("second", "first")
    assert gear.ratio == pytest.approx(np.pi / 2 * (1 if place[1] < 0 else -1))  # the rim goes along ω × r
    assert codes(read(tmp_path, pair("RackAndPinionJoint"))) == ["CB1450"]


def test_a_distance_joint_of_one_length_is_a_rod_and_others_are_named(near: None, tmp_path: Path) -> None:
    bounds = "float physics:minDistance = {}\nfloat physics:maxDistance = {}"
    place = (0, 0, -2)
    rod = read(tmp_path, body("arm", place=place) + joint("DistanceJoint", "rod", bounds.format(2, 2)))
    assert not codes(rod)
    assert (rod.mates[0].kind, rod.mates[0].value) == (MateKind.DISTANCE, 2.0)
    assert cb.diagnose(cb.build(rod)).mobility.dof == 5
    met = read(tmp_path, body("arm") + joint("DistanceJoint", "met", bounds.format(0, 0)))
    assert cb.diagnose(cb.build(met)).mobility.dof == 3
    rope = read(tmp_path, body("arm", place=place) + joint("DistanceJoint", "rope", bounds.format(-1, 3)))
    assert [f.message for f in rope.findings if f.code == "CB1444"] == [
        "joint rope: a distance of at most 3 is a limit, and no mate holds it"
    ]
    assert codes(read(tmp_path, body("arm") + joint("DistanceJoint", "none"))) == ["CB1455"]


# --- there and back ---


@pytest.mark.parametrize("name", ["pendulum", "joints_of_all_kinds", "geared_pair", "four_bar", "branched"])
def test_every_joint_and_coupling_that_we_write_is_read_back(name: str, near: None, tmp_path: Path) -> None:
    mechanism = getattr(models, name)()
    written = export(mechanism, tmp_path / "out", "usd", name="rig")
    back = cb.build(cb.read(written.files[0]))
    assert not [f for f in back.findings if f.severity is Severity.ERROR]
    one, two = spanning_tree(mechanism), spanning_tree(back)
    assert len(two.freedoms) == len(one.freedoms)
    assert len(two.closures) == len(one.closures)
    assert len(back.couplings) == len(mechanism.couplings)
    masses = [sorted(b.mass.mass for b in m.bodies if b.mass) for m in (mechanism, back)]
    assert masses[1] == pytest.approx(masses[0])
    types = [sorted(j.type.replace("screw", "cylindrical") for j in m.joints) for m in (mechanism, back)]
    assert types[1] == types[0]


def test_what_moves_and_what_does_not_is_told_once(near: None, tmp_path: Path) -> None:
    inner = body("arm", MASSED + "vector3f physics:velocity = (1, 0, 0)\n") + (
        'def Camera "c" {}\ndef Camera "d" {}\ndef SphereLight "l" {}\ndef OmniGraph "g" {}\n'
        'def Mesh "cloth" (prepend apiSchemas = ["PhysxParticleClothAPI"]) {}\n'
    )
    told = {f.code: f.message for f in read(tmp_path, inner).findings}
    assert told["CB190"] == "not read: 2 cameras, 1 lights, 1 OmniGraph nodes"
    assert set(told) == {"CB1446", "CB190", "CB1452"}  # the cloth has no faces


def test_what_is_of_another_type_than_its_schema_has_it_is_not_said(near: None, tmp_path: Path) -> None:
    odd = MASSED.replace("float physics:mass = 2", 'string physics:mass = "2"')
    ball = 'point3f physics:lowerLimit = (0, 0, 0)\nstring physics:localPos0 = "here"\ntoken physics:axis = "W"'
    mesh = (
        'def Mesh "m" {\nint[] points = [1, 2]\nfloat[] faceVertexCounts = [3]\n'
        "int[] faceVertexIndices = [0, 1, 2]\n}\n"
    )
    assembly = read(tmp_path, body("arm", odd + mesh) + joint("SphericalJoint", "j", ball))
    assert sorted(set(codes(assembly))) == ["CB1305", "CB1449", "CB1452"]
    assert assembly.parts == ()


@pytest.mark.parametrize("file", ["puma560/puma560.urdf", "delta/delta.sdf"])
def test_machines_come_back_as_they_were(file: str, near: None, tmp_path: Path) -> None:
    """Masses, freedoms and ranks, and all accelerations at rest but for USD's single precision."""
    one = cb.build(cb.read(FIXTURES / file))
    two = cb.build(cb.read(export(one, tmp_path / "out", "usd", name="rig").files[0]))
    there, back = (cb.diagnose(m).mobility for m in (one, two))
    assert (there.dof, there.rank, there.redundant) == (back.dof, back.rank, back.redundant)
    at_rest = []
    for mechanism in (one, two):
        model = lower(mechanism).model
        system, x = prepare(model), np.array(model.positions)
        nothing = np.zeros(system.program.angle_count)
        state = State(0.0, x, np.array(model.quaternions), np.zeros((len(x), 6)), nothing)
        found = slope_at(system, state).acceleration.reshape(-1, 6)
        at_rest.append(found[np.lexsort(np.round(x, 5).T)])
    np.testing.assert_allclose(at_rest[1], at_rest[0], atol=3e-7 * np.abs(at_rest[0]).max())


def test_the_pose_is_the_first_of_an_animation(near: None, tmp_path: Path) -> None:
    moved = body("arm").replace(
        "xformOp:translate = (0, 0, 0)", "xformOp:translate.timeSamples = { 1: (1, 2, 3), 2: (4, 5, 6) }"
    )
    np.testing.assert_allclose(read(tmp_path, moved).component("arm").X_WC.p, (1, 2, 3))


def test_a_joint_with_a_frame_of_no_finite_numbers_is_left_out(near: None, tmp_path: Path) -> None:
    assembly = read(tmp_path, body("arm") + joint("RevoluteJoint", "h", "point3f physics:localPos0 = (inf, 0, 0)"))
    assert not assembly.mates
    assert "CB1444" in codes(assembly)
