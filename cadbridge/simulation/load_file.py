"""Loads as people write them in a scenario file, and the kinds of values that its other parts are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from solver.functions import constant, expression, table
from solver.model import TimeFunction

Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Three = tuple[Finite, Finite, Finite]
ThreeNotNegative = tuple[NotNegative, NotNegative, NotNegative]
_NOTHING = (0.0, 0.0, 0.0)


class Strict(BaseModel):
    """What all models of the scenario file share."""

    # Built when the first file is validated: most commands read none.
    model_config = ConfigDict(extra="forbid", strict=False, defer_build=True)


class Table(Strict):
    """Points [time s, value] of a smooth curve."""

    table: list[tuple[Finite, Finite]]


def _written_as(value: object) -> str:
    """Which of its forms a function has, so that only its own faults are reported."""
    if isinstance(value, dict | Table):
        return "<table>"
    return "<expression>" if isinstance(value, str) else "<number>"


Function = Annotated[
    Annotated[Finite, Tag("<number>")] | Annotated[str, Tag("<expression>")] | Annotated[Table, Tag("<table>")],
    Discriminator(_written_as),
]


class PointEntry(Strict):
    """A point (mm) in the frame of a component, or of the world for `ground`."""

    component: str
    point: Three = _NOTHING


class FrameEntry(PointEntry):
    """A point with axes: `z`, and `x` across it."""

    z: Three = (0.0, 0.0, 1.0)
    x: Three | None = None


class SpringEntry(Strict):
    """Between two points: N/m, N s/m; `length` (mm) without load, by default the one as designed."""

    name: str | None = None
    a: PointEntry
    b: PointEntry
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    length: NotNegative | None = None


class JointSpringEntry(Strict):
    """Along a joint: N m/rad and N m s/rad (N/m, N s/m); `rest` in degrees (mm)."""

    joint: str
    stiffness: NotNegative = 0.0
    damping: NotNegative = 0.0
    rest: Finite = 0.0


def _spring_of(value: object) -> str:
    """A spring along a joint, or between points."""
    of_joint = isinstance(value, JointSpringEntry) or (isinstance(value, dict) and "joint" in value)
    return "<joint>" if of_joint else "<points>"


AnySpring = Annotated[
    Annotated[SpringEntry, Tag("<points>")] | Annotated[JointSpringEntry, Tag("<joint>")], Discriminator(_spring_of)
]


class BushingEntry(Strict):
    """An elastic connection, without load as designed: by the axes of frame a, N/m, N s/m, N m/rad, N m s/rad."""

    name: str | None = None
    a: FrameEntry
    b: str
    stiffness: ThreeNotNegative = _NOTHING
    damping: ThreeNotNegative = _NOTHING
    turn_stiffness: ThreeNotNegative = _NOTHING
    turn_damping: ThreeNotNegative = _NOTHING


class WrenchEntry(Strict):
    """Force (N) at a point (mm) of a component and torque (N m), in the axes of the world or of the component."""

    name: str | None = None
    component: str
    point: Three = _NOTHING
    axes: Annotated[str, Field(pattern="^(world|body)$")] = "world"
    force: tuple[Function, Function, Function] | None = None
    torque: tuple[Function, Function, Function] | None = None


class FrictionEntry(Strict):
    """Dry friction of a joint (N m, N) in place of its own; `speed` (degrees/s, mm/s) at which 76 % of it act."""

    joint: str
    torque: NotNegative
    speed: Positive | None = None


class StopEntry(Strict):
    """Stops of a joint: degrees, N m/rad, N m s/rad (mm, N/m, N s/m); its limits where no range is given."""

    joint: str
    lower: Finite | None = None
    upper: Finite | None = None
    stiffness: Positive
    damping: NotNegative = 0.0
    depth: Positive = 0.1


class LoadsFile(Strict):
    """All loads of a scenario."""

    springs: list[AnySpring] = Field(default_factory=list)
    bushings: list[BushingEntry] = Field(default_factory=list)
    wrenches: list[WrenchEntry] = Field(default_factory=list)
    friction: list[FrictionEntry] = Field(default_factory=list)
    stops: list[StopEntry] = Field(default_factory=list)


def function_of(value: float | str | Table) -> TimeFunction:
    """A function of time as the file gives it; ValueError where it is none."""
    if isinstance(value, Table):
        return table(value.table)
    maker: Callable[..., TimeFunction] = expression if isinstance(value, str) else constant
    return maker(value)
