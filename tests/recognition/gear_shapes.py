"""Wheels made for tests: involute outlines by their equations, drawn out, twisted or drawn to an apex as meshes.

Lengths in m. A mesh is made of layers of one outline with a bore, closed by its two ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Mesh, Shape

Array = NDArray[np.float64]


def outline(teeth: int, module: float, *, angle: float = 20.0, shift: float = 0.0, inside: bool = False) -> Array:
    """The outline (n, 2) of an involute wheel about the origin; of an inner one, of its hole."""
    alpha = math.radians(angle)
    addendum, dedendum = (1.25, 1.0) if inside else (1.0, 1.25)
    reference = module * teeth / 2
    base, tip = reference * math.cos(alpha), reference + module * (addendum + shift)
    root = max(reference - module * (dedendum - shift), 0.2 * reference)
    half = math.pi / (2 * teeth) + 2 * shift * math.tan(alpha) / teeth + math.tan(alpha) - alpha
    radii = np.linspace(max(base, root), tip, 12)
    phi = np.arccos(np.minimum(1.0, base / radii))
    flank = half - (np.tan(phi) - phi)
    radii, flank = np.concatenate([[root], radii]), np.concatenate([[flank[0]], flank])
    r = np.concatenate([radii, radii[::-1]])
    theta = np.concatenate([-flank, flank[::-1]])
    angles = np.concatenate([theta + 2 * math.pi * k / teeth for k in range(teeth)])
    r = np.tile(r, teeth)
    return np.column_stack([r * np.cos(angles), r * np.sin(angles)])


def drawn(outer: Array, inner: Array, heights: Array, turns: Array, scales: Array) -> Shape:
    """Layers of the ring between two outlines of equally many points, each layer turned (rad) and scaled."""
    count, layers = len(outer), len(heights)
    points = []
    for h, turn, scale in zip(heights, turns, scales, strict=True):
        c, s = scale * math.cos(turn), scale * math.sin(turn)
        both = np.concatenate([outer, inner]) @ np.array([[c, s], [-s, c]])
        points.append(np.column_stack([both, np.full(2 * count, h)]))
    i = np.arange(count)
    j = (i + 1) % count
    triangles = []
    for layer in range(layers - 1):
        low, high = 2 * count * layer, 2 * count * (layer + 1)
        for side, flip in ((0, False), (count, True)):
            a, b, c, d = low + side + i, low + side + j, high + side + j, high + side + i
            for t in ((a, b, c), (a, c, d)):
                triangles.append(np.column_stack(t[::-1] if flip else t))
    top = 2 * count * (layers - 1)
    for base, flip in ((0, True), (top, False)):
        a, b, c, d = base + i, base + j, base + count + j, base + count + i
        for t in ((a, b, c), (a, c, d)):
            triangles.append(np.column_stack(t[::-1] if flip else t))
    mesh = Mesh(np.concatenate(points), np.concatenate(triangles).astype(np.int32))
    return Shape("made", mesh, mesh)


def circle(radius: float, like: Array) -> Array:
    """Points on a circle, at the angles of an outline's."""
    angles = np.unwrap(np.arctan2(like[:, 1], like[:, 0]))
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def wheel(
    teeth: int, module: float, width: float, *, helix: float = 0.0, double: bool = False, inside: bool = False,
    angle: float = 20.0, shift: float = 0.0,
) -> Shape:  # fmt: skip
    """A spur or helical (`helix` deg at the reference circle) wheel, with a bore, or an inner wheel in a ring."""
    teeth_line = outline(teeth, module, angle=angle, shift=shift, inside=inside)
    reference = module * teeth / 2
    layers = 2 if not helix else 41
    heights = np.linspace(0, width, layers)
    way = np.abs(heights - width / 2) if double else heights
    turns = math.tan(math.radians(helix)) * way / reference
    if inside:
        rim = circle(reference + 5 * module, teeth_line)
        return drawn(rim, teeth_line, heights, turns, np.ones(layers))
    return drawn(teeth_line, circle(0.3 * reference, teeth_line), heights, turns, np.ones(layers))


def bevel(teeth: int, module: float, cone: float, width: float) -> Shape:
    """A straight bevel by Tredgold's virtual wheel, `cone` deg: the large end on its back cone, drawn to the apex."""
    delta = math.radians(cone)
    reference = module * teeth / 2
    flat = outline(teeth, module)
    r, theta = np.hypot(*flat.T), np.arctan2(flat[:, 1], flat[:, 0])
    r = reference + (r - reference) * math.cos(delta)
    rise = (r - reference) * math.tan(delta)  # the back cone is square to the pitch cone
    apex = reference / math.tan(delta)
    distance = reference / math.sin(delta)
    near = 1 - width / distance
    rim = 0.97 * float(r.min())
    drop = (rim - reference) * math.tan(delta)
    inner = 0.3 * near * reference

    def ring(radius: Array | float, z: Array | float, scale: float = 1.0) -> Array:
        height = apex + scale * (z - apex)
        x, y = scale * radius * np.cos(theta), scale * radius * np.sin(theta)
        return np.column_stack([x, y, np.broadcast_to(height, theta.shape)])

    back, front = drop - 0.5 * module, apex + near * (drop - apex)
    rings = [ring(r, rise), ring(r, rise, near), ring(rim, drop, near), ring(inner, front), ring(inner, back),
             ring(rim, back), ring(rim, drop)]  # fmt: skip
    count = len(r)
    i = np.arange(count)
    j = (i + 1) % count
    triangles = []
    for k in range(len(rings)):
        m = (k + 1) % len(rings)
        a, b, c, d = k * count + i, k * count + j, m * count + j, m * count + i
        triangles += [np.column_stack((a, b, c)), np.column_stack((a, c, d))]
    mesh = Mesh(np.concatenate(rings), np.concatenate(triangles).astype(np.int32))
    return Shape("made", mesh, mesh)


def moved(shape: Shape, R: Array, p: Array) -> Shape:
    """The shape placed elsewhere in its part's frame."""
    assert shape.fine is not None
    mesh = Mesh(shape.fine.vertices @ R.T + p, shape.fine.triangles)
    return Shape("made", mesh, mesh)
