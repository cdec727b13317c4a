"""The models of the mates file; its published JSON Schema is made from them.

Values are as a person writes them: lengths and angles in the units of the file. docs/mates-file.md is
the specification. Strict: no text becomes a number, no unknown key passes.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from cadbridge.numbers import Finite, NotNegative, Positive, Strict
from cadbridge.readers.mates_file.gear_schema import GearSpec
from cadbridge.readers.mates_file.values import (
    DesignedSpec,
    FeatureSpec,
    FileUnits,
    LengthUnit,
    Name,
    Vector3,
    fault,
)

FORMAT = "cadbridge.mates/1"


class LimitSpec(Strict):
    """The range of what is left free: degrees (or mm), degrees/s (or mm/s), N m (or N)."""

    lower: Finite | None = None
    upper: Finite | None = None
    velocity: NotNegative | None = None
    effort: NotNegative | None = None

    @model_validator(mode="after")
    def _in_order(self) -> LimitSpec:
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise fault(f"the lower limit {self.lower:g} is above the upper {self.upper:g}")
        return self


class _MateBase(Strict):
    name: Name | None = None
    a: FeatureSpec
    b: FeatureSpec


class OffsetMate(_MateBase):
    """Coincident (Inventor's mate): planes, axes and points on each other, planes at an offset."""

    type: Literal["coincident", "mate"]
    offset: Finite = 0.0
    aligned: bool | None = None


class FlushMate(_MateBase):
    """Two planes with their normals the same way."""

    type: Literal["flush"]
    offset: Finite = 0.0


class _AsDesigned(Strict):
    """One side may be a component alone: it is then held where it stands as designed."""

    name: Name | None = None
    a: DesignedSpec
    b: DesignedSpec

    @model_validator(mode="after")
    def _some_feature(self) -> _AsDesigned:
        if self.a.bare and self.b.bare:
            raise fault("give a face, select or point of a or of b: nothing says where the joint stands")
        return self


class _Freedom(_AsDesigned):
    limits: LimitSpec | None = None
    damping: NotNegative = 0.0
    friction: NotNegative = 0.0


class InsertMate(_Freedom):
    """Two axes on one line, their points at an offset along it."""

    type: Literal["insert"]
    offset: Finite = 0.0
    aligned: bool | None = None
    lock_rotation: bool = False


class ConcentricMate(_Freedom):
    """Two axes on one line."""

    type: Literal["concentric"]
    aligned: bool | None = None
    lock_rotation: bool = False


class DirectionMate(_MateBase):
    """Two directions parallel or at right angles."""

    type: Literal["parallel", "perpendicular"]
    aligned: bool | None = None


class AngleMate(_MateBase):
    """Two directions at an angle."""

    type: Literal["angle"]
    angle: Finite
    aligned: bool | None = None


class TangentMate(_MateBase):
    """Two surfaces that touch."""

    type: Literal["tangent"]
    offset: Finite = 0.0
    inside: bool = False
    aligned: bool | None = None


class DistanceMate(_MateBase):
    """Two features at a distance."""

    type: Literal["distance"]
    distance: Finite
    aligned: bool | None = None


class FixedMate(Strict):
    """No motion between the two; without features, as they stand."""

    name: Name | None = None
    a: DesignedSpec
    b: DesignedSpec
    type: Literal["fixed"]


class JointMate(_Freedom):
    """A joint by its name, between frames or axes."""

    type: Literal[
        "revolute", "prismatic", "cylindrical", "spherical", "planar", "universal", "constant_velocity",
        "free",
    ]  # fmt: skip
    aligned: bool | None = None


class ScrewMate(_Freedom):
    """A screw joint: `pitch` is the advance of one turn, of a right-hand thread where positive."""

    type: Literal["screw"]
    pitch: Finite
    aligned: bool | None = None


MateSpec = Annotated[
    OffsetMate | FlushMate | InsertMate | ConcentricMate | DirectionMate | AngleMate | TangentMate
    | DistanceMate | FixedMate | JointMate | ScrewMate,
    Field(discriminator="type"),
]  # fmt: skip


class MaterialSpec(Strict):
    """A material by its density, kg/m³."""

    density: Positive


class DensitySpec(Strict):
    """Density (kg/m³) or material of the parts whose names fit."""

    parts: Name
    density: Positive | None = None
    material: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> DensitySpec:
        if (self.density is None) == (self.material is None):
            raise fault("give either density or material")
        return self


class InertiaSpec(Strict):
    """The inertia tensor about the centre of mass, kg m²; products as they stand in the tensor."""

    xx: NotNegative
    yy: NotNegative
    zz: NotNegative
    xy: Finite = 0.0
    xz: Finite = 0.0
    yz: Finite = 0.0


class MassSpec(Strict):
    """Numbers that replace what is computed for a part or a component."""

    part: Name | None = None
    component: Name | None = None
    mass: NotNegative | None = None
    com: Vector3 | None = None
    inertia: InertiaSpec | None = None

    @model_validator(mode="after")
    def _one(self) -> MassSpec:
        if (self.part is None) == (self.component is None):
            raise fault("give either part or component")
        if self.mass is None and self.com is None and self.inertia is None:
            raise fault("give mass, com or inertia")
        return self


class AttachSpec(Strict):
    """Loose parts and what they belong to: `parts` by pattern, `components` by their full names."""

    parts: Name | None = None
    components: Annotated[list[Name], Field(min_length=1)] | None = None
    to: Name | None = None
    by: Literal["contact"] | None = None

    @model_validator(mode="after")
    def _one(self) -> AttachSpec:
        if (self.parts is None) == (self.components is None):
            raise fault("give either parts: PATTERN or components: [NAME, …]")
        if self.components is not None and self.to is None:
            raise fault("components go with to: COMPONENT")
        if (self.to is None) == (self.by is None):
            raise fault("give either to: COMPONENT or by: contact")
        return self


class JointSpec(Strict):
    """A stable name for the joint that holds these mates."""

    mates: Annotated[list[Name], Field(min_length=1)]
    limits: LimitSpec | None = None
    type: Literal["revolute", "prismatic"] | None = None


class DriveOverride(Strict):
    """A drive of each joint that fits; of one that has a drive, what is given changes."""

    reduction: Finite | None = None
    rotor_inertia: NotNegative | None = None


class OverrideSpec(Strict):
    """Properties of all joints that a pattern fits; what is not given stays. Limits are merged key by key.

    Damping (N m s/rad, N s/m), dry friction (N m, N), stiffness (N m/rad, N/m) and rotor inertia (kg m², kg).
    """

    joints: Name
    rename: Name | None = None
    limits: LimitSpec | None = None
    damping: NotNegative | None = None
    friction: NotNegative | None = None
    stiffness: NotNegative | None = None
    armature: NotNegative | None = None
    drive: DriveOverride | None = None


class PartSpec(Strict):
    """What becomes of all parts and instances that a pattern fits: what collides in exports, or that they are ignored.

    `collision`: none, box, hull, mesh (as it is), decomposition, primitives or simplified.
    """

    parts: Name
    collision: Literal["none", "box", "hull", "mesh", "decomposition", "primitives", "simplified"] | None = None
    ignore: bool = False


class DriveSpec(Strict):
    """What moves a joint; `rotor_inertia` kg m² at the rotor."""

    name: Name
    joint: Name
    reduction: Finite = 1.0
    rotor_inertia: NotNegative = 0.0


class FrameSpec(Strict):
    """A frame that people refer to, fixed in a component (or in a part of it)."""

    name: Name
    component: Name
    part: Name | None = None
    point: Vector3
    z: Vector3 = Field(default_factory=lambda: [0.0, 0.0, 1.0])
    x: Vector3 | None = None


NamedPair = Annotated[list[Name], Field(min_length=2, max_length=2)]


class HintSpec(Strict):
    """One thing that is known of a file, for `cadbridge recognise`: parts joined, fixed, apart, or still; all freedoms.

    A joint may have a type, an axis (in the frame of its first part, or `in: world`; or that of the part `about`) and a
    name.
    """

    joint: NamedPair | None = None
    fixed: NamedPair | None = None
    apart: NamedPair | None = None
    ground: Name | None = None
    freedoms: Annotated[int, Field(ge=0, le=10_000)] | None = None
    type: Literal["revolute", "cylindrical", "prismatic", "spherical"] | None = None
    point: Vector3 | None = None
    axis: Vector3 | None = None
    frame: Literal["world"] | None = Field(default=None, alias="in")
    about: Name | None = None
    name: Name | None = None

    @model_validator(mode="after")
    def _one(self) -> HintSpec:
        if sum(v is not None for v in (self.joint, self.fixed, self.apart, self.ground, self.freedoms)) != 1:
            raise fault("give one of joint, fixed, apart, ground and freedoms")
        extra = [k for k in ("type", "point", "axis", "frame", "about", "name") if getattr(self, k) is not None]
        pair = self.joint or self.fixed or self.apart or ["a", "b"]
        if pair[0] == pair[1]:
            raise fault(f"name two different parts: both are {pair[0]}")
        if extra and self.joint is None:
            raise fault(f"{', '.join(extra).replace('frame', 'in')} goes with joint")
        if self.point is not None and self.about is not None:
            raise fault("give point or about, not both: each says where the axis is")
        if self.point is None and (self.axis is not None or self.frame is not None):
            raise fault("the axis of a joint needs a point too" if self.axis is not None else "in goes with point")
        if self.point is not None and self.axis is None and self.type != "spherical":
            raise fault("the point of a joint needs an axis too, unless the joint is spherical")
        # As of directions (`features`).
        if self.axis is not None and not any(abs(x) > 1e-9 for x in self.axis):
            raise fault("axis is zero: it has no direction")
        return self


def _one_of_each(hints: list[HintSpec]) -> list[HintSpec]:
    """Refuse a second ground or number of freedoms: neither could be said to hold."""
    for key in ("ground", "freedoms"):
        said = [value for own in hints if (value := getattr(own, key)) is not None]
        if len(said) > 1:
            raise fault(f"give one hint {key}: {' and '.join(map(str, said[:2]))} contradict each other")
    return hints


class MatesFile(Strict):
    """A mates file, whole."""

    format: Literal["cadbridge.mates/1"]
    units: FileUnits = Field(default_factory=FileUnits)
    source_units: LengthUnit | None = None
    ground: list[Name] = Field(default_factory=list)
    flexible: list[Name] = Field(default_factory=list)
    rigid: list[Name] = Field(default_factory=list)
    materials: dict[Name, MaterialSpec] = Field(default_factory=dict)
    density: list[DensitySpec] = Field(default_factory=list)
    mass: list[MassSpec] = Field(default_factory=list)
    attach: list[AttachSpec] = Field(default_factory=list)
    mates: list[MateSpec] = Field(default_factory=list)
    gears: list[GearSpec] = Field(default_factory=list)
    leave_out: list[Name] = Field(default_factory=list)
    joints: dict[Name, JointSpec] = Field(default_factory=dict)
    overrides: list[OverrideSpec] = Field(default_factory=list)
    parts: list[PartSpec] = Field(default_factory=list)
    drives: list[DriveSpec] = Field(default_factory=list)
    frames: list[FrameSpec] = Field(default_factory=list)
    home: dict[Name, Finite] = Field(default_factory=dict)
    hints: Annotated[list[HintSpec], AfterValidator(_one_of_each)] = Field(default_factory=list)
