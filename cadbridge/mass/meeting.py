"""Parts moved with their shapes: which of them run into each other.

Two parts collide where the volume that they share is thicker than what their meshes are off, and clearly thicker than
as designed: shafts in their bores, threads and press fits overlap from the start and do not count. The work is bounded
by counting intersections and not by the clock, so that the same file gives the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly
from cadbridge.frames import Pose
from cadbridge.mass.boxes import Box, box_of, depth
from cadbridge.mass.overlap import solid_of
from cadbridge.units import MM, TO_MM

if TYPE_CHECKING:
    from manifold3d import Manifold
    from shapely import STRtree

THINNEST_MEETING = 1.5e-4
"""m; a common volume of less mean thickness is what meshes are off: three times `overlap.THINNEST`, as both sides move
on chords."""
SHRINKING = 1.0 - 2e-5
"""What moves is made smaller by so much: faces that lie on each other as designed then share no film."""
THICKER = 3.0
"""So many times thicker than as designed is a collision of parts that overlap from the start."""

EQUAL = 9
"""Decimals of a pose, m, to which it is an equal one."""

Pair = tuple[str, str]


class SpentError(Exception):
    """No work is left."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """A piece of what two parts share: its box (2, 3), mm, and its thickness, m: twice its volume by its surface.

    Of slivers along round faces that fit each other the thickness is what the meshes are off.
    """

    box: NDArray[np.float64]
    thickness: float

    @staticmethod
    def of(solid: Manifold) -> _Piece:
        """The piece that a solid is."""
        box = np.array(solid.bounding_box()).reshape(2, 3)
        # A sheet is 2 V / A thick, both its sides counted; solids are in mm.
        return _Piece(box, 2e-3 * float(solid.volume()) / float(solid.surface_area()))

    def near(self, piece: _Piece) -> bool:
        """Whether another piece lies where this one is: its middle within this one's box, or beside it by its size."""
        # A tenth: a piece that a step of the motion shifts is still the same one.
        margin = np.ptp(piece.box, axis=0) + 0.1 * np.ptp(self.box, axis=0)
        middle = piece.box.mean(axis=0)
        return bool((middle >= self.box[0] - margin).all() and (middle <= self.box[1] + margin).all())


