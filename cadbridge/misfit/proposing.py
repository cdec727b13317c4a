"""Releases as a designer reads them: in hardware words, ranked, each proved by a diagnosis of what it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND, Assembly, Mate
from cadbridge.diagnosis.dependence import rows_by_owner
from cadbridge.mechanism import build
from cadbridge.misfit.groups import Constraints, DependentMates, constraints_of
from cadbridge.misfit.model import Change, Release, Releases
from cadbridge.misfit.options import coordinates, options_of, words
from cadbridge.misfit.releases import Search, WeakenedSet, search
from cadbridge.misfit.settings import Settings, stiffness_rows
from cadbridge.misfit.statics import CarriedWrenches, LoadedGroup, Statics
from cadbridge.misfit.weakening import weakened

Array = NDArray[np.float64]

TRIED_TIMES = 4
"""Times the sets that are listed are diagnosed at most, where some are refused."""
MOST_REDUNDANT = 60
"""Redundant equations of one group above which no releases are looked for, which is said."""


@dataclass(eq=False)
class _Ranking:
    """The releases of a group as they are proved, one after the other: `most` of them, the plainest at last."""

    group: DependentMates
    carried: CarriedWrenches
    search: Search
    most: int
    proved: list[Release] = field(default_factory=list)
    refused: int = 0

    def __post_init__(self) -> None:
        # The last place of the list is for the set that changes fewest mates: the stiffest ones may change many.
        self._plain = min(self.search.candidates, key=lambda c: (len(c.options), -c.left), default=None)
        self._rest = list(self.search.candidates[: TRIED_TIMES * self.most])

    def next(self) -> WeakenedSet | None:
        """The candidate to be proved next; None where there are enough, or no more."""
        if len(self.proved) == self.most or not self._rest:
            return None
        candidate = self._rest.pop(0)
        if len(self.proved) == self.most - 1 and self._plain is not None:
            chosen, self._plain = self._plain, None
            return chosen
        if candidate is self._plain:
            self._plain = None
        return candidate

    def take(self, release: Release | None) -> None:
        """What became of a candidate; None where its diagnosis contradicts it."""
        self.refused += release is None
        if release is not None and release not in self.proved:
            self.proved.append(release)


class Proposer:
    """Proposes releases for the groups of a mechanism; `most` of each group are proved and listed."""

    def __init__(self, constraints: Constraints, settings: Settings, most: int, body: str | None) -> None:
        self._constraints, self._settings, self._most, self._body = constraints, settings, most, body

    @cached_property
    def _statics(self) -> Statics:
        return Statics(self._constraints)

    @cached_property
    def _k(self) -> Array:
        return stiffness_rows(self._settings, self._constraints.blocks.blocks, len(self._constraints.rows))

    def of(self, groups: Sequence[DependentMates]) -> list[Releases]:
        """The releases of each group, stiffest first; and the one that changes fewest mates, where it is another."""
        rankings = [self._ranking(group) for group in groups]
        known = [r for r in rankings if r is not None]
        while asked := [(r, candidate) for r in known if (candidate := r.next()) is not None]:
            made = [(r.group, self._changes(r.group, candidate)) for r, candidate in asked]
            for (r, candidate), (_, changes), proof in zip(asked, made, self._proofs(made), strict=True):
                along = dict(zip(r.carried.names, candidate.along.tolist(), strict=True))
                r.take(Release(tuple(changes), candidate.left, along) if proof else None)
        counted = coordinates(self._constraints.mechanism.assembly)
        return [
            Releases((), 0, False, "", (), reason=self._reason(group)) if r is None else _releases(r, counted)
            for r, group in zip(rankings, groups, strict=True)
        ]

    def _reason(self, group: DependentMates) -> str:
        """Why no releases of a group were looked for; nothing where none were asked for."""
        if not self._most:
            return ""
        if group.redundant > MOST_REDUNDANT:
            return f"{group.redundant} equations are redundant here, and sets are searched up to {MOST_REDUNDANT}"
        return "these mates carry no load on any of their components, by which sets could be ranked"

    def _ranking(self, group: DependentMates) -> _Ranking | None:
        """None where no releases are asked for, the group is too large, or its mates carry no load."""
        loads = self._loads(group) if self._most and group.redundant <= MOST_REDUNDANT else None
        if loads is None:
            return None
        options = options_of(group, self._constraints.blocks.frames, self._constraints.mechanism.assembly)
        return _Ranking(group, loads.carried, search(group, options, loads), self._most)

    def _loads(self, group: DependentMates) -> LoadedGroup | None:
        """Loads on the component named, else on the heaviest of the group whose loads its mates carry."""
        mechanism = self._constraints.mechanism
        points = [self._constraints.blocks.frames[m].point for m in group.mates]
        # By the mates' own spread: the mechanism may be far larger than what they hold.
        length = float(np.linalg.norm(np.ptp(points, axis=0))) or mechanism.length_scale
        for unit in self._units(group):
            loads = LoadedGroup(group, self._statics.carried(unit, self._place(unit), length), self._k)
            if self._body is not None or loads.matter:
                return loads
        return None

    def _units(self, group: DependentMates) -> list[int]:
        """The components at which stiffness may be looked at, the heaviest first."""
        mechanism = self._constraints.mechanism
        if self._body is not None:
            return [mechanism.units[self._body]]
        names = {n for m in mechanism.mate_rows if m.mate in group.mates for n in (m.a, m.b) if n >= 0}
        masses = mechanism.component_masses

        def weight(unit: int) -> tuple[float, int]:
            mass = masses[mechanism.component_names[unit]].mass
            # Of equal ones the first of the file.
            return (mass.mass if mass is not None else 0.0), -unit

        return sorted(names, key=weight, reverse=True)

    def _place(self, unit: int) -> Array:
        """Where forces act on a component: in its centre of mass, where it is known."""
        mechanism = self._constraints.mechanism
        mass = mechanism.component_masses[mechanism.component_names[unit]].mass
        X = mechanism.X_WC[unit]
        return X.p if mass is None else X.point(mass.com)

    def _changes(self, group: DependentMates, candidate: WeakenedSet) -> list[Change]:
        """What a candidate makes of the mates of its group."""
        assembly = self._constraints.mechanism.assembly
        mates = {m.name: m for m in assembly.mates}
        changes = []
        for option in candidate.options:
            blocks = [block for block in group.blocks if block.mate == option.mate]
            frame = self._constraints.blocks.frames[option.mate]
            made = weakened(assembly, mates[option.mate], blocks, frame, option)
            changes.append(Change(option.mate, words(option, blocks), tuple(made)))
        return changes

    def _proofs(self, made: Sequence[tuple[DependentMates, Sequence[Change]]]) -> list[bool]:
        """Whether a diagnosis of the changed mates finds no redundancy in each group, and the rank that it had.

        Groups share no dependence, so that one diagnosis proves all; those that it does not prove get one each.
        """
        proofs = self._proved(made)
        if all(proofs) or len(made) == 1:
            return proofs
        return [proof or self._proved([one])[0] for proof, one in zip(proofs, made, strict=True)]

    def _proved(self, made: Sequence[tuple[DependentMates, Sequence[Change]]]) -> list[bool]:
        around = _around(self._constraints.mechanism.assembly, [group for group, _ in made])
        after = constraints_of(build(applied(around, [change for _, changes in made for change in changes])))
        own, keep = rows_by_owner(after.rows.owners), after.dependence.keep
        proofs = []
        for group, changes in made:
            names = {change.mate: [mate.name for mate in change.mates] for change in changes}
            now = [keep[own[n]] for mate in group.mates for n in names.get(mate, [mate]) if n in own]
            kept = np.concatenate(now) if now else np.zeros(0, bool)
            # As many rows as were independent before, and all of them so: nothing is repeated, and the mobility is the
            # same.
            proofs.append(bool(np.all(kept)) and len(kept) == len(group.rows) - group.redundant)
        return proofs


def _releases(ranking: _Ranking, counted: set[str]) -> Releases:
    fixed = tuple(sorted(set(ranking.group.mates) & counted))
    found = ranking.search
    body = ranking.carried.component
    return Releases(tuple(ranking.proved), len(found.candidates), found.complete, body, fixed, ranking.refused)


def applied(assembly: Assembly, changes: Sequence[Change]) -> Assembly:
    """The assembly with weaker mates in place of some."""
    by_name = {change.mate: change.mates for change in changes}
    mates = [m for mate in assembly.mates for m in by_name.get(mate.name, (mate,))]
    return replace(assembly, mates=tuple(mates))


def _around(assembly: Assembly, groups: Sequence[DependentMates]) -> Assembly:
    """The mates of groups alone, which share no dependence with others; the whole where couplings are in them."""
    names = {mate for group in groups for mate in group.mates}
    if any(c.name in names for c in assembly.couplings):
        return assembly
    mates: tuple[Mate, ...] = tuple(m for m in assembly.mates if m.name in names)
    held = {f.component for m in mates for f in (m.a, m.b)} - {GROUND}
    return replace(
        assembly,
        mates=mates, couplings=(), drives=(), frames=(), home={}, joint_names={}, findings=(), study=None,
        parts=tuple(replace(part, shape=None) for part in assembly.parts),  # nothing is weighed
        components=tuple(c for c in assembly.components if c.name in held),
        instances=tuple(i for i in assembly.instances if i.component in held),
    )  # fmt: skip
