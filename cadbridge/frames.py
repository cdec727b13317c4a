"""Poses of frames.

Notation: `X_AB` is the pose of frame B in frame A; `p_A = X_AB @ p_B`, and
`X_AC = X_AB @ X_BC`. W is the world frame. Lengths in metres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver import rotation
from solver.algebra.division import LEAST_DIVISOR

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

ACROSS = 1e-6
"""A direction whose cosine with another is no larger is across it, and its sign that of rounding alone."""


def _identity_rotation() -> Matrix:
    return np.eye(3)


def _zero_vector() -> Vector:
    return np.zeros(3)


@dataclass(frozen=True, eq=False)
class Pose:
    """The pose X_AB of a frame B in a frame A: a proper rigid motion, p_A = X_AB @ p_B.

    Attributes:
        R: Rotation (3, 3), determinant +1: the axes of B in A, by columns.
        p: Origin of B in A (3,) m.
    """

    R: Matrix = field(default_factory=_identity_rotation)
    p: Vector = field(default_factory=_zero_vector)

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self) -> Pose:
        """Turn X_AB into X_BA.

        Returns:
            The pose of A in B.
        """
        return Pose(self.R.T, -self.R.T @ self.p)

    def point(self, p_B: ArrayLike) -> Vector:
        """Express points of frame B in frame A.

        Args:
            p_B: (..., 3) m.

        Returns:
            R p + origin, (..., 3) m.
        """
        return np.asarray(p_B, dtype=float) @ self.R.T + self.p

    def vector(self, v_B: ArrayLike) -> Vector:
        """Express directions of frame B in frame A.

        Args:
            v_B: (..., 3).

        Returns:
            R v, (..., 3).
        """
        return np.asarray(v_B, dtype=float) @ self.R.T

    def matrix(self) -> Matrix:
        """Write the pose as a homogeneous matrix.

        Returns:
            (4, 4).
        """
        X = np.eye(4)
        X[:3, :3] = self.R
        X[:3, 3] = self.p
        return X

    @staticmethod
    def from_rpy(xyz: ArrayLike, rpy: ArrayLike) -> Pose:
        """Make a pose by URDF's convention: turns about fixed axes, first roll, then pitch, then yaw.

        Args:
            xyz: Origin of B in A (3,) m.
            rpy: Roll, pitch, yaw (3,) rad.

        Returns:
            X_AB.
        """
        r, p, y = np.asarray(rpy, dtype=float)
        cr, sr, cp, sp, cy, sy = np.cos(r), np.sin(r), np.cos(p), np.sin(p), np.cos(y), np.sin(y)
        R = np.array(
            [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ]
        )
        return Pose(R, np.asarray(xyz, dtype=float).copy())

    def rpy(self) -> Vector:
        """Give roll, pitch and yaw about fixed axes, as `from_rpy` takes them.

        Returns:
            (3,) rad.
        """
        R = self.R
        pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
        # At a pitch of ±90° roll and yaw turn about one axis: all of it is taken as roll.
        if np.hypot(R[0, 0], R[1, 0]) < 1e-12:
            return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])
        return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])

    def quaternion(self) -> Vector:
        """Give the rotation as a unit quaternion.

        Returns:
            (4,) as w, x, y, z with w ≥ 0.
        """
        return rotation.quaternion(self.R)

    @staticmethod
    def from_quaternion(p: ArrayLike, q: ArrayLike) -> Pose:
        """Make a pose of a position and a quaternion.

        Args:
            p: Origin of B in A (3,) m.
            q: (4,) as w, x, y, z, of any length but zero.

        Returns:
            X_AB.

        Raises:
            ValueError: The quaternion is zero.
        """
        w, x, y, z = np.asarray(q, dtype=float).tolist()
        norm = math.hypot(w, x, y, z)
        if norm == 0.0:
            raise ValueError("a quaternion of zeros turns nothing")
        w, x, y, z = w / norm, x / norm, y / norm, z / norm
        R = [
            [x * x - y * y - z * z + w * w, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), -x * x + y * y - z * z + w * w, 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), -x * x - y * y + z * z + w * w],
        ]
        return Pose(np.array(R), np.asarray(p, dtype=float).copy())


def unit(v: ArrayLike) -> Vector:
    """The unit vector along v (3,); ValueError where v is (nearly) zero."""
    v = np.asarray(v, dtype=float)
    norm = math.hypot(*v.tolist())
    if not norm > LEAST_DIVISOR:
        raise ValueError("a zero vector has no direction")
    return v / norm


def cross_length(u: Vector, v: Vector) -> float:
    """|u × v| of two vectors (3,): of unit vectors the sine between them, of one the length across it."""
    # NumPy takes ten times as long for three numbers.
    (a, b, c), (x, y, z) = u.tolist(), v.tolist()
    return math.hypot(b * z - c * y, c * x - a * z, a * y - b * x)


def perpendicular(v: ArrayLike) -> Vector:
    """A unit vector perpendicular to v (3,), chosen the same way every time."""
    v = unit(v)
    x, y, z = v.tolist()
    # v × e, e along the axis to which v is least inclined.
    return unit(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))[int(np.argmin(np.abs(v)))])


def frame_from_axis(axis: ArrayLike, x: ArrayLike | None = None) -> Matrix:
    """A rotation (3, 3) whose third column is `axis`; the first follows `x` where given."""
    z = unit(axis)
    if x is None:
        e1 = perpendicular(z)
    else:
        x = np.asarray(x, dtype=float)
        e1 = unit(x - z * float(z @ x))
    return np.array([e1, rotation.cross(z, e1), z]).T.copy()


_ALONG_X = 0.9
"""Cosine of the angle (26°) to the own x above which an axis leaves too little of it to turn across."""


def frame_of_person(z: ArrayLike, x: ArrayLike | None = None) -> Matrix:
    """A frame as a person gives it: z along `z`, x along `x` turned across it.

    Without `x` it is the x of the frame in which both are given, so that z alone turns nothing about itself, and its y
    where z is within 26° of that x.
    """
    if x is None:
        x = (0.0, 1.0, 0.0) if abs(float(unit(z)[0])) > _ALONG_X else (1.0, 0.0, 0.0)
    return frame_from_axis(z, x)
