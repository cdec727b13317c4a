"""Each freedom moved with the shapes of the parts: what runs into what, and where a joint stops.

A joint is moved alone, all that hangs on it with it. Two parts collide where the volume that they share is thicker
than what their meshes are off, and clearly thicker than as designed: shafts in their bores, threads and press fits
overlap from the start and do not count. A joint in a closed loop cannot be moved alone, which is reported. The work is
bounded by counting intersections and not by the clock, so that the same file gives the same answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from cadbridge.assembly import Limit
from cadbridge.findings import Finding, Findings
from cadbridge.frames import Pose, Vector
from cadbridge.mass.overlap import solid_of
from cadbridge.recognition.bodies import Groups
from cadbridge.recognition.model import FoundJoint, Motion, Recognition
from cadbridge.wording import count

if TYPE_CHECKING:
    from manifold3d import Manifold

PROOF_TURN = math.radians(1.0)
PROOF_SLIDE = 5e-4
"""rad and m by which a freedom is moved to see whether it can move at all."""
STEP_TURN = math.radians(5.0)
STEPS_SLIDE = 40
"""Steps of a sweep for limits: 5°, or a fortieth of the assembly's size."""
HALVINGS = 5
"""How often the step in which a collision begins is halved: to 0.16°."""
THICK = 1.5e-4
"""m; a common volume of less mean thickness is what meshes are off."""
SHRUNK = 1.0 - 2e-5
"""What moves is made smaller by so much: faces that lie on each other as designed then share no film."""
MORE = 3.0
"""So many times thicker than as designed is a collision of parts that overlap from the start."""
PROOF_WORK = 3_000
LIMITS_WORK = 40_000
"""Intersections in all; joints beyond are reported."""

Pair = tuple[str, str]


def move_each(found: Recognition, limits: bool = False) -> Recognition:
    """The recognition with `motion` of each joint, and with its limits where `limits` asks for them.

    Joints that cannot move (CB1610) and joints that could not be tried (CB1611) are findings.
    """
    if not found.joints:
        return found
    scene = _Moving(found, LIMITS_WORK if limits else PROOF_WORK)
    joints = tuple(_moved(scene, joint, limits) for joint in found.joints)
    return replace(found, joints=joints, findings=(*found.findings, *_findings(found, joints)))


def _findings(found: Recognition, joints: Sequence[FoundJoint]) -> tuple[Finding, ...]:
    findings = Findings()
    stuck = [j for j in joints if j.motion is not None and j.motion.state == "blocked"]
    for j in stuck:
        assert j.motion is not None
        findings.add("CB1610", f"{j.name} cannot move: {j.motion.reason}", items=[found.bodies[j.a].name])
    untried: dict[str, list[str]] = {}
    for j in joints:
        if j.motion is not None and j.motion.state == "untested":
            untried.setdefault(j.motion.reason, []).append(j.name)
    for reason, names in untried.items():
        some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        findings.add("CB1611", f"{count(len(names), 'joint')} not moved: {some}: {reason}", items=names)
    return findings.as_tuple()


def _moved(scene: _Moving, joint: FoundJoint, limits: bool) -> FoundJoint:
    """The joint with what moving it showed."""
    sides = scene.sides(joint)
    if isinstance(sides, str):
        return replace(joint, motion=Motion("untested", sides))
    try:
        hits = [scene.first_hit(sides, pose) for pose in _small(joint)]
        if limits and joint.type in ("revolute", "prismatic"):
            found = _limits(scene, joint, sides)
            if found is not None:
                return found
    except _SpentError:
        return replace(joint, motion=Motion("untested", "the assembly is too large to move every joint"))
    if joint.type in ("revolute", "prismatic", "cylindrical") and all(hits):
        first = hits[0]
        assert first is not None
        reason = f"{first[0]} meets {first[1]} at once, both ways"
        confidence = min(joint.confidence, 0.3)
        return replace(joint, motion=Motion("blocked", reason), against=(*joint.against, reason), confidence=confidence)
    hit = next((h for h in hits if h is not None), None)
    if hit is not None:
        return replace(joint, motion=Motion("free", f"moves one way; the other way {hit[0]} meets {hit[1]} at once"))
    return replace(joint, motion=Motion("free", "moves a little both ways, and nothing collides"))


def _small(joint: FoundJoint) -> Iterator[Pose]:
    """The small motions that each freedom is tried by, both ways."""
    if joint.type == "spherical":
        for axis in np.eye(3):
            yield from (_turn(joint.point, axis, way * PROOF_TURN) for way in (-1.0, 1.0))
    else:
        yield from (_displaced(joint, way * _least(joint)) for way in (-1.0, 1.0))


