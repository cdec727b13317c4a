"""How much of the first instant's mobility is a finite motion, and each freedom in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.finite import STEPS, Patch, correction, goes_on, local_dof, patch_of
from cadbridge.diagnosis.freedoms import (
    Coordinates,
    Motion,
    by_body,
    coordinates_of,
    joint_columns,
    led,
    motions_of,
    moving,
)
from cadbridge.diagnosis.model import Freedom
from cadbridge.diagnosis.pairs import first_independent
from cadbridge.diagnosis.rows import GROUND
from cadbridge.diagnosis.web import Web
from cadbridge.diagnosis.words import sentence
from cadbridge.frames import Pose
from cadbridge.mechanism import Mechanism
from solver.constraints import Primitive

Array = NDArray[np.float64]

TRIES = 3
"""Directions at random in which a pose is left, to see how it moves near by."""
LARGEST_PATCH = 400
"""Bodies in one tangle of loops above which freedoms are taken to be finite untested."""


@dataclass(frozen=True, eq=False)
class Freedoms:
    """The freedoms, how many are finite, and the number of bodies in tangles too large to be tested."""

    freedoms: tuple[Freedom, ...]
    finite: int
    untested: int


def freedoms_of(mechanism: Mechanism, web: Web, primitives: Sequence[Primitive]) -> Freedoms:
    """The freedoms of a web of bodies; `primitives` are those of its rows, said of the bodies."""
    coordinates = coordinates_of(mechanism, web)
    motions = motions_of(mechanism, coordinates)
    columns = {j.name: joint_columns(mechanism, j, web.rows) for j in mechanism.joints if j.freedom.shape[1] == 1}
    finite, untested = 0, 0
    done: list[tuple[Motion, bool]] = []
    for index in sorted({m.block for m in motions}):
        own = [m for m in motions if m.block == index]
        if index == -1:
            done += [(m, _pair_goes_on(mechanism, web, coordinates, m, primitives)) for m in own]
            finite += sum(ok for m, ok in done if m.block == -1)
            continue
        patch = _patch(mechanism, web, index, primitives)
        if len(patch.bodies) > LARGEST_PATCH:
            untested += len(patch.bodies)
            done += [(m, True) for m in own]
            finite += len(own)
            continue
        tested, count = _test(mechanism, coordinates, own, patch)
        done += tested
        finite += count
    order = {id(m): i for i, m in enumerate(motions)}
    done.sort(key=lambda item: order.get(id(item[0]), len(order)))
    told = [_told(mechanism, coordinates, columns, m, ok) for m, ok in done]
    floating = [_floating(mechanism, bodies) for bodies in by_body(web).values()]
    return Freedoms((*told, *floating), finite + 6 * len(floating), untested)


def _patch(mechanism: Mechanism, web: Web, index: int, primitives: Sequence[Primitive]) -> Patch:
    """All rows of a block of loops between the bodies that it moves."""
    block = web.loops[index]
    units = {u for c in block.chords for u in c.along} | {u for c in block.chords for u in c.wrenches}
    pairs = [web.branches[u].pair for c in block.chords for u in c.along] + [c.pair for c in block.chords]
    rows = {int(i) for p in pairs if p is not None for i in p.rows}
    rows |= {int(i) for c in block.chords if c.pair is None for i in c.rows}
    units |= {e for i in rows for e in web.rows.ends[i]}
    return _of_bodies(mechanism, web, units, rows, primitives)


def _of_bodies(
    mechanism: Mechanism, web: Web, units: set[int], rows: set[int], primitives: Sequence[Primitive]
) -> Patch:
    root = min(units, key=lambda u: (0, u) if u == GROUND else (web.branches[u].depth, u))
    bodies = sorted(units - {root})
    poses: dict[int, Pose] = {u: mechanism.bodies[u].X_WB for u in units if u != GROUND}
    return patch_of(bodies, root, [primitives[i] for i in sorted(rows)], poses, web.rows.length)


def _pair_goes_on(
    mechanism: Mechanism, web: Web, coordinates: Coordinates, motion: Motion, primitives: Sequence[Primitive]
) -> bool:
    """A freedom in no loop: that of a lower pair is finite by its nature, another one is tested on its two bodies."""
    joint, branch = coordinates.joints[motion.leader], coordinates.branches[motion.leader]
    if branch.pair is None or (joint is not None and joint.type != "generic"):
        return True
    rows = {int(i) for i in branch.pair.rows}
    patch = _of_bodies(mechanism, web, {branch.pair.a, branch.pair.b}, rows, primitives)
    return goes_on(patch, _in_patch(mechanism, coordinates, patch, motion.q))


def _in_patch(mechanism: Mechanism, coordinates: Coordinates, patch: Patch, q: Array) -> Array:
    """The twists (n, 6) of a patch's bodies, in lengths and rad, relative to what stands still; the largest is 1."""
    web = coordinates.web
    V = web.twists(q)[list(patch.bodies)] / web.rows.length
    origins = patch.positions - web.rows.centre
    V[:, :3] += np.cross(V[:, 3:], origins) / patch.length
    return np.asarray(V / max(float(np.max(np.abs(V), initial=0.0)), 1e-300))


