"""What connects components and what moves them, as the CAD system states it: mates, couplings and drives. Frozen, SI.

A mate or a coupling takes hold of features, each in the frame C of its component; how many rows it is and what it
leaves free, the mechanism says.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum

from cadbridge.findings import Where
from cadbridge.frames import Pose, Vector
from cadbridge.shown import sentence

GROUND = "ground"
"""The name by which mates and joints refer to the world itself."""

_ROUNDING = 1e-12
"""rad, m: what is left where an end of a range and the pose drawn at it are subtracted, some 1e-15 for a metre.
No file means so little."""


class FeatureKind(StrEnum):
    """What a mate takes hold of."""

    PLANE = "plane"
    AXIS = "axis"
    POINT = "point"
    FRAME = "frame"
    SPHERE = "sphere"


@dataclass(frozen=True, eq=False)
class Feature:
    """What a mate takes hold of: a plane, axis, point, frame or sphere of a component.

    Attributes:
        component: The component in whose frame C it is given; `GROUND` for the world.
        kind: What it is.
        point: A point of it (3,) m: on the plane or axis, or the origin or centre.
        direction: Unit vector (3,): the outward normal, the axis, or z of a frame; None only of points and spheres.
        x: The x axis of a frame (3,).
        radius: m, where it is of a cylinder, cone or sphere.
        instance: The instance that has it.
        label: How the source calls it.
    """

    component: str
    kind: FeatureKind
    point: Vector
    direction: Vector | None = None
    x: Vector | None = None
    radius: float | None = None
    instance: str | None = None
    label: str = ""

    def on(self, component: str, X_DC: Pose) -> Feature:
        """Give the feature in the frame of another component.

        Args:
            component: The other component, of frame D; `GROUND` for the world.
            X_DC: The pose of this feature's frame C there.

        Returns:
            The same plane, axis, point, frame or sphere.
        """
        direction, x = (None if v is None else X_DC.vector(v) for v in (self.direction, self.x))
        return replace(self, component=component, point=X_DC.point(self.point), direction=direction, x=x)


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
    """The range of a joint's coordinate; None is no limit.

    Attributes:
        lower: The lower end, m or rad.
        upper: The upper end, m or rad.
        velocity: The largest rate, m/s or rad/s.
        effort: The largest effort, N or N m.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None

    def oriented(self, sense: float) -> Limit:
        """Count the coordinate as a mate or a joint does.

        Args:
            sense: Below zero where that counts it the other way round.

        Returns:
            The same range, reversed where it is so.
        """
        return self if sense > 0 else self.reversed()

    @staticmethod
    def of(
        lower: float | None = None, upper: float | None = None, velocity: float | None = None,
        effort: float | None = None, *, none: float = math.inf,
    ) -> Limit | None:  # fmt: skip
        """Make the limit that a file gives.

        Args:
            lower: The lower end, m or rad.
            upper: The upper end, m or rad.
            velocity: The largest rate; below zero is none.
            effort: The largest effort; below zero is none.
            none: A bound of this magnitude or more is no bound.

        Returns:
            The limit, None if it bounds nothing.
        """
        ends = [None if v is None or abs(v) >= none else v for v in (lower, upper, velocity, effort)]
        found = Limit(*ends[:2], *(None if v is None or v < 0 else v for v in ends[2:]))
        return None if found == Limit() else found

    def counted_from(self, zero: float, turns: bool = False) -> Limit:
        """Count the range from another zero.

        Args:
            zero: The value at which the coordinate shall be zero.
            turns: Whether it is a turn, known to full turns: the nearest one is taken.

        Returns:
            The range with both ends counted so.
        """
        if turns:
            low = -math.inf if self.lower is None else self.lower
            high = math.inf if self.upper is None else self.upper
            whole = (zero + k * 2.0 * math.pi for k in (0, 1, -1, 2, -2))
            # Rounded, since a joint that is drawn at the end of its range is beyond it by rounding.
            zero = min(whole, key=lambda v: round(max(low - v, v - high, 0.0), 9))
        lower, upper = (
            None if v is None else 0.0 if abs(v - zero) < _ROUNDING else v - zero for v in (self.lower, self.upper)
        )
        return replace(self, lower=lower, upper=upper)

    def reversed(self) -> Limit:
        """Count the coordinate the other way round.

        Returns:
            The same range with both ends exchanged and negated.
        """
        lower, upper = (None if v is None else -v for v in (self.upper, self.lower))
        return replace(self, lower=lower, upper=upper)


