"""The workspace in which the kernels compute: all their arrays, made once for many evaluations and steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, Array3, table
from solver.constraints.terms import Terms
from solver.sweeps.forest import Forest
from solver.sweeps.work import Work, make_work


@table
class Workspace(NamedTuple):
    """What one state of a system leaves. Counts: n bodies, t terms, m rows, na angles, d functions of time.

    x (n+1, 3), R (n+1, 3, 3), v (n+1, 6): frames and velocities [v; ω], the ground's last. `value`, `rate`, `bias` (t,)
    and gradients JA, JB (t, 6) of terms; g, gv, c (m,) and `blocks` (nb, 6) of rows, `compliance` (m,) theirs in the
    factor that `sweeps` holds. `force`, `acceleration` (n, 6); `turning` (na,) the rates of the angles; `power`
    (d + 1,). `torques` (k, 8) and `free` (n, 6) belong to meshes with losses, `still` (n, 6) is zero, `move` (n, 6) a
    correction; `calls` (3, k) hands coordinates to callbacks and gets their forces.
    """

    sweeps: Work
    x: Array2
    R: Array3
    v: Array2
    value: Array1
    rate: Array1
    bias: Array1
    JA: Array2
    JB: Array2
    g: Array1
    gv: Array1
    c: Array1
    blocks: Array2
    compliance: Array1
    force: Array2
    acceleration: Array2
    turning: Array1
    power: Array1
    torques: Array2
    free: Array2
    still: Array2
    move: Array2
    calls: Array2


def make_workspace(T: Terms, P: Forest, sizes: tuple[int, int, int, int], compliance: Array1) -> Workspace:
    """Workspace for a system of so many meshes, coordinates of callbacks, integrated angles and functions of time."""
    n, t, m = len(P.body), len(T.kind), len(T.constant)
    meshes, coordinates, angles, drives = sizes
    return Workspace(
        make_work(P),
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
        np.zeros((len(T.block_body), 6)),
        compliance.copy(),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros(angles),
        np.zeros(drives + 1),
        np.zeros((meshes, 8)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros((n, 6)),
        np.zeros((3, coordinates)),
    )
