"""Rank and null spaces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from solver.algebra.rank import independent_rows, left_null_space, null_space, rank
from solver.constraints import GROUND, evaluate
from tests.solver.examples import O, X, Y, Z, hinge, poses


def _fourbar() -> np.ndarray:
    x, q = poses([[0, 1, 0], [1, 2, 0], [2, 1, 0]])
    rows = hinge(GROUND, 0, O, -Y, Z) + hinge(0, 1, Y, -X, Z)
    rows += hinge(1, 2, X, Y, Z) + hinge(2, GROUND, -Y, 2 * X, Z)
    return evaluate(rows, x, q).G


def test_planar_fourbar_has_one_freedom_and_three_repeated_rows() -> None:
    G = _fourbar()
    found = rank(G, 1.0)
    assert (found.rank, found.rows) == (17, 20)
    assert found.gap > 1e6
    assert null_space(G, 1.0).shape == (18, 1)
    assert_allclose(G @ null_space(G, 1.0), 0.0, atol=1e-12)
    assert left_null_space(G, 1.0).shape == (20, 3)
    assert_allclose(left_null_space(G, 1.0).T @ G, 0.0, atol=1e-12)
    assert int(independent_rows(G, 1.0).sum()) == 17


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_units_do_not_change_the_rank(length: float) -> None:
    x, q = poses([[0, length, 0], [length, 2 * length, 0], [2 * length, length, 0]])
    up, right = length * Y, length * X
    rows = hinge(GROUND, 0, O, -up, Z) + hinge(0, 1, up, -right, Z)
    rows += hinge(1, 2, right, up, Z) + hinge(2, GROUND, -up, 2 * right, Z)
    assert rank(evaluate(rows, x, q).G, length).rank == 17


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), own=st.integers(1, 8), more=st.integers(0, 6))
def test_rank_and_null_spaces_of_random_matrices(seed: int, own: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    G = np.zeros((own + more + 1, 18))
    G[:own, :12] = rng.normal(size=(own, 12))
    G[own : own + more] = rng.normal(size=(more, own)) @ G[:own]
    assert rank(G, 0.3).rank == own
    assert null_space(G, 0.3).shape == (18, 18 - own)
    assert left_null_space(G, 0.3).shape == (own + more + 1, more + 1)
    assert_allclose(left_null_space(G, 0.3).T @ G, 0.0, atol=1e-10)
    keep = independent_rows(G, 0.3)
    assert keep[:own].all()
    assert not keep[own:].any()


def test_noise_of_a_file_with_few_digits_is_no_rank() -> None:
    rng = np.random.default_rng(1)
    G = _fourbar()
    assert rank(G + 1e-7 * rng.normal(size=G.shape) * (G != 0), 1.0).rank == 17


def test_nothing_held_leaves_all_motions() -> None:
    assert rank(np.zeros((0, 12)), 1.0).rank == 0
    assert null_space(np.zeros((0, 12)), 1.0).shape == (12, 12)
    with pytest.raises(ValueError, match="characteristic length"):
        rank(np.zeros((0, 12)), 0.0)