def _least(joint: FoundJoint) -> float:
    return PROOF_SLIDE if joint.type == "prismatic" else PROOF_TURN


def _displaced(joint: FoundJoint, amount: float) -> Pose:
    """The motion X_WW of what hangs on body b by a joint's coordinate, rad or m."""
    assert joint.axis is not None
    if joint.type == "prismatic":
        return Pose(np.eye(3), amount * joint.axis)
    return _turn(joint.point, joint.axis, amount)


def _turn(point: Vector, axis: Vector, angle: float) -> Pose:
    R = Rotation.from_rotvec(angle * axis).as_matrix()
    return Pose(R, point - R @ point)


def _limits(scene: _Moving, joint: FoundJoint, sides: _Sides) -> FoundJoint | None:
    """The joint with the coordinates at which it stops; None where it cannot move at all."""
    turning = joint.type == "revolute"
    step, most = (STEP_TURN, 2 * math.pi) if turning else (scene.size / STEPS_SLIDE, scene.size)

    def stop(way: float, most: float) -> tuple[float, Pair] | None:
        return _stop(lambda q: scene.first_hit(sides, _displaced(joint, way * q)), step, most)

    high = stop(1.0, most)
    # What turns all round one way turns all round the other way; what meets a stop meets its back within a turn.
    low = None if turning and high is None else stop(-1.0, most)
    if low is not None and high is not None and max(low[0], high[0]) < _least(joint):
        return None
    limit = Limit(lower=None if low is None else -low[0], upper=None if high is None else high[0])
    texts = tuple(
        f"{name} limit: {stop[1][0]} meets {stop[1][1]}"
        for name, stop in (("lower", low), ("upper", high)) if stop is not None
    )  # fmt: skip
    whole = "turns all round" if turning else f"slides by {1e3 * most:.4g} mm both ways"
    reason = "; ".join(texts) or f"{whole}, and nothing collides"
    return replace(joint, limit=limit if texts else None, motion=Motion("free", reason))


def _stop(hit: Callable[[float], Pair | None], step: float, most: float) -> tuple[float, Pair] | None:
    """How far a coordinate goes until two parts meet, and which; None where it goes to the end."""
    free = 0.0
    while free < most * (1 - 1e-9):
        q = min(free + step, most)
        pair = hit(q)
        if pair is None:
            free = q
            continue
        for _ in range(HALVINGS):
            middle = (free + q) / 2
            nearer = hit(middle)
            if nearer is None:
                free = middle
            else:
                q, pair = middle, nearer
        return free, pair
    return None


class _SpentError(Exception):
    """No work is left."""


@dataclass(frozen=True, eq=False)
class _Sides:
    """Instances that move and that stay; `inverse` where those that move hang on body a."""

    moving: tuple[str, ...]
    staying: tuple[str, ...]
    inverse: bool


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
        return _Piece(box, 2e-3 * float(solid.volume()) / float(solid.surface_area()))

    def near(self, piece: _Piece) -> bool:
        """Whether another piece lies where this one is: its middle within this one's box, or beside it by its size."""
        margin = np.ptp(piece.box, axis=0) + 0.1 * np.ptp(self.box, axis=0)
        middle = piece.box.mean(axis=0)
        return bool((middle >= self.box[0] - margin).all() and (middle <= self.box[1] + margin).all())


