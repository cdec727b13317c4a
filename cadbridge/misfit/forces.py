"""Forces that errors cause, and shares that stiffness decides: λ = N (Nᵀ C N)⁻¹ Nᵀ e.

Springs of compliance C stand in all rows; with misfits e they strain each other. The multipliers λ (N, N m) of least
energy ½ λᵀ C λ among those with Nᵀ C λ = Nᵀ e are unique where rigid theory has none (least energy: Castigliano; for
mechanisms: Liu, Xu, Yao, Zhao, Chin. J. Mech. Eng. 30:199, 2017, "weighted generalised inverse").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array

from cadbridge.misfit.groups import DependentMates

Array = NDArray[np.float64]

MOST_DENSE = 400
"""Unknowns up to which a matrix is factored dense, by NumPy: loading SciPy's solvers takes longer than using them."""
MOST_SUMS = 10_000_000
"""Numbers up to which sums of errors are kept as a matrix: 80 MB."""


class _Solver(Protocol):
    def __call__(self, b: Array) -> Array: ...


@dataclass(frozen=True, eq=False)
class Springs:
    """A group of rows with stiffness `k` (m,) each (N/m, N m/rad)."""

    group: DependentMates
    k: Array

    @cached_property
    def _by_stresses(self) -> bool:
        return self.group.N.shape[1] <= self.group.E.shape[1]

    @cached_property
    def _solve(self) -> _Solver:
        """The inverse of Nᵀ C N, or, where there are fewer, of Eᵀ K E."""
        M, weight = (self.group.N, 1.0 / self.k) if self._by_stresses else (self.group.E, self.k)
        H = csc_array(M.T @ diags_array(weight) @ M)
        if H.shape[0] <= MOST_DENSE:
            return _dense(H.toarray())
        from scipy.sparse.linalg import splu

        factored = splu(H)
        return lambda b: np.asarray(factored.solve(b))

    def shared(self, force: Array) -> Array:
        """Of all forces that balance the same loads as `force` (m,), those that the springs carry."""
        # λ − N (Nᵀ C N)⁻¹ Nᵀ C λ: the forces of the misfits C λ, which no displacement makes, go off.
        return np.asarray(force - self.forces(force / self.k))

    def sums(self, B: csr_array) -> Array | None:
        """The sums (d, n) of errors that count: forces for misfits B z, B (m, n), are N sums z. None where too many."""
        if not self._by_stresses or self.group.N.shape[1] * B.shape[1] > MOST_SUMS:
            return None
        return self._solve((self.group.N.T @ B).toarray())

    def forces(self, e: Array) -> Array:
        """The multipliers (m, …) for misfits e (m, …)."""
        if self._by_stresses:
            N = self.group.N
            return np.asarray(N @ self._solve(N.T @ e))
        E, k = self.group.E, self.k.reshape(-1, *[1] * (e.ndim - 1))
        return np.asarray(k * (e - E @ self._solve(E.T @ (k * e))))


def _dense(H: Array) -> _Solver:
    """The inverse of a symmetric matrix (d, d) without negative eigenvalues."""
    try:
        root = np.linalg.inv(np.linalg.cholesky(H))
    except np.linalg.LinAlgError:  # levers beyond the digits of a number: what they leave open carries nothing
        inverse = np.linalg.pinv(H, rcond=len(H) * float(np.finfo(float).eps), hermitian=True)
        return lambda b: np.asarray(inverse @ b)
    return lambda b: np.asarray(root.T @ (root @ b))
