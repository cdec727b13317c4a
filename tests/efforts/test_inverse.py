"""Prescribed motions: efforts and reactions against closed forms and balances, and every fault told."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import yaml
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.assembly import Assembly, Mate, MateKind
from cadbridge.catalogue import Severity
from cadbridge.efforts import (
    METHODS,
    Forces,
    JointPath,
    Motion,
    Task,
    inverse_columns,
    load_motion,
    peaks,
    write_inverse_plots,
)
from cadbridge.efforts.follow import free_joints, held_rows
from cadbridge.efforts.motion import FORMAT, MotionFile
from cadbridge.errors import CadbridgeError, InputError, ModelError
from cadbridge.lowering import lower
from cadbridge.mechanism import Mechanism
from solver.equations.system import prepare
from solver.state import State
from tests.diagnosis.pool import crank_slider
from tests.diagnosis.test_properties import scaled
from tests.mechanism.building import Triple, assembly, mate

G = 9.81
LINK = 0.01
"""Moment of inertia of the blocks about any axis, kg m²; each weighs 1 kg."""
Y = [0.0, 1.0, 0.0]
PLACES = {"upper": [0.5, 0.0, 0.0], "lower": [1.0, 0.0, -0.4]}


def hinge(places: Mapping[str, Triple], name: str, a: str, b: str, point: Triple) -> Mate:
    return mate(places, name, MateKind.INSERT, a, b, point, Y)


def arm() -> Assembly:
    """Two links about y: the upper along x, the lower hanging from its end; 1 m and 0.8 m, blocks in the middle."""
    return assembly(
        PLACES,
        [
            hinge(PLACES, "shoulder", "ground", "upper", [0, 0, 0]),
            hinge(PLACES, "elbow", "upper", "lower", [1, 0, 0]),
        ],
    )


def four_bar() -> Assembly:
    """Crank 1 m up, coupler 2 m along x, rocker 1.5 m: hinges about y, three rows repeat."""
    places: dict[str, Triple] = {"crank": [0, 0, 0.5], "coupler": [1.0, 0, 1.0], "rocker": [2.0, 0, 0.25]}
    ends: list[tuple[str, str, str, Triple]] = [
        ("A", "ground", "crank", [0, 0, 0]),
        ("B", "crank", "coupler", [0, 0, 1]),
    ]
    ends += [("C", "coupler", "rocker", [2, 0, 1]), ("D", "ground", "rocker", [2.0, 0, -0.5])]
    return assembly(places, [hinge(places, *end) for end in ends])


@pytest.fixture(scope="module")
def two() -> Mechanism:
    return cb.build(arm())


def motion(folder: Path, mechanism: Mechanism, text: str) -> Motion:
    path = folder / "path.yaml"
    path.write_text(f"format: cadbridge.motion/1\n{text}", encoding="utf-8")
    return load_motion(path, mechanism)


def test_the_published_schema_is_current_and_takes_an_example() -> None:
    text = files("cadbridge").joinpath("data/schemas/motion-1.json").read_text(encoding="utf-8")
    assert text == MotionFile.schema_text(FORMAT)
    docs = (Path(__file__).parents[2] / "docs" / "inverse.md").read_text(encoding="utf-8")
    example = docs.split("## The motion file\n")[1].split("The [JSON")[0]
    jsonschema.validate(yaml.safe_load(example), json.loads(text))


def test_a_tip_led_along_a_path_asks_for_what_lagrange_says(two: Mechanism, tmp_path: Path) -> None:
    text = (
        "duration: 1\nrate: 20\nactuators: [shoulder, elbow]\nbodies:\n"
        "  - component: lower\n    point: [0, 0, -400]\n"
        '    position: {x: "1000 - 200*t^2", z: "-800 + 300*sin(2*t)"}\n'
    )
    found = cb.inverse(two, motion(tmp_path, two, text))
    assert [f.code for f in found.findings] == []
    T = found.run.result.trajectory
    index = [found.run.lowered.joints.index(two.joint(n)) for n in ("shoulder", "elbow")]
    q, qd, qdd = (a[:, index] for a in (T.coordinates, T.coordinate_rates, T.coordinate_accelerations))
    # Turns about y; the joints' z may point either way.
    sense = np.array([j.X_AJ.R[1, 2] for j in found.actuators])
    wanted = np.array([lagrange(*rows) for rows in zip(q * sense, qd * sense, qdd * sense, strict=True)]) * sense
    assert_allclose(found.forces.efforts, wanted, atol=1e-9)
    tip = T.positions[:, 1] - 0.4 * np.array([r[:, 2] for r in _R(T.quaternions[:, 1])])
    assert_allclose(tip[:, 0], 1 - 0.2 * T.t**2, atol=1e-12)
    assert_allclose(tip[:, 2], -0.8 + 0.3 * np.sin(2 * T.t), atol=1e-12)
    # The shoulder's force carries what both masses do.
    force = np.column_stack([inverse_columns(found)[f"joint.shoulder.f{a}"][0] for a in "xyz"])
    assert_allclose(force, T.accelerations[:, :, :3].sum(axis=1) + np.array([0, 0, 2 * G]), atol=1e-9)


def _R(q: np.ndarray) -> np.ndarray:
    from solver.rotation import matrix

    return matrix(q)


def lagrange(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Torques of the arm about y: angles of the links θ1 (0 along x), θ2 (0 down), positive about y."""
    a, b, c = 0.5, 0.4, 1.0
    t1, t2 = q[0], q[0] + q[1]
    w1, w2, e1, e2 = qd[0], qd[0] + qd[1], qdd[0], qdd[0] + qdd[1]
    # Centre 1: a (cos θ1, −sin θ1); elbow: c (…); centre 2: elbow + b (−sin θ2, −cos θ2), in (x, z).
    k = c * b
    ca, sa = np.sin(t1 - t2), np.cos(t1 - t2)
    # u1' · u2' of the two directions' derivatives, with u1 = (cos, −sin), u2 = (−sin, −cos).
    m12, c12 = k * (-ca * -1.0), k * sa
    m11, m22 = a * a + c * c + LINK, b * b + LINK
    f1 = m11 * e1 + m12 * e2 - c12 * w2 * w2
    f2 = m12 * e1 + m22 * e2 + c12 * w1 * w1
    f1 += G * (-(a + c) * np.cos(t1))
    f2 += G * (b * np.sin(t2))
    return np.array([f1 + f2, f2])


