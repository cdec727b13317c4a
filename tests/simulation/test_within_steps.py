"""Samples of geared trains whose wheels turn by hundreds of radians in a step, by the columns that a user gets.

The samples are at times that have nothing to do with the steps. They are held against closed forms, and against the
absolute coordinates at 1e-10, whose steps are hundreds of times shorter.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import cadbridge as cb
from cadbridge.mechanism import Mechanism
from cadbridge.simulation import MotorSpec, Run, Scenario
from cadbridge.simulation.scenario import EventSpec
from cadbridge.simulation.trajectory import columns_of
from solver.functions import expression
from tests.efforts.trains import pair, planetary, train

Array = np.ndarray
X, Y, Z = "1 0 0", "0 1 0", "0 0 1"
WITHIN = 100.0
"""Tolerances by which a sample may be off, of the largest value of its column."""
ODD = 47.3
"""Samples a second."""


def bevel(folder: Path) -> Path:
    """A sun of 40 teeth about z and a planet of 20 about x, on a carrier about z."""
    joints = [("S", "base", "sun", "0 0 0", Z), ("C", "base", "carrier", "0 0 0", Z)]
    entry = """
  - {name: gear, type: bevel, teeth: [40, 20], efficiency: 1,
     a: {component: sun, point: [0, 0, 0], axis: [0, 0, 1]}, b: {component: planet, point: [0, 0, 0], axis: [1, 0, 0]}}
"""
    return train(folder, [*joints, ("P", "carrier", "planet", "0 0 0", X)], entry)


def worm(folder: Path) -> Path:
    """One start on 40 teeth."""
    ends = ("A", "base", "one", "0 0 0", Z), ("B", "base", "two", "0.05 0 0", Y)
    return pair(folder, "type: worm, starts: 1, teeth: 40", 1, *ends)


def differential(folder: Path) -> Path:
    """Its case and its two shafts."""
    names = (("case", "k"), ("left", "l"), ("right", "r"))
    joints = [(name, "base", link, "0 0 0", Z) for name, link in names]
    return train(folder, joints, "\n  - {name: gear, type: differential, case: case, left: left, right: right}\n")


def rack(folder: Path) -> Path:
    """A pinion of 20 mm."""
    ends = ("A", "base", "one", "0 0 0", Z), ("slide", "base", "two", "0 0.02 0", X)
    return pair(folder, "type: rack_pinion, radius: 0.02", 1, *ends)


def lossy(folder: Path) -> Path:
    """A spur pair that loses a fifth of what it carries."""
    ends = ("A", "base", "one", "0 0 0", Z), ("B", "base", "two", "0.07 0 0", Z)
    return pair(folder, "type: spur, teeth: [20, 50]", 0.8, *ends)


def planets(folder: Path) -> Path:
    """A sun, a planet, and a ring in the base."""
    return planetary(folder, 1.0, 1.0)


def motor(joint: str, kind: str, text: str) -> MotorSpec:
    law: dict[str, Any] = {kind: expression(text)}
    return MotorSpec(joint, **law)


def built(source: Path) -> Mechanism:
    return cb.build(cb.read(source))


def run(
    mechanism: Mechanism, motors: tuple[MotorSpec, ...], tolerance: float, method: str = "auto", **more: Any
) -> Run:
    asked = {"duration": 2.0, "rate": ODD, "gravity": (0.0, 0.0, 0.0), "friction": None, **more}
    scenario = Scenario(motors=motors, rtol=tolerance, atol=tolerance, **asked)
    return cb.simulate(mechanism, scenario, method=method)


def hold(found: Run, expected: Run, tolerance: float) -> None:
    """Each column of one run is that of the other, energies by the largest of them."""
    ours, theirs = columns_of(found), columns_of(expected)
    assert list(ours) == list(theirs)
    energy = max(float(np.abs(values).max()) for name, (values, _) in theirs.items() if name.startswith("energy"))
    for name, (values, _) in theirs.items():
        size = max(1.0, float(np.abs(values).max()), energy if name.startswith("energy") else 0.0)
        assert_allclose(ours[name][0], values, rtol=0, atol=WITHIN * tolerance * size, err_msg=name)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8])
def test_a_led_bevel_planet_turns_as_willis_says(tolerance: float, tmp_path: Path) -> None:
    """Sun and carrier are led by 5,000 t² and 27,000 t + 2,000 sin 3t degrees: hundreds of turns of the planet."""
    leading = (
        motor("C", "angle", "(27000*t + 2000*sin(3*t))*pi/180"),
        motor("S", "angle", "-5000*t*t*pi/180"),
    )
    found = run(built(bevel(tmp_path)), leading, tolerance, duration=3.0)
    assert found.summary["method"] == "tree"
    assert found.summary["trusted"]
    columns = {name: values for name, (values, _) in columns_of(found).items()}
    t = columns["time"]
    carrier, sun = np.radians(27000 * t + 2000 * np.sin(3 * t)), np.radians(-5000 * t * t)
    # 40 teeth drive 20: seen from the carrier the planet turns twice as far, one way or the other.
    turned = 2.0 * (sun - carrier)
    way = math.copysign(1.0, float(columns["joint.P.q"][-1] * turned[-1]))
    assert np.abs(turned).max() > 2000.0
    size = np.abs(turned).max()
    assert_allclose(columns["joint.P.q"], way * turned, rtol=0, atol=WITHIN * tolerance)
    assert_allclose(columns["joint.C.q"], carrier, rtol=0, atol=1e-9 * size)
    assert np.abs(columns["gear.gear.error"]).max() < 1e-8
    assert found.summary["constraint_position"] < 1e-9
    # The carrier's pose too, not its turns alone.
    assert_allclose(np.abs(columns["body.carrier.qw"]), np.abs(np.cos(carrier / 2)), rtol=0, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-8, 1e-10])
def test_a_free_planetary_train_keeps_its_closed_form(tolerance: float, tmp_path: Path) -> None:
    """Constant torques give constant accelerations, by Willis's ratios: 2 s of them make a thousand radians."""
    torques = (motor("arm_joint", "torque", "40"),)
    found = run(built(planets(tmp_path)), torques, tolerance)
    assert found.result.statistics.steps < 20
    columns = {name: values for name, (values, _) in columns_of(found).items()}
    t = columns["time"]
    # The ring of 60 is held: a turn of the arm is 4 of the sun of 20, and 1 − 60/20 of the planet, in space.
    inertia = 0.01 + 16 * 0.01 + 4 * 0.01 + 1.0 * 0.04**2
    arm = 0.5 * 40.0 / inertia * t * t
    size = 4 * arm.max()
    assert size > 1500.0
    assert_allclose(columns["joint.arm_joint.q"], arm, rtol=0, atol=1e-10 * size)
    assert_allclose(columns["joint.sun_joint.q"], 4 * arm, rtol=0, atol=1e-10 * size)
    assert_allclose(np.abs(columns["joint.planet_joint.q"]), 3 * arm, rtol=0, atol=1e-10 * size)
    assert_allclose(columns["energy.motor_work"], 40.0 * arm, rtol=0, atol=1e-10 * 40.0 * arm.max())
    assert_allclose(columns["energy.kinetic"], 40.0 * arm, rtol=0, atol=1e-10 * 40.0 * arm.max())