class SolidScene:
    """The parts of an assembly as solids. `size`: its diagonal, m; `work`: how many intersections may be made.

    `triangles`: of how many triangles both sides of all intersections may have together. Pairs of instances in `apart`
    are not looked at.
    """

    def __init__(
        self, assembly: Assembly, apart: Collection[frozenset[str]], work: int, triangles: float = math.inf
    ) -> None:
        self._assembly = assembly
        self._left = work
        self._triangles = triangles
        self._solids: dict[str, Manifold | None] = {}
        self._smaller: dict[str, Manifold] = {}
        self._boxes: dict[str, NDArray[np.float64]] = {}
        self._corners: dict[str, NDArray[np.float64] | None] = {}
        self._own_boxes: dict[str, Box] = {}
        self._designed: dict[Pair, list[_Piece]] = {}
        self._known: dict[tuple[str, str, bytes], list[_Piece]] = {}
        self._gaps: dict[tuple[str, str, bytes, float], float] = {}
        self._apart = apart
        self._bounds_of: NDArray[np.float64] | None = None
        self._index: dict[str, int] = {}
        self._last: tuple[Sequence[str], NDArray[np.float64]] = (), np.zeros((0, 2, 3))
        self._seen: tuple[list[str], STRtree] | None = None
        boxes = [b for i in assembly.instances if (b := self._box(i.name)) is not None]
        corners = np.concatenate(boxes) if boxes else np.zeros((1, 3))
        self.size = float(np.linalg.norm(np.ptp(corners, axis=0))) or 1.0

    def allow(self, work: int) -> None:
        """Let so many intersections be made from now on."""
        self._left = work

    @property
    def spent(self) -> bool:
        """Whether no work is left."""
        return self._left <= 0 or self._triangles <= 0

    def solid(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of some instances that have a closed mesh."""
        return tuple(name for name in names if self._solid(name) is not None)

    def first_hit(self, moving: Sequence[str], staying: Sequence[str], X: Pose) -> Pair | None:
        """The first two parts that collide when some are displaced by X_WW and others are not; None where none do.

        SpentError where no work is left.
        """
        still, bounds = self._still(staying), self._moved(moving, X)
        # Of thousands of parts most are far from all that moves.
        (within,) = np.nonzero(_over(still, bounds[:, 0].min(0, initial=np.inf), bounds[:, 1].max(0, initial=-np.inf)))
        still = still[within]
        for name, (low, high) in zip(moving, bounds, strict=True):
            for k in within[_over(still, low, high)].tolist():
                other = staying[k]
                if frozenset((name, other)) not in self._apart and self._collide(name, other, X):
                    return name, other
        return None

    def _still(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The bounds (n, 2, 3) in W of instances where they are, found once for all."""
        if self._bounds_of is None:
            known = [i.name for i in self._assembly.instances if self._box(i.name) is not None]
            self._index = {name: k for k, name in enumerate(known)}
            self._bounds_of = np.array([self._bounds(n, Pose()) for n in known]).reshape(-1, 2, 3)
        # A joint is moved both ways past the same thousands. Lists may have been changed since.
        if names is self._last[0] and isinstance(names, tuple):
            return self._last[1]
        found: NDArray[np.float64] = self._bounds_of[np.array([self._index[n] for n in names], dtype=int)]
        self._last = (names, found) if isinstance(names, tuple) else self._last
        return found

    def _moved(self, names: Sequence[str], X: Pose) -> NDArray[np.float64]:
        """The bounds (n, 2, 3) in W of instances that are displaced by X."""
        corners = [self._box(name) for name in names]
        moved = X.point(np.array(corners, dtype=float).reshape(-1, 3)).reshape(-1, 8, 3)
        return np.stack([moved.min(axis=1), moved.max(axis=1)], axis=1)

    def beside(self, name: str, reach: float) -> list[str]:
        """The instances whose boxes, seen along z, are nearer to that of a part than `reach` (m); not the part."""
        from shapely import STRtree, box

        if self._seen is None:
            with_box = [i.name for i in self._assembly.instances if self._box(i.name) is not None]
            bounds = self._still(with_box)
            self._seen = with_box, STRtree(box(*bounds[:, 0, :2].T, *bounds[:, 1, :2].T))
        if self._box(name) is None:
            return []
        (low, high), (names, tree) = self._bounds(name, Pose()), self._seen
        found = tree.query(box(*(low[:2] - reach), *(high[:2] + reach)))
        return [names[k] for k in sorted(found.tolist()) if names[k] != name]

    def gaps(self, name: str, others: Sequence[str], reach: float) -> Iterator[tuple[str, float]]:
        """Which others are nearer to a part than `reach` (m) as they stand, and how near, m; while work is left."""
        own = self.solid([name])
        boxes = {n: self._still([n])[0] for n in (*own, *(self.solid(others) if own else ()))}
        for other in boxes:
            low, high = boxes[name][0] - reach, boxes[name][1] + reach
            if other == name or self._left <= 0 or (boxes[other][0] > high).any() or (boxes[other][1] < low).any():
                continue
            self._left -= 1
            A, B = self._solid(name), self._solid(other)
            assert A is not None
            assert B is not None
            one, two = (self._assembly.instance(n) for n in (name, other))
            X_BA = two.X_WI.inverse() @ one.X_WI
            key = one.part, two.part, _place(X_BA), reach
            if key not in self._gaps:
                moved = A.transform(np.hstack([X_BA.R, TO_MM * X_BA.p[:, None]]))
                self._gaps[key] = MM * float(B.min_gap(moved, TO_MM * reach))
            gap = self._gaps[key]
            if gap < reach:
                yield other, gap

    def overlap_as_drawn(self, pair: Pair) -> bool:
        """Whether two parts that were found to collide share more than their meshes are off as they are drawn."""
        # As in `_collide`.
        limit = min(THINNEST_MEETING, 0.01 * self.extent(pair[0]), 0.01 * self.extent(pair[1]))
        return any(piece.thickness > limit for piece in self._designed.get(pair, ()))

    def _collide(self, name: str, other: str, X: Pose) -> bool:
        """Whether two parts collide, more than as designed, where the first is displaced by X."""
        # Of parts smaller than 15 mm a hundredth of their extent: else thin washers could pass through each other.
        limit = min(THINNEST_MEETING, 0.01 * self.extent(name), 0.01 * self.extent(other))
        if self._depth(name, other, X) < limit:
            return False
        pieces = [piece for piece in self._shared(name, other, X) if piece.thickness > limit]
        if not pieces:
            return False
        pair = (name, other)
        if pair not in self._designed:
            # Only for pairs that meet elsewhere: most never do.
            self._designed[pair] = self._shared(name, other, Pose())
        return any(
            piece.thickness > THICKER * max((d.thickness for d in self._designed[pair] if d.near(piece)), default=0.0)
            for piece in pieces
        )

    def _depth(self, name: str, other: str, X: Pose) -> float:
        """What two parts share is no thicker, m, where the first is displaced by X: as deep as their boxes overlap."""
        one, two = (self._assembly.instance(n) for n in (name, other))
        return depth(self._own_box(one.part), self._own_box(two.part), two.X_WI.inverse() @ X @ one.X_WI)

    def _own_box(self, part: str) -> Box:
        if part not in self._own_boxes:
            corners = self._box_of(part)
            assert corners is not None
            self._own_boxes[part] = box_of(corners)
        return self._own_boxes[part]

    def _shared(self, name: str, other: str, X: Pose) -> list[_Piece]:
        """The pieces that a displaced part shares with one that stays, in the frame of the latter, mm.

        What equal parts share at an equal place is known from the first, and counts as work all the same: what is
        found must not depend on how alike the units of an assembly are.
        """
        if self.spent:
            raise SpentError
        A, B = self._solid(name), self._solid(other)
        assert A is not None
        assert B is not None
        self._left -= 1
        self._triangles -= A.num_tri() + B.num_tri()
        one, two = (self._assembly.instance(n) for n in (name, other))
        X_BA = two.X_WI.inverse() @ X @ one.X_WI
        key = one.part, two.part, _place(X_BA)
        if key not in self._known:
            self._known[key] = self._pieces(name, A, B, X_BA)
        return self._known[key]

    def _pieces(self, name: str, A: Manifold, B: Manifold, X_BA: Pose) -> list[_Piece]:
        both = B ^ self._shrunk(name, A).transform(np.hstack([X_BA.R, TO_MM * X_BA.p[:, None]]))
        if both.is_empty():
            return []
        return [_Piece.of(p) for p in both.decompose() if p.volume() > 0.0 and p.surface_area() > 0.0]

    def _shrunk(self, name: str, solid: Manifold) -> Manifold:
        part = self._assembly.instance(name).part
        if part not in self._smaller:
            middle = np.array(solid.bounding_box()).reshape(2, 3).mean(axis=0)
            self._smaller[part] = solid.translate(-middle).scale((SHRINKING,) * 3).translate(middle)
        return self._smaller[part]

    def _solid(self, name: str) -> Manifold | None:
        part = self._assembly.instance(name).part
        if part not in self._solids:
            shape = self._assembly.part(part).shape
            meshes = () if shape is None else (shape.coarse, shape.fine)
            self._solids[part] = next((s for mesh in meshes if (s := solid_of(mesh)) is not None), None)
        return self._solids[part]

    def _box(self, name: str) -> NDArray[np.float64] | None:
        """The corners (8, 3) of a part's box in W, by instance; None where it has no mesh."""
        if name not in self._boxes:
            instance = self._assembly.instance(name)
            if instance.part not in self._corners:
                self._corners[instance.part] = self._box_of(instance.part)
            corners = self._corners[instance.part]
            if corners is None:
                return None
            self._boxes[name] = instance.X_WI.point(corners)
        return self._boxes[name]

    def _box_of(self, part: str) -> NDArray[np.float64] | None:
        """The corners (8, 3) of a part's box in its own frame; None where it has no mesh."""
        shape = self._assembly.part(part).shape
        mesh = None if shape is None else shape.coarse or shape.fine
        if mesh is None or not len(mesh.vertices):
            return None
        ends = np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])
        return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])

    def _bounds(self, name: str, X: Pose) -> NDArray[np.float64]:
        corners = self._box(name)
        assert corners is not None
        moved = X.point(corners)
        return np.array([moved.min(axis=0), moved.max(axis=0)])

    def extent(self, name: str) -> float:
        """The diagonal of a part's box, m; 0 where it has no mesh."""
        corners = self._box(name)
        return 0.0 if corners is None else float(np.linalg.norm(np.ptp(corners, axis=0)))


def _over(bounds: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of bounds (n, 2, 3) overlap with others."""
    over: NDArray[np.bool_] = np.all((bounds[:, 0] < high) & (bounds[:, 1] > low), axis=1)
    return over


def _place(X: Pose) -> bytes:
    """A pose as what two equal ones have in common."""
    return (np.round([*X.R, X.p], EQUAL) + 0.0).tobytes()
