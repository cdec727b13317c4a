"""Screws, nuts, washers, pins, circlips, keys, bearings and springs, known by their shape.

    standard_part(shape, names=())    what standard part a shape is, with its axis and the reason; None for any other

The shape decides: a part is read along its axis as layers (a head with a hexagon, a shank), and its measures are held
against those that the standards allow. A name is a second witness, which raises or lowers the confidence and settles
what two kinds of equal shape are (a closed thin ring: a washer, a circlip, a shim). Lengths in m, in the part's frame.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cadbridge.geometry import Mesh, Shape
from cadbridge.polyhedron import volume_properties_of
from cadbridge.recognition.layers import Layer, layers_of
from cadbridge.recognition.screws import StandardPart, layered_part, screw_of
from cadbridge.recognition.sections import Cutter, across
from cadbridge.recognition.standard_names import StandardKind, named_kinds
from cadbridge.recognition.wheel_axes import candidate_axes, outward

_LARGEST_STANDARD = 0.6
"""m; a part larger than this is no standard part that anybody buys by the hundred. 54 machines: 0.56 | 0.60."""

_TRIANGLES = 200_000
"""Triangles of a part above which it is no fastener, but for one with a modelled thread.

54 machines: 1.9e5 | 2.6e5.
"""

_MOST_AXES = 2
"""Axes of a part that are tried, of `wheel_axes.candidate_axes`: a fastener is round about the first or second."""


def standard_part(shape: Shape, names: Sequence[str] = ()) -> StandardPart | None:
    """The standard part that a shape is, None for any other; `names` (of part, occurrences) are a second witness."""
    mesh = shape.fine if shape.fine is not None else shape.coarse
    if mesh is None or not 4 <= len(mesh.triangles) <= _TRIANGLES or not np.isfinite(mesh.vertices).all():
        return None
    extent = np.ptp(mesh.vertices, axis=0)
    if not 0 < float(extent.max()) < _LARGEST_STANDARD:
        return None
    mesh = outward(mesh)
    found = (
        _ball(mesh) or (_by_layers(shape, mesh) if len(shape.faces) < 400 or not shape.faces else None) or _key(mesh)
    )
    return None if found is None else _witnessed(found, names)


def _witnessed(found: StandardPart, names: Sequence[str]) -> StandardPart:
    """The part with its confidence raised by a name that agrees, lowered by one that says another kind."""
    named = named_kinds(names)
    alike = {StandardKind.BEARING, StandardKind.BEARING_RING, StandardKind.BALL, StandardKind.ROLLER}
    if not named:
        return found
    if found.kind in named or (found.kind in alike and alike & set(named)):
        return replace(
            found,
            confidence=min(0.99, found.confidence + 0.3),
            evidence=f"{found.evidence}; its name agrees",
            named=True,
        )
    rings = (StandardKind.WASHER, StandardKind.CIRCLIP)
    if found.kind in rings and named[0] in rings:
        text = f"{found.evidence}; a {named[0]} by its name"
        return replace(found, kind=named[0], confidence=0.8, evidence=text, named=True)
    # Halved, a form that is sure by itself (0.9) falls below what is taken out (`fasteners.TRUSTED`).
    return replace(found, confidence=0.5 * found.confidence, evidence=f"{found.evidence}; its name says {named[0]}")


def _ball(mesh: Mesh) -> StandardPart | None:
    """A ball: all of its surface at one distance from its middle, all round."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    centre, size = (low + high) / 2, high - low
    away = np.linalg.norm(mesh.vertices - centre, axis=1)
    radius = float(away.max())
    if size.min() < 0.97 * size.max() or away.min() < 0.985 * radius or size.max() < 1.9 * radius:
        return None
    text = f"a ball of {2e3 * radius:.2f} mm"
    return StandardPart(StandardKind.BALL, centre, np.array([0.0, 0, 1]), -radius, radius, radius, radius, 0.9, text)


def _by_layers(shape: Shape, mesh: Mesh) -> StandardPart | None:
    """What the layers along one of the part's axes say."""
    for point, direction in candidate_axes(shape, mesh)[:_MOST_AXES]:
        R_PA = across(direction)
        cutter = Cutter(mesh, point, R_PA)
        layers = [layer for layer in layers_of(cutter) if layer.zones]
        if not layers:
            continue
        for rule in _RULES:
            found = rule(shape, cutter, layers)
            if found is not None:
                return replace(found, point=np.asarray(point), axis=np.asarray(direction))
    return None


