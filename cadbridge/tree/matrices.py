"""The matrices of a tree at a pose: inertia and its factors, orthogonal complement, topology, base reaction.

After Shah, Saha & Dutt (2013), chapters 4 and 5, for 𝑰 = 𝒰 D 𝒰ᵀ and t = N_l N_d θ̇; the topology matrix is that of Xue,
Huang, Ahamed & Woodard (2005).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cadbridge.tree.links import SpanningTree, posed
from solver.analyses.minimal import jacobian
from solver.denoc import base_reaction, complement, inertia_factors, inertia_matrix, inverse_dynamics, poses, topology
from solver.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Matrices:
    """A tree of s links with nv rates θ̇ at `state`; world axes, SI.

    `inertia` 𝑰 (nv, nv) with the armatures; `U` (nv, nv) unit upper triangular and `D` (nv,) with 𝑰 = U diag(D) Uᵀ.
    `Nl` (6s, 6s) and `Nd` (6s, nv): t = Nl Nd θ̇ are the links' twists [v; ω] at their `origins` (s, 3) on their joints.
    `topology` (s, s): A_ij = 1 where link j hangs on link i. `closing` (m, nv): rows of loops, gears and couplings,
    closing · θ̇ = 0. `base` (6,): force and moment about the world's origin that the mechanism exerts on the ground,
    `efforts` (nv,) those of the tree cut open, at `rates` and `accelerations` (nv,).
    """

    of: SpanningTree
    state: State
    q: Array
    rates: Array
    accelerations: Array
    origins: Array
    inertia: Array
    U: Array
    D: Array
    Nl: Array
    Nd: Array
    topology: Array
    closing: Array
    efforts: Array
    base: Array

    @property
    def N(self) -> Array:
        """The natural orthogonal complement (6s, nv)."""
        return self.Nl @ self.Nd

    def tables(self) -> dict[str, Array]:
        """All of them by name, as they are written."""
        return {
            "inertia": self.inertia, "U": self.U, "D": self.D, "Nl": self.Nl, "Nd": self.Nd, "N": self.N,
            "topology": self.topology, "closing": self.closing, "q": self.q, "rates": self.rates,
            "accelerations": self.accelerations, "efforts": self.efforts, "base": self.base, "origins": self.origins,
        }  # fmt: skip


def matrices_at(of: SpanningTree, state: State, accelerations: Array | None = None) -> Matrices:
    """The matrices where the bodies are at `state` and accelerate so (n, 6); at rest by default.

    ValueError where a freedom of the tree has no inertia, which has no factors.
    """
    place = posed(of, state, accelerations)
    tree, q = of.tree, place.q
    inertia = inertia_matrix(tree, q)
    U, D = inertia_factors(tree, q)
    # A freedom without inertia divides by zero on the way in (`recursions.articulated_inertias`): infinities show it.
    if not (np.all(np.isfinite(U)) and np.all(D > 0)):
        raise ValueError("a freedom of the tree has no inertia: give its links mass, or the joint armature")
    Nl, Nd = complement(tree, q)
    found = inverse_dynamics(tree, q, place.rates, place.accelerations)
    J = jacobian(of.system, state)[0][of.closing] @ at_centres(of, q, Nl @ Nd)
    return Matrices(
        of, state, q, place.rates, place.accelerations, poses(tree, q)[0], inertia, U, D, Nl, Nd, topology(tree), J,
        found.efforts, base_reaction(tree, q, found),
    )  # fmt: skip


def at_centres(of: SpanningTree, q: Array, N: Array) -> Array:
    """The rows (6n, nv) of a complement N (6s, nv) for the units, moved to their centres of mass."""
    R = poses(of.tree, q)[1]
    found = np.empty((len(of.bearer), 6, N.shape[1]))
    for unit, link in enumerate(of.bearer):
        own = N[6 * link : 6 * link + 6]
        arm = R[link] @ of.tree.links[link].com
        found[unit, :3] = own[:3] + np.cross(own[3:], arm, axisa=0, axisb=0, axisc=0)
        found[unit, 3:] = own[3:]
    return found.reshape(-1, N.shape[1])
