"""Which components of a joint's reaction a rigid model determines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.branches import Loops
from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.diagnosis.model import Reaction
from cadbridge.diagnosis.pairs import BodyPair
from cadbridge.diagnosis.shares import Sharing
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.mechanism.rows import ARTEFACT
from solver.constraints import GROUND

Array = NDArray[np.float64]


def reactions_of(mechanism: Mechanism, graph: ConstraintGraph) -> tuple[Reaction, ...]:
    """A joint's wrench A ᵀλ_A is determined where AᵀN_A = 0 (Wojtyra & Frączek), N the self-stresses of the loops.

    `graph` is that of bodies. Rows that repeat others between the same two bodies do not blur the joint's wrench, those
    across loops do.
    """
    stresses: dict[frozenset[int], list[Array]] = defaultdict(list)
    for block in graph.loops:
        pairs = [graph.branches[unit].pair for unit in block.units] + [chord.pair for chord in block.chords]
        for pair, wrenches in _self_stresses([p for p in pairs if p is not None and p.rank], block).items():
            stresses[pair].append(wrenches)
    sharing = Sharing(mechanism, graph)
    return tuple(
        _reaction(mechanism, graph, sharing, j, stresses.get(frozenset((j.a, j.b)), [])) for j in mechanism.joints
    )


def _self_stresses(pairs: Sequence[BodyPair], block: Loops) -> dict[frozenset[int], Array]:
    """Wrenches (d, 6) between pairs of bodies of the self-stresses of a block that reach them, each of length 1."""
    row, column, value = block.stresses
    # Of length 1, or what counts as an artefact would depend on which row was given the part 1.
    value = value / np.sqrt(np.bincount(column, value**2))[column]
    order = np.argsort(row, kind="stable")
    row, column, value = row[order], column[order], value[order]
    found: dict[frozenset[int], Array] = {}
    for pair in pairs:
        own = pair.rows[pair.basis]
        first, last = np.searchsorted(row, own), np.searchsorted(row, own, side="right")
        entries = np.concatenate([np.arange(f, e) for f, e in zip(first, last, strict=True)])
        if not len(entries):
            continue
        columns, place = np.unique(column[entries], return_inverse=True)
        wrenches = np.zeros((len(columns), 6))
        np.add.at(wrenches, place, value[entries, None] * np.repeat(pair.W[pair.basis], last - first, axis=0))
        found[frozenset((pair.a, pair.b))] = wrenches
    return found


def _reaction(
    mechanism: Mechanism, graph: ConstraintGraph, sharing: Sharing, joint: Joint, stresses: list[Array]
) -> Reaction:
    """Self-stresses about the rows' centre, seen at the joint's origin in the joint's frame."""
    body = mechanism.bodies[joint.a] if joint.a != GROUND else mechanism.ground
    X_WJ = body.X_WB @ joint.X_AJ
    shares, free = sharing.of(joint, X_WJ, stresses)
    if not stresses:
        return Reaction(joint.name, True, shares=shares, free=free)
    W = np.vstack(stresses)
    force = W[:, :3]
    torque = W[:, 3:] * graph.rows.length - np.cross(X_WJ.p - graph.rows.centre, force)
    seen = np.hstack([force @ X_WJ.R, torque @ X_WJ.R / graph.rows.length])
    fine = [bool(x) for x in np.max(np.abs(seen), axis=0) < ARTEFACT]
    return Reaction(joint.name, all(fine), (fine[0], fine[1], fine[2]), (fine[3], fine[4], fine[5]), shares, free)
