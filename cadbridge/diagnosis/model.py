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
    """`dof` = 6·moving − rank; `rows` of the mates as read; `gruebler` = 6·moving − rows.

    `finite` freedoms go on beyond the first instant, at a generic pose near by; `generic_rank` is 6·moving − finite.
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

    `count` freedoms (6 of a group that nothing holds, else 1) of `bodies` (names). `leader` is the joint's name and
    `kind` what it does: turn (rad), slide (m), screw (rad), move, float. `rates` of joints with one freedom,
    `twists` (6,) of bodies by name [v of the body's origin; ω] in world axes, m and rad, all per unit of the
    leader. `finite` says whether it goes on beyond the first instant. `carried` more bodies hang on these and move
    with them as one rigid body: in long chains they are counted, for their lists would grow with the square.
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


@dataclass(frozen=True, slots=True)
class Group:
    """Mates whose rows depend on each other, sorted by name."""

    mates: tuple[str, ...]
    rows: int
    rank: int


@dataclass(frozen=True, slots=True)
class Redundancy:
    """A mate of which `rows` of `of` repeat what `duplicates` (a minimal set) already hold.

    `deletable`: it can go as a whole, together with all other redundancies so marked. Of others that could go alone
    some can: they stand in `Diagnosis.deletion_choices`. `weaker` says which mate would do in its place if it stays,
    where one does, whatever of the rest of this advice is followed. `alone`: it could go if nothing else is changed.
    `carries`: what beside its rows would go with it ("its limit"); such a mate is neither deletable nor weakened.
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
    """A mate of a group: `repeated` of its `of` rows are held by the others too, whatever the order of the file.

    `alone`: it could go if nothing else is changed; `deletable`: so, carrying nothing, and together with all other
    repetitions so marked. `weaker`: the mate that would do in its place if nothing else is changed.
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
    """Redundant mates that could each go alone, and not all: any `count` of them, or (None) one of `sets`."""

    mates: tuple[str, ...]
    count: int | None
    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class DeletableSet:
    """Mates of one group, with `rows` rows, that can be deleted together without changing the motion."""

    mates: tuple[str, ...]
    rows: int


@dataclass(frozen=True, slots=True)
class Share:
    """Whether the share of one of several mates in a joint's wrench is determined.

    `force` and `torque` say it of each component, at the mate's point along the axes x, y, z of the joint's frame.
    """

    mate: str
    determined: bool
    force: tuple[bool, bool, bool]
    torque: tuple[bool, bool, bool]


@dataclass(frozen=True, slots=True)
class Freed:
    """Equations of a mate to free ("travel along z"), along the axes of the joint's frame; `all`: it has no others."""

    mate: str
    equations: tuple[str, ...]
    all: bool


@dataclass(frozen=True, slots=True)
class Reaction:
    """Whether a joint's wrench is determined, or an artefact of redundancy.

    `force` and `torque` say it of each component, at the joint's origin along the axes x, y, z of its frame.
    `shares` are those of its mates where several make it, `free` the equations that keep them from being determined
    between these two bodies (loops aside).
    """

    joint: str
    determined: bool
    force: tuple[bool, bool, bool] = (True, True, True)
    torque: tuple[bool, bool, bool] = (True, True, True)
    shares: tuple[Share, ...] = ()
    free: tuple[Freed, ...] = ()


@dataclass(frozen=True, slots=True)
class Gear:
    """A coupling's numbers beside each other: `ratio`, `teeth` (a, b), `radii` as given (m), the axes as placed.

    `pitch_radii` (m) follow from ratio and `centre_distance` (m); `shaft_angle` rad; `agrees` where no two numbers
    contradict each other; `bodies` are the names of a's and b's.
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
    """`ratio`: the rate of the joint `axis` for a rate of 1 of the joint `motor`, other motors at rest; signed.

    `unit` is "" between turns (or slides), m/rad or rad/m. In loops other than of gears it holds at this pose.
    """

    motor: str
    axis: str
    ratio: float
    unit: str


@dataclass(frozen=True, slots=True)
class LockedTrains:
    """Couplings that lock each other: of `joints` (first, second) the second should go at both `ratios` of the first.

    `mismatch` rad (of a slide: m) is what a turn of the first would leave between the two ways round.
    """

    mates: tuple[str, ...]
    joints: tuple[str, str]
    ratios: tuple[float, float]
    mismatch: float


@dataclass(frozen=True)
class Diagnosis(Shown):
    """Mobility, freedoms, dependent groups, redundant mates, reactions, gears, overlaps and findings."""

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
