"""Worms and crossed helical gears push along their axes: bearings against the textbook's forces, with friction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cadbridge as cb
from cadbridge.efforts import inverse_columns, load_motion
from cadbridge.simulation import load_scenario, simulate
from cadbridge.simulation.trajectory import columns_of
from tests.efforts.trains import Joint, pair

ALPHA, GAMMA, DISTANCE = np.radians(20.0), np.radians(15.0), 0.05
WORM: Joint = ("a", "base", "one", "0 0 0", "1 0 0")
WHEEL: Joint = ("b", "base", "two", "0 0 0.05", "0 1 0")
LOAD = 6.0


def efficiency(friction: float) -> float:
    """Of a worm that drives, with a coefficient of friction (Shigley, Mechanical engineering design, ch. 13)."""
    return float((np.cos(ALPHA) - friction * np.tan(GAMMA)) / (np.cos(ALPHA) + friction / np.tan(GAMMA)))


def columns_along(source: Path, rate: float, load: str) -> dict[str, np.ndarray]:
    """The worm led at a constant rate against a load: no inertia."""
    path = source.with_name("motion.yaml")
    text = "format: cadbridge.motion/1\nduration: 0.1\nrate: 20\ngravity: [0, 0, 0]\nfriction_speed: {turn: 1.0e-6}\n"
    path.write_text(f"{text}joints: {{a: '{rate}*t'}}\nactuators: [a]\nloads: {{wrenches: [{load}]}}\n", "utf-8")
    mechanism = cb.build(cb.read(source))
    assert {f.code for f in (*mechanism.assembly.findings, *mechanism.findings)} <= {"CB189", "CB307"}
    found = cb.inverse(mechanism, load_motion(path, mechanism))
    return {name: values for name, (values, _) in inverse_columns(found).items()}


def worm(folder: Path, friction: float, hand: str = "right") -> Path:
    keys = f"type: worm, starts: 2, teeth: 40, hand: {hand}, lead_angle: 15, pressure_angle: 20"
    return pair(folder, keys, efficiency(friction), WORM, WHEEL)


@pytest.mark.parametrize("hand", ["right", "left"])
@pytest.mark.parametrize("friction", [0.0, 0.05])
@pytest.mark.parametrize("rate", [100.0, -100.0])
def test_a_worm_and_its_wheel_bear_the_textbooks_forces(
    friction: float, rate: float, hand: str, tmp_path: Path
) -> None:
    source = worm(tmp_path, friction, hand)
    turned = columns_along(source, rate, "{component: two, torque: [0, 1, 0]}")["joint.b.qd"][-1]
    load = -np.sign(turned) * LOAD
    columns = columns_along(source, rate, f"{{component: two, torque: [0, {load}, 0]}}")
    # r_a : r_b = z_a / sin γ : z_b / cos γ.
    parts = 2 / np.sin(GAMMA), 40 / np.cos(GAMMA)
    radius = DISTANCE * parts[1] / sum(parts)
    size = LOAD / radius / (np.cos(ALPHA) * np.cos(GAMMA) - friction * np.sin(GAMMA))
    along = size * (np.cos(ALPHA) * np.sin(GAMMA) + friction * np.cos(GAMMA))
    for k in range(len(columns["time"])):
        on_worm = np.array([columns[f"joint.a.f{axis}"][k] for axis in "xyz"])
        on_wheel = np.array([columns[f"joint.b.f{axis}"][k] for axis in "xyz"])
        np.testing.assert_allclose(np.abs(on_worm), [LOAD / radius, along, size * np.sin(ALPHA)], rtol=1e-6)
        np.testing.assert_allclose(on_wheel, -on_worm, rtol=1e-9)
        assert on_worm[2] > 0, "the teeth part the wheels: the worm's bearing holds it up"
    np.testing.assert_allclose(np.abs(columns["tooth.gear.axial_a"]), LOAD / radius, rtol=1e-6)
    np.testing.assert_allclose(np.abs(columns["tooth.gear.axial_b"]), along, rtol=1e-6)
    np.testing.assert_allclose(columns["tooth.gear.radial"], size * np.sin(ALPHA), rtol=1e-6)
    np.testing.assert_allclose(columns["tooth.gear.force"], size * np.hypot(1.0, friction), rtol=1e-6)


def test_the_bearings_hold_the_moments_of_the_teeth(tmp_path: Path) -> None:
    """Each wheel's whole balance: contact force at the pitch point, bearing, load and motor."""
    columns = columns_along(worm(tmp_path, 0.05), 100.0, f"{{component: two, torque: [0, {LOAD}, 0]}}")
    parts = 2 / np.sin(GAMMA), 40 / np.cos(GAMMA)
    at = np.array([0.0, 0.0, DISTANCE * parts[0] / sum(parts)])
    for joint, origin, effort in (("a", np.zeros(3), True), ("b", np.array([0, 0, DISTANCE]), False)):
        force, moment = (np.array([columns[f"joint.{joint}.{k}{axis}"][-1] for axis in "xyz"]) for k in "ft")
        motor = np.array([columns["actuator.a.effort"][-1], 0, 0]) if effort else np.array([0, LOAD, 0])
        np.testing.assert_allclose(moment + motor + np.cross(at - origin, -force), 0.0, atol=1e-6)


