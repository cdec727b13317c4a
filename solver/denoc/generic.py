"""The generic equation of open branches with the topology explicit: Xue, Huang, Ahamed & Woodard (2005), eqs. 10–15.

For every body e_i on a pin, a universal or a spherical joint (its hang point, HP), the moment balance of all that
hangs on it, along the joint's axes v_i:

    J_i q̈_i = F_i^v + F_i^Ext + F_i^Ha + F_i^Att                                                            (10)

The paper leaves its topology matrix, attachment vectors and block rows to reports that are not public. Here they are

- A (s, s), A_ij = 1 where e_j hangs on e_i; the attachment vectors Λ̂_i: 1 for e_i and all bodies beyond it, the columns
  of (1 − Aᵀ)⁻¹, and Λ_i = Λ̂_i − 1_i; Λ(1₃) repeats each entry along a 3 × 3 diagonal;
- with c_ξi from the HP of e_i to the centre of mass of e_ξ: J_sys = [J_1 … J_s], X^ij = [m_ξ c̃_ξi c̃_ξj]_ξ and
  K^i = [m_ξ c_ξi]_ξ, so that J_i^Eff = (J_sys − X^ii) Λ̂_i(1₃), the inertia about the HP of all that e_i carries;
- Q^i_η = (J_sys − X^iη) Λ̂_η(1₃) (v_η q̈_η + γ_η^q), what the relative motion of each e_η beyond asks for, and Φ_ξ, the
  velocity terms of e_ξ beyond e_i less what acts on it, about the HP of e_i.

Joint torques τ_i are counted with F^Ext. A universal joint is two pins with a body without mass between them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.constraints.primitives import GROUND
from solver.denoc import recursions
from solver.denoc.dynamics import given
from solver.denoc.model import Tree, make_room

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GenericTerms:
    """Eq. 10 of Xue et al. (2005) for one body with k freedoms: J_i q̈_i = F^v + F^Ext + F^Ha + F^Att.

    Attributes:
        inertia: J_i (k, k) kg m².
        velocity: F^v (k,) N m, by the rates alone.
        external: F^Ext (k,) N m, of gravity, wrenches and joint torques.
        hanging: F^Ha (k,) N m, of the motion of what the body hangs on.
        attached: F^Att (k,) N m, of what hangs on the body.
    """

    inertia: Array
    velocity: Array
    external: Array
    hanging: Array
    attached: Array

    def residual(self, acceleration: Array) -> Array:
        """Put an acceleration into the equation.

        Args:
            acceleration: q̈_i (k,) rad/s².

        Returns:
            J_i q̈_i − (F^v + F^Ext + F^Ha + F^Att) (k,) N m, zero where the accelerations are those of the motion.
        """
        return self.inertia @ acceleration - (self.velocity + self.external + self.hanging + self.attached)


def topology(tree: Tree) -> Array:
    """Make the topology matrix.

    Args:
        tree: The links.

    Returns:
        A (s, s), A_ij = 1 where body j hangs on body i.
    """
    A = np.zeros((len(tree.links), len(tree.links)))
    for j, link in enumerate(tree.links):
        if link.parent != GROUND:
            A[link.parent, j] = 1.0
    return A


def attachment_vectors(A: Array) -> Array:
    """Make the attachment vectors of a topology.

    Args:
        A: The topology matrix (s, s).

    Returns:
        Λ̂ (s, s), whose column i has 1 for body i and all bodies beyond it.
    """
    # The inverse of a unit triangular matrix of whole numbers is of whole numbers: rounding takes off only its own
    # kind.
    return np.asarray(np.round(np.linalg.inv(np.eye(len(A)) - A.T)))


def generic_equations(
    tree: Tree, q: ArrayLike, rates: ArrayLike, accelerations: ArrayLike, efforts: ArrayLike,
    wrenches: ArrayLike | None = None,
) -> tuple[GenericTerms, ...]:  # fmt: skip
    """Set up the generic equation of every body (Xue et al. 2005, eq. 10).

    Args:
        tree: The links, on pins, universal and spherical joints.
        q: Configuration (nq,).
        rates: (nv,) rad/s.
        accelerations: Of all joints (nv,) rad/s².
        efforts: Of the joints (nv,) N m.
        wrenches: [force; moment] (s, 6) that act on the links about their origins, world axes, N and N m.

    Returns:
        The terms of each body.

    Raises:
        ValueError: A joint is another one, or a shape does not fit.
    """
    system = _System(tree, q, rates, efforts, wrenches)
    qdd = np.asarray(accelerations, dtype=float)
    return tuple(system.equation(i, qdd) for i in range(len(tree.links)))


def generic_accelerations(
    tree: Tree, q: ArrayLike, rates: ArrayLike, efforts: ArrayLike, wrenches: ArrayLike | None = None
) -> Array:
    """Solve the generic equations of all bodies at once.

    The rows are linear in the accelerations: J_i on the diagonal, the coupling with what hangs beyond beside it, and
    with the parents by F^Ha.

    Args:
        tree: The links, on pins, universal and spherical joints.
        q: Configuration (nq,).
        rates: (nv,) rad/s.
        efforts: Of the joints (nv,) N m.
        wrenches: [force; moment] (s, 6) that act on the links about their origins, world axes, N and N m.

    Returns:
        Accelerations (nv,) rad/s².

    Raises:
        ValueError: A joint is another one, or a shape does not fit.
    """
    system = _System(tree, q, rates, efforts, wrenches)
    # Each equation is affine in all q̈, so that its residual at q̈ = 0 is the right-hand side with the other sign.
    nothing = np.zeros(tree.nv)
    right = np.concatenate([-system.equation(i, nothing).residual(nothing[s]) for i, s in enumerate(system.own)])
    H = np.zeros((tree.nv, tree.nv))
    for i, rows in enumerate(system.own):
        for j in np.flatnonzero(system.reach[:, i]):
            H[rows, system.own[j]] = system.axes[i].T @ system.effective(i, int(j)) @ system.axes[j]
            # What e_j beyond feels of e_i is F^Ha of its own equation (14); it is the transpose, as the inertia matrix
            # is symmetric.
            H[system.own[j], rows] = H[rows, system.own[j]].T
    return np.asarray(np.linalg.solve(H + np.diag(system.armature), right))


class _System:
    """The block rows of all bodies at a configuration and rates; names as in the module's description."""

    def __init__(
        self, tree: Tree, q: ArrayLike, rates: ArrayLike, efforts: ArrayLike, wrenches: ArrayLike | None
    ) -> None:
        other = [link.name for link in tree.links if link.kind.travels or not link.kind.rates]
        if other:
            raise ValueError(f"the generic equation has pins, universal and spherical joints only: {', '.join(other)}")
        L, _, gravity, at, qd, tau, act = given(tree, q, rates, efforts, wrenches)
        s = len(tree.links)
        moved = make_room(s, tree.nv)
        recursions.move_links(L, moved, at, qd)
        o, R, S, t = moved.o, moved.R, moved.S, moved.t
        self.tree, self.rates, self.efforts, self.wrenches = tree, qd, tau, act
        self.own = [slice(int(L.v_start[i]), int(L.v_start[i + 1])) for i in range(s)]
        self.hp, self.omega = o, t[:, 3:]
        self.axes = [S[rows, 3:].T for rows in self.own]
        self.mass = L.mass
        self.gravity = gravity
        self.com = np.array([o[i] + R[i] @ L.com[i] for i in range(s)])
        # About the centres of mass: X^ij moves them to the hang points.
        self.J = np.array([R[i] @ L.inertia[i] @ R[i].T for i in range(s)])
        self.armature = L.armature
        self.reach = attachment_vectors(topology(tree))
        self.parent = L.parent
        relative = [self.axes[i] @ qd[self.own[i]] for i in range(s)]
        self.gamma_q = np.array([np.cross(self.omega[i], relative[i]) for i in range(s)])

    def effective(self, i: int, j: int) -> Array:
        """(J_sys − X^ij) Λ̂_j(1₃): the inertia (3, 3) of all beyond e_j, about the HPs of e_i and e_j."""
        blocks = self.J - self.mass[:, None, None] * (_skew(self.com - self.hp[i]) @ _skew(self.com - self.hp[j]))
        row = np.concatenate(list(blocks), axis=1)
        return np.asarray(row @ np.kron(self.reach[:, [j]], np.eye(3)))

    def equation(self, i: int, qdd: Array) -> GenericTerms:
        """Eqs. (11)–(15)."""
        v, own = self.axes[i], self.own[i]
        # The first is e_i itself: all that hangs on it has larger numbers.
        beyond = np.flatnonzero(self.reach[:, i])[1:]
        J_eff = self.effective(i, i)
        a_hp, alpha_u = self._parent_motion(i, qdd)
        K = (self.mass[:, None] * (self.com - self.hp[i])).T @ self.reach[:, i]
        Q = [self.effective(i, int(j)) @ (self.axes[j] @ qdd[self.own[j]] + self.gamma_q[j]) for j in beyond]
        Phi = [self._velocity(i, int(j)) - self._acting(i, int(j)) for j in beyond]
        nothing = [np.zeros(3)]
        return GenericTerms(
            inertia=v.T @ J_eff @ v + np.diag(self.armature[own]),
            velocity=-v.T @ (J_eff @ self.gamma_q[i] + self._velocity(i, i)),
            external=v.T @ self._acting(i, i) + self.efforts[own],
            hanging=-v.T @ (np.cross(K, a_hp) + J_eff @ alpha_u),
            attached=-v.T @ np.sum(nothing + Q, axis=0) - v.T @ np.sum(nothing + Phi, axis=0),
        )

    def _velocity(self, i: int, j: int) -> Array:
        """γ_j^J and the moment about the HP of e_i of the accelerations of e_j that its rates alone bring (3,)."""
        w = self.omega[j]
        c = self.com[j] - self.hp[i]
        # The way from e_i to e_j in arms between hang points, each of which turns with the body that has it.
        a = np.cross(w, np.cross(w, self.com[j] - self.hp[j]))
        inner = j
        while inner != i:
            p = int(self.parent[inner])
            a += np.cross(self.omega[p], np.cross(self.omega[p], self.hp[inner] - self.hp[p]))
            inner = p
        return np.asarray(np.cross(w, self.J[j] @ w) + np.cross(c, self.mass[j] * a))

    def _acting(self, i: int, j: int) -> Array:
        """The moment about the HP of e_i of gravity and of the wrench on e_j (3,)."""
        f, n = self.wrenches[j, :3], self.wrenches[j, 3:]
        weight = np.cross(self.com[j] - self.hp[i], self.mass[j] * self.gravity)
        return np.asarray(weight + n + np.cross(self.hp[j] - self.hp[i], f))

    def _parent_motion(self, i: int, qdd: Array) -> tuple[Array, Array]:
        """Accelerations of the HP of e_i and angular ones of its parent e_u (3,), recursively (eqs. 5 and 6)."""
        path = []
        p = int(self.parent[i])
        while p < len(self.tree.links):
            path.append(p)
            p = int(self.parent[p])
        a, alpha = np.zeros(3), np.zeros(3)
        for k, body in enumerate(reversed(path)):
            alpha = alpha + self.axes[body] @ qdd[self.own[body]] + self.gamma_q[body]
            onward = path[len(path) - k - 2] if k < len(path) - 1 else i
            d, w = self.hp[onward] - self.hp[body], self.omega[body]
            a = a + np.cross(alpha, d) + np.cross(w, np.cross(w, d))
        return a, alpha


def _skew(vectors: Array) -> Array:
    """(s, 3, 3) with ṽ x = v × x."""
    x, y, z = vectors.T
    o = np.zeros_like(x)
    return np.stack([np.stack([o, -z, y], -1), np.stack([z, o, -x], -1), np.stack([-y, x, o], -1)], -2)
