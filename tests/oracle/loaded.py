"""What a run meets beside gears and loops: pulses, springs, stops, controllers, changes, corners, friction."""

from __future__ import annotations

import math

import numpy as np

from cadbridge.assembly import GROUND, MateKind
from cadbridge.simulation import LoadSpecs, MotorSpec, Scenario
from cadbridge.simulation.changes import ChangeSpec
from cadbridge.simulation.motors import Pd
from solver.functions import expression, table
from solver.model import Friction, JointLoad, Stop
from tests.oracle.building import Maker
from tests.oracle.cases import GRAVITY, Case, Chance, Z, moment, motor_of, times
from tests.oracle.linkages import pendulums
from tests.oracle.trains import coupled


def pulse(chance: Chance) -> Case:
    """A short push on a disc, a pendulum or a gear pair at rest."""
    duration, rate = times(chance)
    start, width = float(chance.uniform(0.2, 0.8)) * duration, float(np.exp(chance.uniform(-7, -3)))
    size = float(chance.uniform(0.02, 0.5)) / width
    text = f"{size:.4g}*(step(t-{start:.5g})-step(t-{start + width:.5g}))"
    kind = str(chance.choice(("disc", "pendulum", "gear")))
    if kind == "pendulum":
        made, motor = pendulums(chance, 2), motor_of("J0", "torque", text)
    elif kind == "gear":
        made = Maker()
        coupled(made, GROUND, "spur", np.zeros(3), np.array(Z), chance)
        motor = motor_of("Wheel", "torque", text)
    else:
        made = Maker()
        made.body("disc", (0, 0, 0))
        made.joint("Disc", MateKind.REVOLUTE, GROUND, "disc", (0, 0, 0), Z)
        motor = motor_of("Disc", "torque", text)
    gravity = GRAVITY if kind == "pendulum" else (0.0, 0.0, 0.0)
    what = Scenario(gravity=gravity, duration=duration, rate=rate, motors=(motor,))
    return Case(f"pulse on a {kind}", made.mechanism(), what, finest=width / 2)


def _sprung(
    kind: str, chance: Chance, within: tuple[float, float], damped: float, longest: float, often: float
) -> Case:
    """Pendulums with a spring and damper at the first joint: `within` N m/rad, damping up to `damped` s of it."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    stiffness = float(np.exp(chance.uniform(math.log(within[0]), math.log(within[1]))))
    spring = JointLoad(None, stiffness=stiffness, damping=float(chance.uniform(0, damped)) * stiffness)  # type: ignore[arg-type]
    duration, rate = times(chance, longest)
    loads = LoadSpecs(joint_springs=(("J0", spring),))
    return Case(kind, made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=often * rate, loads=loads))


def stiff(chance: Chance) -> Case:
    """Pendulums with a stiff spring and damper at a joint."""
    return _sprung("stiff spring", chance, (1e2, 3e5), 1e-3, 0.6, 1.0)


def stop(chance: Chance) -> Case:
    """Pendulums that fall into a stop."""
    made = pendulums(chance, int(chance.integers(1, 3)))
    duration, rate = times(chance)
    reach = float(chance.uniform(0.1, 0.6))
    ends = Stop(lower=-reach, upper=reach, stiffness=float(chance.uniform(200, 5000)), damping=5.0, depth=0.05)
    loads = LoadSpecs(stops=(("J0", ends),))
    return Case("stop", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, loads=loads))


def servo(chance: Chance) -> Case:
    """Pendulums led at their joints by controllers that come to the bounds of what they give."""
    count = int(chance.integers(1, 4))
    made, motors = pendulums(chance, count), []
    duration, rate = times(chance)
    for joint in ("J0", "J1")[:count]:
        stiffness = float(np.exp(chance.uniform(math.log(3.0), math.log(300.0))))
        goal = moment(chance, 2.0)
        damping, effort = float(chance.uniform(0.0, 0.1)) * stiffness, float(chance.uniform(0.05, 0.6)) * stiffness
        motors.append(MotorSpec(joint, pd=Pd(expression(goal), stiffness, damping, effort)))
    what = Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=tuple(motors))
    return Case("bounded controllers", made.mechanism(), what)


def change(chance: Chance) -> Case:
    """Pendulums of which a joint is locked, set free or let go on the way."""
    made = pendulums(chance, int(chance.integers(2, 4)))
    mechanism = made.mechanism()
    duration, rate = times(chance)
    joint = mechanism.joint_named("J1")
    first, second = sorted(float(t) for t in chance.uniform(0.1, 0.9, size=2) * duration)
    steps: tuple[ChangeSpec, ...]
    if chance.random() < 0.5:
        steps = (
            ChangeSpec(first, "lock", "J1", joint=joint, plastic=True),
            ChangeSpec(second, "unlock", "J1", joint=joint),
        )
    else:
        steps = (ChangeSpec(first, "release", "J1", joint=joint),)
    what = Scenario(gravity=GRAVITY, duration=duration, rate=rate, changes=steps)
    return Case(f"{steps[0].verb} on the way", mechanism, what)


CORNERS = (
    "{0:.4g}*abs(sin({1:.4g}*t))", "{0:.4g}*max(0, sin({1:.4g}*t))", "{0:.4g}*min(1, {1:.4g}*t)",
    "{0:.4g}*mod({1:.4g}*t, 1)", "{0:.4g}*floor({1:.4g}*t)", "{0:.4g}*sign(cos({1:.4g}*t))",
)  # fmt: skip


def corners(chance: Chance) -> Case:
    """Pendulums that are pushed by a law with corners, or led by a table."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    duration, rate = times(chance)
    if chance.random() < 0.6:
        text = str(chance.choice(CORNERS)).format(chance.uniform(1.0, 6.0), chance.uniform(3.0, 30.0))
        motor = motor_of("J0", "torque", text)
    else:
        at = np.sort(chance.uniform(0.0, duration, size=5))
        motor = MotorSpec("J0", angle=table(list(zip([0.0, *at], [0.0, *chance.uniform(-2, 2, size=5)], strict=True))))
    return Case("corners", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, motors=(motor,)))


def rigid(chance: Chance) -> Case:
    """Pendulums with a spring of up to 1e8 N m/rad at a joint."""
    return _sprung("rigid spring", chance, (1e6, 1e8), 1e-5, 0.05, 20.0)


def friction(chance: Chance) -> Case:
    """Pendulums whose first joint has dry friction."""
    made = pendulums(chance, int(chance.integers(1, 4)))
    dry = Friction(float(chance.uniform(0.1, 2.0)), float(np.exp(chance.uniform(math.log(1e-3), 0.0))))
    duration, rate = times(chance)
    loads = LoadSpecs(friction=(("J0", dry),))
    return Case("friction", made.mechanism(), Scenario(gravity=GRAVITY, duration=duration, rate=rate, loads=loads))
