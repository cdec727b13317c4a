"""How it moves: bodies, joints and couplings, each with the way back to its mates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cadbridge.assembly import GROUND, Assembly, Coupling, Drive, Limit, Mate, MateKind
from cadbridge.findings import Finding
from cadbridge.frames import Matrix, Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.joint_types import JOINT_TYPES, JointType
from cadbridge.mechanism.masses import ComponentMass
from cadbridge.mechanism.rows import length_of
from cadbridge.shown import Shown, sentence
from cadbridge.units import EARTH
from cadbridge.wording import count
from solver.constraints import Primitive

if TYPE_CHECKING:
    from cadbridge.mass import PartMass

GROUND_BODY = -1
"""Index of the ground among the bodies."""


@dataclass(frozen=True, eq=False)
class Body:
    """Components that their mates lock together.

    Attributes:
        name: Its name, one among all bodies.
        components: Their names; the first gives the body its frame.
        instances: The names of all instances.
        X_WB: Its pose in the world as designed: B is the frame C of the first component.
        mass: In B; None where a density is unknown.
        mass_source: "mesh", "brep", "declared" or "override".
    """

    name: str
    components: tuple[str, ...]
    instances: tuple[str, ...]
    X_WB: Pose
    mass: MassProperties | None
    mass_source: str | None

    def __repr__(self) -> str:
        mass = "mass unknown" if self.mass is None else f"{self.mass.mass:.4g} kg"
        return sentence("Body", self.name, count(len(self.components), "component"), mass)


@dataclass(frozen=True, eq=False)
class Joint:
    """What is left between two bodies after collapsing their mates.

    Its coordinate (revolute: rad, prismatic: m) is 0 at the designed pose and positive by the right hand about J's z, B
    relative to A.

    Attributes:
        name: Its name, one among all joints.
        type: One of `JOINT_TYPES`; what is no lower pair is "universal" or "generic".
        a: Index of body A in `Mechanism.bodies`, −1 for the ground.
        b: Index of body B.
        X_AJ: The joint's frame J in A; z is the axis.
        X_BJ: J in B; at the designed pose both coincide in the world.
        primitives: The equations that hold it, between body indices and in body frames.
        freedom: (6, k): the twists [v at J's origin; ω] of B relative to A that it leaves free, in J.
        mates: All mates between the two bodies.
        against: Those of them whose value counts the other way than the joint's.
        limit: The range of its coordinate.
        pitch: Advance of a screw, m/rad.
        damping: N m s/rad (N s/m).
        friction: Dry friction, N m (N).
        armature: kg m² (kg).
        stiffness: Of a spring, N m/rad (N/m).
        rest: Where the spring is slack, rad (m).
    """

    name: str
    type: str
    a: int
    b: int
    X_AJ: Pose
    X_BJ: Pose
    primitives: tuple[Primitive, ...]
    freedom: Matrix
    mates: tuple[str, ...]
    limit: Limit | None = None
    pitch: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    against: tuple[str, ...] = ()

    def __repr__(self) -> str:
        ends = ("ground" if k == GROUND_BODY else f"body {k}" for k in (self.a, self.b))
        return sentence("Joint", self.name, self.type, " – ".join(ends), count(len(self.mates), "mate"))

    @property
    def kind(self) -> JointType:
        """What its type leaves free."""
        return JOINT_TYPES[self.type]

    @property
    def coordinate(self) -> str | None:
        """The kind of its coordinate, "angle" (rad) or "distance" (m); None where it has no single freedom."""
        return self.kind.coordinate


@dataclass(frozen=True, eq=False)
class BodyCoupling:
    """A coupling between bodies, ready for the solver.

    Attributes:
        name: Its name.
        coupling: The coupling of the assembly that it comes from.
        primitive: Its equation.
    """

    name: str
    coupling: Coupling
    primitive: Primitive

    def __repr__(self) -> str:
        return sentence("BodyCoupling", self.name, self.coupling.kind.value)


@dataclass(frozen=True, eq=False)
class MateRows:
    """A mate as equations between components, in component frames C.

    Attributes:
        mate: The mate's name.
        a: Index into `Mechanism.component_names`, −1 for the ground.
        b: The same of the second component.
        primitives: The equations.
    """

    mate: str
    a: int
    b: int
    primitives: tuple[Primitive, ...]

    def __repr__(self) -> str:
        return sentence("MateRows", self.mate, count(self.rows, "row"))

    @property
    def rows(self) -> int:
        """Scalar equations of the mate."""
        return sum(p.rows for p in self.primitives)


@dataclass(frozen=True, eq=False)
class Mechanism(Shown):
    """Bodies, joints and couplings; and the mates as read, row by row, for diagnosis and `collapse=False`.

    Attributes:
        assembly: What it was made of.
        bodies: The moving bodies; joints name them by index.
        ground: The body that stands still, index −1.
        joints: What is left between bodies.
        couplings: Gears and other couplings between bodies.
        mate_rows: The mates and couplings as equations.
        component_names: The moving (not grounded) components, in order.
        X_WC: Their poses as designed.
        body_of: The index of each component's body.
        part_masses: Masses of all parts.
        component_masses: Masses of all components by name.
        drives: What moves joints.
        locked: By body of several components, the names of these: their mates lock them together.
        gravity: m/s², world axes: the source's, else 9.81 against z.
        findings: What was found wrong or remarkable in building; those of the assembly are its own.
        length_of_whole: m, the characteristic length of what this is a part of; None where it is a whole.
    """

    assembly: Assembly
    bodies: tuple[Body, ...]
    ground: Body
    joints: tuple[Joint, ...]
    couplings: tuple[BodyCoupling, ...]
    mate_rows: tuple[MateRows, ...]
    component_names: tuple[str, ...]
    X_WC: tuple[Pose, ...]
    body_of: dict[str, int]
    part_masses: tuple[PartMass, ...]
    component_masses: Mapping[str, ComponentMass]
    drives: tuple[Drive, ...] = ()
    locked: tuple[tuple[str, ...], ...] = ()
    gravity: tuple[float, float, float] = (0.0, 0.0, -EARTH)
    findings: tuple[Finding, ...] = ()
    length_of_whole: float | None = None

    def __repr__(self) -> str:
        counts = [("joint", self.joints), ("coupling", self.couplings), ("finding", self.findings)]
        bodies = count(len(self.bodies), "moving body", "moving bodies")
        return sentence("Mechanism", self.assembly.name, bodies, *(count(len(items), noun) for noun, items in counts))

    @cached_property
    def floats(self) -> dict[int, Mate]:
        """The FREE mate of each body that one hangs on the ground: what resists its motion stands there."""
        found = {}
        for mate in self.assembly.mates:
            ends = [self.body_of.get(f.component, GROUND_BODY) for f in (mate.a, mate.b)]
            if mate.kind is MateKind.FREE and ends[0] == GROUND_BODY != ends[1]:
                found[ends[1]] = mate
        return found

    @cached_property
    def units(self) -> dict[str, int]:
        """The index of every component among `component_names`, GROUND_BODY for grounded ones and the ground."""
        grounded = {c.name: GROUND_BODY for c in self.assembly.components if c.grounded}
        return {GROUND: GROUND_BODY, **grounded, **{name: i for i, name in enumerate(self.component_names)}}

    def X_WB(self, body: int) -> Pose:
        """Give the pose as designed of the frame that primitives and joints use of a body.

        Args:
            body: Its index; −1 is the ground, whose frame is the world.

        Returns:
            X_WB.
        """
        return Pose() if body == GROUND_BODY else self.bodies[body].X_WB

    def body_name(self, body: int) -> str:
        """Name a body.

        Args:
            body: Its index, −1 for the ground.

        Returns:
            The name; "ground" for the ground.
        """
        return self.ground.name if body == GROUND_BODY else self.bodies[body].name

    def joint(self, name: str) -> Joint:
        """Look a joint up by its own name.

        Args:
            name: The name.

        Returns:
            The joint.

        Raises:
            KeyError: There is none of that name.
        """
        return self._joints_by_name[name]

    def joint_named(self, name: str) -> Joint | None:
        """Look up the joint that a name means.

        Args:
            name: Its own, that of a mate that it holds, one that such a mate asks for, or its drive's.

        Returns:
            The joint; None where there is none.
        """
        return self._joints_meant.get(name)

    @cached_property
    def home(self) -> dict[str, float]:
        """The home pose by the joints' own names, rad and m; by the names of the source where these mean no joint."""
        return self.by_joint(self.assembly.home)

    def by_joint(self, values: Mapping[str, float]) -> dict[str, float]:
        """Give values by the joints' own names, as these count.

        Args:
            values: By names as of `joint_named`.

        Returns:
            The values; a name that means no joint stays.
        """
        meant = ((self.joint_named(name), name, value) for name, value in values.items())
        return {name if joint is None else joint.name: value * self.sense(name) for joint, name, value in meant}

    def said_twice(self, values: Mapping[str, float]) -> tuple[tuple[str, str, str], ...]:
        """Find the joints to which two of their names give different values.

        Args:
            values: By names as of `joint_named`.

        Returns:
            The joint's own name, the first of its names among the values, and one whose value differs from that one's.
        """
        first: dict[str, str] = {}
        found = []
        for name, value in values.items():
            joint = self.joint_named(name)
            if joint is None:
                continue
            other = first.setdefault(joint.name, name)
            # Degrees and mm in rad and m: rounding.
            mine, its = value * self.sense(name), values[other] * self.sense(other)
            if name != other and not math.isclose(mine, its, rel_tol=1e-9, abs_tol=1e-12):
                found.append((joint.name, other, name))
        return tuple(found)

    def sense(self, name: str) -> float:
        """Say which way a value counts that is given by a name.

        Args:
            name: As of `joint_named`.

        Returns:
            −1 by the name of a mate (or by one that it asks for) that counts against its joint, else 1.
        """
        joint = self.joint_named(name)
        if joint is None or name == joint.name or not joint.against:
            return 1.0
        asked = self._names_asked
        mate = name if name in joint.mates else next((m for m in joint.mates if asked.get(m) == name), None)
        return -1.0 if mate in joint.against else 1.0

    def drive_named(self, name: str) -> Drive | None:
        """Look up the drive that a name means.

        Args:
            name: A name.

        Returns:
            The drive; None where the name is a joint's or a mate's too, or no drive's.
        """
        joint = self.joint_named(name)
        if joint is None or name == joint.name or name in joint.mates:
            return None
        return next((drive for drive in self.drives if drive.name == name), None)

    @cached_property
    def _joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in reversed(self.joints)}

    @cached_property
    def _names_asked(self) -> dict[str, str]:
        """By mate the name that its joint shall have."""
        return self.assembly.joint_names | {m.name: m.joint_name for m in self.assembly.mates if m.joint_name}

    @cached_property
    def _joints_meant(self) -> dict[str, Joint]:
        asked = self._names_asked
        known = {asked[mate]: joint for joint in self.joints for mate in joint.mates if mate in asked}
        known |= {mate: joint for joint in self.joints for mate in joint.mates} | self._joints_by_name
        return {drive.name: known[drive.joint] for drive in self.drives if drive.joint in known} | known

    @cached_property
    def length_scale(self) -> float:
        """A characteristic length in m that weighs rotations against translations."""
        if self.length_of_whole is not None:
            return self.length_of_whole
        return length_of([p for rows in self.mate_rows for p in rows.primitives], self.X_WC)
