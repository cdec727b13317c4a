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
    "missed": "efforts or rates found that are not those of the motion asked for",
    "freed": "what is left is not a mechanism that can be computed",
}
"""How a run may end (`Status.code`)."""


@dataclass(frozen=True)
class Status:
    """How a run or an analysis ended.

    Attributes:
        ok: Whether it came to the end that was asked for.
        code: A word for programs, one of `CODES`.
        message: Where and when, in words.
        advice: What to do about it; "" where it is ok.
        groups: The groups of the constraints that are worst off.
    """

    ok: bool
    code: str
    message: str
    advice: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Samples of a run: k of n bodies, m rows (primitives, then drivers) and c coordinates; SI, the world's axes.

    Attributes:
        t: Time (k,) s.
        positions: Of the bodies' centres of mass (k, n, 3) m.
        quaternions: Orientations of the bodies (k, n, 4), w first.
        velocities: [v; ω] of the bodies (k, n, 6) m/s, rad/s.
        accelerations: Their rates (k, n, 6) m/s², rad/s².
        angles: Integrated angles of gears and of coordinates that turn (k, na) rad.
        multipliers: λ of the rows (k, m), with M v̇ + Ĝᵀλ = f.
        coordinates: Values of the model's coordinates (k, c) rad or m.
        coordinate_rates: Their rates (k, c).
        coordinate_accelerations: Their second derivatives (k, c).
        constraint_position: The largest scaled residual of positions (k,).
        constraint_velocity: The largest scaled residual of velocities (k,).
        kinetic: Kinetic energy (k,) J.
        potential: Energy of gravity and of what springs, bushings and stops hold (k,) J.
        motor_work: What motors, supplies, wrenches and Python functions have given since the start (k,) J.
        dissipated: What dampers, friction, stops, teeth and resistances have taken since the start (k,) J.
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

    def state(self, k: int) -> State:
        """Give the state of a sample.

        Args:
            k: Which sample; negative from the end.

        Returns:
            Time, poses, velocities and angles there.
        """
        return State(float(self.t[k]), self.positions[k], self.quaternions[k], self.velocities[k], self.angles[k])


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that occurred.

    Attributes:
        name: The event's name.
        t: When, s.
        state: The state then.
        value: What its coordinate passed, rad or m; None where it is a change of the model.
    """

    name: str
    t: float
    state: State
    value: float | None = None


class Dip(NamedTuple):
    """A minimum of the smallest pivot, as steps passed it.

    Attributes:
        t: When, s.
        pivot: The pivot as estimated.
        part: What the lowest pivot at the end of a step is of the higher one beside it.
        within: The steps about it, s.
    """

    t: float
    pivot: float
    part: float
    within: tuple[float, float]


class Skipped(NamedTuple):
    """The largest speed of a vibration of stiff loads that generalised-α began without.

    Attributes:
        part: The speed over its tolerance.
        speed: The speed, in `unit`.
        unit: "m/s" or "rad/s".
        decay: It dies out by this at least, 1/s.
        since: When the last such beginning was, s.
    """

    part: float = 0.0
    speed: float = 0.0
    unit: str = "m/s"
    decay: float = 0.0
    since: float = 0.0


NOTHING_SKIPPED = Skipped()


@dataclass(frozen=True)
class Statistics:
    """What a run cost, and how far it can be believed.

    Attributes:
        steps: Steps taken.
        rejected: Steps thrown away.
        evaluations: How often accelerations were computed.
        shortest: The shortest step, s.
        longest: The longest step, s.
        seconds: Time that it took, s.
        unsolved: Evaluations that left rows of constraints open by more than a thousandth.
        within: The largest error of a state within a step over what the tolerances allow, as far as an acceleration
            more told it.
        pivot: The smallest pivot of the rows that close loops over what it would be between free bodies: towards 0 the
            rank changes, and which way the motion goes on may depend on the tolerance.
        pivot_at: When that was, s.
        dips: The lowest of its minima.
        skipped: What generalised-α began without.
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
    """What a run gives back.

    Attributes:
        status: How it ended.
        trajectory: All samples up to the end or the stop.
        statistics: What it cost.
        events: What occurred, in order of time.
    """

    status: Status
    trajectory: Trajectory
    statistics: Statistics
    events: tuple[Occurrence, ...] = ()
