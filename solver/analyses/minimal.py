"""Minimal coordinates at a pose: the motions that all rows leave free, orthonormal in the mass."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.algebra.rank import null_space
from solver.constraints.evaluation import evaluate_program
from solver.equations.projection import drive_values, project_positions, project_velocities
from solver.equations.system import ROTOR, System
from solver.state import State
from solver.steps.methods import slope_at

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Minimal:
    """At `state`: motions `basis` (6n, dof) with Nᵀ M N = 1, v = N ξ̇; `mass` M (6n, 6n), armatures included."""

    system: System
    state: State
    basis: Array
    mass: Array

    @property
    def dof(self) -> int:
        """Freedoms that constraints and drivers leave."""
        return int(self.basis.shape[1])

    def reduced(self, motion: Array) -> Array:
        """The part ξ (dof,) of a motion (n, 6) or (6n,) along the basis."""
        return np.asarray(self.basis.T @ (self.mass @ np.ravel(motion)))

    def moved(self, xi: Array) -> State:
        """The state moved by ξ (dof,) and put back on the constraints, at rest."""
        return displaced(self.system, self.state, self.basis @ xi)

    def acceleration(self, state: State) -> Array:
        """ξ̈ (dof,) that the equations of motion give at a state nearby."""
        return self.reduced(slope_at(self.system, state).acceleration)


def jacobian(system: System, state: State) -> tuple[Array, Array]:
    """Ĝ of constraints and drivers (m, 6n), and the gradients of the rotors' coordinates (r, 6n)."""
    G = evaluate_program(system.program, state.positions, state.quaternions, None, state.angles).G
    rotor = system.rows.kind == ROTOR
    return G[~rotor], G[rotor]


def mass_matrix(system: System, state: State, *, lent: bool = False) -> Array:
    """M (6n, 6n) in world axes, with the armatures.

    `lent`: with what is added to bodies that lack mass or inertia (`solver.equations.massless`), so that M⁻¹ exists.
    """
    n = len(state.positions)
    M = np.zeros((n, 6, n, 6))
    B = system.bodies
    mass, inertia = (B.mass + B.added_mass, B.inertia + B.added_inertia) if lent else (B.mass, B.inertia)
    R = rotation.matrix(state.quaternions) if n else np.zeros((0, 3, 3))
    i = np.arange(n)
    for j in range(3):
        M[i, j, i, j] = mass
    M[i, 3:, i, 3:] = R @ inertia @ np.swapaxes(R, 1, 2)
    flat = M.reshape(6 * n, 6 * n)
    along = jacobian(system, state)[1]
    if len(along):
        armature = 1 / system.rows.compliance[system.rows.kind == ROTOR]
        flat = flat + along.T @ (armature[:, None] * along)
    return flat


def minimal(system: System, state: State) -> Minimal:
    """The minimal coordinates at a state on the constraints. ValueError where a freedom has no inertia."""
    N = null_space(jacobian(system, state)[0], system.length)
    M = mass_matrix(system, state)
    reduced = N.T @ M @ N
    values = np.linalg.eigvalsh(reduced) if N.shape[1] else np.ones(1)
    # A freedom without inertia has one of rounding, some 1e-16 of the largest. A pin of 10 g and 4 mm that turns in a
    # crane of 10 t and 10 m has 1e-13.
    if values[0] <= 1e-14 * values[-1]:
        raise ValueError("a freedom of the model has no inertia")
    if N.shape[1]:
        # With NᵀMN = L Lᵀ the basis N L⁻ᵀ has (N L⁻ᵀ)ᵀ M N L⁻ᵀ = 1.
        N = np.linalg.solve(np.linalg.cholesky(reduced), N.T).T
    return Minimal(system, replace(state, velocities=np.zeros_like(state.velocities)), N, M)


def evenness(system: System) -> float:
    """√(m/M) of the lightest body with mass and the heaviest: 1 where all are alike.

    A displacement of a light body lifts a heavy one that hangs on it by its square: one that is small for the motion of
    the light body is smaller by this factor.
    """
    mass = system.bodies.mass[system.bodies.mass > 0.0]
    return float(np.sqrt(mass.min() / mass.max())) if len(mass) else 1.0


def displaced(system: System, state: State, motion: Array) -> State:
    """A state moved by [Δx; θ] (6n,) of all bodies and put back on the constraints, at rest."""
    by = np.reshape(motion, (-1, 6))
    q = rotation.turned(state.quaternions, by[:, 3:]) if len(by) else state.quaternions
    moved = replace(state, positions=state.positions + by[:, :3], quaternions=q)
    return settled(system, replace(moved, velocities=np.zeros_like(state.velocities)), drive_values(system, state.t))


def settled(system: System, state: State, drive: Array, iterations: int = 30) -> State:
    """The state put on the constraints, where the functions of time have the values `drive` (rows, 3)."""
    T, S, B, W = system.program.terms, system.schur, system.bodies, system.rows
    angles = np.zeros(system.program.angle_count) if state.angles is None else state.angles.copy()
    x, q, v = state.positions.copy(), state.quaternions.copy(), state.velocities.copy()
    project_positions(T, S, B, W, system.length, x, q, angles, drive, iterations)
    project_velocities(T, S, B, W, system.length, x, q, v, angles, drive)
    return State(state.t, x, q, v, angles)
