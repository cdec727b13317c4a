"""Planes of two instances that look at each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from shapely.geometry import Polygon

from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.recognition.contacts.contacts import Contact, Placed

TILT = 2e-3
"""rad between the normals of faces that lie on one plane: a face of 10 mm is off by 0.02 mm at its rim. Normals are
gathered with heights in one tree, so that it also scales the two against each other."""

LEAST_AREA = 0.02
"""Share of the smaller face that planes in contact have in common at least: faces that meet along an edge only have
less. 54 machines: 0.017 | 0.023, so a choice."""

ONE_DIRECTION = 0.1
"""Of the slack: what axes or planes of a group part at most by their directions, that these count as one. A choice."""

MOST_ASKEW = 4000
"""Axes or planes near each other that are compared where they are, for time alone: a perforated hall with one part
askew has more, and these are compared about one point."""

UNROUNDED = 1e-4
"""Share of the slack by which a gap must be smaller to be contact: a clearance of just the slack (0.01 mm) is one, and
no rounding decides on it, which is 1e-11 m."""

SIDE = np.array([0.8123, 0.4717, 0.3427])
"""Directions are turned to its side: no usual direction is square to it."""


def gathered(keys: NDArray[np.float64], radius: float) -> list[NDArray[np.int64]]:
    """Rows of `keys` (n, k) chained together by distances (of the largest coordinate) below `radius`."""
    if not len(keys):
        return []
    # Rows that are alike are one point of the tree: a thousand washers on one line are no million pairs.
    unique, which = np.unique(np.round(keys / (0.1 * radius)), axis=0, return_inverse=True)
    pairs = cKDTree(unique * 0.1 * radius).query_pairs(radius, p=np.inf, output_type="ndarray")
    return _split(_labels(len(unique), pairs)[which.ravel()])


def chained(count: int, pairs: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Rows of `count` that pairs (n, 2) of them chain together."""
    return _split(_labels(count, pairs))


