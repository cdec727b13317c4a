"""Teeth in sections: rings that run through material at equal steps, and the bands of radii where they do.

A band says where teeth are in one section: how many fit the full circle, between which radii, and what is on either
side of them (material or air), which tells an external wheel from an internal one, and both from a circle of holes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.recognition.faces.sections import Ring, Section

Array = NDArray[np.float64]
_TOOTH_STEP = 0.08
"""Of a pitch: teeth stand within this of equal steps. Facets of a mesh and rounded corners take some of it. A choice:
rings of edges that are no teeth have steps of any size."""

_TOOTH_WIDTH = 0.12
"""Of a pitch: widths of teeth agree within this. A choice, as above."""

_WHOLE = 1.5
"""The widest beside the narrowest step of a full circle of teeth: a sector leaves one far wider."""

_BESIDE_SECTOR = 2
"""Arcs of a sector that are none of its teeth: the arm that it is a part of, or a rim that closes the circle, and a
tooth that the arm cuts. They stand at no step. A choice."""

_BEYOND, _FINER = 0.02, (16, 34)
"""Of a radius: how far a band may reach beyond the rings that show it; and rings by which its edges are found."""

_BESIDE = 0.02, 0.3
"""Of the depth of teeth: how far beside them a rim, or air, is looked for."""

_RIM, _AIR = 0.97, 0.03
"""Shares of a circle that count as material all round, and as air all round (of the part that has teeth)."""


@dataclass(frozen=True)
class Comb:
    """Teeth on a ring: `teeth` fit the circle, `present` are there, `phase` rad of the first in [0, 2π / teeth).

    `thickness` is the mean share of a pitch that is material.
    """

    teeth: int
    present: int
    phase: float
    thickness: float


def comb_of(ring: Ring, least: int) -> Comb | None:
    """The comb that a ring is, of at least `least` teeth; None where its arcs are no equal teeth at equal steps."""
    count = len(ring.starts)
    if count < least or not ring.sound:
        return None
    centres = ring.starts + ring.widths / 2  # ascending, as the arcs are
    gaps = np.diff(centres, append=centres[0] + math.tau)
    # A sector leaves one wide gap: its usual step says how many would fit the circle.
    teeth = count if gaps.max() < _WHOLE * gaps.min() else round(math.tau / float(np.sort(gaps)[count // 2]))
    if teeth < count:
        return None
    pitch = math.tau / teeth
    width = float(np.sort(ring.widths)[count // 2])
    alike = np.abs(ring.widths - width) <= _TOOTH_WIDTH * pitch
    others = count - int(alike.sum())
    if others > (_BESIDE_SECTOR if teeth != count else 0) or count - others < (least if teeth == count else 5):
        return None
    mean = ring.phase(teeth, alike)
    off = np.abs(np.mod(centres[alike] - mean + pitch / 2, pitch) - pitch / 2).max()
    return Comb(teeth, count - others, mean % pitch, width / pitch) if off <= _TOOTH_STEP * pitch else None


@dataclass(frozen=True, eq=False)
class Band:
    """Teeth in one section, between the radii `low` and `high` (m); `inside` when their tips point to the axis.

    `profile` (k, 3): radius, share of a pitch that is material, phase of the teeth, over the band.
    """

    height: float
    teeth: int
    present: int
    low: float
    high: float
    inside: bool
    profile: Array

    @property
    def depth(self) -> float:
        """How deep the teeth are."""
        return self.high - self.low

    @property
    def tip(self) -> float:
        """The radius of the tips."""
        return self.low if self.inside else self.high

    @property
    def root(self) -> float:
        """The radius of the roots."""
        return self.high if self.inside else self.low


def bands(section: Section, height: float, least: int, count: int, fine: bool = False) -> list[Band]:
    """All bands of at least `least` teeth in a section; looked at with about 2 `count` rings, each band with more."""
    if section.empty:
        return []
    radii = section.radii(count)
    # Most sections of most parts have no ring of so many arcs: they are counted before they are found.
    enough = np.flatnonzero(section.crossings(radii) >= 2 * least)
    combs: list[Comb | None] = [None] * len(radii)
    for i, ring in zip(enough.tolist(), section.rings(radii[enough]) if len(enough) else (), strict=True):
        combs[i] = comb_of(ring, least)
    found, start = [], 0
    for i in range(1, len(combs) + 1):
        if i == len(combs) or _teeth(combs[i]) != _teeth(combs[start]):
            comb = combs[start]
            if comb is not None:
                low = float(radii[start - 1]) if start else (1 - _BEYOND) * float(radii[0])
                high = float(radii[i]) if i < len(combs) else (1 + _BEYOND) * float(radii[-1])
                band = _refined(section, height, low, high, comb.teeth, least, fine)
                found += [band] if band is not None else []
            start = i
    return found


def comb_like(section: Section, radius: float, teeth: int, least: int) -> Comb | None:
    """The comb of so many teeth at a radius of a section, None where there is none."""
    if section.empty:
        return None
    comb = comb_of(section.rings(np.array([radius]))[0], least)
    return comb if comb is not None and comb.teeth == teeth else None


def _teeth(comb: Comb | None) -> int:
    return comb.teeth if comb else 0


def _refined(
    section: Section, height: float, low: float, high: float, teeth: int, least: int, fine: bool
) -> Band | None:
    """The band between two radii outside of it, its edges found with more rings; None where holes make it."""
    for count in _FINER if fine else _FINER[:1]:
        radii = np.linspace(low, high, count)
        rings = section.rings(radii)
        combs = [comb_of(ring, least) for ring in rings]
        good = [i for i, comb in enumerate(combs) if _teeth(comb) == teeth]
        if not good:
            return None
        # Teeth reach from where the ring is whole to where it is air; rounded tips are no comb any more. What stands
        # beside a sector may go on.
        others = min(len(rings[i].starts) - comb.present for i in good if (comb := combs[i]) is not None)
        first, last = good[0], good[-1]
        while first > 0 and len(rings[first - 1].starts) > others:
            first -= 1
        while last < len(rings) - 1 and len(rings[last + 1].starts) > others:
            last += 1
        wide = float(radii[1] - radii[0])
        low, high = float(radii[first]) - wide, float(radii[last]) + wide
    present = max(comb.present for comb in combs if comb is not None and comb.teeth == teeth)
    profile = [
        (r, c.thickness, c.phase) for r, c in zip(radii, combs, strict=True) if c is not None and c.teeth == teeth
    ]
    return _sided(section, Band(height, teeth, present, *_edges(section, low, high, wide), False, np.array(profile)))


def _edges(section: Section, low: float, high: float, wide: float) -> tuple[float, float]:
    """The radii of tips and roots within `wide` of where the rings put them: those of the outline's own corners."""
    corners = section.ra
    near_low = corners[(corners > low - 1e-9) & (corners < low + 2 * wide)]
    near_high = corners[(corners > high - 2 * wide) & (corners < high + 1e-9)]
    return (
        float(near_low.min()) if len(near_low) else low + wide / 2,
        float(near_high.max()) if len(near_high) else high - wide / 2,
    )


def _sided(section: Section, band: Band) -> Band | None:
    """The band with the side of its tips; None where there is material, or air, on both sides: holes or pins."""
    edge = np.linspace(*_BESIDE, 6) * band.depth
    shares, _ = section.shares(np.concatenate([band.low - edge[::-1], band.high + edge]))
    near, far = shares[: len(edge)], shares[len(edge) :]
    whole = band.present / band.teeth
    inner, outer, emptiest_in, emptiest_out = near.max(), far.max(), near.min(), far.min()
    if inner >= _RIM * whole and emptiest_out <= _AIR + (1 - whole):
        return band
    if outer >= _RIM * whole and emptiest_in <= _AIR + (1 - whole):
        return replace(band, inside=True)
    return None
