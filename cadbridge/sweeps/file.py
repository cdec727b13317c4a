"""The sweep file as people write it; its published JSON Schema is made from these models (docs/sweep.md)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from cadbridge.numbers import FileModel, Finite, NotNegative

FORMAT = "cadbridge.sweep/1"
MOST_RUNS = 1_000_000
"""Runs of one sweep: of a second each they take eleven days on one core; more is a slip in a grid."""


class Steps(FileModel):
    """`count` values from one end to the other, both included; `log` spaces them by equal ratios."""

    from_: Finite = Field(alias="from")
    to: Finite
    count: Annotated[int, Field(ge=1)]
    spacing: Literal["linear", "log"] = "linear"
    relative: bool = False


class Uniform(FileModel):
    """Drawn anew for each sample, evenly between two values."""

    uniform: tuple[Finite, Finite]
    relative: bool = False


class Normal(FileModel):
    """Drawn anew for each sample: mean and standard deviation."""

    normal: tuple[Finite, NotNegative]
    relative: bool = False


class Values(FileModel):
    """A list of values, which `relative` multiplies by what the model has."""

    values: list[Finite]
    relative: bool = False


def _written_as(given: object) -> str:
    """Which form the values have, so that only its own faults are reported."""
    for kind, key in ((Uniform, "uniform"), (Normal, "normal"), (Values, "values")):
        if isinstance(given, kind) or (isinstance(given, dict) and key in given):
            return f"<{key}>"
    return "<steps>" if isinstance(given, dict | Steps) else "<list>"


Choice = Annotated[
    Annotated[list[Finite], Tag("<list>")]
    | Annotated[Values, Tag("<values>")]
    | Annotated[Steps, Tag("<steps>")]
    | Annotated[Uniform, Tag("<uniform>")]
    | Annotated[Normal, Tag("<normal>")],
    Discriminator(_written_as),
]
AnyChoice = Annotated[
    Annotated[list[Any], Tag("<list>")]
    | Annotated[Values, Tag("<values>")]
    | Annotated[Steps, Tag("<steps>")]
    | Annotated[Uniform, Tag("<uniform>")]
    | Annotated[Normal, Tag("<normal>")],
    Discriminator(_written_as),
]


class VaryEntry(FileModel):
    """One parameter: what has it (a joint, body, gear, or a place in the scenario), and its values.

    Joints: position and rate at the start (degrees, mm), damping, friction, stiffness, rest, armature. Bodies: mass
    (kg). Gears: efficiency. Places in the scenario: `values`, as the scenario file would have them.
    """

    joint: str | None = None
    body: str | None = None
    gear: str | None = None
    scenario: str | list[str | int] | None = None
    position: Choice | None = None
    rate: Choice | None = None
    damping: Choice | None = None
    friction: Choice | None = None
    stiffness: Choice | None = None
    rest: Choice | None = None
    armature: Choice | None = None
    mass: Choice | None = None
    efficiency: Choice | None = None
    values: AnyChoice | None = None


Pattern = Annotated[str, Field(max_length=1000)]
"""Bounded: the time to compile a pattern grows with the square of its brackets, and each run asks for it."""


class Keep(FileModel):
    """Groups and patterns of columns (as --columns takes them) that each run keeps: at its end, least and most, all."""

    final: list[Pattern] = Field(default_factory=lambda: ["joints", "energy"])
    extremes: list[Pattern] = Field(default_factory=list)
    series: list[Pattern] = Field(default_factory=list)


class SweepFile(FileModel):
    """The file: every combination of the listed values, each with `samples` draws of what is drawn."""

    format: Literal["cadbridge.sweep/1"]
    vary: list[VaryEntry]
    samples: Annotated[int, Field(ge=1)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0
    keep: Keep = Field(default_factory=Keep)
