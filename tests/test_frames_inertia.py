"""Poses compose, and mass properties follow them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from cadbridge.frames import Pose, cross_length, frame_from_axis, frame_of_person
from cadbridge.inertia import MassProperties, combine

Array = NDArray[np.float64]

triples = arrays(float, 3, elements=st.floats(-3.0, 3.0))


@given(triples, triples, triples, triples, triples)
def test_poses_compose_and_invert(p1: Array, r1: Array, p2: Array, r2: Array, x: Array) -> None:
    X_AB, X_BC = Pose.from_rpy(p1, r1), Pose.from_rpy(p2, r2)
    np.testing.assert_allclose((X_AB @ X_BC).point(x), X_AB.point(X_BC.point(x)), atol=1e-12)
    np.testing.assert_allclose((X_AB @ X_AB.inverse()).matrix(), np.eye(4), atol=1e-12)
    again = Pose.from_quaternion(p1, X_AB.quaternion())
    np.testing.assert_allclose(again.matrix(), X_AB.matrix(), atol=1e-12)
    np.testing.assert_allclose(Pose.from_rpy(p1, X_AB.rpy()).matrix(), X_AB.matrix(), atol=1e-7)


@given(triples, triples)
def test_the_length_of_a_cross_product_is_numpys(u: Array, v: Array) -> None:
    np.testing.assert_allclose(cross_length(u, v), np.linalg.norm(np.cross(u, v)), rtol=1e-9, atol=1e-12)
    assert cross_length(u * 1e200, v * 1e200) >= 0 or np.isnan(cross_length(u * 1e200, v * 1e200))


@given(st.sampled_from((1e-308, 1e-160, 1e200, 1e308)))
def test_a_quaternion_of_any_length_turns(size: float) -> None:
    R = Pose.from_quaternion(np.zeros(3), (0.0, 0.0, 0.0, -size)).R
    np.testing.assert_array_equal(R, np.diag((-1.0, -1.0, 1.0)))


@given(triples.filter(lambda v: float(np.linalg.norm(v)) > 1e-3))
def test_a_frame_from_an_axis_is_right_handed(axis: Array) -> None:
    R = frame_from_axis(axis)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    assert np.linalg.det(R) > 0
    np.testing.assert_allclose(R[:, 2], axis / np.linalg.norm(axis), atol=1e-12)


def _particles(points: Array) -> MassProperties:
    """Unit point masses, summed by the definition of the inertia."""
    com = points.mean(axis=0)
    d = points - com
    inertia = sum((np.eye(3) * (v @ v) - np.outer(v, v) for v in d), np.zeros((3, 3)))
    return MassProperties(float(len(points)), com, inertia)


@given(arrays(float, (7, 3), elements=st.floats(-2.0, 2.0)), triples, triples)
def test_mass_properties_move_and_add_like_their_particles(points: Array, p: Array, r: Array) -> None:
    X = Pose.from_rpy(p, r)
    whole = _particles(X.point(points))
    sum_of_parts = combine([_particles(points[:3]).moved(X), _particles(points[3:]).moved(X)])
    np.testing.assert_allclose(sum_of_parts.mass, whole.mass)
    np.testing.assert_allclose(sum_of_parts.com, whole.com, atol=1e-12)
    np.testing.assert_allclose(sum_of_parts.inertia, whole.inertia, atol=1e-10)
    origin = whole.about(np.zeros(3))
    direct = sum((np.eye(3) * (v @ v) - np.outer(v, v) for v in X.point(points)), np.zeros((3, 3)))
    np.testing.assert_allclose(origin, direct, atol=1e-10)


def test_a_frame_without_x_is_not_turned_about_its_z() -> None:
    """A tool of a point alone stood 90° about z, and a bushing had its first two stiffnesses exchanged."""
    assert np.allclose(frame_of_person([0, 0, 1]), np.eye(3))
    assert np.allclose(frame_of_person([0, 0, -2]), np.diag([1.0, -1.0, -1.0]))
    assert np.allclose(frame_of_person([1, 0, 0])[:, 0], [0, 1, 0])
    for z in ([0.3, -0.2, 0.9], [-0.95, 0.1, 0.2]):
        R = frame_of_person(z)
        assert np.allclose(R.T @ R, np.eye(3))
        assert np.allclose(R[:, 2], np.array(z) / np.linalg.norm(z))
    assert np.allclose(frame_of_person([0, 0, 1], [0, 1, 0])[:, 0], [0, 1, 0])
