"""The room in which the kernels compute: all their arrays, made once for many evaluations and steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solver.sweeps.work import Work, workspace

Array = NDArray[np.float64]


class Room(NamedTuple):
    """What one state of a system leaves. Counts: n bodies, t terms, m rows, na angles, d functions of time.

    x (n+1, 3), R (n+1, 3, 3), v (n+1, 6): frames and velocities [v; ω], the ground's last. `value`, `rate`, `bias` (t,)
    and gradients JA, JB (t, 6) of terms; g, gv, c (m,) and `blocks` (nb, 6) of rows, `compliance` (m,) theirs in the
    factor that `sweeps` holds. `force`, `acceleration` (n, 6); `turning` (na,) the rates of the angles; `power`
    (d + 1,). `torques` (k, 2) and `free` (n, 6) belong to meshes with losses, `still` (n, 6) is zero, `move` (n, 6) a
    correction.
    """

    sweeps: Work
    x: Array
    R: Array
    v: Array
    value: Array
    rate: Array
    bias: Array
    JA: Array
    JB: Array
    g: Array
    gv: Array
    c: Array
    blocks: Array
    compliance: Array
    force: Array
    acceleration: Array
    turning: Array
    power: Array
    torques: Array
    free: Array
    still: Array
    move: Array


@njit(cache=True)
def make_room(T, P, F, W, angles, drives):  # type: ignore[no-untyped-def]
    """Room for a system of `angles` integrated angles and `drives` functions of time."""
    n, t, m = P.body.shape[0], T.kind.shape[0], T.constant.shape[0]
    return Room(
        workspace(P),
        np.zeros((n + 1, 3)),
        np.empty((n + 1, 3, 3)),
        np.zeros((n + 1, 6)),
        np.zeros(t),
        np.zeros(t),
        np.zeros(t),
        np.zeros((t, 6)),
        np.zeros((t, 6)),
        np.zeros(m),
        np.zeros(m),
        np.zeros(m),
        np.zeros((T.block_body.shape[0], 6)),
        W.compliance.copy(),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros(angles),
        np.zeros(drives + 1),
        np.zeros((F.mesh_row.shape[0], 2)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
    )
