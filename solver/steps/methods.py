"""The integrators as data, what they compute with, and accelerations at a state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver.equations.evaluator import evaluator, least_norm, observer
from solver.equations.projection import drive_values
from solver.equations.system import System
from solver.equations.workspace import Workspace
from solver.state import State
from solver.steps.alpha import Alpha, Implicit, alpha_coefficients, make_implicit
from solver.steps.explicit import Steps, make_steps
from solver.steps.samples import Within, make_within
from solver.steps.tableaus import Tableau, dop853, dopri5, rk4

Array = NDArray[np.float64]


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


ALPHA_RADIUS = 0.8
"""Spectral radius of generalised-α at infinite frequency (Chung and Hulbert, J. Appl. Mech. 60, 1993): vibrations that
steps cannot follow die out to a thousandth in 31 of them. With 1 they stay; the smaller, the more is taken from those
that steps follow."""

METHODS = {
    # The exponent is one over the power of h with which the scaled error goes: dopri5's estimate is of order 4,
    # dop853's two together of order 7 (Hairer, Nørsett and Wanner, II.10), generalised-α errs by h³.
    "dopri5": Method(1 / 5, 3, True, 6, scheme=dopri5),
    "dop853": Method(1 / 8, 3, True, 11, scheme=dop853),
    "rk4": Method(0.0, 0, False, 3, scheme=rk4),
    "generalized_alpha": Method(1 / 3, 0, True, 1, alpha=alpha_coefficients(ALPHA_RADIUS)),
}


@dataclass(frozen=True, eq=False)
class Slope:
    """What the equations of motion give at a state: v̇ (n, 6), α̇ (na,), power (rows + 1,), λ (m,).

    `drive` (rows, 3) are the loads' functions of time there; where rows are `repeated`, λ is one of many.
    """

    acceleration: Array
    turning: Array
    power: Array
    multipliers: Array
    drive: Array
    repeated: bool = False


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


@dataclass(frozen=True, eq=False)
class Absolute:
    """What runs in absolute coordinates compute with: every body's pose is integrated, and projected on all rows."""

    system: System
    method: Method

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """What kernels compute with: the tables of the system, its length, and a workspace of this engine's own."""
        s = self.system
        return (s.program.terms, s.plan, s.bodies, s.loads, s.rows, s.length, s.workspace())

    @property
    def unsolved(self) -> float:
        """How many accelerations so far do not meet the constraints (`solver.sweeps.response`)."""
        return float(self.tables[-1].sweeps.unsolved[0])

    @cached_property
    def steps(self) -> Steps:
        """The workspace for steps."""
        s, tableau = self.system, self.method.tableau
        stages = 0 if tableau is None else len(tableau.nodes)
        return make_steps(stages, s.program.bodies, s.program.angle_count, len(s.drives) + 1, s.program.rows)

    def may_change_suddenly(self, part: float) -> None:
        """By which part of the fastest the projection after a step may change velocities, beside the error allowed."""
        self.steps.sudden[0] = part

    @cached_property
    def implicit(self) -> Implicit:
        """What generalised-α computes with."""
        return make_implicit(self.steps, self.method.alpha, self.system.soft)

    @cached_property
    def within(self) -> Within:
        """The workspace for states within a step."""
        return make_within(self.system, self.method.extra, vectors=self.method.alpha is not None)


def _slope_in(workspace: Workspace, multipliers: Array, drive: Array, repeated: bool) -> Slope:
    """What the last evaluation left in a workspace."""
    arrays = (workspace.acceleration.copy(), workspace.turning.copy(), workspace.power.copy(), multipliers.copy())
    return Slope(*arrays, drive, repeated)
