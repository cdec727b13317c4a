"""The fit file as people write it; its published JSON Schema is made from these models (docs/fit.md)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cadbridge.numbers import NotNegative, Positive, Strict
from cadbridge.readers.mates_file.values import Name

FORMAT = "cadbridge.fit/1"
IsoClass = Literal["f", "m", "c", "v"]


class Directions(Strict):
    """How far something is off, mm and mrad, in each direction that a mate or coupling has."""

    across: NotNegative | None = None
    along: NotNegative | None = None
    place: NotNegative | None = None
    teeth: NotNegative | None = None
    tilt: NotNegative | None = None
    turn: NotNegative | None = None
    swing: NotNegative | None = None
    phase: NotNegative | None = None


class ToleranceEntry(Directions):
    """How far the faces of some mates, components or faces (patterns) may be off: mm and mrad, or by a class.

    `across`, `along` and `tilt` of an axis (of a plane: in it, along its normal, and its tilt), `turn` about it;
    `place` of a point and `swing` about it; `teeth` (mm along the pitch circle) and `phase` of a coupling. `iso` is the
    class of ISO 2768-1, by the size of the component, for what is not given.
    """

    mates: Name | None = None
    components: Name | None = None
    faces: Name | None = None
    iso: IsoClass | None = None


class StiffnessEntry(Strict):
    """How stiff mates are: N/m of a place (`across`, `along`, `place`, `teeth`), N m/rad of the rest.

    `force` and `moment` stand for all kinds of the two that are not given.
    """

    mates: Name
    force: Positive | None = None
    moment: Positive | None = None
    across: Positive | None = None
    along: Positive | None = None
    place: Positive | None = None
    teeth: Positive | None = None
    tilt: Positive | None = None
    turn: Positive | None = None
    swing: Positive | None = None
    phase: Positive | None = None


class PlayEntry(Directions):
    """How far mates let their sides be off in each direction without force: mm and mrad."""

    mates: Name


class PreloadEntry(PlayEntry):
    """The interference with which mates are put together: mm and mrad."""


class RatingEntry(Strict):
    """What mates may carry: N and N m. Results beyond are marked."""

    mates: Name
    force: Positive | None = None
    moment: Positive | None = None


class FitEntry(Strict):
    """The fit of mates on an axis, as a designer names it: one of `fit`, `bearing` and `rail`.

    A fit by ISO 286 ("H7/g6"), the clearance class of a deep-groove ball bearing by ISO 5753-1 ("C3"), or the size of a
    profile rail. Diameter and length of the bore (mm) are those of the STEP's cylinders unless they are given.
    """

    mates: Name
    fit: str | None = None
    bearing: str | None = None
    rail: int | None = None
    preloaded: bool = False
    diameter: Positive | None = None
    length: Positive | None = None


class SharedEntry(Strict):
    """Components whose faces have their errors in common, as those of one pattern or mould have."""

    components: Name


class FitFile(Strict):
    """The file: of several entries that fit, the last one that gives a value holds."""

    format: Literal["cadbridge.fit/1"]
    iso: IsoClass = "m"
    tolerances: list[ToleranceEntry] = Field(default_factory=list)
    stiffness: list[StiffnessEntry] = Field(default_factory=list)
    play: list[PlayEntry] = Field(default_factory=list)
    preload: list[PreloadEntry] = Field(default_factory=list)
    fits: list[FitEntry] = Field(default_factory=list)
    rating: list[RatingEntry] = Field(default_factory=list)
    shared: list[SharedEntry] = Field(default_factory=list)
    draws: Annotated[int, Field(ge=100, le=1_000_000)] = 10_000
    seed: Annotated[int, Field(ge=0)] = 0
    distribution: Literal["normal", "uniform"] = "normal"