@dataclass(frozen=True, eq=False)
class Mate:
    """A relation between features of two components, as the CAD has it.

    Damping, friction, armature and stiffness are against relative motion; of a spherical mate they act on any turn, of
    a free one on its travel too.

    Attributes:
        name: Its name, one among all mates and couplings.
        kind: What it holds.
        a: The feature on its first component.
        b: The feature on its second component.
        value: m of an offset or distance (coincident, flush, insert, tangent, distance), rad of an angle, m/rad of a
            screw's advance.
        aligned: Whether the directions point the same way (True) or against each other (False); None takes the nearer
            at the pose read.
        lock_rotation: Whether an insert or concentric holds the turn too.
        inside: Whether the tangent surface lies inside the other.
        limit: The range of its coordinate.
        damping: N m s/rad (N s/m).
        friction: Dry friction, N m (N).
        armature: kg m² (kg).
        stiffness: Of a spring, N m/rad (N/m).
        rest: How far from the designed pose the spring is slack, rad (m).
        joint_name: The name to give the joint; None takes the mate's.
        where: Its place in the file.
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

    @property
    def freedom(self) -> str | None:
        """Whether what it carries is of a turn or of a slide; None where it may be of either."""
        # Axes on one line that may not turn about it slide along it.
        slides = self.kind is MateKind.CONCENTRIC and self.lock_rotation
        return MATE_FREEDOM[MateKind.PRISMATIC] if slides else MATE_FREEDOM.get(self.kind)

    @property
    def counted(self) -> str | None:
        """Whether couplings count its turn or its slide; what lies on a plane turns, though its limits do not."""
        return MATE_FREEDOM[MateKind.REVOLUTE] if self.kind is MateKind.PLANAR else self.freedom

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
    """What a cam does to its follower: a law or a profile by points, SI.

    Attributes:
        points: (k, 2): of a law the follower's value over the driver's, both 0 as designed; of a profile [polar angle
            rad, radius m] of the cam's outline as designed, about its axis from the follower's slide (or from the line
            to its pivot).
        profile: Whether the points are of a profile.
        period: After which a law repeats, rad or m; 0 where it does not.
        roller: The roller's radius, m.
        arm: The length m of a follower that turns; None of one that slides.
        side: +1 where the follower lies on the left of the line to its pivot, seen against the cam's axis, else −1.
        polynomial: Coefficients of a law that is one, lowest power first, between the ends of its points; beyond them
            it goes on along its tangent. Its constant is the coupling's `offset`.
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
    """A relation between the motions of joints, such as a gear pair: one row.

    What the numbers mean by kind. SPUR, INTERNAL, BEVEL: `ratio` = r_b/r_a = teeth_b/teeth_a > 0; of an internal pair a
    is the annulus where the ratio is below 1, else b. RACK_PINION: a is the pinion's axis, b the rack's direction.
    RATIO turns b by `ratio` times the turn of a about their axes, signed, relative to `carrier`. SCREW moves b along
    a's axis by `ratio` m for each rad that it turns about it against a, and holds nothing else. BELT, CHAIN: parallel
    axes held at a distance. WORM (a the worm, `teeth_a` its starts), CROSSED_HELICAL: axes that neither meet nor are
    parallel. JOINTS: q_b = ratio · q_a + offset (a mimic of URDF). LINEAR: Σ factor · q = offset, each q 0 as designed.
    CAM: the follower by its `cam` law, higher by the `offset`.

    Attributes:
        name: Its name, one among all mates and couplings.
        kind: What it is.
        a: The first axis with its direction; None of kinds that name joints.
        b: The second axis, or the rack's direction.
        ratio: See above.
        teeth_a: Teeth (or starts) of a.
        teeth_b: Teeth of b.
        radius_a: Pitch radius of a, m.
        radius_b: Pitch radius of b, m.
        carrier: The component that holds both axes; None where it is to be found.
        joints: Names of the two mates that JOINTS couples, or of a CAM's driver and follower.
        offset: rad or m.
        crossed: Whether a belt crosses itself.
        helix: Angle of a's teeth against its axis, rad, right-hand positive.
        pressure_angle: rad; of worms and crossed helical gears the normal one. None where it is not known.
        efficiency: What arrives at the driven wheel of the power that the other gives; None where nothing is lost.
        factors: (mate's name, factor) of LINEAR, for coordinates in rad or m; one alone holds its joint.
        cam: The law of a CAM.
        where: Its place in the file.
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

    l = reduction · q is the joint's coordinate (0 as designed) as the motor sees it, rad or m. A torque motor has the
    gain (1, 0, 0); a position servo of stiffness k and damping d the gain (k, 0, 0) and the bias (0, −k, −d).

    Attributes:
        gain: Three factors of u.
        bias: Three factors without u, N m or N, and for each rad or m and their rates.
        control: The range of u; None is none.
        effort: The range of what the motor gives, N m or N; None is none.
        start: What u is before anybody sets it.
    """

    gain: tuple[float, float, float] = (1.0, 0.0, 0.0)
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control: tuple[float, float] | None = None
    effort: tuple[float, float] | None = None
    start: float = 0.0

    def limited(self, control: float) -> float:
        """Hold a control within its range.

        Args:
            control: u.

        Returns:
            u, or the end of the range that it is beyond.
        """
        return control if self.control is None else min(max(control, self.control[0]), self.control[1])

    def on_joint(self, control: float, reduction: float) -> tuple[float, float, float]:
        """Express the law along the joint: an effort c − k q − d q̇, before it is bounded.

        Args:
            control: u.
            reduction: Turns of the motor for one of the joint.

        Returns:
            c (N m, N), k and d.
        """
        r, u = reduction, self.limited(control)
        constant, stiffness, damping = (g * u + b for g, b in zip(self.gain, self.bias, strict=True))
        return r * constant, -(r**2) * stiffness, -(r**2) * damping

    def effort_at(self, control: float, length: float, rate: float) -> float:
        """Compute what the motor gives at a control and a motion.

        Args:
            control: u.
            length: l, rad or m.
            rate: l̇, rad/s or m/s.

        Returns:
            The effort of the motor, N m or N, within its range.
        """
        u, at = self.limited(control), (1.0, length, rate)
        given = sum((g * u + b) * x for g, b, x in zip(self.gain, self.bias, at, strict=True))
        return given if self.effort is None else min(max(given, self.effort[0]), self.effort[1])


@dataclass(frozen=True, eq=False)
class Drive:
    """What moves a joint.

    Attributes:
        name: Its name.
        joint: The name of the mate or joint that it moves.
        reduction: Turns of the motor for one of the joint.
        rotor_inertia: kg m² at the rotor.
        where: Its place in the file.
        law: How its effort follows its control; None where the source does not say.
    """

    name: str
    joint: str
    reduction: float = 1.0
    rotor_inertia: float = 0.0
    where: Where = field(default_factory=Where)
    law: ControlLaw | None = None
