"""Screws, nuts, washers, pins, circlips, keys, bearings and springs, known by their shape.

    standard_part(shape, names=())    what standard part a shape is, with its axis and the reason; None for any other

The shape decides: a part is read along its axis as layers (a head with a hexagon, a shank), and its measures are held
against those that the standards allow. A name is a second witness, which raises or lowers the confidence and settles
what two kinds of equal shape are (a closed thin ring: a washer, a circlip, a shim). Lengths in m, in the part's frame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull

from cadbridge.frames import Matrix
from cadbridge.geometry import Mesh, Shape
from cadbridge.polyhedron import volume_properties_of
from cadbridge.recognition.faces.layers import Layer, layers_of
from cadbridge.recognition.faces.once import once_a_shape
from cadbridge.recognition.faces.sections import Cutter, across
from cadbridge.recognition.standard.names import StandardKind, named_kinds
from cadbridge.recognition.standard.rings import bearing_of, ring_of
from cadbridge.recognition.standard.screws import StandardPart, layered_part, screw_of
from cadbridge.recognition.wheels.axes import candidate_axes, outward

_LARGEST_STANDARD = 0.6
"""m; a part larger than this is no standard part that anybody buys by the hundred. 54 machines: 0.56 | 0.60."""

_TRIANGLES = 200_000
"""Triangles of a part above which it is no fastener, but for one with a modelled thread. 54 machines: 1.9e5 | 2.6e5."""

_MOST_FACES = 400
"""Faces of a part from which it is no fastener but for a modelled thread, which is few faces or a mesh."""

_MOST_AXES = 2
"""Axes of a part that are tried, of `candidate_axes`: a fastener is round about the first or second."""

_BALL_BOX, _BALL, _BALL_ROUND = 0.97, 0.985, 0.95
"""Of a ball: the least beside the largest side of its box, the least distance of its corners from the middle beside the
largest, and the size of the box beside a whole ball's. A mesh of few facets has its corners on the ball and misses its
poles; half a ball has half the box one way. A choice."""

_COILED, _COIL_BORE = 0.6, 0.4
"""Share of a spring's height whose sections are arcs of wire (ground ends are whole rings), and radius of the room in
it beside the outer one: a drill or an auger has none. A choice."""

_PIN_BODY, _PIN_EVEN, _PIN_LENGTHS, _LARGEST_PIN = 0.97, 0.6, (0.8, 14.0), 0.0155
"""Of a pin or a roller: radius of its longest layer beside the largest, that layer's share of the length (the rest is
eased), length beside the diameter, and the largest radius in m. A choice: what is longer or wider is a shaft."""

_PIN_SIZES = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16, 20)
"""The usual diameters of ISO 2338 and ISO 8734, mm."""

_DRAWN_TO = 0.06
"""mm by which a size may be off a standard's: parts are drawn by the nominal one or the middle of its tolerance."""

_KEY_LENGTHS = (1.8, 12.5)
"""Length of a key beside its width: DIN 6885 has 2 (3 × 3 × 6) to 12 (3 × 3 × 36), and some room for rounding."""

_KEY_FULL = (0.96, 1.01)
"""Volume of a key's hull, the least beside that with round ends, the largest beside its box: chamfers take 4 %."""

_KEY_SOLID = 0.96
"""Volume of a key beside its hull, at least: the bore of a link takes more, the screw hole that a key may have less. A
choice."""

_SIDE = 1e-3
"""Sine of the angle to a bar's direction up to which a triangle of its mesh is of a side: faces of keys are flat."""


def standard_part(shape: Shape, names: Sequence[str] = ()) -> StandardPart | None:
    """The standard part that a shape is, None for any other; `names` (of part, occurrences) are a second witness."""
    found = _by_form(shape)
    return None if found is None else _witnessed(found, names)


def _rebuilt(row: dict[str, Any] | None) -> StandardPart | None:
    """A standard part of the data of which `once_a_shape` keeps it."""
    return None if row is None else StandardPart(**{**row, "kind": StandardKind(row["kind"])})


@once_a_shape(_rebuilt)
def _by_form(shape: Shape) -> StandardPart | None:
    """What a shape says by itself."""
    mesh = shape.fine if shape.fine is not None else shape.coarse
    if mesh is None or not 4 <= len(mesh.triangles) <= _TRIANGLES or not np.isfinite(mesh.vertices).all():
        return None
    extent = np.ptp(mesh.vertices, axis=0)
    if not 0 < float(extent.max()) < _LARGEST_STANDARD:
        return None
    mesh = outward(mesh)
    few = len(shape.faces) < _MOST_FACES
    return _ball(mesh) or (_by_layers(shape, mesh) if few else None) or _key(mesh)


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
    if size.min() < _BALL_BOX * size.max() or away.min() < _BALL * radius or size.max() < 2 * _BALL_ROUND * radius:
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
    if sum(layer.height for layer in coils) < _COILED * (cutter.high - cutter.low):
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
    if turns < 1.0 or inner < _COIL_BORE * outer:
        return None
    text = f"a coil of {2e3 * outer:.2f} mm whose wire turns with the height"
    return layered_part(StandardKind.SPRING, layers, inner, outer, 0.8, text)


