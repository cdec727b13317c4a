"""What a run gives back: a status with advice, the trajectory, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solver.state import State

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Status:
    """How it ended. `code` is a word for programs; `advice` says what to do; `groups` are the worst constraints.

    Codes: ok, stopped (should_stop or Ctrl-C), inconsistent and inconsistent_rates (constraints contradict
    each other), step_too_small, too_many_steps (so short that no end is in sight), singular (projection moves more
    than the error allows), no_value (a load's function of time is not defined), load_failed (a callback raised, or
    gave no forces), event (an event that stops occurred), no_convergence (an implicit step, or an equilibrium, was not
    found); of changes on the way: parted, impulse, freed (see `solver.changing`).
    """

    ok: bool
    code: str
    message: str
    advice: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Trajectory:
    """k samples of n bodies, m rows (primitives, then drivers) and c coordinates; SI, world axes.

    t (k,), positions (k, n, 3), quaternions (k, n, 4; w first), velocities and accelerations (k, n, 6; [v; ω] and
    their rates), angles (k, na), multipliers (k, m; M v̇ + Ĝᵀλ = f), coordinates, coordinate_rates,
    coordinate_accelerations (k, c), constraint_position and constraint_velocity (k,; largest scaled
    residual), kinetic, potential, motor_work, dissipated (k,; J).
    """

    t: Array
    positions: Array
    quaternions: Array
    velocities: Array
    accelerations: Array
    angles: Array
    multipliers: Array
    coordinates: Array
    coordinate_rates: Array
    coordinate_accelerations: Array
    constraint_position: Array
    constraint_velocity: Array
    kinetic: Array
    potential: Array
    motor_work: Array
    dissipated: Array


@dataclass(frozen=True, eq=False)
class Occurrence:
    """The event `name` occurred at time `t` (s) in `state`."""

    name: str
    t: float
    state: State


@dataclass(frozen=True)
class Statistics:
    """Steps taken and thrown away, evaluations of accelerations, the shortest and longest step (s), seconds."""

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    shortest: float = 0.0
    longest: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Result:
    """The status, all samples up to the end or the stop, the statistics, and the events in order of time."""

    status: Status
    trajectory: Trajectory
    statistics: Statistics
    events: tuple[Occurrence, ...] = ()
