"""What the CAD system states: parts, instances, components, mates. Frozen, SI, no interpretation.

Frames: W world (the source's, SI), I an instance (its part's own frame), C a component.
Placements are proper rigid motions; a mirrored instance gets a mirrored part of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from cadbridge.findings import Finding, Findings, Where
from cadbridge.frames import Matrix, Pose, Vector
from cadbridge.geometry import FineMesh, Shape
from cadbridge.inertia import MassProperties
from cadbridge.shown import Shown, sentence
from cadbridge.study import MotionLaw, Study
from cadbridge.wording import count, listed

GROUND = "ground"
"""The name by which mates and joints refer to the world itself."""


TOUCHING = "touching"
"""In `Assembly.extra`: how many geometries touch one another in the engine of the source."""


UNACTUATED = "unactuated"
"""In `Assembly.extra`: whether the source switches all its actuators off."""


def unrefined(parts: Iterable[Part]) -> list[str]:
    """The names of parts whose fine mesh was asked for and could not be made."""
    meshes = ((part.name, part.shape.fine) for part in parts if part.shape is not None)
    return [name for name, mesh in meshes if isinstance(mesh, FineMesh) and mesh.failed]


def report_unrefined(names: Sequence[str], findings: Findings) -> None:
    """CB542 for parts of these names."""
    if names:
        findings.add(
            "CB542",
            f"OCCT did not finish the fine mesh of {count(len(names), 'part')} in time: {listed(names)}",
            items=names,
        )


@dataclass(frozen=True, eq=False)
class MassOverride:
    """Numbers given by a person; None leaves what is computed. In the frame of part or component."""

    mass: float | None = None
    com: Vector | None = None
    inertia: Matrix | None = None
    where: Where = field(default_factory=Where)


@dataclass(frozen=True, eq=False)
class Part:
    """A distinct shape. `density` in kg/m³ or None, `density_source` says who gave it.

    `declared` are the file's own mass properties, in the part's frame. `weightless` is what the file says to weigh
    nothing beside what it is fixed to. `collision`: what collides of it in exports ("none", or one of their kinds),
    None where the export decides.
    """

    name: str
    shape: Shape | None = None
    material: str | None = None
    density: float | None = None
    density_source: str | None = None
    declared: MassProperties | None = None
    override: MassOverride | None = None
    colour: tuple[float, float, float, float] | None = None
    mirrored_from: str | None = None
    weightless: bool = False
    collision: str | None = None
    where: Where = field(default_factory=Where)

    def __repr__(self) -> str:
        return sentence("Part", self.name, self.material or "", repr(self.shape) if self.shape else "no shape")


@dataclass(frozen=True, eq=False)
class Instance:
    """A leaf placement of a part. `name` is its unique path, with '/' between levels."""

    name: str
    part: str
    X_WI: Pose
    component: str
    colour: tuple[float, float, float, float] | None = None
    product_path: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return sentence("Instance", self.name, f"part {self.part!r}", f"component {self.component!r}")


@dataclass(frozen=True, eq=False)
class Component:
    """A rigid unit that mates connect: instances with no motion between them.

    `X_WC` is the placement as designed. For a component of one instance C is I. `gravity_compensation` is the share of
    its weight (1: all) that something outside carries.
    """

    name: str
    instances: tuple[str, ...]
    X_WC: Pose
    grounded: bool = False
    override: MassOverride | None = None
    gravity_compensation: float = 0.0
    where: Where = field(default_factory=Where)

    def __repr__(self) -> str:
        return sentence(
            "Component", self.name, count(len(self.instances), "instance"), "grounded" if self.grounded else ""
        )


class FeatureKind(StrEnum):
    """What a mate takes hold of."""

    PLANE = "plane"
    AXIS = "axis"
    POINT = "point"
    FRAME = "frame"
    SPHERE = "sphere"


@dataclass(frozen=True, eq=False)
class Feature:
    """A plane (point, outward normal), axis (point, direction), point, or frame of a component.

    In the component's frame C (the world frame where `component` is GROUND). `direction` is a
    unit vector, None only for points and spheres; `x` completes a FRAME (z is `direction`).
    `radius` is known where the feature was a cylinder, cone or sphere.
    """

    component: str
    kind: FeatureKind
    point: Vector
    direction: Vector | None = None
    x: Vector | None = None
    radius: float | None = None
    instance: str | None = None
    label: str = ""


class MateKind(StrEnum):
    """The relations that CAD systems know. Rows in the fewest that the mate needs."""

    COINCIDENT = "coincident"
    FLUSH = "flush"
    INSERT = "insert"
    CONCENTRIC = "concentric"
    ANGLE = "angle"
    PARALLEL = "parallel"
    PERPENDICULAR = "perpendicular"
    TANGENT = "tangent"
    DISTANCE = "distance"
    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    CYLINDRICAL = "cylindrical"
    SPHERICAL = "spherical"
    PLANAR = "planar"
    UNIVERSAL = "universal"
    CONSTANT_VELOCITY = "constant_velocity"
    SCREW = "screw"
    FREE = "free"


MATE_FREEDOM: dict[MateKind, str] = {
    MateKind.INSERT: "revolute",
    MateKind.CONCENTRIC: "revolute",
    MateKind.REVOLUTE: "revolute",
    MateKind.CYLINDRICAL: "revolute",
    MateKind.SPHERICAL: "revolute",
    MateKind.UNIVERSAL: "revolute",
    MateKind.SCREW: "revolute",
    MateKind.PRISMATIC: "prismatic",
    MateKind.PLANAR: "prismatic",
}
"""Whether limits and losses of a mate are of a turn or of a slide; other kinds may be of either."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The range of a joint coordinate: m or rad (and m/s or rad/s, N or N m). None is no limit."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None

    @staticmethod
    def of(
        lower: float | None = None, upper: float | None = None, velocity: float | None = None,
        effort: float | None = None, *, none: float = math.inf,
    ) -> Limit | None:  # fmt: skip
        """The limit that a file gives, None if it bounds nothing.

        A bound of the magnitude `none` or more is no bound, nor is a velocity or an effort below zero.
        """
        ends = [None if v is None or abs(v) >= none else v for v in (lower, upper, velocity, effort)]
        found = Limit(*ends[:2], *(None if v is None or v < 0 else v for v in ends[2:]))
        return None if found == Limit() else found

    def counted_from(self, zero: float, turns: bool = False) -> Limit:
        """The range from where the coordinate is `zero`; a turn is known to full turns: the nearest one is taken."""
        if turns:
            low = -math.inf if self.lower is None else self.lower
            high = math.inf if self.upper is None else self.upper
            whole = (zero + k * 2.0 * math.pi for k in (0, 1, -1, 2, -2))
            # Rounded, since a joint that is drawn at the end of its range is beyond it by rounding.
            zero = min(whole, key=lambda v: round(max(low - v, v - high, 0.0), 9))
        lower, upper = (None if v is None else v - zero for v in (self.lower, self.upper))
        return replace(self, lower=lower, upper=upper)

    def reversed(self) -> Limit:
        """The same range of the coordinate counted the other way round."""
        lower, upper = (None if v is None else -v for v in (self.upper, self.lower))
        return replace(self, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class Mate:
    """A relation between features of two components, as the CAD has it.

    `value`: the offset or distance in m (coincident, flush, insert, tangent, distance), the
    angle in rad (angle), the advance in m/rad (screw). `aligned`: whether the directions point
    the same way (True) or against each other (False); None takes the nearer at the pose read.
    `lock_rotation` makes an insert or concentric a rigid one. `joint_name` is the stable name
    to give the joint; `home` its value in the home pose. `damping` is in N m s/rad (N s/m), `friction` in N m (N),
    `armature` in kg m² (kg) against relative motion, `stiffness` in N m/rad (N/m) of a spring that is slack
    `rest` rad (m) from the pose as designed; of a spherical mate they act on any turn, of a free one on its travel too.
    """

    name: str
    kind: MateKind
    a: Feature
    b: Feature
    value: float = 0.0
    aligned: bool | None = None
    lock_rotation: bool = False
    inside: bool = False
    limit: Limit | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    joint_name: str | None = None
    where: Where = field(default_factory=Where)

    def __repr__(self) -> str:
        return sentence("Mate", self.name, self.kind.value, f"{self.a.component} – {self.b.component}")


class CouplingKind(StrEnum):
    """Gears and other couplings of one row."""

    SPUR = "spur"
    BEVEL = "bevel"
    INTERNAL = "internal"
    RACK_PINION = "rack_pinion"
    RATIO = "ratio"
    SCREW = "screw"
    BELT = "belt"
    CHAIN = "chain"
    WORM = "worm"
    CROSSED_HELICAL = "crossed_helical"
    JOINTS = "joints"
    LINEAR = "linear"
    CAM = "cam"

    @property
    def of_wheels(self) -> bool:
        """Whether wheels turn together by their shape: by teeth, with a rack, or by what runs over them."""
        law = (CouplingKind.RATIO, CouplingKind.SCREW, CouplingKind.JOINTS, CouplingKind.LINEAR, CouplingKind.CAM)
        return self not in law


@dataclass(frozen=True)
class CamLaw:
    """What a cam does to its follower: points (k, 2) of a law or of a profile, SI.

    A law gives the follower's value over the driver's, both 0 as designed; `period` 0 where it does not repeat.
    A profile gives [polar angle rad, radius m] of the cam's outline as designed, counted about its axis from the
    follower's slide (or from the line to its pivot, where `arm` m is the follower's length);
    `roller` is the roller's radius in m, `side` +1 where it lies on the left of the line to the pivot, seen against
    the cam's axis.
    `polynomial` are the coefficients of a law that is one, lowest power first, between the ends of its points; beyond
    them it goes on along its tangent. Its constant is the coupling's `offset`.
    """

    points: tuple[tuple[float, float], ...]
    profile: bool = False
    period: float = 0.0
    roller: float = 0.0
    arm: float | None = None
    side: int = 1
    polynomial: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Coupling:
    """A gear pair, as a mate: one row.

    `a` and `b` are axes with their direction. `ratio` = r_b/r_a = teeth_b/teeth_a > 0 for spur,
    internal and bevel (a is the annulus of an internal pair when ratio < 1, else b). For RACK_PINION a is
    the pinion's axis, b the rack's direction, `radius_a` the pitch radius. RATIO turns
    b by `ratio` times the turn of a about their axes, signed, relative to `carrier`
    (coaxial and far pairs). SCREW moves b along a's axis by `ratio` m for each rad that it turns about
    it against a, and holds nothing else. JOINTS couples the coordinates of two mates that leave one
    freedom: q_b = ratio * q_a + offset, `joints` = (a, b) mate names (URDF mimic).
    BELT and CHAIN: parallel axes held at a distance, `ratio` = r_b/r_a > 0, `crossed` where the belt crosses itself.
    WORM (a the worm, `teeth_a` its starts) and CROSSED_HELICAL: axes that neither meet nor are parallel, `ratio` =
    teeth_b/teeth_a, `helix` rad of a's teeth against its axis, right-hand positive. LINEAR: Σ factor · q = offset,
    each q 0 as designed, over `factors` (mate names; rad, m); one alone holds its joint. CAM: `joints` = (driver,
    follower), by its `cam` law, and higher by the `offset`.
    `carrier` names the component that holds both axes, None where it is found. `pressure_angle` (rad) of spur, internal
    and bevel teeth, the normal one of worms and crossed helical gears, for the forces that part the wheels; None where
    it is not known. `efficiency` is what arrives at the driven wheel of the power that the other gives, None where
    nothing is lost.
    """

    name: str
    kind: CouplingKind
    a: Feature | None
    b: Feature | None
    ratio: float | None = None
    teeth_a: int | None = None
    teeth_b: int | None = None
    radius_a: float | None = None
    radius_b: float | None = None
    carrier: str | None = None
    joints: tuple[str, str] | None = None
    offset: float = 0.0
    crossed: bool = False
    helix: float = 0.0
    pressure_angle: float | None = None
    efficiency: float | None = None
    factors: tuple[tuple[str, float], ...] = ()
    cam: CamLaw | None = None
    where: Where = field(default_factory=Where)

    def __repr__(self) -> str:
        ends = [f.component for f in (self.a, self.b) if f is not None] or list(self.joints or ())
        ratio = "" if self.ratio is None else f"ratio {self.ratio:.4g}"
        return sentence("Coupling", self.name, self.kind.value, " – ".join(ends), ratio)


@dataclass(frozen=True, slots=True)
class ControlLaw:
    """What an actuator makes of its control u: (gain · [1, l, l̇]) u + bias · [1, l, l̇], before the reduction.

    l = reduction · q is the joint's coordinate (0 as designed) as the motor sees it, rad or m; efforts in N m or N.
    A torque motor has the gain (1, 0, 0), a position servo of stiffness k and damping d (k, 0, 0) and the bias
    (0, −k, −d). `control` is the range of u, `effort` that of what the motor gives, `start` what u is before anybody
    sets it.
    """

    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control: tuple[float, float] | None = None
    effort: tuple[float, float] | None = None
    start: float = 0.0

    def limited(self, control: float) -> float:
        """A control within its range."""
        return control if self.control is None else min(max(control, self.control[0]), self.control[1])

    def on_joint(self, control: float, reduction: float) -> tuple[float, float, float]:
        """c, k and d of the effort c − k q − d q̇ on the joint at a control, before it is bounded."""
        r, u = reduction, self.limited(control)
        constant, stiffness, damping = (g * u + b for g, b in zip(self.gain, self.bias, strict=True))
        return r * constant, -(r**2) * stiffness, -(r**2) * damping

    def effort_at(self, control: float, length: float, rate: float) -> float:
        """What the motor gives (N m, N) at a control, at l (rad, m) and at l̇."""
        u, at = self.limited(control), (1.0, length, rate)
        given = sum((g * u + b) * x for g, b, x in zip(self.gain, self.bias, at, strict=True))
        return given if self.effort is None else min(max(given, self.effort[0]), self.effort[1])


@dataclass(frozen=True, eq=False)
class Drive:
    """What moves a joint: the mate's (or joint's) name, reduction, rotor inertia kg m² at the rotor.

    `law` is how its effort follows its control; None where the source does not say.
    """

    name: str
    joint: str
    reduction: float = 1.0
    rotor_inertia: float = 0.0
    where: Where = field(default_factory=Where)
    law: ControlLaw | None = None


@dataclass(frozen=True, eq=False)
class NamedFrame:
    """A frame that people refer to (base, tool): fixed in a component."""

    name: str
    component: str
    X_CF: Pose


@dataclass(frozen=True, eq=False)
class Assembly(Shown):
    """All that a source holds. `units` is the ledger: what was in the file, what it became; `study` a run.

    `gravity` is the source's own in m/s², None where it has none.
    """

    name: str
    source: str
    format: str
    parts: tuple[Part, ...]
    instances: tuple[Instance, ...]
    components: tuple[Component, ...]
    mates: tuple[Mate, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    drives: tuple[Drive, ...] = ()
    frames: tuple[NamedFrame, ...] = ()
    home: dict[str, float] = field(default_factory=dict)
    joint_names: dict[str, str] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    mates_in_file: int = 0
    extra: dict[str, Any] = field(default_factory=dict)
    study: Study | None = None
    gravity: tuple[float, float, float] | None = None
    findings: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        counts = [("part", self.parts), ("instance", self.instances), ("component", self.components),
                  ("mate", self.mates), ("coupling", self.couplings), ("finding", self.findings)]  # fmt: skip
        return sentence("Assembly", self.name, self.format, *(count(len(items), noun) for noun, items in counts))

    @property
    def motions(self) -> tuple[MotionLaw, ...]:
        """The motions of joints that the source prescribes in its own run."""
        return () if self.study is None else self.study.motions

    def part(self, name: str) -> Part:
        """The part of that name; KeyError where there is none."""
        found: Part = self._index("parts")[name]
        return found

    def instance(self, name: str) -> Instance:
        """The instance of that name; KeyError where there is none."""
        found: Instance = self._index("instances")[name]
        return found

    def component(self, name: str) -> Component:
        """The component of that name; KeyError where there is none."""
        found: Component = self._index("components")[name]
        return found

    def _index(self, what: str) -> dict[str, Any]:
        cache: dict[str, dict[str, Any]] = self.__dict__.setdefault("_indices", {})
        if what not in cache:
            cache[what] = {item.name: item for item in getattr(self, what)}
        return cache[what]

    def with_findings(self, findings: tuple[Finding, ...]) -> Assembly:
        """This assembly with more findings."""
        return replace(self, findings=self.findings + findings)
