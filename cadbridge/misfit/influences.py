"""What one mate that is off does to all mates of its group: forces for a unit of misfit, which grow in proportion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.mechanism import Mechanism
from cadbridge.misfit.forces import Springs
from cadbridge.misfit.groups import Constraints, DependentMates, constraints_of, groups_of
from cadbridge.misfit.settings import Settings, stiffness_rows
from cadbridge.misfit.weights import carried_weights

Array = NDArray[np.float64]

MOST_ROWS = 150
"""Rows of a group up to which all of its influences are computed: they are the square of it, for a document that people
read."""


@dataclass(frozen=True, eq=False)
class Off:
    """A mate off by 1 m (or 1 rad) along a unit `direction` (world): `wrenches` (k, 6) on the group's mates.

    Its second side is off that way, seen from the first.
    """

    mate: str
    kind: str
    turns: bool
    direction: tuple[float, float, float]
    wrenches: Array


@dataclass(frozen=True, eq=False)
class Influences:
    """Of a group's `mates` (k): their `points` (k, 3), the wrenches (k, 6) of the weights, None where not known.

    A wrench [force; torque about the mate's point] acts on the mate's second component, in world axes.
    """

    mates: tuple[str, ...]
    points: Array
    weights: Array | None
    offs: tuple[Off, ...]


def influences(mechanism: Mechanism, settings: Settings, most: int) -> tuple[Influences, ...]:
    """The influences of groups of at most `MOST_ROWS` rows, of so many groups; mates by the springs of `settings`."""
    constraints = constraints_of(mechanism)
    groups = [group for group in groups_of(constraints) if len(group.rows) <= MOST_ROWS][:most]
    if not groups:
        return ()
    weights = carried_weights(constraints)
    return tuple(_of(constraints, group, settings, None if weights is None else weights[0]) for group in groups)


def _of(constraints: Constraints, group: DependentMates, settings: Settings, weights: Array | None) -> Influences:
    springs = Springs(group, stiffness_rows(settings, group.blocks, len(group.rows)))
    to_wrench = _wrenches(constraints, group)
    carried = None if weights is None else to_wrench @ springs.shared(weights[group.rows])
    forces = springs.forces(np.eye(len(group.rows)))
    signs = _signs(constraints, group)
    offs = [
        Off(
            block.mate,
            block.kind,
            block.turns,
            (float(d[0]), float(d[1]), float(d[2])),
            signs[row] * (to_wrench @ forces[:, row]),
        )
        for block in group.blocks
        for row, d in zip(block.rows, block.directions, strict=True)
        # N for each m, beside the row's own spring: what is left of a stress that does not pass here is rounding.
        if np.any(d) and np.any(np.abs(forces[:, row]) > 1e-9 * springs.k[row])
    ]
    points = np.array([constraints.blocks.frames[mate].point for mate in group.mates])
    return Influences(group.mates, points, carried, tuple(offs))


def _signs(constraints: Constraints, group: DependentMates) -> Array:
    """1 where a row (m,) sees the second component of its mate move along its direction, −1 where the first."""
    second = {m.name: m.b.component for m in constraints.mechanism.assembly.mates}
    signs = np.ones(len(group.rows))
    for block in (b for b in group.blocks if b.mate in second):
        unit = constraints.mechanism.units[second[block.mate]]
        for row in block.rows:
            signs[row] = 1.0 if constraints.rows.ends[group.rows[row]][-1] == unit else -1.0
    return signs


def _wrenches(constraints: Constraints, group: DependentMates) -> Array:
    """What multipliers (m,) of a group are as wrenches (k, 6, m) on the second components of its mates."""
    second = {m.name: m.b.component for m in constraints.mechanism.assembly.mates}
    place = {mate: i for i, mate in enumerate(group.mates)}
    found = np.zeros((len(group.mates), 6, len(group.rows)))
    signs = _signs(constraints, group)
    for block in (b for b in group.blocks if b.mate in second):
        half = slice(3, 6) if block.turns else slice(0, 3)
        for row, d in zip(block.rows, block.directions, strict=True):
            # A row's multiplier pulls its last end back along its direction.
            found[place[block.mate], half, row] = -signs[row] * d
    return found
