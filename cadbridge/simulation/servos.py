"""Servos of the source: actuators with a law of their own, simulated as their engine starts them.

An actuator's control is what the scenario's `controls` give it, else what it starts with: 0 in MuJoCo after a reset,
the target of a drive in USD. A joint that the scenario itself moves has no servo.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cadbridge.assembly import TOUCHING, UNACTUATED, ControlLaw, Drive
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.mjcf_data import Activation, mjcf_data
from cadbridge.wording import count, listed
from solver.algebra.connected import connected
from solver.functions import constant, scaled
from solver.model import Motor, TimeFunction


@dataclass(frozen=True)
class Servos:
    """What a scenario says of the source's own actuators.

    Attributes:
        controls: By drive its control as a function of time, in the actuator's own unit; others keep what they start
            with.
        act: Whether they act at all.
    """

    controls: Mapping[str, TimeFunction] = field(default_factory=dict)
    act: bool = True


def servo_motors(lowered: Lowered, servos: Servos, moved: Collection[str], findings: Findings) -> tuple[Motor, ...]:
    """The motors of all drives that act; `moved` are the joints that the scenario's own motors move.

    ValueError where a control is none, InputError where it cannot be followed.
    """
    mechanism = lowered.mechanism
    unknown = sorted(set(servos.controls) - set(actuator_names(mechanism)))
    if unknown:
        raise InputError(f"controls: there is no actuator {unknown[0]!r} in the source.")
    made, replaced = [], []
    off = bool(mechanism.assembly.extra.get(UNACTUATED))
    for drive in mechanism.drives if servos.act and not off else ():
        joint, control = mechanism.joint_named(drive.joint), servos.controls.get(drive.name)
        # An actuator of which the source gives no law makes its control, a torque or force before the reduction.
        law = drive.law or (None if control is None else ControlLaw())
        index = None if joint is None else lowered.coordinate_of(joint.name)
        if joint is None or law is None or index is None or (control is None and not holds(law)):
            continue
        if joint.name in moved:
            replaced.append(drive.name)
            continue
        function = _control(mechanism, drive, law, control)
        made.append(_motor(joint, drive, law, function, lowered.model.coordinates[index]))
    if replaced:
        findings.add("CB641", f"the scenario's motors stand in for {listed(replaced)}", items=replaced)
    _report_silent(mechanism, servos, findings)
    named = dict.fromkeys(motor.name for motor in made)
    return tuple(m for name in named for m in _bounded(mechanism, name, made, findings))


def actuator_names(mechanism: Mechanism) -> list[str]:
    """The actuators of the source that take a control: its drives, and those of tendons."""
    return [*(drive.name for drive in mechanism.drives), *_of_tendons(mechanism)]


def _of_tendons(mechanism: Mechanism) -> list[str]:
    """The actuators of fixed tendons of an MJCF."""
    return [actuator.name for actuator in mjcf_data(mechanism.assembly).actuators]


def holds(law: ControlLaw) -> bool:
    """Whether an actuator gives an effort at the control that it starts with."""
    start = law.limited(law.start)
    return any(g * start + b for g, b in zip(law.gain, law.bias, strict=True))


def _motor(joint: Joint, drive: Drive, law: ControlLaw, control: TimeFunction, coordinate: Any) -> Motor:
    """The servo on its joint, behind the reduction r: l = r q, and r times what it gives."""
    r = drive.reduction
    gain, bias = ((r * given, r**2 * q, r**2 * rate) for given, q, rate in (law.gain, law.bias))
    low, high = sorted(r * end for end in law.effort or (-math.inf, math.inf))
    return Motor(joint.name, coordinate, "servo", control, gain=gain, bias=bias, bounds=(low, high))


def _bounded(mechanism: Mechanism, name: str, made: list[Motor], findings: Findings) -> list[Motor]:
    """The servos of a joint within its limit of effort, which bounds what they give together.

    Several are one where nothing else bounds them. Where their own bounds exceed that of the joint, each is held within
    it alone (CB642).
    """
    own, joint = [motor for motor in made if motor.name == name], mechanism.joint_named(name)
    most = joint.limit.effort if joint is not None and joint.limit is not None and joint.limit.effort else math.inf
    # What all of them together cannot reach does not bound them.
    if max(sum(m.bounds[1] for m in own), -sum(m.bounds[0] for m in own)) <= most:
        return own
    if len(own) > 1 and (one := _together(own)) is not None:
        own = [one]
    if len(own) > 1:
        text = f"{name}: its {len(own)} servos are limited one by one, not together, to {most:g}"
        findings.add("CB642", text, items=[name])
    return [replace(m, bounds=(max(m.bounds[0], -most), min(m.bounds[1], most))) for m in own]


def _together(motors: list[Motor]) -> Motor | None:
    """The one servo that gives the sum of several.

    None where a sum has no law: one has bounds of its own, or its control changes how it answers to the joint.
    """
    if any(math.isfinite(end) for m in motors for end in m.bounds):
        return None
    if any(not m.function.steady and any(m.gain[1:]) for m in motors):
        return None
    bias = np.zeros(3)
    moving = []
    for motor in motors:
        bias += motor.bias
        if motor.function.steady:
            bias += np.array(motor.gain) * motor.function.evaluate(0.0)[0]
        else:
            moving.append(scaled(motor.function, motor.gain[0]))
    function = _summed(moving) if moving else constant(0.0)
    return replace(motors[0], function=function, gain=(1.0, 0.0, 0.0), bias=(bias[0], bias[1], bias[2]))


def _summed(functions: list[TimeFunction]) -> TimeFunction:
    def evaluate(t: float) -> tuple[float, float, float]:
        a, b, c = np.sum([function.evaluate(t) for function in functions], axis=0).tolist()
        return a, b, c

    def corners(start: float, end: float) -> list[float]:
        return sorted({t for function in functions for t in function.corners(start, end)})

    knots = sorted({t for function in functions for t in function.knots})
    return TimeFunction(evaluate, text=" + ".join(f.text for f in functions), corners=corners, knots=knots)


def _report_silent(mechanism: Mechanism, servos: Servos, findings: Findings) -> None:
    """Report what acts in the source's engine and not in the run, with what comes of it."""
    silent = [d.name for d in mechanism.drives if d.law is not None and holds(d.law)] if not servos.act else []
    silent += _of_tendons(mechanism) if not servos.act else []
    if silent:
        many = count(len(silent), "servo")
        text = f"what {many} would hold moves freely, as the scenario ignores them: {listed(silent)}"
        findings.add("CB644", text, items=silent)
    touching = mechanism.assembly.extra.get(TOUCHING)
    loose = _afloat(mechanism) if isinstance(touching, int) and touching else []
    # What falls may meet a ground that the model is set upon; what hangs on joints meets its own parts alone.
    if isinstance(touching, int) and (loose or touching > 1):
        comes = (
            f"{listed(loose)} {'falls' if len(loose) == 1 else 'fall'} freely"
            if loose
            else "bodies pass through one another"
        )
        findings.add("CB643", f"{comes}, as contact ({count(touching, 'geom')}) is not simulated", items=loose)


