"""The scenario as people write it in a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Discriminator, Field, Tag

from cadbridge.errors import InputError
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism
from cadbridge.numbers import FileModel, Finite, NotNegative, Positive
from cadbridge.readers.mates_file.validated import validated
from cadbridge.readers.registry import openable
from cadbridge.simulation.change_file import ChangeEntry, ChangesResolver
from cadbridge.simulation.changes import ChangeSpec
from cadbridge.simulation.fitting import GAP
from cadbridge.simulation.load_file import Function, LoadsFile, LoadsResolver, function_of
from cadbridge.simulation.loads import si
from cadbridge.simulation.motor_file import MotorForm, MotorsReader
from cadbridge.simulation.motors import LEADS, MotorSpec, on_joint
from cadbridge.simulation.names import NameResolver
from cadbridge.simulation.scenario import EventSpec, Scenario
from cadbridge.simulation.servos import Servos, actuator_names
from cadbridge.units import DEGREE, MM
from cadbridge.wording import listed
from solver.model import TimeFunction

if TYPE_CHECKING:
    from cadbridge.readers.mates_file.positions import TextPlace, Yaml

FORMAT = "cadbridge.scenario/1"


class EventEntry(FileModel):
    """A joint passes a position (degrees or mm); `stop` ends the run there."""

    joint: str
    position: Finite
    direction: Literal["rising", "falling", "either"] = "either"
    stop: bool = False


_OPPOSITE: dict[str, Literal["rising", "falling"]] = {"rising": "falling", "falling": "rising"}
_OF_CHANGES = frozenset(ChangeEntry.model_fields)


def _what_happens(entry: object) -> str:
    """Whether an event depends on where a joint is, or changes something at a time, which may be at fault itself."""
    changes = isinstance(entry, ChangeEntry) or (isinstance(entry, dict) and not _OF_CHANGES.isdisjoint(entry))
    return "<change>" if changes else "<passing>"


AnyEvent = Annotated[
    Annotated[EventEntry, Tag("<passing>")] | Annotated[ChangeEntry, Tag("<change>")], Discriminator(_what_happens)
]


class Initial(FileModel):
    """Joint values in degrees or mm, rates a second."""

    positions: dict[str, Finite] = Field(default_factory=dict)
    rates: dict[str, Finite] = Field(default_factory=dict)


class Tolerance(FileModel):
    """Relative and absolute tolerance of a step."""

    relative: Annotated[float, Field(ge=1e-14, le=0.1)] = 1e-8
    absolute: Annotated[float, Field(ge=1e-16, le=0.1)] = 1e-8


AnyTolerance = Annotated[
    Annotated[float, Field(ge=1e-14, le=0.1), Tag("<number>")] | Annotated[Tolerance, Tag("<both>")],
    Discriminator(lambda given: "<both>" if isinstance(given, dict | Tolerance) else "<number>"),
]


class FrictionSpeed(FileModel):
    """Speeds over which dry friction is smoothed: degrees/s of joints that turn, mm/s of those that slide."""

    turn: Positive = 1.0
    slide: Positive = 1.0


_Fall = Annotated[float, Field(ge=-1e6, le=1e6)]
"""More is a slip of units, and its run has no end."""
Gravity = Annotated[
    tuple[_Fall, _Fall, _Fall] | None,
    Field(description="Gravity is in m/s², in the frame of the source: [0, 0, -9.81] on Earth where z is up."),
]


class ScenarioFile(FileModel):
    """The file as people write it."""

    format: Literal["cadbridge.scenario/1"]
    gravity: Gravity = None
    duration: Positive = 2.0
    rate: Positive = 100.0
    tolerance: AnyTolerance = 1e-8
    sensitivity: bool = True
    gap: NotNegative = GAP * 1e3
    integrator: Literal["dopri5", "dop853", "rk4", "generalized_alpha"] = "dopri5"
    step: Positive | None = None
    max_step: Positive | None = None
    initial: Initial = Field(default_factory=Initial)
    motors: list[MotorForm] = Field(default_factory=list)
    controls: dict[str, Function] = Field(default_factory=dict)
    servos: Literal["apply", "ignore"] = "apply"
    loads: LoadsFile = Field(default_factory=LoadsFile)
    limits: Literal["stop", "ignore"] = "ignore"
    friction: Literal["apply", "ignore"] = "apply"
    friction_speed: FrictionSpeed = Field(default_factory=FrictionSpeed)
    events: list[AnyEvent] = Field(default_factory=list)


def read_scenario(path: str | Path, mechanism: Mechanism, base: Scenario | None = None) -> Scenario:
    """See `load_scenario`."""
    path = Path(path)
    yaml = read_document(path)
    return scenario_of(yaml.data, mechanism, base, str(path), yaml.places)


def check_kind(path: Path) -> None:
    """InputError where a file is no scenario at all; other faults are told together, with those of its names."""
    yaml, findings = read_document(path), Findings()
    if validated(ScenarioFile, yaml.data, yaml.places, str(path), findings, "CB601")[0] is None:
        raise _unusable(findings)


def read_document(path: Path) -> Yaml:
    """A scenario file as plain data with the places of its values; InputError with all faults of its YAML."""
    # Only who has a file waits for what reads it.
    from cadbridge.readers.mates_file.positions import load_yaml

    findings = Findings()
    openable(path)
    yaml = load_yaml(path, findings, str(path))
    if findings.errors:
        raise _unusable(findings)
    return yaml


def scenario_of(
    document: object,
    mechanism: Mechanism,
    base: Scenario | None = None,
    file: str = "",
    places: TextPlace | None = None,
) -> Scenario:
    """The scenario of a file's plain data, as `read_scenario` makes it; InputError with all faults."""
    from cadbridge.readers.mates_file.positions import TextPlace

    findings, places = Findings(), places or TextPlace(0, 0)
    spec, places = validated(ScenarioFile, document, places, file, findings, "CB601")
    scenario = None if spec is None else _ScenarioResolver(mechanism, findings, file, places).resolve(spec)
    if findings.errors or scenario is None or spec is None:
        raise _unusable(findings)
    return scenario if base is None else _over(base, scenario, spec.model_fields_set)


