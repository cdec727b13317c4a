"""How deep boxes reach into each other, beside what the solids share."""

from __future__ import annotations

import itertools

import manifold3d
import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.transform import Rotation

from cadbridge.frames import Pose
from cadbridge.mass.boxes import box_of, depth

CORNERS = np.array(list(itertools.product((0.0, 1.0), repeat=3)))


def test_what_two_boxes_share_is_never_thicker_and_apart_is_apart() -> None:
    rng = np.random.default_rng(1)
    apart = 0
    for _ in range(300):
        one, two = (CORNERS * rng.uniform(0.02, 0.2, 3) + rng.uniform(-0.1, 0.1, 3) for _ in range(2))
        X = Pose(Rotation.random(random_state=rng).as_matrix(), rng.uniform(-0.15, 0.15, 3))
        deep = depth(box_of(one), box_of(two), X)
        solids = [manifold3d.Manifold.hull_points(points) for points in (X.point(one), two)]
        both = solids[0] ^ solids[1]
        if both.volume() > 0:
            assert 2 * both.volume() / both.surface_area() <= deep + 1e-7
        assert (deep > 0) == meets(X.point(one), two)
        apart += deep <= 0
    assert 30 < apart < 270


def meets(one: np.ndarray, two: np.ndarray) -> bool:
    """Whether two hulls have a common point, as a linear programme says."""
    n, m = len(one), len(two)
    rows = np.vstack([np.hstack([one.T, -two.T]), np.r_[np.ones(n), np.zeros(m)], np.r_[np.zeros(n), np.ones(m)]])
    return bool(linprog(np.zeros(n + m), A_eq=rows, b_eq=np.r_[np.zeros(3), 1.0, 1.0]).success)


def test_boxes_that_lie_on_each_other_are_not_deep_wherever_they_turn() -> None:
    for angle in np.radians([0.0, 1e-5, 30.0, 45.0]):
        X = Pose(Rotation.from_rotvec([0, 0, angle]).as_matrix(), np.array([0.2, 0.0, 1.0]))
        assert depth(box_of(CORNERS), box_of(CORNERS), X) == pytest.approx(0.0, abs=1e-12)
