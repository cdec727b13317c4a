"""The scenario: what acts on a mechanism, from where, for how long."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field, replace

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.frames import Vector
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.simulation.changes import ChangeSpec
from cadbridge.simulation.fitting import GAP
from cadbridge.simulation.loads import LoadSpecs
from cadbridge.simulation.motors import CIRCUITS, MotorSpec, on_joint
from cadbridge.simulation.servos import Servos
from cadbridge.study import FrameMotion
from cadbridge.units import DEGREE, MM

FRICTION_SPEEDS = (DEGREE, MM)
"""rad/s and m/s: one degree or millimetre a second: what creeps so slowly counts as held. Smaller ones come nearer to
true rest at the price of shorter steps."""


@dataclass(frozen=True)
class EventSpec:
    """A joint that passes a value.

    Attributes:
        joint: Its name.
        value: rad or m; 0 as designed.
        direction: "rising", "falling" or "either".
        stop: Whether the run ends there.
    """

    joint: str
    value: float
    direction: str = "either"
    stop: bool = False


@dataclass(frozen=True)
class Scenario:
    """What acts on a mechanism, from where, for how long; SI throughout.

    Attributes:
        gravity: m/s², world axes; None takes the mechanism's.
        duration: s.
        rate: Samples a second.
        rtol: Relative tolerance of steps (see `solver.simulate`).
        atol: Absolute tolerance of steps; where it equals `rtol`, less of a mechanism below 0.1 m, as its size is.
        sensitivity: Whether a second run at a larger tolerance says how far the end depends on it.
        gap: By how much, m, mates that repeat others may contradict them.
        integrator: One of the solver's: "dopri5", "dop853", "rk4" or "generalized_alpha".
        step: The length of all steps, s; None controls them.
        max_step: The length that no step exceeds, s; None is no bound.
        positions: Initial values of joints by name, rad or m; 0 as designed.
        rates: Initial rates of joints by name, rad/s or m/s.
        motors: What moves joints.
        frame_motions: Poses prescribed between frames.
        servos: What the source's own actuators do.
        loads: Springs, bushings, wrenches, friction, stops and Python functions.
        limits: "stop" makes the joints' limits stops, "ignore" lets them pass, and reports.
        friction: The speeds (rad/s, m/s) over which dry friction is smoothed; None leaves friction out.
        velocities: Initial twists (6,) of components at their origins, [v; ω] in world axes, as designed.
        events: Values of joints to report, or to end at.
        changes: What is attached, released, locked or unlocked on the way, in order of time.
    """

    gravity: tuple[float, float, float] | None = None
    duration: float = 2.0
    rate: float = 100.0
    rtol: float = 1e-8
    atol: float = 1e-8
    sensitivity: bool = True
    gap: float = GAP
    integrator: str = "dopri5"
    step: float | None = None
    max_step: float | None = None
    positions: dict[str, float] = field(default_factory=dict)
    rates: dict[str, float] = field(default_factory=dict)
    motors: tuple[MotorSpec, ...] = ()
    frame_motions: tuple[FrameMotion, ...] = ()
    servos: Servos = field(default_factory=Servos)
    loads: LoadSpecs = field(default_factory=LoadSpecs)
    limits: str = "ignore"
    friction: tuple[float, float] | None = FRICTION_SPEEDS
    velocities: dict[str, Vector] = field(default_factory=dict)
    events: tuple[EventSpec, ...] = ()
    changes: tuple[ChangeSpec, ...] = ()

    @property
    def circuits(self) -> tuple[MotorSpec, ...]:
        """The motors with laws of their own: DC motors and cylinders (`cadbridge.simulation.circuits`)."""
        return tuple(motor for motor in self.motors if motor.kind in CIRCUITS)


def find_joint(
    mechanism: Mechanism, findings: Findings, name: str, where: Where, *, single: bool = True
) -> Joint | None:
    """The joint that a name means, where it has one freedom or `single` is False; CB602 where there is none."""
    joint = mechanism.joint_named(name)
    if joint is not None and (not single or joint.coordinate):
        return joint
    known = {j.name for j in mechanism.joints if not single or j.coordinate} | {d.name for d in mechanism.drives}
    # Looser than difflib's own 0.6: names of joints are short, and a wrong guess does no harm.
    near = difflib.get_close_matches(name, sorted(known), n=3, cutoff=0.4)
    message = f"there is no joint {name!r}" if joint is None else f"{name} is {joint.type}: it has no single freedom"
    findings.add("CB602", message + (f"; nearest: {', '.join(near)}" if near else ""), where)
    return None


def two_names(joint: str, first: str, other: str) -> str:
    """The clause that two names mean one joint."""
    return f"{first} and {other} are names of one joint" + ("" if joint in (first, other) else f", {joint}")


def on_joints(mechanism: Mechanism, what: Scenario) -> Scenario:
    """The scenario with its motors as they act on their joints (see `on_joint`), and initial values as these count.

    InputError where two names of one joint give it different values: the last would be taken.
    """
    findings = Findings()
    for section, given in (("positions", what.positions), ("rates", what.rates)):
        for joint, first, other in mechanism.said_twice(given):
            text = f"{section}: {two_names(joint, first, other)}, and give it different values"
            findings.add("CB608", text, Where(item=other), items=(joint,))
    if findings.errors:
        raise InputError(findings.as_tuple()[0].message, findings)
    positions, rates = map(mechanism.by_joint, (what.positions, what.rates))
    motors = tuple(on_joint(mechanism, motor) for motor in what.motors)
    return replace(what, motors=motors, positions=positions, rates=rates)