def _test(
    mechanism: Mechanism, coordinates: Coordinates, motions: list[Motion], patch: Patch
) -> tuple[list[tuple[Motion, bool]], int]:
    """Which motions of a block go on, and the block's mobility at a generic pose near by.

    Where all motions and two at random go on, all there are do. Else the pose is singular: the directions in which it
    can be left are found, the freedoms told along them.
    """
    random = np.random.default_rng(7)
    weights = random.normal(size=(TRIES if len(motions) > 1 else 0, len(motions)))
    mixed = list(weights @ np.array([m.q for m in motions]))
    results = [goes_on(patch, _in_patch(mechanism, coordinates, patch, m.q)) for m in motions]
    if all(results) and all(goes_on(patch, _in_patch(mechanism, coordinates, patch, q)) for q in mixed[:2]):
        return [(m, True) for m in motions], len(motions)
    ways = _ways_out(mechanism, coordinates, [*(m.q for m in motions), *mixed], motions, patch)
    if not ways:
        return [(m, False) for m in motions], 0
    generic = min(dof for _, dof in ways)
    return _along(coordinates, motions, [q for q, _ in ways], generic), generic


def _ways_out(
    mechanism: Mechanism, coordinates: Coordinates, candidates: list[Array], motions: list[Motion], patch: Patch
) -> list[tuple[Array, int]]:
    """Directions (as coordinates) in which the pose can be left by a finite step, with the mobility found there."""
    basis = np.column_stack([_in_patch_raw(coordinates, patch, m.q).ravel() for m in motions])
    found: list[tuple[Array, int]] = []
    for q in candidates:
        for sign in (1.0, -1.0):
            twists = sign * _in_patch(mechanism, coordinates, patch, np.asarray(q))
            near = correction(patch, twists, STEPS[1] / 8)[1]
            far = correction(patch, twists, STEPS[1])[1]
            if near is None or far is None or np.max(np.abs(far)) < 0.3 * STEPS[1]:
                continue
            weights, *_ = np.linalg.lstsq(basis, near.ravel(), rcond=None)
            direction = sum((float(w) * m.q for w, m in zip(weights, motions, strict=True)), np.zeros(len(q)))
            found.append((direction, local_dof(patch, far)))
    return found


def _in_patch_raw(coordinates: Coordinates, patch: Patch, q: Array) -> Array:
    web = coordinates.web
    V = web.twists(q)[list(patch.bodies)] / web.rows.length
    V[:, :3] += np.cross(V[:, 3:], patch.positions - web.rows.centre) / patch.length
    return V


def _along(
    coordinates: Coordinates, motions: list[Motion], ways: list[Array], generic: int
) -> list[tuple[Motion, bool]]:
    """Freedoms along the finite directions first, the others after them.

    Where the finite directions span more than is free near by, motions branch in this pose: then each way is told.
    """
    columns = np.unique(np.concatenate([np.flatnonzero(m.q) for m in motions]))
    scales = coordinates.scales[columns]
    leaders = [int(np.searchsorted(columns, m.leader)) for m in motions]
    order = list(dict.fromkeys([*leaders, *range(len(columns))]))
    whole = np.column_stack([m.q[columns] / scales for m in motions])
    W = np.column_stack([q[columns] / scales for q in ways])
    chosen = first_independent((W / np.linalg.norm(W, axis=0)).T, min(len(ways), len(motions)), 0.05)
    chosen = chosen[: np.linalg.matrix_rank(W[:, chosen], tol=0.05 * float(np.linalg.norm(W[:, chosen])))]
    real = W[:, chosen]
    Q = np.linalg.qr(real)[0]
    rest, _, _ = np.linalg.svd(whole - Q @ (Q.T @ whole), full_matrices=False)
    virtual = rest[:, : len(motions) - len(chosen)]
    spaces = [(real, True)] if len(chosen) <= generic else [(w[:, None], True) for w in real.T]
    found: list[tuple[Motion, bool]] = []
    for space, finite in (*spaces, (virtual, False)):
        basis, own = led(np.asarray(space), np.ones(len(columns)), order)
        for column, leader in zip(basis.T, own, strict=True):
            q = np.zeros(len(motions[0].q))
            q[columns] = column * scales
            found.append((replace(motions[0], q=q, leader=int(columns[leader])), finite))
    return found


def _told(
    mechanism: Mechanism, coordinates: Coordinates, columns: dict[str, Array], motion: Motion, finite: bool
) -> Freedom:
    web = coordinates.web
    moved = moving(mechanism, web, columns, motion.q)
    branch, joint = coordinates.branches[motion.leader], coordinates.joints[motion.leader]
    kind = coordinates.kinds[motion.leader]
    body = mechanism.bodies[branch.unit].name
    kinds = {j.name: "slide" if j.type == "prismatic" else "turn" for j in mechanism.joints if j.name in moved.rates}
    words = sentence(mechanism, body, joint, kind, moved.rates, kinds)
    active = np.flatnonzero(np.any(moved.twists != 0.0, axis=1))
    return Freedom(
        words=words,
        kind=kind,
        leader=joint.name if joint is not None else None,
        bodies=tuple(mechanism.bodies[int(i)].name for i in active),
        finite=finite,
        rates=moved.rates,
        twists={mechanism.bodies[int(i)].name: moved.twists[i] for i in active},
    )


def _floating(mechanism: Mechanism, bodies: list[int]) -> Freedom:
    names = tuple(mechanism.bodies[i].name for i in bodies)
    what = names[0] if len(names) == 1 else f"{names[0]} with {len(names) - 1} more"
    return Freedom(f"{what} floats freely", "float", None, names, finite=True, count=6)
