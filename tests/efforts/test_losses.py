"""What teeth lose, from a mates file to efforts: closed forms for each kind of gear, arrangement and driving side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.efforts import Inverse, inverse_columns, load_motion
from cadbridge.errors import ModelError
from cadbridge.mechanism.carriers import carried
from cadbridge.simulation import MotorSpec, Scenario, simulate
from solver.functions import expression
from tests.efforts.trains import Joint, pair, planetary, train

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
X, Y, Z = "1 0 0", "0 1 0", "0 0 1"
SMOOTH = "friction_speed: {turn: 1.0e-6, slide: 1.0e-6}\n"


def driven(source: Path, joint: str, rate: float, load: str, actuator: str, method: str = "absolute") -> Inverse:
    """A joint led at a constant rate (degrees or mm a second) against a load, an entry of `wrenches`."""
    text = f"format: cadbridge.motion/1\nduration: 0.2\nrate: 10\ngravity: [0, 0, 0]\n{SMOOTH}"
    text += f"joints: {{{joint}: '{rate}*t'}}\nactuators: [{actuator}]\nloads: {{wrenches: [{load}]}}\n"
    path = source.with_name("motion.yaml")
    path.write_text(text, "utf-8")
    mechanism = cb.build(cb.read(source))
    assert {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)} <= {"CB189", "CB307"}
    return cb.inverse(mechanism, load_motion(path, mechanism), method=method)


@pytest.mark.parametrize("method", ["absolute", "transmission", "bond-graph", "tree"])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_planetary_train_has_its_efficiency_in_both_directions(method: str, backwards: bool, tmp_path: Path) -> None:
    """Ring held, i₀ = z_ring / z_sun, η₀ that of both meshes seen from the arm (VDI 2157).

    Sun to arm (1 + i₀ η₀) / (1 + i₀), arm to sun (1 + i₀) / (1 + i₀ / η₀).
    """
    first, second, ratio = 0.96, 0.98, 3.0
    frames = "frames:\n  - {name: tool, component: arm, point: [0, 0, 0], z: [0, 0, 1], x: [1, 0, 0]}\n"
    source = planetary(tmp_path, first, second, frames=frames)
    basic = first * second
    at, torque = ("sun", -1.0) if backwards else ("arm", -7.0)
    load = f"{{component: {at}, torque: [0, 0, {torque}]}}"
    lossy = driven(source, "arm_joint", 300.0, load, "arm_joint" if backwards else "sun_joint", method)
    (effort,) = {round(float(e), 9) for e in lossy.forces.efforts[:, 0]}
    if backwards:
        assert effort == pytest.approx((1 + ratio) * (1 + ratio / basic) / (1 + ratio), rel=1e-8)
    else:
        assert effort == pytest.approx(7.0 / (1 + ratio * basic), rel=1e-8)
    assert not {f.code for f in lossy.findings} & {"CB613", "CB673", "CB671"}


BASE = "base"
KINDS: dict[str, tuple[str, Joint, Joint, float]] = {
    "spur": (
        "type: spur, teeth: [20, 50]",
        ("a", BASE, "one", "0 0 0", Z),
        ("b", BASE, "two", "0.07 0 0", Z),
        2.5,
    ),
    "internal": (
        "type: internal, teeth: [20, 50]",
        ("a", BASE, "one", "0 0 0", Z),
        ("b", BASE, "two", "0.03 0 0", Z),
        2.5,
    ),
    "bevel": (
        "type: bevel, teeth: [20, 50]",
        ("a", BASE, "one", "0 0 0", Z),
        ("b", BASE, "two", "0 0 0", X),
        2.5,
    ),
    "belt": (
        "type: belt, teeth: [20, 50]",
        ("a", BASE, "one", "0 0 0", Z),
        ("b", BASE, "two", "0.3 0 0", Z),
        2.5,
    ),
    "worm": (
        "type: worm, starts: 2, teeth: 40",
        ("a", BASE, "one", "0 0 0", X),
        ("b", BASE, "two", "0 0 0.05", Y),
        20.0,
    ),
    "rack": (
        "type: rack_pinion, radius: 0.02",
        ("a", BASE, "one", "0 0 0", Z),
        ("slide", BASE, "two", "0 0.02 0", X),
        1 / 0.02,
    ),
}
"""Keys, joints of both wheels, and the ratio of the effort on b to that on a without losses."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("drives", ["a", "b"])
def test_each_kind_of_gear_takes_its_share_whichever_wheel_drives(kind: str, drives: str, tmp_path: Path) -> None:
    efficiency = 0.8
    gear, first, second, ratio = KINDS[kind]
    source = pair(tmp_path, gear, efficiency, first, second)
    driver, other = (first, second) if drives == "a" else (second, first)
    words = "force" if other[0].startswith("slide") else "torque"
    axis = [float(v) for v in other[4].split()]
    # Constant rates: no inertia. The load is against the motion of the other wheel, whichever way that turns.
    plain = driven(source, driver[0], 100.0, f"{{component: {other[2]}, {words}: {axis}}}", driver[0])
    sign = -np.sign(plain.run.result.trajectory.coordinate_rates[0] @ np.where(plain_is(plain, other[0]), 1.0, 0.0))
    load = [float(sign * 3.0 * v) for v in axis]
    found = driven(source, driver[0], 100.0, f"{{component: {other[2]}, {words}: {load}}}", driver[0])
    share = efficiency if drives == "a" or kind != "worm" else 2 - 1 / efficiency
    asked = 3.0 / ratio if drives == "a" else 3.0 * ratio
    assert found.forces.efforts[:, 0] == pytest.approx(asked / share, rel=1e-9)
    lost = inverse_columns(found)["gear.gear.lost"]
    rate = abs(found.run.result.trajectory.coordinate_rates[0] @ np.where(plain_is(found, driver[0]), 1.0, 0.0))
    assert lost[0] == pytest.approx((1 - share) * asked / share * rate, rel=1e-9)
    assert lost[1] == "W"


