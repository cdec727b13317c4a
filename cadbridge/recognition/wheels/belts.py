"""Sprockets and toothed pulleys among wheels, by the measures that their standards fix.

A sprocket's pitch circle is a polygon of the chain's links (ISO 606): d = p / sin(π/z), its roots are the rollers'
seats, d_f = d − d_1. A pulley's outer circle lies below the belt's pitch line: d_o = z p / π − 2 u.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

CHAINS: dict[str, tuple[float, float]] = {
    "25 (04C)": (6.35, 3.30), "35 (06C)": (9.525, 5.08), "05B": (8.0, 5.0), "06B": (9.525, 6.35), "08A": (12.7, 7.92),
    "08B": (12.7, 8.51), "081": (12.7, 7.75), "10A": (15.875, 10.16), "12A": (19.05, 11.91), "12B": (19.05, 12.07),
    "16A": (25.4, 15.88), "20A": (31.75, 19.05), "24A": (38.1, 22.23),
}  # fmt: skip
"""Pitch and roller diameter, mm, of ISO 606 (25 and 35: ANSI B29.1, bushes for rollers)."""

BELTS: dict[str, tuple[float, float, float]] = {
    "MXL": (2.032, 0.508, 0.51), "XL": (5.08, 0.508, 1.35), "L": (9.525, 0.762, 2.1), "T2.5": (2.5, 0.6, 0.75),
    "T5": (5.0, 1.0, 1.88), "T10": (10.0, 2.0, 2.6), "AT5": (5.0, 1.23, 1.95), "AT10": (10.0, 2.3, 2.6),
    "HTD 3M": (3.0, 0.762, 1.25), "HTD 5M": (5.0, 1.143, 2.1), "HTD 8M": (8.0, 1.372, 3.5),
    "GT2 2M": (2.0, 0.508, 0.75), "GT2 3M": (3.0, 0.762, 1.14), "GT2 5M": (5.0, 1.143, 1.93),
}  # fmt: skip
"""Pitch, 2 u (pitch diameter less outer diameter) and depth of the groove, mm (ISO 5294, ISO 17396, makers' tables)."""

_SEAT_OFF, _GAP_OFF = 0.02, 0.08
"""Of a roller's diameter: how far the roots may lie off the circle of its seats, and by how much the gap between teeth
on the pitch circle may differ from it. A choice."""

_TIPS_OVER = (0.1, 0.65)
"""Of the pitch: how far the tips stand over the pitch circle. ISO 606 has 0.10 (9 teeth, the least) to 0.37."""

_OUTER_OFF = 0.004
"""Of a pulley's outer circle: how far it may be off the belt's. Pitches of MXL and of 2 mm GT2 differ by 0.016."""

_GROOVE_DEPTH = (0.8, 1.25)
"""Depth of a groove beside the standard's. A choice: who prints a pulley eases it."""


def sprocket_of(teeth: int, tip: float, root: float, profile: NDArray[np.float64]) -> str | None:
    """The chain that a wheel is a sprocket for, None where its roots are no seats of rollers. Lengths in m."""
    for name, (pitch, roller) in CHAINS.items():
        # Rollers lie on the corners of a polygon whose sides are the pitch: d = p / sin(180°/z) (ISO 606).
        reference = 0.5e-3 * pitch / math.sin(math.pi / teeth)
        seat = 1e-3 * roller
        high = (tip - reference) / (1e-3 * pitch)
        if abs(root - (reference - seat / 2)) > _SEAT_OFF * seat or not _TIPS_OVER[0] < high < _TIPS_OVER[1]:
            continue
        # On the pitch circle, where the middles of the rollers run, the gap between two teeth is as wide as a roller.
        share = float(np.interp(reference, profile[:, 0], profile[:, 1]))
        gap = 2 * reference * math.sin((1 - share) * math.pi / teeth)
        if abs(gap / seat - 1) < _GAP_OFF:
            return name
    return None


def pulley_of(teeth: int, tip: float, root: float) -> str | None:
    """The belt that a wheel is a pulley for: outer circle and groove fit it best. Lengths in m."""
    fits = []
    for name, (pitch, below, depth) in BELTS.items():
        outer = teeth * pitch / math.pi - below
        off, deep = abs(2e3 * tip / outer - 1), 1e3 * (tip - root) / depth
        if off < _OUTER_OFF and _GROOVE_DEPTH[0] < deep < _GROOVE_DEPTH[1]:
            fits.append((off + 0.01 * abs(deep - 1), name))
    return min(fits)[1] if fits else None
