"""Room for the sweeps, and what their kernels share. No tuple of arrays is handed over inside a loop: it would cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compiled import Array1, Array2, Array3, inlined, kernel, table
from solver.constraints.kernels import cross
from solver.sweeps.forest import Forest


@table
class Work(NamedTuple):
    """What a factorisation leaves, by places k of the forest, slots and loop rows.

    `inertia` (n, 21): of all that hangs on a place, [mass 6; coupling 9; moments 6] of the upper triangles. `shift` x −
    x of the parent and `reach` from the body to its joint's point (n, 3). `free`, `felt` (n, 6, 6): the freedoms s and
    A s; `give` (n, 6) 1/sᵀA s. `turned` (n, 3, 3): what the joint's angles need again: f, or duals. Slots: `carried`
    C and `swept` s·C (slots, 6). `schur` the factor of D, `pivot` and `weight` (l,). `force`, `drive`, `change`
    (n, 6), `gap` and `more` (l,) belong to a solution; `closing` (l,) are the multipliers of the loops. `returned`
    (n, 6), its `change` and `closing`, and `no_gap` (m,), zero, belong to what is lent (`solver.massless`).
    """

    inertia: Array2
    shift: Array2
    reach: Array2
    free: Array3
    felt: Array3
    give: Array2
    turned: Array3
    carried: Array2
    swept: Array2
    schur: Array1
    pivot: Array1
    weight: Array1
    force: Array2
    drive: Array2
    change: Array2
    gap: Array1
    more: Array1
    closing: Array1
    returned: Array2
    returned_change: Array2
    returned_closing: Array1
    no_gap: Array1


def workspace(P: Forest) -> Work:
    """Room for the sweeps of a forest P."""
    n, slots, loops = len(P.body), len(P.slot_loop), len(P.row)
    rows = loops + int(np.sum(P.plane_row >= 0)) + int(np.sum(P.angle_row >= 0))
    return Work(
        np.empty((n, 21)),
        np.empty((n, 3)),
        np.empty((n, 3)),
        np.empty((n, 6, 6)),
        np.empty((n, 6, 6)),
        np.empty((n, 6)),
        np.empty((n, 3, 3)),
        np.empty((slots, 6)),
        np.empty((slots, 6)),
        np.empty(P.column.shape[0]),
        np.empty(loops),
        np.empty(loops),
        np.empty((n, 6)),
        np.empty((n, 6)),
        np.empty((n, 6)),
        np.empty(loops),
        np.empty(loops),
        np.empty(loops),
        np.zeros((n, 6)),
        np.empty((n, 6)),
        np.empty(loops),
        np.zeros(rows),
    )


@kernel
def copy_rows(source, target):  # type: ignore[no-untyped-def]
    """target (n, k) = source."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def add_rows(target, part, source):  # type: ignore[no-untyped-def]
    """target (n, k) += part · source."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] += part * source[i, j]


@inlined
def row(a, k):  # type: ignore[no-untyped-def]
    """a[k] (3,) as three floats."""
    return (a[k, 0], a[k, 1], a[k, 2])


@inlined
def row_of(a, k, j):  # type: ignore[no-untyped-def]
    """a[k, j] (3,) as three floats."""
    return (a[k, j, 0], a[k, j, 1], a[k, j, 2])


@inlined
def hand_on(C, here, there, shift, k):  # type: ignore[no-untyped-def]
    """C[there] += C[here], a wrench of place k as felt by its parent."""
    f = (C[here, 0], C[here, 1], C[here, 2])
    turned = cross(row(shift, k), f)
    for j in range(3):
        C[there, j] += f[j]
        C[there, 3 + j] += C[here, 3 + j] + turned[j]


@inlined
def from_parent(a, p, moving, shift, k, out, i):  # type: ignore[no-untyped-def]
    """out[i] = the acceleration a[p] of the parent where place k is; 0 where the parent does not move."""
    if moving:
        w = cross((a[p, 3], a[p, 4], a[p, 5]), row(shift, k))
        for j in range(3):
            out[i, j] = a[p, j] + w[j]
            out[i, 3 + j] = a[p, 3 + j]
    else:
        for j in range(6):
            out[i, j] = 0.0
