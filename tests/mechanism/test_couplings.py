"""Couplings said in the mates file, all the way to how they move."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.frames import Pose
from cadbridge.lowering import lower
from cadbridge.mechanism import Mechanism, build, joints_made, residuals
from cadbridge.readers.mates_file.document import load_document
from cadbridge.readers.mates_file.overlay import overlay
from cadbridge.simulation import MotorSpec, Scenario, simulate
from solver import rotation
from solver.constraints import GearPair
from solver.constraints.gears import gear_contact
from solver.functions import expression
from tests.mechanism.building import assembly, feature

Read = Callable[..., Assembly]
PLACES = {"one": (0.0, 0.0, 0.0), "two": (0.2, 0.0, 0.0), "three": (0.0, 0.0, 0.3)}


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """An assembly of boxes with a mates file laid over it."""

    def laid(text: str) -> Assembly:
        path = tmp_path / "hand.mates.yaml"
        path.write_text("format: cadbridge.mates/1\n" + text, encoding="utf-8")
        return overlay(assembly(PLACES, []), load_document(path), joints_made)

    return laid


def joint(name: str, component: str, axis: str = "[0, 0, 1]", kind: str = "insert") -> str:
    """A joint of a component with the ground, through its origin."""
    place = [1e3 * x for x in PLACES[component]]
    ground = f"{{component: ground, point: {place}, axis: {axis}}}"
    own = f"{{component: {component}, point: [0, 0, 0], axis: {axis}}}"
    return f"  - {{name: {name}, type: {kind}, a: {ground}, b: {own}}}\n"


def axis(component: str, direction: str = "[0, 0, 1]") -> str:
    return f"{{component: {component}, point: [0, 0, 0], axis: {direction}}}"


def moved(mechanism: Mechanism, text: str = "9*smoothstep(t)") -> dict[str, np.ndarray]:
    """Values of all joints over a second in which One is led."""
    assert [f for f in mechanism.findings if f.severity == "error"] == []
    motor = MotorSpec("One", angle=expression(text))
    for collapse in (True, False):
        run = simulate(mechanism, Scenario(duration=1.0, rate=20.0, motors=(motor,)), collapse=collapse)
        assert run.result.status.ok
        # Of the work that goes through: the steps that a cam of 72 splines takes differ by processor.
        assert run.summary["energy_drift_J"] < 1e-7 * run.summary["energy_exchanged_J"]
    return {j.name: run.result.trajectory.coordinates[:, i] for i, j in enumerate(run.lowered.joints)}


WHEELS = {
    "open belt": ("[0, 0, 1]", "type: belt, radii: [20, 50]", 0.4),
    "belt against": ("[0, 0, -1]", "type: belt, ratio: 2.5", -0.4),
    "crossed belt": ("[0, 0, 1]", "type: belt, radii: [20, 50], crossed: true", -0.4),
    "chain": ("[0, 0, 1]", "type: chain, teeth: [20, 50]", 0.4),
    "right-hand worm": ("[0, 1, 0]", "type: worm, starts: 2, teeth: 40", -0.05),
    "left-hand worm": ("[0, 1, 0]", "type: worm, starts: 2, teeth: 40, hand: left", 0.05),
    "crossed helical": ("[0, 1, 0]", "type: crossed_helical, teeth: [20, 30], helix: 45", -2 / 3),
    "crossed helical, left": ("[0, 1, 0]", "type: crossed_helical, teeth: [20, 30], helix: -45", 2 / 3),
}


@pytest.mark.parametrize("name", WHEELS)
def test_wheels_turn_by_their_ratio(name: str, read: Read) -> None:
    direction, text, ratio = WHEELS[name]
    laid = read(
        "mates:\n" + joint("One", "one") + joint("Two", "two", direction)
        + f"gears: [{{name: pair, {text}, a: {axis('one')}, b: {axis('two', direction)}}}]\n"
    )  # fmt: skip
    q = moved(build(laid))
    assert_allclose(q["Two"], ratio * q["One"], atol=1e-9)


@pytest.mark.parametrize("declared", ["teeth: [20, 50], radii: [20, 50]", "radii: [20, 50]"])
@pytest.mark.parametrize("side", ["[1, 0, 0]", "[-1, 0, 0]"])
def test_declared_radii_of_a_bevel_pair_say_where_its_teeth_meet(declared: str, side: str, read: Read) -> None:
    """The points of a file stand anywhere on the axes, here 200 and 300 mm from the apex."""
    mates = "mates:\n" + joint("Two", "two", side) + joint("Three", "three")
    gear = f"gears: [{{name: pair, type: bevel, {declared}, a: {axis('two', side)}, b: {axis('three')}}}]\n"
    mechanism = build(read(mates + gear))
    assert not [f for f in mechanism.findings if f.severity == "error"]
    (pair,) = (p for p in lower(mechanism).model.primitives if isinstance(p, GearPair))
    model = lower(mechanism).model
    contact = gear_contact(pair, model.positions, model.quaternions)
    assert_allclose((contact.radius_a, contact.radius_b), (0.02, 0.05))
    assert_allclose(contact.point, (0.05, 0.0, 0.02), atol=1e-12)
    assert_allclose((contact.centre_a, contact.centre_b), ((0.05, 0.0, 0.0), (0.0, 0.0, 0.02)), atol=1e-12)


def test_the_thread_of_a_worm_carries_the_rim_of_its_wheel(read: Read) -> None:
    # A right-hand screw held along its axis draws its nut towards where it would itself have gone, backwards.
    laid = read(
        "mates:\n" + joint("One", "one") + joint("Two", "two", "[0, 1, 0]")
        + f"gears: [{{type: worm, teeth: 40, a: {axis('one')}, b: {axis('two', '[0, 1, 0]')}}}]\n"
    )  # fmt: skip
    q = moved(build(laid))
    rim = np.cross([0, q["Two"][-1], 0], [-0.2, 0, 0])
    assert q["One"][-1] > 0
    assert rim[2] < 0


def test_cam_by_its_law_and_by_its_profile(read: Read) -> None:
    radius, off = 40.0, 10.0
    degrees = np.arange(0, 360, 5)
    angles = np.radians(degrees)
    outline = [
        [int(d), float(off * math.cos(a) + math.sqrt(radius**2 - (off * math.sin(a)) ** 2))]
        for d, a in zip(degrees, angles, strict=True)
    ]
    rise = [[int(d), float(off * (math.cos(a) - 1))] for d, a in zip(degrees, angles, strict=True)]
    mates = "mates:\n" + joint("One", "one") + joint("Lift", "three", "[0, 1, 0]", "prismatic")
    # The disc's centre lies towards the follower as designed; a flat law of the same lift has no roller in it.
    law = moved(build(read(mates + f"gears: [{{type: cam, driver: One, follower: Lift, law: {rise}}}]\n")))
    assert_allclose(law["Lift"], 1e-3 * off * (np.cos(law["One"]) - 1), atol=2e-8)
    profile = build(
        read(mates + f"gears: [{{type: cam, driver: One, follower: Lift, profile: {outline}, roller: 5}}]\n")
    )
    found = moved(profile)
    theta = found["One"]
    exact = off * np.cos(theta) + np.sqrt((radius + 5) ** 2 - (off * np.sin(theta)) ** 2)
    assert_allclose(found["Lift"], 1e-3 * (exact - exact[0]), atol=2e-7)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("direction", ["[0, 0, 1]", "[0, 0, -1]"])
def test_oscillating_follower_stays_on_its_cam(side: str, direction: str, read: Read) -> None:
    radius, off, arm = 40.0, 10.0, 180.0
    degrees = np.arange(0, 360, 5)
    outline = [
        [int(d), float(off * math.cos(a) + math.sqrt(radius**2 - (off * math.sin(a)) ** 2))]
        for d, a in zip(degrees, np.radians(degrees), strict=True)
    ]
    q = moved(
        build(
            read(
                "mates:\n" + joint("One", "one") + joint("Arm", "two", direction)
                + f"gears: [{{type: cam, driver: One, follower: Arm, profile: {outline}, roller: 5, arm: {arm}, "
                f"side: {side}}}]\n"
            )
        )
    )  # fmt: skip
    sign, sense = (1.0 if side == "left" else -1.0), (1.0 if direction == "[0, 0, 1]" else -1.0)
    # As designed the disc's centre lies towards the pivot; the roller's place follows from the three lengths.
    start = math.acos((arm**2 + (200 - off) ** 2 - (radius + 5) ** 2) / (2 * arm * (200 - off)))
    turn = sense * q["Arm"] + math.pi - sign * start
    roller = np.column_stack([200 + arm * np.cos(turn), arm * np.sin(turn)])
    disc = off * np.column_stack([np.cos(q["One"]), np.sin(q["One"])])
    assert_allclose(np.linalg.norm(roller - disc, axis=1), radius + 5, atol=1e-3)


def test_linear_law_in_the_units_of_the_file_and_a_differential(read: Read) -> None:
    mates = "mates:\n" + joint("One", "one") + joint("Slide", "two", "[1, 0, 0]", "prismatic") + joint("Three", "three")
    text = "joints: {Out: {mates: [Slide]}}\ngears: [{type: linear, factors: {One: 2, Out: -90, Three: 1}}]\n"
    q = moved(build(read(mates + text)))
    degrees = np.degrees(2 * q["One"] + q["Three"])
    assert_allclose(90 * 1e3 * q["Out"], degrees, atol=1e-6)
    mates = "mates:\n" + joint("One", "one") + joint("Two", "two") + joint("Three", "three")
    shared = moved(build(read(mates + "gears: [{type: differential, case: One, left: Two, right: Three, ratio: 2}]\n")))
    assert_allclose(3 * shared["One"], shared["Two"] + 2 * shared["Three"], atol=1e-9)


@pytest.mark.parametrize("aligned", [1.0, -1.0])
def test_constant_velocity_joint_between_bent_shafts(aligned: float) -> None:
    bent = np.array([0.0, math.sin(0.6), math.cos(0.6)])
    places = {"one": (0.0, 0.0, -0.1), "two": tuple(0.1 * bent)}
    middle = (0.0, 0.0, 0.0)
    mates = [
        Mate(
            name, kind,
            feature(places, a, FeatureKind.AXIS, middle, tuple(u)),
            feature(places, b, FeatureKind.AXIS, middle, tuple(w)),
        )
        for name, kind, a, b, u, w in (
            ("One", MateKind.REVOLUTE, GROUND, "one", (0, 0, 1), (0, 0, 1)),
            ("Two", MateKind.REVOLUTE, GROUND, "two", bent, bent),
            ("Joint", MateKind.CONSTANT_VELOCITY, "one", "two", (0, 0, 1), aligned * bent),
        )
    ]  # fmt: skip
    q = moved(build(assembly(places, mates)))
    assert_allclose(q["Two"], q["One"], atol=1e-9)


@pytest.mark.parametrize(
    ("mates", "gears"),
    [
        ("", f"gears: [{{name: pair, type: ratio, ratio: 1, carrier: ground, a: {axis('one')}, b: {axis('two')}}}]\n"),
        (f"  - {{name: pair, type: constant_velocity, a: {axis('one')}, b: {axis('two')}}}\n", ""),
    ],
    ids=["ratio", "constant velocity"],
)
def test_what_is_off_by_an_angle_is_told_in_degrees(mates: str, gears: str, read: Read) -> None:
    made = build(read("mates:\n" + joint("One", "one") + mates + gears))
    (rows,) = [r for r in made.mate_rows if r.mate == "pair"]
    turn = Pose(rotation.matrix(rotation.exponential(np.array([0.0, 0.0, math.radians(2.0)]))), np.zeros(3))
    poses = tuple(X @ turn if name == "two" else X for name, X in zip(made.component_names, made.X_WC, strict=True))
    (angular,) = [p for p in rows.primitives if p.unit != "m"]
    ((_, mm, degrees),) = residuals((replace(rows, primitives=(angular,)),), poses)
    assert mm == 0.0
    assert degrees == pytest.approx(2.0, rel=1e-3)


FAULTS = {
    "parallel worm": (f"{{type: worm, teeth: 40, a: {axis('one')}, b: {axis('two')}}}", "CB220"),
    "belt on crossed axes": (f"{{type: belt, ratio: 2, a: {axis('one')}, b: {axis('two', '[0, 1, 0]')}}}", "CB220"),
    "helix": (f"{{type: crossed_helical, teeth: [2, 3], helix: 90, a: {axis('one')}, b: {axis('two')}}}", "CB149"),
    "no such joint": ("{type: cam, driver: One, follower: Two, law: [[0, 0], [90, 1], [180, 0]]}", "CB155"),
    "itself": ("{type: linear, factors: {One: 1, Spin: 2}}", "CB157"),
    "falling law": ("{type: cam, driver: One, follower: Lift, law: [[0, 0], [90, 1], [80, 0]]}", "CB220"),
    "law and profile": ("{type: cam, driver: One, follower: Lift}", "CB145"),
    "large roller": (
        "{type: cam, driver: One, follower: Lift, roller: 50, profile: "
        f"{[[d, 40 + 6 * math.cos(math.radians(6 * d))] for d in range(0, 360, 5)]}}}",
        "CB220",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_and_the_rest_is_read(name: str, read: Read) -> None:
    text, code = FAULTS[name]
    mates = "mates:\n" + joint("One", "one") + joint("Lift", "three", "[0, 1, 0]", "prismatic")
    laid = read(mates + "joints: {Spin: {mates: [One]}}\ngears: [" + text + "]\n")
    mechanism = build(laid)
    assert code in {f.code for f in (*laid.findings, *mechanism.findings)}
    assert mechanism.couplings == ()
    assert {"Spin", "Lift"} <= {j.name for j in mechanism.joints}


def test_a_wheel_of_no_size_is_reported(read: Read) -> None:
    gear = f"gears: [{{type: spur, ratio: 3, a: {axis('one')}, b: {axis('two')}}}]\n"
    laid = read("mates:\n" + joint("One", "one") + gear)
    mechanism = build(replace(laid, couplings=(replace(laid.couplings[0], ratio=2e12),)))
    assert "CB220" in {f.code for f in mechanism.findings}
    assert mechanism.couplings == ()


def on(component: str, feature: str) -> str:
    """A mate's two features at the origin of a component, on the ground and on it."""
    place = [1e3 * x for x in PLACES[component]]
    own = f"{{component: {component}, point: [0, 0, 0], {feature}}}"
    return f"a: {{component: ground, point: {place}, {feature}}}, b: {own}"


