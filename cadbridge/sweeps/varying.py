"""One point of a sweep applied: the mechanism and the scenario with the values of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from cadbridge.errors import CadbridgeError, InputError
from cadbridge.findings import Findings
from cadbridge.mechanism import Body, Mechanism
from cadbridge.simulation.scenario import Scenario
from cadbridge.simulation.scenario_file import scenario_of
from cadbridge.simulation.study import study_scenario
from cadbridge.sweeps.model import Parameter
from cadbridge.sweeps.places import placed


@dataclass(frozen=True)
class Base:
    """What all runs share: the mechanism, and the scenario as one, or as the document of a scenario file.

    The document stands over the run that the source itself asks for; `duration` (s) replaces the scenario's.
    """

    mechanism: Mechanism
    document: Mapping[str, Any] | None = None
    given: Scenario | None = None
    duration: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made from the rest: a scenario's functions cannot be handed to another process."""
        return {name: self.__dict__[name] for name in ("mechanism", "document", "given", "duration")}

    @cached_property
    def _requested(self) -> Scenario:
        """The run that the source itself asks for."""
        return study_scenario(self.mechanism, Findings())

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario before anything is varied; InputError where the document is none."""
        return self.scenario_with(self.document)

    def scenario_with(self, document: Mapping[str, Any] | None) -> Scenario:
        """The scenario of a document."""
        if self.given is not None:
            what = self.given
        else:
            what = scenario_of(document, self.mechanism, self._requested)
        return what if self.duration is None else replace(what, duration=self.duration)

    def _start(self, quantity: str) -> dict[str, float]:
        return self.scenario.positions if quantity == "position" else self.scenario.rates

    def own(self, parameter: Parameter) -> float | None:
        """What the mechanism itself has of a joint's, body's or gear's quantity (SI)."""
        m, quantity = self.mechanism, parameter.quantity
        if parameter.kind == "body":
            mass = next(b for b in m.bodies if b.name == parameter.item).mass
            return None if mass is None else mass.mass
        if parameter.kind == "gear":
            return next(c for c in m.couplings if c.name == parameter.item).coupling.efficiency
        if quantity in _INITIAL:
            return self._start(quantity).get(parameter.item)
        return float(getattr(m.joint(parameter.item), quantity))


_INITIAL = ("position", "rate")
"""A joint's state at the start, which the scenario holds."""

_LIMITS: dict[str, tuple[Callable[[float], bool], str]] = {
    "mass": (lambda v: v > 0, "greater than 0"),
    "efficiency": (lambda v: 0 < v <= 1, "greater than 0 and at most 1"),
    **dict.fromkeys(("damping", "friction", "stiffness", "armature"), (lambda v: v >= 0, "0 or more")),
}


def check_value(base: Base, parameter: Parameter, value: Any) -> str:
    """Why a value alone cannot be, "" where it can."""
    if parameter.kind != "scenario":
        fits, text = _LIMITS.get(parameter.quantity, (lambda v: True, ""))
        return "" if fits(value) else f"{parameter.name} must be {text}, not {value:g}"
    try:
        base.scenario_with(placed(base.document, parameter.path, value))
    except CadbridgeError as fault:
        text = "; ".join(f.message for f in fault.findings) or str(fault)
        return f"{parameter.name} cannot be {value!r}: {text}"
    return ""


def varied(base: Base, parameters: Sequence[Parameter], values: Sequence[Any]) -> tuple[Mechanism, Scenario]:
    """The mechanism and scenario of one run; InputError for a value that cannot be."""
    document, changed = base.document, False
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.kind == "scenario":
            document, changed = placed(document, parameter.path, value), True
            continue
        fits, text = _LIMITS.get(parameter.quantity, (lambda v: True, ""))
        if not fits(value):
            raise InputError(f"{parameter.name} must be {text}, not {value:g}.")
    # Made anew only where the document changed: functions of time are parsed each time.
    scenario = base.scenario_with(document) if changed else base.scenario
    mechanism = base.mechanism
    for parameter, value in zip(parameters, values, strict=True):
        if parameter.quantity == "position":
            scenario = replace(scenario, positions={**scenario.positions, parameter.item: value})
        elif parameter.quantity == "rate":
            scenario = replace(scenario, rates={**scenario.rates, parameter.item: value})
        elif parameter.kind != "scenario":
            mechanism = _CHANGES[parameter.kind](mechanism, parameter, value)
    return mechanism, scenario


def _joint(mechanism: Mechanism, parameter: Parameter, value: float) -> Mechanism:
    changed: dict[str, Any] = {parameter.quantity: value}
    joints = tuple(replace(j, **changed) if j.name == parameter.item else j for j in mechanism.joints)
    return replace(mechanism, joints=joints)


def _body(mechanism: Mechanism, parameter: Parameter, value: float) -> Mechanism:
    """Another mass by another density: the centre stays, the inertia follows the mass, of its components too."""

    def heavier(body: Body) -> Body:
        if body.name != parameter.item or body.mass is None:
            return body
        return replace(body, mass=body.mass.scaled(value / body.mass.mass))

    bodies = tuple(heavier(body) for body in mechanism.bodies)
    old, new = next((a, b) for a, b in zip(mechanism.bodies, bodies, strict=True) if a.name == parameter.item)
    assert old.mass is not None
    assert new.mass is not None
    factor = value / old.mass.mass
    # Its components too: reactions at mates within the body are found from their masses.
    masses = {
        name: m if name not in old.components or m.mass is None else replace(m, mass=m.mass.scaled(factor))
        for name, m in mechanism.component_masses.items()
    }
    return replace(mechanism, bodies=bodies, component_masses=masses)


def _gear(mechanism: Mechanism, parameter: Parameter, value: float) -> Mechanism:
    couplings = tuple(
        replace(c, coupling=replace(c.coupling, efficiency=value)) if c.name == parameter.item else c
        for c in mechanism.couplings
    )
    return replace(mechanism, couplings=couplings)


_CHANGES = {"joint": _joint, "body": _body, "gear": _gear}
