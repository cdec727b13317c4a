"""Groups in which contacts only push: what their mates carry, how far contacts lift off, and the play that is needed.

The forces λ = λ₀ + N z balance the loads that λ₀ balances; springs with misfits e settle at the least of
½ λᵀ C λ − eᵀλ with s λ ≥ 0 in the rows of contacts, s their sign: a strictly convex quadratic programme, which is the
linear complementarity problem of forces and gaps. Its dual has signs alone, and is a problem of non-negative least
squares (C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, ch. 23, "least distance programming").

The least play is found as in `play`, by springs that are made stiffer where they are off most: a contact that would
have to pull carries nothing, and is as far off as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from cadbridge.misfit.groups import DependentMates
from cadbridge.misfit.model import LiftOff, OneSided, PlayNeeded, PushLoad
from cadbridge.misfit.needs import LEVELS
from cadbridge.misfit.play import Play
from solver.algebra.division import LEAST_DIVISOR

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

NO_PUSH_LEFT = 1e-9
"""Of the least squares' residual: below it no forces push everywhere."""
AT_LEAST = 1e-2
"""Of the residual's square: by more, its last part is lost in rounding, and so is the distance that it stands under."""
OPEN_CONTACT = 1e-9
"""A contact that pushes with less than this part of the largest force is open."""
SOFTEST_CONTACT = 1e-7
"""A spring that is softer than this part of the stiffest becomes no softer: signs ask for more digits than none."""
MOST = LEVELS[1]
"""Of the drawn misfits: the share that stays below what is given as most of them, as of the play (`most95`)."""
NO_MOTION = 1e-9
"""A singular value below this part of the largest is none."""


def pushed_forces(N: Array, signs: Array, k: Array, felt: Array, loads: Array) -> Array | None:
    """The multipliers (m,) of springs k (m,) in the rows of N (m, d), beside `loads` (m,) that balance the weights.

    `felt` (d,) is Nᵀ of the misfits. Rows with a sign in `signs` (m,) only push: sign · multiplier ≥ 0. None where no
    such forces balance the loads.
    """
    contacts = np.flatnonzero(signs)
    # With Nᵀ C N = L Lᵀ and y = Lᵀ z the energy is ½ ‖y − y₀‖² but for a constant, y₀ that of springs that also pull:
    # the signs ask for the point nearest to y₀ in a cone.
    L = np.linalg.cholesky(N.T @ (N / k[:, None]))
    solved = np.linalg.solve(L, np.column_stack([felt - N.T @ (loads / k), (signs[contacts, None] * N[contacts]).T]))
    y, pushed = solved[:, 0], solved[:, 1:].T
    least = signs[contacts] * loads[contacts] + pushed @ y
    if np.any(least < 0.0):
        moved = _least_distance(pushed, -least)
        if moved is None:
            return None
        y = y + moved
    force = np.asarray(loads + N @ np.linalg.solve(L.T, y))
    # Rounding leaves contacts at the edge of the cone with a pull of some digits.
    force[contacts] = signs[contacts] * np.maximum(signs[contacts] * force[contacts], 0.0)
    return force


def _least_distance(G: Array, h: Array) -> Array | None:
    """The least y (d,) with G y ≥ h; None where there is none."""
    from scipy.optimize import nnls

    scale = np.maximum(np.linalg.norm(G, axis=1), LEAST_DIVISOR)
    G, h = G / scale[:, None], h / scale
    size = float(np.abs(h).max(initial=0.0)) or 1.0
    E = np.vstack([G.T, h[None] / size])
    f = np.zeros(len(E))
    f[-1] = 1.0
    u, left = nnls(E, f)
    if left < NO_PUSH_LEFT:
        return None
    r = E @ u - f
    squares = float(r @ r)
    # At the least the last of r is −‖r‖². Where it is lost, rows are opposite but for rounding: they push each other
    # ten million times as hard as the loads, and that is no balance.
    if abs(r[-1] + squares) > AT_LEAST * squares:
        return None
    return np.asarray(r[:-1] / squares * size)


@dataclass(frozen=True, eq=False)
class PushedPlay(Play):
    """The same as `Play` where rows with a sign in `signs` (m,) only push: they may lift off as far as they like."""

    signs: Array
    softest: ClassVar[float] = SOFTEST_CONTACT

    @cached_property
    def _by_stresses(self) -> bool:
        return True

    def _left(self, e: Array, k: Array) -> Array:
        r = super()._left(e, k)
        contacts = np.flatnonzero(self.signs)
        for c in np.flatnonzero(np.any(self.signs[contacts, None] * r[contacts] < 0.0, axis=0)):
            stiff = k[self._owner, min(int(c), k.shape[1] - 1)]
            force = pushed_forces(self._basis, self.signs, stiff, e[:, c], np.zeros(len(stiff)))
            r[:, c] = 0.0 if force is None else force / stiff
        return r


