"""From a sweep file to a sweep of a mechanism: names, units and values are checked, all faults at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from cadbridge.errors import InputError
from cadbridge.findings import Findings, Where
from cadbridge.mechanism import Mechanism
from cadbridge.readers.mates_file.document import nearest
from cadbridge.readers.mates_file.positions import TextPlace, load_yaml
from cadbridge.readers.mates_file.validated import validated
from cadbridge.readers.registry import openable
from cadbridge.simulation.groups import check_choice
from cadbridge.simulation.loads import si, too_far
from cadbridge.simulation.scenario import find_joint
from cadbridge.sweeps.file import MOST_RUNS, Keep, Normal, Steps, SweepFile, Uniform, Values, VaryEntry
from cadbridge.sweeps.model import Parameter, Sweep
from cadbridge.sweeps.places import resolved, value_at
from cadbridge.sweeps.varying import Base, check_value

SUBJECTS = ("joint", "body", "gear", "scenario")
QUANTITIES = {
    "joint": ("position", "rate", "damping", "friction", "stiffness", "rest", "armature"),
    "body": ("mass",),
    "gear": ("efficiency",),
    "scenario": ("values",),
}
_ALL = tuple(q for of in QUANTITIES.values() for q in of)
_UNITS = {
    "position": ("rad", "m"), "rate": ("rad/s", "m/s"), "rest": ("rad", "m"), "friction": ("N m", "N"),
    "damping": ("N m s/rad", "N s/m"), "stiffness": ("N m/rad", "N/m"), "armature": ("kg m²", "kg"),
}  # fmt: skip
"""Units of a joint's quantities: of those that turn, of those that slide."""


def load_sweep_file(path: str | Path, base: Base) -> Sweep:
    """Read a sweep file for a mechanism and its scenario; InputError with all faults, each with line and column."""
    findings, path = Findings(), Path(path)
    openable(path)
    yaml = load_yaml(path, findings, str(path))
    if findings.errors:
        raise InputError("The sweep file cannot be used.", findings)
    return sweep_of(yaml.data, base, str(path), yaml.places)


def sweep_of(document: object, base: Base, file: str = "", places: TextPlace | None = None) -> Sweep:
    """The sweep of a file's plain data; InputError with all faults."""
    findings, places = Findings(), places or TextPlace(0, 0)
    spec, places = validated(SweepFile, document, places, file, findings, "CB648")
    sweep = None if spec is None else _SweepResolver(base, findings, file, places).resolve(spec)
    if findings.errors or sweep is None:
        raise InputError("The sweep file cannot be used; nothing was run.", findings)
    return sweep


