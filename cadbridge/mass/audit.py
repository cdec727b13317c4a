"""Whether a mesh encloses a volume, and which way is out.

A mesh is closed when every edge is run through as often one way as the other: only then is the sum
over its triangles the integral over a volume, wherever the origin is. That takes in shells that touch
along an edge, and finds a single flipped triangle, which a count of edges alone does not.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.frames import Vector
from cadbridge.geometry import Mesh
from cadbridge.inertia import MassProperties
from cadbridge.polyhedron import volume_properties_of
from solver.algebra.connected import connected

_WELDS = (0.0, 1e-8, 1e-6, 1e-5)
"""Fractions of the size within which vertices are taken for one, tried in turn until the mesh closes."""

_SAMPLES = 24
"""Vertices of a shell that are tested for being inside of another: shells that cross show by one in most cases, and
each test goes through all triangles."""

_MOST_SHELLS = 60
"""Shells up to which each is tested for being inside of each other: the tests are their square, and each goes through
all triangles."""


@dataclass(frozen=True, eq=False)
class MeshAudit:
    """What is known of a mesh, and the mesh with what could be mended exactly.

    `mesh` is welded and mended. `closed`: it encloses a volume. `inverted` shells were turned outside
    out, `flipped` triangles were turned to agree with their neighbours, `degenerate` ones were
    dropped. `open_edges` bound a hole. `overlapping` shells lie within another one and count twice.
    """

    mesh: Mesh
    closed: bool
    open_edges: int = 0
    flipped: int = 0
    inverted: int = 0
    degenerate: int = 0
    shells: int = 0
    overlapping: int = 0

    @cached_property
    def volume(self) -> MassProperties:
        """Volume properties of the mesh, computed once."""
        return volume_properties(self.mesh)


def volume_properties(mesh: Mesh) -> MassProperties:
    """Volume (as mass, at density 1), centre and inertia about it, in the mesh's frame.

    Only meaningful for a closed mesh, see `audit_mesh`; negative for one that is inside out.
    """
    return MassProperties(*volume_properties_of(mesh.vertices, mesh.triangles))


def audit_mesh(mesh: Mesh) -> MeshAudit:
    """Weld, drop degenerate triangles, look for holes, turn what is turned wrongly."""
    total = len(mesh.triangles)
    if total == 0:
        return MeshAudit(mesh, closed=False)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    welded, edges, unmatched = mesh, _NO_EDGES, 0
    # From exact to coarse: a tolerance that is wider than needed would close real gaps.
    for fraction in _WELDS:
        welded = weld(mesh, fraction * size)
        edges = _edges(welded.triangles)
        unmatched = edges.holes
        if unmatched == 0:
            break
    degenerate = total - len(welded.triangles)
    if unmatched or len(welded.triangles) == 0:
        # What no tolerance closes is left as fine as it was.
        open_mesh = weld(mesh, 0.0)
        return MeshAudit(open_mesh, closed=False, open_edges=unmatched, degenerate=degenerate)
    triangles, flipped = welded.triangles, 0
    if edges.unbalanced:
        triangles, flipped = _consistent(triangles, edges)
        if unbalanced := _edges(triangles).unbalanced:
            return MeshAudit(welded, closed=False, degenerate=degenerate, open_edges=unbalanced)
    shells = _shells(triangles)
    triangles, inverted, overlapping = _outside_out(welded.vertices, triangles, shells)
    # A shell turned as a whole makes the others the ones that were flipped.
    flipped = min(flipped, len(triangles) - flipped) if inverted else flipped
    return MeshAudit(Mesh(welded.vertices, triangles), True, 0, flipped, inverted, degenerate, len(shells), overlapping)


def weld(mesh: Mesh, tolerance: float) -> Mesh:
    """The mesh with vertices within `tolerance` (m) made one, and without triangles that have no area."""
    vertices = mesh.vertices + 0.0  # so that -0 and 0 are one
    keys = vertices if tolerance == 0.0 else np.round(vertices / tolerance)
    first, inverse = _unique_rows(keys)
    triangles = inverse[mesh.triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    return Mesh(vertices[first], triangles.astype(np.int32))


def _unique_rows(rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The first of each set of equal rows (n, 3), in the order of the rows, and for each row which of them it is.

    As `np.unique` along axis 0, which compares rows one by one and keeps three copies: columns are sorted here.
    """
    order = np.lexsort(rows.T[::-1])
    new = np.zeros(len(rows), dtype=bool)
    new[:1] = True
    for column in rows.T:
        values = column[order]
        new[1:] |= values[1:] != values[:-1]
    inverse = np.empty(len(rows), dtype=np.int32)
    inverse[order] = np.cumsum(new, dtype=np.int32) - 1
    return order[new], inverse


@dataclass(frozen=True, eq=False)
class _Edges:
    """For each half-edge (3 m): a number of its undirected edge, and +1 or -1 for its direction."""

    numbers: NDArray[np.int64]
    signs: NDArray[np.int64]

    @property
    def holes(self) -> int:
        """Edges with an odd number of triangles: no way of turning triangles can close the mesh there."""
        return int(np.count_nonzero(np.bincount(self.numbers) % 2))

    @property
    def unbalanced(self) -> int:
        """Edges run through more often one way than the other."""
        return int(np.count_nonzero(np.bincount(self.numbers, weights=self.signs)))


_NO_EDGES = _Edges(np.zeros(0, np.int64), np.zeros(0, np.int64))
"""Those of a mesh without triangles."""