def test_a_free_body_led_in_all_six_asks_for_newton_and_euler(tmp_path: Path) -> None:
    block = cb.build(assembly({"block": [0.1, 0.2, 0.3]}, []))
    inertia = np.diag([0.01, 0.02, 0.04])
    body = replace(block.bodies[0], mass=replace(block.bodies[0].mass, inertia=inertia))  # type: ignore[type-var]
    block = replace(block, bodies=(body,))
    text = (
        "duration: 2\nrate: 10\nbodies:\n  - component: block\n    point: [100, 0, 0]\n"
        '    position: {x: "100*t^2", y: {table: [[0, 0], [1, 50], [2, 0]]}, z: 20}\n'
        '    orientation: {sequence: zxz, angles: ["200*t", "90*sin(t)", "-50*t^2"]}\n'
    )
    found = cb.inverse(block, motion(tmp_path, block, text))
    assert [f.code for f in found.findings] == ["CB667"]
    T, columns = found.run.result.trajectory, inverse_columns(found)
    W = np.column_stack([columns[f"external.block.{c}"][0] for c in ("fx", "fy", "fz", "tx", "ty", "tz")])
    R = _R(T.quaternions[:, 0])
    w, alpha = T.velocities[:, 0, 3:], T.accelerations[:, 0, 3:]
    I_W = R @ inertia @ R.transpose(0, 2, 1)
    force = T.accelerations[:, 0, :3] + [0, 0, G]
    spin = np.einsum("kij,kj->ki", I_W, w)
    moment = np.einsum("kij,kj->ki", I_W, alpha) + np.cross(w, spin) - np.cross(R[:, :, 0] * 0.1, force)
    assert_allclose(W, np.hstack([force, moment]), atol=1e-9)
    (peak,) = (p for p in peaks(found) if (p.kind, p.what) == ("external", "force"))
    assert peak.peak == pytest.approx(np.linalg.norm(force, axis=1).max())
    assert tmp_path / "external.png" in write_inverse_plots(found, tmp_path)
    # The orientation itself, and its derivatives, by differences.
    from scipy.spatial.transform import Rotation

    def asked(t: float) -> Rotation:
        return Rotation.from_euler("ZXZ", [200 * t, 90 * np.sin(t), -50 * t * t], degrees=True)

    for k in (3, 11):
        t, h = T.t[k], 1e-5
        assert_allclose(R[k], asked(t).as_matrix(), atol=1e-12)
        assert_allclose(w[k], (asked(t + h) * asked(t - h).inv()).as_rotvec() / (2 * h), atol=1e-7)


