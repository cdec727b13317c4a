"""The plan of the sweeps over the bodies (`solver.sweeps.factor`): a forest of joints, and rows that close loops.

Each body hangs on its parent (or on the ground) by the rows between the two that make a joint: up to three planes
through one point of a body, with independent normals, and up to three angles between directions. Their freedoms
are known in closed form, and the sweep eliminates them exactly. All other rows (of loops, gears, drivers, rotors,
and whatever says again what a joint says) are carried from their bodies up to the lowest common ancestor,
and eliminated there. Everything here depends on the model's structure alone, and is found once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.compilation.compiled import Array1, Array2, Array3, Ints1, Ints2, table
from solver.constraints.program import Program
from solver.constraints.terms import Poses
from solver.sweeps.loops import loops
from solver.sweeps.spanning import Joint, joints_of, rounded, span

Array = NDArray[np.float64]
Ints = NDArray[np.int64]


@table
class Forest(NamedTuple):
    """Joints by place k in an order in which parents come before their children; `n` stands for the ground.

    `body` with its inverse `place`, `parent` (a place, −1: the ground), `base` (the parent's body). The joint's point
    is fixed in the child if `point_here`, else in the parent, and the normals are fixed in the other: `point` (n, 3),
    `normals` (n, 3, 3; the first `planes` are held, the others complete them), `duals` with normals · dualsᵀ = 1.
    Angles `angles` (0 to 3) lie between `first` (n, 3, 3), fixed in the parent if `first_there` (else in the child),
    and `second`, fixed in the other; for two of them `second` is one direction, and `across` (n, 3, 3) holds the duals
    of `first` in its plane and then its normal first[0] × first[1]. `plane_row`, `angle_row` (n, 3): the rows, −1:
    none.

    Rows that close loops are numbered in the order of their elimination: `row` (l,) says which they are, `share`
    (l,) which part of the shift μ w they get. Those
    numbered `closed[k]:closed[k + 1]` close at the place n − 1 − k, and those from closed[n] on at the ground.
    A slot is a row that passes a body: body k has `slot_start[k]:slot_start[k + 1]`, of which the first `passing[k]`
    go on to the parent's slot `slot_parent`; `slot_loop` is the row's number, `slot_block` its own block there or −1.
    The factor of their Schur complement D has the columns `column`, by `column_start`, the diagonal first;
    `column_slot` is the entry's slot where the column's row closes (−1: the ground).

    `term` are the terms that accelerations need: those of rows that close loops, and of loads; `spin` are other terms
    whose angle is integrated: of these the rates are needed.
    """

    body: Ints1
    place: Ints1
    parent: Ints1
    base: Ints1
    planes: Ints1
    angles: Ints1
    point_here: Ints1
    first_there: Ints1
    point: Array2
    normals: Array3
    duals: Array3
    first: Array3
    second: Array3
    across: Array3
    plane_row: Ints2
    angle_row: Ints2
    row: Ints1
    share: Array1
    closed: Ints1
    slot_start: Ints1
    passing: Ints1
    slot_loop: Ints1
    slot_parent: Ints1
    slot_block: Ints1
    own_slot: Ints1
    column_start: Ints1
    column: Ints1
    column_slot: Ints1
    term: Ints1
    spin: Ints1


def forest(
    program: Program, held: int, positions: Array, quaternions: Array, loaded: Ints, masses: Array, own: Array
) -> Forest:
    """The plan for a program whose first `held` rows are those of primitives; the poses are the reference's.

    `loaded` are the terms along which loads act; `masses` (n,) in kg lead the choice of joints (`span`); `own` (n, 2)
    are masses and moments (kg m²) with what is added to some of them.
    """
    n = program.bodies
    poses = Poses(np.asarray(positions, float).reshape(-1, 3), np.asarray(quaternions, float).reshape(-1, 4))
    pairs = joints_of(program, held, poses)
    joints = span(n, pairs, masses)
    place = np.full(n + 1, -1, dtype=np.int64)
    place[[j.here for j in joints]] = np.arange(n)
    parent = np.array([place[j.there] for j in joints], dtype=np.int64)
    closes = np.ones(program.rows, dtype=bool)
    closes[[row for j in joints for row in (*j.planes, *j.angles)]] = False
    closing = np.flatnonzero(closes)
    return Forest(
        body=np.array([j.here for j in joints], dtype=np.int64),
        place=place,
        parent=parent,
        base=np.array([j.there for j in joints], dtype=np.int64),
        **_geometry(program, joints),
        **loops(program, closing, place, parent, own, float(np.ptp(poses.positions, axis=0).max()) if n else 0.0),
        **_terms(program, closing, loaded),
    )


def _terms(program: Program, closing: Ints, loaded: Ints) -> dict[str, Any]:
    T = program.terms
    needed = np.zeros(len(T.kind), dtype=bool)
    needed[loaded] = True
    owner = np.repeat(np.arange(program.rows), np.diff(T.row_term))
    needed[: len(owner)][np.isin(owner, closing)] = True
    return {
        "term": np.flatnonzero(needed).astype(np.int64),
        "spin": np.flatnonzero(~needed & (T.angle >= 0)).astype(np.int64),
    }


def _geometry(program: Program, joints: list[Joint]) -> dict[str, Any]:
    """Points and directions of the joints; see `Forest`."""
    T, n = program.terms, len(joints)
    here = np.array([j.here for j in joints], dtype=np.int64)
    planes, plane_row = _padded([j.planes for j in joints])
    angles, angle_row = _padded([j.angles for j in joints])
    point_here, point = np.ones(n, np.int64), np.zeros((n, 3))
    held = np.flatnonzero(planes)
    i = program.first_terms[plane_row[held, planes[held] - 1]]
    point_here[held], point[held] = T.body_b[i] == here[held], T.point_b[i]
    return {
        "planes": planes,
        "angles": angles,
        "point_here": point_here,
        "point": point,
        **_normals(program, planes, plane_row),
        **_directions(program, joints, angles, angle_row),
        "plane_row": plane_row,
        "angle_row": angle_row,
    }


def _padded(rows: list[list[int]]) -> tuple[Ints, Ints]:
    """How many rows each joint has (n,), and which (n, 3; −1: none)."""
    counts = np.array([len(some) for some in rows], dtype=np.int64)
    table = np.full((len(rows), 3), -1, dtype=np.int64)
    table[np.arange(3) < counts[:, None]] = [row for some in rows for row in some]
    return counts, table


def _normals(program: Program, planes: Ints, plane_row: Ints) -> dict[str, Array]:
    normals = np.tile(np.eye(3), (len(planes), 1, 1))
    there = plane_row >= 0
    normals[there] = program.terms.first_a[program.first_terms[plane_row[there]]]
    # The singular vectors complete the held normals by directions square to them, so that their duals have no part
    # along what is held.
    for held in (1, 2):
        some = np.flatnonzero(planes == held)
        normals[some, held:] = np.linalg.svd(normals[some, :held])[2][:, held:]
    return {"normals": normals, "duals": np.ascontiguousarray(np.swapaxes(np.linalg.inv(normals), 1, 2))}


def _across(first: Array, pairs: NDArray[np.bool_]) -> Array:
    across = np.zeros_like(first)
    one, two = first[pairs, 0], first[pairs, 1]
    normal = np.cross(one, two)
    size = np.sum(normal**2, axis=1, keepdims=True)
    across[pairs] = np.stack([np.cross(two, normal) / size, np.cross(normal, one) / size, normal], axis=1)
    return across


def _directions(program: Program, joints: list[Joint], angles: Ints, angle_row: Ints) -> dict[str, Any]:
    """The directions of the joints' angles, so that two of them share `second`."""
    T, terms = program.terms, program.first_terms
    base = np.array([j.there for j in joints], dtype=np.int64)
    pairs = np.flatnonzero(angles == 2)
    one, two = terms[angle_row[pairs, 0]], terms[angle_row[pairs, 1]]
    shared = rounded(T.body_a[one], T.first_a[one]) == rounded(T.body_a[two], T.first_a[two])
    first_there = np.ones(len(joints), np.int64)
    # The directions that differ are the parent's where the one they share is the child's.
    first_there[pairs] = np.where(shared.all(axis=1), T.body_a[one], T.body_b[one]) != base[pairs]
    first, second = np.zeros((len(joints), 3, 3)), np.zeros((len(joints), 3, 3))
    k, j = np.nonzero(angle_row >= 0)
    i = terms[angle_row[k, j]]
    # A term names its bodies a and b as the primitive did; the joint says child and parent.
    first_is_a = ((T.body_a[i] == base[k]) == first_there[k].astype(bool))[:, None]
    first[k, j] = np.where(first_is_a, T.first_a[i], T.direction_b[i])
    second[k, j] = np.where(first_is_a, T.direction_b[i], T.first_a[i])
    return {"first_there": first_there, "first": first, "second": second, "across": _across(first, angles == 2)}
