"""What `fit` says: for each group of redundant equations the errors that count, the play needed, and the forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cadbridge.assembly import Mate
from cadbridge.findings import Finding
from cadbridge.misfit.settings import Settings
from cadbridge.shown import Shown, sentence
from cadbridge.wording import count


@dataclass(frozen=True, slots=True)
class Error:
    """How a face may be off: `kind` of error up to `tolerance` (m, or rad of a turn), by rule or ISO 2768-1.

    `component` None stands for the teeth of a coupling. `share` (0 to 1) is its part in the play needed at worst.
    """

    component: str | None
    mates: tuple[str, ...]
    kind: str
    turns: bool
    tolerance: float
    share: float


@dataclass(frozen=True, slots=True)
class Term:
    """An error in a redundant equation: what 1 m (or rad) of it adds to the equation's misfit, in its m or rad.

    The numbers are the same in mm/mm, mm/mrad, mrad/mm and mrad/mrad.
    """

    component: str | None
    mates: tuple[str, ...]
    kind: str
    turns: bool
    coefficient: float


@dataclass(frozen=True, slots=True)
class Equation:
    """A redundant equation: `kind` of a mate, along a unit `direction` (world), and the errors that it feels.

    `misfit` (m, or rad where it `turns`) is what the designed pose leaves of it, `worst` what the errors may add.
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
    """Play (m) in each mate of a group, in each direction, so that it goes together.

    `designed` for the design itself, `worst` the most that was found for errors in their zones, `sufficient` what is
    enough for certain, `squares` the root sum of squares. Of the draws `median`, `most95` (95 %) and `most997` (99.7 %)
    need no more; each is known to within a hundredth. `together` is the share of draws that the given play is enough
    for, None where none is given.
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
    """Force (N) or moment (N m, where it `turns`) of a kind in a mate, for errors that no play takes up.

    `weight` is what it carries of the weights by stiffness, None where they are not known.

    `designed` by the misfit of the design, `worst` with the worst errors beside it, `squares` by the root sum of
    squares of the errors. At the mate's point; `stiffness` is that of the mate (N/m, N m/rad).
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
    """How far a mate must let its sides be off: `worst` case and root sum of `squares` (m, or rad of a turn)."""

    mate: str
    kind: str
    turns: bool
    worst: float
    squares: float


@dataclass(frozen=True, slots=True)
class Alone:
    """Play at these `mates` alone, all others of the group without any, and how much each of them `needs`."""

    mates: tuple[str, ...]
    needs: tuple[Clearance, ...]


@dataclass(frozen=True, slots=True)
class LiftOff:
    """How a contact that only pushes lifts off: the `share` of draws in which it is open, and how far (m) it may be.

    `designed` with exact parts, of 95 % of the draws no more than `most95`, `largest` the most that was drawn; 0 where
    it pushes, None where neither forces nor other mates keep it from lifting off further.
    """

    share: float
    designed: float | None
    most95: float | None
    largest: float | None


@dataclass(frozen=True, slots=True)
class PushLoad:
    """Force (N) or moment (N m) of a kind in a mate where contacts only push.

    `designed` with exact parts, of 95 % of the draws no more than `most95`, `largest` the most that was drawn.
    A contact pushes with it, and `off` says how it lifts off; None where the mate is none, and holds both ways.
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
    """A group where contacts only push, for so many `draws`; `holds`: whether pushes alone balance the weights.

    `play` is what its mates need where contacts may lift off; None where the group is too large to compute it.
    """

    loads: tuple[PushLoad, ...]
    draws: int
    holds: bool
    play: PlayNeeded | None


@dataclass(frozen=True, eq=False)
class Change:
    """A weaker mate in place of one: in hardware words, and as mates that hold what is kept, none where it is left out.

    The first of `mates` has the name of the mate that they replace.
    """

    mate: str
    words: str
    mates: tuple[Mate, ...]


@dataclass(frozen=True, eq=False)
class Release:
    """Changes that together leave no redundancy in a group and keep the mobility, as a new diagnosis has proved.

    `left` is the part of the stiffness of all mates that stays in the worst direction, `along` the same for forces
    along (and torques about) those of the world's axes that the mates carry.
    """

    changes: tuple[Change, ...]
    left: float
    along: dict[str, float]


@dataclass(frozen=True, eq=False)
class Releases:
    """The stiffest releases of a group, of `compared`, at `body`; `complete`: these are all that there are.

    `refused` more were looked at, and are not among them: the diagnosis of what they make contradicts them.

    Mates in `fixed` are not weakened: a drive, a coupling or a limit counts on their one freedom. `reason` says why
    none were looked for, where some were asked for.
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
    """A group of mates that share redundant equations; `reach` (m) is √(stiffness of turn over place) of its mates.

    Mates in `contacts` are faces that lie on each other, which only push; `one_sided` is what that makes of the forces,
    None where it was not asked for or there are none. `alone` are the smallest sets of mates whose play alone is
    enough, least play first; none where a group is too large to compare them.
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
    """The groups of a mechanism, the costliest first, with what was assumed; `together` as of `PlayNeeded`, for all.

    `rests`: whether the mechanism stands still under its weights, None where these are not known. `units` are the
    components of several parts: they are off as a whole.
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
            f"play needed {worst * 1e3:.3g} mm",
        )  # fmt: skip