def test_orientations_by_name_by_sequence_by_table_and_from_the_pose_as_designed(tmp_path: Path) -> None:
    from scipy.spatial.transform import Rotation

    def end(text: str) -> np.ndarray:
        block = cb.build(assembly({"block": [0.1, 0.2, 0.3]}, []))
        asked = f"duration: 1\nrate: 1\nbodies:\n- component: block\n  relative: true\n{text}"
        found = cb.inverse(block, motion(tmp_path, block, asked)).run.result.trajectory
        assert_allclose(found.positions[-1, 0], [0.11, 0.19, 0.3], atol=1e-12)
        return _R(found.quaternions[-1, 0])

    place = "  position: {table: [[0, 0, 0, 0], [1, 10, -10, 0]]}\n"
    fixed = Rotation.from_euler("xyz", [10, 20, 30], degrees=True).as_matrix()
    moving = Rotation.from_euler("YXZ", [10, 20, 30], degrees=True).as_matrix()
    assert_allclose(end(place + "  orientation: {roll: 10, pitch: 20, yaw: 30}\n"), fixed, atol=1e-12)
    named = "  orientation: {table: [[0, 0, 0, 0], [1, 10, 20, 30]]}\n"
    assert_allclose(end(place + named), fixed, atol=1e-12)
    assert_allclose(end(place + "  orientation: {sequence: yxz, angles: [10, 20, 30]}\n"), moving, atol=1e-12)
    by_table = "  orientation: {sequence: yxz, table: [[0, 0, 0, 0], [1, 10, 20, 30]]}\n"
    assert_allclose(end(place + by_table), moving, atol=1e-12)


def test_initial_values_choose_the_branch(two: Mechanism, tmp_path: Path) -> None:
    text = "duration: 0.1\nrate: 10\nbodies: [{component: lower, point: [0, 0, -400], position: {x: 1000, z: -600}}]\n"
    bent = []
    for angle in (0, 170):
        first = f"initial: {{positions: {{elbow: {angle}}}}}\n"
        found = cb.inverse(two, motion(tmp_path, two, text + first)).run
        bent.append(found.result.trajectory.coordinates[0, found.lowered.joints.index(two.joint("elbow"))])
    # The arm is straight at 90° to one side; both bends lie as far from that, the tip is the same.
    straight = -np.pi / 2 * two.joint("elbow").X_AJ.R[1, 2]
    assert_allclose(np.cos(bent[0] - straight), np.cos(bent[1] - straight), atol=1e-9)
    assert abs(bent[0] - bent[1]) > 0.5


def test_more_actuators_than_freedoms_give_the_least_torques_that_do(tmp_path: Path) -> None:
    bar = cb.build(four_bar())
    text = 'duration: 1\nrate: 10\njoints: {A: "40*t"}\n'
    one = cb.inverse(bar, motion(tmp_path, bar, text + "actuators: [A]\n"))
    both = cb.inverse(bar, motion(tmp_path, bar, text + "actuators: [A, D, C]\n"))
    assert [f.code for f in both.findings] == ["CB668"]
    assert np.max(both.forces.unmet) < 1e-8
    T = both.run.result.trajectory
    index = [both.run.lowered.joints.index(bar.joint(n)) for n in ("A", "D", "C")]
    rates = T.coordinate_rates[:, index]
    efforts = both.forces.efforts
    # The same power, and no part that does nothing: along the rates.
    assert_allclose(np.sum(efforts * rates, axis=1), one.forces.efforts[:, 0] * rates[:, 0], atol=1e-9)
    assert_allclose(np.cross(efforts, rates), 0.0, atol=1e-9)
    states = {p.name: p.determined for p in peaks(one) if p.kind == "joint" and p.what == "torque"}
    assert states == dict.fromkeys("ABCD", False)  # hinges in a plane, modelled in space


