"""What a run gives back: a status with advice, the trajectory, and what it cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.state import State

Array = NDArray[np.float64]


CODES = {
    "ok": "to the end",
    "event": "to an event that stops",
    "stopped": "should_stop or Ctrl-C",
    "inconsistent": "constraints or drivers contradict each other at the start",
    "inconsistent_rates": "so do the rates that they ask for",
    "singular": "no step keeps the constraints",
    "step_too_small": "no step is short enough for the tolerance",
    "too_many_steps": "so short that no end is in sight",
    "no_value": "a load's function of time is not defined",
    "load_failed": "a callback raised, or gave no forces",
    "no_convergence": "an implicit or fixed step, or an equilibrium, was not found",
    "parted": "of a change on the way: rows that do not hold at the pose",
    "impulse": "rates would have to jump",
    "freed": "what is left is no mechanism that can be computed",
}
"""How a run may end (`Status.code`)."""


@dataclass(frozen=True)
class Status:
    """How it ended. `code` is a word for programs; `advice` says what to do; `groups` are the worst constraints.

    Codes are those of `CODES`.
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
    """The event `name` occurred at time `t` (s) in `state`; `value` is that which its coordinate passed, if one did."""

    name: str
    t: float
    state: State
    value: float | None = None


class Dip(NamedTuple):
    """A minimum of the smallest pivot, as steps passed it: time (s) and pivot as estimated.

    `part`: what the lowest pivot at the end of a step is of the higher one beside it; `within` (s) the steps about it.
    """

    t: float
    pivot: float
    part: float
    within: tuple[float, float]


class Skipped(NamedTuple):
    """The largest speed of a vibration of stiff loads that generalised-α began without: over its tolerance (`part`),
    and with its unit. It dies out by `decay` (1/s) at least, `since` (s) the last such beginning."""

    part: float = 0.0
    speed: float = 0.0
    unit: str = "m/s"
    decay: float = 0.0
    since: float = 0.0


NOTHING_SKIPPED = Skipped()


@dataclass(frozen=True)
class Statistics:
    """Steps taken and thrown away, evaluations of accelerations, the shortest and longest step (s), seconds.

    `unsolved` of the evaluations left rows of constraints open by more than a thousandth. `within` is the largest error
    of a state within a step, over what the tolerances allow, as far as an acceleration more told it. `pivot` is the
    smallest pivot of the rows that close loops, over what it would be between free bodies, and `pivot_at` its time (s):
    towards 0 the rank changes, and which way the motion goes on may depend on the tolerance. `dips` are the lowest of
    its minima. `skipped` is what generalised-α began without.
    """

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    shortest: float = 0.0
    longest: float = 0.0
    seconds: float = 0.0
    unsolved: int = 0
    within: float = 0.0
    pivot: float = math.inf
    pivot_at: float = 0.0
    dips: tuple[Dip, ...] = ()
    skipped: Skipped = NOTHING_SKIPPED


@dataclass(frozen=True, eq=False)
class Result:
    """The status, all samples up to the end or the stop, the statistics, and the events in order of time."""

    status: Status
    trajectory: Trajectory
    statistics: Statistics
    events: tuple[Occurrence, ...] = ()