def test_crossed_helical_gears_push_by_their_helices(tmp_path: Path) -> None:
    """Axes at 90°, both 45° right: r_a : r_b = z_a : z_b, thrust = tangential force, radial = √2 tangential tan α_n."""
    keys = "type: crossed_helical, teeth: [20, 40], helix: 45, pressure_angle: 20"
    first, second = WORM, ("b", "base", "two", "0 0 0.06", "0 1 0")
    source = pair(tmp_path, keys, 1.0, first, second)
    turned = columns_along(source, 50.0, "{component: two, torque: [0, 1, 0]}")["joint.b.qd"][-1]
    columns = columns_along(source, 50.0, f"{{component: two, torque: [0, {-np.sign(turned) * LOAD}, 0]}}")
    tangential = LOAD / 0.04
    np.testing.assert_allclose(np.abs(columns["tooth.gear.axial_a"]), tangential, rtol=1e-9)
    np.testing.assert_allclose(np.abs(columns["tooth.gear.axial_b"]), tangential, rtol=1e-9)
    np.testing.assert_allclose(columns["tooth.gear.radial"], np.sqrt(2) * tangential * np.tan(ALPHA), rtol=1e-9)
    np.testing.assert_allclose(np.abs(columns["joint.a.fx"]), tangential, rtol=1e-9)


def test_a_run_has_the_same_thrust(tmp_path: Path) -> None:
    source = worm(tmp_path, 0.05)
    load = f"{{component: two, torque: [0, {LOAD}, 0]}}"
    asked = columns_along(source, 100.0, load)
    path = tmp_path / "scenario.yaml"
    text = "format: cadbridge.scenario/1\nduration: 0.1\nrate: 20\ngravity: [0, 0, 0]\nfriction_speed: {turn: 1.0e-6}\n"
    path.write_text(f"{text}motors: [{{joint: a, angle: '100*t'}}]\nloads: {{wrenches: [{load}]}}\n", "utf-8")
    mechanism = cb.build(cb.read(source))
    run = columns_of(simulate(mechanism, load_scenario(path, mechanism)))
    for name in ("tooth.gear.axial_a", "tooth.gear.radial", "joint.a.fx", "joint.b.fy", "motor.a.effort"):
        wanted = asked[name.replace("motor.", "actuator.")]
        np.testing.assert_allclose(run[name][0], wanted, rtol=1e-6)


def test_a_worm_of_unknown_lead_is_told_and_both_angles_go_together(tmp_path: Path) -> None:
    plain = pair(tmp_path, "type: worm, starts: 2, teeth: 40", 0.8, WORM, WHEEL)
    run = simulate(cb.build(cb.read(plain)), duration=0.01)
    assert "tooth.gear.axial_a" not in columns_of(run)
    assert [f.message for f in run.findings] == ["gear: the forces along its axes are not known: no pressure_angle"]
    half = pair(tmp_path, "type: worm, starts: 2, teeth: 40, lead_angle: 15", 0.8, WORM, WHEEL)
    assert any("give both" in f.message for f in cb.read(half).findings if f.severity == "error")