def test_a_joint_that_would_need_more_than_it_has_is_told(two: Mechanism) -> None:
    from cadbridge.assembly import Limit

    shoulder = replace(two.joint("shoulder"), limit=Limit(-0.5, 0.5, velocity=1.0, effort=5.0))
    limited = replace(two, joints=(shoulder, two.joint("elbow")))
    asked = Motion(joints=(JointPath("shoulder", _linear(1.5)), JointPath("elbow", _linear(0.0))))
    found = cb.inverse(limited, replace(asked, scenario=replace(asked.scenario, duration=0.5, rate=10.0)))
    told = [(f.code, f.where.item) for f in found.findings]
    assert told == [("CB612", "shoulder"), ("CB669", "shoulder"), ("CB669", "shoulder")]


def test_what_nothing_prescribes_may_be_simulated(tmp_path: Path) -> None:
    # A pendulum that hangs on a driven cart swings as it will: the cart bears it.
    places = {"cart": [0.0, 0.0, 0.0], "bob": [0.2, 0.0, -0.5]}
    slide = mate(places, "slide", MateKind.PRISMATIC, "ground", "cart", [0, 0, 0], [1, 0, 0])
    hung = cb.build(assembly(places, [slide, hinge(places, "swing", "cart", "bob", [0.2, 0, 0])]))
    text = 'duration: 1\nrate: 10\njoints: {slide: "100*sin(3*t)"}\n'
    with pytest.raises(ModelError):
        cb.inverse(hung, motion(tmp_path, hung, text))
    asked = motion(tmp_path, hung, text + "free: simulate\n")
    for method in ("absolute", "bond-graph"):
        found = cb.inverse(hung, asked, method=method)
        assert [(f.code, f.where.item) for f in found.findings] == [("CB670", "swing")]
        T = found.run.result.trajectory
        swing = found.run.lowered.joints.index(hung.joint("swing"))
        away, pull = T.coordinates[:, swing], -0.9 * np.sin(3 * T.t)
        sense = float(hung.joint("swing").X_AJ.R[1, 2])
        # (I + m l²) θ̈ = −m l (g sin θ + ẍ cos θ), θ counted towards +x, about −y.
        second = 0.5 * (-G * np.sin(-sense * away) - pull * np.cos(-sense * away)) / (LINK + 0.25)
        assert_allclose(-sense * T.coordinate_accelerations[:, swing], second, atol=1e-7)
        force = T.accelerations[:, :, 0].sum(axis=1)
        assert_allclose(found.forces.efforts[:, 0], force * hung.joint("slide").X_AJ.R[0, 2], atol=1e-8)
        assert np.max(np.abs(away)) > 0.1


@pytest.mark.parametrize(("unmet", "code", "status"), [(0.5, "CB687", "missed"), (1e-4, "CB671", "ok")])
def test_a_method_that_does_not_give_the_motion_is_told(
    two: Mechanism, monkeypatch: pytest.MonkeyPatch, unmet: float, code: str, status: str
) -> None:
    def half(task: Task) -> Forces:
        found = METHODS["absolute"](task)
        return replace(found, efforts=found.efforts / 2, unmet=np.full(len(task.trajectory.t), unmet))

    monkeypatch.setitem(METHODS, "half", half)
    asked = Motion(joints=(JointPath("shoulder", _linear(1.5)), JointPath("elbow", _linear(0.0))))
    found = cb.inverse(two, replace(asked, scenario=replace(asked.scenario, duration=0.1, rate=10.0)), method="half")
    assert [f.code for f in found.findings] == [code]
    assert found.summary["status"] == found.run.result.status.code == status
    # That another method be tried is no cure of the two that are right.
    advice = found.run.result.status.advice
    assert ("--method absolute" in advice) == (code == "CB687")
    with pytest.raises(InputError, match="no method 'third'; known are absolute"):
        cb.inverse(two, asked, method="third")


