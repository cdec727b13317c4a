"""Evaluations at one state after the other: workspaces and arrays that stay, so that a call costs little."""

from __future__ import annotations

import threading
import weakref
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from solver.constraints.kernels import rotations, rows_workspace, terms_workspace
from solver.equations.dynamics import Observed, least_into, observe_into, stage_here
from solver.equations.kkt import space
from solver.equations.system import System
from solver.state import State

Array = NDArray[np.float64]


class Evaluator:
    """Accelerations of a system; what a call leaves stands in `workspace` and `multipliers` (m,) until the next."""

    def __init__(self, system: System) -> None:
        n, program = len(system.model.bodies), system.program
        self.workspace = system.workspace()
        self.multipliers = np.zeros(program.rows)
        self._state = (np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6)), np.zeros(program.angle_count))
        self._drive = np.empty((len(system.drives), 3))
        tables = (program.terms, system.plan, system.bodies, system.loads, system.rows)
        self._stage = stage_here.bound(*tables, self.workspace, self._state, self._drive, self.multipliers)

    def __call__(self, state: State, drive: Array) -> bool:
        """Evaluate at a complete state, `drive` (rows, 3) being the functions of time; whether rows repeat.

        Angles that the state does not have are those within (−π, π].
        """
        x, q, v, angles = self._state
        x[:], q[:], v[:] = state.positions, state.quaternions, state.velocities
        angles[:] = 0.0 if state.angles is None else state.angles
        self._drive[:] = drive
        return bool(self._stage())


class _Placed:
    """A state placed in the world, with workspaces for all terms and rows."""

    def __init__(self, system: System) -> None:
        n, T = system.program.bodies, system.program.terms
        self.quaternions = np.empty((n, 4))
        self.poses = (np.zeros((n + 1, 3)), np.empty((n + 1, 3, 3)), np.zeros((n + 1, 6)))
        self.angles, self.drive = np.zeros(system.program.angle_count), np.zeros((len(system.drives), 3))
        self.workspaces = (terms_workspace(T), rows_workspace(T))
        self._rotate = rotations.bound(self.quaternions, self.poses[1])

    def place(self, state: State, drive: Array) -> None:
        x, _, v = self.poses
        x[:-1], v[:-1], self.quaternions[:] = state.positions, state.velocities, state.quaternions
        self.angles[:] = 0.0 if state.angles is None else state.angles
        self.drive[:] = drive
        self._rotate()


class Observer(_Placed):
    """What `solver.equations.dynamics.observe` finds of states."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        count, m = len(system.program.coordinate_term), system.program.rows
        self._start = len(system.program.terms.kind) - count
        self._accelerations = np.empty((system.program.bodies, 6))
        self._found = (np.empty(count), np.zeros(m), np.zeros(m))
        tables = (system.program.terms, system.bodies, system.loads, system.rows, system.length)
        given = (self.poses, self.angles, self.drive, self._accelerations)
        self._observe = observe_into.bound(*tables, *given, *self.workspaces, self._found)

    def __call__(self, state: State, drive: Array, accelerations: Array) -> Observed:
        """Coordinates, rates, accelerations of all coordinate terms; residuals; energies."""
        self.place(state, drive)
        self._accelerations[:] = accelerations
        kinetic, potential = self._observe()
        _, value, rate, *_ = self.workspaces[0]
        # Copies: the next call fills these arrays again.
        second, first, other = (a.copy() for a in self._found)
        return value[self._start :].copy(), rate[self._start :].copy(), second, first, other, kinetic, potential


class LeastNorm(_Placed):
    """What `solver.equations.dynamics.least_multipliers` gives for states."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        T, S = system.program.terms, system.schur
        self._multipliers, self._space = np.zeros(system.program.rows), space(T, S, system.program.bodies)
        tables = (T, S, system.bodies, system.rows, self._space, self.poses, self.angles, self.drive)
        self._least = least_into.bound(*tables, *self.workspaces, self._multipliers)

    def __call__(self, state: State, drive: Array, multipliers: Array) -> Array:
        """The multipliers (m,) of least norm that do what those given do."""
        self.place(state, drive)
        self._multipliers[:] = multipliers
        self._space.y[:] = 0.0
        self._least()
        return self._space.x.copy()


Made = TypeVar("Made", Evaluator, Observer, LeastNorm)


class _Kept(threading.local):
    def __init__(self) -> None:
        # A thread each, since a call fills the arrays; weak keys, so that arrays go when their system does.
        self.of: weakref.WeakKeyDictionary[System, dict[type, object]] = weakref.WeakKeyDictionary()


_kept = _Kept()


def _own(system: System, kind: type[Made]) -> Made:
    """This thread's one of a kind for a system."""
    kept = _kept.of.setdefault(system, {})
    found = kept.get(kind)
    if found is None:
        found = kept[kind] = kind(system)
    assert isinstance(found, kind)
    return found


def evaluator(system: System) -> Evaluator:
    """This thread's evaluator of a system."""
    return _own(system, Evaluator)


def observer(system: System) -> Observer:
    """This thread's observer of a system."""
    return _own(system, Observer)


def least_norm(system: System) -> LeastNorm:
    """This thread's multipliers of least norm of a system."""
    return _own(system, LeastNorm)
