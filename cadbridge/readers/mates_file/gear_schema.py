"""The models of the mates file's gears, belts, cams and other couplings."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from cadbridge.readers.mates_file.values import (
    FeatureSpec,
    Finite,
    Name,
    NotNegative,
    Positive,
    Share,
    Strict,
    Teeth,
    fault,
)

Points = Annotated[list[Annotated[list[Finite], Field(min_length=2, max_length=2)]], Field(min_length=3)]
TeethPair = Annotated[list[Teeth], Field(min_length=2, max_length=2)]


class GearPair(Strict):
    """Two gears on axes: by teeth, ratio = teeth of b / teeth of a, or pitch radii."""

    name: Name | None = None
    type: Literal["spur", "bevel", "internal"]
    a: FeatureSpec
    b: FeatureSpec
    teeth: Annotated[list[Teeth], Field(min_length=2, max_length=2)] | None = None
    ratio: Positive | None = None
    radii: Annotated[list[Positive], Field(min_length=2, max_length=2)] | None = None
    pressure_angle: NotNegative | None = None
    efficiency: Share | None = None
    carrier: Name | None = None


class RackPair(Strict):
    """A pinion (a, its axis) on a rack (b, its direction)."""

    name: Name | None = None
    type: Literal["rack_pinion"]
    a: FeatureSpec
    b: FeatureSpec
    radius: Positive
    efficiency: Share | None = None
    carrier: Name | None = None


class RatioPair(Strict):
    """Turns of b for one turn of a about their axes, signed, seen from the carrier."""

    name: Name | None = None
    type: Literal["ratio"]
    a: FeatureSpec
    b: FeatureSpec
    ratio: Finite
    carrier: Name | None = None


class BeltPair(Strict):
    """A belt or chain on two wheels with parallel axes: by teeth, ratio or radii, as gears."""

    name: Name | None = None
    type: Literal["belt", "chain"]
    a: FeatureSpec
    b: FeatureSpec
    teeth: TeethPair | None = None
    ratio: Positive | None = None
    radii: Annotated[list[Positive], Field(min_length=2, max_length=2)] | None = None
    crossed: bool = False
    efficiency: Share | None = None
    carrier: Name | None = None


class WormPair(Strict):
    """A worm (a, its axis) and its wheel (b)."""

    name: Name | None = None
    type: Literal["worm"]
    a: FeatureSpec
    b: FeatureSpec
    starts: Teeth = 1
    teeth: Teeth
    hand: Literal["right", "left"] = "right"
    efficiency: Share | None = None
    carrier: Name | None = None


class HelicalPair(Strict):
    """Two helical gears on axes that pass each other; `helix` is the angle of a's teeth, right-hand positive."""

    name: Name | None = None
    type: Literal["crossed_helical"]
    a: FeatureSpec
    b: FeatureSpec
    teeth: TeethPair
    helix: Finite
    efficiency: Share | None = None
    carrier: Name | None = None


class CamPair(Strict):
    """A cam's joint and its follower's, by the law between their values or by the cam's profile."""

    name: Name | None = None
    type: Literal["cam"]
    driver: Name
    follower: Name
    law: Points | None = None
    periodic: bool = True
    profile: Points | None = None
    roller: NotNegative = 0.0
    arm: Positive | None = None
    side: Literal["left", "right"] = "left"

    @model_validator(mode="after")
    def _one_way(self) -> CamPair:
        if (self.law is None) == (self.profile is None):
            raise fault("give either law or profile")
        return self


class LinearSpec(Strict):
    """Joints whose values, each times its factor, add up to nothing as they do as designed."""

    name: Name | None = None
    type: Literal["linear"]
    factors: Annotated[dict[Name, Finite], Field(min_length=2)]


class DifferentialSpec(Strict):
    """A differential: (1 + ratio) times the case's turn is left + ratio times right."""

    name: Name | None = None
    type: Literal["differential"]
    case: Name
    left: Name
    right: Name
    ratio: Positive = 1.0


JointCouplingSpec = CamPair | LinearSpec | DifferentialSpec
AxisPairSpec = GearPair | RackPair | RatioPair | BeltPair | WormPair | HelicalPair

GearSpec = Annotated[AxisPairSpec | JointCouplingSpec, Field(discriminator="type")]
