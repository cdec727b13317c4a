"""Mates that repeat others: by which, whether they could go, and together with which.

All answers come from N, the combinations of rows that vanish (`Dependence.stresses`). With N_S its rows of a set
of mates, rank N_S rows of these are held by the other mates as well: the rank function of the dual matroid. A set can
be deleted without changing the motion exactly where N_S has full row rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.dependence import Dependence, rows_by_owner
from cadbridge.diagnosis.model import DeletableSet, Group, Redundancy, Repetition
from cadbridge.diagnosis.weaker import weaker_mate
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.rows import Rows
from solver.rank import significant

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

BENIGN_MM = 1e-2
BENIGN_DEGREES = 1e-2
"""A repeated mate that disagrees by less than this is called benign: CAD files round."""
FULL = 1e-6
"""Singular values of stresses (coefficients of about 1) above this count."""


@dataclass(frozen=True, eq=False)
class Repeats:
    """Groups, the mates of which rows repeat others, what each mate could spare, and what can go together."""

    groups: tuple[Group, ...]
    redundancies: tuple[Redundancy, ...]
    repetitions: tuple[Repetition, ...]
    deletable: tuple[DeletableSet, ...]


def repeats_of(mechanism: Mechanism, rows: Rows, dependence: Dependence) -> Repeats:
    """Everything about repeated rows, group by group."""
    own = rows_by_owner(rows.owners)
    members = _members(rows, dependence)
    groups = tuple(
        Group(mates, sum(len(own[m]) for m in mates), int(sum(dependence.keep[own[m]].sum() for m in mates)))
        for mates in members
    )
    roles = {r.mate: r for mates in members for r in _roles(mechanism, rows, dependence, own, mates)}
    redundancies = _redundancies(mechanism, rows, dependence, own, roles)
    conflicting = {r.mate for r in redundancies if r.kind == "conflicting"}
    deletable = tuple(s for mates in members for s in _sets(dependence, own, mates, roles, conflicting))
    order = [roles[r.mate] for r in mechanism.mate_rows if r.mate in roles]
    return Repeats(groups, redundancies, tuple(order), deletable)


def _members(rows: Rows, dependence: Dependence) -> list[tuple[str, ...]]:
    """Mates joined by dependences; the components of the matroid, whatever the order of the rows."""
    graph: nx.Graph[str] = nx.Graph()
    for row in dependence.repeated:
        name = rows.owners[row]
        graph.add_node(name)
        graph.add_edges_from((name, rows.owners[i]) for i in dependence.circuit(int(row)))
    return sorted(tuple(sorted(mates)) for mates in nx.connected_components(graph))


def _stress(dependence: Dependence, rows: Ints, columns: Ints | None = None) -> Array:
    """The rows of N (len(rows), d) of a few rows: its `columns` (sorted), by default those that are not zero."""
    N = dependence.stresses
    spans = [slice(*N.indptr[row : row + 2]) for row in rows.tolist()]
    indices = np.concatenate([N.indices[s] for s in spans]) if spans else np.zeros(0, np.int64)
    data = np.concatenate([N.data[s] for s in spans]) if spans else np.zeros(0)
    own = np.repeat(np.arange(len(rows)), [s.stop - s.start for s in spans])
    if columns is None:
        columns = np.unique(indices)
    if len(columns) == 0:
        return np.zeros((len(rows), 0))
    places = np.minimum(np.searchsorted(columns, indices), len(columns) - 1)
    known = columns[places] == indices
    dense = np.zeros((len(rows), len(columns)))
    dense[own[known], places[known]] = data[known]
    return dense


def _rank(A: Array) -> int:
    if A.size == 0:
        return 0
    if min(A.shape) == 1:
        return int(np.linalg.norm(A) > FULL)
    return significant(np.asarray(np.linalg.svd(A, compute_uv=False), float), 1e-9, FULL)


def _roles(
    mechanism: Mechanism, rows: Rows, dependence: Dependence, own: dict[str, Ints], mates: Sequence[str]
) -> list[Repetition]:
    """How many rows of each mate the others hold as well, whatever the order, and what would do in its place."""
    found = []
    for mate in mates:
        N = _stress(dependence, own[mate])
        spare = _rank(N)
        weaker = None if spare in (0, len(N)) else weaker_mate(mechanism, rows, mate, own[mate], N, spare)
        found.append(Repetition(mate, len(N), spare, spare == len(N), weaker))
    return found


def _redundancies(
    mechanism: Mechanism,
    rows: Rows,
    dependence: Dependence,
    own: dict[str, Ints],
    roles: dict[str, Repetition],
) -> tuple[Redundancy, ...]:
    """Every mate of which rows are not in the basis, with a minimal set of mates that it repeats."""
    repeated: dict[str, list[int]] = defaultdict(list)
    for row in dependence.repeated.tolist():
        repeated[rows.owners[row]].append(row)
    result = []
    for mate in (r.mate for r in mechanism.mate_rows if r.mate in repeated):
        mm, degrees = disagreement(rows, dependence, repeated[mate])
        result.append(
            Redundancy(
                mate=mate,
                rows=len(repeated[mate]),
                of=len(own[mate]),
                duplicates=_duplicates(rows, dependence, own, mate, repeated[mate]),
                kind="benign" if mm < BENIGN_MM and degrees < BENIGN_DEGREES else "conflicting",
                residual_mm=mm,
                residual_deg=degrees,
                deletable=roles[mate].deletable,
                weaker=roles[mate].weaker,
            )
        )
    return tuple(result)


def disagreement(rows: Rows, dependence: Dependence, repeated: Iterable[int]) -> tuple[float, float]:
    """mm and degrees by which repeated rows differ from what the others hold, to first order at any pose."""
    mm = degrees = 0.0
    scaled = rows.gaps * rows.factors
    for row in repeated:
        basis = dependence.circuit(row)
        weights = dependence.expansion.data[slice(*dependence.expansion.indptr[row : row + 2])]
        gap = abs(float(scaled[row] - weights @ scaled[basis])) / (rows.factors[row] or 1.0)
        if rows.factors[row] == 0.0:
            gap = abs(float(rows.gaps[row]))
        if rows.angular[row]:
            degrees = max(degrees, float(np.degrees(gap)))
        else:
            mm = max(mm, gap * 1e3)
    return mm, degrees


def _duplicates(
    rows: Rows, dependence: Dependence, own: dict[str, Ints], mate: str, repeated: list[int]
) -> tuple[str, ...]:
    """A set of other mates that hold the repeated rows, from which none can be left out.

    Starts from the mates of the fundamental circuits and leaves out what it can: a mate can go where stresses
    remain that do without it and still reach every repeated row.
    """
    involved: dict[str, int] = defaultdict(int)
    for row in repeated:
        for other in {rows.owners[int(i)] for i in dependence.circuit(row)} - {mate}:
            involved[other] += 1
    chosen = {mate, *involved}
    inside = np.concatenate([own[m] for m in sorted(chosen)])
    others = dependence.repeated
    closed = [
        k
        for k, row in ((int(np.searchsorted(others, r)), int(r)) for r in inside if not dependence.keep[r])
        if all(rows.owners[int(i)] in chosen for i in dependence.circuit(row))
    ]
    if len(closed) == len(repeated):
        return tuple(sorted(involved))  # every circuit is the only one: none of its mates can be left out
    columns = np.array(sorted(closed), np.int64)
    target = _stress(dependence, np.array(repeated, np.int64), columns)
    span = np.eye(len(closed))
    for other in sorted(involved, key=lambda m: (involved[m], m)):
        part = _stress(dependence, own[other], columns) @ span
        _, s, Vt = np.linalg.svd(part, full_matrices=True)
        without = span @ Vt[significant(s, 1e-9, FULL) :].T
        if _rank(target @ without) == len(repeated):
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
    candidates = [m for m in mates if roles[m].deletable]
    if not candidates:
        return []
    N = _stress(dependence, np.concatenate([own[m] for m in candidates]))
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
    """Mates taken in order as long as the rows of N of all taken stay independent."""
    starts = dict(zip(candidates, np.cumsum([0] + [len(own[m]) for m in candidates]).tolist(), strict=False))
    basis = np.zeros((0, N.shape[1]))
    chosen = []
    for mate in order:
        part = N[starts[mate] : starts[mate] + len(own[mate])]
        part = part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-300)
        rest = part - (part @ basis.T) @ basis
        rest = rest - (rest @ basis.T) @ basis
        if len(rest) == 1:
            size = float(np.linalg.norm(rest))
            s, Vt = np.array([size]), rest / max(size, FULL)
        else:
            _, s, Vt = np.linalg.svd(rest, full_matrices=False)
        if len(s) == len(part) and s[-1] > FULL:
            basis = np.vstack([basis, Vt])
            chosen.append(mate)
    return chosen