FLAT = f"  - {{name: Flat, type: planar, {on('three', 'normal: [0, 0, 1]')}}}\n"


def test_what_lies_on_a_plane_is_counted_by_its_turn_in_degrees(read: Read) -> None:
    """Its limits are of slides, so that its factor was one of millimetres: the other turned 17 times too far."""
    made = build(
        read("mates:\n" + joint("One", "one") + FLAT + "gears: [{type: linear, factors: {One: 2, Flat: 1}}]\n")
    )
    assert [j.type for j in made.joints] == ["revolute", "planar"]
    ratio = dict(made.couplings[0].coupling.factors)
    assert ratio["One"] / ratio["Flat"] == pytest.approx(2.0)


def test_a_coupling_takes_the_mate_that_moves_as_its_joint_does(read: Read) -> None:
    slide = joint("Slide", "three", "[1, 0, 0]", "prismatic")
    text = "joints: {Out: {mates: [Flat]}}\ngears: [{type: linear, factors: {One: 1, Out: 90}}]\n"
    q = moved(build(read("mates:\n" + joint("One", "one") + FLAT + slide + text)))
    assert_allclose(90 * 1e3 * q["Out"], -np.degrees(q["One"]), atol=1e-6)


@pytest.mark.parametrize("bore", ["concentric", "cylindrical"])
def test_a_coupling_of_a_turn_that_a_face_locks_is_an_error(bore: str, read: Read) -> None:
    """It held the other joint, unsaid."""
    mates = "mates:\n" + joint("One", "one") + joint("Bore", "three", "[1, 0, 0]", bore) + FLAT
    made = build(read(mates + "gears: [{name: L, type: linear, factors: {One: 1, Bore: 90}}]\n"))
    (found,) = [f for f in made.findings if f.severity == "error"]
    assert found.code == "CB232"
    assert found.items == ("L", "Bore")


def test_a_coupling_of_a_mate_without_meaning_is_left_out_with_it(read: Read) -> None:
    """It held a body that nothing else holds, by a mate that an error leaves out."""
    flat = "{component: %s, point: [0, 0, 0], normal: [0, 0, 1]}"
    wrong = f"  - {{name: wrong, type: insert, a: {flat % 'ground'}, b: {flat % 'two'}}}\n"
    text = f"mates:\n{joint('one', 'one')}{wrong}gears: [{{name: lin, type: linear, factors: {{one: 1, wrong: 2}}}}]\n"
    found = build(read(text))
    assert not found.couplings
    assert [f.code for f in found.findings if f.severity.value == "error"] == ["CB204", "CB224"]
