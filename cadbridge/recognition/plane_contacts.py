"""Planes of two instances that look at each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from shapely.geometry import Polygon

from cadbridge.frames import Pose, Vector, frame_from_axis
from cadbridge.recognition.contacts import Contact, Placed
from cadbridge.recognition.outlines import common_area, polygon_of

TILT = 2e-3
"""rad between the normals of faces that lie on one plane: a face of 10 mm is off by 0.02 mm at its rim.

Normals are gathered with heights in one tree, so that it also scales the two against each other.
"""


LEAST_AREA = 0.02
"""Share of the smaller face that planes in contact have in common at least: faces that meet along an edge only have
less. 54 machines: 0.017 | 0.023, so a choice.
"""


SIDE = np.array([0.8123, 0.4717, 0.3427])
"""Directions are turned to its side: no usual direction is square to it."""


def gathered(keys: NDArray[np.float64], radius: float) -> list[NDArray[np.int64]]:
    """Rows of `keys` (n, k) chained together by distances (of the largest coordinate) below `radius`."""
    if not len(keys):
        return []
    # Rows that are alike are one point of the tree: a thousand washers on one line are no million pairs.
    unique, which = np.unique(np.round(keys / (0.1 * radius)), axis=0, return_inverse=True)
    pairs = cKDTree(unique * 0.1 * radius).query_pairs(radius, p=np.inf, output_type="ndarray")
    links = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(unique),) * 2)
    count, label = connected_components(links, directed=False)
    labels = label[which.ravel()]
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.searchsorted(labels[order], np.arange(1, count)))


def plane_contacts(planes: Sequence[Placed], centre: Vector, slack: float) -> list[Contact]:
    """Faces of two instances that look at each other from one plane and have an area in common."""
    if not planes:
        return []
    directions = np.array([p.direction for p in planes])
    sides = np.where(directions @ SIDE < 0, -1.0, 1.0)
    normals = directions * sides[:, None]
    heights = np.sum((np.array([p.point for p in planes]) - centre) * normals, axis=1)
    found = []
    for group in gathered(np.hstack([normals * (slack / TILT), heights[:, None]]), slack):
        up = [planes[i] for i in group if sides[i] > 0]
        down = [planes[i] for i in group if sides[i] < 0]
        if up and down:
            found += _facing(up, down, normals[group[0]], slack)
    return found


def _facing(up: Sequence[Placed], down: Sequence[Placed], normal: Vector, slack: float) -> list[Contact]:
    from shapely import STRtree

    X_PW = Pose(frame_from_axis(normal).T, np.zeros(3))
    upper, lower = [_outline(p, X_PW) for p in up], [_outline(p, X_PW) for p in down]
    found = []
    for i, j in STRtree(lower).query(upper).T.tolist():
        a, b = up[i], down[j]
        if a.instance == b.instance:
            continue
        area, spot = common_area(upper[i], lower[j])
        if area <= LEAST_AREA * min(a.surface.area, b.surface.area):
            continue
        gap = float((b.point - a.point) @ normal)
        if abs(gap) > slack:
            continue
        point = X_PW.R.T @ np.array([*spot, float(normal @ a.point)])
        found.append(Contact("plane", a, b, point, normal, gap, 0.0, area))
    return found


def _outline(p: Placed, X_PW: Pose) -> Polygon:
    """The outline of a plane in the plane's own coordinates."""
    X_PI = X_PW @ p.X_WI
    return polygon_of([X_PI.point(loop)[:, :2] for loop in p.surface.loops])
