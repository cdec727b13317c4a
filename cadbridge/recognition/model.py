"""What recognition finds: bodies, joints and gears, each with its evidence. Frozen, SI, world frame W."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cadbridge.assembly import Assembly, Limit
from cadbridge.findings import Finding
from cadbridge.frames import Vector
from cadbridge.freedoms import Free
from cadbridge.mechanism.joint_types import LEAVES
from cadbridge.recognition.groups import Groups
from cadbridge.recognition.hints import Hints
from cadbridge.recognition.ties import Held
from cadbridge.shown import Shown, sentence
from cadbridge.wording import count


@dataclass(frozen=True)
class Bond:
    """Why an instance belongs to a body.

    Attributes:
        instance: The instance.
        to: The instance to which it is held; None for the body's first.
        reason: In words.
        confidence: 0 to 1.
        line: The axis that the two share and on which they could turn: a point (m) and a direction in W.
        how: What holds it.
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
    """Instances that move as one.

    Attributes:
        name: That of its largest instance.
        instances: Their names.
        bonds: Why they move as one.
    """

    name: str
    instances: tuple[str, ...]
    bonds: tuple[Bond, ...]

    @cached_property
    def pieces(self) -> list[FoundBody]:
        """What its bonds hold together: the body itself, unless some of it hangs on no bond."""
        return self.without(())

    def without(self, opened: Collection[Bond]) -> list[FoundBody]:
        """Take some of its bonds away.

        Args:
            opened: These bonds.

        Returns:
            What is left, as bodies.
        """
        groups = Groups(self.instances)
        for bond in self.bonds:
            if bond.to is not None and bond not in opened:
                groups.join(bond.instance, bond.to)
        return [FoundBody(names[0], tuple(names), ()) for names in groups.members().values()]


@dataclass(frozen=True)
class Motion:
    """What moving a joint showed.

    Attributes:
        state: "free", "blocked" (neither way) or "untested".
        reason: In words.
        ends: What stops it at its lower and its upper limit, "" where nothing does.
        meet: Two instances that meet where it is blocked.
    """

    state: str
    reason: str
    ends: tuple[str, str] = ("", "")
    meet: tuple[str, str] | None = None


@dataclass(frozen=True, eq=False)
class FoundJoint:
    """A joint that was found between two bodies, in the world frame W.

    Attributes:
        name: Its name.
        type: Its type.
        a: Index of the first body.
        b: Index of the second body.
        point: A point of its axis, or its centre (3,) m.
        axis: Unit vector (3,); None of spherical joints.
        evidence: What speaks for it, in words.
        against: What speaks against it.
        confidence: 0 to 1.
        contacts: The pairs of instances that guide it.
        limit: Its range, known once it was moved.
        motion: What moving it showed; None before.
        pitch: Of a screw the advance of one turn, m, positive of a right-hand thread.
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
    """A joint between two bodies that was seen and not taken.

    Attributes:
        type: Its type.
        a: The first body.
        b: The second body.
        reason: Why.
    """

    type: str
    a: str
    b: str
    reason: str


@dataclass(frozen=True, eq=False)
class Recognition(Shown):
    """All that was found in an assembly.

    Attributes:
        assembly: The assembly.
        bodies: What moves as one.
        ground: Index of the body that stands still.
        ground_reason: Why it is that one.
        joints: Between bodies.
        rejected: What was seen and not taken.
        loose: Instances that touch nothing.
        slack: How far apart surfaces may be that count as touching, m.
        gears: Couplings, ready for the mates file.
        wheels: What is known of each wheel, as plain data.
        findings: What was found wrong or remarkable.
        fasteners: Instances that were taken out first.
        yielding: Instances that give way to what moves: belts, springs, cables, and what was to be ignored.
        freedoms: In how many ways all moves; None where it is too large to count.
        momentary: In how many ways more it gives way at the pose as designed, and no further.
        spins: In how many of its freedoms a body only spins about its own axis, as a roller does.
        spinning: The bodies that only spin.
        drives: How many drives are seen.
        driven: Pairs of instances: the case of a drive that is one part with its output, and what stands on that.
        hints: What a person said.
        turned: The decisions of which the second verdict was taken for the mobility.
        base: Index of the body that stands still while motions are tried: the ground without a hint; None: `ground`.
        extra: What else is kept, by keys of recognition.
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
    yielding: frozenset[str] = frozenset()
    freedoms: int | None = None
    momentary: int = 0
    spins: int = 0
    spinning: tuple[str, ...] = ()
    drives: int = 0
    driven: frozenset[tuple[str, str]] = frozenset()
    hints: Hints = field(default_factory=Hints)
    turned: tuple[Any, ...] = ()
    base: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def tried_from(self) -> int:
        """The body that stands still while motions are tried: what a hint takes as the ground changes no joint."""
        return self.ground if self.base is None else self.base

    @property
    def cases(self) -> frozenset[str]:
        """The instances that have an output."""
        return frozenset(case for case, _ in self.driven)

    @property
    def allowed_collisions(self) -> set[frozenset[str]]:
        """Pairs of instances that may overlap: teeth that mesh, and a drive of one part in what its output turns."""
        return {frozenset(g.instances) for g in self.gears} | {*map(frozenset, self.driven)}

    @cached_property
    def body_of(self) -> dict[str, int]:
        """The index into `bodies` of the body of each instance."""
        return {name: k for k, body in enumerate(self.bodies) for name in body.instances}

    def ends(self, joint: FoundJoint) -> tuple[str, str]:
        """Name the two sides of a joint for a person who looks for it.

        Args:
            joint: One of `joints`.

        Returns:
            The names of its bodies; of the ground that of the part which the joint is on, as the largest part of the
            ground may be another machine's.
        """
        return self._end(joint, joint.a), self._end(joint, joint.b)

    def _end(self, joint: FoundJoint, body: int) -> str:
        name = self.bodies[body].name
        own = [n for pair in joint.contacts for n in pair if self.body_of.get(n) == body]
        return name if body != self.ground or name in own or not own else own[0]

    def missed(self, wanted: int) -> float:
        """Say how far the mobility is from one that a person gives, who may or may not count what only spins.

        Args:
            wanted: The degrees of freedom given.

        Returns:
            The lesser of the two differences; infinite where the mobility is not known.
        """
        if self.freedoms is None:
            return math.inf
        return min(abs(self.freedoms - wanted), abs(self.freedoms - self.spins - wanted))

    @property
    def as_told(self) -> bool:
        """Whether a person gave the mobility, and it is that."""
        return self.hints.freedoms is not None and not self.missed(self.hints.freedoms)

    def __repr__(self) -> str:
        counts = [("joint", self.joints), ("gear", self.gears), ("finding", self.findings)]
        bodies = count(len(self.bodies), "body", "bodies")
        return sentence("Recognition", self.assembly.name, bodies, *(count(len(items), noun) for noun, items in counts))
