"""The integrators behind one interface: each tries a step and says how large its error was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solver.equations.evaluator import evaluator, least_norm, observer
from solver.equations.projection import drive_values
from solver.equations.system import System
from solver.equations.workspace import Workspace
from solver.state import State
from solver.steps.dense import Slope
from solver.steps.explicit import Steps, attempt, make_steps, settle
from solver.steps.implicit import Alpha, Implicit, Memory, alpha_attempt, alpha_coefficients, make_implicit
from solver.steps.samples import Within, make_within
from solver.steps.tableaus import Tableau, dop853, dopri5, rk4

Array = NDArray[np.float64]
Pair = tuple[float, float]
Remembered = Array | Memory | None
"""What a method keeps from step to step, its own affair: generalised-α's `Memory`, the coordinates of a tree."""


@dataclass(frozen=True)
class Method:
    """An integrator as data.

    `exponent` of the step's length over the scaled error; `extra` accelerations for states within a step
    (`dense`); `adaptive`: whether it can control its error; a `scheme` (`tableaus`), or `alpha`.
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
    memory: Remembered
    evaluations: int
    slope: Slope | None = None


def slope_at(system: System, state: State, drive: Array | None = None) -> Slope:
    """The accelerations at a state, and the multipliers of least norm."""
    slope = any_slope_at(system, state, drive)
    return replace(slope, multipliers=least(system, state, slope), repeated=False)


def any_slope_at(system: System, state: State, drive: Array | None = None) -> Slope:
    """As `slope_at`; the multipliers are any where rows repeat each other."""
    drive = drive_values(system, state.t) if drive is None else drive
    evaluate = evaluator(system)
    repeated = evaluate(state, drive)
    return _slope_in(evaluate.workspace, evaluate.multipliers, drive, repeated)


def least(system: System, state: State, slope: Slope) -> Array:
    """The multipliers (m,) of least norm that do what those of a slope do."""
    if not slope.repeated:
        return slope.multipliers
    return least_norm(system)(state, slope.drive, slope.multipliers)


def observed(system: System, state: State, slope: Slope) -> tuple[Array, Array, Array, Array, Array, float, float]:
    """Coordinates of the model, rates, accelerations (c,); scaled residuals (m,) twice; energies (J)."""
    found = observer(system)(state, slope.drive, slope.acceleration)
    q, qd, qdd, first, second, kinetic, potential = found
    c = len(system.model.coordinates)
    return q[:c], qd[:c], qdd[:c], first, second, kinetic, potential


class Engine(Protocol):
    """How a run is computed: accelerations at a state, steps, and states put on the constraints."""

    @property
    def system(self) -> System:
        """The model in absolute coordinates, of which the run's samples are."""

    @property
    def extra(self) -> int:
        """Accelerations taken within a step for the states between its ends (`solver.steps.dense`)."""

    @property
    def unsolved(self) -> float:
        """How many accelerations so far do not meet the constraints (`solver.sweeps.response`)."""

    def begin(self, state: State, slope: Slope) -> Remembered:
        """The memory of a method that has one, where nothing is known of the steps before."""

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """The accelerations at a state, and multipliers: any where rows repeat each other (see `least`)."""

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Remembered, h: float, tolerances: Pair
    ) -> Attempt:
        """A step of `h` (s) from a state with its slope and the work done up to it."""

    def settle(self, state: State, tolerances: Pair) -> State:
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

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """What kernels compute with: the tables of the system, its length, and a workspace of this engine's own."""
        s = self.system
        return (s.program.terms, s.plan, s.bodies, s.loads, s.rows, s.length, s.workspace())

    @property
    def unsolved(self) -> float:
        """See `Engine`."""
        return float(self.tables[-1].sweeps.unsolved[0])

    @cached_property
    def steps(self) -> Steps:
        """The workspace for steps."""
        s, tableau = self.system, self.method.tableau
        stages = 0 if tableau is None else len(tableau.nodes)
        return make_steps(stages, s.program.bodies, s.program.angle_count, len(s.drives) + 1, s.program.rows)

    @cached_property
    def implicit(self) -> Implicit:
        """What generalised-α computes with."""
        return make_implicit(self.steps, self.method.alpha, self.system.soft)

    @cached_property
    def within(self) -> Within:
        """The workspace for states within a step of an explicit method."""
        return make_within(self.system, self.method.extra)

    def begin(self, state: State, slope: Slope) -> Memory | None:
        """See `Engine`."""
        return self.begin_at(slope.acceleration)

    def begin_at(self, a: Array) -> Memory | None:
        """As `begin`, for the accelerations (n, 6) there."""
        return None if self.method.alpha is None else Memory(a.copy(), a.copy(), a.copy(), np.zeros(2), np.ones(1))

    def slope(self, state: State, drive: Array | None = None) -> Slope:
        """See `any_slope_at`."""
        return any_slope_at(self.system, state, drive)

    def attempt(
        self, state: State, slope: Slope, work: Array, memory: Remembered, h: float, tolerances: Pair
    ) -> Attempt:
        """See `Engine`."""
        if not isinstance(memory, Memory):
            return self._explicit(state, slope, work, h, tolerances)
        return self._implicit(state, slope, work, memory, h, tolerances)

    def settle(self, state: State, tolerances: Pair) -> State:
        """See `Engine`."""
        arrays = _copied(_place(state))
        before = (np.empty_like(arrays[0]), np.empty_like(arrays[1]))
        settle(self.tables, before, arrays, drive_values(self.system, state.t), tolerances)
        return State(state.t, *arrays)

    def _explicit(self, state: State, slope: Slope, work: Array, h: float, tolerances: Pair) -> Attempt:
        steps, tableau = self.steps, self.method.tableau
        assert tableau is not None
        nodes = [state.t + c * h for c in tableau.nodes]
        drives = np.array([drive_values(self.system, t) for t in nodes])
        end = drives[-1] if tableau.nodes[-1] == 1.0 else drive_values(self.system, state.t + h)
        begin = (_place(state), work, _start(slope), drives, end)
        error, moved, residual, repeated = attempt(self.tables, steps, tableau, h, *begin, tolerances)
        evaluations = self.method.evaluations
        if not error <= 1.0:
            return Attempt(state, work, float(error), 0.0, 0.0, None, evaluations)
        if not (np.all(np.isfinite(steps.v)) and np.isfinite(residual)):
            return Attempt(state, work, np.inf, 0.0, 0.0, None, evaluations)
        found = State(state.t + h, *_copied((steps.x, steps.q, steps.v, steps.angles)))
        last = _slope_in(self.tables[-1], steps.multipliers, end, repeated)
        return Attempt(found, steps.work.copy(), float(error), float(moved), float(residual), None, evaluations, last)

    def _implicit(self, state: State, slope: Slope, work: Array, memory: Memory, h: float, tolerances: Pair) -> Attempt:
        guess, alpha, _, soft = self.implicit
        drive = drive_values(self.system, state.t + h)
        begin = (_place(state), _start(slope), memory, drive, soft)
        error, residual, rounds, repeated = alpha_attempt(self.tables, guess, alpha, h, *begin, tolerances)
        if not (np.isfinite(error) and np.all(np.isfinite(guess.v)) and np.isfinite(residual)):
            return Attempt(state, work, np.inf, 0.0, np.inf, memory, rounds + 1)
        found = State(state.t + h, *_copied((guess.x, guess.q, guess.v, guess.angles)))
        last = _slope_in(self.tables[-1], guess.multipliers, drive, repeated)
        kept = Memory(guess.own.copy(), slope.acceleration, memory.once, np.array([h, memory.spans[0]]), memory.shrink)
        done = work + h * (slope.power + last.power) / 2
        return Attempt(found, done, float(error), 0.0, float(residual), kept, rounds + 1, last)


def _place(state: State) -> tuple[Array, Array, Array, Array]:
    """x, q, v and angles of a complete state."""
    assert state.angles is not None
    return state.positions, state.quaternions, state.velocities, state.angles


def _start(slope: Slope) -> tuple[Array, Array, Array]:
    """v̇, α̇ and the power of each load."""
    return slope.acceleration, slope.turning, slope.power


def _copied(arrays: Sequence[Array]) -> tuple[Array, ...]:
    return tuple(np.array(a, order="C") for a in arrays)


def _slope_in(workspace: Workspace, multipliers: Array, drive: Array, repeated: bool) -> Slope:
    """What the last evaluation left in a workspace."""
    arrays = (workspace.acceleration.copy(), workspace.turning.copy(), workspace.power.copy(), multipliers.copy())
    return Slope(*arrays, drive, repeated)