def _labels(count: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return np.asarray(connected_components(links, directed=False)[1], np.int64)


def _split(labels: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """The rows of each label."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, labels.max() + 1)))


def plane_contacts(planes: Sequence[Placed], centre: Vector, slack: float) -> list[Contact]:
    """Faces of two instances that look at each other from one plane and have an area in common."""
    if not planes:
        return []
    directions = np.array([p.direction for p in planes])
    sides = np.where(directions @ SIDE < 0, -1.0, 1.0)
    normals = directions * sides[:, None]
    points = np.array([p.point for p in planes]) - centre
    found = []
    for group in _level(points, normals, slack):
        up = [planes[i] for i in group if sides[i] > 0]
        down = [planes[i] for i in group if sides[i] < 0]
        if up and down:
            found += _facing(up, down, normals[group[0]], slack)
    return found


def _level(points: NDArray[np.float64], normals: NDArray[np.float64], slack: float) -> Iterator[NDArray[np.int64]]:
    """Rows of planes, by a point and the normal of each (n, 3), among which some may be one plane.

    Parallel planes are one by their heights above one point. Those of two parts that are askew part by that times the
    distance of the point, so that a contact would go with each part that is added far away: they are all one group,
    and `_facing` compares them where they lie on each other.
    """
    heights = np.sum(points * normals, axis=1)
    level = np.empty(len(points), np.int64)
    for k, group in enumerate(gathered(np.hstack([normals * (slack / TILT), heights[:, None]]), slack)):
        level[group] = k
    farthest = float(np.max(np.linalg.norm(points, axis=1)))
    roomy = slack + TILT * farthest
    for group in gathered(np.hstack([normals * (roomy / TILT), heights[:, None]]), roomy):
        parallel = float(np.ptp(normals[group], axis=0).max()) * farthest < ONE_DIRECTION * slack
        if parallel or len(group) > MOST_ASKEW:
            yield from (group[level[group] == k] for k in np.unique(level[group]))
        else:
            yield group


def _facing(up: Sequence[Placed], down: Sequence[Placed], normal: Vector, slack: float) -> list[Contact]:
    from shapely import STRtree

    X_PW = Pose(frame_from_axis(normal).T, np.zeros(3))
    upper, lower = _Outlines(up, X_PW), _Outlines(down, X_PW)
    rows = STRtree(lower.boxes).query(upper.boxes)
    # The gap over (1, u, v) of each pair whose boxes meet.
    over = _heights(up, X_PW)
    between = _heights(down, X_PW)[rows[1]] - over[rows[0]]
    common = shapely.bounds(shapely.intersection(upper.boxes[rows[0]], lower.boxes[rows[1]]))
    middle, reach = (common[:, :2] + common[:, 2:]) / 2, np.hypot(*(common[:, 2:] - common[:, :2]).T) / 2
    tilt = np.hypot(between[:, 1], between[:, 2])
    gaps = np.abs(between[:, 0] + np.sum(between[:, 1:] * middle, axis=1))
    near = np.flatnonzero((tilt <= TILT) & (gaps <= slack + tilt * reach))
    found = []
    for row, (i, j) in zip(near.tolist(), rows[:, near].T.tolist(), strict=True):
        a, b = up[i], down[j]
        if a.instance == b.instance:
            continue
        area, spot = common_area(upper[i], lower[j])
        # The gap where they lie on each other: askew, they part elsewhere.
        gap = float(between[row] @ (1.0, *spot))
        if area <= LEAST_AREA * min(a.surface.area, b.surface.area) or abs(gap) > (1.0 - UNROUNDED) * slack:
            continue
        point = X_PW.R.T @ np.array([*spot, float(over[i] @ (1.0, *spot))])
        found.append(Contact("plane", a, b, point, normal, gap, 0.0, area))
    return found


def _heights(faces: Sequence[Placed], X_PW: Pose) -> NDArray[np.float64]:
    """The heights of planes over (1, u, v), (n, 3): in P they are nearly level."""
    normals = X_PW.vector(np.array([p.direction for p in faces]))
    points = X_PW.point(np.array([p.point for p in faces]))
    return np.column_stack([np.sum(points * normals, axis=1), -normals[:, :2]]) / normals[:, 2:]


class _Outlines:
    """The outlines of faces in the coordinates of their plane: most are never asked for, as nothing lies on them."""

    def __init__(self, faces: Sequence[Placed], X_PW: Pose) -> None:
        poses: dict[str, Pose] = {}
        for p in faces:
            if p.instance not in poses:
                poses[p.instance] = X_PW @ p.X_WI
        self._loops = [
            [poses[p.instance].point(loop)[:, :2] for loop in p.surface.loops if len(loop) >= 3] for p in faces
        ]
        self._found: dict[int, Polygon] = {}
        # Arrays with their shapes: of some planes no face has an outline.
        ends = [[loop.min(axis=0), loop.max(axis=0)] for loops in self._loops for loop in loops]
        low, high = np.array(ends).reshape(-1, 2, 2).swapaxes(0, 1)
        of = np.array([k for k, loops in enumerate(self._loops) for _ in loops], np.int64)
        bounds = np.full((len(faces), 2, 2), [[[np.inf], [-np.inf]]])
        np.minimum.at(bounds[:, 0], of, low)
        np.maximum.at(bounds[:, 1], of, high)
        self.boxes = np.full(len(faces), Polygon(), dtype=object)
        closed = np.unique(of)
        self.boxes[closed] = shapely.box(*bounds[closed].reshape(-1, 4).T)

    def __getitem__(self, k: int) -> Polygon:
        if k not in self._found:
            self._found[k] = polygon_of(self._loops[k])
        return self._found[k]


def polygon_of(loops: Sequence[NDArray[np.float64]]) -> Polygon:
    """The area (u, v) that loops (n, 2) bound: the largest loop without the others. Empty where they bound none."""
    closed = [loop for loop in loops if len(loop) >= 3]
    if not closed:
        return Polygon()
    if len(closed) > 1:
        closed.sort(key=lambda loop: -abs(_area(loop)))
    shape = Polygon(closed[0], closed[1:])
    return shape if shape.is_valid else shapely.make_valid(shape)


def _area(loop: NDArray[np.float64]) -> float:
    x, y = loop[:, 0] - loop[0, 0], loop[:, 1] - loop[0, 1]
    # The first point is the origin: what closes the loop adds nothing.
    return float(0.5 * (x[:-1] @ y[1:] - y[:-1] @ x[1:]))


def common_area(a: Polygon, b: Polygon) -> tuple[float, tuple[float, float]]:
    """What two outlines have in common, m², and the point in the middle of it."""
    both = shapely.intersection(a, b)
    if both.is_empty or not both.area > 0.0:
        return 0.0, (0.0, 0.0)
    middle = both.centroid
    return float(both.area), (float(middle.x), float(middle.y))
