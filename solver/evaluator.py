"""Accelerations at one state after the other: a room and arrays that stay, so that a call costs little."""

from __future__ import annotations

import threading
import weakref

import numpy as np
from numpy.typing import NDArray

from solver.dynamics import stage_here
from solver.state import State
from solver.system import System

Array = NDArray[np.float64]


class Evaluator:
    """Accelerations of a system; what a call leaves stands in `room` and `multipliers` (m,) until the next."""

    def __init__(self, system: System) -> None:
        n, program = len(system.model.bodies), system.program
        self.room = system.room()
        self.multipliers = np.zeros(program.rows)
        self._state = (np.empty((n, 3)), np.empty((n, 4)), np.empty((n, 6)), np.empty(program.angle_count))
        self._drive = np.empty((len(system.drives), 3))
        tables = (program.terms, system.plan, system.bodies, system.loads, system.rows)
        self._stage = stage_here.bound(*tables, self.room, self._state, self._drive, self.multipliers)

    def __call__(self, state: State, drive: Array) -> bool:
        """Evaluate at a complete state, `drive` (rows, 3) being the functions of time; whether rows repeat."""
        x, q, v, angles = self._state
        x[:], q[:], v[:] = state.positions, state.quaternions, state.velocities
        if state.angles is not None:
            angles[:] = state.angles
        self._drive[:] = drive
        return bool(self._stage())


class _Kept(threading.local):
    def __init__(self) -> None:
        self.of: weakref.WeakKeyDictionary[System, Evaluator] = weakref.WeakKeyDictionary()


_kept = _Kept()


def evaluator(system: System) -> Evaluator:
    """This thread's evaluator of a system."""
    found = _kept.of.get(system)
    if found is None:
        found = _kept.of[system] = Evaluator(system)
    return found
