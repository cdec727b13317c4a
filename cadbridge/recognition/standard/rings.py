"""Nuts, washers, circlips and bearings among the layered parts: air about the axis at every height. Lengths in m."""

from __future__ import annotations

import math
import re

import numpy as np

from cadbridge.geometry import Shape
from cadbridge.recognition.faces.layers import Layer
from cadbridge.recognition.faces.sections import Cutter
from cadbridge.recognition.standard.names import StandardKind
from cadbridge.recognition.standard.screws import StandardPart, layered_part, within

_HEXAGON = 0.4
"""Share of a nut's height that is a hexagon at least: chamfers, a flange, a locking collar take the rest. A choice."""

_NUT_WIDTH, _NUT_HEIGHT = (1.35, 2.6), (0.15, 2.0)
"""Outer radius of a hexagon nut beside its bore's, and height beside the bore. ISO 4032 has 1.6 (M64, the bore drawn as
the thread) to 2.4 (M3, as its core) and up to 1.0, ISO 4035 from 0.5; a spacer with a hexagon is higher."""

_SQUARE_WIDTH, _SQUARE_HEIGHT = (1.5, 3.4), (0.15, 1.2)
"""The same of square nuts: DIN 557 and 562 have 2.1 (M16) to 3.2 (M3), over their corners."""

_RACE_WIDTH, _RACE_HEIGHT = 2.2, (0.08, 0.6)
"""Outer beside inner radius of one ring of a ball bearing, and height beside its diameter. A choice."""

_MOST_FACES = 40
"""Faces of a bearing's ring at most: a turned wheel with holes has more. A choice."""

_TRACK = 0.1
"""Area of the groove for the balls beside that of the bore's cylinder, at least: less is a rounded edge. A choice."""

_OPEN_RING, _OPEN_HEIGHT, _OPEN_WIDTH = (0.55, 0.99), 0.25, 2.0
"""Share of its circle that a circlip goes round, thickness beside its diameter, outer beside inner radius. A choice:
what goes less than half round does not stay on its shaft, and a closed ring is none."""

_SHIM_HEIGHT, _SHIM_WIDTH, _LARGEST_SHIM = 0.11, 1.06, 0.15
"""Thickness of a closed narrow ring beside its diameter, outer beside inner radius at least, outer radius in m. Wider
it is a washer, narrower a tube. A choice."""

_WASHER_HEIGHT, _WASHER_WIDTH, _LARGEST_WASHER = 0.13, (1.35, 3.5), 0.056
"""The same of a washer: ISO 7092 has a thickness of 0.11 (M5), ISO 7089 and 7093 widths of 1.8 (M36) to 3.0, and outer
radii up to 55 mm (ISO 7093, M36)."""

_EQUAL_BALLS = 0.05
"""Of a ball's area: by how much the balls of one bearing differ at most, as meshes and cages leave them. A choice."""

_BEARING_SIZE = 0.06, 0.01
"""mm, and share of the size, by which a measure may be off ISO 15's: rounded corners are left out by many writers."""


