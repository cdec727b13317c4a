"""Quaternions of matrices and what hangs together, against SciPy's, which take longer to import than to run."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation

from solver import rotation
from solver.algebra.connected import connected


def test_quaternions_of_stacks_of_matrices() -> None:
    drawn = np.random.default_rng(3)
    turns = Rotation.concatenate([Rotation.random(200, random_state=3), Rotation.create_group("O")])
    for R in (turns.as_matrix(), turns.as_matrix() + 1e-6 * drawn.normal(size=(len(turns), 3, 3))):
        right = Rotation.from_matrix(R).as_quat(canonical=True, scalar_first=True)
        assert_allclose(rotation.quaternion(R), right, atol=4e-16)
        assert_allclose(rotation.quaternion(R[0]), right[0], atol=4e-16)
    assert rotation.quaternion(np.zeros((0, 3, 3))).shape == (0, 4)


def test_a_reflection_is_no_rotation() -> None:
    with pytest.raises(ValueError, match="determinant"):
        rotation.quaternion(np.diag([1.0, 1.0, -1.0]))


@pytest.mark.parametrize("edges", [0, 5, 30, 60, 200])
def test_nodes_that_hang_together(edges: int) -> None:
    a, b = np.random.default_rng(edges).integers(0, 60, (2, edges))
    _, right = connected_components(coo_array((np.ones(edges), (a, b)), shape=(60, 60)), directed=False)
    assert np.array_equal(np.unique(connected(60, a, b), return_inverse=True)[1], right)
