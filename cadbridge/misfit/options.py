"""The weaker mates that may replace a mate: which of its equations each removes, and what it is in hardware."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, Limit
from cadbridge.misfit.blocks import Block, MateFrame
from cadbridge.misfit.groups import DependentMates

Array = NDArray[np.float64]

TAKES_PART = 1e-3
"""A self-stress with less than this part in an equation does not count as involving it."""


@dataclass(frozen=True, eq=False)
class FreedDirections:
    """Directions (k, 3) in the world in which a block of a mate is given up, and how (k, rows) its rows make them."""

    block: Block
    directions: Array
    weights: Array

    @property
    def whole(self) -> bool:
        """Whether nothing of the block is kept."""
        return len(self.directions) == len(self.block.rows)


@dataclass(frozen=True, eq=False)
class WeakerMate:
    """A weaker mate: what it gives up of one."""

    mate: str
    freed: tuple[FreedDirections, ...]

    @property
    def count(self) -> int:
        """How many equations it gives up."""
        return sum(len(freed.directions) for freed in self.freed)

    def stresses(self, N: Array) -> Array:
        """The parts (count, d) of what is given up in the self-stresses N (m, d)."""
        return np.vstack([freed.weights @ N[freed.block.rows] for freed in self.freed])


def options_of(group: DependentMates, frames: dict[str, MateFrame], assembly: Assembly) -> dict[str, list[WeakerMate]]:
    """The weaker mates for each mate of a group; none for a coupling, nor for what a drive or coupling counts on."""
    kept = coordinates(assembly)
    kinds = {mate.name for mate in assembly.mates}
    N = group.N.toarray()
    centre = np.mean([frames[mate].point for mate in group.mates], axis=0)
    found: dict[str, list[WeakerMate]] = {}
    for name in group.mates:
        if name not in kinds or name in kept:
            continue
        blocks = [block for block in group.blocks if block.mate == name]
        ways = [[None, *_ways(block, N, centre - frames[name].point)] for block in blocks]
        sets = [tuple(freed for freed in chosen if freed is not None) for chosen in product(*ways)]
        found[name] = [WeakerMate(name, freed) for freed in sets if freed]
    return found


def coordinates(assembly: Assembly) -> set[str]:
    """The mates whose joint must keep its one freedom: drives, motions, couplings and limits speak of it."""
    named = {drive.joint for drive in assembly.drives} | {motion.mate for motion in assembly.motions}
    for coupling in assembly.couplings:
        named |= set(coupling.joints or ()) | {name for name, _ in coupling.factors}
    limited = {m.name for m in assembly.mates if m.limit is not None and m.limit != Limit()}
    joints = {m.joint_name: m.name for m in assembly.mates if m.joint_name}
    return limited | {joints.get(name, name) for name in named} | (named & {m.name for m in assembly.mates})


def _ways(block: Block, N: Array, towards: Array) -> list[FreedDirections]:
    """What may be given up of a block: all of it, or one direction (of three also two) that takes part in a stress."""
    parts = N[block.rows]
    k = len(block.rows)
    _, s, Vt = np.linalg.svd(parts.T, full_matrices=True)
    rank = int(np.sum(s > TAKES_PART * max(1.0, float(np.max(s, initial=0.0)))))
    if rank == 0:
        return []
    if k == 1:
        return [FreedDirections(block, block.directions, np.eye(1))]
    frame = _frame(block, towards) if rank == k else Vt
    ways = []
    for chosen in product((False, True), repeat=k):
        weights = frame[list(chosen)]
        # Directions beyond the rank are no part of any stress: they are not redundant, and must stay.
        if len(weights) > 0 and (rank == k or not any(chosen[rank:])):
            ways.append(FreedDirections(block, weights @ block.directions, weights))
    return ways


def _frame(block: Block, towards: Array) -> Array:
    """Directions (k, k) in a block's rows that a person can tell: the first one points to the other mates."""
    seen = block.directions @ towards
    size = float(np.linalg.norm(seen))
    # Rounding of directions: where all mates lie along what the rows do not see, any direction is as good.
    first = seen / size if size > 1e-6 * max(float(np.linalg.norm(towards)), 1e-9) else np.eye(len(block.rows))[0]
    basis = np.linalg.qr(np.column_stack([first, np.eye(len(first))]))[0].T
    return np.asarray(np.sign(basis[0] @ first) * basis)


HARDWARE = {
    frozenset({"along"}): "let it slide along its axis: a floating bearing",
    frozenset({"tilt"}): "let it tilt: a self-aligning bearing or ball joint",
    frozenset({"along", "tilt"}): "let it tilt and slide: a floating self-aligning bearing",
    frozenset({"across"}): "let it slide across its axis: a clearance hole, clamped by its face",
    frozenset({"across", "tilt"}): "hold it along its axis only: a stop",
    frozenset({"along", "across"}): "keep its axis parallel only",
    frozenset({"turn"}): "let it turn about its axis",
}
"""What whole kinds of equations of an axis are, given up."""
PLANES = {
    frozenset({"tilt"}): "let it tilt: a domed pad on the plane",
    frozenset({"along"}): "keep the planes parallel only",
}
"""The same of planes."""
_WHOLE = {
    "along": "slide along its axis", "across": "slide across its axis", "place": "slide in every direction",
    "tilt": "tilt", "turn": "turn about its axis", "swing": "turn about every axis",
}  # fmt: skip
_PART = {
    "across": "slide along {way} in a slot", "place": "slide along {way} in a slot", "tilt": "tilt about {way}",
    "swing": "turn about {way}",
}  # fmt: skip


def words(option: WeakerMate, blocks: Sequence[Block]) -> str:
    """What a weaker mate is in hardware; `blocks` are all of the mate it stands for."""
    if option.count == sum(len(block.rows) for block in blocks):
        return "leave it out"
    kinds = frozenset(freed.block.kind for freed in option.freed)
    if all(freed.whole for freed in option.freed):
        plane = {block.kind for block in blocks} == {"along", "tilt"}
        known = (PLANES if plane else HARDWARE).get(kinds)
        if known is not None:
            return known
    texts = [
        _WHOLE[freed.block.kind] if freed.whole else _PART[freed.block.kind].format(way=_way(freed))
        for freed in option.freed
    ]
    return "let it " + " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _way(freed: FreedDirections) -> str:
    if len(freed.directions) > 1:
        return " and ".join(_axis(d) for d in freed.directions)
    return _axis(freed.directions[0])


def _axis(d: Array) -> str:
    k = int(np.argmax(np.abs(d)))
    # A unit vector along an axis of the frame, within 0.08°.
    if abs(d[k]) > 1.0 - 1e-6:
        return "xyz"[k]
    return f"the direction ({', '.join(f'{v + 0.0:.2g}' for v in np.round(d, 4))})".replace("-", "−")


def kept_directions(block: Block, option: WeakerMate) -> Array:
    """The directions (k, 3) in which a block of a mate still holds."""
    for freed in option.freed:
        if freed.block is block:
            _, _, Vt = np.linalg.svd(freed.weights, full_matrices=True)
            return np.asarray(Vt[len(freed.weights) :] @ block.directions)
    return block.directions
