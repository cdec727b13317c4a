"""Affine placements as files have them, turned into rigid motions with mirroring and scaling set apart."""

from __future__ import annotations

import numpy as np

from cadbridge.frames import Matrix, Pose

Rigid = tuple[Pose, bool, float, float]
"""What `proper` makes of a placement: pose, mirrored, scale, shear."""

EXACT_ROTATION = 1e-6
"""How far an entry of R, or of R Rᵀ, may be from a rotation's in a format of double precision.

Such files are off by 1e-15 at best and 1e-7 where a writer keeps seven digits; what is scaled or sheared on purpose is
off by far more than 1e-6.
"""

ROUNDED_ROTATION = 1e-4
"""The same of formats of single precision (USD) or of six digits (SimMechanics Link; old files of Ondsel: 2e-8).

Single precision rounds by 6e-8 at each of a chain of placements. Above 1e-4 a point a metre away would move by 0.1 mm.
"""

ALIGNED = 1e-6
"""Sine of the angle up to which two directions of a file are parallel, cosine up to which they are square.

It decides which joint a pair of axes makes. Rounding to seven digits tilts by 1e-7; nobody draws a tilt of 0.2″, and
1e-6 moves the end of a shaft of a metre by 1 µm.
"""

_MIRROR = np.diag([-1.0, 1.0, 1.0])


def compose(a: Matrix, b: Matrix) -> Matrix:
    """The product of two affine maps (3, 4)."""
    return np.column_stack([a[:, :3] @ b[:, :3], a[:, :3] @ b[:, 3] + a[:, 3]])


def proper(matrix: Matrix) -> Rigid:
    """An affine map (3, 4) as rigid motion after mirroring at x = 0 and scaling: pose, mirrored, scale, shear.

    `shear` is the largest deviation of an entry from a rotation's.
    """
    linear = matrix[:, :3]
    determinant = float(np.linalg.det(linear))
    flip = determinant < 0
    scale = abs(determinant) ** (1.0 / 3.0)
    # A map that shrinks a metre to a picometre flattens the shape: no rotation can be had from it.
    if scale < 1e-12:
        return Pose(np.eye(3), matrix[:, 3].copy()), False, 1.0, 1.0
    linear = (linear @ _MIRROR if flip else linear) / scale
    u, _, vt = np.linalg.svd(linear)
    rotation = np.asarray(u @ vt)
    shear = float(np.abs(rotation - linear).max())
    return Pose(rotation, matrix[:, 3].copy()), flip, scale, shear


def affine(R: Matrix, p: Matrix) -> Matrix:
    """The map (3, 4) of a matrix (3, 3) and a translation (3,)."""
    return np.column_stack([R, p])
