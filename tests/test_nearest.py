"""The nearest point of a triangle, against trimesh's and by the definition."""

from __future__ import annotations

import numpy as np

from cadbridge.geometry import nearest_on_triangles
from tests.late import trimesh


def test_it_is_that_of_trimesh_above_each_corner_edge_and_inside() -> None:
    rng = np.random.default_rng(1)
    triangles, points = rng.normal(size=(2000, 3, 3)), 2.0 * rng.normal(size=(2000, 3))
    points[:500] = triangles[:500].mean(axis=1) + 0.01 * points[:500]
    expected = trimesh.triangles.closest_point(triangles, points)
    np.testing.assert_allclose(nearest_on_triangles(triangles, points), expected, atol=1e-12)


def test_a_triangle_without_an_area_is_its_edges_or_a_point() -> None:
    a, b, c = np.eye(3)
    line, spike = [a, (a + b) / 2, b], [a, b, b]
    triangles = np.array([line, spike, [c, c, c]])
    beyond, beside = 2.0 * a - b, (a + b) / 2 + 3.0 * (a + b - 2 * c)
    found = nearest_on_triangles(np.repeat(triangles, 2, axis=0), np.array([beyond, beside] * 3))
    np.testing.assert_allclose(found, [a, (a + b) / 2, a, (a + b) / 2, c, c], atol=1e-12)
