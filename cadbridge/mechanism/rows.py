"""The rows of all mates as wrenches about one point, sparse: what ranks of large assemblies are decided on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Pose, Vector
from cadbridge.units import TO_MM
from solver import rotation
from solver.algebra.rank import HIGHEST, NO_DIRECTION
from solver.constraints import GROUND, Primitive, evaluate_sparse
from solver.constraints.program import compile_program

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDED_MM, ROUNDED_DEGREES = 1e-2, 1e-2
"""What a mate may be off by as designed (mm, degrees) and still be fulfilled; what repeats another and is off by less
is benign. Files round to a thousandth and better, a mate that a person dimensioned wrongly is off by a tenth and more:
a choice between the two."""
NOISE = 1e-9
"""mm and degrees: less is the rounding of positions and angles in doubles, and no gap."""
LOOSEST = 0.02
"""However badly the mates fit, a singular value above this counts: rows are of unit length, and two at an angle of 1.2°
still hold two things."""
NO_SPAN = 1e-6
"""m: points that lie nearer are one, but for the rounding of placements in files."""
ALIKE = 3.0
"""How many times larger or smaller than what mates hold a machine's frames may make it. Lengths a thousand times apart
still give the same ranks of most machines, but of a gear train that locks by one tooth in forty only thirty times."""
MOST_SPANS = 10.0
"""How many times farther than the points that mates hold the frames of units may count: some parts reach so far beyond
their joints, but frames that lie anywhere say nothing."""
ARTEFACT = 1e-7
"""A component of a self-stress, of unit length, above this is an artefact: it says that the share of a force is one of
many. A choice between rounding, of the poses that files write as well, and the least share that would be of account."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows (m) of mates between `count` units; a twist is [v of `centre`; ω·length], world axes.

    Row i acts on the units `units[i]` (moving ones only) with the wrenches `wrenches[i]` (k, 6), scaled so that
    the longest is of length 1; `factors` (m,) are those scales and `gaps` (m,) the residuals before scaling
    (in `unit`: m, rad or 1). `owners` names the mate of each row. A row does not see a motion of
    all its units as one, so that of a row between two units one wrench is the other's opposite.
    """

    count: int
    centre: Vector
    length: float
    owners: tuple[str, ...]
    units: tuple[tuple[int, ...], ...]
    ends: tuple[tuple[int, ...], ...]
    wrenches: tuple[Array, ...]
    factors: Array
    gaps: Array
    unit: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.owners)

    def on(self, unit_of: Sequence[int], count: int) -> Rows:
        """The same rows between other units: unit i becomes `unit_of[i]` (-1 the ground) of `count`."""
        units, ends, wrenches = [], [], []
        for own, both, W in zip(self.units, self.ends, self.wrenches, strict=True):
            sums: dict[int, Array] = {}
            for unit, w in zip(own, W, strict=True):
                new = unit_of[unit]
                if new != GROUND:
                    sums[new] = sums[new] + w if new in sums else w
            units.append(tuple(sums))
            ends.append(tuple(dict.fromkeys(unit_of[u] if u != GROUND else GROUND for u in both)))
            wrenches.append(np.array(list(sums.values())).reshape(-1, 6))
        return Rows(
            count, self.centre, self.length, self.owners, tuple(units), tuple(ends), tuple(wrenches), self.factors,
            self.gaps, self.unit,
        )  # fmt: skip


def off_by(gaps: Iterable[float], units: Iterable[str]) -> tuple[float, float]:
    """The largest length in mm, and the largest angle in degrees, of gaps (≥ 0), each in its row's unit.

    What rounding alone leaves of an angle or length (`NOISE`) is 0.
    """
    mm = angle = 0.0
    for gap, unit in zip(gaps, units, strict=True):
        if unit == "m":
            mm = max(mm, TO_MM * gap)
        else:
            angle = max(angle, gap if unit == "rad" else math.asin(min(1.0, gap)))
    degrees = math.degrees(angle)
    return (mm if mm > NOISE else 0.0), (degrees if degrees > NOISE else 0.0)


def fit(rows: Rows) -> float:
    """The scaled singular value above which all count: above the error of the positions, where mates do not fit."""
    worst = float(np.max(np.abs(rows.gaps * rows.factors), initial=0.0)) / rows.length
    return max(HIGHEST, min(LOOSEST, 3.0 * worst))


def rows_of(primitives: Sequence[Primitive], owners: Sequence[str], poses: Sequence[Pose], length: float) -> Rows:
    """Rows of primitives between units at their poses; `length` (m) weighs rotations."""
    positions = np.array([X.p for X in poses]).reshape(-1, 3)
    quaternions = quaternions_of(poses)
    program = compile_program(primitives, positions, quaternions)
    found = evaluate_sparse(program, positions, quaternions)
    centre = _centre(primitives, poses, length)
    blocks = found.blocks.copy()
    if len(blocks):
        # Moments about one centre for all: so wrenches of different units add up, and a row is the same whichever unit
        # of a rigid group bears it.
        blocks[:, 3:] += np.cross(positions[found.body] - centre, blocks[:, :3])
        blocks[:, 3:] /= length
    starts = np.searchsorted(found.row, np.arange(len(found.g) + 1))
    longest = np.zeros(len(found.g))
    np.maximum.at(longest, found.row, np.linalg.norm(blocks, axis=1))
    factors = np.where(longest > NO_DIRECTION, 1 / np.where(longest > NO_DIRECTION, longest, 1.0), 0.0)
    blocks *= factors[found.row, None]
    counts = [p.rows for p in primitives]
    which = np.repeat(np.arange(len(counts)), counts).tolist()
    ends = [tuple(dict.fromkeys(p.bodies)) for p in primitives]
    return Rows(
        len(poses),
        centre,
        length,
        tuple(owners[i] for i in which),
        tuple(tuple(found.body[s:e].tolist()) for s, e in pairwise(starts.tolist())),
        tuple(ends[i] for i in which),
        tuple(blocks[s:e] for s, e in pairwise(starts.tolist())),
        factors,
        found.g,
        tuple(primitives[i].unit for i in which),
    )


def length_of(primitives: Iterable[Primitive], poses: Sequence[Pose]) -> float:
    """A length (m) that weighs turns against travel: the span of the units' frames and the world's origin.

    Only its order of magnitude counts. Where the points that mates hold spread otherwise by far, the frames say nothing
    of the machine's size: it stands far from the origin, or its parts are drawn in place. Weighed by that distance,
    gears that lock each other by one tooth would pass for redundant.
    """
    places = [X.p for X in poses]
    held, usual, between = _span(_held(primitives, poses)), _span([*places, np.zeros(3)]), _span(places)
    if held > NO_SPAN and not held / ALIKE <= usual <= ALIKE * held:
        # Parts may reach far beyond their hinges, as a door beyond its single one.
        return max(held, min(between, MOST_SPANS * held))
    return usual if usual > NO_SPAN else 1.0


def _centre(primitives: Sequence[Primitive], poses: Sequence[Pose], length: float) -> Vector:
    """The point (3,) m about which moments are counted: the middle of the units' frames, if it is near the mates.

    About a point far away all moments of a row are alike but for little.
    """
    middle = np.mean([X.p for X in poses], axis=0) if poses else np.zeros(3)
    held = _held(primitives, poses)
    amid = np.mean(held, axis=0) if held else middle
    return np.asarray(middle if float(np.linalg.norm(amid - middle)) <= ALIKE * length else amid)


def _held(primitives: Iterable[Primitive], poses: Sequence[Pose]) -> list[Vector]:
    """The points in the world that primitives hold, (3,) m each."""
    placed = {GROUND: Pose(), **dict(enumerate(poses))}
    ends = ((p.a, getattr(p, "point_a", None), p.b, getattr(p, "point_b", None)) for p in primitives)
    return [placed[i].point(point) for a, p, b, q in ends for i, point in ((a, p), (b, q)) if point is not None]


def _span(points: Sequence[Array]) -> float:
    """The diagonal of the box around points (3,), m."""
    return float(np.linalg.norm(np.ptp(np.array(points), axis=0))) if len(points) else 0.0


def quaternions_of(poses: Sequence[Pose]) -> Array:
    """Unit quaternions (n, 4), w first, all at once."""
    return rotation.quaternion(np.array([X.R for X in poses]).reshape(-1, 3, 3))
