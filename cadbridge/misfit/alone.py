"""Play at few mates alone: all others fit exactly, and these take up every misfit of the group.

A set of mates can do so where its rows N_S of the self-stresses have full rank: then misfits r of its rows alone meet
N_Sᵀ r = Nᵀ e. Of several the least, with turns weighed by the mates' reach, are linear in the errors, so that the worst
over their zones is exact. Where a set has more rows than equations, another share of them may need less at one row.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.model import Alone, Clearance
from cadbridge.misfit.zones import Zones

Array = NDArray[np.float64]

MOST_SETS = 400
"""Sets of one size that are looked at; a choice, as their number grows without bound."""
FULL_RANK = 1e-6
"""A singular value below this part of the largest is none: a choice between the rounding of files and lengths of one
machine beside each other."""
NO_CLEARANCE = 1e-7
"""m or rad: a clearance below this is none; files round to it."""


def alone(group: DependentMates, zones: Zones, gaps: Array, w: Array, most: int) -> tuple[Alone, ...]:
    """The smallest sets of mates whose play alone is enough for errors in their zones, least play first.

    `w` (b,) is the play of each block for a play of 1, which weighs turns. At most `most` of one size.
    """
    N = group.N.toarray()
    felt = np.asarray((group.N.T @ group.B).toarray())
    weight = np.ones(len(group.rows))
    for block, part in zip(group.blocks, w, strict=True):
        weight[block.rows] = part
    fewest = max(1, _fewest(group, N.shape[1]))
    for size in range(fewest, len(group.mates) + 1):
        found = []
        for number, mates in enumerate(combinations(group.mates, size)):
            if number == MOST_SETS:
                break
            made = _of(group, zones, (N, felt, N.T @ gaps, weight), mates)
            if made is not None:
                found.append(made)
        if found:
            return tuple(answer for _, answer in sorted(found, key=lambda pair: pair[0])[:most])
    return ()


def _fewest(group: DependentMates, redundant: int) -> int:
    """Mates that have as many rows as there are equations, if they are those with most."""
    counts = sorted((sum(len(b.rows) for b in group.blocks if b.mate == mate) for mate in group.mates), reverse=True)
    return int(np.searchsorted(np.cumsum(counts), redundant)) + 1


def _of(
    group: DependentMates, zones: Zones, known: tuple[Array, Array, Array, Array], mates: tuple[str, ...]
) -> tuple[float, Alone] | None:
    """The clearances of a set, and the largest in parts of a play of 1; None where the set does not take up all."""
    N, felt, gap, weight = known
    blocks = [(b, block) for b, block in enumerate(group.blocks) if block.mate in mates]
    rows = np.concatenate([block.rows for _, block in blocks])
    M = N[rows] * weight[rows, None]
    s = np.linalg.svd(M, compute_uv=False)
    if len(rows) < N.shape[1] or s[-1] < FULL_RANK * s[0]:
        return None
    solve = np.linalg.pinv(M.T)
    G, still = solve @ felt, solve @ gap
    needs, largest, start = [], 0.0, 0
    for _, block in blocks:
        part = slice(start, start + len(block.rows))
        start += len(block.rows)
        scale = float(weight[block.rows[0]])
        own = float(np.linalg.norm(still[part]))
        worst, squares = own + zones.widest(G[part])[0], math.hypot(own, zones.widest_squares(G[part]))
        largest = max(largest, worst)
        if worst * scale > NO_CLEARANCE:
            needs.append(Clearance(block.mate, block.kind, block.turns, worst * scale, squares * scale))
    return largest, Alone(mates, tuple(needs))
