"""How it moves: bodies, joints and couplings, each with the way back to its mates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from cadbridge.assembly import GROUND, Assembly, Coupling, Drive, Limit, Mate, MateKind
from cadbridge.findings import Finding
from cadbridge.frames import Matrix, Pose
from cadbridge.inertia import MassProperties
from cadbridge.mechanism.joint_types import JOINT_TYPES, JointType
from cadbridge.mechanism.masses import ComponentMass
from cadbridge.shown import Shown, sentence
from cadbridge.wording import count
from solver.constraints import Primitive

if TYPE_CHECKING:
    from cadbridge.mass import PartMass

GROUND_BODY = -1
"""Index of the ground among the bodies."""


@dataclass(frozen=True, eq=False)
class Body:
    """Components that their mates lock together.

    `X_WB` is the pose as designed: the origin is that of the first component (its frame C).
    `mass` is in frame B, None where a density is unknown. `mass_source`: mesh, brep, declared or override.
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

    `type` is one of JOINT_TYPES; one that is no lower pair is universal or generic.
    Indices into `Mechanism.bodies`, GROUND_BODY for the ground. X_AJ and X_BJ place the joint frame
    J (z is the axis) in the bodies' frames A and B; at the designed pose they coincide.
    `primitives` hold the joint, in terms of body indices and body frames.
    `freedom` (6, k): twists (v at J's origin; ω) of B relative to A in frame J.
    The joint's coordinate (revolute: rad, prismatic: m) is 0 at the designed pose, positive by
    the right hand about J's z, B relative to A.
    `mates` are all mates between the two bodies. `stiffness` and `rest` are those of a spring (see `Mate`).
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
    """A coupling between bodies, ready for the solver; `coupling` is the mate it came from."""

    name: str
    coupling: Coupling
    primitive: Primitive

    def __repr__(self) -> str:
        return sentence("BodyCoupling", self.name, self.coupling.kind.value)


@dataclass(frozen=True, eq=False)
class MateRows:
    """A mate as primitives between components (indices into `Mechanism.component_names`, -1 ground).

    Frames are component frames C. `rows` is their number.
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
    """Bodies, joints, couplings; and the mates as read, row by row, for diagnosis and `collapse=False`.

    `body_of[component]` is a body index (GROUND_BODY for the ground); `component_names` are the
    moving (not grounded) components in order, `X_WC` their designed poses.
    `part_masses` are those of all parts, `component_masses` those of all components, in their frames C.
    `collapsed` says whether joints stand for the mates (True) or every row is kept.
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
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    findings: tuple[Finding, ...] = ()

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
        """The pose as designed of the frame that primitives and joints use of a body; the ground's is the world."""
        return Pose() if body == GROUND_BODY else self.bodies[body].X_WB

    def body_name(self, body: int) -> str:
        """The name of a body by its index, "ground" for the ground."""
        return self.ground.name if body == GROUND_BODY else self.bodies[body].name

    def joint(self, name: str) -> Joint:
        """The joint of that name; KeyError where there is none."""
        return self._joints_by_name[name]

    def joint_named(self, name: str) -> Joint | None:
        """The joint that a name means: its own, a mate's that it holds, one that such a mate asks for, its drive's."""
        return self._joints_meant.get(name)

    def drive_named(self, name: str) -> Drive | None:
        """The drive that a name means; None where it is a joint's or a mate's too, or no drive's."""
        joint = self.joint_named(name)
        if joint is None or name == joint.name or name in joint.mates:
            return None
        return next((drive for drive in self.drives if drive.name == name), None)

    @cached_property
    def _joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in reversed(self.joints)}

    @cached_property
    def _joints_meant(self) -> dict[str, Joint]:
        asked = self.assembly.joint_names | {m.name: m.joint_name for m in self.assembly.mates if m.joint_name}
        known = {asked[mate]: joint for joint in self.joints for mate in joint.mates if mate in asked}
        known |= {mate: joint for joint in self.joints for mate in joint.mates} | self._joints_by_name
        return {drive.name: known[drive.joint] for drive in self.drives if drive.joint in known} | known

    @property
    def length_scale(self) -> float:
        """A characteristic length in m that weighs rotations against translations."""
        points = np.array([X.p for X in self.X_WC] + [np.zeros(3)])
        span = float(np.linalg.norm(np.ptp(points, axis=0)))
        return span if span > 1e-6 else 1.0
