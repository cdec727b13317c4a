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
from scipy.sparse import bsr_array, csc_array, csr_array, eye_array, hstack, vstack

from cadbridge.misfit.forces import MOST_DENSE
from cadbridge.misfit.groups import Constraints, matrix
from solver.rotation import skew

Array = NDArray[np.float64]

AT_REST = 1e-6
"""An acceleration (m/s², rad/s²) below this part of gravity's is none."""


def carried_weights(constraints: Constraints) -> tuple[Array, bool] | None:
    """The forces (m,) of all rows under the components' weights, and whether the mechanism rests.

    None where a mass is not known or none, or nothing weighs. Rows that are not in the basis carry nothing yet.
    """
    mechanism, rows = constraints.mechanism, constraints.rows
    g = np.array(mechanism.gravity)
    if not np.any(g):
        return None
    masses = [mechanism.component_masses[name].mass for name in mechanism.component_names]
    known = [mass for mass in masses if mass is not None and mass.mass > 0.0]
    if not known or len(known) < len(masses):
        return None
    R = np.array([X.R for X in mechanism.X_WC])
    inertia = R @ np.array([mass.inertia for mass in known]) @ R.swapaxes(1, 2)
    if not np.all(np.linalg.eigvalsh(inertia)[:, 0] > 0.0):
        return None
    roots = np.zeros((len(known), 6, 6))
    roots[:, :3, :3] = np.eye(3) / np.sqrt([mass.mass for mass in known])[:, None, None]
    roots[:, 3:, 3:] = np.linalg.cholesky(np.linalg.inv(inertia))
    w = np.array([[*(mass.mass * g), 0.0, 0.0, 0.0] for mass in known]).ravel()
    # v of the rows' centre, from v of the centre of mass.
    frames = np.tile(np.eye(6), (len(known), 1, 1))
    pairs = zip(known, mechanism.X_WC, strict=True)
    frames[:, :3, 3:] = [-skew(rows.centre - X.point(mass.com)) for mass, X in pairs]
    keep = np.flatnonzero(constraints.dependence.keep)
    A, L = csr_array(matrix(constraints)[keep] @ _diagonal(frames)), _diagonal(roots)
    B = csr_array(A @ L)
    size = np.sqrt(np.asarray(B.multiply(B).sum(axis=1)).ravel())
    B = csr_array(B.multiply(1.0 / size[:, None]))
    y, force = _balanced(B, np.asarray(L.T @ w))
    acceleration = L @ y
    found = np.zeros(len(rows))
    found[keep] = force / size
    return found, bool(np.abs(acceleration).max() < AT_REST * float(np.linalg.norm(g)))


def _diagonal(blocks: Array) -> csr_array:
    """Blocks (n, 6, 6) along the diagonal of a matrix (6n, 6n)."""
    n = len(blocks)
    return csr_array(bsr_array((blocks, np.arange(n), np.arange(n + 1)), shape=(6 * n, 6 * n)))


def _balanced(B: csr_array, w: Array) -> tuple[Array, Array]:
    """y (n,) and λ (m,) with y + Bᵀ λ = w and B y = 0: few by least squares, for which no solver of SciPy is loaded."""
    m, n = B.shape
    if n + m <= MOST_DENSE:
        few = B.toarray()
        force = np.linalg.lstsq(few.T, w, rcond=None)[0]
        return w - few.T @ force, force
    from scipy.sparse.linalg import splu

    equations = csc_array(vstack([hstack([eye_array(n), B.T]), hstack([B, csr_array((m, m))])]))
    y, force = np.split(np.asarray(splu(equations).solve(np.concatenate([w, np.zeros(m)]))), [n])
    return y, force
