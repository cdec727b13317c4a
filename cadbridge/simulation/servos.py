"""Servos of the source: actuators with a law of their own, simulated as their engine starts them.

An actuator's control is what the scenario's `controls` give it, else what it starts with: 0 in MuJoCo after a reset,
the target of a drive in USD. A joint that the scenario itself moves has no servo.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cadbridge.assembly import TOUCHING, UNACTUATED, ControlLaw, Drive
from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mechanism import GROUND_BODY, Joint, Mechanism
from cadbridge.wording import count, listed
from solver.algebra.connected import connected
from solver.functions import constant
from solver.model import Motor, TimeFunction


@dataclass(frozen=True)
class Servos:
    """What a scenario says of the source's actuators: their `controls` (by drive, in the actuator's own unit)."""

    controls: Mapping[str, TimeFunction] = field(default_factory=dict)
    act: bool = True


def servo_motors(lowered: Lowered, servos: Servos, moved: Collection[str], findings: Findings) -> tuple[Motor, ...]:
    """The motors of all drives that act; `moved` are the joints that the scenario's own motors move.

    ValueError where a control is none, InputError where it cannot be followed.
    """
    mechanism = lowered.mechanism
    unknown = sorted(set(servos.controls) - {drive.name for drive in mechanism.drives})
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
    _report_bounds(mechanism, made, findings)
    _report_silent(mechanism, servos, findings)
    return tuple(made)


def holds(law: ControlLaw) -> bool:
    """Whether an actuator gives an effort at the control that it starts with."""
    start = law.limited(law.start)
    return any(g * start + b for g, b in zip(law.gain, law.bias, strict=True))


def _motor(joint: Joint, drive: Drive, law: ControlLaw, control: TimeFunction, coordinate: Any) -> Motor:
    """The servo on its joint, behind the reduction r: l = r q, and r times what it gives."""
    r = drive.reduction
    powers = (r, r**2, r**2)
    gain, bias = (tuple(p * x for p, x in zip(powers, factors, strict=True)) for factors in (law.gain, law.bias))
    low, high = sorted(r * end for end in law.effort or (-math.inf, math.inf))
    most = joint.limit.effort if joint.limit is not None and joint.limit.effort else math.inf
    bounds = (max(low, -most), min(high, most))
    return Motor(joint.name, coordinate, "servo", control, gain=gain, bias=bias, bounds=bounds)  # type: ignore[arg-type]


def _report_bounds(mechanism: Mechanism, motors: list[Motor], findings: Findings) -> None:
    """Report joints whose several servos together may exceed what the joint is limited to."""
    for joint in mechanism.joints:
        own = [m for m in motors if m.name == joint.name]
        most = joint.limit.effort if joint.limit is not None and joint.limit.effort else math.inf
        if len(own) > 1 and max(sum(m.bounds[1] for m in own), -sum(m.bounds[0] for m in own)) > most:
            text = f"{joint.name}: its {len(own)} servos are limited one by one, not together, to {most:g}"
            findings.add("CB642", text, items=[joint.name])


def _report_silent(mechanism: Mechanism, servos: Servos, findings: Findings) -> None:
    """Report what acts in the source's engine and not in the run, with what comes of it."""
    silent = [d.name for d in mechanism.drives if d.law is not None and holds(d.law)] if not servos.act else []
    if silent:
        many = count(len(silent), "servo")
        text = f"what {many} would hold moves freely, as the scenario ignores them: {listed(silent)}"
        findings.add("CB644", text, items=silent)
    touching = mechanism.assembly.extra.get(TOUCHING)
    if isinstance(touching, int) and touching:
        loose = _afloat(mechanism)
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
    control = _limited(constant(law.start) if given is None else given, law)
    lag = _activation(mechanism, drive.name)
    if not lag:
        return control
    if not control.steady:
        kind = lag["dyntype"]
        raise InputError(
            f"controls: {drive.name} has activation dynamics ({kind}), which takes a steady control alone."
        )
    return _activated(control.evaluate(0.0)[0], lag)


def _limited(control: TimeFunction, law: ControlLaw) -> TimeFunction:
    if law.control is None:
        return control
    if control.steady:
        return constant(law.limited(control.evaluate(0.0)[0]))

    def evaluate(t: float) -> tuple[float, float, float]:
        found = control.evaluate(t)
        held = law.limited(found[0])
        return found if held == found[0] else (held, 0.0, 0.0)

    return TimeFunction(evaluate, text=control.text)


def _activation(mechanism: Mechanism, drive: str) -> dict[str, Any]:
    """The activation dynamics that an MJCF gives an actuator (`cadbridge.readers.mjcf.kept`)."""
    kept = mechanism.assembly.extra.get("mjcf")
    found = kept.get("activations", {}).get(drive, {}) if isinstance(kept, dict) else {}
    return found if isinstance(found, dict) else {}


def _activated(u: float, lag: dict[str, Any]) -> TimeFunction:
    """The activation a from 0 on: ȧ = u, or ȧ = (u − a)/τ, within its range (MuJoCo, Computation: activation)."""
    low, high = lag.get("actrange", (-math.inf, math.inf))
    tau = max(float(lag["dynprm"][0]), 1e-15)
    integrates = lag["dyntype"] == "integrator"

    def evaluate(t: float) -> tuple[float, float, float]:
        decay = math.exp(-t / tau)
        found = (u * t, u, 0.0) if integrates else (u * (1.0 - decay), u * decay / tau, -u * decay / tau**2)
        held = min(max(found[0], low), high)
        return found if held == found[0] else (held, 0.0, 0.0)

    return TimeFunction(evaluate, text="activation", steady=u == 0.0 and low <= 0.0 <= high)
