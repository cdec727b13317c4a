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
Radii = Annotated[list[Positive], Field(min_length=2, max_length=2)]


class Pair(Strict):
    """Two features that turn or slide together, and the component that holds both."""

    name: Name | None = None
    a: FeatureSpec
    b: FeatureSpec
    carrier: Name | None = None


class LossyPair(Pair):
    """A pair of which `efficiency` is the share of the power that arrives."""

    efficiency: Share | None = None


class GearPair(LossyPair):
    """Two gears on axes: by teeth, ratio = teeth of b / teeth of a, or pitch radii."""

    type: Literal["spur", "bevel", "internal"]
    teeth: TeethPair | None = None
    ratio: Positive | None = None
    radii: Radii | None = None
    pressure_angle: NotNegative | None = None


class RackPair(LossyPair):
    """A pinion (a, its axis) on a rack (b, its direction)."""

    type: Literal["rack_pinion"]
    radius: Positive


class RatioPair(Pair):
    """Turns of b for one turn of a about their axes, signed, seen from the carrier."""

    type: Literal["ratio"]
    ratio: Finite


class BeltPair(LossyPair):
    """A belt or chain on two wheels with parallel axes: by teeth, ratio or radii, as gears."""

    type: Literal["belt", "chain"]
    teeth: TeethPair | None = None
    ratio: Positive | None = None
    radii: Radii | None = None
    crossed: bool = False


class WormPair(LossyPair):
    """A worm (a, its axis) and its wheel (b)."""

    type: Literal["worm"]
    starts: Teeth = 1
    teeth: Teeth
    hand: Literal["right", "left"] = "right"


class HelicalPair(LossyPair):
    """Two helical gears on axes that pass each other; `helix` is the angle of a's teeth, right-hand positive."""

    type: Literal["crossed_helical"]
    teeth: TeethPair
    helix: Finite


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
