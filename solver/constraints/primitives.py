"""The primitives: every constraint of the solver is one of these, written once.

A primitive names bodies by index (`GROUND` = -1 for the world frame). Points and
directions of a side are in that body's frame, whose origin is wherever the caller's poses put it.
Its algebra (g, Ĝ, c) stands in `solver.constraints.kernels`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from solver.constraints.curves import Curve

GROUND = -1
"""The index by which primitives name the world."""

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Primitive(ABC):
    """One or more scalar equations between two bodies, which it names by index.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
    """

    a: int
    b: int

    @property
    @abstractmethod
    def unit(self) -> str:
        """Unit of the residual: "m", "rad", or "1" (a cosine or sine, about rad where it is small)."""

    @property
    def rows(self) -> int:
        """Number of scalar equations."""
        return 1

    @property
    def bodies(self) -> tuple[int, ...]:
        """All bodies that take part."""
        return (self.a, self.b)

    @property
    def wheels(self) -> tuple[tuple[int, Vector], ...]:
        """The bodies that are wheels of a gear, each with its axis in its own frame; none where this is no gear."""
        return ()


class _Length(Primitive):
    """A primitive whose residual is a length."""

    @property
    def unit(self) -> str:
        """The residual's unit."""
        return "m"


class _Cosine(Primitive):
    """A primitive whose residual is a difference of cosines or sines."""

    @property
    def unit(self) -> str:
        """The residual's unit."""
        return "1"


@dataclass(frozen=True, eq=False)
class PointOnPlane(_Length):
    """A point of b at a height over a plane of a: n_A · (p_B − p_A) = offset.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        point_a: On the plane (3,) m, in a.
        normal_a: Of the plane (3,), in a; its length does not count.
        point_b: The point (3,) m, in b.
        offset: m along the normal.
    """

    point_a: Vector
    normal_a: Vector
    point_b: Vector
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class AxesAngle(_Cosine):
    """Two directions at an angle: u_A · w_B = cosine.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        axis_a: u (3,), in a; its length does not count.
        axis_b: w (3,), in b; likewise.
        cosine: Of the angle; 0 where they are perpendicular. At 1 and −1 the row has no gradient: parallel directions
            take two rows with perpendiculars.
    """

    axis_a: Vector
    axis_b: Vector
    cosine: float = 0.0


@dataclass(frozen=True, eq=False)
class Distance(_Length):
    """Two points at a distance: ‖p_B − p_A‖ = length.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        point_a: (3,) m, in a.
        point_b: (3,) m, in b.
        length: m, above zero: at zero the row has no direction, and three planes through the point hold it.

    Raises:
        ValueError: The length is not above zero.
    """

    point_a: Vector
    point_b: Vector
    length: float

    def __post_init__(self) -> None:
        """Refuse what has no direction."""
        _positive("the length of a distance", self.length)


@dataclass(frozen=True, eq=False)
class PointLineDistance(_Length):
    """A point of b at a distance from a line of a.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        point_a: On the line (3,) m, in a.
        axis_a: Of the line (3,), in a; its length does not count.
        point_b: The point (3,) m, in b.
        distance: m, above zero: at zero the row has no direction, and two planes through the line hold the point.

    Raises:
        ValueError: The distance is not above zero.
    """

    point_a: Vector
    axis_a: Vector
    point_b: Vector
    distance: float

    def __post_init__(self) -> None:
        """Refuse what has no direction."""
        _positive("the distance of a point from a line", self.distance)


