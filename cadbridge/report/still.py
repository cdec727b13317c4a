"""A picture of an assembly as designed without a graphics card: shaded triangles over a depth buffer, as PNG.

For notebooks, and for the report page where the browser draws no WebGL. The view is that of the page: from the front,
right and above, here without perspective.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.geometry import Mesh

Array = NDArray[np.float64]

NO_COLOUR = (0.62, 0.65, 0.70)
"""The colour of a part that the source gave none."""
FROM = np.array([0.62, -0.72, 0.36])
"""The direction in the world from which it is seen; z is up."""
LIGHT = np.array([0.35, -0.5, 0.8])
SAMPLES_A_PIXEL = 2
"""Samples across a pixel, which are then averaged: edges look smooth at four times the work."""
MOST_SAMPLES = 2_000_000
"""Samples of triangles that are held at once: some 100 MB."""
MOST_CELLS = 1 << 16
"""More than any triangle's grid has along one side."""
MOST_TRIANGLES = 3_000_000
"""An assembly with more triangles has no picture: it would take minutes."""
EDGE = 0.012
"""Share of the model's size by which the depth jumps at an edge that is drawn dark."""


def still(assembly: Assembly, width: int = 640, height: int = 420) -> bytes | None:
    """The assembly as PNG with a transparent ground; None where it has no triangles, or too many to draw."""
    triangles, colours = _triangles(assembly)
    if not 0 < len(triangles) <= MOST_TRIANGLES:
        return None
    w, h = SAMPLES_A_PIXEL * width, SAMPLES_A_PIXEL * height
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(normals, axis=1)
    # Either side is lit: meshes of strangers may be turned inside out.
    facing = np.abs(normals @ (LIGHT / np.linalg.norm(LIGHT))) / np.where(length > 0, length, 1.0)
    seen, span = _projected(triangles, w, h)
    nearest, owner = _depths(seen, w, h)
    inside = owner >= 0
    # Two fifths of the light come from all around, so that what faces away is seen too.
    lit = np.hstack([colours * (0.42 + 0.58 * facing)[:, None], np.ones((len(colours), 1))]).astype(np.float32)
    image = np.zeros((h, w, 4), np.float32)
    image[inside] = lit[owner[inside]]
    image[..., :3] *= _edges(nearest, EDGE * span)[..., None]
    return _png(image)


def _triangles(assembly: Assembly) -> tuple[Array, Array]:
    """Corners (n, 3, 3) of all triangles in the world as designed, and their colours (n, 3)."""
    corners, colours = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
    count = 0
    for instance in assembly.instances:
        part = assembly.part(instance.part)
        mesh = _mesh(assembly, instance.part)
        if mesh is None:
            continue
        count += len(mesh.triangles)
        if count > MOST_TRIANGLES:
            return np.zeros((0, 3, 3)), np.zeros((0, 3))
        sound = mesh.triangles[np.all(np.isfinite(mesh.vertices), axis=1)[mesh.triangles].all(axis=1)]
        placed = np.nan_to_num(mesh.vertices, posinf=0.0, neginf=0.0) @ instance.X_WI.R.T + instance.X_WI.p
        corners.append(placed[sound])
        colour = instance.colour or part.colour or NO_COLOUR
        colours.append(np.tile(np.clip(colour[:3], 0.0, 1.0), (len(sound), 1)))
    return np.concatenate(corners), np.concatenate(colours)


def _mesh(assembly: Assembly, part: str) -> Mesh | None:
    shape = assembly.part(part).shape
    meshes = () if shape is None else (shape.coarse, shape.fine)
    return next((m for m in meshes if m is not None and len(m.triangles)), None)


def _projected(triangles: Array, w: int, h: int) -> tuple[Array, float]:
    """Corners as (column, row, depth) with a margin around them, and the size of the model in the unit of depth."""
    towards = FROM / np.linalg.norm(FROM)
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    axes = np.array([right, np.cross(towards, right), -towards])
    at = triangles @ axes.T
    low, high = at.min(axis=(0, 1)), at.max(axis=(0, 1))
    # m: a flat shape seen from its edge still has a scale.
    size = np.maximum(high - low, 1e-12)
    # A margin of 3 % on each side.
    scale = 0.94 * min(w / size[0], h / size[1])
    at = (at - (low + high) / 2) * np.array([scale, -scale, scale])
    return at + np.array([w / 2, h / 2, 0.0]), float(np.linalg.norm(size)) * scale


