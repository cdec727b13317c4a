"""Which reactions a rigid model determines once the actuators hold (Wojtyra & Frączek)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cadbridge.lowering import Lowered
from cadbridge.simulation.trajectory import joint_bearer
from solver.algebra.rank import left_null_space
from solver.analyses.minimal import jacobian
from solver.equations.system import System
from solver.result import Trajectory
from solver.rotation import matrix
from solver.state import State

Array = NDArray[np.float64]

_ARTEFACT = 1e-7


def determined(lowered: Lowered, system: System, T: Trajectory) -> dict[str, tuple[bool, bool]]:
    """For each joint and gear whether its force and its torque are determined, at all of three poses of the motion.

    With the self-stresses N of constraints, those of group A are undetermined where Ĝ_Aᵀ N_A ≠ 0. Actuators are no
    part of it: efforts of spare ones are settled by least norm.
    """
    found: dict[str, tuple[bool, bool]] = {}
    for k in sorted({0, len(T.t) // 2, len(T.t) - 1}):
        state = State(float(T.t[k]), T.positions[k], T.quaternions[k], T.velocities[k], T.angles[k])
        for name, (force, torque) in _at(lowered, system, state).items():
            before = found.get(name, (True, True))
            found[name] = (before[0] and force, before[1] and torque)
    return found


def _at(lowered: Lowered, system: System, state: State) -> dict[str, tuple[bool, bool]]:
    """A joint's wrench is looked at about its origin, a gear's about the centre of its body b."""
    G = jacobian(system, state)[0]
    N = left_null_space(G, system.length)
    N = np.linalg.qr(N)[0] if N.shape[1] else N
    origins = {j.name: joint_bearer(lowered, j)[:2] for j in lowered.mechanism.joints}
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(system.row_group[: len(G)]):
        groups.setdefault(name, []).append(row)
    found = {}
    for name, rows in groups.items():
        wrench = (G[rows].T @ N[rows]).reshape(G.shape[1] // 6, 6, N.shape[1])
        if name in origins:
            body, lever = origins[name]
            arm = np.asarray(matrix(state.quaternions[body])) @ lever
            wrench = wrench[body : body + 1].copy()
            wrench[:, 3:] -= np.cross(arm, wrench[:, :3], axisb=1, axisc=1)
        force = bool(np.max(np.abs(wrench[:, :3]), initial=0.0) < _ARTEFACT)
        torque = bool(np.max(np.abs(wrench[:, 3:]), initial=0.0) < _ARTEFACT * system.length)
        found[name] = (force, torque)
    return found