@dataclass(frozen=True, eq=False)
class LineDistance(_Length):
    """Two crossed lines whose common perpendicular has a length and a sign.

    (u_A × w_B)/‖u_A × w_B‖ · (p_B − p_A) = distance. Lines that are parallel have no such direction.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        point_a: On a's line (3,) m, in a.
        axis_a: u (3,), in a; its length does not count.
        point_b: On b's line (3,) m, in b.
        axis_b: w (3,), in b; likewise.
        distance: m, positive where b's line lies from a's along u × w.
    """

    point_a: Vector
    axis_a: Vector
    point_b: Vector
    axis_b: Vector
    distance: float


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A measured freedom of b relative to a.

    Attributes:
        kind: "angle": turn of ref_b against ref_a about axis_a by the right hand, unwrapped over any number of turns;
            "distance": axis_a · (p_B − p_A); "length": ‖p_B − p_A‖; "spin" has a rate alone, axis_a · (ω_B − ω_A): its
            value is 0 (three of them, across, bear the rotor inertia of a ball joint).
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        point_a: (3,) m, in a.
        axis_a: Unit vector (3,), in a.
        point_b: (3,) m, in b.
        ref_a: Perpendicular to the axis (3,), in a.
        ref_b: Perpendicular to the axis (3,), in b; the angle is 0 where it coincides with ref_a.
    """

    kind: str
    a: int
    b: int
    point_a: Vector
    axis_a: Vector
    point_b: Vector
    ref_a: Vector = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    ref_b: Vector = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))

    @property
    def unit(self) -> str:
        """The value's unit: "rad" or "m"."""
        return "rad" if self.kind == "angle" else "m"


@dataclass(frozen=True, eq=False)
class Coupler(Primitive):
    """A sum of coordinates that stays constant: Σ coefficient · coordinate = constant.

    Screws, ratios about a carrier, mimics and differentials are such sums. The residual has the unit of the first
    coordinate; the other coefficients turn theirs into it.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        terms: (coefficient, coordinate) each; the coordinates may be those of further bodies.
        constant: In the unit of the first coordinate.
    """

    terms: tuple[tuple[float, Coordinate], ...]
    constant: float = 0.0

    @property
    def unit(self) -> str:
        """The residual's unit."""
        return self.terms[0][1].unit

    @property
    def bodies(self) -> tuple[int, ...]:
        """All bodies that take part."""
        return tuple(dict.fromkeys(i for _, c in self.terms for i in (c.a, c.b)))


@dataclass(frozen=True, eq=False)
class FunctionCoupler(Primitive):
    """One coordinate as a function of another: driven = curve(driver) + constant, as of a cam and its follower.

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        driver: The coordinate on which the other depends, rad or m.
        driven: The coordinate that follows, rad or m; the residual has its unit.
        curve: The function.
        constant: In the unit of the driven coordinate.
    """

    driver: Coordinate
    driven: Coordinate
    curve: Curve
    constant: float = 0.0

    @property
    def unit(self) -> str:
        """The residual's unit."""
        return self.driven.unit

    @property
    def bodies(self) -> tuple[int, ...]:
        """All bodies that take part."""
        return tuple(dict.fromkeys((self.driver.a, self.driver.b, self.driven.a, self.driven.b)))


@dataclass(frozen=True, eq=False)
class ConstantVelocity(_Cosine):
    """No twist between two shafts, whatever the angle between them: first_A · second_B = second_A · first_B.

    With a point on a point it is the joint of a cardan shaft without its unevenness. `first` and `second` are unit
    vectors perpendicular to the shaft's axis and to each other, and the same in both frames where the shafts are in
    line (first × second is the axis).

    Attributes:
        a: The first body, −1 for the world.
        b: The second body, −1 for the world.
        first_a: (3,), in a.
        second_a: (3,), in a.
        first_b: (3,), in b.
        second_b: (3,), in b.
    """

    first_a: Vector
    second_a: Vector
    first_b: Vector
    second_b: Vector