def plain_is(found: Inverse, name: str) -> list[bool]:
    return [joint.name == name for joint in found.run.lowered.joints]


@pytest.mark.parametrize("method", ["absolute", "bond-graph", "tree"])
def test_a_worm_that_locks_itself_is_not_driven_from_its_wheel(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pulls and losses never agree: a third of the rounds shows it."""
    monkeypatch.setattr("cadbridge.efforts.losses._MOST_LOSS_ROUNDS", 60)
    gear, worm, wheel, _ = KINDS["worm"]
    source = pair(tmp_path, gear, 0.4, worm, wheel)
    with pytest.raises(ModelError, match="self-locking") as told:
        driven(source, "b", 100.0, "{component: one, torque: [-3, 0, 0]}", "b", method)
    assert [f.code for f in told.value.findings if f.severity == "error"] == ["CB673"]


def test_a_wheel_that_is_led_against_a_locking_worm_is_told(tmp_path: Path) -> None:
    gear, worm, wheel, _ = KINDS["worm"]
    mechanism = cb.build(cb.read(pair(tmp_path, gear, 0.4, worm, wheel)))
    for joint, told in (("b", ["b is prescribed, and is the wheel of gear, which locks itself"]), ("a", [])):
        motor = MotorSpec(joint, angle=expression("0.1*t^2"))
        run = simulate(mechanism, Scenario(duration=0.01, rate=100.0, gravity=(0.0, 0.0, 0.0), motors=(motor,)))
        assert [f.message for f in run.findings if f.code == "CB634"] == told
        assert [f.code for f in run.findings if f.severity == "error"] == (["CB673"] if told else [])


def test_a_worm_that_locks_itself_is_pushed_down_by_its_motor(tmp_path: Path) -> None:
    """A load that pulls along: the motor gives (1/η − 2) of what the load would give it without friction."""
    gear, worm, wheel, ratio = KINDS["worm"]
    source = pair(tmp_path, gear, 0.4, worm, wheel)
    up, down = (
        driven(source, "a", 100.0, f"{{component: two, torque: [0, {torque}, 0]}}", "a").forces.efforts[0, 0]
        for torque in (5.0, -5.0)
    )
    assert sorted((up, down)) == pytest.approx(sorted((5 / ratio / 0.4, 5 / ratio * (1 / 0.4 - 2))), rel=1e-9)


@pytest.mark.parametrize("name", ["geared_robot3", "bendix_wrist"])
def test_what_carries_wheels_is_what_the_papers_graph_says(name: str) -> None:
    mechanism = cb.build(cb.read(FIXTURES / name / f"{name}.urdf"))
    analysis = cb.geared.transmission(mechanism)
    found = {}
    for coupling in mechanism.couplings:
        on = carried(mechanism, coupling)
        assert not isinstance(on, str), on
        found[coupling.name] = mechanism.body_name(on.carrier)
    assert found == {mesh.name: analysis.name(mesh.carrier) for mesh in analysis.robot.graph.meshes}


def test_a_carrier_that_is_none_is_told(tmp_path: Path) -> None:
    source = planetary(tmp_path, 0.96, 0.98, more="carrier: sun,")
    found = driven(source, "arm_joint", 300.0, "{component: arm, torque: [0, 0, -7]}", "sun_joint")
    (said,) = [f.message for f in found.findings if f.code == "CB613"]
    assert said == "inner loses power; its carrier sun does not carry both wheels (arm)"


def geared_robot(folder: Path, actuators: str, joints: str = "theta1 theta2 theta3") -> Inverse:
    """Paper 001's robot along a motion of its primary joints, link by link along its transmission lines."""
    mechanism = cb.build(cb.read(FIXTURES / "geared_robot3" / "geared_robot3.urdf"))
    path = folder / "motion.yaml"
    led = "".join(f"  {name}: '{10 * (k + 1)}*sin(3*t)'\n" for k, name in enumerate(joints.split()))
    text = f"format: cadbridge.motion/1\nduration: 0.2\nrate: 10\njoints:\n{led}actuators: [{actuators}]\n"
    path.write_text(text, "utf-8")
    return cb.inverse(mechanism, load_motion(path, mechanism), method="transmission")


def test_declared_drives_drive_where_the_motion_leads_other_joints(tmp_path: Path) -> None:
    silent, said = (geared_robot(tmp_path, names) for names in ("", "q4, q5, q6"))
    assert [j.name for j in silent.actuators] == ["q4", "q5", "q6"]
    np.testing.assert_allclose(silent.forces.efforts, said.forces.efforts, rtol=1e-12)
    wanted, found = inverse_columns(said), inverse_columns(silent)
    assert np.max(found["tooth.4-1.force"][0]) > 10.0
    np.testing.assert_allclose(found["tooth.7-3.force"][0], wanted["tooth.7-3.force"][0], rtol=1e-12)
    assert [f.message for f in silent.findings if f.code == "CB674"] == [
        "no actuators are named: q4, q5, q6 drive, as declared, and not theta1, theta2, theta3, prescribed"
    ]
    assert "CB674" not in {f.code for f in said.findings}
    primary = geared_robot(tmp_path, "theta1, theta2, theta3")
    assert [j.name for j in primary.actuators] == ["theta1", "theta2", "theta3"]


def test_drives_that_leave_a_freedom_are_told(tmp_path: Path) -> None:
    gear, first, second, _ = KINDS["spur"]
    source = pair(tmp_path, gear, 1.0, first, second)
    extra = ("c", BASE, "three", "0 0 1", Z)
    entry = source.with_suffix(".mates.yaml").read_text("utf-8").partition("gears:\n")[2]
    source = train(tmp_path, [first, second, extra], entry, "drives:\n  - {name: M, joint: b}\n")
    path = tmp_path / "motion.yaml"
    path.write_text("format: cadbridge.motion/1\nduration: 0.1\nrate: 10\njoints: {a: '5*t', c: '9*t'}\n", "utf-8")
    mechanism = cb.build(cb.read(source))
    found = cb.inverse(mechanism, load_motion(path, mechanism))
    assert [j.name for j in found.actuators] == ["a", "c"]
    assert "CB675" in {f.code for f in found.findings}