def _depths(seen: Array, w: int, h: int) -> tuple[Array, NDArray[np.int64]]:
    """The depth (h, w) of what is nearest, inf where nothing is, and the triangle that it belongs to, -1 for none.

    Each triangle is sampled on a grid of its own, finer than the pixels, along its longest edge and across it; those
    with equal grids go together.
    """
    nearest, owner = np.full(w * h, np.inf), np.full(w * h, -1)
    seen = _longest_first(seen)
    base = seen[:, 1, :2] - seen[:, 0, :2]
    away = seen[:, 2, :2] - seen[:, 0, :2]
    length = np.linalg.norm(base, axis=1)
    # Pixels: a triangle seen as a point has no height.
    height = np.abs(base[:, 0] * away[:, 1] - base[:, 1] * away[:, 0]) / np.maximum(length, 1e-9)
    group = _rounded(length) * MOST_CELLS + _rounded(height)
    order = np.argsort(group, kind="stable")
    grids, first = np.unique(group[order], return_index=True)
    for grid, members in zip(grids, np.split(order, first[1:]), strict=True):
        across, up = divmod(int(grid), MOST_CELLS)
        weights = _shares(across, up)
        step = max(1, MOST_SAMPLES // len(weights))
        for chunk in (members[i : i + step] for i in range(0, len(members), step)):
            points = (weights @ seen[chunk]).reshape(-1, 3)
            column, row = (points[:, axis].astype(np.int32) for axis in (0, 1))
            pixel = np.clip(row, 0, h - 1) * w + np.clip(column, 0, w - 1)
            np.minimum.at(nearest, pixel, points[:, 2])
            # Several samples may fall on one pixel: which of them is nearest is known only after all of them.
            wins = points[:, 2] <= nearest[pixel]
            owner[pixel[wins]] = np.repeat(chunk, len(weights))[wins]
    return nearest.reshape(h, w), owner.reshape(h, w)


def _shares(across: int, up: int) -> Array:
    """Places all over a triangle as shares (n, 3) of its corners.

    They lie in `up` + 1 rows along its first edge, that one in `across` cells, and the shorter a row, the fewer.
    """
    t = np.linspace(0.0, 1.0, up + 1)
    cells = np.ceil(across * (1.0 - t)).astype(int)
    row = np.repeat(np.arange(up + 1), cells + 1)
    place = np.arange(len(row)) - np.repeat(np.cumsum(cells + 1) - cells - 1, cells + 1)
    s, t = place / np.maximum(cells, 1)[row], t[row]
    return np.column_stack([(1 - t) * (1 - s), (1 - t) * s, t])


def _longest_first(seen: Array) -> Array:
    """The corners of each triangle turned so that its longest edge is the first."""
    edges = np.linalg.norm(seen[:, [1, 2, 0], :2] - seen[:, :, :2], axis=2)
    turn = (np.argmax(edges, axis=1)[:, None] + np.arange(3)) % 3
    return np.asarray(np.take_along_axis(seen, turn[:, :, None], axis=1))


def _rounded(pixels: Array) -> NDArray[np.int64]:
    """Cells for a length in pixels, a little finer, in steps of the square root of two: few grids serve all."""
    # Cells below a pixel over √2: the diagonal of one is below a pixel, so that no pixel lies between samples.
    return np.asarray(np.ceil(2.0 ** (np.ceil(2 * np.log2(np.maximum(1.5 * pixels, 1.0))) / 2)), dtype=np.int64)


def _edges(nearest: Array, jump: float) -> NDArray[np.float32]:
    """How bright a sample is (h, w): dark where what lies beside it is nearer or farther by more than `jump`."""
    dark = np.zeros(nearest.shape, dtype=bool)
    # m: where nothing is seen is farther than all that is, and not infinite, whose differences are no numbers.
    filled = np.where(np.isfinite(nearest), nearest, 1e9)
    for axis in (0, 1):
        step = np.abs(np.diff(filled, axis=axis)) > jump
        dark[tuple(slice(1, None) if a == axis else slice(None) for a in (0, 1))] |= step
    # Edges are drawn at about half the light: seen on dark and on light shapes.
    return np.where(dark, np.float32(0.55), np.float32(1.0))


def _png(image: NDArray[np.float32]) -> bytes:
    """The PNG of an image (h, w, 4), black where it is not covered, whose samples are averaged to pixels."""
    from matplotlib.image import imsave

    each = range(SAMPLES_A_PIXEL)
    total = np.sum([image[i::SAMPLES_A_PIXEL, j::SAMPLES_A_PIXEL] for i in each for j in each], axis=0)
    covered = total[..., 3:]
    # Of the covered samples alone: empty ones are black, and would draw a dark rim about the picture.
    colour = total[..., :3] / np.maximum(covered, 1.0)
    levels = np.concatenate([colour, covered / SAMPLES_A_PIXEL**2], axis=2)
    out = io.BytesIO()
    plain: dict[str, Any] = {"Software": None}  # no version in it: the same picture is the same bytes
    imsave(out, np.rint(levels * 255).astype(np.uint8), format="png", metadata=plain)
    return out.getvalue()
