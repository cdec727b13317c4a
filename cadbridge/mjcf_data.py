"""What only an MJCF says, as plain data in `Assembly.extra["mjcf"]`: runs, exports and comparisons read it here.

The reader (`cadbridge.readers.mjcf.kept`) writes it. Names of fields are MJCF's attributes; lengths of tendons and
values of joints count from the reference pose.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

KEY = "mjcf"
"""Of `Assembly.extra`."""

Values = list[float]
Pair = tuple[float, float]
Three = tuple[float, float, float]


@dataclass(frozen=True)
class _Plain:
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True)
class Tendon(_Plain):
    """A fixed tendon: its joints with their factors; `values` are its attributes, coefficients by powers."""

    name: str
    joints: list[tuple[str, float]]
    values: dict[str, Values] = field(default_factory=dict)

    @property
    def _plays(self) -> bool:
        """Whether its spring rests over a range of lengths."""
        slack = self.values.get("springlength") or [0.0]
        return slack[0] != slack[-1]

    @property
    def left_out(self) -> list[str]:
        """What of it has no place in a run."""
        powers = [f"{what} by powers" for what in ("stiffness", "damping") if any(self.values.get(what, [0.0])[1:])]
        play = ["play of the spring"] if "stiffness" in self.values and self._plays else []
        limits = [("range", "range"), ("actuatorfrcrange", "limit of effort")]
        return [*powers, *play, *(word for key, word in limits if key in self.values)]

    @property
    def acts(self) -> bool:
        """Whether a run has something along it that is not an actuator."""
        springs = () if self._plays else ("stiffness",)
        return any(any(self.values.get(what, ())[:1]) for what in (*springs, "damping", "frictionloss", "armature"))


@dataclass(frozen=True)
class Activation(_Plain):
    """Activation dynamics of an actuator; without `dyntype` it has none."""

    dyntype: Literal["integrator", "filter", "filterexact"] | None = None
    dynprm: Values | None = None
    actrange: Pair | None = None
    actearly: Literal["true"] | None = None


@dataclass(frozen=True)
class _Law(_Plain):
    gear: tuple[float] | None = None
    gaintype: Literal["affine"] | None = None
    gainprm: Three | None = None
    biastype: Literal["affine"] | None = None
    biasprm: Three | None = None
    ctrlrange: Pair | None = None
    forcerange: Pair | None = None


@dataclass(frozen=True)
class TendonLaw(Activation, _Law):
    """The law of an actuator of a tendon, affine in the tendon's length and its rate, with its dynamics."""


@dataclass(frozen=True)
class TendonActuator(_Plain):
    """An actuator of a fixed tendon."""

    name: str
    tendon: str
    attributes: TendonLaw


@dataclass(frozen=True)
class Keyframe(_Plain):
    """Values of joints, turns (w x y z) of balls in their body's frame, poses (x y z, w x y z) of free bodies."""

    name: str
    joints: dict[str, float] = field(default_factory=dict)
    turns: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    poses: dict[str, tuple[float, float, float, float, float, float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class MjcfData(_Plain):
    """`medium`: attributes of <option>; `joints`: springs and dampers with all their powers; the rest by name."""

    medium: dict[str, Values] = field(default_factory=dict)
    joints: dict[str, dict[str, Values]] = field(default_factory=dict)
    tendons: list[Tendon] = field(default_factory=list)
    actuators: list[TendonActuator] = field(default_factory=list)
    activations: dict[str, Activation] = field(default_factory=dict)
    keys: list[Keyframe] = field(default_factory=list)


def mjcf_data(assembly: Assembly) -> MjcfData:
    """What the source keeps, nothing where it is no MJCF. InputError where a person wrote it in another form."""
    given = assembly.extra.get(KEY)
    if not given:
        return MjcfData()
    # Takes long to load, and few runs are of an MJCF.
    from pydantic import ValidationError

    try:
        return _form().validate_python(given)
    except ValidationError as error:
        first = error.errors()[0]
        fault = f"{'.'.join(map(str, (KEY, *first['loc'])))}: {first['msg']}"
        raise InputError(f"What is kept of an MJCF is of another form than its reader writes: {fault}.") from error


@cache
def _form() -> TypeAdapter[MjcfData]:
    """What checks them, which takes as long to make as a small robot to be written."""
    from pydantic import TypeAdapter

    return TypeAdapter(MjcfData)
