"""The mates file's gears, belts, cams and other couplings: each kind's keys, as they are read and written."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, model_validator

from cadbridge.assembly import Coupling, CouplingKind
from cadbridge.numbers import Finite, NotNegative, Positive, Strict
from cadbridge.readers.mates_file.values import FeatureSpec, Name, Share, Teeth, fault

Points = Annotated[list[Annotated[list[Finite], Field(min_length=2, max_length=2)]], Field(min_length=3)]
TeethPair = Annotated[list[Teeth], Field(min_length=2, max_length=2)]
Radii = Annotated[list[Positive], Field(min_length=2, max_length=2)]
Keys = dict[str, Any]

RADII_TOLERANCE = 5e-3
"""Relative: pitch radii, given to three digits or measured, against the ratio by teeth. A tooth of 200 is as much."""
RATIO_TOLERANCE = 1e-4
"""Relative: a ratio typed with five digits beside the teeth, which are then taken. Beyond it one of them is wrong."""


class FeaturePair(Strict):
    """Two features that turn or slide together, and the component that holds both."""

    name: Name | None = None
    a: FeatureSpec
    b: FeatureSpec
    carrier: Name | None = None

    def numbers(self, angle: float, length: float) -> Keys:
        """The coupling's fields, the file's units being `angle` rad and `length` m; ValueError where they cannot be."""
        raise NotImplementedError

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """The keys, in rad and m, that say a coupling; None where they cannot."""
        raise NotImplementedError


class LossyPair(FeaturePair):
    """A pair of which `efficiency` is the share of the power that arrives."""

    efficiency: Share | None = None


class ToothedPair(LossyPair):
    """Wheels by teeth, ratio = teeth of b / teeth of a, or pitch radii."""

    teeth: TeethPair | None = None
    ratio: Positive | None = None
    radii: Radii | None = None

    def numbers(self, angle: float, length: float) -> Keys:
        """Teeth are exact, so they come first; a ratio is often rounded, radii always."""
        ratios: list[tuple[str, float, float]] = []
        if self.teeth is not None:
            ratios.append((f"teeth {self.teeth[0]}:{self.teeth[1]}", self.teeth[1] / self.teeth[0], RATIO_TOLERANCE))
        if self.ratio is not None:
            ratios.append((f"ratio {self.ratio:g}", self.ratio, RATIO_TOLERANCE))
        if self.radii is not None:
            ratios.append(
                (f"radii {self.radii[0]:g}:{self.radii[1]:g}", self.radii[1] / self.radii[0], RADII_TOLERANCE)
            )
        if not ratios:
            raise ValueError("it needs teeth, ratio or radii")
        first, ratio, _ = ratios[0]
        for text, value, tolerance in ratios[1:]:
            if abs(value / ratio - 1.0) > tolerance:
                raise ValueError(f"{first} make a ratio of {ratio:g}, but {text} make {value:g}")
        keys: Keys = {"ratio": ratio, "efficiency": self.efficiency}
        if self.teeth is not None:
            keys |= {"teeth_a": self.teeth[0], "teeth_b": self.teeth[1]}
        if self.radii is not None:
            keys |= {"radius_a": self.radii[0] * length, "radius_b": self.radii[1] * length}
        return keys

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """Teeth, else the ratio; and the radii."""
        keys: Keys = {}
        if c.teeth_a is not None and c.teeth_b is not None:
            keys["teeth"] = [c.teeth_a, c.teeth_b]
        elif c.ratio is not None:
            keys["ratio"] = float(c.ratio)
        if c.radius_a is not None and c.radius_b is not None:
            keys["radii"] = [float(c.radius_a), float(c.radius_b)]
        return keys or None


def _pressure(given: float | None, angle: float) -> float | None:
    """A pressure angle in rad; ValueError where teeth cannot have it."""
    pressure = None if given is None else given * angle
    if pressure is not None and pressure >= math.pi / 4:
        raise ValueError(f"a pressure angle must be below 45°, not {math.degrees(pressure):g}°")
    return pressure


class GearPair(ToothedPair):
    """Two gears on axes: by teeth, ratio = teeth of b / teeth of a, or pitch radii."""

    type: Literal["spur", "bevel", "internal"]
    pressure_angle: NotNegative | None = None

    def numbers(self, angle: float, length: float) -> Keys:
        """As of any pair of wheels, and the pressure angle of the teeth."""
        pressure = _pressure(self.pressure_angle, angle)
        return super().numbers(angle, length) | {"pressure_angle": pressure}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """As of any pair of wheels, and the pressure angle of the teeth."""
        keys = ToothedPair.written(c)
        if keys is not None and c.pressure_angle is not None:
            keys["pressure_angle"] = float(c.pressure_angle)
        return keys


class BeltPair(ToothedPair):
    """A belt or chain on two wheels with parallel axes: by teeth, ratio or radii, as gears."""

    type: Literal["belt", "chain"]
    crossed: bool = False

    def numbers(self, angle: float, length: float) -> Keys:
        """As of any pair of wheels, and whether the belt is crossed."""
        return super().numbers(angle, length) | {"crossed": self.crossed}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """As of any pair of wheels, and whether the belt is crossed."""
        keys = ToothedPair.written(c)
        return None if keys is None else keys | ({"crossed": True} if c.crossed else {})


class RackPair(LossyPair):
    """A pinion (a, its axis) on a rack (b, its direction)."""

    type: Literal["rack_pinion"]
    radius: Positive

    def numbers(self, angle: float, length: float) -> Keys:
        """The pinion's pitch radius."""
        return {"radius_a": self.radius * length, "efficiency": self.efficiency}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """The pinion's pitch radius."""
        return None if c.radius_a is None else {"radius": float(c.radius_a)}


