"""What only an MJCF says, as plain data in `Assembly.extra["mjcf"]`: runs, exports and comparisons read it here.

The reader (`cadbridge.readers.mjcf.kept`) writes it. Names of fields are MJCF's attributes; lengths of tendons and
values of joints count from the reference pose.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cadbridge.assembly import Assembly
from cadbridge.errors import InputError

KEY = "mjcf"
"""Of `Assembly.extra`."""

_Finite = Annotated[float, Field(allow_inf_nan=False)]
Values = list[_Finite]
Pair = tuple[_Finite, _Finite]
Three = tuple[_Finite, _Finite, _Finite]


class _Plain(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Tendon(_Plain):
    """A fixed tendon: its joints with their factors; `values` are its attributes, coefficients by powers."""

    name: str
    joints: list[tuple[str, float]]
    values: dict[str, Annotated[Values, Field(min_length=1)]] = {}


class Activation(_Plain):
    """Activation dynamics of an actuator; without `dyntype` it has none."""

    dyntype: Literal["integrator", "filter", "filterexact"] | None = None
    dynprm: Annotated[Values, Field(min_length=1)] = [1.0]
    actrange: Pair | None = None
    actearly: Literal["true"] | None = None


class _Law(_Plain):
    gear: tuple[_Finite] = (1.0,)
    gaintype: Literal["affine"] | None = None
    gainprm: Three = (1.0, 0.0, 0.0)
    biastype: Literal["affine"] | None = None
    biasprm: Three = (0.0, 0.0, 0.0)
    ctrlrange: Pair | None = None
    forcerange: Pair | None = None


class TendonLaw(Activation, _Law):
    """The law of an actuator of a tendon, affine in the tendon's length and its rate, with its dynamics."""


class TendonActuator(_Plain):
    """An actuator of a fixed tendon."""

    name: str
    tendon: str
    attributes: TendonLaw


class Keyframe(_Plain):
    """Values of joints, turns (w x y z) of balls in their body's frame, poses (x y z, w x y z) of free bodies."""

    name: str
    joints: dict[str, float] = {}
    turns: dict[str, tuple[float, float, float, float]] = {}
    poses: dict[str, tuple[float, float, float, float, float, float, float]] = {}


class MjcfData(_Plain):
    """`medium`: attributes of <option>; `joints`: springs and dampers with all their powers; the rest by name."""

    medium: dict[str, Values] = {}
    joints: dict[str, dict[str, Values]] = {}
    tendons: list[Tendon] = []
    actuators: list[TendonActuator] = []
    activations: dict[str, Activation] = {}
    keys: list[Keyframe] = []


def mjcf_data(assembly: Assembly) -> MjcfData:
    """What the source keeps, nothing where it is no MJCF. InputError where a person wrote it in another form."""
    try:
        return MjcfData.model_validate(assembly.extra.get(KEY) or {})
    except ValidationError as error:
        first = error.errors()[0]
        fault = f"{'.'.join(map(str, (KEY, *first['loc'])))}: {first['msg']}"
        raise InputError(f"What is kept of an MJCF is of another form than its reader writes: {fault}.") from error
