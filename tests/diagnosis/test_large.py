"""Large assemblies: the same answers as a dense factorisation, no large matrix, and every freedom told."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from cadbridge.diagnosis import diagnose
from cadbridge.diagnosis.constraint_graph import graph_of
from cadbridge.diagnosis.dependence import dependence_of
from cadbridge.diagnosis.diagnose import mate_rows, preferred
from cadbridge.mechanism import build
from tests.diagnosis import large, linkages
from tests.diagnosis.dense import matrix


@pytest.mark.parametrize("model", [large.lattice(4, 4), linkages.parallel_bars(4), linkages.bricard()])
def test_the_tree_and_its_loops_give_the_rank_and_dependences_of_the_whole_matrix(model: object) -> None:
    mechanism = build(model)  # type: ignore[arg-type]
    rows = mate_rows(mechanism)
    G = matrix(rows)
    graph = graph_of(rows, preferred(mechanism, rows))
    found = dependence_of(graph)
    rank = np.linalg.matrix_rank(G, tol=1e-8)
    assert graph.rank == found.rank == rank
    assert np.linalg.matrix_rank(G[found.keep], tol=1e-8) == rank
    N = found.stresses.toarray()
    assert N.shape == (len(rows), len(rows) - rank)
    np.testing.assert_allclose(N.T @ G, 0.0, atol=1e-9)


def test_five_thousand_mates_split_into_pairs_and_loops() -> None:
    model = large.lattice(50, 20)
    assert (len(model.components), len(model.mates)) == (1000, 5120)
    found = diagnose(build(model))
    # 1,000 hinges of which 120 bars take one freedom each; a hinge of 13 rows repeats 8 of them.
    assert (found.mobility.rows, found.mobility.rank, found.mobility.dof) == (13120, 5120, 880)
    assert len(found.groups) == 1000
    assert len(found.freedoms) == found.mobility.finite == 880


def peak(rows: int) -> int:
    """The most memory (bytes) that the diagnosis of a lattice takes at one time."""
    mechanism = build(large.lattice(16, rows))
    diagnose(mechanism)
    tracemalloc.start()
    diagnose(mechanism)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_memory_grows_with_the_assembly_and_not_with_its_square() -> None:
    assert peak(8) < 2.5 * peak(4)


def test_ten_thousand_parts_without_mates_float() -> None:
    found = diagnose(build(large.loose(10_000)))
    assert found.mobility.dof == 60_000
    assert sum(f.count for f in found.freedoms) == 60_000
