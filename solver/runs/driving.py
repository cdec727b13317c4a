"""Functions of time as compiled steps see them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array2, Array3, Ints1, call_python, kernel, table


@table
class Drives(NamedTuple):
    """The functions of time: their values (rows, 3) where they are `constant`, and the address of a `filler` (0 or 1,)
    where they are not (`solver.model.callbacks`). `nodes` (s, rows, 3) and `end` (rows, 3) are workspace for a step.
    """

    constant: Array2
    filler: Ints1
    nodes: Array3
    end: Array2


@kernel
def fill(drives, t, out):  # type: ignore[no-untyped-def]
    """The functions of time at t into out (rows, 3)."""
    if drives.filler.shape[0] > 0:
        call_python(drives.filler[0], out.shape[0], t, out)
        return
    for k in range(out.shape[0]):
        for j in range(3):
            out[k, j] = drives.constant[k, j]


@kernel
def fill_nodes(drives, tableau, t, h):  # type: ignore[no-untyped-def]
    """The functions of time at a step's nodes and its end; whether all have values."""
    for s in range(drives.nodes.shape[0]):
        fill(drives, t + tableau.nodes[s] * h, drives.nodes[s])
    fill(drives, t + h, drives.end)
    total = 0.0
    for k in range(drives.end.shape[0]):
        for j in range(3):
            total += drives.end[k, j]
            for s in range(drives.nodes.shape[0]):
                total += drives.nodes[s, k, j]
    return abs(total) < np.inf
