"""The home pose as MuJoCo's qpos: the joint values named, and for all others what the couplings make of them."""

from __future__ import annotations

import numpy as np

from cadbridge.exporters.plan import LinkPlan
from cadbridge.frames import Vector


def home_qpos(plan: LinkPlan, loops: bool) -> list[float] | None:
    """qpos in the order of the links; None where the pose does not follow from joint values and couplings alone.

    That is where loops must be closed, a value's joint has no coordinate of its own, or the couplings forbid it.
    """
    home = plan.mechanism.home
    index = {freedom.name: k for k, freedom in enumerate(plan.tree.freedoms)}
    if loops or not home or not home.keys() <= index.keys():
        return None
    q = _solve(plan, {index[name]: value for name, value in home.items()})
    return None if q is None else _qpos(plan, q)


def _solve(plan: LinkPlan, known: dict[int, float]) -> Vector | None:
    """The least coordinates (N,) that have the known values and obey all relations."""
    count = len(plan.joint_names)
    A = np.zeros((len(plan.relations) + len(known), count))
    b = np.zeros(len(A))
    for i, relation in enumerate(plan.relations):
        for k, coefficient in relation.terms:
            A[i, k] = coefficient
        b[i] = relation.constant
    for i, (k, value) in enumerate(known.items(), len(plan.relations)):
        A[i, k], b[i] = 1.0, value
    q = np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=float)
    # rad or m: values of joints that the relations do not allow are off by what a person wrote, not by rounding.
    return q if np.allclose(A @ q, b, atol=1e-9) else None


def _qpos(plan: LinkPlan, q: Vector) -> list[float]:
    """Scalars as they are; balls and free bodies as designed."""
    values: list[float] = []
    for link in plan.tree.links:
        own = [float(v) for v in q[link.first : link.first + len(link.freedoms)]]
        if link.floats:
            values += [*link.X_WL.p, *link.X_WL.quaternion()]
        elif link.kind.ball:
            values += [*own[:-3], 1.0, 0.0, 0.0, 0.0]
        else:
            values += own
    return values
