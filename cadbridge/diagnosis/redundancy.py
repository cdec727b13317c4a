"""Mates that repeat others: by which, whether they could go, and together with which.

All answers come from N, the combinations of rows that vanish (`Dependence.stresses`). With N_S its rows of a set
of mates, rank N_S rows of these are held by the other mates as well: the rank function of the dual matroid. A set can
be deleted without changing the motion exactly where N_S has full row rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.advice import Advice, advice_on, deletable_together
from cadbridge.diagnosis.carried import carried
from cadbridge.diagnosis.dependence import Dependence, rows_by_owner
from cadbridge.diagnosis.model import DeletableSet, DeletionChoice, Group, Redundancy, Repetition
from cadbridge.diagnosis.spans import FULL, extended, rank, unit_rows
from cadbridge.diagnosis.weaker import weaker_mates
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.rows import ROUNDED_DEGREES, ROUNDED_MM, Rows, off_by
from solver.algebra.connected import connected
from solver.algebra.rank import LOWEST, significant

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SEARCHED = 1_000_000
"""Mates of a circuit times the square of its self-stresses above which none is tried to be left out."""


@dataclass(frozen=True, eq=False)
class Repeats:
    """Groups, the mates of which rows repeat others, what each mate could spare, and what can go together."""

    groups: tuple[Group, ...]
    redundancies: tuple[Redundancy, ...]
    repetitions: tuple[Repetition, ...]
    deletable: tuple[DeletableSet, ...]
    choices: tuple[DeletionChoice, ...]


def repeats_of(mechanism: Mechanism, rows: Rows, dependence: Dependence) -> Repeats:
    """Everything about repeated rows, group by group."""
    own = rows_by_owner(rows.owners)
    members = dependent_mates(rows, dependence)
    groups = tuple(
        Group(mates, sum(len(own[m]) for m in mates), int(sum(dependence.keep[own[m]].sum() for m in mates)))
        for mates in members
    )
    kept = carried(mechanism)
    redundant = _redundancies(mechanism, rows, dependence, own, kept)
    conflicting = {r.mate for r in redundant if r.kind == "conflicting"}
    found = [_of_group(mechanism, rows, _Group(dependence, own, mates, kept), redundant) for mates in members]
    roles = {r.mate: r for repetitions, _ in found for r in repetitions}
    deletable = tuple(s for mates in members for s in _sets(dependence, own, mates, roles, conflicting))
    advice = {mate: a for mates, (_, a) in zip(members, found, strict=True) for mate in mates}
    return Repeats(
        groups,
        tuple(
            replace(
                r,
                deletable=r.mate in advice[r.mate].deletable,
                weaker=advice[r.mate].weaker.get(r.mate),
                alone=roles[r.mate].alone,
            )
            for r in redundant
        ),
        tuple(roles[r.mate] for r in mechanism.mate_rows if r.mate in roles),
        deletable,
        tuple(choice for _, a in found for choice in a.choices),
    )


def dependent_mates(rows: Rows, dependence: Dependence) -> list[tuple[str, ...]]:
    """Mates joined by dependences; the components of the matroid, whatever the order of the rows."""
    edges = [(row, i) for row in dependence.repeated.tolist() for i in (row, *dependence.circuit(row).tolist())]
    names = sorted({rows.owners[i] for edge in edges for i in edge})
    place = {name: k for k, name in enumerate(names)}
    ends = np.array([(place[rows.owners[i]], place[rows.owners[j]]) for i, j in edges], np.int64).reshape(-1, 2)
    found: dict[int, list[str]] = defaultdict(list)
    for name, label in zip(names, connected(len(names), *ends.T).tolist(), strict=True):
        found[label].append(name)
    return sorted(map(tuple, found.values()))


def _stress(dependence: Dependence, rows: Ints, columns: Ints | None = None) -> Array:
    """The rows of N (len(rows), d) of a few rows: its `columns` (sorted), by default those that are not zero."""
    N = dependence.stresses
    counts = N.indptr[rows + 1] - N.indptr[rows]
    entries = np.arange(counts.sum()) + np.repeat(N.indptr[rows] - (np.cumsum(counts) - counts), counts)
    indices, data = N.indices[entries], N.data[entries]
    own = np.repeat(np.arange(len(rows)), counts)
    if columns is None:
        columns = np.unique(indices)
    if len(columns) == 0:
        return np.zeros((len(rows), 0))
    places = np.minimum(np.searchsorted(columns, indices), len(columns) - 1)
    known = columns[places] == indices
    dense = np.zeros((len(rows), len(columns)))
    dense[own[known], places[known]] = data[known]
    return dense


class _Group:
    """The mates of a group with their parts of N (k, d) over its columns, and what each carries."""

    def __init__(
        self, dependence: Dependence, own: dict[str, Ints], mates: Sequence[str], kept: Mapping[str, tuple[str, ...]]
    ) -> None:
        self.mates, self.own, self.kept = mates, own, kept
        N = _stress(dependence, np.concatenate([own[m] for m in mates]))
        starts = np.cumsum([0] + [len(own[m]) for m in mates]).tolist()
        self.stress = {m: N[i:j] for m, i, j in zip(mates, starts, starts[1:], strict=False)}
        self.spare = {m: rank(N) for m, N in self.stress.items()}

    def alone(self, mate: str) -> bool:
        """Whether a mate could go if no other is changed."""
        return self.spare[mate] == len(self.own[mate])

    def whole(self, mates: Iterable[str]) -> dict[str, Array]:
        """Those that could go alone with nothing that goes with them."""
        return {m: self.stress[m] for m in mates if self.alone(m) and m not in self.kept}


def _of_group(
    mechanism: Mechanism, rows: Rows, group: _Group, redundant: Sequence[Redundancy]
) -> tuple[list[Repetition], Advice]:
    """What each mate of a group could spare by itself, and the advice on those that are redundant."""
    mate_of = {m.name: m for m in mechanism.assembly.mates}

    def weaker(mate: str) -> Iterator[tuple[str, Array]]:
        return weaker_mates(mechanism, rows, mate_of.get(mate), group.own[mate], group.stress[mate])

    # Of all mates of the group, since `Repetition` tells of each what it could spare; the advice is on the redundant
    # ones.
    deletable, _ = deletable_together(group.whole(group.mates))
    repetitions = []
    for mate in group.mates:
        spare, own, alone = group.spare[mate], len(group.own[mate]), group.alone(mate)
        some = 0 < spare < own and mate not in group.kept
        words = next((words for words, _ in weaker(mate)), None) if some else None
        repetitions.append(Repetition(mate, own, spare, mate in deletable, words, alone, group.kept.get(mate, ())))
    benign = [r.mate for r in redundant if r.kind == "benign" and r.mate in group.stress]
    bare = {mate: weaker(mate) for mate in benign if mate not in group.kept}
    return repetitions, advice_on(group.whole(benign), bare)


def _redundancies(
    mechanism: Mechanism,
    rows: Rows,
    dependence: Dependence,
    own: dict[str, Ints],
    kept: Mapping[str, tuple[str, ...]],
) -> list[Redundancy]:
    """Every mate of which rows are not in the basis, with a minimal set of mates that it repeats; without advice."""
    circuits = _Circuits(rows, dependence)
    gaps = disagreements(rows, dependence)
    result = []
    for mate in (r.mate for r in mechanism.mate_rows if r.mate in circuits.repeated):
        repeated = circuits.repeated[mate]
        mm, degrees = off_by(gaps[repeated].tolist(), [rows.unit[row] for row in repeated])
        result.append(
            Redundancy(
                mate=mate,
                rows=len(repeated),
                of=len(own[mate]),
                duplicates=_duplicates(circuits, dependence, own, mate),
                kind="benign" if mm < ROUNDED_MM and degrees < ROUNDED_DEGREES else "conflicting",
                residual_mm=mm,
                residual_deg=degrees,
                carries=kept.get(mate, ()),
            )
        )
    return result


def disagreements(rows: Rows, dependence: Dependence) -> Array:
    """By how much (m, or rad and 1; (m,)) rows differ from what the others hold, to first order at any pose."""
    if dependence.keep.all():
        return np.where(rows.factors != 0.0, 0.0, np.abs(rows.gaps))
    scaled = rows.gaps * rows.factors
    gaps = np.abs(scaled - dependence.expansion @ scaled)
    seen = rows.factors != 0.0
    # A row without a direction at this pose takes no part in any combination: it disagrees by all that it is open.
    return np.where(seen, gaps / np.where(seen, rows.factors, 1.0), np.abs(rows.gaps))


class _Circuits:
    """The fundamental circuits by the mates in them: `repeated` rows of each mate, and `mates` of each such row.

    `place` is the row's among all that repeat others.
    """

    def __init__(self, rows: Rows, dependence: Dependence) -> None:
        self.repeated: dict[str, list[int]] = defaultdict(list)
        self.mates: dict[int, set[str]] = {}
        self.place: dict[int, int] = {}
        for k, row in enumerate(dependence.repeated.tolist()):
            self.repeated[rows.owners[row]].append(row)
            self.mates[row] = {rows.owners[i] for i in dependence.circuit(row).tolist()}
            self.place[row] = k


def _duplicates(circuits: _Circuits, dependence: Dependence, own: dict[str, Ints], mate: str) -> tuple[str, ...]:
    """A set of other mates that hold the repeated rows of a mate, from which none can be left out (if not `SEARCHED`).

    Starts from the mates of the fundamental circuits and leaves out what it can: a mate can go where stresses
    remain that do without it and still reach every repeated row.
    """
    repeated = circuits.repeated[mate]
    involved = {other for row in repeated for other in circuits.mates[row] if other != mate}
    chosen = {mate, *involved}
    # Self-stresses of these mates alone: any other would be balanced by a mate that is not among them.
    closed = [
        circuits.place[row] for m in chosen for row in circuits.repeated.get(m, ()) if circuits.mates[row] <= chosen
    ]
    if len(closed) == len(repeated):
        return tuple(sorted(involved))  # every circuit is the only one: none of its mates can be left out
    if len(involved) * len(closed) ** 2 > SEARCHED:
        return tuple(sorted(involved))
    columns = np.array(sorted(closed), np.int64)
    target = _stress(dependence, np.array(repeated, np.int64), columns)
    span = np.eye(len(closed))
    # By name, so that one set is named of several, whatever the order of the file.
    for other in sorted(involved):
        part = _stress(dependence, own[other], columns) @ span
        _, s, Vt = np.linalg.svd(part, full_matrices=True)
        without = span @ Vt[significant(s, LOWEST, FULL) :].T
        if rank(target @ without) == len(repeated):
            span = without
            chosen.discard(other)
    return tuple(sorted(chosen - {mate}))


def _sets(
    dependence: Dependence,
    own: dict[str, Ints],
    mates: Sequence[str],
    roles: dict[str, Repetition],
    conflicting: set[str],
) -> list[DeletableSet]:
    """Sets of a group that can go together, from two tastes: as many mates as can be, and the largest first.

    What contradicts others goes first in both: that is what a designer would delete.
    """
    candidates = [m for m in mates if roles[m].alone and not roles[m].carries]
    if not candidates:
        return []
    N = unit_rows(_stress(dependence, np.concatenate([own[m] for m in candidates])))
    found: list[DeletableSet] = []
    for sign in (1, -1):
        order = sorted(candidates, key=lambda m: (m not in conflicting, sign * roles[m].of, _backwards(m)))
        chosen = tuple(sorted(_together(N, candidates, order, own)))
        if chosen not in [s.mates for s in found]:
            found.append(DeletableSet(chosen, sum(roles[m].of for m in chosen)))
    return found


def _backwards(name: str) -> tuple[int, ...]:
    """Of two alike, the later name goes first: the first one made is the one meant."""
    return tuple(-ord(c) for c in name)


def _together(N: Array, candidates: Sequence[str], order: Sequence[str], own: dict[str, Ints]) -> list[str]:
    """Mates taken in order as long as the rows of N (of length 1) of all taken stay independent."""
    starts = dict(zip(candidates, np.cumsum([0] + [len(own[m]) for m in candidates]).tolist(), strict=False))
    basis = np.zeros((0, N.shape[1]))
    chosen = []
    for mate in order:
        more = extended(basis, N[starts[mate] : starts[mate] + len(own[mate])])
        if more is not None:
            basis = more
            chosen.append(mate)
    return chosen