def test_events_of_a_fast_train_are_met_where_its_closed_form_says(tmp_path: Path) -> None:
    """One hundred and more radians a step: of two events the second stops the run, and a third is never met."""
    torques = (motor("arm_joint", "torque", "40"),)
    events = (
        EventSpec("sun_joint", 700.0, "rising"),
        EventSpec("arm_joint", 300.0, "either", stop=True),
        EventSpec("sun_joint", 700.0, "falling"),
    )
    found = run(built(planets(tmp_path)), torques, 1e-8, events=events)
    inertia = 0.01 + 16 * 0.01 + 4 * 0.01 + 1.0 * 0.04**2
    times = [math.sqrt(2 * angle * inertia / 40.0) for angle in (700.0 / 4, 300.0)]
    assert [e.name for e in found.result.events] == ["sun_joint", "arm_joint"]
    assert_allclose([e.t for e in found.result.events], times, rtol=1e-11)
    columns = {name: values for name, (values, _) in columns_of(found).items()}
    assert columns["time"][-1] == pytest.approx(times[1], rel=1e-11)
    assert columns["joint.arm_joint.q"][-1] == pytest.approx(300.0, rel=1e-11)
    assert_allclose(np.diff(columns["time"])[:-1], 1 / ODD, rtol=1e-9)
    assert found.result.status.code == "event"


CASES: dict[str, tuple[Any, tuple[MotorSpec, ...]]] = {
    "worm": (worm, (motor("A", "torque", "0.5"),)),
    "bevel": (bevel, (motor("C", "torque", "1.5"), motor("S", "torque", "-1"))),
    "planets": (planets, (motor("arm_joint", "torque", "6*cos(3*t)"), motor("sun_joint", "torque", "-2"))),
    "differential": (differential, (motor("case", "torque", "4"), motor("left", "torque", "0.7*sin(5*t)"))),
    "rack": (rack, (motor("A", "torque", "0.5*cos(2*t)"),)),
    "lossy": (lossy, (motor("A", "torque", "3*sin(7*t)"),)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_column_of_every_sample_is_that_of_absolute_coordinates(name: str, tmp_path: Path) -> None:
    make, motors = CASES[name]
    mechanism = built(make(tmp_path))
    fine = run(mechanism, motors, 1e-10, "absolute")
    for tolerance in (1e-3, 1e-4, 1e-6, 1e-8):
        found = run(mechanism, motors, tolerance)
        assert found.summary["method"] == "tree"
        assert found.summary["trusted"]
        hold(found, fine, tolerance)