@dataclass(frozen=True, eq=False)
class WheelPair(Primitive):
    """Turns of b are `ratio` times those of a, both counted from the line between their axes.

    For what a carrier holds at a distance: belts and chains, worms, crossed helical gears. The line is the common
    perpendicular of the axes, which are parallel or crossed but do not meet. The residual is b's turn.

    Attributes:
        a: The first wheel, −1 for the world.
        b: The second wheel, −1 for the world.
        point_a: Anywhere on a's axis (3,) m, in a.
        axis_a: (3,), in a; its length does not count.
        point_b: Anywhere on b's axis (3,) m, in b.
        axis_b: (3,), in b; likewise.
        ratio: Turns of b for one of a, with a sign, each turn being counted about its own axis.

    Raises:
        ValueError: The ratio is zero or not finite.
    """

    point_a: Vector
    axis_a: Vector
    point_b: Vector
    axis_b: Vector
    ratio: float

    @property
    def unit(self) -> str:
        """The residual's unit."""
        return "rad"

    @property
    def wheels(self) -> tuple[tuple[int, Vector], ...]:
        """Both bodies."""
        return ((self.a, self.axis_a), (self.b, self.axis_b))

    def __post_init__(self) -> None:
        """Refuse what couples nothing."""
        if not math.isfinite(self.ratio) or self.ratio == 0.0:
            raise ValueError(f"the ratio of a pair of wheels must be a number other than zero, not {self.ratio}")


@dataclass(frozen=True, eq=False)
class GearPair(_Length):
    """A spur, internal or bevel pair rolling at the line of centres (Vlasenko & Kasper, eqs. 5, 29, 34).

    The residual is taken at the pitch circle. The phase is that of the poses in which the model is built.

    Attributes:
        a: The body of the first wheel, −1 for the world.
        b: The body of the second wheel, −1 for the world.
        kind: "spur", "internal" (a is the annulus where radius_a > radius_b, else b) or "bevel".
        point_a: On a's axis (3,) m, in a; of spur and internal pairs in the common plane of the wheels.
        axis_a: Unit vector (3,), in a.
        point_b: On b's axis (3,) m, in b.
        axis_b: Unit vector (3,), in b.
        ratio: r_b / r_a > 0; the pitch cones of a bevel pair follow from it and the shaft angle.

    Raises:
        ValueError: The kind is none, or the ratio cannot roll.
    """

    kind: str
    point_a: Vector
    axis_a: Vector
    point_b: Vector
    axis_b: Vector
    ratio: float

    @property
    def wheels(self) -> tuple[tuple[int, Vector], ...]:
        """Both bodies."""
        return ((self.a, self.axis_a), (self.b, self.axis_b))

    def __post_init__(self) -> None:
        """Refuse pairs that cannot roll."""
        if self.kind not in ("spur", "internal", "bevel"):
            raise ValueError(f'a gear pair is "spur", "internal" or "bevel", not "{self.kind}"')
        _positive("the ratio of a gear pair", self.ratio)
        if self.kind == "internal" and self.ratio == 1.0:
            raise ValueError("an internal gear pair needs wheels of different radii: its ratio is 1")


@dataclass(frozen=True, eq=False)
class RackPinion(_Length):
    """A pinion a that rolls on a rack b. The residual is the rack's travel.

    Attributes:
        a: The pinion, −1 for the world.
        b: The rack, −1 for the world.
        point_a: On the pinion's axis (3,) m, in a.
        axis_a: Of the pinion (3,), in a; its length does not count.
        radius: Of the pitch circle, m.
        point_b: On the pitch line (3,) m, in b.
        axis_b: Along the pitch line (3,), in b, across the pinion's axis.

    Raises:
        ValueError: The radius is not above zero.
    """

    point_a: Vector
    axis_a: Vector
    radius: float
    point_b: Vector
    axis_b: Vector

    @property
    def wheels(self) -> tuple[tuple[int, Vector], ...]:
        """The pinion."""
        return ((self.a, self.axis_a),)

    def __post_init__(self) -> None:
        """Refuse a pinion that cannot roll."""
        _positive("the radius of a pinion", self.radius)


def _positive(what: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{what} must be above zero, not {value}")
