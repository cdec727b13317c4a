"""Mates that share a joint: which of them carry what a rigid model determines, and which equations to free if not.

Several mates between the same two bodies become one joint, whose wrench may be determined while no mate's share of it
is: one hinge would do for the motion of a door on three, but the screws of all three carry it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cadbridge.diagnosis.constraint_graph import ConstraintGraph
from cadbridge.diagnosis.model import Freed, Share
from cadbridge.diagnosis.pairs import BodyPair, reduce_rows
from cadbridge.frames import Pose
from cadbridge.mechanism import Joint, Mechanism
from cadbridge.mechanism.rows import ARTEFACT
from cadbridge.wording import axis_name

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

_TURNS = 1e-9
"""A row whose force is below this of its length (1) holds a turn only."""


class Sharing:
    """The mates between bodies, looked up once for many joints; `graph` is that of bodies."""

    def __init__(self, mechanism: Mechanism, graph: ConstraintGraph) -> None:
        self._web = graph
        self._pairs = {frozenset((p.a, p.b)): p for p in graph.pairs}
        X_WC = {c.name: c.X_WC for c in mechanism.assembly.components}
        mates = mechanism.assembly.mates
        self._points = {m.name: X_WC.get(m.a.component, Pose()).point(m.a.point) for m in mates}

    def of(self, joint: Joint, X_WJ: Pose, stresses: Sequence[Array]) -> tuple[tuple[Share, ...], tuple[Freed, ...]]:
        """The shares of the mates of a joint, and the equations to free so that all are determined.

        Nothing for a joint of one mate. `stresses` are wrenches (d, 6) on the joint that balance around loops. A mate's
        share is determined where no self-stress of all rows, Wᵀλ = 0 within the pair or one of `stresses`, has a part
        in it.
        """
        pair = self._pairs.get(frozenset((joint.a, joint.b)))
        if pair is None or len(joint.mates) < 2:
            return (), ()
        owners = np.array([self._web.rows.owners[int(i)] for i in pair.rows], dtype=object)
        rows_of = {name: np.flatnonzero(owners == name) for name in joint.mates}
        rows_of = {name: rows for name, rows in rows_of.items() if len(rows)}
        if len(rows_of) < 2:
            return (), ()
        N = _self_stresses(pair, stresses)
        shares = []
        for name, rows in rows_of.items():
            fine = self._determined(X_WJ, self._points.get(name, X_WJ.p), N[:, rows] @ pair.W[rows])
            shares.append(Share(name, all(fine), (fine[0], fine[1], fine[2]), (fine[3], fine[4], fine[5])))
        return tuple(shares), tuple(_freed(pair, rows_of, X_WJ))

    def _determined(self, X_WJ: Pose, point: Array, wrench: Array) -> list[bool]:
        """Which components of wrenches (k, 6), at a point and along the joint's axes, are nothing in all of them."""
        rows, force = self._web.rows, wrench[:, :3]
        torque = wrench[:, 3:] - np.cross(point - rows.centre, force) / rows.length
        seen = np.hstack([force @ X_WJ.R, torque @ X_WJ.R])
        return [bool(v) for v in np.max(np.abs(seen), axis=0, initial=0.0) < ARTEFACT]


def _self_stresses(pair: BodyPair, stresses: Sequence[Array]) -> Array:
    """Multipliers (k, m) of the pair's rows, orthonormal: those that give no wrench, and those that give `stresses`."""
    m = len(pair.rows)
    others = np.setdiff1d(np.arange(m), pair.basis)
    own = np.zeros((len(others), m))
    own[np.arange(len(others)), others] = 1.0
    own[:, pair.basis] -= pair.coefficients[others]
    loops = np.vstack([np.zeros((0, 6)), *stresses])
    given = np.zeros((len(loops), m))
    given[:, pair.basis] = np.linalg.lstsq(pair.W[pair.basis].T, loops.T, rcond=None)[0].T
    N = np.vstack([own, given])
    if not len(N):
        return N
    _, s, Vt = np.linalg.svd(N, full_matrices=False)
    return np.asarray(Vt[s > ARTEFACT * s[0]])


def _freed(pair: BodyPair, rows_of: dict[str, Ints], X_WJ: Pose) -> Iterator[Freed]:
    """The equations to free: what is kept holds travel before turns, the first mates before the last."""
    named = np.concatenate(list(rows_of.values()))
    others = np.setdiff1d(np.arange(len(pair.rows)), named)
    turns = np.linalg.norm(pair.W[:, :3], axis=1) < _TURNS
    order = np.concatenate([others, named[~turns[named]], named[turns[named]]])
    kept = set(order[reduce_rows(pair.W[order]).basis].tolist())
    for name, rows in rows_of.items():
        free = [int(i) for i in rows if int(i) not in kept]
        if free:
            yield Freed(name, tuple(_words(pair.W[i], bool(turns[i]), X_WJ) for i in free), len(free) == len(rows))


def _words(row: Array, turns: bool, X_WJ: Pose) -> str:
    """What an equation holds, along the joint's axes: "travel along x", "turn about (0.6, 0.8, 0)".

    An angle between axes that lie along each other holds nothing to first order.
    """
    d = X_WJ.R.T @ (row[3:] if turns else row[:3])
    size = float(np.linalg.norm(d))
    if size == 0.0:
        return "nothing in this pose"
    along = axis_name((d / size).tolist())
    return f"turn about {along}" if turns else f"travel along {along}"
