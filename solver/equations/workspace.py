"""The workspace in which the kernels compute: all their arrays, made once for many evaluations and steps."""

from __future__ import annotations

from typing import NamedTuple

from solver.compilation.compiled import Array1, Array2, Array3, table, zeros
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
    seen = zeros((n + 1, 3), (n + 1, 3, 3), (n + 1, 6), t, t, t, (t, 6), (t, 6), m, m, m, (len(T.block_body), 6))
    done = zeros((n, 6), (n, 6), angles, drives + 1, (meshes, 8), (n, 6), (n, 6), (n, 6), (3, coordinates))
    return Workspace._make([make_work(P), *seen, compliance.copy(), *done])
