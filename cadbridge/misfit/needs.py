"""The play that a group needs: as designed, at worst, and over draws of its errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.model import PlayNeeded
from cadbridge.misfit.play import CLOSE_BOUNDS, WORST_STARTS, Play, deciding
from cadbridge.misfit.settings import Settings, play_of, reach_of
from cadbridge.misfit.zones import Drawn, Zones
from solver.algebra.division import LEAST_DIVISOR

Array = NDArray[np.float64]

LEAST_PLAY = 1e-9
"""m (rad): the play of a mate that has none, where others have some: a nanometre is none for a machine, and keeps the
scaled equations regular."""
FEWEST, MOST_NUMBERS = 1000, 50_000_000
"""Of groups with very many errors fewer draws are taken: at least so many, of which the 95 % are known to a hundredth;
at most so many numbers, 400 MB."""
LEVELS = (0.5, 0.95, 0.9973)
"""Shares of all assemblies whose play is told: every second, nineteen of twenty, and three standard deviations to
either side."""


def reaches_of(group: DependentMates, settings: Settings) -> Array:
    """The reach (b,) of each block in m."""
    return np.array([reach_of(settings, block) for block in group.blocks])


def weights_of(group: DependentMates, settings: Settings) -> Array:
    """The play of each block (b,), m or rad, for a play of 1 m: a turn's is that over its reach."""
    return np.where([block.turns for block in group.blocks], 1.0 / reaches_of(group, settings), 1.0)


def drawn_of(group: DependentMates, settings: Settings) -> Drawn:
    """How the errors of a group are drawn."""
    count = int(min(settings.draws, max(FEWEST, MOST_NUMBERS // max(group.errors.count, 1))))
    return Drawn(count, settings.seed, settings.uniform)


def play_needed(
    play: Play, zones: Zones, gaps: Array, settings: Settings, drawn: Drawn
) -> tuple[PlayNeeded, Array]:  # fmt: skip
    """The play needed, and each zone's share in it at worst; `gaps` (m,) are the misfits of exact parts."""
    group, w = play.group, play.w
    felt, still = play.seen @ group.B, np.asarray(play.seen @ gaps)
    misfits = still[:, None] + zones.misfits(felt, drawn)
    low, high = play.bounds(misfits, deciding(LEVELS, WORST_STARTS))
    most = np.argsort(low)[-WORST_STARTS:]
    at = play.worst(zones, gaps, zones.chosen(most, drawn))
    exact = play.least((gaps + group.B @ at)[:, None])
    springs = (np.ones(len(w)) / w**2, _springs(group, exact.stress[:, 0], exact.off[:, 0]))
    middle, most95, most997 = np.quantile((low + high) / 2.0, LEVELS)
    parts = zones.lengths(np.asarray(exact.stress[:, 0] @ group.B)) * zones.radii
    stresses = np.column_stack([exact.stress, play.least_seen(misfits[:, most], CLOSE_BOUNDS).stress])
    needed = PlayNeeded(
        designed=float(play.least(gaps[:, None]).high[0]),
        worst=float(exact.low[0]),
        sufficient=min(play.sufficient(zones, gaps, k) for k in springs),
        squares=float(np.max(zones.squares(np.asarray(stresses.T @ group.B)) + stresses.T @ gaps)),
        median=float(middle), most95=float(most95), most997=float(most997),
        together=_together(play, misfits, settings),
    )  # fmt: skip
    return needed, parts / max(float(parts.sum()), LEAST_DIVISOR)


def _springs(group: DependentMates, stress: Array, off: Array) -> Array:
    """Springs (b,) under which a stress leaves the mates off by so much."""
    sizes = [(np.linalg.norm(stress[b.rows]), np.linalg.norm(off[b.rows])) for b in group.blocks]
    # A mate that is off by nothing holds as hard as any: a floor in m and rad far below every tolerance of machining.
    k = np.array([force / max(float(size), 1e-15) for force, size in sizes])
    # A millionth of the hardest: a spring of nothing would let its mate take up all the misfit.
    return np.maximum(k / max(float(k.max()), LEAST_DIVISOR), 1e-6)


def _together(play: Play, misfits: Array, settings: Settings) -> float | None:
    """The share of draws, misfits (k, c) as they are seen, that go together with the play given."""
    given = np.array([play_of(settings, block) for block in play.group.blocks])
    if not np.any(given > 0.0):
        return None
    low, high = replace(play, w=np.maximum(given, LEAST_PLAY)).bounds(
        misfits, lambda low, high: (low <= 1.0) & (high > 1.0) & (high - low > CLOSE_BOUNDS * high)
    )
    return float(np.mean((low + high) / 2.0 <= 1.0))
