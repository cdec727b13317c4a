"""Spanning forests against what makes them such, on random graphs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.algebra.connected import connected, rooted, spanning_forest

EDGES = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30)


@given(EDGES, st.lists(st.integers(0, 4), min_size=30, max_size=30))
def test_a_forest_joins_what_the_edges_join_and_each_edge_left_out_is_heaviest_on_its_loop(
    edges: list[tuple[int, int]], weights: list[int]
) -> None:
    chosen = spanning_forest(edges, lambda i: weights[i])

    def labels(which: list[int]) -> list[int]:
        ends = np.array([edges[i] for i in which], np.int64).reshape(-1, 2)
        return [int(label) for label in connected(12, *ends.T)]

    assert labels(chosen) == labels(list(range(len(edges))))
    assert len(chosen) == 12 - len(set(labels(chosen)))
    for left in set(range(len(edges))) - set(chosen):
        lighter = labels([i for i in chosen if (weights[i], i) < (weights[left], left)])
        assert lighter[edges[left][0]] == lighter[edges[left][1]]


@given(EDGES)
def test_a_rooted_forest_names_each_node_once_after_its_parent(edges: list[tuple[int, int]]) -> None:
    forest = [edges[i] for i in spanning_forest(edges, lambda i: i)]
    walk = rooted(forest, range(12))
    nodes = [node for node, _, _ in walk]
    assert sorted(nodes) == list(range(12))
    for node, parent, edge in walk:
        assert (parent is None) == (edge is None)
        if parent is not None and edge is not None:
            assert nodes.index(parent) < nodes.index(node)
            assert set(forest[edge]) == {node, parent}
