"""What the models of the mates file are made of: numbers, names, units, features."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from cadbridge.numbers import Finite, Positive, Strict

Share = Annotated[float, Field(allow_inf_nan=False, gt=0, le=1)]
Vector3 = Annotated[list[Finite], Field(min_length=3, max_length=3)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Teeth = Annotated[int, Field(gt=0, le=1_000_000)]
LengthUnit = Literal["m", "dm", "cm", "mm", "um", "km", "in", "inch", "ft"]


def fault(message: str) -> PydanticCustomError:
    """An error of our own in the form of pydantic's."""
    return PydanticCustomError("mates_file", "{message}", {"message": message})


class FileUnits(Strict):
    """Units of the lengths and angles in this file."""

    length: LengthUnit = "mm"
    angle: Literal["deg", "rad"] = "deg"


class FeatureSpec(Strict):
    """What a mate takes hold of: a face by name or selector, or a plane, axis, point, frame in numbers."""

    may_be_bare: ClassVar[bool] = False
    """Whether the component alone says enough."""

    component: Name
    part: Name | None = None
    face: Name | None = None
    select: Name | None = None
    kind: Literal["axis", "plane", "point"] | None = Field(default=None, alias="as")
    point: Vector3 | None = None
    normal: Vector3 | None = None
    axis: Vector3 | None = None
    z: Vector3 | None = None
    x: Vector3 | None = None
    radius: Positive | None = None
    frame: Literal["world"] | None = Field(default=None, alias="in")

    @property
    def bare(self) -> bool:
        """Whether nothing but the component is given."""
        return not self.model_fields_set - {"component", "part"}

    @model_validator(mode="after")
    def _one_way(self) -> FeatureSpec:
        ways = [name for name in ("face", "select", "point") if getattr(self, name) is not None]
        if self.bare and self.may_be_bare:
            return self
        if len(ways) != 1:
            given = f"not {' and '.join(ways)}" if ways else "none is given"
            raise fault(f"a feature is given by one of face, select or point; {given}")
        directions = [name for name in ("normal", "axis", "z") if getattr(self, name) is not None]
        if self.point is None:
            extra = directions + [n for n in ("x", "radius") if getattr(self, n) is not None]
            extra += ["in"] if self.frame is not None else []
            if extra:
                raise fault(f"{', '.join(extra)} goes with point, not with {ways[0]}")
            return self
        if self.kind is not None:
            raise fault("as goes with face or select; with point say normal or axis")
        if len(directions) > 1:
            raise fault(f"a point takes one of normal, axis or z, not {' and '.join(directions)}")
        if (self.x is not None) != (self.z is not None):
            raise fault("a frame needs both z and x")
        if self.radius is not None and directions in (["normal"], ["z"]):
            raise fault("a radius goes with an axis or a point")
        return self


class DesignedSpec(FeatureSpec):
    """A feature, or a component alone: what the other side takes hold of, where the two stand as designed."""

    may_be_bare: ClassVar[bool] = True
