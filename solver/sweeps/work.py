"""The workspace of the sweeps, and what their kernels share. No loop passes a tuple of arrays: it would cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, Array3, Triple, inlined, kernel, table, zeros
from solver.constraints.kernels import cross
from solver.sweeps.forest import Forest


@table
class Work(NamedTuple):
    """A factorisation by the articulated-body algorithm, by places k of the forest, slots and loop rows.

    `inertia` (n, 21): the articulated-body inertia Iᴬ of a place, [mass 6; coupling 9; moments 6] of the upper
    triangles. `shift` x − x of the parent and `to_joint` from the body to its joint's point (n, 3). `S` (n, 6, 6): the
    motion subspace of the joint, a row a freedom s; `U` (n, 6, 6) = Iᴬ s; `D_inverse` (n, 6) = 1/sᵀIᴬ s.
    `angle_duals` (n, 3, 3): f, or the duals of the joint's angles. Slots: `C` the gradients of the loop rows over the
    body that they have reached, and `SC` s·C (slots, 6). `schur` the factor of the loops' Schur complement, `pivot`,
    `weight` w and `least` μ w (l,). Of a solution: `force` the bias forces pᴬ, `u` = sᵀpᴬ, `correction` (n, 6), `gap`
    and `loop_correction` (l,); `loop_multipliers` (l,). `added_force` (n, 6), `added_correction`, `added_multipliers`
    and `no_gap` (m,), zero, belong to the mass added to bodies without (`solver.equations.massless`).
    `unsolved` (1,) counts the accelerations of which the refinement left rows open.
    """

    inertia: Array2
    shift: Array2
    to_joint: Array2
    S: Array3
    U: Array3
    D_inverse: Array2
    angle_duals: Array3
    C: Array2
    SC: Array2
    schur: Array1
    pivot: Array1
    weight: Array1
    least: Array1
    force: Array2
    u: Array2
    correction: Array2
    gap: Array1
    loop_correction: Array1
    loop_multipliers: Array1
    added_force: Array2
    added_correction: Array2
    added_multipliers: Array1
    no_gap: Array1
    unsolved: Array1


def make_work(P: Forest) -> Work:
    """The workspace for the sweeps of a forest P."""
    n, slots, loops = len(P.body), len(P.slot_loop), len(P.row)
    rows = loops + int(np.sum(P.plane_row >= 0)) + int(np.sum(P.angle_row >= 0))
    return Work(*zeros(
        (n, 21), (n, 3), (n, 3), (n, 6, 6), (n, 6, 6), (n, 6), (n, 3, 3), (slots, 6), (slots, 6), P.column.shape[0],
        loops, loops, loops, (n, 6), (n, 6), (n, 6), loops, loops, loops, (n, 6), (n, 6), loops, rows, 1,
    ))  # fmt: skip


@kernel
def copy_rows(source: Array2, target: Array2) -> None:
    """target (n, k) = source."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def add_rows(target: Array2, part: float, source: Array2) -> None:
    """target (n, k) += part · source."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] += part * source[i, j]


@inlined
def row(a: Array2, k: int) -> Triple:
    """a[k] (3,) as three floats."""
    return (a[k, 0], a[k, 1], a[k, 2])


@inlined
def row_of(a: Array3, k: int, j: int) -> Triple:
    """a[k, j] (3,) as three floats."""
    return (a[k, j, 0], a[k, j, 1], a[k, j, 2])


@inlined
def wrench_to_parent(C: Array2, here: int, there: int, shift: Array2, k: int) -> None:
    """C[there] += C[here] of C (l, 6), a wrench on place k moved to the centre of its parent by `shift` (n, 3; m)."""
    f = (C[here, 0], C[here, 1], C[here, 2])
    moment = cross(row(shift, k), f)
    for j in range(3):
        C[there, j] += f[j]
        C[there, 3 + j] += C[here, 3 + j] + moment[j]


@inlined
def acceleration_from_parent(a: Array2, p: int, moving: bool, shift: Array2, k: int, out: Array2, i: int) -> None:
    """out[i] (6,) = the acceleration a[p] of the parent, at the centre of place k; 0 where the parent does not move."""
    if moving:
        w = cross((a[p, 3], a[p, 4], a[p, 5]), row(shift, k))
        for j in range(3):
            out[i, j] = a[p, j] + w[j]
            out[i, 3 + j] = a[p, 3 + j]
    else:
        for j in range(6):
            out[i, j] = 0.0
