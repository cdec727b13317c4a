"""A part along an axis: layers of like sections, each as rings of air, material and a few arcs of both.

What fasteners and bearings are, a turner would say so: a head with a hexagon, a shank, a bore. `layers_of` says it of
any part, whatever faces its writer made it of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from cadbridge.recognition.faces.sections import Cutter

Array = NDArray[np.float64]

_RINGS = 48
"""Radii at which a layer is looked at, beside 24 even ones: holes and teeth need a few each."""

_SAME_LAYER = 0.02
"""Of the largest radius: layers whose radii agree within this are one. A choice, with no gap in what is seen: facets of
meshes make radii of any size."""

_LOBES = 8
"""More arcs than these are facets where they lie close together, teeth where they do not: a hexagon has six."""

_THIN = (0.004, 0.02, 0.04)
"""Of the largest radius: thickness of a zone that counts, of one state, of a few arcs, of many. A choice: facets make
thin ones."""

_SLIT = 0.005
"""Of a circle: what a slit in material, or a burr in air, takes at most. A choice."""

_EVEN_RADII = 24
"""Radii at which a layer is looked at in any case, and heights of a part, for time alone."""

_CORNERS_OF_BORE = 0.05
"""Of a bore's radius: how far the corners of its facets are off what rings between them say. A choice."""

AIR, PARTIAL, FULL = "air", "partial", "full"


@dataclass(frozen=True)
class Zone:
    """Rings of one state from `low` to `high` m; `arcs` of material and their greatest `share` where it is partial."""

    state: str
    low: float
    high: float
    arcs: int = 0
    share: float = 0.0


@dataclass(frozen=True)
class Layer:
    """Heights between which the sections are alike, as zones from the axis outward."""

    low: float
    high: float
    zones: tuple[Zone, ...]

    @property
    def height(self) -> float:
        """How thick the layer is."""
        return self.high - self.low

    @property
    def word(self) -> str:
        """Its zones as letters, a for air, f for material, the number of arcs where both take turns: "f6", "af"."""
        return "".join({AIR: "a", FULL: "f"}.get(z.state, f"{min(z.arcs, 9)}") for z in self.zones)

    @property
    def outer(self) -> float:
        """The largest radius with material."""
        return self.zones[-1].high if self.zones else 0.0

    @property
    def bore(self) -> float:
        """The radius of the air about the axis, 0 where there is none."""
        return self.zones[0].high if self.zones and self.zones[0].state == AIR else 0.0


def layers_of(cutter: Cutter, most: int = _EVEN_RADII) -> list[Layer]:
    """The layers of a part from low to high; neighbours alike are one layer, thin edges keep their own."""
    found: list[Layer] = []
    heights = cutter.heights(most)
    steps = [_step(cutter, float(a), float(b)) for a, b in pairwise(heights)]
    bounds = np.concatenate([[cutter.low], steps, [cutter.high]])
    for i, height in enumerate(heights):
        layer = Layer(float(bounds[i]), float(bounds[i + 1]), _zones(cutter, float(height)))
        if found and _alike(found[-1], layer):
            found[-1] = Layer(found[-1].low, layer.high, found[-1].zones)
        else:
            found.append(layer)
    return found


def _step(cutter: Cutter, a: float, b: float) -> float:
    """Where the outline changes between two heights: the level at which most vertices gather."""
    z = cutter.vertices[:, 2]
    levels, counts = np.unique(np.round(z[(z > a) & (z < b)], 9), return_counts=True)
    return float(levels[int(np.argmax(counts))]) if len(levels) else (a + b) / 2


def _zones(cutter: Cutter, height: float) -> tuple[Zone, ...]:
    section = cutter.section(height)
    if section.empty:
        return ()
    outer = float(section.rb.max())
    corners = np.unique(np.round(np.concatenate([section.ra, section.rb]) / outer, 3)) * outer
    between = (corners[1:] + corners[:-1]) / 2
    # Neither on the axis, where a circle has no length, nor on the outline, which it would touch and not cross.
    even = np.linspace(0.01, 0.99, _EVEN_RADII) * outer
    radii = np.unique(np.concatenate([between[:: max(1, len(between) // _RINGS)], even]))
    edges = np.concatenate([[0.0], (radii[1:] + radii[:-1]) / 2, [outer]]).tolist()
    zones = _zones_of(edges, *section.shares(radii))
    # Facets of a round edge, or of a bore's, are thin zones of many arcs.
    thick = [z for z in zones if z.high - z.low > _thinnest(z) * outer]
    # Air outside of all material is that of corners of an outline that were left out.
    while thick and thick[-1].state == AIR:
        thick.pop()
    joined = _joined(thick)
    if joined and joined[0].state == AIR:  # corners of a faceted bore lie on its circle
        near = section.ra[np.abs(section.ra / joined[0].high - 1) < _CORNERS_OF_BORE]
        bore = float(near.max()) if len(near) else joined[0].high
        joined = (replace(joined[0], high=bore), *joined[1:])
    return joined


def _thinnest(zone: Zone) -> float:
    return _THIN[0] if zone.state != PARTIAL else _THIN[1 + (zone.arcs > _LOBES)]


def _zones_of(edges: list[float], shares: Array, counts: NDArray[np.intp]) -> list[Zone]:
    """Rings between edges, of which neighbours of one state are one zone."""
    zones: list[Zone] = []
    rings = [(_state(share, arcs), share) for share, arcs in zip(shares.tolist(), counts.tolist(), strict=True)]
    start = 0
    for (state, arcs), run in groupby(rings, key=itemgetter(0)):
        found = [share for _, share in run]
        zones.append(Zone(state, edges[start], edges[start + len(found)], arcs, max(found)))
        start += len(found)
    return zones


def _state(share: float, arcs: int) -> tuple[str, int]:
    if share < _SLIT:
        return AIR, 0
    return (FULL, 0) if share > 1 - _SLIT else (PARTIAL, arcs)


def _joined(zones: list[Zone]) -> tuple[Zone, ...]:
    """Neighbours of one state made one, after what lay between them was left out."""
    found: list[Zone] = []
    for zone in zones:
        _add(found, zone)
    return tuple(found)


def _add(zones: list[Zone], zone: Zone) -> None:
    """Add a zone outside of others; to the last of them where that is of its state."""
    last = zones[-1] if zones else None
    if last is not None and last.state == zone.state and last.arcs == zone.arcs:
        zones[-1] = Zone(zone.state, last.low, zone.high, zone.arcs, max(last.share, zone.share))
    else:
        zones.append(zone)


def _alike(a: Layer, b: Layer) -> bool:
    size = max(a.outer, b.outer, 1e-12)
    return a.word == b.word and all(
        abs(p.high - q.high) < _SAME_LAYER * size for p, q in zip(a.zones, b.zones, strict=True)
    )
