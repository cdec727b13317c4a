"""Which components of a joint's reaction a rigid model determines."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.constraint_graph import ConstraintGraph, Loops
from cadbridge.diagnosis.dependence import carried_by
from cadbridge.diagnosis.model import Reaction
from cadbridge.diagnosis.shares import Sharing
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.mechanism.rows import GROUND

Array = NDArray[np.float64]
ARTEFACT = 1e-7
"""A component of a self-stress, of unit length, above this is an artefact."""


def reactions_of(mechanism: Mechanism, graph: ConstraintGraph) -> tuple[Reaction, ...]:
    """A joint's wrench A ᵀλ_A is determined where AᵀN_A = 0 (Wojtyra & Frączek), N the self-stresses of the loops.

    `graph` is that of bodies. Rows that repeat others between the same two bodies do not blur the joint's wrench, those
    across loops do.
    """
    stresses: dict[frozenset[int], list[Array]] = defaultdict(list)
    for block in graph.loops:
        for pair, wrenches in _self_stresses(graph, block).items():
            stresses[pair].append(wrenches)
    sharing = Sharing(mechanism, graph)
    return tuple(
        _reaction(mechanism, graph, sharing, j, stresses.get(frozenset((j.a, j.b)), [])) for j in mechanism.joints
    )


def _self_stresses(graph: ConstraintGraph, block: Loops) -> dict[frozenset[int], Array]:
    """Wrenches (d, 6) between pairs of bodies that balance each other around the loops, an orthonormal set."""
    m = len(block.rows)
    if block.rank == m:
        return {}
    kept = block.reduced.basis
    others = np.setdiff1d(np.arange(m), kept)
    N = np.zeros((len(others), m))
    N[np.arange(len(others)), others] = 1.0
    N[:, kept] -= block.reduced.coefficients[others]
    N = np.linalg.qr(N.T)[0].T if m < 4000 else N
    found: dict[frozenset[int], Array] = {}
    for unit, wrenches in carried_by(block, N).items():
        found[frozenset((unit, graph.branches[unit].parent))] = wrenches
    start = 0
    for chord in block.chords:
        part = N[:, start : start + len(chord.rows)]
        start += len(chord.rows)
        if chord.pair is not None:
            found[frozenset((chord.pair.a, chord.pair.b))] = part @ chord.wrenches[chord.pair.b]
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