class RatioPair(FeaturePair):
    """Turns of b for one turn of a about their axes, signed, seen from the carrier."""

    type: Literal["ratio"]
    ratio: Finite

    def numbers(self, angle: float, length: float) -> Keys:
        """The ratio."""
        if self.ratio == 0.0:
            raise ValueError("a ratio of zero couples nothing")
        return {"ratio": self.ratio}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """The ratio."""
        return {"ratio": float(c.ratio)} if c.ratio else None


class WormPair(LossyPair):
    """A worm (a, its axis) and its wheel (b)."""

    type: Literal["worm"]
    starts: Teeth = 1
    teeth: Teeth
    hand: Literal["right", "left"] = "right"
    lead_angle: Positive | None = None
    pressure_angle: NotNegative | None = None

    def numbers(self, angle: float, length: float) -> Keys:
        """Starts and teeth; a thread of no known lead is taken at 5°: only its sense matters then."""
        if (self.lead_angle is None) != (self.pressure_angle is None):
            raise ValueError("the lead_angle and the pressure_angle of a worm tell its thrust together: give both")
        # A common worm's; starts and teeth alone give the ratio.
        lead = math.radians(5.0) if self.lead_angle is None else self.lead_angle * angle
        if lead >= math.pi / 2:
            raise ValueError(f"a lead angle must be below 90°, not {math.degrees(lead):g}°")
        # A helix angle is measured from the axis, a lead angle across it.
        helix = math.copysign(math.pi / 2 - lead, 1.0 if self.hand == "right" else -1.0)
        teeth = {"teeth_a": self.starts, "teeth_b": self.teeth, "pressure_angle": _pressure(self.pressure_angle, angle)}
        return {"ratio": self.teeth / self.starts, **teeth, "helix": helix, "efficiency": self.efficiency}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """Starts, teeth and the thread's hand."""
        if c.teeth_a is None or c.teeth_b is None:
            return None
        keys: Keys = {"starts": c.teeth_a, "teeth": c.teeth_b, "hand": "left" if c.helix < 0 else "right"}
        if c.pressure_angle is not None:
            keys |= {"lead_angle": math.pi / 2 - abs(c.helix), "pressure_angle": float(c.pressure_angle)}
        return keys


class HelicalPair(LossyPair):
    """Two helical gears on axes that pass each other; `helix` is the angle of a's teeth, right-hand positive."""

    type: Literal["crossed_helical"]
    teeth: TeethPair
    helix: Finite
    pressure_angle: NotNegative | None = None

    def numbers(self, angle: float, length: float) -> Keys:
        """Teeth and the angle of a's teeth."""
        helix, (za, zb) = self.helix * angle, self.teeth
        if abs(helix) >= math.pi / 2:
            raise ValueError(f"a helix angle must be below a quarter turn, not {self.helix:g}")
        pressure = _pressure(self.pressure_angle, angle)
        teeth = {"teeth_a": za, "teeth_b": zb, "pressure_angle": pressure}
        return {"ratio": zb / za, **teeth, "helix": helix, "efficiency": self.efficiency}

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """Teeth and the angle of a's teeth."""
        if c.teeth_a is None or c.teeth_b is None:
            return None
        keys: Keys = {"teeth": [c.teeth_a, c.teeth_b], "helix": float(c.helix)}
        if c.pressure_angle is not None:
            keys["pressure_angle"] = float(c.pressure_angle)
        return keys


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

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """The joints, and the law or the profile."""
        if c.cam is None or c.joints is None or c.offset:
            return None
        keys: Keys = {"driver": c.joints[0], "follower": c.joints[1]}
        points = [[float(q), float(f)] for q, f in c.cam.points]
        if not c.cam.profile:
            return keys | {"law": points, "periodic": c.cam.period > 0.0}
        keys |= {"profile": points, "roller": float(c.cam.roller), "side": "left" if c.cam.side > 0 else "right"}
        return keys | ({} if c.cam.arm is None else {"arm": float(c.cam.arm)})


class LinearSpec(Strict):
    """Joints whose values, each times its factor, add up to nothing as they do as designed."""

    name: Name | None = None
    type: Literal["linear"]
    factors: Annotated[dict[Name, Finite], Field(min_length=2)]

    @staticmethod
    def written(c: Coupling) -> Keys | None:
        """The factors; of a pair of joints, q_b − ratio q_a stays as designed: an offset from that has no place."""
        if c.kind is CouplingKind.LINEAR:
            return {"factors": {name: float(factor) for name, factor in c.factors}} if len(c.factors) > 1 else None
        if c.joints is None or not c.ratio or c.offset:
            return None
        a, b = c.joints
        return {"type": "linear", "factors": {b: 1.0, a: -float(c.ratio)}}


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


def written(c: Coupling) -> Keys | None:
    """The keys, in rad and m, that say a coupling beside its axes; None where the file has no place for it."""
    kind = _WRITERS.get(c.kind)
    keys = None if kind is None else kind.written(c)
    if kind is not None and keys is not None and c.efficiency is not None and issubclass(kind, LossyPair):
        keys["efficiency"] = float(c.efficiency)
    return keys


_WRITERS: dict[str, type[FeaturePair | CamPair | LinearSpec]] = {
    name: kind
    for kind in (*get_args(AxisPairSpec), CamPair, LinearSpec)
    for name in get_args(kind.model_fields["type"].annotation)
} | {CouplingKind.JOINTS: LinearSpec}
"""The form of each kind of coupling."""
