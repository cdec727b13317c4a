"""Wheels made for tests: involute outlines by their equations, drawn out, twisted or drawn to an apex as meshes.

Lengths in m. A mesh is made of layers of one outline with a bore, closed by its two ends.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from cadbridge.geometry import Mesh, Shape

Array = NDArray[np.float64]


def outline(
    teeth: int, module: float, *, angle: float = 20.0, shift: float = 0.0, inside: bool = False, points: int = 12
) -> Array:
    """The outline (n, 2) of an involute wheel about the origin; of an inner one, of its hole.

    `points` stand on a flank: of a solid each is a face that STEP has to write and to read.
    """
    alpha = math.radians(angle)
    addendum, dedendum = (1.25, 1.0) if inside else (1.0, 1.25)
    reference = module * teeth / 2
    base, tip = reference * math.cos(alpha), reference + module * (addendum + shift)
    root = max(reference - module * (dedendum - shift), 0.2 * reference)
    half = math.pi / (2 * teeth) + 2 * shift * math.tan(alpha) / teeth + math.tan(alpha) - alpha
    radii = np.linspace(max(base, root), tip, points)
    phi = np.arccos(np.minimum(1.0, base / radii))
    flank = half - (np.tan(phi) - phi)
    if root < base:  # a straight foot where there is no involute
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
    layers = 2 if not helix else 21
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


def star(points: int, outer: float, inner: float) -> Array:
    """The outline of a straight knurl or of a servo's serration: triangles all round."""
    angles = math.pi * np.arange(2 * points) / points
    r = np.where(np.arange(2 * points) % 2, inner, outer)
    return np.column_stack([r * np.cos(angles), r * np.sin(angles)])


def notched(count: int, circle_at: float, notch: float, outer: float) -> Array:
    """A disc of radius `outer` with `count` round notches of radius `notch` about points at radius `circle_at`."""
    pitch = 2 * math.pi / count
    half = math.acos((outer**2 + circle_at**2 - notch**2) / (2 * outer * circle_at))
    rim = np.linspace(half, pitch - half, 4)
    start = math.atan2(outer * math.sin(half), outer * math.cos(half) - circle_at)
    turn = (
        np.linspace(-start, -2 * math.pi + start, 10)[1:-1]
        if math.cos(start) < 0
        else np.linspace(-start, start - 2 * math.pi, 10)[1:-1]
    )
    seat = np.column_stack([circle_at + notch * np.cos(turn), notch * np.sin(turn)])
    arc = outer * np.column_stack([np.cos(rim), np.sin(rim)])
    one = np.concatenate([seat, arc])
    turns = [np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) for a in pitch * np.arange(count)]
    return np.concatenate([one @ R for R in turns])


def sprocket(teeth: int, pitch: float, roller: float) -> Array:
    """A sprocket's outline: seats of the rollers and straight flanks that open from them (ISO 606, simplified)."""
    reference = pitch / math.sin(math.pi / teeth) / 2
    seat = 0.505 * roller
    fan = np.radians(np.linspace(120, 240, 13))
    low = np.column_stack([reference + seat * np.cos(fan), seat * np.sin(fan)])[::-1]
    slope = math.radians(15)
    along = np.array([math.cos(slope), math.sin(slope)])
    reach = 0.3 * pitch
    start = np.array([reference + 0.15 * roller, 0.5 * roller])
    up = start + reach * along
    one = np.concatenate([[up * [1, -1], start * [1, -1]], low[::1], [start, up]])
    turns = [
        np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
        for a in 2 * math.pi / teeth * np.arange(teeth)
    ]
    return np.concatenate([one @ R for R in turns])


def plate(outer: Array, thickness: float, bore: float = 0.3) -> Shape:
    """An outline drawn straight out, with a bore of a share of its least radius."""
    inner = circle(bore * float(np.hypot(*outer.T).min()), outer)
    return drawn(outer, inner, np.array([0.0, thickness]), np.zeros(2), np.ones(2))


def polygon(sides: int, flat: float, points: int = 96) -> Array:
    """A regular polygon, `flat` from its middle to its sides, at as many angles as `ring` has."""
    angles = 2 * math.pi * np.arange(points) / points
    r = flat / np.cos(np.mod(angles, 2 * math.pi / sides) - math.pi / sides)
    return np.column_stack([r * np.cos(angles), r * np.sin(angles)])


def ring(radius: float, points: int = 96) -> Array:
    """A circle."""
    angles = 2 * math.pi * np.arange(points) / points
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def turned(*steps: tuple[Array, float], closed: bool = False) -> Shape:
    """Outlines at heights joined one to the next; capped at both ends, or `closed` into a ring (nuts, washers).

    Steps of a solid go up its outside and down a socket; those of a ring go round its meridian.
    """
    rings = [np.column_stack([outline, np.full(len(outline), z)]) for outline, z in steps]
    count = len(rings[0])
    i = np.arange(count)
    j = (i + 1) % count
    triangles = []
    for k in range(len(rings) if closed else len(rings) - 1):
        m = (k + 1) % len(rings)
        a, b, c, d = k * count + i, k * count + j, m * count + j, m * count + i
        triangles += [np.column_stack((a, b, c)), np.column_stack((a, c, d))]
    vertices = np.concatenate(rings)
    if not closed:
        ends = np.array([[0, 0, steps[0][1]], [0, 0, steps[-1][1]]])
        first, last = len(vertices), (len(rings) - 1) * count
        triangles += [np.column_stack((j, i, np.full(count, first)))]
        triangles += [np.column_stack((last + i, last + j, np.full(count, first + 1)))]
        vertices = np.concatenate([vertices, ends])
    mesh = Mesh(vertices, np.concatenate(triangles).astype(np.int32))
    return Shape("made", mesh, mesh)


def ridged(starts: int, tip: float, root: float, pitch: float, flank: float, turns: float = 6) -> Shape:
    """A worm or thread (right-hand): at each height the outline turned by 2π for `pitch` · `starts`; `flank` deg."""
    points = 240
    angles = 2 * math.pi * np.arange(points) / points
    phase = np.mod(angles * starts / (2 * math.pi), 1.0) - 0.5
    middle = (tip + root) / 2
    slope = 1 / math.tan(math.radians(flank))
    r = np.clip(middle + slope * (0.25 - np.abs(phase)) * pitch, root, tip)
    outline = np.column_stack([r * np.cos(angles), r * np.sin(angles)])
    heights = np.linspace(0, turns * pitch, int(turns * 24))
    scale = np.ones(len(heights))
    return drawn(outline, circle(0.2 * root, outline), heights, 2 * math.pi * heights / (pitch * starts), scale)
