"""The compliance of a body in its mates: how rows carry forces on it, with all springs and without some of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from cadbridge.frames import Vector
from cadbridge.misfit.groups import Constraints, DependentMates, matrix
from cadbridge.misfit.options import WeakerMate

Array = NDArray[np.float64]

CARRIED = 1e-6
"""Of a unit wrench so much may be left over where the mates carry it: the rest moves the mechanism."""
WHOLE = 1e-6
"""The part of a force that may be missing where it is carried whole."""


@dataclass(frozen=True, eq=False)
class CarriedWrenches:
    """p independent wrenches on a component that the mates carry: the `forces` (m, p) of all rows.

    `axes` (p, k): of each force along and torque about the world's axes that is carried whole, what it is of these;
    `names` (k) are theirs.
    """

    component: str
    forces: Array
    axes: Array
    names: tuple[str, ...]


NAMES = ("x", "y", "z", "turn x", "turn y", "turn z")


class Statics:
    """The equilibrium of all components under their independent rows, factored once."""

    def __init__(self, constraints: Constraints) -> None:
        from scipy.sparse.linalg import splu

        self._constraints = constraints
        self._keep = np.flatnonzero(constraints.dependence.keep)
        basis = csr_array(matrix(constraints)[self._keep])
        self._size = np.asarray(np.sqrt(basis.multiply(basis).sum(axis=1))).ravel()
        self._basis = csr_array(basis.multiply(1.0 / self._size[:, None]))
        self._factor = splu(csc_array(self._basis @ self._basis.T))

    def carried(self, unit: int, point: Vector, length: float) -> CarriedWrenches:
        """What the mates carry of the wrenches on a component (its index), torques weighed by a length (m)."""
        constraints, basis = self._constraints, self._basis
        w = np.zeros((basis.shape[1], 6))
        w[6 * unit : 6 * unit + 6] = own = _unit_wrenches(point, constraints.rows.centre, length)
        solved = self._factor.solve(np.asarray(basis @ w))
        left = w - basis.T @ solved
        # A combination of wrenches that the mates carry leaves nothing over: its eigenvalue is none.
        s, V = np.linalg.eigh(left.T @ left / float(np.sum(own[:, :3] ** 2)))
        ways = V[:, s < CARRIED**2]
        forces = np.zeros((len(constraints.rows), ways.shape[1]))
        forces[self._keep] = (solved / self._size[:, None]) @ ways
        # `ways` are orthonormal: an axis lies in their span where its row is of length 1.
        whole = np.flatnonzero(np.sum(ways**2, axis=1) > 1.0 - WHOLE)
        name = constraints.mechanism.component_names[unit]
        return CarriedWrenches(name, forces, ways[whole].T, tuple(NAMES[k] for k in whole))


def _unit_wrenches(point: Vector, centre: Vector, length: float) -> Array:
    """Unit forces and torques (6, 6) at a point, as wrenches about the rows' centre; torques of 1 N times a length."""
    w = np.zeros((6, 6))
    w[:3, :3] = np.eye(3)
    w[3:, :3] = np.cross(point - centre, np.eye(3)).T
    w[3:, 3:] = np.eye(3) * length
    return w


@dataclass(frozen=True, eq=False)
class LoadedGroup:
    """Wrenches on a body and a group in which some equations are given up; `k` (m,) the stiffness of all rows."""

    group: DependentMates
    carried: CarriedWrenches
    k: Array

    @cached_property
    def _own(self) -> Array:
        """The forces (m, p) of the group's rows."""
        return self.carried.forces[self.group.rows]

    @property
    def matter(self) -> bool:
        """Whether the group's mates carry any of the wrenches."""
        return bool(np.any(np.abs(self._own) > CARRIED))

    @cached_property
    def _energy(self) -> Array:
        """Twice the energy (p, p) of the forces as they are, before any self-stress is added."""
        return np.asarray(self.carried.forces.T @ (self.carried.forces / self.k[:, None]))

    @cached_property
    def _mixed(self) -> tuple[Array, Array]:
        """Nᵀ C N (d, d) and Nᵀ C λ (d, p)."""
        N, C = self.group.N.toarray(), 1.0 / self.k[self.group.rows]
        return np.asarray(N.T @ (C[:, None] * N)), np.asarray(N.T @ (C[:, None] * self._own))

    @cached_property
    def all_mates(self) -> Array:
        """The compliance (p, p) with all mates: the self-stresses make the energy least."""
        H, h = self._mixed
        return np.asarray(self._energy - h.T @ np.linalg.solve(H, h))

    @cached_property
    def _shared(self) -> Array:
        """The forces (m, p) of the group's rows with all mates."""
        H, h = self._mixed
        return np.asarray(self._own - self.group.N @ np.linalg.solve(H, h))

    def energy(self, option: WeakerMate) -> float:
        """The energy, over all wrenches, in what an option gives up."""
        total = 0.0
        for freed in option.freed:
            force = freed.weights @ self._shared[freed.block.rows]
            total += float(np.sum(force**2)) / float(self.k[self.group.rows[freed.block.rows[0]]])
        return total

    def of(self, option: WeakerMate) -> Array:
        """The forces (count, p) in what an option gives up, as they are."""
        return np.vstack([f.weights @ self._own[f.block.rows] for f in option.freed])

    def released(self, given_up: Array, lost: Array) -> Array:
        """The compliances (n, p, p) without what n sets give up.

        `given_up` (n, d, d) are its parts in the self-stresses, `lost` (n, d, p) the forces in it.
        """
        H, h = self._mixed
        z = -np.linalg.solve(given_up, lost)
        mixed = h.T @ z
        return np.asarray(self._energy + mixed + mixed.swapaxes(1, 2) + z.swapaxes(1, 2) @ (H @ z))

    @cached_property
    def _root(self) -> Array:
        """L⁻¹ (p, p) where the compliance with all mates is L Lᵀ."""
        return np.asarray(np.linalg.inv(np.linalg.cholesky(self.all_mates)))

    def worst_left(self, after: Array) -> Array:
        """The least stiffness (n,) that compliances (n, p, p) leave of all mates', as a part, over all directions."""
        if not after.shape[-1]:
            return np.ones(len(after))
        grown = np.linalg.eigvalsh(self._root @ after @ self._root.T)[:, -1]
        return np.asarray(1.0 / np.maximum(1.0, grown))

    def left(self, after: Array) -> Array:
        """The stiffness (n, k) that is left along each of the axes that the mates carry whole, as a part."""
        a = self.carried.axes
        before = np.diag(a.T @ self.all_mates @ a)
        now = np.einsum("pk,npq,qk->nk", a, after, a)
        return np.asarray(before / np.maximum(now, before))
