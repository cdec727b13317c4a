"""What the diagnosis says, in the terms of `cadbridge.check/1`."""

from __future__ import annotations

from dataclasses import dataclass

from cadbridge.findings import Finding


@dataclass(frozen=True, slots=True)
class Mobility:
    """`dof` = 6·moving − rank; `rows` of the mates as read; `gruebler` = 6·moving − rows."""

    dof: int
    rows: int
    rank: int
    redundant: int
    gruebler: int


@dataclass(frozen=True, slots=True)
class Group:
    """Mates whose rows depend on each other, sorted by name."""

    mates: tuple[str, ...]
    rows: int
    rank: int


@dataclass(frozen=True, slots=True)
class Redundancy:
    """A mate of which `rows` of `of` repeat what `duplicates` (a minimal set) already hold."""

    mate: str
    rows: int
    of: int
    duplicates: tuple[str, ...]
    kind: str
    residual_mm: float
    residual_deg: float


@dataclass(frozen=True, slots=True)
class Reaction:
    """Whether a joint's wrench is determined, or an artefact of redundancy."""

    joint: str
    determined: bool


@dataclass(frozen=True)
class Diagnosis:
    """Mobility, dependent groups, redundant mates, reactions and findings of a mechanism."""

    mobility: Mobility
    groups: tuple[Group, ...]
    redundancies: tuple[Redundancy, ...]
    reactions: tuple[Reaction, ...]
    findings: tuple[Finding, ...]
