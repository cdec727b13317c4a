"""The two axes of a universal joint, from its rows."""

from __future__ import annotations

import numpy as np

from cadbridge.frames import Vector
from cadbridge.mechanism.model import Joint, Mechanism
from solver.constraints import AxesAngle

AXES_MEET = 1e-9
"""Axes that pass each other by less, relative to the mechanism's size, meet: far above rounding, 1e-15, and far below
what two axes that cross are apart by design."""


def universal_axes(mechanism: Mechanism, joint: Joint) -> tuple[Vector, Vector, Vector] | None:
    """The axis (3,) that body a holds, the one that b holds, and the point (3,) where they meet; world, as designed.

    None where the joint's rows are other ones than three of a point and one of a right angle.
    """
    angles = [p for p in joint.primitives if isinstance(p, AxesAngle) and p.cosine == 0]
    # Rows that hold the same by other features may leave the same freedoms, and do not show the arms of a cross.
    if len(angles) != 1 or sum(p.rows for p in joint.primitives) != 4 or joint.freedom.shape[1] != 2:
        return None
    (held,) = angles
    u, w = mechanism.X_WB(held.a).R @ held.axis_a, mechanism.X_WB(held.b).R @ held.axis_b
    # The point stands still in every motion that is free: v + ω × p = 0.
    v, omega = joint.freedom[:3].T, joint.freedom[3:].T
    rows = np.vstack([np.cross(np.eye(3), turn).T for turn in omega])
    point = np.linalg.lstsq(rows, v.ravel(), rcond=None)[0]
    if float(np.max(np.abs(rows @ point - v.ravel()))) > AXES_MEET * mechanism.length_scale:
        return None
    X_WJ = mechanism.X_WB(joint.a) @ joint.X_AJ
    meeting = X_WJ.point(point)
    return (u, w, meeting) if held.a == joint.a else (w, u, meeting)
