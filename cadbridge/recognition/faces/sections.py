"""Sections of a mesh across an axis, and where circles about that axis run through material.

Frame A: z along the axis, the origin on it. Heights are z. A section is a set of directed segments with the material
on their left, seen against z; a circle about the axis enters material where a segment leads outward, so no chain of
segments has to be closed, and a broken mesh spoils only the circles that meet its hole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Matrix, Vector
from cadbridge.geometry import Mesh

Array = NDArray[np.float64]

_ODD_RAY = 0.7316
"""rad; the direction of a ray along which no edge of any usual part runs."""

_ONE_LEVEL, _ROUGHLY = 1e-6, 1e-4
"""Of a part's height: vertices within it are on one level; and within which they count together as many."""

_SHORT, _LOOKS = 0.1, (0.5, 0.12, 0.37, 0.63, 0.88)
"""Of a part's height: a step between levels is short; where in it a section is made; where in a longer one."""

_NONE: Array = np.zeros(0)
"""Arcs of a ring that has none."""


def across(axis: Vector) -> Matrix:
    """R_PA (3, 3): columns x, y, z of a frame whose z is `axis` (3,), a unit vector of the part's frame."""
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    other = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = other - axis * (other @ axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


@dataclass(frozen=True, eq=False)
class Ring:
    """A circle of radius `radius` m in a section: arcs of material from `starts` (k,) over `widths` (k,), rad.

    No arcs and `filled` where it lies in material all round. `sound` is False where entries and exits do not alternate.
    """

    radius: float
    starts: Array
    widths: Array
    filled: bool
    sound: bool

    @cached_property
    def share(self) -> float:
        """The part of the circle that is material."""
        return float(self.filled) if not len(self.starts) else float(self.widths.sum() / math.tau)

    def phase(self, count: int, some: NDArray[np.bool_] | slice = slice(None)) -> float:
        """The angle, rad, by which arcs (`some` or all) at steps of a `count`-th of the circle are turned."""
        # A mean on a circle of one step: at the seam a plain one would lie half a step off.
        turned = np.exp(1j * count * (self.starts + self.widths / 2)[some]).sum()
        return math.atan2(turned.imag, turned.real) / count


class _Crossings(NamedTuple):
    """Ascending polar angles at which circles enter or leave material, those of circle n from `bounds[n]` on.

    `spoilt` circles do not do so by turns; `closed` ones have no arcs: they are spoilt, or meet nothing.
    """

    angle: Array
    enters: NDArray[np.bool_]
    bounds: NDArray[np.intp]
    spoilt: NDArray[np.bool_]
    closed: NDArray[np.bool_]


class Section:
    """One section: segments from `a` to `b` (n, 2), split where they come nearest to the axis."""

    def __init__(self, a: Array, b: Array) -> None:
        along = b - a
        length = np.einsum("ij,ij->i", along, along)
        with np.errstate(divide="ignore", invalid="ignore"):
            foot = np.where(length > 0, -np.einsum("ij,ij->i", a, along) / length, 0.0)
        inner = (foot > 0) & (foot < 1)
        nearest = a[inner] + foot[inner, None] * along[inner]
        self.a = np.concatenate([a[~inner], a[inner], nearest])
        self.b = np.concatenate([b[~inner], nearest, b[inner]])
        self.ra, self.rb = np.hypot(*self.a.T), np.hypot(*self.b.T)

    @property
    def empty(self) -> bool:
        """Whether the plane misses the part."""
        return len(self.ra) == 0

    def radii(self, count: int) -> Array:
        """Radii (≤ 2 count) worth a look: evenly spread, and where the outline's corners gather."""
        low, high = float(min(self.ra.min(), self.rb.min())), float(max(self.ra.max(), self.rb.max()))
        even = low + (high - low) * (np.arange(count) + 0.5) / count
        corners = np.quantile(self.ra, (np.arange(count) + 0.5) / count)
        return np.unique(np.concatenate([even, (corners[1:] + corners[:-1]) / 2]))

    def crossings(self, radii: Array) -> NDArray[np.int64]:
        """How often the outline crosses a circle of each of the ascending radii."""
        first, last = self._passed(radii)
        steps = [np.bincount(ends, minlength=len(radii) + 1) for ends in (first, last)]
        return np.cumsum(steps[0] - steps[1])[: len(radii)]

    def _passed(self, radii: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The first of the ascending radii that each segment crosses, and the first that it does not any more."""
        low, high = np.minimum(self.ra, self.rb), np.maximum(self.ra, self.rb)
        return np.searchsorted(radii, low), np.searchsorted(radii, high)

    def rings(self, radii: Array) -> list[Ring]:
        """A ring for each of the ascending radii."""
        met = self._crossings(radii)
        lead, inside = met.enters.tolist(), self._inside(radii, met.closed)
        return [
            Ring(radius, _NONE, _NONE, inside[n], not spoilt) if closed else _arcs(radius, met.angle[i:j], lead[i])
            for n, (radius, i, j, closed, spoilt) in enumerate(
                zip(radii.tolist(), met.bounds[:-1].tolist(), met.bounds[1:].tolist(), met.closed.tolist(),
                    met.spoilt.tolist(), strict=True)
            )
        ]  # fmt: skip

    def shares(self, radii: Array) -> tuple[Array, NDArray[np.intp]]:
        """Of the ring at each of the ascending radii the part that is material, and how many arcs that is.

        As of `rings`, all at once: a layer is looked at with some seventy of them.
        """
        met = self._crossings(radii)
        share = np.array(self._inside(radii, met.closed), dtype=float)
        first, lead = met.bounds[:-1], np.append(met.enters, True)
        # Ends less beginnings; one turn more where the circle begins in material, whose first crossing is an end.
        signed = np.append(np.where(met.enters, -met.angle, met.angle), 0.0)
        turns = np.add.reduceat(signed, first) + np.where(lead[first], 0.0, math.tau)
        counts = np.where(met.closed, 0, np.diff(met.bounds) // 2)
        return np.where(met.closed, share, turns / math.tau), counts

    def _crossings(self, radii: Array) -> _Crossings:
        """Where circles of the ascending radii meet the outline."""
        first, last = self._passed(radii)
        counts = last - first  # low <= r < high: each crossing belongs to one segment alone
        segment = np.repeat(np.arange(len(counts)), counts)
        which = np.arange(len(segment)) - np.repeat(np.cumsum(counts) - counts, counts) + first[segment]
        angle = self._angles(segment, radii[which])
        enters = (self.rb > self.ra)[segment]
        order = np.lexsort((angle, which))
        angle, enters, which = angle[order], enters[order], which[order]
        bounds = np.searchsorted(which, np.arange(len(radii) + 1))
        met = np.diff(bounds)
        spoilt = met % 2 > 0
        # Of all rings at once: two entries, or two exits, one after the other spoil theirs.
        spoilt[which[1:][(enters[1:] == enters[:-1]) & (which[1:] == which[:-1])]] = True
        return _Crossings(angle, enters, bounds, spoilt, spoilt | (met == 0))

    def _angles(self, segment: NDArray[np.intp], radii: Array) -> Array:
        """Where each segment, monotonic in its radius, reaches its radius: the polar angle in [0, 2π)."""
        a, along = self.a[segment], (self.b - self.a)[segment]
        square, half = np.einsum("ij,ij->i", along, along), np.einsum("ij,ij->i", a, along)
        rest = self.ra[segment] ** 2 - radii**2
        root = np.sqrt(np.maximum(half * half - square * rest, 0.0))
        grows = self.rb[segment] > self.ra[segment]
        share = np.clip((-half + np.where(grows, root, -root)) / square, 0.0, 1.0)
        point = a + share[:, None] * along
        angle: Array = np.mod(np.arctan2(point[:, 1], point[:, 0]), math.tau)
        return angle

    def _inside(self, radii: Array, some: NDArray[np.bool_]) -> list[bool]:
        """Whether the point at each of `some` radii, on an odd ray, lies in material: exits less entries beyond it."""
        inside = np.zeros(len(radii), dtype=bool)
        if some.any():
            c, s = np.cos(_ODD_RAY), np.sin(_ODD_RAY)
            ya, yb = self.a @ np.array([-s, c]), self.b @ np.array([-s, c])
            crossing = (ya > 0) != (yb > 0)
            ya, yb = ya[crossing], yb[crossing]
            xa, xb = self.a[crossing] @ np.array([c, s]), self.b[crossing] @ np.array([c, s])
            x = xa + (xb - xa) * ya / (ya - yb)
            leaves = np.where(yb > ya, 1, -1)  # counter-clockwise: material lies nearer to the axis
            inside[some] = ((x > radii[some][:, None]) * leaves).sum(axis=1) > 0
        return inside.tolist()


def _arcs(radius: float, angle: Array, enters: bool) -> Ring:
    """The ring of ascending angles at which material begins and ends by turns, beginning first where `enters`."""
    if enters:
        starts, ends = angle[0::2], angle[1::2]
    else:
        starts, ends = angle[1::2], np.concatenate([angle[2::2], angle[:1] + math.tau])
    return Ring(radius, starts, ends - starts, False, True)


class Cutter:
    """A mesh in the frame A of an axis, ready to be cut at any height."""

    def __init__(self, mesh: Mesh, point: Vector, R_PA: Matrix) -> None:
        self.vertices: Array = (mesh.vertices - point) @ R_PA
        self.triangles = mesh.triangles
        heights = self.vertices[:, 2][self.triangles]
        self._low, self._high = heights.min(axis=1), heights.max(axis=1)
        self.low, self.high = float(self._low.min()), float(self._high.max())

    def section(self, height: float) -> Section:
        """The section at a height; a vertex in the plane counts as below it."""
        triangles = self.triangles[(self._low <= height) & (self._high > height)]
        above = self.vertices[:, 2][triangles] > height
        lone = np.where(above.sum(axis=1) == 1, above.argmax(axis=1), (~above).argmax(axis=1))
        rows = np.arange(len(triangles))
        i, j, k = (triangles[rows, (lone + n) % 3] for n in range(3))
        p, q = self._crossing(i, j, height), self._crossing(i, k, height)
        upward = above[rows, lone][:, None]
        return Section(np.where(upward, p, q), np.where(upward, q, p))

    def _crossing(self, i: NDArray[np.int32], j: NDArray[np.int32], height: float) -> Array:
        """Where edges meet the plane; from the smaller index, so that both triangles of an edge say the same."""
        first, second = self.vertices[np.minimum(i, j)], self.vertices[np.maximum(i, j)]
        rise = second[:, 2] - first[:, 2]
        point: Array = first[:, :2] + ((height - first[:, 2]) / rise)[:, None] * (second - first)[:, :2]
        return point

    def levels(self, start: float, end: float) -> Array:
        """Heights of vertices from `start` to `end` (either may be the lower), beginning with `start` itself."""
        grain = _ONE_LEVEL * (self.high - self.low)
        found = np.unique(np.round(self.vertices[:, 2] / grain)) * grain
        if end > start:
            return np.concatenate([[start], found[(found > start + grain) & (found < end + grain)]])
        return np.concatenate([[start], found[(found < start - grain) & (found > end - grain)][::-1]])

    def heights(self, most: int) -> Array:
        """Heights (≤ about `most`) to look at: between the levels where vertices gather, as at the ends of a wheel."""
        size = self.high - self.low
        if not size > 0:  # a flat sheet
            return np.zeros(0)
        levels, counts = np.unique(np.round(self.vertices[:, 2] / (_ROUGHLY * size)), return_counts=True)
        # Stable: of levels with as many vertices every processor takes the same.
        many = levels[np.sort(np.argsort(-counts, kind="stable")[: most // 2])] * _ROUGHLY * size
        bounds = np.unique(np.concatenate([[self.low], np.clip(many, self.low, self.high), [self.high]]))
        gaps = np.diff(bounds)
        found = []
        for start, gap in zip(bounds[:-1], gaps, strict=True):
            if gap > 2 * _ROUGHLY * size:
                shares = _LOOKS[:1] if gap < _SHORT * size else _LOOKS[1:]
                found += [start + gap * share for share in shares]
        return np.array(found)