def _spring(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A coil: at each height one or two arcs of wire between air, turning with the height."""
    coils = [layer for layer in layers if layer.word in ("a1", "a2")]
    if sum(layer.height for layer in coils) < 0.6 * (cutter.high - cutter.low):
        return None
    outer, inner = max(layer.outer for layer in coils), min(layer.bore for layer in coils)
    heights = np.linspace(cutter.low, cutter.high, 60)[10:-10]
    angles = []
    for height in heights:
        section = cutter.section(float(height))
        ring = section.rings(np.array([(outer + inner) / 2]))[0] if not section.empty else None
        if ring is None or not len(ring.starts):
            return None
        angles.append(float(ring.starts[0] + ring.widths[0] / 2))
    turns = float(np.abs(np.diff(np.unwrap(angles))).sum()) / (2 * math.pi)
    if turns < 1.0 or inner < 0.4 * outer:
        return None
    text = f"a coil of {2e3 * outer:.2f} mm whose wire turns with the height"
    return layered_part(StandardKind.SPRING, layers, inner, outer, 0.8, text)


def _ring(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """Nuts, washers, circlips and bearing rings: air about the axis at every height."""
    if any(layer.bore <= 0 for layer in layers):
        return None
    bore, outer = min(layer.bore for layer in layers), max(layer.outer for layer in layers)
    height = cutter.high - cutter.low
    ratio, thin = outer / bore, height / (2 * outer)
    words = {layer.word for layer in layers}
    hexagon = [layer for layer in layers if layer.word == "af6"]
    share = sum(layer.height for layer in hexagon) / height
    if share > 0.4 and 1.35 < ratio < 2.6 and 0.15 < height / (2 * bore) < 2.0:
        text = f"a hexagon of {2e3 * hexagon[0].zones[1].high:.1f} mm across flats with a bore of {2e3 * bore:.1f} mm"
        return layered_part(StandardKind.NUT, layers, bore, outer, 0.85, text)
    if "af4" in words and len(words) == 1 and 1.5 < ratio < 3.4 and 0.15 < height / (2 * bore) < 1.2:
        return layered_part(StandardKind.NUT, layers, bore, outer, 0.6, f"a square with a bore of {2e3 * bore:.1f} mm")
    tracks = sum(f.area for f in shape.faces if f.kind == "torus")
    turned = all(re.fullmatch(r"a[f9]+", word) for word in words) and len(shape.faces) <= 40
    if turned and ratio < 2.2 and 0.08 < thin < 0.6 and tracks > 0.1 * 2 * math.pi * bore * height:
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
    if split and 0.55 < share < 0.99 and thin < 0.25 and ratio < 2.0:
        return layered_part(StandardKind.CIRCLIP, layers, bore, outer, 0.75, f"an open ring of {size}")
    if not split and thin < 0.11 and 1.06 < ratio < 1.35 and outer < 0.15:
        return layered_part(
            StandardKind.CIRCLIP, layers, bore, outer, 0.4, f"a closed narrow ring of {size}: circlip or shim"
        )
    if not split and thin < 0.13 and 1.35 <= ratio < 3.5 and outer < 0.056:
        return layered_part(StandardKind.WASHER, layers, bore, outer, 0.75, f"a flat ring of {size}")
    return None


def _bearing(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A bearing in one part: rings with balls between, or one ring of a deep-groove bearing's three measures."""
    bore, outer = min(layer.bore for layer in layers), max(layer.outer for layer in layers)
    height = cutter.high - cutter.low
    if bore <= 0:
        return None
    spheres = [f for f in shape.faces if f.kind == "sphere" and f.area > _LEAST_BALL * (f.radius or math.inf) ** 2]
    if shape.solids >= 3 and len(spheres) >= 5 and np.ptp([f.area for f in spheres]) < 0.05 * spheres[0].area:
        text = f"{len(spheres)} balls between rings of {2e3 * bore:.1f} and {2e3 * outer:.1f} mm"
        return layered_part(StandardKind.BEARING, layers, bore, outer, 0.9, text)
    measures = tuple(round(1e3 * x, 1) for x in (2 * bore, 2 * outer, height))
    for size, name in _BEARINGS.items():
        if all(abs(a - b) < 0.06 + 0.01 * b for a, b in zip(measures, size, strict=True)):
            text = f"the measures of a {name}: {size[0]:g} × {size[1]:g} × {size[2]:g} mm"
            return layered_part(StandardKind.BEARING, layers, bore, outer, 0.6, text)
    return None


def _pin(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A solid cylinder, its ends perhaps chamfered or rounded: a pin or a roller, or just a short shaft."""
    if any(layer.word != "f" for layer in layers):
        return None
    radius = max(layer.outer for layer in layers)
    body = max(layers, key=lambda layer: layer.height)
    length = cutter.high - cutter.low
    if body.outer < 0.97 * radius or body.height < 0.6 * length or radius > 0.0155:
        return None
    if not 0.8 < length / (2 * radius) < 14:
        return None
    eased = len(layers) > 1
    size = f"a solid cylinder of {2e3 * radius:.2f} × {1e3 * length:.1f} mm"
    usual = min(abs(2e3 * radius - d) for d in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20)) < 0.06
    confidence = 0.3 + 0.2 * eased + 0.1 * usual
    return layered_part(
        StandardKind.PIN, layers, radius, radius, confidence, f"{size}{', ends eased' if eased else ''}"
    )


def _key(mesh: Mesh) -> StandardPart | None:
    """A parallel key of DIN 6885: its width and height are a pair of the standard's, its ends square or round."""
    _, com, inertia = volume_properties_of(mesh.vertices, mesh.triangles)
    if not np.isfinite(inertia).all():
        return None
    _, R = np.linalg.eigh(inertia)
    local = (mesh.vertices - com) @ R
    low, high = local.min(axis=0), local.max(axis=0)
    size = high - low
    order = np.argsort(size)
    height, width, length = (float(size[i]) * 1e3 for i in order)
    pair = next((p for p in _KEYS if abs(p[0] - width) < 0.06 and abs(p[1] - height) < 0.06), None)
    if pair is None or not 1.8 * width < length < 12 * width:
        return None
    volume = abs(volume_properties_of(mesh.vertices, mesh.triangles)[0]) * 1e9
    square, rounded = width * height * length, width * height * (length - width) + math.pi / 4 * width**2 * height
    if not 0.96 * rounded < volume < 1.01 * square:
        return None
    axis = R[:, order[2]]
    ends = "round" if abs(volume - rounded) < abs(volume - square) else "square"
    text = f"a key of {width:g} × {height:g} × {length:.1f} mm with {ends} ends, as DIN 6885 has it"
    confidence = 0.7 if ends == "round" else 0.35
    return StandardPart(StandardKind.KEY, np.asarray(com), axis, -length / 2e3, length / 2e3, width / 2e3, height / 2e3,
                        confidence, text)  # fmt: skip


_RULES: tuple[Callable[[Shape, Cutter, list[Layer]], StandardPart | None], ...] = (
    # The more particular form first: a coil is air about its axis as a ring is, and a bearing in one part is a ring
    # too.
    _spring, _bearing, _ring, screw_of, _pin,
)  # fmt: skip

_LEAST_BALL = 0.75 * math.pi
"""sr of a face of a ball in a bearing at least, of those that a writer makes of it; the corner of a block has π/2."""

_KEYS = (
    (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8, 7), (10, 8), (12, 8), (14, 9), (16, 10), (18, 11), (20, 12), (22, 14),
)  # fmt: skip
"""Width and height of DIN 6885-1 keys, mm."""

_BEARINGS: dict[tuple[float, float, float], str] = {
    (3, 10, 4): "623", (4, 13, 5): "624", (5, 16, 5): "625", (6, 19, 6): "626", (7, 22, 7): "627", (8, 22, 7): "608",
    (9, 24, 7): "609", (10, 26, 8): "6000", (12, 28, 8): "6001", (15, 32, 9): "6002", (17, 35, 10): "6003",
    (20, 42, 12): "6004", (25, 47, 12): "6005", (30, 55, 13): "6006", (10, 30, 9): "6200", (12, 32, 10): "6201",
    (15, 35, 11): "6202", (17, 40, 12): "6203", (20, 47, 14): "6204", (25, 52, 15): "6205", (30, 62, 16): "6206",
    (3, 8, 3): "693", (3, 8, 4): "693ZZ", (4, 11, 4): "694", (5, 13, 4): "695", (6, 15, 5): "696", (8, 19, 6): "698",
    (3, 6, 2.5): "MR63", (4, 8, 3): "MR84", (5, 8, 2.5): "MR85", (5, 10, 4): "MR105", (5, 11, 4): "MR115",
    (6, 10, 3): "MR106", (6, 12, 4): "MR126", (8, 12, 3.5): "MR128", (8, 14, 4): "MR148", (10, 15, 4): "6700",
    (12, 18, 4): "6701", (15, 21, 4): "6702", (17, 23, 4): "6703", (20, 27, 4): "6704", (25, 32, 4): "6705",
    (10, 19, 5): "6800", (12, 21, 5): "6801", (15, 24, 5): "6802", (17, 26, 5): "6803", (20, 32, 7): "6804",
    (25, 37, 7): "6805", (30, 42, 7): "6806", (10, 22, 6): "6900", (12, 24, 6): "6901", (15, 28, 7): "6902",
}  # fmt: skip
"""Bore, outer diameter and width (mm) of deep-groove ball bearings, ISO 15."""
