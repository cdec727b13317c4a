"""The integrators behind one interface: each tries a step and says how large its error was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from solver.dense import Slope
from solver.dynamics import accelerate, least_multipliers, observe
from solver.explicit import Pace, advance, march, settle
from solver.implicit import Alpha, alpha_coefficients, alpha_step
from solver.projection import drive_values
from solver.state import State
from solver.system import System
from solver.tableaus import Tableau, dop853, dopri5, rk4

Array = NDArray[np.float64]
Pair = tuple[float, float]

_MARCHED = 300
"""Steps of one call, where bodies are few; fewer for many: some tens of milliseconds, between which a run may stop."""


@dataclass(frozen=True)
class Method:
    """An integrator as data.

    `exponent` of the step's length over the scaled error; `extra` accelerations for states within a step
    (`solver.dense`); `adaptive`: whether it can control its error; a `scheme` (`solver.tableaus`), or `alpha`.
    """

    exponent: float
    extra: int
    adaptive: bool
    evaluations: int
    scheme: Callable[[], Tableau] | None = None
    alpha: Alpha | None = None

    @property
    def tableau(self) -> Tableau | None:
        """The coefficients of an explicit method."""
        return None if self.scheme is None else self.scheme()


RADIUS = 0.8
"""Spectral radius of generalised-α at infinite frequency."""

METHODS = {
    "dopri5": Method(1 / 5, 3, True, 6, scheme=dopri5),
    "dop853": Method(1 / 8, 3, True, 11, scheme=dop853),
    "rk4": Method(0.0, 0, False, 3, scheme=rk4),
    "generalized_alpha": Method(1 / 3, 0, True, 1, alpha=alpha_coefficients(RADIUS)),
}


@dataclass(frozen=True, eq=False)
class Attempt:
    """A step tried: its end, the work done up to there, error and movement of the projection over what is allowed.

    `residual` is what the projection left open. `memory` is the method's own, for the next step; `slope` belongs to
    the state where the method has computed it anyway.
    """

    state: State
    work: Array
    error: float
    moved: float
    residual: float
    memory: Array
    evaluations: int
    slope: Slope | None = None


def slope_at(system: System, state: State, drive: Array | None = None) -> Slope:
    """The accelerations at a state, and the multipliers of least norm."""
    slope = any_slope_at(system, state, drive)
    return replace(slope, multipliers=least(system, state, slope), repeated=False)


def any_slope_at(system: System, state: State, drive: Array | None = None) -> Slope:
    """As `slope_at`; the multipliers are any where rows repeat each other."""
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    drive = drive_values(system, state.t) if drive is None else drive
    arrays = (state.positions, state.quaternions, state.velocities, state.angles)
    return _slope_of(accelerate(T, K, B, F, W, *arrays, drive), drive)


def least(system: System, state: State, slope: Slope) -> Array:
    """The multipliers (m,) of least norm that do what those of a slope do."""
    if not slope.repeated:
        return slope.multipliers
    tables = (system.program.terms, system.schur, system.bodies, system.rows)
    place = (state.positions, state.quaternions, state.angles, slope.drive)
    return np.asarray(least_multipliers(*tables, *place, slope.multipliers))


def observed(system: System, state: State, slope: Slope) -> tuple[Array, Array, Array, Array, Array, float, float]:
    """Coordinates of the model, rates, accelerations (c,); scaled residuals (m,) twice; energies (J)."""
    T, B, F, W = system.program.terms, system.bodies, system.loads, system.rows
    arrays = (state.positions, state.quaternions, state.velocities, state.angles, slope.drive)
    count = len(system.program.coordinate_term)
    q, qd, qdd, *rest = observe(T, B, F, W, system.length, *arrays, slope.acceleration, count)
    c = len(system.model.coordinates)
    return (q[:c], qd[:c], qdd[:c], *rest)


@dataclass(frozen=True, eq=False)
class March:
    """Steps taken at once: where they ended, the length of the next, how many, the shortest and the longest (s)."""

    state: State
    slope: Slope
    work: Array
    h: float
    steps: int
    shortest: float
    longest: float


class Engine(Protocol):
    """How a run is computed: accelerations at a state, steps, and states put on the constraints."""

    @property
    def system(self) -> System:
        """The model in absolute coordinates, of which the run's samples are."""

    @property
    def extra(self) -> int:
        """Accelerations taken within a step for the states between its ends (`solver.dense`)."""

    def begin(self, state: State, slope: Slope) -> Array:
        """The memory of a step that ends in a state."""

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """The accelerations at a state, and multipliers: any where rows repeat each other (see `least`)."""

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Array, h: float, tolerances: tuple[float, float]
    ) -> Attempt:
        """A step of `h` (s) from a state with its slope and the work done up to it."""

    def settle(self, state: State, tolerances: tuple[float, float]) -> State:
        """A state within a step, put on the constraints."""


