"""What mates carry of the weights, shared by stiffness where rigid theory leaves it open.

Let go from rest, the mechanism accelerates with a: M a + Aᵀ λ = w, A a = 0 for the independent rows. With M⁻¹ = L Lᵀ,
B = A L and a = L y this is y + Bᵀ λ = Lᵀ w, B y = 0, solved as it stands: B Bᵀ is singular in floating point where
rows are independent by the rounding of a file alone. Where a is none these are the forces at rest. Of all forces that
balance the same weights, those of the least energy ½ λᵀ C λ are what springs in the mates carry:
λ − N (Nᵀ C N)⁻¹ Nᵀ C λ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, csc_array, csr_array, eye_array, hstack, vstack

from cadbridge.misfit.forces import DENSE
from cadbridge.misfit.groups import Constraints, matrix
from solver.rotation import skew

Array = NDArray[np.float64]

STILL = 1e-6
"""An acceleration (m/s², rad/s²) below this part of gravity's is none."""


def carried_weights(constraints: Constraints) -> tuple[Array, bool] | None:
    """The forces (m,) of all rows under the components' weights, and whether the mechanism rests.

    None where a mass is not known or none, or nothing weighs. Rows that are not in the basis carry nothing yet.
    """
    mechanism, rows = constraints.mechanism, constraints.rows
    g = np.array(mechanism.gravity)
    if not np.any(g):
        return None
    roots, weights, frames = [], [], []
    for name, X in zip(mechanism.component_names, mechanism.X_WC, strict=True):
        mass = mechanism.component_masses[name].mass
        if mass is None or not mass.mass > 0.0:
            return None
        inertia = X.R @ mass.inertia @ X.R.T
        if not np.linalg.eigvalsh(inertia)[0] > 0.0:
            return None
        none = np.zeros((3, 3))
        turning = np.linalg.cholesky(np.linalg.inv(inertia))
        roots.append(csr_array(np.block([[np.eye(3) / np.sqrt(mass.mass), none], [none, turning]])))
        weights.append(np.concatenate([mass.mass * g, np.zeros(3)]))
        # v of the rows' centre, from v of the centre of mass.
        arm = rows.centre - X.point(mass.com)
        frames.append(csr_array(np.block([[np.eye(3), -skew(arm)], [none, np.eye(3)]])))
    keep = np.flatnonzero(constraints.dependence.keep)
    A = csr_array(matrix(constraints)[keep] @ block_diag(frames, format="csr"))
    L, w = block_diag(roots, format="csr"), np.concatenate(weights)
    B = csr_array(A @ L)
    size = np.sqrt(np.asarray(B.multiply(B).sum(axis=1)).ravel())
    B = csr_array(B.multiply(1.0 / size[:, None]))
    y, force = _balanced(B, np.asarray(L.T @ w))
    acceleration = L @ y
    found = np.zeros(len(rows))
    found[keep] = force / size
    return found, bool(np.abs(acceleration).max() < STILL * float(np.linalg.norm(g)))


def _balanced(B: csr_array, w: Array) -> tuple[Array, Array]:
    """y (n,) and λ (m,) with y + Bᵀ λ = w and B y = 0: few by least squares, for which no solver of SciPy is loaded."""
    m, n = B.shape
    if n + m <= DENSE:
        few = B.toarray()
        force = np.linalg.lstsq(few.T, w, rcond=None)[0]
        return w - few.T @ force, force
    from scipy.sparse.linalg import splu

    equations = csc_array(vstack([hstack([eye_array(n), B.T]), hstack([B, csr_array((m, m))])]))
    y, force = np.split(np.asarray(splu(equations).solve(np.concatenate([w, np.zeros(m)]))), [n])
    return y, force
