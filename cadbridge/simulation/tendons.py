"""Fixed tendons of an MJCF: sums of joint values along which springs, dampers and servos act, as in MuJoCo.

A tendon is a pseudo-body on a hinge of the ground, as a circuit is: a row holds its angle to the length Σ c q that it
has more than as the run begins, so that what acts along it acts on each joint by that joint's factor c. Its inertia is
the tendon's armature, which is most often none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.assembly import UNACTUATED, ControlLaw
from cadbridge.findings import Findings
from cadbridge.lowering import Lowered
from cadbridge.mjcf_data import Tendon, TendonActuator, mjcf_data
from cadbridge.simulation.circuits import Wired
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.servos import Servos, activated, holds, limited
from cadbridge.wording import listed
from solver.constraints import GROUND, Coordinate, Coupler
from solver.functions import constant
from solver.model import Friction, JointLoad, Motor

_UNIT_GAIN, _NO_BIAS = (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)
"""The gain and the bias of an actuator that pulls with its control (MuJoCo's defaults of a motor)."""


@dataclass(frozen=True)
class Acting:
    """A tendon along which something acts: what is `kept` of it, its factors by the index of a joint's coordinate."""

    kept: Tendon
    factors: tuple[tuple[int, float], ...]
    actuators: tuple[TendonActuator, ...]

    def first(self, what: str) -> float:
        """The linear coefficient of an attribute, 0 where there is none."""
        return next(iter(self.kept.values.get(what, ())), 0.0)


def tendons_of(lowered: Lowered, findings: Findings) -> list[Acting]:
    """The tendons along which something acts; CB645 for what of them is not simulated.

    InputError where what is kept of them was written in another form, by hand.
    """
    data = mjcf_data(lowered.mechanism.assembly)
    found, without = [], []
    for tendon in data.tendons:
        own = tuple(actuator for actuator in data.actuators if actuator.tendon == tendon.name)
        if not own and not tendon.values:
            continue
        indices = [lowered.coordinate_of(joint) for joint, _ in tendon.joints]
        factors = tuple((i, c) for i, (_, c) in zip(indices, tendon.joints, strict=True) if i is not None)
        if len(factors) < len(indices):
            without.append(f"all of {tendon.name}, as one of its joints has not one freedom")
            continue
        without += [f"the {what} of {tendon.name}" for what in tendon.left_out]
        found.append(Acting(tendon, factors, own))
    if without:
        text = f"MuJoCo applies what acts along tendons, this run does not: {listed(without)}"
        findings.add("CB645", text, items=without)
    return found


def report_not_inverted(lowered: Lowered, findings: Findings) -> None:
    """Report what acts along tendons where efforts of a motion are computed, which hold none of it (CB679)."""
    acting = ("stiffness", "damping", "frictionloss", "armature")
    tendons = {
        tendon.name: [what for what in acting if np.any(tendon.values.get(what, ()))]
        for tendon in mjcf_data(lowered.mechanism.assembly).tendons
    }
    told = [f"{name} ({listed(what)})" for name, what in tendons.items() if what]
    if told:
        text = f"what acts along tendons is left out: {listed(told)}"
        findings.add("CB679", text, items=[name for name, what in tendons.items() if what])


def tie(found: Wired, lowered: Lowered, tendons: list[Acting], what: Scenario, findings: Findings) -> None:
    """Add tendons and what acts along them to a model. ValueError where a control has no value."""
    servos = what.servos
    off = not servos.act or bool(lowered.mechanism.assembly.extra.get(UNACTUATED))
    for tendon in tendons:
        first = _length(found, tendon)
        rate = sum(c * float(found.speeds[i]) for i, c in tendon.factors)
        name = f"tendon {tendon.kept.name}"
        along = found.freedom(name, tendon.first("armature"), rate)
        terms = ((1.0, along), *((-c, found.model.coordinates[i]) for i, c in tendon.factors))
        found.add(primitives=[_row(along, terms, -first)], groups=[f"{name} tie"])
        load = _load(tendon, name, along, first, what.friction)
        found.add(loads=[] if load is None else [load])
        motors = [_motor(actuator, along, first, servos) for actuator in (() if off else tendon.actuators)]
        acting = [motor for motor in motors if motor is not None]
        found.add(motors=acting)
        _report_bounds(lowered, tendon, acting, findings)


def _report_bounds(lowered: Lowered, tendon: Acting, motors: list[Motor], findings: Findings) -> None:
    """Report joints that a tendon may pull harder than their limit of effort allows (CB642)."""
    pull = max((abs(end) for motor in motors for end in motor.bounds), default=0.0)
    for i, factor in tendon.factors:
        joint = lowered.joints[i]
        most = joint.limit.effort if joint.limit is not None and joint.limit.effort else np.inf
        if abs(factor) * pull > most:
            text = f"{joint.name}: what the tendon {tendon.kept.name} pulls with is not limited to {most:g}"
            findings.add("CB642", text, items=[joint.name])


def _length(found: Wired, tendon: Acting) -> float:
    """The length as the run begins, from that as designed."""
    return sum(c * float(found.values[i]) for i, c in tendon.factors)


def _row(along: Coordinate, terms: tuple[tuple[float, Coordinate], ...], constant_: float) -> Coupler:
    """The row between the pseudo-body and a body that moves."""
    ends = [end for _, c in terms[1:] for end in (c.b, c.a) if end != GROUND]
    return Coupler(along.b, ends[0], terms, constant_)


def _load(
    tendon: Acting, name: str, along: Coordinate, first: float, friction: tuple[float, float] | None
) -> JointLoad | None:
    slack = tendon.kept.values.get("springlength") or [0.0, 0.0]
    stiffness = tendon.first("stiffness") if slack[0] == slack[-1] else 0.0
    damping, rub = tendon.first("damping"), tendon.first("frictionloss")
    if not (stiffness or damping or rub):
        return None
    dry = Friction(rub, friction[0]) if rub and friction is not None else None
    return JointLoad(along, damping, stiffness, slack[0] - first, friction=dry, name=name)


def _motor(actuator: TendonActuator, along: Coordinate, first: float, servos: Servos) -> Motor | None:
    """The servo of an actuator along its tendon, of which `first` is the length at the angle 0; None without effect."""
    given = actuator.attributes
    (r,) = given.gear or (1.0,)
    law = ControlLaw(given.gainprm or _UNIT_GAIN, given.biasprm or _NO_BIAS, given.ctrlrange, given.forcerange)
    control = servos.controls.get(actuator.name)
    if control is None and not holds(law):
        return None
    function = activated(limited(constant(law.start) if control is None else control, law), given, actuator.name)
    # By its gear r the actuator is r (first + q) long and acts along q with r times its force: r (p₀ + p₁ r (first + q)
    # + p₂ r q̇).
    gain, bias = ((r * p[0] + r * r * p[1] * first, r * r * p[1], r * r * p[2]) for p in (law.gain, law.bias))
    low, high = sorted(r * end for end in law.effort or (-np.inf, np.inf))
    return Motor(f"tendon {actuator.name}", along, "servo", function, gain=gain, bias=bias, bounds=(low, high))