class _Moving:
    """The parts as solids, and which of them collide in a pose. `size`: the assembly's, m."""

    def __init__(self, found: Recognition, work: int) -> None:
        self._found = found
        self._left = work
        self._solids: dict[str, Manifold | None] = {}
        self._smaller: dict[str, Manifold] = {}
        self._boxes: dict[str, NDArray[np.float64]] = {}
        self._designed: dict[Pair, list[_Piece]] = {}
        self._meshing = {frozenset(g.instances) for g in found.gears}
        boxes = [b for i in found.assembly.instances if (b := self._box(i.name)) is not None]
        corners = np.concatenate(boxes) if boxes else np.zeros((1, 3))
        self.size = float(np.linalg.norm(np.ptp(corners, axis=0))) or 1.0

    def sides(self, joint: FoundJoint) -> _Sides | str:
        """What moves with a joint and what stays, or why it cannot be tried."""
        groups = Groups(str(k) for k in range(len(self._found.bodies)))
        for other in self._found.joints:
            if other is not joint:
                groups.join(str(other.a), str(other.b))
        if groups.root(str(joint.a)) == groups.root(str(joint.b)):
            return "it is in a closed loop and moves only with the others"
        of = {root: [int(k) for k in names] for root, names in groups.members().items()}
        side_a, side_b = (of[groups.root(str(k))] for k in (joint.a, joint.b))
        inverse = self._found.ground in side_b
        moving, staying = (side_a, side_b) if inverse else (side_b, side_a)
        names = [tuple(n for k in side for n in self._found.bodies[k].instances) for side in (moving, staying)]
        solid = [tuple(n for n in side if self._solid(n) is not None) for side in names]
        if not all(solid):
            return "its parts have no closed meshes"
        return _Sides(solid[0], solid[1], inverse)

    def first_hit(self, sides: _Sides, displacement: Pose) -> Pair | None:
        """The first two parts that collide when one side is displaced; None where nothing does."""
        X = displacement.inverse() if sides.inverse else displacement
        still = np.array([self._bounds(n, Pose()) for n in sides.staying])
        for name in sides.moving:
            low, high = self._bounds(name, X)
            near = np.all((still[:, 0] < high) & (still[:, 1] > low), axis=1)
            for k in np.flatnonzero(near).tolist():
                other = sides.staying[k]
                if frozenset((name, other)) not in self._meshing and self._collide(name, other, X):
                    return name, other
        return None

    def _collide(self, name: str, other: str, X: Pose) -> bool:
        limit = min(THICK, 0.01 * self._extent(name), 0.01 * self._extent(other))
        pieces = [piece for piece in self._shared(name, other, X) if piece.thickness > limit]
        if not pieces:
            return False
        pair = (name, other)
        if pair not in self._designed:
            self._designed[pair] = self._shared(name, other, Pose())
        return any(
            piece.thickness > MORE * max((d.thickness for d in self._designed[pair] if d.near(piece)), default=0.0)
            for piece in pieces
        )

    def _shared(self, name: str, other: str, X: Pose) -> list[_Piece]:
        """The pieces that a displaced part shares with one that stays, in the frame of the latter, mm."""
        if self._left <= 0:
            raise _SpentError
        self._left -= 1
        A, B = self._solid(name), self._solid(other)
        assert A is not None
        assert B is not None
        assembly = self._found.assembly
        X_BA = assembly.instance(other).X_WI.inverse() @ X @ assembly.instance(name).X_WI
        both = B ^ self._shrunk(name, A).transform(np.hstack([X_BA.R, 1e3 * X_BA.p[:, None]]))
        if both.is_empty():
            return []
        return [_Piece.of(p) for p in both.decompose() if p.volume() > 0.0 and p.surface_area() > 0.0]

    def _shrunk(self, name: str, solid: Manifold) -> Manifold:
        part = self._found.assembly.instance(name).part
        if part not in self._smaller:
            middle = np.array(solid.bounding_box()).reshape(2, 3).mean(axis=0)
            self._smaller[part] = solid.translate(-middle).scale((SHRUNK,) * 3).translate(middle)
        return self._smaller[part]

    def _solid(self, name: str) -> Manifold | None:
        part = self._found.assembly.instance(name).part
        if part not in self._solids:
            shape = self._found.assembly.part(part).shape
            meshes = () if shape is None else (shape.coarse, shape.fine)
            self._solids[part] = next((s for mesh in meshes if (s := solid_of(mesh)) is not None), None)
        return self._solids[part]

    def _box(self, name: str) -> NDArray[np.float64] | None:
        """The corners (8, 3) of a part's box in W, by instance; None where it has no mesh."""
        if name not in self._boxes:
            instance = self._found.assembly.instance(name)
            shape = self._found.assembly.part(instance.part).shape
            mesh = None if shape is None else shape.coarse or shape.fine
            if mesh is None or not len(mesh.vertices):
                return None
            ends = np.array([mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)])
            corners = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
            self._boxes[name] = instance.X_WI.point(corners)
        return self._boxes[name]

    def _bounds(self, name: str, X: Pose) -> NDArray[np.float64]:
        corners = self._box(name)
        assert corners is not None
        moved = X.point(corners)
        return np.array([moved.min(axis=0), moved.max(axis=0)])

    def _extent(self, name: str) -> float:
        corners = self._box(name)
        return 0.0 if corners is None else float(np.linalg.norm(np.ptp(corners, axis=0)))