@pytest.mark.parametrize(
    ("law", "why"), [("1e12*t", "within 1e-07 s a body turns"), ("1e10*sin(t)", "too fast"), ("30*t", "than 50 steps")]
)
def test_a_motion_too_fast_is_told_as_what_it_is(
    law: str, why: str, two: Mechanism, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bodies' centres are not on the axis: their constraints do not close after any step."""
    monkeypatch.setattr("solver.analyses.kinematics._MOST_STEPS", 50)
    time = "duration: 1.0e+9\nrate: 1.0e-6\n" if law == "30*t" else "duration: 1\nrate: 1\n"
    with pytest.raises(InputError) as caught:
        cb.inverse(two, motion(tmp_path, two, f'{time}joints: {{shoulder: "{law}", elbow: 0}}\n'))
    (finding,) = (f for f in caught.value.findings if f.severity is Severity.ERROR)
    assert finding.code == "CB676"
    assert why in finding.message


FAULTS = {
    "unknown key": ("jionts: {shoulder: 1}\n", "CB660", 2),
    "nothing moves": ("duration: 1\n", "CB660", 1),
    "unknown joint": ("joints: {shulder: 1}\n", "CB602", 2),
    "no function": ('joints: {shoulder: "sin("}\n', "CB603", 2),
    "unknown component": ("bodies: [{component: hand, position: {x: 1}}]\n", "CB604", 2),
    "the ground": ("bodies: [{component: ground, position: {x: 1}}]\n", "CB661", 2),
    "two forms": ("bodies:\n- component: lower\n  position: {x: 1, table: [[0, 0, 0, 0], [1, 0, 0, 0]]}\n", "CB660", 4),
    "no angles": ("bodies:\n- component: lower\n  orientation: {sequence: zxz}\n", "CB660", 4),
    "falling table": ("bodies: [{component: lower, position: {table: [[1, 0, 0, 0], [0, 0, 0, 0]]}}]\n", "CB603", 2),
    "twice": ("joints: {shoulder: 1}\nactuators: [elbow, elbow]\n", "CB660", 3),
    "led twice": ("bodies: [{component: lower, position: {x: 1}}, {component: lower, position: {z: 1}}]\n", "CB660", 2),
    "too many": ("joints: {shoulder: 1}\nrate: 1.0e+9\n", "CB660", 3),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_its_line(name: str, two: Mechanism, tmp_path: Path) -> None:
    text, code, line = FAULTS[name]
    with pytest.raises(InputError) as caught:
        motion(tmp_path, two, text)
    assert (code, line) in [(f.code, f.where.line) for f in caught.value.findings]


REFUSED = {
    "open": ('joints: {shoulder: "10*t"}\n', "CB662", "elbow"),
    "undriven": ("joints: {shoulder: 0, elbow: 0}\nactuators: [shoulder]\n", "CB663", "elbow"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_freedoms_that_are_left_are_named(name: str, two: Mechanism, tmp_path: Path) -> None:
    text, code, joint = REFUSED[name]
    with pytest.raises(ModelError) as caught:
        cb.inverse(two, motion(tmp_path, two, text))
    assert [(f.code, f.where.item) for f in caught.value.findings] == [(code, joint)]


def test_each_joint_of_a_chain_that_is_left_is_a_freedom_of_its_own(tmp_path: Path) -> None:
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="l%d"><inertial><mass value="1"/>{inertia}</inertial></link>'
    hinge = (
        '<joint name="j%d" type="continuous"><parent link="l%d"/><child link="l%d"/><origin xyz="0.3 0 0.1"/>'
        '<axis xyz="%s"/></joint>'
    )
    hinges = (hinge % (k, k, k + 1, axis) for k, axis in enumerate(("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0")))
    robot = tmp_path / "chain.urdf"
    links = "".join(link % k for k in range(6))
    robot.write_text(f'<robot name="chain">{links}{"".join(hinges)}</robot>')
    chain = cb.build(cb.read(robot))
    with pytest.raises(ModelError) as caught:
        cb.inverse(chain, motion(tmp_path, chain, 'joints: {j0: "10*t"}\n'))
    assert sorted(f.items for f in caught.value.findings if f.code == "CB662") == [("j1",), ("j2",), ("j3",), ("j4",)]


def test_a_motion_out_of_reach_ends_with_time_and_place(two: Mechanism, tmp_path: Path) -> None:
    text = "duration: 2\nrate: 20\nbodies: [{component: lower, point: [0, 0, -400], position: {x: %s, z: -800}}]\n"
    found = cb.inverse(two, motion(tmp_path, two, text % '"1000 + 1000*t"'))
    # The arm is stretched where x² + 0.8² = 1.8².
    stretched = np.sqrt(1.8**2 - 0.8**2) - 1
    told = [f for f in found.findings if f.code in ("CB664", "CB665")]
    assert len(told) == 1
    assert "lower at (" in told[0].message
    assert stretched - 0.05 < found.run.result.trajectory.t[-1] < stretched
    with pytest.raises(CadbridgeError):
        cb.inverse(two, motion(tmp_path, two, text % "3000"))


def test_what_cannot_hold_is_in_degrees_where_it_turns(tmp_path: Path) -> None:
    """A row of angles alone has no metres: two prescribed joints contradict the coupling between them."""
    robot = tmp_path / "geared.urdf"
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    links = "".join(f'<link name="{n}"><inertial><mass value="1"/>{inertia}</inertial></link>' for n in "abc")
    text = '<joint name="{0}" type="continuous"><parent link="a"/><child link="{1}"/><axis xyz="0 0 1"/>{2}</joint>'
    mimic = '<mimic joint="one" multiplier="1"/>'
    robot.write_text(f'<robot name="r">{links}{text.format("one", "b", "")}{text.format("two", "c", mimic)}</robot>')
    geared = cb.build(cb.read(robot))
    with pytest.raises(ModelError) as caught:
        cb.inverse(geared, motion(tmp_path, geared, "joints: {one: 0, two: 30}\n"))
    (told,) = [f for f in caught.value.findings if f.code == "CB664"]
    assert re.search(r"two mimic \([^ ]+°\)", told.message), told.message
    assert not re.search(r"[0-9] m\b", told.message)


def test_a_pose_in_which_the_actuator_loses_its_freedom_is_told() -> None:
    # Driven at the rocker, the crank's dead centres are lost: crank and coupler in one line.
    bar = cb.build(four_bar())
    asked = Motion(joints=(JointPath("A", _linear(2.0)),), actuators=("D",))
    found = cb.inverse(bar, replace(asked, scenario=replace(asked.scenario, duration=1.5, rate=20.0)))
    (told,) = (f for f in found.findings if f.code == "CB666")
    assert "the actuators lose a freedom" in told.message
    before, after = (float(x) for x in re.findall(r"t = ([\d.]+) and ([\d.]+) s", told.message)[0])
    angle = float(re.findall(r"A at (\S+)°", told.message)[0])
    assert angle == pytest.approx(np.degrees(2 * after), abs=0.01)
    assert before < _stretched() / 2 < after


def test_a_way_through_a_dead_centre_is_told(tmp_path: Path) -> None:
    # Crank 1 m, rod 2 m; the slider is led to the dead centre and back, as a crank that turns on would take it.
    end = np.array([0.5, 0.0, np.sqrt(0.75)])
    x = 0.5 + np.sqrt(4 - 0.75)
    places = {"crank": list(end / 2), "rod": [(0.5 + x) / 2, 0.0, end[2] / 2], "slider": [x, 0.0, 0.0]}
    hinges = (("A", "ground", "crank", [0, 0, 0]), ("B", "crank", "rod", list(end)), ("C", "rod", "slider", [x, 0, 0]))
    held = mate(places, "S", MateKind.PRISMATIC, "ground", "slider", [x, 0, 0], [1, 0, 0])
    press = cb.build(assembly(places, [*(hinge(places, *h) for h in hinges), held]))
    way = "1000*(cos(pi/3 - 1.2*t) + sqrt(4 - sin(pi/3 - 1.2*t)^2))"
    text = f'duration: 2\nrate: 40\nbodies: [{{component: slider, position: {{x: "{way}"}}}}]\nactuators: [A]\n'
    found = cb.inverse(press, motion(tmp_path, press, text))
    (told,) = found.findings
    assert told.code == "CB672"
    before, after = (float(t) for t in re.findall(r"t = ([\d.]+) and ([\d.]+) s", told.message)[0])
    assert before < np.pi / 3 / 1.2 < after
    T = found.run.result.trajectory
    turned = T.coordinates[:, found.run.lowered.joints.index(press.joint("A"))]
    assert_allclose(np.abs(turned), 1.2 * T.t, atol=1e-8)


def _stretched() -> float:
    """The crank's turn (rad) at which it lies in line with the coupler."""
    from scipy.optimize import brentq

    def height(turn: float) -> float:
        # The crank's end; the rocker's end on both circles; how far crank and coupler are from one line.
        p = np.array([np.sin(turn), np.cos(turn)])
        away = np.array([2.0, -0.5]) - p
        length = float(np.linalg.norm(away))
        along = (4.0 - 2.25 + length**2) / (2 * length)
        u = away / length
        end = p + along * u + np.sqrt(4.0 - along**2) * np.array([-u[1], u[0]])
        return float(p[0] * (end - p)[1] - p[1] * (end - p)[0])

    return float(brentq(height, 0.5, 2.4))


def _linear(rate: float):  # type: ignore[no-untyped-def]
    from solver.functions import expression

    return expression(f"{rate}*t")


def test_the_command_writes_a_table_plots_and_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from cadbridge.cli import main

    source = files("cadbridge.data").joinpath("demo/demo.step")
    path = tmp_path / "path.yaml"
    text = 'format: cadbridge.motion/1\nduration: 0.5\nrate: 10\njoints: {A1: "40*sin(t)", A2: "-30*t"}\n'
    text += "actuators: [A1, A2]\n"
    path.write_text(text, encoding="utf-8")
    out, plots = tmp_path / "o.parquet", tmp_path / "plots"
    call = ["inverse", str(source), "--motion", str(path), "-o", str(out), "--plots", str(plots), "--json"]
    drawing = ["--svg", str(tmp_path / "graph.svg")]
    assert main([*call, *drawing]) == 2  # the graph is drawn by the method that has one
    assert json.loads(capsys.readouterr().out)["error"]
    assert not out.exists()
    assert main([*call, *drawing, "--method", "bond-graph"]) == 0
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").startswith("<svg")
    document = json.loads(capsys.readouterr().out)
    import pyarrow.parquet as pq

    table = pq.read_table(out)
    assert table.schema.field("actuator.A2.effort").metadata == {b"unit": b"N m", b"group": b"motors"}
    peak = next(p for p in document["peaks"] if p["name"] == "A2" and p["what"] == "effort")
    assert peak["peak"] == max(abs(x) for x in table["actuator.A2.effort"].to_pylist())
    names = ("efforts", "forces", "torques", "gears")
    assert {p.name for p in plots.iterdir()} == {f"{n}.{kind}" for n in names for kind in ("png", "svg")}
    # The tooth's force at the pinion's pitch circle (12 teeth of module 2 mm) turns the pinion and its rotor.
    mechanism = cb.build(cb.read(Path(str(source))))
    pinion = mechanism.joint("Insert:2")
    inertia = mechanism.bodies[pinion.b].mass
    assert inertia is not None
    u = pinion.X_BJ.R[:, 2]
    turning = np.array(table["joint.Insert:2.qdd"]) * float(u @ inertia.inertia @ u + pinion.armature)
    across = np.linalg.norm([table[f"gear.Spur:1.f{a}"].to_numpy() for a in "xyz"], axis=0)
    assert_allclose(across * 0.012, np.abs(turning), atol=1e-12)
    assert np.max(across) > 1e-4


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e2])
def test_a_slider_is_named_in_a_motion_of_any_machine(size: float) -> None:
    """While the crank turns by one rad, the slider of a machine of 1 mm travels 1e-3 of that in metres."""
    plain = crank_slider()
    kinds = {MateKind.CONCENTRIC: MateKind.PRISMATIC}
    slides = replace(plain, mates=tuple(replace(m, kind=kinds.get(m.kind, m.kind)) for m in plain.mates))
    lowered = lower(cb.build(scaled(slides, size)))
    system = prepare(lowered.model)
    rest = State.at_rest(lowered.model.positions, lowered.model.quaternions)
    (moved,) = free_joints(lowered, system, rest, held_rows(system, rest, []))
    assert set(moved) == {"main", "crankpin", "wristpin", "bore"}


def test_the_peaks_of_kept_mates_are_those_of_mates_between_bodies() -> None:
    """A mate that locks two parts into one body has no share of a joint: with one the command ended with status 3."""
    places = {"arm": (0.0, 0.0, 0.0), "lid": (0.2, 0.0, 0.0)}
    mates = [mate(places, "Hinge", MateKind.REVOLUTE, "ground", "arm", (0, 0, 0), (0, 0, 1))]
    mates.append(mate(places, "Weld", MateKind.FIXED, "arm", "lid", (0.2, 0, 0), (0, 0, 1)))
    mechanism = cb.build(assembly(places, mates))
    found = cb.inverse(mechanism, Motion(joints=(JointPath("Hinge", _linear(1.5)),)), collapse=False)
    assert {p.name for p in peaks(found) if p.kind == "mate"} == {"Hinge"}
