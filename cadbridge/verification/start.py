"""From which velocities a swing starts: random ones that joints, couplings and loops allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cadbridge.exporters.relations import relations
from cadbridge.exporters.tree import Tree, bodies_at, kinematics, spanning_tree
from cadbridge.frames import Vector
from cadbridge.mechanism.model import Mechanism
from solver.constraints import evaluate

_DEPENDENT = 1e-8
"""Rows (scaled to 1) that are this near to a combination of others repeat them."""


@dataclass(frozen=True)
class Start:
    """Velocities as designed, by the names in the export.

    `rates` are those of single freedoms (rad/s, m/s), `balls` (3,) of ball joints about the axes of the link's frame L,
    by the name of the first of their three freedoms, `floats` (6,) the twists [v of L's origin; ω] of links that hang
    on nothing, in world axes.
    """

    rates: dict[str, float]
    balls: dict[str, Vector]
    floats: dict[str, Vector]


def random_twists(mechanism: Mechanism, seed: int) -> list[Vector]:
    """Twists (6,) of the bodies at their origins, [v; ω] in world axes: random, but all rows hold.

    The fastest joint goes 1 rad/s (or three tenths of the mechanism's length a second), or less where its limit of
    velocity says so.
    """
    tree = spanning_tree(mechanism)
    count = len(tree.freedoms)
    x, quaternions, T = bodies_at(tree, np.zeros(count))
    primitives = [p for joint in tree.closures for p in joint.primitives]
    primitives += [c.primitive for c in mechanism.couplings]
    rows = [evaluate(primitives, x, quaternions).G @ T] if primitives else []
    for relation in relations(tree)[0]:
        rows.append(np.array([[dict(relation.terms).get(k, 0.0) for k in range(count)]]))
    # A rad, and a third of the model's length: no joint stands still beside another.
    size = np.array([1.0 if f.turns else 0.3 * mechanism.length_scale for f in tree.freedoms])
    wanted = np.random.default_rng(seed).uniform(-1.0, 1.0, count)
    A = np.vstack([np.zeros((0, count)), *rows]) * size
    norms = np.linalg.norm(A, axis=1)
    A = A[norms > _DEPENDENT] / norms[norms > _DEPENDENT, None]
    _, s, Vt = np.linalg.svd(A)
    null = Vt[np.count_nonzero(s > _DEPENDENT) :]
    allowed = null.T @ (null @ wanted)
    fastest = max(1.0, float(np.max(np.abs(allowed), initial=0.0)), _beyond_limits(tree, allowed * size))
    twists = T @ (allowed * size / fastest)
    return list(twists.reshape(-1, 6))


def _beyond_limits(tree: Tree, rates: Vector) -> float:
    """How many times the fastest joint exceeds its limit of velocity."""
    worst = 0.0
    for link in tree.links:
        limit = link.joint.limit if link.joint is not None and len(link.freedoms) == 1 else None
        if limit is not None and limit.velocity:
            worst = max(worst, abs(float(rates[link.first])) / limit.velocity)
    return worst


def start_of(tree: Tree, twists: list[Vector], link_names: dict[int, str], joint_names: dict[str, str]) -> Start:
    """The same velocities in the coordinates of an export's tree.

    `link_names`: index of a link → its name in the export; `joint_names`: name of a freedom → that in the export.
    """
    J = kinematics(tree, np.zeros(len(tree.freedoms))).J
    moving = np.zeros((len(tree.links), 6))
    for i, link in enumerate(tree.links):
        if link.body >= 0:
            v, w = twists[link.body][:3], twists[link.body][3:]
            arm = link.X_WL.p - tree.mechanism.bodies[link.body].X_WB.p
            moving[i] = np.concatenate([v + np.cross(w, arm), w])
    q = np.linalg.lstsq(J.reshape(-1, len(tree.freedoms)), moving.ravel(), rcond=None)[0]
    start = Start({}, {}, {})
    for i, link in enumerate(tree.links):
        if link.floats:
            start.floats[link_names[i]] = moving[i]
            continue
        for k, freedom in enumerate(link.freedoms, link.first):
            start.rates[joint_names[freedom.name]] = float(q[k])
        if link.kind.ball:
            last = link.first + len(link.freedoms)
            axes = np.column_stack([freedom.axis for freedom in link.freedoms[-3:]])
            start.balls[joint_names[link.freedoms[-3].name]] = axes @ q[last - 3 : last]
    return start
