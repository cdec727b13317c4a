"""The order of elimination against the rule it follows, row by row, and the structure against the factor's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from solver.algebra.elimination import columns_of, eliminate, entries

ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, 6), max_size=3, unique=True), st.integers(-1, 1)), min_size=1, max_size=14
)


def by_the_rule(cliques: list[list[int]], stages: list[int]) -> tuple[list[int], list[set[int]]]:
    """One row at a time: of the first stage left that of least degree, and of these the first."""
    m = len(cliques)
    graph = [{j for j in range(m) if j != i and set(cliques[i]) & set(cliques[j])} for i in range(m)]
    order: list[int] = []
    columns: list[set[int]] = []
    while len(order) < m:
        _, _, i = min((stages[j], len(graph[j]), j) for j in range(m) if j not in order)
        order.append(i)
        columns.append(set(graph[i]))
        for j in columns[-1]:
            graph[j] = (graph[j] | columns[-1]) - {i, j}
    return order, columns


@given(ROWS)
def test_rows_go_by_least_degree_then_number(rows: list[tuple[list[int], int]]) -> None:
    cliques, stages = [list(c) for c, _ in rows], [s for _, s in rows]
    order, columns = eliminate(cliques, stages)
    right_order, right_columns = by_the_rule(cliques, stages)
    assert order == right_order
    assert [set(c) for c in columns] == right_columns


@given(ROWS)
def test_columns_hold_all_that_elimination_fills(rows: list[tuple[list[int], int]]) -> None:
    cliques, m = [list(c) for c, _ in rows], len(rows)
    order, columns = eliminate(cliques, [s for _, s in rows])
    number = np.argsort(order)
    start, index = columns_of(number, columns, np.array([len(c) for c in columns]))
    incidence = np.zeros((m, 7))
    for i, mine in enumerate(cliques):
        incidence[number[i], mine] = np.random.default_rng(i).uniform(1, 2, len(mine))
    L = np.linalg.cholesky(incidence @ incidence.T + np.eye(m))
    held = np.zeros((m, m), bool)
    held[index, np.repeat(np.arange(m), np.diff(start))] = True
    assert not np.any(L[~held])
    assert np.array_equal(index[start[:-1]], np.arange(m))
    down, across = np.nonzero(held)
    assert np.array_equal(index[entries(start, index, across, down)], down)