def _edges(triangles: NDArray[np.int32]) -> _Edges:
    if len(triangles) == 0:
        return _NO_EDGES
    start = triangles.ravel().astype(np.int64)
    end = np.roll(triangles, -1, axis=1).ravel().astype(np.int64)
    low, high = np.minimum(start, end), np.maximum(start, end)
    numbers = np.unique(low * (int(triangles.max()) + 1) + high, return_inverse=True)[1]
    return _Edges(numbers.reshape(-1), np.where(start < end, 1, -1))


def _consistent(triangles: NDArray[np.int32], edges: _Edges) -> tuple[NDArray[np.int32], int]:
    """Triangles turned so that neighbours agree, and how many were turned (the fewer of each shell)."""
    numbers, signs = edges.numbers, edges.signs
    # Neighbours across edges of exactly two triangles; at others (touching shells) nothing can be known.
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])[counts == 2]
    first, second = order[starts], order[starts + 1]
    disagree = signs[first] == signs[second]
    neighbours: list[list[tuple[int, bool]]] = [[] for _ in triangles]
    for one, other, bad in zip((first // 3).tolist(), (second // 3).tolist(), disagree.tolist(), strict=True):
        neighbours[one].append((other, bad))
        neighbours[other].append((one, bad))
    turned = np.zeros(len(triangles), dtype=bool)
    seen = np.zeros(len(triangles), dtype=bool)
    for seed in range(len(triangles)):
        if not seen[seed]:
            shell = _spread(seed, neighbours, turned, seen)
            # Which of the two sides is right is not known here: the majority is, since single triangles are what is
            # flipped.
            if turned[shell].sum() * 2 > len(shell):
                turned[shell] = ~turned[shell]
    result = triangles.copy()
    result[turned] = result[turned][:, ::-1]
    return result, int(turned.sum())


def _spread(
    seed: int, neighbours: list[list[tuple[int, bool]]], turned: NDArray[np.bool_], seen: NDArray[np.bool_]
) -> list[int]:
    """Walk a shell from a triangle, turning each one to agree with where it was reached from."""
    shell, waiting = [seed], deque([seed])
    seen[seed] = True
    while waiting:
        at = waiting.popleft()
        for other, bad in neighbours[at]:
            if not seen[other]:
                seen[other] = True
                turned[other] = turned[at] ^ bad
                shell.append(other)
                waiting.append(other)
    return shell


def _shells(triangles: NDArray[np.int32]) -> list[NDArray[np.int64]]:
    """The triangles of each connected shell."""
    a, b, c = triangles.astype(np.int64).T
    of_triangle = connected(int(triangles.max()) + 1, np.r_[a, b], np.r_[b, c])[a]
    order = np.argsort(of_triangle, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(of_triangle[order])) + 1)


def _outside_out(
    vertices: NDArray[np.float64], triangles: NDArray[np.int32], shells: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int32], int, int]:
    """Turn shells that are inside out, but leave cavities; count shells within another.

    A shell with negative volume is a cavity where it lies in a shell with positive volume, and inside
    out elsewhere; a mesh whose whole volume is negative is turned as one, cavities and all.
    """
    result = triangles.copy()
    inverted = overlapping = 0
    volumes = np.array([_volume(vertices[result[shell]]) for shell in shells])
    if volumes.sum() < 0:
        result = np.ascontiguousarray(result[:, ::-1])
        volumes = -volumes
        inverted = int((volumes > 0).sum())
    if len(shells) == 1 or len(shells) > _MOST_SHELLS:
        return result, inverted, overlapping
    boxes = [_box(vertices[result[shell]]) for shell in shells]
    for i, shell in enumerate(shells):
        others = [j for j in range(len(shells)) if j != i and volumes[j] > 0 and _meet(boxes[i], boxes[j])]
        inside = any(_partly_inside(vertices, result[shell], result[shells[j]], boxes[j]) for j in others)
        if volumes[i] < 0 and not inside:
            result[shell] = result[shell][:, ::-1]
            inverted += 1
        elif volumes[i] > 0 and inside:
            overlapping += 1
    return result, inverted, overlapping


def _volume(corners: NDArray[np.float64]) -> float:
    """The volume that a closed shell of triangles (m, 3, 3) encloses; negative where it is inside out."""
    a, b, c = (corners - corners[0, 0]).transpose(1, 0, 2)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


_Box = tuple[Vector, Vector]


def _box(corners: NDArray[np.float64]) -> _Box:
    return corners.min(axis=(0, 1)), corners.max(axis=(0, 1))


def _meet(a: _Box, b: _Box) -> bool:
    return bool(np.all(a[0] <= b[1]) and np.all(b[0] <= a[1]))


def _partly_inside(
    vertices: NDArray[np.float64], shell: NDArray[np.int32], other: NDArray[np.int32], box: _Box
) -> bool:
    """Whether some vertex of a shell is inside of another: its winding number is about 1 there.

    Solid angle of a triangle: van Oosterom and Strackee, "The solid angle of a plane triangle", 1983.
    """
    used = np.unique(shell)
    points = vertices[used[:: max(1, len(used) // _SAMPLES)][:_SAMPLES]]
    # Outside of its box (`box`) a point is outside of the other shell.
    for point in points[np.all((box[0] <= points) & (points <= box[1]), axis=1)]:
        corners = vertices[other] - point
        length = np.linalg.norm(corners, axis=2)
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        numerator = np.einsum("ij,ij->i", a, np.cross(b, c))
        denominator = (
            length.prod(axis=1)
            + np.einsum("ij,ij->i", a, b) * length[:, 2]
            + np.einsum("ij,ij->i", b, c) * length[:, 0]
            + np.einsum("ij,ij->i", c, a) * length[:, 1]
        )
        # Whole turns but for rounding: 1 inside, 0 outside.
        if float(np.arctan2(numerator, denominator).sum()) / (2.0 * np.pi) > 0.9:
            return True
    return False
