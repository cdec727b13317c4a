"""Assembly: the state on the constraints that is nearest to a rough one in the norm of the masses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solver import rotation
from solver.analyses.minimal import displaced, mass_matrix, minimal
from solver.equations.projection import Projected, complete, project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.state import State

Array = NDArray[np.float64]

_MOST_STEPS_BACK = 100
"""Steps towards the rough state. Each is a Newton step of a distance that curves little, so that ten and a thousand
give the same poses to the digits that the tests ask for; a hundred bounds the time of one that only creeps."""


def assemble(model: Model | System, rough: State, tolerance: float = 1e-9) -> Projected:
    """Find the state on the constraints that is nearest to a rough one in the norm of the masses.

    Nearest: of least ½ Σ (m Δx² + θᵀ I θ), Δx and θ the travel and turn of each body. First any pose on the constraints
    is found (Newton); then the distance falls along the free motions until its gradient vanishes.

    Args:
        model: The model, or the `System` made of it.
        rough: Poses and velocities of all bodies, near to what is meant.
        tolerance: Where the way back along the free motions is shorter than this part of the model's length (rad of
            turns), the state is the nearest.

    Returns:
        The state with a status, which says what stays open, and by how much, where the constraints cannot all hold.

    Raises:
        ValueError: The model or the state cannot be computed: numbers that are not finite, bodies that do not exist,
            shapes that do not fit.
    """
    system = model if isinstance(model, System) else prepare(model)
    given = complete(system, rough)
    found = project(system, rough)
    if not found.status.ok:
        return found
    state = replace(found.state, velocities=np.zeros_like(given.velocities))
    # The norm is that of the rough pose throughout: one that turned with the pose would be another distance in each
    # round.
    M = mass_matrix(system, given)
    for _ in range(_MOST_STEPS_BACK):
        way = _way(given, state)
        at = minimal(system, state)
        # The part of the way back that the constraints allow.
        back = -at.basis @ (at.basis.T @ (M @ way))
        if np.max(np.abs(back), initial=0.0) < tolerance * system.length:
            break
        nearer = _nearer(system, state, given, M, back)
        if nearer is None:
            break
        state = nearer
    return project(system, replace(state, velocities=given.velocities))


def _nearer(system: System, state: State, given: State, M: Array, back: Array) -> State | None:
    """A step along `back`, halved until the distance falls; None where it does not."""
    before = _way(given, state)
    distance = before @ M @ before
    for k in range(12):
        tried = displaced(system, state, back * 0.5**k)
        way = _way(given, tried)
        if way @ M @ way < distance:
            return tried
    return None


def _way(start: State, end: State) -> Array:
    """[Δx; θ] (6n,) of all bodies from one state to the other."""
    turn = rotation.logarithm(rotation.multiply(end.quaternions, rotation.conjugate(start.quaternions)))
    return np.hstack([end.positions - start.positions, turn]).ravel()
