"""What the diagnosis says, in the terms of `cadbridge.check/1`."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cadbridge.findings import Finding
from cadbridge.mass import Overlap
from cadbridge.shown import Shown, sentence
from cadbridge.wording import count


@dataclass(frozen=True, slots=True)
class Mobility:
    """How many freedoms a mechanism has, and how its equations come to that.

    Attributes:
        dof: 6·moving − rank, at the designed pose.
        rows: Scalar equations of the mates as read.
        rank: How many of them are independent.
        redundant: rows − rank.
        gruebler: 6·moving − rows, which counts redundant equations as if they held something.
        finite: Freedoms that go on beyond the first instant, at a generic pose near by.
        generic_rank: 6·moving − finite.
    """

    dof: int
    rows: int
    rank: int
    redundant: int
    gruebler: int
    finite: int = 0
    generic_rank: int = 0


@dataclass(frozen=True, eq=False)
class Freedom:
    """One independent motion, described by the joint coordinate that leads it.

    Attributes:
        words: The motion in words.
        kind: What the leader does: "turn" (rad), "slide" (m), "screw" (rad), "move" or "float".
        leader: The joint that leads it; None where none does.
        bodies: Names of the bodies that move.
        finite: Whether it goes on beyond the first instant.
        count: How many freedoms it stands for: 6 of a group that nothing holds, else 1.
        rates: Of joints with one freedom, for 1 of the leader (rad or m).
        twists: By body its [v of the body's origin; ω] (6,) in world axes, m and rad, for 1 of the leader.
        carried: So many more bodies hang on these and move with them as one: in long chains they are counted, for their
            lists would grow with the square.
        spin: Whether it only turns one body about an axis about which that is balanced, and no drive moves it: a
            roller, a wheel, a pin, a rod between two ball joints. Nothing else moves with it.
    """

    words: str
    kind: str
    leader: str | None
    bodies: tuple[str, ...]
    finite: bool
    count: int = 1
    rates: dict[str, float] = field(default_factory=dict)
    twists: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    carried: int = 0
    spin: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Mates whose rows depend on each other.

    Attributes:
        mates: Their names, sorted.
        rows: How many rows they have.
        rank: How many of these are independent.
    """

    mates: tuple[str, ...]
    rows: int
    rank: int


@dataclass(frozen=True, slots=True)
class Redundancy:
    """A mate that repeats what others already hold, and what to do about it.

    Attributes:
        mate: Its name.
        rows: How many of its rows repeat others.
        of: How many rows it has.
        duplicates: A minimal set of mates that already hold these rows.
        kind: "benign", or "conflicting" where the rows disagree at the designed pose.
        residual_mm: By how much its rows that are lengths disagree, mm.
        residual_deg: By how much its rows that are angles disagree, degrees.
        deletable: Whether it can go as a whole, together with all other redundancies so marked. Of others that could go
            alone some can: they stand in `Diagnosis.deletion_choices`.
        weaker: Which mate would do in its place if it stays, whatever of the rest of this advice is followed; None
            where none does.
        alone: Whether it could go if nothing else is changed.
        carries: What beside its rows would go with it, such as "its limit"; such a mate is neither deletable nor
            weakened.
    """

    mate: str
    rows: int
    of: int
    duplicates: tuple[str, ...]
    kind: str
    residual_mm: float
    residual_deg: float
    deletable: bool = False
    weaker: str | None = None
    alone: bool = False
    carries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Repetition:
    """A mate of a dependent group and how much of it the others hold, whatever the order of the file.

    Attributes:
        mate: Its name.
        of: How many rows it has.
        repeated: How many of them the others hold too.
        deletable: Whether it could go, carrying nothing, together with all other repetitions so marked.
        weaker: The mate that would do in its place if nothing else is changed; None where none does.
        alone: Whether it could go if nothing else is changed.
        carries: What beside its rows would go with it.
    """

    mate: str
    of: int
    repeated: int
    deletable: bool
    weaker: str | None
    alone: bool = False
    carries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletionChoice:
    """Redundant mates that could each go alone, and not all together.

    Attributes:
        mates: Their names.
        count: Any so many of them can go; None where it matters which.
        sets: The sets that can go, where it matters.
    """

    mates: tuple[str, ...]
    count: int | None
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class DeletableSet:
    """Mates of one group that can be deleted together without changing the motion.

    Attributes:
        mates: Their names.
        rows: How many rows they have.
    """

    mates: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Share:
    """Whether the share of one of several mates in a joint's wrench is determined.

    Attributes:
        mate: Its name.
        determined: Whether all of it is.
        force: Whether each component of its force is, along x, y, z of the joint's frame.
        torque: Whether each component of its torque about the mate's point is, along the same axes.
    """

    mate: str
    determined: bool
    force: tuple[bool, bool, bool]
    torque: tuple[bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Freed:
    """Equations of a mate to free so that a joint's shares become determined.

    Attributes:
        mate: Its name.
        equations: In words, such as "travel along z", along the axes of the joint's frame.
        all: Whether the mate has no others.
    """

    mate: str
    equations: tuple[str, ...]
    all: bool


@dataclass(frozen=True, slots=True)
class Reaction:
    """Whether a joint's wrench is determined, or an artefact of redundancy.

    Attributes:
        joint: The joint's name.
        determined: Whether all of it is.
        force: Whether each component of the force is, along x, y, z of the joint's frame.
        torque: Whether each component of the torque about the joint's origin is, along the same axes.
        shares: Those of its mates, where several make it.
        free: The equations that keep these from being determined between the two bodies, loops aside.
    """

    joint: str
    determined: bool
    force: tuple[bool, bool, bool] = (True, True, True)
    torque: tuple[bool, bool, bool] = (True, True, True)
    shares: tuple[Share, ...] = ()
    free: tuple[Freed, ...] = ()


@dataclass(frozen=True, slots=True)
class Gear:
    """The numbers of a coupling beside each other.

    Attributes:
        name: The coupling's name.
        kind: Its kind.
        ratio: As given.
        teeth: Of a and b, as given.
        radii: Of a and b, as given, m.
        pitch_radii: Of a and b, as ratio and centre distance make them, m.
        centre_distance: Between the axes as placed, m.
        shaft_angle: Between the axes as placed, rad.
        agrees: Whether no two numbers contradict each other.
        bodies: The names of the bodies of a and b.
    """

    name: str
    kind: str
    ratio: float | None
    teeth: tuple[int, int] | None
    radii: tuple[float | None, float | None]
    pitch_radii: tuple[float, float] | None
    centre_distance: float | None
    shaft_angle: float | None
    agrees: bool
    bodies: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Transmission:
    """The ratio between a motor's joint and another.

    Attributes:
        motor: The joint of the motor.
        axis: The joint that it turns.
        ratio: The rate of `axis` for a rate of 1 of `motor`, other motors at rest; signed. In loops other than of gears
            it holds at this pose.
        unit: "" between turns or between slides, "m/rad" or "rad/m".
    """

    motor: str
    axis: str
    ratio: float
    unit: str


@dataclass(frozen=True, slots=True)
class LockedTrains:
    """Couplings that lock each other: two ways round ask for different ratios.

    Attributes:
        mates: The couplings.
        joints: Two joints between which they disagree; two mates where a weld makes their joints one.
        ratios: The two ratios at which the second should go for 1 of the first.
        units: "rad" or "m", of the value of the first and of the second.
        mismatch: What a turn of the first (1 m of it where it slides) would leave between the two ways round, in the
            unit of the second.
    """

    mates: tuple[str, ...]
    joints: tuple[str, str]
    ratios: tuple[float, float]
    units: tuple[str, str]
    mismatch: float


@dataclass(frozen=True)
class Diagnosis(Shown):
    """What a mechanism can do, what holds it twice, and what a rigid model can tell of its forces.

    Attributes:
        mobility: Freedoms, equations, rank.
        groups: Mates that depend on each other.
        redundancies: Mates that repeat others, in the order of the mates.
        reactions: Of each joint, whether it is determined.
        findings: What was found wrong or remarkable; those of assembly and mechanism are theirs.
        freedoms: The independent motions.
        repetitions: Every mate of a group, whatever the order of the file.
        deletable_sets: Mates that can be deleted together.
        deletion_choices: Mates of which some can go, and not all.
        gears: The numbers of all couplings.
        transmissions: Ratios between motors and joints.
        locked_trains: Couplings that lock each other.
        overlaps: Solids that reach into each other.
    """

    mobility: Mobility
    groups: tuple[Group, ...]
    redundancies: tuple[Redundancy, ...]
    reactions: tuple[Reaction, ...]
    findings: tuple[Finding, ...]
    freedoms: tuple[Freedom, ...] = ()
    repetitions: tuple[Repetition, ...] = ()
    deletable_sets: tuple[DeletableSet, ...] = ()
    deletion_choices: tuple[DeletionChoice, ...] = ()
    gears: tuple[Gear, ...] = ()
    transmissions: tuple[Transmission, ...] = ()
    locked_trains: tuple[LockedTrains, ...] = ()
    overlaps: tuple[Overlap, ...] = ()

    def __repr__(self) -> str:
        m = self.mobility
        conflicts = sum(1 for r in self.redundancies if r.kind == "conflicting")
        return sentence(
            "Diagnosis", "", count(m.dof, "degree") + " of freedom", f"{m.redundant} of {m.rows} equations redundant",
            count(conflicts, "conflicting mate"), count(len(self.findings), "finding"),
        )  # fmt: skip
