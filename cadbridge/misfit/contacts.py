"""Faces that lie on each other: such a mate pushes and never pulls, so that what it would pull on lifts off.

The forces λ = λ₀ + N z balance the loads that λ₀ balances; springs with misfits e settle at the least of
½ λᵀ C λ − eᵀλ with s λ ≥ 0 in the rows of contacts, s their sign: a strictly convex quadratic programme. Its dual has
signs alone, and is a problem of non-negative least squares (C. L. Lawson and R. J. Hanson, Solving Least Squares
Problems, 1974, ch. 23, "least distance programming").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cadbridge.assembly import GROUND, Assembly, FeatureKind, Mate, MateKind
from cadbridge.frames import Pose, Vector
from cadbridge.misfit.groups import Constraints, Group
from cadbridge.misfit.model import OneSided, PushLoad

Array = NDArray[np.float64]

OPPOSED = -0.999
"""Cosine between the outward normals of two faces that lie on each other; others are flush and hold both ways."""
LIES = 1e-9
"""m: a mate with a greater distance holds something apart, and is no contact."""
EMPTY = 1e-9
"""Of the least squares' residual: below it no forces push everywhere."""


def normals_of(assembly: Assembly) -> dict[str, tuple[str, Vector]]:
    """Of each mate that is a face on a face: the component that it pushes, and which way (3,), world axes.

    A plane pushes along its outward normal what lies on it: another plane that faces it, or a point.
    """
    found = {}
    for mate in assembly.mates:
        sides = [(f, *other) for f, other in ((mate.a, (mate.b,)), (mate.b, (mate.a,))) if f.kind is FeatureKind.PLANE]
        if mate.kind not in KINDS or not sides or abs(mate.value) > LIES or not _touches(assembly, mate):
            continue
        face, other = sides[0]
        if face.direction is not None:
            found[mate.name] = (other.component, _X_WC(assembly, face.component).vector(face.direction))
    return found


def _touches(assembly: Assembly, mate: Mate) -> bool:
    """Whether two planes face each other, or a point lies on a plane."""
    kinds = {mate.a.kind, mate.b.kind}
    if kinds == {FeatureKind.PLANE, FeatureKind.POINT}:
        return True
    if kinds != {FeatureKind.PLANE} or mate.a.direction is None or mate.b.direction is None:
        return False
    a = _X_WC(assembly, mate.a.component).vector(mate.a.direction)
    return float(a @ _X_WC(assembly, mate.b.component).vector(mate.b.direction)) < OPPOSED


def _X_WC(assembly: Assembly, component: str) -> Pose:
    return Pose() if component == GROUND else assembly.component(component).X_WC


def signs_of(constraints: Constraints, group: Group, normals: Mapping[str, tuple[str, Vector]]) -> Array:
    """The sign (m,) that a row's multiplier must have where a contact only pushes; 0 where a mate holds both ways.

    Of a face on a face the row along the normal; its tilt is taken as held both ways.
    """
    signs = np.zeros(len(group.rows))
    for block in group.blocks:
        if block.kind != "along" or block.mate not in normals:
            continue
        pushed, normal = normals[block.mate]
        for row, d in zip(block.rows, block.directions, strict=True):
            last = constraints.rows.ends[group.rows[row]][-1]
            # A multiplier pulls the last end back along the row's direction.
            on_last = 1.0 if last == constraints.mechanism.units[pushed] else -1.0
            signs[row] = -np.sign(on_last * float(d @ normal))
    return signs


KINDS = (MateKind.COINCIDENT, MateKind.PLANAR)
"""Mates that lay a face on another; a flush one aligns faces that do not touch."""


@dataclass(frozen=True, eq=False)
class Pushing:
    """A group of rows with stiffness `k` (m,) whose rows with a sign in `signs` (m,) only push."""

    group: Group
    k: Array
    signs: Array

    @cached_property
    def _N(self) -> Array:
        return np.asarray(self.group.N.toarray())

    @cached_property
    def _root(self) -> Array:
        """L of Nᵀ C N = L Lᵀ."""
        return np.asarray(np.linalg.cholesky(self._N.T @ (self._N / self.k[:, None])))

    @cached_property
    def _contacts(self) -> NDArray[np.int64]:
        return np.flatnonzero(self.signs)

    @cached_property
    def _pushed(self) -> Array:
        """What the unknowns y = Lᵀ z do to the contacts, positive where it pushes (c, d)."""
        pushed = self.signs[self._contacts, None] * self._N[self._contacts]
        return np.asarray(np.linalg.solve(self._root, pushed.T).T)

    def forces(self, e: Array, loads: Array) -> Array | None:
        """The multipliers (m,) for misfits e (m,) beside `loads`, forces (m,) that balance the weights.

        None where no forces balance them that only push in the contacts.
        """
        free = np.linalg.solve(self._root, self._N.T @ (e - loads / self.k))
        least = self.signs[self._contacts] * loads[self._contacts] + self._pushed @ free
        y = free
        if np.any(least < 0.0):
            moved = _least_distance(self._pushed, -least)
            if moved is None:
                return None
            y = free + moved
        return np.asarray(loads + self._N @ np.linalg.solve(self._root.T, y))


def _least_distance(G: Array, h: Array) -> Array | None:
    """The least y (d,) with G y ≥ h; None where there is none."""
    from scipy.optimize import nnls

    scale = np.maximum(np.linalg.norm(G, axis=1), 1e-300)
    G, h = G / scale[:, None], h / scale
    size = float(np.abs(h).max(initial=0.0)) or 1.0
    E = np.vstack([G.T, h[None] / size])
    f = np.zeros(len(E))
    f[-1] = 1.0
    u, left = nnls(E, f)
    if left < EMPTY:
        return None
    r = E @ u - f
    return np.asarray(-r[:-1] / r[-1] * size)


OPEN = 1e-9
"""A contact that pushes with less than this part of the largest force is open."""


def one_sided(pushing: Pushing, gaps: Array, loads: Array, drawn: Array) -> OneSided:
    """What a group carries where contacts only push, for drawn errors (n, c) of its faces beside its weights."""
    group = pushing.group
    designed = pushing.forces(gaps, loads)
    if designed is None:
        return OneSided((), 0, False)
    found = [pushing.forces(gaps + group.B @ errors, loads) for errors in drawn.T]
    forces = np.array([f for f in found if f is not None]).reshape(-1, len(gaps))
    floor = OPEN * float(np.abs(forces).max(initial=0.0))
    made = []
    for block in group.blocks:
        sizes = np.linalg.norm(forces[:, block.rows], axis=1)
        contact = bool(np.any(pushing.signs[block.rows]))
        made.append(PushLoad(
            block.mate, block.kind, block.turns, float(np.linalg.norm(designed[block.rows])),
            float(np.quantile(sizes, 0.95)), float(sizes.max()),
            float(np.mean(sizes <= floor)) if contact else None,
        ))  # fmt: skip
    return OneSided(tuple(made), len(forces), True)
