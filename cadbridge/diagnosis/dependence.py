"""Linear dependence among rows: which repeat others, and of which they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.constraint_graph import Branch, ConstraintGraph, Loops
from cadbridge.diagnosis.pairs import NEGLIGIBLE

if TYPE_CHECKING:
    # Not light: imported where it is used, which is where rows repeat others.
    from scipy.sparse import csr_array

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Triples = list[tuple[Ints, Ints, Array]]


@dataclass(frozen=True, eq=False)
class Dependence:
    """`keep` (m,) marks a basis of the rows. Rows are the scaled ones of `Rows`.

    `within` and `across` are the factors of `expansion`: rows over those kept of their pair, these over the basis.
    """

    keep: NDArray[np.bool_]
    within: Triples
    across: Triples

    @property
    def rank(self) -> int:
        """How many rows are independent."""
        return int(np.sum(self.keep))

    @property
    def repeated(self) -> Ints:
        """The rows that are not in the basis."""
        return np.flatnonzero(~self.keep)

    @cached_property
    def expansion(self) -> csr_array:
        """Every row as a sum over the basis (m, m), sparse.

        The supports of the other rows' expansions are the fundamental circuits of the rows' matroid.
        """
        from scipy.sparse import csr_array

        m = len(self.keep)
        expansion = csr_array(_sparse(self.within, m) @ _sparse(self.across, m))
        expansion.data[np.abs(expansion.data) < NEGLIGIBLE] = 0.0
        expansion.eliminate_zeros()
        return expansion

    def circuit(self, row: int) -> Ints:
        """The rows of the basis of which a row is made."""
        start, stop = self.expansion.indptr[row : row + 2]
        return np.asarray(self.expansion.indices[start:stop], dtype=np.int64)

    @cached_property
    def stresses(self) -> csr_array:
        """N (m, redundant) with Nᵀ · rows = 0, a column for each repeated row, sparse."""
        from scipy.sparse import csr_array

        others = self.repeated
        m = len(self.keep)
        unit = csr_array((np.ones(len(others)), (others, np.arange(len(others)))), shape=(m, len(others)))
        return csr_array(unit - self.expansion[others].T)


def dependence_of(graph: ConstraintGraph) -> Dependence:
    """The dependences of a graph's rows: pair by pair, then across the loops."""
    m = len(graph.rows)
    keep = np.zeros(m, dtype=bool)
    within: Triples = []
    across: Triples = []
    for pair in graph.pairs:
        i, k = np.nonzero(pair.coefficients)
        within.append((pair.rows[i], pair.rows[pair.basis][k], pair.coefficients[i, k]))
    wide = np.array([int(c.rows[0]) for c in graph.chords if c.pair is None], np.int64)
    within.append((wide, wide, np.ones(len(wide))))
    for branch in graph.branches.values():
        if branch.pair is not None:
            keep[branch.pair.rows[branch.pair.basis]] = True
    for block in graph.loops:
        keep[block.rows[block.reduced.basis]] = True
        across += _across(graph.branches, block)
    basis = np.flatnonzero(keep)
    across.append((basis, basis, np.ones(len(basis))))
    return Dependence(keep, within, across)


def _sparse(triples: Triples, m: int) -> csr_array:
    from scipy.sparse import coo_array, csr_array

    i, j, x = (np.concatenate(parts) if parts else np.zeros(0) for parts in zip(*triples, strict=True))
    return csr_array(coo_array((x, (i.astype(np.int64), j.astype(np.int64))), shape=(m, m)))


def _across(branches: dict[int, Branch], block: Loops) -> Triples:
    """The conditions of a block that repeat others, as sums over those kept and the rows of the tree."""
    kept = block.reduced.basis
    others = np.setdiff1d(np.arange(len(block.rows)), kept)
    if len(others) == 0:
        return []
    coefficients = block.reduced.coefficients[others]
    combination = np.zeros((len(others), len(block.rows)))
    combination[np.arange(len(others)), others] = 1.0
    combination[:, kept] -= coefficients
    found: Triples = [_dense(block.rows[others], block.rows[kept], coefficients)]
    for unit, wrench in carried_by(block, combination).items():
        pair = branches[unit].pair
        if pair is None or pair.rank == 0:
            continue
        sign = 1.0 if unit == pair.b else -1.0
        weights = sign * np.asarray(np.linalg.lstsq(pair.W[pair.basis].T, wrench.T, rcond=None)[0].T, float)
        found.append(_dense(block.rows[others], pair.rows[pair.basis], weights))
    return found


def carried_by(block: Loops, combination: Array) -> dict[int, Array]:
    """Wrenches (d, 6) on the branches (by unit) of combinations (d, m) of a block's rows."""
    total: dict[int, Array] = {}
    start = 0
    for chord in block.chords:
        part = combination[:, start : start + len(chord.rows)]
        start += len(chord.rows)
        if not np.any(part):
            continue
        for unit, W in chord.along.items():
            wrench = part @ W
            total[unit] = total[unit] + wrench if unit in total else wrench
    return total


def _dense(rows: Ints, columns: Ints, values: Array) -> tuple[Ints, Ints, Array]:
    i, j = np.nonzero(np.abs(values) > NEGLIGIBLE)
    return rows[i], columns[j], values[i, j]


def rows_by_owner(owners: Iterable[str]) -> dict[str, Ints]:
    """The rows of every mate."""
    found: dict[str, list[int]] = {}
    for row, owner in enumerate(owners):
        found.setdefault(owner, []).append(row)
    return {owner: np.array(rows, np.int64) for owner, rows in found.items()}
