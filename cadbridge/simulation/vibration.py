"""How fast a mechanism vibrates or settles about the state in which a run begins.

Explicit methods must resolve it, even where no sample shows it: the number of steps is known before the first one.
The fastest motion is found by power iteration: the accelerations that a small displacement (or velocity) adds are the
next displacement. What is added by a displacement includes the pull of the joints, as in a string under load.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from solver.analyses.minimal import displaced, evenness, settled
from solver.equations.projection import drive_values
from solver.equations.system import System
from solver.state import State
from solver.steps.methods import slope_at

Array = NDArray[np.float64]

CHANGE = 1e-3
"""Displacement (rad, parts of the length) of bodies of one mass (`evenness`), to either side: the difference is off by
its square, 1e-6, and by rounding of 1e-11."""
POWER_ROUNDS = 5
"""Steps of the power iteration from a vector at random: the fastest swing stands out by the square of its frequency, so
that five give it to some per cent, which is all that the length of a first step takes."""


def fastest(system: System, state: State | None = None) -> tuple[float, float]:
    """The fastest vibration (rad/s), and the inverse of the least time constant (1/s), about a state taken at rest."""
    model = system.model
    at = state or State.at_rest(model.positions, model.quaternions)
    drive = drive_values(system, at.t)

    def moving(v: Array) -> State:
        return settled(system, replace(at, velocities=v.reshape(-1, 6)), drive)

    # A step into a pose that no rows hold gives no numbers, which `_gain` takes for none.
    with np.errstate(all="ignore"):
        swing = _gain(system, lambda x: displaced(system, at, x))
        return float(np.sqrt(swing)), _gain(system, moving)


def _gain(system: System, changed: Callable[[Array], State]) -> float:
    """The largest ratio of accelerations added to the change that adds them; 0 where it is no number."""
    step = CHANGE * evenness(system)
    scale = np.tile([1 / system.length] * 3 + [1.0] * 3, len(system.bodies.mass))
    change, gain = np.random.default_rng(0).standard_normal(len(scale)), 0.0
    for _ in range(POWER_ROUNDS):
        change *= step / np.abs(scale * change).max()
        here, there = (slope_at(system, changed(sign * change)).acceleration.ravel() for sign in (1.0, -1.0))
        added = (here - there) / 2
        gain = float(np.linalg.norm(scale * added) / np.linalg.norm(scale * change))
        if not 0.0 < gain < np.inf:
            return 0.0
        change = added
    return gain