def _afloat(mechanism: Mechanism) -> list[str]:
    """The first body of each group that no joint holds to the ground."""
    held = [(joint.a, joint.b) for joint in mechanism.joints if not joint.kind.unbound]
    n = len(mechanism.bodies)
    a, b = np.array([[n if end == GROUND_BODY else end for end in ends] for ends in held], int).reshape(-1, 2).T
    label = connected(n + 1, a, b)
    return [mechanism.bodies[i].name for i in range(n) if label[i] == i and label[n] != i]


# --- controls ---


def _control(mechanism: Mechanism, drive: Drive, law: ControlLaw, given: TimeFunction | None) -> TimeFunction:
    """What the law gets: the control within its range, behind the actuator's activation where it has one."""
    control = limited(constant(law.start) if given is None else given, law)
    return activated(control, mjcf_data(mechanism.assembly).activations.get(drive.name), drive.name)


def limited(control: TimeFunction, law: ControlLaw) -> TimeFunction:
    """A control within its range."""
    if law.control is None:
        return control
    if control.steady:
        return constant(law.limited(control.evaluate(0.0)[0]))

    def evaluate(t: float) -> tuple[float, float, float]:
        found = control.evaluate(t)
        held = law.limited(found[0])
        # At the end of its range a control stands still.
        return found if held == found[0] else (held, 0.0, 0.0)

    return replace(control, evaluate=evaluate)


def activated(control: TimeFunction, lag: Activation | None, name: str) -> TimeFunction:
    """A control behind activation dynamics, where there are any."""
    if lag is None or lag.dyntype is None:
        return control
    if not control.steady:
        kind = lag.dyntype
        raise InputError(f"controls: {name} has activation dynamics ({kind}), which takes a steady control alone.")
    return _activation_from(control.evaluate(0.0)[0], lag)


def _activation_from(u: float, lag: Activation) -> TimeFunction:
    """The activation a from 0 on: ȧ = u, or ȧ = (u − a)/τ, within its range (MuJoCo, Computation: activation)."""
    low, high = lag.actrange or (-math.inf, math.inf)
    # MuJoCo's own floor (mjMINVAL): an activation without lag follows at once.
    tau = max((lag.dynprm or [1.0])[0], 1e-15)
    integrates = lag.dyntype == "integrator"

    def evaluate(t: float) -> tuple[float, float, float]:
        decay = math.exp(-t / tau)
        found = (u * t, u, 0.0) if integrates else (u * (1.0 - decay), u * decay / tau, -u * decay / tau**2)
        held = min(max(found[0], low), high)
        return found if held == found[0] else (held, 0.0, 0.0)

    return TimeFunction(evaluate, text="activation", steady=u == 0.0 and low <= 0.0 <= high)
