"""Room for the sweeps, and what their kernels share. No tuple of arrays is handed over inside a loop: it would cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from solver.compiled import kernel
from solver.constraints.kernels import cross

Array = NDArray[np.float64]


class Work(NamedTuple):
    """What a factorisation leaves, by places k of the forest, slots and loop rows.

    `inertia` (n, 21): of all that hangs on a place, [mass 6; coupling 9; moments 6] of the upper triangles. `shift` x −
    x of the parent and `reach` from the body to its joint's point (n, 3). `free`, `felt` (n, 6, 6): the freedoms s and
    A s; `give` (n, 6) 1/sᵀA s. `turned` (n, 3, 3): what the joint's angles need again: f, or duals. Slots: `carried`
    C and `swept` s·C (slots, 6). `schur` the factor of D, `pivot` and `weight` (l,). `force`, `drive`, `change`
    (n, 6), `gap` and `more` (l,) belong to a solution; `closing` (l,) are the multipliers of the loops.
    """

    inertia: Array
    shift: Array
    reach: Array
    free: Array
    felt: Array
    give: Array
    turned: Array
    carried: Array
    swept: Array
    schur: Array
    pivot: Array
    weight: Array
    force: Array
    drive: Array
    change: Array
    gap: Array
    more: Array
    closing: Array


@njit(cache=True)
def workspace(P):  # type: ignore[no-untyped-def]
    """Room for the sweeps of a forest P."""
    n, slots, loops = P.body.shape[0], P.slot_loop.shape[0], P.row.shape[0]
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


@njit(cache=True, inline="always")
def row(a, k):  # type: ignore[no-untyped-def]
    """a[k] (3,) as three floats."""
    return (a[k, 0], a[k, 1], a[k, 2])


@njit(cache=True, inline="always")
def row_of(a, k, j):  # type: ignore[no-untyped-def]
    """a[k, j] (3,) as three floats."""
    return (a[k, j, 0], a[k, j, 1], a[k, j, 2])


@njit(cache=True, inline="always")
def hand_on(C, here, there, shift, k):  # type: ignore[no-untyped-def]
    """C[there] += C[here], a wrench of place k as felt by its parent."""
    f = (C[here, 0], C[here, 1], C[here, 2])
    turned = cross(row(shift, k), f)
    for j in range(3):
        C[there, j] += f[j]
        C[there, 3 + j] += C[here, 3 + j] + turned[j]


@njit(cache=True, inline="always")
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
