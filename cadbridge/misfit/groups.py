"""Groups of redundant equations: their self-stresses, and what the errors of faces do to them.

N (m, d) are the self-stresses, Nᵀ A = 0 for the rows A of all mates in lengths and angles. Parts with misfits e go
together without force if and only if Nᵀ e = 0. E (m, r) expands all rows over a basis of them, A = E A_basis, so that
the displacements that the rows can have are E y for any y (r,).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from cadbridge.diagnosis.constraint_graph import graph_of
from cadbridge.diagnosis.dependence import Dependence, dependence_of
from cadbridge.diagnosis.diagnose import mate_rows, preferred
from cadbridge.diagnosis.pairs import Choice
from cadbridge.diagnosis.redundancy import dependent_mates
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.rows import Rows, fit
from cadbridge.misfit.blocks import Block, Errors, Ints, MateEquations, blocks_of, errors_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Constraints:
    """The rows of all mates of a mechanism, as blocks, with their dependence."""

    mechanism: Mechanism
    rows: Rows
    blocks: MateEquations
    dependence: Dependence


@dataclass(frozen=True, eq=False)
class DependentMates:
    """Mates whose rows depend on each other: `rows` (m,) of all, in lengths and angles.

    `N` (m, d) self-stresses, `E` (m, r) rows over a basis, `gaps` (m,) the misfits as designed; `blocks` number the
    group's own rows, `repeated` (d,) of which are redundant: the self-stress of each has a 1 in its row. `errors` are
    those of its faces, `B` (m, n) what each adds to each row.
    """

    mates: tuple[str, ...]
    rows: Ints
    repeated: Ints
    blocks: tuple[Block, ...]
    N: csr_array
    E: csr_array
    gaps: Array
    errors: Errors
    B: csr_array

    @property
    def redundant(self) -> int:
        """How many of its equations are redundant."""
        return int(self.N.shape[1])

    @cached_property
    def felt(self) -> csr_array:
        """Nᵀ B (d, n): what each redundant equation feels of each error."""
        return csr_array(self.N.T @ self.B)


def constraints_of(mechanism: Mechanism) -> Constraints:
    """The rows of all mates between components, so that misfits within rigid groups count."""
    rows = mate_rows(mechanism)
    graph = graph_of(rows, preferred(mechanism, rows), Choice(fit(rows)))
    return Constraints(mechanism, rows, blocks_of(mechanism, rows), dependence_of(graph))


def matrix(constraints: Constraints) -> csr_array:
    """All rows (m, 6n) in lengths and angles, for twists [v of the rows' centre; ω]."""
    rows, scale = constraints.rows, constraints.blocks.scale
    counts = [len(own) for own in rows.units]
    factors = np.where(rows.factors > 0.0, rows.factors, 1.0)
    stretch = np.repeat(scale / factors, counts)[:, None] * np.array([1.0] * 3 + [rows.length] * 3)
    blocks = np.concatenate([np.zeros((0, 6)), *rows.wrenches]) * stretch
    row = np.repeat(np.repeat(np.arange(len(rows)), counts), 6)
    units = np.array([unit for own in rows.units for unit in own], np.int64)
    column = (6 * units[:, None] + np.arange(6)).ravel()
    return csr_array((blocks.ravel(), (row, column)), shape=(len(rows), 6 * rows.count))


def groups_of(constraints: Constraints, faces: bool = True) -> list[DependentMates]:
    """The groups of mates that share redundant equations; they share no row. Without `faces` none has errors."""
    if not len(constraints.dependence.repeated):
        return []
    rows, dependence, scale = constraints.rows, constraints.dependence, constraints.blocks.scale
    units = np.where(rows.factors > 0.0, rows.factors, 1.0) / scale
    # Each stress has the part 1 in the equation that is too many: coefficients are per m and rad of its misfit.
    N = csr_array(dependence.stresses.multiply(units[:, None]).multiply(1.0 / units[None, dependence.repeated]))
    E = csr_array(dependence.expansion.multiply(1.0 / units[:, None]))
    own = constraints.blocks.own
    column_of = {int(row): k for k, row in enumerate(dependence.repeated)}
    found = []
    for mates in dependent_mates(rows, dependence):
        numbers = np.sort(np.concatenate([own[m] for m in mates]))
        stresses = np.array([column_of[int(i)] for i in numbers if not dependence.keep[i]], np.int64)
        basis = numbers[dependence.keep[numbers]]
        parts = _columns(N[numbers], stresses), _columns(E[numbers], basis)
        found.append(_group(constraints, mates, numbers, *parts, mates if faces else ()))
    return found


def _columns(M: csr_array, columns: Ints) -> csr_array:
    """M[:, columns], of ascending columns, in a time that does not grow with all columns of M."""
    order = np.argsort(columns)
    place = np.minimum(np.searchsorted(columns[order], M.indices), max(len(columns) - 1, 0))
    known = columns[order][place] == M.indices if len(columns) else np.zeros(len(M.indices), bool)
    row = np.repeat(np.arange(M.shape[0]), np.diff(M.indptr))
    triples = (M.data[known], (row[known], order[place[known]]))
    return csr_array(triples, shape=(M.shape[0], len(columns)))


def _group(
    constraints: Constraints, mates: tuple[str, ...], numbers: Ints, N: csr_array, E: csr_array, felt: tuple[str, ...]
) -> DependentMates:
    """The group of some mates, with the errors of the faces of those that are `felt`."""
    own = tuple(
        Block(b.mate, b.kind, np.searchsorted(numbers, b.rows), b.directions)
        for m in mates
        for b in constraints.blocks.by_mate.get(m, ())
    )
    errors = errors_of(constraints.mechanism, constraints.rows, constraints.blocks, felt)
    place = np.searchsorted(numbers, errors.row)
    B = csr_array((errors.value, (place, errors.column)), shape=(len(numbers), errors.count))
    gaps = constraints.rows.gaps[numbers] * constraints.blocks.scale[numbers]
    repeated = np.flatnonzero(~constraints.dependence.keep[numbers])
    return DependentMates(mates, numbers, repeated, own, N, E, gaps, errors, B)