def _unusable(findings: Findings) -> InputError:
    return InputError("The scenario file cannot be used.", findings)


_OPEN = {
    "gravity": ("gravity",),
    "duration": ("duration",),
    "rate": ("rate",),
    "rtol": ("tolerance",),
    "atol": ("tolerance",),
    "motors": ("motors",),
    "frame_motions": ("motors",),
    "positions": ("motors", "initial"),
    "velocities": ("initial",),
}
"""The fields that a source's own run fills where the file has none of these keys; motors bring their initial values."""


def _over(base: Scenario, read: Scenario, keys: set[str]) -> Scenario:
    return replace(read, **{name: getattr(base, name) for name, by in _OPEN.items() if not keys & set(by)})


class _ScenarioResolver(NameResolver):
    """From the file to a scenario."""

    def resolve(self, spec: ScenarioFile) -> Scenario:
        tolerance = spec.tolerance
        if not isinstance(tolerance, Tolerance):
            # The least that the solver takes (`solver.runs.arguments`).
            tolerance = Tolerance(relative=tolerance, absolute=max(tolerance, 1e-16))
        speeds = (spec.friction_speed.turn * DEGREE, spec.friction_speed.slide * MM)
        loads = LoadsResolver(self.mechanism, self.findings, self.file, self.places, speeds)
        if spec.integrator == "rk4" and spec.step is None:
            text = "integrator: rk4 does not control its error: give a step (s) beside it"
            self.findings.add("CB601", text, self.where("integrator"))
        motors = MotorsReader(self.mechanism, self.findings, self.file, self.places).read(spec.motors)
        return Scenario(
            gravity=spec.gravity,
            duration=spec.duration,
            rate=spec.rate,
            rtol=tolerance.relative,
            atol=tolerance.absolute,
            sensitivity=spec.sensitivity,
            gap=spec.gap * MM,
            integrator=spec.integrator,
            step=spec.step,
            max_step=spec.max_step,
            positions=self.initial(spec.initial.positions, "positions", "CB601"),
            rates=self.initial(spec.initial.rates, "rates", "CB601"),
            motors=motors,
            servos=Servos(self._controls(spec.controls), spec.servos == "apply"),
            loads=loads.resolve(spec.loads),
            limits=spec.limits,
            friction=speeds if spec.friction == "apply" else None,
            events=tuple(
                o
                for i, e in enumerate(spec.events)
                if isinstance(e, EventEntry) and (o := self._event(i, e)) is not None
            ),
            changes=self._changes(spec, motors, loads),
        )

    def _changes(
        self, spec: ScenarioFile, motors: tuple[MotorSpec, ...], loads: LoadsResolver
    ) -> tuple[ChangeSpec, ...]:
        if (events := self.places.children.get("events")) is not None and events.rows is not None:
            return ()  # what was left out may be what the others follow
        driven = frozenset(on_joint(self.mechanism, m).joint for m in motors if m.kind in LEADS)
        resolver = ChangesResolver(
            self.mechanism, self.findings, self.any_joint, loads.component, driven, spec.duration
        )
        return resolver.resolve(
            [(e, self.where("events", i)) for i, e in enumerate(spec.events) if isinstance(e, ChangeEntry)]
        )

    def _controls(self, controls: dict[str, Function]) -> dict[str, TimeFunction]:
        """Functions of time by the names of the source's actuators, in the actuators' own units."""
        done, known = {}, actuator_names(self.mechanism)
        for name, value in controls.items():
            where = self.where("controls", name)
            if name not in known:
                cure = f"Name one of the source's actuators: {listed(known, 20)}." if known else "Leave `controls` out."
                text = f"there is no actuator {name!r}" + ("" if known else ": the source has none")
                self.findings.add("CB602", text, where, cure)
                continue
            try:
                done[name] = function_of(value)
            except ValueError as fault:
                self.findings.add("CB603", f"control of {name}: {fault}", where)
        return done

    def _event(self, i: int, entry: EventEntry) -> EventSpec | None:
        joint = self.joint(entry.joint, self.where("events", i))
        if joint is None:
            return None
        sense, direction = self.mechanism.sense(entry.joint), entry.direction
        if sense < 0:
            direction = _OPPOSITE.get(direction, direction)
        return EventSpec(joint.name, entry.position * si(joint) * sense, direction, entry.stop)