@dataclass(frozen=True, eq=False)
class Pushing:
    """A group of rows with stiffness `k` (m,) whose rows with a sign in `signs` (m,) only push."""

    group: DependentMates
    k: Array
    signs: Array
    _known: dict[bytes, tuple[Array, Array, Array]] = field(default_factory=dict)

    @cached_property
    def _N(self) -> Array:
        return np.asarray(self.group.N.toarray())

    def forces(self, e: Array, loads: Array) -> Array | None:
        """The multipliers (m,) for misfits e (m,) beside `loads`, forces (m,) that balance the weights.

        None where no forces balance them that only push in the contacts.
        """
        return pushed_forces(self._N, self.signs, self.k, self._N.T @ e, loads)

    def floor(self, e: Array, force: Array) -> float:
        """A force (N) below which a contact is open, for misfits e (m,) and the forces (m,) that they make."""
        return OPEN_CONTACT * max(float(np.abs(force).max(initial=0.0)), float(np.abs(self.k * e).max(initial=0.0)))

    def lifted(self, e: Array, force: Array) -> Array:
        """How far (m,) each row with a sign may stand open, in m, beside multipliers `force` (m,) for misfits e (m,).

        0 where it pushes and in all rows without a sign. Where several gaps balance alike (a table that rocks) the
        largest of each; infinite where nothing keeps it.
        """
        open_ = (self.signs != 0.0) & (np.abs(force) <= self.floor(e, force))
        gaps = np.zeros(len(e))
        if not np.any(open_):
            return gaps
        held, E, ways = self._way(open_)
        y = held @ (force / self.k - e)[~open_]
        sign = self.signs[open_]
        gaps[open_] = _largest(-sign * (E @ y + e[open_]), -sign[:, None] * ways)
        return gaps

    def _way(self, open_: Bools) -> tuple[Array, Array, Array]:
        """With some rows open: from the others' misfits to displacements, these of the open rows, and what is free."""
        key = open_.tobytes()
        if key not in self._known:
            E = np.asarray(self.group.E.toarray())
            U, s, Vt = np.linalg.svd(E[~open_])
            rank = int(np.sum(s > NO_MOTION * s.max(initial=0.0))) if len(s) else 0
            held = Vt[:rank].T @ (U[:, :rank] / s[:rank]).T
            free = E[open_] @ Vt[rank:].T
            ways, sizes, _ = np.linalg.svd(free, full_matrices=False)
            self._known[key] = (held, E[open_], ways[:, sizes > NO_MOTION])
        return self._known[key]


def _largest(gaps: Array, ways: Array) -> Array:
    """The largest of each entry of gaps + ways a (c,) over all a (q,) that leave none below 0."""
    if ways.shape[1] == 0:
        return np.maximum(gaps, 0.0)
    if ways.shape[1] > 1:
        return np.array([_programme(gaps, ways, i) for i in range(len(gaps))])
    way = ways[:, 0]
    with np.errstate(divide="ignore"):
        at = -gaps / way
    low = float(at[way > 0.0].max(initial=-np.inf))
    high = float(at[way < 0.0].min(initial=np.inf))
    low, high = min(low, high), max(low, high)  # rounding may cross them
    found = gaps + np.where(way > 0.0, way * high, np.where(way < 0.0, way * low, 0.0))
    return np.maximum(found, 0.0)


def _programme(gaps: Array, ways: Array, i: int) -> float:
    """The same of one entry, by a linear programme."""
    from scipy.optimize import linprog

    size = float(np.abs(gaps).max()) or 1.0
    bounds = [(None, None)] * ways.shape[1]
    # Gaps over the largest: the slack keeps a programme solvable whose only point lies on its bounds.
    found = linprog(-ways[i], A_ub=-ways, b_ub=gaps / size + 1e-9, bounds=bounds)
    return max(float(gaps[i]) - size * float(found.fun), 0.0) if found.fun is not None else np.inf  # no end: unbounded


def one_sided(
    pushing: Pushing, gaps: Array, loads: Array, misfits: Array, play: PlayNeeded | None
) -> OneSided:  # fmt: skip
    """What a group carries where contacts only push, for drawn misfits (m, c) beside its weights, with `play`."""
    designed = pushing.forces(gaps, loads)
    if designed is None:
        return OneSided((), 0, False, play)
    drawn = gaps[:, None] + misfits
    found = [(e, force) for e in drawn.T if (force := pushing.forces(e, loads)) is not None]
    forces = np.array([force for _, force in found]).reshape(-1, len(gaps))
    lifted = np.array([pushing.lifted(e, force) for e, force in found]).reshape(-1, len(gaps))
    still = pushing.lifted(gaps, designed)
    made = []
    for block in pushing.group.blocks:
        sizes = np.linalg.norm(forces[:, block.rows], axis=1)
        off = None
        if np.any(pushing.signs[block.rows]):
            off = _lift_off(float(still[block.rows].max()), lifted[:, block.rows].max(axis=1))
        made.append(PushLoad(
            block.mate, block.kind, block.turns, float(np.linalg.norm(designed[block.rows])),
            float(np.quantile(sizes, MOST)), float(sizes.max()), off,
        ))  # fmt: skip
    return OneSided(tuple(made), len(forces), True, play)


def _lift_off(designed: float, drawn: Array) -> LiftOff:
    sizes = (designed, float(np.quantile(drawn, MOST, method="higher")), float(drawn.max()))
    return LiftOff(float(np.mean(drawn > 0.0)), *map(_finite, sizes))


def _finite(gap: float) -> float | None:
    return gap if np.isfinite(gap) else None