def _pin(shape: Shape, cutter: Cutter, layers: list[Layer]) -> StandardPart | None:
    """A solid cylinder, its ends perhaps chamfered or rounded: a pin or a roller, or just a short shaft."""
    if any(layer.word != "f" for layer in layers):
        return None
    radius = max(layer.outer for layer in layers)
    body = max(layers, key=lambda layer: layer.height)
    length = cutter.high - cutter.low
    if body.outer < _PIN_BODY * radius or body.height < _PIN_EVEN * length or radius > _LARGEST_PIN:
        return None
    if not _PIN_LENGTHS[0] < length / (2 * radius) < _PIN_LENGTHS[1]:
        return None
    eased = len(layers) > 1
    size = f"a solid cylinder of {2e3 * radius:.2f} × {1e3 * length:.1f} mm"
    usual = min(abs(2e3 * radius - d) for d in _PIN_SIZES) < _DRAWN_TO
    confidence = 0.3 + 0.2 * eased + 0.1 * usual
    return layered_part(
        StandardKind.PIN, layers, radius, radius, confidence, f"{size}{', ends eased' if eased else ''}"
    )


def _key(mesh: Mesh) -> StandardPart | None:
    """A parallel key of DIN 6885: its width and height are a pair of the standard's, its ends square or round."""
    _, com, inertia = volume_properties_of(mesh.vertices, mesh.triangles)
    if not np.isfinite(inertia).all():
        return None
    R = _main_axes(mesh, inertia)
    local = (mesh.vertices - com) @ R
    low, high = local.min(axis=0), local.max(axis=0)
    size = high - low
    order = np.argsort(size)
    height, width, length = (float(size[i]) * 1e3 for i in order)
    pair = next((p for p in _KEYS if abs(p[0] - width) < _DRAWN_TO and abs(p[1] - height) < _DRAWN_TO), None)
    if pair is None or not _KEY_LENGTHS[0] * width < length < _KEY_LENGTHS[1] * width:
        return None
    volume = abs(volume_properties_of(mesh.vertices, mesh.triangles)[0]) * 1e9
    hull = float(ConvexHull(local).volume) * 1e9
    square, rounded = width * height * length, width * height * (length - width) + math.pi / 4 * width**2 * height
    if not _KEY_FULL[0] * rounded < hull < _KEY_FULL[1] * square:
        return None
    # A bar of such a size with a bore is a link: what the bore takes is not what round ends take.
    if volume < _KEY_SOLID * hull:
        return None
    axis = R[:, order[2]]
    ends = "round" if abs(hull - rounded) < abs(hull - square) else "square"
    text = f"a key of {width:g} × {height:g} × {length:.1f} mm with {ends} ends, as DIN 6885 has it"
    confidence = 0.7 if ends == "round" else 0.35
    return StandardPart(StandardKind.KEY, np.asarray(com), axis, -length / 2e3, length / 2e3, width / 2e3, height / 2e3,
                        confidence, text)  # fmt: skip


def _main_axes(mesh: Mesh, inertia: Matrix) -> Matrix:
    """Columns (3, 3): normals of a bar's flat sides and the direction in which it is longest."""
    _, R = np.linalg.eigh(inertia)
    long = R[:, 0]
    a, b, c = (mesh.vertices[mesh.triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    # Of a square bar any two axes across it are main ones: only its faces say how it is turned.
    along_sides = np.where(np.abs(normals @ long) <= _SIDE * areas, areas, 0.0)
    widest = int(np.argmax(along_sides))
    if not along_sides[widest] > 0.0:
        return R
    side = normals[widest] - (normals[widest] @ long) * long
    side /= np.linalg.norm(side)
    return np.column_stack([side, np.cross(long, side), long])


_RULES: tuple[Callable[[Shape, Cutter, list[Layer]], StandardPart | None], ...] = (
    # The more particular form first: a coil is air about its axis as a ring is, and a bearing in one part is a ring
    # too.
    _spring, bearing_of, ring_of, screw_of, _pin,
)  # fmt: skip

_KEYS = (
    (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8, 7), (10, 8), (12, 8), (14, 9), (16, 10), (18, 11), (20, 12), (22, 14),
)  # fmt: skip
"""Width and height of DIN 6885-1 keys, mm."""
