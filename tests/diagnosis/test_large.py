"""Large assemblies: the same answers as a dense factorisation, no large matrix, and every freedom told."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from cadbridge.assembly import Assembly
from cadbridge.diagnosis import constraint_graph, diagnose, mobility
from cadbridge.diagnosis.constraint_graph import graph_of
from cadbridge.diagnosis.dependence import dependence_of
from cadbridge.diagnosis.diagnose import mate_rows, preferred
from cadbridge.diagnosis.large_loops import LargeLoops
from cadbridge.diagnosis.pairs import Choice
from cadbridge.mechanism import build
from tests.diagnosis import large, linkages
from tests.diagnosis.dense import matrix

MODELS = [large.lattice(4, 4), large.bars(3, 4), linkages.parallel_bars(4), linkages.bricard()]


@pytest.mark.parametrize("fronts", [False, True])
@pytest.mark.parametrize("strongest", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_the_tree_and_its_loops_give_the_rank_and_dependences_of_the_whole_matrix(
    model: Assembly, strongest: bool, fronts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism = build(model)
    rows = mate_rows(mechanism)
    G = matrix(rows)
    monkeypatch.setattr(constraint_graph, "MOST_DENSE_COORDINATES", 2 if fronts else 300)
    graph = graph_of(rows, preferred(mechanism, rows), Choice(strongest=strongest))
    assert {isinstance(block, LargeLoops) for block in graph.loops} == {fronts}
    found = dependence_of(graph)
    rank = np.linalg.matrix_rank(G, tol=1e-8)
    assert graph.rank == found.rank == rank
    assert np.linalg.matrix_rank(G[found.keep], tol=1e-8) == rank
    N = found.stresses.toarray()
    assert N.shape == (len(rows), len(rows) - rank)
    np.testing.assert_allclose(N.T @ G, 0.0, atol=1e-9)
    for block in graph.loops:
        np.testing.assert_allclose(block.freedom.T @ block.freedom, np.eye(block.freedom.shape[1]), atol=1e-9)
        for column in block.freedom.T:
            q = np.zeros(graph.coordinates)
            q[block.columns] = column
            V = graph.all_twists(q)
            np.testing.assert_allclose(G @ V.ravel(), 0.0, atol=1e-9)
            for unit, twist in graph.twists(q).items():
                np.testing.assert_allclose(twist, V[unit], atol=1e-12)


@pytest.mark.parametrize("model", [*MODELS, linkages.rings_in_gear()])
def test_large_loops_are_diagnosed_as_small_ones_are(model: Assembly, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = diagnose(build(model))
    monkeypatch.setattr(constraint_graph, "MOST_DENSE_COORDINATES", 2)
    found = diagnose(build(model))
    assert found.mobility == dense.mobility
    assert found.findings == dense.findings
    assert found.repetitions == dense.repetitions
    assert sorted(f.words for f in found.freedoms) == sorted(f.words for f in dense.freedoms)
    assert found.reactions == dense.reactions
    assert {s.mates for s in found.deletable_sets} == {s.mates for s in dense.deletable_sets}


def test_of_many_motions_of_a_large_lattice_the_first_bodies_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mobility, "MOST_LISTED", 100)
    monkeypatch.setattr(mobility, "MOST_DENSE_COORDINATES", 50)
    mechanism = build(large.bars(6, 8))
    found = diagnose(mechanism)
    first = found.freedoms[0]
    assert found.mobility.dof == len(found.freedoms) == 6
    assert len(first.bodies) == 50
    assert len(first.bodies) + first.carried == 102
    assert f"{first.carried} more bodies move as well" in first.words


@pytest.mark.parametrize(
    ("columns", "rows", "bars"), [(20, 10, 25), pytest.param(50, 20, 120, marks=pytest.mark.nightly)]
)
def test_thousands_of_mates_split_into_pairs_and_loops(columns: int, rows: int, bars: int) -> None:
    model, hinges = large.lattice(columns, rows), columns * rows
    assert (len(model.components), len(model.mates)) == (hinges, 5 * hinges + bars)
    found = diagnose(build(model))
    # Each bar takes one freedom of the hinges; a hinge of 13 rows repeats 8 of them.
    assert (found.mobility.rows, found.mobility.rank) == (13 * hinges + bars, 5 * hinges + bars)
    assert len(found.groups) == hinges
    assert found.mobility.dof == len(found.freedoms) == found.mobility.finite == hinges - bars


def peak(rows: int) -> int:
    """The most memory (bytes) that the diagnosis of a lattice takes at one time."""
    mechanism = build(large.lattice(16, rows))
    diagnose(mechanism)
    tracemalloc.start()
    diagnose(mechanism)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


@pytest.mark.nightly
def test_memory_grows_with_the_assembly_and_not_with_its_square() -> None:
    assert peak(8) < 2.5 * peak(4)


@pytest.mark.nightly
def test_memory_grows_with_loops_that_hang_together_and_not_with_their_square() -> None:
    def reduced(rows: int) -> int:
        own = mate_rows(mechanism := build(large.bars(rows, 4)))
        order = preferred(mechanism, own)
        tracemalloc.start()
        dependence_of(graph_of(own, order))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert reduced(80) < 2.3 * reduced(40)


@pytest.mark.parametrize("parts", [1_000, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_thousands_of_parts_without_mates_float(parts: int) -> None:
    found = diagnose(build(large.loose(parts)))
    assert found.mobility.dof == 6 * parts
    assert sum(f.count for f in found.freedoms) == 6 * parts
