"""Rotations: unit quaternions (w, x, y, z) and matrices, in NumPy; R_AB turns vectors of B's axes to A's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrices (…, 3, 3) of quaternions (…, 4; w first), of any length but zero."""
    q = np.asarray(quaternion, dtype=float)
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion(rotation: ArrayLike) -> Array:
    """Unit quaternions (…, 4) of the rotations nearest to matrices (…, 3, 3), by the largest component (Shepperd).

    w ≥ 0, and the first component that is not zero is above it. ValueError where a determinant is not above zero.
    """
    given = np.asarray(rotation, dtype=float)
    R = _nearest(given.reshape(-1, 3, 3))
    a, b, c = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    trace = a + b + c
    # Row k is four times component k of q, times q.
    products = np.empty((len(R), 4, 4))
    for k, diagonal in enumerate((trace, 2 * a - trace, 2 * b - trace, 2 * c - trace)):
        products[:, k, k] = 1 + diagonal
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        products[:, 0, 1 + i] = products[:, 1 + i, 0] = R[:, k, j] - R[:, j, k]
        products[:, 1 + i, 1 + j] = products[:, 1 + j, 1 + i] = R[:, j, i] + R[:, i, j]
    largest = np.argmax([trace, a, b, c], axis=0)
    each = np.arange(len(R))
    q = products[each, largest]
    q /= np.sqrt(np.einsum("ij,ij->i", q, q))[:, None]
    leading = q[each, np.argmax(q != 0, axis=1)]
    q[leading < 0] *= -1
    return np.asarray(q.reshape(*given.shape[:-2], 4))


def _nearest(R: Array) -> Array:
    """The rotations nearest to matrices (k, 3, 3): CAD writes some with six digits."""
    if np.any(np.linalg.det(R) <= 0):
        raise ValueError("a rotation matrix has a determinant that is not above zero")
    # A singular value decomposition would only round it anew.
    if np.abs(np.matmul(R, R.swapaxes(1, 2)) - np.eye(3)).max(initial=0.0) <= 1e-12:
        return R
    U, _, Vt = np.linalg.svd(R)
    return np.asarray(U @ Vt)


def multiply(left: ArrayLike, right: ArrayLike) -> Array:
    """The product of quaternions (…, 4): first `right`, then `left`."""
    a, b = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    aw, ax, ay, az = (a[..., k] for k in range(4))
    bw, bx, by, bz = (b[..., k] for k in range(4))
    # Written out: np.cross takes ten times as long for the few bodies of a mechanism.
    w = aw * bw - (ax * bx + ay * by + az * bz)
    x = aw * bx + bw * ax + (ay * bz - az * by)
    y = aw * by + bw * ay + (az * bx - ax * bz)
    z = aw * bz + bw * az + (ax * by - ay * bx)
    return np.stack([w, x, y, z], axis=-1)


def conjugate(quaternion: ArrayLike) -> Array:
    """The inverse rotation of unit quaternions (…, 4)."""
    return np.asarray(np.asarray(quaternion, dtype=float) * np.array([1.0, -1.0, -1.0, -1.0]))


def exponential(rotation_vector: ArrayLike) -> Array:
    """Unit quaternions (…, 4) of rotation vectors (…, 3; rad)."""
    half = np.asarray(rotation_vector, dtype=float) / 2
    angle = np.linalg.norm(half, axis=-1, keepdims=True)
    return np.concatenate([np.cos(angle), np.sinc(angle / np.pi) * half], axis=-1)


def logarithm(quaternion: ArrayLike) -> Array:
    """The shortest rotation vectors (…, 3; rad) of unit quaternions (…, 4)."""
    q = np.asarray(quaternion, dtype=float)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = np.arctan2(sine, q[..., :1])
    # The angle over its sine is 1 where both vanish: below 1e-12 it differs from it by less than rounding.
    factor = np.where(sine > 1e-12, angle / np.where(sine > 1e-12, sine, 1.0), 1.0)
    return np.asarray(2 * factor * q[..., 1:])


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """R(q) · v for quaternions (…, 4) and vectors (…, 3)."""
    return np.asarray(np.einsum("...ij,...j->...i", matrix(quaternion), np.asarray(vector, dtype=float)))


def turned(quaternion: ArrayLike, rotation_vector: ArrayLike) -> Array:
    """exp(θ) ⊗ q: orientations (…, 4) turned by world-axes rotation vectors (…, 3), normalised."""
    q = multiply(exponential(rotation_vector), quaternion)
    return np.asarray(q / np.linalg.norm(q, axis=-1, keepdims=True))


def cross(a: Array, b: Array) -> Array:
    """a × b of two vectors (3,); NumPy's own is made for stacks of them and takes twenty times as long."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def perpendicular(axis: ArrayLike) -> Array:
    """A unit vector (3,) perpendicular to `axis` (3,), the same for the same axis."""
    u = np.asarray(axis, dtype=float)
    other = np.zeros(3)
    other[int(np.argmin(np.abs(u)))] = 1.0
    result = cross(u, other)
    return np.asarray(result / np.linalg.norm(result))


def skew(vector: ArrayLike) -> Array:
    """The matrix (3, 3) of v × for v (3,)."""
    x, y, z = np.asarray(vector, dtype=float).tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