@dataclass(frozen=True, eq=False)
class Absolute:
    """The engine of absolute coordinates: every body's pose is integrated, and projected on all rows."""

    system: System
    method: Method

    @property
    def extra(self) -> int:
        """As the method says."""
        return self.method.extra

    def begin(self, state: State, slope: Slope) -> Array:
        """Of generalised-α: the algorithmic acceleration, and the accelerations a step before."""
        return np.stack([slope.acceleration] * 2)

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """See `any_slope_at`."""
        return any_slope_at(self.system, state, drive)

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Array, h: float, tolerances: tuple[float, float]
    ) -> Attempt:
        """See `Engine`."""
        tried = _explicit if self.method.scheme is not None else _implicit
        return tried(self.system, self.method, state, slope, work, memory, h, tolerances)

    @property
    def marches(self) -> bool:
        """Whether many steps can be taken in one call: no functions of time, of Python, within them."""
        return self.method.scheme is not None and not self.system.drives

    def march(
        self, state: State, slope: Slope, work: Array, pace: Pace, until: float, end: float, tolerances: Pair
    ) -> March:
        """Steps taken in one call, up to the first that ends beyond `until` (s) or needs a closer look."""
        s, n = self.system, len(state.positions)
        T, K, B, F, W = s.program.terms, s.plan, s.bodies, s.loads, s.rows
        tableau = self.method.tableau
        assert tableau is not None
        place = (state.positions, state.quaternions, state.velocities, state.angles)
        begin = (slope.acceleration, slope.multipliers, slope.turning, slope.power, slope.repeated)
        drives, most = np.empty((len(tableau.nodes), 0, 3)), max(1, 10 * _MARCHED // (10 + n))
        found, done, last, t, h, steps, shortest, longest = march(
            T, K, B, F, W, s.length, tableau, pace, state.t, until, end, place, work, begin, drives, most, *tolerances
        )
        return March(State(t, *found), _slope_of(last, slope.drive), done, h, steps, shortest, longest)

    def settle(self, state: State, tolerances: tuple[float, float]) -> State:
        """See `Engine`."""
        system = self.system
        T, K, B, W = system.program.terms, system.plan, system.bodies, system.rows
        arrays = [np.ascontiguousarray(a) for a in (state.positions, state.quaternions, state.velocities, state.angles)]
        settle(T, K, B, W, system.length, *arrays, drive_values(system, state.t), *tolerances)
        return State(state.t, *arrays)


def _explicit(
    system: System,
    method: Method,
    state: State,
    slope: Slope,
    work: Array,
    memory: Array,
    h: float,
    tolerances: tuple[float, float],
) -> Attempt:
    T, K, B, F, W = system.program.terms, system.plan, system.bodies, system.loads, system.rows
    tableau = method.tableau
    assert tableau is not None
    drives = np.array([drive_values(system, state.t + c * h) for c in tableau.nodes])
    end = drives[-1] if tableau.nodes[-1] == 1.0 else drive_values(system, state.t + h)
    arrays = (state.positions, state.quaternions, state.velocities, state.angles)
    begin = (slope.acceleration, slope.turning, slope.power)
    x, q, v, angles, done, error, moved, residual, end_slope = advance(
        T, K, B, F, W, system.length, tableau, h, *arrays, work, begin, drives, end, *tolerances
    )
    fine = bool(np.all(np.isfinite(v))) and np.isfinite(residual)
    found = State(state.t + h, x, q, v, angles) if fine else state
    error = float(error) if fine else np.inf
    last = _slope_of(end_slope, end) if error <= 1.0 else None
    return Attempt(found, done, error, float(moved), float(residual), memory, method.evaluations, last)


def _slope_of(accelerated: tuple[Array, Array, Array, Array, bool], drive: Array) -> Slope:
    """What `accelerate` gave, as a slope."""
    acceleration, multipliers, turning, power, repeated = accelerated
    return Slope(acceleration, turning, power, multipliers, drive, repeated)


def _implicit(
    system: System,
    method: Method,
    state: State,
    slope: Slope,
    work: Array,
    memory: Array,
    h: float,
    tolerances: tuple[float, float],
) -> Attempt:
    T, K, B, F = system.program.terms, system.plan, system.bodies, system.loads
    # The rows' compliance is the step's own: it is written into a copy.
    rows = system.rows._replace(compliance=system.rows.compliance.copy())
    first, tangents = system.soft
    drive = drive_values(system, state.t + h)
    arrays = (state.positions, state.quaternions, state.velocities, state.angles)
    begin = (slope.acceleration, slope.turning)
    x, q, v, angles, kept, error, residual, rounds, end_slope = alpha_step(
        T, K, B, F, rows, system.length, method.alpha, h, *arrays, begin, memory, drive, first, tangents, *tolerances
    )
    found = State(state.t + h, x, q, v, angles)
    if not (np.all(np.isfinite(v)) and np.isfinite(residual)):
        return Attempt(state, np.zeros(0), np.inf, 0.0, np.inf, memory, rounds + 1)
    end = _slope_of(end_slope, drive)
    done = work + h * (slope.power + end.power) / 2
    return Attempt(found, done, float(error), 0.0, float(residual), kept, rounds + 1, end)