@dataclass
class _SweepResolver:
    """Names to joints, bodies, gears and places of the scenario; every fault is reported at its place."""

    base: Base
    findings: Findings
    file: str
    places: TextPlace

    @property
    def mechanism(self) -> Mechanism:
        return self.base.mechanism

    def resolve(self, spec: SweepFile) -> Sweep | None:
        made = [self._parameter(i, entry) for i, entry in enumerate(spec.vary)]
        parameters = tuple(p for p in made if p is not None)
        self._twice(made)
        keep = self._kept(spec.keep)
        if self.findings.errors:
            return None
        # Only what is drawn has a number of runs of its own: lists and steps say theirs.
        drawn = any(p.drawn for p in parameters)
        self._samples(spec, drawn)
        sweep = Sweep(parameters, spec.samples or 1, spec.seed, *keep)
        if not parameters or not sweep.count:
            self.findings.add("CB651", "the sweep holds no run: nothing is varied", self._where("vary"))
        elif sweep.count > MOST_RUNS:
            message = f"{sweep.count:,} runs are more than the {MOST_RUNS:,} that a sweep may have"
            self.findings.add("CB651", message, self._where("vary"))
        else:
            self._check_values(made)
        return sweep

    def _samples(self, spec: SweepFile, drawn: bool) -> None:
        if drawn and spec.samples is None:
            self.findings.add("CB648", "values are drawn, so the file needs `samples`: how often", self._where("vary"))
        elif spec.samples is not None and not drawn:
            text = "samples without a parameter that is drawn: give one `uniform` or `normal`, or remove `samples`"
            self.findings.add("CB648", text, self._where("samples"))

    def _where(self, *path: str | int) -> Where:
        return Where(self.file or None, *self.places.find(path))

    def _kept(self, keep: Keep) -> tuple[tuple[str, ...], ...]:
        for key in ("final", "extremes", "series"):
            try:
                check_choice(getattr(keep, key))
            except InputError as fault:
                self.findings.add("CB648", f"keep: {key}: {fault}".replace("--columns: ", ""), self._where("keep", key))
        return tuple(keep.final), tuple(keep.extremes), tuple(keep.series)

    def _twice(self, made: list[Parameter | None]) -> None:
        """CB650 for a parameter that an earlier entry varies too."""
        first: dict[str, int] = {}
        for i, parameter in enumerate(made):
            if parameter is not None and first.setdefault(parameter.name, i) != i:
                other = self.places.number(("vary", first[parameter.name]))
                message = f"{parameter.name} is varied by entry {other} as well"
                self.findings.add("CB650", message, self._where("vary", i))

    def _parameter(self, i: int, entry: VaryEntry) -> Parameter | None:
        where = self._where("vary", i)
        subjects = [s for s in SUBJECTS if getattr(entry, s) is not None]
        given = [q for q in _ALL if getattr(entry, q) is not None]
        number = self.places.number(("vary", i))
        had = any(f.where.item == f"vary {number}" for f in self.findings)  # then what it lacks was left out
        if len(subjects) != 1:
            if not had:
                self.findings.add("CB648", f"entry {number}: name one of {', '.join(SUBJECTS)}", where)
            return None
        fit = QUANTITIES[subjects[0]]
        if len(given) != 1 or given[0] not in fit:
            text = f"entry {number}: give one of {', '.join(fit)} of a {subjects[0]}"
            if not had or given:
                self.findings.add("CB648", text + (f", not {', '.join(given)}" if given else ""), where)
            return None
        make = {"joint": self._joint, "body": self._body, "gear": self._gear, "scenario": self._scenario}
        parameter = make[subjects[0]](entry, given[0], self._where("vary", i, subjects[0]))
        where = self._where("vary", i, given[0])
        found = None if parameter is None else self._with_values(parameter, entry, where)
        if found is not None and found.kind == "joint" and found.quantity == "position":
            self._check_starts(found, where)
        return found

    def _check_starts(self, parameter: Parameter, where: Where) -> None:
        """Tell positions that no joint can start at."""
        joint = next(j for j in self.mechanism.joints if j.name == parameter.item)
        ends = [*(parameter.steps or ())[:2], *(parameter.drawn or ())[1:], *parameter.listed]
        faults = (too_far(self.mechanism, joint, v * parameter.factor) for v in ends if isinstance(v, int | float))
        if why := next(filter(None, faults), ""):
            self.findings.add("CB648", why, where, items=(joint.name,))

    def _joint(self, entry: VaryEntry, quantity: str, where: Where) -> Parameter | None:
        state = quantity in ("position", "rate")
        name = cast("str", entry.joint)
        own = Findings()
        joint = find_joint(self.mechanism, own, name, where, single=state)
        for fault in own:
            self.findings.add("CB649", fault.message, where)
        if joint is None:
            return None
        if (joint.kind.resisted is None and not (joint.kind.ball and quantity in _OF_BALLS)) or (
            quantity in ("stiffness", "rest", "armature") and not joint.coordinate and not joint.kind.ball
        ):
            self.findings.add("CB650", f"{joint.name} is {joint.type}: a {quantity} has no effect on it", where)
            return None
        if quantity == "friction" and self.base.scenario.friction is None:
            self.findings.add("CB650", f"friction of {joint.name}: the scenario has `friction: ignore`", where)
        slides = joint.kind.resisted == "distance"
        factor = si(joint) * self.mechanism.sense(name) if quantity in ("position", "rate", "rest") else 1.0
        unit = _UNITS[quantity][slides]
        return Parameter(f"joint.{joint.name}.{quantity}", "joint", joint.name, quantity, unit, factor)

    def _body(self, entry: VaryEntry, quantity: str, where: Where) -> Parameter | None:
        """A body by its name, or by that of one of its components."""
        bodies = self.mechanism.bodies
        found = [b for b in bodies if entry.body == b.name] or [b for b in bodies if entry.body in b.components]
        if not found:
            near = nearest(str(entry.body), [b.name for b in bodies])
            self.findings.add("CB649", f"there is no moving body {entry.body!r}{near}", where)
            return None
        body = found[0]
        if body.mass is None or not body.mass.mass > 0:
            message = (
                f"the mass of {body.name} is not known or zero, so that it has no inertia that could follow a mass"
            )
            self.findings.add("CB650", message, where)
            return None
        return Parameter(f"body.{body.name}.mass", "body", body.name, quantity, "kg")

    def _gear(self, entry: VaryEntry, quantity: str, where: Where) -> Parameter | None:
        names = [c.name for c in self.mechanism.couplings]
        if entry.gear not in names:
            self.findings.add("CB649", f"there is no gear {entry.gear!r}{nearest(str(entry.gear), names)}", where)
            return None
        return Parameter(f"gear.{entry.gear}.efficiency", "gear", str(entry.gear), quantity, "1")

    def _scenario(self, entry: VaryEntry, quantity: str, where: Where) -> Parameter | None:
        # A `Scenario` made in Python has no places by which a file could name its parts.
        if self.base.document is None:
            text = "places in the scenario can be varied where the scenario is a file or its document"
            self.findings.add("CB650", text, where)
            return None
        place = cast("str | list[str | int]", entry.scenario)
        steps = place.split(".") if isinstance(place, str) else list(place)
        path, fault = resolved(self.base.document, steps)
        if fault:
            self.findings.add("CB649", f"scenario {'.'.join(map(str, steps))}: {fault}", where)
            return None
        return Parameter("scenario." + ".".join(map(str, steps)), "scenario", "", quantity, path=path)

    def _with_values(self, parameter: Parameter, entry: VaryEntry, where: Where) -> Parameter | None:
        """The parameter with the values of its entry."""
        choice = getattr(entry, parameter.quantity)
        if getattr(choice, "relative", False):
            own = self._own(parameter)
            if own is None:
                message = f"{parameter.name}: the model has no value that `relative` could multiply"
                self.findings.add("CB650", message, where)
                return None
            parameter = replace(parameter, factor=own)
        match choice:
            case Steps():
                if choice.spacing == "log" and not (choice.from_ * choice.to > 0):
                    message = f"{parameter.name}: equal ratios need two values of one sign, neither of them 0"
                    self.findings.add("CB648", message, where)
                    return None
                return replace(parameter, steps=(choice.from_, choice.to, choice.count, choice.spacing == "log"))
            case Uniform():
                return replace(parameter, drawn=("uniform", min(choice.uniform), max(choice.uniform)))
            case Normal():
                return replace(parameter, drawn=("normal", *choice.normal))
            case Values():
                return replace(parameter, listed=tuple(choice.values))
        return replace(parameter, listed=tuple(choice))

    def _own(self, parameter: Parameter) -> float | None:
        """What the model itself has (SI); None where that is nothing, or not a number."""
        if parameter.kind == "scenario":
            found = value_at(cast("Mapping[str, Any]", self.base.document), parameter.path)
        else:
            found = self.base.own(parameter)
        number = isinstance(found, int | float) and not isinstance(found, bool)
        # A factor of nothing is nothing: `relative` to 0 would vary nothing, and is refused.
        return float(found) if number and found and math.isfinite(found) else None

    def _check_values(self, made: list[Parameter | None]) -> None:
        """CB650 for a value that the model or the scenario cannot have, each alone; a few of each are reported."""
        for i, parameter in enumerate(made):
            if parameter is None or parameter.drawn is not None:
                continue
            faults = 0
            for value in dict.fromkeys(map(_hashable, parameter.values()[:_CHECKED])):
                fault = check_value(self.base, parameter, value.value)
                if fault and faults < _REPORTED:
                    faults += 1
                    self.findings.add("CB650", fault, self._where("vary", i, parameter.quantity))


_OF_BALLS = ("damping", "stiffness", "armature")
_CHECKED, _REPORTED = 1000, 5
"""Values of a parameter that are checked beforehand, and faults of them that are reported; runs report the rest."""


@dataclass(frozen=True)
class _Value:
    text: str
    value: Any

    def __hash__(self) -> int:
        return hash(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Value) and self.text == other.text


def _hashable(value: Any) -> _Value:
    return _Value(repr(value), value)
