"""Linearisation on minimal coordinates: eigenfrequencies, damping and mode shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solver.analyses.minimal import Minimal, evenness, minimal, settled
from solver.equations.projection import drive_values, project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Status
from solver.state import State

Array = NDArray[np.float64]

_STEP = 2e-3
"""Step of the differences of bodies of one mass, rad and parts of the model's length. Of order four their error goes
with its fourth power, 1.6e-11, and the rounding of accelerations (1e-14) over it is 5e-12: ten times longer the error
is 1e-7, ten times shorter the rounding ten times as much."""
_CENTRAL_DIFFERENCE = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))
"""Places (in steps) and weights of the first derivative by the central difference of order four on five points."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Small motions ξ̈ + C ξ̇ + K ξ = a₀ about a state at rest, v = N ξ̇ with Nᵀ M N = 1.

    Attributes:
        status: Whether the state lies on the constraints.
        state: The state, at rest.
        stiffness: K (dof, dof); not symmetric where loads are not conservative.
        damping: C (dof, dof).
        basis: N (6n, dof): [v; ω] of all bodies for each ξ̇.
        eigenvalues: λ (2 dof,), complex, 1/s, by their size, then imaginary part.
        frequencies: `|λ|/2π` (2 dof,) Hz.
        ratios: Damping ratios `−Re λ/|λ|` (2 dof,): 1 for a motion that does not swing, NaN for λ = 0.
        shapes: [v; ω] of all bodies (6n, 2 dof), complex, the largest component of each being 1.
        unbalanced: The largest acceleration of the state itself, m/s² and rad/s²: 0 where it is an equilibrium.
    """

    status: Status
    state: State
    stiffness: Array
    damping: Array
    basis: Array
    eigenvalues: NDArray[np.complex128]
    frequencies: Array
    ratios: Array
    shapes: NDArray[np.complex128]
    unbalanced: float


def linearise(model: Model | System, state: State | None = None) -> Linearisation:
    """Linearise a model about a state at rest: stiffness, damping, frequencies and mode shapes.

    K and C come of central differences of order four on minimal coordinates ξ, scaled so that their mass matrix is 1.

    Args:
        model: The model, or the `System` made of it.
        state: The state, which is put on the constraints and taken at rest; None takes the reference pose.

    Returns:
        Matrices, eigenvalues and shapes, and how far the state is from an equilibrium.

    Raises:
        ValueError: A freedom has no inertia.
    """
    system = model if isinstance(model, System) else prepare(model)
    start = project(system, state or State.at_rest(system.model.positions, system.model.quaternions))
    at = minimal(system, start.state)
    K, C = stiffness(at), -_difference(at, _moving)
    dof = at.dof
    matrix = np.block([[np.zeros((dof, dof)), np.eye(dof)], [-K, -C]])
    values, vectors = np.linalg.eig(matrix)
    # Rounded, as the two of a conjugate pair differ by rounding in size and would be torn apart or change places.
    order = np.lexsort((np.round(values.imag, 9), np.round(np.abs(values), 9)))
    values, vectors = values[order], vectors[:, order]
    shapes = at.basis @ vectors[:dof]
    size = np.abs(values)
    largest = np.take_along_axis(shapes, np.argmax(np.abs(shapes), axis=0)[None], axis=0) if dof else 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = np.where(size > 0, -values.real / size, np.nan)
    return Linearisation(
        status=start.status,
        state=at.state,
        stiffness=K,
        damping=C,
        basis=at.basis,
        eigenvalues=values.astype(complex),
        frequencies=size / (2 * np.pi),
        ratios=ratios,
        shapes=(shapes / largest).astype(complex),
        unbalanced=float(np.max(np.abs(at.basis @ at.acceleration(at.state)), initial=0.0)),
    )


def stiffness(at: Minimal) -> Array:
    """K (dof, dof) = −∂ξ̈/∂ξ at rest."""
    return -_difference(at, Minimal.moved)


def _moving(at: Minimal, rate: Array) -> State:
    """The state with velocities N ξ̇."""
    v = (at.basis @ rate).reshape(-1, 6)
    return settled(at.system, replace(at.state, velocities=v), drive_values(at.system, at.state.t))


def _difference(at: Minimal, change: Callable[[Minimal, Array], State]) -> Array:
    """∂ξ̈/∂ξ (dof, dof), where `change(at, ξ)` is the state at ξ; central differences of order four."""
    result = np.zeros((at.dof, at.dof))
    scale = np.tile([1 / at.system.length] * 3 + [1.0] * 3, len(at.state.positions))
    for k in range(at.dof):
        step = _STEP * evenness(at.system) / float(np.max(np.abs(scale * at.basis[:, k])))
        for places, weight in _CENTRAL_DIFFERENCE:
            xi = np.zeros(at.dof)
            xi[k] = places * step
            result[:, k] += weight / step * at.acceleration(change(at, xi))
    return result
