"""Motors as people write them in a scenario or motion file: models made from the classes of `motors`, and read."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from cadbridge.documents import said_of
from cadbridge.numbers import FileModel, Finite, NotNegative, Positive
from cadbridge.simulation.load_file import Function, function_of
from cadbridge.simulation.loads import si
from cadbridge.simulation.motors import DRIVES, LAWS, MotorSpec, Written, doubts, standing
from cadbridge.simulation.names import NameResolver
from solver.functions import scaled
from solver.model import TimeFunction

Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
_FORMS: dict[str, Any] = {
    "function": Function, "finite": Finite, "positive": Positive, "not negative": NotNegative, "share": Share,
}  # fmt: skip


def form_of(kind: type, unknown: Collection[str] = (), prefix: str = "") -> type[FileModel]:
    """The model of what a file gives for a class of `motors`: its fields in the file's units.

    `unknown` are those, by their path of keys, that the file does not give; `prefix` begins the names of the models.
    """
    made: dict[str, Any] = {}
    for f in fields(kind):
        stands = standing(kind)[f.name]
        if isinstance(stands, type):
            within = [path.partition(".")[2] for path in unknown if path.startswith(f"{f.name}.")]
            held: Any = form_of(stands, within, prefix)
            made[f.name] = (held | None, None) if f.default is None else (held, Field(default_factory=held))
        else:
            made[f.name] = (str, ...) if stands is None else _number(f, stands)
    for name in unknown:
        made.pop(name, None)
    about, of_fields = said_of(kind)
    made = {
        name: (Annotated[form, Field(description=of_fields.get(name))], given) for name, (form, given) in made.items()
    }
    model: type[FileModel] = create_model(prefix + kind.__name__, __base__=FileModel, __doc__=about, **made)
    return model


def _number(f: Any, written: Written) -> tuple[Any, Any]:
    """The form and the default of a quantity in a file."""
    form = _FORMS[written.form]
    if written.required or f.default is MISSING:
        return form, ...
    if f.default is None or f.default == math.inf:
        return form | None, None
    return form, 0.0 if written.form == "function" else f.default / written.factor


if TYPE_CHECKING:  # models that are made when the room is loaded

    class MotorForm(FileModel): ...

    class LedMotorForm(FileModel): ...

else:
    MotorForm = form_of(MotorSpec)
    """A motor of a scenario file."""
    LedMotorForm = form_of(
        MotorSpec, (*DRIVES, "dc.voltage", "dc.current", "cylinder.cap.pressure", "cylinder.cap.initial"), "Led"
    )
    """A motor of a motion file, whose voltage or pressure is requested."""


@dataclass
class MotorsReader(NameResolver):
    """From a file's entries to motors in SI, by the names that the file gives; each fault at its place.

    `led`: voltages and pressures are requested, not given.
    """

    led: bool = False

    def read(self, entries: Sequence[Any]) -> tuple[MotorSpec, ...]:
        """The motors that have a meaning."""
        made = [self._motor(i, entry) for i, entry in enumerate(entries)]
        return tuple(motor for motor in made if motor is not None)

    def _motor(self, i: int, entry: Any) -> MotorSpec | None:
        where = self.where("motors", i)
        joint = self.joint(entry.joint, where)
        known = [law for law in LAWS if law in type(entry).model_fields]
        if sum(getattr(entry, law) is not None for law in known) != 1:
            name = f"motor {self.number('motors', i)}"
            if not any(f.where.item == name for f in self.findings):  # else its law was left out
                text = f"motor on {entry.joint}: give one of {', '.join(known)}"
                self.findings.add("CB632" if self.led else "CB601", text, where)
            return None
        try:
            motor: MotorSpec = _in_si(MotorSpec, entry, 1.0 if joint is None else si(joint))
        except _FunctionError as fault:
            self.findings.add("CB603", f"motor on {entry.joint}: {fault}", self.where("motors", i, *fault.path))
            return None
        if joint is None:
            return None
        against = motor.cylinder is not None and self.mechanism.sense(entry.joint) < 0
        own = [f"{entry.joint} counts against its joint; name {joint.name}, whose value the cap pushes up"] * against
        for doubt in own + doubts(motor, joint, led=self.led):
            self.findings.add("CB632", f"motor on {entry.joint}: {doubt}", self.where("motors", i, motor.kind))
        return motor


class _FunctionError(ValueError):
    """What stands at a path of keys is no function of time."""

    def __init__(self, message: str, path: tuple[str, ...]) -> None:
        super().__init__(message)
        self.path = path


def _in_si(kind: type, entry: Any, along: float, path: tuple[str, ...] = ()) -> Any:
    """An object of a class of `motors` from what a file gives; `along`: degrees or mm of the joint in SI."""
    values: dict[str, Any] = {}
    for name, stands in standing(kind).items():
        value = getattr(entry, name, None)
        if value is None:
            continue
        if isinstance(stands, type):
            value = _in_si(stands, value, along, (*path, name))
        elif stands is not None:
            factor = stands.factor * (along if stands.along else 1.0)
            value = _function(value, factor, (*path, name)) if stands.form == "function" else value * factor
        values[name] = value
    return kind(**values)


def _function(value: Any, factor: float, path: tuple[str, ...]) -> TimeFunction:
    try:
        function = function_of(value)
    except ValueError as fault:
        raise _FunctionError(str(fault), path) from fault
    return function if factor == 1.0 else scaled(function, factor)
