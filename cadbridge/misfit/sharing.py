"""Forces shared by stiffness: of all that balance the same loads, those of the least energy ½ λᵀ C λ.

Rigid rows leave self-stresses open; springs in all rows do not. Their forces are λ = K A u with the displacements u of
the units that balance the loads, (Aᵀ K A) u = Aᵀ λ₀, for any λ₀ that balances them. As K times a displacement, λ is of
the least energy whatever u is; how well it balances the loads is what the equations leave over. Motions that the rows
leave free have no stiffness: a little is added, and iterations take it back, so that no spring of a free motion is left
in the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array

from cadbridge.mechanism import Mechanism
from cadbridge.misfit.forces import Springs
from cadbridge.misfit.groups import Constraints, constraints_of, groups_of
from cadbridge.misfit.settings import Settings, stiffness_rows
from cadbridge.misfit.weights import carried_weights

Array = NDArray[np.float64]

ADDED_STIFFNESS = 1e-10
"""Stiffness, as a part of that of the rows, that is added to every motion while the equations are solved."""
TAKEN_BACK = 6
"""Iterations that take it back: what is 1e-6 as stiff as the stiffest motion is then exact to 1e-15."""


def displacements(A: csr_array, k: Array, force: Array) -> Array:
    """Displacements (n,) under which springs k (m,) in rows A (m, n) balance the same loads as `force` (m,)."""
    from scipy.sparse.linalg import splu

    H = csr_array(A.T @ diags_array(k) @ A)
    load = np.asarray(A.T @ force)
    size = H.diagonal()
    added = np.where(size > 0.0, size, 1.0) * ADDED_STIFFNESS
    factor = splu(csc_array(H + diags_array(added)))
    u = np.zeros(A.shape[1])
    for _ in range(TAKEN_BACK):
        u = u + factor.solve(load - np.asarray(H @ u))
    return u


def by_stiffness(A: csr_array, k: Array, force: Array) -> Array:
    """The forces (m,) of least energy among those that balance the same loads as `force`."""
    return np.asarray(k * (A @ displacements(A, k, force)))


@dataclass(frozen=True, slots=True)
class MateWrench:
    """What a mate does to its second component: force (3,) N and, about the mate's point (3,) m, torque (3,) N m."""

    mate: str
    point: tuple[float, float, float]
    force: tuple[float, float, float]
    torque: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class WeightShares:
    """The mates that share redundant equations, by stiffness; `rests`: whether the mechanism stands still so."""

    carried: tuple[MateWrench, ...]
    rests: bool


def weights_by_stiffness(mechanism: Mechanism, settings: Settings | None = None) -> WeightShares | None:
    """What each mate that shares redundant equations carries of the weights, as designed; world axes.

    None where a mass is not known, nothing weighs, or no equation is redundant. All mates are alike in stiffness where
    `settings` give none.
    """
    constraints = constraints_of(mechanism)
    groups = groups_of(constraints, faces=False)
    found = carried_weights(constraints) if groups else None
    if found is None:
        return None
    k = stiffness_rows(settings or Settings(), constraints.blocks.blocks, len(constraints.rows))
    carried: list[MateWrench] = []
    for group in groups:
        force = np.zeros(len(constraints.rows))
        force[group.rows] = Springs(group, k[group.rows]).shared(found[0][group.rows])
        carried += [carried_by(constraints, mate, force) for mate in group.mates]
    return WeightShares(tuple(carried), found[1])


def carried_by(constraints: Constraints, mate: str, force: Array) -> MateWrench:
    """What the forces (m,) of all rows are in one mate; nothing of a coupling, which acts at no one point."""
    second = {m.name: m.b.component for m in constraints.mechanism.assembly.mates}.get(mate)
    wrench = np.zeros(6)
    for block in (b for b in constraints.blocks.blocks if b.mate == mate and second is not None):
        unit = constraints.mechanism.units[str(second)]
        # A row's multiplier pulls its last end back along its direction.
        signs = [-1.0 if constraints.rows.ends[i][-1] == unit else 1.0 for i in block.rows]
        half = slice(3, 6) if block.turns else slice(0, 3)
        wrench[half] += (np.array(signs) * force[block.rows]) @ block.directions
    point = constraints.blocks.frames[mate].point
    return MateWrench(mate, _three(point), _three(wrench[:3]), _three(wrench[3:]))


def _three(v: Array) -> tuple[float, float, float]:
    x, y, z = (float(c) + 0.0 for c in v)
    return x, y, z
