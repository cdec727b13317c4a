"""The rows of mates in lengths and radians, what each holds at its mate, and the faces whose errors they feel.

A row is scaled so that its residual is a length (m) or a turn (rad). The rows of one mate that hold one kind of thing
(its place across the axis, its tilt …) are a block: play, errors and stiffness are alike in all directions of a block,
so that no result depends on the axes in which a file happens to write its rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import Assembly, Coupling, Feature, Mate
from cadbridge.diagnosis.dependence import rows_by_owner
from cadbridge.frames import Pose, Vector, perpendicular, unit
from cadbridge.mechanism import Mechanism
from cadbridge.mechanism.rows import Rows
from solver.constraints import Primitive

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

SQUARE = 1e-6
"""Two directions whose cosine is below this are at right angles: what CAD files round to."""
NO_FORCE = 1e-12
"""A force or torque of a row below this is none."""

LENGTHS = ("across", "along", "place", "teeth")
TURNS = ("tilt", "turn", "swing", "phase")
KINDS = (*LENGTHS, *TURNS)
"""What is held: a place across and along an axis or in any direction, teeth along the pitch circle; the tilt of an
axis, the turn about it, a turn about any axis, and the phase of two wheels."""


@dataclass(frozen=True, eq=False)
class Block:
    """The rows (k,) of a mate that hold one kind of thing; `directions` (k, 3) in the world, unit, say which way each.

    The residuals of the rows are the components of one displacement (m) or one small turn (rad) of the mate.
    """

    mate: str
    kind: str
    rows: Ints
    directions: Array

    @property
    def turns(self) -> bool:
        """Whether its rows are in rad."""
        return self.kind in TURNS


@dataclass(frozen=True, eq=False)
class InexactFace:
    """A feature that mates hold, as it can be off: `X_WF` stands in its point, z along its direction.

    `mates` are those that use it. `zones` are the kinds of error that it can have.
    """

    component: str
    feature: Feature
    X_WF: Pose
    mates: tuple[str, ...]
    zones: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ToleranceZone:
    """One kind of error of a face (or of a coupling's teeth): up to a radius, in any direction of its columns.

    `columns` (k,) of the matrix of errors; `face` is its place among the faces, None for a coupling's own.
    """

    kind: str
    face: int | None
    mate: str
    columns: Ints

    @property
    def turns(self) -> bool:
        """Whether it is a turn (rad)."""
        return self.kind in TURNS


@dataclass(frozen=True, eq=False)
class MateFrame:
    """Where a mate is: `point` (3,) m in the world, at which its forces act, and its `axis`, None where it has none."""

    point: Array
    axis: Array | None


@dataclass(frozen=True, eq=False)
class MateEquations:
    """All rows: `scale` (m,) makes of each residual a length or an angle; `wrenches` (m, 6) act on the row's last end.

    A wrench is [force; torque about the point of its mate] in world axes, for a multiplier of 1 N or 1 N m. `own` are
    the rows (k,) of each mate and coupling, `mates` the mates by name.
    """

    blocks: tuple[Block, ...]
    frames: dict[str, MateFrame]
    scale: Array
    wrenches: Array
    own: dict[str, Ints]
    mates: dict[str, Mate]

    @cached_property
    def by_mate(self) -> dict[str, list[Block]]:
        """The blocks of each mate and coupling."""
        found: dict[str, list[Block]] = {}
        for block in self.blocks:
            found.setdefault(block.mate, []).append(block)
        return found


def blocks_of(mechanism: Mechanism, rows: Rows) -> MateEquations:
    """The rows of all mates and couplings as blocks."""
    assembly = mechanism.assembly
    mates = {m.name: m for m in assembly.mates}
    couplings = {c.name: c for c in assembly.couplings}
    own = rows_by_owner(rows.owners)
    scale, wrenches = _scaled(rows)
    blocks: list[Block] = []
    frames: dict[str, MateFrame] = {}
    for held in mechanism.mate_rows:
        numbers = own.get(held.mate)
        if numbers is None:
            continue
        if held.mate in couplings:
            frames[held.mate] = _coupling_frame(assembly, couplings[held.mate])
            blocks += _coupling_blocks(held.mate, numbers, rows)
            continue
        frame = _frame(mechanism, mates[held.mate], held.primitives)
        frames[held.mate] = frame
        wrenches[numbers, 3:] += np.cross(rows.centre - frame.point, wrenches[numbers, :3])
        blocks += _blocks(held.mate, numbers, wrenches[numbers], frame.axis)
    return MateEquations(tuple(blocks), frames, scale, wrenches, own, mates)


def _scaled(rows: Rows) -> tuple[Array, Array]:
    """What makes a residual a length or an angle (m,), and the wrenches (m, 6) of rows so scaled about their centre.

    A row of cosines is an angle times a sine: it is divided by it.
    """
    m = len(rows)
    scale, wrenches = np.ones(m), np.zeros((m, 6))
    for i, (units, ends, W) in enumerate(zip(rows.units, rows.ends, rows.wrenches, strict=True)):
        if not len(units) or rows.factors[i] == 0.0:
            continue
        b = ends[-1]
        w = W[units.index(b)] if b in units else -W[0]
        w = w * np.array([1.0] * 3 + [rows.length] * 3) / rows.factors[i]
        torque = float(np.linalg.norm(w[3:]))
        if rows.unit[i] == "1" and len(ends) == 2 and torque > 0.0:
            scale[i] = 1.0 / torque
        wrenches[i] = w * scale[i]
    return scale, wrenches


def _frame(mechanism: Mechanism, mate: Mate, primitives: Sequence[Primitive]) -> MateFrame:
    """A mate's forces act at b's point of its rows; its axis is that of the first side that has a direction."""
    sides = [(f, mechanism.assembly.component_pose(f.component)) for f in (mate.a, mate.b)]
    axis = next((unit(X.vector(f.direction)) for f, X in sides if f.direction is not None), None)
    point = sides[1][1].point(mate.b.point)
    for p in primitives:
        if (at := getattr(p, "point_b", None)) is not None:
            point = (mechanism.X_WC[p.b] if p.b >= 0 else Pose()).point(at)
            break
    return MateFrame(point, axis)


def _coupling_frame(assembly: Assembly, coupling: Coupling) -> MateFrame:
    ends = [assembly.component_pose(f.component).point(f.point) for f in (coupling.a, coupling.b) if f is not None]
    return MateFrame(np.mean(ends, axis=0) if ends else np.zeros(3), None)


def _coupling_blocks(name: str, numbers: Ints, rows: Rows) -> list[Block]:
    """Each row of a coupling by itself: along the pitch circle, or an angle."""
    nowhere = np.zeros((1, 3))
    return [Block(name, "teeth" if rows.unit[i] == "m" else "phase", np.array([i]), nowhere) for i in numbers]


def _blocks(name: str, numbers: Ints, W: Array, axis: Array | None) -> list[Block]:
    """The rows of a mate, those that lie along its axis apart from those across it; all together where one is askew."""
    sizes = np.linalg.norm(W[:, :3], axis=1), np.linalg.norm(W[:, 3:], axis=1)
    pushes = sizes[0] > NO_FORCE
    blocks = []
    for part, chosen, kinds in (
        (W[:, :3], pushes, ("along", "across", "place")),
        (W[:, 3:], ~pushes & (sizes[1] > NO_FORCE), ("turn", "tilt", "swing")),
    ):
        own = np.flatnonzero(chosen)
        D = part[own] / np.linalg.norm(part[own], axis=1, keepdims=True)
        for kind, some in _split(D, axis, kinds):
            # Only directions at right angles are components of one displacement; askew ones would count a part of it
            # twice.
            square = np.allclose(D[some] @ D[some].T, np.eye(len(some)), atol=SQUARE)
            sets = [some] if square else [np.array([i]) for i in some]
            blocks += [Block(name, kind, numbers[own[k]], D[k]) for k in sets]
    return blocks


def _split(D: Array, axis: Array | None, kinds: tuple[str, str, str]) -> list[tuple[str, Ints]]:
    if not len(D):
        return []
    cosine = np.abs(D @ axis) if axis is not None else np.full(len(D), 0.5)
    across = cosine < SQUARE
    if not np.all(across | (cosine > 1.0 - SQUARE)):
        return [(kinds[2], np.arange(len(D)))]
    parts = ((kinds[0], np.flatnonzero(~across)), (kinds[1], np.flatnonzero(across)))
    return [(kind, rows) for kind, rows in parts if len(rows)]


# --- faces and their errors ---


_AXIAL = ("across", "along", "tilt", "turn")
_ROUND = ("place", "swing")
_COLUMNS = {
    "across": (0, 1), "along": (2,), "place": (0, 1, 2), "tilt": (3, 4), "turn": (5,), "swing": (3, 4, 5),
}  # fmt: skip
"""Components of a small displacement [d; φ] in a face's frame."""


@dataclass(frozen=True, eq=False)
class Errors:
    """Errors of faces and teeth: `zones`, and as triples the matrix (m, n) of what each row is off for them.

    A row's misfit is the sum over its faces of (wrench of the row) · (displacement of the face).
    """

    faces: tuple[InexactFace, ...]
    zones: tuple[ToleranceZone, ...]
    row: Ints
    column: Ints
    value: Array
    count: int


def errors_of(mechanism: Mechanism, rows: Rows, blocks: MateEquations, mates: Sequence[str]) -> Errors:
    """The errors that the rows of some mates feel; a face that several mates hold has one error."""
    assembly = mechanism.assembly
    mate_of = blocks.mates
    uses = _uses(mechanism, [mate_of[name] for name in mates if name in mate_of])
    faces: list[InexactFace] = []
    zones: list[ToleranceZone] = []
    triples: list[tuple[Ints, Ints, Array]] = []
    count = 0
    for used in uses.values():
        face = _face(assembly, used)
        numbers, effects = _effects(mechanism.units, rows, blocks, face, used)
        for kind in face.zones:
            part = effects[:, _COLUMNS[kind]]
            if not np.any(np.abs(part) > NO_FORCE):
                continue
            columns = np.arange(count, count + part.shape[1])
            zones.append(ToleranceZone(kind, len(faces), used[0][0].name, columns))
            i, k = np.nonzero(part)
            triples.append((numbers[i], columns[k], part[i, k]))
            count += part.shape[1]
        faces.append(face)
    for block in (b for name in mates if name not in mate_of for b in blocks.by_mate.get(name, ())):
        zones.append(ToleranceZone(block.kind, None, block.mate, np.array([count])))
        triples.append((block.rows, np.array([count]), np.ones(1)))
        count += 1
    parts = [np.concatenate(part) for part in zip(*triples, strict=True)] if triples else [np.zeros(0)] * 3
    return Errors(tuple(faces), tuple(zones), parts[0].astype(np.int64), parts[1].astype(np.int64), parts[2], count)


_Use = tuple[Mate, int]


def _uses(mechanism: Mechanism, mates: Sequence[Mate]) -> dict[tuple[object, ...], list[_Use]]:
    """Each face with the mates that hold it, as (mate, 0 for its side a, 1 for b)."""
    found: dict[tuple[object, ...], list[_Use]] = defaultdict(list)
    for mate in mates:
        for side, f in enumerate((mate.a, mate.b)):
            found[f.component, f.kind, tuple(np.round(f.point, 8)), line_of(f)].append((mate, side))
    return found


def line_of(feature: Feature) -> tuple[float, ...]:
    """The direction of a face whichever way it is written: its first number that is not 0 is positive."""
    return () if feature.direction is None else tuple(np.round(_upward(feature.direction), 6))


def _upward(direction: Vector) -> Vector:
    """A direction, or its opposite."""
    d = np.asarray(direction, float)
    return np.asarray(d * np.sign(d[np.argmax(np.round(d, 6) != 0.0)]))


def _face(assembly: Assembly, used: Sequence[_Use]) -> InexactFace:
    mate, side = used[0]
    feature = (mate.a, mate.b)[side]
    X = assembly.component_pose(feature.component)
    if feature.direction is None:
        frame = Pose(np.eye(3), X.point(feature.point))
        zones: tuple[str, ...] = _ROUND
    else:
        # Seen from its component, so that faces of a pattern are off alike, whichever way their mates are written.
        up = unit(_upward(feature.direction))
        z, x = X.vector(up), X.vector(perpendicular(up))
        frame = Pose(np.column_stack([x, np.cross(z, x), z]), X.point(feature.point))
        zones = _AXIAL
    return InexactFace(feature.component, feature, frame, tuple(m.name for m, _ in used), zones)


def _effects(
    units: Mapping[str, int], rows: Rows, blocks: MateEquations, face: InexactFace, used: Sequence[_Use]
) -> tuple[Ints, Array]:
    """The rows (k,) of the mates of a face and what its displacement (6,) in its frame adds to each (k, 6).

    A row sees the face move as it would see the whole component move.
    """
    numbers, effects = [], []
    for mate, side in used:
        for i in blocks.own.get(mate.name, ()):
            w = blocks.wrenches[i]
            torque = w[3:] + np.cross(blocks.frames[mate.name].point - face.X_WF.p, w[:3])
            sign = 1.0 if units[(mate.a, mate.b)[side].component] == rows.ends[i][-1] else -1.0
            numbers.append(int(i))
            effects.append(sign * np.concatenate([w[:3] @ face.X_WF.R, torque @ face.X_WF.R]))
    return np.array(numbers, np.int64), np.array(effects).reshape(-1, 6)
