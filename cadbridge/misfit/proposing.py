"""Releases as a designer reads them: in hardware words, ranked, each proved by a diagnosis of what it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND, Assembly, Mate
from cadbridge.diagnosis.dependence import Dependence
from cadbridge.mechanism import build
from cadbridge.misfit.groups import Constraints, Group, constraints_of
from cadbridge.misfit.model import Change, Release, Releases
from cadbridge.misfit.options import coordinates, options_of, words
from cadbridge.misfit.releases import Candidate, search
from cadbridge.misfit.settings import Settings, stiffness_rows
from cadbridge.misfit.statics import Loads, Statics
from cadbridge.misfit.weakening import weakened

Array = NDArray[np.float64]

TRIED = 4
"""Times the sets that are listed are diagnosed at most, where some are refused."""
LARGEST = 60
"""Redundant equations of one group above which no releases are looked for, which is said."""


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

    def of(self, group: Group) -> Releases:
        """The releases of a group, stiffest first; and the one that changes fewest mates, where it is another."""
        mechanism = self._constraints.mechanism
        loads = self._loads(group) if self._most and group.redundant <= LARGEST else None
        if loads is None:
            return Releases((), 0, False, "", ())
        carried = loads.carried
        options = options_of(group, self._constraints.blocks.frames, mechanism.assembly)
        found = search(group, options, loads)
        plain = min(found.candidates, key=lambda c: (len(c.options), -c.left), default=None)
        proved, refused = self._first_proved(group, found.candidates, plain, carried.names)
        fixed = tuple(sorted(set(group.mates) & coordinates(mechanism.assembly)))
        return Releases(tuple(proved), len(found.candidates), found.complete, carried.component, fixed, refused)

    def _first_proved(
        self, group: Group, candidates: Sequence[Candidate], plain: Candidate | None, names: Sequence[str]
    ) -> tuple[list[Release], int]:
        """The first candidates that their diagnosis proves, with the plainest one at last; how many it refused."""
        around = _around(self._constraints.mechanism.assembly, group)
        before = constraints_of(build(around)).dependence
        proved: list[Release] = []
        refused = 0
        for candidate in candidates[: TRIED * self._most]:
            last = len(proved) == self._most - 1 and plain is not None
            chosen = plain if last and plain is not None else candidate
            release = self._proved(group, chosen, names, around, before)
            refused += release is None
            if release is not None and release not in proved:
                proved.append(release)
            if candidate is plain or chosen is plain:
                plain = None
            if len(proved) == self._most:
                break
        return proved, refused

    def _loads(self, group: Group) -> Loads | None:
        """Loads on the component named, else on the heaviest of the group whose loads its mates carry."""
        mechanism = self._constraints.mechanism
        points = [self._constraints.blocks.frames[m].point for m in group.mates]
        length = float(np.linalg.norm(np.ptp(points, axis=0))) or mechanism.length_scale
        for unit in self._units(group):
            loads = Loads(group, self._statics.carried(unit, self._place(unit), length), self._k)
            if self._body is not None or loads.matter:
                return loads
        return None

    def _units(self, group: Group) -> list[int]:
        """The components at which stiffness may be looked at, the heaviest first."""
        mechanism = self._constraints.mechanism
        if self._body is not None:
            return [mechanism.units[self._body]]
        names = {n for m in mechanism.mate_rows if m.mate in group.mates for n in (m.a, m.b) if n >= 0}
        masses = mechanism.component_masses

        def weight(unit: int) -> tuple[float, int]:
            mass = masses[mechanism.component_names[unit]].mass
            return (mass.mass if mass is not None else 0.0), -unit

        return sorted(names, key=weight, reverse=True)

    def _place(self, unit: int) -> Array:
        """Where forces act on a component: in its centre of mass, where it is known."""
        mechanism = self._constraints.mechanism
        mass = mechanism.component_masses[mechanism.component_names[unit]].mass
        X = mechanism.X_WC[unit]
        return X.p if mass is None else X.point(mass.com)

    def _proved(
        self, group: Group, candidate: Candidate, names: Sequence[str], around: Assembly, before: Dependence
    ) -> Release | None:
        """A candidate as a release; None where the diagnosis of what it makes contradicts it.

        `around` is the group by itself, whose rows depend on each other as in `before`.
        """
        assembly = self._constraints.mechanism.assembly
        mates = {m.name: m for m in assembly.mates}
        changes = []
        for option in candidate.options:
            blocks = [block for block in group.blocks if block.mate == option.mate]
            frame = self._constraints.blocks.frames[option.mate]
            made = weakened(assembly, mates[option.mate], blocks, frame, option)
            changes.append(Change(option.mate, words(option, blocks), tuple(made)))
        after = constraints_of(build(applied(around, changes))).dependence
        if after.rank != before.rank or len(before.repeated) - len(after.repeated) != group.redundant:
            return None
        along = dict(zip(names, candidate.along.tolist(), strict=True))
        return Release(tuple(changes), candidate.left, along)


def applied(assembly: Assembly, changes: Sequence[Change]) -> Assembly:
    """The assembly with weaker mates in place of some."""
    by_name = {change.mate: change.mates for change in changes}
    mates = [m for mate in assembly.mates for m in by_name.get(mate.name, (mate,))]
    return replace(assembly, mates=tuple(mates))


def _around(assembly: Assembly, group: Group) -> Assembly:
    """The mates of a group alone, which share no dependence with others; the whole where couplings are in it."""
    if any(c.name in group.mates for c in assembly.couplings):
        return assembly
    mates: tuple[Mate, ...] = tuple(m for m in assembly.mates if m.name in group.mates)
    held = {f.component for m in mates for f in (m.a, m.b)} - {GROUND}
    return replace(
        assembly,
        mates=mates, couplings=(), drives=(), frames=(), home={}, joint_names={}, findings=(), study=None,
        parts=tuple(replace(part, shape=None) for part in assembly.parts),  # nothing is weighed
        components=tuple(c for c in assembly.components if c.name in held),
        instances=tuple(i for i in assembly.instances if i.component in held),
    )  # fmt: skip
