"""Functions of time as compiled steps see them, and the times at which they bend or jump: ends of steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.compilation.compiled import Array1, Array2, Array3, Ints1, call_python, inlined, kernel, table
from solver.steps.tableaus import Tableau

_OWN_SIDE = 1e-14
"""s, over the time from 1 s on: a corner's own side is evaluated so far from it, some fifty units in the last place of
the time: the least that survives the arithmetic of an expression, and less than moves a value."""


@table
class Drives(NamedTuple):
    """The functions of time: their values (rows, 3) where they are `constant`, and the address of a `filler` (0 or 1,)
    where they are not (`solver.model.callbacks`). `nodes` (s, rows, 3) and `end` (rows, 3) are workspace for a step.

    `corners` (c,) s are the next times at which one of them has no smooth value, rising, filled up with infinity.
    """

    constant: Array2
    filler: Ints1
    corners: Array1
    nodes: Array3
    end: Array2


@kernel
def fill(drives: Drives, t: float, out: Array2) -> None:
    """The functions of time at t into out (rows, 3)."""
    if drives.filler.shape[0] > 0:
        call_python(drives.filler[0], out.shape[0], t, out)
        return
    for k in range(out.shape[0]):
        for j in range(3):
            out[k, j] = drives.constant[k, j]


@inlined
def _aside(t: float) -> float:
    """How far (s) from a corner at t (s) its own side is looked at."""
    return _OWN_SIDE * max(1.0, abs(t))


@kernel
def fill_after(drives: Drives, corner: float, out: Array2) -> None:
    """The functions of time just after a `corner` (s), into out (rows, 3)."""
    fill(drives, corner + _aside(corner), out)


@kernel
def fill_before(drives: Drives, corner: float, out: Array2) -> None:
    """The functions of time just before a `corner` (s), into out (rows, 3)."""
    fill(drives, corner - _aside(corner), out)


@kernel
def fill_here(drives: Drives, t: float, out: Array2) -> None:
    """The functions of time from t (s) on, into out (rows, 3): at a corner those after it."""
    for k in range(drives.corners.shape[0]):
        if abs(drives.corners[k] - t) <= 2 * _aside(t):
            fill_after(drives, drives.corners[k], out)
            return
    fill(drives, t, out)


@kernel
def next_corner(drives: Drives, t: float) -> float:
    """The first corner (s) after t (s); infinite without any."""
    for k in range(drives.corners.shape[0]):
        # A step that ended at a corner did so within rounding of it: that one lies behind.
        if drives.corners[k] > t + 2 * _aside(t):
            found: float = drives.corners[k]
            return found
    return np.inf


@kernel
def fill_nodes(drives: Drives, tableau: Tableau, t: float, h: float, corner: float) -> bool:
    """The functions of time at a step's nodes (s, rows, 3) and end, before the next corner; whether all have values."""
    # Up to its end a step sees the functions as they are before the corner: the piece behind it is another.
    last = corner - _aside(corner) if corner < np.inf else np.inf
    for s in range(drives.nodes.shape[0]):
        fill(drives, min(t + tableau.nodes[s] * h, last), drives.nodes[s])
    fill(drives, min(t + h, last), drives.end)
    # A function without a value has NaN (`Filler`), and so has the sum.
    total = 0.0
    for k in range(drives.end.shape[0]):
        for j in range(3):
            total += drives.end[k, j]
            for s in range(drives.nodes.shape[0]):
                total += drives.nodes[s, k, j]
    return abs(total) < np.inf
