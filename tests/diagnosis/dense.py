"""The same questions asked of one dense matrix: slow, short, and independent of how the diagnosis splits it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

from cadbridge.assembly import Assembly
from cadbridge.diagnosis.diagnose import mate_rows
from cadbridge.mechanism import build
from cadbridge.mechanism.rows import Rows

Array = NDArray[np.float64]


def matrix(rows: Rows) -> Array:
    """All rows as one matrix (m, 6n)."""
    G = np.zeros((len(rows), 6 * rows.count))
    for i, (units, W) in enumerate(zip(rows.units, rows.wrenches, strict=True)):
        for unit, w in zip(units, W, strict=True):
            G[i, 6 * unit : 6 * unit + 6] = w
    return G


def motions(model: Assembly) -> Array:
    """The projector (6n, 6n) onto the motions of the components that all mates allow, [v of the world's origin; ω]."""
    rows = mate_rows(build(model))
    N = null_space(matrix(rows), rcond=1e-7)
    twists = N.reshape(rows.count, 6, N.shape[1])
    # Models that differ in a mate have other centres and lengths: the world's origin is one for all.
    turns = twists[:, 3:] / rows.length
    shifts = twists[:, :3] - np.cross(turns, rows.centre[None, :, None], axis=1)
    basis = np.linalg.qr(np.concatenate([shifts, turns], axis=1).reshape(N.shape))[0]
    return np.asarray(basis @ basis.T)


def names_of(model: Assembly) -> list[str]:
    """The names of all mates, couplings among them."""
    return [*(m.name for m in model.mates), *(c.name for c in model.couplings)]


def without(model: Assembly, *names: str) -> Assembly:
    """The assembly without some of its mates and couplings."""
    return replace(
        model,
        mates=tuple(m for m in model.mates if m.name not in names),
        couplings=tuple(c for c in model.couplings if c.name not in names),
    )
