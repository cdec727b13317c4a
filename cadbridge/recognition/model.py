"""What recognition finds: bodies, joints and gears, each with its evidence. Frozen, SI, world frame W."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Any

from cadbridge.assembly import Assembly, Limit
from cadbridge.findings import Finding
from cadbridge.frames import Vector
from cadbridge.freedoms import Free
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Hints
from cadbridge.shown import Shown, sentence
from cadbridge.wording import count


class Held(Enum):
    """What holds a part to another, where that decides what else may be: it rests on it, reaches into it, is in its
    sub-assembly, nothing does and it is left where it stands, or a hint says so."""

    RESTS = auto()
    REACHES = auto()
    TOGETHER = auto()
    NOTHING = auto()
    SAID = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Tie:
    """Two instances of which one may hold the other: why, how sure that is, and what holds it."""

    a: str
    b: str
    reason: str
    confidence: float
    how: Held = Held.OTHER

    @property
    def pair(self) -> tuple[str, str]:
        """The two instances."""
        return self.a, self.b


@dataclass(frozen=True)
class Bond:
    """Why an instance belongs to a body: `to` is the instance it is held to, None for the body's first.

    `line`: the axis that the two share and on which they could turn, a point and a direction in W.
    """

    instance: str
    to: str | None
    reason: str
    confidence: float
    line: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    how: Held = Held.OTHER

    @property
    def axis(self) -> bool:
        """Whether the two share an axis on which they could turn."""
        return self.line is not None


@dataclass(frozen=True, eq=False)
class FoundBody:
    """Instances that move as one; `bonds` say why. `name` is that of its largest instance."""

    name: str
    instances: tuple[str, ...]
    bonds: tuple[Bond, ...]

    @cached_property
    def pieces(self) -> list[FoundBody]:
        """What its bonds hold together: the body itself, unless some of it hangs on no bond."""
        return self.without(())

    def without(self, opened: Collection[Bond]) -> list[FoundBody]:
        """What is left of it without some of its bonds."""
        groups = Groups(self.instances)
        for bond in self.bonds:
            if bond.to is not None and bond not in opened:
                groups.join(bond.instance, bond.to)
        return [FoundBody(names[0], tuple(names), ()) for names in groups.members().values()]


@dataclass(frozen=True)
class Motion:
    """What moving a joint showed: `state` is free, blocked (neither way) or untested; `reason` says it.

    `ends`: what stops it at its lower and its upper limit, "" where nothing does. `meet`: two instances that meet where
    it is blocked.
    """

    state: str
    reason: str
    ends: tuple[str, str] = ("", "")
    meet: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False)
class FoundJoint:
    """A joint between bodies a and b (indices). `evidence` speaks for it, `against` against it.

    `axis` is None for spherical joints; `contacts` names the pairs of instances that guide it. `limit` and `motion`
    are known once it was moved. `pitch` of a screw: the advance of one turn, m, positive of a right-hand thread.
    """

    name: str
    type: str
    a: int
    b: int
    point: Vector
    axis: Vector | None
    evidence: tuple[str, ...]
    against: tuple[str, ...]
    confidence: float
    contacts: tuple[tuple[str, str], ...] = ()
    limit: Limit | None = None
    motion: Motion | None = None
    pitch: float | None = None

    @property
    def free(self) -> Free:
        """What the joint leaves free about and along its axis."""
        return LEAVES[self.type]


@dataclass(frozen=True)
class Rejected:
    """What was seen and not taken, with the reason: a joint between two bodies."""

    type: str
    a: str
    b: str
    reason: str


@dataclass(frozen=True, eq=False)
class Recognition(Shown):
    """All that was found in an assembly. `ground` is an index into `bodies`; `loose` are instances that touch nothing.

    `gears` are couplings ready for the mates file, `wheels` what `recognised_gears` lists. `fasteners` were taken out
    first. `freedoms`: in how many ways all moves, None where it is too large to count. `drives`: how many are seen;
    `cases`: the instances that have an output. `hints`: what a person said. `turned`: the decisions of which the second
    verdict was taken for the mobility.
    """

    assembly: Assembly
    bodies: tuple[FoundBody, ...]
    ground: int
    ground_reason: str
    joints: tuple[FoundJoint, ...]
    rejected: tuple[Rejected, ...]
    loose: tuple[str, ...]
    slack: float
    gears: tuple[Any, ...] = ()
    wheels: tuple[dict[str, Any], ...] = ()
    findings: tuple[Finding, ...] = ()
    fasteners: frozenset[str] = frozenset()
    freedoms: int | None = None
    drives: int = 0
    cases: frozenset[str] = frozenset()
    hints: Hints = field(default_factory=Hints)
    turned: tuple[Any, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def body_of(self) -> dict[str, int]:
        """The index into `bodies` of the body of each instance."""
        return {name: k for k, body in enumerate(self.bodies) for name in body.instances}

    def __repr__(self) -> str:
        counts = [("joint", self.joints), ("gear", self.gears), ("finding", self.findings)]
        bodies = count(len(self.bodies), "body", "bodies")
        return sentence("Recognition", self.assembly.name, bodies, *(count(len(items), noun) for noun, items in counts))
