"""The tree's branches, the chords that close its loops, and what is known of the loops that share motions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.pairs import BodyPair
from solver.constraints import GROUND

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDED_AWAY = 1e-11
"""An entry of a closing condition (m, or 1) below this is rounding: sums along a chain of a hundred bodies leave 1e-14,
entries are lengths of one machine."""


@dataclass(frozen=True, eq=False)
class Branch:
    """The connection of a unit with its parent in the tree. `pair` is None where no mate leads to the ground.

    `freedom` (6, k) are the twists of the unit relative to its parent; their coordinates start at `first`.
    """

    unit: int
    parent: int
    pair: BodyPair | None
    freedom: Array
    first: int
    depth: int

    @property
    def columns(self) -> range:
        """The coordinates of the branch."""
        return range(self.first, self.first + self.freedom.shape[1])


@dataclass(frozen=True, eq=False)
class Chord:
    """Independent rows that close loops: `rows` (r,) and their wrenches (r, 6) on each unit that they hold."""

    rows: Ints
    wrenches: dict[int, Array]
    pair: BodyPair | None


class Stresses(NamedTuple):
    """Combinations of rows that vanish, sparse: the part `value` of a `row` in the stress of number `column`."""

    row: Ints
    column: Ints
    value: Array


class Loops(Protocol):
    """Closing conditions that share motions, in the coordinates `columns` (k,) of the branches of the `units`."""

    @property
    def chords(self) -> tuple[Chord, ...]:
        """The connections that close the loops."""

    @property
    def units(self) -> tuple[int, ...]:
        """The units whose branches are part of the loops."""

    @property
    def columns(self) -> Ints:
        """The coordinates (k,) of the graph that take part."""

    @property
    def rank(self) -> int:
        """How many conditions are independent."""

    @property
    def freedom(self) -> Array:
        """The motions (k, d) that the loops leave, orthonormal."""

    @property
    def repeated(self) -> Ints:
        """The rows (d,) that repeat others around the loops."""

    @property
    def stresses(self) -> Stresses:
        """The self-stresses, one for each row in `repeated`, in which that row has the part 1."""


def carried(branches: dict[int, Branch], wrenches: dict[int, Array]) -> dict[int, Array]:
    """Wrenches (r, 6) on units as wrenches on the relative motions of the branches (by unit) between them.

    Climbs from the deepest unit until all have met; what is left then is the sum, which is none, or acts on the ground.
    """
    at = {unit: W.copy() for unit, W in wrenches.items()}
    along: dict[int, Array] = {}
    size = max(float(np.max(np.abs(W), initial=0.0)) for W in wrenches.values())
    while at:
        unit = max(at, key=lambda u: (branches[u].depth, u))
        W = at.pop(unit)
        if not at and float(np.max(np.abs(W), initial=0.0)) <= ROUNDED_AWAY * max(size, 1.0) * 100:
            break
        along[unit] = W
        parent = branches[unit].parent
        if parent != GROUND:
            at[parent] = at[parent] + W if parent in at else W
    return along
