"""Linear dependence among rows: which repeat others, and of which they are made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Loops
from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.diagnosis.pairs import NO_PART

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
        expansion.data[np.abs(expansion.data) < NO_PART] = 0.0
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


def kept_rows(graph: ConstraintGraph) -> NDArray[np.bool_]:
    """Which rows (m,) are a basis of all."""
    keep = np.zeros(len(graph.rows), dtype=bool)
    for branch in graph.branches.values():
        if branch.pair is not None:
            keep[branch.pair.rows[branch.pair.basis]] = True
    for chord in graph.chords:
        keep[chord.rows] = True
    for block in graph.loops:
        keep[block.repeated] = False
    return keep


def dependence_of(graph: ConstraintGraph) -> Dependence:
    """The dependences of a graph's rows: pair by pair, then across the loops."""
    keep = kept_rows(graph)
    within: Triples = []
    for pair in graph.pairs:
        i, k = np.nonzero(pair.coefficients)
        within.append((pair.rows[i], pair.rows[pair.basis][k], pair.coefficients[i, k]))
    wide = np.array([int(c.rows[0]) for c in graph.chords if c.pair is None], np.int64)
    within.append((wide, wide, np.ones(len(wide))))
    basis = np.flatnonzero(keep)
    across = [*map(_across, graph.loops), (basis, basis, np.ones(len(basis)))]
    return Dependence(keep, within, across)


def _sparse(triples: Triples, m: int) -> csr_array:
    from scipy.sparse import coo_array, csr_array

    i, j, x = (np.concatenate(parts) if parts else np.zeros(0) for parts in zip(*triples, strict=True))
    return csr_array(coo_array((x, (i.astype(np.int64), j.astype(np.int64))), shape=(m, m)))


def _across(block: Loops) -> tuple[Ints, Ints, Array]:
    """The conditions of a block that repeat others, as sums over the other rows of their self-stress."""
    row, column, value = block.stresses
    repeated = block.repeated[column]
    # In a self-stress the repeated row has the part 1: it is the sum of the others with the opposite signs.
    others = row != repeated
    return repeated[others], row[others], -value[others]


def rows_by_owner(owners: Iterable[str]) -> dict[str, Ints]:
    """The rows of every mate."""
    found: dict[str, list[int]] = {}
    for row, owner in enumerate(owners):
        found.setdefault(owner, []).append(row)
    return {owner: np.array(rows, np.int64) for owner, rows in found.items()}