def ring_of(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """Nuts, washers, circlips and bearing rings: air about the axis at every height."""
    if any(layer.bore <= 0 for layer in layers):
        return None
    bore, outer = min(layer.bore for layer in layers), max(layer.outer for layer in layers)
    height = cutter.high - cutter.low
    ratio, thin = outer / bore, height / (2 * outer)
    words = {layer.word for layer in layers}
    hexagon = [layer for layer in layers if layer.word == "af6"]
    share = sum(layer.height for layer in hexagon) / height
    if share > _HEXAGON and within(ratio, _NUT_WIDTH) and within(height / (2 * bore), _NUT_HEIGHT):
        text = f"a hexagon of {2e3 * hexagon[0].zones[1].high:.1f} mm across flats with a bore of {2e3 * bore:.1f} mm"
        return layered_part(StandardKind.NUT, layers, bore, outer, 0.85, text)
    square = "af4" in words and len(words) == 1
    if square and within(ratio, _SQUARE_WIDTH) and within(height / (2 * bore), _SQUARE_HEIGHT):
        return layered_part(StandardKind.NUT, layers, bore, outer, 0.6, f"a square with a bore of {2e3 * bore:.1f} mm")
    tracks = sum(f.area for f in shape.faces if f.kind == "torus")
    turned = all(re.fullmatch(r"a[f9]+", word) for word in words) and len(shape.faces) <= _MOST_FACES
    narrow = ratio < _RACE_WIDTH and within(thin, _RACE_HEIGHT)
    if turned and narrow and tracks > _TRACK * 2 * math.pi * bore * height:
        text = f"a ring of {2e3 * bore:.1f} and {2e3 * outer:.1f} mm with a track for balls"
        return layered_part(StandardKind.BEARING_RING, layers, bore, outer, 0.8, text)
    return _thin_ring(layers, bore, outer, height)


def _thin_ring(layers: list[Layer], bore: float, outer: float, height: float) -> StandardPart | None:
    ratio, thin = outer / bore, height / (2 * outer)
    if not all(re.fullmatch(r"a[1f]+", layer.word) for layer in layers):
        return None
    split = all("1" in layer.word for layer in layers)
    share = max(zone.share for zone in layers[0].zones)
    size = f"{2e3 * bore:.1f} and {2e3 * outer:.1f} mm, {1e3 * height:.2f} mm thick"
    if split and within(share, _OPEN_RING) and thin < _OPEN_HEIGHT and ratio < _OPEN_WIDTH:
        return layered_part(StandardKind.CIRCLIP, layers, bore, outer, 0.75, f"an open ring of {size}")
    if not split and thin < _SHIM_HEIGHT and _SHIM_WIDTH < ratio < _WASHER_WIDTH[0] and outer < _LARGEST_SHIM:
        return layered_part(
            StandardKind.CIRCLIP, layers, bore, outer, 0.4, f"a closed narrow ring of {size}: circlip or shim"
        )
    wide = _WASHER_WIDTH[0] <= ratio < _WASHER_WIDTH[1]
    if not split and thin < _WASHER_HEIGHT and wide and outer < _LARGEST_WASHER:
        return layered_part(StandardKind.WASHER, layers, bore, outer, 0.75, f"a flat ring of {size}")
    return None


def bearing_of(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A bearing in one part: rings with balls between, or one ring of a deep-groove bearing's three measures."""
    bore, outer = min(layer.bore for layer in layers), max(layer.outer for layer in layers)
    height = cutter.high - cutter.low
    if bore <= 0:
        return None
    spheres = [f for f in shape.faces if f.kind == "sphere" and f.area > _LEAST_BALL * (f.radius or math.inf) ** 2]
    if shape.solids >= 3 and len(spheres) >= 5 and np.ptp([f.area for f in spheres]) < _EQUAL_BALLS * spheres[0].area:
        text = f"{len(spheres)} balls between rings of {2e3 * bore:.1f} and {2e3 * outer:.1f} mm"
        return layered_part(StandardKind.BEARING, layers, bore, outer, 0.9, text)
    measures = tuple(round(1e3 * x, 1) for x in (2 * bore, 2 * outer, height))
    for size, name in _BEARINGS.items():
        if all(abs(a - b) < _BEARING_SIZE[0] + _BEARING_SIZE[1] * b for a, b in zip(measures, size, strict=True)):
            text = f"the measures of a {name}: {size[0]:g} × {size[1]:g} × {size[2]:g} mm"
            return layered_part(StandardKind.BEARING, layers, bore, outer, 0.6, text)
    return None


def bearings_for(radius: float, depth: float) -> list[tuple[str, float]]:
    """The ball bearings for which a bore (m) is the seat, each with the radius of its own bore (m)."""
    wide, deep = 2e3 * radius, 1e3 * depth
    return [
        (name, 0.5e-3 * bore)
        for (bore, outer, width), name in _BEARINGS.items()
        if _SEAT_FIT[0] <= wide - outer <= _SEAT_FIT[1] and abs(deep - width) <= _SEAT_DEPTH
    ]


_SEAT_FIT, _SEAT_DEPTH = (-0.1, 0.5), 0.5
"""mm by which a printed or turned seat is wider than its bearing, and deeper or less deep. A choice."""

_LEAST_BALL = 0.75 * math.pi
"""sr of a face of a ball in a bearing at least, of those that a writer makes of it; the corner of a block has π/2."""

_BEARINGS: dict[tuple[float, float, float], str] = {
    (3, 10, 4): "623", (4, 13, 5): "624", (5, 16, 5): "625", (6, 19, 6): "626", (7, 22, 7): "627", (8, 24, 8): "628",
    (9, 26, 8): "629", (4, 12, 4): "604", (5, 14, 5): "605", (6, 17, 6): "606", (7, 19, 6): "607", (8, 22, 7): "608",
    (9, 24, 7): "609", (4, 16, 5): "634", (5, 19, 6): "635", (10, 26, 8): "6000", (12, 28, 8): "6001",
    (15, 32, 9): "6002", (17, 35, 10): "6003", (20, 42, 12): "6004", (25, 47, 12): "6005", (30, 55, 13): "6006",
    (35, 62, 14): "6007", (40, 68, 15): "6008", (10, 30, 9): "6200", (12, 32, 10): "6201", (15, 35, 11): "6202",
    (17, 40, 12): "6203", (20, 47, 14): "6204", (25, 52, 15): "6205", (30, 62, 16): "6206", (10, 35, 11): "6300",
    (12, 37, 12): "6301", (15, 42, 13): "6302", (17, 47, 14): "6303", (20, 52, 15): "6304", (25, 62, 17): "6305",
    (5, 11, 5): "685ZZ", (6, 13, 5): "686ZZ", (7, 14, 5): "687ZZ", (8, 16, 5): "688ZZ", (9, 17, 5): "689ZZ",
    (3, 8, 3): "693", (3, 8, 4): "693ZZ", (4, 11, 4): "694", (5, 13, 4): "695", (6, 15, 5): "696", (7, 17, 5): "697",
    (8, 19, 6): "698", (9, 20, 6): "699", (3, 6, 2.5): "MR63", (4, 7, 2.5): "MR74", (4, 8, 3): "MR84",
    (3, 9, 4): "MR93", (4, 10, 4): "MR104", (5, 8, 2.5): "MR85", (5, 10, 4): "MR105", (5, 11, 4): "MR115",
    (6, 10, 3): "MR106", (7, 11, 3): "MR117", (6, 12, 4): "MR126", (8, 12, 3.5): "MR128", (7, 13, 4): "MR137",
    (8, 14, 4): "MR148", (10, 15, 4): "6700", (12, 18, 4): "6701", (15, 21, 4): "6702", (17, 23, 4): "6703",
    (20, 27, 4): "6704", (25, 32, 4): "6705", (30, 37, 4): "6706", (10, 19, 5): "6800", (12, 21, 5): "6801",
    (15, 24, 5): "6802", (17, 26, 5): "6803", (20, 32, 7): "6804", (25, 37, 7): "6805", (30, 42, 7): "6806",
    (35, 47, 7): "6807", (10, 22, 6): "6900", (12, 24, 6): "6901", (15, 28, 7): "6902", (17, 30, 7): "6903",
    (20, 37, 9): "6904", (25, 42, 9): "6905", (30, 47, 9): "6906",
}  # fmt: skip
"""Bore, outer diameter and width (mm) of deep-groove ball bearings, ISO 15."""
