"""What `fit` says: for each group of redundant equations the errors that count, the play needed, and the forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadbridge.assembly import Mate
from cadbridge.findings import Finding
from cadbridge.misfit.settings import Settings
from cadbridge.shown import Shown, sentence
from cadbridge.units import TO_MM
from cadbridge.wording import count


@dataclass(frozen=True, slots=True)
class Error:
    """How a face may be off.

    Attributes:
        component: Whose face it is; None stands for the teeth of a coupling.
        mates: The mates that take hold of it.
        kind: The way in which it is off.
        turns: Whether it is a turn.
        tolerance: By how much, m (rad of a turn), by rule or ISO 2768-1.
        share: Its part in the play needed at worst, 0 to 1.
    """

    component: str | None
    mates: tuple[str, ...]
    kind: str
    turns: bool
    tolerance: float
    share: float


@dataclass(frozen=True, slots=True)
class Term:
    """An error in a redundant equation.

    Attributes:
        component: Whose face it is; None stands for the teeth of a coupling.
        mates: The mates that take hold of it.
        kind: The way in which it is off.
        turns: Whether it is a turn.
        coefficient: What 1 m (or rad) of it adds to the equation's misfit, in its m or rad; the same number in mm/mm,
            mm/mrad, mrad/mm and mrad/mrad.
    """

    component: str | None
    mates: tuple[str, ...]
    kind: str
    turns: bool
    coefficient: float


@dataclass(frozen=True, slots=True)
class Equation:
    """A redundant equation, and the errors that it feels.

    Attributes:
        mate: The mate that it is of.
        kind: What it holds.
        turns: Whether it holds a turn.
        direction: Unit vector (3,) in the world.
        terms: The errors that it feels.
        misfit: What the designed pose leaves of it, m (rad where it turns).
        worst: What the errors may add to that.
    """

    mate: str
    kind: str
    turns: bool
    direction: tuple[float, float, float]
    terms: tuple[Term, ...]
    misfit: float
    worst: float


@dataclass(frozen=True, slots=True)
class PlayNeeded:
    """Play in each mate of a group, in each direction, so that it goes together; m.

    Attributes:
        designed: For the design itself.
        worst: The most that was found for errors in their zones.
        sufficient: What is enough for certain.
        squares: The root sum of squares.
        median: Half of the draws need no more; as the next two, to within a hundredth.
        most95: 95 % of the draws need no more.
        most997: 99.7 % of the draws need no more.
        together: The share of draws that the given play is enough for; None where none is given.
    """

    designed: float
    worst: float
    sufficient: float
    squares: float
    median: float
    most95: float
    most997: float
    together: float | None


@dataclass(frozen=True, slots=True)
class Load:
    """Force (N) or moment (N m, of a turn) at a mate, for errors that no play takes up.

    Attributes:
        mate: Its name.
        kind: Of the equation.
        turns: Whether it is a moment.
        stiffness: Of the mate, N/m or N m/rad.
        designed: By the misfit of the design.
        worst: With the worst errors beside it.
        squares: By the root sum of squares of the errors.
        weight: What it carries of the weights by stiffness; None where they are not known.
    """

    mate: str
    kind: str
    turns: bool
    stiffness: float
    designed: float
    worst: float
    squares: float
    weight: float | None


@dataclass(frozen=True, slots=True)
class Clearance:
    """How far a mate must let its sides be off.

    Attributes:
        mate: Its name.
        kind: Of the equation.
        turns: Whether it is a turn.
        worst: At worst, m (rad of a turn).
        squares: By the root sum of squares, m (rad).
    """

    mate: str
    kind: str
    turns: bool
    worst: float
    squares: float


@dataclass(frozen=True, slots=True)
class Alone:
    """Play in a few mates alone, all others of the group without any.

    Attributes:
        mates: The mates.
        needs: How much each of them needs.
    """

    mates: tuple[str, ...]
    needs: tuple[Clearance, ...]


@dataclass(frozen=True, slots=True)
class LiftOff:
    """How a contact that only pushes lifts off; 0 where it pushes, None where nothing keeps it from lifting further.

    Attributes:
        share: Of the draws in which it is open.
        designed: How far it is open with exact parts, m.
        most95: In 95 % of the draws it is open by no more, m.
        largest: The most that was drawn, m.
    """

    share: float
    designed: float | None
    most95: float | None
    largest: float | None


@dataclass(frozen=True, slots=True)
class PushLoad:
    """A force (N) or moment (N m) in a mate where contacts only push.

    Attributes:
        mate: Its name.
        kind: Of the equation.
        turns: Whether it is a moment.
        designed: With exact parts.
        most95: In 95 % of the draws it is no more.
        largest: The most that was drawn.
        off: How a contact lifts off; None of a mate that holds both ways.
    """

    mate: str
    kind: str
    turns: bool
    designed: float
    most95: float
    largest: float
    off: LiftOff | None


@dataclass(frozen=True, slots=True)
class OneSided:
    """A group where contacts only push.

    Attributes:
        loads: Of its mates.
        draws: How many were made.
        holds: Whether pushes alone balance the weights.
        play: What its mates need where contacts may lift off; None where the group is too large to compute it.
    """

    loads: tuple[PushLoad, ...]
    draws: int
    holds: bool
    play: PlayNeeded | None


@dataclass(frozen=True, eq=False)
class Change:
    """A weaker mate in place of one.

    Attributes:
        mate: The mate that it replaces.
        words: In hardware words.
        mates: Mates that hold what is kept, the first under the old name; none where the mate is left out.
    """

    mate: str
    words: str
    mates: tuple[Mate, ...]


@dataclass(frozen=True, eq=False)
class Release:
    """Changes that together leave no redundancy in a group and keep the mobility, as a new diagnosis has proved.

    Attributes:
        changes: The changes.
        left: The part of the stiffness of all mates that stays in the worst direction.
        along: The same for forces along (and torques about) those of the world's axes that the mates carry.
    """

    changes: tuple[Change, ...]
    left: float
    along: dict[str, float]


@dataclass(frozen=True, eq=False)
class Releases:
    """The stiffest releases of a group.

    Attributes:
        found: The releases, the stiffest first.
        compared: How many were compared.
        complete: Whether these are all that there are.
        body: The component at which stiffness counts.
        fixed: Mates that are not weakened: a drive, a coupling or a limit counts on their one freedom.
        refused: How many more were looked at and are not among them: the diagnosis of what they make contradicts them.
        reason: Why none were looked for, where some were asked for.
    """

    found: tuple[Release, ...]
    compared: int
    complete: bool
    body: str
    fixed: tuple[str, ...]
    refused: int = 0
    reason: str = ""


@dataclass(frozen=True, eq=False)
class GroupFit:
    """A group of mates that share redundant equations.

    Attributes:
        mates: Their names.
        rows: How many equations they have.
        redundant: How many of these are redundant.
        equations: The redundant equations.
        errors: The errors that count, with their shares.
        play: What each mate needs so that the group goes together.
        loads: What errors load the mates with where there is no play.
        reach: √(stiffness of turn over place) of its mates, m.
        releases: Weaker mates that would free it.
        contacts: Mates that are faces which lie on each other and only push.
        one_sided: What that makes of the forces; None where it was not asked for or there are none.
        alone: The smallest sets of mates whose play alone is enough, least play first; none where a group is too large
            to compare them.
    """

    mates: tuple[str, ...]
    rows: int
    redundant: int
    equations: tuple[Equation, ...]
    errors: tuple[Error, ...]
    play: PlayNeeded
    loads: tuple[Load, ...]
    reach: float
    releases: Releases
    contacts: tuple[str, ...] = ()
    one_sided: OneSided | None = None
    alone: tuple[Alone, ...] = ()


@dataclass(frozen=True, eq=False)
class Fit(Shown):
    """What redundant mates cost, by group, with what was assumed.

    Attributes:
        groups: Those that need most play first.
        settings: What was assumed.
        rests: Whether the mechanism stands still under its weights; None where these are not known.
        dof: Its mobility.
        rows: Its equations.
        findings: What was found wrong or remarkable.
        units: Components of several parts: they are off as a whole.
    """

    groups: tuple[GroupFit, ...]
    settings: Settings
    rests: bool | None
    dof: int
    rows: int
    findings: Sequence[Finding]
    units: tuple[str, ...] = ()

    @property
    def redundant(self) -> int:
        """All redundant equations."""
        return sum(group.redundant for group in self.groups)

    @property
    def together(self) -> float | None:
        """The share of mechanisms that go together with the play given; None where none is."""
        shares = [g.play.together for g in self.groups if g.play.together is not None]
        product = 1.0
        for share in shares:
            product *= share
        return product if shares else None

    def __repr__(self) -> str:
        worst = max((g.play.worst for g in self.groups), default=0.0)
        return sentence(
            "Fit", "", count(self.redundant, "redundant equation"), count(len(self.groups), "group"),
            f"play needed {worst * TO_MM:.3g} mm",
        )  # fmt: skip
