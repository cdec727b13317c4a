"""Static equilibrium: the pose near a given one at which nothing accelerates."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from solver.analyses.linear import stiffness
from solver.analyses.minimal import Minimal, displaced, minimal
from solver.equations.projection import project
from solver.equations.system import System, prepare
from solver.model import Model
from solver.result import Status
from solver.state import State
from solver.steps.methods import slope_at

Array = NDArray[np.float64]

_MOST_ROUNDS = 200
"""Newton's rounds; the tests' pendulums, springs and loops end within twenty. Where the stiffness is shifted the way
shrinks by a part of itself only, and a round moves bodies by no more than `_REACH`: the rest is for these. A load that
drives round ends here."""
_REACH = 0.3
"""A round moves no body by more than so many rad, or parts of the model's length: within it a quadratic potential is
near that of a pendulum (1 − cos 0.3 differs from 0.3²/2 by 0.8 %). A longer round may step over the equilibrium nearby.
"""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A static equilibrium, or how near to one the search came.

    Attributes:
        status: Whether it was found.
        state: The pose, at rest.
        multipliers: λ of the constraints and drivers (m,), with Ĝᵀλ = f.
        stable: Whether the stiffness has no negative eigenvalue.
        unbalanced: The largest acceleration left, m/s² or rad/s².
    """

    status: Status
    state: State
    multipliers: Array
    stable: bool
    unbalanced: float


def equilibrium(model: Model | System, state: State | None = None, tolerance: float = 1e-9) -> Equilibrium:
    """Find the static equilibrium near a state, with drivers held at their values.

    Newton's method on the minimal coordinates, led downhill where the stiffness is not positive (K is shifted, as an
    implicit step in time would do), so that it ends in a stable pose unless it starts in an unstable one.

    Args:
        model: The model, or the `System` made of it.
        state: Where to begin; None takes the reference pose.
        tolerance: The largest acceleration that may be left, m/s² and rad/s².

    Returns:
        The pose and whether it is stable. Not finding one is a status ("no_convergence"), no error.

    Raises:
        ValueError: The model cannot be computed, such as one with a freedom that has no inertia.
    """
    system = model if isinstance(model, System) else prepare(model)
    start = project(system, state or State.at_rest(system.model.positions, system.model.quaternions))
    at = minimal(system, start.state)
    last = np.inf
    K = np.zeros((0, 0))
    for _ in range(_MOST_ROUNDS):
        a = at.acceleration(at.state)
        last = float(np.max(np.abs(at.basis @ a), initial=0.0))
        K = stiffness(at)
        if last <= tolerance or not np.isfinite(last):
            break
        found = _round(at, a, K)
        if found is None:
            break
        at = minimal(system, found)
    lowest = float(np.linalg.eigvalsh((K + K.T) / 2).min()) if K.size else np.inf
    slope = slope_at(system, at.state)
    status = start.status if not start.status.ok else _status(last, tolerance)
    m = system.constraint_rows
    return Equilibrium(
        # Of the largest entry: an eigenvalue so little below 0 is one of 0, as of a freedom that nothing holds.
        status,
        at.state,
        slope.multipliers[:m],
        lowest > -1e-6 * max(1.0, abs(K).max(initial=0.0)),
        last,
    )


def _round(at: Minimal, a: Array, K: Array) -> State | None:
    """One shifted Newton step, shortened to its reach; None where it does not move any more."""
    S = (K + K.T) / 2
    values = np.linalg.eigvalsh(S)
    size = float(np.max(np.abs(values)))
    # Downhill where the potential curves down; without curvature at all, as far as the reach allows.
    shift = max(0.0, -1.5 * float(values[0])) + 1e-9 * max(size, 1e-9)
    step = at.basis @ np.linalg.solve(K + shift * np.eye(at.dof), a)
    scale = np.tile([1 / at.system.length] * 3 + [1.0] * 3, len(at.state.positions))
    far = float(np.max(np.abs(scale * step)))
    # In lengths of the model and rad: a step below the rounding of a pose moves nothing.
    if not np.isfinite(far) or far < 1e-16:
        return None
    found = displaced(at.system, at.state, step * min(1.0, _REACH / far))
    return replace(found, velocities=np.zeros_like(found.velocities))


def _status(left: float, tolerance: float) -> Status:
    if left <= tolerance:
        return Status(True, "ok", f"in equilibrium to {left:.2g} m/s² or rad/s²", "")
    return Status(
        False,
        "no_convergence",
        f"no equilibrium was found near the pose given: {left:.3g} m/s² or rad/s² are left",
        "Start nearer to it; a mechanism that a constant load drives round has none.",
    )
